/// Marching cubes (Lorensen and Cline 1987) for one cube, with triangles computed instead of looked
/// up in a case table.
///
/// Corner k of a cube is at (k & 1, k >> 1 & 1, k >> 2 & 1). Edge 4 a + b runs along axis a from
/// the corner whose other two coordinates are the bits of b, the lower axis first. Bit k of
/// `inside` says that corner k is inside.
///
/// On each face, seen from outside the cube, the surface leaves line segments that run from the
/// edge where a counter-clockwise walk round the face enters the inside to the edge where it leaves
/// it. On an ambiguous face, whose corners alternate, two segments can be drawn in two ways: they
/// separate the two inside corners, or join them. The values at the four corners decide (the
/// asymptotic decider of Nielson and Hamann 1991), so two cubes that share the face agree and there
/// are no holes. The segments of all six faces form loops, and each loop is triangulated:
///
///  - Every segment is in two cubes, once in each direction: the mesh is closed and oriented.
///  - No diagonal of a loop joins two vertices on one face, since the cube behind that face might
/// have
///    the same edge: no edge has more than two triangles. Where a loop has no such triangulation,
///    its centre becomes a vertex.
///  - The triangles around a vertex from its four cubes form one fan: the mesh is manifold.
#ifndef PX_SURFACE_MESH_CUBE_H
#define PX_SURFACE_MESH_CUBE_H

#include <stdbool.h>
#include <stdint.h>

/// Vertices of triangles: 0 .. 11 lie on edges of the cube, 12 + n is the centre of loop n.
enum { PX_CUBE_CENTRE = 12, PX_CUBE_TRIANGLES = 12, PX_CUBE_LOOPS = 4 };

typedef struct PxCube {
    uint8_t triangles, loops,
        centres; ///< centres: bits of the loops that have a vertex at their centre
    uint8_t length[PX_CUBE_LOOPS];          ///< of the loops
    uint8_t loop[PX_CUBE_LOOPS][12];        ///< edges
    uint8_t triangle[PX_CUBE_TRIANGLES][3]; ///< counter-clockwise seen from outside
} PxCube;

/// `joined` has a bit for each face whose inside corners are joined; it matters for ambiguous faces
/// only. Face 2 a + s is at coordinate s of axis a.
void px_cube_make(unsigned inside, unsigned joined, PxCube *out);

/// Bits of the ambiguous faces.
unsigned px_cube_ambiguous(unsigned inside);

/// Bits of those whose inside corners are joined, for these values (inside > 0).
unsigned px_cube_joined(unsigned ambiguous, const float value[8]);

/// The two corners of an edge, lower first.
static inline void px_cube_edge(unsigned edge, unsigned corner[2])
{
    unsigned axis = edge >> 2, low = edge & 1, high = edge >> 1 & 1;
    unsigned first = axis == 0 ? 1 : 0, second = axis == 2 ? 1 : 2;
    corner[0] = low << first | high << second;
    corner[1] = corner[0] | 1u << axis;
}

#endif
