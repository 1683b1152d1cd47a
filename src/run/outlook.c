#include "run/outlook.h"

#include "store/run_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stddef.h>
#include <sys/stat.h>

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

/* The newest sample at or before a time; the first if there is none. */
static const PxOutlookSample *sample_at(const PxOutlook *o, double time)
{
    uint32_t k = 0;
    while (k + 1 < o->count && o->sample[k + 1].time <= time)
        ++k;
    return &o->sample[k];
}

/* Mean rate of seconds or bytes in the rest of the run, with `rest` particles on average. The rate
 * is a + b n with n particles; b follows from the second quarter of the time so far, j to k, and
 * the half after it, k to l. It is not negative, and no more than if all were proportional to n. */
static double rate_of_rest(const PxOutlookSample *j, const PxOutlookSample *k,
                           const PxOutlookSample *l, size_t field, double rest)
{
#define VALUE(sample) (*(const double *)((const char *)(sample) + field))
    double late = (VALUE(l) - VALUE(k)) / (l->time - k->time);
    double n = 0.5 * (k->particles + l->particles), b = n > 0 ? late / n : 0;
    double before = 0.5 * (j->particles + k->particles);
    if (k->time > j->time && fabs(n - before) > 0.01 * n) {
        double early = (VALUE(k) - VALUE(j)) / (k->time - j->time);
        b = fmin(fmax((late - early) / (n - before), 0), b);
    }
    return fmax(late + b * (rest - n), 0);
#undef VALUE
}

bool px_outlook_left(const PxOutlook *o, PxOutlookSample now, double end, double *seconds,
                     double *bytes)
{
    *seconds = *bytes = -1;
    if (o->count == 0)
        return false;
    double first = o->sample[0].time, left = fmax(end - now.time, 0);
    const PxOutlookSample *k = sample_at(o, 0.5 * (first + now.time));
    const PxOutlookSample *j = sample_at(o, 0.75 * first + 0.25 * now.time);
    const PxOutlookSample *last = &o->sample[o->count - 1];
    if (!(now.time > k->time))
        return false;
    double emission = (now.particles - k->particles) / (now.time - k->time);
    double rest = fmax(now.particles + 0.5 * emission * left, 0);
    *seconds = left * rate_of_rest(j, k, &now, offsetof(PxOutlookSample, wall), rest);
    if (k == last && k > o->sample) /* bytes come with frames: from one sample to another */
        --k;
    if (last->time > k->time)
        *bytes = fmax(end - last->time, 0) *
                 rate_of_rest(j < k ? j : k, k, last, offsetof(PxOutlookSample, bytes), rest);
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
