#include "shape/hdr.h"

#include "shape/mesh_read.h"
#include "shape/parse_text.h"

#include <stdlib.h>
#include <string.h>

/* Widths that scanlines with runs for each channel may have. */
#define RUN_LEAST 8u
#define RUN_MOST 32767u

typedef struct Reader {
    const char *name;
    const uint8_t *at, *end;
} Reader;

static PxStatus cut_off(const Reader *r, uint32_t y, uint32_t height)
{
    return px_fail(PX_ERR_FORMAT, "%s: ends in row %u of %u", r->name, y, height);
}

/* The lines of the header up to an empty one, and the size: "-Y height +X width". */
static PxStatus read_header(Reader *r, uint32_t *width, uint32_t *height)
{
    PxTextReader text = px_text(r->at, (size_t)(r->end - r->at));
    PxWord line, word[4];
    uint64_t side[2] = {0, 0};
    char quote[PX_WORD_QUOTE];
    bool known = false;
    if (!px_text_line(&text, &line) || line.length < 2 || memcmp(line.at, "#?", 2) != 0)
        return px_fail(PX_ERR_FORMAT, "%s: is no HDR picture, which begins with #?RADIANCE",
                       r->name);
    while (px_text_line(&text, &line)) {
        PxWord rest = line, first;
        if (!px_word_next(&rest, &first)) {
            known = true;
            break;
        }
        if (line.length > 7 && memcmp(line.at, "FORMAT=", 7) == 0 &&
            !px_word_is(first, "FORMAT=32-bit_rle_rgbe"))
            return px_fail(PX_ERR_FORMAT, "%s: line %zu: '%s', wanted 32-bit_rle_rgbe", r->name,
                           text.line - 1, px_word_quote(first, quote));
    }
    int words = 0;
    if (known && px_text_line(&text, &line))
        while (words < 4 && px_word_next(&line, &word[words]))
            ++words;
    if (words < 4 || !px_word_is(word[0], "-Y") || !px_word_size(word[1], &side[1]) ||
        !px_word_is(word[2], "+X") || !px_word_size(word[3], &side[0]))
        return px_fail(PX_ERR_FORMAT, "%s: the header has no size of the form -Y 512 +X 1024",
                       r->name);
    if (side[0] < 2 || side[1] < 2 || side[0] > PX_HDR_MAX_SIDE || side[1] > PX_HDR_MAX_SIDE)
        return px_fail(PX_ERR_FORMAT, "%s: %llu by %llu pixels, wanted 2 to %u each", r->name,
                       (unsigned long long)side[0], (unsigned long long)side[1], PX_HDR_MAX_SIDE);
    *width = (uint32_t)side[0];
    *height = (uint32_t)side[1];
    r->at = (const uint8_t *)text.at;
    return PX_OK;
}

/* A row whose channels follow each other, in runs; false if the bytes do not fit. */
static bool read_runs(Reader *r, uint8_t (*row)[4], uint32_t width)
{
    for (int channel = 0; channel < 4; ++channel)
        for (uint32_t x = 0; x < width;) {
            if (r->end - r->at < 2)
                return false;
            uint32_t count = *r->at++;
            bool run = count > 128;
            count -= run ? 128 : 0;
            if (count == 0 || count > width - x || (!run && (size_t)(r->end - r->at) < count))
                return false;
            for (uint32_t k = 0; k < count; ++k)
                row[x++][channel] = run ? *r->at : r->at[k];
            r->at += run ? 1 : count;
        }
    return true;
}

/* A row of whole pixels, in which (1, 1, 1, n) repeats the one before n times; the next such pixel
 * counts 256 times as much. */
static bool read_flat(Reader *r, uint8_t (*row)[4], uint32_t width)
{
    uint32_t shift = 0;
    for (uint32_t x = 0; x < width;) {
        if (r->end - r->at < 4)
            return false;
        const uint8_t *p = r->at;
        r->at += 4;
        if (p[0] != 1 || p[1] != 1 || p[2] != 1) {
            memcpy(row[x++], p, 4);
            shift = 0;
            continue;
        }
        uint64_t count = shift < 24 ? (uint64_t)p[3] << shift : UINT32_MAX;
        if (x == 0 || count > width - x)
            return false;
        for (; count > 0; --count, ++x)
            memcpy(row[x], row[x - 1], 4);
        shift += 8;
    }
    return true;
}

static PxStatus read_rows(Reader *r, PxHdr *hdr)
{
    uint32_t w = hdr->width;
    for (uint32_t y = 0; y < hdr->height; ++y) {
        uint8_t(*row)[4] = hdr->pixel + (size_t)y * w;
        bool runs = w >= RUN_LEAST && w <= RUN_MOST && r->end - r->at >= 4 && r->at[0] == 2 &&
                    r->at[1] == 2 && r->at[2] < 128;
        if (runs && (uint32_t)(r->at[2] << 8 | r->at[3]) != w)
            return px_fail(PX_ERR_FORMAT, "%s: row %u has %d pixels, wanted %u", r->name, y,
                           r->at[2] << 8 | r->at[3], w);
        r->at += runs ? 4 : 0;
        if (!(runs ? read_runs(r, row, w) : read_flat(r, row, w)))
            return cut_off(r, y, hdr->height);
    }
    return PX_OK;
}

PxStatus px_hdr_read(const char *name, const void *bytes, size_t size, PxHdr **out)
{
    Reader r = {name, bytes, (const uint8_t *)bytes + size};
    uint32_t width = 0, height = 0;
    *out = NULL;
    PX_TRY(read_header(&r, &width, &height));
    /* a run of 127 pixels takes two bytes of each channel at least; flat rows may be shorter */
    if ((size_t)(r.end - r.at) < height)
        return cut_off(&r, 0, height);
    PxHdr *hdr = calloc(1, sizeof *hdr);
    if (hdr != NULL)
        hdr->pixel = calloc((size_t)width * height, sizeof *hdr->pixel);
    PxStatus status = PX_OK;
    if (hdr == NULL || hdr->pixel == NULL) {
        status = px_fail(PX_ERR_MEMORY, "%s: no room for %u by %u pixels", name, width, height);
    } else {
        hdr->width = width;
        hdr->height = height;
        status = read_rows(&r, hdr);
    }
    if (status != PX_OK)
        px_hdr_free(hdr);
    else
        *out = hdr;
    return status;
}

PxStatus px_hdr_read_file(const char *path, PxHdr **out)
{
    void *bytes = NULL;
    size_t size = 0;
    *out = NULL;
    PX_TRY(px_mesh_file_bytes(path, "an HDR picture (.hdr)", &bytes, &size));
    PxStatus status = px_hdr_read(path, bytes, size, out);
    free(bytes);
    return status;
}

void px_hdr_free(PxHdr *hdr)
{
    if (hdr == NULL)
        return;
    free(hdr->pixel);
    free(hdr);
}
