/// The family of surface tension models: what makes drops round.
///
/// A model acts on one material at a time and between its own particles alone; another
/// fluid is to it what air is. Where two fluids meet each pulls on its own side, so the
/// tension of the interface is the sum of both: they do not mix, and pressure, which knows
/// no materials, keeps them apart. An attraction across (an interface tension less
/// than the sum) would need a number for every pair of materials.
///
/// Walls fill the colour field, so a wetted wall is no free surface.
#ifndef PX_FLUID_TENSION_TENSION_H
#define PX_FLUID_TENSION_TENSION_H

#include "base/field.h"
#include "base/simd.h"
#include "fluid/fluid.h"

extern const PxFamily px_tension_family;

/// A model: its word and numbers, and what it does in a step. One file each.
typedef struct PxTensionModel {
    PxModelInfo info;

    /// Longest stable step of this model for a material, s.
    double (*step_limit)(const PxFluid *fluid, const PxMaterial *material);

    /// Pressure with which it may squeeze the fluid, Pa: an equation of state must be
    /// stiff enough to bear it.
    double (*squeeze)(const PxFluid *fluid, const PxMaterial *material);

    /// Adds the acceleration of every particle of the material in that slot. quad has the
    /// positions; its fourth number is the model's to set.
    PxStatus (*add)(PxFluid *fluid, uint32_t slot);
} PxTensionModel;

/// Every model's first number is how strong it is, and what melts has one for its cold and one
/// for its molten state.
enum { PX_TENSION_STRENGTH };

/// The larger of the two; the number itself of what does not melt.
static inline double px_tension_most(const PxMaterialDef *def)
{
    double cold = def->tension.param[PX_TENSION_STRENGTH], hot = def->melts.into.tension;
    return def->melts.melts && hot > cold ? hot : cold;
}

/// How strong it is for particle i, of this material, over the larger of the two: 0 .. 1, and 1
/// where nothing melts.
static inline float px_tension_share(const PxFluid *f, const PxMaterialDef *def, uint32_t i)
{
    double most = px_tension_most(def);
    if (f->melted == NULL || !(most > 0))
        return 1.0f;
    return (float)(px_fluid_between(f, i, def->tension.param[PX_TENSION_STRENGTH],
                                    def->melts.into.tension) /
                   most);
}

/// The model of that name for an instruction set; NULL for "none" and unknown words.
const PxTensionModel *px_tension_find(const char *name, PxIsa isa);

/// What passes of several models need: quads whose fourth number is 0 for particles of
/// other materials, so that these drop out of every sum.
void px_tension_pack_weight(const PxFluid *fluid, uint32_t slot, const float *weight);

/// The masses of the particles; where something melts, times px_tension_share() of this
/// material, and above 0 all the same.
PxStatus px_tension_masses(PxFluid *fluid, uint32_t slot, const float **out);

/// Gradient of the colour field, 1/m: sum_j V_j grad W over the material's own particles and
/// the wall's share; 0 for other particles. Points into the fluid (002 Eq. 3.17).
/// Leaves the volumes, 0 for other particles, as fourth number of quad.
typedef struct PxColour {
    float *x, *y, *z;
    float *filled; ///< the colour field itself, 1 inside the fluid
} PxColour;
PxStatus px_tension_colour(PxFluid *fluid, uint32_t slot, PxColour *out);

typedef struct PxColourJob {
    const PxFluid *fluid;
    uint32_t slot;
    PxColour colour;
} PxColourJob;
PX_ISA_DECLARE(void, px_colour_block, (void *job, uint32_t begin, uint32_t end, int thread));

/// The function C of Akinci et al. (004 Eq. 6.7) over its norm 32 / (pi h^3), 8 values of
/// q = r / h at once. The number after it is the integral of q^3 times it from 0 to 1.
PX_INLINE PxF8 px_cohesion8(PxF8 q)
{
    PxF8 t = q * px_f8_max(px_f8(1.0f) - q, px_f8(0.0f)), cube = t * t * t;
    return cube + px_f8_where(q < px_f8(0.5f), cube - px_f8(1.0f / 64));
}
#define PX_COHESION_MOMENT (33.0 / 28672)

/// Quads of the colour's gradient with w as fourth number, in the step's scratch.
PxStatus px_tension_normals(PxFluid *fluid, const PxColour *colour, const float *w, float **out);

/// Adds a cohesive acceleration to particle i, less the part that a wall takes over. Particles at
/// a wetted wall lack neighbours there as at a free surface; cohesion alone would pull
/// them off. A wall that attracts as the fluid does bears just that pull, along its normal
/// and as far as it fills the neighbourhood.
void px_tension_pull(const PxFluid *fluid, uint32_t i, float ax, float ay, float az);

#endif
