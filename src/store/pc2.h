/// PC2 point caches: positions of a fixed number of points in every frame, which Blender's Mesh
/// Cache modifier plays.
///
/// Format: "POINTCACHE2" and a zero; int32 version 1, points; float32 number of the first frame,
/// frames per sample (1); int32 samples; then x y z as float32 for every point of every sample.
#ifndef PX_STORE_PC2_H
#define PX_STORE_PC2_H

#include "store/file.h"

#include <stdint.h>

/// Bytes of the header.
#define PX_PC2_HEADER 32

/// Fills the header.
void px_pc2_header(uint8_t header[PX_PC2_HEADER], uint32_t points, uint32_t first,
                   uint32_t samples);

/// Cuts off what follows the last complete sample of a file that began with px_pc2_header(), and
/// sets the number of samples. Errors: PX_ERR_IO.
PxStatus px_pc2_finish(PxFile *file, uint32_t points, uint32_t samples);

#endif
