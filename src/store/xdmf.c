#include "store/xdmf.h"

#include "store/text_buffer.h"

#include <string.h>

/* ---- list of frames ---- */

static void layout_of(const PxTable *particles, PxXdmfLayout *layout)
{
    memset(layout, 0, sizeof *layout); /* memcmp() also compares the unused part */
    for (uint32_t c = 0; c < particles->columns; ++c) {
        const PxColumn *column = &particles->column[c];
        if (!(column->flags & PX_COLUMN_FRAME))
            continue;
        struct PxXdmfColumn *to = &layout->column[layout->columns++];
        strcpy(to->name, column->name);
        to->type = column->type;
        to->components = column->components;
    }
}

static PxStatus add_frame(PxXdmf *xdmf, const PxFrameMeta *meta, const PxTable *particles,
                          uint32_t rows, PxFrameCloth cloth)
{
    PxXdmfLayout layout;
    layout_of(particles, &layout);
    while (xdmf->frames.count > 0 &&
           xdmf->frames.data[xdmf->frames.count - 1].number >= meta->number)
        --xdmf->frames.count;
    if (xdmf->written > xdmf->frames.count)
        xdmf->written = 0; /* the file lists dropped frames */

    size_t same = 0;
    while (same < xdmf->layouts.count &&
           memcmp(&xdmf->layouts.data[same], &layout, sizeof layout) != 0)
        ++same;
    if (!PX_LIST_RESERVE(&xdmf->frames, 1) || !PX_LIST_RESERVE(&xdmf->layouts, 1))
        return px_fail(PX_ERR_MEMORY, "no room to take note of frame %u", meta->number);
    if (same == xdmf->layouts.count)
        xdmf->layouts.data[xdmf->layouts.count++] = layout;
    xdmf->frames.data[xdmf->frames.count++] = (PxXdmfFrame){.number = meta->number,
                                                            .rows = rows,
                                                            .layout = (uint32_t)same,
                                                            .cloth = cloth,
                                                            .time = meta->time};
    return PX_OK;
}

PxStatus px_xdmf_add(PxXdmf *xdmf, const PxFrameMeta *meta, const PxTable *particles)
{
    PxFrameCloth cloth = {0};
    if (meta->cloth != NULL && meta->cloth_faces != NULL)
        cloth = (PxFrameCloth){.vertices = meta->cloth->count,
                               .faces = meta->cloth_faces->count,
                               .wetness = px_frame_has_wetness(meta->cloth)};
    return add_frame(xdmf, meta, particles, particles->count, cloth);
}

PxStatus px_xdmf_rebuild(PxXdmf *xdmf, const char *dir, uint32_t last, uint32_t *damaged)
{
    px_xdmf_free(xdmf);
    if (damaged != NULL)
        *damaged = 0;
    PxNumbers numbers;
    PX_TRY(px_frame_list(dir, &numbers));
    PxStatus status = PX_OK;
    for (size_t k = 0; k < numbers.count && numbers.data[k] <= last && status == PX_OK; ++k) {
        PxFrameMeta meta;
        PxTable columns;
        PxFrameCloth cloth;
        uint32_t rows;
        px_table_init(&columns, NULL);
        status = px_frame_read_columns(dir, numbers.data[k], &meta, &columns, &rows);
        if (status == PX_OK)
            status = px_frame_count_cloth(dir, numbers.data[k], &cloth);
        if (status == PX_OK) {
            status = add_frame(xdmf, &meta, &columns, rows, cloth);
        } else if (status == PX_ERR_FORMAT) {
            status = PX_OK;
            if (damaged != NULL)
                ++*damaged;
        }
        px_table_free(&columns);
    }
    PX_LIST_FREE(&numbers);
    return status;
}

void px_xdmf_free(PxXdmf *xdmf)
{
    PX_LIST_FREE(&xdmf->frames);
    PX_LIST_FREE(&xdmf->layouts);
    xdmf->written = 0;
}

/* ---- the file ---- */

/* Adds the reference to a column in a frame file. 64-bit ids are declared as Int,
 * because ParaView 5.11 truncates 8-byte UInt to 4 bytes. */
static void add_item(PxText *text, const PxXdmfFrame *frame, uint32_t rows, const char *table,
                     const char *name, PxType type, uint32_t components)
{
    static const char *const words[PX_TYPE_COUNT] = {
        [PX_U8] = "UChar",  [PX_U32] = "UInt", [PX_I32] = "Int",
        [PX_F32] = "Float", [PX_U64] = "Int",  [PX_F64] = "Float"};
    px_text_add(text, "<DataItem Format=\"HDF\" NumberType=\"%s\" Precision=\"%zu\" ", words[type],
                px_type_size(type));
    if (components > 1)
        px_text_add(text, "Dimensions=\"%u %u\"", rows, components);
    else
        px_text_add(text, "Dimensions=\"%u\"", rows);
    px_text_add(text, ">frames/%06u.h5:/%s/%s</DataItem>", frame->number, table, name);
}

static void add_grid(PxText *text, const PxXdmfFrame *frame, const PxXdmfLayout *layout)
{
    px_text_add(text, "   <Grid Name=\"particles\" GridType=\"Uniform\">\n    <Time Value=\"");
    px_text_add_f64(text, frame->time);
    /* One vertex cell per point, because ParaView draws nothing without cells. Without
     * rows there must be no reference to read. */
    px_text_add(text,
                "\"/>\n    <Topology TopologyType=\"Polyvertex\" NumberOfElements=\"%u\" "
                "NodesPerElement=\"1\">",
                frame->rows);
    if (frame->rows == 0) {
        px_text_add(text, "</Topology>\n    <Geometry GeometryType=\"XYZ\"/>\n   </Grid>\n");
        return;
    }
    add_item(text, frame, frame->rows, "topology", "index", PX_U32, 1);
    px_text_add(text, "</Topology>\n");
    for (uint32_t c = 0; c < layout->columns; ++c) {
        const struct PxXdmfColumn *column = &layout->column[c];
        if (strcmp(column->name, "position") == 0 && column->components == 3) {
            px_text_add(text, "    <Geometry GeometryType=\"XYZ\">");
            add_item(text, frame, frame->rows, "particles", column->name, column->type, 3);
            px_text_add(text, "</Geometry>\n");
            continue;
        }
        const char *kind = column->components == 1   ? "Scalar"
                           : column->components == 3 ? "Vector"
                           : column->components == 9 ? "Tensor"
                                                     : "Matrix";
        px_text_add(text, "    <Attribute Name=\"%s\" AttributeType=\"%s\" Center=\"Node\">",
                    column->name, kind);
        add_item(text, frame, frame->rows, "particles", column->name, column->type,
                 column->components);
        px_text_add(text, "</Attribute>\n");
    }
    px_text_add(text, "   </Grid>\n");
}

static void add_attribute(PxText *text, const PxXdmfFrame *frame, bool cell, const char *name,
                          PxType type, uint32_t components)
{
    px_text_add(text, "    <Attribute Name=\"%s\" AttributeType=\"%s\" Center=\"%s\">", name,
                components == 1 ? "Scalar" : "Vector", cell ? "Cell" : "Node");
    add_item(text, frame, cell ? frame->cloth.faces : frame->cloth.vertices,
             cell ? "cloth_faces" : "cloth", name, type, components);
    px_text_add(text, "</Attribute>\n");
}

/* The tables of cloth have these columns (store/frame.h). */
static void add_cloth(PxText *text, const PxXdmfFrame *frame)
{
    px_text_add(text, "   <Grid Name=\"cloth\" GridType=\"Uniform\">\n    <Time Value=\"");
    px_text_add_f64(text, frame->time);
    px_text_add(text, "\"/>\n    <Topology TopologyType=\"Triangle\" NumberOfElements=\"%u\">",
                frame->cloth.faces);
    if (frame->cloth.faces == 0) {
        px_text_add(text, "</Topology>\n    <Geometry GeometryType=\"XYZ\"/>\n   </Grid>\n");
        return;
    }
    add_item(text, frame, frame->cloth.faces, "cloth_faces", "corner", PX_U32, 3);
    px_text_add(text, "</Topology>\n    <Geometry GeometryType=\"XYZ\">");
    add_item(text, frame, frame->cloth.vertices, "cloth", "position", PX_F64, 3);
    px_text_add(text, "</Geometry>\n");
    add_attribute(text, frame, false, "velocity", PX_F64, 3);
    if (frame->cloth.wetness) {
        add_attribute(text, frame, false, "water", PX_F64, 1);
        add_attribute(text, frame, false, "saturation", PX_F32, 1);
    }
    add_attribute(text, frame, true, "body", PX_U32, 1);
    add_attribute(text, frame, true, "strain", PX_F32, 3);
    add_attribute(text, frame, true, "energy", PX_F32, 1);
    add_attribute(text, frame, true, "bend", PX_F32, 1);
    px_text_add(text, "   </Grid>\n");
}

static PxStatus write_index(const PxXdmf *xdmf, const char *dir, const char *name, bool cloth)
{
    char path[PX_PATH_MAX];
    PX_TRY(px_path_join(path, dir, "%s", name));
    PxText text = {0};
    px_text_add(&text, "<?xml version=\"1.0\"?>\n"
                       "<Xdmf Version=\"3.0\">\n"
                       " <Domain>\n"
                       "  <Grid Name=\"frames\" GridType=\"Collection\" "
                       "CollectionType=\"Temporal\">\n");
    for (size_t k = 0; k < xdmf->frames.count; ++k) {
        const PxXdmfFrame *frame = &xdmf->frames.data[k];
        if (cloth)
            add_cloth(&text, frame);
        else
            add_grid(&text, frame, &xdmf->layouts.data[frame->layout]);
    }
    px_text_add(&text, "  </Grid>\n </Domain>\n</Xdmf>\n");
    PxStatus status = px_text_check(&text, path);
    if (status == PX_OK)
        status = px_file_write_checked(path, text.data, text.count, xdmf->check);
    px_text_free(&text);
    return status;
}

PxStatus px_xdmf_write(PxXdmf *xdmf, const char *dir)
{
    bool cloth = false;
    for (size_t k = 0; k < xdmf->frames.count; ++k)
        cloth = cloth || xdmf->frames.data[k].cloth.faces > 0;
    PX_TRY(write_index(xdmf, dir, "frames.xdmf", false));
    if (cloth)
        PX_TRY(write_index(xdmf, dir, "cloth.xdmf", true));
    xdmf->written = xdmf->frames.count;
    return PX_OK;
}

PxStatus px_xdmf_update(PxXdmf *xdmf, const char *dir)
{
    size_t fresh = xdmf->frames.count - xdmf->written;
    if (fresh == 0 || fresh * 50 < xdmf->frames.count)
        return PX_OK;
    return px_xdmf_write(xdmf, dir);
}
