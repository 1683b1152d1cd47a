#include "store/run_files.h"

#include "base/memory.h"

#include <errno.h>
#include <unistd.h>

/* Largest file that is copied, bytes. */
#define MOST_BYTES ((size_t)1 << 37)

static const struct {
    const char *folder, *suffix;
} kinds[PX_RUN_FILES] = {
    [PX_FILE_FRAME] = {"frames", ".h5"},
    [PX_FILE_SKIN] = {"skin", ".ply"},
    [PX_FILE_SKIN_SURFELS] = {"skin-surfels", ".ply"},
    [PX_FILE_COAT] = {"coat", ".ply"},
    [PX_FILE_SURFACE] = {"surface", ".ply"},
    [PX_FILE_SURFELS] = {"surfels", ".ply"},
    [PX_FILE_CONTACT] = {"contact", ".ply"},
    [PX_FILE_FOAM] = {"foam", ".ply"},
};

const char *px_run_file_folder(PxRunFile kind)
{
    return kinds[kind].folder;
}

PxStatus px_run_file_path(char path[PX_PATH_MAX], const char *dir, PxRunFile kind, uint32_t number)
{
    return px_path_join(path, dir, "%s/%06u%s", kinds[kind].folder, number, kinds[kind].suffix);
}

PxStatus px_run_file_numbers(const char *dir, PxRunFile kind, PxNumbers *out)
{
    char folder[PX_PATH_MAX];
    *out = (PxNumbers){0};
    PX_TRY(px_path_join(folder, dir, "%s", kinds[kind].folder));
    return px_folder_numbers(folder, kinds[kind].suffix, out);
}

PxStatus px_run_file_remove(const char *dir, PxRunFile kind, uint32_t first)
{
    char folder[PX_PATH_MAX], path[PX_PATH_MAX];
    PX_TRY(px_path_join(folder, dir, "%s", kinds[kind].folder));
    if (!px_file_exists(folder))
        return PX_OK;
    PX_TRY(px_folder_clean(folder));
    PxNumbers numbers;
    PX_TRY(px_run_file_numbers(dir, kind, &numbers));
    PxStatus status = PX_OK;
    bool any = false;
    for (size_t k = numbers.count; k > 0 && numbers.data[k - 1] >= first && status == PX_OK; --k) {
        any = true;
        status = px_run_file_path(path, dir, kind, numbers.data[k - 1]);
        if (status == PX_OK)
            status = px_file_remove(path);
    }
    PX_LIST_FREE(&numbers);
    if (status == PX_OK && any)
        status = px_folder_sync(folder);
    if (status == PX_OK && first == 0 && kind != PX_FILE_FRAME)
        px_folder_drop(folder);
    return status;
}

static PxStatus share_file(const char *from, const char *to)
{
    if (link(from, to) == 0)
        return PX_OK;
    if (errno == EEXIST) {
        PX_TRY(px_file_remove(to));
        if (link(from, to) == 0)
            return PX_OK;
    }
    void *bytes;
    size_t size;
    PX_TRY(px_file_read(from, MOST_BYTES, &bytes, &size));
    PxStatus status = px_file_write_atomic(to, bytes, size);
    px_list_free(bytes);
    return status;
}

PxStatus px_run_file_share(const char *from, const char *to, PxRunFile kind, uint32_t last)
{
    char folder[PX_PATH_MAX], source[PX_PATH_MAX], path[PX_PATH_MAX];
    PX_TRY(px_path_join(folder, to, "%s", kinds[kind].folder));
    PxNumbers numbers;
    PX_TRY(px_run_file_numbers(from, kind, &numbers));
    PxStatus status = PX_OK;
    if (numbers.count > 0 && numbers.data[0] <= last)
        status = px_folder_make(folder);
    for (size_t k = 0; k < numbers.count && numbers.data[k] <= last && status == PX_OK; ++k) {
        status = px_run_file_path(source, from, kind, numbers.data[k]);
        if (status == PX_OK)
            status = px_run_file_path(path, to, kind, numbers.data[k]);
        if (status == PX_OK)
            status = share_file(source, path);
    }
    bool any = numbers.count > 0 && numbers.data[0] <= last;
    PX_LIST_FREE(&numbers);
    return status == PX_OK && any ? px_folder_sync(folder) : status;
}
