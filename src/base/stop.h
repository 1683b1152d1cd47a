/// Stopping long work from outside: a function of the caller that loops ask between iterations.
///
/// PxThreads carries it to every loop. A function that returns a status ends with px_stop_check();
/// one that does not leaves its loop when px_stopped(), and its caller checks. Results after that
/// are incomplete and must be thrown away: a step is undone (world/undo.h).
#ifndef PX_BASE_STOP_H
#define PX_BASE_STOP_H

#include "base/fail.h"
#include "base/parallel.h"

#include <stdatomic.h>
#include <stdbool.h>

typedef struct PxStop {
    PxStopFunction *asked; ///< NULL: never
    void *user;
    _Atomic bool stopped; ///< it said yes: from then on everyone hears the same
} PxStop;

/// Begins work that may be stopped.
void px_stop_begin(PxStop *stop, PxStopFunction *asked, void *user);

/// Forgets the answer: other work begins.
void px_stop_again(PxStop *stop);

/// Is the work to be given up? Any thread may ask.
bool px_stopped(const PxThreads *threads);

/// PX_ERR_STOPPED if it is.
PxStatus px_stop_check(const PxThreads *threads);

#endif
