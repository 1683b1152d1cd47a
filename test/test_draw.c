/// The path tracer against analytic results: furnace tests, thickness, shadows; same bits.
#include "check.h"

#include "render/trace/draw.h"
#include "study/sample_liquid.h"

#include <stdlib.h>

#ifdef PX_HAVE_EMBREE

static PxDrawDef draw_def(const PxScenery *scenery, uint32_t samples)
{
    return (PxDrawDef){.scenery = scenery,
                       .width = 48,
                       .height = 48,
                       .samples = samples,
                       .exposure = 1,
                       .plain = true,
                       .most_bounces = 64,
                       .most_scatter = 64,
                       .clamp = INFINITY,
                       .threads = {.count = 1}};
}

/* A ball of radius 1 as an analytic primitive, not a mesh. */
static void add_ball(PxScenery *scenery, const PxLook *look, PxV3 at, float radius)
{
    PxThing *t;
    uint32_t k = px_scenery_add_look(scenery, look);
    CHECK_OK(px_scenery_add_thing(scenery, PX_THING_BALLS, k, 1, 0, PX_WITH_RADIUS, &t));
    t->position[0] = at;
    t->radius[0] = radius;
}

static PxScenery before(PxSky sky)
{
    PxScenery s = {.sky = sky};
    s.camera = px_camera_look(px_v3(0, 0, 5), px_v3_all(0), 40);
    return s;
}

static PxRadiance *draw(const PxDrawDef *def)
{
    PxRadiance *seen = malloc(sizeof *seen * def->width * def->height);
    CHECK_OK(px_draw_light(def, seen, NULL, NULL));
    return seen;
}

static void check_even(const PxRadiance *seen, size_t count, double wanted, double tolerance)
{
    for (size_t k = 0; k < count; ++k) {
        CHECK_NEAR(seen[k].light.x, wanted, tolerance);
        CHECK_NEAR(seen[k].light.z, wanted, tolerance);
    }
}

TEST(a_white_matte_ball_in_a_white_sky_is_invisible)
{
    PxScenery s = before(px_sky_even(px_v3_all(1)));
    PxLook look = px_look_matte(px_v3_all(1));
    add_ball(&s, &look, px_v3_all(0), 1);
    PxDrawDef def = draw_def(&s, 16);
    PxRadiance *seen = draw(&def);
    check_even(seen, 48 * 48, 1, 1e-4); /* rounding of a few products */
    free(seen);
    px_scenery_free(&s);
}

TEST(a_clear_ball_in_a_white_sky_is_invisible)
{
    PxScenery s = before(px_sky_even(px_v3_all(1)));
    PxLook look = px_look_clear(1.5f, px_v3_all(0), 1);
    add_ball(&s, &look, px_v3_all(0), 1);
    PxDrawDef def = draw_def(&s, 16);
    PxRadiance *seen = draw(&def);
    check_even(seen, 48 * 48, 1, 1e-4);
    free(seen);
    px_scenery_free(&s);
}

TEST(varnish_and_rough_metal_never_give_back_more_than_they_got)
{
    for (int k = 0; k < 6; ++k) {
        PxScenery s = before(px_sky_even(px_v3_all(1)));
        float roughness = 0.1f + 0.4f * (float)(k % 3);
        PxLook look = k < 3 ? px_look_glossy(px_v3_all(1), roughness)
                            : px_look_metal(px_v3_all(1), roughness);
        add_ball(&s, &look, px_v3_all(0), 1);
        PxDrawDef def = draw_def(&s, 64);
        PxRadiance *seen = draw(&def);
        double middle = 0;
        for (uint32_t y = 20; y < 28; ++y)
            for (uint32_t x = 20; x < 28; ++x)
                middle += (double)seen[48 * y + x].light.x / 64;
        if (!(middle <= 1.003) || !(middle > 0.4)) /* a standard error of 0.001 */
            fail_msg("look %d, roughness %g: %g of the light comes back", k / 3, (double)roughness,
                     middle);
        free(seen);
        px_scenery_free(&s);
    }
}

/* Mean radiance at the middle of a ball, where it faces the camera. */
static double middle_of(const PxLook *look, PxSky sky, uint32_t samples)
{
    PxScenery s = before(sky);
    add_ball(&s, look, px_v3_all(0), 1);
    s.camera = px_camera_look(px_v3(0, 0, 5), px_v3_all(0), 0.5f);
    PxDrawDef def = draw_def(&s, samples);
    PxRadiance *seen = draw(&def);
    double mean = 0;
    for (int p = 0; p < 48 * 48; ++p)
        mean += (double)seen[p].light.x / (48 * 48);
    free(seen);
    px_scenery_free(&s);
    return mean;
}

TEST(the_sun_lights_a_white_surface_by_its_cosine)
{
    /* A disc of half angle a and irradiance 1 of what faces all of it gives
     * pi sin^2(a) / (2 pi (1 - cos a)) = (1 + cos a) / 2 to a surface that faces its middle. */
    PxSky sky = px_sky_even(px_v3_all(0));
    sky.sun = px_v3(0, 0, 1);
    sky.sun_cosine = cosf(20 * PX_PI_F / 180);
    sky.sunlight = px_v3_all(1);
    PxLook look = px_look_matte(px_v3_all(1));
    double e = 0.5 * (1 + cos(20 * 3.14159265 / 180));
    CHECK_NEAR(middle_of(&look, sky, 16), e / 3.14159265, 1e-3);
}

TEST(light_is_counted_once_by_both_sampling_strategies)
{
    /* A sun as wide as the hemisphere before the ball, and a sky of the same radiance: the same
     * light, sampled in two ways. */
    PxSky wide = px_sky_even(px_v3_all(0)), even = px_sky_even(px_v3_all(1));
    wide.sun = px_v3(0, 0, 1);
    wide.sun_cosine = 0;
    wide.sunlight = px_v3_all(2 * PX_PI_F);
    PxLook looks[] = {px_look_matte(px_v3_all(0.7f)), px_look_glossy(px_v3_all(0.7f), 0.3f),
                      px_look_metal(px_v3_all(0.7f), 0.2f), px_look_metal(px_v3_all(0.7f), 0.6f)};
    for (int k = 0; k < 4; ++k)
        /* standard error 1.6e-3 of 37,000 paths whose light varies by 0.3 */
        CHECK_NEAR(middle_of(&looks[k], wide, 16), middle_of(&looks[k], even, 16), 6e-3);
}

TEST(x_rays_are_absorbed_by_the_true_thickness_of_a_ball)
{
    /* through the middle d = 2 r; off it d = 2 sqrt(r^2 - b^2), b the ray's distance from
     * the middle */
    PxScenery s = before(px_sky_even(px_v3_all(1)));
    PxLook look = px_look_matte(px_v3_all(1));
    look.xray = 0.7f;
    add_ball(&s, &look, px_v3_all(0), 1);
    PxRays *rays;
    CHECK_OK(px_rays_create(&s, &rays));
    PxPathDef path = {.scenery = &s, .rays = rays};
    for (int k = 0; k < 20; ++k) {
        PxSampler sampler = px_sampler(0, 0, 0, 0, 0);
        double y = 0.055 * k, slope = y * tan(20 * 3.14159265358979 / 180);
        double b = 5 * sin(atan(slope));
        double d = b < 1 ? 2 * sqrt(1 - b * b) : 0;
        PxRadiance seen = px_xray_trace(&path, 0, (float)y, &sampler);
        CHECK_NEAR(seen.light.x, exp(-0.7 * d), 2e-4); /* floats, at 5 m from the ball */
    }
    px_rays_free(rays);
    px_scenery_free(&s);
}

TEST(a_shell_absorbs_x_rays_by_its_thickness_and_the_slant_of_the_ray)
{
    PxScenery s = before(px_sky_even(px_v3_all(1)));
    PxLook look = px_look_matte(px_v3_all(1));
    look.xray = 4;
    look.shell = 0.05f;
    add_ball(&s, &look, px_v3_all(0), 1);
    PxRays *rays;
    CHECK_OK(px_rays_create(&s, &rays));
    PxPathDef path = {.scenery = &s, .rays = rays};
    for (int k = 0; k < 10; ++k) {
        PxSampler sampler = px_sampler(0, 0, 0, 0, 0);
        double y = 0.05 * k, b = 5 * sin(atan(y * tan(20 * 3.14159265358979 / 180)));
        double cosine = sqrt(1 - b * b); /* both walls are crossed at the same angle */
        PxRadiance seen = px_xray_trace(&path, 0, (float)y, &sampler);
        CHECK_NEAR(seen.light.x, exp(-2 * 0.2 / cosine), 5e-4);
    }
    px_rays_free(rays);
    px_scenery_free(&s);
}

TEST(where_balls_overlap_x_rays_count_their_matter_once)
{
    PxScenery s = before(px_sky_even(px_v3_all(1)));
    PxLook look = px_look_matte(px_v3_all(1));
    look.xray = 0.5f;
    PxThing *t;
    uint32_t k = px_scenery_add_look(&s, &look);
    CHECK_OK(px_scenery_add_thing(&s, PX_THING_BALLS, k, 3, 0, PX_WITH_RADIUS, &t));
    for (int i = 0; i < 3; ++i) {
        t->position[i] = px_v3(0, 0, 0.8f * (float)(i - 1)); /* one behind the other */
        t->radius[i] = 0.6f;
    }
    PxRays *rays;
    CHECK_OK(px_rays_create(&s, &rays));
    PxPathDef path = {.scenery = &s, .rays = rays};
    PxSampler sampler = px_sampler(0, 0, 0, 0, 0);
    CHECK_NEAR(px_xray_trace(&path, 0, 0, &sampler).light.x, exp(-0.5 * 2.8), 2e-4);
    px_rays_free(rays);
    px_scenery_free(&s);
}

TEST(water_absorbs_light_by_beer_and_lambert)
{
    /* A camera looks straight through a slab of index 1, so that nothing is reflected. */
    PxScenery s = before(px_sky_even(px_v3_all(1)));
    PxLook look = px_look_clear(1, px_v3(1, 0.5f, 0), 1);
    uint32_t k = px_scenery_add_look(&s, &look);
    PxThing *t;
    CHECK_OK(px_scenery_add_thing(&s, PX_THING_MESH, k, 8, 4, 0, &t));
    for (int i = 0; i < 8; ++i)
        t->position[i] = px_v3(i & 1 ? 50.0f : -50.0f, i & 2 ? 50.0f : -50.0f, i & 4 ? 1 : 0.25f);
    static const uint32_t tri[4][3] = {{4, 5, 7}, {4, 7, 6}, {0, 3, 1}, {0, 2, 3}};
    memcpy(t->triangle, tri, sizeof tri);
    s.camera = px_camera_look(px_v3(0, 0, 5), px_v3_all(0), 0.1f);
    PxDrawDef def = draw_def(&s, 1);
    PxRadiance *seen = draw(&def);
    CHECK_NEAR(seen[0].light.x, exp(-0.75), 1e-4);
    CHECK_NEAR(seen[0].light.y, exp(-0.375), 1e-4);
    CHECK_NEAR(seen[0].light.z, 1, 1e-4);
    free(seen);
    px_scenery_free(&s);
}

TEST(a_liquid_that_reaches_into_its_glass_has_no_air_between_them)
{
    /* Glass from z = 0 to 1, liquid of the same index from 0.9 to 2: no border between, so
     * the reflection is that of two borders, not four. The ray goes straight on. */
    PxScenery s = before(px_sky_even(px_v3_all(0)));
    s.sky = px_sky_even(px_v3_all(1));
    PxLook glass = px_look_clear(1.5f, px_v3_all(0), 2),
           liquid = px_look_clear(1.5f, px_v3(1, 1, 1), 1);
    uint32_t looks[2] = {px_scenery_add_look(&s, &glass), px_scenery_add_look(&s, &liquid)};
    static const float from[2][2] = {{0, 1}, {0.9f, 2}};
    static const uint32_t tri[4][3] = {{4, 5, 7}, {4, 7, 6}, {0, 3, 1}, {0, 2, 3}};
    for (int m = 0; m < 2; ++m) {
        PxThing *t;
        CHECK_OK(px_scenery_add_thing(&s, PX_THING_MESH, looks[m], 8, 4, 0, &t));
        for (int i = 0; i < 8; ++i)
            t->position[i] =
                px_v3(i & 1 ? 50.0f : -50.0f, i & 2 ? 50.0f : -50.0f, from[m][i & 4 ? 1 : 0]);
        memcpy(t->triangle, tri, sizeof tri);
    }
    s.camera = px_camera_look(px_v3(0, 0, 5), px_v3_all(0), 0.1f);
    PxDrawDef def = draw_def(&s, 64);
    PxRadiance *seen = draw(&def);
    double mean = 0;
    for (int p = 0; p < 48 * 48; ++p)
        mean += (double)seen[p].light.x / (48 * 48);
    /* F = 0.04 at the two outer borders; what enters passes the 1 m of liquid that is not in
     * the glass, to and fro: F + (1-F)^2 T / (1 - F T) + ... with T = exp(-1), summed */
    double F = 0.04, T = exp(-1.0);
    double through = (1 - F) * (1 - F) * T / (1 - F * F * T * T);
    double back = F + (1 - F) * (1 - F) * F * T * T / (1 - F * F * T * T);
    CHECK_NEAR(mean, through + back, 2e-3); /* standard error 3e-4 */
    free(seen);
    px_scenery_free(&s);
}

/* The ground under the sun at the zenith in a black sky, seen from a height of 0.2 m. */
static PxScenery under_the_sun(void)
{
    PxScenery s = before(px_sky_day(0, 90));
    s.sky.zenith = s.sky.horizon = px_v3_all(0);
    s.ground = (PxGround){
        .kind = PX_GROUND_FLOOR, .colour = px_v3_all(0.5f), .near_end = 1e6f, .far_end = 1e7f};
    s.camera = px_camera_look(px_v3(0, 0.2f, 0.01f), px_v3_all(0), 60);
    return s;
}

static double mean_light(PxScenery *s, uint32_t photons, double *middle)
{
    PxDrawDef def = draw_def(s, 16);
    def.photons = photons;
    PxRadiance *seen = draw(&def);
    double mean = 0;
    for (int k = 0; k < 48 * 48; ++k)
        mean += (double)seen[k].light.y / (48 * 48);
    *middle = (double)seen[48 * 24 + 24].light.y;
    free(seen);
    return mean;
}

TEST(photons_pass_a_slab_of_glass_and_meet_in_the_focus_of_a_ball)
{
    double middle, open, through;
    PxScenery s = under_the_sun();
    open = mean_light(&s, 0, &middle);
    /* A slab with many reflections inside lets (1 - F) / (1 + F) pass, F = 0.04. */
    PxLook glass = px_look_clear(1.5f, px_v3_all(0), 1);
    PxThing *t;
    CHECK_OK(
        px_scenery_add_thing(&s, PX_THING_MESH, px_scenery_add_look(&s, &glass), 8, 12, 0, &t));
    for (int i = 0; i < 8; ++i)
        t->position[i] = px_v3(i & 1 ? 1.0f : -1.0f, i & 2 ? 1.2f : 1.0f, i & 4 ? 1.0f : -1.0f);
    static const uint32_t box[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6},
                                        {0, 1, 5}, {0, 5, 4}, {2, 6, 7}, {2, 7, 3},
                                        {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    memcpy(t->triangle, box, sizeof box);
    through = mean_light(&s, 400000, &middle);
    CHECK_NEAR(through / open, 0.96 / 1.04, 0.02);
    px_scenery_free(&s);

    /* A ball of radius r = 0.5 has its focus n r / (2 (n - 1)) = 0.75 m from its middle. */
    s = under_the_sun();
    add_ball(&s, &glass, px_v3(0, 0.75f, 0), 0.5f);
    through = mean_light(&s, 400000, &middle);
    CHECK(middle > 20 * open);
    px_scenery_free(&s);
}

TEST(a_camera_under_water_is_in_it)
{
    /* 2 m of water of index 1 below the sky; only the camera's position says that it is inside */
    PxScenery s = before(px_sky_even(px_v3_all(1)));
    PxLook look = px_look_clear(1, px_v3(1, 0, 0), 1);
    add_ball(&s, &look, px_v3_all(0), 2);
    s.camera = px_camera_look(px_v3_all(0), px_v3(0, 0, -1), 40);
    PxDrawDef def = draw_def(&s, 1);
    PxRadiance *seen = draw(&def);
    CHECK_NEAR(seen[48 * 24 + 24].light.x, exp(-2), 1e-4);
    CHECK_NEAR(seen[48 * 24 + 24].light.y, 1, 1e-4);
    free(seen);
    px_scenery_free(&s);
}

TEST(open_ground_has_the_light_of_the_whole_sky_without_noise)
{
    /* No sun. The sky is z + (h - z) exp(-4 y), so pi z + 2 pi (h - z) (1 - 5 exp(-4)) / 16
     * falls on the ground; 1e-5 is Simpson's rule and floats. */
    PxScenery s = before(px_sky_day(0, -10));
    s.ground = (PxGround){
        .kind = PX_GROUND_FLOOR, .colour = px_v3_all(0.5f), .near_end = 1e6f, .far_end = 1e7f};
    s.camera = px_camera_look(px_v3(0, 5, 0.1f), px_v3_all(0), 40);
    PxDrawDef def = draw_def(&s, 1);
    PxRadiance *seen = draw(&def);
    double z = (double)s.sky.zenith.y, h = (double)s.sky.horizon.y;
    double wanted = 0.5 * (z + 2 * (h - z) * (1 - 5 * exp(-4)) / 16);
    for (int k = 0; k < 48 * 48; ++k)
        CHECK_NEAR(seen[k].light.y, wanted, 1e-5);
    free(seen);
    px_scenery_free(&s);
}

TEST(a_white_ball_on_white_ground_under_a_white_sky_is_invisible)
{
    PxScenery s = before(px_sky_even(px_v3_all(1)));
    PxLook look = px_look_matte(px_v3_all(1));
    add_ball(&s, &look, px_v3_all(0), 1);
    s.ground = (PxGround){.kind = PX_GROUND_FLOOR,
                          .level = -1,
                          .colour = px_v3_all(1),
                          .near_end = 1e6f,
                          .far_end = 1e7f};
    s.camera = px_camera_look(px_v3(0, 2, 5), px_v3_all(0), 40);
    PxDrawDef def = draw_def(&s, 4);
    PxRadiance *seen = draw(&def);
    /* subtracting the known light of the sky again leaves rounding errors */
    check_even(seen, 48 * 48, 1, 1e-4);
    free(seen);
    px_scenery_free(&s);
}

static double noise_of(uint32_t samples)
{
    PxScenery s = before(px_sky_day(-40, 50));
    PxLook look = px_look_clear(1.333f, px_v3(1, 0.3f, 0.1f), 1);
    CHECK_OK(px_sample_liquid(&s, px_scenery_add_look(&s, &look), px_v3(1, 0.2f, 1), 2000));
    s.ground = (PxGround){
        .kind = PX_GROUND_FLOOR, .colour = px_v3_all(0.5f), .near_end = 3, .far_end = 20};
    s.camera = px_camera_look(px_v3(0.7f, 0.9f, 1.6f), px_v3(0, 0.15f, 0), 40);
    PxDrawDef def = draw_def(&s, samples);
    def.most_bounces = 16;
    def.most_scatter = 4;
    def.clamp = 20;
    PxRadiance *a = draw(&def);
    def.seed = 1;
    PxRadiance *b = draw(&def);
    double square = 0;
    for (int p = 0; p < 48 * 48; ++p)
        square += pow((double)(a[p].light.y - b[p].light.y), 2) / (48 * 48);
    free(a);
    free(b);
    px_scenery_free(&s);
    return sqrt(0.5 * square);
}

TEST(noise_falls_as_samples_rise)
{
    /* at least with the square root of their number */
    double few = noise_of(4), many = noise_of(64);
    if (!(many < few / 3))
        fail_msg("noise %g with 4 samples, %g with 64", few, many);
}

TEST(a_picture_has_the_same_bits_for_any_number_of_threads)
{
    PxScenery s = before(px_sky_day(-40, 50));
    PxLook look = px_look_clear(1.333f, px_v3(1, 0.3f, 0.1f), 1);
    CHECK_OK(px_sample_liquid(&s, px_scenery_add_look(&s, &look), px_v3(1, 0.2f, 1), 5000));
    s.ground = (PxGround){
        .kind = PX_GROUND_FLOOR, .colour = px_v3_all(0.5f), .near_end = 3, .far_end = 20};
    s.camera = px_camera_look(px_v3(0.7f, 0.9f, 1.6f), px_v3(0, 0.15f, 0), 40);
    PxDrawDef def = draw_def(&s, 4);
    def.most_bounces = 16;
    def.clamp = 20;
    PxRadiance *straight = draw(&def);
    def.photons = 20000;
    PxRadiance *one = draw(&def);
    CHECK(memcmp(one, straight, sizeof *one * 48 * 48) != 0);
    free(straight);
    static const int counts[] = {2, 3, 8};
    for (int k = 0; k < 3; ++k) {
        def.threads.count = counts[k];
        PxRadiance *more = draw(&def);
        CHECK(memcmp(one, more, sizeof *one * 48 * 48) == 0);
        free(more);
    }
    free(one);
    px_scenery_free(&s);
}

TEST(wet_meshes_have_the_tint_of_their_liquid)
{
    PxScenery s = before(px_sky_even(px_v3_all(1)));
    PxLook look = px_look_matte(px_v3(0.8f, 0.6f, 0.4f));
    PxThing *t;
    CHECK_OK(px_scenery_add_thing(&s, PX_THING_MESH, px_scenery_add_look(&s, &look), 3, 1,
                                  PX_WITH_WETNESS | PX_WITH_TINT, &t));
    for (uint32_t k = 0; k < 3; ++k) {
        t->position[k] = px_v3(k == 1 ? 1 : 0, k == 2 ? 1 : 0, 0);
        t->triangle[0][k] = k;
        t->wetness[k] = 1;
        t->tint[k] = k == 0 ? px_v3(1, 0.5f, 0) : px_v3(1, 0.25f, 0.5f);
    }
    PxRays *rays;
    PxHit hit;
    CHECK_OK(px_rays_create(&s, &rays));
    PxRay ray = {.from = px_v3(0.25f, 0.25f, 5), .direction = px_v3(0, 0, -1), .most = INFINITY};
    CHECK(px_rays_intersect(rays, &ray, &hit));
    PxV3 want = px_colour_wet(px_v3(0.8f, 0.6f * 0.375f, 0.4f * 0.25f), 1);
    CHECK_NEAR(hit.colour.x, want.x, 1e-5);
    CHECK_NEAR(hit.colour.y, want.y, 1e-5);
    CHECK_NEAR(hit.colour.z, want.z, 1e-5);
    px_rays_free(rays);
    px_scenery_free(&s);
}

TEST(discs_are_seen_as_one_smooth_surface)
{
    /* Surfels on a ball: where a ray meets them and which way the surface faces there is
     * that of the ball, nowhere that of a single disc. */
    enum { COUNT = 3000 };
    PxScenery s = before(px_sky_even(px_v3_all(1)));
    PxLook look = px_look_matte(px_v3_all(0.5f));
    PxThing *t;
    CHECK_OK(px_scenery_add_thing(&s, PX_THING_DISCS, px_scenery_add_look(&s, &look), COUNT, 0,
                                  PX_WITH_RADIUS | PX_WITH_NORMAL, &t));
    for (int k = 0; k < COUNT; ++k) { /* a spiral of even steps */
        float z = 1 - (2 * (float)k + 1) / COUNT, a = 2.39996323f * (float)k;
        float r = sqrtf(1 - z * z);
        t->position[k] = t->normal[k] = px_v3(r * cosf(a), r * sinf(a), z);
        t->radius[k] = 0.12f; /* three times the way to the next */
    }
    PxRays *rays;
    CHECK_OK(px_rays_create(&s, &rays));
    double worst = 0, far = 0;
    for (int k = 0; k < 2000; ++k) {
        float x = 0.8f * ((float)(k % 50) / 25 - 1), y = 0.8f * ((float)(k / 50) / 20 - 1);
        PxRay ray = {.from = px_v3(x, y, 5), .direction = px_v3(0, 0, -1), .most = INFINITY};
        if (x * x + y * y > 0.64f)
            continue;
        PxHit hit;
        CHECK(px_rays_intersect(rays, &ray, &hit));
        PxV3 at = px_v3_mad(ray.from, ray.direction, hit.t);
        worst = fmax(worst, acos(fmin(1, (double)px_v3_dot(px_v3_unit(at), hit.normal))));
        far = fmax(far, fabs((double)px_v3_length(at) - 1));
    }
    px_rays_free(rays);
    px_scenery_free(&s);
    /* single discs face up to 6.9 degrees away at their rims, and leave it by 0.7 % */
    if (worst * 180 / 3.14159 > 1 || far > 0.004)
        fail_msg("normals are off by up to %g degrees, places by %g", worst * 180 / 3.14159, far);
}

TEST(discs_end_at_sharp_edges)
{
    /* A cube of edge 2, its six sides and edges strewn with discs of 0.2 whose rims stick out: seen
     * slantwise and askew it is a cube, nowhere more, and nowhere less. */
    enum { ROW = 11, MOST = 6 * ROW * ROW };
    PxScenery s = before(px_sky_even(px_v3_all(1)));
    PxLook look = px_look_matte(px_v3_all(0.5f));
    PxThing *t;
    CHECK_OK(px_scenery_add_thing(&s, PX_THING_DISCS, px_scenery_add_look(&s, &look), MOST, 0,
                                  PX_WITH_RADIUS | PX_WITH_NORMAL, &t));
    uint32_t n = 0;
    for (int side = 0; side < 6; ++side)
        for (int k = 0; k < ROW * ROW; ++k) {
            int axis = side / 2;
            float x[3], normal[3] = {0, 0, 0};
            x[axis] = side % 2 ? 1 : -1;
            x[(axis + 1) % 3] = 2 * (float)(k % ROW) / (ROW - 1) - 1;
            x[(axis + 2) % 3] = 2 * (float)(k / ROW) / (ROW - 1) - 1;
            for (int c = 0; c < 3; ++c) /* those on edges face half way */
                normal[c] = fabsf(x[c]) == 1 ? x[c] : 0;
            t->position[n] = px_v3(x[0], x[1], x[2]);
            t->normal[n] = px_v3_unit(px_v3(normal[0], normal[1], normal[2]));
            t->radius[n++] = 0.2f;
        }
    PxRays *rays;
    CHECK_OK(px_rays_create(&s, &rays));
    PxV3 to = px_v3_unit(px_v3(-0.5f, -0.7f, -0.6f)), across = px_v3_unit(px_v3(0.7f, -0.5f, 0));
    PxV3 up = px_v3_cross(to, across);
    int more = 0, less = 0;
    double off = 0;
    for (int k = 0; k < 200 * 200; ++k) {
        float u = 2 * ((float)(k % 200) / 100 - 1), v = 2 * ((float)(k / 200) / 100 - 1);
        PxV3 from = px_v3_mad(px_v3_mad(px_v3_scale(to, -5), across, u), up, v);
        PxRay ray = {.from = from, .direction = to, .most = INFINITY};
        float in = 0, out = INFINITY; /* of the cube */
        const float o[3] = {from.x, from.y, from.z}, d[3] = {to.x, to.y, to.z};
        for (int c = 0; c < 3; ++c) {
            float a = (-1 - o[c]) / d[c], b = (1 - o[c]) / d[c];
            in = fmaxf(in, fminf(a, b));
            out = fminf(out, fmaxf(a, b));
        }
        PxHit hit;
        bool met = px_rays_intersect(rays, &ray, &hit);
        more += met && !(in < out);
        less += !met && in < out;
        if (met && in < out)
            off = fmax(off, fabs((double)(hit.t - in)));
    }
    px_rays_free(rays);
    px_scenery_free(&s);
    if (more > 0 || less > 0 || off > 1e-3)
        fail_msg("%d rays meet what sticks out, %d find a gap, places are off by %g", more, less,
                 off);
}

TEST(moving_things_are_blurred_along_their_path)
{
    PxScenery s = before(px_sky_even(px_v3_all(1)));
    PxLook look = px_look_matte(px_v3_all(0));
    PxThing *t;
    CHECK_OK(px_scenery_add_thing(&s, PX_THING_BALLS, px_scenery_add_look(&s, &look), 1, 0,
                                  PX_WITH_RADIUS | PX_WITH_VELOCITY, &t));
    t->radius[0] = 0.2f;
    t->velocity[0] = px_v3(10, 0, 0);
    s.shutter = 0.2f; /* 2 m, from -1 to 1 */
    PxDrawDef def = draw_def(&s, 64);
    PxRadiance *seen = draw(&def);
    const PxRadiance *middle = seen + 48 * 24;
    int grey = 0;
    for (int x = 0; x < 48; ++x)
        grey += middle[x].light.x < 0.95f;
    /* 48 pixels are 3.64 m: 2 m and twice half the ball's width are 29 or so */
    CHECK(grey >= 26 && grey <= 33);
    /* in the way for 0.4 m of 2 */
    CHECK_NEAR(middle[24].light.x, 0.8, 0.06);
    free(seen);
    px_scenery_free(&s);
}

TEST(a_shadow_catcher_shows_the_shadow_and_nothing_else)
{
    PxScenery s = before(px_sky_day(0, 89));
    PxLook look = px_look_matte(px_v3_all(0.5f));
    add_ball(&s, &look, px_v3(0, 1, 0), 0.5f);
    s.ground = (PxGround){
        .kind = PX_GROUND_CATCHER, .colour = px_v3_all(0.5f), .near_end = 10, .far_end = 20};
    s.camera = px_camera_look(px_v3(0, 3, 4), px_v3_all(0), 60);
    PxDrawDef def = draw_def(&s, 16);
    PxPicture picture;
    CHECK_OK(px_draw(&def, &picture, NULL, NULL));
    CHECK_EQUAL(picture.channels, 4);
    const uint8_t *under = picture.pixel + 4 * (48 * 25 + 24),
                  *away = picture.pixel + 4 * (48 * 46 + 2);
    CHECK(under[3] > 100);
    CHECK(away[3] < 12);
    int solid = 0;
    for (int k = 0; k < 48 * 48; ++k)
        solid += picture.pixel[4 * k + 3] == 255;
    CHECK(solid > 30); /* the ball */
    px_picture_free(&picture);
    px_scenery_free(&s);
}

TEST(nothing_at_all_is_a_picture_of_the_sky)
{
    PxScenery s = before(px_sky_even(px_v3(0.25f, 0.5f, 1)));
    PxDrawDef def = draw_def(&s, 2);
    PxPicture picture;
    CHECK_OK(px_draw(&def, &picture, NULL, NULL));
    CHECK_EQUAL(picture.pixel[2], 255);
    CHECK_EQUAL(picture.pixel[1], (int)(255 * px_srgb_encode(0.5f) + 0.5f));
    px_picture_free(&picture);
    px_scenery_free(&s);
}

static bool stop_at_once(void *user, double done)
{
    (void)user;
    return done < 0;
}

TEST(a_picture_can_be_stopped)
{
    PxScenery s = before(px_sky_even(px_v3_all(1)));
    PxDrawDef def = draw_def(&s, 2);
    PxPicture picture;
    CHECK_FAILS(px_draw(&def, &picture, stop_at_once, NULL), PX_ERR_STOPPED, "stopped");
    px_scenery_free(&s);
}

/* Embree ends the process at such numbers. */
TEST(things_with_numbers_that_rays_cannot_use_are_refused)
{
    static const float wrong[] = {NAN, INFINITY, -1e19f};
    for (size_t k = 0; k < PX_COUNT(wrong); ++k)
        for (int what = 0; what < 3; ++what) {
            PxScenery s = before(px_sky_even(px_v3_all(1)));
            s.shutter = 1;
            PxLook look = px_look_matte(px_v3_all(1));
            uint32_t n = px_scenery_add_look(&s, &look);
            PxThing *t;
            CHECK_OK(px_scenery_add_thing(&s, PX_THING_DISCS, n, 1, 0,
                                          PX_WITH_RADIUS | PX_WITH_NORMAL | PX_WITH_VELOCITY, &t));
            t->radius[0] = what == 0 ? wrong[k] : 1;
            t->normal[0] = px_v3(0, what == 1 ? wrong[k] : 1, 0);
            t->velocity[0].z = what == 2 ? wrong[k] : 1;
            PxRays *rays;
            CHECK_FAILS(px_rays_create(&s, &rays), PX_ERR_FORMAT, "disc 0");
            px_scenery_free(&s);
        }
}

TEST(rays_that_are_not_finite_hit_nothing)
{
    PxScenery s = before(px_sky_even(px_v3_all(1)));
    PxLook look = px_look_matte(px_v3_all(1));
    add_ball(&s, &look, px_v3_all(0), 1);
    PxRays *rays;
    PxHit hit;
    PxCrossing crossing[4];
    CHECK_OK(px_rays_create(&s, &rays));
    static const float wrong[] = {NAN, INFINITY, -2e18f};
    for (size_t k = 0; k < PX_COUNT(wrong); ++k) {
        PxRay ray = {px_v3(0, wrong[k], 5), px_v3(0, 0, -1), .most = INFINITY};
        CHECK(!px_rays_intersect(rays, &ray, &hit));
        CHECK_EQUAL(px_rays_crossings(rays, &ray, crossing, 4), 0);
        CHECK_NEAR(px_rays_transmittance(rays, &ray).x, 0, 0);
        ray = (PxRay){px_v3(0, 0, 5), px_v3(0, wrong[k], 0), .most = INFINITY};
        CHECK(!px_rays_intersect(rays, &ray, &hit));
    }
    px_rays_free(rays);
    px_scenery_free(&s);
}

#else

TEST(without_embree_the_message_names_the_package)
{
    PxScenery s = {.shutter = 0};
    PxRays *rays;
    CHECK_FAILS(px_rays_create(&s, &rays), PX_ERR_UNSUPPORTED, "libembree-dev");
}

#endif

TEST_MAIN()
