#include "study/solid_probe.h"

#include "base/random.h"
#include "solid/implicit_euler.h"
#include "solid/passes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static PxSolidPoints points_of(const PxProbe *probe)
{
    const PxSolidColumns *c = &probe->solid.columns;
    return (PxSolidPoints){.x = c->rest[0],
                           .y = c->rest[1],
                           .z = c->rest[2],
                           .support = c->support,
                           .volume = c->volume,
                           .id = probe->particles.id,
                           .count = probe->particles.table.count};
}

/* Particles lie in the order of the lists' grid. */
static PxStatus sort(PxProbe *probe)
{
    PX_TRY(px_arena_reset(&probe->scratch));
    uint32_t *order = PX_ARENA_ARRAY(&probe->scratch, uint32_t, probe->solid.count);
    if (order == NULL)
        return px_fail(PX_ERR_MEMORY, "probe: no room");
    PX_TRY(
        px_bonds_order(&probe->bonds, points_of(probe), order, &probe->scratch, &probe->threads));
    PX_TRY(px_table_permute(&probe->particles.table, order, &probe->threads));
    px_particles_refresh(&probe->particles);
    px_solid_columns(&probe->particles.table, &probe->solid.columns);
    return PX_OK;
}

PxStatus px_probe_make(PxProbe *probe, const PxMaterialDef *material, const PxVec3 *point,
                       uint32_t count, double spacing, double support)
{
    *probe = (PxProbe){.material = {.def = *material},
                       .threads = {.count = 1},
                       .spacing = spacing,
                       .frame = {.end = count}};
    px_solid_lists_init(&probe->lists, NULL);
    px_bonds_init(&probe->bonds, NULL);
    px_arena_init(&probe->scratch, NULL);
    PX_TRY(px_particles_init(&probe->particles, NULL));
    PX_TRY(px_solid_law(&probe->material, &probe->law));
    PX_TRY(px_solid_columns_add(&probe->particles.table));
    uint32_t first;
    PX_TRY(px_table_append(&probe->particles.table, count, &first));
    px_particles_refresh(&probe->particles);
    PxSolid *s = &probe->solid;
    px_solid_columns(&probe->particles.table, &s->columns);
    PxParticles *p = &probe->particles;
    double volume = spacing * spacing * spacing;
    for (uint32_t i = 0; i < count; ++i) {
        p->id[i] = i;
        s->columns.rest[0][i] = p->x[i] = (float)point[i].x;
        s->columns.rest[1][i] = p->y[i] = (float)point[i].y;
        s->columns.rest[2][i] = p->z[i] = (float)point[i].z;
        s->columns.volume[i] = (float)volume;
        s->columns.bulk[i] = 1.0f;
        s->columns.support[i] = (float)(support * spacing);
        p->mass[i] = (float)(material->density * volume);
        p->radius[i] = (float)(0.5 * spacing);
    }
    s->particles = p;
    s->count = count;
    s->lists = &probe->lists;
    s->law = &probe->law;
    s->material = &probe->material;
    s->frame = &probe->frame;
    s->frames = 1;
    s->scratch = &probe->scratch;
    s->threads = &probe->threads;
    s->isa = px_isa_best();
    s->orthotropic = probe->law.orthotropic;
    PX_TRY(sort(probe));
    PX_TRY(px_bonds_begin(&probe->bonds, count));
    PX_TRY(px_bonds_add(&probe->bonds, points_of(probe), NULL, &probe->scratch, s->isa,
                        &probe->threads));
    return px_solid_lists_build(&probe->lists, &probe->bonds, points_of(probe), NULL,
                                &probe->threads);
}

PxStatus px_probe_block(PxProbe *probe, const PxMaterialDef *material, const uint32_t cells[3],
                        double spacing, double support)
{
    uint32_t count = cells[0] * cells[1] * cells[2];
    PxVec3 *point = malloc(count * sizeof *point);
    if (point == NULL)
        return px_fail(PX_ERR_MEMORY, "probe: no room for %u particles", count);
    for (uint32_t i = 0; i < count; ++i)
        point[i] = px_vec(spacing * (i % cells[0] - 0.5 * (cells[0] - 1)),
                          spacing * (i / cells[0] % cells[1] - 0.5 * (cells[1] - 1)),
                          spacing * (i / (cells[0] * cells[1]) - 0.5 * (cells[2] - 1)));
    PxStatus status = px_probe_make(probe, material, point, count, spacing, support);
    free(point);
    return status;
}

void px_probe_free(PxProbe *probe)
{
    px_solid_lists_free(&probe->lists);
    px_bonds_free(&probe->bonds);
    px_arena_free(&probe->scratch);
    px_particles_free(&probe->particles);
}

PxStatus px_probe_forces(PxProbe *probe)
{
    PxSolid *s = &probe->solid;
    PX_TRY(px_arena_reset(&probe->scratch));
    s->frame_of = PX_ARENA_ARRAY(&probe->scratch, uint32_t, s->count);
    if (s->frame_of == NULL)
        return px_fail(PX_ERR_MEMORY, "probe: no room");
    memset(s->frame_of, 0, s->count * sizeof *s->frame_of);
    PX_TRY(px_solid_begin(s));
    px_solid_forces(s, true);
    return PX_OK;
}

double px_probe_largest(const PxProbe *probe)
{
    const PxSolid *s = &probe->solid;
    double most = 0;
    for (uint32_t i = 0; i < s->count; ++i) {
        const float *a = s->a + 4 * (size_t)i;
        PxVec3 v = {(double)a[0], (double)a[1], (double)a[2]};
        double force = px_length(v) / (double)s->inverse_mass[i];
        most = force > most || isnan(force) ? force : most;
    }
    return most;
}

/* ---- rigid motion --------------------------------------------------------------- */

static void put(PxProbe *probe, uint32_t i, PxVec3 x)
{
    PxParticles *p = &probe->particles;
    p->x[i] = (float)x.x;
    p->y[i] = (float)x.y;
    p->z[i] = (float)x.z;
    p->x_low[i] = (float)(x.x - (double)p->x[i]);
    p->y_low[i] = (float)(x.y - (double)p->y[i]);
    p->z_low[i] = (float)(x.z - (double)p->z[i]);
}

static PxVec3 rest_of(const PxProbe *probe, uint32_t i)
{
    const PxSolidColumns *c = &probe->solid.columns;
    return px_vec((double)c->rest[0][i], (double)c->rest[1][i], (double)c->rest[2][i]);
}

PxStatus px_probe_rigid(PxProbe *probe, PxQuat turn, PxVec3 move, double *out)
{
    PxMat3 turned = px_mat3_from_quat(turn);
    for (uint32_t i = 0; i < probe->solid.count; ++i)
        put(probe, i, px_add(px_mat3_apply(turned, rest_of(probe, i)), move));
    PX_TRY(px_probe_forces(probe));
    *out = px_probe_largest(probe) / (probe->material.def.young * probe->spacing * probe->spacing);
    return PX_OK;
}

/* ---- the tangent stiffness ---------------------------------------------------------- */

/* Uniform in -1 to 1. */
static double unit(uint64_t id, uint64_t seed, uint64_t what)
{
    return 2 * px_random_unit(id, seed, what) - 1;
}

/* The displacements of a state. */
static void deform(PxProbe *probe, const PxProbeState *state)
{
    PxSolid *s = &probe->solid;
    for (uint32_t i = 0; i < s->count; ++i) {
        uint64_t id = probe->particles.id[i];
        PxVec3 x = rest_of(probe, i);
        const double xs[3] = {x.x, x.y, x.z};
        for (uint64_t a = 0; a < 3; ++a) {
            double u = state->noise * probe->spacing * unit(id, state->seed, a);
            for (uint64_t b = 0; b < 3; ++b)
                u += state->stretch * unit(1000003, state->seed, 3 * a + b) * xs[b];
            s->u[4 * (size_t)i + a] = (float)u;
        }
        for (uint64_t k = 0; k < 6; ++k)
            s->columns.plastic[k][i] = (float)(state->plastic * unit(id, state->seed, 10 + k));
    }
    s->strained = true;
}

/* Adds `weight` times the forces at the state displaced by `part` spacings of a random
 * direction. */
static void add_forces(PxProbe *probe, const PxProbeState *state, const float *way, double part,
                       double weight, double *sum)
{
    PxSolid *s = &probe->solid;
    deform(probe, state);
    for (size_t k = 0; k < 4 * (size_t)s->count; ++k)
        if (k % 4 < 3)
            s->u[k] += (float)part * way[k];
    px_solid_forces(s, false);
    for (size_t k = 0; k < 4 * (size_t)s->count; ++k)
        if (k % 4 < 3)
            sum[k] += weight * (double)s->a[k] / (double)s->inverse_mass[k / 4];
}

static PxStatus tangent(PxProbe *probe, const PxProbeState *state, float *way, double *sum,
                        double *out)
{
    PxSolid *s = &probe->solid;
    PX_TRY(px_probe_forces(probe)); /* allocates the arrays */
    size_t quads = 4 * (size_t)s->count;
    memset(way, 0, (quads + 32) * sizeof *way);
    memset(sum, 0, quads * sizeof *sum);
    for (size_t k = 0; k < quads; ++k)
        way[k] = k % 4 == 3 ? s->u[k]
                            : (float)(probe->spacing *
                                      unit(probe->particles.id[k / 4], state->seed, 20 + k % 4));
    /* Four points: the error is that of the fifth derivative, times h^4, and forces have
     * terms up to the fifth power. With h = 1/100 of a spacing rounding (1e-7 of the forces) makes
     * about 1e-5 of the change. */
    double h = 0.01;
    add_forces(probe, state, way, h, 8 / (12 * h), sum);
    add_forces(probe, state, way, -h, -8 / (12 * h), sum);
    add_forces(probe, state, way, 2 * h, -1 / (12 * h), sum);
    add_forces(probe, state, way, -2 * h, 1 / (12 * h), sum);

    PxTangent t = {.solid = s, .quad = way};
    deform(probe, state);
    px_solid_forces(s, false);
    PX_TRY(PX_ISA_PICK(s->isa, px_tangent_take)(&t));
    PX_ISA_PICK(s->isa, px_tangent_begin)(&t);
    px_parallel_for(s->threads, s->count, PX_BLOCK, PX_ISA_PICK(s->isa, px_tangent_block), &t);
    double worst = 0, largest = 0;
    for (uint32_t i = 0; i < s->count; ++i) {
        PxF4 f = px_solid_force(s->lists, s->record, i);
        const double *change = sum + 4 * (size_t)i;
        for (int k = 0; k < 3; ++k) {
            double off = fabs((double)f[k] - change[k]);
            worst = off > worst || isnan(off) ? off : worst;
            largest = fmax(largest, fabs(change[k]));
        }
    }
    *out = worst / largest;
    return PX_OK;
}

PxStatus px_probe_tangent(PxProbe *probe, const PxProbeState *state, double *out)
{
    size_t quads = 4 * (size_t)probe->solid.count;
    float *way = malloc((quads + 32) * sizeof *way);
    double *sum = malloc((quads + 1) * sizeof *sum);
    PxStatus status = way != NULL && sum != NULL ? tangent(probe, state, way, sum, out)
                                                 : px_fail(PX_ERR_MEMORY, "probe: no room");
    free(way);
    free(sum);
    return status;
}

/* ---- the energy --------------------------------------------------------------------- */

/* Energy of the state displaced by `part` spacings of a random direction. */
static double energy_at(PxProbe *probe, const PxProbeState *state, double part)
{
    PxSolid *s = &probe->solid;
    deform(probe, state);
    for (uint32_t i = 0; i < s->count; ++i)
        for (uint64_t c = 0; c < 3; ++c)
            s->u[4 * (size_t)i + c] +=
                (float)(part * probe->spacing * unit(probe->particles.id[i], state->seed, 20 + c));
    px_solid_forces(s, true);
    return s->elastic;
}

PxStatus px_probe_energy(PxProbe *probe, const PxProbeState *state, double *out)
{
    PxSolid *s = &probe->solid;
    PX_TRY(px_probe_forces(probe)); /* allocates the arrays */
    double h = 0.01, work = 0, size = 0;
    double lost = (8 * (energy_at(probe, state, -h) - energy_at(probe, state, h)) -
                   (energy_at(probe, state, -2 * h) - energy_at(probe, state, 2 * h))) /
                  (12 * h);
    energy_at(probe, state, 0);
    for (uint32_t i = 0; i < s->count; ++i)
        for (uint64_t c = 0; c < 3; ++c) {
            double force = (double)s->a[4 * (size_t)i + c] / (double)s->inverse_mass[i];
            double way = probe->spacing * unit(probe->particles.id[i], state->seed, 20 + c);
            work += force * way;
            size += fabs(force * way);
        }
    *out = fabs(work - lost) / size;
    return PX_OK;
}
