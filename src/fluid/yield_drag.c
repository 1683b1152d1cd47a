#include "fluid/yield_drag.h"

#include <math.h>
#include <string.h>

/* Adds J^T f. */
static void add_force(double sum[6], const PxDragEntry *e, PxVec3 f)
{
    PxVec3 t = px_cross(e->arm, f);
    const double six[6] = {f.x, f.y, f.z, t.x, t.y, t.z};
    for (int k = 0; k < 6; ++k)
        sum[k] += six[k];
}

static PxVec3 velocity_at(const double y[6], PxVec3 arm)
{
    return px_add(px_vec(y[0], y[1], y[2]), px_cross(px_vec(y[3], y[4], y[5]), arm));
}

static PxVec3 quad_of(const float *quad, uint32_t row)
{
    const float *v = quad + 4 * (size_t)row;
    return px_vec((double)v[0], (double)v[1], (double)v[2]);
}

/* Cholesky's factor of S; its diagonal is positive because M is. */
static void factorize(double m[6][6])
{
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j <= i; ++j) {
            double sum = m[i][j];
            for (int k = 0; k < j; ++k)
                sum -= m[i][k] * m[j][k];
            m[i][j] = i == j ? sqrt(sum) : sum / m[j][j];
        }
}

static void solve(const double l[6][6], double y[6])
{
    for (int i = 0; i < 6; ++i) {
        for (int k = 0; k < i; ++k)
            y[i] -= l[i][k] * y[k];
        y[i] /= l[i][i];
    }
    for (int i = 5; i >= 0; --i) {
        for (int k = i + 1; k < 6; ++k)
            y[i] -= l[k][i] * y[k];
        y[i] /= l[i][i];
    }
}

static bool listed(const PxFluid *f, const PxWallTouch *t)
{
    return t->row != PX_TOUCH_NOBODY && t->drag > 0.0f && f->inverse_mass[t->row] > 0.0f;
}

static uint32_t count_touches(const PxFluid *f)
{
    uint32_t count = 0;
    for (uint32_t block = 0; block * PX_BLOCK < f->count; ++block)
        for (struct PxTouches *t = f->touches[block]; t != NULL; t = t->next)
            for (uint32_t n = 0; f->boundary[t->boundary]->per_mass > 0 && n < t->count; ++n)
                count += listed(f, &t->touch[n]);
    return count;
}

/* Adds a row to S and to the right-hand side. */
static void add_row(const float *velocity, double rate, const PxDragEntry *e, double s[6][6],
                    double right[6])
{
    static const PxVec3 axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int k = 0; k < 6; ++k) { /* column k of c J^T J */
        double column[6] = {0};
        PxVec3 v = k < 3 ? axis[k] : px_cross(axis[k - 3], e->arm);
        add_force(column, e, px_scale(v, e->drag));
        for (int i = 0; i < 6; ++i)
            s[i][k] += column[i];
    }
    const float *w = e->touch->velocity;
    PxVec3 wall = px_scale(px_vec((double)w[0], (double)w[1], (double)w[2]), rate);
    add_force(right, e, px_sub(px_scale(quad_of(velocity, e->row), e->drag), wall));
}

/* M of a body: its mass and its inertia tensor. */
static void body_matrix(const PxBoundary *b, double s[6][6])
{
    PxMat3 inertia;
    memset(s, 0, 36 * sizeof(double));
    if (!px_mat3_inverse(b->per_inertia, &inertia))
        inertia = px_mat3_identity();
    for (int i = 0; i < 3; ++i) {
        s[i][i] = 1 / b->per_mass;
        for (int j = 0; j < 3; ++j)
            s[3 + i][3 + j] = inertia.m[i][j];
    }
}

/* Adds the velocity that the pressure so far gives body k to the velocities of its touches. */
static void push_body(PxFluid *f, uint32_t k)
{
    const PxBoundary *b = f->boundary[k];
    const PxParticles *p = f->particles;
    double cell = f->spacing * f->spacing * f->spacing, sums[6] = {0};
    const PxVec3 *kept = b->pressed;
    bool known = px_length(kept[0]) > 0 || px_length(kept[1]) > 0;
    for (int pass = 0; pass < 2; ++pass) {
        for (uint32_t block = 0; block * PX_BLOCK < f->count; ++block)
            for (struct PxTouches *t = f->touches[block]; t != NULL; t = t->next)
                for (uint32_t n = 0; t->boundary == k && n < t->count; ++n) {
                    PxWallTouch *touch = &t->touch[n];
                    uint32_t i = touch->row;
                    if (i == PX_TOUCH_NOBODY || f->inverse_mass[i] == 0.0f)
                        continue;
                    PxDragEntry e = {.arm = px_sub(px_particle_place(p, i), b->pivot)};
                    if (pass == 0) {
                        double v = (double)f->volume[i];
                        double push = f->dt * (double)p->steady_pressure[i] * v * v / cell *
                                      (double)px_fluid_part(f, i);
                        add_force(
                            sums, &e,
                            px_scale(px_vec((double)touch->gradient[0], (double)touch->gradient[1],
                                            (double)touch->gradient[2]),
                                     v < cell / 0.9 ? push : 0));
                        continue;
                    }
                    PxVec3 v = px_scale(velocity_at(sums, e.arm), (double)touch->drag);
                    touch->velocity[0] += (float)v.x;
                    touch->velocity[1] += (float)v.y;
                    touch->velocity[2] += (float)v.z;
                    f->wall_vx[i] += (float)v.x;
                    f->wall_vy[i] += (float)v.y;
                    f->wall_vz[i] += (float)v.z;
                }
        if (pass > 0)
            return;
        px_dist_sum(f->dist, sums, 6);
        if (known) {
            const double six[6] = {kept[0].x, kept[0].y, kept[0].z,
                                   kept[1].x, kept[1].y, kept[1].z};
            for (int c = 0; c < 6; ++c)
                sums[c] = f->dt * six[c];
        }
        PxVec3 w = px_mat3_apply(b->per_inertia, px_vec(sums[3], sums[4], sums[5]));
        for (int c = 0; c < 3; ++c)
            sums[c] *= b->per_mass;
        sums[3] = w.x;
        sums[4] = w.y;
        sums[5] = w.z;
    }
}

PxStatus px_yield_drag_begin(PxFluid *f, const float *velocity, bool pushed, PxYieldDrag *out)
{
    *out = (PxYieldDrag){.bodies = 0};
    uint32_t entries = count_touches(f);
    if (entries == 0)
        return PX_OK;
    out->body = PX_ARENA_ARRAY(f->scratch, PxDragBody, f->boundaries);
    out->entry = PX_ARENA_ARRAY(f->scratch, PxDragEntry, entries);
    if (out->body == NULL || out->entry == NULL)
        return px_fail(PX_ERR_MEMORY, "viscosity: no room for %u rows beside rigid bodies",
                       entries);
    for (uint32_t k = 0; k < f->boundaries; ++k) {
        const PxBoundary *b = f->boundary[k];
        if (!(b->per_mass > 0))
            continue;
        PxDragBody *body = &out->body[out->bodies];
        *body = (PxDragBody){.first = out->entries};
        if (pushed)
            push_body(f, k);
        body_matrix(b, body->factor);
        double sums[42] = {0};
        double(*s)[6] = (double(*)[6])(void *)sums, *right = sums + 36;
        for (uint32_t block = 0; block * PX_BLOCK < f->count; ++block)
            for (struct PxTouches *t = f->touches[block]; t != NULL; t = t->next)
                for (uint32_t n = 0; t->boundary == k && n < t->count; ++n) {
                    PxWallTouch *touch = &t->touch[n];
                    if (!listed(f, touch))
                        continue;
                    uint32_t i = touch->row;
                    const PxParticles *p = f->particles;
                    double nu = px_fluid_mu(f, i) / f->material[p->material[i]].def.density;
                    double rate = f->dt * (double)p->mass[i] * nu * (double)px_fluid_part(f, i);
                    PxDragEntry e = {i, rate * (double)touch->drag,
                                     px_sub(px_particle_place(p, i), b->pivot), touch};
                    out->entry[out->entries++] = e;
                    add_row(velocity, rate, &e, s, right);
                }
        px_dist_sum(f->dist, sums, 42);
        body->end = out->entries;
        for (int i = 0; i < 6; ++i) {
            body->right[i] = right[i];
            for (int j = 0; j < 6; ++j)
                body->factor[i][j] += s[i][j];
        }
        factorize(body->factor);
        out->bodies += body->end > body->first;
    }
    return PX_OK;
}

/* y of a body for the right-hand side `right` and the velocities p, each NULL if 0. */
static void motion(const PxFluid *f, const PxYieldDrag *d, const PxDragBody *body,
                   const double *right, const float *p, double y[6])
{
    memset(y, 0, 6 * sizeof *y);
    for (uint32_t k = body->first; p != NULL && k < body->end; ++k) {
        const PxDragEntry *e = &d->entry[k];
        add_force(y, e, px_scale(quad_of(p, e->row), e->drag));
    }
    if (p != NULL)
        px_dist_sum(f->dist, y, 6);
    for (int k = 0; right != NULL && k < 6; ++k)
        y[k] += right[k];
    solve(body->factor, y);
}

static void add_motion(const PxYieldDrag *d, const PxDragBody *body, const double y[6], double sign,
                       float *quad)
{
    for (uint32_t k = body->first; k < body->end; ++k) {
        const PxDragEntry *e = &d->entry[k];
        PxVec3 v = px_scale(velocity_at(y, e->arm), sign * e->drag);
        float *out = quad + 4 * (size_t)e->row;
        out[0] += (float)v.x;
        out[1] += (float)v.y;
        out[2] += (float)v.z;
    }
}

void px_yield_drag_right(const PxFluid *f, const PxYieldDrag *d, float *right)
{
    double y[6];
    for (uint32_t n = 0; n < d->bodies; ++n) {
        motion(f, d, &d->body[n], d->body[n].right, NULL, y);
        add_motion(d, &d->body[n], y, 1, right);
    }
}

void px_yield_drag_apply(const PxFluid *f, const PxYieldDrag *d, const float *p, float *product)
{
    double y[6];
    for (uint32_t n = 0; n < d->bodies; ++n) {
        motion(f, d, &d->body[n], NULL, p, y);
        add_motion(d, &d->body[n], y, -1, product);
    }
}

void px_yield_drag_end(const PxFluid *f, const PxYieldDrag *d, const float *change)
{
    double y[6];
    for (uint32_t n = 0; n < d->bodies; ++n) {
        const PxDragBody *body = &d->body[n];
        motion(f, d, body, body->right, change, y);
        for (uint32_t k = body->first; k < body->end; ++k) {
            PxWallTouch *t = d->entry[k].touch;
            PxVec3 v = px_scale(velocity_at(y, d->entry[k].arm), (double)t->drag);
            t->velocity[0] += (float)v.x;
            t->velocity[1] += (float)v.y;
            t->velocity[2] += (float)v.z;
        }
    }
}
