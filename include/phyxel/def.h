/// What every def begins with, so that fields added later break no program that is already built.
#ifndef PHYXEL_DEF_H
#define PHYXEL_DEF_H

#include <stddef.h>
#include <stdint.h>

/// The first member of every def, set by its defaults function. `size` is that of the def as the
/// program was built with it. A library whose def is larger takes the defaults of the fields that
/// the program did not know; one whose def is smaller refuses fields it does not know unless they
/// are 0.
typedef struct PxDefHead {
    uint32_t size; ///< bytes
    uint32_t tag;  ///< tells a def that a defaults function made
} PxDefHead;

/// Defines NAME_default(), which returns a def with its defaults; the library has NAME_init().
/// The size is that of the program's header, so the function is compiled into the program.
#define PX_DEF_DEFAULT(type, name)                                                                 \
    static inline type name##_default(void)                                                        \
    {                                                                                              \
        type def;                                                                                  \
        name##_init(&def, sizeof def);                                                             \
        return def;                                                                                \
    }

#endif
