#include "shape/mesh_read.h"

#include "shape/mesh_check.h"
#include "shape/parse_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

PxStatus px_mesh_builder_finish(PxMeshBuilder *builder, const char *name, PxMesh **out)
{
    size_t vertices = builder->position.count, triangles = builder->triangle.count;
    *out = NULL;
    if (vertices == 0 || triangles == 0)
        return px_fail(PX_ERR_FORMAT, "%s: %zu vertices and %zu triangles, wanted at least one",
                       name, vertices, triangles);
    if (vertices > PX_MESH_MAX_VERTICES || triangles > PX_MESH_MAX_TRIANGLES)
        return px_fail(PX_ERR_FORMAT, "%s: %zu vertices and %zu triangles, at most %u allowed",
                       name, vertices, triangles, PX_MESH_MAX_TRIANGLES);
    PxMesh *mesh = calloc(1, sizeof *mesh);
    if (mesh == NULL)
        return px_fail(PX_ERR_MEMORY, "%s: no room for the mesh", name);
    mesh->vertex_count = (uint32_t)vertices;
    mesh->triangle_count = (uint32_t)triangles;
    mesh->position = builder->position.data;
    mesh->triangle = builder->triangle.data;
    builder->position.data = NULL;
    builder->triangle.data = NULL;
    if (builder->normal.count == vertices) {
        mesh->normal = builder->normal.data;
        builder->normal.data = NULL;
    }
    if (builder->colour.count == vertices) {
        mesh->colour = builder->colour.data;
        builder->colour.data = NULL;
    }
    if (builder->uv.count == vertices) {
        mesh->uv = builder->uv.data;
        builder->uv.data = NULL;
    }
    PxStatus status = px_mesh_check(mesh, name);
    if (status != PX_OK) {
        px_mesh_free(mesh);
        return status;
    }
    *out = mesh;
    return PX_OK;
}

void px_mesh_builder_free(PxMeshBuilder *builder)
{
    PX_LIST_FREE(&builder->position);
    PX_LIST_FREE(&builder->normal);
    PX_LIST_FREE(&builder->colour);
    PX_LIST_FREE(&builder->uv);
    PX_LIST_FREE(&builder->triangle);
}

/* ---- choosing ---- */

static bool ends_in(const char *name, const char *ending)
{
    const char *dot = strrchr(name, '.');
    return dot != NULL && px_word_is_nocase((PxWord){dot + 1, strlen(dot + 1)}, ending);
}

static PxStatus read_part(const char *name, const void *bytes, size_t size, const char *part,
                          PxMesh **out)
{
    *out = NULL;
    if (size == 0)
        return px_fail(PX_ERR_FORMAT, "%s: the file is empty, wanted an OBJ, PLY or STL mesh",
                       name);
    if (part != NULL && (px_mesh_looks_like_ply(bytes, size) || !ends_in(name, "obj")))
        return px_fail(PX_ERR_FORMAT,
                       "%s: parts are objects and groups of OBJ files, and this is none", name);
    if (px_mesh_looks_like_ply(bytes, size) || ends_in(name, "ply"))
        return px_mesh_read_ply(name, bytes, size, out);
    if (ends_in(name, "obj"))
        return px_mesh_read_obj_part(name, bytes, size, part, out);
    if (px_mesh_looks_like_stl(bytes, size) || ends_in(name, "stl"))
        return px_mesh_read_stl(name, bytes, size, out);
    return px_fail(PX_ERR_FORMAT,
                   "%s: neither the content nor the name is that of a mesh, wanted .obj, .ply or "
                   ".stl",
                   name);
}

PxStatus px_mesh_read(const char *name, const void *bytes, size_t size, PxMesh **out)
{
    return read_part(name, bytes, size, NULL, out);
}

/* ---- files ---- */

static PxStatus read_all(const char *path, int file, char *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t got = read(file, bytes + done, size - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return px_fail(PX_ERR_IO, "%s: cannot be read: %s", path, strerror(errno));
        if (got == 0)
            return px_fail(PX_ERR_IO, "%s: ended after %zu of %zu bytes while it was read", path,
                           done, size);
        done += (size_t)got;
    }
    return PX_OK;
}

PxStatus px_mesh_file_bytes(const char *path, const char *wanted, void **out, size_t *size)
{
    PxStatus status = PX_OK;
    char *bytes = NULL;
    struct stat about;
    /* Not blocking: a pipe without a writer must not hang us. */
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return px_fail(PX_ERR_IO, "%s: cannot be opened: %s", path, strerror(errno));
    if (fstat(file, &about) != 0) {
        status = px_fail(PX_ERR_IO, "%s: cannot be read: %s", path, strerror(errno));
    } else if (!S_ISREG(about.st_mode)) {
        status = px_fail(PX_ERR_IO, "%s: not an ordinary file, wanted %s", path, wanted);
    } else if (about.st_size < 1) {
        status = px_fail(PX_ERR_FORMAT, "%s: the file is empty, wanted %s", path, wanted);
    } else if ((uint64_t)about.st_size > PX_MESH_MAX_FILE) {
        status = px_fail(PX_ERR_FORMAT, "%s: %lld bytes, at most %llu allowed", path,
                         (long long)about.st_size, (unsigned long long)PX_MESH_MAX_FILE);
    } else if ((bytes = malloc((size_t)about.st_size)) == NULL) {
        status = px_fail(PX_ERR_MEMORY, "%s: no room for its %lld bytes", path,
                         (long long)about.st_size);
    } else {
        status = read_all(path, file, bytes, (size_t)about.st_size);
    }
    close(file);
    if (status != PX_OK) {
        free(bytes);
        return status;
    }
    *out = bytes;
    *size = (size_t)about.st_size;
    return PX_OK;
}

PxStatus px_mesh_read_file(const char *path, PxMesh **out)
{
    return px_mesh_read_file_part(path, NULL, out);
}

PxStatus px_mesh_read_file_part(const char *path, const char *part, PxMesh **out)
{
    void *bytes = NULL;
    size_t size = 0;
    *out = NULL;
    PX_TRY(px_mesh_file_bytes(path, "an OBJ, PLY or STL mesh", &bytes, &size));
    PxStatus status = read_part(path, bytes, size, part, out);
    free(bytes);
    return status;
}
