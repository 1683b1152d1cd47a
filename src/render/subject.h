/// The matter of one frame as a picture shows it: a surface, surfels or spheres, and skins and
/// coats of solids and coated materials.
#ifndef PX_RENDER_SUBJECT_H
#define PX_RENDER_SUBJECT_H

#include "render/setting.h"
#include "store/frame.h"
#include "store/ply_points.h"

/// Mapping of a column's values to colours.
typedef struct PxColouring {
    char column[PX_TABLE_NAME]; ///< "": the materials' own looks
    char unit[16];
    double low, high;
} PxColouring;

/// One frame and how it is shown.
typedef struct PxSubject {
    PxFrameMeta meta;
    PxTable rigid; ///< rigid bodies
    PxTable particles;
    PxShow shown;       ///< how matter without skin or coat is shown
    PxShow skin;        ///< how skins are shown: SURFACE, SURFELS, or PARTICLES for not at all
    PxPlyPoints skins;  ///< skins of the frame, if shown
    PxPlyPoints coats;  ///< coats of the frame, if shown
    PxPlyPoints foam;   ///< spray, foam and bubbles, if the folder has them
    bool foamed;        ///< the frame has a file of them, empty or not
    uint8_t *skinned;   ///< by particle: 1 if a skin or coat replaces it; NULL: none
    uint64_t digest[2]; ///< of everything that is drawn
} PxSubject;

/// Reads the particles of a frame and chooses how it is shown.
/// Errors: PX_ERR_IO, PX_ERR_FORMAT (damaged, or a position that is not finite), PX_ERR_MEMORY;
/// PX_ERR_ARGUMENT when the requested surface does not exist. Free it in any case.
PxStatus px_subject_read(const char *dir, uint32_t number, PxShow show, const PxThreads *threads,
                         PxSubject *out);
void px_subject_free(PxSubject *subject);

/// Adds strain, energy and bend to the skins of cloth, and subdivides them `levels` times; no
/// vertex is moved by more than `most` m by that, if it is not 0. Errors: those of
/// px_cloth_skin_cells() and px_cloth_skin_smooth().
PxStatus px_subject_smooth(PxSubject *subject, const char *dir, uint32_t levels, double most,
                           const PxThreads *threads);

/// Place of particle i.
PxVec3 px_subject_place(const PxSubject *subject, uint32_t i);

/// Bounds of the rigid bodies; empty when there are none.
PxBounds px_subject_rigid_bounds(const PxSubject *subject, const PxScene *scene);

/// Writes one value a particle into `out`: those of a column with one component, the length of
/// vectors, or "speed". Errors: PX_ERR_ARGUMENT, listing the columns.
PxStatus px_subject_values(const PxSubject *subject, const char *column, float *out, char unit[16]);

/// The same of the points of its skins; false if they have no such column.
bool px_subject_skin_values(const PxSubject *subject, const char *column, float *out,
                            char unit[16]);

/// Have the particles such a column?
bool px_subject_has(const PxSubject *subject, const char *column);

/// Adds the matter to the scenery, whose first looks must be those of the materials.
/// Errors: PX_ERR_IO, PX_ERR_FORMAT, PX_ERR_ARGUMENT, PX_ERR_MEMORY.
PxStatus px_subject_add(const PxSubject *subject, const char *dir, PxSetting *setting,
                        const PxColouring *colouring, const PxThreads *threads, PxScenery *out);

#endif
