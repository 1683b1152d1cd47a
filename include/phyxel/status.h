/// What a call answers, and where to read why it failed.
#ifndef PHYXEL_STATUS_H
#define PHYXEL_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

/// Marks what the shared library offers; everything else stays inside.
#if defined(__GNUC__)
#define PX_API __attribute__((visibility("default")))
#else
#define PX_API
#endif

typedef enum PxStatus {
    PX_OK = 0,
    PX_ERR_ARGUMENT,    ///< a value handed to the call is wrong
    PX_ERR_MEMORY,      ///< no room, or more room asked for than is allowed
    PX_ERR_IO,          ///< a file could not be read or written
    PX_ERR_FORMAT,      ///< a file was read, and what it says is wrong
    PX_ERR_NUMERIC,     ///< a number stopped being finite during a step
    PX_ERR_EXISTS,      ///< something is there already and may not be overwritten
    PX_ERR_STOPPED,     ///< the caller asked to stop, and everything is kept
    PX_ERR_UNSUPPORTED, ///< understood, but this build cannot do it
} PxStatus;

/// Why the last failing call of this thread failed, in one line; "" if none did.
/// Valid until this thread's next failing call.
PX_API const char *px_error_message(void);

/// A word for a status: "ok", "argument", "memory", ...
PX_API const char *px_status_name(PxStatus status);

#ifdef __cplusplus
}
#endif
#endif
