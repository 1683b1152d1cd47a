/// The particle table, with pointers to its standard columns.
#ifndef PX_MATTER_PARTICLES_H
#define PX_MATTER_PARTICLES_H

#include "base/table.h"
#include "base/vec.h"

/// The pointers are valid until rows are sorted, appended or deleted; call
/// px_particles_refresh() after that.
typedef struct PxParticles {
    PxTable table;
    uint64_t *id;
    float *x, *y, *z;                      ///< position, m
    float *x_low, *y_low, *z_low;          ///< rounding error of the float position, m
    float *vx, *vy, *vz;                   ///< velocity, m/s
    float *mass;                           ///< kg
    float *radius;                         ///< half the spacing it was made with, m
    float *temperature;                    ///< degrees C
    uint32_t *material;                    ///< slot
    uint32_t *body;                        ///< slot
    float *warm_pressure;                  ///< Pa, warm start of the implicit pressure solve
    float *warm_divergence;                ///< the same for the divergence-free solve
    float *steady_pressure;                ///< low-pass filtered pressure of implicit solves, Pa
    float *steady_x, *steady_y, *steady_z; ///< low-pass filtered acceleration by pressure, m/s^2
    float *density;                        ///< kg/m^3, of the last step
    float *pressure;                       ///< Pa, of the last step
    float *ax, *ay, *az;                   ///< acceleration, m/s^2, of the last step
    float *ux, *uy, *uz;                   ///< acceleration by implicit viscosity in the last step
} PxParticles;

PxStatus px_particles_init(PxParticles *p, const PxAllocator *allocator);
void px_particles_free(PxParticles *p);
void px_particles_refresh(PxParticles *p);

/// Position of particle i, including its low part.
static inline PxVec3 px_particle_place(const PxParticles *p, uint32_t i)
{
    return px_vec((double)p->x[i] + (double)p->x_low[i], (double)p->y[i] + (double)p->y_low[i],
                  (double)p->z[i] + (double)p->z_low[i]);
}

static inline void px_particle_put(PxParticles *p, uint32_t i, PxVec3 x)
{
    p->x[i] = (float)x.x;
    p->y[i] = (float)x.y;
    p->z[i] = (float)x.z;
    p->x_low[i] = (float)(x.x - (double)p->x[i]);
    p->y_low[i] = (float)(x.y - (double)p->y[i]);
    p->z_low[i] = (float)(x.z - (double)p->z[i]);
}

#endif
