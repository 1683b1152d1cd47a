/// The thread's error text: the only mutable global of the library.
#include "base/fail.h"

#include <stdio.h>
#include <string.h>

#define MESSAGE_SIZE 1024

static _Thread_local char message[MESSAGE_SIZE];

const char *px_error_message(void)
{
    return message;
}

const char *px_status_name(PxStatus status)
{
    static const char *const names[] = {
        [PX_OK] = "ok",
        [PX_ERR_ARGUMENT] = "argument",
        [PX_ERR_MEMORY] = "memory",
        [PX_ERR_IO] = "io",
        [PX_ERR_FORMAT] = "format",
        [PX_ERR_NUMERIC] = "numeric",
        [PX_ERR_EXISTS] = "exists",
        [PX_ERR_STOPPED] = "stopped",
        [PX_ERR_UNSUPPORTED] = "unsupported",
    };
    if ((unsigned)status >= PX_COUNT(names))
        return "unknown";
    return names[status];
}

/* Keeps a message, with control characters as '?': a path may hold some, and a terminal would obey
 * them. Those of Unicode (U+0080 to U+009F) are the bytes c2 80 to c2 9f. */
static void keep(char fresh[MESSAGE_SIZE])
{
    for (unsigned char *c = (unsigned char *)fresh; *c != '\0'; ++c) {
        if ((*c < 0x20 && *c != '\n' && *c != '\t') || *c == 0x7f)
            *c = '?';
        if (c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0)
            c[0] = c[1] = '?';
    }
    memcpy(message, fresh, MESSAGE_SIZE);
}

PxStatus px_fail(PxStatus status, const char *format, ...)
{
    /* A second buffer, since an argument may be the old message itself. */
    char fresh[MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(fresh, sizeof fresh, format, arguments);
    va_end(arguments);
    keep(fresh);
    return status;
}

PxStatus px_fail_prefix(PxStatus status, const char *format, ...)
{
    char fresh[MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    int used = vsnprintf(fresh, sizeof fresh, format, arguments);
    va_end(arguments);
    if (used >= 0 && (size_t)used < sizeof fresh)
        snprintf(fresh + used, sizeof fresh - (size_t)used, "%s", message);
    keep(fresh);
    return status;
}
