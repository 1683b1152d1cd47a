/// Cloth in free flight: what a whole step must keep.
///
/// Nothing acts on a piece that flies but gravity: its angular momentum about its centre of mass
/// stays, and its energy does not grow. A step keeps neither by itself. Implicit
/// Euler changes angular momentum by dt^2 sum f x v and BDF2 likewise, and velocities (x1 - x) / dt
/// are chords of the ways of what turns: they point inwards by |spin| dt / 2 of what they are.
/// So after the step the velocities relative to the centre are taken apart,
///     u = W x r + u',   I W = sum m r x u,
/// and W is replaced by that of the right angular momentum L, I W = L. What the sum
///     1/2 W L + 1/2 sum m u'^2 + elastic energy
/// has more than that of the start is taken out of u', which has no angular momentum: the step
/// damps vibrations instead of the spin. I^-1 L is that of the new shape, as in reduced mechanics
/// (Marsden 1992, Lectures on Mechanics, chapter 3), so what draws its arms in spins faster.
///
/// A piece that turns takes its step in a frame that turns with it, by the exact rotation Q of the
/// angle |W| dt about its centre: implicit Euler for the motion u' in that frame, with the
/// centrifugal acceleration W x (r x W) and the Coriolis one, which turns u' by -2 |W| dt. In the
/// world it would by itself move at
///     (Q r - r) / dt + V + dt g + Q^-1 u' + dt Q (W x (r x W)),
/// and its velocity at the end is V + dt g + W x r1 + w - ((Q r - r) / dt + V + dt g). A piece in
/// balance that only turns is exact so. In the world, forces that are linear in the motion stretch
/// it by (|W| dt)^2 / 2; here they are linear about the places Q r (newton.h).
#ifndef PX_CLOTH_FLIGHT_H
#define PX_CLOTH_FLIGHT_H

#include "cloth/cloth.h"

/// A step of what may fly; arrays in scratch.
typedef struct PxClothFlight {
    double *elastic; ///< by piece, at the start, J
    PxVec3 *turn;    ///< W by piece at the start, 1/s; 0: it does not turn
    PxVec3 *drift;   ///< V + dt g by piece
    double over; ///< energy that a piece has at the end beyond that of the start, with u' = 0, J
} PxClothFlight;

/// After forces at the start are evaluated, before they are assembled: elastic energies, and the
/// frames of pieces that nothing holds and that turn, with forces at the places to which they turn;
/// without `frames`, energies alone.
/// Errors: PX_ERR_MEMORY.
PxStatus px_cloth_flight_begin(PxClothFlight *flight, PxClothStep *step, bool frames);

/// The velocities `more`, by vertex, that are missing at the end of a step; 0 for what does not
/// fly. Added to `velocity`, that at the end, and to that before the step, they are no kink in the
/// past. `at` are the places at the end; forces are then evaluated there if anything flies. Errors:
/// PX_ERR_MEMORY.
PxStatus px_cloth_flight_end(PxClothFlight *flight, PxClothStep *step, PxVec3 *at,
                             const PxVec3 *velocity, PxVec3 *more);

#endif
