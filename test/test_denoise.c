/// Denoising removes grain and keeps edges and detail.
#include "check.h"

#include "base/random.h"
#include "render/trace/denoise.h"

#include <math.h>
#include <stdlib.h>

enum { WIDTH = 60, HEIGHT = 37 };

/* Uniformly distributed between -1 and 1. */
static float chance(uint32_t k, uint32_t which)
{
    return (float)(px_random_bits(k, which, 7) >> 40) * 0x1p-23f - 1;
}

typedef struct Sample {
    float truth[3][WIDTH * HEIGHT], pixel[3][WIDTH * HEIGHT], half_difference[3][WIDTH * HEIGHT];
    float clean[3][WIDTH * HEIGHT];
} Sample;

/* Two uniform areas with a straight edge between them, in two half buffers of samples with noise
 * of at most `grain`. */
static Sample *sample_make(float grain)
{
    Sample *s = calloc(1, sizeof *s);
    for (uint32_t c = 0; c < 3; ++c)
        for (uint32_t k = 0; k < WIDTH * HEIGHT; ++k) {
            float truth = k % WIDTH < WIDTH / 2 ? 0.3f : 0.6f;
            float a = grain * chance(k, 2 * c), b = grain * chance(k, 2 * c + 1);
            s->truth[c][k] = truth;
            s->pixel[c][k] = truth + 0.5f * (a + b);
            s->half_difference[c][k] = 0.5f * (a - b);
        }
    return s;
}

static PxDenoiseDef def_of(const Sample *s, int threads)
{
    PxDenoiseDef def = {
        .width = WIDTH, .height = HEIGHT, .channels = 3, .threads = {.count = threads}};
    for (int c = 0; c < 3; ++c) {
        def.pixel[c] = s->pixel[c];
        def.half_difference[c] = s->half_difference[c];
    }
    return def;
}

static void clean(Sample *s, int threads)
{
    PxDenoiseDef def = def_of(s, threads);
    float *const out[] = {s->clean[0], s->clean[1], s->clean[2], NULL};
    CHECK_OK(px_denoise(&def, out));
}

static double error_of(const Sample *s, float (*of)[WIDTH * HEIGHT])
{
    double square = 0;
    for (int c = 0; c < 3; ++c)
        for (int k = 0; k < WIDTH * HEIGHT; ++k)
            square += pow((double)(of[c][k] - s->truth[c][k]), 2);
    return sqrt(square / (3 * WIDTH * HEIGHT));
}

TEST(grain_goes_and_the_edge_stays)
{
    Sample *s = sample_make(0.1f);
    clean(s, 1);
    /* 121 pixels at most are averaged, 66 at the edge; not all of them count in full. Were the
     * edge gone, the error would be no less than before. */
    double before = error_of(s, s->pixel), after = error_of(s, s->clean);
    if (!(after < before / 5))
        fail_msg("error %g before, %g after", before, after);
    for (int y = 0; y < HEIGHT; ++y) {
        float left = s->clean[0][y * WIDTH + WIDTH / 2 - 1];
        float right = s->clean[0][y * WIDTH + WIDTH / 2];
        CHECK_NEAR(left, 0.3, 0.05);
        CHECK_NEAR(right, 0.6, 0.05);
    }
    free(s);
}

TEST(denoising_keeps_detail_on_which_all_samples_agree)
{
    Sample *s = sample_make(0.1f);
    for (int c = 0; c < 3; ++c)
        for (int k = 0; k < WIDTH * HEIGHT; ++k)
            s->half_difference[c][k] = 0;
    clean(s, 1);
    for (int k = 0; k < WIDTH * HEIGHT; ++k)
        CHECK_NEAR(s->clean[1][k], s->pixel[1][k], 0.5 / 255);
    free(s);
}

TEST(a_clean_picture_has_the_same_bits_for_any_number_of_threads)
{
    Sample *one = sample_make(0.05f), *more = sample_make(0.05f);
    clean(one, 1);
    static const int counts[] = {2, 3, 8};
    for (int k = 0; k < 3; ++k) {
        clean(more, counts[k]);
        CHECK(memcmp(one, more, sizeof *one) == 0);
    }
    free(one);
    free(more);
}

TEST(a_single_pixel_stays)
{
    float pixel = 0.7f, half_difference = 0.2f, got = 0;
    PxDenoiseDef def = {.width = 1,
                        .height = 1,
                        .channels = 1,
                        .pixel = {&pixel},
                        .half_difference = {&half_difference},
                        .threads = {.count = 2}};
    float *const out[PX_DENOISE_CHANNELS] = {&got};
    CHECK_OK(px_denoise(&def, out));
    CHECK_NEAR(got, 0.7, 1e-6);
}

TEST_MAIN()
