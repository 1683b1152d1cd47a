#include "contact/cloth_edges.h"

#include "cloth/bodies.h"
#include "cloth/contact.h"
#include "contact/cloth_rigids.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#define BLOCK 256u
#define LOST 0.2    /* distance at the end at which another contact is needed, the same */
#define SAME 0.05   /* weights and normals of the same contact differ by less */
#define RIDGE 0.25  /* height of a ridge that is let be, distances that are kept */
#define SECTIONS 14 /* of an edge at most */
#define EXACT 0.02  /* error of the least distance, distances that are kept */
#define FINE 1e-3   /* the same with a tilt: of the place, parts of the line; tilts */
#define PASSES 6    /* over a triangle */
#define TILT 0.1    /* of edges, distances that are kept */
#define INSIDE 0.05 /* by so much a place inside is nearer than those of the edges, the same */
#define ROOM 512u   /* contacts at first, besides one for every eight vertices */
#define STIFF 40.0  /* stiffness, masses of a vertex over the square of the step */

/* Distance of a vertex to the boundary that is looked at. */
typedef struct Near {
    double distance; /* INFINITY: far */
    PxVec3 normal;
} Near;

typedef struct Job {
    const PxClothWalls *walls;
    PxClothStep *step;
    const PxBoundary *boundary;
    uint32_t number; /* of the boundary */
    const PxVec3 *x; /* places of vertices, */
    double when;     /* and the part of the step: 0 its start, 1 its end */
    bool again;      /* at the end: only what the contacts that there are do not keep */
    Near *near;
    PxClothContact *found;
    uint32_t most;
    _Atomic uint32_t count, close;
} Job;

/* Distance that the point of a triangle with these barycentric weights keeps. */
static double keep_of(const PxClothStep *s, const uint32_t c[3], const double w[3])
{
    return s->keep[c[0]] * w[0] + s->keep[c[1]] * w[1] + s->keep[c[2]] * w[2];
}

/* By so much a vertex and the boundary may approach each other from the places on. */
static double travel_of(const Job *j, uint32_t i)
{
    const PxBoundary *b = j->boundary;
    return j->again ? 0 : px_length(j->step->w[i]) * j->step->dt + b->ops->travel(b);
}

/* Places that come nearer than this become contacts, distances that are kept. */
static double reach_of(const Job *j)
{
    return j->again ? LOST : 1.5;
}

static void near_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    Job *j = user;
    const PxClothStep *s = j->step;
    uint32_t close = 0;
    for (uint32_t i = begin; i < end; ++i) {
        const PxBoundary *b = j->boundary;
        uint32_t cloth = s->system->of_vertex[i];
        double reach = s->keep[i] + 2 * s->system->edge[cloth] + travel_of(j, i);
        j->near[i].distance = INFINITY;
        if (b->ops->at_least(b, j->when, j->x[i]) > reach)
            continue;
        double d = px_boundary_near(b, j->when, j->x[i], reach, &j->near[i].normal);
        if (!(d < reach))
            continue;
        j->near[i].distance = d;
        ++close;
    }
    j->close += close;
}

/* A line from a place of the cloth to another one. */
typedef struct Line {
    const Job *job;
    PxVec3 from, way;
    double tilt;
    double exact;  /* error of the least distance, m */
    double enough; /* larger distances do not matter */
} Line;

/* Distance at a part of the line less `tilt` times the part, and its slope. */
static double height(const Line *l, double part, const Near *near, double *slope)
{
    *slope = px_dot(near->normal, l->way) - l->tilt;
    return near->distance - l->tilt * part;
}

static Near near_at(const Job *j, PxVec3 place, double within)
{
    Near near;
    near.distance = px_boundary_near(j->boundary, j->when, place, within, &near.normal);
    return near;
}

/* The part of a line at which the distance is least, less the tilt; *near is the distance there,
 * and before that the one at the start. Tangents at both ends of the bracket meet at the next
 * trial: where the distance is convex, as beside a convex body, it is not below them, and one that
 * reaches them is the least.
 * Where an edge of cloth lies flat on a boundary and reaches over its edge, the distance is the
 * same up to that edge; `tilt`, which is below 0 if the start is further than the end, then finds
 * the edge itself. */
static double lowest(const Line *l, const Near *end, Near *near)
{
    double low = 0, high = 1, down, up, at_low = height(l, 0, near, &down);
    double at_high = height(l, 1, end, &up), best = 0, least = at_low, length = px_length(l->way);
    if (down >= 0)
        return 0;
    if (at_high < at_low || up <= 0) {
        best = 1;
        least = at_high;
        *near = *end;
    }
    for (int n = 0; n < SECTIONS && up > 0 && high - low > 1e-3; ++n) {
        double slope, wide = high - low;
        double part = low + (at_high - at_low - up * wide) / (down - up);
        double bound = at_low + down * (part - low);
        if (bound + l->tilt * part > l->enough)
            break;
        part = fmin(fmax(part, low + 0.02 * wide), high - 0.02 * wide);
        /* distances change by no more than places do */
        double within = fmin(at_low + l->tilt * low + (part - low) * length,
                             at_high + l->tilt * high + (high - part) * length);
        Near trial = near_at(l->job, px_mad(l->from, l->way, part), 1.001 * within + 1e-9);
        double at = height(l, part, &trial, &slope);
        if (at < least) {
            least = at;
            best = part;
            *near = trial;
        }
        if (at - bound < l->exact)
            break;
        if (slope < 0) {
            low = part;
            at_low = at;
            down = slope;
        } else {
            high = part;
            at_high = at;
            up = slope;
        }
    }
    return best;
}

static PxVec3 mean_of(const PxVec3 *x, const uint32_t c[3], const double w[3])
{
    return px_mad(px_mad(px_scale(x[c[0]], w[0]), x[c[1]], w[1]), x[c[2]], w[2]);
}

/* The velocity at which a body yields at a place. */
static PxVec3 yield_of(const PxClothStep *s, uint32_t body, PxVec3 place)
{
    const PxClothBody *b = &s->bodies->body[body - 1];
    return px_cloth_body_motion(b, px_sub(place, b->centre));
}

/* Is there a contact at that place already? Contacts are sorted by vertices. */
static bool is_known(const Job *j, const uint32_t corner[3], const double w[3], PxVec3 normal)
{
    const PxClothContacts *c = j->step->contacts;
    uint32_t low = 0, high = c->count;
    PxClothContact key = {.kind = PX_CLOTH_BOUNDARY, .vertex = {corner[0], corner[1], corner[2]}};
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (px_cloth_contact_compare(&c->contact[middle], &key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < c->count; ++low) {
        const PxClothContact *own = &c->contact[low];
        if (own->kind != PX_CLOTH_BOUNDARY ||
            memcmp(own->vertex, key.vertex, sizeof key.vertex) != 0)
            return false;
        double off = fmax(fabs(own->weight[0] - w[0]), fabs(own->weight[1] - w[1]));
        if (own->boundary == j->number && off < SAME && px_dot(own->normal, normal) > 1 - SAME)
            return true;
    }
    return false;
}

/* Adds a contact at the point of a triangle with these barycentric weights, if it comes nearer to
 * the boundary in this step than 1.5 times the distance that is to be kept. */
static void add(Job *j, const uint32_t corner[3], const double w[3], double within, uint32_t cloth)
{
    PxClothStep *s = j->step;
    const PxBoundary *b = j->boundary;
    PxVec3 x = mean_of(j->x, corner, w), v = mean_of(s->w, corner, w), normal;
    double keep = keep_of(s, corner, w), d = px_boundary_near(b, j->when, x, within, &normal);
    if (j->again && !(d < LOST * keep))
        return;
    if (j->again)
        x = mean_of(s->x, corner, w);
    uint32_t body = j->walls->body_of[j->number];
    PxVec3 u = b->ops->velocity(b, 0, x), way = px_scale(px_sub(v, u), s->dt);
    if (j->again && body > 0)
        way = px_mad(way, yield_of(s, body, x), -s->dt);
    if (j->again) /* at the end, the nearest place may be on the other side of something thin */
        d = px_cloth_gap(b, x, way, keep, &normal);
    if (j->again ? is_known(j, corner, w, normal) : d + fmin(px_dot(way, normal), 0) > 1.5 * keep)
        return;
    uint32_t at = atomic_fetch_add_explicit(&j->count, 1, memory_order_relaxed);
    if (at >= j->most)
        return;
    const PxClothLaw *law = &s->law[cloth];
    double edge = s->system->edge[cloth];
    j->found[at] =
        (PxClothContact){.kind = PX_CLOTH_BOUNDARY,
                         .vertex = {corner[0], corner[1], corner[2]},
                         .weight = {w[0], w[1], w[2]},
                         .normal = normal,
                         .gap = d,
                         .keep = keep,
                         .stiff = STIFF * law->mass * edge * edge / (law->step * law->step),
                         .friction = sqrt(fmax(b->friction * law->friction, 0)),
                         .velocity = u,
                         .place = x,
                         .boundary = j->number,
                         .body = body,
                         .load = -1};
    if (body > 0)
        j->found[at].lever = px_sub(x, s->bodies->body[body - 1].centre);
}

/* A triangle and the boundary. */
typedef struct Flat {
    const uint32_t *corner;
    double within; /* a bound of the distances */
    double exact, enough;
} Flat;

/* The lowest place of a triangle, found along lines from it to the corner that is lowest in the
 * direction of the normal there (Frank and Wolfe 1956), and its distance. Is it inside the
 * triangle, and near enough? */
static bool lowest_inside(const Job *j, const Flat *flat, double w[3], double *distance)
{
    const PxVec3 *x = j->x;
    const uint32_t *c = flat->corner;
    w[0] = w[1] = w[2] = 1 / 3.0;
    Near near = near_at(j, mean_of(x, c, w), flat->within);
    for (int n = 0; n < PASSES; ++n) {
        PxVec3 at = mean_of(x, c, w);
        int to = 0;
        for (int k = 1; k < 3; ++k)
            if (px_dot(x[c[k]], near.normal) < px_dot(x[c[to]], near.normal))
                to = k;
        PxVec3 way = px_sub(x[c[to]], at);
        double drop = -px_dot(near.normal, way);
        if (near.distance - drop > flat->enough)
            return false;
        if (drop < flat->exact)
            break;
        Line line = {j, at, way, 0, flat->exact, flat->enough};
        Near end = j->near[c[to]];
        if (isinf(end.distance))
            end = near_at(j, x[c[to]], flat->within);
        double part = lowest(&line, &end, &near);
        for (int k = 0; k < 3; ++k)
            w[k] = (1 - part) * w[k] + (k == to ? part : 0);
    }
    *distance = near.distance;
    return fmin(w[0], fmin(w[1], w[2])) > 0.05;
}

/* Can a point between `count` corners come near enough for a contact? Distances change by no more
 * than places do: d >= mean(d_k - |x - x_k|), whose least value is that of a corner. */
static bool may_touch(const Job *j, const uint32_t *c, int count, double keep)
{
    double sum = 0, far = 0, travel = 0;
    for (int k = 0; k < count; ++k) {
        double length = 0;
        for (int l = 0; l < count; ++l)
            length += px_length(px_sub(j->x[c[k]], j->x[c[l]]));
        if (isinf(j->near[c[k]].distance))
            return true; /* it is not known */
        sum += j->near[c[k]].distance;
        far = fmax(far, length);
        travel = fmax(travel, travel_of(j, c[k]));
    }
    return (sum - far) / count - travel < reach_of(j) * keep + 1e-9;
}

/* Bounds of the distances of all points of a triangle of which a corner is near, and of those at
 * which a contact is made. */
static Flat flat_of(const Job *j, const uint32_t c[3], double keep, bool yields)
{
    double near = INFINITY, around = 0, travel = 0;
    for (int k = 0; k < 3; ++k) {
        near = fmin(near, fabs(j->near[c[k]].distance));
        around += px_length(px_sub(j->x[c[k]], j->x[c[(k + 1) % 3]]));
        travel = fmax(travel, travel_of(j, c[k]));
    }
    return (Flat){c, near + around, (yields ? FINE * TILT : EXACT) * keep,
                  reach_of(j) * keep + travel + 1e-9};
}

/* Is a boundary so flat between two vertices that the line between these, if they keep clear, does
 * so too? An arc of length L that turns by an angle is L angle / 8 higher than its chord. */
static bool is_flat(const Job *j, uint32_t i, uint32_t k)
{
    const PxClothStep *s = j->step;
    const Near *a = &j->near[i], *b = &j->near[k];
    double turn = 2 - 2 * px_dot(a->normal, b->normal); /* the square of the angle, if small */
    double most = 8 * RIDGE * fmax(s->keep[i], s->keep[k]);
    PxVec3 way = px_sub(j->x[i], j->x[k]);
    return turn < 0.2 && px_dot(way, way) * turn < most * most;
}

static void face_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    Job *j = user;
    const PxClothSystem *y = j->step->system;
    for (uint32_t f = begin; f < end; ++f) {
        const uint32_t *c = y->face[f].corner;
        const Near *n[3] = {&j->near[c[0]], &j->near[c[1]], &j->near[c[2]]};
        if (isinf(n[0]->distance) + isinf(n[1]->distance) + isinf(n[2]->distance) > 1)
            continue; /* none of its edges is near */
        bool sharp = false;
        /* the tilt and fewer places inside serve what rests on cloth; walls are cut less without */
        bool yields = j->walls->body_of[j->number] > 0;
        double least = fmin(n[0]->distance, fmin(n[1]->distance, n[2]->distance));
        const PxClothStep *s = j->step;
        double keep = fmax(s->keep[c[0]], fmax(s->keep[c[1]], s->keep[c[2]]));
        Flat flat = {.corner = c};
        for (uint32_t k = 0; k < 3; ++k) {
            uint32_t l = (k + 1) % 3;
            if (isinf(n[k]->distance) || isinf(n[l]->distance) || is_flat(j, c[k], c[l]))
                continue;
            if (!sharp)
                flat = flat_of(j, c, keep, yields);
            sharp = true;
            bool own = (y->owns[f] & (8u << k)) != 0;
            if ((!yields || j->again) &&
                (!own || !may_touch(j, (uint32_t[2]){c[k], c[l]}, 2, keep)))
                continue;
            double tilt = !yields ? 0 : n[l]->distance > n[k]->distance ? TILT : -TILT;
            PxVec3 from = j->x[c[k]], way = px_sub(j->x[c[l]], from);
            Near low = *n[k];
            double part =
                lowest(&(Line){j, from, way, tilt * keep, flat.exact, flat.enough}, n[l], &low);
            least = fmin(least, low.distance);
            if (part > 0.01 && part < 0.99 && own)
                add(j, (uint32_t[3]){c[k], c[l], c[k]}, (double[3]){1 - part, part, 0}, flat.within,
                    y->of_face[f]);
        }
        double w[3], inside;
        if (sharp && ((yields && !j->again) || may_touch(j, c, 3, keep)) &&
            lowest_inside(j, &flat, w, &inside) && (!yields || inside < least - INSIDE * keep))
            add(j, c, w, flat.within, y->of_face[f]);
    }
}

static PxStatus find(Job *j)
{
    PxClothStep *s = j->step;
    j->close = 0;
    px_parallel_for(s->threads, s->system->vertices, BLOCK, near_block, j);
    if (j->close == 0)
        return PX_OK;
    for (uint32_t wanted = ROOM + s->system->vertices / 8;; wanted = 2 * j->count) {
        if (wanted > j->most) {
            j->most = wanted;
            j->found = PX_ARENA_ARRAY(s->scratch, PxClothContact, j->most);
            if (j->found == NULL)
                return px_fail(PX_ERR_MEMORY, "cloth: no room for %u contacts", j->most);
        }
        j->count = 0;
        px_parallel_for(s->threads, s->system->faces, BLOCK, face_block, j);
        if (j->count <= j->most)
            break;
    }
    for (uint32_t k = 0; k < j->count; ++k)
        PX_TRY(px_cloth_contacts_add(s, &j->found[k]));
    return PX_OK;
}

/* Is a place of cloth pierced? The boundary then reaches out of the other side. */
static bool is_cut(const PxClothContact *c)
{
    return c->gap < -c->keep;
}

PxStatus px_cloth_edges_begin(PxClothWalls *walls, PxClothStep *s)
{
    Job j = {.walls = walls,
             .step = s,
             .x = s->x,
             .near = PX_ARENA_ARRAY(s->scratch, Near, s->system->vertices + 1)};
    if (j.near == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u contacts", s->system->vertices);
    walls->close = PX_ARENA_ARRAY(s->scratch, uint32_t, walls->boundaries + 1);
    if (walls->close == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %zu boundaries", walls->boundaries);
    for (size_t k = 0; k < walls->boundaries; ++k) {
        j.boundary = walls->boundary[k];
        j.number = (uint32_t)k;
        PX_TRY(find(&j));
        walls->close[k] = j.close;
        for (uint32_t n = 0; j.close > 0 && n < j.count; ++n)
            walls->cut += is_cut(&j.found[n]);
    }
    for (uint32_t i = 0; i < s->system->vertices; ++i)
        if (s->in_contact[i]) /* contact is a kink */
            px_cloth_restart(s, i);
    return px_cloth_contacts_sort(s);
}

PxStatus px_cloth_edges_again(PxClothWalls *walls, PxClothStep *s, uint32_t *found)
{
    uint32_t n = s->system->vertices, before = s->contacts->count;
    *found = 0;
    PxVec3 *end = PX_ARENA_ARRAY(s->scratch, PxVec3, n + 1);
    Job j = {.walls = walls, .step = s, .x = end, .when = 1, .again = true};
    j.near = PX_ARENA_ARRAY(s->scratch, Near, n + 1);
    if (end == NULL || j.near == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u contacts", n);
    for (size_t k = 0; k < walls->boundaries; ++k) {
        j.boundary = walls->boundary[k];
        j.number = (uint32_t)k;
        uint32_t body = walls->body_of[k];
        if (walls->close[k] == 0)
            continue;
        PX_TRY(px_cloth_contacts_sort(s)); /* in which is_known() searches */
        for (uint32_t i = 0; i < n; ++i) { /* relative to where the body would be */
            PxVec3 w = body == 0 ? s->w[i] : px_sub(s->w[i], yield_of(s, body, s->x[i]));
            end[i] = px_mad(s->x[i], w, s->dt);
        }
        PX_TRY(find(&j));
    }
    *found = s->contacts->count - before;
    return PX_OK;
}

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
