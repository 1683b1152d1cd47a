#include "cloth/bodies.h"

#include "cloth/contact.h"

#include <math.h>
#include <string.h>

PxStatus px_cloth_bodies_add(PxClothStep *s, const PxClothBody *body, uint32_t *number)
{
    PxClothBodies *y = s->bodies;
    if (y->count == y->most) {
        uint32_t most = 2 * y->most + 16;
        PxClothBody *more = PX_ARENA_ARRAY(s->scratch, PxClothBody, most);
        if (more == NULL)
            return px_fail(PX_ERR_MEMORY, "cloth: no room for %u bodies", most);
        if (y->count > 0)
            memcpy(more, y->body, y->count * sizeof *more);
        y->body = more;
        y->most = most;
    }
    y->body[y->count] = *body;
    *number = ++y->count;
    return PX_OK;
}

PxStatus px_cloth_bodies_list(PxClothStep *s)
{
    PxClothBodies *y = s->bodies;
    const PxClothContacts *c = s->contacts;
    if (y == NULL || y->count == 0)
        return PX_OK;
    y->first = PX_ARENA_ARRAY(s->scratch, uint32_t, y->count + 2);
    y->use = PX_ARENA_ARRAY(s->scratch, uint32_t, c->count + 1);
    y->of = PX_ARENA_ARRAY(s->scratch, uint32_t, c->count + 1);
    y->lever = PX_ARENA_ARRAY(s->scratch, double, 3 * (size_t)c->count + 1);
    if (y->first == NULL || y->use == NULL || y->of == NULL || y->lever == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u contacts", c->count);
    memset(y->first, 0, (y->count + 2) * sizeof *y->first);
    for (uint32_t k = 0; k < c->count; ++k) {
        PxVec3 lever = c->contact[k].lever;
        y->of[k] = c->contact[k].body;
        y->lever[3 * (size_t)k] = lever.x;
        y->lever[3 * (size_t)k + 1] = lever.y;
        y->lever[3 * (size_t)k + 2] = lever.z;
        if (y->of[k] > 0)
            ++y->first[y->of[k] + 1];
    }
    for (uint32_t b = 1; b < y->count + 2; ++b)
        y->first[b] += y->first[b - 1];
    for (uint32_t k = 0; k < c->count; ++k) /* moves the ends of the ranges to their places */
        if (y->of[k] > 0)
            y->use[y->first[y->of[k]]++] = k;
    return PX_OK;
}

/* ---- small matrices -------------------------------------------------------------------------- */

/* Inverts a symmetric positive matrix by its Cholesky factors; false: it is not positive. */
static bool invert(double a[6][6], int n, double out[6][6])
{
    double l[6][6] = {{0}};
    for (int i = 0; i < n; ++i)
        for (int j = 0; j <= i; ++j) {
            double sum = a[i][j];
            for (int k = 0; k < j; ++k)
                sum -= l[i][k] * l[j][k];
            if (i == j && !(sum > 0))
                return false;
            l[i][j] = i == j ? sqrt(sum) : sum / l[j][j];
        }
    for (int c = 0; c < n; ++c) {
        double x[6];
        for (int i = 0; i < n; ++i) {
            x[i] = i == c ? 1 : 0;
            for (int k = 0; k < i; ++k)
                x[i] -= l[i][k] * x[k];
            x[i] /= l[i][i];
        }
        for (int i = n - 1; i >= 0; --i) {
            for (int k = i + 1; k < n; ++k)
                x[i] -= l[k][i] * x[k];
            x[i] /= l[i][i];
        }
        for (int i = 0; i < n; ++i)
            out[i][c] = x[i];
    }
    return true;
}

static void put6(double to[6], PxVec3 a, PxVec3 b)
{
    to[0] = a.x;
    to[1] = a.y;
    to[2] = a.z;
    to[3] = b.x;
    to[4] = b.y;
    to[5] = b.z;
}

static double dot6(const double a[6], const double b[6])
{
    double sum = 0;
    for (int k = 0; k < 6; ++k)
        sum += a[k] * b[k];
    return sum;
}

/* Adds B^T C B of a contact. */
static void add_contact(double a[6][6], const PxClothContact *c, bool point)
{
    const double m[3][3] = {{c->matrix[0], c->matrix[1], c->matrix[2]},
                            {c->matrix[1], c->matrix[3], c->matrix[4]},
                            {c->matrix[2], c->matrix[4], c->matrix[5]}};
    PxVec3 l = c->lever;
    /* the velocity at the lever: V + W x l = B (V, W) */
    const double b[3][6] = {
        {1, 0, 0, 0, l.z, -l.y}, {0, 1, 0, -l.z, 0, l.x}, {0, 0, 1, l.y, -l.x, 0}};
    int n = point ? 3 : 6;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            for (int p = 0; p < 3; ++p)
                for (int q = 0; q < 3; ++q)
                    a[i][j] += b[p][i] * m[p][q] * b[q][j];
}

/* ---- the system ------------------------------------------------------------------------------ */

static void linearise_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    PxClothStep *s = user;
    PxClothBodies *y = s->bodies;
    for (uint32_t n = begin; n < end; ++n) {
        PxClothBody *o = &y->body[n];
        double a[6][6] = {{0}};
        o->pressed = px_vec(0, 0, 0);
        PxVec3 force = px_scale(o->expected[0], -1), moment = px_scale(o->expected[1], -1);
        for (int k = 0; k < 3; ++k) {
            a[k][k] = o->mass;
            for (int l = 0; l < 3; ++l)
                a[3 + k][3 + l] = o->inertia.m[k][l];
        }
        for (uint32_t k = y->first[n]; k < y->first[n + 1]; ++k) {
            const PxClothContact *c = &s->contacts->contact[y->use[k]];
            add_contact(a, c, o->point);
            force = px_sub(force, c->bias);
            o->pressed = px_sub(o->pressed, c->impulse);
            moment = px_sub(moment, px_cross(c->lever, c->bias));
        }
        put6(o->b, force, o->point ? px_vec(0, 0, 0) : moment);
        memset(o->inverse, 0, sizeof o->inverse);
        if (!o->held)
            invert(a, o->point ? 3 : 6, o->inverse);
    }
}

void px_cloth_bodies_linearise(PxClothStep *s)
{
    if (s->bodies != NULL && s->bodies->count > 0)
        px_parallel_for(s->threads, s->bodies->count, 64, linearise_block, s);
}

/* (A z) of a body. */
static void multiply(const PxClothStep *s, uint32_t n, double out[6])
{
    const PxClothBodies *y = s->bodies;
    const PxClothBody *o = &y->body[n];
    PxVec3 force = px_scale(px_vec(o->z[0], o->z[1], o->z[2]), o->mass), moment = px_vec(0, 0, 0);
    if (!o->point)
        moment = px_mat3_apply(o->inertia, px_vec(o->z[3], o->z[4], o->z[5]));
    for (uint32_t k = y->first[n]; k < y->first[n + 1]; ++k) {
        const float *u = px_cloth_contact_product(s->contacts, y->use[k]);
        const double *l = y->lever + 3 * (size_t)y->use[k];
        PxVec3 f = px_vec((double)u[0], (double)u[1], (double)u[2]);
        force = px_sub(force, f);
        moment = px_sub(moment, px_cross(px_vec(l[0], l[1], l[2]), f));
    }
    put6(out, force, o->point ? px_vec(0, 0, 0) : moment);
}

static double condition(PxClothBody *o)
{
    for (int i = 0; i < 6; ++i)
        o->z[i] = dot6(o->inverse[i], o->r);
    return dot6(o->r, o->z);
}

static uint32_t bodies_of(const PxClothStep *s)
{
    return s->bodies != NULL ? s->bodies->count : 0;
}

void px_cloth_bodies_enter(PxClothStep *s)
{
    for (uint32_t n = 0; n < bodies_of(s); ++n) {
        PxClothBody *o = &s->bodies->body[n];
        put6(o->z, o->change[0], o->change[1]);
        memset(o->p, 0, sizeof o->p);
        memset(o->q, 0, sizeof o->q);
    }
}

/* As scale_block() of solve.c. */
double px_cloth_bodies_scale(const PxClothStep *s)
{
    double sum = 0;
    for (uint32_t n = 0; n < bodies_of(s); ++n) {
        const PxClothBody *o = &s->bodies->body[n];
        PxVec3 of[2] = {o->pressed, px_scale(s->gravity, o->mass * s->dt)};
        for (int k = 0; k < 2; ++k) {
            double a[6];
            put6(a, of[k], px_vec(0, 0, 0));
            for (int i = 0; i < 3; ++i)
                sum += a[i] * dot6(o->inverse[i], a);
        }
    }
    return sum;
}

void px_cloth_bodies_leave(PxClothStep *s)
{
    for (uint32_t n = 0; n < bodies_of(s); ++n) {
        PxClothBody *o = &s->bodies->body[n];
        double product[6];
        multiply(s, n, product);
        for (int k = 0; k < 6; ++k)
            o->r[k] = o->held ? 0 : o->b[k] - product[k];
    }
}

double px_cloth_bodies_start(PxClothStep *s)
{
    double sum = 0;
    px_cloth_bodies_leave(s);
    for (uint32_t n = 0; n < bodies_of(s); ++n)
        sum += condition(&s->bodies->body[n]);
    return sum;
}

double px_cloth_bodies_product(PxClothStep *s, double beta)
{
    double sum = 0;
    for (uint32_t n = 0; n < bodies_of(s); ++n) {
        PxClothBody *o = &s->bodies->body[n];
        double product[6];
        multiply(s, n, product);
        for (int k = 0; k < 6; ++k) {
            o->p[k] = o->z[k] + beta * o->p[k];
            o->q[k] = product[k] + beta * o->q[k];
        }
        sum += o->held ? 0 : dot6(o->p, o->q);
    }
    return sum;
}

double px_cloth_bodies_advance(PxClothStep *s, double alpha)
{
    double sum = 0;
    for (uint32_t n = 0; n < bodies_of(s); ++n) {
        PxClothBody *o = &s->bodies->body[n];
        PxVec3 v = px_vec(o->p[0], o->p[1], o->p[2]), w = px_vec(o->p[3], o->p[4], o->p[5]);
        if (o->held)
            continue;
        o->change[0] = px_mad(o->change[0], v, alpha);
        o->change[1] = px_mad(o->change[1], w, alpha);
        for (int k = 0; k < 6; ++k)
            o->r[k] -= alpha * o->q[k];
        sum += condition(o);
    }
    return sum;
}

void px_cloth_bodies_guess(PxClothStep *s)
{
    for (uint32_t n = 0; n < bodies_of(s); ++n)
        put6(s->bodies->body[n].z, s->bodies->body[n].change[0], s->bodies->body[n].change[1]);
}
