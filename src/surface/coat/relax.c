/// Relaxation of the surfels: iterates the forces of relax.simd.c, keeps surfels out of walls, and
/// blends the result with the advected positions by the molten fraction.
#include "surface/coat/coat_parts.h"

#include <string.h>

#define DAMPING 0.9f   /* factor of the step size per iteration */
#define STILL 1e-3f    /* the iteration stops when no surfel moves further than this, spacings */
#define NEAR_WALL 1.0  /* walls further away are ignored, spacings */
#define CLING_NEAR 0.5 /* an attracting wall acts fully within this distance, spacings */
#define AHEAD_STEPS 5
#define AHEAD_THERE 0.02f /* counts as on the wall, spacings */
/* Largest cosine between the normals of surfel and wall: about 100 degrees. */
#define AHEAD_FACING -0.15f

/* ---- walls ---- */

typedef struct Walls {
    const PxCoat *coat;
    const PxCoatInput *in;
    PxSurfelColumns s;
    float *wall, *pull;
    bool last; /* move surfels out of walls, and attracted ones onto them */
    bool all;  /* else only surfels made in this frame */
} Walls;

static bool take_walls(Walls *o, uint32_t surfels)
{
    return PX_COAT_TAKE(o->in, o->wall, 4 * ((size_t)surfels + 1)) &&
           PX_COAT_TAKE(o->in, o->pull, (size_t)surfels + 1);
}

static void set_plane(const Walls *o, PxVec3 place, PxVec3 n, double distance, float plane[4])
{
    PxVec3 on = px_sub(px_mad(place, n, -distance), o->coat->origin);
    plane[0] = (float)n.x;
    plane[1] = (float)n.y;
    plane[2] = (float)n.z;
    plane[3] = (float)(px_dot(n, on) / o->coat->def.spacing);
}

/* Distance to the surface of a deformable body, negative inside; INFINITY if it is not near. */
static double distance_to_mould(const PxCoatMould *mould, PxVec3 place, double within, PxVec3 *n)
{
    const PxPointSurface *s = &mould->surface;
    PxVec3 low = mould->bounds.low, high = mould->bounds.high, foot;
    if (place.x < low.x - within || place.y < low.y - within || place.z < low.z - within ||
        place.x > high.x + within || place.y > high.y + within || place.z > high.z + within)
        return INFINITY;
    uint32_t k = px_point_surface_nearest(s, place);
    PxVec3 to =
        px_vec((double)s->position[0][k], (double)s->position[1][k], (double)s->position[2][k]);
    if (px_length(px_sub(place, to)) > within + s->spacing)
        return INFINITY;
    return px_point_surface_project(s, place, &foot, n);
}

/* The tangent plane of the nearest wall or mould, in the coat's coordinates: dot(n, x) >= c.
 * Returns its attraction (`cling`). */
static double nearest_plane(const Walls *o, PxVec3 place, float plane[4])
{
    double s = o->coat->def.spacing, nearest = NEAR_WALL * s, cling = 0;
    memset(plane, 0, 4 * sizeof *plane);
    plane[3] = -1.0f; /* n = 0: no wall near */
    for (size_t k = 0; k < o->in->walls; ++k) {
        const PxWall *wall = &o->in->wall[k];
        PxVec3 rest = px_wall_to_rest(wall, 1, place), away;
        PxVec3 low = wall->bounds.low, high = wall->bounds.high;
        if (!wall->inside && (rest.x < low.x - s || rest.y < low.y - s || rest.z < low.z - s ||
                              rest.x > high.x + s || rest.y > high.y + s || rest.z > high.z + s))
            continue;
        double d = px_wall_near(wall, 1, rest, NEAR_WALL * s, &away);
        if (!(d < nearest))
            continue;
        nearest = d;
        cling = wall->cling;
        set_plane(o, place, px_wall_turn_to_world(wall, 1, away), d, plane);
    }
    for (size_t k = 0; k < o->in->moulds; ++k) {
        PxVec3 n;
        double d = distance_to_mould(&o->in->mould[k], place, NEAR_WALL * s, &n);
        if (!(d < nearest))
            continue;
        nearest = d;
        cling = o->in->mould[k].cling;
        set_plane(o, place, n, d, plane);
    }
    return cling;
}

static float distance_to_plane(const Walls *o, uint32_t i)
{
    const float *w = o->wall + 4 * (size_t)i;
    return w[0] * o->s.at[0][i] + w[1] * o->s.at[1][i] + w[2] * o->s.at[2][i] - w[3];
}

/* Attraction of the wall plane on this surfel: full within CLING_NEAR for surfels whose outward
 * normal is within 60 degrees of the direction into the wall, falling to 0 at 90 degrees. The
 * free surface at the rim of a pool is not attracted. */
static float attraction(const Walls *o, uint32_t i, double cling)
{
    const float *w = o->wall + 4 * (size_t)i;
    float facing =
        -2.0f * (w[0] * o->s.normal[0][i] + w[1] * o->s.normal[1][i] + w[2] * o->s.normal[2][i]);
    float near =
        (float)(NEAR_WALL - (double)distance_to_plane(o, i)) / (float)(NEAR_WALL - CLING_NEAR);
    facing = facing < 0.0f ? 0.0f : facing > 1.0f ? 1.0f : facing;
    near = near < 0.0f ? 0.0f : near > 1.0f ? 1.0f : near;
    return (float)cling * facing * near;
}

/* Above a groove the nearest wall is the groove's side. Sphere tracing along the surfel's normal
 * finds its bottom, which replaces the nearest wall. */
static void find_wall_ahead(const Walls *o, uint32_t i, double *cling)
{
    float *to = o->wall + 4 * (size_t)i, plane[4], room = distance_to_plane(o, i), gone = 0.0f;
    float at[3] = {o->s.at[0][i], o->s.at[1][i], o->s.at[2][i]};
    double s = o->coat->def.spacing;
    for (int k = 0; k < AHEAD_STEPS && room > 0.0f; ++k) {
        gone += room;
        if (gone > (float)CLING_NEAR)
            return;
        for (int a = 0; a < 3; ++a)
            at[a] += room * o->s.normal[a][i];
        PxVec3 x = px_vec((double)at[0], (double)at[1], (double)at[2]);
        double here = nearest_plane(o, px_mad(o->coat->origin, x, s), plane);
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

/* Projects a surfel out of the wall; an attracted one onto it by its molten fraction. */
static void move_out(const Walls *o, uint32_t i)
{
    const float *w = o->wall + 4 * (size_t)i;
    float room = distance_to_plane(o, i), onto = o->pull[i] * o->s.melted[i], n[3], length = 0.0f;
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

static void wall_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Walls *o = user;
    double s = o->coat->def.spacing;
    for (uint32_t i = begin; i < end; ++i) {
        if (!o->all && !o->s.fresh[i])
            continue;
        if (!o->last && !(o->s.melted[i] > 0.0f)) { /* solid: no forces */
            const float none[4] = {0.0f, 0.0f, 0.0f, -1.0f};
            memcpy(o->wall + 4 * (size_t)i, none, sizeof none);
            o->pull[i] = 0.0f;
            continue;
        }
        PxVec3 at = px_vec((double)o->s.at[0][i], (double)o->s.at[1][i], (double)o->s.at[2][i]);
        double cling = nearest_plane(o, px_mad(o->coat->origin, at, s), o->wall + 4 * (size_t)i);
        if (!o->last || !o->all)
            o->pull[i] = cling > 0 ? attraction(o, i, cling) : 0.0f;
        else if (!(cling > 0)) /* it moved next to another wall */
            o->pull[i] = 0.0f;
        if (cling > 0 && o->pull[i] < 0.9f * (float)cling && o->s.melted[i] > 0.0f)
            find_wall_ahead(o, i, &cling);
        if (o->last)
            move_out(o, i);
    }
}

bool px_coat_snap_to_wall(const PxCoat *coat, const PxCoatInput *in, float within, float at[3],
                          float normal[3])
{
    Walls o = {.coat = coat, .in = in};
    float plane[4];
    PxVec3 x = px_vec((double)at[0], (double)at[1], (double)at[2]);
    double cling = nearest_plane(&o, px_mad(coat->origin, x, coat->def.spacing), plane);
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

/* ---- relaxation ---- */

/* Buffers of the iteration. */
typedef struct Relaxation {
    float *quad, *normal_quad, *component;
    uint32_t blocks;
} Relaxation;

/* Blends advected and relaxed surfels by the molten fraction (Eqs. 6.37, 6.38). */
static void blend(PxCoat *coat)
{
    PxSurfelColumns s = px_surfel_columns(coat);
    double furthest = 0;
    for (uint32_t i = 0; i < coat->surfels.count; ++i) {
        float hot = s.melted[i], cold = 1.0f - hot, n[3], length = 0.0f, way = 0.0f;
        for (int k = 0; k < 3; ++k) {
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

/* Lists of neighbouring surfels and particles that are valid for all iterations. */
static PxStatus list_surfels(PxCoat *coat, const PxCoatField *f, PxCoatRound *r)
{
    const PxCoatInput *in = f->in;
    PxSurfelColumns s = px_surfel_columns(coat);
    PxCoatTree tree;
    PX_TRY(
        px_coat_list_particles(f, s.at, coat->surfels.count, s.melted, &coat->near_rows, &r->near));
    PX_TRY(px_coat_tree_make(in->scratch, in->threads, s.at, coat->surfels.count, &tree));
    r->lists = r->near;
    if (!PX_COAT_TAKE(in, r->lists.start, (size_t)r->near.count + 1) ||
        !PX_COAT_TAKE(in, r->lists.size, (size_t)r->near.count + 1))
        return px_coat_no_room(coat->surfels.count);
    return px_coat_list(in->scratch, in->threads, f->isa, s.at, &tree,
                        1.05f * coat->smoothing_radius, s.melted, &coat->surfel_rows, &r->lists);
}

static bool take_iteration(const PxCoatInput *in, uint32_t n, PxCoatRound *r, Relaxation *x)
{
    x->blocks = (r->lists.count + PX_COAT_BUNCHES - 1) / PX_COAT_BUNCHES;
    bool fine = PX_COAT_TAKE(in, x->quad, px_quads_floats(n)) &&
                PX_COAT_TAKE(in, x->normal_quad, px_quads_floats(n)) &&
                PX_COAT_TAKE(in, x->component, (size_t)n + 1) &&
                PX_COAT_TAKE(in, r->largest, (size_t)x->blocks + 1);
    for (int k = 0; k < 3; ++k)
        fine = fine && PX_COAT_TAKE(in, r->to[k], (size_t)n + 1) &&
               PX_COAT_TAKE(in, r->normal[k], (size_t)n + 1);
    return fine;
}

/* Iterates the forces until the surfels rest, or for def.rounds iterations. */
static PxStatus iterate(PxCoat *coat, const PxCoatField *f, PxCoatRound *r, const Relaxation *x)
{
    const PxThreads *threads = f->in->threads;
    uint32_t n = coat->surfels.count;
    PxSurfelColumns s = px_surfel_columns(coat);
    for (uint32_t i = 0; i < n; ++i)
        x->component[i] = (float)s.component[i];
    r->quad = x->quad;
    r->normal_quad = x->normal_quad;
    for (uint32_t round = 0; round < coat->def.rounds; ++round) {
        px_quads_pack(x->quad, s.at[0], s.at[1], s.at[2], s.melted, n, threads);
        px_quads_pack(x->normal_quad, s.normal[0], s.normal[1], s.normal[2], x->component, n,
                      threads);
        PX_TRY(px_parallel_try(threads, r->lists.count, PX_COAT_BUNCHES,
                               PX_ISA_PICK(f->isa, px_coat_round_block), r));
        float largest = 0.0f;
        for (uint32_t b = 0; b < x->blocks; ++b)
            largest = r->largest[b] > largest ? r->largest[b] : largest;
        coat->stats.last_move = (double)largest;
        if (largest < STILL)
            break;
        for (int k = 0; k < 3; ++k) {
            memcpy(s.at[k], r->to[k], n * sizeof(float));
            memcpy(s.normal[k], r->normal[k], n * sizeof(float));
        }
        r->alpha *= DAMPING;
        ++coat->stats.rounds;
    }
    return PX_OK;
}

PxStatus px_coat_relax(PxCoat *coat, PxCoatField *f)
{
    const PxCoatInput *in = f->in;
    const PxCoatDef *def = &coat->def;
    uint32_t n = coat->surfels.count;
    PxSurfelColumns s = px_surfel_columns(coat);
    PxArenaMark mark = px_arena_mark(in->scratch);
    float *melted = NULL;
    bool walled = in->walls > 0 || in->moulds > 0;
    PxCoatRound r = {.f = f,
                     .guide = (float)def->guide,
                     .attract = (float)def->attract,
                     .smooth = (float)def->smooth,
                     .repel = (float)def->repel,
                     .alpha = 1.0f,
                     .level = coat->level,
                     .least = coat->min_value,
                     .reach = coat->smoothing_radius,
                     .apart = 0.9f * (float)def->surfel};
    Relaxation x;
    Walls o = {.coat = coat, .in = in, .s = s, .all = true};
    /* Surfels made on a fracture surface are relaxed once, as if they were molten, and so are those
     * whose detail yields, by their part. */
    if (!PX_COAT_TAKE(in, melted, (size_t)n + 1))
        return px_coat_no_room(n);
    memcpy(melted, s.melted, n * sizeof *melted);
    for (uint32_t i = 0; i < n; ++i)
        s.melted[i] = s.fresh[i] && s.raw[i] > 0.0f ? 1.0f
                      : s.yields[i] > s.melted[i]   ? s.yields[i]
                                                    : s.melted[i];
    PX_TRY(list_surfels(coat, f, &r));
    if (!take_iteration(in, n, &r, &x) || (walled && !take_walls(&o, n)))
        return px_coat_no_room(n);
    if (walled)
        PX_TRY(px_parallel_try(in->threads, n, PX_COAT_BLOCK, wall_block, &o));
    r.wall = o.wall;
    r.pull = o.pull;
    PX_TRY(iterate(coat, f, &r, &x));
    blend(coat);
    if (walled) {
        o.last = true;
        PX_TRY(px_parallel_try(in->threads, n, PX_COAT_BLOCK, wall_block, &o));
    }
    memcpy(s.melted, melted, n * sizeof *melted);
    px_arena_release(in->scratch, mark);
    return PX_OK;
}

PxStatus px_coat_keep_out(PxCoat *coat, const PxCoatField *f)
{
    uint32_t n = coat->surfels.count;
    Walls o = {.coat = coat, .in = f->in, .s = px_surfel_columns(coat), .last = true};
    if (f->in->walls == 0 && f->in->moulds == 0)
        return PX_OK;
    PxArenaMark mark = px_arena_mark(f->in->scratch);
    if (!take_walls(&o, n))
        return px_coat_no_room(n);
    PX_TRY(px_parallel_try(f->in->threads, n, PX_COAT_BLOCK, wall_block, &o));
    px_arena_release(f->in->scratch, mark);
    return PX_OK;
}
