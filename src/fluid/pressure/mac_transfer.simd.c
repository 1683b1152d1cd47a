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

/* Position and velocity in cells of its tile, the latter with the term above, and its change per
 * cell; the sums need the last four. */
typedef struct Marker {
    float x[3], v[3], g[9];
    float mass, volume, flows, pressure;
} Marker;

typedef struct Transfer {
    PxMac *mac;
    Marker *marker;
    const float *before; /* pressure of the last step */
    float *after;
} Transfer;

static void mark_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Transfer *job = user;
    const PxMac *m = job->mac;
    const PxFluid *f = m->fluid;
    for (uint32_t i = begin; i < end; ++i) {
        const float *g = m->gradient + 9 * (size_t)i;
        Marker *p = &job->marker[i];
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
    }
}

/* ---- to the grid ----------------------------------------------------------------------------- */

/* Quadratic B-spline. */
PX_INLINE PxF8 splines(PxF8 x)
{
    PxF8 zero = px_f8(0.0f), a = px_f8_max(x, zero - x);
    PxF8 wide = px_f8_max(px_f8(1.5f) - a, zero), tip = px_f8_max(px_f8(0.5f) - a, zero);
    return px_f8(0.5f) * wide * wide - px_f8(1.5f) * tip * tip;
}

/* W over its value at 0, of the square of r / h. */
PX_INLINE PxF8 kernels(PxF8 q2)
{
    PxF8 zero = px_f8(0.0f), q = px_f8_sqrt(q2);
    PxF8 wide = px_f8_max(px_f8(1.0f) - q, zero), tip = px_f8_max(px_f8(0.5f) - q, zero);
    return px_f8(2.0f) * wide * wide * wide - px_f8(8.0f) * tip * tip * tip;
}

/* Sums of a tile. Two rows of four cells are a vector. */
typedef struct Sums {
    float u[3][CELLS], mass[3][CELLS], volume[3][CELLS];
    float colour[CELLS], flows[CELLS], guess[CELLS];
} Sums;

PX_INLINE void add_to(float *sum, PxF8 v)
{
    px_f8_store(sum, px_f8_load(sum) + v);
}

/* Particles farther from a tile than this, in cells, add nothing to it: kernels reach 2 cells, to
 * centres or to samples that are up to a cell off. */
PX_INLINE float reach_of(const PxMac *m, uint32_t tile)
{
    return m->moved[tile] ? 2.6f : 1.5f;
}

/* Weights along an axis: at the faces of the tile's four cells, then at their centres. */
typedef struct Line {
    float w[2 * EDGE];
} Line;

static void add_faces(const PxMac *m, uint32_t tile, int axis, const Marker *p, const Line line[3],
                      Sums *sums)
{
    const float *w[3];
    for (int a = 0; a < 3; ++a)
        w[a] = line[a].w + (a == axis ? 0 : EDGE);
    const float *g = p->g + 3 * axis;
    int next = (axis + 1) % 3, last = (axis + 2) % 3;
    float per = (float)(1 / m->cell), at[3];
    for (int a = 0; a < 3; ++a)
        at[a] = (a == axis ? 0.0f : 0.5f) - p->x[a];
    const PxF8 column = {0, 1, 2, 3, 0, 1, 2, 3}, line_of = {0, 0, 0, 0, 1, 1, 1, 1};
    PxF8 wx = px_f8_load_two(w[0], w[0]);
    PxF8 wayx = px_f8(p->v[axis]) + px_f8(g[0]) * (column + px_f8(at[0]));
    PxF8 gn = px_f8(per * g[next]), gl = px_f8(per * g[last]), mass = px_f8(p->mass);
    for (int z = 0; z < EDGE; ++z) {
        if (!(w[2][z] > 0.0f))
            continue;
        PxF8 wxz = wx * px_f8(w[2][z]);
        PxF8 wayz = wayx + px_f8(g[2] * ((float)z + at[2]));
        for (int y = 0; y < EDGE; y += 2) {
            if (!(w[1][y] + w[1][y + 1] > 0.0f))
                continue;
            size_t k = (size_t)(4 * y + 16 * z), cell = (size_t)tile * CELLS + k;
            PxF8 wy = {w[1][y],     w[1][y],     w[1][y],     w[1][y],
                       w[1][y + 1], w[1][y + 1], w[1][y + 1], w[1][y + 1]};
            PxF8 weight = wxz * wy, heavy = weight * mass;
            PxF8 v = wayz + px_f8(g[1]) * (line_of + px_f8((float)y + at[1])) +
                     gn * px_f8_load(m->centre[axis][0] + cell) +
                     gl * px_f8_load(m->centre[axis][1] + cell);
            add_to(sums->u[axis] + k, heavy * v);
            add_to(sums->mass[axis] + k, heavy);
            add_to(sums->volume[axis] + k, weight * px_f8(p->volume));
        }
    }
}

/* Kernel sums, and the first guess of pressure. */
static void add_centres(const PxMac *m, uint32_t tile, const Marker *p, Sums *sums)
{
    const PxFluid *f = m->fluid;
    float norm =
        (float)(8 / (PX_PI * (double)f->kernel.h * (double)f->kernel.h * (double)f->kernel.h));
    PxF8 per = px_f8(1.0f / f->kernel.h);
    int low[3], high[3];
    float more = m->moved[tile] ? 1.0f : 0.0f, at[3];
    double corner[3];
    place_of(m, tile * CELLS, -1, corner);
    for (int a = 0; a < 3; ++a) {
        low[a] = (int)ceilf(p->x[a] - 2.5f - more);
        high[a] = (int)floorf(p->x[a] + 1.5f + more);
        low[a] = low[a] > 0 ? low[a] : 0;
        high[a] = high[a] < EDGE - 1 ? high[a] : EDGE - 1;
        at[a] = (float)(corner[a] - 0.5 * m->cell + (double)(p->x[a] * (float)m->cell));
    }
    if (high[0] < low[0])
        return;
    PxF8 volume = px_f8(norm * p->volume), pressure = px_f8(p->pressure);
    PxF8 flows = px_f8(norm * p->flows);
    for (int z = low[2]; z <= high[2]; ++z)
        for (int y = low[1] & ~1; y <= high[1]; y += 2) {
            size_t k = (size_t)(4 * y + 16 * z), cell = (size_t)tile * CELLS + k;
            PxF8 dx = (px_f8_load(m->sample[0] + cell) - px_f8(at[0])) * per;
            PxF8 dy = (px_f8_load(m->sample[1] + cell) - px_f8(at[1])) * per;
            PxF8 dz = (px_f8_load(m->sample[2] + cell) - px_f8(at[2])) * per;
            PxF8 w = kernels(dx * dx + dy * dy + dz * dz), full = w * volume;
            add_to(sums->colour + k, full);
            add_to(sums->flows + k, w * flows);
            add_to(sums->guess + k, full * pressure);
        }
}

static void add_row(const PxMac *m, uint32_t tile, const Marker *p, Sums *sums)
{
    const PxF8 place = {0, 1, 2, 3, 0.5f, 1.5f, 2.5f, 3.5f};
    Line line[3];
    bool faces = true;
    for (int a = 0; a < 3; ++a) {
        px_f8_store(line[a].w, splines(px_f8(p->x[a]) - place));
        faces = faces && p->x[a] > -1.5f && p->x[a] < EDGE + 1.0f;
    }
    for (int axis = 0; axis < 3 && faces; ++axis)
        add_faces(m, tile, axis, p, line, sums);
    add_centres(m, tile, p, sums);
}

static void store_sums(const PxMac *m, uint32_t from, const Sums *sums)
{
    for (uint32_t k = 0; k < CELLS; ++k) {
        uint32_t cell = from + k;
        for (int c = 0; c < 3; ++c) {
            float mass = sums->mass[c][k];
            m->u[c][cell] = mass > 0.0f ? sums->u[c][k] / mass : 0.0f;
            m->mass[c][cell] = mass;
            m->volume[c][cell] = sums->volume[c][k];
        }
        float colour = sums->colour[k];
        m->colour[cell] = m->clear[cell] > 0.05f ? colour / m->clear[cell] : 0.0f;
        m->flows[cell] = sums->flows[k];
        m->p[cell] = colour > 0.0f ? (double)(sums->guess[k] / colour) : 0.0;
    }
}

static void gather_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Transfer *job = user;
    const PxMac *m = job->mac;
    for (uint32_t t = begin; t < end; ++t) {
        Sums sums;
        float reach = reach_of(m, t);
        memset(&sums, 0, sizeof sums);
        for (int k = 0; k < 27 && t > 0; ++k) {
            uint32_t other = m->near[27 * (size_t)t + (size_t)k];
            if (other == 0)
                continue;
            const float off[3] = {(float)(EDGE * (k % 3 - 1)), (float)(EDGE * (k / 3 % 3 - 1)),
                                  (float)(EDGE * (k / 9 - 1))};
            for (uint32_t n = m->first[other]; n < m->first[other + 1]; ++n) {
                const Marker *row = &job->marker[m->row[n]];
                bool near = true;
                Marker p;
                for (int a = 0; a < 3; ++a) {
                    p.x[a] = row->x[a] + off[a];
                    near = near && p.x[a] > -reach && p.x[a] < EDGE + reach;
                }
                if (!near)
                    continue;
                memcpy(p.v, row->v, sizeof p - sizeof p.x);
                add_row(m, t, &p, &sums);
            }
        }
        store_sums(m, t * CELLS, &sums);
    }
}

PxStatus PX_ISA_NAME(px_mac_gather)(PxMac *m, const float *pressure)
{
    PxFluid *f = m->fluid;
    Transfer job = {.mac = m, .before = pressure};
    m->marker = PX_ARENA_ARRAY(f->scratch, float, f->count *(sizeof(Marker) / sizeof(float)));
    if (m->marker == NULL)
        return px_fail(PX_ERR_MEMORY, "pressure: no room for %u particles", f->count);
    job.marker = (Marker *)m->marker;
    px_parallel_for(f->threads, f->count, PX_BLOCK, mark_block, &job);
    px_parallel_for(f->threads, m->tiles, TILES, gather_block, &job);
    return PX_OK;
}

/* ---- back to the particles ------------------------------------------------------------------- */

/* Values of a tile and those around it that its rows read: faces or centres -1 .. 5 along each
 * axis. `change` is the part that counts, and that times the change; `flow` is the same for faces
 * that had a velocity before: the part, that times the velocity, and times their position. */
enum { WIDE = 8, HIGH = 7, VALUES = WIDE * HIGH * HIGH };
typedef struct Patch {
    float change[2][VALUES + WIDE], flow[5][VALUES + WIDE];
} Patch;

static void fill_patch(const PxMac *m, uint32_t tile, int c, Patch *patch)
{
    float per = (float)(1 / m->cell);
    memset(patch, 0, sizeof *patch);
    for (int z = 0; z < HIGH; ++z)
        for (int y = 0; y < HIGH; ++y)
            for (int x = 0; x < HIGH; ++x) {
                uint32_t cell = cell_at(m, tile, x - 1, y - 1, z - 1);
                size_t k = (size_t)(x + WIDE * (y + HIGH * z));
                if (m->known[c][cell] == 0)
                    continue;
                float part = c < 3 ? fmaxf(m->open[c][cell], 0.02f) : 1.0f;
                patch->change[0][k] = part;
                patch->change[1][k] = part * m->d[c][cell];
                if (c == 3 || !(m->mass[c][cell] > 0.0f))
                    continue;
                float at[3] = {(float)x - 0.5f, (float)y - 0.5f, (float)z - 0.5f};
                at[c] -= 0.5f;
                at[(c + 1) % 3] += per * m->centre[c][0][cell];
                at[(c + 2) % 3] += per * m->centre[c][1][cell];
                patch->flow[0][k] = part;
                patch->flow[1][k] = part * m->u[c][cell];
                for (int a = 0; a < 3; ++a)
                    patch->flow[2 + a][k] = part * at[a];
            }
}

PX_INLINE float sum_of(PxF4 v)
{
    return (v[0] + v[1]) + (v[2] + v[3]);
}

/* Interpolation at a row. *noise is the mean of the faces' velocities before the change, less the
 * linear field of the row itself: 0 in linear flows, also where faces are missing on one side. */
static float interpolate(const Patch *patch, const Marker *p, int c, float *noise)
{
    float w[3][4];
    int low[3];
    for (int a = 0; a < 3; ++a) {
        float x = p->x[a] - (a == c ? 0.0f : 0.5f), off;
        low[a] = (int)floorf(x + 0.5f) - 1;
        off = x - (float)(low[a] + 1); /* -1/2 .. 1/2, from the middle of three */
        w[a][0] = 0.5f * (0.5f - off) * (0.5f - off);
        w[a][1] = 0.75f - off * off;
        w[a][2] = 0.5f * (0.5f + off) * (0.5f + off);
        w[a][3] = 0.0f;
    }
    PxF4 zero = px_f4(0.0f), change[2] = {zero, zero}, flow[5] = {zero, zero, zero, zero, zero};
    PxF4 wx = px_f4_load(w[0]);
    for (int z = 0; z < 3; ++z)
        for (int y = 0; y < 3; ++y) {
            size_t k = (size_t)(low[0] + 1 + WIDE * (low[1] + 1 + y + HIGH * (low[2] + 1 + z)));
            PxF4 weight = wx * px_f4(w[1][y] * w[2][z]);
            for (int n = 0; n < 2; ++n)
                change[n] += weight * px_f4_load(patch->change[n] + k);
            for (int n = 0; n < 5 && c < 3; ++n)
                flow[n] += weight * px_f4_load(patch->flow[n] + k);
        }
    float part = sum_of(change[0]);
    if (c < 3) {
        float all = sum_of(flow[0]), over = sum_of(flow[1]) - all * p->v[c];
        for (int a = 0; a < 3; ++a)
            over -= p->g[3 * c + a] * (sum_of(flow[2 + a]) - all * p->x[a]);
        *noise = all > 0.0f ? over / all : 0.0f;
    }
    return part > 0.0f ? sum_of(change[1]) / part : 0.0f;
}

static void return_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Transfer *job = user;
    const PxMac *m = job->mac;
    for (uint32_t t = begin; t < end; ++t)
        for (int c = 0; c < 4 && t > 0 && m->first[t] < m->first[t + 1]; ++c) {
            Patch patch;
            fill_patch(m, t, c, &patch);
            for (uint32_t n = m->first[t]; n < m->first[t + 1]; ++n) {
                uint32_t i = m->row[n];
                float value =
                    interpolate(&patch, &job->marker[i], c, c < 3 ? &m->noise[c][i] : NULL);
                *(c < 3 ? &m->change[c][i] : &job->after[i]) = value;
            }
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
