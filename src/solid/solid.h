/// State of elastic matter within a step, shared by the stages of the solid solver.
///
/// Each component is computed in a corotated frame: the rigid fit of its rest shape at the start
/// of the step (000 section 5.4.3), constant during the step. Displacements in it stay small, so
/// that float precision suffices for stiff solids, and rigid motion causes no strain. Rows are
/// those of the elastic set, component after component (coupling/elastic_set.h).
#ifndef PX_SOLID_SOLID_H
#define PX_SOLID_SOLID_H

#include "base/arena.h"
#include "base/mat3.h"
#include "base/profile.h"
#include "dist/reduce.h"
#include "matter/material.h"
#include "matter/particles.h"
#include "solid/solid_columns.h"
#include "solid/lists.h"

/// Elastic, plastic and damping constants of a material.
typedef struct PxSolidLaw {
    bool solid;
    bool orthotropic;
    float stiff[9]; ///< Pa: xx, yy, zz, xy, yz, zx of normal strains, then shear xy, yz, zx;
                    ///< without the part that the volume term provides
    float volume;   ///< stiffness of the volume term, Pa (001 Eq. 7)
    float residual; ///< stiffness of the fit residual energy, Pa (passes.h)
    float yield, creep, limit; ///< yield strain, creep rate, 1/s, largest plastic strain
    float damping;             ///< of motion relative to the rigid fit, 1/s
} PxSolidLaw;

/// Computes the law of a material. Errors: PX_ERR_ARGUMENT if its stiffness is not positive
/// definite.
PxStatus px_solid_law(const PxMaterial *material, PxSolidLaw *out);

/// Frame of a component: world = turn rest + move.
typedef struct PxSolidFrame {
    uint32_t body;       ///< slot
    uint32_t begin, end; ///< rows
    PxMat3 turn;         ///< rotation
    PxVec3 move;         ///< translation, m
    PxVec3 fall;         ///< gravity in the frame, m/s^2
    bool held;           ///< a handle holds some of its rows
    bool rigid;          ///< a small piece that moves as a rigid body (pieces.h)
    double mass;         ///< kg
    PxVec3 middle;       ///< centre of mass of the rest shape, m
    PxVec3 velocity;     ///< mean velocity in the frame, m/s
    PxVec3 spin;         ///< angular velocity of the nearest rigid motion, in the frame, rad/s
    PxVec3 load;         ///< of the constant part of fluid forces in `pull`: mean acceleration
                         ///< without gravity, in the frame, m/s^2
    PxVec3 load_moment;  ///< and sum of m v X a, v relative to the mean velocity, kg m^2/s^3
} PxSolidFrame;

/// Contact of a row with its nearest boundary, in the row's frame.
typedef struct PxSolidContact {
    float normal[3];
    float gap;         ///< distance, m; negative: penetration
    float velocity[3]; ///< of the boundary, m/s
    float friction;    ///< Coulomb coefficient
    float pressed;     ///< normal force on the row, N; negative: adhesive
    float grip;        ///< largest friction force, N
    float give;        ///< of friction, m (friction.h)
    float slow;        ///< speed that displaces by the give of friction in the sub-step, m/s
    float stuck[3];    ///< displacement that friction resists already, over the sub-step, m/s
    float slide[3];    ///< direction of sliding; 0 at rest
    float less;        ///< drag that a change along `slide` does not meet, kg/s
    float before;      ///< speed of approach at the start of the step, m/s; < 0: separating
    float impulse[3];  ///< of the boundary on the row in this sub-step, N s
    uint32_t boundary; ///< index
    bool on, released; ///< the contact is active; it was released in this sub-step
    bool steady;       ///< `slide` did not reverse in the last iterations
    uint8_t reversals; ///< of `slide` between iterations of this sub-step
    uint8_t pause;     ///< iterations until it counts as steady again
} PxSolidContact;

struct PxSolid;

/// Contact between solids (contact/solid_solids.h).
typedef struct PxSolidPress {
    void *user;
    /// Finds the contacts at the present displacements; called between the passes of
    /// px_solid_forces(), so it may add to the records. Returns their energy, J.
    double (*forces)(void *user, struct PxSolid *solid);
    /// Adds the accelerations by these contacts to solid->a.
    void (*add)(void *user, struct PxSolid *solid);
    /// Adds the change of the contact forces to `out`, N, for displacements that change by `quad`.
    void (*tangent)(void *user, const float *quad, float *out);
    /// Applies impulses for `dt` to the velocities, after a sub-step: restitution, and friction
    /// with rigid bodies.
    void (*friction)(void *user, double dt);
    /// Keeps the present contacts and their forces for friction in the solve. True: the forces
    /// differ from those that were kept.
    bool (*grip)(void *user, double dt);
    /// Adds the friction of the kept contacts to `out`, N, for the velocities `quad`. Returns its
    /// potential, J. tangent() is about these velocities from then on.
    double (*rub)(void *user, const float *quad, float *out);
    /// At the end of a sub-step, with the velocities `quad`: what sticks.
    void (*stick)(void *user, const float *quad);
    const uint32_t
        *group; ///< by frame: the lowest frame that it touches, directly or through others
} PxSolidPress;

typedef struct PxSolid {
    PxParticles *particles;
    uint32_t count;
    PxSolidColumns columns;
    const PxSolidLists *lists;
    const PxSolidLaw *law;     ///< by material
    const PxSolidLaw *row_law; ///< by row; NULL: all rows of a material have the same law
    const PxMaterial *material;
    PxSolidFrame *frame;
    uint32_t frames;
    uint32_t *frame_of; ///< by row
    double time, dt;    ///< start and length of the step, s
    PxVec3 gravity;     ///< m/s^2
    double support;     ///< of particles of the world's spacing, m
    PxArena *scratch;
    const PxThreads *threads;
    const PxDist *dist; ///< NULL: one rank has all rows
    PxIsa isa;
    PxProfile *profile;
    bool orthotropic; ///< some material is orthotropic
    bool flows;       ///< the fluid stages run too: they solve viscosity, and the volume of matter
                      ///< whose rest shape follows
    bool strained;    ///< some row may have plastic strain
    bool sticks;      ///< friction may act in this step
    bool remembers;   ///< columns.last was written in this step

    /// 4 floats a row, in the frames. The fourth of `u` is the stiffness s of the fit residual
    /// energy, N/m (passes.h); the others' are 0.
    float *u;            ///< displacement, m
    float *v;            ///< velocity, m/s
    float *a;            ///< acceleration, m/s^2
    float *pull;         ///< external acceleration: gravity, the constant part of fluid forces, and
                         ///< forces on regions, m/s^2
    float *loaded;       ///< 3 a row: velocity at the end of the step that gravity and fluids alone
                         ///< would give, in the world, m/s; NULL where nothing flows
    float *record;       ///< 16 a row: three columns of Q, then s L (passes.h)
    float *inverse_mass; ///< 1/kg; 0: a handle or an emitter holds it
    float *stiff[9];     ///< by row, as in the law; if nothing is orthotropic only the first two:
                         ///< Lame's lambda and 2 mu
    float *volume;       ///< by row, as in the law
    float *cell;         ///< by row: volume of its cell in the integral of the energy, m^3
    float *energy;       ///< by row, when it is measured, J
    const float *stretch_weight; ///< weight of a row's stretch in `stretch`; NULL: 1 for all
    float *gradient; ///< displacement gradient H: xx, xy, xz, yx, ..., indexed by px_solid_at()

    double highest;    ///< square of the highest elastic angular frequency, 1/s^2
    double highest_at; ///< `stiffening` of the state in which `highest` was estimated; 1 at rest
    double min_step;   ///< shortest sub-step allowed, s
    double reach;      ///< time in which rows near boundaries move at most half their radius, s

    double elastic;     ///< elastic energy, J
    double stretch;     ///< square of the largest stretch, 1 at rest
    double stiffening;  ///< bound on the stiffness relative to that at rest
    double volume_part; ///< largest part of a row's stiffness that the volume term provides
    double halvings; ///< of the sub-step because of stretch; kept between steps (leapfrog.simd.c)
    uint32_t held;   ///< number of rows held by handles

    /// Moves held rows to their positions at `when` (0: start of the step, 1: its end).
    void (*hold)(struct PxSolid *solid, double when);
    /// Resolves penetrations of boundaries after a move that ended at `when`.
    void (*touch)(struct PxSolid *solid, double when);
    /// Finds nearest boundary and gap, at solid->when, of all rows that may reach a boundary.
    void (*meet)(struct PxSolid *solid, PxSolidContact *contact);
    /// Applies restitution after an implicit solve with contacts: limits the rebound speed.
    void (*rebound)(struct PxSolid *solid, const PxSolidContact *contact);
    void *user;                   ///< of the four callbacks
    const PxSolidPress *press;    ///< NULL: solids do not meet in this step
    struct PxSolidPieces *pieces; ///< rigid pieces (pieces.h); NULL: none
    double when;                  ///< time for meet(), as in hold()
    double moved; ///< length of the move before touch(), s: friction also corrects the positions
                  ///< of that move; 0: it changes velocities alone

    uint64_t iterations; ///< of the linear solver in this step; leapfrog: sub-steps
    uint32_t substeps;
    bool converged;
} PxSolid;

/// All rows, for px_reduce() in blocks of `block` rows.
static inline PxRows px_solid_rows(const PxSolid *solid, uint32_t block)
{
    return (PxRows){solid->threads, solid->dist, solid->count, block};
}

/// Takes scratch, fits the frames, and computes displacements and velocities in them.
PxStatus px_solid_begin(PxSolid *solid);

/// Writes positions and velocities back to the particles.
void px_solid_end(PxSolid *solid);

/// Elastic forces of the displacements u: fills record, gradient, a and stretch; with `measure`
/// also the energy `elastic`.
void px_solid_forces(PxSolid *solid, bool measure);

/// Estimates the square of the highest angular frequency of small vibrations, 1/s^2, about the rest
/// shape, or about the present state if `now`. *stiffening is that state's, as in PxSolid. Errors:
/// PX_ERR_MEMORY.
PxStatus px_solid_highest(PxSolid *solid, bool now, double *highest, double *stiffening);

/// Plastic flow over `dt` (001 section 4.1) with the present gradients.
void px_solid_flow(PxSolid *solid, double dt);

/// Is the viscosity of some material large enough to have an effect in this step?
bool px_solid_is_viscous(const PxSolid *solid);

/// Applies the materials' viscosity to the velocities, over solid->dt. Needs the gradients of the
/// present displacements; overwrites the records.
PxStatus px_solid_viscosity(PxSolid *solid);

/// Damps velocities relative to the rigid motion of each frame, over `dt`. Linear and angular
/// momentum are kept (momenta.c). Errors: PX_ERR_MEMORY.
PxStatus px_solid_damp(PxSolid *solid, double dt);

/// Gives the constant part of fluid forces the effect on linear and angular momentum that it would
/// have at the positions at the start of the step (momenta.c). `lag`: mean time after the start of
/// the step at which the integration evaluates positions for a constant force, s.
void px_solid_balance(PxSolid *solid, double lag);

/// Is the rest-shape update of the row's material due in that step?
bool px_solid_absorbs(const PxSolid *solid, uint32_t row, uint64_t step);

/// Rest-shape update of all bodies for which it is due in that step: the present shape becomes the
/// rest shape. True: at least one changed.
bool px_solid_absorb(PxSolid *solid, uint64_t step);

/// Adapts `bulk` to the crowding of the new rest shapes (absorb.c). Call after px_solid_absorb()
/// of the same `step`, with rebuilt lists.
void px_solid_crowding(PxSolid *solid, uint64_t step);

/// Law of a row.
static inline const PxSolidLaw *px_solid_law_of(const PxSolid *s, uint32_t i)
{
    return s->row_law != NULL ? &s->row_law[i] : &s->law[s->particles->material[i]];
}

/// World position of a row.
static inline PxVec3 px_solid_place(const PxSolid *s, uint32_t i)
{
    const PxSolidFrame *f = &s->frame[s->frame_of[i]];
    const float *u = s->u + 4 * (size_t)i;
    PxVec3 m = {(double)s->columns.rest[0][i] + (double)u[0],
                (double)s->columns.rest[1][i] + (double)u[1],
                (double)s->columns.rest[2][i] + (double)u[2]};
    return px_add(px_mat3_apply(f->turn, m), f->move);
}

/// Row i of `quad` (4 floats a row, in the frames) as a vector in the world.
static inline PxVec3 px_solid_in_world(const PxSolid *s, const float *quad, uint32_t i)
{
    const float *q = quad + 4 * (size_t)i;
    return px_mat3_apply(s->frame[s->frame_of[i]].turn,
                         px_vec((double)q[0], (double)q[1], (double)q[2]));
}

/// Adds `scale` times a vector in the world to row i of `quad`.
static inline void px_solid_add(const PxSolid *s, float *quad, uint32_t i, PxVec3 v, double scale)
{
    PxVec3 own = px_mat3_apply(px_mat3_transpose(s->frame[s->frame_of[i]].turn), v);
    quad[4 * (size_t)i] += (float)(scale * own.x);
    quad[4 * (size_t)i + 1] += (float)(scale * own.y);
    quad[4 * (size_t)i + 2] += (float)(scale * own.z);
}

#endif
