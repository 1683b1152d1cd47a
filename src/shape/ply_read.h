/// The one reader of PLY files (Turk 1994): a text header declares the elements, their properties
/// and types; the values follow, as text or binary of either byte order.
///
/// Read the header first, then the elements in their order, each with one of px_ply_rows(),
/// px_ply_faces() and px_ply_skip(). Nothing in the file is trusted: counts are checked against the
/// remaining bytes, and memory grows with the data read. Errors name the file, the line, byte or
/// element, the text found there and what was expected: PX_ERR_FORMAT, PX_ERR_MEMORY.
#ifndef PX_SHAPE_PLY_READ_H
#define PX_SHAPE_PLY_READ_H

#include "base/memory.h"
#include "shape/parse_text.h"
#include "shape/ply_type.h"

#define PX_PLY_MAX_ELEMENTS 64
#define PX_PLY_MAX_PROPERTIES 512 ///< of all elements together

typedef struct PxPlyProperty {
    PxWord name;
    bool list;
    PxPlyType type;        ///< as declared; for a list, the type of its entries
    PxPlyType length_type; ///< lists only
    PxPlyType stored; ///< type in the rows of px_ply_rows(): PX_PLY_F64 for text files, else `type`
    size_t at;        ///< byte offset in such a row; unused for lists
} PxPlyProperty;

typedef struct PxPlyElement {
    PxWord name;
    uint64_t count;
    int first, properties; ///< properties [first, first + properties)
    size_t width;          ///< bytes of a row of px_ply_rows()
    bool lists;            ///< some property is a list
    size_t line;           ///< where the header declares it
} PxPlyElement;

typedef enum PxPlyEncoding { PX_PLY_TEXT, PX_PLY_LITTLE, PX_PLY_BIG } PxPlyEncoding;

typedef struct PxPlyReader {
    const char *name; ///< for messages
    const char *bytes;
    PxTextReader text;
    PxPlyEncoding encoding;
    int elements, properties;
    PxPlyElement element[PX_PLY_MAX_ELEMENTS];
    PxPlyProperty property[PX_PLY_MAX_PROPERTIES];
} PxPlyReader;

/// Called with the text after "comment " of each comment line of the header.
typedef void PxPlyComment(void *user, PxWord text);

/// A comment that phyxel writes into its results: the digest (base/digest.h) of all bytes after the
/// comment's line.
#define PX_PLY_CHECKSUM "checksum"

/// Reads the header. A file with a checksum that does not fit is refused. `comment` may be NULL.
/// The bytes must remain valid while the reader is used.
PxStatus px_ply_header(PxPlyReader *ply, const char *name, const void *bytes, size_t size,
                       PxPlyComment *comment, void *user);

/// The element of that name, or NULL.
const PxPlyElement *px_ply_element(const PxPlyReader *ply, const char *name);

/// The rows of an element without its lists, contiguous, in native byte order: property p of row i
/// begins at data + i * width + p->at. Points into the file's bytes if no conversion is needed.
typedef struct PxPlyRows {
    const uint8_t *data;
    uint64_t count;
    struct {
        uint8_t *data;
        size_t count, capacity;
    } own;
} PxPlyRows;

PxStatus px_ply_rows(PxPlyReader *ply, const PxPlyElement *element, PxPlyRows *out);
void px_ply_rows_free(PxPlyRows *rows);

/// A growing list of triangles; starts as {0}, freed by PX_LIST_FREE().
typedef struct PxPlyTriangles {
    uint32_t (*data)[3];
    size_t count, capacity;
} PxPlyTriangles;

/// Reads the lists `corners` of all rows as polygons and cuts them into triangle fans. Polygons
/// need 3 or more corners, and indices below `vertices`. Other properties are skipped.
PxStatus px_ply_faces(PxPlyReader *ply, const PxPlyElement *element, const PxPlyProperty *corners,
                      uint64_t vertices, PxPlyTriangles *out);

/// Skips the element.
PxStatus px_ply_skip(PxPlyReader *ply, const PxPlyElement *element);

/// The list property with the corners of a face, found by name and type; NULL if there is none.
const PxPlyProperty *px_ply_corners(const PxPlyReader *ply, const PxPlyElement *element);

#endif
