/// The family of exporters: one file a format, one line in the list in export.c.
///
/// An exporter gets one frame at a time, with a `position` of three floats or doubles
/// that was checked before, and any other columns. It writes through store/file.h, in
/// blocks, so that it needs little memory of its own.
#ifndef PX_STORE_EXPORT_H
#define PX_STORE_EXPORT_H

#include "store/file.h"
#include "store/frame.h"
#include "store/text.h"

#include "phyxel/store.h"

/// Rows that are turned into bytes at a time.
#define PX_EXPORT_BLOCK 16384u

/// How many rows the block that starts at `first` has.
static inline uint32_t px_export_rows(size_t first, uint32_t rows)
{
    return rows - first < PX_EXPORT_BLOCK ? (uint32_t)(rows - first) : PX_EXPORT_BLOCK;
}

typedef struct PxExporter {
    PxExportFormat format;
    /// Appends the frame to a file that was begun.
    PxStatus (*write)(PxFile *file, const PxFrameMeta *meta, const PxTable *particles);
    /// Writes an index of the frames that were exported; NULL when there is none.
    PxStatus (*index)(const char *out, const PxFrameMeta *frames, size_t count);
} PxExporter;

PxStatus px_export_vtp(PxFile *file, const PxFrameMeta *meta, const PxTable *particles);
PxStatus px_export_vtp_index(const char *out, const PxFrameMeta *frames, size_t count);
PxStatus px_export_ply(PxFile *file, const PxFrameMeta *meta, const PxTable *particles);
PxStatus px_export_obj(PxFile *file, const PxFrameMeta *meta, const PxTable *particles);
PxStatus px_export_csv(PxFile *file, const PxFrameMeta *meta, const PxTable *particles);

/// The name of one component as formats without vectors want it: "density",
/// "velocity_x", "stress_4".
void px_export_component(const PxColumn *column, uint32_t component, char out[PX_TABLE_NAME + 4]);

/// One value as text.
void px_export_value(PxText *text, const PxColumn *column, uint32_t component, uint32_t row);

/// Appends the text to the file when it is long, or at any length when `all`.
PxStatus px_export_flush(PxFile *file, PxText *text, bool all);

#endif
