/// Cloth in the skins of a frame: the values of its triangles, and smoothing by subdivision.
///
/// In DIR/skin cloth comes after the skins of solids, in the order of the tables `cloth` and
/// `cloth_faces` of the frame.
#ifndef PX_STORE_CLOTH_SKIN_H
#define PX_STORE_CLOTH_SKIN_H

#include "base/table.h"
#include "shape/loop.h"

/// Edges with a larger angle between their triangles in the first stored skin stay sharp, degrees.
#define PX_CLOTH_CREASE 60.0

/// A skin, or another triangle mesh.
typedef struct PxClothSkin {
    PxTable *points;
    uint32_t (**triangle)[3]; ///< from px_list_reserve()
    uint32_t *triangles;
    uint32_t first_vertex; ///< of cloth; set by px_cloth_skin_cells()
    PxTable cells; ///< by triangle: strain, energy and bend of cloth, 0 elsewhere; no columns
                   ///< without cloth
} PxClothSkin;

/// Weights of the subdivision, kept from frame to frame as long as the triangles stay.
typedef struct PxClothSmoother {
    PxLoop *loop;
    uint32_t levels, vertices, triangles;
    uint32_t (*triangle)[3]; ///< from which the weights were made
    double most;             ///< by which old vertices are moved at most, m; 0: as Loop's rules say
} PxClothSmoother;

/// Finds the cloth of the skin and the values of its triangles in frame `number`, and adds columns
/// with their means to the points: strain_weft, strain_warp, strain_shear, energy (a third of each
/// triangle's) and bend (the largest); and the saturation of its vertices with liquid, 0 to 1.
/// Without the frame there is no cloth. Errors: PX_ERR_IO; PX_ERR_FORMAT if frame and skin differ;
/// PX_ERR_MEMORY.
PxStatus px_cloth_skin_cells(const char *dir, uint32_t number, PxClothSkin *skin,
                             const PxThreads *threads);
void px_cloth_skin_free(PxClothSkin *skin);

/// Divides the triangles of cloth `levels` times by four, and interpolates all columns. Columns of
/// integers and `painted` are those of a near vertex. Errors: PX_ERR_IO, PX_ERR_FORMAT for the
/// first skin; PX_ERR_MEMORY.
PxStatus px_cloth_skin_smooth(PxClothSmoother *smoother, const char *dir, uint32_t levels,
                              PxClothSkin *skin, const PxThreads *threads);
void px_cloth_smoother_free(PxClothSmoother *smoother);

#endif
