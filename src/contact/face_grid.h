/// Which triangles of cloth are near a point: a hash of the cells that their boxes cover.
///
/// Boxes are widened by a reach, so that the triangles within the reach of a point are all listed
/// in the point's own cell (Teschner et al. 2003; 004 section 4.3.1).
#ifndef PX_CONTACT_FACE_GRID_H
#define PX_CONTACT_FACE_GRID_H

#include "base/arena.h"
#include "cloth/cloth.h"

typedef struct PxFaceEntry {
    int32_t cell[3];
    uint32_t face;
} PxFaceEntry;

typedef struct PxFaceGrid {
    double cell; ///< edge, m; 0: there are no triangles
    uint32_t mask;
    uint32_t *begin;    ///< first entry by bucket
    PxFaceEntry *entry; ///< by bucket, then by triangle
} PxFaceGrid;

/// Lists the triangles between the positions `from` and `to` of the vertices, which may be equal.
/// Errors: PX_ERR_MEMORY.
PxStatus px_face_grid_build(PxFaceGrid *grid, const PxClothSystem *system, const PxVec3 *from,
                            const PxVec3 *to, double reach, PxArena *scratch);

/// The entries of a point's bucket: *count of them; those of its cell are among them.
const PxFaceEntry *px_face_grid_at(const PxFaceGrid *grid, PxVec3 place, int32_t cell[3],
                                   uint32_t *count);

/// Is it an entry of that cell?
static inline bool px_face_grid_is(const PxFaceEntry *entry, const int32_t cell[3])
{
    return entry->cell[0] == cell[0] && entry->cell[1] == cell[1] && entry->cell[2] == cell[2];
}

#endif
