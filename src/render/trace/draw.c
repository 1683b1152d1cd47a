#include "render/trace/draw.h"

#include "base/stop.h"
#include "render/trace/denoise.h"

/* ---- pictures ---- */

PxStatus px_picture_create(uint32_t width, uint32_t height, uint32_t channels, PxPicture *out)
{
    size_t bytes;
    *out = (PxPicture){.width = width, .height = height, .channels = channels};
    if (!px_size_multiply((size_t)width * channels, height, &bytes) ||
        (out->pixel = px_allocate(NULL, bytes)) == NULL)
        return px_fail(PX_ERR_MEMORY, "render: no room for a picture of %u x %u", width, height);
    return PX_OK;
}

void px_picture_free(PxPicture *picture)
{
    px_release(NULL, picture->pixel, 0);
    *picture = (PxPicture){0};
}

/* ---- tone mapping and conversion ---- */

float px_srgb_encode(float linear)
{
    if (!(linear > 0))
        return 0;
    return linear <= 0.0031308f ? 12.92f * linear
                                : fminf(1, 1.055f * powf(linear, 1 / 2.4f) - 0.055f);
}

float px_srgb_decode(float encoded)
{
    return encoded <= 0.04045f ? encoded / 12.92f : powf((encoded + 0.055f) / 1.055f, 2.4f);
}

/* Tone curve: linear up to 0.6, then a shoulder that reaches 1 at a value of 8; the slope is 1
 * at the knee. */
static float shoulder(float x)
{
    const float knee = 0.6f, room = 1 - knee, end = 8;
    if (x <= knee)
        return x;
    float a = (x - knee) / room, most = (end - knee) / room;
    return knee + room * a * (1 + a / (most * most)) / (1 + a);
}

PxV3 px_tone_map(PxV3 light)
{
    /* Scaled by the brightest channel to keep hues, then desaturated the more it was compressed.
     * First the contrast is raised about a middle grey of 0.35. */
    float size = px_v3_max(light);
    if (!(size > 0))
        return px_v3_all(0);
    float steep = 0.35f * powf(size / 0.35f, 1.2f), rolled = fminf(1, shoulder(steep));
    PxV3 kept = px_v3_scale(light, rolled / size);
    float pale = steep > rolled ? 1 - 1 / (1 + 0.12f * (steep - rolled)) : 0;
    PxV3 c = px_v3_mix(kept, px_v3_all(rolled), pale);
    return px_v3(fminf(1, c.x), fminf(1, c.y), fminf(1, c.z));
}

static uint8_t to_byte(float x)
{
    return (uint8_t)(255 * px_clampf(x, 0, 1) + 0.5f);
}

/* Display values and opacity: up to 4 numbers, 0 .. 1. */
static void to_display(const PxDrawDef *def, PxRadiance seen, uint32_t channels, float out[4])
{
    float scale = def->exposure / (channels == 4 && seen.opacity > 0 ? seen.opacity : 1);
    PxV3 light = px_v3_scale(seen.light, scale);
    PxV3 c = def->plain || def->xray ? light : px_tone_map(light);
    out[0] = px_srgb_encode(c.x);
    out[1] = px_srgb_encode(c.y);
    out[2] = px_srgb_encode(c.z);
    out[3] = seen.opacity;
}

static void convert_all(const PxDrawDef *def, const PxRadiance *seen, PxPicture *out)
{
    for (size_t k = 0; k < (size_t)def->width * def->height; ++k) {
        float c[4];
        to_display(def, seen[k], out->channels, c);
        for (uint32_t n = 0; n < out->channels; ++n)
            out->pixel[k * out->channels + n] = to_byte(c[n]);
    }
}

/* The mean of the samples that are not in the first half. */
static PxRadiance other_half(PxRadiance all, PxRadiance half, uint32_t samples)
{
    float whole = (float)samples, part = (float)(samples / 2), per = 1 / (whole - part);
    return (PxRadiance){
        px_v3_scale(px_v3_sub(px_v3_scale(all.light, whole), px_v3_scale(half.light, part)), per),
        (whole * all.opacity - part * half.opacity) * per};
}

static PxStatus convert_denoised(const PxDrawDef *def, const PxRadiance *seen,
                                 const PxRadiance *half, PxPicture *out)
{
    size_t pixels = (size_t)def->width * def->height, bytes;
    uint32_t channels = out->channels;
    float *room = NULL, *clean[PX_DENOISE_CHANNELS] = {NULL};
    PxDenoiseDef job = {
        .width = def->width, .height = def->height, .channels = channels, .threads = def->threads};
    if (!px_size_multiply(pixels, 3 * channels * sizeof *room, &bytes) ||
        (room = px_allocate(NULL, bytes)) == NULL)
        return px_fail(PX_ERR_MEMORY, "render: no room for a picture of %u x %u", def->width,
                       def->height);
    for (uint32_t c = 0; c < channels; ++c) {
        job.pixel[c] = room + c * pixels;
        job.half_difference[c] = room + (channels + c) * pixels;
        clean[c] = room + (2 * channels + c) * pixels;
    }
    for (size_t k = 0; k < pixels; ++k) {
        float all[4], first[4], second[4];
        to_display(def, seen[k], channels, all);
        to_display(def, half[k], channels, first);
        to_display(def, other_half(seen[k], half[k], def->samples), channels, second);
        for (uint32_t c = 0; c < channels; ++c) {
            room[c * pixels + k] = all[c];
            room[(channels + c) * pixels + k] = 0.5f * (first[c] - second[c]);
        }
    }
    PxStatus status = px_denoise(&job, clean);
    for (size_t k = 0; k < pixels && status == PX_OK; ++k)
        for (uint32_t c = 0; c < channels; ++c)
            out->pixel[k * channels + c] = to_byte(clean[c][k]);
    px_release(NULL, room, bytes);
    return status;
}

/* ---- tracing pixels ---- */

/* Edge of the square tiles that threads work on, pixels. */
#define TILE 16u

typedef struct Job {
    const PxDrawDef *def;
    PxPathDef path;
    PxRadiance *out;
    PxRadiance *half; /* mean of the first half of the samples; may be NULL */
    uint32_t across;  /* tiles in a row */
    uint32_t first;   /* first tile of this batch */
    uint32_t bits;    /* bits of a sample's index */
} Job;

/* Samples the pixel filter: a tent 1.5 pixels wide. */
static float tent(float u)
{
    float t = u < 0.5f ? sqrtf(2 * u) - 1 : 1 - sqrtf(2 - 2 * u);
    return 0.5f + 0.75f * t;
}

static PxRadiance mean_of(PxRadiance sum, uint32_t samples)
{
    float part = 1 / (float)samples;
    return (PxRadiance){px_v3_scale(sum.light, part), sum.opacity * part};
}

static void draw_pixel(const Job *job, uint32_t x, uint32_t y)
{
    const PxDrawDef *def = job->def;
    size_t pixel = (size_t)y * def->width + x;
    PxRadiance sum = {px_v3_all(0), 0};
    for (uint32_t k = 0; k < def->samples; ++k) {
        if (k % 256 == 255 && px_stopped(&def->threads))
            break;
        if (k == def->samples / 2 && job->half != NULL)
            job->half[pixel] = mean_of(sum, k);
        PxSampler sampler = px_sampler(x, y, def->seed, k, job->bits);
        float u, v;
        px_sample2(&sampler, &u, &v);
        float right = (2 * ((float)x + tent(u)) - (float)def->width) / (float)def->height;
        float up = 1 - 2 * ((float)y + tent(v)) / (float)def->height;
        PxRadiance seen = def->xray ? px_xray_trace(&job->path, right, up, &sampler)
                                    : px_path_trace(&job->path, right, up, &sampler);
        if (!isfinite(px_v3_luminance(seen.light)))
            continue; /* 0 * infinity at grazing angles: counts as black */
        sum.light = px_v3_add(sum.light, seen.light);
        sum.opacity += seen.opacity;
    }
    job->out[pixel] = mean_of(sum, def->samples);
}

static void draw_tiles(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    for (uint32_t k = begin; k < end; ++k) {
        uint32_t tile = job->first + k;
        uint32_t x0 = tile % job->across * TILE, y0 = tile / job->across * TILE;
        for (uint32_t y = y0; y < y0 + TILE && y < job->def->height; ++y)
            for (uint32_t x = x0; x < x0 + TILE && x < job->def->width; ++x)
                if (!px_stopped(&job->def->threads))
                    draw_pixel(job, x, y);
    }
}

static PxStatus trace_tiles(const PxDrawDef *def, PxRadiance *out, PxRadiance *half,
                            PxDrawFunction *each, void *user)
{
    PxRays *rays;
    PX_TRY(px_rays_create(def->scenery, &rays));
    Job job = {.def = def,
               .path = {.scenery = def->scenery,
                        .rays = rays,
                        .start = px_media_at(def->scenery, rays, def->scenery->camera.eye),
                        .open_light = px_sky_irradiance(&def->scenery->sky),
                        .most_bounces = def->most_bounces,
                        .most_scatter = def->most_scatter,
                        .clamp = def->clamp},
               .out = out,
               .half = half,
               .across = (def->width + TILE - 1) / TILE};
    PxCaustics *caustics = NULL;
    PxStatus status = PX_OK;
    if (!def->xray)
        status = px_caustics_create(def->scenery, rays, def->photons, def->seed, &def->threads,
                                    &caustics);
    job.path.caustics = caustics;
    while ((1ull << job.bits) < def->samples)
        ++job.bits;
    uint32_t tiles = job.across * ((def->height + TILE - 1) / TILE);
    /* In batches, between which progress is reported and the caller may stop. */
    uint32_t turn = tiles / 32 + (uint32_t)def->threads.count * 4;
    for (uint32_t done = 0; done < tiles && status == PX_OK; done += turn) {
        if (each != NULL && !each(user, (double)done / tiles)) {
            status = px_fail(PX_ERR_STOPPED, "render: stopped within a picture");
            break;
        }
        job.first = done;
        status = px_parallel_try(&def->threads, tiles - done < turn ? tiles - done : turn, 1,
                                 draw_tiles, &job);
    }
    px_caustics_free(caustics);
    px_rays_free(rays);
    return status;
}

PxStatus px_draw_light(const PxDrawDef *def, PxRadiance *out, PxDrawFunction *each, void *user)
{
    return trace_tiles(def, out, NULL, each, user);
}

PxStatus px_draw(const PxDrawDef *def, PxPicture *out, PxDrawFunction *each, void *user)
{
    size_t bytes, pixels = (size_t)def->width * def->height;
    PxRadiance *seen = NULL;
    /* With fewer samples the halves tell little about the noise; x-ray pictures have none. */
    bool halves = def->denoise && !def->xray && def->samples >= 4;
    uint32_t channels = def->scenery->ground.kind == PX_GROUND_CATCHER ? 4 : 3;
    PX_TRY(px_picture_create(def->width, def->height, channels, out));
    if (!px_size_multiply(pixels, (halves ? 2 : 1) * sizeof *seen, &bytes) ||
        (seen = px_allocate(NULL, bytes)) == NULL) {
        px_picture_free(out);
        return px_fail(PX_ERR_MEMORY, "render: no room for a picture of %u x %u", def->width,
                       def->height);
    }
    PxStatus status = trace_tiles(def, seen, halves ? seen + pixels : NULL, each, user);
    if (status == PX_OK && halves)
        status = convert_denoised(def, seen, seen + pixels, out);
    else if (status == PX_OK)
        convert_all(def, seen, out);
    if (status != PX_OK)
        px_picture_free(out);
    px_release(NULL, seen, bytes);
    return status;
}
