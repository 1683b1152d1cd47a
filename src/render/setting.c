#include "render/setting.h"

#include "render/sky_map.h"

#include "render/looks.h"
#include "render/trace/draw.h"
#include "shape/tessellate.h"
#include "shape/texture.h"
#include "scene/content.h"
#include "scene/check/survey.h"

#include <stdlib.h>

#define DEGREE (3.14159265358979323846 / 180.0)

/* ---- axes ---- */

PxV3 px_setting_turn(const PxSetting *setting, PxVec3 d)
{
    return setting->up == 'z' ? px_v3((float)d.x, (float)d.z, (float)-d.y) : px_v3_from(d);
}

PxV3 px_setting_place(const PxSetting *setting, PxVec3 place)
{
    return px_setting_turn(setting, px_sub(place, setting->origin));
}

static double height_of(char up, PxVec3 place)
{
    return up == 'z' ? place.z : place.y;
}

static bool is_box(const PxBounds *b)
{
    return px_finite(b->low) && px_finite(b->high) && b->low.x <= b->high.x;
}

/* ---- walls ---- */

/* The look that a rigid body states, or its material. */
static PxLook rigid_look(const PxSetting *s, const PxSceneBody *body)
{
    size_t material = body->is.refers[0];
    const PxSceneLook *stated = body->is.look;
    if (stated == NULL && material < s->scene->materials)
        stated = s->scene->material[material].is.look;
    if (stated != NULL)
        return px_look_of_wall(body->def.name, stated, s->size);
    return px_look_glossy(px_v3(0.55f, 0.27f, 0.12f), 0.3f);
}

/* Thickness of a wall around matter in x-ray pictures, over the size of the scene: its shape says
 * only where the wall begins. */
#define SHELL 0.005f

static PxStatus add_wall(PxSetting *s, const PxSceneBody *body, uint32_t number)
{
    PxShapeDef def = px_scene_shape(s->scene, &body->def.shape, &body->is.turn);
    const PxSceneLook *stated = body->is.look;
    PxShownWall shown = {.look = px_look_of_wall(body->def.name, stated, s->size)};
    PxWall *wall = &shown.wall;
    if (!PX_LIST_RESERVE(&s->walls, 1))
        return px_fail(PX_ERR_MEMORY, "render: no room for a wall");
    PX_TRY(px_shape_create(&def, &wall->shape));
    wall->inside = body->def.inside;
    wall->boundary.body = number;
    wall->rigid = body->def.rigid;
    wall->now.turn = px_quat_identity();
    if (wall->rigid)
        shown.look = rigid_look(s, body);
    wall->pivot = def.at;
    wall->keys = px_scene_keyframes(body->is.keyframe, body->is.keyframes, NULL);
    wall->bounds = px_shape_bounds(wall->shape);
    shown.thickness = wall->inside ? INFINITY : px_shape_thickness(wall->shape);
    PxStatus status = PX_OK;
    if (wall->keys > 0) {
        wall->key = calloc(wall->keys, sizeof *wall->key);
        if (wall->key == NULL)
            status = px_fail(PX_ERR_MEMORY, "render: no room for keyframes");
        else
            px_scene_keyframes(body->is.keyframe, body->is.keyframes, wall->key);
    }
    if (wall->inside && stated != NULL && stated->kind == PX_SCENE_CLEAR)
        shown.look = (PxLook){
            .kind = PX_LOOK_PANE, .colour = px_v3_all(1), .ior = 1.5f, .xray = shown.look.xray};
    if (wall->inside)
        shown.look.shell = SHELL * (float)s->size;
    /* A container without a look would stand between the camera and the matter in it. */
    shown.hidden = stated == NULL && wall->inside && !px_look_by_name(body->def.name);
    if (status == PX_OK && def.kind != PX_SHAPE_PLANE &&
        !(stated != NULL && stated->kind == PX_SCENE_HIDDEN))
        status = px_tessellate(wall->shape, wall->inside, &shown.mesh);
    s->walls.data[s->walls.count++] = shown; /* freed by px_setting_free(), also on failure */
    return status;
}

void px_setting_free(PxSetting *setting)
{
    for (size_t k = 0; k < setting->walls.count; ++k) {
        PxShownWall *w = &setting->walls.data[k];
        px_shape_free(w->wall.shape);
        free(w->wall.key);
        px_mesh_free(w->mesh);
    }
    PX_LIST_FREE(&setting->walls);
    px_texture_free(setting->ground);
    px_sky_map_free(setting->sky);
    for (size_t k = 0; k < setting->cloths; ++k)
        px_texture_free(setting->cloth[k]);
    free(setting->cloth);
}

/* Textures of materials' looks. */
static PxStatus read_textures(PxSetting *s)
{
    size_t count = s->scene != NULL ? s->scene->materials : 0;
    s->cloth = calloc(count + 1, sizeof *s->cloth);
    if (s->cloth == NULL)
        return px_fail(PX_ERR_MEMORY, "render: no room for %zu materials", count);
    s->cloths = count;
    for (size_t k = 0; k < count; ++k) {
        const PxSceneLook *look = s->scene->material[k].is.look;
        if (look != NULL && look->texture != NULL)
            PX_TRY(px_texture_read_file(look->texture, &s->cloth[k]));
    }
    return PX_OK;
}

/* ---- where the ground and the camera are ---- */

/* Height of the ground: the highest plane that faces up below all matter, else the lowest wall,
 * else the lowest matter. */
static double ground_level(const PxSetting *s)
{
    double lowest = is_box(&s->matter) ? height_of(s->up, s->matter.low) : 0;
    double plane = -INFINITY, wall = INFINITY;
    for (size_t k = 0; k < s->walls.count; ++k) {
        const PxWall *w = &s->walls.data[k].wall;
        if (w->rigid)
            continue;
        if (px_shape_kind(w->shape) == PX_SHAPE_PLANE) {
            PxVec3 normal;
            double distance = px_shape_distance(w->shape, s->matter.low, &normal);
            if (height_of(s->up, normal) > 0.999)
                plane = fmax(plane, height_of(s->up, s->matter.low) - distance);
        } else {
            wall = fmin(wall, height_of(s->up, w->bounds.low));
        }
    }
    if (plane > -INFINITY)
        return plane;
    return wall < INFINITY ? wall : lowest;
}

PxSceneCamera px_setting_framing(const PxSetting *s, double aspect)
{
    PxBounds b = s->matter;
    PxVec3 middle = px_scale(px_add(b.low, b.high), 0.5);
    PxSceneCamera c = {.to = middle, .fov = 30};
    PxVec3 way = px_normalized(px_vec(0.42, 0.36, 1), px_vec(0, 0, 1)), up = px_vec(0, 1, 0);
    if (s->up == 'z') {
        way = px_vec(way.x, -way.z, way.y);
        up = px_vec(0, 0, 1);
    }
    PxVec3 right = px_normalized(px_cross(up, way), px_vec(1, 0, 0)), high = px_cross(way, right);
    double slope = 0.9 * tan(0.5 * c.fov * DEGREE), distance = 1e-3;
    for (int corner = 0; corner < 8; ++corner) {
        PxVec3 x = px_sub(px_vec(corner & 1 ? b.high.x : b.low.x, corner & 2 ? b.high.y : b.low.y,
                                 corner & 4 ? b.high.z : b.low.z),
                          middle);
        double near = px_dot(x, way);
        distance = fmax(distance, near + fabs(px_dot(x, high)) / slope);
        distance = fmax(distance, near + fabs(px_dot(x, right)) / (slope * aspect));
    }
    c.from = px_mad(middle, way, distance);
    return c;
}

PxStatus px_setting_make(const PxRenderDef *def, const PxBounds *matter, char up, double spacing,
                         PxSetting *out)
{
    *out = (PxSetting){.scene = def->scene, .up = up, .spacing = spacing, .fps = 30};
    PxSetting *s = out;
    s->matter = *matter;
    if (s->scene != NULL) {
        PxSurvey survey;
        s->fps = px_scene_fps(s->scene);
        PxStatus status = px_survey_make(s->scene, NULL, &survey);
        if (status == PX_OK && is_box(&survey.matter) && !is_box(matter))
            s->matter = survey.matter;
        px_survey_free(s->scene, &survey);
        PX_TRY(status);
    }
    if (!is_box(&s->matter))
        s->matter = (PxBounds){{-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}};
    s->size = fmax(px_length(px_sub(s->matter.high, s->matter.low)), s->spacing);
    bool has_camera = s->scene != NULL && px_scene_camera(s->scene, &s->camera);
    if (has_camera) /* the height of the picture at the camera's target */
        s->size =
            2 * tan(0.5 * s->camera.fov * DEGREE) * px_length(px_sub(s->camera.to, s->camera.from));
    for (size_t k = 0; s->scene != NULL && k < s->scene->bodies; ++k)
        if (px_body_is_boundary(&s->scene->body[k].def))
            PX_TRY(add_wall(s, &s->scene->body[k], (uint32_t)k));
    s->level = ground_level(s);
    const char *texture = s->scene != NULL ? s->scene->picture.ground_texture : NULL;
    if (texture != NULL)
        PX_TRY(px_texture_read_file(texture, &s->ground));
    if (s->scene != NULL && s->scene->picture.sky_picture != NULL)
        PX_TRY(px_sky_map_read(s->scene->picture.sky_picture, s->scene->picture.sky_turn, &s->sky));
    PX_TRY(read_textures(s));
    s->moves = has_camera && !def->stated_camera && s->scene->views > 1;
    if (def->stated_camera)
        s->camera = def->camera;
    else if (!has_camera)
        s->camera = px_setting_framing(s, (double)def->width / def->height);
    s->origin = s->camera.to;
    return PX_OK;
}

/* ---- one picture ---- */

static void set_camera(const PxSetting *s, const PxRenderDef *def, double time, double degrees,
                       PxScenery *out)
{
    PxSceneCamera now = s->moves ? px_scene_camera_at(s->scene, time) : s->camera;
    PxV3 target = px_setting_place(s, now.to),
         eye = px_v3_sub(px_setting_place(s, now.from), target);
    float a = (float)(degrees * DEGREE), c = cosf(a), n = sinf(a);
    eye = px_v3(c * eye.x + n * eye.z, eye.y, c * eye.z - n * eye.x);
    out->camera = px_camera_look(px_v3_add(eye, target), target, (float)now.fov);
    out->camera.lens = (float)(0.5 * def->aperture);
}

/* The largest length of 1, 2 or 5 times a power of ten that is not longer. */
static float round_length(float longest)
{
    float ten = powf(10, floorf(log10f(longest)));
    return ten * (longest < 2 * ten ? 1 : longest < 5 * ten ? 2 : 5);
}

static PxV3 linear(PxVec3 srgb)
{
    return px_v3(px_srgb_decode((float)srgb.x), px_srgb_decode((float)srgb.y),
                 px_srgb_decode((float)srgb.z));
}

/* The ground of the scene's picture, in the colours of the light. */
static PxGround ground_of(const PxSetting *s, const PxRenderDef *def, float reach)
{
    static const PxGroundPattern pattern[] = {
        [PX_SCENE_PLAIN] = PX_PATTERN_NONE,      [PX_SCENE_TILES] = PX_PATTERN_TILES,
        [PX_SCENE_CHECKER] = PX_PATTERN_CHECKER, [PX_SCENE_WOOD] = PX_PATTERN_WOOD,
        [PX_SCENE_SHADOW] = PX_PATTERN_NONE,     [PX_SCENE_NO_GROUND] = PX_PATTERN_NONE};
    const PxScenePicture *p = s->scene != NULL ? &s->scene->picture : NULL;
    int kind = p != NULL ? p->ground : PX_SCENE_PLAIN;
    bool studio = def->lighting == PX_LIGHT_STUDIO;
    PxGround ground = {
        .kind = def->floor == PX_FLOOR_SHADOW || kind == PX_SCENE_SHADOW    ? PX_GROUND_CATCHER
                : def->floor == PX_FLOOR_NONE || kind == PX_SCENE_NO_GROUND ? PX_GROUND_NONE
                                                                            : PX_GROUND_FLOOR,
        .pattern = pattern[kind],
        .level = (float)(s->level - height_of(s->up, s->origin)),
        .colour = kind == PX_SCENE_WOOD ? px_v3(0.52f, 0.33f, 0.19f)
                  : studio              ? px_v3(0.385f, 0.39f, 0.395f)
                                        : px_v3(0.36f, 0.352f, 0.338f),
        .tile =
            kind == PX_SCENE_WOOD ? 0.12f * (float)s->size : round_length(0.3f * (float)s->size),
        .near_end = (studio ? 0.9f : 1.2f) * reach,
        .far_end = (studio ? 5 : 9) * reach,
    };
    if (p != NULL && !isnan(p->ground_colour.x))
        ground.colour = linear(p->ground_colour);
    if (p != NULL && p->ground_size > 0)
        ground.tile = (float)p->ground_size;
    if (s->ground != NULL) {
        ground.pattern = PX_PATTERN_TEXTURE;
        ground.texture = s->ground;
    }
    return ground;
}

static void set_light(const PxSetting *s, const PxRenderDef *def, PxScenery *out)
{
    PxV3 eye = px_setting_place(s, s->camera.from);
    float reach = fmaxf((float)s->size, px_v3_length(eye));
    float behind = atan2f(eye.x, eye.z) * (180 / PX_PI_F);
    float azimuth = behind + (float)def->sun_azimuth, height = (float)def->sun_height;
    if (def->lighting == PX_LIGHT_DAY)
        out->sky = px_sky_day(azimuth, height);
    else if (def->lighting == PX_LIGHT_STUDIO)
        out->sky = px_sky_studio(azimuth, height);
    else if (def->lighting == PX_LIGHT_SOFT)
        out->sky = px_sky_even(px_v3_all(1));
    else
        out->sky = px_sky_even(px_v3(0.01f, 0.012f, 0.016f));
    const PxScenePicture *p = s->scene != NULL ? &s->scene->picture : NULL;
    if (p != NULL && !isnan(p->sky.x))
        out->sky.zenith = out->sky.horizon = linear(p->sky);
    if (p != NULL && !isnan(p->horizon.x))
        out->sky.horizon = linear(p->horizon);
    if (s->sky != NULL)
        out->sky = px_sky_of_map(s->sky);
    out->ground = ground_of(s, def, reach);
}

/* Irradiance at 1 m is radiance times the solid angle pi r^2; that of the sun is 3. */
static PxStatus add_lamp(const PxSetting *s, PxVec3 at, double radius, double power, PxV3 colour,
                         PxScenery *out)
{
    if (!PX_LIST_RESERVE(&out->lamps, 1))
        return px_fail(PX_ERR_MEMORY, "render: no room for a lamp");
    float light = (float)(3 * power / (3.14159265 * radius * radius));
    out->lamps.data[out->lamps.count++] =
        (PxLamp){px_setting_place(s, at), (float)radius, px_v3_scale(colour, light)};
    return PX_OK;
}

static PxStatus show_wall(PxSetting *s, PxShownWall *shown, double time, PxScenery *out)
{
    if (shown->mesh == NULL)
        return PX_OK; /* a plane, shown by the ground, or hidden */
    PxThing *t;
    uint32_t look = px_scenery_add_look(out, &shown->look);
    const PxMesh *mesh = shown->mesh;
    PX_TRY(px_scenery_add_thing(out, PX_THING_MESH, look, mesh->vertex_count, mesh->triangle_count,
                                PX_WITH_NORMAL | PX_WITH_VELOCITY, &t));
    double step = 0.5 / s->fps;
    px_wall_move(&shown->wall, time, step);
    const PxMovingMesh *moving = px_wall_moving(&shown->wall);
    for (uint32_t k = 0; k < mesh->vertex_count; ++k) {
        if (moving != NULL) { /* its mesh has three vertices for each triangle */
            PxMovingCorner c = px_moving_mesh_corner(moving, k / 3, (int)(k % 3));
            t->position[k] = px_setting_place(s, c.at[0]);
            t->velocity[k] = px_setting_turn(s, px_scale(px_sub(c.at[1], c.at[0]), 1 / step));
            t->normal[k] = px_setting_turn(s, c.normal);
            continue;
        }
        PxVec3 at = px_wall_to_world(&shown->wall, 0, mesh->position[k]);
        PxVec3 then = px_wall_to_world(&shown->wall, 1, mesh->position[k]);
        t->position[k] = px_setting_place(s, at);
        t->velocity[k] = px_setting_turn(s, px_scale(px_sub(then, at), 1 / step));
        t->normal[k] = px_setting_turn(s, px_wall_turn_to_world(&shown->wall, 0, mesh->normal[k]));
    }
    for (uint32_t k = 0; k < mesh->triangle_count; ++k)
        for (int c = 0; c < 3; ++c)
            t->triangle[k][c] = mesh->triangle[k][c];
    return PX_OK;
}

PxStatus px_setting_fill(PxSetting *s, const PxRenderDef *def, double time, double degrees,
                         PxScenery *out)
{
    set_camera(s, def, time, degrees, out);
    set_light(s, def, out);
    out->shutter = (float)(def->shutter / s->fps);
    for (size_t k = 0; k < def->lamps; ++k)
        PX_TRY(add_lamp(s, def->lamp[k].at, def->lamp[k].radius, def->lamp[k].power, px_v3_all(1),
                        out));
    for (size_t k = 0; s->scene != NULL && k < s->scene->lamps; ++k) {
        const PxSceneLamp *lamp = &s->scene->lamp[k];
        PX_TRY(add_lamp(s, lamp->at, lamp->radius, lamp->power, linear(lamp->colour), out));
    }
    for (size_t k = 0; k < s->walls.count; ++k)
        if (def->xray || !s->walls.data[k].hidden)
            PX_TRY(show_wall(s, &s->walls.data[k], time, out));
    return PX_OK;
}
