#include "store/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PARTIAL ".phyxel-partial"

/* Largest read or write in one call, bytes; Linux transfers at most 2 GiB minus a page. */
#define PIECE ((size_t)1 << 30)

static PxStatus fail_errno(const char *what, const char *path, int error)
{
    char reason[128] = "unknown error";
    strerror_r(error, reason, sizeof reason);
    return px_fail(PX_ERR_IO, "%s '%s': %s", what, path, reason);
}

/* ---- paths ---- */

PxStatus px_path_join(char out[PX_PATH_MAX], const char *folder, const char *format, ...)
{
    char name[PX_PATH_MAX];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    int total = -1;
    if (length >= 0 && (size_t)length < sizeof name)
        total = snprintf(out, PX_PATH_MAX, "%s/%s", folder, name);
    if (total < 0 || (size_t)total >= PX_PATH_MAX) {
        out[0] = '\0';
        return px_fail(PX_ERR_ARGUMENT, "the path '%.100s/%.100s...' is longer than %u bytes",
                       folder, name, PX_PATH_MAX - 1);
    }
    return PX_OK;
}

/* Splits at the last slash: "a/b" -> "a" + "b", "b" -> "." + "b", "/b" -> "/" + "b". */
static PxStatus split(const char *path, char folder[PX_PATH_MAX], const char **name)
{
    size_t length = strlen(path);
    *name = path;
    if (length == 0 || length >= PX_PATH_MAX || path[length - 1] == '/')
        return px_fail(PX_ERR_ARGUMENT, "'%.200s' cannot be the path of a file", path);
    const char *slash = strrchr(path, '/');
    if (slash != NULL)
        *name = slash + 1;
    size_t head = slash != NULL ? (size_t)(slash - path) : 0;
    if (slash == path)
        head = 1;
    memcpy(folder, path, head);
    folder[head] = '\0';
    if (slash == NULL)
        strcpy(folder, ".");
    return PX_OK;
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* ---- atomic writing ---- */

/* Syncs the entries of an open folder; 0 or the error. Some file systems do not support fsync() of
 * a folder and return EINVAL; there is no other way to sync it. */
static int sync_folder(int folder)
{
    return fsync(folder) != 0 && errno != EINVAL ? errno : 0;
}

PxStatus px_file_begin(PxFile *file, const char *path)
{
    char folder[PX_PATH_MAX];
    const char *name;
    file->descriptor = -1;
    PX_TRY(split(path, folder, &name));
    PX_TRY(px_path_join(file->partial, folder, ".%s.%ld" PARTIAL, name, (long)getpid()));
    strcpy(file->path, path);
    file->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file->folder < 0)
        return fail_errno("cannot write", path, errno);
    /* A killed process may have had the same id. Its file is removed rather than
     * truncated, so as not to write through a link. */
    unlinkat(file->folder, name_of(file->partial), 0);
    file->descriptor = openat(file->folder, name_of(file->partial),
                              O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (file->descriptor < 0) {
        int error = errno;
        close(file->folder);
        return fail_errno("cannot write", path, error);
    }
    return PX_OK;
}

PxStatus px_file_put(PxFile *file, const void *bytes, size_t size)
{
    const char *from = bytes;
    while (size > 0) {
        ssize_t done = write(file->descriptor, from, size < PIECE ? size : PIECE);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return fail_errno("cannot write", file->path, errno);
        from += done;
        size -= (size_t)done;
    }
    return PX_OK;
}

PxStatus px_file_commit(PxFile *file)
{
    int error = fsync(file->descriptor) != 0 ? errno : 0;
    /* Network file systems may report a full disk only on close. */
    if (close(file->descriptor) != 0 && error == 0)
        error = errno;
    file->descriptor = -1;
    const char *partial = name_of(file->partial);
    if (error == 0 && renameat(file->folder, partial, file->folder, name_of(file->path)) != 0)
        error = errno;
    if (error != 0)
        unlinkat(file->folder, partial, 0);
    int unsynced = error == 0 ? sync_folder(file->folder) : 0;
    close(file->folder);
    if (unsynced != 0)
        return fail_errno("cannot sync the folder of", file->path, unsynced);
    return error == 0 ? PX_OK : fail_errno("cannot write", file->path, error);
}

PxStatus px_file_commit_checked(PxFile *file, PxFileCheck check)
{
    PX_TRY(check.call != NULL ? check.call(check.user) : PX_OK);
    return px_file_commit(file);
}

void px_file_abandon(PxFile *file)
{
    if (file->descriptor < 0)
        return;
    close(file->descriptor);
    unlinkat(file->folder, name_of(file->partial), 0);
    close(file->folder);
    file->descriptor = -1;
}

PxStatus px_file_write_atomic(const char *path, const void *bytes, size_t size)
{
    return px_file_write_checked(path, bytes, size, (PxFileCheck){NULL, NULL});
}

PxStatus px_file_write_checked(const char *path, const void *bytes, size_t size, PxFileCheck check)
{
    PxFile file;
    PxStatus status = px_file_begin(&file, path);
    if (status == PX_OK)
        status = px_file_put(&file, bytes, size);
    if (status == PX_OK)
        status = px_file_commit_checked(&file, check);
    px_file_abandon(&file);
    return status;
}

/* ---- reading ---- */

/* Opens a regular file; *length is its size. Pipes and devices are refused, because
 * they may have no end. */
static PxStatus open_regular(const char *path, int *descriptor, uint64_t *length)
{
    *descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (*descriptor < 0)
        return fail_errno("cannot read", path, errno);
    struct stat info;
    int error = 0;
    if (fstat(*descriptor, &info) != 0)
        error = errno;
    else if (S_ISDIR(info.st_mode))
        error = EISDIR;
    if (error == 0 && S_ISREG(info.st_mode)) {
        *length = (uint64_t)info.st_size;
        return PX_OK;
    }
    close(*descriptor);
    *descriptor = -1;
    if (error != 0)
        return fail_errno("cannot read", path, error);
    return px_fail(PX_ERR_IO, "cannot read '%s': it is not a regular file", path);
}

/* Reads `size` bytes, or fewer at the end of the file; *got is their number. */
static PxStatus read_at(int descriptor, const char *path, uint64_t from, void *bytes, size_t size,
                        size_t *got)
{
    *got = 0;
    while (*got < size) {
        size_t piece = size - *got < PIECE ? size - *got : PIECE;
        ssize_t done = pread(descriptor, (char *)bytes + *got, piece, (off_t)(from + *got));
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return fail_errno("cannot read", path, errno);
        if (done == 0)
            break;
        *got += (size_t)done;
    }
    return PX_OK;
}

PxStatus px_file_read(const char *path, size_t limit, void **bytes, size_t *size)
{
    int descriptor;
    uint64_t length;
    *bytes = NULL;
    *size = 0;
    PX_TRY(open_regular(path, &descriptor, &length));
    PxStatus status = PX_OK;
    char *memory = NULL;
    if (length > limit || length >= SIZE_MAX)
        status = px_fail(PX_ERR_FORMAT, "'%s' has %llu bytes, at most %zu are allowed", path,
                         (unsigned long long)length, limit);
    else if ((memory = malloc((size_t)length + 1)) == NULL)
        status = px_fail(PX_ERR_MEMORY, "no room for the %llu bytes of '%s'",
                         (unsigned long long)length, path);
    else
        status = read_at(descriptor, path, 0, memory, (size_t)length, size);
    close(descriptor);
    if (status != PX_OK) {
        free(memory);
        *size = 0;
        return status;
    }
    memory[*size] = '\0';
    *bytes = memory;
    return PX_OK;
}

PxStatus px_file_read_end(const char *path, void *bytes, size_t size, uint64_t *length)
{
    int descriptor;
    PX_TRY(open_regular(path, &descriptor, length));
    size_t got = 0;
    PxStatus status = PX_OK;
    if (*length >= size)
        status = read_at(descriptor, path, *length - size, bytes, size, &got);
    close(descriptor);
    if (status == PX_OK && got < size)
        status =
            px_fail(PX_ERR_FORMAT, "'%s' has only %llu bytes", path, (unsigned long long)*length);
    return status;
}

bool px_file_exists(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0;
}

PxStatus px_file_remove(const char *path)
{
    if (unlink(path) != 0 && errno != ENOENT)
        return fail_errno("cannot remove", path, errno);
    return PX_OK;
}

/* ---- folders ---- */

PxStatus px_refuse_link(const char *path)
{
    struct stat info;
    char own[PX_PATH_MAX];
    size_t length = strlen(path);
    if (length >= sizeof own)
        return PX_OK; /* whoever opens it complains */
    memcpy(own, path, length + 1);
    /* behind a slash the link would be followed */
    while (length > 1 &&
           (own[length - 1] == '/' || (own[length - 1] == '.' && own[length - 2] == '/')))
        own[--length] = '\0';
    if (lstat(own, &info) != 0 || !S_ISLNK(info.st_mode))
        return PX_OK;
    return px_fail(PX_ERR_IO,
                   "'%s' is a symbolic link, which is not followed; remove it, or name the folder "
                   "itself",
                   own);
}

void px_folder_drop(const char *path)
{
    rmdir(path); /* fails if the folder is not empty */
}

PxStatus px_folder_sync(const char *path)
{
    int descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0)
        return fail_errno("cannot sync the folder", path, errno);
    int error = sync_folder(descriptor);
    close(descriptor);
    return error == 0 ? PX_OK : fail_errno("cannot sync the folder", path, error);
}

/* Creates one folder, whose parent exists. */
static PxStatus make_one(const char *path, bool sync)
{
    if (mkdir(path, 0777) == 0) {
        char parent[PX_PATH_MAX];
        const char *name;
        PX_TRY(split(path, parent, &name));
        return sync ? px_folder_sync(parent) : PX_OK;
    }
    int error = errno;
    struct stat info;
    if (error == EEXIST && stat(path, &info) == 0) {
        if (S_ISDIR(info.st_mode))
            return PX_OK;
        error = ENOTDIR;
    }
    return fail_errno("cannot make the folder", path, error);
}

PxStatus px_folder_make(const char *path)
{
    char part[PX_PATH_MAX];
    size_t length = strlen(path);
    if (length == 0 || length >= sizeof part)
        return px_fail(PX_ERR_ARGUMENT, "'%.200s' cannot be the path of a folder", path);
    memcpy(part, path, length + 1);
    while (length > 1 && part[length - 1] == '/')
        part[--length] = '\0';
    for (size_t k = 1; k < length; ++k) {
        if (part[k] != '/' || part[k - 1] == '/')
            continue;
        part[k] = '\0';
        /* Check first: mkdir may be forbidden in a parent although the folder exists. */
        PxStatus status = px_file_exists(part) ? PX_OK : make_one(part, true);
        part[k] = '/';
        PX_TRY(status);
    }
    return make_one(part, true);
}

PxStatus px_folder_make_in(const char *path)
{
    return make_one(path, false);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Lists the names for which keep() is true, unsorted. */
static PxStatus list_folder(const char *path, bool (*keep)(const char *name), PxNames *out)
{
    *out = (PxNames){0};
    DIR *folder = opendir(path);
    if (folder == NULL)
        return fail_errno("cannot list the folder", path, errno);
    PxStatus status = PX_OK;
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(folder);
        if (entry == NULL) {
            if (errno != 0)
                status = fail_errno("cannot list the folder", path, errno);
            break;
        }
        if (!keep(entry->d_name))
            continue;
        char *name = PX_LIST_RESERVE(out, 1) ? strdup(entry->d_name) : NULL;
        if (name == NULL) {
            status = px_fail(PX_ERR_MEMORY, "no room for the names in '%s'", path);
            break;
        }
        out->data[out->count++] = name;
    }
    closedir(folder);
    if (status != PX_OK)
        px_names_free(out);
    return status;
}

static bool is_visible(const char *name)
{
    return name[0] != '.';
}

/* Whether the name is ".NAME.PID.phyxel-partial" of a process that no longer runs. */
static bool is_left_over(const char *name)
{
    size_t length = strlen(name), tail = strlen(PARTIAL);
    if (name[0] != '.' || length <= tail || strcmp(name + length - tail, PARTIAL) != 0)
        return false;
    const char *digit = name + length - tail;
    long process = 0, place = 1;
    while (digit[-1] >= '0' && digit[-1] <= '9' && place < 1000000000) {
        process += (*--digit - '0') * place;
        place *= 10;
    }
    return place > 1 && digit[-1] == '.' && process > 0 && kill((pid_t)process, 0) != 0 &&
           errno == ESRCH;
}

PxStatus px_folder_list(const char *path, PxNames *out)
{
    PX_TRY(list_folder(path, is_visible, out));
    if (out->count > 1)
        qsort(out->data, out->count, sizeof *out->data, compare_names); /* all are different */
    return PX_OK;
}

void px_names_free(PxNames *names)
{
    for (size_t k = 0; k < names->count; ++k)
        free(names->data[k]);
    PX_LIST_FREE(names);
}

PxStatus px_folder_clean(const char *path)
{
    PxNames names;
    PX_TRY(list_folder(path, is_left_over, &names));
    PxStatus status = PX_OK;
    for (size_t k = 0; k < names.count && status == PX_OK; ++k) {
        char full[PX_PATH_MAX];
        status = px_path_join(full, path, "%s", names.data[k]);
        if (status == PX_OK)
            status = px_file_remove(full);
    }
    px_names_free(&names);
    return status;
}

PxStatus px_folder_clean_around(const char *path)
{
    char folder[PX_PATH_MAX];
    const char *name;
    PX_TRY(split(path, folder, &name));
    return px_folder_clean(folder);
}

/* "000012.h5" with suffix ".h5" -> 12. Only names that phyxel writes are accepted,
 * not "12.h5" or "0000012.h5". */
static bool parse_number(const char *name, const char *suffix, uint32_t *out)
{
    uint64_t number = 0;
    size_t digits = 0;
    for (; name[digits] >= '0' && name[digits] <= '9'; ++digits) {
        if (digits == 10)
            return false;
        number = number * 10 + (uint64_t)(name[digits] - '0');
    }
    if (digits < 6 || (digits > 6 && name[0] == '0') || number > UINT32_MAX ||
        strcmp(name + digits, suffix) != 0)
        return false;
    *out = (uint32_t)number;
    return true;
}

static int compare_numbers(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

PxStatus px_folder_numbers(const char *path, const char *suffix, PxNumbers *out)
{
    *out = (PxNumbers){0};
    if (!px_file_exists(path))
        return PX_OK;
    PxNames names;
    PX_TRY(px_folder_list(path, &names));
    PxStatus status = PX_OK;
    for (size_t k = 0; k < names.count; ++k) {
        uint32_t number;
        if (!parse_number(names.data[k], suffix, &number))
            continue;
        if (!PX_LIST_RESERVE(out, 1)) {
            status = px_fail(PX_ERR_MEMORY, "no room for the names in '%s'", path);
            PX_LIST_FREE(out);
            break;
        }
        out->data[out->count++] = number;
    }
    px_names_free(&names);
    /* Sort by value: by name, seven digits come before six. */
    if (out->count > 1)
        qsort(out->data, out->count, sizeof *out->data, compare_numbers); /* all are different */
    return status;
}
