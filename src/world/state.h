/// The numbers of a world's state. With the tables of saved.c and the scene they suffice to
/// continue bit-identically.
#ifndef PX_WORLD_STATE_H
#define PX_WORLD_STATE_H

#include "base/table.h"
#include "phyxel/world.h"

/// One line per number: a member of PxWorldState, saved, restored and written to checkpoints under
/// its name.
#define PX_WORLD_STATE(WHOLE, REAL)                                                                \
    WHOLE(step)          /* steps done */                                                          \
    REAL(time)           /* s */                                                                   \
    REAL(top_speed)      /* bound on the speed of the flow, m/s; never decreases */                \
    WHOLE(events)        /* executed so far */                                                     \
    WHOLE(grips)         /* starts and ends of handles executed so far */                          \
    WHOLE(bound_due)     /* 1: top_speed is estimated again before the next step */                \
    WHOLE(not_converged) /* these four as in PxStats */                                            \
    WHOLE(caught)                                                                                  \
    WHOLE(leaked)                                                                                  \
    WHOLE(removed)                                                                                 \
    WHOLE(rigid_crossed) /* as in PxStats */                                                       \
    REAL(divergence)     /* 1/s, mean compression rate of the velocities */                        \
    REAL(mass_in)        /* these three as in PxStats */                                           \
    REAL(mass_out)                                                                                 \
    REAL(heat_in)                                                                                  \
    REAL(energy)         /* after the last step, J (energy.h) */                                   \
    REAL(halvings)       /* of the solids' sub-step; see solid/leapfrog.simd.c */                  \
    REAL(rest_stretch)   /* square of the largest stretch at the last rest-shape update; 0: due */ \
    REAL(highest)        /* as in PxSolid, 1/s^2; 0: must be estimated */                          \
    REAL(highest_at)     /* as in PxSolid */                                                       \
    WHOLE(elastic_count) /* number of elastic particles in the last step */                        \
    WHOLE(cloth_crossed) /* as in PxStats */                                                       \
    REAL(cloth_before)   /* length of the last step of cloth, s; 0: there was none */              \
    REAL(cloth_part)     /* of the longest step of cloth that the last one was to be; 0: all */    \
    WHOLE(tear_step)     /* 1 + step before which cloth was last looked at for tears */            \
    WHOLE(drips)         /* particles that cloth has given back */                                 \
    WHOLE(wet_1)         /* 1 + slot of the material of each liquid in cloth; 0: none */           \
    WHOLE(wet_2)                                                                                   \
    WHOLE(wet_3)                                                                                   \
    WHOLE(wet_4)                                                                                   \
    WHOLE(fragments) /* these four as in PxStats */                                                \
    WHOLE(crack_splits)                                                                            \
    WHOLE(crack_merges)                                                                            \
    WHOLE(crack_ends)                                                                              \
    REAL(crack_speed)      /* of the fastest front in the last step, in cells per second */        \
    WHOLE(crack_relax)     /* 1: bonds were lowered at the end of the last step */                 \
    WHOLE(rigid_fragments) /* these two as in PxStats */                                           \
    WHOLE(resampled)

typedef struct PxWorldState {
#define PX_WHOLE(name) uint64_t name;
#define PX_REAL(name) double name;
    PX_WORLD_STATE(PX_WHOLE, PX_REAL)
#undef PX_WHOLE
#undef PX_REAL
} PxWorldState;

const PxTable *px_world_particles(const PxWorld *world);
PxWorldState px_world_state(const PxWorld *world);

#endif
