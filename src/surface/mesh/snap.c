#include "surface/mesh/snap.h"

#include "base/fail.h"
#include "base/vec.h"
#include "spatial/kdtree.h"

#include <math.h>
#include <stdlib.h>

/* Surfels in the plane fit of a vertex, and number of projections. At a sharp edge the nearest
 * surfels are all on one side after the first projection. */
enum { NEAR = 8, PASSES = 3 };

typedef struct Job {
    PxSurfaceMesh *mesh;
    const PxSnapTarget *target;
    const PxKdTree *tree;
} Job;

static PxVec3 of(const float *const v[3], uint32_t i)
{
    return px_vec((double)v[0][i], (double)v[1][i], (double)v[2][i]);
}

/* Fits a plane to the surfels near x whose normals agree with `n`; false if there are none. */
static bool fit_plane(const Job *job, PxVec3 x, PxVec3 n, PxVec3 *middle, PxVec3 *normal,
                      double *melted)
{
    const PxSnapTarget *d = job->target;
    uint32_t near[NEAR];
    float squared[NEAR];
    uint32_t count =
        px_kdtree_nearest(job->tree, (float)x.x, (float)x.y, (float)x.z, NEAR, near, squared);
    PxVec3 sum = {0, 0, 0}, normals = {0, 0, 0};
    double weights = 0, heat = 0;
    for (uint32_t k = 0; k < count; ++k) {
        /* weights fall from the nearest to the furthest */
        double w = 1 - (double)squared[k] / (1.0001 * (double)squared[count - 1] + 1e-30);
        PxVec3 facing = of(d->normal, near[k]);
        w = k == 0 ? fmax(w, 0.1) : w;
        if (px_dot(facing, n) < 0 || !(w > 0))
            continue;
        sum = px_mad(sum, of(d->position, near[k]), w);
        normals = px_mad(normals, facing, w);
        heat += w * (d->melted != NULL ? (double)d->melted[near[k]] : 0);
        weights += w;
    }
    if (!(weights > 0) || (double)squared[0] > d->reach * d->reach)
        return false;
    *middle = px_scale(sum, 1 / weights);
    *normal = px_normalized(normals, n);
    *melted = heat / weights;
    return true;
}

static void snap_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    for (uint32_t v = begin; v < end; ++v) {
        float *p = job->mesh->position[v], *q = job->mesh->normal[v];
        PxVec3 from = px_vec((double)p[0], (double)p[1], (double)p[2]), to = from;
        PxVec3 n = px_vec((double)q[0], (double)q[1], (double)q[2]), middle, normal = n;
        double melted = 1;
        for (int pass = 0; pass < PASSES; ++pass) {
            if (!fit_plane(job, to, n, &middle, &normal, &melted))
                break;
            to = px_mad(to, normal, px_dot(px_sub(middle, to), normal));
        }
        PxVec3 way = px_sub(to, from);
        if (!(melted < 1) || px_length(way) > job->target->reach)
            continue;
        to = px_mad(from, way, 1 - melted);
        n = px_normalized(px_add(px_scale(n, melted), px_scale(normal, 1 - melted)), n);
        p[0] = (float)to.x;
        p[1] = (float)to.y;
        p[2] = (float)to.z;
        q[0] = (float)n.x;
        q[1] = (float)n.y;
        q[2] = (float)n.z;
    }
}

/* ---- colours ---- */

typedef struct Paint {
    const PxSnapTarget *target;
    const PxKdTree *tree;
    const float (*position)[3], (*normal)[3];
    float *const *paint;
} Paint;

static void paint_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Paint *job = user;
    const PxSnapTarget *d = job->target;
    for (uint32_t v = begin; v < end; ++v) {
        const float *p = job->position[v], *q = job->normal[v];
        uint32_t near[NEAR];
        float squared[NEAR];
        uint32_t count = px_kdtree_nearest(job->tree, p[0], p[1], p[2], NEAR, near, squared);
        /* Surfels facing away, behind a thin sheet, count only if there are no others. */
        PxVec3 n = px_vec((double)q[0], (double)q[1], (double)q[2]);
        double sum[4] = {0, 0, 0, 0}, all = 0, faint = 1e-6;
        for (uint32_t k = 0; k < count; ++k) {
            double w = 1 - (double)squared[k] / (1.0001 * (double)squared[count - 1] + 1e-30);
            w = (k == 0 ? fmax(w, 0.1) : w) * (px_dot(of(d->normal, near[k]), n) < 0 ? faint : 1);
            all += w;
            if (!(d->painted[near[k]] > 0.0f))
                continue;
            sum[3] += w;
            for (int c = 0; c < 3; ++c)
                sum[c] += w * (double)d->colour[c][near[k]] / 255;
        }
        bool painted = count > 0 && (double)squared[0] < d->reach * d->reach && sum[3] > 0.5 * all;
        job->paint[3][v] = painted ? 1.0f : 0.0f;
        for (int c = 0; c < 3 && painted; ++c)
            job->paint[c][v] = (float)(sum[c] / sum[3]);
    }
}

/* ---- interface ---- */

static PxStatus build_tree(const PxSnapTarget *target, PxKdTree *tree)
{
    PxArena scratch;
    px_kdtree_init(tree, NULL);
    px_arena_init(&scratch, NULL);
    PxStatus status = px_kdtree_build(tree, target->position[0], target->position[1],
                                      target->position[2], target->count, &scratch);
    px_arena_free(&scratch);
    return status;
}

PxStatus px_snap_paint(const PxSnapTarget *target, const float (*position)[3],
                       const float (*normal)[3], uint32_t count, float *const paint[4],
                       const PxThreads *threads)
{
    if (count == 0)
        return PX_OK;
    PxKdTree tree;
    PxStatus status = build_tree(target, &tree);
    Paint job = {target, &tree, position, normal, paint};
    if (status == PX_OK)
        status = px_parallel_try(threads, count, PX_BLOCK, paint_block, &job);
    px_kdtree_free(&tree);
    return status;
}

PxStatus px_snap(PxSurfaceMesh *mesh, const PxSnapTarget *target, const PxThreads *threads)
{
    bool solid = target->melted == NULL;
    for (uint32_t i = 0; i < target->count && !solid; ++i)
        solid = target->melted[i] < 1.0f;
    if (target->count == 0 || mesh->vertices == 0 || !solid)
        return PX_OK;
    PxKdTree tree;
    PxStatus status = build_tree(target, &tree);
    Job job = {mesh, target, &tree};
    if (status == PX_OK)
        status = px_parallel_try(threads, mesh->vertices, PX_BLOCK, snap_block, &job);
    px_kdtree_free(&tree);
    return status;
}
