#include "fluid/pressure/mac_yield.h"

#include "fluid/pressure/mac_cells.h"

#include <math.h>

#define NO_BODY UINT32_MAX

/* A pool is closed by a piston if a uniform pressure in it pushes a body with more than this part
 * of the sum of all forces on the body's faces. Cut cells leave 0.02 for a ball four cells wide. */
#define PISTON 0.2

static PxVec3 unit(int axis)
{
    return px_vec(axis == 0, axis == 1, axis == 2);
}

static double along(PxVec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

bool px_mac_yields(const PxMac *m, uint16_t boundary)
{
    return m->yield != NULL && boundary != PX_MAC_NOBODY &&
           m->fluid->boundary[boundary]->per_mass > 0;
}

/* Lists the faces of bodies; with `face` NULL counts them. */
static uint32_t list(const PxMac *m, const uint32_t *body_of, PxMacYieldFace *face)
{
    uint32_t count = 0;
    for (uint32_t cell = CELLS; cell < m->tiles * CELLS; ++cell)
        for (int c = 0; c < 3 && m->beside[cell / CELLS]; ++c) {
            uint16_t b = m->whose[c][cell];
            if (b == PX_MAC_NOBODY || body_of[b] == NO_BODY || !(m->open[c][cell] < 1.0f) ||
                !(is_full(m, cell) || is_full(m, next_to(m, cell, c, -1))))
                continue;
            if (face != NULL) {
                double x[3];
                place_of(m, cell, c, x);
                PxVec3 arm = px_sub(px_vec(x[0], x[1], x[2]), m->fluid->boundary[b]->pivot);
                face[count] = (PxMacYieldFace){.body = body_of[b],
                                               .cell = cell,
                                               .axis = c,
                                               .start = m->wall[c][cell],
                                               .closed = 1 - (double)m->open[c][cell],
                                               .moment = px_cross(arm, unit(c))};
            }
            ++count;
        }
    return count;
}

PxStatus px_mac_yield_begin(PxMac *m)
{
    PxFluid *f = m->fluid;
    m->yield = NULL;
    if (f->yield == NULL)
        return PX_OK;
    PxMacYield *y = PX_ARENA_ARRAY(f->scratch, PxMacYield, 1);
    PxMacYieldBody *body = PX_ARENA_ARRAY(f->scratch, PxMacYieldBody, f->yield->count);
    uint32_t *body_of = PX_ARENA_ARRAY(f->scratch, uint32_t, f->boundaries);
    if (y == NULL || body == NULL || body_of == NULL)
        return px_fail(PX_ERR_MEMORY, "pressure: no room for %u bodies", f->yield->count);
    *y = (PxMacYield){.body = body, .bodies = f->yield->count};
    for (size_t b = 0; b < f->boundaries; ++b) {
        body_of[b] = NO_BODY;
        for (uint32_t n = 0; n < y->bodies; ++n)
            if (f->yield->one[n].boundary == f->boundary[b]) {
                body[n] =
                    (PxMacYieldBody){.yielding = &f->yield->one[n], .boundary = f->boundary[b]};
                body_of[b] = n;
            }
    }
    y->faces = list(m, body_of, NULL);
    y->face = PX_ARENA_ARRAY(f->scratch, PxMacYieldFace, y->faces + 1);
    if (y->face == NULL)
        return px_fail(PX_ERR_MEMORY, "pressure: no room for %u faces of bodies", y->faces);
    list(m, body_of, y->face);
    for (uint32_t k = 0; k < y->faces; ++k) {
        PxMacYieldFace *face = &y->face[k];
        const PxYielding *one = body[face->body].yielding;
        face->start += (float)(along(one->change, face->axis) + px_dot(one->twist, face->moment));
    }
    m->yield = y;
    return PX_OK;
}

void px_mac_yield_number(PxMac *m, uint32_t count)
{
    for (uint32_t k = 0; m->yield != NULL && k < m->yield->faces; ++k) {
        PxMacYieldFace *face = &m->yield->face[k];
        uint32_t below = next_to(m, face->cell, face->axis, -1);
        face->above = is_full(m, face->cell) ? m->number[face->cell] : count;
        face->below = is_full(m, below) ? m->number[below] : count;
    }
}

static void clear(const PxMacYield *y)
{
    for (uint32_t n = 0; n < y->bodies; ++n)
        y->body[n].force = y->body[n].torque = px_vec(0, 0, 0);
}

static void push(PxMacYieldBody *body, const PxMacYieldFace *face, double size)
{
    body->force = px_mad(body->force, unit(face->axis), size);
    body->torque = px_mad(body->torque, face->moment, size);
}

double px_mac_yield_apply(const PxMac *m, const double *p, double *image)
{
    const PxMacYield *y = m->yield;
    double scale = m->dt * m->cell * m->cell, product = 0;
    if (y == NULL)
        return 0;
    clear(y);
    for (uint32_t k = 0; k < y->faces; ++k) {
        const PxMacYieldFace *face = &y->face[k];
        push(&y->body[face->body], face, face->closed * (p[face->below] - p[face->above]));
    }
    for (uint32_t n = 0; n < y->bodies; ++n) {
        PxMacYieldBody *body = &y->body[n];
        PxYielding *one = body->yielding;
        one->gained = px_scale(body->force, scale * body->boundary->per_mass);
        one->turned = px_scale(px_mat3_apply(body->boundary->per_inertia, body->torque), scale);
        product += px_dot(one->gained, body->force) + px_dot(one->turned, body->torque);
    }
    for (uint32_t k = 0; k < y->faces; ++k) {
        const PxMacYieldFace *face = &y->face[k];
        const PxYielding *one = y->body[face->body].yielding;
        double out =
            face->closed * (along(one->gained, face->axis) + px_dot(one->turned, face->moment));
        image[face->below] += out;
        image[face->above] -= out;
    }
    return product;
}

void px_mac_yield_walls(PxMac *m, bool gained)
{
    for (uint32_t k = 0; m->yield != NULL && k < m->yield->faces; ++k) {
        const PxMacYieldFace *face = &m->yield->face[k];
        const PxYielding *one = m->yield->body[face->body].yielding;
        float more = (float)(along(one->gained, face->axis) + px_dot(one->turned, face->moment));
        m->wall[face->axis][face->cell] = face->start + (gained ? more : 0.0f);
    }
}

void px_mac_yield_open(const PxMac *m, const uint32_t *root, uint32_t *sealed)
{
    const PxMacYield *y = m->yield;
    for (uint32_t n = 0; y != NULL && n < y->bodies; ++n)
        for (uint32_t first = 0; first < y->faces; ++first) {
            /* the pool of one of its faces; pools are few, and a pool that is open stays so */
            const PxMacYieldFace *at = &y->face[first];
            uint32_t in = is_full(m, at->cell) ? at->cell : next_to(m, at->cell, at->axis, -1);
            if (at->body != n || !is_full(m, in) || sealed[root[in]] == 0)
                continue;
            double size = 0;
            clear(y);
            for (uint32_t k = first; k < y->faces; ++k) {
                const PxMacYieldFace *face = &y->face[k];
                uint32_t below = next_to(m, face->cell, face->axis, -1);
                bool here = is_full(m, face->cell) && root[face->cell] == root[in];
                bool there = is_full(m, below) && root[below] == root[in];
                if (face->body != n || here == there)
                    continue;
                push(&y->body[n], face, there ? face->closed : -face->closed);
                size += face->closed;
            }
            if (px_length(y->body[n].force) > PISTON * size)
                sealed[root[in]] = 0;
            break;
        }
}

/* Rise of the pressure from the centres of the cells to the body, on the side below a face minus
 * the side above, Pa. Without it the body would displace whole cells. The solve does not know of
 * it: it is the weight, and the inertia, of less than a layer of cells, which the mass of the body
 * and of the fluid that it moves always exceeds. */
static double rise_of(const PxMac *m, const PxMacYieldFace *face)
{
    uint32_t below = next_to(m, face->cell, face->axis, -1);
    double rise = is_full(m, below) ? px_mac_rise(m, below, face->axis, 1) : 0;
    return is_full(m, face->cell) ? rise - px_mac_rise(m, face->cell, face->axis, -1) : rise;
}

/* Impulse of the pressure on a face of a body, along its axis, N s. */
static double impulse_of(const PxMac *m, const PxMacYieldFace *face)
{
    uint32_t below = next_to(m, face->cell, face->axis, -1);
    double p = m->p[below] - m->p[face->cell] + rise_of(m, face);
    return m->dt * m->cell * m->cell * face->closed * p;
}

void px_mac_yield_measure(const PxMac *m, int axis, double *sum, double *sizes)
{
    *sum = *sizes = 0;
    for (uint32_t k = 0; m->yield != NULL && k < m->yield->faces; ++k) {
        const PxMacYieldFace *face = &m->yield->face[k];
        double push = face->axis == axis ? impulse_of(m, face) : 0;
        *sum += push;
        *sizes += fabs(push);
    }
}

double px_mac_yield_push(PxMac *m, int axis, double more)
{
    double work = 0;
    for (uint32_t k = 0; m->yield != NULL && k < m->yield->faces; ++k) {
        const PxMacYieldFace *face = &m->yield->face[k];
        double impulse = face->axis == axis ? impulse_of(m, face) : 0, x[3];
        if (impulse == 0)
            continue;
        impulse += more * fabs(impulse);
        place_of(m, face->cell, axis, x);
        px_boundary_take(m->yield->body[face->body].boundary,
                         (PxImpulse){{x[0], x[1], x[2]}, px_scale(unit(axis), impulse)});
        work -= impulse * (double)m->wall[axis][face->cell];
    }
    return work;
}
