/// What the poses of rigid bodies move: a PLY file with the surface of each body as the scene
/// places it, bodies.csv with their names and colours, and joints.csv with the places of the
/// joints.
///
/// Bodies have the numbers of poses.csv. Of a joint, `to` is empty if the other end is in the
/// world.
#include "scene/content.h"
#include "shape/mesh_write.h"
#include "shape/tessellate.h"
#include "store/export.h"

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

static PxStatus write_mesh(const char *path, const PxScene *scene, const PxSceneBody *body)
{
    PxShapeDef def = px_scene_shape(scene, &body->def.shape, &body->is.turn);
    PxShape *shape = NULL;
    PxMesh *mesh = NULL;
    PxBytes bytes = {0};
    char comment[60];
    snprintf(comment, sizeof comment, "phyxel rigid body, %c up, SI units",
             scene->head.up == PX_UP_Z ? 'z' : 'y');
    PxStatus status = px_shape_create(&def, &shape);
    if (status == PX_OK)
        status = px_tessellate(shape, false, &mesh);
    if (status == PX_OK)
        status = px_mesh_write_ply(mesh, PX_MESH_SINGLE, comment, &bytes);
    if (status == PX_OK)
        status = px_file_write_atomic(path, bytes.data, bytes.count);
    px_bytes_free(&bytes);
    px_mesh_free(mesh);
    px_shape_free(shape);
    return status;
}

/* As in pictures: the look of the body, or of its material. */
static PxVec3 colour_of(const PxScene *scene, const PxSceneBody *body)
{
    const PxSceneLook *look = body->is.look;
    size_t material = body->is.refers[0];
    if (look == NULL && material < scene->materials)
        look = scene->material[material].is.look;
    return look != NULL ? look->colour : px_vec(0.76, 0.55, 0.38);
}

static PxStatus write_bodies(const char *out, const PxScene *scene)
{
    PxText text = {0};
    PxStatus status = PX_OK;
    px_text_add(&text, "body,mesh,red,green,blue,name\n");
    for (size_t k = 0; k < scene->bodies && status == PX_OK; ++k) {
        const PxSceneBody *body = &scene->body[k];
        char path[PX_PATH_MAX];
        if (!body->def.rigid)
            continue;
        status = px_path_join(path, out, "body_%zu.ply", k);
        if (status == PX_OK)
            status = write_mesh(path, scene, body);
        px_text_add(&text, "%zu,body_%zu.ply", k, k);
        add_vector(&text, colour_of(scene, body));
        px_text_add(&text, ",");
        add_quoted(&text, body->def.name);
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

PxStatus px_export_models(const char *out, const PxScene *scene)
{
    PX_TRY(write_bodies(out, scene));
    return write_joints(out, (PxScene *)scene); /* only reads it */
}
