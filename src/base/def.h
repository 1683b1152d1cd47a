/// Binary compatibility of defs: reads those of programs built with an older or newer header.
#ifndef PX_BASE_DEF_H
#define PX_BASE_DEF_H

#include "base/fail.h"
#include "phyxel/def.h"

/// Fills a program's def of `size` bytes with the defaults; fields that this library does not know
/// become 0. `own` is the size of `defaults`, which begins with a PxDefHead.
void px_def_init(void *def, size_t size, const void *defaults, size_t own);

/// Copies a program's def to *out, of `own` bytes; missing fields take their defaults.
/// Errors: PX_ERR_ARGUMENT for a def that was not initialised by a defaults function, and for one
/// of a newer header that uses fields unknown to this library. `what` begins the message: "sink";
/// `maker` is the name of the defaults function.
PxStatus px_def_read(const void *def, const void *defaults, size_t own, void *out, const char *what,
                     const char *maker);

/// Copies a result of `own` bytes to element k of a program's array, whose elements have `size`
/// bytes: what it does not know is left out, and what this library does not know becomes 0.
void px_result_put(void *array, size_t size, size_t k, const void *result, size_t own);

/// For a type with a static function NAME_defaults(): defines px_NAME_init() and the static
/// function read_NAME().
#define PX_DEF(type, name, what)                                                                   \
    void px_##name##_init(type *def, size_t size)                                                  \
    {                                                                                              \
        type own = name##_defaults();                                                              \
        px_def_init(def, size, &own, sizeof own);                                                  \
    }                                                                                              \
    static PxStatus read_##name(const type *def, type *out)                                        \
    {                                                                                              \
        type own = name##_defaults();                                                              \
        return px_def_read(def, &own, sizeof own, out, what, "px_" #name "_default()");            \
    }

#endif
