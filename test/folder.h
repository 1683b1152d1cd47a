/// A temporary folder for a test that writes files, removed when the test ends.
#ifndef PX_TEST_FOLDER_H
#define PX_TEST_FOLDER_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER_PATH 512

typedef struct Folder {
    char path[FOLDER_PATH];
} Folder;

/// In memory where that is possible: the tests sync a lot, and disks are slow at it.
static inline Folder folder_make(void)
{
    Folder folder;
    const char *root = getenv("TMPDIR");
    if (root == NULL)
        root = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(folder.path, sizeof folder.path, "%s/phyxel-test-XXXXXX", root);
    if (mkdtemp(folder.path) == NULL)
        abort();
    return folder;
}

/// The path of a file in it; valid until four more were asked for.
static inline const char *folder_file(const Folder *folder, const char *name)
{
    static char paths[4][2 * FOLDER_PATH];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder->path, name);
    return path;
}

static inline void folder_remove_path(const char *path)
{
    DIR *list = opendir(path);
    if (list != NULL) {
        for (struct dirent *entry; (entry = readdir(list)) != NULL;) {
            if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
                continue;
            char full[2 * FOLDER_PATH];
            struct stat info;
            if (snprintf(full, sizeof full, "%s/%s", path, entry->d_name) >= (int)sizeof full)
                continue;
            if (lstat(full, &info) == 0 && S_ISDIR(info.st_mode))
                folder_remove_path(full);
            else
                unlink(full);
        }
        closedir(list);
    }
    rmdir(path);
}

static inline void folder_remove(Folder *folder)
{
    folder_remove_path(folder->path);
}

/// Makes the folders of a run in it, which those who write frames and checkpoints must have.
static inline void folder_of_run(const char *path)
{
    static const char *const names[] = {"frames", "checkpoints"};
    for (int k = 0; k < 2; ++k) {
        char full[2 * FOLDER_PATH];
        snprintf(full, sizeof full, "%s/%s", path, names[k]);
        mkdir(full, 0777);
    }
}

/// How many names are in it, hidden ones too.
static inline int folder_count(const char *path)
{
    int count = 0;
    DIR *list = opendir(path);
    if (list == NULL)
        return -1;
    for (struct dirent *entry; (entry = readdir(list)) != NULL;)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(list);
    return count;
}

#endif
