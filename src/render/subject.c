#include "render/subject.h"

#include "scene/scene_walls.h"

#include "phyxel/suggest.h"
#include "render/image/colour_map.h"
#include "render/trace/draw.h"
#include "render/trace/optics.h"
#include "spatial/kdtree.h"
#include "base/digest.h"
#include "store/cloth_skin.h"
#include "store/column_form.h"
#include "store/run_files.h"
#include "store/surface_stamp.h"

#include <stdio.h>
#include <string.h>

/* ---- reading ---- */

static PxStatus surface_path(char path[PX_PATH_MAX], const char *dir, PxShow shown, uint32_t number)
{
    return px_run_file_path(path, dir, shown == PX_SHOW_SURFELS ? PX_FILE_SURFELS : PX_FILE_SURFACE,
                            number);
}

/* Adds the digest of a whole file: a picture is valid for exactly that content. */
static PxStatus digest_file(const char *path, uint64_t digest[2])
{
    void *bytes;
    size_t size;
    uint64_t of_file[2];
    PX_TRY(px_file_read(path, (size_t)1 << 36, &bytes, &size));
    px_digest(bytes, size, of_file);
    px_list_free(bytes);
    px_digest_join(digest, of_file, digest);
    return PX_OK;
}

static PxStatus skin_path(char path[PX_PATH_MAX], const char *dir, PxShow skin, uint32_t number)
{
    return px_run_file_path(path, dir,
                            skin == PX_SHOW_SURFELS ? PX_FILE_SKIN_SURFELS : PX_FILE_SKIN, number);
}

static PxStatus mask_make(PxSubject *s)
{
    if (s->skinned != NULL)
        return PX_OK;
    s->skinned = px_allocate(NULL, (size_t)s->particles.count + 1);
    if (s->skinned == NULL)
        return px_fail(PX_ERR_MEMORY, "render: no room for %u particles", s->particles.count);
    memset(s->skinned, 0, (size_t)s->particles.count + 1);
    return PX_OK;
}

/* Reads the frame's coats, which replace all particles of their materials. */
static PxStatus choose_coat(const char *dir, uint32_t number, PxSubject *out)
{
    char path[PX_PATH_MAX];
    PX_TRY(px_run_file_path(path, dir, PX_FILE_COAT, number));
    if (!px_file_exists(path))
        return PX_OK;
    PX_TRY(digest_file(path, out->digest));
    PX_TRY(px_surface_read(dir, number, path, &out->coats));
    const PxColumn *of = px_table_find(&out->coats.points, "material");
    const PxColumn *material = px_table_find(&out->particles, "material");
    if (of == NULL || of->type != PX_U32 || material == NULL || material->type != PX_U32)
        return px_fail(PX_ERR_FORMAT, "%s: it does not say which materials it is of", path);
    PX_TRY(mask_make(out));
    const uint32_t *slot = of->data[0], *seen = NULL;
    for (uint32_t k = 0; k < out->coats.points.count; ++k) { /* sorted by material */
        if (seen != NULL && *seen == slot[k])
            continue;
        seen = &slot[k];
        for (uint32_t i = 0; i < out->particles.count; ++i)
            out->skinned[i] |= ((const uint32_t *)material->data[0])[i] == slot[k];
    }
    return PX_OK;
}

/* Reads the frame's skins, of the requested kind or the first that exists, and marks the
 * particles that they replace. */
static PxStatus choose_skin(const char *dir, uint32_t number, PxShow show, PxSubject *out)
{
    char path[PX_PATH_MAX];
    for (PxShow k = PX_SHOW_SURFACE; k <= PX_SHOW_SURFELS && out->skin == PX_SHOW_PARTICLES; ++k) {
        PX_TRY(skin_path(path, dir, k, number));
        if ((show == PX_SHOW_BEST || show == k) && px_file_exists(path))
            out->skin = k;
    }
    if (out->skin == PX_SHOW_PARTICLES)
        return PX_OK;
    PX_TRY(skin_path(path, dir, out->skin, number));
    PX_TRY(digest_file(path, out->digest));
    PX_TRY(px_surface_read(dir, number, path, &out->skins));
    const PxColumn *of = px_table_find(&out->skins.points, "body");
    const PxColumn *body = px_table_find(&out->particles, "body");
    if (of == NULL || of->type != PX_F32 || body == NULL || body->type != PX_U32)
        return px_fail(PX_ERR_FORMAT, "%s: it does not say which bodies it is of", path);
    PX_TRY(mask_make(out));
    const float *slot = of->data[0], *seen = NULL;
    for (uint32_t k = 0; k < out->skins.points.count; ++k) { /* sorted by body */
        if (seen != NULL && *seen == slot[k])
            continue;
        seen = &slot[k];
        for (uint32_t i = 0; i < out->particles.count; ++i)
            out->skinned[i] |= (float)((const uint32_t *)body->data[0])[i] == slot[k];
    }
    return PX_OK;
}

/* Reads the whitewater of the frame. */
static PxStatus choose_foam(const char *dir, uint32_t number, PxSubject *out)
{
    char path[PX_PATH_MAX];
    PX_TRY(px_run_file_path(path, dir, PX_FILE_FOAM, number));
    if (!px_file_exists(path))
        return PX_OK;
    out->foamed = true;
    PX_TRY(digest_file(path, out->digest));
    return px_surface_read(dir, number, path, &out->foam);
}

static PxStatus choose(const char *dir, uint32_t number, PxShow show, PxSubject *out)
{
    char path[PX_PATH_MAX];
    uint64_t rigid[2];
    px_table_hash(&out->particles, PX_COLUMN_FRAME, out->digest);
    px_table_hash(&out->rigid, PX_COLUMN_FRAME, rigid);
    if (out->rigid.count > 0)
        px_digest_join(out->digest, rigid, out->digest);
    PX_TRY(choose_skin(dir, number, show, out));
    for (PxShow k = PX_SHOW_SURFACE; k <= PX_SHOW_SURFELS; ++k) {
        if (show != PX_SHOW_BEST && show != k)
            continue;
        PX_TRY(surface_path(path, dir, k, number));
        if (px_file_exists(path)) {
            PX_TRY(px_surface_stamp_check(dir, number, path));
            out->shown = k;
            return digest_file(path, out->digest);
        }
        if (k == PX_SHOW_SURFELS)
            PX_TRY(choose_coat(dir, number, out));
        if (show == k && out->skin == PX_SHOW_PARTICLES && out->coats.points.count == 0)
            return px_fail(PX_ERR_ARGUMENT,
                           "render: there is no '%s'; '%s' makes it, or show particles", path,
                           k == PX_SHOW_SURFACE ? "phyxel surface" : "phyxel surface --surfels");
    }
    out->shown = PX_SHOW_PARTICLES;
    return PX_OK;
}

static const float *floats(const PxTable *table, const char *name, uint32_t component)
{
    const PxColumn *c = px_table_find(table, name);
    return c != NULL && c->type == PX_F32 && component < c->components ? c->data[component] : NULL;
}

/* False for NaN. */
static bool is_visible(float coordinate)
{
    return fabs((double)coordinate) <= PX_SEEN_FARTHEST;
}

static PxStatus check_places(const PxSubject *s)
{
    static const char axis[] = "xyz";
    for (uint32_t k = 0; k < 3; ++k) {
        const float *x = floats(&s->particles, "position", k);
        if (x == NULL && s->particles.count > 0)
            return px_fail(PX_ERR_FORMAT, "frame %u has no position of three floats",
                           s->meta.number);
        for (uint32_t i = 0; i < s->particles.count; ++i)
            if (!is_visible(x[i]))
                return px_fail(
                    PX_ERR_FORMAT, "frame %u: %c of particle %u is %g m, wanted %g to %g",
                    s->meta.number, axis[k], i, (double)x[i], -PX_SEEN_FARTHEST, PX_SEEN_FARTHEST);
    }
    return PX_OK;
}

PxStatus px_subject_read(const char *dir, uint32_t number, PxShow show, const PxThreads *threads,
                         PxSubject *out)
{
    *out = (PxSubject){.shown = PX_SHOW_PARTICLES, .skin = PX_SHOW_PARTICLES};
    px_table_init(&out->particles, NULL);
    px_table_init(&out->rigid, NULL);
    px_table_init(&out->skins.points, NULL);
    px_table_init(&out->coats.points, NULL);
    px_table_init(&out->foam.points, NULL);
    PX_TRY(px_frame_read(dir, number, &out->meta, &out->particles, threads));
    PX_TRY(px_frame_read_rigid(dir, number, &out->rigid, threads));
    PX_TRY(check_places(out));
    PX_TRY(choose(dir, number, show, out));
    return show != PX_SHOW_PARTICLES ? choose_foam(dir, number, out) : PX_OK;
}

PxStatus px_subject_smooth(PxSubject *subject, const char *dir, uint32_t levels, double most,
                           const PxThreads *threads)
{
    PxPlyPoints *ply = &subject->skins;
    if (subject->skin != PX_SHOW_SURFACE)
        return PX_OK;
    PxClothSmoother smoother = {.most = most};
    PxClothSkin skin = {&ply->points, &ply->triangle, &ply->triangles, 0, {0}};
    PxStatus status = px_cloth_skin_cells(dir, subject->meta.number, &skin, threads);
    if (status == PX_OK)
        status = px_cloth_skin_smooth(&smoother, dir, levels, &skin, threads);
    px_cloth_skin_free(&skin);
    px_cloth_smoother_free(&smoother);
    return status;
}

void px_subject_free(PxSubject *subject)
{
    px_table_free(&subject->particles);
    px_table_free(&subject->rigid);
    px_ply_points_free(&subject->skins);
    px_ply_points_free(&subject->coats);
    px_ply_points_free(&subject->foam);
    px_release(NULL, subject->skinned, 0);
}

static PxVec3 place(const PxTable *particles, uint32_t i)
{
    return px_vec((double)floats(particles, "position", 0)[i],
                  (double)floats(particles, "position", 1)[i],
                  (double)floats(particles, "position", 2)[i]);
}

PxVec3 px_subject_place(const PxSubject *subject, uint32_t i)
{
    return place(&subject->particles, i);
}

PxBounds px_subject_rigid_bounds(const PxSubject *subject, const PxScene *scene)
{
    PxBounds b = px_bounds_empty();
    PxSceneWalls walls = {0};
    if (subject->rigid.count == 0 || scene == NULL || px_scene_walls(scene, &walls) != PX_OK)
        return b;
    for (size_t k = 0; k < walls.count; ++k) {
        PxWall *wall = &walls.wall[k];
        if (!wall->rigid)
            continue;
        px_frame_pose(&subject->rigid, wall);
        px_wall_move(wall, subject->meta.time, 0);
        for (int corner = 0; corner < 8; ++corner)
            px_bounds_add(&b, px_wall_to_world(
                                  wall, 0,
                                  px_vec(corner & 1 ? wall->bounds.high.x : wall->bounds.low.x,
                                         corner & 2 ? wall->bounds.high.y : wall->bounds.low.y,
                                         corner & 4 ? wall->bounds.high.z : wall->bounds.low.z)));
    }
    px_scene_walls_free(&walls);
    return b;
}

/* ---- numbers ---- */

static double value_of(const PxColumn *c, uint32_t component, uint32_t i)
{
    const void *data = c->data[component];
    switch (c->type) {
    case PX_U8:
        return ((const uint8_t *)data)[i];
    case PX_U32:
        return ((const uint32_t *)data)[i];
    case PX_I32:
        return ((const int32_t *)data)[i];
    case PX_U64:
        return (double)((const uint64_t *)data)[i];
    case PX_F32:
        return (double)((const float *)data)[i];
    default:
        return ((const double *)data)[i];
    }
}

/* Can a picture be coloured by the whole column? Vectors are coloured by their length; of a tensor
 * or of principal stresses one component must be chosen, since its sign matters. */
static bool is_one_number(const PxColumn *c)
{
    return c->components == 1 || px_column_form(c) == PX_FORM_VECTOR;
}

/* The column to colour by; NULL if there is none. *component is the one that is named; of a vector
 * named as a whole, the number of its components. */
static const PxColumn *column_named(const PxTable *table, const char *name, uint32_t *component)
{
    const PxColumn *c = px_table_find(table, strcmp(name, "speed") == 0 ? "velocity" : name);
    if (c == NULL || !is_one_number(c))
        return px_component_find(table, name, component);
    *component = c->components == 1 ? 0 : c->components;
    return c;
}

/* One number a row: a component, or the length of a vector. */
static void column_values(const PxColumn *c, uint32_t component, uint32_t count, float *out)
{
    for (uint32_t i = 0; i < count; ++i) {
        double square = 0;
        for (uint32_t k = 0; component == c->components && k < c->components; ++k)
            square += value_of(c, k, i) * value_of(c, k, i);
        out[i] = (float)(component < c->components ? value_of(c, component, i) : sqrt(square));
    }
}

/* Names of what pictures can be coloured by. */
typedef struct Names {
    char name[4 * PX_TABLE_MAX_COLUMNS][PX_COMPONENT_NAME];
    const char *words[4 * PX_TABLE_MAX_COLUMNS];
    size_t count;
} Names;

static void add_name(Names *n, const char *name)
{
    for (size_t k = 0; k < n->count; ++k)
        if (strcmp(n->words[k], name) == 0)
            return;
    if (n->count == PX_COUNT(n->words))
        return;
    snprintf(n->name[n->count], sizeof n->name[0], "%s", name);
    n->words[n->count] = n->name[n->count];
    ++n->count;
}

/* What a mesh is drawn with says nothing about its state. */
static bool is_drawing(const PxColumn *c)
{
    static const char *const names[] = {"normal", "colour", "painted", "s", "t"};
    for (size_t k = 0; k < PX_COUNT(names); ++k)
        if (strcmp(c->name, names[k]) == 0)
            return true;
    return false;
}

static void add_names(Names *n, const PxTable *table)
{
    for (uint32_t c = 0; c < table->columns; ++c) {
        const PxColumn *from = &table->column[c];
        char name[PX_COMPONENT_NAME];
        if (is_drawing(from))
            continue;
        for (uint32_t k = 0; k < from->components && !is_one_number(from); ++k) {
            px_component_name(from, k, name);
            add_name(n, name);
        }
        if (is_one_number(from))
            add_name(n, from->name);
    }
}

/* Lists what pictures can be coloured by, and suggests the nearest. A scene of cloth alone has no
 * particles, and their columns colour nothing. */
static PxStatus no_column(const PxSubject *subject, const char *column)
{
    Names *names = px_allocate(NULL, sizeof *names);
    char list[512] = "";
    if (names == NULL)
        return px_fail(PX_ERR_MEMORY, "render: no room for names of columns");
    names->count = 0;
    add_name(names, "speed");
    if (subject->particles.count > 0 || subject->skins.points.count == 0)
        add_names(names, &subject->particles);
    add_names(names, &subject->skins.points);
    for (size_t k = 0, used = 0; k < names->count && used < sizeof list; ++k)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", k > 0 ? ", " : "",
                                 names->words[k]);
    const char *near = px_suggest(column, names->words, names->count);
    PxStatus status = px_fail(
        PX_ERR_ARGUMENT, "render: frame %u has no column '%.40s' to colour by%s%s%s; there are %s",
        subject->meta.number, column, near != NULL ? " (did you mean '" : "",
        near != NULL ? near : "", near != NULL ? "'?)" : "", list);
    px_release(NULL, names, sizeof *names);
    return status;
}

PxStatus px_subject_values(const PxSubject *subject, const char *column, float *out, char unit[16])
{
    const PxTable *table = &subject->particles;
    uint32_t component = 0;
    const PxColumn *c = column_named(table, column, &component);
    if (c == NULL)
        return no_column(subject, column);
    if (unit != NULL)
        snprintf(unit, 16, "%s", c->unit);
    column_values(c, component, table->count, out);
    return PX_OK;
}

bool px_subject_has(const PxSubject *subject, const char *column)
{
    uint32_t component;
    return column_named(&subject->particles, column, &component) != NULL;
}

bool px_subject_skin_values(const PxSubject *subject, const char *column, float *out, char unit[16])
{
    const PxTable *table = &subject->skins.points;
    uint32_t component = 0;
    const PxColumn *c = column_named(table, column, &component);
    if (c == NULL)
        return false;
    snprintf(unit, 16, "%s", c->unit);
    column_values(c, component, table->count, out);
    return true;
}

static PxV3 colour_of(const PxColouring *c, float value)
{
    double span = c->high - c->low;
    if (!isfinite(value))
        return px_v3(1, 0, 0.6f); /* a colour outside the colour map */
    return px_colour_map(span > 0 ? (float)(((double)value - c->low) / span) : 0.5f);
}

/* ---- balls ---- */

static uint32_t material_of(const PxTable *particles, uint32_t i, size_t looks)
{
    const PxColumn *c = px_table_find(particles, "material");
    uint32_t m = c != NULL && c->type == PX_U32 ? ((const uint32_t *)c->data[0])[i] : 0;
    return m < looks ? m : 0;
}

/* Values to colour by, or NULL; the caller releases *out. */
static PxStatus values_make(const PxSubject *s, const PxColouring *colouring, float **out)
{
    *out = NULL;
    uint32_t component;
    if (colouring->column[0] == '\0' || s->particles.count == 0 ||
        (!px_subject_has(s, colouring->column) &&
         column_named(&s->skins.points, colouring->column, &component) != NULL))
        return PX_OK;
    *out = px_allocate(NULL, sizeof(float) * s->particles.count);
    if (*out == NULL)
        return px_fail(PX_ERR_MEMORY, "render: no room for %u numbers", s->particles.count);
    return px_subject_values(s, colouring->column, *out, NULL);
}

/* Is the particle drawn as a sphere of this look? */
static bool is_ball(const PxSubject *s, uint32_t i, uint32_t look, size_t looks)
{
    return (s->skinned == NULL || !s->skinned[i]) && material_of(&s->particles, i, looks) == look;
}

/* Replaces a clear look by a similar opaque one. */
static PxStatus opaque_look(PxScenery *out, uint32_t *look)
{
    const PxLook *l = &out->looks.data[*look];
    if (l->kind != PX_LOOK_CLEAR)
        return PX_OK;
    PxLook solid = px_look_glossy(l->colour, 0.3f);
    *look = px_scenery_add_look(out, &solid);
    return *look != UINT32_MAX ? PX_OK : px_fail(PX_ERR_MEMORY, "render: no room for a look");
}

/* A sphere that would stick out of a pane is shrunk, at most to half its radius. */
static float ball_radius(const PxSetting *s, PxVec3 at, float radius)
{
    double room = (double)radius;
    for (size_t k = 0; k < s->walls.count; ++k) {
        const PxWall *wall = &s->walls.data[k].wall;
        if (s->walls.data[k].look.kind == PX_LOOK_PANE)
            room = fmin(room, px_wall_distance(wall, 0, px_wall_to_rest(wall, 0, at), NULL));
    }
    return fmaxf(0.5f * radius, (float)room);
}

static PxStatus add_balls(const PxSubject *s, const PxSetting *setting, uint32_t look,
                          const PxColouring *colouring, const float *value, size_t looks,
                          PxScenery *out)
{
    const PxTable *p = &s->particles;
    const float *radius = floats(p, "radius", 0);
    /* Incandescence would falsify the colour of the value. */
    const float *temperature = value == NULL ? floats(p, "temperature", 0) : NULL;
    const float *v[3] = {floats(p, "velocity", 0), floats(p, "velocity", 1),
                         floats(p, "velocity", 2)};
    uint32_t count = 0, to = 0;
    for (uint32_t i = 0; i < p->count; ++i)
        count += is_ball(s, i, look, looks);
    if (count == 0)
        return PX_OK;
    PxThing *t;
    uint32_t shown = look;
    PX_TRY(opaque_look(out, &shown));
    PX_TRY(px_scenery_add_thing(out, PX_THING_BALLS, shown, count, 0,
                                PX_WITH_RADIUS | PX_WITH_VELOCITY |
                                    (value != NULL ? PX_WITH_COLOUR : 0) |
                                    (temperature != NULL ? PX_WITH_TEMPERATURE : 0),
                                &t));
    for (uint32_t i = 0; i < p->count; ++i) {
        if (!is_ball(s, i, look, looks))
            continue;
        t->position[to] = px_setting_place(setting, place(p, i));
        /* Spheres of half a spacing touch; slightly larger ones look like one body. */
        float half = radius != NULL && radius[i] > 0 ? radius[i] : 0.5f * (float)s->meta.spacing;
        t->radius[to] = ball_radius(setting, place(p, i), 1.1f * half);
        if (v[2] != NULL)
            t->velocity[to] =
                px_setting_turn(setting, px_vec((double)v[0][i], (double)v[1][i], (double)v[2][i]));
        if (value != NULL)
            t->colour[to] = colour_of(colouring, value[i]);
        if (temperature != NULL)
            t->temperature[to] = temperature[i];
        ++to;
    }
    return PX_OK;
}

/* ---- surfaces and surfels ---- */

/* Interpolation from particles to points of a surface: inverse distance weights of the nearest
 * four, or the nearest one. */
typedef struct Nearest {
    PxKdTree tree;
    PxArena arena;
    bool there;
} Nearest;

static PxStatus nearest_make(const PxSubject *s, Nearest *n)
{
    px_kdtree_init(&n->tree, NULL);
    px_arena_init(&n->arena, NULL);
    n->there = s->particles.count > 0;
    if (!n->there)
        return PX_OK;
    const PxTable *p = &s->particles;
    return px_kdtree_build(&n->tree, floats(p, "position", 0), floats(p, "position", 1),
                           floats(p, "position", 2), p->count, &n->arena);
}

static void nearest_free(Nearest *n)
{
    px_kdtree_free(&n->tree);
    px_arena_free(&n->arena);
}

static float nearest_value(const Nearest *n, const float at[3], const float *value)
{
    uint32_t who[4];
    float square[4], sum = 0, weights = 0;
    uint32_t found = px_kdtree_nearest(&n->tree, at[0], at[1], at[2], 4, who, square);
    for (uint32_t k = 0; k < found; ++k) {
        float w = 1 / (square[k] + 1e-12f);
        sum += w * value[who[k]];
        weights += w;
    }
    return found > 0 ? sum / weights : 0;
}

/* Maps the distance from a wall (in units of the reach) to the one that is drawn: below half of it
 * it becomes `end`, then blends to the true distance at its end. */
static double touching(double d, double end)
{
    return d < 0.5 ? end : end + (1 - end) * (2 * d - 1);
}

typedef struct Touch {
    PxSetting *setting;
    bool opaque; /* the matter is opaque */
} Touch;

/* How near to a wall matter is drawn as touching it, spacings. A film of air is seen below clear
 * matter; below what is opaque it is dark anyway, and matter that is drawn farther than it reaches
 * would be a dark rim on the floor. */
static double touch_reach(const Touch *touch)
{
    return touch->opaque ? 0.25 : 1;
}

static void touch_wall(const Touch *touch, const PxShownWall *shown, PxVec3 *at, PxVec3 *normal)
{
    const PxWall *wall = &shown->wall;
    double s = touch_reach(touch) * touch->setting->spacing;
    PxVec3 rest = px_wall_to_rest(wall, 0, *at), low = wall->bounds.low, high = wall->bounds.high;
    if (!wall->inside && (rest.x < low.x - s || rest.y < low.y - s || rest.z < low.z - s ||
                          rest.x > high.x + s || rest.y > high.y + s || rest.z > high.z + s))
        return;
    /* Slightly into the wall, so that no film of air remains, but not through a thin one; opaque
     * matter stays in front of a pane. */
    double end = touch->opaque && shown->look.kind == PX_LOOK_PANE
                     ? 0.1
                     : -fmin(0.1, 0.3 * shown->thickness / s);
    PxVec3 from = rest, first = px_vec(0, 0, 0);
    for (int turn = 0; turn < 2; ++turn) {
        PxVec3 away;
        double d = px_wall_distance(wall, 0, from, &away);
        if (d >= s || (turn == 1 && px_dot(away, first) > 0.5))
            break;
        rest = px_mad(rest, away, s * touching(d / s, end) - d);
        if (d < 0.5 * s) {
            PxVec3 out = px_wall_turn_to_world(wall, 0, away);
            if (px_dot(*normal, out) < -0.3)
                *normal = px_scale(out, -1);
        }
        /* In a corner there is a second face, which is nearest a spacing away from the first. */
        from = px_mad(from, away, s - d);
        first = away;
    }
    *at = px_wall_to_world(wall, 0, rest);
}

static void touch_walls(const Touch *touch, PxVec3 *at, PxVec3 *normal)
{
    const PxSetting *setting = touch->setting;
    for (size_t k = 0; k < setting->walls.count; ++k)
        touch_wall(touch, &setting->walls.data[k], at, normal);
    double *height = setting->up == 'z' ? &at->z : &at->y;
    double s = touch_reach(touch) * setting->spacing, d = *height - setting->level;
    if (d < s && d > -s)
        *height = setting->level + s * touching(d / s, -0.1);
}

/* Most liquids in cloth. */
enum { LIQUIDS = 4 };

typedef struct PlyPlaces {
    const float *x[3], *n[3], *v[3], *radius, *temperature, *wetness, *uv[2];
    int liquids;                  /* that cloth is wet with */
    const float *liquid[LIQUIDS]; /* part of each of all by mass */
    uint32_t material[LIQUIDS];
} PlyPlaces;

static PlyPlaces ply_places(const PxTable *points)
{
    PlyPlaces p = {.radius = floats(points, "radius", 0),
                   .temperature = floats(points, "temperature", 0),
                   .wetness = floats(points, "saturation", 0),
                   .uv = {floats(points, "s", 0), floats(points, "t", 0)}};
    for (uint32_t k = 0; k < 3; ++k) {
        p.x[k] = floats(points, "position", k);
        p.n[k] = floats(points, "normal", k);
        p.v[k] = floats(points, "velocity", k);
    }
    for (uint32_t c = 0; c < points->columns && p.liquids < LIQUIDS; ++c)
        if (points->column[c].type == PX_F32 &&
            px_frame_is_liquid(&points->column[c], &p.material[p.liquids]))
            p.liquid[p.liquids++] = points->column[c].data[0];
    return p;
}

/* Checks that positions exist and are finite. */
static PxStatus check_points(const char *name, const PxTable *points, const PlyPlaces *from)
{
    if (from->x[2] == NULL)
        return px_fail(PX_ERR_FORMAT, "%s: x, y and z are no floats", name);
    for (uint32_t i = 0; i < points->count; ++i)
        for (int k = 0; k < 3; ++k)
            if (!is_visible(from->x[k][i]))
                return px_fail(PX_ERR_FORMAT, "%s: %c of point %u is %g m, wanted %g to %g", name,
                               'x' + k, i, (double)from->x[k][i], -PX_SEEN_FARTHEST,
                               PX_SEEN_FARTHEST);
    return PX_OK;
}

/* The material of all particles that are not skinned, or UINT32_MAX for several. */
static uint32_t only_material(const PxSubject *s, size_t looks)
{
    uint32_t first = UINT32_MAX;
    for (uint32_t i = 0; i < s->particles.count; ++i) {
        if (s->skinned != NULL && s->skinned[i])
            continue;
        uint32_t here = material_of(&s->particles, i, looks);
        if (first != UINT32_MAX && here != first)
            return UINT32_MAX;
        first = here;
    }
    return first != UINT32_MAX ? first : 0;
}

/* Vertex normals for a mesh without: area-weighted sums of its triangles' normals. */
static void make_normals(PxThing *t)
{
    for (uint32_t k = 0; k < t->triangles; ++k) {
        const uint32_t *c = t->triangle[k];
        PxV3 a = t->position[c[0]];
        PxV3 n = px_v3_cross(px_v3_sub(t->position[c[1]], a), px_v3_sub(t->position[c[2]], a));
        for (int m = 0; m < 3; ++m)
            t->normal[c[m]] = px_v3_add(t->normal[c[m]], n);
    }
    for (uint32_t k = 0; k < t->points; ++k)
        t->normal[k] = px_v3_unit(t->normal[k]);
}

/* The points and triangles of one material; all if the file has no material column. */
typedef struct Part {
    uint32_t points, triangles;
    uint32_t *row; /* row of the file by point */
    uint32_t (*triangle)[3];
} Part;

static void part_free(Part *part)
{
    px_release(NULL, part->row, 0);
    px_release(NULL, part->triangle, 0);
}

static PxStatus part_make(const char *name, const PxPlyPoints *ply, const uint32_t *material,
                          uint32_t wanted, Part *out)
{
    uint32_t points = ply->points.count;
    *out = (Part){0};
    uint32_t *place = px_allocate(NULL, sizeof *place * points);
    out->row = px_allocate(NULL, sizeof *out->row * points);
    out->triangle = px_allocate(NULL, sizeof *out->triangle * (ply->triangles + (size_t)1));
    PxStatus status = PX_OK;
    if (place == NULL || out->row == NULL || out->triangle == NULL)
        status = px_fail(PX_ERR_MEMORY, "%s: no room for %u points", name, points);
    for (uint32_t k = 0; status == PX_OK && k < points; ++k) {
        bool here = material == NULL || material[k] == wanted;
        place[k] = here ? out->points : UINT32_MAX;
        if (here)
            out->row[out->points++] = k;
    }
    for (uint32_t t = 0; status == PX_OK && t < ply->triangles; ++t) {
        const uint32_t *c = ply->triangle[t];
        uint32_t p[3] = {place[c[0]], place[c[1]], place[c[2]]};
        if (p[0] == UINT32_MAX && p[1] == UINT32_MAX && p[2] == UINT32_MAX)
            continue;
        if (p[0] == UINT32_MAX || p[1] == UINT32_MAX || p[2] == UINT32_MAX)
            status = px_fail(PX_ERR_FORMAT, "%s: face %u joins two materials", name, t);
        else
            memcpy(out->triangle[out->triangles++], p, sizeof p);
    }
    px_release(NULL, place, 0);
    return status;
}

typedef struct Fill {
    const PxSubject *subject;
    PxSetting *setting;
    const PxColouring *colouring;
    const Nearest *nearest;
    const float *value; /* of the particles */
    const PxLook *looks;
    size_t look_count;
    PlyPlaces from;
    Touch touch;
    const float *column;    /* the surface's own column to colour by */
    bool skin, coat, discs; /* kind of surface */
    const float *painted;   /* > 0.5: the point has a colour of its own ... */
    const uint8_t *own[3];  /* ... which is this one, sRGB */
    uint32_t look;          /* of the part */
    bool mixed;             /* several materials that the file does not tell apart */
    uint32_t material;      /* material of this part; UINT32_MAX without parts */
    const uint32_t *row;
    PxThing *thing;
} Fill;

/* Where two liquids meet their surfaces coincide up to rounding: both are enlarged a little
 * there, and the priority decides what is in the overlap. */
static bool meets_another(const Fill *f, const float at[3])
{
    uint32_t who[8];
    float square[8], reach = 1.5f * (float)f->setting->spacing;
    uint32_t found = px_kdtree_nearest(&f->nearest->tree, at[0], at[1], at[2], 8, who, square);
    for (uint32_t k = 0; k < found; ++k)
        if (square[k] < reach * reach &&
            material_of(&f->subject->particles, who[k], f->look_count) != f->material)
            return true;
    return false;
}

/* What the liquids in cloth do to its albedo: the factor of each, to the power of its part of the
 * room in the pores. */
static PxV3 tint_at(const Fill *f, uint32_t row, float wetness)
{
    PxV3 tint = px_v3_all(1);
    for (int k = 0; k < f->from.liquids; ++k) {
        if (f->from.material[k] >= f->look_count)
            continue;
        PxV3 full = f->looks[f->from.material[k]].tint;
        float part = wetness * fminf(fmaxf(f->from.liquid[k][row], 0), 1);
        tint = px_v3_mul(tint,
                         px_v3(powf(fmaxf(full.x, 1e-3f), part), powf(fmaxf(full.y, 1e-3f), part),
                               powf(fmaxf(full.z, 1e-3f), part)));
    }
    return tint;
}

static PxV3 colour_at(const Fill *f, uint32_t row, const float at[3])
{
    uint32_t who;
    float square;
    if (f->column != NULL)
        return colour_of(f->colouring, f->column[row]);
    if (f->value != NULL)
        return colour_of(f->colouring, nearest_value(f->nearest, at, f->value));
    if (f->painted != NULL)
        return f->painted[row] > 0.5f ? px_v3(px_srgb_decode((float)f->own[0][row] / 255.0f),
                                              px_srgb_decode((float)f->own[1][row] / 255.0f),
                                              px_srgb_decode((float)f->own[2][row] / 255.0f))
                                      : f->looks[f->look].colour;
    if (!f->nearest->there)
        return px_v3_all(0.5f);
    px_kdtree_nearest(&f->nearest->tree, at[0], at[1], at[2], 1, &who, &square);
    return f->looks[material_of(&f->subject->particles, who, f->look_count)].colour;
}

static void fill_points(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Fill *f = user;
    const PlyPlaces *from = &f->from;
    PxThing *t = f->thing;
    for (uint32_t k = begin; k < end; ++k) {
        uint32_t r = f->row[k];
        const float at[3] = {from->x[0][r], from->x[1][r], from->x[2][r]};
        PxVec3 p = px_vec((double)at[0], (double)at[1], (double)at[2]), n = px_vec(0, 0, 0);
        if (from->n[2] != NULL)
            n = px_vec((double)from->n[0][r], (double)from->n[1][r], (double)from->n[2][r]);
        if ((t->kind == PX_THING_MESH && !f->skin) || f->coat) {
            if (f->material != UINT32_MAX && !f->coat && meets_another(f, at))
                p = px_mad(p, n, 0.1 * f->setting->spacing);
            touch_walls(&f->touch, &p, &n);
        }
        t->position[k] = px_setting_place(f->setting, p);
        t->normal[k] = px_v3_unit(px_setting_turn(f->setting, n));
        if (from->v[2] != NULL)
            t->velocity[k] =
                px_setting_turn(f->setting, px_vec((double)from->v[0][r], (double)from->v[1][r],
                                                   (double)from->v[2][r]));
        /* Discs moved towards a wall are enlarged: they are further from the others. */
        double moved = px_length(px_sub(p, px_vec((double)at[0], (double)at[1], (double)at[2])));
        float wider = 1 + (float)fmin(moved / f->setting->spacing, 0.5);
        if (t->radius != NULL)
            t->radius[k] = wider * fmaxf(1e-9f, from->radius != NULL ? from->radius[r]
                                                                     : (float)f->setting->spacing);
        if (t->temperature != NULL)
            t->temperature[k] = from->temperature[r];
        if (t->wetness != NULL) /* 0 for NaN */
            t->wetness[k] = fminf(fmaxf(from->wetness[r], 0), 1);
        if (t->tint != NULL)
            t->tint[k] = tint_at(f, r, t->wetness[k]);
        if (t->colour != NULL)
            t->colour[k] = colour_at(f, r, at);
        for (int c = 0; c < 2 && t->uv != NULL; ++c)
            t->uv[k][c] = from->uv[c][r];
    }
}

/* Values of the surface's own column of that name, or NULL. */
static PxStatus own_values(const PxTable *points, const char *name, float **out)
{
    *out = NULL;
    uint32_t component = 0;
    const PxColumn *column = column_named(points, name, &component);
    if (column == NULL)
        return PX_OK;
    *out = px_allocate(NULL, sizeof(float) * points->count);
    if (*out == NULL)
        return px_fail(PX_ERR_MEMORY, "render: no room for %u numbers", points->count);
    column_values(column, component, points->count, *out);
    return PX_OK;
}

/* Is any point hot enough to glow? */
static bool is_hot(const Fill *f, const Part *part)
{
    for (uint32_t k = 0; f->from.temperature != NULL && k < part->points; ++k)
        if (f->from.temperature[part->row[k]] > PX_GLOW_FROM)
            return true;
    return false;
}

static PxStatus add_part(Fill *f, const Part *part, uint32_t look, const PxThreads *threads,
                         PxScenery *out)
{
    bool discs = f->discs, coloured = f->colouring->column[0] != '\0';
    bool painted = false, wet = f->from.wetness != NULL && f->skin && !discs && !coloured;
    for (uint32_t k = 0; f->painted != NULL && k < part->points && !painted; ++k)
        painted = f->painted[part->row[k]] > 0.5f;
    f->look = look;
    if ((f->skin && discs) || painted)
        PX_TRY(opaque_look(out, &look));
    /* Coloured values and glowing matter are drawn opaque. */
    const PxLook *own = look < out->looks.count ? &out->looks.data[look] : NULL;
    bool molten = own != NULL && own->kind == PX_LOOK_CLEAR && is_hot(f, part);
    if (f->mixed || coloured || molten) {
        PxLook solid = px_look_glossy(molten ? own->colour : px_v3_all(0.8f), 0.35f);
        if (own != NULL)
            solid.xray = own->xray;
        look = px_scenery_add_look(out, &solid);
        if (look == UINT32_MAX)
            return px_fail(PX_ERR_MEMORY, "render: no room for a look");
    }
    PX_TRY(px_scenery_add_thing(
        out, discs ? PX_THING_DISCS : PX_THING_MESH, look, part->points,
        discs ? 0 : part->triangles,
        PX_WITH_NORMAL | PX_WITH_VELOCITY | (discs ? PX_WITH_RADIUS : 0) |
            (f->mixed || coloured || painted ? PX_WITH_COLOUR : 0) |
            (f->from.temperature != NULL && !coloured ? PX_WITH_TEMPERATURE : 0) |
            (wet ? PX_WITH_WETNESS : 0) | (wet && f->from.liquids > 0 ? PX_WITH_TINT : 0) |
            (f->from.uv[0] != NULL && f->from.uv[1] != NULL ? PX_WITH_UV : 0),
        &f->thing));
    f->looks = out->looks.data;
    f->touch = (Touch){f->setting, f->looks[look].kind != PX_LOOK_CLEAR};
    f->row = part->row;
    px_parallel_for(threads, part->points, PX_BLOCK, fill_points, f);
    if (f->thing->triangles > 0)
        memcpy(f->thing->triangle, part->triangle, sizeof *part->triangle * part->triangles);
    if (!discs && f->from.n[2] == NULL)
        make_normals(f->thing);
    return PX_OK;
}

/* Finds the own colours of a surface. Without a column `painted` its colours are those of
 * materials and are ignored. */
static void find_paint(const PxTable *points, Fill *f)
{
    const PxColumn *colour = px_table_find(points, "colour");
    if (colour == NULL || colour->type != PX_U8)
        return;
    f->painted = floats(points, "painted", 0);
    for (int k = 0; k < 3; ++k)
        f->own[k] = colour->data[k];
}

/* A reconstructed surface, or a skin or coat that was stored with the frame. */
typedef enum Sort { SURFACE, SKIN, COAT } Sort;

static PxStatus add_surface(const PxSubject *s, const char *name, const PxPlyPoints *ply, Sort sort,
                            PxSetting *setting, const PxColouring *colouring, const float *value,
                            size_t looks, const PxThreads *threads, PxScenery *out)
{
    const PxColumn *column = px_table_find(&ply->points, "material");
    const uint32_t *material = column != NULL && column->type == PX_U32 ? column->data[0] : NULL;
    uint32_t look = material != NULL ? 0 : only_material(s, looks);
    Fill f = {.subject = s,
              .setting = setting,
              .colouring = colouring,
              .value = value,
              .look_count = looks,
              .from = ply_places(&ply->points),
              .skin = sort == SKIN,
              .coat = sort == COAT,
              .discs = sort == COAT || (sort == SKIN ? s->skin : s->shown) == PX_SHOW_SURFELS,
              .mixed = look == UINT32_MAX};
    PX_TRY(check_points(name, &ply->points, &f.from));
    find_paint(&ply->points, &f);
    if (f.discs && f.from.n[2] == NULL)
        return px_fail(PX_ERR_FORMAT, "%s: surfels without normals nx ny nz", name);
    float *made = NULL;
    Nearest nearest;
    PxStatus status = nearest_make(s, &nearest);
    f.nearest = &nearest;
    if (status == PX_OK && colouring->column[0] != '\0')
        status = own_values(&ply->points, colouring->column, &made);
    f.column = made;
    for (uint32_t k = 0; k < (material != NULL ? looks : 1) && status == PX_OK; ++k) {
        Part part;
        f.material = material != NULL && nearest.there ? k : UINT32_MAX;
        status = part_make(name, ply, material, k, &part);
        if (status == PX_OK && part.points > 0)
            status = add_part(&f, &part, material != NULL ? k : look, threads, out);
        part_free(&part);
    }
    px_release(NULL, made, 0);
    nearest_free(&nearest);
    return status;
}

/* Spray, foam and bubbles as white balls. Bubbles are smaller: most of their light is refracted. */
static PxStatus add_foam(const PxTable *points, PxSetting *setting, PxScenery *out)
{
    const float *x[3], *v[3] = {NULL}, *radius = floats(points, "radius", 0);
    const float *kind = floats(points, "kind", 0);
    for (uint32_t k = 0; k < 3; ++k) {
        x[k] = floats(points, "position", k);
        v[k] = floats(points, "velocity", k);
    }
    if (x[0] == NULL || x[1] == NULL || x[2] == NULL || radius == NULL)
        return px_fail(PX_ERR_FORMAT, "the foam has no positions or radii");
    PxLook white = px_look_matte(px_v3(0.92f, 0.94f, 0.95f));
    uint32_t look = px_scenery_add_look(out, &white);
    PxThing *t;
    PX_TRY(px_scenery_add_thing(out, PX_THING_BALLS, look, points->count, 0,
                                PX_WITH_RADIUS | PX_WITH_VELOCITY, &t));
    for (uint32_t i = 0; i < points->count; ++i) {
        for (int k = 0; k < 3; ++k)
            if (!is_visible(x[k][i]))
                return px_fail(PX_ERR_FORMAT, "the foam has a particle at %g m", (double)x[k][i]);
        t->position[i] =
            px_setting_place(setting, px_vec((double)x[0][i], (double)x[1][i], (double)x[2][i]));
        if (v[0] != NULL && v[1] != NULL && v[2] != NULL)
            t->velocity[i] =
                px_setting_turn(setting, px_vec((double)v[0][i], (double)v[1][i], (double)v[2][i]));
        t->radius[i] = radius[i] * (kind != NULL && kind[i] > 1.5f ? 0.6f : 1);
    }
    return PX_OK;
}

PxStatus px_subject_add(const PxSubject *subject, const char *dir, PxSetting *setting,
                        const PxColouring *colouring, const PxThreads *threads, PxScenery *out)
{
    size_t looks = setting->scene != NULL ? out->looks.count : 1;
    float *value;
    PxStatus status = values_make(subject, colouring, &value);
    for (size_t k = 0; k < setting->walls.count; ++k) {
        px_frame_pose(&subject->rigid, &setting->walls.data[k].wall);
        px_wall_move(&setting->walls.data[k].wall, subject->meta.time, 0);
    }
    if (status == PX_OK && subject->shown == PX_SHOW_PARTICLES) {
        for (uint32_t k = 0; k < looks && status == PX_OK; ++k)
            status = add_balls(subject, setting, k, colouring, value, looks, out);
    } else if (status == PX_OK) {
        char path[PX_PATH_MAX];
        PxPlyPoints ply = {0};
        px_table_init(&ply.points, NULL);
        status = surface_path(path, dir, subject->shown, subject->meta.number);
        if (status == PX_OK)
            status = px_surface_read(dir, subject->meta.number, path, &ply);
        if (status == PX_OK && ply.points.count > 0)
            status = add_surface(subject, path, &ply, SURFACE, setting, colouring, value, looks,
                                 threads, out);
        px_ply_points_free(&ply);
    }
    if (status == PX_OK && subject->skins.points.count > 0)
        status = add_surface(subject, "the skin", &subject->skins, SKIN, setting, colouring, value,
                             looks, threads, out);
    if (status == PX_OK && subject->foam.points.count > 0 && colouring->column[0] == '\0')
        status = add_foam(&subject->foam.points, setting, out);
    if (status == PX_OK && subject->coats.points.count > 0)
        status = add_surface(subject, "the coat", &subject->coats, COAT, setting, colouring, value,
                             looks, threads, out);
    px_release(NULL, value, 0);
    return status;
}
