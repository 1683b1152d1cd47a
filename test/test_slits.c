/// Open cracks in skins: the skin is cut along the sheets, both faces follow their own side.
#include "check.h"

#include "shape/shape.h"
#include "surface/skin/slits.h"

#include <stdlib.h>

#define SPACING 0.1

/* A box of 1.2 x 0.8 x 0.6 m of particles, its skin, and cracks. */
typedef struct Body {
    PxSkin *skin;
    PxSkinSlits slits;
    PxCracks cracks;
    uint32_t count;
    float *rest, *affine, *cell;
    uint32_t *body, *piece;
    PxSolidMaps maps;
    PxArena arena;
} Body;

static void body_make(Body *b)
{
    PxShapeDef def = px_shape_def_default(PX_SHAPE_BOX);
    PxShape *shape;
    PxPoints points;
    *b = (Body){.skin = NULL};
    def.size = px_vec(1.2, 0.8, 0.6);
    CHECK_OK(px_shape_create(&def, &shape));
    CHECK_OK(px_shape_fill(shape, PX_LATTICE_CUBIC, SPACING, 10000, &points));
    CHECK_OK(px_skin_create_mesh(shape, SPACING, NULL, NULL, &b->skin));
    px_shape_free(shape);
    b->count = (uint32_t)points.count;
    b->rest = calloc(b->count, 4 * sizeof(float));
    b->affine = calloc(b->count, 12 * sizeof(float));
    b->cell = calloc(b->count, sizeof(float));
    b->body = calloc(b->count, sizeof(uint32_t));
    b->piece = calloc(b->count, sizeof(uint32_t));
    for (uint32_t j = 0; j < b->count; ++j) {
        b->rest[4 * j] = (float)points.position[j].x;
        b->rest[4 * j + 1] = (float)points.position[j].y;
        b->rest[4 * j + 2] = (float)points.position[j].z;
        b->rest[4 * j + 3] = (float)(2.5 * SPACING);
        b->cell[j] = (float)SPACING;
    }
    px_points_free(&points);
    px_arena_init(&b->arena, NULL);
    b->maps = (PxSolidMaps){.count = b->count,
                            .rest = b->rest,
                            .affine = b->affine,
                            .body = b->body,
                            .piece = b->piece,
                            .cell = b->cell,
                            .version = 1};
}

static void body_free(Body *b)
{
    px_skin_slits_free(&b->slits);
    px_skin_free(b->skin);
    px_cracks_free(&b->cracks);
    free(b->rest);
    free(b->affine);
    free(b->cell);
    free(b->body);
    free(b->piece);
    px_arena_free(&b->arena);
}

/* A sheet in the plane of u and v, of n x m squares of half a spacing; `front`: its last edge is
 * one. Every second square is turned over, as where fronts have merged. */
static void add_sheet(Body *b, PxVec3 from, PxVec3 u, PxVec3 v, uint32_t n, uint32_t m, bool front)
{
    PxCracks *c = &b->cracks;
    uint32_t first = (uint32_t)c->vertices.count, crack = (uint32_t)c->list.count, made;
    CHECK(PX_LIST_RESERVE(&c->list, 1));
    c->list.data[c->list.count++] = (PxCrack){.body = 0};
    for (uint32_t k = 0; k <= m; ++k)
        for (uint32_t i = 0; i <= n; ++i)
            CHECK(px_crack_add_vertex(c, px_mad(px_mad(from, u, i), v, k), &made));
    for (uint32_t k = 0; k < m; ++k)
        for (uint32_t i = 0; i < n; ++i) {
            uint32_t at = first + i + (n + 1) * k, up = at + n + 1;
            bool turned = (i + k) % 2 == 1;
            CHECK(px_crack_add_triangle(c, crack, at, turned ? up : at + 1, turned ? at + 1 : up));
            CHECK(px_crack_add_triangle(c, crack, at + 1, turned ? up : up + 1,
                                        turned ? up + 1 : up));
        }
    for (uint32_t i = 0; i <= n && front; ++i) {
        CHECK(PX_LIST_RESERVE(&c->nodes, 1));
        uint32_t vertex = first + i + (n + 1) * m;
        c->nodes.data[c->nodes.count++] = (PxCrackNode){.vertex = vertex,
                                                        .base = vertex - n - 1,
                                                        .crack = crack,
                                                        .kind = i % n == 0 ? PX_NODE_END : 0};
    }
}

/* Moves particle j by `by`, its map being the identity. */
static void move_particle(Body *b, uint32_t j, PxVec3 by)
{
    float *to = b->affine + 12 * (size_t)j;
    for (int k = 0; k < 9; ++k)
        to[k] = k % 4 == 0 ? 1.0f : 0.0f;
    to[9] = b->rest[4 * j] + (float)by.x;
    to[10] = b->rest[4 * j + 1] + (float)by.y;
    to[11] = b->rest[4 * j + 2] + (float)by.z;
}

static const PxSkin *show(Body *b, int threads)
{
    PxThreads many = {.count = threads};
    CHECK_OK(px_skin_slits_update(&b->slits, b->skin, 1, &b->maps, 0, &b->cracks, 1,
                                  px_vec(0, 0, 0), &b->arena));
    CHECK(b->slits.skin != NULL);
    CHECK_OK(px_skin_bind(b->slits.skin, &b->maps, 0, &many, &b->arena));
    CHECK_OK(px_skin_deform(b->slits.skin, &b->maps, &many));
    return b->slits.skin;
}

static PxVec3 vector_of(const PxTable *table, const char *name, uint32_t k)
{
    const PxColumn *c = px_table_find(table, name);
    float *const *x = (float *const *)c->data;
    return px_vec((double)x[0][k], (double)x[1][k], (double)x[2][k]);
}

static double area_of(const PxSkin *skin, bool inside)
{
    double area = 0;
    for (uint32_t t = 0; t < skin->triangles; ++t) {
        const uint32_t *v = skin->triangle[t];
        PxVec3 x = vector_of(&skin->base, "rest", v[0]);
        if ((skin->inside[v[0]] != 0) == inside)
            area += 0.5 * px_length(px_cross(px_sub(vector_of(&skin->base, "rest", v[1]), x),
                                             px_sub(vector_of(&skin->base, "rest", v[2]), x)));
    }
    return area;
}

/* Largest growth of an edge of a triangle, m. */
static double worst_edge(const PxSkin *skin)
{
    double worst = 0;
    for (uint32_t t = 0; t < skin->triangles; ++t)
        for (int k = 0; k < 3; ++k) {
            uint32_t i = skin->triangle[t][k], j = skin->triangle[t][(k + 1) % 3];
            double now = px_length(px_sub(vector_of(&skin->shown, "position", i),
                                          vector_of(&skin->shown, "position", j)));
            double was = px_length(
                px_sub(vector_of(&skin->base, "rest", i), vector_of(&skin->base, "rest", j)));
            worst = fmax(worst, now - was);
        }
    return worst;
}

#define PLANE 0.013

/* A crack from below, to half of the height, in the plane x = PLANE. Its rims are 0.03 m short of
 * the edges of the body. */
static void crack_from_below(Body *b)
{
    double half = 0.5 * SPACING;
    add_sheet(b, px_vec(PLANE, -0.37, -0.275), px_vec(0, 0, half), px_vec(0, half, 0), 11, 8, true);
    for (uint32_t j = 0; j < b->count; ++j) {
        double below = fmax(0.03 - (double)b->rest[4 * j + 1], 0);
        bool left = (double)b->rest[4 * j] < PLANE;
        move_particle(b, j, px_vec(left ? -below : below, 0, 0));
        if (below > 0)
            b->affine[12 * j + 1] = left ? 1.0f : -1.0f;
    }
}

TEST(a_crack_gapes_as_wide_as_its_matter_and_closes_at_its_front)
{
    Body b;
    body_make(&b);
    crack_from_below(&b);
    const PxSkin *skin = show(&b, 2);
    uint32_t faces = 0, deep = 0;
    double tip = 0;
    for (uint32_t k = 0; k < skin->base.count; ++k) {
        PxVec3 rest = vector_of(&skin->base, "rest", k);
        PxVec3 now = vector_of(&skin->shown, "position", k);
        if (!skin->inside[k])
            continue;
        ++faces;
        CHECK_NEAR(rest.x, PLANE, 1e-6);
        CHECK(fabs(rest.y) < 0.4001 && fabs(rest.z) < 0.3001);
        if (rest.y > 0.0299)
            tip = fmax(tip, fabs(now.x - rest.x));
        if (rest.y < -0.25) { /* opaque: each face moves with its own side alone */
            double below = 0.03 - rest.y;
            ++deep;
            CHECK_NEAR(fabs(now.x - rest.x), below, 1e-5);
        }
    }
    CHECK(faces > 150 && deep > 50);
    /* weights of both sides are the same at the front, up to the lattice's offset from it */
    CHECK(tip < 0.2 * SPACING);
    /* both faces, widened to the edges of the body: 0.6 m wide, 0.43 m high */
    CHECK_NEAR(area_of(skin, true), 2 * 0.6 * 0.43, 0.02 * 2 * 0.6 * 0.43);
    CHECK_NEAR(area_of(skin, false), 2 * (1.2 * 0.8 + 0.8 * 0.6 + 1.2 * 0.6), 1e-3);
    /* no triangle bridges the gap of 0.86 m */
    double worst = worst_edge(skin);
    if (!(worst < 0.1))
        fail_msg("an edge grew by %g m", worst);
    body_free(&b);
}

TEST(where_cracks_cross_all_four_quarters_part)
{
    Body b;
    double half = 0.5 * SPACING;
    body_make(&b);
    add_sheet(&b, px_vec(PLANE, -0.5, -0.4), px_vec(0, 0, half), px_vec(0, half, 0), 16, 20, false);
    add_sheet(&b, px_vec(-0.7, 0.021, -0.4), px_vec(0, 0, half), px_vec(half, 0, 0), 16, 28, false);
    for (uint32_t j = 0; j < b.count; ++j)
        move_particle(&b, j,
                      px_vec((double)b.rest[4 * j] < PLANE ? -1 : 1,
                             (double)b.rest[4 * j + 1] < 0.021 ? -1 : 1, 0));
    const PxSkin *skin = show(&b, 1);
    for (uint32_t k = 0; k < skin->base.count; ++k) {
        PxVec3 rest = vector_of(&skin->base, "rest", k);
        PxVec3 by = px_sub(vector_of(&skin->shown, "position", k), rest);
        /* every point moves as one of the quarters */
        CHECK_NEAR(fabs(by.x), 1, 1e-5);
        CHECK_NEAR(fabs(by.y), 1, 1e-5);
        if (k >= b.skin->base.count)
            continue;
        if (fabs(rest.x - PLANE) > 1e-3)
            CHECK((by.x > 0) == (rest.x > PLANE));
        if (fabs(rest.y - 0.021) > 1e-3)
            CHECK((by.y > 0) == (rest.y > 0.021));
    }
    CHECK(worst_edge(skin) < 1e-4);
    body_free(&b);
}

TEST(far_from_cracks_the_skin_is_the_same_and_threads_do_not_matter)
{
    Body b;
    uint64_t hash[3][2];
    body_make(&b);
    crack_from_below(&b);
    PxThreads one = {.count = 1};
    CHECK_OK(px_skin_bind(b.skin, &b.maps, 0, &one, &b.arena));
    CHECK_OK(px_skin_deform(b.skin, &b.maps, &one));
    for (int threads = 1; threads <= 3; ++threads) {
        px_skin_slits_free(&b.slits);
        const PxSkin *skin = show(&b, threads);
        px_table_hash(&skin->shown, PX_COLUMN_FRAME, hash[threads - 1]);
        CHECK(hash[threads - 1][0] == hash[0][0] && hash[threads - 1][1] == hash[0][1]);
        for (uint32_t k = 0; k < b.skin->base.count; ++k)
            if (fabs(vector_of(&b.skin->base, "rest", k).x) > 0.25) {
                PxVec3 a = vector_of(&b.skin->shown, "position", k);
                PxVec3 c = vector_of(&skin->shown, "position", k);
                CHECK_NEAR(px_length(px_sub(a, c)), 0, 1e-6);
            }
    }
    body_free(&b);
}

/* The same with surfels. */
TEST(surfels_cover_both_faces_and_follow_their_side)
{
    Body b;
    PxShape *shape;
    PxShapeDef def = px_shape_def_default(PX_SHAPE_BOX);
    body_make(&b);
    px_skin_free(b.skin);
    def.size = px_vec(1.2, 0.8, 0.6);
    CHECK_OK(px_shape_create(&def, &shape));
    CHECK_OK(px_skin_create_surfels(shape, 3000, NULL, NULL, &b.skin));
    px_shape_free(shape);
    crack_from_below(&b);
    const PxSkin *skin = show(&b, 2);
    uint32_t own = b.skin->base.count;
    double area = 0;
    CHECK(skin->triangles == 0 && skin->base.count > own);
    for (uint32_t k = 0; k < skin->base.count; ++k) {
        PxVec3 rest = vector_of(&skin->base, "rest", k);
        PxVec3 by = px_sub(vector_of(&skin->shown, "position", k), rest);
        double below = fmax(0.03 - rest.y, 0);
        if (k >= own) {
            PxVec3 normal = vector_of(&skin->shown, "normal", k);
            double r = (double)((const float *)px_table_find(&skin->base, "radius")->data[0])[k];
            CHECK_NEAR(rest.x, PLANE, 1e-6);
            CHECK(rest.y > -0.4 && fabs(rest.z) < 0.3);
            area += r * r;
            if (rest.y < -0.2) /* the face on the left looks to the right and moves left */
                CHECK_NEAR(by.x, normal.x > 0 ? -below : below, 1e-5);
        } else if (fabs(rest.x - PLANE) > 1e-3 && rest.y < -0.2 && skin->level[k] == 0) /* whole */
            CHECK_NEAR(by.x, rest.x < PLANE ? -below : below, 1e-5);
    }
    /* A disc about the middle of a right triangle with equal legs that reaches all of its corners
     * has 3.5 times its area. */
    CHECK(3.1416 * area > 3.4 * 2 * 0.6 * 0.4);
    body_free(&b);
}

TEST(nothing_is_made_without_cracks_or_again_for_the_same_ones)
{
    Body b;
    body_make(&b);
    CHECK_OK(px_skin_slits_update(&b.slits, b.skin, 1, &b.maps, 0, &b.cracks, 1, px_vec(0, 0, 0),
                                  &b.arena));
    CHECK(b.slits.skin == NULL);
    crack_from_below(&b);
    const PxSkin *skin = show(&b, 1);
    CHECK(show(&b, 1) == skin);
    /* faces between pieces are those of the pieces' meshes */
    for (uint32_t j = 0; j < b.count; ++j)
        b.piece[j] = (double)b.rest[4 * j] < PLANE;
    CHECK_OK(px_skin_slits_update(&b.slits, b.skin, 2, &b.maps, 0, &b.cracks, 1, px_vec(0, 0, 0),
                                  &b.arena));
    CHECK(b.slits.skin == NULL);
    body_free(&b);
}

TEST_MAIN()
