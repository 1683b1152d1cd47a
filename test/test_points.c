/// Particles at the points of a file.
#include "check.h"
#include "folder.h"

#include "phyxel/scene.h"
#include "shape/points_read.h"

#include <stdlib.h>

static PxStatus csv(const char *text, PxPoints *out)
{
    return px_points_read_bytes("p.csv", text, strlen(text), 100, out);
}

static void check_three(const char *text)
{
    PxPoints p;
    CHECK_OK(csv(text, &p));
    CHECK_EQUAL(p.count, 2);
    CHECK(p.position[0].x == 1 && p.position[0].y == 2 && p.position[0].z == -3.5);
    CHECK(p.position[1].x == 4 && p.position[1].y == 5 && p.position[1].z == 6);
    px_points_free(&p);
}

TEST(csv_files_come_in_all_forms)
{
    check_three("1,2,-3.5\n4,5,6\n");
    check_three("# a comment\n\n1 2 -3.5 9 9\n4\t5\t6\r\n");
    check_three("1; 2; -3.5\n4;5;6");
    check_three("\xef\xbb\xbfX,Y,Z\n1,2,-3.5\n4,5,6\n");
    check_three("id,position_x,position_y,position_z,mass\n7,1,2,-3.5,1\n8,4,5,6,1\n");
    check_three("\"speed\",\"Points:2\",\"Points:0\",\"Points:1\"\n9,-3.5,1,2\n9,6,4,5\n");
    check_three("name,x,y,z\n\"a, b\",1,2,-3.5\nc,4,5,6\n");
}

TEST(a_ply_file_gives_its_vertices)
{
    const char *text = "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float "
                       "y\nproperty float z\nelement other 1\nproperty int a\nend_header\n1 2 3\n4 "
                       "5 6\n7\n";
    PxPoints p;
    CHECK_OK(px_points_read_bytes("p.ply", text, strlen(text), 100, &p));
    CHECK_EQUAL(p.count, 2);
    CHECK(p.position[1].z == 6);
    px_points_free(&p);
    CHECK_FAILS(px_points_read_bytes("p.ply", text, strlen(text), 1, &p), PX_ERR_FORMAT,
                "p.ply: 2 points, wanted 1 to 1");
    CHECK_FAILS(px_points_read_bytes("p.ply", "1 2 3", 5, 1, &p), PX_ERR_FORMAT, "p.ply: ");
}

TEST(broken_points_are_refused_with_the_line)
{
    PxPoints p;
    CHECK_FAILS(csv("", &p), PX_ERR_FORMAT, "p.csv: 0 points, wanted 1 to 100");
    CHECK_FAILS(csv("x,y\n1,2\n", &p), PX_ERR_FORMAT, "p.csv: line 1: names no columns x, y and z");
    CHECK_FAILS(csv("1,2,3\n4,5\n", &p), PX_ERR_FORMAT,
                "p.csv: line 2: wanted three numbers: x, y and z");
    CHECK_FAILS(csv("1,2,3\n4,five,6\n", &p), PX_ERR_FORMAT,
                "p.csv: line 2: 'five', wanted a finite number");
    CHECK_FAILS(csv("1,2,3\n4,,6\n", &p), PX_ERR_FORMAT, "p.csv: line 2: '', wanted a finite");
    CHECK_FAILS(csv("1,2,nan\n", &p), PX_ERR_FORMAT, "p.csv: line 1: 'nan', wanted a finite");
}

TEST(crowded_points_become_fewer)
{
    PxPoints p = {malloc(1000 * sizeof *p.position), NULL, 0};
    for (int k = 0; k < 1000; ++k)
        p.position[p.count++] = px_vec(0.1 * (k % 10), 0.1 * (k / 10 % 10), 0.1 * (k / 100));
    double apart, crowd, distance;
    size_t pair[2];
    bool found;
    CHECK_OK(px_points_apart(&p, &apart));
    CHECK_NEAR(apart, 0.1, 1e-6);
    CHECK_OK(px_points_crowd(&p, 0.21, &crowd));
    CHECK(crowd > 22 && crowd <= 33); /* points of a cubic lattice within 2.1 steps */
    CHECK_OK(px_points_nearest(&p, 0.09, pair, &distance, &found));
    CHECK(!found);
    p.position[17].x += 0.07;
    CHECK_OK(px_points_nearest(&p, 0.09, pair, &distance, &found));
    CHECK(found && pair[0] == 17 && pair[1] == 18);
    CHECK_NEAR(distance, 0.03, 1e-6);
    p.position[17].x -= 0.07;
    CHECK_OK(px_points_thin(&p, 0.2, 4));
    CHECK_EQUAL(p.count, 125);
    CHECK_NEAR(p.position[0].x, 0.05, 1e-12);
    CHECK_OK(px_points_apart(&p, &apart));
    CHECK_NEAR(apart, 0.2, 1e-6);
    px_points_free(&p);
}

/* 6 x 6 x 6 points, 0.1 m apart, in a file. */
static void write_points(const char *path, bool twice)
{
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    fprintf(file, "x,y,z\n");
    for (int k = 0; k < 216; ++k)
        fprintf(file, "%.17g,%.17g,%.17g\n", 0.1 * (k % 6), 0.1 * (k / 6 % 6), 0.1 * (k / 36));
    if (twice)
        fprintf(file, "0.1,0.1,0.1\n");
    fclose(file);
}

#define SCENE(spacing, material, more)                                                             \
    "{\"phyxel\": 1, \"spacing\": " spacing ", \"gravity\": [0, 0, 0],\n"                          \
    " \"materials\": {\"water\": {\"density\": 1000}, \"jelly\": {\"density\": 900, "              \
    "\"young\": 1e4}},\n"                                                                          \
    " \"bodies\": [{\"name\": \"own\", \"shape\": {\"points\": \"own.csv\", \"scale\": 2, "        \
    "\"at\": [5, 0, 0]}, \"material\": \"" material "\"" more "}]}"

static PxStatus check_scene(Folder *folder, const char *text, PxScene **out)
{
    PxStatus status =
        px_scene_read_text("own.json", folder_file(folder, "."), text, strlen(text), out);
    return status == PX_OK ? px_scene_check(*out) : status;
}

TEST(a_body_has_the_particles_of_a_file)
{
    Folder folder = folder_make();
    write_points(folder_file(&folder, "own.csv"), false);
    const char *const texts[] = {SCENE("0.2", "water", ""), SCENE("0.2", "jelly", "")};
    for (size_t k = 0; k < 2; ++k) {
        PxScene *scene;
        PxWorld *world;
        CHECK_OK(check_scene(&folder, texts[k], &scene));
        CHECK_EQUAL(px_scene_complaint_count(scene), 0);
        CHECK_OK(px_scene_world(scene, 1, &world));
        CHECK_EQUAL(px_world_count(world), 216);
        for (uint32_t i = 0; i < 216; ++i) {
            double step = ((double)px_world_floats(world, "position", 0)[i] - 5) / 0.2;
            CHECK_NEAR(step, rint(step), 1e-5);
        }
        CHECK_OK(px_world_advance(world, 0.05));
        px_world_free(world);
        PxScene *again;
        const char *resolved = px_scene_resolved(scene);
        CHECK_OK(px_scene_read_text("again.json", "/", resolved, strlen(resolved), &again));
        CHECK_OK(px_scene_check(again));
        CHECK(strcmp(px_scene_hash(scene), px_scene_hash(again)) == 0);
        px_scene_free(again);
        px_scene_free(scene);
    }
    folder_remove(&folder);
}

TEST(points_that_do_not_fit_the_spacing_are_mentioned)
{
    Folder folder = folder_make();
    PxScene *scene;
    PxWorld *world;
    write_points(folder_file(&folder, "own.csv"), false);
    CHECK_OK(check_scene(&folder, SCENE("0.4", "water", ""), &scene));
    CHECK_EQUAL(px_scene_complaint_count(scene), 1);
    CHECK(strstr(px_scene_complaint(scene, 0)->text, "they become 27 particles") != NULL);
    CHECK_OK(px_scene_world(scene, 1, &world));
    CHECK_EQUAL(px_world_count(world), 27);
    px_world_free(world);
    px_scene_free(scene);
    CHECK_OK(check_scene(&folder, SCENE("0.1", "water", ""), &scene));
    CHECK(strstr(px_scene_complaint(scene, 0)->text, "wanted a spacing of about 0.2 m") != NULL);
    px_scene_free(scene);
    write_points(folder_file(&folder, "own.csv"), true);
    CHECK(check_scene(&folder, SCENE("0.2", "water", ""), &scene) == PX_ERR_FORMAT);
    CHECK(strstr(px_scene_complaint(scene, 0)->text, "points 44 and 217 are 0 m apart") != NULL);
    px_scene_free(scene);
    folder_remove(&folder);
}

TEST(keys_about_surfaces_and_lattices_are_not_for_points)
{
    Folder folder = folder_make();
    write_points(folder_file(&folder, "own.csv"), false);
    static const struct {
        const char *text, *words;
    } wrong[] = {
        {SCENE("0.2", "jelly", ", \"skin\": true"), "is not for bodies of points"},
        {SCENE("0.2", "jelly", ", \"fill\": \"octree\""), "is not for bodies of points"},
        {SCENE("0.2", "jelly", ", \"rigid\": true"), "is for fluids and solids"},
    };
    for (size_t k = 0; k < PX_COUNT(wrong); ++k) {
        PxScene *scene;
        CHECK(check_scene(&folder, wrong[k].text, &scene) == PX_ERR_FORMAT);
        CHECK(strstr(px_scene_complaint(scene, 0)->text, wrong[k].words) != NULL);
        px_scene_free(scene);
    }
    folder_remove(&folder);
}

TEST_MAIN()
