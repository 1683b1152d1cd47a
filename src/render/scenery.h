/// What stands before the camera in one picture: things and what they look like, the
/// ground, the sky and the lights, the camera itself.
///
/// y is up, lengths are in m, and the origin lies near what is looked at.
#ifndef PX_RENDER_SCENERY_H
#define PX_RENDER_SCENERY_H

#include "base/memory.h"
#include "render/v3.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum PxLookKind {
    PX_LOOK_MATTE,  ///< scatters evenly [Lambert]
    PX_LOOK_GLOSSY, ///< the same under a clear varnish
    PX_LOOK_METAL,  ///< mirrors in its own colour
    PX_LOOK_CLEAR,  ///< water, glass: refracts; the mesh must be closed
    PX_LOOK_PANE,   ///< a thin sheet of glass: reflects a little and refracts nothing
    PX_LOOK_KINDS
} PxLookKind;

/// Of a medium that light passes through, besides air.
#define PX_MOST_MEDIA 16u

typedef struct PxLook {
    PxLookKind kind;
    PxV3 colour;     ///< part of the light that comes back, linear, 0 .. 1
    float roughness; ///< glossy, metal: width of the mirrors' slopes, 0 .. 1
    float ior;       ///< clear, pane, varnish: refractive index
    PxV3 absorb;     ///< clear: 1/m, what is lost on the way [Beer-Lambert]
    int rank;        ///< clear: where two overlap, the one of the higher rank is there
    float xray;      ///< 1/m, what an x-ray loses
} PxLook;

typedef enum PxThingKind { PX_THING_MESH, PX_THING_BALLS, PX_THING_DISCS } PxThingKind;

/// A mesh, or many balls or discs of one look. Discs have normals and are seen as
/// the one smooth surface that they lie on. Arrays belong to the thing and are from
/// px_allocate().
typedef struct PxThing {
    PxThingKind kind;
    uint32_t look;
    uint32_t points;
    PxV3 *position;
    PxV3 *normal;       ///< mesh (may be NULL: flat), discs
    PxV3 *velocity;     ///< m/s, may be NULL
    PxV3 *colour;       ///< instead of the look's, may be NULL
    float *temperature; ///< degrees C, for what glows, may be NULL
    float *radius;      ///< balls, discs
    uint32_t triangles;
    uint32_t (*triangle)[3];
} PxThing;

/// A ball that shines.
typedef struct PxLamp {
    PxV3 at;
    float radius;
    PxV3 radiance;
} PxLamp;

typedef struct PxSky {
    PxV3 zenith, horizon; ///< radiance straight up and at the horizon
    PxV3 sun;             ///< unit, to the middle of its disc
    PxV3 sunlight;        ///< irradiance of what faces it; 0: no sun
    float sun_cosine;     ///< of the disc's angular radius
} PxSky;

typedef enum PxGroundKind {
    PX_GROUND_NONE,
    PX_GROUND_FLOOR,  ///< fades into the horizon
    PX_GROUND_CATCHER ///< shows only the shadow on it, as black of some opacity
} PxGroundKind;

typedef struct PxGround {
    PxGroundKind kind;
    float level;    ///< its y
    PxV3 colour;    ///< of a matte floor
    float tile;     ///< m between its joints; 0: it has none
    float near_end; ///< m from the origin: to here it is all floor
    float far_end;  ///< ... and from here on all horizon
} PxGround;

typedef struct PxCamera {
    PxV3 eye;
    PxV3 right, up, forward; ///< unit
    float slope;             ///< tangent of half the vertical angle of view
    float lens;              ///< radius of the lens, m; 0: all is sharp
    float focus;             ///< m to what is sharp
} PxCamera;

typedef struct PxScenery {
    PX_LIST(PxThing) things;
    PX_LIST(PxLook) looks;
    PX_LIST(PxLamp) lamps;
    PxSky sky;
    PxGround ground;
    PxCamera camera;
    float shutter; ///< s that the picture is exposed; velocities blur it
} PxScenery;

void px_scenery_free(PxScenery *scenery);

/// Adds a look; its index, or UINT32_MAX when memory is out.
uint32_t px_scenery_add_look(PxScenery *scenery, const PxLook *look);

/// Adds an empty thing with room for that many points and triangles, and the arrays
/// named by `with`. Errors: PX_ERR_MEMORY.
enum {
    PX_WITH_NORMAL = 1u,
    PX_WITH_VELOCITY = 2u,
    PX_WITH_COLOUR = 4u,
    PX_WITH_TEMPERATURE = 8u,
    PX_WITH_RADIUS = 16u,
};
PxStatus px_scenery_add_thing(PxScenery *scenery, PxThingKind kind, uint32_t look, uint32_t points,
                              uint32_t triangles, unsigned with, PxThing **out);

/// Looks to begin with.
PxLook px_look_matte(PxV3 colour);
PxLook px_look_glossy(PxV3 colour, float roughness);
PxLook px_look_metal(PxV3 colour, float roughness);
PxLook px_look_clear(float ior, PxV3 absorb, int rank);

/// Light from that direction, without the sun's disc.
PxV3 px_sky_radiance(const PxSky *sky, PxV3 direction);
/// What all of it, without the disc, gives to level ground.
PxV3 px_sky_irradiance(const PxSky *sky);
/// The disc's own; 0 beside it.
PxV3 px_sun_radiance(const PxSky *sky, PxV3 direction);
/// Solid angle of the disc.
static inline float px_sun_angle(const PxSky *sky)
{
    return 2 * PX_PI_F * (1 - sky->sun_cosine);
}

/// A clear day with the sun at that azimuth (degrees from +z towards +x) and height.
PxSky px_sky_day(float azimuth, float height);
/// The same light from everywhere, and no sun.
PxSky px_sky_even(PxV3 radiance);

/// A camera at `eye` that looks at `target`; fov: vertical, degrees.
PxCamera px_camera_look(PxV3 eye, PxV3 target, float fov);

#endif
