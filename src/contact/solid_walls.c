#include "contact/solid_walls.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

typedef struct Touch {
    PxSolidWalls *walls;
    PxSolid *solid;
    double when;
    _Atomic uint64_t caught, leaked;
} Touch;

/* How far the wall's matter goes in this step; a bound. */
static double way_of(const PxWall *wall)
{
    if (wall->keys == 0)
        return 0;
    double way = 0;
    for (int c = 0; c < 8; ++c) {
        const PxBounds *b = &wall->bounds;
        PxVec3 x = px_vec(c & 1 ? b->high.x : b->low.x, c & 2 ? b->high.y : b->low.y,
                          c & 4 ? b->high.z : b->low.z);
        if (!px_finite(x))
            x = wall->pivot;
        way = fmax(way,
                   px_length(px_sub(px_wall_to_world(wall, 1, x), px_wall_to_world(wall, 0, x))));
    }
    return way;
}

static void look(PxSolidWalls *w, const PxSolid *s, uint32_t i, double nearest)
{
    float *last = w->last + 4 * (size_t)i;
    for (size_t c = 0; c < 3; ++c)
        last[c] = s->u[4 * (size_t)i + c];
    last[3] = (float)nearest;
}

/* Could it have reached a wall since it was last looked at? A hair is for the rounding. */
static bool is_due(const PxSolidWalls *w, const PxSolid *s, uint32_t i, double radius)
{
    const float *last = w->last + 4 * (size_t)i, *u = s->u + 4 * (size_t)i;
    float x = u[0] - last[0], y = u[1] - last[1], z = u[2] - last[2];
    double moved = 1.0001 * sqrt((double)(x * x + y * y + z * z)) + w->way;
    return !((double)last[3] - moved > 1.0001 * radius);
}

/* What froze at a wall may lie nearer to it than its radius. Moved out, it would be squeezed for
 * nothing: at once, and a block that froze on a plate got 2 J of 23; by a thousandth a step, and
 * what froze in a tray was tense by a tenth of its weight's energy. So it stays where it is. */
#define FROZEN_IN 0.999
#define LEAST_RADIUS 0.25

static void near_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Touch *t = user;
    const PxSolid *s = t->solid;
    double g = px_length(s->gravity);
    for (uint32_t i = begin; i < end; ++i) {
        const float *v = s->v + 4 * (size_t)i, *a = s->a + 4 * (size_t)i;
        double speed = sqrt((double)(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
        double push = sqrt((double)(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])) + g;
        double radius = (double)s->particles->radius[i];
        /* twice as far as it would go, and a radius: neighbours pull */
        double reach = 2 * radius + 2 * s->dt * (speed + s->dt * push) + t->walls->way;
        PxVec3 x = px_solid_place(s, i);
        double nearest = INFINITY;
        for (size_t k = 0; k < t->walls->walls; ++k) {
            const PxWall *wall = &t->walls->wall[k];
            nearest = fmin(nearest, px_wall_distance(wall, px_wall_to_rest(wall, 0, x), NULL));
        }
        t->walls->near[i] = nearest < reach;
        bool frozen_in = nearest < FROZEN_IN * radius;
        t->walls->radius[i] = (float)(frozen_in ? fmax(nearest, LEAST_RADIUS * radius) : radius);
        look(t->walls, s, i, nearest);
    }
}

/* What flows among fluids does not bounce as a whole: the far end of a jet knows nothing of the
 * wall that its tip strikes. */
static double restitution_of(const PxSolid *s, const PxSolidFrame *f)
{
    const PxMaterialDef *def = &s->material[s->particles->material[f->begin]].def;
    return s->flows && def->absorb > 0 ? 1 : def->restitution;
}

static bool some_lose(const PxSolid *s)
{
    for (uint32_t k = 0; k < s->frames; ++k)
        if (restitution_of(s, &s->frame[k]) < 1)
            return true;
    return false;
}

PxStatus px_solid_walls_begin(PxSolidWalls *w, PxSolid *s)
{
    w->caught = w->leaked = 0;
    w->near = PX_ARENA_ARRAY(s->scratch, uint8_t, s->count);
    w->last = PX_ARENA_ARRAY(s->scratch, float, 4 * (size_t)s->count);
    w->push = some_lose(s) ? PX_ARENA_ARRAY(s->scratch, float, 4 * (size_t)s->count) : NULL;
    w->radius = PX_ARENA_ARRAY(s->scratch, float, s->count);
    w->speed = PX_ARENA_ARRAY(s->scratch, PxVec3, s->frames);
    w->way = 0;
    if (w->near == NULL || w->last == NULL || w->radius == NULL ||
        (w->push == NULL && some_lose(s)) || w->speed == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u particles", s->count);
    if (w->walls == 0) {
        memset(w->near, 0, s->count);
        return PX_OK;
    }
    Touch t = {.walls = w, .solid = s};
    for (size_t k = 0; k < w->walls; ++k)
        w->way = fmax(w->way, way_of(&w->wall[k]));
    px_parallel_for(s->threads, s->count, PX_BLOCK, near_block, &t);
    for (uint32_t k = 0; k < s->frames; ++k)
        w->speed[k] = s->frame[k].velocity;
    return PX_OK;
}

/* ---- restitution ------------------------------------------------------------ */

/* A solid bounces because it is elastic: pressed together as it comes, it pushes itself off. Walls
 * take away the speed of the particles that meet them and no more, so what a bounce loses is
 * lost while it pushes off. There the body as a whole is given only the part e^2 of what it gains
 * of speed away from the wall. On a spring k a mass m then leaves with  m x'' = -e^2 k x,  that is,
 * with e times the speed it came with, after a contact 1/e times as long. It needs no memory of how
 * it came, never adds energy, and does nothing to what rests. */

/* What has none at all would never push itself off, and stay flat. */
#define LEAST_RESTITUTION 0.05

static PxVec3 vec_of(const float *quad)
{
    return px_vec((double)quad[0], (double)quad[1], (double)quad[2]);
}

/* `push`: by row what walls pushed with, along their normals, and in the fourth place that times
 * the wall's own speed along it. */
static void lose(PxSolidWalls *w, PxSolid *s, uint32_t number)
{
    const PxSolidFrame *f = &s->frame[number];
    double e = fmax(restitution_of(s, f), LEAST_RESTITUTION);
    if (!(e < 1) || f->held)
        return;
    PxVec3 push = {0, 0, 0}, momentum = {0, 0, 0};
    double pushes = 0, wall = 0;
    for (uint32_t i = f->begin; i < f->end; ++i) {
        const float *by = w->push + 4 * (size_t)i;
        PxVec3 one = vec_of(by);
        push = px_add(push, one);
        pushes += px_length(one);
        wall += (double)by[3];
        momentum = px_mad(momentum, vec_of(s->v + 4 * (size_t)i), (double)s->particles->mass[i]);
    }
    PxVec3 before = w->speed[number], now = px_scale(momentum, 1 / f->mass);
    w->speed[number] = now;
    double length = px_length(push);
    if (!(length > 0))
        return;
    PxVec3 n = px_scale(push, 1 / length);
    double gained = fmin(px_dot(px_sub(now, before), n), px_dot(now, n) - wall / pushes);
    if (!(gained > 0))
        return;
    PxVec3 less = px_scale(n, (1 - e * e) * gained);
    w->speed[number] = px_sub(now, less);
    for (uint32_t i = f->begin; i < f->end; ++i) {
        float *v = s->v + 4 * (size_t)i;
        if (s->inverse_mass[i] == 0.0f) /* a pipe has it */
            continue;
        v[0] -= (float)less.x;
        v[1] -= (float)less.y;
        v[2] -= (float)less.z;
    }
}

/* Rows are added up in their order, so that threads do not show. */
static void lose_all(PxSolidWalls *w, PxSolid *s)
{
    for (uint32_t k = 0; k < s->frames; ++k)
        lose(w, s, k);
}

static void note_push(float *by, PxVec3 n, double size, double wall)
{
    by[0] += (float)(size * n.x);
    by[1] += (float)(size * n.y);
    by[2] += (float)(size * n.z);
    by[3] += (float)(size * wall);
}

/* ---- after a move ------------------------------------------------------------ */

/* Takes the speed into the wall away, and of the speed along it as much as Coulomb's friction
 * does. `n` is the wall's normal, `u` the wall's velocity. */
static PxVec3 stop_at(PxVec3 v, PxVec3 u, PxVec3 n, double friction)
{
    PxVec3 relative = px_sub(v, u);
    double into = -px_dot(relative, n);
    if (!(into > 0))
        return v;
    PxVec3 along = px_mad(relative, n, into);
    double speed = px_length(along), stop = friction * into;
    along = px_scale(along, speed > stop ? 1 - stop / speed : 0);
    return px_add(u, along);
}

static void touch_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    Touch *t = user;
    PxSolid *s = t->solid;
    uint64_t caught = 0, leaked = 0;
    for (uint32_t i = begin; i < end; ++i) {
        if (!t->walls->near[i] || s->inverse_mass[i] == 0.0f)
            continue;
        uint32_t row = i;
        double radius = (double)t->walls->radius[i], nearest = INFINITY;
        if (!is_due(t->walls, s, i, radius))
            continue;
        PxVec3 x = px_solid_place(s, i), start = x;
        float *u = s->u + 4 * (size_t)i, *vq = s->v + 4 * (size_t)i;
        const PxMat3 turn = s->frame[s->frame_of[i]].turn, back = px_mat3_transpose(turn);
        PxVec3 v = px_mat3_apply(turn, px_vec((double)vq[0], (double)vq[1], (double)vq[2]));
        bool hit = false;
        for (int round = 0; round == 0 || (round == 1 && hit); ++round) /* a corner has two walls */
            for (size_t k = 0; k < t->walls->walls; ++k) {
                const PxWall *wall = &t->walls->wall[k];
                PxVec3 at = px_wall_to_rest(wall, t->when, x), normal;
                double d = px_wall_distance(wall, at, &normal);
                nearest = fmin(nearest, d);
                if (!(d < radius))
                    continue;
                const PxMaterialDef *m = &s->material[s->particles->material[row]].def;
                PxVec3 n = px_wall_turn_to_world(wall, t->when, normal);
                x = px_mad(x, n, radius - d);
                PxVec3 before = v, moving = px_wall_velocity(wall, at);
                v = stop_at(v, moving, n, sqrt(m->friction * wall->friction));
                if (t->walls->push != NULL)
                    note_push(t->walls->push + 4 * (size_t)i, px_mat3_apply(back, n),
                              px_dot(px_sub(v, before), n) / (double)s->inverse_mass[i],
                              px_dot(moving, n));
                /* What friction held back did not slide in this move either, or what should
                 * stick on a slope would creep down it. */
                PxVec3 held = px_sub(v, before);
                held = px_mad(held, n, -px_dot(held, n));
                x = px_mad(x, held, s->moved);
                hit = true;
            }
        if (!hit) {
            look(t->walls, s, i, nearest);
            continue;
        }
        t->walls->last[4 * (size_t)i + 3] = 0.0f; /* to be looked at again */
        ++caught;
        PxVec3 way = px_mat3_apply(back, px_sub(x, start)), speed = px_mat3_apply(back, v);
        u[0] += (float)way.x;
        u[1] += (float)way.y;
        u[2] += (float)way.z;
        vq[0] = (float)speed.x;
        vq[1] = (float)speed.y;
        vq[2] = (float)speed.z;
        for (size_t k = 0; k < t->walls->walls && t->when == 1; ++k) {
            const PxWall *wall = &t->walls->wall[k];
            if (px_wall_distance(wall, px_wall_to_rest(wall, 1, x), NULL) < -0.01 * radius) {
                ++leaked;
                break;
            }
        }
    }
    atomic_fetch_add_explicit(&t->caught, caught, memory_order_relaxed);
    atomic_fetch_add_explicit(&t->leaked, leaked, memory_order_relaxed);
}

void px_solid_walls_touch(PxSolidWalls *w, PxSolid *s, double when)
{
    if (w->walls == 0)
        return;
    Touch t = {.walls = w, .solid = s, .when = when};
    if (w->push != NULL)
        memset(w->push, 0, 4 * (size_t)s->count * sizeof(float));
    px_parallel_for(s->threads, s->count, PX_BLOCK, touch_block, &t);
    if (w->push != NULL)
        lose_all(w, s);
    w->caught += atomic_load(&t.caught);
    w->leaked += atomic_load(&t.leaked);
}

/* ---- for solves ------------------------------------------------------------- */

typedef struct Meet {
    PxSolidWalls *walls;
    PxSolid *solid;
    PxSolidContact *contact;
} Meet;

static void put(float to[3], PxVec3 v)
{
    to[0] = (float)v.x;
    to[1] = (float)v.y;
    to[2] = (float)v.z;
}

static void meet_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Meet *m = user;
    const PxSolid *s = m->solid;
    for (uint32_t i = begin; i < end; ++i) {
        PxSolidContact *c = &m->contact[i];
        double radius = (double)m->walls->radius[i], nearest = INFINITY;
        const PxWall *wall = NULL;
        PxVec3 x = px_solid_place(s, i), normal = {0, 0, 0}, place = x;
        c->gap = 1e30f;
        for (size_t k = 0; k < m->walls->walls && m->walls->near[i]; ++k) {
            PxVec3 at = px_wall_to_rest(&m->walls->wall[k], s->when, x), n;
            double d = px_wall_distance(&m->walls->wall[k], at, &n);
            if (d < nearest) {
                nearest = d;
                wall = &m->walls->wall[k];
                normal = n;
                place = at;
            }
        }
        if (wall == NULL)
            continue;
        const PxMaterialDef *def = &s->material[s->particles->material[i]].def;
        PxMat3 back = px_mat3_transpose(s->frame[s->frame_of[i]].turn);
        PxVec3 n = px_mat3_apply(back, px_wall_turn_to_world(wall, s->when, normal));
        PxVec3 u = px_mat3_apply(back, px_wall_velocity(wall, place));
        const float *v = s->v + 4 * (size_t)i;
        put(c->normal, n);
        put(c->velocity, u);
        c->gap = (float)(nearest - radius);
        c->friction = (float)sqrt(def->friction * wall->friction);
        c->slow = (float)(1e-3 * radius / s->dt);
        c->before =
            (float)(px_dot(n, u) - ((double)v[0] * n.x + (double)v[1] * n.y + (double)v[2] * n.z));
    }
}

void px_solid_walls_meet(PxSolidWalls *w, PxSolid *s, PxSolidContact *contact)
{
    Meet m = {w, s, contact};
    px_parallel_for(s->threads, s->count, PX_BLOCK, meet_block, &m);
}

void px_solid_walls_rebound(PxSolidWalls *w, PxSolid *s, const PxSolidContact *contact)
{
    if (w->push != NULL)
        memset(w->push, 0, 4 * (size_t)s->count * sizeof(float));
    for (uint32_t i = 0; i < s->count; ++i) {
        const PxSolidContact *c = &contact[i];
        if (!c->on)
            continue;
        ++w->caught;
        PxVec3 n = vec_of(c->normal);
        if (w->push != NULL)
            note_push(w->push + 4 * (size_t)i, n, fmax(0, (double)c->pressed),
                      px_dot(vec_of(c->velocity), n));
    }
    if (w->push != NULL)
        lose_all(w, s);
}
