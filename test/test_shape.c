/// Shapes: signed distance, inside, normals, bounds, sizes, refusals.
#include "check.h"
#include "meshes.h"
#include "shapes.h"

#include "base/random.h"
#include "rigid/mass.h"
#include "shape/shape.h"
#include "shape/shape_inner.h"

#include <stdlib.h>

static double unit(uint64_t i, uint64_t what)
{
    return px_random_unit(i, 77, what);
}

/* Uniform in the cube of half edge `reach`. */
static PxVec3 random_point(uint64_t i, double reach)
{
    return px_vec(reach * (2 * unit(i, 0) - 1), reach * (2 * unit(i, 1) - 1),
                  reach * (2 * unit(i, 2) - 1));
}

static PxVec3 random_direction(uint64_t i)
{
    double y = 2 * unit(i, 3) - 1, turn = 2 * M_PI * unit(i, 4), r = sqrt(1 - y * y);
    return px_vec(r * cos(turn), y, r * sin(turn));
}

/* ---- independent definitions of the shapes ---- */

/* All with odd proportions, about a metre across. */
static PxShapeDef odd_def(PxShapeKind kind)
{
    PxShapeDef def = px_shape_def_default(kind);
    def.size = px_vec(0.7, 1.1, 0.4);
    def.radius = 0.45;
    def.height = 0.8;
    def.radius_top = kind == PX_SHAPE_FUNNEL ? 0.2 : 0.15;
    def.thickness = 0.13;
    def.normal = px_vec(0.3, 2, -0.5);
    return def;
}

/* Half width of the wall measured level, and the inner radius at height y. */
static double level_of(const PxShapeDef *d)
{
    double lean = (d->radius - d->radius_top) / d->height;
    return d->thickness * sqrt(1 + lean * lean);
}

static double radius_at(const PxShapeDef *d, double y)
{
    return d->radius + (d->radius_top - d->radius) * (y / d->height + 0.5);
}

static bool analytic_inside(const PxShapeDef *d, PxVec3 p)
{
    double r = sqrt(p.x * p.x + p.z * p.z), h = 0.5 * d->height;
    PxVec3 tip = px_vec(p.x, fmax(fabs(p.y) - h, 0), p.z);
    switch (d->kind) {
    case PX_SHAPE_BOX:
        return fabs(p.x) < d->size.x / 2 && fabs(p.y) < d->size.y / 2 && fabs(p.z) < d->size.z / 2;
    case PX_SHAPE_SPHERE:
        return px_length(p) < d->radius;
    case PX_SHAPE_CYLINDER:
        return r < d->radius && fabs(p.y) < h;
    case PX_SHAPE_CAPSULE:
        return px_length(tip) < d->radius;
    case PX_SHAPE_PLANE:
        return px_dot(p, d->normal) < 0;
    case PX_SHAPE_CONE:
        return fabs(p.y) < h && r < radius_at(d, p.y);
    case PX_SHAPE_FUNNEL:
        return fabs(p.y) < h && r > radius_at(d, p.y) && r < radius_at(d, p.y) + level_of(d);
    default:
        return false;
    }
}

typedef struct Samples {
    PxVec3 *at;
    size_t count;
} Samples;

static void ring(Samples *s, double r, double y, double step)
{
    int count = 1 + (int)(2 * M_PI * r / step);
    for (int k = 0; k < count; ++k)
        s->at[s->count++] = px_vec(r * cos(2 * M_PI * k / count), y, r * sin(2 * M_PI * k / count));
}

static void rings(Samples *s, double r0, double y0, double r1, double y1, double step)
{
    int count = 1 + (int)(hypot(r1 - r0, y1 - y0) / step);
    for (int k = 0; k <= count; ++k)
        ring(s, r0 + (r1 - r0) * k / count, y0 + (y1 - y0) * k / count, step);
}

/* Surface points no further than `step` from each other. */
static Samples surface_samples(const PxShapeDef *d, double step)
{
    Samples s = {malloc(400000 * sizeof(PxVec3)), 0};
    double h = 0.5 * d->height, top = d->radius_top, w = level_of(d);
    int arcs = (int)(M_PI * d->radius / step) + 1;
    switch (d->kind) {
    case PX_SHAPE_BOX: {
        double half[3] = {d->size.x / 2, d->size.y / 2, d->size.z / 2};
        for (int axis = 0; axis < 3; ++axis) {
            int u = (axis + 1) % 3, v = (axis + 2) % 3;
            int nu = 1 + (int)(2 * half[u] / step), nv = 1 + (int)(2 * half[v] / step);
            for (int i = 0; i <= nu; ++i)
                for (int j = 0; j <= nv; ++j)
                    for (int side = -1; side <= 1; side += 2) {
                        double p[3];
                        p[axis] = side * half[axis];
                        p[u] = half[u] * (2.0 * i / nu - 1);
                        p[v] = half[v] * (2.0 * j / nv - 1);
                        s.at[s.count++] = px_vec(p[0], p[1], p[2]);
                    }
        }
        break;
    }
    case PX_SHAPE_SPHERE:
    case PX_SHAPE_CAPSULE:
        h = d->kind == PX_SHAPE_SPHERE ? 0 : h;
        for (int k = 0; k <= arcs; ++k) {
            double a = M_PI * k / arcs - M_PI / 2;
            ring(&s, d->radius * cos(a), d->radius * sin(a) + (a < 0 ? -h : h), step);
        }
        rings(&s, d->radius, -h, d->radius, h, step);
        break;
    case PX_SHAPE_CYLINDER:
        top = d->radius;
        /* fall through */
    case PX_SHAPE_CONE:
        rings(&s, 0, -h, d->radius, -h, step);
        rings(&s, d->radius, -h, top, h, step);
        rings(&s, 0, h, top, h, step);
        break;
    case PX_SHAPE_FUNNEL:
        rings(&s, d->radius, -h, d->radius + w, -h, step);
        rings(&s, top, h, top + w, h, step);
        rings(&s, d->radius, -h, top, h, step);
        rings(&s, d->radius + w, -h, top + w, h, step);
        break;
    default:
        break;
    }
    return s;
}

/* ---- primitives ---- */

TEST(distance_is_that_to_the_nearest_of_many_surface_points)
{
    const double step = 0.015; /* samples lie in squares of this edge: half a diagonal off */
    for (PxShapeKind kind = 0; kind < PX_SHAPE_MESH; ++kind) {
        if (kind == PX_SHAPE_PLANE)
            continue;
        PxShapeDef def = odd_def(kind);
        PxShape *shape = shape_make(&def);
        Samples s = surface_samples(&def, step);
        CHECK(s.count > 1000);
        for (uint64_t i = 0; i < 120; ++i) {
            PxVec3 p = random_point(i, 1.0);
            double nearest = INFINITY, distance = fabs(px_shape_distance(shape, p, NULL));
            for (size_t k = 0; k < s.count; ++k)
                nearest = fmin(nearest, px_length(px_sub(p, s.at[k])));
            /* The samples are on the surface, so never nearer than it; rounding
             * of coordinates about 1 leaves 1e-14. */
            CHECK(nearest >= distance - 1e-14);
            CHECK_NEAR(nearest, distance, 0.7072 * step);
        }
        free(s.at);
        px_shape_free(shape);
    }
}

TEST(inside_agrees_with_the_formula_for_every_kind)
{
    for (PxShapeKind kind = 0; kind < PX_SHAPE_MESH; ++kind) {
        PxShapeDef def = odd_def(kind);
        PxShape *shape = shape_make(&def);
        int in = 0;
        for (uint64_t i = 0; i < 20000; ++i) {
            PxVec3 p = random_point(i, i % 10 == 0 ? 1e6 : 0.9);
            bool inside = px_shape_inside(shape, p);
            CHECK(inside == analytic_inside(&def, p));
            CHECK(inside == (px_shape_distance(shape, p, NULL) < 0));
            in += inside;
        }
        CHECK(in > 500 && in < 19000);
        px_shape_free(shape);
    }
}

TEST(a_hair_off_the_surface_the_side_is_right)
{
    for (PxShapeKind kind = 0; kind < PX_SHAPE_MESH; ++kind) {
        PxShapeDef def = odd_def(kind);
        PxShape *shape = shape_make(&def);
        for (uint64_t i = 0; i < 5000; ++i) {
            PxVec3 p = random_point(i, 0.9), normal, again;
            double d = px_shape_distance(shape, p, &normal);
            PxVec3 foot = px_mad(p, normal, -d);
            CHECK_NEAR(px_shape_distance(shape, foot, NULL), 0, 1e-14);
            /* From inside the foot is never at a corner, so both sides of it
             * are straight ahead. */
            if (d > 0)
                continue;
            CHECK_NEAR(px_shape_distance(shape, px_mad(foot, normal, -1e-9), &again), -1e-9, 1e-14);
            CHECK_NEAR(px_dot(again, normal), 1, 1e-6);
            CHECK_NEAR(px_shape_distance(shape, px_mad(foot, normal, 1e-9), &again), 1e-9, 1e-14);
            CHECK_NEAR(px_dot(again, normal), 1, 1e-6);
        }
        px_shape_free(shape);
    }
}

/* Central differences with step e: the error is e^2 over the radius of curvature
 * squared, and rounding 1e-16 / e. Points within e of where the nearest feature
 * changes are off by more, so a few may fail. */
static void check_gradient(const PxShape *shape, double reach)
{
    const double e = 1e-5;
    int wrong = 0, asked = 2000;
    for (int i = 0; i < asked; ++i) {
        PxVec3 p = random_point((uint64_t)i, reach), normal;
        px_shape_distance(shape, p, &normal);
        CHECK_NEAR(px_length(normal), 1, 1e-12);
        PxVec3 g = px_vec((px_shape_distance(shape, px_add(p, px_vec(e, 0, 0)), NULL) -
                           px_shape_distance(shape, px_add(p, px_vec(-e, 0, 0)), NULL)) /
                              (2 * e),
                          (px_shape_distance(shape, px_add(p, px_vec(0, e, 0)), NULL) -
                           px_shape_distance(shape, px_add(p, px_vec(0, -e, 0)), NULL)) /
                              (2 * e),
                          (px_shape_distance(shape, px_add(p, px_vec(0, 0, e)), NULL) -
                           px_shape_distance(shape, px_add(p, px_vec(0, 0, -e)), NULL)) /
                              (2 * e));
        wrong += !(px_length(px_sub(g, normal)) < 1e-4);
    }
    CHECK(wrong <= asked / 200);
}

TEST(the_normal_is_the_gradient_and_of_unit_length)
{
    for (PxShapeKind kind = 0; kind < PX_SHAPE_MESH; ++kind) {
        PxShapeDef def = odd_def(kind);
        PxShape *shape = shape_make(&def);
        check_gradient(shape, 1.0);
        px_shape_free(shape);
    }
    PxShape *ring = shape_make_mesh(mesh_torus(0.6, 0.25, 24, 12));
    check_gradient(ring, 1.0);
    px_shape_free(ring);
}

TEST(special_points_have_finite_unit_normals)
{
    const PxVec3 points[] = {{0, 0, 0},         {0, 0.4, 0},    {0, -0.4, 0},      {0.45, -0.4, 0},
                             {0.15, 0.4, 0},    {0, 1e-300, 0}, {0.35, 0.55, 0.2}, {0.35, 0, 0},
                             {1e140, 0, 1e140}, {0, 0.85, 0},   {0.2, 0.4, 0}};
    for (PxShapeKind kind = 0; kind < PX_SHAPE_MESH; ++kind) {
        PxShapeDef def = odd_def(kind);
        PxShape *shape = shape_make(&def);
        for (size_t k = 0; k < sizeof points / sizeof *points; ++k) {
            PxVec3 normal;
            CHECK(isfinite(px_shape_distance(shape, points[k], &normal)));
            CHECK_NEAR(px_length(normal), 1, 1e-12);
        }
        PxVec3 normal;
        CHECK(isnan(px_shape_distance(shape, px_vec(NAN, 0, 0), &normal)));
        CHECK(isnan(px_shape_distance(shape, px_vec(0, INFINITY, 0), NULL)));
        CHECK(!px_shape_inside(shape, px_vec(0, NAN, 0)));
        px_shape_free(shape);
    }
}

TEST(a_scaled_turned_and_moved_shape_answers_in_its_standing)
{
    for (PxShapeKind kind = 0; kind < PX_SHAPE_MESH; ++kind) {
        PxShapeDef def = odd_def(kind), moved = def;
        moved.scale = 3.5;
        moved.at = px_vec(10, -20, 5);
        moved.rotation = px_quat_turn(px_vec(1, 2, 3), 1.1);
        PxShape *shape = shape_make(&def);
        PxQuat turn = moved.rotation;
        moved.rotation = (PxQuat){7 * turn.x, 7 * turn.y, 7 * turn.z, 7 * turn.w};
        PxShape *other = shape_make(&moved);
        for (uint64_t i = 0; i < 500; ++i) {
            PxVec3 p = random_point(i, 1.0), n, m;
            PxVec3 q = px_add(moved.at, px_rotate(turn, px_scale(p, 3.5)));
            double a = px_shape_distance(shape, p, &n), b = px_shape_distance(other, q, &m);
            CHECK_NEAR(b, 3.5 * a, 1e-13 * 30); /* coordinates about 30 */
            if (fabs(a) > 1e-6) /* the same but where two features are equally near */
                CHECK_NEAR(px_dot(px_rotate(turn, n), m), 1, 1e-9);
        }
        if (kind != PX_SHAPE_PLANE) {
            CHECK_NEAR(px_shape_volume(other) / px_shape_volume(shape), 3.5 * 3.5 * 3.5, 1e-11);
            CHECK_NEAR(px_shape_area(other) / px_shape_area(shape), 3.5 * 3.5, 1e-11);
            CHECK_NEAR(px_shape_thickness(other), 3.5 * px_shape_thickness(shape), 1e-12);
        }
        px_shape_free(shape);
        px_shape_free(other);
    }
}

TEST(bounds_touch_the_shape_on_all_six_sides)
{
    for (PxShapeKind kind = 0; kind < PX_SHAPE_MESH; ++kind) {
        if (kind == PX_SHAPE_PLANE)
            continue;
        PxShapeDef def = odd_def(kind);
        def.rotation = px_quat_turn(px_vec(1, -2, 0.5), 0.8);
        def.at = px_vec(1, 2, 3);
        PxShape *shape = shape_make(&def);
        const double step = 0.02;
        Samples s = surface_samples(&def, step);
        PxBounds found = px_bounds_empty(), told = px_shape_bounds(shape);
        for (size_t k = 0; k < s.count; ++k)
            px_bounds_add(&found, px_add(def.at, px_rotate(def.rotation, s.at[k])));
        PxVec3 low = px_sub(found.low, told.low), high = px_sub(told.high, found.high);
        double least = fmin(fmin(low.x, fmin(low.y, low.z)), fmin(high.x, fmin(high.y, high.z)));
        double most = fmax(fmax(low.x, fmax(low.y, low.z)), fmax(high.x, fmax(high.y, high.z)));
        CHECK(least >= -1e-14);
        CHECK(most <= step);
        free(s.at);
        px_shape_free(shape);
    }
}

TEST(volume_agrees_with_random_points)
{
    for (PxShapeKind kind = 0; kind < PX_SHAPE_MESH; ++kind) {
        if (kind == PX_SHAPE_PLANE)
            continue;
        PxShapeDef def = odd_def(kind);
        PxShape *shape = shape_make(&def);
        PxBounds b = px_shape_bounds(shape);
        PxVec3 size = px_sub(b.high, b.low);
        double box = size.x * size.y * size.z;
        int in = 0, asked = 40000;
        for (int i = 0; i < asked; ++i) {
            uint64_t id = (uint64_t)i;
            in += analytic_inside(&def, px_vec(b.low.x + size.x * unit(id, 0),
                                               b.low.y + size.y * unit(id, 1),
                                               b.low.z + size.z * unit(id, 2)));
        }
        double part = (double)in / asked;
        /* four standard deviations */
        double error = 4 * box * sqrt(fmax(part * (1 - part), 1e-4) / asked);
        CHECK_NEAR(px_shape_volume(shape), box * part, error);
        px_shape_free(shape);
    }
}

TEST(areas_and_volumes_of_plain_cases_are_the_known_ones)
{
    PxShapeDef def = px_shape_def_default(PX_SHAPE_BOX);
    def.size = px_vec(1, 2, 3);
    PxShape *shape = shape_make(&def);
    CHECK_NEAR(px_shape_volume(shape), 6, 1e-14);
    CHECK_NEAR(px_shape_area(shape), 22, 1e-14);
    CHECK_NEAR(px_shape_thickness(shape), 1, 0);
    px_shape_free(shape);

    def = px_shape_def_default(PX_SHAPE_CONE); /* pointed: pi r^2 h / 3, pi r (r + slant) */
    def.radius = 3;
    def.height = 4;
    shape = shape_make(&def);
    CHECK_NEAR(px_shape_volume(shape), 12 * M_PI, 1e-13);
    CHECK_NEAR(px_shape_area(shape), 24 * M_PI, 1e-13);
    px_shape_free(shape);

    def = px_shape_def_default(PX_SHAPE_FUNNEL); /* upright: a pipe */
    def.radius = def.radius_top = 1;
    def.thickness = 0.5;
    def.height = 2;
    shape = shape_make(&def);
    CHECK_NEAR(px_shape_volume(shape), 2 * M_PI * (1.5 * 1.5 - 1), 1e-13);
    CHECK_NEAR(px_shape_area(shape), 2 * M_PI * (2 * 2.5 + 1.25), 1e-13);
    CHECK_NEAR(px_shape_thickness(shape), 0.5, 0);
    px_shape_free(shape);

    def = px_shape_def_default(PX_SHAPE_CAPSULE);
    shape = shape_make(&def);
    CHECK_NEAR(px_shape_volume(shape), M_PI * 0.25 * (1 + 2.0 / 3), 1e-14);
    CHECK_NEAR(px_shape_area(shape), 2 * M_PI, 1e-14);
    px_shape_free(shape);

    def = px_shape_def_default(PX_SHAPE_PLANE);
    shape = shape_make(&def);
    CHECK(isinf(px_shape_volume(shape)) && isinf(px_shape_area(shape)));
    CHECK(isinf(px_shape_thickness(shape)) && isinf(px_shape_bounds(shape).low.y));
    CHECK_NEAR(px_shape_distance(shape, px_vec(5, 2, 1), NULL), 2, 0);
    px_shape_free(shape);
}

TEST(the_wall_of_a_slanting_funnel_is_as_thick_as_said)
{
    PxShapeDef def = odd_def(PX_SHAPE_FUNNEL);
    PxShape *shape = shape_make(&def);
    /* Half way up, in the middle of the wall: half the thickness from both sides. */
    PxVec3 middle = px_vec(radius_at(&def, 0) + 0.5 * level_of(&def), 0, 0);
    CHECK_NEAR(px_shape_distance(shape, middle, NULL), -0.5 * def.thickness, 1e-15);
    CHECK_NEAR(px_shape_thickness(shape), def.thickness, 1e-15);
    px_shape_free(shape);
}

TEST(every_kind_has_a_name_and_defaults)
{
    CHECK_TEXT(px_shape_kind_name(PX_SHAPE_BOX), "box");
    CHECK_TEXT(px_shape_kind_name(PX_SHAPE_FUNNEL), "funnel");
    CHECK_TEXT(px_shape_kind_name(PX_SHAPE_MESH), "mesh");
    CHECK_TEXT(px_shape_kind_name(PX_SHAPE_KINDS), "unknown");
    for (PxShapeKind kind = 0; kind < PX_SHAPE_MESH; ++kind) {
        PxShapeDef def = px_shape_def_default(kind);
        PxShape *shape = shape_make(&def);
        CHECK(px_shape_kind(shape) == kind);
        px_shape_free(shape);
    }
    px_shape_free(NULL);
}

TEST(senseless_defs_are_refused_by_name_and_value)
{
    PxShape *shape = (PxShape *)&shape;
    PxShapeDef def = px_shape_def_default(PX_SHAPE_SPHERE);
    def.radius = -1;
    CHECK_FAILS(px_shape_create(&def, &shape), PX_ERR_ARGUMENT, "sphere: radius is -1 m");
    CHECK(shape == NULL);
    def.radius = NAN;
    CHECK_FAILS(px_shape_create(&def, &shape), PX_ERR_ARGUMENT, "radius is nan");
    def.radius = INFINITY;
    CHECK_FAILS(px_shape_create(&def, &shape), PX_ERR_ARGUMENT, "radius is inf");
    def.radius = 1e60;
    CHECK_FAILS(px_shape_create(&def, &shape), PX_ERR_ARGUMENT, "must be between");
    def.radius = 1;
    def.scale = 0;
    CHECK_FAILS(px_shape_create(&def, &shape), PX_ERR_ARGUMENT, "scale is 0");
    def.scale = 1;
    def.at.y = NAN;
    CHECK_FAILS(px_shape_create(&def, &shape), PX_ERR_ARGUMENT, "at is (0, nan, 0)");
    def.at.y = 0;
    def.rotation = (PxQuat){0, 0, 0, 0};
    CHECK_FAILS(px_shape_create(&def, &shape), PX_ERR_ARGUMENT, "rotation");

    def = px_shape_def_default(PX_SHAPE_BOX);
    def.size.y = 0;
    CHECK_FAILS(px_shape_create(&def, &shape), PX_ERR_ARGUMENT, "box: size in y is 0 m");
    def = px_shape_def_default(PX_SHAPE_CONE);
    def.radius_top = -0.1;
    CHECK_FAILS(px_shape_create(&def, &shape), PX_ERR_ARGUMENT, "cone: radius_top is -0.1");
    def = px_shape_def_default(PX_SHAPE_FUNNEL);
    def.thickness = 0;
    CHECK_FAILS(px_shape_create(&def, &shape), PX_ERR_ARGUMENT, "funnel: thickness is 0");
    def = px_shape_def_default(PX_SHAPE_BOX);
    def.size.z = 1e-10;
    CHECK_FAILS(px_shape_create(&def, &shape), PX_ERR_ARGUMENT, "between 1e-10 and 1 m");
    def = px_shape_def_default(PX_SHAPE_CYLINDER);
    def.height = -2;
    CHECK_FAILS(px_shape_create(&def, &shape), PX_ERR_ARGUMENT, "cylinder: height is -2");
    def = px_shape_def_default(PX_SHAPE_PLANE);
    def.normal = px_vec(0, 0, 0);
    CHECK_FAILS(px_shape_create(&def, &shape), PX_ERR_ARGUMENT, "plane: normal is (0, 0, 0)");
    def = px_shape_def_default(PX_SHAPE_MESH);
    CHECK_FAILS(px_shape_create(&def, &shape), PX_ERR_ARGUMENT, "no file named");
    def.mesh = "/nowhere/at/all.obj";
    CHECK_FAILS(px_shape_create(&def, &shape), PX_ERR_IO, "/nowhere/at/all.obj");
    def = px_shape_def_default((PxShapeKind)99);
    CHECK_FAILS(px_shape_create(&def, &shape), PX_ERR_ARGUMENT, "kind is 99");
}

/* ---- meshes ---- */

TEST(a_box_made_of_triangles_is_a_box)
{
    PxShapeDef def = px_shape_def_default(PX_SHAPE_BOX);
    def.size = px_vec(0.7, 1.1, 0.4);
    PxShape *box = shape_make(&def), *mesh = shape_make_mesh(mesh_box(def.size));
    for (uint64_t i = 0; i < 10000; ++i) {
        PxVec3 p = random_point(i, i % 5 == 0 ? 1000 : 0.8), a, b;
        double d = px_shape_distance(box, p, &a), e = px_shape_distance(mesh, p, &b);
        CHECK_NEAR(d, e, 1e-13 * (1 + fabs(d)));
        CHECK_NEAR(px_dot(a, b), 1, 1e-9);
        CHECK(px_shape_inside(box, p) == px_shape_inside(mesh, p));
    }
    CHECK_NEAR(px_shape_volume(mesh), px_shape_volume(box), 1e-15);
    CHECK_NEAR(px_shape_area(mesh), px_shape_area(box), 1e-15);
    /* Rays through a box: all 0.4, 0.7 or 1.1 long, and the most are of the
     * shortest kind; the shortest is the answer. */
    CHECK_NEAR(px_shape_thickness(mesh), 0.4, 1e-12);
    CHECK_NEAR(px_shape_bounds(mesh).high.y, 0.55, 0);
    px_shape_free(box);
    px_shape_free(mesh);
}

TEST(a_ball_made_of_triangles_is_nearly_a_ball)
{
    const uint32_t rings = 48;
    PxShape *mesh = shape_make_mesh(mesh_ball(1, rings));
    /* Triangles cut the ball: sides up to pi / 48 both ways, the middle of the
     * quadrilateral's diagonal is deepest. */
    double sag = 1 - cos(0.5 * hypot(M_PI / rings, M_PI / rings));
    for (uint64_t i = 0; i < 5000; ++i) {
        PxVec3 p = px_scale(random_direction(i),
                            i % 3 == 0 ? 1 + 0.01 * (unit(i, 9) - 0.5) : 1.5 * unit(i, 9));
        double true_distance = px_length(p) - 1, d = px_shape_distance(mesh, p, NULL);
        CHECK(d >= true_distance - 1e-12 && d <= true_distance + sag);
        if (true_distance > 0 || true_distance < -sag)
            CHECK(px_shape_inside(mesh, p) == (true_distance < 0));
    }
    CHECK_NEAR(px_shape_thickness(mesh), 2, 3 * sag);
    px_shape_free(mesh);
}

TEST(the_hole_of_a_ring_is_outside)
{
    const double radius = 0.6, tube = 0.25;
    PxShape *mesh = shape_make_mesh(mesh_torus(radius, tube, 96, 48));
    double sag = (radius + tube) * (1 - cos(M_PI / 96)) + tube * (1 - cos(M_PI / 48));
    int in = 0;
    for (uint64_t i = 0; i < 20000; ++i) {
        PxVec3 p = random_point(i, 0.9);
        double d = hypot(hypot(p.x, p.z) - radius, p.y) - tube;
        if (fabs(d) <= sag)
            continue;
        CHECK(px_shape_inside(mesh, p) == (d < 0));
        CHECK_NEAR(px_shape_distance(mesh, p, NULL), d, sag);
        in += d < 0;
    }
    CHECK(in > 1000);
    CHECK(!px_shape_inside(mesh, px_vec(0, 0, 0)));
    px_shape_free(mesh);
}

TEST(near_queries_agree_with_distance_and_side)
{
    /* A ring of few triangles: edges and corners are the nearest of many points. */
    PxShape *mesh = shape_make_mesh(mesh_torus(0.6, 0.25, 14, 9));
    const double within = 0.1;
    int near = 0;
    for (uint64_t i = 0; i < 20000; ++i) {
        PxVec3 p = random_point(i, 1.2), away, towards;
        double d = px_shape_distance(mesh, p, &away),
               other = px_shape_near(mesh, p, within, &towards);
        if (fabs(d) < within) {
            ++near;
            CHECK(other == d && px_length(px_sub(away, towards)) < 1e-12);
        } else {
            CHECK(d < 0 ? other <= -within : other >= within);
        }
    }
    CHECK(near > 1000);
    px_shape_free(mesh);
}

TEST(beside_an_acute_edge_a_point_is_outside)
{
    /* A wedge of 11 degrees, 1 m long: beyond its edge a point is behind one of its faces. Its sign
     * by the nearest face alone threw cloth about. */
    PxMesh *mesh = mesh_box(px_vec(1, 1, 0.2));
    for (size_t k = 0; k < 8; ++k)
        if (mesh->position[k].y > 0)
            mesh->position[k].z *= 1e-6;
    PxShape *wedge = shape_make_mesh(mesh);
    for (int k = 0; k < 19; ++k) {
        double angle = (k - 9) * M_PI / 20;
        PxVec3 normal, place = {0.13, 0.5 + 0.05 * cos(angle), 0.05 * sin(angle)};
        CHECK_NEAR(px_shape_near(wedge, place, 1, &normal), 0.05, 1e-6);
        CHECK_NEAR(normal.y, cos(angle), 1e-3);
    }
    px_shape_free(wedge);
}

TEST(a_hair_off_every_triangle_the_side_is_right)
{
    PxMesh *ring = mesh_torus(0.6, 0.25, 40, 20);
    PxMesh *copy;
    CHECK_OK(px_mesh_copy(ring, &copy));
    PxShape *shape = shape_make_mesh(copy);
    for (uint32_t t = 0; t < ring->triangle_count; ++t) {
        PxVec3 a = px_mesh_corner(ring, t, 0), b = px_mesh_corner(ring, t, 1);
        PxVec3 c = px_mesh_corner(ring, t, 2);
        PxVec3 out = px_normalized(px_cross(px_sub(b, a), px_sub(c, a)), px_vec(0, 0, 0));
        for (uint64_t k = 0; k < 3; ++k) {
            double u = 0.9 * unit(3 * t + k, 0) + 0.05, v = (0.95 - u) * unit(3 * t + k, 1);
            PxVec3 p = px_mad(px_mad(a, px_sub(b, a), u), px_sub(c, a), v);
            /* 1e-9 of the size, far above rounding at 1e-16 */
            for (double off = 1e-9; off < 1e-2; off *= 100) {
                CHECK(!px_shape_inside(shape, px_mad(p, out, off)));
                CHECK(px_shape_inside(shape, px_mad(p, out, -off)));
            }
        }
    }
    px_mesh_free(ring);
    px_shape_free(shape);
}

/* Two unit boxes, one moved by (0.5, 0.3, 0.1): they share 0.5 x 0.7 x 0.9. Surfaces are cut as
 * fine as 1/400 of the mesh. */
TEST(overlapping_shells_are_a_union)
{
    PxMesh *box = mesh_box(px_vec(1, 1, 1)), *ball = mesh_ball(0.5, 24), *flat = NULL;
    PxShape *pair = shape_make_mesh(mesh_join(box, box, px_vec(0.5, 0.3, 0.1), false));
    double shared = 0.5 * 0.7 * 0.9, hidden = 2 * (0.5 * 0.7 + 0.7 * 0.9 + 0.9 * 0.5);
    CHECK_NEAR(px_shape_volume(pair), 2 - shared, 2e-3);
    CHECK_NEAR(px_shape_area(pair), 12 - hidden, 0.01 * 12);
    CHECK_NEAR(px_shape_thickness(pair), 1, 1e-6);
    PxRigidMass mass;
    CHECK_OK(px_rigid_mass(pair, 1000, &mass));
    CHECK_NEAR(mass.mass, 1000 * (2 - shared), 2);
    CHECK_NEAR(mass.centre.x, 0.25, 1e-3);
    CHECK_NEAR(mass.centre.y, 0.15, 1e-3);
    px_shape_free(pair);
    /* a box with a ball inside is that box; a rod through a box is longer than the box */
    PxShape *full = shape_make_mesh(mesh_join(box, ball, px_vec(0.01, 0, 0), false));
    CHECK_NEAR(px_shape_volume(full), 1, 2e-3);
    px_shape_free(full);
    flat = mesh_box(px_vec(3, 0.2, 0.2));
    PxShape *rod = shape_make_mesh(mesh_join(box, flat, px_vec(0, 0, 0), false));
    CHECK_NEAR(px_shape_volume(rod), 1 + 2 * 0.04, 2e-3);
    CHECK_NEAR(px_shape_thickness(rod), 0.2, 1e-6);
    px_shape_free(rod);
    /* parts that only have bounds in common, and cavities, keep their bits */
    PxShape *apart = shape_make_mesh(mesh_join(box, ball, px_vec(0.9, 0.9, 0.9), false));
    CHECK(px_shape_volume(apart) > 1.5);
    CHECK(apart->exposed == NULL);
    px_shape_free(apart);
    px_mesh_free(box);
    px_mesh_free(ball);
    px_mesh_free(flat);
}

TEST(thin_parts_of_a_mesh_are_found)
{
    PxMesh *box = mesh_box(px_vec(1, 1, 1)), *ear = mesh_box(px_vec(0.3, 1.5, 0.1));
    PxShape *shape = shape_make_mesh(mesh_join(box, ear, px_vec(0, 0.9, 0), false));
    PxVec3 at;
    double thick;
    CHECK(px_shape_thin(shape, 0.05, &at, &thick) == 0);
    CHECK(px_shape_thin(shape, 0.2, &at, &thick) > 0.05);
    CHECK_NEAR(thick, 0.1, 1e-6);
    CHECK(at.y > 0.5 && at.y < 1.65 && fabs(at.z) < 1e-6); /* above the box, half way through */
    px_shape_free(shape);
    px_mesh_free(box);
    px_mesh_free(ear);
}

TEST(cavities_are_outside_and_overlapping_parts_inside)
{
    PxMesh *outer = mesh_ball(1, 16), *inner = mesh_ball(0.5, 16);
    PxShape *hollow = shape_make_mesh(mesh_join(outer, inner, px_vec(0, 0, 0), true));
    CHECK(!px_shape_inside(hollow, px_vec(0, 0.1, 0)));
    CHECK(px_shape_inside(hollow, px_vec(0.1, 0.7, 0)));
    CHECK(!px_shape_inside(hollow, px_vec(0, 1.1, 0)));
    CHECK(px_shape_distance(hollow, px_vec(0, 0.1, 0), NULL) > 0.3);
    /* the wall is 0.5 thick but for the facets, which cut 1 - cos(pi / 16) of each radius */
    CHECK_NEAR(px_shape_thickness(hollow), 0.5, 0.03);
    px_shape_free(hollow);

    PxMesh *box = mesh_box(px_vec(1, 1, 1));
    PxShape *pair = shape_make_mesh(mesh_join(box, box, px_vec(0.5, 0.5, 0.5), false));
    CHECK(px_shape_inside(pair, px_vec(0.25, 0.25, 0.25)));
    CHECK(px_shape_inside(pair, px_vec(-0.4, -0.4, -0.4)));
    CHECK(px_shape_inside(pair, px_vec(0.9, 0.9, 0.9)));
    CHECK(!px_shape_inside(pair, px_vec(0.9, -0.4, 0)));
    px_shape_free(pair);
    px_mesh_free(box);
    px_mesh_free(outer);
    px_mesh_free(inner);
}

TEST(a_mesh_is_scaled_turned_and_moved)
{
    PxMesh *ring = mesh_torus(0.6, 0.25, 40, 20);
    PxShapeDef def = px_shape_def_default(PX_SHAPE_MESH);
    PxShape *plain, *moved;
    CHECK_OK(px_shape_create_from_mesh(&def, ring, "ring", &plain));
    def.scale = 0.01;
    def.at = px_vec(3, 2, 1);
    def.rotation = px_quat_turn(px_vec(1, 1, 0), 2);
    CHECK_OK(px_shape_create_from_mesh(&def, ring, "ring", &moved));
    for (uint64_t i = 0; i < 500; ++i) {
        PxVec3 p = random_point(i, 1), a, b;
        PxVec3 q = px_add(def.at, px_rotate(def.rotation, px_scale(p, 0.01)));
        /* coordinates about 3, rounded at 4e-16; cancellation leaves it whole */
        CHECK_NEAR(px_shape_distance(moved, q, &b), 0.01 * px_shape_distance(plain, p, &a), 1e-14);
        CHECK_NEAR(px_dot(px_rotate(def.rotation, a), b), 1, 1e-9);
    }
    CHECK_NEAR(px_shape_volume(moved), 1e-6 * px_shape_volume(plain), 1e-17);
    PxBounds bounds = px_shape_bounds(moved);
    for (uint32_t v = 0; v < ring->vertex_count; ++v) {
        PxVec3 q = px_add(def.at, px_rotate(def.rotation, px_scale(ring->position[v], 0.01)));
        CHECK(q.x >= bounds.low.x && q.y >= bounds.low.y && q.z >= bounds.low.z);
        CHECK(q.x <= bounds.high.x && q.y <= bounds.high.y && q.z <= bounds.high.z);
    }
    px_shape_free(plain);
    px_shape_free(moved);
    px_mesh_free(ring);
}

TEST(broken_meshes_are_refused_with_the_way_to_mend_them)
{
    PxShapeDef def = px_shape_def_default(PX_SHAPE_MESH);
    PxShape *shape;
    PxMesh *mesh = mesh_box(px_vec(1, 1, 1));
    mesh->triangle_count = 11;
    CHECK_FAILS(px_shape_create_from_mesh(&def, mesh, "box.obj", &shape), PX_ERR_FORMAT,
                "box.obj: the mesh is open: the edge of triangle");
    CHECK_FAILS(px_shape_create_from_mesh(&def, mesh, "box.obj", &shape), PX_ERR_FORMAT,
                "3 edges like this");
    CHECK(shape == NULL);
    px_mesh_free(mesh);

    mesh = mesh_box(px_vec(1, 1, 1));
    uint32_t swap = mesh->triangle[5][0];
    mesh->triangle[5][0] = mesh->triangle[5][1];
    mesh->triangle[5][1] = swap;
    CHECK_FAILS(px_shape_create_from_mesh(&def, mesh, "box.obj", &shape), PX_ERR_FORMAT,
                "not consistently oriented");
    px_mesh_free(mesh);

    PxMesh *box = mesh_box(px_vec(1, 1, 1)), *far_box = mesh_box(px_vec(2, 2, 2));
    mesh = mesh_join(far_box, box, px_vec(5, 0, 0), true);
    CHECK_FAILS(px_shape_create_from_mesh(&def, mesh, "pair.obj", &shape), PX_ERR_FORMAT,
                "a part of the mesh is inside out: triangle 1");
    px_mesh_free(mesh);

    for (uint32_t t = 0; t < 12; ++t) {
        swap = box->triangle[t][0];
        box->triangle[t][0] = box->triangle[t][1];
        box->triangle[t][1] = swap;
    }
    CHECK_FAILS(px_shape_create_from_mesh(&def, box, "box.obj", &shape), PX_ERR_FORMAT,
                "inside out: its volume comes out as -1 m^3; turn all");
    px_mesh_free(box);

    far_box->position[3].x = NAN;
    CHECK_FAILS(px_shape_create_from_mesh(&def, far_box, "far.obj", &shape), PX_ERR_FORMAT,
                "vertex 3 is (nan,");
    far_box->position[3].x = 1e51;
    CHECK_FAILS(px_shape_create_from_mesh(&def, far_box, "far.obj", &shape), PX_ERR_FORMAT,
                "must be below");
    far_box->position[3].x = 1;
    far_box->triangle[7][2] = 8;
    CHECK_FAILS(px_shape_create_from_mesh(&def, far_box, "far.obj", &shape), PX_ERR_FORMAT,
                "triangle 7 names vertex 8");
    px_mesh_free(far_box);

    /* a sheet folded onto itself */
    mesh = mesh_make(3, 2);
    mesh->position[1].x = mesh->position[2].y = 1;
    memcpy(mesh->triangle, (uint32_t[2][3]){{0, 1, 2}, {0, 2, 1}}, sizeof(uint32_t[2][3]));
    CHECK_FAILS(px_shape_create_from_mesh(&def, mesh, "sheet", &shape), PX_ERR_FORMAT,
                "encloses no volume");
    px_mesh_free(mesh);
    def = px_shape_def_default(PX_SHAPE_BOX);
    mesh = mesh_box(px_vec(1, 1, 1));
    CHECK_FAILS(px_shape_create_from_mesh(&def, mesh, "box", &shape), PX_ERR_ARGUMENT,
                "must be mesh");
    def = px_shape_def_default(PX_SHAPE_MESH);
    def.scale = 1e-60;
    CHECK_FAILS(px_shape_create_from_mesh(&def, mesh, "box", &shape), PX_ERR_ARGUMENT, "across");
    px_mesh_free(mesh);
}

TEST(triangles_without_area_do_no_harm)
{
    /* A box whose vertex 0 also splits the diagonal: two corners in one place,
     * and a triangle of three points in a line closing a T-junction. */
    PxMesh *box = mesh_box(px_vec(1, 1, 1));
    PxMesh *mesh = mesh_make(10, 16);
    memcpy(mesh->position, box->position, 8 * sizeof *mesh->position);
    memcpy(mesh->triangle, box->triangle, 12 * sizeof *mesh->triangle);
    uint32_t a = box->triangle[0][0], b = box->triangle[0][1], c = box->triangle[0][2];
    mesh->position[8] = px_scale(px_add(box->position[a], box->position[b]), 0.5);
    mesh->position[9] = box->position[a];
    uint32_t at = 12;
    mesh->triangle[0][1] = 8;          /* a, middle, c */
    mesh_triangle(mesh, &at, 8, b, c); /* middle, b, c */
    mesh_triangle(mesh, &at, a, b, 8); /* in a line: joins both to the edge a b */
    mesh_triangle(mesh, &at, a, 9, b); /* two corners in one place */
    mesh_triangle(mesh, &at, 9, 9, 9); /* all three */
    PxShape *shape = shape_make_mesh(mesh);
    CHECK_NEAR(px_shape_volume(shape), 1, 1e-15);
    CHECK_NEAR(px_shape_distance(shape, px_vec(0.2, 0.1, 0.9), NULL), 0.4, 1e-15);
    CHECK_NEAR(px_shape_distance(shape, px_vec(0.2, 0.1, 0.4), NULL), -0.1, 1e-15);
    px_shape_free(shape);
    px_mesh_free(box);
}

TEST_MAIN()
