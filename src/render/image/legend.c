#include "render/image/legend.h"

#include "render/image/colour_map.h"
#include "render/image/lettering.h"

#include <stdio.h>

/* A step of 1, 2 or 5 times a power of ten, for three to six ticks. */
static double round_step(double span)
{
    double size = pow(10, floor(log10(span / 3)));
    return span / 3 >= 5 * size ? 5 * size : span / 3 >= 2 * size ? 2 * size : size;
}

static void number_text(double value, double step, char *out, size_t size)
{
    int digits = step >= 1 || step <= 0 ? 0 : (int)ceil(-log10(step) - 1e-9);
    if (fabs(value) < 1e-9 * step)
        value = 0;
    if (fabs(value) >= 1e6 || digits > 5)
        snprintf(out, size, "%.3g", value);
    else
        snprintf(out, size, "%.*f", digits, value);
}

/* Darkens the background of the legend for contrast. */
static void shade(PxPicture *p, int x0, int y0, int x1, int y1)
{
    for (int y = y0 < 0 ? 0 : y0; y < y1 && y < (int)p->height; ++y)
        for (int x = x0 < 0 ? 0 : x0; x < x1 && x < (int)p->width; ++x) {
            uint8_t *to = p->pixel + ((size_t)y * p->width + (size_t)x) * p->channels;
            for (int k = 0; k < 3; ++k)
                to[k] = (uint8_t)(to[k] * 0.35f);
            if (p->channels == 4)
                to[3] = (uint8_t)(255 - (255 - to[3]) * 0.35f);
        }
}

void px_legend_draw(PxPicture *picture, const PxColouring *c)
{
    float height = (float)picture->height, letter = fmaxf(7, 0.02f * height);
    char title[64], text[32];
    snprintf(title, sizeof title, c->unit[0] != '\0' ? "%s, %s" : "%s", c->column, c->unit);
    double span = c->high - c->low, step = span > 0 ? round_step(span) : 0;
    double first = step > 0 ? ceil(c->low / step - 1e-9) * step : c->low;
    float widest = 0;
    for (int k = 0; k < 12; ++k) {
        double value = first + k * step;
        if (value > c->high + 1e-9 * span)
            break;
        number_text(value, step, text, sizeof text);
        widest = fmaxf(widest, px_letters_width(letter, text));
    }
    float bar = 1.2f * letter, gap = 0.8f * letter;
    float wide = fmaxf(bar + gap + widest, px_letters_width(letter, title)) + 2 * gap;
    float right = (float)picture->width - 1.5f * letter, left = right - wide;
    float top = 0.25f * height, bottom = 0.75f * height;
    PxV3 white = px_v3_all(0.95f);
    shade(picture, (int)left, (int)(top - 3.4f * letter), (int)right,
          (int)(bottom + 1.6f * letter));
    px_letters_draw(picture, left + gap, top - 1.4f * letter, letter, white, title);
    for (int y = (int)top; y <= (int)bottom && y < (int)picture->height; ++y) {
        PxV3 colour = px_colour_map((bottom - (float)y) / (bottom - top));
        PxV3 shown =
            px_v3(px_srgb_encode(colour.x), px_srgb_encode(colour.y), px_srgb_encode(colour.z));
        for (int x = (int)(left + gap); x < (int)(left + gap + bar) && x >= 0; ++x) {
            uint8_t *to =
                picture->pixel + ((size_t)y * picture->width + (size_t)x) * picture->channels;
            to[0] = (uint8_t)(255 * shown.x + 0.5f);
            to[1] = (uint8_t)(255 * shown.y + 0.5f);
            to[2] = (uint8_t)(255 * shown.z + 0.5f);
        }
    }
    for (int k = 0; k < 12; ++k) {
        double value = first + k * step;
        if (value > c->high + 1e-9 * span || (k > 0 && step <= 0))
            break;
        float part = span > 0 ? (float)((value - c->low) / span) : 0.5f;
        float y = bottom - part * (bottom - top);
        number_text(value, step, text, sizeof text);
        px_stroke_draw(picture, left + gap + bar, y, left + gap + bar + 0.4f * gap, y, 1.2f, white);
        px_letters_draw(picture, left + 2 * gap + bar, y + 0.5f * letter, letter, white, text);
    }
}
