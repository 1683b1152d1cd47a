#include "store/text_buffer.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sets the C locale for this thread until plain_end(). */
typedef struct Plain {
    locale_t plain, before;
} Plain;

static Plain plain_begin(void)
{
    Plain p = {newlocale(LC_ALL_MASK, "C", (locale_t)0), (locale_t)0};
    if (p.plain != (locale_t)0)
        p.before = uselocale(p.plain);
    return p;
}

static void plain_end(Plain p)
{
    if (p.plain == (locale_t)0)
        return;
    uselocale(p.before);
    freelocale(p.plain);
}

void px_text_add(PxText *text, const char *format, ...)
{
    Plain plain = plain_begin();
    for (int attempt = 0; attempt < 2 && !text->full; ++attempt) {
        size_t room = text->capacity - text->count;
        va_list arguments;
        va_start(arguments, format);
        int length = vsnprintf(room > 0 ? text->data + text->count : NULL, room, format, arguments);
        va_end(arguments);
        if (length >= 0 && (size_t)length < room) {
            text->count += (size_t)length;
            break;
        }
        text->full = length < 0 || !PX_LIST_RESERVE(text, (size_t)length + 1);
    }
    plain_end(plain);
}

void px_text_add_xml(PxText *text, const char *words)
{
    for (const unsigned char *c = (const unsigned char *)words; *c != '\0'; ++c)
        switch (*c) {
        case '&':
            px_text_add(text, "&amp;");
            break;
        case '<':
            px_text_add(text, "&lt;");
            break;
        case '>':
            px_text_add(text, "&gt;");
            break;
        case '"':
            px_text_add(text, "&quot;");
            break;
        case '\'':
            px_text_add(text, "&apos;");
            break;
        default:
            px_text_add(text, "%c", *c < 0x20 || *c == 0x7f ? ' ' : *c);
        }
}

void px_text_add_f32(PxText *text, float value)
{
    char words[40];
    Plain plain = plain_begin();
    for (int digits = 6; digits <= 9; digits += 3) {
        snprintf(words, sizeof words, "%.*g", digits, (double)value);
        if (strtof(words, NULL) == value)
            break;
    }
    plain_end(plain);
    px_text_add(text, "%s", words);
}

void px_text_add_f64(PxText *text, double value)
{
    char words[40];
    Plain plain = plain_begin();
    for (int digits = 15; digits <= 17; digits += 2) {
        snprintf(words, sizeof words, "%.*g", digits, value);
        if (strtod(words, NULL) == value)
            break;
    }
    plain_end(plain);
    px_text_add(text, "%s", words);
}

PxStatus px_text_check(const PxText *text, const char *what)
{
    return text->full ? px_fail(PX_ERR_MEMORY, "no room for the text of %s", what) : PX_OK;
}

void px_text_clear(PxText *text)
{
    text->count = 0;
    text->full = false;
}

void px_text_free(PxText *text)
{
    PX_LIST_FREE(text);
    text->full = false;
}
