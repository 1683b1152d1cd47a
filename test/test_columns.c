/// Columns can be listed, pointed at and copied; strain and stress are right.
#include "check.h"

#include "phyxel/world.h"
#include "world/world_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define YOUNG 1e6
#define POISSON 0.3

/* A bar along x of square section, of an elastic material, without gravity. */
static PxWorld *bar_world(double length, double width, double spacing, double gravity, int threads)
{
    PxWorldDef def = px_world_def_default();
    def.spacing = spacing;
    def.gravity = (PxVec3){0, gravity, 0};
    def.threads = threads;
    PxWorld *world;
    CHECK_OK(px_world_create(&def, &world));
    PxMaterialDef rubber = px_material_def_default();
    PxMaterialId id;
    rubber.name = "rubber";
    rubber.young = YOUNG;
    rubber.poisson = POISSON;
    rubber.viscosity = 0;
    rubber.damping = 60;
    rubber.friction = 0;
    CHECK_OK(px_world_add_material(world, &rubber, &id));
    PxBodyDef body = px_body_def_default();
    body.name = "bar";
    body.material = id;
    body.shape.size = (PxVec3){length, width, width};
    body.skin = false;
    CHECK_OK(px_world_add_body(world, &body, NULL));
    return world;
}

/* The column as one array; the caller frees it. */
static float *column_of(PxWorld *world, const char *name, uint32_t components)
{
    size_t bytes = (size_t)px_world_count(world) * components * sizeof(float);
    float *to = malloc(bytes);
    CHECK_OK(px_world_read_column(world, name, to, bytes));
    return to;
}

TEST(all_columns_are_listed_and_can_be_copied)
{
    PxWorld *world = bar_world(0.4, 0.2, 0.05, -9.81, 1);
    CHECK_OK(px_world_step(world, 1));
    PxColumnInfo info[80];
    size_t count = px_world_columns(world, info, 80), derived = 0;
    CHECK(count > 15 && count <= 80);
    CHECK_EQUAL(px_world_columns(world, NULL, 0), count);
    static const size_t size[PX_TYPE_COUNT] = {
        [PX_U8] = 1, [PX_U32] = 4, [PX_I32] = 4, [PX_F32] = 4, [PX_U64] = 8, [PX_F64] = 8};
    for (size_t k = 0; k < count; ++k) {
        size_t bytes = px_world_count(world) * info[k].components * size[info[k].type];
        void *to = malloc(bytes + 1);
        CHECK(info[k].name[0] != '\0' && info[k].meaning[0] != '\0');
        CHECK_OK(px_world_read_column(world, info[k].name, to, bytes));
        CHECK_FAILS(px_world_read_column(world, info[k].name, to, bytes + 1), PX_ERR_ARGUMENT,
                    "bytes");
        derived += info[k].derived;
        free(to);
    }
    CHECK_EQUAL(derived, 4);
    CHECK_FAILS(px_world_read_column(world, "velocty", NULL, 0), PX_ERR_ARGUMENT, "velocity");
    CHECK(px_world_words(world, "material") != NULL && px_world_words(world, "velocity") == NULL);
    CHECK(px_world_floats(world, "stress", 0) == NULL);
    uint64_t *id = malloc(px_world_count(world) * sizeof *id);
    CHECK_OK(px_world_read_column(world, "id", id, px_world_count(world) * sizeof *id));
    CHECK(memcmp(id, px_world_ids(world), px_world_count(world) * sizeof *id) == 0);
    float *position = column_of(world, "position", 3);
    for (int c = 0; c < 3; ++c)
        CHECK(position[3 * 7 + c] == px_world_floats(world, "position", c)[7]);
    free(position);
    free(id);
    px_world_free(world);
}

/* Every particle is placed by a uniform strain; errors are those of float positions and of the
 * second-order term of Green's strain, 1.5 per cent of it at 1 per cent. */
TEST(a_bar_strained_uniformly_has_the_stress_of_hooke_everywhere)
{
    PxWorld *world = bar_world(0.8, 0.2, 0.05, 0, 1);
    CHECK_OK(px_world_step(world, 1e-5));
    PxParticles *p = &world->particles;
    uint32_t n = px_world_count(world);
    for (uint32_t i = 0; i < n; ++i) {
        /* rotated by 90 degrees about z: x becomes y */
        float x = p->x[i], y = p->y[i];
        p->y[i] = 1.01f * x;
        p->x[i] = -(1 - 0.01f * (float)POISSON) * y;
        p->z[i] *= 1 - 0.01f * (float)POISSON;
    }
    float *stress = column_of(world, "stress", 6), *strain = column_of(world, "strain", 6);
    float *mises = column_of(world, "von_mises", 1);
    float *principal = column_of(world, "principal_stress", 3);
    for (uint32_t i = 0; i < n; ++i) {
        double wanted = YOUNG * 0.01;
        CHECK_NEAR((double)stress[6 * i + 1], wanted, 0.03 * wanted);
        for (int k = 0; k < 6; ++k)
            if (k != 1)
                CHECK_NEAR((double)stress[6 * i + (uint32_t)k], 0, 0.01 * wanted);
        CHECK_NEAR((double)strain[6 * i], 0.01005, 1e-5); /* rest axes: along x */
        CHECK_NEAR((double)strain[6 * i + 1], -0.01 * POISSON, 2e-5);
        CHECK_NEAR((double)mises[i], wanted, 0.03 * wanted);
        CHECK_NEAR((double)principal[3 * i], wanted, 0.03 * wanted);
        CHECK(principal[3 * i] >= principal[3 * i + 1] &&
              principal[3 * i + 1] >= principal[3 * i + 2]);
    }
    free(stress);
    free(strain);
    free(mises);
    free(principal);
    px_world_free(world);
}

/* The grips are three spacings thick, more than the support: with a grip of one layer the support
 * of the particles next to it is cut off at the end of the bar, which halves their strain. */
TEST(a_bar_pulled_by_one_per_cent_shows_young_times_that_inside)
{
    double length = 1.2, spacing = 0.05, grip = 3 * spacing;
    double grown = 0.01 * (length - 2 * grip + spacing);
    PxWorld *world = bar_world(length, 0.2, spacing, 0, 2);
    const PxKeyframe key[] = {{.time = 0, .rotation = {.w = 1}},
                              {.time = 0.1, .at = {grown, 0, 0}, .rotation = {.w = 1}}};
    for (int end = 0; end < 2; ++end) {
        PxHandleDef hand = px_handle_def_default();
        hand.name = end == 0 ? "left" : "right";
        hand.shape.size = (PxVec3){grip, 1, 1};
        hand.shape.at.x = (end == 0 ? -0.5 : 0.5) * (length - grip);
        hand.keyframe = key;
        hand.keyframes = end == 0 ? 0 : 2;
        CHECK_OK(px_world_add_handle(world, &hand, NULL));
    }
    CHECK_OK(px_world_advance(world, 0.6));
    float *stress = column_of(world, "stress", 6);
    double sum = 0, count = 0;
    for (uint32_t i = 0; i < px_world_count(world); ++i)
        if (fabsf(px_world_floats(world, "position", 0)[i]) < 0.1f) {
            sum += (double)stress[6 * i];
            CHECK_NEAR((double)stress[6 * i], 0.01 * YOUNG, 0.03 * 0.01 * YOUNG);
            count += 1;
        }
    CHECK(count >= 32);
    CHECK_NEAR(sum / count, 0.01 * YOUNG, 0.03 * 0.01 * YOUNG);
    free(stress);
    px_world_free(world);
}

TEST(a_block_under_its_own_weight_shows_the_weight_above)
{
    double height = 0.4, g = 9.81;
    PxWorld *world = bar_world(0.4, height, 0.05, -g, 2);
    PxBodyDef ground = px_body_def_default();
    ground.name = "floor";
    ground.wall = true;
    ground.friction = 0;
    ground.shape = px_shape_def_default(PX_SHAPE_PLANE);
    ground.shape.normal = (PxVec3){0, 1, 0};
    ground.shape.at.y = -0.5 * height;
    CHECK_OK(px_world_add_body(world, &ground, NULL));
    CHECK_OK(px_world_advance(world, 1.0));
    float *stress = column_of(world, "stress", 6);
    double whole = 1000 * g * height;
    /* layer by layer, without the lowest and the highest, whose neighbourhoods are cut off */
    for (int layer = 1; layer < 7; ++layer) {
        double y = 0, mean = 0, count = 0;
        for (uint32_t i = 0; i < px_world_count(world); ++i) {
            double at = (double)px_world_floats(world, "position", 1)[i];
            if (floor((at + 0.5 * height) / 0.05) != layer)
                continue;
            y += at;
            mean += (double)stress[6 * i + 1];
            count += 1;
        }
        CHECK_EQUAL(count, 64);
        CHECK_NEAR(mean / count, -1000 * g * (0.5 * height - y / count), 0.06 * whole);
    }
    free(stress);
    px_world_free(world);
}

TEST(columns_on_demand_are_stored_when_asked_for)
{
    PxWorld *world = bar_world(0.4, 0.2, 0.05, -9.81, 1);
    CHECK_FAILS(px_world_keep_column(world, "speed"), PX_ERR_ARGUMENT, "'speed'");
    CHECK_OK(px_world_keep_column(world, "von_mises"));
    CHECK_OK(px_world_keep_column(world, "von_mises"));
    PxColumnInfo info[80];
    size_t count = px_world_columns(world, info, 80), stored = 0;
    for (size_t k = 0; k < count; ++k)
        stored += info[k].derived && info[k].stored;
    CHECK_EQUAL(stored, 1);
    px_world_free(world);
}

TEST_MAIN()
