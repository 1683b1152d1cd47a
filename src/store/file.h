/// Files on behalf of a run: nothing is ever seen half-written.
///
/// A file is written aside, in the same folder, as ".NAME.PROCESS.phyxel-partial"; it
/// is synced, renamed over the old one, and the folder is synced. Whatever happens
/// before the rename (a full disk, a signal, kill -9) the old file stays as it was.
/// Whoever lists a folder passes over hidden names, hence over partial files. With
/// the number of the process in the name, two processes in one folder by mistake
/// still leave whole files.
///
/// Threads: any, as long as no two write the same path.
#ifndef PX_STORE_FILE_H
#define PX_STORE_FILE_H

#include "base/memory.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "phyxel's files are little endian and are written as they lie in memory"
#endif

/// Room for a path with its final zero.
#define PX_PATH_MAX 4096u

/// A file being written aside.
typedef struct PxFile {
    char path[PX_PATH_MAX];
    char partial[PX_PATH_MAX]; ///< where the bytes are until the commit
    int descriptor;            ///< -1 when nothing is open
} PxFile;

/// Starts to write `path` aside. Every begin is followed by px_file_abandon(),
/// with or without a commit before it.
/// Errors: PX_ERR_IO with the path and the system's reason.
PxStatus px_file_begin(PxFile *file, const char *path);

/// Appends bytes. Errors: PX_ERR_IO.
PxStatus px_file_put(PxFile *file, const void *bytes, size_t size);

/// Puts the finished file into its place. On failure the partial file is gone and
/// the old one untouched, but for one case the message tells: the new file is in
/// place and its folder could not be synced, so a power cut may undo it.
PxStatus px_file_commit(PxFile *file);

/// Removes what was not committed; does nothing after a commit.
void px_file_abandon(PxFile *file);

/// All of the above at once.
PxStatus px_file_write_atomic(const char *path, const void *bytes, size_t size);

/// The whole of a regular file, with a zero after the last byte (not counted in
/// *size). Give it back with px_list_free().
/// Errors: PX_ERR_IO; PX_ERR_FORMAT when there are more than `limit` bytes;
/// PX_ERR_MEMORY.
PxStatus px_file_read(const char *path, size_t limit, void **bytes, size_t *size);

/// `size` bytes at the end of a regular file, and how long the file is. Fails with
/// PX_ERR_FORMAT when it is shorter than `size`.
PxStatus px_file_read_end(const char *path, void *bytes, size_t size, uint64_t *length);

bool px_file_exists(const char *path);

/// A file that is not there counts as removed.
PxStatus px_file_remove(const char *path);

/// Makes the folder and those above it; one that is there already is fine.
PxStatus px_folder_make(const char *path);

/// Removes a folder that is empty; any other stays, and so does one that cannot be removed.
void px_folder_drop(const char *path);

/// Syncs the names in a folder.
PxStatus px_folder_sync(const char *path);

/// Names in a folder, sorted by their bytes, hidden ones left out.
typedef struct PxNames {
    char **data;
    size_t count, capacity;
} PxNames;

PxStatus px_folder_list(const char *path, PxNames *out);
void px_names_free(PxNames *names);

/// Removes the partial files that processes left which run no more. Others, whoever
/// they belong to, stay.
PxStatus px_folder_clean(const char *path);

/// Numbered files: 000012.h5. Seven digits after a million.
typedef struct PxNumbers {
    uint32_t *data;
    size_t count, capacity;
} PxNumbers;

/// The numbers N for which the folder has a file 00000N + suffix, ascending. A
/// folder that is not there has none. Free with PX_LIST_FREE().
PxStatus px_folder_numbers(const char *path, const char *suffix, PxNumbers *out);

/// Writes folder + "/" + the formatted name into `out`.
/// Errors: PX_ERR_ARGUMENT when it does not fit.
PxStatus px_path_join(char out[PX_PATH_MAX], const char *folder, const char *format, ...)
    PX_PRINTF(3, 4);

#endif
