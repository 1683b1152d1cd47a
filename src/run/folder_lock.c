#include "run/folder_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

PxStatus px_folder_lock(PxFolderLock *lock, const char *dir)
{
    PX_TRY(px_path_join(lock->path, dir, ".lock"));
    lock->descriptor = open(lock->path, O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (lock->descriptor < 0 && errno == ELOOP)
        return px_fail(PX_ERR_IO, "%s is a symbolic link; remove it", lock->path);
    if (lock->descriptor < 0)
        return px_fail(PX_ERR_IO, "%s: cannot be written: %s", lock->path, strerror(errno));
    if (flock(lock->descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return px_fail(PX_ERR_EXISTS,
                       "%s: another process is running into this folder; wait for it, or choose "
                       "another folder",
                       dir);
    return px_folder_lock_check(lock); /* removed between open() and flock()? */
}

PxStatus px_folder_lock_check(const PxFolderLock *lock)
{
    struct stat ours, there;
    if (fstat(lock->descriptor, &ours) == 0 && lstat(lock->path, &there) == 0 &&
        ours.st_dev == there.st_dev && ours.st_ino == there.st_ino)
        return PX_OK;
    size_t length = strlen(lock->path) - strlen("/.lock");
    return px_fail(PX_ERR_IO,
                   "the folder '%.*s' was removed or replaced during the run; what is there now is "
                   "not of this run",
                   (int)length, lock->path);
}

void px_folder_unlock(PxFolderLock *lock)
{
    if (lock->descriptor >= 0)
        close(lock->descriptor);
    lock->descriptor = -1;
}
