#include "base/simd.h"

#include <stdlib.h>

PxIsa px_isa_best(void)
{
    const char *wish = getenv("PHYXEL_ISA");
    if (wish != NULL && strcmp(wish, "base") == 0)
        return PX_ISA_BASE;
#ifdef PX_HAVE_AVX2
    if (__builtin_cpu_supports("avx2"))
        return PX_ISA_AVX2;
#endif
    return PX_ISA_BASE;
}

const char *px_isa_name(PxIsa isa)
{
    return isa == PX_ISA_AVX2 ? "avx2" : "base";
}
