/// Tearing: cloth comes apart along edges where the tension across them exceeds its strength.
///
/// The triangles around a vertex may be divided along two of its edges that are nearly in line, or
/// from a border or the tip of a crack along one. Both parts pull at the vertex with forces A and
/// B; |A - B| / 2 over half the length of these edges at rest is the tension across them, exactly
/// so in a uniform field of stress on any mesh. Where it exceeds the strength along A - B, that of
/// an ellipse with the axes `tear` and `tear_warp`, the vertex is split along the edges with the
/// largest ratio.
///
/// Cracks advance at their tips by at most an edge a step. A new crack begins only in a piece where
/// no tip advances, at its most loaded vertex, and not before waves had the time to cross the piece
/// since the last advance: a strip breaks in one place although all of it is loaded alike.
///
/// A torn sheet is the whole one with other corners: rest shapes of triangles and hinges are the
/// same. Copies of a vertex have its place and velocity, and each the mass of its own triangles, so
/// mass, momentum and the energy of the membrane do not change; the energy of hinges that are torn
/// is lost.
#ifndef PX_CLOTH_TEAR_H
#define PX_CLOTH_TEAR_H

#include "cloth/cloth.h"

/// Makes the sheet that `whole` becomes when its triangles have these corners. Hinges whose
/// triangles share no edge any more become two borders. Errors: PX_ERR_ARGUMENT if the corners are
/// no copies of those of `whole`, PX_ERR_MEMORY.
PxStatus px_cloth_sheet_torn(PxClothSheet *whole, const uint32_t (*corner)[3], uint32_t vertices,
                             PxClothSheet **out);

/// What tears in a step.
typedef struct PxClothTear {
    uint32_t (*corner)[3]; ///< by face of the system: new corners, within their piece
    uint32_t *vertices;    ///< by cloth: new number of vertices
    uint32_t *parent;      ///< of the new vertices, cloth after cloth: vertex of the system
    uint32_t added;        ///< their number
    double *calm;          ///< by vertex: until when no new crack begins, s; in and out
} PxClothTear;

/// Finds what tears at the positions of a step that was evaluated. `held` vertices do not.
/// Arrays are in the scratch of the step; t->calm is the caller's. Errors: PX_ERR_MEMORY.
PxStatus px_cloth_tear_find(const PxClothStep *step, double time, const uint8_t *held,
                            PxClothTear *t);

#endif
