/// The topology of all cloth: which triangles and hinges a vertex has.
#include "cloth/collide.h"

#include <string.h>

void px_cloth_system_init(PxClothSystem *s, const PxAllocator *allocator)
{
    memset(s, 0, sizeof *s);
    px_arena_init(&s->memory, allocator);
}

void px_cloth_system_free(PxClothSystem *s)
{
    px_arena_free(&s->memory);
}

/* Number of uses by vertex -> first use, with one more entry for the end. */
static void sum_up(uint32_t *first, uint32_t count)
{
    uint32_t sum = 0;
    for (uint32_t k = 0; k <= count; ++k) {
        uint32_t own = first[k];
        first[k] = sum;
        sum += own;
    }
}

static void list_uses(PxClothSystem *s, uint32_t *fill)
{
    memset(s->first_face, 0, (s->vertices + 1) * sizeof *s->first_face);
    memset(s->first_hinge, 0, (s->vertices + 1) * sizeof *s->first_hinge);
    for (uint32_t t = 0; t < s->faces; ++t)
        for (int c = 0; c < 3; ++c)
            ++s->first_face[s->face[t].corner[c]];
    for (uint32_t t = 0; t < s->hinges; ++t)
        for (int c = 0; c < 4; ++c)
            ++s->first_hinge[s->hinge[t].corner[c]];
    sum_up(s->first_face, s->vertices);
    sum_up(s->first_hinge, s->vertices);
    memcpy(fill, s->first_face, s->vertices * sizeof *fill);
    for (uint32_t t = 0; t < s->faces; ++t)
        for (uint32_t c = 0; c < 3; ++c)
            s->faces_of[fill[s->face[t].corner[c]]++] = (PxClothUse){.of = t, .corner = c};
    memcpy(fill, s->first_hinge, s->vertices * sizeof *fill);
    for (uint32_t t = 0; t < s->hinges; ++t)
        for (uint32_t c = 0; c < 4; ++c)
            s->hinges_of[fill[s->hinge[t].corner[c]]++] = (PxClothUse){.of = t, .corner = c};
}

static void copy_sheet(PxClothSystem *s, const PxClothSheet *sheet, uint32_t cloth)
{
    uint32_t first = s->vertices, face = s->faces, edge = s->edges;
    for (uint32_t k = 0; k < sheet->vertices; ++k) {
        s->share[first + k] = sheet->share[k];
        s->of_vertex[first + k] = cloth;
    }
    for (uint32_t t = 0; t < sheet->faces; ++t) {
        PxClothFace *f = &s->face[s->faces];
        *f = sheet->face[t];
        for (int c = 0; c < 3; ++c) {
            f->corner[c] += first;
            f->edge[c] += edge;
        }
        s->of_face[s->faces++] = cloth;
    }
    for (uint32_t t = 0; t < sheet->hinges; ++t) {
        PxClothHinge *h = &s->hinge[s->hinges];
        *h = sheet->hinge[t];
        for (int c = 0; c < 4; ++c)
            h->corner[c] += first;
        for (int c = 0; c < 2; ++c)
            h->face[c] += face;
        s->edge_of_hinge[s->hinges] = edge + t;
        s->of_hinge[s->hinges++] = cloth;
    }
    for (uint32_t e = 0; e < sheet->hinges + sheet->borders; ++e)
        s->torn[edge + e] = sheet->whole != NULL && e >= sheet->hinges &&
                            sheet->edge_from[e] / 2 < sheet->whole->hinges;
    s->vertices += sheet->vertices;
    s->edges += sheet->hinges + sheet->borders;
}

/* Lists the triangles of edges, in the order that hinges have. */
static void list_edges(PxClothSystem *s)
{
    for (uint32_t e = 0; e < s->edges; ++e)
        s->edges_of[e] = (PxClothEdge){.face = {UINT32_MAX, UINT32_MAX}, .hinge = UINT32_MAX};
    for (uint32_t h = 0; h < s->hinges; ++h) {
        PxClothEdge *e = &s->edges_of[s->edge_of_hinge[h]];
        e->hinge = h;
        memcpy(e->face, s->hinge[h].face, sizeof e->face);
    }
    for (uint32_t t = 0; t < s->faces; ++t)
        for (uint32_t k = 0; k < 3; ++k) {
            PxClothEdge *e = &s->edges_of[s->face[t].edge[k]];
            if (e->hinge == UINT32_MAX)
                e->face[0] = t;
            e->side[e->face[0] != t] = k;
        }
}

static uint32_t root_of(uint32_t *up, uint32_t i)
{
    while (up[i] != i)
        i = up[i] = up[up[i]];
    return i;
}

/* Numbers the connected pieces in the order of their first vertices. */
static void find_pieces(PxClothSystem *s, uint32_t *up)
{
    for (uint32_t i = 0; i < s->vertices; ++i)
        up[i] = i;
    for (uint32_t f = 0; f < s->faces; ++f)
        for (int k = 1; k < 3; ++k) {
            uint32_t a = root_of(up, s->face[f].corner[0]), b = root_of(up, s->face[f].corner[k]);
            up[a > b ? a : b] = a > b ? b : a;
        }
    s->pieces = 0;
    for (uint32_t i = 0; i < s->vertices; ++i) { /* a root is the first vertex of its piece */
        uint32_t root = root_of(up, i);
        s->piece[i] = root == i ? s->pieces++ : s->piece[root];
    }
}

static PxStatus make_seen(PxClothSystem *s)
{
    PxArena *m = &s->memory;
    s->seen = PX_ARENA_ARRAY(m, PxClothSeen, 1);
    if (s->seen != NULL)
        *s->seen = (PxClothSeen){.x = PX_ARENA_ARRAY(m, PxVec3, s->vertices + 1),
                                 .wetness = PX_ARENA_ARRAY(m, double, s->vertices + 1),
                                 .law = PX_ARENA_ARRAY(m, PxClothLaw, s->cloths + 1),
                                 .face = PX_ARENA_ARRAY(m, PxClothFaceState, s->faces + 1),
                                 .hinge = PX_ARENA_ARRAY(m, PxClothHingeState, s->hinges + 1),
                                 .held = PX_ARENA_ARRAY(m, uint8_t, s->vertices + 1),
                                 .plate = PX_ARENA_ARRAY(m, PxClothPlate, s->faces + 1),
                                 .bent = PX_ARENA_ARRAY(m, double, s->faces + 1)};
    bool room = s->seen != NULL;
    if (room) {
        double **of_edge[] = {&s->seen->rest,  &s->seen->from, &s->seen->lean, &s->seen->half,
                              &s->seen->scale, &s->seen->by,   &s->seen->move};
        for (size_t k = 0; k < PX_COUNT(of_edge); ++k)
            room = (*of_edge[k] = PX_ARENA_ARRAY(m, double, s->edges + 1)) != NULL && room;
        s->seen->moment = PX_ARENA_ARRAY(m, double, 3 * (size_t)s->faces + 1);
        for (uint32_t e = 0; room && e < s->edges; ++e)
            s->seen->lean[e] = 0;
    }
    if (!room || s->seen->x == NULL || s->seen->wetness == NULL || s->seen->law == NULL ||
        s->seen->face == NULL || s->seen->hinge == NULL || s->seen->moment == NULL ||
        s->seen->bent == NULL || s->seen->held == NULL || s->seen->plate == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u triangles", s->faces);
    return PX_OK;
}

PxStatus px_cloth_system_build(PxClothSystem *s, const PxCloth *cloth, size_t cloths)
{
    size_t n = 0, faces = 0, hinges = 0, edges = 0;
    for (size_t k = 0; k < cloths; ++k) {
        n += cloth[k].sheet->vertices;
        faces += cloth[k].sheet->faces;
        hinges += cloth[k].sheet->hinges;
        edges += (size_t)cloth[k].sheet->hinges + cloth[k].sheet->borders;
    }
    s->vertices = s->faces = s->hinges = s->edges = 0;
    s->cloths = (uint32_t)cloths;
    PX_TRY(px_arena_reset(&s->memory));
    PxArena *m = &s->memory;
    s->face = PX_ARENA_ARRAY(m, PxClothFace, faces + 1);
    s->hinge = PX_ARENA_ARRAY(m, PxClothHinge, hinges + 1);
    s->edges_of = PX_ARENA_ARRAY(m, PxClothEdge, edges + 1);
    s->edge_of_hinge = PX_ARENA_ARRAY(m, uint32_t, hinges + 1);
    s->torn = PX_ARENA_ARRAY(m, uint8_t, edges + 1);
    s->share = PX_ARENA_ARRAY(m, double, n + 1);
    s->of_vertex = PX_ARENA_ARRAY(m, uint32_t, n + 1);
    s->piece = PX_ARENA_ARRAY(m, uint32_t, n + 1);
    s->of_face = PX_ARENA_ARRAY(m, uint32_t, faces + 1);
    s->of_hinge = PX_ARENA_ARRAY(m, uint32_t, hinges + 1);
    s->first_face = PX_ARENA_ARRAY(m, uint32_t, n + 1);
    s->first_hinge = PX_ARENA_ARRAY(m, uint32_t, n + 1);
    s->faces_of = PX_ARENA_ARRAY(m, PxClothUse, 3 * faces + 1);
    s->hinges_of = PX_ARENA_ARRAY(m, PxClothUse, 4 * hinges + 1);
    s->edge = PX_ARENA_ARRAY(m, double, cloths + 1);
    s->volume = PX_ARENA_ARRAY(m, double, cloths + 1);
    uint32_t *fill = PX_ARENA_ARRAY(m, uint32_t, n + 1);
    PxVec3 *start = PX_ARENA_ARRAY(m, PxVec3, n + 1);
    if (s->face == NULL || s->hinge == NULL || s->share == NULL || s->of_vertex == NULL ||
        s->of_face == NULL || s->of_hinge == NULL || s->first_face == NULL ||
        s->first_hinge == NULL || s->faces_of == NULL || s->hinges_of == NULL || fill == NULL ||
        start == NULL || s->torn == NULL || s->edges_of == NULL || s->edge_of_hinge == NULL ||
        s->edge == NULL || s->volume == NULL || s->piece == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %zu triangles", faces);
    for (size_t k = 0; k < cloths; ++k)
        copy_sheet(s, cloth[k].sheet, (uint32_t)k);
    for (size_t k = 0; k < cloths; ++k) {
        const PxClothSheet *sheet = cloth[k].sheet;
        s->edge[k] = sheet->edge;
        s->volume[k] = sheet->closed ? px_cloth_volume(sheet->face, sheet->faces, sheet->start) : 0;
        memcpy(start + cloth[k].first, cloth[k].sheet->start,
               cloth[k].sheet->vertices * sizeof *start);
    }
    list_edges(s);
    find_pieces(s, fill);
    list_uses(s, fill);
    PX_TRY(make_seen(s));
    PX_TRY(px_cloth_pattern_build(s));
    PX_TRY(px_cloth_levels_build(s));
    return px_cloth_tree_build(s, start);
}
