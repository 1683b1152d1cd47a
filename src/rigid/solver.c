/// Motion of rigid bodies with contacts, by impulses in sub-steps.
///
/// A step is divided into intervals: contacts are found at the start of each. Points that may touch
/// within the interval are contacts already (speculative: they let bodies approach but not cross),
/// and an interval is so short that bodies near each other approach by less than their thickness;
/// so nothing passes through anything at any speed.
///
/// An interval is divided into sub-steps. Each accelerates the bodies, repeats the contacts'
/// impulses of the sub-step before, corrects them once with a soft push against overlap, moves the
/// bodies, and corrects the impulses again without that push, so that it leaves no speed
/// ("soft step", Catto 2023). One pass per sub-step converges better than many passes per step
/// (Macklin et al. 2019). Restitution follows at the end of an interval.
///
/// Passes are Gauss-Seidel in the order of bodies' numbers and features. Bodies that do not touch,
/// directly or by others, do not influence each other's bits, so that those asleep can be left out.
#include "rigid/contacts.h"
#include "rigid/spin.h"

#include <stdlib.h>
#include <string.h>

/* Longest sub-step, s, and over sqrt(size / gravity) of the smallest body. */
#define LONGEST_SUBSTEP (1.0 / 480.0)
#define SUBSTEP_PART 0.02

/* Frequency of the soft push times the length of a sub-step, its damping ratio, and the largest
 * speed of the push in sizes of the smaller body per second. */
#define PUSH_FREQUENCY 0.25
#define PUSH_DAMPING 10.0
#define PUSH_SPEED 3.0

/* Passes over the contacts are repeated while some would overlap by more than this part of the
 * thinner body's thickness at the end of a sub-step, deeper than before: fast impacts. */
#define CROSSING 0.02
#define MOST_PASSES 100

/* Contacts rebound only if they approach faster than BOUNCE times the speed that gravity gives in a
 * sub-step. */
#define BOUNCE 2.0

/* A body is slow below this part of sqrt(gravity size), and falls asleep after this time, s. */
#define SLOW 0.01
#define SLEEP_AFTER 0.5

/* Most intervals of a step. */
#define MOST_INTERVALS 20000

#define NOBODY UINT32_MAX

/* Keys of contacts by matter in between: above those of features. */
#define SQUEEZED 0x80000000u

typedef struct Body {
    const PxRigid *of;
    PxVec3 x, v, w;
    PxQuat axes, turn; /* principal axes, and from the rest frame, to the world */
    double per_mass;
    PxMat3 per_inertia, rotation;
    double turning;             /* bound of the speed of its surface by its spin, m/s */
    PxVec3 accelerates, twists; /* by gravity and the step's impulses, m/s^2, and torque, N m */
    PxCollider collider;
    double still;
    bool asleep;
    uint32_t island;
} Body;

typedef struct Contact {
    uint32_t a, b; /* bodies; b NOBODY: a wall */
    uint32_t wall;
    PxRigidKept kept;
    PxVec3 n, t[2];
    PxVec3 ra, rb;     /* levers of the impulses */
    PxVec3 la, lb;     /* anchors of the distance in the frames of the bodies */
    PxVec3 wall_moves; /* velocity of the wall there, m/s */
    double start;      /* distance less that of the anchors along n */
    double mass_n, mass_t[2];
    double friction, restitution;
    double approach; /* speed along n at the start of the interval */
    double jn, jt[2], most;
    double size, distance;
} Contact;

typedef struct Run {
    PxRigidStep *step;
    Body *body;
    PxCollider *wall;
    double *wall_speed;
    struct Extent *extent;
    struct Pair *pair;
    size_t pair_room;
    Contact *contact;
    uint32_t contacts;
    size_t contact_room;
    const PxRigidKept *kept; /* of the interval before */
    size_t kepts;
    PxRigidKept *buffer[2]; /* kept contacts of intervals, in turn */
    size_t buffer_room[2];
    int turn;
    double time, g;
} Run;

/* Gives an array of scratch room for `wanted` elements; the first `count` are kept. */
static PxStatus make_room(Run *run, void **data, size_t *room, size_t count, size_t wanted,
                          size_t size)
{
    if (wanted <= *room)
        return PX_OK;
    size_t more = 2 * wanted + 64;
    void *block = px_arena_take_array(run->step->scratch, more, size);
    if (block == NULL)
        return px_fail(PX_ERR_MEMORY, "rigid bodies: no room for %zu contacts", more);
    if (count > 0)
        memcpy(block, *data, count * size);
    *data = block;
    *room = more;
    return PX_OK;
}

/* ---- colliders --------------------------------------------------------------------- */

static void pose_body(Body *b)
{
    PxQuat turn = px_quat_multiply(b->axes, px_quat_conjugate(b->of->mass.axes));
    b->turn = px_quat_normalized(turn);
    b->rotation = px_mat3_from_quat(b->turn);
    b->per_inertia = px_spin_inverse_inertia(b->of->mass.inertia, b->axes);
    b->collider.place = b->collider.middle = b->x;
    b->collider.turn = b->rotation;
}

static PxCollider collider_of(const PxRigid *r, const PxWall *wall)
{
    return (PxCollider){.wall = wall,
                        .features = r->features,
                        .pivot = r->mass.centre,
                        .place = r->place,
                        .middle = r->place,
                        .turn = px_mat3_from_quat(r->turn),
                        .radius = r->mass.radius,
                        .size = r->mass.thickness};
}

/* A wall at a moment of the step. */
static PxCollider wall_at(const PxRigidWall *w, double when)
{
    const PxWall *wall = w->wall;
    PxPose pose = px_pose_between(&wall->pose[0], &wall->pose[1], when);
    PxCollider c = {.wall = wall,
                    .features = w->features,
                    .pivot = wall->pivot,
                    .place = px_wall_to_world(wall, when, wall->pivot),
                    .turn =
                        px_wall_is_still(wall) ? px_mat3_identity() : px_mat3_from_quat(pose.turn),
                    .radius = INFINITY,
                    .size = px_shape_thickness(wall->shape)};
    PxVec3 half = px_scale(px_sub(wall->bounds.high, wall->bounds.low), 0.5);
    if (!wall->inside && px_finite(half)) {
        c.radius = px_length(half);
        c.middle = px_wall_to_world(wall, when, px_add(wall->bounds.low, half));
    }
    return c;
}

/* ---- intervals --------------------------------------------------------------------- */

/* Bound of the speed of its points within a time; `turning` is the part by its spin. */
static double speed_of(const Body *b, double within)
{
    return px_length(b->v) + px_length(b->accelerates) * within + b->turning;
}

static bool is_awake(const Body *b)
{
    return !b->asleep;
}

/* Two bodies, or a body and a wall, that may touch within the interval. */
typedef struct Pair {
    uint32_t a, b;
    bool wall;
    double speed; /* bound of the speed of approach */
} Pair;

static bool active(const Run *run, uint32_t a, uint32_t b, bool wall)
{
    if (wall)
        return is_awake(&run->body[a]) || run->wall_speed[b] > 0;
    return is_awake(&run->body[a]) || is_awake(&run->body[b]);
}

typedef struct Extent {
    double low, high;
    uint32_t body;
} Extent;

static int by_low(const void *left, const void *right)
{
    const Extent *a = left, *b = right;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    return a->body < b->body ? -1 : a->body > b->body;
}

static int by_bodies(const void *left, const void *right)
{
    const Pair *a = left, *b = right;
    if (a->a != b->a)
        return a->a < b->a ? -1 : 1;
    if (a->wall != b->wall)
        return a->wall ? 1 : -1;
    return a->b < b->b ? -1 : a->b > b->b;
}

/* Bodies that fall side by side do not approach each other: only their relative motion counts. */
static bool may_touch(const Run *run, Pair *pair, double within)
{
    const Body *a = &run->body[pair->a];
    if (!active(run, pair->a, pair->b, pair->wall))
        return false;
    if (pair->wall) {
        const PxCollider *wall = &run->wall[pair->b];
        pair->speed = speed_of(a, within) + run->wall_speed[pair->b];
        double near = pair->speed * within + 0.02 * fmin(a->collider.size, wall->size);
        return px_contacts_clearance(&a->collider, wall) < near;
    }
    const Body *b = &run->body[pair->b];
    PxVec3 v = px_sub(a->v, b->v), g = px_sub(a->accelerates, b->accelerates);
    pair->speed = px_length(v) + px_length(g) * within + a->turning + b->turning;
    double near = pair->speed * within + 0.02 * fmin(a->collider.size, b->collider.size);
    return px_contacts_clearance(&a->collider, &b->collider) < near;
}

/* Bodies that a joint connects do not touch each other. */
static bool joined(const Run *run, const Pair *pair)
{
    const PxRigidStep *s = run->step;
    if (pair->wall)
        return false;
    uint32_t a = s->rigid[pair->a].number, b = s->rigid[pair->b].number;
    for (uint32_t k = 0; k < s->joints; ++k) {
        const PxRigidJoint *j = &s->joint[k];
        if (!j->broken && ((j->a == a && j->b == b) || (j->a == b && j->b == a)) &&
            j->kind != PX_JOINT_SPRING)
            return true;
    }
    return false;
}

static PxStatus add_pair(Run *run, Pair pair, double within, uint32_t *count)
{
    if (!may_touch(run, &pair, within) || joined(run, &pair))
        return PX_OK;
    PX_TRY(make_room(run, (void **)&run->pair, &run->pair_room, *count, *count + 1, sizeof pair));
    run->pair[(*count)++] = pair;
    return PX_OK;
}

static double component(PxVec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

/* The axis along which the bodies are spread most. */
static int widest_axis(const Run *run)
{
    PxBounds all = px_bounds_empty();
    for (uint32_t i = 0; i < run->step->rigids; ++i)
        px_bounds_add(&all, run->body[i].x);
    PxVec3 way = px_sub(all.high, all.low);
    return way.x >= way.y && way.x >= way.z ? 0 : way.y >= way.z ? 1 : 2;
}

/* Sweep along an axis: bodies whose extents overlap are pairs. */
static PxStatus find_pairs(Run *run, double within, uint32_t *count)
{
    PxRigidStep *s = run->step;
    Extent *extent = run->extent;
    int axis = widest_axis(run);
    *count = 0;
    for (uint32_t i = 0; i < s->rigids; ++i) {
        Body *b = &run->body[i];
        b->turning = px_length(b->w) * b->of->mass.radius;
        double reach = b->of->mass.radius * 1.02 + speed_of(b, within) * within;
        double x = component(b->x, axis);
        extent[i] = (Extent){x - reach, x + reach, i};
    }
    qsort(extent, s->rigids, sizeof *extent, by_low);
    for (uint32_t k = 0; k < s->rigids; ++k)
        for (uint32_t m = k + 1; m < s->rigids && extent[m].low <= extent[k].high; ++m) {
            uint32_t i = extent[k].body, j = extent[m].body;
            PX_TRY(add_pair(run, (Pair){.a = i < j ? i : j, .b = i < j ? j : i}, within, count));
        }
    for (uint32_t i = 0; i < s->rigids; ++i)
        for (uint32_t w = 0; w < s->walls; ++w)
            PX_TRY(add_pair(run, (Pair){.a = i, .b = w, .wall = true}, within, count));
    if (*count > 0)
        qsort(run->pair, *count, sizeof *run->pair, by_bodies);
    return PX_OK;
}

/* The longest interval, at most `left`, in which no pair approaches by more than a thickness. */
static double interval_of(const Run *run, const Pair *pair, uint32_t pairs, double left)
{
    double interval = left;
    for (uint32_t k = 0; k < pairs; ++k) {
        double thick = run->body[pair[k].a].collider.size;
        if (!pair[k].wall)
            thick = fmin(thick, run->body[pair[k].b].collider.size);
        if (pair[k].speed * interval > thick)
            interval = thick / pair[k].speed;
    }
    return fmax(interval, run->step->dt / MOST_INTERVALS);
}

/* ---- contacts ---------------------------------------------------------------------- */

static int compare_kept(const PxRigidKept *a, const PxRigidKept *b)
{
    if (a->a != b->a)
        return a->a < b->a ? -1 : 1;
    if (a->b != b->b)
        return a->b < b->b ? -1 : 1;
    return a->feature < b->feature ? -1 : a->feature > b->feature;
}

static int by_key(const void *left, const void *right)
{
    return compare_kept(&((const Contact *)left)->kept, &((const Contact *)right)->kept);
}

static PxVec3 velocity_at(const Body *b, PxVec3 r)
{
    return px_add(b->v, px_cross(b->w, r));
}

/* Relative velocity of a to b at a contact. */
static PxVec3 relative(const Run *run, const Contact *c)
{
    PxVec3 v = velocity_at(&run->body[c->a], c->ra);
    PxVec3 u = c->b == NOBODY ? c->wall_moves : velocity_at(&run->body[c->b], c->rb);
    return px_sub(v, u);
}

/* Inverse mass that an impulse along `n` meets. */
static double yields(const Run *run, const Contact *c, PxVec3 n)
{
    const Body *a = &run->body[c->a];
    PxVec3 arm = px_cross(c->ra, n);
    double sum = a->per_mass + px_dot(arm, px_mat3_apply(a->per_inertia, arm));
    if (c->b != NOBODY) {
        const Body *b = &run->body[c->b];
        arm = px_cross(c->rb, n);
        sum += b->per_mass + px_dot(arm, px_mat3_apply(b->per_inertia, arm));
    }
    return sum;
}

static void push(Run *run, const Contact *c, PxVec3 impulse)
{
    Body *a = &run->body[c->a];
    a->v = px_mad(a->v, impulse, a->per_mass);
    a->w = px_add(a->w, px_mat3_apply(a->per_inertia, px_cross(c->ra, impulse)));
    if (c->b == NOBODY)
        return;
    Body *b = &run->body[c->b];
    b->v = px_mad(b->v, impulse, -b->per_mass);
    b->w = px_sub(b->w, px_mat3_apply(b->per_inertia, px_cross(c->rb, impulse)));
}

static PxVec3 into_body(const Body *b, PxVec3 r)
{
    const double(*m)[3] = b->rotation.m;
    return px_vec(m[0][0] * r.x + m[1][0] * r.y + m[2][0] * r.z,
                  m[0][1] * r.x + m[1][1] * r.y + m[2][1] * r.z,
                  m[0][2] * r.x + m[1][2] * r.y + m[2][2] * r.z);
}

/* Distance of the anchors along the normal, without that of the places of the bodies. */
static double anchored(const Run *run, const Contact *c, double since)
{
    const Body *a = &run->body[c->a];
    PxVec3 pa = px_add(a->x, px_mat3_apply(a->rotation, c->la));
    PxVec3 pb = px_mad(c->lb, c->wall_moves, since);
    if (c->b != NOBODY) {
        const Body *b = &run->body[c->b];
        pb = px_add(b->x, px_mat3_apply(b->rotation, c->lb));
    }
    return px_dot(c->n, px_sub(pa, pb));
}

static void make_contact(Run *run, const Pair *pair, const PxTouch *touch, Contact *c)
{
    const PxRigidStep *s = run->step;
    const PxRigid *ra = &s->rigid[pair->a];
    const Body *a = &run->body[pair->a], *b = pair->wall ? NULL : &run->body[pair->b];
    const PxCollider *other = pair->wall ? &run->wall[pair->b] : &b->collider;
    *c = (Contact){.a = pair->a,
                   .b = pair->wall ? NOBODY : pair->b,
                   .wall = pair->wall ? pair->b : NOBODY,
                   .kept.feature = touch->feature,
                   .n = touch->normal,
                   .size = fmin(a->collider.size, other->size),
                   .distance = touch->distance};
    c->kept.a = ra->number;
    c->kept.b = pair->wall ? s->wall[pair->b].number : s->rigid[pair->b].number;
    double half = touch->feature & 1 ? 0.5 * touch->distance : -0.5 * touch->distance;
    PxVec3 at = px_mad(touch->at, c->n, half);
    c->ra = px_sub(at, a->x);
    c->la = into_body(a, px_sub(touch->anchor[0], a->x));
    c->friction = ra->friction;
    c->restitution = ra->restitution;
    if (b != NULL) {
        c->rb = px_sub(at, b->x);
        c->lb = into_body(b, px_sub(touch->anchor[1], b->x));
        c->friction = sqrt(c->friction * b->of->friction);
        c->restitution = sqrt(c->restitution * b->of->restitution);
    } else {
        const PxWall *wall = s->wall[pair->b].wall;
        c->lb = touch->anchor[1];
        c->friction = sqrt(c->friction * wall->boundary.friction);
        double when = s->dt > 0 ? run->time / s->dt : 0;
        c->wall_moves = px_wall_velocity(wall, px_wall_to_rest(wall, when, at));
    }
    c->start = touch->distance - anchored(run, c, 0);
    PxVec3 side = fabs(c->n.x) < 0.57 ? px_vec(1, 0, 0) : px_vec(0, 1, 0);
    c->t[0] = px_normalized(px_cross(c->n, side), px_vec(0, 0, 1));
    c->t[1] = px_cross(c->n, c->t[0]);
    c->mass_n = 1 / yields(run, c, c->n);
    for (int k = 0; k < 2; ++k)
        c->mass_t[k] = 1 / yields(run, c, c->t[k]);
    c->approach = px_dot(c->n, relative(run, c));
}

static const Body *body_of(const Run *run, uint32_t number)
{
    const PxRigidStep *s = run->step;
    uint32_t low = 0, high = s->rigids;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (s->rigid[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < s->rigids && s->rigid[low].number == number ? &run->body[low] : NULL;
}

/* A contact that was not searched for, because nothing moved: kept as it was. */
static bool dormant(const Run *run, const PxRigidKept *k)
{
    const PxRigidStep *s = run->step;
    const Body *a, *b;
    bool wall = false, moves = false;
    a = body_of(run, k->a);
    b = body_of(run, k->b);
    for (uint32_t w = 0; w < s->walls; ++w)
        if (s->wall[w].number == k->b) {
            wall = true;
            moves = run->wall_speed[w] > 0;
        }
    return a != NULL && a->asleep && ((b != NULL && b->asleep) || (wall && !moves));
}

/* Takes the impulses of the contacts that were there before, for sub-steps of length h. */
static void warm(Run *run, double h)
{
    size_t k = 0;
    for (uint32_t n = 0; n < run->contacts; ++n) {
        Contact *c = &run->contact[n];
        while (k < run->kepts && compare_kept(&run->kept[k], &c->kept) < 0)
            ++k;
        if (k == run->kepts || compare_kept(&run->kept[k], &c->kept) != 0)
            continue;
        const PxRigidKept *old = &run->kept[k];
        double scale = old->substep > 0 ? h / old->substep : 0;
        c->jn = scale * old->normal;
        for (int t = 0; t < 2; ++t)
            c->jt[t] = scale * px_dot(old->along, c->t[t]);
    }
}

/* Finds the contacts of all pairs. Touching something awake that moves wakes a body. */
static PxStatus find_contacts(Run *run, const Pair *pair, uint32_t pairs, double interval)
{
    PxRigidStep *s = run->step;
    PxTouch touch[PX_MOST_TOUCHES];
    run->contacts = 0;
    for (uint32_t k = 0; k < pairs; ++k) {
        Body *a = &run->body[pair[k].a], *b = pair[k].wall ? NULL : &run->body[pair[k].b];
        const PxCollider *other = b != NULL ? &b->collider : &run->wall[pair[k].b];
        double size = fmin(a->collider.size, other->size);
        double margin = pair[k].speed * interval + 0.02 * size;
        uint32_t count = px_contacts_find(&a->collider, other, margin, touch);
        bool touches = false;
        for (uint32_t t = 0; t < count; ++t) {
            PX_TRY(make_room(run, (void **)&run->contact, &run->contact_room, run->contacts,
                             run->contacts + 1, sizeof *run->contact));
            make_contact(run, &pair[k], &touch[t], &run->contact[run->contacts++]);
            touches = touches || touch[t].distance < 0.02 * size;
        }
        bool moves = b == NULL ? run->wall_speed[pair[k].b] > 0 : (!b->asleep && b->still == 0);
        if (touches && a->asleep && moves) {
            a->asleep = false;
            a->still = 0;
        }
        if (touches && b != NULL && b->asleep && !a->asleep && a->still == 0) {
            b->asleep = false;
            b->still = 0;
        }
    }
    for (uint32_t k = 0; run->time == 0 && k < s->squeezes; ++k) {
        const PxRigidSqueeze *q = &s->squeeze[k];
        Pair one = {.a = q->rigid, .b = q->other, .wall = q->wall};
        PxTouch at = {.feature = SQUEEZED | k << 1,
                      .at = q->at,
                      .normal = q->normal,
                      .distance = q->distance,
                      .anchor = {q->at, q->at}};
        PX_TRY(make_room(run, (void **)&run->contact, &run->contact_room, run->contacts,
                         run->contacts + 1, sizeof *run->contact));
        Contact *c = &run->contact[run->contacts++];
        make_contact(run, &one, &at, c);
        c->restitution = c->friction = 0;
    }
    for (uint32_t k = 0; k < s->joints; ++k) {
        Body *a = (Body *)body_of(run, s->joint[k].a), *b = (Body *)body_of(run, s->joint[k].b);
        if (s->joint[k].broken || a == NULL || b == NULL || a->asleep == b->asleep)
            continue;
        Body *sleeper = a->asleep ? a : b, *other = a->asleep ? b : a;
        if (other->still == 0) {
            sleeper->asleep = false;
            sleeper->still = 0;
        }
    }
    /* What is asleep acts as a wall, with its mass hidden. */
    for (uint32_t i = 0; i < s->rigids; ++i) {
        Body *b = &run->body[i];
        b->per_mass = b->asleep ? 0 : 1 / b->of->mass.mass;
        if (b->asleep)
            b->per_inertia = px_mat3_scale(px_mat3_identity(), 0);
    }
    uint32_t left = 0;
    for (uint32_t n = 0; n < run->contacts; ++n) {
        Contact c = run->contact[n];
        bool still = run->body[c.a].asleep && (c.b == NOBODY || run->body[c.b].asleep);
        if (still)
            continue;
        c.mass_n = 1 / yields(run, &c, c.n);
        for (int k = 0; k < 2; ++k)
            c.mass_t[k] = 1 / yields(run, &c, c.t[k]);
        run->contact[left++] = c;
    }
    run->contacts = left;
    if (run->contacts > 0)
        qsort(run->contact, run->contacts, sizeof *run->contact, by_key);
    return PX_OK;
}

/* ---- impulses at contacts ------------------------------------------------------------ */

/* A spring and damper as factors of an implicit step (Catto 2011). */
typedef struct Soft {
    double rate, mass, impulse;
} Soft;

static Soft soft_of(double frequency, double damping, double h)
{
    double omega = 2 * M_PI * frequency, a1 = 2 * damping + h * omega, a2 = h * omega * a1;
    return (Soft){omega / a1, a2 / (1 + a2), 1 / (1 + a2)};
}

static void solve_contact(Run *run, Contact *c, double h, double since, const Soft *soft)
{
    double distance = c->start + anchored(run, c, since), bias = 0, mass = 1, impulse = 0;
    if (distance > 0) {
        bias = distance / h;
    } else if (soft != NULL) {
        bias = fmax(soft->rate * distance, -PUSH_SPEED * c->size);
        mass = soft->mass;
        impulse = soft->impulse;
    }
    double vn = px_dot(c->n, relative(run, c));
    double j = -c->mass_n * mass * (vn + bias) - impulse * c->jn;
    double total = fmax(c->jn + j, 0);
    j = total - c->jn;
    c->jn = total;
    c->most = fmax(c->most, total);
    push(run, c, px_scale(c->n, j));

    PxVec3 v = relative(run, c);
    double before[2] = {c->jt[0], c->jt[1]};
    for (int k = 0; k < 2; ++k)
        c->jt[k] -= c->mass_t[k] * px_dot(c->t[k], v);
    double size = sqrt(c->jt[0] * c->jt[0] + c->jt[1] * c->jt[1]), bound = c->friction * c->jn;
    double scale = size > bound ? bound / size : 1;
    for (int k = 0; k < 2; ++k)
        c->jt[k] *= scale;
    push(run, c,
         px_add(px_scale(c->t[0], c->jt[0] - before[0]), px_scale(c->t[1], c->jt[1] - before[1])));
}

/* Would a contact overlap at the end of the sub-step, by more than it does and may? */
static bool any_crosses(const Run *run, double h, double since)
{
    for (uint32_t k = 0; k < run->contacts; ++k) {
        const Contact *c = &run->contact[k];
        double way = h * px_dot(c->n, relative(run, c));
        if (way < 0 && c->start + anchored(run, c, since) + way < -CROSSING * c->size &&
            -way > CROSSING * c->size)
            return true;
    }
    return false;
}

/* ---- joints ------------------------------------------------------------------------ */

/* Stiffness of joints: frequency times the length of a sub-step, and damping ratio. */
#define JOINT_FREQUENCY 0.25
#define JOINT_DAMPING 2.0

/* What a pass does with a joint: repeat its impulses, correct them with a push against its error,
 * or without. */
typedef enum Pass { PASS_WARM, PASS_PUSH, PASS_RELAX } Pass;

/* A joint within a pass: the places of its ends and the levers to them. */
typedef struct Ends {
    Run *run;
    PxRigidJoint *joint;
    Body *a, *b;          /* b NULL: the world */
    PxVec3 ra, rb, apart; /* apart: from b's end to a's */
    Pass pass;
    double h;
    Soft soft;
} Ends;

/* One row: along, or with `turns` about, the direction d. */
typedef struct Row {
    int number;
    bool turns;
    PxVec3 d;
    double error;     /* m or rad, to become 0; of a limit: what is left, to stay above 0 */
    double low, high; /* bounds of the impulse */
    double speed;     /* wanted, m/s or rad/s */
    bool limit;
    double stiffness, damping; /* of a spring; 0: as stiff as can be */
} Row;

static void push_row(const Ends *e, const Row *row, double j)
{
    PxVec3 impulse = px_scale(row->d, j);
    if (!row->turns)
        e->a->v = px_mad(e->a->v, impulse, e->a->per_mass);
    PxVec3 t = row->turns ? impulse : px_cross(e->ra, impulse);
    e->a->w = px_add(e->a->w, px_mat3_apply(e->a->per_inertia, t));
    if (e->b == NULL)
        return;
    if (!row->turns)
        e->b->v = px_mad(e->b->v, impulse, -e->b->per_mass);
    t = row->turns ? impulse : px_cross(e->rb, impulse);
    e->b->w = px_sub(e->b->w, px_mat3_apply(e->b->per_inertia, t));
}

static double yields_row(const Body *b, const Row *row, PxVec3 lever)
{
    PxVec3 t = row->turns ? row->d : px_cross(lever, row->d);
    return (row->turns ? 0 : b->per_mass) + px_dot(t, px_mat3_apply(b->per_inertia, t));
}

static void solve_row(const Ends *e, const Row *row)
{
    double *total = &e->joint->impulse[row->number];
    if (e->pass == PASS_WARM) {
        push_row(e, row, *total);
        return;
    }
    PxVec3 v = row->turns ? e->a->w : velocity_at(e->a, e->ra);
    if (e->b != NULL)
        v = px_sub(v, row->turns ? e->b->w : velocity_at(e->b, e->rb));
    double speed = px_dot(v, row->d) - row->speed, bias = 0, mass = 1, give = 0;
    double per = yields_row(e->a, row, e->ra);
    if (e->b != NULL)
        per += yields_row(e->b, row, e->rb);
    if (!(per > 0))
        return;
    if (row->stiffness > 0 || row->damping > 0) { /* implicit spring (Catto 2011) */
        double rate = row->damping + e->h * row->stiffness;
        bias = row->stiffness / rate * row->error;
        double soft = 1 / (e->h * rate * per);
        mass = 1 / (1 + soft);
        give = soft * mass;
    } else if (row->limit && row->error > 0) {
        bias = row->error / e->h;
    } else if (e->pass == PASS_PUSH) {
        bias = e->soft.rate * row->error;
        mass = e->soft.mass;
        give = e->soft.impulse;
    }
    double j = -mass * (speed + bias) / per - give * *total, before = *total;
    *total = fmin(fmax(before + j, row->low), row->high);
    push_row(e, row, *total - before);
}

static PxVec3 rotated(const Body *b, PxVec3 v)
{
    return b != NULL ? px_mat3_apply(b->rotation, v) : v;
}

/* Rotation vector from where a's frame should be, relative to b's, to where it is. */
static PxVec3 turn_error(const Ends *e)
{
    PxQuat b = e->b != NULL ? e->b->turn : px_quat_identity();
    PxQuat wanted = px_quat_multiply(b, e->joint->turn);
    PxQuat q = px_quat_multiply(e->a->turn, px_quat_conjugate(wanted));
    return px_scale(px_vec(q.x, q.y, q.z), q.w < 0 ? -2 : 2);
}

static void solve_axis(const Ends *e, PxVec3 axis, bool turns, double value)
{
    const PxRigidJoint *j = e->joint;
    Row row = {.number = 6, .turns = turns, .d = axis, .speed = j->speed};
    row.low = -j->strength * e->h;
    row.high = j->strength * e->h;
    if (j->strength > 0) {
        Ends relaxed = *e; /* a motor has no error to push against */
        relaxed.pass = e->pass == PASS_PUSH ? PASS_RELAX : e->pass;
        solve_row(&relaxed, &row);
    }
    if (j->low > j->high)
        return;
    row = (Row){.number = 7, .turns = turns, .d = axis, .error = value - j->low};
    row.limit = true;
    row.high = INFINITY;
    solve_row(e, &row);
    row.number = 8;
    row.d = px_scale(axis, -1);
    row.error = j->high - value;
    solve_row(e, &row);
}

static void solve_joint(const Ends *e)
{
    static const PxVec3 world[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const PxRigidJoint *j = e->joint;
    Row row = {.low = -INFINITY, .high = INFINITY};
    if (j->kind == PX_JOINT_SPRING) {
        double length = px_length(e->apart);
        row.d = px_normalized(e->apart, px_vec(0, 1, 0));
        row.error = length - j->length;
        row.stiffness = j->stiffness;
        row.damping = j->damping;
        if (j->stiffness > 0 || j->damping > 0)
            solve_row(e, &row);
        return;
    }
    PxVec3 axis = rotated(e->b, j->axis_b), own = rotated(e->a, j->axis_a);
    PxVec3 side = rotated(e->b, j->side_b), across = px_cross(axis, side);
    PxVec3 side_a = rotated(e->a, j->side_a), turn = turn_error(e);
    if (j->kind == PX_JOINT_HINGE)
        solve_axis(e, axis, true,
                   atan2(px_dot(px_cross(side, side_a), axis), px_dot(side, side_a)));
    if (j->kind == PX_JOINT_SLIDER)
        solve_axis(e, axis, false, px_dot(e->apart, axis));
    row.turns = true;
    if (j->kind == PX_JOINT_HINGE) { /* both axes along each other */
        PxVec3 tilt = px_cross(axis, own);
        for (int k = 0; k < 2; ++k) {
            row.number = 3 + k;
            row.d = k == 0 ? side : across;
            row.error = px_dot(tilt, row.d);
            solve_row(e, &row);
        }
    }
    for (int k = 0; (j->kind == PX_JOINT_WELD || j->kind == PX_JOINT_SLIDER) && k < 3; ++k) {
        row.number = 3 + k;
        row.d = world[k];
        row.error = px_dot(turn, row.d);
        solve_row(e, &row);
    }
    row.turns = false;
    for (int k = 0; k < (j->kind == PX_JOINT_SLIDER ? 2 : 3); ++k) {
        row.number = k;
        row.d = j->kind != PX_JOINT_SLIDER ? world[k] : k == 0 ? side : across;
        row.error = px_dot(e->apart, row.d);
        solve_row(e, &row);
    }
}

static void solve_joints(Run *run, double h, Pass pass)
{
    PxRigidStep *s = run->step;
    for (uint32_t k = 0; k < s->joints; ++k) {
        PxRigidJoint *j = &s->joint[k];
        Ends e = {.run = run, .joint = j, .pass = pass, .h = h};
        e.a = (Body *)body_of(run, j->a);
        e.b = j->b != UINT32_MAX ? (Body *)body_of(run, j->b) : NULL;
        if (j->broken || e.a == NULL || (j->b != UINT32_MAX && e.b == NULL) ||
            (e.a->asleep && (e.b == NULL || e.b->asleep)))
            continue;
        e.soft = soft_of(JOINT_FREQUENCY / h, JOINT_DAMPING, h);
        e.ra = rotated(e.a, j->anchor_a);
        PxVec3 end = j->anchor_b;
        if (e.b != NULL) {
            e.rb = rotated(e.b, j->anchor_b);
            end = px_add(e.b->x, e.rb);
        }
        e.apart = px_sub(px_add(e.a->x, e.ra), end);
        solve_joint(&e);
    }
}

/* Scales the impulses to another length of sub-steps. */
static void warm_joints(Run *run, double h)
{
    for (uint32_t k = 0; k < run->step->joints; ++k) {
        PxRigidJoint *j = &run->step->joint[k];
        double scale = j->substep > 0 ? h / j->substep : 0;
        for (int n = 0; n < PX_JOINT_ROWS; ++n)
            j->impulse[n] *= scale;
        j->substep = h;
    }
}

/* Adds up what the joints carry. */
static void load_joints(Run *run)
{
    for (uint32_t k = 0; k < run->step->joints; ++k) {
        PxRigidJoint *j = &run->step->joint[k];
        j->load = px_add(j->load, px_vec(j->impulse[0], j->impulse[1], j->impulse[2]));
    }
}

/* By the mean force in the interval: single sub-steps swing. */
static void break_joints(Run *run, double interval)
{
    for (uint32_t k = 0; k < run->step->joints; ++k) {
        PxRigidJoint *j = &run->step->joint[k];
        double force = px_length(j->load) / interval;
        j->load = px_vec(0, 0, 0);
        if (j->broken || !(j->breaks > 0) || !(force > j->breaks))
            continue;
        j->broken = true;
        for (int n = 0; n < PX_JOINT_ROWS; ++n)
            j->impulse[n] = 0;
    }
}

/* ---- sub-steps --------------------------------------------------------------------- */

static void substeps(Run *run, double interval, uint32_t count)
{
    PxRigidStep *s = run->step;
    double h = interval / count;
    Soft soft = soft_of(PUSH_FREQUENCY / h, PUSH_DAMPING, h);
    for (uint32_t n = 0; n < count; ++n) {
        for (uint32_t i = 0; i < s->rigids; ++i) {
            Body *b = &run->body[i];
            if (b->asleep)
                continue;
            b->v = px_mad(b->v, b->accelerates, h);
            b->w = px_add(b->w, px_scale(px_mat3_apply(b->per_inertia, b->twists), h));
        }
        solve_joints(run, h, PASS_WARM);
        for (uint32_t k = 0; k < run->contacts; ++k) {
            Contact *c = &run->contact[k];
            PxVec3 j = px_add(px_scale(c->n, c->jn),
                              px_add(px_scale(c->t[0], c->jt[0]), px_scale(c->t[1], c->jt[1])));
            push(run, c, j);
        }
        solve_joints(run, h, PASS_PUSH);
        for (uint32_t k = 0; k < run->contacts; ++k)
            solve_contact(run, &run->contact[k], h, n * h, &soft);
        for (int pass = 1; pass < MOST_PASSES && any_crosses(run, h, n * h); ++pass)
            for (uint32_t k = 0; k < run->contacts; ++k)
                solve_contact(run, &run->contact[k], h, n * h, &soft);
        for (uint32_t i = 0; i < s->rigids; ++i) {
            Body *b = &run->body[i];
            if (b->asleep)
                continue;
            b->x = px_mad(b->x, b->v, h);
            px_spin_turn(b->of->mass.inertia, h, &b->axes, &b->w);
            pose_body(b);
        }
        solve_joints(run, h, PASS_RELAX);
        for (uint32_t k = 0; k < run->contacts; ++k)
            solve_contact(run, &run->contact[k], h, (n + 1) * h, NULL);
        load_joints(run);
    }
    s->substeps += count;
}

static void rebound(Run *run, double interval)
{
    double slow = BOUNCE * run->g * interval;
    for (uint32_t k = 0; k < run->contacts; ++k) {
        Contact *c = &run->contact[k];
        if (!(c->restitution > 0) || !(c->most > 0) || !(c->approach < -slow))
            continue;
        double vn = px_dot(c->n, relative(run, c));
        double j = -c->mass_n * (vn + c->restitution * c->approach);
        double total = fmax(c->jn + j, 0);
        j = total - c->jn;
        c->jn = total;
        push(run, c, px_scale(c->n, j));
    }
}

/* ---- sleep ------------------------------------------------------------------------- */

static uint32_t root(Run *run, uint32_t i)
{
    while (run->body[i].island != i)
        i = run->body[i].island = run->body[run->body[i].island].island;
    return i;
}

static void fall_asleep(Run *run, double interval)
{
    PxRigidStep *s = run->step;
    if (!(run->g > 0))
        return;
    for (uint32_t i = 0; i < s->rigids; ++i) {
        Body *b = &run->body[i];
        double speed = px_length(b->v) + px_length(b->w) * b->of->mass.radius;
        bool pushed = px_length(s->impulse[i]) > 0 || px_length(s->torque[i]) > 0;
        bool slow = !pushed && speed < SLOW * sqrt(run->g * b->collider.size);
        b->still = b->asleep ? b->still : slow ? b->still + interval : 0;
        b->island = i;
    }
    for (uint32_t k = 0; k < run->contacts; ++k) {
        const Contact *c = &run->contact[k];
        if (c->b == NOBODY || !(c->most > 0))
            continue;
        uint32_t a = root(run, c->a), b = root(run, c->b);
        if (a != b)
            run->body[a > b ? a : b].island = a < b ? a : b;
    }
    for (uint32_t k = 0; k < s->joints; ++k) {
        const PxRigidJoint *j = &s->joint[k];
        const Body *one = body_of(run, j->a), *two = body_of(run, j->b);
        if (j->broken || one == NULL)
            continue;
        uint32_t a = root(run, (uint32_t)(one - run->body));
        if (j->strength > 0 && j->speed != 0 && !one->asleep)
            run->body[one - run->body].still = 0; /* a motor does not sleep */
        uint32_t b = two != NULL ? root(run, (uint32_t)(two - run->body)) : a;
        if (a != b)
            run->body[a > b ? a : b].island = a < b ? a : b;
    }
    for (uint32_t i = 0; i < s->rigids; ++i) { /* the least time of an island, at its root */
        Body *r = &run->body[root(run, i)];
        r->still = fmin(r->still, run->body[i].still);
    }
    for (uint32_t i = 0; i < s->rigids; ++i) {
        Body *b = &run->body[i];
        if (b->asleep || !(run->body[root(run, i)].still >= SLEEP_AFTER))
            continue;
        b->asleep = true;
        b->v = b->w = px_vec(0, 0, 0);
    }
}

/* ---- the step ---------------------------------------------------------------------- */

/* Stores the contacts of the interval for the next one, with the dormant ones of before. */
static PxStatus keep(Run *run, double h)
{
    int turn = run->turn = 1 - run->turn;
    PX_TRY(make_room(run, (void **)&run->buffer[turn], &run->buffer_room[turn], 0,
                     run->contacts + run->kepts + 1, sizeof **run->buffer));
    PxRigidKept *kept = run->buffer[turn];
    size_t count = 0, old = 0;
    for (uint32_t n = 0; n <= run->contacts; ++n) {
        const Contact *c = n < run->contacts ? &run->contact[n] : NULL;
        for (; old < run->kepts; ++old) {
            int order = c != NULL ? compare_kept(&run->kept[old], &c->kept) : -1;
            if (order > 0)
                break;
            if (order < 0 && dormant(run, &run->kept[old]))
                kept[count++] = run->kept[old];
        }
        if (c == NULL || !(c->jn > 0))
            continue;
        kept[count] = c->kept;
        kept[count].normal = c->jn;
        kept[count].along = px_add(px_scale(c->t[0], c->jt[0]), px_scale(c->t[1], c->jt[1]));
        kept[count++].substep = h;
    }
    run->kept = kept;
    run->kepts = count;
    return PX_OK;
}

static PxStatus begin(Run *run)
{
    PxRigidStep *s = run->step;
    run->body = PX_ARENA_ARRAY(s->scratch, Body, s->rigids + 1);
    run->wall = PX_ARENA_ARRAY(s->scratch, PxCollider, s->walls + 1);
    run->wall_speed = PX_ARENA_ARRAY(s->scratch, double, s->walls + 1);
    run->extent = PX_ARENA_ARRAY(s->scratch, Extent, s->rigids + 1);
    s->after = PX_ARENA_ARRAY(s->scratch, PxRigid, s->rigids + 1);
    if (run->body == NULL || run->wall == NULL || run->wall_speed == NULL || run->extent == NULL ||
        s->after == NULL)
        return px_fail(PX_ERR_MEMORY, "rigid bodies: no room for %u", s->rigids);
    for (uint32_t i = 0; i < s->rigids; ++i) {
        const PxRigid *r = &s->rigid[i];
        Body *b = &run->body[i];
        *b = (Body){.of = r,
                    .x = r->place,
                    .v = r->velocity,
                    .w = r->spin,
                    .axes = px_quat_multiply(r->turn, r->mass.axes),
                    .per_mass = 1 / r->mass.mass,
                    .collider = collider_of(r, s->shape[i]),
                    .still = s->wake ? 0 : r->still,
                    .asleep = r->asleep && !s->wake};
        bool pushed = px_length(s->impulse[i]) > 0 || px_length(s->torque[i]) > 0;
        if (b->asleep && pushed) {
            b->asleep = false;
            b->still = 0;
        }
        b->accelerates = px_mad(s->gravity, s->impulse[i], 1 / (r->mass.mass * s->dt));
        b->twists = px_scale(s->torque[i], 1 / s->dt);
        pose_body(b);
    }
    for (uint32_t w = 0; w < s->walls; ++w) {
        const PxBoundary *b = &s->wall[w].wall->boundary;
        double travel = px_wall_is_still(s->wall[w].wall) ? 0 : b->ops->travel(b);
        run->wall_speed[w] = isfinite(travel) ? travel / s->dt : b->ops->top_speed(b);
    }
    run->g = px_length(s->gravity);
    run->kept = s->kept;
    run->kepts = s->kepts;
    return PX_OK;
}

static uint32_t substeps_of(const Run *run, double interval)
{
    const PxRigidStep *s = run->step;
    double size = INFINITY, longest = LONGEST_SUBSTEP;
    for (uint32_t i = 0; i < s->rigids; ++i)
        size = fmin(size, run->body[i].collider.size);
    if (run->g > 0)
        longest = fmin(longest, SUBSTEP_PART * sqrt(size / run->g));
    return (uint32_t)fmax(ceil(interval / longest * (1 - 1e-9)), 1);
}

static PxStatus end(Run *run)
{
    PxRigidStep *s = run->step;
    for (uint32_t i = 0; i < s->rigids; ++i) {
        const Body *b = &run->body[i];
        PxRigid *r = &s->after[i];
        *r = s->rigid[i];
        r->place = b->x;
        r->velocity = b->v;
        r->spin = b->w;
        r->still = b->still;
        r->asleep = b->asleep;
        /* What contacts gave: the change of velocity less that by the other forces. */
        PxVec3 others = px_add(s->rigid[i].velocity, px_scale(b->accelerates, s->dt));
        r->support =
            b->asleep ? px_scale(b->accelerates, -1) : px_scale(px_sub(b->v, others), 1 / s->dt);
        if (!b->asleep || !s->rigid[i].asleep)
            r->turn = b->turn;
        if (!px_finite(r->place) || !px_finite(r->velocity) || !px_finite(r->spin))
            return px_fail(PX_ERR_NUMERIC, "the place or speed of rigid body %u is not finite", i);
    }
    s->kept_after = (PxRigidKept *)run->kept;
    s->kepts_after = run->kepts;
    return PX_OK;
}

PxStatus px_rigid_step(PxRigidStep *s)
{
    Run run = {.step = s};
    s->contacts = s->substeps = 0;
    s->deepest = 0;
    PX_TRY(begin(&run));
    bool last = s->rigids == 0;
    while (!last) {
        for (uint32_t w = 0; w < s->walls; ++w)
            run.wall[w] = wall_at(&s->wall[w], run.time / s->dt);
        double left = s->dt - run.time;
        uint32_t pairs;
        PX_TRY(find_pairs(&run, left, &pairs));
        double interval = interval_of(&run, run.pair, pairs, left);
        last = interval >= left * (1 - 1e-9);
        interval = last ? left : left / ceil(left / interval);
        PX_TRY(find_contacts(&run, run.pair, pairs, interval));
        uint32_t count = substeps_of(&run, interval);
        warm(&run, interval / count);
        warm_joints(&run, interval / count);
        substeps(&run, interval, count);
        rebound(&run, interval);
        break_joints(&run, interval);
        fall_asleep(&run, interval);
        PX_TRY(keep(&run, interval / count));
        run.time += interval;
    }
    for (uint32_t n = 0; n < run.contacts; ++n) {
        s->contacts += run.contact[n].jn > 0;
        double d = run.contact[n].start + anchored(&run, &run.contact[n], 0);
        s->deepest = fmax(s->deepest, -d);
    }
    return end(&run);
}

double px_rigid_overlap(const PxRigid *rigid, const PxWall *shape, const PxRigid *other,
                        const PxRigidWall *wall, PxVec3 *where)
{
    PxCollider a = collider_of(rigid, shape);
    PxCollider b = other != NULL ? collider_of(other, wall->wall) : wall_at(wall, 0);
    PxTouch touch[PX_MOST_TOUCHES];
    uint32_t count = px_contacts_find(&a, &b, 0, touch);
    double deepest = 0;
    for (uint32_t k = 0; k < count; ++k) {
        PxVec3 at = touch[k].at;
        double depth = touch[k].distance < 0 ? px_contacts_depth(&a, &b, &at) : 0;
        if (depth > deepest) {
            deepest = depth;
            *where = at;
        }
    }
    return deepest;
}
