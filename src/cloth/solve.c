/// Conjugate gradients for the matrix of a step, preconditioned with the inverses of its diagonal
/// blocks. Vectors are floats, sums of products doubles.
#include "cloth/solve.h"

#include "base/stop.h"
#include "cloth/balance.h"
#include "cloth/blocks.h"
#include "cloth/bodies.h"
#include "cloth/contact.h"

#include <math.h>
#include <string.h>

PxStatus px_cloth_step_begin(PxClothStep *s)
{
    const PxClothSystem *y = s->system;
    size_t n = y->vertices, slices = y->pattern.slices + 1;
    PxArena *m = s->scratch;
    PxVec3 **of_vertex[] = {&s->x,       &s->v,     &s->w,      &s->push,           &s->normal,
                            &s->target,  &s->b,     &s->r,      &s->added_velocity, &s->u,
                            &s->carried, &s->touch, &s->pressed};
    bool room = true;
    for (size_t k = 0; k < PX_COUNT(of_vertex); ++k) {
        *of_vertex[k] = PX_ARENA_ARRAY(m, PxVec3, n + 1);
        room = room && *of_vertex[k] != NULL;
    }
    PxClothRows *rows = &s->rows;
    struct {
        float **array;
        size_t size;
    } of_slice[] = {{&rows->own, 48},     {&rows->diagonal, 48}, {&rows->more, 24},
                    {&rows->inverse, 48}, {&rows->pressed, 48},  {&rows->hold, 32},
                    {&rows->b, 24},       {&rows->d, 24},        {&rows->r, 24},
                    {&rows->p, 24},       {&rows->q, 24},        {&rows->z, 32}};
    for (size_t k = 0; k < PX_COUNT(of_slice); ++k) {
        *of_slice[k].array = PX_ARENA_ARRAY(m, float, of_slice[k].size *slices);
        room = room && *of_slice[k].array != NULL;
    }
    rows->partial = PX_ARENA_ARRAY(m, double, 2 * (slices / PX_CLOTH_SLICES + 2));
    s->mass = PX_ARENA_ARRAY(m, double, n + 1);
    s->inertia = PX_ARENA_ARRAY(m, double, n + 1);
    s->rub = PX_ARENA_ARRAY(m, double, n + 1);
    s->keep = PX_ARENA_ARRAY(m, double, n + 1);
    s->added = PX_ARENA_ARRAY(m, PxClothAdded, n + 1);
    s->hold = PX_ARENA_ARRAY(m, uint8_t, n + 1);
    s->in_contact = PX_ARENA_ARRAY(m, uint8_t, n + 1);
    s->face = y->seen->face;
    s->hinge = y->seen->hinge;
    s->face_load = PX_ARENA_ARRAY(m, PxClothFaceLoad, y->faces + 1);
    s->hinge_load = PX_ARENA_ARRAY(m, PxVec3, y->hinges + 1);
    s->face_part = PX_ARENA_ARRAY(m, PxClothFacePart, y->faces + 1);
    s->hinge_part = PX_ARENA_ARRAY(m, PxClothHingePart, y->hinges + 1);
    if (!room || s->mass == NULL || s->inertia == NULL || s->rub == NULL || s->keep == NULL ||
        s->added == NULL || s->hold == NULL || s->in_contact == NULL || s->face_load == NULL ||
        s->hinge_load == NULL || s->face_part == NULL || s->hinge_part == NULL ||
        rows->partial == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %zu vertices", n);
    for (uint32_t i = 0; i < n; ++i) {
        s->mass[i] = y->share[i] * s->law[y->of_vertex[i]].mass;
        s->keep[i] = 0.5 * s->law[y->of_vertex[i]].thickness;
        s->hold[i] = PX_CLOTH_FREE;
        s->rub[i] = 0;
        s->push[i] = s->touch[i] = s->pressed[i] = s->normal[i] = s->target[i] = px_vec(0, 0, 0);
        s->added_velocity[i] = px_vec(0, 0, 0);
        s->added[i] = (PxClothAdded){{0}};
    }
    memset(s->in_contact, 0, n);
    rows->touched = false;
    memset(rows->more, 0, 24 * slices * sizeof *rows->more);
    memset(rows->pressed, 0, 48 * slices * sizeof *rows->pressed);
    s->iterations = 0;
    s->fell = 0;
    s->hard = false;
    s->converged = true;
    return px_cloth_coarse_begin(s);
}

/* ---- between vertices and rows --------------------------------------------------------------- */

static void put(float *rows, uint32_t row, PxVec3 v)
{
    float *at = rows + 24 * (size_t)(row / 8) + row % 8;
    at[0] = (float)v.x;
    at[8] = (float)v.y;
    at[16] = (float)v.z;
}

static PxVec3 get(const float *rows, uint32_t row)
{
    const float *at = rows + 24 * (size_t)(row / 8) + row % 8;
    return px_vec((double)at[0], (double)at[8], (double)at[16]);
}

static void put_quad(float *quads, uint32_t row, PxVec3 v)
{
    float *at = quads + 4 * (size_t)row;
    at[0] = (float)v.x;
    at[1] = (float)v.y;
    at[2] = (float)v.z;
    at[3] = 0;
}

static void put_hold(const PxClothStep *s, uint32_t row, bool fixed, PxVec3 normal)
{
    float *at = s->rows.hold + 32 * (size_t)(row / 8) + row % 8;
    at[0] = fixed ? 0 : 1;
    at[8] = (float)normal.x;
    at[16] = (float)normal.y;
    at[24] = (float)normal.z;
}

PxVec3 px_cloth_obey(const PxClothStep *s, uint32_t i, PxVec3 w)
{
    if (s->hold[i] == PX_CLOTH_FIXED)
        return s->target[i];
    if (s->hold[i] == PX_CLOTH_NORMAL)
        return px_mad(w, s->normal[i], px_dot(px_sub(s->target[i], w), s->normal[i]));
    return w;
}

PxVec3 px_cloth_friction(const PxClothStep *s, uint32_t i, PxVec3 w)
{
    PxVec3 along = px_sub(s->target[i], w), n = s->normal[i];
    return px_scale(px_mad(along, n, -px_dot(along, n)), s->rub[i]);
}

static void enter_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    PxClothStep *s = user;
    PxVec3 none = px_vec(0, 0, 0);
    for (uint32_t row = 8 * begin; row < 8 * end; ++row) {
        uint32_t i = s->system->pattern.vertex[row];
        PxVec3 d = none, b = none, push = none, weight = none;
        if (i == UINT32_MAX) {
            put_hold(s, row, true, none);
        } else {
            put_hold(s, row, s->hold[i] == PX_CLOTH_FIXED,
                     s->hold[i] == PX_CLOTH_NORMAL ? s->normal[i] : none);
            d = px_sub(px_cloth_obey(s, i, s->w[i]), s->u[i]);
            b = px_add(s->b[i], px_cloth_friction(s, i, s->u[i]));
            push = s->rows.touched ? px_add(b, s->pressed[i]) : b;
            b = px_add(b, s->touch[i]);
            weight = px_scale(s->gravity, s->mass[i] * s->dt);
        }
        put(s->rows.b, row, b);
        put(s->rows.d, row, d);
        put(s->rows.p, row, weight);
        put(s->rows.q, row, push);
        put_quad(s->rows.z, row, d);
    }
}

static void guess_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    PxClothStep *s = user;
    for (uint32_t row = 8 * begin; row < 8 * end; ++row)
        put_quad(s->rows.z, row, get(s->rows.d, row));
}

static void leave_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    PxClothStep *s = user;
    for (uint32_t row = 8 * begin; row < 8 * end; ++row) {
        uint32_t i = s->system->pattern.vertex[row];
        if (i == UINT32_MAX)
            continue;
        s->w[i] = px_cloth_obey(s, i, px_add(s->u[i], get(s->rows.d, row)));
        s->r[i] = get(s->rows.r, row);
    }
}

/* ---- the iteration --------------------------------------------------------------------------- */

static void run(PxClothStep *s, PxBlockFunction *function)
{
    px_parallel_for(s->threads, s->system->pattern.slices, PX_CLOTH_SLICES, function, s);
}

static double sum_of(PxClothStep *s, PxBlockFunction *function)
{
    double sum = 0;
    run(s, function);
    for (uint32_t k = 0; k * PX_CLOTH_SLICES < s->system->pattern.slices; ++k)
        sum += s->rows.partial[k];
    return sum;
}

/* Adds the same velocity to all vertices so that the residuals sum to zero. The product of the
 * matrix with such a translation needs only the sums of its rows. If no vertex is held, the total
 * momentum is then exact however early the iteration ends. */
static void translate(PxClothStep *s)
{
    const PxClothPattern *p = &s->system->pattern;
    double own[6] = {0}, left[3] = {0};
    for (uint32_t row = 0; row < 8 * p->slices; ++row) {
        uint32_t i = p->vertex[row];
        if (i == UINT32_MAX)
            continue;
        if (s->hold[i] != PX_CLOTH_FREE)
            return;
        for (int c = 0; c < 6; ++c)
            own[c] += (double)s->rows.own[48 * (size_t)(row / 8) + 8 * (size_t)c + row % 8];
        left[0] += s->r[i].x;
        left[1] += s->r[i].y;
        left[2] += s->r[i].z;
    }
    for (uint32_t n = 0; s->bodies != NULL && n < s->bodies->count; ++n) {
        const PxClothBody *o = &s->bodies->body[n];
        if (o->held)
            return;
        own[0] += o->mass;
        own[3] += o->mass;
        own[5] += o->mass;
        for (int c = 0; c < 3; ++c)
            left[c] += o->r[c];
    }
    double c0 = own[3] * own[5] - own[4] * own[4], c1 = own[2] * own[4] - own[1] * own[5];
    double c2 = own[1] * own[4] - own[2] * own[3], det = own[0] * c0 + own[1] * c1 + own[2] * c2;
    if (!(det > 0))
        return;
    double c3 = own[0] * own[5] - own[2] * own[2], c4 = own[1] * own[2] - own[0] * own[4];
    double c5 = own[0] * own[3] - own[1] * own[1];
    PxVec3 by = px_vec((c0 * left[0] + c1 * left[1] + c2 * left[2]) / det,
                       (c1 * left[0] + c3 * left[1] + c4 * left[2]) / det,
                       (c2 * left[0] + c4 * left[1] + c5 * left[2]) / det);
    for (uint32_t i = 0; i < s->system->vertices; ++i)
        s->w[i] = px_add(s->w[i], by);
    for (uint32_t n = 0; s->bodies != NULL && n < s->bodies->count; ++n)
        s->bodies->body[n].change[0] = px_add(s->bodies->body[n].change[0], by);
}

PxStatus px_cloth_solve(PxClothStep *s)
{
    PxBlockFunction *product = PX_ISA_PICK(s->isa, px_cloth_product);
    PxBlockFunction *condition = PX_ISA_PICK(s->isa, px_cloth_condition);
    PxBlockFunction *advance = PX_ISA_PICK(s->isa, px_cloth_advance);
    run(s, enter_block);
    px_cloth_bodies_enter(s);
    double enough = s->tolerance * s->tolerance;
    enough *= sum_of(s, PX_ISA_PICK(s->isa, px_cloth_scale)) + px_cloth_bodies_scale(s);
    px_cloth_contacts_product(s);
    run(s, PX_ISA_PICK(s->isa, px_cloth_start));
    double rz = px_cloth_bodies_start(s);
    px_cloth_coarse_set(s);
    px_cloth_coarse_apply(s);
    rz += sum_of(s, condition);
    uint32_t done = 0;
    s->gain = 0;
    s->rows.beta = 0;
    while (rz > enough && done < s->most_iterations) {
        px_cloth_contacts_product(s);
        double pq = sum_of(s, product) + px_cloth_bodies_product(s, (double)s->rows.beta);
        if (!(pq > 0))
            break;
        s->rows.alpha = (float)(rz / pq);
        s->gain += (double)s->rows.alpha * rz;
        double next = sum_of(s, advance);
        if (s->rows.levels > 0) {
            px_cloth_coarse_apply(s);
            next = sum_of(s, condition);
        }
        next += px_cloth_bodies_advance(s, (double)s->rows.alpha);
        s->rows.beta = (float)(next / rz);
        rz = next;
        ++done;
        if (done % 16 == 0)
            PX_TRY(px_stop_check(s->threads));
    }
    s->iterations += done;
    s->converged = s->converged && !(rz > enough);
    run(s, guess_block);
    px_cloth_bodies_guess(s);
    px_cloth_contacts_product(s);
    run(s, PX_ISA_PICK(s->isa, px_cloth_residual));
    run(s, leave_block);
    px_cloth_bodies_leave(s);
    translate(s);
    return px_cloth_balance(s);
}
