/// Words in messages: foreign text shown safely, lists, and what a misspelt word was meant to be.
#ifndef PX_BASE_WORDS_H
#define PX_BASE_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/// `text` with control characters escaped and no longer than `size`, cut between characters: fit
/// for a line on a terminal. Returns `buffer`.
const char *px_quote(const char *text, char *buffer, size_t size);

/// The shortest decimal that reads back as the same double, with a point in any
/// locale. `buffer` holds at least 32 bytes. Returns `buffer`.
const char *px_number_text(double value, char *buffer);

/// True for text fit to be a name: valid UTF-8 is taken for granted; no control
/// characters, line separators or marks that turn the direction of writing.
bool px_text_is_plain(const char *text);

/// "cubic, hexagonal", cut when it is long. Returns `buffer`.
const char *px_list_text(const char *const *words, size_t count, char *buffer, size_t size);

/// "; did you mean 'viscosity'?" or "". Returns `buffer`.
const char *px_suggestion_text(const char *wrong, const char *const *words, size_t count,
                               char *buffer, size_t size);

#endif
