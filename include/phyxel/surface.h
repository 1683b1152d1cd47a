/// Surfaces of particles: closed triangle meshes or surfels of an isosurface.
///
/// Lengths of the options are in particle spacings, so that the same values suit a scene at every
/// resolution. Everything else is SI.
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

/// A scalar field that can define the surface as its isosurface, and its default parameters.
typedef struct PxSurfaceField {
    const char *name;    ///< "anisotropic"
    const char *summary; ///< one line
    double radius;       ///< default support of a particle's kernel, spacings
    double iso;          ///< default distance of the surface from the outermost particles, spacings
    double smoothing;    ///< default smoothing length of the mesh, spacings
} PxSurfaceField;

/// Field number `index`, or NULL after the last. The first one is the default.
PX_API const PxSurfaceField *px_surface_field(uint32_t index);

/// Options of a surface. Start from px_surface_def_default().
typedef struct PxSurfaceDef {
    PxDefHead head;
    const char *field; ///< name of a field
    double cell;       ///< cell edge of the marching-cubes grid, spacings, 0.1 .. 4
    double radius;     ///< support of a particle's kernel, spacings, 1 .. 6; 0: the field's default
    double iso;        ///< distance of a flat surface from the centres of the outermost particles,
                       ///< spacings, 0.1 .. 1; 0: the field's default
    double smoothing;  ///< smoothing length of the mesh, spacings, 0 .. 4; negative: the field's
                       ///< default
    double gap;        ///< distance kept from walls and sheets, spacings, 0 .. 2
    int threads;       ///< 0: one for every core
    PxStopFunction *stop; ///< asked while a surface is made; NULL: nothing stops it
    void *stop_user;      ///< its argument
    double sink;          ///< how far the surface reaches into sheets that it touches, spacings,
                          ///< 0 .. 0.5; 0: it keeps the gap
    double stretch;       ///< drops of one particle are drawn out along the way of this time, s, to
                          ///< at most twice their length, 0 .. 1e6; 0: round
} PxSurfaceDef;

PX_API void px_surface_def_init(PxSurfaceDef *def, size_t size);
PX_DEF_DEFAULT(PxSurfaceDef, px_surface_def)

/// A sheet that no surface passes through, open or closed: triangles without thickness.
typedef struct PxSurfaceSheet {
    const PxVec3 *position;
    uint32_t vertices;
    const uint32_t (*triangle)[3];
    uint32_t triangles;
} PxSurfaceSheet;

/// Largest number of columns that are interpolated from particles.
#define PX_SURFACE_COLUMNS 32u

/// The particles of a surface. The caller keeps ownership of the arrays.
typedef struct PxSurfaceParticles {
    uint32_t count;
    double spacing;           ///< m, > 0
    const float *position[3]; ///< m
    const uint64_t *id; ///< NULL, or ids that make the result independent of the order of rows
    const float *column[PX_SURFACE_COLUMNS]; ///< values to interpolate at the vertices
    uint32_t columns;
    const uint8_t *other; ///< NULL, or not 0 for particles of other phases: the surface encloses
                          ///< the rest, and at an interface lies between the phases
    const PxSurfaceSheet *sheet;
    uint32_t sheets;
    const float *velocity[3]; ///< NULL, or m/s, for `stretch`
} PxSurfaceParticles;

/// A closed mesh: every edge has two triangles, counter-clockwise seen from outside. It has no
/// triangles if there are no particles.
typedef struct PxSurfaceMesh {
    uint32_t vertices, triangles;
    float (*position)[3]; ///< m
    float (*normal)[3];   ///< outwards, of unit length
    float *column[PX_SURFACE_COLUMNS];
    uint32_t columns;
    uint8_t *touching; ///< 1: the vertex is on an interface to another phase; NULL: no other phases
    uint32_t (*triangle)[3];
    uint64_t crossed; ///< pairs of a triangle and one of a sheet that cross, before it sinks in
} PxSurfaceMesh;

/// Reconstructs the surface of particles. The same bits for any number of threads.
/// Errors: PX_ERR_ARGUMENT, PX_ERR_NUMERIC for a position that is not finite or too far away for
/// cells of that size, PX_ERR_MEMORY, PX_ERR_STOPPED.
PX_API PxStatus px_surface_make(const PxSurfaceDef *def, const PxSurfaceParticles *particles,
                                PxSurfaceMesh **out);
/// Accepts NULL.
PX_API void px_surface_free(PxSurfaceMesh *mesh);

/// Measurements of a mesh.
typedef struct PxSurfaceMeasure {
    double area;         ///< m^2
    double volume;       ///< m^3
    double interface;    ///< m^2, the part of the area that is an interface to another phase
    uint32_t components; ///< connected components of the mesh, cavities included
} PxSurfaceMeasure;

/// All 0 on failure. Errors: PX_ERR_ARGUMENT, PX_ERR_MEMORY.
PX_API PxStatus px_surface_measure_sized(const PxSurfaceMesh *mesh, PxSurfaceMeasure *out,
                                         size_t size);
static inline PxStatus px_surface_measure(const PxSurfaceMesh *mesh, PxSurfaceMeasure *out)
{
    return px_surface_measure_sized(mesh, out, sizeof *out);
}

/// Discs on the surface, dense enough to cover it.
typedef struct PxSurfels {
    uint32_t count;
    float (*position)[3]; ///< m
    float (*normal)[3];   ///< outwards, of unit length
    float *radius;        ///< m
    float *column[PX_SURFACE_COLUMNS];
    uint32_t columns;
} PxSurfels;

/// Surfels of the same surface, projected onto it by Newton's method and split until they are small
/// enough. def->cell is their radius; def->smoothing is ignored.
/// Errors: those of px_surface_make().
PX_API PxStatus px_surfels_make(const PxSurfaceDef *def, const PxSurfaceParticles *particles,
                                PxSurfels **out);
/// Accepts NULL.
PX_API void px_surfels_free(PxSurfels *surfels);

/// Which surfaces of a run to make. Start from px_surface_run_def_default().
typedef struct PxSurfaceRunDef {
    PxDefHead head;
    PxSurfaceDef surface;
    const char *dir;      ///< result folder of a run
    uint32_t first, last; ///< only frames in this range
    const char *material; ///< only this material, by name or number; NULL: every material
    const char *columns;  ///< further columns to interpolate: "density,pressure"; NULL: none
    bool surfels;         ///< surfels instead of triangles
    bool measure;         ///< measure.csv as well; not with surfels
    bool overwrite;       ///< remake surfaces that are up to date
    bool no_walls;        ///< ignore the scene's walls
    bool contact;         ///< instead of surfaces, surfels between solids that touch each other,
                          ///< walls or rigid bodies, in DIR/contact
    double stretch;       ///< surface.stretch as part of the time between frames, 0 .. 4
    bool complete;        ///< only where some frames have surfaces already: those that other frames
                          ///< lack, with the settings of the last one that is there
} PxSurfaceRunDef;

PX_API void px_surface_run_def_init(PxSurfaceRunDef *def, size_t size);
PX_DEF_DEFAULT(PxSurfaceRunDef, px_surface_run_def)

/// Progress of px_surface_run(), reported before the first frame and after each one.
typedef struct PxSurfaceProgress {
    uint32_t done, total; ///< frames
    uint32_t made;        ///< of those done; the others were up to date
    uint64_t elements;    ///< number of triangles or surfels of the last one made
    double wall;          ///< seconds so far
    double left;          ///< estimated seconds left; negative: not known yet
} PxSurfaceProgress;

/// False stops.
typedef bool PxSurfaceFunction(void *user, const PxSurfaceProgress *progress);

/// Result of px_surface_run().
typedef struct PxSurfaceReport {
    uint32_t made, kept; ///< frames made now, and frames found up to date
    double wall;         ///< seconds
    char out[1024];      ///< output folder
    bool scene;          ///< run.json was found: walls and material names are known
    bool sheets;         ///< there is cloth
    uint64_t crossed;    ///< pairs of triangles of surfaces and cloth that cross, in all frames
} PxSurfaceReport;

/// Writes DIR/surface/000001.ply for every frame within [first, last], each completely or not at
/// all; with surfels DIR/surfels/000001.ply, for one material DIR/surface/NAME/000001.ply. Frames
/// whose surface was made from the same frame with the same options are skipped. With `measure`,
/// measure.csv beside them has a row for each frame and material of the folder. `each` and `report`
/// may be NULL. Errors: PX_ERR_ARGUMENT, also for a material or column that does not exist;
/// PX_ERR_FORMAT for a damaged frame or one that is missing between others; PX_ERR_NUMERIC naming
/// the particle; PX_ERR_IO; PX_ERR_MEMORY; PX_ERR_STOPPED. In every case the surfaces made before
/// are kept.
PX_API PxStatus px_surface_run_sized(const PxSurfaceRunDef *def, PxSurfaceFunction *each,
                                     void *user, PxSurfaceReport *report, size_t size);
static inline PxStatus px_surface_run(const PxSurfaceRunDef *def, PxSurfaceFunction *each,
                                      void *user, PxSurfaceReport *report)
{
    return px_surface_run_sized(def, each, user, report, sizeof *report);
}

/// Whitewater of a run: spray, foam and bubbles. Start from px_foam_run_def_default().
typedef struct PxFoamRunDef {
    PxDefHead head;
    const char *dir;      ///< result folder of a run
    double amount;        ///< factor on the number of diffuse particles, > 0
    double life;          ///< mean lifetime of foam, s, > 0
    double speed;         ///< of violent flow, m/s; 0: from the frames
    int threads;          ///< 0: one for every core
    PxStopFunction *stop; ///< asked between frames; NULL: `each` alone stops the call
    void *stop_user;      ///< its argument
    bool complete;        ///< only where some frames have foam and others lack it, with the
                          ///< settings of the last one that is there
} PxFoamRunDef;

PX_API void px_foam_run_def_init(PxFoamRunDef *def, size_t size);
PX_DEF_DEFAULT(PxFoamRunDef, px_foam_run_def)

/// Writes DIR/foam/000001.ply for every frame of a run: points with velocity, radius and `kind` (0
/// spray, 1 foam, 2 bubble). Each depends on the frames before it, so all are made. Pictures show
/// them. The same bits for any number of threads. `each` and `report` may be NULL; elements are
/// diffuse particles. Errors: PX_ERR_ARGUMENT, PX_ERR_FORMAT for a damaged or missing frame,
/// PX_ERR_IO, PX_ERR_MEMORY, PX_ERR_STOPPED.
PX_API PxStatus px_foam_run_sized(const PxFoamRunDef *def, PxSurfaceFunction *each, void *user,
                                  PxSurfaceReport *report, size_t size);
static inline PxStatus px_foam_run(const PxFoamRunDef *def, PxSurfaceFunction *each, void *user,
                                   PxSurfaceReport *report)
{
    return px_foam_run_sized(def, each, user, report, sizeof *report);
}

#ifdef __cplusplus
}
#endif
#endif
