#include "cloth/cloth.h"

#include <stdlib.h>
#include <string.h>

/* Rows are sorted by their number of blocks within windows of so many, so that neighbours stay
 * near. */
#define WINDOW 256u

/* A part under the lower vertex of its pair. */
typedef struct Found {
    uint32_t high, of;
    uint8_t hinge, corner[2];
} Found;

static int compare_found(const void *a, const void *b)
{
    const Found *x = a, *y = b;
    if (x->high != y->high)
        return x->high < y->high ? -1 : 1;
    if (x->hinge != y->hinge)
        return x->hinge - y->hinge;
    return (x->of > y->of) - (x->of < y->of);
}

/* Calls for the pairs of corners of a face or hinge; counts, or fills in where `found` is not
 * NULL. */
static void list(const uint32_t *corner, uint8_t corners, Found part, uint32_t *first, Found *found)
{
    for (uint8_t a = 0; a < corners; ++a)
        for (uint8_t b = 0; b < corners; ++b) {
            if (!(corner[a] < corner[b]))
                continue;
            uint32_t at = first[corner[a]]++;
            if (found == NULL)
                continue;
            found[at] = part;
            found[at].high = corner[b];
            found[at].corner[0] = a;
            found[at].corner[1] = b;
        }
}

static void list_all(const PxClothSystem *s, uint32_t *first, Found *found)
{
    for (uint32_t t = 0; t < s->faces; ++t)
        list(s->face[t].corner, 3, (Found){.of = t}, first, found);
    for (uint32_t t = 0; t < s->hinges; ++t)
        list(s->hinge[t].corner, 4, (Found){.of = t, .hinge = 1}, first, found);
}

/* Makes pairs and their parts from the sorted list; counts the blocks of each vertex. */
static void make_pairs(PxClothSystem *s, const uint32_t *first, const Found *found,
                       uint32_t *blocks)
{
    PxClothPattern *p = &s->pattern;
    uint32_t parts = 0;
    p->pairs = 0;
    for (uint32_t i = 0; i < s->vertices; ++i)
        for (uint32_t k = first[i]; k < first[i + 1]; ++k) {
            const Found *f = &found[k];
            if (k == first[i] || f->high != f[-1].high) {
                p->pair[p->pairs++] =
                    (PxClothPair){.vertex = {i, f->high}, .face = parts, .hinge = parts};
                ++blocks[i];
                ++blocks[f->high];
            }
            p->pair[p->pairs - 1].hinge += !f->hinge;
            p->part[parts++] = (PxClothPart){f->of, {f->corner[0], f->corner[1]}};
        }
    p->pair[p->pairs] = (PxClothPair){.face = parts, .hinge = parts};
}

/* Sorts the rows of a window by their number of blocks, longest first; equal ones keep their
 * order. */
static void sort_window(uint32_t *vertex, uint32_t count, const uint32_t *blocks)
{
    for (uint32_t k = 1; k < count; ++k) {
        uint32_t own = vertex[k], at = k;
        for (; at > 0 && blocks[vertex[at - 1]] < blocks[own]; --at)
            vertex[at] = vertex[at - 1];
        vertex[at] = own;
    }
}

/* Orders rows, and divides the entries among slices. Returns their number. */
static uint32_t make_slices(PxClothSystem *s, const uint32_t *blocks)
{
    PxClothPattern *p = &s->pattern;
    uint32_t n = s->vertices, entries = 0;
    for (uint32_t i = 0; i < n; ++i)
        p->vertex[i] = i;
    for (uint32_t i = 0; i < n; i += WINDOW)
        sort_window(p->vertex + i, n - i < WINDOW ? n - i : WINDOW, blocks);
    for (uint32_t k = n; k < 8 * p->slices; ++k)
        p->vertex[k] = UINT32_MAX;
    for (uint32_t slice = 0; slice < p->slices; ++slice) {
        uint32_t most = 0;
        for (uint32_t k = 8 * slice; k < 8 * slice + 8 && k < n; ++k) {
            p->row[p->vertex[k]] = k;
            most = blocks[p->vertex[k]] > most ? blocks[p->vertex[k]] : most;
        }
        p->first[slice] = entries;
        entries += most;
    }
    p->first[p->slices] = entries;
    return entries;
}

static void fill_entries(PxClothSystem *s, uint32_t *used)
{
    PxClothPattern *p = &s->pattern;
    for (uint32_t slice = 0; slice < p->slices; ++slice)
        for (uint32_t e = p->first[slice]; e < p->first[slice + 1]; ++e)
            for (uint32_t l = 0; l < 8; ++l)
                p->column[8 * (size_t)e + l] = 8 * slice + l;
    memset(used, 0, s->vertices * sizeof *used);
    for (uint32_t k = 0; k < p->pairs; ++k)
        for (int side = 0; side < 2; ++side) {
            uint32_t i = p->pair[k].vertex[side], row = p->row[i];
            uint32_t e = p->first[row / 8] + used[i]++;
            p->column[8 * (size_t)e + row % 8] = p->row[p->pair[k].vertex[1 - side]];
            p->pair[k].at[side] = 72 * e + row % 8;
        }
}

PxStatus px_cloth_pattern_build(PxClothSystem *s)
{
    PxClothPattern *p = &s->pattern;
    PxArena *m = &s->memory;
    size_t n = s->vertices, parts = 3 * (size_t)s->faces + 6 * (size_t)s->hinges;
    p->slices = (s->vertices + 7) / 8;
    p->row = PX_ARENA_ARRAY(m, uint32_t, n + 1);
    p->vertex = PX_ARENA_ARRAY(m, uint32_t, 8 * (size_t)p->slices + 1);
    p->first = PX_ARENA_ARRAY(m, uint32_t, (size_t)p->slices + 1);
    p->pair = PX_ARENA_ARRAY(m, PxClothPair, 3 * (size_t)s->faces + s->hinges + 1);
    p->part = PX_ARENA_ARRAY(m, PxClothPart, parts + 1);
    uint32_t *first = calloc(n + 2, sizeof *first), *blocks = calloc(n + 1, sizeof *blocks);
    Found *found = malloc((parts + 1) * sizeof *found);
    bool room = p->row != NULL && p->vertex != NULL && p->first != NULL && p->pair != NULL &&
                p->part != NULL && first != NULL && blocks != NULL && found != NULL;
    uint64_t entries = 0;
    if (room) {
        list_all(s, first + 2, NULL);
        for (size_t k = 2; k < n + 2; ++k) /* first[i + 1]: where vertex i begins, then ends */
            first[k] += first[k - 1];
        list_all(s, first + 1, found);
        for (size_t i = 0; i < n; ++i)
            qsort(found + first[i], first[i + 1] - first[i], sizeof *found, compare_found);
        make_pairs(s, first, found, blocks);
        entries = make_slices(s, blocks);
        p->column = PX_ARENA_ARRAY(m, uint32_t, 8 * entries + 8);
        p->value = PX_ARENA_ARRAY(m, float, 72 * entries + 8);
        room = p->column != NULL && p->value != NULL && 72 * entries < UINT32_MAX;
    }
    if (room) {
        memset(p->value, 0, 72 * entries * sizeof *p->value);
        fill_entries(s, blocks);
    }
    free(first);
    free(blocks);
    free(found);
    return room ? PX_OK
                : px_fail(PX_ERR_MEMORY, "cloth: no room for a matrix of %u vertices", s->vertices);
}
