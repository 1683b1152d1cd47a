#include "contact/cloth_edges.h"

#include "cloth/bodies.h"
#include "cloth/contact.h"
#include "contact/cloth_places.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX
#define TOUCH 1.5  /* distance below which a place at the start becomes a contact, of that kept */
#define LOST 0.2   /* the same at the end, where another contact is needed */
#define DEEP -0.3  /* the same after the rounds of a solve, where a contact must push harder */
#define CLEAR 0.1  /* distance to which places are moved out at last, the same */
#define SAME 0.05  /* weights and normals of the same contact differ by less */
#define STIFF 40.0 /* stiffness, masses of a vertex over the square of the step */
#define HARDER 4.0 /* factor by which a contact that gives way is stiffened */
#define PASSES 6   /* over all places that are moved out */
#define SWEEPS 4   /* over the places of a boundary in a pass */

/* Memory of the searches of a step. */
struct PxClothEdges {
    PxVec3 *end; /* of vertices */
    uint8_t *uneven;
    PxClothSearch search;
};

/* The velocity at which a body yields at a place. */
static PxVec3 yield_of(const PxClothStep *s, uint32_t body, PxVec3 place)
{
    const PxClothBody *b = &s->bodies->body[body - 1];
    return px_cloth_body_motion(b, px_sub(place, b->centre));
}

static double gap_at_end(const PxClothStep *s, const PxClothContact *c)
{
    return c->gap + s->dt * px_dot(px_cloth_contact_motion(s, c), c->normal);
}

/* A place, and what it does in the step. */
typedef struct Touch {
    const PxClothPlace *place;
    uint32_t boundary;
    PxVec3 from, way; /* at the start, and relative to the boundary */
    PxVec3 velocity;  /* of the boundary */
    PxVec3 normal;
    double gap;   /* at the start, along the normal */
    double depth; /* in the boundary at the start; the gap counts from there */
} Touch;

static PxClothContact contact_of(const PxClothWalls *walls, const PxClothStep *s, const Touch *t)
{
    const PxClothPlace *p = t->place;
    const PxClothLaw *law = &s->law[p->cloth];
    double edge = s->system->edge[p->cloth];
    double friction = walls->boundary[t->boundary]->friction * law->friction;
    PxClothContact c = {.kind = PX_CLOTH_BOUNDARY,
                        .normal = t->normal,
                        .gap = t->gap,
                        .keep = p->keep,
                        .stiff = STIFF * law->mass * edge * edge / (law->step * law->step),
                        .friction = sqrt(fmax(friction, 0)),
                        .velocity = t->velocity,
                        .place = t->from,
                        .boundary = t->boundary,
                        .body = walls->body_of[t->boundary],
                        .load = -1};
    memcpy(c.vertex, p->corner, sizeof p->corner);
    memcpy(c.weight, p->weight, sizeof p->weight);
    if (c.body > 0)
        c.lever = px_sub(t->from, s->bodies->body[c.body - 1].centre);
    return c;
}

/* Is a place of cloth pierced? The boundary then reaches out of the other side. */
static bool is_cut(const PxClothContact *c)
{
    return c->gap < -c->keep;
}

/* ---- the start ------------------------------------------------------------------------------- */

static PxStatus begin_search(PxClothWalls *walls, PxClothStep *s)
{
    uint32_t n = s->system->vertices;
    struct PxClothEdges *e = PX_ARENA_ARRAY(s->scratch, struct PxClothEdges, 1);
    walls->close = PX_ARENA_ARRAY(s->scratch, uint32_t, walls->boundaries + 1);
    if (e == NULL || walls->close == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %zu boundaries", walls->boundaries);
    memset(e, 0, sizeof *e);
    e->end = PX_ARENA_ARRAY(s->scratch, PxVec3, n + 1);
    e->search.step = s;
    e->search.near = PX_ARENA_ARRAY(s->scratch, PxClothNear, n + 1);
    e->uneven = PX_ARENA_ARRAY(s->scratch, uint8_t, s->system->faces + 1);
    if (e->end == NULL || e->search.near == NULL || e->uneven == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u places", n);
    memset(e->uneven, 0, s->system->faces);
    walls->edges = e;
    return PX_OK;
}

/* Are all corners of a place tied to the body of the boundary? */
static bool is_pinned(const PxClothWalls *walls, uint32_t boundary, const PxClothPlace *p)
{
    for (int k = 0; k < 3; ++k)
        if (p->weight[k] > 0 && !px_cloth_walls_pins(walls, boundary, p->corner[k]))
            return false;
    return true;
}

static PxStatus search(PxClothWalls *walls, uint32_t boundary, const PxVec3 *x, double reach,
                       bool several)
{
    PxClothSearch *f = &walls->edges->search;
    f->boundary = walls->boundary[boundary];
    f->yields = walls->body_of[boundary] > 0;
    f->x = x;
    f->before = x == f->step->x;
    f->when = f->before ? 0 : 1;
    f->reach = reach;
    f->uneven = several ? walls->edges->uneven : NULL;
    return px_cloth_places_find(f);
}

PxStatus px_cloth_edges_begin(PxClothWalls *walls, PxClothStep *s)
{
    PX_TRY(begin_search(walls, s));
    const PxClothSearch *f = &walls->edges->search;
    for (uint32_t k = 0; k < walls->boundaries; ++k) {
        const PxBoundary *b = walls->boundary[k];
        PX_TRY(search(walls, k, s->x, TOUCH, true));
        walls->close[k] = f->close;
        for (uint32_t n = 0; n < f->count; ++n) {
            const PxClothPlace *p = &f->found[n];
            const PxVec3 x[3] = {s->x[p->corner[0]], s->x[p->corner[1]], s->x[p->corner[2]]};
            Touch t = {.place = p, .boundary = k, .normal = p->normal, .gap = p->distance};
            t.from = px_cloth_mean(s->x, p->corner, p->weight);
            t.velocity = b->ops->velocity(b, 0, t.from);
            t.way = px_sub(px_cloth_mean(s->w, p->corner, p->weight), t.velocity);
            px_cloth_square(p->weight, x, &t.normal, &t.gap);
            if (t.gap + s->dt * fmin(px_dot(t.way, t.normal), 0) > TOUCH * p->keep ||
                is_pinned(walls, k, p))
                continue;
            PxClothContact c = contact_of(walls, s, &t);
            walls->cut += is_cut(&c);
            walls->deepest = fmax(walls->deepest, -c.gap / c.keep);
            c.gap = fmax(c.gap, 0);
            PX_TRY(px_cloth_contacts_add(s, &c));
        }
    }
    for (uint32_t i = 0; i < s->system->vertices; ++i)
        if (s->in_contact[i]) /* contact is a kink */
            px_cloth_restart(s, i);
    return px_cloth_contacts_sort(s);
}

/* ---- the end of the motion w ------------------------------------------------------------------
 */

/* Is a vertex moved by a handle? */
static bool is_held(const PxClothStep *s, uint32_t i)
{
    return s->handle != NULL && s->handle[i] != 0;
}

/* Does a handle move a corner of the place into the boundary? Then nothing helps. */
static bool is_forced(const PxClothSearch *f, const PxClothPlace *p)
{
    for (int k = 0; k < 3; ++k)
        if (p->weight[k] > 0 && is_held(f->step, p->corner[k]) &&
            f->near[p->corner[k]].distance < 0)
            return true;
    return false;
}

/* The contact that there is at the place, which is among the first `count`: these are sorted by
 * vertices. `fails`: of those only that the motion leads too near to the boundary. NONE: none. */
static uint32_t known(const PxClothStep *s, uint32_t count, const Touch *t, bool fails)
{
    const PxClothContacts *c = s->contacts;
    uint32_t low = 0, high = count;
    PxClothContact key = {.kind = PX_CLOTH_BOUNDARY};
    memcpy(key.vertex, t->place->corner, sizeof t->place->corner);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (px_cloth_contact_compare(&c->contact[middle], &key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < count; ++low) {
        const PxClothContact *own = &c->contact[low];
        const double *w = t->place->weight;
        if (own->kind != PX_CLOTH_BOUNDARY ||
            memcmp(own->vertex, key.vertex, sizeof key.vertex) != 0)
            return NONE;
        double off = fmax(fabs(own->weight[0] - w[0]), fabs(own->weight[1] - w[1]));
        if (own->boundary == t->boundary && off < SAME &&
            px_dot(own->normal, t->normal) > 1 - SAME &&
            !(fails && gap_at_end(s, own) > LOST * own->keep))
            return low;
    }
    return NONE;
}

/* The motion of a place that ends at end[] relative to where the boundary would be; `last`: the
 * gap is that of the end if the way to it says that nothing happens. */
static Touch follow(const PxClothWalls *walls, const PxClothStep *s, uint32_t boundary,
                    const PxClothPlace *p, bool last)
{
    const PxBoundary *b = walls->boundary[boundary];
    const PxVec3 *end = walls->edges->end;
    const PxVec3 x[3] = {end[p->corner[0]], end[p->corner[1]], end[p->corner[2]]};
    Touch t = {.place = p, .boundary = boundary};
    t.from = px_cloth_mean(s->x, p->corner, p->weight);
    t.velocity = b->ops->velocity(b, 0, t.from);
    PxVec3 u = px_sub(px_cloth_mean(s->w, p->corner, p->weight), t.velocity);
    if (walls->body_of[boundary] > 0)
        u = px_sub(u, yield_of(s, walls->body_of[boundary], t.from));
    t.way = px_scale(u, s->dt);
    /* at the end, the nearest place may be on the other side of something thin */
    t.gap = px_cloth_gap(b, p, x, t.from, t.way, &t.normal);
    if (last && t.gap + px_dot(t.way, t.normal) > LOST * p->keep) {
        PxVec3 normal = p->normal;
        double distance = p->distance;
        px_cloth_square(p->weight, x, &normal, &distance);
        if (px_dot(normal, t.normal) > 0) {
            t.normal = normal;
            t.gap = distance - px_dot(t.way, normal);
        }
    }
    PxVec3 side;
    double start = px_boundary_distance(b, 0, t.from, &side);
    bool behind = start > 0 && t.gap < -p->keep; /* it would have to come around an edge */
    if (behind || (start < p->keep && px_dot(side, t.normal) < 0)) { /* it stays on its side */
        t.normal = side;
        t.gap = start;
    }
    t.depth = fmax(-start, 0);
    t.gap += t.depth;
    return t;
}

static PxStatus look_at_end(PxClothWalls *walls, PxClothStep *s, uint32_t boundary, bool last,
                            uint32_t *found)
{
    const PxClothSearch *f = &walls->edges->search;
    uint32_t body = walls->body_of[boundary];
    double near = last ? DEEP : LOST;
    for (uint32_t i = 0; i < s->system->vertices; ++i) { /* relative to where the body would be */
        PxVec3 w = body == 0 ? s->w[i] : px_sub(s->w[i], yield_of(s, body, s->x[i]));
        walls->edges->end[i] = px_mad(s->x[i], w, s->dt);
    }
    PX_TRY(px_cloth_contacts_sort(s)); /* for known() */
    PX_TRY(search(walls, boundary, walls->edges->end, near, last));
    uint32_t first = s->contacts->count;
    for (uint32_t n = 0; n < f->count; ++n) {
        const PxClothPlace *p = &f->found[n];
        if (!(p->distance < near * p->keep) || (last && is_forced(f, p)) ||
            is_pinned(walls, boundary, p))
            continue;
        Touch t = follow(walls, s, boundary, p, last);
        if (!(p->distance + t.depth < near * p->keep))
            continue;
        uint32_t old = known(s, first, &t, last);
        if (old != NONE && !last)
            continue;
        if (old != NONE) {
            px_cloth_contact_harden(&s->contacts->contact[old], HARDER);
        } else {
            PxClothContact c = contact_of(walls, s, &t);
            c.keep = fmax(fmin(c.keep, c.gap), CLEAR * c.keep); /* it only brakes */
            PX_TRY(px_cloth_contacts_add(s, &c));
        }
        ++*found;
    }
    px_cloth_contacts_stiffen(s, first);
    return PX_OK;
}

static PxStatus look_again(PxClothWalls *walls, PxClothStep *s, bool last, uint32_t *found)
{
    *found = 0;
    for (uint32_t k = 0; k < walls->boundaries; ++k)
        if (walls->close[k] > 0)
            PX_TRY(look_at_end(walls, s, k, last, found));
    return PX_OK;
}

PxStatus px_cloth_edges_again(PxClothWalls *walls, PxClothStep *s, uint32_t *found)
{
    return look_again(walls, s, false, found);
}

PxStatus px_cloth_edges_harden(PxClothWalls *walls, PxClothStep *s, uint32_t *found)
{
    return look_again(walls, s, true, found);
}

/* ---- the end of the step ----------------------------------------------------------------------
 */

void px_cloth_edges_end(PxClothWalls *walls, const PxClothStep *s)
{
    for (uint32_t k = 0; k < s->contacts->count; ++k) {
        const PxClothContact *c = &s->contacts->contact[k];
        if (c->kind != PX_CLOTH_BOUNDARY)
            continue;
        PxVec3 impulse = px_cloth_contact_impulse(s, c);
        walls->touching += px_dot(impulse, c->normal) > 0;
        if (c->body == 0)
            px_boundary_take(walls->boundary[c->boundary],
                             (PxImpulse){c->place, px_scale(impulse, -1)});
    }
}

/* Moves a place out of a boundary by the least motion of its vertices, and takes their velocity
 * towards it away. */
static void move_out(PxClothWalls *walls, PxClothStep *s, uint32_t boundary, const PxClothPlace *p)
{
    PxBoundary *b = walls->boundary[boundary];
    const uint32_t *c = p->corner;
    PxVec3 *at = walls->at, place = px_cloth_mean(at, c, p->weight), normal;
    double d = px_boundary_distance(b, 1, place, &normal), squares = 0, yield = 0;
    if (!(d < CLEAR * p->keep))
        return;
    px_cloth_square(p->weight, (PxVec3[3]){at[c[0]], at[c[1]], at[c[2]]}, &normal, &d);
    for (int k = 0; k < 3; ++k) {
        double w = is_held(s, c[k]) ? 0 : p->weight[k];
        squares += w * w;
        yield += w * w / s->mass[c[k]];
    }
    if (!(squares > 0))
        return;
    PxVec3 v = px_cloth_mean(s->w, c, p->weight);
    double toward = fmin(px_dot(px_sub(v, b->ops->velocity(b, 1, place)), normal), 0);
    double out = (CLEAR * p->keep - d) / squares, push = -toward / yield;
    for (int k = 0; k < 3; ++k) {
        uint32_t i = c[k];
        if (is_held(s, i))
            continue;
        at[i] = px_mad(at[i], normal, out * p->weight[k]);
        s->w[i] = px_mad(s->w[i], normal, push * p->weight[k] / s->mass[i]);
    }
    px_boundary_take(b, (PxImpulse){place, px_scale(normal, -push)});
}

static int compare_places(const void *a, const void *b)
{
    const PxClothPlace *x = a, *y = b;
    int order = 0;
    for (int k = 0; order == 0 && k < 3; ++k)
        order = (x->corner[k] > y->corner[k]) - (x->corner[k] < y->corner[k]);
    for (int k = 0; order == 0 && k < 3; ++k)
        order = (x->weight[k] > y->weight[k]) - (x->weight[k] < y->weight[k]);
    return order;
}

static PxStatus move_all_out(PxClothWalls *walls, PxClothStep *s, uint32_t boundary, bool *moved)
{
    PxClothSearch *f = &walls->edges->search;
    PX_TRY(search(walls, boundary, walls->at, DEEP, true));
    if (f->count == 0)
        return PX_OK;
    qsort(f->found, f->count, sizeof *f->found, compare_places);
    for (int sweep = 0; sweep < SWEEPS; ++sweep)
        for (uint32_t n = 0; n < f->count; ++n)
            if (f->found[n].distance < DEEP * f->found[n].keep && !is_forced(f, &f->found[n])) {
                move_out(walls, s, boundary, &f->found[n]);
                *moved = true;
            }
    return PX_OK;
}

PxStatus px_cloth_edges_deepest(PxClothWalls *walls, double *deepest)
{
    const PxClothSearch *f = &walls->edges->search;
    *deepest = 0;
    for (uint32_t k = 0; k < walls->boundaries; ++k) {
        if (walls->close[k] == 0)
            continue;
        PX_TRY(search(walls, k, walls->at, DEEP, true));
        for (uint32_t n = 0; n < f->count; ++n)
            if (!is_forced(f, &f->found[n]))
                *deepest = fmax(*deepest, -f->found[n].distance / f->found[n].keep);
    }
    return PX_OK;
}

PxStatus px_cloth_edges_repair(PxClothWalls *walls, PxClothStep *s, bool *moved, bool *left)
{
    bool more = true;
    *moved = false;
    for (int pass = 0; pass < PASSES && more; ++pass) {
        more = false;
        for (uint32_t k = 0; k < walls->boundaries; ++k)
            if (walls->close[k] > 0)
                PX_TRY(move_all_out(walls, s, k, &more));
        *moved = *moved || more;
    }
    *left = more;
    return PX_OK;
}
