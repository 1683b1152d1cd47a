#include "store/column_form.h"

#include <stdio.h>
#include <string.h>

static bool is_principal(const PxColumn *column)
{
    return strcmp(column->name, "principal_stress") == 0;
}

PxColumnForm px_column_form(const PxColumn *column)
{
    bool real = column->type == PX_F32 || column->type == PX_F64;
    if (!real || is_principal(column) || strcmp(column->name, "colour") == 0)
        return PX_FORM_NUMBERS;
    return column->components == 3   ? PX_FORM_VECTOR
           : column->components == 6 ? PX_FORM_TENSOR
                                     : PX_FORM_NUMBERS;
}

bool px_column_in_world_axes(const PxColumn *column)
{
    PxColumnForm form = px_column_form(column);
    return form == PX_FORM_VECTOR ||
           (form == PX_FORM_TENSOR && strcmp(column->name, "stress") == 0);
}

void px_component_name(const PxColumn *column, uint32_t component, char out[PX_COMPONENT_NAME])
{
    static const char *const axes[] = {"xx", "yy", "zz", "xy", "yz", "zx"};
    if (column->components == 1)
        snprintf(out, PX_COMPONENT_NAME, "%s", column->name);
    else if (px_column_form(column) == PX_FORM_TENSOR)
        snprintf(out, PX_COMPONENT_NAME, "%s_%s", column->name, axes[component]);
    else if (column->components <= 3 && !is_principal(column))
        snprintf(out, PX_COMPONENT_NAME, "%s_%c", column->name, "xyz"[component]);
    else /* principal values count from 1, as in sigma_1 */
        snprintf(out, PX_COMPONENT_NAME, "%s_%u", column->name, component + is_principal(column));
}

const PxColumn *px_component_find(const PxTable *table, const char *name, uint32_t *component)
{
    for (uint32_t c = 0; c < table->columns; ++c)
        for (uint32_t k = 0; k < table->column[c].components; ++k) {
            char own[PX_COMPONENT_NAME];
            px_component_name(&table->column[c], k, own);
            if (strcmp(own, name) == 0) {
                *component = k;
                return &table->column[c];
            }
        }
    return NULL;
}
