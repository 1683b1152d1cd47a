/// Defs that carry their size, so that programs and libraries of different versions agree: a def
/// that is shorter than this library's is completed with defaults, a longer one is accepted if the
/// fields unknown here are 0.
#include "base/def.h"

#include <string.h>

#define TAG 0x70687978u /* "phyx"; tells a def from uninitialised memory */

void px_def_init(void *def, size_t size, const void *defaults, size_t own)
{
    PxDefHead head = {.size = (uint32_t)size, .tag = TAG};
    if (def == NULL || size < sizeof head)
        return;
    memset(def, 0, size);
    memcpy(def, defaults, size < own ? size : own);
    memcpy(def, &head, sizeof head);
}

PxStatus px_def_read(const void *def, const void *defaults, size_t own, void *out, const char *what,
                     const char *maker)
{
    PxDefHead head = {0};
    if (def != NULL)
        memcpy(&head, def, sizeof head);
    if (head.tag != TAG || head.size < sizeof head)
        return px_fail(PX_ERR_ARGUMENT, "%s: start from %s", what, maker);
    const unsigned char *byte = def;
    for (size_t k = own; k < head.size; ++k)
        if (byte[k] != 0)
            return px_fail(PX_ERR_ARGUMENT,
                           "%s: the def is of a newer phyxel, %u bytes instead of %zu, and uses a "
                           "field that this library does not know",
                           what, head.size, own);
    memcpy(out, defaults, own);
    memcpy(out, def, head.size < own ? head.size : own);
    head.size = (uint32_t)own;
    memcpy(out, &head, sizeof head);
    return PX_OK;
}

void px_result_put(void *array, size_t size, size_t k, const void *result, size_t own)
{
    if (array == NULL)
        return;
    char *to = (char *)array + k * size;
    memset(to, 0, size);
    memcpy(to, result, size < own ? size : own);
}
