/// Geometric queries on a shape: inside or outside, distance to the surface, points that fill the
/// volume, points that cover the surface.
#ifndef PX_SHAPE_SHAPE_H
#define PX_SHAPE_SHAPE_H

#include "base/memory.h"
#include "base/vec.h"
#include "phyxel/shape.h"
#include "shape/mesh.h"

typedef struct PxShape PxShape;

/// Lengths and places of shapes lie between these, scale applied, m: far beyond
/// any use on both sides, and squares and volumes neither vanish nor overflow.
#define PX_SHAPE_MIN_LENGTH 1e-50
#define PX_SHAPE_MAX_LENGTH 1e50
/// And of one shape (meshes aside) none is longer than this many times another:
/// a wall that thin would be lost in rounding.
#define PX_SHAPE_MAX_RATIO 1e9

/// Checks the def, reads the mesh if there is one. Lengths are checked to be
/// finite and positive. A mesh must be closed, consistently oriented (one that
/// is inside out as a whole is refused too, with a word on how to mend it) and
/// finite. Errors: PX_ERR_ARGUMENT, PX_ERR_IO, PX_ERR_FORMAT, PX_ERR_MEMORY.
PxStatus px_shape_create(const PxShapeDef *def, PxShape **out);

/// Sets the pointers of a def to NULL: for a copy that is kept after the shape was created.
void px_shape_def_forget(PxShapeDef *def);
/// The last owner frees it. NULL is fine.
void px_shape_free(PxShape *shape);
/// One more owner: one more px_shape_free(). NULL is fine. Threads: one at a time.
void px_shape_hold(PxShape *shape);

/// The same with a mesh that is in memory already, of which a copy is made;
/// def->kind must be PX_SHAPE_MESH and def->mesh is not read. `name` is used in
/// messages.
PxStatus px_shape_create_from_mesh(const PxShapeDef *def, const PxMesh *mesh, const char *name,
                                   PxShape **out);

PxShapeKind px_shape_kind(const PxShape *shape);

/// Axis-aligned bounds in the shape's standing (at, rotation, scale applied);
/// infinite for a plane.
PxBounds px_shape_bounds(const PxShape *shape);

/// m^3 and m^2; infinite for a plane.
double px_shape_volume(const PxShape *shape);
double px_shape_area(const PxShape *shape);

/// Signed distance to the surface, m, negative inside; *normal (may be NULL) is
/// the outward direction at the nearest surface point. Exact for all kinds.
/// Where parts of a mesh overlap, surface buried in another part counts too.
/// NaN for a point that is not finite.
/// Threads: any number at once.
double px_shape_distance(const PxShape *shape, PxVec3 point, PxVec3 *normal);

/// As px_shape_distance(), for those who want to know only what is near, and many times cheaper for
/// a mesh: there `within` m or more may be told as that, or -within inside, with any normal, and
/// where parts overlap the nearest surface alone says what is inside. `normal` is not NULL.
double px_shape_near(const PxShape *shape, PxVec3 point, double within, PxVec3 *normal);

/// Distance to the surface without a sign, for those who know the side already and a
/// bound: `within` m or more is told as `within`, with no direction. *direction (may be
/// NULL) points from the nearest surface point to the point, outwards on the surface itself.
double px_shape_nearest(const PxShape *shape, PxVec3 point, double within, PxVec3 *direction);

bool px_shape_inside(const PxShape *shape, PxVec3 point);

/// Smallest thickness of material that a wall of this shape has, m: shortest
/// edge of a box, diameter of a ball, funnel wall, ...; INFINITY for a plane.
/// For a mesh an estimate from rays shot inwards; a cone counts by the mean of
/// its two diameters.
double px_shape_thickness(const PxShape *shape);

typedef enum PxLattice { PX_LATTICE_CUBIC, PX_LATTICE_HEXAGONAL } PxLattice;

/// Points with optional normals.
typedef struct PxPoints {
    PxVec3 *position;
    PxVec3 *normal; ///< NULL for volume samples
    size_t count;
} PxPoints;

void px_points_free(PxPoints *points);

/// Fills the inside with a lattice of `spacing` (cubic: edge; hexagonal close
/// packing: such that a point stands for spacing^3 too), so that every point
/// represents the volume spacing^3. Points keep about half a spacing from the
/// surface: the outermost layers are a quarter to three quarters of a step away
/// from the faces of the shape's own bounds, and where the surface is no such
/// face the distance is half a spacing on the average only, since pulling points
/// off it would leave volume without points. Anchored at the shape's own frame,
/// so moving a shape moves its points along. Fails with PX_ERR_MEMORY when there
/// would be more than `most`.
/// The points come in a fixed order (z, y, x of the lattice). A shape thinner
/// than half a step still gets one layer. A plane cannot be filled:
/// PX_ERR_ARGUMENT. Works on all cores; the points do not depend on how many.
PxStatus px_shape_fill(const PxShape *shape, PxLattice lattice, double spacing, size_t most,
                       PxPoints *out);

/// Points that stand for cubes of different sizes.
typedef struct PxCells {
    PxVec3 *position;
    double *size; ///< edge of each cube, m
    size_t count;
    double scale; ///< the shape's volume over that of all cubes together
} PxCells;

void px_cells_free(PxCells *cells);

#define PX_OCTREE_LEVELS 6

/// Fills the inside with the middles of a balanced octree's leaves, in its own frame: cubes of
/// edge `spacing` where they may contain surface, up to spacing 2^levels away from it. Two
/// cubes that touch, be it at a corner, differ by a factor of at most 2. The finest begin at
/// the faces of the shape's own bounds, to half a spacing. The points come in Morton order,
/// and are the same for any number of threads. `levels` is 1 to PX_OCTREE_LEVELS.
/// Errors: as px_shape_fill().
PxStatus px_shape_octree(const PxShape *shape, double spacing, int levels, size_t most,
                         PxCells *out);

/// Covers the surface with a Poisson-disk set: no two points nearer than about
/// 0.8 spacing, no surface point further than `spacing` from a sample, edges and corners
/// covered. Same points for the same shape and spacing, always. A plane cannot
/// be covered: PX_ERR_ARGUMENT.
PxStatus px_shape_cover(const PxShape *shape, double spacing, size_t most, PxPoints *out);

/// How many points px_shape_fill / px_shape_octree / px_shape_cover would give, without making
/// them: estimated from volume and area, exact for a box on the cubic lattice. Infinite for a
/// plane.
double px_shape_fill_estimate(const PxShape *shape, PxLattice lattice, double spacing);
double px_shape_octree_estimate(const PxShape *shape, double spacing, int levels);
double px_shape_cover_estimate(const PxShape *shape, double spacing);

#endif
