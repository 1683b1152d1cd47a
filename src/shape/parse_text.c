#define _GNU_SOURCE /* strtod_l */
#include "shape/parse_text.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

/* Longest word that is accepted as a number. */
#define NUMBER_LENGTH 127

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

PxTextReader px_text(const void *bytes, size_t size)
{
    const char *at = size > 0 ? bytes : ""; /* no arithmetic on NULL */
    return (PxTextReader){at, at + size, 1};
}

bool px_text_word(PxTextReader *text, PxWord *out)
{
    const char *at = text->at;
    while (at < text->end && (is_blank(*at) || *at == '\n'))
        text->line += *at++ == '\n';
    const char *start = at;
    while (at < text->end && !is_blank(*at) && *at != '\n')
        ++at;
    text->at = at;
    *out = (PxWord){start, (size_t)(at - start)};
    return at > start;
}

bool px_text_line(PxTextReader *text, PxWord *out)
{
    if (text->at >= text->end)
        return false;
    const char *start = text->at;
    const char *stop = memchr(start, '\n', (size_t)(text->end - start));
    text->at = stop != NULL ? stop + 1 : text->end;
    ++text->line;
    if (stop == NULL)
        stop = text->end;
    if (stop > start && stop[-1] == '\r')
        --stop;
    *out = (PxWord){start, (size_t)(stop - start)};
    return true;
}

bool px_word_next(PxWord *line, PxWord *out)
{
    const char *at = line->at, *end = line->at + line->length;
    while (at < end && is_blank(*at))
        ++at;
    const char *start = at;
    while (at < end && !is_blank(*at))
        ++at;
    *line = (PxWord){at, (size_t)(end - at)};
    *out = (PxWord){start, (size_t)(at - start)};
    return at > start;
}

bool px_word_is(PxWord a, const char *b)
{
    return strlen(b) == a.length && memcmp(a.at, b, a.length) == 0;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool px_word_is_nocase(PxWord a, const char *b)
{
    if (strlen(b) != a.length)
        return false;
    for (size_t k = 0; k < a.length; ++k)
        if (lower(a.at[k]) != lower(b[k]))
            return false;
    return true;
}

/* Fast path for nearly all numbers: at most 15 digits and a power of ten of at most 22
 * are both exact doubles, so their product or quotient is rounded once, hence correctly
 * (Clinger 1990). */
static bool easy_number(PxWord word, double *out)
{
    static const double power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const char *at = word.at, *end = word.at + word.length;
    bool minus = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+'))
        ++at;
    uint64_t digits = 0;
    int count = 0, places = 0, seen = 0;
    bool point = false;
    for (; at < end; ++at) {
        if (is_digit(*at)) {
            digits = digits * 10 + (uint64_t)(*at - '0');
            count += digits > 0;
            places += point;
            ++seen;
            if (count > 15 || seen > 30)
                return false;
        } else if (*at == '.' && !point) {
            point = true;
        } else {
            break;
        }
    }
    if (seen == 0)
        return false;
    int exponent = 0;
    if (at < end) {
        if (*at != 'e' && *at != 'E')
            return false;
        ++at;
        bool down = at < end && *at == '-';
        if (at < end && (*at == '-' || *at == '+'))
            ++at;
        if (at == end || end - at > 3)
            return false;
        for (; at < end; ++at) {
            if (!is_digit(*at))
                return false;
            exponent = exponent * 10 + (*at - '0');
        }
        if (down)
            exponent = -exponent;
    }
    exponent -= places;
    if (exponent < -22 || exponent > 22)
        return false;
    double value = (double)digits;
    value = exponent < 0 ? value / power[-exponent] : value * power[exponent];
    *out = minus ? -value : value;
    return true;
}

bool px_word_number(PxWord word, double *out)
{
    if (easy_number(word, out))
        return true;
    char buffer[NUMBER_LENGTH + 1];
    if (word.length == 0 || word.length > NUMBER_LENGTH)
        return false;
    for (size_t k = 0; k < word.length; ++k)
        if (word.at[k] == '\0' || lower(word.at[k]) == 'x' || word.at[k] == '(')
            return false; /* no hexadecimal, no nan(payload) */
    memcpy(buffer, word.at, word.length);
    buffer[word.length] = '\0';
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (plain == (locale_t)0)
        return false;
    char *stop;
    *out = strtod_l(buffer, &stop, plain);
    freelocale(plain);
    return stop == buffer + word.length;
}

bool px_word_size(PxWord word, uint64_t *out)
{
    uint64_t value = 0;
    for (size_t k = 0; k < word.length; ++k)
        if (!is_digit(word.at[k]) || __builtin_mul_overflow(value, 10u, &value) ||
            __builtin_add_overflow(value, (uint64_t)(word.at[k] - '0'), &value))
            return false;
    *out = value;
    return word.length > 0;
}

bool px_word_integer(PxWord word, int64_t *out)
{
    bool minus = word.length > 0 && word.at[0] == '-';
    if (word.length > 0 && (word.at[0] == '-' || word.at[0] == '+'))
        word = (PxWord){word.at + 1, word.length - 1};
    uint64_t value;
    if (!px_word_size(word, &value) || value > INT64_MAX)
        return false;
    *out = minus ? -(int64_t)value : (int64_t)value;
    return true;
}

const char *px_word_quote(PxWord word, char buffer[PX_WORD_QUOTE])
{
    size_t length = word.length < PX_WORD_QUOTE - 4 ? word.length : PX_WORD_QUOTE - 4;
    for (size_t k = 0; k < length; ++k)
        buffer[k] = word.at[k] > ' ' && word.at[k] < 127 ? word.at[k] : '.';
    strcpy(buffer + length, length < word.length ? "..." : "");
    return buffer;
}

void *px_text_plain_begin(void)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return plain == (locale_t)0 ? NULL : (void *)uselocale(plain);
}

void px_text_plain_end(void *before)
{
    if (before == NULL)
        return;
    locale_t plain = uselocale((locale_t)before);
    freelocale(plain);
}
