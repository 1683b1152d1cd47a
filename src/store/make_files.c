#include "store/make_files.h"

#include "shape/mesh_write.h"
#include "store/file.h"

#include <string.h>
#include <strings.h>

const char *px_make_extension(const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    return dot != NULL && (slash == NULL || dot > slash) ? dot + 1 : "";
}

PxStatus px_make_check_path(const char *path)
{
    if (path == NULL || path[0] == '\0')
        return px_fail(PX_ERR_ARGUMENT, "make: no path to write to");
    const char *end = px_make_extension(path);
    if (strcasecmp(end, "obj") != 0 && strcasecmp(end, "ply") != 0 && strcasecmp(end, "stl") != 0)
        return px_fail(PX_ERR_ARGUMENT, "%s: meshes are written as .obj, .ply or .stl", path);
    return PX_OK;
}

PxStatus px_make_write(const PxMesh *mesh, const char *comment, const char *path)
{
    PxBytes bytes = {0};
    const char *end = px_make_extension(path);
    PxStatus status =
        strcasecmp(end, "obj") == 0   ? px_mesh_write_obj(mesh, PX_MESH_SINGLE, comment, &bytes)
        : strcasecmp(end, "ply") == 0 ? px_mesh_write_ply(mesh, PX_MESH_SINGLE, comment, &bytes)
                                      : px_mesh_write_stl(mesh, comment, &bytes);
    if (status == PX_OK)
        status = px_file_write_atomic(path, bytes.data, bytes.count);
    px_bytes_free(&bytes);
    return status;
}
