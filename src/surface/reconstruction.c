#include "surface/reconstruction.h"

#include "base/def.h"
#include "shape/mesh_check.h"
#include "surface/field/mirror.h"
#include "surface/mesh/block_grid.h"
#include "surface/mesh/drops.h"
#include "surface/surface.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static PxSurfaceDef surface_def_defaults(void)
{
    return (PxSurfaceDef){.field = px_surface_field(0)->name, .cell = 0.5, .smoothing = -1};
}

PX_DEF(PxSurfaceDef, surface_def, "surface")

static PxStatus check_number(const char *name, double value, double least, double most)
{
    if (value >= least && value <= most) /* false for NaN too */
        return PX_OK;
    return px_fail(PX_ERR_ARGUMENT, "surface: %s is %g spacings, wanted %g to %g", name, value,
                   least, most);
}

PxStatus px_surface_def_read(const PxSurfaceDef *given, PxSurfaceDef *out)
{
    PX_TRY(read_surface_def(given, out));
    const PxSurfaceDef *def = out;
    if (def->field == NULL || px_potential_find(def->field, PX_ISA_BASE) == NULL)
        return def->field != NULL ? PX_ERR_ARGUMENT
                                  : px_fail(PX_ERR_ARGUMENT, "surface: no field is named");
    PX_TRY(check_number("cell", def->cell, 0.1, 4));
    if (def->radius != 0)
        PX_TRY(check_number("radius", def->radius, 1, 6));
    if (def->iso != 0)
        PX_TRY(check_number("iso", def->iso, 0.1, 1));
    if (!(def->smoothing < 0))
        PX_TRY(check_number("smoothing", def->smoothing, 0, 4));
    PX_TRY(check_number("gap", def->gap, 0, 2));
    PX_TRY(check_number("sink", def->sink, 0, 0.5));
    if (!(def->stretch >= 0 && def->stretch <= 1e6))
        return px_fail(PX_ERR_ARGUMENT, "surface: stretch is %g s, wanted 0 to 1e6", def->stretch);
    return px_threads_check(def->threads, "surface");
}

static PxStatus check_particles(const PxSurfaceDef *def, const PxSurfaceParticles *p)
{
    PX_WANT(p);
    if (!(p->spacing > 0 && p->spacing < 1e12))
        return px_fail(PX_ERR_ARGUMENT, "surface: the spacing is %g m, wanted a positive number",
                       p->spacing);
    if (p->columns > PX_SURFACE_COLUMNS)
        return px_fail(PX_ERR_ARGUMENT, "surface: %u columns, wanted at most %u", p->columns,
                       PX_SURFACE_COLUMNS);
    if (p->count > 0xfffffff0u)
        return px_fail(PX_ERR_ARGUMENT, "surface: %u particles are too many", p->count);
    for (int a = 0; a < 3 && p->count > 0; ++a)
        PX_WANT(p->position[a]);
    for (uint32_t k = 0; k < p->columns && p->count > 0; ++k)
        PX_WANT(p->column[k]);
    if (p->sheets > 0)
        PX_WANT(p->sheet);
    double most = (PX_BLOCK_GRID_MOST - 4.0) * PX_BLOCK_EDGE * def->cell * p->spacing;
    for (uint32_t i = 0; i < p->count; ++i)
        for (int a = 0; a < 3; ++a) {
            double x = (double)p->position[a][i];
            if (!isfinite(x))
                return px_fail(
                    PX_ERR_NUMERIC,
                    "surface: particle %llu (row %u) has %c = %g, wanted a finite number",
                    (unsigned long long)(p->id != NULL ? p->id[i] : i), i, "xyz"[a], x);
            if (!(fabs(x) < most))
                return px_fail(PX_ERR_NUMERIC,
                               "surface: particle %llu (row %u) has %c = %g m, too far away for "
                               "cells of %g m, wanted less than %g m",
                               (unsigned long long)(p->id != NULL ? p->id[i] : i), i, "xyz"[a], x,
                               def -> cell * p -> spacing, most);
        }
    return PX_OK;
}

/* Builds a tree over a sheet; NULL if no triangle has an area. */
static PxStatus sheet_tree(const PxSurfaceSheet *sheet, PxMeshTree **out)
{
    PxMesh *mesh = NULL;
    *out = NULL;
    PX_WANT(sheet->triangle);
    if (sheet->vertices > 0)
        PX_WANT(sheet->position);
    PX_TRY(px_mesh_create(sheet->vertices, sheet->triangles, 0, &mesh));
    if (sheet->vertices > 0)
        memcpy(mesh->position, sheet->position, sheet->vertices * sizeof *mesh->position);
    if (sheet->triangles > 0)
        memcpy(mesh->triangle, sheet->triangle, sheet->triangles * sizeof *mesh->triangle);
    PxStatus status = px_mesh_check(mesh, "sheet");
    bool area = false;
    for (uint32_t t = 0; status == PX_OK && t < mesh->triangle_count && !area; ++t)
        area = !px_mesh_triangle_is_flat(px_mesh_corner(mesh, t, 0), px_mesh_corner(mesh, t, 1),
                                         px_mesh_corner(mesh, t, 2));
    if (status == PX_OK && area)
        status = px_mesh_tree_create(mesh, out);
    px_mesh_free(mesh);
    return status;
}

static PxStatus make_sheets(PxReconstruction *s, const PxSurfaceParticles *p)
{
    s->sheet = calloc((size_t)p->sheets + 1, sizeof *s->sheet);
    if (s->sheet == NULL)
        return px_fail(PX_ERR_MEMORY, "surface: no room for %u sheets", p->sheets);
    for (uint32_t k = 0; k < p->sheets; ++k) {
        PxStatus status =
            p->sheet[k].triangles > 0 ? sheet_tree(&p->sheet[k], &s->sheet[s->sheets]) : PX_OK;
        if (status != PX_OK)
            return px_fail_prefix(status, "surface: sheet %u: ", k);
        s->sheets += s->sheet[s->sheets] != NULL;
    }
    return PX_OK;
}

/* A particle stands for a cube of a spacing, so the centre of what lies on a sheet is at least half
 * a spacing away from it. Thin films without pressure come nearer, to half the thickness of cloth,
 * and would be thinner than a cell. Distances d below a spacing become (1 + d^2) / 2, unless
 * another sheet is in the way. */
static PxVec3 lift(const PxReconstruction *s, PxVec3 at, double spacing)
{
    PxMeshSpot best = {.distance = spacing}, spot;
    for (uint32_t k = 0; k < s->sheets; ++k)
        if (px_mesh_tree_closest(s->sheet[k], at, best.distance, &spot))
            best = spot;
    double d = best.distance / spacing;
    if (!(d < 1) || !(d > 0))
        return at;
    PxVec3 way = px_scale(px_sub(at, best.point), (0.5 * (1 + d * d) - d) / d);
    for (uint32_t k = 0; k < s->sheets; ++k) /* as much again stays free behind it */
        if (px_mesh_tree_ray(s->sheet[k], at, px_scale(way, 2), 1e-9, 1, &spot))
            return at;
    return px_add(at, way);
}

static PxStatus make_field(PxReconstruction *s, PxPotential *field, const PxSurfaceDef *def,
                           const PxSurfaceParticles *p, bool other)
{
    PxPotentialPoints points = {0};
    if (!PX_LIST_RESERVE(&points, (size_t)p->count + 1))
        return px_fail(PX_ERR_MEMORY, "surface: no room for %u particles", p->count);
    for (uint32_t i = 0; i < p->count; ++i) {
        if ((p->other != NULL && p->other[i] != 0) != other ||
            (s->alone != NULL && s->alone[i] != 0))
            continue;
        float x = p->position[0][i], y = p->position[1][i], z = p->position[2][i];
        if (s->sheets > 0) {
            PxVec3 at = lift(s, px_vec((double)x, (double)y, (double)z), p->spacing);
            x = (float)at.x;
            y = (float)at.y;
            z = (float)at.z;
        }
        points.data[points.count++] = (PxPotentialPoint){
            .at = {x, y, z}, .original = {x, y, z}, .row = i, .id = p->id != NULL ? p->id[i] : i};
    }
    const PxPotentialModel *model = px_potential_find(def->field, px_isa_best());
    PxStatus status = px_mirror_add(&points, &s->barriers, p->spacing,
                                    px_potential_influence(model, def), &s->threads);
    PxPotentialInput in = {points.data, (uint32_t)points.count, p->spacing};
    if (status == PX_OK)
        status = px_potential_create(field, model, def, &in, &s->threads);
    PX_LIST_FREE(&points);
    return status;
}

PxStatus px_reconstruction_create(PxReconstruction *s, const PxSurfaceDef *def,
                                  const PxSurfaceParticles *p, const PxWall *wall, size_t walls,
                                  bool drops)
{
    *s = (PxReconstruction){.threads = {.count = 1}};
    PX_TRY(check_particles(def, p));
    s->threads.count = def->threads > 0 ? def->threads : px_threads_available();
    px_stop_begin(&s->stop, def->stop, def->stop_user);
    s->threads.stop = &s->stop;
    PX_TRY(make_sheets(s, p));
    s->barriers = (PxBarriers){.wall = wall,
                               .walls = walls,
                               .sheet = s->sheet,
                               .sheets = s->sheets,
                               .gap = def->gap * p->spacing,
                               .cell = def->cell * p->spacing};
    PX_TRY(px_barriers_prepare(&s->barriers));
    if (drops)
        PX_TRY(px_drops_find(p, &s->barriers, &s->threads, &s->alone));
    PX_TRY(make_field(s, &s->field, def, p, false));
    for (uint32_t i = 0; p->other != NULL && i < p->count && !s->has_other; ++i)
        s->has_other = p->other[i] != 0;
    if (s->has_other)
        PX_TRY(make_field(s, &s->other, def, p, true));
    return PX_OK;
}

void px_reconstruction_free(PxReconstruction *s)
{
    px_potential_free(&s->field);
    px_potential_free(&s->other);
    px_barriers_free(&s->barriers);
    for (uint32_t k = 0; s->sheet != NULL && k < s->sheets; ++k)
        px_mesh_tree_free(s->sheet[k]);
    free(s->sheet);
    free(s->alone);
    *s = (PxReconstruction){.threads = {.count = 1}};
}
