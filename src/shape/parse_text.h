/// Parses words and numbers from untrusted bytes, which need not end with a zero, independently
/// of the locale.
#ifndef PX_SHAPE_PARSE_TEXT_H
#define PX_SHAPE_PARSE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A piece of the text; points into it.
typedef struct PxWord {
    const char *at;
    size_t length;
} PxWord;

/// Where reading has got to.
typedef struct PxTextReader {
    const char *at, *end;
    size_t line; ///< from 1
} PxTextReader;

PxTextReader px_text(const void *bytes, size_t size);

/// The next word, crossing lines; false at the end of the text.
bool px_text_word(PxTextReader *text, PxWord *out);

/// The rest of the line without its end, going to the next; false at the end.
bool px_text_line(PxTextReader *text, PxWord *out);

/// The next word of `line`, taken off its front; false when none is left.
bool px_word_next(PxWord *line, PxWord *out);

/// Same letters, where `b` is an ordinary string.
bool px_word_is(PxWord a, const char *b);
/// The same with upper and lower case (of ASCII) alike.
bool px_word_is_nocase(PxWord a, const char *b);

/// The whole word as a number, correctly rounded; "nan" and "inf" count as
/// numbers here, so that the caller can complain about the value.
bool px_word_number(PxWord word, double *out);
bool px_word_integer(PxWord word, int64_t *out);
bool px_word_size(PxWord word, uint64_t *out);

/// A word made fit for a message: cut short, dots for what cannot be printed.
#define PX_WORD_QUOTE 32
const char *px_word_quote(PxWord word, char buffer[PX_WORD_QUOTE]);

/// Numbers as text with a dot, whatever the locale says: between these two the
/// thread's locale is "C".
void *px_text_plain_begin(void);
void px_text_plain_end(void *before);

#endif
