/// Binding of a skin: the particles that move each point, and their weights.
#include "surface/skin/sheets.h"
#include "surface/skin/skin_parts.h"

#include "spatial/kdtree.h"

#include <string.h>

#define REACH 1.8f   /* R_j in mean distances to its nearest neighbours */
#define NEAREST 6u   /* number of these neighbours */
#define LEAST 4u     /* least links of a point, if there are as many particles */
#define MOST 64u     /* most links of a point: those with the largest weights */
#define FOUND 512u   /* most candidates of a range query */
#define CHUNK 16384u /* points linked at a time */
#define SIZE_CLASSES PX_SKIN_SIZE_CLASSES

typedef struct Bind {
    PxSkin *skin;
    PxSkinColumns column;
    PxKdTree *all;
    PxKdTree *tree;                   /* by size class */
    uint32_t first[SIZE_CLASSES + 1]; /* by size class: index of its first particle */
    float reach[SIZE_CLASSES];        /* by size class: largest R_j */
    const float *x[3], *r;            /* of the particles, ordered by size class */
    const uint32_t *place;            /* position of the particles of `all` in that order */
    const uint32_t *piece;            /* of the particles, in that order; NULL: all are one */
    uint32_t begin;                   /* first point of the chunk */
    PxSkinLink (*link)[MOST];         /* links of the chunk's points */
    uint32_t *links;
} Bind;

/* Inserts a link into a list sorted by descending weight, then ascending index. Drops the last
 * if the list is full. */
static uint32_t insert(PxSkinLink *list, uint32_t count, PxSkinLink link)
{
    uint32_t at = count < MOST ? count : MOST;
    while (at > 0 &&
           (list[at - 1].weight < link.weight ||
            (list[at - 1].weight == link.weight && list[at - 1].particle > link.particle))) {
        if (at < MOST)
            list[at] = list[at - 1];
        --at;
    }
    if (at < MOST)
        list[at] = link;
    return count < MOST ? count + 1 : MOST;
}

static float distance2_to(const Bind *b, const float m[3], uint32_t j)
{
    float dx = m[0] - b->x[0][j], dy = m[1] - b->x[1][j], dz = m[2] - b->x[2][j];
    return dx * dx + dy * dy + dz * dz;
}

static float kernel_weight(float square, float reach)
{
    float part = 1.0f - square / (reach * reach);
    return part > 0.0f ? part * part * part : 0.0f;
}

/* Links a point to the nearest particles of a piece that has few. */
static uint32_t link_piece(const Bind *b, const float m[3], uint32_t piece, PxSkinLink *list)
{
    uint32_t count = 0;
    float near = INFINITY;
    for (uint32_t j = 0; j < b->skin->particles; ++j)
        if (b->piece[j] == piece)
            near = fminf(near, distance2_to(b, m, j));
    float reach = 3.0f * sqrtf(near) + 1e-30f;
    for (uint32_t j = 0; j < b->skin->particles; ++j) {
        float w = b->piece[j] == piece ? kernel_weight(distance2_to(b, m, j), reach) : 0.0f;
        if (w > 0.0f)
            count = insert(list, count, (PxSkinLink){j, w});
    }
    return count;
}

static uint32_t own_piece(const PxSkin *skin, uint32_t i)
{
    return skin->piece != NULL ? skin->piece[i] : 0;
}

/* Weight of a particle at the squared distance `square` for a point that sees it past the sheets of
 * cracks (sheets.h). */
static float seen_weight(const Bind *b, const PxSheetView *view, uint32_t j, float square,
                         float reach)
{
    PxVec3 x = px_vec((double)b->x[0][j], (double)b->x[1][j], (double)b->x[2][j]);
    if (!(square < reach * reach))
        return 0.0f;
    float q = sqrtf(square) / reach + (float)px_skin_sheets_behind(b->skin->sheets, view, x);
    return kernel_weight(q * q, 1.0f);
}

/* Links a point to particles that no crack hides: those whose R_j reach it, else the nearest, with
 * a reach that covers them. 0: there is none, as between two cracks. */
static uint32_t link_seen(const Bind *b, uint32_t piece, const PxSheetView *view, const float m[3],
                          PxSkinLink *list)
{
    enum { NEAR = 16 };
    uint32_t count = 0, found[FOUND];
    for (int s = 0; s < SIZE_CLASSES; ++s) {
        if (b->first[s + 1] == b->first[s])
            continue;
        uint32_t here = px_kdtree_range(&b->tree[s], m[0], m[1], m[2], b->reach[s], found, FOUND);
        for (uint32_t k = 0; k < here && k < FOUND; ++k) {
            uint32_t j = b->first[s] + found[k];
            if (b->piece != NULL && b->piece[j] != piece)
                continue;
            float w = seen_weight(b, view, j, distance2_to(b, m, j), b->r[j]);
            if (w > 0.0f)
                count = insert(list, count, (PxSkinLink){j, w});
        }
    }
    float square[NEAR];
    uint32_t here =
        count > 0 ? 0 : px_kdtree_nearest(b->all, m[0], m[1], m[2], NEAR, found, square);
    for (uint32_t k = 0; k < here; ++k) {
        uint32_t j = b->place[found[k]];
        float w = b->piece == NULL || b->piece[j] == piece
                      ? seen_weight(b, view, j, square[k], 1.5f * sqrtf(square[here - 1]) + 1e-30f)
                      : 0.0f;
        if (w > 0.0f)
            count = insert(list, count, (PxSkinLink){j, w});
    }
    return count;
}

/* Looks for cracks that may hide particles from the point i. False: there are none. */
static bool is_beside_crack(const Bind *b, uint32_t i, PxSheetView *view)
{
    const PxSkin *skin = b->skin;
    float reach = 0;
    for (int s = 0; s < SIZE_CLASSES; ++s)
        reach = fmaxf(reach, b->reach[s]);
    /* sight begins beside the point: a little farther */
    px_skin_sheets_look(skin->sheets, own_piece(skin, i), skin->eye[i], 1.1 * (double)reach, view);
    return view->count > 0;
}

static uint32_t link_point(const Bind *b, uint32_t i, const float m[3], PxSkinLink *list)
{
    uint32_t count = 0, found[FOUND], piece = own_piece(b->skin, i);
    PxSheetView view;
    if (b->skin->eye != NULL && b->skin->sheets != NULL && is_beside_crack(b, i, &view))
        count = link_seen(b, piece, &view, m, list);
    bool seen = count > 0;
    for (int s = 0; s < SIZE_CLASSES; ++s) {
        if (seen || b->first[s + 1] == b->first[s])
            continue;
        uint32_t here = px_kdtree_range(&b->tree[s], m[0], m[1], m[2], b->reach[s], found, FOUND);
        for (uint32_t k = 0; k < here && k < FOUND; ++k) {
            uint32_t j = b->first[s] + found[k];
            float w = kernel_weight(distance2_to(b, m, j), b->r[j]);
            if (w > 0.0f && (b->piece == NULL || b->piece[j] == piece))
                count = insert(list, count, (PxSkinLink){j, w});
        }
    }
    if (b->piece != NULL && !seen && count < LEAST)
        count = link_piece(b, m, piece, list);
    uint32_t wanted = b->skin->particles < LEAST ? b->skin->particles : LEAST;
    if (!seen && count < wanted && b->piece == NULL) { /* too few supports reach here: take the
                             nearest, with a support that covers them */
        float square[LEAST];
        px_kdtree_nearest(b->all, m[0], m[1], m[2], wanted, found, square);
        float reach = 1.5f * sqrtf(square[wanted - 1]) + 1e-30f;
        count = 0;
        for (uint32_t k = 0; k < wanted; ++k)
            count = insert(list, count,
                           (PxSkinLink){b->place[found[k]], kernel_weight(square[k], reach)});
    }
    double sum = 0;
    for (uint32_t k = 0; k < count; ++k)
        sum += (double)list[k].weight;
    for (uint32_t k = 0; k < count; ++k)
        list[k].weight = sum > 0 ? (float)((double)list[k].weight / sum) : 1.0f / (float)count;
    return count;
}

static void link_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Bind *b = user;
    for (uint32_t k = begin; k < end; ++k) {
        uint32_t i = b->begin + k;
        const float m[3] = {b->column.rest[0][i], b->column.rest[1][i], b->column.rest[2][i]};
        b->links[k] = link_point(b, i, m, b->link[k]);
    }
}

/* ---- particles ---- */

typedef struct Reach {
    const PxKdTree *all;
    float *const *x;
    const float *support;
    float *r;
} Reach;

/* R_j from the distances to the nearest neighbours, at most the support of the physics. */
static void radius_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Reach *p = user;
    for (uint32_t j = begin; j < end; ++j) {
        uint32_t who[NEAREST + 1];
        float square[NEAREST + 1], sum = 0;
        uint32_t found =
            px_kdtree_nearest(p->all, p->x[0][j], p->x[1][j], p->x[2][j], NEAREST + 1, who, square);
        for (uint32_t k = 1; k < found; ++k)
            sum += sqrtf(square[k]);
        float near = found > 1 ? REACH * sum / (float)(found - 1) : p->support[j];
        float r = p->support[j] > 0.0f && p->support[j] < near ? p->support[j] : near;
        p->r[j] = r > 1e-18f ? r : 1e-18f;
    }
}

/* Lists the particles of this body. */
static PxStatus list_particles(PxSkin *skin, const PxSolidMaps *maps, uint32_t body)
{
    uint32_t count = 0;
    for (uint32_t j = 0; j < maps->count; ++j)
        count += maps->body[j] == body;
    if (count > skin->particle_room) {
        const PxAllocator *a = skin->allocator;
        size_t particles = count * sizeof *skin->particle;
        uint32_t *particle = px_allocate(a, particles);
        float *map = px_allocate(a, (size_t)count * 16 * sizeof *map);
        if (particle == NULL || map == NULL) {
            px_release(a, particle, particles);
            px_release(a, map, (size_t)count * 16 * sizeof *map);
            return px_fail(PX_ERR_MEMORY, "skin: no room for %u particles", count);
        }
        px_release(a, skin->particle, skin->particle_room * sizeof *skin->particle);
        px_release(a, skin->map, skin->particle_room * 16 * sizeof *skin->map);
        skin->particle = particle;
        skin->map = map;
        skin->particle_room = count;
    }
    skin->particles = 0;
    for (uint32_t j = 0; j < maps->count; ++j)
        if (maps->body[j] == body)
            skin->particle[skin->particles++] = j;
    PxVec3 origin = maps->rest_origin != NULL ? maps->rest_origin[body] : px_vec(0, 0, 0);
    skin->shift = px_sub(origin, skin->rest_origin);
    return PX_OK;
}

/* Orders particles by size class (R_j doubles from class to class). place[j] is the new index of
 * j. */
static void order_by_size(Bind *b, const float *r, uint32_t n, uint32_t *order, uint32_t *place)
{
    uint32_t next = 0;
    float least = r[0];
    for (uint32_t j = 1; j < n; ++j)
        least = r[j] < least ? r[j] : least;
    for (int s = 0; s < SIZE_CLASSES; ++s, least *= 2.0f) {
        b->first[s] = next;
        for (uint32_t j = 0; j < n; ++j)
            if ((s == 0 || r[j] >= least) && (s == SIZE_CLASSES - 1 || r[j] < 2.0f * least)) {
                place[j] = next;
                order[next++] = j;
            }
    }
    b->first[SIZE_CLASSES] = next;
}

/* Builds a kd-tree for each size class and one of all particles. With one tree a few large
 * particles would widen every query. */
static PxStatus sort_particles(Bind *b, const PxSolidMaps *maps, const PxThreads *threads,
                               PxArena *scratch)
{
    enum { X, Y, Z, H, R, ARRAYS };
    PxSkin *skin = b->skin;
    uint32_t n = skin->particles;
    float *come[ARRAYS], *sorted[ARRAYS];
    uint32_t *order = PX_ARENA_ARRAY(scratch, uint32_t, n);
    uint32_t *place = PX_ARENA_ARRAY(scratch, uint32_t, n);
    uint32_t *particle = PX_ARENA_ARRAY(scratch, uint32_t, n);
    bool room = order != NULL && place != NULL && particle != NULL;
    for (int k = 0; k < ARRAYS; ++k) {
        come[k] = PX_ARENA_ARRAY(scratch, float, n);
        sorted[k] = PX_ARENA_ARRAY(scratch, float, n);
        room = room && come[k] != NULL && sorted[k] != NULL;
    }
    if (!room)
        return px_fail(PX_ERR_MEMORY, "skin: no room for %u particles", n);
    const float shift[3] = {(float)skin->shift.x, (float)skin->shift.y, (float)skin->shift.z};
    for (uint32_t j = 0; j < n; ++j) {
        const float *quad = maps->rest + 4 * (size_t)skin->particle[j];
        for (int k = X; k <= Z; ++k)
            come[k][j] = quad[k] + shift[k];
        come[H][j] = quad[3];
    }
    PX_TRY(px_kdtree_build(b->all, come[X], come[Y], come[Z], n, scratch));
    Reach reach = {b->all, come, come[H], come[R]};
    px_parallel_for(threads, n, 256, radius_block, &reach);
    order_by_size(b, come[R], n, order, place);
    if (skin->piece != NULL) {
        uint32_t *piece = PX_ARENA_ARRAY(scratch, uint32_t, n);
        if (piece == NULL)
            return px_fail(PX_ERR_MEMORY, "skin: no room for %u particles", n);
        for (uint32_t j = 0; j < n; ++j)
            piece[j] = maps->piece[skin->particle[order[j]]];
        b->piece = piece;
    }
    memcpy(particle, skin->particle, n * sizeof *particle);
    for (uint32_t j = 0; j < n; ++j) {
        skin->particle[j] = particle[order[j]];
        for (int k = 0; k < ARRAYS; ++k)
            sorted[k][j] = come[k][order[j]];
    }
    for (int k = X; k <= Z; ++k)
        b->x[k] = sorted[k];
    b->r = sorted[R];
    b->place = place;
    for (int s = 0; s < SIZE_CLASSES; ++s) {
        uint32_t begin = b->first[s], count = b->first[s + 1] - begin;
        b->reach[s] = 0.0f;
        for (uint32_t j = begin; j < begin + count; ++j)
            b->reach[s] = b->r[j] > b->reach[s] ? b->r[j] : b->reach[s];
        if (count > 0)
            PX_TRY(px_kdtree_build(&b->tree[s], sorted[X] + begin, sorted[Y] + begin,
                                   sorted[Z] + begin, count, scratch));
    }
    return PX_OK;
}

/* ---- links ---- */

static PxStatus grow_links(PxSkin *skin, size_t used, size_t more)
{
    if (used + more <= skin->link_room)
        return PX_OK;
    size_t room = used + more + (used + more) / 4;
    PxSkinLink *link = px_allocate(skin->allocator, room * sizeof *link);
    if (link == NULL)
        return px_fail(PX_ERR_MEMORY, "skin: no room for %zu links", room);
    if (used > 0)
        memcpy(link, skin->link, used * sizeof *link);
    px_release(skin->allocator, skin->link, skin->link_room * sizeof *link);
    skin->link = link;
    skin->link_room = room;
    return PX_OK;
}

static PxStatus link_all(Bind *b, const PxThreads *threads, PxArena *scratch)
{
    PxSkin *skin = b->skin;
    uint32_t n = skin->base.count;
    size_t used = 0;
    b->link = px_arena_take_array(scratch, CHUNK, sizeof *b->link);
    b->links = PX_ARENA_ARRAY(scratch, uint32_t, CHUNK);
    if (b->link == NULL || b->links == NULL)
        return px_fail(PX_ERR_MEMORY, "skin: no room to link %u points", n);
    for (b->begin = 0; b->begin < n; b->begin += CHUNK) {
        uint32_t count = n - b->begin < CHUNK ? n - b->begin : CHUNK;
        px_parallel_for(threads, count, 256, link_block, b);
        size_t more = 0;
        for (uint32_t k = 0; k < count; ++k)
            more += b->links[k];
        if (used + more > UINT32_MAX)
            return px_fail(PX_ERR_MEMORY, "skin: more than 2^32 links");
        PX_TRY(grow_links(skin, used, more));
        for (uint32_t k = 0; k < count; ++k) {
            skin->start[b->begin + k] = (uint32_t)used;
            memcpy(skin->link + used, b->link[k], b->links[k] * sizeof(PxSkinLink));
            used += b->links[k];
        }
    }
    skin->start[n] = (uint32_t)used;
    return PX_OK;
}

PxStatus px_skin_bind(PxSkin *skin, const PxSolidMaps *maps, uint32_t body,
                      const PxThreads *threads, PxArena *scratch)
{
    PxArenaMark mark = px_arena_mark(scratch);
    Bind b = {
        .skin = skin, .column = px_skin_columns(skin), .all = &skin->all, .tree = skin->size_class};
    skin->bound = false;
    PxStatus status = list_particles(skin, maps, body);
    if (status == PX_OK && skin->particles > 0)
        status = sort_particles(&b, maps, threads, scratch);
    if (status == PX_OK && skin->particles > 0)
        status = link_all(&b, threads, scratch);
    px_arena_release(scratch, mark);
    skin->bound = status == PX_OK;
    skin->version = maps->version;
    return status;
}
