/// Runs gnuplot on a script, if it is installed.
#ifndef PX_STUDY_GNUPLOT_H
#define PX_STUDY_GNUPLOT_H

#include <stdbool.h>

/// Runs `gnuplot script` in `folder`; false: it is not installed, or it failed.
bool px_gnuplot(const char *folder, const char *script);

#endif
