/// The motion of crack fronts through the rest shape, and the events that change their topology
/// (000 sections 5.6.4 and 5.6.5).
#ifndef PX_SOLID_FRACTURE_FRONTS_H
#define PX_SOLID_FRACTURE_FRONTS_H

#include "solid/fracture/cracks.h"
#include "solid/fracture/field.h"
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

/// The sheets of all cracks by place. Triangles that no front moves any more stay there from step
/// to step; in a step, those at the fronts and new ones are there too. What searches find does not
/// depend on the order in which they were added.
typedef struct PxCrackSheets {
    PxCrackCells cells;
    PX_LIST(uint8_t) still; ///< by triangle: it stays there
    bool valid;             ///< false: must be filled anew
} PxCrackSheets;

typedef struct PxCrackGrowth {
    const PxFractureField *field;
    PxCracks *cracks;    ///< changed in place
    PxCrackNodes *room;  ///< buffer
    PxCrackNodes *out;   ///< where fronts are written to
    PxCrackMoves *moves; ///< of this step: bonds change near these points only
    PxCrackCells *cells; ///< two buffers
    uint32_t old;        ///< number of triangles before this step
    PxCrackSheets *sheets;
    size_t entries;      ///< of the sheets that do not move
    uint32_t noted;      ///< triangles before this one are in `sheets`
    uint32_t *tip;       ///< triangles at the front f: entries tip_start[f] to tip_start[f + 1]
    uint32_t *tip_start; ///<
    bool refit;          ///< `moves` are cells that were split: all sheets within `reach` of them
                         ///< lower bonds, and stay as they are
    double reach;        ///< m
    double dt;           ///< s
    double fastest;      ///< of all fronts, in cells per second
    PxCrackEvents events;
} PxCrackGrowth;

/// Notes where the triangles are; call before the functions below. Errors: PX_ERR_MEMORY.
PxStatus px_fronts_index(PxCrackGrowth *growth);

/// Are the fronts possible? No node is outside its body, and each one has its sheet behind it.
bool px_fronts_valid(const PxCrackGrowth *growth);

/// Forgets the triangles of this step; those that do not move any more stay noted.
void px_fronts_forget(PxCrackGrowth *growth);

/// The place of a point in the grids of all bodies.
PxVec3 px_front_place(const PxCrackGrowth *growth, uint32_t body, PxVec3 at);

/// Moves all fronts over `dt`. Errors: PX_ERR_MEMORY.
PxStatus px_fronts_grow(PxCrackGrowth *growth);

/// Begins a crack at a point, with the normal and the size of a cell given: a small disc, whose rim
/// is the front as far as it is inside the body. False: no memory.
bool px_front_begin(PxCrackGrowth *growth, uint32_t body, PxVec3 at, PxVec3 normal, double cell);

/// Notes a move. False: no memory.
bool px_front_note(PxCrackGrowth *growth, uint32_t body, PxVec3 at);

/// Appends a node. False: no memory.
bool px_front_push(PxCrackNodes *list, PxCrackNode node);

#endif
