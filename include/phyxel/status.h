/// Status codes and error messages of all calls.
#ifndef PHYXEL_STATUS_H
#define PHYXEL_STATUS_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Marks symbols that the shared library exports; all others are hidden.
#if defined(__GNUC__)
#define PX_API __attribute__((visibility("default")))
#else
#define PX_API
#endif

typedef enum PxStatus {
    PX_OK = 0,
    PX_ERR_ARGUMENT,    ///< an argument of the call is invalid
    PX_ERR_MEMORY,      ///< out of memory, or a request beyond a limit
    PX_ERR_IO,          ///< a file could not be read or written
    PX_ERR_FORMAT,      ///< a file was read, but its content is invalid
    PX_ERR_NUMERIC,     ///< a value became infinite or NaN in a step
    PX_ERR_EXISTS,      ///< the target exists and must not be overwritten
    PX_ERR_STOPPED,     ///< stopped by the caller; results so far are kept
    PX_ERR_UNSUPPORTED, ///< valid, but not supported by this build
} PxStatus;

/// Asked again and again while a call works, also within a step: true stops the call, which then
/// returns PX_ERR_STOPPED. It is called by several threads, also at the same time, and must be
/// quick: reading a flag that a signal sets is what it is for.
typedef bool PxStopFunction(void *user);

/// Reason of the last failure in this thread, in one line; "" if there was none.
/// Valid until this thread's next failing call.
PX_API const char *px_error_message(void);

/// Name of a status: "ok", "argument", "memory", ...
PX_API const char *px_status_name(PxStatus status);

#ifdef __cplusplus
}
#endif
#endif
