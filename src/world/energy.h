/// Energy balance of a step: what each stage did to kinetic, potential and elastic energy.
///
/// Fluid forces are measured from their accelerations (fluid/work.h), in the pass that moves the
/// particles. Other stages are measured by the energy before and after them. `rounding` is the
/// difference between the measured change of energy in that pass and the sum of its stages.
#ifndef PX_WORLD_ENERGY_H
#define PX_WORLD_ENERGY_H

#include "fluid/work.h"
#include "world/world_parts.h"

typedef struct PxEnergy {
    PxWork work;
    double done[PX_WORK_KINDS]; ///< by stage, J
    double start;               ///< energy at the start of the step, J
    double now;                 ///< energy after the stages so far, J
    double elastic;             ///< elastic energy in `now`, J
    double coarse;              ///< differences of sums below this are rounding errors, J
    bool known;                 ///< start and now have been measured
    struct {
        double magic[32]; ///< of the sums of the moving pass
        float dt;
        bool held, walls; ///< some rows are held; some walls move
    } pass;
} PxEnergy;

/// Begins a step, after settling; fluid->work is set.
void px_energy_begin(PxEnergy *energy, PxWorld *world, PxFluid *fluid);

/// Before and after the rows [begin, end) are moved: adds to the sums of `part`.
/// px_energy_move() comes before the pass and returns the number of sums.
uint32_t px_energy_move(PxEnergy *energy, const PxWorld *world, const PxFluid *fluid);
void px_energy_before(const PxEnergy *energy, const PxFluid *fluid, uint32_t begin, uint32_t end,
                      PxPart *part);
void px_energy_after(const PxEnergy *energy, const PxFluid *fluid, uint32_t begin, uint32_t end,
                     PxPart *part);
void px_energy_moved(PxEnergy *energy, const PxPart *total);

/// Measures the energy; its change since the last measurement is the work of `kind`.
void px_energy_stage(PxEnergy *energy, PxWorld *world, PxWorkKind kind);

/// Adds work that the stage measured itself, J.
void px_energy_add(PxEnergy *energy, PxWorkKind kind, double work);

/// Stores the balance in the world.
void px_energy_end(PxEnergy *energy, PxWorld *world);

#endif
