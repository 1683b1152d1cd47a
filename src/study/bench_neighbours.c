#include "study/bench.h"
PxStatus px_bench_neighbours(PxBench *bench)
{
    (void)bench;
    return px_fail(PX_ERR_UNSUPPORTED, "bench: neighbours");
}
