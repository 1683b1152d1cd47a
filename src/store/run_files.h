/// The numbered files of a result folder: which folder has which view of a frame.
#ifndef PX_STORE_RUN_FILES_H
#define PX_STORE_RUN_FILES_H

#include "store/file.h"

/// Kinds of files that there may be one of for every frame. `phyxel run` stores those up to
/// PX_FILE_STORED with the frame; the others are made from stored frames.
typedef enum PxRunFile {
    PX_FILE_FRAME,        ///< all particles: frames/000001.h5
    PX_FILE_SKIN,         ///< triangles of solid bodies that have a skin: skin/000001.ply
    PX_FILE_SKIN_SURFELS, ///< surfels of solid bodies: skin-surfels/000001.ply
    PX_FILE_COAT,         ///< surfels of materials that have a coat: coat/000001.ply
    PX_FILE_STORED,
    PX_FILE_SURFACE = PX_FILE_STORED, ///< triangles around all other particles: surface/000001.ply
    PX_FILE_SURFELS,                  ///< surfels around them: surfels/000001.ply
    PX_RUN_FILES
} PxRunFile;

/// The name of the folder: "frames".
const char *px_run_file_folder(PxRunFile kind);

/// DIR/FOLDER/NUMBER. Errors: PX_ERR_ARGUMENT when the path is too long.
PxStatus px_run_file_path(char path[PX_PATH_MAX], const char *dir, PxRunFile kind, uint32_t number);

/// The numbers of the files that there are, ascending. Free with PX_LIST_FREE().
PxStatus px_run_file_numbers(const char *dir, PxRunFile kind, PxNumbers *out);

/// Removes the files from number `first` on, the last one first: whoever is killed meanwhile leaves
/// no gap. Folders that are empty then go, too, with `first` 0. Errors: PX_ERR_IO, PX_ERR_MEMORY.
PxStatus px_run_file_remove(const char *dir, PxRunFile kind, uint32_t first);

/// Gives `to` the files of `from` up to number `last`: as hard links, or as copies where the file
/// system has no such links. Files are replaced as a whole and never changed, so both runs stay
/// what they are. Errors: PX_ERR_IO, PX_ERR_MEMORY.
PxStatus px_run_file_share(const char *from, const char *to, PxRunFile kind, uint32_t last);

#endif
