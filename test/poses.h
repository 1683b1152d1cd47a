/// Meshes with poses for tests: an OBJ file and a PC2 file beside it.
#ifndef PX_TEST_POSES_H
#define PX_TEST_POSES_H

#include "folder.h"
#include "meshes.h"

/// Position of a vertex of the mesh in pose k of count.
typedef PxVec3 PoseOf(PxVec3 rest, uint32_t k, uint32_t count);

static inline void write_obj(const char *path, const PxMesh *mesh, PoseOf *pose, uint32_t k,
                             uint32_t count)
{
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        PxVec3 x = pose != NULL ? pose(mesh->position[v], k, count) : mesh->position[v];
        fprintf(file, "v %.9g %.9g %.9g\n", x.x, x.y, x.z);
    }
    for (uint32_t t = 0; t < mesh->triangle_count; ++t)
        fprintf(file, "f %u %u %u\n", mesh->triangle[t][0] + 1, mesh->triangle[t][1] + 1,
                mesh->triangle[t][2] + 1);
    fclose(file);
}

static inline void put_word(FILE *file, uint32_t word)
{
    for (int k = 0; k < 4; ++k)
        fputc((int)(word >> (8 * k) & 255), file);
}

static inline void put_float(FILE *file, double value)
{
    float f = (float)value;
    uint32_t word;
    memcpy(&word, &f, sizeof word);
    put_word(file, word);
}

static inline void write_pc2(const char *path, const PxMesh *mesh, PoseOf *pose, uint32_t count)
{
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL);
    fwrite("POINTCACHE2", 1, 12, file);
    put_word(file, 1);
    put_word(file, mesh->vertex_count);
    put_float(file, 0);
    put_float(file, 1);
    put_word(file, count);
    for (uint32_t k = 0; k < count; ++k)
        for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
            PxVec3 x = pose(mesh->position[v], k, count);
            put_float(file, x.x);
            put_float(file, x.y);
            put_float(file, x.z);
        }
    fclose(file);
}

/// mesh.obj and mesh.pc2 in the folder; frees the mesh.
static inline void write_moving(const Folder *folder, PxMesh *mesh, PoseOf *pose, uint32_t count)
{
    write_obj(folder_file(folder, "mesh.obj"), mesh, NULL, 0, count);
    write_pc2(folder_file(folder, "mesh.pc2"), mesh, pose, count);
    px_mesh_free(mesh);
}

#endif
