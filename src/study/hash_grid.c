#include "study/hash_grid.h"

#include "spatial/scan.h"

#include <math.h>
#include <string.h>

/* Largest number of cells that a query visits along an axis, and in total. */
#define MOST_SPAN 8u
#define MOST_CELLS (MOST_SPAN * MOST_SPAN * MOST_SPAN)

/* Largest cell coordinate: points farther out belong to the last cell. The map from coordinate to
 * cell stays monotone, which is all that queries need, and differences of cells do not overflow. */
#define LAST_CELL 0x1p61

void px_hash_init(PxHash *hash, const PxAllocator *allocator)
{
    *hash = (PxHash){.allocator = allocator};
}

static void points_release(PxHash *hash)
{
    size_t bytes = hash->point_room * sizeof(float);
    px_release(hash->allocator, hash->x, bytes);
    px_release(hash->allocator, hash->y, bytes);
    px_release(hash->allocator, hash->z, bytes);
    px_release(hash->allocator, hash->index, bytes);
    hash->x = hash->y = hash->z = NULL;
    hash->index = NULL;
    hash->point_room = 0;
}

static void start_release(PxHash *hash)
{
    px_release(hash->allocator, hash->start, hash->start_room * sizeof *hash->start);
    hash->start = NULL;
    hash->start_room = 0;
}

void px_hash_free(PxHash *hash)
{
    points_release(hash);
    start_release(hash);
    px_hash_init(hash, hash->allocator);
}

size_t px_hash_bytes(const PxHash *hash)
{
    return hash->point_room * (3 * sizeof(float) + sizeof(uint32_t)) +
           hash->start_room * sizeof *hash->start;
}

/* New capacity: `wanted`, or 1.5 times the old one, for counts that grow slowly. */
static size_t larger(size_t wanted, size_t room)
{
    return wanted > room + room / 2 ? wanted : room + room / 2;
}

/* Allocates `count` points and `buckets` buckets; old contents are lost. */
static bool reserve(PxHash *hash, size_t count, size_t buckets)
{
    if (hash->point_room < count + PX_SCAN_WIDTH) {
        size_t room = larger(count + PX_SCAN_WIDTH, hash->point_room);
        points_release(hash);
        hash->point_room = room;
        hash->x = px_allocate(hash->allocator, room * sizeof(float));
        hash->y = px_allocate(hash->allocator, room * sizeof(float));
        hash->z = px_allocate(hash->allocator, room * sizeof(float));
        hash->index = px_allocate(hash->allocator, room * sizeof(uint32_t));
        if (hash->x == NULL || hash->y == NULL || hash->z == NULL || hash->index == NULL) {
            points_release(hash);
            return false;
        }
    }
    if (hash->start_room < buckets + 1) {
        size_t room = larger(buckets + 1, hash->start_room);
        start_release(hash);
        hash->start = px_allocate(hash->allocator, room * sizeof *hash->start);
        if (hash->start == NULL)
            return false;
        hash->start_room = room;
    }
    return true;
}

static bool is_prime(uint32_t n)
{
    for (uint32_t d = 3; (uint64_t)d * d <= n; d += 2)
        if (n % d == 0)
            return false;
    return n % 2 == 1 && n > 1;
}

/* A prime above twice the count, or the largest there is below 2^32. */
static uint32_t bucket_count(uint32_t count)
{
    uint64_t n = 2 * (uint64_t)count + 1;
    while (n < 4294967291u && !is_prime((uint32_t)n))
        n += 2;
    return n < 4294967291u ? (uint32_t)n : 4294967291u;
}

/* floor(v / edge), within bounds. */
static int64_t cell_of(double v, double inverse)
{
    double scaled = v * inverse;
    if (!(scaled < LAST_CELL))
        return (int64_t)LAST_CELL;
    if (scaled <= -LAST_CELL)
        return -(int64_t)LAST_CELL;
    int64_t cell = (int64_t)scaled; /* towards zero */
    return cell - ((double)cell > scaled);
}

/* Eq. 7.2, in its parts: one product an axis, modulo 2^32. Cells a multiple of
 * 2^32 apart collide like any others. */
static const uint32_t prime[3] = {73856093u, 19349663u, 83492791u};

static uint32_t axis_hash(int axis, int64_t cell)
{
    return (uint32_t)(uint64_t)cell * prime[axis];
}

/* The remainder without a division (Lemire, Kaser and Kurz 2019, "Faster
 * remainder by direct computation"): exact for 32 bits. */
static uint32_t bucket_of(const PxHash *hash, uint32_t key)
{
    return (uint32_t)(((unsigned __int128)(hash->magic * key) * hash->buckets) >> 64);
}

PxStatus px_hash_build(PxHash *hash, const float *x, const float *y, const float *z, uint32_t count,
                       float edge, PxArena *scratch)
{
    hash->count = 0;
    if (!(edge > 0.0f) || !isfinite(edge))
        return px_fail(PX_ERR_ARGUMENT, "hash grid: the edge is %g m, must be finite and positive",
                       (double)edge);
    hash->edge = (double)edge;
    hash->inverse = 1.0 / hash->edge;
    if (count == 0)
        return PX_OK;
    hash->buckets = bucket_count(count);
    hash->magic = UINT64_MAX / hash->buckets + 1;

    PxArenaMark mark = px_arena_mark(scratch);
    PxStatus status = PX_OK;
    uint32_t *bucket = PX_ARENA_ARRAY(scratch, uint32_t, count);
    if (bucket == NULL || !reserve(hash, count, hash->buckets)) {
        status = px_fail(PX_ERR_MEMORY, "hash grid: no room for %u points", count);
        goto done;
    }
    /* Counting sort. start[b] counts bucket b, then is its end, and is its begin
     * when its points have been put into place, the last one first. */
    uint32_t *start = hash->start;
    memset(start, 0, ((size_t)hash->buckets + 1) * sizeof *start);
    for (uint32_t i = 0; i < count; ++i) {
        if (!isfinite(x[i]) || !isfinite(y[i]) || !isfinite(z[i])) {
            status = px_fail(PX_ERR_ARGUMENT, "hash grid: point %u is (%g, %g, %g), not finite", i,
                             (double)x[i], (double)y[i], (double)z[i]);
            goto done;
        }
        bucket[i] = bucket_of(hash, axis_hash(0, cell_of((double)x[i], hash->inverse)) ^
                                        axis_hash(1, cell_of((double)y[i], hash->inverse)) ^
                                        axis_hash(2, cell_of((double)z[i], hash->inverse)));
        ++start[bucket[i]];
    }
    uint32_t sum = 0;
    for (uint32_t b = 0; b <= hash->buckets; ++b)
        start[b] = sum += start[b];
    for (uint32_t i = count; i-- > 0;) {
        uint32_t place = --start[bucket[i]];
        hash->x[place] = x[i];
        hash->y[place] = y[i];
        hash->z[place] = z[i];
        hash->index[place] = i;
    }
    for (uint32_t k = 0; k < PX_SCAN_WIDTH; ++k) { /* read, never used */
        hash->x[(size_t)count + k] = hash->y[(size_t)count + k] = hash->z[(size_t)count + k] = 0;
        hash->index[(size_t)count + k] = 0;
    }
    hash->count = count;
done:
    px_arena_release(scratch, mark);
    return status;
}

/* The cells along an axis that a query may find points in. */
typedef struct Span {
    uint32_t count;
    uint32_t key[MOST_SPAN];   /* hash of each */
    double squared[MOST_SPAN]; /* of its distance, rather too small than too large */
} Span;

/* False if there are too many.
 *
 * A point within h has |dx| < h in exact arithmetic too, since rounding is
 * monotone and h a float. Nor do rounded v - h and v + h step over a cell with
 * such a point in it, as cell_of() is monotone as well. */
static bool find_span(const PxHash *hash, int axis, double v, double h, Span *span)
{
    int64_t first = cell_of(v - h, hash->inverse), last = cell_of(v + h, hash->inverse);
    int64_t own = cell_of(v, hash->inverse);
    if (last - first >= (int64_t)MOST_SPAN)
        return false;
    span->count = (uint32_t)(last - first) + 1;
    /* where a cell begins is known to a few roundings of double precision */
    double doubt = 0x1p-48 * (fabs(v) + h + hash->edge);
    for (uint32_t k = 0; k < span->count; ++k) {
        int64_t cell = first + k;
        double away = cell < own   ? v - (double)(cell + 1) * hash->edge
                      : cell > own ? (double)cell * hash->edge - v
                                   : 0;
        away = away > doubt ? away - doubt : 0;
        span->key[k] = axis_hash(axis, cell);
        span->squared[k] = away * away;
    }
    return true;
}

/* Buckets that a query has visited: two of its cells may share one. */
typedef struct Seen {
    uint64_t some; /* bit (bucket mod 64) of each: usually answers alone */
    uint32_t count;
    uint32_t bucket[MOST_CELLS];
} Seen;

static bool seen_before(Seen *seen, uint32_t bucket)
{
    uint64_t bit = (uint64_t)1 << (bucket & 63);
    if (seen->some & bit)
        for (uint32_t k = 0; k < seen->count; ++k)
            if (seen->bucket[k] == bucket)
                return true;
    seen->some |= bit;
    seen->bucket[seen->count++] = bucket;
    return false;
}

uint32_t px_hash_range(const PxHash *hash, float x, float y, float z, float h, uint32_t *out,
                       uint32_t most)
{
    if (hash->count == 0 || !(h > 0.0f) || isnan(x) || isnan(y) || isnan(z))
        return 0;
    float hh = h * h;
    const PxScanPoints points = {hash->x, hash->y, hash->z, hash->index};
    Span sx, sy, sz;
    if (!find_span(hash, 0, (double)x, (double)h, &sx) ||
        !find_span(hash, 1, (double)y, (double)h, &sy) ||
        !find_span(hash, 2, (double)z, (double)h, &sz))
        return px_scan_range(&points, 0, hash->count, x, y, z, hh, out, most, 0);

    /* Squares and sums in float are off by a few 2^-24, or 2^-149 if subnormal. */
    double limit = (double)h * (double)h * (1 + 0x1p-20) + 0x1p-140;
    Seen seen;
    seen.some = 0;
    seen.count = 0;
    uint32_t found = 0;
    for (uint32_t k = 0; k < sz.count; ++k)
        for (uint32_t j = 0; j < sy.count; ++j) {
            double rest = limit - sz.squared[k] - sy.squared[j];
            uint32_t key = sz.key[k] ^ sy.key[j];
            for (uint32_t i = 0; i < sx.count; ++i) {
                if (sx.squared[i] > rest)
                    continue; /* the cell does not meet the ball */
                uint32_t bucket = bucket_of(hash, key ^ sx.key[i]);
                uint32_t begin = hash->start[bucket], end = hash->start[bucket + 1];
                if (begin == end || seen_before(&seen, bucket))
                    continue;
                found = px_scan_range(&points, begin, end, x, y, z, hh, out, most, found);
            }
        }
    return found;
}
