/// Makes shapes for tests; a failure fails the test.
#ifndef PX_TEST_SHAPES_H
#define PX_TEST_SHAPES_H

#include "check.h"
#include "shape/shape.h"

static inline PxShape *shape_make(const PxShapeDef *def)
{
    PxShape *shape = NULL;
    CHECK_OK(px_shape_create(def, &shape));
    return shape;
}

/// Frees the mesh.
static inline PxShape *shape_make_mesh(PxMesh *mesh)
{
    PxShapeDef def = px_shape_def_default(PX_SHAPE_MESH);
    PxShape *shape = NULL;
    CHECK_OK(px_shape_create_from_mesh(&def, mesh, "test", &shape));
    px_mesh_free(mesh);
    return shape;
}

#endif
