/// Particles to the staggered grid and back.
///
/// Weights are quadratic B-splines. Every particle carries a linear field of velocity, so that
/// means over particles or faces are exact for linear flows, also where they lie on one side only.
#include "fluid/pressure/mac_cells.h"

#include <math.h>
#include <string.h>

/* ---- particles as the grid sees them ------------------------------------------------------- */

/* Particles move from x to x + dt u. That keeps volumes to second order in dt if
 *   div u = dt/2 tr((grad u)^2) = div(dt/2 u . grad u),
 * so the solve makes u - dt/2 u . grad u divergence-free: the constraint holds at the end of the
 * step, as in SHAKE (Ryckaert, Ciccotti and Berendsen 1977). With div u = 0 instead,
 * water that turns at w rad/s loses w^2 dt / 2 of its angular momentum per second, and its energy
 * at twice that rate. */

/* Largest product of the step and the gradient of velocity in that term. */
#define TURN 0.5f

/* Position in cells of its tile, velocity with the term above, and its change per cell; the sums
 * need the rest. Markers are in the order of tiles (PxMac.row). */
typedef struct Marker {
    float x[3], v[3], g[9];
    float mass, volume, flows, pressure;
} Marker;

typedef struct Transfer {
    PxMac *mac;
    Marker *marker;
    float *spot[3], *bulk, *load; /* of markers: x, volume, volume times pressure */
    const float *before;          /* pressure of the last step */
    float *after;
    const uint32_t *tile; /* tiles of the loop */
    bool mixed;           /* fluids of several densities: volumes are summed, too */
} Transfer;

static void mark_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Transfer *job = user;
    const PxMac *m = job->mac;
    const PxFluid *f = m->fluid;
    for (uint32_t n = begin; n < end; ++n) {
        uint32_t i = m->row[n];
        const float *g = m->gradient + 9 * (size_t)i;
        Marker *p = &job->marker[n];
        float size = 0, part = m->dense[i] * (float)m->cell;
        for (int k = 0; k < 9; ++k)
            size += g[k] * g[k];
        size = (float)m->dt * sqrtf(size);
        float half = 0.5f * (float)m->dt * m->dense[i] * (size > TURN ? TURN / size : 1.0f);
        for (int c = 0; c < 3; ++c) {
            const float *row = g + 3 * c;
            p->x[c] = m->local[c][i];
            p->v[c] = m->speed[c][i] - half * (row[0] * m->speed[0][i] + row[1] * m->speed[1][i] +
                                               row[2] * m->speed[2][i]);
            for (int b = 0; b < 3; ++b)
                p->g[3 * c + b] =
                    part *
                    (row[b] - half * (row[0] * g[b] + row[1] * g[3 + b] + row[2] * g[6 + b]));
        }
        p->mass = f->particles->mass[i];
        p->volume = p->mass / (float)f->material[f->particles->material[i]].def.density;
        p->flows =
            f->solid_fraction != NULL ? (1.0f - f->solid_fraction[i]) * p->volume : p->volume;
        p->pressure = job->before[i];
        for (int c = 0; c < 3; ++c)
            job->spot[c][n] = p->x[c];
        job->bulk[n] = p->volume;
        job->load[n] = p->volume * p->pressure;
    }
}

/* ---- to the grid ----------------------------------------------------------------------------- */

/* W over its value at 0, of the square of r / h. */
PX_INLINE PxF8 kernels(PxF8 q2)
{
    PxF8 zero = px_f8(0.0f), q = px_f8_sqrt(q2);
    PxF8 wide = px_f8_max(px_f8(1.0f) - q, zero), tip = px_f8_max(px_f8(0.5f) - q, zero);
    return px_f8(2.0f) * wide * wide * wide - px_f8(8.0f) * tip * tip * tip;
}

/* Sums of the rows of a tile: at faces -1 .. 5 along each axis, momentum and mass in turn, and at
 * centres -2 .. 5. They are added to the grid tile by tile. Tiles that are two apart do not reach
 * the same cells, so tiles of the same parities are added at once, and the 8 parities one after
 * the other: the order of every sum is fixed. */
enum { WIDE = 8, HIGH = 7, ROUND = 8 };
typedef struct Sums {
    float face[3][HIGH][HIGH][2 * WIDE];
    float volume[3][HIGH][HIGH][WIDE + 4];
    float off[3][2][HIGH][HIGH][2 * WIDE]; /* of the open part's centroid, in cells; and 0 */
    float colour[ROUND][ROUND][ROUND], guess[ROUND][ROUND][ROUND], flows[ROUND][ROUND][ROUND];
} Sums;

/* Quadratic B-splines at the three places around x, the first of which has the number *low; places
 * are at whole numbers, or at those and a half. */
PX_INLINE void splines(float x, float *w, int *low)
{
    *low = (int)floorf(x + 0.5f) - 1;
    float off = x - (float)(*low + 1); /* -1/2 .. 1/2, from the middle one */
    w[0] = 0.5f * (0.5f - off) * (0.5f - off);
    w[1] = 0.75f - off * off;
    w[2] = 0.5f * (0.5f + off) * (0.5f + off);
    w[3] = 0.0f;
}

static void add_faces(const Transfer *job, int axis, const Marker *p, bool cut, Sums *sums)
{
    float w[3][4], from[3];
    int low[3];
    const float *g = p->g + 3 * axis;
    for (int a = 0; a < 3; ++a) {
        float half = a == axis ? 0.0f : 0.5f;
        splines(p->x[a] - half, w[a], &low[a]);
        from[a] = (float)low[a] + half - p->x[a];
    }
    float wx[3] = {p->mass * w[0][0], p->mass * w[0][1], p->mass * w[0][2]};
    PxF8 weight = {wx[0], wx[0], wx[1], wx[1], wx[2], wx[2], 0.0f, 0.0f};
    float vx = p->v[axis] + g[0] * from[0];
    PxF8 along = {vx, 1.0f, vx + g[0], 1.0f, vx + 2.0f * g[0], 1.0f, 0.0f, 0.0f};
    const PxF8 speeds = {1, 0, 1, 0, 1, 0, 0, 0};
    PxF8 next = px_f8(g[(axis + 1) % 3]), last = px_f8(g[(axis + 2) % 3]);
    PxF4 line = px_f4_load(w[0]) * px_f4(p->volume);
    for (int z = 0; z < 3; ++z)
        for (int y = 0; y < 3; ++y) {
            int kz = low[2] + 1 + z, ky = low[1] + 1 + y;
            float more = g[1] * (from[1] + (float)y) + g[2] * (from[2] + (float)z);
            PxF8 v = along + px_f8(more) * speeds;
            if (cut)
                v = v + next * px_f8_load(sums->off[axis][0][kz][ky] + 2 * (low[0] + 1)) +
                    last * px_f8_load(sums->off[axis][1][kz][ky] + 2 * (low[0] + 1));
            float part = w[1][y] * w[2][z], *to = sums->face[axis][kz][ky] + 2 * (low[0] + 1);
            px_f8_store(to, px_f8_load(to) + weight * px_f8(part) * v);
            if (job->mixed) {
                float *volume = &sums->volume[axis][kz][ky][low[0] + 1];
                px_f4_store(volume, px_f4_load(volume) + line * px_f4(part));
            }
        }
}

/* Adds the halves to four values of a line of centres and of the next one. */
PX_INLINE void add_pair(float *to, PxF8 value)
{
    PxF8 sum = px_f8_load_two(to, to + ROUND) + value;
    PxF4 half[2];
    memcpy(half, &sum, sizeof sum);
    px_f4_store(to, half[0]);
    px_f4_store(to + ROUND, half[1]);
}

/* Kernel sums at centres, and the first guess of pressure. A support is two cells. */
static void add_centres(const Transfer *job, const Marker *p, Sums *sums)
{
    const PxFluid *f = job->mac->fluid;
    int first[3]; /* four cells along each axis; the last ones are in reach or at the border */
    for (int a = 0; a < 3; ++a) {
        int low = (int)floorf(p->x[a] + 0.5f);
        first[a] = low < ROUND - 4 ? low : ROUND - 4;
    }
    const PxF8 column = {-1.5f, -0.5f, 0.5f, 1.5f, -1.5f, -0.5f, 0.5f, 1.5f};
    PxF8 dx = column + px_f8((float)first[0]) - px_f8(p->x[0]);
    dx = dx * dx;
    PxF8 volume = px_f8(p->volume), flows = px_f8(p->flows), pressure = px_f8(p->pressure);
    for (int z = first[2]; z < first[2] + 4; ++z) {
        float dz = (float)z - 1.5f - p->x[2];
        for (int y = first[1]; y < first[1] + 4; y += 2) {
            float dy = (float)y - 1.5f - p->x[1], more = (float)y - 0.5f - p->x[1];
            float far = dy * dy + dz * dz, next = more * more + dz * dz;
            PxF8 lines = {far, far, far, far, next, next, next, next};
            PxF8 w = kernels(px_f8(0.25f) * (dx + lines)), full = w * volume;
            add_pair(&sums->colour[z][y][first[0]], full);
            add_pair(&sums->guess[z][y][first[0]], full * pressure);
            if (f->solid_fraction != NULL)
                add_pair(&sums->flows[z][y][first[0]], w * flows);
        }
    }
}

/* A line of cells along x: the last ones of the tile below, those of a tile, and the first ones of
 * the tile above. */
typedef struct Lines {
    uint32_t cell[3];
} Lines;

static Lines lines_of(const PxMac *m, uint32_t tile, int y, int z)
{
    Lines lines;
    int ty = (y + EDGE) / EDGE, tz = (z + EDGE) / EDGE;
    for (int part = 0; part < 3; ++part)
        lines.cell[part] = m->near[27 * (size_t)tile + (size_t)(part + 3 * ty + 9 * tz)] * CELLS +
                           (uint32_t)(4 * (y & 3) + 16 * (z & 3));
    return lines;
}

/* Values -1 .. 5 along x, and 0. */
PX_INLINE PxF8 line_of(const float *value, const Lines *lines)
{
    PxF8 inner = px_f8_load_two(value + lines->cell[1], value + lines->cell[2]);
    PxF8 ends = {value[lines->cell[0] + 3], 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
    return __builtin_shufflevector(ends, inner, 0, 8, 9, 10, 11, 12, 13, 7);
}

/* Do open parts of faces that the tile's rows see have their centroids off the middles? */
static bool is_cut(const PxMac *m, uint32_t tile)
{
    bool cut = false;
    for (int k = 0; k < 27; ++k)
        cut = cut || m->slanted[m->near[27 * (size_t)tile + (size_t)k]];
    return cut;
}

static void find_offsets(const PxMac *m, uint32_t tile, Sums *sums)
{
    PxF8 per = px_f8((float)(1 / m->cell)), zero = px_f8(0.0f);
    for (int z = 0; z < HIGH; ++z)
        for (int y = 0; y < HIGH; ++y) {
            Lines lines = lines_of(m, tile, y - 1, z - 1);
            for (int c = 0; c < 3; ++c)
                for (int k = 0; k < 2; ++k) {
                    PxF8 off = per * line_of(m->centre[c][k], &lines);
                    float *to = sums->off[c][k][z][y];
                    px_f8_store(to, __builtin_shufflevector(off, zero, 0, 8, 1, 8, 2, 8, 3, 8));
                    px_f8_store(to + 8, __builtin_shufflevector(off, zero, 4, 8, 5, 8, 6, 8, 7, 8));
                }
        }
}

/* Adds 2 and 4 values to cells. */
PX_INLINE void add_two(float *to, const float *from)
{
    to[0] += from[0];
    to[1] += from[1];
}

PX_INLINE void add_four(float *to, const float *from)
{
    px_f4_store(to, px_f4_load(to) + px_f4_load(from));
}

/* Adds the values -1 .. 5 along x of a line to cells of three tiles. */
PX_INLINE void add_line(float *to, const Lines *lines, const float *from)
{
    if (lines->cell[0] >= CELLS)
        to[lines->cell[0] + 3] += from[0];
    add_four(to + lines->cell[1], from + 1);
    if (lines->cell[2] >= CELLS)
        add_two(to + lines->cell[2], from + 5);
}

/* The same of -2 .. 5. */
PX_INLINE void add_wide_line(float *to, const Lines *lines, const float *from)
{
    if (lines->cell[0] >= CELLS)
        add_two(to + lines->cell[0] + 2, from);
    add_four(to + lines->cell[1], from + 2);
    if (lines->cell[2] >= CELLS)
        add_two(to + lines->cell[2], from + 6);
}

/* Adds the sums to the grid; of the faces, and of the centres. The lines from low[] to below high[]
 * along y and z have sums. */
static void add_sums(const Transfer *job, uint32_t tile, const Sums *sums)
{
    PxMac *m = job->mac;
    for (int z = 0; z < HIGH; ++z)
        for (int y = 0; y < HIGH; ++y) {
            Lines lines = lines_of(m, tile, y - 1, z - 1);
            if (lines.cell[1] < CELLS)
                continue;
            for (int c = 0; c < 3; ++c) {
                PxF8 low = px_f8_load(sums->face[c][z][y]),
                     high = px_f8_load(sums->face[c][z][y] + 8);
                PxF8 speeds = __builtin_shufflevector(low, high, 0, 2, 4, 6, 8, 10, 12, 14);
                PxF8 masses = __builtin_shufflevector(low, high, 1, 3, 5, 7, 9, 11, 13, 15);
                float line[8];
                px_f8_store(line, speeds);
                add_line(m->u[c], &lines, line);
                px_f8_store(line, masses);
                add_line(m->mass[c], &lines, line);
                if (job->mixed)
                    add_line(m->volume[c], &lines, sums->volume[c][z][y]);
            }
        }
    for (int z = 0; z < ROUND; ++z)
        for (int y = 0; y < ROUND; ++y) {
            Lines lines = lines_of(m, tile, y - 2, z - 2);
            if (lines.cell[1] < CELLS)
                continue;
            add_wide_line(m->colour, &lines, sums->colour[z][y]);
            add_wide_line(m->guess, &lines, sums->guess[z][y]);
            if (m->fluid->solid_fraction != NULL)
                add_wide_line(m->flows, &lines, sums->flows[z][y]);
        }
}

static void add_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Transfer *job = user;
    const PxMac *m = job->mac;
    for (uint32_t k = begin; k < end; ++k) {
        uint32_t t = job->tile[k];
        Sums sums;
        bool cut = is_cut(m, t);
        memset(sums.face, 0, sizeof sums.face);
        memset(sums.colour, 0, sizeof sums.colour);
        memset(sums.guess, 0, sizeof sums.guess);
        memset(sums.flows, 0, m->fluid->solid_fraction != NULL ? sizeof sums.flows : 0);
        memset(sums.volume, 0, job->mixed ? sizeof sums.volume : 0);
        if (cut)
            find_offsets(m, t, &sums);
        for (uint32_t n = m->first[t]; n < m->first[t + 1]; ++n) {
            for (int axis = 0; axis < 3; ++axis)
                add_faces(job, axis, &job->marker[n], cut, &sums);
            add_centres(job, &job->marker[n], &sums);
        }
        add_sums(job, t, &sums);
    }
}

/* The kernel sums of a cell whose sample is not at its centre, of volume and of pressure. */
static void gather_at(const Transfer *job, uint32_t cell, float sum[2])
{
    const PxMac *m = job->mac;
    uint32_t tile = cell / CELLS;
    const PxI8 lane = {0, 1, 2, 3, 4, 5, 6, 7};
    double corner[3];
    float at[3];
    int first[3], last[3]; /* tiles in reach */
    place_of(m, tile * CELLS, -1, corner);
    for (int a = 0; a < 3; ++a) {
        at[a] = (float)(((double)m->sample[a][cell] - corner[a]) / m->cell) + 0.5f;
        first[a] = at[a] < 2.0f ? -1 : 0;
        last[a] = at[a] > EDGE - 2.0f ? 1 : 0;
    }
    PxF8 bulk = px_f8(0.0f), load = bulk;
    int columns = last[0] - first[0] + 1, lines = last[1] - first[1] + 1;
    for (int k = 0; k < columns * lines * (last[2] - first[2] + 1); ++k) {
        int x = first[0] + k % columns, y = first[1] + k / columns % lines;
        int z = first[2] + k / (columns * lines);
        uint32_t other = m->near[27 * (size_t)tile + (size_t)(13 + x + 3 * y + 9 * z)];
        float to[3] = {at[0] - (float)(EDGE * x), at[1] - (float)(EDGE * y),
                       at[2] - (float)(EDGE * z)};
        if (other == 0 || !(to[2] > -2.0f && to[2] < EDGE + 2.0f))
            continue;
        /* layers of the tile that are in reach */
        uint32_t low = EDGE * other + (uint32_t)fmaxf(to[2] - 2.0f, 0.0f);
        uint32_t high = EDGE * other + (uint32_t)fminf(to[2] + 2.0f, EDGE - 1.0f) + 1;
        uint32_t end = m->layer[high];
        for (uint32_t n = m->layer[low]; n < end; n += 8) {
            PxF8 dx = px_f8_load(job->spot[0] + n) - px_f8(to[0]);
            PxF8 dy = px_f8_load(job->spot[1] + n) - px_f8(to[1]);
            PxF8 dz = px_f8_load(job->spot[2] + n) - px_f8(to[2]);
            int32_t rest = (int32_t)(end - n);
            PxI8 mine = lane < (PxI8){rest, rest, rest, rest, rest, rest, rest, rest};
            PxF8 w = kernels(px_f8(0.25f) * (dx * dx + dy * dy + dz * dz));
            bulk = bulk + px_f8_where(mine, w * px_f8_load(job->bulk + n));
            load = load + px_f8_where(mine, w * px_f8_load(job->load + n));
        }
    }
    sum[0] = px_f8_sum(bulk);
    sum[1] = px_f8_sum(load);
}

/* The part of the volume at a cell that flows. */
static float flowing_at(const Transfer *job, uint32_t cell)
{
    const PxMac *m = job->mac;
    return m->fluid->solid_fraction == NULL ? 1.0f
           : m->colour[cell] > 0.0f         ? m->flows[cell] / m->colour[cell]
                                            : 0.0f;
}

/* The sums of cells that are closed on all sides are not used. */
static bool is_open(const PxMac *m, uint32_t cell)
{
    bool open = false;
    for (int c = 0; c < 3; ++c)
        open = open || m->open[c][cell] > 0.0f || m->open[c][next_to(m, cell, c, 1)] > 0.0f;
    return open;
}

static void finish_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Transfer *job = user;
    PxMac *m = job->mac;
    const PxFluid *f = m->fluid;
    float norm =
        (float)(8 / (PX_PI * (double)f->kernel.h * (double)f->kernel.h * (double)f->kernel.h));
    for (uint32_t cell = begin * CELLS; cell < end * CELLS; ++cell) {
        for (int c = 0; c < 3; ++c) {
            float mass = m->mass[c][cell];
            m->u[c][cell] = mass > 0.0f ? m->u[c][cell] / mass : 0.0f;
        }
        float sum[2] = {m->colour[cell], m->guess[cell]}, flows = flowing_at(job, cell);
        if (m->moved[cell / CELLS] && m->displaced[cell] && is_open(m, cell))
            gather_at(job, cell, sum);
        m->colour[cell] = m->clear[cell] > 0.05f ? norm * sum[0] / m->clear[cell] : 0.0f;
        m->flows[cell] = norm * sum[0] * flows;
        m->p[cell] = sum[0] > 0.0f ? (double)(sum[1] / sum[0]) : 0.0;
    }
}

/* Tiles with rows by the parities of their coordinates: those of parity k end at end[k]. */
static uint32_t *by_parity(const PxMac *m, uint32_t end[8])
{
    uint32_t *tile = PX_ARENA_ARRAY(m->fluid->scratch, uint32_t, m->tiles), count = 0;
    for (int k = 0; k < 8 && tile != NULL; ++k) {
        for (uint32_t t = 1; t < m->tiles; ++t) {
            const int32_t *at = m->at + 3 * (size_t)t;
            if (m->first[t] < m->first[t + 1] &&
                (at[0] & 1) + 2 * (at[1] & 1) + 4 * (at[2] & 1) == k)
                tile[count++] = t;
        }
        end[k] = count;
    }
    return tile;
}

PxStatus PX_ISA_NAME(px_mac_gather)(PxMac *m, const float *pressure)
{
    PxFluid *f = m->fluid;
    size_t cells = (size_t)m->tiles * CELLS;
    uint32_t end[8], rows = m->first[m->tiles];
    Transfer job = {.mac = m, .before = pressure, .mixed = m->mixed};
    m->marker = PX_ARENA_ARRAY(f->scratch, float, rows *(sizeof(Marker) / sizeof(float)));
    uint32_t *tile = by_parity(m, end);
    float **const columns[] = {&job.spot[0], &job.spot[1], &job.spot[2], &job.bulk, &job.load};
    bool room = true;
    for (size_t k = 0; k < PX_COUNT(columns); ++k) {
        *columns[k] = PX_ARENA_ARRAY(f->scratch, float, rows);
        room = room && *columns[k] != NULL;
    }
    if (m->marker == NULL || tile == NULL || !room)
        return px_fail(PX_ERR_MEMORY, "pressure: no room for %u particles", f->count);
    job.marker = (Marker *)m->marker;
    px_parallel_for(f->threads, rows, PX_BLOCK, mark_block, &job);
    for (int c = 0; c < 3; ++c) {
        memset(m->u[c], 0, cells * sizeof(float));
        memset(m->mass[c], 0, cells * sizeof(float));
        memset(m->volume[c], 0, m->mixed ? cells * sizeof(float) : 0);
    }
    memset(m->colour, 0, cells * sizeof(float));
    memset(m->guess, 0, cells * sizeof(float));
    memset(m->flows, 0, cells * sizeof(float));
    for (int k = 0; k < 8; ++k) {
        uint32_t from = k > 0 ? end[k - 1] : 0;
        job.tile = tile + from;
        px_parallel_for(f->threads, end[k] - from, 1, add_block, &job);
    }
    px_parallel_for(f->threads, m->tiles, TILES, finish_block, &job);
    return PX_OK;
}

/* ---- back to the particles ------------------------------------------------------------------- */

/* Values of a tile and those around it that its rows read: faces or centres -1 .. 5 along each
 * axis. Of a face: the part that counts, and that times the change; the same for faces that had
 * a velocity before: the part, that times the velocity, and times their position. */
typedef struct Patch {
    _Alignas(32) float face[HIGH][HIGH][HIGH + 1][8];
    float change[HIGH][HIGH][WIDE + 4], flow[HIGH][HIGH][WIDE + 4];
    uint8_t regular[HIGH][HIGH]; /* bits of faces that are open and had a velocity */
    bool filled[HIGH][HIGH];     /* the line was read from the grid; the others are not needed */
} Patch;

/* Pressure: the part that counts, and that times the pressure. */
typedef struct Pressures {
    float part[HIGH][HIGH][WIDE + 4], value[HIGH][HIGH][WIDE + 4];
} Pressures;

/* Mask of those that are known. */
PX_INLINE PxI8 known_line(const PxMac *m, int c, const Lines *lines)
{
    const PxI8 bit = {1, 2, 4, 8, 16, 32, 64, 0};
    const uint64_t *known = m->known[c];
    uint64_t part[3];
    for (int k = 0; k < 3; ++k)
        part[k] = known[lines->cell[k] / CELLS] >> (lines->cell[k] % CELLS);
    int32_t bits = (int32_t)((part[0] >> 3 & 1u) | (part[1] & 15u) << 1 | (part[2] & 3u) << 5);
    return ((PxI8){bits, bits, bits, bits, bits, bits, bits, bits} & bit) != (PxI8){0};
}

static void fill_line(const PxMac *m, uint32_t tile, int c, int y, int z, Patch *patch)
{
    const PxF8 column = {-0.5f, 0.5f, 1.5f, 2.5f, 3.5f, 4.5f, 5.5f, 0.0f};
    PxF8 per = px_f8((float)(1 / m->cell)), zero = px_f8(0.0f);
    int next = (c + 1) % 3, last = (c + 2) % 3;
    Lines lines = lines_of(m, tile, y - 1, z - 1);
    PxF8 part = px_f8_max(line_of(m->open[c], &lines), px_f8(0.02f));
    part = px_f8_where(known_line(m, c, &lines), part);
    PxF8 flow = px_f8_where(line_of(m->mass[c], &lines) > zero, part);
    PxF8 at[3] = {column, px_f8((float)y - 0.5f), px_f8((float)z - 0.5f)};
    at[c] = at[c] - px_f8(0.5f);
    PxF8 changes = line_of(m->d[c], &lines), flows = line_of(m->u[c], &lines);
    PxF8 off = line_of(m->centre[c][0], &lines), side = line_of(m->centre[c][1], &lines);
    at[next] = at[next] + per * off;
    at[last] = at[last] + per * side;
    float *to = patch->face[z][y][0];
    patch->filled[z][y] = true;
    patch->regular[z][y] =
        (uint8_t)px_f8_bits((flow == px_f8(1.0f)) & (off == zero) & (side == zero));
    px_f8_store(patch->change[z][y], changes);
    px_f8_store(patch->flow[z][y], flows);
    px_f8_store_quads(to, 8, part, part * changes, flow, flow * flows);
    px_f8_store_quads(to + 4, 8, flow * at[0], flow * at[1], flow * at[2], zero);
}

PX_INLINE float sum_of(PxF4 v)
{
    return (v[0] + v[1]) + (v[2] + v[3]);
}

/* Interpolation at a row, as below, where all 27 faces are regular: their mean position is that of
 * the row. */
PX_INLINE float interpolate_regular(const Patch *patch, const Marker *p, int c, const float (*w)[4],
                                    const int *low, float *noise)
{
    PxF4 change = px_f4(0.0f), flow = px_f4(0.0f), wx = px_f4_load(w[0]);
    for (int z = 0; z < 3; ++z)
        for (int y = 0; y < 3; ++y) {
            int kz = low[2] + 1 + z, ky = low[1] + 1 + y, kx = low[0] + 1;
            PxF4 weight = wx * px_f4(w[1][y] * w[2][z]);
            change += weight * px_f4_load(patch->change[kz][ky] + kx);
            flow += weight * px_f4_load(patch->flow[kz][ky] + kx);
        }
    *noise = sum_of(flow) - p->v[c];
    return sum_of(change);
}

/* Interpolation at a row. *noise is the mean of the faces' velocities before the change, less the
 * linear field of the row itself: 0 in linear flows, also where faces are missing on one side. */
static float interpolate(const PxMac *m, uint32_t tile, Patch *patch, const Marker *p, int c,
                         float *noise)
{
    float w[3][4];
    int low[3];
    for (int a = 0; a < 3; ++a)
        splines(p->x[a] - (a == c ? 0.0f : 0.5f), w[a], &low[a]);
    unsigned regular = 7u << (low[0] + 1);
    for (int z = low[2] + 1; z < low[2] + 4; ++z)
        for (int y = low[1] + 1; y < low[1] + 4; ++y) {
            if (!patch->filled[z][y])
                fill_line(m, tile, c, y, z, patch);
            regular &= patch->regular[z][y];
        }
    if (regular == 7u << (low[0] + 1))
        return interpolate_regular(patch, p, c, w, low, noise);
    PxF8 sum = px_f8(0.0f);
    for (int z = 0; z < 3; ++z)
        for (int y = 0; y < 3; ++y) {
            const float(*row)[8] = &patch->face[low[2] + 1 + z][low[1] + 1 + y][low[0] + 1];
            float part = w[1][y] * w[2][z];
            PxF8 line = px_f8(w[0][0]) * px_f8_load(row[0]) + px_f8(w[0][1]) * px_f8_load(row[1]) +
                        px_f8(w[0][2]) * px_f8_load(row[2]);
            sum = sum + px_f8(part) * line;
        }
    float all = sum[2], over = sum[3] - all * p->v[c];
    for (int a = 0; a < 3; ++a)
        over -= p->g[3 * c + a] * (sum[4 + a] - all * p->x[a]);
    *noise = all > 0.0f ? over / all : 0.0f;
    return sum[0] > 0.0f ? sum[1] / sum[0] : 0.0f;
}

static void fill_pressures(const PxMac *m, uint32_t tile, Pressures *patch)
{
    memset(patch, 0, sizeof *patch);
    for (int z = 0; z < HIGH; ++z)
        for (int y = 0; y < HIGH; ++y) {
            Lines lines = lines_of(m, tile, y - 1, z - 1);
            PxI8 known = known_line(m, 3, &lines);
            px_f8_store(patch->part[z][y], px_f8_where(known, px_f8(1.0f)));
            px_f8_store(patch->value[z][y], px_f8_where(known, line_of(m->d[3], &lines)));
        }
}

static float pressure_at(const Pressures *patch, const Marker *p)
{
    float w[3][4];
    int low[3];
    for (int a = 0; a < 3; ++a)
        splines(p->x[a] - 0.5f, w[a], &low[a]);
    PxF4 part = px_f4(0.0f), value = px_f4(0.0f), wx = px_f4_load(w[0]);
    for (int z = 0; z < 3; ++z)
        for (int y = 0; y < 3; ++y) {
            int kz = low[2] + 1 + z, ky = low[1] + 1 + y, kx = low[0] + 1;
            PxF4 weight = wx * px_f4(w[1][y] * w[2][z]);
            part += weight * px_f4_load(patch->part[kz][ky] + kx);
            value += weight * px_f4_load(patch->value[kz][ky] + kx);
        }
    float all = sum_of(part);
    return all > 0.0f ? sum_of(value) / all : 0.0f;
}

static void return_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Transfer *job = user;
    const PxMac *m = job->mac;
    for (uint32_t t = begin; t < end; ++t) {
        if (t == 0 || m->first[t] == m->first[t + 1])
            continue;
        for (int c = 0; c < 3; ++c) {
            Patch patch;
            memset(patch.filled, 0, sizeof patch.filled);
            for (uint32_t n = m->first[t]; n < m->first[t + 1]; ++n) {
                uint32_t i = m->row[n];
                m->change[c][i] = interpolate(m, t, &patch, &job->marker[n], c, &m->noise[c][i]);
            }
        }
        Pressures patch;
        fill_pressures(m, t, &patch);
        for (uint32_t n = m->first[t]; n < m->first[t + 1]; ++n)
            job->after[m->row[n]] = pressure_at(&patch, &job->marker[n]);
    }
}

static void spray_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Transfer *job = user;
    for (uint32_t i = begin; i < end; ++i)
        if (job->mac->tile[i] == 0)
            job->after[i] = 0.0f;
}

void PX_ISA_NAME(px_mac_return)(PxMac *m, float *pressure)
{
    const PxThreads *threads = m->fluid->threads;
    Transfer job = {.mac = m, .marker = (Marker *)m->marker, .after = pressure};
    px_parallel_for(threads, m->tiles, TILES, return_block, &job);
    px_parallel_for(threads, m->fluid->count, 4 * PX_BLOCK, spray_block, &job);
}
