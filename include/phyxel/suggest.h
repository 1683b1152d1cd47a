/// Suggestions for misspelt words.
#ifndef PHYXEL_SUGGEST_H
#define PHYXEL_SUGGEST_H

#include "phyxel/status.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The word among `words` nearest to `wrong`, or NULL when none is close enough.
/// Closeness is the Damerau-Levenshtein distance. NULL words are skipped.
PX_API const char *px_suggest(const char *wrong, const char *const *words, size_t count);

#ifdef __cplusplus
}
#endif
#endif
