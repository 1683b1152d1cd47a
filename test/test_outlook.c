/// What a run tells of the time and the disk that it will still take.
#define _GNU_SOURCE
#include "runs.h"

#include "run/outlook.h"

#include <ftw.h>

/* Offers samples up to the time `now` of a run that takes `start` seconds before its first step
 * and `rate` (1 + grow t) seconds and bytes for each second of the scene; its particles are
 * 1000 (1 + pour t). */
static PxOutlookSample offer(PxOutlook *o, double start, double rate, double grow, double pour,
                             double now)
{
    PxOutlookSample s = {0};
    for (int k = 0; k <= 1000; ++k) {
        double t = now * k / 1000, area = rate * (t + 0.5 * grow * t * t);
        s = (PxOutlookSample){t, start + area, area, 1000 * (1 + pour * t)};
        px_outlook_add(o, s);
    }
    return s;
}

TEST(what_happens_once_at_the_start_is_not_extrapolated)
{
    PxOutlook o = {0};
    double seconds, bytes;
    PxOutlookSample now = offer(&o, 50, 2, 0, 0, 10);
    CHECK(px_outlook_left(&o, now, 100, &seconds, &bytes));
    CHECK_NEAR(seconds, 180, 0.01);
    CHECK_NEAR(bytes, 180, 0.2); /* from the last sample, which may be 8 offers old */
}

TEST(matter_that_is_still_poured_costs_more_later)
{
    PxOutlook o = {0};
    double seconds, bytes;
    PxOutlookSample now = offer(&o, 1, 2, 0.1, 0.1, 10);
    CHECK(px_outlook_left(&o, now, 40, &seconds, &bytes));
    /* 2 (40 - 10) + 0.1 (1600 - 100) = 210 */
    CHECK_NEAR(seconds, 210, 1);
    CHECK_NEAR(bytes, 210, 3);
}

TEST(matter_that_is_poured_costs_no_more_if_it_did_not_so_far)
{
    PxOutlook o = {0};
    double seconds, bytes;
    PxOutlookSample now = offer(&o, 1, 2, 0, 5, 10); /* walls or bodies take the time */
    CHECK(px_outlook_left(&o, now, 40, &seconds, &bytes));
    CHECK_NEAR(seconds, 60, 0.1);
}

TEST(nothing_is_told_before_there_is_something_to_learn_from)
{
    PxOutlook o = {0};
    double seconds, bytes;
    PxOutlookSample now = {0, 3, 10, 5};
    CHECK(!px_outlook_left(&o, now, 1, &seconds, &bytes));
    px_outlook_add(&o, now);
    CHECK(!px_outlook_left(&o, now, 1, &seconds, &bytes));
    now.time = 0.25; /* within the first frame: time, but not yet bytes */
    now.wall = 4;
    CHECK(px_outlook_left(&o, now, 1, &seconds, &bytes));
    CHECK_NEAR(seconds, 3, 1e-12);
    CHECK(bytes < 0);
}

static double found;

static int add(const char *path, const struct stat *s, int kind, struct FTW *at)
{
    (void)path, (void)at;
    found += kind == FTW_F ? (double)s->st_size : 0;
    return 0;
}

static bool note(void *user, const PxRunProgress *progress)
{
    if (progress->stored && progress->frame == 1)
        usleep(600000); /* nothing is told in the first half second */
    if (progress->stored && progress->frame == progress->frames)
        *(double *)user = progress->disk;
    return true;
}

TEST(the_disk_told_at_the_end_is_that_of_the_folder)
{
    static const char text[] = TINY("tiny", "1000");
    Folder folder = folder_make();
    double told = 0;
    PxScene *scene = tiny_scene(text);
    CHECK_OK(px_scene_set(scene, "time.frames", "60"));
    PxRunDef def = run_into(folder_file(&folder, "run"));
    CHECK_OK(px_run(scene, &def, note, &told, NULL));
    found = 0;
    nftw(folder_file(&folder, "run"), add, 8, FTW_PHYS);
    CHECK_NEAR(told / found, 1, 0.03); /* run.json and frames.xdmf come at the end */
    px_scene_free(scene);
    folder_remove(&folder);
}

TEST_MAIN()
