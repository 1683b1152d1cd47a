#include "dist/disjoint_sets.h"

#include "base/union_find.h"

#include <stdlib.h>
#include <string.h>

PxStatus px_sets_begin(PxDisjointSets *s, uint32_t count, PxArena *scratch)
{
    *s = (PxDisjointSets){.count = count};
    s->root = PX_ARENA_ARRAY(scratch, uint32_t, count);
    s->set = PX_ARENA_ARRAY(scratch, uint32_t, count);
    if (s->root == NULL || s->set == NULL)
        return px_fail(PX_ERR_MEMORY, "components: no room for %u particles", count);
    for (uint32_t i = 0; i < count; ++i)
        s->root[i] = PX_NO_SET;
    return PX_OK;
}

void px_sets_join(PxDisjointSets *s, uint32_t a, uint32_t b)
{
    px_join(s->root, a, b);
}

/* A set: its lowest id and its root. */
typedef struct Least {
    uint64_t id;
    uint32_t root;
} Least;

static int by_id(const void *a, const void *b)
{
    const Least *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

static PxStatus number_here(PxDisjointSets *s, const uint64_t *id, PxArena *scratch)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->count; ++i)
        count += s->root[i] == i;
    s->least = PX_ARENA_ARRAY(scratch, uint64_t, count);
    PxArenaMark mark = px_arena_mark(scratch);
    uint32_t *place = PX_ARENA_ARRAY(scratch, uint32_t, s->count); /* by root: index in `least` */
    Least *least = PX_ARENA_ARRAY(scratch, Least, count);
    if (s->least == NULL || place == NULL || least == NULL)
        return px_fail(PX_ERR_MEMORY, "components: no room for %u of them", count);
    count = 0;
    for (uint32_t i = 0; i < s->count; ++i) {
        if (s->root[i] == PX_NO_SET)
            continue;
        uint32_t r = px_root_of(s->root, i);
        if (r == i) {
            place[r] = count;
            least[count++] = (Least){id[i], r};
        } else if (id[i] < least[place[r]].id) {
            least[place[r]].id = id[i];
        }
    }
    qsort(least, count, sizeof *least, by_id);
    for (uint32_t k = 0; k < count; ++k) {
        place[least[k].root] = k;
        s->least[k] = least[k].id;
    }
    for (uint32_t i = 0; i < s->count; ++i)
        s->set[i] = s->root[i] == PX_NO_SET ? 0 : place[px_root_of(s->root, i)] + 1;
    s->sets = count;
    px_arena_release(scratch, mark);
    return PX_OK;
}

/* ---- on several ranks --------------------------------------------------------- */

/* Two names of one set. */
typedef struct Alias {
    uint64_t name[2];
} Alias;

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Sorts, and drops all but one of equal numbers; returns how many are left. */
static uint32_t sort_unique(uint64_t *list, uint32_t count)
{
    uint32_t left = 0;
    qsort(list, count, sizeof *list, ascending);
    for (uint32_t k = 0; k < count; ++k)
        if (left == 0 || list[k] != list[left - 1])
            list[left++] = list[k];
    return left;
}

/* Place of a number in a sorted list; `count`: it is not there. */
static uint32_t place_of(const uint64_t *list, uint32_t count, uint64_t number)
{
    const uint64_t *found =
        count > 0 ? bsearch(&number, list, count, sizeof *list, ascending) : NULL;
    return found != NULL ? (uint32_t)(found - list) : count;
}

/* Replaces names by the least of all names of the set, of any rank. */
static PxStatus join_names(const PxDisjointSets *s, const uint64_t *id, const PxSetsRanks *ranks,
                           uint64_t *name, PxArena *scratch)
{
    uint32_t seen = ranks->owned + ranks->copies, count = 0, total;
    uint64_t *owners = PX_ARENA_ARRAY(scratch, uint64_t, seen);
    Alias *alias = PX_ARENA_ARRAY(scratch, Alias, s->count);
    if (owners == NULL || alias == NULL)
        return px_fail(PX_ERR_MEMORY, "components: no room for %u particles", s->count);
    memcpy(owners, name, seen * sizeof *owners);
    px_dist_refresh(ranks->dist, (PxDistArray){owners, sizeof *owners, sizeof *owners},
                    ranks->owned, ranks->copies);
    for (uint32_t i = ranks->owned; i < s->count; ++i) {
        uint64_t other = i < seen ? owners[i] : id[i];
        if (name[i] != 0 && other != name[i])
            alias[count++] = (Alias){{name[i], other}};
    }
    const void *list;
    PX_TRY(px_dist_gather(ranks->dist, alias, count, sizeof *alias, scratch, &list, &total));
    const Alias *all = list;
    uint64_t *names = PX_ARENA_ARRAY(scratch, uint64_t, 2 * (size_t)total);
    uint32_t *root = PX_ARENA_ARRAY(scratch, uint32_t, 2 * (size_t)total);
    if (names == NULL || root == NULL)
        return px_fail(PX_ERR_MEMORY, "components: no room for %u names", total);
    if (total > 0)
        memcpy(names, all, total * sizeof *all);
    count = sort_unique(names, 2 * total);
    for (uint32_t k = 0; k < count; ++k)
        root[k] = k;
    PxDisjointSets joined = {.count = count, .root = root};
    for (uint32_t k = 0; k < total; ++k)
        px_sets_join(&joined, place_of(names, count, all[k].name[0]),
                     place_of(names, count, all[k].name[1]));
    for (uint32_t i = 0; i < s->count; ++i) {
        uint32_t place = place_of(names, count, name[i]);
        if (place < count) /* the root is the least place, and has the least name */
            name[i] = names[px_root_of(root, place)];
    }
    return PX_OK;
}

PxStatus px_sets_number(PxDisjointSets *s, const uint64_t *id, const PxSetsRanks *ranks,
                        PxArena *scratch)
{
    PX_TRY(number_here(s, id, scratch));
    if (ranks == NULL || !px_dist_shared(ranks->dist))
        return PX_OK;
    uint32_t total;
    uint64_t *name = PX_ARENA_ARRAY(scratch, uint64_t, s->count);
    uint64_t *own = PX_ARENA_ARRAY(scratch, uint64_t, ranks->owned);
    if (name == NULL || own == NULL)
        return px_fail(PX_ERR_MEMORY, "components: no room for %u particles", s->count);
    for (uint32_t i = 0; i < s->count; ++i)
        name[i] = s->set[i] > 0 ? s->least[s->set[i] - 1] : 0;
    PX_TRY(join_names(s, id, ranks, name, scratch));
    uint32_t count = 0;
    for (uint32_t i = 0; i < ranks->owned; ++i)
        if (name[i] != 0)
            own[count++] = name[i];
    count = sort_unique(own, count);
    const void *all;
    PX_TRY(px_dist_gather(ranks->dist, own, count, sizeof *own, scratch, &all, &total));
    s->least = PX_ARENA_ARRAY(scratch, uint64_t, total);
    if (s->least == NULL)
        return px_fail(PX_ERR_MEMORY, "components: no room for %u of them", total);
    if (total > 0)
        memcpy(s->least, all, total * sizeof *s->least);
    s->sets = sort_unique(s->least, total);
    for (uint32_t i = 0; i < s->count; ++i)
        s->set[i] = name[i] != 0 ? place_of(s->least, s->sets, name[i]) + 1 : 0;
    return PX_OK;
}
