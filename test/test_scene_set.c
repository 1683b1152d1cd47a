/// Changing scenes, writing them out with every default, and their hashes.
#include "scenes.h"

#include "scene/content.h"
#include "world/kinds/kind.h"

#include <dirent.h>
#include <locale.h>

#define SCENE                                                                                      \
    HEAD WATER "\"name\": \"pool\",\n"                                                             \
               "\"time\": {\"frames\": 10},\n"                                                     \
               "\"bodies\": [\n" BOX ",\n" FLOOR ",\n"                                             \
               "{\"wall\": true, \"shape\": {\"sphere\": 1, \"at\": [9, 0, 0]}}]}"

/* ---- set -------------------------------------------------------------------------- */

TEST(values_are_set_by_their_path)
{
    PxScene *scene = scene_of(SCENE);
    CHECK_OK(px_scene_set(scene, "spacing", "0.1"));
    CHECK_OK(px_scene_set(scene, "time.frames", "3"));
    CHECK_OK(px_scene_set(scene, "time.fps", "25"));
    CHECK_OK(px_scene_set(scene, "name", "a new name"));
    CHECK_OK(px_scene_set(scene, "up", "z"));
    CHECK_OK(px_scene_set(scene, "gravity", "[1, 2, 3]"));
    CHECK_OK(px_scene_set(scene, "gravity.y", "5"));
    CHECK_OK(px_scene_set(scene, "gravity[2]", "7"));
    CHECK_OK(px_scene_set(scene, "materials.water.viscosity", "2"));
    CHECK_OK(px_scene_set(scene, "materials.water.pressure.max_error", "3"));
    CHECK_OK(px_scene_set(scene, "bodies.floor.friction", "0.25"));
    CHECK_OK(px_scene_set(scene, "bodies[0].velocity", "[0, 0, 1]"));
    CHECK_OK(px_scene_set(scene, "bodies.body 3.shape.sphere", "2"));
    CHECK_OK(px_scene_set(scene, "bodies.2.shape.at", "[8, 0, 0]"));
    CHECK_OK(px_scene_set(scene, "camera", "{\"from\": [1, 0, 0], \"to\": [0, 0, 0]}"));
    CHECK_OK(px_scene_set(scene, "camera.fov", "20"));
    CHECK_COUNT(scene, 0);
    CHECK(px_scene_spacing(scene) == 0.1);
    CHECK_EQUAL(px_scene_frames(scene), 3);
    CHECK(px_scene_fps(scene) == 25);
    CHECK_TEXT(px_scene_name(scene), "a new name");
    CHECK_EQUAL(px_scene_up(scene), 'z');
    CHECK(scene->world.gravity.x == 1 && scene->world.gravity.y == 5 &&
          scene->world.gravity.z == 7);
    CHECK(scene->material[0].def.viscosity == 2);
    CHECK(scene->material[0].def.pressure.param[0] == 3);
    CHECK(scene->body[1].def.friction == 0.25);
    CHECK(scene->body[0].def.velocity.z == 1);
    CHECK(scene->body[2].def.shape.radius == 2 && scene->body[2].def.shape.at.x == 8);
    PxSceneCamera camera;
    CHECK(px_scene_camera(scene, &camera) && camera.fov == 20);
    px_scene_free(scene);
}

TEST(parameters_of_a_model_given_by_name_can_be_set)
{
    PxScene *scene =
        scene_of(HEAD "\"materials\": {\"a\": {\"density\": 1, \"pressure\": \"sesph\"}}}");
    CHECK_OK(px_scene_set(scene, "materials.a.pressure.gamma", "3"));
    CHECK_OK(px_scene_set(scene, "materials.a.pressure.damping", "0.5"));
    CHECK_COUNT(scene, 0);
    CHECK_TEXT(scene->material[0].def.pressure.model, "sesph");
    CHECK(scene->material[0].def.pressure.param[0] == 3 &&
          scene->material[0].def.pressure.param[3] == 0.5);
    px_scene_free(scene);
}

TEST(a_wrong_value_is_a_complaint_without_a_line_and_others_keep_theirs)
{
    PxScene *scene = scene_of(HEAD "\"support\": 9,\n\"courant\": 0.5}");
    CHECK_SAYS(scene, 0, "support", 3, 12, "is 9");
    CHECK_FAILS(px_scene_set(scene, "spacing", "-1"), PX_ERR_FORMAT, "2 errors");
    CHECK_FAILS(px_scene_set(scene, "courant", "fast"), PX_ERR_FORMAT, "3 errors");
    CHECK_FAILS(px_scene_set(scene, "colour", "red"), PX_ERR_FORMAT, "4 errors");
    CHECK_COUNT(scene, 4);
    CHECK_SAYS(scene, 0, "support", 3, 12, "is 9");
    CHECK_SAYS(scene, 1, "colour", 0, 0, "is not a key here");
    CHECK_SAYS(scene, 2, "spacing", 0, 0, "is -1");
    CHECK_SAYS(scene, 3, "courant", 0, 0, "is text 'fast'");
    CHECK_FAILS(px_scene_set(scene, "spacing", "1"), PX_ERR_FORMAT, "3 errors");
    CHECK_FAILS(px_scene_set(scene, "courant", "0.1"), PX_ERR_FORMAT, "2 errors");
    CHECK_FAILS(px_scene_set(scene, "support", "2"), PX_ERR_FORMAT, "1 error");
    CHECK_COUNT(scene, 1);
    px_scene_free(scene);
}

TEST(an_invalid_set_changes_nothing)
{
    PxScene *scene = scene_of(SCENE);
    char before[4096];
    snprintf(before, sizeof before, "%s", px_scene_resolved(scene));
    CHECK_FAILS(px_scene_set(scene, "", "1"), PX_ERR_ARGUMENT, "it is empty");
    CHECK_FAILS(px_scene_set(scene, "time.", "1"), PX_ERR_ARGUMENT, "a part of it is empty");
    CHECK_FAILS(px_scene_set(scene, "time..fps", "1"), PX_ERR_ARGUMENT, "a part of it is empty");
    CHECK_FAILS(px_scene_set(scene, "bodies[0", "1"), PX_ERR_ARGUMENT, "has no ']'");
    CHECK_FAILS(px_scene_set(scene, "bodies[3].wall", "1"), PX_ERR_ARGUMENT,
                "there is no '3' in a list of 3");
    CHECK_FAILS(px_scene_set(scene, "bodies[99999999999999999999].wall", "1"), PX_ERR_ARGUMENT,
                "in a list of 3");
    CHECK_FAILS(px_scene_set(scene, "bodies.flor.wall", "1"), PX_ERR_ARGUMENT,
                "there is no body 'flor'; there are block, floor, body 3; did you mean 'floor'?");
    CHECK_FAILS(px_scene_set(scene, "materials.watr.density", "1"), PX_ERR_ARGUMENT,
                "there is no material 'watr'; there is water; did you mean 'water'?");
    CHECK_FAILS(px_scene_set(scene, "heaters.x.power", "3"), PX_ERR_ARGUMENT,
                "the scene has no heaters of which a part could be set; wanted all of them as a "
                "list");
    CHECK_FAILS(px_scene_set(scene, "spacing.x", "1"), PX_ERR_ARGUMENT, "is 0.05 and has no parts");
    CHECK_FAILS(px_scene_set(scene, "spacing", ""), PX_ERR_ARGUMENT, "the value is not JSON");
    CHECK_FAILS(px_scene_set(scene, "gravity", "[1, 2"), PX_ERR_ARGUMENT, "the value is not JSON");
    CHECK_FAILS(px_scene_set(scene, "name", "\xff"), PX_ERR_ARGUMENT, "not valid UTF-8");
    CHECK_TEXT(px_scene_resolved(scene), before);
    px_scene_free(scene);
    scene = scene_of("nonsense");
    CHECK_FAILS(px_scene_set(scene, "spacing", "1"), PX_ERR_FORMAT, "not a scene");
    px_scene_free(scene);
}

/* ---- the resolved scene -------------------------------------------------------------- */

/* Reads the resolved scene, resolves it again and compares the two. */
static void check_round_trip(const PxScene *scene)
{
    PxScene *again = NULL;
    const char *text = px_scene_resolved(scene);
    CHECK_OK(px_scene_read_text("again.json", "/elsewhere", text, strlen(text), &again));
    CHECK_COUNT(again, 0);
    CHECK_TEXT(px_scene_resolved(again), text);
    CHECK_TEXT(px_scene_hash(again), px_scene_hash(scene));
    px_scene_free(again);
}

TEST(a_resolved_scene_resolves_to_itself)
{
    PxScene *scene = scene_of(
        "{\"phyxel\": 1, \"spacing\": 0.1, \"up\": \"z\", \"support\": 2.1000000000000001,\n"
        "\"materials\": {\"a \\\"b\\\" \u00e4\": {\"density\": 1e3, \"viscosity\": 1e-17}},\n"
        "\"bodies\": [{\"shape\": {\"cylinder\": {\"radius\": 0.3, \"height\": 1},\n"
        "  \"turn\": {\"axis\": [1, -0, 0.1], \"degrees\": 33.3}}, \"material\": \"a \\\"b\\\" "
        "\u00e4\"},\n"
        "{\"wall\": true, \"shape\": {\"plane\": {}}, \"keyframes\": [{\"at\": 0.1}, {\"at\": 1,\n"
        "  \"turn\": {\"axis\": [0, 0, 1], \"degrees\": 360}}]},\n"
        "{\"wall\": true, \"shape\": {\"plane\": [0, 1, 0]}},\n"
        "{\"wall\": true, \"shape\": {\"mesh\": \"a/../b.ply\"}},\n"
        "{\"wall\": true, \"shape\": {\"cone\": {\"radius\": 1, \"height\": 1}}}],\n"
        "\"events\": [{\"at\": 0.3333333333333333, \"set\": \"gravity\", \"to\": [0, 0.1, 0]},\n"
        "{\"at\": 1, \"set\": \"materials.a \\\"b\\\" \u00e4.viscosity\", \"to\": 5e-324}],\n"
        "\"camera\": {\"from\": [1, 2, 3], \"to\": [0, 0, 0]}}");
    CHECK_COUNT(scene, 0);
    check_round_trip(scene);
    px_scene_free(scene);
}

TEST(every_field_is_in_the_resolved_scene)
{
    PxScene *scene = scene_of(SCENE);
    const char *text = px_scene_resolved(scene);
    const PxSection *const tables[] = {&px_world_section, &px_material_kind.section,
                                       &px_body_kind.section};
    for (size_t t = 0; t < PX_COUNT(tables); ++t)
        for (size_t k = 0; k < tables[t]->field_count; ++k) {
            char key[80];
            snprintf(key, sizeof key, "\"%s\": ", tables[t]->fields[k].key);
            if (tables[t]->fields[k].kind <= PX_FIELD_MODEL)
                CHECK(strstr(text, key) != NULL);
        }
    CHECK(strstr(text, "\"at\": [9, 0, 0]") != NULL);
    CHECK(strstr(text, "\"normal\": [0, 1, 0]") != NULL);
    CHECK(strstr(text, "\"name\": \"body 3\"") != NULL);
    px_scene_free(scene);
}

TEST(shipped_scenes_survive_the_round_trip)
{
    DIR *folder = opendir(PX_SOURCE_DIR "/scenes");
    CHECK(folder != NULL);
    size_t count = 0;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char path[600];
        if (strstr(entry->d_name, ".json") == NULL)
            continue;
        snprintf(path, sizeof path, PX_SOURCE_DIR "/scenes/%s", entry->d_name);
        PxScene *scene = NULL;
        CHECK_OK(px_scene_read(path, &scene));
        check_round_trip(scene);
        px_scene_free(scene);
        count++;
    }
    closedir(folder);
    CHECK(count >= 5);
}

TEST(a_decimal_comma_of_the_locale_stays_out_of_the_files)
{
    /* Only where such a locale is installed; else this repeats the test above. */
    if (setlocale(LC_ALL, "de_DE.UTF-8") == NULL)
        setlocale(LC_ALL, "fr_FR.UTF-8");
    PxScene *scene = scene_of(SCENE);
    CHECK_COUNT(scene, 0);
    CHECK(strstr(px_scene_resolved(scene), "\"spacing\": 0.05") != NULL);
    check_round_trip(scene);
    px_scene_free(scene);
    setlocale(LC_ALL, "C");
}

/* ---- hashes ------------------------------------------------------------------------------ */

TEST(the_hash_depends_on_the_meaning_of_a_scene_only)
{
    PxScene *scene = scene_of(SCENE), *same = scene_of("\n\n" SCENE);
    char before[PX_DIGEST_TEXT];
    strcpy(before, px_scene_hash(scene));
    CHECK_EQUAL(strlen(before), 32);
    CHECK_TEXT(px_scene_hash(same), before);
    CHECK_OK(px_scene_set(same, "time.frames", "5000"));
    CHECK_TEXT(px_scene_hash(same), before);
    CHECK_OK(px_scene_set(same, "support", "2")); /* the default */
    CHECK_TEXT(px_scene_hash(same), before);
    CHECK_OK(px_scene_set(same, "//", "a comment"));
    CHECK_TEXT(px_scene_hash(same), before);
    static const struct {
        const char *path, *value;
    } changes[] = {{"time.fps", "29"},           {"spacing", "0.051"},
                   {"gravity", "[0, 0, 1e-30]"}, {"materials.water.density", "1001"},
                   {"bodies[0].name", "brick"},  {"bodies[2].shape.at", "[9, 0, 1e-9]"}};
    for (size_t k = 0; k < PX_COUNT(changes); ++k) {
        CHECK_OK(px_scene_set(scene, changes[k].path, changes[k].value));
        CHECK(strcmp(px_scene_hash(scene), before) != 0);
        strcpy(before, px_scene_hash(scene));
    }
    px_scene_free(scene);
    px_scene_free(same);
}

TEST_MAIN()
