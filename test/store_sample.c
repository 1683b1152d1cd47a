/// Makes a small result folder for tests by other programs: store_sample DIR
///
/// Frames 1 to 4 of particles, the first one empty; surfaces of them, of 0, 10, 20 and 30 vertices
/// a side; both in the formats that ParaView, Blender and POV-Ray read. In DIR/turned,
/// the surfaces with z up; in DIR/fixed, a surface that keeps its triangles.
#include "sample.h"

#include "phyxel/store.h"

#include <stdio.h>

static PxStatus export_to(const char *dir, const char *format, PxExportWhat what)
{
    PxExportDef def = px_export_def_default();
    def.dir = dir;
    def.format = format;
    def.what = what;
    return px_export(&def, NULL, NULL);
}

static PxStatus make_all(const char *dir)
{
    static const char *const formats[] = {"vtp", "ply", "pov"};
    char fixed[PX_PATH_MAX], out[PX_PATH_MAX];
    PX_TRY(sample_run(dir, 4, &(PxThreads){.count = 1}));
    for (uint32_t number = 1; number <= 4; ++number)
        PX_TRY(sample_surface(dir, number, 10 * (number - 1)));
    for (size_t k = 0; k < PX_COUNT(formats); ++k) {
        PX_TRY(export_to(dir, formats[k], PX_EXPORT_PARTICLES));
        PX_TRY(export_to(dir, formats[k], PX_EXPORT_SURFACE));
    }
    PxExportDef turned = px_export_def_default();
    PX_TRY(px_path_join(out, dir, "turned/ply-surface"));
    turned.dir = dir;
    turned.out = out;
    turned.format = "ply";
    turned.what = PX_EXPORT_SURFACE;
    turned.up = 'z';
    PX_TRY(px_export(&turned, NULL, NULL));
    PX_TRY(px_path_join(fixed, dir, "fixed"));
    PX_TRY(px_folder_make(fixed));
    for (uint32_t number = 1; number <= 3; ++number)
        PX_TRY(sample_surface(fixed, number, 5));
    return export_to(fixed, "pc2", PX_EXPORT_SURFACE);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    if (make_all(argv[1]) != PX_OK) {
        fprintf(stderr, "%s\n", px_error_message());
        return 1;
    }
    return 0;
}
