/// Attraction between particles after Becker and Teschner (2007). With 004 Eqs. 6.4 and 6.5,
///
///   m_i a_i = - phi sum_j m_j (x_i - x_j) W(r)
///
/// with poly6 for W (004 section 6.4, Eq. 2.39), and the mean of m_i and m_j for m_j, which is the
/// same within a material and conserves momentum if masses ever differ. The force is along the
/// pair, so angular momentum is conserved too.
///
/// It attracts at any distance, so particles cluster. `becker-cut` has no force below a cut-off
/// distance (004 section 6.3.2); the force rises over a quarter of a spacing, since a jump would
/// create energy in steps of finite length. 004 does not give the distance. It was chosen with a
/// cube of 10^3 particles (study/drop.h, phi = 0.05, 2 s): at 0.6 spacings it becomes as round as
/// without a cut-off, at 0.9, which removes the nearest lattice neighbours, it does not.
#include "fluid/tension/tension.h"

#include <math.h>

enum { PHI, CUT };

#define RISE 0.25 /* spacings */

static const PxField fields[] = {
    {.key = "phi",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE,
     .offset = PHI * sizeof(double),
     .unit = "m^3/s^2",
     .least = 0,
     .most = 1e6,
     .help = "Strength of the attraction between neighbours (Becker and Teschner 2007)."},
    {.key = "cut",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE,
     .offset = CUT * sizeof(double),
     .unit = "spacings",
     .least = 0,
     .most = 4,
     .help = "Distance below which neighbours do not attract each other."},
};

static const double defaults[] = {[PHI] = 0.05, [CUT] = 0.6};

/* A particle among fixed ones oscillates with squared frequency phi sum W = phi / V. */
static double step_limit(const PxFluid *f, const PxMaterial *material)
{
    double s = f->spacing, phi = material->def.tension.param[PHI];
    return phi > 0 ? f->courant * sqrt(s * s * s / phi) : INFINITY;
}

/* The pressure of pair forces in a full neighbourhood is 1/6 of the sum of r f per volume (virial;
 * Clausius 1870); the mean of r^2 over poly6 is 3/11 h^2. */
static double squeeze(const PxFluid *f, const PxMaterial *material)
{
    double s = f->spacing, h = (double)f->kernel.h;
    return material->def.tension.param[PHI] * material->def.density * h * h / (22 * s * s * s);
}

typedef struct Job {
    const PxFluid *fluid;
    uint32_t slot;
    float phi, cut, rise; /* m^3/s^2, m, 1/m */
    const float *weight;  /* masses; with melting, times px_tension_share() */
} Job;

static void force_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    const PxFluid *f = job->fluid;
    PxParticles *p = f->particles;
    const PxPairs *pairs = f->pairs;
    const float *quad = f->quad;
    double h = (double)f->kernel.h;
    float norm = (float)(315 / (64 * PX_PI * h * h * h));
    PxF8 per_h2 = px_f8(1.0f / (f->kernel.h * f->kernel.h)), zero = px_f8(0.0f), one = px_f8(1.0f);
    PxF8 cut = px_f8(job->cut), rise = px_f8(job->rise);

    for (uint32_t i = begin; i < end; ++i) {
        if (p->material[i] != job->slot)
            continue;
        PxPlace8 at = px_place8(quad, i);
        PxF8 mass_i = px_f8(job->weight[i]), fx = zero, fy = zero, fz = zero;
        PX_FOR_NEIGHBOURS(pairs, i, j)
        {
            PxF8 x, y, z, mass;
            px_f8_load_ways(quad, j, &at, &x, &y, &z, &mass);
            PxF8 r2 = x * x + y * y + z * z, t = px_f8_max(one - r2 * per_h2, zero);
            PxF8 whole = px_f8_min(px_f8_max((px_f8_sqrt(r2) - cut) * rise, zero), one);
            PxF8 c = px_f8_where(mass > zero, mass + mass_i) * (t * t * t) * whole;
            fx += c * x;
            fy += c * y;
            fz += c * z;
        }
        float scale = -0.5f * job->phi * norm / p->mass[i];
        px_tension_pull(f, i, scale * px_f8_sum(fx), scale * px_f8_sum(fy), scale * px_f8_sum(fz));
    }
}

static PxStatus run(PxFluid *f, Job *job)
{
    PX_TRY(px_tension_masses(f, job->slot, &job->weight));
    px_tension_pack_weight(f, job->slot, job->weight);
    px_parallel_for(f->threads, f->count, PX_BLOCK, force_block, job);
    return PX_OK;
}

static PxStatus add(PxFluid *f, uint32_t slot)
{
    double phi = px_tension_most(&f->material[slot].def);
    /* no cut-off: full force from r = 0 on */
    Job job = {f, slot, (float)phi, -(float)f->spacing, (float)(2 / f->spacing), NULL};
    return run(f, &job);
}

static PxStatus add_cut(PxFluid *f, uint32_t slot)
{
    const double *param = f->material[slot].def.tension.param;
    double phi = px_tension_most(&f->material[slot].def);
    Job job = {
        f,   slot, (float)phi, (float)(param[CUT] * f->spacing), (float)(1 / (RISE * f->spacing)),
        NULL};
    return run(f, &job);
}

extern const PxTensionModel PX_ISA_NAME(px_becker), PX_ISA_NAME(px_becker_cut);
const PxTensionModel PX_ISA_NAME(px_becker) = {
    .info = {"becker", "attraction between particles", fields, CUT, defaults},
    .step_limit = step_limit,
    .squeeze = squeeze,
    .add = add,
};
const PxTensionModel PX_ISA_NAME(px_becker_cut) = {
    .info = {"becker-cut", "attraction between particles, none between near ones", fields,
             PX_COUNT(fields), defaults},
    .step_limit = step_limit,
    .squeeze = squeeze,
    .add = add_cut,
};
