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
/// A wall counts as fluid for the cover, so that the surface ends at it. There, along the contact
/// line, the wall pulls with sigma cos(theta) a length, outwards and along itself (Young 1805; as a
/// force on particles of the line: Huber et al. 2016). Particles that are wet and at the surface
/// form the line; the length that belongs to each follows from a sum over the line, as the areas
/// do. Since the wall gives this force, it carries what rises between plates. It also holds the
/// line along its normal, by a potential, and against slipping: a spring, which gives way at a part
/// of sigma, so drops stick on slopes (contact angle hysteresis), and a drag in the wetted layer.
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

/* Drag of a wall with adhesion 1 on the layer that wets it, over the same, and at the contact line
 * in addition. */
#define HOLD 0.6
#define HOLD_LINE 3.0

/* Half the hysteresis of the contact angle at such a wall, radians: per length it takes
 * sigma sin(theta) times this to move the contact line. */
#define PINNING 0.15

/* Parts of the pull at the contact line, and of the work that it takes to lift the line off, that
 * layers of particles show; fitted to contact angles of sessile drops (study/sessile.h). */
#define WETTING 0.95
#define LIFTING 0.15

/* Constant part of mu, the line's counterpart of nu, times s. */
#define ISOLATED_LINE 0.3

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
    float sigma;                   /* of the layer, N/m */
    float line_sigma;              /* of the contact line, N/m */
    float per_h2;                  /* 1 / h^2 */
    float cover, layer, line_norm; /* norms of K, of w in a plane, of w along a line */
    float isolated, isolated_line; /* constant parts of nu, 1/m^2, and of mu, 1/m */
    float side;                    /* sum of u^2 r along a surface, over a quarter of space, m */
    float beside, reach; /* cover per part of a wall, and that part half a spacing from it */
    float damping, wall_damping, hold, repulsion, nearest;
    float *share;        /* px_tension_share(), above 0; 0: another material */
    float *member, *wet; /* memberships of the surface and of the wetted layer */
    float *rise, *bend;  /* slope of wet by the part of the wall, and its fall with that part */
    float *line;         /* membership of the contact line */
    float *outward[3];   /* direction away from the fluid along the wall; shorter where unsure */
    float *length;       /* of the contact line that belongs to a particle, m */
    float *pull;         /* sigma b / nu^2 */
    float *damped;       /* membership times the root of share */
    float *anchor[3];    /* column: displacement from where the line is pinned, m */
    float *layers;       /* quads: line; then pull, share */
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

/* Direction of the contact line's pull at particle i: the part along the wall of (nx, ny, nz),
 * which points away from the fluid. */
static void find_outward(const Job *job, uint32_t i, float nx, float ny, float nz)
{
    const PxFluid *f = job->fluid;
    float gx = f->wall_gx[i], gy = f->wall_gy[i], gz = f->wall_gz[i];
    float g2 = gx * gx + gy * gy + gz * gz;
    float across = g2 > 0.0f ? (nx * gx + ny * gy + nz * gz) / g2 : 0.0f;
    nx -= across * gx;
    ny -= across * gy;
    nz -= across * gz;
    float size = sqrtf(nx * nx + ny * ny + nz * nz), most = 0.5f * job->side;
    float scale = 1.0f / (size > most ? size : most);
    job->outward[0][i] = scale * nx;
    job->outward[1][i] = scale * ny;
    job->outward[2][i] = scale * nz;
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
        job->member[i] = job->wet[i] = job->rise[i] = job->bend[i] = 0.0f;
        job->damped[i] = job->line[i] = 0.0f;
        if (f->particles->material[i] != job->slot)
            continue;
        PxPlace8 at = px_place8(f->quad, i);
        PxF8 sum = zero, nx = zero, ny = zero, nz = zero;
        PX_FOR_NEIGHBOURS(f->pairs, i, j)
        {
            PxF8 x, y, z, own;
            px_f8_load_ways(f->quad, j, &at, &x, &y, &z, &own);
            PxF8 q2 = (x * x + y * y + z * z) * per, u = px_f8_max(one - q2, zero);
            PxF8 weight = own * u * u;
            sum += weight * (one + three * q2);
            nx += weight * x;
            ny += weight * y;
            nz += weight * z;
        }
        float part = f->wall_part[i], near = part < job->reach ? part / job->reach : 1.0f;
        float inside = (float)INSIDE + (float)(INSIDE_WALL - INSIDE) * near;
        float cover = job->cover * px_f8_sum(sum) + job->beside * part;
        job->member[i] = smooth((inside - cover) / (inside - (float)SURFACE));
        job->damped[i] = job->member[i] * sqrtf(job->share[i]);
        if (!(part > dry))
            continue;
        float u = (part - dry) / width;
        u = u < 1.0f ? u : 1.0f;
        job->wet[i] = smooth(u);
        job->rise[i] = 6.0f * u * (1.0f - u) / width;
        job->bend[i] = u > 0.5f ? 6.0f * (2.0f * u - 1.0f) / (width * width) : 0.0f;
        job->line[i] = job->wet[i] * job->member[i];
        if (job->line[i] > 0.0f)
            find_outward(job, i, px_f8_sum(nx), px_f8_sum(ny), px_f8_sum(nz));
    }
}

/* nu of the layer and mu of the contact line. The fourth component of quad is b. Only distances
 * along the line count for mu: a line that is several rows wide, as at small angles, has the
 * length of one. */
static void layer_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    const PxFluid *f = job->fluid;
    PxF8 one = px_f8(1.0f), zero = px_f8(0.0f), three = px_f8(3.0f), per = px_f8(job->per_h2);
    for (uint32_t i = begin; i < end; ++i) {
        job->pull[i] = job->length[i] = 0.0f;
        if (!(job->member[i] > 0.0f))
            continue;
        PxPlace8 at = px_place8(f->quad, i);
        PxF8 sum = zero, sum_line = zero;
        bool on = job->line[i] > 0.0f; /* else there is no direction */
        PxF8 ox = px_f8(on ? job->outward[0][i] : 0.0f);
        PxF8 oy = px_f8(on ? job->outward[1][i] : 0.0f);
        PxF8 oz = px_f8(on ? job->outward[2][i] : 0.0f);
        PX_FOR_NEIGHBOURS(f->pairs, i, j)
        {
            PxF8 x, y, z, member, line, unused;
            px_f8_load_ways(f->quad, j, &at, &x, &y, &z, &member);
            px_f8_load_quads(job->layers, j, &line, &unused, &unused, &unused);
            PxF8 q2 = (x * x + y * y + z * z) * per, u = px_f8_max(one - q2, zero);
            PxF8 w = u * u * u * (one + three * q2);
            sum += member * w;
            PxF8 across = x * ox + y * oy + z * oz;
            PxF8 along = px_f8_max(q2 - across * across * per, zero);
            PxF8 v = px_f8_max(one - along, zero);
            sum_line += line * px_f8_where(u > zero, v * v * v * (one + three * along));
        }
        float nu = job->layer * px_f8_sum(sum) + job->isolated;
        float mu = job->line_norm * px_f8_sum(sum_line) + job->isolated_line;
        job->pull[i] = job->sigma * job->share[i] * job->member[i] / (nu * nu);
        job->length[i] = (float)(1 + ISOLATED_LINE) * job->line[i] / mu;
    }
}

/* Forces of walls along themselves: the pull at the contact line, which is pinned by a spring from
 * the place that it sticks to, and drag on the wetted layer. */
static void hold_line(const Job *job, uint32_t i, const float g[3], float g2)
{
    const PxFluid *f = job->fluid;
    PxParticles *p = f->particles;
    float hold = job->hold * ((float)HOLD + (float)HOLD_LINE * job->line[i]);
    hold *= sqrtf(job->share[i]);
    float stick = f->wall_stick[i];
    const float moves[3] = {f->wall_mx[i], f->wall_my[i], f->wall_mz[i]};
    const float v[3] = {p->vx[i], p->vy[i], p->vz[i]};
    float *const a[3] = {&p->ax[i], &p->ay[i], &p->az[i]};
    float *const line[3] = {&f->wall_lx[i], &f->wall_ly[i], &f->wall_lz[i]};
    f->wall_rate[i] = hold;
    for (int c = 0; c < 3; ++c)
        *a[c] += hold * (moves[c] - stick * v[c]);
    float sigma = job->line_sigma * job->share[i] * job->length[i];
    float xi[3] = {0, 0, 0};
    if (sigma > 0.0f && stick > 0.0f) {
        float across = 0.0f, size = 0.0f;
        for (int c = 0; c < 3; ++c) {
            xi[c] = job->anchor[c][i] + (float)f->dt * (v[c] - moves[c] / stick);
            across += xi[c] * g[c] / g2;
        }
        for (int c = 0; c < 3; ++c) {
            xi[c] -= across * g[c];
            size += xi[c] * xi[c];
        }
        float wetting = f->wall_cos[i], sine2 = 1.0f - wetting * wetting;
        float most = (float)(PINNING * f->spacing) * stick * sqrtf(sine2 > 0.0f ? sine2 : 0.0f);
        float scale = size > most * most ? most / sqrtf(size) : 1.0f;
        for (int c = 0; c < 3; ++c)
            xi[c] *= scale;
    }
    float wetting = (float)WETTING * f->wall_cos[i], per_spacing = (float)(1 / f->spacing);
    for (int c = 0; c < 3; ++c) {
        job->anchor[c][i] = xi[c];
        if (!(sigma > 0.0f))
            continue;
        *line[c] = sigma * (wetting * job->outward[c][i] - xi[c] * per_spacing);
        *a[c] += *line[c] / p->mass[i];
    }
}

/* Damping and the potential that holds the line, normal to walls: both are stiffer than explicit
 * steps can bear, particles would jump up and down from step to step. Linearly implicit, with the
 * slope of the force where it is a spring. */
static float normal_push(const Job *job, uint32_t i, const float g[3], float g2)
{
    const PxFluid *f = job->fluid;
    const PxParticles *p = f->particles;
    float dt = (float)f->dt, area = (float)(f->spacing * f->spacing);
    float closing = g[0] * p->vx[i] + g[1] * p->vy[i] + g[2] * p->vz[i] - f->wall_flux[i];
    float rate = job->wall_damping * sqrtf(job->share[i]) * job->wet[i];
    float work = (float)LIFTING * (1.0f + f->wall_cos[i]) * job->sigma * job->share[i] * area;
    work *= job->member[i];
    float push = rate * p->mass[i] * closing / g2 - work * job->rise[i];
    float spring = work * g2 * job->bend[i] / p->mass[i]; /* 1/s^2 */
    return push / (1.0f + dt * rate + dt * dt * spring);
}

static void wall_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    const PxFluid *f = job->fluid;
    PxParticles *p = f->particles;
    for (uint32_t i = begin; i < end; ++i) {
        if (!(job->share[i] > 0.0f))
            continue;
        const float g[3] = {f->wall_gx[i], f->wall_gy[i], f->wall_gz[i]};
        float g2 = g[0] * g[0] + g[1] * g[1] + g[2] * g[2];
        if (!(job->wet[i] > 0.0f) || !(g2 > 0.0f)) {
            job->anchor[0][i] = job->anchor[1][i] = job->anchor[2][i] = 0.0f;
            continue;
        }
        hold_line(job, i, g, g2);
        float push = normal_push(job, i, g, g2);
        f->wall_push[i] += push;
        push /= p->mass[i];
        p->ax[i] -= push * g[0];
        p->ay[i] -= push * g[1];
        p->az[i] -= push * g[2];
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
        PxF8 share_i = px_f8(job->share[i]), damped_i = px_f8(job->damped[i]);
        PxF8 ai = px_f8(p->vx[i]), bi = px_f8(p->vy[i]), ci = px_f8(p->vz[i]);
        PxF8 fx = zero, fy = zero, fz = zero;
        PX_FOR_NEIGHBOURS(f->pairs, i, j)
        {
            PxF8 x, y, z, member, pull, share, unused, a, b, c, damped;
            px_f8_load_ways(f->quad, j, &at, &x, &y, &z, &member);
            px_f8_load_quads(job->layers, j, &pull, &share, &unused, &unused);
            px_f8_load_quads(f->quad_velocity, j, &a, &b, &c, &damped);
            PxF8 r2 = x * x + y * y + z * z, q2 = r2 * per, u = px_f8_max(one - q2, zero);
            PxF8 r = px_f8_max(px_f8_sqrt(r2), tiny);
            PxF8 tension = pull_i * member + pull * member_i;
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

/* Sum of u^2 x over the quarter of a cubic lattice with x > 0 and z >= 0: what the edge of a body
 * on a wall finds along the wall. */
static double lattice_side(double h, double s)
{
    double side = 0;
    int n = (int)(h / s) + 1;
    for (int x = 1; x <= n; ++x)
        for (int y = -n; y <= n; ++y)
            for (int z = 0; z <= n; ++z) {
                double u = fmax(1 - (x * x + y * y + z * z) * s * s / (h * h), 0);
                side += u * u * x * s;
            }
    return side;
}

static PxStatus run(PxFluid *f, Job *job)
{
    PxBlockFunction *const ready[] = {wall_block, force_block};
    px_parallel_for(f->threads, f->count, 4 * PX_BLOCK, share_block, job);
    px_tension_pack_weight(f, job->slot, job->pull); /* 1, see add() */
    px_parallel_for(f->threads, f->count, PX_BLOCK, member_block, job);
    px_tension_pack_weight(f, job->slot, job->member);
    px_fluid_pack(f, job->layers, job->line, job->line, job->line, job->line);
    px_parallel_for(f->threads, f->count, PX_BLOCK, layer_block, job);
    px_fluid_pack(f, job->layers, job->pull, job->share, job->share, job->share);
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
    /* and along a line, 128/105 h */
    job.line_norm = (float)(105 / (128 * h));
    job.isolated = (float)(ISOLATED / (s * s));
    job.isolated_line = (float)(ISOLATED_LINE / s);
    job.side = (float)lattice_side(h, s);
    job.line_sigma = (float)sigma;
    job.sigma = (float)(TUNED * (1 + ISOLATED) * sigma);
    job.repulsion = (float)(REPULSION * TUNED * sigma);
    job.nearest = (float)(NEAREST * s);
    job.damping = (float)(DAMPING * sqrt(rho * sigma * s * s * s));
    job.wall_damping = (float)(WALL_DAMPING * sqrt(sigma / (rho * s * s * s)));
    job.hold = (float)sqrt(sigma / (rho * s * s * s));
    px_tension_anchor(f->particles, job.anchor);
    float **column[] = {&job.share,      &job.member,     &job.wet,        &job.rise,
                        &job.line,       &job.length,     &job.pull,       &job.damped,
                        &job.outward[0], &job.outward[1], &job.outward[2], &job.bend};
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
