/// Contacts of rigid bodies as constraints: finding them, and their impulses.
#include "rigid/solver_parts.h"
#include "rigid/spin.h"
#include "shape/shape_inner.h"

#include <stdlib.h>
#include <string.h>

/* Largest speed at which overlapping bodies are pushed apart, in sizes of the smaller one per
 * second. */
#define PUSH_SPEED 3.0

/* Passes over the contacts are repeated while some would overlap by more than this part of the
 * thinner body's thickness at the end of a sub-step, deeper than before: fast impacts. */
#define CROSSING 0.02

/* Contacts rebound only if they approach faster than BOUNCE times the speed that gravity gives in a
 * sub-step. */
#define BOUNCE 2.0

/* Bodies nearer than this part of the smaller thickness touch: what moves wakes what sleeps. */
#define WAKES 0.02

/* Keys of contacts by matter in between: above those of features. */
#define SQUEEZED 0x80000000u

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
    return compare_kept(&((const PxSolverContact *)left)->kept,
                        &((const PxSolverContact *)right)->kept);
}

/* Relative velocity of a to b at a contact. */
static PxVec3 relative(const PxSolverRun *run, const PxSolverContact *c)
{
    PxVec3 v = px_solver_velocity(&run->body[c->a], c->ra);
    PxVec3 u = c->b == PX_NOBODY ? c->wall_moves : px_solver_velocity(&run->body[c->b], c->rb);
    return px_sub(v, u);
}

/* Inverse mass that an impulse along `n` meets. */
static double yields(const PxSolverRun *run, const PxSolverContact *c, PxVec3 n)
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

/* Sets the masses that the impulses of a contact meet. */
static void weigh(const PxSolverRun *run, PxSolverContact *c)
{
    c->mass_n = 1 / yields(run, c, c->n);
    for (int k = 0; k < 2; ++k)
        c->mass_t[k] = 1 / yields(run, c, c->t[k]);
}

static void push(PxSolverRun *run, const PxSolverContact *c, PxVec3 impulse)
{
    PxSolverBody *a = &run->body[c->a];
    a->v = px_mad(a->v, impulse, a->per_mass);
    a->w = px_add(a->w, px_mat3_apply(a->per_inertia, px_cross(c->ra, impulse)));
    if (c->b == PX_NOBODY)
        return;
    PxSolverBody *b = &run->body[c->b];
    b->v = px_mad(b->v, impulse, -b->per_mass);
    b->w = px_sub(b->w, px_mat3_apply(b->per_inertia, px_cross(c->rb, impulse)));
}

static PxVec3 into_body(const PxSolverBody *b, PxVec3 r)
{
    const double(*m)[3] = b->rotation.m;
    return px_vec(m[0][0] * r.x + m[1][0] * r.y + m[2][0] * r.z,
                  m[0][1] * r.x + m[1][1] * r.y + m[2][1] * r.z,
                  m[0][2] * r.x + m[1][2] * r.y + m[2][2] * r.z);
}

/* Where the anchors of a contact are, `since` the start of the interval. */
static PxVec3 anchor_a(const PxSolverRun *run, const PxSolverContact *c)
{
    const PxSolverBody *a = &run->body[c->a];
    return px_add(a->x, px_mat3_apply(a->rotation, c->la));
}

static PxVec3 anchor_b(const PxSolverRun *run, const PxSolverContact *c, double since)
{
    if (c->b == PX_NOBODY)
        return px_mad(c->lb, c->wall_moves, since);
    const PxSolverBody *b = &run->body[c->b];
    return px_add(b->x, px_mat3_apply(b->rotation, c->lb));
}

/* Distance of the anchors along the normal, without that of the places of the bodies. */
static double anchored(const PxSolverRun *run, const PxSolverContact *c, double since)
{
    return px_dot(c->n, px_sub(anchor_a(run, c), anchor_b(run, c, since)));
}

static bool is_round(const PxCollider *c)
{
    PxShapeKind kind = c->wall->shape->kind;
    return kind == PX_SHAPE_SPHERE || kind == PX_SHAPE_CAPSULE;
}

static void make_contact(PxSolverRun *run, const PxSolverPair *pair, const PxTouch *touch,
                         double since, PxSolverContact *c)
{
    const PxRigidStep *s = run->step;
    const PxRigid *ra = &s->rigid[pair->a];
    const PxSolverBody *a = &run->body[pair->a], *b = pair->wall ? NULL : &run->body[pair->b];
    const PxCollider *other = pair->wall ? &run->wall[pair->b] : &b->collider;
    *c = (PxSolverContact){.a = pair->a,
                           .b = pair->wall ? PX_NOBODY : pair->b,
                           .wall = pair->wall ? pair->b : PX_NOBODY,
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
        c->friction = sqrt(c->friction * wall->boundary.friction);
        double when = s->dt > 0 ? (run->time + since) / s->dt : 0;
        c->wall_moves = px_wall_velocity(wall, px_wall_to_rest(wall, when, at));
        c->lb = px_mad(touch->anchor[1], c->wall_moves, -since);
    }
    if (ra->law.law->force != NULL || (b != NULL && b->of->law.law->force != NULL)) {
        c->soft = true;
        c->law = px_contact_pair(&ra->law, a->collider.size, b != NULL ? &b->of->law : NULL,
                                 other->size, is_round(&a->collider) || is_round(other));
    }
    c->start = touch->distance - anchored(run, c, since);
    c->off = px_sub(at, touch->anchor[touch->feature & 1]);
    PxVec3 side = fabs(c->n.x) < 0.57 ? px_vec(1, 0, 0) : px_vec(0, 1, 0);
    c->t[0] = px_normalized(px_cross(c->n, side), px_vec(0, 0, 1));
    c->t[1] = px_cross(c->n, c->t[0]);
    c->approach = px_dot(c->n, relative(run, c));
}

/* A contact that was not searched for, because nothing moved: kept as it was. */
static bool dormant(const PxSolverRun *run, const PxRigidKept *k)
{
    const PxRigidStep *s = run->step;
    const PxSolverBody *a, *b;
    bool wall = false, moves = false;
    a = px_solver_body(run, k->a);
    b = px_solver_body(run, k->b);
    for (uint32_t w = 0; w < s->walls; ++w)
        if (s->wall[w].number == k->b) {
            wall = true;
            moves = run->wall_speed[w] > 0;
        }
    return a != NULL && a->asleep && ((b != NULL && b->asleep) || (wall && !moves));
}

void px_solver_warm(PxSolverRun *run, double h)
{
    size_t k = 0;
    for (uint32_t n = 0; n < run->contacts; ++n) {
        PxSolverContact *c = &run->contact[n];
        while (k < run->kepts && compare_kept(&run->kept[k], &c->kept) < 0)
            ++k;
        if (k == run->kepts || compare_kept(&run->kept[k], &c->kept) != 0)
            continue;
        const PxRigidKept *old = &run->kept[k];
        double scale = old->substep > 0 ? h / old->substep : 0;
        c->calm = c->jn = scale * old->normal;
        for (int t = 0; t < 2; ++t)
            c->jt[t] = scale * px_dot(old->along, c->t[t]);
    }
}

static PxStatus list_contacts(PxSolverRun *run);

/* Pairs whose touches are found at a time, by all threads. */
enum { AT_ONCE = 512, BLOCK = 8 };

typedef struct Find {
    const PxSolverRun *run;
    const PxSolverPair *pair;
    double within;
    PxTouch (*touch)[PX_MOST_TOUCHES]; /* by pair */
    uint32_t *count;
} Find;

static const PxCollider *other_of(const PxSolverRun *run, const PxSolverPair *pair)
{
    return pair->wall ? &run->wall[pair->b] : &run->body[pair->b].collider;
}

static void find_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Find *job = user;
    for (uint32_t k = begin; k < end; ++k) {
        const PxSolverPair *pair = &job->pair[k];
        job->count[k] =
            px_contacts_find(&job->run->body[pair->a].collider, other_of(job->run, pair),
                             px_solver_margin(job->run, pair, job->within), job->touch[k]);
    }
}

/* Makes the contacts of a pair, `since` the start of the interval. What moves wakes what it
 * touches. */
static PxStatus touch_pair(PxSolverRun *run, const PxSolverPair *pair, double since,
                           const PxTouch *touch, uint32_t count)
{
    PxSolverBody *a = &run->body[pair->a], *b = pair->wall ? NULL : &run->body[pair->b];
    const PxCollider *other = other_of(run, pair);
    double size = fmin(a->collider.size, other->size);
    PX_TRY(px_solver_room(run, (void **)&run->contact, &run->contact_room, run->contacts,
                          run->contacts + count, sizeof *run->contact));
    bool touches = false;
    for (uint32_t t = 0; t < count; ++t) {
        make_contact(run, pair, &touch[t], since, &run->contact[run->contacts++]);
        touches = touches || touch[t].distance < WAKES * size;
    }
    bool moves = b == NULL ? run->wall_speed[pair->b] > 0 : (!b->asleep && b->still == 0);
    if (touches && moves)
        px_solver_wake(a);
    if (touches && b != NULL && !a->asleep && a->still == 0)
        px_solver_wake(b);
    return PX_OK;
}

/* Contacts of the pairs `from` on for a time, `since` the start of the interval. */
static PxStatus touch_pairs(PxSolverRun *run, uint32_t from, double within, double since)
{
    PxRigidStep *s = run->step;
    uint32_t most = run->pairs - from < AT_ONCE ? run->pairs - from : AT_ONCE;
    if (run->touch_room < most) {
        run->touch = px_arena_take_array(s->scratch, AT_ONCE, sizeof *run->touch);
        run->touches = PX_ARENA_ARRAY(s->scratch, uint32_t, AT_ONCE);
        if (run->touch == NULL || run->touches == NULL)
            return px_fail(PX_ERR_MEMORY, "rigid bodies: no room for %u pairs", run->pairs);
        run->touch_room = AT_ONCE;
    }
    for (uint32_t k = from; k < run->pairs; k += AT_ONCE) {
        uint32_t count = run->pairs - k < AT_ONCE ? run->pairs - k : AT_ONCE;
        Find job = {run, &run->pair[k], within, run->touch, run->touches};
        px_parallel_for(s->threads, count, BLOCK, find_block, &job);
        for (uint32_t n = 0; n < count; ++n)
            PX_TRY(touch_pair(run, &run->pair[k + n], since, run->touch[n], run->touches[n]));
    }
    return PX_OK;
}

/* Matter in between. */
static PxStatus touch_squeezed(PxSolverRun *run)
{
    const PxRigidStep *s = run->step;
    PX_TRY(px_solver_room(run, (void **)&run->contact, &run->contact_room, run->contacts,
                          run->contacts + s->squeezes, sizeof *run->contact));
    for (uint32_t k = 0; k < s->squeezes; ++k) {
        const PxRigidSqueeze *q = &s->squeeze[k];
        PxSolverPair one = {.a = q->rigid, .b = q->other, .wall = q->wall};
        PxTouch at = {.feature = SQUEEZED | k << 1,
                      .at = q->at,
                      .normal = q->normal,
                      .distance = q->distance,
                      .anchor = {q->at, q->at}};
        PxSolverContact *c = &run->contact[run->contacts++];
        make_contact(run, &one, &at, 0, c);
        c->restitution = c->friction = 0;
    }
    return PX_OK;
}

/* Sets the masses that impulses meet, and drops contacts of which neither body can move. What is
 * asleep or held acts as a wall, with its mass hidden. */
static void open_contacts(PxSolverRun *run)
{
    PxRigidStep *s = run->step;
    for (uint32_t i = 0; i < s->rigids; ++i) {
        PxSolverBody *b = &run->body[i];
        bool free = px_solver_is_free(b);
        if (!free)
            b->per_inertia = px_mat3_scale(px_mat3_identity(), 0);
        else if (!(b->per_mass > 0))
            b->per_inertia = px_spin_inverse_inertia(b->of->mass.inertia, b->axes);
        b->per_mass = free ? 1 / b->of->mass.mass : 0;
    }
    uint32_t left = 0;
    bool sorted = true;
    for (uint32_t n = 0; n < run->contacts; ++n) {
        PxSolverContact *c = &run->contact[n];
        if (!px_solver_is_free(&run->body[c->a]) &&
            (c->b == PX_NOBODY || !px_solver_is_free(&run->body[c->b])))
            continue;
        weigh(run, c);
        if (left != n)
            run->contact[left] = *c;
        sorted = sorted && (left == 0 || by_key(&run->contact[left - 1], c) < 0);
        ++left;
    }
    run->contacts = left;
    if (!sorted)
        qsort(run->contact, run->contacts, sizeof *run->contact, by_key);
}

PxStatus px_solver_contacts(PxSolverRun *run, double interval)
{
    PxRigidStep *s = run->step;
    run->contacts = 0;
    PX_TRY(touch_pairs(run, 0, interval, 0));
    if (run->time == 0)
        PX_TRY(touch_squeezed(run));
    for (uint32_t k = 0; k < s->joints; ++k) {
        PxSolverBody *a = px_solver_end(run, s->joint[k].a), *b = px_solver_end(run, s->joint[k].b);
        if (s->joint[k].broken || a == NULL || b == NULL || a->asleep == b->asleep)
            continue;
        PxSolverBody *sleeper = a->asleep ? a : b, *other = a->asleep ? b : a;
        if (other->still == 0)
            px_solver_wake(sleeper);
    }
    open_contacts(run);
    return list_contacts(run);
}

PxStatus px_solver_more_contacts(PxSolverRun *run, uint32_t from, double left, double since)
{
    uint32_t old = run->contacts;
    PX_TRY(touch_pairs(run, from, left, since));
    /* contacts of the same pairs are replaced, and their impulses kept */
    for (uint32_t n = 0; n < old; ++n) {
        PxSolverContact *was = &run->contact[n];
        bool replaced = false;
        if (!run->body[was->a].due && !(was->b != PX_NOBODY && run->body[was->b].due))
            continue;
        for (uint32_t m = old; m < run->contacts; ++m) {
            PxSolverContact *now = &run->contact[m];
            bool pair = now->a == was->a && now->b == was->b && now->wall == was->wall;
            if (pair && now->kept.feature == was->kept.feature) {
                now->jn = was->jn;
                now->calm = was->calm;
                now->most = was->most;
                now->approach = was->approach;
                memcpy(now->was, was->was, sizeof now->was);
                PxVec3 along =
                    px_add(px_scale(was->t[0], was->jt[0]), px_scale(was->t[1], was->jt[1]));
                for (int t = 0; t < 2; ++t)
                    now->jt[t] = px_dot(along, now->t[t]);
                replaced = true;
            }
        }
        if (replaced)
            was->a = PX_NOBODY;
    }
    uint32_t left_over = 0;
    for (uint32_t n = 0; n < run->contacts; ++n)
        if (run->contact[n].a != PX_NOBODY)
            run->contact[left_over++] = run->contact[n];
    run->contacts = left_over;
    open_contacts(run);
    return list_contacts(run);
}

void px_solver_measure(PxSolverRun *run, double since)
{
    for (uint32_t k = 0; k < run->contacts; ++k) {
        PxSolverContact *c = &run->contact[k];
        c->distance = c->start + anchored(run, c, since);
    }
}

/* Levers that stay as they were at the start of an interval create energy where the centre of mass
 * moves relative to the point of contact, as that of a ball with ballast does. To follow before the
 * pass without push creates some, too: a move along the tangent ends in a small overlap, and what
 * the push lifts is paid for only if the speed into it is left to the next sub-step. */
void px_solver_follow(PxSolverRun *run, double since)
{
    for (uint32_t k = 0; k < run->contacts; ++k) {
        PxSolverContact *c = &run->contact[k];
        PxVec3 at = c->kept.feature & 1 ? anchor_b(run, c, since) : anchor_a(run, c);
        at = px_add(at, c->off);
        c->ra = px_sub(at, run->body[c->a].x);
        if (c->b != PX_NOBODY)
            c->rb = px_sub(at, run->body[c->b].x);
        weigh(run, c);
    }
}

void px_solver_repeat(PxSolverRun *run)
{
    for (uint32_t k = 0; k < run->contacts; ++k) {
        PxSolverContact *c = &run->contact[k];
        PxVec3 j = px_add(px_scale(c->n, c->jn),
                          px_add(px_scale(c->t[0], c->jt[0]), px_scale(c->t[1], c->jt[1])));
        push(run, c, j);
    }
}

/* Returns the change of the relative velocity, m/s. */
static double solve_contact(PxSolverRun *run, PxSolverContact *c, double h, const PxSoft *soft)
{
    double distance = c->distance, bias = 0, mass = 1, impulse = 0;
    if (c->soft)
        distance += c->law.deepest;
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
    if (total == 0 && c->jn == 0)
        return 0; /* it does not touch: nor does it rub */
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
    return fabs(j) / c->mass_n;
}

void px_solver_pass(PxSolverRun *run, double h, const PxSoft *soft)
{
    for (uint32_t k = 0; k < run->contacts; ++k)
        solve_contact(run, &run->contact[k], h, soft);
}

/* A pass changes a contact if it changes its speed by more than so many thicknesses a second. */
#define CHANGE 0.5

/* Asks for the contacts of a body in the next pass. */
static void ask(PxSolverRun *run, uint32_t body)
{
    const PxSolverBody *b = &run->body[body];
    for (uint32_t k = b->first; k < b->end; ++k) {
        uint32_t c = run->of_body[k];
        run->asked[c / 64] |= (uint64_t)1 << c % 64;
    }
}

void px_solver_converge(PxSolverRun *run, double h, const PxSoft *soft, bool due, uint32_t most)
{
    uint32_t words = (run->contacts + 63) / 64;
    uint64_t *now = run->asking;
    memset(run->asked, due ? 0 : 0xff, words * sizeof *run->asked);
    for (uint32_t i = 0; due && i < run->step->rigids; ++i)
        if (run->body[i].due)
            ask(run, i);
    bool changes = true;
    for (uint32_t pass = 0; pass < most && changes; ++pass) {
        memcpy(now, run->asked, words * sizeof *now);
        memset(run->asked, 0, words * sizeof *now);
        changes = false;
        for (uint32_t w = 0; w < words; ++w)
            for (uint64_t left = now[w]; left != 0; left &= left - 1) {
                uint32_t k = 64 * w + (uint32_t)__builtin_ctzll(left);
                if (k >= run->contacts)
                    break;
                PxSolverContact *c = &run->contact[k];
                if (!(solve_contact(run, c, h, soft) > CHANGE * c->size))
                    continue;
                changes = true;
                ask(run, c->a);
                if (c->b != PX_NOBODY)
                    ask(run, c->b);
            }
    }
}

/* Lists the contacts of each body. */
static PxStatus list_contacts(PxSolverRun *run)
{
    uint32_t rigids = run->step->rigids, at = 0;
    PX_TRY(px_solver_room(run, (void **)&run->of_body, &run->of_body_room, 0, 2 * run->contacts + 1,
                          sizeof *run->of_body));
    PX_TRY(px_solver_room(run, (void **)&run->asked, &run->asked_room, 0, run->contacts / 64 + 1,
                          sizeof *run->asked));
    PX_TRY(px_solver_room(run, (void **)&run->asking, &run->asking_room, 0, run->contacts / 64 + 1,
                          sizeof *run->asking));
    for (uint32_t i = 0; i < rigids; ++i)
        run->body[i].first = 0;
    for (uint32_t k = 0; k < run->contacts; ++k) {
        const PxSolverContact *c = &run->contact[k];
        ++run->body[c->a].first;
        if (c->b != PX_NOBODY)
            ++run->body[c->b].first;
    }
    for (uint32_t i = 0; i < rigids; ++i) {
        uint32_t count = run->body[i].first;
        run->body[i].first = run->body[i].end = at;
        at += count;
    }
    for (uint32_t k = 0; k < run->contacts; ++k) {
        const PxSolverContact *c = &run->contact[k];
        run->of_body[run->body[c->a].end++] = k;
        if (c->b != PX_NOBODY)
            run->of_body[run->body[c->b].end++] = k;
    }
    return PX_OK;
}

/* Points of a pair share the force of their mean overlap, weighted by their own: a point that
 * begins or ceases to touch changes nothing at that moment. */
static void push_by_law(PxSolverRun *run, PxSolverContact *c, double sum, double squares, double h)
{
    double share = -c->distance / sum;
    PxVec3 v = relative(run, c);
    double vn = px_dot(c->n, v);
    PxVec3 slip = px_mad(v, c->n, -vn);
    PxContactState state = {.overlap = squares / sum,
                            .approach = -vn,
                            .slip = px_length(slip),
                            .friction = c->friction};
    PxContactForce f = c->law.law->force(&c->law, &state);
    /* friction stops a slip at most */
    double rub =
        fmin(share * f.shear * h, state.slip / yields(run, c, px_normalized(slip, c->t[0])));
    double normal = share * f.normal * h;
    c->most = fmax(c->most, normal);
    push(run, c, px_mad(px_scale(c->n, normal), px_normalized(slip, px_vec(0, 0, 0)), -rub));
}

static bool is_pair(const PxSolverContact *c, const PxSolverContact *d)
{
    return c->a == d->a && c->b == d->b && c->wall == d->wall;
}

void px_solver_laws(PxSolverRun *run, double h)
{
    for (uint32_t k = 0; k < run->contacts;) {
        PxSolverContact *c = &run->contact[k];
        uint32_t count = 0;
        double sum = 0, squares = 0;
        for (; k + count < run->contacts && is_pair(c, c + count); ++count) {
            double overlap = fmax(-c[count].distance, 0);
            sum += overlap;
            squares += overlap * overlap;
        }
        for (uint32_t n = 0; c->soft && n < count; ++n)
            if (c[n].distance < 0)
                push_by_law(run, &c[n], sum, squares, h);
        k += count;
    }
}

/* Impulse that a sub-step may repeat: that of an impact must not be, since a pass does not undo it
 * where many contacts share it. Loads grow by this factor a sub-step, from the weight on. */
#define GROWTH 2.0

static void calm_down(const PxSolverRun *run, PxSolverContact *c, double h)
{
    double most = GROWTH * c->calm + c->mass_n * run->g * h;
    if (c->jn > most) {
        double scale = most / c->jn;
        c->jn = most;
        c->jt[0] *= scale;
        c->jt[1] *= scale;
    }
    c->calm = c->jn;
}

void px_solver_remember(PxSolverRun *run, double h)
{
    for (uint32_t k = 0; k < run->contacts; ++k) {
        PxSolverContact *c = &run->contact[k];
        calm_down(run, c, h);
        c->was[0] = c->jn;
        c->was[1] = c->jt[0];
        c->was[2] = c->jt[1];
    }
}

void px_solver_recall(PxSolverRun *run)
{
    for (uint32_t k = 0; k < run->contacts; ++k) {
        PxSolverContact *c = &run->contact[k];
        c->jn = c->was[0];
        c->jt[0] = c->was[1];
        c->jt[1] = c->was[2];
    }
}

bool px_solver_crosses(const PxSolverRun *run, double h)
{
    for (uint32_t k = 0; k < run->contacts; ++k) {
        const PxSolverContact *c = &run->contact[k];
        double speed = px_dot(c->n, relative(run, c)), most = CROSSING * c->size;
        double depth = most + (c->soft ? c->law.deepest : 0);
        if (c->distance + h * speed < -depth && -speed * PX_SOLVER_SUBSTEP > most)
            return true;
    }
    return false;
}
void px_solver_rebound(PxSolverRun *run, double interval)
{
    double slow = BOUNCE * run->g * interval;
    for (uint32_t k = 0; k < run->contacts; ++k) {
        PxSolverContact *c = &run->contact[k];
        if (c->soft || !(c->restitution > 0) || !(c->most > 0) || !(c->approach < -slow))
            continue;
        double vn = px_dot(c->n, relative(run, c));
        double j = -c->mass_n * (vn + c->restitution * c->approach);
        double total = fmax(c->jn + j, 0);
        j = total - c->jn;
        c->jn = total;
        push(run, c, px_scale(c->n, j));
    }
}
PxStatus px_solver_keep(PxSolverRun *run, double h)
{
    int turn = run->turn = 1 - run->turn;
    PX_TRY(px_solver_room(run, (void **)&run->buffer[turn], &run->buffer_room[turn], 0,
                          run->contacts + run->kepts + 1, sizeof **run->buffer));
    PxRigidKept *kept = run->buffer[turn];
    size_t count = 0, old = 0;
    for (uint32_t n = 0; n <= run->contacts; ++n) {
        const PxSolverContact *c = n < run->contacts ? &run->contact[n] : NULL;
        for (; old < run->kepts; ++old) {
            int order = c != NULL ? compare_kept(&run->kept[old], &c->kept) : -1;
            if (order > 0)
                break;
            if (order < 0 && dormant(run, &run->kept[old]))
                kept[count++] = run->kept[old];
        }
        if (c == NULL || !(c->jn > 0))
            continue;
        PxSolverContact calm = *c;
        calm_down(run, &calm, h);
        kept[count] = c->kept;
        kept[count].normal = calm.jn;
        kept[count].along = px_add(px_scale(c->t[0], calm.jt[0]), px_scale(c->t[1], calm.jt[1]));
        kept[count++].substep = h;
    }
    run->kept = kept;
    run->kepts = count;
    return PX_OK;
}
