/// The columns of stats.csv besides the members of PxStats.
#ifndef PX_WORLD_STATS_COLUMNS_H
#define PX_WORLD_STATS_COLUMNS_H

/// Force or torque on a wall; the column's name is that of the wall and this ending.
typedef struct PxWallColumn {
    const char *ending;  ///< "_force_x"
    const char *unit;    ///< SI
    const char *meaning; ///< one line
} PxWallColumn;

enum { PX_WALL_COLUMNS = 6 };
extern const PxWallColumn px_wall_columns[PX_WALL_COLUMNS];

/// The last column: wall-clock time. Not reproducible.
#define PX_CLOCK_COLUMN "wall"

#endif
