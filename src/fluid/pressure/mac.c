#include "fluid/pressure/mac.h"

#include "base/stop.h"

#include <math.h>
#include <string.h>

enum { EDGE = 4, CELLS = EDGE * EDGE * EDGE, POINTS = 4 * CELLS, TILES = 4, ROUNDS = 3 };

/* Rows whose own density is below this are spray: no cell around them can be filled. */
#define SPRAY 0.42f

/* Gradients of velocity count from the first of these densities on, and fully from the second on:
 * in splashes they come from few neighbours, and would be extrapolated far. */
#define SPARSE 0.5f
#define DENSE 0.65f

/* Least distance of the free surface from a filled cell's centre, in cells. */
#define NEAREST 0.1f

/* Open parts of faces below this count as closed. */
#define CLOSED 0.01f

/* A tile that is farther from particles than this, in cells, is not needed: faces are read 1.5
 * cells around a particle, and kernel sums reach 2 cells. */
#define REACH 2.6f

/* ---- where cells are -------------------------------------------------------------- */

PX_INLINE uint32_t next_to(const PxMac *m, uint32_t cell, int axis, int side)
{
    uint32_t shift = 2u * (uint32_t)axis, at = (cell >> shift) & 3u;
    if (side > 0 ? at < 3 : at > 0)
        return side > 0 ? cell + (1u << shift) : cell - (1u << shift);
    static const int stride[3] = {1, 3, 9};
    uint32_t tile = m->near[27 * (size_t)(cell / CELLS) + (size_t)(13 + side * stride[axis])];
    uint32_t in = cell % CELLS;
    return tile * CELLS + (side > 0 ? in - (3u << shift) : in + (3u << shift));
}

/* Cell at coordinates relative to a tile, each in [-EDGE, 2 EDGE). */
PX_INLINE uint32_t cell_at(const PxMac *m, uint32_t tile, int x, int y, int z)
{
    int tx = (x + EDGE) / EDGE, ty = (y + EDGE) / EDGE, tz = (z + EDGE) / EDGE;
    uint32_t other = m->near[27 * (size_t)tile + (size_t)(tx + 3 * ty + 9 * tz)];
    return other * CELLS + (uint32_t)((x & 3) + 4 * (y & 3) + 16 * (z & 3));
}

/* Position of the centre of a cell, or of the middle of its lower face along an axis. */
static void place_of(const PxMac *m, uint32_t cell, int axis, double x[3])
{
    const int32_t *at = m->at + 3 * (size_t)(cell / CELLS);
    for (int a = 0; a < 3; ++a)
        x[a] = m->cell *
               ((double)at[a] * EDGE + (double)((cell >> (2 * a)) & 3u) + (a == axis ? 0.0 : 0.5));
}

/* Hash table from tile coordinates to tile numbers. */
typedef struct Names {
    uint64_t *key; /* 0 is free */
    uint32_t *number;
    uint32_t mask;
} Names;

#define FARTHEST 1000000

static uint64_t pack(const int32_t at[3])
{
    return (uint64_t)(uint32_t)(at[2] + FARTHEST + 2) << 42 |
           (uint64_t)(uint32_t)(at[1] + FARTHEST + 2) << 21 | (uint32_t)(at[0] + FARTHEST + 2);
}

static uint32_t names_place(const Names *names, uint64_t key)
{
    uint32_t place = (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & names->mask;
    while (names->key[place] != key && names->key[place] != 0)
        place = (place + 1) & names->mask;
    return place;
}

/* The number of the tile at these coordinates; makes it if there is room in `most`. */
static uint32_t tile_named(PxMac *m, Names *names, const int32_t at[3])
{
    uint64_t key = pack(at);
    uint32_t place = names_place(names, key);
    if (names->key[place] == 0) {
        names->key[place] = key;
        names->number[place] = m->tiles;
        memcpy(m->at + 3 * (size_t)m->tiles, at, 3 * sizeof *at);
        ++m->tiles;
    }
    return names->number[place];
}

/* Positions at the start of the step, and velocities with the forces so far. */
static void predict_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    PxMac *m = user;
    const PxFluid *f = m->fluid;
    const PxParticles *p = f->particles;
    const float *const v[3] = {p->vx, p->vy, p->vz}, *const a[3] = {p->ax, p->ay, p->az};
    float dt = (float)m->dt;
    float cell = (float)(f->spacing * f->spacing * f->spacing);
    for (int c = 0; c < 3; ++c)
        for (uint32_t i = begin; i < end; ++i) {
            m->speed[c][i] = v[c][i] + dt * a[c][i];
            m->change[c][i] = m->noise[c][i] = 0.0f;
        }
    for (uint32_t i = begin; i < end; ++i) {
        float dense = cell / f->volume[i];
        bool in = dense > SPRAY;
        m->dense[i] = fminf(fmaxf((dense - SPARSE) / (DENSE - SPARSE), 0.0f), 1.0f);
        for (int c = 0; c < 3; ++c)
            in = in && fabs((double)m->place[c][i]) < FARTHEST * EDGE * m->cell;
        m->tile[i] = in ? 1 : 0;
    }
}

/* Makes the tiles that the rows of one cell of the sorted grid are in or reach; false: no room. */
static bool make_tiles(PxMac *m, Names *names, uint32_t begin, uint32_t end)
{
    double per = 1 / (EDGE * m->cell), margin = (double)REACH / EDGE;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t i = begin; i < end; ++i)
        for (int c = 0; c < 3 && m->tile[i] > 0; ++c) {
            low[c] = fmin(low[c], (double)m->place[c][i]);
            high[c] = fmax(high[c], (double)m->place[c][i]);
        }
    if (!(low[0] <= high[0]))
        return true;
    int32_t from[3], to[3], at[3];
    for (int c = 0; c < 3; ++c) {
        from[c] = (int32_t)floor(low[c] * per - margin);
        to[c] = (int32_t)floor(high[c] * per + margin);
    }
    for (at[2] = from[2]; at[2] <= to[2]; ++at[2])
        for (at[1] = from[1]; at[1] <= to[1]; ++at[1])
            for (at[0] = from[0]; at[0] <= to[0]; ++at[0]) {
                if (m->tiles > names->mask / 2)
                    return false;
                tile_named(m, names, at);
            }
    return true;
}

typedef struct Find {
    PxMac *mac;
    const Names *names;
} Find;

static void tile_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Find *job = user;
    PxMac *m = job->mac;
    double per = 1 / (EDGE * m->cell);
    for (uint32_t i = begin; i < end; ++i) {
        if (m->tile[i] == 0)
            continue;
        int32_t at[3];
        for (int c = 0; c < 3; ++c) {
            double x = (double)m->place[c][i] * per, whole = floor(x);
            at[c] = (int32_t)whole;
            m->local[c][i] = EDGE * (float)(x - whole);
        }
        m->tile[i] = job->names->number[names_place(job->names, pack(at))];
    }
}

static void near_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Find *job = user;
    const Names *names = job->names;
    PxMac *m = job->mac;
    for (uint32_t t = begin; t < end; ++t)
        for (int k = 0; k < 27; ++k) {
            const int32_t *of = m->at + 3 * (size_t)t;
            int32_t at[3] = {of[0] + k % 3 - 1, of[1] + k / 3 % 3 - 1, of[2] + k / 9 - 1};
            uint64_t key = pack(at);
            uint32_t place = names_place(names, key);
            m->near[27 * (size_t)t + (size_t)k] =
                t > 0 && names->key[place] == key ? names->number[place] : 0;
        }
}

/* Tiles are numbered in the order of the sorted cells whose rows reach them. */
static PxStatus find_tiles(PxMac *m)
{
    PxFluid *f = m->fluid;
    uint32_t n = f->count, room = 1024;
    while (room < 8 * (uint64_t)n && room < UINT32_C(0x40000000))
        room *= 2;
    Names names = {PX_ARENA_ARRAY(f->scratch, uint64_t, room),
                   PX_ARENA_ARRAY(f->scratch, uint32_t, room), room - 1};
    m->at = PX_ARENA_ARRAY(f->scratch, int32_t, 3 * ((size_t)room / 2 + 1));
    bool fits = names.key != NULL && names.number != NULL && m->at != NULL;
    m->tiles = 1;
    if (fits) {
        memset(names.key, 0, room * sizeof *names.key);
        memset(m->at, 0, 3 * sizeof *m->at);
    }
    for (uint32_t k = 0; fits && k < f->grid->cells; ++k)
        fits = make_tiles(m, &names, f->grid->begin[k], f->grid->begin[k + 1]);
    if (!fits)
        return px_fail(PX_ERR_MEMORY, "pressure: no room for the grid of %u particles", n);
    Find job = {m, &names};
    px_parallel_for(f->threads, n, 4 * PX_BLOCK, tile_block, &job);
    m->near = PX_ARENA_ARRAY(f->scratch, uint32_t, 27 * (size_t)m->tiles);
    m->first = PX_ARENA_ARRAY(f->scratch, uint32_t, (size_t)m->tiles + 2);
    m->row = PX_ARENA_ARRAY(f->scratch, uint32_t, n);
    if (m->near == NULL || m->first == NULL || m->row == NULL)
        return px_fail(PX_ERR_MEMORY, "pressure: no room for %u tiles", m->tiles);
    px_parallel_for(f->threads, m->tiles, 256, near_block, &job);
    memset(m->first, 0, ((size_t)m->tiles + 2) * sizeof *m->first);
    for (uint32_t i = 0; i < n; ++i)
        ++m->first[m->tile[i] + 2];
    m->first[2] = 0; /* spray has no list */
    for (uint32_t t = 2; t <= m->tiles; ++t)
        m->first[t + 1] += m->first[t];
    for (uint32_t i = 0; i < n; ++i)
        if (m->tile[i] > 0)
            m->row[m->first[m->tile[i] + 1]++] = i;
    return PX_OK;
}

/* ---- boundaries --------------------------------------------------------------------- */

typedef struct Walls {
    PxMac *mac;
    bool missing; /* a table block is not there yet */
} Walls;

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
        l->clear[k] = 1.0f;
        l->velocity[0][k] = l->velocity[1][k] = l->velocity[2][k] = 0.0f;
    }
    PxFillQuery query = {l->x[0], l->x[1], l->x[2], 0, count, f->wall_profile, false};
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
        float slope = (fabsf(d[1] - d[0] + d[2] - d[3]) + fabsf(d[3] - d[0] + d[2] - d[1])) / h;
        float open = 0, along[2] = {0, 0}, wall = 0;
        for (int n = 0; n < 4; ++n) {
            float part = 0.5f + d[n] / (0.5f * h * fmaxf(slope, 0.02f));
            part = 0.25f * fminf(fmaxf(part, 0.0f), 1.0f);
            open += part;
            along[0] += part * first[n];
            along[1] += part * second[n];
            wall += 0.25f * l->velocity[axis][4 * k + (uint32_t)n];
        }
        bool shut = open < CLOSED;
        m->open[axis][cell] = shut ? 0.0f : open;
        m->wall[axis][cell] = wall;
        m->centre[axis][0][cell] = shut ? 0.0f : h * along[0] / open;
        m->centre[axis][1][cell] = shut ? 0.0f : h * along[1] / open;
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
        for (int c = 0; c < 3; ++c)
            m->sample[c][cell[k]] = l->x[c][k];
    }
    return found;
}

/* Finds which faces of a tile are open, closed, or cut by a boundary, from the distances between
 * cell centres and boundaries. */
static bool find_faces(PxMac *m, Look *l, uint32_t tile)
{
    uint32_t cell[CELLS], cells = 0, cuts = 0;
    Cut cut[3 * CELLS];
    float h = (float)m->cell, least = 0.5f * (float)m->fluid->spacing;
    for (uint32_t k = 0; k < CELLS; ++k)
        for (int c = 0; c < 3; ++c)
            l->x[c][k] = m->sample[c][tile * CELLS + k];
    bool found = look(m->fluid, l, CELLS);
    for (uint32_t k = 0; k < CELLS; ++k) {
        float d = l->distance[k];
        uint32_t at = tile * CELLS + k;
        m->clear[at] = l->clear[k];
        if (d < least && d > -h)
            cell[cells++] = at;
        for (int c = 0; c < 3; ++c) {
            if (fabsf(d) < h) /* the corners of a face are 0.87 cells from the centre at most */
                cut[cuts++] = (Cut){at, c};
            else if (d < 0.0f)
                m->open[c][at] = 0.0f;
        }
    }
    m->moved[tile] = cells > 0;
    if (cells > 0)
        found = put_samples(m, l, cell, cells) && found;
    for (uint32_t k = 0; k < cuts; k += CELLS)
        found = cut_faces(m, l, cut + k, cuts - k < CELLS ? cuts - k : CELLS) && found;
    return found;
}

static void walls_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    Walls *job = user;
    PxMac *m = job->mac;
    for (uint32_t t = begin; t < end; ++t) {
        for (uint32_t k = t * CELLS; k < (t + 1) * CELLS; ++k) {
            double x[3];
            place_of(m, k, -1, x);
            m->clear[k] = 1.0f;
            for (int c = 0; c < 3; ++c) {
                m->sample[c][k] = (float)x[c];
                m->open[c][k] = t > 0 ? 1.0f : 0.0f;
                m->wall[c][k] = m->centre[c][0][k] = m->centre[c][1][k] = 0.0f;
            }
        }
        Look l;
        m->moved[t] = 0;
        if (t > 0 && m->fluid->boundaries > 0 && !find_faces(m, &l, t)) {
            px_join_begin();
            job->missing = true;
            px_join_end();
        }
    }
}

/* Closes faces between samples that a boundary separates: walls thinner than a cell, too. */
static void separate_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    PxMac *m = user;
    const PxFluid *f = m->fluid;
    for (uint32_t cell = begin * CELLS; cell < end * CELLS; ++cell)
        for (int c = 0; c < 3; ++c) {
            uint32_t below = next_to(m, cell, c, -1);
            if (!(m->open[c][cell] > 0.0f) || below < CELLS ||
                fminf(m->clear[cell], m->clear[below]) > 0.85f)
                continue;
            PxBoundaryPath path = {.when = {0, 0}};
            const uint32_t ends[2] = {cell, below};
            for (int k = 0; k < 2; ++k)
                path.place[k] = px_vec((double)m->sample[0][ends[k]], (double)m->sample[1][ends[k]],
                                       (double)m->sample[2][ends[k]]);
            bool apart = false;
            for (size_t b = 0; b < f->boundaries && !apart; ++b)
                apart = f->boundary[b]->ops->passes(f->boundary[b], &path, 1e-4 * m->cell);
            if (apart)
                m->open[c][cell] = 0.0f;
        }
}

static PxStatus find_walls(PxMac *m)
{
    const PxFluid *f = m->fluid;
    for (;;) {
        Walls job = {m, false};
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
    if (f->boundaries > 0)
        px_parallel_for(f->threads, m->tiles, TILES, separate_block, m);
    return PX_OK;
}

PxStatus px_mac_begin(PxMac *m, PxFluid *f, const float *gradient)
{
    *m = (PxMac){.fluid = f, .gradient = gradient, .dt = f->dt, .cell = 0.5 * (double)f->kernel.h};
    float **const rows[] = {&m->dense,    &m->local[0], &m->local[1],  &m->local[2],  &m->speed[0],
                            &m->speed[1], &m->speed[2], &m->change[0], &m->change[1], &m->change[2],
                            &m->noise[0], &m->noise[1], &m->noise[2]};
    m->place[0] = f->particles->x;
    m->place[1] = f->particles->y;
    m->place[2] = f->particles->z;
    bool room = true;
    for (size_t k = 0; k < PX_COUNT(rows); ++k) {
        *rows[k] = PX_ARENA_ARRAY(f->scratch, float, f->count);
        room = room && *rows[k] != NULL;
    }
    m->tile = PX_ARENA_ARRAY(f->scratch, uint32_t, f->count);
    if (!room || m->tile == NULL)
        return px_fail(PX_ERR_MEMORY, "pressure: no room for %u particles", f->count);
    px_parallel_for(f->threads, f->count, PX_BLOCK, predict_block, m);
    PX_TRY(find_tiles(m));
    size_t cells = (size_t)m->tiles * CELLS;
    for (int c = 0; c < 3; ++c) {
        float **const faces[] = {&m->u[c],    &m->mass[c],      &m->volume[c],
                                 &m->open[c], &m->centre[c][0], &m->centre[c][1],
                                 &m->wall[c], &m->weight[c],    &m->sample[c]};
        for (size_t k = 0; k < PX_COUNT(faces); ++k) {
            *faces[k] = PX_ARENA_ARRAY(f->scratch, float, cells);
            room = room && *faces[k] != NULL;
        }
    }
    for (int c = 0; c < 4; ++c) {
        m->d[c] = PX_ARENA_ARRAY(f->scratch, float, cells);
        m->known[c] = PX_ARENA_ARRAY(f->scratch, uint8_t, cells);
        room = room && m->d[c] != NULL && m->known[c] != NULL;
    }
    float **const centres[] = {&m->colour, &m->flows, &m->clear, &m->depth, &m->diagonal};
    for (size_t k = 0; k < PX_COUNT(centres); ++k) {
        *centres[k] = PX_ARENA_ARRAY(f->scratch, float, cells);
        room = room && *centres[k] != NULL;
    }
    double **const doubles[] = {&m->p, &m->r, &m->q, &m->aq};
    for (size_t k = 0; k < PX_COUNT(doubles); ++k) {
        *doubles[k] = PX_ARENA_ARRAY(f->scratch, double, cells);
        room = room && *doubles[k] != NULL;
    }
    m->full = PX_ARENA_ARRAY(f->scratch, uint8_t, cells);
    m->moved = PX_ARENA_ARRAY(f->scratch, uint8_t, m->tiles);
    m->part = PX_ARENA_ARRAY(f->scratch, double, 2 * ((size_t)m->tiles / TILES + 1));
    if (!room || m->full == NULL || m->moved == NULL || m->part == NULL)
        return px_fail(PX_ERR_MEMORY, "pressure: no room for %zu cells", cells);
    return find_walls(m);
}

/* ---- particles to grid ---------------------------------------------------------------- */

/* Quadratic B-spline. */
PX_INLINE float spline(float x)
{
    x = fabsf(x);
    if (x >= 1.5f)
        return 0.0f;
    return x < 0.5f ? 0.75f - x * x : 0.5f * (1.5f - x) * (1.5f - x);
}

/* W over its value at 0, of the square of r / h. */
PX_INLINE float kernel_of(float q2)
{
    if (q2 >= 1.0f)
        return 0.0f;
    float q = sqrtf(q2), t = 1.0f - q;
    return q < 0.5f ? 1.0f - 6.0f * q2 * t : 2.0f * t * t * t;
}

/* A particle as a tile sees it: in cells, from the tile's corner. */
typedef struct Marker {
    float x[3], v[3], g[9]; /* position, velocity, its change per cell */
    float mass, volume, flows, pressure;
} Marker;

static void add_faces(const PxMac *m, uint32_t tile, int axis, const Marker *p)
{
    float w[3][EDGE];
    int low[3], high[3], next = (axis + 1) % 3, last = (axis + 2) % 3;
    float per = (float)(1 / m->cell);
    for (int a = 0; a < 3; ++a) {
        float shift = a == axis ? 0.0f : 0.5f;
        low[a] = EDGE;
        high[a] = -1;
        for (int k = 0; k < EDGE; ++k) {
            w[a][k] = spline(p->x[a] - (float)k - shift);
            if (w[a][k] > 0.0f) {
                low[a] = k < low[a] ? k : low[a];
                high[a] = k;
            }
        }
        if (high[a] < low[a])
            return;
    }
    const float *g = p->g + 3 * axis;
    for (int z = low[2]; z <= high[2]; ++z)
        for (int y = low[1]; y <= high[1]; ++y)
            for (int x = low[0]; x <= high[0]; ++x) {
                uint32_t cell = tile * CELLS + (uint32_t)(x + 4 * y + 16 * z);
                float weight = w[0][x] * w[1][y] * w[2][z];
                float way[3] = {(float)x + 0.5f - p->x[0], (float)y + 0.5f - p->x[1],
                                (float)z + 0.5f - p->x[2]};
                way[axis] -= 0.5f;
                way[next] += per * m->centre[axis][0][cell];
                way[last] += per * m->centre[axis][1][cell];
                float v = p->v[axis] + g[0] * way[0] + g[1] * way[1] + g[2] * way[2];
                m->u[axis][cell] += weight * p->mass * v;
                m->mass[axis][cell] += weight * p->mass;
                m->volume[axis][cell] += weight * p->volume;
            }
}

/* Kernel sums, and the first guess of pressure. */
static void add_centres(const PxMac *m, uint32_t tile, const Marker *p, float *guess,
                        float *weights)
{
    const PxFluid *f = m->fluid;
    float per = 1.0f / f->kernel.h, ratio = (float)m->cell;
    float norm =
        (float)(8 / (PX_PI * (double)f->kernel.h * (double)f->kernel.h * (double)f->kernel.h));
    int low[3], high[3];
    float more = m->moved[tile] ? 1.0f : 0.0f;
    for (int a = 0; a < 3; ++a) {
        low[a] = (int)ceilf(p->x[a] - 2.5f - more);
        high[a] = (int)floorf(p->x[a] + 1.5f + more);
        low[a] = low[a] > 0 ? low[a] : 0;
        high[a] = high[a] < EDGE - 1 ? high[a] : EDGE - 1;
    }
    double corner[3];
    place_of(m, tile * CELLS, -1, corner);
    float at[3];
    for (int a = 0; a < 3; ++a)
        at[a] = (float)(corner[a] - 0.5 * m->cell + (double)(p->x[a] * ratio));
    for (int z = low[2]; z <= high[2]; ++z)
        for (int y = low[1]; y <= high[1]; ++y)
            for (int x = low[0]; x <= high[0]; ++x) {
                uint32_t k = (uint32_t)(x + 4 * y + 16 * z), cell = tile * CELLS + k;
                float dx = (m->sample[0][cell] - at[0]) * per;
                float dy = (m->sample[1][cell] - at[1]) * per;
                float dz = (m->sample[2][cell] - at[2]) * per;
                float w = norm * kernel_of(dx * dx + dy * dy + dz * dz);
                m->colour[cell] += w * p->volume;
                m->flows[cell] += w * p->flows;
                guess[k] += w * p->volume * p->pressure;
                weights[k] += w * p->volume;
            }
}

typedef struct Transfer {
    PxMac *mac;
    const float *pressure;
} Transfer;

static Marker marker_of(const Transfer *job, uint32_t i)
{
    const PxMac *m = job->mac;
    const PxFluid *f = m->fluid;
    Marker p;
    for (int c = 0; c < 3; ++c)
        p.v[c] = m->speed[c][i];
    float part = m->dense[i];
    for (int k = 0; k < 9; ++k)
        p.g[k] = part * (float)m->cell * m->gradient[9 * (size_t)i + (size_t)k];
    p.mass = f->particles->mass[i];
    p.volume = p.mass / (float)f->material[f->particles->material[i]].def.density;
    p.flows = f->solid_fraction != NULL ? (1.0f - f->solid_fraction[i]) * p.volume : p.volume;
    p.pressure = job->pressure[i];
    return p;
}

static void transfer_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Transfer *job = user;
    PxMac *m = job->mac;
    for (uint32_t t = begin; t < end; ++t) {
        uint32_t from = t * CELLS;
        float guess[CELLS] = {0}, weights[CELLS] = {0};
        for (int c = 0; c < 3; ++c) {
            memset(m->u[c] + from, 0, CELLS * sizeof(float));
            memset(m->mass[c] + from, 0, CELLS * sizeof(float));
            memset(m->volume[c] + from, 0, CELLS * sizeof(float));
        }
        memset(m->colour + from, 0, CELLS * sizeof(float));
        memset(m->flows + from, 0, CELLS * sizeof(float));
        for (int k = 0; k < 27 && t > 0; ++k) {
            uint32_t other = m->near[27 * (size_t)t + (size_t)k];
            if (other == 0)
                continue;
            const float off[3] = {(float)(EDGE * (k % 3 - 1)), (float)(EDGE * (k / 3 % 3 - 1)),
                                  (float)(EDGE * (k / 9 - 1))};
            for (uint32_t n = m->first[other]; n < m->first[other + 1]; ++n) {
                uint32_t i = m->row[n];
                float x = m->local[0][i] + off[0], y = m->local[1][i] + off[1];
                float z = m->local[2][i] + off[2];
                if (fminf(fminf(x, y), z) < -REACH || fmaxf(fmaxf(x, y), z) > EDGE + REACH)
                    continue;
                Marker p = marker_of(job, i);
                p.x[0] = x;
                p.x[1] = y;
                p.x[2] = z;
                for (int c = 0; c < 3; ++c)
                    add_faces(m, t, c, &p);
                add_centres(m, t, &p, guess, weights);
            }
        }
        for (uint32_t k = 0; k < CELLS; ++k) {
            uint32_t cell = from + k;
            for (int c = 0; c < 3; ++c)
                m->u[c][cell] = m->mass[c][cell] > 0.0f ? m->u[c][cell] / m->mass[c][cell] : 0.0f;
            m->colour[cell] = m->clear[cell] > 0.05f ? m->colour[cell] / m->clear[cell] : 0.0f;
            m->p[cell] = weights[k] > 0.0f ? (double)(guess[k] / weights[k]) : 0.0;
        }
    }
}

/* ---- the equation ---------------------------------------------------------------------- */

/* Depth below a plane surface at which the kernel sum has this value, m. */
static float depth_of(const PxMac *m, float colour)
{
    float h = m->fluid->kernel.h;
    if ((double)colour <= m->rising[0])
        return -h;
    if ((double)colour >= m->rising[PX_MAC_DEPTHS - 1])
        return h;
    int low = 0, high = PX_MAC_DEPTHS - 1;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (m->rising[middle] <= (double)colour)
            low = middle;
        else
            high = middle;
    }
    double between = ((double)colour - m->rising[low]) / (m->rising[high] - m->rising[low]);
    return h * (float)(-1 + 2 * (low + between) / (PX_MAC_DEPTHS - 1));
}

static void begin_depths(PxMac *m)
{
    double h = (double)m->fluid->kernel.h, sum = 0, last = 0;
    for (int k = 0; k < PX_MAC_DEPTHS; ++k) {
        double z = h * (-1 + 2.0 * k / (PX_MAC_DEPTHS - 1));
        double w = px_kernel_plane(h, fabs(z));
        sum += k > 0 ? 0.5 * (w + last) : 0;
        last = w;
        m->rising[k] = sum;
    }
    for (int k = 0; k < PX_MAC_DEPTHS; ++k)
        m->rising[k] /= sum;
}

static void fill_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    PxMac *m = user;
    for (uint32_t cell = begin * CELLS; cell < end * CELLS; ++cell) {
        float open = 0;
        for (int c = 0; c < 3; ++c)
            open += m->open[c][cell] + m->open[c][next_to(m, cell, c, 1)];
        m->full[cell] = cell >= CELLS && m->colour[cell] > 0.5f && open > 0.0f &&
                        m->flows[cell] > 0.05f * m->clear[cell];
        m->depth[cell] = depth_of(m, m->colour[cell]);
    }
}

/* Weights of faces: open part / density. A surface face has no cell on one side: its weight is
 * that over the distance to the surface, in cells. */
static void weight_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    PxMac *m = user;
    for (uint32_t cell = begin * CELLS; cell < end * CELLS; ++cell)
        for (int c = 0; c < 3; ++c) {
            uint32_t below = next_to(m, cell, c, -1);
            float weight = 0.0f;
            if ((m->full[cell] || m->full[below]) && m->mass[c][cell] > 0.0f) {
                weight = m->volume[c][cell] / m->mass[c][cell];
                if (m->full[cell] != m->full[below]) {
                    float in = m->depth[m->full[cell] ? cell : below];
                    float out = m->depth[m->full[cell] ? below : cell];
                    weight /= fmaxf(in / (in - out), NEAREST);
                }
            }
            m->weight[c][cell] = weight;
        }
}

/* Diagonal and right-hand side, in units of velocity: sum over the faces of open part times
 * (u + dt/2 weight (p - p') / h), outwards. */
static void sides_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    PxMac *m = user;
    double scale = m->dt / m->cell;
    for (uint32_t cell = begin * CELLS; cell < end * CELLS; ++cell) {
        m->diagonal[cell] = 0.0f;
        m->r[cell] = m->q[cell] = m->aq[cell] = 0;
        if (!m->full[cell]) {
            m->p[cell] = 0;
            continue;
        }
        double out = 0, diagonal = 0;
        for (int c = 0; c < 3; ++c)
            for (int side = 0; side < 2; ++side) {
                uint32_t face = side ? next_to(m, cell, c, 1) : cell;
                double open = (double)m->open[c][face];
                double u = open * (double)m->u[c][face] + (1 - open) * (double)m->wall[c][face];
                out += side ? u : -u;
                diagonal += scale * open * (double)m->weight[c][face];
            }
        m->diagonal[cell] = (float)diagonal;
        m->r[cell] = -out;
        if (!(diagonal > 0)) {
            m->full[cell] = 0;
            m->p[cell] = m->r[cell] = 0;
        }
    }
}

PX_INLINE double image_of(const PxMac *m, const double *value, uint32_t cell)
{
    double scale = m->dt / m->cell, sum = (double)m->diagonal[cell] * value[cell];
    for (int c = 0; c < 3; ++c) {
        uint32_t above = next_to(m, cell, c, 1), below = next_to(m, cell, c, -1);
        /* values of cells that are not full are 0 */
        sum -= scale * (double)m->open[c][cell] * (double)m->weight[c][cell] * value[below];
        sum -= scale * (double)m->open[c][above] * (double)m->weight[c][above] * value[above];
    }
    return sum;
}

/* Sums over blocks of tiles, added in their order. */
static double total(const PxMac *m, int which)
{
    double sum = 0;
    for (uint32_t k = 0; k * TILES < m->tiles; ++k)
        sum += m->part[2 * (size_t)k + (size_t)which];
    return sum;
}

/* r -= A p, q = r / diagonal; sums of |r| and r q. */
static void start_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    PxMac *m = user;
    double sum = 0, dot = 0;
    for (uint32_t cell = begin * CELLS; cell < end * CELLS; ++cell) {
        if (!m->full[cell])
            continue;
        m->r[cell] -= image_of(m, m->p, cell);
        m->q[cell] = m->r[cell] / (double)m->diagonal[cell];
        sum += fabs(m->r[cell]);
        dot += m->r[cell] * m->q[cell];
    }
    m->part[2 * (size_t)(begin / TILES)] = sum;
    m->part[2 * (size_t)(begin / TILES) + 1] = dot;
}

static void image_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    PxMac *m = user;
    double dot = 0;
    for (uint32_t cell = begin * CELLS; cell < end * CELLS; ++cell) {
        if (!m->full[cell])
            continue;
        m->aq[cell] = image_of(m, m->q, cell);
        dot += m->aq[cell] * m->q[cell];
    }
    m->part[2 * (size_t)(begin / TILES) + 1] = dot;
}

typedef struct Iteration {
    PxMac *mac;
    double step, keep;
} Iteration;

static void improve_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Iteration *job = user;
    PxMac *m = job->mac;
    double sum = 0, dot = 0;
    for (uint32_t cell = begin * CELLS; cell < end * CELLS; ++cell) {
        if (!m->full[cell])
            continue;
        m->p[cell] += job->step * m->q[cell];
        m->r[cell] -= job->step * m->aq[cell];
        sum += fabs(m->r[cell]);
        dot += m->r[cell] * m->r[cell] / (double)m->diagonal[cell];
    }
    m->part[2 * (size_t)(begin / TILES)] = sum;
    m->part[2 * (size_t)(begin / TILES) + 1] = dot;
}

static void direction_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Iteration *job = user;
    PxMac *m = job->mac;
    for (uint32_t cell = begin * CELLS; cell < end * CELLS; ++cell)
        if (m->full[cell])
            m->q[cell] = m->r[cell] / (double)m->diagonal[cell] + job->keep * m->q[cell];
}

/* Conjugate gradients with the diagonal as preconditioner. */
static PxStatus iterate(PxMac *m, double tolerance, uint32_t most, PxMacResult *result)
{
    const PxThreads *threads = m->fluid->threads;
    m->filled = 0;
    for (uint32_t cell = 0; cell < m->tiles * CELLS; ++cell)
        m->filled += m->full[cell];
    /* residuals are velocities; dt / cell makes them changes of volume in the step */
    double unit = m->filled > 0 ? m->dt / m->cell / m->filled : 0;
    Iteration job = {.mac = m};
    px_parallel_for(threads, m->tiles, TILES, start_block, m);
    result->error = unit * total(m, 0);
    double dot = total(m, 1);
    while (result->error > tolerance && result->iterations < most && dot > 0) {
        PX_TRY(px_stop_check(threads));
        px_parallel_for(threads, m->tiles, TILES, image_block, m);
        double curve = total(m, 1);
        if (!(curve > 0))
            break;
        job.step = dot / curve;
        px_parallel_for(threads, m->tiles, TILES, improve_block, &job);
        result->error = unit * total(m, 0);
        double now = total(m, 1);
        job.keep = now / dot;
        dot = now;
        px_parallel_for(threads, m->tiles, TILES, direction_block, &job);
        ++result->iterations;
    }
    result->converged = result->error <= tolerance;
    return PX_OK;
}

/* ---- grid to particles ------------------------------------------------------------------- */

/* Changes of the faces that the solve saw. */
static void change_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    PxMac *m = user;
    double scale = m->dt / m->cell;
    for (uint32_t cell = begin * CELLS; cell < end * CELLS; ++cell) {
        for (int c = 0; c < 3; ++c) {
            uint32_t below = next_to(m, cell, c, -1);
            bool seen = m->weight[c][cell] > 0.0f && m->open[c][cell] > 0.0f;
            m->known[c][cell] = seen;
            m->d[c][cell] =
                seen ? (float)(scale * (double)m->weight[c][cell] * (m->p[below] - m->p[cell])) : 0;
        }
        m->known[3][cell] = m->full[cell];
        m->d[3][cell] = (float)m->p[cell];
    }
}

typedef struct Extension {
    PxMac *mac;
    uint8_t *fresh[4];
} Extension;

/* The next value of a line, but of the sign of the last one and at most twice that. */
PX_INLINE double extrapolated(double last, double before)
{
    double next = 2 * last - before;
    return last > 0 ? fmin(fmax(next, 0), 2 * last) : fmax(fmin(next, 0), 2 * last);
}

/* Values without one are extrapolated along the axes: linearly into boundaries, so that the
 * velocity normal to them vanishes at their surface, and of pressure; otherwise neighbours are
 * copied. */
static void extend_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Extension *job = user;
    PxMac *m = job->mac;
    for (uint32_t cell = begin * CELLS; cell < end * CELLS; ++cell)
        for (int c = 0; c < 4; ++c) {
            const uint8_t *known = m->known[c];
            job->fresh[c][cell] = 0;
            if (known[cell] != 0)
                continue;
            double linear = 0, copied = 0;
            int lines = 0, copies = 0;
            for (int k = 0; k < 6; ++k) {
                uint32_t one = next_to(m, cell, k / 2, k % 2 ? 1 : -1);
                if (known[one] == 0)
                    continue;
                copied += (double)m->d[c][one];
                ++copies;
                uint32_t two = next_to(m, one, k / 2, k % 2 ? 1 : -1);
                if (known[two] == 0)
                    continue;
                linear += extrapolated((double)m->d[c][one], (double)m->d[c][two]);
                ++lines;
            }
            if (copies == 0 || cell < CELLS)
                continue;
            bool inside = lines > 0 && (c == 3 || !(m->open[c][cell] > 0.0f));
            m->d[c][cell] = (float)(inside ? linear / lines : copied / copies);
            job->fresh[c][cell] = 1;
        }
}

static void join_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Extension *job = user;
    for (int c = 0; c < 4; ++c)
        for (uint32_t cell = begin * CELLS; cell < end * CELLS; ++cell)
            job->mac->known[c][cell] |= job->fresh[c][cell];
}

typedef struct Return {
    const PxMac *mac;
    float *pressure;
} Return;

/* Interpolation at a row, of faces (c < 3) or centres (3): the change, and the velocity after it.
 */
static float interpolate(const PxMac *m, uint32_t i, int c, float *velocity)
{
    uint32_t tile = m->tile[i];
    float w[3][3];
    int low[3];
    for (int a = 0; a < 3; ++a) {
        float x = m->local[a][i] - (a == c ? 0.0f : 0.5f);
        low[a] = (int)floorf(x + 0.5f) - 1;
        for (int k = 0; k < 3; ++k)
            w[a][k] = spline(x - (float)(low[a] + k));
    }
    float sum = 0, weights = 0, speed = 0, speeds = 0;
    for (int z = 0; z < 3; ++z)
        for (int y = 0; y < 3; ++y)
            for (int x = 0; x < 3; ++x) {
                uint32_t cell = cell_at(m, tile, low[0] + x, low[1] + y, low[2] + z);
                if (m->known[c][cell] == 0)
                    continue;
                float weight = w[0][x] * w[1][y] * w[2][z];
                if (c < 3)
                    weight *= fmaxf(m->open[c][cell], 0.02f);
                sum += weight * m->d[c][cell];
                weights += weight;
                if (c < 3 && m->mass[c][cell] > 0.0f) {
                    speed += weight * (m->u[c][cell] + m->d[c][cell]);
                    speeds += weight;
                }
            }
    float value = weights > 0.0f ? sum / weights : 0.0f;
    if (c < 3)
        *velocity = speeds > 0.0f ? speed / speeds : m->speed[c][i] + value;
    return value;
}

static void return_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Return *job = user;
    const PxMac *m = job->mac;
    for (uint32_t i = begin; i < end; ++i) {
        if (m->tile[i] == 0) {
            job->pressure[i] = 0.0f;
            continue;
        }
        for (int c = 0; c < 3; ++c) {
            float velocity;
            m->change[c][i] = interpolate(m, i, c, &velocity);
            m->noise[c][i] = velocity - (m->speed[c][i] + m->change[c][i]);
        }
        job->pressure[i] = interpolate(m, i, 3, NULL);
    }
}

PxStatus px_mac_solve(PxMac *m, double tolerance, uint32_t most, float *pressure,
                      PxMacResult *result)
{
    const PxThreads *threads = m->fluid->threads;
    Transfer to = {m, pressure};
    *result = (PxMacResult){0};
    begin_depths(m);
    px_parallel_for(threads, m->tiles, TILES, transfer_block, &to);
    px_parallel_for(threads, m->tiles, TILES, fill_block, m);
    px_parallel_for(threads, m->tiles, TILES, weight_block, m);
    px_parallel_for(threads, m->tiles, TILES, sides_block, m);
    PX_TRY(iterate(m, tolerance, most, result));
    px_parallel_for(threads, m->tiles, TILES, change_block, m);
    Extension job = {.mac = m};
    for (int c = 0; c < 4; ++c) {
        job.fresh[c] = PX_ARENA_ARRAY(m->fluid->scratch, uint8_t, (size_t)m->tiles * CELLS);
        if (job.fresh[c] == NULL)
            return px_fail(PX_ERR_MEMORY, "pressure: no room for %u tiles", m->tiles);
    }
    for (int round = 0; round < ROUNDS; ++round) {
        px_parallel_for(threads, m->tiles, TILES, extend_block, &job);
        px_parallel_for(threads, m->tiles, TILES, join_block, &job);
    }
    Return from = {m, pressure};
    px_parallel_for(threads, m->fluid->count, PX_BLOCK, return_block, &from);
    return PX_OK;
}
