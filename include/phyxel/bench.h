/// Benches: what measures the engine.
#ifndef PHYXEL_BENCH_H
#define PHYXEL_BENCH_H

#include "phyxel/status.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct PxBenchInfo {
    const char *name;
    const char *summary;
    bool folder; ///< leaves files, and knows the choices at the end of PxBenchDef
} PxBenchInfo;

/// Bench number `k`, or NULL when there are no more.
PX_API const PxBenchInfo *px_bench_info(size_t k);

/// How to measure. Start from px_bench_def_default().
typedef struct PxBenchDef {
    int threads;  ///< 0: one for every core
    bool quick;   ///< under a minute or two
    double scale; ///< of the problem's size, 1 as published

    /// Choices, for benches that know them; NULL or 0 leaves them to the bench. Words are
    /// separated by commas.
    const char *out;      ///< folder for what the bench leaves
    const char *tests;    ///< "1,3"
    const char *pressure; ///< solvers: "iisph,sesph"
    const char *tension;  ///< models: "akinci,he"
    const char *strength; ///< coefficients: "low", "middle", "high", "all", or numbers
    double seconds;       ///< simulated in a run
} PxBenchDef;

PX_API PxBenchDef px_bench_def_default(void);

/// Called between measurements with what comes next; false stops.
typedef bool PxBenchFunction(void *user, const char *what);

/// Runs a bench. *text is a table for people, *json one JSON object for machines;
/// give both back with px_bench_free().
/// Errors: PX_ERR_ARGUMENT for an unknown name, PX_ERR_STOPPED, PX_ERR_MEMORY.
PX_API PxStatus px_bench_run(const char *name, const PxBenchDef *def, PxBenchFunction *each,
                             void *user, char **text, char **json);
PX_API void px_bench_free(char *text);

#ifdef __cplusplus
}
#endif
#endif
