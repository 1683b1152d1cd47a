#include "surface/mesh/block_grid.h"

#include "surface/field/visibility.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sources that are taken at a time. */
enum { CHUNK = 256 };

static PxKey key_of(int64_t x, int64_t y, int64_t z)
{
    return (PxKey){{(uint64_t)x, (uint64_t)y, (uint64_t)z}};
}

uint32_t px_block_grid_find(const PxBlockGrid *s, int64_t x, int64_t y, int64_t z)
{
    return px_keys_find(&s->keys, key_of(x, y, z));
}

void px_block_grid_free(PxBlockGrid *s)
{
    px_keys_free(&s->keys);
    px_list_free(s->at);
    px_list_free(s->kind);
    px_list_free(s->slot);
    px_release(NULL, s->value, 0);
    px_release(NULL, s->other, 0);
    *s = (PxBlockGrid){0};
}

/* ---- which blocks ---------------------------------------------------------- */

static PxStatus no_room(size_t blocks)
{
    return px_fail(PX_ERR_MEMORY, "surface: no room for %zu blocks of the grid", blocks);
}

/* The number of a block that is there or is made, of no kind less than `kind`. */
static bool add_block(PxBlockGrid *s, size_t *room, int64_t x, int64_t y, int64_t z,
                      PxNodesKind kind)
{
    uint32_t number = px_keys_add(&s->keys, key_of(x, y, z));
    if (number == PX_KEY_NONE)
        return false;
    if (number == s->blocks) {
        size_t at_room = *room, kind_room = *room;
        if (!px_list_reserve((void **)&s->at, s->blocks, &at_room, 1, sizeof *s->at) ||
            !px_list_reserve((void **)&s->kind, s->blocks, &kind_room, 1, sizeof *s->kind))
            return false;
        *room = at_room < kind_room ? at_room : kind_room;
        s->at[number][0] = (int32_t)x;
        s->at[number][1] = (int32_t)y;
        s->at[number][2] = (int32_t)z;
        s->kind[number] = PX_NODES_OUTSIDE;
        ++s->blocks;
    }
    if (s->kind[number] < kind)
        s->kind[number] = (uint8_t)kind;
    return true;
}

/* All blocks that a box of particles acts in. */
static bool add_blocks(PxBlockGrid *s, size_t *room, const PxPotential *f, const PxBounds *box,
                       PxNodesKind kind)
{
    if (!(box->low.x <= box->high.x))
        return true;
    double reach = (double)f->reach * f->spacing + 1e-3 * s->cell;
    const double low[3] = {box->low.x, box->low.y, box->low.z};
    const double high[3] = {box->high.x, box->high.y, box->high.z};
    int64_t from[3], to[3];
    for (int a = 0; a < 3; ++a) {
        from[a] = px_block_grid_block(s, low[a] - reach);
        to[a] = px_block_grid_block(s, high[a] + reach);
    }
    for (int64_t z = from[2]; z <= to[2]; ++z)
        for (int64_t y = from[1]; y <= to[1]; ++y)
            for (int64_t x = from[0]; x <= to[0]; ++x)
                if (!add_block(s, room, x, y, z, kind))
                    return false;
    return true;
}

/* Blocks from the boxes of each grid cell's particles: of all, and of those near the surface. Cells
 * that far-off particles were folded into may be wide; there each particle has its own. */
static PxStatus find_blocks(PxBlockGrid *s, size_t *room, const PxPotential *f)
{
    double wide = 2 * f->grid.frame.cell;
    for (uint32_t c = 0; c < f->grid.cells; ++c) {
        PxBounds all = px_bounds_empty(), near = px_bounds_empty();
        for (uint32_t i = f->grid.begin[c]; i < f->grid.begin[c + 1]; ++i) {
            PxVec3 p = {f->x[i], f->y[i], f->z[i]};
            if (f->near[i] == PX_IMAGE)
                continue;
            px_bounds_add(&all, p);
            if (f->near[i] == PX_NEAR)
                px_bounds_add(&near, p);
        }
        bool folded = all.high.x - all.low.x > wide || all.high.y - all.low.y > wide ||
                      all.high.z - all.low.z > wide;
        if (!folded) {
            if (!add_blocks(s, room, f, &all, PX_NODES_DEEP) ||
                !add_blocks(s, room, f, &near, PX_NODES_KNOWN))
                return no_room(s->blocks);
            continue;
        }
        for (uint32_t i = f->grid.begin[c]; i < f->grid.begin[c + 1]; ++i) {
            PxVec3 p = {f->x[i], f->y[i], f->z[i]};
            PxBounds one = {p, p};
            if (f->near[i] == PX_IMAGE)
                continue;
            if (!add_blocks(s, room, f, &one,
                            f->near[i] == PX_NEAR ? PX_NODES_KNOWN : PX_NODES_DEEP))
                return no_room(s->blocks);
        }
    }
    return PX_OK;
}

/* How many particles lie in each block. */
static void count_particles(const PxBlockGrid *s, const PxPotential *f, uint32_t *count)
{
    int64_t last[3] = {INT64_MAX, 0, 0};
    uint32_t block = UINT32_MAX;
    for (uint32_t i = 0; i < f->count; ++i) {
        const int64_t at[3] = {px_block_grid_block(s, (double)f->x[i]),
                               px_block_grid_block(s, (double)f->y[i]),
                               px_block_grid_block(s, (double)f->z[i])};
        if (memcmp(at, last, sizeof at) != 0) {
            block = px_block_grid_find(s, at[0], at[1], at[2]);
            memcpy(last, at, sizeof last);
        }
        if (block != UINT32_MAX && f->near[i] != PX_IMAGE)
            ++count[block];
    }
}

/* Only blocks full of particles are deep inside; corners of others may be reached by boxes around
 * particles that do not act there. And a sheet may hang within the fluid. */
static PxStatus look_at_deep(PxBlockGrid *s, const PxPotential *f, const PxBarriers *barriers)
{
    double edge = PX_BLOCK_EDGE * s->cell, wide = 0.87 * edge + f->spacing, per = edge / f->spacing;
    uint32_t *count = calloc((size_t)s->blocks + 1, sizeof *count);
    if (count == NULL)
        return no_room(s->blocks);
    count_particles(s, f, count);
    for (uint32_t b = 0; b < s->blocks; ++b) {
        const int32_t *at = s->at[b];
        double half = 0.5 * PX_BLOCK_EDGE;
        PxVec3 middle = {px_block_grid_node(s, at[0], half), px_block_grid_node(s, at[1], half),
                         px_block_grid_node(s, at[2], half)};
        if (s->kind[b] == PX_NODES_DEEP &&
            (count[b] == 0 || count[b] < 0.5 * per * per * per ||
             (barriers != NULL && px_barriers_room(barriers, middle, wide) < wide)))
            s->kind[b] = PX_NODES_KNOWN;
    }
    free(count);
    return PX_OK;
}

/* A cell belongs to the block of its lowest corner. So the blocks before those that are
 * there are needed, too, as outside: now every cell with a node inside is in some block. */
static PxStatus add_rim(PxBlockGrid *s, size_t *room)
{
    uint32_t count = s->blocks;
    for (uint32_t b = 0; b < count; ++b)
        for (int n = 1; n < 8; ++n)
            if (!add_block(s, room, (int64_t)s->at[b][0] - (n & 1),
                           (int64_t)s->at[b][1] - (n >> 1 & 1), (int64_t)s->at[b][2] - (n >> 2),
                           PX_NODES_OUTSIDE))
                return no_room(s->blocks);
    return PX_OK;
}

/* ---- their values ---------------------------------------------------------- */

typedef struct Fill {
    PxBlockGrid *sparse;
    const PxPotential *field, *other;
    const PxBarriers *barriers;
    PxVisibility eyes, other_eyes; /* of the field and of the other one */
    const uint32_t *block;         /* by slot */
} Fill;

/* How the nodes of a block lie to the barriers around that cut ways; more of them than this in one
 * place are passed over. */
enum { MOST_CUTS = 6 };

typedef struct View {
    size_t cut[MOST_CUTS]; /* of those that cut ways */
    int cuts;
    PxSide side[MOST_CUTS][PX_BLOCK_NODES]; /* where it is known, one bit a node */
    uint8_t known[MOST_CUTS][PX_BLOCK_NODES / 8];
} View;

static PxVec3 node_place(const double origin[3], double cell, int n)
{
    return px_vec(origin[0] + n % 8 * cell, origin[1] + n / 8 % 8 * cell,
                  origin[2] + n / 64 * cell);
}

static void view_make(View *view, const PxVisibility *eyes, const double origin[3], double cell)
{
    double half = 0.5 * (PX_BLOCK_EDGE - 1) * cell, within = 1.74 * half + eyes->reach;
    PxVec3 middle = {origin[0] + half, origin[1] + half, origin[2] + half};
    view->cuts = 0;
    for (size_t c = 0; c < eyes->cuts && view->cuts < MOST_CUTS; ++c) {
        PxSide side = px_barrier_side(eyes->barriers, eyes->cut[c], middle, within);
        if (!((double)side.distance < within))
            continue;
        memset(view->known[view->cuts], 0, sizeof view->known[view->cuts]);
        view->cut[view->cuts++] = c;
    }
}

/* How a node lies to a cut, asked when it is needed first: few nodes have particles near enough. */
static const PxSide *node_side(View *view, int c, const PxVisibility *eyes, PxVec3 place, int n)
{
    PxSide *side = &view->side[c][n];
    if (!(view->known[c][n / 8] >> n % 8 & 1)) {
        *side = px_visibility_side(eyes, view->cut[c], place);
        view->known[c][n / 8] |= (uint8_t)(1u << n % 8);
    }
    return side;
}

/* Which nodes of a row along x see a source that acts there. */
static uint8_t look_along(View *view, int c, const PxVisibility *eyes, const double origin[3],
                          double cell, int row, const PxPotentialSource *source, uint32_t of)
{
    double s = eyes->field->spacing;
    PxVec3 at = {origin[0] + (double)source->x * s, origin[1] + (double)source->y * s,
                 origin[2] + (double)source->z * s};
    unsigned seen = 0xff;
    for (int i = 0; i < PX_BLOCK_EDGE; ++i) {
        int n = PX_BLOCK_EDGE * row + i;
        PxVec3 place = node_place(origin, cell, n), way = px_sub(place, at);
        if (px_dot(way, way) < eyes->reach * eyes->reach &&
            px_visibility_hides(eyes, view->cut[c], of, place, node_side(view, c, eyes, place, n)))
            seen &= ~(1u << i);
    }
    return (uint8_t)seen;
}

/* Which nodes see each source, or what it is the image of. */
static void look(View *view, const PxVisibility *eyes, const double origin[3], double cell,
                 const PxPotentialSource *source, const uint32_t *row_of, uint32_t sources,
                 uint8_t (*visible)[PX_BLOCK_ROWS])
{
    const PxPotential *f = eyes->field;
    const float margin = 1e-3f; /* of roundings; what is looked at without need changes nothing */
    float edge = (float)(cell / f->spacing);
    memset(visible, 0xff, sources * sizeof *visible);
    for (uint32_t n = 0; n < sources; ++n)
        for (int c = 0; c < view->cuts; ++c) {
            if (!px_visibility_near(eyes, view->cut[c], row_of[n]))
                continue;
            for (int row = 0; row < PX_BLOCK_ROWS; ++row) {
                float y = (float)(row % PX_BLOCK_EDGE) * edge - source[n].y;
                float z = (float)(row / PX_BLOCK_EDGE) * edge - source[n].z;
                if (fabsf(y) < source[n].shape[6] + margin &&
                    fabsf(z) < source[n].shape[7] + margin)
                    visible[n][row] &=
                        look_along(view, c, eyes, origin, cell, row, &source[n], row_of[n]);
            }
        }
}

/* Depths of one field at the nodes of a block. */
static void block_depths(const PxVisibility *eyes, View *view, const double origin[3], double cell,
                         float *depth)
{
    const PxPotential *f = eyes->field;
    float sum[PX_POTENTIAL_SUMS][PX_BLOCK_NODES];
    PxPotentialSource source[CHUNK];
    uint32_t row[CHUNK];
    uint8_t visible[CHUNK][PX_BLOCK_ROWS];
    memset(sum, 0, sizeof sum);
    double high[3];
    for (int a = 0; a < 3; ++a)
        high[a] = origin[a] + (PX_BLOCK_EDGE - 1) * cell;
    PxPotentialCursor cursor = {0};
    PxPotentialBlock block = {.cell = (float)(cell / f->spacing),
                              .source = source,
                              .visible =
                                  view->cuts > 0 ? (const uint8_t(*)[PX_BLOCK_ROWS])visible : NULL,
                              .sum = sum};
    while ((block.sources =
                px_potential_gather(f, origin, high, origin, &cursor, source, row, CHUNK)) > 0) {
        if (view->cuts > 0)
            look(view, eyes, origin, cell, source, row, block.sources, visible);
        f->model->add(f, &block);
    }
    float *const sums[PX_POTENTIAL_SUMS] = {sum[0], sum[1], sum[2], sum[3]};
    f->model->finish(f, sums, depth, PX_BLOCK_NODES);
    for (int n = 0; n < PX_BLOCK_NODES; ++n)
        depth[n] = px_potential_depth(f, depth[n]);
}

/* No node is deeper than there is room. */
static void limit_depths(const PxBarriers *barriers, const double origin[3], double cell,
                         double spacing, float *depth)
{
    double half = 0.5 * (PX_BLOCK_EDGE - 1) * cell, wide = 1.74 * half + spacing;
    PxVec3 middle = {origin[0] + half, origin[1] + half, origin[2] + half};
    if (px_barriers_room(barriers, middle, wide) >= wide)
        return;
    for (int n = 0; n < PX_BLOCK_NODES; ++n) {
        PxVec3 at = node_place(origin, cell, n);
        double within = (double)PX_CLING_REACH * spacing;
        depth[n] =
            px_barriers_limit(depth[n], (float)(px_barriers_room(barriers, at, within) / spacing));
    }
}

static void fill_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Fill *fill = user;
    PxBlockGrid *s = fill->sparse;
    for (uint32_t slot = begin; slot < end; ++slot) {
        const int32_t *at = s->at[fill->block[slot]];
        const double origin[3] = {px_block_grid_node(s, at[0], 0), px_block_grid_node(s, at[1], 0),
                                  px_block_grid_node(s, at[2], 0)};
        float *value = s->value + (size_t)slot * PX_BLOCK_NODES;
        View view;
        view_make(&view, &fill->eyes, origin, s->cell);
        block_depths(&fill->eyes, &view, origin, s->cell, value);
        if (fill->other != NULL) {
            float *other = s->other + (size_t)slot * PX_BLOCK_NODES;
            block_depths(&fill->other_eyes, &view, origin, s->cell, other);
            for (int n = 0; n < PX_BLOCK_NODES; ++n)
                value[n] = px_potential_meet(value[n], other[n]);
        }
        if (fill->barriers != NULL)
            limit_depths(fill->barriers, origin, s->cell, fill->field->spacing, value);
    }
}

static PxStatus fill_blocks(PxBlockGrid *s, Fill *fill)
{
    uint32_t *block = px_allocate(NULL, ((size_t)s->blocks + 1) * sizeof *block);
    s->slot = NULL;
    size_t room = 0;
    if (block == NULL ||
        !px_list_reserve((void **)&s->slot, 0, &room, (size_t)s->blocks + 1, sizeof *s->slot)) {
        px_release(NULL, block, 0);
        return no_room(s->blocks);
    }
    for (uint32_t b = 0; b < s->blocks; ++b)
        if (s->kind[b] == PX_NODES_KNOWN) {
            s->slot[b] = s->known;
            block[s->known++] = b;
        }
    size_t bytes = ((size_t)s->known + 1) * PX_BLOCK_NODES * sizeof *s->value;
    s->value = px_allocate(NULL, bytes);
    if (fill->other != NULL)
        s->other = px_allocate(NULL, bytes);
    bool full = s->value != NULL && (fill->other == NULL || s->other != NULL);
    fill->block = block;
    if (full)
        px_parallel_for(fill->field->threads, s->known, 1, fill_block, fill);
    px_release(NULL, block, 0);
    return full ? PX_OK : no_room(s->known);
}

PxStatus px_block_grid_create(PxBlockGrid *s, const PxPotential *field, const PxPotential *other,
                              const PxBarriers *barriers, double cell)
{
    *s = (PxBlockGrid){.cell = cell};
    size_t room = 0;
    if (barriers != NULL && barriers->walls + barriers->sheets == 0)
        barriers = NULL;
    PxStatus status = find_blocks(s, &room, field);
    if (status == PX_OK)
        status = look_at_deep(s, field, barriers);
    if (status == PX_OK)
        status = add_rim(s, &room);
    Fill fill = {.sparse = s, .field = field, .other = other, .barriers = barriers};
    if (status == PX_OK)
        status = px_visibility_make(&fill.eyes, barriers, field);
    if (status == PX_OK && other != NULL)
        status = px_visibility_make(&fill.other_eyes, barriers, other);
    if (status == PX_OK)
        status = fill_blocks(s, &fill);
    px_visibility_free(&fill.eyes);
    px_visibility_free(&fill.other_eyes);
    if (status != PX_OK)
        px_block_grid_free(s);
    return status;
}
