/// Anisotropic kernels, stretched along the surface and flattened across it (Yu and Turk 2013).
///
///   phi(x) = sum_j V_j n det(G_j) P(|G_j (x - c_j)|)
///
/// P is Wendland's kernel, n its norm. G_j rotates into the principal axes of the neighbourhood and
/// divides by the radius times the spread along each axis. With the weights w = 1 - (r/R)^3 over
/// neighbours within R, the mean offset u_i = <x_j - x_i> and the covariance C_i = <(x_j - x_i)(x_j
/// - x_i)^T> - u_i u_i^T, the spread is sqrt(l / 0.15 R^2) for an eigenvalue l of C. 0.15 R^2 is
/// the eigenvalue of a full neighbourhood, so the spread is 1 inside the fluid. (Yu and Turk use
/// the eigenvalue itself. At a flat surface that flattens kernels to a third, and layers of
/// particles separate.)
///
/// Points have no thickness but the matter that they stand for has: a sheet of one layer has l_3 =
/// 0, a thread l_2 = l_3 = 0. The ellipsoid of the spreads must have room for the particles in it.
/// With N, the sum of the weights relative to a full neighbourhood, the x of
///
///   (l_1 + x) (l_2 + x) (l_3 + x) = N^2
///
/// is the missing thickness. On a lattice x is 0 or nearly so inside, at a flat surface, at an edge
/// and at a corner; sheets, threads and drops get the thickness that their volume requires. Where
/// there are fewer particles than the ellipsoid has room for, in spray, it shrinks.
///
/// Yu and Turk move every centre to the mean of its neighbourhood. That removes particle noise, but
/// shrinks a flat surface by 0.8 spacings and a curved one more. Here the part of the displacement
/// that a particle shares with its neighbours on the surface is undone (like the second pass of
/// Taubin 1995):
///
///   c_i = x_i + lambda ( u_i - <a^2 u>_i / <a^2>_i ),   a_ij = max(u_i . u_j, 0),
///
/// where the correction is never longer than u_i. The factors a^2 exclude neighbours inside the
/// fluid and on the other side of a thin sheet. The outermost layer of a lattice keeps its
/// position; rims still shrink. In thin sheets, which are all rim, displacements are limited.
#include "surface/field/splat.h"

#include "base/mat3.h"

#define LAMBDA 0.9f
#define MOST_SPREAD 1.25
/* WIDEN: factor from the missing thickness to the kernel width that ends where the sheet ends.
 * MOST_VOLUME: largest volume of a particle, spacing^3, reached where all thickness is missing.
 * Both tuned in test_surface_thin.c (docs/decisions.md). */
#define WIDEN 2.5
#define MOST_VOLUME 2.2f
/* The ellipsoid shrinks if it holds less than this part of the particles it has room for (a
 * corner holds 0.92). */
#define SPARSE 0.6
/* Largest displacement of a centre, spacings: THIN_WAY in thin sheets, more where the smallest
 * spread exceeds THIN_SPREAD (0.35 for two layers, 0.62 at a flat surface). */
#define THIN_WAY 0.1
#define THIN_SPREAD 0.35
#define THICKER_WAY 3.0

PX_INLINE void kernel(const PxPotential *f, const PxPotentialSource *s, PxF8 dx, PxF8 dy, PxF8 dz,
                      PxI8 mask, PxF8 *sum)
{
    (void)f;
    const float *g = s->shape;
    PxF8 ex = px_f8(g[0]) * dx + px_f8(g[3]) * dy + px_f8(g[4]) * dz;
    PxF8 ey = px_f8(g[3]) * dx + px_f8(g[1]) * dy + px_f8(g[5]) * dz;
    PxF8 ez = px_f8(g[4]) * dx + px_f8(g[5]) * dy + px_f8(g[2]) * dz;
    PxF8 q = px_f8_sqrt(ex * ex + ey * ey + ez * ez);
    sum[0] += px_f8_where(mask, px_f8(s->weight) * px_wendland8(q));
}

PX_POTENTIAL_LOOPS(kernel, 1)

/* Results passed from mean_block() to centre_block(), in spacings. */
typedef struct Job {
    PxPotential *field;
    const PxPotentialCentres *centres;
    float *ux, *uy, *uz;
    float (*moment)[7]; /* <d d^T>: xx yy zz xy xz yz, and the sum of the weights */
} Job;

/* Mean offset to the neighbours of every particle, and second moments for particles near the
 * surface. */
static void mean_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    const PxPotential *f = job->field;
    const PxGrid *grid = &f->particle_grid;
    const float *x = f->particle_x, *y = f->particle_y, *z = f->particle_z;
    PxF8 per_s = px_f8((float)(1.0 / f->spacing)), zero = px_f8(0.0f), one = px_f8(1.0f);
    PxF8 per_r = px_f8(1.0f / f->gather);
    PxI8 lane = px_lanes();
    PxGridWalk walk;
    px_grid_walk_start(&walk, grid, grid->key[begin]);
    for (uint32_t c = begin; c < end; ++c) {
        PxRange run[9];
        int runs = px_grid_walk_rows(&walk, grid->key[c], run);
        for (uint32_t i = grid->begin[c]; i < grid->begin[c + 1]; ++i) {
            if (f->particle_location[i] == PX_INTERIOR) {
                job->ux[i] = job->uy[i] = job->uz[i] = 0.0f;
                continue;
            }
            PxF8 xi = px_f8(x[i]), yi = px_f8(y[i]), zi = px_f8(z[i]);
            PxF8 sum = zero, sx = zero, sy = zero, sz = zero;
            PxF8 xx = zero, yy = zero, zz = zero, xy = zero, xz = zero, yz = zero;
            for (int r = 0; r < runs; ++r)
                for (uint32_t j = run[r].begin; j < run[r].end; j += 8) {
                    PxF8 dx = (px_f8_load(x + j) - xi) * per_s;
                    PxF8 dy = (px_f8_load(y + j) - yi) * per_s;
                    PxF8 dz = (px_f8_load(z + j) - zi) * per_s;
                    PxF8 q = px_f8_sqrt(dx * dx + dy * dy + dz * dz) * per_r;
                    PxI8 there = (lane < (int32_t)(run[r].end - j)) & (q < one);
                    PxF8 w = px_f8_where(there, one - q * q * q);
                    PxF8 wx = w * dx, wy = w * dy, wz = w * dz;
                    sum += w;
                    sx += wx;
                    sy += wy;
                    sz += wz;
                    xx += wx * dx;
                    yy += wy * dy;
                    zz += wz * dz;
                    xy += wx * dy;
                    xz += wx * dz;
                    yz += wy * dz;
                }
            float per_sum = 1.0f / px_f8_sum(sum); /* at least 1: includes the particle itself */
            job->ux[i] = per_sum * px_f8_sum(sx);
            job->uy[i] = per_sum * px_f8_sum(sy);
            job->uz[i] = per_sum * px_f8_sum(sz);
            float *m = job->moment[i];
            m[0] = per_sum * px_f8_sum(xx);
            m[1] = per_sum * px_f8_sum(yy);
            m[2] = per_sum * px_f8_sum(zz);
            m[3] = per_sum * px_f8_sum(xy);
            m[4] = per_sum * px_f8_sum(xz);
            m[5] = per_sum * px_f8_sum(yz);
            m[6] = px_f8_sum(sum);
        }
    }
}

/* Solves (l_1 + x) (l_2 + x) (l_3 + x) = held^2 for x >= 0; 0 where the left side is larger at x
 * = 0. Newton's method converges monotonically from sqrt(held), which is above the root. */
static double missing(PxVec3 l, double held)
{
    double x = sqrt(held), wanted = held * held;
    if (l.x * l.y * l.z >= wanted)
        return 0;
    for (int n = 0; n < 20; ++n) {
        double a = l.x + x, b = l.y + x, c = l.z + x;
        double by = (a * b * c - wanted) / (a * b + b * c + c * a);
        x = fmax(x - by, 0);
        if (by < 1e-6 * x)
            break;
    }
    return x;
}

/* Computes the kernel's matrix G and returns det G without the factor radius^-3. *thin is the
 * smallest spread of the points, *lack the missing fraction of the thickness. */
static float shape_of(const PxPotential *f, const float m[7], PxVec3 u,
                      float shape[PX_POTENTIAL_SHAPE], double *thin, double *lack)
{
    double h = (double)f->radius, gather = (double)f->gather;
    double full = 0.15 * gather * gather, number = 2.0944 * gather * gather * gather;
    double held = fmin((double)m[6] / number, 1);
    PxMat3 covariance = {{{m[0], m[3], m[4]}, {m[3], m[1], m[5]}, {m[4], m[5], m[2]}}}, axes;
    PxVec3 spread;
    covariance = px_mat3_sub(covariance, px_mat3_outer(u, u));
    if (!px_mat3_eigen(covariance, &spread, &axes)) {
        spread = px_vec(0, 0, 0);
        axes = px_mat3_identity();
    }
    double *k = &spread.x, volume = 1;
    for (int a = 0; a < 3; ++a)
        k[a] = fmax(k[a] / full, 0);
    *thin = sqrt(fmin(k[0], fmin(k[1], k[2])));
    double x = missing(spread, held);
    *lack = x > 0 ? x / (*thin * *thin + x) : 0;
    for (int a = 0; a < 3; ++a) {
        k[a] = fmin(sqrt(k[a] + WIDEN * WIDEN * x), MOST_SPREAD);
        volume *= k[a];
    }
    /* At least the kernel of a lone particle. */
    double least = WIDEN * WIDEN * WIDEN / number;
    double wanted = fmax(fmin(volume, held / SPARSE), least);
    if (wanted != volume)
        spread = px_scale(spread, cbrt(wanted / volume));
    PxMat3 g = px_mat3_multiply(
        axes, px_mat3_multiply(px_mat3_diagonal(px_vec(1 / (h * spread.x), 1 / (h * spread.y),
                                                       1 / (h * spread.z))),
                               px_mat3_transpose(axes)));
    const double upper[6] = {g.m[0][0], g.m[1][1], g.m[2][2], g.m[0][1], g.m[0][2], g.m[1][2]};
    for (int a = 0; a < 6; ++a)
        shape[a] = (float)upper[a];
    for (int a = 1; a < 3;
         ++a) { /* half extents of the ellipsoid along y and z, with a margin for rounding */
        PxVec3 axis = {axes.m[a][0] * spread.x, axes.m[a][1] * spread.y, axes.m[a][2] * spread.z};
        shape[5 + a] = (float)(1.0001 * h * px_length(axis));
    }
    return (float)(1 / (spread.x * spread.y * spread.z));
}

static void centre_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    const PxPotential *f = job->field;
    const PxPotentialCentres *to = job->centres;
    const PxGrid *grid = &f->particle_grid;
    const float *x = f->particle_x, *y = f->particle_y, *z = f->particle_z;
    float s = (float)f->spacing;
    PxF8 per_r = px_f8((float)(1.0 / f->spacing) / f->gather), zero = px_f8(0.0f),
         one = px_f8(1.0f);
    PxI8 lane = px_lanes();
    PxGridWalk walk;
    px_grid_walk_start(&walk, grid, grid->key[begin]);
    for (uint32_t c = begin; c < end; ++c) {
        PxRange run[9];
        int runs = px_grid_walk_rows(&walk, grid->key[c], run);
        for (uint32_t i = grid->begin[c]; i < grid->begin[c + 1]; ++i) {
            if (f->particle_location[i] == PX_INTERIOR) { /* isotropic kernel, not displaced */
                float r = 1.0f / f->radius;
                const float round[PX_POTENTIAL_SHAPE] = {r, r, r, 0, 0, 0, f->radius, f->radius};
                memcpy(to->shape[i], round, sizeof round);
                continue;
            }
            PxF8 xi = px_f8(x[i]), yi = px_f8(y[i]), zi = px_f8(z[i]);
            PxF8 own_x = px_f8(job->ux[i]), own_y = px_f8(job->uy[i]), own_z = px_f8(job->uz[i]);
            PxF8 sum = zero, sx = zero, sy = zero, sz = zero;
            for (int r = 0; r < runs; ++r)
                for (uint32_t j = run[r].begin; j < run[r].end; j += 8) {
                    PxF8 dx = (px_f8_load(x + j) - xi) * per_r;
                    PxF8 dy = (px_f8_load(y + j) - yi) * per_r;
                    PxF8 dz = (px_f8_load(z + j) - zi) * per_r;
                    PxF8 q = px_f8_sqrt(dx * dx + dy * dy + dz * dz);
                    PxI8 there = (lane < (int32_t)(run[r].end - j)) & (q < one);
                    PxF8 w = px_f8_where(there, one - q * q * q);
                    PxF8 ux = px_f8_load(job->ux + j), uy = px_f8_load(job->uy + j),
                         uz = px_f8_load(job->uz + j);
                    PxF8 same = px_f8_max(ux * own_x + uy * own_y + uz * own_z, zero);
                    w *= same * same;
                    sum += w;
                    sx += w * ux;
                    sy += w * uy;
                    sz += w * uz;
                }
            float total = px_f8_sum(sum), back = total > 0.0f ? 1.0f / total : 0.0f;
            float u[3] = {job->ux[i], job->uy[i], job->uz[i]};
            float v[3] = {back * px_f8_sum(sx), back * px_f8_sum(sy), back * px_f8_sum(sz)};
            float own = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
            float shared = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
            float part = shared > own ? sqrtf(own / shared) : 1.0f;
            double thin, lack;
            float det =
                shape_of(f, job->moment[i], px_vec((double)u[0], (double)u[1], (double)u[2]),
                         to->shape[i], &thin, &lack);
            float volume = fminf(f->particle_volume[i], MOST_VOLUME);
            volume += (float)lack * (MOST_VOLUME - volume);
            to->weight[i] = det * px_wendland_weigh(f, volume);
            float way[3], square = 0.0f;
            for (int a = 0; a < 3; ++a) {
                way[a] = LAMBDA * (u[a] - part * v[a]);
                square += way[a] * way[a];
            }
            float most = (float)(THIN_WAY + THICKER_WAY * fmax(thin - THIN_SPREAD, 0));
            float less = square > most * most ? s * most / sqrtf(square) : s;
            to->x[i] = x[i] + less * way[0];
            to->y[i] = y[i] + less * way[1];
            to->z[i] = z[i] + less * way[2];
        }
    }
}

static PxStatus prepare(PxPotential *f, PxArena *scratch, const PxPotentialCentres *centres)
{
    Job job = {.field = f, .centres = centres};
    float **const way[3] = {&job.ux, &job.uy, &job.uz};
    for (int a = 0; a < 3; ++a) {
        *way[a] = PX_ARENA_ARRAY(scratch, float, (size_t)f->count + 8);
        if (*way[a] != NULL) /* the padding is read: 0 * anything must be 0 */
            memset(*way[a] + f->count, 0, 8 * sizeof(float));
    }
    job.moment = px_arena_take_array(scratch, f->count, sizeof *job.moment);
    if (job.ux == NULL || job.uy == NULL || job.uz == NULL || job.moment == NULL)
        return px_fail(PX_ERR_MEMORY, "surface: no room for the neighbourhoods of %u particles",
                       f->count);
    PX_TRY(px_parallel_try(f->threads, f->particle_grid.cells, 64, mean_block, &job));
    return px_parallel_try(f->threads, f->particle_grid.cells, 64, centre_block, &job);
}

extern const PxPotentialModel PX_ISA_NAME(px_potential_anisotropic);
const PxPotentialModel PX_ISA_NAME(px_potential_anisotropic) = {
    PX_POTENTIAL_INFO("anisotropic",
                      "kernels stretched along the surface (Yu and Turk 2013): for pictures"),
    .field.radius = 2.5,
    .field.iso = 0.5,
    .field.smoothing = 0.7,
    .stretch = MOST_SPREAD,
    .gather = 1.5,
    .prepare = prepare,
    .weigh = px_wendland_weigh,
    .add = add,
    .add_points = add_points,
    .finish = px_sum_is_raw,
};
