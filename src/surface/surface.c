#include "surface/surface.h"

#include "surface/field/interpolate.h"
#include "surface/mesh/marching_cubes.h"
#include "surface/reconstruction.h"
#include "surface/mesh/crossings.h"
#include "surface/mesh/drops.h"
#include "surface/mesh/smooth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Vertices nearer to a barrier than that, spacings, belong to the side that touches it. */
#define TOUCHES 0.25
/* Around vertices that slide along a wall it is flat: within FLAT spacings its normal turns by less
 * than the angle with this cosine. */
#define FLAT 0.4
#define STRAIGHT 0.95f

/* Lets a vertex slide along the one wall that it touches, if that is flat there: in the edges of a
 * tank vertices stay. */
static bool may_slide(const PxBarriers *b, PxVec3 at, double s, float across[3])
{
    PxSide own = {0};
    size_t touched = 0;
    for (size_t k = 0; k < b->walls + b->sheets; ++k) {
        double within = (TOUCHES + FLAT) * s + px_barrier_gap(b, k);
        PxSide side = px_barrier_side(b, k, at, within);
        if (!((double)side.distance < within))
            continue;
        if (++touched > 1 || k >= b->walls)
            return false;
        own = side;
        PxVec3 n = px_vec((double)side.away[0], (double)side.away[1], (double)side.away[2]);
        PxVec3 u = px_normalized(px_cross(n, fabs(n.x) < 0.7 ? px_vec(1, 0, 0) : px_vec(0, 1, 0)),
                                 px_vec(0, 0, 1)),
               v = px_cross(n, u);
        for (int way = 0; way < 4; ++way) {
            PxVec3 beside = px_mad(at, way < 2 ? u : v, way % 2 == 0 ? FLAT * s : -FLAT * s);
            PxSide there = px_barrier_side(b, k, beside, within);
            if (there.away[0] * side.away[0] + there.away[1] * side.away[1] +
                    there.away[2] * side.away[2] <
                STRAIGHT)
                return false;
        }
    }
    memcpy(across, own.away, sizeof own.away);
    return touched == 1;
}

/* What vertices near barriers may do. Those where the free surface meets a wall, and their
 * neighbours, slide along it, so that the rim of a pool is smooth; the others stay. */
static void hold_vertices(const PxReconstruction *recon, const PxSurfaceMesh *mesh, uint8_t *hold,
                          float (*across)[3])
{
    enum { RIM = 3, INNER = 4 }; /* before it is known whether they may slide */
    const PxBarriers *b = &recon->barriers;
    double s = recon->field.spacing;
    for (uint32_t v = 0; v < mesh->vertices; ++v) {
        const float *p = mesh->position[v];
        PxVec3 at = {(double)p[0], (double)p[1], (double)p[2]};
        hold[v] = px_barriers_clearance(b, at, s) < TOUCHES * s ? PX_SMOOTH_HELD : PX_SMOOTH_FREE;
    }
    for (int ring = 0; ring < 2; ++ring)
        for (uint32_t t = 0; t < mesh->triangles; ++t) {
            const uint32_t *k = mesh->triangle[t];
            uint8_t next_to = ring == 0 ? PX_SMOOTH_FREE : RIM;
            bool beside = hold[k[0]] == next_to || hold[k[1]] == next_to || hold[k[2]] == next_to;
            for (int c = 0; beside && c < 3; ++c)
                if (hold[k[c]] == PX_SMOOTH_HELD)
                    hold[k[c]] = ring == 0 ? RIM : INNER;
        }
    for (uint32_t v = 0; v < mesh->vertices; ++v) {
        const float *p = mesh->position[v];
        PxVec3 at = {(double)p[0], (double)p[1], (double)p[2]};
        if (hold[v] >= RIM)
            hold[v] = may_slide(b, at, s, across[v]) ? PX_SMOOTH_SLIDES : PX_SMOOTH_HELD;
    }
}

/* Smooths the mesh; vertices on a barrier stay, or slide along it. */
static PxStatus smooth(const PxReconstruction *recon, const PxSurfaceDef *def, PxSurfaceMesh *mesh)
{
    double s = recon->field.spacing;
    double smoothing = def->smoothing < 0 ? recon->field.model->field.smoothing : def->smoothing;
    if (!(smoothing > 0))
        return PX_OK;
    uint8_t *hold = NULL;
    float(*across)[3] = NULL;
    PxStatus status = PX_OK;
    if (recon->barriers.walls + recon->barriers.sheets > 0) {
        hold = malloc((size_t)mesh->vertices + 1);
        across = calloc((size_t)mesh->vertices + 1, sizeof *across);
        if (hold == NULL || across == NULL)
            status =
                px_fail(PX_ERR_MEMORY, "surface: no room to smooth %u vertices", mesh->vertices);
        else
            hold_vertices(recon, mesh, hold, across);
    }
    if (status == PX_OK)
        status = px_smooth(mesh, smoothing * s, def->cell * s, hold, (const float(*)[3])across,
                           &recon->threads);
    free(hold);
    free(across);
    return status;
}

/* Moves vertices that touch a sheet into it. How much falls to 0 half a spacing further away. */
static void sink(const PxReconstruction *recon, double depth, PxSurfaceMesh *mesh)
{
    const PxBarriers *b = &recon->barriers;
    double near = px_barriers_sheet_gap(b), far = near + 0.5 * recon->field.spacing;
    for (uint32_t v = 0; v < mesh->vertices; ++v) {
        float *p = mesh->position[v];
        PxVec3 at = {(double)p[0], (double)p[1], (double)p[2]};
        PxMeshSpot best = {.distance = far}, spot;
        for (size_t k = 0; k < b->sheets; ++k)
            if (px_mesh_tree_closest(b->sheet[k], at, best.distance, &spot))
                best = spot;
        if (!(best.distance < far) || !(best.distance > 0))
            continue;
        double t = fmin((far - best.distance) / (far - near), 1);
        PxVec3 away = px_scale(px_sub(at, best.point), 1 / best.distance);
        at = px_mad(at, away, -t * t * (3 - 2 * t) * (best.distance + depth));
        p[0] = (float)at.x;
        p[1] = (float)at.y;
        p[2] = (float)at.z;
    }
}

static PxStatus make_once(PxReconstruction *recon, const PxSurfaceDef *def, double spacing,
                          PxSurfaceMesh **out)
{
    PxBlockGrid grid;
    PX_TRY(px_block_grid_create(&grid, &recon->field, recon->has_other ? &recon->other : NULL,
                                &recon->barriers, def->cell * spacing));
    PxStatus status =
        px_marching_cubes(&grid, &recon->field, recon->has_other ? &recon->other : NULL,
                          &recon->barriers, &recon->threads, out);
    px_block_grid_free(&grid);
    PX_TRY(status);
    return smooth(recon, def, *out);
}

/* Makes the surface again and again, avoiding the places where it crosses sheets. */
static PxStatus make_apart(PxReconstruction *recon, const PxSurfaceDef *def,
                           const PxSurfaceParticles *p, PxSurfaceMesh **out)
{
    enum { ROUNDS = 6 };
    PxCrossings *crossings = NULL;
    double cell = def->cell * p->spacing;
    PX_TRY(make_once(recon, def, p->spacing, out));
    if (recon->barriers.sheets == 0)
        return PX_OK;
    PxStatus status = px_crossings_create(p->sheet, p->sheets, &crossings);
    for (int n = 0; n < ROUNDS && status == PX_OK; ++n) {
        PxBalls *balls = &recon->barriers.balls;
        status = px_crossings_undo(crossings, *out, cell, balls, &recon->threads);
        if (status != PX_OK || (*out)->crossed == 0 || n + 1 == ROUNDS)
            break;
        px_surface_free(*out);
        *out = NULL;
        status = make_once(recon, def, p->spacing, out);
    }
    px_crossings_free(crossings);
    return status;
}

static PxStatus make(PxReconstruction *recon, const PxSurfaceDef *def, const PxSurfaceParticles *p,
                     PxSurfaceMesh **out)
{
    PX_TRY(make_apart(recon, def, p, out));
    if (def->sink > 0)
        sink(recon, def->sink * p->spacing, *out);
    (*out)->columns = p->columns;
    PX_TRY(px_interpolate(&recon->field, p->column, p->columns, (const float(*)[3])(*out)->position,
                          (*out)->vertices, (*out)->column));
    return px_drops_add(p, recon->alone, def->cell, def->stretch, *out);
}

PxStatus px_surface_make_walled(const PxSurfaceDef *def, const PxSurfaceParticles *particles,
                                const PxWall *wall, size_t walls, PxSurfaceMesh **out)
{
    *out = NULL;
    PxReconstruction recon;
    PxStatus status = px_reconstruction_create(&recon, def, particles, wall, walls, true);
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
