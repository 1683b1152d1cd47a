#include "solid/pieces.h"

#include "base/spin.h"

#include <math.h>

/* Moments of inertia below this part of the largest belong to rows in a line, or to one row: they
 * do not turn about that axis. */
#define THIN 1e-6

struct PxSolidPieces {
    PxSolidPiece *piece;
    uint32_t count;
    PxVec3 *own;  /* place relative to the centre, in principal axes, m */
    float *was;   /* 8 an entry: displacement and velocity as they were written */
    double moved; /* length of the last move, s */
};

/* ---- which pieces ------------------------------------------------------------- */

static bool is_small(const PxSolid *s, const PxSolidFrame *f)
{
    double volume = 0, edge = 0;
    for (uint32_t i = f->begin; i < f->end; ++i) {
        const PxMaterialDef *def = &s->material[s->particles->material[i]].def;
        if (!def->fracture.fractures || def->melts.melts || s->columns.handle[i] != 0)
            return false;
        edge = fmax(edge, def->fracture.rigid_below);
        volume += (double)s->columns.volume[i];
    }
    return volume < edge * edge * edge;
}

PxStatus px_solid_pieces_mark(PxSolid *s)
{
    bool any = false;
    uint32_t bodies = 0;
    for (uint32_t k = 0; k < s->frames; ++k) {
        const PxMaterialDef *def = &s->material[s->particles->material[s->frame[k].begin]].def;
        any = any || (def->fracture.fractures && def->fracture.rigid_below > 0);
        s->frame[k].rigid = false;
        bodies = s->frame[k].body + 1 > bodies ? s->frame[k].body + 1 : bodies;
    }
    if (!any)
        return PX_OK;
    PxArenaMark mark = px_arena_mark(s->scratch);
    uint32_t *pieces = PX_ARENA_ARRAY(s->scratch, uint32_t, bodies); /* by body */
    if (pieces == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u bodies", bodies);
    for (uint32_t k = 0; k < bodies; ++k)
        pieces[k] = 0;
    for (uint32_t k = 0; k < s->frames; ++k)
        ++pieces[s->frame[k].body];
    for (uint32_t k = 0; k < s->frames; ++k) /* a whole body is no piece */
        s->frame[k].rigid = pieces[s->frame[k].body] > 1 && is_small(s, &s->frame[k]);
    px_arena_release(s->scratch, mark);
    return PX_OK;
}

/* ---- rows of a piece ------------------------------------------------------------ */

static PxVec3 vec_of(const float *quad)
{
    return px_vec((double)quad[0], (double)quad[1], (double)quad[2]);
}

static PxVec3 rest_of(const PxSolid *s, uint32_t i)
{
    return px_vec((double)s->columns.rest[0][i], (double)s->columns.rest[1][i],
                  (double)s->columns.rest[2][i]);
}

static void put(float *quad, PxVec3 v)
{
    quad[0] = (float)v.x;
    quad[1] = (float)v.y;
    quad[2] = (float)v.z;
}

PxVec3 px_solid_piece_spin(const PxSolidPiece *p, PxVec3 momentum)
{
    PxVec3 l = px_rotate(px_quat_conjugate(p->axes), momentum);
    double least = THIN * p->inertia.x;
    return px_rotate(p->axes, px_vec(p->inertia.x > 0 ? l.x / p->inertia.x : 0,
                                     p->inertia.y > least ? l.y / p->inertia.y : 0,
                                     p->inertia.z > least ? l.z / p->inertia.z : 0));
}

/* Writes displacements and velocities of the rows. */
static void write_rows(const PxSolid *s, const struct PxSolidPieces *all, uint32_t n)
{
    const PxSolidPiece *p = &all->piece[n];
    const PxSolidFrame *f = &s->frame[p->frame];
    for (uint32_t i = f->begin; i < f->end; ++i) {
        uint32_t e = p->first + i - f->begin;
        PxVec3 arm = px_rotate(p->axes, all->own[e]);
        float *u = s->u + 4 * (size_t)i, *v = s->v + 4 * (size_t)i, *was = all->was + 8 * (size_t)e;
        put(u, px_sub(px_add(p->middle, arm), rest_of(s, i)));
        put(v, px_add(p->velocity, px_cross(p->spin, arm)));
        for (int k = 0; k < 4; ++k) {
            was[k] = u[k];
            was[4 + k] = v[k];
        }
    }
}

/* Adds to the piece the momenta of what has changed in the velocities of its rows. */
static void take_velocities(const PxSolid *s, const struct PxSolidPieces *all, uint32_t n)
{
    PxSolidPiece *p = &all->piece[n];
    const PxSolidFrame *f = &s->frame[p->frame];
    PxVec3 momentum = {0, 0, 0}, moment = {0, 0, 0};
    for (uint32_t i = f->begin; i < f->end; ++i) {
        uint32_t e = p->first + i - f->begin;
        PxVec3 more = px_sub(vec_of(s->v + 4 * (size_t)i), vec_of(all->was + 8 * (size_t)e + 4));
        double mass = (double)s->particles->mass[i];
        momentum = px_mad(momentum, more, mass);
        moment = px_mad(moment, px_cross(px_rotate(p->axes, all->own[e]), more), mass);
    }
    p->velocity = px_mad(p->velocity, momentum, 1 / p->mass);
    p->spin = px_add(p->spin, px_solid_piece_spin(p, moment));
}

/* ---- a step ---------------------------------------------------------------------- */

static void begin_piece(PxSolid *s, struct PxSolidPieces *all, uint32_t n)
{
    PxSolidPiece *p = &all->piece[n];
    const PxSolidFrame *f = &s->frame[p->frame];
    PxVec3 momentum = {0, 0, 0}, moment = {0, 0, 0};
    for (uint32_t i = f->begin; i < f->end; ++i) {
        double mass = (double)s->particles->mass[i];
        p->mass += mass;
        p->middle = px_mad(p->middle, px_add(rest_of(s, i), vec_of(s->u + 4 * (size_t)i)), mass);
        momentum = px_mad(momentum, vec_of(s->v + 4 * (size_t)i), mass);
    }
    p->middle = px_scale(p->middle, 1 / p->mass);
    p->velocity = px_scale(momentum, 1 / p->mass);
    PxMat3 second = {{{0}}}, axes;
    for (uint32_t i = f->begin; i < f->end; ++i) {
        double mass = (double)s->particles->mass[i];
        PxVec3 arm = px_sub(px_add(rest_of(s, i), vec_of(s->u + 4 * (size_t)i)), p->middle);
        second = px_mat3_add(second, px_mat3_scale(px_mat3_outer(arm, arm), mass));
        moment = px_mad(moment, px_cross(arm, vec_of(s->v + 4 * (size_t)i)), mass);
        all->own[p->first + i - f->begin] = arm;
    }
    PxMat3 inertia = px_mat3_sub(px_mat3_scale(px_mat3_identity(), px_mat3_trace(second)), second);
    px_mat3_eigen(inertia, &p->inertia, &axes);
    p->axes = px_mat3_to_quat(axes);
    for (uint32_t k = p->first; k < p->first + f->end - f->begin; ++k)
        all->own[k] = px_rotate(px_quat_conjugate(p->axes), all->own[k]);
    p->spin = px_solid_piece_spin(p, moment);
    write_rows(s, all, n);
}

PxStatus px_solid_pieces_begin(PxSolid *s)
{
    uint32_t count = 0, rows = 0;
    s->pieces = NULL;
    for (uint32_t k = 0; k < s->frames; ++k)
        if (s->frame[k].rigid) {
            ++count;
            rows += s->frame[k].end - s->frame[k].begin;
        }
    if (count == 0)
        return PX_OK;
    struct PxSolidPieces *all = PX_ARENA_ARRAY(s->scratch, struct PxSolidPieces, 1);
    if (all == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u pieces", count);
    *all = (struct PxSolidPieces){.count = count,
                                  .piece = PX_ARENA_ARRAY(s->scratch, PxSolidPiece, count),
                                  .own = PX_ARENA_ARRAY(s->scratch, PxVec3, rows),
                                  .was = PX_ARENA_ARRAY(s->scratch, float, 8 * (size_t)rows)};
    if (all->piece == NULL || all->own == NULL || all->was == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u pieces", count);
    uint32_t first = 0, n = 0;
    for (uint32_t k = 0; k < s->frames; ++k) {
        if (!s->frame[k].rigid)
            continue;
        all->piece[n] = (PxSolidPiece){.frame = k, .first = first};
        first += s->frame[k].end - s->frame[k].begin;
        begin_piece(s, all, n++);
    }
    s->pieces = all;
    return PX_OK;
}

/* Free motion for `dt`. The momenta are those of v += a dt before, x += v dt after; see momenta.c
 * for why they are kept. */
static void move_piece(PxSolidPiece *p, double dt)
{
    double least = THIN * p->inertia.x;
    PxVec3 inertia = px_vec(p->inertia.x, fmax(p->inertia.y, least), fmax(p->inertia.z, least));
    p->middle = px_mad(p->middle, p->velocity, dt);
    if (inertia.x > 0)
        px_spin_turn(inertia, dt, &p->axes, &p->spin);
}

typedef struct Move {
    PxSolid *solid;
    double dt;
} Move;

static void move_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Move *m = user;
    for (uint32_t n = begin; n < end; ++n) {
        take_velocities(m->solid, m->solid->pieces, n);
        if (m->dt > 0)
            move_piece(&m->solid->pieces->piece[n], m->dt);
        write_rows(m->solid, m->solid->pieces, n);
    }
}

void px_solid_pieces_move(PxSolid *s, double dt)
{
    Move m = {s, dt};
    if (s->pieces == NULL)
        return;
    s->pieces->moved = dt;
    px_parallel_for(s->threads, s->pieces->count, 8, move_block, &m);
}

uint32_t px_solid_pieces_count(const PxSolid *s)
{
    return s->pieces != NULL ? s->pieces->count : 0;
}

PxSolidPiece *px_solid_piece(PxSolid *s, uint32_t number)
{
    return &s->pieces->piece[number];
}

double px_solid_pieces_moved(const PxSolid *s)
{
    return s->pieces->moved;
}

void px_solid_piece_read(PxSolid *s, uint32_t number)
{
    take_velocities(s, s->pieces, number);
    write_rows(s, s->pieces, number);
}

void px_solid_piece_write(PxSolid *s, uint32_t number)
{
    write_rows(s, s->pieces, number);
}

double px_solid_pieces_project(const PxSolid *s, float *quad)
{
    const struct PxSolidPieces *all = s->pieces;
    double most = 0;
    for (uint32_t n = 0; all != NULL && n < all->count; ++n) {
        const PxSolidPiece *p = &all->piece[n];
        const PxSolidFrame *f = &s->frame[p->frame];
        PxVec3 force = {0, 0, 0}, torque = {0, 0, 0};
        for (uint32_t i = f->begin; i < f->end; ++i) {
            PxVec3 one = vec_of(quad + 4 * (size_t)i);
            PxVec3 arm = px_rotate(p->axes, all->own[p->first + i - f->begin]);
            force = px_add(force, one);
            torque = px_add(torque, px_cross(arm, one));
        }
        PxVec3 way = px_scale(force, 1 / p->mass), turn = px_solid_piece_spin(p, torque);
        for (uint32_t i = f->begin; i < f->end; ++i) {
            PxVec3 arm = px_rotate(p->axes, all->own[p->first + i - f->begin]);
            PxVec3 a = px_add(way, px_cross(turn, arm));
            put(quad + 4 * (size_t)i, px_scale(a, (double)s->particles->mass[i]));
            most = fmax(most, px_length(a));
        }
    }
    return most;
}
