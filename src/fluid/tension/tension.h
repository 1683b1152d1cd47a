/// The family of surface tension models.
///
/// A model acts on one material at a time and only between particles of that material; it treats
/// other fluids as air. The tension of an interface is therefore the sum of both fluids' tensions:
/// they do not mix, and pressure, which ignores materials, keeps them apart. A lower interface
/// tension (attraction between fluids) would need a parameter for every pair of materials.
///
/// Walls contribute to the colour field, so a wetted wall is not a free surface.
#ifndef PX_FLUID_TENSION_TENSION_H
#define PX_FLUID_TENSION_TENSION_H

#include "base/field.h"
#include "base/simd.h"
#include "fluid/fluid.h"

extern const PxFamily px_tension_family;

/// A model: its name, its parameters and its functions. One file each.
typedef struct PxTensionModel {
    PxModelInfo info;

    /// Longest stable step of this model for a material, s.
    double (*step_limit)(const PxFluid *fluid, const PxMaterial *material);

    /// Largest pressure that it exerts on the fluid, Pa; an equation of state must be stiff
    /// enough to resist it.
    double (*squeeze)(const PxFluid *fluid, const PxMaterial *material);

    /// Adds the acceleration of every particle of the material in that slot. quad holds the
    /// positions; the model sets its fourth component.
    PxStatus (*add)(PxFluid *fluid, uint32_t slot);
} PxTensionModel;

/// The first parameter of every model is its strength; melting materials have one for the cold
/// and one for the molten state.
enum { PX_TENSION_STRENGTH };

/// The larger of the two; the only one of a material that does not melt.
static inline double px_tension_most(const PxMaterialDef *def)
{
    double cold = def->tension.param[PX_TENSION_STRENGTH], hot = def->melts.into.tension;
    return def->melts.melts && hot > cold ? hot : cold;
}

/// Strength for particle i, which is of this material, over the larger of the two: 0 .. 1, and 1
/// without melting.
static inline float px_tension_share(const PxFluid *f, const PxMaterialDef *def, uint32_t i)
{
    double most = px_tension_most(def);
    if (f->melted == NULL || !(most > 0))
        return 1.0f;
    return (float)(px_fluid_between(f, i, def->tension.param[PX_TENSION_STRENGTH],
                                    def->melts.into.tension) /
                   most);
}

/// The model of that name for an instruction set; NULL for "none" and unknown names.
const PxTensionModel *px_tension_find(const char *name, PxIsa isa);

/// Adds the columns that the tension model of a material keeps from step to step: "anchor" of csf,
/// the displacement of a contact line from where it sticks to a wall, m. Errors: PX_ERR_MEMORY.
PxStatus px_tension_keep_columns(PxParticles *particles, const PxMaterialDef *def);

/// The anchors; px_tension_keep_columns() has made them.
void px_tension_anchor(const PxParticles *particles, float *out[3]);

/// Packs `weight` as fourth component of the quads, 0 for particles of other materials, so that
/// these drop out of every sum.
void px_tension_pack_weight(const PxFluid *fluid, uint32_t slot, const float *weight);

/// Masses of the particles; in worlds with melting, times px_tension_share() of this material but
/// always above 0.
PxStatus px_tension_masses(PxFluid *fluid, uint32_t slot, const float **out);

/// Gradient of the colour field, 1/m: sum_j V_j grad W over the material's own particles, plus
/// the wall's contribution; 0 for other particles. Points into the fluid (002 Eq. 3.17).
/// Leaves the volumes, 0 for other particles, as fourth component of quad.
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
/// q = r / h at once. PX_COHESION_MOMENT is the integral of q^3 times it from 0 to 1.
PX_INLINE PxF8 px_cohesion8(PxF8 q)
{
    PxF8 t = q * px_f8_max(px_f8(1.0f) - q, px_f8(0.0f)), cube = t * t * t;
    return cube + px_f8_where(q < px_f8(0.5f), cube - px_f8(1.0f / 64));
}
#define PX_COHESION_MOMENT (33.0 / 28672)

/// Quads of the colour gradient with w as fourth component, in the step's scratch.
PxStatus px_tension_normals(PxFluid *fluid, const PxColour *colour, const float *w, float **out);

/// Adds a cohesive acceleration to particle i, less the part that a wall bears. Particles at a
/// wetted wall lack neighbours as at a free surface, so cohesion alone would detach them. A wall
/// that attracts like the fluid cancels this pull along its normal, in proportion to the part of
/// the kernel that it fills.
void px_tension_pull(const PxFluid *fluid, uint32_t i, float ax, float ay, float az);

#endif
