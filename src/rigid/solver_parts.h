/// What the files of the rigid solver share: bodies, contacts and the state of a step.
#ifndef PX_RIGID_SOLVER_PARTS_H
#define PX_RIGID_SOLVER_PARTS_H

#include "rigid/contacts.h"
#include "rigid/law.h"

#define PX_NOBODY UINT32_MAX

/// Bytes of a line of the cache: what a pass reads of bodies and contacts begins lines.
#define PX_SOLVER_LINE 64

/// A body within a step. What the passes over contacts read comes first.
typedef struct PxSolverBody {
    _Alignas(PX_SOLVER_LINE) PxVec3 v;
    PxVec3 w;
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
    uint32_t first, end; ///< its places in run->of_body
    uint32_t loaded;     ///< its contacts that carried a load in the interval
    bool due;            ///< it was hit or woken: its contacts are searched again
    bool stray;          ///< so it was before in the interval: its extent of the sweep is outdated
    bool woken;          ///< by the search in progress
    bool alarms;         ///< it moves so much that it wakes all that hangs together with it
    double calmest;      ///< least `still` of it and of those that it carries or stands on, s
    double least;        ///< the same of all that hangs together, at the root, s
    bool changed;        ///< by the pass in progress
    uint64_t colours;    ///< of its pairs, a bit each
    double drift;        ///< bound of how far it is from where its contacts were searched for, m
    double since;        ///< when they were searched, from the start of the interval, s
    double reach;        ///< radius of a ball that holds it within the interval, m
    PxVec3 ref_v, ref_w; ///< its velocity and spin then
    PxVec3 was_v, was_w; ///< at the start of the sub-step
    uint32_t island;
} PxSolverBody;

/// A contact within an interval. Most contacts do not touch: of these a pass reads the first two
/// lines of the cache; of those that touch, two more. After a move it reads the anchors, too.
typedef struct PxSolverContact {
    _Alignas(PX_SOLVER_LINE) PxVec3 n;
    PxVec3 ra, rb;   ///< levers of the impulses
    double distance; ///< now, m
    double give;     ///< overlap up to which `law` pushes instead, m
    double size;
    double mass_n, jn;
    uint32_t a, b; ///< bodies; b PX_NOBODY: a wall

    _Alignas(PX_SOLVER_LINE) PxVec3 t[2];
    PxVec3 wall_moves; ///< velocity of the wall there, m/s
    double mass_t[2], jt[2], most, friction;
    double calm; ///< jn without impacts

    _Alignas(PX_SOLVER_LINE) PxVec3 la; ///< anchors of the distance in the frames of the bodies
    PxVec3 lb;
    double start;  ///< distance less that of the anchors along n
    bool of_b;     ///< the feature is that of b
    bool soft;     ///< `law` pushes until the overlap is `give`
    PxVec3 off;    ///< the point of contact less the anchor of the body whose feature it is, m
    double was[3]; ///< jn and jt at the start of the sub-step

    double restitution;
    double approach; ///< speed along n at the start of the interval
    PxContactPair law;
    PxRigidKept kept;
} PxSolverContact;

/// Two bodies, or a body and a wall, that may touch within the interval.
typedef struct PxSolverPair {
    uint32_t a, b;
    bool wall;
    bool fresh;            ///< its contacts are new
    bool squeezed;         ///< by matter in between
    bool touches;          ///< the two bodies touch, so that one wakes the other
    bool carried;          ///< a load in the interval before
    uint8_t colour;        ///< of its contacts
    uint32_t number;       ///< of b
    uint32_t first, count; ///< its contacts, by feature
    double speed;          ///< bound of the speed of approach
    double size;           ///< thickness of the thinner one, m
} PxSolverPair;

/// Pairs of one colour share no body that moves, and can be solved at once. The last colour is of
/// pairs that found no other; they are solved one after the other.
enum { PX_SOLVER_COLOURS = 64 };

/// A body in the sweep.
typedef struct PxSolverExtent {
    double low, high;
    PxVec3 x;
    double reach;
    uint32_t body;
    bool asleep;
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
    int axis;      ///< of the sweep
    double widest; ///< extent
    double *whirl; ///< by body: bound of the speed of its points by its spin now, m/s
    uint32_t *stray;
    uint32_t strays;
    PxSolverPair *pair; ///< the first ones by numbers; those found later follow
    size_t pair_room;
    uint32_t pairs;
    PxSolverPair *candidate; ///< of the sweep, for `pair`
    size_t candidate_room;
    uint32_t *order; ///< of pairs, by numbers
    size_t order_room;
    uint32_t *bucket; ///< by body, and one more
    uint32_t *known;  ///< hash table of indices of pairs, plus one
    size_t known_room;
    uint32_t known_mask;
    uint32_t *chosen; ///< pairs whose contacts are to be searched
    size_t chosen_room;
    uint32_t chosen_count;
    PxTouch *touch;           ///< of some pairs, for the search
    PxSolverContact *contact; ///< of the pairs; some are of none any more
    uint32_t contacts;
    size_t contact_room;
    uint32_t *slot; ///< pairs with contacts of which a body can move, by colour
    size_t slot_room;
    uint32_t slots;
    uint32_t colour[PX_SOLVER_COLOURS + 1]; ///< where each begins, and the end
    uint32_t *of_body;                      ///< slots of each body
    uint64_t *asked, *asking; ///< a bit for each slot: in the next pass, and in this one
    size_t of_body_room, asked_room, asking_room;
    bool soft;               ///< some contacts have a law
    const PxRigidKept *kept; ///< of the interval before
    size_t kepts;
    PxRigidKept *buffer[2]; ///< kept contacts of intervals, in turn
    size_t buffer_room[2];
    int turn;
    double time, g;
    double interval;
    double limit; ///< of the next interval, s; INFINITY: none
    double usual; ///< length of a sub-step if nothing hit anything, s
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

/// Relative velocity of a to b at a contact, m/s.
static inline PxVec3 px_solver_relative(const PxSolverRun *run, const PxSolverContact *c)
{
    PxVec3 v = px_solver_velocity(&run->body[c->a], c->ra);
    PxVec3 u = c->b == PX_NOBODY ? c->wall_moves : px_solver_velocity(&run->body[c->b], c->rb);
    return px_sub(v, u);
}

/// Inverse mass that an impulse along `n` meets, 1/kg.
static inline double px_solver_yields(const PxSolverRun *run, const PxSolverContact *c, PxVec3 n)
{
    const PxSolverBody *a = &run->body[c->a];
    PxVec3 arm = px_cross(c->ra, n);
    double sum = a->per_mass + px_dot(arm, px_mat3_apply(a->per_inertia, arm));
    if (c->b != PX_NOBODY) {
        const PxSolverBody *b = &run->body[c->b];
        arm = px_cross(c->rb, n);
        sum += b->per_mass + px_dot(arm, px_mat3_apply(b->per_inertia, arm));
    }
    return sum;
}

/// Sets the masses that the impulses of a contact meet.
static inline void px_solver_weigh(const PxSolverRun *run, PxSolverContact *c)
{
    c->mass_n = 1 / px_solver_yields(run, c, c->n);
    for (int k = 0; k < 2; ++k)
        c->mass_t[k] = 1 / px_solver_yields(run, c, c->t[k]);
}

/// Where the anchors of a contact are, `since` the start of the interval.
static inline PxVec3 px_solver_anchor_a(const PxSolverRun *run, const PxSolverContact *c)
{
    const PxSolverBody *a = &run->body[c->a];
    return px_add(a->x, px_mat3_apply(a->rotation, c->la));
}

static inline PxVec3 px_solver_anchor_b(const PxSolverRun *run, const PxSolverContact *c,
                                        double since)
{
    if (c->b == PX_NOBODY)
        return px_mad(c->lb, c->wall_moves, since);
    const PxSolverBody *b = &run->body[c->b];
    return px_add(b->x, px_mat3_apply(b->rotation, c->lb));
}

/// fmin() and fmax() without calls; b if a is not a number.
static inline double px_solver_least(double a, double b)
{
    return a < b ? a : b;
}

static inline double px_solver_most(double a, double b)
{
    return a > b ? a : b;
}

/// Impulse that a sub-step may repeat: that of an impact must not be, since a pass does not undo it
/// where many contacts share it. Loads grow by this factor a sub-step, from the weight on.
#define PX_SOLVER_GROWTH 2.0

static inline void px_solver_calm(const PxSolverRun *run, PxSolverContact *c, double h)
{
    double most = PX_SOLVER_GROWTH * c->calm + c->mass_n * run->g * h;
    if (c->jn > most) {
        double scale = most / c->jn;
        c->jn = most;
        c->jt[0] *= scale;
        c->jt[1] *= scale;
    }
    c->calm = c->jn;
}

/// Can impulses move it?
static inline bool px_solver_is_free(const PxSolverBody *b)
{
    return !b->asleep && !b->held;
}

/// A body is slow below this part of sqrt(gravity size). One that is faster than PX_SOLVER_ALARM
/// times that, as after a fall by 5 per cent of its size, wakes all that hangs together with what
/// it touches; slower ones wake only what they touch.
#define PX_SOLVER_SLOW 0.016
#define PX_SOLVER_ALARM 20.0

/// Time for which a body counts as still that was woken by something slow, s: it wakes no others
/// before it moves.
#define PX_SOLVER_DROWSY 1e-9

static inline void px_solver_wake(PxSolverBody *b, bool alarms)
{
    if (b->held || !b->asleep)
        return;
    b->asleep = false;
    b->still = alarms ? 0 : PX_SOLVER_DROWSY;
    b->alarms = alarms;
    b->woken = true;
}

/// Speed of the fastest point of a body, m/s, and that below which it is slow.
static inline double px_solver_speed(const PxSolverBody *b)
{
    return px_length(b->v) + px_length(b->w) * b->collider.radius;
}

static inline double px_solver_slow(const PxSolverRun *run, const PxSolverBody *b)
{
    return PX_SOLVER_SLOW * sqrt(run->g * b->collider.size);
}

/// The contacts of a slot.
static inline PxSolverContact *px_solver_slot(const PxSolverRun *run, uint32_t slot,
                                              uint32_t *count)
{
    const PxSolverPair *pair = &run->pair[run->slot[slot]];
    *count = pair->count;
    return &run->contact[pair->first];
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

/// Lists pairs that may touch within a time, sorted; the search is for all of them.
PxStatus px_solver_pairs(PxSolverRun *run, double within);
/// Sorts `count` of the pairs by the numbers of their bodies into run->order, squeezed ones after
/// others, equal ones as they stand. `use`: which pairs; NULL: the first ones.
PxStatus px_solver_order(PxSolverRun *run, const PxSolverPair *pair, const uint32_t *use,
                         uint32_t count);
/// The longest interval, at most `left`, in which no pair approaches by more than a thickness.
double px_solver_interval(const PxSolverRun *run, double left);
/// How far the bodies of a pair may approach each other in a time.
PxReach px_solver_reach(const PxSolverRun *run, const PxSolverPair *pair, double within);
/// Adds the pairs of bodies that are due for the time that is left of an interval; the search is
/// for them. *longest becomes the longest time for which they do.
PxStatus px_solver_due_pairs(PxSolverRun *run, double left, double *longest);

/* contact_rows.c */

/// Finds the contacts of all pairs for an interval. Touching something awake that moves wakes a
/// body.
PxStatus px_solver_contacts(PxSolverRun *run, double interval);
/// Finds those of the pairs to be searched within an interval: of bodies that were hit.
PxStatus px_solver_more_contacts(PxSolverRun *run, double left, double since);
/// Takes the impulses of the contacts that were there before, for sub-steps of length h.
void px_solver_warm(PxSolverRun *run, double h);
/// Stores the contacts of the interval for the next one, with the dormant ones of before.
PxStatus px_solver_keep(PxSolverRun *run, double h);

/* contact_passes.c */

/// Gives the pairs colours and slots.
PxStatus px_solver_colour(PxSolverRun *run);
/// Repeats the impulses of the sub-step before, of length h, without those of impacts, and
/// remembers them; goes back to them.
void px_solver_repeat(PxSolverRun *run, double h);
void px_solver_recall(PxSolverRun *run);
/// After bodies have moved, `since` the start of the interval: measures the distances, corrects the
/// impulses without a push against overlap, and with `follow` moves the points of contact with the
/// bodies whose features they are, for the next sub-step.
void px_solver_relax(PxSolverRun *run, double h, double since, bool follow);
/// Corrects the impulses, with a push against overlap. Passes, at most `most`, of which the later
/// ones correct only contacts of bodies that the one before changed: impacts travel as far as they
/// must, and what rests costs one pass. With `due`, the first pass corrects those of bodies that
/// are due.
void px_solver_converge(PxSolverRun *run, double h, const PxSoft *soft, bool due, uint32_t most);
/// Forces of contact laws other than impulses in a sub-step.
void px_solver_laws(PxSolverRun *run, double h);
/// Would a contact overlap at the end of the sub-step, by more than it does and may?
bool px_solver_crosses(PxSolverRun *run, double h);
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
