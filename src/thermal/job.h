/// Working arrays of a conduction step, read from the particles and written back at its end.
#ifndef PX_THERMAL_JOB_H
#define PX_THERMAL_JOB_H

#include "thermal/flow.h"

typedef struct PxHeatJob {
    PxHeat *heat;
    PxHeatFlow pass;
    double *capacity;    ///< J/K, without latent heat
    double *temperature; ///< degrees C
    double *energy;      ///< J
    double *given;       ///< J, heat received from walls
    double *held;        ///< J, heat given by each held row; NULL without any
    double *wall;        ///< W/K, conductance to walls; NULL without walls of given temperature
    double *warmth;      ///< W, that conductance times the walls' temperature
    double dt;           ///< s, of a sub-step
    double scale;        ///< factor of volumes
    double least, most;  ///< degrees C, range over all rows and walls
} PxHeatJob;

static inline const PxMaterialDef *px_heat_def(const PxHeatJob *job, uint32_t i)
{
    const PxFluid *f = job->heat->fluid;
    return &f->material[f->particles->material[i]].def;
}

static inline bool px_heat_is_held(const PxHeatJob *job, uint32_t i)
{
    return job->heat->held != NULL && job->heat->held[i];
}

static inline void px_heat_put_value(const PxHeatJob *job, uint32_t i, double value)
{
    float *quad = job->pass.value + 4 * (size_t)i;
    quad[0] = (float)value;
    quad[1] = (float)(value - (double)quad[0]);
}

/// Runs a pass over the rows.
static inline void px_heat_run(const PxHeatJob *job, PxBlockFunction *function, void *user)
{
    const PxFluid *f = job->heat->fluid;
    px_parallel_for(f->threads, f->count, 4 * PX_BLOCK, function, user);
}

/// Computes the heat flow of the values set by px_heat_put_value().
static inline void px_heat_flow(const PxHeatJob *job)
{
    const PxFluid *f = job->heat->fluid;
    px_fluid_refresh_quads(f, job->pass.value);
    px_parallel_for(f->threads, f->count, PX_BLOCK, PX_ISA_PICK(f->isa, px_heat_flow_block),
                    (void *)&job->pass);
}

#endif
