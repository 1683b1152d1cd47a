#include "surface/mesh/block_grid.h"

#include "surface/field/visibility.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sources gathered at a time. */
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

/* ---- allocation of blocks ---- */

static PxStatus no_room(size_t blocks)
{
    return px_fail(PX_ERR_MEMORY, "surface: no room for %zu blocks of the grid", blocks);
}

/* Adds a block unless it exists, and raises its kind to at least `kind`. */
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

/* Adds all blocks within the kernels' reach of a box of particles. */
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

/* Adds the blocks around each grid cell's particles: those around all as deep, those around
 * surface particles as known. The outermost cells may be very wide, since positions beyond the
 * grid's frame are clamped into them; there every particle is added by itself. */
static PxStatus find_blocks(PxBlockGrid *s, size_t *room, const PxPotential *f)
{
    double wide = 2 * f->grid.frame.cell;
    for (uint32_t c = 0; c < f->grid.cells; ++c) {
        PxBounds all = px_bounds_empty(), near = px_bounds_empty();
        for (uint32_t i = f->grid.begin[c]; i < f->grid.begin[c + 1]; ++i) {
            PxVec3 p = {f->x[i], f->y[i], f->z[i]};
            if (f->location[i] == PX_MIRRORED)
                continue;
            px_bounds_add(&all, p);
            if (f->location[i] == PX_AT_SURFACE)
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
            if (f->location[i] == PX_MIRRORED)
                continue;
            if (!add_blocks(s, room, f, &one,
                            f->location[i] == PX_AT_SURFACE ? PX_NODES_KNOWN : PX_NODES_DEEP))
                return no_room(s->blocks);
        }
    }
    return PX_OK;
}

/* Counts the particles in each block. */
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
        if (block != UINT32_MAX && f->location[i] != PX_MIRRORED)
            ++count[block];
    }
}

/* A block stays deep only if it is full of particles: a block at the corner of a box may be out
 * of the kernels' reach. Nor is it deep if a barrier passes through it. */
static PxStatus check_deep_blocks(PxBlockGrid *s, const PxPotential *f, const PxBarriers *barriers)
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
             (barriers != NULL && px_barriers_clearance(barriers, middle, wide) < wide)))
            s->kind[b] = PX_NODES_KNOWN;
    }
    free(count);
    return PX_OK;
}

/* A cell belongs to the block of its lowest corner. So the blocks before the existing ones are
 * needed too, as outside: then every cell with a node inside is in some block. */
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

/* ---- values at the nodes ---- */

typedef struct Fill {
    PxBlockGrid *grid;
    const PxPotential *field, *other;
    const PxBarriers *barriers;
    PxVisibility visibility, other_visibility; /* of the field and of the other phase */
    const uint32_t *block;                     /* block of each slot */
} Fill;

/* Thin barriers near a block, and the sides of its nodes; more than MOST_BLOCKERS in one place
 * are ignored. */
enum { MOST_BLOCKERS = 6 };
_Static_assert(PX_SIDES == PX_BLOCK_NODES, "sides are of the nodes of a block");

typedef struct View {
    size_t blocker[MOST_BLOCKERS]; /* indices into the visibility's blockers */
    int blockers;
    PxSides side[MOST_BLOCKERS];
} View;

static PxVec3 node_place(const double origin[3], double cell, int n)
{
    return px_vec(origin[0] + n % 8 * cell, origin[1] + n / 8 % 8 * cell,
                  origin[2] + n / 64 * cell);
}

static void view_make(View *view, const PxVisibility *visibility, const double origin[3],
                      double cell)
{
    double half = 0.5 * (PX_BLOCK_EDGE - 1) * cell, within = 1.74 * half + visibility->reach;
    PxVec3 low = {origin[0], origin[1], origin[2]};
    PxVec3 middle = {origin[0] + half, origin[1] + half, origin[2] + half};
    view->blockers = 0;
    for (size_t c = 0; c < visibility->blockers && view->blockers < MOST_BLOCKERS; ++c) {
        PxSide side = px_barrier_side(visibility->barriers, visibility->blocker[c], middle, within);
        if (!((double)side.distance < within))
            continue;
        px_barrier_sides(visibility->barriers, visibility->blocker[c], low, cell, visibility->reach,
                         &view->side[view->blockers]);
        view->blocker[view->blockers++] = c;
    }
}

/* Bits of the nodes of a row along x at which a source is visible, or out of reach. `at` is the
 * source's place relative to the row's first node, `own` its original's side. */
static uint8_t row_visibility(const View *view, int c, const PxVisibility *visibility,
                              const double origin[3], double cell, int row, const float at[3],
                              const PxSide *own, uint32_t of)
{
    float reach = 1.0001f * (float)visibility->reach, edge = (float)cell;
    const PxSides *sides = &view->side[c];
    uint8_t maybe[PX_BLOCK_EDGE];
    /* px_barrier_occludes() asks the same of the original: of mirrored particles that is on another
     * side than the image */
    for (int i = 0; i < PX_BLOCK_EDGE; ++i) {
        int n = PX_BLOCK_EDGE * row + i;
        float x = (float)i * edge - at[0], far2 = x * x + at[1] * at[1] + at[2] * at[2];
        float along = own->away[0] * sides->away[0][n] + own->away[1] * sides->away[1][n] +
                      own->away[2] * sides->away[2][n];
        maybe[i] =
            (uint8_t)((far2 < reach * reach) & (sides->distance[n] > 0.0f) & !(along > 0.0f));
    }
    unsigned seen = 0xff;
    for (int i = 0; i < PX_BLOCK_EDGE; ++i) {
        if (!maybe[i])
            continue;
        int n = PX_BLOCK_EDGE * row + i;
        PxSide side = {sides->distance[n],
                       {sides->away[0][n], sides->away[1][n], sides->away[2][n]}};
        if (px_visibility_occluded(visibility, view->blocker[c], of, node_place(origin, cell, n),
                                   &side))
            seen &= ~(1u << i);
    }
    return (uint8_t)seen;
}

/* Computes which sources are visible at which nodes. */
static void find_visible(const View *view, const PxVisibility *visibility, const double origin[3],
                         double cell, const PxPotentialSource *source, const uint32_t *row_of,
                         uint32_t sources, uint8_t (*visible)[PX_BLOCK_ROWS])
{
    const PxPotential *f = visibility->field;
    const float margin = 1e-3f; /* for rounding; testing more rows than needed changes nothing */
    float edge = (float)(cell / f->spacing), s = (float)f->spacing;
    memset(visible, 0xff, sources * sizeof *visible);
    for (uint32_t n = 0; n < sources; ++n)
        for (int c = 0; c < view->blockers; ++c) {
            if (!px_visibility_near(visibility, view->blocker[c], row_of[n]))
                continue;
            const PxSide *own = px_visibility_own(visibility, view->blocker[c], row_of[n]);
            for (int row = 0; row < PX_BLOCK_ROWS; ++row) {
                float y = (float)(row % PX_BLOCK_EDGE) * edge - source[n].y;
                float z = (float)(row / PX_BLOCK_EDGE) * edge - source[n].z;
                const float at[3] = {s * source[n].x, -s * y, -s * z};
                if (fabsf(y) < source[n].shape[6] + margin &&
                    fabsf(z) < source[n].shape[7] + margin)
                    visible[n][row] &=
                        row_visibility(view, c, visibility, origin, cell, row, at, own, row_of[n]);
            }
        }
}

/* Depths of one field at the nodes of a block. */
static void block_depths(const PxVisibility *visibility, const View *view, const double origin[3],
                         double cell, float *depth)
{
    const PxPotential *f = visibility->field;
    float sum[PX_POTENTIAL_SUMS][PX_BLOCK_NODES];
    PxPotentialSource source[CHUNK];
    uint32_t row[CHUNK];
    uint8_t visible[CHUNK][PX_BLOCK_ROWS];
    memset(sum, 0, sizeof sum);
    double high[3];
    for (int a = 0; a < 3; ++a)
        high[a] = origin[a] + (PX_BLOCK_EDGE - 1) * cell;
    PxPotentialCursor cursor = {0};
    PxPotentialBlock block = {
        .cell = (float)(cell / f->spacing),
        .source = source,
        .visible = view->blockers > 0 ? (const uint8_t(*)[PX_BLOCK_ROWS])visible : NULL,
        .sum = sum};
    while ((block.sources =
                px_potential_gather(f, origin, high, origin, &cursor, source, row, CHUNK)) > 0) {
        if (view->blockers > 0)
            find_visible(view, visibility, origin, cell, source, row, block.sources, visible);
        f->model->add(f, &block);
    }
    float *const sums[PX_POTENTIAL_SUMS] = {sum[0], sum[1], sum[2], sum[3]};
    f->model->finish(f, sums, depth, PX_BLOCK_NODES);
    for (int n = 0; n < PX_BLOCK_NODES; ++n)
        depth[n] = px_potential_depth(f, depth[n]);
}

/* On which side of wall k the nodes of a block are. The view may know it already. */
static const PxSides *sides_of(const Fill *fill, const View *view, size_t k, PxVec3 low,
                               double cell, double within, PxSides *room)
{
    for (int c = 0; c < view->blockers; ++c)
        if (fill->visibility.blocker[view->blocker[c]] == k)
            return &view->side[c];
    px_barrier_sides(fill->barriers, k, low, cell, within, room);
    return room;
}

/* Limits the depths by the clearance from barriers. Deeper in a wall than a cell, no node is beside
 * one that is not in it: there the sign alone matters. */
static void limit_depths(const Fill *fill, const View *view, const double origin[3], float *depth)
{
    const PxBarriers *barriers = fill->barriers;
    double cell = fill->grid->cell, spacing = fill->field->spacing;
    double half = 0.5 * (PX_BLOCK_EDGE - 1) * cell, wide = 1.74 * half + spacing;
    double least = fmax((double)PX_CLING_REACH * spacing, 1.01 * cell);
    PxVec3 low = {origin[0], origin[1], origin[2]};
    PxVec3 middle = {origin[0] + half, origin[1] + half, origin[2] + half};
    PxSides room;
    float clearance[PX_BLOCK_NODES], per_s = (float)(1 / spacing);
    if (px_barriers_clearance(barriers, middle, wide) >= wide)
        return;
    for (int n = 0; n < PX_BLOCK_NODES; ++n)
        clearance[n] = barriers->balls.count > 0
                           ? (float)px_barriers_balls(barriers, node_place(origin, cell, n), least)
                           : (float)least;
    for (size_t k = 0; k < barriers->walls + barriers->sheets; ++k) {
        double gap = px_barrier_gap(barriers, k);
        PxSide side = px_barrier_side(barriers, k, middle, wide + gap);
        if (!((double)side.distance < wide + gap))
            continue;
        const PxSides *sides = sides_of(fill, view, k, low, cell, least + gap, &room);
        for (int n = 0; n < PX_BLOCK_NODES; ++n) {
            float d = sides->distance[n] - (float)gap;
            clearance[n] = d < clearance[n] ? d : clearance[n];
        }
    }
    for (int n = 0; n < PX_BLOCK_NODES; ++n)
        depth[n] = px_barriers_limit(depth[n], clearance[n] * per_s);
}

static void fill_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Fill *fill = user;
    PxBlockGrid *s = fill->grid;
    for (uint32_t slot = begin; slot < end; ++slot) {
        const int32_t *at = s->at[fill->block[slot]];
        const double origin[3] = {px_block_grid_node(s, at[0], 0), px_block_grid_node(s, at[1], 0),
                                  px_block_grid_node(s, at[2], 0)};
        float *value = s->value + (size_t)slot * PX_BLOCK_NODES;
        View view;
        view_make(&view, &fill->visibility, origin, s->cell);
        block_depths(&fill->visibility, &view, origin, s->cell, value);
        if (fill->other != NULL) {
            float *other = s->other + (size_t)slot * PX_BLOCK_NODES;
            block_depths(&fill->other_visibility, &view, origin, s->cell, other);
            for (int n = 0; n < PX_BLOCK_NODES; ++n)
                value[n] = px_potential_meet(value[n], other[n]);
        }
        if (fill->barriers != NULL)
            limit_depths(fill, &view, origin, value);
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
    PxStatus status = full ? px_parallel_try(fill->field->threads, s->known, 1, fill_block, fill)
                           : no_room(s->known);
    px_release(NULL, block, 0);
    return status;
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
        status = check_deep_blocks(s, field, barriers);
    if (status == PX_OK)
        status = add_rim(s, &room);
    Fill fill = {.grid = s, .field = field, .other = other, .barriers = barriers};
    if (status == PX_OK)
        status = px_visibility_make(&fill.visibility, barriers, field);
    if (status == PX_OK && other != NULL)
        status = px_visibility_make(&fill.other_visibility, barriers, other);
    if (status == PX_OK)
        status = fill_blocks(s, &fill);
    px_visibility_free(&fill.visibility);
    px_visibility_free(&fill.other_visibility);
    if (status != PX_OK)
        px_block_grid_free(s);
    return status;
}
