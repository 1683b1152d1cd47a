#include "run/outlook.h"

#include "store/run_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <sys/stat.h>

/* Emission is continued no further than to this many times the particles of now: it may end. */
#define MOST_GROWTH 8.0
#define LEAST_GROWTH 0.25

void px_outlook_add(PxOutlook *o, PxOutlookSample now)
{
    if (o->every == 0)
        o->every = 1;
    if (o->seen++ % o->every != 0)
        return;
    if (o->count == PX_OUTLOOK_SAMPLES) { /* keeps every other */
        for (uint32_t k = 0; 2 * k < o->count; ++k)
            o->sample[k] = o->sample[2 * k];
        o->count /= 2;
        o->every *= 2;
    }
    o->sample[o->count++] = now;
}

bool px_outlook_left(const PxOutlook *o, PxOutlookSample now, double end, double *seconds,
                     double *bytes)
{
    *seconds = *bytes = -1;
    if (o->count == 0)
        return false;
    double middle = 0.5 * (o->sample[0].time + now.time);
    uint32_t k = 0;
    while (k + 1 < o->count && o->sample[k + 1].time <= middle)
        ++k;
    const PxOutlookSample *then = &o->sample[k];
    double past = now.time - then->time, left = end - now.time;
    if (!(past > 0))
        return false;
    double rate = (now.particles - then->particles) / past;
    double mean = 0.5 * (now.particles + then->particles);
    double growth = mean > 0 ? (now.particles + 0.5 * rate * left) / mean : 1;
    growth = fmin(fmax(growth, LEAST_GROWTH), MOST_GROWTH);
    *seconds = fmax(left, 0) / past * (now.wall - then->wall) * growth;
    /* Bytes come with frames: from one sample to another. */
    const PxOutlookSample *last = &o->sample[o->count - 1];
    if (then == last && k > 0)
        --then;
    if (last->time > then->time)
        *bytes = fmax(end - last->time, 0) / (last->time - then->time) *
                 (last->bytes - then->bytes) * growth;
    return true;
}

static double bytes_of(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 ? (double)s.st_size : 0;
}

double px_outlook_frame_bytes(const char *dir, uint32_t frame)
{
    char path[PX_PATH_MAX];
    double bytes = 0;
    for (PxRunFile kind = PX_FILE_FRAME; kind < PX_FILE_STORED; ++kind)
        if (px_run_file_path(path, dir, kind, frame) == PX_OK)
            bytes += bytes_of(path);
    return bytes;
}

double px_outlook_table_bytes(const char *dir)
{
    static const char *const names[] = {"stats.csv", "gauges.csv", "frames.xdmf"};
    char path[PX_PATH_MAX];
    double bytes = 0;
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k)
        if (px_path_join(path, dir, "%s", names[k]) == PX_OK)
            bytes += bytes_of(path);
    return bytes;
}

double px_outlook_checkpoint_bytes(const char *dir)
{
    char path[PX_PATH_MAX];
    DIR *folder = px_path_join(path, dir, "checkpoints") == PX_OK ? opendir(path) : NULL;
    double bytes = 0;
    struct stat s;
    for (struct dirent *e; folder != NULL && (e = readdir(folder)) != NULL;)
        if (fstatat(dirfd(folder), e->d_name, &s, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(s.st_mode))
            bytes += (double)s.st_size;
    if (folder != NULL)
        closedir(folder);
    return bytes;
}
