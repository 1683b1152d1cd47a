/// The part of a kernel that walls fill: skipping points far from a wall changes no result.
#include "check.h"

#include "base/random.h"
#include "matter/wall.h"
#include "matter/wall_field.h"

#include <string.h>

enum { POINTS = 240 }; /* a multiple of PX_FILL_PART */

#define SPACING 0.02
#define SUPPORT 0.05

typedef struct Case {
    PxShapeKind kind;
    bool inside, field;
    PxVec3 at;
} Case;

/* Points in rows of 16 along x, around `at`, a kilometre from the origin or not. */
static void place(float x[3][POINTS], PxVec3 at)
{
    uint64_t draw = 0;
    for (uint32_t i = 0; i < POINTS; ++i) {
        double shake = px_random_unit(5, draw++, 0), y = px_random_unit(5, i / 16, 1),
               z = px_random_unit(5, i / 16, 2);
        x[0][i] = (float)(at.x + 0.5 * ((i % 16 + shake) / 8 - 1));
        x[1][i] = (float)(at.y + 0.5 * (2 * y - 1) + 0.01 * shake);
        x[2][i] = (float)(at.z + 0.5 * (2 * z - 1) - 0.01 * shake);
    }
}

static void find_parts(float x[3][POINTS], PxBounds part[POINTS / PX_FILL_PART])
{
    for (uint32_t k = 0; k < POINTS / PX_FILL_PART; ++k) {
        part[k] = px_bounds_empty();
        for (uint32_t i = k * PX_FILL_PART; i < (k + 1) * PX_FILL_PART; ++i)
            px_bounds_add(&part[k], px_vec((double)x[0][i], (double)x[1][i], (double)x[2][i]));
    }
}

/* Fills, with all tables that it needs; returns the number of points. */
static uint32_t fill(PxWall *wall, const PxFillQuery *query, PxFill *out, double *nearest)
{
    PxBoundary *b = &wall->boundary;
    const PxThreads threads = {.count = 1};
    bool again = true;
    uint32_t count = 0;
    for (int round = 0; again && round < 10; ++round) {
        again = false;
        memset((void *)out, 0, POINTS * sizeof *out);
        for (uint32_t i = 0; i < POINTS; ++i)
            nearest[i] = INFINITY;
        count = b->ops->fill(b, query, out, nearest);
        CHECK_OK(b->ops->fill_more(b, &threads, &again));
    }
    return count;
}

static void check_parts(const Case *c)
{
    static PxFill one[POINTS], all[POINTS];
    double near_one[POINTS], near_all[POINTS];
    float x[3][POINTS];
    PxBounds part[POINTS / PX_FILL_PART];
    PxWallProfile profile;
    PxShapeDef def = px_shape_def_default(c->kind);
    def.radius = 0.2;
    def.height = 0.3;
    def.size = px_vec(0.5, 0.3, 0.4);
    def.normal = px_vec(0.2, 1, 0.1);
    def.at = c->at;
    def.rotation = px_quat_turn(px_vec(1, 2, 3), 0.7);
    PxWall wall = {.def = def, .inside = c->inside, .pivot = def.at};
    px_wall_boundary(&wall);
    CHECK_OK(px_shape_create(&def, &wall.shape));
    wall.bounds = px_shape_bounds(wall.shape);
    for (int k = 0; k < 2; ++k)
        wall.pose[k] =
            (PxPose){.move = {0.03, -0.02, 0.01}, .turn = px_quat_turn(px_vec(3, -1, 1), 0.4)};
    if (c->field)
        CHECK_OK(px_wall_field_create(wall.shape, c->inside, false, NULL, &wall.field));
    px_wall_profile_init(&profile, SUPPORT, SPACING);
    CHECK_OK(px_wall_fill_begin(&wall.boundary, &profile));
    place(x, c->at);
    find_parts(x, part);
    PxFillQuery query = {
        .x = x[0], .y = x[1], .z = x[2], .end = POINTS, .profile = &profile, .up = {0, 1, 0}};
    uint32_t count = fill(&wall, &query, one, near_one);
    query.part = part;
    CHECK_EQUAL(fill(&wall, &query, all, near_all), count);
    CHECK(memcmp(one, all, sizeof one) == 0); /* the same bits */
    uint32_t near = 0;
    for (uint32_t i = 0; i < POINTS; ++i) {
        CHECK(near_all[i] <= near_one[i]); /* both are bounds beyond the support */
        CHECK(near_all[i] >= fmin(near_one[i], SUPPORT) - 1e-6);
        near += near_one[i] < SUPPORT;
    }
    CHECK_EQUAL(near, count);
    CHECK(count > 10 && (c->inside || count < POINTS - 10));
    px_wall_field_free(wall.field);
    px_shape_free(wall.shape);
}

TEST(parts_of_points_that_are_far_from_a_wall_are_left_out)
{
    const PxVec3 here = {0, 0, 0}, away = {1000, -500, 300};
    const Case cases[] = {
        {PX_SHAPE_PLANE, false, false, here},   {PX_SHAPE_BOX, false, false, here},
        {PX_SHAPE_BOX, true, false, here},      {PX_SHAPE_SPHERE, false, true, here},
        {PX_SHAPE_CYLINDER, false, true, here}, {PX_SHAPE_SPHERE, true, true, here},
        {PX_SHAPE_CYLINDER, false, true, away}, {PX_SHAPE_BOX, false, false, away},
    };
    for (size_t k = 0; k < PX_COUNT(cases); ++k)
        check_parts(&cases[k]);
}

TEST_MAIN()
