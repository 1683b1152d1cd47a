/// Columns: the named values that every particle has.
#ifndef PHYXEL_COLUMN_H
#define PHYXEL_COLUMN_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Type of one value.
typedef enum PxType { PX_U8, PX_U32, PX_I32, PX_F32, PX_U64, PX_F64, PX_TYPE_COUNT } PxType;

/// One column of a world's particles.
typedef struct PxColumnInfo {
    const char *name;    ///< "velocity"
    const char *unit;    ///< SI: "m/s"; "" for a pure number
    const char *meaning; ///< one line
    PxType type;
    uint32_t components; ///< 1 .. 9; of a symmetric tensor 6: xx, yy, zz, xy, yz, zx
    bool derived;        ///< computed on demand; only px_world_read_column() returns it
    bool stored;         ///< frames hold it
} PxColumnInfo;

#ifdef __cplusplus
}
#endif
#endif
