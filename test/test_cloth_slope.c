/// Tables and plots of water that runs down cloth: fits and files.
#include "check.h"

#include "folder.h"
#include "study/cloth_slope.h"

#include <math.h>

/* Runs whose speeds follow a line in mu and an exponential in delta. */
static size_t made_up(PxClothSlope *out)
{
    size_t count = 0;
    for (int k = 0; k <= 20; ++k) {
        bool drag = k > 10;
        double mu = drag ? 0 : 0.1 * k, delta = drag ? 0.01 * (k - 10) : 0;
        PxClothSlope *s = &out[count++];
        *s = (PxClothSlope){.side = 0.6, .friction = mu, .drag = delta, .far = NAN, .samples = 2};
        s->mean = drag ? 1.6 * exp(-11 * delta) : mu < 0.65 ? 1.6 - mu : 1;
        for (int n = 0; n < 2; ++n) {
            s->time[n] = 1 + n;
            s->speed[n] = n == 0 ? NAN : s->mean;
        }
    }
    return count;
}

TEST(lines_and_decays_are_found)
{
    PxClothSlope slope[21];
    size_t count = made_up(slope);
    double a, b, v, k;
    px_cloth_slope_line(slope, count, &a, &b);
    px_cloth_slope_decay(slope, count, 0.05, &v, &k);
    CHECK_NEAR(a, 1.6, 1e-12);
    CHECK_NEAR(b, -1, 1e-12);
    CHECK_NEAR(v, 1.6, 1e-12);
    CHECK_NEAR(k, 11, 1e-9);
}

/* The tables and the script are there whether or not gnuplot is; with it the plot is, too. */
TEST(tables_and_a_script_are_written)
{
    static const char *const name[] = {"slope.csv", "slope-time.csv", "slope.gp", "slope.png"};
    PxClothSlope slope[21];
    size_t count = made_up(slope);
    Folder folder = folder_make();
    char path[FOLDER_PATH + 64], line[200];
    bool drawn;
    snprintf(path, sizeof path, "%s/new", folder.path);
    CHECK_OK(px_cloth_slope_write(path, slope, count, &drawn));
    for (int k = 0; k < 3 + drawn; ++k) {
        struct stat info;
        snprintf(path, sizeof path, "%s/new/%s", folder.path, name[k]);
        CHECK(stat(path, &info) == 0 && info.st_size > 100);
    }
    snprintf(path, sizeof path, "%s/new/slope.csv", folder.path);
    FILE *file = fopen(path, "r");
    CHECK(file != NULL);
    for (int k = 0; k < 3; ++k)
        CHECK(fgets(line, sizeof line, file) != NULL);
    CHECK_TEXT(line, "0.6,0.1,0,1.5000,,0,0\n"); /* what is not known is empty */
    fclose(file);
    folder_remove(&folder);
}

TEST_MAIN()
