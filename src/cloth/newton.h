/// Newton's method for the forces of cloth: solves again where a step is too long for forces that
/// are linear in it.
///
/// The forces of a step are linear in its motion. A triangle that turns by much in it is stretched
/// by more than that says: by dt^2 |grad w|^2 / 2, which costs nothing in the solve. Stiff cloth
/// that strikes a wall gained many times its energy so. Where that part of the strain has an energy
/// that counts, forces and matrix are taken again at the end of the motion that was found, and the
/// step is solved again.
#ifndef PX_CLOTH_NEWTON_H
#define PX_CLOTH_NEWTON_H

#include "cloth/cloth.h"

/// Is the energy of the strain that is not linear in the motion w small, for every piece of cloth,
/// and did the last solve again change little?
/// Errors: PX_ERR_MEMORY.
PxStatus px_cloth_newton_done(PxClothStep *step, bool *done);
/// Takes forces and matrix at the end of the motion w. Errors: PX_ERR_MEMORY.
PxStatus px_cloth_newton_again(PxClothStep *step);
/// After that solve: goes only a part of the way if all of it would end with more energy.
/// Errors: PX_ERR_MEMORY.
PxStatus px_cloth_newton_search(PxClothStep *step);

#endif
