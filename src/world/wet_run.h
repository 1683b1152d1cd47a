/// Scratch of the wetting stage: what world/wet_take.c hands to world/wet_stage.c.
#ifndef PX_WORLD_WET_RUN_H
#define PX_WORLD_WET_RUN_H

#include "contact/sheets.h"
#include "world/cloth_stage.h"
#include "world/world_parts.h"

/// A vertex with liquid that hangs, and the cell that it is in.
typedef struct PxWetHang {
    int64_t cell[3];
    uint32_t vertex;
} PxWetHang;

typedef struct PxWetRun {
    double density;     ///< of the liquid, kg/m^3
    double viscosity;   ///< of the liquid, Pa s
    double *room;       ///< by vertex: liquid in its pores at saturation, kg
    double *gets;       ///< by vertex: what its pores get from particles in this step, kg
    double *passes;     ///< by vertex: what passes through to its other side, kg
    double *before;     ///< by vertex: liquid at the start of the step, kg
    double *spread;     ///< by vertex: sum of the weights of its edges
    double *flow;       ///< by vertex: change in a sub-step, kg
    uint32_t *liquid;   ///< by vertex: 1 + body that wets it, 0: none does
    uint32_t any;       ///< one of these bodies
    PxVec3 *momentum;   ///< by vertex: of what it gets, N s
    PxVec3 *pressed;    ///< by vertex: impulse of the fluid in this step, N s
    float *mass;        ///< by row: after the step, kg; 0: the particle is used up
    float *velocity[3]; ///< by row: the same
    uint32_t rows;      ///< of both
    PxWetHang *hangs;
    bool takes; ///< some cloth gets liquid from particles in this step
} PxWetRun;

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
