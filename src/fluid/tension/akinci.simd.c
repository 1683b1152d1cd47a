/// Cohesion and surface-area minimisation after Akinci, Akinci and Teschner (2013). With 004
/// Eqs. 6.6 to 6.11,
///
///   m_i a_i = - gamma sum_j K_ij ( m_i m_j C(r) r_ij / r + m_ij (n_i - n_j) )
///   n_i = h sum_j V_j grad W_ij,   K_ij = 2 rho_0 / (rho_i + rho_j)
///
/// where m_ij is the mean of the two masses (004 Eq. 6.9 has m_i: the same within a
/// material). K depends on the pair, so it is inside the sum (004 Eq. 6.10 has it in front). No
/// unit of gamma suits both terms; as in 004 it is meant for m, kg and s.
///
/// Each pair conserves linear momentum, but not angular momentum, since n_i - n_j is not along
/// r_ij. As a gradient n has no curl; the rotation that the normals around a particle show is an
/// error of their sums. So n_i - n_j is replaced by
///
///   n_i - n_j - (w_i + w_j) / 2 x r_ij
///
/// with w_i the least-squares rotation of the differences around i (fluid/turn.h), which leaves
/// no net torque.
#include "fluid/tension/tension.h"
#include "fluid/turn.h"

#include <math.h>

enum { GAMMA };

static const PxField fields[] = {
    {.key = "strength",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE,
     .offset = GAMMA * sizeof(double),
     .unit = "",
     .least = 0,
     .most = 1e6,
     .help = "Coefficient gamma of the cohesion and of the surface area term (Akinci et al. "
             "2013)."},
};

static const double defaults[] = {[GAMMA] = 1};

#define NEIGHBOURS 30.0

/* Stiffness of one particle among fixed ones of a lattice: a displacement d changes its normal by
 * 3.8 d / h (the second derivative of W at 0 times V), with a force from all neighbours; cohesion
 * adds at most 0.15 rho d / h times gamma. */
static double step_limit(const PxFluid *f, const PxMaterial *material)
{
    double h = (double)f->kernel.h, gamma = material->def.tension.param[GAMMA];
    double rate2 = gamma * (NEIGHBOURS * 3.8 + 0.15 * material->def.density) / h;
    return gamma > 0 ? f->courant / sqrt(rate2) : INFINITY;
}

/* Cohesion: 1/6 of the sum of r f per volume (virial; Clausius 1870). Normals: a layer with
 * n = h / (2 s) is attracted by all its neighbours. */
static double squeeze(const PxFluid *f, const PxMaterial *material)
{
    double h = (double)f->kernel.h, rho = material->def.density;
    double gamma = material->def.tension.param[GAMMA];
    return gamma * (rho * rho * h * 128 * PX_COHESION_MOMENT / 6 + rho * NEIGHBOURS * h / 2);
}

typedef struct Job {
    const PxFluid *fluid;
    uint32_t slot;
    float gamma, density; /* at rest */
    const float *weight;  /* masses; with melting, times px_tension_share() */
    PxColour colour;
    float *normals; /* quads of grad c and the density */
    float *turn;    /* quads of w / 2 */
} Job;

/* Factor of the difference of normals for 8 pairs, over gamma rho_0 h. */
PX_INLINE PxF8 smoothing(PxF8 thin, PxF8 mass_i, PxF8 mass)
{
    return thin * px_f8_where(mass > px_f8(0.0f), mass_i + mass);
}

static void turn_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    const PxFluid *f = job->fluid;
    const PxParticles *p = f->particles;
    const PxPairs *pairs = f->pairs;
    const float *quad = f->quad, *normals = job->normals;
    PxF8 one = px_f8(1.0f);

    for (uint32_t i = begin; i < end; ++i) {
        float *turn = job->turn + 4 * (size_t)i;
        turn[0] = turn[1] = turn[2] = turn[3] = 0.0f;
        if (p->material[i] != job->slot)
            continue;
        PxPlace8 at = px_place8(quad, i);
        PxF8 ui = px_f8(job->colour.x[i]), vi = px_f8(job->colour.y[i]);
        PxF8 wi = px_f8(job->colour.z[i]), density_i = px_f8(p->density[i]);
        PxF8 mass_i = px_f8(job->weight[i]);
        PxTurn8 sum = {0};
        PX_FOR_NEIGHBOURS(pairs, i, j)
        {
            PxF8 x, y, z, mass, u, v, w, density;
            px_f8_load_ways(quad, j, &at, &x, &y, &z, &mass);
            px_f8_load_quads(normals, j, &u, &v, &w, &density);
            PxF8 d = smoothing(one / (density_i + density), mass_i, mass);
            u = d * (ui - u);
            v = d * (vi - v);
            w = d * (wi - w);
            px_turn_add_b8(&sum, x, y, z, u, v, w);
            px_turn_add8(&sum, d, x, y, z);
        }
        float inverse[6];
        px_turn_inverse8(&sum, inverse);
        px_turn_apply8(&sum, inverse, 0.5f, turn);
    }
}

/* With melting the gamma of a pair is the mean of the two; masses within a material are equal. */
PX_INLINE void add_forces(const Job *job, uint32_t begin, uint32_t end, bool melting)
{
    const PxFluid *f = job->fluid;
    PxParticles *p = f->particles;
    const PxPairs *pairs = f->pairs;
    const float *quad = f->quad, *normals = job->normals, *turns = job->turn;
    float h = f->kernel.h;
    PxF8 tiny = px_f8(1e-12f * h), per_h = px_f8(1.0f / h), zero = px_f8(0.0f), one = px_f8(1.0f);
    PxF8 half_h = px_f8(0.5f * h), half = px_f8(0.5f);
    float norm = (float)(32 / (PX_PI * (double)h * (double)h * (double)h));

    for (uint32_t i = begin; i < end; ++i) {
        if (p->material[i] != job->slot)
            continue;
        PxPlace8 at = px_place8(quad, i);
        PxF8 ui = px_f8(job->colour.x[i]), vi = px_f8(job->colour.y[i]);
        PxF8 wi = px_f8(job->colour.z[i]), density_i = px_f8(p->density[i]);
        PxF8 mass_i = px_f8(job->weight[i]), cohesion = px_f8(norm * p->mass[i]);
        PxF8 fx = zero, fy = zero, fz = zero;
        const float *ti = turns + 4 * (size_t)i;
        PX_FOR_NEIGHBOURS(pairs, i, j)
        {
            PxF8 x, y, z, mass, u, v, w, density, tx, ty, tz, unused;
            px_f8_load_ways(quad, j, &at, &x, &y, &z, &mass);
            px_f8_load_quads(normals, j, &u, &v, &w, &density);
            px_f8_load_quads(turns, j, &tx, &ty, &tz, &unused);
            tx += px_f8(ti[0]);
            ty += px_f8(ti[1]);
            tz += px_f8(ti[2]);
            PxF8 r = px_f8_max(px_f8_sqrt(x * x + y * y + z * z), tiny);
            PxF8 thin = one / (density_i + density);
            PxF8 pull = melting ? px_f8_where(mass > zero, half * (mass_i + mass)) : mass;
            PxF8 c = thin * cohesion * pull * px_cohesion8(r * per_h) / r;
            PxF8 d = half_h * smoothing(thin, mass_i, mass);
            fx += c * x + d * (ui - u - (ty * z - tz * y));
            fy += c * y + d * (vi - v - (tz * x - tx * z));
            fz += c * z + d * (wi - w - (tx * y - ty * x));
        }
        float scale = -2.0f * job->gamma * job->density / p->mass[i];
        px_tension_pull(f, i, scale * px_f8_sum(fx), scale * px_f8_sum(fy), scale * px_f8_sum(fz));
    }
}

static void force_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    add_forces(user, begin, end, false);
}

static void melting_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    add_forces(user, begin, end, true);
}

static PxStatus add(PxFluid *f, uint32_t slot)
{
    Job job = {.fluid = f,
               .slot = slot,
               .gamma = (float)px_tension_most(&f->material[slot].def),
               .density = (float)f->material[slot].def.density};
    PX_TRY(px_tension_colour(f, slot, &job.colour));
    PX_TRY(px_tension_normals(f, &job.colour, f->particles->density, &job.normals));
    job.turn = PX_ARENA_ARRAY(f->scratch, float, px_quads_floats(px_fluid_visible(f)));
    if (job.turn == NULL)
        return px_fail(PX_ERR_MEMORY, "akinci: no room for the turns of %u particles", f->count);
    PX_TRY(px_tension_masses(f, slot, &job.weight));
    px_tension_pack_weight(f, slot, job.weight);
    float *behind = job.turn + 4 * (size_t)px_fluid_visible(f);
    behind[0] = behind[1] = behind[2] = behind[3] = 0.0f;
    px_parallel_for(f->threads, f->count, PX_BLOCK, turn_block, &job);
    px_fluid_refresh_quads(f, job.turn);
    px_parallel_for(f->threads, f->count, PX_BLOCK, f->melted != NULL ? melting_block : force_block,
                    &job);
    return PX_OK;
}

extern const PxTensionModel PX_ISA_NAME(px_akinci);
const PxTensionModel PX_ISA_NAME(px_akinci) = {
    .info = {"akinci", "cohesion and smooth normals", fields, PX_COUNT(fields), defaults},
    .step_limit = step_limit,
    .squeeze = squeeze,
    .add = add,
};
