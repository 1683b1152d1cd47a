/// Surfaces beside walls, sheets and other phases, and surfels.
#include "surfaces.h"

#include "shape/mesh_tree.h"
#include "surface/surface.h"

/* Lattice points (spacing 1) of a box from `low` on, n of them along each axis. */
static void add_lattice(Cloud *cloud, PxVec3 low, int nx, int ny, int nz)
{
    for (int k = 0; k < nx * ny * nz; ++k)
        cloud_add(cloud, low.x + k % nx, low.y + k / nx % ny, low.z + k / nx / ny);
}

static PxSurfaceMesh *make(const char *field, const PxSurfaceParticles *particles,
                           const PxWall *wall, size_t walls)
{
    PxSurfaceDef def = px_surface_def_default();
    PxSurfaceMesh *mesh;
    def.field = field;
    CHECK_OK(px_surface_make_walled(&def, particles, wall, walls, &mesh));
    check_surface(mesh);
    return mesh;
}

/* A sheet of quads through rows of 2 points each. */
static PxSurfaceSheet strip(const PxVec3 *position, uint32_t rows, uint32_t (*triangle)[3])
{
    for (uint32_t k = 0; k + 1 < rows; ++k) {
        const uint32_t quad[2][3] = {{2 * k, 2 * k + 1, 2 * k + 3}, {2 * k, 2 * k + 3, 2 * k + 2}};
        memcpy(triangle[2 * k], quad, sizeof quad);
    }
    return (PxSurfaceSheet){position, 2 * rows, (const uint32_t(*)[3])triangle, 2 * (rows - 1)};
}

/* No edge of the surface goes through the sheet. */
static void check_not_through(const PxSurfaceMesh *mesh, const PxSurfaceSheet *sheet)
{
    PxMesh *shape;
    PxMeshTree *tree;
    CHECK_OK(px_mesh_create(sheet->vertices, sheet->triangles, 0, &shape));
    memcpy(shape->position, sheet->position, sheet->vertices * sizeof *shape->position);
    memcpy(shape->triangle, sheet->triangle, sheet->triangles * sizeof *shape->triangle);
    CHECK_OK(px_mesh_tree_create(shape, &tree));
    for (uint32_t t = 0; t < mesh->triangles; ++t)
        for (int c = 0; c < 3; ++c) {
            const float *a = mesh->position[mesh->triangle[t][c]];
            const float *b = mesh->position[mesh->triangle[t][(c + 1) % 3]];
            PxVec3 from = {(double)a[0], (double)a[1], (double)a[2]};
            PxVec3 to = {(double)b[0], (double)b[1], (double)b[2]};
            PxMeshSpot spot;
            CHECK(!px_mesh_tree_ray(tree, from, px_sub(to, from), 0, 1, &spot));
        }
    px_mesh_tree_free(tree);
    px_mesh_free(shape);
}

TEST(a_pool_on_a_sheet_stays_on_its_side)
{
    /* The lowest layer is 0.3 spacings above the sheet: without it the surface would lie 0.2 below.
     */
    const PxVec3 corner[4] = {{-20, 0, -20}, {-20, 0, 20}, {20, 0, -20}, {20, 0, 20}};
    uint32_t triangle[2][3];
    PxSurfaceSheet sheet = strip(corner, 2, triangle);
    Cloud cloud = cloud_make(800);
    add_lattice(&cloud, px_vec(-4, 0.3, -4), 9, 4, 9);
    PxSurfaceParticles particles = cloud_particles(&cloud, 1);
    for (uint32_t k = 0; px_surface_field(k) != NULL; ++k)
        for (int with = 0; with < 2; ++with) {
            particles.sheet = &sheet;
            particles.sheets = (uint32_t)with;
            PxSurfaceMesh *mesh = make(px_surface_field(k)->name, &particles, NULL, 0);
            float lowest = INFINITY;
            for (uint32_t v = 0; v < mesh->vertices; ++v)
                lowest = fminf(lowest, mesh->position[v][1]);
            if (with)
                CHECK(lowest > 0.0f && lowest < 0.5f);
            else
                CHECK(lowest < 0.0f);
            if (with)
                check_not_through(mesh, &sheet);
            px_surface_free(mesh);
        }
    cloud_free(&cloud);
}

TEST(pools_on_both_sides_of_a_sheet_do_not_flow_together)
{
    const PxVec3 corner[4] = {{-20, 0, -20}, {-20, 0, 20}, {20, 0, -20}, {20, 0, 20}};
    uint32_t triangle[2][3];
    PxSurfaceSheet sheet = strip(corner, 2, triangle);
    Cloud cloud = cloud_make(1000);
    add_lattice(&cloud, px_vec(-4, 0.4, -4), 9, 3, 9);
    add_lattice(&cloud, px_vec(-4, -2.4, -4), 9, 3, 9);
    PxSurfaceParticles particles = cloud_particles(&cloud, 1);
    for (uint32_t k = 0; px_surface_field(k) != NULL; ++k)
        for (int with = 0; with < 2; ++with) {
            PxSurfaceMeasure measure;
            particles.sheet = &sheet;
            particles.sheets = (uint32_t)with;
            PxSurfaceMesh *mesh = make(px_surface_field(k)->name, &particles, NULL, 0);
            CHECK_OK(px_surface_measure(mesh, &measure));
            CHECK_EQUAL(measure.components, 1 + with);
            if (with)
                check_not_through(mesh, &sheet);
            px_surface_free(mesh);
        }
    cloud_free(&cloud);
}

/* Films of one layer on cloth that slopes, whose particles lie 0.1 to 0.2 spacings above it as
 * those of scenes/slopes.json do: one piece without holes, whatever the slope. */
TEST(a_film_on_a_sheet_is_whole)
{
    static const double degrees[] = {0, 10, 30, 60};
    enum { WIDE = 20 };
    for (size_t k = 0; k < PX_COUNT(degrees); ++k) {
        double c = cos(degrees[k] * M_PI / 180), s = sin(degrees[k] * M_PI / 180);
        const PxVec3 corner[4] = {{-20 * c, -20 * s, -20},
                                  {-20 * c, -20 * s, 20},
                                  {20 * c, 20 * s, -20},
                                  {20 * c, 20 * s, 20}};
        uint32_t triangle[2][3];
        PxSurfaceSheet sheet = strip(corner, 2, triangle);
        Cloud cloud = cloud_make(WIDE * WIDE);
        for (uint32_t n = 0; n < WIDE * WIDE; ++n) {
            double x = n % WIDE - 9.5 + 0.4 * (px_random_unit(n, 5, 0) - 0.5);
            double z = n / WIDE - 9.5 + 0.4 * (px_random_unit(n, 5, 1) - 0.5);
            double up = 0.1 + 0.1 * px_random_unit(n, 5, 2);
            cloud_add(&cloud, x * c - up * s, x * s + up * c, z);
        }
        PxSurfaceParticles particles = cloud_particles(&cloud, 1);
        particles.sheet = &sheet;
        particles.sheets = 1;
        PxSurfaceMesh *mesh = make("anisotropic", &particles, NULL, 0);
        PxSurfaceMeasure measure;
        CHECK_OK(px_surface_measure(mesh, &measure));
        int euler =
            (int)mesh->vertices - (int)mesh->triangles / 2; /* 2 for a ball, 0 with a hole */
        print_message("%g degrees: volume %.3f, %u pieces, Euler number %d\n", degrees[k],
                      measure.volume / (WIDE * WIDE), measure.components, euler);
        CHECK_EQUAL(measure.components, 1);
        CHECK_EQUAL(euler, 2);
        check_not_through(mesh, &sheet);
        px_surface_free(mesh);
        cloud_free(&cloud);
    }
}

PHYSICS(a_sharp_fold_is_not_cut)
{
    /* The V of 004 Fig. 4.10, 60 degrees wide, with fluid in it and under it. */
    const PxVec3 corner[6] = {{-6, 10.4, -20}, {-6, 10.4, 20}, {0, 0, -20},
                              {0, 0, 20},      {6, 10.4, -20}, {6, 10.4, 20}};
    uint32_t triangle[4][3];
    PxSurfaceSheet sheet = strip(corner, 3, triangle);
    Cloud cloud = cloud_make(4000);
    for (int k = 0; k < 17 * 14 * 9; ++k) {
        double x = k % 17 - 8, y = k / 17 % 14 - 3.5, z = k / 17 / 14 - 4;
        double off = (y - 10.4 / 6 * fabs(x)) / sqrt(1 + pow(10.4 / 6, 2)); /* from the sheet */
        if (fabs(off) > 0.4 && y < 8)
            cloud_add(&cloud, x, y, z);
    }
    PxSurfaceParticles particles = cloud_particles(&cloud, 1);
    particles.sheet = &sheet;
    particles.sheets = 1;
    for (uint32_t k = 0; px_surface_field(k) != NULL; ++k) {
        PxSurfaceMesh *mesh = make(px_surface_field(k)->name, &particles, NULL, 0);
        check_not_through(mesh, &sheet);
        px_surface_free(mesh);
    }
    cloud_free(&cloud);
}

/* Pleats of 0.6 spacings, narrower than the triangles of the surface, in a pool. */
static Cloud pleats(PxVec3 corner[82], uint32_t triangle[80][3], PxSurfaceSheet *sheet)
{
    Cloud cloud = cloud_make(4000);
    for (int k = 0; k < 41; ++k) {
        corner[2 * k] = px_vec(0.3 * (k - 20), k % 2 == 0 ? 0 : 1.3, -20);
        corner[2 * k + 1] = px_vec(0.3 * (k - 20) + 0.5, k % 2 == 0 ? 0 : 1.1, 20);
    }
    *sheet = strip(corner, 41, triangle);
    for (int k = 0; k < 15 * 10 * 9; ++k)
        if (abs(k / 15 % 10 - 5) > 1)
            cloud_add(&cloud, k % 15 - 7 + 0.2 * sin(k), k / 15 % 10 - 4.3 + 0.1 * sin(3 * k),
                      k / 15 / 10 - 4);
    for (int k = 0; k < 60; ++k) /* some between the pleats */
        cloud_add(&cloud, -5.7 + 0.6 * (k % 20), 1.0, 2.0 * (k / 20) - 2);
    return cloud;
}

PHYSICS(narrow_pleats_are_not_crossed)
{
    PxVec3 corner[82];
    uint32_t triangle[80][3];
    PxSurfaceSheet sheet;
    Cloud cloud = pleats(corner, triangle, &sheet);
    PxSurfaceParticles particles = cloud_particles(&cloud, 1);
    particles.sheet = &sheet;
    particles.sheets = 1;
    for (uint32_t k = 0; px_surface_field(k) != NULL; ++k) {
        PxSurfaceMesh *mesh = make(px_surface_field(k)->name, &particles, NULL, 0);
        CHECK(mesh->triangles > 1000);
        CHECK_EQUAL(mesh->crossed, 0);
        check_not_through(mesh, &sheet);
        px_surface_free(mesh);
    }
    cloud_free(&cloud);
}

TEST(a_surface_sinks_into_a_sheet_by_the_stated_depth)
{
    const PxVec3 corner[4] = {{-20, 0, -20}, {-20, 0, 20}, {20, 0, -20}, {20, 0, 20}};
    uint32_t triangle[2][3];
    PxSurfaceSheet sheet = strip(corner, 2, triangle);
    for (int side = -1; side <= 1; side += 2) {
        Cloud cloud = cloud_make(800);
        add_lattice(&cloud, px_vec(-4, side > 0 ? 0.5 : -3.5, -4), 9, 4, 9);
        PxSurfaceParticles particles = cloud_particles(&cloud, 1);
        PxSurfaceDef def = px_surface_def_default();
        PxSurfaceMesh *mesh;
        particles.sheet = &sheet;
        particles.sheets = 1;
        def.sink = 0.1;
        CHECK_OK(px_surface_make(&def, &particles, &mesh));
        CHECK_EQUAL(mesh->crossed, 0);
        float deepest = INFINITY;
        uint32_t there = 0;
        for (uint32_t v = 0; v < mesh->vertices; ++v) {
            deepest = fminf(deepest, (float)side * mesh->position[v][1]);
            there += fabsf((float)side * mesh->position[v][1] + 0.1f) < 0.002f;
        }
        CHECK_NEAR((double)deepest, -0.1, 0.002);
        CHECK(there > 200); /* of a contact area of 9 x 9 spacings with 4 vertices each */
        px_surface_free(mesh);
        cloud_free(&cloud);
    }
}

/* A wall that stands still. */
static PxWall wall_of(const PxShapeDef *def, bool inside)
{
    PxWall wall = {.def = *def, .inside = inside, .pivot = def->at};
    CHECK_OK(px_shape_create(def, &wall.shape));
    px_wall_move(&wall, 0, 0);
    return wall;
}

TEST(a_full_tank_is_filled_to_its_walls)
{
    PxShapeDef def = px_shape_def_default(PX_SHAPE_BOX);
    def.size = px_vec(10, 8, 9);
    def.at = px_vec(0.13, 0.21, 0.17); /* no node on a wall */
    PxWall wall = wall_of(&def, true);
    Cloud cloud = cloud_make(720);
    add_lattice(&cloud, px_vec(-4.37, -3.29, -3.83), 10, 8, 9);
    PxSurfaceParticles particles = cloud_particles(&cloud, 1);
    for (uint32_t k = 0; px_surface_field(k) != NULL; ++k) {
        PxSurfaceMeasure measure;
        PxSurfaceMesh *mesh = make(px_surface_field(k)->name, &particles, &wall, 1);
        CHECK_OK(px_surface_measure(mesh, &measure));
        CHECK_EQUAL(measure.components, 1);
        /* Edges and corners are cut off by half a cell: 12 edges of 0.5^2 / 8, together 0.5 per
         * cent. */
        CHECK_NEAR(measure.volume / 720, 1, 0.01);
        for (uint32_t v = 0; v < mesh->vertices; ++v) {
            const float *p = mesh->position[v];
            PxVec3 at = {(double)p[0], (double)p[1], (double)p[2]};
            CHECK(px_wall_distance(&wall, 0, at, NULL) > -1e-4);
        }
        px_surface_free(mesh);
    }
    px_shape_free(wall.shape);
    cloud_free(&cloud);
}

TEST(nothing_shows_behind_a_thin_wall)
{
    /* A plate a fifth of a spacing thick, particles 0.3 spacings before it: none of their surface
     * is behind its middle. */
    PxShapeDef def = px_shape_def_default(PX_SHAPE_BOX);
    def.size = px_vec(30, 0.2, 30);
    PxWall wall = wall_of(&def, false);
    Cloud cloud = cloud_make(800);
    add_lattice(&cloud, px_vec(-4, 0.4, -4), 9, 3, 9);
    cloud_add(&cloud, 9, 0.35, 9); /* a drop */
    PxSurfaceParticles particles = cloud_particles(&cloud, 1);
    for (uint32_t k = 0; px_surface_field(k) != NULL; ++k) {
        PxSurfaceMesh *mesh = make(px_surface_field(k)->name, &particles, &wall, 1);
        CHECK(mesh->triangles > 100);
        for (uint32_t v = 0; v < mesh->vertices; ++v)
            CHECK(mesh->position[v][1] > 0.0f);
        px_surface_free(mesh);
    }
    px_shape_free(wall.shape);
    cloud_free(&cloud);
}

/* Plates of the same thickness as meshes: one piece, and two that overlap in the middle. Faces of
 * one are then inside the other. */
static PxWall plate_wall(bool overlapping)
{
    PxShapeDef def = px_shape_def_default(PX_SHAPE_MESH);
    PxWall wall = {.inside = false};
    PxMesh *plate = NULL;
    uint32_t parts = overlapping ? 2 : 1;
    CHECK_OK(px_mesh_create(8 * parts, 12 * parts, 0, &plate));
    static const uint32_t quad[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                        {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    for (uint32_t n = 0; n < parts; ++n) {
        double low = !overlapping ? -15 : n == 0 ? -15 : -1.3;
        double high = !overlapping ? 15 : n == 0 ? 1.7 : 15;
        for (uint32_t v = 0; v < 8; ++v)
            plate->position[8 * n + v] =
                px_vec(v & 1 ? high : low, v & 2 ? 0.1 : -0.1, v & 4 ? 15.0 : -15.0);
        for (uint32_t q = 0; q < 6; ++q)
            for (uint32_t h = 0; h < 2; ++h) {
                uint32_t *t = plate->triangle[12 * n + 2 * q + h];
                t[0] = 8 * n + quad[q][0];
                t[1] = 8 * n + quad[q][1 + h];
                t[2] = 8 * n + quad[q][2 + h];
            }
    }
    CHECK_OK(px_shape_create_from_mesh(&def, plate, "plate", &wall.shape));
    px_mesh_free(plate);
    wall.bounds = px_shape_bounds(wall.shape);
    return wall;
}

TEST(overlapping_parts_of_a_wall_hide_as_much_as_one_part)
{
    Cloud cloud = cloud_make(800);
    add_lattice(&cloud, px_vec(-4, 0.6, -4), 9, 3, 9);
    PxSurfaceParticles particles = cloud_particles(&cloud, 1);
    PxSurfaceMeasure measure[2];
    for (int k = 0; k < 2; ++k) {
        PxWall wall = plate_wall(k == 1);
        PxSurfaceMesh *mesh = make("anisotropic", &particles, &wall, 1);
        for (uint32_t v = 0; v < mesh->vertices; ++v)
            CHECK(mesh->position[v][1] > 0.0f);
        CHECK_OK(px_surface_measure(mesh, &measure[k]));
        px_surface_free(mesh);
        px_shape_free(wall.shape);
    }
    CHECK(measure[0].volume > 200);
    CHECK_NEAR(measure[1].volume, measure[0].volume, 1e-4 * measure[0].volume);
    CHECK_NEAR(measure[1].area, measure[0].area, 1e-4 * measure[0].area);
    cloud_free(&cloud);
}

TEST(walls_of_overlapping_parts_give_the_same_bits_with_any_number_of_threads)
{
    Cloud cloud = cloud_make(800);
    add_lattice(&cloud, px_vec(-4, 0.6, -4), 9, 3, 9);
    PxSurfaceParticles particles = cloud_particles(&cloud, 1);
    uint64_t bits[2][2] = {{0}};
    for (int k = 0; k < 2; ++k) {
        PxSurfaceDef def = px_surface_def_default();
        PxSurfaceMesh *mesh;
        PxWall wall = plate_wall(true);
        def.threads = 1 + 3 * k;
        CHECK_OK(px_surface_make_walled(&def, &particles, &wall, 1, &mesh));
        px_digest(mesh->position, mesh->vertices * sizeof *mesh->position, bits[k]);
        px_surface_free(mesh);
        px_shape_free(wall.shape);
    }
    CHECK(bits[0][0] == bits[1][0] && bits[0][1] == bits[1][1]);
    cloud_free(&cloud);
}

/* ---- two phases ---- */

PHYSICS(two_phases_meet_in_one_interface_of_the_right_area)
{
    /* A ball of 8 spacings in a cube of another fluid, each field: the comparison of 004
     * section 5.5. The area of the interface is within 4 per cent of the ball's (the steps of the
     * lattice, as above) and within 3 per cent the same for all fields, and both phases see the
     * same. */
    Cloud cloud = cloud_make(27 * 27 * 27);
    add_lattice(&cloud, px_vec(-13.2, -13.1, -13.3), 27, 27, 27);
    uint8_t *inner = malloc(cloud.count), *outer = malloc(cloud.count);
    for (uint32_t i = 0; i < cloud.count; ++i) {
        double r2 = 0;
        for (int a = 0; a < 3; ++a)
            r2 += pow((double)cloud.x[a][i], 2);
        outer[i] = r2 > 64;
        inner[i] = !outer[i];
    }
    PxSurfaceParticles particles = cloud_particles(&cloud, 1);
    double first = 0;
    for (uint32_t k = 0; px_surface_field(k) != NULL; ++k) {
        PxSurfaceMeasure ball, cube;
        particles.other = outer;
        PxSurfaceMesh *mesh = make(px_surface_field(k)->name, &particles, NULL, 0);
        CHECK_OK(px_surface_measure(mesh, &ball));
        px_surface_free(mesh);
        particles.other = inner;
        mesh = make(px_surface_field(k)->name, &particles, NULL, 0);
        CHECK_OK(px_surface_measure(mesh, &cube));
        px_surface_free(mesh);
        CHECK_NEAR(ball.interface / ball.area, 1, 1e-6);
        CHECK_NEAR(ball.area / (4 * M_PI * 64), 1, 0.04);
        CHECK_NEAR(cube.interface / ball.interface, 1, 0.01);
        CHECK_EQUAL(cube.components, 2); /* outside, and the cavity of the ball */
        CHECK_NEAR((ball.volume + cube.volume) / (27 * 27 * 27), 1, 0.02);
        if (k == 0)
            first = ball.area;
        CHECK_NEAR(ball.area / first, 1, 0.03);
    }
    free(inner);
    free(outer);
    cloud_free(&cloud);
}

/* ---- surfels ---- */

PHYSICS(surfels_lie_on_the_surface_and_cover_it)
{
    Cloud cloud = cloud_ball(7, 1, 0.1);
    PxSurfaceParticles particles = cloud_particles(&cloud, 1);
    for (uint32_t k = 0; px_surface_field(k) != NULL; ++k) {
        PxSurfaceDef def = px_surface_def_default();
        PxSurfels *surfels, *again;
        def.field = px_surface_field(k)->name;
        def.threads = 1;
        CHECK_OK(px_surfels_make(&def, &particles, &surfels));
        def.threads = 3;
        CHECK_OK(px_surfels_make(&def, &particles, &again));
        CHECK_EQUAL(surfels->count, again->count);
        CHECK(memcmp(surfels->position, again->position,
                     surfels->count * sizeof *surfels->position) == 0);
        CHECK(memcmp(surfels->normal, again->normal, surfels->count * sizeof *surfels->normal) ==
              0);
        px_surfels_free(again);
        def.threads = 0;
        PxSurfaceMesh *mesh;
        CHECK_OK(px_surface_make(&def, &particles, &mesh));
        uint32_t bare = 0;
        for (uint32_t v = 0; v < mesh->vertices; ++v) {
            float nearest = INFINITY;
            uint32_t which = 0;
            for (uint32_t s = 0; s < surfels->count; ++s) {
                float d2 = 0.0f;
                for (int a = 0; a < 3; ++a)
                    d2 += powf(mesh->position[v][a] - surfels->position[s][a], 2);
                if (d2 < nearest) {
                    nearest = d2;
                    which = s;
                }
            }
            bare += !(sqrtf(nearest) < surfels->radius[which]);
            float along = 0.0f, off = 0.0f;
            for (int a = 0; a < 3; ++a) {
                along += mesh->normal[v][a] * surfels->normal[which][a];
                off += (mesh->position[v][a] - surfels->position[which][a]) *
                       surfels->normal[which][a];
            }
            CHECK(along > 0.5f);
            CHECK_NEAR((double)off, 0,
                       0.3); /* bent by that much within a surfel's radius at most */
        }
        CHECK(bare * 200 < mesh->vertices); /* one in 200 lies between the discs */
        px_surface_free(mesh);
        px_surfels_free(surfels);
    }
    cloud_free(&cloud);
}

TEST(surfels_cover_matter_against_walls)
{
    PxShapeDef shape = px_shape_def_default(PX_SHAPE_BOX);
    shape.size = px_vec(8, 12, 7);
    shape.at = px_vec(0, 6, 0);
    PxWall wall = wall_of(&shape, true);
    Cloud cloud = cloud_make(400);
    add_lattice(&cloud, px_vec(-3.5, 0.5, -3), 8, 6, 7); /* half full */
    PxSurfaceParticles particles = cloud_particles(&cloud, 1);
    PxSurfaceDef def = px_surface_def_default();
    PxSurfels *surfels;
    CHECK_OK(px_surfels_make_walled(&def, &particles, &wall, 1, &surfels));
    /* Every place of the five wet walls is within a radius of one, but for the edges, where discs
     * of both sides end. */
    for (int k = 0; k < 7 * 6; ++k) {
        double u = k % 7 - 3, h = k / 7 + 0.5;
        const double place[5][3] = {
            {-4, h, u}, {4, h, u}, {u, h, -3.5}, {u, h, 3.5}, {u, 0, h - 3}};
        for (int side = 0; side < 5; ++side) {
            double nearest = INFINITY;
            for (uint32_t n = 0; n < surfels->count; ++n) {
                const float *at = surfels->position[n];
                double d =
                    px_length(px_sub(px_vec((double)at[0], (double)at[1], (double)at[2]),
                                     px_vec(place[side][0], place[side][1], place[side][2])));
                nearest = d < nearest ? d : nearest;
            }
            CHECK(nearest < (double)surfels->radius[0]);
        }
    }
    px_surfels_free(surfels);
    px_shape_free(wall.shape);
    cloud_free(&cloud);
}

TEST(no_surfel_shows_behind_a_sheet)
{
    /* Particles 0.3 spacings above a sheet without a thickness: half a cell, a quarter of a
     * spacing, stays free before it. */
    const PxVec3 corner[4] = {{-20, 0, -20}, {-20, 0, 20}, {20, 0, -20}, {20, 0, 20}};
    uint32_t triangle[2][3];
    PxSurfaceSheet sheet = strip(corner, 2, triangle);
    Cloud cloud = cloud_make(400);
    add_lattice(&cloud, px_vec(-3, 0.3, -3), 7, 4, 7);
    PxSurfaceParticles particles = cloud_particles(&cloud, 1);
    particles.sheet = &sheet;
    particles.sheets = 1;
    for (uint32_t k = 0; px_surface_field(k) != NULL; ++k) {
        PxSurfaceDef def = px_surface_def_default();
        PxSurfels *surfels;
        def.field = px_surface_field(k)->name;
        CHECK_OK(px_surfels_make(&def, &particles, &surfels));
        CHECK(surfels->count > 200);
        for (uint32_t n = 0; n < surfels->count; ++n)
            CHECK(surfels->position[n][1] > 0.2f);
        px_surfels_free(surfels);
    }
    cloud_free(&cloud);
}

TEST(surfels_of_nothing_are_none_and_of_one_particle_a_ball)
{
    PxSurfaceDef def = px_surface_def_default();
    PxSurfels *surfels;
    PxSurfaceParticles none = {.spacing = 1};
    CHECK_OK(px_surfels_make(&def, &none, &surfels));
    CHECK_EQUAL(surfels->count, 0);
    px_surfels_free(surfels);
    Cloud cloud = cloud_make(1);
    cloud_add(&cloud, 5, 6, 7);
    PxSurfaceParticles one = cloud_particles(&cloud, 1);
    for (uint32_t k = 0; px_surface_field(k) != NULL; ++k) {
        def.field = px_surface_field(k)->name;
        CHECK_OK(px_surfels_make(&def, &one, &surfels));
        CHECK(surfels->count >= 4);
        for (uint32_t s = 0; s < surfels->count; ++s) {
            double r = 0, along = 0;
            for (int a = 0; a < 3; ++a) {
                double d = (double)surfels->position[s][a] - (5 + a);
                r += d * d;
                along += d * (double)surfels->normal[s][a];
            }
            CHECK_NEAR(sqrt(r), 0.62, 0.15); /* (3 / 4 pi)^(1/3) */
            CHECK(along > 0.9 * sqrt(r));
        }
        px_surfels_free(surfels);
    }
    cloud_free(&cloud);
}

TEST_MAIN()
