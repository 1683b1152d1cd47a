/// Continuum surface force in a form that conserves momentum. After Brackbill, Kothe and Zemach
/// (1992), Mueller et al. (2003) and 002 Eqs. 3.16 to 3.19.
///
/// 002 Eq. 3.19 applies sigma kappa n to every particle. These forces do not sum to zero, so a
/// free drop would propel itself. The same force is the divergence of a stress in the surface
/// (Lafaurie et al. 1994; Hu and Adams 2006),
///   T = sigma delta (I - n n),   div T = sigma kappa n delta,   n the unit normal
/// and pair forces can represent a stress. A pair force along the unit vector r between two
/// particles, of magnitude
///   f_ij = 5/2 V_i V_j ( r . T_i r + r . T_j r ) B(r)
/// conserves linear and angular momentum. The forces sum to the stress T plus half its trace times
/// I: the mean of r r r r over all directions is (d d + d d + d d) / 15, hence the 5/2. The
/// isotropic part is balanced by pressure; it does not change the tension, and it holds the
/// surface together.
///
/// Normals are those of the colour field. delta is 1 / s in the outermost layer of particles and 0
/// elsewhere, with a smooth rise between two magnitudes of the gradient (the threshold of 002).
/// With the magnitude itself for delta, as in 002, the tension would depend on the curvature,
/// since the gradient is larger on small drops.
///
/// B(r) is the function C of Akinci et al. (004 Eq. 6.7), scaled so that the sum of V r B over a
/// full neighbourhood is 3, like that of V r |dW/dr|. Near the surface pressure is too weak to
/// keep attracted particles apart: with dW/dr they would clump. B decreases below one spacing and
/// turns to repulsion.
///
/// Sums over the one-sided neighbourhood of a surface differ from those over a full one. The
/// factor TUNED compensates for it; it was fitted to the pressure 2 sigma / R in resting drops of
/// 6, 8 and 12 spacings radius (study/drop.h, sesph) and checked with the period of the second
/// mode (Rayleigh).
///
/// The remaining dependence on the radius has two reasons. The tension acts in the centres of the
/// outermost layer, half a spacing below the surface, so the pressure follows
/// 2 sigma / (R - s / 2); and drops below 8 spacings radius have too few particles.
#include "fluid/tension/tension.h"

#include <math.h>

#define TUNED 1.6

/* Times sqrt(rho sigma / s) V_i V_j |dW/dr|: damping of pairs at the surface along the pair. The
 * forces above have no potential and create a little energy. Tuned so that a drop of 8 spacings
 * radius comes to rest (study/drop.h, sesph with damping 0.05). */
#define DAMPING 1.5

/* Magnitudes of the gradient, times the spacing, between which delta rises; the gradient is 1/2 at
 * a flat lattice surface and 0 inside. Tuned on resting drops of 8 to 12 spacings radius. */
#define NO_SURFACE 0.1
#define SURFACE 0.35

enum { SIGMA };

static const PxField fields[] = {
    {.key = "sigma",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE,
     .offset = SIGMA * sizeof(double),
     .unit = "N/m",
     .least = 0,
     .most = 1e6,
     .help = "Surface tension; water against air 0.072."},
};

static const double defaults[] = {[SIGMA] = 0.072};

/* Brackbill, Kothe and Zemach (1992), Eq. 61: the shortest capillary wave. */
static double step_limit(const PxFluid *f, const PxMaterial *material)
{
    double h = 0.5 * (double)f->kernel.h, sigma = material->def.tension.param[SIGMA];
    if (!(sigma > 0))
        return INFINITY;
    return f->courant * sqrt(material->def.density * h * h * h / (2 * PX_PI * sigma));
}

/* A drop of two spacings radius. */
static double squeeze(const PxFluid *f, const PxMaterial *material)
{
    return material->def.tension.param[SIGMA] / f->spacing;
}

typedef struct Job {
    const PxFluid *fluid;
    uint32_t slot;
    float scale, drag; /* factors of the tension and of the damping relative to it */
    PxColour colour;   /* finally normalised: unit length or 0 */
    float *surface;    /* s delta; with melting, times px_tension_share() */
    float *damped;     /* s delta times the root of that share; NULL without melting */
    float *normals;    /* quads of normal and `surface` */
} Job;

static void normal_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    float s = (float)job->fluid->spacing;
    const PxMaterialDef *def = &job->fluid->material[job->slot].def;
    float *restrict x = job->colour.x, *restrict y = job->colour.y, *restrict z = job->colour.z;
    for (uint32_t i = begin; i < end; ++i) {
        float length = sqrtf(x[i] * x[i] + y[i] * y[i] + z[i] * z[i]);
        float rise = (s * length - (float)NO_SURFACE) / (float)(SURFACE - NO_SURFACE);
        rise = rise > 0.0f ? rise < 1.0f ? rise : 1.0f : 0.0f;
        float unit = rise > 0.0f ? 1.0f / length : 0.0f;
        x[i] *= unit;
        y[i] *= unit;
        z[i] *= unit;
        job->surface[i] = rise * rise * (3.0f - 2.0f * rise);
        if (job->damped != NULL) {
            float share = px_tension_share(job->fluid, def, i);
            job->damped[i] = sqrtf(share) * job->surface[i];
            job->surface[i] *= share;
        }
    }
}

PX_INLINE void add_forces(const Job *job, uint32_t begin, uint32_t end, bool melting)
{
    const PxFluid *f = job->fluid;
    PxParticles *p = f->particles;
    const PxPairs *pairs = f->pairs;
    const PxKernel kernel = f->kernel;
    const float *quad = f->quad, *normals = job->normals;
    PxF8 drag = px_f8(job->drag);
    PxF8 tiny = px_f8(1e-12f * f->kernel.h), per_h = px_f8(1.0f / f->kernel.h), one = px_f8(1.0f);

    for (uint32_t i = begin; i < end; ++i) {
        if (p->material[i] != job->slot)
            continue;
        PxPlace8 at = px_place8(quad, i);
        PxF8 ui = px_f8(job->colour.x[i]), vi = px_f8(job->colour.y[i]);
        PxF8 wi = px_f8(job->colour.z[i]), surface_i = px_f8(job->surface[i]);
        PxF8 ai = px_f8(p->vx[i]), bi = px_f8(p->vy[i]), ci = px_f8(p->vz[i]);
        PxF8 damped_i = px_f8(melting ? job->damped[i] : 0.0f);
        PxF8 fx = px_f8(0.0f), fy = fx, fz = fx;
        PX_FOR_NEIGHBOURS(pairs, i, j)
        {
            PxF8 x, y, z, volume, u, v, w, surface, a, b, d, damped;
            px_f8_load_ways(quad, j, &at, &x, &y, &z, &volume);
            px_f8_load_quads(normals, j, &u, &v, &w, &surface);
            px_f8_load_quads(f->quad_velocity, j, &a, &b, &d, &damped);
            PxF8 r = px_f8_max(px_f8_sqrt(x * x + y * y + z * z), tiny), per_r = one / r;
            PxF8 cos_i = (ui * x + vi * y + wi * z) * per_r;
            PxF8 cos_j = (u * x + v * y + w * z) * per_r;
            PxF8 c = surface_i * (one - cos_i * cos_i) + surface * (one - cos_j * cos_j);
            c *= px_cohesion8(r * per_h) * per_r;
            PxF8 apart = ((ai - a) * x + (bi - b) * y + (ci - d) * z) * per_r;
            PxF8 near = melting ? damped_i + damped : surface_i + surface;
            c -= drag * near * px_kernel_slope8(&kernel, r) * apart;
            c *= volume;
            fx += c * x;
            fy += c * y;
            fz += c * z;
        }
        float scale = -job->scale * f->volume[i] / p->mass[i];
        p->ax[i] += scale * px_f8_sum(fx);
        p->ay[i] += scale * px_f8_sum(fy);
        p->az[i] += scale * px_f8_sum(fz);
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
    double sigma = px_tension_most(&f->material[slot].def), h = (double)f->kernel.h;
    if (!(sigma > 0))
        return PX_OK;
    /* the integral of q^3 C / norm from 0 to 1 */
    double filled = 3 / (4 * PX_PI * h * h * h * h * PX_COHESION_MOMENT);
    Job job = {
        .fluid = f, .slot = slot, .scale = (float)(2.5 * sigma / f->spacing * filled / TUNED)};
    double rho = f->material[slot].def.density;
    job.drag = (float)(DAMPING * sqrt(rho * sigma / f->spacing)) * f->kernel.norm_slope / job.scale;
    PX_TRY(px_tension_colour(f, slot, &job.colour));
    job.surface = PX_ARENA_ARRAY(f->scratch, float, f->count);
    if (f->melted != NULL)
        job.damped = PX_ARENA_ARRAY(f->scratch, float, f->count);
    if (job.surface == NULL || (f->melted != NULL && job.damped == NULL))
        return px_fail(PX_ERR_MEMORY, "csf: no room for the normals of %u particles", f->count);
    px_parallel_for(f->threads, f->count, 4 * PX_BLOCK, normal_block, &job);
    PX_TRY(px_tension_normals(f, &job.colour, job.surface, &job.normals));
    float *kept = f->quad_velocity;
    PX_TRY(px_fluid_pack_velocity(f, job.damped));
    px_parallel_for(f->threads, f->count, PX_BLOCK, f->melted != NULL ? melting_block : force_block,
                    &job);
    f->quad_velocity = kept;
    return PX_OK;
}

extern const PxTensionModel PX_ISA_NAME(px_csf);
const PxTensionModel PX_ISA_NAME(px_csf) = {
    .info = {"csf", "continuum surface force", fields, PX_COUNT(fields), defaults},
    .step_limit = step_limit,
    .squeeze = squeeze,
    .add = add,
};
