/// Numbered files of a result folder: the subfolder of each kind, listing, removal and sharing.
#ifndef PX_STORE_RUN_FILES_H
#define PX_STORE_RUN_FILES_H

#include "store/file.h"

/// Kinds of files, at most one per frame. `phyxel run` stores those before PX_FILE_STORED with the
/// frame; the others are made from stored frames.
typedef enum PxRunFile {
    PX_FILE_FRAME,        ///< all particles: frames/000001.h5
    PX_FILE_SKIN,         ///< triangles of solid bodies that have a skin: skin/000001.ply
    PX_FILE_SKIN_SURFELS, ///< surfels of solid bodies: skin-surfels/000001.ply
    PX_FILE_COAT,         ///< surfels of materials that have a coat: coat/000001.ply
    PX_FILE_STORED,
    PX_FILE_SURFACE = PX_FILE_STORED, ///< triangles around all other particles: surface/000001.ply
    PX_FILE_SURFELS,                  ///< surfels around them: surfels/000001.ply
    PX_FILE_CONTACT,                  ///< surfels between bodies that touch: contact/000001.ply
    PX_FILE_FOAM,                     ///< spray, foam and bubbles: foam/000001.ply
    PX_RUN_FILES
} PxRunFile;

/// The name of the subfolder, such as "frames".
const char *px_run_file_folder(PxRunFile kind);

/// DIR/FOLDER/NUMBER. Errors: PX_ERR_ARGUMENT when the path is too long.
PxStatus px_run_file_path(char path[PX_PATH_MAX], const char *dir, PxRunFile kind, uint32_t number);

/// The numbers of the existing files, ascending. Free with PX_LIST_FREE().
PxStatus px_run_file_numbers(const char *dir, PxRunFile kind, PxNumbers *out);

/// Removes the files from number `first` on, in descending order, so that a killed process leaves
/// no gap. With `first` 0 the empty folders are removed too. Errors: PX_ERR_IO, PX_ERR_MEMORY.
PxStatus px_run_file_remove(const char *dir, PxRunFile kind, uint32_t first);

/// Shares the files of `from` up to number `last` with `to`: by hard links, or by copies where the
/// file system has no hard links. Links are safe because files are only ever replaced as a whole,
/// never modified. Errors: PX_ERR_IO, PX_ERR_MEMORY.
PxStatus px_run_file_share(const char *from, const char *to, PxRunFile kind, uint32_t last);

#endif
