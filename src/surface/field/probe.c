#include "surface/field/probe.h"

#include <math.h>
#include <string.h>

/* Step of the central differences: fine enough for kernels of two spacings, coarse enough for
 * floats. */
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

/* Depths of the field at the stencil around a point. */
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

static void meet(float depth[8], const float behind[8])
{
    for (int k = 0; k < 7; ++k)
        depth[k] = px_potential_meet(depth[k], behind[k]);
}

/* Limits the depths by barriers and computes the gradient. */
static float limited(double s, const PxBarriers *barriers, const double at[3], float depth[8],
                     float slope[3])
{
    /* Barriers further away than any of the depths limit nothing. */
    float most = PX_CLING_REACH;
    for (int k = 0; k < 7; ++k)
        most = depth[k] > most ? depth[k] : most;
    double far = s * (double)(most + STEP);
    double room =
        barriers != NULL ? px_barriers_clearance(barriers, px_vec(at[0], at[1], at[2]), far) : far;
    if (room < far) {
        /* so near is a barrier to every place of the stencil */
        far = fmin(far, fabs(room) + 1.001 * (double)STEP * s);
        for (int k = 0; k < 7; ++k) {
            PxVec3 place = {at[0] + (double)stencil[0][k] * s, at[1] + (double)stencil[1][k] * s,
                            at[2] + (double)stencil[2][k] * s};
            depth[k] = px_barriers_limit(depth[k],
                                         (float)(px_barriers_clearance(barriers, place, far) / s));
        }
    }
    for (int a = 0; a < 3; ++a)
        slope[a] = (depth[1 + 2 * a] - depth[2 + 2 * a]) / (2 * STEP);
    return depth[0];
}

float px_probe_at(const PxProbe *p, const double at[3], float slope[3])
{
    float depth[8], behind[8];
    field_depths(p, at, depth);
    if (p->other != NULL) {
        px_potential_points(p->other, at, stencil[0], stencil[1], stencil[2], NULL, NULL, behind);
        meet(depth, behind);
    }
    return limited(p->field->spacing, p->barriers, at, depth, slope);
}

/* A point and the thin barriers near it; more than MOST_BLOCKERS are ignored. */
enum { MOST_BLOCKERS = 6 };

typedef struct Viewpoint {
    const PxVisibility *visibility;
    PxVec3 at;
    size_t blocker[MOST_BLOCKERS];
    PxSide side[MOST_BLOCKERS];
    int blockers;
} Viewpoint;

static bool is_visible(const void *user, uint32_t row)
{
    const Viewpoint *s = user;
    for (int k = 0; k < s->blockers; ++k)
        if (px_visibility_occluded(s->visibility, s->blocker[k], row, s->at, &s->side[k]))
            return false;
    return true;
}

static void visible_depths(const PxVisibility *visibility, const double at[3], float depth[8])
{
    Viewpoint s = {.visibility = visibility, .at = px_vec(at[0], at[1], at[2])};
    for (size_t c = 0; c < visibility->blockers && s.blockers < MOST_BLOCKERS; ++c) {
        PxSide side = px_visibility_side(visibility, c, s.at);
        if ((double)side.distance < visibility->reach) {
            s.blocker[s.blockers] = c;
            s.side[s.blockers++] = side;
        }
    }
    px_potential_points(visibility->field, at, stencil[0], stencil[1], stencil[2],
                        s.blockers > 0 ? is_visible : NULL, &s, depth);
}

float px_probe_alone(const PxVisibility *visibility, const PxVisibility *other,
                     const PxBarriers *barriers, const double at[3], float slope[3])
{
    float depth[8], behind[8];
    visible_depths(visibility, at, depth);
    if (other != NULL) {
        visible_depths(other, at, behind);
        meet(depth, behind);
    }
    return limited(visibility->field->spacing, barriers, at, depth, slope);
}
