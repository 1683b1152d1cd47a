#include "render/sky_map.h"

#include <stdbool.h>
#include <stdlib.h>

/* What is brighter than so many times the mean luminance is sampled. */
#define BRIGHT 4.0
/* Irradiance of the ground of a studio with its key light 48 degrees high. */
#define STUDIO 3.9

static PxV3 pixel_at(const PxSkyMap *m, uint32_t x, uint32_t y)
{
    float c[3];
    px_hdr_pixel(m->picture, x, y, c);
    return px_v3(m->scale * c[0], m->scale * c[1], m->scale * c[2]);
}

/* The part of a radiance that is smooth. */
static PxV3 smooth_part(const PxSkyMap *m, PxV3 light)
{
    float size = px_v3_luminance(light);
    return size > m->cap ? px_v3_scale(light, m->cap / size) : light;
}

/* Place of a direction in the picture, in pixels from its left upper corner. */
static void place_of(const PxSkyMap *m, PxV3 d, float *x, float *y)
{
    float around = (atan2f(d.x, -d.z) + m->turn) / (2 * PX_PI_F) + 0.5f;
    around -= floorf(around);
    *x = around * (float)m->picture->width;
    *y = acosf(fmaxf(-1, fminf(1, d.y))) / PX_PI_F * (float)m->picture->height;
}

static uint32_t whole(float x, uint32_t side)
{
    return x > 0 ? (x < (float)side ? (uint32_t)x : side - 1) : 0;
}

static double row_height(const PxSkyMap *m, uint32_t y)
{
    return cos(M_PI * y / m->picture->height);
}

/* Solid angle of a pixel of a row. */
static double solid_angle(const PxSkyMap *m, uint32_t y)
{
    return 2 * M_PI / m->picture->width * (row_height(m, y) - row_height(m, y + 1));
}

PxV3 px_sky_map_smooth(const PxSkyMap *m, PxV3 direction)
{
    float x, y;
    uint32_t w = m->picture->width, h = m->picture->height;
    place_of(m, direction, &x, &y);
    x += (float)w - 0.5f;
    y = fmaxf(0, y - 0.5f);
    uint32_t left = (uint32_t)x, top = whole(y, h), low = top + 1 < h ? top + 1 : top;
    float fx = x - (float)left, fy = fminf(1, y - (float)top);
    uint32_t a = left % w, b = (left + 1) % w;
    PxV3 above =
        px_v3_mix(smooth_part(m, pixel_at(m, a, top)), smooth_part(m, pixel_at(m, b, top)), fx);
    PxV3 below =
        px_v3_mix(smooth_part(m, pixel_at(m, a, low)), smooth_part(m, pixel_at(m, b, low)), fx);
    return px_v3_mix(above, below, fy);
}

static PxV3 bright_pixel(const PxSkyMap *m, uint32_t x, uint32_t y)
{
    PxV3 light = pixel_at(m, x, y);
    return px_v3_sub(light, smooth_part(m, light));
}

PxV3 px_sky_map_bright(const PxSkyMap *m, PxV3 direction)
{
    float x, y;
    place_of(m, direction, &x, &y);
    return bright_pixel(m, whole(x, m->picture->width), whole(y, m->picture->height));
}

float px_sky_map_density(const PxSkyMap *m, PxV3 direction)
{
    if (m->brights == 0)
        return 0;
    return px_v3_luminance(px_sky_map_bright(m, direction)) / m->sum[m->brights - 1];
}

bool px_sky_map_sample(const PxSkyMap *m, float u, float v, PxV3 *direction, PxV3 *radiance,
                       float *density)
{
    if (m->brights == 0)
        return false;
    /* the first pixel whose sum is above; the rest of u is a place in it */
    float all = m->sum[m->brights - 1], want = u * all;
    uint32_t low = 0, high = m->brights - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (m->sum[middle] > want)
            high = middle;
        else
            low = middle + 1;
    }
    float before = low > 0 ? m->sum[low - 1] : 0, own = m->sum[low] - before;
    float part = own > 0 ? fmaxf(0, fminf(1, (want - before) / own)) : 0.5f;
    uint32_t x = m->bright[low] % m->picture->width, y = m->bright[low] / m->picture->width;
    float around = 2 * PX_PI_F * (((float)x + part) / (float)m->picture->width - 0.5f) - m->turn;
    float top = (float)row_height(m, y), bottom = (float)row_height(m, y + 1);
    float height = top + (bottom - top) * v, wide = sqrtf(fmaxf(0, 1 - height * height));
    *direction = px_v3(wide * sinf(around), height, -wide * cosf(around));
    *radiance = bright_pixel(m, x, y);
    *density = px_v3_luminance(*radiance) / all;
    return *density > 0;
}

/* Finds the scale, the limit of the smooth part, and its light. */
static void measure(PxSkyMap *m, double *light)
{
    uint32_t w = m->picture->width, h = m->picture->height;
    double mean = 0, whole_sky = 0, ground = 0;
    for (uint32_t y = 0; y < h; ++y) {
        double angle = solid_angle(m, y), sum = 0;
        double up = fmax(0, 0.5 * (row_height(m, y) + row_height(m, y + 1)));
        for (uint32_t x = 0; x < w; ++x)
            sum += (double)px_v3_luminance(pixel_at(m, x, y));
        mean += sum * angle;
        whole_sky += w * angle;
        ground += sum * angle * up;
    }
    *light = mean > 0 ? (ground > 0 ? ground : mean / 4) : 0; /* a light from below counts too */
    m->scale = *light > 0 ? (float)(STUDIO / *light) : 0;
    m->cap = (float)(BRIGHT * (double)m->scale * mean / whole_sky);
}

/* Lists the bright pixels, and adds up the light of the rest. */
static PxStatus list_pixels(PxSkyMap *m, const char *name)
{
    uint32_t w = m->picture->width, h = m->picture->height;
    double sum = 0, sky = 0, ground[3] = {0}, mean[3] = {0};
    for (int pass = 0; pass < 2; ++pass) {
        uint32_t count = 0;
        for (uint32_t y = 0; y < h; ++y)
            for (uint32_t x = 0; x < w; ++x) {
                float size = px_v3_luminance(bright_pixel(m, x, y));
                if (!(size > 0))
                    continue;
                if (pass == 1) {
                    sum += (double)size * solid_angle(m, y);
                    m->bright[count] = y * w + x;
                    m->sum[count] = (float)sum;
                }
                ++count;
            }
        if (pass == 1)
            break;
        m->brights = count;
        m->bright = malloc((count + 1) * sizeof *m->bright);
        m->sum = malloc((count + 1) * sizeof *m->sum);
        if (m->bright == NULL || m->sum == NULL)
            return px_fail(PX_ERR_MEMORY, "%s: no room for %u bright pixels", name, count);
    }
    for (uint32_t y = 0; 2 * y < h; ++y) {
        double angle = solid_angle(m, y), up = 0.5 * (row_height(m, y) + row_height(m, y + 1));
        for (uint32_t x = 0; x < w; ++x) {
            PxV3 c = smooth_part(m, pixel_at(m, x, y));
            const float rgb[3] = {c.x, c.y, c.z};
            for (int k = 0; k < 3; ++k) {
                ground[k] += (double)rgb[k] * angle * fmax(0, up);
                mean[k] += (double)rgb[k] * angle;
            }
        }
        sky += w * angle;
    }
    m->open_light = px_v3((float)ground[0], (float)ground[1], (float)ground[2]);
    m->mean = px_v3((float)(mean[0] / sky), (float)(mean[1] / sky), (float)(mean[2] / sky));
    return PX_OK;
}

PxStatus px_sky_map_make(PxHdr *picture, const char *name, double degrees, PxSkyMap **out)
{
    *out = NULL;
    PxSkyMap *m = calloc(1, sizeof *m);
    if (m == NULL) {
        px_hdr_free(picture);
        return px_fail(PX_ERR_MEMORY, "%s: no room for a sky", name);
    }
    m->picture = picture;
    m->turn = (float)(degrees * M_PI / 180);
    m->scale = 1;
    double light;
    measure(m, &light);
    PxStatus status = light > 1e-30 && light < 1e30
                          ? list_pixels(m, name)
                          : px_fail(PX_ERR_FORMAT, "%s: gives no light", name);
    if (status != PX_OK)
        px_sky_map_free(m);
    else
        *out = m;
    return status;
}

PxStatus px_sky_map_read(const char *path, double degrees, PxSkyMap **out)
{
    PxHdr *picture;
    *out = NULL;
    PX_TRY(px_hdr_read_file(path, &picture));
    return px_sky_map_make(picture, path, degrees, out);
}

void px_sky_map_free(PxSkyMap *map)
{
    if (map == NULL)
        return;
    px_hdr_free(map->picture);
    free(map->bright);
    free(map->sum);
    free(map);
}
