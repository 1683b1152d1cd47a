#include "cloth/contact.h"

#include "cloth/bodies.h"
#include "cloth/gas.h"
#include "cloth/solve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 256u
#define CREEP 1e-3  /* m/s: below, friction is viscous */
#define SLOWER 1e-4 /* the same with bodies, which have no other friction */
#define LOW 0.2     /* tangents touch the law at this part of the gap or further out */
#define CLOSED 0.02 /* the law is linear below this part of the thickness */
#define PART 24     /* floats by contact: columns of C and C u, 4 each, and weights */
#define PUSH 12     /* C u */
#define WEIGHT 16   /* of them */

/* ---- the list -------------------------------------------------------------------------------- */

PxStatus px_cloth_contacts_add(PxClothStep *s, const PxClothContact *contact)
{
    PxClothContacts *c = s->contacts;
    if (c->count == c->most) {
        uint32_t most = 2 * c->most + 256;
        PxClothContact *more = PX_ARENA_ARRAY(s->scratch, PxClothContact, most);
        if (more == NULL)
            return px_fail(PX_ERR_MEMORY, "cloth: no room for %u contacts", most);
        if (c->count > 0)
            memcpy(more, c->contact, c->count * sizeof *more);
        c->contact = more;
        c->most = most;
    }
    c->contact[c->count++] = *contact;
    /* seams are as smooth as elastic forces: they end no past */
    for (int k = 0; contact->kind != PX_CLOTH_SEAM && k < px_cloth_contact_corners(contact); ++k)
        s->in_contact[contact->vertex[k]] = 1;
    c->listed = false;
    return PX_OK;
}

int px_cloth_contact_compare(const void *a, const void *b)
{
    const PxClothContact *x = a, *y = b;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    int order = memcmp(x->vertex, y->vertex, sizeof x->vertex);
    if (order == 0)
        order = (x->boundary > y->boundary) - (x->boundary < y->boundary);
    if (order == 0)
        order = (x->body > y->body) - (x->body < y->body);
    for (int k = 0; order == 0 && k < 5; ++k)
        order = (x->weight[k] > y->weight[k]) - (x->weight[k] < y->weight[k]);
    return order;
}

/* Lists the uses of vertices by row of the matrix. */
static PxStatus list_uses(PxClothStep *s)
{
    PxClothContacts *c = s->contacts;
    const PxClothPattern *p = &s->system->pattern;
    uint32_t all = 8 * p->slices, *count = PX_ARENA_ARRAY(s->scratch, uint32_t, all + 1), uses = 0;
    c->row = PX_ARENA_ARRAY(s->scratch, uint32_t, 5 * (size_t)c->count + 1);
    c->first = PX_ARENA_ARRAY(s->scratch, uint32_t, 5 * (size_t)c->count + 2);
    c->use = PX_ARENA_ARRAY(s->scratch, PxClothUse, 5 * (size_t)c->count + 1);
    c->part = PX_ARENA_ARRAY(s->scratch, float, PART *(size_t)c->count + 1);
    c->column = PX_ARENA_ARRAY(s->scratch, uint32_t, 5 * (size_t)c->count + 1);
    if (count == NULL || c->row == NULL || c->first == NULL || c->use == NULL || c->part == NULL ||
        c->column == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for uses of %u contacts", c->count);
    memset(count, 0, (all + 1) * sizeof *count);
    for (uint32_t k = 0; k < c->count; ++k)
        for (int a = 0; a < px_cloth_contact_corners(&c->contact[k]); ++a)
            ++count[p->row[c->contact[k].vertex[a]]];
    c->rows = 0;
    for (uint32_t row = 0; row < all; ++row) {
        if (count[row] == 0)
            continue;
        c->row[c->rows] = row;
        c->first[c->rows++] = uses;
        uint32_t own = count[row];
        count[row] = uses;
        uses += own;
    }
    c->first[c->rows] = uses;
    for (uint32_t k = 0; k < c->count; ++k)
        for (uint32_t a = 0; a < 5; ++a) {
            bool counts = (int)a < px_cloth_contact_corners(&c->contact[k]);
            uint32_t row = counts ? p->row[c->contact[k].vertex[a]] : 0;
            c->column[5 * (size_t)k + a] = row;
            if (counts)
                c->use[count[row]++] = (PxClothUse){k, a};
        }
    c->listed = true;
    return px_cloth_bodies_list(s);
}

PxStatus px_cloth_contacts_sort(PxClothStep *s)
{
    PxClothContacts *c = s->contacts;
    if (c->listed)
        return PX_OK;
    if (c->count > 0) /* without contacts there is no array */
        qsort(c->contact, c->count, sizeof *c->contact, px_cloth_contact_compare);
    return list_uses(s);
}

/* ---- the law --------------------------------------------------------------------------------- */

/* Force f of a gap and -df/dg. */
static void force_of(const PxClothContact *c, double g, double *f, double *slope)
{
    *f = *slope = 0;
    if (g >= c->keep)
        return;
    double h = c->keep;
    *f = c->stiff * h * (h / g - 1);
    *slope = c->stiff * h * h / (g * g);
}

static PxVec3 motion_of(const PxClothStep *s, const PxClothContact *c, const PxVec3 *v)
{
    PxVec3 u = px_scale(c->velocity, -1);
    if (c->body > 0)
        u = px_sub(u, px_cloth_body_motion(&s->bodies->body[c->body - 1], c->lever));
    for (int k = 0; k < px_cloth_contact_corners(c); ++k)
        u = px_mad(u, v[c->vertex[k]], c->weight[k]);
    return u;
}

static PxVec3 apply(const double m[6], PxVec3 v)
{
    return px_vec(m[0] * v.x + m[1] * v.y + m[2] * v.z, m[1] * v.x + m[3] * v.y + m[4] * v.z,
                  m[2] * v.x + m[4] * v.y + m[5] * v.z);
}

static void set_matrix(PxClothContact *c, double normal, double along)
{
    PxVec3 n = c->normal;
    double d = normal - along;
    const double m[6] = {along + d * n.x * n.x, d * n.x * n.y, d * n.x * n.z,
                         along + d * n.y * n.y, d * n.y * n.z, along + d * n.z * n.z};
    memcpy(c->matrix, m, sizeof m);
}

PxVec3 px_cloth_contact_motion(const PxClothStep *s, const PxClothContact *c)
{
    return motion_of(s, c, s->w);
}

PxVec3 px_cloth_contact_impulse(const PxClothStep *s, const PxClothContact *c)
{
    return px_sub(c->base, apply(c->matrix, motion_of(s, c, s->w)));
}

/* The thread of a seam pulls if it is longer than `keep`, along its direction at the motion u. */
static void pull(const PxClothStep *s, PxClothContact *c, PxVec3 u)
{
    PxVec3 d = px_mad(c->place, u, s->dt);
    double length = px_length(d), k = c->stiff * s->dt * s->dt;
    bool closed = !(c->keep > 0), pulls = closed || length > c->keep;
    c->normal = px_normalized(d, px_vec(0, 0, 0));
    set_matrix(c, pulls ? k : 0, pulls && !closed ? k * (1 - c->keep / length) : pulls ? k : 0);
    c->base = apply(c->matrix, u); /* so that the tangent is right at u */
    if (pulls)
        c->base = px_mad(c->base, closed ? d : c->normal,
                         -c->stiff * s->dt * (closed ? 1 : length - c->keep));
}

/* The gap at which the law becomes linear. */
static double floor_of(const PxClothContact *c)
{
    if (c->kind == PX_CLOTH_BOUNDARY)
        return LOW * c->keep;
    return fmax(LOW * fmin(c->gap, c->keep), CLOSED * c->keep);
}

/* Takes the tangent at the motion u. Is the impulse there another than that of the last solve? */
static bool linearise(const PxClothStep *s, PxClothContact *c, PxVec3 u)
{
    double dt = s->dt, across = px_dot(u, c->normal), g = c->gap + dt * across;
    c->most = INFINITY;
    if (c->kind == PX_CLOTH_TIE) {
        set_matrix(c, c->stiff, c->stiff);
        c->base = px_vec(0, 0, 0);
        return false;
    }
    if (c->kind == PX_CLOTH_SEAM) {
        pull(s, c, u);
        return false;
    }
    double f, slope, floor = floor_of(c);
    if (c->kind == PX_CLOTH_UNTANGLE) {
        c->along = g;
        f = c->stiff * fmax(c->keep - g, 0);
        slope = f > 0 ? c->stiff : 0;
    } else {
        c->along = fmax(g, floor);
        force_of(c, c->along, &f, &slope);
    }
    bool is_new = c->load < 0;
    c->most = dt * f;
    double now = dt * f, before = is_new ? (g > floor ? now : 0) : c->load;
    /* the tangent f(a) - slope (g - a), with g = gap + dt n u */
    double rub = c->friction * before /
                 fmax(px_length(px_mad(u, c->normal, -across)), c->body > 0 ? SLOWER : CREEP);
    set_matrix(c, slope * dt * dt, rub);
    c->base = px_scale(c->normal, dt * (f + slope * (c->along - c->gap)));
    double off = fabs(now - before);
    return is_new || (off > 0.1 * fmax(now, before) && off > 0.02 * dt * c->stiff * c->keep);
}

double px_cloth_contact_bend(const PxClothStep *s, const PxClothContact *c, double across)
{
    if (c->kind == PX_CLOTH_TIE || c->kind == PX_CLOTH_SEAM)
        return 0;
    double g = c->gap + s->dt * across, f, slope, touch, touch_slope;
    if (c->kind == PX_CLOTH_UNTANGLE) {
        f = c->stiff * fmax(c->keep - g, 0);
        touch = c->stiff * fmax(c->keep - c->along, 0);
        touch_slope = touch > 0 ? c->stiff : 0;
    } else {
        double a = fmax(g, floor_of(c));
        force_of(c, a, &f, &slope);
        f += slope * (a - g);
        force_of(c, c->along, &touch, &touch_slope);
    }
    return s->dt * (touch + touch_slope * (c->along - g) - f);
}

static double energy_of(const PxClothStep *s, const PxClothContact *c)
{
    PxVec3 u = motion_of(s, c, s->w);
    if (c->kind == PX_CLOTH_TIE)
        return 0;
    if (c->kind == PX_CLOTH_SEAM) {
        double longer = fmax(px_length(px_mad(c->place, u, s->dt)) - c->keep, 0);
        return 0.5 * c->stiff * longer * longer;
    }
    double h = c->keep, g = c->gap + s->dt * px_dot(u, c->normal);
    if (!(g < h))
        return 0;
    if (c->kind == PX_CLOTH_UNTANGLE)
        return 0.5 * c->stiff * (h - g) * (h - g);
    double f, slope, a = fmax(g, floor_of(c));
    force_of(c, a, &f, &slope);
    return c->stiff * h * (h * log(h / a) - (h - a)) + (f + 0.5 * slope * (a - g)) * (a - g);
}

double px_cloth_contacts_energy(const PxClothStep *s)
{
    double sum = 0;
    for (uint32_t k = 0; s->contacts != NULL && k < s->contacts->count; ++k)
        sum += energy_of(s, &s->contacts->contact[k]);
    return sum;
}

void px_cloth_contacts_stiffen(PxClothStep *s, uint32_t first)
{
    for (uint32_t k = first; s->contacts != NULL && k < s->contacts->count; ++k) {
        PxClothContact *c = &s->contacts->contact[k];
        double press = 0;
        if (c->kind != PX_CLOTH_BOUNDARY)
            continue;
        for (int a = 0; a < 3; ++a)
            if (c->weight[a] > 0)
                press -= px_dot(s->b[c->vertex[a]], c->normal);
        c->stiff = fmax(c->stiff, press / (s->dt * c->keep));
    }
}

/* With the force f = k h (h / g - 1) at a gap g, its slope is f h / (g (h - g)): that is the factor
 * higher if (h - g) / h is that much less. */
void px_cloth_contact_harden(PxClothContact *c, double factor)
{
    double g = fmax(c->gap, floor_of(c)), f, slope;
    if (!(g < c->keep)) {
        c->stiff *= factor;
        return;
    }
    force_of(c, g, &f, &slope);
    c->keep = g / (1 - (1 - g / c->keep) / factor);
    c->stiff = f / (c->keep * (c->keep / g - 1));
}

/* ---- the system ------------------------------------------------------------------------------ */

typedef struct Job {
    PxClothStep *s;
    uint8_t *changed;
} Job;

static void tangent_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    PxClothStep *s = job->s;
    for (uint32_t k = begin; k < end; ++k) {
        PxClothContact *c = &s->contacts->contact[k];
        PxVec3 u = motion_of(s, c, s->w);
        if (c->load >= 0)
            c->load = fmax(px_dot(px_sub(c->base, apply(c->matrix, u)), c->normal), 0);
        c->start = px_dot(u, c->normal);
        job->changed[k] = linearise(s, c, u);
        c->load = fmax(c->load, 0);
        float *part = s->contacts->part + PART * (size_t)k;
        static const int of_column[12] = {0, 1, 2, -1, 1, 3, 4, -1, 2, 4, 5, -1};
        for (int a = 0; a < 12; ++a)
            part[a] = of_column[a] < 0 ? 0 : (float)c->matrix[of_column[a]];
        for (int a = 0; a < 5; ++a)
            part[WEIGHT + a] = a < px_cloth_contact_corners(c) ? (float)c->weight[a] : 0;
        PxVec3 rest = px_scale(c->velocity, -1);
        for (int a = 0; a < px_cloth_contact_corners(c); ++a)
            rest = px_mad(rest, s->u[c->vertex[a]], c->weight[a]);
        c->impulse = px_sub(c->base, apply(c->matrix, u));
        /* As a scale of residuals the tangent of a deep place is far too large: with it, a first
         * round that is solved roughly threw cloth off thin bars, and the next one let it pass. */
        double over = px_dot(c->impulse, c->normal) - c->most;
        if (over > 0)
            c->impulse = px_mad(c->impulse, c->normal, -over);
        c->bias = px_sub(c->base, apply(c->matrix, rest));
    }
}

/* Right side and preconditioner of the rows with contacts. */
static void row_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    PxClothStep *s = ((const Job *)user)->s;
    const PxClothContacts *c = s->contacts;
    for (uint32_t n = begin; n < end; ++n) {
        uint32_t row = c->row[n];
        size_t at = 48 * (size_t)(row / 8) + row % 8;
        double sum[6];
        PxVec3 touch = px_vec(0, 0, 0), pressed = touch;
        for (int a = 0; a < 6; ++a)
            sum[a] = (double)s->rows.diagonal[at + 8 * (size_t)a];
        for (uint32_t k = c->first[n]; k < c->first[n + 1]; ++k) {
            const PxClothContact *own = &c->contact[c->use[k].of];
            double w = own->weight[c->use[k].corner];
            touch = px_mad(touch, own->bias, w);
            pressed = px_mad(pressed, own->impulse, w);
            for (int a = 0; a < 6; ++a)
                sum[a] += w * w * own->matrix[a];
        }
        for (int a = 0; a < 6; ++a)
            s->rows.pressed[at + 8 * (size_t)a] =
                (float)(sum[a] - (double)s->rows.diagonal[at + 8 * (size_t)a]);
        s->touch[s->system->pattern.vertex[row]] = touch;
        s->pressed[s->system->pattern.vertex[row]] = pressed;
        px_cloth_invert(sum, s->rows.inverse + at);
    }
}

PxStatus px_cloth_contacts_linearise(PxClothStep *s, uint32_t *changed)
{
    PxClothContacts *c = s->contacts;
    *changed = 0;
    if (c == NULL)
        return PX_OK;
    PX_TRY(px_cloth_contacts_sort(s));
    if (c->count == 0) {
        px_cloth_bodies_linearise(s);
        return PX_OK;
    }
    s->rows.touched = true;
    PxArenaMark mark = px_arena_mark(s->scratch);
    Job job = {s, PX_ARENA_ARRAY(s->scratch, uint8_t, c->count)};
    if (job.changed == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u contacts", c->count);
    px_parallel_for(s->threads, c->count, BLOCK, tangent_block, &job);
    px_parallel_for(s->threads, c->rows, BLOCK, row_block, &job);
    px_cloth_bodies_linearise(s);
    for (uint32_t k = 0; k < c->count; ++k)
        *changed += job.changed[k];
    px_arena_release(s->scratch, mark);
    return PX_OK;
}

/* ---- the product ----------------------------------------------------------------------------- */

static void contact_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxClothStep *s = user;
    const PxClothContacts *c = s->contacts;
    const PxClothBodies *bodies = s->bodies != NULL && s->bodies->count > 0 ? s->bodies : NULL;
    for (uint32_t k = begin; k < end; ++k) {
        float *part = c->part + PART * (size_t)k;
        const uint32_t *column = c->column + 5 * (size_t)k;
        PxF4 u = px_f4(0.0f);
        for (int a = 0; a < 5; ++a)
            u += px_f4(part[WEIGHT + a]) * px_f4_load(s->rows.z + 4 * (size_t)column[a]);
        if (bodies != NULL && bodies->of[k] > 0) {
            const double *z = bodies->body[bodies->of[k] - 1].z, *l = bodies->lever + 3 * (size_t)k;
            u -= (PxF4){(float)(z[0] + z[4] * l[2] - z[5] * l[1]),
                        (float)(z[1] + z[5] * l[0] - z[3] * l[2]),
                        (float)(z[2] + z[3] * l[1] - z[4] * l[0]), 0};
        }
        px_f4_store(part + PUSH, px_f4(u[0]) * px_f4_load(part) +
                                     px_f4(u[1]) * px_f4_load(part + 4) +
                                     px_f4(u[2]) * px_f4_load(part + 8));
    }
}

static void product_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxClothStep *s = user;
    const PxClothContacts *c = s->contacts;
    for (uint32_t n = begin; n < end; ++n) {
        PxF4 sum = px_f4(0.0f);
        for (uint32_t k = c->first[n]; k < c->first[n + 1]; ++k) {
            const float *part = c->part + PART * (size_t)c->use[k].of;
            sum += px_f4(part[WEIGHT + c->use[k].corner]) * px_f4_load(part + PUSH);
        }
        float *at = s->rows.more + 24 * (size_t)(c->row[n] / 8) + c->row[n] % 8;
        at[0] = sum[0] + (s->gas != NULL ? at[0] : 0);
        at[8] = sum[1] + (s->gas != NULL ? at[8] : 0);
        at[16] = sum[2] + (s->gas != NULL ? at[16] : 0);
    }
}

const float *px_cloth_contact_product(const PxClothContacts *c, uint32_t k)
{
    return c->part + PART * (size_t)k + PUSH;
}

void px_cloth_contacts_product(PxClothStep *s)
{
    if (s->gas != NULL)
        px_cloth_gas_product(s);
    if (s->contacts == NULL || s->contacts->count == 0)
        return;
    px_parallel_for(s->threads, s->contacts->count, 2 * BLOCK, contact_block, s);
    px_parallel_for(s->threads, s->contacts->rows, 2 * BLOCK, product_block, s);
}
