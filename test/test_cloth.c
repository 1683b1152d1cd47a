/// Cloth: rest shapes, forces, drape, handles, contact, saving, equal bits, bad input.
#include "check.h"

#include "base/vec.h"
#include "cloth/collide.h"
#include "phyxel/phyxel.h"
#include "draped.h"
#include "world/cloth_stage.h"

#include <stdlib.h>
#include <string.h>

/* ---- forces ---- */

static PxMaterialDef cotton(void)
{
    PxMaterialDef m = px_material_def_default();
    m.name = "cotton";
    m.cloth.cloth = true;
    m.cloth.mass = 0.2;
    return m;
}

static PxClothLaw law_of(const PxMaterialDef *m)
{
    PxClothLaw law;
    CHECK_OK(px_cloth_law(m, "cotton", &law));
    return law;
}

static PxShapeDef sheet_def(double width, double length, double columns, double rows)
{
    PxShapeDef def = px_shape_def_default(PX_SHAPE_SHEET);
    def.size = px_vec(width, 0, length);
    def.columns = columns;
    def.rows = rows;
    return def;
}

static PxClothSheet *sheet_of(const PxShapeDef *def)
{
    PxMesh *mesh;
    PxClothSheet *sheet;
    CHECK_OK(px_cloth_mesh(def, &mesh));
    CHECK_OK(px_cloth_sheet_create(mesh, def->rotation, PX_CLOTH_REST_SHAPE, &sheet));
    px_mesh_free(mesh);
    return sheet;
}

/* A point that is near x, the same for the same number. */
static PxVec3 shaken(PxVec3 x, uint32_t k, double by)
{
    return px_add(x, px_vec(by * sin(12.9 * k + 1), by * sin(7.3 * k + 2), by * sin(3.7 * k + 3)));
}

typedef double Energy(const PxClothLaw *law, const void *part, const PxVec3 *x);

static double face_energy(const PxClothLaw *law, const void *face, const PxVec3 *x)
{
    PxClothFaceState at_work;
    px_cloth_membrane(law, face, x, &at_work);
    return at_work.energy;
}

static double hinge_energy(const PxClothLaw *law, const void *hinge, const PxVec3 *x)
{
    PxClothHingeState at_work;
    px_cloth_bending(law, hinge, x, &at_work);
    return at_work.energy;
}

static PxVec3 slope_of(Energy *energy, const PxClothLaw *law, const void *part, PxVec3 *x, int k)
{
    double d[3], *at[3] = {&x[k].x, &x[k].y, &x[k].z}, h = 1e-6;
    for (int c = 0; c < 3; ++c) {
        double was = *at[c];
        *at[c] = was + h;
        double up = energy(law, part, x);
        *at[c] = was - h;
        d[c] = (up - energy(law, part, x)) / (2 * h);
        *at[c] = was;
    }
    return px_vec(d[0], d[1], d[2]);
}

TEST(forces_of_triangles_are_the_slope_of_their_energy)
{
    PxShapeDef def = sheet_def(1, 1.3, 3, 3);
    PxClothSheet *sheet = sheet_of(&def);
    PxMaterialDef m = cotton();
    m.cloth.weft = 800;
    m.cloth.warp = 300;
    for (int model = 0; model < 2; ++model) {
        m.cloth.membrane = (PxClothMembrane)model;
        m.cloth.limit = model == 0 ? 0.02 : 10;
        PxClothLaw law = law_of(&m);
        for (uint32_t f = 0; f < sheet->faces; ++f) {
            const PxClothFace *face = &sheet->face[f];
            PxVec3 x[3];
            double g[3][2];
            PxClothFaceState at_work;
            for (int k = 0; k < 3; ++k)
                x[k] = shaken(sheet->start[face->corner[k]], face->corner[k], 0.03);
            px_cloth_membrane(&law, face, x, &at_work);
            px_cloth_gradients(face, g);
            for (int k = 0; k < 3; ++k) {
                PxVec3 force =
                    px_scale(px_mad(px_scale(at_work.force[0], g[k][0]), at_work.force[1], g[k][1]),
                             face->area);
                PxVec3 slope = slope_of(face_energy, &law, face, x, k);
                CHECK_NEAR(px_length(px_sub(force, slope)), 0, 1e-6 * (1 + px_length(slope)));
            }
        }
    }
    px_cloth_sheet_free(sheet);
}

TEST(forces_of_hinges_are_the_slope_of_their_energy)
{
    PxShapeDef def = sheet_def(1, 1.3, 3, 3);
    PxClothSheet *sheet = sheet_of(&def);
    PxMaterialDef m = cotton();
    m.cloth.bend = 0.7;
    m.cloth.bend_warp = 0.2;
    for (int model = 0; model < 2; ++model) {
        m.cloth.bending_model = (PxClothBending)model;
        PxClothLaw law = law_of(&m);
        for (uint32_t h = 0; h < sheet->hinges; ++h) {
            PxClothHinge hinge = sheet->hinge[h];
            px_cloth_hinge_rest(&hinge, model == 0 ? 0.3 : 0);
            PxVec3 x[4];
            PxClothHingeState at_work;
            for (int k = 0; k < 4; ++k)
                x[k] = shaken(sheet->start[hinge.corner[k]], hinge.corner[k], 0.06);
            memset(&at_work, 0xff, sizeof at_work); /* NaN: all of it is set */
            px_cloth_bending(&law, &hinge, x, &at_work);
            for (int k = 0; k < 4; ++k) {
                CHECK(px_finite(at_work.slope[k]));
                PxVec3 force = model == 0
                                   ? px_scale(at_work.slope[k], at_work.moment)
                                   : px_scale(at_work.slope[0], at_work.moment * hinge.weight[k]);
                PxVec3 slope = slope_of(hinge_energy, &law, &hinge, x, k);
                CHECK_NEAR(px_length(px_sub(force, slope)), 0, 1e-6 * (1 + px_length(slope)));
            }
        }
    }
    px_cloth_sheet_free(sheet);
}

/* Energy of a sheet that is rolled to a cylinder, over that of the formula. */
static double rolled(double cells, PxClothBending model)
{
    double radius = 1, d = 0.01;
    PxShapeDef def = sheet_def(1, 1, cells, cells);
    PxClothSheet *sheet = sheet_of(&def);
    PxMaterialDef m = cotton();
    m.cloth.bend = d;
    m.cloth.bending_model = model;
    PxClothLaw law = law_of(&m);
    double sum = 0, area = 0;
    for (uint32_t h = 0; h < sheet->hinges; ++h) {
        PxVec3 x[4];
        PxClothHingeState at_work;
        for (int k = 0; k < 4; ++k) {
            PxVec3 at = sheet->start[sheet->hinge[h].corner[k]];
            x[k] = px_vec(radius * sin(at.x / radius), radius * cos(at.x / radius), at.z);
        }
        px_cloth_bending(&law, &sheet->hinge[h], x, &at_work);
        sum += at_work.energy;
    }
    for (uint32_t f = 0; f < sheet->faces; ++f)
        area += sheet->face[f].area;
    px_cloth_sheet_free(sheet);
    return sum / (0.5 * d * area / (radius * radius));
}

TEST(a_rolled_sheet_has_the_energy_of_its_curvature)
{
    for (int model = 0; model < 2; ++model) {
        /* an edge row has no hinge: one cell of n is missing */
        CHECK_NEAR(rolled(20, (PxClothBending)model), 1 - 1 / 20.0, 2e-3);
        CHECK_NEAR(rolled(40, (PxClothBending)model), 1 - 1 / 40.0, 1e-3);
    }
}

/* A uniform deformation has the same strain in all triangles, and no force inside. */
TEST(a_uniform_strain_passes_the_patch_test)
{
    PxShapeDef def = sheet_def(1, 1, 4, 4);
    PxClothSheet *sheet = sheet_of(&def);
    for (uint32_t k = 0; k < sheet->vertices; ++k) /* an irregular mesh, flat */
        if (fabs(sheet->start[k].x) < 0.49 && fabs(sheet->start[k].z) < 0.49) {
            sheet->start[k].x += 0.05 * sin(9.0 * k);
            sheet->start[k].z += 0.05 * sin(5.0 * k);
        }
    PxMesh mesh = {
        .vertex_count = sheet->vertices, .triangle_count = sheet->faces, .position = sheet->start};
    mesh.triangle = malloc(sheet->faces * sizeof *mesh.triangle);
    for (uint32_t f = 0; f < sheet->faces; ++f)
        memcpy(mesh.triangle[f], sheet->face[f].corner, sizeof *mesh.triangle);
    PxClothSheet *own;
    CHECK_OK(px_cloth_sheet_create(&mesh, px_quat_identity(), PX_CLOTH_REST_SHAPE, &own));
    PxMaterialDef m = cotton();
    m.cloth.weft = 700;
    PxClothLaw law = law_of(&m);
    PxVec3 *force = calloc(own->vertices, sizeof *force);
    for (uint32_t f = 0; f < own->faces; ++f) {
        PxVec3 x[3];
        double g[3][2];
        PxClothFaceState at_work;
        for (int k = 0; k < 3; ++k) {
            PxVec3 at = own->start[own->face[f].corner[k]];
            x[k] = px_vec(1.03 * at.x + 0.01 * at.z, 0, 0.99 * at.z + 0.01 * at.x);
        }
        px_cloth_membrane(&law, &own->face[f], x, &at_work);
        CHECK_NEAR(at_work.strain[0], 0.03, 1e-12);
        CHECK_NEAR(at_work.strain[1], -0.01, 1e-12);
        CHECK_NEAR(fabs(at_work.strain[2]), 0.02, 1e-12);
        px_cloth_gradients(&own->face[f], g);
        for (int k = 0; k < 3; ++k) {
            PxVec3 *at = &force[own->face[f].corner[k]];
            *at = px_mad(*at, at_work.force[0], own->face[f].area * g[k][0]);
            *at = px_mad(*at, at_work.force[1], own->face[f].area * g[k][1]);
        }
    }
    for (uint32_t k = 0; k < own->vertices; ++k)
        if (fabs(own->start[k].x) < 0.49 && fabs(own->start[k].z) < 0.49)
            CHECK_NEAR(px_length(force[k]), 0, 1e-12);
    free(force);
    free(mesh.triangle);
    px_cloth_sheet_free(own);
    px_cloth_sheet_free(sheet);
}

/* ---- worlds ---- */

#define CLOTH "\"cloth\": {\"mass\": 0.2, \"thickness\": 0.004}"

static const char falling[] =
    "{\"phyxel\": 1, \"spacing\": 0.05, \"materials\": {\"silk\": {\"density\": 100, " CLOTH
    "}}, \"bodies\": [{\"name\": \"a\", \"material\": \"silk\", \"velocity\": [0.3, 0, 0], "
    "\"spin\": [0, 0, 1], \"shape\": {\"sheet\": {\"width\": 1, \"length\": 1, \"columns\": 8, "
    "\"rows\": 8}, \"at\": [0, 5, 0]}}]}";

TEST(free_fall_keeps_momentum)
{
    PxWorld *world = world_of(falling, 1);
    PxStats before = stats_of(world);
    CHECK_OK(px_world_advance(world, 0.2));
    PxStats after = stats_of(world);
    CHECK_NEAR(before.cloth_momentum.x, 0.3 * 0.2, 1e-12);
    CHECK_NEAR(after.cloth_momentum.x, 0.3 * 0.2, 1e-9);
    CHECK_NEAR(after.cloth_momentum.y, -0.2 * 9.81 * 0.2, 1e-6);
    CHECK_NEAR(after.cloth_momentum.z, 0, 1e-9);
    px_world_free(world);
}

/* Velocity at time t of a flat sheet of 1 m^2 and 0.2 kg, at rest at first, in air of 1.2 kg/m^3.
 */
static PxVec3 blown(double gravity, PxVec3 wind, double step, double t)
{
    char text[700];
    snprintf(text, sizeof text,
             "{\"phyxel\": 1, \"spacing\": 0.05, \"gravity\": [0, %g, 0], \"materials\": {\"m\": "
             "{\"density\": 100, \"cloth\": {\"mass\": 0.2, \"air\": 1.2, \"wind\": [%g, %g, %g], "
             "\"step\": %g}}}, \"bodies\": [{\"name\": \"a\", \"material\": \"m\", \"shape\": "
             "{\"sheet\": {\"width\": 1, \"length\": 1, \"columns\": 5, \"rows\": 4}}}]}",
             -gravity, wind.x, wind.y, wind.z, step);
    PxWorld *world = world_of(text, 1);
    CHECK_OK(px_world_advance(world, t));
    PxVec3 p = stats_of(world).cloth_momentum;
    px_world_free(world);
    return px_scale(p, 1 / 0.2);
}

/* m dv/dt = m g - rho v^2 / 2: v = vt tanh(g t / vt), vt = sqrt(2 m g / rho) */
TEST(a_sheet_falls_at_its_terminal_speed_in_air)
{
    double terminal = sqrt(2 * 0.2 * 9.81 / 1.2), early = terminal * tanh(9.81 * 0.2 / terminal);
    PxVec3 still = px_vec(0, 0, 0), up = px_vec(0, 5, 0);
    double fall = blown(9.81, still, 0.004, 3).y, rise = blown(9.81, up, 0.004, 3).y;
    double coarse = -blown(9.81, still, 0.004, 0.2).y / early - 1;
    double fine = -blown(9.81, still, 0.002, 0.2).y / early - 1;
    print_message("terminal speed / formula - 1: %.2g, in an updraught %.2g; after 0.2 s %.3g with "
                  "steps of 4 ms, %.3g with 2 ms\n",
                  -fall / terminal - 1, (5 - rise) / terminal - 1, coarse, fine);
    CHECK_NEAR(fall, -terminal, 1e-3 * terminal);
    CHECK_NEAR(rise, 5 - terminal, 1e-3 * terminal);
    CHECK(fabs(coarse) < 0.01 && fabs(fine) < 0.6 * fabs(coarse)); /* first order in the step */
}

/* A moving sheet would flutter in such wind. */
TEST(wind_along_a_sheet_at_rest_does_not_push_it)
{
    CHECK_NEAR(px_length(blown(0, px_vec(3, 0, 2), 0.004, 0.2)), 0, 1e-12);
}

static const char draped[] = DRAPED(CLOTH);

TEST(threads_give_the_same_bits)
{
    uint64_t hash[3][2];
    for (int k = 0; k < 3; ++k) {
        PxWorld *world = world_of(draped, k == 2 ? 8 : k + 1);
        CHECK_OK(px_world_advance(world, 0.25));
        hash_of(world, hash[k]);
        px_world_free(world);
    }
    CHECK(memcmp(hash[0], hash[1], sizeof hash[0]) == 0);
    CHECK(memcmp(hash[0], hash[2], sizeof hash[0]) == 0);
}

TEST(a_saved_world_continues_with_the_same_bits)
{
    PxWorld *world = world_of(draped, 2);
    PxSavedWorld *saved = NULL;
    uint64_t first[2], again[2];
    CHECK_OK(px_world_advance(world, 0.12));
    CHECK_OK(px_world_save(world, &saved));
    CHECK_OK(px_world_advance(world, 0.2));
    hash_of(world, first);
    CHECK_OK(px_world_restore(world, saved));
    CHECK_OK(px_world_advance(world, 0.2));
    hash_of(world, again);
    CHECK(memcmp(first, again, sizeof first) == 0);
    px_saved_free(saved);
    px_world_free(world);
}

TEST(a_handle_holds_a_corner_and_lets_it_go)
{
    PxWorld *world = world_of(draped, 1);
    const PxTable *t = &world->cloth_vertices;
    const PxColumn *x = px_table_find(t, "position");
    uint32_t corner = t->count - 1;
    CHECK_OK(px_world_advance(world, 0.1));
    CHECK_NEAR(((double *)x->data[1])[corner], 0.33, 1e-12);
    CHECK_OK(px_world_advance(world, 0.2));
    CHECK(((double *)x->data[1])[corner] < 0.32);
    px_world_free(world);
}

TEST(cloth_comes_to_rest_on_a_ball_and_crosses_nothing)
{
    PxWorld *world = world_of(draped, 1);
    CHECK_OK(px_world_advance(world, 0.4));
    PxStats stats = stats_of(world);
    CHECK(stats.cloth_contacts > 10);
    CHECK(stats.cloth_crossed == 0);
    CHECK(stats.cloth_strain < 0.05);
    px_world_free(world);
}

TEST(a_removed_body_of_cloth_leaves_the_others)
{
    PxWorld *world = world_of(falling, 1);
    PxBodyDef def = px_body_def_default();
    PxBodyId id;
    def.name = "b";
    def.material = (PxMaterialId){1, world->materials.data[0].generation};
    def.shape = sheet_def(0.5, 0.5, 3, 3);
    CHECK_OK(px_world_add_body(world, &def, &id));
    CHECK_OK(px_world_advance(world, 0.02));
    uint32_t all = world->cloth_vertices.count;
    CHECK_OK(px_world_remove_body(world, (PxBodyId){1, world->bodies.data[0].generation}));
    CHECK(world->cloth_vertices.count == 16 && all == 16 + 81);
    CHECK_OK(px_world_advance(world, 0.04));
    CHECK_NEAR(stats_of(world).cloth_momentum.y, -0.05 * 9.81 * 0.04, 1e-9);
    px_world_free(world);
}

/* ---- gas ---- */

#define ROUND 8 /* triangles along an edge of the octahedron that becomes a ball */

/* A ball of triangles, radius 0.1 m. */
static void ball_of(float (*vertex)[3], uint32_t (*triangle)[3], PxShapeDef *def)
{
    uint32_t vertices = 0, triangles = 0;
    for (int face = 0; face < 8; ++face) {
        double side[3] = {face & 1 ? -1 : 1, face & 2 ? -1 : 1, face & 4 ? -1 : 1};
        bool turned = side[0] * side[1] * side[2] < 0;
        uint32_t first = vertices;
        for (int i = 0; i <= ROUND; ++i)
            for (int k = 0; k <= ROUND - i; ++k, ++vertices) {
                PxVec3 x = px_vec(side[0] * i, side[1] * k, side[2] * (ROUND - i - k));
                x = px_scale(x, 0.1 / px_length(x));
                vertex[vertices][0] = (float)x.x;
                vertex[vertices][1] = (float)x.y;
                vertex[vertices][2] = (float)x.z;
            }
        for (uint32_t i = 0, row = first; i < ROUND; row += ROUND + 1 - i, ++i)
            for (uint32_t k = 0; k < ROUND - i; ++k) {
                uint32_t a = row + k, b = row + ROUND + 1 - i + k,
                         up[2][3] = {{a, b, a + 1}, {a + 1, b, b + 1}};
                for (uint32_t n = 0; n < (k + 1 < ROUND - i ? 2u : 1u); ++n, ++triangles)
                    for (int c = 0; c < 3; ++c)
                        triangle[triangles][c] = up[n][turned ? 2 - c : c];
            }
    }
    *def = px_shape_def_default(PX_SHAPE_MESH);
    def->vertex = vertex;
    def->vertices = vertices;
    def->triangle = triangle;
    def->triangles = triangles;
}

/* Without gravity, a balloon of radius R is in balance if E e / (1 - nu) = p R (1 + e)^2 / 2, with
 * p = p0 / (1 + e)^3. */
TEST(a_balloon_grows_until_its_tension_carries_the_pressure)
{
    static float vertex[8 * (ROUND + 1) * (ROUND + 2) / 2][3];
    static uint32_t triangle[8 * ROUND * ROUND][3];
    PxWorldDef def = px_world_def_default();
    def.gravity = px_vec(0, 0, 0);
    def.spacing = 0.05;
    PxWorld *world;
    CHECK_OK(px_world_create(&def, &world));
    PxMaterialDef m = cotton();
    m.cloth.weft = m.cloth.warp = 500;
    m.cloth.poisson = 0.2;
    m.cloth.shear = 500 / 2.4;
    m.cloth.bend = 0;
    m.cloth.damping = 20;
    m.cloth.pressure = 100;
    PxBodyDef body = px_body_def_default();
    body.name = "balloon";
    ball_of(vertex, triangle, &body.shape);
    CHECK_OK(px_world_add_material(world, &m, &body.material));
    CHECK_OK(px_world_add_body(world, &body, NULL));
    CHECK_OK(px_world_advance(world, 0.5));
    const PxTable *t = &world->cloth_vertices;
    const PxColumn *at = px_table_find(t, "position");
    double sum = 0;
    for (uint32_t i = 0; i < t->count; ++i) {
        const double *const *x = (const double *const *)at->data;
        sum += px_length(px_vec(x[0][i], x[1][i], x[2][i]));
    }
    double wanted = 0.5 * (sqrt(1 + 4 * 100 * 0.1 * 0.8 / (2 * 500)) - 1);
    double strain = sum / t->count / 0.1 - 1;
    print_message("strain of a balloon / formula: %.4f\n", strain / wanted);
    CHECK_NEAR(strain, wanted, 0.03 * wanted);
    PxBodyDef open = body;
    open.name = "open";
    open.shape = sheet_def(1, 1, 4, 4);
    CHECK_FAILS(px_world_add_body(world, &open, NULL), PX_ERR_ARGUMENT, "16 edges");
    px_world_free(world);
}

/* ---- collision ---- */

TEST(distances_of_points_and_edges_are_those_of_their_closest_points)
{
    const PxVec3 t[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    double w[3], s, u;
    CHECK_NEAR(px_cloth_point_triangle(px_vec(0.25, 0.25, 0.5), t, w), 0.5, 1e-14);
    CHECK_NEAR(w[0], 0.5, 1e-14);
    CHECK_NEAR(px_cloth_point_triangle(px_vec(2, 0, 0), t, w), 1, 1e-14);
    CHECK_NEAR(w[1], 1, 1e-14);
    const PxVec3 a[2] = {{-1, 0, 0}, {1, 0, 0}}, b[2] = {{0, -1, 0.3}, {0, 1, 0.3}};
    CHECK_NEAR(px_cloth_edge_edge(a, b, &s, &u), 0.3, 1e-14);
    CHECK_NEAR(s, 0.5, 1e-14);
    CHECK_NEAR(u, 0.5, 1e-14);
}

static bool listed(const PxClothSearch *search, uint32_t vertex, const uint32_t *corner)
{
    for (uint32_t k = 0; k < search->count; ++k) {
        const PxClothNear *n = &search->near[k];
        if (n->cloth[0] >> 31 == 0 && n->vertex[0] == vertex &&
            memcmp(n->vertex + 1, corner, 3 * sizeof *corner) == 0)
            return true;
    }
    return false;
}

/* A sheet that is rolled up has layers 10 mm apart: each vertex is near triangles of the next
 * layer, and the search, which leaves out parts with one direction, finds them all. */
TEST(the_search_finds_every_vertex_near_a_triangle)
{
    PxShapeDef def = sheet_def(1, 0.2, 60, 12);
    PxCloth cloth = {.sheet = sheet_of(&def)};
    PxMaterialDef m = cotton();
    m.cloth.thickness = 0.012;
    m.cloth.self_collision = true;
    PxClothLaw law = law_of(&m);
    PxClothSystem system;
    PxArena scratch;
    px_arena_init(&scratch, NULL);
    px_cloth_system_init(&system, NULL);
    CHECK_OK(px_cloth_system_build(&system, &cloth, 1));
    PxThreads threads = {2, NULL};
    PxClothStep step = {
        .system = &system, .law = &law, .threads = &threads, .scratch = &scratch, .dt = 0.01};
    CHECK_OK(px_cloth_step_begin(&step));
    for (uint32_t i = 0; i < system.vertices; ++i) {
        double turn = 14 * (cloth.sheet->start[i].x + 0.5), r = 0.05 + 0.01 * turn / (2 * M_PI);
        step.x[i] = px_vec(r * cos(turn), r * sin(turn), cloth.sheet->start[i].z);
        step.v[i] = step.w[i] = px_vec(0, 0, 0);
    }
    double thick = 0.012, w[3];
    PxClothSearch search = {.step = &step, .way = step.v, .thick = &thick, .slack = 0.001};
    CHECK_OK(px_cloth_search(&search));
    uint32_t near = 0, missing = 0;
    for (uint32_t f = 0; f < system.faces; ++f)
        for (uint32_t i = 0; i < system.vertices; ++i) {
            const uint32_t *c = system.face[f].corner;
            const PxVec3 t[3] = {step.x[c[0]], step.x[c[1]], step.x[c[2]]};
            double along = fabs(cloth.sheet->start[i].x - cloth.sheet->start[c[0]].x);
            if (along < 0.1 || px_cloth_point_triangle(step.x[i], t, w) > thick)
                continue; /* not of another layer, or not near */
            ++near;
            missing += !listed(&search, i, c);
        }
    CHECK(near > 1000);
    CHECK(missing == 0);
    /* some vertices get other ways: the list then has the pairs of a search from scratch, once */
    for (uint32_t i = 0; i < system.vertices; ++i) {
        search.fresh[i] = i % 37 == 0;
        if (search.fresh[i])
            step.v[i] = px_scale(step.x[i], i % 2 == 0 ? 0.2 : -0.2);
    }
    PxClothSearch whole = {.step = &step, .way = step.v, .thick = &thick, .slack = 0.001};
    uint32_t before = search.count, twice = 0;
    CHECK_OK(px_cloth_search(&search));
    CHECK_OK(px_cloth_search(&whole));
    CHECK(search.count != before);
    for (uint32_t k = 0; k < whole.count; k += 50) {
        uint32_t times = 0;
        for (uint32_t n = 0; n < search.count; ++n)
            times += memcmp(whole.near[k].vertex, search.near[n].vertex,
                            sizeof search.near->vertex) == 0 &&
                     whole.near[k].cloth[0] == search.near[n].cloth[0];
        missing += times == 0;
        twice += times > 1;
    }
    CHECK(missing == 0);
    CHECK(twice == 0);
    print_message("pairs: %u, with other ways %u, from scratch %u\n", before, search.count,
                  whole.count);
    px_cloth_system_free(&system);
    px_arena_free(&scratch);
    px_cloth_sheet_free(cloth.sheet);
}

static const char two_sheets[] =
    "{\"phyxel\": 1, \"spacing\": 0.05, \"gravity\": [0, 0, 0], \"materials\": {\"silk\": "
    "{\"density\": 100, \"cloth\": {\"mass\": 0.2, \"thickness\": 0.01, \"self_collision\": "
    "true}}}, \"bodies\": [{\"name\": \"a\", \"material\": \"silk\", \"shape\": {\"sheet\": "
    "{\"width\": 0.4, \"length\": 0.4, \"columns\": 6, \"rows\": 6}}}, {\"name\": \"b\", "
    "\"material\": \"silk\", \"velocity\": [0, -2, 0], \"shape\": {\"sheet\": {\"width\": 0.41, "
    "\"length\": 0.41, \"columns\": 5, \"rows\": 5}, \"at\": [0.013, 0.05, 0.017], \"turn\": "
    "{\"axis\": [0, 1, 0], \"degrees\": 20}}}]}";

TEST(a_sheet_that_hits_another_pushes_it_and_does_not_cross_it)
{
    uint64_t hash[2][2];
    for (int threads = 1; threads <= 2; ++threads) {
        PxWorld *world = world_of(two_sheets, threads);
        double before = stats_of(world).cloth_momentum.y;
        CHECK_OK(px_world_advance(world, 0.1));
        PxStats after = stats_of(world);
        CHECK(after.cloth_crossed == 0);
        /* conjugate gradients stop at 0.2 % of the impulses: measured 3.4e-5 */
        CHECK_NEAR(after.cloth_momentum.y, before, 1e-4 * fabs(before));
        const PxTable *t = &world->cloth_vertices;
        const double *y = px_table_find(t, "position")->data[1];
        CHECK(y[24] < -0.02);             /* the middle of the lower one was pushed down */
        CHECK(y[49 + 2 * 6 + 2] > y[24]); /* and that of the upper one is above it */
        hash_of(world, hash[threads - 1]);
        px_world_free(world);
    }
    CHECK(memcmp(hash[0], hash[1], sizeof hash[0]) == 0);
}

/* ---- physics ---- */

/* Extension of a hanging strip, over rho g L^2 / (2 E). */
static double hanging(int rows, const char *membrane)
{
    char text[1200];
    snprintf(text, sizeof text,
             "{\"phyxel\": 1, \"spacing\": 0.05, \"materials\": {\"m\": {\"density\": 100, "
             "\"cloth\": {\"mass\": 0.5, \"weft\": 300, \"warp\": 300, \"poisson\": 0, "
             "\"shear\": 150, \"damping\": 8, \"step\": 0.01, \"membrane\": \"%s\"}}}, "
             "\"bodies\": [{\"name\": \"a\", \"material\": \"m\", \"shape\": {\"sheet\": "
             "{\"width\": 0.2, \"length\": 1, \"columns\": %d, \"rows\": %d}, \"turn\": "
             "{\"axis\": [1, 0, 0], \"degrees\": 90}}}], \"handles\": [{\"name\": \"h\", "
             "\"body\": \"a\", \"shape\": {\"box\": [0.3, 0.001, 0.1], \"at\": [0, 0.5, 0]}}]}",
             membrane, rows / 5, rows);
    PxWorld *world = world_of(text, 1);
    CHECK_OK(px_world_advance(world, 3));
    const PxTable *t = &world->cloth_vertices;
    const double *y = px_table_find(t, "position")->data[1];
    double lowest = 0;
    for (uint32_t i = 0; i < t->count; ++i)
        lowest = fmin(lowest, y[i]);
    px_world_free(world);
    return (-0.5 - lowest) / (0.5 * 9.81 / (2 * 300));
}

PHYSICS(a_strip_stretches_under_its_own_weight_by_the_formula)
{
    double wanted[3];
    for (int k = 0; k < 3; ++k) {
        wanted[k] = hanging(10 << k, "corotational");
        print_message("strip of %d rows: %.4f of the formula\n", 10 << k, wanted[k]);
        CHECK_NEAR(wanted[k], 1, 0.03);
    }
}

/* Mean velocity down a slope after a second; friction is 0.5. */
static double sliding(double slope)
{
    char text[900];
    double angle = atan(slope);
    snprintf(text, sizeof text,
             "{\"phyxel\": 1, \"spacing\": 0.05, \"gravity\": [%.12g, %.12g, 0], \"materials\": "
             "{\"m\": {\"density\": 100, \"friction\": 0.5, " CLOTH "}}, \"bodies\": [{\"name\": "
             "\"a\", \"material\": \"m\", \"shape\": {\"sheet\": {\"width\": 0.4, \"length\": "
             "0.4, \"columns\": 6, \"rows\": 6}, \"at\": [0, 0.002, 0]}}, {\"name\": \"floor\", "
             "\"wall\": true, \"friction\": 0.5, \"shape\": {\"plane\": [0, 1, 0]}}]}",
             9.81 * sin(angle), -9.81 * cos(angle));
    PxWorld *world = world_of(text, 1);
    CHECK_OK(px_world_advance(world, 1));
    PxStats now = stats_of(world);
    px_world_free(world);
    return now.cloth_momentum.x / (0.2 * 0.16);
}

PHYSICS(cloth_sticks_below_the_friction_angle_and_slides_above_it)
{
    double below = sliding(0.49), above = sliding(0.6), angle = atan(0.6);
    double wanted = 9.81 * (sin(angle) - 0.5 * cos(angle));
    print_message("slope 0.49: %.3g m/s; slope 0.6: %.4f m/s, wanted %.4f\n", below, above, wanted);
    CHECK_NEAR(below, 0, 1e-6);
    CHECK_NEAR(above, wanted, 0.02 * wanted);
}

/* ---- bad input ---- */

static void refused(const float (*vertex)[3], uint32_t vertices, const uint32_t (*triangle)[3],
                    uint32_t triangles, const char *words)
{
    PxShapeDef def = px_shape_def_default(PX_SHAPE_MESH);
    def.vertex = vertex;
    def.vertices = vertices;
    def.triangle = triangle;
    def.triangles = triangles;
    PxMesh *mesh;
    PxClothSheet *sheet;
    CHECK_OK(px_cloth_mesh(&def, &mesh));
    CHECK(px_cloth_sheet_create(mesh, def.rotation, PX_CLOTH_REST_SHAPE, &sheet) ==
          PX_ERR_ARGUMENT);
    CHECK(sheet == NULL);
    if (strstr(px_error_message(), words) == NULL)
        fail_msg("'%s' does not say '%s'", px_error_message(), words);
    px_mesh_free(mesh);
}

TEST(meshes_that_are_no_cloth_are_refused)
{
    static const float v[][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, -1, 0}};
    static const uint32_t fan[][3] = {{0, 1, 2}, {1, 0, 3}, {1, 0, 4}};
    static const uint32_t turned[][3] = {{0, 1, 2}, {0, 1, 4}};
    static const uint32_t thin[][3] = {{2, 0, 4}};
    refused(v, 5, fan, 3, "the edge between vertices 0 and 1 has 3 triangles");
    refused(v, 5, turned, 2, "triangles 0 and 1 face opposite sides");
    refused(v, 5, thin, 1, "triangle 0 (vertices 2, 0, 4) has no area");
}

TEST(scenes_with_wrong_cloth_are_refused)
{
#define OF_CLOTH                                                                                   \
    "{\"phyxel\": 1, \"spacing\": 0.05, \"materials\": {\"m\": {\"density\": 100, " CLOTH "}},"
    PxScene *scene =
        scene_of(OF_CLOTH "\"bodies\": [{\"name\": \"a\", \"material\": \"m\", \"shape\": "
                          "{\"box\": [1, 1, 1]}}]}");
    CHECK_COUNT(scene, 1);
    px_scene_free(scene);
    scene =
        scene_of("{\"phyxel\": 1, \"spacing\": 0.05, \"materials\": {\"m\": {\"density\": 100}}, "
                 "\"bodies\": [{\"name\": \"a\", \"material\": \"m\", \"shape\": {\"sheet\": "
                 "{\"width\": 1, \"length\": 1}}}]}");
    CHECK_COUNT(scene, 1);
    px_scene_free(scene);
    scene = scene_of(OF_CLOTH
                     "\"bodies\": [{\"name\": \"a\", \"material\": \"m\", \"shape\": {\"sheet\": "
                     "{\"width\": 1, \"length\": 1}}}, {\"name\": \"b\", \"wall\": true, "
                     "\"shape\": {\"box\": [0.2, 0.2, 0.2]}}]}");
    PxWorld *world;
    CHECK(px_scene_world(scene, 1, &world) == PX_ERR_ARGUMENT);
    CHECK(strstr(px_error_message(), "the cloth 'a' has a vertex inside it") != NULL);
    px_scene_free(scene);
}

static void check_text(const PxScene *scene, size_t k, const char *words)
{
    const PxComplaint *c = px_scene_complaint(scene, k);
    if (c == NULL || strcmp(c->place, "bodies[0].shape") != 0 || strstr(c->text, words) == NULL)
        fail_msg("'%s: %s' does not say '%s'", c != NULL ? c->place : "", c != NULL ? c->text : "",
                 words);
}

/* The word for a rigid sheet is about "rigid", not about a material that it has. */
TEST(a_rigid_sheet_of_cloth_is_refused_for_being_rigid)
{
    PxScene *scene =
        scene_of(OF_CLOTH "\"bodies\": [{\"name\": \"a\", \"material\": \"m\", \"rigid\": true, "
                          "\"shape\": {\"sheet\": {\"width\": 1, \"length\": 1}}}]}");
    CHECK_COUNT(scene, 1);
    const PxComplaint *c = px_scene_complaint(scene, 0);
    CHECK(strcmp(c->place, "bodies[0].shape.sheet") == 0);
    CHECK(strstr(c->text, "the body is \"rigid\"") != NULL);
    px_scene_free(scene);
}

TEST(check_foresees_cloth_inside_a_wall)
{
    PxScene *scene =
        scene_of(OF_CLOTH "\"bodies\": [{\"name\": \"a\", \"material\": \"m\", \"shape\": "
                          "{\"sheet\": {\"width\": 1, \"length\": 1, \"columns\": 10, \"rows\": "
                          "10}, \"at\": [0, 0.02, 0]}}, {\"name\": \"b\", \"wall\": true, "
                          "\"shape\": {\"box\": [0.3, 0.2, 0.3]}}, {\"name\": \"room\", "
                          "\"wall\": true, \"inside\": true, \"shape\": {\"box\": [1.1, 2, "
                          "0.8]}}]}");
    CHECK_COUNT(scene, 0);
    CHECK(px_scene_check(scene) != PX_OK);
    CHECK_COUNT(scene, 2);
    /* 3 x 3 of the vertices are in the box, 0.08 m below its top; two rows on each side are beyond
     * the room, the outer ones by 0.1 m */
    check_text(scene, 0,
               "starts with 9 of its 121 vertices inside the wall 'b', up to 0.08 m deep at "
               "(0, 0.02, 0) m");
    check_text(scene, 1, "inside the wall 'room', up to 0.1 m deep at (");
    px_scene_free(scene);
}

/* A bar of 4 mm under cells of 50 mm, which move by 7 mm in a step. */
TEST(cloth_stays_on_a_bar_that_is_thinner_than_its_way_in_a_step)
{
    static const char *const shapes[] = {
        "{\"cylinder\": {\"radius\": 0.002, \"height\": 1.4}, \"at\": [0.012, 0.6, 0], \"turn\": "
        "{\"axis\": [1, 0, 0], \"degrees\": 90}}",
        "{\"box\": [0.005, 0.4, 1.2], \"at\": [0.012, 0.4, 0]}"};
    for (size_t k = 0; k < PX_COUNT(shapes); ++k) {
        char text[1200];
        snprintf(text, sizeof text,
                 "{\"phyxel\": 1, \"spacing\": 0.02, \"materials\": {\"m\": {\"density\": 100, "
                 "\"friction\": 0.4, \"cloth\": {\"mass\": 0.2, \"weft\": 500, \"warp\": 500, "
                 "\"shear\": 50, \"bend\": 3e-5, \"thickness\": 0.002}}}, \"bodies\": [{\"name\": "
                 "\"sheet\", \"material\": \"m\", \"shape\": {\"sheet\": {\"width\": 1, "
                 "\"length\": 1, \"columns\": 20, \"rows\": 20}, \"at\": [0, 0.75, 0]}}, "
                 "{\"name\": \"bar\", \"wall\": true, \"friction\": 0.4, \"shape\": %s}]}",
                 shapes[k]);
        PxWorld *world = world_of(text, 1);
        CHECK_OK(px_world_advance(world, 0.6));
        PxStats stats = stats_of(world);
        const PxColumn *x = px_table_find(&world->cloth_vertices, "position");
        double middle = ((double *)x->data[1])[10 * 21 + 10];
        print_message("the middle is at %.3f m, crossed %llu\n", middle,
                      (unsigned long long)stats.cloth_crossed);
        CHECK(stats.cloth_crossed == 0);
        CHECK(middle > 0.55);
        px_world_free(world);
    }
}

/* Twice as fine: four times the vertices, twice the iterations. */
TEST(the_estimate_counts_cloth)
{
    PxSceneEstimate e[2];
    for (int k = 0; k < 2; ++k) {
        char text[700];
        snprintf(text, sizeof text,
                 OF_CLOTH "\"time\": {\"frames\": 25, \"fps\": 25}, \"bodies\": [{\"name\": "
                          "\"a\", \"material\": \"m\", \"shape\": {\"sheet\": {\"width\": 1, "
                          "\"length\": 1, \"columns\": %d, \"rows\": %d}}}]}",
                 50 << k, 50 << k);
        PxScene *scene = scene_of(text);
        CHECK_OK(px_scene_check(scene));
        CHECK_OK(px_scene_estimate(scene, 1, &e[k]));
        CHECK_NEAR(e[k].steps, 250, 1e-6); /* of 4 ms */
        px_scene_free(scene);
    }
    CHECK(e[0].seconds > 1);
    /* less than 8: the start and frames take as long */
    CHECK_NEAR(e[1].seconds / e[0].seconds, 7.5, 0.5);
}

TEST_MAIN()
