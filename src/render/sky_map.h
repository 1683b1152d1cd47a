/// A sky from a picture of high dynamic range, around the scene (equirectangular).
///
/// Its light has two parts. Up to BRIGHT times the mean it is a smooth sky, which paths find by
/// themselves. What exceeds that, such as the sun or windows, is a lamp: its pixels are sampled by
/// their light.
#ifndef PX_RENDER_SKY_MAP_H
#define PX_RENDER_SKY_MAP_H

#include "base/fail.h"
#include "render/v3.h"
#include "shape/hdr.h"

typedef struct PxSkyMap {
    PxHdr *picture;
    float turn;      ///< about the vertical, radians
    float scale;     ///< radiance over the values of the picture
    float cap;       ///< luminance of the smooth part at most
    PxV3 open_light; ///< irradiance of the smooth part on horizontal ground
    PxV3 mean;       ///< radiance of the smooth part above the horizon
    uint32_t brights;
    uint32_t *bright; ///< pixels that exceed it
    float *sum;       ///< light of pixels up to and with this one, ascending
} PxSkyMap;

/// Reads a picture, whose middle is seen along -z, turned by `degrees` about the vertical. It is
/// scaled such that horizontal ground gets as much light as in a studio.
/// Errors: those of px_hdr_read_file(); PX_ERR_FORMAT for a black sky.
PxStatus px_sky_map_read(const char *path, double degrees, PxSkyMap **out);
/// The same of a picture in memory, which the map owns, also after an error.
PxStatus px_sky_map_make(PxHdr *picture, const char *name, double degrees, PxSkyMap **out);
/// NULL is fine.
void px_sky_map_free(PxSkyMap *map);

/// Radiance of the smooth part, and of the rest.
PxV3 px_sky_map_smooth(const PxSkyMap *map, PxV3 direction);
PxV3 px_sky_map_bright(const PxSkyMap *map, PxV3 direction);

/// Chooses a direction of the rest by its light; false if there is none. *density is per solid
/// angle.
bool px_sky_map_sample(const PxSkyMap *map, float u, float v, PxV3 *direction, PxV3 *radiance,
                       float *density);
/// That density for a direction.
float px_sky_map_density(const PxSkyMap *map, PxV3 direction);

#endif
