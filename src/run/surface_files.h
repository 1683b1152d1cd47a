/// Removal of DIR/surface and DIR/surfels when a run is overwritten.
#ifndef PX_RUN_SURFACE_FILES_H
#define PX_RUN_SURFACE_FILES_H

#include "store/file.h"

/// Removes the surfaces and surfels made from the run in `dir`, including those of single materials
/// and measure.csv, and the folders that become empty. Files without a stamp
/// (store/surface_stamp.h) are of other origin and stay. Errors: PX_ERR_IO, PX_ERR_MEMORY.
PxStatus px_surface_files_remove(const char *dir);

#endif
