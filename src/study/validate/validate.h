/// Validation: cases whose result is known from a formula or a law, in groups.
///
/// A group is one file in this folder and one name in PX_VALIDATE_GROUPS. It lists its cases and
/// describes them; docs/validation.md is written from the groups by `phyxel bench validate
/// --write`.
#ifndef PX_STUDY_VALIDATE_H
#define PX_STUDY_VALIDATE_H

#include "base/fail.h"

#include <stdbool.h>
#include <stddef.h>

/// Every group, in the order of the report.
#define PX_VALIDATE_GROUPS(X)                                                                      \
    X(px_validate_column)                                                                          \
    X(px_validate_sloshing)                                                                        \
    X(px_validate_inviscid)                                                                        \
    X(px_validate_jet)                                                                             \
    X(px_validate_viscous)                                                                         \
    X(px_validate_drops)                                                                           \
    X(px_validate_wetting)                                                                         \
    X(px_validate_rayleigh_taylor)                                                                 \
    X(px_validate_surface)                                                                         \
    X(px_validate_bars)                                                                            \
    X(px_validate_free_solids)                                                                     \
    X(px_validate_fracture)                                                                        \
    X(px_validate_touching)                                                                        \
    X(px_validate_rigid)                                                                           \
    X(px_validate_cloth)                                                                           \
    X(px_validate_cloth_motion)                                                                    \
    X(px_validate_cloth_bending)                                                                   \
    X(px_validate_cloth_seams)                                                                     \
    X(px_validate_cloth_bodies)                                                                    \
    X(px_validate_cloth_fluid)                                                                     \
    X(px_validate_heat)                                                                            \
    X(px_validate_frozen)

enum { PX_MOST_FIGURES = 8 };

/// A result of a case. `error` and `within` are relative to the reference, or to the quantity
/// that `what` names. `within` is NAN if no bound is wanted.
typedef struct PxFigure {
    const char *what;
    double measured, reference, error, within;
} PxFigure;

typedef struct PxFigures {
    PxFigure figure[PX_MOST_FIGURES];
    size_t count;
} PxFigures;

/// Adds a figure whose error is given; its absolute value counts.
void px_figures_add(PxFigures *out, const char *what, double measured, double reference,
                    double error, double within);

/// Adds a figure with the relative error from a reference that is not 0.
void px_figures_compare(PxFigures *out, const char *what, double measured, double reference,
                        double within);

typedef struct PxValidateCase {
    const char *name;
    /// Measures at `coarser` times the spacing: 1, or 2 to see whether a finer spacing is better.
    PxStatus (*measure)(const struct PxValidateCase *c, double coarser, int threads,
                        PxFigures *out);
    const char *solver; ///< pressure model; for solids the integration; "-" if there is none
    /// Viscosity or tension model, Poisson's ratio, or another variant of the case; may be NULL.
    const char *model;
    double cells; ///< number of spacings along the characteristic length of the case
    bool quick;   ///< part of the quick bench, which takes three minutes in all
    bool twice;   ///< also measured at twice the spacing
} PxValidateCase;

typedef struct PxValidateGroup {
    const char *title;
    const char *about;       ///< set-up of the cases, Markdown
    const char *falls_short; ///< why figures are not within their limits, Markdown; NULL if all are
    const PxValidateCase *cases;
    size_t count;
} PxValidateGroup;

#define PX_DECLARE_GROUP(group) extern const PxValidateGroup group;
PX_VALIDATE_GROUPS(PX_DECLARE_GROUP)
#undef PX_DECLARE_GROUP

/// Group number `k`, or NULL after the last.
const PxValidateGroup *px_validate_group(size_t k);

/// The parts of a row of the report that name it.
typedef struct PxRowName {
    const char *name, *solver, *model, *figure; ///< `model` is "" if the case has none
    double cells;
} PxRowName;

/// A measured row.
typedef struct PxRow {
    PxRowName name;
    const PxValidateGroup *group;
    PxFigure figure;
    double coarse;   ///< error at twice the spacing, or NAN
    double last;     ///< value in the last release, or NAN
    const char *day; ///< on which it was measured, as 2026-11-18; "" or NULL: not known
} PxRow;

/// Value of a row in the last release (bench/results/validate.csv), or NAN.
double px_last_release(const PxRowName *name);

/// Whether the error of a row is within its limit; false for NAN.
bool px_row_good(const PxRow *row);

/// Writes rows as a table of the form of bench/results/validate.csv, or as the page
/// docs/validation.md. Replaces the file only when all of it is written.
/// Errors: PX_ERR_IO.
PxStatus px_rows_write_csv(const char *path, const PxRow *rows, size_t count);
PxStatus px_rows_write_page(const char *path, const PxRow *rows, size_t count);

/// Rows that were measured before.
typedef struct PxRowTable {
    char *text; ///< of the file, cut into fields
    PxRow *row; ///< `group` and `last` are not set
    size_t count;
} PxRowTable;

/// Reads a file of px_rows_write_csv(). Free with px_row_table_free(). Errors: PX_ERR_IO,
/// PX_ERR_FORMAT, PX_ERR_MEMORY.
PxStatus px_rows_read_csv(const char *path, PxRowTable *out);
void px_row_table_free(PxRowTable *table);

#endif
