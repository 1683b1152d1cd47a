/// Impulses of the contacts of one pair of rigid bodies.
#ifndef PX_RIGID_CONTACT_SOLVE_H
#define PX_RIGID_CONTACT_SOLVE_H

#include "base/simd.h"
#include "rigid/solver_parts.h"

/// A pass over contacts.
typedef struct PxSolverPass {
    PxSolverRun *run;
    double h, since;
    const PxSoft *soft; ///< push against overlap, or NULL
    bool follow;
} PxSolverPass;

/// Repeats the impulses of the sub-step before, without those of impacts.
PX_ISA_DECLARE(void, px_solver_repeat_pair,
               (const PxSolverPass *pass, PxSolverContact *contact, uint32_t count));
/// Corrects the impulses of a pair, and marks its bodies if that changes much.
PX_ISA_DECLARE(void, px_solver_correct_pair,
               (const PxSolverPass *pass, PxSolverContact *contact, uint32_t count));
/// Measures the distances after a move, corrects the impulses without a push, and with `follow`
/// moves the points of contact.
PX_ISA_DECLARE(void, px_solver_relax_pair,
               (const PxSolverPass *pass, PxSolverContact *contact, uint32_t count));

#endif
