/// Sample particles and a result folder for tests of the store.
#ifndef PX_TEST_SAMPLE_H
#define PX_TEST_SAMPLE_H

#include "base/random.h"
#include "store/frame.h"
#include "store/text_buffer.h"
#include "store/xdmf.h"

#include <stdlib.h>

#define SAMPLE_FIRST_ID ((uint64_t)1 << 40) /* more than 32 bits */

static inline void sample_or_abort(PxStatus status)
{
    if (status != PX_OK)
        abort();
}

/// `rows` particles with a column of every type and of 1, 2, 3, 6 and 9 components;
/// `salt` makes other numbers. position_low is state alone, work is neither.
static inline void sample_particles(PxTable *table, uint32_t rows, uint64_t salt)
{
    enum { BOTH = PX_COLUMN_STATE | PX_COLUMN_FRAME };
    static const struct {
        const char *name, *unit;
        PxType type;
        uint32_t components, flags;
    } columns[] = {
        {"id", "", PX_U64, 1, BOTH},
        {"position", "m", PX_F32, 3, BOTH},
        {"position_low", "m", PX_F32, 3, PX_COLUMN_STATE},
        {"velocity", "m/s", PX_F32, 3, BOTH},
        {"work", "", PX_F32, 1, PX_COLUMN_WORK},
        {"density", "kg/m^3", PX_F32, 1, PX_COLUMN_FRAME},
        {"energy", "J", PX_F64, 1, BOTH},
        {"material", "", PX_U32, 1, BOTH},
        {"charge", "e", PX_I32, 1, BOTH},
        {"kind", "", PX_U8, 1, BOTH},
        {"pair", "", PX_F32, 2, BOTH},
        {"stress", "Pa", PX_F32, 6, BOTH},
        {"gradient", "", PX_F32, 9, BOTH},
    };
    px_table_init(table, NULL);
    for (size_t c = 0; c < sizeof columns / sizeof *columns; ++c)
        sample_or_abort(px_table_add(table, columns[c].name, columns[c].unit, columns[c].type,
                                     columns[c].components, columns[c].flags, NULL));
    sample_or_abort(px_table_append(table, rows, NULL));
    for (uint32_t c = 0; c < table->columns; ++c)
        for (uint32_t k = 0; k < table->column[c].components; ++k)
            for (uint32_t i = 0; i < rows; ++i) {
                void *data = table->column[c].data[k];
                double unit = px_random_unit(i + salt * rows, c, k);
                switch (table->column[c].type) {
                case PX_U8:
                    ((uint8_t *)data)[i] = (uint8_t)(256 * unit);
                    break;
                case PX_U32:
                    ((uint32_t *)data)[i] = i % 3;
                    break;
                case PX_I32:
                    ((int32_t *)data)[i] = -(int32_t)i;
                    break;
                case PX_F32:
                    ((float *)data)[i] = (float)(unit + k);
                    break;
                case PX_U64:
                    ((uint64_t *)data)[i] = SAMPLE_FIRST_ID + i;
                    break;
                default:
                    ((double *)data)[i] = unit;
                }
            }
}

static inline PxFrameMeta sample_meta(uint32_t number)
{
    return (PxFrameMeta){.number = number,
                         .step = 10 * number,
                         .time = number / 30.0,
                         .spacing = 0.01,
                         .up = 'y',
                         .name = "wax <bunny> & \"co\""};
}

/// Frame k of a sample run has no particles at first, then 1000 (k - 1).
static inline uint32_t sample_rows(uint32_t number)
{
    return 1000 * (number - 1);
}

/// Frames 1 .. count and frames.xdmf in `dir`.
static inline PxStatus sample_run(const char *dir, uint32_t count, const PxThreads *threads)
{
    PxXdmf xdmf = {0};
    char frames[PX_PATH_MAX];
    PxStatus status = px_path_join(frames, dir, "frames");
    if (status == PX_OK)
        status = px_folder_make(frames);
    for (uint32_t number = 1; number <= count && status == PX_OK; ++number) {
        PxTable particles;
        PxFrameMeta meta = sample_meta(number);
        sample_particles(&particles, sample_rows(number), number);
        status = px_frame_write(dir, &meta, &particles, threads);
        if (status == PX_OK)
            status = px_xdmf_add(&xdmf, &meta, &particles);
        if (status == PX_OK)
            status = px_xdmf_update(&xdmf, dir);
        px_table_free(&particles);
    }
    if (status == PX_OK)
        status = px_xdmf_write(&xdmf, dir);
    px_xdmf_free(&xdmf);
    return status;
}

/// Surface `number` in dir/surface: a flat sheet of side x side vertices at height number / 10, its
/// vertex (i, j) at x = i / side, z = j / side, with the colour (i, j, number), the velocity
/// (number, i, j) and the temperature 20 + number. Counter-clockwise seen from above.
static inline PxStatus sample_surface(const char *dir, uint32_t number, uint32_t side)
{
    char path[PX_PATH_MAX];
    PxFile file = {.descriptor = -1};
    PX_TRY(px_path_join(path, dir, "surface"));
    PX_TRY(px_folder_make(path));
    PX_TRY(px_path_join(path, dir, "surface/%06u.ply", number));
    PX_TRY(px_file_begin(&file, path));
    uint32_t cells = side > 0 ? side - 1 : 0;
    PxText text = {0};
    px_text_add(&text,
                "ply\nformat binary_little_endian 1.0\n"
                "comment surface of frame %u, y up, SI units\ncomment time ",
                number);
    px_text_add_f64(&text, number / 30.0);
    px_text_add(&text,
                "\nelement vertex %u\nproperty float x\nproperty float y\nproperty float z\n"
                "property float nx\nproperty float ny\nproperty float nz\n"
                "property uchar red\nproperty uchar green\nproperty uchar blue\n"
                "property float vx\nproperty float vy\nproperty float vz\n"
                "property float temperature\n"
                "element face %u\nproperty list uchar int vertex_indices\nend_header\n",
                side * side, 2 * cells * cells);
    PxStatus status = px_file_put(&file, text.data, text.count);
    for (uint32_t v = 0; v < side * side && status == PX_OK; ++v) {
        uint32_t i = v % side, j = v / side;
        float number_f = (float)number, n = (float)side;
        float place[6] = {(float)i / n, 0.1f * number_f, (float)j / n, 0, 1, 0};
        uint8_t colour[3] = {(uint8_t)i, (uint8_t)j, (uint8_t)number};
        float rest[4] = {number_f, (float)i, (float)j, 20 + number_f};
        status = px_file_put(&file, place, sizeof place);
        if (status == PX_OK)
            status = px_file_put(&file, colour, sizeof colour);
        if (status == PX_OK)
            status = px_file_put(&file, rest, sizeof rest);
    }
    for (uint32_t c = 0; c < 2 * cells * cells && status == PX_OK; ++c) {
        uint32_t a = c / 2 % cells + c / 2 / cells * side, b = a + side; /* along x, along z */
        uint32_t corner[3] = {a + 1, a, b};
        if (c % 2 == 1) {
            corner[1] = b;
            corner[2] = b + 1;
        }
        status = px_file_put(&file, "\3", 1);
        if (status == PX_OK)
            status = px_file_put(&file, corner, sizeof corner);
    }
    if (status == PX_OK)
        status = px_file_commit(&file);
    px_file_abandon(&file);
    px_text_free(&text);
    return status;
}

#endif
