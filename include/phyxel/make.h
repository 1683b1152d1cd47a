/// Meshes that phyxel makes for scenes: a colon, the isosurface of a volume of samples, sheets of
/// cloth, and a figure that walks with its skirt.
#ifndef PHYXEL_MAKE_H
#define PHYXEL_MAKE_H

#include "phyxel/def.h"
#include "phyxel/status.h"
#include "phyxel/vector.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A colon. Start from px_colon_def_default().
typedef struct PxColonDef {
    PxDefHead head;
    uint64_t seed;      ///< another colon for each
    double size;        ///< factor on all lengths, 0.01 to 100; 1: an adult's
    double variation;   ///< how far bends and radii deviate from the mean colon, 0 to 1
    double folds;       ///< depth of the folds, as a part of the radius, 0 to 0.6
    uint32_t triangles; ///< about as many, 500 to 2,000,000
    uint32_t reserved;  ///< 0
} PxColonDef;

PX_API void px_colon_def_init(PxColonDef *def, size_t size);
PX_DEF_DEFAULT(PxColonDef, px_colon_def)

/// One end of a colon: a flat disc.
typedef struct PxColonEnd {
    PxVec3 at;     ///< centre, m
    PxVec3 inward; ///< unit normal that points into the colon
    double radius; ///< m
} PxColonEnd;

typedef struct PxColonEnds {
    PxColonEnd rectum, caecum;
    double length; ///< of the centre line, m
    double volume; ///< m^3
    uint32_t vertices, triangles;
} PxColonEnds;

/// Makes a colon and writes it to `path`, as OBJ, PLY or STL by its extension. `ends` may be NULL.
/// Errors: PX_ERR_ARGUMENT, PX_ERR_MEMORY, PX_ERR_IO.
PX_API PxStatus px_make_colon(const PxColonDef *def, const char *path, PxColonEnds *ends);

/// The isosurface of a volume of samples on a regular grid, such as a CT scan. Start from
/// px_volume_def_default().
typedef struct PxVolumeDef {
    PxDefHead head;
    const char *path;    ///< an NRRD file, or raw samples, if `samples` are given
    uint32_t samples[3]; ///< raw: samples along x, y and z, x fastest; 0: NRRD
    const char *type;    ///< raw: "uint8", "int16", ... as NRRD names them; little endian
    double spacing[3];   ///< distance of samples, m; 0: as the file says, or 1 mm
    double at;           ///< isovalue
    double scale;        ///< factor on the file's lengths; 0.001, because NRRD files have mm
    bool below;          ///< the inside is where samples are below the isovalue, as in air
    bool largest;        ///< keep the largest piece only
    uint8_t reserved[6]; ///< 0
} PxVolumeDef;

PX_API void px_volume_def_init(PxVolumeDef *def, size_t size);
PX_DEF_DEFAULT(PxVolumeDef, px_volume_def)

typedef struct PxVolumeResult {
    uint32_t samples[3];
    double spacing[3];  ///< m
    double least, most; ///< samples
    PxVec3 low, high;   ///< bounds of the mesh, m
    double volume;      ///< m^3
    uint32_t vertices, triangles, pieces;
} PxVolumeResult;

/// Makes the closed isosurface of a volume and writes it to `path`. `result` may be NULL.
/// Errors: PX_ERR_ARGUMENT, PX_ERR_FORMAT, PX_ERR_MEMORY, PX_ERR_IO.
PX_API PxStatus px_make_volume_mesh(const PxVolumeDef *def, const char *path,
                                    PxVolumeResult *result);

/// The samples of a volume themselves. A sample (i, j, k) is value[i + samples[0] (j + samples[1]
/// k)], at origin + i step[0] + j step[1] + k step[2].
typedef struct PxVolumeSamples {
    uint32_t samples[3];
    float *value;
    PxVec3 origin, step[3]; ///< m
    double least, most;     ///< samples
} PxVolumeSamples;

/// Reads a volume; `at`, `below` and `largest` of its def are not used. Free it with
/// px_volume_samples_free(). *out is empty after a failure. Errors: PX_ERR_ARGUMENT, PX_ERR_FORMAT,
/// PX_ERR_UNSUPPORTED, PX_ERR_MEMORY, PX_ERR_IO.
PX_API PxStatus px_volume_samples_read(const PxVolumeDef *def, PxVolumeSamples *out);
/// Accepts NULL, and an empty one.
PX_API void px_volume_samples_free(PxVolumeSamples *volume);

/// How the triangles of a sheet lie.
typedef enum PxSheetPattern {
    PX_SHEET_REGULAR,     ///< two a cell, all diagonals parallel
    PX_SHEET_ALTERNATING, ///< two a cell, diagonals alternate
    PX_SHEET_CROSS,       ///< four a cell, around its middle
    PX_SHEET_IRREGULAR    ///< vertices moved at random, Delaunay triangulation
} PxSheetPattern;

/// A rectangle for cloth. Start from px_sheet_def_default().
typedef struct PxSheetDef {
    PxDefHead head;
    double size[2];     ///< along x and z, m, above 0 to 1e6; 1 by 1
    uint32_t cells[2];  ///< along x and z, 1 to 2000; 0: square ones, 40 along the longer side
    uint32_t triangles; ///< about as many, instead of `cells`; an irregular sheet has exactly as
                        ///< many if it is even; 0: as `cells` say
    PxSheetPattern pattern; ///< alternating
    uint64_t seed;          ///< another irregular sheet for each
} PxSheetDef;

PX_API void px_sheet_def_init(PxSheetDef *def, size_t size);
PX_DEF_DEFAULT(PxSheetDef, px_sheet_def)

typedef struct PxSheetResult {
    uint32_t cells[2];
    uint32_t vertices, triangles;
    double shortest, longest; ///< edges, m
    double angle;             ///< smallest angle of a triangle, degrees
} PxSheetResult;

/// Makes a rectangle of triangles in the plane of x and z, that faces +y and whose texture
/// coordinates are lengths in m, and writes it to `path`. `result` may be NULL.
/// Errors: PX_ERR_ARGUMENT, PX_ERR_MEMORY, PX_ERR_IO.
PX_API PxStatus px_make_sheet(const PxSheetDef *def, const char *path, PxSheetResult *result);

/// A figure that walks. Start from px_walker_def_default().
typedef struct PxWalkerDef {
    PxDefHead head;
    uint64_t seed;       ///< other proportions and another gait for each
    double height;       ///< m, 0.1 to 10; 0: chosen by the seed, 1.6 to 1.8
    double seconds;      ///< length of the sequence, 0 to 600
    double fps;          ///< poses per second, 1 to 1000
    double stands;       ///< time in its neutral pose before it walks, s, 0 to 600
    bool stays;          ///< it walks on the spot
    uint8_t reserved[3]; ///< 0
    uint32_t triangles;  ///< about as many, 1000 to 2,000,000
    uint32_t around;     ///< of the skirt: cells around it, 12 to 2000
    uint32_t pleats;     ///< of the skirt, 0 to 200
    double skirt;        ///< its length, as a part of the height, 0.05 to 0.5
    double flare;        ///< its slope outwards, 0 to 2
} PxWalkerDef;

PX_API void px_walker_def_init(PxWalkerDef *def, size_t size);
PX_DEF_DEFAULT(PxWalkerDef, px_walker_def)

typedef struct PxWalkerResult {
    double height, speed;                     ///< m, m/s
    uint32_t vertices, triangles, poses;      ///< of the figure
    uint32_t skirt_vertices, skirt_triangles; ///< 0: no skirt was wanted
    double waist[2];                          ///< heights between which the waistband lies, m
} PxWalkerResult;

/// Makes a figure in its neutral pose and writes it to `path` (OBJ or PLY), its poses to `poses`
/// (PC2), and, unless `skirt` is NULL, a skirt that fits it at the start. It walks towards +z, y
/// up. `result` may be NULL. Errors: PX_ERR_ARGUMENT, PX_ERR_MEMORY, PX_ERR_IO.
PX_API PxStatus px_make_walker(const PxWalkerDef *def, const char *path, const char *poses,
                               const char *skirt, PxWalkerResult *result);

#ifdef __cplusplus
}
#endif
#endif
