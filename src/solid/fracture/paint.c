#include "solid/fracture/paint.h"

#include "base/mat3.h"
#include "shape/mesh_tree.h"
#include "shape/shape_inner.h"
#include "shape/texture.h"
#include "shape/volume.h"

#include <math.h>

/* Samples around a particle, along each axis, and their distance in spacings. Strokes of one to
 * four spacings have an edge among them. */
#define SIDE 5
#define STEP 0.75
/* Least sum of squared slopes, per sample, in units of 1 / spacing^2: the edge of a stroke that
 * turns from light to dark within 3 spacings, at a quarter of the samples, has 0.028. */
#define LEAST_SLOPE 0.01

/* What is painted on a body. */
typedef struct Paint {
    const PxShape *shape;
    PxTexture *picture; /* NULL: colours of the vertices */
    PxVolume factor;
    bool mapped; /* at texture coordinates; else from the front */
} Paint;

bool px_crack_painted(const PxBodyDef *def)
{
    return def->cracks != NULL || def->cracks_by_colour || def->strength != NULL;
}

static void paint_close(Paint *p)
{
    px_texture_free(p->picture);
    px_volume_free(&p->factor);
}

static PxStatus paint_open(const PxBodyDef *def, const PxShape *shape, Paint *p)
{
    *p = (Paint){.shape = shape};
    PxStatus status = PX_OK;
    if (def->cracks_by_colour && (shape->mesh == NULL || shape->mesh->colour == NULL))
        return px_fail(PX_ERR_ARGUMENT, "cracks_by_colour: the mesh has no colours of its "
                                        "vertices");
    p->mapped = shape->mesh != NULL && (def->cracks_by_colour || shape->mesh->uv != NULL);
    if (def->cracks != NULL)
        status = px_texture_read_file(def->cracks, &p->picture);
    if (status == PX_OK && def->strength != NULL)
        status = px_volume_read_file(def->strength, &p->factor);
    if (status == PX_OK && def->strength != NULL && !(p->factor.least >= 0))
        status =
            px_fail(PX_ERR_FORMAT, "%s: its least factor of the strength is %g, wanted 0 or more",
                    def->strength, p->factor.least);
    if (status != PX_OK)
        paint_close(p);
    return status;
}

PxStatus px_crack_paint_check(const PxBodyDef *def, const PxShape *shape)
{
    Paint paint;
    PX_TRY(paint_open(def, shape, &paint));
    paint_close(&paint);
    return PX_OK;
}

/* ---- darkness ---- */

/* Darkness of the surface at the point nearest to x. */
static double dark_surface(const Paint *p, PxVec3 x)
{
    const PxMesh *mesh = p->shape->mesh;
    PxMeshSpot spot;
    PxVec3 colour = px_vec(0, 0, 0);
    PxUv uv = {0, 0};
    if (!px_mesh_tree_closest(p->shape->tree, px_shape_to_own(p->shape, x), INFINITY, &spot))
        return 0;
    const uint32_t *v = mesh->triangle[spot.triangle];
    PxVec3 a = mesh->position[v[0]], b = mesh->position[v[1]], c = mesh->position[v[2]];
    PxVec3 n = px_cross(px_sub(b, a), px_sub(c, a));
    double whole = px_dot(n, n), part[3] = {1, 0, 0};
    if (whole > 0) {
        part[1] = px_dot(n, px_cross(px_sub(spot.point, a), px_sub(c, a))) / whole;
        part[2] = px_dot(n, px_cross(px_sub(b, a), px_sub(spot.point, a))) / whole;
        part[0] = 1 - part[1] - part[2];
    }
    for (int k = 0; k < 3; ++k) {
        if (p->picture == NULL) {
            colour = px_mad(colour, mesh->colour[v[k]], part[k]);
        } else {
            uv.u += part[k] * mesh->uv[v[k]].u;
            uv.v += part[k] * mesh->uv[v[k]].v;
        }
    }
    if (p->picture != NULL)
        colour = px_texture_at(p->picture, uv);
    return 1 - (colour.x + colour.y + colour.z) / 3;
}

/* The part of the way from one side of a box to the other. */
static double within(double x, double low, double high)
{
    return high > low ? fmin(fmax((x - low) / (high - low), 0), 1) : 0.5;
}

static double darkness(const Paint *p, PxVec3 x)
{
    if (p->mapped)
        return dark_surface(p, x);
    PxBounds box = p->shape->bounds;
    double height = within(x.y, box.low.y, box.high.y);
    /* half a pixel off the border, where the other side would be mixed in */
    double u = within(x.x, box.low.x, box.high.x), wide = p->picture->width,
           high = p->picture->height;
    PxUv uv = {(0.5 + u * (wide - 1)) / wide, (0.5 + height * (high - 1)) / high};
    PxVec3 colour = px_texture_at(p->picture, uv);
    return 1 - (colour.x + colour.y + colour.z) / 3;
}

/* Trilinear interpolation of the factors: the first and last samples lie on the box's faces. */
static double factor_at(const Paint *p, PxVec3 x)
{
    const PxVolume *v = &p->factor;
    PxBounds box = p->shape->bounds;
    const double part[3] = {within(x.x, box.low.x, box.high.x), within(x.y, box.low.y, box.high.y),
                            within(x.z, box.low.z, box.high.z)};
    uint32_t low[3];
    double off[3], sum = 0;
    for (int k = 0; k < 3; ++k) {
        double at = part[k] * (v->samples[k] - 1);
        low[k] = (uint32_t)fmin(floor(at), v->samples[k] > 1 ? v->samples[k] - 2 : 0);
        off[k] = at - low[k];
    }
    for (int c = 0; c < 8; ++c) {
        double w = 1;
        size_t n[3];
        for (int k = 0; k < 3; ++k) {
            bool up = c >> k & 1;
            w *= up ? off[k] : 1 - off[k];
            n[k] = low[k] + (up && low[k] + 1 < v->samples[k]);
        }
        sum += w * (double)v->value[n[0] + v->samples[0] * (n[1] + v->samples[1] * n[2])];
    }
    return sum;
}

/* ---- particles ---- */

typedef struct Job {
    const Paint *paint;
    const PxParticles *particles;
    float *weak[5];
    double spacing;
    uint32_t first;
    bool dark;
} Job;

/* Darkness at a particle and the direction in which it changes: the main axis of the sum of
 * slope x slope over the samples around it, which has no sign and so does not cancel between the
 * two edges of a stroke. */
static void look_around(const Job *job, PxVec3 at, float *const weak[5], uint32_t row)
{
    double dark[SIDE][SIDE][SIDE], mean = 0, all = 0, step = STEP * job->spacing;
    PxMat3 sum = {{{0}}};
    for (int z = 0; z < SIDE; ++z)
        for (int y = 0; y < SIDE; ++y)
            for (int x = 0; x < SIDE; ++x)
                dark[z][y][x] = darkness(
                    job->paint, px_mad(at, px_vec(x - SIDE / 2, y - SIDE / 2, z - SIDE / 2), step));
    for (int z = 1; z < SIDE - 1; ++z)
        for (int y = 1; y < SIDE - 1; ++y)
            for (int x = 1; x < SIDE - 1; ++x) {
                const double slope[3] = {(dark[z][y][x + 1] - dark[z][y][x - 1]) / (2 * STEP),
                                         (dark[z][y + 1][x] - dark[z][y - 1][x]) / (2 * STEP),
                                         (dark[z + 1][y][x] - dark[z - 1][y][x]) / (2 * STEP)};
                double w = (x == 2 ? 2 : 1) * (y == 2 ? 2 : 1) * (z == 2 ? 2 : 1);
                mean += w * dark[z][y][x];
                all += w;
                for (int k = 0; k < 9; ++k)
                    sum.m[k / 3][k % 3] += slope[k / 3] * slope[k % 3];
            }
    mean /= all;
    PxVec3 value;
    PxMat3 axes;
    px_mat3_eigen(sum, &value, &axes);
    const int inner = (SIDE - 2) * (SIDE - 2) * (SIDE - 2);
    double clear = value.x > LEAST_SLOPE * inner ? (value.x - value.y) / value.x : 0;
    PxVec3 across = px_scale(px_mat3_column(axes, 0), clear * mean);
    weak[1][row] = (float)((1 - clear) * mean);
    weak[2][row] = (float)across.x;
    weak[3][row] = (float)across.y;
    weak[4][row] = (float)across.z;
}

static void paint_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    for (uint32_t k = begin; k < end; ++k) {
        uint32_t i = job->first + k;
        const PxParticles *p = job->particles;
        PxVec3 at = px_vec((double)p->x[i], (double)p->y[i], (double)p->z[i]);
        if (job->dark)
            look_around(job, at, job->weak, i);
        if (job->paint->factor.value != NULL)
            job->weak[0][i] = (float)(1 - factor_at(job->paint, at));
    }
}

static bool is_anything_dark(const Job *job, uint32_t count)
{
    for (uint32_t i = job->first; i < job->first + count; ++i)
        for (int k = 1; k < 5; ++k)
            if (fabsf(job->weak[k][i]) > 0.1f)
                return true;
    return false;
}

PxStatus px_crack_paint(PxParticles *particles, const PxBodyDef *def, const PxShape *shape,
                        double spacing, uint32_t first, const PxThreads *threads)
{
    PxTable *table = &particles->table;
    Paint paint;
    PX_TRY(paint_open(def, shape, &paint));
    PxStatus status = PX_OK;
    if (px_table_find(table, PX_FRACTURE_WEAK) == NULL)
        status = px_table_add(table, PX_FRACTURE_WEAK, "", PX_F32, 5, PX_COLUMN_STATE, NULL);
    if (status == PX_OK) {
        px_particles_refresh(particles);
        const PxColumn *column = px_table_find(table, PX_FRACTURE_WEAK);
        Job job = {.paint = &paint,
                   .particles = particles,
                   .spacing = spacing,
                   .first = first,
                   .dark = def->cracks != NULL || def->cracks_by_colour};
        for (int k = 0; k < 5; ++k)
            job.weak[k] = column->data[k];
        px_parallel_for(threads, table->count - first, 64, paint_block, &job);
        if (job.dark && !is_anything_dark(&job, table->count - first))
            status = px_fail(PX_ERR_ARGUMENT,
                             "no particle is under a painted crack: wanted dark strokes about two "
                             "spacings (%g m) wide",
                             2 * job.spacing);
    }
    paint_close(&paint);
    return status;
}
