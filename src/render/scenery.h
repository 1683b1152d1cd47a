/// The scene description of one picture, as the ray tracer uses it: geometry and looks, ground,
/// sky, lights and camera.
///
/// y is up, lengths are in m, and the origin is near the camera's target.
#ifndef PX_RENDER_SCENERY_H
#define PX_RENDER_SCENERY_H

#include "base/memory.h"
#include "render/v3.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum PxLookKind {
    PX_LOOK_MATTE,  ///< Lambertian
    PX_LOOK_GLOSSY, ///< Lambertian under a clear varnish (dielectric layer)
    PX_LOOK_METAL,  ///< rough metallic reflection
    PX_LOOK_CLEAR,  ///< dielectric: water, glass; the mesh must be closed
    PX_LOOK_PANE,   ///< thin glass pane: reflects, does not refract
    PX_LOOK_KINDS
} PxLookKind;

/// Largest coordinate that matter, camera and lamps may have in the scene's axes, m, as in scenes.
#define PX_SEEN_FARTHEST 1e9

/// Most clear looks that can be media around a ray.
#define PX_MOST_MEDIA 16u

/// What cloth adds to its look; needs texture coordinates.
typedef struct PxFabric {
    bool shown;
    bool backed;  ///< its back has the colour `back`
    float thread; ///< width of its threads, m; 0: no weave
    PxV3 weft;    ///< colour of the threads along u; those along v have the look's
    PxV3 back;
    const struct PxTexture *texture; ///< replaces both colours of the front; NULL: none
    float repeat;                    ///< size of one repetition of the texture, m
} PxFabric;

typedef struct PxLook {
    PxLookKind kind;
    PxV3 colour;     ///< albedo, linear RGB, 0 .. 1
    float roughness; ///< glossy, metal: GGX roughness, 0 .. 1; alpha is its square
    float ior;       ///< clear, pane, glossy: refractive index
    PxV3 absorb;     ///< clear: absorption coefficient, 1/m [Beer-Lambert]
    int priority;    ///< clear: where several overlap, the highest priority wins
    float xray;      ///< absorption of x-rays, 1/m
    float film;      ///< of matter: thickness of the film that it leaves on walls, m
    float shell;     ///< for x-rays, thickness of a surface that encloses no matter of its own, m;
                     ///< 0: what it encloses absorbs
    PxV3 tint;       ///< liquids: factor of the albedo of cloth that is full of it
    PxFabric fabric;
} PxLook;

typedef enum PxThingKind { PX_THING_MESH, PX_THING_BALLS, PX_THING_DISCS } PxThingKind;

/// A mesh, or many spheres or discs of one look. Discs are shaded as the smooth surface that they
/// sample. The arrays belong to the thing and come from px_allocate().
typedef struct PxThing {
    PxThingKind kind;
    uint32_t look;
    uint32_t points;
    PxV3 *position;
    PxV3 *normal;       ///< mesh (NULL: flat shading), discs
    PxV3 *velocity;     ///< m/s, for motion blur; NULL: at rest
    PxV3 *colour;       ///< replaces the look's colour; NULL: the look's colour
    float *temperature; ///< degrees C, for incandescence; NULL: no glow
    float *wetness;     ///< mesh: how wet cloth is, 0 .. 1; NULL: dry
    PxV3 *tint;         ///< mesh: factor of the albedo by what it is wet with; NULL: 1
    float *radius;      ///< balls, discs
    float (*uv)[2];     ///< mesh: texture coordinates, of cloth in m; NULL: none
    uint32_t triangles;
    uint32_t (*triangle)[3];
} PxThing;

/// A spherical light.
typedef struct PxLamp {
    PxV3 at;
    float radius;
    PxV3 radiance;
} PxLamp;

typedef struct PxSky {
    PxV3 zenith, horizon;       ///< radiance at the zenith and at the horizon
    PxV3 sun;                   ///< unit vector towards the sun's centre
    PxV3 sunlight;              ///< irradiance at normal incidence; 0: no sun
    float sun_cosine;           ///< cosine of the sun's angular radius
    const struct PxSkyMap *map; ///< a picture of the sky, instead of all the above; NULL: none
} PxSky;

typedef enum PxGroundKind {
    PX_GROUND_NONE,
    PX_GROUND_FLOOR,  ///< a floor that fades into the horizon
    PX_GROUND_CATCHER ///< shadow catcher: black with the shadow as alpha
} PxGroundKind;

typedef enum PxGroundPattern {
    PX_PATTERN_NONE,
    PX_PATTERN_TILES,   ///< with joints
    PX_PATTERN_CHECKER, ///< squares, alternately dark
    PX_PATTERN_WOOD,    ///< planks along x
    PX_PATTERN_TEXTURE
} PxGroundPattern;

typedef struct PxGround {
    PxGroundKind kind;
    PxGroundPattern pattern;
    float level; ///< y coordinate, m
    PxV3 colour; ///< albedo of the floor
    float tile;  ///< m: size of a tile, square, plank or repetition; 0: no pattern
    const struct PxTexture *texture;
    float near_end; ///< up to this distance from the origin it is all floor, m
    float far_end;  ///< ... and beyond this one all horizon, m
} PxGround;

typedef struct PxCamera {
    PxV3 eye;
    PxV3 right, up, forward; ///< unit
    float slope;             ///< tangent of half the vertical field of view
    float lens;              ///< radius of the lens, m; 0: pinhole
    float focus;             ///< focus distance, m
} PxCamera;

typedef struct PxScenery {
    PX_LIST(PxThing) things;
    PX_LIST(PxLook) looks;
    PX_LIST(PxLamp) lamps;
    PxSky sky;
    PxGround ground;
    PxCamera camera;
    float shutter; ///< exposure time, s; velocities cause motion blur
} PxScenery;

void px_scenery_free(PxScenery *scenery);

/// Adds a look and returns its index, UINT32_MAX when memory is out.
uint32_t px_scenery_add_look(PxScenery *scenery, const PxLook *look);

/// Adds a thing with room for that many points and triangles, and the optional arrays in `with`,
/// all zero. Errors: PX_ERR_MEMORY.
enum {
    PX_WITH_NORMAL = 1u,
    PX_WITH_VELOCITY = 2u,
    PX_WITH_COLOUR = 4u,
    PX_WITH_TEMPERATURE = 8u,
    PX_WITH_RADIUS = 16u,
    PX_WITH_UV = 32u,
    PX_WITH_WETNESS = 64u,
    PX_WITH_TINT = 128u,
};
PxStatus px_scenery_add_thing(PxScenery *scenery, PxThingKind kind, uint32_t look, uint32_t points,
                              uint32_t triangles, unsigned with, PxThing **out);

/// Constructors of looks.
PxLook px_look_matte(PxV3 colour);
PxLook px_look_glossy(PxV3 colour, float roughness);
PxLook px_look_metal(PxV3 colour, float roughness);
PxLook px_look_clear(float ior, PxV3 absorb, int rank);

/// A look and an albedo as they are when wet, from 0 (as they are dry) to 1. Only matte and glossy
/// looks change.
PxLook px_look_wet(const PxLook *look, float wetness);
PxV3 px_colour_wet(PxV3 colour, float wetness);

/// Sky radiance from a direction, without the sun's disc or what is bright in the picture of a sky.
PxV3 px_sky_radiance(const PxSky *sky, PxV3 direction);
/// Irradiance of the sky on horizontal ground, without the sun's disc.
PxV3 px_sky_irradiance(const PxSky *sky);
/// Radiance of the sun's disc, or of what is bright in the picture of a sky; 0 beside it.
PxV3 px_sun_radiance(const PxSky *sky, PxV3 direction);
/// Chooses a direction in which that is; false if there is no sun. *density is per solid angle.
bool px_sun_sample(const PxSky *sky, float u, float v, PxV3 *direction, PxV3 *radiance,
                   float *density);
/// That density for a direction with light.
float px_sun_density(const PxSky *sky, PxV3 direction);
/// Solid angle of the sun's disc.
static inline float px_sun_angle(const PxSky *sky)
{
    return 2 * PX_PI_F * (1 - sky->sun_cosine);
}

/// A clear sky with the sun at that azimuth (degrees from +z towards +x) and elevation.
PxSky px_sky_day(float azimuth, float height);
/// A studio: a large soft key light in that direction, before a gentle background.
PxSky px_sky_studio(float azimuth, float height);
/// A uniform sky without sun.
PxSky px_sky_even(PxV3 radiance);
/// The sky of a picture, which must remain valid.
PxSky px_sky_of_map(const struct PxSkyMap *map);

/// A camera at `eye` that looks at `target`; fov: vertical field of view, degrees.
PxCamera px_camera_look(PxV3 eye, PxV3 target, float fov);

#endif
