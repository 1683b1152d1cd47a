#include "cloth/newton.h"

#include "cloth/bodies.h"
#include "cloth/contact.h"
#include "cloth/gas.h"

#include <math.h>
#include <string.h>

#define BLOCK 512u
#define MATTERS 0.01 /* part of the kinetic and elastic energy */
#define FALLS 0.05   /* what a step makes least fell by so much: the same */
#define LEAST 0.05   /* of the way to the solution of a solve */
#define TURNED 0.2   /* the same of an angle between triangles, rad */
#define SMALL 0.02   /* change of a deformation gradient below which forces are linear in it */

/* ---- when ------------------------------------------------------------------------------------ */

typedef struct Energy {
    double whole, missed; /* J; of a block, or of a piece of cloth */
} Energy;

typedef struct Look {
    const PxClothStep *s;
    Energy *block; /* of faces */
    double *bend;  /* missed energy of hinges */
} Look;

/* The motion since forces were taken, over dt. */
static PxVec3 since(const PxClothStep *s, uint32_t i)
{
    return s->tangent == NULL ? s->w[i] : px_sub(s->w[i], s->tangent[i]);
}

/* Energy of a triangle at the end of the motion beyond that of the quadratic function which the
 * solve has made least, J. */
static double missed(const PxClothStep *s, uint32_t t)
{
    const PxClothFace *face = &s->system->face[t];
    const PxClothFaceState *from = &s->face[t];
    const uint32_t *c = face->corner;
    const double(*d)[2] = face->inverse;
    PxVec3 w0 = since(s, c[0]), w1 = px_sub(since(s, c[1]), w0), w2 = px_sub(since(s, c[2]), w0);
    PxVec3 change[2], stress[2], x[3];
    for (int k = 0; k < 2; ++k)
        change[k] = px_scale(px_mad(px_scale(w1, d[0][k]), w2, d[1][k]), s->dt);
    if (px_dot(change[0], change[0]) + px_dot(change[1], change[1]) < SMALL * SMALL)
        return 0;
    PxClothLaw wet;
    PxClothFaceState end;
    const PxClothLaw *law = px_cloth_law_at(s, s->system->of_face[t], c, 3, &wet);
    for (int k = 0; k < 3; ++k)
        x[k] = px_mad(s->x[c[k]], s->w[c[k]], s->dt);
    px_cloth_membrane(law, face, x, &end);
    px_cloth_stress_rate(law, from, change, stress);
    double work = 0;
    for (int k = 0; k < 2; ++k)
        work += px_dot(change[k], px_mad(from->force[k], stress[k], 0.5));
    return fmax(end.stretch - from->stretch - face->area * work, 0);
}

/* The same of a hinge. */
static double missed_bend(const PxClothStep *s, uint32_t t)
{
    const PxClothHinge *h = &s->system->hinge[t];
    const PxClothHingeState *from = &s->hinge[t];
    const PxClothLaw *law = &s->law[s->system->of_hinge[t]];
    PxVec3 x[4], first = since(s, h->corner[0]);
    double turn = 0;
    if (law->bending == PX_CLOTH_LINEAR)
        return 0;
    for (int k = 1; k < 4; ++k)
        turn += s->dt * px_dot(px_sub(since(s, h->corner[k]), first), from->slope[k]);
    if (fabs(turn) < TURNED)
        return 0;
    for (int k = 0; k < 4; ++k)
        x[k] = px_mad(s->x[h->corner[k]], s->w[h->corner[k]], s->dt);
    PxClothHingeState end;
    px_cloth_hinge_at(s, t, x, &end);
    double model = turn * (from->moment + 0.5 * from->stiff * turn);
    if (law->bending != PX_CLOTH_PLATE)
        return fmax(end.energy - from->energy - model, 0);
    double turned = end.angle - from->angle;
    return fmax(turned * (from->moment + 0.5 * from->stiff * turned) - model, 0);
}

static void bend_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Look *look = user;
    double sum = 0;
    for (uint32_t t = begin; t < end; ++t)
        sum += missed_bend(look->s, t);
    look->bend[begin / BLOCK] = sum;
}

static void look_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Look *look = user;
    const PxClothStep *s = look->s;
    Energy sum = {0};
    for (uint32_t t = begin; t < end; ++t) {
        const PxClothFace *face = &s->system->face[t];
        const PxClothLaw *law = &s->law[s->system->of_face[t]];
        PxVec3 w = s->w[face->corner[0]], v = s->v[face->corner[0]];
        sum.missed += missed(s, t);
        double kinetic = 0.5 * face->area * law->mass * (px_dot(w, w) + px_dot(v, v));
        /* the energy at the end of a step that overshoots must not count */
        sum.whole += kinetic + (s->tangent == NULL ? s->face[t].energy : 0);
    }
    look->block[begin / BLOCK] = sum;
}

PxStatus px_cloth_newton_done(PxClothStep *s, bool *done)
{
    const PxClothSystem *y = s->system;
    PxArenaMark mark = px_arena_mark(s->scratch);
    Look look = {s, PX_ARENA_ARRAY(s->scratch, Energy, y->faces / BLOCK + 1),
                 PX_ARENA_ARRAY(s->scratch, double, y->hinges / BLOCK + 1)};
    Energy *of = PX_ARENA_ARRAY(s->scratch, Energy, y->cloths + 1);
    if (look.block == NULL || look.bend == NULL || of == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u energies", y->cloths);
    px_parallel_for(s->threads, y->faces, BLOCK, look_block, &look);
    px_parallel_for(s->threads, y->hinges, BLOCK, bend_block, &look);
    memset(of, 0, (y->cloths + 1) * sizeof *of);
    for (uint32_t t = 0; t < y->faces; t += BLOCK) { /* a block counts for its first piece */
        of[y->of_face[t]].whole += look.block[t / BLOCK].whole;
        of[y->of_face[t]].missed += look.block[t / BLOCK].missed;
    }
    for (uint32_t t = 0; t < y->hinges; t += BLOCK)
        of[y->of_hinge[t]].missed += look.bend[t / BLOCK];
    double whole = 0;
    *done = true;
    for (uint32_t k = 0; k < y->cloths; ++k) {
        *done = *done && !(of[k].missed > MATTERS * of[k].whole);
        whole += of[k].whole;
    }
    *done = *done && !(s->fell > FALLS * whole);
    px_arena_release(s->scratch, mark);
    return PX_OK;
}

/* ---- the next solve -------------------------------------------------------------------------- */

static uint32_t bodies_of(const PxClothStep *s)
{
    return s->bodies != NULL ? s->bodies->count : 0;
}

PxStatus px_cloth_newton_again(PxClothStep *s)
{
    uint32_t n = s->system->vertices;
    PxVec3 *x = s->x;
    if (s->tangent == NULL)
        s->tangent = PX_ARENA_ARRAY(s->scratch, PxVec3, n + 1);
    PxArenaMark mark = px_arena_mark(s->scratch);
    PxVec3 *end = PX_ARENA_ARRAY(s->scratch, PxVec3, n + 1);
    if (end == NULL || s->tangent == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u vertices", n);
    for (uint32_t i = 0; i < n; ++i) {
        s->tangent[i] = s->w[i];
        end[i] = px_mad(x[i], s->w[i], s->dt);
    }
    for (uint32_t k = 0; k < bodies_of(s); ++k)
        memcpy(s->bodies->body[k].from, s->bodies->body[k].change, sizeof(PxVec3[2]));
    s->x = end;
    px_cloth_evaluate(s);
    s->x = x;
    s->again = false;
    px_cloth_assemble(s);
    px_cloth_gas_forget(s);
    px_arena_release(s->scratch, mark);
    return PX_OK;
}

/* ---- how far to go --------------------------------------------------------------------------- */

typedef struct Merit {
    const PxClothStep *s;
    double *block;
} Merit;

static void face_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Merit *m = user;
    const PxClothStep *s = m->s;
    double sum = 0;
    for (uint32_t t = begin; t < end; ++t) {
        const uint32_t *c = s->system->face[t].corner;
        PxVec3 x[3];
        PxClothLaw wet;
        PxClothFaceState state;
        for (int k = 0; k < 3; ++k)
            x[k] = px_mad(s->x[c[k]], s->w[c[k]], s->dt);
        px_cloth_membrane(px_cloth_law_at(s, s->system->of_face[t], c, 3, &wet),
                          &s->system->face[t], x, &state);
        sum += state.stretch;
    }
    m->block[begin / BLOCK] = sum;
}

/* What a step of implicit Euler makes least: the energy at its end and that of the changes of
 * velocities, 1/2 sum m |w - u|^2. Bending, which is weak, does not count. */
static double merit(Merit *m)
{
    const PxClothStep *s = m->s;
    double sum = px_cloth_contacts_energy(s) + px_cloth_gas_energy_then(s);
    px_parallel_for(s->threads, s->system->faces, BLOCK, face_block, m);
    for (uint32_t t = 0; t < s->system->faces; t += BLOCK)
        sum += m->block[t / BLOCK];
    for (uint32_t i = 0; i < s->system->vertices; ++i) {
        PxVec3 d = px_sub(s->w[i], s->u[i]);
        PxVec3 e = px_sub(s->w[i], s->added_velocity[i]);
        sum += 0.5 * s->mass[i] * s->inertia[i] * px_dot(d, d) - s->dt * px_dot(s->push[i], d);
        sum += 0.5 * px_dot(e, px_cloth_added(s, i, e));
        sum += 0.5 * px_dot(px_cloth_friction(s, i, s->w[i]), px_sub(s->target[i], s->w[i]));
    }
    for (uint32_t k = 0; k < bodies_of(s); ++k) {
        const PxClothBody *o = &s->bodies->body[k];
        PxVec3 spin = px_mat3_apply(o->inertia, o->change[1]);
        sum += 0.5 * (o->mass * px_dot(o->change[0], o->change[0]) + px_dot(o->change[1], spin));
        sum += px_dot(o->expected[0], o->change[0]) + px_dot(o->expected[1], o->change[1]);
    }
    return sum;
}

/* Goes a part of the way from where forces were taken to the solution w. */
static void go(PxClothStep *s, const PxVec3 *w, const PxVec3 *change, double part)
{
    for (uint32_t i = 0; i < s->system->vertices; ++i)
        s->w[i] = px_cloth_obey(s, i, px_mad(s->tangent[i], px_sub(w[i], s->tangent[i]), part));
    for (uint32_t k = 0; k < bodies_of(s); ++k) {
        PxClothBody *o = &s->bodies->body[k];
        for (int c = 0; c < 2; ++c)
            o->change[c] =
                px_mad(o->from[c], px_sub(change[2 * (size_t)k + (size_t)c], o->from[c]), part);
    }
}

PxStatus px_cloth_newton_search(PxClothStep *s)
{
    uint32_t n = s->system->vertices, bodies = bodies_of(s);
    PxArenaMark mark = px_arena_mark(s->scratch);
    PxVec3 *w = PX_ARENA_ARRAY(s->scratch, PxVec3, n + 1);
    PxVec3 *change = PX_ARENA_ARRAY(s->scratch, PxVec3, 2 * (size_t)bodies + 1);
    Merit m = {s, PX_ARENA_ARRAY(s->scratch, double, s->system->faces / BLOCK + 1)};
    if (w == NULL || change == NULL || m.block == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u vertices", n);
    memcpy(w, s->w, n * sizeof *w);
    for (uint32_t k = 0; k < bodies; ++k)
        memcpy(change + 2 * (size_t)k, s->bodies->body[k].change, sizeof(PxVec3[2]));
    double now = merit(&m), part = 1;
    go(s, w, change, 0); /* with the holds of now, which may be others than before the solve */
    double before = merit(&m);
    while (now > before && part > LEAST) {
        part *= 0.5;
        go(s, w, change, part);
        now = merit(&m);
    }
    go(s, w, change, part);
    s->fell = before - now;
    px_arena_release(s->scratch, mark);
    return PX_OK;
}
