#include "study/validate/validate.h"

#include "study/validate_last.h" /* the lines of bench/results/validate.csv, written by CMake */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void px_figures_add(PxFigures *out, const char *what, double measured, double reference,
                    double error, double within)
{
    PX_ASSERT(out->count < PX_MOST_FIGURES);
    out->figure[out->count++] = (PxFigure){what, measured, reference, fabs(error), within};
}

void px_figures_compare(PxFigures *out, const char *what, double measured, double reference,
                        double within)
{
    px_figures_add(out, what, measured, reference, fabs(measured / reference - 1), within);
}

const PxValidateGroup *px_validate_group(size_t k)
{
#define GROUP_POINTER(group) &group,
    static const PxValidateGroup *const groups[] = {PX_VALIDATE_GROUPS(GROUP_POINTER)};
#undef GROUP_POINTER
    return k < PX_COUNT(groups) ? groups[k] : NULL;
}

bool px_row_good(const PxRow *row)
{
    return row->figure.error <= row->figure.within;
}

/* ---- the table of the last release: version,case,solver,model,cells,figure,value,... -------- */

/* Takes the next field off a line; fields are not quoted. */
static bool next_field(const char **line, char *out, size_t size)
{
    size_t length = strcspn(*line, ",");
    if (length >= size)
        return false;
    memcpy(out, *line, length);
    out[length] = '\0';
    *line += length + ((*line)[length] == ',');
    return true;
}

/* Names contain commas ("cantilever, 12 across"), fields of the table do not. */
static bool same_name(const char *field, const char *name)
{
    for (; *name != '\0'; ++name, ++field)
        if (*field != (*name == ',' ? ';' : *name))
            return false;
    return *field == '\0';
}

double px_last_release(const PxRowName *name)
{
    for (size_t k = 1; k < PX_COUNT(px_validate_last); ++k) { /* after the header */
        const char *line = px_validate_last[k];
        char field[7][128];
        bool whole = true;
        for (size_t f = 0; f < PX_COUNT(field) && whole; ++f)
            whole = next_field(&line, field[f], sizeof field[f]);
        if (whole && same_name(field[1], name->name) && same_name(field[2], name->solver) &&
            same_name(field[3], name->model) && strtod(field[4], NULL) == name->cells &&
            same_name(field[5], name->figure))
            return field[6][0] != '\0' ? strtod(field[6], NULL) : NAN;
    }
    return NAN;
}
