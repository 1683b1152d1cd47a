/// The tables of kinds: complete, in order, and followed by everything that uses them.
#include "scenes.h"

#include "scene/content.h"
#include "world/kinds/value_path.h"

#define EVERYTHING                                                                                 \
    HEAD                                                                                           \
        " \"materials\": {\"water\": {\"density\": 1000},\n"                                       \
        "  \"jelly\": {\"density\": 1000, \"young\": 1e4}},\n"                                     \
        " \"bodies\": [" BOX ",\n" FLOOR ",\n"                                                     \
        "  {\"name\": \"bar\", \"shape\": {\"box\": [1, 1, 1], \"at\": [3, 0, 0]}, "               \
        "\"material\": \"jelly\"},\n"                                                              \
        "  {\"name\": \"crate\", \"shape\": {\"box\": [1, 1, 1], \"at\": [6, 5, 0]}, "             \
        "\"material\": \"water\", \"rigid\": true}],\n"                                            \
        " \"seams\": [],\n"                                                                        \
        " \"joints\": [{\"name\": \"pin\", \"body\": \"crate\", \"at\": [6, 5, 0]}],\n"            \
        " \"emitters\": [{\"name\": \"tap\", \"shape\": {\"box\": [1, 1, 1], \"at\": [0, 3, 0]},"  \
        " \"material\": \"water\", \"speed\": 1}],\n"                                              \
        " \"sinks\": [{\"name\": \"drain\", \"shape\": {\"box\": [1, 1, 1], \"at\": [9, 9, 9]}}]," \
        "\n \"handles\": [{\"name\": \"grip\", \"shape\": {\"box\": [1, 1, 1], "                   \
        "\"at\": [2.5, 0, 0]}}],\n"                                                                \
        " \"forces\": [{\"name\": \"wind\", \"shape\": {\"box\": [1, 1, 1], \"at\": [3, 0, 0]}, "  \
        "\"force\": [1, 0, 0]}],\n"                                                                \
        " \"fields\": [{\"name\": \"gust\", \"kind\": \"wind\", \"velocity\": [1, 0, 0]}],\n"      \
        " \"heaters\": [{\"name\": \"flame\", \"shape\": {\"box\": [1, 1, 1]}, \"power\": 9}],\n"  \
        " \"gauges\": [{\"name\": \"probe\", \"measures\": \"pressure\", \"at\": [0, 0, 0]}]%s}"

static PxScene *scene_with(const char *more)
{
    char text[4000];
    snprintf(text, sizeof text, EVERYTHING, more);
    return scene_of(text);
}

TEST(the_members_of_a_scene_are_in_the_order_of_the_kinds)
{
    PxScene *s = scene_with("");
    CHECK_COUNT(s, 0);
    const struct {
        const PxKind *kind;
        const void *first;
        size_t count, stride;
    } lists[] = {{&px_material_kind, s->material, s->materials, sizeof *s->material},
                 {&px_body_kind, s->body, s->bodies, sizeof *s->body},
                 {&px_emitter_kind, s->emitter, s->emitters, sizeof *s->emitter},
                 {&px_sink_kind, s->sink, s->sinks, sizeof *s->sink},
                 {&px_handle_kind, s->handle, s->handles, sizeof *s->handle},
                 {&px_force_kind, s->force, s->forces, sizeof *s->force},
                 {&px_force_field_kind, s->force_field, s->fields, sizeof *s->force_field},
                 {&px_heater_kind, s->heater, s->heaters, sizeof *s->heater},
                 {&px_gauge_kind, s->gauge, s->gauges, sizeof *s->gauge}};
    for (size_t k = 0; k < PX_COUNT(lists); ++k) {
        CHECK(px_scene_list(s, lists[k].kind)->thing == lists[k].first);
        CHECK_EQUAL(px_scene_list(s, lists[k].kind)->count, lists[k].count);
        CHECK_EQUAL(px_thing_stride(lists[k].kind), lists[k].stride);
        CHECK(lists[k].count > 0);
    }
    CHECK_TEXT(s->handle[0].def.name, "grip");
    CHECK_TEXT(px_kind_name(&px_heater_kind, &s->heater[0].def), "flame");
    px_scene_free(s);
}

static void check_section(const PxSection *section)
{
    for (size_t k = 0; k < section->field_count; ++k) {
        const PxField *field = &section->fields[k];
        CHECK(field->unit != NULL && field->help != NULL);
        CHECK_EQUAL(field->help[strlen(field->help) - 1], '.');
        CHECK(field->offset < section->size && field->beside < section->size);
        CHECK(px_section_field(section, field->key) == field); /* no key twice */
        CHECK(field->kind != PX_FIELD_THING || px_kind_of_list(field->of) != NULL);
        CHECK((field->kind == PX_FIELD_PART) == (field->part != NULL));
        if (field->part != NULL)
            check_section(field->part);
    }
}

TEST(every_kind_describes_itself)
{
    for (size_t k = 0; k < PX_KIND_COUNT; ++k) {
        const PxKind *kind = px_kinds[k];
        CHECK(px_kind_of_list(kind->list) == kind);
        CHECK(kind->most > 0 && kind->section.wanted != NULL);
        CHECK(kind->region_verb == NULL || px_section_field(&kind->section, "body") != NULL);
        check_section(&kind->section);
    }
    CHECK(px_kind_of_list("heater") == NULL);
}

/* A scene with one of everything is built, and each thing is found in the world by its name. */
TEST(a_world_has_all_things_of_its_scene_until_they_are_removed)
{
    PxScene *scene = scene_with("");
    PxWorld *world;
    CHECK_OK(px_scene_world(scene, 1, &world));
    for (size_t k = 0; k < PX_KIND_COUNT; ++k) {
        const PxKind *kind = px_kinds[k];
        const PxSceneList *list = &scene->list[k];
        for (size_t i = 0; i < list->count; ++i) {
            const char *name;
            CHECK(i < px_kind_slots(kind, world));
            CHECK(px_kind_at(kind, world, i, &name, NULL, NULL));
            CHECK_TEXT(name, px_kind_name(kind, px_thing_def(px_scene_thing(list, kind, i))));
        }
    }
    /* From the last kind to the first, since things refer to earlier kinds. */
    for (size_t k = PX_KIND_COUNT; k-- > 0;)
        for (size_t i = 0; i < px_kind_slots(px_kinds[k], world); ++i) {
            PxThingId id;
            CHECK(px_kind_at(px_kinds[k], world, i, NULL, &id, NULL));
            CHECK_OK(px_kind_remove(px_kinds[k], world, id));
            CHECK(!px_kind_at(px_kinds[k], world, i, NULL, NULL, NULL));
            CHECK_FAILS(px_kind_remove(px_kinds[k], world, id), PX_ERR_ARGUMENT, "stale");
        }
    px_world_free(world);
    px_scene_free(scene);
}

/* The same path, misspelt, in px_world_set(), in an event and in px_scene_set(). */
static void check_suggestion(const char *path, const char *words)
{
    char event[400];
    double value = 1;
    snprintf(event, sizeof event, ",\n \"events\": [{\"at\": 0, \"set\": \"%s\", \"to\": 1}]",
             path);
    PxScene *scene = scene_with(event);
    CHECK_COUNT(scene, 1);
    CHECK(strstr(px_scene_complaint(scene, 0)->text, words) != NULL);
    px_scene_free(scene);
    scene = scene_with("");
    CHECK_FAILS(px_scene_set(scene, path, "1"), PX_ERR_ARGUMENT, words);
    CHECK_COUNT(scene, 0);
    PxWorld *world;
    CHECK_OK(px_scene_world(scene, 1, &world));
    CHECK_FAILS(px_world_set(world, path, &value, 1), PX_ERR_ARGUMENT, words);
    px_world_free(world);
    px_scene_free(scene);
}

TEST(a_misspelt_name_gets_the_same_suggestion_everywhere)
{
    check_suggestion("materials.watr.density",
                     "there is no material 'watr'; there are water, jelly; did you mean 'water'?");
    check_suggestion("emitters.tip.speed",
                     "there is no emitter 'tip'; there is tap; did you mean 'tap'?");
    check_suggestion("heaters.flam.power",
                     "there is no heater 'flam'; there is flame; did you mean 'flame'?");
    check_suggestion("bodies[7", "a '[' has no ']'");
    check_suggestion("bodies..friction", "a part of it is empty");
}

TEST(a_misspelt_key_gets_a_suggestion)
{
    PxScene *scene = scene_with("");
    PxWorld *world;
    double value = 1;
    CHECK_OK(px_scene_world(scene, 1, &world));
    CHECK_FAILS(px_world_set(world, "gravty", &value, 1), PX_ERR_ARGUMENT,
                "did you mean 'gravity'?");
    CHECK_FAILS(px_world_set(world, "heatrs.flame.power", &value, 1), PX_ERR_ARGUMENT,
                "did you mean 'heaters'?");
    CHECK_FAILS(px_world_set(world, "bodies.floor.frictoin", &value, 1), PX_ERR_ARGUMENT,
                "did you mean 'friction'?");
    CHECK_FAILS(px_world_set(world, "materials.water.pressure.max_eror", &value, 1),
                PX_ERR_ARGUMENT, "did you mean 'max_error'?");
    CHECK_FAILS(px_world_set(world, "sinks.drain.start", &value, 1), PX_ERR_ARGUMENT,
                "cannot change while the world runs");
    CHECK_FAILS(px_world_set(world, "bodies.floor.velocity.x", &value, 1), PX_ERR_ARGUMENT,
                "'velocity' cannot change while the world runs; what can: temperature, friction");
    CHECK_OK(px_world_set(world, "gravity[1]", &value, 1));
    CHECK_OK(px_world_set(world, "forces.wind.force.z", &value, 1));
    px_world_free(world);
    px_scene_free(scene);
}

/* The resolved scene with every kind reads back as the same scene. */
TEST(a_scene_with_every_kind_survives_the_round_trip)
{
    PxScene *scene = scene_with(""), *again;
    const char *text = px_scene_resolved(scene);
    CHECK_OK(px_scene_read_text("again.json", NULL, text, strlen(text), &again));
    CHECK_COUNT(again, 0);
    CHECK_TEXT(px_scene_resolved(again), text);
    px_scene_free(again);
    px_scene_free(scene);
}

TEST_MAIN()
