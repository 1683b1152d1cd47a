#include "world/cloth_stage.h"

#include "base/stop.h"
#include "cloth/collide.h"
#include "cloth/flight.h"
#include "cloth/gain.h"
#include "cloth/gas.h"
#include "contact/cloth_contact.h"
#include "contact/cloth_edges.h"
#include "world/actors/gauge.h"
#include "world/cloth_bends.h"
#include "world/cloth_bodies.h"
#include "world/cloth_soft.h"
#include "world/sheet_stage.h"
#include "world/wet_stage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the table --------------------------------------------------------------------------- */

enum {
    ID,
    BODY,
    HANDLE,
    PLACE,
    VELOCITY,
    HOLD,
    LAST_PLACE,
    LAST_VELOCITY,
    PAST,
    CONTACT,
    LOAD,
    WATER,
    HANGING,
    LIQUID,
    LIQUIDS,
    PRESS,
    CALM,
    INSET,
    COLUMNS
};
static const struct {
    const char *name, *unit;
    PxType type;
    uint32_t components;
} columns[COLUMNS] = {
    [ID] = {"id", "", PX_U64, 1},
    [BODY] = {"body", "", PX_U32, 1},
    [HANDLE] = {"handle", "", PX_U32, 1},
    [PLACE] = {"position", "m", PX_F64, 3},
    [VELOCITY] = {"velocity", "m/s", PX_F64, 3},
    [HOLD] = {"hold_position", "m", PX_F64, 3},
    [LAST_PLACE] = {"last_position", "m", PX_F64, 3},
    [LAST_VELOCITY] = {"last_velocity", "m/s", PX_F64, 3},
    [PAST] = {"past", "", PX_U32, 1},
    [CONTACT] = {"contact", "", PX_U32, 1},
    [LOAD] = {"load", "N", PX_F64, 1},
    [WATER] = {"water", "kg", PX_F64, 1},
    [HANGING] = {"hanging", "kg", PX_F64, 1},
    [LIQUID] = {"liquid", "", PX_U32, PX_WET_LIQUIDS},
    [LIQUIDS] = {"liquids", "kg", PX_F64, PX_WET_LIQUIDS},
    [PRESS] = {"press", "Pa", PX_F64, 1},
    [CALM] = {"calm", "s", PX_F64, 1},
    [INSET] = {"inset", "m", PX_F64, 1},
};

PxStatus px_cloth_init(PxWorld *world)
{
    PxTable *t = &world->cloth_vertices;
    px_table_init(t, world->memory);
    px_cloth_system_init(&world->cloth_system, world->memory);
    for (int k = 0; k < COLUMNS; ++k)
        PX_TRY(px_table_add(t, columns[k].name, columns[k].unit, columns[k].type,
                            columns[k].components, PX_COLUMN_STATE, NULL));
    return px_cloth_bends_init(world);
}

void px_cloth_free(PxWorld *world)
{
    px_table_free(&world->cloth_vertices);
    px_cloth_bends_free(world);
    px_cloth_system_free(&world->cloth_system);
}

static uint32_t *words(const PxTable *t, int column)
{
    return t->column[column].data[0];
}

static double *numbers(const PxTable *t, int column)
{
    return t->column[column].data[0];
}

static PxVec3 get(const PxTable *t, int column, uint32_t row)
{
    void *const *d = t->column[column].data;
    return px_vec(((double *)d[0])[row], ((double *)d[1])[row], ((double *)d[2])[row]);
}

static void put(const PxTable *t, int column, uint32_t row, PxVec3 v)
{
    void *const *d = t->column[column].data;
    ((double *)d[0])[row] = v.x;
    ((double *)d[1])[row] = v.y;
    ((double *)d[2])[row] = v.z;
}

static const PxCloth *cloth_of(const PxWorld *world, uint32_t slot)
{
    for (size_t k = 0; k < world->cloths.count; ++k)
        if (world->cloths.data[k].body == slot)
            return &world->cloths.data[k];
    return NULL;
}

/* ---- adding and removing ------------------------------------------------------------------- */

static PxStatus refuse_inside(const PxWall *wall, const char *name, const PxVec3 *x, uint32_t count)
{
    uint32_t inside = 0, first = 0;
    PxWall still = *wall;
    px_wall_move(&still, 0, 0);
    for (uint32_t i = 0; i < count; ++i) {
        PxVec3 rest = px_wall_to_rest(&still, 0, x[i]);
        if (px_wall_distance(&still, 0, rest, NULL) < 0) {
            first = inside == 0 ? i : first;
            ++inside;
        }
    }
    if (inside == 0)
        return PX_OK;
    return px_fail(PX_ERR_ARGUMENT,
                   "%u of its %u vertices start inside '%s', the first at (%.3g, %.3g, %.3g) m; "
                   "wanted all outside",
                   inside, count, name, x[first].x, x[first].y, x[first].z);
}

PxStatus px_cloth_check_wall(const PxWorld *world, const PxWall *wall)
{
    const PxTable *t = &world->cloth_vertices;
    PxWall still = *wall;
    px_wall_move(&still, world->state.time, 0);
    for (uint32_t i = 0; i < t->count; ++i) {
        PxVec3 x = get(t, PLACE, i);
        if (px_wall_distance(&still, 0, px_wall_to_rest(&still, 0, x), NULL) < 0)
            return px_fail(PX_ERR_ARGUMENT,
                           "the cloth '%s' has a vertex inside it, at (%.3g, %.3g, %.3g) m",
                           world->bodies.data[words(t, BODY)[i]].name, x.x, x.y, x.z);
    }
    return PX_OK;
}

/* Cloth that starts nearer to a boundary than half its thickness keeps that much less, at first as
 * much as it starts nearer, so that nothing is thrown off; SPEED is that at which it comes out,
 * m/s. NOT_YET: it is found out in the first step. */
#define NOT_YET (-1.0)
#define SPEED 0.02

static PxVec3 middle_of(const PxVec3 *x, uint32_t count)
{
    PxBounds b = px_bounds_empty();
    for (uint32_t k = 0; k < count; ++k)
        px_bounds_add(&b, x[k]);
    return px_scale(px_add(b.low, b.high), 0.5);
}

static PxStatus add_sheet(PxWorld *world, const PxBodyDef *def, uint32_t slot, PxClothSheet *sheet)
{
    PxTable *t = &world->cloth_vertices;
    uint32_t first;
    for (size_t k = 0; k < world->walls.count; ++k) {
        const PxWall *wall = &world->walls.data[k];
        PX_TRY(refuse_inside(wall, world->bodies.data[wall->boundary.body].name, sheet->start,
                             sheet->vertices));
    }
    if (!PX_LIST_RESERVE(&world->cloths, 1))
        return px_fail(PX_ERR_MEMORY, "no room for cloth");
    PX_TRY(px_cloth_bends_add(world, sheet, slot));
    PxStatus status = px_table_append(t, sheet->vertices, &first);
    if (status != PX_OK) {
        px_cloth_bends_drop(world, slot);
        return status;
    }
    PxVec3 middle = middle_of(sheet->start, sheet->vertices);
    for (uint32_t k = 0; k < sheet->vertices; ++k) {
        PxVec3 x = sheet->start[k];
        PxVec3 v = px_add(def->velocity, px_cross(def->spin, px_sub(x, middle)));
        ((uint64_t *)t->column[ID].data[0])[first + k] = px_dist_id(world->bodies_made, k);
        words(t, BODY)[first + k] = slot;
        put(t, PLACE, first + k, x);
        put(t, VELOCITY, first + k, v);
        put(t, LAST_PLACE, first + k, x);
        put(t, LAST_VELOCITY, first + k, v);
        numbers(t, INSET)[first + k] = NOT_YET;
    }
    world->cloths.data[world->cloths.count++] = (PxCloth){.body = slot,
                                                          .material = def->material.slot - 1,
                                                          .number = world->bodies_made,
                                                          .first = first,
                                                          .sheet = sheet};
    px_wet_fill(world, &world->cloths.data[world->cloths.count - 1]);
    world->cloth_stale = true;
    return PX_OK;
}

PxStatus px_cloth_add(PxWorld *world, const PxBodyDef *def, uint32_t slot)
{
    PxMesh *mesh;
    PxClothSheet *sheet = NULL;
    PX_TRY(px_cloth_mesh(&def->shape, &mesh));
    const PxClothDef *cloth = &world->materials.data[def->material.slot - 1].def.cloth;
    PxStatus status = px_cloth_sheet_create(mesh, def->shape.rotation, cloth->rest, &sheet);
    px_mesh_free(mesh);
    if (status == PX_OK && cloth->pressure > 0 && !sheet->closed)
        status = px_fail(PX_ERR_ARGUMENT,
                         "its cloth has a pressure of %g Pa inside, and the mesh is open: %u edges "
                         "have one triangle; wanted a closed mesh, or no pressure",
                         cloth->pressure, sheet->borders);
    if (status == PX_OK)
        status = add_sheet(world, def, slot, sheet);
    if (status != PX_OK)
        px_cloth_sheet_free(sheet);
    return status;
}

void px_cloth_drop(PxWorld *world, uint32_t slot)
{
    size_t kept = 0;
    uint32_t next = 0;
    PxTable *t = &world->cloth_vertices;
    for (size_t k = 0; k < world->cloths.count; ++k) {
        PxCloth cloth = world->cloths.data[k];
        uint32_t count = cloth.sheet->vertices;
        if (cloth.body == slot) {
            px_cloth_sheet_free(cloth.sheet);
            continue;
        }
        for (int c = 0; c < COLUMNS && next != cloth.first; ++c)
            for (uint32_t n = 0; n < t->column[c].components; ++n) {
                size_t size = px_type_size(t->column[c].type);
                char *data = t->column[c].data[n];
                memmove(data + next * size, data + cloth.first * size, count * size);
            }
        cloth.first = next;
        next += count;
        world->cloths.data[kept++] = cloth;
    }
    world->cloths.count = kept;
    px_table_cut(t, next, t->columns);
    px_seams_leave(world, slot);
    px_cloth_bends_drop(world, slot);
    world->cloth_stale = true;
}

void px_cloth_changed(PxWorld *world, size_t slot, const char *key)
{
    const PxCloth *cloth = cloth_of(world, (uint32_t)slot);
    const PxBodyDef *def = &world->bodies.data[slot].def;
    const PxTable *t = &world->cloth_vertices;
    if (cloth == NULL || (strcmp(key, "velocity") != 0 && strcmp(key, "spin") != 0))
        return;
    PxBounds b = px_bounds_empty();
    for (uint32_t k = 0; k < cloth->sheet->vertices; ++k)
        px_bounds_add(&b, get(t, PLACE, cloth->first + k));
    PxVec3 middle = px_scale(px_add(b.low, b.high), 0.5);
    for (uint32_t k = 0; k < cloth->sheet->vertices; ++k) {
        PxVec3 arm = px_sub(get(t, PLACE, cloth->first + k), middle);
        put(t, VELOCITY, cloth->first + k, px_add(def->velocity, px_cross(def->spin, arm)));
    }
    world->state.cloth_before = 0; /* there is no smooth past */
}

/* ---- handles ------------------------------------------------------------------------------- */

void px_cloth_grab(PxWorld *world, uint32_t slot, const PxPose *pose, bool take)
{
    const PxTable *t = &world->cloth_vertices;
    const PxHandle *handle = &world->handles.data[slot];
    const PxWall *with = px_handle_with(world, slot);
    PxWall now;
    if (with != NULL) { /* its moments are those of the step before */
        now = *with;
        px_wall_move(&now, world->state.time, 0);
    }
    for (uint32_t i = 0; i < t->count; ++i) {
        uint32_t *own = &words(t, HANDLE)[i];
        if (!take) {
            if (*own == slot + 1) {
                *own = 0;
                words(t, PAST)[i] = 0;
                put(t, HOLD, i, px_vec(0, 0, 0));
            }
            continue;
        }
        PxVec3 hold = px_pose_to_rest(pose, handle->pivot, get(t, PLACE, i));
        if (*own != 0 || !px_region_holds(&handle->region, words(t, BODY)[i], hold))
            continue;
        *own = slot + 1;
        put(t, HOLD, i, with != NULL ? px_wall_bind(&now, 0, get(t, PLACE, i)) : hold);
    }
}

/* ---- the step ------------------------------------------------------------------------------ */

/* A step of cloth, in scratch. */
typedef struct PxClothRun {
    PxClothStep step;
    PxClothWalls walls;
    PxClothCollision collision;
    PxClothContacts contacts;
    PxVec3 *solved;   /* velocities before collisions */
    PxVec3 *velocity; /* at the end, before what follows the solve */
    PxVec3 *more;     /* that cloth in flight lacks (cloth/flight.h) */
    PxClothFlight flight;
    double bend;  /* energy of bending, J */
    bool moved;   /* places were moved out of boundaries after the solve */
    bool pierced; /* and some could not be */
} PxClothRun;

PxStatus px_cloth_stage_begin(PxWorld *world)
{
    world->cloth_run = NULL;
    world->cloth_soft = NULL;
    if (!world->cloth_stale)
        return PX_OK;
    PX_TRY(px_cloth_system_build(&world->cloth_system, world->cloths.data, world->cloths.count));
    world->cloth_stale = false;
    return PX_OK;
}

static double longest_step(const PxWorld *world)
{
    double limit = INFINITY;
    for (size_t k = 0; k < world->cloths.count; ++k)
        limit = fmin(limit, world->materials.data[world->cloths.data[k].material].def.cloth.step);
    return limit;
}

double px_cloth_stage_limit(const PxWorld *world)
{
    double part = world->state.cloth_part;
    return part > 0 ? part * longest_step(world) : longest_step(world);
}

PxBounds px_cloth_bounds(const PxWorld *world, double *fastest)
{
    const PxTable *t = &world->cloth_vertices;
    PxBounds b = px_bounds_empty();
    *fastest = 0;
    for (uint32_t i = 0; i < t->count; ++i) {
        px_bounds_add(&b, get(t, PLACE, i));
        *fastest = fmax(*fastest, px_length(get(t, VELOCITY, i)));
    }
    return b;
}

/* Positions, velocities and laws of all cloth, in scratch. */
static PxStatus gather(PxWorld *world, PxClothStep *s)
{
    const PxTable *t = &world->cloth_vertices;
    PxClothLaw *law = PX_ARENA_ARRAY(&world->scratch, PxClothLaw, world->cloths.count + 1);
    double *wetness = NULL;
    bool softens = false;
    if (law == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %zu pieces", world->cloths.count);
    for (size_t k = 0; k < world->cloths.count; ++k) {
        const PxMaterial *m = &world->materials.data[world->cloths.data[k].material];
        PX_TRY(px_cloth_law(&m->def, m->name, &law[k]));
        softens = softens || m->def.cloth.wet_stretch < 1 || m->def.cloth.wet_stretch > 1 ||
                  m->def.cloth.wet_bend < 1 || m->def.cloth.wet_bend > 1;
    }
    if (softens)
        PX_TRY(px_wet_saturation(world, &wetness));
    *s = (PxClothStep){.system = &world->cloth_system,
                       .law = law,
                       .threads = &world->threads,
                       .scratch = &world->scratch,
                       .dt = world->dt,
                       .gravity = world->def.gravity,
                       .wetness = wetness,
                       .handle = words(t, HANDLE),
                       .tolerance = world->sheets != NULL ? 1e-6 : 2e-3,
                       .most_iterations = 400,
                       .isa = world->isa};
    PX_TRY(px_cloth_step_begin(s));
    px_cloth_bends_begin(world, s);
    double before = world->state.cloth_before;
    for (uint32_t i = 0; i < t->count; ++i) {
        s->mass[i] += numbers(t, WATER)[i];
        s->x[i] = get(t, PLACE, i);
        s->v[i] = get(t, VELOCITY, i);
        px_cloth_predict(s, i,
                         &(PxClothPast){.x = get(t, LAST_PLACE, i),
                                        .v = get(t, LAST_VELOCITY, i),
                                        .dt = words(t, PAST)[i] != 0 ? before : 0});
        /* the guess: it accelerates as in the last step, so that it has the right momentum */
        s->w[i] = s->u[i];
        if (before > 0) {
            PxVec3 change = px_scale(px_sub(s->v[i], get(t, LAST_VELOCITY, i)), s->dt / before);
            s->w[i] = px_mad(s->u[i], px_mad(change, s->gravity, -s->dt), 1 / s->inertia[i]);
        }
    }
    return PX_OK;
}

/* 1 + the number of a boundary. */
static uint32_t number_of(const PxWorld *world, const PxBoundary *b)
{
    uint32_t k = 0;
    while (k < world->boundaries.count && world->boundaries.data[k] != b)
        ++k;
    return k < world->boundaries.count ? k + 1 : 0;
}

/* Holds vertices at their handles, and lists those in `pin` that move with a body which feels it.
 */
static void hold_vertices(const PxWorld *world, PxClothStep *s, uint32_t *pin, bool *pins)
{
    const PxTable *t = &world->cloth_vertices;
    double end = world->state.time + s->dt;
    *pins = false;
    for (uint32_t i = 0; i < t->count; ++i) {
        uint32_t handle = words(t, HANDLE)[i];
        pin[i] = 0;
        if (handle == 0)
            continue;
        PxVec3 x, v;
        const PxWall *with = px_handle_with(world, handle - 1);
        if (with != NULL)
            x = px_wall_follow(with, 1, get(t, HOLD, i));
        else
            px_handles_target(world, handle - 1, end, get(t, HOLD, i), &x, &v);
        s->target[i] = px_scale(px_sub(x, s->x[i]), 1 / s->dt);
        if (with != NULL && with->boundary.per_mass > 0)
            pin[i] = number_of(world, &with->boundary);
        if (pin[i] == 0)
            s->hold[i] = PX_CLOTH_FIXED;
        *pins = *pins || pin[i] > 0;
    }
}

PxStatus px_cloth_vertices(const PxWorld *world, PxVec3 *x, PxVec3 *v, double *mass, uint8_t *held)
{
    const PxTable *t = &world->cloth_vertices;
    const PxClothSystem *y = &world->cloth_system;
    for (size_t k = 0; k < world->cloths.count; ++k) {
        const PxCloth *cloth = &world->cloths.data[k];
        const PxMaterial *m = &world->materials.data[cloth->material];
        PxClothLaw law;
        PX_TRY(px_cloth_law(&m->def, m->name, &law));
        for (uint32_t i = cloth->first; i < cloth->first + cloth->sheet->vertices; ++i) {
            x[i] = get(t, PLACE, i);
            v[i] = get(t, VELOCITY, i);
            mass[i] = y->share[i] * law.mass + numbers(t, WATER)[i];
            held[i] = words(t, HANDLE)[i] != 0;
        }
    }
    return PX_OK;
}

static PxClothWater water_of(const PxTable *t)
{
    PxClothWater w = {
        .water = numbers(t, WATER), .hanging = numbers(t, HANGING), .press = numbers(t, PRESS)};
    for (int k = 0; k < PX_WET_LIQUIDS; ++k) {
        w.part[k] = t->column[LIQUIDS].data[k];
        w.liquid[k] = t->column[LIQUID].data[k];
    }
    for (int c = 0; c < 3; ++c) {
        w.place[c] = t->column[PLACE].data[c];
        w.velocity[c] = t->column[VELOCITY].data[c];
    }
    return w;
}

PxClothWater px_cloth_water(const PxWorld *world)
{
    return water_of(&world->cloth_vertices);
}

static PxStatus check_finite(const PxWorld *world, const PxClothRun *run)
{
    const PxClothStep *s = &run->step;
    for (uint32_t i = 0; i < s->system->vertices; ++i)
        if (!px_finite(run->walls.at[i]) ||
            !(px_length(s->w[i]) < (double)PX_FASTEST)) /* false for NaN too */
            return px_fail(
                PX_ERR_NUMERIC,
                "cloth '%s': vertex %u moves at %g m/s in step %llu, after %u iterations of the "
                "solve",
                world->bodies.data[words(&world->cloth_vertices, BODY)[i]].name,
                i - world->cloths.data[s->system->of_vertex[i]].first, px_length(s->w[i]),
                (unsigned long long)world->state.step + 1, s->iterations);
    return PX_OK;
}

/* Tolerance of a solve with bodies: what is left of it acts on cloth or body alone. */
#define TOUCHING 1e-5

/* Acceleration of a vertex by force fields, m/s^2. */
static PxVec3 driven(const PxWorld *world, const PxClothStep *s, uint32_t i)
{
    if (s->hold[i] == PX_CLOTH_FIXED)
        return px_vec(0, 0, 0);
    return px_force_fields_at(world, words(&world->cloth_vertices, BODY)[i], s->x[i], s->v[i],
                              s->dt);
}

/* Solves for the velocities of a step, to `tolerance` or to that of the step. */
static PxStatus solve(PxWorld *world, double tolerance, PxClothRun *run)
{
    PX_TRY(px_stop_check(&world->threads));
    PxClothStep *s = &run->step;
    *run = (PxClothRun){.contacts = {0}};
    PX_TRY(gather(world, s));
    s->tolerance = fmax(s->tolerance, tolerance);
    const PxVec3 *last = px_sheet_stage_solved(world);
    s->again = px_sheet_stage_assembled(world);
    if (last != NULL)
        memcpy(s->w, last, s->system->vertices * sizeof *s->w);
    uint32_t *pin = PX_ARENA_ARRAY(&world->scratch, uint32_t, s->system->vertices + 1);
    bool pins;
    if (pin == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for pins");
    hold_vertices(world, s, pin, &pins);
    px_sheet_stage_load(world, s);
    run->walls = (PxClothWalls){.boundary = world->boundaries.data,
                                .boundaries = world->boundaries.count,
                                .pin = pins ? pin : NULL};
    run->walls.state = PX_ARENA_ARRAY(&world->scratch, uint32_t, s->system->vertices + 1);
    run->walls.load = PX_ARENA_ARRAY(&world->scratch, double, s->system->vertices + 1);
    run->solved = PX_ARENA_ARRAY(&world->scratch, PxVec3, s->system->vertices + 1);
    run->velocity = PX_ARENA_ARRAY(&world->scratch, PxVec3, s->system->vertices + 1);
    run->more = PX_ARENA_ARRAY(&world->scratch, PxVec3, s->system->vertices + 1);
    if (run->walls.state == NULL || run->walls.load == NULL || run->solved == NULL ||
        run->velocity == NULL || run->more == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for contacts");
    const PxTable *t = &world->cloth_vertices;
    memcpy(run->walls.state, words(t, CONTACT), t->count * sizeof(uint32_t));
    memcpy(run->walls.load, t->column[LOAD].data[0], t->count * sizeof(double));
    for (uint32_t i = 0; i < t->count; ++i) /* held, or pushed by fluid, or once more */
        if (world->cloth_tries > 0 || s->hold[i] != PX_CLOTH_FREE || pin[i] > 0 ||
            px_length(s->push[i]) > 0)
            px_cloth_restart(s, i);
    for (uint32_t i = 0; i < t->count && px_force_fields_act(world); ++i)
        s->push[i] = px_mad(s->push[i], driven(world, s, i), s->mass[i]);
    for (uint32_t i = 0; i < t->count; ++i)
        if (numbers(t, INSET)[i] < 0)
            px_cloth_walls_inset(&run->walls, s, i);
        else
            s->keep[i] -= numbers(t, INSET)[i];
    PX_TRY(px_cloth_walls_begin(&run->walls, s));
    px_cloth_walls_hold(&run->walls, s);
    s->contacts = &run->contacts;
    PX_TRY(px_seams_begin(world, s));
    PX_TRY(px_cloth_bodies_begin(world, &run->walls, s));
    PX_TRY(px_cloth_soft_begin(world, s));
    PX_TRY(px_cloth_edges_begin(&run->walls, s));
    px_cloth_rigids_stiffen(s);
    if (s->bodies->count > 0)
        s->tolerance = fmin(s->tolerance, TOUCHING);
    PX_TRY(px_cloth_collide_begin(&run->collision, s));
    PX_TRY(px_cloth_gas_begin(s));
    px_cloth_evaluate(s);
    /* turns of pressure and cloth share a matrix, which is that of the start of the step */
    PX_TRY(px_cloth_flight_begin(&run->flight, s, world->sheets == NULL));
    px_cloth_assemble(s);
    px_cloth_contacts_stiffen(s, 0);
    PX_TRY(px_cloth_contact_solve(&run->walls, &run->collision, s));
    memcpy(run->solved, s->w, t->count * sizeof *run->solved);
    return PX_OK;
}

PxStatus px_cloth_stage_guess(PxWorld *world, PxVec3 *w)
{
    PxClothRun run;
    PxArenaMark mark = px_arena_mark(&world->scratch);
    PX_TRY(solve(world, 1e-3, &run));
    memcpy(w, run.solved, run.step.system->vertices * sizeof *w);
    px_sheet_stage_keep(world, w, run.step.tangent == NULL);
    px_arena_release(&world->scratch, mark);
    return PX_OK;
}

PxStatus px_cloth_stage_yields(PxWorld *world, PxYieldMass *mass, PxVec3 *impulse, PxVec3 *u)
{
    PxClothStep s;
    PxArenaMark mark = px_arena_mark(&world->scratch);
    const PxTable *t = &world->cloth_vertices;
    PX_TRY(gather(world, &s));
    for (uint32_t i = 0; i < t->count; ++i)
        px_cloth_restart(&s, i);
    px_cloth_evaluate(&s);
    px_cloth_assemble(&s);
    for (uint32_t i = 0; i < t->count; ++i) {
        uint32_t row = s.system->pattern.row[i];
        const float *m = s.rows.diagonal + 48 * (size_t)(row / 8) + row % 8;
        bool free = words(t, HANDLE)[i] == 0 && words(t, CONTACT)[i] == 0;
        for (int c = 0; c < 6; ++c)
            mass[i].m[c] = free ? (double)m[8 * c] : 0;
        impulse[i] = free ? s.b[i] : px_vec(0, 0, 0);
        u[i] = free ? s.u[i] : s.v[i];
    }
    px_arena_release(&world->scratch, mark);
    px_sheet_stage_keep(world, NULL, true);
    return PX_OK;
}

/* All cloth goes the part of its way that is free of crossings. */
static void stop_short(PxClothRun *run)
{
    PxClothStep *s = &run->step;
    for (uint32_t i = 0; i < s->system->vertices && run->collision.part != NULL; ++i) {
        double part = run->collision.part[s->system->piece[i]];
        run->walls.at[i] = px_mad(s->x[i], px_sub(run->walls.at[i], s->x[i]), part);
        /* what stands still over several steps must not keep its speed, which would drive others */
        s->w[i] = px_scale(px_mad(s->v[i], px_sub(s->w[i], s->v[i]), part), fmin(0.5 + part, 1));
    }
}

/* Factor by which a boundary may be deeper in cloth than it was at the start of the step. */
#define DEEPER 1.05

/* Moves cloth out of boundaries that cut into it. What would then cross cloth goes back to where
 * the solve has left it, which crosses none. */
static PxStatus move_out(PxWorld *world, PxClothRun *run)
{
    PxClothStep *s = &run->step;
    uint32_t n = s->system->vertices, back = 0, more = 0;
    double deepest = 0;
    bool left = false;
    PxVec3 *safe = PX_ARENA_ARRAY(&world->scratch, PxVec3, n + 1);
    if (safe == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for contacts");
    for (uint32_t i = 0; i < n; ++i)
        safe[i] = px_mad(s->x[i], run->solved[i], s->dt);
    PX_TRY(px_cloth_collide_back(&run->collision, run->walls.at, safe, &back));
    memcpy(safe, run->walls.at, n * sizeof *safe);
    PX_TRY(px_cloth_edges_repair(&run->walls, s, &run->moved, &left));
    if (run->moved)
        PX_TRY(px_cloth_collide_back(&run->collision, run->walls.at, safe, &more));
    if (left || more > 0)
        PX_TRY(px_cloth_edges_deepest(&run->walls, &deepest));
    run->pierced = deepest > DEEPER * run->walls.deepest; /* else no shorter step helps */
    if (back + more > 0)
        px_cloth_walls_count(&run->walls, s);
    return px_cloth_collide_stop(&run->collision, run->walls.at);
}

/* ---- steps that are taken again ---------------------------------------------------------------
 */

#define TRIES 4               /* halvings of a step */
#define SHORTEST (1.0 / 1024) /* of the longest step: shorter ones do not mend what is wrong */
#define GAIN 0.005  /* of the energies that take part: a step that gains more went wrong */
#define LONGER 1.25 /* factor from step to step after that */

bool px_cloth_stage_shorten(PxWorld *world)
{
    double part = world->state.cloth_part;
    if (!(world->cloth_again > 0))
        return false;
    part = world->cloth_again / px_cloth_stage_limit(world) * (part > 0 ? part : 1);
    world->state.cloth_part = fmin(part, 1);
    return true;
}

static void lengthen(PxWorld *world)
{
    double part = LONGER * world->state.cloth_part;
    world->state.cloth_part = part < 1 ? part : 0;
}

/* Does a boundary at the cloth move? It goes on where cloth stops short. */
static bool is_followed(const PxClothRun *run)
{
    bool any = false;
    for (size_t k = 0; k < run->walls.boundaries; ++k) {
        const PxBoundary *b = run->walls.boundary[k];
        any = any || (run->walls.close[k] > 0 && b->ops->travel(b) > 0);
    }
    return any;
}

/* Has the step gone wrong? Then a shorter one is better: contacts and forces are linear in it. */
static PxStatus judge(PxWorld *world, PxClothRun *run)
{
    const PxClothStep *s = &run->step;
    PxClothGain gain = {0};
    bool kink = false;
    if (world->cloth_tries >= TRIES ||
        !(0.5 * s->dt >= fmax(world->def.min_step, SHORTEST * longest_step(world))))
        return PX_OK;
    bool wrong = run->pierced || run->walls.crossed > run->walls.cut ||
                 (run->collision.part != NULL && is_followed(run)) ||
                 (!s->converged && s->bodies->count > 0) || run->flight.over > 0.001;
    for (uint32_t i = 0; i < s->system->vertices; ++i)
        kink = kink || (px_cloth_has_past(s, i) && run->contacts.count > 0);
    if (!wrong && (s->hard || run->moved || kink)) {
        PxVec3 *v = PX_ARENA_ARRAY(&world->scratch, PxVec3, s->system->vertices + 1);
        if (v == NULL)
            return px_fail(PX_ERR_MEMORY, "cloth: no room for velocities");
        for (uint32_t i = 0; i < s->system->vertices; ++i)
            v[i] = px_add(run->velocity[i], run->more[i]);
        PX_TRY(px_cloth_gain(s, run->walls.at, v, px_cloth_walls_work(&run->walls, s), &gain));
        wrong = gain.gained > GAIN * gain.whole + run->bend;
    }
    if (!wrong)
        return PX_OK;
    /* a blow makes the past of BDF2 wrong: implicit Euler alone may be enough */
    bool past = kink && !s->hard && !run->moved && world->cloth_tries == 0;
    world->cloth_again = past ? s->dt : 0.5 * s->dt;
    return px_fail(PX_ERR_NUMERIC, "cloth: the step is taken again");
}

PxStatus px_cloth_stage_move(PxWorld *world, const PxFluid *fluid)
{
    if (world->cloth_vertices.count == 0)
        return PX_OK;
    PxClothRun *run = PX_ARENA_ARRAY(&world->scratch, PxClothRun, 1);
    if (run == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room");
    PX_TRY(solve(world, 0, run));
    PxClothStep *s = &run->step;
    for (uint32_t i = 0; i < s->system->vertices; ++i)
        run->walls.at[i] = px_mad(s->x[i], s->w[i], s->dt);
    px_cloth_bodies_return(world, &run->walls, s);
    PX_TRY(px_cloth_soft_return(world, s));
    px_cloth_edges_end(&run->walls, s);
    px_cloth_walls_end(&run->walls, s);
    PX_TRY(move_out(world, run));
    stop_short(run);
    for (uint32_t i = 0; i < s->system->vertices; ++i)
        run->velocity[i] = px_cloth_velocity(s, i, run->solved[i]);
    PX_TRY(check_finite(world, run));
    run->bend = px_cloth_bend_energy(s);
    PX_TRY(px_cloth_flight_end(&run->flight, s, run->walls.at, run->velocity, run->more));
    PX_TRY(judge(world, run));
    PX_TRY(px_sheet_stage_return(world, fluid, s));
    world->cloth_run = run;
    return PX_OK;
}

PxStatus px_cloth_stage_catch(PxWorld *world)
{
    PxClothRun *run = world->cloth_run;
    if (run == NULL)
        return PX_OK;
    PX_TRY(px_cloth_soft_catch(world, &run->step, run->walls.at));
    return px_sheet_stage_catch(world, &run->step, run->walls.at);
}

/* An impulse of a collision counts as if the vertex had always had that velocity: the sum of all
 * momenta stays, and there is no kink in its past. Walls and handles end the past. */
static void commit_motion(const PxTable *t, const PxClothRun *run, uint32_t i)
{
    const PxClothStep *s = &run->step;
    PxVec3 pushed = px_sub(s->w[i], run->solved[i]), at = run->walls.at[i];
    PxVec3 straight = px_mad(s->x[i], s->w[i], s->dt);
    bool kept = s->hold[i] == PX_CLOTH_FREE && words(t, HANDLE)[i] == 0 &&
                run->walls.state[i] == 0 && !s->in_contact[i] &&
                px_length(px_sub(straight, at)) == 0 &&
                (s->spun == NULL || !(px_length(s->spun[i]) > 0));
    put(t, LAST_PLACE, i, s->x[i]);
    put(t, LAST_VELOCITY, i, px_add(px_add(s->v[i], pushed), run->more[i]));
    put(t, PLACE, i, at);
    put(t, VELOCITY, i, px_add(px_cloth_velocity(s, i, run->solved[i]), run->more[i]));
    words(t, PAST)[i] = kept;
}

/* Time in which the pressure on the pores follows that of contacts, s: liquid needs it to get out,
 * and impulses of single steps jump. */
#define PRESSED 0.05

/* Contacts of both sides press on a layer; its pores feel their mean. */
static void commit_press(const PxWorld *world, const PxClothRun *run)
{
    const PxClothStep *s = &run->step;
    double *press = numbers(&world->cloth_vertices, PRESS), part = fmin(s->dt / PRESSED, 1);
    for (uint32_t i = 0; i < s->system->vertices; ++i) {
        double wall = 0.5 * run->walls.load[i] / s->system->share[i];
        press[i] += part * (wall - press[i]);
    }
    for (uint32_t k = 0; k < run->contacts.count; ++k) {
        const PxClothContact *c = &run->contacts.contact[k];
        if (c->kind == PX_CLOTH_TIE || c->kind == PX_CLOTH_SEAM || c->kind == PX_CLOTH_UNTANGLE)
            continue;
        double push = fmax(px_dot(px_cloth_contact_impulse(s, c), c->normal), 0) / s->dt;
        for (int n = 0; n < px_cloth_contact_corners(c); ++n) {
            uint32_t i = c->vertex[n];
            press[i] += part * 0.5 * push * fabs(c->weight[n]) / s->system->share[i];
        }
    }
}

/* What the cloth exerts on its handles. */
static void commit_pulls(PxWorld *world, const PxClothRun *run)
{
    const PxClothStep *s = &run->step;
    const uint32_t *handle = words(&world->cloth_vertices, HANDLE), *pin = run->walls.pin;
    for (uint32_t i = 0; i < s->system->vertices; ++i)
        if (handle[i] != 0 && (pin == NULL || pin[i] == 0))
            px_gauges_pull(world, handle[i] - 1, run->walls.at[i], px_scale(s->r[i], 1 / s->dt));
    for (uint32_t k = 0; k < run->contacts.count && pin != NULL; ++k) {
        const PxClothContact *c = &run->contacts.contact[k];
        uint32_t i = c->vertex[0];
        if (c->kind == PX_CLOTH_SEAM && c->body > 0)
            px_gauges_pull(world, handle[i] - 1, run->walls.at[i],
                           px_scale(px_cloth_contact_impulse(s, c), -1 / s->dt));
    }
}

void px_cloth_stage_commit(PxWorld *world)
{
    const PxClothRun *run = world->cloth_run;
    const PxTable *t = &world->cloth_vertices;
    world->cloth_run = NULL;
    world->cloth_work = 0;
    if (run == NULL)
        return;
    for (uint32_t i = 0; i < t->count && px_force_fields_act(world); ++i)
        world->cloth_work += run->step.mass[i] * px_dot(driven(world, &run->step, i),
                                                        px_sub(run->walls.at[i], run->step.x[i]));
    for (uint32_t i = 0; i < t->count; ++i) {
        commit_motion(t, run, i);
        words(t, CONTACT)[i] = run->walls.state[i];
        double whole = 0.5 * run->step.law[run->step.system->of_vertex[i]].thickness;
        numbers(t, INSET)[i] = fmax(whole - run->step.keep[i] - SPEED * run->step.dt, 0);
        ((double *)t->column[LOAD].data[0])[i] = run->walls.load[i];
    }
    commit_pulls(world, run);
    if (px_wet_is_on(world))
        commit_press(world, run);
    px_cloth_bends_commit(world, &run->step);
    px_seams_commit(world, &run->step);
    px_cloth_soft_commit(world);
    world->state.cloth_before = run->step.dt;
    lengthen(world);
    world->state.cloth_crossed += run->walls.crossed + run->collision.crossed;
    world->state.not_converged += !run->step.converged;
    world->cloth_iterations = run->step.iterations;
    world->cloth_contacts = (uint32_t)run->walls.touching;
}

/* ---- saving ---------------------------------------------------------------------------------- */

PxStatus px_cloth_check_stored(const PxWorld *world, const PxWorldState *state,
                               const PxTable *stored)
{
    const PxTable *own = &world->cloth_vertices;
    uint32_t row;
    if (stored->count != own->count)
        return px_fail(PX_ERR_FORMAT, "%u vertices of cloth are stored, and the scene has %u",
                       stored->count, own->count);
    const PxColumn *bad = px_table_unfinite(stored, &row);
    if (bad != NULL)
        return px_fail(PX_ERR_FORMAT, "the %s of stored vertex %u of cloth is not finite",
                       bad->name, row);
    for (uint32_t i = 0; i < stored->count; ++i)
        if (words(stored, BODY)[i] != words(own, BODY)[i] ||
            words(stored, HANDLE)[i] > world->handles.count || words(stored, CONTACT)[i] > 3 ||
            words(stored, PAST)[i] > 1 || !(numbers(stored, INSET)[i] >= NOT_YET))
            return px_fail(PX_ERR_FORMAT,
                           "stored vertex %u of cloth has a body or handle that the scene does not "
                           "have",
                           i);
    const PxClothWater water = water_of(stored);
    return px_wet_check_stored(world, state, &water, stored->count);
}

PxStatus px_cloth_look(PxWorld *world, PxClothStep *s)
{
    if (world->cloth_stale)
        PX_TRY(px_cloth_stage_begin(world));
    PX_TRY(gather(world, s));
    px_cloth_evaluate(s);
    return PX_OK;
}

static PxStatus frame_vertices(PxWorld *world, PxTable *out)
{
    double *wet;
    const PxTable *t = &world->cloth_vertices;
    static const int shown[] = {ID, BODY, PLACE, VELOCITY, WATER};
    for (size_t k = 0; k < PX_COUNT(shown); ++k)
        PX_TRY(px_table_add(out, columns[shown[k]].name, columns[shown[k]].unit,
                            columns[shown[k]].type, columns[shown[k]].components, PX_COLUMN_FRAME,
                            NULL));
    PX_TRY(px_table_add(out, "saturation", "", PX_F32, 1, PX_COLUMN_FRAME, NULL));
    PX_TRY(px_wet_frame_columns(world, out));
    PX_TRY(px_table_append_rows(out, t));
    PX_TRY(px_wet_saturation(world, &wet));
    float *saturation = px_table_find(out, "saturation")->data[0];
    for (uint32_t i = 0; i < out->count; ++i)
        saturation[i] = wet != NULL ? (float)wet[i] : 0;
    px_wet_frame_fill(world, out);
    return PX_OK;
}

static PxStatus frame_faces(const PxWorld *world, const PxClothStep *s, PxTable *out)
{
    const PxClothSystem *y = s->system;
    PxArenaMark mark = px_arena_mark(s->scratch);
    double *energy = PX_ARENA_ARRAY(s->scratch, double, y->faces + 1);
    float *angle = PX_ARENA_ARRAY(s->scratch, float, y->faces + 1);
    PX_TRY(px_table_add(out, "body", "", PX_U32, 1, PX_COLUMN_FRAME, NULL));
    PX_TRY(px_table_add(out, "corner", "", PX_U32, 3, PX_COLUMN_FRAME, NULL));
    PX_TRY(px_table_add(out, "strain", "", PX_F32, 3, PX_COLUMN_FRAME, NULL));
    PX_TRY(px_table_add(out, "energy", "J", PX_F32, 1, PX_COLUMN_FRAME, NULL));
    PX_TRY(px_table_add(out, "bend", "rad", PX_F32, 1, PX_COLUMN_FRAME, NULL));
    PX_TRY(px_table_append(out, y->faces, NULL));
    if (energy == NULL || angle == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u triangles", y->faces);
    for (uint32_t f = 0; f < y->faces; ++f) {
        energy[f] = s->face[f].energy;
        angle[f] = 0;
    }
    for (uint32_t h = 0; h < y->hinges; ++h) {
        const uint32_t *c = y->hinge[h].corner;
        const PxVec3 x[4] = {s->x[c[0]], s->x[c[1]], s->x[c[2]], s->x[c[3]]};
        double rest = y->hinge[h].angle + s->rest[y->edge_of_hinge[h]];
        float own = fabsf((float)(px_cloth_angle(x) - rest));
        for (int k = 0; k < 2; ++k) {
            uint32_t f = y->hinge[h].face[k];
            energy[f] += 0.5 * s->hinge[h].energy;
            angle[f] = own > angle[f] ? own : angle[f];
        }
    }
    for (uint32_t f = 0; f < y->faces; ++f) {
        ((uint32_t *)out->column[0].data[0])[f] = world->cloths.data[y->of_face[f]].body;
        for (int k = 0; k < 3; ++k) {
            ((uint32_t *)out->column[1].data[k])[f] = y->face[f].corner[k];
            ((float *)out->column[2].data[k])[f] = (float)s->face[f].strain[k];
        }
        ((float *)out->column[3].data[0])[f] = (float)energy[f];
        ((float *)out->column[4].data[0])[f] = angle[f];
    }
    px_arena_release(s->scratch, mark);
    return PX_OK;
}

PxStatus px_cloth_frame(PxWorld *world, PxTable *vertices, PxTable *faces)
{
    if (world->cloth_vertices.count == 0)
        return PX_OK;
    PxClothStep s;
    PxArenaMark mark = px_arena_mark(&world->scratch);
    PxStatus status = px_cloth_look(world, &s);
    if (status == PX_OK)
        status = frame_vertices(world, vertices);
    if (status == PX_OK)
        status = frame_faces(world, &s, faces);
    px_arena_release(&world->scratch, mark);
    return status;
}

size_t px_cloth_count(const PxWorld *world)
{
    return world->cloths.count;
}

void px_cloth_surface_free(PxClothSurface *s)
{
    free(s->position);
    free(s->normal);
    for (int k = 0; k < 3; ++k)
        free(s->velocity[k]);
    free(s->uv[0]);
    free(s->uv[1]);
    free(s->triangle);
    *s = (PxClothSurface){0};
}

static void fill_surface(const PxWorld *world, const PxCloth *cloth, PxVec3 *normal,
                         PxClothSurface *out)
{
    const PxTable *t = &world->cloth_vertices;
    const PxClothSheet *sheet = cloth->sheet;
    for (uint32_t f = 0; f < sheet->faces; ++f) {
        const uint32_t *c = sheet->face[f].corner;
        PxVec3 a = get(t, PLACE, cloth->first + c[0]);
        PxVec3 n = px_cross(px_sub(get(t, PLACE, cloth->first + c[1]), a),
                            px_sub(get(t, PLACE, cloth->first + c[2]), a));
        for (int k = 0; k < 3; ++k) {
            normal[c[k]] = px_add(normal[c[k]], n);
            out->triangle[f][k] = c[k];
        }
    }
    for (uint32_t i = 0; i < sheet->vertices; ++i) {
        PxVec3 x = get(t, PLACE, cloth->first + i), v = get(t, VELOCITY, cloth->first + i);
        PxVec3 n = px_normalized(normal[i], px_vec(0, 1, 0));
        const double at[3] = {x.x, x.y, x.z}, up[3] = {n.x, n.y, n.z}, way[3] = {v.x, v.y, v.z};
        for (int k = 0; k < 3; ++k) {
            out->position[i][k] = (float)at[k];
            out->normal[i][k] = (float)up[k];
            out->velocity[k][i] = (float)way[k];
        }
        for (int k = 0; k < 2; ++k)
            out->uv[k][i] = sheet->uv != NULL ? (float)sheet->uv[i][k] : 0;
    }
}

PxStatus px_cloth_surface(const PxWorld *world, size_t k, PxClothSurface *out)
{
    const PxCloth *cloth = &world->cloths.data[k];
    size_t n = (size_t)cloth->sheet->vertices + 1, faces = (size_t)cloth->sheet->faces + 1;
    *out = (PxClothSurface){.body = cloth->body,
                            .material = cloth->material,
                            .vertices = cloth->sheet->vertices,
                            .triangles = cloth->sheet->faces,
                            .position = malloc(n * sizeof *out->position),
                            .normal = malloc(n * sizeof *out->normal),
                            .triangle = malloc(faces * sizeof *out->triangle)};
    PxVec3 *normal = calloc(n, sizeof *normal);
    bool room =
        out->position != NULL && out->normal != NULL && out->triangle != NULL && normal != NULL;
    for (int c = 0; c < 3; ++c)
        room = (out->velocity[c] = malloc(n * sizeof(float))) != NULL && room;
    for (int c = 0; c < 2; ++c)
        room = (out->uv[c] = malloc(n * sizeof(float))) != NULL && room;
    if (room)
        fill_surface(world, cloth, normal, out);
    free(normal);
    if (room)
        return PX_OK;
    px_cloth_surface_free(out);
    return px_fail(PX_ERR_MEMORY, "cloth: no room for a surface of %zu vertices", n);
}

#define ALL UINT32_MAX

/* Of the cloth of one body, or of all. */
static PxStatus add_up(PxWorld *world, uint32_t body, PxClothTotals *out)
{
    const PxTable *t = &world->cloth_vertices;
    *out = (PxClothTotals){0};
    if (t->count == 0)
        return PX_OK;
    PxClothStep s;
    PxArenaMark mark = px_arena_mark(&world->scratch);
    PX_TRY(px_cloth_look(world, &s));
    const PxClothSystem *y = s.system;
    for (uint32_t i = 0; i < y->vertices; ++i) {
        double m = s.mass[i], v = px_length(s.v[i]);
        if (body != ALL && words(t, BODY)[i] != body)
            continue;
        out->mass += m;
        out->kinetic += 0.5 * m * v * v;
        out->potential -= m * px_dot(s.gravity, s.x[i]);
        out->momentum = px_mad(out->momentum, s.v[i], m);
        out->angular = px_mad(out->angular, px_cross(s.x[i], s.v[i]), m);
        out->moment = px_mad(out->moment, s.x[i], m);
        out->speed = fmax(out->speed, v);
    }
    for (uint32_t f = 0; f < y->faces; ++f) {
        if (body != ALL && words(t, BODY)[y->face[f].corner[0]] != body)
            continue;
        out->elastic += s.face[f].energy;
        out->strain = fmax(out->strain, fmax(s.face[f].strain[0], s.face[f].strain[1]));
    }
    for (uint32_t h = 0; h < y->hinges; ++h)
        if (body == ALL || words(t, BODY)[y->hinge[h].corner[0]] == body)
            out->elastic += s.hinge[h].energy;
    for (uint32_t k = 0; k < y->cloths; ++k)
        if (body == ALL || words(t, BODY)[world->cloths.data[k].first] == body)
            out->elastic += px_cloth_gas_energy(y, s.law, k, s.x);
    if (body == ALL)
        out->elastic += px_seams_energy(world, &s);
    px_arena_release(&world->scratch, mark);
    return PX_OK;
}

PxStatus px_cloth_totals(PxWorld *world, PxClothTotals *out)
{
    return add_up(world, ALL, out);
}

PxStatus px_cloth_totals_of(PxWorld *world, uint32_t body, PxClothTotals *out)
{
    return add_up(world, body, out);
}
