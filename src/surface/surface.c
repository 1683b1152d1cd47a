#include "surface/surface.h"

#include "surface/field/interpolate.h"
#include "surface/mesh/marching_cubes.h"
#include "surface/reconstruction.h"
#include "surface/mesh/smooth.h"

#include <stdlib.h>

/* Vertices that lie against a barrier stay there when the mesh is smoothed. */
static PxStatus smooth(const PxReconstruction *scope, const PxSurfaceDef *def, PxSurfaceMesh *mesh)
{
    double s = scope->field.spacing;
    double smoothing = def->smoothing < 0 ? scope->field.model->field.smoothing : def->smoothing;
    if (!(smoothing > 0))
        return PX_OK;
    uint8_t *hold = NULL;
    const PxBarriers *b = &scope->barriers;
    if (b->walls + b->sheets > 0) {
        hold = malloc((size_t)mesh->vertices + 1);
        if (hold == NULL)
            return px_fail(PX_ERR_MEMORY, "surface: no room to smooth %u vertices", mesh->vertices);
        for (uint32_t v = 0; v < mesh->vertices; ++v) {
            const float *p = mesh->position[v];
            PxVec3 at = {(double)p[0], (double)p[1], (double)p[2]};
            hold[v] = px_barriers_room(b, at, s) < 0.25 * s;
        }
    }
    PxStatus status = px_smooth(mesh, smoothing * s, def->cell * s, hold, &scope->threads);
    free(hold);
    return status;
}

static PxStatus make(PxReconstruction *scope, const PxSurfaceDef *def, const PxSurfaceParticles *p,
                     PxSurfaceMesh **out)
{
    PxBlockGrid sparse;
    PX_TRY(px_block_grid_create(&sparse, &scope->field, scope->has_other ? &scope->other : NULL,
                                &scope->barriers, def->cell * p->spacing));
    PxStatus status =
        px_marching_cubes(&sparse, &scope->field, scope->has_other ? &scope->other : NULL,
                          &scope->barriers, &scope->threads, out);
    px_block_grid_free(&sparse);
    PX_TRY(status);
    PX_TRY(smooth(scope, def, *out));
    (*out)->columns = p->columns;
    return px_interpolate(&scope->field, p->column, p->columns, (const float(*)[3])(*out)->position,
                          (*out)->vertices, (*out)->column);
}

PxStatus px_surface_make_walled(const PxSurfaceDef *def, const PxSurfaceParticles *particles,
                                const PxWall *wall, size_t walls, PxSurfaceMesh **out)
{
    *out = NULL;
    PxReconstruction scope;
    PxStatus status = px_reconstruction_create(&scope, def, particles, wall, walls);
    if (status == PX_OK)
        status = make(&scope, def, particles, out);
    px_reconstruction_free(&scope);
    if (status != PX_OK) {
        px_surface_free(*out);
        *out = NULL;
    }
    return status;
}

PxStatus px_surface_make(const PxSurfaceDef *def, const PxSurfaceParticles *particles,
                         PxSurfaceMesh **out)
{
    return px_surface_make_walled(def, particles, NULL, 0, out);
}
