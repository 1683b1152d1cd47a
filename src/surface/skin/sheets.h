/// The cracks of one body as its skin sees them: what lies behind a sheet moves a point less.
///
/// 000 section 5.6.3 blends the maps of particles (Eq. 5.28) with weights to which the transparency
/// of cracks is applied (Eq. 5.33): if a sheet crosses the way from a point to a particle,
///
///     r / R  becomes  r / R + (2 d / (k h))^2,
///
/// d being the distance of the crossing from the front, k the opacity and h the support of the
/// physics. Both faces of a crack then meet at its front and part behind it.
#ifndef PX_SURFACE_SKIN_SHEETS_H
#define PX_SURFACE_SKIN_SHEETS_H

#include "solid/fracture/cracks.h"
#include "solid/fracture/near.h"

/// Piece of a sheet that is not in the mesh: it lies between two pieces.
#define PX_SHEET_BETWEEN UINT32_MAX

typedef struct PxSkinSheets {
    PxVec3 *at; ///< vertices, in the coordinates of the skin, m
    uint32_t points;
    uint32_t (*face)[3];
    uint32_t *piece;           ///< by face: the piece in which it lies, or PX_SHEET_BETWEEN
    struct PxSheetFace *plane; ///< by face; NULL: not known yet
    uint32_t faces;
    uint8_t *tip;       ///< by vertex: at a front
    PxVec3 (*front)[2]; ///< segments
    uint32_t fronts;
    PxCrackCells face_cells, front_cells, middle_cells;
    double widest; ///< largest radius of these faces about their middles, m
    double opaque; ///< a crack is opaque at this distance behind its front: k h / 2, m
} PxSkinSheets;

/// Takes the sheets of a body over, all in piece 0. `shift`: from rest positions to those of the
/// skin. `cell`: edge of the cells of searches, m. Errors: PX_ERR_MEMORY.
PxStatus px_skin_sheets_make(PxSkinSheets *sheets, const PxCracks *cracks, uint32_t body,
                             PxVec3 shift, double opaque, double cell);

/// Depth of a point below the surface of a body, m; negative outside.
typedef double PxSkinDepth(const void *user, PxVec3 at);

/// Widens the sheets by `wide` where their rims, but not their fronts, are less deep than `near`:
/// cracks end at a smooth outline of the particles (field.h), which leaves
/// out edges and corners of the body. Errors: PX_ERR_MEMORY.
PxStatus px_skin_sheets_widen(PxSkinSheets *sheets, PxSkinDepth *depth, const void *user,
                              double near, double wide);
void px_skin_sheets_free(PxSkinSheets *sheets);
size_t px_skin_sheets_bytes(const PxSkinSheets *sheets);

/// Is a face of that piece perhaps within the radius?
bool px_skin_sheets_near(const PxSkinSheets *sheets, uint32_t piece, PxVec3 at, double radius);

/// Where the way from `a` to `b` first crosses a face of that piece. False: nowhere.
bool px_skin_sheets_cross(const PxSkinSheets *sheets, uint32_t piece, PxVec3 a, PxVec3 b,
                          PxVec3 *at);

/// What views ask of a face.
typedef struct PxSheetFace {
    PxVec3 middle, normal; ///< normal: any length
    double wide;           ///< square of its radius about the middle, m^2
} PxSheetFace;

/// Computes `plane` and sorts the faces that lie within pieces for views. Call when the sheets are
/// complete, before views. Errors: PX_ERR_MEMORY.
PxStatus px_skin_sheets_plane(PxSkinSheets *sheets);

/// Most faces in a view.
#define PX_SHEET_VIEW 1024

/// The faces of a piece around a point.
typedef struct PxSheetView {
    PxVec3 from;
    uint32_t piece;
    double radius; ///< of the ball with all faces in the list, m; 0: there were too many
    uint32_t count;
    uint32_t face[PX_SHEET_VIEW];
    bool above[PX_SHEET_VIEW]; ///< the point is on the side to which the normal points
} PxSheetView;

/// Lists the faces of the piece that ways from a point to others within the radius may cross.
void px_skin_sheets_look(const PxSkinSheets *sheets, uint32_t piece, PxVec3 from, double radius,
                         PxSheetView *view);

/// What faces add to r / R on the way from the point of the view to `to`; 0: none crosses it.
double px_skin_sheets_behind(const PxSkinSheets *sheets, const PxSheetView *view, PxVec3 to);

#endif
