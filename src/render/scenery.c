#include "render/scenery.h"

#include "render/sky_map.h"
#include "render/trace/optics.h"

#include <string.h>

#define DEGREE (PX_PI_F / 180)

/* ---- things and looks ---- */

static void thing_free(PxThing *t)
{
    void *arrays[] = {t->position, t->normal, t->velocity, t->colour, t->temperature,
                      t->wetness,  t->tint,   t->radius,   t->uv,     t->triangle};
    for (size_t k = 0; k < PX_COUNT(arrays); ++k)
        px_release(NULL, arrays[k], 0);
}

void px_scenery_free(PxScenery *scenery)
{
    for (size_t k = 0; k < scenery->things.count; ++k)
        thing_free(&scenery->things.data[k]);
    PX_LIST_FREE(&scenery->things);
    PX_LIST_FREE(&scenery->looks);
    PX_LIST_FREE(&scenery->lamps);
}

uint32_t px_scenery_add_look(PxScenery *scenery, const PxLook *look)
{
    if (!PX_LIST_RESERVE(&scenery->looks, 1))
        return UINT32_MAX;
    scenery->looks.data[scenery->looks.count] = *look;
    return (uint32_t)scenery->looks.count++;
}

/* Allocates a zeroed array; false when memory is out. NULL for no elements. */
static bool take(void **out, size_t count, size_t size)
{
    size_t bytes;
    if (count == 0)
        return true;
    if (!px_size_multiply(count, size, &bytes) || (*out = px_allocate(NULL, bytes)) == NULL)
        return false;
    memset(*out, 0, bytes);
    return true;
}

PxStatus px_scenery_add_thing(PxScenery *scenery, PxThingKind kind, uint32_t look, uint32_t points,
                              uint32_t triangles, unsigned with, PxThing **out)
{
    *out = NULL;
    PxThing t = {.kind = kind, .look = look, .points = points, .triangles = triangles};
    bool good = look < scenery->looks.count && PX_LIST_RESERVE(&scenery->things, 1) &&
                take((void **)&t.position, points, sizeof *t.position) &&
                take((void **)&t.triangle, triangles, sizeof *t.triangle);
    if (good && (with & PX_WITH_NORMAL))
        good = take((void **)&t.normal, points, sizeof *t.normal);
    if (good && (with & PX_WITH_VELOCITY))
        good = take((void **)&t.velocity, points, sizeof *t.velocity);
    if (good && (with & PX_WITH_COLOUR))
        good = take((void **)&t.colour, points, sizeof *t.colour);
    if (good && (with & PX_WITH_TEMPERATURE))
        good = take((void **)&t.temperature, points, sizeof *t.temperature);
    if (good && (with & PX_WITH_WETNESS))
        good = take((void **)&t.wetness, points, sizeof *t.wetness);
    if (good && (with & PX_WITH_TINT))
        good = take((void **)&t.tint, points, sizeof *t.tint);
    if (good && (with & PX_WITH_RADIUS))
        good = take((void **)&t.radius, points, sizeof *t.radius);
    if (good && (with & PX_WITH_UV))
        good = take((void **)&t.uv, points, sizeof *t.uv);
    if (!good) {
        thing_free(&t);
        return px_fail(PX_ERR_MEMORY, "render: no room for %u points and %u triangles", points,
                       triangles);
    }
    scenery->things.data[scenery->things.count] = t;
    *out = &scenery->things.data[scenery->things.count++];
    return PX_OK;
}

PxLook px_look_matte(PxV3 colour)
{
    return (PxLook){.kind = PX_LOOK_MATTE, .colour = colour, .ior = 1.5f, .xray = 1};
}

PxLook px_look_glossy(PxV3 colour, float roughness)
{
    return (PxLook){
        .kind = PX_LOOK_GLOSSY, .colour = colour, .roughness = roughness, .ior = 1.5f, .xray = 1};
}

#define WET_ROUGHNESS 0.35f /* of the film of water on saturated matter */
#define WET_IOR 1.33f
/* Part of the light that leaves saturated matter and is thrown back into it. Water alone throws
 * 0.47 back, 1 - (1 - F) / n^2 with F = 0.066; the rest is that it scatters less where water is in
 * its pores, so that light goes deeper [Twomey, Bohren and Mergenthaler 1986]. */
#define WET_TRAPPED 0.68f

/* The refractive index of the film rises from that of air, so that gloss begins from nothing. */
PxLook px_look_wet(const PxLook *look, float wetness)
{
    PxLook wet = *look;
    if (look->kind != PX_LOOK_MATTE && look->kind != PX_LOOK_GLOSSY)
        return wet;
    float dry_ior = look->kind == PX_LOOK_GLOSSY ? look->ior : 1;
    float dry_roughness = look->kind == PX_LOOK_GLOSSY ? look->roughness : 1;
    wet.kind = PX_LOOK_GLOSSY;
    wet.ior = dry_ior + wetness * fmaxf(0, WET_IOR - dry_ior);
    wet.roughness = dry_roughness + wetness * fminf(0, WET_ROUGHNESS - dry_roughness);
    wet.colour = px_colour_wet(look->colour, wetness);
    return wet;
}

/* Light that is thrown back meets the matter again, until it leaves or is absorbed: the albedo is
 * the sum of a geometric series, (1 - p) a / (1 - p a) [Lekner and Dorf 1988]. */
PxV3 px_colour_wet(PxV3 colour, float wetness)
{
    float p = WET_TRAPPED * wetness;
    return px_v3((1 - p) * colour.x / (1 - p * colour.x), (1 - p) * colour.y / (1 - p * colour.y),
                 (1 - p) * colour.z / (1 - p * colour.z));
}

PxLook px_look_metal(PxV3 colour, float roughness)
{
    return (PxLook){.kind = PX_LOOK_METAL, .colour = colour, .roughness = roughness, .xray = 1};
}

PxLook px_look_clear(float ior, PxV3 absorb, int rank)
{
    return (PxLook){.kind = PX_LOOK_CLEAR,
                    .colour = px_v3_all(1),
                    .ior = ior,
                    .absorb = absorb,
                    .priority = rank,
                    .xray = 1};
}

/* ---- the sky ---- */

PxV3 px_sky_radiance(const PxSky *sky, PxV3 direction)
{
    if (sky->map != NULL)
        return px_sky_map_smooth(sky->map, direction);
    /* Haze decreases with height; below the horizon it is constant. */
    float height = fmaxf(0, direction.y);
    return px_v3_mix(sky->zenith, sky->horizon, expf(-4.0f * height));
}

PxV3 px_sky_irradiance(const PxSky *sky)
{
    if (sky->map != NULL)
        return sky->map->open_light;
    /* 2 pi integral of L(h) h dh over h = sin(elevation), 0 to 1, by Simpson's rule: the sky is
     * rotationally symmetric. */
    enum { STEPS = 64 };
    PxV3 sum = px_v3_all(0);
    for (int k = 0; k <= STEPS; ++k) {
        float height = (float)k / STEPS;
        float part = k == 0 || k == STEPS ? 1 : k % 2 ? 4 : 2;
        sum = px_v3_mad(sum, px_sky_radiance(sky, px_v3(0, height, 0)), part * height);
    }
    return px_v3_scale(sum, 2 * PX_PI_F / (3 * STEPS));
}

PxV3 px_sun_radiance(const PxSky *sky, PxV3 direction)
{
    if (sky->map != NULL)
        return px_sky_map_bright(sky->map, direction);
    if (sky->sunlight.x == 0 || px_v3_dot(direction, sky->sun) < sky->sun_cosine)
        return px_v3_all(0);
    return px_v3_scale(sky->sunlight, 1 / px_sun_angle(sky));
}

bool px_sun_sample(const PxSky *sky, float u, float v, PxV3 *direction, PxV3 *radiance,
                   float *density)
{
    if (sky->map != NULL)
        return px_sky_map_sample(sky->map, u, v, direction, radiance, density);
    if (!(sky->sunlight.x > 0))
        return false;
    PxV3 w = px_cone_sample(sky->sun_cosine, u, v);
    float angle = px_sun_angle(sky);
    *direction = px_v3_local(sky->sun, w.x, w.y, w.z);
    *radiance = px_v3_scale(sky->sunlight, 1 / angle);
    *density = 1 / angle;
    return true;
}

float px_sun_density(const PxSky *sky, PxV3 direction)
{
    return sky->map != NULL ? px_sky_map_density(sky->map, direction) : 1 / px_sun_angle(sky);
}

PxSky px_sky_day(float azimuth, float height)
{
    float a = azimuth * DEGREE, h = height * DEGREE;
    /* A low sun is redder and weaker, though less than in reality. */
    float low = 1 - px_smoothf(0, 35, height);
    /* Paler than a real sky overhead, in which polished metal would look navy. */
    PxSky sky = {.zenith = px_v3(0.17f, 0.26f, 0.43f),
                 .horizon = px_v3(0.62f, 0.69f, 0.76f),
                 .sun = px_v3(sinf(a) * cosf(h), sinf(h), cosf(a) * cosf(h)),
                 .sunlight = px_v3_mix(px_v3(4.6f, 4.15f, 3.55f), px_v3(4.0f, 2.4f, 1.2f), low),
                 .sun_cosine = cosf(1.5f * DEGREE)};
    if (!(height > 0))
        sky.sunlight = px_v3_all(0);
    return sky;
}

PxSky px_sky_studio(float azimuth, float height)
{
    PxSky sky = px_sky_day(azimuth, height);
    /* The horizon is about as bright as the ground of the studio (setting.c) under this light, into
     * which it fades. */
    sky.zenith = px_v3(0.25f, 0.29f, 0.34f);
    sky.horizon = px_v3(0.49f, 0.505f, 0.52f);
    sky.sun_cosine = cosf(12 * DEGREE);
    if (height > 0)
        sky.sunlight = px_v3(3.9f, 3.77f, 3.57f);
    return sky;
}

PxSky px_sky_even(PxV3 radiance)
{
    return (PxSky){.zenith = radiance,
                   .horizon = radiance,
                   .sun = px_v3(0, 1, 0),
                   .sun_cosine = cosf(1.5f * DEGREE)};
}

PxSky px_sky_of_map(const PxSkyMap *map)
{
    PxSky sky = px_sky_even(map->mean);
    sky.map = map;
    return sky;
}

/* ---- the camera ---- */

PxCamera px_camera_look(PxV3 eye, PxV3 target, float fov)
{
    PxCamera c = {.eye = eye, .slope = tanf(0.5f * fov * DEGREE)};
    PxV3 way = px_v3_sub(target, eye);
    c.focus = px_v3_length(way);
    c.forward = c.focus > 0 ? px_v3_unit(way) : px_v3(0, 0, -1);
    PxV3 up = fabsf(c.forward.y) < 0.9999f ? px_v3(0, 1, 0) : px_v3(0, 0, -1);
    c.right = px_v3_unit(px_v3_cross(c.forward, up));
    c.up = px_v3_cross(c.right, c.forward);
    return c;
}
