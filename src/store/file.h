/// Atomic file writing, and reading, paths and folders.
///
/// A file is first written to ".NAME.PID.phyxel-partial" in the same folder, synced and
/// renamed over the old one; then the folder is synced. A failure before the rename (a
/// full disk, a signal, kill -9) leaves the old file unchanged. Listings skip hidden
/// names, hence partial files. The process id in the name keeps files intact when two
/// processes write to one folder by mistake.
///
/// Threads: any, as long as no two write the same path.
#ifndef PX_STORE_FILE_H
#define PX_STORE_FILE_H

#include "base/memory.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "phyxel's files are little endian and are written as they lie in memory"
#endif

/// Buffer size for a path, including the terminating zero.
#define PX_PATH_MAX 4096u

/// A file being written under its temporary name.
typedef struct PxFile {
    char path[PX_PATH_MAX];
    char partial[PX_PATH_MAX]; ///< temporary name until the commit
    int descriptor;            ///< -1 when nothing is open
    int folder;                ///< in which it is; open as long as the file
} PxFile;

/// A condition that must hold when a file gets its final name, such as that the folder still
/// belongs to the run; an error keeps it from being renamed. {0} for none.
typedef struct PxFileCheck {
    PxStatus (*call)(const void *user);
    const void *user;
} PxFileCheck;

/// Opens the temporary file of `path`. Always call px_file_abandon() at the end, also
/// after a commit.
/// Errors: PX_ERR_IO with the path and the system's error.
PxStatus px_file_begin(PxFile *file, const char *path);

/// Appends bytes. Errors: PX_ERR_IO.
PxStatus px_file_put(PxFile *file, const void *bytes, size_t size);

/// Syncs the file and renames it to its final path, in the folder that was open since
/// px_file_begin(), even if another one has its path by now. On failure the partial file is
/// removed and the old file unchanged, with one exception, which the message states: if
/// only the sync of the folder fails, the new file is in place, but a power cut may undo
/// the rename.
PxStatus px_file_commit(PxFile *file);

/// Removes the partial file; does nothing after a commit.
void px_file_abandon(PxFile *file);

/// Writes a whole file atomically: begin, put, commit.
PxStatus px_file_write_atomic(const char *path, const void *bytes, size_t size);

/// The same if the condition holds. It is asked after px_file_begin(), hence of the folder into
/// which the file is renamed.
PxStatus px_file_write_checked(const char *path, const void *bytes, size_t size, PxFileCheck check);

/// Commits the file if the condition holds.
PxStatus px_file_commit_checked(PxFile *file, PxFileCheck check);

/// Reads a regular file and appends a zero byte, which *size does not count. Free with
/// px_list_free().
/// Errors: PX_ERR_IO; PX_ERR_FORMAT when the file has more than `limit` bytes;
/// PX_ERR_MEMORY.
PxStatus px_file_read(const char *path, size_t limit, void **bytes, size_t *size);

/// Reads the last `size` bytes of a regular file; *length is the size of the file.
/// Errors: PX_ERR_IO; PX_ERR_FORMAT when the file is shorter than `size`.
PxStatus px_file_read_end(const char *path, void *bytes, size_t size, uint64_t *length);

bool px_file_exists(const char *path);

/// Removes a file; a missing file is no error.
PxStatus px_file_remove(const char *path);

/// Creates the folder and its parents where they do not exist.
PxStatus px_folder_make(const char *path);

/// Creates a folder whose parent exists, without syncing it: a file that the caller then writes to
/// the parent does.
PxStatus px_folder_make_in(const char *path);

/// Refuses a symbolic link in the place of a folder or file of a run, through which phyxel would
/// write or remove elsewhere. Errors: PX_ERR_IO.
PxStatus px_refuse_link(const char *path);

/// Removes the folder if it is empty; failures are ignored.
void px_folder_drop(const char *path);

/// Syncs the directory entries of a folder.
PxStatus px_folder_sync(const char *path);

/// Names in a folder in byte order, without hidden ones.
typedef struct PxNames {
    char **data;
    size_t count, capacity;
} PxNames;

PxStatus px_folder_list(const char *path, PxNames *out);
void px_names_free(PxNames *names);

/// Removes partial files of processes that no longer run, and no other files.
PxStatus px_folder_clean(const char *path);

/// The same in the folder of a file.
PxStatus px_folder_clean_around(const char *path);

/// Numbers of files such as 000012.h5; from a million on they have seven digits.
typedef struct PxNumbers {
    uint32_t *data;
    size_t count, capacity;
} PxNumbers;

/// The numbers N for which the folder has a file 00000N + suffix, ascending; none if
/// the folder does not exist. Free with PX_LIST_FREE().
PxStatus px_folder_numbers(const char *path, const char *suffix, PxNumbers *out);

/// Writes folder + "/" + the formatted name into `out`.
/// Errors: PX_ERR_ARGUMENT when it does not fit.
PxStatus px_path_join(char out[PX_PATH_MAX], const char *folder, const char *format, ...)
    PX_PRINTF(3, 4);

#endif
