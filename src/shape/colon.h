/// A procedural colon: a closed tube around a random spline with folds and haustra.
///
/// The tube runs from the rectum through the sigmoid, descending, transverse and ascending colon to
/// the caecum, y up, the patient's left at +x, the front at +z. Both ends are flat discs, in front
/// of which a scene places an emitter and a sink. 002 chapter 9 wishes for such a model: a cubic
/// spline whose control points have a radius.
#ifndef PX_SHAPE_COLON_H
#define PX_SHAPE_COLON_H

#include "shape/mesh.h"

#include "phyxel/make.h"

/// Makes the mesh, with texture coordinates: u around the tube, v along it. The same seed gives the
/// same mesh. *out is NULL on failure. Errors: PX_ERR_ARGUMENT, PX_ERR_MEMORY.
PxStatus px_colon_mesh(const PxColonDef *def, PxMesh **out, PxColonEnds *ends);

#endif
