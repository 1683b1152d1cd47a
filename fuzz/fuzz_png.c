/// Fuzz target: the reader of textures on arbitrary bytes, and a lookup in the result.
#include "shape/texture.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void promise(bool kept)
{
    if (!kept)
        __builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    PxTexture *texture;
    PxStatus status = px_texture_read("fuzz.png", data, size, &texture);
    promise((status == PX_OK) == (texture != NULL));
    if (texture == NULL) {
        promise(strncmp(px_error_message(), "fuzz.png", 8) == 0);
        return 0;
    }
    promise(texture->width > 0 && texture->width <= PX_TEXTURE_MAX_SIDE);
    promise(texture->height > 0 && texture->height <= PX_TEXTURE_MAX_SIDE);
    static const double at[] = {0, 0.3, 1, -2.5, 1e9};
    for (size_t k = 0; k < sizeof at / sizeof at[0]; ++k) {
        PxVec3 c = px_texture_at(texture, (PxUv){at[k], at[4 - k]});
        promise(c.x >= 0 && c.x <= 1 && c.y >= 0 && c.y <= 1 && c.z >= 0 && c.z <= 1);
    }
    px_texture_free(texture);
    return 0;
}
