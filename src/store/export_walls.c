#include "store/export_walls.h"

#include "store/pc2.h"

#include <stdlib.h>

typedef struct Moving {
    PxMovingMesh *mesh;
    PxFile file;
    float (*place)[3]; /* of all vertices */
} Moving;

struct PxExportWalls {
    Moving *moving;
    size_t count;
    uint32_t samples;
};

static PxStatus open_file(const char *out, const PxWall *wall, Moving *m)
{
    char path[PX_PATH_MAX];
    m->mesh = px_wall_moving(wall);
    m->place = malloc(px_moving_mesh_vertices(m->mesh) * sizeof *m->place);
    if (m->place == NULL)
        return px_fail(PX_ERR_MEMORY, "export: no room for %u vertices",
                       px_moving_mesh_vertices(m->mesh));
    PX_TRY(px_path_join(path, out, "body_%u.pc2", wall->boundary.body));
    return px_file_begin(&m->file, path);
}

PxStatus px_export_walls_begin(const char *out, const PxSceneWalls *walls, PxExportWalls **state)
{
    PxExportWalls *w = *state = calloc(1, sizeof *w);
    if (w != NULL)
        w->moving = calloc(walls->count + 1, sizeof *w->moving);
    if (w == NULL || w->moving == NULL) {
        free(w);
        *state = NULL;
        return px_fail(PX_ERR_MEMORY, "export: no room for %zu walls", walls->count);
    }
    PxStatus status = PX_OK;
    for (size_t k = 0; k < walls->count && status == PX_OK; ++k)
        if (px_wall_moving(&walls->wall[k]) != NULL) {
            Moving *m = &w->moving[w->count++];
            m->file.descriptor = -1;
            status = open_file(out, &walls->wall[k], m);
        }
    if (status != PX_OK) {
        px_export_walls_end(w, status);
        *state = NULL;
    }
    return status;
}

PxStatus px_export_walls_add(PxExportWalls *w, const PxFrameMeta *frame)
{
    for (size_t k = 0; k < w->count; ++k) {
        Moving *m = &w->moving[k];
        uint32_t vertices = px_moving_mesh_vertices(m->mesh);
        if (w->samples == 0) {
            uint8_t header[PX_PC2_HEADER];
            px_pc2_header(header, vertices, frame->number, 0);
            PX_TRY(px_file_put(&m->file, header, sizeof header));
        }
        px_moving_mesh_set(m->mesh, frame->time, 0);
        for (uint32_t v = 0; v < vertices; ++v) {
            PxVec3 x = px_moving_mesh_vertex(m->mesh, 0, v);
            m->place[v][0] = (float)x.x, m->place[v][1] = (float)x.y, m->place[v][2] = (float)x.z;
        }
        PX_TRY(px_file_put(&m->file, m->place, vertices * sizeof *m->place));
    }
    ++w->samples;
    return PX_OK;
}

PxStatus px_export_walls_end(PxExportWalls *w, PxStatus status)
{
    for (size_t k = 0; k < w->count; ++k) {
        Moving *m = &w->moving[k];
        if (status == PX_OK)
            status = px_pc2_finish(&m->file, px_moving_mesh_vertices(m->mesh), w->samples);
        if (status == PX_OK)
            status = px_file_commit(&m->file);
        px_file_abandon(&m->file);
        free(m->place);
    }
    free(w->moving);
    free(w);
    return status;
}
