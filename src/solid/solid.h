/// What the stages of a solid's step share.
///
/// Solids are computed in the frame of their rest shape, turned and moved to where the body is
/// at the start of the step (000 section 5.4.3) and standing still during it: displacements
/// stay small, so that floats hold strains of stiff things, and a body that only turns has
/// none. Rows are those of the elastic set, component after component (coupling/elastic_set.h).
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

/// What the engine needs of a solid material.
typedef struct PxSolidLaw {
    bool solid;
    bool orthotropic;
    float stiff[9]; ///< Pa: xx, yy, zz, xy, yz, zx of normal strains, then shear xy, yz, zx;
                    ///< what the volume term has of them is taken off
    float volume;   ///< of the volume term, Pa (001 Eq. 7)
    float firm;     ///< of what the linear fit leaves out, Pa
    float yield, creep, limit;
    float damping; ///< 1/s
} PxSolidLaw;

/// The laws of the material; false and a message if its numbers make no stable solid.
PxStatus px_solid_law(const PxMaterial *material, PxSolidLaw *out);

/// Where a body is: world = turn rest + move.
typedef struct PxSolidFrame {
    uint32_t body;       ///< slot
    uint32_t begin, end; ///< rows
    PxMat3 turn;
    PxVec3 move;
    PxVec3 fall;     ///< gravity, in the frame, m/s^2
    bool held;       ///< by a handle, some of it
    double mass;     ///< kg
    PxVec3 middle;   ///< centre of mass, in the frame
    PxVec3 velocity; ///< mean, in the frame, m/s
    PxVec3 spin;     ///< of the rigid motion nearest to the body's, in the frame, rad/s
} PxSolidFrame;

/// A row and the wall it is nearest to, in the row's frame.
typedef struct PxSolidContact {
    float normal[3];
    float gap;         ///< m; below 0 in the wall
    float velocity[3]; ///< of the wall, m/s
    float friction;
    float pressed; ///< N, by the wall
    float grip;    ///< N, most that friction holds it back with
    float slow;    ///< m/s: below it friction sticks
    float before;  ///< m/s: how fast it came, at the start of the step
    bool on, released;
} PxSolidContact;

typedef struct PxSolid {
    PxParticles *particles;
    uint32_t count;
    PxSolidColumns columns;
    const PxSolidLists *lists;
    const PxSolidLaw *law;     ///< by material
    const PxSolidLaw *row_law; ///< by row, where it differs within a material; else NULL
    const PxMaterial *material;
    PxSolidFrame *frame;
    uint32_t frames;
    uint32_t *frame_of; ///< by row
    double time, dt;    ///< s, at the start of the step, and its length
    PxVec3 gravity;     ///< m/s^2
    PxArena *scratch;
    const PxThreads *threads;
    const PxDist *dist; ///< NULL: one rank has all rows
    PxIsa isa;
    PxProfile *profile;
    bool orthotropic; ///< some material is
    bool flows;       ///< the stages of fluids run too: they do viscosity, and the volume of what
                      ///< follows
    bool strained;    ///< some row may have plastic strain

    /// 4 floats a row, in the frames. The fourth of `u` is what a pair is held with, N/m;
    /// the others' are 0.
    float *u;            ///< displacement, m
    float *v;            ///< velocity, m/s
    float *a;            ///< acceleration, m/s^2
    float *pull;         ///< acceleration by gravity and by forces on regions, m/s^2
    float *record;       ///< 16 a row: three columns of forces, then `u`
    float *inverse_mass; ///< 1/kg; 0: a handle holds it
    float *stiff[9];     ///< by row, as in the law; of an isotropic solid the first two:
                         ///< Lame's lambda, and twice mu
    float *volume;       ///< the law's
    const float *counts; ///< how much a row's stretch matters; NULL: all alike
    float *gradient;     ///< of the displacement: xx, xy, xz, yx, ... where px_solid_at() says

    double highest;    ///< the square of the highest frequency, 1/s^2
    double highest_at; ///< the square of the largest stretch when it was so; 1 at rest
    double min_step;   ///< s
    double reach;      ///< s: no row goes further than half its radius in that time

    double elastic;  ///< J
    double stretch;  ///< the square of the largest stretch, 1 at rest
    double halvings; ///< of sub-steps because of the stretch; carried from step to step
    uint32_t held;   ///< how many rows handles hold

    /// Puts held rows where they are at `when` (0 the start of the step, 1 its end).
    void (*hold)(struct PxSolid *solid, double when);
    /// Keeps rows out of walls after a move that ended at `when`.
    void (*touch)(struct PxSolid *solid, double when);
    /// For all rows that may reach a wall: which, and how far, at `when` of below.
    void (*meet)(struct PxSolid *solid, PxSolidContact *contact);
    /// After a solve with contacts: bodies that push themselves off walls lose some speed.
    void (*rebound)(struct PxSolid *solid, const PxSolidContact *contact);
    void *user;
    double when;
    double moved; ///< s: how long the move before touch() was; 0: what slid stays where it is

    uint64_t iterations; ///< of solves in this step
    uint32_t substeps;
    bool converged;
} PxSolid;

/// The rows of the solids, for px_reduce() in blocks of `block` rows.
static inline PxRows px_solid_rows(const PxSolid *solid, uint32_t block)
{
    return (PxRows){solid->threads, solid->dist, solid->count, block};
}

/// Takes scratch, finds the frames, and the displacements and velocities in them.
PxStatus px_solid_begin(PxSolid *solid);

/// Where rows are now, back into the particles.
void px_solid_end(PxSolid *solid);

/// Forces of the displacements u: fills record, gradient and a. `measure`: elastic and stretch too.
void px_solid_forces(PxSolid *solid, bool measure);

/// The square of the highest frequency of small vibrations, 1/s^2: about the rest shape, or about
/// the way things are `now`. `stretch`: as in PxSolid, then.
double px_solid_highest(PxSolid *solid, bool now, double *stretch);

/// Plastic flow over `dt` (001 section 4.1), from the gradients.
void px_solid_flow(PxSolid *solid, double dt);

/// Is there any viscosity that would show?
bool px_solid_is_viscous(const PxSolid *solid);

/// Slows down what is being deformed, by the materials' viscosity, over solid->dt; gradients are
/// those of the displacements. Uses the records.
PxStatus px_solid_viscosity(PxSolid *solid);

/// Takes away what of the velocities is not rigid motion.
void px_solid_damp(PxSolid *solid, double dt);

/// Is it the turn of that row's rest shape to follow, in that step?
bool px_solid_absorbs(const PxSolid *solid, uint32_t row, uint64_t step);

/// The rest shape of bodies whose turn it is in that step becomes what they are now; true: of some.
bool px_solid_absorb(PxSolid *solid, uint64_t step);

/// After a step with px_solid_absorb() and with new lists: lets the volume term see how crowded the
/// rest shapes have become. `step` is that step's number.
void px_solid_crowding(PxSolid *solid, uint64_t step);

/// The law that a row follows.
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

#endif
