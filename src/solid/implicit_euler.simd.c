/// Implicit Euler (001 Appendix B): unconditionally stable, for stiff solids and long steps.
///
/// The velocity w at the end of the step minimises
///   Phi(w) = 1/2 sum m |w - v - dt a|^2 + U(u + dt w)
/// with the external acceleration a and the elastic energy U; at the minimum 001 Eqs. 42 and 43
/// hold. Newton's method with
///   (M - dt^2 K) d = -grad Phi
/// solved by matrix-free conjugate gradients: K d takes the same two passes over pairs as forces do
/// (passes.h), with the increment of stress in place of the stress (tangent.simd.c). A line search
/// halves steps that increase Phi. Where the matrix is indefinite (compressed solids), the terms
/// that may make it so are dropped.
///
/// The tangent of 001 has errors (factors of the volume term in the wrong rows, strain too large by
/// a factor of 2); this one is derived anew and tested against finite differences.
#include "solid/implicit_euler.h"

#include "base/stop.h"
#include "base/sum.h"
#include "solid/friction.h"
#include "solid/integration.h"
#include "solid/passes.h"
#include "solid/pieces.h"

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
     .help = "Tolerance: residual force relative to the largest force."},
    {.key = "max_iterations",
     .kind = PX_FIELD_COUNT,
     .flags = PX_FIELD_LIVE,
     .offset = MAX_ITERATIONS * sizeof(double),
     .unit = "",
     .least = 1,
     .most = 1e6,
     .help = "Largest number of conjugate-gradient iterations in a Newton iteration."},
    {.key = "max_rounds",
     .kind = PX_FIELD_COUNT,
     .flags = PX_FIELD_LIVE,
     .offset = MAX_ROUNDS * sizeof(double),
     .unit = "",
     .least = 1,
     .most = 1e3,
     .help = "Largest number of Newton iterations in a step."},
};
static const double defaults[] = {0.01, 200, 40};

typedef struct Job {
    PxSolid *solid;
    PxTangent tangent;
    float dt;
    float *start;                   /* displacement at the start of the sub-step, m */
    float *aim;                     /* v + dt a, m/s */
    float *w;                       /* the unknown velocity, m/s */
    float *r, *z, *az, *p, *ap, *d; /* of conjugate gradients; 4 a row, as the others */
    float *pressed;                 /* change of the contact forces between solids; NULL: none */
    float *rubbed;                  /* friction between solids, N; NULL: none */
    double rubbing;                 /* its potential, J */
    float *heavy;                   /* m + dt drag, by row, kg; 0: held */
    double *row[2];                 /* two summands of each row for add_rows() */
    double magic[2], sum[2];
    PxSolidContact *contact; /* by row */
    uint8_t *bound;          /* by row: held, or in contact */
    bool extrapolated;       /* the first guess includes the last accelerations */
    double off, there;       /* largest residual and largest elastic acceleration, m/s^2 */
    double alpha, beta;
} Job;

/* ---- sums over rows ---------------------------------------------------------- */

static void add_part(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    const Job *job = user;
    double first = 0, second = 0;
    for (uint32_t i = begin; i < end; ++i) {
        first += px_sum_round(job->magic[0], job->row[0][i]);
        second += px_sum_round(job->magic[1], job->row[1][i]);
    }
    part->sum[0] = first;
    part->sum[1] = second;
}

/* Sums both summands of all rows exactly; `function` fills them, its maxima are their largest
 * magnitudes. */
static void add_rows(Job *job, PxReduceFunction *function, uint32_t block)
{
    PxRows rows = px_solid_rows(job->solid, block);
    PxPart most = {.maxima = 2}, total = {.sums = 2};
    uint64_t all = px_reduce(&rows, function, job, &most);
    for (int k = 0; k < 2; ++k)
        job->magic[k] = px_sum_magic(most.most[k], all);
    rows.block = PX_BLOCK;
    px_reduce(&rows, add_part, job, &total);
    job->sum[0] = total.sum[0];
    job->sum[1] = total.sum[1];
}

/* ---- the objective Phi ---------------------------------------------------------- */

static void place_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    for (uint32_t i = begin; i < end; ++i)
        for (size_t c = 0; c < 3; ++c)
            job->solid->u[4 * (size_t)i + c] =
                job->start[4 * (size_t)i + c] + job->dt * job->w[4 * (size_t)i + c];
}

/* Displacement of a row along the boundary that friction resists, over the sub-step. The grip of
 * the last contact round is kept constant during a solve, so that friction has a potential and is
 * part of Phi (friction.h). Returns its length. */
PX_INLINE float sliding(const PxSolidContact *c, const float *w, float t[3])
{
    float along = 0, square = 0;
    for (int k = 0; k < 3; ++k) {
        t[k] = w[k] - c->velocity[k] + c->stuck[k];
        along += t[k] * c->normal[k];
    }
    for (int k = 0; k < 3; ++k) {
        t[k] -= along * c->normal[k];
        square += t[k] * t[k];
    }
    return sqrtf(square);
}

/* Friction force over sliding speed, kg/s: the Hessian of friction across the direction of
 * sliding. */
PX_INLINE float drag_of(const PxSolidContact *c, float speed)
{
    return c->on ? c->grip / c->slow * (float)px_friction_secant((double)(speed / c->slow)) : 0.0f;
}

static void inertia_part(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    const Job *job = user;
    const PxSolid *s = job->solid;
    double most = 0;
    for (uint32_t i = begin; i < end; ++i) {
        double sum = 0;
        for (size_t c = 0; c < 3; ++c) {
            double d = (double)job->w[4 * (size_t)i + c] - (double)job->aim[4 * (size_t)i + c];
            sum += d * d;
        }
        float per = s->inverse_mass[i];
        double phi = per > 0.0f ? 0.5 * sum / (double)per : 0;
        const PxSolidContact *c = &job->contact[i];
        if (c->on && c->grip > 0.0f) {
            float t[3];
            double speed = (double)sliding(c, job->w + 4 * (size_t)i, t), slow = (double)c->slow;
            phi += (double)job->dt * (double)c->grip * slow * px_friction_potential(speed / slow);
        }
        job->row[0][i] = phi;
        job->row[1][i] = 0;
        most = phi > most ? phi : most;
    }
    part->most[0] = most;
}

/* Phi at the velocity w, with friction between solids. */
static double objective(Job *job)
{
    PxSolid *s = job->solid;
    job->rubbing = 0;
    if (job->rubbed != NULL) {
        memset(job->rubbed, 0, 4 * (size_t)s->count * sizeof(float));
        job->rubbing = s->press->rub(s->press->user, job->w, job->rubbed);
    }
    add_rows(job, inertia_part, PX_BLOCK);
    return job->sum[0] + s->elastic + job->rubbing;
}

/* Displacements, forces and Phi at the velocity w. */
static double evaluate(Job *job)
{
    PxSolid *s = job->solid;
    px_parallel_for(s->threads, s->count, PX_BLOCK, place_block, job);
    px_solid_forces(s, true);
    return objective(job);
}

/* Projects onto the free directions: none for held rows, the tangent plane for rows in contact. */
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

/* -grad Phi, projected by filter(), and the normal force and impulse of each contact. */
static void residual_part(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    const Job *job = user;
    const PxSolid *s = job->solid;
    double left = 0, there = 0;
    for (uint32_t i = begin; i < end; ++i) {
        const float *a = s->a + 4 * (size_t)i, *w = job->w + 4 * (size_t)i,
                    *aim = job->aim + 4 * (size_t)i, *pull = s->pull + 4 * (size_t)i;
        float *r = job->r + 4 * (size_t)i;
        float per = s->inverse_mass[i], mass = per > 0.0f ? 1.0f / per : 0.0f;
        double size = 0;
        for (int k = 0; k < 3; ++k) {
            /* both s->a and the aim include the external acceleration */
            r[k] = mass * (aim[k] - w[k] + job->dt * (a[k] - pull[k]));
            double elastic = (double)a[k] - (double)pull[k];
            size += elastic * elastic;
        }
        for (int k = 0; job->rubbed != NULL && per > 0.0f && k < 3; ++k)
            r[k] += job->dt * job->rubbed[4 * (size_t)i + (size_t)k];
        PxSolidContact *c = &job->contact[i];
        if (c->on) {
            float into = -(r[0] * c->normal[0] + r[1] * c->normal[1] + r[2] * c->normal[2]);
            c->pressed = into / job->dt;
            for (int k = 0; k < 3; ++k)
                c->impulse[k] = -r[k]; /* momentum change less elastic and external impulses */
            float t[3], push = drag_of(c, sliding(c, w, t)) * job->dt;
            for (int k = 0; k < 3; ++k)
                r[k] -= push * t[k];
        }
        filter(job, i, r);
        there = fmax(there, sqrt(size));
        if (px_solid_is_rigid(s, i)) /* see residual() */
            continue;
        left = fmax(left, sqrt((double)(r[0] * r[0] + r[1] * r[1] + r[2] * r[2])) * (double)per /
                              (double)job->dt);
    }
    part->most[0] = left;
    part->most[1] = there;
}

/* Residuals of displacement errors below this part of the spacing are rounding errors. */
#define ROUNDING 1e-7

/* Largest residual acceleration relative to the largest elastic one plus gravity. */
static double residual(Job *job)
{
    const PxSolid *s = job->solid;
    PxRows rows = px_solid_rows(s, PX_BLOCK);
    PxPart most = {.maxima = 2};
    px_reduce(&rows, residual_part, job, &most);
    double rigid = px_solid_pieces_project(s, job->r) / (double)job->dt;
    job->off = fmax(most.most[0], rigid);
    job->there = most.most[1];
    double g = px_length(s->gravity);
    if (!(job->off > ROUNDING * s->highest * 2 * (double)s->particles->radius[0]))
        return 0;
    return job->off / (job->there + g);
}

/* ---- the linear equation ----------------------------------------------------------- */

/* The matrix is M + dt D - dt^2 K with friction D; the preconditioner is M + dt D. K is left out of
 * it: its diagonal is largest at the surface, where fits are one-sided, though no mode is stiffer
 * there. With it the beam of `phyxel bench solid` needs more iterations. */
PX_INLINE PxF4 scaled(const Job *job, uint32_t i, PxF4 r)
{
    float heavy = job->heavy[i];
    PxF4 z = r * px_f4(heavy > 0.0f ? 1.0f / heavy : 0.0f);
    if (job->bound[i]) {
        const PxSolidContact *c = &job->contact[i];
        float v[4], per = job->solid->inverse_mass[i];
        px_f4_store(v, z);
        if (c->less > 0.0f && per > 0.0f) { /* less drag along the direction of sliding */
            float along = v[0] * c->slide[0] + v[1] * c->slide[1] + v[2] * c->slide[2];
            float more = heavy / (heavy - job->dt * c->less) - 1.0f;
            for (int k = 0; k < 3; ++k)
                v[k] += more * along * c->slide[k];
        }
        filter(job, i, v);
        z = px_f4_load(v);
    }
    z[3] = job->solid->u[4 * (size_t)i + 3]; /* stiffness of the fit residual energy (passes.h) */
    return z;
}

/* Most reversals of sliding that are counted: a row pauses for as many iterations. */
#define MOST_REVERSALS 4

/* Finds the direction of sliding, and the drag. Where the direction reversed, the row is about to
 * come to rest, and Newton's method would oscillate with a Hessian of 0 along it; such rows get
 * that of drag_of() in all directions for as many iterations as there were reversals. With it
 * everywhere, sliding rows converge slowly: the force does not change, but the Hessian says that it
 * does. */
static float find_slide(PxSolidContact *c, const float *w)
{
    float t[3], same = 0, speed = sliding(c, w, t), drag = drag_of(c, speed);
    for (int k = 0; k < 3; ++k) {
        t[k] = c->on && speed > 0.0f ? t[k] / speed : 0.0f;
        same += t[k] * c->slide[k];
        c->slide[k] = t[k];
    }
    if (same < 0.0f && speed > c->slow) {
        c->reversals = (uint8_t)(c->reversals < MOST_REVERSALS ? c->reversals + 1 : MOST_REVERSALS);
        c->pause = c->reversals;
    }
    c->steady = c->pause == 0;
    c->pause = (uint8_t)(c->pause - !c->steady);
    float slope =
        c->on ? c->grip / c->slow * (float)px_friction_slope((double)(speed / c->slow)) : 0;
    c->less = c->steady ? drag - slope : 0.0f;
    return drag;
}

static void begin_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    const PxSolid *s = job->solid;
    for (uint32_t i = begin; i < end; ++i) {
        PxSolidContact *c = &job->contact[i];
        float per = s->inverse_mass[i];
        size_t q = 4 * (size_t)i;
        job->bound[i] = per == 0.0f || c->on;
        float drag = c->on ? find_slide(c, job->w + q) : 0.0f;
        job->heavy[i] = per > 0.0f ? 1.0f / per + job->dt * drag : 0.0f;
        px_f4_store(job->z + q, scaled(job, i, px_f4_load(job->r + q)));
        px_f4_store(job->d + q, px_f4(0.0f));
        px_f4_store(job->p + q, px_f4(0.0f));
        px_f4_store(job->ap + q, px_f4(0.0f));
    }
}

/* Takes the drag along the direction of sliding out of A z. */
static void slide_freely(const Job *job, uint32_t i, const float *z, float *az)
{
    const PxSolidContact *c = &job->contact[i];
    float part = job->dt * c->less * (c->slide[0] * z[0] + c->slide[1] * z[1] + c->slide[2] * z[2]);
    for (int k = 0; k < 3; ++k)
        az[k] -= part * c->slide[k];
}

/* A z, and each row's summands of r . z and z . A z. */
static void apply_part(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    const Job *all = user;
    const Job here = *all, *job = &here; /* local copies: stores cannot alias them */
    const PxSolidLists lists = *job->solid->lists;
    const float *record = job->solid->record;
    float dt2 = job->dt * job->dt;
    double most[2] = {0, 0};
    for (uint32_t i = begin; i < end; ++i) {
        size_t q = 4 * (size_t)i;
        PxF4 z = px_f4_load(job->z + q), r = px_f4_load(job->r + q);
        PxF4 f = px_solid_force(&lists, record, i);
        if (job->pressed != NULL)
            f += px_f4_load(job->pressed + q);
        PxF4 az = px_f4(job->heavy[i]) * z - px_f4(dt2) * f;
        az[3] = 0.0f;
        px_f4_store(job->az + q, az);
        if (job->bound[i]) {
            slide_freely(job, i, job->z + q, job->az + q);
            filter(job, i, job->az + q);
            az = px_f4_load(job->az + q);
        }
        double rz =
            (double)r[0] * (double)z[0] + (double)r[1] * (double)z[1] + (double)r[2] * (double)z[2];
        double zaz = (double)az[0] * (double)z[0] + (double)az[1] * (double)z[1] +
                     (double)az[2] * (double)z[2];
        job->row[0][i] = rz;
        job->row[1][i] = zaz;
        most[0] = rz > most[0] ? rz : most[0];
        most[1] = fabs(zaz) > most[1] ? fabs(zaz) : most[1];
    }
    part->most[0] = most[0];
    part->most[1] = most[1];
}

/* Updates p and A p from z and A z, steps along p, and finds the new residual r and z. */
static void update_part(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    const Job *job = user;
    const PxF4 xyz = {1.0f, 1.0f, 1.0f, 0.0f};
    PxF4 alpha = px_f4((float)job->alpha), beta = px_f4((float)job->beta);
    float left = 0;
    for (uint32_t i = begin; i < end; ++i) {
        size_t q = 4 * (size_t)i;
        PxF4 p = px_f4_load(job->z + q) * xyz + beta * px_f4_load(job->p + q);
        PxF4 ap = px_f4_load(job->az + q) + beta * px_f4_load(job->ap + q);
        PxF4 d = px_f4_load(job->d + q) + alpha * p, r = px_f4_load(job->r + q) - alpha * ap;
        px_f4_store(job->p + q, p);
        px_f4_store(job->ap + q, ap);
        px_f4_store(job->d + q, d);
        px_f4_store(job->r + q, r);
        px_f4_store(job->z + q, scaled(job, i, r));
        PxF4 off = r * px_f4(job->solid->inverse_mass[i]);
        off *= off;
        float size = off[0] + off[1] + off[2];
        left = size > left ? size : left;
    }
    part->most[0] = (double)left; /* (m/s)^2 */
}

/* Solves A d = r until every row's residual is at most `wanted`, m/s; after `most` iterations d is
 * still a descent direction of Phi. False: A is indefinite.
 *
 * Conjugate gradients in the form of Chronopoulos and Gear (1989): A is applied to z, and A p
 * follows by recurrence, so that both dot products take one pass. */
static bool solve(Job *job, double wanted, uint32_t most, uint64_t *iterations)
{
    PxSolid *s = job->solid;
    double before = 0;
    PxRows rows = px_solid_rows(s, PX_BLOCK);
    px_parallel_for(s->threads, s->count, PX_BLOCK, begin_block, job);
    job->tangent.quad = job->z;
    for (uint32_t k = 0; k < most && !px_stopped(s->threads); ++k) {
        px_parallel_for(s->threads, s->count, 256, PX_ISA_NAME(px_tangent_block), &job->tangent);
        if (job->pressed != NULL) {
            memset(job->pressed, 0, 4 * (size_t)s->count * sizeof(float));
            s->press->tangent(s->press->user, job->z, job->pressed);
        }
        add_rows(job, apply_part, 256);
        px_solid_pieces_project(s, job->az); /* z is rigid there: z . A z stays */
        ++*iterations;
        double rz = job->sum[0];
        if (!(rz > 0))
            break;
        job->beta = k > 0 ? rz / before : 0;
        double curve = job->sum[1] - (k > 0 ? job->beta * rz / job->alpha : 0);
        if (!(curve > 0))
            return false;
        job->alpha = rz / curve;
        before = rz;
        PxPart left = {.maxima = 1};
        px_reduce(&rows, update_part, job, &left);
        if (sqrt(left.most[0]) <= wanted)
            break;
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

/* Rows within this part of their radius from a boundary lie on it. */
#define ON_IT 1e-3f

/* ---- contact ------------------------------------------------------------------------ */

/* Largest friction of a contact. */
static float grip_of(const PxSolidContact *c)
{
    return c->on && c->pressed > 0.0f ? c->friction * c->pressed : 0.0f;
}

/* Nearest boundaries at solid->when, and what friction resists already. */
static void meet(Job *job)
{
    PxSolid *s = job->solid;
    s->meet(s, job->contact);
    for (uint32_t i = 0; i < s->count; ++i) {
        PxSolidContact *c = &job->contact[i];
        c->slow = c->give / job->dt;
        for (int k = 0; k < 3; ++k)
            c->stuck[k] = s->columns.stuck[3 + k][i] / job->dt;
    }
}

/* What sticks at the end of the sub-step. */
static void stick(Job *job)
{
    PxSolid *s = job->solid;
    for (uint32_t i = 0; s->sticks && i < s->count; ++i) {
        const PxSolidContact *c = &job->contact[i];
        float t[3] = {0}, part = 0;
        if (c->on && c->grip > 0.0f) {
            float speed = sliding(c, job->w + 4 * (size_t)i, t);
            part = job->dt * (speed > c->slow ? c->slow / speed : 1.0f);
        }
        for (int k = 0; k < 3; ++k)
            s->columns.stuck[3 + k][i] = part * t[k];
    }
    if (s->press != NULL)
        s->press->stick(s->press->user, job->w);
}

/* Active-set update of the contacts: penetrating rows are moved onto the boundary and become
 * active, contacts with adhesive force are released. True: something changed. */
static bool revise(Job *job)
{
    PxSolid *s = job->solid;
    bool changed = s->press != NULL && s->press->grip(s->press->user, (double)job->dt);
    meet(job);
    for (uint32_t i = 0; i < s->count; ++i) {
        PxSolidContact *c = &job->contact[i];
        float *w = job->w + 4 * (size_t)i;
        if (s->inverse_mass[i] == 0.0f || px_solid_is_rigid(s, i)) /* touch() stops pieces */
            continue;
        if (c->on && c->pressed < 0.0f && !c->released) {
            c->on = false;
            c->released = true; /* once per sub-step, or the active set could cycle */
            changed = true;
        } else if (!c->on && c->gap < 0.0f && !(c->released && c->gap > -1e-3f * c->slow)) {
            c->on = true;
            c->pressed = 0;
            changed = true;
        }
        float grip = grip_of(c);
        changed = changed || fabsf(grip - c->grip) > 0.1f * (grip + c->grip);
        c->grip = grip;
        if (c->on && fabsf(c->gap) > ON_IT * s->particles->radius[i]) {
            for (int k = 0; k < 3; ++k)
                w[k] -= c->gap / job->dt * c->normal[k];
            changed = true;
        }
    }
    return changed;
}

/* Initial active set: rows that lie on a boundary at the start and do not separate from it. */
static void rest_on_walls(Job *job, double when)
{
    PxSolid *s = job->solid;
    memset(job->contact, 0, s->count * sizeof *job->contact);
    memcpy(s->u, job->start, 4 * (size_t)s->count * sizeof(float));
    s->when = when;
    meet(job);
    for (uint32_t i = 0; i < s->count; ++i) {
        PxSolidContact *c = &job->contact[i];
        float *w = job->w + 4 * (size_t)i, into = 0;
        c->on = s->inverse_mass[i] > 0.0f && !px_solid_is_rigid(s, i) &&
                c->gap < ON_IT * s->particles->radius[i] && c->before >= -c->slow;
        if (!c->on)
            continue;
        for (int k = 0; k < 3; ++k)
            into += (c->velocity[k] - w[k]) * c->normal[k];
        for (int k = 0; k < 3; ++k)
            w[k] += (into - c->gap / job->dt) * c->normal[k];
    }
}

/* ---- momenta -------------------------------------------------------------------------- */

typedef struct Momenta {
    double mass;
    PxVec3 before, after;   /* centre of mass */
    PxVec3 linear, angular; /* missing because of the solver's residual, N s and N m s */
    PxMat3 inertia;         /* about the centre after the step */
} Momenta;

static PxVec3 vec_of(const float *quad)
{
    return px_vec((double)quad[0], (double)quad[1], (double)quad[2]);
}

/* Position of a row at the displacement in `quad`, and a velocity, both in the world. */
static PxVec3 placed(const PxSolid *s, const PxSolidFrame *f, uint32_t i, const float *quad)
{
    PxVec3 rest = px_vec((double)s->columns.rest[0][i], (double)s->columns.rest[1][i],
                         (double)s->columns.rest[2][i]);
    return px_add(px_mat3_apply(f->turn, px_add(rest, vec_of(quad + 4 * (size_t)i))), f->move);
}

static PxVec3 turned(const PxSolidFrame *f, uint32_t i, const float *quad)
{
    return px_mat3_apply(f->turn, vec_of(quad + 4 * (size_t)i));
}

/* Frames that touch each other, directly or through others, have the same number. */
static uint32_t group_of(const PxSolid *s, const PxSolidFrame *frame)
{
    uint32_t k = (uint32_t)(frame - s->frame);
    return s->press != NULL ? s->press->group[k] : k;
}

static void add_masses(const Job *job, const PxSolidFrame *f, Momenta *m)
{
    const PxSolid *s = job->solid;
    for (uint32_t i = f->begin; i < f->end; ++i) {
        double mass = 1 / (double)s->inverse_mass[i];
        m->mass += mass;
        m->before = px_mad(m->before, placed(s, f, i, job->start), mass);
        m->after = px_mad(m->after, placed(s, f, i, s->u), mass);
        m->linear = px_mad(m->linear, px_sub(turned(f, i, job->aim), turned(f, i, job->w)), mass);
    }
}

static void add_moments(const Job *job, const PxSolidFrame *f, Momenta *m)
{
    const PxSolid *s = job->solid;
    PxMat3 second = {{{0}}};
    for (uint32_t i = f->begin; i < f->end; ++i) {
        double mass = 1 / (double)s->inverse_mass[i];
        PxVec3 x = px_sub(placed(s, f, i, job->start), m->before);
        PxVec3 y = px_sub(placed(s, f, i, s->u), m->after);
        PxVec3 aim = px_cross(x, turned(f, i, job->aim)), is = px_cross(y, turned(f, i, job->w));
        m->angular = px_mad(m->angular, px_sub(aim, is), mass);
        second = px_mat3_add(second, px_mat3_scale(px_mat3_outer(y, y), mass));
    }
    PxMat3 round = px_mat3_scale(px_mat3_identity(), px_mat3_trace(second));
    m->inertia = px_mat3_add(m->inertia, px_mat3_sub(round, second));
}

static void add_motion(const Job *job, const PxSolidFrame *f, const Momenta *m, PxVec3 way,
                       PxVec3 spin)
{
    PxSolid *s = job->solid;
    PxMat3 back = px_mat3_transpose(f->turn);
    PxVec3 move = px_mat3_apply(back, way);
    for (uint32_t i = f->begin; i < f->end; ++i) {
        float *w = job->w + 4 * (size_t)i, *u = s->u + 4 * (size_t)i;
        PxVec3 y = px_sub(placed(s, f, i, s->u), m->after);
        PxVec3 more = px_mat3_apply(back, px_add(way, px_cross(spin, y)));
        const double add[3] = {more.x, more.y, more.z}, by[3] = {move.x, move.y, move.z};
        for (int k = 0; k < 3; ++k) {
            w[k] = (float)((double)w[k] + add[k]);
            u[k] = (float)((double)u[k] + (double)job->dt * by[k]);
        }
    }
}

/* Restores linear and angular momentum of a group of bodies that touch each other, but no boundary
 * or handle, by a rigid motion. The residual of conjugate gradients changes the linear momentum.
 * Elastic and contact forces have no torque about the positions x' at the end of the step, so
 * implicit Euler changes the angular momentum
 * sum m x X v  to  sum m x' X v,  by  dt sum m w X v. External forces act at x, as in fluids. */
static void keep_momenta(Job *job, uint32_t group)
{
    PxSolid *s = job->solid;
    const PxSolidFrame *end = s->frame + s->frames;
    Momenta m = {0};
    for (const PxSolidFrame *f = s->frame; f < end; ++f)
        for (uint32_t i = f->begin; group_of(s, f) == group && i < f->end; ++i)
            if (s->inverse_mass[i] == 0.0f || job->contact[i].on)
                return;
    for (const PxSolidFrame *f = s->frame; f < end; ++f)
        if (group_of(s, f) == group)
            add_masses(job, f, &m);
    if (m.mass == 0) /* the group has another number */
        return;
    m.before = px_scale(m.before, 1 / m.mass);
    m.after = px_scale(m.after, 1 / m.mass);
    for (const PxSolidFrame *f = s->frame; f < end; ++f)
        if (group_of(s, f) == group)
            add_moments(job, f, &m);
    PxMat3 inverse;
    PxVec3 way = px_scale(m.linear, 1 / m.mass), spin = {0, 0, 0};
    if (px_mat3_inverse(m.inertia, &inverse))
        spin = px_mat3_apply(inverse, m.angular);
    for (const PxSolidFrame *f = s->frame; f < end; ++f)
        if (group_of(s, f) == group)
            add_motion(job, f, &m, way, spin);
}

/* ---- the step ------------------------------------------------------------------------ */

/* Most updates of the active set in a sub-step. */
#define CONTACT_ROUNDS 6

static PxStatus take(Job *job)
{
    PxSolid *s = job->solid;
    size_t quads = 4 * ((size_t)s->count + 8);
    float **const arrays[] = {&job->start, &job->aim, &job->w,  &job->r, &job->z,
                              &job->az,    &job->p,   &job->ap, &job->d};
    bool there = true;
    for (size_t k = 0; k < PX_COUNT(arrays); ++k) {
        *arrays[k] = PX_ARENA_ARRAY(s->scratch, float, quads);
        if (*arrays[k] != NULL)
            memset(*arrays[k], 0, quads * sizeof(float));
        there = there && *arrays[k] != NULL;
    }
    job->pressed = job->rubbed = NULL;
    if (s->press != NULL) {
        job->pressed = PX_ARENA_ARRAY(s->scratch, float, quads);
        job->rubbed = PX_ARENA_ARRAY(s->scratch, float, quads);
        there = there && job->pressed != NULL && job->rubbed != NULL;
    }
    job->heavy = PX_ARENA_ARRAY(s->scratch, float, s->count);
    job->bound = PX_ARENA_ARRAY(s->scratch, uint8_t, s->count);
    job->row[0] = PX_ARENA_ARRAY(s->scratch, double, s->count);
    job->row[1] = PX_ARENA_ARRAY(s->scratch, double, s->count);
    job->contact = PX_ARENA_ARRAY(s->scratch, PxSolidContact, s->count);
    if (!there || job->heavy == NULL || job->bound == NULL || job->row[0] == NULL ||
        job->row[1] == NULL || job->contact == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u particles", s->count);
    memset(job->contact, 0, s->count * sizeof *job->contact);
    return PX_OK;
}

/* Largest acceleration of the last sub-step, m/s^2, squared. */
static void fastest_part(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    const Job *job = user;
    float *const *last = job->solid->columns.last;
    float most = 0;
    for (uint32_t i = begin; i < end; ++i) {
        float size = last[0][i] * last[0][i] + last[1][i] * last[1][i] + last[2][i] * last[2][i];
        most = size > most ? size : most;
    }
    part->most[0] = (double)most;
}

/* Part of a spacing that the accelerations of the guess may move rows by. */
#define SHORT 0.05

/* May the guess include the accelerations of the last sub-step? What the last solve left of its
 * residual r is an error A^-1 r of the velocities, for a matrix A that is nearly the same, and the
 * guess has a small multiple of it: its residual is a small multiple of r. (Elastic accelerations
 * at the start multiply that error by dt^2 times the highest eigenvalue.) The residual of the guess
 * is otherwise what the accelerations change by in a sub-step. In stiff solids or long steps, where
 * max_error is a large force, a guess may be within it for many sub-steps, which then only
 * extrapolate: there it is not made. */
static bool extrapolates(Job *job, double max_error)
{
    PxSolid *s = job->solid;
    double dt2 = (double)job->dt * (double)job->dt;
    if (s->press != NULL || dt2 * s->highest * max_error > 1)
        return false;
    PxRows rows = px_solid_rows(s, PX_BLOCK);
    PxPart most = {.maxima = 1};
    px_reduce(&rows, fastest_part, job, &most);
    double far = dt2 * sqrt(most.most[0]);
    return far > 0 && far <= SHORT * 2 * (double)s->particles->radius[0];
}

/* Newton's initial guess includes the accelerations of the last sub-step where they are small, else
 * gravity but no other external force: a force on few rows would displace them far in a long step,
 * and the iteration ends in an inverted state. Components held by a handle then start without
 * gravity, because their elastic forces balance it already. */
static void aim_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    const PxSolid *s = job->solid;
    for (uint32_t i = begin; i < end; ++i) {
        const PxSolidFrame *f = &s->frame[s->frame_of[i]];
        PxVec3 fall = f->held ? px_vec(0, 0, 0) : f->fall;
        const float g[3] = {(float)fall.x, (float)fall.y, (float)fall.z};
        bool last = job->extrapolated && !f->rigid; /* the guess must be a rigid motion there */
        for (size_t c = 0; c < 3; ++c) {
            size_t k = 4 * (size_t)i + c;
            job->aim[k] = s->v[k] + job->dt * s->pull[k];
            job->w[k] = s->v[k] + job->dt * (last ? s->columns.last[c][i] : g[c]);
        }
    }
}

/* Velocities at the end of the sub-step, and the accelerations that led to them. */
static void end_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    const PxSolid *s = job->solid;
    float per = 1.0f / job->dt;
    for (uint32_t i = begin; i < end; ++i) {
        float *v = s->v + 4 * (size_t)i;
        const float *w = job->w + 4 * (size_t)i;
        for (int c = 0; c < 3; ++c) {
            s->columns.last[c][i] = per * (w[c] - v[c]);
            v[c] = w[c];
        }
        v[3] = 0.0f;
    }
}

/* The linear solver reduces the residual to PART of its start, or to NEARLY times max_error if that
 * is larger: one Newton round is then enough if the forces are nearly linear. */
#define PART 0.01
#define NEARLY 0.5

static PxStatus substep(Job *job, const double *param, double from, double dt)
{
    PxSolid *s = job->solid;
    job->dt = (float)dt;
    px_solid_pieces_move(s, 0);
    size_t quads = 4 * (size_t)s->count;
    memcpy(job->start, s->u, quads * sizeof(float));
    job->extrapolated = extrapolates(job, param[MAX_ERROR]);
    px_parallel_for(s->threads, s->count, PX_BLOCK, aim_block, job);
    if (s->held > 0) { /* prescribed motion of handles, as a velocity */
        s->hold(s, (from + dt) / s->dt);
        for (uint32_t i = 0; i < s->count; ++i)
            for (size_t k = 4 * (size_t)i; s->inverse_mass[i] == 0.0f && k < 4 * (size_t)i + 3; ++k)
                job->w[k] = (s->u[k] - job->start[k]) / job->dt;
    }
    rest_on_walls(job, from / s->dt);
    job->tangent.definite = false;
    s->when = (from + dt) / s->dt;
    bool converged = false;
    uint32_t contacts = 0;
    if (s->press != NULL) { /* normal forces of the start, since the guess w falls freely */
        px_solid_forces(s, false);
        s->press->grip(s->press->user, dt);
    }
    evaluate(job);
    residual(job);
    for (uint32_t i = 0; i < s->count; ++i)
        job->contact[i].grip = grip_of(&job->contact[i]);
    double phi = objective(job);
    for (uint32_t round = 0; round < (uint32_t)param[MAX_ROUNDS]; ++round) {
        PX_TRY(px_stop_check(s->threads));
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
        /* the residual of the linear solve is a lower bound for that of the Newton round */
        double wanted = job->off * fmax(PART, NEARLY * param[MAX_ERROR] / error) * dt;
        if (!solve(job, wanted, (uint32_t)param[MAX_ITERATIONS], &s->iterations)) {
            job->tangent.definite = true;
            residual(job);
            PX_ISA_NAME(px_tangent_begin)(&job->tangent);
            solve(job, wanted, (uint32_t)param[MAX_ITERATIONS], &s->iterations);
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
    if (!converged)
        residual(job); /* contact impulses of the last w */
    for (uint32_t k = 0; k < s->frames; ++k)
        keep_momenta(job, k);
    px_parallel_for(s->threads, s->count, PX_BLOCK, end_block, job);
    px_solid_pieces_move(s, dt);
    s->remembers = true;
    stick(job);
    s->rebound(s, job->contact);
    if (s->press != NULL)
        s->press->friction(s->press->user, dt);
    px_solid_flow(s, dt);
    return PX_OK;
}

static PxStatus advance(PxSolid *s)
{
    const double *param = s->material[s->particles->material[0]].def.integration.param;
    Job job = {.solid = s, .tangent = {.solid = s}};
    PX_TRY(take(&job));
    PX_TRY(PX_ISA_NAME(px_tangent_take)(&job.tangent));
    double steps = s->reach < s->dt ? ceil(s->dt / (2 * s->reach)) : 1;
    steps = fmin(fmax(steps, 1), 1000);
    PX_TRY(px_solid_damp(s, s->dt));
    px_solid_balance(s, 0.5 * s->dt * (1 - 1 / steps)); /* forces act where a sub-step starts */
    PX_TRY(px_solid_pieces_begin(s));
    if (px_solid_is_viscous(s))
        px_solid_forces(s, false);
    PX_TRY(px_solid_viscosity(s));
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
