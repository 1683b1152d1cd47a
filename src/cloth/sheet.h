/// The mesh of one piece of cloth: triangles with their rest shape, and hinges between them.
///
/// A sheet never changes after it was made and is shared by reference. Vertices are numbered as the
/// welded vertices of the mesh it was made from. u is the direction of the weft, v that of the
/// warp.
#ifndef PX_CLOTH_SHEET_H
#define PX_CLOTH_SHEET_H

#include "phyxel/shape.h"
#include "phyxel/world.h"
#include "shape/mesh.h"

#include <stdbool.h>

/// Rest shape of a triangle.
typedef struct PxClothFace {
    uint32_t corner[3];
    uint32_t edge[3];     ///< from corner k to the next one: hinges first, then borders
    double inverse[2][2]; ///< of [p1 - p0, p2 - p0], p the corners in (u, v); 1/m
    double area;          ///< m^2
} PxClothFace;

/// Two triangles (0, 1, 2) and (1, 0, 3) that share the edge from 0 to 1.
typedef struct PxClothHinge {
    uint32_t corner[4];
    uint32_t face[2];
    double length; ///< of the edge at rest, m
    double weft;   ///< squared sine of the angle between edge and weft: part of `bend_weft`
    double shape;  ///< length^2 / (sum of both areas)
    double angle;  ///< dihedral angle at rest, rad; 0 is flat
    double half_sine, half_cosine; ///< of half that angle
    double weight[4];              ///< of the linear model (bending.c)
    double lever;                  ///< of the linear model: h2 h3 / (h2 + h3), h the heights, m
} PxClothHinge;

/// Below this ratio of height to longest edge a triangle, of the mesh or of its rest shape, is
/// refused: a step is then not solved, and cloth gains energy (decisions.md, 37).
#define PX_CLOTH_FLAT 1e-5
/// Below this ratio `phyxel check` warns of it: its energy is wrong.
#define PX_CLOTH_SLIVER 1e-2

/// Faults of texture coordinates. They count where these give the direction of the weft and the
/// look, not the rest shape.
typedef struct PxClothMap {
    uint32_t flat, folded; ///< triangles without area in them; edges at which they turn over
    uint32_t first[2];     ///< the first such triangle, and one at the first such edge
    uint32_t missing;      ///< triangles of the file that have none while others do: none are used
    uint32_t parted;       ///< edges at which they begin anew: vertices have one pair of them only
} PxClothMap;

typedef struct PxClothSheet {
    uint32_t vertices, faces, hinges;
    PxVec3 *start; ///< positions at the start, m
    double *share; ///< area that a vertex represents, m^2
    PxClothFace *face;
    PxClothHinge *hinge;
    double (*uv)[2];  ///< texture coordinates; NULL: none
    double edge;      ///< mean length of the edges at rest, m
    bool closed;      ///< every edge has two faces
    uint32_t borders; ///< edges with one face
    PxClothMap map;
    uint32_t references;
    struct PxClothSheet *whole; ///< that it was torn from (cloth/tear.h); NULL: it is whole
    uint32_t *vertex_from;      ///< torn: vertex of the whole one that each is a copy of
    uint32_t *edge_from;        ///< torn: twice the edge of the whole one, plus 1 for the second
                                ///< border of a torn hinge
} PxClothSheet;

/// Makes the triangles of a sheet or an open or closed mesh, placed as the def says.
/// Errors: PX_ERR_ARGUMENT for another kind of shape, those of px_mesh_read_file(), PX_ERR_MEMORY.
PxStatus px_cloth_mesh(const PxShapeDef *def, PxMesh **out);

/// Makes a sheet. Its rest shape is the mesh itself, or with PX_CLOTH_REST_UV its texture
/// coordinates in metres; in both cases weft and warp follow the texture coordinates, or without
/// them the x and z axes of `rotation`.
/// Errors: PX_ERR_ARGUMENT for edges with more than two triangles, triangles that are turned over
/// or flatter than PX_CLOTH_FLAT, and texture coordinates that are missing or folded;
/// PX_ERR_MEMORY.
PxStatus px_cloth_sheet_create(const PxMesh *mesh, PxQuat rotation, PxClothRest rest,
                               PxClothSheet **out);

/// Ratio of height to longest edge of a triangle at rest.
double px_cloth_face_ratio(const PxClothFace *face);

/// Sets the angle of a hinge at rest.
void px_cloth_hinge_rest(PxClothHinge *hinge, double angle);

void px_cloth_sheet_hold(PxClothSheet *sheet);
/// NULL is fine.
void px_cloth_sheet_free(PxClothSheet *sheet);
size_t px_cloth_sheet_bytes(const PxClothSheet *sheet);

#endif
