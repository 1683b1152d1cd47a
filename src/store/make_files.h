/// Files of meshes that `phyxel make` writes.
#ifndef PX_STORE_MAKE_FILES_H
#define PX_STORE_MAKE_FILES_H

#include "shape/mesh.h"

/// Refuses a path that is not that of an OBJ, PLY or STL file. Errors: PX_ERR_ARGUMENT.
PxStatus px_make_check_path(const char *path);

/// Writes a mesh in the format of the path's extension. Errors: PX_ERR_IO, PX_ERR_MEMORY.
PxStatus px_make_write(const PxMesh *mesh, const char *comment, const char *path);

/// The extension of a path after its last dot, or "".
const char *px_make_extension(const char *path);

#endif
