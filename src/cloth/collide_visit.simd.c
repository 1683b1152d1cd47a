#include "cloth/collide_visit.h"

#define SMALL 64u   /* nodes below which a task is not divided further */
#define FACING 0.8f /* cosine up to which a normal counts as one of a direction */
#define R2 0.70710678f
#define R3 0.57735027f

/* The axes, diagonals of the sides and of the body of a cube. Hulls have the first 8. */
static const float direction[3][16] = {
    {1, 0, 0, R2, R2, R2, R2, 0, 0, R3, R3, R3, R3, 0, 0, 0},
    {0, 1, 0, R2, -R2, 0, 0, R2, R2, R3, R3, -R3, -R3, 0, 0, 0},
    {0, 0, 1, 0, 0, R2, -R2, R2, -R2, R3, -R3, R3, -R3, 0, 0, 0},
};

typedef struct Hull {
    PxF8 low[2], high[2]; /* at the start and at the end */
} Hull;

PX_INLINE PxF8 project(PxVec3 v, int from)
{
    return px_f8((float)v.x) * px_f8_load(direction[0] + from) +
           px_f8((float)v.y) * px_f8_load(direction[1] + from) +
           px_f8((float)v.z) * px_f8_load(direction[2] + from);
}

PX_INLINE Hull load_hull(const PxClothVisit *j, uint32_t node)
{
    const float *at = j->hull + 32 * (size_t)node;
    return (Hull){{px_f8_load(at), px_f8_load(at + 16)}, {px_f8_load(at + 8), px_f8_load(at + 24)}};
}

PX_INLINE void store_hull(const PxClothVisit *j, uint32_t node, const Hull *h)
{
    float *at = j->hull + 32 * (size_t)node;
    px_f8_store(at, h->low[0]);
    px_f8_store(at + 8, h->high[0]);
    px_f8_store(at + 16, h->low[1]);
    px_f8_store(at + 24, h->high[1]);
}

PX_INLINE Hull hull_of(const PxClothVisit *j, uint32_t vertex)
{
    const float *at = j->place + 16 * (size_t)vertex;
    PxF8 start = px_f8_load(at), end = px_f8_load(at + 8);
    return (Hull){{start, end}, {start, end}};
}

PX_INLINE Hull join(const Hull *a, const Hull *b)
{
    return (Hull){{px_f8_min(a->low[0], b->low[0]), px_f8_min(a->low[1], b->low[1])},
                  {px_f8_max(a->high[0], b->high[0]), px_f8_max(a->high[1], b->high[1])}};
}

PX_INLINE Hull larger(const Hull *h, double start, double end)
{
    PxF8 a = px_f8((float)start), b = px_f8((float)end);
    return (Hull){{h->low[0] - a, h->low[1] - b}, {h->high[0] + a, h->high[1] + b}};
}

/* Do they stay apart? Along one direction and on the same side at both moments. */
PX_INLINE bool apart(const Hull *a, const Hull *b)
{
    PxI8 above = (a->low[0] > b->high[0]) & (a->low[1] > b->high[1]);
    PxI8 below = (a->high[0] < b->low[0]) & (a->high[1] < b->low[1]);
    return px_f8_bits(above | below) != 0;
}

PX_INLINE bool apart_at_start(const Hull *a, const Hull *b)
{
    return px_f8_bits((a->low[0] > b->high[0]) | (a->high[0] < b->low[0])) != 0;
}

/* ---- the hierarchy --------------------------------------------------------------------------- */

void PX_ISA_NAME(px_cloth_visit_places)(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxClothVisit *j = user;
    for (uint32_t i = begin; i < end; ++i) {
        if (!j->out->fresh[i])
            continue;
        PxVec3 x = px_sub(j->s->x[i], j->origin);
        px_f8_store(j->place + 16 * (size_t)i, project(x, 0));
        px_f8_store(j->place + 16 * (size_t)i + 8, project(px_add(x, j->out->way[i]), 0));
    }
}

/* Bits of the directions within which a normal is. */
PX_INLINE uint32_t facing(PxVec3 a, PxVec3 b, PxVec3 c)
{
    PxVec3 n = px_cross(px_sub(b, a), px_sub(c, a));
    PxF8 least = px_f8(FACING * (float)sqrt(px_dot(n, n)));
    PxF8 one = project(n, 0), two = project(n, 8);
    return px_f8_bits(one > least) | px_f8_bits(two > least) << 8 | px_f8_bits(one < -least) << 16 |
           px_f8_bits(two < -least) << 24;
}

void PX_ISA_NAME(px_cloth_visit_faces)(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxClothVisit *j = user;
    const uint8_t *fresh = j->out->fresh;
    for (uint32_t f = begin; f < end; ++f) {
        const uint32_t *c = j->y->face[f].corner;
        if (!fresh[c[0]] && !fresh[c[1]] && !fresh[c[2]])
            continue;
        Hull h = hull_of(j, c[0]);
        PxVec3 x[3], to[3];
        for (int k = 0; k < 3; ++k) {
            Hull more = hull_of(j, c[k]);
            h = join(&h, &more);
            x[k] = j->s->x[c[k]];
            to[k] = px_add(x[k], j->out->way[c[k]]);
        }
        uint32_t n = j->y->leaf_of[f];
        double keep = 0.5 * j->out->thick[j->y->of_face[f]] + j->rounding;
        h = larger(&h, keep, keep + 0.5 * j->out->slack);
        store_hull(j, n, &h);
        j->mask[n] = facing(x[0], x[1], x[2]) & facing(to[0], to[1], to[2]);
    }
}

void PX_ISA_NAME(px_cloth_visit_join)(const PxClothVisit *j, uint32_t n)
{
    Hull a = load_hull(j, n + 1), b = load_hull(j, j->y->node[n + 1].next), h = join(&a, &b);
    store_hull(j, n, &h);
}

/* ---- pairs of two triangles ------------------------------------------------------------------ */

/* Have two triangles a corner around which all normals have a direction in common? Then they do not
 * meet. */
static bool share_flat_corner(const PxClothVisit *j, const uint32_t *a, const uint32_t *b)
{
    for (int k = 0; k < 3; ++k)
        if ((a[k] == b[0] || a[k] == b[1] || a[k] == b[2]) && j->around[a[k]] != 0)
            return true;
    return false;
}

static void pair_faces(PxClothVisit *j, uint32_t m, uint32_t n)
{
    const PxClothSystem *y = j->y;
    uint32_t f = y->node[m].face, g = y->node[n].face;
    const uint32_t *a = y->face[f].corner, *b = y->face[g].corner;
    if (!j->s->law[y->of_face[f]].collides || !j->s->law[y->of_face[g]].collides ||
        share_flat_corner(j, a, b))
        return;
    if (j->out->first) {
        Hull one = load_hull(j, m), two = load_hull(j, n);
        if (!apart_at_start(&one, &two)) {
            px_cloth_visit_cut(j, f, g);
            px_cloth_visit_cut(j, g, f);
        }
    }
    double keep =
        0.5 * (j->out->thick[y->of_face[f]] + j->out->thick[y->of_face[g]]) + 2 * j->rounding;
    Hull va[3], vb[3], ea[3], eb[3];
    for (int k = 0; k < 3; ++k) {
        va[k] = hull_of(j, a[k]);
        vb[k] = hull_of(j, b[k]);
    }
    for (int k = 0; k < 3; ++k) {
        ea[k] = join(&va[k], &va[(k + 1) % 3]);
        ea[k] = larger(&ea[k], keep, keep + j->out->slack);
        eb[k] = join(&vb[k], &vb[(k + 1) % 3]);
    }
    Hull fa = join(&ea[0], &ea[1]), fb = join(&eb[0], &eb[1]);
    fb = larger(&fb, keep, keep + j->out->slack);
    for (int k = 0; k < 3; ++k) {
        if ((y->owns[f] & (1u << k)) && !apart(&va[k], &fb))
            px_cloth_visit_add(j, (uint32_t[4]){a[k], b[0], b[1], b[2]}, false, f, g);
        if ((y->owns[g] & (1u << k)) && !apart(&vb[k], &fa))
            px_cloth_visit_add(j, (uint32_t[4]){b[k], a[0], a[1], a[2]}, false, g, f);
        for (int l = 0; l < 3 && (y->owns[f] & (8u << k)); ++l)
            if ((y->owns[g] & (8u << l)) && !apart(&ea[k], &eb[l]))
                px_cloth_visit_add(j, (uint32_t[4]){a[k], a[(k + 1) % 3], b[l], b[(l + 1) % 3]},
                                   true, f, g);
    }
}

/* ---- pairs of nodes -------------------------------------------------------------------------- */

static bool is_leaf(const PxClothVisit *j, uint32_t n)
{
    return j->y->node[n].face != UINT32_MAX;
}

static uint32_t size_of(const PxClothVisit *j, uint32_t n)
{
    return j->y->node[n].next - n;
}

static void put_task(PxClothVisit *j, uint32_t a, uint32_t b)
{
    if (j->tasks < j->most)
        j->task[j->tasks] = (PxClothTask){a, b};
    ++j->tasks;
}

static void visit_two(PxClothVisit *j, uint32_t a, uint32_t b, bool divide)
{
    if (!j->fresh[a] && !j->fresh[b])
        return;
    Hull one = load_hull(j, a), two = load_hull(j, b);
    if (apart(&one, &two))
        return;
    if (divide && size_of(j, a) + size_of(j, b) <= 2 * SMALL) {
        put_task(j, a, b);
        return;
    }
    if (is_leaf(j, a) && is_leaf(j, b)) {
        pair_faces(j, a, b);
        return;
    }
    if (is_leaf(j, a) || (!is_leaf(j, b) && size_of(j, b) > size_of(j, a))) {
        visit_two(j, a, b + 1, divide);
        visit_two(j, a, j->y->node[b + 1].next, divide);
    } else {
        visit_two(j, a + 1, b, divide);
        visit_two(j, j->y->node[a + 1].next, b, divide);
    }
}

/* All pairs within a node. With `divide`, small parts become tasks. */
static void visit_one(PxClothVisit *j, uint32_t n, bool divide)
{
    if (is_leaf(j, n) || !j->fresh[n] || (j->mask[n] != 0 && j->y->node[n].piece != UINT32_MAX))
        return;
    if (divide && size_of(j, n) <= SMALL) {
        put_task(j, n, n);
        return;
    }
    uint32_t second = j->y->node[n + 1].next;
    visit_one(j, n + 1, divide);
    visit_one(j, second, divide);
    visit_two(j, n + 1, second, divide);
}

void PX_ISA_NAME(px_cloth_visit_divide)(PxClothVisit *j)
{
    j->tasks = 0;
    if (j->y->nodes > 0)
        visit_one(j, 0, true);
}

void PX_ISA_NAME(px_cloth_visit_tasks)(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    PxClothVisit *j = user;
    for (uint32_t k = begin; k < end; ++k)
        if (j->task[k].a == j->task[k].b)
            visit_one(j, j->task[k].a, false);
        else
            visit_two(j, j->task[k].a, j->task[k].b, false);
}
