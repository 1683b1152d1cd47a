/// Contact of cloth with soft bodies, within the solve of the cloth.
///
/// Each particle (row) of a solid near a triangle gets a contact (cloth/contact.h) with the nearest
/// point of the cloth. It keeps the sum of the particle's radius and half the thickness, which is
/// where solids touch walls. The particle is a point of the solve (cloth/bodies.h), with the mass
/// that moves along with it within the step: that of the layers which sound passes, m (1 + c dt /
/// s), c the speed of sound and s the spacing. Its elastic forces are not predicted: extrapolated
/// from the step before they contain vibrations, and excite these. But what friction resists must
/// be known, or a row that is pushed along gives way a little in every step: nearly all of the
/// friction of the last step is expected again. The impulses found act on the
/// particles during the step of the solids, as a constant force; momentum is therefore kept
/// whatever the estimate of that mass is.
///
/// A row may face several parts of a folded sheet: the nearest points in directions that differ by
/// more than 60 degrees.
#ifndef PX_CONTACT_CLOTH_SOLIDS_H
#define PX_CONTACT_CLOTH_SOLIDS_H

#include "cloth/bodies.h"

/// A particle of a solid that may touch cloth in this step.
typedef struct PxClothSolidRow {
    uint32_t row;    ///< of the particles
    PxVec3 place;    ///< at the start of the step, m
    PxVec3 velocity; ///< the same, m/s
    double mass;     ///< that moves along, kg
    double radius;   ///< m
    double stiff;    ///< of its contacts, N/m
    double friction; ///< of its material
    PxVec3 grip;     ///< impulse of friction that is expected, N s
    PxVec3 normal;   ///< result: to the nearest cloth, of unit length
    bool held;       ///< a handle moves it
    uint32_t body;   ///< result: 1 + its index in step->bodies; 0: it touches no cloth
} PxClothSolidRow;

/// Adds bodies and contacts for the rows that may touch cloth. step->bodies must be set.
/// Errors: PX_ERR_MEMORY.
PxStatus px_cloth_solids_begin(PxClothStep *step, PxClothSolidRow *row, uint32_t rows);

#endif
