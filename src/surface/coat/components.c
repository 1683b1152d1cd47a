/// Connected components of the particles: splitting and merging (000 section 6.6.5).
///
/// The thesis flood-fills over surfels and then asks which particles are inside which set. Here the
/// particles are connected directly, by the same field that the surfels follow, and each surfel
/// belongs to the particle with the largest share of the field at its position. So a cavity is not
/// a component of its own, and a surfel on a sharp tip is not lost for its normal.
///
/// Splitting: two particles of a component stay connected if they are nearer than PX_COAT_LINK or
/// if the field halfway between them is at least min_value.
/// Merging: two components merge when a particle of one is inside the other's isosurface.
#include "base/union_find.h"
#include "surface/coat/coat_parts.h"

#include <string.h>

static float distance2(const PxCoatField *f, uint32_t i, uint32_t j)
{
    float x = f->x[i] - f->x[j], y = f->y[i] - f->y[j], z = f->z[i] - f->z[j];
    return x * x + y * y + z * z;
}

/* Assigns new particles to the component of their nearest neighbour, or to components of their
 * own. Afterwards every particle has an `old_component`. */
static PxStatus assign_new(PxCoatField *f)
{
    const PxPairs *pairs = &f->coat->particle_pairs;
    uint32_t *up, *best, fresh = 0;
    float *nearest;
    for (uint32_t i = 0; i < f->count; ++i)
        fresh += f->old_component[i] == PX_COAT_NONE;
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
        if (f->old_component[i] != PX_COAT_NONE)
            continue;
        for (uint32_t e = 0; e < pairs->size[i]; ++e) {
            uint32_t j = pairs->row[pairs->start[i] + e];
            if (f->old_component[j] == PX_COAT_NONE &&
                distance2(f, i, j) < PX_COAT_LINK * PX_COAT_LINK)
                px_join(up, i, j);
        }
    }
    for (uint32_t i = 0; i < f->count; ++i) {
        if (f->old_component[i] != PX_COAT_NONE)
            continue;
        uint32_t root = px_root_of(up, i);
        for (uint32_t e = 0; e < pairs->size[i]; ++e) {
            uint32_t j = pairs->row[pairs->start[i] + e];
            float square = distance2(f, i, j);
            if (f->old_component[j] != PX_COAT_NONE && square < nearest[root]) {
                nearest[root] = square;
                best[root] = f->old_component[j];
            }
        }
    }
    uint32_t next = f->old_labels;
    for (uint32_t i = 0; i < f->count; ++i) /* a root has the lowest index of its set */
        if (f->old_component[i] == PX_COAT_NONE && px_root_of(up, i) == i &&
            best[i] == PX_COAT_NONE)
            best[i] = next++;
    for (uint32_t i = 0; i < f->count; ++i)
        if (f->old_component[i] == PX_COAT_NONE)
            f->old_component[i] = best[px_root_of(up, i)];
    return PX_OK;
}

/* Splits the old components into connected sets. `one` has room for every old component. */
static void split(const PxCoatField *f, uint32_t *up, uint32_t *one)
{
    const PxPairs *pairs = &f->coat->particle_pairs;
    for (uint32_t i = 0; i < f->count; ++i)
        for (uint32_t e = 0; e < pairs->size[i]; ++e) {
            uint32_t j = pairs->row[pairs->start[i] + e];
            if (j >= i)
                break; /* lists are ascending */
            if (f->old_component[i] == f->old_component[j] &&
                distance2(f, i, j) < PX_COAT_LINK * PX_COAT_LINK)
                px_join(up, i, j);
        }
    /* Components that are connected already need no further test: `one` is their root,
     * PX_COAT_ANY for several roots. */
    for (uint32_t i = 0; i < f->count; ++i)
        one[f->old_component[i]] = PX_COAT_NONE;
    for (uint32_t i = 0; i < f->count; ++i) {
        uint32_t *root = &one[f->old_component[i]];
        *root =
            *root == PX_COAT_NONE || *root == px_root_of(up, i) ? px_root_of(up, i) : PX_COAT_ANY;
    }
    for (uint32_t i = 0; i < f->count; ++i)
        for (uint32_t e = 0; e < pairs->size[i]; ++e) {
            uint32_t j = pairs->row[pairs->start[i] + e];
            if (one[f->old_component[i]] != PX_COAT_ANY)
                break;
            if (j >= i || f->old_component[i] != f->old_component[j] ||
                px_root_of(up, i) == px_root_of(up, j))
                continue;
            const float middle[3] = {0.5f * (f->x[i] + f->x[j]), 0.5f * (f->y[i] + f->y[j]),
                                     0.5f * (f->z[i] + f->z[j])};
            if (px_coat_field_at(f, middle, f->old_component[i]) >= f->coat->min_value)
                px_join(up, i, j);
        }
}

/* Is particle i inside the isosurface of the component with that root? */
static bool inside(const PxCoatField *f, uint32_t i, const uint32_t *root, uint32_t other)
{
    const PxPairs *pairs = &f->coat->particle_pairs;
    const float per = 1.0f / (PX_COAT_H * PX_COAT_H);
    float sum = 0.0f;
    for (uint32_t e = 0; e < pairs->size[i]; ++e) {
        uint32_t j = pairs->row[pairs->start[i] + e];
        float t = 1.0f - distance2(f, i, j) * per;
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
                px_join(up, root[i], other);
        }
    }
}

/* Is the partition the same as before? Then the weights stay valid. `of` and `had` have room for
 * every old and every new component. */
static bool is_unchanged(const PxCoatField *f, uint32_t *of, uint32_t *had)
{
    for (uint32_t i = 0; i < f->count; ++i)
        of[f->old_component[i]] = had[f->component[i]] = PX_COAT_NONE;
    for (uint32_t i = 0; i < f->count; ++i) {
        uint32_t *to = &of[f->old_component[i]], *from = &had[f->component[i]];
        if ((*to != PX_COAT_NONE && *to != f->component[i]) ||
            (*from != PX_COAT_NONE && *from != f->old_component[i]))
            return false;
        *to = f->component[i];
        *from = f->old_component[i];
    }
    return true;
}

PxStatus px_coat_find_components(PxCoatField *f)
{
    uint32_t *up, *root, *one, n = f->count;
    bool several = false;
    PxArenaMark mark = px_arena_mark(f->in->scratch);
    if (!PX_COAT_TAKE(f->in, up, (size_t)n + 1) || !PX_COAT_TAKE(f->in, root, (size_t)n + 1) ||
        !PX_COAT_TAKE(f->in, one, (size_t)f->old_labels + n + 1))
        return px_coat_no_room(n);
    PX_TRY(assign_new(f));
    f->group = f->old_component;
    px_coat_field_weigh(f);
    for (uint32_t i = 0; i < n; ++i)
        up[i] = i;
    split(f, up, one);
    for (uint32_t i = 0; i < n; ++i) {
        root[i] = px_root_of(up, i);
        several = several || root[i] != root[0];
    }
    if (several)
        merge(f, root, up);
    /* A label is 1 + the lowest id of the component's particles; 0 means none. */
    f->components = 0;
    for (uint32_t i = 0; i < n; ++i)
        if (px_root_of(up, i) == i) {
            f->label[f->components] = UINT64_MAX;
            root[i] = f->components++;
        }
    for (uint32_t i = 0; i < n; ++i) {
        f->component[i] = root[px_root_of(up, i)];
        uint64_t *label = &f->label[f->component[i]];
        *label = f->id[i] + 1 < *label ? f->id[i] + 1 : *label;
    }
    f->group = f->component;
    if (is_unchanged(f, one, up))
        for (uint32_t i = 0; i < n; ++i)
            f->component_quad[4 * (size_t)i + 3] = (float)f->component[i];
    else
        px_coat_field_weigh(f);
    px_arena_release(f->in->scratch, mark);
    return PX_OK;
}
