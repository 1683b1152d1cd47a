/// A shot: all that is drawn at one moment, copied out of a world or a stored frame, so that
/// drawing needs neither while the simulation goes on.
#ifndef VIEWER_SHOT_H
#define VIEWER_SHOT_H

#include "arrows.h"

enum { SHOT_NAME = 40 };

/// A skin or coat. Without triangles its points are surfels.
typedef struct ShotSurface {
    uint32_t material;
    uint32_t body; ///< number of the body in the scene; UINT32_MAX: a coat
    bool sheet;    ///< cloth: no particles are in it
    uint32_t points, triangles;
    float *position, *normal; ///< 3 numbers per point
    float *radius;            ///< of surfels
    uint32_t *triangle;
} ShotSurface;

/// Place of a wall or rigid body: a point x at rest is at turn (x - pivot) + pivot + move.
typedef struct ShotPose {
    PxPose pose;
    PxVec3 pivot;
} ShotPose;

typedef struct Shot {
    uint32_t frame;
    double time; ///< s
    uint64_t step;
    uint32_t particles;
    float *place;       ///< x, y, z, radius of each particle
    uint32_t *material; ///< number of its material
    uint32_t *body;     ///< number of its body
    uint8_t *covered;   ///< 1: a skin or coat is drawn instead of it
    float *value;       ///< that is shown as colour; NULL: none
    char column[SHOT_NAME], unit[16];
    float low, high; ///< range of the finite values
    ShotSurface *surface;
    uint32_t surfaces;
    Arrows arrows;
    PxFilmPoint *film; ///< on walls; NULL: none
    size_t films;
    ShotPose *pose; ///< one for each body of the display
    uint32_t poses;
    bool has_stats;
    PxStats stats;
    float bounds[2][3]; ///< of the particles' centres
    double wall;        ///< wall-clock time at which it was made, s
} Shot;

/// Copies the present state of a world. Moves its skins; with `coats` its coats too, which should
/// be done once per frame. `column` is shown as colour: a column of one component, one of several
/// whose length is shown, "speed", or NULL. NULL with px_error_message() on failure.
Shot *shot_of_world(PxWorld *world, const PxDisplay *display, const char *column, ArrowKind arrows,
                    bool coats);

/// The same of a stored frame.
/// Forces on walls are not stored with frames.
Shot *shot_of_stored(const PxStored *frame, const PxDisplay *display, const char *column,
                     ArrowKind arrows);

/// Lets the particles touch the walls of a coating of the same display, which has been moved to
/// the time of the shot, and copies its films. False with px_error_message().
bool shot_coat(Shot *shot, PxCoating *coating);

/// Accepts NULL.
void shot_free(Shot *shot);

/// Bytes of memory that it holds.
size_t shot_bytes(const Shot *shot);

#endif
