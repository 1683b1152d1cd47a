/// Small pieces of broken solids as rigid bodies (000 section 5.9.1).
///
/// Pieces of a few particles hardly deform, but their fits are the worst conditioned, and their
/// strains the ones that shorten sub-steps. A piece with less rest volume than a cube of
/// `rigid_below` therefore moves as a rigid body with the shape that it has: its rows have no
/// elastic forces and follow the centre of mass and the rotation of the piece. Rows stay in the
/// elastic set, so contact with rigid bodies, solids, cloth and fluids is that of other rows: what
/// it does to their velocities is handed to the piece. Contact with walls is in
/// contact/piece_walls.h.
///
/// Velocities of the rows carry the momenta between steps, and their positions the shape: there
/// is no other state.
#ifndef PX_SOLID_PIECES_H
#define PX_SOLID_PIECES_H

#include "solid/solid.h"

/// Marks the frames that are rigid pieces. Call before px_solid_begin(). Errors: PX_ERR_MEMORY.
PxStatus px_solid_pieces_mark(PxSolid *solid);

/// Makes the motion of marked frames rigid, at the start of a step, in scratch memory: linear and
/// angular momentum are kept, kinetic energy does not grow. Errors: PX_ERR_MEMORY.
PxStatus px_solid_pieces_begin(PxSolid *solid);

/// Takes over what changed the velocities of rows, then moves the pieces for `dt`, s; whatever
/// displacements their rows have are replaced.
void px_solid_pieces_move(PxSolid *solid, double dt);

/// Makes `quad`, forces on rows, N, those that give rigid accelerations with the same sums of
/// forces and torques. Returns the largest such acceleration, m/s^2.
double px_solid_pieces_project(const PxSolid *solid, float *quad);

/// A piece; all vectors are in its frame.
typedef struct PxSolidPiece {
    uint32_t frame;
    double mass;             ///< kg
    PxVec3 inertia;          ///< principal moments, kg m^2, largest first
    PxQuat axes;             ///< rotates principal axes into the frame
    PxVec3 middle, velocity; ///< of the centre of mass, m and m/s
    PxVec3 spin;             ///< rad/s
    uint32_t first;          ///< of its rows, among those of all pieces
} PxSolidPiece;

/// Number of pieces, and one of them, after px_solid_pieces_begin().
uint32_t px_solid_pieces_count(const PxSolid *solid);
PxSolidPiece *px_solid_piece(PxSolid *solid, uint32_t number);

/// Length of the last move, s.
double px_solid_pieces_moved(const PxSolid *solid);

/// Takes over what has changed the velocities of rows; and writes velocities and displacements of
/// rows after the piece was changed.
void px_solid_piece_read(PxSolid *solid, uint32_t number);
void px_solid_piece_write(PxSolid *solid, uint32_t number);

/// Angular velocity of an angular momentum about the centre.
PxVec3 px_solid_piece_spin(const PxSolidPiece *piece, PxVec3 momentum);

/// Velocity at `arm` from the centre of mass, m/s.
static inline PxVec3 px_solid_piece_velocity(const PxSolidPiece *p, PxVec3 arm)
{
    return px_add(p->velocity, px_cross(p->spin, arm));
}

/// Change of the velocity there in direction `n` by a unit impulse in that direction, 1/kg.
static inline double px_solid_piece_light(const PxSolidPiece *p, PxVec3 arm, PxVec3 n)
{
    PxVec3 lever = px_cross(arm, n);
    return 1 / p->mass + px_dot(lever, px_solid_piece_spin(p, lever));
}

/// Applies an impulse there, N s.
static inline void px_solid_piece_push(PxSolidPiece *p, PxVec3 arm, PxVec3 impulse)
{
    p->velocity = px_mad(p->velocity, impulse, 1 / p->mass);
    p->spin = px_add(p->spin, px_solid_piece_spin(p, px_cross(arm, impulse)));
}

/// Is row i part of a rigid piece?
static inline bool px_solid_is_rigid(const PxSolid *s, uint32_t i)
{
    return s->frame[s->frame_of[i]].rigid;
}

#endif
