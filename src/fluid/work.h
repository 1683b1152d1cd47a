/// Work of each stage that accelerates fluids, in one step.
///
/// A step changes velocities from v0 to v1 = v0 + dt sum_k a_k, where a_k is the acceleration that
/// stage k adds. The kinetic energy then changes by exactly
///   sum_k W_k,   W_k = m dt a_k . (v0 + v1) / 2.
/// v1 is known only at the end, so the accelerations after each stage are kept until then.
#ifndef PX_FLUID_WORK_H
#define PX_FLUID_WORK_H

#include "fluid/fluid.h"

/// Stages of fluids, then the others of a step: columns of stats.csv in this order, described in
/// world/stats_columns.c.
#define PX_WORKS(X)                                                                                \
    X(gravity)                                                                                     \
    X(cohesion)                                                                                    \
    X(tension)                                                                                     \
    X(viscosity)                                                                                   \
    X(damping)                                                                                     \
    X(pressure)                                                                                    \
    X(emitters)                                                                                    \
    X(walls)                                                                                       \
    X(shifts)                                                                                      \
    X(elastic)                                                                                     \
    X(defence)                                                                                     \
    X(inflow)                                                                                      \
    X(outflow)                                                                                     \
    X(events)                                                                                      \
    X(rounding)                                                                                    \
    X(fields)

typedef enum PxWorkKind {
#define PX_WORK_KIND(name) PX_WORK_##name,
    PX_WORKS(PX_WORK_KIND)
#undef PX_WORK_KIND
        PX_WORK_KINDS
} PxWorkKind;

/// Accelerations after a stage.
typedef struct PxWorkMark {
    PxWorkKind kind;
    float *a[3]; ///< m/s^2
} PxWorkMark;

enum { PX_WORK_MARKS = 11 };

typedef struct PxWork {
    PxVec3 gravity; ///< acceleration at the start, m/s^2
    PxWorkMark mark[PX_WORK_MARKS];
    uint32_t marks;
    PxWorkKind last;  ///< kind of what followed the last mark
    double wall_drag; ///< work of moving walls by viscous drag, J
    double wall_push; ///< the same by pressure, beside that of PxFluid.wall_push
} PxWork;

/// Everything that the particles' accelerations have gained since the last mark belongs to `kind`.
/// Does nothing if the fluid has no PxWork. Errors: PX_ERR_MEMORY.
PxStatus px_work_mark(PxFluid *fluid, PxWorkKind kind);

/// Appends a mark whose accelerations the caller fills in; NULL without a PxWork. Errors: as above.
PxStatus px_work_append(PxFluid *fluid, PxWorkKind kind, PxWorkMark **out);

#endif
