/// Error messages of a failing call, and assertions.
#ifndef PX_BASE_FAIL_H
#define PX_BASE_FAIL_H

#include "phyxel/status.h"

#include <stdarg.h>
#include <stddef.h>

#if defined(__GNUC__)
#define PX_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define PX_PRINTF(text, first)
#endif

/// Stores the message for px_error_message() and returns `status`, so that a
/// failing function ends in `return px_fail(...)`. Never prints, never exits.
PxStatus px_fail(PxStatus status, const char *format, ...) PX_PRINTF(2, 3);

/// Prefixes the stored message ("bunny.ply: " + message) and returns `status`.
/// For callers that know more of the context.
PxStatus px_fail_prefix(PxStatus status, const char *format, ...) PX_PRINTF(2, 3);

/// For internal errors only, never for errors that a caller or a file can cause.
/// Compiled out of release builds.
#ifdef NDEBUG
#define PX_ASSERT(condition) ((void)0)
#else
#define PX_ASSERT(condition) ((condition) ? (void)0 : __builtin_trap())
#endif

#define PX_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/// Refuses a NULL argument of a public function.
#define PX_WANT(pointer)                                                                           \
    do {                                                                                           \
        if ((pointer) == NULL)                                                                     \
            return px_fail(PX_ERR_ARGUMENT, "%s(): %s is NULL", __func__, #pointer);               \
    } while (0)

/// Refuses a text that is NULL or empty.
#define PX_WANT_TEXT(text)                                                                         \
    do {                                                                                           \
        PX_WANT(text);                                                                             \
        if ((text)[0] == '\0')                                                                     \
            return px_fail(PX_ERR_ARGUMENT, "%s(): %s is empty", __func__, #text);                 \
    } while (0)

/// Returns a failure to the caller unchanged.
#define PX_TRY(call)                                                                               \
    do {                                                                                           \
        PxStatus px_try_status = (call);                                                           \
        if (px_try_status != PX_OK)                                                                \
            return px_try_status;                                                                  \
    } while (0)

#endif
