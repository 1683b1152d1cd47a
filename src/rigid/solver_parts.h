/// What the files of the rigid solver share: bodies, contacts and the state of a step.
#ifndef PX_RIGID_SOLVER_PARTS_H
#define PX_RIGID_SOLVER_PARTS_H

#include "rigid/contacts.h"
#include "rigid/law.h"

#define PX_NOBODY UINT32_MAX

/// A body within a step. What the passes over contacts read comes first.
typedef struct PxSolverBody {
    PxVec3 v, w;
    double per_mass; ///< 0: nothing moves it in this interval
    PxMat3 per_inertia;
    PxVec3 x;
    PxMat3 rotation;            ///< from the rest frame
    PxQuat axes, turn;          ///< principal axes, and from the rest frame, to the world
    const PxRigid *of;          ///< NULL: a wall, as the end of a joint
    double turning;             ///< bound of the speed of its surface by its spin, m/s
    PxVec3 accelerates, twists; ///< by gravity and the step's impulses, m/s^2, and torque, N m
    PxCollider collider;
    PxCollider before; ///< at the start of the interval
    double still;
    bool asleep;         ///< does not move
    bool held;           ///< moves as prescribed: v and w are those of the whole step
    bool joined;         ///< has joints
    uint32_t first, end; ///< its contacts in run->of_body
    uint32_t loaded;     ///< its contacts that carried a load in the interval
    bool due;            ///< it was hit: its contacts are searched again
    double drift;        ///< bound of how far it is from where its contacts were searched for, m
    double since;        ///< when they were searched, from the start of the interval, s
    double reach;        ///< radius of a ball that holds it within the interval, m
    PxVec3 ref_v;        ///< its velocity then
    double ref_turning;  ///< and `turning`
    PxVec3 was_v, was_w; ///< at the start of the sub-step
    uint32_t island;
} PxSolverBody;

/// A contact within an interval.
typedef struct PxSolverContact {
    uint32_t a, b; ///< bodies; b PX_NOBODY: a wall
    uint32_t wall;
    double distance; ///< now, m
    PxVec3 n, t[2];
    PxVec3 ra, rb; ///< levers of the impulses
    double mass_n, mass_t[2];
    double jn, jt[2], most;
    double calm;   ///< jn without impacts
    double was[3]; ///< jn and jt at the start of the sub-step
    double friction, size;
    PxVec3 la, lb;     ///< anchors of the distance in the frames of the bodies
    PxVec3 wall_moves; ///< velocity of the wall there, m/s
    PxVec3 off;        ///< the point of contact less the anchor of the body whose feature it is, m
    double start;      ///< distance less that of the anchors along n
    double restitution;
    double approach; ///< speed along n at the start of the interval
    bool soft;       ///< `law` pushes until the overlap is `deepest`
    PxContactPair law;
    PxRigidKept kept;
} PxSolverContact;

/// Two bodies, or a body and a wall, that may touch within the interval.
typedef struct PxSolverPair {
    uint32_t a, b;
    bool wall;
    uint32_t number; ///< of b
    double speed;    ///< bound of the speed of approach
} PxSolverPair;

typedef struct PxSolverExtent {
    double low, high;
    uint32_t body;
} PxSolverExtent;

/// A step in progress.
typedef struct PxSolverRun {
    PxRigidStep *step;
    PxSolverBody *body;
    PxCollider *wall;
    PxSolverBody *mover; ///< walls as ends of joints
    double *wall_speed;
    PxRigidJoint *joint; ///< at the start of the sub-step
    PxSolverExtent *extent;
    PxSolverPair *pair;
    size_t pair_room;
    uint32_t pairs;
    PxTouch (*touch)[PX_MOST_TOUCHES]; ///< of some pairs, for the search
    uint32_t *touches;                 ///< numbers of them
    uint32_t touch_room;
    PxSolverContact *contact;
    uint32_t contacts;
    size_t contact_room;
    uint32_t *of_body;        ///< contacts of each body
    uint64_t *asked, *asking; ///< a bit for each contact: in the next pass, and in this one
    size_t of_body_room, asked_room, asking_room;
    const PxRigidKept *kept; ///< of the interval before
    size_t kepts;
    PxRigidKept *buffer[2]; ///< kept contacts of intervals, in turn
    size_t buffer_room[2];
    int turn;
    double time, g;
    double interval;
    double limit; ///< of the next interval, s; INFINITY: none
} PxSolverRun;

/// A spring and damper as factors of an implicit step (Catto 2011).
typedef struct PxSoft {
    double rate, mass, impulse;
} PxSoft;

static inline PxSoft px_soft(double frequency, double damping, double h)
{
    double omega = 2 * M_PI * frequency, a1 = 2 * damping + h * omega, a2 = h * omega * a1;
    return (PxSoft){omega / a1, a2 / (1 + a2), 1 / (1 + a2)};
}

/// Gives an array of scratch room for `wanted` elements; the first `count` are kept.
PxStatus px_solver_room(PxSolverRun *run, void **data, size_t *room, size_t count, size_t wanted,
                        size_t size);

/// The rigid body of that number, or NULL.
PxSolverBody *px_solver_body(const PxSolverRun *run, uint32_t number);

static inline PxVec3 px_solver_velocity(const PxSolverBody *b, PxVec3 r)
{
    return px_add(b->v, px_cross(b->w, r));
}

/// Can impulses move it?
static inline bool px_solver_is_free(const PxSolverBody *b)
{
    return !b->asleep && !b->held;
}

static inline void px_solver_wake(PxSolverBody *b)
{
    if (b->held || !b->asleep)
        return;
    b->asleep = false;
    b->still = 0;
}

/// A body may be this part of its thickness away from where its velocity at the last search
/// would have brought it, before its contacts are searched again.
#define PX_SOLVER_SLACK 0.03

static inline double px_solver_slack(const PxSolverBody *b)
{
    return PX_SOLVER_SLACK * b->collider.size;
}

/// Longest sub-step, s.
#define PX_SOLVER_SUBSTEP (1.0 / 480.0)

/* pairs.c */

/// Lists pairs that may touch within a time, sorted.
PxStatus px_solver_pairs(PxSolverRun *run, double within);
/// The longest interval, at most `left`, in which no pair approaches by more than a thickness.
double px_solver_interval(const PxSolverRun *run, double left);
/// Distance up to which a pair has contacts for a time.
double px_solver_margin(const PxSolverRun *run, const PxSolverPair *pair, double within);
/// Adds the pairs of bodies that are due for the time that is left of an interval, from
/// run->pairs on. *longest becomes the longest time for which they do.
PxStatus px_solver_due_pairs(PxSolverRun *run, double left, double *longest);

/* contact_rows.c */

/// Finds the contacts of all pairs for an interval. Touching something awake that moves wakes a
/// body.
PxStatus px_solver_contacts(PxSolverRun *run, double interval);
/// Finds those of the pairs `from` on within an interval: of bodies that were hit.
PxStatus px_solver_more_contacts(PxSolverRun *run, uint32_t from, double left, double since);
/// Remembers the impulses at the start of a sub-step of length h, without those of impacts, and
/// goes back to them.
void px_solver_remember(PxSolverRun *run, double h);
void px_solver_recall(PxSolverRun *run);
/// Takes the impulses of the contacts that were there before, for sub-steps of length h.
void px_solver_warm(PxSolverRun *run, double h);
/// Stores the contacts of the interval for the next one, with the dormant ones of before.
PxStatus px_solver_keep(PxSolverRun *run, double h);
/// Repeats the impulses of the sub-step before.
void px_solver_repeat(PxSolverRun *run);
/// Measures the distances, `since` the start of the interval, s.
void px_solver_measure(PxSolverRun *run, double since);
/// Moves the points of contact with the bodies whose features they are, for the next sub-step.
void px_solver_follow(PxSolverRun *run, double since);
/// Corrects the impulses, with a push against overlap or without (NULL).
void px_solver_pass(PxSolverRun *run, double h, const PxSoft *soft);
/// Passes, at most `most`, of which the later ones correct only contacts of bodies that the one
/// before changed: impacts travel as far as they must, and what rests costs one pass.
/// With `due`, the first pass corrects those of bodies that are due.
void px_solver_converge(PxSolverRun *run, double h, const PxSoft *soft, bool due, uint32_t most);
/// Forces of contact laws other than impulses in a sub-step.
void px_solver_laws(PxSolverRun *run, double h);
/// Would a contact overlap at the end of the sub-step, by more than it does and may?
bool px_solver_crosses(const PxSolverRun *run, double h);
/// Restitution at the end of an interval.
void px_solver_rebound(PxSolverRun *run, double interval);

/* joint_rows.c */

/// What a pass does with a joint: repeat its impulses, correct them with a push against its error,
/// or without.
typedef enum PxJointPass { PX_JOINT_WARM, PX_JOINT_PUSH, PX_JOINT_RELAX } PxJointPass;

void px_solver_joints(PxSolverRun *run, double h, PxJointPass pass);
/// Scales the impulses to another length of sub-steps.
void px_solver_warm_joints(PxSolverRun *run, double h);
/// Adds up what the joints carry.
void px_solver_load_joints(PxSolverRun *run);
/// Breaks joints by the mean force in the interval: single sub-steps swing.
void px_solver_break_joints(PxSolverRun *run, double interval);
/// The end of a joint: a rigid body, a wall, or NULL: none, or the world.
PxSolverBody *px_solver_end(const PxSolverRun *run, uint32_t number);

#endif
