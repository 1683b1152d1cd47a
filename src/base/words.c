#include "base/words.h"

#include "phyxel/suggest.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* False for characters that move the cursor, break the line or change the writing
 * direction: a name with them could forge a message. */
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
    /* The locale may use another decimal separator. */
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

/* Damerau's distance (insert, delete, replace, swap of neighbours), at most
 * `limit` + 1. Words are truncated to 63 letters. */
static int edit_distance(const char *a, const char *b, int limit)
{
    enum { MOST = 63 };
    int n = (int)strnlen(a, MOST), m = (int)strnlen(b, MOST);
    int row[3][MOST + 1];
    if (n - m > limit || m - n > limit)
        return limit + 1;
    for (int j = 0; j <= m; ++j)
        row[0][j] = j;
    for (int i = 1; i <= n; ++i) {
        int *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= m; ++j) {
            int best = last[j - 1] + (a[i - 1] != b[j - 1]);
            if (last[j] + 1 < best)
                best = last[j] + 1;
            if (now[j - 1] + 1 < best)
                best = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            now[j] = best;
        }
    }
    return row[n % 3][m];
}

const char *px_suggest(const char *wrong, const char *const *words, size_t count)
{
    if (wrong == NULL || words == NULL)
        return NULL;
    int limit = strlen(wrong) < 5 ? 1 : strlen(wrong) < 9 ? 2 : 3;
    const char *best = NULL;
    int least = limit + 1;
    for (size_t k = 0; k < count; ++k) {
        if (words[k] == NULL)
            continue;
        int distance = edit_distance(wrong, words[k], limit);
        bool alike = (size_t)distance < strlen(wrong); /* not every letter is another */
        if (alike && distance < least) {
            least = distance;
            best = words[k];
        }
    }
    return best;
}

const char *px_list_text(const char *const *words, size_t count, char *buffer, size_t size)
{
    size_t used = 0;
    buffer[0] = '\0';
    for (size_t k = 0; k < count; ++k) {
        char part[80];
        px_quote(words[k], part, sizeof part);
        if (used + strlen(part) + 8 > size) {
            snprintf(buffer + used, size - used, ", ...");
            break;
        }
        used += (size_t)snprintf(buffer + used, size - used, "%s%s", k > 0 ? ", " : "", part);
    }
    return buffer;
}

const char *px_suggestion_text(const char *wrong, const char *const *words, size_t count,
                               char *buffer, size_t size)
{
    const char *near = px_suggest(wrong, words, count);
    char part[80];
    buffer[0] = '\0';
    if (near != NULL)
        snprintf(buffer, size, "; did you mean '%s'?", px_quote(near, part, sizeof part));
    return buffer;
}
