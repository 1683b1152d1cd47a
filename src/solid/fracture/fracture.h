/// Fracture of solids (000 section 5.6): cracks begin where the stress passes the strength, grow
/// with it, and lower the strength of the bonds that they cross.
///
/// A step plans the changes with the stresses at its end, and commits them when it cannot fail any
/// more. Bonds that are cut disappear when the elastic set is rebuilt, and components that hang
/// together no longer become several.
#ifndef PX_SOLID_FRACTURE_FRACTURE_H
#define PX_SOLID_FRACTURE_FRACTURE_H

#include "solid/bonds.h"
#include "solid/fracture/fronts.h"

typedef struct PxFracture {
    PxCracks now, next;
    PxCrackNodes room;       ///< buffer
    PX_LIST(float) strength; ///< of bonds, planned
    PxCrackMoves moves;      ///< buffer
    PxGrid grid[2];          ///< of particles
    PxCrackSheets sheets;    ///< of `now`
    PxCrackCells cells[2];   ///< buffers
    PxCrackMoves fresh;      ///< cells that were split since the last px_fracture_refit()
    double fresh_reach;      ///< how far bonds of their children reach, m
    bool stale;              ///< `now` must be read from the tables
    bool melted;             ///< set by the caller: rest shapes changed in this step (heal.h)
    bool planned;            ///< `next` and `strength` wait to be committed
    uint64_t changed;        ///< above 0: `strength` differs from the bonds
    double fastest;          ///< largest planned speed of a crack front, cells per second
    PxCrackEvents events;    ///< planned
} PxFracture;

void px_fracture_init(PxFracture *fracture, const PxAllocator *allocator);
void px_fracture_free(PxFracture *fracture);
size_t px_fracture_bytes(const PxFracture *fracture);

/// Plans the growth of cracks over `dt` with the gradients in `solid`. `origin` is the rest origin
/// by body. Errors: PX_ERR_MEMORY; then nothing is planned.
PxStatus px_fracture_plan(PxFracture *fracture, const PxSolid *solid, const PxBonds *bonds,
                          const PxVec3 *origin, size_t bodies, uint64_t step);

/// Prepares a plan that changes nothing, for px_fracture_cut(). Errors: PX_ERR_MEMORY.
PxStatus px_fracture_plan_nothing(PxFracture *fracture, const PxBonds *bonds);

/// Lowers the bonds near the cells that were split where the sheets of `now` cross them: children
/// have the bonds of their parent, which the sheets may have missed. *changed, `weaker`: as of
/// px_fracture_commit(). Errors: PX_ERR_MEMORY.
PxStatus px_fracture_refit(PxFracture *fracture, const PxSolid *solid, PxBonds *bonds,
                           const PxVec3 *origin, uint8_t *weaker, bool *changed);

/// Applies the plan; cannot fail. True: bonds have changed; then `weaker`, by row, marks the rows
/// whose bonds did.
bool px_fracture_commit(PxFracture *fracture, PxBonds *bonds, uint8_t *weaker);

#endif
