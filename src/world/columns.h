/// Derived columns, computed on demand: strain, stress, von Mises and principal stress.
#ifndef PX_WORLD_COLUMNS_H
#define PX_WORLD_COLUMNS_H

#include "phyxel/world.h"

/// Derived column number k, or NULL after the last.
const PxColumnInfo *px_derived_column(size_t k);

/// Computes the derived columns selected by px_world_keep_column(). Call before writing a frame.
/// Errors: PX_ERR_MEMORY.
PxStatus px_world_refresh_columns(PxWorld *world);

#endif
