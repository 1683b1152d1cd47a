/// Every shipped scene is stable at its size (shipped.h).
#include "shipped.h"

PHYSICS(shipped_scenes_hold)
{
    shipped_run_all(1);
}

TEST_MAIN()
