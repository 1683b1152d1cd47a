/// Surfaces and surfels out of PLY files, with every number that belongs to a point.
///
/// The readers of shapes keep positions, normals and colours; pictures also want
/// velocities, temperatures and whatever else a point may be coloured by, and an empty
/// surface is a picture of the ground, not a mistake.
#ifndef PX_RENDER_PLY_TABLE_H
#define PX_RENDER_PLY_TABLE_H

#include "base/memory.h"

#define PX_PLY_MOST_COLUMNS 48u

typedef struct PxPlyTable {
    uint32_t points, triangles;
    uint32_t columns;
    char name[PX_PLY_MOST_COLUMNS][32];
    float *column[PX_PLY_MOST_COLUMNS]; ///< one number a point; from px_allocate()
    uint32_t (*triangle)[3];
} PxPlyTable;

/// Binary, little endian, as `phyxel surface` writes them; corners are checked to be
/// points, and x, y, z to be finite numbers. Errors: PX_ERR_IO, PX_ERR_FORMAT, PX_ERR_MEMORY.
PxStatus px_ply_table_read(const char *path, PxPlyTable *out);
PxStatus px_ply_table_parse(const char *name, const void *bytes, size_t size, PxPlyTable *out);
void px_ply_table_free(PxPlyTable *table);

/// NULL when there is none of that name.
const float *px_ply_column(const PxPlyTable *table, const char *name);

#endif
