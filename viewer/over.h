/// A volume of samples, such as a CT scan, behind and before the scene in x-rays.
#ifndef VIEWER_OVER_H
#define VIEWER_OVER_H

#include "camera.h"
#include "gl.h"

#include "phyxel/phyxel.h"

/// Absorption of water, 1/m: 0.2059 cm^2/g at 60 keV (Hubbell and Seltzer 1995, NISTIR 5632).
#define OVER_WATER 20.59f

typedef struct Over {
    const PxVolumeSamples *volume; ///< as the last call had it
    GLuint texture;                ///< absorption, 1/m
    GlTarget sums;                 ///< along each ray, for the camera of the last call
    Camera camera;
    float aspect;
    float range;          ///< absorption of water as thick as the shortest edge of the volume
    float to[9], from[3]; ///< place in the texture of a point x in m: to (x - from), by columns
} Over;

/// Reads an NRRD file of Hounsfield units; false with px_error_message().
bool over_read(const char *path, PxVolumeSamples *out);

/// Loads the volume if it is another one than before: HU h absorbs OVER_WATER (1 + h / 1000), and
/// nothing below -1000. False if the driver refuses.
bool over_load(Over *over, const PxVolumeSamples *volume);
/// Frees what it has on the graphics card.
void over_free(Over *over);

#endif
