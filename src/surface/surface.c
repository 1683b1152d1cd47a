#include "surface/surface.h"

#include "surface/field/interpolate.h"
#include "surface/mesh/marching_cubes.h"
#include "surface/reconstruction.h"
#include "surface/mesh/smooth.h"

#include <stdlib.h>

/* Smooths the mesh; vertices on a barrier stay. */
static PxStatus smooth(const PxReconstruction *recon, const PxSurfaceDef *def, PxSurfaceMesh *mesh)
{
    double s = recon->field.spacing;
    double smoothing = def->smoothing < 0 ? recon->field.model->field.smoothing : def->smoothing;
    if (!(smoothing > 0))
        return PX_OK;
    uint8_t *hold = NULL;
    const PxBarriers *b = &recon->barriers;
    if (b->walls + b->sheets > 0) {
        hold = malloc((size_t)mesh->vertices + 1);
        if (hold == NULL)
            return px_fail(PX_ERR_MEMORY, "surface: no room to smooth %u vertices", mesh->vertices);
        for (uint32_t v = 0; v < mesh->vertices; ++v) {
            const float *p = mesh->position[v];
            PxVec3 at = {(double)p[0], (double)p[1], (double)p[2]};
            hold[v] = px_barriers_clearance(b, at, s) < 0.25 * s;
        }
    }
    PxStatus status = px_smooth(mesh, smoothing * s, def->cell * s, hold, &recon->threads);
    free(hold);
    return status;
}

static PxStatus make(PxReconstruction *recon, const PxSurfaceDef *def, const PxSurfaceParticles *p,
                     PxSurfaceMesh **out)
{
    PxBlockGrid grid;
    PX_TRY(px_block_grid_create(&grid, &recon->field, recon->has_other ? &recon->other : NULL,
                                &recon->barriers, def->cell * p->spacing));
    PxStatus status =
        px_marching_cubes(&grid, &recon->field, recon->has_other ? &recon->other : NULL,
                          &recon->barriers, &recon->threads, out);
    px_block_grid_free(&grid);
    PX_TRY(status);
    PX_TRY(smooth(recon, def, *out));
    (*out)->columns = p->columns;
    return px_interpolate(&recon->field, p->column, p->columns, (const float(*)[3])(*out)->position,
                          (*out)->vertices, (*out)->column);
}

PxStatus px_surface_make_walled(const PxSurfaceDef *def, const PxSurfaceParticles *particles,
                                const PxWall *wall, size_t walls, PxSurfaceMesh **out)
{
    *out = NULL;
    PxReconstruction recon;
    PxStatus status = px_reconstruction_create(&recon, def, particles, wall, walls);
    if (status == PX_OK)
        status = make(&recon, def, particles, out);
    px_reconstruction_free(&recon);
    if (status != PX_OK) {
        px_surface_free(*out);
        *out = NULL;
    }
    return status;
}

PxStatus px_surface_make(const PxSurfaceDef *def, const PxSurfaceParticles *particles,
                         PxSurfaceMesh **out)
{
    PX_WANT(out);
    *out = NULL;
    PxSurfaceDef read;
    PX_TRY(px_surface_def_read(def, &read));
    return px_surface_make_walled(&read, particles, NULL, 0, out);
}
