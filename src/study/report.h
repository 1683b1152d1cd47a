/// The report of a bench: facts and tables, as text and as JSON.
#ifndef PX_STUDY_REPORT_H
#define PX_STUDY_REPORT_H

#include "base/fail.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct PxReport PxReport;

/// Creates a report; NULL when out of memory. All other calls accept NULL and then do nothing, so
/// that only the status of px_report_finish() has to be checked.
PxReport *px_report_create(const char *name);
void px_report_free(PxReport *report);

/// Adds a fact about the whole bench: "machine", "AMD EPYC".
void px_report_fact(PxReport *report, const char *key, const char *text);
void px_report_number(PxReport *report, const char *key, double value, const char *unit);

/// Column of a table: `key` in JSON, `title` in text, and the printf format: "%s" for text, "%.1f"
/// and the like for numbers.
typedef struct PxReportColumn {
    const char *key, *title, *format;
} PxReportColumn;

/// Starts a table; rows are added to the last one started.
void px_report_table(PxReport *report, const char *key, const char *title,
                     const PxReportColumn *columns, size_t count);

/// Adds a row: for each column a `const char *` or a `double`, as its format requires. A number
/// that is not finite is left empty.
void px_report_row(PxReport *report, ...);

/// Adds a note under the last table.
void px_report_note(PxReport *report, const char *format, ...) PX_PRINTF(2, 3);

/// Returns both forms, to be freed with free(). PX_ERR_MEMORY if anything failed.
PxStatus px_report_finish(PxReport *report, char **text, char **json);

#endif
