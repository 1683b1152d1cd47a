/// Meshes that a bench makes for itself, in files that it removes again.
#ifndef PX_STUDY_MESH_FILE_H
#define PX_STUDY_MESH_FILE_H

#include "phyxel/status.h"

#define PX_MESH_FILE_PATH 300

/// Creates an empty file of that ending (".obj") in the folder for temporary files. The caller
/// unlinks it. Errors: PX_ERR_IO.
PxStatus px_mesh_file(const char *name, const char *ending, char path[PX_MESH_FILE_PATH]);

#endif
