/// Light at surfaces, samples of a pixel, colours of numbers: against formulas.
#include "check.h"

#include "render/image/colour_map.h"
#include "render/trace/draw.h"
#include "render/trace/optics.h"
#include "render/trace/sampler.h"

TEST(fresnel_straight_on_is_the_square_of_the_indices_difference_over_their_sum)
{
    static const double index[] = {1.333, 1.5, 2.4};
    for (int k = 0; k < 3; ++k) {
        double r = (index[k] - 1) / (index[k] + 1);
        CHECK_NEAR(px_fresnel(1, (float)(1 / index[k]), NULL), r * r, 1e-6); /* floats */
        CHECK_NEAR(px_fresnel(1, (float)index[k], NULL), r * r, 1e-6);
    }
}

TEST(fresnel_at_any_angle_is_the_mean_of_both_polarisations)
{
    /* in angles, as in textbooks: r_s = -sin(a - b) / sin(a + b), r_p = tan(a - b) / tan(a + b) */
    for (int k = 1; k < 89; ++k) {
        double a = k * 3.14159265358979 / 180, b = asin(sin(a) / 1.5);
        double s = sin(a - b) / sin(a + b), p = tan(a - b) / tan(a + b);
        float beyond;
        CHECK_NEAR(px_fresnel((float)cos(a), 1 / 1.5f, &beyond), 0.5 * (s * s + p * p), 2e-6);
        CHECK_NEAR(beyond, cos(b), 1e-6);
    }
}

TEST(all_light_is_reflected_beyond_the_critical_angle)
{
    double critical = asin(1 / 1.333); /* 48.6 degrees, from water to air */
    CHECK_NEAR(px_fresnel((float)cos(critical + 0.01), 1.333f, NULL), 1, 0);
    CHECK(px_fresnel((float)cos(critical - 0.01), 1.333f, NULL) < 0.6f);
}

TEST(refraction_obeys_snell_and_stays_in_the_plane)
{
    for (int k = 0; k < 89; ++k) {
        float a = (float)k * PX_PI_F / 180, beyond;
        PxV3 d = px_v3(sinf(a), -cosf(a), 0), n = px_v3(0, 1, 0);
        px_fresnel(cosf(a), 1 / 1.333f, &beyond);
        PxV3 t = px_refract(d, n, 1 / 1.333f, beyond);
        CHECK_NEAR(t.x * 1.333f, sinf(a), 1e-6);
        CHECK(t.y < 0);
        CHECK_NEAR(t.z, 0, 0);
        CHECK_NEAR(px_v3_length(t), 1, 1e-6);
    }
}

TEST(a_mirror_turns_the_normal_part_around)
{
    PxV3 r = px_reflect(px_v3(0.6f, -0.8f, 0), px_v3(0, 1, 0));
    CHECK_NEAR(r.x, 0.6, 1e-6);
    CHECK_NEAR(r.y, 0.8, 1e-6);
}

/* Means over a grid of 256 x 256 numbers. */
#define EACH_UV(body)                                                                              \
    for (int i = 0; i < 256; ++i)                                                                  \
        for (int j = 0; j < 256; ++j) {                                                            \
            float u = ((float)i + 0.5f) / 256, v = ((float)j + 0.5f) / 256;                        \
            body                                                                                   \
        }

TEST(mirrors_of_a_rough_surface_cover_it_once)
{
    /* the integral of D cos over the half ball is 1 [Walter et al. 2007]; by z = cos */
    static const float alphas[] = {0.1f, 0.3f, 0.8f};
    for (int a = 0; a < 3; ++a) {
        double sum = 0;
        const int n = 200000;
        for (int k = 0; k < n; ++k) {
            double z = (k + 0.5) / n;
            sum += px_ggx_distribution(px_v3((float)sqrt(1 - z * z), 0, (float)z), alphas[a]) * z;
        }
        CHECK_NEAR(2 * 3.14159265358979 * sum / n, 1, 1e-3);
    }
}

/* The sum over all directions of the upper half ball, 512 x 1024 of them. */
#define EACH_DIRECTION(body)                                                                       \
    for (int i = 0; i < 512; ++i)                                                                  \
        for (int j = 0; j < 1024; ++j) {                                                           \
            double z = (i + 0.5) / 512, angle = 2 * 3.14159265358979 * (j + 0.5) / 1024;           \
            double r = sqrt(1 - z * z), part = 2 * 3.14159265358979 / (512.0 * 1024);              \
            PxV3 d = px_v3((float)(r * cos(angle)), (float)(r * sin(angle)), (float)z);            \
            body                                                                                   \
        }

TEST(rough_mirrors_are_drawn_as_their_density_says)
{
    static const float alphas[] = {0.2f, 0.5f, 0.9f};
    PxV3 w = px_v3_unit(px_v3(0.7f, 0.2f, 0.6f));
    for (int a = 0; a < 3; ++a) {
        double whole = 0, mean_z = 0, mean_x = 0, drawn_z = 0, drawn_x = 0;
        EACH_DIRECTION(double p = part * (double)px_ggx_density(w, d, alphas[a]); whole += p;
                       mean_z += p * z; mean_x += p * (double)d.x;)
        EACH_UV(PxV3 h = px_ggx_sample(w, alphas[a], u, v); drawn_z += (double)h.z / 65536;
                drawn_x += (double)h.x / 65536;)
        CHECK_NEAR(whole, 1, 2e-3);        /* the grids' own error */
        CHECK_NEAR(drawn_z, mean_z, 3e-3); /* likewise */
        CHECK_NEAR(drawn_x, mean_x, 3e-3);
    }
}

TEST(the_albedo_of_rough_metal_agrees_with_the_integral)
{
    /* white mirrors: each draw weighs G2 / G1; the integral is that of D G2 / (4 cos) over
     * all directions that light comes from */
    static const float alphas[] = {0.2f, 0.5f, 0.9f};
    PxV3 out = px_v3_unit(px_v3(0.5f, 0.3f, 0.7f));
    for (int a = 0; a < 3; ++a) {
        double drawn = 0, whole = 0;
        EACH_UV(PxV3 h = px_ggx_sample(out, alphas[a], u, v);
                PxV3 in = px_v3_sub(px_v3_scale(h, 2 * px_v3_dot(h, out)), out);
                if (in.z > 0) drawn +=
                (double)(px_ggx_shadowing2(in, out, alphas[a]) / px_ggx_shadowing(out, alphas[a])) /
                65536;)
        EACH_DIRECTION(PxV3 h = px_v3_unit(px_v3_add(d, out));
                       whole +=
                       part * (double)(px_ggx_distribution(h, alphas[a]) *
                                       px_ggx_shadowing2(d, out, alphas[a]) / (4 * out.z));)
        CHECK_NEAR(drawn, whole, 5e-3);
        CHECK(whole <= 1);
    }
}

TEST(hot_things_glow_red_then_white_and_cold_ones_do_not)
{
    CHECK_NEAR(px_v3_max(px_blackbody(20)), 0, 0);
    CHECK_NEAR(px_v3_luminance(px_blackbody(1200)), 1, 1e-5);
    PxV3 red = px_blackbody(900), white = px_blackbody(5200);
    CHECK(red.x > 4 * red.y && red.y > 4 * red.z);
    CHECK(fabsf(white.x / white.z - 1) < 0.25f); /* 5500 K is nearly daylight */
    CHECK(px_v3_luminance(px_blackbody(1000)) > 4 * px_v3_luminance(px_blackbody(850)));
}

TEST(the_first_samples_of_a_pixel_are_stratified)
{
    /* 64 points: one in every 8 x 8 square and one in every 64th of each axis */
    for (uint32_t pixel = 0; pixel < 20; ++pixel) {
        int square[64] = {0}, column[64] = {0}, row[64] = {0};
        for (uint32_t k = 0; k < 64; ++k) {
            PxSampler s = px_sampler(pixel, 3, 7, k, 6);
            float u, v;
            px_sample2(&s, &u, &v);
            px_sample2(&s, &u, &v); /* the second pair */
            CHECK(u >= 0 && u < 1 && v >= 0 && v < 1);
            ++square[(int)(8 * u) * 8 + (int)(8 * v)];
            ++column[(int)(64 * u)];
            ++row[(int)(64 * v)];
        }
        for (int k = 0; k < 64; ++k)
            CHECK(square[k] == 1 && column[k] == 1 && row[k] == 1);
    }
}

TEST(neighbouring_pixels_are_stratified_together)
{
    /* 4 x 4 pixels of 4 samples: one in every 8 x 8 square */
    int square[64] = {0};
    for (uint32_t k = 0; k < 64; ++k) {
        PxSampler s = px_sampler(8 + k % 4, 4 + k / 4 % 4, 1, k / 16, 2);
        float u, v;
        px_sample2(&s, &u, &v);
        ++square[(int)(8 * u) * 8 + (int)(8 * v)];
    }
    for (int k = 0; k < 64; ++k)
        CHECK_EQUAL(square[k], 1);
}

TEST(pairs_and_pixels_do_not_know_of_each_other)
{
    /* correlation of 4096 samples: 3 standard deviations are 3 / 64 */
    double sum = 0, across = 0;
    for (uint32_t k = 0; k < 4096; ++k) {
        PxSampler a = px_sampler(1, 1, 0, k, 12), b = px_sampler(2, 1, 0, k, 12);
        float u, v, x, y, p, q;
        px_sample2(&a, &u, &v);
        px_sample2(&a, &x, &y);
        px_sample2(&b, &p, &q);
        sum += ((double)u - 0.5) * ((double)x - 0.5) * 12;
        across += ((double)u - 0.5) * ((double)p - 0.5) * 12;
    }
    CHECK_NEAR(sum / 4096, 0, 3.0 / 64);
    CHECK_NEAR(across / 4096, 0, 3.0 / 64);
}

TEST(steps_of_the_colours_look_equally_long)
{
    /* in Oklab, which is perceptually uniform; the coefficients have ten digits */
    double least = 1e9, most = 0;
    for (int k = 0; k < 32; ++k) {
        PxV3 a = px_oklab_from_linear(px_colour_map((float)k / 32));
        PxV3 b = px_oklab_from_linear(px_colour_map((float)(k + 1) / 32));
        double d = (double)px_v3_length(px_v3_sub(a, b));
        CHECK(b.x > a.x); /* lighter all the way */
        least = fmin(least, d);
        most = fmax(most, d);
    }
    if (most > 1.001 * least)
        fail_msg("steps from %g to %g", least, most);
}

TEST(decoding_inverts_encoding)
{
    for (int k = 0; k <= 100; ++k)
        CHECK_NEAR(px_srgb_decode(px_srgb_encode((float)k / 100)), k / 100.0, 1e-5);
    CHECK_NEAR(px_srgb_encode(0.5f), 0.735357, 1e-5); /* IEC 61966-2-1 */
}

TEST(the_film_rises_all_the_way_and_never_leaves_the_range)
{
    float before = -1;
    for (int k = 0; k < 1000; ++k) {
        PxV3 c = px_tone_map(px_v3_all(0.02f * (float)k));
        CHECK(c.x >= before - 1e-6f && c.x <= 1); /* rounding */
        before = c.x;
    }
}

TEST_MAIN()
