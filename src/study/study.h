/// The benches, for the command and tests. They are not part of the installed library.
#ifndef PX_STUDY_STUDY_H
#define PX_STUDY_STUDY_H

#include "phyxel/status.h"

#include <stdbool.h>
#include <stddef.h>

/// Options that a bench reads besides `threads` and `quick`.
typedef enum PxBenchOptions {
    PX_BENCH_PLAIN,
    PX_BENCH_PARTS,  ///< reads `tests`
    PX_BENCH_FOLDER, ///< writes files, and reads the choices at the end of PxBenchDef
    PX_BENCH_PAGES,  ///< reads `tests`, `page` and `csv`
    PX_BENCH_PLOTS,  ///< reads `tests`, and writes tables and plots to `out`
} PxBenchOptions;

typedef struct PxBenchInfo {
    const char *name;
    const char *summary;
    PxBenchOptions options;
} PxBenchInfo;

/// Bench number `k`, or NULL after the last.
const PxBenchInfo *px_bench_info(size_t k);

/// Options of a bench. Start from px_bench_def_default().
typedef struct PxBenchDef {
    int threads;  ///< 0: one for every core
    bool quick;   ///< a smaller problem that takes under two minutes
    double scale; ///< factor of the problem's size; 1 as published

    /// Choices for benches with PX_BENCH_PAGES; NULL for none.
    const char *page; ///< file for the results as a page of documentation
    const char *csv;  ///< file for the results as a table
    const char *from; ///< such a file: what it has is not measured again

    /// Choices for benches with PX_BENCH_FOLDER; NULL or 0 selects the bench's default. Lists are
    /// separated by commas.
    const char *out;   ///< folder for the files
    const char *tests; ///< "1,3"; with PX_BENCH_PAGES words in names of cases, else names of parts
    const char *pressure; ///< pressure solvers: "iisph,sesph"
    const char *tension;  ///< tension models: "akinci,he"
    const char *strength; ///< coefficients: "low", "middle", "high", "all", or numbers
    double seconds;       ///< simulated time of a run
} PxBenchDef;

PxBenchDef px_bench_def_default(void);

/// Called before each measurement with its description; returning false stops the bench.
typedef bool PxBenchFunction(void *user, const char *what);

/// Runs a bench. *text is a table to read, *json the same as one JSON object. Free both with
/// px_bench_free().
/// Errors: PX_ERR_ARGUMENT for an unknown name, PX_ERR_STOPPED, PX_ERR_MEMORY.
PxStatus px_bench_run(const char *name, const PxBenchDef *def, PxBenchFunction *each, void *user,
                      char **text, char **json);
void px_bench_free(char *text);

#endif
