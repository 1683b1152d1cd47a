/// The program phyxel: dispatches its commands. Messages go to stderr, data to stdout.
#include "commands.h"

#include <errno.h>
#include <fcntl.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

typedef struct Entry {
    const char *name;
    const char *summary;
    int (*call)(int argc, char **argv);
} Entry;

static const Entry entries[] = {
    {"run", "simulate a scene and store frames", command_run},
    {"branch", "continue a run from a stored frame with other values", command_branch},
    {"check", "list all errors in a scene; estimate particles, memory and time", command_check},
    {"info", "describe a result folder, or list formats, fields and benches", command_info},
    {"surface", "make surfaces around the particles of a run", command_surface},
    {"foam", "make spray, foam and bubbles of a run", command_foam},
    {"export", "write frames in formats of other programs", command_export},
    {"render", "draw pictures and a film of a run", command_render},
    {"view", "watch a scene or a run in a window", command_view},
    {"make", "make meshes for scenes: cloth, a figure that walks, a colon, volumes", command_make},
    {"bench", "measure the engine on this machine", command_bench},
    {"scenes", "list the scenes that come with phyxel", command_scenes},
    {"schema", "print the JSON schema of scene files", command_schema},
};

#define ENTRIES (sizeof entries / sizeof *entries)

static void help(FILE *out)
{
    fprintf(out,
            "phyxel %s: simulates a scene of particles and makes an animation of it\n\n"
            "usage: phyxel COMMAND ...\n\ncommands:\n",
            PX_VERSION);
    for (size_t k = 0; k < ENTRIES; ++k)
        fprintf(out, "  %-8s %s\n", entries[k].name, entries[k].summary);
    fprintf(out, "\nphyxel COMMAND --help says more; to begin with:\n"
                 "  phyxel scenes\n"
                 "  phyxel run SCENE -o DIR\n");
}

/* Opens standard streams that the caller has closed. Otherwise the first file that a run
 * opens would get their descriptor, and messages would go into it. They are opened in the
 * wrong direction, so that using them still fails. */
static void hold_standard_streams(void)
{
    int descriptor;
    do
        descriptor = open("/dev/null", fcntl(0, F_GETFD) < 0 ? O_WRONLY : O_RDONLY);
    while (descriptor >= 0 && descriptor <= STDERR_FILENO);
    if (descriptor > STDERR_FILENO)
        close(descriptor);
}

/* Reports output that could not be written (a full disk) as a failure, but not a pipe
 * closed by its reader, such as `head`. */
static int finish_output(int status)
{
    bool failed = ferror(stdout) != 0;
    errno = 0;
    failed |= fflush(stdout) != 0;
    if (!failed)
        return status;
    if (errno != EPIPE)
        fprintf(stderr, "phyxel: not all of the output could be written%s%s\n",
                errno != 0 ? ": " : "", errno != 0 ? strerror(errno) : "");
    return status == EXIT_DONE ? EXIT_FAILED : status;
}

static int dispatch(int argc, char **argv)
{
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
    const char *names[ENTRIES + 2] = {"--help", "--version"};
    for (size_t k = 0; k < ENTRIES; ++k) {
        names[k + 2] = entries[k].name;
        if (strcmp(argv[1], entries[k].name) == 0)
            return entries[k].call(argc - 2, argv + 2);
    }
    const char *near = px_suggest(argv[1], names, ENTRIES + 2);
    fprintf(stderr, "phyxel: unknown %s '%.60s'", argv[1][0] == '-' ? "option" : "command",
            text_safe(argv[1]));
    if (near != NULL)
        fprintf(stderr, ", did you mean '%s'?", near);
    fprintf(stderr, "\n'phyxel --help' lists the commands\n");
    return EXIT_WRONG;
}

/* Raises a tiny limit of the stack, which grows on demand; says why not if that is not allowed.
 * A run of dam-break.json needs between 128 and 192 kB. */
static bool enough_stack(void)
{
    const rlim_t wanted = (rlim_t)1 << 20;
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= wanted)
        return true;
    rlim_t before = limit.rlim_cur;
    limit.rlim_cur = wanted;
    if (limit.rlim_max < wanted)
        limit.rlim_max = wanted;
    if (setrlimit(RLIMIT_STACK, &limit) == 0)
        return true;
    fprintf(stderr,
            "phyxel: the stack is limited to %llu kB, wanted %llu: raise it with 'ulimit -s'\n",
            (unsigned long long)before / 1024, (unsigned long long)wanted / 1024);
    return false;
}

/* Blocks of a megabyte or more are mapped by themselves, so that the machine has them back when
 * they are freed. The C library of GNU else raises that size with every block that is freed, up to
 * 32 MB, and keeps what is between others: 80 bytes a particle of a run. */
static void return_large_blocks(void)
{
#ifdef M_MMAP_THRESHOLD
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
}

int main(int argc, char **argv)
{
    return_large_blocks();
    hold_standard_streams();
    if (!enough_stack())
        return EXIT_FAILED;
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* beyond the size limit a write fails instead */
    return finish_output(dispatch(argc, argv));
}
