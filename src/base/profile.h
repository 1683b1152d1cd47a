/// Time spent in each stage of a step. Only the thread that runs the step may open and close
/// stages.
#ifndef PX_BASE_PROFILE_H
#define PX_BASE_PROFILE_H

#include <stddef.h>
#include <stdint.h>

#define PX_PROFILE_STAGES 32

typedef struct PxProfileStage {
    const char *name; ///< static text
    double seconds;
    uint64_t calls;
} PxProfileStage;

typedef struct PxProfile {
    PxProfileStage stage[PX_PROFILE_STAGES];
    size_t stages;
} PxProfile;

/// Monotonic clock, s.
double px_clock(void);

/// Adds the time since `began` to the stage, which is created on first use.
void px_profile_add(PxProfile *profile, const char *name, double began);

/// PX_STAGE(profile, "density") { work }
#define PX_STAGE(profile, name)                                                                    \
    for (double px_began = px_clock(); px_began >= 0;                                              \
         px_profile_add((profile), (name), px_began), px_began = -1)

#endif
