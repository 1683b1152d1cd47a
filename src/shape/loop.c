#include "shape/loop.h"

#include "shape/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A vertex of the border is a corner if its triangles fill less than 3/4 of a half turn, or more
 * than 5/4. */
#define NARROW (0.75 * M_PI)
#define WIDE (1.25 * M_PI)

/* Weights of one level: those of vertex k are first[k] .. first[k + 1]. */
typedef struct Level {
    uint32_t vertices;
    uint32_t *first, *source;
    double *weight;
} Level;

struct PxLoop {
    uint32_t vertices; /* of the mesh */
    uint32_t levels, triangles;
    uint32_t (*triangle)[3];
    uint32_t *parent;
    uint8_t (*sharp)[3]; /* by triangle: its edge from corner k to the next */
    uint8_t *corner;     /* by vertex */
    Level level[PX_LOOP_MOST_LEVELS];
};

/* What a level is made from: edges, their ends and opposite corners. */
typedef struct Edge {
    uint32_t end[2], far[2];
    uint32_t triangles;
    bool sharp;
} Edge;

typedef struct Net {
    uint32_t vertices, triangles, first_vertex, edges;
    uint32_t *edge_of; /* 3 a triangle */
    Edge *edge;
    uint32_t *row, *around; /* edges of each vertex */
    uint32_t *sharp;        /* number of sharp edges of each vertex */
} Net;

static PxStatus no_room(uint32_t triangles)
{
    return px_fail(PX_ERR_MEMORY, "subdivision: no room for %u triangles", triangles);
}

static void net_free(Net *net)
{
    free(net->edge_of);
    free(net->edge);
    free(net->row);
    free(net->around);
    free(net->sharp);
}

/* Is the triangle divided? */
static bool is_divided(const uint32_t corner[3], uint32_t first)
{
    return corner[0] >= first && corner[1] >= first && corner[2] >= first &&
           corner[0] != corner[1] && corner[1] != corner[2] && corner[2] != corner[0];
}

static void net_edges(Net *net, uint32_t (*triangle)[3], uint8_t (*sharp)[3])
{
    for (uint32_t t = 0; t < net->triangles; ++t)
        for (int k = 0; k < 3 && is_divided(triangle[t], net->first_vertex); ++k) {
            Edge *e = &net->edge[net->edge_of[3 * (size_t)t + (size_t)k]];
            e->end[0] = triangle[t][k];
            e->end[1] = triangle[t][(k + 1) % 3];
            e->far[e->triangles < 2 ? e->triangles : 1] = triangle[t][(k + 2) % 3];
            e->sharp = e->sharp || sharp[t][k] != 0;
            ++e->triangles;
        }
    for (uint32_t e = 0; e < net->edges; ++e)
        net->edge[e].sharp = net->edge[e].sharp || net->edge[e].triangles != 2;
}

static PxStatus net_make(const PxLoop *loop, uint32_t vertices, uint32_t first_vertex, Net *net)
{
    size_t n = loop->triangles;
    *net = (Net){.vertices = vertices, .triangles = loop->triangles, .first_vertex = first_vertex};
    uint32_t *weld = malloc(((size_t)vertices + 1) * sizeof *weld);
    net->edge_of = malloc((3 * n + 1) * sizeof *net->edge_of);
    net->row = calloc((size_t)vertices + 2, sizeof *net->row);
    net->sharp = calloc((size_t)vertices + 1, sizeof *net->sharp);
    if (weld == NULL || net->edge_of == NULL || net->row == NULL || net->sharp == NULL) {
        free(weld);
        return no_room(loop->triangles);
    }
    for (uint32_t k = 0; k < vertices; ++k)
        weld[k] = k;
    PxMesh mesh = {
        .vertex_count = vertices, .triangle_count = loop->triangles, .triangle = loop->triangle};
    PxStatus status = px_mesh_edges(&mesh, weld, net->edge_of, &net->edges);
    free(weld);
    PX_TRY(status);
    net->edge = calloc((size_t)net->edges + 1, sizeof *net->edge);
    net->around = malloc((2 * (size_t)net->edges + 1) * sizeof *net->around);
    if (net->edge == NULL || net->around == NULL)
        return no_room(loop->triangles);
    net_edges(net, loop->triangle, loop->sharp);
    for (uint32_t e = 0; e < net->edges; ++e)
        for (int k = 0; k < 2 && net->edge[e].triangles > 0; ++k) {
            ++net->row[net->edge[e].end[k] + 2];
            net->sharp[net->edge[e].end[k]] += net->edge[e].sharp;
        }
    for (uint32_t k = 1; k <= vertices; ++k)
        net->row[k + 1] += net->row[k];
    for (uint32_t e = 0; e < net->edges; ++e)
        for (int k = 0; k < 2 && net->edge[e].triangles > 0; ++k)
            net->around[net->row[net->edge[e].end[k] + 1]++] = e;
    return PX_OK;
}

/* ---- weights ----------------------------------------------------------------------------- */

static void put(Level *level, uint32_t *next, uint32_t source, double weight)
{
    level->source[*next] = source;
    level->weight[(*next)++] = weight;
}

/* The new place of an old vertex. */
static void put_old(const Net *net, const uint8_t *corner, uint32_t v, Level *level, uint32_t *next)
{
    uint32_t n = net->row[v + 1] - net->row[v];
    const uint32_t *around = net->around + net->row[v];
    bool crease = net->sharp[v] == 2;
    if (n == 0 || corner[v] || net->sharp[v] > 2) {
        put(level, next, v, 1);
        return;
    }
    double c = 0.375 + 0.25 * cos(2 * M_PI / n), beta = (0.625 - c * c) / n;
    put(level, next, v, crease ? 0.75 : 1 - n * beta);
    for (uint32_t k = 0; k < n; ++k) {
        const Edge *e = &net->edge[around[k]];
        if (!crease || e->sharp)
            put(level, next, e->end[e->end[0] == v], crease ? 0.125 : beta);
    }
}

static void put_middle(const Edge *e, Level *level, uint32_t *next)
{
    for (int k = 0; k < 2; ++k)
        put(level, next, e->end[k], e->sharp ? 0.5 : 0.375);
    for (int k = 0; k < 2 && !e->sharp; ++k)
        put(level, next, e->far[k], 0.125);
}

/* Numbers the edges that are divided. */
static uint32_t number_middles(const Net *net, uint32_t *of_edge)
{
    uint32_t count = 0;
    for (uint32_t e = 0; e < net->edges; ++e)
        of_edge[e] = net->edge[e].triangles > 0 ? net->vertices + count++ : UINT32_MAX;
    return count;
}

static PxStatus weights_make(const Net *net, const uint8_t *corner, uint32_t middles, Level *level)
{
    size_t most = (size_t)net->vertices + 2 * (size_t)net->edges + 4 * (size_t)middles;
    uint32_t next = 0, at = 0;
    level->vertices = net->vertices + middles;
    level->first = malloc(((size_t)level->vertices + 1) * sizeof *level->first);
    level->source = malloc((most + 1) * sizeof *level->source);
    level->weight = malloc((most + 1) * sizeof *level->weight);
    if (most > UINT32_MAX || level->first == NULL || level->source == NULL || level->weight == NULL)
        return no_room(net->triangles);
    for (uint32_t v = 0; v < net->vertices; ++v) {
        level->first[at++] = next;
        put_old(net, corner, v, level, &next);
    }
    for (uint32_t e = 0; e < net->edges; ++e)
        if (net->edge[e].triangles > 0) {
            level->first[at++] = next;
            put_middle(&net->edge[e], level, &next);
        }
    level->first[at] = next;
    return PX_OK;
}

/* ---- triangles --------------------------------------------------------------------------- */

typedef struct Parts {
    uint32_t (*triangle)[3];
    uint32_t *parent;
    uint8_t (*sharp)[3];
    uint32_t count;
} Parts;

static void add_part(Parts *to, uint32_t parent, const uint32_t corner[3], const uint8_t sharp[3])
{
    memcpy(to->triangle[to->count], corner, sizeof to->triangle[0]);
    memcpy(to->sharp[to->count], sharp, sizeof to->sharp[0]);
    to->parent[to->count++] = parent;
}

static void cut(const PxLoop *loop, const Net *net, const uint32_t *middle, Parts *to)
{
    for (uint32_t t = 0; t < loop->triangles; ++t) {
        const uint32_t *v = loop->triangle[t];
        uint32_t parent = loop->parent[t], m[3];
        bool sharp[3];
        if (!is_divided(v, net->first_vertex)) {
            add_part(to, parent, v, loop->sharp[t]);
            continue;
        }
        for (int k = 0; k < 3; ++k) {
            uint32_t e = net->edge_of[3 * (size_t)t + (size_t)k];
            m[k] = middle[e];
            sharp[k] = net->edge[e].sharp;
        }
        for (int k = 0; k < 3; ++k) {
            int before = (k + 2) % 3;
            add_part(to, parent, (uint32_t[3]){v[k], m[k], m[before]},
                     (uint8_t[3]){sharp[k], 0, sharp[before]});
        }
        add_part(to, parent, m, (uint8_t[3]){0, 0, 0});
    }
}

static PxStatus refine(PxLoop *loop, uint32_t vertices, uint32_t first_vertex, Level *level)
{
    Net net = {0};
    Parts to = {0};
    uint32_t *middle = NULL;
    size_t most = 4 * (size_t)loop->triangles + 1;
    PxStatus status =
        loop->triangles <= PX_MESH_MAX_TRIANGLES / 12
            ? net_make(loop, vertices, first_vertex, &net)
            : px_fail(PX_ERR_ARGUMENT, "subdivision: %u triangles are too many", loop->triangles);
    if (status == PX_OK) {
        middle = malloc(((size_t)net.edges + 1) * sizeof *middle);
        to = (Parts){.triangle = malloc(most * sizeof *to.triangle),
                     .parent = malloc(most * sizeof *to.parent),
                     .sharp = malloc(most * sizeof *to.sharp)};
        if (middle == NULL || to.triangle == NULL || to.parent == NULL || to.sharp == NULL)
            status = no_room(loop->triangles);
    }
    if (status == PX_OK)
        status = weights_make(&net, loop->corner, number_middles(&net, middle), level);
    uint8_t *corner =
        status == PX_OK ? realloc(loop->corner, (size_t)level->vertices + 1) : loop->corner;
    if (corner == NULL)
        status = no_room(loop->triangles);
    else
        loop->corner = corner;
    if (status == PX_OK) {
        memset(corner + vertices, 0, level->vertices - vertices + 1);
        cut(loop, &net, middle, &to);
        free(loop->triangle);
        free(loop->parent);
        free(loop->sharp);
        loop->triangle = to.triangle;
        loop->parent = to.parent;
        loop->sharp = to.sharp;
        loop->triangles = to.count;
    } else {
        free(to.triangle);
        free(to.parent);
        free(to.sharp);
    }
    net_free(&net);
    free(middle);
    return status;
}

/* ---- creases and corners ------------------------------------------------------------------- */

static PxVec3 place(const PxLoopDef *def, uint32_t v)
{
    return px_vec((double)def->place[0][v], (double)def->place[1][v], (double)def->place[2][v]);
}

static PxVec3 normal_of(const PxLoopDef *def, const uint32_t v[3])
{
    PxVec3 a = place(def, v[0]);
    return px_normalized(px_cross(px_sub(place(def, v[1]), a), px_sub(place(def, v[2]), a)),
                         px_vec(0, 0, 0));
}

static PxStatus find_sharp(const PxLoopDef *def, PxLoop *loop)
{
    Net net;
    PxStatus status = net_make(loop, def->vertices, def->first_vertex, &net);
    double *angle = calloc((size_t)def->vertices + 1, sizeof *angle);
    uint32_t *seen = malloc(((size_t)net.edges + 1) * sizeof *seen);
    if (status == PX_OK && (angle == NULL || seen == NULL))
        status = no_room(def->triangles);
    for (uint32_t e = 0; status == PX_OK && e < net.edges; ++e)
        seen[e] = UINT32_MAX;
    double least = cos(def->crease * M_PI / 180);
    for (uint32_t t = 0; status == PX_OK && t < def->triangles; ++t)
        for (int k = 0; k < 3 && is_divided(def->triangle[t], def->first_vertex); ++k) {
            const uint32_t *v = def->triangle[t];
            uint32_t e = net.edge_of[3 * (size_t)t + (size_t)k];
            PxVec3 a = place(def, v[k]), b = px_sub(place(def, v[(k + 1) % 3]), a);
            PxVec3 c = px_sub(place(def, v[(k + 2) % 3]), a);
            angle[v[k]] += atan2(px_length(px_cross(b, c)), px_dot(b, c));
            if (seen[e] != UINT32_MAX &&
                px_dot(normal_of(def, v), normal_of(def, def->triangle[seen[e]])) < least)
                loop->sharp[t][k] = 1; /* of one triangle is enough */
            seen[e] = t;
        }
    for (uint32_t e = 0; status == PX_OK && e < net.edges; ++e)
        for (int k = 0; k < 2 && net.edge[e].triangles == 1; ++k) {
            uint32_t v = net.edge[e].end[k];
            loop->corner[v] = angle[v] < NARROW || angle[v] > WIDE;
        }
    free(angle);
    free(seen);
    net_free(&net);
    return status;
}

/* ------------------------------------------------------------------------------------------ */

static PxStatus check(const PxLoopDef *def)
{
    if (def->levels > PX_LOOP_MOST_LEVELS)
        return px_fail(PX_ERR_ARGUMENT, "subdivision: %u levels, wanted 0 to %u", def->levels,
                       PX_LOOP_MOST_LEVELS);
    for (uint32_t t = 0; t < def->triangles; ++t)
        for (int k = 0; k < 3; ++k)
            if (def->triangle[t][k] >= def->vertices)
                return px_fail(PX_ERR_ARGUMENT, "subdivision: triangle %u has corner %u of %u", t,
                               def->triangle[t][k], def->vertices);
    return PX_OK;
}

PxStatus px_loop_create(const PxLoopDef *def, PxLoop **out)
{
    *out = NULL;
    PX_TRY(check(def));
    PxLoop *loop = calloc(1, sizeof *loop);
    if (loop == NULL)
        return no_room(def->triangles);
    size_t n = (size_t)def->triangles + 1;
    loop->vertices = def->vertices;
    loop->triangles = def->triangles;
    loop->triangle = malloc(n * sizeof *loop->triangle);
    loop->parent = malloc(n * sizeof *loop->parent);
    loop->sharp = calloc(n, sizeof *loop->sharp);
    loop->corner = calloc((size_t)def->vertices + 1, 1);
    PxStatus status = PX_OK;
    if (loop->triangle == NULL || loop->parent == NULL || loop->sharp == NULL ||
        loop->corner == NULL)
        status = no_room(def->triangles);
    for (uint32_t t = 0; status == PX_OK && t < def->triangles; ++t) {
        memcpy(loop->triangle[t], def->triangle[t], sizeof loop->triangle[t]);
        loop->parent[t] = t;
    }
    if (status == PX_OK && def->levels > 0 && def->triangles > 0)
        status = find_sharp(def, loop);
    uint32_t vertices = def->vertices;
    for (uint32_t k = 0; k < def->levels && def->triangles > 0 && status == PX_OK; ++k) {
        status = refine(loop, vertices, def->first_vertex, &loop->level[k]);
        vertices = loop->level[k].vertices;
        ++loop->levels;
    }
    if (status != PX_OK) {
        px_loop_free(loop);
        return status;
    }
    *out = loop;
    return PX_OK;
}

void px_loop_free(PxLoop *loop)
{
    if (loop == NULL)
        return;
    for (uint32_t k = 0; k < PX_LOOP_MOST_LEVELS; ++k) {
        free(loop->level[k].first);
        free(loop->level[k].source);
        free(loop->level[k].weight);
    }
    free(loop->triangle);
    free(loop->parent);
    free(loop->sharp);
    free(loop->corner);
    free(loop);
}

uint32_t px_loop_vertices(const PxLoop *loop)
{
    return loop->levels > 0 ? loop->level[loop->levels - 1].vertices : loop->vertices;
}

const uint32_t (*px_loop_triangles(const PxLoop *loop, uint32_t *count, const uint32_t **parent))[3]
{
    *count = loop->triangles;
    if (parent != NULL)
        *parent = loop->parent;
    return (const uint32_t(*)[3])loop->triangle;
}

PxStatus px_loop_values(const PxLoop *loop, const float *values, float *out)
{
    size_t n = (size_t)px_loop_vertices(loop) + 1;
    double *at = malloc(n * sizeof *at), *to = malloc(n * sizeof *to);
    for (uint32_t v = 0; at != NULL && v < loop->vertices; ++v)
        at[v] = (double)values[v];
    for (uint32_t k = 0; k < loop->levels && at != NULL && to != NULL; ++k) {
        const Level *level = &loop->level[k];
        for (uint32_t v = 0; v < level->vertices; ++v) {
            double sum = 0;
            for (uint32_t s = level->first[v]; s < level->first[v + 1]; ++s)
                sum += level->weight[s] * at[level->source[s]];
            to[v] = sum;
        }
        double *swap = at;
        at = to;
        to = swap;
    }
    bool room = at != NULL && to != NULL;
    for (uint32_t v = 0; room && v + 1 < n; ++v)
        out[v] = (float)at[v];
    free(at);
    free(to);
    return room ? PX_OK : no_room(loop->triangles);
}

#define ROUNDS 6 /* each leaves about half of what is too much, or less */

static PxStatus move_all(const PxLoop *loop, float *const from[3], float *const out[3])
{
    for (int k = 0; k < 3; ++k)
        PX_TRY(px_loop_values(loop, from[k], out[k]));
    return PX_OK;
}

PxStatus px_loop_places(const PxLoop *loop, const float *const values[3], double most,
                        float *const out[3])
{
    size_t n = (size_t)loop->vertices;
    float *all = malloc((3 * n + 1) * sizeof *all);
    if (all == NULL)
        return no_room(loop->triangles);
    float *const from[3] = {all, all + n, all + 2 * n};
    for (int k = 0; k < 3; ++k)
        if (n > 0)
            memcpy(from[k], values[k], n * sizeof *all);
    PxStatus status = move_all(loop, from, out);
    for (int round = 0; round < ROUNDS && status == PX_OK; ++round) {
        for (size_t v = 0; v < n; ++v) {
            double back[3], size = 0;
            for (int k = 0; k < 3; ++k) {
                back[k] = (double)values[k][v] - (double)out[k][v];
                size += back[k] * back[k];
            }
            size = sqrt(size);
            for (int k = 0; k < 3 && size > most; ++k)
                from[k][v] += (float)(back[k] * (1 - most / size));
        }
        status = move_all(loop, from, out);
    }
    free(all);
    return status;
}

void px_loop_sources(const PxLoop *loop, uint32_t *out)
{
    uint32_t vertices = loop->vertices;
    for (uint32_t v = 0; v < vertices; ++v)
        out[v] = v;
    for (uint32_t k = 0; k < loop->levels; ++k) {
        const Level *level = &loop->level[k];
        for (uint32_t v = vertices; v < level->vertices; ++v)
            out[v] = out[level->source[level->first[v]]];
        vertices = level->vertices;
    }
}
