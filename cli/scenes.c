/// The command `phyxel scenes`: lists the scenes shipped with phyxel.
#include "commands.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Finds the folder of the scenes: that of the installation, or that of the source
 * tree. */
static bool find_folder(char *out, size_t size)
{
    char self[1024];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length > 0) {
        self[length] = '\0';
        char *slash = strrchr(self, '/');
        if (slash != NULL) {
            *slash = '\0';
            snprintf(out, size, "%s/%s", self, PX_SCENES_INSTALLED);
            char *real = realpath(out, NULL);
            if (real != NULL) {
                snprintf(out, size, "%s", real);
                free(real);
                return true;
            }
        }
    }
    snprintf(out, size, "%s", PX_SCENES_SOURCE);
    return access(out, R_OK) == 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

int command_scenes(int argc, char **argv)
{
    const Command command = {"scenes",
                             "[NAME]",
                             "list the scenes that come with phyxel",
                             "With a name: prints the path of that scene, as in\n"
                             "  phyxel run $(phyxel scenes dam-break)",
                             NULL,
                             0};
    const char *wanted;
    size_t words;
    OptionResult read = options_read(&command, argc, argv, &wanted, 0, 1, &words);
    if (read != OPTIONS_READ)
        return read == OPTIONS_HELP_SHOWN ? EXIT_DONE : EXIT_WRONG;
    char folder[2048];
    DIR *dir = find_folder(folder, sizeof folder) ? opendir(folder) : NULL;
    if (dir == NULL) {
        fprintf(stderr, "phyxel scenes: there is no folder %s\n", folder);
        return EXIT_FAILED;
    }
    enum { MOST = 256 };
    char *name[MOST];
    size_t count = 0;
    for (struct dirent *entry; (entry = readdir(dir)) != NULL && count < MOST;) {
        size_t length = strlen(entry->d_name);
        if (length > 5 && strcmp(entry->d_name + length - 5, ".json") == 0) {
            name[count] = strdup(entry->d_name);
            if (name[count] != NULL)
                name[count++][length - 5] = '\0';
        }
    }
    closedir(dir);
    qsort(name, count, sizeof *name, by_name);
    int status = EXIT_DONE;
    bool found = false;
    for (size_t k = 0; k < count; ++k) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s.json", folder, name[k]);
        if (words == 1 && strcmp(wanted, name[k]) == 0) {
            puts(path);
            found = true;
        } else if (words == 0) {
            PxScene *scene = NULL;
            px_scene_read(path, &scene);
            printf("%-16s %s\n", name[k], scene != NULL ? px_scene_name(scene) : "(unreadable)");
            px_scene_free(scene);
        }
    }
    if (words == 1 && !found) {
        const char *near = px_suggest(wanted, (const char *const *)name, count);
        fprintf(stderr, "phyxel scenes: there is no scene '%.60s'%s%s%s\n", wanted,
                near != NULL ? ", did you mean '" : "; 'phyxel scenes' lists them",
                near != NULL ? near : "", near != NULL ? "'?" : "");
        status = EXIT_WRONG;
    } else if (words == 0) {
        fprintf(stderr, "\nphyxel run $(phyxel scenes NAME) runs one; they are in %s\n", folder);
    }
    for (size_t k = 0; k < count; ++k)
        free(name[k]);
    return status;
}
