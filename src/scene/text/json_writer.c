#include "scene/text/json_writer.h"

#include "base/words.h"

#include <string.h>

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

/* Writes the separator between two values. */
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
    put(w, "\n", 2); /* with the terminating 0 */
    if (w->failed) {
        PX_LIST_FREE(&w->text);
        return NULL;
    }
    char *text = w->text.data;
    *w = (PxWriter){0};
    return text;
}
