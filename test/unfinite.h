/// What is not finite in a world.
#ifndef PX_TEST_UNFINITE_H
#define PX_TEST_UNFINITE_H

#include "check.h"

#include "phyxel/phyxel.h"
#include "world/saved.h"

/// Name of the statistic or column of the state that is not finite; NULL: none.
static inline const char *unfinite_of(PxWorld *world)
{
    PxStats stats;
    px_world_stats(world, &stats);
    for (size_t k = 0; px_stats_column(k) != NULL; ++k)
        if (!isfinite(px_stats_value(&stats, px_stats_column(k))))
            return px_stats_column(k)->name;
    PxSavedWorld *saved = NULL;
    CHECK_OK(px_saved_view(world, &saved));
    const char *name, *found = NULL;
    const PxTable *table;
    uint32_t row;
    for (size_t k = 0; (table = px_saved_table(saved, k, &name)) != NULL && found == NULL; ++k) {
        const PxColumn *bad = px_table_unfinite(table, &row);
        if (bad != NULL)
            found = bad->name;
    }
    px_saved_free(saved);
    return found;
}

#endif
