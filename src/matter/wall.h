/// A wall: a shape that nothing passes, standing or moving by keyframes.
///
/// Questions are asked in the wall's rest frame, the one its shape was defined in.
/// A step moves a wall from one pose to the next; px_wall_move() sets both.
#ifndef PX_MATTER_WALL_H
#define PX_MATTER_WALL_H

#include "matter/pose.h"
#include "phyxel/world.h"
#include "shape/shape.h"

#include <math.h>

typedef struct PxWall {
    PxShape *shape;
    PxShapeDef def;           ///< of the shape, without the mesh's path
    bool inside;              ///< matter stays inside the shape
    double friction;          ///< 0 .. 1
    double cling;             ///< of melted coats: how much they take on its surface, 0 .. 1
    double temperature;       ///< degrees C; NAN: no heat passes it
    double conductance;       ///< of its contact with matter, W/(m^2 K); INFINITY: perfect
    PxTemperatureKey *warmth; ///< how its temperature changes
    size_t warmths;
    PxVec3 pivot;
    PxKeyframe *key;
    size_t keys;
    uint32_t body;
    PxBounds bounds;           ///< of the shape at rest
    PxPose pose[2];            ///< at the beginning and at the end of the step
    double step;               ///< s between the two
    struct PxWallField *field; ///< how fluids feel it (fluid/wall_field.h); NULL: by formula
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
/// The same as px_shape_near() has it.
double px_wall_near(const PxWall *wall, PxVec3 rest, double within, PxVec3 *normal);

/// No point of the wall moves further than this in the step, m. A plane has points at any
/// distance from its pivot: INFINITY when it turns.
double px_wall_way(const PxWall *wall);

/// Distances to walls may be looked up in tables, interpolated linearly between nodes that
/// are this many spacings apart.
#define PX_WALL_STEP 0.5

/// The true distance is at least this. The distance was interpolated from the corners of a
/// cell of edge g. No corner is further from the wall than from that point of
/// the wall which is nearest to the place asked about, d away; and the mean of
/// those ways is at most sqrt(d^2 + 3/4 g^2).
static inline double px_wall_surely(double distance, double spacing)
{
    double g = PX_WALL_STEP * spacing, square = distance * distance - 0.75 * g * g;
    return distance > 0 && square > 0 ? sqrt(square) : 0;
}

#endif
