/// HDR pictures, and skies made of them.
#include "check.h"

#include "render/scenery.h"
#include "render/sky_map.h"

#include <stdlib.h>

static PxStatus hdr(const char *bytes, size_t size, PxHdr **out)
{
    return px_hdr_read("s.hdr", bytes, size, out);
}

#define HEAD "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\nEXPOSURE=1\n\n"
#define READ(text, out) hdr(text, sizeof(text) - 1, out)

TEST(flat_and_run_length_rows_are_read)
{
    PxHdr *p;
    /* whole pixels, one of them repeated twice */
    CHECK_OK(READ(HEAD "-Y 2 +X 3\n"
                       "\x80\x40\x20\x81\x01\x01\x01\x02"
                       "\x10\x10\x10\x80\x20\x20\x20\x80\x30\x30\x30\x80",
                  &p));
    CHECK(p->width == 3 && p->height == 2);
    float c[3];
    px_hdr_pixel(p, 2, 0, c);
    CHECK_NEAR(c[0], 1.00390625, 1e-7); /* (128 + 0.5) / 256 * 2 */
    CHECK_NEAR(c[2], 0.25390625, 1e-7);
    px_hdr_pixel(p, 1, 1, c);
    CHECK_NEAR(c[1], 32.5 / 256, 1e-7);
    px_hdr_free(p);
    /* channels in runs: 8 equal reds, 5 and 3 greens, 8 single blues, 8 exponents */
    CHECK_OK(READ(HEAD "-Y 2 +X 8\n"
                       "\x02\x02\x00\x08\x88\x09\x85\x01\x83\x02\x08"
                       "abcdefgh"
                       "\x88\x80"
                       "\x02\x02\x00\x08\x88\x09\x88\x01\x88\x07\x88\x00",
                  &p));
    CHECK(p->pixel[6][0] == 9 && p->pixel[4][1] == 1 && p->pixel[5][1] == 2);
    CHECK(p->pixel[7][2] == 'h' && p->pixel[7][3] == 0x80);
    px_hdr_pixel(p, 3, 1, c);
    CHECK_EQUAL(c[0], 0); /* an exponent of 0 is black */
    px_hdr_free(p);
}

TEST(broken_pictures_are_refused)
{
    PxHdr *p;
    CHECK_FAILS(READ("\x89PNG\r\n", &p), PX_ERR_FORMAT, "s.hdr: is no HDR picture");
    CHECK_FAILS(READ("", &p), PX_ERR_FORMAT, "is no HDR picture");
    CHECK_FAILS(READ("#?RADIANCE\nFORMAT=32-bit_rle_xyze\n\n-Y 2 +X 2\n", &p), PX_ERR_FORMAT,
                "line 2: 'FORMAT=32-bit_rle_xyze', wanted 32-bit_rle_rgbe");
    CHECK_FAILS(READ(HEAD "+Y 2 +X 2\n1234", &p), PX_ERR_FORMAT, "no size of the form");
    CHECK_FAILS(READ(HEAD, &p), PX_ERR_FORMAT, "no size of the form");
    CHECK_FAILS(READ(HEAD "-Y 99999 +X 2\n", &p), PX_ERR_FORMAT, "wanted 2 to 16384 each");
    CHECK_FAILS(READ(HEAD "-Y 2 +X 2\n\x01\x01\x01\x05\x01\x01\x01\x01", &p), PX_ERR_FORMAT,
                "ends in row 0 of 2");
    CHECK_FAILS(READ(HEAD "-Y 2 +X 8\n\x02\x02\x00\x09xxxx", &p), PX_ERR_FORMAT,
                "row 0 has 9 pixels, wanted 8");
    CHECK_FAILS(READ(HEAD "-Y 2 +X 8\n\x02\x02\x00\x08\x89\x01", &p), PX_ERR_FORMAT, "ends in row");
    CHECK_FAILS(READ(HEAD "-Y 2 +X 8\n\x02\x02\x00\x08\x00\x01", &p), PX_ERR_FORMAT, "ends in row");
}

enum { W = 64, H = 32 };

/* A blue sky, brown ground, and a sun of two pixels in row 8, columns 16 and 17. */
static PxSkyMap *sunny(double degrees)
{
    PxHdr *p = calloc(1, sizeof *p);
    p->width = W;
    p->height = H;
    p->pixel = calloc((size_t)W * H, sizeof *p->pixel);
    for (int y = 0; y < H; ++y)
        for (int x = 0; x < W; ++x) {
            bool sun = y == 8 && (x == 16 || x == 17);
            uint8_t sky[4] = {60, 90, 150, 128}, ground[4] = {60, 40, 20, 127},
                    bright[4] = {240, 220, 200, 138};
            memcpy(p->pixel[y * W + x], sun ? bright : y < H / 2 ? sky : ground, 4);
        }
    PxSkyMap *map;
    CHECK_OK(px_sky_map_make(p, "sunny", degrees, &map));
    return map;
}

TEST(the_sun_of_a_picture_is_sampled_and_the_rest_is_smooth)
{
    PxSkyMap *map = sunny(0);
    PxSky sky = px_sky_of_map(map);
    CHECK_EQUAL(map->brights, 2);
    /* columns 16 and 17 of 64 are -90 to -79 degrees from -z, row 8 is 45 to 51 from the zenith */
    PxV3 in, radiance;
    float density;
    double light = px_v3_luminance(px_sky_irradiance(&sky)), sampled = 0;
    enum { MANY = 4096 };
    for (int k = 0; k < MANY; ++k) {
        float u = ((float)k + 0.5f) / MANY, v = (float)((k * 1571) % MANY) / MANY;
        CHECK(px_sun_sample(&sky, u, v, &in, &radiance, &density));
        CHECK_NEAR(px_v3_length(in), 1, 1e-5);
        CHECK(in.y > 0.63f && in.y < 0.7072f && in.x < -0.6f);
        sampled += (double)(px_v3_luminance(radiance) * in.y / density) / MANY;
        if (v > 0.01f) { /* not on the border of a pixel */
            CHECK_NEAR(px_sun_density(&sky, in), density, 1e-3f * density);
            CHECK_NEAR(px_sun_radiance(&sky, in).x, radiance.x, 1e-3f * radiance.x);
        }
    }
    /* all of it lights the ground as much as a studio does */
    CHECK_NEAR(light + sampled, 3.9, 0.02);
    CHECK(sampled > 2 * light);
    CHECK_EQUAL(px_sun_radiance(&sky, px_v3(0, 1, 0)).x, 0);
    PxV3 up = px_sky_radiance(&sky, px_v3(0, 1, 0)), down = px_sky_radiance(&sky, px_v3(0, -1, 0));
    CHECK(up.z > up.x && down.x > down.z);
    CHECK_NEAR(up.z / down.z, 150.5 / 20.5 * 2, 0.01);
    px_sky_map_free(map);
}

TEST(a_turned_sky_has_its_sun_elsewhere)
{
    PxSkyMap *map = sunny(0), *turned = sunny(90);
    PxV3 a, b, radiance;
    float density;
    CHECK(px_sky_map_sample(map, 0.3f, 0.4f, &a, &radiance, &density));
    CHECK(px_sky_map_sample(turned, 0.3f, 0.4f, &b, &radiance, &density));
    CHECK_NEAR(a.y, b.y, 1e-6);
    CHECK_NEAR(a.x * b.x + a.z * b.z, 0, 1e-5);
    CHECK(px_v3_max(px_sky_map_bright(turned, b)) > 0 && px_sky_map_bright(turned, a).x == 0);
    px_sky_map_free(map);
    px_sky_map_free(turned);
}

TEST(a_black_picture_is_refused)
{
    PxHdr *p = calloc(1, sizeof *p);
    p->width = p->height = 4;
    p->pixel = calloc(16, sizeof *p->pixel);
    PxSkyMap *map;
    CHECK_FAILS(px_sky_map_make(p, "dark", 0, &map), PX_ERR_FORMAT, "dark: gives no light");
}

TEST_MAIN()
