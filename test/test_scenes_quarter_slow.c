/// Every shipped scene is stable at a quarter of its size, without changing another value
/// (shipped.h).
#include "shipped.h"

PHYSICS(shipped_scenes_hold_at_a_quarter_of_their_size)
{
    shipped_run_all(0.25);
}

TEST_MAIN()
