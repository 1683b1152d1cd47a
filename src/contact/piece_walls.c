#include "contact/piece_walls.h"

#include "solid/pieces.h"

#include <math.h>

/* Most boundaries that a row touches at a time. */
#define AT_ONCE 3
/* Rows that are nearer than this, in radii, may not pass the boundary in the next move. */
#define NEAR 0.05
/* Iterations, and the largest change of a velocity at which they end, as a part of the first. */
#define ITERATIONS 50
#define LITTLE 1e-3
/* Passes that move a piece out of boundaries, and the depth at which they end, in radii. */
#define PASSES 8
#define CLOSE 1e-4

typedef struct PxPieceContact {
    uint32_t row, boundary;
    PxVec3 n, arm;   /* normal; place relative to the centre of mass; both in the frame */
    PxVec3 velocity; /* of the boundary, in the frame, m/s */
    double closing;  /* speed at which the gap may close, m/s */
    double friction;
    double press; /* normal impulse, N s */
    PxVec3 rub;   /* impulse of friction, N s */
} Contact;

PxStatus px_piece_walls_begin(PxSolidWalls *w, PxSolid *s)
{
    bool any = false;
    uint32_t most = 0;
    for (uint32_t k = 0; k < s->frames; ++k)
        if (s->frame[k].rigid) {
            uint32_t rows = s->frame[k].end - s->frame[k].begin;
            any = true;
            most = rows > most ? rows : most;
        }
    w->near_pieces = NULL;
    if (!any)
        return PX_OK;
    w->near_pieces = PX_ARENA_ARRAY(s->scratch, uint8_t, s->count);
    w->contact = PX_ARENA_ARRAY(s->scratch, Contact, AT_ONCE * (size_t)most);
    if (w->near_pieces == NULL || w->contact == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u particles", s->count);
    for (uint32_t i = 0; i < s->count; ++i) {
        w->near_pieces[i] = w->near[i] && px_solid_is_rigid(s, i);
        w->near[i] = w->near[i] && !w->near_pieces[i];
    }
    return PX_OK;
}

/* Lists the contacts of a piece. */
static uint32_t find_contacts(const PxSolidWalls *w, const PxSolid *s, const PxSolidPiece *p,
                              double when, double moved)
{
    const PxSolidFrame *f = &s->frame[p->frame];
    PxMat3 back = px_mat3_transpose(f->turn);
    uint32_t count = 0;
    for (uint32_t i = f->begin; i < f->end; ++i) {
        double radius = (double)w->radius[i];
        uint32_t found = 0;
        for (uint32_t k = 0; w->near_pieces[i] && k < w->boundaries && found < AT_ONCE; ++k) {
            const PxBoundary *b = w->boundary[k];
            PxVec3 x = px_solid_place(s, i), n;
            if (!px_solid_walls_stands(w, k))
                continue;
            double gap = px_boundary_distance(b, when, x, &n) - radius;
            if (!(gap < NEAR * radius))
                continue;
            const PxMaterialDef *m = &s->material[s->particles->material[i]].def;
            w->contact[count++] =
                (Contact){.row = i,
                          .boundary = k,
                          .n = px_mat3_apply(back, n),
                          .arm = px_sub(px_mat3_apply(back, px_sub(x, f->move)), p->middle),
                          .velocity = px_mat3_apply(back, b->ops->velocity(b, when, x)),
                          .closing = gap > 0 && moved > 0 ? gap / moved : 0,
                          .friction = sqrt(m->friction * b->friction)};
            ++found;
        }
    }
    return count;
}

/* One impulse at a contact. Returns the largest change of the row's velocity, m/s. */
static double push(PxSolidPiece *p, Contact *c)
{
    PxVec3 v = px_sub(px_solid_piece_velocity(p, c->arm), c->velocity);
    double along = px_dot(v, c->n) + c->closing, light = px_solid_piece_light(p, c->arm, c->n);
    double press = fmax(c->press - along / light, 0), change = (press - c->press) * light;
    px_solid_piece_push(p, c->arm, px_scale(c->n, press - c->press));
    c->press = press;
    v = px_sub(px_solid_piece_velocity(p, c->arm), c->velocity);
    v = px_mad(v, c->n, -px_dot(v, c->n));
    double speed = px_length(v), most = c->friction * c->press;
    PxVec3 rub = c->rub;
    if (speed > 0)
        rub = px_mad(rub, v, -1 / px_solid_piece_light(p, c->arm, px_scale(v, 1 / speed)));
    double size = px_length(rub);
    if (size > most)
        rub = px_scale(rub, most / size);
    PxVec3 more = px_sub(rub, c->rub);
    px_solid_piece_push(p, c->arm, more);
    c->rub = rub;
    return fmax(fabs(change), px_length(more) / p->mass);
}

static void stop(PxSolidPiece *p, Contact *contact, uint32_t count)
{
    double most = 0, change = INFINITY;
    for (int k = 0; k < ITERATIONS && change > LITTLE * most; ++k) {
        change = 0;
        for (uint32_t n = 0; n < count; ++n)
            change = fmax(change, push(p, &contact[n]));
        most = fmax(most, change);
    }
}

/* Boundaries take the impulses; the direction of their sum. */
static PxVec3 hand_over(PxSolidWalls *w, const PxSolid *s, const PxSolidPiece *p, uint32_t count)
{
    PxVec3 sum = {0, 0, 0};
    PxMat3 turn = s->frame[p->frame].turn;
    for (uint32_t n = 0; n < count; ++n) {
        const Contact *c = &w->contact[n];
        if (!(c->press > 0))
            continue;
        ++w->caught;
        sum = px_mad(sum, c->n, c->press);
        px_solid_walls_note(w, c->row, c->boundary, px_solid_place(s, c->row),
                            px_mat3_apply(turn, px_mad(c->rub, c->n, c->press)));
    }
    return px_normalized(sum, px_vec(0, 0, 0));
}

/* Way out of the boundaries, in the frame: the mean of the rows' ways, in which deep ones count
 * most. *depth: of the deepest row, m. */
static PxVec3 way_out(const PxSolidWalls *w, const PxSolid *s, const PxSolidPiece *p, double when,
                      double *depth)
{
    const PxSolidFrame *f = &s->frame[p->frame];
    PxVec3 sum = {0, 0, 0};
    double weight = 0;
    *depth = 0;
    for (uint32_t i = f->begin; i < f->end; ++i)
        for (uint32_t k = 0; w->near_pieces[i] && k < w->boundaries; ++k) {
            PxVec3 n;
            if (!px_solid_walls_stands(w, k))
                continue;
            double over = (double)w->radius[i] -
                          px_boundary_distance(w->boundary[k], when, px_solid_place(s, i), &n);
            if (!(over > 0))
                continue;
            sum = px_mad(sum, n, over * over);
            weight += over;
            *depth = fmax(*depth, over);
        }
    return weight > 0 ? px_mat3_apply(px_mat3_transpose(f->turn), px_scale(sum, 1 / weight)) : sum;
}

static void move_out(const PxSolidWalls *w, PxSolid *s, uint32_t number, double when)
{
    PxSolidPiece *p = px_solid_piece(s, number);
    double close = CLOSE * (double)s->particles->radius[s->frame[p->frame].begin], depth;
    for (int pass = 0; pass < PASSES; ++pass) {
        PxVec3 way = way_out(w, s, p, when, &depth);
        if (!(depth > close))
            break;
        p->middle = px_add(p->middle, way);
        px_solid_piece_write(s, number);
    }
}

/* Rows whose centre is in a boundary. */
static void count_leaks(PxSolidWalls *w, const PxSolid *s, const PxSolidPiece *p)
{
    const PxSolidFrame *f = &s->frame[p->frame];
    for (uint32_t i = f->begin; i < f->end; ++i)
        for (uint32_t k = 0; w->near_pieces[i] && k < w->boundaries; ++k) {
            double depth = 0.01 * (double)w->radius[i];
            if (!px_solid_walls_stands(w, k) ||
                !(px_boundary_distance(w->boundary[k], 1, px_solid_place(s, i), NULL) < -depth))
                continue;
            ++w->leaked;
            w->stuck = i < w->stuck ? i : w->stuck;
            break;
        }
}

void px_piece_walls_touch(PxSolidWalls *w, PxSolid *s, double when)
{
    for (uint32_t k = 0; w->near_pieces != NULL && k < px_solid_pieces_count(s); ++k) {
        PxSolidPiece *p = px_solid_piece(s, k);
        double moved = px_solid_pieces_moved(s);
        px_solid_piece_read(s, k);
        uint32_t count = find_contacts(w, s, p, when, moved);
        if (count == 0)
            continue;
        PxVec3 before = p->velocity;
        stop(p, w->contact, count);
        PxVec3 n = hand_over(w, s, p, count);
        /* Friction also corrects the last move, or a piece at rest on a slope would creep down. */
        PxVec3 slide = px_sub(p->velocity, before);
        p->middle = px_mad(p->middle, px_mad(slide, n, -px_dot(slide, n)), moved);
        px_solid_piece_write(s, k);
        move_out(w, s, k, when);
        if (when == 1)
            count_leaks(w, s, p);
    }
}
