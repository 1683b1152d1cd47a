/// Which particles make one piece: splitting and merging (000 section 6.6.5).
///
/// The document floods over surfels, then asks which particles are inside which set. Here the
/// particles decide, by the same field that the surfels follow, and every surfel belongs to the
/// particle that has most of the field where it is: a hollow inside a piece is then no piece of its
/// own, and a surfel on a sharp tip is not lost because its normal is like nobody's.
///
/// Split: of a part, those particles stay together which are nearer than PX_COAT_LINK to each other
/// or have the field at least at `least` in the middle between them.
/// Merged: when a particle is inside the surface of another part, that is, where the other part's
/// field alone is above the level.
#include "surface/coat/inner.h"

#include <string.h>

static uint32_t root_of(uint32_t *up, uint32_t i)
{
    while (up[i] != i)
        i = up[i] = up[up[i]];
    return i;
}

/* The lower number becomes the root: the result does not depend on the order. */
static void join(uint32_t *up, uint32_t a, uint32_t b)
{
    a = root_of(up, a);
    b = root_of(up, b);
    if (a < b)
        up[b] = a;
    else
        up[a] = b;
}

static float square_between(const PxCoatField *f, uint32_t i, uint32_t j)
{
    float x = f->x[i] - f->x[j], y = f->y[i] - f->y[j], z = f->z[i] - f->z[j];
    return x * x + y * y + z * z;
}

/* New particles become part of what they are next to, the rest parts of their own: `was` is a
 * number for everybody afterwards. */
static PxStatus settle_new(PxCoatField *f)
{
    const PxPairs *pairs = &f->coat->particle_pairs;
    uint32_t *up, *best, fresh = 0;
    float *nearest;
    for (uint32_t i = 0; i < f->count; ++i)
        fresh += f->was[i] == PX_COAT_NONE;
    if (fresh == 0)
        return PX_OK;
    if (!PX_COAT_TAKE(f->in, up, (size_t)f->count + 1) ||
        !PX_COAT_TAKE(f->in, best, (size_t)f->count + 1) ||
        !PX_COAT_TAKE(f->in, nearest, (size_t)f->count + 1))
        return px_coat_no_room(f->count);
    for (uint32_t i = 0; i < f->count; ++i) {
        up[i] = i;
        best[i] = PX_COAT_NONE;
        nearest[i] = PX_COAT_LINK * PX_COAT_LINK;
    }
    for (uint32_t i = 0; i < f->count; ++i) {
        if (f->was[i] != PX_COAT_NONE)
            continue;
        for (uint32_t e = 0; e < pairs->size[i]; ++e) {
            uint32_t j = pairs->row[pairs->start[i] + e];
            if (f->was[j] == PX_COAT_NONE && square_between(f, i, j) < PX_COAT_LINK * PX_COAT_LINK)
                join(up, i, j);
        }
    }
    for (uint32_t i = 0; i < f->count; ++i) {
        if (f->was[i] != PX_COAT_NONE)
            continue;
        uint32_t root = root_of(up, i);
        for (uint32_t e = 0; e < pairs->size[i]; ++e) {
            uint32_t j = pairs->row[pairs->start[i] + e];
            float square = square_between(f, i, j);
            if (f->was[j] != PX_COAT_NONE && square < nearest[root]) {
                nearest[root] = square;
                best[root] = f->was[j];
            }
        }
    }
    uint32_t next = f->old_labels;
    for (uint32_t i = 0; i < f->count; ++i) /* a root comes before all others of its kind */
        if (f->was[i] == PX_COAT_NONE && root_of(up, i) == i && best[i] == PX_COAT_NONE)
            best[i] = next++;
    for (uint32_t i = 0; i < f->count; ++i)
        if (f->was[i] == PX_COAT_NONE)
            f->was[i] = best[root_of(up, i)];
    return PX_OK;
}

/* Pieces of what was one part. `one` has room for every number of a part. */
static void split(const PxCoatField *f, uint32_t *up, uint32_t *one)
{
    const PxPairs *pairs = &f->coat->particle_pairs;
    for (uint32_t i = 0; i < f->count; ++i)
        for (uint32_t e = 0; e < pairs->size[i]; ++e) {
            uint32_t j = pairs->row[pairs->start[i] + e];
            if (j >= i)
                break; /* lists ascend */
            if (f->was[i] == f->was[j] && square_between(f, i, j) < PX_COAT_LINK * PX_COAT_LINK)
                join(up, i, j);
        }
    /* Whoever is in one piece with all of its part has nobody left to ask about. */
    for (uint32_t i = 0; i < f->count; ++i)
        one[f->was[i]] = PX_COAT_NONE;
    for (uint32_t i = 0; i < f->count; ++i) {
        uint32_t *root = &one[f->was[i]];
        *root = *root == PX_COAT_NONE || *root == root_of(up, i) ? root_of(up, i) : PX_COAT_ANY;
    }
    for (uint32_t i = 0; i < f->count; ++i)
        for (uint32_t e = 0; e < pairs->size[i]; ++e) {
            uint32_t j = pairs->row[pairs->start[i] + e];
            if (one[f->was[i]] != PX_COAT_ANY)
                break;
            if (j >= i || f->was[i] != f->was[j] || root_of(up, i) == root_of(up, j))
                continue;
            const float middle[3] = {0.5f * (f->x[i] + f->x[j]), 0.5f * (f->y[i] + f->y[j]),
                                     0.5f * (f->z[i] + f->z[j])};
            if (px_coat_field_at(f, middle, f->was[i]) >= f->coat->least)
                join(up, i, j);
        }
}

/* Whether particle i is inside the surface of the part whose root is that. */
static bool inside(const PxCoatField *f, uint32_t i, const uint32_t *root, uint32_t other)
{
    const PxPairs *pairs = &f->coat->particle_pairs;
    const float per = 1.0f / (PX_COAT_H * PX_COAT_H);
    float sum = 0.0f;
    for (uint32_t e = 0; e < pairs->size[i]; ++e) {
        uint32_t j = pairs->row[pairs->start[i] + e];
        float t = 1.0f - square_between(f, i, j) * per;
        if (t > 0.0f && root[j] == other)
            sum += f->weight[j] * t * t * t;
    }
    return sum > f->coat->level;
}

static void merge(const PxCoatField *f, const uint32_t *root, uint32_t *up)
{
    const PxPairs *pairs = &f->coat->particle_pairs;
    for (uint32_t i = 0; i < f->count; ++i) {
        uint32_t asked[8], count = 0;
        for (uint32_t e = 0; e < pairs->size[i]; ++e) {
            uint32_t other = root[pairs->row[pairs->start[i] + e]], k = 0;
            if (other == root[i])
                continue;
            while (k < count && asked[k] != other)
                ++k;
            if (k < count || count == PX_COUNT(asked))
                continue;
            asked[count++] = other;
            if (inside(f, i, root, other))
                join(up, root[i], other);
        }
    }
}

/* Whether who was together is together, and nobody else: then the weights stay what they are. `of`
 * and `had` have room for every number of a part, and for every part. */
static bool is_as_before(const PxCoatField *f, uint32_t *of, uint32_t *had)
{
    for (uint32_t i = 0; i < f->count; ++i)
        of[f->was[i]] = had[f->part[i]] = PX_COAT_NONE;
    for (uint32_t i = 0; i < f->count; ++i) {
        uint32_t *to = &of[f->was[i]], *from = &had[f->part[i]];
        if ((*to != PX_COAT_NONE && *to != f->part[i]) ||
            (*from != PX_COAT_NONE && *from != f->was[i]))
            return false;
        *to = f->part[i];
        *from = f->was[i];
    }
    return true;
}

PxStatus px_coat_divide(PxCoatField *f)
{
    uint32_t *up, *root, *one, n = f->count;
    bool several = false;
    PxArenaMark mark = px_arena_mark(f->in->scratch);
    if (!PX_COAT_TAKE(f->in, up, (size_t)n + 1) || !PX_COAT_TAKE(f->in, root, (size_t)n + 1) ||
        !PX_COAT_TAKE(f->in, one, (size_t)f->old_labels + n + 1))
        return px_coat_no_room(n);
    PX_TRY(settle_new(f));
    f->seen = f->was;
    px_coat_field_weigh(f);
    for (uint32_t i = 0; i < n; ++i)
        up[i] = i;
    split(f, up, one);
    for (uint32_t i = 0; i < n; ++i) {
        root[i] = root_of(up, i);
        several = several || root[i] != root[0];
    }
    if (several)
        merge(f, root, up);
    /* A part's label is the lowest id of its particles, and one more: 0 is none. */
    f->parts = 0;
    for (uint32_t i = 0; i < n; ++i)
        if (root_of(up, i) == i) {
            f->label[f->parts] = UINT64_MAX;
            root[i] = f->parts++;
        }
    for (uint32_t i = 0; i < n; ++i) {
        f->part[i] = root[root_of(up, i)];
        uint64_t *label = &f->label[f->part[i]];
        *label = f->id[i] + 1 < *label ? f->id[i] + 1 : *label;
    }
    f->seen = f->part;
    if (is_as_before(f, one, up))
        for (uint32_t i = 0; i < n; ++i)
            f->part_quad[4 * (size_t)i + 3] = (float)f->part[i];
    else
        px_coat_field_weigh(f);
    px_arena_release(f->in->scratch, mark);
    return PX_OK;
}
