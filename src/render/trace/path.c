/* Unidirectional path tracing [Kajiya 1986]. At each surface that scatters, light is sampled in
 * two ways: towards the sun and the lamps, and along the continuing path; both are combined by
 * multiple importance sampling [Veach and Guibas 1995, balance heuristic].
 *
 * Water and glass refract and reflect what the camera sees. Shadow rays are not refracted:
 * caustics would be found by chance so seldom that they are noise. They go straight and lose
 * what interfaces reflect and media absorb (px_rays_transmittance), unless there is a map of
 * caustics, which has that light. Nor are paths refracted
 * between diffuse surfaces, where they lose what the medium absorbs. */
#include "render/trace/path.h"

#include "render/trace/ground.h"
#include "render/trace/optics.h"

#include <string.h>

/* ---- BSDF ---- */

/* The BSDF at a surface point, for one outgoing direction. */
typedef struct Bsdf {
    const PxLook *look;
    PxV3 colour;
    PxV3 n, s, t;  /* local frame; n on the visible side */
    PxV3 out;      /* towards the viewer, in the local frame */
    float varnish; /* probability of sampling the varnish */
    float alpha;   /* GGX alpha of the varnish or metal */
} Bsdf;

#define LEAST_ALPHA 0.02f
/* Least alpha after the first scattering: reflections of light from one surface onto another are
 * found so seldom that they would be fireflies (path-space regularisation) [Kaplanyan and
 * Dachsbacher 2013]. */
#define LEAST_ALPHA_INDIRECT 0.35f

static PxV3 to_frame(const Bsdf *s, PxV3 w)
{
    return px_v3(px_v3_dot(w, s->s), px_v3_dot(w, s->t), px_v3_dot(w, s->n));
}

static Bsdf bsdf_make(const PxLook *look, PxV3 colour, PxV3 normal, PxV3 out, bool first)
{
    Bsdf s = {.look = look, .colour = colour, .n = normal};
    s.alpha = fmaxf(first ? LEAST_ALPHA : LEAST_ALPHA_INDIRECT, look->roughness * look->roughness);
    px_v3_frame(s.n, &s.s, &s.t);
    s.out = to_frame(&s, out);
    s.out.z = fmaxf(1e-4f, s.out.z);
    if (look->kind == PX_LOOK_METAL)
        s.varnish = 1;
    else if (look->kind == PX_LOOK_GLOSSY) {
        float f = px_fresnel(fminf(1, s.out.z), 1 / look->ior, NULL);
        s.varnish = f / (f + (1 - f) * px_v3_max(colour) + 1e-6f);
        s.varnish = px_clampf(s.varnish, 0.1f, 0.9f);
    }
    return s;
}

/* BSDF times cosine for light from `in` (local frame), and the probability density with which
 * bsdf_sample() returns that direction. */
static PxV3 bsdf_eval(const Bsdf *s, PxV3 in, float *density)
{
    *density = 0;
    if (in.z <= 0)
        return px_v3_all(0);
    if (s->look->kind == PX_LOOK_MATTE) {
        *density = in.z / PX_PI_F;
        return px_v3_scale(s->colour, *density);
    }
    float alpha = s->alpha;
    PxV3 half = px_v3_unit(px_v3_add(in, s->out));
    float towards = fmaxf(0, px_v3_dot(half, s->out));
    float mirror =
        px_ggx_distribution(half, alpha) * px_ggx_shadowing2(in, s->out, alpha) / (4 * s->out.z);
    float chance = px_ggx_density(s->out, half, alpha) / fmaxf(1e-6f, 4 * towards);
    if (s->look->kind == PX_LOOK_METAL) {
        *density = chance;
        return px_v3_scale(px_fresnel_metal(towards, s->colour), mirror);
    }
    float f = px_fresnel(towards, 1 / s->look->ior, NULL);
    /* Transmittance of the varnish, in and out. */
    float below = (1 - px_fresnel(fminf(1, in.z), 1 / s->look->ior, NULL)) *
                  (1 - px_fresnel(fminf(1, s->out.z), 1 / s->look->ior, NULL));
    *density = s->varnish * chance + (1 - s->varnish) * in.z / PX_PI_F;
    return px_v3_mad(px_v3_all(f * mirror), s->colour, below * in.z / PX_PI_F);
}

/* Samples a direction in the local frame; z <= 0 when there is none. */
static PxV3 bsdf_sample(const Bsdf *s, PxSampler *sampler)
{
    float u, v, choice = 0, unused;
    if (s->look->kind == PX_LOOK_GLOSSY)
        px_sample2(sampler, &choice, &unused);
    px_sample2(sampler, &u, &v);
    if (s->look->kind == PX_LOOK_MATTE || (s->look->kind == PX_LOOK_GLOSSY && choice >= s->varnish))
        return px_cosine_sample(u, v);
    PxV3 half = px_ggx_sample(s->out, s->alpha, u, v);
    return px_v3_sub(px_v3_scale(half, 2 * px_v3_dot(half, s->out)), s->out);
}

/* ---- direct light ---- */

typedef struct Path {
    const PxPathDef *def;
    PxSampler *sampler;
    PxRay ray;
    PxV3 throughput; /* factor on light found from here on */
    PxV3 light;      /* radiance found so far */
    float opacity;
    PxMedia media;
    int scattered;
    bool skip_emitters; /* do not add the sun or lamps when hit: the path crossed a clear surface
                         * since it last scattered, or their light was sampled there completely */
    bool deflected;     /* reflected or refracted: the background is not seen straight */
    bool sky_counted;   /* the sky's light along this segment was added already */
    float density;      /* probability density of the direction at the last scattering */
} Path;

static void add_light(Path *p, PxV3 light)
{
    PxV3 found = px_v3_mul(p->throughput, light);
    float most = p->scattered > 1 ? 0.25f * p->def->clamp : p->def->clamp;
    float size = px_v3_max(found);
    if (size > most)
        found = px_v3_scale(found, most / size);
    p->light = px_v3_add(p->light, found);
}

/* Is light through clear things taken from the map of caustics? At the first surface only: where
 * light arrives there from others, its pattern is lost. Called after p->scattered is counted. */
static bool has_caustics(const Path *p, const PxLook *look)
{
    return p->def->caustics != NULL && p->scattered == 1 && look->kind != PX_LOOK_METAL;
}

/* Adds direct light from the direction `in`, which was sampled with density `here`, attenuated by
 * the media and surfaces on the way. */
static void add_direct(Path *p, const Bsdf *s, PxV3 at, const PxHit *hit, PxV3 in, float distance,
                       PxV3 radiance, float here)
{
    float other;
    if (px_v3_dot(in, hit->geometric) * px_v3_dot(s->n, hit->geometric) <= 0)
        return; /* behind the geometric surface, though not behind the shading normal */
    PxV3 value = bsdf_eval(s, to_frame(s, in), &other);
    if (px_v3_max(value) <= 0)
        return;
    PxRay ray = {.from = px_offset_origin(at, hit->geometric, in, hit->t),
                 .direction = in,
                 .least = hit->skip,
                 .most = distance,
                 .time = p->ray.time};
    bool open = has_caustics(p, s->look);
    PxV3 pass = open ? px_rays_open(p->def->rays, &ray) : px_rays_transmittance(p->def->rays, &ray);
    if (px_v3_max(pass) <= 0)
        return;
    /* The path does not add lights behind clear surfaces (see `skip_emitters`), and from diffuse
     * surfaces it hits them so seldom that they would be fireflies: then this sample gets full
     * weight. */
    float share = pass.x < 1 || s->look->kind == PX_LOOK_MATTE ? 1 : here / (here + other);
    add_light(p, px_v3_scale(px_v3_mul(px_v3_mul(value, radiance), pass), share / here));
}

static float lamp_cosine(const PxLamp *lamp, float square)
{
    return sqrtf(fmaxf(0, 1 - lamp->radius * lamp->radius / square));
}

static void sample_lights(Path *p, const Bsdf *s, PxV3 at, const PxHit *hit)
{
    const PxScenery *scenery = p->def->scenery;
    float u, v;
    if (scenery->sky.sunlight.x > 0 || scenery->sky.map != NULL) {
        PxV3 in, radiance;
        float density;
        px_sample2(p->sampler, &u, &v);
        if (px_sun_sample(&scenery->sky, u, v, &in, &radiance, &density))
            add_direct(p, s, at, hit, in, INFINITY, radiance, density);
    }
    for (size_t k = 0; k < scenery->lamps.count; ++k) {
        const PxLamp *lamp = &scenery->lamps.data[k];
        PxV3 way = px_v3_sub(lamp->at, at);
        float square = px_v3_dot(way, way);
        px_sample2(p->sampler, &u, &v);
        if (square <= lamp->radius * lamp->radius * 1.0001f)
            continue;
        float cosine = lamp_cosine(lamp, square);
        PxV3 w = px_cone_sample(cosine, u, v);
        PxV3 in = px_v3_local(px_v3_unit(way), w.x, w.y, w.z);
        /* up to the near side of the sphere */
        float along = px_v3_dot(way, in);
        float clamped = fmaxf(0, lamp->radius * lamp->radius - (square - along * along));
        add_direct(p, s, at, hit, in, (along - sqrtf(clamped)) * 0.9999f, lamp->radiance,
                   1 / (2 * PX_PI_F * fmaxf(1e-7f, 1 - cosine)));
    }
}

/* Adds the light that clear things send here. Its reflection by a varnish is left out. */
static void add_caustics(Path *p, const Bsdf *s, PxV3 at)
{
    if (!has_caustics(p, s->look))
        return;
    float below = 1;
    if (s->look->kind == PX_LOOK_GLOSSY)
        below = 1 - px_fresnel(fminf(1, s->out.z), 1 / s->look->ior, NULL);
    PxV3 light = px_caustics_light(p->def->caustics, at, s->n);
    add_light(p, px_v3_scale(px_v3_mul(s->colour, light), below / PX_PI_F));
}

/* Adds the light of a lamp or the sun that the path hit. */
static void add_emitter(Path *p, PxV3 radiance, float density)
{
    if (p->scattered == 0)
        add_light(p, radiance);
    else if (!p->skip_emitters)
        add_light(p, px_v3_scale(radiance, p->density / (p->density + density)));
}

/* ---- segments of a path ---- */

/* The nearest lamp that the ray hits before *most. */
static const PxLamp *intersect_lamps(const PxScenery *scenery, const PxRay *ray, float *most)
{
    const PxLamp *found = NULL;
    for (size_t k = 0; k < scenery->lamps.count; ++k) {
        const PxLamp *lamp = &scenery->lamps.data[k];
        PxV3 way = px_v3_sub(lamp->at, ray->from);
        float along = px_v3_dot(way, ray->direction);
        float square = lamp->radius * lamp->radius - (px_v3_dot(way, way) - along * along);
        float t = square > 0 ? along - sqrtf(square) : -1;
        if (t > 0 && t < *most) {
            *most = t;
            found = lamp;
        }
    }
    return found;
}

static bool intersect_ground(const PxScenery *scenery, const PxRay *ray, float most, float *t)
{
    if (scenery->ground.kind == PX_GROUND_NONE || ray->direction.y >= 0 ||
        ray->from.y <= scenery->ground.level)
        return false;
    *t = (scenery->ground.level - ray->from.y) / ray->direction.y;
    return *t > 0 && *t < most;
}

/* Continues the path in that direction. */
static void continue_path(Path *p, PxV3 at, PxV3 direction, const PxHit *hit)
{
    p->ray.from = px_offset_origin(at, hit->geometric, direction, hit->t);
    p->ray.direction = direction;
    p->ray.least = hit->skip;
    p->ray.most = INFINITY;
}

/* At the interface of a clear medium: reflects or refracts at random. */
static void cross_interface(Path *p, PxV3 at, const PxHit *hit, uint32_t index)
{
    const PxScenery *scenery = p->def->scenery;
    PxV3 d = p->ray.direction;
    bool enters = px_v3_dot(d, hit->geometric) < 0;
    PxMedia beyond = px_media_beyond(&p->media, index, enters);
    float u, v;
    p->skip_emitters = true;
    /* Inside a medium of higher priority the surface is no interface. After scattering
     * paths cross interfaces without refraction, as shadow rays do. */
    if (p->scattered > 0 || px_media_hides(&p->media, &beyond, index, enters, scenery)) {
        p->media = beyond;
        continue_path(p, at, d, hit);
        return;
    }
    p->deflected = true;
    px_sample2(p->sampler, &u, &v);
    PxV3 next = px_media_cross(&p->media, scenery, d, hit, index, u);
    continue_path(p, at, next, hit);
}

/* A pane so thin that nothing is refracted: with multiple reflections inside it reflects 2 F /
 * (1 + F). For the camera it reflects the sky only, for indirect light nothing: that loses
 * little light and avoids much noise. */
static void cross_pane(Path *p, PxV3 at, const PxHit *hit, const PxLook *look)
{
    const PxSky *sky = &p->def->scenery->sky;
    bool wet = p->media.count > 0; /* nearly the same refractive index on both sides */
    p->skip_emitters = true;
    if (!wet && p->scattered == 0) {
        float cosine = fminf(1, fabsf(px_v3_dot(p->ray.direction, hit->normal)));
        float f = px_fresnel(cosine, 1 / look->ior, NULL), mirrored = 2 * f / (1 + f);
        PxV3 there = px_reflect(p->ray.direction, hit->normal);
        PxV3 seen = px_v3_add(px_sky_radiance(sky, there), px_sun_radiance(sky, there));
        add_light(p, px_v3_scale(seen, mirrored));
        p->throughput = px_v3_scale(p->throughput, 1 - mirrored);
    }
    p->throughput = px_v3_mul(p->throughput, hit->colour);
    continue_path(p, at, p->ray.direction, hit);
}

/* Scatters at a surface; false when the path ends. */
static bool scatter(Path *p, PxV3 at, const PxHit *hit, const PxLook *look)
{
    PxV3 out = px_v3_scale(p->ray.direction, -1), n = hit->normal;
    if (px_v3_dot(n, out) <= 0)
        n = px_v3_dot(hit->geometric, out) > 0 ? hit->geometric : px_v3_scale(n, -1);
    if (hit->temperature > 0)
        add_light(p, px_blackbody(hit->temperature));
    PxLook wet;
    if (hit->wetness > 0) {
        wet = px_look_wet(look, hit->wetness);
        look = &wet;
    }
    Bsdf s = bsdf_make(look, hit->colour, n, out, p->scattered == 0);
    ++p->scattered;
    sample_lights(p, &s, at, hit);
    add_caustics(p, &s, at);
    if (p->scattered >= p->def->most_scatter)
        return false;
    PxV3 in = bsdf_sample(&s, p->sampler);
    PxV3 value = bsdf_eval(&s, in, &p->density);
    if (!(p->density > 0))
        return false;
    PxV3 next = px_v3_mad(px_v3_mad(px_v3_scale(s.n, in.z), s.s, in.x), s.t, in.y);
    if (px_v3_dot(next, hit->geometric) * px_v3_dot(n, hit->geometric) <= 0)
        return false;
    p->throughput = px_v3_mul(p->throughput, px_v3_scale(value, 1 / p->density));
    p->skip_emitters = look->kind == PX_LOOK_MATTE; /* direct light was sampled completely */
    continue_path(p, at, next, hit);
    return true;
}

/* Missing fraction of the light on a shadow catcher. */
static float shadow_on_ground(Path *p, PxV3 at)
{
    const PxSky *sky = &p->def->scenery->sky;
    PxV3 up = px_v3(0, 1, 0);
    float u, v, whole = 0, left = 0;
    px_sample2(p->sampler, &u, &v);
    PxRay ray = {.from = px_offset_origin(at, up, up, 0), .most = INFINITY, .time = p->ray.time};
    PxV3 radiance;
    float density;
    if (sky->map != NULL) {
        if (px_sun_sample(sky, u, v, &ray.direction, &radiance, &density) && ray.direction.y > 0) {
            whole = px_v3_luminance(radiance) / density * ray.direction.y;
            left = whole * px_v3_luminance(px_rays_transmittance(p->def->rays, &ray));
        }
    } else if (sky->sunlight.x > 0 && sky->sun.y > 0) {
        PxV3 w = px_cone_sample(sky->sun_cosine, u, v);
        ray.direction = px_v3_local(sky->sun, w.x, w.y, w.z);
        whole = px_v3_luminance(sky->sunlight) * sky->sun.y;
        left = whole * px_v3_luminance(px_rays_transmittance(p->def->rays, &ray));
    }
    px_sample2(p->sampler, &u, &v);
    PxV3 w = px_cosine_sample(u, v);
    ray.direction = px_v3(w.x, w.z, w.y);
    float light = PX_PI_F * px_v3_luminance(px_sky_radiance(sky, ray.direction));
    whole += light;
    left += light * px_v3_luminance(px_rays_transmittance(p->def->rays, &ray));
    return whole > 0 ? 1 - left / whole : 0;
}

/* The path hit the ground at distance t; false when it ends. */
static bool hit_ground(Path *p, float t)
{
    const PxScenery *scenery = p->def->scenery;
    const PxGround *ground = &scenery->ground;
    PxV3 at = px_v3_mad(p->ray.from, p->ray.direction, t);
    at.y = ground->level;
    if (ground->kind == PX_GROUND_CATCHER && p->scattered == 0) {
        p->opacity = p->deflected ? 1 : shadow_on_ground(p, at);
        if (!p->deflected)
            return false;
    }
    float fade = px_smoothf(ground->near_end, ground->far_end, sqrtf(at.x * at.x + at.z * at.z));
    if (fade > 0)
        add_light(p, px_v3_scale(px_sky_radiance(&scenery->sky, p->ray.direction), fade));
    if (fade >= 1)
        return false;
    p->throughput = px_v3_scale(p->throughput, 1 - fade);
    PxLook look = px_look_matte(px_ground_colour(ground, at));
    PxHit hit = {
        .t = t, .geometric = px_v3(0, 1, 0), .normal = px_v3(0, 1, 0), .colour = look.colour};
    /* The sky's irradiance on open ground is known. It is added here and the path estimates only
     * the difference: a control variate [Kahn and Marshall 1953], by which unoccluded ground has
     * no noise. */
    bool open = p->media.count == 0 && p->scattered + 1 < p->def->most_scatter;
    if (open)
        add_light(p, px_v3_mul(look.colour, px_v3_scale(p->def->open_light, 1 / PX_PI_F)));
    bool on = scatter(p, at, &hit, &look);
    p->sky_counted = open;
    return on;
}

static void hit_sky(Path *p)
{
    const PxScenery *scenery = p->def->scenery;
    if (scenery->ground.kind == PX_GROUND_CATCHER && p->scattered == 0 && !p->deflected) {
        p->opacity = 0;
        return;
    }
    if (!p->sky_counted)
        add_light(p, px_sky_radiance(&scenery->sky, p->ray.direction));
    PxV3 sun = px_sun_radiance(&scenery->sky, p->ray.direction);
    if (px_v3_max(sun) > 0)
        add_emitter(p, sun, px_sun_density(&scenery->sky, p->ray.direction));
}

/* Traces one segment and handles what it hits; false when the path ends. */
static bool extend_path(Path *p)
{
    const PxScenery *scenery = p->def->scenery;
    PxHit hit;
    p->ray.media = px_media_bits(&p->media);
    bool met = px_rays_intersect(p->def->rays, &p->ray, &hit);
    float most = met ? hit.t : INFINITY, t = 0;
    const PxLamp *lamp = intersect_lamps(scenery, &p->ray, &most);
    bool ground = intersect_ground(scenery, &p->ray, most, &t);
    if (p->sky_counted && (met || lamp != NULL)) {
        add_light(p, px_v3_scale(px_sky_radiance(&scenery->sky, p->ray.direction), -1));
        p->sky_counted = false;
    }
    const PxLook *medium = px_media_dominant(&p->media, scenery);
    float way = ground ? t : most;
    if (medium != NULL && isfinite(way))
        p->throughput = px_v3_mul(p->throughput, px_v3_exp(px_v3_scale(medium->absorb, -way)));
    if (ground)
        return hit_ground(p, t);
    if (lamp != NULL) {
        PxV3 to = px_v3_sub(lamp->at, p->ray.from);
        float cosine = lamp_cosine(lamp, fmaxf(px_v3_dot(to, to), lamp->radius * lamp->radius));
        add_emitter(p, lamp->radiance, 1 / (2 * PX_PI_F * fmaxf(1e-7f, 1 - cosine)));
        return false;
    }
    if (!met) {
        hit_sky(p);
        return false;
    }
    PxV3 at = px_v3_mad(p->ray.from, p->ray.direction, hit.t);
    uint32_t index = scenery->things.data[hit.thing].look;
    const PxLook *look = &scenery->looks.data[index];
    if (look->kind == PX_LOOK_CLEAR) {
        cross_interface(p, at, &hit, index);
        return true;
    }
    if (look->kind == PX_LOOK_PANE) {
        cross_pane(p, at, &hit, look);
        return true;
    }
    return scatter(p, at, &hit, look);
}

/* ---- the camera ---- */

static PxRay camera_ray(const PxCamera *c, float x, float y, PxSampler *sampler)
{
    PxV3 d = px_v3_mad(c->forward, c->right, x * c->slope);
    d = px_v3_mad(d, c->up, y * c->slope);
    PxRay ray = {.from = c->eye, .most = INFINITY};
    float u, v;
    if (c->lens > 0) {
        px_sample2(sampler, &u, &v);
        float r = c->lens * sqrtf(u), angle = 2 * PX_PI_F * v;
        PxV3 sharp = px_v3_mad(c->eye, d, c->focus);
        ray.from = px_v3_mad(c->eye, c->right, r * cosf(angle));
        ray.from = px_v3_mad(ray.from, c->up, r * sinf(angle));
        d = px_v3_sub(sharp, ray.from);
    }
    px_sample2(sampler, &u, &v);
    ray.time = u;
    ray.direction = px_v3_unit(d);
    return ray;
}

PxRadiance px_path_trace(const PxPathDef *def, float x, float y, PxSampler *sampler)
{
    Path p = {.def = def,
              .sampler = sampler,
              .throughput = px_v3_all(1),
              .opacity = 1,
              .media = def->start};
    p.ray = camera_ray(&def->scenery->camera, x, y, sampler);
    for (int bounce = 0; extend_path(&p); ++bounce) {
        float size = px_v3_max(p.throughput), u, v;
        if (bounce + 1 >= def->most_bounces) {
            /* Trapped between interfaces: add a mean of the sky, or glass would have black
             * spots. */
            if (!p.sky_counted)
                add_light(
                    &p, px_v3_scale(px_v3_add(def->scenery->sky.horizon, def->scenery->sky.zenith),
                                    0.4f));
            break;
        }
        if (bounce < 3 || size >= 1)
            continue;
        /* Russian roulette [Arvo and Kirk 1990]. */
        px_sample2(sampler, &u, &v);
        float chance = fmaxf(0.05f, size);
        if (u >= chance)
            break;
        p.throughput = px_v3_scale(p.throughput, 1 / chance);
    }
    return (PxRadiance){p.light, p.opacity};
}

/* Shells are curved: a ray that grazes one leaves it again after a few thicknesses. */
#define GRAZING 0.1f

PxRadiance px_xray_trace(const PxPathDef *def, float x, float y, PxSampler *sampler)
{
    enum { ROOM = 1024 };
    PxCrossing crossing[ROOM];
    const PxScenery *scenery = def->scenery;
    PxRay ray = camera_ray(&scenery->camera, x, y, sampler);
    size_t count = px_rays_crossings(def->rays, &ray, crossing, ROOM);
    float lost = 0;
    for (size_t c = 0; c < count; ++c) {
        const PxLook *look = &scenery->looks.data[scenery->things.data[crossing[c].thing].look];
        lost += look->xray * look->shell / fmaxf(GRAZING, crossing[c].cosine);
    }
    /* Length inside each look; overlapping things of one look count once. */
    for (uint32_t k = 0; k < scenery->looks.count; ++k) {
        if (scenery->looks.data[k].shell > 0)
            continue;
        int inside = 0;
        float began = 0;
        for (size_t c = 0; c < count; ++c) {
            const PxThing *t = &scenery->things.data[crossing[c].thing];
            if (t->look != k)
                continue;
            int before = inside;
            if (t->kind == PX_THING_DISCS) /* overlapping discs are one interface */
                inside = crossing[c].in;
            else
                inside += crossing[c].in ? 1 : -1;
            if (before <= 0 && inside > 0)
                began = crossing[c].t;
            else if (before > 0 && inside <= 0)
                lost += scenery->looks.data[k].xray * (crossing[c].t - began);
        }
    }
    return (PxRadiance){px_v3_all(expf(-lost)), 1};
}
