/// Head of every def, which keeps compiled programs working when fields are added later.
#ifndef PHYXEL_DEF_H
#define PHYXEL_DEF_H

#include <stddef.h>
#include <stdint.h>

/// The first member of every def, set by its defaults function. `size` is the size of
/// the def in the header that the program was compiled with. A library with a larger def uses
/// defaults for the missing fields; a library with a smaller def refuses unknown fields unless they
/// are 0.
typedef struct PxDefHead {
    uint32_t size; ///< bytes
    uint32_t tag;  ///< marks a def that was initialised by its defaults function
} PxDefHead;

/// Defines NAME_default(), which returns a def with its defaults by calling NAME_init() of the
/// library. It is inline so that sizeof is that of the header the program was compiled with.
#define PX_DEF_DEFAULT(type, name)                                                                 \
    static inline type name##_default(void)                                                        \
    {                                                                                              \
        type def;                                                                                  \
        name##_init(&def, sizeof def);                                                             \
        return def;                                                                                \
    }

#endif
