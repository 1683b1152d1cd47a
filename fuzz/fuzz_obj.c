/// Fuzz target: the OBJ reader on arbitrary bytes.
#include "mesh_use.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    PxMesh *mesh;
    PxStatus status = px_mesh_read_obj("fuzz.obj", data, size, &mesh);
    mesh_promise((status == PX_OK) == (mesh != NULL));
    if (mesh != NULL)
        mesh_use(mesh);
    else
        mesh_promise(strncmp(px_error_message(), "fuzz.obj: ", 10) == 0);
    status = px_mesh_read_obj_part("fuzz.obj", data, size, "a", &mesh);
    mesh_promise((status == PX_OK) == (mesh != NULL));
    if (mesh != NULL)
        mesh_use(mesh);
    return 0;
}
