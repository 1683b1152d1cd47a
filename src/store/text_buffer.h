/// Growing text buffer for headers, indices and tables of numbers.
///
/// Numbers have a decimal point in any locale, so that files stay readable when a
/// window toolkit has set another locale.
#ifndef PX_STORE_TEXT_BUFFER_H
#define PX_STORE_TEXT_BUFFER_H

#include "base/memory.h"

/// Initialise with {0}. Lack of memory sets `full`, which px_text_check() reports once
/// at the end, so that single calls need no check.
typedef struct PxText {
    char *data; ///< not zero-terminated
    size_t count, capacity;
    bool full;
} PxText;

void px_text_add(PxText *text, const char *format, ...) PX_PRINTF(2, 3);

/// Adds text with & < > " ' escaped for XML; control characters become spaces.
void px_text_add_xml(PxText *text, const char *words);

/// Add a number with 6 (f64: 15) digits if these read back as the same bits, else 9 (17).
void px_text_add_f32(PxText *text, float value);
void px_text_add_f64(PxText *text, double value);

/// PX_ERR_MEMORY when memory ran out in an earlier call.
PxStatus px_text_check(const PxText *text, const char *what);

/// Empties the text and keeps its memory.
void px_text_clear(PxText *text);
void px_text_free(PxText *text);

#endif
