/// A wall: a shape that nothing passes, standing or moving by keyframes. The first boundary
/// (matter/boundary.h).
///
/// Queries that have `rest` in them are answered in the wall's rest frame, the one its shape was
/// defined in. A step moves a wall from one pose to the next; px_wall_move() sets both.
#ifndef PX_MATTER_WALL_H
#define PX_MATTER_WALL_H

#include "matter/boundary.h"
#include "matter/pose.h"
#include "phyxel/world.h"
#include "shape/shape.h"

/// A cheap lower bound of the distance to a wall at moment 0 (wall_fill.c).
typedef struct PxWallGlance {
    double row[3][3], shift[3]; ///< u = row x + shift: from the world to the box's frame
    double half[3];
    bool box, plane, hollow;
} PxWallGlance;

typedef struct PxWall {
    PxBoundary boundary; ///< first: a boundary with the ops of walls is a wall
    PxShape *shape;
    PxShapeDef def;           ///< of the shape, without the mesh's path
    bool inside;              ///< matter stays inside the shape
    double cling;             ///< of molten coats: how much they take on its surface, 0 .. 1
    PxTemperatureKey *warmth; ///< how its temperature changes
    size_t warmths;
    PxVec3 pivot; ///< at rest: the `at` of its shape
    PxKeyframe *key;
    size_t keys;
    PxBounds bounds; ///< of the shape at rest
    PxPose pose[2];  ///< at moments 0 and 1 of the step
    double step;     ///< s between the two
    struct PxWallField
        *field;          ///< the part of kernels that it fills (wall_field.h); NULL: by formula
    PxWallGlance glance; ///< valid from fill_begin on
} PxWall;

/// The wall as a boundary. Torques are about the `at` of its shape, where keyframes have it at
/// moment 0.
PxBoundary *px_wall_boundary(PxWall *wall);

void px_wall_move(PxWall *wall, double time, double step);

PxVec3 px_wall_to_rest(const PxWall *wall, double when, PxVec3 world);
PxVec3 px_wall_to_world(const PxWall *wall, double when, PxVec3 rest);

/// Turns a direction.
PxVec3 px_wall_turn_to_world(const PxWall *wall, double when, PxVec3 rest);

/// Velocity of the wall's matter at a point of its rest frame, m/s: its displacement in this step
/// over the step's length.
PxVec3 px_wall_velocity(const PxWall *wall, PxVec3 rest);

/// Distance to the wall, m, positive where matter may be; *normal points into
/// that side. In the rest frame.
double px_wall_distance(const PxWall *wall, PxVec3 rest, PxVec3 *normal);
/// The same as px_shape_near() has it.
double px_wall_near(const PxWall *wall, PxVec3 rest, double within, PxVec3 *normal);

/// fill_begin, fill and fill_more of walls (wall_fill.c).
PxStatus px_wall_fill_begin(PxBoundary *boundary, const PxWallProfile *profile);
uint32_t px_wall_fill(const PxBoundary *boundary, const PxFillQuery *query, PxFill *out,
                      double *nearest);
PxStatus px_wall_fill_more(PxBoundary *boundary, const PxThreads *threads, bool *again);

#endif
