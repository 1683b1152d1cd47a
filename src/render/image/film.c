#define _GNU_SOURCE
#include "render/image/film.h"

#include "store/file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* ffmpeg's options by file ending. H.264 and VP9 need even sizes for chroma subsampling, so a
 * row or column may be cropped. */
#define EVEN "crop=trunc(iw/2)*2:trunc(ih/2)*2"
typedef struct Kind {
    const char *ending, *format;
    const char *words[12];
} Kind;

static const Kind kinds[] = {
    {".mp4",
     "mp4",
     {"-vf", EVEN, "-c:v", "libx264", "-crf", "18", "-pix_fmt", "yuv420p", "-movflags",
      "+faststart"}},
    {".webm",
     "webm",
     {"-vf", EVEN, "-c:v", "libvpx-vp9", "-crf", "28", "-b:v", "0", "-pix_fmt", "yuv420p"}},
    {".gif",
     "gif",
     {"-vf", "split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse=dither=sierra2_4a",
      "-loop", "0"}},
    {".webp",
     "webp",
     {"-c:v", "libwebp_anim", "-quality", "70", "-compression_level", "5", "-loop", "0", "-pix_fmt",
      "yuv420p"}},
};

static const Kind *find_kind(const char *path)
{
    size_t length = strlen(path);
    for (size_t k = 0; k < PX_COUNT(kinds); ++k) {
        size_t end = strlen(kinds[k].ending);
        if (length > end && strcasecmp(path + length - end, kinds[k].ending) == 0)
            return &kinds[k];
    }
    return NULL;
}

PxStatus px_film_check(const char *path)
{
    if (find_kind(path) != NULL)
        return PX_OK;
    return px_fail(PX_ERR_ARGUMENT,
                   "render: '%.200s' is no name for a film: wanted one that ends in .mp4 (H.264), "
                   ".webm (VP9), .gif or .webp",
                   path);
}

struct PxFilm {
    const char *name; /* in messages */
    PxFile file;      /* ffmpeg writes its temporary file; we hold it open and rename it */
    int nowhere;      /* of a trial: an unnamed file instead, else -1 */
    uint32_t width, height;
    pid_t process;
    int pipe;     /* to ffmpeg; a socket, since writing to one can be done without SIGPIPE */
    int talk;     /* ffmpeg's messages, in an unnamed file */
    uint8_t *row; /* one row without alpha */
};

static void film_free(PxFilm *film)
{
    if (film->pipe >= 0)
        close(film->pipe);
    if (film->process > 0) {
        kill(film->process, SIGKILL);
        waitpid(film->process, NULL, 0);
    }
    if (film->talk >= 0)
        close(film->talk);
    if (film->nowhere >= 0)
        close(film->nowhere);
    px_file_abandon(&film->file);
    px_release(NULL, film->row, 0);
    px_release(NULL, film, sizeof *film);
}

void px_film_abandon(PxFilm *film)
{
    if (film != NULL)
        film_free(film);
}

/* ffmpeg takes names for options (-y), protocols (http://host, 17:05) and devices. So it gets a
 * name with the protocol in front, and may use no others than those two.
 *
 * Our end of the socket must not stay open in ffmpeg, or it would never see the end of its
 * input. All descriptors are close-on-exec. */
#define PROTOCOLS "-protocol_whitelist", "file,pipe"
enum { MOST_PIXELS = 16384 }; /* along a side of a picture */
enum { NOWHERE = 3 };         /* the descriptor of a trial's output in ffmpeg */
static int start(PxFilm *film, const Kind *kind, double fps, int end)
{
    char size[32], rate[32], to[PX_PATH_MAX + 8];
    const char *words[40] = {"ffmpeg", "-hide_banner", "-loglevel", "error",      "-nostdin",
                             "-y",     PROTOCOLS,      "-f",        "rawvideo",   "-pix_fmt",
                             "rgb24",  "-s",           size,        "-framerate", rate,
                             "-i",     "pipe:0",       PROTOCOLS};
    size_t count = 0;
    while (words[count] != NULL)
        ++count;
    if (film->nowhere >= 0)
        snprintf(to, sizeof to, "file:/dev/fd/%d", NOWHERE);
    else
        snprintf(to, sizeof to, "file:%s", film->file.partial);
    snprintf(size, sizeof size, "%ux%u", film->width, film->height);
    snprintf(rate, sizeof rate, "%.6g", fps);
    for (size_t k = 0; k < PX_COUNT(kind->words) && kind->words[k] != NULL; ++k)
        words[count++] = kind->words[k];
    words[count++] = "-f";
    words[count++] = kind->format;
    words[count++] = to;
    words[count] = NULL;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t manner;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0)
        return error;
    error = posix_spawnattr_init(&manner);
    if (error != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return error;
    }
    /* A process group of its own: Ctrl-C is handled by us, and we stop ffmpeg. */
    posix_spawnattr_setflags(&manner, POSIX_SPAWN_SETPGROUP);
    error = posix_spawn_file_actions_adddup2(&actions, end, 0);
    if (error == 0)
        error = posix_spawn_file_actions_adddup2(&actions, film->talk, 1);
    if (error == 0)
        error = posix_spawn_file_actions_adddup2(&actions, film->talk, 2);
    if (error == 0 && film->nowhere >= 0)
        error = posix_spawn_file_actions_adddup2(&actions, film->nowhere, NOWHERE);
    if (error == 0)
        error = posix_spawnp(&film->process, "ffmpeg", &actions, &manner, (char *const *)words,
                             environ);
    posix_spawnattr_destroy(&manner);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* Begins a film, or the trial of one. */
static PxStatus begin(const char *path, uint32_t width, uint32_t height, double fps, bool trial,
                      PxFilm **out)
{
    *out = NULL;
    PX_TRY(px_film_check(path));
    PxFilm *film = px_allocate(NULL, sizeof *film);
    if (film == NULL)
        return px_fail(PX_ERR_MEMORY, "render: no room for a film");
    *film = (PxFilm){.name = path,
                     .file.descriptor = -1,
                     .nowhere = trial ? memfd_create("film", MFD_CLOEXEC) : -1,
                     .width = width,
                     .height = height,
                     .pipe = -1};
    film->talk = memfd_create("ffmpeg", MFD_CLOEXEC);
    film->row = px_allocate(NULL, (size_t)3 * width);
    int ends[2] = {-1, -1}, error = 0;
    PxStatus status = trial ? PX_OK : px_file_begin(&film->file, path);
    if (status == PX_OK && film->row == NULL)
        status = px_fail(PX_ERR_MEMORY, "render: no room for a film");
    if (status == PX_OK && (film->talk < 0 || (trial && film->nowhere < 0) ||
                            socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0))
        status = px_fail(PX_ERR_IO, "%s: no pipe to ffmpeg: %s", path, strerror(errno));
    if (status == PX_OK) {
        film->pipe = ends[0];
        error = start(film, find_kind(path), fps, ends[1]);
        close(ends[1]);
        if (error == ENOENT)
            status = px_fail(PX_ERR_UNSUPPORTED,
                             "%s: there is no ffmpeg command, which makes the film of the "
                             "pictures; install it (Debian: apt-get install ffmpeg) and call again",
                             path);
        else if (error != 0)
            status = px_fail(PX_ERR_IO, "%s: ffmpeg does not start: %s", path, strerror(error));
    }
    if (status != PX_OK)
        film_free(film);
    else
        *out = film;
    return status;
}

PxStatus px_film_begin(const char *path, uint32_t width, uint32_t height, double fps, PxFilm **out)
{
    if (out != NULL)
        *out = NULL;
    PX_WANT(path);
    PX_WANT(out);
    if (width < 1 || height < 1 || width > MOST_PIXELS || height > MOST_PIXELS)
        return px_fail(PX_ERR_ARGUMENT, "film: a picture of %u x %u, wanted 1 to %d pixels", width,
                       height, MOST_PIXELS);
    if (!(fps >= PX_FILM_LEAST_FPS && fps <= PX_FILM_MOST_FPS))
        return px_fail(PX_ERR_ARGUMENT, "film: %g pictures a second, wanted %g to %g", fps,
                       PX_FILM_LEAST_FPS, PX_FILM_MOST_FPS);
    return begin(path, width, height, fps, false, out);
}

/* The beginning of ffmpeg's messages, in one line. */
static void words_of(const PxFilm *film, char *out, size_t size)
{
    char text[2000];
    ssize_t got = film->talk >= 0 ? pread(film->talk, text, sizeof text - 1, 0) : 0;
    text[got > 0 ? got : 0] = '\0';
    for (char *c = text; *c != '\0'; ++c)
        if (*c == '\n' || *c == '\r')
            *c = c[1] != '\0' ? ';' : '\0';
    snprintf(out, size, "%.300s", text[0] != '\0' ? text : "it has ended without a word");
}

static PxStatus gone(const PxFilm *film)
{
    char words[320];
    words_of(film, words, sizeof words);
    return px_fail(PX_ERR_IO, "%s: ffmpeg could not make it: %s", film->name, words);
}

static PxStatus send_all(PxFilm *film, const uint8_t *bytes, size_t size)
{
    while (size > 0) {
        ssize_t sent = send(film->pipe, bytes, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return gone(film);
        bytes += sent;
        size -= (size_t)sent;
    }
    return PX_OK;
}

PxStatus px_film_add(PxFilm *film, const PxPicture *picture)
{
    if (picture->width != film->width || picture->height != film->height)
        return px_fail(PX_ERR_ARGUMENT, "render: a picture of %u x %u in a film of %u x %u",
                       picture->width, picture->height, film->width, film->height);
    if (picture->channels == 3)
        return send_all(film, picture->pixel, (size_t)3 * film->width * film->height);
    for (uint32_t y = 0; y < film->height; ++y) {
        const uint8_t *from = picture->pixel + (size_t)4 * film->width * y;
        for (uint32_t x = 0; x < film->width; ++x)
            for (uint32_t c = 0; c < 3; ++c)
                film->row[3 * x + c] = (uint8_t)((from[4 * x + c] * from[4 * x + 3] +
                                                  255 * (255 - from[4 * x + 3]) + 127) /
                                                 255);
        PX_TRY(send_all(film, film->row, (size_t)3 * film->width));
    }
    return PX_OK;
}

PxStatus px_film_add_pixels(PxFilm *film, const uint8_t *pixels)
{
    PX_WANT(film);
    PX_WANT(pixels);
    PxPicture picture = {film->width, film->height, 4, (uint8_t *)pixels};
    return px_film_add(film, &picture);
}

PxStatus px_film_finish(PxFilm *film)
{
    PX_WANT(film);
    int ended = -1;
    close(film->pipe);
    film->pipe = -1;
    while (waitpid(film->process, &ended, 0) < 0 && errno == EINTR)
        ;
    film->process = 0;
    PxStatus status = PX_OK;
    if (!WIFEXITED(ended) || WEXITSTATUS(ended) != 0)
        status = gone(film);
    else if (film->nowhere < 0)
        status = px_file_commit(&film->file);
    film_free(film);
    return status;
}

PxStatus px_film_try(const char *path, uint32_t width, uint32_t height, double fps)
{
    PxFilm *film;
    PX_TRY(begin(path, width, height, fps, true, &film));
    memset(film->row, 0, (size_t)3 * width);
    PxStatus status = PX_OK;
    for (uint32_t y = 0; y < height && status == PX_OK; ++y)
        status = send_all(film, film->row, (size_t)3 * width);
    if (status == PX_OK)
        return px_film_finish(film);
    film_free(film);
    return status;
}
