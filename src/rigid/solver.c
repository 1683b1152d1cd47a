/// Motion of rigid bodies with contacts, by impulses in sub-steps.
///
/// A step is divided into intervals: contacts are found at the start of each. Points that may touch
/// within the interval are contacts already (speculative: they let bodies approach but not cross),
/// and an interval is so short that bodies near each other move less than half of their thickness;
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

/* Approach slower than this many times gravity times an interval does not bounce. */
#define BOUNCE 2.0

/* A body is slow below this part of sqrt(gravity size), and falls asleep after this time, s. */
#define SLOW 0.01
#define SLEEP_AFTER 0.5

/* Most intervals of a step. */
#define MOST_INTERVALS 20000

#define NOBODY UINT32_MAX

typedef struct Body {
    const PxRigid *of;
    PxVec3 x, v, w;
    PxQuat axes, turn; /* principal axes, and from the rest frame, to the world */
    double per_mass;
    PxMat3 per_inertia, rotation;
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

static double speed_of(const Body *b, double within)
{
    return px_length(b->v) + px_length(b->accelerates) * within +
           px_length(b->w) * b->of->mass.radius;
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

static bool may_touch(const Run *run, Pair *pair, double within)
{
    const Body *a = &run->body[pair->a];
    const PxCollider *other = pair->wall ? &run->wall[pair->b] : &run->body[pair->b].collider;
    pair->speed = speed_of(a, within) +
                  (pair->wall ? run->wall_speed[pair->b] : speed_of(&run->body[pair->b], within));
    double near = pair->speed * within + 0.02 * fmin(a->collider.size, other->size);
    return active(run, pair->a, pair->b, pair->wall) &&
           px_contacts_clearance(&a->collider, other) < near;
}

static PxStatus add_pair(Run *run, Pair pair, double within, uint32_t *count)
{
    if (!may_touch(run, &pair, within))
        return PX_OK;
    PX_TRY(make_room(run, (void **)&run->pair, &run->pair_room, *count, *count + 1, sizeof pair));
    run->pair[(*count)++] = pair;
    return PX_OK;
}

/* Sweep along x: bodies whose extents overlap are pairs. */
static PxStatus find_pairs(Run *run, double within, uint32_t *count)
{
    PxRigidStep *s = run->step;
    Extent *extent = run->extent;
    *count = 0;
    for (uint32_t i = 0; i < s->rigids; ++i) {
        const Body *b = &run->body[i];
        double reach = b->of->mass.radius * 1.02 + speed_of(b, within) * within;
        extent[i] = (Extent){b->x.x - reach, b->x.x + reach, i};
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
    qsort(run->pair, *count, sizeof *run->pair, by_bodies);
    return PX_OK;
}

/* The longest interval, at most `left`, in which no pair moves by more than half a thickness. */
static double interval_of(const Run *run, const Pair *pair, uint32_t pairs, double left)
{
    double interval = left;
    for (uint32_t k = 0; k < pairs; ++k) {
        double thick = run->body[pair[k].a].collider.size;
        if (!pair[k].wall)
            thick = fmin(thick, run->body[pair[k].b].collider.size);
        if (pair[k].speed * interval > 0.5 * thick)
            interval = 0.5 * thick / pair[k].speed;
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
    PxVec3 pa = px_mad(at, c->n, 0.5 * touch->distance + touch->round[0]);
    PxVec3 pb = px_mad(at, c->n, -0.5 * touch->distance - touch->round[1]);
    c->ra = px_sub(at, a->x);
    c->la = into_body(a, px_sub(pa, a->x));
    c->friction = ra->friction;
    c->restitution = ra->restitution;
    if (b != NULL) {
        c->rb = px_sub(at, b->x);
        c->lb = into_body(b, px_sub(pb, b->x));
        c->friction = sqrt(c->friction * b->of->friction);
        c->restitution = sqrt(c->restitution * b->of->restitution);
    } else {
        const PxWall *wall = s->wall[pair->b].wall;
        c->lb = pb;
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
    qsort(run->contact, run->contacts, sizeof *run->contact, by_key);
    return PX_OK;
}

/* ---- sub-steps --------------------------------------------------------------------- */

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
    double size = hypot(c->jt[0], c->jt[1]), bound = c->friction * c->jn;
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
        for (uint32_t k = 0; k < run->contacts; ++k) {
            Contact *c = &run->contact[k];
            PxVec3 j = px_add(px_scale(c->n, c->jn),
                              px_add(px_scale(c->t[0], c->jt[0]), px_scale(c->t[1], c->jt[1])));
            push(run, c, j);
        }
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
        for (uint32_t k = 0; k < run->contacts; ++k)
            solve_contact(run, &run->contact[k], h, (n + 1) * h, NULL);
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
        substeps(&run, interval, count);
        rebound(&run, interval);
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
