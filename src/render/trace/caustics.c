#include "render/trace/caustics.h"

#include "render/trace/ground.h"
#include "render/trace/media.h"
#include "render/trace/optics.h"
#include "render/trace/sampler.h"
#include "spatial/kdtree.h"

#include <stdlib.h>

enum {
    MOST = 256,        /* photons of an estimate */
    MOST_SEGMENTS = 16 /* of a photon's way */
};
/* Photons of an estimate where they are as dense as in the light that was aimed. */
#define USUAL 192.0f

struct PxCaustics {
    uint32_t count;
    PxV3 *at, *power, *towards; /* place, W, direction to where the photon came from */
    PxKdTree tree;
    float reach; /* of an estimate, m */
};

/* ---- where photons are aimed at ---- */

typedef struct Aim {
    const PxScenery *scenery;
    const PxRays *rays;
    uint32_t photons, lights, seed;
    PxV3 middle; /* of the sphere around the clear things */
    float radius;
    PxV3 *at, *power, *towards; /* by photon; a power of 0: none */
} Aim;

static bool is_clear(const PxScenery *scenery, const PxThing *thing)
{
    return scenery->looks.data[thing->look].kind == PX_LOOK_CLEAR;
}

static void find_sphere(Aim *a)
{
    PxV3 low = px_v3_all(INFINITY), high = px_v3_all(-INFINITY);
    for (size_t k = 0; k < a->scenery->things.count; ++k) {
        const PxThing *t = &a->scenery->things.data[k];
        for (uint32_t i = 0; is_clear(a->scenery, t) && i < t->points; ++i) {
            float r = t->radius != NULL ? t->radius[i] : 0;
            PxV3 p = t->position[i];
            low = px_v3(fminf(low.x, p.x - r), fminf(low.y, p.y - r), fminf(low.z, p.z - r));
            high = px_v3(fmaxf(high.x, p.x + r), fmaxf(high.y, p.y + r), fmaxf(high.z, p.z + r));
        }
    }
    a->middle = px_v3_scale(px_v3_add(low, high), 0.5f);
    a->radius = low.x <= high.x ? 0.5f * px_v3_length(px_v3_sub(high, low)) : 0;
}

/* A photon of the sun through the disc in front of the sphere. */
static bool leave_sun(const Aim *a, PxSampler *s, PxRay *ray, PxV3 *power)
{
    float u, v, density;
    PxV3 in, radiance;
    px_sample2(s, &u, &v);
    if (!px_sun_sample(&a->scenery->sky, u, v, &in, &radiance, &density) || !(density > 0))
        return false;
    px_sample2(s, &u, &v);
    float r = a->radius * sqrtf(u), angle = 2 * PX_PI_F * v;
    PxV3 across = px_v3_local(in, r * cosf(angle), r * sinf(angle), 0);
    ray->from = px_v3_add(px_v3_mad(a->middle, in, 2 * a->radius), across);
    ray->direction = px_v3_scale(in, -1);
    *power = px_v3_scale(radiance, PX_PI_F * a->radius * a->radius / density);
    return true;
}

/* A photon of a lamp, from its sphere in a direction towards the other one. */
static bool leave_lamp(const Aim *a, const PxLamp *lamp, PxSampler *s, PxRay *ray, PxV3 *power)
{
    float u, v;
    px_sample2(s, &u, &v);
    PxV3 n = px_cone_sample(-1, u, v);
    ray->from = px_v3_mad(lamp->at, n, lamp->radius * 1.0001f);
    PxV3 way = px_v3_sub(a->middle, ray->from);
    float square = px_v3_dot(way, way), cosine = -1;
    if (square > a->radius * a->radius)
        cosine = sqrtf(1 - a->radius * a->radius / square);
    px_sample2(s, &u, &v);
    PxV3 w = px_cone_sample(cosine, u, v);
    ray->direction = px_v3_local(px_v3_unit(way), w.x, w.y, w.z);
    float leaves = px_v3_dot(ray->direction, n);
    float area = 4 * PX_PI_F * lamp->radius * lamp->radius, angle = 2 * PX_PI_F * (1 - cosine);
    *power = px_v3_scale(lamp->radiance, leaves * area * angle);
    return leaves > 0;
}

/* ---- a photon's way ---- */

/* Where the ray meets the ground before `most`; INFINITY: nowhere. */
static float ground_distance(const PxScenery *scenery, const PxRay *ray, float most)
{
    const PxGround *g = &scenery->ground;
    if (g->kind != PX_GROUND_FLOOR || ray->direction.y >= 0 || ray->from.y <= g->level)
        return INFINITY;
    float t = (g->level - ray->from.y) / ray->direction.y;
    return t < most ? t : INFINITY;
}

/* Follows a photon to the surface where it is kept; false: it is not. */
static bool follow(const Aim *a, PxRay *ray, PxSampler *s, PxV3 *power, PxV3 *at)
{
    const PxScenery *scenery = a->scenery;
    PxMedia media = px_media_at(scenery, a->rays, ray->from);
    bool focused = false;
    for (int n = 0; n < MOST_SEGMENTS; ++n) {
        PxHit hit;
        ray->media = px_media_bits(&media);
        ray->most = INFINITY;
        bool met = px_rays_intersect(a->rays, ray, &hit);
        float ground = ground_distance(scenery, ray, met ? hit.t : INFINITY);
        float way = fminf(ground, met ? hit.t : INFINITY);
        if (!isfinite(way))
            return false;
        const PxLook *medium = px_media_dominant(&media, scenery);
        if (medium != NULL)
            *power = px_v3_mul(*power, px_v3_exp(px_v3_scale(medium->absorb, -way)));
        *at = px_v3_mad(ray->from, ray->direction, way);
        if (isfinite(ground))
            return focused;
        uint32_t index = scenery->things.data[hit.thing].look;
        const PxLook *look = &scenery->looks.data[index];
        PxV3 next = ray->direction;
        if (look->kind == PX_LOOK_CLEAR) {
            bool enters = px_v3_dot(next, hit.geometric) < 0;
            PxMedia beyond = px_media_beyond(&media, index, enters);
            float u, v;
            if (px_media_hides(&media, &beyond, index, enters, scenery)) {
                media = beyond;
            } else {
                px_sample2(s, &u, &v);
                next = px_media_cross(&media, scenery, next, &hit, index, u);
                focused = true;
            }
        } else if (look->kind == PX_LOOK_PANE) {
            float cosine = fminf(1, fabsf(px_v3_dot(next, hit.normal)));
            float f = media.count > 0 ? 0 : px_fresnel(cosine, 1 / look->ior, NULL);
            *power = px_v3_scale(px_v3_mul(*power, hit.colour), 1 - 2 * f / (1 + f));
        } else {
            return focused && look->kind != PX_LOOK_METAL;
        }
        ray->from = px_offset_origin(*at, hit.geometric, next, hit.t);
        ray->direction = next;
        ray->least = hit.skip;
    }
    return false;
}

static void trace_photons(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Aim *a = user;
    bool sun = a->lights > a->scenery->lamps.count;
    for (uint32_t k = begin; k < end; ++k) {
        /* Photons of a light have consecutive points of its sequence. */
        uint32_t light = k % a->lights;
        PxSampler s = {px_hash32(a->seed + 0x51ed270bu + light), k / a->lights, 0};
        PxRay ray = {.least = 0};
        float u, v;
        px_sample2(&s, &u, &v);
        ray.time = u;
        a->power[k] = px_v3_all(0);
        PxV3 power, at;
        bool left = sun && light == 0
                        ? leave_sun(a, &s, &ray, &power)
                        : leave_lamp(a, &a->scenery->lamps.data[light - sun], &s, &ray, &power);
        if (!left || !follow(a, &ray, &s, &power, &at))
            continue;
        a->power[k] = px_v3_scale(power, (float)a->lights / (float)a->photons);
        a->at[k] = at;
        a->towards[k] = px_v3_scale(ray.direction, -1);
    }
}

/* ---- the map ---- */

static PxStatus build_tree(PxCaustics *c)
{
    size_t room = (size_t)c->count + 1;
    float *x = malloc(room * sizeof *x), *y = malloc(room * sizeof *y),
          *z = malloc(room * sizeof *z);
    PxArena scratch;
    px_arena_init(&scratch, NULL);
    PxStatus status = x != NULL && y != NULL && z != NULL
                          ? PX_OK
                          : px_fail(PX_ERR_MEMORY, "render: no room for %u photons", c->count);
    for (uint32_t k = 0; status == PX_OK && k < c->count; ++k) {
        x[k] = c->at[k].x;
        y[k] = c->at[k].y;
        z[k] = c->at[k].z;
    }
    if (status == PX_OK)
        status = px_kdtree_build(&c->tree, x, y, z, c->count, &scratch);
    px_arena_free(&scratch);
    free(x);
    free(y);
    free(z);
    return status;
}

/* Keeps the photons that have met something. */
static void compact(PxCaustics *c, uint32_t photons)
{
    for (uint32_t k = 0; k < photons; ++k) {
        if (!(px_v3_max(c->power[k]) > 0) || !isfinite(px_v3_length(c->at[k])))
            continue;
        c->at[c->count] = c->at[k];
        c->power[c->count] = c->power[k];
        c->towards[c->count++] = c->towards[k];
    }
}

PxStatus px_caustics_create(const PxScenery *scenery, const PxRays *rays, uint32_t photons,
                            uint32_t seed, const PxThreads *threads, PxCaustics **out)
{
    *out = NULL;
    bool sun = scenery->sky.sunlight.x > 0 || scenery->sky.map != NULL;
    Aim aim = {.scenery = scenery,
               .rays = rays,
               .photons = photons,
               .seed = seed,
               .lights = (uint32_t)scenery->lamps.count + sun};
    find_sphere(&aim);
    if (aim.lights == 0 || !(aim.radius > 0) || photons == 0)
        return PX_OK;
    PxCaustics *c = calloc(1, sizeof *c);
    if (c == NULL)
        return px_fail(PX_ERR_MEMORY, "render: no room for photons");
    px_kdtree_init(&c->tree, NULL);
    c->reach = aim.radius * sqrtf(USUAL * (float)aim.lights / (float)photons);
    c->at = aim.at = malloc((size_t)photons * sizeof *c->at);
    c->power = aim.power = malloc((size_t)photons * sizeof *c->power);
    c->towards = aim.towards = malloc((size_t)photons * sizeof *c->towards);
    PxStatus status = c->at != NULL && c->power != NULL && c->towards != NULL
                          ? px_parallel_try(threads, photons, 4096, trace_photons, &aim)
                          : px_fail(PX_ERR_MEMORY, "render: no room for %u photons", photons);
    if (status == PX_OK) {
        compact(c, photons);
        status = build_tree(c);
    }
    if (status != PX_OK)
        px_caustics_free(c);
    else
        *out = c;
    return status;
}

void px_caustics_free(PxCaustics *c)
{
    if (c == NULL)
        return;
    px_kdtree_free(&c->tree);
    free(c->at);
    free(c->power);
    free(c->towards);
    free(c);
}

/* The kernel is that of Epanechnikov, 2 (1 - r^2 / R^2) / (pi R^2), in a flat disc, so that photons
 * of surfaces beside this one count little. Where photons are dense the disc is smaller. */
PxV3 px_caustics_light(const PxCaustics *c, PxV3 at, PxV3 normal)
{
    uint32_t who[MOST], found;
    float reach = c->reach;
    while ((found = px_kdtree_range(&c->tree, at.x, at.y, at.z, reach, who, MOST)) > MOST)
        reach *= 0.7f;
    PxV3 sum = px_v3_all(0);
    float square = reach * reach;
    for (uint32_t k = 0; k < found; ++k) {
        PxV3 off = px_v3_sub(c->at[who[k]], at);
        float above = px_v3_dot(off, normal), far = px_v3_dot(off, off);
        if (far >= square || px_v3_dot(c->towards[who[k]], normal) <= 0 ||
            above * above > 0.1f * square)
            continue;
        sum = px_v3_mad(sum, c->power[who[k]], 2 * (1 - far / square) / (PX_PI_F * square));
    }
    return sum;
}
