/// Bodies that overlap: a world refuses them with the message of a scene's check.
#include "scenes.h"

#include "phyxel/world.h"

#include <stdio.h>

static const char head[] = "{\"phyxel\": 1, \"name\": \"overlaps\", \"time\": {\"frames\": 1, "
                           "\"fps\": 30}, \"spacing\": 0.1, \"materials\": {\"water\": "
                           "{\"density\": 1000, \"viscosity\": 0.001}}, \"bodies\": [";

/* A box of water, a wall or a container. */
typedef enum Role { MATTER, WALL, TANK } Role;
typedef struct Box {
    Role role;
    const char *name;
    PxVec3 size, at;
} Box;

static PxStatus add_box(PxWorld *world, PxMaterialId water, const Box *box)
{
    PxBodyDef def = px_body_def_default();
    def.name = box->name;
    def.shape.size = box->size;
    def.shape.at = box->at;
    def.wall = box->role != MATTER;
    def.inside = box->role == TANK;
    if (box->role == MATTER)
        def.material = water;
    return px_world_add_body(world, &def, NULL);
}

static PxWorld *empty_world(PxMaterialId *water)
{
    PxWorld *world;
    PxWorldDef def = px_world_def_default();
    def.spacing = 0.1;
    def.threads = 1;
    CHECK_OK(px_world_create(&def, &world));
    PxMaterialDef material = px_material_def_default();
    CHECK_OK(px_world_add_material(world, &material, water));
    return world;
}

/* What the check of a scene with both boxes says about overlaps; "" if nothing. */
static void scene_says(const Box box[2], char *out, size_t size)
{
    char text[2000];
    size_t used = (size_t)snprintf(text, sizeof text, "%s", head);
    for (int k = 0; k < 2; ++k)
        used += (size_t)snprintf(
            text + used, sizeof text - used,
            "%s{\"name\": \"%s\", \"shape\": {\"box\": [%g, %g, %g], \"at\": [%g, %g, %g]}, %s%s}",
            k > 0 ? ", " : "", box[k].name, box[k].size.x, box[k].size.y, box[k].size.z,
            box[k].at.x, box[k].at.y, box[k].at.z,
            box[k].role != MATTER ? "\"wall\": true, \"carve\": false" : "\"material\": \"water\"",
            box[k].role == TANK ? ", \"inside\": true" : "");
    snprintf(text + used, sizeof text - used, "]}");
    PxScene *scene = scene_of(text);
    px_scene_check(scene);
    out[0] = '\0';
    for (size_t k = 0; k < px_scene_complaint_count(scene); ++k)
        if (px_scene_complaint(scene, k)->severity == PX_ERROR)
            snprintf(out, size, "%s", px_scene_complaint(scene, k)->text);
    /* which point is the deepest depends on the body that was sampled */
    char *depth = strstr(out, ", up to ");
    if (depth != NULL)
        *depth = '\0';
    px_scene_free(scene);
}

static const Box pairs[][2] = {
    {{MATTER, "pool", {2, 1, 2}, {0, 0, 0}},
     {MATTER, "ball", {0.4, 0.4, 0.4}, {0, 0.5, 0}}}, /* half inside */
    {{MATTER, "ball", {0.4, 0.4, 0.4}, {0, 0.5, 0}}, {MATTER, "pool", {2, 1, 2}, {0, 0, 0}}},
    {{MATTER, "pool", {1, 1, 1}, {0, 0, 0}}, {MATTER, "twin", {1, 1, 1}, {0, 0.9, 0}}},
    {{MATTER, "pool", {1, 1, 1}, {0, 0, 0}},
     {MATTER, "twin", {1, 1, 1}, {0, 1, 0}}}, /* they touch */
    {{TANK, "tank", {1, 1, 1}, {0, 0, 0}}, {MATTER, "pool", {1, 1, 1}, {0, 0.3, 0}}},
    {{MATTER, "pool", {1, 1, 1}, {0, 0.3, 0}}, {TANK, "tank", {1, 1, 1}, {0, 0, 0}}},
    {{TANK, "tank", {1, 1, 1}, {0, 0, 0}},
     {MATTER, "pool", {1, 1, 1}, {0, 0, 0}}}, /* it fills it */
    {{WALL, "step", {1, 1, 1}, {0, 0, 0}}, {MATTER, "pool", {1, 1, 1}, {0.8, 0, 0}}},
    {{MATTER, "pool", {1, 1, 1}, {0.8, 0, 0}}, {WALL, "step", {1, 1, 1}, {0, 0, 0}}},
    {{MATTER, "pool", {1, 1, 1}, {1, 0, 0}}, {WALL, "step", {1, 1, 1}, {0, 0, 0}}}, /* they touch */
};

TEST(a_world_refuses_what_the_check_of_a_scene_refuses)
{
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; ++k) {
        char wanted[300];
        scene_says(pairs[k], wanted, sizeof wanted);
        PxMaterialId water;
        PxWorld *world = empty_world(&water);
        CHECK_OK(add_box(world, water, &pairs[k][0]));
        uint32_t count = px_world_count(world);
        if (wanted[0] == '\0') {
            CHECK_OK(add_box(world, water, &pairs[k][1]));
        } else {
            CHECK_FAILS(add_box(world, water, &pairs[k][1]), PX_ERR_ARGUMENT, wanted);
            CHECK_FAILS(add_box(world, water, &pairs[k][1]), PX_ERR_ARGUMENT, pairs[k][1].name);
            CHECK_EQUAL(px_world_count(world), count);
        }
        CHECK_OK(px_world_step(world, 1));
        px_world_free(world);
    }
}

/* A ball that has left its place makes room; where it is now there is none. */
TEST(matter_overlaps_where_it_is_now)
{
    PxMaterialId water;
    PxWorld *world = empty_world(&water);
    double none[3] = {0, 0, 0}, fast[3] = {10, 0, 0};
    CHECK_OK(px_world_set(world, "gravity", none, 3));
    Box ball = {MATTER, "ball", {0.5, 0.5, 0.5}, {0, 0, 0}}, next = ball;
    CHECK_OK(add_box(world, water, &ball));
    CHECK_OK(px_world_set(world, "bodies.ball.velocity", fast, 3));
    CHECK_OK(px_world_advance(world, 0.1));
    next.name = "next";
    CHECK_OK(add_box(world, water, &next));
    next.name = "late";
    next.at.x = 1;
    CHECK_FAILS(add_box(world, water, &next), PX_ERR_ARGUMENT, "'ball'");
    px_world_free(world);
}

/* A moving wall is compared in its pose at the time of the world. */
TEST(walls_overlap_where_they_are_now)
{
    PxMaterialId water;
    PxWorld *world = empty_world(&water);
    PxKeyframe key[2] = {{.rotation = {.w = 1}},
                         {.time = 0.1, .at = {2, 0, 0}, .rotation = {.w = 1}}};
    PxBodyDef piston = px_body_def_default();
    piston.name = "piston";
    piston.wall = true;
    piston.keyframe = key;
    piston.keyframes = 2;
    CHECK_OK(px_world_add_body(world, &piston, NULL));
    CHECK_OK(px_world_advance(world, 0.1));
    Box ball = {MATTER, "ball", {0.5, 0.5, 0.5}, {2, 0, 0}};
    CHECK_FAILS(add_box(world, water, &ball), PX_ERR_ARGUMENT,
                "100 % of 'ball' lies inside the wall 'piston'");
    ball.at.x = 0;
    CHECK_OK(add_box(world, water, &ball));
    px_world_free(world);
}

TEST_MAIN()
