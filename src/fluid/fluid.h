/// What the stages of a fluid step share.
#ifndef PX_FLUID_FLUID_H
#define PX_FLUID_FLUID_H

#include "base/arena.h"
#include "base/simd.h"
#include "dist/dist.h"
#include "matter/kernel.h"
#include "matter/material.h"
#include "matter/pairs.h"
#include "matter/particles.h"
#include "matter/wall.h"

/// What a flat wall at distance d does to the fluid, tabulated (fluid/walls.c).
#define PX_WALL_PROFILE 1024
typedef struct PxWallProfile {
    double low, per_metre; ///< d of the first entry, entries a metre
    double part[PX_WALL_PROFILE + 1], slope[PX_WALL_PROFILE + 1], drag[PX_WALL_PROFILE + 1];
} PxWallProfile;

/// For a support h and a spacing s, m.
void px_wall_profile_init(PxWallProfile *profile, double h, double s);

/// Everything here is in SI. Arrays have a value for each of `count` particles
/// and live in the step's scratch.
typedef struct PxFluid {
    PxParticles *particles;
    uint32_t count;
    const PxPairs *pairs;
    PxKernel kernel;
    double spacing;   ///< m
    double courant;   ///< part of the stability limit that a step uses
    double dt;        ///< s
    double speed_max; ///< at the start of the step
    double top_speed; ///< fastest flow to be expected
    const PxMaterial *material;
    uint32_t materials;
    PxWall *wall;
    size_t walls;
    const PxWallProfile *wall_profile;

    float *quad;          ///< x, y, z and a number of the stage's choice
    float *quad_velocity; ///< vx, vy, vz and another; NULL until a stage needs it
    float *volume;        ///< m^3, 1 / sum of W

    /// What walls take of a particle's neighbourhood: the part of the kernel's
    /// integral that lies in them, its gradient (1/m), and how far away the
    /// nearest wall is at least (m).
    float *wall_part, *wall_gx, *wall_gy, *wall_gz, *wall_far;

    PxArena *scratch;
    const PxThreads *threads;
    const PxDist *dist;
    PxIsa isa;

    uint32_t iterations; ///< of the pressure solve
    bool converged;
} PxFluid;

/// Takes the arrays above from scratch and packs the positions.
PxStatus px_fluid_begin(PxFluid *fluid);

/// volume, density of every particle, walls included.
void px_fluid_density(PxFluid *fluid);

/// Adds the acceleration by viscosity.
PxStatus px_fluid_viscosity(PxFluid *fluid);

/// Longest step that explicit viscosity allows, s; INFINITY without any.
double px_fluid_viscosity_limit(const PxFluid *fluid);

/// Adds the acceleration by surface tension, of every material that has one.
PxStatus px_fluid_tension(PxFluid *fluid);
bool px_fluid_has_tension(const PxFluid *fluid);

/// Longest step that surface tension allows, s; INFINITY without any.
double px_fluid_tension_limit(const PxFluid *fluid);

/// Speed of the flow that surface tension could drive, m/s: rho v^2 is the pressure it squeezes
/// the fluid with.
double px_fluid_tension_speed(const PxFluid *fluid);

/// Fills the wall arrays and adds the drag of walls on viscous fluids.
void px_fluid_walls(PxFluid *fluid);

/// quad[4 i + 3] = value[i]
void px_fluid_pack_w(const PxFluid *fluid, float *quad, const float *value);

/// Packs velocities with `w` into quad_velocity, which is made when missing.
PxStatus px_fluid_pack_velocity(PxFluid *fluid, const float *w);

#endif
