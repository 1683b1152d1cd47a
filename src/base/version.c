/// The version of the library, for programs that ask at run time.
#include "phyxel/version.h"

#include <stddef.h>

const char *px_version(int *major, int *minor, int *patch)
{
    if (major != NULL)
        *major = PX_VERSION_MAJOR;
    if (minor != NULL)
        *minor = PX_VERSION_MINOR;
    if (patch != NULL)
        *patch = PX_VERSION_PATCH;
    return PX_VERSION;
}
