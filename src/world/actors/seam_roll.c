/// Which way flat cloth rolls when a seam sews it to itself.
///
/// Threads of such a seam run in the plane of the cloth and press it together: a balance without
/// stability, in which it crumples at the scale of its triangles or turns over in its plane. Real
/// cloth is never exactly flat. So in the first step of the seam flat cloth gets a velocity across
/// its plane that rolls it, with no momentum and no angular momentum: the square of the place along
/// the threads without its mean and linear parts.
#include "world/actors/seam.h"

#include "base/vec.h"
#include "world/world_parts.h"

#include <math.h>

#define FLAT 3e-4  /* sum of normals, relative: cloth that is bent by less than 5 degrees in all */
#define ALONG 0.05 /* sine of the angle between threads and cloth */
#define ACROSS 0.5 /* threads longer than this part of the cloth press it together */
#define RATE                                                                                       \
    0.05           /* how far borders leave the plane while the seam closes, of the cloth's width  \
                    */
#define FASTEST 20 /* steps in which a seam that closes at once is taken to close */

/* The cloth of a seam: one piece or two that lie in a plane. */
typedef struct Flat {
    const PxClothStep *step;
    size_t cloth[2];
    int pieces;
    PxVec3 normal, along, across, middle;
} Flat;

static bool has_vertex(const Flat *f, uint32_t i)
{
    uint32_t of = f->step->system->of_vertex[i];
    return of == f->cloth[0] || of == f->cloth[1];
}

/* Normal of the cloth if it is flat. */
static bool find_plane(Flat *f)
{
    const PxClothStep *s = f->step;
    PxVec3 sum[2] = {{0, 0, 0}, {0, 0, 0}};
    double size = 0;
    for (uint32_t t = 0; t < s->system->faces; ++t)
        for (int k = 0; k < f->pieces; ++k)
            if (s->system->of_face[t] == f->cloth[k]) {
                const uint32_t *c = s->system->face[t].corner;
                PxVec3 n = px_cross(px_sub(s->x[c[1]], s->x[c[0]]), px_sub(s->x[c[2]], s->x[c[0]]));
                sum[k] = px_add(sum[k], n);
                size += px_length(n);
            }
    PxVec3 all = px_mad(sum[0], sum[1], px_dot(sum[0], sum[1]) < 0 ? -1 : 1);
    f->normal = px_normalized(all, px_vec(0, 1, 0));
    return px_length(all) > (1 - FLAT) * size;
}

/* Width of the cloth along the threads; sets its middle, the centre of mass. */
static double measure(Flat *f)
{
    const PxClothStep *s = f->step;
    double low = INFINITY, high = -INFINITY, mass = 0;
    PxVec3 sum = {0, 0, 0};
    for (uint32_t i = 0; i < s->system->vertices; ++i) {
        if (!has_vertex(f, i))
            continue;
        double q = px_dot(s->x[i], f->along);
        low = fmin(low, q);
        high = fmax(high, q);
        mass += s->mass[i];
        sum = px_mad(sum, s->x[i], s->mass[i]);
    }
    f->middle = px_scale(sum, 1 / mass);
    return high - low;
}

/* Least-squares fit of q^2 by out[0] + out[1] q + out[2] r, weighted by mass. */
static void fit(const Flat *f, double out[3])
{
    const PxClothStep *s = f->step;
    double mass = 0, qq = 0, qr = 0, rr = 0, qqq = 0, qqr = 0;
    for (uint32_t i = 0; i < s->system->vertices; ++i) {
        if (!has_vertex(f, i))
            continue;
        PxVec3 x = px_sub(s->x[i], f->middle);
        double q = px_dot(x, f->along), r = px_dot(x, f->across), m = s->mass[i];
        mass += m;
        qq += m * q * q;
        qr += m * q * r;
        rr += m * r * r;
        qqq += m * q * q * q;
        qqr += m * q * q * r;
    }
    double det = qq * rr - qr * qr;
    out[0] = qq / mass;
    out[1] = det > 0 ? (qqq * rr - qqr * qr) / det : 0;
    out[2] = det > 0 ? (qqr * qq - qqq * qr) / det : 0;
}

void px_seam_roll(PxClothStep *s, const size_t cloth[2], PxVec3 thread, double time)
{
    Flat f = {.step = s, .cloth = {cloth[0], cloth[1]}, .pieces = cloth[0] == cloth[1] ? 1 : 2};
    double gap = px_length(thread), part[3];
    if (!(gap > 0) || !find_plane(&f))
        return;
    f.along = px_scale(thread, 1 / gap);
    if (fabs(px_dot(f.along, f.normal)) > ALONG)
        return;
    f.across = px_normalized(px_cross(f.normal, f.along), px_vec(0, 0, 1));
    double width = measure(&f);
    if (!(gap > ACROSS * width))
        return;
    fit(&f, part);
    double rate = 4 * RATE / (width * fmax(time, FASTEST * s->dt));
    for (uint32_t i = 0; i < s->system->vertices; ++i) {
        if (!has_vertex(&f, i) || s->hold[i] != PX_CLOTH_FREE)
            continue;
        PxVec3 x = px_sub(s->x[i], f.middle);
        double q = px_dot(x, f.along), r = px_dot(x, f.across);
        /* borders move to the back, so that the front is outside */
        PxVec3 more = px_scale(f.normal, -rate * (q * q - part[0] - part[1] * q - part[2] * r));
        s->v[i] = px_add(s->v[i], more);
        s->w[i] = px_add(s->w[i], more);
        px_cloth_restart(s, i);
    }
}
