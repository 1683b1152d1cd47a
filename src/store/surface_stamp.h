/// Stamps in the headers of surface files, which identify the frame and the settings they are of.
///
/// Comments of a surface file give its settings as text, and a stamp: a digest of that text and
/// of the frame's seal (store/container.h). The stamp shows whether the file still belongs to the
/// stored frame.
#ifndef PX_STORE_SURFACE_STAMP_H
#define PX_STORE_SURFACE_STAMP_H

#include "base/digest.h"
#include "store/ply_points.h"
#include "store/surface_ply.h"

#define PX_STAMP_SIZE PX_DIGEST_TEXT

/// The stamp of a surface made from the current frame `number` of the run in `dir`.
/// Errors: PX_ERR_IO, PX_ERR_FORMAT when the frame is missing or too short.
PxStatus px_surface_stamp(const char *dir, uint32_t number, const char *settings,
                          char stamp[PX_STAMP_SIZE]);

/// Checks that the surface or surfels at `path` were made from the current frame `number`. Files
/// without a stamp, made by other programs, pass; so does any file when the frame is missing.
/// Errors: PX_ERR_FORMAT when it was made from another frame; the message says what to do.
PxStatus px_surface_stamp_check(const char *dir, uint32_t number, const char *path);

/// Reads the surface, surfels, skin or coat of frame `number` at `path`, and checks that it belongs
/// to that frame: by the stamp, or by the run's id and the frame's number.
/// Errors: PX_ERR_IO, PX_ERR_FORMAT when it is damaged or belongs elsewhere, PX_ERR_MEMORY.
PxStatus px_surface_read(const char *dir, uint32_t number, const char *path, PxPlyPoints *out);

/// Whether the file bears a stamp, hence was written by px_surface_run().
bool px_surface_is_stamped(const char *path);

#endif
