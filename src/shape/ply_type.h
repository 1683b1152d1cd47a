/// The types of values in PLY files.
#ifndef PX_SHAPE_PLY_TYPE_H
#define PX_SHAPE_PLY_TYPE_H

#include <stddef.h>
#include <stdint.h>

typedef enum PxPlyType {
    PX_PLY_I8,
    PX_PLY_U8,
    PX_PLY_I16,
    PX_PLY_U16,
    PX_PLY_I32,
    PX_PLY_U32,
    PX_PLY_F32, ///< first floating-point type
    PX_PLY_F64,
    PX_PLY_TYPES
} PxPlyType;

typedef struct PxPlyTypeInfo {
    const char *name, *other_name;
    size_t size;
    double least, most; ///< range of an integer type
    double full;        ///< value of a colour channel at full intensity
} PxPlyTypeInfo;

extern const PxPlyTypeInfo px_ply_types[PX_PLY_TYPES];

/// The value at an unaligned address, in native byte order, as a double: exact for all types.
double px_ply_value(const void *at, PxPlyType type);

#endif
