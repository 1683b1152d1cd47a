/// The family of exporters: one file a format, one line in the list in export.c.
///
/// An exporter gets one frame at a time, of particles, surfels or a surface, made ready by
/// px_export_ready(): positions are three finite floats or doubles, the columns are those
/// that were asked for, and the axes are turned. It writes through store/file.h, in blocks,
/// so that it needs little memory of its own.
#ifndef PX_STORE_EXPORT_H
#define PX_STORE_EXPORT_H

#include "store/file.h"
#include "store/frame.h"
#include "store/text_buffer.h"

#include "phyxel/store.h"
#include "phyxel/vector.h"

/// Rows that are turned into bytes at a time.
#define PX_EXPORT_BLOCK 16384u

/// How many rows the block that starts at `first` has.
static inline uint32_t px_export_rows(size_t first, uint32_t rows)
{
    return rows - first < PX_EXPORT_BLOCK ? (uint32_t)(rows - first) : PX_EXPORT_BLOCK;
}

/// A frame on its way out. Start with px_export_frame_init().
typedef struct PxExportFrame {
    PxFrameMeta meta;
    PxTable points;          ///< particles, surfels, or the vertices of a surface
    uint32_t (*triangle)[3]; ///< from px_list_reserve(); NULL for none
    uint32_t triangles;
    bool surface; ///< its points are corners of triangles, even when there are none

    /* What px_export_ready() found; columns that are not there are NULL. */
    const PxColumn *position, *normal, *velocity;     ///< three floats or doubles each
    const PxColumn *colour;                           ///< three bytes, red green blue
    const PxColumn *column[PX_TABLE_MAX_COLUMNS + 1]; ///< all that is to be written, in order
    uint32_t columns;
    PxBounds bounds; ///< of the positions
    PxColumn own_colour;
} PxExportFrame;

void px_export_frame_init(PxExportFrame *frame);
void px_export_frame_free(PxExportFrame *frame);

/// Checks the positions, turns the axes, chooses the columns. With `colour` every point has
/// one in the end: the column `colour`, or one of a palette by its material.
/// Errors: PX_ERR_FORMAT, PX_ERR_NUMERIC naming the point, PX_ERR_ARGUMENT for a column that
/// is not there, PX_ERR_MEMORY.
PxStatus px_export_ready(PxExportFrame *frame, const PxExportDef *def, bool colour);

/// What an index is told of a frame that was exported.
typedef struct PxExportDone {
    PxFrameMeta meta;
    PxBounds bounds;
    bool surface;
} PxExportDone;

typedef struct PxExporter {
    PxExportFormat format;
    bool colour; ///< wants a colour for every point
    /// Appends the frame to a file that was begun: one file a frame.
    PxStatus (*write)(PxFile *file, const PxExportFrame *frame);
    /// Writes an index of the frames that were exported; NULL when there is none.
    PxStatus (*index)(const char *out, const PxExportDone *frames, size_t count);
    /// Instead of `write`, for formats that hold all frames in one file. What begin() made
    /// is given back by end(), which keeps the frames added before a failure where they
    /// are of use.
    PxStatus (*begin)(const char *out, void **state);
    PxStatus (*add)(void *state, const PxExportFrame *frame);
    PxStatus (*end)(void *state, PxStatus status);
} PxExporter;

PxStatus px_export_vtp(PxFile *file, const PxExportFrame *frame);
PxStatus px_export_vtp_index(const char *out, const PxExportDone *frames, size_t count);
PxStatus px_export_ply(PxFile *file, const PxExportFrame *frame);
PxStatus px_export_obj(PxFile *file, const PxExportFrame *frame);
PxStatus px_export_stl(PxFile *file, const PxExportFrame *frame);
PxStatus px_export_pov(PxFile *file, const PxExportFrame *frame);
PxStatus px_export_pov_index(const char *out, const PxExportDone *frames, size_t count);
PxStatus px_export_csv(PxFile *file, const PxExportFrame *frame);
PxStatus px_export_pc2_begin(const char *out, void **state);
PxStatus px_export_pc2_add(void *state, const PxExportFrame *frame);
PxStatus px_export_pc2_end(void *state, PxStatus status);

/// The name of one component as formats without vectors want it: "density",
/// "velocity_x", "stress_4".
void px_export_component(const PxColumn *column, uint32_t component, char out[PX_TABLE_NAME + 4]);

/// One value as text.
void px_export_value(PxText *text, const PxColumn *column, uint32_t component, uint32_t row);

/// One component of a column of floats or doubles.
static inline double px_export_real(const PxColumn *column, uint32_t component, uint32_t row)
{
    const void *data = column->data[component];
    return column->type == PX_F32 ? (double)((const float *)data)[row]
                                  : ((const double *)data)[row];
}

/// Appends the text to the file when it is long, or at any length when `all`.
PxStatus px_export_flush(PxFile *file, PxText *text, bool all);

/// Words for the first lines of a file: "phyxel surface of frame 3, y up, SI units".
void px_export_title(PxText *text, const PxExportFrame *frame);

#endif
