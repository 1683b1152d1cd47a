/// Scene files: reading, and complaints about mistakes.
#include "scenes.h"

#include "base/vec.h"
#include "scene/content.h"
#include "scene/layout/shape_forms.h"
#include "world/kinds/kind.h"

#include <unistd.h>

static PxScene *scene_with_bodies(const char *bodies)
{
    char text[4096];
    snprintf(text, sizeof text, HEAD WATER " \"bodies\": [\n%s\n]}", bodies);
    return scene_of(text);
}

#define CHECK_BODY(bodies, place, line, column, words)                                             \
    do {                                                                                           \
        PxScene *body_scene = scene_with_bodies(bodies);                                           \
        CHECK_COUNT(body_scene, 1);                                                                \
        CHECK_SAYS(body_scene, 0, place, line, column, words);                                     \
        px_scene_free(body_scene);                                                                 \
    } while (0)

/* ---- good scenes -------------------------------------------------------------- */

TEST(a_good_scene_has_no_complaints)
{
    PxScene *scene = NULL;
    const char *text = HEAD WATER " \"name\": \"pool\", \"up\": \"y\",\n"
                                  " \"time\": {\"frames\": 7, \"fps\": 24},\n"
                                  " \"camera\": {\"from\": [1, 2, 3], \"to\": [0, 0, 0]},\n"
                                  " \"emitters\": [], \"events\": [],\n"
                                  " \"bodies\": [" BOX ", " FLOOR "]}";
    CHECK_OK(px_scene_read_text("a/b/pond.json", NULL, text, strlen(text), &scene));
    CHECK_COUNT(scene, 0);
    CHECK_EQUAL(px_scene_error_count(scene), 0);
    CHECK_TEXT(px_scene_name(scene), "pool");
    CHECK_EQUAL(px_scene_frames(scene), 7);
    CHECK(px_scene_fps(scene) == 24);
    CHECK(px_scene_spacing(scene) == 0.05);
    CHECK_EQUAL(px_scene_up(scene), 'y');
    PxSceneCamera camera;
    CHECK(px_scene_camera(scene, &camera));
    CHECK(camera.from.y == 2 && camera.fov == 40);
    px_scene_free(scene);
}

TEST(values_left_out_have_their_defaults)
{
    PxScene *scene = NULL;
    const char *text = HEAD "\"bodies\": []}";
    CHECK_OK(px_scene_read_text("a/b/pond.v2.json", NULL, text, strlen(text), &scene));
    CHECK_TEXT(px_scene_name(scene), "pond.v2");
    CHECK_EQUAL(px_scene_frames(scene), 100);
    CHECK(px_scene_fps(scene) == 30);
    CHECK(scene->world.support == px_world_def_default().support);
    PxSceneCamera camera;
    CHECK(!px_scene_camera(scene, &camera));
    px_scene_free(scene);
}

TEST(gravity_points_against_up_unless_stated)
{
    PxScene *y = scene_of(HEAD "\"up\": \"y\"}"), *z = scene_of(HEAD "\"up\": \"z\"}");
    PxScene *own = scene_of(HEAD "\"up\": \"z\", \"gravity\": [1, 2, 3]}");
    CHECK(y->world.gravity.y == -9.81 && y->world.gravity.z == 0);
    CHECK(z->world.gravity.z == -9.81 && z->world.gravity.y == 0);
    CHECK(own->world.gravity.x == 1 && own->world.gravity.z == 3);
    CHECK_EQUAL(px_scene_up(z), 'z');
    px_scene_free(y);
    px_scene_free(z);
    px_scene_free(own);
}

TEST(comments_may_stand_in_every_object)
{
    PxScene *scene = scene_of(
        "{ \"//\": 1, \"phyxel\": 1, \"// two\": [{}], \"spacing\": 0.05,\n"
        "\"time\": {\"//\": \"\", \"fps\": 1},\n"
        "\"materials\": {\"//\": {\"density\": -1}, \"water\": {\"//\": 0, \"density\": 1,\n"
        "  \"pressure\": {\"//\": 0, \"model\": \"sesph\"}}},\n"
        "\"bodies\": [{\"//\": 0, \"material\": \"water\", \"shape\": {\"//\": 0,\n"
        "  \"cylinder\": {\"//\": 0, \"radius\": 1, \"height\": 1},\n"
        "  \"turn\": {\"//\": 0, \"axis\": [1, 0, 0], \"degrees\": 5}}},\n"
        " {\"wall\": true, \"shape\": {\"plane\": {\"//\": 0}},\n"
        "  \"keyframes\": [{\"//\": 0, \"at\": 0}]}],\n"
        "\"events\": [{\"//\": 0, \"at\": 0, \"set\": \"courant\", \"to\": 0.1}],\n"
        "\"camera\": {\"//\": 0, \"from\": [1, 0, 0], \"to\": [0, 0, 0]}}");
    CHECK_COUNT(scene, 0);
    CHECK_EQUAL(scene->materials, 1);
    px_scene_free(scene);
}

TEST(every_kind_of_shape_is_read)
{
    PxScene *scene = scene_with_bodies(
        "{\"shape\": {\"box\": [1, 2, 3], \"at\": [4, 5, 6], \"scale\": 2}, \"material\": "
        "\"water\"},\n"
        "{\"shape\": {\"sphere\": 0.5}, \"material\": \"water\"},\n"
        "{\"shape\": {\"cylinder\": {\"radius\": 1, \"height\": 2}}, \"material\": \"water\"},\n"
        "{\"shape\": {\"capsule\": {\"radius\": 1, \"height\": 2}}, \"material\": \"water\"},\n"
        "{\"shape\": {\"plane\": [1, 0, 0]}, \"wall\": true},\n"
        "{\"shape\": {\"plane\": {\"normal\": [0, 0, 2]}}, \"wall\": true},\n"
        "{\"shape\": {\"cone\": {\"radius\": 1, \"height\": 2}}, \"wall\": true},\n"
        "{\"shape\": {\"funnel\": {\"radius\": 1, \"radius_top\": 2, \"height\": 3,"
        " \"thickness\": 0.1}}, \"wall\": true},\n"
        "{\"shape\": {\"mesh\": \"bunny.obj\"}, \"wall\": true},\n"
        "{\"shape\": {\"mesh\": \"/x/bunny.obj\"}, \"wall\": true}");
    CHECK_COUNT(scene, 0);
    const PxShapeDef *box = &scene->body[0].def.shape, *funnel = &scene->body[7].def.shape;
    CHECK(box->size.y == 2 && box->at.z == 6 && box->scale == 2);
    CHECK(scene->body[1].def.shape.radius == 0.5);
    CHECK(scene->body[4].def.shape.normal.x == 1 && scene->body[5].def.shape.normal.z == 2);
    CHECK(scene->body[6].def.shape.radius_top == 0);
    CHECK(funnel->radius_top == 2 && funnel->height == 3 && funnel->thickness == 0.1);
    const char *mesh = scene->body[8].def.shape.mesh;
    CHECK(mesh[0] == '/' && strstr(mesh, "/test/bunny.obj") != NULL);
    CHECK_TEXT(scene->body[9].def.shape.mesh, "/x/bunny.obj");
    CHECK_TEXT(scene->body[9].def.name, "body 10");
    for (size_t k = 0; k < scene->bodies; ++k) {
        CHECK(scene->body[k].is.shape_known);
        const PxShapeForm *form = px_form_of_kind(scene->body[k].def.shape.kind);
        CHECK_TEXT(form->key, px_shape_kind_name(form->kind));
    }
    px_scene_free(scene);
}

TEST(upright_shapes_stand_along_z_when_z_is_up)
{
    PxScene *scene = scene_of(
        HEAD "\"up\": \"z\", \"bodies\": [\n"
             "{\"wall\": true, \"shape\": {\"cylinder\": {\"radius\": 1, \"height\": 2}}},\n"
             "{\"wall\": true, \"shape\": {\"box\": [1, 2, 3]}},\n"
             "{\"wall\": true, \"shape\": {\"plane\": {}}},\n"
             "{\"wall\": true, \"shape\": {\"cone\": {\"radius\": 1, \"height\": 2},\n"
             "  \"turn\": {\"axis\": [1, 0, 0], \"degrees\": 90}}}]}");
    CHECK_COUNT(scene, 0);
    /* the shape's own y, along which its height is, must become z */
    PxVec3 y = px_rotate(
        px_scene_shape(scene, &scene->body[0].def.shape, &scene->body[0].is.turn).rotation,
        px_vec(0, 1, 0));
    CHECK_NEAR(y.x, 0, 1e-15);
    CHECK_NEAR(y.y, 0, 1e-15);
    CHECK_NEAR(y.z, 1, 1e-15);
    y = px_rotate(
        px_scene_shape(scene, &scene->body[1].def.shape, &scene->body[1].is.turn).rotation,
        px_vec(0, 1, 0));
    CHECK_NEAR(y.y, 1, 1e-15);
    CHECK(px_scene_shape(scene, &scene->body[2].def.shape, &scene->body[2].is.turn).normal.z == 1);
    /* stood up first, then turned from z to -y */
    y = px_rotate(
        px_scene_shape(scene, &scene->body[3].def.shape, &scene->body[3].is.turn).rotation,
        px_vec(0, 1, 0));
    CHECK_NEAR(y.y, -1, 1e-15);
    px_scene_free(scene);
}

TEST(a_model_is_a_word_or_an_object)
{
    PxScene *scene = scene_of(
        HEAD "\"materials\": {\"a\": {\"density\": 1, \"pressure\": \"sesph\"},\n"
             "\"b\": {\"density\": 1, \"pressure\": {\"model\": \"sesph\", \"fluctuation\": 2}},\n"
             "\"c\": {\"density\": 1, \"pressure\": {\"model\": \"sesph\", \"top_speed\": 3}}}}");
    CHECK_COUNT(scene, 0);
    PxModelChoice usual = px_pressure_choice("sesph");
    CHECK(memcmp(&scene->material[0].def.pressure, &usual, sizeof usual) == 0);
    CHECK(scene->material[1].def.pressure.param[1] == 2);
    CHECK(scene->material[2].def.pressure.param[2] == 3);
    px_scene_free(scene);
}

/* ---- errors ------------------------------------------------------------------------- */

TEST(six_mistakes_are_six_complaints_in_the_order_of_the_text)
{
    PxScene *scene = NULL;
    const char *text = "{\n"
                       "  \"phyxel\": 1,\n"
                       "  \"spacing\": -0.05,\n"
                       "  \"gravty\": [0, 0, 0],\n"
                       "  \"materials\": {\n"
                       "    \"water\": {\"densty\": 1000, \"viscosity\": \"thin\"}\n"
                       "  },\n"
                       "  \"bodies\": [\n"
                       "    {\"shape\": {\"box\": [1, 1]}, \"material\": \"watre\"}\n"
                       "  ]\n"
                       "}\n";
    CHECK_FAILS(px_scene_read_text("six.json", NULL, text, strlen(text), &scene), PX_ERR_FORMAT,
                "six.json: 6 errors");
    CHECK_COUNT(scene, 6);
    CHECK_EQUAL(px_scene_error_count(scene), 6);
    CHECK_SAYS(scene, 0, "spacing", 3, 14, "is -0.05, wanted a number above 0");
    CHECK_SAYS(scene, 1, "gravty", 4, 3, "did you mean 'gravity'?");
    CHECK_SAYS(scene, 2, "materials.water.densty", 6, 15, "did you mean 'density'?");
    CHECK_SAYS(scene, 3, "materials.water.viscosity", 6, 44, "is text 'thin', wanted a number");
    CHECK_SAYS(scene, 4, "bodies[0].shape.box", 9, 23, "is a list of 2, wanted [x, y, z]");
    CHECK_SAYS(scene, 5, "bodies[0].material", 9, 44, "did you mean 'water'?");
    CHECK_TEXT(px_scene_complaint(scene, 0)->file, "six.json");
    CHECK(px_scene_complaint(scene, 6) == NULL);
    px_scene_free(scene);
}

TEST(a_missing_key_points_to_its_object)
{
    CHECK_ONE("{ \"phyxel\": 1 }", "spacing", 1, 1, "is missing: wanted a number above 0");
    CHECK_ONE("\n { \"spacing\": 1 }", "phyxel", 2, 2, "is missing: wanted the version");
    CHECK_ONE(HEAD "\"materials\": {\"oil\":\n   {}}}", "materials.oil.density", 4, 4, "kg/m^3");
    CHECK_ONE(HEAD "\"camera\": {\"to\": [0, 0, 0]}}", "camera.from", 3, 11,
              "is missing: wanted [x, y, z]");
    CHECK_ONE(HEAD "\"bodies\": [{\"wall\": true}]}", "bodies[0].shape", 3, 12,
              "is missing: wanted an object");
}

TEST(a_wrong_version_is_refused)
{
    CHECK_ONE("{ \"phyxel\": 2, \"spacing\": 1 }", "phyxel", 1, 13, "reads version 1");
    CHECK_ONE("{ \"phyxel\": \"1\", \"spacing\": 1 }", "phyxel", 1, 13, "is text '1'");
}

TEST(an_unknown_key_lists_the_keys_when_none_is_near)
{
    CHECK_ONE(HEAD "\"time\": {\"colour\": 1}}", "time.colour", 3, 10, "there are frames, fps");
}

TEST(wrong_types_are_named)
{
    CHECK_ONE(HEAD "\"time\": 5}", "time", 3, 9, "is 5, wanted an object");
    CHECK_ONE(HEAD "\"time\": {\"frames\": 1.5}}", "time.frames", 3, 20,
              "is 1.5, wanted a whole number");
    CHECK_ONE(HEAD "\"time\": {\"fps\": 0}}", "time.fps", 3, 17, "is 0, wanted a number above 0");
    CHECK_ONE(HEAD "\"time\": {\"fps\": null}}", "time.fps", 3, 17, "is null");
    CHECK_ONE(HEAD "\"gravity\": [0, true, 0]}", "gravity[1]", 3, 16, "is true");
    CHECK_ONE(HEAD "\"gravity\": {}}", "gravity", 3, 12, "is an object, wanted [x, y, z]");
    CHECK_ONE(HEAD "\"up\": \"x\"}", "up", 3, 7, "is text 'x', wanted one of: y, z");
    CHECK_ONE(HEAD "\"up\": 1}", "up", 3, 7, "is 1");
    CHECK_ONE(HEAD "\"name\": 1}", "name", 3, 9, "is 1, wanted text");
    CHECK_ONE(HEAD "\"materials\": []}", "materials", 3, 14, "is a list of 0, wanted an object");
    CHECK_ONE(HEAD "\"materials\": {\"a\": 1}}", "materials.a", 3, 20, "is 1, wanted an object");
    CHECK_ONE(HEAD "\"bodies\": {}}", "bodies", 3, 11, "is an object, wanted a list");
    CHECK_ONE(HEAD "\"bodies\": [1]}", "bodies[0]", 3, 12, "is 1, wanted an object");
    CHECK_ONE(HEAD "\"events\": \"x\"}", "events", 3, 11, "is text 'x', wanted a list");
    CHECK_ONE(HEAD "\"events\": [null]}", "events[0]", 3, 12, "is null, wanted an object");
    CHECK_ONE(HEAD "\"camera\": 1}", "camera", 3, 11, "is 1, wanted an object");
    CHECK_ONE("[1, 2]", "", 1, 1, "is a list of 2, wanted a scene");
}

TEST(numbers_out_of_range_say_the_range_and_unit)
{
    CHECK_ONE(HEAD "\"support\": 5}", "support", 3, 12, "from 1.5 to 4 spacings");
    CHECK_ONE(HEAD "\"courant\": 1e300}", "courant", 3, 12, "is 1e+300");
    CHECK_ONE(HEAD "\"gravity\": [0, -9999999999999999999999, 0]}", "gravity[1]", 3, 16,
              "is -1e+22, wanted a number from -1e+06 to 1e+06 m/s^2");
    CHECK_ONE(HEAD "\"max_step\": 0.001, \"min_step\": 0.002}", "min_step", 3, 32,
              "is 0.002 s, longer than max_step, 0.001 s");
}

TEST(a_number_that_no_double_holds_is_not_JSON)
{
    CHECK_ONE(HEAD "\"courant\": 1e400}", "", 3, 12, "real number overflow");
}

TEST(models_are_checked)
{
    CHECK_ONE(HEAD "\"materials\": {\"a\": {\"density\": 1, \"pressure\": \"sesp\"}}}",
              "materials.a.pressure", 3, 47,
              "wanted a pressure model: auto, dfsph, flip, iisph, pcisph, projection, sesph; did "
              "you mean 'sesph'?");
    CHECK_ONE(HEAD "\"materials\": {\"a\": {\"density\": 1, \"pressure\": 7}}}",
              "materials.a.pressure", 3, 47, "is 7, wanted a pressure model");
    CHECK_ONE(HEAD "\"materials\": {\"a\": {\"density\": 1, \"pressure\": {\"coarse\": 99}}}}",
              "materials.a.pressure.coarse", 3, 58, "is 99");
    CHECK_ONE(HEAD "\"materials\": {\"a\": {\"density\": 1, \"pressure\": {\"max_eror\": 7}}}}",
              "materials.a.pressure.max_eror", 3, 48, "did you mean 'max_error'?");
    CHECK_ONE(HEAD "\"materials\": {\"a\": {\"density\": 1, \"pressure\": {\"model\": 1}}}}",
              "materials.a.pressure.model", 3, 57, "is 1");
}

TEST(shapes_are_checked)
{
    CHECK_BODY("{\"shape\": {}, \"material\": \"water\"}", "bodies[0].shape", 5, 11,
               "has no kind of shape: wanted one of box, sphere");
    CHECK_BODY("{\"shape\": {\"at\": [0, 0, \"x\"], \"box\": [1, 1, 1]}, \"material\": \"water\"}",
               "bodies[0].shape.at[2]", 5, 25, "is text 'x'");
    CHECK_BODY("{\"shape\": {\"bax\": [1, 1, 1]}, \"material\": \"water\"}", "bodies[0].shape.bax",
               5, 12, "did you mean 'box'?");
    CHECK_BODY("{\"shape\": 1, \"material\": \"water\"}", "bodies[0].shape", 5, 11,
               "is 1, wanted an object");
    CHECK_BODY("{\"shape\": {\"box\": [1, 1, 1],\n \"sphere\": 1}, \"material\": \"water\"}",
               "bodies[0].shape.sphere", 6, 2, "is a second shape beside 'box'");
    CHECK_BODY("{\"shape\": {\"sphere\": 0}, \"material\": \"water\"}", "bodies[0].shape.sphere", 5,
               22, "is 0, wanted a number above 0");
    CHECK_BODY("{\"shape\": {\"cylinder\": 1}, \"material\": \"water\"}",
               "bodies[0].shape.cylinder", 5, 24, "wanted an object with \"radius\", \"height\"");
    CHECK_BODY("{\"shape\": {\"cylinder\": {\"radius\": 1}}, \"material\": \"water\"}",
               "bodies[0].shape.cylinder.height", 5, 24, "is missing");
    CHECK_BODY("{\"shape\": {\"plane\": [0, 0, 0]}, \"wall\": true}", "bodies[0].shape.plane", 5,
               21, "is the zero vector");
    CHECK_BODY("{\"shape\": {\"plane\": {\"normal\": [0, 0, 0]}}, \"wall\": true}",
               "bodies[0].shape.plane.normal", 5, 32, "is the zero vector");
    CHECK_BODY("{\"shape\": {\"plane\": true}, \"wall\": true}", "bodies[0].shape.plane", 5, 21,
               "is true");
    CHECK_BODY("{\"shape\": {\"sphere\": 1, \"scale\": -1}, \"wall\": true}",
               "bodies[0].shape.scale", 5, 34, "is -1");
    CHECK_BODY("{\"shape\": {\"sphere\": 1, \"turn\": 90}, \"wall\": true}", "bodies[0].shape.turn",
               5, 33, "wanted an object with \"axis\"");
    CHECK_BODY("{\"shape\": {\"sphere\": 1, \"turn\": {\"axis\": [0, 0, 0], \"degrees\": 1}},"
               " \"wall\": true}",
               "bodies[0].shape.turn.axis", 5, 42, "is the zero vector");
    CHECK_BODY("{\"shape\": {\"mesh\": 1}, \"wall\": true}", "bodies[0].shape.mesh", 5, 20,
               "is 1, wanted the name of an OBJ, PLY or STL file");
    CHECK_BODY("{\"shape\": {\"mesh\": \"a\\nb\"}, \"wall\": true}", "bodies[0].shape.mesh", 5, 20,
               "control characters");
}

TEST(a_scene_without_a_folder_names_no_files)
{
    PxScene *scene = NULL;
    const char *text =
        HEAD "\"bodies\": [{\"wall\": true, \"shape\": {\"mesh\": \"/etc/passwd\"}}]}";
    CHECK_FAILS(px_scene_read_text("x", NULL, text, strlen(text), &scene), PX_ERR_FORMAT,
                "1 error");
    CHECK_SAYS(scene, 0, "bodies[0].shape.mesh", 3, 45, "no file can be opened");
    px_scene_free(scene);
}

TEST(bodies_are_checked)
{
    CHECK_BODY("{\"shape\": {\"sphere\": 1}}", "bodies[0].material", 5, 1,
               "is missing: a body that is not a wall needs one; materials of this scene: water");
    CHECK_BODY(
        "{\"shape\": {\"sphere\": 1}, \"material\": \"wader\"}", "bodies[0].material", 5, 38,
        "is 'wader', which is not among the materials of this scene: water; did you mean 'water'?");
    CHECK_BODY("{\"shape\": {\"sphere\": 1}, \"material\": \"stone\"}", "bodies[0].material", 5, 38,
               "is 'stone'");
    CHECK_BODY("{\"shape\": {\"sphere\": 1}, \"material\": 3}", "bodies[0].material", 5, 38,
               "is 3, wanted text");
    CHECK_BODY("{\"shape\": {\"sphere\": 1}, \"material\": \"water\", \"wall\": true}",
               "bodies[0].material", 5, 26, "is not for walls");
    CHECK_BODY("{\"shape\": {\"sphere\": 1}, \"velocity\": [0, 0, 0], \"wall\": true}",
               "bodies[0].velocity", 5, 26, "they move by \"keyframes\"");
    CHECK_BODY("{\"shape\": {\"sphere\": 1}, \"wall\": 1}", "bodies[0].wall", 5, 34,
               "is 1, wanted true or false");
    CHECK_BODY("{\"shape\": {\"sphere\": 1}, \"material\": \"water\", \"inside\": true}",
               "bodies[0].inside", 5, 47, "is for walls only");
    CHECK_BODY("{\"shape\": {\"sphere\": 1}, \"material\": \"water\", \"friction\": 0}",
               "bodies[0].friction", 5, 47, "is for walls only");
    CHECK_BODY("{\"shape\": {\"sphere\": 1}, \"material\": \"water\", \"keyframes\": []}",
               "bodies[0].keyframes", 5, 47, "is for walls only");
    CHECK_BODY("{\"shape\": {\"sphere\": 1}, \"material\": \"water\", \"fill\": \"cube\"}",
               "bodies[0].fill", 5, 55, "or one of: cubic, hexagonal");
    CHECK_BODY("{\"shape\": {\"plane\": {}}, \"material\": \"water\"}", "bodies[0].shape.plane", 5,
               12, "is infinite and cannot be filled");
    CHECK_BODY(BOX ",\n" BOX, "bodies[1].name", 6, 10, "is 'block', as is that of bodies[0]");
    CHECK_BODY("{\"shape\": {\"sphere\": 1}, \"wall\": true},\n"
               "{\"name\": \"body 1\", \"shape\": {\"sphere\": 1}, \"wall\": true}",
               "bodies[1].name", 6, 10, "is 'body 1'");
    CHECK_BODY("{\"name\": \"a.b\", \"shape\": {\"sphere\": 1}, \"wall\": true}", "bodies[0].name",
               5, 10, "a name has no dot");
    CHECK_BODY("{\"name\": \"\", \"shape\": {\"sphere\": 1}, \"wall\": true}", "bodies[0].name", 5,
               10, "is empty text");
    CHECK_BODY("{\"name\": \"a\\u001b[31m\", \"shape\": {\"sphere\": 1}, \"wall\": true}",
               "bodies[0].name", 5, 10, "is text 'a\\u001b[31m': control characters");
    CHECK_BODY("{\"name\": \"a\\u202eb\", \"shape\": {\"sphere\": 1}, \"wall\": true}",
               "bodies[0].name", 5, 10, "control characters");
}

TEST(names_of_materials_are_checked)
{
    CHECK_ONE(HEAD "\"materials\": {\"a.b\": {\"density\": 1}}}", "materials.a.b", 3, 15,
              "is not a name for a material");
    CHECK_ONE(HEAD "\"materials\": {\"\": {\"density\": 1}}}", "materials.", 3, 15,
              "is not a name for a material");
    CHECK_ONE(HEAD "\"materials\": {\"a\\tb\": {\"density\": 1}}}", "materials.a\\u0009b", 3, 15,
              "is not a name for a material");
}

TEST(keyframes_are_checked)
{
#define WALL(keyframes)                                                                            \
    "{\"shape\": {\"sphere\": 1}, \"wall\": true, \"keyframes\": [" keyframes "]}"
    CHECK_BODY(WALL("{}"), "bodies[0].keyframes[0].at", 5, 54, "is missing");
    CHECK_BODY(WALL("5"), "bodies[0].keyframes[0]", 5, 54, "is 5, wanted an object");
    CHECK_BODY(WALL("{\"at\": 1}, {\"at\": 1}"), "bodies[0].keyframes[1].at", 5, 72,
               "is 1 s, wanted more than the keyframe before, which is at 1 s");
    CHECK_BODY(WALL("{\"at\": -1}"), "bodies[0].keyframes[0].at", 5, 61, "is -1");
    CHECK_BODY(WALL("{\"move\": [1, 0, 0], \"ease\": \"stop\"}, {\"at\": 2}"),
               "bodies[0].keyframes[0].ease", 5, 74, "is for keyframes with \"at\"");
    CHECK_BODY(WALL("{\"at\": 1, \"face\": true}"), "bodies[0].keyframes[0].face", 5, 72,
               "is for ways");
    CHECK_BODY(WALL("{\"at\": 1, \"move\": 3}"), "bodies[0].keyframes[0].move", 5, 72, "is 3");
    CHECK_BODY(WALL("{\"at\": 1, \"turn\": {\"degrees\": 3}}"), "bodies[0].keyframes[0].turn.axis",
               5, 72, "is missing");
}

TEST(a_wall_starts_where_it_was_put)
{
    PxScene *scene = scene_with_bodies(WALL("{\"at\": 2, \"move\": [1, 0, 0]}"));
    CHECK_COUNT(scene, 0);
    CHECK_EQUAL(scene->body[0].is.keyframes, 2);
    CHECK(scene->body[0].is.keyframe[0].at == 0 && scene->body[0].is.keyframe[0].move.x == 0);
    px_scene_free(scene);
    scene = scene_with_bodies(WALL("{\"at\": 0, \"move\": [1, 0, 0]}, {\"at\": 1}"));
    CHECK_EQUAL(scene->body[0].is.keyframes, 2);
    CHECK(px_scene_shape_at_start(scene, &scene->body[0].def.shape, &scene->body[0].is.turn,
                                  scene->body[0].is.keyframe, scene->body[0].is.keyframes)
              .at.x == 1);
    px_scene_free(scene);
}

TEST(a_wall_turns_as_far_as_stated)
{
    PxScene *scene = scene_with_bodies(
        WALL("{\"at\": 1}, {\"at\": 3, \"turn\": {\"axis\": [0, -2, 0], \"degrees\": 720}}"));
    CHECK_COUNT(scene, 0);
    PxKeyframe frame[16];
    /* 0 s, 1 s, then 720 degrees in six parts */
    CHECK_EQUAL(px_scene_keyframes(scene->body[0].is.keyframe, scene->body[0].is.keyframes, frame),
                8);
    double turned = 0;
    for (int k = 2; k < 8; ++k) {
        CHECK_NEAR(frame[k].time - frame[k - 1].time, 1.0 / 3, 1e-12);
        PxQuat part = px_quat_multiply(frame[k].rotation, px_quat_conjugate(frame[k - 1].rotation));
        if (part.w < 0)
            part = (PxQuat){-part.x, -part.y, -part.z, -part.w};
        CHECK_NEAR(part.y, -sin(3.14159265358979 / 3), 1e-9);
        turned += 2 * acos(part.w);
    }
    CHECK_NEAR(turned, 4 * 3.14159265358979, 1e-9);
    px_scene_free(scene);
}

/* clang-format off: strings put together from parts are clearer one a line */
#define EVENT(set, to) "{\"at\": 1, \"set\": \"" set "\", \"to\": " to "}"
#define CHECK_EVENT(event, place, column, words)                                                   \
    CHECK_ONE(HEAD WATER "\"bodies\": [" BOX ", " FLOOR "],\n\"events\": [\n" event "]}", place,   \
              6, column, words)

TEST(events_may_set_live_values)
{
    PxScene
        *scene =
            scene_of(
                HEAD WATER
                "\"bodies\": [" BOX ", " FLOOR
                "],\n\"events\": [\n" EVENT("gravity", "[0, 1, 0]") ",\n" EVENT("gravity.x", "1") ",\n" EVENT(
                    "gravity.2",
                    "1") ",\n" EVENT("materials.water.viscosity",
                                     "1") ",\n" EVENT("materials.water.pressure.max_error",
                                                      "1") ",\n" EVENT("bodies.floor.friction",
                                                                       "1") ",\n" EVENT("bodies."
                                                                                        "block."
                                                                                        "temperatur"
                                                                                        "e",
                                                                                        "1") "]}");
    CHECK_COUNT(scene, 0);
    CHECK_EQUAL(scene->events, 7);
    CHECK_EQUAL(scene->event[0].values, 3);
    px_scene_free(scene);
}

/* clang-format on */

TEST(a_coarser_scene_has_a_larger_spacing_and_fewer_cells_of_cloth)
{
    PxScene *s = scene_of(HEAD " \"materials\": {\"silk\": {\"density\": 100, \"cloth\": {}}},\n"
                               " \"bodies\": [{\"name\": \"rag\", \"material\": \"silk\", "
                               "\"shape\": {\"sheet\": {\"width\": 1, \"length\": 1, "
                               "\"columns\": 10, \"rows\": 3}}}]}");
    CHECK_COUNT(s, 0);
    CHECK_OK(px_scene_coarsen(s, 1.5));
    CHECK_NEAR(px_scene_spacing(s), 0.075, 1e-12);
    CHECK_NEAR(s->body[0].def.shape.columns, 7, 0);
    CHECK_NEAR(s->body[0].def.shape.rows, 2, 0);
    CHECK_FAILS(px_scene_coarsen(s, 0.5), PX_ERR_ARGUMENT, "1 to 10");
    CHECK_FAILS(px_scene_coarsen(s, (double)NAN), PX_ERR_ARGUMENT, "1 to 10");
    px_scene_free(s);
}

TEST(events_are_checked)
{
    CHECK_EVENT(EVENT("spacing", "1"), "events[0].set", 18,
                "cannot change while the world runs; what can: support, gravity, max_step, "
                "min_step, courant");
    CHECK_EVENT(EVENT("gravty", "1"), "events[0].set", 18, "did you mean 'gravity'?");
    CHECK_EVENT(
        EVENT("bogus.thing", "1"), "events[0].set", 18,
        "there are materials, bodies, joints, seams, emitters, sinks, forces, fields, heaters, "
        "gauges, support");
    CHECK_EVENT(EVENT("materials", "1"), "events[0].set", 18, "wanted the name of a material");
    CHECK_EVENT(
        EVENT("materials.water", "1"), "events[0].set", 18,
        "wanted one more step behind it: density, viscosity, viscosity_model, cohesion, pressure");
    CHECK_EVENT(EVENT("materials.watr.viscosity", "1"), "events[0].set", 18,
                "did you mean 'water'?");
    CHECK_EVENT(EVENT("materials.water.pressure", "1"), "events[0].set", 18, "a whole model");
    CHECK_EVENT(EVENT("materials.water.pressure.dampin", "1"), "events[0].set", 18,
                "did you mean 'damping'?");
    CHECK_EVENT(EVENT("materials.water.viscosity.x", "1"), "events[0].set", 18, "without parts");
    CHECK_EVENT(EVENT("gravity.w", "1"), "events[0].set", 18, "the parts x, y and z");
    CHECK_EVENT(EVENT("bodies.block.friction", "1"), "events[0].set", 18,
                "cannot change while the world runs; what can: velocity, spin, temperature");
    CHECK_EVENT(EVENT("bodies.flor.friction", "1"), "events[0].set", 18, "did you mean 'floor'?");
    CHECK_EVENT(EVENT("materials.water.viscosity", "-1"), "events[0].to", 53,
                "materials.water.viscosity is -1, wanted a number from 0");
    CHECK_EVENT(EVENT("gravity", "1"), "events[0].to", 35, "gravity takes 3 numbers, got 1");
    CHECK_EVENT(EVENT("courant", "[1, 1, 1]"), "events[0].to", 35, "takes 1 number, got 3");
    CHECK_EVENT(EVENT("courant", "\"x\""), "events[0].to", 35,
                "is text 'x', wanted a number or three");
    CHECK_EVENT(EVENT("gravity", "[1, 2]"), "events[0].to", 35, "is a list of 2");
    CHECK_EVENT("{\"set\": \"courant\", \"to\": 0.2}", "events[0].at", 1, "is missing");
    CHECK_EVENT("{\"at\": 1, \"to\": 0.2}", "events[0].set", 1, "is missing: wanted text");
    CHECK_EVENT("{\"at\": 1, \"set\": \"courant\"}", "events[0].to", 1,
                "is missing: wanted a number");
}

#define TAP(rest)                                                                                  \
    HEAD WATER                                                                                     \
        " \"emitters\": [\n{\"shape\": {\"cylinder\": {\"radius\": 0.2, \"height\": 0.2}},\n"      \
        " \"material\": \"water\", " rest "}]}"

TEST(an_emitter_has_a_speed_or_a_rate_and_its_defaults)
{
    PxScene *scene = scene_of(TAP("\"speed\": 3"));
    CHECK_COUNT(scene, 0);
    CHECK_EQUAL(scene->emitters, 1);
    CHECK_TEXT(scene->emitter[0].def.name, "emitter 1");
    CHECK(scene->emitter[0].def.speed == 3 && scene->emitter[0].def.rate == 0);
    CHECK(scene->emitter[0].def.direction.y == 1 && scene->emitter[0].def.end == 1e9);
    CHECK_OK(px_scene_set(scene, "emitters.emitter 1.shape.turn",
                          "{\"axis\": [1, 0, 0], \"degrees\": 90}"));
    CHECK_NEAR(scene->emitter[0].def.direction.z, 1, 1e-15); /* follows the shape */
    CHECK_OK(px_scene_set(scene, "up", "z"));
    CHECK_NEAR(scene->emitter[0].def.direction.y, -1, 1e-15);

    /* the scene as it is written out says the same */
    PxScene *again = NULL;
    const char *text = px_scene_resolved(scene);
    CHECK_OK(px_scene_read_text("again.json", NULL, text, strlen(text), &again));
    CHECK_TEXT(px_scene_resolved(again), text);
    CHECK_TEXT(px_scene_hash(again), px_scene_hash(scene));
    px_scene_free(again);
    PxWorld *world;
    CHECK_OK(px_scene_world(scene, 1, &world));
    px_world_free(world);
    px_scene_free(scene);
}

TEST(invalid_emitters_are_refused)
{
    CHECK_ONE(TAP("\"start\": 0"), "emitters[0].speed", 5, 1, "is missing: wanted a \"speed\"");
    CHECK_ONE(TAP("\"speed\": 1, \"rate\": 2"), "emitters[0].rate", 6, 43,
              "each follows from the other");
    CHECK_ONE(TAP("\"speed\": 1, \"direction\": [1, 1, 0]"), "emitters[0].direction", 6, 48,
              "45 degrees off the cylinder's axis");
    CHECK_ONE(TAP("\"speed\": 1, \"direction\": [0, 0, 0]"), "emitters[0].direction", 6, 48,
              "zero vector");
    CHECK_ONE(TAP("\"speed\": 1, \"start\": 2, \"end\": 2"), "emitters[0].end", 6, 54,
              "wanted more than the start");
    CHECK_ONE(TAP("\"speed\": 1, \"limit\": 0"), "emitters[0].limit", 6, 44,
              "wanted a whole number from 1");
    CHECK_ONE(TAP("\"speed\": -1"), "emitters[0].speed", 6, 32, "wanted a number from 0");
    CHECK_ONE(HEAD WATER "\"emitters\": [{\"shape\": {\"sphere\": 1}, \"speed\": 1,\n"
                         "\"material\": \"water\"}]}",
              "emitters[0].shape.sphere", 4, 25, "comes out of a box or a cylinder");
    CHECK_ONE(HEAD WATER "\"emitters\": [{\"shape\": {\"box\": [1, 1, 1]}, \"speed\": 1,\n"
                         "\"material\": \"watr\"}]}",
              "emitters[0].material", 5, 13, "did you mean 'water'");
    CHECK_ONE(HEAD WATER "\"emitters\": [{\"shape\": {\"box\": [1, 1, 1]}, \"speed\": 1}]}",
              "emitters[0].material", 4, 14, "is missing");
    /* emitted matter is a body of the emitter's name */
    CHECK_ONE(HEAD WATER "\"bodies\": [" BOX "],\n\"emitters\": [{\"name\": \"block\",\n"
                         "\"shape\": {\"box\": [1, 1, 1], \"at\": [3, 0, 0]}, \"speed\": 1,\n"
                         "\"material\": \"water\"}]}",
              "emitters[0].name", 5, 23, "as is that of bodies[0]");
}

TEST(sinks_have_a_shape_and_a_time)
{
    PxScene *scene = scene_of(HEAD "\"sinks\": [{\"shape\": {\"plane\": {}}}]}");
    CHECK_COUNT(scene, 0);
    CHECK_TEXT(scene->sink[0].def.name, "sink 1");
    px_scene_free(scene);
    CHECK_ONE(HEAD "\"sinks\": [{}]}", "sinks[0].shape", 3, 11, "is missing");
    CHECK_ONE(HEAD "\"sinks\": [{\"shape\": {\"sphere\": 1}, \"start\": 3, \"end\": 1}]}",
              "sinks[0].end", 3, 55, "wanted more than the start, 3 s");
}

TEST(events_reach_emitters)
{
    PxScene *scene =
        scene_of(TAP("\"speed\": 1}],\n\"events\": [{\"at\": 1, \"set\": \"emitters.emitter "
                     "1.rate\", \"to\": 0.5"));
    CHECK_COUNT(scene, 0);
    CHECK_EQUAL(scene->events, 1);
    px_scene_free(scene);
    CHECK_ONE(TAP("\"speed\": 1}],\n\"events\": [{\"at\": 1, \"set\": "
                  "\"emitters.emitter 1.limit\", \"to\": 5"),
              "events[0].set", 7, 29, "cannot change while the world runs");
}

TEST(a_camera_must_look_somewhere)
{
    CHECK_ONE(HEAD "\"camera\": {\"from\": [1, 1, 1], \"to\": [1, 1, 1]}}", "camera", 3, 11,
              "apart");
    CHECK_ONE(HEAD "\"camera\": {\"from\": [1, 1, 1], \"to\": [0, 0, 0], \"fov\": 180}}",
              "camera.fov", 3, 55, "is 180");
}

/* ---- not JSON -------------------------------------------------------------------------- */

TEST(a_syntax_error_is_one_complaint_with_its_position)
{
    CHECK_ONE("{\n  \"phyxel\": 1,\n}", "", 3, 1, "is there a comma before the '}'?");
    CHECK_ONE("{\n  \"phyxel\": 1\n \"spacing\": 1}", "", 3, 2, "is a comma missing before it?");
    CHECK_ONE("{\"spacing\": NaN}", "", 1, 13, "no such number");
    CHECK_ONE("{\"spacing\": -Infinity}", "", 1, 13, "this is not JSON");
    CHECK_ONE("{ // no\n}", "", 1, 3, "comments are members");
    CHECK_ONE("{ 'a': 1 }", "", 1, 3, "text stands in double quotes");
    CHECK_ONE("{ \"a\": [1, 2,] }", "", 1, 14, "is there a comma before the ']'?");
    CHECK_ONE("{ \"a\": True }", "", 1, 8, "write true");
    CHECK_ONE("{\"phyxel\": 1} x", "", 1, 15, "end of file expected");
}

TEST(an_empty_file_is_no_scene)
{
    CHECK_ONE("", "", 1, 1, "this is not JSON");
    CHECK_ONE("  \n ", "", 2, 1, "this is not JSON");
}

TEST(duplicate_keys_are_refused)
{
    CHECK_ONE(HEAD "\"spacing\": 2}", "", 3, 1, "duplicate object key near '\"spacing\"'");
    CHECK_ONE("{\"//\": 1, \"//\": 2}", "", 1, 11, "two comments in one object");
}

TEST(binary_rubbish_is_no_scene)
{
    char rubbish[4096];
    uint32_t seed = 12345;
    for (size_t k = 0; k < sizeof rubbish; ++k)
        rubbish[k] = (char)((seed = seed * 1664525u + 1013904223u) >> 24);
    PxScene *scene = NULL;
    CHECK_FAILS(px_scene_read_text("x", NULL, rubbish, sizeof rubbish, &scene), PX_ERR_FORMAT, "x");
    CHECK_COUNT(scene, 1);
    px_scene_free(scene);
    CHECK_FAILS(px_scene_read_text("x", NULL, "{\"a\0\": 1}", 9, &scene), PX_ERR_FORMAT, "x");
    px_scene_free(scene);
    CHECK_FAILS(px_scene_read_text("x", NULL, "{\"a\xff\": 1}", 9, &scene), PX_ERR_FORMAT, "x");
    px_scene_free(scene);
}

TEST(deep_nesting_is_refused)
{
    enum { DEEP = 100000 };
    char *text = malloc(DEEP + 1);
    memset(text, '[', DEEP);
    PxScene *scene = NULL;
    CHECK_FAILS(px_scene_read_text("x", NULL, text, DEEP, &scene), PX_ERR_FORMAT, "x");
    CHECK_COUNT(scene, 1);
    CHECK(strstr(px_scene_complaint(scene, 0)->text, "depth") != NULL);
    px_scene_free(scene);
    free(text);
}

TEST(nesting_that_is_still_JSON_is_walked_without_recursion)
{
    enum { DEEP = 2000 };
    char *text = malloc(2 * DEEP + 200);
    int used = sprintf(text, HEAD "\"x\": ");
    memset(text + used, '[', DEEP);
    memset(text + used + DEEP, ']', DEEP);
    strcpy(text + used + 2 * DEEP, ",\n\"bodies\": 1}");
    PxScene *scene = scene_of(text);
    CHECK_COUNT(scene, 2);
    CHECK_SAYS(scene, 0, "x", 3, 1, "is not a key here");
    CHECK_SAYS(scene, 1, "bodies", 4, 11, "is 1");
    px_scene_free(scene);
    free(text);
}

TEST(too_long_a_scene_is_refused)
{
    size_t size = PX_SCENE_MOST_BYTES + 1;
    char *text = malloc(size);
    memset(text, ' ', size);
    PxScene *scene = NULL;
    CHECK_FAILS(px_scene_read_text("x", NULL, text, size, &scene), PX_ERR_FORMAT, "x");
    CHECK_SAYS(scene, 0, "", 0, 0, "longer than 16 MiB");
    px_scene_free(scene);
    memset(text, '[', size - 1);
    CHECK_FAILS(px_scene_read_text("x", NULL, text, size - 1, &scene), PX_ERR_FORMAT, "x");
    CHECK_SAYS(scene, 0, "", 0, 0, "at most 1048576 fit");
    px_scene_free(scene);
    free(text);
}

TEST(very_long_text_is_cut_in_messages_and_refused_as_a_name)
{
    enum { LONG = 1 << 20 };
    char *text = malloc(LONG + 400), *word = malloc(LONG + 1);
    memset(word, 'x', LONG);
    word[LONG] = '\0';
    sprintf(text, HEAD "\"name\": \"%s\"}", word);
    CHECK_ONE(text, "name", 3, 9, "is 1048576 bytes long, at most 400 fit");
    sprintf(text, HEAD "\"%s\": 1}", word);
    PxScene *scene = scene_of(text);
    CHECK_COUNT(scene, 1);
    CHECK(strlen(px_scene_complaint(scene, 0)->place) < 100);
    CHECK_EQUAL(px_scene_complaint(scene, 0)->line, 3);
    px_scene_free(scene);
    sprintf(text, HEAD "\"up\": \"%s\"}", word);
    scene = scene_of(text);
    CHECK(strlen(px_scene_complaint(scene, 0)->text) < 200);
    px_scene_free(scene);
    word[PX_SCENE_MOST_NAME + 1] = '\0';
    sprintf(text, HEAD "\"materials\": {\"%s\": {\"density\": 1}}}", word);
    scene = scene_of(text);
    CHECK_COUNT(scene, 1);
    px_scene_free(scene);
    free(text);
    free(word);
}

TEST(a_mark_before_the_text_is_skipped)
{
    PxScene *scene = scene_of("\xef\xbb\xbf{ \"phyxel\": 1, \"spacing\": 0 }");
    CHECK_COUNT(scene, 1);
    CHECK_SAYS(scene, 0, "spacing", 1, 27, "is 0");
    px_scene_free(scene);
}

TEST(columns_count_characters_and_escaped_keys_are_found)
{
    CHECK_ONE(HEAD "\"name\": \"\u00e4\u20ac\U0001f600\", \"support\": 9}", "support", 3, 27,
              "is 9");
    CHECK_ONE(HEAD "\"na\\u006de\": \"a\", \"\\u0073upport\": 9}", "support", 3, 35, "is 9");
    CHECK_ONE(HEAD "\"\\ud83d\\ude00\\\"\\n\": 1}", "\U0001f600\"\\u000a", 3, 1, "is not a key");
}

TEST(very_many_complaints_end_in_how_many_more)
{
    char *text = malloc(1 << 16);
    int used = sprintf(text, HEAD "\"bodies\": [");
    for (int k = 0; k < 1000; ++k)
        used += sprintf(text + used, "%s%d", k > 0 ? ",\n" : "", k);
    strcpy(text + used, "]}");
    PxScene *scene = scene_of(text);
    CHECK_COUNT(scene, PX_SCENE_MOST_COMPLAINTS + 1);
    CHECK_SAYS(scene, 0, "bodies[0]", 3, 12, "is 0");
    CHECK_SAYS(scene, PX_SCENE_MOST_COMPLAINTS, "", 0, 0, "and 800 more");
    px_scene_free(scene);
    free(text);
}

/* ---- files ----------------------------------------------------------------------------- */

TEST(a_file_that_cannot_be_read_gives_no_scene)
{
    PxScene *scene = (PxScene *)&scene;
    CHECK_FAILS(px_scene_read("/no/such/scene.json", &scene), PX_ERR_IO, "/no/such/scene.json");
    CHECK(scene == NULL);
    CHECK_FAILS(px_scene_read("/", &scene), PX_ERR_IO, "/");
    CHECK(scene == NULL);
}

TEST(a_scene_with_errors_gives_no_world)
{
    PxScene *scene = scene_of("{}");
    PxWorld *world = (PxWorld *)&scene;
    CHECK_FAILS(px_scene_world(scene, 1, &world), PX_ERR_FORMAT, "2 errors");
    CHECK(world == NULL);
    PxSceneEstimate estimate;
    CHECK_FAILS(px_scene_estimate(scene, 1, &estimate), PX_ERR_FORMAT, "errors");
    px_scene_free(scene);
}

TEST_MAIN()
