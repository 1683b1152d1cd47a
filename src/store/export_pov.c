/// POV-Ray export: include files with a mesh2 of a surface or a union of spheres of particles, and
/// frames.pov, a scene that renders them.
///
/// An include file declares the object Phyxel, and the numbers Phyxel_Time and Phyxel_Frame.
/// A Phyxel_Texture declared before the include replaces the colours.
/// Coordinates are right-handed, as in the run; POV-Ray's camera is left-handed, hence the
/// minus sign in frames.pov.
#include "store/export.h"

#include <math.h>
#include <stdlib.h>

/* Compares sort keys with the colour in the upper bits and the row in the lower ones. */
static int by_colour(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static uint32_t colour_of(const PxExportFrame *frame, uint32_t row)
{
    uint32_t colour = 0;
    for (int k = 0; k < 3; ++k)
        colour = colour << 8 | ((const uint8_t *)frame->colour->data[k])[row];
    return colour;
}

static void add_colour(PxText *text, uint32_t colour)
{
    px_text_add(text, "Phyxel_Colour(%u, %u, %u)\n", colour >> 16, colour >> 8 & 255, colour & 255);
}

static void add_vector(PxText *text, const PxColumn *column, uint32_t row)
{
    for (uint32_t k = 0; k < 3; ++k) {
        px_text_add(text, k == 0 ? "<" : ",");
        px_export_value(text, column, k, row);
    }
    px_text_add(text, ">");
}

static PxStatus put_vectors(PxFile *file, PxText *text, const char *word, const PxColumn *column,
                            uint32_t rows)
{
    px_text_add(text, "%s { %u", word, rows);
    for (uint32_t i = 0; i < rows; ++i) {
        px_text_add(text, i % 4 == 0 ? ",\n" : ",");
        add_vector(text, column, i);
        PX_TRY(px_export_flush(file, text, false));
    }
    px_text_add(text, "\n}\n");
    return PX_OK;
}

/* Index of the texture of a colour; `palette` is ascending. */
static size_t texture_of(const uint32_t *palette, size_t count, uint32_t colour)
{
    size_t low = 0;
    while (count > 1) {
        size_t half = count / 2;
        if (palette[low + half] <= colour)
            low += half;
        count -= half;
    }
    return low;
}

static PxStatus put_mesh(PxFile *file, PxText *text, const PxExportFrame *frame,
                         const uint32_t *palette, size_t colours)
{
    px_text_add(text, "#declare Phyxel = mesh2 {\n");
    PX_TRY(put_vectors(file, text, "vertex_vectors", frame->position, frame->points.count));
    if (frame->normal != NULL)
        PX_TRY(put_vectors(file, text, "normal_vectors", frame->normal, frame->points.count));
    if (colours > 1) {
        px_text_add(text, "texture_list { %zu,\n", colours);
        for (size_t c = 0; c < colours; ++c)
            add_colour(text, palette[c]);
        px_text_add(text, "}\n");
    }
    px_text_add(text, "face_indices { %u", frame->triangles);
    for (uint32_t t = 0; t < frame->triangles; ++t) {
        const uint32_t *corner = frame->triangle[t];
        px_text_add(text, "%s<%u,%u,%u>", t % 4 == 0 ? ",\n" : ",", corner[0], corner[1],
                    corner[2]);
        for (int k = 0; k < 3 && colours > 1; ++k)
            px_text_add(text, ",%zu", texture_of(palette, colours, colour_of(frame, corner[k])));
        PX_TRY(px_export_flush(file, text, false));
    }
    px_text_add(text, "\n}\n%s", "inside_vector <0.3, 0.9, 0.2>\n");
    if (colours == 1)
        add_colour(text, palette[0]);
    px_text_add(text, "}\n");
    return PX_OK;
}

/* Groups the spheres by colour, because a texture per sphere would dominate POV-Ray's memory. */
static PxStatus put_spheres(PxFile *file, PxText *text, const PxExportFrame *frame,
                            const uint64_t *sorted)
{
    const PxColumn *radius = px_table_find(&frame->points, "radius");
    if (radius != NULL && (radius->components != 1 || radius->type != PX_F32))
        radius = NULL;
    uint32_t count = frame->points.count;
    bool several = sorted[0] >> 32 != sorted[count - 1] >> 32;
    px_text_add(text, "#declare Phyxel = %s", several ? "union {\n" : "");
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t row = (uint32_t)sorted[i], colour = (uint32_t)(sorted[i] >> 32);
        if (i == 0 || colour != (uint32_t)(sorted[i - 1] >> 32))
            px_text_add(text, "union {\n");
        px_text_add(text, "sphere { ");
        add_vector(text, frame->position, row);
        px_text_add(text, ", ");
        if (radius != NULL)
            px_export_value(text, radius, 0, row);
        else
            px_text_add_f64(text, 0.5 * frame->meta.spacing);
        px_text_add(text, " }\n");
        if (i + 1 == count || colour != (uint32_t)(sorted[i + 1] >> 32)) {
            add_colour(text, colour);
            px_text_add(text, "}\n");
        }
        PX_TRY(px_export_flush(file, text, false));
    }
    px_text_add(text, "%s", several ? "}\n" : "");
    return PX_OK;
}

static void add_head(PxText *text, const PxExportFrame *frame)
{
    px_text_add(text, "// ");
    px_export_title(text, frame);
    px_text_add(text, "\n#declare Phyxel_Frame = %u;\n#declare Phyxel_Time = ", frame->meta.number);
    px_text_add_f64(text, frame->meta.time);
    px_text_add(text,
                ";\n#ifndef (Phyxel_Finish)\n"
                "#declare Phyxel_Finish = finish { diffuse 0.8 specular 0.3 roughness 0.02 }\n"
                "#end\n"
                "#macro Phyxel_Colour(R, G, B)\n"
                "#ifdef (Phyxel_Texture) texture { Phyxel_Texture } #else\n"
                "texture { pigment { srgb <R, G, B> / 255 } finish { Phyxel_Finish } } #end\n"
                "#end\n");
}

PxStatus px_export_pov(PxFile *file, const PxExportFrame *frame)
{
    uint32_t count = frame->points.count;
    uint64_t *sorted = malloc(((size_t)count + 1) * sizeof *sorted);
    uint32_t *palette = malloc(((size_t)count + 1) * sizeof *palette);
    PxText text = {0};
    PxStatus status = sorted != NULL && palette != NULL
                          ? PX_OK
                          : px_fail(PX_ERR_MEMORY, "no room to write '%s'", file->path);
    size_t colours = 0;
    for (uint32_t i = 0; i < count && status == PX_OK; ++i)
        sorted[i] = (uint64_t)colour_of(frame, i) << 32 | i;
    if (status == PX_OK)
        qsort(sorted, count, sizeof *sorted, by_colour);
    for (uint32_t i = 0; i < count && status == PX_OK; ++i)
        if (i == 0 || sorted[i] >> 32 != sorted[i - 1] >> 32)
            palette[colours++] = (uint32_t)(sorted[i] >> 32);
    if (status == PX_OK)
        add_head(&text, frame);
    if (status == PX_OK && (count == 0 || (frame->surface && frame->triangles == 0)))
        /* POV-Ray refuses an empty mesh2 or union: write a sphere that no ray hits. */
        px_text_add(&text, "#declare Phyxel = sphere { <0, 0, 0>, 1e-6 no_image no_shadow "
                           "no_reflection }\n");
    else if (status == PX_OK && frame->surface)
        status = put_mesh(file, &text, frame, palette, colours);
    else if (status == PX_OK)
        status = put_spheres(file, &text, frame, sorted);
    if (status == PX_OK)
        status = px_export_flush(file, &text, true);
    px_text_free(&text);
    free(palette);
    free(sorted);
    return status;
}

/* ---- frames.pov ---- */

static void widen(PxBounds *all, const PxBounds *one)
{
    all->low.x = fmin(all->low.x, one->low.x);
    all->low.y = fmin(all->low.y, one->low.y);
    all->low.z = fmin(all->low.z, one->low.z);
    all->high.x = fmax(all->high.x, one->high.x);
    all->high.y = fmax(all->high.y, one->high.y);
    all->high.z = fmax(all->high.z, one->high.z);
}

static void add_number(PxText *text, const char *name, double value)
{
    px_text_add(text, "#declare %s = ", name);
    px_text_add_f64(text, value);
    px_text_add(text, ";\n");
}

PxStatus px_export_pov_index(const char *out, const PxExportDone *frames, size_t count)
{
    char path[PX_PATH_MAX];
    PX_TRY(px_path_join(path, out, "frames.pov"));
    PxBounds all = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (size_t k = 0; k < count; ++k)
        widen(&all, &frames[k].bounds);
    if (!(all.low.x <= all.high.x))
        all = (PxBounds){{-1, -1, -1}, {1, 1, 1}};
    uint32_t first = frames[0].meta.number, last = frames[count - 1].meta.number;
    bool z_up = frames[0].meta.up == 'z';
    PxText text = {0};
    px_text_add(&text,
                "// phyxel: all frames, povray frames.pov +KFI%u +KFF%u\n"
                "// one of them: povray frames.pov Declare=Number=%u\n"
                "#version 3.7;\nglobal_settings { assumed_gamma 1 }\n"
                "#ifndef (Number) #declare Number = %u; #end\n"
                "#if (clock_on) #declare Number = frame_number; #end\n"
                "#include concat(str(Number, -6, 0), \".inc\")\n",
                first, last, last, first);
    px_text_add(&text, "#declare Up = %s;\n#declare Toward = %s;\n", z_up ? "z" : "y",
                z_up ? "<0.55, -1, 0.4>" : "<0.55, 0.4, 1>");
    add_number(&text, "Low_X", all.low.x);
    add_number(&text, "Low_Y", all.low.y);
    add_number(&text, "Low_Z", all.low.z);
    add_number(&text, "High_X", all.high.x);
    add_number(&text, "High_Y", all.high.y);
    add_number(&text, "High_Z", all.high.z);
    px_text_add(
        &text,
        "#declare Low = <Low_X, Low_Y, Low_Z>;\n#declare High = <High_X, High_Y, High_Z>;\n"
        "#declare Middle = (Low + High) / 2;\n#declare Size = max(vlength(High - Low), 1e-3);\n"
        "camera {\n    location Middle + 1.4 * Size * vnormalize(Toward)\n    sky Up\n"
        "    right -x * image_width / image_height // what is right-handed stays so\n"
        "    angle 45\n    look_at Middle\n}\n"
        "light_source { Middle + 10 * Size * (Toward + 1.5 * Up) rgb 1 }\n"
        "sky_sphere { pigment { rgb <0.75, 0.85, 1> } }\n"
        "plane { Up, vdot(Low, Up) - 0.01 * Size pigment { rgb 0.6 } finish { diffuse 0.7 } }\n"
        "object { Phyxel }\n");
    PxStatus status = px_text_check(&text, path);
    if (status == PX_OK)
        status = px_file_write_atomic(path, text.data, text.count);
    px_text_free(&text);
    return status;
}
