#include "world/wet_stage.h"

#include "world/cloth_stage.h"
#include "world/sheet_stage.h"
#include "world/wet_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool px_wet_is_on(const PxWorld *world)
{
    for (size_t k = 0; k < world->cloths.count; ++k)
        if (world->materials.data[world->cloths.data[k].material].def.cloth.pores > 0)
            return true;
    return false;
}

double px_wet_total(const PxWorld *world)
{
    double sum = 0;
    PxClothWater w = px_cloth_water(world);
    for (uint32_t i = 0; i < world->cloth_vertices.count; ++i)
        sum += w.water[i];
    return sum;
}

/* ---- liquids -------------------------------------------------------------------------------- */

/* Amounts are written as masses of a liquid of this density, kg/m^3. */
#define REFERENCE 1000.0

/* Is a body of that material, or an emitter of it, a liquid? */
static bool is_liquid(const PxWorld *world, uint32_t material)
{
    const PxMaterial *m = &world->materials.data[material];
    return m->live && !m->def.cloth.cloth && !(m->def.young > 0);
}

/* 1 + slot of the material of each liquid of cloth. */
static void get_slots(const PxWorldState *state, uint64_t slot[PX_WET_LIQUIDS])
{
    const uint64_t own[PX_WET_LIQUIDS] = {state->wet_1, state->wet_2, state->wet_3, state->wet_4};
    memcpy(slot, own, sizeof own);
}

static void put_slots(PxWorldState *state, const uint64_t slot[PX_WET_LIQUIDS])
{
    state->wet_1 = slot[0];
    state->wet_2 = slot[1];
    state->wet_3 = slot[2];
    state->wet_4 = slot[3];
}

/* 1 + slot of the material of the particles of a body; 0: it has none. */
static uint32_t matter_of(const PxWorld *world, const PxBody *body)
{
    if (!body->live)
        return 0;
    if (body->emitter > 0)
        return world->emitters.data[body->emitter - 1].def.material.slot;
    return px_body_is_boundary(&body->def) ? 0 : body->def.material.slot;
}

/* 1 + the first body of a material, or of any liquid if it is 0; 0: none. */
static uint32_t body_of(const PxWorld *world, uint32_t material)
{
    for (uint32_t k = 0; k < world->bodies.count; ++k) {
        uint32_t own = matter_of(world, &world->bodies.data[k]);
        if (own != 0 && (material != 0 ? own == material : is_liquid(world, own - 1)))
            return 1 + k;
    }
    return 0;
}

static void set_liquid(const PxWorld *world, PxWetRun *run, int k, uint32_t material)
{
    run->liquid[k] = (PxWetLiquid){.material = material, .ratio = 1, .viscosity = 1e-5};
    if (material == 0)
        return;
    const PxMaterialDef *def = &world->materials.data[material - 1].def;
    run->liquid[k].ratio = REFERENCE / def->density;
    run->liquid[k].viscosity = fmax(def->viscosity, 1e-5);
    run->liquid[k].body = body_of(world, material);
}

/* The liquids of cloth as they are stored. */
static void list_liquids(const PxWorld *world, const PxWorldState *state, PxWetRun *run)
{
    uint64_t slot[PX_WET_LIQUIDS];
    get_slots(state, slot);
    run->density = REFERENCE;
    run->liquids = 1;
    for (int k = 0; k < PX_WET_LIQUIDS; ++k) {
        set_liquid(world, run, k, (uint32_t)slot[k]);
        run->liquids = slot[k] != 0 ? k + 1 : run->liquids;
    }
}

int px_wet_liquid(const PxWetRun *run, uint32_t material)
{
    for (int k = 0; k < PX_WET_LIQUIDS; ++k)
        if (run->liquid[k].material == material + 1)
            return k;
    return -1;
}

int px_wet_meet(const PxWorld *world, PxWetRun *run, uint32_t material)
{
    int k = px_wet_liquid(run, material);
    for (int n = 0; n < PX_WET_LIQUIDS && k < 0; ++n)
        if (run->liquid[n].material == 0) {
            set_liquid(world, run, n, material + 1);
            run->liquids = n + 1 > run->liquids ? n + 1 : run->liquids;
            k = n;
        }
    return k;
}

/* Stores which materials the liquids of cloth are. */
static void keep_liquids(PxWorld *world, const PxWetRun *run)
{
    uint64_t slot[PX_WET_LIQUIDS];
    for (int k = 0; k < PX_WET_LIQUIDS; ++k)
        slot[k] = run->liquid[k].material;
    put_slots(&world->state, slot);
}

double px_wet_of(const PxWorld *world, uint32_t material)
{
    uint64_t slot[PX_WET_LIQUIDS];
    double sum = 0;
    PxClothWater w = px_cloth_water(world);
    get_slots(&world->state, slot);
    for (int k = 0; k < PX_WET_LIQUIDS; ++k)
        for (uint32_t i = 0; slot[k] == material + 1 && i < world->cloth_vertices.count; ++i)
            sum += w.part[k][i];
    return sum;
}

void px_wet_forget(PxWorld *world, uint32_t material)
{
    uint64_t slot[PX_WET_LIQUIDS];
    get_slots(&world->state, slot);
    for (int k = 0; k < PX_WET_LIQUIDS; ++k)
        slot[k] = slot[k] == material + 1 ? 0 : slot[k];
    put_slots(&world->state, slot);
}

/* ---- frames and checkpoints ----------------------------------------------------------------- */

static void name_of(char name[32], uint64_t slot)
{
    snprintf(name, 32, "liquid_%llu", (unsigned long long)(slot - 1));
}

PxStatus px_wet_frame_columns(const PxWorld *world, PxTable *out)
{
    uint64_t slot[PX_WET_LIQUIDS];
    char name[32];
    get_slots(&world->state, slot);
    for (int k = 0; k < PX_WET_LIQUIDS; ++k) {
        if (slot[k] == 0)
            continue;
        name_of(name, slot[k]);
        PX_TRY(px_table_add(out, name, "kg", PX_F64, 1, PX_COLUMN_FRAME, NULL));
    }
    return PX_OK;
}

void px_wet_frame_fill(const PxWorld *world, PxTable *out)
{
    uint64_t slot[PX_WET_LIQUIDS];
    char name[32];
    PxClothWater w = px_cloth_water(world);
    get_slots(&world->state, slot);
    for (int k = 0; k < PX_WET_LIQUIDS; ++k) {
        if (slot[k] == 0)
            continue;
        name_of(name, slot[k]);
        memcpy(px_table_find(out, name)->data[0], w.part[k], out->count * sizeof(double));
    }
}

PxStatus px_wet_check_stored(const PxWorld *world, const PxWorldState *state, const PxClothWater *w,
                             uint32_t count)
{
    PxWetRun run = {0};
    uint64_t slot[PX_WET_LIQUIDS];
    get_slots(state, slot);
    for (int k = 0; k < PX_WET_LIQUIDS; ++k)
        if (slot[k] > world->materials.count ||
            (slot[k] > 0 && world->materials.data[slot[k] - 1].def.cloth.cloth))
            return px_fail(PX_ERR_FORMAT,
                           "a liquid in cloth is stored as material %llu, and the scene has %zu",
                           (unsigned long long)slot[k], world->materials.count);
    list_liquids(world, state, &run);
    for (uint32_t i = 0; i < count; ++i) {
        double sum = 0;
        bool good = w->hanging[i] >= 0 && w->press[i] >= 0 &&
                    w->hanging[i] <= px_wet_all(&run, w, i) * (1 + 1e-9);
        for (int k = 0; k < PX_WET_LIQUIDS; ++k) {
            good = good && w->part[k][i] >= 0 && w->liquid[k][i] <= world->bodies.count &&
                   (k < run.liquids || !(w->part[k][i] > 0));
            sum += w->part[k][i];
        }
        if (!good || !(fabs(sum - w->water[i]) <= 1e-9 * w->water[i]))
            return px_fail(PX_ERR_FORMAT,
                           "stored vertex %u of cloth has amounts of liquid that do not fit", i);
    }
    return PX_OK;
}

/* ---- pores ---------------------------------------------------------------------------------- */

/* Pressed as much as it may be, cloth keeps this part of its pores. */
#define LEAST_OPEN 0.05

/* Liquid that a vertex holds when it is saturated, kg. */
static double room_of(const PxWorld *world, const PxClothWater *w, uint32_t vertex, double density)
{
    const PxClothDef *d = px_wet_def(world, vertex);
    double open = d->squeeze > 0 ? fmax(1 / (1 + w->press[vertex] / d->squeeze), LEAST_OPEN) : 1;
    return world->cloth_system.share[vertex] * d->pores * open * d->thickness * density;
}

PxStatus px_wet_saturation(PxWorld *world, double **out)
{
    uint32_t n = world->cloth_system.vertices;
    PxClothWater w = px_cloth_water(world);
    PxWetRun run = {0};
    *out = NULL;
    if (!px_wet_is_on(world))
        return PX_OK;
    *out = PX_ARENA_ARRAY(&world->scratch, double, n + 1);
    if (*out == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for the wetness of %u vertices", n);
    list_liquids(world, &world->state, &run);
    for (uint32_t i = 0; i < n; ++i) {
        double room = room_of(world, &w, i, run.density);
        (*out)[i] = room > 0 ? fmin(px_wet_own(&run, &w, i) / room, 1) : 0;
    }
    return PX_OK;
}

void px_wet_fill(PxWorld *world, const PxCloth *cloth)
{
    const PxClothDef *d = &world->materials.data[cloth->material].def.cloth;
    PxClothWater w = px_cloth_water(world);
    PxWetRun run = {0};
    if (!(d->wet * d->pores > 0))
        return;
    list_liquids(world, &world->state, &run);
    uint32_t body = body_of(world, 0);
    int k = body != 0
                ? px_wet_meet(world, &run, matter_of(world, &world->bodies.data[body - 1]) - 1)
                : 0;
    if (k < 0) /* it holds four others */
        return;
    double per_area = d->wet * d->pores * d->thickness * REFERENCE / run.liquid[k].ratio;
    for (uint32_t f = 0; f < cloth->sheet->faces; ++f)
        for (int c = 0; c < 3; ++c) {
            uint32_t i = cloth->first + cloth->sheet->face[f].corner[c];
            w.part[k][i] += per_area * cloth->sheet->face[f].area / 3;
            px_wet_sum(&run, &w, i);
        }
    keep_liquids(world, &run);
}

void px_wet_first(PxWorld *world, uint32_t material)
{
    PxClothWater w = px_cloth_water(world);
    PxWetRun run = {0};
    if (world->state.wet_1 != 0 || world->state.step > 0 || !is_liquid(world, material) ||
        !(px_wet_total(world) > 0))
        return;
    list_liquids(world, &world->state, &run);
    set_liquid(world, &run, 0, material + 1);
    for (uint32_t i = 0; i < world->cloth_vertices.count; ++i) {
        w.part[0][i] /= run.liquid[0].ratio;
        px_wet_sum(&run, &w, i);
    }
    keep_liquids(world, &run);
}

/* ---- the step ------------------------------------------------------------------------------- */

static bool take_room(PxArena *scratch, PxWetRun *run, uint32_t n)
{
    double **const number[] = {&run->room,   &run->gets,   &run->passes,
                               &run->before, &run->spread, &run->inflow};
    bool good = true;
    for (size_t k = 0; k < PX_COUNT(number); ++k)
        good = (*number[k] = PX_ARENA_ARRAY(scratch, double, n + 1)) != NULL && good;
    for (int k = 0; k < PX_WET_LIQUIDS; ++k) {
        run->flow[k] = PX_ARENA_ARRAY(scratch, double, n + 1);
        run->got[k] = PX_ARENA_ARRAY(scratch, double, n + 1);
        run->from[k] = PX_ARENA_ARRAY(scratch, uint32_t, n + 1);
        good = good && run->flow[k] != NULL && run->got[k] != NULL && run->from[k] != NULL;
    }
    run->momentum = PX_ARENA_ARRAY(scratch, PxVec3, n + 1);
    run->pressed = PX_ARENA_ARRAY(scratch, PxVec3, n + 1);
    run->hangs = PX_ARENA_ARRAY(scratch, PxWetHang, n + 1);
    run->lowest = PX_ARENA_ARRAY(scratch, uint8_t, n + 1);
    return good && run->momentum != NULL && run->pressed != NULL && run->hangs != NULL &&
           run->lowest != NULL;
}

PxStatus px_wet_stage_begin(PxWorld *world)
{
    uint32_t n = world->cloth_system.vertices;
    world->wet_run = NULL;
    if (n == 0 || world->cloth_vertices.count == 0 || !px_wet_is_on(world))
        return PX_OK;
    PxWetRun *run = PX_ARENA_ARRAY(&world->scratch, PxWetRun, 1);
    if (run != NULL)
        memset(run, 0, sizeof *run);
    if (run == NULL || !take_room(&world->scratch, run, n))
        return px_fail(PX_ERR_MEMORY, "cloth: no room for liquid in %u vertices", n);
    list_liquids(world, &world->state, run);
    for (int k = 0; k < PX_WET_LIQUIDS; ++k)
        memset(run->from[k], 0, n * sizeof *run->from[k]);
    memset(run->pressed, 0, n * sizeof *run->pressed);
    PxClothWater w = px_cloth_water(world);
    for (uint32_t i = 0; i < n; ++i)
        run->room[i] = room_of(world, &w, i, run->density);
    memcpy(run->before, w.water, n * sizeof *run->before);
    world->wet_run = run;
    return PX_OK;
}

PxStatus px_wet_stage_plan(PxWorld *world)
{
    const PxSheets *s = px_sheet_stage_sheets(world);
    if (world->wet_run == NULL || s == NULL || s->touches == 0)
        return PX_OK;
    return px_wet_take_plan(world, s, world->wet_run);
}

/* ---- spreading ----------------------------------------------------------------------------------
 */

/* Weight of the edge between corners a and b in a triangle at rest: that of linear elements, not
 * below 0 (obtuse triangles), so that saturation has no new extremes. */
static double weight_of(const PxClothFace *f, int a, int b)
{
    double g[3][2];
    px_cloth_gradients(f, g);
    return fmax(-f->area * (g[a][0] * g[b][0] + g[a][1] * g[b][1]), 0);
}

/* What flows from corner k of a triangle to the next one in dt, as kg of 1000 kg/m^3. */
static double flow_along(const PxWorld *world, const PxClothWater *w, uint32_t f, int k, double dt,
                         PxVec3 up)
{
    const PxClothSystem *y = &world->cloth_system;
    const PxWetRun *run = world->wet_run;
    uint32_t i = y->face[f].corner[k], j = y->face[f].corner[(k + 1) % 3];
    if (!(run->room[i] > 0) || !(run->room[j] > 0))
        return 0;
    double own = px_wet_own(run, w, i), other = px_wet_own(run, w, j);
    if (own == 0 && other == 0)
        return 0;
    const PxClothDef *d = px_wet_def(world, i);
    double si = own / run->room[i], sj = other / run->room[j];
    double rise = up.x * (w->place[0][i] - w->place[0][j]) +
                  up.y * (w->place[1][i] - w->place[1][j]) +
                  up.z * (w->place[2][i] - w->place[2][j]);
    double drive = si - sj + (rise > 0 ? si : sj) * rise / d->rise;
    double per_area = fmin(run->room[i] / y->share[i], run->room[j] / y->share[j]);
    return dt * d->diffusion * per_area * weight_of(&y->face[f], k, (k + 1) % 3) * drive;
}

/* Where liquid `k` of vertex `to` comes from, if it had none. */
static void hand_body(const PxClothWater *w, int k, uint32_t to, uint32_t from)
{
    if (w->liquid[k][to] == 0)
        w->liquid[k][to] = w->liquid[k][from];
}

/* Sets part[] to the part of its inflow that each vertex may have: what its pores have room for
 * with what leaves them; low ones all. What leaves depends on the parts of others: every round
 * finds more of it, and never too much. */
static void limit_flow(PxWorld *world, const PxClothWater *w, double dt, PxVec3 up, double *part)
{
    enum { ROUNDS = 4 };
    const PxClothSystem *y = &world->cloth_system;
    PxWetRun *run = world->wet_run;
    double *leaves = run->flow[0];
    bool short_of = true;
    memset(part, 0, y->vertices * sizeof *part);
    for (int round = 0; round < ROUNDS && short_of; ++round) {
        memset(run->inflow, 0, y->vertices * sizeof *run->inflow);
        memset(leaves, 0, y->vertices * sizeof *leaves);
        for (uint32_t f = 0; f < y->faces; ++f)
            for (int k = 0; k < 3; ++k) {
                double mass = flow_along(world, w, f, k, dt, up);
                uint32_t i = y->face[f].corner[k], j = y->face[f].corner[(k + 1) % 3];
                uint32_t from = mass > 0 ? i : j, to = mass > 0 ? j : i;
                run->inflow[to] += fabs(mass);
                leaves[from] += fabs(mass) * part[to];
            }
        short_of = false;
        for (uint32_t i = 0; i < y->vertices; ++i) {
            double left = run->room[i] - px_wet_own(run, w, i) + leaves[i];
            bool all = run->inflow[i] <= left || run->lowest[i];
            part[i] = all ? 1 : fmax(fmax(left, 0) / run->inflow[i], part[i]);
            short_of = short_of || !all;
        }
    }
}

static void flow_once(PxWorld *world, double dt, PxVec3 up)
{
    const PxClothSystem *y = &world->cloth_system;
    PxWetRun *run = world->wet_run;
    PxClothWater w = px_cloth_water(world);
    double *part = run->gets; /* done with */
    limit_flow(world, &w, dt, up, part);
    for (int k = 0; k < run->liquids; ++k)
        memset(run->flow[k], 0, y->vertices * sizeof *run->flow[k]);
    for (uint32_t f = 0; f < y->faces; ++f)
        for (int k = 0; k < 3; ++k) {
            double mass = flow_along(world, &w, f, k, dt, up);
            uint32_t i = y->face[f].corner[k], j = y->face[f].corner[(k + 1) % 3];
            uint32_t from = mass > 0 ? i : j, to = mass > 0 ? j : i;
            double all = px_wet_all(run, &w, from);
            if (mass == 0 || !(all > 0))
                continue;
            for (int n = 0; n < run->liquids; ++n) {
                double own = fabs(mass) * part[to] * (w.part[n][from] / all);
                run->flow[n][from] -= own;
                run->flow[n][to] += own;
                if (own > 0)
                    hand_body(&w, n, to, from);
            }
        }
    for (uint32_t i = 0; i < y->vertices; ++i) {
        for (int n = 0; n < run->liquids; ++n)
            w.part[n][i] = fmax(w.part[n][i] + run->flow[n][i], 0);
        px_wet_sum(run, &w, i);
    }
}

/* In sub-steps in which no vertex gives more than it has. */
static void spread(PxWorld *world, PxVec3 up)
{
    enum { MOST = 64 };
    const PxClothSystem *y = &world->cloth_system;
    PxWetRun *run = world->wet_run;
    memset(run->spread, 0, y->vertices * sizeof *run->spread);
    for (uint32_t f = 0; f < y->faces; ++f)
        for (int k = 0; k < 3; ++k) {
            double weight = weight_of(&y->face[f], k, (k + 1) % 3);
            run->spread[y->face[f].corner[k]] += weight;
            run->spread[y->face[f].corner[(k + 1) % 3]] += weight;
        }
    double rate = 0;
    for (uint32_t i = 0; i < y->vertices; ++i) {
        const PxClothDef *d = px_wet_def(world, i);
        double steep = 1 + world->cloth_system.edge[y->of_vertex[i]] * 2 / d->rise;
        rate = fmax(rate, d->diffusion * steep * run->spread[i] / y->share[i]);
    }
    double rounds = ceil(2 * rate * world->dt);
    /* If more sub-steps than MOST are needed, liquid spreads more slowly than it should. */
    double dt = rounds > MOST ? 1 / (2 * rate) : rounds > 0 ? world->dt / rounds : 0;
    for (double k = 0; k < fmin(rounds, MOST); ++k)
        flow_once(world, dt, up);
}

/* ---- dripping and drying
 * ------------------------------------------------------------------------- */

static bool is_lowest(const PxWorld *world, uint32_t vertex, PxVec3 up)
{
    const PxClothSystem *y = &world->cloth_system;
    PxClothWater w = px_cloth_water(world);
    double own = up.x * w.place[0][vertex] + up.y * w.place[1][vertex] + up.z * w.place[2][vertex];
    for (uint32_t k = y->first_face[vertex]; k < y->first_face[vertex + 1]; ++k)
        for (int c = 0; c < 3; ++c) {
            uint32_t j = y->face[y->faces_of[k].of].corner[c];
            double height = up.x * w.place[0][j] + up.y * w.place[1][j] + up.z * w.place[2][j];
            if (j != vertex && (height < own || (height == own && j < vertex)))
                return false;
        }
    return true;
}

/* Is there room for a particle? */
static bool is_free(const PxWorld *world, PxVec3 place)
{
    const PxParticles *p = &world->particles;
    double s = world->def.spacing;
    PxRange rows[9];
    for (size_t k = 0; k < world->boundaries.count; ++k) {
        const PxBoundary *b = world->boundaries.data[k];
        if (px_boundary_distance(b, 1, place, NULL) < 0.3 * s)
            return false;
    }
    if (!world->flows || world->grid.cells == 0)
        return true;
    int count = px_grid_rows(&world->grid, (float)place.x, (float)place.y, (float)place.z, rows);
    for (int k = 0; k < count; ++k)
        for (uint32_t i = rows[k].begin; i < rows[k].end; ++i) {
            PxVec3 at = {(double)p->x[i], (double)p->y[i], (double)p->z[i]};
            if (px_length(px_sub(at, place)) < 0.7 * s)
                return false;
        }
    return true;
}

/* Where a drop leaves a vertex: on the side that the fluid presses towards, or on the lower one, or
 * on the `other`. */
static PxVec3 beside(const PxWorld *world, uint32_t i, PxVec3 up, bool other)
{
    const PxSheets *s = px_sheet_stage_sheets(world);
    PxClothWater w = px_cloth_water(world);
    PxVec3 normal = s != NULL ? px_sheet_normal(s, i) : up, pressed = world->wet_run->pressed[i];
    double side = px_dot(pressed, pressed) > 0 ? px_dot(normal, pressed) : -px_dot(normal, up);
    PxVec3 x = {w.place[0][i], w.place[1][i], w.place[2][i]};
    return px_mad(x, normal, ((side < 0) != other ? -0.5 : 0.5) * world->def.spacing);
}

/* Where liquid may leave the pores: at low points, if it is free below them. In water it would find
 * no place, and stays. */
static void find_lowest(const PxWorld *world, PxVec3 up)
{
    PxWetRun *run = world->wet_run;
    PxClothWater w = px_cloth_water(world);
    for (uint32_t i = 0; i < world->cloth_system.vertices; ++i)
        run->lowest[i] = run->room[i] > 0 && w.water[i] > 0 && is_lowest(world, i, up) &&
                         is_free(world, beside(world, i, up, false));
}

/* What pores have no room for hangs on the cloth, and what hangs enters pores that have. */
static void seep(PxWorld *world)
{
    const PxWetRun *run = world->wet_run;
    PxClothWater w = px_cloth_water(world);
    for (uint32_t i = 0; i < world->cloth_system.vertices; ++i) {
        double all = px_wet_all(run, &w, i);
        w.hanging[i] = run->room[i] > 0 ? fmax(all - run->room[i], 0) : fmin(w.hanging[i], all);
    }
}

/* The lowest neighbour of a vertex and the way to it; the vertex itself if none is lower. */
static uint32_t down_from(const PxWorld *world, uint32_t vertex, PxVec3 up, double *fall,
                          double *way)
{
    const PxClothSystem *y = &world->cloth_system;
    PxClothWater w = px_cloth_water(world);
    PxVec3 own = {w.place[0][vertex], w.place[1][vertex], w.place[2][vertex]};
    uint32_t best = vertex;
    *fall = *way = 0;
    for (uint32_t k = y->first_face[vertex]; k < y->first_face[vertex + 1]; ++k)
        for (int c = 0; c < 3; ++c) {
            uint32_t j = y->face[y->faces_of[k].of].corner[c];
            PxVec3 to = px_sub(px_vec(w.place[0][j], w.place[1][j], w.place[2][j]), own);
            double down = -px_dot(to, up);
            if (j != vertex && down > *fall) {
                *fall = down;
                *way = px_length(to);
                best = j;
            }
        }
    return best;
}

/* Films run down: by at most half of themselves in a step. */
static void run_down(PxWorld *world, PxVec3 up)
{
    const PxClothSystem *y = &world->cloth_system;
    PxWetRun *run = world->wet_run;
    PxClothWater w = px_cloth_water(world);
    double g = px_length(world->def.gravity), fall, way;
    double *film = run->inflow;
    memcpy(film, w.hanging, y->vertices * sizeof *film);
    for (uint32_t i = 0; i < y->vertices; ++i) {
        if (!(film[i] > 0))
            continue;
        uint32_t to = down_from(world, i, up, &fall, &way);
        double all = px_wet_all(run, &w, i), nu = 0;
        if (to == i || !(all > 0))
            continue;
        for (int n = 0; n < run->liquids; ++n) /* mean by volume */
            nu += w.part[n][i] * run->liquid[n].ratio / all * run->liquid[n].viscosity *
                  run->liquid[n].ratio / run->density;
        double deep = film[i] / (run->density * y->share[i]);
        double speed = g * (fall / way) * deep * deep / (3 * nu);
        double part = fmin(speed * world->dt / way, 0.5) * film[i] / all;
        double goes = fmin(part * all, w.hanging[i]);
        for (int n = 0; n < run->liquids; ++n) {
            double own = w.part[n][i] * (goes / all);
            w.part[n][i] -= own;
            w.part[n][to] += own;
            if (own > 0)
                hand_body(&w, n, to, i);
        }
        w.hanging[i] -= goes;
        w.hanging[to] += goes;
        px_wet_sum(run, &w, i);
        px_wet_sum(run, &w, to);
    }
}

static int compare_hangs(const void *a, const void *b)
{
    const PxWetHang *x = a, *y = b;
    for (int c = 0; c < 3; ++c)
        if (x->cell[c] != y->cell[c])
            return x->cell[c] < y->cell[c] ? -1 : 1;
    return (x->vertex > y->vertex) - (x->vertex < y->vertex);
}

/* Lists the vertices with liquid that hangs, by cells of two spacings. */
static uint32_t list_hangs(const PxWorld *world, PxWetHang *out)
{
    PxClothWater w = px_cloth_water(world);
    double cell = 2 * world->def.spacing;
    uint32_t count = 0;
    for (uint32_t i = 0; i < world->cloth_system.vertices; ++i) {
        if (!(w.hanging[i] > 0))
            continue;
        out[count++] = (PxWetHang){.cell = {(int64_t)floor(w.place[0][i] / cell),
                                            (int64_t)floor(w.place[1][i] / cell),
                                            (int64_t)floor(w.place[2][i] / cell)},
                                   .vertex = i};
    }
    if (count > 0)
        qsort(out, count, sizeof *out, compare_hangs);
    return count;
}

/* What a cell has hanging. */
typedef struct Hung {
    double mass[PX_WET_LIQUIDS]; /* kg */
    uint32_t lowest;             /* vertex */
} Hung;

static Hung hung_in(const PxWorld *world, const PxWetHang *hang, uint32_t count, PxVec3 up)
{
    const PxWetRun *run = world->wet_run;
    PxClothWater w = px_cloth_water(world);
    double low = INFINITY;
    Hung h = {.lowest = 0};
    for (uint32_t k = 0; k < count; ++k) {
        uint32_t i = hang[k].vertex;
        double height = up.x * w.place[0][i] + up.y * w.place[1][i] + up.z * w.place[2][i];
        double part = w.hanging[i] / px_wet_all(run, &w, i);
        for (int n = 0; n < run->liquids; ++n)
            h.mass[n] += part * w.part[n][i];
        if (height < low) {
            low = height;
            h.lowest = i;
        }
    }
    return h;
}

/* Body and material of liquid `n` at a vertex; false: there is none. */
static bool source_of(const PxWorld *world, int n, uint32_t i, uint32_t *body, uint32_t *material)
{
    const PxWetLiquid *liquid = &world->wet_run->liquid[n];
    uint32_t last = px_cloth_water(world).liquid[n][i];
    uint32_t of = last != 0 && world->bodies.data[last - 1].live ? last : liquid->body;
    if (of == 0)
        return false;
    *body = of - 1;
    *material = matter_of(world, &world->bodies.data[*body]);
    return *material != 0 && (liquid->material == 0 || *material == liquid->material);
}

static double temperature_of(const PxWorld *world, uint32_t body)
{
    uint32_t emitter = world->bodies.data[body].emitter;
    return emitter > 0 ? world->emitters.data[emitter - 1].def.temperature
                       : world->bodies.data[body].def.temperature;
}

/* Lets a drop fall from the lowest vertex of a cell, if that much of a liquid hangs there. */
static bool drip_cell(PxWorld *world, const PxWetHang *hang, uint32_t count, PxVec3 up)
{
    PxParticles *p = &world->particles;
    const PxWetRun *run = world->wet_run;
    PxClothWater w = px_cloth_water(world);
    Hung hung = hung_in(world, hang, count, up);
    uint32_t at = hung.lowest, body = 0, material = 0, row;
    double most = 1 + 1e-6;
    int which = -1;
    for (int n = 0; n < run->liquids; ++n) {
        uint32_t of, made;
        if (!(hung.mass[n] > 0) || !source_of(world, n, at, &of, &made))
            continue;
        double particles = hung.mass[n] / world->materials.data[made - 1].particle_mass;
        if (particles >= most) {
            most = particles;
            which = n;
            body = of;
            material = made;
        }
    }
    bool other = which >= 0 && !is_free(world, beside(world, at, up, false));
    PxVec3 place = beside(world, at, up, other);
    if (which < 0 || (other && !is_free(world, place)) ||
        px_table_append(&p->table, 1, &row) != PX_OK) /* room is reserved */
        return false;
    px_particles_refresh(p);
    PxVec3 v = {w.velocity[0][at], w.velocity[1][at], w.velocity[2][at]};
    const PxCloth *cloth = &world->cloths.data[world->cloth_system.of_vertex[at]];
    px_world_put(world, row, px_dist_id(cloth->number, (1ull << 32) + world->state.drips++), place,
                 v, body, material - 1, temperature_of(world, body));
    double part = (double)p->mass[row] / hung.mass[which];
    for (uint32_t k = 0; k < count; ++k) {
        uint32_t i = hang[k].vertex;
        double *own = &w.part[which][i];
        double gone = fmin(part * (w.hanging[i] * (*own / px_wet_all(run, &w, i))), *own);
        *own -= gone;
        w.hanging[i] = fmax(w.hanging[i] - gone * run->liquid[which].ratio, 0);
        px_wet_sum(run, &w, i);
    }
    return true;
}

static void drip(PxWorld *world, PxVec3 up)
{
    PxWetHang *hang = world->wet_run->hangs;
    uint32_t count = list_hangs(world, hang), dripped = 0, end;
    for (uint32_t k = 0; k < count && dripped < PX_WET_DRIPS; k = end) {
        for (end = k + 1; end < count; ++end)
            if (memcmp(hang[end].cell, hang[k].cell, sizeof hang[k].cell) != 0)
                break;
        dripped += drip_cell(world, &hang[k], end - k, up);
    }
}

static void dry(PxWorld *world)
{
    const PxWetRun *run = world->wet_run;
    PxClothWater w = px_cloth_water(world);
    double lost = 0;
    for (uint32_t i = 0; i < world->cloth_system.vertices; ++i) {
        double most = px_wet_def(world, i)->drying * world->cloth_system.share[i] * world->dt;
        double own = fmin(most, w.water[i]), was = w.water[i];
        if (!(own > 0))
            continue;
        for (int n = 0; n < run->liquids; ++n)
            w.part[n][i] = own < was ? w.part[n][i] * (1 - own / was) : 0;
        px_wet_sum(run, &w, i);
        w.hanging[i] = fmin(w.hanging[i], px_wet_all(run, &w, i));
        lost += was - w.water[i];
    }
    world->state.mass_out += lost;
}

void px_wet_stage_act(PxWorld *world)
{
    if (world->wet_run == NULL)
        return;
    PxVec3 up = px_normalized(px_scale(world->def.gravity, -1), px_vec(0, 0, 0));
    keep_liquids(world, world->wet_run);
    drip(world, up);
    if (px_sheet_stage_sheets(world) != NULL)
        px_wet_take_act(world, px_sheet_stage_sheets(world), world->wet_run);
    find_lowest(world, up);
    spread(world, up);
    seep(world);
    run_down(world, up);
    dry(world);
}
