/// Rendering of a whole picture on all threads, and conversion from radiance to display colours.
#ifndef PX_RENDER_TRACE_DRAW_H
#define PX_RENDER_TRACE_DRAW_H

#include "base/parallel.h"
#include "render/trace/path.h"

/// An image with eight bits a channel, top row first. Initialise with {0}.
typedef struct PxPicture {
    uint32_t width, height;
    uint32_t channels; ///< 3, or 4 with alpha
    uint8_t *pixel;    ///< from px_allocate()
} PxPicture;

PxStatus px_picture_create(uint32_t width, uint32_t height, uint32_t channels, PxPicture *out);
void px_picture_free(PxPicture *picture);

typedef struct PxDrawDef {
    const PxScenery *scenery;
    uint32_t width, height;
    uint32_t samples; ///< samples a pixel
    uint32_t seed;    ///< seed of the random sequence
    bool xray;
    float exposure; ///< factor on the radiance
    bool plain;     ///< no tone mapping: clamped at 1
    bool denoise;   ///< denoise (render/trace/denoise.h), if there are enough samples
    int most_bounces, most_scatter;
    float clamp;
    uint32_t photons; ///< for caustics; 0: none
    PxThreads threads;
} PxDrawDef;

/// Progress callback with the fraction done, 0 .. 1; false stops.
typedef bool PxDrawFunction(void *user, double done);

/// Radiance of every pixel, rows from the top.
/// Errors: PX_ERR_UNSUPPORTED, PX_ERR_MEMORY, PX_ERR_STOPPED.
PxStatus px_draw_light(const PxDrawDef *def, PxRadiance *out, PxDrawFunction *each, void *user);

/// Draws a picture. Its bits depend on the def alone, not on the number of threads. Errors: as
/// above.
PxStatus px_draw(const PxDrawDef *def, PxPicture *out, PxDrawFunction *each, void *user);

/// sRGB transfer function [IEC 61966-2-1]: linear to display values, 0 .. 1, and back.
float px_srgb_encode(float linear);
float px_srgb_decode(float encoded);

/// Tone mapping: highlights are compressed and desaturated instead of clipped.
PxV3 px_tone_map(PxV3 light);

#endif
