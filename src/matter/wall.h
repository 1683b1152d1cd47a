/// A wall: an impenetrable shape, static, moved by keyframes, deformed by the poses of its mesh, or
/// a rigid body; it implements matter/boundary.h.
///
/// Points named `rest` are in the wall's rest frame, in which its shape was defined. A step moves
/// a wall from one pose to the next; px_wall_move() sets both. The rest frame of a wall whose mesh
/// has poses is the world, and its shape there depends on the moment.
#ifndef PX_MATTER_WALL_H
#define PX_MATTER_WALL_H

#include "matter/boundary.h"
#include "matter/pose.h"
#include "phyxel/world.h"
#include "shape/shape.h"

/// A cheap lower bound of the distance to a wall at moment 0 (wall_fill.c).
typedef struct PxWallGlance {
    double row[3][3], shift[3]; ///< u = row x + shift: from world to box frame
    double half[3];
    bool box, plane, hollow;
} PxWallGlance;

typedef struct PxWall {
    PxBoundary boundary; ///< first: a boundary with the ops of walls is a wall
    PxShape *shape;
    PxShapeDef def;           ///< of the shape, without the mesh's path
    bool inside;              ///< matter stays inside the shape
    double cling;             ///< adhesion of molten coats to its surface, 0 .. 1
    bool prints;              ///< hands the colours of its mesh to these coats
    PxTemperatureKey *warmth; ///< keys of its temperature
    size_t warmths;
    PxVec3 pivot; ///< at rest: the `at` of its shape
    PxKeyframe *key;
    size_t keys;
    PxBounds bounds; ///< of the shape at rest; with poses, of the mesh during the step
    bool rigid;      ///< moved by forces instead of keyframes; its owner sets the next 3
    PxPose now;      ///< rigid: pose at the start of the step; the pivot is its centre of mass
    PxVec3 velocity, spin;       ///< rigid: of its centre, m/s, and about it, rad/s, in the step
    struct PxFeatures *features; ///< with which it touches rigid bodies (rigid/features.h), or NULL
    PxPose pose[2];              ///< at moments 0 and 1 of the step
    double step;                 ///< time between the two, s
    struct PxWallField *field;   ///< tabulated part of the kernel (wall_field.h); NULL: analytic
    bool own_field;              ///< the field is in the shape's own frame
    struct PxWallTriangles *triangles; ///< instead: the triangles themselves (wall_triangles.h)
    bool spheres;        ///< stops particles as spheres (contact/spheres.h): fills nothing
    PxWallGlance glance; ///< valid from fill_begin on
} PxWall;

/// The wall as a boundary. Torques are about the `at` of its shape, in its pose at moment 0.
PxBoundary *px_wall_boundary(PxWall *wall);

/// Sets the poses of a step: from the keyframes, or from the velocity of a rigid body.
void px_wall_move(PxWall *wall, double time, double step);

/// The motion of a mesh with poses, else NULL.
static inline PxMovingMesh *px_wall_moving(const PxWall *wall)
{
    return wall->shape != NULL ? px_shape_moving(wall->shape) : NULL;
}

/// True if it never moves as a whole: its rest frame is the world.
static inline bool px_wall_is_fixed(const PxWall *wall)
{
    return wall->keys == 0 && !wall->rigid;
}

/// True if no point of it ever moves.
static inline bool px_wall_is_still(const PxWall *wall)
{
    return px_wall_is_fixed(wall) && px_wall_moving(wall) == NULL;
}

PxVec3 px_wall_to_rest(const PxWall *wall, double when, PxVec3 world);
PxVec3 px_wall_to_world(const PxWall *wall, double when, PxVec3 rest);

/// Binds a point to the wall at a moment: its place in the rest frame, of a wall with poses in the
/// pose at time 0; and where a bound point is at a moment.
PxVec3 px_wall_bind(const PxWall *wall, double when, PxVec3 world);
PxVec3 px_wall_follow(const PxWall *wall, double when, PxVec3 bound);

/// Rotates a direction from the rest frame to the world.
PxVec3 px_wall_turn_to_world(const PxWall *wall, double when, PxVec3 rest);

/// Velocity of the wall at a point of its rest frame, m/s: displacement in this step over its
/// length. `when` matters for walls with poses only, here and below.
PxVec3 px_wall_velocity(const PxWall *wall, double when, PxVec3 rest);

/// Distance to the wall, m, positive on the side where matter may be; *normal points to that side.
/// In the rest frame.
double px_wall_distance(const PxWall *wall, double when, PxVec3 rest, PxVec3 *normal);
/// The same, with the meaning of `within` as in px_shape_near().
double px_wall_near(const PxWall *wall, double when, PxVec3 rest, double within, PxVec3 *normal);

/// Does a straight path of the rest frame, which begins outside, end inside or pass through? One
/// that enters and leaves on the same side does not pass. Next to the wall steps are `hair` long,
/// so a thinner wall may be missed.
bool px_wall_passes(const PxWall *wall, const PxBoundaryPath *rest, double hair);

/// fill_begin, fill and fill_more of walls (wall_fill.c).
PxStatus px_wall_fill_begin(PxBoundary *boundary, const PxWallProfile *profile);
uint32_t px_wall_fill(const PxBoundary *boundary, const PxFillQuery *query, PxFill *out,
                      double *nearest);
PxStatus px_wall_fill_more(PxBoundary *boundary, const PxThreads *threads, bool *again);

#endif
