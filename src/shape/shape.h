/// Geometric queries on a shape: inside test, distance to the surface, sampling of volume and
/// surface.
#ifndef PX_SHAPE_SHAPE_H
#define PX_SHAPE_SHAPE_H

#include "base/memory.h"
#include "base/vec.h"
#include "phyxel/shape.h"
#include "shape/mesh.h"
#include "shape/moving_mesh.h"

typedef struct PxShape PxShape;

/// Range of the lengths and positions of shapes after scaling, m: squares and volumes
/// neither underflow nor overflow.
#define PX_SHAPE_MIN_LENGTH 1e-50
#define PX_SHAPE_MAX_LENGTH 1e50
/// Largest ratio of two lengths of one shape (meshes aside): thinner walls would be
/// lost in rounding.
#define PX_SHAPE_MAX_RATIO 1e9

/// Checks the def and reads the mesh if there is one. Lengths must be finite and
/// positive. A mesh must be finite, closed and consistently oriented; one that is
/// inside out is refused with a hint how to repair it.
/// Errors: PX_ERR_ARGUMENT, PX_ERR_IO, PX_ERR_FORMAT, PX_ERR_MEMORY.
PxStatus px_shape_create(const PxShapeDef *def, PxShape **out);

/// Sets the pointers of a def to NULL: for a copy that is kept after the shape was created.
void px_shape_def_forget(PxShapeDef *def);
/// Drops one reference; the last one frees the shape. NULL is fine.
void px_shape_free(PxShape *shape);
/// Adds a reference, to be dropped by px_shape_free(). NULL is fine. Threads: one at a time.
void px_shape_hold(PxShape *shape);

/// The same shape in its own frame, neither turned nor placed; it shares the mesh and holds the
/// original. Not for meshes with poses. Errors: PX_ERR_MEMORY.
PxStatus px_shape_own(PxShape *shape, PxShape **out);
/// Digest of the shape in its own frame: equal ones have equal distances there, bit by bit.
void px_shape_digest(const PxShape *shape, uint64_t digest[2]);

/// The same as px_shape_create() with a copy of a mesh in memory; def->kind must be PX_SHAPE_MESH
/// and def->mesh is ignored. `name` is used in messages.
PxStatus px_shape_create_from_mesh(const PxShapeDef *def, const PxMesh *mesh, const char *name,
                                   PxShape **out);

/// Kind of a shape that stands for given particles: the union of balls of the volume cell^3 around
/// them. It has no triangles and cannot be covered; its distances are exact outside.
#define PX_SHAPE_POINTS PX_SHAPE_KINDS

/// Errors: PX_ERR_ARGUMENT if there are no points or one is not finite, PX_ERR_MEMORY.
PxStatus px_shape_create_points(const PxVec3 *point, size_t count, double cell, PxShape **out);

PxShapeKind px_shape_kind(const PxShape *shape);

/// Its motion if it is a mesh with poses, else NULL. All other queries of the shape are then about
/// its pose at time 0. References share the motion: whoever queries it sets its moments first.
PxMovingMesh *px_shape_moving(const PxShape *shape);

/// Of a mesh with poses: the place at a moment of a point that is bound to the mesh, where its
/// nearest triangle at time 0 has carried it from `bound`, its place at that time; and the place at
/// time 0 of a point that is at `place` now. Threads: any number at once.
PxVec3 px_shape_follow(const PxShape *shape, double when, PxVec3 bound);
PxVec3 px_shape_bind(const PxShape *shape, double when, PxVec3 place);

/// Axis-aligned bounds in the world frame (position, rotation and scale applied);
/// infinite for a plane.
PxBounds px_shape_bounds(const PxShape *shape);

/// m^3 and m^2; infinite for a plane.
double px_shape_volume(const PxShape *shape);
double px_shape_area(const PxShape *shape);

/// Signed distance to the surface, m, negative inside; *normal (may be NULL) is
/// the outward direction at the nearest surface point. Exact for all kinds.
/// Where parts of a mesh overlap, surface inside another part counts too.
/// NaN for a point that is not finite.
/// Threads: any number at once.
double px_shape_distance(const PxShape *shape, PxVec3 point, PxVec3 *normal);

/// Has it a mesh with colours of its vertices?
bool px_shape_has_colours(const PxShape *shape);
/// Colour of its mesh at the surface point nearest to `at`; false if it has none.
bool px_shape_colour(const PxShape *shape, PxVec3 at, PxVec3 *colour);

/// As px_shape_distance(), much cheaper for a mesh if only points near the surface matter. For a
/// mesh, distances of `within` m or more may be returned as +-within with an arbitrary normal, and
/// the nearest surface alone decides the sign where parts overlap. `normal` must not be NULL.
double px_shape_near(const PxShape *shape, PxVec3 point, double within, PxVec3 *normal);

/// Unsigned distance to the surface, for callers that know the side. Distances of `within` m or
/// more are returned as `within`, without a direction. *direction (may be NULL) points from the
/// nearest surface point to the point, and outwards for a point on the surface.
double px_shape_nearest(const PxShape *shape, PxVec3 point, double within, PxVec3 *direction);

bool px_shape_inside(const PxShape *shape, PxVec3 point);

/// Smallest material thickness of a wall of this shape, m: shortest edge of a box,
/// diameter of a ball, mean diameter of a cone, wall of a funnel, ...; INFINITY for
/// a plane. For a mesh an estimate from rays cast inwards.
double px_shape_thickness(const PxShape *shape);

/// Part of the area of a mesh, 0 to 1, where it is thinner than `below`, m: a ray inwards meets a
/// side that faces away within that length. *thickness is the median of these lengths, *at a place
/// inside where it is that thin. 0 for other shapes, and where it is thin at few places.
double px_shape_thin(const PxShape *shape, double below, PxVec3 *at, double *thickness);

typedef enum PxLattice { PX_LATTICE_CUBIC, PX_LATTICE_HEXAGONAL } PxLattice;

/// Points with optional normals.
typedef struct PxPoints {
    PxVec3 *position;
    PxVec3 *normal; ///< NULL for volume samples
    size_t count;
} PxPoints;

void px_points_free(PxPoints *points);

/// Fills the inside with a cubic or hexagonal close-packed lattice in which every
/// point represents the volume spacing^3. The outermost layers are a quarter to
/// three quarters of a lattice step from the faces of the shape's own bounds.
/// Elsewhere the distance to the surface is half a spacing only on average, since
/// moving points off the surface would leave volume without points. The lattice is
/// fixed in the shape's own frame, so the points move with the shape.
/// The points come in a fixed order (z, y, x of the lattice), whatever the number
/// of threads. A shape thinner than half a step still gets one layer.
/// Errors: PX_ERR_ARGUMENT for a plane; PX_ERR_MEMORY, also for more than `most` points.
PxStatus px_shape_fill(const PxShape *shape, PxLattice lattice, double spacing, size_t most,
                       PxPoints *out);

/// The same cubic lattice, whose points near the surface are moved so that all represent equal
/// parts of the shape. A lattice that fits the shape is not changed.
PxStatus px_shape_fill_fitted(const PxShape *shape, double spacing, size_t most, PxPoints *out);

/// Points that represent cubes of different sizes.
typedef struct PxCells {
    PxVec3 *position;
    double *size; ///< edge of each cube, m
    size_t count;
    double scale; ///< volume of the shape / total volume of the cubes
} PxCells;

void px_cells_free(PxCells *cells);

#define PX_OCTREE_LEVELS 6

/// Fills the inside with the centres of the leaves of a balanced octree in the shape's own frame:
/// cubes of edge `spacing` where they may be within `layer`, m, of the surface, of edge up to
/// spacing 2^levels further inside. Cubes that touch, even at a corner, differ by a factor of at
/// most 2. The finest cubes are aligned with the faces of the shape's own bounds to half a spacing.
/// The points come in Morton order and do not depend on the number of threads. `levels` is 1 to
/// PX_OCTREE_LEVELS. Errors: as px_shape_fill().
PxStatus px_shape_octree(const PxShape *shape, double spacing, int levels, double layer,
                         size_t most, PxCells *out);

/// Samples the surface by a Poisson-disk set: no two samples nearer than about 0.8
/// spacings, no surface point further than `spacing` from a sample; sharp edges and
/// corners are sampled. Deterministic. PX_ERR_ARGUMENT for a plane.
PxStatus px_shape_cover(const PxShape *shape, double spacing, size_t most, PxPoints *out);

/// Estimated number of points of px_shape_fill / px_shape_octree / px_shape_cover, from volume and
/// area; exact for a box on the cubic lattice, infinite for a plane.
double px_shape_fill_estimate(const PxShape *shape, PxLattice lattice, double spacing);
double px_shape_octree_estimate(const PxShape *shape, double spacing, int levels, double layer);
double px_shape_cover_estimate(const PxShape *shape, double spacing);
/// Triangles of a mesh; 0 for other shapes.
uint32_t px_shape_triangles(const PxShape *shape);
/// Bytes that px_shape_cover() needs while it makes that many points.
double px_shape_cover_memory(double points);

/// Is a shape of that kind convex, whatever its sizes?
static inline bool px_shape_kind_is_convex(PxShapeKind kind)
{
    return kind == PX_SHAPE_BOX || kind == PX_SHAPE_SPHERE || kind == PX_SHAPE_CYLINDER ||
           kind == PX_SHAPE_CAPSULE || kind == PX_SHAPE_PLANE || kind == PX_SHAPE_CONE;
}

#endif
