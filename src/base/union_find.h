/// Union-find over rows: `up[i]` is another row of the set of i, or i itself at the set's root.
///
/// The root is the least row of its set, so the result does not depend on the order of joins.
#ifndef PX_BASE_UNION_FIND_H
#define PX_BASE_UNION_FIND_H

#include <stdint.h>

/// The root of the set of row i. Shortens the path on the way.
static inline uint32_t px_root_of(uint32_t *up, uint32_t i)
{
    while (up[i] != i)
        i = up[i] = up[up[i]];
    return i;
}

/// Joins the sets of two rows.
static inline void px_join(uint32_t *up, uint32_t a, uint32_t b)
{
    a = px_root_of(up, a);
    b = px_root_of(up, b);
    up[a > b ? a : b] = a < b ? a : b;
}

#endif
