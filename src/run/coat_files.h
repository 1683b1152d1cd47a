/// Writer of DIR/coat/000001.ply, the coats of a frame (world/attached/coats.h).
///
/// The format is that of other surfaces (store/surface_ply.h), with all materials in one file.
/// Vertices have x y z nx ny nz red green blue radius vx vy vz, `painted` (1 where the colours are
/// those of a mesh or a texture, 0 where they are the material's), `melted` (molten fraction),
/// `part` (connected part of a coat, from 0) and `material`.
#ifndef PX_RUN_COAT_FILES_H
#define PX_RUN_COAT_FILES_H

#include "store/frame.h"
#include "world/attached/coats.h"

/// Creates the folder if the world has coats.
PxStatus px_coat_files_folder(const char *dir, const PxWorld *world);

/// Writes the coats at their current positions; writes no file for a world without coats.
/// Errors: PX_ERR_IO, PX_ERR_MEMORY.
PxStatus px_coat_files_write(const char *dir, const PxFrameMeta *meta, const PxWorld *world);

#endif
