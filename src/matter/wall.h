/// A wall: a shape that nothing passes, standing or moving by keyframes.
///
/// Questions are asked in the wall's rest frame, the one its shape was defined in.
/// A step moves a wall from one pose to the next; px_wall_move() sets both.
#ifndef PX_MATTER_WALL_H
#define PX_MATTER_WALL_H

#include "phyxel/world.h"
#include "shape/shape.h"

/// x_world = turn (x_rest - pivot) + pivot + move
typedef struct PxPose {
    PxVec3 move;
    PxQuat turn;
} PxPose;

typedef struct PxWall {
    PxShape *shape;
    PxShapeDef def;  ///< of the shape, without the mesh's path
    bool inside;     ///< matter stays inside the shape
    double friction; ///< 0 .. 1
    PxVec3 pivot;
    PxKeyframe *key;
    size_t keys;
    uint32_t body;
    PxBounds bounds; ///< of the shape at rest
    PxPose pose[2];  ///< at the beginning and at the end of the step
    double step;     ///< s between the two
} PxWall;

void px_wall_move(PxWall *wall, double time, double step);

/// `when` is the moment within the step: 0 its beginning, 1 its end.
PxVec3 px_wall_to_rest(const PxWall *wall, double when, PxVec3 world);
PxVec3 px_wall_to_world(const PxWall *wall, double when, PxVec3 rest);

/// Turns a direction.
PxVec3 px_wall_turn_to_world(const PxWall *wall, double when, PxVec3 rest);

/// Velocity of the wall's matter at a point of its rest frame, m/s: the way it
/// goes in this step over the step's length.
PxVec3 px_wall_velocity(const PxWall *wall, PxVec3 rest);

/// Distance to the wall, m, positive where matter may be; *normal points into
/// that side. In the rest frame.
double px_wall_distance(const PxWall *wall, PxVec3 rest, PxVec3 *normal);

#endif
