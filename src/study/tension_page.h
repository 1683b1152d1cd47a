/// Plots and page of the surface tension benchmark.
#ifndef PX_STUDY_TENSION_PAGE_H
#define PX_STUDY_TENSION_PAGE_H

#include "study/tension_folder.h"

/// Writes aggregate.csv and plots/*.gp and draws them with gnuplot; *drawn is false if gnuplot is
/// missing or fails.
PxStatus px_tension_plots(const PxTensionFolder *folder, bool *drawn);

/// Writes index.md, with pictures only if they were drawn.
PxStatus px_tension_page(const PxTensionFolder *folder, const char *machine, bool drawn);

#endif
