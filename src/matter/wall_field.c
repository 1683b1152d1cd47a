#include "matter/wall_field.h"

#include "base/random.h"
#include "base/stop.h"
#include "matter/kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A block is 4 s wide: 8 cells of s/2 where the wall is smooth, 16 of s/4 where it has edges
 * (error in an edge: 3.4 per cent of the density at s/2, 0.9 at s/4). Cubic interpolation needs
 * one more node on every side. Around the nodes the wall is sampled at half the node distance
 * within the radius of K, h/2 - s/4: at most 14 samples for supports up to 4 s. */
enum {
    LEVELS = 2,
    CELLS_MOST = 16,
    NODES_MOST = CELLS_MOST + 3,
    REACH_MOST = 14,
    FINE_MOST = 2 * (NODES_MOST - 1) + 1 + 2 * REACH_MOST,
};

#define EDGE_SPACINGS 4.0

/* The wall has an edge where its normal turns by more than 15 degrees (this is the cosine) between
 * nodes s/2 apart. Inside a ball of radius 3 s it turns by 14. */
#define EDGE_COSINE 0.966

#define KEY_BITS 21
#define KEY_MIDDLE (1 << (KEY_BITS - 1)) /* blocks from the shape's middle that have a key */

/* Parts nearer than this to 0 or 1 are rounded to it. */
#define PART_NONE 1e-5

typedef struct PxWallBlock {
    double middle_distance; /* distance of the block's centre from the wall */
    int level;              /* FAR: the block has no tables */
    float *equal;           /* distance of a flat wall with the same part, nodes^3 */
    float *distance;        /* corners^3 */
} Block;

enum { FAR = -1 };

/* A sample of K. */
typedef struct Tap {
    int x, y, z; /* in samples */
    int shift;   /* in the array of samples */
    double weight;
} Tap;

typedef struct Slot {
    uint64_t key; /* 0: free */
    Block *block;
} Slot;

/* A resolution level of blocks. */
typedef struct Level {
    int cells, corners, nodes; /* along an edge */
    double step;               /* m between nodes */
    double q;                  /* m between samples, half of that */
    int reach, fine;           /* of K in samples; samples along an edge */
    PX_LIST(Tap) tap;
} Level;

struct PxWallField {
    const PxShape *shape;
    PxShape *own;       /* the same in its own frame, which is freed with the field; or NULL */
    uint64_t digest[2]; /* of that */
    bool inside, plain;
    const PxAllocator *memory;
    const PxWallProfile *profile;
    PxVec3 middle; /* where blocks are counted from */
    double s, h;   /* that the blocks were made for */
    Level level[LEVELS];
    Slot *slot;
    size_t slots, count; /* a power of two; taken */
    size_t bytes;        /* of blocks */
    PX_LIST(uint64_t) missed;
    bool no_room;     /* a missing block could not be noted */
    uint32_t holders; /* besides the first owner */
};

/* ---- blocks by key ------------------------------------------------------ */

static double edge_of(const PxWallField *f)
{
    return EDGE_SPACINGS * f->s;
}

/* Key of the block around a point, and the point in blocks from its low corner; 0 for a
 * point too far away to have one. */
static uint64_t key_of(const PxWallField *f, PxVec3 x, double at[3])
{
    double scale = 1 / edge_of(f);
    const double u[3] = {(x.x - f->middle.x) * scale, (x.y - f->middle.y) * scale,
                         (x.z - f->middle.z) * scale};
    uint64_t key = 1;
    for (int a = 0; a < 3; ++a) {
        double low = floor(u[a]);
        if (!(fabs(low) < KEY_MIDDLE))
            return 0;
        at[a] = u[a] - low;
        key = key << KEY_BITS | (uint64_t)(int64_t)(low + KEY_MIDDLE);
    }
    return key;
}

static PxVec3 low_corner(const PxWallField *f, uint64_t key)
{
    const uint64_t mask = ((uint64_t)1 << KEY_BITS) - 1;
    double edge = edge_of(f);
    return px_vec(f->middle.x + edge * ((double)(key >> 2 * KEY_BITS & mask) - KEY_MIDDLE),
                  f->middle.y + edge * ((double)(key >> KEY_BITS & mask) - KEY_MIDDLE),
                  f->middle.z + edge * ((double)(key & mask) - KEY_MIDDLE));
}

static Slot *slot_of(Slot *slot, size_t slots, uint64_t key)
{
    size_t k = px_mix(key) & (slots - 1);
    while (slot[k].key != 0 && slot[k].key != key)
        k = (k + 1) & (slots - 1);
    return &slot[k];
}

static PxStatus make_room(PxWallField *f, size_t extra)
{
    size_t slots = f->slots > 0 ? f->slots : 64;
    while (slots < 2 * (f->count + extra))
        slots *= 2;
    if (slots == f->slots)
        return PX_OK;
    Slot *slot = px_allocate(f->memory, slots * sizeof *slot);
    if (slot == NULL)
        return px_fail(PX_ERR_MEMORY, "walls: no room for %zu blocks of a wall's field",
                       f->count + extra);
    memset(slot, 0, slots * sizeof *slot);
    for (size_t k = 0; k < f->slots; ++k)
        if (f->slot[k].key != 0)
            *slot_of(slot, slots, f->slot[k].key) = f->slot[k];
    px_release(f->memory, f->slot, f->slots * sizeof *f->slot);
    f->slot = slot;
    f->slots = slots;
    return PX_OK;
}

static size_t block_bytes(const PxWallField *f, int level)
{
    if (level == FAR)
        return sizeof(Block);
    size_t nodes = (size_t)f->level[level].nodes, corners = (size_t)f->level[level].corners;
    return sizeof(Block) + (nodes * nodes * nodes + corners * corners * corners) * sizeof(float);
}

static Block *block_make(PxWallField *f, int level)
{
    Block *block = px_allocate(f->memory, block_bytes(f, level));
    if (block == NULL)
        return NULL;
    *block = (Block){.level = level};
    if (level != FAR) {
        size_t nodes = (size_t)f->level[level].nodes;
        block->equal = (float *)(block + 1);
        block->distance = block->equal + nodes * nodes * nodes;
    }
    f->bytes += block_bytes(f, level);
    return block;
}

static void block_free(PxWallField *f, Block *block)
{
    f->bytes -= block_bytes(f, block->level);
    px_release(f->memory, block, block_bytes(f, block->level));
}

static void forget(PxWallField *f)
{
    for (size_t k = 0; k < f->slots; ++k)
        if (f->slot[k].key != 0)
            block_free(f, f->slot[k].block);
    px_release(f->memory, f->slot, f->slots * sizeof *f->slot);
    f->slot = NULL;
    f->slots = f->count = 0;
}

/* ---- making a block ----------------------------------------------------- */

/* K(r) from part(d): the part of a half space is the integral of K over all its planes, so the
 * integral over one plane is -part'(d), and K = -plane'(r) / (2 pi r). */
static double plane_integral(const PxWallProfile *t, double u)
{
    double part, ahead, behind;
    px_wall_profile_part(t, 0.25 * t->s + u, &part, &ahead);
    px_wall_profile_part(t, 0.25 * t->s - u, &part, &behind);
    return -0.5 * (ahead + behind);
}

static double round_kernel(const PxWallProfile *t, double r)
{
    double step = 0.02 * t->s;
    r = fmax(r, 2 * step); /* flat there */
    double slope = (plane_integral(t, r + step) - plane_integral(t, r - step)) / (2 * step);
    return fmax(-slope / (2 * PX_PI * r), 0);
}

static PxStatus make_level(const PxWallField *f, int cells, Level *l)
{
    double radius = 0.5 * f->h - 0.25 * f->s, sum = 0;
    l->cells = cells;
    l->corners = cells + 1;
    l->nodes = cells + 3;
    l->step = edge_of(f) / cells;
    l->q = 0.5 * l->step;
    l->reach = (int)ceil(radius / l->q);
    l->reach = l->reach < REACH_MOST ? l->reach : REACH_MOST;
    l->fine = 2 * (l->nodes - 1) + 1 + 2 * l->reach;
    int n = l->reach;
    size_t wide = 2 * (size_t)n + 1;
    l->tap.count = 0;
    if (!PX_LIST_RESERVE(&l->tap, wide * wide * wide))
        return px_fail(PX_ERR_MEMORY, "walls: no room for the samples of a kernel");
    for (int z = -n; z <= n; ++z)
        for (int y = -n; y <= n; ++y)
            for (int x = -n; x <= n; ++x) {
                double weight = round_kernel(f->profile, l->q * sqrt(x * x + y * y + z * z));
                if (!(weight > 0))
                    continue;
                l->tap.data[l->tap.count++] =
                    (Tap){x, y, z, (z * l->fine + y) * l->fine + x, weight};
                sum += weight;
            }
    for (size_t k = 0; k < l->tap.count; ++k)
        l->tap.data[k].weight /= sum;
    return PX_OK;
}

/* Fraction of the sample at signed distance d that the wall, thickened by s/4, fills. */
static double filled(double d, double s, double q)
{
    double part = 0.5 - (d - 0.25 * s) / q;
    return part < 0 ? 0 : part > 1 ? 1 : part;
}

typedef struct Making {
    const PxWallField *field;
    const Level *level;
    PxVec3 low; /* of the block */
    /* Signed distance of every other sample; how much of each sample is wall. */
    float signed_distance[FINE_MOST * FINE_MOST * FINE_MOST];
    float wall[FINE_MOST * FINE_MOST * FINE_MOST];
    PxVec3 away[NODES_MOST * NODES_MOST * NODES_MOST]; /* the wall's normal, as each node sees it */
} Making;

static PxVec3 sample_place(const Making *m, int x, int y, int z)
{
    /* node 0 is one cell before the block */
    double first = -(2 + m->level->reach), q = m->level->q;
    return px_vec(m->low.x + (first + x) * q, m->low.y + (first + y) * q,
                  m->low.z + (first + z) * q);
}

static bool in_wall(const PxWallField *f, PxVec3 x)
{
    return px_shape_inside(f->shape, x) != f->inside;
}

/* Bounds of a sample's distance from samples measured before it. Distances change by at most the
 * distance between two samples; and if the sum of their distances exceeds it, no surface lies
 * between them and they are on the same side. */
typedef struct Known {
    double least, most; /* distance without sign */
    double before[3];   /* distances of those before it, 0 if there is none */
} Known;

static Known known_at(const Making *m, int x, int y, int z, double step)
{
    int n = m->level->fine, start = m->level->reach % 2, k = (z * n + y) * n + x;
    const int back[3] = {2, 2 * n, 2 * n * n}, at[3] = {x, y, z};
    Known known = {0, INFINITY, {0, 0, 0}};
    for (int a = 0; a < 3; ++a) {
        if (at[a] == start)
            continue;
        known.before[a] = (double)m->signed_distance[k - back[a]];
        double d = fabs(known.before[a]);
        known.least = fmax(known.least, d - step);
        if (d < m->field->h) /* others are lower bounds themselves */
            known.most = fmin(known.most, d + step);
    }
    return known;
}

/* Measures every other sample, including the nodes; beyond h a lower bound is enough. */
static void measure_coarse(Making *m)
{
    const PxWallField *f = m->field;
    const Level *l = m->level;
    int n = l->fine, start = l->reach % 2;
    double step = l->step * (1 + 1e-6);
    for (int z = start; z < n; z += 2)
        for (int y = start; y < n; y += 2)
            for (int x = start; x < n; x += 2) {
                Known known = known_at(m, x, y, z, step);
                PxVec3 place = sample_place(m, x, y, z), away = {0, 0, 0};
                double d = known.least;
                if (d < f->h)
                    d = px_shape_nearest(f->shape, place, known.most, &away);
                int side = 0;
                for (int a = 0; a < 3 && side == 0; ++a)
                    if (fabs(known.before[a]) + d > step)
                        side = known.before[a] < 0 ? -1 : known.before[a] > 0 ? 1 : 0;
                if (side == 0)
                    side = in_wall(f, place) ? -1 : 1;
                m->signed_distance[(z * n + y) * n + x] = (float)(side * d);
                int at[3] = {x - l->reach, y - l->reach, z - l->reach};
                bool node = true;
                for (int a = 0; a < 3; ++a)
                    node = node && at[a] >= 0 && at[a] / 2 < l->nodes;
                if (node)
                    m->away[(at[2] / 2 * l->nodes + at[1] / 2) * l->nodes + at[0] / 2] =
                        px_scale(away, side);
            }
}

/* The measured sample next to sample k along an axis. */
static int to_coarse(int k, int start)
{
    return k < start ? start : k - (k - start) % 2;
}

/* Interpolates the signed distance at a sample where the measured ones around it have a gradient
 * of length 1, as near a smooth face; across an edge it is shorter, by 1 per cent at 15 degrees.
 * False where it is shorter, or where distances are only bounds. */
static bool interpolated(const Making *m, int x, int y, int z, double *d)
{
    const Level *l = m->level;
    int n = l->fine, start = l->reach % 2, cells = (n - 1 - start) / 2, first = 0, row = 1;
    const int at[3] = {x, y, z};
    double t[3], c[8], g[3] = {0, 0, 0};
    for (int a = 0; a < 3; ++a, row *= n) {
        int cell = at[a] < start ? 0 : (at[a] - start) / 2;
        cell = cell < cells ? cell : cells - 1;
        t[a] = 0.5 * (at[a] - start - 2 * cell);
        first += (start + 2 * cell) * row;
    }
    for (int k = 0; k < 8; ++k) {
        c[k] =
            (double)m->signed_distance[first + 2 * ((k & 1) + (k >> 1 & 1) * n + (k >> 2) * n * n)];
        if (!(fabs(c[k]) < m->field->h))
            return false;
        for (int a = 0; a < 3; ++a)
            g[a] += (k >> a & 1) ? c[k] : -c[k];
    }
    double steep = 4 * l->step;
    if (g[0] * g[0] + g[1] * g[1] + g[2] * g[2] < 0.98 * steep * steep)
        return false;
    for (int a = 0; a < 3; ++a)
        for (int k = 0; k < 4 >> a; ++k)
            c[k] = c[2 * k] + t[a] * (c[2 * k + 1] - c[2 * k]);
    *d = c[0];
    return true;
}

/* Fraction of each sample that is wall. It is known where the nearest measured sample is far from
 * the surface, and interpolated beside a smooth face; elsewhere the sample is measured too. */
static void measure_fine(Making *m)
{
    const PxWallField *f = m->field;
    int n = m->level->fine, start = m->level->reach % 2;
    double s = f->s, q = m->level->q;
    for (int z = 0; z < n; ++z)
        for (int y = 0; y < n; ++y)
            for (int x = 0; x < n; ++x) {
                int k = (z * n + y) * n + x;
                int cx = to_coarse(x, start), cy = to_coarse(y, start), cz = to_coarse(z, start);
                double d = (double)m->signed_distance[(cz * n + cy) * n + cx];
                int dx = x - cx, dy = y - cy, dz = z - cz;
                double apart = q * sqrt(dx * dx + dy * dy + dz * dz) * (1 + 1e-6);
                if (apart > 0 && fabs(d) - apart < 0.25 * s + 0.5 * q &&
                    !interpolated(m, x, y, z, &d)) {
                    PxVec3 place = sample_place(m, x, y, z);
                    double u = px_shape_nearest(f->shape, place, fabs(d) + apart, NULL);
                    if (u < 0.25 * s - 0.5 * q) /* wall on either side of the surface */
                        d = -u;
                    else if (fabs(d) + u > apart)
                        d = copysign(u, d);
                    else
                        d = in_wall(f, place) ? -u : u;
                }
                if (fabs(d) < 0.25 * s - 0.5 * q)
                    d = -fabs(d);
                m->wall[k] = (float)filled(d, s, q);
            }
}

/* The distance at which a flat wall has that part. */
static double equal_distance(const PxWallProfile *t, double part)
{
    double low = t->low, high = 0.5 * t->h;
    for (int k = 0; k < 40; ++k) {
        double middle = 0.5 * (low + high), value, slope;
        px_wall_profile_part(t, middle, &value, &slope);
        if (value > part)
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}

/* Is the wall flat within the radius of K around sample k? Tests whether the measured distances
 * are those from a plane. */
static bool is_flat(const Making *m, int at, int k)
{
    int n = m->level->fine, e = m->level->reach / 2 * 2;
    double d = (double)m->signed_distance[k];
    PxVec3 normal = px_scale(m->away[at], e * m->level->q);
    for (int z = -1; z <= 1; ++z)
        for (int y = -1; y <= 1; ++y)
            for (int x = -1; x <= 1; ++x) {
                double plane = d + normal.x * x + normal.y * y + normal.z * z;
                double there = (double)m->signed_distance[k + e * ((z * n + y) * n + x)];
                if (!(fabs(there - plane) < 0.002 * m->field->s))
                    return false;
            }
    return true;
}

/* Value of node `at`, sample k: the part of a flat wall at that distance, plus the difference of
 * the sampled sums over K of the wall and the flat one. Sampling errors cancel, so that a flat
 * wall is exact. */
static double node_value(const Making *m, int at, int k)
{
    const PxWallField *f = m->field;
    const Level *l = m->level;
    double d = (double)m->signed_distance[k], s = f->s, q = l->q, part, slope;
    double full = 0.5 * s - 0.5 * f->h; /* deeper than this all is wall */
    if (d >= 0.5 * f->h || d <= full || is_flat(m, at, k))
        return d;
    PxVec3 n = px_scale(m->away[at], q);
    double more = 0;
    for (size_t t = 0; t < l->tap.count; ++t) {
        const Tap *tap = &l->tap.data[t];
        double flat = filled(d + n.x * tap->x + n.y * tap->y + n.z * tap->z, s, q);
        more += tap->weight * ((double)m->wall[k + tap->shift] - flat);
    }
    px_wall_profile_part(f->profile, d, &part, &slope);
    part += more;
    if (part <= PART_NONE)
        return fmax(d, 0.5 * f->h);
    if (part >= 1 - PART_NONE)
        return fmin(d, full);
    return equal_distance(f->profile, part);
}

/* The sample that is a node. */
static int node_sample(const Level *l, int x, int y, int z)
{
    return ((z * 2 + l->reach) * l->fine + y * 2 + l->reach) * l->fine + x * 2 + l->reach;
}

static void make_block(Making *m, Block *block)
{
    const Level *l = m->level;
    measure_coarse(m);
    if (!m->field->plain)
        measure_fine(m);
    for (int z = 0; z < l->nodes; ++z)
        for (int y = 0; y < l->nodes; ++y)
            for (int x = 0; x < l->nodes; ++x) {
                int at = (z * l->nodes + y) * l->nodes + x, k = node_sample(l, x, y, z);
                block->equal[at] =
                    m->field->plain ? m->signed_distance[k] : (float)node_value(m, at, k);
                if (x > 0 && y > 0 && z > 0 && x <= l->corners && y <= l->corners &&
                    z <= l->corners)
                    block->distance[((z - 1) * l->corners + y - 1) * l->corners + x - 1] =
                        m->signed_distance[k];
            }
}

/* Does the wall's normal turn sharply between nodes within its range? */
static bool has_edges(const Making *m)
{
    const Level *l = m->level;
    const int next[3] = {1, l->nodes, l->nodes * l->nodes};
    double low = 0.5 * m->field->s - 0.5 * m->field->h, high = 0.5 * m->field->h;
    for (int z = 0; z < l->nodes; ++z)
        for (int y = 0; y < l->nodes; ++y)
            for (int x = 0; x < l->nodes; ++x) {
                int at = (z * l->nodes + y) * l->nodes + x, k = node_sample(l, x, y, z);
                const int place[3] = {x, y, z};
                double d = (double)m->signed_distance[k];
                for (int a = 0; a < 3 && d > low && d < high; ++a) {
                    if (place[a] == l->nodes - 1)
                        continue;
                    double e = (double)m->signed_distance[node_sample(l, x + (a == 0), y + (a == 1),
                                                                      z + (a == 2))];
                    if (e > low && e < high &&
                        px_dot(m->away[at], m->away[at + next[a]]) < EDGE_COSINE)
                        return true;
                }
            }
    return false;
}

typedef struct Growth {
    PxWallField *field;
    Block **block;
    uint64_t *key;
    bool *edges;    /* the block has edges and is recomputed at the finer level */
    Making *making; /* one a thread */
    const PxThreads *threads;
} Growth;

static double far_from(const PxWallField *f)
{
    return 0.5 * sqrt(3.0) * edge_of(f) + f->h;
}

static void look_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Growth *g = user;
    const PxWallField *f = g->field;
    for (uint32_t k = begin; k < end && !px_stopped(g->threads); ++k) {
        double half = 0.5 * edge_of(f);
        PxVec3 middle = px_add(low_corner(f, g->key[k]), px_vec(half, half, half));
        double d = px_shape_nearest(f->shape, middle, INFINITY, NULL);
        g->block[k]->middle_distance = in_wall(f, middle) ? -d : d;
    }
}

static void grow_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    const Growth *g = user;
    Making *m = &g->making[thread];
    m->field = g->field;
    for (uint32_t k = begin; k < end && !px_stopped(g->threads); ++k) {
        Block *block = g->block[k];
        if (block->level == FAR)
            continue;
        m->low = low_corner(g->field, g->key[k]);
        m->level = &g->field->level[block->level];
        make_block(m, block);
        g->edges[k] = block->level + 1 < LEVELS && !m->field->plain && has_edges(m);
    }
}

PxStatus px_wall_field_grow(PxWallField *f, const uint64_t *key, size_t count,
                            const PxThreads *threads)
{
    PX_TRY(make_room(f, count));
    PxStatus status = PX_ERR_MEMORY;
    size_t making_bytes = (size_t)threads->count * sizeof(Making), fresh = 0;
    Growth g = {.field = f,
                .threads = threads,
                .block = malloc(count * sizeof *g.block),
                .key = malloc(count * sizeof *g.key),
                .edges = malloc(count * sizeof *g.edges),
                .making = px_allocate(NULL, making_bytes)};
    if (g.block == NULL || g.key == NULL || g.edges == NULL || g.making == NULL)
        goto done;
    for (size_t k = 0; k < count; ++k) {
        Slot *slot = slot_of(f->slot, f->slots, key[k]);
        if (slot->key != 0)
            continue;
        Block *block = block_make(f, FAR);
        if (block == NULL)
            goto done;
        *slot = (Slot){key[k], block};
        ++f->count;
        g.block[fresh] = block;
        g.key[fresh++] = key[k];
    }
    px_parallel_for(threads, (uint32_t)fresh, 1, look_block, &g);
    for (int level = 0; level < LEVELS && fresh > 0 && !px_stopped(threads); ++level) {
        size_t kept = 0;
        for (size_t k = 0; k < fresh; ++k) {
            if (level == 0 ? fabs(g.block[k]->middle_distance) >= far_from(f) : !g.edges[k])
                continue;
            Block *block = block_make(f, level);
            if (block == NULL)
                goto done;
            block->middle_distance = g.block[k]->middle_distance;
            slot_of(f->slot, f->slots, g.key[k])->block = block;
            block_free(f, g.block[k]);
            g.block[kept] = block;
            g.key[kept++] = g.key[k];
        }
        fresh = kept;
        px_parallel_for(threads, (uint32_t)fresh, 1, grow_block, &g);
    }
    status = px_stopped(threads) ? PX_ERR_STOPPED : PX_OK;
done:
    free(g.block);
    free(g.key);
    free(g.edges);
    px_release(NULL, g.making, making_bytes);
    if (status == PX_OK)
        return PX_OK;
    forget(f); /* drops incomplete blocks */
    if (status == PX_ERR_STOPPED)
        return px_stop_check(threads);
    return px_fail(status, "walls: no room for %zu blocks of a wall's field", count);
}

void px_wall_field_miss(PxWallField *f, uint64_t key)
{
    px_join_begin();
    if (PX_LIST_RESERVE(&f->missed, 1))
        f->missed.data[f->missed.count++] = key;
    else
        f->no_room = true;
    px_join_end();
}

PxStatus px_wall_field_grow_missed(PxWallField *f, const PxThreads *threads, bool *any)
{
    size_t count = f->missed.count;
    bool no_room = f->no_room;
    f->missed.count = 0;
    f->no_room = false;
    if (no_room)
        return px_fail(PX_ERR_MEMORY, "walls: no room for a list of blocks");
    if (count == 0)
        return PX_OK;
    *any = true;
    return px_wall_field_grow(f, f->missed.data, count, threads);
}

/* ---- asking ------------------------------------------------------------- */

/* Catmull and Rom (1974): interpolates the nodes with a continuous slope. */
static void cubic(double t, double weight[4], double slope[4])
{
    double t2 = t * t, t3 = t2 * t;
    weight[0] = 0.5 * (-t + 2 * t2 - t3);
    weight[1] = 0.5 * (2 - 5 * t2 + 3 * t3);
    weight[2] = 0.5 * (t + 4 * t2 - 3 * t3);
    weight[3] = 0.5 * (-t2 + t3);
    slope[0] = 0.5 * (-1 + 4 * t - 3 * t2);
    slope[1] = 0.5 * (-10 * t + 9 * t2);
    slope[2] = 0.5 * (1 + 8 * t - 9 * t2);
    slope[3] = 0.5 * (-2 * t + 3 * t2);
}

static double linear(const float *corner, int corners, const double t[3])
{
    double plane[2];
    for (int z = 0; z < 2; ++z) {
        const float *c = corner + z * corners * corners;
        double low = (double)c[0] + t[0] * (double)(c[1] - c[0]);
        double high = (double)c[corners] + t[0] * (double)(c[corners + 1] - c[corners]);
        plane[z] = low + t[1] * (high - low);
    }
    return plane[0] + t[2] * (plane[1] - plane[0]);
}

static void felt_flat(const PxWallField *f, double distance, PxVec3 normal, PxFill *out)
{
    double slope;
    out->distance = distance;
    px_wall_profile_part(f->profile, distance, &out->part, &slope);
    out->gradient = px_scale(normal, slope);
}

/* The cell of the block's grid around a point, and the point's place in it. */
static double distance_in_block(const PxWallField *f, const Block *block, const double at[3],
                                int cell[3], double t[3])
{
    const Level *l = &f->level[block->level];
    for (int a = 0; a < 3; ++a) {
        double place = at[a] * l->cells;
        cell[a] = place < l->cells ? (int)place : l->cells - 1;
        t[a] = place - cell[a];
    }
    return linear(block->distance + (cell[2] * l->corners + cell[1]) * l->corners + cell[0],
                  l->corners, t);
}

static void felt_in_block(const PxWallField *f, const Block *block, const double at[3], PxFill *out)
{
    const Level *l = &f->level[block->level];
    int cell[3];
    double t[3], weight[3][4], slope[3][4];
    out->distance = distance_in_block(f, block, at, cell, t);
    out->part = 0;
    out->gradient = px_vec(0, 0, 0);
    if (out->distance >=
        0.75 * f->h) /* the wall is not nearer than h/2: see px_boundary_lower_bound() */
        return;
    for (int a = 0; a < 3; ++a)
        cubic(t[a], weight[a], slope[a]);
    double value = 0, gx = 0, gy = 0, gz = 0;
    for (int z = 0; z < 4; ++z) {
        double plane = 0, plane_x = 0, plane_y = 0;
        for (int y = 0; y < 4; ++y) {
            const float *row =
                block->equal + ((cell[2] + z) * l->nodes + cell[1] + y) * l->nodes + cell[0];
            double line = 0, line_x = 0;
            for (int x = 0; x < 4; ++x) {
                line += weight[0][x] * (double)row[x];
                line_x += slope[0][x] * (double)row[x];
            }
            plane += weight[1][y] * line;
            plane_x += weight[1][y] * line_x;
            plane_y += slope[1][y] * line;
        }
        value += weight[2][z] * plane;
        gx += weight[2][z] * plane_x;
        gy += weight[2][z] * plane_y;
        gz += slope[2][z] * plane;
    }
    double steep;
    px_wall_profile_part(f->profile, value, &out->part, &steep);
    out->gradient = px_scale(px_vec(gx, gy, gz), steep / l->step);
}

/* Finds the block of a key for `look`; false if it has not been computed. */
static bool look_up(const PxWallField *f, uint64_t key, PxWallLook *look)
{
    if (look->key != key || look->block == NULL) {
        look->key = key;
        look->block = f->slots > 0 ? slot_of(f->slot, f->slots, key)->block : NULL;
    }
    return look->block != NULL;
}

/* Distance in a block far from the wall. */
static double far_distance(const PxWallField *f, const Block *block, const double at[3])
{
    double x = at[0] - 0.5, y = at[1] - 0.5, z = at[2] - 0.5;
    double away = edge_of(f) * sqrt(x * x + y * y + z * z), d = block->middle_distance;
    return d < 0 ? d + away : d - away;
}

/* Distance of a point outside of all blocks, a million blocks away. */
static double exact_distance(const PxWallField *f, PxVec3 rest, PxVec3 *normal)
{
    double side = f->inside ? -1 : 1, d = px_shape_distance(f->shape, rest, normal);
    *normal = px_scale(*normal, side);
    return side * d;
}

bool px_wall_field_ask(const PxWallField *f, PxVec3 rest, PxWallLook *look, PxFill *out)
{
    double at[3];
    uint64_t key = key_of(f, rest, at);
    if (key == 0) { /* treated as flat */
        PxVec3 normal;
        double d = exact_distance(f, rest, &normal);
        felt_flat(f, d, normal, out);
        return true;
    }
    if (!look_up(f, key, look))
        return false;
    if (look->block->level != FAR)
        felt_in_block(f, look->block, at, out);
    else
        felt_flat(f, far_distance(f, look->block, at), px_vec(0, 0, 0), out);
    return true;
}

void px_wall_field_fetch(const PxWallField *f, PxVec3 rest, PxWallLook *look)
{
    double at[3];
    uint64_t key = key_of(f, rest, at);
    if (key == 0 || !look_up(f, key, look) || look->block->level == FAR)
        return;
    const Level *l = &f->level[look->block->level];
    int cell[3];
    for (int a = 0; a < 3; ++a)
        cell[a] = at[a] < 1 ? (int)(at[a] * l->cells) : l->cells - 1;
    for (int z = 0; z < 2; ++z)
        for (int y = 0; y < 2; ++y)
            __builtin_prefetch(look->block->distance +
                               ((cell[2] + z) * l->corners + cell[1] + y) * l->corners + cell[0]);
    for (int z = 0; z < 4; ++z)
        for (int y = 0; y < 4; ++y)
            __builtin_prefetch(look->block->equal +
                               ((cell[2] + z) * l->nodes + cell[1] + y) * l->nodes + cell[0]);
}

bool px_wall_field_distance(const PxWallField *f, PxVec3 rest, PxWallLook *look, double *out)
{
    double at[3], t[3];
    int cell[3];
    uint64_t key = key_of(f, rest, at);
    PxVec3 normal;
    if (key == 0) {
        *out = exact_distance(f, rest, &normal);
        return true;
    }
    if (!look_up(f, key, look))
        return false;
    *out = look->block->level != FAR ? distance_in_block(f, look->block, at, cell, t)
                                     : far_distance(f, look->block, at);
    return true;
}

/* ---- life --------------------------------------------------------------- */

PxStatus px_wall_field_create(const PxShape *shape, bool inside, bool plain,
                              const PxAllocator *memory, PxWallField **out)
{
    *out = NULL;
    PxWallField *f = calloc(1, sizeof *f);
    if (f == NULL)
        return px_fail(PX_ERR_MEMORY, "walls: no room for a wall's field");
    f->shape = shape;
    f->inside = inside;
    f->plain = plain;
    f->memory = memory;
    PxBounds b = px_shape_bounds(shape);
    f->middle = px_scale(px_add(b.low, b.high), 0.5);
    *out = f;
    return PX_OK;
}

PxStatus px_wall_field_create_own(PxShape *shape, bool inside, bool plain,
                                  const PxAllocator *memory, PxWallField **out)
{
    PxShape *own;
    *out = NULL;
    PX_TRY(px_shape_own(shape, &own));
    PxStatus status = px_wall_field_create(own, inside, plain, memory, out);
    if (status != PX_OK) {
        px_shape_free(own);
        return status;
    }
    (*out)->own = own;
    px_shape_digest(own, (*out)->digest);
    return PX_OK;
}

bool px_wall_field_is_own(const PxWallField *f, const uint64_t digest[2], bool inside, bool plain)
{
    return f != NULL && f->own != NULL && f->digest[0] == digest[0] && f->digest[1] == digest[1] &&
           f->inside == inside && f->plain == plain;
}

void px_wall_field_hold(PxWallField *f)
{
    if (f != NULL)
        ++f->holders;
}

void px_wall_field_free(PxWallField *f)
{
    if (f == NULL)
        return;
    if (f->holders > 0) {
        --f->holders;
        return;
    }
    forget(f);
    for (int k = 0; k < LEVELS; ++k)
        PX_LIST_FREE(&f->level[k].tap);
    PX_LIST_FREE(&f->missed);
    px_shape_free(f->own);
    free(f);
}

size_t px_wall_field_bytes(const PxWallField *f)
{
    if (f == NULL)
        return 0;
    return sizeof *f + f->slots * sizeof *f->slot + f->bytes;
}

PxStatus px_wall_field_fit(PxWallField *f, const PxWallProfile *profile)
{
    f->profile = profile;
    if (f->h == profile->h && f->s == profile->s)
        return PX_OK;
    forget(f);
    f->h = profile->h;
    f->s = profile->s;
    PxStatus status = PX_OK;
    for (int k = 0; k < LEVELS && status == PX_OK; ++k)
        status = make_level(f, CELLS_MOST >> (LEVELS - 1 - k), &f->level[k]);
    if (status != PX_OK)
        f->h = 0; /* try again next time */
    return status;
}
