/// What a picture is of: the matter of one frame, as a surface, as surfels or as balls; solids that
/// have a skin as that.
#ifndef PX_RENDER_SUBJECT_H
#define PX_RENDER_SUBJECT_H

#include "render/setting.h"
#include "store/frame.h"
#include "store/ply_points.h"

/// How numbers of a column become colours.
typedef struct PxColouring {
    char column[PX_TABLE_NAME]; ///< "" for as it looks
    char unit[16];
    double low, high;
} PxColouring;

/// One frame, read.
typedef struct PxSubject {
    PxFrameMeta meta;
    PxTable particles;
    PxShow shown;       ///< which of them it is; what has a skin aside
    PxShow skin;        ///< how skins are shown: SURFACE, SURFELS, or PARTICLES for not at all
    PxPlyPoints skins;  ///< of the frame, if they are
    PxPlyPoints coats;  ///< of the frame, if they are shown
    uint8_t *skinned;   ///< by particle: it is shown by a skin or coat; NULL: none is
    uint64_t digest[2]; ///< of all that is drawn
} PxSubject;

/// Reads the particles of a frame, and finds out how it is shown.
/// Errors: PX_ERR_IO, PX_ERR_FORMAT (damaged, or a place that is not finite), PX_ERR_MEMORY;
/// PX_ERR_ARGUMENT when what is to be shown is not there. To be freed in any case.
PxStatus px_subject_read(const char *dir, uint32_t number, PxShow show, const PxThreads *threads,
                         PxSubject *out);
void px_subject_free(PxSubject *subject);

/// Where the particles are; empty when there are none.
PxBounds px_subject_bounds(const PxSubject *subject);

/// Numbers of a column, one a particle, into `out`: those of a column with one component, the
/// length of vectors, and "speed". Errors: PX_ERR_ARGUMENT, naming those there are.
PxStatus px_subject_values(const PxSubject *subject, const char *column, float *out, char unit[16]);

/// Adds it to the scenery. Looks of materials must be there, by index.
/// Errors: PX_ERR_IO, PX_ERR_FORMAT, PX_ERR_ARGUMENT, PX_ERR_MEMORY.
PxStatus px_subject_add(const PxSubject *subject, const char *dir, PxSetting *setting,
                        const PxColouring *colouring, const PxThreads *threads, PxScenery *out);

#endif
