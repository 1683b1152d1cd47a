/// Denoising of path-traced pictures by non-local means.
///
/// Every pixel becomes the weighted mean of the pixels around it whose patches differ no more than
/// their noise explains [Buades et al. 2005; Rousselle et al. 2012]. The noise is measured from two
/// halves of the samples. So a picture with enough samples stays unchanged, and features that both
/// halves show (highlights, joints, edges seen through water) are kept.
#ifndef PX_RENDER_TRACE_DENOISE_H
#define PX_RENDER_TRACE_DENOISE_H

#include "base/parallel.h"
#include "phyxel/status.h"

enum { PX_DENOISE_CHANNELS = 4 };

typedef struct PxDenoiseDef {
    uint32_t width, height, channels;
    /// One float a pixel and channel, row by row, in display values, so that equal differences look
    /// equal.
    const float *pixel[PX_DENOISE_CHANNELS];
    /// Half the difference between the two halves of the samples: an estimate of the standard
    /// error.
    const float *half_difference[PX_DENOISE_CHANNELS];
    PxThreads threads;
} PxDenoiseDef;

/// Fills out[0 .. channels). The bits do not depend on the number of threads.
/// Errors: PX_ERR_MEMORY.
PxStatus px_denoise(const PxDenoiseDef *def, float *const out[PX_DENOISE_CHANNELS]);

#endif
