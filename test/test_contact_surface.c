/// The implicit surface of points, and the contact surface of two bodies.
#include "check.h"

#include "contact/contact_surface.h"

#include <math.h>
#include <stdlib.h>

/* Points evenly on a ball (Fibonacci), with their normals. */
typedef struct Ball {
    PxVec3 at;
    double radius;
    uint32_t count;
    float *column[6];
    PxPointSurface surface;
} Ball;

static void ball_make(Ball *b, PxVec3 at, double radius, uint32_t count, PxArena *scratch)
{
    *b = (Ball){.at = at, .radius = radius, .count = count};
    for (int k = 0; k < 6; ++k)
        CHECK((b->column[k] = malloc(count * sizeof(float))) != NULL);
    for (uint32_t i = 0; i < count; ++i) {
        double y = 1 - 2 * (i + 0.5) / count, r = sqrt(1 - y * y), f = 2.399963229728653 * i;
        const double n[3] = {r * cos(f), y, r * sin(f)}, middle[3] = {at.x, at.y, at.z};
        for (int k = 0; k < 3; ++k) {
            b->column[k][i] = (float)(middle[k] + radius * n[k]);
            b->column[3 + k][i] = (float)n[k];
        }
    }
    CHECK_OK(px_point_surface_make(&b->surface, (const float *const *)b->column,
                                   (const float *const *)b->column + 3, count, scratch));
}

static void ball_free(Ball *b)
{
    px_point_surface_free(&b->surface);
    for (int k = 0; k < 6; ++k)
        free(b->column[k]);
}

TEST(points_have_a_spacing)
{
    PxArena scratch;
    Ball b;
    px_arena_init(&scratch, NULL);
    ball_make(&b, px_vec(0, 0, 0), 1, 5000, &scratch);
    CHECK_NEAR(b.surface.spacing, sqrt(4 * M_PI / 5000), 0.1 * sqrt(4 * M_PI / 5000));
    ball_free(&b);
    px_arena_free(&scratch);
}

TEST(the_gradient_is_the_derivative_of_the_value)
{
    PxArena scratch;
    Ball b;
    px_arena_init(&scratch, NULL);
    ball_make(&b, px_vec(0.1, 0.2, 0.3), 1, 2000, &scratch);
    for (int n = 0; n < 20; ++n) {
        double f = 0.7 * n, value, side[2];
        PxVec3 x = px_vec(0.1 + 1.02 * cos(f) * cos(0.3 * n), 0.2 + 1.02 * sin(f) * cos(0.3 * n),
                          0.3 + 1.02 * sin(0.3 * n));
        PxVec3 g, unused[3], step[3] = {{1e-3, 0, 0}, {0, 1e-3, 0}, {0, 0, 1e-3}};
        CHECK(px_point_surface_at(&b.surface, x, &value, &g, &unused[0], &unused[1]));
        const double gradient[3] = {g.x, g.y, g.z};
        for (int k = 0; k < 3; ++k) {
            CHECK(px_point_surface_at(&b.surface, px_add(x, step[k]), &side[1], &unused[2],
                                      &unused[0], &unused[1]));
            CHECK(px_point_surface_at(&b.surface, px_sub(x, step[k]), &side[0], &unused[2],
                                      &unused[0], &unused[1]));
            CHECK_NEAR((side[1] - side[0]) / 2e-3, gradient[k], 1e-3);
        }
    }
    ball_free(&b);
    px_arena_free(&scratch);
}

TEST(projections_are_orthogonal_near_and_far)
{
    /* on a ball the foot lies on the ray from its middle, inside and outside, also beyond the
     * support; the surface of 2000 points is rounder than the ball by some h^2 / R */
    static const double height[] = {-0.5, -0.1, 0.02, 0.3};
    PxArena scratch;
    Ball b;
    px_arena_init(&scratch, NULL);
    ball_make(&b, px_vec(0, 0, 0), 1, 2000, &scratch);
    for (int n = 0; n < 40; ++n) {
        double f = 0.7 * n, r = 1 + height[n % 4];
        PxVec3 way = px_vec(cos(f) * cos(0.3 * n), sin(f) * cos(0.3 * n), sin(0.3 * n)), foot,
               normal;
        double d = px_point_surface_project(&b.surface, px_scale(way, r), &foot, &normal);
        CHECK_NEAR(d, height[n % 4], 0.01);
        CHECK_NEAR(px_dot(normal, way), 1, 1e-3);
        CHECK(px_length(px_cross(way, px_normalized(foot, way))) < 0.02);
    }
    ball_free(&b);
    px_arena_free(&scratch);
}

/* Largest distance of a place in the disc of the contact, of this radius about the x axis at
 * x = `middle`, from the nearest node. */
static double largest_hole(const PxContactNodes *nodes, double middle, double radius)
{
    double hole = 0;
    for (int n = 0; n < 400; ++n) {
        double r = radius * sqrt((n + 0.5) / 400), f = 2.399963229728653 * n, nearest = INFINITY;
        PxVec3 x = px_vec(middle, r * cos(f), r * sin(f));
        for (size_t i = 0; i < nodes->count; ++i)
            nearest = fmin(nearest, px_length(px_sub(nodes->data[i].at, x)));
        hole = fmax(hole, nearest);
    }
    return hole;
}

TEST(equal_balls_meet_in_a_disc_without_holes)
{
    PxArena scratch;
    Ball a, b;
    PxContactNodes nodes = {0};
    double d, nearest = INFINITY;
    px_arena_init(&scratch, NULL);
    ball_make(&a, px_vec(-0.9, 0, 0), 1, 4000, &scratch);
    ball_make(&b, px_vec(0.9, 0, 0), 1, 3000, &scratch);
    PxContactPair pair = {{{&a.surface, NULL, 1e5}, {&b.surface, NULL, 1e5}}, 0, 0};
    CHECK_OK(px_contact_surface(&pair, &scratch, &nodes, &d));
    double radius = sqrt(1 - 0.81); /* of the circle in which the balls intersect */
    CHECK(nodes.count > 0);
    for (size_t i = 0; i < nodes.count; ++i) {
        const PxContactNode *c = &nodes.data[i];
        double r = hypot(c->at.y, c->at.z);
        CHECK_NEAR(c->at.x, 0, 0.1 * d);
        CHECK(r < radius + 0.5 * d);
        CHECK_NEAR(c->depth, 2 * (1 - hypot(0.9, r)), 0.25 * d);
        if (r < radius - 2 * d) /* out of the first body */
            CHECK_NEAR(c->normal.x, 1, 0.01);
        for (size_t k = 0; k < i; ++k)
            nearest = fmin(nearest, px_length(px_sub(c->at, nodes.data[k].at)));
    }
    CHECK(nearest > 0.5 * d);
    CHECK(largest_hole(&nodes, 0, radius - 0.5 * d) < 1.0 * d);
    CHECK_NEAR((double)nodes.count, M_PI * radius * radius / (d * d), 0.35 * nodes.count);
    PX_LIST_FREE(&nodes);
    ball_free(&a);
    ball_free(&b);
    px_arena_free(&scratch);
}

TEST(a_soft_surface_follows_a_stiff_one)
{
    PxArena scratch;
    Ball a, b;
    PxContactNodes nodes = {0};
    double d;
    px_arena_init(&scratch, NULL);
    ball_make(&a, px_vec(-0.9, 0, 0), 1, 4000, &scratch);
    ball_make(&b, px_vec(0.9, 0, 0), 1, 4000, &scratch);
    PxContactPair pair = {{{&a.surface, NULL, 1e8}, {&b.surface, NULL, 1e5}}, 0, 0};
    CHECK_OK(px_contact_surface(&pair, &scratch, &nodes, &d));
    CHECK(nodes.count > 50);
    for (size_t i = 0; i < nodes.count;
         ++i) /* 0.2 thick at the middle: a thousandth of it, F's error */
        CHECK_NEAR(px_length(px_sub(nodes.data[i].at, a.at)), 1, 0.1 * d);
    nodes.count = 0;
    /* and if they are apart there is none */
    Ball far;
    ball_make(&far, px_vec(1.3, 0, 0), 1, 4000, &scratch);
    pair.side[1].points = &far.surface;
    CHECK_OK(px_contact_surface(&pair, &scratch, &nodes, &d));
    CHECK(nodes.count == 0);
    PX_LIST_FREE(&nodes);
    ball_free(&a);
    ball_free(&b);
    ball_free(&far);
    px_arena_free(&scratch);
}

TEST(a_ball_on_a_wall_is_flat)
{
    PxArena scratch;
    Ball a;
    PxContactNodes nodes = {0};
    PxShape *shape;
    double d;
    PxShapeDef def = px_shape_def_default(PX_SHAPE_PLANE);
    px_arena_init(&scratch, NULL);
    CHECK_OK(px_shape_create(&def, &shape));
    PxWall wall = {.shape = shape, .bounds = px_shape_bounds(shape)};
    ball_make(&a, px_vec(0, 0.95, 0), 1, 4000, &scratch);
    PxContactPair pair = {{{&a.surface, NULL, 1e5}, {NULL, &wall, PX_CONTACT_RIGID}}, 0, 0};
    CHECK_OK(px_contact_surface(&pair, &scratch, &nodes, &d));
    double radius = sqrt(1 - 0.95 * 0.95);
    CHECK_NEAR((double)nodes.count, M_PI * radius * radius / (d * d), 0.35 * nodes.count);
    for (size_t i = 0; i < nodes.count; ++i) {
        CHECK_NEAR(nodes.data[i].at.y, 0, 0.01 * d);
        CHECK_NEAR(nodes.data[i].normal.y, -1, 1e-3);
    }
    PX_LIST_FREE(&nodes);
    ball_free(&a);
    px_shape_free(shape);
    px_arena_free(&scratch);
}

TEST_MAIN()
