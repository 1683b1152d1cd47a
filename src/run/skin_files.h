/// DIR/skin/000001.ply and DIR/skin-surfels/000001.ply: the skins of a frame's solids.
///
/// As other surfaces (store/surface_ply.h), of all bodies in one file. Vertices have x y z nx ny nz
/// red green blue vx vy vz, `body` and `painted` (1 where the colours came with the body's mesh or
/// texture, 0 where they only tell materials apart) and `material`. Triangles have texture
/// coordinates s t as well; surfels have a radius and two half axes, t1x t1y t1z t2x t2y t2z, m.
#ifndef PX_RUN_SKIN_FILES_H
#define PX_RUN_SKIN_FILES_H

#include "store/frame.h"
#include "world/attached/skins.h"

/// Moves the skins to where the particles are and writes what there is of each kind; a world
/// without skins leaves nothing. Errors: PX_ERR_IO, PX_ERR_MEMORY.
PxStatus px_skin_files_write(const char *dir, const PxFrameMeta *meta, PxWorld *world);

#endif
