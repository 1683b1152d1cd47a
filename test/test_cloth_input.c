/// Meshes and pins that cloth cannot use: `check` says which body, which triangle and where.
#include "check.h"
#include "folder.h"

#include "phyxel/scene.h"

#define SCENE(rest, handles)                                                                       \
    "{\"phyxel\": 1, \"spacing\": 0.05, \"materials\": {\"m\": {\"density\": 100, \"cloth\": "     \
    "{\"mass\": 0.2" rest "}}},"                                                                   \
    " \"bodies\": [{\"name\": \"shirt\", \"material\": \"m\", \"shape\": {\"mesh\": "              \
    "\"m.obj\"}}]" handles "}"

/* A square of two triangles. */
#define SQUARE "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\n"

/* `check` complains at `place` with all of the words. */
static void complains(const char *mesh, const char *text, const char *place, const char *words)
{
    Folder folder = folder_make();
    FILE *file = fopen(folder_file(&folder, "m.obj"), "w");
    PxScene *scene;
    CHECK(file != NULL);
    fputs(mesh, file);
    fclose(file);
    if (px_scene_read_text("s.json", folder.path, text, strlen(text), &scene) == PX_OK)
        px_scene_check(scene);
    bool found = false;
    for (size_t k = 0; k < px_scene_complaint_count(scene); ++k) {
        const PxComplaint *c = px_scene_complaint(scene, k);
        found = found || (strcmp(c->place, place) == 0 && strstr(c->text, words) != NULL);
        if (!found)
            fprintf(stderr, "%s: %s\n", c->place, c->text);
    }
    if (!found)
        fail_msg("nothing says '%s: %s'", place, words);
    px_scene_free(scene);
    folder_remove(&folder);
}

TEST(an_edge_of_three_triangles_is_named)
{
    complains(
        SQUARE "v 0.5 1 0.5\nf 1 3 2\nf 1 4 3\nf 1 3 5\n", SCENE("", ""), "bodies[0].shape.mesh",
        "the edge between vertices 0 and 2 has 3 triangles, the first 0, 1 and 2, at (0, 0, 0) "
        "m; 1 of 7 edges have more than two");
}

TEST(a_triangle_without_area_is_named)
{
    complains(SQUARE "v 2 0 0\nf 1 3 2\nf 1 4 3\nf 1 2 5\n", SCENE("", ""), "bodies[0].shape.mesh",
              "triangle 2 (vertices 0, 1, 4) has no area, at (0, 0, 0) m: its height is 0 of its "
              "longest edge; so are 1 of 3; wanted at least 1e-05");
}

TEST(texture_coordinates_that_are_missing_are_asked_for)
{
    complains(SQUARE "f 1 3 2\nf 1 4 3\n", SCENE(", \"rest\": \"uv\"", ""), "bodies[0].shape.mesh",
              "texture coordinates");
}

TEST(folded_texture_coordinates_are_named)
{
    complains(SQUARE "vt 0 0\nvt 1 0\nvt 1 1\nvt 0.9 0.1\nf 1/1 3/3 2/2\nf 1/1 4/4 3/3\n",
              SCENE(", \"rest\": \"uv\"", ""), "bodies[0].shape.mesh",
              "folded: triangle 1 is mirrored against triangle 0");
}

/* A square whose diagonal a fifth vertex is near, so that one of four triangles is a sliver. */
#define SLIVER(off) SQUARE "v 0.5 0 " off "\nf 1 4 3\nf 1 3 5\nf 3 2 5\nf 2 1 5\n"

TEST(slivers_are_refused_or_named_by_the_same_measure_in_shape_and_map)
{
    complains(SLIVER("0.499998"), SCENE("", ""), "bodies[0].shape.mesh",
              "triangle 1 (vertices 0, 2, 4) has next to no area, at (0, 0, 0) m: its height is "
              "1e-06 of its longest edge; so are 1 of 4");
    complains(SLIVER("0.499"), SCENE("", ""), "bodies[0].shape",
              "has 1 of 4 triangles that are slivers: the height of the thinnest, triangle 1 at "
              "(0, 0, 0) m, is 0.0005 of its longest edge");
    complains(SQUARE "vt 0 0\nvt 1 0\nvt 1 1\nvt 0.5 0.500001\nf 1/1 3/3 2/2\nf 1/1 4/4 3/3\n",
              SCENE(", \"rest\": \"uv\"", ""), "bodies[0].shape.mesh",
              "triangle 1 has next to no area in its texture coordinates, at (0, 0, 0) m: its "
              "height is 5e-07 of its longest edge; so are 1 of 2");
}

TEST(texture_coordinates_that_give_no_weft_are_named)
{
    complains(SQUARE "vt 0 0\nf 1/1 3/1 2/1\nf 1/1 4/1 3/1\n", SCENE("", ""), "bodies[0].shape",
              "has texture coordinates without area in 2 of 2 triangles, the first triangle 0 at "
              "(0, 0, 0) m: there the weft is along x of the shape");
    complains(SQUARE "vt 0 0\nvt 1 0\nvt 1 1\nvt 0.9 0.1\nf 1/1 3/3 2/2\nf 1/1 4/4 3/3\n",
              SCENE("", ""), "bodies[0].shape",
              "has texture coordinates that are folded at 1 of 5 edges, the first beside triangle "
              "0");
    complains(SQUARE "vt 0 0\nvt 1 0\nvt 1 1\nf 1/1 3/3 2/2\nf 1 4 3\n", SCENE("", ""),
              "bodies[0].shape", "has texture coordinates that 1 of its 2 triangles lack");
}

TEST(looks_that_texture_coordinates_do_not_allow_are_named)
{
    static const char *const woven =
        "{\"phyxel\": 1, \"spacing\": 0.05, \"materials\": {\"m\": {\"density\": 100, "
        "\"cloth\": {\"mass\": 0.2}, \"look\": {\"kind\": \"woven\"}}}, \"bodies\": [{\"name\": "
        "\"shirt\", \"material\": \"m\", \"shape\": {\"mesh\": \"m.obj\"}}]}";
    complains(SQUARE "f 1 3 2\nf 1 4 3\n", woven, "bodies[0].shape",
              "has no texture coordinates, and its look is woven");
    complains(SQUARE "vt 0 0\nvt 1 0\nvt 1 1\nvt 5 0\nvt 5 1\nvt 6 1\nf 1/1 3/3 2/2\nf 1/4 4/5 "
                     "3/6\n",
              woven, "bodies[0].shape", "has texture coordinates that begin anew at 1 of 5 edges");
}

TEST(stiffness_of_wet_cloth_needs_pores)
{
    complains(SQUARE "f 1 3 2\nf 1 4 3\n", SCENE(", \"wet_bend\": 0.5", ""),
              "materials.m.cloth.wet_bend", "takes up nothing");
    complains(SQUARE "f 1 3 2\nf 1 4 3\n", SCENE(", \"pores\": 0.5, \"wet_stretch\": 0", ""),
              "materials.m.cloth.wet_stretch", "above 0");
}

TEST(a_pin_of_nothing_says_how_far_away_the_cloth_is)
{
    complains(SQUARE "f 1 3 2\nf 1 4 3\n",
              SCENE("", ", \"handles\": [{\"name\": \"pin\", \"body\": \"shirt\", \"shape\": "
                        "{\"sphere\": 0.1, \"at\": [1.5, 0, 0]}}]"),
              "handles[0].shape",
              "has no vertex of 'shirt' in it at the start: nothing will be held; the nearest of 4 "
              "is 0.4 m away, at (1, 0, 0) m");
}

/* Cloth of one square with a drop of water above it. */
#define WITH_WATER(spacing, cloth)                                                                 \
    "{\"phyxel\": 1, \"spacing\": " spacing                                                        \
    ", \"materials\": {\"m\": {\"density\": 100, \"cloth\": {\"mass\": 0.2" cloth                  \
    "}}, \"water\": {\"density\": 1000}}, \"bodies\": [{\"name\": \"shirt\", \"material\": "       \
    "\"m\", \"shape\": "                                                                           \
    "{\"mesh\": \"m.obj\"}}, {\"name\": \"drop\", \"material\": \"water\", \"shape\": "            \
    "{\"sphere\": 0.1, \"at\": [0.5, 0.3, 0.5]}}]}"

#define TWO SQUARE "f 1 3 2\nf 1 4 3\n"

TEST(cloth_that_does_not_fit_the_fluid_is_named)
{
    complains(TWO, WITH_WATER("0.05", ""), "bodies[0].shape", "more than 10 times as coarse");
    complains(TWO, WITH_WATER("0.15", ", \"thickness\": 0.2"), "materials.m.cloth.thickness",
              "is 0.2 m, more than the spacing of the fluid, 0.15 m");
    complains(TWO, WITH_WATER("0.15", ", \"absorption\": 1e-4"), "materials.m.cloth.absorption",
              "has no effect: this cloth has no pores");
    complains(TWO, WITH_WATER("0.15", ", \"absorption\": 1e-6"), /* the default, but stated */
              "materials.m.cloth.absorption", "has no effect: this cloth has no pores");
}

TEST(a_wrong_number_of_cloth_is_the_only_complaint)
{
    const char *text =
        "{\"phyxel\": 1, \"spacing\": 0.05, \"materials\": {\"m\": {\"density\": 100, \"cloth\":"
        " {\"mass\": 0.2, \"pores\": -1}}}, \"bodies\": [{\"name\": \"sheet\", \"material\": \"m\","
        " \"shape\": {\"sheet\": {\"width\": 1, \"length\": 1}}}], \"handles\": [{\"name\": "
        "\"pin\","
        " \"body\": \"sheet\", \"shape\": {\"sphere\": 0.1, \"at\": [0.5, 0, 0.5]}}]}";
    PxScene *scene;
    CHECK(px_scene_read_text("s.json", NULL, text, strlen(text), &scene) == PX_ERR_FORMAT);
    CHECK_EQUAL(px_scene_complaint_count(scene), 1);
    CHECK_TEXT(px_scene_complaint(scene, 0)->place, "materials.m.cloth.pores");
    px_scene_free(scene);
}

TEST(a_pin_of_cloth_whose_shape_is_wrong_is_not_complained_about)
{
    static const char text[] =
        "{\"phyxel\": 1, \"spacing\": 0.05, \"materials\": {\"m\": {\"density\": 100, \"cloth\": "
        "{\"mass\": 0.2}}}, \"bodies\": [{\"name\": \"sheet\", \"material\": \"m\", \"shape\": "
        "{\"sheet\": {\"width\": 1, \"length\": 1}, \"tilt\": 30}}], \"handles\": [{\"name\": "
        "\"pin\", \"body\": \"sheet\", \"shape\": {\"sphere\": 0.1, \"at\": [0.5, 0, 0.5]}}]}";
    PxScene *scene;
    CHECK(px_scene_read_text("s.json", NULL, text, strlen(text), &scene) == PX_ERR_FORMAT);
    px_scene_check(scene);
    CHECK_EQUAL(px_scene_complaint_count(scene), 1);
    CHECK_TEXT(px_scene_complaint(scene, 0)->place, "bodies[0].shape.tilt");
    px_scene_free(scene);
}

TEST(cloth_that_starts_in_a_solid_and_pins_and_strengths_without_effect_are_named)
{
    complains(
        TWO,
        "{\"phyxel\": 1, \"spacing\": 0.05, \"materials\": {\"m\": {\"density\": 100,"
        " \"cloth\": {\"mass\": 0.2}}, \"jelly\": {\"density\": 1000, \"young\": 1e4}},"
        " \"bodies\": [{\"name\": \"shirt\", \"material\": \"m\", \"shape\": {\"mesh\":"
        " \"m.obj\"}}, {\"name\": \"lump\", \"material\": \"jelly\", \"shape\":"
        " {\"sphere\": 0.2, \"at\": [0, 0.1, 0]}}]}",
        "bodies[0].shape",
        "starts with 1 of its 4 vertices inside the solid 'lump', up to 0.1 m deep at (0, 0,");
    complains(
        TWO,
        SCENE("", ", \"handles\": [{\"name\": \"pin\", \"shape\": {\"box\": [0.1, 0.1, "
                  "0.1], \"at\": [3, 0, 0]}}]"),
        "handles[0].shape",
        "has no vertex of any cloth in it at the start: nothing will be held; the nearest of 4 "
        "is 1.95 m away");
    complains(TWO, SCENE(", \"tear_warp\": 3", ""), "materials.m.cloth.tear_warp",
              "has no effect: this cloth does not tear");
}

TEST(cloth_that_starts_nearer_to_a_body_than_half_its_thickness_is_named)
{
    complains(TWO,
              "{\"phyxel\": 1, \"spacing\": 0.05, \"materials\": {\"m\": {\"density\": 100,"
              " \"cloth\": {\"mass\": 0.2, \"thickness\": 0.02}}, \"wood\": {\"density\": 500}},"
              " \"bodies\": [{\"name\": \"shirt\", \"material\": \"m\", \"shape\": {\"mesh\":"
              " \"m.obj\"}}, {\"name\": \"block\", \"material\": \"wood\", \"rigid\": true, "
              "\"shape\": {\"box\": [0.2, 0.2, 0.2], \"at\": [0, 0.104, 0]}}]}",
              "bodies[0].shape",
              "starts with 1 of its 4 vertices nearer to the rigid body 'block' than half its "
              "thickness, 0.01 m: by up to 0.006 m at (0, 0, 0) m");
}

TEST(wind_without_air_and_gas_in_open_cloth_are_named)
{
    complains(TWO, SCENE(", \"wind\": [1, 0, 0]", ""), "materials.m.cloth.wind",
              "has no effect while \"air\" is 0");
    complains(TWO, SCENE(", \"pressure\": 50", ""), "bodies[0].shape",
              "is open: 4 edges have one triangle, and its cloth has a pressure of 50 Pa inside");
}

TEST(bodies_that_pierce_cloth_between_its_vertices_are_named)
{
    complains(TWO,
              "{\"phyxel\": 1, \"spacing\": 0.05, \"materials\": {\"m\": {\"density\": 100, "
              "\"cloth\": {\"mass\": 0.2}}}, \"bodies\": [{\"name\": \"shirt\", \"material\": "
              "\"m\", \"shape\": {\"mesh\": \"m.obj\"}}, {\"name\": \"pole\", \"wall\": true, "
              "\"shape\": {\"cylinder\": {\"radius\": 0.02, \"height\": 1}, \"at\": [0.3, 0, "
              "0.6]}}]}",
              "bodies[0].shape",
              "starts with 1 of its 2 triangles pierced by the wall 'pole' between their vertices");
}

TEST(cloth_that_starts_crossed_is_named)
{
    complains(TWO,
              "{\"phyxel\": 1, \"spacing\": 0.05, \"materials\": {\"m\": {\"density\": 100, "
              "\"cloth\": {\"mass\": 0.2, \"self_collision\": true}}}, \"bodies\": [{\"name\": "
              "\"shirt\", \"material\": \"m\", \"shape\": {\"mesh\": \"m.obj\"}}, {\"name\": "
              "\"scarf\", \"material\": \"m\", \"shape\": {\"mesh\": \"m.obj\", \"at\": [0.1, "
              "-0.5, 0.3], \"turn\": {\"axis\": [0, 0, 1], \"degrees\": 80}}}]}",
              "bodies[0].shape", "crosses the cloth 'scarf' at the start: 3 edges");
}

#define TWO_SHEETS(at, more)                                                                       \
    "{\"phyxel\": 1, \"spacing\": 0.05, \"materials\": {\"m\": {\"density\": 100, "                \
    "\"cloth\": {\"mass\": 0.2, \"thickness\": 0.004, \"self_collision\": true}}}, \"bodies\": "   \
    "[{\"name\": \"shirt\", \"material\": \"m\", \"shape\": {\"sheet\": {\"width\": 1, "           \
    "\"length\": 1, \"columns\": 8, \"rows\": 8}}}, {\"name\": \"scarf\", \"material\": \"m\", "   \
    "\"shape\": {\"sheet\": {\"width\": 1, \"length\": 1, \"columns\": 7, \"rows\": 7}, \"at\": "  \
    "[" at "]}}]" more "}"

TEST(cloth_that_lies_exactly_on_cloth_is_named)
{
    complains("", TWO_SHEETS("0, 0, 0", ""), "bodies[0].shape",
              "lies exactly on the cloth 'scarf' at the start: 145 vertices are on triangles, the "
              "first at (-0.5, 0, -0.5) m");
    complains("", TWO_SHEETS("1, 0, 0", ""), "bodies[0].shape",
              "lies exactly on the cloth 'scarf' at the start: 17 vertices");
    /* two layers in one mesh, the second with other vertices */
    complains(TWO "v 0.1 0 0.1\nv 0.9 0 0.1\nv 0.9 0 0.9\nf 5 7 6\n",
              SCENE(", \"self_collision\": true", ""), "bodies[0].shape",
              "lies exactly on itself at the start: 3 vertices are on triangles");
}

/* Nothing but notes. */
static void is_good(const char *text)
{
    PxScene *scene;
    CHECK_OK(px_scene_read_text("s.json", ".", text, strlen(text), &scene));
    px_scene_check(scene);
    for (size_t k = 0; k < px_scene_complaint_count(scene); ++k)
        if (px_scene_complaint(scene, k)->severity != PX_NOTE)
            fail_msg("%s: %s", px_scene_complaint(scene, k)->place,
                     px_scene_complaint(scene, k)->text);
    px_scene_free(scene);
}

TEST(cloth_a_little_above_cloth_and_borders_that_are_sewn_are_good)
{
    is_good(TWO_SHEETS("0, 1e-9, 0", ""));
    is_good(TWO_SHEETS(
        "1, 0, 0", ", \"seams\": [{\"from\": \"shirt\", \"to\": \"scarf\", \"within\": 0.001}]"));
}

TEST(a_handle_that_begins_later_and_holds_nothing_now_is_named)
{
    complains(
        TWO,
        SCENE("", ", \"handles\": [{\"name\": \"h\", \"body\": \"shirt\", \"start\": 0.1, "
                  "\"shape\": {\"sphere\": 0.1, \"at\": [0, 1, 0]}}]"),
        "handles[0].shape",
        "has no vertex of 'shirt' in it now, and begins at 0.1 s: nothing will be held unless "
        "it moves there until then; the nearest of 4 is");
}

TEST(a_gauge_of_what_cloth_does_not_have_is_named)
{
    complains(TWO,
              SCENE("", ", \"gauges\": [{\"name\": \"g\", \"measures\": \"pressure\", \"body\": "
                        "\"shirt\"}]"),
              "gauges[0]", "measures nothing: 'shirt' is cloth");
}

TEST(texture_coordinates_that_are_not_in_metres_are_named)
{
    complains(SQUARE "vt 0 0\nvt 10 0\nvt 10 10\nvt 0 10\nf 1/1 3/3 2/2\nf 1/1 4/4 3/3\n",
              SCENE(", \"rest\": \"uv\"", ""), "bodies[0].shape",
              "has texture coordinates of 100 m^2, and a shape of 1 m^2");
}

/* One mistake, one complaint, at the place. */
static void complains_once(const char *text, const char *place)
{
    PxScene *scene;
    if (px_scene_read_text("s.json", ".", text, strlen(text), &scene) == PX_OK)
        px_scene_check(scene);
    for (size_t k = 0; k < px_scene_complaint_count(scene); ++k)
        CHECK_TEXT(px_scene_complaint(scene, k)->place, place);
    CHECK_EQUAL(px_scene_complaint_count(scene), 1);
    px_scene_free(scene);
}

#define SHEET(cloth, shape, more)                                                                  \
    "{\"phyxel\": 1, \"spacing\": 0.05, \"materials\": {\"m\": {\"density\": 100, \"cloth\": "     \
    "{" cloth "}}}, \"bodies\": [{\"name\": \"shirt\", \"material\": \"m\", \"shape\": {" shape    \
    "}}]" more "}"
#define FLAT "\"sheet\": {\"width\": 1, \"length\": 1}"

TEST(one_mistake_is_one_complaint)
{
    complains_once(SHEET("\"mass\": -1", FLAT, ""), "materials.m.cloth.mass");
    complains_once(SHEET("\"mas\": 1", FLAT, ""), "materials.m.cloth.mas");
    complains_once(SHEET("", "\"box\": [1, 1, 1]", ""), "bodies[0].shape");
    complains_once(SHEET("", FLAT, ", \"seams\": [{\"from\": \"shirt\", \"to\": \"coat\"}]"),
                   "seams[0].to");
    complains_once(SHEET("", FLAT, ", \"seams\": [{\"from\": \"shirt\"}]"), "seams[0]");
}

TEST_MAIN()
