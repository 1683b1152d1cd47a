#include "fluid/viscosity/free_change.h"

#include "base/mat3.h"
#include "dist/disjoint_sets.h"

#include <math.h>
#include <string.h>

/* Sums over the rows of a set. Additions are exact (base/sum.h): all summands of one kind are
 * rounded to one quantum. */
enum {
    MASS,
    PLACE,
    CHANGE = PLACE + 3,  /* m x: the momentum of the change */
    MOMENT = CHANGE + 3, /* its moment about the origin */
    SECOND = MOMENT + 3, /* m times xx, yy, zz, xy, yz, zx of the positions */
    SUMS = SECOND + 6
};

typedef struct Job {
    const PxFluid *fluid;
    const PxFreeSets *free;
    const float *x;
    double magic[SUMS];
} Job;

static void terms(const Job *job, uint32_t i, double term[SUMS])
{
    const PxParticles *p = job->fluid->particles;
    const float *x = job->x + 4 * (size_t)i;
    double m = (double)p->mass[i];
    PxVec3 at = px_particle_place(p, i);
    PxVec3 change = px_vec((double)x[0], (double)x[1], (double)x[2]), moment = px_cross(at, change);
    const double place[3] = {at.x, at.y, at.z};
    const double is[3] = {change.x, change.y, change.z}, turns[3] = {moment.x, moment.y, moment.z};
    term[MASS] = m;
    for (int k = 0; k < 3; ++k) {
        term[PLACE + k] = m * place[k];
        term[CHANGE + k] = m * is[k];
        term[MOMENT + k] = m * turns[k];
        term[SECOND + k] = m * place[k] * place[k];
        term[SECOND + 3 + k] = m * place[k] * place[(k + 1) % 3];
    }
}

static void sizes_part(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    const Job *job = user;
    double most[SUMS] = {0}, term[SUMS];
    for (uint32_t i = begin; i < end; ++i) {
        terms(job, i, term);
        for (int k = 0; k < SUMS; ++k)
            most[k] = fabs(term[k]) > most[k] ? fabs(term[k]) : most[k];
    }
    memcpy(part->most, most, sizeof most);
}

/* ---- the sets ------------------------------------------------------------- */

/* Rows that are joined by one thread before the serial part joins the blocks. */
#define JOINED (4 * PX_BLOCK)

typedef struct Joins {
    const PxPairs *pairs;
    const float *viscous;
    PxDisjointSets *sets;
    uint8_t *leaves; /* by row: it has neighbours in other blocks */
} Joins;

/* Joins pairs within a block: no row of another one is touched. The larger row joins a pair. */
static void join_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Joins *job = user;
    const PxPairs *pairs = job->pairs;
    PxDisjointSets *sets = job->sets;
    for (uint32_t i = begin; i < end; ++i)
        if (job->viscous[i] > 0.0f)
            px_sets_add(sets, i);
    for (uint32_t i = begin; i < end; ++i) {
        job->leaves[i] = 0;
        if (!(job->viscous[i] > 0.0f))
            continue;
        for (uint32_t k = 0; k < pairs->size[i]; ++k) {
            uint32_t j = pairs->row[pairs->start[i] + k];
            if (j < begin || j >= pairs->count)
                job->leaves[i] = 1;
            else if (j < i && job->viscous[j] > 0.0f && sets->root[j] != sets->root[i])
                px_sets_join(sets, i, j);
        }
    }
}

static PxStatus find_sets(const PxFluid *f, const float *mu, PxDisjointSets *sets)
{
    const PxPairs *pairs = f->pairs;
    uint32_t visible = px_fluid_visible(f);
    float *viscous = PX_ARENA_ARRAY(f->scratch, float, visible);
    Joins job = {pairs, viscous, sets, PX_ARENA_ARRAY(f->scratch, uint8_t, f->count)};
    PX_TRY(px_sets_begin(sets, visible, f->scratch));
    if (viscous == NULL || job.leaves == NULL)
        return px_fail(PX_ERR_MEMORY, "viscosity: no room for %u particles", visible);
    memcpy(viscous, mu, f->count * sizeof *viscous);
    px_fluid_refresh(f, viscous, sizeof *viscous, sizeof *viscous);
    for (uint32_t i = f->count; i < visible; ++i)
        if (viscous[i] > 0.0f)
            px_sets_add(sets, i);
    px_parallel_for(f->threads, f->count, JOINED, join_block, &job);
    for (uint32_t i = 0; i < f->count; ++i) {
        uint32_t begin = i - i % JOINED;
        for (uint32_t k = 0; job.leaves[i] && k < pairs->size[i]; ++k) {
            uint32_t j = pairs->row[pairs->start[i] + k];
            if ((j < begin || j >= f->count) && viscous[j] > 0.0f && sets->root[j] != sets->root[i])
                px_sets_join(sets, i, j);
        }
    }
    const uint64_t *id = f->particles->id;
    if (f->copies > 0) {
        uint64_t *all = PX_ARENA_ARRAY(f->scratch, uint64_t, visible);
        if (all == NULL)
            return px_fail(PX_ERR_MEMORY, "viscosity: no room for %u particles", visible);
        memcpy(all, id, f->count * sizeof *all);
        px_fluid_refresh(f, all, sizeof *all, sizeof *all);
        id = all;
    }
    return px_sets_number(sets, id, &(PxSetsRanks){f->dist, f->count, f->copies}, f->scratch);
}

PxStatus px_viscosity_free_sets(const PxFluid *f, const float *mu, const uint8_t *tied,
                                PxFreeSets *out)
{
    PxDisjointSets sets;
    PX_TRY(find_sets(f, mu, &sets));
    *out = (PxFreeSets){.set = sets.set, .sets = sets.sets};
    out->held = PX_ARENA_ARRAY(f->scratch, double, sets.sets);
    if (out->held == NULL)
        return px_fail(PX_ERR_MEMORY, "viscosity: no room for %u sets", sets.sets);
    for (uint32_t k = 0; k < sets.sets; ++k)
        out->held[k] = 0;
    for (uint32_t i = 0; i < f->count; ++i)
        if (tied[i] && sets.set[i] > 0)
            out->held[sets.set[i] - 1] = 1;
    px_dist_max(f->dist, out->held, sets.sets);
    for (uint32_t k = 0; k < sets.sets; ++k)
        out->any |= out->held[k] == 0;
    return PX_OK;
}

/* ---- their motion --------------------------------------------------------- */

/* The sums of every set, of all ranks. */
static PxStatus sum_sets(const Job *job, double (**out)[SUMS])
{
    const PxFluid *f = job->fluid;
    uint32_t sets = job->free->sets, total;
    double(*mine)[SUMS] = px_arena_take_array(f->scratch, sets, sizeof *mine), term[SUMS];
    double(*sum)[SUMS] = px_arena_take_array(f->scratch, sets, sizeof *sum);
    if (mine == NULL || sum == NULL)
        return px_fail(PX_ERR_MEMORY, "viscosity: no room for %u sets", sets);
    memset(mine, 0, sets * sizeof *mine);
    memset(sum, 0, sets * sizeof *sum);
    for (uint32_t i = 0; i < f->count; ++i) {
        uint32_t set = job->free->set[i];
        if (set == 0 || job->free->held[set - 1] > 0)
            continue;
        double *to = mine[set - 1];
        terms(job, i, term);
        for (int k = 0; k < SUMS; ++k)
            to[k] += px_sum_round(job->magic[k], term[k]);
    }
    const void *list;
    PX_TRY(px_dist_gather(f->dist, mine, sets, sizeof *mine, f->scratch, &list, &total));
    const double(*all)[SUMS] = list;
    for (uint32_t e = 0; e < total; ++e)
        for (int k = 0; k < SUMS; ++k)
            sum[e % sets][k] += all[e][k];
    *out = sum;
    return PX_OK;
}

/* A rigid motion: v = way + spin X (x - middle). */
typedef struct Rigid {
    PxVec3 middle, way, spin;
} Rigid;

static Rigid rigid_of(const double sum[SUMS])
{
    Rigid out = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    double m = sum[MASS];
    if (!(m > 0))
        return out;
    PxVec3 change = px_vec(sum[CHANGE], sum[CHANGE + 1], sum[CHANGE + 2]);
    PxVec3 moment = px_vec(sum[MOMENT], sum[MOMENT + 1], sum[MOMENT + 2]);
    out.middle = px_scale(px_vec(sum[PLACE], sum[PLACE + 1], sum[PLACE + 2]), 1 / m);
    out.way = px_scale(change, 1 / m);
    const double at[3] = {out.middle.x, out.middle.y, out.middle.z};
    PxMat3 second, inverse;
    for (int a = 0; a < 3; ++a) {
        int b = (a + 1) % 3;
        second.m[a][a] = sum[SECOND + a] - m * at[a] * at[a];
        second.m[a][b] = second.m[b][a] = sum[SECOND + 3 + a] - m * at[a] * at[b];
    }
    PxMat3 inertia = px_mat3_sub(px_mat3_scale(px_mat3_identity(), px_mat3_trace(second)), second);
    if (px_mat3_inverse(inertia, &inverse))
        out.spin = px_mat3_apply(inverse, px_sub(moment, px_cross(out.middle, change)));
    return out;
}

PxStatus px_viscosity_free_change(const PxFluid *f, const PxFreeSets *free, float *x)
{
    if (!free->any)
        return PX_OK;
    PxArenaMark mark = px_arena_mark(f->scratch);
    Job job = {.fluid = f, .free = free, .x = x};
    PxRows rows = px_fluid_rows(f);
    PxPart most = {.maxima = SUMS};
    uint64_t count = px_reduce(&rows, sizes_part, &job, &most);
    for (int k = 0; k < SUMS; ++k)
        job.magic[k] = px_sum_magic(most.most[k], count);
    double(*sum)[SUMS] = NULL;
    PX_TRY(sum_sets(&job, &sum));
    Rigid *motion = PX_ARENA_ARRAY(f->scratch, Rigid, free->sets);
    if (motion == NULL)
        return px_fail(PX_ERR_MEMORY, "viscosity: no room for %u sets", free->sets);
    for (uint32_t k = 0; k < free->sets; ++k)
        motion[k] = rigid_of(sum[k]);
    for (uint32_t i = 0; i < f->count; ++i) {
        uint32_t set = free->set[i];
        if (set == 0 || free->held[set - 1] > 0)
            continue;
        const Rigid *r = &motion[set - 1];
        PxVec3 at = px_sub(px_particle_place(f->particles, i), r->middle);
        PxVec3 less = px_add(r->way, px_cross(r->spin, at));
        float *to = x + 4 * (size_t)i;
        to[0] -= (float)less.x;
        to[1] -= (float)less.y;
        to[2] -= (float)less.z;
    }
    px_arena_release(f->scratch, mark);
    return PX_OK;
}
