/// Makes a small result folder for tests by other programs: store_sample DIR
#include "sample.h"

#include "phyxel/store.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    PxThreads threads = {1};
    PxExportDef def = px_export_def_default();
    def.dir = argv[1];
    if (sample_run(argv[1], 4, &threads) != PX_OK || px_export(&def, NULL, NULL) != PX_OK) {
        fprintf(stderr, "%s\n", px_error_message());
        return 1;
    }
    return 0;
}
