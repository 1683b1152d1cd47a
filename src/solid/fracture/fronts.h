/// The motion of crack fronts through the rest shape, and the events that change their topology
/// (000 sections 5.6.4 and 5.6.5).
#ifndef PX_SOLID_FRACTURE_FRONTS_H
#define PX_SOLID_FRACTURE_FRONTS_H

#include "solid/fracture/cracks.h"
#include "solid/fracture/near.h"

/// Distance of neighbouring nodes, and width of a strip of the sheet, in cells.
#define PX_CRACK_NODES_APART 0.5
/// Features smaller than this are not made, in cells.
#define PX_CRACK_SNAP 0.3

/// Events of one step.
typedef struct PxCrackEvents {
    uint32_t started;
    uint32_t split;  ///< a front went out of the body, or met another crack, and left two
    uint32_t merged; ///< ends of fronts met
    uint32_t ended;
} PxCrackEvents;

/// A point from or to which a node of a front moved, or where one vanished.
typedef struct PxCrackMove {
    PxVec3 at; ///< in the rest shape, m
    uint32_t body;
} PxCrackMove;

typedef PX_LIST(PxCrackMove) PxCrackMoves;

/// A ball around triangles: a quick test whether they can be near.
typedef struct PxCrackBall {
    PxVec3 at;
    double radius;        ///< m
    uint32_t first, last; ///< triangles; of one triangle unused
} PxCrackBall;

typedef struct PxCrackBalls {
    PxCrackBall *data; ///< in the scratch memory of the step
    uint32_t count, room;
} PxCrackBalls;

typedef struct PxCrackGrowth {
    const PxFractureField *field;
    PxCracks *cracks;    ///< changed in place
    PxCrackNodes *room;  ///< buffer
    PxCrackNodes *out;   ///< where fronts are written to
    PxCrackMoves *moves; ///< of this step: bonds change near these points only
    PxGrid *grid[2];     ///< buffers of indices
    PxCrackIndex sheet;  ///< the triangles before this step, by their middles
    PxCrackBall *ball;   ///< around them, in the order of `sheet`, with room for the motion of
                         ///< their corners in this step
    PxCrackBalls fresh;  ///< around the triangles that each front has added in this step
    uint32_t old;        ///< number of these triangles
    double dt;           ///< s
    double fastest;      ///< of all fronts, in cells per second
    PxCrackEvents events;
} PxCrackGrowth;

/// Indexes the triangles that there are; call before the functions below. Errors: PX_ERR_MEMORY.
PxStatus px_fronts_index(PxCrackGrowth *growth);

/// Moves all fronts over `dt`. Errors: PX_ERR_MEMORY.
PxStatus px_fronts_grow(PxCrackGrowth *growth);

/// Begins a crack at a point, with the normal and the size of a cell given: a small disc, whose rim
/// is the front as far as it is inside the body. False: no memory.
bool px_front_begin(PxCrackGrowth *growth, uint32_t body, PxVec3 at, PxVec3 normal, double cell);

/// Takes the triangles that were added since the last call as those of one front.
void px_fronts_note_fresh(PxCrackGrowth *growth);

/// Notes a move. False: no memory.
bool px_front_note(PxCrackGrowth *growth, uint32_t body, PxVec3 at);

/// Appends a node. False: no memory.
bool px_front_push(PxCrackNodes *list, PxCrackNode node);

#endif
