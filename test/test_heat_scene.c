/// Heat and melting in scene files.
#include "scenes.h"

#include "scene/layout/sections.h"
#include "world/kinds/kind.h"
#include "world/world_parts.h"

#define TOP "{\"phyxel\": 1, \"spacing\": 0.02, \"time\": {\"frames\": 3},\n"
#define BLOCK "{\"name\": \"block\", \"shape\": {\"box\": [0.1, 0.1, 0.1]}, \"material\": \"wax\"}"
#define WAX(more) "\"materials\": {\"wax\": {\"density\": 900, \"diffusivity\": 1e-4" more "}}"
#define MELTS(into) ",\n\"melts\": {\"from\": 6, \"to\": 40, \"into\": {" into "}}"
#define HEATER(more) ",\n\"heaters\": [{\"shape\": {\"sphere\": 1}" more "}]}"

static const char *const whole = TOP WAX(", \"heat_capacity\": 2500, \"latent_heat\": 2e5, "
                                         "\"viscosity\": 100,\n"
                                         "\"melts\": {\"from\": 40, \"to\": 60, \"into\": "
                                         "{\"viscosity\": 0.5, \"cohesion\": 3,\n"
                                         "  \"tension\": {\"model\": \"akinci\", \"strength\": "
                                         "0.7}}}") ",\n"
                                                   "\"bodies\": [" BLOCK ",\n"
                                                   "{\"name\": \"plate\", \"wall\": true, "
                                                   "\"shape\": {\"box\": [1, 0.1, 1], \"at\": [0, "
                                                   "-0.1, 0]},\n"
                                                   " \"temperature\": 90, \"conductance\": 500},\n"
                                                   "{\"name\": \"oven\", \"wall\": true, "
                                                   "\"shape\": {\"box\": [1, 0.1, 1], \"at\": [0, "
                                                   "-0.6, 0]},\n"
                                                   " \"temperatures\": [{\"at\": 0, \"to\": 20}, "
                                                   "{\"at\": 2, \"to\": 220}]},\n"
                                                   "{\"name\": \"side\", \"wall\": true, "
                                                   "\"shape\": {\"box\": [1, 0.1, 1], \"at\": [0, "
                                                   "0.6, 0]}}],\n"
                                                   "\"heaters\": [{\"name\": \"flame\", \"shape\": "
                                                   "{\"sphere\": 0.1}, \"power\": 50, \"end\": "
                                                   "2},\n"
                                                   " {\"name\": \"iron\", \"body\": \"block\", "
                                                   "\"shape\": {\"sphere\": 0.04}, "
                                                   "\"temperature\": 200,\n"
                                                   "  \"within\": 0.5}],\n"
                                                   "\"events\": [{\"at\": 0.05, \"set\": "
                                                   "\"materials.wax.melts.into.viscosity\", "
                                                   "\"to\": 2},\n"
                                                   " {\"at\": 0.05, \"set\": "
                                                   "\"materials.wax.melts.from\", \"to\": 30},\n"
                                                   " {\"at\": 0.05, \"set\": "
                                                   "\"heaters.flame.power\", \"to\": -5},\n"
                                                   " {\"at\": 0.05, \"set\": "
                                                   "\"bodies.oven.temperature\", \"to\": 30},\n"
                                                   " {\"at\": 0.05, \"set\": "
                                                   "\"bodies.plate.conductance\", \"to\": 30}]}";

TEST(a_scene_with_heat_becomes_its_world)
{
    PxScene *scene = scene_of(whole);
    CHECK_COUNT(scene, 0);
    CHECK_OK(px_scene_check(scene));
    CHECK_COUNT(scene, 0);
    PxWorld *world = NULL;
    CHECK_OK(px_scene_world(scene, 1, &world));
    const PxMaterialDef *wax = &world->materials.data[0].def;
    CHECK(wax->melts.melts && wax->melts.from == 40 && wax->melts.to == 60);
    CHECK(wax->melts.into.viscosity == 0.5 && wax->melts.into.cohesion == 3);
    CHECK(wax->melts.into.young == 0 && isnan(wax->melts.into.friction));
    /* surface tension of the molten state only */
    CHECK_TEXT(wax->tension.model, "akinci");
    CHECK(wax->tension.param[0] == 0 && wax->melts.into.tension == 0.7);
    CHECK(world->walls.data[0].boundary.temperature == 90 &&
          world->walls.data[0].boundary.conductance == 500);
    CHECK_EQUAL(world->walls.data[1].warmths, 2);
    CHECK(isnan(world->walls.data[2].boundary.temperature));
    CHECK_EQUAL(world->heaters.count, 2);
    CHECK(!world->heaters.data[0].def.holds && world->heaters.data[1].def.holds);
    CHECK_EQUAL(world->heaters.data[1].def.body.slot, 1);
    CHECK_OK(px_world_advance(world, 0.06));
    CHECK(wax->melts.into.viscosity == 2 && wax->melts.from == 30);
    CHECK(world->heaters.data[0].def.power == -5);
    CHECK(world->walls.data[1].boundary.temperature == 30 &&
          world->walls.data[0].boundary.conductance == 30);
    PxStats stats;
    px_world_stats(world, &stats);
    CHECK(stats.heat_in > 0 && stats.temperature_max > 20);
    px_world_free(world);
    px_scene_free(scene);
}

TEST(the_resolved_scene_with_heat_is_the_same_scene)
{
    PxScene *scene = scene_of(whole), *again = scene_of(px_scene_resolved(scene));
    CHECK_COUNT(again, 0);
    CHECK_TEXT(px_scene_resolved(again), px_scene_resolved(scene));
    CHECK_TEXT(px_scene_hash(again), px_scene_hash(scene));
    CHECK_OK(px_scene_set(scene, "heaters.iron.temperature", "300"));
    CHECK_OK(px_scene_set(scene, "materials.wax.melts.into.young", "10"));
    CHECK(strcmp(px_scene_hash(again), px_scene_hash(scene)) != 0);
    px_scene_free(again);
    px_scene_free(scene);
}

TEST(errors_of_melting_are_reported)
{
    CHECK_ONE(TOP WAX(",\n\"melts\": {\"from\": 60, \"to\": 40}") "}", "materials.wax.melts.to", 3,
              29, "wanted more than \"from\", 60");
    CHECK_ONE(TOP WAX(",\n\"melts\": {\"to\": 40}") "}", "materials.wax.melts.from", 3, 10,
              "is missing");
    CHECK_ONE(TOP WAX(MELTS("\"pressure\": \"sesph\"")) "}", "materials.wax.melts.into.pressure", 3,
              41, "keeps its models");
    CHECK_ONE(TOP WAX(MELTS("\"density\": 800")) "}", "materials.wax.melts.into.density", 3, 41,
              "stays as it is when matter melts");
    CHECK_ONE(TOP WAX(MELTS("\"viscosty\": 8")) "}", "materials.wax.melts.into.viscosty", 3, 41,
              "did you mean 'viscosity'");
    CHECK_ONE(TOP WAX(MELTS("\"tension\": 8")) "}", "materials.wax.melts.into.tension", 3, 52,
              "the cold state has no tension model");
    CHECK_ONE(TOP WAX(", \"tension\": \"he\"" MELTS("\"tension\": \"csf\"")) "}",
              "materials.wax.melts.into.tension", 3, 52, "that of the cold state is 'he'");
    CHECK_ONE(TOP WAX("") ",\n\"events\": [{\"at\": 0, \"set\": \"materials.wax.melts.to\", "
                          "\"to\": 3}]}",
              "events[0].set", 3, 29, "does not state \"melts\"");
}

TEST(errors_of_heaters_are_reported)
{
    CHECK_ONE(TOP WAX("") HEATER(""), "heaters[0]", 3, 13,
              "wanted a \"temperature\" in degrees C or a \"power\"");
    CHECK_ONE(TOP WAX("") HEATER(", \"power\": 3, \"temperature\": 3"), "heaters[0].power", 3, 47,
              "a heater has one of the two");
    CHECK_ONE(TOP WAX("") HEATER(", \"power\": 3, \"body\": \"wax\""), "heaters[0].body", 3, 58,
              "the non-wall bodies of this scene: none");
    CHECK_ONE(TOP WAX("") HEATER(", \"temperatures\": [{\"at\": 2, \"to\": 3}, {\"at\": 1, "
                                 "\"to\": 3}]"),
              "heaters[0].temperatures[1].at", 3, 82, "wanted more than the one before");
}

#define EVENT(at, key, to)                                                                         \
    "{\"at\": " at ", \"set\": \"materials.wax.melts." key "\", \"to\": " to "}"
#define EVENTS(all) TOP WAX(MELTS("")) ", \"bodies\": [" BLOCK "],\n\"events\": [" all "]}"

/* from 6 to 40 at first */
TEST(events_of_one_moment_are_judged_together)
{
    CHECK_ONE(EVENTS(EVENT("0.01", "from", "70")), "events[0].to", 4, 66,
              "melts from 70 to 40 degrees C, wanted the second higher");
    CHECK_ONE(EVENTS(EVENT("0.02", "to", "90") ",\n" EVENT("0.01", "from", "70")), "events[1].to",
              5, 55, "melts from 70 to 40");
    CHECK_ONE(EVENTS(EVENT("0.01", "to", "90") ",\n" EVENT("0.01", "from",
                                                           "70") ",\n" EVENT("0.03", "to", "70")),
              "events[2].to", 6, 53, "melts from 70 to 70");
    PxScene *scene = scene_of(EVENTS(EVENT("0.01", "from", "70") ",\n" EVENT("0.01", "to", "90")));
    CHECK_COUNT(scene, 0);
    PxWorld *world;
    CHECK_OK(px_scene_world(scene, 1, &world));
    CHECK_OK(px_world_advance(world, 0.02));
    CHECK_NEAR(world->materials.data[0].def.melts.from, 70, 0);
    CHECK_NEAR(world->materials.data[0].def.melts.to, 90, 0);
    double low = 60; /* alone it is refused and changes nothing */
    CHECK_FAILS(px_world_set(world, "materials.wax.melts.to", &low, 1), PX_ERR_ARGUMENT,
                "melts from 70 to 60 degrees C");
    CHECK_NEAR(world->materials.data[0].def.melts.to, 90, 0);
    px_world_free(world);
    px_scene_free(scene);
}

TEST(an_event_sets_the_temperature_of_emitted_matter)
{
    PxScene *scene = scene_of(TOP WAX("") ", \"emitters\": [{\"name\": \"tap\", \"shape\": "
                                          "{\"box\": [0.1, 0.1, 0.1]}, \"material\": \"wax\","
                                          "\"speed\": 1, \"temperature\": 45}],\n\"events\": ["
                                          "{\"at\": 0.05, \"set\": \"bodies.tap.temperature\", "
                                          "\"to\": 5}]}");
    CHECK_COUNT(scene, 0);
    CHECK_OK(px_scene_check(scene));
    PxWorld *world;
    CHECK_OK(px_scene_world(scene, 1, &world));
    CHECK_OK(px_world_advance(world, 0.05));
    PxStats stats;
    px_world_stats(world, &stats);
    CHECK(stats.particles > 0);
    CHECK_NEAR(stats.temperature_min, 45, 0);
    CHECK_OK(px_world_advance(world, 0.1)); /* emitted at the emitter's temperature */
    px_world_stats(world, &stats);
    CHECK_NEAR(stats.temperature_min, 5, 0.5); /* beside what is warm */
    CHECK_NEAR(stats.temperature_max, 45, 0.5);
    px_world_free(world);
    px_scene_free(scene);
    CHECK_ONE(TOP WAX("") ", \"emitters\": [{\"name\": \"tap\", \"shape\": {\"box\": [1, 1, 1]}, "
                          "\"material\": \"wax\", \"speed\": 1}],\n\"events\": [{\"at\": 0.05, "
                          "\"set\": \"bodies.tab.temperature\", \"to\": 5}]}",
              "events[0].set", 3, 32, "did you mean 'tap'?");
}

TEST(temperatures_that_nothing_feels_are_pointed_out)
{
    PxScene *scene =
        scene_of(TOP "\"materials\": {\"wax\": {\"density\": 900, \"latent_heat\": 5}},\n"
                     "\"bodies\": [" BLOCK ",\n{\"wall\": true, \"temperature\": 3, "
                     "\"shape\": {\"plane\": {}, \"at\": [0, -1, 0]}}]}");
    CHECK_COUNT(scene, 0);
    CHECK_OK(px_scene_check(scene));
    CHECK_COUNT(scene, 2);
    CHECK_SAYS(scene, 0, "materials.wax.latent_heat", 2, 54, "does not melt");
    CHECK_SAYS(scene, 1, "bodies[1].temperature", 4, 31, "no material of this scene conducts heat");
    px_scene_free(scene);
}

TEST(a_temperature_without_effect_is_a_warning)
{
#define WARM(more, also)                                                                           \
    TOP "\"materials\": {\"wax\": {\"density\": 900" more "}},\n\"bodies\": [{\"shape\": "         \
        "{\"box\": [0.1, 0.1, 0.1]}, \"material\": \"wax\", \"temperature\": 30}]" also "}"
    static const char *const felt[] = {WARM(", \"diffusivity\": 1e-4", ""),
                                       WARM(", \"melts\": {\"from\": 6, \"to\": 40}", ""),
                                       WARM("", ", \"heaters\": [{\"shape\": {\"box\": [1, 1, 1]},"
                                                " \"power\": 3}]")};
    PxScene *scene = scene_of(WARM("", ""));
    CHECK_OK(px_scene_check(scene));
    CHECK_COUNT(scene, 1);
    CHECK_SAYS(scene, 0, "bodies[0].temperature", 3, 82, "'wax' neither conducts heat nor melts");
    px_scene_free(scene);
    for (size_t k = 0; k < PX_COUNT(felt); ++k) {
        scene = scene_of(felt[k]);
        CHECK_OK(px_scene_check(scene));
        CHECK_COUNT(scene, 0);
        px_scene_free(scene);
    }
}

TEST(errors_that_follow_from_another_are_not_reported)
{
    PxScene *scene =
        scene_of(TOP "\"materials\": {\"wax\": {\"density\": 900, \"diffusivity\": -1}},\n"
                     "\"bodies\": [" BLOCK ",\n{\"wall\": true, \"temperature\": 3, "
                     "\"shape\": {\"plane\": {}, \"at\": [0, -1, 0]}}]}");
    CHECK(px_scene_check(scene) == PX_ERR_FORMAT);
    CHECK_COUNT(scene, 1);
    CHECK_SAYS(scene, 0, "materials.wax.diffusivity", 2, 54, "is -1");
    px_scene_free(scene);
}

TEST(of_two_heaters_at_one_place_the_later_is_pointed_out)
{
#define TWO(at, more)                                                                              \
    TOP WAX(                                                                                       \
        "") ", \"bodies\": [" BLOCK "],\n\"heaters\": [{\"name\": \"iron\", \"shape\": "           \
            "{\"box\": [0.1, 0.1, 0.1]}, \"temperature\": 9},\n{\"name\": \"ice\", \"shape\": "    \
            "{\"box\": [0.1, 0.1, 0.1], \"at\": [" at ", 0, 0]}, \"temperature\": 3" more "}]}"
    PxScene *scene = scene_of(TWO("0.05", ""));
    CHECK_OK(px_scene_check(scene));
    CHECK_COUNT(scene, 1);
    CHECK_SAYS(scene, 0, "heaters[1].shape", 4, 26, "holds particles that 'iron' holds");
    px_scene_free(scene);
    scene = scene_of(TWO("0.05", ", \"within\": 1")); /* relaxed, not fixed */
    CHECK_OK(px_scene_check(scene));
    CHECK_COUNT(scene, 0);
    px_scene_free(scene);
}

TEST(the_numbers_of_the_molten_state_have_the_ranges_of_the_cold_one)
{
    for (size_t k = 0; k < px_melt_into_section.field_count; ++k) {
        const PxField *hot = &px_melt_into_section.fields[k];
        const PxField *cold = px_section_field(&px_material_kind.section, hot->key);
        CHECK(cold != NULL);
        if (cold->kind == PX_FIELD_MODEL)
            continue;
        CHECK(cold->least == hot->least && cold->most == hot->most && cold->kind == hot->kind);
        CHECK_EQUAL(cold->flags & PX_FIELD_ABOVE, hot->flags & PX_FIELD_ABOVE);
    }
}

static double steps_of(const char *material)
{
    char text[1000];
    snprintf(text, sizeof text,
             TOP "\"materials\": {\"wax\": {\"density\": 900%s}}, \"bodies\": [" BLOCK ","
                 "{\"shape\": {\"plane\": {}, \"at\": [0, -2, 0]}, \"wall\": true}]}",
             material);
    PxScene *scene = scene_of(text);
    PxSceneEstimate estimate;
    CHECK_OK(px_scene_estimate(scene, 1, &estimate));
    px_scene_free(scene);
    return estimate.steps;
}

/* A body that falls 2 m: its speed limits the step of fluids and of melting matter. A world of
 * solids alone uses sub-steps instead. */
TEST(the_estimate_gives_melting_matter_the_steps_of_a_fluid)
{
    double liquid = steps_of("");
    double melts = steps_of(", \"young\": 1e5, \"melts\": {\"from\": 40, \"to\": 60}");
    double solid = steps_of(", \"young\": 1e5");
    CHECK_NEAR(melts / liquid, 0.5 / 0.8, 1e-9); /* less of it falls in the mean */
    CHECK(solid < 0.5 * melts);
}

TEST_MAIN()
