/// Text being put together: for headers, indices and tables of numbers.
///
/// Numbers are written with a point whatever the locale of the program says, so
/// that files made under a window toolkit that set one can be read again.
#ifndef PX_STORE_TEXT_BUFFER_H
#define PX_STORE_TEXT_BUFFER_H

#include "base/memory.h"

/// Starts life as {0}. Running out of memory is remembered and told once, by
/// px_text_check(), so that the lines in between stay readable.
typedef struct PxText {
    char *data; ///< not zero-terminated
    size_t count, capacity;
    bool full;
} PxText;

void px_text_add(PxText *text, const char *format, ...) PX_PRINTF(2, 3);

/// The text with & < > " ' made safe for XML; control characters become spaces.
void px_text_add_xml(PxText *text, const char *words);

/// 6 (15) digits when they read back as the same bits, 9 (17) otherwise.
void px_text_add_f32(PxText *text, float value);
void px_text_add_f64(PxText *text, double value);

/// PX_ERR_MEMORY when something did not fit.
PxStatus px_text_check(const PxText *text, const char *what);

/// Forgets the text, keeps the memory.
void px_text_clear(PxText *text);
void px_text_free(PxText *text);

#endif
