#define _GNU_SOURCE /* posix_spawn_file_actions_addchdir_np() */
#include "study/gnuplot.h"

#include <fcntl.h>
#include <spawn.h>
#include <stddef.h>
#include <sys/wait.h>

extern char **environ;

bool px_gnuplot(const char *folder, const char *script)
{
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return false;
    char *arguments[] = {"gnuplot", (char *)script, NULL};
    pid_t child;
    int status = -1;
    bool begun = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0) == 0 &&
                 posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0) == 0 &&
                 posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) == 0 &&
                 posix_spawn_file_actions_addchdir_np(&actions, folder) == 0 &&
                 posix_spawnp(&child, "gnuplot", &actions, NULL, arguments, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    return begun && waitpid(child, &status, 0) == child && status == 0;
}
