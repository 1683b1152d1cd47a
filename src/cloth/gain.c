#include "cloth/gain.h"

#include "cloth/bodies.h"
#include "cloth/contact.h"
#include "cloth/gas.h"

#include <math.h>

#define BLOCK 512u

typedef struct Membranes {
    const PxClothStep *s;
    const PxVec3 *x;
    double *block;
} Membranes;

static void membrane_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Membranes *m = user;
    const PxClothSystem *y = m->s->system;
    double sum = 0;
    for (uint32_t t = begin; t < end; ++t) {
        const uint32_t *c = y->face[t].corner;
        const PxVec3 x[3] = {m->x[c[0]], m->x[c[1]], m->x[c[2]]};
        PxClothLaw wet;
        PxClothFaceState state;
        px_cloth_membrane(px_cloth_law_at(m->s, y->of_face[t], c, 3, &wet), &y->face[t], x, &state);
        sum += state.stretch;
    }
    m->block[begin / BLOCK] = sum;
}

static double membranes_at(Membranes *m, const PxVec3 *x)
{
    uint32_t faces = m->s->system->faces;
    double sum = 0;
    m->x = x;
    px_parallel_for(m->s->threads, faces, BLOCK, membrane_block, m);
    for (uint32_t t = 0; t < faces; t += BLOCK)
        sum += m->block[t / BLOCK];
    return sum;
}

/* Work of handles, known forces and fluids, and of what seams and crossed cloth are drawn together
 * or apart by. Fluid gives its load, which is a known force, and M (v - w) to a vertex that it
 * moves along with (contact/sheets.h). */
static double work_on(const PxClothStep *s)
{
    double sum = 0;
    for (uint32_t i = 0; i < s->system->vertices; ++i) {
        bool led = s->hold[i] == PX_CLOTH_FIXED && s->handle != NULL && s->handle[i] != 0;
        PxVec3 impulse = px_scale(s->push[i], s->dt);
        sum += px_dot(led ? px_sub(impulse, s->r[i]) : impulse, s->w[i]);
        sum += px_dot(px_cloth_added(s, i, px_sub(s->added_velocity[i], s->w[i])), s->w[i]);
    }
    for (uint32_t k = 0; s->contacts != NULL && k < s->contacts->count; ++k) {
        const PxClothContact *c = &s->contacts->contact[k];
        if ((c->kind == PX_CLOTH_SEAM && c->body == 0) || c->kind == PX_CLOTH_UNTANGLE)
            sum += px_dot(px_cloth_contact_impulse(s, c), px_cloth_contact_motion(s, c));
    }
    return sum;
}

/* Growth of a body's energy by the impulse and moment of the cloth: from the velocity U - e, e what
 * was expected, to U + D. */
static double body_gain(const PxClothStep *s, const PxClothBody *b)
{
    PxVec3 e = px_scale(b->expected[0], 1 / b->mass), spin, given, turned;
    PxMat3 inverse;
    given = px_mad(b->expected[0], b->change[0], b->mass);
    turned = px_add(b->expected[1], px_mat3_apply(b->inertia, b->change[1]));
    spin = px_mat3_inverse(b->inertia, &inverse) ? px_mat3_apply(inverse, b->expected[1])
                                                 : px_vec(0, 0, 0);
    PxVec3 v = px_mad(b->moving[0], px_sub(b->change[0], e), 0.5);
    PxVec3 w = px_mad(b->moving[1], px_sub(b->change[1], spin), 0.5);
    return px_dot(given, px_mad(v, s->gravity, -s->dt)) + px_dot(turned, w);
}

PxStatus px_cloth_gain(const PxClothStep *s, const PxVec3 *at, const PxVec3 *velocity, double walls,
                       PxClothGain *out)
{
    const PxClothSystem *y = s->system;
    PxArenaMark mark = px_arena_mark(s->scratch);
    Membranes m = {.s = s, .block = PX_ARENA_ARRAY(s->scratch, double, y->faces / BLOCK + 1)};
    if (m.block == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u energies", y->faces);
    double start = membranes_at(&m, s->x), end = membranes_at(&m, at), kinetic = 0, grown = 0;
    for (uint32_t i = 0; i < y->vertices; ++i) {
        double before = 0.5 * s->mass[i] * px_dot(s->v[i], s->v[i]);
        kinetic += before;
        grown += 0.5 * s->mass[i] * px_dot(velocity[i], velocity[i]) - before;
        grown -= s->mass[i] * px_dot(s->gravity, px_sub(at[i], s->x[i]));
    }
    for (uint32_t k = 0; k < y->cloths; ++k)
        grown += px_cloth_gas_energy(y, s->law, k, at) - px_cloth_gas_energy(y, s->law, k, s->x);
    double work = walls + work_on(s), whole = start + kinetic + fabs(work);
    grown += end - start - work;
    for (uint32_t k = 0; s->bodies != NULL && k < s->bodies->count; ++k) {
        double more = body_gain(s, &s->bodies->body[k]);
        whole += fabs(more);
        grown += more;
    }
    *out = (PxClothGain){.whole = whole, .gained = grown};
    px_arena_release(s->scratch, mark);
    return PX_OK;
}

double px_cloth_bend_energy(const PxClothStep *s)
{
    double sum = 0;
    for (uint32_t t = 0; t < s->system->faces; ++t)
        sum += s->face[t].energy - s->face[t].stretch;
    for (uint32_t h = 0; h < s->system->hinges; ++h)
        sum += s->hinge[h].energy;
    return sum;
}
