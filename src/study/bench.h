/// A bench: a function that measures and reports. One file each, one line in bench.c.
#ifndef PX_STUDY_BENCH_H
#define PX_STUDY_BENCH_H

#include "base/parallel.h"
#include "base/simd.h"
#include "study/report.h"
#include "study/study.h"

typedef struct PxBench {
    PxBenchDef def;
    PxThreads threads;
    PxIsa isa;
    PxReport *report;
    PxBenchFunction *each;
    void *user;
} PxBench;

/// Reports the next measurement; returns PX_ERR_STOPPED if the caller stops the bench.
PxStatus px_bench_next(PxBench *bench, const char *format, ...) PX_PRINTF(2, 3);

/// Which parts of a bench the caller chose, by their words (at most 8); all if none was named.
/// Words that name none are refused.
PxStatus px_bench_choose(const PxBench *bench, const char *name, const char *const *word,
                         size_t words, bool *wanted);

/// Processor time of all threads of this process, s: unlike px_clock() it does not count what
/// others do on the machine.
double px_bench_processor(void);

/// Peak resident memory of this process, bytes.
double px_bench_peak_memory(void);

PxStatus px_bench_cloth(PxBench *bench);
PxStatus px_bench_cloth_fluid(PxBench *bench);
PxStatus px_bench_contact(PxBench *bench);
PxStatus px_bench_fluid(PxBench *bench);
PxStatus px_bench_fracture(PxBench *bench);
PxStatus px_bench_melt(PxBench *bench);
PxStatus px_bench_mesh_walls(PxBench *bench);
PxStatus px_bench_neighbours(PxBench *bench);
PxStatus px_bench_peer(PxBench *bench);
PxStatus px_bench_realtime(PxBench *bench);
PxStatus px_bench_runs(PxBench *bench);
PxStatus px_bench_scaling(PxBench *bench);
PxStatus px_bench_solid(PxBench *bench);
PxStatus px_bench_surface(PxBench *bench);
PxStatus px_bench_validate(PxBench *bench);
PxStatus px_bench_render(PxBench *bench);
PxStatus px_bench_tension(PxBench *bench);

#endif
