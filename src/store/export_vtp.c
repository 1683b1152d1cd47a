/// VTK XML PolyData export for ParaView: triangles or one vertex cell per point, all columns as
/// point data and the values of triangles as cell data, in appended raw format. frames.pvd lists
/// the files with their times. [VTK file formats, kitware; "VTK XML formats", appended raw data,
/// UInt64 headers]
#include "store/export.h"

#include "store/pack.h"

#include <stdlib.h>
#include <string.h>

static const char *type_word(PxType type)
{
    static const char *const words[PX_TYPE_COUNT] = {
        [PX_U8] = "UInt8",    [PX_U32] = "UInt32", [PX_I32] = "Int32",
        [PX_F32] = "Float32", [PX_U64] = "UInt64", [PX_F64] = "Float64"};
    return words[type];
}

static uint64_t column_bytes(const PxColumn *column, uint32_t rows)
{
    return (uint64_t)rows * column->components * px_type_size(column->type);
}

/* Adds an array to the header; *offset is the place of its bytes, and is advanced past them. */
static void add_array(PxText *text, const char *type, const char *name, const char *unit,
                      uint32_t components, uint64_t bytes, uint64_t *offset)
{
    px_text_add(text,
                "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%u\" "
                "format=\"appended\" offset=\"%llu\">",
                type, name, components, (unsigned long long)*offset);
    if (unit[0] != '\0') {
        px_text_add(text, "<InformationKey name=\"UNITS_LABEL\" location=\"vtkDataArray\">");
        px_text_add_xml(text, unit);
        px_text_add(text, "</InformationKey>");
    }
    px_text_add(text, "</DataArray>\n");
    *offset += sizeof(uint64_t) + bytes;
}

static void add_header(PxText *text, const PxExportFrame *frame)
{
    uint32_t rows = frame->points.count;
    uint32_t verts = frame->surface ? 0 : rows;
    const char *cells = frame->surface ? "Polys" : "Verts";
    uint64_t corners = frame->surface ? 3 * (uint64_t)frame->triangles : rows;
    uint64_t count = frame->surface ? frame->triangles : rows, offset = 0;
    px_text_add(text, "<?xml version=\"1.0\"?>\n"
                      "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" "
                      "header_type=\"UInt64\">\n<PolyData>\n<FieldData>\n"
                      "<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" "
                      "format=\"ascii\">");
    px_text_add_f64(text, frame->meta.time);
    px_text_add(text,
                "</DataArray>\n</FieldData>\n<Piece NumberOfPoints=\"%u\" NumberOfVerts=\"%u\" "
                "NumberOfLines=\"0\" NumberOfStrips=\"0\" NumberOfPolys=\"%u\">\n<PointData%s>\n",
                rows, verts, frame->triangles, frame->normal != NULL ? " Normals=\"normal\"" : "");
    for (uint32_t c = 0; c < frame->columns; ++c) {
        const PxColumn *column = frame->column[c];
        if (column != frame->position)
            add_array(text, type_word(column->type), column->name, column->unit, column->components,
                      column_bytes(column, rows), &offset);
    }
    px_text_add(text, "</PointData>\n<CellData>\n");
    for (uint32_t c = 0; c < frame->cells.columns; ++c) {
        const PxColumn *column = &frame->cells.column[c];
        add_array(text, type_word(column->type), column->name, column->unit, column->components,
                  column_bytes(column, frame->cells.count), &offset);
    }
    px_text_add(text, "</CellData>\n<Points>\n");
    add_array(text, type_word(frame->position->type), frame->position->name, frame->position->unit,
              3, column_bytes(frame->position, rows), &offset);
    px_text_add(text, "</Points>\n<%s>\n", cells);
    add_array(text, "Int64", "connectivity", "", 1, corners * 8, &offset);
    add_array(text, "Int64", "offsets", "", 1, count * 8, &offset);
    px_text_add(text, "</%s>\n</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_", cells);
}

static PxStatus put_column(PxFile *file, const PxColumn *column, uint32_t rows, void *block)
{
    uint64_t bytes = column_bytes(column, rows);
    PX_TRY(px_file_put(file, &bytes, sizeof bytes));
    for (size_t first = 0; first < rows; first += PX_EXPORT_BLOCK) {
        uint32_t count = px_export_rows(first, rows);
        px_interleave(column, (uint32_t)first, count, block);
        PX_TRY(px_file_put(file, block, column_bytes(column, count)));
    }
    return PX_OK;
}

/* Writes start, start + stride, ...: the connectivity and offsets of the cells. */
static PxStatus put_sequence(PxFile *file, int64_t start, int64_t stride, uint32_t rows,
                             int64_t *block)
{
    uint64_t bytes = (uint64_t)rows * sizeof *block;
    PX_TRY(px_file_put(file, &bytes, sizeof bytes));
    for (size_t first = 0; first < rows; first += PX_EXPORT_BLOCK) {
        uint32_t count = px_export_rows(first, rows);
        for (uint32_t i = 0; i < count; ++i)
            block[i] = start + stride * ((int64_t)first + i);
        PX_TRY(px_file_put(file, block, count * sizeof *block));
    }
    return PX_OK;
}

static PxStatus put_corners(PxFile *file, const PxExportFrame *frame, int64_t *block)
{
    uint64_t bytes = 3 * (uint64_t)frame->triangles * sizeof *block;
    PX_TRY(px_file_put(file, &bytes, sizeof bytes));
    for (size_t first = 0; first < frame->triangles; first += PX_EXPORT_BLOCK) {
        uint32_t count = px_export_rows(first, frame->triangles);
        for (uint32_t i = 0; i < count; ++i)
            for (uint32_t k = 0; k < 3; ++k)
                block[3 * (size_t)i + k] = frame->triangle[first + i][k];
        PX_TRY(px_file_put(file, block, 3 * (size_t)count * sizeof *block));
    }
    return PX_OK;
}

PxStatus px_export_vtp(PxFile *file, const PxExportFrame *frame)
{
    static const char tail[] = "\n</AppendedData>\n</VTKFile>\n";
    uint32_t rows = frame->points.count;
    PxText header = {0};
    add_header(&header, frame);
    void *block = malloc(PX_EXPORT_BLOCK * PX_TABLE_MAX_COMPONENTS * sizeof(double));
    PxStatus status = block == NULL ? px_fail(PX_ERR_MEMORY, "no room to write '%s'", file->path)
                                    : px_export_flush(file, &header, true);
    for (uint32_t c = 0; c < frame->columns && status == PX_OK; ++c)
        if (frame->column[c] != frame->position)
            status = put_column(file, frame->column[c], rows, block);
    for (uint32_t c = 0; c < frame->cells.columns && status == PX_OK; ++c)
        status = put_column(file, &frame->cells.column[c], frame->cells.count, block);
    if (status == PX_OK)
        status = put_column(file, frame->position, rows, block);
    if (status == PX_OK)
        status = frame->surface ? put_corners(file, frame, block)
                                : put_sequence(file, 0, 1, rows, block);
    if (status == PX_OK)
        status = frame->surface ? put_sequence(file, 3, 3, frame->triangles, block)
                                : put_sequence(file, 1, 1, rows, block);
    if (status == PX_OK)
        status = px_file_put(file, tail, sizeof tail - 1);
    free(block);
    px_text_free(&header);
    return status;
}

PxStatus px_export_vtp_index(const char *out, const PxExportDone *frames, size_t count)
{
    char path[PX_PATH_MAX];
    PX_TRY(px_path_join(path, out, "frames.pvd"));
    PxText text = {0};
    px_text_add(&text, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" "
                       "byte_order=\"LittleEndian\">\n<Collection>\n");
    for (size_t k = 0; k < count; ++k) {
        px_text_add(&text, "<DataSet timestep=\"");
        px_text_add_f64(&text, frames[k].meta.time);
        px_text_add(&text, "\" part=\"0\" file=\"%06u.vtp\"/>\n", frames[k].meta.number);
    }
    px_text_add(&text, "</Collection>\n</VTKFile>\n");
    PxStatus status = px_text_check(&text, path);
    if (status == PX_OK)
        status = px_file_write_atomic(path, text.data, text.count);
    px_text_free(&text);
    return status;
}
