/// State that the stages of a fluid step share.
#ifndef PX_FLUID_FLUID_H
#define PX_FLUID_FLUID_H

#include "base/arena.h"
#include "base/simd.h"
#include "dist/reduce.h"
#include "matter/kernel.h"
#include "matter/material.h"
#include "matter/melt.h"
#include "matter/pairs.h"
#include "matter/particles.h"
#include "matter/boundary.h"

#include <math.h>

/// All values are in SI units. Arrays have one value per particle (`count`) and live in the
/// step's scratch.
typedef struct PxFluid {
    PxParticles *particles;
    uint32_t count;  ///< rows that this rank owns; passes write these
    uint32_t copies; ///< rows of other ranks behind them; they are read as neighbours only
    const PxPairs *pairs;
    const PxGrid *grid; ///< the grid by which the particles are sorted
    PxKernel kernel;
    double spacing;   ///< m
    double courant;   ///< fraction of the stability limit that a step uses
    double dt;        ///< s
    PxVec3 up;        ///< against gravity, of unit length; 0 without gravity
    double speed_max; ///< largest speed at the start of the step
    double
        speed_within; ///< the same among particles under pressure, all but the fastest 0.1 per cent
    double pressure_speed; ///< largest sqrt(p / rho) of the last step
    double top_speed;      ///< upper estimate of the speed of the flow
    double divergence; ///< 1/s, mean compression rate of the step's velocities; until the solve,
                       ///< that of the last step
    const PxMaterial *material;
    uint32_t materials;
    bool emits;          ///< an emitter of the world has started
    bool carries;        ///< there are rigid bodies
    bool carries_meshes; ///< and some of them are meshes
    PxBoundary *const *boundary;
    size_t boundaries;
    const PxWallProfile *wall_profile;

    const float *melted; ///< molten fraction of each particle; NULL in worlds without melting

    float *quad;          ///< x, y, z and a value that the stage chooses
    float *quad_velocity; ///< vx, vy, vz and another such value; NULL until a stage needs it
    float *volume;        ///< m^3, 1 / sum of W
    float *inverse_mass;  ///< 1/kg; 0: pressure does not move it

    /// In worlds with elastic matter; else NULL. solid_fraction is 1 for a solid, 0 for a fluid and
    /// between them for partly molten matter. own_compression is the compression caused by the
    /// particle's own rest neighbours, in rest densities: elastic forces act against it, so the
    /// pressure solve ignores it.
    float *solid_fraction, *own_compression;

    /// Boundaries around a particle: the part of the kernel's integral that lies in them, its
    /// gradient (1/m), and the distance to the nearest one (m; px_boundary_lower_bound() gives a
    /// lower bound of the true one). wall_flux is the gradient times the boundaries' velocity
    /// (1/s). wall_lever is |gradient| times distance, summed over the faces of the boundaries.
    /// wall_lift has each of its terms times the square of the face's normal along `up`.
    float *wall_part, *wall_gx, *wall_gy, *wall_gz, *wall_flux, *wall_far, *wall_lever, *wall_lift;

    /// Drag of boundaries on a viscous fluid: nu times (wall_v - wall_drag v) is the acceleration.
    /// wall_drag is in 1/m^2, 0 where no boundary with friction is near; wall_v includes the
    /// boundaries' velocities, 1/(m s).
    float *wall_drag, *wall_vx, *wall_vy, *wall_vz;

    /// Heat from boundaries that have a temperature: dT/dt = the fluid's diffusivity times
    /// (wall_warmth - wall_heat T). Degrees/m^2 and 1/m^2; NULL without such boundaries.
    double *wall_heat, *wall_warmth;

    /// Part of the kernel's integral that lies in boundaries without friction.
    float *wall_slip;

    /// Cosine of the contact angle: of the boundaries around the particle, weighted by their parts.
    float *wall_cos;

    /// Hold of boundaries on the layer that wets them: wall_rate (wall_m - wall_stick v) is the
    /// acceleration. wall_stick is the boundaries' adhesion where they are wetted, wall_m the same
    /// times their velocities (m/s); a tension model sets wall_rate (1/s), 0 at first.
    float *wall_stick, *wall_mx, *wall_my, *wall_mz, *wall_rate;

    /// Force of the boundaries on a particle of a contact line, along them, N; a tension model sets
    /// it, 0 at first. Each boundary gives the part that it has of wall_parts, the sum of the parts
    /// of all.
    float *wall_lx, *wall_ly, *wall_lz, *wall_parts;

    /// Force of the boundaries on a particle by pressure and tension: -wall_push wall_g, N.
    /// wall_push is in N m.
    float *wall_push;
    struct PxTouches **touches; ///< particles near each boundary (boundaries.c), by blocks of rows
    struct PxYield *yield;      ///< boundaries that yield to pressure (yield.h); NULL: none
    struct PxYieldPoints *yield_points; ///< points that yield to pressure; NULL: none

    /// Velocity that moves a particle in addition to its own, for this step only, m/s; NULL: none.
    /// A pressure model sets it to correct the density without changing the momentum.
    float *shift[3];

    struct PxWork *work; ///< what stages do to the energy (work.h); NULL: not measured

    struct PxMacStore *mac_store; ///< walls of the grid of `flip`, from step to step; may be NULL

    PxArena *scratch;
    const PxThreads *threads;
    const PxDist *dist;
    PxIsa isa;

    uint32_t iterations; ///< of the pressure solve
    double solve_error;  ///< its residual: mean compression, per cent
    bool converged;
    uint32_t viscosity_iterations;
    bool viscosity_converged;
} PxFluid;

/// The rows of a fluid, for px_reduce().
static inline PxRows px_fluid_rows(const PxFluid *fluid)
{
    return (PxRows){fluid->threads, fluid->dist, fluid->count, 0};
}

/// Number of rows that can be neighbours: owned ones and copies.
static inline uint32_t px_fluid_visible(const PxFluid *fluid)
{
    return fluid->count + fluid->copies;
}

/// Updates the copies' values of `size` bytes each, `stride` bytes apart. Required before every
/// pass that reads neighbours' values written by an earlier pass.
static inline void px_fluid_refresh(const PxFluid *fluid, void *first, size_t size, size_t stride)
{
    px_dist_refresh(fluid->dist, (PxDistArray){first, size, stride}, fluid->count, fluid->copies);
}

/// The same for whole quads, and for their fourth components.
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

/// Allocates the arrays above from scratch and packs the positions.
PxStatus px_fluid_begin(PxFluid *fluid);

/// Computes volume and density of every particle, with the contribution of walls.
void px_fluid_density(PxFluid *fluid);

/// Adds the acceleration by cohesion, for fluids that have it.
void px_fluid_cohesion(PxFluid *fluid);

/// Longest step that cohesion allows, s; INFINITY without any.
double px_fluid_cohesion_limit(const PxFluid *fluid);

/// Adds the acceleration by viscosity (fluid/viscosity/), after all others except pressure.
PxStatus px_fluid_viscosity(PxFluid *fluid);

/// Is some material viscous?
bool px_fluid_is_viscous(const PxFluid *fluid);

/// Does viscosity act over more than about ten spacings in a step? Then elastic forces that the
/// viscous solve sees would be carried by viscosity for many steps instead of pressure.
bool px_fluid_is_stiff(const PxFluid *fluid);

/// Longest step that viscosity allows, s; INFINITY if it sets no limit.
double px_fluid_viscosity_limit(const PxFluid *fluid);

/// Adds the acceleration by surface tension, for every material that has one.
PxStatus px_fluid_tension(PxFluid *fluid);
bool px_fluid_has_tension(const PxFluid *fluid);

/// Longest step that surface tension allows, s; INFINITY without any.
double px_fluid_tension_limit(const PxFluid *fluid);

/// Speed of the flow that surface tension can drive, m/s: rho v^2 equals the pressure that it
/// exerts on the fluid.
double px_fluid_tension_speed(const PxFluid *fluid);

/// Fills the wall arrays. Errors: PX_ERR_MEMORY.
PxStatus px_fluid_boundaries(PxFluid *fluid);

/// Notes the viscous drag on boundaries, after viscosity has added its acceleration. It acts on the
/// velocities at the start of the step if `more` is NULL, else on those that the accelerations so
/// far and `more` (quads, m/s^2) lead to. `part` is a factor of each particle's viscosity; NULL: 1
/// for all.
void px_fluid_give_drag(PxFluid *fluid, const float *more, const float *part);

/// Gives boundaries the opposite of all impulses that particles get from them in this step. Called
/// when all accelerations are complete.
void px_fluid_give_impulses(PxFluid *fluid);

/// Adds the heat that a boundary gave in this step to *out, J. `given` is the heat that all of them
/// together gave each particle.
void px_fluid_heat_of_boundary(const PxFluid *fluid, uint32_t boundary, const double *given,
                               PxSum *out);

/// One round of settling before the first step, after px_fluid_density(): moves particles apart
/// that are compressed beside a wall. Rounds are counted from 0; *done: settling is finished.
/// May delete particles.
PxStatus px_fluid_settle(PxFluid *fluid, int round, bool *done);

/// quad[4 i + 3] = value[i]
void px_fluid_pack_w(const PxFluid *fluid, float *quad, const float *value);

/// Packs velocities with `w` into quad_velocity, which is allocated if NULL.
PxStatus px_fluid_pack_velocity(PxFluid *fluid, const float *w);

/// A parameter of particle i at its molten fraction, from those of its material's two states.
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

/// Factor from p_i to the mechanical pressure, a third of the trace of the stress
/// (Irving and Kirkwood 1950):
///   V_i (1/3 sum_j r |dW/dr| + 1/3 sum_faces d |grad wall| / s^3)
/// `stiff` is the first third. The factor would be 1 if the sums were integrals; it is 0.99 inside
/// a fluid at rest and 0.9 in the layer beside a wall, where p_i is that much too high.
static inline float px_fluid_pressure_factor(const PxFluid *f, uint32_t i, float stiff)
{
    double cell = f->spacing * f->spacing * f->spacing;
    return f->volume[i] * (stiff + f->wall_lever[i] / (float)(3.0 * cell));
}

#endif
