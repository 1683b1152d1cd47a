/// What poses move: a PLY file with the surface of each rigid body and wall as the scene places it,
/// bodies.csv with their kinds, names and colours, and joints.csv with the places of the joints.
///
/// Bodies have the numbers of poses.csv. Kinds are `rigid`, `wall` and `deforms`: a wall whose
/// mesh has poses, which body_N.pc2 holds (export_walls.c). `inside` is 1 for a wall around
/// matter. Of a joint, `to` is empty if the other end is in the world.
#include "scene/content.h"
#include "shape/mesh_write.h"
#include "shape/tessellate.h"
#include "store/export_walls.h"

#include <string.h>

/* A text in quotes, quotes in it doubled (RFC 4180). */
static void add_quoted(PxText *text, const char *word)
{
    px_text_add(text, "\"");
    for (const char *c = word; *c != '\0'; ++c)
        px_text_add(text, *c == '"' ? "\"\"" : "%c", *c);
    px_text_add(text, "\"");
}

static void add_vector(PxText *text, PxVec3 v)
{
    const double component[3] = {v.x, v.y, v.z};
    for (int k = 0; k < 3; ++k) {
        px_text_add(text, ",");
        px_text_add_f64(text, component[k]);
    }
}

/* Writes the collected text; frees it. */
static PxStatus write_text(const char *out, const char *name, PxText *text, PxStatus status)
{
    char path[PX_PATH_MAX];
    if (status == PX_OK)
        status = px_path_join(path, out, "%s", name);
    if (status == PX_OK)
        status = px_text_check(text, path);
    if (status == PX_OK)
        status = px_file_write_atomic(path, text->data, text->count);
    px_text_free(text);
    return status;
}

/* ---- bodies ---- */

/* The mesh of a wall with poses at time 0, its vertices in the order of the poses. */
static PxStatus copy_moving(PxMovingMesh *moving, PxMesh **out)
{
    uint32_t triangles, vertices = px_moving_mesh_vertices(moving);
    const uint32_t(*triangle)[3] = px_moving_mesh_triangles(moving, &triangles);
    PX_TRY(px_mesh_create(vertices, triangles, 0, out));
    px_moving_mesh_set(moving, 0, 0);
    for (uint32_t v = 0; v < vertices; ++v)
        (*out)->position[v] = px_moving_mesh_vertex(moving, 0, v);
    memcpy((*out)->triangle, triangle, triangles * sizeof *triangle);
    return PX_OK;
}

PxStatus px_export_wall_mesh(const PxWall *wall, PxMesh **out)
{
    PxMovingMesh *moving = px_wall_moving(wall);
    return moving != NULL ? copy_moving(moving, out) : px_tessellate(wall->shape, false, out);
}

static PxStatus write_mesh(const char *path, const PxScene *scene, const PxWall *wall)
{
    PxMesh *mesh = NULL;
    PxBytes bytes = {0};
    char comment[60];
    snprintf(comment, sizeof comment, "phyxel %s, %c up, SI units",
             wall->rigid ? "rigid body" : "wall", scene->head.up == PX_UP_Z ? 'z' : 'y');
    PxStatus status = px_export_wall_mesh(wall, &mesh);
    if (status == PX_OK)
        status = px_mesh_write_ply(mesh, PX_MESH_SINGLE, comment, &bytes);
    if (status == PX_OK)
        status = px_file_write_atomic(path, bytes.data, bytes.count);
    px_bytes_free(&bytes);
    px_mesh_free(mesh);
    return status;
}

PxVec3 px_export_wall_colour(const PxScene *scene, uint32_t number)
{
    const PxSceneBody *body = &scene->body[number];
    const PxSceneLook *look = body->is.look;
    size_t material = body->is.refers[0];
    if (look == NULL && material < scene->materials)
        look = scene->material[material].is.look;
    return look != NULL ? look->colour : px_vec(0.76, 0.55, 0.38);
}

static PxStatus write_bodies(const char *out, const PxScene *scene, const PxSceneWalls *walls)
{
    PxText text = {0};
    PxStatus status = PX_OK;
    px_text_add(&text, "body,mesh,kind,inside,red,green,blue,name\n");
    for (size_t k = 0; k < walls->count && status == PX_OK; ++k) {
        const PxWall *wall = &walls->wall[k];
        uint32_t number = wall->boundary.body;
        char path[PX_PATH_MAX];
        if (!px_export_wall_shown(wall))
            continue;
        status = px_path_join(path, out, "body_%u.ply", number);
        if (status == PX_OK)
            status = write_mesh(path, scene, wall);
        px_text_add(&text, "%u,body_%u.ply,%s,%d", number, number,
                    wall->rigid                    ? "rigid"
                    : px_wall_moving(wall) != NULL ? "deforms"
                                                   : "wall",
                    wall->inside);
        add_vector(&text, px_export_wall_colour(scene, number));
        px_text_add(&text, ",");
        add_quoted(&text, scene->body[number].def.name);
        px_text_add(&text, "\n");
    }
    return write_text(out, "bodies.csv", &text, status);
}

/* ---- joints ---- */

static PxStatus write_joints(const char *out, PxScene *scene)
{
    static const char *const word[] = {[PX_JOINT_BALL] = "ball",
                                       [PX_JOINT_HINGE] = "hinge",
                                       [PX_JOINT_SLIDER] = "slider",
                                       [PX_JOINT_WELD] = "weld",
                                       [PX_JOINT_SPRING] = "spring"};
    PxSceneList *joints = px_scene_list(scene, &px_joint_kind);
    PxText text = {0};
    px_text_add(&text, "joint,kind,body,to,at_x,at_y,at_z,anchor_x,anchor_y,anchor_z,axis_x,axis_y,"
                       "axis_z,name\n");
    for (size_t k = 0; k < joints->count; ++k) {
        PxSceneThing *thing = px_scene_thing(joints, &px_joint_kind, k);
        const PxJointDef *def = px_thing_def(thing);
        bool world = thing->refers[1] == SIZE_MAX || !scene->body[thing->refers[1]].def.rigid;
        px_text_add(&text, "%zu,%s,%zu,", k, word[def->kind], thing->refers[0]);
        if (!world)
            px_text_add(&text, "%zu", thing->refers[1]);
        add_vector(&text, def->at);
        add_vector(&text, def->kind == PX_JOINT_SPRING ? def->anchor : def->at);
        add_vector(&text, def->axis);
        px_text_add(&text, ",");
        add_quoted(&text, def->name);
        px_text_add(&text, "\n");
    }
    return write_text(out, "joints.csv", &text, PX_OK);
}

PxStatus px_export_models(const char *out, const PxScene *scene, const PxSceneWalls *walls)
{
    PX_TRY(write_bodies(out, scene, walls));
    return write_joints(out, (PxScene *)scene); /* only reads it */
}
