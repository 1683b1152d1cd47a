/// What the surfaces of a run say of where they come from: the stamp in their headers.
///
/// A surface file says in comments which frame and which numbers it was made from: the numbers
/// in words, and a stamp, which is a digest of these words and of the frame's seal
/// (store/container.h). So anybody can tell whether it is still of the frame that is there.
#ifndef PX_STORE_SURFACE_STAMP_H
#define PX_STORE_SURFACE_STAMP_H

#include "base/digest.h"
#include "store/surface_ply.h"

#define PX_STAMP_SIZE PX_DIGEST_TEXT

/// The stamp of a surface that is made of frame `number` of the run in `dir` as it is now.
/// Errors: PX_ERR_IO, PX_ERR_FORMAT when the frame is not there or is too short.
PxStatus px_surface_stamp(const char *dir, uint32_t number, const char *settings,
                          char stamp[PX_STAMP_SIZE]);

/// Is the file at `path`, a surface or surfels, of frame `number` as it is now? What bears no
/// stamp is by somebody else and passes, and so does everything when the frame is not there.
/// Errors: PX_ERR_FORMAT when it was made of another frame, which says what to do.
PxStatus px_surface_stamp_check(const char *dir, uint32_t number, const char *path);

/// Is it a file that px_surface_run() wrote?
bool px_surface_is_stamped(const char *path);

#endif
