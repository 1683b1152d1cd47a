#include "run/surface_files.h"

#include "store/run_files.h"
#include "store/surface_stamp.h"

#include <sys/stat.h>

/* Removes 000001.ply, ... and measure.csv of one folder. */
static PxStatus remove_files(const char *folder)
{
    char path[PX_PATH_MAX];
    PxNumbers numbers;
    PX_TRY(px_folder_clean(folder));
    PX_TRY(px_folder_numbers(folder, ".ply", &numbers));
    PxStatus status = PX_OK;
    bool ours = false;
    for (size_t k = numbers.count; k > 0 && status == PX_OK; --k) {
        status = px_path_join(path, folder, "%06u.ply", numbers.data[k - 1]);
        if (status != PX_OK || !px_surface_is_stamped(path))
            continue;
        ours = true;
        status = px_file_remove(path);
    }
    PX_LIST_FREE(&numbers);
    if (status == PX_OK && ours)
        status = px_path_join(path, folder, "measure.csv");
    return status == PX_OK && ours ? px_file_remove(path) : status;
}

static bool is_folder(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

PxStatus px_surface_files_remove(const char *dir)
{
    for (PxRunFile kind = PX_FILE_STORED; kind < PX_RUN_FILES; ++kind) {
        char folder[PX_PATH_MAX], path[PX_PATH_MAX];
        PX_TRY(px_path_join(folder, dir, "%s", px_run_file_folder(kind)));
        if (!px_file_exists(folder))
            continue;
        PX_TRY(remove_files(folder));
        PxNames names = {0};
        PX_TRY(px_folder_list(folder, &names));
        PxStatus status = PX_OK;
        for (size_t k = 0; k < names.count && status == PX_OK; ++k) { /* one per material */
            status = px_path_join(path, folder, "%s", names.data[k]);
            if (status != PX_OK || !is_folder(path))
                continue;
            status = remove_files(path);
            px_folder_drop(path);
        }
        px_names_free(&names);
        PX_TRY(status);
        px_folder_drop(folder);
    }
    return PX_OK;
}
