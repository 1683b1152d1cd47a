#include "surface/field/probe.h"

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

static void meet(float depth[8], const float behind[8])
{
    for (int k = 0; k < 7; ++k)
        depth[k] = px_potential_meet(depth[k], behind[k]);
}

/* What barriers leave of the depths, and the slope. */
static float limited(double s, const PxBarriers *barriers, const double at[3], float depth[8],
                     float slope[3])
{
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
    float depth[8], behind[8];
    field_depths(p, at, depth);
    if (p->other != NULL) {
        px_potential_points(p->other, at, stencil[0], stencil[1], stencil[2], NULL, NULL, behind);
        meet(depth, behind);
    }
    return limited(p->field->spacing, p->barriers, at, depth, slope);
}

/* What is seen from a place: the barriers near it that cut ways. More of them than this in one
 * place are passed over. */
enum { MOST_CUTS = 6 };

typedef struct Seer {
    const PxVisibility *eyes;
    PxVec3 at;
    size_t cut[MOST_CUTS];
    PxSide side[MOST_CUTS];
    int cuts;
} Seer;

static bool is_seen(const void *user, uint32_t row)
{
    const Seer *s = user;
    for (int k = 0; k < s->cuts; ++k)
        if (px_visibility_hides(s->eyes, s->cut[k], row, s->at, &s->side[k]))
            return false;
    return true;
}

static void seen_depths(const PxVisibility *eyes, const double at[3], float depth[8])
{
    Seer s = {.eyes = eyes, .at = px_vec(at[0], at[1], at[2])};
    for (size_t c = 0; c < eyes->cuts && s.cuts < MOST_CUTS; ++c) {
        PxSide side = px_visibility_side(eyes, c, s.at);
        if ((double)side.distance < eyes->reach) {
            s.cut[s.cuts] = c;
            s.side[s.cuts++] = side;
        }
    }
    px_potential_points(eyes->field, at, stencil[0], stencil[1], stencil[2],
                        s.cuts > 0 ? is_seen : NULL, &s, depth);
}

float px_probe_alone(const PxVisibility *eyes, const PxVisibility *other,
                     const PxBarriers *barriers, const double at[3], float slope[3])
{
    float depth[8], behind[8];
    seen_depths(eyes, at, depth);
    if (other != NULL) {
        seen_depths(other, at, behind);
        meet(depth, behind);
    }
    return limited(eyes->field->spacing, barriers, at, depth, slope);
}
