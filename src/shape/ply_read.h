/// The one reader of PLY files (Turk 1994): a header in words that says which elements follow, with
/// which properties of which types; then the values, as text or binary of either byte order.
///
/// Read the header first, then the elements in their order, each with one of px_ply_rows(),
/// px_ply_faces() and px_ply_skip(). Nothing in the file is trusted: counts are held against the
/// bytes that are left, and memory is taken as data is seen. Errors name the file, the line, byte
/// or element, what stands there and what was wanted: PX_ERR_FORMAT, PX_ERR_MEMORY.
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
    PxPlyType type;        ///< as declared; of a list: of its entries
    PxPlyType length_type; ///< lists only
    PxPlyType stored; ///< in the rows of px_ply_rows(): PX_PLY_F64 in files of text, else `type`
    size_t at;        ///< bytes from the start of such a row; not for lists
} PxPlyProperty;

typedef struct PxPlyElement {
    PxWord name;
    uint64_t count;
    int first, properties; ///< properties [first, first + properties)
    size_t width;          ///< bytes of a row of px_ply_rows()
    bool lists;            ///< some property is a list
    size_t line;           ///< of the header
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

/// What stands behind "comment " in a line of the header.
typedef void PxPlyComment(void *user, PxWord text);

/// Reads the header. `comment` may be NULL. The bytes must stay until the reading is over.
PxStatus px_ply_header(PxPlyReader *ply, const char *name, const void *bytes, size_t size,
                       PxPlyComment *comment, void *user);

/// The element of that name, or NULL.
const PxPlyElement *px_ply_element(const PxPlyReader *ply, const char *name);

/// The rows of an element without its lists, one after the other, in the machine's byte order:
/// property p of row i begins at data + i * width + p->at. Points into the file where that is
/// possible.
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

/// Triangles that grow; start as {0}, end with PX_LIST_FREE().
typedef struct PxPlyTriangles {
    uint32_t (*data)[3];
    size_t count, capacity;
} PxPlyTriangles;

/// The lists `corners` of all rows as polygons of 3 or more corners below `vertices`, cut into fans
/// of triangles. Other properties are passed over.
PxStatus px_ply_faces(PxPlyReader *ply, const PxPlyElement *element, const PxPlyProperty *corners,
                      uint64_t vertices, PxPlyTriangles *out);

/// Passes over the element.
PxStatus px_ply_skip(PxPlyReader *ply, const PxPlyElement *element);

/// A property that lists the corners of a face, by its name and type; NULL if there is none.
const PxPlyProperty *px_ply_corners(const PxPlyReader *ply, const PxPlyElement *element);

#endif
