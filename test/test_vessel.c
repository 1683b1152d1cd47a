/// Liquids that fill vessels, make room for other bodies, and come to rest before the first frame.
#include "meshes.h"
#include "scenes.h"

#include "base/vec.h"
#include "shape/vessel.h"
#include "world/world_parts.h"

#include <math.h>

/* A cup of triangles: inner radius 0.05 m, floor at 0.006 m, rim at 0.1 m, walls 4 mm thick. */
enum { AROUND = 48, RINGS = 4 };

static PxShape *cup(void)
{
    static const double radius[RINGS] = {0.054, 0.054, 0.05, 0.05};
    static const double height[RINGS] = {0, 0.1, 0.1, 0.006};
    PxMesh *mesh = mesh_make(RINGS * AROUND + 2, 2 * AROUND * RINGS);
    uint32_t at = 0, below = RINGS * AROUND, above = below + 1;
    for (uint32_t j = 0; j < RINGS; ++j)
        for (uint32_t i = 0; i < AROUND; ++i) {
            double f = 2 * 3.14159265358979 * i / AROUND;
            mesh->position[j * AROUND + i] =
                px_vec(radius[j] * cos(f), height[j], radius[j] * sin(f));
        }
    mesh->position[below] = px_vec(0, 0, 0);
    mesh->position[above] = px_vec(0, 0.006, 0);
    for (uint32_t i = 0; i < AROUND; ++i) {
        uint32_t next = (i + 1) % AROUND;
        mesh_triangle(mesh, &at, below, i, next);
        for (uint32_t j = 0; j + 1 < RINGS; ++j) {
            uint32_t a = j * AROUND + i, b = j * AROUND + next;
            mesh_triangle(mesh, &at, a, a + AROUND, b + AROUND);
            mesh_triangle(mesh, &at, a, b + AROUND, b);
        }
        mesh_triangle(mesh, &at, above, (RINGS - 1) * AROUND + next, (RINGS - 1) * AROUND + i);
    }
    PxShapeDef def = px_shape_def_default(PX_SHAPE_MESH);
    PxShape *shape;
    CHECK_OK(px_shape_create_from_mesh(&def, mesh, "cup", &shape));
    px_mesh_free(mesh);
    return shape;
}

TEST(a_cup_thinner_than_the_spacing_holds_its_volume)
{
    PxShape *shape = cup();
    PxVessel v;
    PxVesselDef def = {.shape = shape, .up = 1, .spacing = 0.005, .level = 0.06, .most = 1000000};
    CHECK_OK(px_vessel_fill(&def, &v));
    double volume = (double)v.points.count * 0.005 * 0.005 * 0.005;
    CHECK_NEAR(v.bottom, 0.006, 1e-5);
    CHECK_NEAR(v.depth, 0.094, 0.0026); /* half a layer */
    CHECK_NEAR(volume / (3.14159265 * 0.05 * 0.05 * 0.06), 1, 0.02);
    for (size_t k = 0; k < v.points.count; ++k) {
        PxVec3 x = v.points.position[k];
        CHECK(hypot(x.x, x.z) < 0.05 && x.y > 0.006 && x.y < 0.066);
    }
    px_points_free(&v.points);
    def.level = 0.2;
    CHECK_FAILS(px_vessel_fill(&def, &v), PX_ERR_ARGUMENT, "overflow");
    def.spacing = 0.008; /* twice the walls */
    def.level = 0.06;
    CHECK_OK(px_vessel_fill(&def, &v));
    CHECK_NEAR((double)v.points.count * pow(0.008, 3) / (3.14159265 * 0.05 * 0.05 * 0.06), 1, 0.1);
    px_points_free(&v.points);
    px_shape_free(shape);
}

TEST(a_cup_on_its_side_holds_nothing)
{
    PxShape *shape = cup();
    PxVessel upright, lying;
    PxVesselDef def = {.shape = shape, .up = 1, .spacing = 0.005, .level = 0.02, .most = 1000000};
    CHECK_OK(px_vessel_fill(&def, &upright));
    px_points_free(&upright.points);
    def.up = 2; /* seen from gravity along z it lies on its side: all runs off */
    CHECK_FAILS(px_vessel_fill(&def, &lying), PX_ERR_ARGUMENT, "would run off");
    px_shape_free(shape);
}

TEST(shapes_without_a_hollow_are_refused)
{
    static const PxShapeKind kind[] = {PX_SHAPE_SPHERE, PX_SHAPE_FUNNEL, PX_SHAPE_PLANE};
    static const char *const why[] = {"no hollow", "no hollow", "no end"};
    for (int k = 0; k < 3; ++k) {
        PxShapeDef shape_def = px_shape_def_default(kind[k]);
        PxShape *shape;
        PxVessel v;
        CHECK_OK(px_shape_create(&shape_def, &shape));
        PxVesselDef def = {.shape = shape, .up = 1, .spacing = 0.05, .level = 0.1, .most = 1000000};
        CHECK_FAILS(px_vessel_fill(&def, &v), PX_ERR_ARGUMENT, why[k]);
        px_shape_free(shape);
    }
}

#define TANK                                                                                       \
    "{\"name\": \"tank\", \"shape\": {\"box\": [0.4, 0.4, 0.3], \"at\": [0, 0.2, 0]}, \"wall\": "  \
    "true, \"inside\": true}"
#define PADDLE                                                                                     \
    "{\"name\": \"paddle\", \"shape\": {\"box\": [0.04, 0.3, 0.2], \"at\": [0, 0.15, 0]}, "        \
    "\"wall\": true"
#define SCENE(more, bodies)                                                                        \
    "{\"phyxel\": 1, \"spacing\": 0.02, " more "\"materials\": {\"water\": {\"density\": 1000}, "  \
    "\"rubber\": {\"density\": 300}, \"jelly\": {\"density\": 900, \"young\": 1e4}}, "             \
    "\"bodies\": [" bodies "]}"
#define POOL                                                                                       \
    "{\"name\": \"pool\", \"fill\": {\"in\": \"tank\", \"level\": 0.16}, \"material\": \"water\"}"

static bool says(const PxScene *scene, PxSeverity severity, const char *text)
{
    for (size_t k = 0; k < px_scene_complaint_count(scene); ++k) {
        const PxComplaint *c = px_scene_complaint(scene, k);
        if (c->severity == severity && strstr(c->text, text) != NULL)
            return true;
    }
    print_complaints(scene);
    return false;
}

TEST(a_container_is_filled_up_to_the_level)
{
    PxScene *scene = scene_of(SCENE("", POOL ", " TANK));
    CHECK_OK(px_scene_check(scene));
    CHECK(says(scene, PX_NOTE, "takes 19.2 l; the vessel holds 48 l, 0.4 m deep"));
    PxWorld *world;
    CHECK_OK(px_scene_world(scene, 1, &world));
    CHECK_EQUAL((size_t)world->particles.table.count, (size_t)(20 * 8 * 15));
    px_world_free(world);
    CHECK(strstr(px_scene_resolved(scene), "\"fill\": {\"in\": \"tank\", \"level\": 0.16}") !=
          NULL);
    CHECK(px_scene_set(scene, "bodies.pool.fill.in", "tnak") == PX_ERR_FORMAT);
    CHECK(says(scene, PX_ERROR, "did you mean 'tank'"));
    CHECK_OK(px_scene_set(scene, "bodies.pool.fill.in", "tank"));
    CHECK_OK(px_scene_set(scene, "bodies.pool.fill.level", "0.5"));
    CHECK(px_scene_check(scene) == PX_ERR_FORMAT);
    CHECK(says(scene, PX_ERROR, "overflow"));
    px_scene_free(scene);
}

TEST(liquids_make_room_for_what_stands_in_them)
{
    static const char *const carver[] = {
        PADDLE "}",
        "{\"name\": \"paddle\", \"shape\": {\"sphere\": 0.07, \"at\": [0, 0.08, 0]}, "
        "\"material\": \"rubber\", \"rigid\": true}",
        "{\"name\": \"paddle\", \"shape\": {\"box\": [0.1, 0.1, 0.1], \"at\": [0, 0.08, 0]}, "
        "\"material\": \"jelly\"}"};
    const double part[] = {0.1, 0.075, 0.052}; /* of the pool, by volume */
    for (int k = 0; k < 3; ++k) {
        char text[2000];
        snprintf(text, sizeof text, SCENE("", TANK ", " POOL ", %s"), carver[k]);
        PxScene *scene = scene_of(text);
        CHECK_OK(px_scene_check(scene));
        CHECK(says(scene, PX_NOTE, "makes room for 'paddle'"));
        PxWorld *world;
        CHECK_OK(px_scene_world(scene, 1, &world));
        uint32_t water = 0;
        for (uint32_t i = 0; i < world->particles.table.count; ++i)
            water += world->particles.body[i] == 1;
        CHECK_NEAR(1 - water / 2400.0, part[k], 0.035);
        px_world_free(world);
        /* the same without a check before */
        px_scene_free(scene);
        scene = scene_of(text);
        CHECK_OK(px_scene_world(scene, 1, &world));
        px_world_free(world);
        px_scene_free(scene);
    }
    PxScene *scene = scene_of(SCENE("", TANK ", " POOL ", " PADDLE ", \"carve\": false}"));
    CHECK(px_scene_check(scene) == PX_ERR_FORMAT);
    CHECK(says(scene, PX_ERROR, "lies inside the wall 'paddle'"));
    px_scene_free(scene);
}

TEST(a_body_needs_a_shape_or_a_vessel)
{
    PxScene *scene = scene_of(SCENE("", TANK ", {\"name\": \"a\", \"material\": \"water\"}"));
    CHECK(says(scene, PX_ERROR, "is missing"));
    px_scene_free(scene);
    scene = scene_of(SCENE("", TANK ", {\"name\": \"a\", \"material\": \"jelly\", \"fill\": "
                                    "{\"in\": \"tank\", \"level\": 0.1}}"));
    CHECK(says(scene, PX_ERROR, "only liquids"));
    px_scene_free(scene);
}

PHYSICS(settled_liquids_are_at_rest)
{
    /* A column beside a wall of the tank: it collapses, and is flat before the first frame. */
    PxScene *scene = scene_of(SCENE("\"settle\": true, ",
                                    TANK ", {\"name\": \"pool\", \"shape\": {\"box\": [0.2, 0.2, "
                                         "0.3], \"at\": [-0.1, 0.1, 0]}, \"material\": "
                                         "\"water\"}"));
    PxWorld *world, *again;
    CHECK_OK(px_scene_world(scene, 2, &world));
    PxScene *other = scene_of(px_scene_resolved(scene));
    CHECK_OK(px_scene_world(other, 1, &again));
    const PxParticles *p = &world->particles;
    CHECK_EQUAL((size_t)p->table.count, (size_t)(1500));
    double sum = 0, moment = 0;
    for (uint32_t i = 0; i < p->table.count; ++i) {
        sum += (double)p->y[i] / p->table.count;
        moment += (double)p->x[i] / p->table.count;
        CHECK(p->x[i] == again->particles.x[i] && p->vx[i] == 0); /* for any number of threads */
    }
    CHECK_NEAR(sum, 0.05, 0.006); /* half of the depth */
    CHECK_NEAR(moment, 0, 0.01);
    CHECK(px_world_time(world) == 0);
    px_world_free(world);
    px_world_free(again);
    px_scene_free(scene);
    px_scene_free(other);
}

TEST_MAIN()
