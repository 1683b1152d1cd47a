/// DIR/surface and DIR/surfels of a run that is overwritten.
#ifndef PX_RUN_SURFACE_FILES_H
#define PX_RUN_SURFACE_FILES_H

#include "store/file.h"

/// Removes the surfaces and surfels that were made of the run in `dir`, those of single materials
/// and measure.csv included, and folders that are empty then. Files that bear no stamp
/// (store/surface_stamp.h) are somebody else's and stay. Errors: PX_ERR_IO, PX_ERR_MEMORY.
PxStatus px_surface_files_remove(const char *dir);

#endif
