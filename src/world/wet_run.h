/// Scratch of the wetting stage: what world/wet_take.c hands to world/wet_stage.c.
#ifndef PX_WORLD_WET_RUN_H
#define PX_WORLD_WET_RUN_H

#include "contact/sheets.h"
#include "world/cloth_stage.h"
#include "world/world_parts.h"

#include <math.h>

/// A vertex with liquid that hangs, and the cell that it is in.
typedef struct PxWetHang {
    int64_t cell[3];
    uint32_t vertex;
} PxWetHang;

/// A liquid in cloth.
typedef struct PxWetLiquid {
    uint32_t material; ///< 1 + slot; 0: not known, and no other one has its place
    uint32_t body;     ///< 1 + a body of that material, from which drops come if no other is known
    double ratio;      ///< 1000 kg/m^3 over its density
    double viscosity;  ///< Pa s
} PxWetLiquid;

/// Amounts `room` to `before` are volumes, written as masses of the first liquid of the world:
/// pores are filled by volume, and cloth of one liquid needs no conversion.
typedef struct PxWetRun {
    double density; ///< 1000 kg/m^3
    int liquids;    ///< of cloth, at least 1
    PxWetLiquid liquid[PX_WET_LIQUIDS];
    double *room;                   ///< by vertex: in its pores at saturation
    double *gets;                   ///< by vertex: what its pores get from particles in this step
    double *passes;                 ///< by vertex: what passes through to its other side
    double *got[PX_WET_LIQUIDS];    ///< by vertex: mass of each liquid in both, kg
    double *before;                 ///< by vertex: mass of all liquid at the start of the step, kg
    double *spread;                 ///< by vertex: sum of the weights of its edges
    double *inflow;                 ///< by vertex: mass that a sub-step of spreading would add, kg
    double *flow[PX_WET_LIQUIDS];   ///< by vertex: change of each liquid in a sub-step, kg
    uint8_t *lowest;                ///< by vertex: liquid may leave its pores below
    uint32_t *from[PX_WET_LIQUIDS]; ///< by vertex: 1 + body that wets it, 0: none does
    PxVec3 *momentum;               ///< by vertex: of what it gets, N s
    PxVec3 *pressed;                ///< by vertex: impulse of the fluid in this step, N s
    float *mass;                    ///< by row: after the step, kg; 0: the particle is used up
    float *velocity[3];             ///< by row: the same
    uint32_t rows;                  ///< of both
    PxWetHang *hangs;
    bool takes; ///< some cloth gets liquid from particles in this step
} PxWetRun;

/// Which liquid of cloth a material is; -1: none, because cloth holds PX_WET_LIQUIDS others.
int px_wet_liquid(const PxWetRun *run, uint32_t material);
/// The same; a material that cloth has not met yet becomes a liquid of it.
int px_wet_meet(const PxWorld *world, PxWetRun *run, uint32_t material);

/// Volume of liquid at a vertex, as kg of 1000 kg/m^3.
static inline double px_wet_all(const PxWetRun *run, const PxClothWater *w, uint32_t i)
{
    double sum = w->part[0][i] * run->liquid[0].ratio;
    for (int k = 1; k < run->liquids; ++k)
        sum += w->part[k][i] * run->liquid[k].ratio;
    return sum;
}

/// The same of what is in its pores.
static inline double px_wet_own(const PxWetRun *run, const PxClothWater *w, uint32_t i)
{
    return fmax(px_wet_all(run, w, i) - w->hanging[i], 0);
}

/// Sets the mass of all liquid of a vertex to the sum of its parts.
static inline void px_wet_sum(const PxWetRun *run, const PxClothWater *w, uint32_t i)
{
    double sum = w->part[0][i];
    for (int k = 1; k < run->liquids; ++k)
        sum += w->part[k][i];
    w->water[i] = sum;
}

/// The def of the cloth that a vertex belongs to.
static inline const PxClothDef *px_wet_def(const PxWorld *world, uint32_t vertex)
{
    uint32_t cloth = world->cloth_system.of_vertex[vertex];
    return &world->materials.data[world->cloths.data[cloth].material].def.cloth;
}

/// Finds what cloth takes up from the particles that touch it. Changes only `run`.
/// Errors: PX_ERR_MEMORY.
PxStatus px_wet_take_plan(PxWorld *world, const PxSheets *s, PxWetRun *run);

/// Does what px_wet_take_plan() found.
void px_wet_take_act(PxWorld *world, const PxSheets *s, const PxWetRun *run);

#endif
