/// All pixels of a picture, on all threads, and how light becomes a colour on a screen.
#ifndef PX_RENDER_TRACE_DRAW_H
#define PX_RENDER_TRACE_DRAW_H

#include "base/parallel.h"
#include "render/trace/path.h"

/// Eight bits a channel, top row first. Starts life as {0}.
typedef struct PxPicture {
    uint32_t width, height;
    uint32_t channels; ///< 3, or 4 with opacity
    uint8_t *pixel;    ///< from px_allocate()
} PxPicture;

PxStatus px_picture_create(uint32_t width, uint32_t height, uint32_t channels, PxPicture *out);
void px_picture_free(PxPicture *picture);

typedef struct PxDrawDef {
    const PxScenery *scenery;
    uint32_t width, height;
    uint32_t samples; ///< a pixel
    uint32_t seed;    ///< another one gives another noise
    bool xray;
    float exposure; ///< light is multiplied with it
    bool plain;     ///< no film curve: light as it is, cut off at 1
    bool denoise;   ///< the grain is taken off (render/trace/denoise.h), where there are samples
                    ///< enough
    int most_bounces, most_scatter;
    float clamp;
    PxThreads threads;
} PxDrawDef;

/// Called now and then with the part that is done, 0 .. 1; false stops.
typedef bool PxDrawFunction(void *user, double done);

/// Light of every pixel, rows from the top: what px_draw() makes a picture of.
/// Errors: PX_ERR_UNSUPPORTED, PX_ERR_MEMORY, PX_ERR_STOPPED.
PxStatus px_draw_light(const PxDrawDef *def, PxSeen *out, PxDrawFunction *each, void *user);

/// Draws. The bits of the picture depend on the def alone, not on the number of threads.
PxStatus px_draw(const PxDrawDef *def, PxPicture *out, PxDrawFunction *each, void *user);

/// Linear light to what a screen is told, 0 .. 1 [IEC 61966-2-1].
float px_srgb_encode(float linear);
float px_srgb_decode(float encoded);

/// The film: bright light rolls off and pales instead of being cut off.
PxV3 px_tone(PxV3 light);

#endif
