/// Default colours of materials without a colour of their own, by material number; used in
/// surfaces and exports alike.
#ifndef PX_STORE_PALETTE_H
#define PX_STORE_PALETTE_H

#include "base/fail.h"

#include <stdint.h>

/// Red, green, blue.
static inline const uint8_t *px_palette(uint32_t material)
{
    static const uint8_t colour[][3] = {{70, 130, 180}, {218, 165, 32}, {178, 34, 34},
                                        {60, 145, 80},  {147, 90, 180}, {210, 105, 30},
                                        {70, 70, 80},   {200, 200, 210}};
    return colour[material % PX_COUNT(colour)];
}

#endif
