#include "contact/contact_stress.h"

#include <math.h>
#include <string.h>

/* Rows within this many radii of a boundary touch it. */
#define TOUCHES 1.01

PxStatus px_contact_stress_begin(PxContactStress *c, PxSolidSolids *solids)
{
    PxSolid *s = c->solid;
    size_t quads = 4 * (size_t)s->count;
    float *alone = PX_ARENA_ARRAY(s->scratch, float, quads);
    if (alone == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u particles", s->count);
    memcpy(alone, s->a, quads * sizeof *alone);
    c->alone = alone;
    if (solids == NULL)
        return PX_OK;
    PX_TRY(px_solid_solids_begin(solids, s));
    if (solids->facings.facings > 0) {
        solids->press.forces(solids->press.user, s);
        solids->press.add(solids->press.user, s);
    }
    return PX_OK;
}

/* stress -= scale (f n^T + n f^T) / 2 */
static void add(PxMat3 *stress, PxVec3 f, PxVec3 n, double scale)
{
    PxMat3 both = px_mat3_add(px_mat3_outer(f, n), px_mat3_outer(n, f));
    *stress = px_mat3_sub(*stress, px_mat3_scale(both, 0.5 * scale));
}

/* Force with which boundary k keeps row i at rest, which others accelerate by `a`; n: its normal.
 * 0: they do not touch, or `a` points away. */
static PxVec3 support(const PxContactStress *c, uint32_t i, size_t k, PxVec3 a, PxVec3 *n)
{
    const PxSolid *s = c->solid;
    const PxBoundary *b = c->boundary[k];
    double mass = (double)s->particles->mass[i], radius = (double)s->particles->radius[i];
    if (!(px_boundary_distance(b, 1, px_solid_place(s, i), n) < TOUCHES * radius))
        return px_vec(0, 0, 0);
    double push = -px_dot(a, *n);
    if (!(push > 0))
        return px_vec(0, 0, 0);
    const PxMaterialDef *def = &s->material[s->particles->material[i]].def;
    PxVec3 along = px_mad(a, *n, push);
    double most = sqrt(def->friction * b->friction) * push, size = px_length(along);
    double part = size > most ? most / size : 1;
    return px_scale(px_sub(px_scale(*n, push), px_scale(along, part)), mass);
}

void px_contact_stress_add(const PxContactStress *c, uint32_t i, PxMat3 *stress)
{
    const PxSolid *s = c->solid;
    if (s->columns.handle[i] != 0)
        return;
    PxVec3 a = px_solid_in_world(s, s->a, i), met = px_sub(a, px_solid_in_world(s, c->alone, i));
    double lever = (double)s->particles->radius[i] / (double)s->columns.volume[i];
    double size = px_length(met);
    if (size > 0)
        add(stress, met, px_scale(met, 1 / size), (double)s->particles->mass[i] * lever);
    for (size_t k = 0; k < c->boundaries; ++k) {
        PxVec3 n, force = support(c, i, k, a, &n);
        if (px_dot(force, force) > 0)
            add(stress, force, n, lever);
    }
}
