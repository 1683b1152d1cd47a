/* A path is followed from the camera from surface to surface [Kajiya 1986]. At each one
 * that scatters, light is looked for in two ways: towards the sun or a lamp, and in the
 * direction in which the path goes on; both are weighted by how likely each was to find
 * it [Veach and Guibas 1995, balance heuristic].
 *
 * What the camera sees through water and glass, and in it, is bent and mirrored as it
 * should be. Light on its way from the sun to a surface is not bent: what would be a caustic
 * is found by chance so seldom that it is noise. It goes straight on and loses what the
 * borders reflect and the medium absorbs (px_rays_pass). Nor is light bent between
 * surfaces that scatter, where it loses what the medium absorbs. */
#include "render/trace/path.h"

#include "render/trace/optics.h"

#include <string.h>

/* ---- what the ray is in ---- */

static const PxLook *media_top(const PxMedia *m, const PxScenery *scenery)
{
    const PxLook *top = NULL;
    for (int k = 0; k < m->count; ++k) {
        const PxLook *look = &scenery->looks.data[m->look[k]];
        if (top == NULL || look->rank > top->rank)
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

static uint32_t media_bits(const PxMedia *m)
{
    uint32_t bits = 0;
    for (int k = 0; k < m->count; ++k)
        if (m->look[k] < PX_MOST_MEDIA)
            bits |= 1u << m->look[k];
    return bits;
}

PxMedia px_media_at(const PxScenery *scenery, const PxRays *rays, PxV3 place)
{
    /* What a ray to the sky leaves before it enters it, it begins in. */
    enum { ROOM = 256 };
    PxCrossing crossing[ROOM];
    PxMedia in = {.count = 0};
    PxRay ray = {.from = place, .direction = px_v3(0, 1, 0), .most = INFINITY};
    size_t count = px_rays_cross(rays, &ray, crossing, ROOM);
    for (uint32_t k = 0; k < scenery->looks.count; ++k)
        for (size_t c = 0; c < count && scenery->looks.data[k].kind == PX_LOOK_CLEAR; ++c)
            if (scenery->things.data[crossing[c].thing].look == k) {
                if (!crossing[c].in)
                    media_add(&in, k);
                break;
            }
    return in;
}

/* ---- surfaces that scatter ---- */

/* A place on one, seen from `out`. */
typedef struct Spot {
    const PxLook *look;
    PxV3 colour;
    PxV3 n, s, t;  /* the frame; n on the side that is seen */
    PxV3 out;      /* towards the eye, in the frame */
    float varnish; /* part that the varnish reflects: chance to follow it */
    float alpha;   /* roughness of the varnish or metal */
} Spot;

#define SMOOTHEST 0.02f
/* What is seen by way of another surface is at least this rough: what shines from one onto the
 * other is found so seldom that it would be sparks [Kaplanyan and Dachsbacher 2013]. */
#define SMOOTHEST_AFTER 0.35f

static PxV3 to_frame(const Spot *s, PxV3 w)
{
    return px_v3(px_v3_dot(w, s->s), px_v3_dot(w, s->t), px_v3_dot(w, s->n));
}

static Spot spot_make(const PxLook *look, PxV3 colour, PxV3 normal, PxV3 out, bool first)
{
    Spot s = {.look = look, .colour = colour, .n = normal};
    s.alpha = fmaxf(first ? SMOOTHEST : SMOOTHEST_AFTER, look->roughness * look->roughness);
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

/* What comes from `in` (in the frame) and goes out: reflectance times the cosine, and the
 * density with which spot_sample() gives that direction. */
static PxV3 spot_value(const Spot *s, PxV3 in, float *density)
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
    /* What the varnish lets in, and out again. */
    float below = (1 - px_fresnel(fminf(1, in.z), 1 / s->look->ior, NULL)) *
                  (1 - px_fresnel(fminf(1, s->out.z), 1 / s->look->ior, NULL));
    *density = s->varnish * chance + (1 - s->varnish) * in.z / PX_PI_F;
    return px_v3_mad(px_v3_all(f * mirror), s->colour, below * in.z / PX_PI_F);
}

/* A direction in the frame; z <= 0 when there is none. */
static PxV3 spot_sample(const Spot *s, PxSampler *sampler)
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

/* ---- light that is looked for ---- */

typedef struct Path {
    const PxPathDef *def;
    PxSampler *sampler;
    PxRay ray;
    PxV3 weight; /* of what is found from here on */
    PxV3 light;  /* found so far */
    float cover;
    PxMedia media;
    int scattered;
    bool through;  /* the sun and lamps do not count when they are come upon: there was
                    * something clear since the path last scattered, or they did already */
    bool bent;     /* off or by something clear: what is seen is not straight behind it */
    bool counted;  /* if this stretch ends in the sky, its light is counted already */
    float density; /* with which the direction was chosen where it last scattered */
} Path;

/* Where a ray from here may start without meeting the surface it is on. */
static PxV3 set_off(PxV3 at, PxV3 flat, PxV3 direction, float t)
{
    float size = fmaxf(fabsf(at.x), fmaxf(fabsf(at.y), fabsf(at.z))) + t;
    return px_v3_mad(at, flat, copysignf(1e-5f * size, px_v3_dot(flat, direction)));
}

static void add_light(Path *p, PxV3 light)
{
    PxV3 found = px_v3_mul(p->weight, light);
    float most = p->scattered > 1 ? 0.25f * p->def->clamp : p->def->clamp;
    float size = px_v3_max(found);
    if (size > most)
        found = px_v3_scale(found, most / size);
    p->light = px_v3_add(p->light, found);
}

/* Light of density `here` per solid angle, coming from `in` through what is between. */
static void add_from(Path *p, const Spot *s, PxV3 at, const PxHit *hit, PxV3 in, float distance,
                     PxV3 radiance, float here)
{
    float other;
    if (px_v3_dot(in, hit->flat) * px_v3_dot(s->n, hit->flat) <= 0)
        return; /* from behind what was hit, though not behind the smooth surface */
    PxV3 value = spot_value(s, to_frame(s, in), &other);
    if (px_v3_max(value) <= 0)
        return;
    PxRay ray = {.from = set_off(at, hit->flat, in, hit->t),
                 .direction = in,
                 .least = hit->skip,
                 .most = distance,
                 .time = p->ray.time};
    PxV3 pass = px_rays_pass(p->def->rays, &ray);
    if (px_v3_max(pass) <= 0)
        return;
    /* Through something clear the path itself does not find it (see `through`), and off
     * what is matte it does so seldom and then with a flash. */
    float share = pass.x < 1 || s->look->kind == PX_LOOK_MATTE ? 1 : here / (here + other);
    add_light(p, px_v3_scale(px_v3_mul(px_v3_mul(value, radiance), pass), share / here));
}

static float lamp_cosine(const PxLamp *lamp, float square)
{
    return sqrtf(fmaxf(0, 1 - lamp->radius * lamp->radius / square));
}

static void look_for_light(Path *p, const Spot *s, PxV3 at, const PxHit *hit)
{
    const PxScenery *scenery = p->def->scenery;
    float u, v;
    if (scenery->sky.sunlight.x > 0) {
        px_sample2(p->sampler, &u, &v);
        PxV3 w = px_cone_sample(scenery->sky.sun_cosine, u, v);
        PxV3 in = px_v3_local(scenery->sky.sun, w.x, w.y, w.z);
        float angle = px_sun_angle(&scenery->sky);
        add_from(p, s, at, hit, in, INFINITY, px_v3_scale(scenery->sky.sunlight, 1 / angle),
                 1 / angle);
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
        /* as far as the ball's near side */
        float along = px_v3_dot(way, in);
        float inner = fmaxf(0, lamp->radius * lamp->radius - (square - along * along));
        add_from(p, s, at, hit, in, (along - sqrtf(inner)) * 0.9999f, lamp->radiance,
                 1 / (2 * PX_PI_F * fmaxf(1e-7f, 1 - cosine)));
    }
}

/* Light of a lamp or of the sun that the path itself has come upon. */
static void come_upon(Path *p, PxV3 radiance, float density)
{
    if (p->scattered == 0)
        add_light(p, radiance);
    else if (!p->through)
        add_light(p, px_v3_scale(radiance, p->density / (p->density + density)));
}

/* ---- steps of a path ---- */

/* The lamp that the ray meets before `most`. */
static const PxLamp *meet_lamp(const PxScenery *scenery, const PxRay *ray, float *most)
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

static bool meet_ground(const PxScenery *scenery, const PxRay *ray, float most, float *t)
{
    if (scenery->ground.kind == PX_GROUND_NONE || ray->direction.y >= 0 ||
        ray->from.y <= scenery->ground.level)
        return false;
    *t = (scenery->ground.level - ray->from.y) / ray->direction.y;
    return *t > 0 && *t < most;
}

/* Goes on in that direction. */
static void turn_to(Path *p, PxV3 at, PxV3 direction, const PxHit *hit)
{
    p->ray.from = set_off(at, hit->flat, direction, hit->t);
    p->ray.direction = direction;
    p->ray.least = hit->skip;
    p->ray.most = INFINITY;
}

/* At the border of something clear: mirrored or let through, by chance. */
static void cross_border(Path *p, PxV3 at, const PxHit *hit, uint32_t index)
{
    const PxScenery *scenery = p->def->scenery;
    const PxLook *look = &scenery->looks.data[index];
    PxV3 d = p->ray.direction;
    bool enters = px_v3_dot(d, hit->flat) < 0;
    PxMedia beyond = p->media;
    if (enters)
        media_add(&beyond, index);
    else
        media_remove(&beyond, index);
    const PxLook *outside = media_top(enters ? &p->media : &beyond, scenery);
    p->through = true;
    /* Nothing changes where another is there all the same; and between things that scatter
     * light goes straight on, as it does on its way from the sun. */
    if (p->scattered > 0 || (outside != NULL && look->rank <= outside->rank)) {
        p->media = beyond;
        turn_to(p, at, d, hit);
        return;
    }
    float here = outside != NULL ? outside->ior : 1, there = look->ior;
    if (!enters) {
        float swap = here;
        here = there;
        there = swap;
    }
    PxV3 n = enters ? hit->normal : px_v3_scale(hit->normal, -1);
    PxV3 flat = enters ? hit->flat : px_v3_scale(hit->flat, -1);
    float cosine = -px_v3_dot(d, n), after, u, v;
    if (cosine <= 0) {
        n = flat;
        cosine = -px_v3_dot(d, n);
    }
    float mirrored = px_fresnel(fminf(1, cosine), here / there, &after);
    p->bent = true;
    px_sample2(p->sampler, &u, &v);
    PxV3 next;
    if (u < mirrored) {
        next = px_reflect(d, n);
        if (px_v3_dot(next, flat) <= 0)
            next = px_reflect(d, flat);
    } else {
        next = px_refract(d, n, here / there, after);
        if (px_v3_dot(next, flat) >= 0)
            next = d;
        p->media = beyond;
    }
    turn_to(p, at, next, hit);
}

/* A sheet of glass so thin that nothing is bent: with all that goes to and fro in it,
 * 2 F / (1 + F) is mirrored. What it mirrors is taken to be the sky, for the camera, and
 * nothing for light between other things: what is lost is little light, and much noise. */
static void cross_pane(Path *p, PxV3 at, const PxHit *hit, const PxLook *look)
{
    const PxSky *sky = &p->def->scenery->sky;
    bool wet = p->media.count > 0; /* nearly the same index on both sides */
    p->through = true;
    if (!wet && p->scattered == 0) {
        float cosine = fminf(1, fabsf(px_v3_dot(p->ray.direction, hit->normal)));
        float f = px_fresnel(cosine, 1 / look->ior, NULL), mirrored = 2 * f / (1 + f);
        PxV3 there = px_reflect(p->ray.direction, hit->normal);
        PxV3 seen = px_v3_add(px_sky_radiance(sky, there), px_sun_radiance(sky, there));
        add_light(p, px_v3_scale(seen, mirrored));
        p->weight = px_v3_scale(p->weight, 1 - mirrored);
    }
    p->weight = px_v3_mul(p->weight, hit->colour);
    turn_to(p, at, p->ray.direction, hit);
}

/* On a surface that scatters: false when the path ends here. */
static bool scatter(Path *p, PxV3 at, const PxHit *hit, const PxLook *look)
{
    PxV3 out = px_v3_scale(p->ray.direction, -1), n = hit->normal;
    if (px_v3_dot(n, out) <= 0)
        n = px_v3_dot(hit->flat, out) > 0 ? hit->flat : px_v3_scale(n, -1);
    if (hit->temperature > 0)
        add_light(p, px_glow(hit->temperature));
    Spot s = spot_make(look, hit->colour, n, out, p->scattered == 0);
    ++p->scattered;
    look_for_light(p, &s, at, hit);
    if (p->scattered >= p->def->most_scatter)
        return false;
    PxV3 in = spot_sample(&s, p->sampler);
    PxV3 value = spot_value(&s, in, &p->density);
    if (!(p->density > 0))
        return false;
    PxV3 next = px_v3_mad(px_v3_mad(px_v3_scale(s.n, in.z), s.s, in.x), s.t, in.y);
    if (px_v3_dot(next, hit->flat) * px_v3_dot(n, hit->flat) <= 0)
        return false;
    p->weight = px_v3_mul(p->weight, px_v3_scale(value, 1 / p->density));
    p->through = look->kind == PX_LOOK_MATTE; /* its light was looked for, all of it */
    turn_to(p, at, next, hit);
    return true;
}

/* How much of the light is missing on a ground that shows nothing but its shadow. */
static float shadow_on_ground(Path *p, PxV3 at)
{
    const PxSky *sky = &p->def->scenery->sky;
    PxV3 up = px_v3(0, 1, 0);
    float u, v, whole = 0, left = 0;
    px_sample2(p->sampler, &u, &v);
    PxRay ray = {.from = set_off(at, up, up, 0), .most = INFINITY, .time = p->ray.time};
    if (sky->sunlight.x > 0 && sky->sun.y > 0) {
        PxV3 w = px_cone_sample(sky->sun_cosine, u, v);
        ray.direction = px_v3_local(sky->sun, w.x, w.y, w.z);
        whole = px_v3_luminance(sky->sunlight) * sky->sun.y;
        left = whole * px_v3_luminance(px_rays_pass(p->def->rays, &ray));
    }
    px_sample2(p->sampler, &u, &v);
    PxV3 w = px_cosine_sample(u, v);
    ray.direction = px_v3(w.x, w.z, w.y);
    float light = PX_PI_F * px_v3_luminance(px_sky_radiance(sky, ray.direction));
    whole += light;
    left += light * px_v3_luminance(px_rays_pass(p->def->rays, &ray));
    return whole > 0 ? 1 - left / whole : 0;
}

/* Tiles with joints between them: something straight and even to be seen through a liquid, by
 * which its bending shows. */
static PxV3 ground_colour(const PxGround *ground, PxV3 at)
{
    if (!(ground->tile > 0))
        return ground->colour;
    float x = at.x / ground->tile, z = at.z / ground->tile;
    float joint = fminf(fabsf(x - nearbyintf(x)), fabsf(z - nearbyintf(z)));
    return px_v3_scale(ground->colour, joint < 0.008f ? 0.75f : 1);
}

/* The path has come to the ground t from where it was: false when it ends there. */
static bool on_ground(Path *p, float t)
{
    const PxScenery *scenery = p->def->scenery;
    const PxGround *ground = &scenery->ground;
    PxV3 at = px_v3_mad(p->ray.from, p->ray.direction, t);
    at.y = ground->level;
    if (ground->kind == PX_GROUND_CATCHER && p->scattered == 0) {
        p->cover = p->bent ? 1 : shadow_on_ground(p, at);
        if (!p->bent)
            return false;
    }
    float fade = px_smoothf(ground->near_end, ground->far_end, sqrtf(at.x * at.x + at.z * at.z));
    if (fade > 0)
        add_light(p, px_v3_scale(px_sky_radiance(&scenery->sky, p->ray.direction), fade));
    if (fade >= 1)
        return false;
    p->weight = px_v3_scale(p->weight, 1 - fade);
    PxLook look = px_look_matte(ground_colour(ground, at));
    PxHit hit = {.t = t, .flat = px_v3(0, 1, 0), .normal = px_v3(0, 1, 0), .colour = look.colour};
    /* In the open, what the whole sky gives to the ground is known. It is counted here, and the
     * path looks only for what is different: a control variate [Kahn and Marshall 1953], by
     * which ground with nothing above it has no noise. */
    bool open = p->media.count == 0 && p->scattered + 1 < p->def->most_scatter;
    if (open)
        add_light(p, px_v3_mul(look.colour, px_v3_scale(p->def->open_light, 1 / PX_PI_F)));
    bool on = scatter(p, at, &hit, &look);
    p->counted = open;
    return on;
}

static void in_the_sky(Path *p)
{
    const PxScenery *scenery = p->def->scenery;
    if (scenery->ground.kind == PX_GROUND_CATCHER && p->scattered == 0 && !p->bent) {
        p->cover = 0;
        return;
    }
    if (!p->counted)
        add_light(p, px_sky_radiance(&scenery->sky, p->ray.direction));
    PxV3 sun = px_sun_radiance(&scenery->sky, p->ray.direction);
    if (sun.x > 0)
        come_upon(p, sun, 1 / px_sun_angle(&scenery->sky));
}

/* One stretch of the way and what is at its end: false when the path is over. */
static bool go_on(Path *p)
{
    const PxScenery *scenery = p->def->scenery;
    PxHit hit;
    p->ray.media = media_bits(&p->media);
    bool met = px_rays_meet(p->def->rays, &p->ray, &hit);
    float most = met ? hit.t : INFINITY, t = 0;
    const PxLamp *lamp = meet_lamp(scenery, &p->ray, &most);
    bool ground = meet_ground(scenery, &p->ray, most, &t);
    if (p->counted && (met || lamp != NULL)) {
        add_light(p, px_v3_scale(px_sky_radiance(&scenery->sky, p->ray.direction), -1));
        p->counted = false;
    }
    const PxLook *medium = media_top(&p->media, scenery);
    float way = ground ? t : most;
    if (medium != NULL && isfinite(way))
        p->weight = px_v3_mul(p->weight, px_v3_exp(px_v3_scale(medium->absorb, -way)));
    if (ground)
        return on_ground(p, t);
    if (lamp != NULL) {
        PxV3 to = px_v3_sub(lamp->at, p->ray.from);
        float cosine = lamp_cosine(lamp, fmaxf(px_v3_dot(to, to), lamp->radius * lamp->radius));
        come_upon(p, lamp->radiance, 1 / (2 * PX_PI_F * fmaxf(1e-7f, 1 - cosine)));
        return false;
    }
    if (!met) {
        in_the_sky(p);
        return false;
    }
    PxV3 at = px_v3_mad(p->ray.from, p->ray.direction, hit.t);
    uint32_t index = scenery->things.data[hit.thing].look;
    const PxLook *look = &scenery->looks.data[index];
    if (look->kind == PX_LOOK_CLEAR) {
        cross_border(p, at, &hit, index);
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

PxSeen px_path_trace(const PxPathDef *def, float x, float y, PxSampler *sampler)
{
    Path p = {
        .def = def, .sampler = sampler, .weight = px_v3_all(1), .cover = 1, .media = def->start};
    p.ray = camera_ray(&def->scenery->camera, x, y, sampler);
    for (int bounce = 0; go_on(&p); ++bounce) {
        float size = px_v3_max(p.weight), u, v;
        if (bounce + 1 >= def->most_bounces) {
            /* Caught between borders: it would come out some day, to see the middle of
             * what there is to see. Without it, glass has black spots. */
            if (!p.counted)
                add_light(
                    &p, px_v3_scale(px_v3_add(def->scenery->sky.horizon, def->scenery->sky.zenith),
                                    0.4f));
            break;
        }
        if (bounce < 3 || size >= 1)
            continue;
        /* Weak paths end by chance, and the others count for them [Arvo and Kirk 1990]. */
        px_sample2(sampler, &u, &v);
        float chance = fmaxf(0.05f, size);
        if (u >= chance)
            break;
        p.weight = px_v3_scale(p.weight, 1 / chance);
    }
    return (PxSeen){p.light, p.cover};
}

PxSeen px_xray_trace(const PxPathDef *def, float x, float y, PxSampler *sampler)
{
    enum { ROOM = 1024 };
    PxCrossing crossing[ROOM];
    const PxScenery *scenery = def->scenery;
    PxRay ray = camera_ray(&scenery->camera, x, y, sampler);
    size_t count = px_rays_cross(def->rays, &ray, crossing, ROOM);
    float lost = 0;
    /* Of each look the ways inside, where things of it overlap counted once. */
    for (uint32_t k = 0; k < scenery->looks.count; ++k) {
        int inside = 0;
        float began = 0;
        for (size_t c = 0; c < count; ++c) {
            const PxThing *t = &scenery->things.data[crossing[c].thing];
            if (t->look != k)
                continue;
            int before = inside;
            if (t->kind == PX_THING_DISCS) /* several are one border */
                inside = crossing[c].in;
            else
                inside += crossing[c].in ? 1 : -1;
            if (before <= 0 && inside > 0)
                began = crossing[c].t;
            else if (before > 0 && inside <= 0)
                lost += scenery->looks.data[k].xray * (crossing[c].t - began);
        }
    }
    return (PxSeen){px_v3_all(expf(-lost)), 1};
}
