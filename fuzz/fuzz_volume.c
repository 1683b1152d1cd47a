/// Fuzz target: the NRRD reader and the isosurface of what it reads.
#include "mesh_use.h"

#include "surface/mesh/isosurface.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    PxNrrd header;
    PxVolume volume;
    PxMesh *mesh;
    uint32_t pieces;
    if (px_nrrd_header("fuzz.nrrd", data, size, &header) != PX_OK) {
        mesh_promise(strncmp(px_error_message(), "fuzz.nrrd: ", 11) == 0);
        return 0;
    }
    mesh_promise(header.data <= size);
    if ((double)header.samples[0] * header.samples[1] * header.samples[2] > 1e5)
        return 0;
    if (px_volume_read("fuzz.nrrd", &header, data + header.data, size - header.data, &volume) !=
        PX_OK)
        return 0;
    double middle = 0.5 * (volume.least + volume.most);
    if (px_isosurface("fuzz.nrrd", &volume, middle, false, false, 1, &mesh, &pieces) == PX_OK) {
        if (px_mesh_check(mesh, "fuzz") == PX_OK)
            mesh_promise(px_mesh_check_closed(mesh, "fuzz") == PX_OK);
        px_mesh_free(mesh);
    }
    px_volume_free(&volume);
    return 0;
}
