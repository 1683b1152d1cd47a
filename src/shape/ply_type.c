#include "shape/ply_type.h"

#include <string.h>

const PxPlyTypeInfo px_ply_types[PX_PLY_TYPES] = {
    [PX_PLY_I8] = {"char", "int8", 1, INT8_MIN, INT8_MAX, INT8_MAX},
    [PX_PLY_U8] = {"uchar", "uint8", 1, 0, UINT8_MAX, UINT8_MAX},
    [PX_PLY_I16] = {"short", "int16", 2, INT16_MIN, INT16_MAX, INT16_MAX},
    [PX_PLY_U16] = {"ushort", "uint16", 2, 0, UINT16_MAX, UINT16_MAX},
    [PX_PLY_I32] = {"int", "int32", 4, INT32_MIN, INT32_MAX, INT32_MAX},
    [PX_PLY_U32] = {"uint", "uint32", 4, 0, UINT32_MAX, UINT32_MAX},
    [PX_PLY_F32] = {"float", "float32", 4, 0, 0, 1},
    [PX_PLY_F64] = {"double", "float64", 8, 0, 0, 1},
};

double px_ply_value(const void *at, PxPlyType type)
{
    union {
        int8_t i8;
        uint8_t u8;
        int16_t i16;
        uint16_t u16;
        int32_t i32;
        uint32_t u32;
        float f32;
        double f64;
    } v;
    memcpy(&v, at, px_ply_types[type].size);
    switch (type) {
    case PX_PLY_I8:
        return v.i8;
    case PX_PLY_U8:
        return v.u8;
    case PX_PLY_I16:
        return v.i16;
    case PX_PLY_U16:
        return v.u16;
    case PX_PLY_I32:
        return v.i32;
    case PX_PLY_U32:
        return v.u32;
    case PX_PLY_F32:
        return (double)v.f32;
    default:
        return v.f64;
    }
}
