#include "fluid/pressure/mac_cells.h"

#include "fluid/pressure/mac_multigrid.h"
#include "fluid/pressure/mac_pools.h"
#include "fluid/pressure/mac_separate.h"
#include "fluid/pressure/mac_walls.h"
#include "fluid/pressure/mac_yield.h"
#include "fluid/work.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 3 };

/* Solves after the first one, each with other cells apart from boundaries. */
enum { SEPARATIONS = 4 };

/* Rows whose own density is below this are spray: no cell around them can be filled. */
#define SPRAY 0.42f

/* Gradients of velocity count from the first of these densities on, and fully from the second on:
 * in splashes they come from few neighbours, and would be extrapolated far. */
#define SPARSE 0.5f
#define DENSE 0.65f

/* Least distance of the free surface from a filled cell's centre, in cells. */
#define NEAREST 0.1f

/* A tile that is farther from particles than this, in cells, is not needed: faces are read 1.5
 * cells around a particle, filled cells lie nearer than that, and so do the next ones. */
#define REACH 2.05f

/* ---- tiles -------------------------------------------------------------------------- */

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

/* Layer of cells along z that a row is in. */
static uint32_t layer_of(const PxMac *m, uint32_t i)
{
    return EDGE * m->tile[i] + (uint32_t)fminf(fmaxf(m->local[2][i], 0.0f), EDGE - 1.0f);
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
    m->first = PX_ARENA_ARRAY(f->scratch, uint32_t, (size_t)m->tiles + 1);
    m->layer = PX_ARENA_ARRAY(f->scratch, uint32_t, EDGE * (size_t)m->tiles + 2);
    m->row = PX_ARENA_ARRAY(f->scratch, uint32_t, n);
    if (m->near == NULL || m->first == NULL || m->layer == NULL || m->row == NULL)
        return px_fail(PX_ERR_MEMORY, "pressure: no room for %u tiles", m->tiles);
    px_parallel_for(f->threads, m->tiles, 256, near_block, &job);
    memset(m->layer, 0, (EDGE * (size_t)m->tiles + 2) * sizeof *m->layer);
    for (uint32_t i = 0; i < n; ++i)
        if (m->tile[i] > 0) /* spray has no list */
            ++m->layer[layer_of(m, i) + 2];
    for (uint32_t k = 2; k <= EDGE * m->tiles; ++k)
        m->layer[k + 1] += m->layer[k];
    for (uint32_t i = 0; i < n; ++i)
        if (m->tile[i] > 0)
            m->row[m->layer[layer_of(m, i) + 1]++] = i;
    for (uint32_t t = 0; t <= m->tiles; ++t)
        m->first[t] = m->layer[EDGE * t];
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
    for (uint32_t k = 0; k < f->materials; ++k)
        if (f->material[k].live) {
            m->mixed = m->mixed || (m->density > 0 && m->density != f->material[k].def.density);
            m->density = f->material[k].def.density;
        }
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
        m->whose[c] = PX_ARENA_ARRAY(f->scratch, uint16_t, cells);
        room = room && m->whose[c] != NULL;
    }
    for (int c = 0; c < 4; ++c) {
        m->d[c] = PX_ARENA_ARRAY(f->scratch, float, cells);
        room = room && m->d[c] != NULL;
    }
    float **const centres[] = {&m->colour, &m->flows, &m->guess, &m->clear, &m->diagonal, &m->lack};
    for (size_t k = 0; k < PX_COUNT(centres); ++k) {
        *centres[k] = PX_ARENA_ARRAY(f->scratch, float, cells);
        room = room && *centres[k] != NULL;
    }
    double **const doubles[] = {&m->p, &m->r, &m->rise};
    for (size_t k = 0; k < PX_COUNT(doubles); ++k) {
        *doubles[k] = PX_ARENA_ARRAY(f->scratch, double, cells);
        room = room && *doubles[k] != NULL;
    }
    uint64_t **const masks[] = {&m->full,      &m->apart,     &m->again,    &m->linked[0],
                                &m->linked[1], &m->linked[2], &m->known[0], &m->known[1],
                                &m->known[2],  &m->known[3]};
    for (size_t k = 0; k < PX_COUNT(masks); ++k) {
        *masks[k] = PX_ARENA_ARRAY(f->scratch, uint64_t, m->tiles);
        room = room && *masks[k] != NULL;
    }
    m->displaced = PX_ARENA_ARRAY(f->scratch, uint8_t, cells);
    m->moved = PX_ARENA_ARRAY(f->scratch, uint8_t, m->tiles);
    m->slanted = PX_ARENA_ARRAY(f->scratch, uint8_t, m->tiles);
    m->beside = PX_ARENA_ARRAY(f->scratch, uint8_t, m->tiles);
    m->part = PX_ARENA_ARRAY(f->scratch, double, 2 * ((size_t)m->tiles / TILES + 1));
    if (!room || m->displaced == NULL || m->moved == NULL || m->slanted == NULL ||
        m->beside == NULL || m->part == NULL)
        return px_fail(PX_ERR_MEMORY, "pressure: no room for %zu cells", cells);
    return px_mac_find_walls(m);
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
    int low = m->below[(int)(colour * (float)PX_MAC_SUMS)];
    while (m->rising[low + 1] <= (double)colour)
        ++low;
    double between = ((double)colour - m->rising[low]) / (m->rising[low + 1] - m->rising[low]);
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
    for (int k = 0, low = 0; k < PX_MAC_SUMS; ++k) {
        while (m->rising[low + 1] <= (double)k / PX_MAC_SUMS)
            ++low;
        m->below[k] = (uint8_t)low;
    }
}

static void fill_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    PxMac *m = user;
    for (uint32_t t = begin; t < end; ++t) {
        uint64_t full = 0;
        for (uint32_t k = 0; k < CELLS && t > 0; ++k) {
            uint32_t cell = t * CELLS + k;
            float open = 0;
            if (!(m->colour[cell] > 0.5f))
                continue;
            for (int c = 0; c < 3; ++c)
                open += m->open[c][cell] + m->open[c][next_to(m, cell, c, 1)];
            if (open > 0.0f && m->flows[cell] > 0.05f * m->clear[cell])
                full |= UINT64_C(1) << k;
        }
        m->full[t] = full;
        m->apart[t] = m->again[t] = 0;
    }
}

/* Voids that a splash has left inside the fluid: velocities without divergence would keep them.
 * Cells whose kernel sum, and the mean of it with their neighbours', is below FILLED lose volume,
 * at CLOSING times the top speed over the spacing. Sums of disordered particles vary by some per
 * cent, and are lower beside the surface. */
#define FILLED 0.95f
#define CLOSING 0.03

static void lack_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    PxMac *m = user;
    const PxFluid *f = m->fluid;
    float rate = (float)(CLOSING * f->top_speed / f->spacing), most = 0;
    for (uint32_t t = begin; t < end; ++t)
        for (uint64_t in = m->full[t]; in != 0; in &= in - 1) {
            uint32_t cell = first_in(t, in);
            m->lack[cell] = 0.0f;
            if (!(m->colour[cell] < FILLED))
                continue;
            float sum = 2.0f * m->colour[cell];
            bool inside = true;
            for (int k = 0; k < 6; ++k) {
                uint32_t other = next_to(m, cell, k / 2, k % 2 ? 1 : -1);
                uint32_t face = k % 2 ? other : cell;
                bool shut = !(m->open[k / 2][face] > 0.0f);
                inside = inside && (is_full(m, other) || shut);
                sum += shut ? m->colour[cell] : m->colour[other];
            }
            float colour = fmaxf(m->colour[cell], 0.125f * sum);
            m->lack[cell] = inside && colour < FILLED ? rate * (FILLED - colour) : 0.0f;
            most = fmaxf(most, m->lack[cell]);
        }
    m->part[2 * (size_t)(begin / TILES)] = (double)most;
}

/* Weights of faces: open part / density. A surface face has no cell on one side: its weight is
 * that over the distance to the surface, in cells. Cells that are apart from a boundary were filled
 * when weights were found: their pressure is 0 in their middle. */
static void weight_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    PxMac *m = user;
    float per = 1.0f / (float)m->density;
    for (uint32_t t = begin; t < end; ++t)
        for (int c = 0; c < 3; ++c) {
            uint64_t full = m->full[t], below = cells_beside(m, m->full, t, c, -1, 1), linked = 0;
            uint64_t surface = full ^ below;
            memset(m->weight[c] + (size_t)t * CELLS, 0, CELLS * sizeof(float));
            for (uint64_t face = full | below; face != 0; face &= face - 1) {
                uint32_t cell = first_in(t, face);
                uint64_t bit = face & -face;
                if (!(m->mass[c][cell] > 0.0f))
                    continue;
                float weight = m->mixed ? m->volume[c][cell] / m->mass[c][cell] : per;
                if ((surface & bit) != 0) {
                    uint32_t other = next_to(m, cell, c, -1);
                    float in = depth_of(m, m->colour[(full & bit) != 0 ? cell : other]);
                    float out = depth_of(m, m->colour[(full & bit) != 0 ? other : cell]);
                    weight /= fmaxf(in / (in - out), NEAREST);
                }
                m->weight[c][cell] = weight;
                linked |= m->open[c][cell] * weight > 0.0f ? bit : 0;
            }
            m->linked[c][t] = linked;
        }
}

/* Diagonal and right-hand side, in units of velocity: sum over the faces of open part times
 * (u + dt/2 weight (p - p') / h), outwards. */
static void sides_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    PxMac *m = user;
    double scale = m->dt / m->cell;
    for (uint32_t t = begin; t < end; ++t) {
        for (uint64_t in = m->full[t]; in != 0; in &= in - 1) {
            uint32_t cell = first_in(t, in);
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
            m->r[cell] = -out - m->cell * (double)m->lack[cell];
            if (!(diagonal > 0))
                m->full[t] &= ~(in & -in);
        }
        for (uint64_t empty = ~m->full[t]; empty != 0; empty &= empty - 1)
            m->p[first_in(t, empty)] = 0;
    }
}

/* Sums over blocks of tiles, added in their order. */
static double total(const PxMac *m, int which)
{
    double sum = 0;
    for (uint32_t k = 0; k * TILES < m->tiles; ++k)
        sum += m->part[2 * (size_t)k + (size_t)which];
    return sum;
}

/* ---- grid to particles ------------------------------------------------------------------- */

/* Changes of the faces that the solve saw. */
static void change_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    PxMac *m = user;
    double scale = m->dt / m->cell;
    for (uint32_t t = begin; t < end; ++t) {
        for (int c = 0; c < 3; ++c) {
            uint64_t apart = m->apart[t] | cells_beside(m, m->apart, t, c, -1, 1), known = 0;
            memset(m->d[c] + (size_t)t * CELLS, 0, CELLS * sizeof(float));
            for (uint64_t look = m->linked[c][t] | apart; look != 0; look &= look - 1) {
                uint32_t cell = first_in(t, look);
                if (!(m->mass[c][cell] > 0.0f && m->open[c][cell] > 0.0f))
                    continue;
                known |= look & -look;
                m->d[c][cell] = (float)(scale * (double)m->weight[c][cell] *
                                        (m->p[next_to(m, cell, c, -1)] - m->p[cell]));
            }
            m->known[c][t] = known;
        }
        m->known[3][t] = m->full[t] | m->apart[t];
        for (uint32_t cell = t * CELLS; cell < (t + 1) * CELLS; ++cell)
            m->d[3][cell] = (float)m->p[cell];
    }
}

typedef struct Extension {
    PxMac *mac;
    uint64_t *fresh[4];
    bool last; /* round */
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
static void extend_tile(const Extension *job, uint32_t tile, int c)
{
    PxMac *m = job->mac;
    uint64_t near = 0, one[6],
             two[6]; /* cells whose next value along a line exists, and the second */
    job->fresh[c][tile] = 0;
    if (tile == 0 || m->known[c][tile] == UINT64_MAX)
        return;
    for (int k = 0; k < 6; ++k)
        near |= one[k] = cells_beside(m, m->known[c], tile, k / 2, k % 2 ? 1 : -1, 1);
    near &= ~m->known[c][tile];
    job->fresh[c][tile] = near;
    for (int k = 0; k < 6 && near != 0; ++k)
        two[k] = one[k] & cells_beside(m, m->known[c], tile, k / 2, k % 2 ? 1 : -1, 2);
    const float *d = m->d[c];
    for (; near != 0; near &= near - 1) {
        uint32_t cell = first_in(tile, near);
        uint64_t bit = near & -near;
        if (job->last && c < 3 && !(m->mass[c][cell] > 0.0f))
            continue; /* no row reads it */
        double linear = 0, copied = 0;
        int lines = 0, copies = 0;
        for (int k = 0; k < 6; ++k) {
            if ((one[k] & bit) == 0)
                continue;
            uint32_t next = next_to(m, cell, k / 2, k % 2 ? 1 : -1);
            copied += (double)d[next];
            ++copies;
            if ((two[k] & bit) == 0)
                continue;
            uint32_t last = next_to(m, next, k / 2, k % 2 ? 1 : -1);
            linear += extrapolated((double)d[next], (double)d[last]);
            ++lines;
        }
        bool inside = lines > 0 && (c == 3 || !(m->open[c][cell] > 0.0f));
        m->d[c][cell] = (float)(inside ? linear / lines : copied / copies);
    }
}

static void extend_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    for (uint32_t t = begin; t < end; ++t)
        for (int c = 0; c < 4; ++c)
            extend_tile(user, t, c);
}

static void join_known(const Extension *job)
{
    for (int c = 0; c < 4; ++c)
        for (uint32_t t = 0; t < job->mac->tiles; ++t)
            job->mac->known[c][t] |= job->fresh[c][t];
}

/* Sets up the equation of the filled cells and solves it. The weights are those of the first solve
 * of a step: faces between cells that are apart and full ones keep theirs, and the others of cells
 * that are apart have no pressure on either side. */
static PxStatus equate(PxMac *m, PxMacMultigrid **grid, PxMacPools *pools, double tolerance,
                       uint32_t most, PxMacResult *result)
{
    const PxThreads *threads = m->fluid->threads;
    if (*grid == NULL)
        px_parallel_for(threads, m->tiles, TILES, weight_block, m);
    px_mac_yield_walls(m, false);
    px_parallel_for(threads, m->tiles, TILES, sides_block, m);
    PX_TRY(px_mac_balance(m, pools));
    PX_TRY(px_mac_iterate(m, grid, tolerance, most, result));
    px_mac_yield_walls(m, true);
    return PX_OK;
}

PxStatus px_mac_solve(PxMac *m, double tolerance, uint32_t most, float *pressure,
                      PxMacResult *result)
{
    const PxThreads *threads = m->fluid->threads;
    *result = (PxMacResult){0};
    begin_depths(m);
    PX_TRY(PX_ISA_PICK(m->fluid->isa, px_mac_gather)(m, pressure));
    px_parallel_for(threads, m->tiles, TILES, fill_block, m);
    px_parallel_for(threads, m->tiles, TILES, lack_block, m);
    m->lacks = total(m, 0) > 0;
    PX_TRY(px_mac_yield_begin(m));
    PxMacMultigrid *grid = NULL;
    PxMacPools pools = {NULL, NULL, false};
    PX_TRY(equate(m, &grid, &pools, tolerance, most, result));
    for (int round = 0; round < SEPARATIONS; ++round) {
        bool more;
        PX_TRY(px_mac_separate(m, &pools, tolerance, &more));
        if (!more)
            break;
        PX_TRY(equate(m, &grid, &pools, tolerance, most, result));
    }
    px_parallel_for(threads, m->tiles, TILES, change_block, m);
    Extension job = {.mac = m};
    for (int c = 0; c < 4; ++c) {
        job.fresh[c] = PX_ARENA_ARRAY(m->fluid->scratch, uint64_t, m->tiles);
        if (job.fresh[c] == NULL)
            return px_fail(PX_ERR_MEMORY, "pressure: no room for %u tiles", m->tiles);
    }
    for (int round = 0; round < ROUNDS; ++round) {
        job.last = round == ROUNDS - 1;
        px_parallel_for(threads, m->tiles, TILES, extend_block, &job);
        join_known(&job);
    }
    PX_ISA_PICK(m->fluid->isa, px_mac_return)(m, pressure);
    return PX_OK;
}

bool px_mac_presses(const PxMac *m, uint32_t row)
{
    uint32_t tile = m->tile[row], at[3];
    for (int c = 0; c < 3; ++c)
        at[c] = (uint32_t)fminf(fmaxf(m->local[c][row], 0.0f), EDGE - 1.0f);
    return tile > 0 && is_full(m, tile * CELLS + at[0] + EDGE * (at[1] + EDGE * at[2]));
}

/* Slope of the pressure along an axis at the centre of a cell, Pa/m: mean over its open faces. */
static double slope_of(const PxMac *m, uint32_t cell, int axis)
{
    double sum = 0;
    int faces = 0;
    for (int side = 0; side < 2; ++side) {
        uint32_t face = side ? next_to(m, cell, axis, 1) : cell;
        uint32_t below = side ? cell : next_to(m, cell, axis, -1);
        double weight = (double)m->weight[axis][face];
        if (!(weight > 0 && m->open[axis][face] > 0.0f))
            continue;
        double density =
            m->mixed ? (double)m->mass[axis][face] / (double)m->volume[axis][face] : m->density;
        sum += density * weight * (m->p[face] - m->p[below]) / m->cell;
        ++faces;
    }
    return faces > 0 ? sum / faces : 0;
}

/* Samples of cells nearer than half a spacing to a boundary were moved to that distance; other
 * cells, for which this is NaN, have it in their face. */
static double displaced_rise(const PxMac *m, uint32_t cell)
{
    double x[3], way[3], size = 0, rise = 0;
    place_of(m, cell, -1, x);
    for (int c = 0; c < 3; ++c) {
        way[c] = (double)m->sample[c][cell] - x[c];
        size += way[c] * way[c];
    }
    size = sqrt(size);
    if (!(size > 1e-6 * m->cell))
        return (double)NAN;
    for (int c = 0; c < 3; ++c)
        rise += (1 - 0.5 * m->fluid->spacing / size) * way[c] * slope_of(m, cell, c);
    return rise;
}

double px_mac_rise(const PxMac *m, uint32_t cell, int axis, int side)
{
    double rise = m->displaced[cell] ? displaced_rise(m, cell) : (double)NAN;
    return isnan(rise) ? 0.5 * side * m->cell * slope_of(m, cell, axis) : rise;
}

/* Part of a face that a boundary which does not yield closes. */
static float closed_part(const PxMac *m, int c, uint32_t face)
{
    return px_mac_yields(m, m->whose[c][face]) ? 0.0f : 1.0f - m->open[c][face];
}

/* By how much boundaries close more of a cell's lower face than of its upper one along an axis, and
 * the face of which they close more. */
static float closed_more(const PxMac *m, uint32_t cell, int c, uint32_t *face)
{
    uint32_t above = next_to(m, cell, c, 1);
    float more = m->yield == NULL ? m->open[c][above] - m->open[c][cell]
                                  : closed_part(m, c, cell) - closed_part(m, c, above);
    *face = more > 0.0f ? cell : above;
    return more;
}

/* A filled cell pushes the boundaries that close more of one of its faces than of the opposite
 * one: the impulse along an axis, and the face at which it acts; 0: none. Bodies that yield are
 * pushed where the solve lets them move (mac_yield.h). */
static double push_of(const PxMac *m, uint32_t cell, int c, uint32_t *face)
{
    float more = closed_more(m, cell, c, face);
    if (*face < CELLS || m->whose[c][*face] == PX_MAC_NOBODY || more == 0.0f)
        return 0;
    double *rise = &m->rise[cell];
    if (isnan(*rise) && m->displaced[cell])
        *rise = displaced_rise(m, cell);
    double p = m->p[cell] + (isnan(*rise) ? px_mac_rise(m, cell, c, more > 0.0f ? -1 : 1) : *rise);
    return -m->dt * m->cell * m->cell * p * (double)more;
}

typedef struct Push {
    PxMac *mac;
    int axis;
    double more; /* times the size of an impulse: is added to it */
} Push;

/* Leaves the impulses in r, which the solve no longer needs; sums of them and of their sizes. */
static void measure_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Push *job = user;
    PxMac *m = job->mac;
    double sum = 0, sizes = 0;
    uint32_t face;
    for (uint32_t t = begin; t < end; ++t)
        for (uint64_t in = m->beside[t] ? m->full[t] : 0; in != 0; in &= in - 1) {
            uint32_t cell = first_in(t, in);
            if (job->axis == 0)
                m->rise[cell] = (double)NAN;
            double push = push_of(m, cell, job->axis, &face);
            m->r[cell] = push;
            sum += push;
            sizes += fabs(push);
        }
    m->part[2 * (size_t)(begin / TILES)] = sum;
    m->part[2 * (size_t)(begin / TILES) + 1] = sizes;
}

static void push_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Push *job = user;
    const PxMac *m = job->mac;
    int c = job->axis;
    double work = 0;
    for (uint32_t t = begin; t < end; ++t)
        for (uint64_t in = m->beside[t] ? m->full[t] : 0; in != 0; in &= in - 1) {
            uint32_t cell = first_in(t, in), face;
            double push = m->r[cell], x[3];
            if (push == 0)
                continue;
            closed_more(m, cell, c, &face);
            push += job->more * fabs(push);
            place_of(m, face, c, x);
            PxVec3 impulse = {c == 0 ? push : 0, c == 1 ? push : 0, c == 2 ? push : 0};
            px_boundary_take(m->fluid->boundary[m->whose[c][face]],
                             (PxImpulse){{x[0], x[1], x[2]}, impulse});
            work -= push * (double)m->wall[c][face];
        }
    m->part[2 * (size_t)(begin / TILES)] = work;
}

void px_mac_push(PxMac *m, const double gained[3])
{
    PxFluid *f = m->fluid;
    for (int c = 0; c < 3 && f->boundaries > 0; ++c) {
        Push job = {.mac = m, .axis = c};
        px_parallel_for(f->threads, m->tiles, TILES, measure_block, &job);
        double sizes = total(m, 1), bodies, bodies_sizes;
        px_mac_yield_measure(m, c, &bodies, &bodies_sizes);
        double missing = -(gained[c] + total(m, 0) + bodies);
        /* Bodies get just what the solve gave them, unless there is nothing else to push at. */
        job.more = sizes > 0 ? missing / sizes : 0;
        double work =
            px_mac_yield_push(m, c, sizes > 0 || !(bodies_sizes > 0) ? 0 : missing / bodies_sizes);
        px_parallel_for(f->threads, m->tiles, TILES, push_block, &job);
        if (f->work != NULL)
            f->work->wall_push += total(m, 0) + work;
    }
}
