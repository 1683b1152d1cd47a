/// Results of a run: inspecting its frames and exporting them to other programs.
#ifndef PHYXEL_STORE_H
#define PHYXEL_STORE_H

#include "phyxel/def.h"
#include "phyxel/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Element types that a format can store.
enum { PX_EXPORT_TAKES_POINTS = 1u, PX_EXPORT_TAKES_TRIANGLES = 2u };

/// A format that frames can be exported to.
typedef struct PxExportFormat {
    const char *name;      ///< as on the command line: "vtp"
    const char *summary;   ///< one line
    const char *extension; ///< of the files, with the dot
    unsigned takes;        ///< PX_EXPORT_TAKES_...
} PxExportFormat;

/// Format number `index`, or NULL after the last.
PX_API const PxExportFormat *px_export_format(uint32_t index);

/// The part of a frame that is exported.
typedef enum PxExportWhat {
    PX_EXPORT_USUAL,        ///< skins of solids if the run stored any; else particles, or the
                            ///< surface if the format stores only triangles
    PX_EXPORT_PARTICLES,    ///< DIR/frames
    PX_EXPORT_SURFACE,      ///< DIR/surface, made by `phyxel surface`
    PX_EXPORT_SURFELS,      ///< DIR/surfels, made by `phyxel surface` as well
    PX_EXPORT_SKIN,         ///< DIR/skin, triangles of solids, stored by the run
    PX_EXPORT_SKIN_SURFELS, ///< DIR/skin-surfels, surfels of solids, stored by the run
    PX_EXPORT_COAT,         ///< DIR/coat, surfels of materials with a coat, stored by the run
    PX_EXPORT_CONTACT,      ///< DIR/contact, made by `phyxel surface --contact`
    PX_EXPORT_FOAM,         ///< DIR/foam, spray, foam and bubbles, made by `phyxel foam`
    PX_EXPORT_WALLS,        ///< triangles of walls and rigid bodies, placed as in the frame
} PxExportWhat;

/// Options of an export. Start from px_export_def_default().
typedef struct PxExportDef {
    PxDefHead head;
    const char *dir;      ///< result folder of a run
    const char *out;      ///< output folder; NULL: a folder in dir named after `what` and `format`
    const char *format;   ///< name of a format
    PxExportWhat what;    ///< particles or a surface
    const char *material; ///< only the surface of this material, DIR/surface/NAME; NULL: all
    const char *columns;  ///< names, as "density,pressure"; NULL: all. Positions, normals and
                          ///< colours are always exported.
    char up;        ///< 'y' or 'z': rotates the output so that this axis is up; 0: no rotation
    uint32_t first; ///< only frames from this number on
    uint32_t last;  ///< ... and up to this one
    int threads;    ///< 0: one for every core
    const struct PxScene *scene; ///< scene of the run (px_run_scene()): shapes and joints for
                                 ///< "poses" and walls; NULL: the poses alone
    uint32_t smooth; ///< subdivisions of cloth by Loop's scheme, 0 to 4, each by four triangles
} PxExportDef;

PX_API void px_export_def_init(PxExportDef *def, size_t size);
PX_DEF_DEFAULT(PxExportDef, px_export_def)

/// Called before the first frame and after each one; false stops.
typedef bool PxExportProgress(void *user, uint32_t done, uint32_t total);

/// Writes OUT/000001.EXTENSION for every frame within [first, last], each completely or not
/// at all, and an index of them if the format has one (vtp: frames.pvd, pov: frames.pov). The
/// format pc2 writes base.ply and one file, frames.pc2. If `up` rotates the output, columns of
/// three numbers are rotated as vectors; tensors are not rotated. `progress` may be NULL.
/// Errors: PX_ERR_ARGUMENT for an unknown format or column, when no frame is in the
/// range, when there are no surfaces, and when something changes that pc2 requires to be constant;
/// PX_ERR_FORMAT for a damaged or missing frame; PX_ERR_NUMERIC for a position that is not
/// finite; PX_ERR_IO; PX_ERR_MEMORY; PX_ERR_STOPPED. In every case finished frames are kept,
/// except those of a pc2 export that fails with PX_ERR_ARGUMENT.
PX_API PxStatus px_export(const PxExportDef *def, PxExportProgress *progress, void *user);

/// Output folder of px_export(): def->out, or the default folder. Truncated to `size`; "" when the
/// def is invalid or has no folder.
PX_API void px_export_folder(const PxExportDef *def, char *out, size_t size);

/// One frame of a result folder.
typedef struct PxFrameInfo {
    uint32_t number;
    uint64_t step;
    double time; ///< s
    uint32_t particles;
    double coldest, hottest; ///< degrees C, of its particles; 0 if there are none
    double melted;           ///< molten fraction of its mass; negative if no material melts
    char hash[33];           ///< of particles, rigid bodies and cloth, whatever their order
    const char *problem; ///< NULL, or why the frame cannot be read; other members are not set then
} PxFrameInfo;

/// Called for each frame, which is valid only during the call. False stops.
typedef bool PxInfoFunction(void *user, const PxFrameInfo *frame);

/// Reads all frames of a result folder in order. Damaged and unreadable frames, those of another
/// run and missing ones are reported too, in their place. A folder without frames is no error.
/// Errors: PX_ERR_ARGUMENT, PX_ERR_IO when the folder cannot be listed, PX_ERR_MEMORY,
/// PX_ERR_STOPPED.
PX_API PxStatus px_info(const char *dir, PxInfoFunction *each, void *user);

/// Number of surface files of each kind in a result folder.
typedef struct PxInfoFiles {
    uint32_t surfaces, surfels;   ///< made by px_surface_run()
    uint32_t skins, skin_surfels; ///< of solids, stored by the run
    uint32_t coats;               ///< of fluids and melting materials, stored by the run
    uint32_t contacts;            ///< made by px_surface_run() as well
    uint32_t foams;               ///< made by px_foam_run()
} PxInfoFiles;

/// All 0 on failure. Errors: PX_ERR_ARGUMENT, PX_ERR_IO when a folder cannot be listed,
/// PX_ERR_MEMORY.
PX_API PxStatus px_info_files_sized(const char *dir, PxInfoFiles *out, size_t size);
static inline PxStatus px_info_files(const char *dir, PxInfoFiles *out)
{
    return px_info_files_sized(dir, out, sizeof *out);
}

/// A column of the last row of stats.csv. A column that is not one of PxStats has no unit and no
/// meaning ("").
typedef void PxInfoStatsFunction(void *user, const char *name, const char *unit,
                                 const char *meaning, double value);

/// Reads the last row of stats.csv in a result folder; no calls if there was no step yet.
/// Errors: PX_ERR_ARGUMENT, PX_ERR_IO, PX_ERR_FORMAT, PX_ERR_MEMORY.
PX_API PxStatus px_info_stats(const char *dir, PxInfoStatsFunction *each, void *user);

#ifdef __cplusplus
}
#endif
#endif
