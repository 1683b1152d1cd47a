#include "world/wet_stage.h"

#include "world/cloth_stage.h"
#include "world/sheet_stage.h"
#include "world/wet_run.h"

#include <math.h>
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

/* The liquid that cloth takes up: the first of the world; NULL: none. */
static const PxMaterialDef *liquid_of(const PxWorld *world)
{
    for (size_t k = 0; k < world->materials.count; ++k) {
        const PxMaterial *m = &world->materials.data[k];
        if (m->live && !m->def.cloth.cloth && !(m->def.young > 0))
            return &m->def;
    }
    return NULL;
}

static double liquid_density(const PxWorld *world)
{
    const PxMaterialDef *liquid = liquid_of(world);
    return liquid != NULL ? liquid->density : 1000;
}

/* Liquid that a vertex holds when it is saturated, kg. */
static double room_of(const PxWorld *world, uint32_t vertex, double density)
{
    const PxClothDef *d = px_wet_def(world, vertex);
    return world->cloth_system.share[vertex] * d->pores * d->thickness * density;
}

PxStatus px_wet_saturation(PxWorld *world, double **out)
{
    uint32_t n = world->cloth_system.vertices;
    double density = liquid_density(world);
    PxClothWater w = px_cloth_water(world);
    *out = NULL;
    if (!px_wet_is_on(world))
        return PX_OK;
    *out = PX_ARENA_ARRAY(&world->scratch, double, n + 1);
    if (*out == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for the wetness of %u vertices", n);
    for (uint32_t i = 0; i < n; ++i) {
        double room = room_of(world, i, density);
        (*out)[i] = room > 0 ? fmin((w.water[i] - w.hanging[i]) / room, 1) : 0;
    }
    return PX_OK;
}

void px_wet_fill(PxWorld *world, const PxCloth *cloth)
{
    const PxClothDef *d = &world->materials.data[cloth->material].def.cloth;
    double per_area = d->wet * d->pores * d->thickness * liquid_density(world);
    PxClothWater w = px_cloth_water(world);
    for (uint32_t f = 0; f < cloth->sheet->faces; ++f)
        for (int c = 0; c < 3; ++c)
            w.water[cloth->first + cloth->sheet->face[f].corner[c]] +=
                per_area * cloth->sheet->face[f].area / 3;
}

/* 1 + the first body of the liquid; 0: none. */
static uint32_t body_of_liquid(const PxWorld *world, const PxMaterialDef *liquid)
{
    for (uint32_t k = 0; k < world->bodies.count && liquid != NULL; ++k) {
        uint32_t material = world->bodies.data[k].def.material.slot;
        if (world->bodies.data[k].live && material > 0 &&
            &world->materials.data[material - 1].def == liquid)
            return 1 + k;
    }
    return 0;
}

PxStatus px_wet_stage_begin(PxWorld *world)
{
    uint32_t n = world->cloth_system.vertices;
    world->wet_run = NULL;
    if (n == 0 || world->cloth_vertices.count == 0 || !px_wet_is_on(world))
        return PX_OK;
    PxArena *scratch = &world->scratch;
    PxWetRun *run = PX_ARENA_ARRAY(scratch, PxWetRun, 1);
    if (run != NULL)
        *run = (PxWetRun){.room = PX_ARENA_ARRAY(scratch, double, n + 1),
                          .gets = PX_ARENA_ARRAY(scratch, double, n + 1),
                          .passes = PX_ARENA_ARRAY(scratch, double, n + 1),
                          .before = PX_ARENA_ARRAY(scratch, double, n + 1),
                          .spread = PX_ARENA_ARRAY(scratch, double, n + 1),
                          .flow = PX_ARENA_ARRAY(scratch, double, n + 1),
                          .liquid = PX_ARENA_ARRAY(scratch, uint32_t, n + 1),
                          .momentum = PX_ARENA_ARRAY(scratch, PxVec3, n + 1),
                          .pressed = PX_ARENA_ARRAY(scratch, PxVec3, n + 1),
                          .hangs = PX_ARENA_ARRAY(scratch, PxWetHang, n + 1)};
    if (run == NULL || run->room == NULL || run->gets == NULL || run->passes == NULL ||
        run->before == NULL || run->spread == NULL || run->flow == NULL || run->liquid == NULL ||
        run->momentum == NULL || run->pressed == NULL || run->hangs == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for liquid in %u vertices", n);
    const PxMaterialDef *liquid = liquid_of(world);
    run->density = liquid_density(world);
    run->viscosity = fmax(liquid != NULL ? liquid->viscosity : 0, 1e-5);
    run->any = body_of_liquid(world, liquid);
    memset(run->liquid, 0, n * sizeof *run->liquid);
    memset(run->pressed, 0, n * sizeof *run->pressed);
    for (uint32_t i = 0; i < n; ++i)
        run->room[i] = room_of(world, i, run->density);
    memcpy(run->before, px_cloth_water(world).water, n * sizeof *run->before);
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

static void flow_once(PxWorld *world, double dt, PxVec3 up)
{
    const PxClothSystem *y = &world->cloth_system;
    PxWetRun *run = world->wet_run;
    PxClothWater w = px_cloth_water(world);
    memset(run->flow, 0, y->vertices * sizeof *run->flow);
    for (uint32_t f = 0; f < y->faces; ++f)
        for (int k = 0; k < 3; ++k) {
            uint32_t i = y->face[f].corner[k], j = y->face[f].corner[(k + 1) % 3];
            const PxClothDef *d = px_wet_def(world, i);
            double own = w.water[i] - w.hanging[i], other = w.water[j] - w.hanging[j];
            if (!(run->room[i] > 0) || !(run->room[j] > 0) || (own == 0 && other == 0))
                continue;
            double si = own / run->room[i], sj = other / run->room[j];
            double rise = up.x * (w.place[0][i] - w.place[0][j]) +
                          up.y * (w.place[1][i] - w.place[1][j]) +
                          up.z * (w.place[2][i] - w.place[2][j]);
            double drive = si - sj + (rise > 0 ? si : sj) * rise / d->rise;
            double per_area = run->room[i] / y->share[i];
            double mass =
                dt * d->diffusion * per_area * weight_of(&y->face[f], k, (k + 1) % 3) * drive;
            run->flow[i] -= mass;
            run->flow[j] += mass;
            uint32_t to = mass > 0 ? j : i;
            if (w.liquid[to] == 0)
                w.liquid[to] = w.liquid[mass > 0 ? i : j];
        }
    for (uint32_t i = 0; i < y->vertices; ++i)
        w.water[i] += run->flow[i];
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

/* What is above saturation at a low point leaves the pores and hangs there. */
static void seep_out(PxWorld *world, PxVec3 up)
{
    const PxWetRun *run = world->wet_run;
    PxClothWater w = px_cloth_water(world);
    for (uint32_t i = 0; i < world->cloth_system.vertices; ++i) {
        double over = w.water[i] - w.hanging[i] - run->room[i];
        if (run->room[i] > 0 && over > 0 && is_lowest(world, i, up))
            w.hanging[i] += over;
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
        if (w.liquid[i] == 0)
            w.liquid[i] = world->wet_run->any;
        if (!(w.hanging[i] > 0) || w.liquid[i] == 0)
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

/* Where a drop leaves a vertex: on the side that the fluid presses towards, or on the lower one. */
static PxVec3 below(const PxWorld *world, uint32_t i, PxVec3 up)
{
    const PxSheets *s = px_sheet_stage_sheets(world);
    PxClothWater w = px_cloth_water(world);
    PxVec3 normal = s != NULL ? px_sheet_normal(s, i) : up, pressed = world->wet_run->pressed[i];
    double side = px_dot(pressed, pressed) > 0 ? px_dot(normal, pressed) : -px_dot(normal, up);
    PxVec3 x = {w.place[0][i], w.place[1][i], w.place[2][i]};
    return px_mad(x, normal, (side < 0 ? -0.5 : 0.5) * world->def.spacing);
}

/* Lets a drop fall from the lowest vertex of a cell, if that much hangs there. */
static bool drip_cell(PxWorld *world, const PxWetHang *hang, uint32_t count, PxVec3 up)
{
    PxParticles *p = &world->particles;
    PxClothWater w = px_cloth_water(world);
    double sum = 0, low = INFINITY;
    uint32_t at = 0;
    for (uint32_t k = 0; k < count; ++k) {
        uint32_t i = hang[k].vertex;
        double height = up.x * w.place[0][i] + up.y * w.place[1][i] + up.z * w.place[2][i];
        sum += w.hanging[i];
        if (height < low) {
            low = height;
            at = i;
        }
    }
    uint32_t body = w.liquid[at] - 1, material = world->bodies.data[body].def.material.slot, row;
    if (!world->bodies.data[body].live || material == 0)
        return false;
    double mass = world->materials.data[material - 1].particle_mass;
    PxVec3 place = below(world, at, up);
    if (!(sum >= mass * (1 + 1e-6)) || !is_free(world, place) ||
        px_table_append(&p->table, 1, &row) != PX_OK) /* room is reserved */
        return false;
    px_particles_refresh(p);
    PxVec3 v = {w.velocity[0][at], w.velocity[1][at], w.velocity[2][at]};
    const PxCloth *cloth = &world->cloths.data[world->cloth_system.of_vertex[at]];
    px_world_put(world, row, px_dist_id(cloth->number, (1ull << 32) + world->state.drips++), place,
                 v, body, material - 1, world->bodies.data[body].def.temperature);
    double part = (double)p->mass[row] / sum;
    for (uint32_t k = 0; k < count; ++k) {
        uint32_t i = hang[k].vertex;
        double gone = fmin(part * w.hanging[i], w.water[i]);
        w.hanging[i] -= gone;
        w.water[i] -= gone;
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
    PxClothWater w = px_cloth_water(world);
    double lost = 0;
    for (uint32_t i = 0; i < world->cloth_system.vertices; ++i) {
        double most = px_wet_def(world, i)->drying * world->cloth_system.share[i] * world->dt;
        double own = fmin(most, w.water[i]);
        w.water[i] -= own;
        w.hanging[i] = fmin(w.hanging[i], w.water[i]);
        lost += own;
    }
    world->state.mass_out += lost;
}

void px_wet_stage_act(PxWorld *world)
{
    if (world->wet_run == NULL)
        return;
    PxVec3 up = px_normalized(px_scale(world->def.gravity, -1), px_vec(0, 0, 0));
    drip(world, up);
    if (px_sheet_stage_sheets(world) != NULL)
        px_wet_take_act(world, px_sheet_stage_sheets(world), world->wet_run);
    spread(world, up);
    seep_out(world, up);
    dry(world);
}
