/// Every shipped scene is stable at four times its size, without changing another value
/// (shipped.h).
#include "shipped.h"

PHYSICS(shipped_scenes_hold_at_four_times_their_size)
{
    shipped_run_all(4);
}

TEST_MAIN()
