/// Scenes prepared for windows: looks, meshes of walls and rigid bodies, camera.
#include "phyxel/display.h"

#include "matter/pose.h"
#include "render/image/colour_map.h"
#include "render/looks.h"
#include "render/setting.h"
#include "render/trace/draw.h"
#include "scene/content.h"

#include <stdlib.h>
#include <string.h>

struct PxDisplay {
    PxSetting setting;
    const PxSceneCamera *stated; /* of the scene; NULL: none */
    PxSceneCamera camera;
    PX_LIST(PxDisplayMaterial) materials;
    PX_LIST(PxDisplayBody) bodies;
    double level;
    double spacing;
};

static PxDisplayLook look_of(const PxLook *look)
{
    static const PxDisplayKind kinds[PX_LOOK_KINDS] = {
        [PX_LOOK_MATTE] = PX_DISPLAY_MATTE, [PX_LOOK_GLOSSY] = PX_DISPLAY_GLOSSY,
        [PX_LOOK_METAL] = PX_DISPLAY_METAL, [PX_LOOK_CLEAR] = PX_DISPLAY_CLEAR,
        [PX_LOOK_PANE] = PX_DISPLAY_PANE,
    };
    return (PxDisplayLook){
        .kind = kinds[look->kind],
        .colour = {look->colour.x, look->colour.y, look->colour.z},
        .absorb = {look->absorb.x, look->absorb.y, look->absorb.z},
        .roughness = look->roughness,
        .ior = look->ior,
        .xray = look->xray,
        .film = look->film,
    };
}

static char *copy_text(const char *text)
{
    return strdup(text != NULL ? text : "");
}

static PxStatus add_material(PxDisplay *d, const PxScene *scene, size_t k)
{
    const PxSceneMaterial *m = &scene->material[k];
    PxLook surface = px_look_of_surface(&m->def, m->is.look, k, d->setting.size);
    PxLook grain = px_look_of_particles(&m->def, m->is.look, k, d->setting.size);
    PxDisplayMaterial shown = {.name = copy_text(m->def.name),
                               .solid = m->def.young > 0,
                               .surface = look_of(&surface),
                               .particles = look_of(&grain)};
    if (shown.name == NULL || !PX_LIST_RESERVE(&d->materials, 1)) {
        free((void *)shown.name);
        return px_fail(PX_ERR_MEMORY, "display: no room for material %zu", k);
    }
    d->materials.data[d->materials.count++] = shown;
    return PX_OK;
}

static PxStatus add_mesh(PxDisplayBody *b, const PxMesh *mesh)
{
    float(*position)[3] = calloc((size_t)mesh->vertex_count + 1, sizeof *position);
    float(*normal)[3] = calloc((size_t)mesh->vertex_count + 1, sizeof *normal);
    uint32_t(*triangle)[3] = calloc((size_t)mesh->triangle_count + 1, sizeof *triangle);
    b->position = (const float(*)[3])position; /* freed with the display, also on failure */
    b->normals = (const float(*)[3])normal;
    b->triangle = (const uint32_t(*)[3])triangle;
    if (position == NULL || normal == NULL || triangle == NULL)
        return px_fail(PX_ERR_MEMORY, "display: no room for %u triangles", mesh->triangle_count);
    b->vertices = mesh->vertex_count;
    b->triangles = mesh->triangle_count;
    for (uint32_t i = 0; i < b->vertices; ++i) {
        const PxVec3 *from[] = {&mesh->position[i], &mesh->normal[i]};
        float *to[] = {position[i], normal[i]};
        for (int k = 0; k < 2; ++k)
            to[k][0] = (float)from[k]->x, to[k][1] = (float)from[k]->y,
            to[k][2] = (float)from[k]->z;
    }
    for (uint32_t i = 0; i < b->triangles; ++i)
        for (int c = 0; c < 3; ++c)
            triangle[i][c] = mesh->triangle[i][c];
    return PX_OK;
}

static PxStatus add_body(PxDisplay *d, const PxScene *scene, PxShownWall *shown)
{
    const PxWall *wall = &shown->wall;
    const PxSceneBody *body = &scene->body[wall->boundary.body];
    PxDisplayBody b = {.name = copy_text(body->def.name),
                       .number = wall->boundary.body,
                       .rigid = wall->rigid,
                       .inside = wall->inside,
                       .plane = px_shape_kind(wall->shape) == PX_SHAPE_PLANE,
                       .moves = wall->rigid || wall->keys > 0,
                       .deforms = px_wall_moving(wall) != NULL,
                       .look = look_of(&shown->look),
                       .pivot = wall->pivot};
    if (b.plane)
        px_shape_distance(wall->shape, wall->pivot, &b.normal);
    if (body->is.look != NULL && body->is.look->kind == PX_SCENE_HIDDEN)
        b.look.kind = PX_DISPLAY_HIDDEN;
    if (b.name == NULL || !PX_LIST_RESERVE(&d->bodies, 1)) {
        free((void *)b.name);
        return px_fail(PX_ERR_MEMORY, "display: no room for body '%s'", body->def.name);
    }
    /* Pictures leave out the walls around matter; a window shows them. */
    if (shown->hidden)
        b.look.kind = PX_DISPLAY_PANE;
    PxStatus status = shown->mesh != NULL ? add_mesh(&b, shown->mesh) : PX_OK;
    d->bodies.data[d->bodies.count++] = b;
    return status;
}

PxStatus px_display_make(const PxScene *scene, PxDisplay **out)
{
    PX_WANT(out);
    *out = NULL;
    PX_WANT(scene);
    PX_TRY(px_scene_verdict(scene));
    PxDisplay *d = calloc(1, sizeof *d);
    if (d == NULL)
        return px_fail(PX_ERR_MEMORY, "display: no room");
    PxRenderDef def = px_render_def_default();
    PxBounds nothing = {{1, 1, 1}, {-1, -1, -1}};
    def.scene = scene;
    PxStatus status =
        px_setting_make(&def, &nothing, px_scene_up(scene), px_scene_spacing(scene), &d->setting);
    d->setting.scene = NULL; /* the display may outlive it */
    d->stated = px_scene_camera(scene, &d->camera) ? &d->camera : NULL;
    d->level = d->setting.level;
    d->spacing = px_scene_spacing(scene);
    for (size_t k = 0; status == PX_OK && k < scene->materials; ++k)
        status = add_material(d, scene, k);
    for (size_t k = 0; status == PX_OK && k < d->setting.walls.count; ++k)
        status = add_body(d, scene, &d->setting.walls.data[k]);
    if (status != PX_OK) {
        px_display_free(d);
        return status;
    }
    *out = d;
    return PX_OK;
}

void px_display_free(PxDisplay *d)
{
    if (d == NULL)
        return;
    for (size_t k = 0; k < d->materials.count; ++k)
        free((void *)d->materials.data[k].name);
    for (size_t k = 0; k < d->bodies.count; ++k) {
        PxDisplayBody *b = &d->bodies.data[k];
        free((void *)b->name);
        free((void *)b->position);
        free((void *)b->normals);
        free((void *)b->triangle);
    }
    PX_LIST_FREE(&d->materials);
    PX_LIST_FREE(&d->bodies);
    px_setting_free(&d->setting);
    free(d);
}

const PxDisplayMaterial *px_display_material(const PxDisplay *display, size_t k)
{
    return display != NULL && k < display->materials.count ? &display->materials.data[k] : NULL;
}

const PxDisplayBody *px_display_body(const PxDisplay *display, size_t k)
{
    return display != NULL && k < display->bodies.count ? &display->bodies.data[k] : NULL;
}

PxStatus px_display_pose(const PxDisplay *display, size_t k, double time, PxPose *out)
{
    PX_WANT(display);
    PX_WANT(out);
    if (k >= display->bodies.count || !isfinite(time))
        return px_fail(PX_ERR_ARGUMENT, "display: body %zu at %g s, there are %zu", k, time,
                       display->bodies.count);
    const PxWall *wall = &display->setting.walls.data[k].wall;
    *out = wall->rigid ? wall->now : px_pose_at(wall->key, wall->keys, time);
    return PX_OK;
}

static void put_vector(float to[3], PxVec3 v)
{
    to[0] = (float)v.x;
    to[1] = (float)v.y;
    to[2] = (float)v.z;
}

PxStatus px_display_deform(const PxDisplay *display, double time)
{
    PX_WANT(display);
    if (!isfinite(time))
        return px_fail(PX_ERR_ARGUMENT, "display: the time is %g s, must be finite", time);
    for (size_t k = 0; k < display->bodies.count; ++k) {
        const PxDisplayBody *b = &display->bodies.data[k];
        PxMovingMesh *moving = px_wall_moving(&display->setting.walls.data[k].wall);
        if (moving == NULL)
            continue;
        px_moving_mesh_set(moving, time, 0);
        for (uint32_t v = 0; v < b->vertices; ++v) { /* three for each triangle */
            PxMovingCorner c = px_moving_mesh_corner(moving, v / 3, (int)(v % 3));
            put_vector(((float(*)[3])b->position)[v], c.at[0]);
            put_vector(((float(*)[3])b->normals)[v], c.normal);
        }
    }
    return PX_OK;
}

PxStatus px_display_camera(const PxDisplay *display, double aspect, PxSceneCamera *out)
{
    PX_WANT(display);
    PX_WANT(out);
    if (!(aspect > 0) || !isfinite(aspect))
        return px_fail(PX_ERR_ARGUMENT, "display: the aspect ratio is %g, must be positive",
                       aspect);
    *out =
        display->stated != NULL ? *display->stated : px_setting_framing(&display->setting, aspect);
    return PX_OK;
}

PxStatus px_display_bounds(const PxDisplay *display, PxVec3 *low, PxVec3 *high)
{
    PX_WANT(display);
    PX_WANT(low);
    PX_WANT(high);
    *low = display->setting.matter.low;
    *high = display->setting.matter.high;
    return PX_OK;
}

double px_display_spacing(const PxDisplay *d)
{
    return d != NULL ? d->spacing : 0;
}

double px_display_ground(const PxDisplay *display)
{
    return display != NULL ? display->level : NAN;
}

void px_display_colour(float value, float rgb[3])
{
    PxV3 c = px_colour_map(value);
    rgb[0] = px_srgb_encode(c.x);
    rgb[1] = px_srgb_encode(c.y);
    rgb[2] = px_srgb_encode(c.z);
}
