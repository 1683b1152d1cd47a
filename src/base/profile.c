#include "base/profile.h"

#include <string.h>
#include <time.h>

double px_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void px_profile_add(PxProfile *profile, const char *name, double began)
{
    double seconds = px_clock() - began;
    size_t k = 0;
    while (k < profile->stages && strcmp(profile->stage[k].name, name) != 0)
        ++k;
    if (k == PX_PROFILE_STAGES)
        return;
    if (k == profile->stages)
        profile->stage[profile->stages++] = (PxProfileStage){.name = name};
    profile->stage[k].seconds += seconds;
    ++profile->stage[k].calls;
}
