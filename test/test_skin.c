/// Skins: points of a solid's surface that follow its particles.
#include "check.h"

#include "base/mat3.h"
#include "base/random.h"
#include "shape/refine.h"
#include "shape/shape.h"
#include "shape/shape_inner.h"
#include "surface/skin/skin.h"

#include <stdlib.h>
#include <time.h>

/* Particles of a shape at rest, and maps of them. */
typedef struct Body {
    PxShape *shape;
    uint32_t count;
    float *rest, *affine, *velocity;
    uint32_t *body;
    PxVec3 *rest_origin;
    PxSolidMaps maps;
    PxArena arena;
} Body;

static PxVec3 middle_of(const PxShape *shape)
{
    PxBounds b = px_shape_bounds(shape);
    return px_scale(px_add(b.low, b.high), 0.5);
}

static void body_make(Body *b, PxShape *shape, double spacing)
{
    PxPoints points;
    CHECK_OK(px_shape_fill(shape, PX_LATTICE_CUBIC, spacing, 1000000, &points));
    b->shape = shape;
    b->count = (uint32_t)points.count;
    b->rest = calloc(b->count, 4 * sizeof(float));
    b->affine = calloc(b->count, 12 * sizeof(float));
    b->velocity = calloc(b->count, 3 * sizeof(float));
    b->body = calloc(b->count, sizeof(uint32_t));
    b->rest_origin = calloc(1, sizeof(PxVec3));
    b->rest_origin[0] = middle_of(shape);
    for (uint32_t j = 0; j < b->count; ++j) {
        PxVec3 m = px_sub(points.position[j], b->rest_origin[0]);
        float *q = b->rest + 4 * (size_t)j;
        q[0] = (float)m.x;
        q[1] = (float)m.y;
        q[2] = (float)m.z;
        q[3] = (float)(3 * spacing);
    }
    px_points_free(&points);
    px_arena_init(&b->arena, NULL);
    b->maps = (PxSolidMaps){.count = b->count,
                            .rest = b->rest,
                            .affine = b->affine,
                            .velocity = b->velocity,
                            .body = b->body,
                            .origin = b->rest_origin[0],
                            .rest_origin = b->rest_origin,
                            .version = 1};
}

static void body_free(Body *b)
{
    px_shape_free(b->shape);
    free(b->rest);
    free(b->affine);
    free(b->velocity);
    free(b->body);
    free(b->rest_origin);
    px_arena_free(&b->arena);
}

/* x = origin + shift + J m for all particles alike. */
static void deform(Body *b, PxMat3 j, PxVec3 shift)
{
    for (uint32_t k = 0; k < b->count; ++k) {
        const float *q = b->rest + 4 * (size_t)k;
        float *to = b->affine + 12 * (size_t)k;
        PxVec3 x =
            px_add(shift, px_mat3_apply(j, px_vec((double)q[0], (double)q[1], (double)q[2])));
        for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 3; ++c)
                to[3 * r + c] = (float)j.m[r][c];
        to[9] = (float)x.x;
        to[10] = (float)x.y;
        to[11] = (float)x.z;
    }
}

/* Bent about z like a beam: not affine, so every particle has a different map. */
static void bend(Body *b, double curvature)
{
    for (uint32_t k = 0; k < b->count; ++k) {
        const float *q = b->rest + 4 * (size_t)k;
        double a = curvature * (double)q[0], r = 1 / curvature + (double)q[1];
        double s = sin(a), c = cos(a), stretch = curvature * r;
        const double j[9] = {stretch * c, s, 0, -stretch * s, c, 0, 0, 0, 1};
        float *to = b->affine + 12 * (size_t)k;
        for (int e = 0; e < 9; ++e)
            to[e] = (float)j[e];
        to[9] = (float)(r * s);
        to[10] = (float)(r * c - 1 / curvature);
        to[11] = q[2];
    }
}

static PxShape *box(double x, double y, double z)
{
    PxShapeDef def = px_shape_def_default(PX_SHAPE_BOX);
    PxShape *shape;
    def.size = px_vec(x, y, z);
    def.at = px_vec(3, -2, 1);
    CHECK_OK(px_shape_create(&def, &shape));
    return shape;
}

static PxVec3 vector_of(const PxTable *table, const char *name, int first, uint32_t i)
{
    const PxColumn *c = px_table_find(table, name);
    return px_vec((double)((const float *)c->data[first])[i],
                  (double)((const float *)c->data[first + 1])[i],
                  (double)((const float *)c->data[first + 2])[i]);
}

static float float_of(const PxTable *table, const char *name, uint32_t i)
{
    return ((const float *)px_table_find(table, name)->data[0])[i];
}

static const PxThreads one = {.count = 1}, two = {.count = 2}, three = {.count = 3};

static void bind_and_move(PxSkin *skin, Body *b, const PxThreads *threads)
{
    if (!skin->bound)
        CHECK_OK(px_skin_bind(skin, &b->maps, 0, threads, &b->arena));
    CHECK_OK(px_skin_deform(skin, &b->maps, threads));
}

/* Checks that points and tangents follow the affine map of `j` and `shift`, m. */
static void check_affine(const PxSkin *skin, const Body *b, PxMat3 j, PxVec3 shift, double least)
{
    double worst = 0, worst_tangent = 0, worst_normal = 0;
    for (uint32_t i = 0; i < skin->base.count; ++i) {
        PxVec3 m = px_add(vector_of(&skin->base, "rest", 0, i), skin->rest_origin);
        m = px_sub(m, b->rest_origin[0]);
        PxVec3 want = px_add(px_add(b->maps.origin, shift), px_mat3_apply(j, m));
        worst = fmax(worst, px_length(px_sub(want, vector_of(&skin->shown, "position", 0, i))));
        PxVec3 t[2];
        for (int a = 0; a < 2; ++a) {
            t[a] = px_mat3_apply(j, vector_of(&skin->base, "tangent", 3 * a, i));
            PxVec3 have = vector_of(&skin->shown, "tangent", 3 * a, i);
            worst_tangent = fmax(worst_tangent, px_length(px_sub(t[a], have)) /
                                                    (double)float_of(&skin->base, "radius", i));
        }
        PxVec3 n = px_normalized(px_cross(t[0], t[1]), px_vec(0, 0, 0));
        worst_normal =
            fmax(worst_normal, px_length(px_sub(n, vector_of(&skin->shown, "normal", 0, i))));
    }
    /* Places are floats of up to 4 m, half of whose last bit is 2.4e-7 m. */
    CHECK(worst <= 1e-6);
    CHECK(worst_tangent <= least);
    CHECK(worst_normal <= 1e-6 * 10);
}

TEST(rigid_and_affine_motions_move_points_and_tangents_exactly)
{
    Body b;
    body_make(&b, box(1, 0.4, 0.6), 0.1);
    PxSkin *surfels, *mesh;
    CHECK_OK(px_skin_create_surfels(b.shape, 3000, NULL, NULL, &surfels));
    CHECK_OK(px_skin_create_mesh(b.shape, 0.1, NULL, NULL, &mesh));
    CHECK(surfels->base.count > 2400 && surfels->base.count < 3600);
    CHECK_EQUAL(surfels->triangles, 0);
    CHECK(mesh->triangles > 1000);
    PxMat3 turn = px_mat3_from_quat(px_quat_turn(px_vec(1, 2, 3), 1.1));
    PxMat3 shear = {{{1.1, 0.2, -0.1}, {0, 0.9, 0.3}, {0.1, 0, 1.05}}};
    const PxMat3 maps[] = {px_mat3_identity(), turn, shear};
    for (size_t k = 0; k < PX_COUNT(maps); ++k) {
        PxVec3 shift = px_vec(0.3 * (double)k, -0.5 * (double)k, 0.1);
        deform(&b, maps[k], shift);
        bind_and_move(surfels, &b, &two);
        bind_and_move(mesh, &b, &two);
        CHECK_EQUAL(surfels->shown.count, surfels->base.count);
        CHECK_EQUAL(mesh->shown.count, mesh->base.count);
        check_affine(surfels, &b, maps[k], shift, 1e-6);
        check_affine(mesh, &b, maps[k], shift, 1e-6);
    }
    px_skin_free(surfels);
    px_skin_free(mesh);
    body_free(&b);
}

TEST(every_point_hangs_on_a_dozen_particles)
{
    Body b;
    body_make(&b, box(1, 0.8, 0.6), 0.05);
    PxSkin *skin;
    CHECK_OK(px_skin_create_surfels(b.shape, 20000, NULL, NULL, &skin));
    CHECK_OK(px_skin_bind(skin, &b.maps, 0, &two, &b.arena));
    uint32_t least = UINT32_MAX, most = 0;
    double mean = 0;
    for (uint32_t i = 0; i < skin->base.count; ++i) {
        uint32_t links = skin->start[i + 1] - skin->start[i];
        double sum = 0;
        least = links < least ? links : least;
        most = links > most ? links : most;
        mean += (double)links / skin->base.count;
        for (uint32_t k = skin->start[i]; k < skin->start[i + 1]; ++k)
            sum += (double)skin->link[k].weight;
        CHECK_NEAR(sum, 1, 1e-6);
    }
    CHECK(least >= 4);
    CHECK(mean > 8 && mean < 16);
    CHECK(most <= 24);
    px_skin_free(skin);
    body_free(&b);
}

/* The skin of a bent beam between its particles: the interpolation is of first order, so the error
 * is of second order in spacing over bending radius. */
TEST(between_particles_a_bend_is_followed)
{
    Body b;
    body_make(&b, box(2, 0.3, 0.3), 0.05);
    PxSkin *skin;
    CHECK_OK(px_skin_create_surfels(b.shape, 5000, NULL, NULL, &skin));
    double curvature = 0.8;
    bend(&b, curvature);
    bind_and_move(skin, &b, &two);
    double worst = 0;
    for (uint32_t i = 0; i < skin->base.count; ++i) {
        PxVec3 m = vector_of(&skin->base, "rest", 0, i);
        double a = curvature * m.x, r = 1 / curvature + m.y;
        PxVec3 want = px_add(b.maps.origin, px_vec(r * sin(a), r * cos(a) - 1 / curvature, m.z));
        if (skin->level[i] == 0)
            worst = fmax(worst, px_length(px_sub(want, vector_of(&skin->shown, "position", 0, i))));
    }
    /* half of curvature times the mean square of the distance, about (1.2 spacings)^2 */
    CHECK(worst < 0.5 * curvature * 1.5 * 1.5 * 0.05 * 0.05);
    px_skin_free(skin);
    body_free(&b);
}

static void hash_shown(const PxSkin *skin, uint64_t hash[2])
{
    px_table_hash(&skin->shown, PX_COLUMN_FRAME, hash);
}

static PxMat3 stretched(double x, double y, double z)
{
    return px_mat3_diagonal(px_vec(x, y, z));
}

TEST(a_stretched_and_released_solid_has_the_same_surfels_to_the_bit)
{
    Body b;
    body_make(&b, box(1, 0.4, 0.6), 0.1);
    PxSkin *skin;
    CHECK_OK(px_skin_create_surfels(b.shape, 4000, NULL, NULL, &skin));
    deform(&b, px_mat3_identity(), px_vec(0, 0, 0));
    bind_and_move(skin, &b, &two);
    uint64_t rest[2], again[2];
    hash_shown(skin, rest);
    uint32_t base = skin->base.count;
    CHECK_EQUAL(skin->shown.count, base);
    uint32_t before = base;
    static const double way[] = {1.4, 1.8, 3, 8, 2.5, 1};
    for (size_t k = 0; k < PX_COUNT(way); ++k) {
        deform(&b, stretched(way[k], 1, 1), px_vec(0, 0, 0));
        CHECK_OK(px_skin_deform(skin, &b.maps, &two));
        CHECK(k == 0 || (skin->shown.count > before) == (way[k] > way[k - 1]));
        before = skin->shown.count;
    }
    hash_shown(skin, again);
    CHECK_EQUAL(skin->shown.count, base);
    CHECK(memcmp(rest, again, sizeof rest) == 0);
    px_skin_free(skin);
    body_free(&b);
}

TEST(a_stretched_plane_has_no_holes)
{
    static const double ways[][3] = {{1, 1, 1},   {1.45, 1, 1}, {1.6, 1, 1}, {3, 1, 1},
                                     {3, 1, 0.6}, {2, 1, 2},    {3, 1, 2},   {12, 1, 1}};
    Body b;
    body_make(&b, box(1, 0.2, 1), 0.1);
    PxSkin *skin;
    CHECK_OK(px_skin_create_surfels(b.shape, 1500, NULL, NULL, &skin));
    for (size_t w = 0; w < PX_COUNT(ways); ++w) {
        PxMat3 j = stretched(ways[w][0], ways[w][1], ways[w][2]);
        deform(&b, j, px_vec(0, 0, 0));
        bind_and_move(skin, &b, &two);
        const PxTable *s = &skin->shown;
        double widest = 0, at_rest = (double)float_of(&skin->base, "radius", 0);
        for (uint32_t k = 0; k < s->count; ++k)
            widest = fmax(widest, (double)float_of(s, "radius", k));
        /* Discs grow less than the stretch, because they are split. */
        double longest = fmax(ways[w][0], ways[w][2]);
        if (longest >= 3)
            CHECK(widest < 0.75 * longest * at_rest);
        for (uint64_t k = 0; k < 400; ++k) {
            PxVec3 m = px_vec(px_random_unit(k, 0, 1) - 0.5, 0.1, px_random_unit(k, 0, 2) - 0.5);
            PxVec3 p = px_add(b.maps.origin, px_mat3_apply(j, m));
            bool covered = false;
            for (uint32_t i = 0; i < s->count && !covered; ++i) {
                /* 1e-6: places are floats */
                double r = (double)float_of(s, "radius", i) + 1e-6;
                PxVec3 d = px_sub(p, vector_of(s, "position", 0, i));
                covered = px_dot(d, d) <= r * r;
            }
            CHECK(covered);
        }
    }
    px_skin_free(skin);
    body_free(&b);
}

TEST(any_number_of_threads_gives_the_same_bits)
{
    Body b;
    body_make(&b, box(1, 0.4, 0.6), 0.08);
    uint64_t hash[3][2];
    const PxThreads *threads[] = {&one, &two, &three};
    for (int k = 0; k < 3; ++k) {
        PxSkin *skin;
        CHECK_OK(px_skin_create_surfels(b.shape, 6000, NULL, NULL, &skin));
        bend(&b, 4); /* 1.8 times as long on the outside */
        bind_and_move(skin, &b, threads[k]);
        CHECK(skin->shown.count > skin->base.count);
        hash_shown(skin, hash[k]);
        px_skin_free(skin);
    }
    CHECK(memcmp(hash[0], hash[1], sizeof hash[0]) == 0);
    CHECK(memcmp(hash[0], hash[2], sizeof hash[0]) == 0);
    body_free(&b);
}

/* Bent by polynomials: libm may differ from machine to machine. */
static void warp(Body *b)
{
    for (uint32_t k = 0; k < b->count; ++k) {
        const float *q = b->rest + 4 * (size_t)k;
        float *to = b->affine + 12 * (size_t)k;
        const float j[9] = {1.0f + 2.0f * q[0], 0.3f, 0.0f,        -0.8f * q[0], 1.1f,
                            0.2f * q[2],        0.0f, 0.5f * q[1], 0.9f};
        memcpy(to, j, sizeof j);
        to[9] = q[0] + q[0] * q[0] + 0.3f * q[1];
        to[10] = 1.1f * q[1] - 0.4f * q[0] * q[0] + 0.1f * q[2] * q[2];
        to[11] = 0.9f * q[2] + 0.25f * q[1] * q[1];
    }
}

TEST(every_compiler_and_instruction_set_gives_the_same_bits)
{
    Body b;
    body_make(&b, box(1, 0.4, 0.6), 0.1);
    PxSkin *skin;
    CHECK_OK(px_skin_create_surfels(b.shape, 2000, NULL, NULL, &skin));
    warp(&b);
    bind_and_move(skin, &b, &two);
    CHECK(skin->shown.count > skin->base.count);
    uint64_t hash[2];
    hash_shown(skin, hash);
    /* gcc 12 and clang 14, AVX2 and PHYXEL_ISA=base; changes when skins do */
    if (hash[0] != 0xaacbbc925141932bu || hash[1] != 0xd9e4b1a30ed67803u)
        fail_msg("the hash is 0x%016llx 0x%016llx", (unsigned long long)hash[0],
                 (unsigned long long)hash[1]);
    px_skin_free(skin);
    body_free(&b);
}

/* A rest-shape update moves no surfel: the old rest shape with its maps and the new one at rest
 * give the same surfels up to rounding. */
TEST(absorbing_a_deformation_leaves_the_skin_where_it_is)
{
    Body b;
    body_make(&b, box(1, 0.4, 0.6), 0.1);
    PxSkin *skin;
    CHECK_OK(px_skin_create_surfels(b.shape, 3000, NULL, NULL, &skin));
    PxMat3 shear = {{{2.2, 0.2, -0.1}, {0, 0.9, 0.3}, {0.1, 0, 0.7}}};
    deform(&b, shear, px_vec(0.5, 0.25, -0.125));
    bind_and_move(skin, &b, &two);
    uint32_t count = skin->shown.count;
    CHECK(count > skin->base.count);
    PxVec3 *before = malloc(count * sizeof *before);
    for (uint32_t k = 0; k < count; ++k)
        before[k] = vector_of(&skin->shown, "position", 0, k);
    px_skin_absorb(skin, &b.maps, &two);
    CHECK(skin->absorbed && !skin->bound);
    for (uint32_t k = 0; k < b.count; ++k)
        memcpy(b.rest + 4 * (size_t)k, b.affine + 12 * (size_t)k + 9, 3 * sizeof(float));
    deform(&b, px_mat3_identity(), px_vec(0, 0, 0));
    ++b.maps.version;
    bind_and_move(skin, &b, &two);
    CHECK_EQUAL(skin->shown.count, count);
    for (uint32_t k = 0; k < count; ++k)
        CHECK(px_length(px_sub(before[k], vector_of(&skin->shown, "position", 0, k))) < 2e-6);
    free(before);
    px_skin_free(skin);
    body_free(&b);
}

TEST(velocities_are_carried_and_a_body_without_particles_has_no_skin)
{
    Body b;
    body_make(&b, box(1, 0.4, 0.6), 0.1);
    PxSkin *skin;
    CHECK_OK(px_skin_create_surfels(b.shape, 500, NULL, NULL, &skin));
    deform(&b, px_mat3_identity(), px_vec(0, 0, 0));
    for (uint32_t k = 0; k < b.count; ++k)
        b.velocity[3 * (size_t)k + 1] = -2.5f;
    bind_and_move(skin, &b, &two);
    for (uint32_t i = 0; i < skin->shown.count; ++i)
        CHECK_NEAR(vector_of(&skin->shown, "velocity", 0, i).y, -2.5, 1e-6);
    b.maps.version = 2;
    for (uint32_t k = 0; k < b.count; ++k)
        b.body[k] = 7;
    CHECK_OK(px_skin_bind(skin, &b.maps, 0, &two, &b.arena));
    CHECK_OK(px_skin_deform(skin, &b.maps, &two));
    CHECK_EQUAL(skin->shown.count, 0);
    px_skin_free(skin);
    body_free(&b);
}

TEST(particles_of_very_different_sizes_all_have_their_say)
{
    /* coarse on the left, an eighth as far apart on the right */
    Body b, fine;
    body_make(&b, box(1, 0.4, 0.4), 0.1);
    body_make(&fine, box(1, 0.4, 0.4), 0.0125);
    uint32_t count = 0;
    float *rest = calloc(b.count + fine.count, 4 * sizeof(float));
    for (uint32_t k = 0; k < b.count; ++k)
        if (b.rest[4 * (size_t)k] < 0)
            memcpy(rest + 4 * (size_t)count++, b.rest + 4 * (size_t)k, 4 * sizeof(float));
    for (uint32_t k = 0; k < fine.count; ++k)
        if (fine.rest[4 * (size_t)k] > 0)
            memcpy(rest + 4 * (size_t)count++, fine.rest + 4 * (size_t)k, 4 * sizeof(float));
    free(fine.rest);
    fine.rest = rest;
    fine.maps.rest = rest;
    fine.maps.count = fine.count = count;
    PxMat3 shear = {{{1.1, 0.2, -0.1}, {0, 0.9, 0.3}, {0.1, 0, 1.05}}};
    free(fine.affine);
    fine.maps.affine = fine.affine = calloc(count, 12 * sizeof(float));
    deform(&fine, shear, px_vec(0.5, 0, 0));
    PxSkin *skin;
    CHECK_OK(px_skin_create_surfels(b.shape, 2000, NULL, NULL, &skin));
    free(fine.velocity);
    fine.velocity = NULL;
    fine.maps.velocity = NULL;
    free(fine.body);
    fine.maps.body = fine.body = calloc(count, sizeof(uint32_t));
    bind_and_move(skin, &fine, &two);
    check_affine(skin, &fine, shear, px_vec(0.5, 0, 0), 1e-6);
    for (uint32_t i = 0; i < skin->base.count; ++i) {
        uint32_t links = skin->start[i + 1] - skin->start[i];
        CHECK(links >= 4 && links <= 64);
    }
    px_skin_free(skin);
    body_free(&b);
    body_free(&fine);
}

/* ---- paint ---- */

/* A cube whose corners are coloured by where they are. */
static PxShape *painted_cube(bool uv)
{
    PxMesh *mesh;
    CHECK_OK(px_mesh_create(8, 12, PX_MESH_COLOUR | (uv ? PX_MESH_UV : 0), &mesh));
    for (uint32_t k = 0; k < 8; ++k) {
        PxVec3 at = px_vec(k & 1, k >> 1 & 1, k >> 2);
        mesh->position[k] = at;
        mesh->colour[k] = at;
        if (uv)
            mesh->uv[k] = (PxUv){at.x, at.y};
    }
    static const uint32_t face[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                         {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                         {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    memcpy(mesh->triangle, face, sizeof face);
    PxShapeDef def = px_shape_def_default(PX_SHAPE_MESH);
    def.scale = 2;
    def.at = px_vec(1, 2, 3);
    def.rotation = px_quat_turn(px_vec(0, 1, 0), 0.5);
    PxShape *shape;
    CHECK_OK(px_shape_create_from_mesh(&def, mesh, "cube", &shape));
    px_mesh_free(mesh);
    return shape;
}

TEST(colours_of_vertices_are_kept)
{
    PxShape *shape = painted_cube(false);
    PxSkin *skin[2];
    CHECK_OK(px_skin_create_surfels(shape, 2000, NULL, NULL, &skin[0]));
    CHECK_OK(px_skin_create_mesh(shape, 0.2, NULL, NULL, &skin[1]));
    for (int k = 0; k < 2; ++k) {
        CHECK(skin[k]->painted);
        for (uint32_t i = 0; i < skin[k]->base.count; ++i) {
            PxVec3 at = px_add(vector_of(&skin[k]->base, "rest", 0, i), skin[k]->rest_origin);
            PxVec3 own = px_scale(px_shape_to_own(shape, at), 0.5); /* the scale is 2 */
            PxVec3 colour = vector_of(&skin[k]->shown, "colour", 0, i);
            CHECK(px_length(px_sub(own, colour)) < 1e-6);
        }
        px_skin_free(skin[k]);
    }
    px_shape_free(shape);
}

/* Left half red, right half blue; the upper half darker. */
static PxTexture flag(uint8_t pixel[4 * 4 * 3])
{
    for (int y = 0; y < 4; ++y)
        for (int x = 0; x < 4; ++x) {
            uint8_t *p = pixel + 3 * (4 * y + x);
            p[0] = x < 2 ? (y < 2 ? 100 : 200) : 0;
            p[1] = 0;
            p[2] = x < 2 ? 0 : (y < 2 ? 100 : 200);
        }
    return (PxTexture){4, 4, pixel};
}

TEST(a_texture_is_looked_up_where_its_coordinates_say)
{
    uint8_t pixel[48];
    PxTexture texture = flag(pixel);
    PxVec3 low_left = px_texture_at(&texture, (PxUv){0.25, 0.25});
    CHECK_NEAR(low_left.x, 200 / 255.0, 1e-12);
    CHECK_NEAR(px_texture_at(&texture, (PxUv){0.25, 0.75}).x, 100 / 255.0, 1e-12);
    CHECK_NEAR(px_texture_at(&texture, (PxUv){0.75, 0.25}).z, 200 / 255.0, 1e-12);
    CHECK_NEAR(px_texture_at(&texture, (PxUv){-0.75, 7.25}).x, 200 / 255.0, 1e-12);
    CHECK_NEAR(px_texture_at(&texture, (PxUv){0.5, 0.25}).x, 100 / 255.0, 1e-12);
    CHECK(px_finite(px_texture_at(&texture, (PxUv){NAN, 1e300})));

    PxShape *shape = painted_cube(true);
    PxSkin *skin;
    CHECK_OK(px_skin_create_surfels(shape, 3000, &texture, NULL, &skin));
    for (uint32_t i = 0; i < skin->base.count; ++i) {
        PxVec3 at = px_add(vector_of(&skin->base, "rest", 0, i), skin->rest_origin);
        PxVec3 own = px_scale(px_shape_to_own(shape, at), 0.5);
        PxVec3 want = px_texture_at(&texture, (PxUv){own.x, own.y});
        /* four pixels across: a colour changes by 200 / 255 over a quarter */
        CHECK(px_length(px_sub(want, vector_of(&skin->shown, "colour", 0, i))) < 1e-5);
    }
    px_skin_free(skin);
    px_shape_free(shape);
    shape = painted_cube(false);
    CHECK_FAILS(px_skin_create_surfels(shape, 100, &texture, NULL, &skin), PX_ERR_ARGUMENT,
                "texture coordinates");
    px_shape_free(shape);
}

TEST(triangles_are_cut_until_they_can_bend_and_stay_closed)
{
    PxShape *shape = painted_cube(true);
    PxMesh *normals, *fine;
    CHECK_OK(px_mesh_smooth_normals(shape->mesh, &normals));
    CHECK_EQUAL(normals->vertex_count, 24); /* three a corner: all edges are sharp */
    CHECK_OK(px_mesh_refine(normals, 0.3, 1000000, &fine));
    CHECK_NEAR(px_mesh_volume(fine), 8, 1e-9);
    CHECK_NEAR(px_mesh_area(fine), 24, 1e-9);
    double longest = 0;
    for (uint32_t t = 0; t < fine->triangle_count; ++t)
        for (int k = 0; k < 3; ++k)
            longest = fmax(longest, px_length(px_sub(px_mesh_corner(fine, t, k),
                                                     px_mesh_corner(fine, t, (k + 1) % 3))));
    CHECK(longest <= 0.3);
    uint32_t *weld = malloc(fine->vertex_count * sizeof *weld);
    uint32_t *edge = malloc(3 * (size_t)fine->triangle_count * sizeof *edge), edges;
    CHECK_OK(px_mesh_weld(fine, weld));
    CHECK_OK(px_mesh_edges(fine, weld, edge, &edges));
    CHECK_EQUAL(2 * edges, 3 * fine->triangle_count); /* every edge has two triangles */
    free(weld);
    free(edge);
    px_mesh_free(normals);
    px_mesh_free(fine);
    px_shape_free(shape);
}

/* ---- time ---- */

/* CPU time of this thread if there is one, wall-clock time if there are several, s. */
static double seconds(int threads)
{
    struct timespec now;
    clock_gettime(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* 465k surfels over 2.7k particles, as the octopus of 000 has them. Prints; run by name. */
TEST(timing_of_many_surfels)
{
    if (getenv("PHYXEL_TIMING") == NULL)
        return;
    Body b;
    body_make(&b, box(1, 1, 1), 1 / 14.0);
    PxSkin *skin;
    CHECK_OK(px_skin_create_surfels(b.shape, 465000, NULL, NULL, &skin));
    for (int k = 0; k < 4; ++k) {
        int threads = 1 + k % 2;
        PxThreads t = {.count = threads};
        bend(&b, k < 2 ? 0.5 : 1.5);
        double began = seconds(threads);
        CHECK_OK(px_skin_bind(skin, &b.maps, 0, &t, &b.arena));
        double bound = seconds(threads) - began, least = INFINITY;
        for (int n = 0; n < 20; ++n) {
            began = seconds(threads);
            CHECK_OK(px_skin_deform(skin, &b.maps, &t));
            least = fmin(least, seconds(threads) - began);
        }
        printf("%u surfels (%u shown), %u particles, %.1f links, %d threads: bound in %.0f ms, "
               "moved in %.2f ms, %.1f ns a surfel; %.0f MB\n",
               skin->base.count, skin->shown.count, b.count,
               skin->start[skin->base.count] / (double)skin->base.count, threads, 1e3 * bound,
               1e3 * least, 1e9 * least / skin->base.count, (double)px_skin_bytes(skin) / 1e6);
    }
    px_skin_free(skin);
    body_free(&b);
}

TEST_MAIN()
