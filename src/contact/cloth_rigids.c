#include "contact/cloth_rigids.h"

#include "cloth/contact.h"
#include "contact/cloth_places.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#define BLOCK 256u
#define STIFF 40.0 /* stiffness, masses of a vertex over the square of the step */
#define LOADED 4.0 /* the same, shares of the body's mass */
#define PIN 30.0   /* stiffness of a pin: the same of both */
#define SEWN 30.0  /* the same, stiffnesses of the cloth */

typedef struct Job {
    const PxClothWalls *walls;
    PxClothStep *step;
    PxClothContact *found;
    uint32_t most;
    _Atomic uint32_t count;
} Job;

/* ---- bodies ---------------------------------------------------------------------------------- */

static bool may_meet(const PxClothWalls *w, size_t number, const PxClothStep *s)
{
    const PxBoundary *b = w->boundary[number];
    double travel = b->ops->travel(b);
    for (uint32_t i = 0; i < s->system->vertices; ++i) {
        const PxClothLaw *law = &s->law[s->system->of_vertex[i]];
        double reach = law->thickness + 2 * s->system->edge[s->system->of_vertex[i]] +
                       2 * px_length(s->w[i]) * s->dt + 2 * travel;
        if (px_cloth_walls_pins(w, number, i) || !(b->ops->at_least(b, 0, s->x[i]) > reach))
            return true;
    }
    return false;
}

/* Velocity and spin of a rigid boundary in the step, from the velocities around its centre. */
static void motion_of(const PxBoundary *b, PxVec3 moving[2])
{
    PxVec3 c = b->pivot, at[3] = {px_vec(1, 0, 0), px_vec(0, 1, 0), px_vec(0, 0, 1)};
    moving[0] = b->ops->velocity(b, 0, c);
    for (int k = 0; k < 3; ++k) /* spin x e_k */
        at[k] = px_sub(b->ops->velocity(b, 0, px_add(c, at[k])), moving[0]);
    moving[1] = px_scale(px_vec(at[1].z - at[2].y, at[2].x - at[0].z, at[0].y - at[1].x), 0.5);
}

static PxStatus list_bodies(PxClothWalls *w, PxClothStep *s, const PxVec3 (*expected)[2])
{
    PxClothBodies *y = PX_ARENA_ARRAY(s->scratch, PxClothBodies, 1);
    uint32_t *of = PX_ARENA_ARRAY(s->scratch, uint32_t, w->boundaries + 1);
    if (y == NULL || of == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %zu bodies", w->boundaries);
    *y = (PxClothBodies){.count = 0};
    s->bodies = y;
    memset(of, 0, (w->boundaries + 1) * sizeof *of);
    for (size_t k = 0; k < w->boundaries; ++k) {
        const PxBoundary *b = w->boundary[k];
        PxMat3 inertia;
        if (!(b->per_mass > 0) || !px_mat3_inverse(b->per_inertia, &inertia) || !may_meet(w, k, s))
            continue;
        PxClothBody body = {.centre = b->pivot, .mass = 1 / b->per_mass, .inertia = inertia};
        motion_of(b, body.moving);
        if (expected != NULL)
            memcpy(body.expected, expected[k], sizeof expected[k]);
        PX_TRY(px_cloth_bodies_add(s, &body, &of[k]));
    }
    w->body_of = of;
    return PX_OK;
}

/* ---- contacts -------------------------------------------------------------------------------- */

static void add(Job *j, uint32_t i, uint32_t k, double d, PxVec3 normal, PxVec3 velocity)
{
    const PxClothStep *s = j->step;
    const PxBoundary *b = j->walls->boundary[k];
    uint32_t cloth = s->system->of_vertex[i], body = j->walls->body_of[k];
    const PxClothLaw *law = &s->law[cloth];
    uint32_t at = atomic_fetch_add_explicit(&j->count, 1, memory_order_relaxed);
    if (at >= j->most)
        return;
    j->found[at] = (PxClothContact){.kind = PX_CLOTH_BOUNDARY,
                                    .vertex = {i, i, i},
                                    .weight = {1, 0, 0},
                                    .normal = normal,
                                    .gap = d,
                                    .keep = s->keep[i],
                                    .stiff = STIFF * s->mass[i] / (law->step * law->step),
                                    .friction = sqrt(fmax(b->friction * law->friction, 0)),
                                    .velocity = velocity,
                                    .place = s->x[i],
                                    .boundary = k,
                                    .body = body,
                                    .load = -1};
    if (body > 0)
        j->found[at].lever = px_sub(s->x[i], s->bodies->body[body - 1].centre);
}

static void vertex(Job *j, uint32_t i)
{
    const PxClothStep *s = j->step;
    const PxClothWalls *w = j->walls;
    double keep = s->keep[i];
    PxVec3 on;
    uint32_t held = px_cloth_walls_touch(w, i, &on);
    for (uint32_t k = 0; k < w->boundaries; ++k) {
        const PxBoundary *b = w->boundary[k];
        double way =
            (px_length(s->w[i]) + px_length(s->gravity) * s->dt) * s->dt + b->ops->travel(b);
        double reach = 1.5 * keep + way;
        if (px_cloth_walls_pins(w, k, i) ||
            (w->body_of[k] == 0 && (held == UINT32_MAX || held == k || b->per_mass > 0)) ||
            b->ops->at_least(b, 0, s->x[i]) > reach)
            continue;
        PxVec3 normal;
        double d = px_boundary_distance(b, 0, s->x[i], &normal);
        if (d > reach || (w->body_of[k] == 0 && px_dot(on, normal) > PX_CLOTH_FACING))
            continue;
        add(j, i, k, d, normal, b->ops->velocity(b, 0, s->x[i]));
    }
}

static void vertex_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    for (uint32_t i = begin; i < end; ++i)
        vertex(user, i);
}

/* ---- pins ------------------------------------------------------------------------------------ */

/* Ties a vertex to a body: a spring of no length from where the body alone would take it. */
static PxStatus add_pin(const PxClothWalls *w, PxClothStep *s, uint32_t i, uint32_t shared_by)
{
    uint32_t body = w->body_of[w->pin[i] - 1];
    const PxClothBody *o = &s->bodies->body[body - 1];
    const PxClothLaw *law = &s->law[s->system->of_vertex[i]];
    double mass = s->mass[i] + o->mass / shared_by;
    const PxClothContact pin = {.kind = PX_CLOTH_SEAM,
                                .vertex = {i, i, i, i, i},
                                .weight = {1},
                                .stiff = PIN * mass / (law->step * law->step) +
                                         SEWN * fmax(law->c[0], law->c[2]),
                                .velocity = s->target[i],
                                .boundary = w->pin[i] - 1,
                                .body = body,
                                .lever = px_sub(s->x[i], o->centre),
                                .load = -1};
    return px_cloth_contacts_add(s, &pin);
}

static PxStatus add_pins(const PxClothWalls *w, PxClothStep *s)
{
    uint32_t *shared_by = PX_ARENA_ARRAY(s->scratch, uint32_t, w->boundaries + 1);
    if (shared_by == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %zu bodies", w->boundaries);
    memset(shared_by, 0, (w->boundaries + 1) * sizeof *shared_by);
    for (uint32_t i = 0; i < s->system->vertices; ++i)
        ++shared_by[w->pin[i]];
    for (uint32_t i = 0; i < s->system->vertices; ++i)
        if (w->pin[i] > 0 && w->body_of[w->pin[i] - 1] > 0)
            PX_TRY(add_pin(w, s, i, shared_by[w->pin[i]]));
    return PX_OK;
}

PxStatus px_cloth_rigids_begin(PxClothWalls *w, PxClothStep *s, const PxVec3 (*expected)[2])
{
    Job j = {.walls = w, .step = s};
    PX_TRY(list_bodies(w, s, expected));
    if (w->pin != NULL)
        PX_TRY(add_pins(w, s));
    if (s->bodies->count == 0 && w->boundaries < 2)
        return PX_OK;
    for (;;) {
        j.count = 0;
        px_parallel_for(s->threads, s->system->vertices, BLOCK, vertex_block, &j);
        if (j.count <= j.most)
            break;
        j.most = 2 * j.count;
        j.found = PX_ARENA_ARRAY(s->scratch, PxClothContact, j.most);
        if (j.found == NULL)
            return px_fail(PX_ERR_MEMORY, "cloth: no room for %u contacts", j.most);
    }
    for (uint32_t k = 0; k < j.count; ++k)
        PX_TRY(px_cloth_contacts_add(s, &j.found[k]));
    return PX_OK;
}

/* ---- where they lead ------------------------------------------------------------------------- */

static void follow_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *j = user;
    const PxClothStep *s = j->step;
    for (uint32_t n = begin; n < end; ++n) {
        PxClothContact *c = &s->contacts->contact[n];
        if (c->kind != PX_CLOTH_BOUNDARY || c->body == 0 || c->boundary == UINT32_MAX)
            continue;
        PxVec3 way = px_scale(px_cloth_contact_motion(s, c), s->dt), x[3];
        for (int k = 0; k < 3; ++k)
            x[k] = px_mad(s->x[c->vertex[k]], s->w[c->vertex[k]], s->dt);
        PxClothPlace place = {.keep = c->keep};
        memcpy(place.weight, c->weight, sizeof place.weight);
        c->gap =
            px_cloth_gap(j->walls->boundary[c->boundary], &place, x, c->place, way, &c->normal);
    }
}

void px_cloth_rigids_follow(const PxClothWalls *w, PxClothStep *s)
{
    Job j = {.walls = w, .step = s};
    if (s->bodies != NULL && s->bodies->count > 0)
        px_parallel_for(s->threads, s->contacts->count, BLOCK, follow_block, &j);
}

void px_cloth_rigids_stiffen(PxClothStep *s)
{
    PxClothContacts *c = s->contacts;
    const PxClothBodies *y = s->bodies;
    if (y == NULL || y->count == 0 || y->first == NULL)
        return;
    for (uint32_t n = 0; n < y->count; ++n) {
        uint32_t near = 0;
        for (uint32_t k = y->first[n]; k < y->first[n + 1]; ++k) {
            const PxClothContact *one = &c->contact[y->use[k]];
            near += one->gap < 1.5 * one->keep;
        }
        for (uint32_t k = y->first[n]; k < y->first[n + 1] && !y->body[n].point; ++k) {
            PxClothContact *one = &c->contact[y->use[k]];
            double step = s->law[s->system->of_vertex[one->vertex[0]]].step;
            double share = LOADED * y->body[n].mass / (near > 0 ? near : 1);
            one->stiff = fmax(one->stiff, share / (step * step));
        }
    }
}
