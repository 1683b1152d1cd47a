/// Writing JSON text.
#ifndef PX_SCENE_WRITER_H
#define PX_SCENE_WRITER_H

#include "base/memory.h"
#include "phyxel/vector.h"

#include <stdio.h>

/// Grows as it is written to; {0} is an empty one. Commas, line breaks and
/// indentation come by themselves. When memory is out `failed` is set and the
/// rest is dropped.
typedef struct PxWriter {
    PX_LIST(char) text;
    int depth;
    int flat;   ///< > 0: on one line
    bool begun; ///< something stands before in the same list or object
    bool keyed; ///< a key was written and waits for its value
    bool failed;
} PxWriter;

void px_write_open(PxWriter *writer, char bracket); ///< '{' or '['
void px_write_close(PxWriter *writer, char bracket);
void px_write_open_flat(PxWriter *writer, char bracket); ///< all of it on one line
void px_write_close_flat(PxWriter *writer, char bracket);
void px_write_key(PxWriter *writer, const char *key);
void px_write_text(PxWriter *writer, const char *text);
void px_write_number(PxWriter *writer, double value);
void px_write_flag(PxWriter *writer, bool value);
void px_write_vector(PxWriter *writer, PxVec3 value);

/// Ends the text and hands it over; free() it. NULL when memory was out.
char *px_writer_finish(PxWriter *writer);

#endif
