#include "fluid/yield.h"

#include "fluid/touches.h"

#include <string.h>

static double per_cell(const PxFluid *f)
{
    return 1 / (f->spacing * f->spacing * f->spacing);
}

/* Lists the rows of boundary k; with `entry` NULL counts them. */
static uint32_t list(const PxFluid *f, uint32_t k, PxYieldEntry *entry, PxVec3 sum[2])
{
    const PxBoundary *b = f->boundary[k];
    uint32_t count = 0;
    for (uint32_t block = 0; block * PX_BLOCK < f->count; ++block)
        for (const struct PxTouches *t = f->touches[block]; t != NULL; t = t->next)
            for (uint32_t n = 0; t->boundary == k && n < t->count; ++n) {
                const PxWallTouch *touch = &t->touch[n];
                uint32_t i = touch->row;
                if (i == PX_TOUCH_NOBODY || f->inverse_mass[i] == 0.0f)
                    continue;
                if (entry == NULL) {
                    ++count;
                    continue;
                }
                double part = (double)px_fluid_part(f, i);
                PxVec3 g = px_scale(px_vec((double)touch->gradient[0], (double)touch->gradient[1],
                                           (double)touch->gradient[2]),
                                    part);
                PxVec3 arm = px_sub(px_particle_place(f->particles, i), b->pivot);
                entry[count++] = (PxYieldEntry){i, g, px_cross(arm, g)};
                PxVec3 j = px_vec((double)touch->impulse[0], (double)touch->impulse[1],
                                  (double)touch->impulse[2]);
                j = px_mad(j, g, f->dt * (double)f->wall_push[i]);
                sum[0] = px_add(sum[0], j);
                sum[1] = px_add(sum[1], px_cross(arm, j));
            }
    return count;
}

PxStatus px_yield_begin(PxFluid *f)
{
    uint32_t count = 0, entries = 0;
    f->yield = NULL;
    for (uint32_t k = 0; k < f->boundaries; ++k)
        if (f->boundary[k]->per_mass > 0) {
            ++count;
            entries += list(f, k, NULL, NULL);
        }
    if (entries == 0 && f->yield_points == NULL)
        return PX_OK;
    PxYield *y = PX_ARENA_ARRAY(f->scratch, PxYield, 1);
    PxYielding *one = PX_ARENA_ARRAY(f->scratch, PxYielding, count + 1);
    PxYieldEntry *entry = PX_ARENA_ARRAY(f->scratch, PxYieldEntry, entries + 1);
    float *flux = PX_ARENA_ARRAY(f->scratch, float, f->count);
    if (y == NULL || one == NULL || entry == NULL || flux == NULL)
        return px_fail(PX_ERR_MEMORY, "fluid: no room for %u rows beside rigid bodies", entries);
    memset(flux, 0, f->count * sizeof *flux);
    *y = (PxYield){
        .one = one, .entry = entry, .entries = entries, .points = f->yield_points, .flux = flux};
    for (uint32_t k = 0; y->points != NULL && k < y->points->count; ++k)
        y->points->change[k] = y->points->gained[k] = px_vec(0, 0, 0);
    uint32_t at = 0;
    for (uint32_t k = 0; k < f->boundaries; ++k) {
        const PxBoundary *b = f->boundary[k];
        PxVec3 sum[2] = {{0, 0, 0}, {0, 0, 0}};
        uint32_t rows = b->per_mass > 0 ? list(f, k, entry + at, sum) : 0;
        if (rows == 0)
            continue;
        one[y->count++] = (PxYielding){.boundary = b,
                                       .first = at,
                                       .end = at + rows,
                                       .change = px_scale(sum[0], b->per_mass),
                                       .twist = px_mat3_apply(b->per_inertia, sum[1])};
        at += rows;
    }
    f->yield = y;
    return PX_OK;
}

static double factor_of(const float *factor, size_t stride, uint32_t row)
{
    return factor != NULL ? (double)factor[stride * row] : 1;
}

/* C times a force. */
static PxVec3 yields_by(const PxYieldMass *mass, PxVec3 f)
{
    const double *c = mass->m;
    return px_vec(c[0] * f.x + c[1] * f.y + c[2] * f.z, c[1] * f.x + c[3] * f.y + c[4] * f.z,
                  c[2] * f.x + c[4] * f.y + c[5] * f.z);
}

typedef struct Respond {
    const PxFluid *fluid;
    double dt;
    PxYieldBase base;
    const float *factor;
    size_t stride;
} Respond;

/* How points yield to the presses on them. */
static void points_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Respond *j = user;
    const PxFluid *f = j->fluid;
    const PxYieldPoints *p = f->yield->points;
    double cell = per_cell(f);
    for (uint32_t k = begin; k < end; ++k) {
        PxVec3 force = px_vec(0, 0, 0);
        for (uint32_t n = p->uses[k]; n < p->uses[k + 1] && !f->yield->frozen; ++n) {
            const PxYieldPress *e = &p->press[p->use[n].press];
            double size = (double)f->quad[4 * (size_t)e->row + 3] * cell *
                          factor_of(j->factor, j->stride, e->row);
            if (size > 0)
                force = px_mad(force, e->gradient, p->use[n].weight * size);
        }
        p->gained[k] = yields_by(&p->per_mass[k], px_scale(force, j->dt));
        p->force[k] =
            j->base == PX_YIELD_FORCES ? px_add(p->gained[k], p->change[k]) : p->gained[k];
    }
}

/* What rows get from the points that they press on. A row may press on several sheets; its presses
 * are in one block. */
static void flux_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Respond *j = user;
    const PxYield *y = j->fluid->yield;
    const PxYieldPoints *p = y->points;
    for (uint32_t n = p->block[begin]; n < p->block[end]; ++n)
        y->flux[p->press[n].row] = 0.0f;
    for (uint32_t n = p->block[begin]; n < p->block[end]; ++n) {
        const PxYieldPress *e = &p->press[n];
        double sum = 0;
        for (int c = 0; c < 3; ++c)
            sum += e->weight[c] * px_dot(e->gradient, p->force[e->point[c]]);
        y->flux[e->row] += (float)sum;
    }
}

static void respond_points(const PxFluid *f, double dt, PxYieldBase base, const float *factor,
                           size_t stride)
{
    enum { POINTS = 128 };
    const PxYieldPoints *p = f->yield->points;
    Respond job = {f, dt, base, factor, stride};
    px_parallel_for(f->threads, p->count, POINTS, points_block, &job);
    px_parallel_for(f->threads, p->blocks, 1, flux_block, &job);
}

void px_yield_respond(PxFluid *f, double dt, PxYieldBase base, const float *factor, size_t stride)
{
    PxYield *y = f->yield;
    if (y == NULL)
        return;
    double cell = per_cell(f);
    for (uint32_t k = 0; k < y->entries; ++k)
        y->flux[y->entry[k].row] = 0.0f;
    if (y->points != NULL)
        respond_points(f, dt, base, factor, stride);
    for (uint32_t n = 0; n < y->count; ++n) {
        PxYielding *one = &y->one[n];
        const PxBoundary *b = one->boundary;
        PxVec3 force = {0, 0, 0}, torque = {0, 0, 0};
        for (uint32_t k = one->first; k < one->end; ++k) {
            const PxYieldEntry *e = &y->entry[k];
            double p =
                (double)f->quad[4 * (size_t)e->row + 3] * cell * factor_of(factor, stride, e->row);
            force = px_mad(force, e->gradient, p);
            torque = px_mad(torque, e->moment, p);
        }
        double sums[6] = {force.x, force.y, force.z, torque.x, torque.y, torque.z};
        px_dist_sum(f->dist, sums, 6);
        bool moves = !y->frozen;
        PxVec3 v = px_scale(px_vec(sums[0], sums[1], sums[2]), moves ? dt * b->per_mass : 0);
        PxVec3 w = px_mat3_apply(b->per_inertia, px_vec(sums[3], sums[4], sums[5]));
        w = px_scale(w, moves ? dt : 0);
        one->gained = v;
        one->turned = w;
        if (base == PX_YIELD_START)
            v = px_sub(v, b->forced);
        if (base == PX_YIELD_FORCES) {
            v = px_add(v, one->change);
            w = px_add(w, one->twist);
        }
        for (uint32_t k = one->first; k < one->end; ++k) {
            const PxYieldEntry *e = &y->entry[k];
            y->flux[e->row] += (float)(px_dot(e->gradient, v) + px_dot(e->moment, w));
        }
    }
}

void px_yield_keep(PxFluid *f)
{
    for (uint32_t n = 0; f->yield != NULL && n < f->yield->count; ++n) {
        PxYielding *one = &f->yield->one[n];
        one->change = px_add(one->change, one->gained);
        one->twist = px_add(one->twist, one->turned);
    }
    PxYieldPoints *p = f->yield != NULL ? f->yield->points : NULL;
    for (uint32_t k = 0; p != NULL && k < p->count; ++k)
        p->change[k] = px_add(p->change[k], p->gained[k]);
}

void px_yield_end(PxFluid *f)
{
    const PxYield *y = f->yield;
    for (uint32_t n = 0; y != NULL && n < y->count; ++n)
        for (uint32_t k = y->one[n].first; k < y->one[n].end; ++k) {
            const PxYieldEntry *e = &y->entry[k];
            f->wall_flux[e->row] +=
                (float)(px_dot(e->gradient, y->one[n].change) + px_dot(e->moment, y->one[n].twist));
        }
    const PxYieldPoints *p = y != NULL ? y->points : NULL;
    for (uint32_t n = 0; p != NULL && n < p->presses; ++n) {
        const PxYieldPress *e = &p->press[n];
        double sum = 0;
        for (int c = 0; c < 3; ++c)
            sum += e->weight[c] * px_dot(e->gradient, p->change[e->point[c]]);
        f->wall_flux[e->row] += (float)sum;
    }
}

static PxVec3 sizes(PxVec3 v)
{
    return px_vec(fabs(v.x), fabs(v.y), fabs(v.z));
}

static void bound_points(const PxFluid *f, const float *factor, size_t stride, float *bound,
                         double scale)
{
    PxYieldPoints *p = f->yield->points;
    double cell = per_cell(f);
    for (uint32_t k = 0; k < p->count; ++k)
        p->force[k] = px_vec(0, 0, 0);
    for (uint32_t n = 0; n < p->presses; ++n) {
        const PxYieldPress *e = &p->press[n];
        double part = cell * factor_of(factor, stride, e->row);
        for (int c = 0; c < 3; ++c)
            p->force[e->point[c]] =
                px_mad(p->force[e->point[c]], sizes(e->gradient), e->weight[c] * part);
    }
    for (uint32_t k = 0; k < p->count; ++k) {
        PxYieldMass size;
        for (int c = 0; c < 6; ++c)
            size.m[c] = fabs(p->per_mass[k].m[c]);
        p->force[k] = yields_by(&size, p->force[k]);
    }
    for (uint32_t n = 0; n < p->presses; ++n) {
        const PxYieldPress *e = &p->press[n];
        double sum = 0;
        for (int c = 0; c < 3; ++c)
            sum += e->weight[c] * px_dot(sizes(e->gradient), p->force[e->point[c]]);
        bound[e->row] += (float)(scale * cell * factor_of(factor, stride, e->row) * sum);
    }
}

void px_yield_bound(const PxFluid *f, const float *factor, size_t stride, float *bound,
                    double scale)
{
    const PxYield *y = f->yield;
    double cell = per_cell(f);
    if (y != NULL && y->points != NULL)
        bound_points(f, factor, stride, bound, scale);
    for (uint32_t n = 0; y != NULL && n < y->count; ++n) {
        const PxYielding *one = &y->one[n];
        const PxBoundary *b = one->boundary;
        PxVec3 force = {0, 0, 0}, torque = {0, 0, 0};
        for (uint32_t k = one->first; k < one->end; ++k) {
            const PxYieldEntry *e = &y->entry[k];
            double part = cell * factor_of(factor, stride, e->row);
            force = px_mad(force, sizes(e->gradient), part);
            torque = px_mad(torque, sizes(e->moment), part);
        }
        double sums[6] = {force.x, force.y, force.z, torque.x, torque.y, torque.z};
        px_dist_sum(f->dist, sums, 6);
        PxMat3 per_inertia = b->per_inertia;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                per_inertia.m[i][j] = fabs(per_inertia.m[i][j]);
        PxVec3 v = px_scale(px_vec(sums[0], sums[1], sums[2]), b->per_mass);
        PxVec3 w = px_mat3_apply(per_inertia, px_vec(sums[3], sums[4], sums[5]));
        for (uint32_t k = one->first; k < one->end; ++k) {
            const PxYieldEntry *e = &y->entry[k];
            double sum = px_dot(sizes(e->gradient), v) + px_dot(sizes(e->moment), w);
            bound[e->row] += (float)(scale * cell * factor_of(factor, stride, e->row) * sum);
        }
    }
}
