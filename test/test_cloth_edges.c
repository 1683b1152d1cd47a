/// Sharp edges, corners, poles and slender bodies do not cut thin cloth, nor does it gain energy
/// at them.
#include "check.h"

#include "draped.h"

#include <string.h>

/* A sheet of 0.6 m with 24 x 24 cells at 0.5 m, and what it meets. */
typedef struct Case {
    const char *name;
    double thickness, weft, density;
    const char *bodies, *more;
    double end; /* s */
    int was;    /* crossings with contacts at the places of the start only, of a fixed stiffness */
} Case;

#define GROUND "{\"name\": \"floor\", \"wall\": true, \"shape\": {\"plane\": [0, 1, 0]}}"
#define WALL(shape)                                                                                \
    "{\"name\": \"wall\", \"wall\": true, \"friction\": 0.4, \"shape\": " shape "}, "
#define RIGID(shape)                                                                               \
    "{\"name\": \"thing\", \"material\": \"stuff\", \"rigid\": true, \"friction\": 0.4, "          \
    "\"shape\": " shape "}, "
#define TIP "\"turn\": {\"axis\": [0.83, 0.26, 0.49], \"degrees\": 56}"
#define HELD                                                                                       \
    ", \"handles\": [{\"name\": \"a\", \"body\": \"sheet\", \"shape\": {\"box\": [0.1, 0.1, "      \
    "0.7], "                                                                                       \
    "\"at\": [-0.3, 0.5, 0]}}, {\"name\": \"b\", \"body\": \"sheet\", \"shape\": {\"box\": [0.1, " \
    "0.1, 0.7], \"at\": [0.3, 0.5, 0]}}]"

static const Case cases[] = {
    {"a box on its corner", 0.0005, 500, 1000,
     WALL("{\"box\": [0.25, 0.2, 0.25], \"at\": [0, 0.25, 0], " TIP "}"), "", 0.6, 28},
    {"a pole", 0.0005, 500, 1000,
     WALL("{\"cylinder\": {\"radius\": 0.008, \"height\": 0.4}, \"at\": [0.013, 0.2, 0.007]}"), "",
     0.6, 14},
    {"a light box that falls", 0.0005, 500, 50,
     RIGID("{\"box\": [0.12, 0.12, 0.12], \"at\": [0.02, 0.8, 0.01], " TIP "}"), HELD, 0.5, 24},
    {"an iron box that falls on its corner", 0.001, 3000, 7800,
     RIGID("{\"box\": [0.08, 0.08, 0.08], \"at\": [0.02, 0.8, 0.01], " TIP "}"), HELD, 0.5, 54},
    {"an iron ball", 0.001, 2000, 7800, RIGID("{\"sphere\": 0.06, \"at\": [0.02, 0.8, 0.01]}"),
     HELD, 0.5, 0},
    {"a rod of 3 mm", 0.0005, 500, 2000,
     RIGID("{\"box\": [0.003, 0.12, 0.003], \"at\": [0.02, 0.65, 0.01], " TIP "}"), HELD, 0.3, 103},
};

static PxWorld *world_for(const Case *c, int threads)
{
    char text[3000];
    snprintf(text, sizeof text,
             "{\"phyxel\": 1, \"spacing\": 0.02, \"materials\": {\"m\": {\"density\": 115, "
             "\"friction\": 0.4, \"cloth\": {\"mass\": 0.2, \"weft\": %g, \"warp\": %g, \"shear\": "
             "%g, \"bend\": 3e-5, \"thickness\": %g}}, \"stuff\": {\"density\": %g}}, "
             "\"bodies\": [{\"name\": \"sheet\", \"material\": \"m\", \"shape\": {\"sheet\": "
             "{\"width\": 0.6, \"length\": 0.6, \"columns\": 24, \"rows\": 24}, \"at\": [0, 0.5, "
             "0]}}, %s" GROUND "]%s}",
             c->weft, c->weft, 0.1 * c->weft, c->thickness, c->density, c->bodies, c->more);
    return world_of(text, threads);
}

TEST(edges_corners_and_slender_bodies_do_not_cut_thin_cloth)
{
    for (size_t k = 0; k < PX_COUNT(cases); ++k) {
        const Case *c = &cases[k];
        PxWorld *world = world_for(c, 1);
        double first = energy_of(world), last = first, most = 0;
        while (stats_of(world).time < c->end) {
            CHECK_OK(px_world_step(world, floor(24 * stats_of(world).time + 1.001) / 24));
            most = fmax(most, energy_of(world) - last);
            last = energy_of(world);
        }
        PxStats stats = stats_of(world);
        print_message("%s: cut %llu (%d), growth in a step %.2g of %.3g J\n", c->name,
                      (unsigned long long)stats.cloth_crossed, c->was, most / first, first);
        CHECK(stats.cloth_crossed == 0);
        CHECK(most < 0.01 * first);
        px_world_free(world);
    }
}

/* The distance to a cog is not convex: places of a triangle where a tooth cuts in were left out by
 * bounds that hold beside convex bodies only, 19 times in this run. */
PHYSICS(a_cog_does_not_cut_thin_cloth_that_falls_on_it)
{
    PxWorld *world = world_of(
        "{\"phyxel\": 1, \"spacing\": 0.03, \"materials\": {\"c\": {\"density\": 100, "
        "\"friction\": "
        "0.4, \"cloth\": {\"mass\": 0.2, \"thickness\": 0.0005, \"self_collision\": true, "
        "\"integration\": \"bdf2\"}}}, \"bodies\": [{\"name\": \"cog\", \"wall\": true, \"shape\": "
        "{\"mesh\": \"" PX_SOURCE_DIR "/scenes/models/cog12.obj\", \"scale\": 1.494980602626681, "
        "\"at\": [0, 0.21, 0]}}, {\"name\": \"sheet\", \"material\": \"c\", \"velocity\": [0, "
        "-3.5, "
        "0], \"shape\": {\"sheet\": {\"width\": 0.8, \"length\": 0.8, \"columns\": 22, \"rows\": "
        "22}, "
        "\"at\": [0.05859537450399052, 0.5, -0.08117530875415631], \"turn\": {\"axis\": [0, 1, 0], "
        "\"degrees\": 27.306113636207293}}}, {\"name\": \"floor\", \"wall\": true, \"shape\": "
        "{\"plane\": [0, 1, 0]}}]}",
        1);
    CHECK_OK(px_world_advance(world, 0.5));
    CHECK(stats_of(world).cloth_crossed == 0);
    px_world_free(world);
}

TEST(cloth_on_a_corner_gives_the_same_bits_for_any_threads)
{
    uint64_t hash[2][2];
    for (int k = 0; k < 2; ++k) {
        PxWorld *world = world_for(&cases[3], k == 0 ? 1 : 3);
        CHECK_OK(px_world_advance(world, 0.3));
        hash_of(world, hash[k]);
        px_world_free(world);
    }
    CHECK(memcmp(hash[0], hash[1], sizeof hash[0]) == 0);
}

TEST_MAIN()
