/// Surface energy after He et al. (2014). With 004 Eqs. 6.12 to 6.14,
///
///   m_i a_i = kappa / 2 sum_j V_i V_j (e_i + e_j) / 2 grad W_ij
///   e_i = |g_i / c_i|^2,   g_i = sum_j V_j c_j grad W_ij,   c_i = sum_j V_j W_ij
///
/// with the smoothed colour c_j of the neighbours in the gradient (Eqs. 6.12 and 6.13). Walls count
/// as fluid of colour 1. It attracts where the colour field varies. The force is along the pair, so
/// linear and angular momentum are conserved.
#include "fluid/tension/tension.h"

#include <math.h>

enum { KAPPA };

static const PxField fields[] = {
    {.key = "kappa",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE,
     .offset = KAPPA * sizeof(double),
     .unit = "N",
     .least = 0,
     .most = 1e6,
     .help = "Coefficient of the surface energy: its density is kappa / 2 times the squared "
             "gradient of the colour field (He et al. 2014)."},
};

static const double defaults[] = {[KAPPA] = 1};

/* Restoring force on a particle among fixed ones at displacement d: V p d times the second
 * derivative of W at 0, p = kappa e / 2. An isolated pair has the largest e, (3 / s)^2. */
static double step_limit(const PxFluid *f, const PxMaterial *material)
{
    double h = (double)f->kernel.h, s = f->spacing, kappa = material->def.tension.param[KAPPA];
    if (!(kappa > 0))
        return INFINITY;
    double squeezed = 0.5 * kappa * 9 / (s * s);
    return f->courant * h * sqrt(material->def.density / (3.8 * squeezed));
}

/* e is 0.29 / s^2 in the first layer of a flat lattice surface; a quarter is near enough here. */
static double squeeze(const PxFluid *f, const PxMaterial *material)
{
    return material->def.tension.param[KAPPA] / (8 * f->spacing * f->spacing);
}

typedef struct Job {
    const PxFluid *fluid;
    uint32_t slot;
    float kappa;
    PxColour colour;
    const float *weight; /* V c */
    float *energy;       /* e, 1/m^2 */
    float *normals;      /* quads, for e alone */
} Job;

static void weight_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    float *weight = (float *)job->weight;
    for (uint32_t i = begin; i < end; ++i)
        weight[i] = job->fluid->volume[i] * job->colour.filled[i];
}

/* Replaces the gradient of c = 1 by that of the smoothed colour. The fourth component of quad is
 * V c. */
static void gradient_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    const PxFluid *f = job->fluid;
    const PxKernel kernel = f->kernel;
    PxF8 tiny = px_f8(1e-12f * kernel.h), zero = px_f8(0.0f);
    for (uint32_t i = begin; i < end; ++i) {
        if (f->particles->material[i] != job->slot)
            continue;
        PxPlace8 at = px_place8(f->quad, i);
        PxF8 nx = zero, ny = zero, nz = zero;
        PX_FOR_NEIGHBOURS(f->pairs, i, j)
        {
            PxF8 x, y, z, weight;
            px_f8_load_ways(f->quad, j, &at, &x, &y, &z, &weight);
            PxF8 r = px_f8_max(px_f8_sqrt(x * x + y * y + z * z), tiny);
            PxF8 c = weight * px_kernel_slope8(&kernel, r);
            nx += c * x;
            ny += c * y;
            nz += c * z;
        }
        job->colour.x[i] = kernel.norm_slope * px_f8_sum(nx) + 0.5f * f->wall_gx[i];
        job->colour.y[i] = kernel.norm_slope * px_f8_sum(ny) + 0.5f * f->wall_gy[i];
        job->colour.z[i] = kernel.norm_slope * px_f8_sum(nz) + 0.5f * f->wall_gz[i];
    }
}

static void energy_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    const float *x = job->colour.x, *y = job->colour.y, *z = job->colour.z;
    const float *filled = job->colour.filled;
    const PxMaterialDef *def = &job->fluid->material[job->slot].def;
    for (uint32_t i = begin; i < end; ++i) {
        float n2 = x[i] * x[i] + y[i] * y[i] + z[i] * z[i];
        job->energy[i] = n2 > 0.0f ? n2 / (filled[i] * filled[i]) : 0.0f;
        if (job->fluid->melted != NULL)
            job->energy[i] *= px_tension_share(job->fluid, def, i);
    }
}

static void force_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    const PxFluid *f = job->fluid;
    PxParticles *p = f->particles;
    const PxPairs *pairs = f->pairs;
    const PxKernel kernel = f->kernel;
    const float *quad = f->quad, *normals = job->normals;
    PxF8 tiny = px_f8(1e-12f * kernel.h);

    for (uint32_t i = begin; i < end; ++i) {
        if (p->material[i] != job->slot)
            continue;
        PxPlace8 at = px_place8(quad, i);
        PxF8 energy_i = px_f8(job->energy[i]), fx = px_f8(0.0f), fy = fx, fz = fx;
        PX_FOR_NEIGHBOURS(pairs, i, j)
        {
            PxF8 x, y, z, volume, u, v, w, energy;
            px_f8_load_ways(quad, j, &at, &x, &y, &z, &volume);
            px_f8_load_quads(normals, j, &u, &v, &w, &energy);
            PxF8 r = px_f8_max(px_f8_sqrt(x * x + y * y + z * z), tiny);
            PxF8 c = volume * (energy_i + energy) * px_kernel_slope8(&kernel, r);
            fx += c * x;
            fy += c * y;
            fz += c * z;
        }
        float scale = 0.25f * job->kappa * kernel.norm_slope * f->volume[i] / p->mass[i];
        px_tension_pull(f, i, scale * px_f8_sum(fx), scale * px_f8_sum(fy), scale * px_f8_sum(fz));
    }
}

static PxStatus add(PxFluid *f, uint32_t slot)
{
    Job job = {.fluid = f, .slot = slot, .kappa = (float)px_tension_most(&f->material[slot].def)};
    PX_TRY(px_tension_colour(f, slot, &job.colour));
    job.energy = PX_ARENA_ARRAY(f->scratch, float, f->count);
    if (job.energy == NULL)
        return px_fail(PX_ERR_MEMORY, "he: no room for the energies of %u particles", f->count);
    job.weight = job.energy; /* until the energies are known */
    px_parallel_for(f->threads, f->count, 4 * PX_BLOCK, weight_block, &job);
    px_tension_pack_weight(f, slot, job.weight);
    px_parallel_for(f->threads, f->count, PX_BLOCK, gradient_block, &job);
    px_tension_pack_weight(f, slot, f->volume);
    px_parallel_for(f->threads, f->count, 4 * PX_BLOCK, energy_block, &job);
    PX_TRY(px_tension_normals(f, &job.colour, job.energy, &job.normals));
    px_parallel_for(f->threads, f->count, PX_BLOCK, force_block, &job);
    return PX_OK;
}

extern const PxTensionModel PX_ISA_NAME(px_he);
const PxTensionModel PX_ISA_NAME(px_he) = {
    .info = {"he", "surface energy", fields, PX_COUNT(fields), defaults},
    .step_limit = step_limit,
    .squeeze = squeeze,
    .add = add,
};
