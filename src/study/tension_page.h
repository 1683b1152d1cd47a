/// Plots and page of the surface tension benchmark.
#ifndef PX_STUDY_TENSION_PAGE_H
#define PX_STUDY_TENSION_PAGE_H

#include "study/tension_folder.h"

/// Writes aggregate.csv and plots/*.gp and lets gnuplot draw them; *drawn is false when
/// there is no gnuplot or it fails.
PxStatus px_tension_plots(const PxTensionFolder *folder, bool *drawn);

/// Writes index.md; with pictures only when they were drawn.
PxStatus px_tension_page(const PxTensionFolder *folder, const char *machine, bool drawn);

#endif
