/// The implicit surface of oriented points (000 section 2.5.1; Adamson and Alexa 2004).
///
///     F(x) = n(x) . (x - a(x))                                                  (Eq. 2.44)
///
/// with a and n the weighted means of the points and of their normals within h, weights
/// (1 - r^2 / h^2)^3. F is defined within h of a point (Eqs. 2.47, 2.48); beyond, a point is
/// projected from the nearest one. Inside is where F < 0.
#ifndef PX_SURFACE_POINT_SURFACE_H
#define PX_SURFACE_POINT_SURFACE_H

#include "base/vec.h"
#include "spatial/kdtree.h"

/// Most points within h that count: those of both sides of a sheet, and some to spare.
#define PX_POINT_SURFACE_NEAR 256u

typedef struct PxPointSurface {
    uint32_t count;
    const float *position[3], *normal[3]; ///< the caller's; m, normals outwards, of unit length
    PxKdTree tree;
    double spacing; ///< mean distance of neighbouring points, m
    double support; ///< h, m
} PxPointSurface;

/// Builds it; the arrays have to stay. The support is 2.5 spacings, in which lie about 20 points of
/// an even surface. Errors: PX_ERR_ARGUMENT for positions that are not finite, PX_ERR_MEMORY.
PxStatus px_point_surface_make(PxPointSurface *out, const float *const position[3],
                               const float *const normal[3], uint32_t count, PxArena *scratch);
/// Accepts a zeroed one.
void px_point_surface_free(PxPointSurface *surface);

/// F at a place and its gradient (Eq. 2.49, the derivatives of a and n included); `plane` is a and
/// `normal` n. False where F is not defined. Threads: any number at once.
bool px_point_surface_at(const PxPointSurface *surface, PxVec3 x, double *value, PxVec3 *gradient,
                         PxVec3 *plane, PxVec3 *normal);

/// Orthogonal projection of x (Eq. 2.52): *foot is the nearest place on the surface and *normal the
/// normal there; returns the distance, negative inside, m. INFINITY if there are no points.
double px_point_surface_project(const PxPointSurface *surface, PxVec3 x, PxVec3 *foot,
                                PxVec3 *normal);

/// Index of the point nearest to x, or UINT32_MAX.
uint32_t px_point_surface_nearest(const PxPointSurface *surface, PxVec3 x);

#endif
