#include "scene/writer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- text of others --------------------------------------------------------- */

/* Length in bytes of the UTF-8 character at `text`, and its code; broken bytes
 * count as one character each. */
static size_t next_character(const unsigned char *text, uint32_t *code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = text[0] < 0x80             ? 1
                    : (text[0] & 0xe0) == 0xc0 ? 2
                    : (text[0] & 0xf0) == 0xe0 ? 3
                    : (text[0] & 0xf8) == 0xf0 ? 4
                                               : 0;
    *code = 0xfffd;
    if (length == 0)
        return 1;
    uint32_t value = length == 1 ? text[0] : text[0] & (0xffu >> (length + 1));
    for (size_t k = 1; k < length; ++k) {
        if ((text[k] & 0xc0) != 0x80)
            return 1;
        value = value << 6 | (text[k] & 0x3fu);
    }
    if (length > 1 && value < least[length])
        return 1;
    *code = value;
    return length;
}

/* Characters that move the cursor, break the line or turn the direction of
 * writing: a name made of them could forge a message. */
static bool is_plain(uint32_t c)
{
    return c >= 0x20 && !(c >= 0x7f && c < 0xa0) && !(c >= 0x2028 && c <= 0x202e) &&
           !(c >= 0x2066 && c <= 0x2069) && c != 0x200e && c != 0x200f && c != 0xfffd &&
           c != 0xfeff;
}

bool px_text_is_plain(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    while (*at != '\0') {
        uint32_t code;
        at += next_character(at, &code);
        if (!is_plain(code))
            return false;
    }
    return true;
}

const char *px_quote(const char *text, char *buffer, size_t size)
{
    static const char dots[] = "...";
    const unsigned char *at = (const unsigned char *)text;
    size_t used = 0, before_dots = 0; /* the last end that leaves room for dots */
    while (*at != '\0') {
        uint32_t code;
        size_t length = next_character(at, &code);
        char part[12];
        size_t width = length;
        if (code == 0xfffd || !is_plain(code))
            width = (size_t)snprintf(part, sizeof part, "\\u%04x", (unsigned)code);
        else
            memcpy(part, at, length);
        if (used + width + 1 > size) {
            used = before_dots;
            memcpy(buffer + used, dots, sizeof dots - 1);
            used += sizeof dots - 1;
            break;
        }
        memcpy(buffer + used, part, width);
        used += width;
        if (used + sizeof dots <= size)
            before_dots = used;
        at += length;
    }
    buffer[used] = '\0';
    return buffer;
}

const char *px_number_text(double value, char *buffer)
{
    if (value == 0) /* and never "-0" */
        return strcpy(buffer, "0");
    for (int digits = 15; digits <= 17; ++digits) {
        snprintf(buffer, 32, "%.*g", digits, value);
        if (strtod(buffer, NULL) == value)
            break;
    }
    /* The locale may have put something else where the point belongs. */
    char *to = buffer;
    for (const char *from = buffer; *from != '\0'; ++from) {
        bool known = (*from >= '0' && *from <= '9') || strchr("+-.einfaEINFA", *from) != NULL;
        if (known)
            *to++ = *from;
        else if (to == buffer || to[-1] != '.')
            *to++ = '.';
    }
    *to = '\0';
    return buffer;
}

/* --- JSON ------------------------------------------------------------------- */

static void put(PxWriter *w, const char *text, size_t size)
{
    if (w->failed || !PX_LIST_RESERVE(&w->text, size)) {
        w->failed = true;
        return;
    }
    memcpy(w->text.data + w->text.count, text, size);
    w->text.count += size;
}

static void put_line(PxWriter *w)
{
    put(w, "\n", 1);
    for (int k = 0; k < w->depth; ++k)
        put(w, "  ", 2);
}

/* What stands between two values. */
static void separate(PxWriter *w)
{
    if (w->keyed) {
        w->keyed = false;
        return;
    }
    if (w->begun)
        put(w, ",", 1);
    if (w->flat > 0) {
        if (w->begun)
            put(w, " ", 1);
    } else if (w->depth > 0) {
        put_line(w);
    }
    w->begun = true;
}

static void put_string(PxWriter *w, const char *text)
{
    put(w, "\"", 1);
    for (const char *c = text; *c != '\0'; ++c) {
        char escape[8];
        if (*c == '"' || *c == '\\')
            put(w, (char[]){'\\', *c}, 2);
        else if ((unsigned char)*c < 0x20)
            put(w, escape, (size_t)snprintf(escape, sizeof escape, "\\u%04x", (unsigned)*c));
        else
            put(w, c, 1);
    }
    put(w, "\"", 1);
}

void px_write_open(PxWriter *w, char bracket)
{
    separate(w);
    put(w, &bracket, 1);
    w->depth++;
    w->begun = false;
}

void px_write_close(PxWriter *w, char bracket)
{
    w->depth--;
    if (w->begun && w->flat == 0)
        put_line(w);
    put(w, &bracket, 1);
    w->begun = true;
}

void px_write_open_flat(PxWriter *w, char bracket)
{
    px_write_open(w, bracket);
    w->flat++;
}

void px_write_close_flat(PxWriter *w, char bracket)
{
    px_write_close(w, bracket);
    w->flat--;
}

void px_write_key(PxWriter *w, const char *key)
{
    separate(w);
    put_string(w, key);
    put(w, ": ", 2);
    w->keyed = true;
}

void px_write_text(PxWriter *w, const char *text)
{
    separate(w);
    put_string(w, text);
}

void px_write_number(PxWriter *w, double value)
{
    char number[32];
    separate(w);
    px_number_text(value, number);
    put(w, number, strlen(number));
}

void px_write_flag(PxWriter *w, bool value)
{
    separate(w);
    put(w, value ? "true" : "false", value ? 4 : 5);
}

void px_write_vector(PxWriter *w, PxVec3 value)
{
    px_write_open_flat(w, '[');
    px_write_number(w, value.x);
    px_write_number(w, value.y);
    px_write_number(w, value.z);
    px_write_close_flat(w, ']');
}

char *px_writer_finish(PxWriter *w)
{
    put(w, "\n", 2); /* and the end of the string */
    if (w->failed) {
        PX_LIST_FREE(&w->text);
        return NULL;
    }
    char *text = w->text.data;
    *w = (PxWriter){0};
    return text;
}
