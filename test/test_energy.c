/// The energy balance of steps: what the stages report adds up to the change of energy.
#include "scenes.h"

#include "phyxel/world.h"

#include <math.h>

#define START "{\"phyxel\": 1, \"spacing\": 0.05, \"time\": {\"frames\": 1, \"fps\": 1}, "

typedef struct Balance {
    PxStats sum;     /* of the work columns */
    double scale;    /* largest kinetic energy and largest change of energy, J */
    double worst;    /* largest difference between change and sum in a step, J */
    double rounding; /* largest rounding in a step, J */
} Balance;

static bool is_work(const PxStatsColumn *column)
{
    return strncmp(column->name, "work_", 5) == 0;
}

static double energy_of(const PxStats *s)
{
    return s->kinetic + s->potential + s->elastic;
}

/* Steps a world and adds up its columns. `change`, if any, is called after every step. */
static Balance balance_of(const char *text, int steps, void (*change)(PxWorld *, int))
{
    PxScene *scene = scene_of(text);
    CHECK_COUNT(scene, 0);
    PxWorld *world = NULL;
    CHECK_OK(px_scene_world(scene, 1, &world));
    Balance b = {.scale = 0};
    PxStats now;
    double before = 0;
    for (int k = 0; k < steps; ++k) {
        CHECK_OK(px_world_step(world, INFINITY));
        px_world_stats(world, &now);
        double sum = 0;
        for (size_t c = 0; px_stats_column(c) != NULL; ++c) {
            const PxStatsColumn *column = px_stats_column(c);
            if (!is_work(column))
                continue;
            sum += px_stats_value(&now, column);
            *(double *)((char *)&b.sum + column->offset) += px_stats_value(&now, column);
        }
        if (k > 0)
            b.worst = fmax(b.worst, fabs(energy_of(&now) - before - sum));
        b.scale = fmax(b.scale, fmax(now.kinetic, fabs(sum)));
        b.rounding = fmax(b.rounding, fabs(now.work_rounding));
        before = energy_of(&now);
        if (change != NULL)
            change(world, k);
    }
    px_world_free(world);
    px_scene_free(scene);
    return b;
}

/* Energies are sums of doubles. Velocities are floats: a step rounds them by 6e-8, at random. */
#define CHECK_BALANCE(b)                                                                           \
    do {                                                                                           \
        CHECK_NEAR((b).worst, 0, 1e-9 * (b).scale);                                                \
        CHECK_NEAR((b).rounding, 0, 1e-6 * (b).scale);                                             \
        CHECK((b).scale > 0);                                                                      \
    } while (0)

#define TANK                                                                                       \
    "{\"name\": \"tank\", \"wall\": true, \"inside\": true, "                                      \
    "\"shape\": {\"box\": [1, 1, 0.4], \"at\": [0, 0.5, 0]}}"

static Balance dam(const char *pressure)
{
    char text[1000];
    snprintf(text, sizeof text,
             START "\"materials\": {\"water\": {\"density\": 1000, \"viscosity\": 1, "
                   "\"pressure\": \"%s\"}}, \"bodies\": [" TANK ", {\"name\": \"water\", "
                   "\"material\": \"water\", \"shape\": {\"box\": [0.4, 0.6, 0.4], "
                   "\"at\": [-0.3, 0.3, 0]}}]}",
             pressure);
    return balance_of(text, 60, NULL);
}

TEST(the_work_of_fluids_adds_up_with_every_pressure_model)
{
    const char *const models[] = {"dfsph", "iisph", "pcisph", "sesph", "projection", "flip"};
    for (size_t k = 0; k < sizeof models / sizeof *models; ++k) {
        Balance b = dam(models[k]);
        CHECK_BALANCE(b);
        CHECK(b.sum.work_viscosity < 0);
        CHECK(b.sum.work_damping < 0);
        CHECK(b.sum.work_pressure != 0);
        bool shifts = strcmp(models[k], "projection") == 0 || strcmp(models[k], "flip") == 0;
        CHECK((b.sum.work_shifts != 0) == shifts);
        CHECK(b.sum.work_walls == 0 && b.sum.work_elastic == 0 && b.sum.work_events == 0);
        CHECK(b.sum.work_inflow == 0 && b.sum.work_outflow == 0 && b.sum.work_emitters == 0);
    }
}

static Balance cube(const char *attraction)
{
    char text[1000];
    snprintf(text, sizeof text,
             START "\"gravity\": [0, 0, 0], \"materials\": {\"water\": {\"density\": 1000, %s}}, "
                   "\"bodies\": [{\"name\": \"drop\", \"material\": \"water\", "
                   "\"shape\": {\"box\": [0.4, 0.4, 0.4]}}]}",
             attraction);
    return balance_of(text, 60, NULL);
}

TEST(the_work_of_tension_and_cohesion_adds_up)
{
    Balance b = cube("\"tension\": {\"model\": \"csf\", \"sigma\": 10}");
    CHECK_BALANCE(b);
    CHECK(b.sum.work_tension > 0); /* it becomes round */
    b = cube("\"cohesion\": 50");
    CHECK_BALANCE(b);
    CHECK(b.sum.work_cohesion > 0); /* it contracts */
}

PHYSICS(a_moving_wall_gives_energy)
{
    Balance b =
        balance_of(START "\"materials\": {\"honey\": {\"density\": 1000, \"viscosity\": 10}}, "
                         "\"bodies\": [{\"name\": \"floor\", \"wall\": true, "
                         "\"shape\": {\"box\": [1.2, 0.2, 1.2], \"at\": [0, -0.1, 0]}, "
                         "\"keyframes\": [{\"at\": 1, \"move\": [1, 0.5, 0]}]}, "
                         "{\"name\": \"honey\", \"material\": \"honey\", "
                         "\"shape\": {\"box\": [0.4, 0.3, 0.4], \"at\": [0, 0.16, 0]}}]}",
                   60, NULL);
    CHECK_BALANCE(b);
    CHECK(b.sum.work_walls > 0);
    CHECK(b.sum.work_viscosity < 0); /* drag's part of the wall's work is not in it */
}

TEST(emitters_and_sinks_carry_energy)
{
    Balance b =
        balance_of(START "\"materials\": {\"water\": {\"density\": 1000}}, \"bodies\": [], "
                         "\"emitters\": [{\"name\": \"tap\", \"shape\": {\"box\": [0.3, 0.1, 0.3], "
                         "\"at\": [0, 1, 0]}, \"direction\": [0, -1, 0], \"material\": \"water\", "
                         "\"speed\": 2}], \"sinks\": [{\"name\": \"drain\", "
                         "\"shape\": {\"box\": [2, 0.5, 2], \"at\": [0, 0.3, 0]}}]}",
                   120, NULL);
    CHECK_BALANCE(b);
    CHECK(b.sum.work_inflow > 0);
    CHECK(b.sum.work_outflow < 0);
    CHECK(b.sum.work_emitters != 0);
}

#define JELLY "\"jelly\": {\"density\": 500, \"young\": 2e4, \"poisson\": 0.3}"

TEST(the_work_on_solids_adds_up)
{
    Balance b = balance_of(START "\"materials\": {" JELLY "}, \"bodies\": ["
                                 "{\"name\": \"floor\", \"wall\": true, "
                                 "\"shape\": {\"box\": [2, 0.2, 2], \"at\": [0, -0.1, 0]}}, "
                                 "{\"name\": \"cube\", \"material\": \"jelly\", "
                                 "\"velocity\": [0, -2, 0], "
                                 "\"shape\": {\"box\": [0.3, 0.3, 0.3], \"at\": [0, 0.2, 0]}}]}",
                           60, NULL);
    CHECK_BALANCE(b);
    CHECK(b.sum.work_elastic != 0 && b.sum.work_pressure == 0);
}

TEST(the_work_on_solids_among_fluids_adds_up)
{
    Balance b = balance_of(
        START "\"materials\": {" JELLY ", \"water\": {\"density\": 1000}}, \"bodies\": [" TANK
              ", {\"name\": \"water\", \"material\": \"water\", "
              "\"shape\": {\"box\": [1, 0.3, 0.4], \"at\": [0, 0.15, 0]}}, "
              "{\"name\": \"cube\", \"material\": \"jelly\", \"velocity\": [0, -2, 0], "
              "\"shape\": {\"box\": [0.2, 0.2, 0.2], \"at\": [0, 0.42, 0]}}]}",
        60, NULL);
    CHECK_BALANCE(b);
    CHECK(b.sum.work_elastic != 0 && b.sum.work_pressure != 0);
}

static void change_gravity(PxWorld *world, int step)
{
    const double gravity[3] = {0, -20, 0};
    if (step == 4)
        CHECK_OK(px_world_set(world, "gravity", gravity, 3));
}

TEST(changes_between_steps_are_events)
{
    const char *drop = START "\"materials\": {\"water\": {\"density\": 1000}}, \"bodies\": ["
                             "{\"name\": \"drop\", \"material\": \"water\", "
                             "\"shape\": {\"box\": [0.2, 0.2, 0.2], \"at\": [0, 2, 0]}}]}";
    Balance b = balance_of(drop, 10, change_gravity);
    CHECK_BALANCE(b);
    /* 8 kg at 2 m, less what they have fallen */
    CHECK_NEAR(b.sum.work_events, 8 * (20 - 9.81) * 2, 5);
    CHECK(balance_of(drop, 10, NULL).sum.work_events == 0);
}

TEST_MAIN()
