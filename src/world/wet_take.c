/// How cloth takes up liquid from particles: world/wet_stage.h says what the laws are.
///
/// A particle within TOUCHES spacings of a sheet wets a footprint of a spacing squared. Footprints
/// are shared among the corners of the triangle, and spread over a spacing where triangles are
/// smaller (contact/sheets.h): a linear operator S from particles to vertices. So vertex i has a
/// wet area a_i = sum over k of S_ik s^2, whatever the sizes of triangles and particles are.
/// Its uptake u_i comes from the particles in proportion to what they wet of it,
///   d_k = s^2 sum over i of S_ik u_i / a_i,
/// the adjoint of S; the sums over both are equal.
///
/// Light particles among heavy ones are hard to solve for, and all keep the volume of a whole one.
/// So the particles that touch within a cell of two spacings share their losses: one of them gives
/// for all until half of it is left, which the next one gets, and so on.
#include "fluid/touches.h"
#include "world/wet_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Particles nearer than this touch, in spacings: the first layer, which rests at half a spacing. */
#define TOUCHES 0.75
/* Irregular layers have gaps: a vertex is wet as a whole at this part of its area. */
#define COVERED 0.7
/* The rest of a particle below this part of its mass goes to another one of its cell. */
#define LEAST 0.5
/* Below this part the rest of a particle that is alone in its cell goes to the cloth: lighter ones
 * were thrown away at 16 m/s where they met others (scene hammock). */
#define ALONE 0.3
/* Edge of the cells that share their losses, spacings. */
#define CELL 2.0

/* A particle that touches. */
typedef struct Giver {
    int64_t cell[3];
    uint64_t id;
    double need; /* mass that is wanted of it, kg */
    float mass;  /* kg */
    uint32_t row, body;
    bool whole; /* it has all of its mass */
} Giver;

typedef struct Takes {
    PxWorld *world;
    const PxSheets *s;
    PxWetRun *run;
    PxVec3 *area;  /* by vertex: x is the wet area; later what is given, and its momentum */
    double *need;  /* by row, kg; below 0: does not touch */
    PxVec3 *gives; /* by row: mean velocity of what its cell gives */
    double *part;  /* by row: part of its need that is given */
    Giver *giver;
    uint32_t givers;
} Takes;

static bool touches(const PxWorld *world, const PxSheetTouch *t)
{
    return t->planes > 0 && t->touch->row != PX_TOUCH_NOBODY &&
           t->plane[0].distance < TOUCHES * world->def.spacing;
}

/* Which liquid of cloth a particle that touches is; -1: it does not touch, or cloth has no place
 * for it. */
static int liquid_of(const Takes *q, const PxSheetTouch *t)
{
    return touches(q->world, t) ? px_wet_liquid(q->run, q->world->particles.material[t->touch->row])
                                : -1;
}

static bool wets(const Takes *q, const PxSheetTouch *t)
{
    return liquid_of(q, t) >= 0;
}

/* Adds `value` times the footprint of a particle to the corners of its triangle. */
static void deposit(const Takes *q, const PxSheetTouch *t, PxVec3 value)
{
    const PxSheetPlane *plane = &t->plane[0];
    const uint32_t *corner = q->s->system->face[plane->face].corner;
    double s = q->world->def.spacing;
    for (int c = 0; c < 3; ++c)
        q->area[corner[c]] = px_mad(q->area[corner[c]], value, plane->weight[c] * s * s);
}

static PxStatus wet_areas(Takes *q)
{
    uint32_t n = q->s->system->vertices;
    memset(q->area, 0, n * sizeof *q->area);
    for (uint32_t k = 0; k < q->s->touches; ++k) {
        const PxSheetTouch *t = &q->s->touch[k];
        if (!touches(q->world, t))
            continue;
        int own = px_wet_meet(q->world, q->run, q->world->particles.material[t->touch->row]);
        if (own < 0)
            continue;
        deposit(q, t, px_vec(1, 0, 0));
        uint32_t body = 1 + q->world->particles.body[t->touch->row];
        const uint32_t *corner = q->s->system->face[t->plane[0].face].corner;
        for (int c = 0; c < 3; ++c)
            q->run->from[own][corner[c]] = body;
        q->run->liquid[own].body = body;
    }
    return px_sheets_spread(q->s, q->area);
}

/* Liquid that enters the pores of a vertex of which `wet` is covered, by l^2 = K t. */
static double enters(const PxWorld *world, const PxWetRun *run, uint32_t i, double wet)
{
    const PxClothDef *d = px_wet_def(world, i);
    PxClothWater w = px_cloth_water(world);
    double depth = d->thickness * px_wet_own(run, &w, i) / run->room[i];
    double next = fmin(sqrt(depth * depth + d->absorption * wet * world->dt), d->thickness);
    return depth < next ? run->room[i] * (next - depth) / d->thickness : 0;
}

/* Liquid that passes a saturated vertex, by Darcy's law. */
static double passes(const PxWorld *world, const PxWetRun *run, uint32_t i, double wet)
{
    const PxClothDef *d = px_wet_def(world, i);
    PxClothWater w = px_cloth_water(world);
    double area = wet * world->cloth_system.share[i], push = px_length(run->pressed[i]);
    if (!(d->permeability > 0) || !(push > 0) || px_wet_own(run, &w, i) < 0.999 * run->room[i])
        return 0;
    PxVec3 along = px_scale(run->pressed[i], 1 / push);
    double pressure = push / (world->dt * world->cloth_system.share[i]);
    double all = px_wet_all(run, &w, i), density = run->density / run->liquid[0].ratio;
    double viscosity = run->liquid[0].viscosity, own = density;
    for (int k = 1; k < run->liquids && all > 0; ++k) { /* means by volume */
        double part = w.part[k][i] * run->liquid[k].ratio / all;
        viscosity += part * (run->liquid[k].viscosity - run->liquid[0].viscosity);
        density += part * (run->density / run->liquid[k].ratio - own);
    }
    double slope = pressure / d->thickness + density * px_dot(world->def.gravity, along);
    double speed = d->permeability / viscosity * fmax(slope, 0);
    /* no more hangs than a layer of particles, which waits until it can fall */
    double film = run->density * world->cloth_system.share[i] * world->def.spacing - w.hanging[i];
    return fmin(run->density * area * speed * world->dt, fmax(film, 0));
}

/* Sets what vertices could take, and the sum as q->area.x over the wet area. */
static bool ask_vertices(Takes *q)
{
    bool any = false;
    for (uint32_t i = 0; i < q->s->system->vertices; ++i) {
        double area = q->area[i].x;
        q->run->gets[i] = q->run->passes[i] = 0;
        q->area[i] = px_vec(0, 0, 0);
        if (!(area > 0) || !(q->run->room[i] > 0))
            continue;
        double wet = fmin(area / (COVERED * q->s->system->share[i]), 1);
        q->run->gets[i] = enters(q->world, q->run, i, wet);
        q->run->passes[i] = passes(q->world, q->run, i, wet);
        q->area[i].x = (q->run->gets[i] + q->run->passes[i]) / area;
        any = any || q->area[i].x > 0;
    }
    return any;
}

static int compare_givers(const void *a, const void *b)
{
    const Giver *x = a, *y = b;
    for (int c = 0; c < 3; ++c)
        if (x->cell[c] != y->cell[c])
            return x->cell[c] < y->cell[c] ? -1 : 1;
    if (x->body != y->body)
        return x->body < y->body ? -1 : 1;
    if (x->whole != y->whole)
        return x->whole ? 1 : -1;
    if (!x->whole && (x->mass < y->mass || x->mass > y->mass))
        return x->mass < y->mass ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

/* Adds up what is wanted of every particle; they are then listed by cells. */
static void ask_particles(Takes *q, const PxVec3 *per_area)
{
    const PxParticles *p = &q->world->particles;
    double s = q->world->def.spacing;
    for (uint32_t i = 0; i < p->table.count; ++i)
        q->need[i] = -1;
    for (uint32_t k = 0; k < q->s->touches; ++k) {
        const PxSheetTouch *t = &q->s->touch[k];
        if (!wets(q, t))
            continue;
        uint32_t row = t->touch->row;
        const uint32_t *corner = q->s->system->face[t->plane[0].face].corner;
        double need = 0;
        for (int c = 0; c < 3; ++c)
            need += s * s * t->plane[0].weight[c] * per_area[corner[c]].x;
        need /= q->run->liquid[liquid_of(q, t)].ratio; /* volume to mass */
        q->need[row] = fmax(q->need[row], 0) + need;
    }
    q->givers = 0;
    for (uint32_t k = 0; k < q->s->touches; ++k) {
        const PxSheetTouch *t = &q->s->touch[k];
        uint32_t row = t->touch->row;
        if (!wets(q, t) || q->need[row] < 0)
            continue;
        float full = (float)q->world->materials.data[p->material[row]].particle_mass;
        q->giver[q->givers++] = (Giver){.cell = {(int64_t)floor(t->place.x / (CELL * s)),
                                                 (int64_t)floor(t->place.y / (CELL * s)),
                                                 (int64_t)floor(t->place.z / (CELL * s))},
                                        .id = p->id[row],
                                        .need = q->need[row],
                                        .mass = p->mass[row],
                                        .row = row,
                                        .body = p->body[row],
                                        .whole = fabsf(p->mass[row] - full) < 1e-5f * full};
        q->part[row] = q->need[row];
        q->need[row] = -1; /* listed */
    }
    if (q->givers > 0)
        qsort(q->giver, q->givers, sizeof *q->giver, compare_givers);
}

static PxVec3 velocity_of(const PxWetRun *run, uint32_t row)
{
    return px_vec((double)run->velocity[0][row], (double)run->velocity[1][row],
                  (double)run->velocity[2][row]);
}

/* The rest of a particle that is nearly used up goes to another one. */
static void hand_over(PxWetRun *run, uint32_t from, uint32_t to)
{
    double more = (double)run->mass[from], own = (double)run->mass[to];
    PxVec3 v = px_scale(
        px_add(px_scale(velocity_of(run, from), more), px_scale(velocity_of(run, to), own)),
        1 / (more + own));
    run->velocity[0][to] = (float)v.x;
    run->velocity[1][to] = (float)v.y;
    run->velocity[2][to] = (float)v.z;
    /* Rounded down: a vertex cannot take up less than nothing. */
    run->mass[to] = (float)(more + own);
    if ((double)run->mass[to] > more + own)
        run->mass[to] = nextafterf(run->mass[to], 0.0f);
    run->mass[from] = 0;
}

/* Takes the liquid that a cell demands from its particles, one after the other. The amount counted
 * is the difference of the stored masses, so that rounding to floats loses nothing. */
static void give(Takes *q, const Giver *giver, uint32_t count)
{
    const PxParticles *p = &q->world->particles;
    PxWetRun *run = q->run;
    double wanted = 0, left, given = 0;
    PxVec3 momentum = {0, 0, 0};
    for (uint32_t k = 0; k < count; ++k)
        wanted += giver[k].need;
    left = wanted;
    for (uint32_t k = 0; k < count && left > 0; ++k) {
        uint32_t row = giver[k].row;
        double full = q->world->materials.data[p->material[row]].particle_mass;
        double own = (double)run->mass[row];
        run->mass[row] = own > left ? (float)(own - left) : 0.0f;
        left -= own;
        if (k + 1 < count && run->mass[row] > 0 && (double)run->mass[row] < LEAST * full)
            hand_over(run, row, giver[k + 1].row);
        else if (count == 1 && (double)run->mass[row] < ALONE * full)
            run->mass[row] = 0;
    }
    for (uint32_t k = 0; k < count; ++k) {
        uint32_t row = giver[k].row;
        PxVec3 was = px_vec((double)p->vx[row], (double)p->vy[row], (double)p->vz[row]);
        given += (double)p->mass[row] - (double)run->mass[row];
        momentum =
            px_add(momentum, px_sub(px_scale(was, (double)p->mass[row]),
                                    px_scale(velocity_of(run, row), (double)run->mass[row])));
    }
    for (uint32_t k = 0; k < count; ++k) {
        q->part[giver[k].row] = wanted > 0 ? given / wanted : 0;
        q->gives[giver[k].row] = given > 0 ? px_scale(momentum, 1 / given) : px_vec(0, 0, 0);
    }
}

static void give_all(Takes *q)
{
    uint32_t end;
    for (uint32_t k = 0; k < q->givers; k = end) {
        const Giver *g = &q->giver[k];
        for (end = k + 1; end < q->givers; ++end)
            if (memcmp(q->giver[end].cell, g->cell, sizeof g->cell) != 0 ||
                q->giver[end].body != g->body)
                break;
        give(q, g, end - k);
    }
}

/* Shares what is given among the vertices: the mass of each liquid, and the momentum. */
static PxStatus share(Takes *q, const PxVec3 *per_area)
{
    uint32_t n = q->s->system->vertices;
    PxWetRun *run = q->run;
    for (int what = 0; what <= run->liquids; ++what) {
        bool momentum = what == run->liquids;
        memset(q->area, 0, n * sizeof *q->area);
        for (uint32_t k = 0; k < q->s->touches; ++k) {
            const PxSheetTouch *t = &q->s->touch[k];
            int liquid = liquid_of(q, t);
            if (liquid < 0 || (!momentum && liquid != what))
                continue;
            double part = q->part[t->touch->row] / run->liquid[liquid].ratio;
            deposit(q, t, momentum ? px_scale(q->gives[t->touch->row], part) : px_vec(part, 0, 0));
        }
        PX_TRY(px_sheets_spread(q->s, q->area));
        for (uint32_t i = 0; i < n; ++i) {
            double per = per_area[i].x;
            if (momentum)
                run->momentum[i] = px_scale(q->area[i], per);
            else
                run->got[what][i] = per * q->area[i].x;
        }
    }
    return PX_OK;
}

PxStatus px_wet_take_plan(PxWorld *world, const PxSheets *s, PxWetRun *run)
{
    const PxParticles *p = &world->particles;
    uint32_t n = s->system->vertices, rows = p->table.count;
    PxArena *scratch = &world->scratch;
    Takes q = {.world = world,
               .s = s,
               .run = run,
               .area = PX_ARENA_ARRAY(scratch, PxVec3, n + 1),
               .need = PX_ARENA_ARRAY(scratch, double, rows + 1),
               .part = PX_ARENA_ARRAY(scratch, double, rows + 1),
               .gives = PX_ARENA_ARRAY(scratch, PxVec3, rows + 1),
               .giver = PX_ARENA_ARRAY(scratch, Giver, (s->touches | 0x3ffu) + 1)};
    PxVec3 *per_area = PX_ARENA_ARRAY(scratch, PxVec3, n + 1);
    PxVec3 *mean = PX_ARENA_ARRAY(scratch, PxVec3, n + 1);
    run->mass = PX_ARENA_ARRAY(scratch, float, rows + 1);
    for (int c = 0; c < 3; ++c)
        run->velocity[c] = PX_ARENA_ARRAY(scratch, float, rows + 1);
    if (q.area == NULL || q.need == NULL || q.part == NULL || q.gives == NULL || q.giver == NULL ||
        per_area == NULL || mean == NULL || run->mass == NULL || run->velocity[0] == NULL ||
        run->velocity[1] == NULL || run->velocity[2] == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for what it takes up of %u particles", rows);
    run->rows = rows;
    PX_TRY(wet_areas(&q));
    memcpy(run->pressed, s->load, n * sizeof *run->pressed);
    run->takes = ask_vertices(&q);
    if (!run->takes)
        return PX_OK;
    memcpy(run->mass, p->mass, rows * sizeof *run->mass);
    memcpy(run->velocity[0], p->vx, rows * sizeof(float));
    memcpy(run->velocity[1], p->vy, rows * sizeof(float));
    memcpy(run->velocity[2], p->vz, rows * sizeof(float));
    memcpy(per_area, q.area, n * sizeof *per_area);
    memcpy(mean, q.area, n * sizeof *mean);
    PX_TRY(px_sheets_mean(s, mean));
    ask_particles(&q, mean);
    give_all(&q);
    return share(&q, per_area);
}

void px_wet_take_act(PxWorld *world, const PxSheets *s, const PxWetRun *run)
{
    PxParticles *p = &world->particles;
    PxClothWater w = px_cloth_water(world);
    bool any = false;
    if (!run->takes)
        return;
    for (uint32_t i = 0; i < s->system->vertices; ++i) {
        double gets = 0, asked = run->gets[i] + run->passes[i], volume = 0;
        double had = s->mass[i] + (w.water[i] - run->before[i]);
        for (int k = 0; k < run->liquids; ++k) {
            gets += run->got[k][i];
            volume += run->got[k][i] * run->liquid[k].ratio;
        }
        if (!(gets > 0))
            continue;
        const double momentum[3] = {run->momentum[i].x, run->momentum[i].y, run->momentum[i].z};
        for (int a = 0; a < 3; ++a)
            w.velocity[a][i] = (w.velocity[a][i] * had + momentum[a]) / (had + gets);
        for (int k = 0; k < run->liquids; ++k) {
            w.part[k][i] += run->got[k][i];
            if (run->got[k][i] > 0)
                w.liquid[k][i] = run->from[k][i] != 0 ? run->from[k][i] : run->liquid[k].body;
        }
        px_wet_sum(run, &w, i);
        w.hanging[i] += asked > 0 ? volume * (run->passes[i] / asked) : 0;
    }
    memset(world->drop, 0, p->table.count);
    for (uint32_t i = 0; i < run->rows; ++i) {
        world->drop[i] = !(run->mass[i] > 0.0f);
        any = any || world->drop[i];
        p->mass[i] = run->mass[i];
        p->vx[i] = run->velocity[0][i];
        p->vy[i] = run->velocity[1][i];
        p->vz[i] = run->velocity[2][i];
    }
    if (!any)
        return;
    px_table_delete(&p->table, world->drop);
    px_particles_refresh(p);
}
