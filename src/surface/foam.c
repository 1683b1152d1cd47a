#include "surface/foam.h"

#include "base/fail.h"
#include "base/random.h"
#include "base/vec.h"
#include "spatial/kdtree.h"

#include <stdlib.h>
#include <string.h>

#define REACH 2.0 /* radius of the neighbourhood, spacings */
enum { ROOM = 192 };

/* A full neighbourhood has 33 particles. Fewer than SPRAY_BELOW of them make spray, more than
 * BUBBLE_ABOVE bubbles [Ihmsen et al. 2012 section 3.2: 6 and 20]. */
#define SPRAY_BELOW 6u
#define BUBBLE_ABOVE 20u

/* Ranges of the three potentials, speeds relative to PxFoamDef.speed (equation 1). Tuned with
 * scenes/dam-break.json. */
#define TRAPPED_FROM 0.10
#define TRAPPED_TO 0.5
#define CREST_FROM 1.0
#define CREST_TO 4.0
#define FAST_FROM 0.35
#define FAST_TO 1.0
/* New particles a second of a fluid particle whose potentials are 1. */
#define TRAPPED_RATE 2400.0
#define CREST_RATE 2400.0
/* A crest moves along its normal: least cosine between them (equation 7). */
#define CREST_COSINE 0.6
/* Normals count where this part of a full neighbourhood is missing. */
#define SURFACE_BELOW 27u
/* Buoyancy and drag of bubbles (equation 11). */
#define BUOYANCY 1.5
#define DRAG 0.8

typedef struct Work {
    const PxFoamDef *def;
    const PxFoamFluid *fluid;
    PxFoam *foam;
    PxKdTree tree;
    float (*normal)[3]; /* of fluid particles at the surface; 0 inside */
    double *born;       /* number of diffuse particles that each creates */
    double dt;
} Work;

static PxVec3 vector(const float *const v[3], uint32_t i)
{
    return px_vec((double)v[0][i], (double)v[1][i], (double)v[2][i]);
}

/* Equation 1: how far the value is on its way through a range, 0 .. 1. */
static double potential(double value, double from, double to)
{
    return fmin(fmax((value - from) / (to - from), 0), 1);
}

static uint32_t around(const Work *w, PxVec3 x, uint32_t found[ROOM])
{
    uint32_t count = px_kdtree_range(&w->tree, (float)x.x, (float)x.y, (float)x.z,
                                     (float)(REACH * w->def->spacing), found, ROOM);
    return count < ROOM ? count : ROOM;
}

/* 1 - r / h, the weight of all sums. */
static double weight(const Work *w, double distance)
{
    return fmax(0, 1 - distance / (REACH * w->def->spacing));
}

static void normal_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Work *w = user;
    uint32_t found[ROOM];
    for (uint32_t i = begin; i < end; ++i) {
        PxVec3 x = vector(w->fluid->x, i), sum = px_vec(0, 0, 0);
        uint32_t count = around(w, x, found);
        for (uint32_t k = 0; k < count; ++k) {
            PxVec3 apart = px_sub(x, vector(w->fluid->x, found[k]));
            double r = px_length(apart);
            if (r > 0)
                sum = px_mad(sum, apart, weight(w, r) / r);
        }
        bool surface = count < SURFACE_BELOW;
        sum = surface ? px_normalized(sum, px_vec(0, 0, 0)) : px_vec(0, 0, 0);
        w->normal[i][0] = (float)sum.x;
        w->normal[i][1] = (float)sum.y;
        w->normal[i][2] = (float)sum.z;
    }
}

static PxVec3 normal_of(const Work *w, uint32_t i)
{
    return px_vec((double)w->normal[i][0], (double)w->normal[i][1], (double)w->normal[i][2]);
}

/* Equations 2 to 8. */
static void born_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Work *w = user;
    double u = w->def->speed;
    uint32_t found[ROOM];
    for (uint32_t i = begin; i < end; ++i) {
        PxVec3 x = vector(w->fluid->x, i), v = vector(w->fluid->v, i), n = normal_of(w, i);
        double speed = px_length(v), fast = potential(speed * speed, FAST_FROM * FAST_FROM * u * u,
                                                      FAST_TO * FAST_TO * u * u);
        w->born[i] = 0;
        if (!(fast > 0))
            continue;
        double trapped = 0, all = 0, crest = 0;
        uint32_t count = around(w, x, found);
        for (uint32_t k = 0; k < count; ++k) {
            PxVec3 apart = px_sub(x, vector(w->fluid->x, found[k]));
            double r = px_length(apart), part = weight(w, r);
            if (!(r > 0))
                continue;
            PxVec3 slip = px_sub(v, vector(w->fluid->v, found[k])), m = normal_of(w, found[k]);
            double slides = px_length(slip);
            if (slides > 0)
                trapped += part * slides * (1 - px_dot(slip, apart) / (slides * r));
            all += part;
            if (px_dot(m, m) > 0 && px_dot(apart, n) > 0) /* the neighbour lies below: convex */
                crest += part * (1 - px_dot(n, m));
        }
        bool ahead = px_dot(n, n) > 0 && px_dot(v, n) >= CREST_COSINE * speed;
        double air = potential(all > 0 ? trapped / all : 0, TRAPPED_FROM * u, TRAPPED_TO * u);
        double wave = ahead ? potential(crest, CREST_FROM, CREST_TO) : 0;
        w->born[i] = w->def->amount * fast * (TRAPPED_RATE * air + CREST_RATE * wave) * w->dt;
    }
}

/* Keeps a diffuse particle out of walls; true if it touches one. */
static bool keep_out(const PxFoamDef *def, PxFoamGrain *g)
{
    bool touches = false;
    for (size_t k = 0; k < def->walls; ++k) {
        const PxWall *wall = def->wall[k];
        PxVec3 x = px_vec((double)g->x[0], (double)g->x[1], (double)g->x[2]), normal;
        PxVec3 rest = px_wall_to_rest(wall, 0, x);
        double d = px_wall_near(wall, 0, rest, 4 * def->spacing, &normal) - (double)g->radius;
        if (!(d < 0))
            continue;
        normal = px_wall_turn_to_world(wall, 0, normal);
        PxVec3 v = px_vec((double)g->v[0], (double)g->v[1], (double)g->v[2]);
        double into = px_dot(v, normal);
        x = px_mad(x, normal, -d);
        v = into < 0 ? px_scale(px_mad(v, normal, -into), 0.7) : v;
        const double at[3] = {x.x, x.y, x.z}, as[3] = {v.x, v.y, v.z};
        for (int c = 0; c < 3; ++c) {
            g->x[c] = (float)at[c];
            g->v[c] = (float)as[c];
        }
        touches = true;
    }
    return touches;
}

/* Equations 9 to 12. */
static void move_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Work *w = user;
    const PxFoamDef *def = w->def;
    uint32_t found[ROOM];
    for (uint32_t i = begin; i < end; ++i) {
        PxFoamGrain *g = &w->foam->grains.data[i];
        PxVec3 x = px_vec((double)g->x[0], (double)g->x[1], (double)g->x[2]);
        PxVec3 v = px_vec((double)g->v[0], (double)g->v[1], (double)g->v[2]), flow = {0, 0, 0};
        uint32_t count = around(w, x, found);
        double all = 0;
        for (uint32_t k = 0; k < count; ++k) {
            double part = weight(w, px_length(px_sub(x, vector(w->fluid->x, found[k]))));
            flow = px_mad(flow, vector(w->fluid->v, found[k]), part);
            all += part;
        }
        g->kind = count < SPRAY_BELOW    ? PX_FOAM_SPRAY
                  : count > BUBBLE_ABOVE ? PX_FOAM_BUBBLE
                                         : PX_FOAM_FOAM;
        flow = all > 0 ? px_scale(flow, 1 / all) : v;
        if (g->kind == PX_FOAM_SPRAY)
            v = px_mad(v, def->gravity, w->dt);
        else if (g->kind == PX_FOAM_FOAM)
            v = flow;
        else
            v = px_add(px_mad(v, def->gravity, -BUOYANCY * w->dt), px_scale(px_sub(flow, v), DRAG));
        x = px_mad(x, v, w->dt);
        const double at[3] = {x.x, x.y, x.z}, as[3] = {v.x, v.y, v.z};
        for (int c = 0; c < 3; ++c) {
            g->x[c] = (float)at[c];
            g->v[c] = (float)as[c];
        }
        bool touches = keep_out(def, g);
        if (g->kind == PX_FOAM_FOAM || (touches && g->kind == PX_FOAM_SPRAY))
            g->left -= (float)w->dt;
    }
}

static bool is_over(const PxFoamGrain *g)
{
    return !(g->left > 0) || !isfinite(g->x[0] + g->x[1] + g->x[2]);
}

/* Places a new particle in the cylinder that the fluid particle sweeps (equation 13, figure 4). */
static PxFoamGrain grain_of(const Work *w, uint32_t i, uint64_t step, uint64_t k)
{
    uint64_t id = w->fluid->id[i];
    PxVec3 x = vector(w->fluid->x, i), v = vector(w->fluid->v, i);
    double speed = px_length(v), s = w->def->spacing, u[5];
    for (uint64_t n = 0; n < 5; ++n)
        u[n] = px_random_unit(id, step, 8 * k + n);
    PxVec3 along = px_normalized(v, px_vec(0, 1, 0));
    PxVec3 side = px_normalized(
        px_cross(along, fabs(along.x) < 0.6 ? px_vec(1, 0, 0) : px_vec(0, 1, 0)), px_vec(0, 0, 1));
    PxVec3 other = px_cross(along, side);
    double r = 0.7 * s * sqrt(u[0]), angle = 2 * 3.14159265358979 * u[1];
    PxVec3 out = px_add(px_scale(side, r * cos(angle)), px_scale(other, r * sin(angle)));
    x = px_add(px_mad(x, along, u[2] * speed * w->dt), out);
    v = px_mad(v, out, 0.15 * speed / s);
    PxFoamGrain g = {.radius = (float)(s * (0.035 + 0.075 * u[3] * u[3])),
                     .left = (float)(w->def->life * (0.4 + 1.2 * u[4])),
                     .kind = PX_FOAM_SPRAY};
    const double at[3] = {x.x, x.y, x.z}, as[3] = {v.x, v.y, v.z};
    for (int c = 0; c < 3; ++c) {
        g.x[c] = (float)at[c];
        g.v[c] = (float)as[c];
    }
    keep_out(w->def, &g);
    return g;
}

static PxStatus add_grains(Work *w, uint64_t step)
{
    PxFoam *foam = w->foam;
    for (uint32_t i = 0; i < w->fluid->count; ++i) {
        double born = w->born[i];
        uint64_t count =
            (uint64_t)(born + px_random_unit(w->fluid->id[i], step, UINT64_MAX)); /* rounded */
        if (count == 0 || foam->grains.count + count > PX_FOAM_MOST)
            continue;
        if (!PX_LIST_RESERVE(&foam->grains, count))
            return px_fail(PX_ERR_MEMORY, "foam: no room for %zu particles", foam->grains.count);
        for (uint64_t k = 0; k < count; ++k)
            foam->grains.data[foam->grains.count++] = grain_of(w, i, step, k);
    }
    return PX_OK;
}

PxStatus px_foam_step(PxFoam *foam, const PxFoamDef *def, const PxFoamFluid *fluid, uint64_t step,
                      double dt)
{
    Work w = {.def = def, .fluid = fluid, .foam = foam, .dt = dt};
    PxArena scratch;
    px_arena_init(&scratch, NULL);
    px_kdtree_init(&w.tree, NULL);
    w.normal = malloc(((size_t)fluid->count + 1) * sizeof *w.normal);
    w.born = malloc(((size_t)fluid->count + 1) * sizeof *w.born);
    PxStatus status = w.normal != NULL && w.born != NULL
                          ? px_kdtree_build(&w.tree, fluid->x[0], fluid->x[1], fluid->x[2],
                                            fluid->count, &scratch)
                          : px_fail(PX_ERR_MEMORY, "foam: no room for %u particles", fluid->count);
    if (status == PX_OK) {
        px_parallel_for(&def->threads, (uint32_t)foam->grains.count, 256, move_block, &w);
        size_t kept = 0;
        for (size_t k = 0; k < foam->grains.count; ++k)
            if (!is_over(&foam->grains.data[k]))
                foam->grains.data[kept++] = foam->grains.data[k];
        foam->grains.count = kept;
        px_parallel_for(&def->threads, fluid->count, 256, normal_block, &w);
        px_parallel_for(&def->threads, fluid->count, 256, born_block, &w);
        status = add_grains(&w, step);
    }
    free(w.normal);
    free(w.born);
    px_kdtree_free(&w.tree);
    px_arena_free(&scratch);
    return status;
}

void px_foam_free(PxFoam *foam)
{
    PX_LIST_FREE(&foam->grains);
    *foam = (PxFoam){0};
}
