/// The forces on the surfels, round by round, and the blend with where they would be without.
#include "surface/coat/inner.h"

#include <string.h>

#define DAMPING 0.9f   /* of the step, a round */
#define STILL 1e-3f    /* a round that moves nobody further is not carried out, spacings */
#define NEAR_WALL 1.0  /* walls further off do not count, spacings */
#define CLING_NEAR 0.5 /* what is nearer to a wall that attracts is fully attracted, spacings */
#define AHEAD_STEPS 5
#define AHEAD_THERE 0.02f   /* spacings */
#define AHEAD_FACING -0.15f /* of the normals of a wall ahead and of a surfel: about 80 degrees */

/* ---- walls ---- */

typedef struct Outside {
    const PxCoat *coat;
    const PxCoatInput *in;
    PxSurfelColumns s;
    float *wall, *pull;
    bool last; /* put them out, and those that are attracted onto the wall */
    bool all;  /* else only those that are new */
} Outside;

/* The plane of the nearest wall, in the coat's lengths: dot(n, x) >= c. Returns how much the wall
 * attracts. */
static double plane_of(const Outside *o, PxVec3 place, float plane[4])
{
    double s = o->coat->def.spacing, nearest = NEAR_WALL * s, cling = 0;
    memset(plane, 0, 4 * sizeof *plane);
    plane[3] = -1.0f; /* 0 > -1: no plane */
    for (size_t k = 0; k < o->in->walls; ++k) {
        const PxWall *wall = &o->in->wall[k];
        PxVec3 rest = px_wall_to_rest(wall, 1, place), away;
        PxVec3 low = wall->bounds.low, high = wall->bounds.high;
        if (!wall->inside && (rest.x < low.x - s || rest.y < low.y - s || rest.z < low.z - s ||
                              rest.x > high.x + s || rest.y > high.y + s || rest.z > high.z + s))
            continue;
        double d = px_wall_near(wall, rest, NEAR_WALL * s, &away);
        if (!(d < nearest))
            continue;
        nearest = d;
        cling = wall->cling;
        PxVec3 n = px_wall_turn_to_world(wall, 1, away);
        PxVec3 on = px_scale(px_sub(px_mad(place, n, -d), o->coat->origin), 1 / s);
        plane[0] = (float)n.x;
        plane[1] = (float)n.y;
        plane[2] = (float)n.z;
        plane[3] = (float)px_dot(n, on);
    }
    return cling;
}

static float above(const Outside *o, uint32_t i)
{
    const float *w = o->wall + 4 * (size_t)i;
    return w[0] * o->s.at[0][i] + w[1] * o->s.at[1][i] + w[2] * o->s.at[2][i] - w[3];
}

/* How much the plane attracts this surfel: fully within CLING_NEAR, and what faces it by less than
 * 60 degrees; not what shows it its side, as at the rim of a pool, or its back. */
static float pull_of(const Outside *o, uint32_t i, double cling)
{
    const float *w = o->wall + 4 * (size_t)i;
    float facing =
        -2.0f * (w[0] * o->s.normal[0][i] + w[1] * o->s.normal[1][i] + w[2] * o->s.normal[2][i]);
    float near = (float)(NEAR_WALL - (double)above(o, i)) / (float)(NEAR_WALL - CLING_NEAR);
    facing = facing < 0.0f ? 0.0f : facing > 1.0f ? 1.0f : facing;
    near = near < 0.0f ? 0.0f : near > 1.0f ? 1.0f : near;
    return (float)cling * facing * near;
}

/* Above a groove the nearest wall is its side. What lies ahead, along the normal, takes its place:
 * steps as long as nothing is nearer end there. */
static void look_ahead(const Outside *o, uint32_t i, double *cling)
{
    float *to = o->wall + 4 * (size_t)i, plane[4], room = above(o, i), gone = 0.0f;
    float at[3] = {o->s.at[0][i], o->s.at[1][i], o->s.at[2][i]};
    double s = o->coat->def.spacing;
    for (int k = 0; k < AHEAD_STEPS && room > 0.0f; ++k) {
        gone += room;
        if (gone > (float)CLING_NEAR)
            return;
        for (int a = 0; a < 3; ++a)
            at[a] += room * o->s.normal[a][i];
        PxVec3 x = px_vec((double)at[0], (double)at[1], (double)at[2]);
        double here = plane_of(o, px_mad(o->coat->origin, x, s), plane);
        float facing = plane[0] * o->s.normal[0][i] + plane[1] * o->s.normal[1][i] +
                       plane[2] * o->s.normal[2][i];
        room = plane[0] * at[0] + plane[1] * at[1] + plane[2] * at[2] - plane[3];
        if (!(here > 0) || facing > AHEAD_FACING)
            continue;
        if (room < AHEAD_THERE) {
            memcpy(to, plane, sizeof plane);
            o->pull[i] = (float)here;
            *cling = here;
            return;
        }
    }
}

/* Out of the wall; and for its molten part onto the wall that attracts it. */
static void put(const Outside *o, uint32_t i)
{
    const float *w = o->wall + 4 * (size_t)i;
    float room = above(o, i), onto = o->pull[i] * o->s.melted[i], n[3], length = 0.0f;
    float share = room < 0.0f ? 1.0f : onto;
    for (int k = 0; k < 3; ++k) {
        o->s.at[k][i] -= share * room * w[k];
        n[k] = (1.0f - onto) * o->s.normal[k][i] - onto * w[k];
        length += n[k] * n[k];
    }
    length = sqrtf(length);
    for (int k = 0; onto > 0.0f && length > 1e-3f && k < 3; ++k)
        o->s.normal[k][i] = n[k] / length;
}

static void outside_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Outside *o = user;
    double s = o->coat->def.spacing;
    for (uint32_t i = begin; i < end; ++i) {
        if (!o->all && !o->s.fresh[i])
            continue;
        if (!o->last && !(o->s.melted[i] > 0.0f)) { /* forces do not act on it */
            const float none[4] = {0.0f, 0.0f, 0.0f, -1.0f};
            memcpy(o->wall + 4 * (size_t)i, none, sizeof none);
            o->pull[i] = 0.0f;
            continue;
        }
        PxVec3 at = px_vec((double)o->s.at[0][i], (double)o->s.at[1][i], (double)o->s.at[2][i]);
        double cling = plane_of(o, px_mad(o->coat->origin, at, s), o->wall + 4 * (size_t)i);
        if (!o->last || !o->all)
            o->pull[i] = cling > 0 ? pull_of(o, i, cling) : 0.0f;
        else if (!(cling > 0)) /* it went beside another wall */
            o->pull[i] = 0.0f;
        if (cling > 0 && o->pull[i] < 0.9f * (float)cling && o->s.melted[i] > 0.0f)
            look_ahead(o, i, &cling);
        if (o->last)
            put(o, i);
    }
}

bool px_coat_cling(const PxCoat *coat, const PxCoatInput *in, float within, float at[3],
                   float normal[3])
{
    Outside o = {.coat = coat, .in = in};
    float plane[4];
    PxVec3 x = px_vec((double)at[0], (double)at[1], (double)at[2]);
    double cling = plane_of(&o, px_mad(coat->origin, x, coat->def.spacing), plane);
    float room = plane[0] * at[0] + plane[1] * at[1] + plane[2] * at[2] - plane[3];
    float facing = plane[0] * normal[0] + plane[1] * normal[1] + plane[2] * normal[2];
    if (!(cling >= 0.5) || !(fabsf(room) < within) || facing > AHEAD_FACING)
        return false;
    for (int k = 0; k < 3; ++k) {
        at[k] -= room * plane[k];
        normal[k] = -plane[k];
    }
    return true;
}

/* ---- rounds ---- */

static void blend(PxCoat *coat)
{
    PxSurfelColumns s = px_surfel_columns(coat);
    double furthest = 0;
    for (uint32_t i = 0; i < coat->surfels.count; ++i) {
        float hot = s.melted[i], cold = 1.0f - hot, n[3], length = 0.0f, way = 0.0f;
        for (int k = 0; k < 3; ++k) { /* Eqs. 6.37, 6.38 */
            if (hot < 1.0f)
                s.at[k][i] = cold * s.base[k][i] + hot * s.at[k][i];
            n[k] = hot < 1.0f ? cold * s.base[3 + k][i] + hot * s.normal[k][i] : s.normal[k][i];
            length += n[k] * n[k];
            way += (s.at[k][i] - s.base[k][i]) * (s.at[k][i] - s.base[k][i]);
        }
        length = sqrtf(length);
        for (int k = 0; length > 1e-3f && k < 3; ++k)
            s.normal[k][i] = n[k] / length;
        if (!s.fresh[i] && (double)way > furthest)
            furthest = (double)way;
    }
    coat->stats.correction = sqrt(furthest);
}

/* Surfels that may push or smooth each other in any of the rounds. */
static PxStatus list_surfels(PxCoat *coat, const PxCoatField *f, PxCoatRound *r)
{
    const PxCoatInput *in = f->in;
    PxSurfelColumns s = px_surfel_columns(coat);
    PxCoatTree tree;
    PX_TRY(px_coat_near(f, s.at, coat->surfels.count, s.melted, &coat->near_rows, &r->near));
    PX_TRY(px_coat_tree_make(in->scratch, in->threads, s.at, coat->surfels.count, &tree));
    r->lists = r->near;
    if (!PX_COAT_TAKE(in, r->lists.start, (size_t)r->near.count + 1) ||
        !PX_COAT_TAKE(in, r->lists.size, (size_t)r->near.count + 1))
        return px_coat_no_room(coat->surfels.count);
    return px_coat_list(in->scratch, in->threads, f->isa, s.at, &tree, 1.05f * coat->reach,
                        s.melted, &coat->surfel_rows, &r->lists);
}

PxStatus px_coat_settle(PxCoat *coat, PxCoatField *f)
{
    const PxCoatInput *in = f->in;
    const PxCoatDef *def = &coat->def;
    uint32_t n = coat->surfels.count;
    PxSurfelColumns s = px_surfel_columns(coat);
    PxArenaMark mark = px_arena_mark(in->scratch);
    float *quad = NULL, *normal_quad = NULL, *part = NULL, *melted = NULL;
    PxCoatRound r = {.f = f,
                     .guide = (float)def->guide,
                     .attract = (float)def->attract,
                     .smooth = (float)def->smooth,
                     .repel = (float)def->repel,
                     .alpha = 1.0f,
                     .level = coat->level,
                     .least = coat->least,
                     .reach = coat->reach,
                     .apart = 0.9f * (float)def->surfel};
    Outside o = {.coat = coat, .in = in, .s = s, .all = true};
    /* Forces act once on what is made where matter tore open, as if it were melted. */
    if (!PX_COAT_TAKE(in, melted, (size_t)n + 1))
        return px_coat_no_room(n);
    memcpy(melted, s.melted, n * sizeof *melted);
    for (uint32_t i = 0; i < n; ++i)
        if (s.fresh[i] && s.raw[i] > 0.0f)
            s.melted[i] = 1.0f;
    PX_TRY(list_surfels(coat, f, &r));
    uint32_t blocks = (r.lists.count + PX_COAT_BUNCHES - 1) / PX_COAT_BUNCHES;
    bool fine = PX_COAT_TAKE(in, quad, px_quads_floats(n)) &&
                PX_COAT_TAKE(in, normal_quad, px_quads_floats(n)) &&
                PX_COAT_TAKE(in, part, (size_t)n + 1) &&
                PX_COAT_TAKE(in, r.largest, (size_t)blocks + 1) &&
                (in->walls == 0 || (PX_COAT_TAKE(in, o.wall, 4 * ((size_t)n + 1)) &&
                                    PX_COAT_TAKE(in, o.pull, (size_t)n + 1)));
    for (int k = 0; k < 3; ++k)
        fine = fine && PX_COAT_TAKE(in, r.to[k], (size_t)n + 1) &&
               PX_COAT_TAKE(in, r.normal[k], (size_t)n + 1);
    if (!fine)
        return px_coat_no_room(n);
    if (in->walls > 0)
        px_parallel_for(in->threads, n, PX_COAT_BLOCK, outside_block, &o);
    r.wall = o.wall;
    r.pull = o.pull;
    r.quad = quad;
    r.normal_quad = normal_quad;
    for (uint32_t i = 0; i < n; ++i)
        part[i] = (float)s.part[i];
    for (uint32_t round = 0; round < def->rounds; ++round) {
        px_quads_pack(quad, s.at[0], s.at[1], s.at[2], s.melted, n, in->threads);
        px_quads_pack(normal_quad, s.normal[0], s.normal[1], s.normal[2], part, n, in->threads);
        px_parallel_for(in->threads, r.lists.count, PX_COAT_BUNCHES,
                        PX_ISA_PICK(f->isa, px_coat_round_block), &r);
        float largest = 0.0f;
        for (uint32_t b = 0; b < blocks; ++b)
            largest = r.largest[b] > largest ? r.largest[b] : largest;
        coat->stats.last_move = (double)largest;
        if (largest < STILL)
            break;
        for (int k = 0; k < 3; ++k) {
            memcpy(s.at[k], r.to[k], n * sizeof(float));
            memcpy(s.normal[k], r.normal[k], n * sizeof(float));
        }
        r.alpha *= DAMPING;
        ++coat->stats.rounds;
    }
    blend(coat);
    if (in->walls > 0) {
        o.last = true;
        px_parallel_for(in->threads, n, PX_COAT_BLOCK, outside_block, &o);
    }
    memcpy(s.melted, melted, n * sizeof *melted);
    px_arena_release(in->scratch, mark);
    return PX_OK;
}

PxStatus px_coat_keep_out(PxCoat *coat, const PxCoatField *f)
{
    uint32_t n = coat->surfels.count;
    Outside o = {.coat = coat, .in = f->in, .s = px_surfel_columns(coat), .last = true};
    if (f->in->walls == 0)
        return PX_OK;
    PxArenaMark mark = px_arena_mark(f->in->scratch);
    if (!PX_COAT_TAKE(f->in, o.wall, 4 * ((size_t)n + 1)) ||
        !PX_COAT_TAKE(f->in, o.pull, (size_t)n + 1))
        return px_coat_no_room(n);
    px_parallel_for(f->in->threads, n, PX_COAT_BLOCK, outside_block, &o);
    px_arena_release(f->in->scratch, mark);
    return PX_OK;
}
