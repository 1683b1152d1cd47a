/// phyxel: the command. Talk goes to stderr, data to stdout.
#include "commands.h"

#include <signal.h>
#include <string.h>

typedef struct Entry {
    const char *name;
    const char *summary;
    int (*call)(int argc, char **argv);
} Entry;

static const Entry entries[] = {
    {"run", "turn a scene into frames", command_run},
    {"check", "say everything that is wrong with a scene, and what it will take", command_check},
    {"info", "say what is in a result folder, or what this phyxel can do", command_info},
    {"export", "hand frames to other programs", command_export},
    {"bench", "measure the engine on this machine", command_bench},
    {"scenes", "list the scenes that come with phyxel", command_scenes},
    {"schema", "print the JSON schema of scene files", command_schema},
};

#define ENTRIES (sizeof entries / sizeof *entries)

static void help(FILE *out)
{
    fprintf(out, "phyxel %s: one scene file becomes an animation\n\n"
                 "usage: phyxel COMMAND ...\n\ncommands:\n",
            PX_VERSION);
    for (size_t k = 0; k < ENTRIES; ++k)
        fprintf(out, "  %-8s %s\n", entries[k].name, entries[k].summary);
    fprintf(out, "\nphyxel COMMAND --help says more; to begin with:\n"
                 "  phyxel scenes\n"
                 "  phyxel run SCENE -o DIR\n");
}

int main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a file that grows too long is a failed write, not a death */
    if (argc < 2) {
        help(stderr);
        return EXIT_WRONG;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0) {
        help(stdout);
        return EXIT_DONE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("phyxel %s\n", PX_VERSION);
        return EXIT_DONE;
    }
    const char *names[ENTRIES];
    for (size_t k = 0; k < ENTRIES; ++k) {
        names[k] = entries[k].name;
        if (strcmp(argv[1], entries[k].name) == 0)
            return entries[k].call(argc - 2, argv + 2);
    }
    const char *near = px_suggest(argv[1], names, ENTRIES);
    fprintf(stderr, "phyxel: unknown command '%.60s'", argv[1]);
    if (near != NULL)
        fprintf(stderr, ", did you mean '%s'?", near);
    fprintf(stderr, "\n'phyxel --help' lists the commands\n");
    return EXIT_WRONG;
}
