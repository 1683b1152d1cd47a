/// Closed meshes around point clouds.
#include "check.h"
#include "folder.h"

#include "shape/mesh_check.h"
#include "shape/mesh_read.h"
#include "shape/point_mesh.h"
#include "shape/shape.h"

#include <stdlib.h>

#define MANY 6000

typedef struct Points {
    PxVec3 at[MANY], normal[MANY], colour[MANY];
    size_t count;
} Points;

/* A ball around (1, 2, 3), points evenly on a spiral; red above its middle, else blue. None of them
 * is below `from`, measured from the middle. */
static Points *ball(double radius, double from)
{
    Points *p = calloc(1, sizeof *p);
    for (int k = 0; k < MANY; ++k) {
        double y = 1 - 2 * (k + 0.5) / MANY, angle = 2.39996322972865 * k, r = sqrt(1 - y * y);
        PxVec3 n = px_vec(r * cos(angle), y, r * sin(angle));
        if (radius * y < from)
            continue;
        p->at[p->count] = px_mad(px_vec(1, 2, 3), n, radius);
        p->normal[p->count] = px_scale(n, 3);
        p->colour[p->count++] = y > 0 ? px_vec(1, 0, 0) : px_vec(0, 0, 1);
    }
    return p;
}

static PxStatus mesh_of(const Points *p, PxMesh **out)
{
    return px_mesh_of_points(p->at, p->normal, p->colour, p->count, "cloud", out);
}

TEST(points_of_a_ball_become_a_ball)
{
    Points *p = ball(0.5, -1);
    PxMesh *mesh;
    CHECK_OK(mesh_of(p, &mesh));
    CHECK_OK(px_mesh_check_closed(mesh, "cloud"));
    /* tangent planes over distances r of 12 points lie r^2 / 2 R outside: +0.22 % of the volume */
    CHECK_NEAR(px_mesh_volume(mesh), 4 * M_PI / 3 * 0.125, 0.004 * 0.5236);
    CHECK_NEAR(px_mesh_area(mesh), M_PI, 0.005 * M_PI);
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        PxVec3 d = px_sub(mesh->position[v], px_vec(1, 2, 3));
        CHECK_NEAR(px_length(d), 0.5, 0.25 * 0.023); /* of the distance of points */
        if (fabs(d.y) > 0.05)
            CHECK_NEAR(mesh->colour[v].x, d.y > 0, 1e-9);
    }
    px_mesh_free(mesh);
    free(p);
}

TEST(a_hole_in_the_points_is_closed)
{
    Points *p = ball(0.5, -0.35); /* open below, 0.71 m wide */
    PxMesh *mesh;
    CHECK_OK(mesh_of(p, &mesh));
    CHECK_OK(px_mesh_check_closed(mesh, "cloud"));
    /* between a flat bottom, 0.492 m^3, and the whole ball, 0.524 */
    double h = 0.15, flat = 4 * M_PI / 3 * 0.125 - M_PI * h * h * (0.5 - h / 3);
    double volume = px_mesh_volume(mesh);
    CHECK(volume > 0.99 * flat && volume < 0.53);
    px_mesh_free(mesh);
    free(p);
}

/* Adds n by m points of a rectangle from `at` along u and v. */
static void add_rectangle(Points *p, PxVec3 at, PxVec3 u, PxVec3 v, int n, int m, PxVec3 normal)
{
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < m && p->count < MANY; ++j) {
            p->at[p->count] = px_mad(px_mad(at, u, (i + 0.5) / n), v, (j + 0.5) / m);
            p->normal[p->count++] = normal;
        }
}

TEST(thin_plates_and_sharp_edges_stay)
{
    enum { N = 40 };
    Points *p = calloc(1, sizeof *p);
    double thick = 2.2 / N;
    PxVec3 x = px_vec(1, 0, 0), y = px_vec(0, 1, 0), z = px_vec(0, 0, 1), o = px_vec(0, 0, 0);
    PxVec3 up = px_scale(z, thick);
    add_rectangle(p, o, x, y, N, N, px_scale(z, -1));
    add_rectangle(p, up, x, y, N, N, z);
    add_rectangle(p, o, y, up, N, 2, px_scale(x, -1));
    add_rectangle(p, x, y, up, N, 2, x);
    add_rectangle(p, o, x, up, N, 2, px_scale(y, -1));
    add_rectangle(p, y, x, up, N, 2, y);
    PxMesh *mesh;
    CHECK_OK(px_mesh_of_points(p->at, p->normal, NULL, p->count, "cloud", &mesh));
    CHECK_OK(px_mesh_check_closed(mesh, "cloud"));
    CHECK(mesh->colour == NULL);
    /* cells of 1.5 distances cut off its edges: -5.2 % */
    CHECK_NEAR(px_mesh_volume(mesh), thick, 0.07 * thick);
    PxBounds b = px_mesh_bounds(mesh);
    CHECK_NEAR(b.high.x - b.low.x, 1, 0.02);
    CHECK_NEAR(b.high.z - b.low.z, thick, 0.1 * thick);
    px_mesh_free(mesh);
    free(p);
}

TEST(points_that_enclose_nothing_are_refused)
{
    PxMesh *mesh;
    Points *p = ball(0.5, -1);
    CHECK_FAILS(px_mesh_of_points(p->at, p->normal, NULL, 5, "cloud", &mesh), PX_ERR_FORMAT,
                "cloud: 5 points without faces, wanted at least 20");
    for (size_t k = 0; k < p->count; ++k)
        p->normal[k] = px_scale(p->normal[k], -1);
    CHECK_FAILS(mesh_of(p, &mesh), PX_ERR_FORMAT, "point inwards, wanted outwards");
    p->normal[7] = px_vec(0, 0, 0);
    CHECK_FAILS(mesh_of(p, &mesh), PX_ERR_FORMAT, "point 7 has the normal (0, 0, 0)");
    p->at[6].y = NAN;
    CHECK_FAILS(mesh_of(p, &mesh), PX_ERR_FORMAT, "point 6 is at (");
    for (size_t k = 0; k < p->count; ++k) {
        p->at[k] = px_vec((double)k, (double)(k % 7), 0);
        p->normal[k] = px_vec(0, 0, 1);
    }
    CHECK_FAILS(mesh_of(p, &mesh), PX_ERR_FORMAT, "enclose nothing");
    for (size_t k = 0; k < p->count; ++k)
        p->at[k] = px_vec(1, 1, 1);
    CHECK_FAILS(mesh_of(p, &mesh), PX_ERR_FORMAT, "enclose nothing");
    free(p);
}

TEST(a_ply_file_of_points_is_a_shape)
{
    Folder folder = folder_make();
    Points *p = ball(0.5, -1);
    PxShapeDef def = px_shape_def_default(PX_SHAPE_MESH);
    def.mesh = folder_file(&folder, "scan.ply");
    for (int with = 0; with < 2; ++with) {
        FILE *file = fopen(def.mesh, "w");
        fprintf(file, "ply\nformat ascii 1.0\nelement vertex %zu\n", p->count);
        fprintf(file, "property float x\nproperty float y\nproperty float z\n");
        fprintf(file, with ? "property float nx\nproperty float ny\nproperty float nz\n" : "");
        fprintf(file, "end_header\n");
        for (size_t k = 0; k < p->count; ++k) {
            fprintf(file, "%.9g %.9g %.9g", p->at[k].x, p->at[k].y, p->at[k].z);
            if (with)
                fprintf(file, " %.9g %.9g %.9g", p->normal[k].x, p->normal[k].y, p->normal[k].z);
            fprintf(file, "\n");
        }
        fclose(file);
        PxShape *shape;
        if (!with) {
            CHECK_FAILS(px_shape_create(&def, &shape), PX_ERR_FORMAT,
                        "no normals nx, ny, nz for a surface around its points");
            continue;
        }
        CHECK_OK(px_shape_create(&def, &shape));
        CHECK_NEAR(px_shape_distance(shape, px_vec(1, 2, 3.7), NULL), 0.2, 0.003);
        CHECK(px_shape_inside(shape, px_vec(1.3, 2, 3.2)));
        px_shape_free(shape);
    }
    free(p);
    folder_remove(&folder);
}

TEST_MAIN()
