#include "contact/cloth_walls.h"

#include "cloth/contact.h"

#include <math.h>
#include <stdatomic.h>

#define BLOCK 256u
#define NONE UINT32_MAX

enum { UNKNOWN, OFF, STICK, SLIDE };

typedef struct PxClothTouch {
    uint32_t boundary; /* NONE: it touches none */
    int state;
    double distance; /* at the start, m */
    double friction; /* coefficient */
    PxVec3 normal, velocity;
    double rub;           /* friction of what slides, by velocity, kg */
    double speed, rubbed; /* that of a round before, and the friction by velocity that it had */
    double clear;         /* no boundary came nearer to the place at the start in this step, m */
} PxClothTouch;

/* Part of the gap that contacts of the solve leave at least. */
#define NEARER 0.1

/* Speed below which a vertex sticks, m/s. */
#define SLOW 1e-5

/* Part of its speed that a vertex keeps at least from round to round of a solve. */
#define SLOWER 0.1

/* Part of friction to which the law of what slides is solved. */
#define CLOSE 0.02

/* Contacts of which no more than this part changed are not solved again. */
#define FEW 0.02

typedef struct Job {
    PxClothWalls *walls;
    PxClothStep *step;
    bool late; /* what touches stays, and what slides goes on */
    _Atomic uint64_t count, crossed, on, caught;
} Job;

/* Distance that a vertex keeps from boundaries, m. */
static double gap_of(const PxClothStep *s, uint32_t i)
{
    return s->keep[i];
}

static PxVec3 tangent(PxVec3 v, PxVec3 normal)
{
    return px_mad(v, normal, -px_dot(v, normal));
}

/* Wants the velocity along the normal at which the vertex ends the step at the gap; nearer ones
 * keep their distance, px_cloth_walls_end() moves them out. */
static PxVec3 wanted(const PxClothStep *s, uint32_t i, const PxClothTouch *t)
{
    double room = fmax(t->distance - gap_of(s, i), 0);
    return px_mad(t->velocity, t->normal, -room / s->dt);
}

/* Friction of a vertex that slides at a speed, by velocity. */
static double rub_of(double most, double speed)
{
    return most / fmax(speed, SLOW);
}

/* Lets a vertex slide, at `speed` as far as is known, and at `freely` if there were no friction. */
static void slide(PxClothTouch *t, double most, double speed, double freely)
{
    t->state = SLIDE;
    t->rub = rub_of(most, speed);
    t->speed = freely;
    t->rubbed = 0;
}

/* The speed at which the friction `most` balances what drives a vertex, from those of two rounds:
 * they tell the mass that moves with it. With the speed of the last round as the guess of the next,
 * friction that is d times what drives the vertex is approached by a factor d a round only, and
 * cloth crept down slopes a little flatter than the angle of friction. */
static double speed_at(const PxClothStep *s, uint32_t i, const PxClothTouch *t, double most,
                       double speed)
{
    double slower = t->speed - speed, more = t->rub * speed - t->rubbed * t->speed;
    double mass = slower > 0 && more > 0 ? fmax(more / slower, s->mass[i]) : INFINITY;
    double left = speed + (t->rub * speed - most) / mass;
    return fmin(fmax(left, SLOWER * speed), speed / SLOWER);
}

/* Finds the boundary into which a vertex moves furthest at the velocity v, if it moves into one. */
static void find_boundary(Job *job, uint32_t i, PxVec3 v)
{
    const PxClothStep *s = job->step;
    PxClothTouch *t = &job->walls->touch[i];
    PxVec3 x = s->x[i];
    double gap = gap_of(s, i), most = 0, way = px_length(v) * s->dt, clear = INFINITY;
    t->boundary = NONE;
    t->state = OFF;
    for (size_t k = 0; k < job->walls->boundaries; ++k) {
        const PxBoundary *b = job->walls->boundary[k];
        if (b->per_mass > 0)
            continue; /* bodies that yield: contact/cloth_rigids.h */
        double travel = b->ops->travel(b), reach = gap + way + travel;
        double within = reach + gap + way, far = b->ops->at_least(b, 0, x);
        PxVec3 normal, u;
        double d = far > within ? far : px_boundary_near(b, 0, x, within, &normal);
        clear = fmin(clear, d - travel);
        if (!(d < reach))
            continue;
        u = b->ops->velocity(b, 0, x);
        double deep = gap - (d + px_dot(px_sub(v, u), normal) * s->dt);
        if (!(deep > most))
            continue;
        most = deep;
        double mu = sqrt(fmax(b->friction * s->law[s->system->of_vertex[i]].friction, 0));
        *t = (PxClothTouch){.boundary = (uint32_t)k,
                            .state = STICK,
                            .distance = d,
                            .friction = mu,
                            .normal = normal,
                            .velocity = u};
    }
    t->clear = clear;
}

/* Can a vertex that touches no boundary reach one at the velocity v? */
static bool may_reach(const Job *job, uint32_t i, PxVec3 v)
{
    return gap_of(job->step, i) + px_length(v) * job->step->dt >= job->walls->touch[i].clear;
}

static void find_touch(Job *job, uint32_t i)
{
    const PxClothStep *s = job->step;
    PxClothTouch *t = &job->walls->touch[i];
    PxVec3 v = s->u[i];
    t->boundary = NONE;
    t->state = OFF;
    t->clear = 0;
    if (s->hold[i] != PX_CLOTH_FREE)
        return;
    find_boundary(job, i, v);
    /* contact is a kink, also one that is found only in a later round */
    if (t->boundary != NONE || gap_of(s, i) + PX_CLOTH_MARGIN * px_length(v) * s->dt >= t->clear)
        px_cloth_restart(job->step, i);
    if (t->boundary == NONE)
        return;
    v = s->u[i];
    /* It begins as it was in the last step; new ones slide if a guess of the impulse allows it. */
    PxVec3 u = px_sub(v, t->velocity), along = tangent(u, t->normal);
    double impulse = s->mass[i] * fmax(-px_dot(u, t->normal), 0), speed = px_length(along);
    uint32_t last = job->walls->state[i];
    impulse = fmax(impulse, job->walls->load[i] * s->dt);
    if (last == OFF && t->distance > 0.5 * gap_of(s, i))
        t->state = OFF;
    double most = t->friction * impulse;
    /* what slid goes on, unless friction under its own weight stops it: loads may be of what does
     * not slide along */
    bool fast = last == SLIDE && speed > t->friction * px_length(s->gravity) * s->dt;
    if (t->state == STICK && last != STICK && (fast || s->mass[i] * speed > most))
        slide(t, most, fmax(speed - most / s->mass[i], SLOWER * speed), speed);
}

static void begin_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    for (uint32_t i = begin; i < end; ++i)
        find_touch(user, i);
}

/* Part of half its thickness that cloth keeps at least. */
#define LEAST 0.1

void px_cloth_walls_inset(const PxClothWalls *w, PxClothStep *s, uint32_t i)
{
    double whole = s->keep[i], least = whole;
    for (size_t k = 0; k < w->boundaries; ++k) {
        const PxBoundary *b = w->boundary[k];
        PxVec3 normal;
        if (!(b->ops->at_least(b, 0, s->x[i]) > least))
            least = fmin(least, px_boundary_near(b, 0, s->x[i], whole, &normal));
    }
    s->keep[i] = fmax(least, LEAST * whole);
}

PxStatus px_cloth_walls_begin(PxClothWalls *w, PxClothStep *s)
{
    Job job = {.walls = w, .step = s};
    w->touch = PX_ARENA_ARRAY(s->scratch, PxClothTouch, s->system->vertices + 1);
    w->at = PX_ARENA_ARRAY(s->scratch, PxVec3, s->system->vertices + 1);
    w->touching = w->crossed = w->cut = 0;
    w->deepest = 0;
    if (w->touch == NULL || w->at == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u contacts", s->system->vertices);
    px_parallel_for(s->threads, s->system->vertices, BLOCK, begin_block, &job);
    return PX_OK;
}

uint32_t px_cloth_walls_touch(const PxClothWalls *w, uint32_t i, PxVec3 *normal)
{
    *normal = w->touch[i].normal;
    return w->touch[i].boundary;
}

static void set_hold(PxClothStep *s, uint32_t i, const PxClothTouch *t)
{
    s->hold[i] = t->state == STICK   ? PX_CLOTH_FIXED
                 : t->state == SLIDE ? PX_CLOTH_NORMAL
                                     : PX_CLOTH_FREE;
    s->normal[i] = t->normal;
    s->target[i] = wanted(s, i, t);
}

/* Decides by the impulse of the last solve. */
static bool decide(PxClothStep *s, uint32_t i, PxClothTouch *t, bool late)
{
    PxVec3 impulse = px_scale(s->r[i], -1);
    double normal = px_dot(impulse, t->normal);
    int before = t->state;
    if (before == OFF) {
        PxVec3 u = px_sub(s->w[i], t->velocity);
        double deep = gap_of(s, i) - t->distance - px_dot(u, t->normal) * s->dt;
        if (!(deep > 0.1 * gap_of(s, i)))
            return false;
        double speed = px_length(tangent(u, t->normal));
        slide(t, t->friction * s->mass[i] * deep / s->dt, speed, speed);
        return true;
    }
    if (normal < 0) {
        t->state = late ? before : OFF;
        return !late;
    }
    double most = t->friction * normal;
    if (before == STICK) {
        double size = px_length(tangent(impulse, t->normal));
        if (size <= most)
            return false;
        slide(t, most, (size - most) / s->mass[i], size / s->mass[i]);
        return true;
    }
    double speed = px_length(tangent(px_sub(s->w[i], t->velocity), t->normal));
    double had = t->rub * speed, next = rub_of(most, speed_at(s, i, t, most, speed));
    t->rubbed = t->rub;
    t->speed = speed;
    t->rub = next;
    if (speed < SLOW && !late) {
        t->state = STICK;
        return true;
    }
    return fabs(most - had) > CLOSE * most;
}

static void decide_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    Job *job = user;
    uint64_t changed = 0, on = 0, caught = 0;
    for (uint32_t i = begin; i < end; ++i) {
        PxClothTouch *t = &job->walls->touch[i];
        bool free = t->boundary == NONE || t->state == OFF;
        if (t->boundary == NONE && job->step->hold[i] == PX_CLOTH_FREE) { /* pushed into one? */
            if (may_reach(job, i, job->step->w[i]))
                find_boundary(job, i, job->step->w[i]);
            changed += t->boundary != NONE;
        } else if (t->boundary != NONE) {
            changed += decide(job->step, i, t, job->late);
        }
        if (t->boundary == NONE)
            continue;
        set_hold(job->step, i, t);
        px_cloth_rub(job->step, i, t->state == SLIDE ? t->rub : 0);
        on += t->state != OFF;
        caught += free && t->state != OFF;
    }
    job->count += changed;
    job->on += on;
    job->caught += caught;
}

static void hold_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    for (uint32_t i = begin; i < end; ++i) {
        const PxClothTouch *t = &job->walls->touch[i];
        if (t->boundary == NONE)
            continue;
        set_hold(job->step, i, t);
        job->step->rub[i] = t->state == SLIDE ? t->rub : 0;
    }
}

void px_cloth_walls_hold(PxClothWalls *w, PxClothStep *s)
{
    Job job = {.walls = w, .step = s};
    px_parallel_for(s->threads, s->system->vertices, BLOCK, hold_block, &job);
}

bool px_cloth_walls_decide(PxClothWalls *w, PxClothStep *s, bool late)
{
    Job job = {.walls = w, .step = s, .late = late};
    px_parallel_for(s->threads, s->system->vertices, BLOCK, decide_block, &job);
    return (double)job.count > FEW * (double)job.on;
}

uint64_t px_cloth_walls_catch(PxClothWalls *w, PxClothStep *s)
{
    Job job = {.walls = w, .step = s, .late = true};
    px_parallel_for(s->threads, s->system->vertices, BLOCK, decide_block, &job);
    return job.caught;
}

static void release_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    PxClothStep *s = job->step;
    for (uint32_t i = begin; i < end; ++i) {
        PxClothTouch *t = &job->walls->touch[i];
        if (t->boundary == NONE || t->state == OFF || px_dot(s->r[i], t->normal) <= 0)
            continue;
        t->state = OFF;
        set_hold(s, i, t);
        px_cloth_rub(s, i, 0);
    }
}

void px_cloth_walls_release(PxClothWalls *w, PxClothStep *s)
{
    Job job = {.walls = w, .step = s};
    px_parallel_for(s->threads, s->system->vertices, BLOCK, release_block, &job);
}

double px_cloth_walls_work(const PxClothWalls *w, const PxClothStep *s)
{
    double sum = 0;
    for (uint32_t i = 0; i < s->system->vertices; ++i) {
        const PxClothTouch *t = &w->touch[i];
        if (t->boundary != NONE && t->state != OFF)
            sum += px_dot(px_sub(px_cloth_friction(s, i, s->w[i]), s->r[i]), t->velocity);
    }
    for (uint32_t k = 0; k < s->contacts->count; ++k) {
        const PxClothContact *c = &s->contacts->contact[k];
        if (c->kind == PX_CLOTH_BOUNDARY && c->body == 0)
            sum += px_dot(px_cloth_contact_impulse(s, c), c->velocity);
    }
    return sum;
}

/* ---- the end of the step ------------------------------------------------------------------- */

/* Gives a vertex an impulse and the boundary its opposite. */
static void push(PxClothStep *s, PxBoundary *b, uint32_t i, PxVec3 place, PxVec3 impulse)
{
    s->w[i] = px_mad(s->w[i], impulse, 1 / s->mass[i]);
    px_boundary_take(b, (PxImpulse){place, px_scale(impulse, -1)});
}

/* Moves a vertex out of a boundary, and stops it at one that it would pass through. Returns whether
 * it was moved; if not, it is outside. */
static bool defend(Job *job, uint32_t number, uint32_t i)
{
    PxBoundary *b = job->walls->boundary[number];
    uint32_t own = job->walls->touch[i].boundary;
    PxClothStep *s = job->step;
    PxVec3 *at = &job->walls->at[i], normal;
    double gap = gap_of(s, i), way = px_length(px_sub(*at, s->x[i]));
    double reach = gap + way + b->ops->travel(b);
    if (px_cloth_walls_pins(job->walls, number, i) || b->ops->at_least(b, 1, *at) > reach)
        return false;
    double d = px_boundary_near(b, 1, *at, reach, &normal);
    if (!(d < reach))
        return false;
    if (job->walls->body_of[number] > 0 ||
        (own != NONE && own != number &&
         px_dot(job->walls->touch[i].normal, normal) <= PX_CLOTH_FACING))
        gap *= NEARER;         /* the solve has a contact there, which pushes it out */
    else if (s->in_contact[i]) /* lifted to the gap, it might pass a layer that lies there */
        gap = fmin(gap, fmax(NEARER * gap, own == number ? job->walls->touch[i].distance : 0));
    PxBoundaryPath path = {{0, 1}, {s->x[i], *at}};
    double part;
    bool stopped = false;
    if (way > gap && d > 0 && b->ops->passes(b, &path, 0.1 * gap) &&
        b->ops->meets(b, &path, gap, &part)) {
        PxVec3 place = px_mad(s->x[i], px_sub(*at, s->x[i]), part);
        *at = b->ops->carry(b, part, place, 1);
        d = px_boundary_distance(b, 1, *at, &normal);
        stopped = true;
    }
    if (!(d < gap))
        return stopped;
    *at = px_mad(*at, normal, gap - d);
    if (s->hold[i] == PX_CLOTH_FIXED && job->walls->touch[i].boundary == NONE)
        return true; /* a handle moves it */
    double toward = px_dot(px_sub(s->w[i], b->ops->velocity(b, 1, *at)), normal);
    if (toward < 0)
        push(s, b, i, *at, px_scale(normal, -toward * s->mass[i]));
    return true;
}

/* Is a vertex inside a boundary? Then it is moved out by a little: where two boundaries come nearer
 * than its thickness, it ends between them after a few times. */
static bool is_inside(Job *job, uint32_t i)
{
    PxClothStep *s = job->step;
    PxVec3 *at = &job->walls->at[i], normal;
    bool inside = false;
    for (size_t k = 0; k < job->walls->boundaries; ++k) {
        PxBoundary *b = job->walls->boundary[k];
        if (px_cloth_walls_pins(job->walls, k, i) || b->ops->at_least(b, 1, *at) > 0)
            continue;
        double d = px_boundary_distance(b, 1, *at, &normal);
        if (!(d < 0))
            continue;
        inside = true;
        *at = px_mad(*at, normal, NEARER * gap_of(s, i) - d);
        double toward = px_dot(px_sub(s->w[i], b->ops->velocity(b, 1, *at)), normal);
        if (toward < 0 && s->hold[i] != PX_CLOTH_FIXED)
            push(s, b, i, *at, px_scale(normal, -toward * s->mass[i]));
    }
    return inside;
}

static void end_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    Job *job = user;
    PxClothStep *s = job->step;
    uint64_t touching = 0, crossed = 0;
    for (uint32_t i = begin; i < end; ++i) {
        const PxClothTouch *t = &job->walls->touch[i];
        job->walls->state[i] = t->boundary != NONE ? (uint32_t)t->state : UNKNOWN;
        job->walls->load[i] = 0;
        if (t->boundary != NONE && t->state != OFF) {
            job->walls->load[i] = fmax(-px_dot(s->r[i], t->normal), 0) / s->dt;
            PxVec3 impulse = px_sub(px_cloth_friction(s, i, s->w[i]), s->r[i]);
            px_boundary_take(job->walls->boundary[t->boundary],
                             (PxImpulse){s->x[i], px_scale(impulse, -1)});
            ++touching;
        }
        bool moved = false;
        for (size_t k = 0; k < job->walls->boundaries; ++k)
            moved = defend(job, (uint32_t)k, i) || moved;
        if (moved) /* out of one, into another? */
            crossed += is_inside(job, i) && is_inside(job, i) && is_inside(job, i);
    }
    job->count += touching;
    job->crossed += crossed;
}

static void count_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    Job *job = user;
    uint64_t inside = 0;
    for (uint32_t i = begin; i < end; ++i) {
        PxVec3 at = job->walls->at[i], normal;
        for (size_t k = 0; k < job->walls->boundaries; ++k) {
            const PxBoundary *b = job->walls->boundary[k];
            if (px_cloth_walls_pins(job->walls, k, i) || b->ops->at_least(b, 1, at) > 0 ||
                !(px_boundary_distance(b, 1, at, &normal) < 0))
                continue;
            ++inside;
            break;
        }
    }
    job->crossed += inside;
}

void px_cloth_walls_count(PxClothWalls *w, PxClothStep *s)
{
    Job job = {.walls = w, .step = s};
    px_parallel_for(s->threads, s->system->vertices, BLOCK, count_block, &job);
    w->crossed = w->cut + job.crossed;
}

void px_cloth_walls_end(PxClothWalls *w, PxClothStep *s)
{
    Job job = {.walls = w, .step = s};
    px_parallel_for(s->threads, s->system->vertices, BLOCK, end_block, &job);
    w->touching += job.count;
    w->crossed = w->cut + job.crossed;
}
