/// Surfaces around particles: triangles or surfels where a liquid ends.
///
/// Lengths of the options are in units of the particle spacing, so that the same numbers suit
/// a scene at every resolution. Everything else is SI.
#ifndef PHYXEL_SURFACE_H
#define PHYXEL_SURFACE_H

#include "phyxel/def.h"
#include "phyxel/status.h"
#include "phyxel/vector.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A scalar field that a surface may be the level set of, and the numbers that suit it.
typedef struct PxSurfaceField {
    const char *name;    ///< "anisotropic"
    const char *summary; ///< one line
    double radius;       ///< default: how far a particle acts, spacings
    double iso;          ///< default: how far outside the outermost particles it lies, spacings
    double smoothing;    ///< default: how far the mesh is smoothed along itself, spacings
} PxSurfaceField;

/// Field number `index`, or NULL after the last. The first one is the default.
PX_API const PxSurfaceField *px_surface_field(uint32_t index);

/// How to make a surface. Start from px_surface_def_default().
typedef struct PxSurfaceDef {
    PxDefHead head;
    const char *field;  ///< name of a field
    double cell;        ///< edge of the cells that are marched through, spacings, 0.1 .. 4
    double radius;      ///< how far a particle acts, spacings, 1 .. 6; 0: as suits the field
    double iso;         ///< how far the surface of a flat pool lies outside the middles of its
                        ///< outermost particles, spacings, 0.1 .. 1; 0: as suits the field
    double smoothing;   ///< how far the mesh is smoothed along itself, spacings, 0 .. 4;
                        ///< negative: as suits the field
    double gap;         ///< what stays free between surface and walls or sheets, spacings, 0 .. 2
    int threads;        ///< 0: one for every core
    double reserved[4]; ///< 0: room for fields to come, since PxSurfaceRunDef contains this
} PxSurfaceDef;

PX_API void px_surface_def_init(PxSurfaceDef *def, size_t size);
PX_DEF_DEFAULT(PxSurfaceDef, px_surface_def)

/// A sheet that no surface goes through, open or closed: triangles without a thickness.
typedef struct PxSurfaceSheet {
    const PxVec3 *position;
    uint32_t vertices;
    const uint32_t (*triangle)[3];
    uint32_t triangles;
} PxSurfaceSheet;

/// Most values that vertices may take over from particles.
#define PX_SURFACE_COLUMNS 32u

/// What a surface is made around. Arrays stay the caller's.
typedef struct PxSurfaceParticles {
    uint32_t count;
    double spacing;           ///< m, > 0
    const float *position[3]; ///< m
    const uint64_t *id;       ///< NULL, or what makes the result independent of the rows' order
    const float *column[PX_SURFACE_COLUMNS]; ///< values that vertices take over
    uint32_t columns;
    const uint8_t *other; ///< NULL, or not 0 for particles of other phases: the surface is that
                          ///< of the rest, and where the two meet it lies between them
    const PxSurfaceSheet *sheet;
    uint32_t sheets;
} PxSurfaceParticles;

/// A closed mesh: every edge has two triangles, and these are counter-clockwise seen from
/// outside. Without triangles where there are no particles.
typedef struct PxSurfaceMesh {
    uint32_t vertices, triangles;
    float (*position)[3]; ///< m
    float (*normal)[3];   ///< outwards, of unit length
    float *column[PX_SURFACE_COLUMNS];
    uint32_t columns;
    uint8_t *touching; ///< vertices that another phase lies behind; NULL without other phases
    uint32_t (*triangle)[3];
} PxSurfaceMesh;

/// Makes the surface of particles. The same bits for any number of threads.
/// Errors: PX_ERR_ARGUMENT, PX_ERR_NUMERIC for a position that is not finite or too far away
/// for cells of that size, PX_ERR_MEMORY.
PX_API PxStatus px_surface_make(const PxSurfaceDef *def, const PxSurfaceParticles *particles,
                                PxSurfaceMesh **out);
/// NULL is fine.
PX_API void px_surface_free(PxSurfaceMesh *mesh);

/// What a surface amounts to.
typedef struct PxSurfaceMeasure {
    double area;         ///< m^2
    double volume;       ///< m^3
    double interface;    ///< m^2, of the area: what another phase lies behind
    uint32_t components; ///< closed pieces, cavities too
} PxSurfaceMeasure;

/// Errors: PX_ERR_MEMORY.
PX_API PxStatus px_surface_measure(const PxSurfaceMesh *mesh, PxSurfaceMeasure *out);

/// Points on the surface, dense enough to cover it.
typedef struct PxSurfels {
    uint32_t count;
    float (*position)[3]; ///< m
    float (*normal)[3];   ///< outwards, of unit length
    float *radius;        ///< m
    float *column[PX_SURFACE_COLUMNS];
    uint32_t columns;
} PxSurfels;

/// Surfels of the same surface, projected onto it by Newton's method and split where they are
/// too large. def->cell is their radius, def->smoothing is not looked at.
/// Errors: those of px_surface_make().
PX_API PxStatus px_surfels_make(const PxSurfaceDef *def, const PxSurfaceParticles *particles,
                                PxSurfels **out);
PX_API void px_surfels_free(PxSurfels *surfels);

/// Which surfaces of a run to make. Start from px_surface_run_def_default().
typedef struct PxSurfaceRunDef {
    PxDefHead head;
    PxSurfaceDef surface;
    const char *dir;      ///< result folder of a run
    uint32_t first, last; ///< only frames from this number on, and up to this one
    const char *material; ///< only this one, by name or number; NULL: every material has a surface
    const char *columns;  ///< more columns that vertices take over: "density,pressure"; NULL: none
    bool surfels;         ///< points instead of triangles
    bool measure;         ///< measure.csv as well; not with surfels
    bool overwrite;       ///< make those anew that are up to date
    bool no_walls;        ///< as if the scene had no walls
} PxSurfaceRunDef;

PX_API void px_surface_run_def_init(PxSurfaceRunDef *def, size_t size);
PX_DEF_DEFAULT(PxSurfaceRunDef, px_surface_run_def)

/// Where px_surface_run() is: before the first frame and after each one.
typedef struct PxSurfaceProgress {
    uint32_t done, total; ///< frames
    uint32_t made;        ///< of those done, the others were up to date
    uint64_t elements;    ///< triangles, or surfels, of the last one made
    double wall;          ///< seconds so far
    double left;          ///< seconds it will still take, estimated; negative: not known yet
} PxSurfaceProgress;

/// False stops.
typedef bool PxSurfaceFunction(void *user, const PxSurfaceProgress *progress);

/// What px_surface_run() came to.
typedef struct PxSurfaceReport {
    uint32_t made, kept; ///< frames: made now, and found up to date
    double wall;         ///< seconds
    char out[1024];      ///< the folder
    bool scene;          ///< run.json was there: walls and names of materials are known
} PxSurfaceReport;

/// Writes DIR/surface/000001.ply for every frame within [first, last], each whole or not at all;
/// with surfels DIR/surfels/000001.ply, and of one material DIR/surface/NAME/000001.ply. Frames
/// whose surface was made from the same frame with the same numbers are passed over. With
/// `measure`, measure.csv beside them has a row for each frame and material of the folder. `each`
/// and `report` may be NULL. Errors: PX_ERR_ARGUMENT, also for a material or column that is not
/// there; PX_ERR_FORMAT for a damaged frame or one that is missing between others; PX_ERR_NUMERIC
/// naming the particle; PX_ERR_IO; PX_ERR_MEMORY; PX_ERR_STOPPED. In every case the surfaces made
/// before are kept.
PX_API PxStatus px_surface_run(const PxSurfaceRunDef *def, PxSurfaceFunction *each, void *user,
                               PxSurfaceReport *report);

#ifdef __cplusplus
}
#endif
#endif
