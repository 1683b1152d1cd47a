/// A writer of JSON text.
#ifndef PX_SCENE_WRITER_H
#define PX_SCENE_WRITER_H

#include "base/memory.h"
#include "phyxel/vector.h"

#include <stdio.h>

/// A growing text; {0} is empty. Commas, line breaks and indentation are automatic. When out of
/// memory, `failed` is set and further output is dropped.
typedef struct PxWriter {
    PX_LIST(char) text;
    int depth;
    int flat;   ///< > 0: on one line
    bool begun; ///< the current list or object has a value already
    bool keyed; ///< a key was written, its value comes next
    bool failed;
} PxWriter;

void px_write_open(PxWriter *writer, char bracket); ///< '{' or '['
void px_write_close(PxWriter *writer, char bracket);
void px_write_open_flat(PxWriter *writer, char bracket); ///< the whole value on one line
void px_write_close_flat(PxWriter *writer, char bracket);
void px_write_key(PxWriter *writer, const char *key);
void px_write_text(PxWriter *writer, const char *text);
void px_write_number(PxWriter *writer, double value);
void px_write_flag(PxWriter *writer, bool value);
void px_write_vector(PxWriter *writer, PxVec3 value);

/// Ends the text and returns it; the caller calls free(). NULL when out of memory.
char *px_writer_finish(PxWriter *writer);

#endif
