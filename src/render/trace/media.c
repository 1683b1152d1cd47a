#include "render/trace/media.h"

#include "render/trace/optics.h"

const PxLook *px_media_dominant(const PxMedia *m, const PxScenery *scenery)
{
    const PxLook *top = NULL;
    for (int k = 0; k < m->count; ++k) {
        const PxLook *look = &scenery->looks.data[m->look[k]];
        if (top == NULL || look->priority > top->priority)
            top = look;
    }
    return top;
}

static void media_add(PxMedia *m, uint32_t look)
{
    if (m->count < PX_MOST_NESTED)
        m->look[m->count++] = look;
}

static void media_remove(PxMedia *m, uint32_t look)
{
    for (int k = 0; k < m->count; ++k)
        if (m->look[k] == look) {
            m->look[k] = m->look[--m->count];
            return;
        }
}

uint32_t px_media_bits(const PxMedia *m)
{
    uint32_t bits = 0;
    for (int k = 0; k < m->count; ++k)
        if (m->look[k] < PX_MOST_MEDIA)
            bits |= 1u << m->look[k];
    return bits;
}

PxMedia px_media_at(const PxScenery *scenery, const PxRays *rays, PxV3 place)
{
    /* The point is inside a medium if an upward ray leaves it before entering it. */
    enum { ROOM = 256 };
    PxCrossing crossing[ROOM];
    PxMedia in = {.count = 0};
    PxRay ray = {.from = place, .direction = px_v3(0, 1, 0), .most = INFINITY};
    size_t count = px_rays_crossings(rays, &ray, crossing, ROOM);
    for (uint32_t k = 0; k < scenery->looks.count; ++k)
        for (size_t c = 0; c < count && scenery->looks.data[k].kind == PX_LOOK_CLEAR; ++c)
            if (scenery->things.data[crossing[c].thing].look == k) {
                if (!crossing[c].in)
                    media_add(&in, k);
                break;
            }
    return in;
}

PxMedia px_media_beyond(const PxMedia *media, uint32_t index, bool enters)
{
    PxMedia beyond = *media;
    if (enters)
        media_add(&beyond, index);
    else
        media_remove(&beyond, index);
    return beyond;
}

bool px_media_hides(const PxMedia *media, const PxMedia *beyond, uint32_t index, bool enters,
                    const PxScenery *scenery)
{
    const PxLook *outside = px_media_dominant(enters ? media : beyond, scenery);
    return outside != NULL && scenery->looks.data[index].priority <= outside->priority;
}

PxV3 px_media_cross(PxMedia *media, const PxScenery *scenery, PxV3 d, const PxHit *hit,
                    uint32_t index, float u)
{
    bool enters = px_v3_dot(d, hit->geometric) < 0;
    PxMedia beyond = px_media_beyond(media, index, enters);
    const PxLook *outside = px_media_dominant(enters ? media : &beyond, scenery);
    float here = outside != NULL ? outside->ior : 1, there = scenery->looks.data[index].ior;
    if (!enters) {
        float swap = here;
        here = there;
        there = swap;
    }
    PxV3 n = enters ? hit->normal : px_v3_scale(hit->normal, -1);
    PxV3 flat = enters ? hit->geometric : px_v3_scale(hit->geometric, -1);
    float cosine = -px_v3_dot(d, n), after;
    if (cosine <= 0) {
        n = flat;
        cosine = -px_v3_dot(d, n);
    }
    float mirrored = px_fresnel(fminf(1, cosine), here / there, &after);
    PxV3 next;
    if (u < mirrored) {
        next = px_reflect(d, n);
        if (px_v3_dot(next, flat) <= 0)
            next = px_reflect(d, flat);
    } else {
        next = px_refract(d, n, here / there, after);
        if (px_v3_dot(next, flat) >= 0)
            next = d;
        *media = beyond;
    }
    return next;
}
