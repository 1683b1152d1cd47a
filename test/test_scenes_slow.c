/// Every shipped scene is stable at a quarter of its size, at its size, and at four times its size,
/// without changing another value. Run at twice the spacing, a sixteenth of the work, for 1.5 s, at
/// a quarter of the size for half of that, in which as much happens (Froude); with PHYXEL_LONG set,
/// to the end.
#include "shipped.h"

static void run_all(double size)
{
    char name[SHIPPED_MOST][64], what[100];
    size_t count = shipped_names(name);
    for (size_t k = 0; k < count; ++k) {
        PxScene *scene = shipped_read(name[k]);
        shipped_scale(scene, size, 2);
        snprintf(what, sizeof what, "%s x %g", name[k], size);
        double seconds = getenv("PHYXEL_LONG") != NULL ? INFINITY : 1.5 * sqrt(fmin(1, size));
        Shipped s = shipped_run(scene, what, seconds, 0);
        shipped_judge(&s, what);
        px_scene_free(scene);
    }
}

PHYSICS(shipped_scenes_hold)
{
    run_all(1);
}

PHYSICS(at_a_quarter_of_their_size_too)
{
    run_all(0.25);
}

PHYSICS(at_four_times_their_size_too)
{
    run_all(4);
}

TEST_MAIN()
