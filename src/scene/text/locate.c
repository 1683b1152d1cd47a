#include "scene/text/locate.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/words.h"

#include <stdio.h>
#include <string.h>

/* --- paths ------------------------------------------------------------------ */

/* Keys are hashed byte by byte, so that the scanner below can hash a key while it unescapes it. */
static uint64_t key_begin(uint64_t above)
{
    return above ^ 0x6b6579u;
}

static uint64_t key_byte(uint64_t hash, unsigned char byte)
{
    return px_mix(hash + byte + 1);
}

static uint64_t element_hash(uint64_t above, size_t index)
{
    return px_mix(px_mix(above ^ 0x656c656du) + index + 1);
}

PxPath px_path_root(void)
{
    return (PxPath){.hash = px_mix(1)};
}

PxPath px_path_key(const PxPath *above, const char *key)
{
    uint64_t hash = key_begin(above->hash);
    for (const char *c = key; *c != '\0'; ++c)
        hash = key_byte(hash, (unsigned char)*c);
    return (PxPath){.above = above, .key = key, .hash = hash};
}

PxPath px_path_index(const PxPath *above, size_t index)
{
    return (PxPath){.above = above, .index = index, .hash = element_hash(above->hash, index)};
}

void px_path_text(const PxPath *path, char *buffer, size_t size)
{
    enum { DEEPEST = 16 };
    const PxPath *chain[DEEPEST];
    int depth = 0;
    for (const PxPath *p = path; p->above != NULL && depth < DEEPEST; p = p->above)
        chain[depth++] = p;
    size_t used = 0;
    buffer[0] = '\0';
    while (depth-- > 0 && used + 1 < size) {
        const PxPath *p = chain[depth];
        char part[96];
        if (p->key != NULL)
            snprintf(part, sizeof part, "%s", px_quote(p->key, (char[80]){0}, 80));
        else
            snprintf(part, sizeof part, "[%zu]", p->index);
        int n = snprintf(buffer + used, size - used, "%s%s", used > 0 && p->key != NULL ? "." : "",
                         part);
        used += n > 0 ? (size_t)n : 0;
    }
}

/* --- scanner --------------------------------------------------------------- */

typedef struct Level {
    uint64_t hash; /* of the object or list */
    size_t index;  /* of the next element */
    bool object;
} Level;

typedef struct Walk {
    const unsigned char *at, *end;
    int line, column; /* of *at */
    PxLocation *wanted;
    size_t count;
    PX_LIST(Level) stack;
} Walk;

PxLocation *px_location_find(PxLocation *wanted, size_t count, uint64_t path)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (wanted[middle].path < path)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && wanted[low].path == path ? &wanted[low] : NULL;
}

static void step(Walk *w)
{
    /* A UTF-8 character counts once, at its last byte. */
    bool goes_on = w->end - w->at > 1 && (w->at[1] & 0xc0) == 0x80;
    if (*w->at == '\n') {
        w->line++;
        w->column = 1;
    } else if (!goes_on) {
        w->column++;
    }
    w->at++;
}

static int hex_value(unsigned char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return 0;
}

static uint32_t hex_digits(const Walk *w)
{
    uint32_t value = 0;
    for (int k = 0; k < 4 && w->end - w->at > k; ++k)
        value = value * 16 + (uint32_t)hex_value(w->at[k]);
    return value;
}

static void skip(Walk *w, int bytes)
{
    while (bytes-- > 0 && w->at < w->end)
        step(w);
}

static uint64_t feed_character(uint64_t hash, uint32_t c)
{
    if (c < 0x80)
        return key_byte(hash, (unsigned char)c);
    if (c < 0x800) {
        hash = key_byte(hash, (unsigned char)(0xc0 | c >> 6));
    } else {
        if (c < 0x10000) {
            hash = key_byte(hash, (unsigned char)(0xe0 | c >> 12));
        } else {
            hash = key_byte(hash, (unsigned char)(0xf0 | c >> 18));
            hash = key_byte(hash, (unsigned char)(0x80 | (c >> 12 & 0x3f)));
        }
        hash = key_byte(hash, (unsigned char)(0x80 | (c >> 6 & 0x3f)));
    }
    return key_byte(hash, (unsigned char)(0x80 | (c & 0x3f)));
}

/* Scans a string with its quotes and hashes its unescaped content. */
static uint64_t walk_string(Walk *w, uint64_t hash)
{
    skip(w, 1);
    while (w->at < w->end && *w->at != '"') {
        unsigned char c = *w->at;
        step(w);
        if (c != '\\') {
            hash = key_byte(hash, c);
            continue;
        }
        if (w->at == w->end)
            break;
        c = *w->at;
        step(w);
        static const char names[] = "bfnrt", meanings[] = "\b\f\n\r\t";
        const char *name = memchr(names, c, 5);
        if (name != NULL) {
            hash = key_byte(hash, (unsigned char)meanings[name - names]);
        } else if (c == 'u') {
            uint32_t character = hex_digits(w);
            skip(w, 4);
            if (character >= 0xd800 && character < 0xdc00) { /* high surrogate */
                skip(w, 2);
                character = 0x10000 + ((character & 0x3ff) << 10) + (hex_digits(w) & 0x3ff);
                skip(w, 4);
            }
            hash = feed_character(hash, character);
        } else {
            hash = key_byte(hash, c);
        }
    }
    skip(w, 1);
    return hash;
}

static void skip_space(Walk *w)
{
    while (w->at < w->end && (*w->at == ' ' || *w->at == '\t' || *w->at == '\n' || *w->at == '\r'))
        step(w);
}

/* Scans one value, or enters it if it is an object or a list. */
static bool walk_value(Walk *w, uint64_t hash, int key_line, int key_column)
{
    PxLocation *here = px_location_find(w->wanted, w->count, hash);
    if (here != NULL)
        *here = (PxLocation){hash, w->line, w->column, key_line, key_column};
    if (*w->at == '{' || *w->at == '[') {
        if (!PX_LIST_RESERVE(&w->stack, 1))
            return false;
        w->stack.data[w->stack.count++] = (Level){.hash = hash, .object = *w->at == '{'};
        step(w);
    } else if (*w->at == '"') {
        walk_string(w, 0);
    } else {
        do
            step(w);
        while (w->at < w->end && memchr(",]} \t\r\n", *w->at, 7) == NULL);
    }
    return true;
}

PxStatus px_locate(const char *text, size_t size, PxLocation *wanted, size_t count)
{
    Walk w = {.at = (const unsigned char *)text,
              .end = (const unsigned char *)text + size,
              .line = 1,
              .column = 1,
              .wanted = wanted,
              .count = count};
    bool room = true;
    for (size_t k = 0; k < count; ++k)
        wanted[k] = (PxLocation){.path = wanted[k].path};
    skip_space(&w);
    if (w.at < w.end)
        room = walk_value(&w, px_path_root().hash, 0, 0);
    while (room && w.stack.count > 0) {
        Level *level = &w.stack.data[w.stack.count - 1];
        skip_space(&w);
        if (w.at == w.end)
            break;
        if (*w.at == '}' || *w.at == ']') {
            step(&w);
            w.stack.count--;
        } else if (*w.at == ',' || *w.at == ':') {
            step(&w);
        } else if (level->object) {
            int line = w.line, column = w.column;
            uint64_t hash = walk_string(&w, key_begin(level->hash));
            skip_space(&w);
            skip(&w, 1); /* the colon */
            skip_space(&w);
            if (w.at < w.end)
                room = walk_value(&w, hash, line, column);
        } else {
            room = walk_value(&w, element_hash(level->hash, level->index++), 0, 0);
        }
    }
    PX_LIST_FREE(&w.stack);
    return room ? PX_OK : px_fail(PX_ERR_MEMORY, "scene: no room to look for places in the text");
}
