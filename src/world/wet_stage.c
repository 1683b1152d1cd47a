#include "world/wet_stage.h"

#include "fluid/touches.h"
#include "world/cloth_stage.h"
#include "world/sheet_stage.h"

#include <math.h>
#include <string.h>

/* Depth at which the rate of absorption begins, as a part of the thickness: at depth 0 it would
 * have no bound. */
#define DRY 0.02

/* Scratch of a step. */
typedef struct PxWetRun {
    double *room;    /* by vertex: liquid at saturation, kg */
    double *before;  /* by vertex: liquid at the start of the step, kg */
    double *spread;  /* by vertex: sum of the weights of its edges */
    double *flow;    /* by vertex: change in a sub-step, kg */
    uint8_t *wetted; /* by vertex: liquid touches it */
} PxWetRun;

static const PxClothDef *def_of(const PxWorld *world, uint32_t vertex)
{
    uint32_t cloth = world->cloth_system.of_vertex[vertex];
    return &world->materials.data[world->cloths.data[cloth].material].def.cloth;
}

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

/* Density of the liquid that cloth takes up: that of the first liquid of the world, kg/m^3. */
static double liquid_density(const PxWorld *world)
{
    for (size_t k = 0; k < world->materials.count; ++k) {
        const PxMaterial *m = &world->materials.data[k];
        if (m->live && !m->def.cloth.cloth && !(m->def.young > 0))
            return m->def.density;
    }
    return 1000;
}

/* Liquid that a vertex holds when it is saturated, kg. */
static double room_of(const PxWorld *world, uint32_t vertex, double density)
{
    const PxClothDef *d = def_of(world, vertex);
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
        (*out)[i] = room > 0 ? fmin(w.water[i] / room, 1) : 0;
    }
    return PX_OK;
}

PxStatus px_wet_stage_begin(PxWorld *world)
{
    uint32_t n = world->cloth_system.vertices;
    world->wet_run = NULL;
    if (n == 0 || world->cloth_vertices.count == 0 || !px_wet_is_on(world))
        return PX_OK;
    PxWetRun *run = PX_ARENA_ARRAY(&world->scratch, PxWetRun, 1);
    if (run != NULL)
        *run = (PxWetRun){.room = PX_ARENA_ARRAY(&world->scratch, double, n + 1),
                          .before = PX_ARENA_ARRAY(&world->scratch, double, n + 1),
                          .spread = PX_ARENA_ARRAY(&world->scratch, double, n + 1),
                          .flow = PX_ARENA_ARRAY(&world->scratch, double, n + 1),
                          .wetted = PX_ARENA_ARRAY(&world->scratch, uint8_t, n + 1)};
    if (run == NULL || run->room == NULL || run->before == NULL || run->spread == NULL ||
        run->flow == NULL || run->wetted == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for liquid in %u vertices", n);
    double density = liquid_density(world);
    for (uint32_t i = 0; i < n; ++i)
        run->room[i] = room_of(world, i, density);
    memcpy(run->before, px_cloth_water(world).water, n * sizeof *run->before);
    world->wet_run = run;
    return PX_OK;
}

/* ---- taking up --------------------------------------------------------------------------------
 */

/* Particles nearer than this touch, in spacings: the first layer, which rests at half a spacing. */
#define TOUCHES 0.75

static bool wets(const PxWorld *world, const PxSheetTouch *t)
{
    return t->planes > 0 && t->touch->row != PX_TOUCH_NOBODY &&
           t->plane[0].distance < TOUCHES * world->def.spacing;
}

static void grow_thirst(PxWorld *world, const PxSheets *s)
{
    PxWetRun *run = world->wet_run;
    PxClothWater w = px_cloth_water(world);
    memset(run->wetted, 0, s->system->vertices);
    for (uint32_t k = 0; k < s->touches; ++k)
        for (int c = 0; c < 3 && wets(world, &s->touch[k]); ++c)
            run->wetted[s->system->face[s->touch[k].plane[0].face].corner[c]] = 1;
    for (uint32_t i = 0; i < s->system->vertices; ++i) {
        const PxClothDef *d = def_of(world, i);
        double room = run->room[i];
        if (!run->wetted[i] || !(room > w.water[i])) {
            w.thirst[i] = 0;
            continue;
        }
        double depth = fmax((w.water[i] + w.thirst[i]) / room, DRY) * d->thickness;
        double rate = room / d->thickness * d->absorption / (2 * depth);
        w.thirst[i] = fmin(w.thirst[i] + rate * world->dt, room - w.water[i]);
    }
}

/* The corners get the mass by their thirst, and its momentum. */
static void drink(PxWorld *world, const PxSheets *s, const uint32_t corner[3], uint32_t row,
                  double thirst)
{
    const PxParticles *p = &world->particles;
    PxClothWater w = px_cloth_water(world);
    double mass = (double)p->mass[row];
    const double v[3] = {(double)p->vx[row], (double)p->vy[row], (double)p->vz[row]};
    for (int c = 0; c < 3; ++c) {
        uint32_t i = corner[c];
        double gets = mass * w.thirst[i] / thirst;
        double had = s->mass[i] + (w.water[i] - world->wet_run->before[i]);
        for (int a = 0; a < 3 && gets > 0; ++a)
            w.velocity[a][i] += (v[a] - w.velocity[a][i]) * gets / (had + gets);
        w.water[i] += gets;
        w.thirst[i] = fmax(w.thirst[i] - gets, 0);
        w.liquid[i] = 1 + p->body[row];
    }
}

static void take_up(PxWorld *world, const PxSheets *s)
{
    const PxParticles *p = &world->particles;
    PxClothWater w = px_cloth_water(world);
    bool any = false;
    memset(world->drop, 0, p->table.count);
    for (uint32_t k = 0; k < s->touches; ++k) {
        const PxSheetTouch *t = &s->touch[k];
        uint32_t row = t->touch->row;
        if (!wets(world, t) || world->drop[row])
            continue;
        const uint32_t *corner = s->system->face[t->plane[0].face].corner;
        double thirst = w.thirst[corner[0]] + w.thirst[corner[1]] + w.thirst[corner[2]];
        if (!(thirst >= (double)p->mass[row]))
            continue;
        drink(world, s, corner, row, thirst);
        world->drop[row] = 1;
        any = true;
    }
    if (!any)
        return;
    px_table_delete(&world->particles.table, world->drop);
    px_particles_refresh(&world->particles);
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
            const PxClothDef *d = def_of(world, i);
            if (!(run->room[i] > 0) || !(run->room[j] > 0) || (w.water[i] == 0 && w.water[j] == 0))
                continue;
            double si = w.water[i] / run->room[i], sj = w.water[j] / run->room[j];
            double rise = up.x * (w.place[0][i] - w.place[0][j]) +
                          up.y * (w.place[1][i] - w.place[1][j]) +
                          up.z * (w.place[2][i] - w.place[2][j]);
            double drive = si - sj + (rise > 0 ? si : sj) * rise / d->rise;
            double per_area = run->room[i] / y->share[i];
            double mass =
                dt * d->diffusion * per_area * weight_of(&y->face[f], k, (k + 1) % 3) * drive;
            run->flow[i] -= mass;
            run->flow[j] += mass;
        }
    for (uint32_t i = 0; i < y->vertices; ++i)
        w.water[i] += run->flow[i];
}

/* In sub-steps in which no vertex gives more than it has. */
static void spread(PxWorld *world)
{
    enum { MOST = 64 };
    const PxClothSystem *y = &world->cloth_system;
    PxWetRun *run = world->wet_run;
    PxVec3 up = px_normalized(px_scale(world->def.gravity, -1), px_vec(0, 0, 0));
    memset(run->spread, 0, y->vertices * sizeof *run->spread);
    for (uint32_t f = 0; f < y->faces; ++f)
        for (int k = 0; k < 3; ++k) {
            double weight = weight_of(&y->face[f], k, (k + 1) % 3);
            run->spread[y->face[f].corner[k]] += weight;
            run->spread[y->face[f].corner[(k + 1) % 3]] += weight;
        }
    double rate = 0;
    for (uint32_t i = 0; i < y->vertices; ++i) {
        const PxClothDef *d = def_of(world, i);
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

/* Liquid above saturation around a vertex; with `take` it is removed, that part of it. */
static double excess_around(PxWorld *world, uint32_t vertex, double take)
{
    const PxClothSystem *y = &world->cloth_system;
    const PxWetRun *run = world->wet_run;
    PxClothWater w = px_cloth_water(world);
    double sum = 0;
    for (uint32_t k = y->first_face[vertex]; k < y->first_face[vertex + 1]; ++k) {
        /* every neighbour once: the corner behind the vertex, and the vertex itself first */
        const uint32_t *c = y->face[y->faces_of[k].of].corner;
        uint32_t at = c[0] == vertex ? 0 : c[1] == vertex ? 1 : 2;
        const uint32_t of[2] = {k == y->first_face[vertex] ? vertex : UINT32_MAX, c[(at + 1) % 3]};
        for (int n = 0; n < 2; ++n) {
            if (of[n] == UINT32_MAX)
                continue;
            double more = fmax(w.water[of[n]] - run->room[of[n]], 0);
            sum += more;
            w.water[of[n]] -= take * more;
        }
    }
    return sum;
}

static bool is_free(const PxWorld *world, PxVec3 place)
{
    for (size_t k = 0; k < world->boundaries.count; ++k) {
        const PxBoundary *b = world->boundaries.data[k];
        if (px_boundary_distance(b, 1, place, NULL) < 0.3 * world->def.spacing)
            return false;
    }
    return true;
}

static void drip(PxWorld *world)
{
    const PxClothSystem *y = &world->cloth_system;
    PxParticles *p = &world->particles;
    const PxSheets *s = px_sheet_stage_sheets(world);
    PxClothWater w = px_cloth_water(world);
    PxVec3 up = px_normalized(px_scale(world->def.gravity, -1), px_vec(0, 0, 0));
    uint32_t dripped = 0;
    for (uint32_t i = 0; i < y->vertices && dripped < PX_WET_DRIPS; ++i) {
        if (w.liquid[i] == 0 || !(w.water[i] > world->wet_run->room[i]) || !is_lowest(world, i, up))
            continue;
        uint32_t body = w.liquid[i] - 1, material = world->bodies.data[body].def.material.slot;
        if (!world->bodies.data[body].live || material == 0)
            continue;
        double mass = world->materials.data[material - 1].particle_mass;
        double excess = excess_around(world, i, 0);
        PxVec3 normal = s != NULL ? s->normal[i] : up;
        PxVec3 down = px_scale(normal, px_dot(normal, up) > 0 ? -1 : 1);
        PxVec3 x = {w.place[0][i], w.place[1][i], w.place[2][i]};
        PxVec3 place = px_mad(x, down, 0.5 * world->def.spacing);
        uint32_t row;
        if (!(excess >= mass) || !(mass > 0) || !is_free(world, place) ||
            px_table_append(&p->table, 1, &row) != PX_OK) /* room is reserved */
            continue;
        px_particles_refresh(p);
        PxVec3 v = {w.velocity[0][i], w.velocity[1][i], w.velocity[2][i]};
        const PxCloth *cloth = &world->cloths.data[y->of_vertex[i]];
        px_world_put(world, row, px_dist_id(cloth->number, (1ull << 32) + world->state.drips++),
                     place, v, body, material - 1, world->bodies.data[body].def.temperature);
        excess_around(world, i, (double)p->mass[row] / excess);
        ++dripped;
    }
}

static void dry(PxWorld *world)
{
    PxClothWater w = px_cloth_water(world);
    double lost = 0;
    for (uint32_t i = 0; i < world->cloth_system.vertices; ++i) {
        double most = def_of(world, i)->drying * world->cloth_system.share[i] * world->dt;
        double own = fmin(most, w.water[i]);
        w.water[i] -= own;
        lost += own;
    }
    world->state.mass_out += lost;
}

void px_wet_stage_act(PxWorld *world)
{
    if (world->wet_run == NULL)
        return;
    const PxSheets *s = px_sheet_stage_sheets(world);
    if (s != NULL) {
        grow_thirst(world, s);
        take_up(world, s);
    }
    spread(world);
    drip(world);
    dry(world);
}
