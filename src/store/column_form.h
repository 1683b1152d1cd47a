/// What the components of a column mean, by its name and their number: their names in formats
/// without vectors, and how a rotation of the world's axes changes them.
#ifndef PX_STORE_COLUMN_FORM_H
#define PX_STORE_COLUMN_FORM_H

#include "base/table.h"

typedef enum PxColumnForm {
    PX_FORM_NUMBERS, ///< no axes: scalars, colours, principal values
    PX_FORM_VECTOR,  ///< x, y, z
    PX_FORM_TENSOR,  ///< symmetric: xx, yy, zz, xy, yz, zx
} PxColumnForm;

PxColumnForm px_column_form(const PxColumn *column);

/// Are the axes of a vector or tensor those of the world? Strains have the axes of the rest shape.
bool px_column_in_world_axes(const PxColumn *column);

/// Bytes of a component's name.
#define PX_COMPONENT_NAME (PX_TABLE_NAME + 4u)

/// "density", "velocity_x", "stress_xx", "principal_stress_1".
void px_component_name(const PxColumn *column, uint32_t component, char out[PX_COMPONENT_NAME]);

/// The column of which one component has this name; NULL: none.
const PxColumn *px_component_find(const PxTable *table, const char *name, uint32_t *component);

#endif
