/// Poses of rigid bodies and walls of all frames in one CSV file, poses.csv: a line for each body
/// and frame; beside it the meshes and caches of store/export_walls.h.
///
/// A point x of the shape as the scene places it is at turn (x - pivot) + pivot + move; pivot +
/// move is the centre of mass of a rigid body. `turn` is a unit quaternion, its real part last.
/// Walls with keyframes have their pose at the time of the frame; those whose mesh has poses stay
/// where they are, and their cache moves them.
///
/// If there are joints, joint_states.csv has a line for each of them and frame: whether it is
/// broken, and the force at its place.
///
/// If the scene has a camera, camera.csv has its place, its target and its vertical angle of view
/// in each frame; if it has lamps, lights.csv has them.
#include "store/export_walls.h"

#include "scene/content.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct Poses {
    PxFile file, joints_file, camera_file;
    PxText text, joints, camera;
    const PxScene *scene;   /* may be NULL */
    PxSceneWalls walls;     /* none without a scene */
    PxExportWalls *deforms; /* NULL without a scene */
    bool any;               /* something was written */
    char out[PX_PATH_MAX];  /* folder */
} Poses;

/* Columns of the table of rigid bodies, with the names of their components. */
static const struct {
    const char *name;
    uint32_t components;
} columns[] = {{"pivot", 3}, {"move", 3}, {"turn", 4}, {"velocity", 3}, {"spin", 3}};

static void add_head(PxText *text)
{
    px_text_add(text, "frame,time,body");
    for (size_t c = 0; c < PX_COUNT(columns); ++c)
        for (uint32_t k = 0; k < columns[c].components; ++k)
            px_text_add(text, ",%s_%c", columns[c].name, "xyzw"[k]);
    px_text_add(text, "\n");
}

static void add_vector(PxText *text, PxVec3 v)
{
    const double value[3] = {v.x, v.y, v.z};
    for (int k = 0; k < 3; ++k) {
        px_text_add(text, ",");
        px_text_add_f64(text, value[k]);
    }
}

/* Lamps of the scene; their colours are sRGB, their power is relative to that of the sun. */
static PxStatus write_lights(const char *out, const PxScene *scene)
{
    char path[PX_PATH_MAX];
    PxText text = {0};
    PxFile file = {.descriptor = -1};
    if (scene->lamps == 0)
        return PX_OK;
    PX_TRY(px_path_join(path, out, "lights.csv"));
    px_text_add(&text, "light,at_x,at_y,at_z,red,green,blue,radius,power\n");
    for (size_t k = 0; k < scene->lamps; ++k) {
        const PxSceneLamp *lamp = &scene->lamp[k];
        px_text_add(&text, "%zu", k);
        add_vector(&text, lamp->at);
        add_vector(&text, lamp->colour);
        px_text_add(&text, ",");
        px_text_add_f64(&text, lamp->radius);
        px_text_add(&text, ",");
        px_text_add_f64(&text, lamp->power);
        px_text_add(&text, "\n");
    }
    PxStatus status = px_file_begin(&file, path);
    if (status == PX_OK)
        status = px_export_flush(&file, &text, true);
    if (status == PX_OK)
        status = px_file_commit(&file);
    px_file_abandon(&file);
    px_text_free(&text);
    return status;
}

static PxStatus begin_camera(Poses *poses, const char *out)
{
    char path[PX_PATH_MAX];
    if (poses->scene == NULL || !poses->scene->has_camera)
        return PX_OK;
    PX_TRY(px_path_join(path, out, "camera.csv"));
    PX_TRY(px_file_begin(&poses->camera_file, path));
    px_text_add(&poses->camera, "frame,time,from_x,from_y,from_z,to_x,to_y,to_z,fov\n");
    return PX_OK;
}

PxStatus px_export_poses_begin(const PxExportDef *def, const char *out, void **state)
{
    char path[PX_PATH_MAX];
    if (def->up != '\0')
        return px_fail(PX_ERR_ARGUMENT, "export: poses are in the axes of the scene, wanted no "
                                        "other axis up");
    PX_TRY(px_path_join(path, out, "poses.csv"));
    Poses *poses = calloc(1, sizeof *poses);
    if (poses == NULL)
        return px_fail(PX_ERR_MEMORY, "no room to write '%s'", path);
    poses->file.descriptor = poses->joints_file.descriptor = poses->camera_file.descriptor = -1;
    poses->scene = def->scene;
    snprintf(poses->out, sizeof poses->out, "%s", out);
    PxStatus status = def->scene != NULL ? px_scene_walls(def->scene, &poses->walls) : PX_OK;
    if (status == PX_OK && def->scene != NULL)
        status = px_export_models(out, def->scene, &poses->walls);
    if (status == PX_OK && def->scene != NULL)
        status = px_export_walls_begin(out, &poses->walls, &poses->deforms);
    if (status == PX_OK && def->scene != NULL)
        status = write_lights(out, def->scene);
    if (status == PX_OK)
        status = begin_camera(poses, out);
    if (status == PX_OK)
        status = px_file_begin(&poses->file, path);
    add_head(&poses->text);
    *state = poses;
    if (status != PX_OK) {
        px_export_poses_end(poses, status);
        *state = NULL;
    }
    return status;
}

static void begin_row(PxText *text, const PxExportFrame *frame)
{
    px_text_add(text, "%u,", frame->meta.number);
    px_text_add_f64(text, frame->meta.time);
    px_text_add(text, ",");
}

static PxStatus add_rigid(Poses *poses, const PxExportFrame *frame)
{
    const PxTable *t = &frame->rigid;
    const PxColumn *body = px_table_find(t, "body"), *column[PX_COUNT(columns)];
    for (size_t c = 0; t->count > 0 && c < PX_COUNT(columns); ++c) {
        column[c] = px_table_find(t, columns[c].name);
        if (body == NULL || column[c] == NULL || column[c]->components != columns[c].components)
            return px_fail(PX_ERR_FORMAT, "export: frame %u does not hold the %s of rigid bodies",
                           frame->meta.number, columns[c].name);
    }
    poses->any |= t->count > 0;
    for (uint32_t row = 0; row < t->count; ++row) {
        begin_row(&poses->text, frame);
        px_export_value(&poses->text, body, 0, row);
        for (size_t c = 0; c < PX_COUNT(columns); ++c)
            for (uint32_t k = 0; k < columns[c].components; ++k) {
                px_text_add(&poses->text, ",");
                px_export_value(&poses->text, column[c], k, row);
            }
        px_text_add(&poses->text, "\n");
    }
    return PX_OK;
}

static void add_wall(Poses *poses, const PxExportFrame *frame, const PxWall *wall)
{
    PxPose pose = px_pose_at(wall->key, wall->keys, frame->meta.time);
    PxPoseRate rate = px_pose_rate(wall->key, wall->keys, frame->meta.time);
    PxVec3 p = wall->pivot, m = pose.move, v = rate.move, w = rate.spin;
    PxQuat q = pose.turn;
    const double value[] = {p.x, p.y, p.z, m.x, m.y, m.z, q.x, q.y,
                            q.z, q.w, v.x, v.y, v.z, w.x, w.y, w.z};
    begin_row(&poses->text, frame);
    px_text_add(&poses->text, "%u", wall->boundary.body);
    for (size_t k = 0; k < PX_COUNT(value); ++k) {
        px_text_add(&poses->text, ",");
        px_text_add_f64(&poses->text, value[k]);
    }
    px_text_add(&poses->text, "\n");
}

/* The file begins with the first frame that has joints. */
static PxStatus add_joints(Poses *poses, const PxExportFrame *frame)
{
    const PxTable *t = &frame->joints;
    static const char *const word[] = {"joint", "broken", "force"};
    const PxColumn *column[PX_COUNT(word)];
    if (t->count == 0)
        return PX_OK;
    for (size_t c = 0; c < PX_COUNT(word); ++c) {
        column[c] = px_table_find(t, word[c]);
        if (column[c] == NULL || column[c]->components != 1)
            return px_fail(PX_ERR_FORMAT, "export: frame %u does not hold the %s of joints",
                           frame->meta.number, word[c]);
    }
    if (poses->joints_file.descriptor < 0) {
        char path[PX_PATH_MAX];
        PX_TRY(px_path_join(path, poses->out, "joint_states.csv"));
        PX_TRY(px_file_begin(&poses->joints_file, path));
        px_text_add(&poses->joints, "frame,time,joint,broken,force\n");
    }
    for (uint32_t row = 0; row < t->count; ++row) {
        begin_row(&poses->joints, frame);
        for (size_t c = 0; c < PX_COUNT(word); ++c) {
            px_text_add(&poses->joints, c > 0 ? "," : "");
            px_export_value(&poses->joints, column[c], 0, row);
        }
        px_text_add(&poses->joints, "\n");
    }
    return px_export_flush(&poses->joints_file, &poses->joints, false);
}

static PxStatus add_camera(Poses *poses, const PxExportFrame *frame)
{
    if (poses->camera_file.descriptor < 0)
        return PX_OK;
    PxSceneCamera camera = px_scene_camera_at(poses->scene, frame->meta.time);
    px_text_add(&poses->camera, "%u,", frame->meta.number);
    px_text_add_f64(&poses->camera, frame->meta.time);
    add_vector(&poses->camera, camera.from);
    add_vector(&poses->camera, camera.to);
    px_text_add(&poses->camera, ",");
    px_text_add_f64(&poses->camera, camera.fov);
    px_text_add(&poses->camera, "\n");
    poses->any = true;
    return px_export_flush(&poses->camera_file, &poses->camera, false);
}

PxStatus px_export_poses_add(void *state, const PxExportFrame *frame)
{
    Poses *poses = state;
    PX_TRY(add_rigid(poses, frame));
    PX_TRY(add_joints(poses, frame));
    PX_TRY(add_camera(poses, frame));
    for (size_t k = 0; k < poses->walls.count; ++k) {
        const PxWall *wall = &poses->walls.wall[k];
        if (wall->rigid || !px_export_wall_shown(wall))
            continue;
        add_wall(poses, frame, wall);
        poses->any = true;
    }
    if (poses->deforms != NULL)
        PX_TRY(px_export_walls_add(poses->deforms, &frame->meta));
    return px_export_flush(&poses->file, &poses->text, false);
}

PxStatus px_export_poses_end(void *state, PxStatus status)
{
    Poses *poses = state;
    if (status == PX_OK && !poses->any)
        status = px_fail(PX_ERR_ARGUMENT, "export: there are no rigid bodies, no walls but "
                                          "planes and no camera, so no poses to write");
    if (status == PX_OK)
        status = px_export_flush(&poses->file, &poses->text, true);
    if (poses->deforms != NULL)
        status = px_export_walls_end(poses->deforms, status);
    if (status == PX_OK && poses->joints_file.descriptor >= 0)
        status = px_export_flush(&poses->joints_file, &poses->joints, true);
    if (status == PX_OK && poses->joints_file.descriptor >= 0)
        status = px_file_commit(&poses->joints_file);
    if (status == PX_OK && poses->camera_file.descriptor >= 0)
        status = px_export_flush(&poses->camera_file, &poses->camera, true);
    if (status == PX_OK && poses->camera_file.descriptor >= 0)
        status = px_file_commit(&poses->camera_file);
    if (status == PX_OK)
        status = px_file_commit(&poses->file);
    px_file_abandon(&poses->camera_file);
    px_file_abandon(&poses->joints_file);
    px_file_abandon(&poses->file);
    px_scene_walls_free(&poses->walls);
    px_text_free(&poses->text);
    px_text_free(&poses->joints);
    px_text_free(&poses->camera);
    free(poses);
    return status;
}
