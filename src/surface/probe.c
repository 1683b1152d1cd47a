#include "surface/probe.h"

#include <math.h>
#include <string.h>

/* Fine enough for kernels of two spacings, coarse enough for floats. */
#define STEP 0.1f

static const float stencil[3][8] = {
    {0, STEP, -STEP}, {0, 0, 0, STEP, -STEP}, {0, 0, 0, 0, 0, STEP, -STEP}};

bool px_probe_begin(PxProbe *p, const double low[3], const double high[3])
{
    PxPotentialCursor cursor = {0};
    double from[3], to[3], margin = (double)STEP * p->field->spacing;
    for (int a = 0; a < 3; ++a) {
        p->origin[a] = low[a];
        from[a] = low[a] - margin;
        to[a] = high[a] + margin;
    }
    p->sources = px_potential_gather(p->field, from, to, p->origin, &cursor, p->source, NULL,
                                     PX_PROBE_SOURCES);
    return p->sources < PX_PROBE_SOURCES;
}

/* Depths of the field at the stencil around a place. */
static void field_depths(const PxProbe *p, const double at[3], float depth[8])
{
    const PxPotential *f = p->field;
    float sum[PX_POTENTIAL_SUMS][8] = {{0}}, place[3][8], limit = f->reach + STEP;
    PxPotentialSource near[64];
    uint32_t count = 0;
    for (int a = 0; a < 3; ++a)
        for (int k = 0; k < 8; ++k)
            place[a][k] = (float)((at[a] - p->origin[a]) / f->spacing) + stencil[a][k];
    for (uint32_t s = 0; s < p->sources; ++s) {
        const PxPotentialSource *from = &p->source[s];
        float dx = from->x - place[0][0], dy = from->y - place[1][0], dz = from->z - place[2][0];
        if (!(dx * dx + dy * dy + dz * dz < limit * limit))
            continue;
        near[count++] = *from;
        if (count == PX_COUNT(near)) {
            f->model->add_points(f, place[0], place[1], place[2], near, count, sum);
            count = 0;
        }
    }
    f->model->add_points(f, place[0], place[1], place[2], near, count, sum);
    float *const sums[PX_POTENTIAL_SUMS] = {sum[0], sum[1], sum[2], sum[3]};
    f->model->finish(f, sums, depth, 8);
    for (int k = 0; k < 8; ++k)
        depth[k] = px_potential_depth(f, depth[k]);
}

/* What is left of the depths by the other phase and by barriers, and the slope. */
static float limited(const PxPotential *field, const PxPotential *other, const PxBarriers *barriers,
                     const double at[3], float depth[8], float slope[3])
{
    double s = field->spacing;
    if (other != NULL) {
        float behind[8];
        px_potential_points(other, at, stencil[0], stencil[1], stencil[2], behind);
        for (int k = 0; k < 7; ++k)
            depth[k] = px_potential_meet(depth[k], behind[k]);
    }
    /* Barriers further away than they act, whatever the depth, limit nothing. */
    float most = PX_CLING_REACH;
    for (int k = 0; k < 7; ++k)
        most = depth[k] > most ? depth[k] : most;
    double far = s * (double)(most + STEP);
    if (barriers != NULL && px_barriers_room(barriers, px_vec(at[0], at[1], at[2]), far) < far)
        for (int k = 0; k < 7; ++k) {
            PxVec3 place = {at[0] + (double)stencil[0][k] * s, at[1] + (double)stencil[1][k] * s,
                            at[2] + (double)stencil[2][k] * s};
            depth[k] =
                px_barriers_limit(depth[k], (float)(px_barriers_room(barriers, place, far) / s));
        }
    for (int a = 0; a < 3; ++a)
        slope[a] = (depth[1 + 2 * a] - depth[2 + 2 * a]) / (2 * STEP);
    return depth[0];
}

float px_probe_at(const PxProbe *p, const double at[3], float slope[3])
{
    float depth[8];
    field_depths(p, at, depth);
    return limited(p->field, p->other, p->barriers, at, depth, slope);
}

float px_probe_alone(const PxPotential *field, const PxPotential *other, const PxBarriers *barriers,
                     const double at[3], float slope[3])
{
    float depth[8];
    px_potential_points(field, at, stencil[0], stencil[1], stencil[2], depth);
    return limited(field, other, barriers, at, depth, slope);
}
