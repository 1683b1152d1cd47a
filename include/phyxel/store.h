/// What a run left behind: looking at its frames and handing them to other programs.
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

/// What a format can hold.
enum { PX_EXPORT_TAKES_POINTS = 1u, PX_EXPORT_TAKES_TRIANGLES = 2u };

/// A format that frames can be exported to.
typedef struct PxExportFormat {
    const char *name;      ///< as the command knows it: "vtp"
    const char *summary;   ///< one line
    const char *extension; ///< of the files, with its point
    unsigned takes;        ///< PX_EXPORT_TAKES_...
} PxExportFormat;

/// Format number `index`, or NULL after the last.
PX_API const PxExportFormat *px_export_format(uint32_t index);

/// What of a frame is exported.
typedef enum PxExportWhat {
    PX_EXPORT_USUAL,        ///< the skins of solids when the run left some; else particles, or the
                            ///< surface when the format holds triangles alone
    PX_EXPORT_PARTICLES,    ///< DIR/frames
    PX_EXPORT_SURFACE,      ///< DIR/surface, which `phyxel surface` makes
    PX_EXPORT_SURFELS,      ///< DIR/surfels, which it makes as well
    PX_EXPORT_SKIN,         ///< DIR/skin, triangles of solids that a run leaves
    PX_EXPORT_SKIN_SURFELS, ///< DIR/skin-surfels, their surfels
    PX_EXPORT_COAT,         ///< DIR/coat, surfels of materials with a coat that a run leaves
} PxExportWhat;

/// What to export. Start from px_export_def_default().
typedef struct PxExportDef {
    PxDefHead head;
    const char *dir;      ///< result folder of a run
    const char *out;      ///< where to; NULL for a folder in dir named after what and format
    const char *format;   ///< name of a format
    PxExportWhat what;    ///< particles or a surface
    const char *material; ///< NULL, or the one whose surface is wanted: DIR/surface/NAME
    const char *columns;  ///< NULL for all, or names: "density,pressure". Positions, normals and
                          ///< colours are always there.
    char up;              ///< 'y' or 'z': turned so that this axis is up; 0 as the scene has it
    uint32_t first;       ///< only frames from this number on
    uint32_t last;        ///< ... and up to this one
    int threads;          ///< 0 for one on every core
} PxExportDef;

PX_API void px_export_def_init(PxExportDef *def, size_t size);
PX_DEF_DEFAULT(PxExportDef, px_export_def)

/// Called before the first frame and after each one; false stops.
typedef bool PxExportProgress(void *user, uint32_t done, uint32_t total);

/// Writes OUT/000001.EXTENSION for every frame within [first, last], each whole or not at
/// all, and an index of them when the format has one (vtp: frames.pvd, pov: frames.pov). The
/// format pc2 writes base.ply and one file, frames.pc2. With `up` turned, columns of three
/// numbers are vectors and turn too; tensors stay as they are. `progress` may be NULL.
/// Errors: PX_ERR_ARGUMENT for a format or column that is not known, when no frame is in
/// the range, when there are no surfaces, and when what pc2 wants constant changes;
/// PX_ERR_FORMAT for a damaged or missing frame; PX_ERR_NUMERIC for a position that is not
/// finite; PX_ERR_IO; PX_ERR_MEMORY; PX_ERR_STOPPED. In every case the frames done before are
/// kept, but for what pc2 refuses.
PX_API PxStatus px_export(const PxExportDef *def, PxExportProgress *progress, void *user);

/// Where px_export() writes to: def->out, or the folder it chooses. Cut off at `size`.
PX_API void px_export_folder(const PxExportDef *def, char *out, size_t size);

/// One frame of a result folder.
typedef struct PxFrameInfo {
    uint32_t number;
    uint64_t step;
    double time; ///< s
    uint32_t particles;
    double coldest, hottest; ///< degrees C, of its particles; 0 without any
    double melted;           ///< molten part of its mass; negative where nothing melts
    char hash[33];           ///< of the contents, the same for any order of the particles
    const char *problem;     ///< NULL, or why the frame cannot be read; nothing else is set then
} PxFrameInfo;

/// Called for each frame; the frame is gone after the call. False stops.
typedef bool PxInfoFunction(void *user, const PxFrameInfo *frame);

/// Reads all frames of a result folder in order; one that is damaged or cannot be
/// read is told of in its turn. No frames is no error.
/// Errors: PX_ERR_IO when the folder cannot be listed, PX_ERR_MEMORY, PX_ERR_STOPPED.
PX_API PxStatus px_info(const char *dir, PxInfoFunction *each, void *user);

/// What else a result folder holds of its frames: how many files of each kind.
typedef struct PxInfoFiles {
    uint32_t surfaces, surfels;   ///< made by px_surface_run()
    uint32_t skins, skin_surfels; ///< of solids, stored by the run
    uint32_t coats;               ///< of what flows and melts, stored by the run
} PxInfoFiles;

/// Errors: PX_ERR_IO when a folder cannot be listed, PX_ERR_MEMORY.
PX_API PxStatus px_info_files(const char *dir, PxInfoFiles *out);

/// A column of the last row of stats.csv. A column that is not one of PxStats has no unit and no
/// meaning ("").
typedef void PxInfoStatsFunction(void *user, const char *name, const char *unit,
                                 const char *meaning, double value);

/// What stats.csv of a result folder says of its last step; nothing when there was none yet.
/// Errors: PX_ERR_IO, PX_ERR_FORMAT, PX_ERR_MEMORY.
PX_API PxStatus px_info_stats(const char *dir, PxInfoStatsFunction *each, void *user);

#ifdef __cplusplus
}
#endif
#endif
