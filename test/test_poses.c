/// Walls whose mesh moves through poses: files, motion in time, distances at any moment, and
/// matter that meets them.
#include "check.h"
#include "poses.h"
#include "scenes.h"

#include "base/random.h"
#include "matter/wall.h"
#include "phyxel/world.h"
#include "world/world_parts.h"
#include "shape/mesh_read.h"
#include "shape/shape.h"

/* ---- motions ---- */

static PxVec3 pulse(PxVec3 x, uint32_t k, uint32_t count)
{
    double p = 2 * M_PI * k / count, a = 0.25 * sin(p), n = px_length(x);
    PxVec3 y = px_scale(x, 1 + a * x.y * x.y / (n * n));
    return px_add(y, px_vec(0.15 * sin(p), 0.05 * sin(2 * p), 0));
}

static PxVec3 slide(PxVec3 x, uint32_t k, uint32_t count)
{
    (void)count;
    return px_add(x, px_vec(0.5 * k, 0, 0));
}

static PxVec3 spin(PxVec3 x, uint32_t k, uint32_t count)
{
    (void)count;
    double a = 0.1 * k;
    return px_vec(cos(a) * x.x - sin(a) * x.y, sin(a) * x.x + cos(a) * x.y, x.z);
}

static PxVec3 turned_inside_out(PxVec3 x, uint32_t k, uint32_t count)
{
    return k + 1 == count ? px_vec(-x.x, x.y, x.z) : x;
}

static PxShapeDef moving_def(const Folder *folder)
{
    static char mesh[2 * FOLDER_PATH], poses[2 * FOLDER_PATH];
    snprintf(mesh, sizeof mesh, "%s", folder_file(folder, "mesh.obj"));
    snprintf(poses, sizeof poses, "%s", folder_file(folder, "mesh.pc2"));
    PxShapeDef def = px_shape_def_default(PX_SHAPE_MESH);
    def.mesh = mesh;
    def.poses = poses;
    def.pose_fps = 10;
    return def;
}

static PxShape *make(const PxShapeDef *def)
{
    PxShape *shape = NULL;
    CHECK_OK(px_shape_create(def, &shape));
    CHECK(px_shape_moving(shape) != NULL);
    return shape;
}

static PxVec3 random_place(uint64_t k, double reach)
{
    return px_vec(reach * (2 * px_random_unit(k, 7, 0) - 1),
                  reach * (2 * px_random_unit(k, 7, 1) - 1),
                  reach * (2 * px_random_unit(k, 7, 2) - 1));
}

/* ---- files ---- */

TEST(poses_that_do_not_fit_the_mesh_are_refused_with_numbers)
{
    Folder folder = folder_make();
    PxShapeDef def = moving_def(&folder);
    PxShape *shape;
    PxMesh *ball = mesh_ball(0.2, 6), *box = mesh_box(px_vec(1, 1, 1));
    write_obj(def.mesh, ball, NULL, 0, 1);
    CHECK_FAILS(px_shape_create(&def, &shape), PX_ERR_IO, "cannot be opened");
    write_pc2(def.poses, box, slide, 3);
    CHECK_FAILS(px_shape_create(&def, &shape), PX_ERR_FORMAT,
                "has 8 points, but the mesh has 62 vertices");
    write_pc2(def.poses, ball, turned_inside_out, 3);
    CHECK_FAILS(px_shape_create(&def, &shape), PX_ERR_FORMAT, "pose 3 is inside out");
    def.pose_fps = 0;
    CHECK_FAILS(px_shape_create(&def, &shape), PX_ERR_ARGUMENT, "positive rate");
    px_mesh_free(ball);
    px_mesh_free(box);
    folder_remove_path(folder.path);
}

TEST(poses_that_open_a_seam_are_refused)
{
    Folder folder = folder_make();
    PxShapeDef def = moving_def(&folder);
    PxShape *shape;
    PxMesh *box = mesh_box(px_vec(1, 1, 1)), *cut = mesh_make(9, 12);
    memcpy(cut->position, box->position, 8 * sizeof *box->position);
    memcpy(cut->triangle, box->triangle, 12 * sizeof *box->triangle);
    cut->position[8] = cut->position[7]; /* one triangle has a corner of its own */
    for (int k = 0; k < 3; ++k)
        if (cut->triangle[2][k] == 7)
            cut->triangle[2][k] = 8;
    write_obj(def.mesh, cut, NULL, 0, 1);
    cut->position[8].x += 0.125;
    write_pc2(def.poses, cut, slide, 2);
    CHECK_FAILS(px_shape_create(&def, &shape), PX_ERR_FORMAT,
                "pose 1 is open: vertices 7 and 8, which are one point of the mesh, are 0.125");
    px_mesh_free(box);
    px_mesh_free(cut);
    folder_remove_path(folder.path);
}

TEST(numbered_meshes_are_poses_and_must_have_the_same_triangles)
{
    Folder folder = folder_make();
    PxShapeDef def = moving_def(&folder);
    static char pattern[2 * FOLDER_PATH];
    snprintf(pattern, sizeof pattern, "%s", folder_file(&folder, "walk-###.obj"));
    def.poses = pattern;
    PxMesh *box = mesh_box(px_vec(1, 1, 1)), *ball = mesh_ball(0.2, 6);
    PxShape *shape;
    write_obj(def.mesh, box, NULL, 0, 1);
    CHECK_FAILS(px_shape_create(&def, &shape), PX_ERR_IO, "there is no file");
    for (uint32_t k = 0; k < 3; ++k) {
        char name[40];
        snprintf(name, sizeof name, "walk-%03u.obj", k + 1);
        write_obj(folder_file(&folder, name), box, slide, k, 3);
    }
    shape = make(&def);
    CHECK(px_moving_mesh_poses(px_shape_moving(shape))->count == 3);
    px_moving_mesh_set(px_shape_moving(shape), 0.15, 0);
    CHECK_NEAR(px_moving_mesh_vertex(px_shape_moving(shape), 0, 7).x, 0.5 + 0.75, 1e-12);
    px_shape_free(shape);
    uint32_t other = box->triangle[4][0]; /* the same triangle, from another corner */
    box->triangle[4][0] = box->triangle[4][1];
    box->triangle[4][1] = box->triangle[4][2];
    box->triangle[4][2] = other;
    write_obj(folder_file(&folder, "walk-004.obj"), box, slide, 3, 3);
    CHECK_FAILS(px_shape_create(&def, &shape), PX_ERR_FORMAT, "walk-004.obj: triangle 4 has");
    write_obj(folder_file(&folder, "walk-004.obj"), ball, slide, 3, 3);
    CHECK_FAILS(px_shape_create(&def, &shape), PX_ERR_FORMAT, "wanted the 8 and 12 of the mesh");
    px_mesh_free(box);
    px_mesh_free(ball);
    folder_remove_path(folder.path);
}

TEST(a_pc2_file_that_lies_about_its_size_is_refused)
{
    unsigned char bytes[32 + 24] = "POINTCACHE2";
    PxPoses *poses;
    bytes[12] = 1;
    bytes[16] = 2;                      /* points */
    bytes[26] = 0x80, bytes[27] = 0x3f; /* 1 frame per sample */
    bytes[28] = 1;                      /* samples */
    CHECK_OK(px_poses_read_pc2("a.pc2", bytes, sizeof bytes, &poses));
    px_poses_free(poses);
    CHECK_FAILS(px_poses_read_pc2("a.pc2", bytes, 31, &poses), PX_ERR_FORMAT, "a.pc2: does not");
    CHECK_FAILS(px_poses_read_pc2("a.pc2", bytes, sizeof bytes - 1, &poses), PX_ERR_FORMAT,
                "announces 1 samples of 2 points, which take 56 bytes, but has 55");
    memset(bytes + 16, 0xff, 4);
    CHECK_FAILS(px_poses_read_pc2("a.pc2", bytes, sizeof bytes, &poses), PX_ERR_FORMAT,
                "announces 1 samples of 4294967295 points");
    memset(bytes + 16, 0, 4);
    bytes[16] = 2;
    memset(bytes + 40, 0xff, 4); /* a NaN */
    CHECK_FAILS(px_poses_read_pc2("a.pc2", bytes, sizeof bytes, &poses), PX_ERR_FORMAT,
                "z of point 0 of sample 1 is");
    bytes[12] = 9;
    CHECK_FAILS(px_poses_read_pc2("a.pc2", bytes, sizeof bytes, &poses), PX_ERR_FORMAT,
                "version 9");
}

/* ---- motion in time ---- */

TEST(poses_are_met_at_their_times_and_speeds_are_bounded_in_between)
{
    Folder folder = folder_make();
    write_moving(&folder, mesh_ball(0.2, 8), pulse, 12);
    PxMesh *mesh;
    CHECK_OK(px_mesh_read_file(folder_file(&folder, "mesh.obj"), &mesh));
    for (int kind = 0; kind < 4; ++kind) {
        PxShapeDef def = moving_def(&folder);
        def.pose_loop = kind & 1;
        def.pose_between = kind & 2 ? PX_POSES_SMOOTH : PX_POSES_LINEAR;
        def.pose_start = 0.25;
        PxPoses *p;
        CHECK_OK(px_poses_read(&def, mesh, &p));
        CHECK(p->intervals == (def.pose_loop ? 12u : 11u));
        PxVec3 *a = malloc(2 * mesh->vertex_count * sizeof *a), *b = a + mesh->vertex_count;
        for (uint32_t k = 0; k < 12; ++k) {
            px_poses_at(p, 0.25 + k / 10.0, a);
            PxVec3 wanted = pulse(mesh->position[5], k, 12);
            CHECK(px_length(px_sub(a[5], wanted)) < 1e-6); /* rounding of floats */
        }
        px_poses_at(p, 0.25 + 13 / 10.0,
                    a); /* after the end: the loop's second pose, or the last */
        PxVec3 after = pulse(mesh->position[5], def.pose_loop ? 1 : 11, 12);
        CHECK(px_length(px_sub(a[5], after)) < 1e-6);
        double most = 0, step = 0.001, tightest = 0;
        for (double t = 0; t < 1.6; t += step) {
            px_poses_at(p, t, a);
            px_poses_at(p, t + step, b);
            double way = 0;
            for (uint32_t v = 0; v < mesh->vertex_count; ++v)
                way = fmax(way, px_length(px_sub(b[v], a[v])));
            most = fmax(most, way / step);
            /* no vertex goes further than allowed */
            double limit = px_poses_limit(p, t, 0.02, 0.5);
            px_poses_at(p, t + limit, b);
            for (uint32_t v = 0; v < mesh->vertex_count; ++v)
                tightest = fmax(tightest, px_length(px_sub(b[v], a[v])));
        }
        CHECK(most <= px_poses_speed(p) * (1 + 1e-6));
        CHECK(most > 0.5 * px_poses_speed(p)); /* the bound is of use */
        CHECK(tightest <= 0.02 * (1 + 1e-6) && tightest > 0.012);
        free(a);
        px_poses_free(p);
    }
    px_mesh_free(mesh);
    folder_remove_path(folder.path);
}

/* ---- distances ---- */

TEST(distances_at_any_moment_are_those_of_the_mesh_as_it_is_then)
{
    Folder folder = folder_make();
    write_moving(&folder, mesh_ball(0.3, 10), pulse, 12);
    PxShapeDef def = moving_def(&folder);
    def.scale = 1.5;
    def.rotation = px_quat_turn(px_vec(1, 2, 0.5), 0.7);
    def.at = px_vec(0.1, 0.2, -0.1);
    PxShape *shape = make(&def);
    PxMovingMesh *moving = px_shape_moving(shape);
    PxMesh *mesh;
    CHECK_OK(px_mesh_read_file(def.mesh, &mesh));
    for (int turn = 0; turn < 4; ++turn) {
        double when = turn / 3.0;
        px_moving_mesh_set(moving, 0.13 + 0.1 * turn, 0.1);
        for (uint32_t v = 0; v < mesh->vertex_count; ++v)
            mesh->position[v] = px_moving_mesh_vertex(moving, when, v);
        PxShapeDef still = px_shape_def_default(PX_SHAPE_MESH);
        PxShape *same;
        CHECK_OK(px_shape_create_from_mesh(&still, mesh, "same", &same));
        int inside = 0;
        for (uint64_t k = 0; k < 2000; ++k) {
            PxVec3 x = random_place(k, 0.8), n, m;
            PxMovingSpot spot;
            double d = px_shape_distance(same, x, &n);
            px_moving_mesh_closest(moving, when, x, &spot);
            CHECK_NEAR(spot.distance, d, 1e-12);
            m = spot.normal;
            CHECK(fabs(d) < 1e-6 || px_dot(n, m) > 1 - 1e-9);
            inside += d < 0;
        }
        CHECK(inside > 100);
        px_shape_free(same);
    }
    px_mesh_free(mesh);
    px_shape_free(shape);
    folder_remove_path(folder.path);
}

static PxWall wall_of(const PxShapeDef *def)
{
    PxWall wall = {.shape = make(def), .now.turn = {0, 0, 0, 1}};
    px_wall_boundary(&wall);
    return wall;
}

TEST(matter_at_a_wall_is_carried_and_dragged_with_it)
{
    Folder folder = folder_make();
    write_moving(&folder, mesh_box(px_vec(1, 0.4, 1)), spin, 9);
    PxShapeDef def = moving_def(&folder);
    PxWall wall = wall_of(&def);
    PxBoundary *b = &wall.boundary;
    px_boundary_begin(b, 0.2, 0.1);
    /* poses at 0.2 and 0.3 rad; the velocity is that of the chord */
    for (uint64_t k = 0; k < 500; ++k) {
        PxVec3 rest = px_vec(px_random_unit(k, 1, 0) - 0.5, 0.2 + 0.05 * px_random_unit(k, 1, 1),
                             px_random_unit(k, 1, 2) - 0.5);
        PxVec3 from = spin(rest, 2, 9), to = spin(rest, 3, 9);
        CHECK(px_length(px_sub(b->ops->carry(b, 0, from, 1), to)) < 1e-6);
        PxVec3 foot = px_vec(rest.x, 0.2, rest.z);
        PxVec3 v = px_scale(px_sub(spin(foot, 3, 9), spin(foot, 2, 9)), 10);
        CHECK(px_length(px_sub(b->ops->velocity(b, 0, from), v)) < 1e-5);
        CHECK(px_length(v) <= b->ops->top_speed(b) * (1 + 1e-6));
    }
    CHECK(b->ops->travel(b) <= 0.1 * b->ops->top_speed(b) * (1 + 1e-6));
    px_shape_free(wall.shape);
    folder_remove_path(folder.path);
}

TEST(a_thin_wall_that_sweeps_over_a_point_in_one_step_is_seen)
{
    Folder folder = folder_make();
    write_moving(&folder, mesh_box(px_vec(0.001, 1, 1)), slide, 3);
    PxShapeDef def = moving_def(&folder);
    PxWall wall = wall_of(&def);
    PxBoundary *b = &wall.boundary;
    px_boundary_begin(b, 0, 0.1); /* from x = 0 to 0.5 m */
    double at;
    PxVec3 x = px_vec(0.2, 0.1, 0.1), aside = px_vec(0.2, 0.7, 0.1);
    PxBoundaryPath stays = {{0, 1}, {x, x}}, beside = {{0, 1}, {aside, aside}};
    PxBoundaryPath flees = {{0, 1}, {x, px_vec(0.9, 0.1, 0.1)}};
    CHECK(b->ops->meets(b, &stays, 1e-4, &at));
    /* between the touch and the surface */
    CHECK(at > (0.2 - 0.0005 - 1e-4) / 0.5 - 1e-6 && at < (0.2 - 0.0005) / 0.5 + 1e-6);
    CHECK(b->ops->passes(b, &stays, 1e-4));
    CHECK(!b->ops->meets(b, &flees, 1e-4, &at));
    CHECK(!b->ops->meets(b, &beside, 1e-4, &at) && !b->ops->passes(b, &beside, 1e-4));
    px_shape_free(wall.shape);
    folder_remove_path(folder.path);
}

/* ---- scenes ---- */

#define BEGIN                                                                                      \
    "{\"phyxel\": 1, \"spacing\": 0.04, \"time\": {\"frames\": 30, \"fps\": 30},\n"                \
    " \"materials\": {\"water\": {\"density\": 1000}, \"jelly\": {\"density\": 1000, \"young\": "  \
    "2e4}, \"stone\": {\"density\": 2000}, \"cotton\": {\"density\": 1000, \"cloth\": {}}},\n"     \
    " \"bodies\": [\n"
#define MOVING(more)                                                                               \
    "{\"name\": \"mover\", \"wall\": true, \"shape\": {\"mesh\": {\"file\": \"mesh.obj\", "        \
    "\"poses\": \"mesh.pc2\", \"fps\": 12" more "}}}"

#define WATER_IN                                                                                   \
    "{\"name\": \"water\", \"material\": \"water\", \"shape\": {\"box\": [0.88, 0.16, 0.56], "     \
    "\"at\": [0, -0.42, 0]}}"

static PxScene *scene_in(const Folder *folder, const char *text)
{
    PxScene *scene = NULL;
    px_scene_read_text("moving.json", folder->path, text, strlen(text), &scene);
    CHECK(scene != NULL);
    px_scene_check(scene);
    return scene;
}

static void check_one(const Folder *folder, const char *text, PxSeverity severity,
                      const char *place, const char *words)
{
    PxScene *scene = scene_in(folder, text);
    const PxComplaint *c = px_scene_complaint(scene, 0);
    if (px_scene_complaint_count(scene) != 1 || c->severity != severity ||
        strcmp(c->place, place) != 0 || strstr(c->text, words) == NULL) {
        print_complaints(scene);
        fail_msg("wanted one complaint at %s: %s", place, words);
    }
    px_scene_free(scene);
}

TEST(a_scene_with_wrong_poses_is_told_what_is_wrong)
{
    Folder folder = folder_make();
    write_moving(&folder, mesh_ball(0.2, 8), pulse, 10);
    check_one(
        &folder, BEGIN WATER_IN ", " MOVING("") "]}", PX_WARNING, "bodies[1].shape.mesh.poses",
        "has 10 poses until 0.75 s, and the scene lasts 1 s: the mesh stays in its last pose");
    PxScene *scene = scene_in(&folder, BEGIN WATER_IN ", " MOVING(", \"loop\": true") "]}");
    CHECK_COUNT(scene, 0);
    px_scene_free(scene);
    check_one(&folder,
              BEGIN WATER_IN
              ", {\"name\": \"a\", \"material\": \"jelly\", \"shape\": {\"mesh\": {\"file\": "
              "\"mesh.obj\", \"poses\": \"mesh.pc2\", \"loop\": true}}}]}",
              PX_ERROR, "bodies[1].shape.mesh.poses", "is for walls");
    check_one(&folder,
              BEGIN WATER_IN
              ", {\"name\": \"a\", \"wall\": true, \"shape\": {\"mesh\": {\"file\": "
              "\"mesh.obj\", \"poses\": \"mesh.pc2\", \"loop\": true}}, \"keyframes\": "
              "[{\"at\": 1, \"move\": [1, 0, 0]}]}]}",
              PX_ERROR, "bodies[1].keyframes", "is a second motion");
    check_one(&folder,
              BEGIN WATER_IN ", {\"name\": \"a\", \"wall\": true, \"shape\": {\"mesh\": {\"file\": "
                             "\"mesh.obj\", \"loop\": true}}}]}",
              PX_ERROR, "bodies[1].shape.mesh.loop", "there are none");
    check_one(&folder,
              BEGIN WATER_IN
              ", {\"name\": \"a\", \"wall\": true, \"shape\": {\"mesh\": {\"poses\": "
              "\"mesh.pc2\", \"loop\": true}}}]}",
              PX_ERROR, "bodies[1].shape.mesh.file", "is missing");
    check_one(&folder,
              BEGIN WATER_IN ", {\"name\": \"a\", \"wall\": true, \"shape\": {\"mesh\": {\"file\": "
                             "\"mesh.obj\", \"poses\": \"mesh.pc2\", \"betwen\": \"smooth\"}}}]}",
              PX_ERROR, "bodies[1].shape.mesh.betwen", "between");
    check_one(&folder,
              BEGIN WATER_IN ", {\"name\": \"a\", \"wall\": true, \"shape\": {\"mesh\": {\"file\": "
                             "\"mesh.obj\", \"poses\": \"mesh.obj\"}}}]}",
              PX_ERROR, "bodies[1].shape.mesh", "does not begin as a PC2 file does");
    write_moving(&folder, mesh_ball(0.2, 8), slide, 10);
    check_one(&folder, BEGIN WATER_IN ", " MOVING(", \"loop\": true") "]}", PX_WARNING,
              "bodies[1].shape.mesh.poses", "jumps from its last pose to its first");
    folder_remove_path(folder.path);
}

static PxWorld *run_scene(const Folder *folder, const char *text, int threads, double time,
                          PxStats *stats)
{
    PxScene *scene = scene_in(folder, text);
    PxWorld *world;
    print_complaints(scene);
    CHECK_COUNT(scene, 0);
    CHECK_OK(px_scene_world(scene, threads, &world));
    px_scene_free(scene);
    CHECK_OK(px_world_advance(world, time));
    px_world_stats(world, stats);
    return world;
}

#define TANK                                                                                       \
    ", {\"name\": \"tank\", \"wall\": true, \"inside\": true, \"shape\": {\"box\": [0.9, 1.2, "    \
    "0.6], \"at\": [0, 0.1, 0]}}"

TEST(water_a_solid_and_a_rigid_body_do_not_pass_through_a_wall_with_poses)
{
    Folder folder = folder_make();
    write_moving(&folder, mesh_ball(0.2, 8), pulse, 12);
    static const char text[] = BEGIN MOVING(", \"loop\": true, \"between\": \"smooth\"") TANK
        ", " WATER_IN
        ", {\"name\": \"jelly\", \"material\": \"jelly\", \"shape\": {\"box\": [0.16, 0.16, "
        "0.16], \"at\": [-0.05, 0.4, 0]}},\n"
        " {\"name\": \"stone\", \"material\": \"stone\", \"rigid\": true, \"shape\": {\"box\": "
        "[0.3, 0.1, 0.2], \"at\": [0.2, 0.55, 0]}}]}";
    PxStats one, two;
    PxWorld *world = run_scene(&folder, text, 1, 0.6, &one);
    CHECK(one.leaked == 0 && one.rigid_crossed == 0);
    /* matter that was pushed aside is nowhere inside the mesh */
    PxShapeDef def = moving_def(&folder);
    def.pose_fps = 12;
    def.pose_loop = true;
    def.pose_between = PX_POSES_SMOOTH;
    PxShape *shape = make(&def);
    px_moving_mesh_set(px_shape_moving(shape), px_world_time(world), 0);
    for (uint32_t i = 0; i < px_world_count(world); ++i) {
        PxMovingSpot spot;
        PxVec3 x = px_vec((double)px_world_floats(world, "position", 0)[i],
                          (double)px_world_floats(world, "position", 1)[i],
                          (double)px_world_floats(world, "position", 2)[i]);
        px_moving_mesh_closest(px_shape_moving(shape), 0, x, &spot);
        CHECK(spot.distance > -1e-6);
    }
    px_shape_free(shape);
    uint64_t first[2], second[2];
    px_table_hash(&world->particles.table, PX_COLUMN_STATE, first);
    px_world_free(world);
    world = run_scene(&folder, text, 2, 0.6, &two);
    px_table_hash(&world->particles.table, PX_COLUMN_STATE, second);
    CHECK(memcmp(first, second, sizeof first) == 0);
    PxSavedWorld *saved = NULL;
    CHECK_OK(px_world_save(world, &saved));
    CHECK_OK(px_world_advance(world, 0.7));
    px_table_hash(&world->particles.table, PX_COLUMN_STATE, first);
    CHECK_OK(px_world_restore(world, saved));
    CHECK_OK(px_world_advance(world, 0.7));
    px_table_hash(&world->particles.table, PX_COLUMN_STATE, second);
    CHECK(memcmp(first, second, sizeof first) == 0);
    px_saved_free(saved);
    px_world_free(world);
    folder_remove_path(folder.path);
}

TEST(cloth_is_carried_by_a_wall_with_poses_and_not_crossed)
{
    Folder folder = folder_make();
    write_moving(&folder, mesh_ball(0.2, 8), pulse, 12);
    static const char text[] = BEGIN MOVING(
        ", \"loop\": true, \"between\": \"smooth\"") ", {\"name\": \"sheet\", \"material\": "
                                                     "\"cotton\", \"shape\": {\"sheet\": "
                                                     "{\"width\": "
                                                     "0.6, \"length\": 0.6, \"columns\": 20, "
                                                     "\"rows\": 20}, \"at\": [0, 0.27, 0]}}]}";
    PxStats stats;
    PxWorld *world = run_scene(&folder, text, 1, 0.6, &stats);
    CHECK(stats.cloth_crossed == 0 && stats.cloth_contacts > 5);
    /* without the ball its middle would have fallen to -1.5 m */
    const PxColumn *c = px_table_find(&world->cloth_vertices, "position");
    CHECK(((double *)c->data[1])[10 * 21 + 10] > 0.05);
    px_world_free(world);
    folder_remove_path(folder.path);
}

TEST(a_handle_binds_cloth_to_a_wall_with_poses)
{
    Folder folder = folder_make();
    write_moving(&folder, mesh_box(px_vec(1, 0.4, 1)), spin, 9);
    static const char text[] =
        BEGIN MOVING(", \"start\": -0.1") ", {\"name\": \"sheet\", \"material\": \"cotton\", "
                                          "\"shape\": {\"sheet\": {\"width\": 0.4, \"length\": "
                                          "0.4, \"columns\": 8, \"rows\": 8}, "
                                          "\"at\": [0.1, 0.3, 0]}}],\n \"handles\": [{\"body\": "
                                          "\"sheet\", \"with\": \"mover\", "
                                          "\"start\": 0.1, \"shape\": {\"box\": [2, 2, 2]}}]}";
    PxScene *scene = scene_in(&folder, text);
    PxWorld *world;
    CHECK_OK(px_scene_world(scene, 1, &world));
    px_scene_free(scene);
    CHECK_OK(px_world_advance(world, 0.1));
    const PxTable *t = &world->cloth_vertices;
    const PxColumn *c = px_table_find(t, "position");
    uint32_t n = t->count;
    PxVec3 *before = malloc(n * sizeof *before);
    for (uint32_t v = 0; v < n; ++v)
        before[v] =
            px_vec(((double *)c->data[0])[v], ((double *)c->data[1])[v], ((double *)c->data[2])[v]);
    CHECK_OK(px_world_advance(world, 0.4));
    /* 12 poses per second of 0.1 rad each: the sheet has turned with the box, rigidly */
    double a = 0.1 * 12 * 0.3, most = 0;
    for (uint32_t v = 0; v < n; ++v) {
        PxVec3 x =
            px_vec(((double *)c->data[0])[v], ((double *)c->data[1])[v], ((double *)c->data[2])[v]);
        PxVec3 y = before[v];
        PxVec3 wanted = px_vec(cos(a) * y.x - sin(a) * y.y, sin(a) * y.x + cos(a) * y.y, y.z);
        most = fmax(most, px_length(px_sub(x, wanted)));
    }
    /* between poses points go along chords: 0.7 m (1 - cos 0.05) at most, twice */
    CHECK(most < 0.002);
    free(before);
    px_world_free(world);
    write_moving(&folder, mesh_ball(0.2, 8), pulse, 12);
    check_one(&folder,
              BEGIN WATER_IN
              ", " MOVING(", \"loop\": true") ", {\"name\": \"jelly\", "
                                              "\"material\": \"jelly\", \"shape\": {\"box\": [0.2, "
                                              "0.2, 0.2], \"at\": "
                                              "[0, 0.6, 0]}}], \"handles\": [{\"body\": \"jelly\", "
                                              "\"with\": \"mover\", "
                                              "\"shape\": {\"box\": [2, 2, 2]}}]}",
              PX_ERROR, "handles[0].with", "is for cloth");
    folder_remove_path(folder.path);
}

TEST_MAIN()
