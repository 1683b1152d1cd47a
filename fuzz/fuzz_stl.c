/// Fuzz target: the STL reader on arbitrary bytes.
#include "mesh_use.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    PxMesh *mesh;
    PxStatus status = px_mesh_read_stl("fuzz.stl", data, size, &mesh);
    mesh_promise((status == PX_OK) == (mesh != NULL));
    if (mesh != NULL)
        mesh_use(mesh);
    else
        mesh_promise(strncmp(px_error_message(), "fuzz.stl: ", 10) == 0);
    return 0;
}
