#include "coupling/disjoint_sets.h"

#include "base/union_find.h"

#include <stdlib.h>

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

PxStatus px_sets_number(PxDisjointSets *s, const uint64_t *id, PxArena *scratch)
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
