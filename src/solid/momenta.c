/// Linear and angular momentum of components: damping, and forces of fluids.
///
/// Fluids take v += a dt, x += v dt with forces that are equal and opposite along the line between
/// two particles. That conserves angular momentum: forces are applied at the positions at the start
/// of the step. On elastic particles their constant part acts during all of the step
/// (coupling/exchange.h), while the body moves on. Forces then have a different lever than their
/// counterparts, by v lag, where lag is half a step for leapfrog. A spinning body is braked by
/// pressure alone: the sum of m v X a does not vanish for forces that point to its axis.
///
/// The missing angular momentum about the centre of mass is added as an angular acceleration. That
/// of the centre of mass itself is missing because it lags behind that of x += v dt by a dt lag: it
/// is moved by as much.
#include "solid/solid.h"

#include <math.h>

static PxVec3 vec_of(const float *quad)
{
    return px_vec((double)quad[0], (double)quad[1], (double)quad[2]);
}

/* Position of a row in its frame. */
static PxVec3 place_of(const PxSolid *s, uint32_t i)
{
    PxVec3 rest = px_vec((double)s->columns.rest[0][i], (double)s->columns.rest[1][i],
                         (double)s->columns.rest[2][i]);
    return px_add(rest, vec_of(s->u + 4 * (size_t)i));
}

/* Sums over the rows of a frame with weights w, about its origin. */
typedef struct Sums {
    double weight;
    PxVec3 place, momentum, moment; /* sums of w x, w v, w x X v */
    PxMat3 second;                  /* sum of w x x^T */
} Sums;

static void add(Sums *sums, PxVec3 x, PxVec3 v, double w)
{
    sums->weight += w;
    sums->place = px_mad(sums->place, x, w);
    sums->momentum = px_mad(sums->momentum, v, w);
    sums->moment = px_mad(sums->moment, px_cross(x, v), w);
    sums->second = px_mat3_add(sums->second, px_mat3_scale(px_mat3_outer(x, x), w));
}

/* A rigid motion: v = way + spin X (x - middle). */
typedef struct Rigid {
    PxVec3 middle, way, spin;
    PxMat3 inverse; /* of the inertia about the middle; 0 along axes of no inertia */
} Rigid;

/* Moments below this part of the largest belong to rows in a line: what is left of them is the
 * rounding error of sums about the frame's origin. */
#define THIN 1e-6

/* Inverse of an inertia tensor. Pieces of two rows, or of rows in a line, have none about their
 * axis: its inverse would be the reciprocal of a rounding error. `size` is the moment about the
 * origin. */
static PxMat3 inverse_of(PxMat3 inertia, double size)
{
    PxMat3 out = {{{0}}}, axes;
    PxVec3 moment;
    if (!px_mat3_eigen(inertia, &moment, &axes) || !(moment.x > 1e-12 * size))
        return out;
    if (moment.z > THIN * moment.x)
        return px_mat3_inverse(inertia, &out) ? out : (PxMat3){{{0}}};
    const double value[3] = {moment.x, moment.y, moment.z};
    for (int k = 0; k < 3; ++k) {
        PxVec3 axis = px_vec(axes.m[0][k], axes.m[1][k], axes.m[2][k]);
        if (value[k] > THIN * moment.x)
            out = px_mat3_add(out, px_mat3_scale(px_mat3_outer(axis, axis), 1 / value[k]));
    }
    return out;
}

static Rigid rigid_of(const Sums *sums)
{
    Rigid out = {.spin = {0, 0, 0}};
    if (!(sums->weight > 0))
        return out;
    out.middle = px_scale(sums->place, 1 / sums->weight);
    out.way = px_scale(sums->momentum, 1 / sums->weight);
    PxMat3 second = px_mat3_sub(sums->second,
                                px_mat3_scale(px_mat3_outer(out.middle, out.middle), sums->weight));
    PxMat3 inertia = px_mat3_sub(px_mat3_scale(px_mat3_identity(), px_mat3_trace(second)), second);
    PxVec3 moment = px_sub(sums->moment, px_cross(out.middle, sums->momentum));
    out.inverse = inverse_of(inertia, px_mat3_trace(sums->second));
    out.spin = px_mat3_apply(out.inverse, moment);
    return out;
}

static PxVec3 rigid_velocity(const Rigid *r, PxVec3 x)
{
    return px_add(r->way, px_cross(r->spin, px_sub(x, r->middle)));
}

/* ---- damping ------------------------------------------------------------- */

/* Fraction of the velocity relative to the rigid motion that a row loses. */
static double lost_part(const PxSolid *s, uint32_t i, double dt)
{
    float damping = px_solid_law_of(s, i)->damping;
    return damping > 0.0f && s->inverse_mass[i] > 0.0f ? -expm1(-(double)damping * dt) : 0;
}

/* The rigid motion relative to which a frame is damped. Its weights are the masses times the lost
 * parts: with these the losses add up to no momentum, however damping varies over the rows. In a
 * component held by handles it is the motion of the held rows; where no fluid acts, velocities and
 * damping are those of px_solid_begin(). */
static Rigid damping_motion(const PxSolid *s, const PxSolidFrame *f, double dt)
{
    if (f->held || (!s->flows && s->row_law == NULL))
        return (Rigid){.middle = f->middle, .way = f->velocity, .spin = f->spin};
    Sums sums = {0};
    for (uint32_t i = f->begin; i < f->end; ++i) {
        double part = lost_part(s, i, dt);
        if (part > 0)
            add(&sums, place_of(s, i), vec_of(s->v + 4 * (size_t)i),
                part * (double)s->particles->mass[i]);
    }
    return rigid_of(&sums);
}

typedef struct Damp {
    PxSolid *solid;
    const Rigid *motion; /* by frame */
    double dt;
} Damp;

static void damp_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Damp *job = user;
    PxSolid *s = job->solid;
    for (uint32_t i = begin; i < end; ++i) {
        double part = lost_part(s, i, job->dt);
        if (!(part > 0))
            continue;
        float *v = s->v + 4 * (size_t)i;
        PxVec3 rigid = rigid_velocity(&job->motion[s->frame_of[i]], place_of(s, i));
        v[0] += (float)(part * (rigid.x - (double)v[0]));
        v[1] += (float)(part * (rigid.y - (double)v[1]));
        v[2] += (float)(part * (rigid.z - (double)v[2]));
    }
}

PxStatus px_solid_damp(PxSolid *s, double dt)
{
    bool any = s->row_law != NULL;
    for (uint32_t k = 0; k < s->frames; ++k)
        any = any || px_solid_law_of(s, s->frame[k].begin)->damping > 0.0f;
    if (!any)
        return PX_OK;
    Rigid *motion = PX_ARENA_ARRAY(s->scratch, Rigid, s->frames);
    if (motion == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u components", s->frames);
    for (uint32_t k = 0; k < s->frames; ++k)
        motion[k] = damping_motion(s, &s->frame[k], dt);
    Damp job = {s, motion, dt};
    px_parallel_for(s->threads, s->count, PX_BLOCK, damp_block, &job);
    return PX_OK;
}

/* ---- loads --------------------------------------------------------------- */

static void balance_frame(PxSolid *s, const PxSolidFrame *f, double lag)
{
    Sums sums = {0};
    for (uint32_t i = f->begin; i < f->end; ++i) {
        if (s->inverse_mass[i] == 0.0f)
            return; /* a handle or an emitter takes momentum */
        add(&sums, place_of(s, i), px_vec(0, 0, 0), (double)s->particles->mass[i]);
    }
    Rigid motion = rigid_of(&sums);
    motion.spin = px_scale(px_mat3_apply(motion.inverse, f->load_moment), -lag);
    PxVec3 shift = px_scale(f->load, lag * s->dt);
    for (uint32_t i = f->begin; i < f->end; ++i) {
        float *pull = s->pull + 4 * (size_t)i, *u = s->u + 4 * (size_t)i;
        PxVec3 more = rigid_velocity(&motion, place_of(s, i));
        pull[0] += (float)more.x;
        pull[1] += (float)more.y;
        pull[2] += (float)more.z;
        u[0] += (float)shift.x;
        u[1] += (float)shift.y;
        u[2] += (float)shift.z;
    }
}

void px_solid_balance(PxSolid *s, double lag)
{
    for (uint32_t k = 0; k < s->frames; ++k) {
        const PxSolidFrame *f = &s->frame[k];
        if (lag > 0 && (px_dot(f->load, f->load) > 0 || px_dot(f->load_moment, f->load_moment) > 0))
            balance_frame(s, f, lag);
    }
}
