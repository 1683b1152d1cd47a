/// Interface of the exporters: one source file per format, registered in the list in export.c.
///
/// An exporter gets one frame at a time, of particles, surfels or a surface, prepared by
/// px_export_ready(): positions are three finite floats or doubles, only the requested columns
/// are listed, and the axes are converted. It writes through store/file.h in blocks, so that
/// it needs little memory.
#ifndef PX_STORE_EXPORT_H
#define PX_STORE_EXPORT_H

#include "store/file.h"
#include "store/frame.h"
#include "store/text_buffer.h"

#include "phyxel/store.h"
#include "phyxel/vector.h"

/// Rows that are converted to bytes at a time.
#define PX_EXPORT_BLOCK 16384u

/// Number of rows of the block that starts at row `first`.
static inline uint32_t px_export_rows(size_t first, uint32_t rows)
{
    return rows - first < PX_EXPORT_BLOCK ? (uint32_t)(rows - first) : PX_EXPORT_BLOCK;
}

/// A frame to be exported. Initialise with px_export_frame_init().
typedef struct PxExportFrame {
    PxFrameMeta meta;
    PxTable points;          ///< particles, surfels, or the vertices of a surface
    uint32_t (*triangle)[3]; ///< from px_list_reserve(); NULL for none
    uint32_t triangles;
    PxTable cells;  ///< values of the triangles: those of cloth; no columns without cloth
    PxTable rigid;  ///< rigid bodies; read for formats that hold them
    PxTable joints; ///< the same of their joints
    bool surface;   ///< the points are vertices of a mesh, even if it has no triangles

    /* Set by px_export_ready(); missing columns are NULL. */
    const PxColumn *position, *normal, *velocity;     ///< three floats or doubles each
    const PxColumn *colour;                           ///< three bytes, red green blue
    const PxColumn *column[PX_TABLE_MAX_COLUMNS + 1]; ///< the columns to write, in order
    uint32_t columns;
    PxBounds bounds; ///< of the positions
    PxColumn own_colour;
} PxExportFrame;

void px_export_frame_init(PxExportFrame *frame);
void px_export_frame_free(PxExportFrame *frame);

/// Checks the positions, converts the axes and selects the columns. With `colour` every point
/// gets a colour: that of the column `colour`, or the palette colour of its material.
/// Errors: PX_ERR_FORMAT, PX_ERR_NUMERIC naming the point, PX_ERR_ARGUMENT for a missing
/// column, PX_ERR_MEMORY.
PxStatus px_export_ready(PxExportFrame *frame, const PxExportDef *def, bool colour);

/// An exported frame, as the writer of the index needs it.
typedef struct PxExportDone {
    PxFrameMeta meta;
    PxBounds bounds;
    bool surface;
} PxExportDone;

typedef struct PxExporter {
    PxExportFormat format;
    bool colour; ///< needs a colour for every point
    bool rigid;  ///< holds rigid bodies, no points
    /// Appends the frame to an open file, for formats with one file per frame.
    PxStatus (*write)(PxFile *file, const PxExportFrame *frame);
    /// Writes an index of the exported frames; NULL for formats without an index.
    PxStatus (*index)(const char *out, const PxExportDone *frames, size_t count);
    /// Replace `write` in formats that hold all frames in one file. end() frees the state of
    /// begin(); after a failure it keeps the frames added so far if they form a usable file.
    PxStatus (*begin)(const PxExportDef *def, const char *out, void **state);
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
PxStatus px_export_pc2_begin(const PxExportDef *def, const char *out, void **state);
PxStatus px_export_pc2_add(void *state, const PxExportFrame *frame);
PxStatus px_export_pc2_end(void *state, PxStatus status);

PxStatus px_export_poses_begin(const PxExportDef *def, const char *out, void **state);
PxStatus px_export_poses_add(void *state, const PxExportFrame *frame);
PxStatus px_export_poses_end(void *state, PxStatus status);

/// Appends one value as text.
void px_export_value(PxText *text, const PxColumn *column, uint32_t component, uint32_t row);

/// Value of one component of a column of floats or doubles.
static inline double px_export_real(const PxColumn *column, uint32_t component, uint32_t row)
{
    const void *data = column->data[component];
    return column->type == PX_F32 ? (double)((const float *)data)[row]
                                  : ((const double *)data)[row];
}

/// Writes the text to the file and clears it if it is long, or at any length if `all`.
PxStatus px_export_flush(PxFile *file, PxText *text, bool all);

/// Appends the title of an exported file: "phyxel surface of frame 3, y up, SI units".
void px_export_title(PxText *text, const PxExportFrame *frame);

#endif
