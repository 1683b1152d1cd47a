#include "fluid/pressure/mac_walls.h"

#include "base/digest.h"
#include "fluid/pressure/mac_cells.h"

#include <math.h>
#include <string.h>

enum { POINTS = 4 * CELLS };

/* Open parts of faces below this count as closed. */
#define CLOSED 0.01f

/* Distance of a boundary from a face parallel to it at which the face is open, in cells. */
#define FLAT 0.01f

/* Points of a tile, and what boundaries do there. */
typedef struct Look {
    float x[3][POINTS];
    float distance[POINTS], clear[POINTS], velocity[3][POINTS];
    uint16_t nearest[POINTS]; /* boundary */
    PxFill fill[POINTS];
    double far[POINTS];
} Look;

static bool look(const PxFluid *f, Look *l, uint32_t count)
{
    bool found = true;
    for (uint32_t k = 0; k < count; ++k) {
        l->distance[k] = f->kernel.h;
        l->nearest[k] = PX_MAC_NOBODY;
        l->clear[k] = 1.0f;
        l->velocity[0][k] = l->velocity[1][k] = l->velocity[2][k] = 0.0f;
    }
    PxFillQuery query = {
        .x = l->x[0], .y = l->x[1], .z = l->x[2], .end = count, .profile = f->wall_profile};
    for (size_t b = 0; b < f->boundaries; ++b) {
        for (uint32_t k = 0; k < count; ++k)
            l->far[k] = INFINITY;
        uint32_t near = f->boundary[b]->ops->fill(f->boundary[b], &query, l->fill, l->far);
        for (uint32_t n = 0; n < near; ++n) {
            const PxFill *fill = &l->fill[n];
            uint32_t k = fill->row;
            if (isnan(fill->part)) {
                found = false;
                continue;
            }
            l->clear[k] *= 1.0f - (float)fill->part;
            if ((float)fill->distance < l->distance[k]) {
                l->distance[k] = (float)fill->distance;
                l->nearest[k] = (uint16_t)b;
                l->velocity[0][k] = (float)fill->velocity.x;
                l->velocity[1][k] = (float)fill->velocity.y;
                l->velocity[2][k] = (float)fill->velocity.z;
            }
        }
    }
    return found;
}

/* Faces whose open part has to be measured. */
typedef struct Cut {
    uint32_t cell;
    int axis;
} Cut;

/* The part of a square where a linear function is above 0: its value in the middle and the sizes of
 * its changes from edge to edge along both axes. Exact for planes. A square that lies in the
 * boundary is closed, and opens as the boundary moves FLAT of its edge away. */
static float open_part(float middle, float a, float b, float flat)
{
    float wide = fmaxf(a, b), narrow = fminf(a, b), top = middle + 0.5f * (a + b);
    if (wide < flat)
        return fminf(fmaxf(top / flat, 0.0f), 1.0f);
    if (narrow < 1e-3f * wide)
        return fminf(fmaxf(0.5f + middle / wide, 0.0f), 1.0f);
    float sum = 0;
    for (int k = 0; k < 4; ++k) { /* triangle, less those beyond the edges */
        float over = fmaxf(top - (k & 1 ? wide : 0.0f) - (k & 2 ? narrow : 0.0f), 0.0f);
        sum += (k == 0 || k == 3 ? over : -over) * over;
    }
    return fminf(fmaxf(0.5f * sum / (wide * narrow), 0.0f), 1.0f);
}

/* Open parts of up to CELLS faces: the mean of their four quarters. Distances at the middles of
 * the quarters give the slope of the boundary in the face, and with it the part of each. */
static bool cut_faces(PxMac *m, Look *l, const Cut *cut, uint32_t count)
{
    static const float first[4] = {-0.25f, 0.25f, 0.25f, -0.25f};
    static const float second[4] = {-0.25f, -0.25f, 0.25f, 0.25f};
    float h = (float)m->cell;
    for (uint32_t k = 0; k < count; ++k) {
        double x[3];
        int axis = cut[k].axis;
        place_of(m, cut[k].cell, axis, x);
        for (uint32_t n = 0; n < 4; ++n) {
            for (int c = 0; c < 3; ++c)
                l->x[c][4 * k + n] = (float)x[c];
            l->x[(axis + 1) % 3][4 * k + n] += first[n] * h;
            l->x[(axis + 2) % 3][4 * k + n] += second[n] * h;
        }
    }
    bool found = look(m->fluid, l, 4 * count);
    for (uint32_t k = 0; k < count; ++k) {
        const float *d = l->distance + 4 * k;
        uint32_t cell = cut[k].cell;
        int axis = cut[k].axis;
        float slope[2] = {0.5f * fabsf(d[1] - d[0] + d[2] - d[3]),
                          0.5f * fabsf(d[3] - d[0] + d[2] - d[1])}; /* along a quarter */
        float open = 0, along[2] = {0, 0}, wall = 0;
        for (int n = 0; n < 4; ++n) {
            float part = 0.25f * open_part(d[n], slope[0], slope[1], FLAT * h);
            open += part;
            along[0] += part * first[n];
            along[1] += part * second[n];
            wall += 0.25f * l->velocity[axis][4 * k + (uint32_t)n];
        }
        uint32_t nearest = 0;
        for (uint32_t n = 1; n < 4; ++n)
            nearest = d[n] < d[nearest] ? n : nearest;
        m->whose[axis][cell] = l->nearest[4 * k + nearest];
        bool shut = open < CLOSED;
        m->open[axis][cell] = shut ? 0.0f : open;
        m->wall[axis][cell] = wall;
        m->centre[axis][0][cell] = shut ? 0.0f : h * along[0] / open;
        m->centre[axis][1][cell] = shut ? 0.0f : h * along[1] / open;
        if (fabsf(m->centre[axis][0][cell]) + fabsf(m->centre[axis][1][cell]) > 0.0f)
            m->slanted[cell / CELLS] = 1;
    }
    return found;
}

/* Kernel sums are taken at the centres of cells, or half a spacing off a boundary. */
static bool put_samples(PxMac *m, Look *l, const uint32_t *cell, uint32_t count)
{
    const PxFluid *f = m->fluid;
    float least = 0.5f * (float)f->spacing;
    for (uint32_t k = 0; k < count; ++k)
        for (int c = 0; c < 3; ++c)
            l->x[c][k] = m->sample[c][cell[k]];
    bool found = true;
    for (int round = 0; round < 3; ++round) { /* in an edge, off one boundary after the other */
        found = look(f, l, count) && found;
        for (uint32_t k = 0; k < count && round < 2; ++k) {
            if (!(l->distance[k] < least))
                continue;
            PxVec3 at = {(double)l->x[0][k], (double)l->x[1][k], (double)l->x[2][k]}, n;
            px_boundary_distance(f->boundary[l->nearest[k]], 0, at, &n);
            float way = least - l->distance[k];
            l->x[0][k] += way * (float)n.x;
            l->x[1][k] += way * (float)n.y;
            l->x[2][k] += way * (float)n.z;
        }
    }
    for (uint32_t k = 0; k < count; ++k) {
        m->clear[cell[k]] = l->clear[k];
        m->displaced[cell[k]] = 1;
        for (int c = 0; c < 3; ++c)
            m->sample[c][cell[k]] = l->x[c][k];
    }
    return found;
}

/* Distance of a boundary from the middle of a face, in cells, beyond which it does not cut it:
 * corners are 0.71 cells off. */
#define FACE 0.8f

/* Finds which faces of a tile are open, closed, or cut by a boundary, from the distances between
 * cell centres and boundaries. *alone: there is none near. */
static bool find_faces(PxMac *m, Look *l, uint32_t tile, bool *alone)
{
    uint32_t cell[CELLS], cells = 0, cuts = 0;
    Cut cut[3 * CELLS];
    float centre[CELLS], h = (float)m->cell, least = 0.5f * (float)m->fluid->spacing;
    for (uint32_t k = 0; k < CELLS; ++k)
        for (int c = 0; c < 3; ++c)
            l->x[c][k] = m->sample[c][tile * CELLS + k];
    bool found = look(m->fluid, l, CELLS);
    memcpy(centre, l->distance, sizeof centre);
    *alone = true;
    for (uint32_t k = 0; k < CELLS; ++k) {
        float d = centre[k];
        uint32_t at = tile * CELLS + k;
        m->clear[at] = l->clear[k];
        *alone = *alone && l->nearest[k] == PX_MAC_NOBODY;
        if (d < least && d > -h)
            cell[cells++] = at;
        for (int c = 0; c < 3; ++c) {
            bool within = (k >> (2 * c) & 3u) > 0; /* the cell below is in the tile */
            float there = within ? 0.5f * (d + centre[k - (1u << (2 * c))]) : d;
            if (fabsf(d) < h && (!within || fabsf(there) < FACE * h))
                cut[cuts++] = (Cut){at, c};
            else if (there < 0.0f)
                m->open[c][at] = 0.0f;
            m->whose[c][at] = l->nearest[k];
            m->wall[c][at] = l->velocity[c][k];
        }
    }
    m->moved[tile] = cells > 0;
    if (cells > 0)
        found = put_samples(m, l, cell, cells) && found;
    for (uint32_t k = 0; k < cuts; k += CELLS)
        found = cut_faces(m, l, cut + k, cuts - k < CELLS ? cuts - k : CELLS) && found;
    return found;
}

/* ---- tiles that are kept ------------------------------------------------------------------ */

/* A tile beside boundaries. */
typedef struct Kept {
    float open[3][CELLS], centre[3][2][CELLS], sample[3][CELLS], clear[CELLS];
    uint16_t whose[3][CELLS], barrier[3][CELLS];
    uint64_t pending[3]; /* faces that were not yet tested for a boundary between samples */
    uint64_t barred[3];  /* faces with such a boundary, `barrier` */
    uint8_t displaced[CELLS], moved, slanted;
} Kept;

typedef struct PxMacStore {
    const PxAllocator *memory;
    uint64_t print[2]; /* of the boundaries that do not move, and of the cells */
    Names names;       /* the number of a tile; PLAIN: no boundary is near */
    uint32_t named;
    Kept *kept;
    uint32_t count, room;
} PxMacStore;

#define PLAIN (UINT32_MAX - 1)
#define NOT_KEPT UINT32_MAX

PxStatus px_mac_store_create(const PxAllocator *memory, PxMacStore **out)
{
    *out = px_allocate(memory, sizeof **out);
    if (*out == NULL)
        return px_fail(PX_ERR_MEMORY, "pressure: no room for the walls of a grid");
    **out = (PxMacStore){.memory = memory};
    return PX_OK;
}

static size_t names_room(const PxMacStore *s)
{
    return s->names.key != NULL ? (size_t)s->names.mask + 1 : 0;
}

static void forget(PxMacStore *s)
{
    px_release(s->memory, s->names.key, names_room(s) * sizeof *s->names.key);
    px_release(s->memory, s->names.number, names_room(s) * sizeof *s->names.number);
    px_release(s->memory, s->kept, s->room * sizeof *s->kept);
    *s = (PxMacStore){.memory = s->memory};
}

void px_mac_store_free(PxMacStore *s)
{
    if (s == NULL)
        return;
    const PxAllocator *memory = s->memory;
    forget(s);
    px_release(memory, s, sizeof *s);
}

size_t px_mac_store_bytes(const PxMacStore *s)
{
    return s == NULL ? 0
                     : sizeof *s + s->room * sizeof *s->kept +
                           names_room(s) * (sizeof *s->names.key + sizeof *s->names.number);
}

/* Twice the names; false: no room. */
static bool more_names(PxMacStore *s)
{
    size_t room = names_room(s) > 0 ? 2 * names_room(s) : 4096;
    Names wide = {px_allocate(s->memory, room * sizeof(uint64_t)),
                  px_allocate(s->memory, room * sizeof(uint32_t)), (uint32_t)room - 1};
    if (wide.key == NULL || wide.number == NULL) {
        px_release(s->memory, wide.key, room * sizeof(uint64_t));
        px_release(s->memory, wide.number, room * sizeof(uint32_t));
        return false;
    }
    memset(wide.key, 0, room * sizeof *wide.key);
    for (size_t k = 0; k < names_room(s); ++k)
        if (s->names.key[k] != 0) {
            uint32_t place = names_place(&wide, s->names.key[k]);
            wide.key[place] = s->names.key[k];
            wide.number[place] = s->names.number[k];
        }
    px_release(s->memory, s->names.key, names_room(s) * sizeof(uint64_t));
    px_release(s->memory, s->names.number, names_room(s) * sizeof(uint32_t));
    s->names = wide;
    return true;
}

static bool more_kept(PxMacStore *s)
{
    uint32_t room = s->room > 0 ? 2 * s->room : 256;
    Kept *wide = px_allocate(s->memory, room * sizeof *wide);
    if (wide == NULL)
        return false;
    if (s->count > 0)
        memcpy(wide, s->kept, s->count * sizeof *wide);
    px_release(s->memory, s->kept, s->room * sizeof *s->kept);
    s->kept = wide;
    s->room = room;
    return true;
}

/* The number of a tile that is kept, PLAIN or NOT_KEPT. */
static uint32_t find_kept(const PxMacStore *s, const int32_t at[3])
{
    if (s == NULL || s->names.key == NULL)
        return NOT_KEPT;
    uint64_t key = pack(at);
    uint32_t place = names_place(&s->names, key);
    return s->names.key[place] == key ? s->names.number[place] : NOT_KEPT;
}

/* Keeps a tile that was just computed; without memory it is not kept. */
static uint32_t keep(PxMacStore *s, const PxMac *m, uint32_t tile, bool plain)
{
    if (2 * (size_t)(s->named + 1) > names_room(s) && !more_names(s))
        return NOT_KEPT;
    if (!plain && s->count == s->room && !more_kept(s))
        return NOT_KEPT;
    uint64_t key = pack(m->at + 3 * (size_t)tile);
    uint32_t place = names_place(&s->names, key), number = plain ? PLAIN : s->count++;
    s->names.key[place] = key;
    s->names.number[place] = number;
    ++s->named;
    if (plain)
        return number;
    Kept *k = &s->kept[number];
    size_t from = (size_t)tile * CELLS;
    for (int c = 0; c < 3; ++c) {
        memcpy(k->open[c], m->open[c] + from, sizeof k->open[c]);
        memcpy(k->centre[c][0], m->centre[c][0] + from, sizeof k->centre[c][0]);
        memcpy(k->centre[c][1], m->centre[c][1] + from, sizeof k->centre[c][1]);
        memcpy(k->sample[c], m->sample[c] + from, sizeof k->sample[c]);
        memcpy(k->whose[c], m->whose[c] + from, sizeof k->whose[c]);
        k->pending[c] = UINT64_MAX;
        k->barred[c] = 0;
    }
    memcpy(k->clear, m->clear + from, sizeof k->clear);
    memcpy(k->displaced, m->displaced + from, sizeof k->displaced);
    k->moved = m->moved[tile];
    k->slanted = m->slanted[tile];
    return number;
}

static void recall(const Kept *k, PxMac *m, uint32_t tile)
{
    size_t from = (size_t)tile * CELLS;
    for (int c = 0; c < 3; ++c) {
        memcpy(m->open[c] + from, k->open[c], sizeof k->open[c]);
        memcpy(m->centre[c][0] + from, k->centre[c][0], sizeof k->centre[c][0]);
        memcpy(m->centre[c][1] + from, k->centre[c][1], sizeof k->centre[c][1]);
        memcpy(m->sample[c] + from, k->sample[c], sizeof k->sample[c]);
        memcpy(m->whose[c] + from, k->whose[c], sizeof k->whose[c]);
        memset(m->wall[c] + from, 0, CELLS * sizeof(float));
    }
    memcpy(m->clear + from, k->clear, sizeof k->clear);
    memcpy(m->displaced + from, k->displaced, sizeof k->displaced);
    m->moved[tile] = k->moved;
    m->slanted[tile] = k->slanted;
}

/* Forgets what was kept of other boundaries, and of much that is no longer needed. */
static void check_store(PxMacStore *s, const PxMac *m)
{
    const PxFluid *f = m->fluid;
    uint64_t all[2], one[2];
    double size[2] = {m->cell, f->spacing};
    px_digest(size, sizeof size, all);
    for (size_t b = 0; b < f->boundaries; ++b) {
        const PxBoundary *wall = f->boundary[b];
        one[0] = one[1] = 0;
        if (!(wall->ops->travel(wall) > 0))
            wall->ops->print(wall, one);
        px_digest_join(all, one, all);
    }
    if (memcmp(all, s->print, sizeof all) != 0 || s->named > 4096 + 4 * m->tiles)
        forget(s);
    memcpy(s->print, all, sizeof all);
}

/* ---- all tiles ------------------------------------------------------------------------------ */

typedef struct Walls {
    PxMac *mac;
    PxMacStore *store; /* NULL: nothing is kept */
    uint32_t *number;  /* of every tile in the store */
    uint8_t *fresh;    /* it was computed, and 2: no boundary is near, 4: a moving one may be */
    bool missing;      /* a table block is not there yet */
} Walls;

enum { FRESH = 1, ALONE = 2, UNSTEADY = 4 };

/* May a moving boundary change a tile? Points, samples and those of neighbours are less than 6
 * cells from its centre, and a support is 2. */
static bool is_unsteady(const PxMac *m, uint32_t tile)
{
    const PxFluid *f = m->fluid;
    bool unsteady = false;
    double x[3];
    place_of(m, tile * CELLS, -1, x);
    PxVec3 at = {x[0] + 1.5 * m->cell, x[1] + 1.5 * m->cell, x[2] + 1.5 * m->cell};
    for (size_t b = 0; b < f->boundaries && !unsteady; ++b) {
        const PxBoundary *wall = f->boundary[b];
        unsteady = wall->ops->travel(wall) > 0 && !(wall->ops->at_least(wall, 0, at) > 9 * m->cell);
    }
    return unsteady;
}

static void empty_tile(PxMac *m, uint32_t t)
{
    for (uint32_t k = t * CELLS; k < (t + 1) * CELLS; ++k) {
        double x[3];
        place_of(m, k, -1, x);
        m->clear[k] = 1.0f;
        m->displaced[k] = 0;
        for (int c = 0; c < 3; ++c) {
            m->sample[c][k] = (float)x[c];
            m->open[c][k] = t > 0 ? 1.0f : 0.0f;
            m->wall[c][k] = m->centre[c][0][k] = m->centre[c][1][k] = 0.0f;
            m->whose[c][k] = PX_MAC_NOBODY;
        }
    }
    m->moved[t] = m->slanted[t] = 0;
}

static void walls_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    Walls *job = user;
    PxMac *m = job->mac;
    Look l;
    for (uint32_t t = begin; t < end; ++t) {
        bool unsteady = t > 0 && is_unsteady(m, t);
        uint32_t number =
            t > 0 && !unsteady ? find_kept(job->store, m->at + 3 * (size_t)t) : NOT_KEPT;
        job->number[t] = number;
        job->fresh[t] = 0;
        if (number < PLAIN) {
            recall(&job->store->kept[number], m, t);
            continue;
        }
        empty_tile(m, t);
        if (t == 0 || m->fluid->boundaries == 0 || number == PLAIN)
            continue;
        bool alone;
        if (!find_faces(m, &l, t, &alone)) {
            px_join_begin();
            job->missing = true;
            px_join_end();
        }
        job->fresh[t] = (uint8_t)(FRESH + (alone ? ALONE : 0) + (unsteady ? UNSTEADY : 0));
    }
}

/* Does a boundary separate the sample of a cell from that of the cell below? */
static uint16_t barrier_of(const PxMac *m, uint32_t cell, uint32_t below)
{
    const PxFluid *f = m->fluid;
    if (fminf(m->clear[cell], m->clear[below]) > 0.85f)
        return PX_MAC_NOBODY;
    PxBoundaryPath path = {.when = {0, 0}};
    const uint32_t ends[2] = {cell, below};
    for (int k = 0; k < 2; ++k)
        path.place[k] = px_vec((double)m->sample[0][ends[k]], (double)m->sample[1][ends[k]],
                               (double)m->sample[2][ends[k]]);
    for (size_t b = 0; b < f->boundaries; ++b)
        if (f->boundary[b]->ops->passes(f->boundary[b], &path, 1e-4 * m->cell))
            return (uint16_t)b;
    return PX_MAC_NOBODY;
}

/* Closes faces between samples that a boundary separates: walls thinner than a cell, too. What is
 * kept about a face counts only while the cell below exists, as if it were found in this step. */
static void separate_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Walls *job = user;
    PxMac *m = job->mac;
    for (uint32_t t = begin; t < end; ++t) {
        uint32_t number = job->number[t];
        if (t == 0 || number == PLAIN)
            continue;
        Kept *kept = number < PLAIN ? &job->store->kept[number] : NULL;
        for (int c = 0; c < 3; ++c) {
            uint64_t look = kept != NULL ? kept->pending[c] | kept->barred[c] : UINT64_MAX;
            for (; look != 0; look &= look - 1) {
                uint32_t k = (uint32_t)__builtin_ctzll(look), cell = t * CELLS + k;
                uint32_t below = next_to(m, cell, c, -1);
                uint64_t bit = UINT64_C(1) << k;
                if (below < CELLS)
                    continue;
                uint16_t by = PX_MAC_NOBODY;
                if (kept != NULL && (kept->barred[c] & bit) != 0)
                    by = kept->barrier[c][k];
                else if (m->open[c][cell] > 0.0f)
                    by = barrier_of(m, cell, below);
                if (kept != NULL) {
                    kept->pending[c] &= ~bit;
                    kept->barred[c] |= by != PX_MAC_NOBODY ? bit : 0;
                    kept->barrier[c][k] = by;
                }
                if (by != PX_MAC_NOBODY) {
                    m->open[c][cell] = 0.0f;
                    m->whose[c][cell] = by;
                }
            }
        }
    }
}

PxStatus px_mac_find_walls(PxMac *m)
{
    const PxFluid *f = m->fluid;
    PxArenaMark mark = px_arena_mark(f->scratch);
    Walls job = {.mac = m,
                 .store = f->boundaries > 0 ? f->mac_store : NULL,
                 .number = PX_ARENA_ARRAY(f->scratch, uint32_t, m->tiles),
                 .fresh = PX_ARENA_ARRAY(f->scratch, uint8_t, m->tiles)};
    if (job.number == NULL || job.fresh == NULL)
        return px_fail(PX_ERR_MEMORY, "pressure: no room for %u tiles", m->tiles);
    if (job.store != NULL)
        check_store(job.store, m);
    for (;;) {
        job.missing = false;
        px_parallel_for(f->threads, m->tiles, TILES, walls_block, &job);
        bool again = false;
        for (size_t k = 0; job.missing && k < f->boundaries; ++k) {
            bool more = false;
            PX_TRY(f->boundary[k]->ops->fill_more(f->boundary[k], f->threads, &more));
            again = again || more;
        }
        if (!again)
            break;
    }
    for (uint32_t t = 1; t < m->tiles && job.store != NULL; ++t)
        if ((job.fresh[t] & (FRESH + UNSTEADY)) == FRESH)
            job.number[t] = keep(job.store, m, t, (job.fresh[t] & ALONE) != 0);
    if (f->boundaries > 0)
        px_parallel_for(f->threads, m->tiles, TILES, separate_block, &job);
    for (uint32_t t = 0; t < m->tiles; ++t) {
        m->beside[t] = 0;
        for (int k = 0; k < 27 && job.number != NULL; ++k)
            m->beside[t] |= job.number[m->near[27 * (size_t)t + (size_t)k]] != PLAIN;
        m->beside[t] &= t > 0;
    }
    px_arena_release(f->scratch, mark);
    return PX_OK;
}
