/// A solid cylinder that sinks on a film of its own melt: the load path from molten to solid
/// matter.
#ifndef PX_STUDY_SQUEEZE_FILM_H
#define PX_STUDY_SQUEEZE_FILM_H

#include "phyxel/world.h"

typedef struct PxSqueezeFilmDef {
    PxMaterialDef material; ///< melts between 40 and 60 degrees C, and does not conduct
    double radius, height;  ///< of the solid, m
    double film;            ///< thickness of the melt, m
    double spacing;         ///< m
    double from, seconds;   ///< the speed is measured between these times, s
    int threads;            ///< 0: one for every core
} PxSqueezeFilmDef;

/// Wax of 0.8 MPa and 1 kPa s, solid and molten; radius 10 cm, height 20 cm, film 4 cm, spacing 1
/// cm.
PxSqueezeFilmDef px_squeeze_film_def_default(void);

typedef struct PxSqueezeFilmResult {
    /// Time in which the solid sank as far as it did, over that of Stefan (1874):
    /// V = 2 W h^3 / (3 pi mu R^4), integrated over the measured thickness.
    double resistance;
    double thickness; ///< of the film at the end, m
    double lean;      ///< of the solid's axis at the end, rad
    uint64_t leaked;
} PxSqueezeFilmResult;

PxStatus px_squeeze_film(const PxSqueezeFilmDef *def, PxSqueezeFilmResult *out);

#endif
