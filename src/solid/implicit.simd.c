/// Implicit Euler (001 Appendix B), however stiff the solid and long the step.
///
/// The velocity w at the end of the step makes this least:
///   Phi(w) = 1/2 sum m |w - v - dt a|^2 + U(u + dt w)
/// with `a` gravity and the like, U the elastic energy: where its gradient is 0 Eqs. 42 and 43
/// of the document hold. Newton's method finds it, each step's equation
///   (M - dt^2 K) d = -grad Phi
/// by conjugate gradients without the matrix: K d is made of the same two passes over
/// pairs as forces are (passes.h), with the change of stress that d causes in place of the stress.
/// Because Phi must fall, a step that would overshoot is halved; where K is not
/// definite (squeezed solids) what makes it so is left out.
///
/// The document's tangent has slips (the volume term's factors stand in the wrong rows, the factor
/// of its strain is 2 too large); this one is derived anew and held against finite differences.
#include "solid/implicit.h"

#include "base/sum.h"
#include "solid/integration.h"
#include "solid/passes.h"

#include <math.h>
#include <string.h>

enum { MAX_ERROR, MAX_ITERATIONS, MAX_ROUNDS };

static const PxField fields[] = {
    {.key = "max_error",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE | PX_FIELD_ABOVE,
     .offset = MAX_ERROR * sizeof(double),
     .unit = "",
     .least = 0,
     .most = 1,
     .help = "Force that may be left over, as a part of the largest there is."},
    {.key = "max_iterations",
     .kind = PX_FIELD_COUNT,
     .flags = PX_FIELD_LIVE,
     .offset = MAX_ITERATIONS * sizeof(double),
     .unit = "",
     .least = 1,
     .most = 1e6,
     .help = "Most iterations of conjugate gradients in a round."},
    {.key = "max_rounds",
     .kind = PX_FIELD_COUNT,
     .flags = PX_FIELD_LIVE,
     .offset = MAX_ROUNDS * sizeof(double),
     .unit = "",
     .least = 1,
     .most = 1e3,
     .help = "Most rounds of Newton's method in a step."},
};
static const double defaults[] = {0.01, 200, 40};

typedef struct Job {
    PxSolid *solid;
    PxTangent tangent;
    float dt;
    float *start; /* displacement at the start of the step */
    float *aim;   /* v + dt a */
    float *w;     /* the velocity looked for */
    float *r, *z, *p, *ap, *d;
    float *diagonal; /* 1 / (m + dt^2 k), by row */
    double *row;     /* one number a row, to be added up */
    double most;
    PxSolidContact *contact; /* by row; .on: in contact */
    double alpha, beta;
    const float *a_side, *b_side;
    double magic, sum;
} Job;

/* ---- sums over rows ---------------------------------------------------------- */

static void dot_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    Job *job = user;
    double most = 0;
    for (uint32_t i = begin; i < end; ++i) {
        const float *a = job->a_side + 4 * (size_t)i, *b = job->b_side + 4 * (size_t)i;
        job->row[i] =
            (double)a[0] * (double)b[0] + (double)a[1] * (double)b[1] + (double)a[2] * (double)b[2];
        most = fmax(most, fabs(job->row[i]));
    }
    px_join_begin();
    job->most = fmax(job->most, most);
    px_join_end();
}

static void add_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    Job *job = user;
    double sum = 0;
    for (uint32_t i = begin; i < end; ++i)
        sum += px_sum_round(job->magic, job->row[i]);
    px_join_begin();
    job->sum += sum;
    px_join_end();
}

static double add_rows(Job *job)
{
    const PxSolid *s = job->solid;
    job->magic = px_sum_magic(job->most, s->count);
    job->sum = 0;
    px_parallel_for(s->threads, s->count, PX_BLOCK, add_block, job);
    return job->sum;
}

static double dot(Job *job, const float *a, const float *b)
{
    job->a_side = a;
    job->b_side = b;
    job->most = 0;
    px_parallel_for(job->solid->threads, job->solid->count, PX_BLOCK, dot_block, job);
    return add_rows(job);
}

/* ---- what is to be made least --------------------------------------------------- */

static void place_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    for (uint32_t i = begin; i < end; ++i)
        for (size_t c = 0; c < 3; ++c)
            job->solid->u[4 * (size_t)i + c] =
                job->start[4 * (size_t)i + c] + job->dt * job->w[4 * (size_t)i + c];
}

/* Friction holds a row in contact back with the force `grip`, below the speed `slow` in
 * proportion. The grip is what the last round of contacts says, so that friction has a potential of
 * its own and is part of Phi. */
PX_INLINE float sliding(const PxSolidContact *c, const float *w)
{
    float along = 0, speed = 0;
    for (int k = 0; k < 3; ++k)
        along += (w[k] - c->velocity[k]) * c->normal[k];
    for (int k = 0; k < 3; ++k) {
        float t = w[k] - c->velocity[k] - along * c->normal[k];
        speed += t * t;
    }
    return sqrtf(speed);
}

/* That force over the speed. As a stiffness it is the same all along the wall; the true one is
 * 0 along the way that slides, and with that Newton's method jumps back and forth over rest. */
PX_INLINE float drag_of(const PxSolidContact *c, const float *w)
{
    float speed = sliding(c, w);
    return c->on ? c->grip / (speed > c->slow ? speed : c->slow) : 0.0f;
}

static void inertia_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    Job *job = user;
    const PxSolid *s = job->solid;
    double most = 0;
    for (uint32_t i = begin; i < end; ++i) {
        double sum = 0;
        for (size_t c = 0; c < 3; ++c) {
            double d = (double)job->w[4 * (size_t)i + c] - (double)job->aim[4 * (size_t)i + c];
            sum += d * d;
        }
        float per = s->inverse_mass[i];
        job->row[i] = per > 0.0f ? 0.5 * sum / (double)per : 0;
        const PxSolidContact *c = &job->contact[i];
        if (c->on && c->grip > 0.0f) {
            double speed = (double)sliding(c, job->w + 4 * (size_t)i), slow = (double)c->slow;
            job->row[i] += (double)job->dt * (double)c->grip *
                           (speed > slow ? speed - 0.5 * slow : 0.5 * speed * speed / slow);
        }
        most = fmax(most, job->row[i]);
    }
    px_join_begin();
    job->most = fmax(job->most, most);
    px_join_end();
}

/* Moves to where w leads, finds the forces there and Phi. */
static double evaluate(Job *job)
{
    PxSolid *s = job->solid;
    px_parallel_for(s->threads, s->count, PX_BLOCK, place_block, job);
    px_solid_forces(s, true);
    job->most = 0;
    px_parallel_for(s->threads, s->count, PX_BLOCK, inertia_block, job);
    return add_rows(job) + s->elastic;
}

/* What must not change: held rows, and the way into a wall of those in contact. */
PX_INLINE void filter(const Job *job, uint32_t i, float *v)
{
    if (job->solid->inverse_mass[i] == 0.0f) {
        v[0] = v[1] = v[2] = 0.0f;
        return;
    }
    const PxSolidContact *c = &job->contact[i];
    if (!c->on)
        return;
    float along = v[0] * c->normal[0] + v[1] * c->normal[1] + v[2] * c->normal[2];
    for (int k = 0; k < 3; ++k)
        v[k] -= along * c->normal[k];
}

/* -grad Phi, filtered; and how hard each contact is pressed on. */
static void residual_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    Job *job = user;
    const PxSolid *s = job->solid;
    double left = 0, there = 0;
    for (uint32_t i = begin; i < end; ++i) {
        const float *a = s->a + 4 * (size_t)i, *w = job->w + 4 * (size_t)i,
                    *aim = job->aim + 4 * (size_t)i, *pull = s->pull + 4 * (size_t)i;
        float *r = job->r + 4 * (size_t)i;
        float per = s->inverse_mass[i], mass = per > 0.0f ? 1.0f / per : 0.0f;
        double size = 0;
        for (int k = 0; k < 3; ++k) {
            /* s->a has the pull in it, and so has the aim */
            r[k] = mass * (aim[k] - w[k] + job->dt * (a[k] - pull[k]));
            double elastic = (double)a[k] - (double)pull[k];
            size += elastic * elastic;
        }
        PxSolidContact *c = &job->contact[i];
        if (c->on) {
            float into = -(r[0] * c->normal[0] + r[1] * c->normal[1] + r[2] * c->normal[2]);
            c->pressed = into / job->dt;
            float push = drag_of(c, w) * job->dt;
            for (int k = 0; k < 3; ++k)
                r[k] -= push * (w[k] - c->velocity[k]);
        }
        filter(job, i, r);
        there = fmax(there, sqrt(size));
        left = fmax(left, sqrt((double)(r[0] * r[0] + r[1] * r[1] + r[2] * r[2])) * (double)per /
                              (double)job->dt);
    }
    px_join_begin();
    job->alpha = fmax(job->alpha, left);
    job->beta = fmax(job->beta, there);
    px_join_end();
}

/* What rows are off balance by when they are off by this part of their spacing is rounding. */
#define ROUNDING 1e-7

/* The largest acceleration that is not balanced, as a part of the largest there is. */
static double residual(Job *job)
{
    const PxSolid *s = job->solid;
    job->alpha = job->beta = 0;
    px_parallel_for(s->threads, s->count, PX_BLOCK, residual_block, job);
    double g = px_length(s->gravity);
    if (!(job->alpha > ROUNDING * s->highest * 2 * (double)s->particles->radius[s->first]))
        return 0;
    return job->alpha / (job->beta + g);
}

/* ---- the linear equation ----------------------------------------------------------- */

static void diagonal_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    Job *job = user;
    const PxSolid *s = job->solid;
    const PxSolidLists *l = s->lists;
    for (uint32_t i = begin; i < end; ++i) {
        float k = 0;
        for (int own = 0; own < 2; ++own) {
            uint32_t first = own ? 0 : l->start[i], last = own ? 1 : l->start[i + 1];
            for (uint32_t e = first; e < last; ++e) {
                uint32_t j = own ? i : l->row[e];
                const float *pair = l->pair + 4 * (size_t)e;
                float x[3], y[3];
                for (int c = 0; c < 3; ++c)
                    x[c] = own ? l->sum[c][i] : pair[c];
                y[0] = l->inverse[0][j] * x[0] + l->inverse[3][j] * x[1] + l->inverse[5][j] * x[2];
                y[1] = l->inverse[3][j] * x[0] + l->inverse[1][j] * x[1] + l->inverse[4][j] * x[2];
                y[2] = l->inverse[5][j] * x[0] + l->inverse[4][j] * x[1] + l->inverse[2][j] * x[2];
                /* of a stiffness (lambda + mu) d d^T + mu |d|^2, a third of the trace */
                const PxSolidLaw *law = px_solid_law_of(s, j);
                float stiff = (law->stiff[3] + law->volume + 4.0f * law->stiff[6]) / 3.0f;
                k += s->columns.volume[j] * stiff * (y[0] * y[0] + y[1] * y[1] + y[2] * y[2]);
                if (!own)
                    k += (s->u[4 * (size_t)i + 3] + s->u[4 * (size_t)j + 3]) * pair[3];
            }
        }
        float per = s->inverse_mass[i];
        job->diagonal[i] = per > 0.0f ? 1.0f / (1.0f / per + job->dt * job->dt * k) : 0.0f;
    }
}

static void apply_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    const PxSolid *s = job->solid;
    float dt2 = job->dt * job->dt;
    for (uint32_t i = begin; i < end; ++i) {
        const float *p = job->p + 4 * (size_t)i;
        float *ap = job->ap + 4 * (size_t)i, per = s->inverse_mass[i];
        PxF4 f = px_solid_force(s->lists, s->record, i);
        float mass = per > 0.0f ? 1.0f / per : 0.0f;
        const PxSolidContact *c = &job->contact[i];
        float drag = job->dt * drag_of(c, job->w + 4 * (size_t)i);
        for (int k = 0; k < 3; ++k)
            ap[k] = (mass + drag) * p[k] - dt2 * f[k];
        ap[3] = 0.0f;
        filter(job, i, ap);
    }
}

static void apply(Job *job)
{
    PxSolid *s = job->solid;
    job->tangent.quad = job->p;
    px_parallel_for(s->threads, s->count, 256, PX_ISA_NAME(px_tangent_block), &job->tangent);
    px_parallel_for(s->threads, s->count, 256, apply_block, job);
}

static void scale_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    for (uint32_t i = begin; i < end; ++i) {
        float *z = job->z + 4 * (size_t)i, per = job->diagonal[i];
        const PxSolidContact *c = &job->contact[i];
        if (per > 0.0f)
            per = 1.0f / (1.0f / per + job->dt * drag_of(c, job->w + 4 * (size_t)i));
        for (int k = 0; k < 3; ++k)
            z[k] = per * job->r[4 * (size_t)i + (size_t)k];
        z[3] = 0.0f;
        filter(job, i, z);
    }
}

static void direction_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    float beta = (float)job->beta;
    for (uint32_t i = begin; i < end; ++i) {
        for (size_t k = 4 * (size_t)i; k < 4 * (size_t)i + 3; ++k)
            job->p[k] = job->z[k] + beta * job->p[k];
        job->p[4 * (size_t)i + 3] = job->solid->u[4 * (size_t)i + 3];
    }
}

static void advance_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    float alpha = (float)job->alpha;
    for (size_t k = 4 * (size_t)begin; k < 4 * (size_t)end; ++k) {
        job->d[k] += alpha * job->p[k];
        job->r[k] -= alpha * job->ap[k];
    }
}

/* d with (M - dt^2 K) d = r to a twentieth of what is there, or a direction on which Phi falls.
 * False: the matrix is not definite. */
static bool solve(Job *job, uint32_t most, uint64_t *iterations)
{
    PxSolid *s = job->solid;
    size_t bytes = 4 * ((size_t)s->count + 8) * sizeof(float);
    memset(job->d, 0, bytes);
    memset(job->p, 0, bytes);
    px_parallel_for(s->threads, s->count, PX_BLOCK, scale_block, job);
    double rz = dot(job, job->r, job->z), first = rz;
    job->beta = 0;
    for (uint32_t k = 0; k < most && rz > 0; ++k) {
        px_parallel_for(s->threads, s->count, PX_BLOCK, direction_block, job);
        apply(job);
        ++*iterations;
        double curve = dot(job, job->p, job->ap);
        if (!(curve > 0))
            return false;
        job->alpha = rz / curve;
        px_parallel_for(s->threads, s->count, PX_BLOCK, advance_block, job);
        px_parallel_for(s->threads, s->count, PX_BLOCK, scale_block, job);
        double next = dot(job, job->r, job->z);
        if (next < 0.05 * 0.05 * first)
            break;
        job->beta = next / rz;
        rz = next;
    }
    return true;
}

static void step_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    float alpha = (float)job->alpha;
    for (uint32_t i = begin; i < end; ++i)
        for (size_t k = 4 * (size_t)i; k < 4 * (size_t)i + 3; ++k)
            job->w[k] += alpha * job->d[k];
}

static void step_by(Job *job, double length)
{
    job->alpha = length;
    px_parallel_for(job->solid->threads, job->solid->count, PX_BLOCK, step_block, job);
}

/* Nearer to a wall than this part of its radius a row lies on it. */
#define ON_IT 1e-3f

/* ---- contact ------------------------------------------------------------------------ */

/* Rows that would end in a wall are put onto it and stay; those that a wall would
 * have to pull on are let go. True: something changed. */
static bool revise(Job *job)
{
    PxSolid *s = job->solid;
    bool changed = false;
    s->meet(s, job->contact);
    for (uint32_t i = 0; i < s->count; ++i) {
        PxSolidContact *c = &job->contact[i];
        float *w = job->w + 4 * (size_t)i;
        if (s->inverse_mass[i] == 0.0f)
            continue;
        if (c->on && c->pressed < 0.0f && !c->released) {
            c->on = false;
            c->released = true; /* once: or it would come and go for ever */
            changed = true;
        } else if (!c->on && c->gap < 0.0f && !(c->released && c->gap > -1e-3f * c->slow)) {
            c->on = true;
            c->pressed = 0;
            changed = true;
        }
        float grip = c->on && c->pressed > 0.0f ? c->friction * c->pressed : 0.0f;
        changed = changed || fabsf(grip - c->grip) > 0.1f * (grip + c->grip);
        c->grip = grip;
        if (c->on && fabsf(c->gap) > ON_IT * s->particles->radius[s->first + i]) {
            for (int k = 0; k < 3; ++k)
                w[k] -= c->gap / job->dt * c->normal[k];
            changed = true;
        }
    }
    return changed;
}

/* Rows that lie on a wall when the step begins are taken to stay there. */
static void rest_on_walls(Job *job, double when)
{
    PxSolid *s = job->solid;
    memset(job->contact, 0, s->count * sizeof *job->contact);
    memcpy(s->u, job->start, 4 * (size_t)s->count * sizeof(float));
    s->when = when;
    s->meet(s, job->contact);
    for (uint32_t i = 0; i < s->count; ++i) {
        PxSolidContact *c = &job->contact[i];
        float *w = job->w + 4 * (size_t)i, into = 0;
        c->on = s->inverse_mass[i] > 0.0f && c->gap < ON_IT * s->particles->radius[s->first + i] &&
                c->before >= -c->slow;
        if (!c->on)
            continue;
        for (int k = 0; k < 3; ++k)
            into += (c->velocity[k] - w[k]) * c->normal[k];
        for (int k = 0; k < 3; ++k)
            w[k] += (into - c->gap / job->dt) * c->normal[k];
        /* as if it carried itself alone: the first round says what it carries */
        c->grip = into > 0.0f ? c->friction * into / (job->dt * s->inverse_mass[i]) : 0.0f;
    }
}

/* ---- momenta -------------------------------------------------------------------------- */

typedef struct Momenta {
    double mass;
    PxVec3 before, after; /* centre of mass, in the frame */
    PxVec3 linear;        /* what the solve left over */
} Momenta;

static PxVec3 vec_of(const float *quad)
{
    return px_vec((double)quad[0], (double)quad[1], (double)quad[2]);
}

static PxVec3 rest_of(const PxSolid *s, uint32_t i)
{
    return px_vec((double)s->columns.rest[0][i], (double)s->columns.rest[1][i],
                  (double)s->columns.rest[2][i]);
}

static Momenta momenta_of(const Job *job, const PxSolidFrame *frame)
{
    const PxSolid *s = job->solid;
    Momenta m = {0};
    for (uint32_t i = frame->begin; i < frame->end; ++i) {
        size_t q = 4 * (size_t)i;
        double mass = 1 / (double)s->inverse_mass[i];
        PxVec3 rest = rest_of(s, i);
        m.mass += mass;
        m.before = px_mad(m.before, px_add(rest, vec_of(job->start + q)), mass);
        m.after = px_mad(m.after, px_add(rest, vec_of(s->u + q)), mass);
        m.linear = px_mad(m.linear, px_sub(vec_of(job->aim + q), vec_of(job->w + q)), mass);
    }
    m.before = px_scale(m.before, 1 / m.mass);
    m.after = px_scale(m.after, 1 / m.mass);
    return m;
}

/* Gives a free body back what it lost of its momenta: conjugate gradients that end early leave some
 * of the momentum over; and with elastic forces that have no torque at the end of the step,
 * implicit Euler turns  sum m x X v  into  sum m x' X v,  which differ by  dt sum m w X v. */
static void keep_momenta(Job *job, const PxSolidFrame *frame)
{
    PxSolid *s = job->solid;
    for (uint32_t i = frame->begin; i < frame->end; ++i)
        if (s->inverse_mass[i] == 0.0f || job->contact[i].on)
            return;
    Momenta m = momenta_of(job, frame);
    PxVec3 angular = {0, 0, 0};
    PxMat3 second = {{{0}}}, inverse;
    for (uint32_t i = frame->begin; i < frame->end; ++i) {
        size_t q = 4 * (size_t)i;
        double mass = 1 / (double)s->inverse_mass[i];
        PxVec3 rest = rest_of(s, i), v = vec_of(s->v + q);
        PxVec3 x = px_sub(px_add(rest, vec_of(job->start + q)), m.before);
        PxVec3 y = px_sub(px_add(rest, vec_of(s->u + q)), m.after);
        PxVec3 gain = px_sub(vec_of(job->w + q), px_sub(vec_of(job->aim + q), v));
        angular = px_mad(angular, px_sub(px_cross(x, v), px_cross(y, gain)), mass);
        second = px_mat3_add(second, px_mat3_scale(px_mat3_outer(y, y), mass));
    }
    PxMat3 inertia = px_mat3_sub(px_mat3_scale(px_mat3_identity(), px_mat3_trace(second)), second);
    PxVec3 way = px_scale(m.linear, 1 / m.mass), spin = {0, 0, 0};
    if (px_mat3_inverse(inertia, &inverse))
        spin = px_mat3_apply(inverse, angular);
    for (uint32_t i = frame->begin; i < frame->end; ++i) {
        float *w = job->w + 4 * (size_t)i, *u = s->u + 4 * (size_t)i;
        PxVec3 y = px_sub(px_add(rest_of(s, i), vec_of(u)), m.after);
        PxVec3 more = px_add(way, px_cross(spin, y));
        const double add[3] = {more.x, more.y, more.z}, move[3] = {way.x, way.y, way.z};
        for (int k = 0; k < 3; ++k) {
            w[k] = (float)((double)w[k] + add[k]);
            u[k] = (float)((double)u[k] + (double)job->dt * move[k]);
        }
    }
}

/* ---- the step ------------------------------------------------------------------------ */

/* Rounds of finding out who touches what. */
#define CONTACT_ROUNDS 6

static PxStatus take(Job *job)
{
    PxSolid *s = job->solid;
    size_t quads = 4 * ((size_t)s->count + 8);
    float **const arrays[] = {&job->start, &job->aim, &job->w,  &job->r,
                              &job->z,     &job->p,   &job->ap, &job->d};
    bool there = true;
    for (size_t k = 0; k < PX_COUNT(arrays); ++k) {
        *arrays[k] = PX_ARENA_ARRAY(s->scratch, float, quads);
        if (*arrays[k] != NULL)
            memset(*arrays[k], 0, quads * sizeof(float));
        there = there && *arrays[k] != NULL;
    }
    job->diagonal = PX_ARENA_ARRAY(s->scratch, float, s->count);
    job->row = PX_ARENA_ARRAY(s->scratch, double, s->count);
    job->contact = PX_ARENA_ARRAY(s->scratch, PxSolidContact, s->count);
    if (!there || job->diagonal == NULL || job->row == NULL || job->contact == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u particles", s->count);
    memset(job->contact, 0, s->count * sizeof *job->contact);
    return PX_OK;
}

/* The search begins with gravity alone: where a force pulls on few rows, following it
 * for a long step would tear them far out, and the search ends in a tangle. What handles hold
 * bears its weight already, and begins as it was. */
static void aim_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    const PxSolid *s = job->solid;
    for (uint32_t i = begin; i < end; ++i) {
        const PxSolidFrame *f = &s->frame[s->frame_of[i]];
        PxVec3 fall =
            f->held ? px_vec(0, 0, 0) : px_mat3_apply(px_mat3_transpose(f->turn), s->gravity);
        const float g[3] = {(float)fall.x, (float)fall.y, (float)fall.z};
        for (size_t c = 0; c < 3; ++c) {
            size_t k = 4 * (size_t)i + c;
            job->aim[k] = s->v[k] + job->dt * s->pull[k];
            job->w[k] = s->v[k] + job->dt * g[c];
        }
    }
}

static PxStatus substep(Job *job, const double *param, double from, double dt)
{
    PxSolid *s = job->solid;
    job->dt = (float)dt;
    size_t quads = 4 * (size_t)s->count;
    memcpy(job->start, s->u, quads * sizeof(float));
    px_parallel_for(s->threads, s->count, PX_BLOCK, aim_block, job);
    if (s->held > 0) { /* where handles lead, as a velocity */
        s->hold(s, (from + dt) / s->dt);
        for (uint32_t i = 0; i < s->count; ++i)
            for (size_t k = 4 * (size_t)i; s->inverse_mass[i] == 0.0f && k < 4 * (size_t)i + 3; ++k)
                job->w[k] = (s->u[k] - job->start[k]) / job->dt;
    }
    rest_on_walls(job, from / s->dt);
    px_parallel_for(s->threads, s->count, PX_BLOCK, diagonal_block, job);
    job->tangent.definite = false;
    s->when = (from + dt) / s->dt;
    bool converged = false;
    uint32_t contacts = 0;
    double phi = evaluate(job);
    for (uint32_t round = 0; round < (uint32_t)param[MAX_ROUNDS]; ++round) {
        double error = residual(job);
        if (error <= param[MAX_ERROR]) {
            converged = true;
            if (contacts++ >= CONTACT_ROUNDS || !revise(job))
                break;
            converged = false;
            phi = evaluate(job);
            error = residual(job);
        }
        PX_ISA_NAME(px_tangent_begin)(&job->tangent);
        if (!solve(job, (uint32_t)param[MAX_ITERATIONS], &s->iterations)) {
            job->tangent.definite = true;
            residual(job);
            solve(job, (uint32_t)param[MAX_ITERATIONS], &s->iterations);
        }
        double length = 1, before = phi;
        step_by(job, 1);
        phi = evaluate(job);
        for (int half = 0; half < 8 && !(phi <= before + 1e-6 * fabs(before)); ++half) {
            step_by(job, -0.5 * length);
            length *= 0.5;
            phi = evaluate(job);
        }
    }
    s->converged = s->converged && converged;
    for (uint32_t k = 0; k < s->frames; ++k)
        keep_momenta(job, &s->frame[k]);
    for (size_t k = 0; k < quads; ++k)
        s->v[k] = k % 4 == 3 ? 0.0f : job->w[k];
    s->rebound(s, job->contact);
    px_solid_flow(s, dt);
    return PX_OK;
}

static PxStatus advance(PxSolid *s)
{
    const double *param = s->material[s->particles->material[s->first]].def.integration.param;
    Job job = {.solid = s, .tangent = {.solid = s}};
    PX_TRY(take(&job));
    PX_TRY(PX_ISA_NAME(px_tangent_take)(&job.tangent));
    px_solid_damp(s, s->dt);
    if (px_solid_is_viscous(s))
        px_solid_forces(s, false);
    PX_TRY(px_solid_viscosity(s));
    double steps = s->reach < s->dt ? ceil(s->dt / (2 * s->reach)) : 1;
    steps = fmin(fmax(steps, 1), 1000);
    for (double k = 0; k < steps; ++k) {
        PX_TRY(substep(&job, param, k * s->dt / steps, s->dt / steps));
        s->hold(s, (k + 1) / steps);
        s->touch(s, (k + 1) / steps);
        ++s->substeps;
    }
    return PX_OK;
}

extern const PxIntegrationModel PX_ISA_NAME(px_implicit_euler);
const PxIntegrationModel PX_ISA_NAME(px_implicit_euler) = {
    .info = {"implicit", "implicit Euler: stable however stiff the solid, and damps", fields,
             PX_COUNT(fields), defaults},
    .advance = advance,
};
