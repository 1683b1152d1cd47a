#include "world/undo.h"

#include "world/elastic_stage.h"
#include "world/world_parts.h"

#include <string.h>

/* Stages that change a column. Columns that are not listed change in any step. */
enum { NEVER, FLOW, REST };
static const struct {
    const char *name;
    int by; /* FLOW: stages of fluids, REST: rest-shape updates */
} changed[] = {
    {"id", NEVER},
    {"mass", NEVER},
    {"radius", NEVER},
    {"material", NEVER},
    {"body", NEVER},
    {"handle", NEVER},
    {"hold_position", NEVER},
    {"warm_pressure", FLOW},
    {"warm_divergence", FLOW},
    {"steady_pressure", FLOW},
    {"steady_push", FLOW},
    {"viscous", FLOW},
    {"rest_position", REST},
    {"rest_volume", REST},
    {"rest_bulk", REST},
    {"support", REST},
};

/* Does the step change the column? Those that are not state are recomputed. */
static bool changes(const PxWorld *world, const PxColumn *column)
{
    if (!(column->flags & PX_COLUMN_STATE))
        return false;
    for (size_t k = 0; k < PX_COUNT(changed); ++k)
        if (strcmp(column->name, changed[k].name) == 0)
            return changed[k].by != NEVER &&
                   (world->flows || (changed[k].by == REST && px_world_absorbs(world)));
    return true;
}

typedef struct Copy {
    const PxTable *table;
    void *(*kept)[PX_TABLE_MAX_COMPONENTS]; /* by column; the first NULL: not kept */
    bool back;
} Copy;

static void copy_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Copy *copy = user;
    for (uint32_t c = 0; c < copy->table->columns; ++c) {
        const PxColumn *column = &copy->table->column[c];
        size_t size = px_type_size(column->type);
        for (uint32_t k = 0; copy->kept[c][0] != NULL && k < column->components; ++k) {
            char *own = (char *)column->data[k] + begin * size;
            char *kept = (char *)copy->kept[c][k] + begin * size;
            memcpy(copy->back ? own : kept, copy->back ? kept : own, (end - begin) * size);
        }
    }
}

static void copy_columns(const PxWorld *world, const PxTable *table, PxUndoColumns kept, bool back)
{
    Copy copy = {table, kept, back};
    px_parallel_for(&world->threads, table->count, 4 * PX_BLOCK, copy_block, &copy);
}

static PxStatus keep_columns(PxWorld *world, const PxTable *table, PxUndoColumns kept)
{
    for (uint32_t c = 0; c < table->columns; ++c) {
        const PxColumn *column = &table->column[c];
        kept[c][0] = NULL;
        for (uint32_t k = 0; changes(world, column) && k < column->components; ++k) {
            kept[c][k] =
                px_arena_take_array(&world->scratch, table->count, px_type_size(column->type));
            if (kept[c][k] == NULL)
                return px_fail(PX_ERR_MEMORY, "step: no room for %u particles", table->count);
        }
    }
    copy_columns(world, table, kept, false);
    return PX_OK;
}

void px_undo_begin(PxWorld *world, PxUndo *undo)
{
    px_saved_get_numbers(world, undo->number);
    undo->bonds_made = world->elastic_set.bonds_made;
    undo->kept = undo->whole = undo->skins_kept = false;
    world->undo = undo;
}

PxStatus px_undo_keep_all(PxWorld *world, PxUndo *undo)
{
    px_table_init(&undo->before, world->memory);
    PX_TRY(px_table_copy(&undo->before, &world->particles.table));
    undo->whole = true;
    return PX_OK;
}

PxStatus px_undo_keep(PxWorld *world, PxUndo *undo)
{
    if (!undo->whole)
        PX_TRY(keep_columns(world, &world->particles.table, undo->particles));
    PX_TRY(keep_columns(world, &world->progress, undo->emitters));
    undo->kept = true;
    return PX_OK;
}

PxStatus px_undo_keep_skins(PxWorld *world, PxUndo *undo)
{
    for (int k = 0; k < PX_SKIN_TABLES; ++k)
        px_table_init(&undo->skins[k], world->memory);
    undo->skins_kept = true;
    return px_world_store_skins(world, undo->skins);
}

static void put_back(PxWorld *world, PxUndo *undo)
{
    if (undo->whole) {
        PxTable settled = world->particles.table;
        world->particles.table = undo->before;
        undo->before = settled;
        px_particles_refresh(&world->particles);
    } else if (undo->kept) {
        copy_columns(world, &world->particles.table, undo->particles, true);
    }
    if (undo->kept)
        copy_columns(world, &world->progress, undo->emitters, true);
    if (undo->whole || undo->kept)
        px_elastic_set_undo(&world->elastic_set, undo->bonds_made);
    if (undo->skins_kept && undo->skins[PX_SKINS].count == world->skins.count)
        px_world_restore_skins(world, undo->skins); /* cannot fail: they are those of this world */
    px_saved_put_numbers(world, undo->number);
}

void px_undo_end(PxWorld *world, PxUndo *undo, PxStatus status)
{
    if (status != PX_OK)
        put_back(world, undo);
    if (undo->whole)
        px_table_free(&undo->before);
    for (int k = 0; undo->skins_kept && k < PX_SKIN_TABLES; ++k)
        px_table_free(&undo->skins[k]);
    world->undo = NULL;
}
