/// Broad phase: pairs of bodies that may touch, and how long a step may go without looking again.
#include "rigid/solver_parts.h"

#include <stdlib.h>
#include <string.h>

/* Most intervals of a step. */
#define MOST_INTERVALS 20000

/* Bound of the speed of its points within a time; `turning` is the part by its spin. */
static double speed_of(const PxSolverBody *b, double within)
{
    return px_length(b->v) + px_length(b->accelerates) * within + b->turning;
}

/* Something moves, and something can be moved. */
static bool active(const PxSolverRun *run, uint32_t a, uint32_t b, bool wall)
{
    const PxSolverBody *one = &run->body[a], *two = &run->body[b];
    if (wall)
        return !one->held && (!one->asleep || run->wall_speed[b] > 0);
    return (!one->asleep || !two->asleep) && !(one->held && two->held);
}

static int by_low(const void *left, const void *right)
{
    const PxSolverExtent *a = left, *b = right;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    return a->body < b->body ? -1 : a->body > b->body;
}

/* Distance up to which bodies of a pair may touch within a time. */
static double margin(const PxSolverRun *run, const PxSolverPair *pair, double within)
{
    double slack = px_solver_slack(&run->body[pair->a]);
    if (!pair->wall)
        slack += px_solver_slack(&run->body[pair->b]);
    return pair->speed * within + slack;
}

PxReach px_solver_reach(const PxSolverRun *run, const PxSolverPair *pair, double within)
{
    const PxSolverBody *a = &run->body[pair->a], *b = &run->body[pair->b];
    PxVec3 v = pair->wall ? a->v : px_sub(a->v, b->v);
    return (PxReach){px_scale(v, within), margin(run, pair, within) - px_length(v) * within};
}

/* Bodies that fall side by side do not approach each other: only their relative motion counts. */
static bool may_touch(const PxSolverRun *run, PxSolverPair *pair, double within)
{
    const PxSolverBody *a = &run->body[pair->a];
    if (!pair->wall) {
        const PxSolverBody *b = &run->body[pair->b];
        PxVec3 way = px_sub(a->x, b->x);
        double reach = a->reach + b->reach;
        if (px_dot(way, way) > reach * reach)
            return false;
    }
    if (!active(run, pair->a, pair->b, pair->wall))
        return false;
    if (pair->wall) {
        pair->speed = speed_of(a, within) + run->wall_speed[pair->b];
        return px_contacts_clearance(&a->collider, &run->wall[pair->b]) < margin(run, pair, within);
    }
    const PxSolverBody *b = &run->body[pair->b];
    PxVec3 v = px_sub(a->v, b->v), g = px_sub(a->accelerates, b->accelerates);
    pair->speed = px_length(v) + px_length(g) * within + a->turning + b->turning;
    return px_contacts_clearance(&a->collider, &b->collider) < margin(run, pair, within);
}

/* Bodies that a joint connects do not touch each other. */
static bool joined(const PxSolverRun *run, const PxSolverPair *pair)
{
    const PxRigidStep *s = run->step;
    if (!run->body[pair->a].joined || (!pair->wall && !run->body[pair->b].joined))
        return false;
    uint32_t a = s->rigid[pair->a].number;
    uint32_t b = pair->wall ? s->wall[pair->b].number : s->rigid[pair->b].number;
    for (uint32_t k = 0; k < s->joints; ++k) {
        const PxRigidJoint *j = &s->joint[k];
        if (!j->broken && ((j->a == a && j->b == b) || (j->a == b && j->b == a)) &&
            j->kind != PX_JOINT_SPRING)
            return true;
    }
    return false;
}

/* Place in the hash table of pairs: of that pair, or an empty one. */
static uint32_t *place_of(const PxSolverRun *run, const PxSolverPair *pair)
{
    uint64_t key = ((uint64_t)pair->a << 32 | pair->b) * 2 + pair->wall;
    key *= 0x9e3779b97f4a7c15u;
    for (uint32_t at = (uint32_t)(key >> 32);; ++at) {
        uint32_t *k = &run->known[at & run->known_mask];
        if (*k == 0)
            return k;
        const PxSolverPair *other = &run->pair[*k - 1];
        if (other->a == pair->a && other->b == pair->b && other->wall == pair->wall)
            return k;
    }
}

/* Makes the hash table of all pairs, at most half full. */
static PxStatus know_pairs(PxSolverRun *run)
{
    uint32_t size = 64;
    while (size < 4 * (run->pairs + 1))
        size *= 2;
    PX_TRY(
        px_solver_room(run, (void **)&run->known, &run->known_room, 0, size, sizeof *run->known));
    run->known_mask = size - 1;
    memset(run->known, 0, size * sizeof *run->known);
    for (uint32_t k = 0; k < run->pairs; ++k)
        if (!run->pair[k].squeezed)
            *place_of(run, &run->pair[k]) = k + 1;
    return PX_OK;
}

/* Is it a pair? Completes it. */
static bool complete(const PxSolverRun *run, PxSolverPair *pair, double within)
{
    if (!may_touch(run, pair, within) || joined(run, pair))
        return false;
    const PxRigidStep *s = run->step;
    pair->number = pair->wall ? s->wall[pair->b].number : s->rigid[pair->b].number;
    pair->size = fmin(run->body[pair->a].collider.size,
                      pair->wall ? run->wall[pair->b].size : run->body[pair->b].collider.size);
    return true;
}

static PxStatus add_pair(PxSolverRun *run, PxSolverPair pair, double within)
{
    if (!complete(run, &pair, within))
        return PX_OK;
    PX_TRY(px_solver_room(run, (void **)&run->pair, &run->pair_room, run->pairs, run->pairs + 1,
                          sizeof pair));
    run->pair[run->pairs++] = pair;
    return PX_OK;
}

static PxStatus search_pair(PxSolverRun *run, uint32_t index)
{
    PX_TRY(px_solver_room(run, (void **)&run->chosen, &run->chosen_room, run->chosen_count,
                          run->chosen_count + 1, sizeof *run->chosen));
    run->chosen[run->chosen_count++] = index;
    return PX_OK;
}

/* Adds a pair of a body that is due, or finds it. */
static PxStatus due_pair(PxSolverRun *run, PxSolverPair pair, double within)
{
    uint32_t before = run->pairs;
    if (2 * (before + 1) > run->known_mask)
        PX_TRY(know_pairs(run));
    PX_TRY(add_pair(run, pair, within));
    if (run->pairs == before)
        return PX_OK;
    uint32_t *known = place_of(run, &pair);
    if (*known != 0) {
        PxSolverPair *old = &run->pair[*known - 1];
        old->speed = run->pair[--run->pairs].speed;
    } else {
        *known = run->pairs;
    }
    return search_pair(run, *known - 1);
}

static double component(PxVec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

/* The axis along which the bodies are spread most. */
static int widest_axis(const PxSolverRun *run)
{
    PxBounds all = px_bounds_empty();
    for (uint32_t i = 0; i < run->step->rigids; ++i)
        px_bounds_add(&all, run->body[i].x);
    PxVec3 way = px_sub(all.high, all.low);
    return way.x >= way.y && way.x >= way.z ? 0 : way.y >= way.z ? 1 : 2;
}

/* Notes that the contacts of a body are searched for now. */
static void note_search(PxSolverBody *b, double since, double within)
{
    b->turning = px_length(b->w) * b->collider.radius;
    b->drift = 0;
    b->since = since;
    b->ref_v = b->v;
    b->ref_w = b->w;
    b->reach = b->collider.radius + px_solver_slack(b) + speed_of(b, within) * within;
}

/* In the order of the contacts; the first body is the same. */
static bool comes_before(const PxSolverPair *pair, uint32_t left, uint32_t right)
{
    const PxSolverPair *a = &pair[left], *b = &pair[right];
    if (a->number != b->number)
        return a->number < b->number;
    return a->squeezed != b->squeezed ? b->squeezed : left < right;
}

/* Bodies are in the order of their numbers, and each has few pairs. */
PxStatus px_solver_order(PxSolverRun *run, const PxSolverPair *pair, const uint32_t *use,
                         uint32_t count)
{
    PX_TRY(px_solver_room(run, (void **)&run->order, &run->order_room, 0, count + 1,
                          sizeof *run->order));
    uint32_t *bucket = run->bucket, *order = run->order;
    memset(bucket, 0, (run->step->rigids + 1) * sizeof *bucket);
    for (uint32_t k = 0; k < count; ++k)
        ++bucket[pair[use != NULL ? use[k] : k].a + 1];
    for (uint32_t i = 0; i < run->step->rigids; ++i)
        bucket[i + 1] += bucket[i];
    for (uint32_t k = 0; k < count; ++k) {
        uint32_t index = use != NULL ? use[k] : k;
        order[bucket[pair[index].a]++] = index;
    }
    for (uint32_t k = 1; k < count; ++k) {
        uint32_t one = order[k], n = k;
        for (;
             n > 0 && pair[order[n - 1]].a == pair[one].a && comes_before(pair, one, order[n - 1]);
             --n)
            order[n] = order[n - 1];
        order[n] = one;
    }
    return PX_OK;
}

typedef struct Complete {
    PxSolverRun *run;
    double within;
} Complete;

static void complete_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Complete *job = user;
    for (uint32_t k = begin; k < end; ++k) {
        PxSolverPair *pair = &job->run->candidate[k];
        pair->touches = complete(job->run, pair, job->within);
    }
}

static PxStatus add_candidate(PxSolverRun *run, uint32_t *count, PxSolverPair pair)
{
    PX_TRY(px_solver_room(run, (void **)&run->candidate, &run->candidate_room, *count, *count + 1,
                          sizeof pair));
    run->candidate[(*count)++] = pair;
    return PX_OK;
}

/* Bodies whose extents along an axis overlap, and bodies and walls. */
static PxStatus sweep(PxSolverRun *run, uint32_t *count)
{
    const PxRigidStep *s = run->step;
    const PxSolverExtent *extent = run->extent;
    *count = 0;
    for (uint32_t k = 0; k < s->rigids; ++k)
        for (uint32_t m = k + 1; m < s->rigids && extent[m].low <= extent[k].high; ++m) {
            uint32_t i = extent[k].body, j = extent[m].body;
            PxVec3 way = px_sub(extent[k].x, extent[m].x);
            double reach = extent[k].reach + extent[m].reach;
            if ((extent[k].asleep && extent[m].asleep) || px_dot(way, way) > reach * reach)
                continue; /* most pairs are far apart across the axis */
            PX_TRY(
                add_candidate(run, count, (PxSolverPair){.a = i < j ? i : j, .b = i < j ? j : i}));
        }
    for (uint32_t i = 0; i < s->rigids; ++i)
        for (uint32_t w = 0; w < s->walls; ++w)
            if (active(run, i, w, true))
                PX_TRY(add_candidate(run, count, (PxSolverPair){.a = i, .b = w, .wall = true}));
    return PX_OK;
}

/* Sweep along an axis: bodies whose extents overlap are pairs. */
PxStatus px_solver_pairs(PxSolverRun *run, double within)
{
    PxRigidStep *s = run->step;
    PxSolverExtent *extent = run->extent;
    int axis = run->axis = widest_axis(run);
    run->pairs = run->chosen_count = run->strays = 0;
    run->widest = 0;
    for (uint32_t i = 0; i < s->rigids; ++i) {
        PxSolverBody *b = &run->body[i];
        note_search(b, 0, within);
        b->stray = false;
        run->widest = fmax(run->widest, 2 * b->reach);
        double x = component(b->x, axis);
        extent[i] = (PxSolverExtent){x - b->reach, x + b->reach, b->x, b->reach, i, b->asleep};
    }
    qsort(extent, s->rigids, sizeof *extent, by_low);
    uint32_t count, kept = 0;
    PX_TRY(sweep(run, &count));
    Complete job = {run, within};
    px_parallel_for(s->threads, count, 64, complete_block, &job);
    for (uint32_t k = 0; k < count; ++k)
        if (run->candidate[k].touches) {
            run->candidate[kept] = run->candidate[k];
            run->candidate[kept++].touches = false;
        }
    PX_TRY(px_solver_order(run, run->candidate, NULL, kept));
    PX_TRY(
        px_solver_room(run, (void **)&run->pair, &run->pair_room, 0, kept + 1, sizeof *run->pair));
    for (uint32_t k = 0; k < kept; ++k) {
        run->pair[k] = run->candidate[run->order[k]];
        PX_TRY(search_pair(run, k));
    }
    run->pairs = kept;
    return know_pairs(run);
}

/* Lowers the time in which a pair approaches by less than its thickness. */
static double limit_of(const PxSolverRun *run, const PxSolverPair *pair, double limit)
{
    double thick = run->body[pair->a].collider.size;
    if (!pair->wall)
        thick = fmin(thick, run->body[pair->b].collider.size);
    return pair->speed * limit > thick ? thick / pair->speed : limit;
}

double px_solver_interval(const PxSolverRun *run, double left)
{
    double interval = fmin(left, run->limit);
    for (uint32_t k = 0; k < run->pairs; ++k)
        interval = limit_of(run, &run->pair[k], interval);
    return fmax(interval, run->step->dt / MOST_INTERVALS);
}

/* First extent of the sweep that may reach up to `low`. */
static uint32_t first_extent(const PxSolverRun *run, double low)
{
    uint32_t from = 0, to = run->step->rigids;
    while (from < to) {
        uint32_t middle = (from + to) / 2;
        if (run->extent[middle].low < low - run->widest)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* Adds the pair of a body that is due with another one. */
static PxStatus due_with(PxSolverRun *run, uint32_t i, uint32_t j, double left)
{
    if (j == i || (j < i && run->body[j].due))
        return PX_OK;
    return due_pair(run, (PxSolverPair){.a = i < j ? i : j, .b = i < j ? j : i}, left);
}

/* Bodies that are not stray stay within their extents. */
PxStatus px_solver_due_pairs(PxSolverRun *run, double left, double *longest)
{
    const PxRigidStep *s = run->step;
    run->chosen_count = 0;
    *longest = left;
    for (uint32_t i = 0; i < s->rigids; ++i)
        if (run->body[i].due) {
            if (!run->body[i].stray)
                run->stray[run->strays++] = i;
            run->body[i].stray = true;
            note_search(&run->body[i], run->interval - left, left);
        }
    for (uint32_t i = 0; i < s->rigids; ++i) {
        const PxSolverBody *b = &run->body[i];
        if (!b->due)
            continue;
        double x = component(b->x, run->axis), low = x - b->reach, high = x + b->reach;
        for (uint32_t k = first_extent(run, low); k < s->rigids && run->extent[k].low <= high; ++k)
            if (run->extent[k].high >= low && !run->body[run->extent[k].body].stray)
                PX_TRY(due_with(run, i, run->extent[k].body, left));
        for (uint32_t k = 0; k < run->strays; ++k)
            PX_TRY(due_with(run, i, run->stray[k], left));
        for (uint32_t w = 0; w < s->walls; ++w)
            PX_TRY(due_pair(run, (PxSolverPair){.a = i, .b = w, .wall = true}, left));
    }
    for (uint32_t k = 0; k < run->chosen_count; ++k)
        *longest = limit_of(run, &run->pair[run->chosen[k]], *longest);
    return PX_OK;
}
