/// Particles within the support of boundaries, as boundaries.c lists them in every step.
#ifndef PX_FLUID_TOUCHES_H
#define PX_FLUID_TOUCHES_H

#include "fluid/fluid.h"

/// A particle within the support of a boundary.
typedef struct PxWallTouch {
    struct PxWallTouch *previous; ///< of the same particle, while the list is built
    uint32_t row;                 ///< PX_TOUCH_NOBODY: to be ignored
    float drag;                   ///< this boundary's term of PxFluid's wall_drag,
    float velocity[3];            ///< wall_v,
    float stick, moves[3];        ///< wall_stick and wall_m,
    float part;                   ///< wall_parts,
    float gradient[3];            ///< and wall_g
    float impulse[3];             ///< on the boundary, N s
    float heat;                   ///< its part of wall_heat
} PxWallTouch;

#define PX_TOUCH_NOBODY UINT32_MAX

/// Touches of some rows of a block with one boundary.
struct PxTouches {
    struct PxTouches *next;
    uint32_t boundary, count;
    PxWallTouch touch[];
};

/// Solids among fluids interact with boundaries by contact instead (contact/solid_walls.h).
static inline float px_fluid_part(const PxFluid *f, uint32_t i)
{
    return f->solid_fraction != NULL ? 1.0f - f->solid_fraction[i] : 1.0f;
}

/// What the forces of the boundary on its particle add to its impulse in the step, N s: pressure
/// and tension along the gradient, friction, and the pull at the contact line.
static inline void px_touch_impulse(const PxFluid *f, const PxWallTouch *t, float out[3])
{
    uint32_t i = t->row;
    float part = (float)f->dt * px_fluid_part(f, i);
    float push = part * f->wall_push[i], hold = part * f->wall_rate[i] * f->particles->mass[i];
    float pulled = f->wall_parts[i] > 0.0f ? part * (t->part / f->wall_parts[i]) : 0.0f;
    const float v[3] = {f->particles->vx[i], f->particles->vy[i], f->particles->vz[i]};
    const float line[3] = {f->wall_lx[i], f->wall_ly[i], f->wall_lz[i]};
    for (int c = 0; c < 3; ++c)
        out[c] = push * t->gradient[c] + hold * (t->stick * v[c] - t->moves[c]) - pulled * line[c];
}

#endif
