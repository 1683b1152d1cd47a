#include "legend.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Four digits, and powers of ten only where they are needed. */
static void number(char out[32], float x)
{
    float size = fabsf(x);
    if (x == 0 || (size >= 0.01f && size < 1e5f))
        snprintf(out, 32, "%.4g", (double)x);
    else
        snprintf(out, 32, "%.2e", (double)x);
}

/* What the arrows are, and how long the longest is. */
static void draw_caption(cairo_t *cr, int height, const Shot *shot, const DrawDef *def)
{
    if (shot == NULL || shot->arrows.count == 0 || def->mode == DRAW_XRAY)
        return;
    char text[128], most[32];
    double ink = def->dark ? 0.92 : 0.08, top = height - (shot->value != NULL ? 100 : 28);
    cairo_text_extents_t size;
    number(most, shot->arrows.longest);
    snprintf(text, sizeof text, "arrows: %s, longest %s%s", shot->arrows.name, most,
             shot->arrows.kind == ARROW_STRESS ? "; tension red, compression blue" : "");
    cairo_select_font_face(cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cr, 12);
    cairo_text_extents(cr, text, &size);
    cairo_set_source_rgba(cr, 1 - ink, 1 - ink, 1 - ink, 0.72);
    cairo_rectangle(cr, 8, top, size.x_advance + 16, 20);
    cairo_fill(cr);
    cairo_set_source_rgb(cr, ink, ink, ink);
    cairo_move_to(cr, 16, top + 14);
    cairo_show_text(cr, text);
}

void legend_draw(cairo_t *cr, int height, const Shot *shot, const DrawDef *def)
{
    draw_caption(cr, height, shot, def);
    if (shot == NULL || shot->value == NULL || def->mode == DRAW_XRAY)
        return;
    enum { LEFT = 16, BAR = 180, TALL = 12, STEPS = 90, PAD = 8 };
    float low = def->own_range ? def->low : shot->low,
          high = def->own_range ? def->high : shot->high;
    double top = height - 62;
    double ink = def->dark ? 0.92 : 0.08;
    cairo_set_source_rgba(cr, 1 - ink, 1 - ink, 1 - ink, 0.72);
    cairo_rectangle(cr, LEFT - PAD, top - PAD, BAR + 2 * PAD, 46 + 2 * PAD);
    cairo_fill(cr);
    for (int k = 0; k < STEPS; ++k) {
        float rgb[3];
        px_display_colour(((float)k + 0.5f) / STEPS, rgb);
        cairo_set_source_rgb(cr, (double)rgb[0], (double)rgb[1], (double)rgb[2]);
        cairo_rectangle(cr, LEFT + k * (double)BAR / STEPS, top + 17, (double)BAR / STEPS + 0.5,
                        TALL);
        cairo_fill(cr);
    }
    char text[96], end[32];
    cairo_text_extents_t size;
    cairo_set_source_rgb(cr, ink, ink, ink);
    cairo_select_font_face(cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cr, 12);
    snprintf(text, sizeof text, "%s%s%s%s", shot->column, shot->unit[0] != '\0' ? " (" : "",
             shot->unit, shot->unit[0] != '\0' ? ")" : "");
    cairo_move_to(cr, LEFT, top + 11);
    cairo_show_text(cr, text);
    number(end, low);
    cairo_move_to(cr, LEFT, top + 44);
    cairo_show_text(cr, end);
    number(end, high);
    cairo_text_extents(cr, end, &size);
    cairo_move_to(cr, LEFT + BAR - size.x_advance, top + 44);
    cairo_show_text(cr, end);
}

/* cairo has blue first. */
static void swap(uint8_t *pixels, int width, int height)
{
    for (size_t k = 0; k < (size_t)width * (size_t)height; ++k) {
        uint8_t red = pixels[4 * k];
        pixels[4 * k] = pixels[4 * k + 2];
        pixels[4 * k + 2] = red;
    }
}

void legend_on_picture(uint8_t *pixels, int width, int height, const Shot *shot, const DrawDef *def)
{
    if (shot == NULL || (shot->value == NULL && shot->arrows.count == 0))
        return;
    swap(pixels, width, height);
    cairo_surface_t *surface =
        cairo_image_surface_create_for_data(pixels, CAIRO_FORMAT_RGB24, width, height, 4 * width);
    cairo_t *cr = cairo_create(surface);
    legend_draw(cr, height, shot, def);
    cairo_destroy(cr);
    cairo_surface_flush(surface);
    cairo_surface_destroy(surface);
    swap(pixels, width, height);
    for (size_t k = 0; k < (size_t)width * (size_t)height; ++k)
        pixels[4 * k + 3] = 255;
}
