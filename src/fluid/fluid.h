/// What the stages of a fluid step share.
#ifndef PX_FLUID_FLUID_H
#define PX_FLUID_FLUID_H

#include "base/arena.h"
#include "base/simd.h"
#include "dist/reduce.h"
#include "fluid/wall_profile.h"
#include "matter/kernel.h"
#include "matter/material.h"
#include "matter/melt.h"
#include "matter/pairs.h"
#include "matter/particles.h"
#include "matter/wall.h"

#include <math.h>

/// Everything here is in SI. Arrays have a value for each of `count` particles
/// and live in the step's scratch.
typedef struct PxFluid {
    PxParticles *particles;
    uint32_t count;  ///< rows that this rank owns; passes write these
    uint32_t copies; ///< rows of other ranks behind them, which neighbours may be
    const PxPairs *pairs;
    const PxGrid *grid; ///< that the particles are sorted by
    PxKernel kernel;
    double spacing;        ///< m
    double courant;        ///< part of the stability limit that a step uses
    double dt;             ///< s
    double speed_max;      ///< at the start of the step
    double speed_within;   ///< the same among particles under pressure
    double pressure_speed; ///< greatest sqrt(p / rho) of the last step
    double top_speed;      ///< fastest flow to be expected
    double divergence; ///< 1/s, mean rate at which the step's velocities compress (before: the last
                       ///< one's)
    const PxMaterial *material;
    uint32_t materials;
    PxWall *wall;
    size_t walls;
    const PxWallProfile *wall_profile;

    const float *melted; ///< molten part of each particle; NULL in worlds in which nothing melts

    float *quad;          ///< x, y, z and a number of the stage's choice
    float *quad_velocity; ///< vx, vy, vz and another; NULL until a stage needs it
    float *volume;        ///< m^3, 1 / sum of W
    float *inverse_mass;  ///< 1/kg; 0: pressure does not move it

    /// Where solids are among them, by row; NULL: nowhere. `firm` is the part of a particle that
    /// keeps its shape by itself, 1 of a solid, 0 of a fluid; `own` is what its own body adds to
    /// its density, in rest densities: the affair of its elasticity, and pressure leaves it alone.
    float *firm, *own;

    /// What walls take of a particle's neighbourhood: the part of the kernel's
    /// integral that lies in them, its gradient (1/m), and how far away the
    /// nearest wall is (m): truly at least px_wall_surely() of it. wall_flux is the gradient times
    /// the walls' own velocity (1/s). wall_lever adds up, over the faces of walls, the size of the
    /// gradient towards each times how far away it is.
    float *wall_part, *wall_gx, *wall_gy, *wall_gz, *wall_flux, *wall_far, *wall_lever;

    /// How walls drag at a viscous fluid: nu times (wall_v - wall_drag v) is the
    /// acceleration. 1/m^2, 0 where no wall is near or it is free of friction; wall_v
    /// has the walls' velocities in it, 1/(m s).
    float *wall_drag, *wall_vx, *wall_vy, *wall_vz;

    /// How walls that are kept at a temperature warm the fluid: its diffusivity times
    /// (wall_warmth - wall_heat T) is the rate at which T rises. 1/m^2 and degrees/m^2; NULL
    /// when there are no such walls.
    double *wall_heat, *wall_warmth;

    /// Part of the kernel's integral that lies in walls along which the fluid slides.
    float *wall_slip;

    PxArena *scratch;
    const PxThreads *threads;
    const PxDist *dist;
    PxIsa isa;

    uint32_t iterations; ///< of the pressure solve
    double solve_error;  ///< mean compression it left, per cent
    bool converged;
    uint32_t viscosity_iterations;
    bool viscosity_converged;
} PxFluid;

/// The rows of a fluid, for px_reduce().
static inline PxRows px_fluid_rows(const PxFluid *fluid)
{
    return (PxRows){fluid->threads, fluid->dist, fluid->count, 0};
}

/// Rows that neighbours may be: owned ones and copies.
static inline uint32_t px_fluid_visible(const PxFluid *fluid)
{
    return fluid->count + fluid->copies;
}

/// Brings the copies' values of `size` bytes, `stride` bytes from row to row, up to date. Comes
/// before every pass that reads values of neighbours which an earlier pass wrote.
static inline void px_fluid_refresh(const PxFluid *fluid, void *first, size_t size, size_t stride)
{
    px_dist_refresh(fluid->dist, (PxDistArray){first, size, stride}, fluid->count, fluid->copies);
}

/// The same for whole quads, and for their fourth numbers.
static inline void px_fluid_refresh_quads(const PxFluid *fluid, float *quad)
{
    px_fluid_refresh(fluid, quad, 4 * sizeof(float), 4 * sizeof(float));
}
static inline void px_fluid_refresh_w(const PxFluid *fluid, float *quad)
{
    px_fluid_refresh(fluid, quad + 3, sizeof(float), 4 * sizeof(float));
}

/// Packs the quads of all visible rows: px_quads_pack(), with the copies refreshed.
void px_fluid_pack(const PxFluid *fluid, float *quad, const float *x, const float *y,
                   const float *z, const float *w);

/// Takes the arrays above from scratch and packs the positions.
PxStatus px_fluid_begin(PxFluid *fluid);

/// volume, density of every particle, walls included.
void px_fluid_density(PxFluid *fluid);

/// Adds the pull within each fluid that has one.
void px_fluid_cohesion(PxFluid *fluid);

/// Longest step that cohesion allows, s; INFINITY without any.
double px_fluid_cohesion_limit(const PxFluid *fluid);

/// Adds the acceleration by viscosity, when all others but that of pressure are there
/// (fluid/viscosity/).
PxStatus px_fluid_viscosity(PxFluid *fluid);

/// Longest step that viscosity allows, s; INFINITY if it does not mind.
double px_fluid_viscosity_limit(const PxFluid *fluid);

/// Adds the acceleration by surface tension, of every material that has one.
PxStatus px_fluid_tension(PxFluid *fluid);
bool px_fluid_has_tension(const PxFluid *fluid);

/// Longest step that surface tension allows, s; INFINITY without any.
double px_fluid_tension_limit(const PxFluid *fluid);

/// Speed of the flow that surface tension could drive, m/s: rho v^2 is the pressure it squeezes
/// the fluid with.
double px_fluid_tension_speed(const PxFluid *fluid);

/// Fills the wall arrays.
/// Errors: PX_ERR_MEMORY.
PxStatus px_fluid_walls(PxFluid *fluid);

/// A round of settling before the first step, after px_fluid_density(): moves particles apart
/// that start compressed beside a wall. Rounds are counted from 0; *done: there was nothing
/// (more) to do. Particles may become fewer.
PxStatus px_fluid_settle(PxFluid *fluid, int round, bool *done);

/// quad[4 i + 3] = value[i]
void px_fluid_pack_w(const PxFluid *fluid, float *quad, const float *value);

/// Packs velocities with `w` into quad_velocity, which is made when missing.
PxStatus px_fluid_pack_velocity(PxFluid *fluid, const float *w);

/// A number of particle i as it is at its temperature, from those of its material's two states.
static inline double px_fluid_between(const PxFluid *f, uint32_t i, double cold, double hot)
{
    return f->melted != NULL ? px_between(cold, hot, (double)f->melted[i]) : cold;
}

/// Its viscosity, Pa s.
static inline double px_fluid_mu(const PxFluid *f, uint32_t i)
{
    const PxMaterialDef *def = &f->material[f->particles->material[i]].def;
    return px_fluid_between(f, i, def->viscosity, def->melts.into.viscosity);
}

/// What p_i is to be multiplied with to get the pressure as momentum feels it, a third of
/// the trace of the stress (Irving and Kirkwood 1950):
///   V_i (1/3 sum_j r |dW/dr| + 1/3 sum_faces d |grad wall| / s^3)
/// `stiff` is the first third. It would be 1 if the kernel's sum were an integral. It is 0.99
/// within a fluid at rest and 0.9 in the layer beside a wall, where p_i is that much too high.
static inline float px_fluid_felt(const PxFluid *f, uint32_t i, float stiff)
{
    double cell = f->spacing * f->spacing * f->spacing;
    return f->volume[i] * (stiff + f->wall_lever[i] / (float)(3.0 * cell));
}

#endif
