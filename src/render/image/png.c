#include "render/image/png.h"

#include "store/file.h"

#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Keeps what libpng's error callbacks report until the longjmp has returned. */
typedef struct Trouble {
    char text[200];
    PxStatus status; /* status of a failed write */
} Trouble;

static void on_error(png_structp png, png_const_charp text)
{
    Trouble *trouble = png_get_error_ptr(png);
    snprintf(trouble->text, sizeof trouble->text, "%s", text);
    longjmp(png_jmpbuf(png), 1);
}

static void on_warning(png_structp png, png_const_charp text)
{
    (void)png, (void)text;
}

/* ---- writing ---- */

typedef PX_LIST(uint8_t) Bytes;

static void put_bytes(png_structp png, png_bytep data, size_t size)
{
    Bytes *bytes = png_get_io_ptr(png);
    if (!PX_LIST_RESERVE(bytes, size))
        png_error(png, "no room");
    memcpy(bytes->data + bytes->count, data, size);
    bytes->count += size;
}

static void put_nothing(png_structp png)
{
    (void)png;
}

/* After the longjmp only variables set before the setjmp are used. */
static bool encode(const PxPicture *picture, png_text *text, int texts, Bytes *bytes,
                   Trouble *trouble)
{
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, trouble, on_error, on_warning);
    png_infop info = png != NULL ? png_create_info_struct(png) : NULL;
    if (info == NULL) {
        png_destroy_write_struct(&png, NULL);
        snprintf(trouble->text, sizeof trouble->text, "no room");
        return false;
    }
    if (setjmp(png_jmpbuf(png)) != 0) {
        png_destroy_write_struct(&png, &info);
        return false;
    }
    png_set_write_fn(png, bytes, put_bytes, put_nothing);
    png_set_IHDR(png, info, picture->width, picture->height, 8,
                 picture->channels == 4 ? PNG_COLOR_TYPE_RGB_ALPHA : PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_set_text(png, info, text, texts);
    png_write_info(png, info);
    for (uint32_t y = 0; y < picture->height; ++y)
        png_write_row(png, picture->pixel + (size_t)y * picture->width * picture->channels);
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    return true;
}

PxStatus px_png_write(const char *path, const PxPicture *picture, const PxPngText *text,
                      size_t texts)
{
    enum { MOST = 16 };
    png_text chunk[MOST];
    size_t count = texts < MOST ? texts : MOST;
    memset(chunk, 0, sizeof chunk);
    for (size_t k = 0; k < count; ++k) {
        chunk[k].compression = PNG_ITXT_COMPRESSION_NONE; /* UTF-8 */
        chunk[k].key = (char *)text[k].key;
        chunk[k].text = (char *)text[k].text;
        chunk[k].lang = "";
        chunk[k].lang_key = "";
    }
    Bytes bytes = {0};
    Trouble trouble = {.text = ""};
    PxStatus status;
    if (encode(picture, chunk, (int)count, &bytes, &trouble))
        status = px_file_write_atomic(path, bytes.data, bytes.count);
    else
        status =
            px_fail(PX_ERR_MEMORY, "%s: the picture cannot be written: %s", path, trouble.text);
    PX_LIST_FREE(&bytes);
    return status;
}

/* ---- reading ---- */

typedef struct Source {
    const uint8_t *data;
    size_t size, at;
} Source;

static void get_bytes(png_structp png, png_bytep data, size_t size)
{
    Source *source = png_get_io_ptr(png);
    if (size > source->size - source->at)
        png_error(png, "it ends too early");
    memcpy(data, source->data + source->at, size);
    source->at += size;
}

static void find_text(png_structp png, png_infop info, const char *key, char *text, size_t size)
{
    png_textp chunk;
    int count = 0;
    png_get_text(png, info, &chunk, &count);
    for (int k = 0; k < count; ++k)
        if (key != NULL && strcmp(chunk[k].key, key) == 0)
            snprintf(text, size, "%s", chunk[k].text != NULL ? chunk[k].text : "");
}

static bool decode(Source *source, PxPicture *picture, const char *key, char *text, size_t size,
                   Trouble *trouble)
{
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, trouble, on_error, on_warning);
    png_infop info = png != NULL ? png_create_info_struct(png) : NULL;
    if (info == NULL) {
        png_destroy_read_struct(&png, NULL, NULL);
        snprintf(trouble->text, sizeof trouble->text, "no room");
        return false;
    }
    if (setjmp(png_jmpbuf(png)) != 0) {
        png_destroy_read_struct(&png, &info, NULL);
        return false;
    }
    png_set_read_fn(png, source, get_bytes);
    png_set_user_limits(png, 1u << 16, 1u << 16);
    png_read_info(png, info);
    uint32_t width = png_get_image_width(png, info), height = png_get_image_height(png, info);
    int type = png_get_color_type(png, info);
    if (png_get_bit_depth(png, info) != 8 ||
        (type != PNG_COLOR_TYPE_RGB && type != PNG_COLOR_TYPE_RGB_ALPHA) ||
        png_get_interlace_type(png, info) != PNG_INTERLACE_NONE)
        png_error(png, "it is no picture of 8 bits a channel, red, green and blue");
    if (picture != NULL) {
        if (px_picture_create(width, height, type == PNG_COLOR_TYPE_RGB ? 3 : 4, picture) != PX_OK)
            png_error(png, "no room");
        for (uint32_t y = 0; y < height; ++y)
            png_read_row(png, picture->pixel + (size_t)y * width * picture->channels, NULL);
        png_read_end(png, info);
    }
    find_text(png, info, key, text, size);
    png_destroy_read_struct(&png, &info, NULL);
    return true;
}

PxStatus px_png_read(const char *path, PxPicture *picture, const char *key, char *text, size_t size)
{
    void *bytes;
    Source source = {0};
    Trouble trouble = {.text = ""};
    if (size > 0)
        text[0] = '\0';
    if (picture != NULL)
        *picture = (PxPicture){0};
    PX_TRY(px_file_read(path, (size_t)1 << 31, &bytes, &source.size));
    source.data = bytes;
    PxStatus status = PX_OK;
    if (source.size < 8 || png_sig_cmp(source.data, 0, 8) != 0)
        status = px_fail(PX_ERR_FORMAT, "%s: it is no PNG file", path);
    else if (!decode(&source, picture, key, text, size, &trouble))
        status = px_fail(PX_ERR_FORMAT, "%s: %s", path, trouble.text);
    if (status != PX_OK && picture != NULL)
        px_picture_free(picture);
    px_list_free(bytes);
    return status;
}
