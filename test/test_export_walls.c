/// Walls and rigid bodies as triangles, placed as in a frame.
#include "runs.h"

#include "base/vec.h"
#include "shape/shape.h"
#include "store/ply_points.h"

static const char text[] =
    "{\"phyxel\": 1, \"name\": \"walls\", \"time\": {\"frames\": 2, \"fps\": 10},\n"
    " \"gravity\": [0, 0, 0], \"spacing\": 0.1, \"materials\": {\"wood\": {\"density\": 500}},\n"
    " \"bodies\": [\n"
    "  {\"name\": \"floor\", \"shape\": {\"plane\": {}, \"at\": [0, -5, 0]}, \"wall\": true},\n"
    "  {\"name\": \"crate\", \"shape\": {\"box\": [0.2, 0.4, 0.2], \"at\": [0, 1, 0]},\n"
    "   \"rigid\": true, \"material\": \"wood\", \"velocity\": [1, 0, 0],\n"
    "   \"look\": {\"kind\": \"matte\", \"colour\": [1, 0.2, 0]}},\n"
    "  {\"name\": \"paddle\", \"shape\": {\"box\": [0.1, 0.2, 0.4], \"at\": [0.6, 0.3, 0]},\n"
    "   \"wall\": true, \"keyframes\": [{\"at\": 0}, {\"at\": 1, \"move\": [-0.5, 0, 0]}]}]}\n";

static PxBounds bounds_of(const PxPlyPoints *ply, uint32_t body)
{
    PxBounds b = px_bounds_empty();
    const PxColumn *position = px_table_find(&ply->points, "position");
    const uint32_t *number = px_table_find(&ply->points, "body")->data[0];
    for (uint32_t i = 0; i < ply->points.count; ++i)
        if (number[i] == body)
            px_bounds_add(&b, px_vec(((const double *)position->data[0])[i],
                                     ((const double *)position->data[1])[i],
                                     ((const double *)position->data[2])[i]));
    return b;
}

static void check_at(PxVec3 got, double x, double y, double z)
{
    CHECK_NEAR(got.x, x, 1e-6);
    CHECK_NEAR(got.y, y, 1e-6);
    CHECK_NEAR(got.z, z, 1e-6);
}

TEST(walls_and_rigid_bodies_are_where_they_are_in_the_frame)
{
    Folder folder = folder_make();
    PxScene *scene = tiny_scene(text);
    PxRunDef run = run_into(folder_file(&folder, "run"));
    CHECK_OK(px_run(scene, &run, NULL, NULL, NULL));
    PxExportDef def = px_export_def_default();
    def.dir = folder_file(&folder, "run");
    def.format = "ply";
    def.what = PX_EXPORT_WALLS;
    CHECK_FAILS(px_export(&def, NULL, NULL), PX_ERR_ARGUMENT, "need the scene");
    def.scene = scene;
    CHECK_OK(px_export(&def, NULL, NULL));
    PxPlyPoints ply;
    CHECK_OK(px_ply_points_read(folder_file(&folder, "run/ply-walls/000002.ply"), &ply));
    CHECK_EQUAL(ply.triangles, 24); /* two boxes; planes have none */
    CHECK_NEAR(ply.time, 0.2, 1e-12);
    PxBounds crate = bounds_of(&ply, 1), paddle = bounds_of(&ply, 2);
    check_at(crate.low, 0.1, 0.8, -0.1);
    check_at(crate.high, 0.3, 1.2, 0.1);
    check_at(paddle.low, 0.45, 0.2, -0.2);
    check_at(paddle.high, 0.55, 0.4, 0.2);
    const PxColumn *colour = px_table_find(&ply.points, "colour");
    CHECK(colour != NULL && ((const uint8_t *)colour->data[0])[0] == 255 &&
          ((const uint8_t *)colour->data[1])[0] == 51);
    px_ply_points_free(&ply);
    px_scene_free(scene);
    folder_remove(&folder);
}

TEST(without_walls_or_with_poses_it_is_refused)
{
    static const char plane[] =
        "{\"phyxel\": 1, \"name\": \"plane\", \"time\": {\"frames\": 1, \"fps\": 10},\n"
        " \"spacing\": 0.1, \"materials\": {\"water\": {\"density\": 1000}}, \"bodies\": [\n"
        "  {\"name\": \"floor\", \"shape\": {\"plane\": {}, \"at\": [0, -1, 0]}, \"wall\": true},\n"
        "  {\"name\": \"drop\", \"shape\": {\"box\": [0.2, 0.2, 0.2]}, \"material\": \"water\"}]}";
    Folder folder = folder_make();
    PxScene *scene = tiny_scene(plane);
    PxRunDef run = run_into(folder_file(&folder, "run"));
    CHECK_OK(px_run(scene, &run, NULL, NULL, NULL));
    PxExportDef def = px_export_def_default();
    def.dir = folder_file(&folder, "run");
    def.format = "obj";
    def.what = PX_EXPORT_WALLS;
    def.scene = scene;
    CHECK_FAILS(px_export(&def, NULL, NULL), PX_ERR_ARGUMENT, "no walls but planes");
    def.format = "poses";
    CHECK_FAILS(px_export(&def, NULL, NULL), PX_ERR_ARGUMENT, "motion alone");
    px_scene_free(scene);
    folder_remove(&folder);
}

TEST_MAIN()
