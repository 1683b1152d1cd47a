#include "study/mesh_file.h"

#include "base/fail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

PxStatus px_mesh_file(const char *name, const char *ending, char path[PX_MESH_FILE_PATH])
{
    const char *folder = getenv("TMPDIR");
    snprintf(path, PX_MESH_FILE_PATH, "%.200s/phyxel-%.30s-XXXXXX%.10s",
             folder != NULL ? folder : "/tmp", name, ending);
    int file = mkstemps(path, (int)strlen(ending));
    if (file < 0)
        return px_fail(PX_ERR_IO, "%s: cannot make '%s'", name, path);
    close(file);
    return PX_OK;
}
