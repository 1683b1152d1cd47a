/// Shapes that stand for given particles: liquids that were poured into a vessel, or that make room
/// for other bodies.
#include "shape/shape_inner.h"

#include "base/fail.h"

#include <stdlib.h>
#include <string.h>

void px_cloud_free(PxCloud *cloud)
{
    if (cloud == NULL)
        return;
    px_kdtree_free(&cloud->tree);
    free(cloud->point);
    free(cloud);
}

/* Copies the points and sorts them into the tree. */
static PxStatus fill_cloud(PxCloud *cloud, const PxVec3 *point, size_t count)
{
    float *axis = malloc(3 * count * sizeof *axis);
    cloud->point = malloc(count * sizeof *cloud->point);
    PxArena scratch = {0};
    PxStatus status = axis != NULL && cloud->point != NULL
                          ? PX_OK
                          : px_fail(PX_ERR_MEMORY, "points: no room for %zu", count);
    if (status == PX_OK) {
        memcpy(cloud->point, point, count * sizeof *point);
        cloud->count = count;
        for (size_t k = 0; k < count; ++k) {
            axis[k] = (float)point[k].x;
            axis[count + k] = (float)point[k].y;
            axis[2 * count + k] = (float)point[k].z;
        }
        status = px_kdtree_build(&cloud->tree, axis, axis + count, axis + 2 * count,
                                 (uint32_t)count, &scratch);
    }
    px_arena_free(&scratch);
    free(axis);
    return status;
}

PxStatus px_shape_create_points(const PxVec3 *point, size_t count, double cell, PxShape **out)
{
    *out = NULL;
    if (count == 0 || count > UINT32_MAX / 2 || !(cell > 0) || !isfinite(cell))
        return px_fail(PX_ERR_ARGUMENT,
                       "points: %zu of them with a spacing of %g m, wanted at least 1 and a "
                       "positive spacing",
                       count, cell);
    PxShape *shape = calloc(1, sizeof *shape);
    PxCloud *cloud = calloc(1, sizeof *cloud);
    if (shape == NULL || cloud == NULL) {
        free(shape);
        free(cloud);
        return px_fail(PX_ERR_MEMORY, "points: no room");
    }
    px_kdtree_init(&cloud->tree, NULL);
    cloud->cell = cell;
    cloud->radius = 0.62035049089940 * cell; /* cbrt(3 / (4 pi)) */
    *shape = (PxShape){.kind = PX_SHAPE_POINTS, .turn = px_quat_identity(), .cloud = cloud};
    PxStatus status = fill_cloud(cloud, point, count);
    if (status != PX_OK) {
        px_shape_free(shape);
        return status;
    }
    shape->bounds = px_bounds_empty();
    for (size_t k = 0; k < count; ++k)
        px_bounds_add(&shape->bounds, point[k]);
    PxVec3 half = px_vec(0.5 * cell, 0.5 * cell, 0.5 * cell);
    shape->bounds.low = px_sub(shape->bounds.low, half);
    shape->bounds.high = px_add(shape->bounds.high, half);
    shape->own_bounds = shape->bounds;
    shape->volume = (double)count * cell * cell * cell;
    shape->area = 6 * cbrt(shape->volume) * cbrt(shape->volume); /* as if it were a cube */
    shape->thickness = cell;
    *out = shape;
    return PX_OK;
}

double px_cloud_distance(const PxCloud *cloud, PxVec3 point, PxVec3 *normal)
{
    uint32_t nearest;
    float squared;
    px_kdtree_nearest(&cloud->tree, (float)point.x, (float)point.y, (float)point.z, 1, &nearest,
                      &squared);
    PxVec3 apart = px_sub(point, cloud->point[nearest]);
    if (normal != NULL)
        *normal = px_normalized(apart, px_vec(0, 1, 0));
    return px_length(apart) - cloud->radius;
}

PxStatus px_cloud_fill(const PxCloud *cloud, double spacing, size_t most, PxPoints *out)
{
    double ratio = spacing / cloud->cell;
    size_t each = ratio > 1 ? (size_t)fmin(floor(ratio * ratio * ratio + 1e-6), 1e9) : 1;
    size_t count = (cloud->count + each - 1) / each;
    if (count > most)
        return px_fail(PX_ERR_MEMORY, "points: %zu of them, allowed are %zu", count, most);
    out->position = malloc(count * sizeof *out->position);
    if (out->position == NULL)
        return px_fail(PX_ERR_MEMORY, "points: no room for %zu", count);
    for (size_t k = 0; k < count; ++k)
        out->position[k] = cloud->point[k * each];
    out->count = count;
    return PX_OK;
}
