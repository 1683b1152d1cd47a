/// Passes over the contacts of rigid bodies: their impulses.
///
/// Pairs of bodies get colours: pairs of one colour share no body that moves, so that all threads
/// work on them at once; colours follow each other. A pair takes the lowest colour that none of its
/// bodies has yet, in the order of numbers, which depends on what touches what and on nothing else:
/// same bits for any number of threads.
#include "rigid/contact_solve.h"

#include <string.h>

/* Passes over the contacts are repeated while some would overlap by more than this part of the
 * thinner body's thickness at the end of a sub-step, deeper than before: fast impacts. */
#define CROSSING 0.02

/* Contacts rebound only if they approach faster than BOUNCE times the speed that gravity gives in a
 * sub-step. */
#define BOUNCE 2.0

/* Slots that a thread takes at a time, and the fewest for which threads are asked. */
enum { BLOCK = 32, FEWEST = 256 };

/* Slots ahead whose data are fetched. */
enum { AHEAD = 2 };

/* ---- colours ----------------------------------------------------------------------- */

/* The lowest free colour of a pair; 64 - 1 if none is. */
static uint8_t choose_colour(PxSolverRun *run, const PxSolverPair *pair)
{
    PxSolverBody *a = &run->body[pair->a], *b = pair->wall ? NULL : &run->body[pair->b];
    uint64_t used = a->per_mass > 0 ? a->colours : 0;
    if (b != NULL && b->per_mass > 0)
        used |= b->colours;
    used |= (uint64_t)1 << (PX_SOLVER_COLOURS - 1);
    int colour = ~used != 0 ? __builtin_ctzll(~used) : PX_SOLVER_COLOURS - 1;
    a->colours |= (uint64_t)1 << colour;
    if (b != NULL)
        b->colours |= (uint64_t)1 << colour;
    return (uint8_t)colour;
}

static bool can_move(const PxSolverRun *run, const PxSolverPair *pair)
{
    return run->body[pair->a].per_mass > 0 || (!pair->wall && run->body[pair->b].per_mass > 0);
}

/* Lists the slots of each body. */
static PxStatus list_slots(PxSolverRun *run)
{
    uint32_t rigids = run->step->rigids, at = 0, words = run->slots / 64 + 1;
    PX_TRY(px_solver_room(run, (void **)&run->of_body, &run->of_body_room, 0, 2 * run->slots + 1,
                          sizeof *run->of_body));
    PX_TRY(
        px_solver_room(run, (void **)&run->asked, &run->asked_room, 0, words, sizeof *run->asked));
    PX_TRY(px_solver_room(run, (void **)&run->asking, &run->asking_room, 0, words,
                          sizeof *run->asking));
    for (uint32_t i = 0; i < rigids; ++i)
        run->body[i].first = 0;
    for (uint32_t k = 0; k < run->slots; ++k) {
        const PxSolverPair *pair = &run->pair[run->slot[k]];
        ++run->body[pair->a].first;
        if (!pair->wall)
            ++run->body[pair->b].first;
    }
    for (uint32_t i = 0; i < rigids; ++i) {
        uint32_t count = run->body[i].first;
        run->body[i].first = run->body[i].end = at;
        at += count;
    }
    for (uint32_t k = 0; k < run->slots; ++k) {
        const PxSolverPair *pair = &run->pair[run->slot[k]];
        run->of_body[run->body[pair->a].end++] = k;
        if (!pair->wall)
            run->of_body[run->body[pair->b].end++] = k;
    }
    return PX_OK;
}

PxStatus px_solver_colour(PxSolverRun *run)
{
    uint32_t *begin = run->colour, at = 0;
    memset(begin, 0, sizeof run->colour);
    for (uint32_t i = 0; i < run->step->rigids; ++i)
        run->body[i].colours = 0;
    PX_TRY(px_solver_room(run, (void **)&run->slot, &run->slot_room, 0, run->pairs + 1,
                          sizeof *run->slot));
    run->soft = false;
    for (uint32_t k = 0; k < run->pairs; ++k) {
        PxSolverPair *pair = &run->pair[k];
        if (pair->count == 0 || !can_move(run, pair))
            continue;
        pair->colour = choose_colour(run, pair);
        run->soft = run->soft || run->contact[pair->first].soft;
        ++begin[pair->colour];
    }
    for (int c = 0; c <= PX_SOLVER_COLOURS; ++c) {
        uint32_t count = begin[c];
        begin[c] = at;
        at += count;
    }
    run->slots = at;
    for (uint32_t k = 0; k < run->pairs; ++k) {
        const PxSolverPair *pair = &run->pair[k];
        if (pair->count > 0 && can_move(run, pair))
            run->slot[begin[pair->colour]++] = k;
    }
    for (int c = PX_SOLVER_COLOURS; c > 0; --c)
        begin[c] = begin[c - 1];
    begin[0] = 0;
    return list_slots(run);
}

/* ---- passes ------------------------------------------------------------------------ */

typedef struct Pass {
    PxSolverPass of;
    void (*work)(const PxSolverPass *pass, PxSolverContact *c, uint32_t count);
    const uint64_t *asking; /* NULL: all */
    uint32_t first;         /* slot of the colour */
    uint32_t contact_lines; /* of the cache that it reads of contacts and bodies */
    uint32_t body_lines;
} Pass;

static void do_slot(const Pass *pass, uint32_t slot)
{
    uint32_t count;
    PxSolverContact *c = px_solver_slot(pass->of.run, slot, &count);
    pass->work(&pass->of, c, count);
}

/* Pairs of a colour lie far from each other: contacts and bodies of a slot are fetched while others
 * are solved. */
static void fetch(const Pass *pass, uint32_t slot)
{
    const PxSolverRun *run = pass->of.run;
    const PxSolverPair *pair = &run->pair[run->slot[slot]];
    const char *from = (const char *)&run->contact[pair->first];
    const char *body[2] = {(const char *)&run->body[pair->a], (const char *)&run->body[pair->b]};
    for (size_t k = 0; k < pair->count * sizeof *run->contact; k += sizeof *run->contact)
        for (size_t line = 0; line < pass->contact_lines; ++line)
            __builtin_prefetch(from + k + line * PX_SOLVER_LINE, 1);
    for (int b = 0; b < (pair->wall ? 1 : 2); ++b)
        for (size_t line = 0; line < pass->body_lines; ++line)
            __builtin_prefetch(body[b] + line * PX_SOLVER_LINE, 1);
}

static bool asks(const Pass *pass, uint32_t slot)
{
    return pass->asking == NULL || (pass->asking[slot / 64] >> slot % 64 & 1);
}

static void do_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Pass *pass = user;
    const PxSolverRun *run = pass->of.run;
    uint32_t last = pass->first + end;
    for (uint32_t k = pass->first + begin; k < last; ++k) {
        if (k + 2 * AHEAD < last)
            __builtin_prefetch(&run->pair[run->slot[k + 2 * AHEAD]]);
        if (k + AHEAD < last && asks(pass, k + AHEAD))
            fetch(pass, k + AHEAD);
        if (asks(pass, k))
            do_slot(pass, k);
    }
}

/* Colour after colour. */
static void do_pass(Pass *pass)
{
    const PxSolverRun *run = pass->of.run;
    for (int c = 0; c < PX_SOLVER_COLOURS; ++c) {
        uint32_t count = run->colour[c + 1] - run->colour[c];
        pass->first = run->colour[c];
        if (c < PX_SOLVER_COLOURS - 1 && count > BLOCK)
            px_parallel_for(run->step->threads, count, BLOCK, do_block, pass);
        else if (count > 0)
            do_block(pass, 0, count, 0);
    }
}

/* Lines of the cache that passes read (solver_parts.h): of contacts that touch, and after a move;
 * of bodies likewise. */
enum { TOUCH_LINES = 4, MOVED_LINES = 6, BODY_LINES = 2, POSE_LINES = 4 };

void px_solver_repeat(PxSolverRun *run, double h)
{
    do_pass(&(Pass){.of = {.run = run, .h = h},
                    .work = PX_ISA_PICK(run->step->isa, px_solver_repeat_pair),
                    .contact_lines = TOUCH_LINES,
                    .body_lines = BODY_LINES});
}

void px_solver_recall(PxSolverRun *run)
{
    for (uint32_t k = 0; k < run->slots; ++k) {
        uint32_t count;
        PxSolverContact *c = px_solver_slot(run, k, &count);
        for (PxSolverContact *end = c + count; c < end; ++c) {
            c->jn = c->was[0];
            c->jt[0] = c->was[1];
            c->jt[1] = c->was[2];
        }
    }
}

void px_solver_relax(PxSolverRun *run, double h, double since, bool follow)
{
    do_pass(&(Pass){.of = {.run = run, .h = h, .since = since, .follow = follow},
                    .work = PX_ISA_PICK(run->step->isa, px_solver_relax_pair),
                    .contact_lines = MOVED_LINES,
                    .body_lines = POSE_LINES});
}

/* Asks for the pairs of a body in the next pass. */
static void ask(PxSolverRun *run, uint32_t body)
{
    const PxSolverBody *b = &run->body[body];
    for (uint32_t k = b->first; k < b->end; ++k) {
        uint32_t slot = run->of_body[k];
        run->asked[slot / 64] |= (uint64_t)1 << slot % 64;
    }
}

/* A pass over the slots that were asked for, if they are few, or over all. Asks for those of bodies
 * that it changes; returns false if there are none. */
static bool pass_asked(PxSolverRun *run, Pass *pass, uint32_t words)
{
    uint32_t count = 0;
    bool changes = false;
    memcpy(run->asking, run->asked, words * sizeof *run->asked);
    memset(run->asked, 0, words * sizeof *run->asked);
    for (uint32_t w = 0; w < words; ++w)
        count += (uint32_t)__builtin_popcountll(run->asking[w]);
    if (count >= FEWEST)
        do_pass(pass);
    else
        for (uint32_t w = 0; w < words; ++w)
            for (uint64_t left = run->asking[w]; left != 0; left &= left - 1)
                do_slot(pass, 64 * w + (uint32_t)__builtin_ctzll(left));
    for (uint32_t i = 0; i < run->step->rigids; ++i)
        if (run->body[i].changed) {
            run->body[i].changed = false;
            ask(run, i);
            changes = true;
        }
    return changes;
}

void px_solver_converge(PxSolverRun *run, double h, const PxSoft *soft, bool due, uint32_t most)
{
    uint32_t words = (run->slots + 63) / 64;
    Pass pass = {.of = {.run = run, .h = h, .soft = soft},
                 .work = PX_ISA_PICK(run->step->isa, px_solver_correct_pair),
                 .asking = run->asking,
                 .contact_lines = TOUCH_LINES,
                 .body_lines = BODY_LINES};
    memset(run->asked, due ? 0 : 0xff, words * sizeof *run->asked);
    if (!due && run->slots % 64 != 0)
        run->asked[words - 1] = ((uint64_t)1 << run->slots % 64) - 1;
    for (uint32_t i = 0; due && i < run->step->rigids; ++i)
        if (run->body[i].due)
            ask(run, i);
    for (uint32_t k = 0; k < most; ++k)
        if (!pass_asked(run, &pass, words))
            break;
}

/* ---- laws, crossing, restitution --------------------------------------------------- */

static void push(PxSolverRun *run, const PxSolverContact *c, PxVec3 impulse)
{
    PxSolverBody *a = &run->body[c->a];
    if (a->per_mass > 0) { /* others are shared by the threads */
        a->v = px_mad(a->v, impulse, a->per_mass);
        a->w = px_add(a->w, px_mat3_apply(a->per_inertia, px_cross(c->ra, impulse)));
    }
    if (c->b == PX_NOBODY)
        return;
    PxSolverBody *b = &run->body[c->b];
    if (b->per_mass > 0) {
        b->v = px_mad(b->v, impulse, -b->per_mass);
        b->w = px_sub(b->w, px_mat3_apply(b->per_inertia, px_cross(c->rb, impulse)));
    }
}

/* Points of a pair share the force of their mean overlap, weighted by their own: a point that
 * begins or ceases to touch changes nothing at that moment. */
static void push_by_law(PxSolverRun *run, PxSolverContact *c, double sum, double squares, double h)
{
    double share = -c->distance / sum;
    PxVec3 v = px_solver_relative(run, c);
    double vn = px_dot(c->n, v);
    PxVec3 slip = px_mad(v, c->n, -vn);
    PxContactState state = {.overlap = squares / sum,
                            .approach = -vn,
                            .slip = px_length(slip),
                            .friction = c->friction};
    PxContactForce f = c->law.law->force(&c->law, &state);
    /* friction stops a slip at most */
    double rub = fmin(share * f.shear * h,
                      state.slip / px_solver_yields(run, c, px_normalized(slip, c->t[0])));
    double normal = share * f.normal * h;
    c->most = fmax(c->most, normal);
    push(run, c, px_mad(px_scale(c->n, normal), px_normalized(slip, px_vec(0, 0, 0)), -rub));
}

void px_solver_laws(PxSolverRun *run, double h)
{
    for (uint32_t k = 0; run->soft && k < run->slots; ++k) {
        uint32_t count;
        PxSolverContact *c = px_solver_slot(run, k, &count);
        double sum = 0, squares = 0;
        for (uint32_t n = 0; n < count; ++n) {
            double overlap = fmax(-c[n].distance, 0);
            sum += overlap;
            squares += overlap * overlap;
        }
        for (uint32_t n = 0; c->soft && n < count; ++n)
            if (c[n].distance < 0)
                push_by_law(run, &c[n], sum, squares, h);
    }
}

typedef struct Crossing {
    PxSolverRun *run;
    double h;
    bool any;
} Crossing;

/* Longest lever of a contact, in radii of the body: contacts are no further from it than what it
 * approaches in an interval, its thickness and a little more. */
#define LEVER 2.1

/* Can no contact of a pair close fast enough to cross? */
static bool is_slow(const PxSolverRun *run, const PxSolverPair *pair)
{
    if (pair->wall || pair->squeezed)
        return false;
    PxVec3 v = px_sub(run->body[pair->a].v, run->body[pair->b].v);
    double least =
        CROSSING * pair->size / PX_SOLVER_SUBSTEP - run->whirl[pair->a] - run->whirl[pair->b];
    return least > 0 && px_dot(v, v) <= least * least;
}

static void cross_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    Crossing *job = user;
    bool any = false;
    for (uint32_t k = begin; k < end && !any; ++k) {
        uint32_t count;
        if (is_slow(job->run, &job->run->pair[job->run->slot[k]]))
            continue;
        const PxSolverContact *c = px_solver_slot(job->run, k, &count);
        for (const PxSolverContact *last = c + count; c < last; ++c) {
            double speed = px_dot(c->n, px_solver_relative(job->run, c)), most = CROSSING * c->size;
            any = any || (c->distance + job->h * speed < -(most + c->give) &&
                          -speed * PX_SOLVER_SUBSTEP > most);
        }
    }
    if (!any)
        return;
    px_join_begin();
    job->any = true;
    px_join_end();
}

bool px_solver_crosses(PxSolverRun *run, double h)
{
    Crossing job = {.run = run, .h = h};
    for (uint32_t i = 0; i < run->step->rigids; ++i)
        run->whirl[i] = LEVER * px_length(run->body[i].w) * run->body[i].collider.radius;
    px_parallel_for(run->step->threads, run->slots, 4 * BLOCK, cross_block, &job);
    return job.any;
}

static void rebound(const PxSolverPass *pass, PxSolverContact *c, uint32_t count)
{
    PxSolverRun *run = pass->run;
    for (PxSolverContact *end = c + count; c < end; ++c) {
        if (c->soft || !(c->restitution > 0) || !(c->most > 0) || !(c->approach < -pass->h))
            continue;
        double vn = px_dot(c->n, px_solver_relative(run, c));
        double j = -c->mass_n * (vn + c->restitution * c->approach);
        double total = fmax(c->jn + j, 0);
        j = total - c->jn;
        c->jn = total;
        push(run, c, px_scale(c->n, j));
    }
}

void px_solver_rebound(PxSolverRun *run, double interval)
{
    do_pass(&(Pass){.of = {.run = run, .h = BOUNCE * run->g * interval}, .work = rebound});
}
