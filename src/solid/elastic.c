#include "solid/elastic.h"

#include "base/random.h"
#include "base/stop.h"
#include "base/sum.h"

#include <math.h>
#include <string.h>

/* Rows per block: small, because solids often have few particles and rows are expensive. */
#define BLOCK 256u

static void energy_part(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    const PxElasticPass *pass = user;
    double sum = 0;
    for (uint32_t i = begin; i < end; ++i)
        sum += px_sum_round(pass->magic, (double)pass->energy[i]);
    part->sum[0] = sum;
}

void px_solid_forces(PxSolid *s, bool measure)
{
    PxElasticPass pass = {.solid = s, .energy = measure ? s->energy : NULL};
    PxRows rows = px_solid_rows(s, BLOCK);
    PxPart most = {.maxima = PX_ELASTIC_MAXIMA}, total = {.sums = 1};
    uint64_t all = px_reduce(&rows,
                             measure ? PX_ISA_PICK(s->isa, px_elastic_measure)
                                     : PX_ISA_PICK(s->isa, px_elastic_strain),
                             &pass, &most);
    double energy = s->press != NULL ? s->press->forces(s->press->user, s) : 0;
    px_parallel_for(s->threads, s->count, BLOCK, PX_ISA_PICK(s->isa, px_elastic_force), &pass);
    /* tr(J^T J) = 3 + 2 tr E: exact for a stretch along one axis */
    s->stretch = 1 + 2 * most.most[PX_ELASTIC_STRETCH];
    /* Stiffness of plane waves relative to that at rest. With Green's strain the force at stretch l
     * is l (l^2 - 1) / 2, and its slope (3 l^2 - 1) / 2. The volume term has the slope (cof J)^2,
     * since det J is linear in gradients of rank one. */
    double areas = 1 + most.most[PX_ELASTIC_SPREAD], part = s->volume_part;
    s->stiffening = (1 - part) * (1.5 * s->stretch - 0.5) + part * areas;
    if (measure) {
        pass.magic = px_sum_magic(most.most[PX_ELASTIC_ENERGY], all);
        px_reduce(&rows, energy_part, &pass, &total);
        s->elastic = total.sum[0] + energy;
    }
    if (s->press != NULL)
        s->press->add(s->press->user, s);
}

/* ---- plastic flow -------------------------------------------------------- */

typedef struct Flow {
    PxSolid *solid;
    double dt;
} Flow;

/* 000 Eq. 5.27, d(E_p)/dt = creep E_e, integrated exactly, so that long steps do not turn more than
 * the whole elastic strain into plastic strain. */
static void flow_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Flow *job = user;
    PxSolid *s = job->solid;
    static const int at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {2, 0}};
    for (uint32_t i = begin; i < end; ++i) {
        const PxSolidLaw *law = px_solid_law_of(s, i);
        if (!(law->creep > 0.0f))
            continue;
        double h[9], e[6], plastic[6], norm = 0, kept = 0;
        for (int k = 0; k < 9; ++k)
            h[k] = (double)s->gradient[px_solid_at(i, k, 9)];
        for (int k = 0; k < 6; ++k) {
            int a = at[k][0], b = at[k][1];
            plastic[k] = (double)s->columns.plastic[k][i];
            e[k] = 0.5 * (h[3 * a + b] + h[3 * b + a] + h[a] * h[b] + h[3 + a] * h[3 + b] +
                          h[6 + a] * h[6 + b]) -
                   plastic[k];
            norm += (k < 3 ? 1 : 2) * e[k] * e[k];
        }
        if (!(norm > (double)law->yield * (double)law->yield))
            continue;
        double part = -expm1(-(double)law->creep * job->dt);
        for (int k = 0; k < 6; ++k) {
            plastic[k] += part * e[k];
            kept += (k < 3 ? 1 : 2) * plastic[k] * plastic[k];
        }
        double limit = (double)law->limit, scale = kept > limit * limit ? limit / sqrt(kept) : 1;
        for (int k = 0; k < 6; ++k)
            s->columns.plastic[k][i] = (float)(scale * plastic[k]);
    }
}

void px_solid_flow(PxSolid *s, double dt)
{
    bool any = s->row_law != NULL;
    for (uint32_t k = 0; k < s->frames; ++k)
        any = any || px_solid_law_of(s, s->frame[k].begin)->creep > 0.0f;
    if (!any)
        return;
    Flow job = {s, dt};
    s->strained = true;
    px_parallel_for(s->threads, s->count, PX_BLOCK, flow_block, &job);
}

/* ---- the highest frequency ----------------------------------------------- */

typedef struct Power {
    PxSolid *solid;
    const float *from, *still; /* displacements linearised about, and their accelerations */
    float scale;
    float most; /* largest component of the change of a */
} Power;

/* Start vector of the power iteration: equal magnitudes with hashed signs excite all modes. */
static void start_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Power *job = user;
    PxSolid *s = job->solid;
    for (uint32_t i = begin; i < end; ++i)
        for (int c = 0; c < 3; ++c) {
            uint64_t bits = px_random_bits(s->particles->id[i], 0, (uint64_t)c);
            s->u[4 * (size_t)i + (size_t)c] =
                job->from[4 * (size_t)i + (size_t)c] + (bits & 1 ? job->scale : -job->scale);
        }
}

static void most_part(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    const Power *job = user;
    const PxSolid *s = job->solid;
    float most = 0;
    for (size_t k = 4 * (size_t)begin; k < 4 * (size_t)end; ++k) {
        float a = fabsf(s->a[k] - job->still[k]);
        most = a > most ? a : most;
    }
    part->most[0] = (double)most;
}

static void next_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Power *job = user;
    PxSolid *s = job->solid;
    float scale = -job->scale / job->most;
    for (uint32_t i = begin; i < end; ++i)
        for (size_t c = 0; c < 3; ++c) {
            size_t k = 4 * (size_t)i + c;
            s->u[k] = job->from[k] + scale * (s->a[k] - job->still[k]);
        }
}

/* Power iterations (von Mises and Pollaczek-Geiringer 1929). The estimate rises towards the highest
 * eigenvalue; on lattice blocks it is within 0.5 per cent of the value after 600. */
#define ITERATIONS 24

PxStatus px_solid_highest(PxSolid *s, bool now, double *out, double *stiffening)
{
    size_t quads = 4 * ((size_t)s->count + 8);
    PxSolid probe = *s; /* `s` keeps its displacements */
    probe.press = NULL;
    PxArenaMark mark = px_arena_mark(s->scratch);
    float *from = PX_ARENA_ARRAY(s->scratch, float, quads);
    float *still = PX_ARENA_ARRAY(s->scratch, float, quads);
    probe.u = PX_ARENA_ARRAY(s->scratch, float, quads);
    probe.pull = PX_ARENA_ARRAY(s->scratch, float, quads);
    probe.columns.bulk = PX_ARENA_ARRAY(s->scratch, float, (size_t)s->count + 8);
    if (from == NULL || still == NULL || probe.u == NULL || probe.pull == NULL ||
        probe.columns.bulk == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u particles", s->count);
    memcpy(probe.u, s->u, quads * sizeof(float));
    memset(probe.pull, 0, quads * sizeof(float));
    *stiffening = 1;
    if (now) {
        memcpy(probe.columns.bulk, s->columns.bulk, s->count * sizeof(float));
        memcpy(from, s->u, quads * sizeof(float));
        px_solid_forces(&probe, false);
        memcpy(still, probe.a, quads * sizeof(float));
        *stiffening = probe.stiffening;
    } else {
        for (uint32_t i = 0; i < s->count; ++i)
            probe.columns.bulk[i] = 1.0f;
        memset(from, 0, quads * sizeof(float));
        memset(still, 0, quads * sizeof(float));
        probe.strained = false;
    }
    Power job = {
        .solid = &probe, .from = from, .still = still, .scale = 1e-4f * s->columns.support[0]};
    px_parallel_for(s->threads, s->count, PX_BLOCK, start_block, &job);
    double highest = 0;
    PxRows rows = px_solid_rows(s, PX_BLOCK);
    for (int k = 0; k < ITERATIONS; ++k) {
        PX_TRY(px_stop_check(s->threads));
        px_solid_forces(&probe, false);
        PxPart most = {.maxima = 1};
        px_reduce(&rows, most_part, &job, &most);
        job.most = (float)most.most[0];
        if (!(job.most > 0.0f))
            break;
        highest = fmax(highest, k > ITERATIONS / 2 ? (double)(job.most / job.scale) : 0);
        px_parallel_for(s->threads, s->count, PX_BLOCK, next_block, &job);
    }
    px_arena_release(s->scratch, mark);
    *out = highest;
    return PX_OK;
}
