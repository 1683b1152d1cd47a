/// The hierarchy over the triangles of cloth.
#include "cloth/collide.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Item {
    uint32_t face, piece;
    double key;
} Item;

static int compare_items(const void *a, const void *b)
{
    const Item *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->face > y->face) - (x->face < y->face);
}

static PxVec3 middle_of(const PxClothSystem *s, const PxVec3 *x, uint32_t face)
{
    const uint32_t *c = s->face[face].corner;
    return px_add(x[c[0]], px_add(x[c[1]], x[c[2]])); /* times 3 */
}

/* Splits items [begin, end) at the median of the longest side, or, if they belong to several
 * connected pieces, between two of these. Children come after their parent, so that a loop from the
 * last node to the first one finds hulls of children ready. */
static uint32_t build(PxClothSystem *s, const PxVec3 *x, Item *item, uint32_t begin, uint32_t end)
{
    uint32_t own = s->nodes++, half = begin + (end - begin) / 2;
    bool one = item[begin].piece == item[end - 1].piece;
    s->node[own] = (PxClothNode){.face = UINT32_MAX, .piece = one ? item[begin].piece : UINT32_MAX};
    if (end - begin == 1) {
        s->node[own].face = item[begin].face;
        s->leaf_of[item[begin].face] = own;
    } else if (one) {
        PxBounds b = px_bounds_empty();
        for (uint32_t k = begin; k < end; ++k)
            px_bounds_add(&b, middle_of(s, x, item[k].face));
        PxVec3 size = px_sub(b.high, b.low);
        int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
        for (uint32_t k = begin; k < end; ++k) {
            PxVec3 m = middle_of(s, x, item[k].face);
            item[k].key = axis == 0 ? m.x : axis == 1 ? m.y : m.z;
        }
        qsort(item + begin, end - begin, sizeof *item, compare_items);
    } else {
        uint32_t low = half, high = half;
        while (low > begin && item[low].piece == item[low - 1].piece)
            --low;
        while (high < end && item[high].piece == item[high - 1].piece)
            ++high;
        half = low > begin && (high == end || half - low < high - half) ? low : high;
    }
    if (end - begin > 1) {
        build(s, x, item, begin, half);
        build(s, x, item, half, end);
    }
    s->node[own].next = s->nodes;
    return own;
}

static uint32_t root_of(uint32_t *up, uint32_t i)
{
    while (up[i] != i)
        i = up[i] = up[up[i]];
    return i;
}

/* Lists the faces, those of one connected piece after another. */
static void list_pieces(const PxClothSystem *s, uint32_t *up, Item *item)
{
    for (uint32_t i = 0; i < s->vertices; ++i)
        up[i] = i;
    for (uint32_t f = 0; f < s->faces; ++f)
        for (int k = 1; k < 3; ++k) {
            uint32_t a = root_of(up, s->face[f].corner[0]), b = root_of(up, s->face[f].corner[k]);
            up[a > b ? a : b] = a > b ? b : a;
        }
    for (uint32_t f = 0; f < s->faces; ++f) {
        uint32_t piece = root_of(up, s->face[f].corner[0]);
        item[f] = (Item){f, piece, (double)piece};
    }
    qsort(item, s->faces, sizeof *item, compare_items);
}

typedef struct Edge {
    uint32_t low, high, face;
} Edge;

static int compare_edges(const void *a, const void *b)
{
    const Edge *x = a, *y = b;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    if (x->high != y->high)
        return x->high < y->high ? -1 : 1;
    return (x->face > y->face) - (x->face < y->face);
}

/* Gives each vertex and edge to the first of its triangles: bits 0 to 2 of owns[] are corners, bits
 * 3 to 5 the edges from them to the next one. */
static void give(PxClothSystem *s, Edge *edge)
{
    size_t count = (size_t)3 * s->faces;
    memset(s->owns, 0, s->faces);
    for (uint32_t i = 0; i < s->vertices; ++i)
        if (s->first_face[i] < s->first_face[i + 1]) {
            const PxClothUse *use = &s->faces_of[s->first_face[i]];
            s->owns[use->of] |= (uint8_t)(1u << use->corner);
        }
    for (uint32_t f = 0; f < s->faces; ++f)
        for (int k = 0; k < 3; ++k) {
            uint32_t a = s->face[f].corner[k], b = s->face[f].corner[(k + 1) % 3];
            edge[3 * (size_t)f + (size_t)k] =
                (Edge){a < b ? a : b, a < b ? b : a, 4 * f + (uint32_t)k};
        }
    qsort(edge, count, sizeof *edge, compare_edges);
    for (size_t k = 0; k < count; ++k)
        if (k == 0 || edge[k].low != edge[k - 1].low || edge[k].high != edge[k - 1].high)
            s->owns[edge[k].face / 4] |= (uint8_t)(8u << (edge[k].face % 4));
}

static PxStatus list_branches(PxClothSystem *s, uint32_t *seen)
{
    PxClothBranches *b = &s->branch;
    PxArena *m = &s->memory;
    *b = (PxClothBranches){.node = PX_ARENA_ARRAY(m, uint32_t, s->faces + 1),
                           .first = PX_ARENA_ARRAY(m, uint32_t, s->faces + 2),
                           .vertex = PX_ARENA_ARRAY(m, uint32_t, 3 * (size_t)s->faces + 1),
                           .upper = PX_ARENA_ARRAY(m, PxClothUpper, 2 * (size_t)s->faces + 1),
                           .upper_of = PX_ARENA_ARRAY(m, uint32_t, s->faces + 1)};
    if (b->node == NULL || b->first == NULL || b->vertex == NULL || b->upper == NULL ||
        b->upper_of == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u triangles", s->faces);
    uint32_t count = 0;
    memset(seen, 0xff, s->vertices * sizeof *seen);
    for (uint32_t n = 0; n < s->nodes;) {
        uint32_t next = s->node[n].next;
        if (next - n >= 2 * PX_CLOTH_BRANCH) {
            b->upper[b->uppers++].branch = UINT32_MAX;
            ++n;
            continue;
        }
        b->upper[b->uppers++].branch = b->count;
        b->upper_of[b->count] = b->uppers - 1;
        b->node[b->count] = n;
        b->first[b->count] = count;
        for (; n < next; ++n)
            for (int k = 0; k < 3 && s->node[n].face != UINT32_MAX; ++k) {
                uint32_t v = s->face[s->node[n].face].corner[k];
                if (seen[v] != b->count)
                    b->vertex[count++] = v;
                seen[v] = b->count;
            }
        ++b->count;
    }
    b->first[b->count] = count;
    for (uint32_t k = b->uppers; k-- > 0;) { /* children come after their parent */
        const PxClothUpper *child = &b->upper[k + 1];
        b->upper[k].next = b->upper[k].branch != UINT32_MAX ? k + 1 : b->upper[child->next].next;
    }
    return PX_OK;
}

PxStatus px_cloth_tree_build(PxClothSystem *s, const PxVec3 *x)
{
    PxArena *m = &s->memory;
    s->node = PX_ARENA_ARRAY(m, PxClothNode, 2 * (size_t)s->faces + 1);
    s->leaf_of = PX_ARENA_ARRAY(m, uint32_t, s->faces + 1);
    s->owns = PX_ARENA_ARRAY(m, uint8_t, s->faces + 1);
    s->pairs = PX_ARENA_ARRAY(m, uint32_t, 1);
    Item *item = malloc(((size_t)s->faces + 1) * sizeof *item);
    Edge *edge = malloc((3 * (size_t)s->faces + 1) * sizeof *edge);
    uint32_t *up = malloc(((size_t)s->vertices + 1) * sizeof *up);
    s->nodes = 0;
    bool room = s->node != NULL && s->leaf_of != NULL && s->owns != NULL && s->pairs != NULL &&
                item != NULL && edge != NULL && up != NULL;
    if (room)
        *s->pairs = s->faces;
    if (room && s->faces > 0) {
        list_pieces(s, up, item);
        build(s, x, item, 0, s->faces);
        give(s, edge);
    }
    PxStatus status = room ? list_branches(s, up)
                           : px_fail(PX_ERR_MEMORY, "cloth: no room for %u boxes", 2 * s->faces);
    free(item);
    free(edge);
    free(up);
    return status;
}
