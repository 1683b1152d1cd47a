/// Parses words and numbers from untrusted bytes, which need not be zero-terminated, independently
/// of the locale.
#ifndef PX_SHAPE_PARSE_TEXT_H
#define PX_SHAPE_PARSE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A slice of the text, not a copy.
typedef struct PxWord {
    const char *at;
    size_t length;
} PxWord;

/// The reading position.
typedef struct PxTextReader {
    const char *at, *end;
    size_t line; ///< from 1
} PxTextReader;

PxTextReader px_text(const void *bytes, size_t size);

/// The next word, crossing lines; false at the end of the text.
bool px_text_word(PxTextReader *text, PxWord *out);

/// The rest of the line without its newline; moves to the next line. False at the end of the text.
bool px_text_line(PxTextReader *text, PxWord *out);

/// Removes the first word of `line`; false when none is left.
bool px_word_next(PxWord *line, PxWord *out);

/// Equality with a zero-terminated string.
bool px_word_is(PxWord a, const char *b);
/// The same, ignoring the case of ASCII letters.
bool px_word_is_nocase(PxWord a, const char *b);

/// The whole word as a number, correctly rounded; accepts "nan" and "inf", so that
/// the caller can report the value.
bool px_word_number(PxWord word, double *out);
bool px_word_integer(PxWord word, int64_t *out);
bool px_word_size(PxWord word, uint64_t *out);

/// A word prepared for a message: truncated, with dots for unprintable bytes.
#define PX_WORD_QUOTE 32
const char *px_word_quote(PxWord word, char buffer[PX_WORD_QUOTE]);

/// Switches the thread to the "C" locale and back, so that numbers are formatted
/// with a decimal point.
void *px_text_plain_begin(void);
void px_text_plain_end(void *before);

#endif
