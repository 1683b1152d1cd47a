/// Looks of materials and walls, and walls as triangles.
#include "check.h"
#include "folder.h"

#include "render/trace/optics.h"
#include "render/looks.h"
#include "render/trace/fabric.h"
#include "shape/texture.h"
#include "render/setting.h"
#include "render/subject.h"
#include "shape/tessellate.h"
#include "store/file.h"

#include "phyxel/scene.h"
#include "scene/content.h"

static PxScene *scene_of(const char *materials, const char *wall, PxStatus wanted)
{
    char text[2000];
    snprintf(text, sizeof text,
             "{\"phyxel\": 1, \"spacing\": 0.1, \"materials\": {%s}, \"bodies\": ["
             "{\"shape\": {\"box\": [1, 1, 1]}, \"wall\": true%s}]}",
             materials, wall);
    PxScene *scene;
    PxStatus status = px_scene_read_text("s.json", NULL, text, strlen(text), &scene);
    if (status != wanted)
        fail_msg("%s: %s: %s", text, px_status_name(status), px_error_message());
    return scene;
}

TEST(a_look_may_be_stated_for_materials_and_walls)
{
    PxScene *s = scene_of("\"goo\": {\"density\": 1000, \"look\": {\"kind\": \"metal\", "
                          "\"colour\": [1, 0.5, 0], \"roughness\": 0.1}}, "
                          "\"water\": {\"density\": 1000}",
                          ", \"look\": {\"kind\": \"hidden\"}", PX_OK);
    CHECK(s->material[0].is.look != NULL && s->material[1].is.look == NULL);
    CHECK_EQUAL(s->material[0].is.look->kind, PX_SCENE_METAL);
    CHECK(s->body[0].is.look != NULL);
    CHECK_EQUAL(s->body[0].is.look->kind, PX_SCENE_HIDDEN);
    PxLook look = px_look_of_surface(&s->material[0].def, s->material[0].is.look, 0, 1);
    CHECK_EQUAL(look.kind, PX_LOOK_METAL);
    CHECK_NEAR(look.colour.y, 0.21404, 1e-4); /* half of sRGB in linear light */
    px_scene_free(s);
}

TEST(a_look_is_kept_with_the_scene_and_changes_no_hash)
{
    PxScene *plain = scene_of("\"water\": {\"density\": 1000}", "", PX_OK);
    PxScene *red = scene_of("\"water\": {\"density\": 1000, \"look\": {\"kind\": \"matte\", "
                            "\"colour\": [1, 0, 0]}}",
                            "", PX_OK);
    CHECK_TEXT(px_scene_hash(plain), px_scene_hash(red));
    const char *text = px_scene_resolved(red);
    CHECK(strstr(text, "\"matte\"") != NULL);
    PxScene *again;
    CHECK_OK(px_scene_read_text("again.json", NULL, text, strlen(text), &again));
    CHECK_EQUAL(again->material[0].is.look->kind, PX_SCENE_MATTE);
    CHECK_NEAR(again->material[0].is.look->colour.x, 1, 0);
    px_scene_free(plain);
    px_scene_free(red);
    px_scene_free(again);
}

TEST(a_wrong_look_is_complained_about_at_its_place)
{
    static const struct {
        const char *look, *place;
    } wrong[] = {
        {"{\"kind\": \"shiny\"}", "materials.water.look.kind"},
        {"{\"colour\": [1, 0, 0]}", "materials.water.look.kind"},
        {"{\"kind\": \"matte\", \"colour\": [2, 0, 0]}", "materials.water.look.colour[0]"},
        {"{\"kind\": \"matte\", \"color\": [1, 0, 0]}", "materials.water.look.color"},
        {"\"red\"", "materials.water.look"},
    };
    for (size_t k = 0; k < PX_COUNT(wrong); ++k) {
        char material[300];
        snprintf(material, sizeof material, "\"water\": {\"density\": 1000, \"look\": %s}",
                 wrong[k].look);
        PxScene *s = scene_of(material, "", PX_ERR_FORMAT);
        CHECK_EQUAL(px_scene_complaint_count(s), 1);
        CHECK_TEXT(px_scene_complaint(s, 0)->place, wrong[k].place);
        px_scene_free(s);
    }
}

TEST(looks_follow_from_names)
{
    PxMaterialDef m = px_material_def_default();
    m.name = "Sea Water";
    PxLook water = px_look_of_surface(&m, NULL, 0, 2);
    CHECK_EQUAL(water.kind, PX_LOOK_CLEAR);
    CHECK_NEAR(water.ior, 1.333, 1e-3);
    CHECK(water.absorb.x > 3 * water.absorb.z); /* blue is what is left */
    m.name = "whole milk";
    CHECK_EQUAL(px_look_of_surface(&m, NULL, 0, 2).kind, PX_LOOK_GLOSSY);
    m.name = "ice";
    m.young = 1e6;
    PxLook ice = px_look_of_surface(&m, NULL, 1, 2); /* whichever material of the scene it is */
    CHECK_EQUAL(ice.kind, PX_LOOK_CLEAR);
    CHECK_NEAR(ice.ior, 1.31, 1e-3);
    CHECK(ice.absorb.x > ice.absorb.z && ice.absorb.x < water.absorb.x); /* paler than water */
    m.young = 0;
    m.name = "juice"; /* has no ice in it */
    CHECK(px_look_of_surface(&m, NULL, 1, 2).absorb.x <
          px_look_of_surface(&m, NULL, 1, 2).absorb.z);
    m.name = "soil"; /* and no oil in this */
    CHECK_NEAR(px_look_of_surface(&m, NULL, 0, 2).ior, 1.36, 1e-3);
    m.name = "stuff";
    m.viscosity = 20;
    PxLook thick = px_look_of_surface(&m, NULL, 0, 2);
    CHECK(thick.absorb.z > 3 * thick.absorb.x); /* amber */
    m.name = "honey";
    CHECK_EQUAL(px_look_of_particles(&m, NULL, 0, 1).kind,
                PX_LOOK_GLOSSY); /* balls are not clear */
    CHECK_EQUAL(px_look_of_wall("the glass", NULL, 1).kind, PX_LOOK_CLEAR);
}

TEST(a_glass_and_a_sea_of_water_take_the_same_part_of_the_light)
{
    PxMaterialDef m = px_material_def_default();
    m.name = "water";
    PxLook small = px_look_of_surface(&m, NULL, 0, 0.1),
           large = px_look_of_surface(&m, NULL, 0, 100);
    CHECK_NEAR(small.absorb.x * 0.1f, large.absorb.x * 100, 1e-4);
}

TEST(walls_become_closed_meshes_of_their_own_volume)
{
    for (int kind = 0; kind < PX_SHAPE_KINDS; ++kind) {
        if (kind == PX_SHAPE_PLANE || kind == PX_SHAPE_MESH)
            continue;
        PxShapeDef def = px_shape_def_default((PxShapeKind)kind);
        def.size = (PxVec3){1, 2, 0.5};
        def.radius = 0.6;
        def.radius_top = 0.3;
        def.height = 1.5;
        def.thickness = 0.1;
        def.at = (PxVec3){3, -1, 2};
        def.rotation = (PxQuat){0.1, 0.2, 0.3, 0.9};
        PxShape *shape;
        PxMesh *mesh;
        CHECK_OK(px_shape_create(&def, &shape));
        CHECK_OK(px_tessellate(shape, false, &mesh));
        /* polygons of 256 corners have 0.01 per cent less area than circles, arcs of 24
         * steps a quarter 0.07 */
        double volume = px_mesh_volume(mesh), wanted = px_shape_volume(shape);
        if (!(fabs(volume / wanted - 1) < 2e-3))
            fail_msg("%s: volume %g, wanted %g", px_shape_kind_name((PxShapeKind)kind), volume,
                     wanted);
        for (uint32_t k = 0; k < mesh->vertex_count; ++k) {
            PxVec3 normal = mesh->normal[k];
            CHECK_NEAR(px_length(normal), 1, 1e-9);
            CHECK(fabs(px_shape_distance(shape, mesh->position[k], NULL)) < 1e-3);
            CHECK(px_shape_distance(shape, px_mad(mesh->position[k], normal, 0.01), NULL) > 0.004);
        }
        px_mesh_free(mesh);
        px_shape_free(shape);
    }
}

TEST(a_liquid_is_drawn_into_the_walls_that_it_touches)
{
    /* A tank from -0.5 to 0.5 on a ground at -0.5, spacing 0.1. Points 0.3 spacings from a
     * side and from the floor are drawn 0.1 into them, 0.8 spacings away 0.56 before, and
     * beyond a whole spacing where they are; in an edge both hold. */
    static const float from[4][3] = {
        {0.47f, 0, 0}, {0.42f, 0, 0}, {0.3f, 0, 0}, {0.47f, -0.47f, 0}};
    static const double to[4][3] = {{0.51, 0, 0}, {0.444, 0, 0}, {0.3, 0, 0}, {0.51, -0.51, 0}};
    static const char head[] =
        "ply\nformat binary_little_endian 1.0\nelement vertex 4\nproperty float x\n"
        "property float y\nproperty float z\nelement face 0\n"
        "property list uchar int vertex_indices\nend_header\n";
    char bytes[sizeof head - 1 + sizeof from];
    memcpy(bytes, head, sizeof head - 1);
    memcpy(bytes + sizeof head - 1, from, sizeof from);
    Folder f = folder_make();
    CHECK(mkdir(folder_file(&f, "surface"), 0777) == 0);
    CHECK_OK(px_file_write_atomic(folder_file(&f, "surface/000001.ply"), bytes, sizeof bytes));
    PxScene *scene = scene_of("\"water\": {\"density\": 1000}", ", \"inside\": true", PX_OK);
    PxRenderDef def = px_render_def_default();
    def.scene = scene;
    PxBounds matter = {{-0.4, -0.4, -0.4}, {0.4, 0.4, 0.4}};
    PxSetting setting;
    PxScenery scenery = {.shutter = 0};
    PxThreads one = {.count = 1};
    PxColouring none = {.column = ""};
    PxSubject subject = {.meta = {.number = 1, .spacing = 0.1}, .shown = PX_SHOW_SURFACE};
    px_table_init(&subject.particles, NULL);
    CHECK_OK(px_setting_make(&def, &matter, 'y', 0.1, &setting));
    PxLook water = px_look_of_surface(&scene->material[0].def, NULL, 0, 1);
    px_scenery_add_look(&scenery, &water);
    CHECK_OK(px_subject_add(&subject, f.path, &setting, &none, &one, &scenery));
    for (int k = 0; k < 4; ++k) {
        PxV3 p = scenery.things.data[0].position[k];
        PxV3 wanted = px_setting_place(&setting, (PxVec3){to[k][0], to[k][1], to[k][2]});
        if (px_v3_length(px_v3_sub(p, wanted)) > 1e-5f)
            fail_msg("point %d is at %g %g %g, wanted %g %g %g", k, (double)p.x, (double)p.y,
                     (double)p.z, (double)wanted.x, (double)wanted.y, (double)wanted.z);
    }
    px_scenery_free(&scenery);
    px_setting_free(&setting);
    px_subject_free(&subject);
    px_scene_free(scene);
    folder_remove(&f);
}

TEST(pictures_have_y_up_whatever_the_scene_has)
{
    PxSetting s = {.up = 'z', .origin = {1, 2, 3}};
    PxV3 p = px_setting_place(&s, (PxVec3){1, 2, 8});
    CHECK_NEAR(p.x, 0, 0);
    CHECK_NEAR(p.y, 5, 0);
    CHECK_NEAR(p.z, 0, 0);
    PxV3 x = px_setting_turn(&s, (PxVec3){1, 0, 0}), y = px_setting_turn(&s, (PxVec3){0, 1, 0});
    PxV3 z = px_v3_cross(x, y), wanted = px_setting_turn(&s, (PxVec3){0, 0, 1});
    CHECK_NEAR(px_v3_length(px_v3_sub(z, wanted)), 0, 0); /* right-handed still */
}

/* ---- cloth ---- */

/* A triangle in the plane of x and y that faces +z, with u along x and v along y. */
static PxHit shade(const PxFabric *fabric, float x, float y, float from)
{
    static PxV3 position[3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};
    static float uv[3][2] = {{0, 0}, {4, 0}, {0, 4}};
    static uint32_t triangle[1][3] = {{0, 1, 2}};
    const PxThing thing = {.kind = PX_THING_MESH,
                           .points = 3,
                           .position = position,
                           .uv = uv,
                           .triangles = 1,
                           .triangle = triangle};
    PxHit hit = {.geometric = {0, 0, 1}, .normal = {0, 0, 1}, .colour = {0.5f, 0, 0}};
    px_fabric_shade(fabric, &thing, 0, x / 4, y / 4, px_v3(0, 0, -from), &hit);
    return hit;
}

TEST(threads_of_warp_and_weft_alternate_and_are_round)
{
    PxFabric f = {.shown = true, .thread = 1, .weft = {0, 0.5f, 0}};
    /* middles of cells: warp, which has the look's colour, weft, warp */
    PxHit a = shade(&f, 0.5f, 0.5f, 1), b = shade(&f, 1.5f, 0.5f, 1), c = shade(&f, 1.5f, 1.5f, 1);
    CHECK(a.colour.x > 0.4f && a.colour.y == 0);
    CHECK(b.colour.x == 0 && b.colour.y > 0.4f);
    CHECK(c.colour.x > 0.4f && c.colour.y == 0);
    CHECK_NEAR(a.normal.z, 1, 1e-6);
    /* the right side of a warp thread faces right, more than its upper end faces up */
    PxHit side = shade(&f, 0.9f, 0.5f, 1), end = shade(&f, 0.5f, 0.9f, 1);
    CHECK(side.normal.x > 0.4f && fabsf(side.normal.y) < 1e-6f);
    CHECK(end.normal.y > 0.2f && end.normal.y < side.normal.x);
    CHECK(side.colour.x < a.colour.x);
}

TEST(wet_cloth_is_darker_and_glossier)
{
    const PxLook dry = px_look_matte(px_v3(0.8f, 0.3f, 0.1f));
    PxV3 before = dry.colour;
    float gloss = 0;
    for (int k = 0; k <= 10; ++k) {
        PxLook wet = px_look_wet(&dry, 0.1f * (float)k);
        float mirrored = px_fresnel(1, 1 / wet.ior, NULL);
        if (k == 0) {
            CHECK(wet.colour.x == 0.8f && wet.colour.y == 0.3f && wet.colour.z == 0.1f);
            CHECK(mirrored == 0);
            continue;
        }
        CHECK(wet.kind == PX_LOOK_GLOSSY);
        CHECK(wet.colour.x < before.x && wet.colour.y < before.y && wet.colour.z < before.z);
        CHECK(mirrored > gloss);
        before = wet.colour;
        gloss = mirrored;
    }
    CHECK_NEAR(gloss, 0.02, 0.001); /* that of water */
    CHECK(before.y < 0.5f * 0.3f && before.z < 0.5f * 0.1f);
    /* white matter absorbs nothing, however often light meets it */
    CHECK_NEAR(px_colour_wet(px_v3_all(1), 1).x, 1, 1e-6);
    PxLook metal = px_look_metal(px_v3_all(0.9f), 0.2f);
    PxLook same = px_look_wet(&metal, 1);
    CHECK_EQUAL(same.kind, metal.kind);
    CHECK(same.colour.x == metal.colour.x && same.roughness == metal.roughness);
}

TEST(liquids_tint_cloth_by_their_looks)
{
    PxMaterialDef m = px_material_def_default();
    m.name = "water";
    PxV3 water = px_look_of_surface(&m, NULL, 0, 1).tint;
    CHECK(water.x == 1 && water.y == 1 && water.z == 1);
    m.name = "honey";
    PxV3 honey = px_look_of_surface(&m, NULL, 0, 1).tint;
    CHECK(honey.x == 1 && honey.y < 0.8f && honey.z < 0.2f);
    PxV3 balls = px_look_of_particles(&m, NULL, 0, 1).tint;
    CHECK(balls.x == honey.x && balls.y == honey.y && balls.z == honey.z);
    m.name = "blood"; /* opaque: its own colour */
    PxLook blood = px_look_of_surface(&m, NULL, 0, 1);
    CHECK(blood.tint.x == blood.colour.x && blood.tint.z == blood.colour.z);
}

TEST(the_back_of_cloth_has_its_own_colour)
{
    PxFabric f = {.shown = true, .backed = true, .back = {0, 0, 0.7f}};
    CHECK(shade(&f, 1, 1, 1).colour.x == 0.5f);
    CHECK(shade(&f, 1, 1, -1).colour.z == 0.7f);
    f.backed = false;
    CHECK(shade(&f, 1, 1, -1).colour.x == 0.5f);
}

TEST(a_texture_covers_the_front_of_cloth_and_repeats)
{
    uint8_t pixel[2 * 3] = {255, 0, 0, 0, 0, 255};
    PxTexture texture = {2, 1, pixel};
    PxFabric f = {.shown = true, .texture = &texture, .repeat = 2};
    CHECK(shade(&f, 0.5f, 0.5f, 1).colour.x > 0.99f);
    CHECK(shade(&f, 1.5f, 0.5f, 1).colour.z > 0.99f);
    CHECK(shade(&f, 2.5f, 0.5f, 1).colour.x > 0.99f);
}

TEST_MAIN()
