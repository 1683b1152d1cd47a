/// Cracks of solids: sheets of triangles in the rest shape, and the fronts at which they grow.
///
///      surface of the body                 o  node of a front: the vertex at the tip of the sheet,
///    ==o====================o==               and a base behind it, from which the sheet grows now
///       \  \   sheet    /  /               =  the ends of an open front lie on the surface; the
///        o--o--o--o--o--o                     front of a crack inside the body is closed
///              | way
///              v
///
/// 000 section 5.6.3 holds a crack as two sheets of surfels without connectivity. Here the sheet
/// has triangles: whether a bond crosses it is then exact, and it has no holes by construction
/// (docs/decisions.md). Positions are rest positions, relative to the rest origin of the body.
#ifndef PX_SOLID_FRACTURE_CRACKS_H
#define PX_SOLID_FRACTURE_CRACKS_H

#include "base/memory.h"
#include "base/table.h"
#include "base/vec.h"

typedef struct PxCrackVertex {
    float x[3]; ///< m
} PxCrackVertex;

typedef struct PxCrackTriangle {
    uint32_t corner[3];
    uint32_t crack;
    uint32_t young; ///< 1: so near to a front that bonds across it are still lowered
} PxCrackTriangle;

typedef struct PxCrackNode {
    uint32_t vertex, base;
    uint32_t crack;
    uint32_t front;  ///< nodes of a front follow each other; fronts are numbered from 0 on
    uint32_t kind;   ///< PX_NODE_...
    float way[3];    ///< velocity in the rest shape, m/s
    float normal[3]; ///< of the sheet: way = tangent x normal leads away from the sheet
} PxCrackNode;

enum {
    PX_NODE_CLOSED = 1,  ///< its front is closed (set in all of its nodes)
    PX_NODE_END = 2,     ///< end of an open front
    PX_NODE_BLOCKED = 4, ///< end that lies on the sheet of another crack: it does not move
};

typedef struct PxCrack {
    uint32_t body;   ///< slot
    float normal[3]; ///< where it began
} PxCrack;

typedef PX_LIST(PxCrackVertex) PxCrackVertices;
typedef PX_LIST(PxCrackTriangle) PxCrackTriangles;
typedef PX_LIST(PxCrackNode) PxCrackNodes;
typedef PX_LIST(PxCrack) PxCrackList;

/// All cracks of a world.
typedef struct PxCracks {
    PxCrackVertices vertices;
    PxCrackTriangles triangles;
    PxCrackNodes nodes;
    PxCrackList list;
} PxCracks;

void px_cracks_free(PxCracks *cracks);
size_t px_cracks_bytes(const PxCracks *cracks);

/// Makes `to` a copy. Errors: PX_ERR_MEMORY.
PxStatus px_cracks_copy(PxCracks *to, const PxCracks *from);

/// One table for each of the four lists, for checkpoints.
enum { PX_CRACK_VERTICES, PX_CRACK_TRIANGLES, PX_CRACK_NODES, PX_CRACK_LIST, PX_CRACK_TABLES };

/// Adds the columns. Errors: PX_ERR_MEMORY.
PxStatus px_cracks_columns(PxTable table[PX_CRACK_TABLES]);
/// Makes room in the tables, then writes them, which cannot fail. Errors: PX_ERR_MEMORY.
PxStatus px_cracks_reserve_tables(const PxCracks *cracks, PxTable table[PX_CRACK_TABLES]);
void px_cracks_write_tables(const PxCracks *cracks, PxTable table[PX_CRACK_TABLES]);
/// Reads them back. Errors: PX_ERR_FORMAT for impossible cracks, PX_ERR_MEMORY.
PxStatus px_cracks_read_tables(PxCracks *cracks, const PxTable table[PX_CRACK_TABLES],
                               size_t bodies);

/// Are all indices in range, fronts contiguous with at least 2 nodes (3 if closed), ends where open
/// fronts end and nowhere else, and all positions finite?
bool px_cracks_valid(const PxCracks *cracks, size_t bodies);

/// Number of nodes of the front that begins with node `first`.
static inline uint32_t px_crack_front_size(const PxCracks *cracks, uint32_t first)
{
    uint32_t end = first;
    while (end < cracks->nodes.count &&
           cracks->nodes.data[end].front == cracks->nodes.data[first].front)
        ++end;
    return end - first;
}

static inline PxVec3 px_crack_place(const PxCracks *cracks, uint32_t vertex)
{
    const float *x = cracks->vertices.data[vertex].x;
    return px_vec((double)x[0], (double)x[1], (double)x[2]);
}

/// Appends a vertex or a triangle. False: no memory.
bool px_crack_add_vertex(PxCracks *cracks, PxVec3 at, uint32_t *out);
bool px_crack_add_triangle(PxCracks *cracks, uint32_t crack, uint32_t a, uint32_t b, uint32_t c);

#endif
