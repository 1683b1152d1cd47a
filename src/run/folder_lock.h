/// The lock of a result folder, DIR/.lock: one run at a time, and notice when the folder is removed
/// or replaced during a run.
#ifndef PX_RUN_FOLDER_LOCK_H
#define PX_RUN_FOLDER_LOCK_H

#include "store/file.h"

/// Initialise with descriptor = -1.
typedef struct PxFolderLock {
    char path[PX_PATH_MAX]; ///< of the lock
    int descriptor;
} PxFolderLock;

/// Locks the folder until px_folder_unlock() or the end of the process. Some network file systems
/// have no locks; there the user must take care. A symbolic link is refused.
/// Errors: PX_ERR_IO; PX_ERR_EXISTS when another process has the lock.
PxStatus px_folder_lock(PxFolderLock *lock, const char *dir);

/// Checks that the lock on disk is still this one. It is not when the folder was removed, moved
/// away or replaced. Errors: PX_ERR_IO.
PxStatus px_folder_lock_check(const PxFolderLock *lock);

/// Does nothing for a lock that is not taken.
void px_folder_unlock(PxFolderLock *lock);

#endif
