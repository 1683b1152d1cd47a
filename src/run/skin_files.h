/// Writer of DIR/skin/000001.ply and DIR/skin-surfels/000001.ply: skins of a frame's solids, and
/// cloth.
///
/// The format is that of other surfaces (store/surface_ply.h), with all bodies in one file.
/// Vertices have x y z nx ny nz red green blue vx vy vz, `body`, `painted` (1 where the colours
/// are those of the body's mesh or texture, 0 where they are the material's) and `material`.
/// Triangle meshes also have texture coordinates s t; surfels have a radius and two half axes,
/// t1x t1y t1z t2x t2y t2z, m. Where a material breaks, vertices of triangle meshes have the
/// number of their `piece`, counted in each body, and `inside`, 1 on the faces of cracks. Vertices
/// at the edge between inside and outside are there twice, with a normal each.
#ifndef PX_RUN_SKIN_FILES_H
#define PX_RUN_SKIN_FILES_H

#include "store/frame.h"
#include "world/attached/skins.h"

/// Whether the world has skins of triangles, or of surfels.
bool px_skin_files_needed(const PxWorld *world, bool surfels);

/// Creates the folders of the kinds that are needed.
PxStatus px_skin_files_folders(const char *dir, const PxWorld *world);

/// Moves the skins with the particles and writes one file for each kind of skin, into folders
/// that exist; writes no file for a world without skins. Errors: PX_ERR_IO, PX_ERR_MEMORY.
PxStatus px_skin_files_write(const char *dir, const PxFrameMeta *meta, PxWorld *world);

#endif
