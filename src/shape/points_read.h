/// Reads positions of particles from PLY and CSV files.
#ifndef PX_SHAPE_POINTS_READ_H
#define PX_SHAPE_POINTS_READ_H

#include "shape/shape.h"

/// Reads the vertices of a PLY file, or the rows of a CSV file. A CSV file has numbers, separated
/// by commas, semicolons or blanks. Its first line may name the columns: x, y and z, position_x,
/// ... (as phyxel exports them) or Points:0, ... (as ParaView does); without names the first three
/// are meant. Lines that begin with '#' are comments. The points are scaled, turned and moved as
/// the def of the shape says. Free them with px_points_free(). Errors: PX_ERR_IO; PX_ERR_FORMAT
/// with the line, also for more than `most` points; PX_ERR_MEMORY.
PxStatus px_points_read(const PxShapeDef *def, size_t most, PxPoints *out);

/// The same for bytes in memory, as they are; `name` begins messages, and a name that ends in "ply"
/// is that of a PLY file.
PxStatus px_points_read_bytes(const char *name, const void *bytes, size_t size, size_t most,
                              PxPoints *out);

/// Median distance of points to their nearest neighbour, m; 0 for a single point.
/// Errors: PX_ERR_MEMORY.
PxStatus px_points_apart(const PxPoints *points, double *out);

/// How many points a sphere around one of them holds, itself included: the number that three
/// quarters of the points do not exceed. Errors: PX_ERR_MEMORY.
PxStatus px_points_crowd(const PxPoints *points, double radius, double *out);

/// Two points that are nearer to each other than `least`, and their distance; false if there are
/// none. Errors: PX_ERR_MEMORY.
PxStatus px_points_nearest(const PxPoints *points, double least, size_t pair[2], double *distance,
                           bool *found);

/// Replaces points by fewer: cells of the length `cell` that hold at least `least` of them become
/// one point at their mean. In order of first appearance. Errors: PX_ERR_MEMORY.
PxStatus px_points_thin(PxPoints *points, double cell, double least);

#endif
