/// The command `phyxel view`: starts phyxel-view, which is a program of its own, so that phyxel
/// needs no window system.
#include "commands.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { MOST_ARGUMENTS = 256 };

int command_view(int argc, char **argv)
{
    char path[4096] = "";
    char *arguments[MOST_ARGUMENTS + 2] = {path};
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 16);
    path[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(path, '/');
    if (slash == NULL || argc > MOST_ARGUMENTS) {
        fprintf(stderr, "phyxel view: %s\n",
                slash == NULL ? "its own folder is not known" : "too many arguments");
        return EXIT_WRONG;
    }
    memcpy(slash, "/phyxel-view", sizeof "/phyxel-view");
    for (int k = 0; k < argc; ++k)
        arguments[k + 1] = argv[k];
    fflush(NULL);
    execv(path, arguments);
    if (errno == ENOENT)
        fprintf(stderr, "phyxel view: there is no %s.\n%s\n", text_safe(path), PX_WINDOW_ADVICE);
    else
        fprintf(stderr, "phyxel view: %s: %s\n", text_safe(path), strerror(errno));
    return EXIT_FAILED;
}
