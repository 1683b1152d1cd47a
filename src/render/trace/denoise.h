/// Takes the grain off a picture of few samples and leaves what is really there.
///
/// Every pixel becomes the mean of those around it whose surroundings look the same as its own,
/// within what the noise of both explains [Buades et al. 2005; Rousselle et al. 2012]. How much
/// noise there is is not guessed: it is measured from two halves of the samples. So a picture with
/// enough samples stays as it is, and what both halves show (glints, joints, edges seen through
/// water) is no noise.
#ifndef PX_RENDER_TRACE_DENOISE_H
#define PX_RENDER_TRACE_DENOISE_H

#include "base/parallel.h"
#include "phyxel/status.h"

enum { PX_DENOISE_CHANNELS = 4 };

typedef struct PxDenoiseDef {
    uint32_t width, height, channels;
    /// One float a pixel and channel, rows one after the other: as the screen will show it, on
    /// which equal steps look alike.
    const float *pixel[PX_DENOISE_CHANNELS];
    /// Half of what the same of one half of the samples is above that of the other.
    const float *doubt[PX_DENOISE_CHANNELS];
    PxThreads threads;
} PxDenoiseDef;

/// Fills out[0 .. channels). The bits do not depend on the number of threads.
/// Errors: PX_ERR_MEMORY.
PxStatus px_denoise(const PxDenoiseDef *def, float *const out[PX_DENOISE_CHANNELS]);

#endif
