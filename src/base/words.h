/// Words in messages: safe display of foreign text, lists, and suggestions for misspelt words.
#ifndef PX_BASE_WORDS_H
#define PX_BASE_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/// `text` for one line of a terminal: control characters escaped, truncated to `size` at a
/// character boundary. Returns `buffer`.
const char *px_quote(const char *text, char *buffer, size_t size);

/// The shortest decimal that reads back as the same double, with a decimal point in
/// any locale. `buffer` holds at least 32 bytes. Returns `buffer`.
const char *px_number_text(double value, char *buffer);

/// True for text that may be a name: no control characters, line separators or marks
/// that change the writing direction. Valid UTF-8 is assumed.
bool px_text_is_plain(const char *text);

/// "cubic, hexagonal", truncated if too long. Returns `buffer`.
const char *px_list_text(const char *const *words, size_t count, char *buffer, size_t size);

/// "; did you mean 'viscosity'?" or "". Returns `buffer`.
const char *px_suggestion_text(const char *wrong, const char *const *words, size_t count,
                               char *buffer, size_t size);

#endif
