#include "run/stats_file.h"

#include "store/file.h"
#include "world/stats_columns.h"
#include "world/world_parts.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Order of the columns: the members of PxStats, then those that depend on the world, then `wall`,
 * the only one that is not reproducible. */

static PxStatus add_name(PxStatsFile *file, const char *name)
{
    char *copy = strdup(name);
    if (copy == NULL || !PX_LIST_RESERVE(&file->names, 1)) {
        free(copy);
        return px_fail(PX_ERR_MEMORY, "stats.csv: no room for the columns");
    }
    file->names.data[file->names.count++] = copy;
    return PX_OK;
}

static bool has_name(const PxStatsFile *file, const char *name)
{
    for (size_t k = 0; k < file->names.count; ++k)
        if (strcmp(file->names.data[k], name) == 0)
            return true;
    return false;
}

/* Adds the columns of force and torque on a wall: NAME_force_x and so on. Characters not allowed in
 * column names become _. If an earlier wall has the same name then, this one is NAME_2 or more. */
static PxStatus add_wall_names(PxStatsFile *file, const char *wall)
{
    char start[PX_NAME_SIZE + 16], name[PX_NAME_SIZE + 32];
    snprintf(start, PX_NAME_SIZE, "%s", wall);
    size_t length = strlen(start);
    for (char *letter = start; *letter != '\0'; ++letter)
        if (!isalnum((unsigned char)*letter))
            *letter = '_';
    for (unsigned number = 2;; ++number) {
        snprintf(name, sizeof name, "%s%s", start, px_wall_columns[0].ending);
        if (!has_name(file, name))
            break;
        snprintf(start + length, sizeof start - length, "_%u", number);
    }
    for (size_t c = 0; c < PX_WALL_COLUMNS; ++c) {
        snprintf(name, sizeof name, "%s%s", start, px_wall_columns[c].ending);
        PX_TRY(add_name(file, name));
    }
    return PX_OK;
}

static bool is_rigid(const PxWorld *world, const PxWall *wall)
{
    for (size_t k = 0; k < world->rigids.count; ++k)
        if (world->rigids.data[k].body == wall->boundary.body)
            return true;
    return false;
}

/* Lists the walls and rigid bodies that get columns. If not all fit, as in a heap of a thousand
 * bodies, rigid ones have none. */
static PxStatus list_walls(PxStatsFile *file, const PxWorld *world)
{
    size_t room = (PX_CSV_MAX_COLUMNS - 2 - file->names.count) / PX_WALL_COLUMNS;
    bool all = world->walls.count <= room;
    if (!PX_LIST_RESERVE(&file->walls, world->walls.count))
        return px_fail(PX_ERR_MEMORY, "stats.csv: no room for the columns");
    for (uint32_t k = 0; k < world->walls.count && file->walls.count < room; ++k)
        if (all || !is_rigid(world, &world->walls.data[k]))
            file->walls.data[file->walls.count++] = k;
    return PX_OK;
}

static PxStatus add_names(PxStatsFile *file, const PxWorld *world)
{
    for (size_t k = 1; px_stats_column(k) != NULL; ++k) /* PxCsv adds `step` itself */
        PX_TRY(add_name(file, px_stats_column(k)->name));
    PX_TRY(list_walls(file, world));
    for (size_t k = 0; k < file->walls.count; ++k) {
        const PxWall *wall = &world->walls.data[file->walls.data[k]];
        PX_TRY(add_wall_names(file, world->bodies.data[wall->boundary.body].name));
    }
    return add_name(file, PX_CLOCK_COLUMN);
}

static void add_value(PxStatsFile *file, double value)
{
    file->values.data[file->values.count++] = value;
}

PxStatus px_stats_file_open(PxStatsFile *file, const char *dir, const PxWorld *world, bool resume,
                            uint64_t step)
{
    char path[PX_PATH_MAX];
    PX_TRY(px_path_join(path, dir, "stats.csv"));
    PX_TRY(add_names(file, world));
    if (!PX_LIST_RESERVE(&file->values, file->names.count))
        return px_fail(PX_ERR_MEMORY, "stats.csv: no room for the columns");
    const char *const *names = (const char *const *)file->names.data;
    uint32_t count = (uint32_t)file->names.count;
    return resume ? px_csv_resume(&file->csv, path, names, count, step)
                  : px_csv_create(&file->csv, path, names, count);
}

PxStatus px_stats_file_row(PxStatsFile *file, const PxWorld *world, const PxStats *stats,
                           double wall)
{
    file->values.count = 0;
    for (size_t k = 1; px_stats_column(k) != NULL; ++k)
        add_value(file, px_stats_value(stats, px_stats_column(k)));
    for (size_t k = 0; k < file->walls.count; ++k) {
        uint32_t slot = world->walls.data[file->walls.data[k]].boundary.body;
        PxBodyId id = {slot + 1, world->bodies.data[slot].generation};
        PxVec3 force, torque;
        PX_TRY(px_world_boundary_force(world, id, &force, &torque));
        const double value[PX_WALL_COLUMNS] = {force.x,  force.y,  force.z,
                                               torque.x, torque.y, torque.z};
        for (size_t c = 0; c < PX_WALL_COLUMNS; ++c)
            add_value(file, value[c]);
    }
    add_value(file, wall);
    for (size_t k = 0; k < file->values.count; ++k)
        if (!isfinite(file->values.data[k]))
            return px_fail(PX_ERR_NUMERIC, "%s is %g after step %llu, t = %g s",
                           file->names.data[k], file->values.data[k],
                           (unsigned long long)stats->step, stats->time);
    return px_csv_row(file->csv, stats->step, file->values.data);
}

PxStatus px_stats_file_close(PxStatsFile *file)
{
    PxStatus status = px_csv_close(file->csv);
    for (size_t k = 0; k < file->names.count; ++k)
        free(file->names.data[k]);
    PX_LIST_FREE(&file->names);
    PX_LIST_FREE(&file->values);
    PX_LIST_FREE(&file->walls);
    file->csv = NULL;
    return status;
}
