/// Bench of a picture: 640 x 360, 64 samples, a glass-like liquid of 200,000 triangles on a ground.
#include "base/profile.h"
#include "render/trace/draw.h"
#include "study/bench.h"
#include "study/sample_liquid.h"

#include <math.h>
#include <time.h>

/* Time of Blender 3.4's Cycles for the same picture on 2 cores of an AMD EPYC, s. */
#define CYCLES 16.8

/* Processor time of all threads, which does not grow when the machine is busy. */
static double processor_clock(void)
{
    struct timespec now;
    return clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) == 0
               ? (double)now.tv_sec + 1e-9 * (double)now.tv_nsec
               : NAN;
}

enum { WIDTH = 640, HEIGHT = 360, SAMPLES = 64 };

static PxStatus make_scenery(PxScenery *s, uint32_t triangles)
{
    PxLook water = px_look_clear(1.333f, px_v3(1.6f, 0.35f, 0.18f), 1);
    uint32_t look = px_scenery_add_look(s, &water);
    s->sky = px_sky_day(-40, 50);
    s->ground = (PxGround){
        .kind = PX_GROUND_FLOOR, .colour = px_v3(0.5f, 0.49f, 0.48f), .near_end = 2, .far_end = 10};
    s->camera = px_camera_look(px_v3(0.7f, 0.9f, 1.6f), px_v3(0, 0.15f, 0), 40);
    return px_sample_liquid(s, look, px_v3(1, 0.2f, 1), triangles);
}

/* Noise relative to the mean, from two pictures that differ in nothing else: the rms of their
 * difference over sqrt(2). Pixels are first averaged over squares of `edge` pixels, as eyes and
 * film encoders do. */
static double noise_of(const PxRadiance *a, const PxRadiance *b, int edge)
{
    double square = 0, mean = 0;
    size_t count = 0;
    for (int y = 0; y + edge <= HEIGHT; y += edge)
        for (int x = 0; x + edge <= WIDTH; x += edge, ++count) {
            double sum[2] = {0, 0};
            for (int k = 0; k < edge * edge; ++k) {
                int p = (y + k / edge) * WIDTH + x + k % edge;
                sum[0] += (double)px_v3_luminance(a[p].light) / (edge * edge);
                sum[1] += (double)px_v3_luminance(b[p].light) / (edge * edge);
            }
            square += (sum[0] - sum[1]) * (sum[0] - sum[1]);
            mean += 0.5 * (sum[0] + sum[1]);
        }
    return sqrt(0.5 * square * (double)count) / mean;
}

PxStatus px_bench_render(PxBench *bench)
{
    static const PxReportColumn columns[] = {
        {"samples", "samples/pixel", "%.0f"},      {"seconds", "seconds", "%.2f"},
        {"processor", "processor s", "%.2f"},      {"paths", "million paths/s", "%.2f"},
        {"noise", "noise, % of the mean", "%.2f"}, {"noise4", "of 4 x 4 pixels", "%.2f"}};
    PxScenery scenery = {.shutter = 0};
    size_t count = WIDTH * HEIGHT, triangles = 0;
    PxRadiance *light = px_allocate(NULL, 2 * count * sizeof *light);
    PxStatus status = light == NULL ? px_fail(PX_ERR_MEMORY, "bench: no room for a picture")
                                    : make_scenery(&scenery, 200000);
    for (size_t k = 0; k < scenery.things.count; ++k)
        triangles += scenery.things.data[k].triangles;
    px_report_number(bench->report, "triangles", (double)triangles, "");
    px_report_table(bench->report, "picture", "640 x 360, as with `--quality good`", columns,
                    PX_COUNT(columns));
    for (uint32_t samples = bench->def.quick ? SAMPLES : 4; samples <= SAMPLES && status == PX_OK;
         samples *= 4) {
        double best = INFINITY, least = INFINITY;
        int repeats = samples == SAMPLES && !bench->def.quick ? 4 : 2;
        for (int k = 0; k < repeats && status == PX_OK; ++k) {
            PxDrawDef def = {.scenery = &scenery,
                             .width = WIDTH,
                             .height = HEIGHT,
                             .samples = samples,
                             .seed = (uint32_t)k,
                             .exposure = 1,
                             .most_bounces = 16,
                             .most_scatter = 4,
                             .clamp = 20,
                             .threads = bench->threads};
            status =
                px_bench_next(bench, "a picture of %u samples, %d of %d", samples, k + 1, repeats);
            double began = px_clock(), used = processor_clock();
            if (status == PX_OK)
                status = px_draw_light(&def, light + (size_t)(k % 2) * count, NULL, NULL);
            best = fmin(best, px_clock() - began);
            least = fmin(least, processor_clock() - used);
        }
        if (status == PX_OK)
            px_report_row(
                bench->report, (double)samples, best, least, 1e-6 * (double)count * samples / best,
                100 * noise_of(light, light + count, 1), 100 * noise_of(light, light + count, 4));
    }
    px_report_note(
        bench->report,
        "\nCycles of Blender 3.4 takes %.1f s for a similar picture with 64 samples on 2 "
        "cores.",
        CYCLES);
    px_scenery_free(&scenery);
    px_release(NULL, light, 0);
    return status;
}
