/// The output folder of the surface tension benchmark:
///
///   runs/1-iisph-akinci-0.2.csv         a row a step
///   runs/1-iisph-akinci-0.2-slice.csv   particles near the middle plane at the end
///   runs/1-iisph-akinci-0.2/frames/     particles every 0.1 s, as those of a run
///   summary.csv                         a row a run; this file is read back
///   aggregate.csv                       means and deviations over coefficients (004 Eq. 6.15)
///   plots/*.gp, plots/*.png             plots and their scripts
///   index.md                            all results as a page
///
/// Runs accumulate over calls: runs that the folder has are not repeated.
#ifndef PX_STUDY_TENSION_FOLDER_H
#define PX_STUDY_TENSION_FOLDER_H

#include "base/parallel.h"
#include "store/file.h"
#include "study/tension_run.h"

/// A tension model as the benchmark uses it: coefficients from low to high, and a shade for
/// each (004 section 6.6: akinci red, becker green, he brown, becker-cut blue).
enum { PX_TENSION_STRENGTHS = 5, PX_TENSION_SOLVERS = 4, PX_TENSION_MODELS = 5 };
typedef struct PxTensionSet {
    const char *name, *symbol;
    double strength[PX_TENSION_STRENGTHS];
    uint32_t colour[PX_TENSION_STRENGTHS];
} PxTensionSet;
extern const PxTensionSet px_tension_sets[PX_TENSION_MODELS];
extern const char *const px_tension_solvers[PX_TENSION_SOLVERS];

typedef struct PxTensionRow {
    PxTensionCase c;
    PxTensionResult r;
} PxTensionRow;

typedef struct PxTensionFolder {
    char path[PX_PATH_MAX];
    PX_LIST(PxTensionRow) rows; /* by test, solver, model, coefficient */
} PxTensionFolder;

/// Creates the folder if it does not exist, and reads its runs.
/// Errors: PX_ERR_IO; PX_ERR_FORMAT if summary.csv is not of this benchmark; PX_ERR_MEMORY.
PxStatus px_tension_folder_open(PxTensionFolder *folder, const char *path);
void px_tension_folder_free(PxTensionFolder *folder);

/// "1-iisph-akinci-0.2"
void px_tension_name(const PxTensionCase *c, char *out, size_t size);

/// Does the folder contain this case, with this scale and duration?
bool px_tension_folder_has(const PxTensionFolder *folder, const PxTensionCase *c);

/// Stores the particles as frame `number` of the case, for surfaces and pictures.
PxStatus px_tension_folder_frame(const PxTensionFolder *folder, const PxTensionCase *c,
                                 uint32_t number, PxWorld *world, const PxThreads *threads);

/// Adds a run; replaces one with the same name.
PxStatus px_tension_folder_add(PxTensionFolder *folder, const PxTensionRow *row, const char *steps,
                               const char *slice);

/// Writes aggregate.csv, the plots and the page. Without gnuplot *plotted is false: there are
/// scripts, but no pictures. `machine` is a line for the page.
PxStatus px_tension_folder_finish(const PxTensionFolder *folder, const char *machine,
                                  bool *plotted);

#endif
