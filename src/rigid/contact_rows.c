/// Contacts of rigid bodies as constraints: finding them, and what is kept of them.
#include "base/stop.h"
#include "rigid/solver_parts.h"
#include "base/spin.h"
#include "shape/shape_inner.h"

#include <stdlib.h>
#include <string.h>

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

static PxVec3 into_body(const PxSolverBody *b, PxVec3 r)
{
    const double(*m)[3] = b->rotation.m;
    return px_vec(m[0][0] * r.x + m[1][0] * r.y + m[2][0] * r.z,
                  m[0][1] * r.x + m[1][1] * r.y + m[2][1] * r.z,
                  m[0][2] * r.x + m[1][2] * r.y + m[2][2] * r.z);
}

/* Distance of the anchors along the normal, without that of the places of the bodies. */
static double anchored(const PxSolverRun *run, const PxSolverContact *c, double since)
{
    return px_dot(c->n, px_sub(px_solver_anchor_a(run, c), px_solver_anchor_b(run, c, since)));
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
                           .kept.feature = touch->feature,
                           .of_b = touch->feature & 1,
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
        c->wall_moves = px_wall_velocity(wall, when, px_wall_to_rest(wall, when, at));
        c->lb = px_mad(touch->anchor[1], c->wall_moves, -since);
    }
    if (ra->law.law->force != NULL || (b != NULL && b->of->law.law->force != NULL)) {
        c->soft = true;
        c->law = px_contact_pair(&ra->law, a->collider.size, b != NULL ? &b->of->law : NULL,
                                 other->size, is_round(&a->collider) || is_round(other));
        c->give = c->law.deepest;
    }
    c->start = touch->distance - anchored(run, c, since);
    c->off = px_sub(at, touch->anchor[touch->feature & 1]);
    PxVec3 side = fabs(c->n.x) < 0.57 ? px_vec(1, 0, 0) : px_vec(0, 1, 0);
    c->t[0] = px_normalized(px_cross(c->n, side), px_vec(0, 0, 1));
    c->t[1] = px_cross(c->n, c->t[0]);
    c->approach = px_dot(c->n, px_solver_relative(run, c));
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

/* First kept contact of two bodies. */
static size_t first_kept(const PxSolverRun *run, const PxRigidKept *of)
{
    PxRigidKept key = *of;
    size_t low = 0, high = run->kepts;
    key.feature = 0;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (compare_kept(&run->kept[middle], &key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Impulses of the contacts that were there before. */
static void warm_pair(const PxSolverRun *run, PxSolverPair *pair, double h)
{
    PxSolverContact *c = &run->contact[pair->first];
    size_t k = first_kept(run, &c->kept);
    for (PxSolverContact *end = c + pair->count; c < end; ++c) {
        while (k < run->kepts && compare_kept(&run->kept[k], &c->kept) < 0)
            ++k;
        if (k == run->kepts || compare_kept(&run->kept[k], &c->kept) != 0)
            continue;
        const PxRigidKept *old = &run->kept[k];
        pair->carried = true;
        double scale = old->substep > 0 ? h / old->substep : 0;
        c->calm = c->jn = scale * old->normal;
        for (int t = 0; t < 2; ++t)
            c->jt[t] = scale * px_dot(old->along, c->t[t]);
    }
}

typedef struct Warm {
    PxSolverRun *run;
    double h;
} Warm;

static void warm_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Warm *job = user;
    for (uint32_t n = begin; n < end; ++n)
        warm_pair(job->run, &job->run->pair[job->run->slot[n]], job->h);
}

void px_solver_warm(PxSolverRun *run, double h)
{
    Warm job = {run, h};
    px_parallel_for(run->step->threads, run->slots, 64, warm_block, &job);
}

/* ---- search ------------------------------------------------------------------------ */

/* Pairs whose touches are found at a time, by all threads, in blocks. */
enum { AT_ONCE = 512, BLOCK = 8, BLOCK_TOUCHES = BLOCK * PX_MOST_TOUCHES };

/* A part of the search. */
typedef struct Find {
    PxSolverRun *run;
    const uint32_t *chosen;
    double within, since;
    uint32_t count[AT_ONCE];  /* of touches */
    uint32_t begins[AT_ONCE]; /* among those of the block */
    uint32_t first[AT_ONCE];  /* of the new contacts */
} Find;

static const PxCollider *other_of(const PxSolverRun *run, const PxSolverPair *pair)
{
    return pair->wall ? &run->wall[pair->b] : &run->body[pair->b].collider;
}

/* May a point where bodies are near each other touch within the time? Bodies that fall side by side
 * have many that do not. */
static bool reaches(const Find *job, const PxSolverPair *pair, const PxTouch *t)
{
    const PxSolverRun *run = job->run;
    const PxSolverBody *a = &run->body[pair->a], *b = pair->wall ? NULL : &run->body[pair->b];
    const PxCollider *field = t->feature & 1 ? &a->collider : other_of(run, pair);
    if (!px_contacts_convex(field) || (b == NULL && run->wall_speed[pair->b] > 0))
        return true;
    PxReach reach = px_solver_reach(run, pair, job->within);
    double nearer = -px_dot(reach.move, t->normal), more = reach.more, bent = 0;
    if (t->corner) { /* a point of the body: it turns with the body, and its path is bent */
        double turning[2] = {px_length(a->w), b != NULL ? px_length(b->w) : 0};
        PxVec3 spins = px_cross(a->w, px_sub(t->at, a->x));
        bent = turning[0] * a->turning;
        if (b != NULL) {
            PxVec3 lever = px_sub(t->at, b->x);
            spins = px_sub(spins, px_cross(b->w, lever));
            bent += turning[1] * (turning[1] * px_length(lever) + 2 * pair->speed);
            more -= b->turning * job->within;
        }
        more -= a->turning * job->within;
        nearer -= job->within * px_dot(spins, t->normal);
        more += 0.5 * job->within * job->within * bent;
    }
    return t->distance < fmax(nearer, 0) + more;
}

static void find_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    Find *job = user;
    PxTouch *touch = &job->run->touch[(size_t)begin / BLOCK * BLOCK_TOUCHES];
    uint32_t found = 0;
    for (uint32_t k = begin; k < end; ++k) {
        const PxSolverPair *pair = &job->run->pair[job->chosen[k]];
        PxReach reach = px_solver_reach(job->run, pair, job->within);
        uint32_t count = px_contacts_find(&job->run->body[pair->a].collider,
                                          other_of(job->run, pair), &reach, &touch[found]);
        job->begins[k] = found;
        for (uint32_t n = job->begins[k]; n < job->begins[k] + count; ++n)
            if (reaches(job, pair, &touch[n]))
                touch[found++] = touch[n];
        job->count[k] = found - job->begins[k];
    }
}

static const PxTouch *touches_of(const Find *job, uint32_t k)
{
    return &job->run->touch[(size_t)(k / BLOCK) * BLOCK_TOUCHES + job->begins[k]];
}

/* Makes room for the contacts of a pair. What moves wakes what it touches. */
static PxStatus meet(Find *job, uint32_t k)
{
    PxSolverRun *run = job->run;
    PxSolverPair *pair = &run->pair[job->chosen[k]];
    PxSolverBody *a = &run->body[pair->a], *b = pair->wall ? NULL : &run->body[pair->b];
    double size = fmin(a->collider.size, other_of(run, pair)->size);
    const PxTouch *touch = touches_of(job, k);
    uint32_t most = job->count[k] + pair->count;
    PX_TRY(px_solver_room(run, (void **)&run->contact, &run->contact_room, run->contacts,
                          run->contacts + most, sizeof *run->contact));
    job->first[k] = run->contacts;
    run->contacts += most;
    bool touches = false;
    for (uint32_t t = 0; t < job->count[k]; ++t)
        touches = touches || touch[t].distance < WAKES * size;
    pair->touches = touches;
    bool moves = b == NULL ? run->wall_speed[pair->b] > 0 : (!b->asleep && b->still == 0);
    if (touches && moves)
        px_solver_wake(a, b == NULL || b->alarms);
    if (touches && b != NULL && !a->asleep && a->still == 0)
        px_solver_wake(b, a->alarms);
    return PX_OK;
}

/* A contact that was found again keeps its impulses. */
static void take_over(const PxSolverContact *was, PxSolverContact *now)
{
    now->jn = was->jn;
    now->calm = was->calm;
    now->most = was->most;
    now->approach = was->approach;
    memcpy(now->was, was->was, sizeof now->was);
    PxVec3 along = px_add(px_scale(was->t[0], was->jt[0]), px_scale(was->t[1], was->jt[1]));
    for (int t = 0; t < 2; ++t)
        now->jt[t] = px_dot(along, now->t[t]);
}

/* Makes the contacts of pairs; those that were not found again stay. Both are by feature. */
static void make_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Find *job = user;
    PxSolverRun *run = job->run;
    for (uint32_t k = begin; k < end; ++k) {
        PxSolverPair *pair = &run->pair[job->chosen[k]];
        const PxTouch *touch = touches_of(job, k);
        PxSolverContact *contact = run->contact; /* NULL if there is none */
        uint32_t old = pair->first, olds = old + pair->count, c = job->first[k];
        for (uint32_t t = 0; t < job->count[k]; ++t) {
            while (old < olds && contact[old].kept.feature < touch[t].feature)
                contact[c++] = contact[old++];
            make_contact(run, pair, &touch[t], job->since, &contact[c]);
            if (old < olds && contact[old].kept.feature == touch[t].feature)
                take_over(&contact[old++], &contact[c]);
            ++c;
        }
        while (old < olds)
            contact[c++] = contact[old++];
        pair->first = job->first[k];
        pair->count = c - pair->first;
        pair->fresh = true;
    }
}

/* Searches the contacts of the pairs to do for a time, `since` the start of the interval. */
static PxStatus touch_pairs(PxSolverRun *run, double within, double since)
{
    PxRigidStep *s = run->step;
    if (run->touch == NULL && run->chosen_count > 0) {
        run->touch = PX_ARENA_ARRAY(s->scratch, PxTouch, AT_ONCE * PX_MOST_TOUCHES);
        if (run->touch == NULL)
            return px_fail(PX_ERR_MEMORY, "rigid bodies: no room for %u pairs", run->pairs);
    }
    for (uint32_t k = 0; k < run->chosen_count; k += AT_ONCE) {
        uint32_t count = run->chosen_count - k < AT_ONCE ? run->chosen_count - k : AT_ONCE;
        Find job = {.run = run, .chosen = &run->chosen[k], .within = within, .since = since};
        PX_TRY(px_stop_check(s->threads));
        px_parallel_for(s->threads, count, BLOCK, find_block, &job);
        for (uint32_t n = 0; n < count; ++n)
            PX_TRY(meet(&job, n));
        px_parallel_for(s->threads, count, BLOCK, make_block, &job);
    }
    return PX_OK;
}

/* Which bodies move much. */
static void raise_alarms(PxSolverRun *run)
{
    for (uint32_t i = 0; i < run->step->rigids; ++i) {
        PxSolverBody *b = &run->body[i];
        b->alarms = !b->asleep && px_solver_speed(b) > PX_SOLVER_ALARM * px_solver_slow(run, b);
        if (b->alarms)
            b->still = 0;
    }
}

/* What moves much alarms what it touches, and so on; it wakes what sleeps. */
static void spread_alarms(PxSolverRun *run)
{
    for (bool any = true; any;) {
        any = false;
        for (uint32_t k = 0; k < run->pairs; ++k) {
            const PxSolverPair *pair = &run->pair[k];
            if (pair->wall || !pair->touches)
                continue;
            PxSolverBody *a = &run->body[pair->a], *b = &run->body[pair->b];
            if (a->alarms == b->alarms)
                continue;
            PxSolverBody *other = a->alarms ? b : a;
            any = any || !other->held;
            px_solver_wake(other, true);
            other->alarms = !other->held;
        }
    }
}

/* Bodies that the search woke have no contacts yet with what sleeps: they are searched for. */
static PxStatus touch_woken(PxSolverRun *run, double within, double since)
{
    for (bool any = true; any;) {
        double longest;
        any = false;
        spread_alarms(run);
        for (uint32_t i = 0; i < run->step->rigids; ++i) {
            PxSolverBody *b = &run->body[i];
            b->due = b->woken;
            b->woken = false;
            any = any || b->due;
        }
        if (!any)
            break;
        PX_TRY(px_solver_due_pairs(run, within, &longest));
        PX_TRY(touch_pairs(run, within, since));
    }
    return PX_OK;
}

/* Matter in between. */
static PxStatus touch_squeezed(PxSolverRun *run)
{
    const PxRigidStep *s = run->step;
    PX_TRY(px_solver_room(run, (void **)&run->contact, &run->contact_room, run->contacts,
                          run->contacts + s->squeezes, sizeof *run->contact));
    PX_TRY(px_solver_room(run, (void **)&run->pair, &run->pair_room, run->pairs,
                          run->pairs + s->squeezes, sizeof *run->pair));
    for (uint32_t k = 0; k < s->squeezes; ++k) {
        const PxRigidSqueeze *q = &s->squeeze[k];
        PxSolverPair *pair = &run->pair[run->pairs++];
        *pair =
            (PxSolverPair){.a = q->rigid,
                           .b = q->other,
                           .wall = q->wall,
                           .squeezed = true,
                           .fresh = true,
                           .number = q->wall ? s->wall[q->other].number : s->rigid[q->other].number,
                           .first = run->contacts,
                           .count = 1};
        PxTouch at = {.feature = SQUEEZED | k << 1,
                      .at = q->at,
                      .normal = q->normal,
                      .distance = q->distance,
                      .anchor = {q->at, q->at}};
        PxSolverContact *c = &run->contact[run->contacts++];
        make_contact(run, pair, &at, 0, c);
        c->restitution = c->friction = 0;
    }
    return PX_OK;
}

typedef struct Weigh {
    PxSolverRun *run;
    bool all;
} Weigh;

static void weigh_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Weigh *job = user;
    for (uint32_t k = begin; k < end; ++k) {
        PxSolverPair *pair = &job->run->pair[job->run->slot[k]];
        for (uint32_t n = 0; (job->all || pair->fresh) && n < pair->count; ++n)
            px_solver_weigh(job->run, &job->run->contact[pair->first + n]);
        pair->fresh = false;
    }
}

/* Sets the masses that impulses meet. What is asleep or held acts as a wall, with its mass
 * hidden. */
static PxStatus open_contacts(PxSolverRun *run)
{
    PxRigidStep *s = run->step;
    Weigh job = {.run = run};
    for (uint32_t i = 0; i < s->rigids; ++i) {
        PxSolverBody *b = &run->body[i];
        bool free = px_solver_is_free(b);
        if (free == (b->per_mass > 0) && run->slots > 0)
            continue;
        job.all = true;
        if (!free)
            b->per_inertia = px_mat3_scale(px_mat3_identity(), 0);
        else if (!(b->per_mass > 0))
            b->per_inertia = px_spin_inverse_inertia(b->of->mass.inertia, b->axes);
        b->per_mass = free ? 1 / b->of->mass.mass : 0;
    }
    PX_TRY(px_solver_colour(run));
    px_parallel_for(s->threads, run->slots, 64, weigh_block, &job);
    return PX_OK;
}

PxStatus px_solver_contacts(PxSolverRun *run, double interval)
{
    PxRigidStep *s = run->step;
    run->contacts = run->slots = 0;
    raise_alarms(run);
    PX_TRY(touch_pairs(run, interval, 0));
    for (uint32_t k = 0; k < s->joints; ++k) {
        PxSolverBody *a = px_solver_end(run, s->joint[k].a), *b = px_solver_end(run, s->joint[k].b);
        if (s->joint[k].broken || a == NULL || b == NULL || a->asleep == b->asleep)
            continue;
        PxSolverBody *sleeper = a->asleep ? a : b, *other = a->asleep ? b : a;
        if (other->still == 0)
            px_solver_wake(sleeper, true);
    }
    PX_TRY(touch_woken(run, interval, 0));
    if (run->time == 0)
        PX_TRY(touch_squeezed(run));
    return open_contacts(run);
}

PxStatus px_solver_more_contacts(PxSolverRun *run, double left, double since)
{
    raise_alarms(run);
    PX_TRY(touch_pairs(run, left, since));
    PX_TRY(touch_woken(run, left, since));
    return open_contacts(run);
}

/* ---- from interval to interval ----------------------------------------------------- */

/* Stores the contacts of a pair that carry impulses. */
static size_t keep_pair(const PxSolverRun *run, const PxSolverPair *pair, double h, PxRigidKept *to)
{
    size_t count = 0;
    for (uint32_t k = 0; k < pair->count; ++k) {
        const PxSolverContact *c = &run->contact[pair->first + k];
        if (!(c->jn > 0))
            continue;
        PxSolverContact calm = *c;
        px_solver_calm(run, &calm, h);
        to[count] = c->kept;
        to[count].normal = calm.jn;
        to[count].along = px_add(px_scale(c->t[0], calm.jt[0]), px_scale(c->t[1], calm.jt[1]));
        to[count++].substep = h;
    }
    return count;
}

PxStatus px_solver_keep(PxSolverRun *run, double h)
{
    int turn = run->turn = 1 - run->turn;
    size_t count = 0, old = 0;
    PX_TRY(px_solver_order(run, run->pair, run->slot, run->slots));
    PX_TRY(px_solver_room(run, (void **)&run->buffer[turn], &run->buffer_room[turn], 0,
                          run->contacts + run->kepts + 1, sizeof **run->buffer));
    PxRigidKept *kept = run->buffer[turn];
    for (uint32_t n = 0; n <= run->slots; ++n) {
        const PxSolverPair *pair = n < run->slots ? &run->pair[run->order[n]] : NULL;
        PxRigidKept here = {.a = UINT32_MAX, .b = UINT32_MAX};
        if (pair != NULL)
            here = (PxRigidKept){.a = run->step->rigid[pair->a].number, .b = pair->number};
        for (; old < run->kepts && compare_kept(&run->kept[old], &here) < 0; ++old)
            if (dormant(run, &run->kept[old]))
                kept[count++] = run->kept[old];
        if (pair == NULL)
            break;
        while (old < run->kepts && run->kept[old].a == here.a && run->kept[old].b == here.b)
            ++old; /* searched for again */
        count += keep_pair(run, pair, h, &kept[count]);
    }
    run->kept = kept;
    run->kepts = count;
    return PX_OK;
}
