#include "store/export_placed.h"

#include "scene/content.h"
#include "shape/tessellate.h"
#include "store/export_walls.h"

#include <math.h>
#include <stdlib.h>

typedef struct Piece {
    PxWall *wall;
    PxMesh *mesh;      /* at rest; of a wall with poses only its triangles count */
    uint8_t colour[3]; /* sRGB */
} Piece;

struct PxExportPlaced {
    PxSceneWalls walls;
    Piece *piece;
    size_t count;
    size_t vertices, triangles; /* of all */
};

static uint8_t to_byte(double value)
{
    return (uint8_t)(255 * fmin(fmax(value, 0), 1) + 0.5);
}

static PxStatus add_piece(PxExportPlaced *p, const PxScene *scene, PxWall *wall)
{
    Piece *piece = &p->piece[p->count++];
    PxVec3 colour = px_export_wall_colour(scene, wall->boundary.body);
    *piece = (Piece){wall, NULL, {to_byte(colour.x), to_byte(colour.y), to_byte(colour.z)}};
    PX_TRY(px_export_wall_mesh(wall, &piece->mesh));
    p->vertices += piece->mesh->vertex_count;
    p->triangles += piece->mesh->triangle_count;
    return PX_OK;
}

PxStatus px_export_placed_begin(const PxScene *scene, PxExportPlaced **out)
{
    if (scene == NULL)
        return px_fail(PX_ERR_ARGUMENT, "export: walls need the scene of the run");
    PxExportPlaced *p = *out = calloc(1, sizeof *p);
    PxStatus status = p != NULL ? px_scene_walls(scene, &p->walls)
                                : px_fail(PX_ERR_MEMORY, "export: no room for walls");
    if (status == PX_OK && (p->piece = calloc(p->walls.count + 1, sizeof *p->piece)) == NULL)
        status = px_fail(PX_ERR_MEMORY, "export: no room for %zu walls", p->walls.count);
    for (size_t k = 0; status == PX_OK && k < p->walls.count; ++k)
        if (px_export_wall_shown(&p->walls.wall[k]))
            status = add_piece(p, scene, &p->walls.wall[k]);
    if (status == PX_OK && p->count == 0)
        status = px_fail(PX_ERR_ARGUMENT, "export: there are no rigid bodies and no walls but "
                                          "planes");
    if (status == PX_OK && (p->vertices > UINT32_MAX || p->triangles > UINT32_MAX))
        status =
            px_fail(PX_ERR_MEMORY, "export: walls have %zu vertices, more than 2^32", p->vertices);
    if (status != PX_OK) {
        px_export_placed_end(p);
        *out = NULL;
    }
    return status;
}

void px_export_placed_end(PxExportPlaced *p)
{
    if (p == NULL)
        return;
    for (size_t k = 0; k < p->count; ++k)
        px_mesh_free(p->piece[k].mesh);
    free(p->piece);
    px_scene_walls_free(&p->walls);
    free(p);
}

/* Appends a piece's vertices and triangles, from row `first` on. */
static void place(const Piece *piece, double time, uint32_t first, PxExportFrame *frame)
{
    const PxWall *wall = piece->wall;
    const PxMesh *mesh = piece->mesh;
    PxMovingMesh *moving = px_wall_moving(wall);
    PxPose pose = wall->rigid ? wall->now : px_pose_at(wall->key, wall->keys, time);
    double *x[3];
    uint8_t *colour[3];
    uint32_t *body = px_table_find(&frame->points, "body")->data[0];
    for (int k = 0; k < 3; ++k) {
        x[k] = px_table_find(&frame->points, "position")->data[k];
        colour[k] = px_table_find(&frame->points, "colour")->data[k];
    }
    if (moving != NULL)
        px_moving_mesh_set(moving, time, 0);
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        PxVec3 rest = moving != NULL ? px_moving_mesh_vertex(moving, 0, v) : mesh->position[v];
        PxVec3 at = px_pose_to_world(&pose, wall->pivot, rest);
        x[0][first + v] = at.x, x[1][first + v] = at.y, x[2][first + v] = at.z;
        for (int k = 0; k < 3; ++k)
            colour[k][first + v] = piece->colour[k];
        body[first + v] = wall->boundary.body;
    }
    for (uint32_t t = 0; t < mesh->triangle_count; ++t, ++frame->triangles)
        for (int k = 0; k < 3; ++k)
            frame->triangle[frame->triangles][k] = first + mesh->triangle[t][k];
}

PxStatus px_export_placed_read(PxExportPlaced *p, const char *dir, uint32_t number,
                               const PxThreads *threads, PxExportFrame *frame)
{
    PxTable none;
    uint32_t rows, first = 0;
    size_t room = 0;
    px_table_init(&none, NULL);
    PxStatus status = px_frame_read_columns(dir, number, &frame->meta, &none, &rows);
    px_table_free(&none);
    PX_TRY(status);
    PX_TRY(px_frame_read_rigid(dir, number, &frame->rigid, threads));
    PxTable *points = &frame->points;
    PX_TRY(px_table_add(points, "position", "m", PX_F64, 3, PX_COLUMN_FRAME, NULL));
    PX_TRY(px_table_add(points, "colour", "", PX_U8, 3, PX_COLUMN_FRAME, NULL));
    PX_TRY(px_table_add(points, "body", "", PX_U32, 1, PX_COLUMN_FRAME, NULL));
    PX_TRY(px_table_append(points, p->vertices, NULL));
    if (!px_list_reserve((void **)&frame->triangle, 0, &room, p->triangles,
                         sizeof *frame->triangle))
        return px_fail(PX_ERR_MEMORY, "export: no room for %zu triangles", p->triangles);
    frame->surface = true;
    for (size_t k = 0; k < p->count; ++k) {
        px_frame_pose(&frame->rigid, p->piece[k].wall);
        place(&p->piece[k], frame->meta.time, first, frame);
        first += p->piece[k].mesh->vertex_count;
    }
    return PX_OK;
}
