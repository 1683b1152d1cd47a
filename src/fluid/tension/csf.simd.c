/// Surface tension as the tension of the outermost layer of particles (continuum surface force;
/// Brackbill, Kothe and Zemach 1992, in the form of a surface stress, Lafaurie et al. 1994).
///
/// A surface of area A has the energy sigma A. Particles of the surface cover it like a fluid in
/// two dimensions: with a membership b (1 at the surface, 0 inside) and a kernel w,
///   A = sum_i b_i / nu_i,   nu_i = sum_j b_j w(r_ij) (+ a constant for isolated particles)
/// is the sum of the areas that belong to each. The gradient of sigma A at constant b is a force
/// along each pair, a negative pressure -sigma of the layer:
///   f_ij = sigma (b_i b_j / nu_i^2 + b_i b_j / nu_j^2) w'(r)
/// It conserves linear and angular momentum. A is the same however many particles share it, so
/// the layer stretches without resistance, and, as long as members stay members, the force has a
/// potential: a drop can come to rest. (Forces from normals have none and never let it rest;
/// docs/decisions.md 30 has this and the energies that were tried.)
///
/// w = (1 - q^2)^3 (1 + 3 q^2), q = r / h, is flat at the centre: where the attraction grows
/// towards small distances, as with the slope of a spline, particles of the layer clump. On
/// squares, hexagons and disordered layers A is right within 4 per cent. A repulsion below 0.8
/// spacings keeps pairs from merging.
///
/// Membership follows from cover, sum_j K(r_ij) + walls, with the broad kernel
/// K = (1 - q^2)^2 (1 + 3 q^2), whose sum is 1 inside and 0.7 to 0.8 at a surface, also where the
/// layer is so dense that the density there is that at rest.
///
/// At a wall of contact angle theta the wetted layer is a second such layer, of tension
/// -sigma cos(theta) (Young 1805). A wall counts as fluid for the cover, so that the surface ends
/// at it; what it takes to lift fluid off, sigma (1 + cos(theta)) per area (Dupre 1869), is a
/// potential along the wall's normal. Without it a drop that touches loses surface for nothing,
/// peels off by its tension and touches again: this fed 94 mm/s in a drop of 5 mm.
#include "fluid/tension/tension.h"

#include <math.h>

/* sigma of the layer over that of the material. The repulsion and the finite thickness of the
 * layer take the rest. Fitted to the pressure 2 sigma / R in resting drops of 8 spacings
 * radius (study/drop.h) and checked with the period of the second mode (Rayleigh). */
#define TUNED 1.45

/* Cover at which a particle belongs to the surface wholly and no longer. Beside walls the second
 * rises, since the profile of a wall is steep. */
#define SURFACE 0.78
#define INSIDE 0.84
#define INSIDE_WALL 0.96

/* Constant part of nu, times s^2: bounds the area of isolated particles. */
#define ISOLATED 0.5

/* Repulsion: stiffness over sigma, and range in spacings. */
#define REPULSION 3.0
#define NEAREST 0.8

/* Damping along pairs at the surface, over sqrt(rho sigma s^3), and normal to walls in the wetted
 * layer, over sqrt(sigma / (rho s^3)). Memberships change when a surface opens or closes, and that
 * is not conservative. */
#define DAMPING 0.9
#define WALL_DAMPING 2.0

/* Hold of a wall with adhesion 1 on the layer that wets it, over the same. */
#define HOLD 1.0

/* Parts of the energies at walls that the layers of particles show; fitted to contact angles of
 * sessile drops (study/sessile.h). */
#define WETTING 0.8
#define LIFTING 0.15

/* Parts of the kernel, over that half a spacing from a wall, between which a particle becomes wet.
 */
#define DRY 0.05
#define WET 0.9

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
    float sigma;         /* of the layer, N/m */
    float per_h2;        /* 1 / h^2 */
    float cover, layer;  /* norms of K and w */
    float isolated;      /* constant part of nu, 1/m^2 */
    float beside, reach; /* cover per part of a wall, and that part half a spacing from it */
    float damping, wall_damping, hold, repulsion, nearest;
    float *share;         /* px_tension_share(), above 0; 0: another material */
    float *member, *wet;  /* memberships of the surface and of the wetted layer */
    float *rise;          /* of wet by the part of the wall */
    float *pull, *spread; /* sigma b / nu^2 of the surface, and of the wetted layer */
    float *damped;        /* membership times the root of share */
    float *layers;        /* quads: pull, spread, wet, share */
} Job;

/* 0 .. 1 with zero slope at both ends. */
static float smooth(float u)
{
    u = u > 0.0f ? u < 1.0f ? u : 1.0f : 0.0f;
    return u * u * (3.0f - 2.0f * u);
}

static void share_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    const PxFluid *f = job->fluid;
    const PxMaterialDef *def = &f->material[job->slot].def;
    for (uint32_t i = begin; i < end; ++i) { /* above 0: cold members attract molten ones */
        float share = px_tension_share(f, def, i);
        share = share > 1e-9f ? share : 1e-9f;
        job->share[i] = f->particles->material[i] == job->slot ? share : 0.0f;
    }
}

/* Memberships. The fourth component of quad is 1 for particles of the material. */
static void member_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    const PxFluid *f = job->fluid;
    PxF8 one = px_f8(1.0f), zero = px_f8(0.0f), three = px_f8(3.0f), per = px_f8(job->per_h2);
    float dry = (float)DRY * job->reach, width = (float)(WET - DRY) * job->reach;
    for (uint32_t i = begin; i < end; ++i) {
        job->member[i] = job->wet[i] = job->rise[i] = job->damped[i] = 0.0f;
        if (f->particles->material[i] != job->slot)
            continue;
        PxPlace8 at = px_place8(f->quad, i);
        PxF8 sum = zero;
        PX_FOR_NEIGHBOURS(f->pairs, i, j)
        {
            PxF8 x, y, z, own;
            px_f8_load_ways(f->quad, j, &at, &x, &y, &z, &own);
            PxF8 q2 = (x * x + y * y + z * z) * per, u = px_f8_max(one - q2, zero);
            sum += own * u * u * (one + three * q2);
        }
        float part = f->wall_part[i], near = part < job->reach ? part / job->reach : 1.0f;
        float inside = (float)INSIDE + (float)(INSIDE_WALL - INSIDE) * near;
        float cover = job->cover * px_f8_sum(sum) + job->beside * part;
        job->member[i] = smooth((inside - cover) / (inside - (float)SURFACE));
        job->damped[i] = job->member[i] * sqrtf(job->share[i]);
        float u = (part - dry) / width;
        u = u > 0.0f ? u < 1.0f ? u : 1.0f : 0.0f;
        job->wet[i] = smooth(u);
        job->rise[i] = 6.0f * u * (1.0f - u) / width;
    }
}

/* nu of both layers. The fourth component of quad is b. */
static void layer_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    const PxFluid *f = job->fluid;
    PxF8 one = px_f8(1.0f), zero = px_f8(0.0f), three = px_f8(3.0f), per = px_f8(job->per_h2);
    for (uint32_t i = begin; i < end; ++i) {
        job->pull[i] = job->spread[i] = 0.0f;
        if (!(job->member[i] > 0.0f) && !(job->wet[i] > 0.0f))
            continue;
        PxPlace8 at = px_place8(f->quad, i);
        PxF8 sum = zero, sum_wet = zero;
        PX_FOR_NEIGHBOURS(f->pairs, i, j)
        {
            PxF8 x, y, z, member, wet, unused;
            px_f8_load_ways(f->quad, j, &at, &x, &y, &z, &member);
            px_f8_load_quads(job->layers, j, &wet, &unused, &unused, &unused);
            PxF8 q2 = (x * x + y * y + z * z) * per, u = px_f8_max(one - q2, zero);
            PxF8 w = u * u * u * (one + three * q2);
            sum += member * w;
            sum_wet += wet * w;
        }
        float nu = job->layer * px_f8_sum(sum) + job->isolated;
        float nu_wet = job->layer * px_f8_sum(sum_wet) + job->isolated;
        float sigma = job->sigma * job->share[i];
        job->pull[i] = sigma * job->member[i] / (nu * nu);
        job->spread[i] = -(float)WETTING * f->wall_cos[i] * sigma * job->wet[i] / (nu_wet * nu_wet);
    }
}

/* Forces of walls along their normals: the work of lifting, and damping. */
static void wall_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    const PxFluid *f = job->fluid;
    PxParticles *p = f->particles;
    float area = (float)(f->spacing * f->spacing);
    for (uint32_t i = begin; i < end; ++i) {
        if (!(job->wet[i] > 0.0f) || !(job->share[i] > 0.0f))
            continue;
        float gx = f->wall_gx[i], gy = f->wall_gy[i], gz = f->wall_gz[i];
        float g2 = gx * gx + gy * gy + gz * gz;
        if (!(g2 > 0.0f))
            continue;
        float hold = job->hold * sqrtf(job->share[i]);
        f->wall_rate[i] = hold;
        p->ax[i] += hold * (f->wall_mx[i] - f->wall_stick[i] * p->vx[i]);
        p->ay[i] += hold * (f->wall_my[i] - f->wall_stick[i] * p->vy[i]);
        p->az[i] += hold * (f->wall_mz[i] - f->wall_stick[i] * p->vz[i]);
        float closing = gx * p->vx[i] + gy * p->vy[i] + gz * p->vz[i] - f->wall_flux[i];
        float rate = job->wall_damping * sqrtf(job->share[i]) * job->wet[i];
        float push = rate * p->mass[i] * closing / g2 - (float)LIFTING * (1.0f + f->wall_cos[i]) *
                                                            job->sigma * job->share[i] * area *
                                                            job->rise[i];
        f->wall_push[i] += push;
        push /= p->mass[i];
        p->ax[i] -= push * gx;
        p->ay[i] -= push * gy;
        p->az[i] -= push * gz;
    }
}

static void force_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    const PxFluid *f = job->fluid;
    PxParticles *p = f->particles;
    float h = f->kernel.h;
    PxF8 one = px_f8(1.0f), zero = px_f8(0.0f), per = px_f8(job->per_h2);
    PxF8 tiny = px_f8(1e-12f * h), soft = px_f8(0.01f * h * h), damping = px_f8(job->damping);
    PxF8 repulsion = px_f8(0.5f * job->repulsion), nearest = px_f8(job->nearest);
    PxF8 layer = px_f8(-24.0f * job->layer * job->per_h2); /* of dw / d(r^2), times -2 */

    for (uint32_t i = begin; i < end; ++i) {
        if (!(job->share[i] > 0.0f))
            continue;
        PxPlace8 at = px_place8(f->quad, i);
        PxF8 member_i = px_f8(job->member[i]), pull_i = px_f8(job->pull[i]);
        PxF8 wet_i = px_f8(job->wet[i]), spread_i = px_f8(job->spread[i]);
        PxF8 share_i = px_f8(job->share[i]), damped_i = px_f8(job->damped[i]);
        PxF8 ai = px_f8(p->vx[i]), bi = px_f8(p->vy[i]), ci = px_f8(p->vz[i]);
        PxF8 fx = zero, fy = zero, fz = zero;
        PX_FOR_NEIGHBOURS(f->pairs, i, j)
        {
            PxF8 x, y, z, member, pull, spread, wet, share, a, b, c, damped;
            px_f8_load_ways(f->quad, j, &at, &x, &y, &z, &member);
            px_f8_load_quads(job->layers, j, &pull, &spread, &wet, &share);
            px_f8_load_quads(f->quad_velocity, j, &a, &b, &c, &damped);
            PxF8 r2 = x * x + y * y + z * z, q2 = r2 * per, u = px_f8_max(one - q2, zero);
            PxF8 r = px_f8_max(px_f8_sqrt(r2), tiny);
            PxF8 tension = pull_i * member + pull * member_i + spread_i * wet + spread * wet_i;
            PxF8 apart = ((ai - a) * x + (bi - b) * y + (ci - c) * z) / (r2 + soft);
            PxF8 other = repulsion * (share_i + share) * px_f8_max(nearest - r, zero) / r -
                         damping * (damped_i + damped) * u * u * apart;
            PxF8 force = layer * (q2 * u * u) * tension + px_f8_where(share > zero, other);
            fx += force * x;
            fy += force * y;
            fz += force * z;
        }
        float scale = 1.0f / p->mass[i];
        p->ax[i] += scale * px_f8_sum(fx);
        p->ay[i] += scale * px_f8_sum(fy);
        p->az[i] += scale * px_f8_sum(fz);
    }
}

/* Norm of K and its share in a plane, from a cubic lattice. */
static double lattice_cover(double h, double s, double *plane)
{
    double all = 0;
    int n = (int)(h / s) + 1;
    *plane = 0;
    for (int x = -n; x <= n; ++x)
        for (int y = -n; y <= n; ++y)
            for (int z = -n; z <= n; ++z) {
                double q2 = (x * x + y * y + z * z) * s * s / (h * h), u = fmax(1 - q2, 0);
                all += u * u * (1 + 3 * q2);
                *plane += z == 0 ? u * u * (1 + 3 * q2) : 0;
            }
    *plane /= all;
    return 1 / all;
}

static PxStatus run(PxFluid *f, Job *job)
{
    PxBlockFunction *const ready[] = {wall_block, force_block};
    px_parallel_for(f->threads, f->count, 4 * PX_BLOCK, share_block, job);
    px_tension_pack_weight(f, job->slot, job->pull); /* 1, see add() */
    px_parallel_for(f->threads, f->count, PX_BLOCK, member_block, job);
    px_tension_pack_weight(f, job->slot, job->member);
    px_fluid_pack(f, job->layers, job->wet, job->wet, job->wet, job->wet);
    px_parallel_for(f->threads, f->count, PX_BLOCK, layer_block, job);
    px_fluid_pack(f, job->layers, job->pull, job->spread, job->wet, job->share);
    float *kept = f->quad_velocity;
    f->quad_velocity = NULL;
    PX_TRY(px_fluid_pack_velocity(f, job->damped));
    for (size_t k = 0; k < PX_COUNT(ready); ++k)
        px_parallel_for(f->threads, f->count, PX_BLOCK, ready[k], job);
    f->quad_velocity = kept;
    return PX_OK;
}

static PxStatus add(PxFluid *f, uint32_t slot)
{
    double sigma = px_tension_most(&f->material[slot].def), h = (double)f->kernel.h;
    double s = f->spacing, rho = f->material[slot].def.density, plane;
    double reach = f->wall_profile->part_near;
    if (!(sigma > 0))
        return PX_OK;
    Job job = {.fluid = f, .slot = slot, .per_h2 = (float)(1 / (h * h)), .reach = (float)reach};
    job.cover = (float)lattice_cover(h, s, &plane);
    job.beside = (float)(0.5 * (1 - plane) / reach);
    /* the integral of w over a plane is 2/5 pi h^2 */
    job.layer = (float)(2.5 / (PX_PI * h * h));
    job.isolated = (float)(ISOLATED / (s * s));
    job.sigma = (float)(TUNED * (1 + ISOLATED) * sigma);
    job.repulsion = (float)(REPULSION * TUNED * sigma);
    job.nearest = (float)(NEAREST * s);
    job.damping = (float)(DAMPING * sqrt(rho * sigma * s * s * s));
    job.wall_damping = (float)(WALL_DAMPING * sqrt(sigma / (rho * s * s * s)));
    job.hold = (float)(HOLD * sqrt(sigma / (rho * s * s * s)));
    float **column[] = {&job.share, &job.member, &job.wet,   &job.rise,
                        &job.pull,  &job.spread, &job.damped};
    for (size_t k = 0; k < PX_COUNT(column); ++k) {
        *column[k] = PX_ARENA_ARRAY(f->scratch, float, f->count);
        if (*column[k] == NULL)
            return px_fail(PX_ERR_MEMORY, "csf: no room for the surface of %u particles", f->count);
    }
    job.layers = PX_ARENA_ARRAY(f->scratch, float, px_quads_floats(px_fluid_visible(f)));
    if (job.layers == NULL)
        return px_fail(PX_ERR_MEMORY, "csf: no room for the surface of %u particles", f->count);
    for (uint32_t i = 0; i < f->count; ++i)
        job.pull[i] = 1.0f;
    return run(f, &job);
}

extern const PxTensionModel PX_ISA_NAME(px_csf);
const PxTensionModel PX_ISA_NAME(px_csf) = {
    .info = {"csf", "continuum surface force", fields, PX_COUNT(fields), defaults},
    .step_limit = step_limit,
    .squeeze = squeeze,
    .add = add,
};
