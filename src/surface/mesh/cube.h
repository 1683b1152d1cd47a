/// Marching cubes (Lorensen and Cline 1987) whose triangles are worked out, not looked up in a
/// table that somebody typed.
///
/// Corner k of a cube is at (k & 1, k >> 1 & 1, k >> 2 & 1). Edge 4 a + b runs along axis a from
/// the corner whose other two coordinates are the bits of b, the lower axis first. Bit k of
/// `inside` says that corner k is inside.
///
/// On each face, seen from outside the cube, the surface leaves lines that run from where one walks
/// into the inside, going counter-clockwise round the face, to where one walks out of it. Where the
/// corners of a face alternate there are two ways to draw two lines: they cut off the two inside
/// corners, or they join them and cut off the outside ones. The choice is made from the values at
/// the four corners alone (Nielson and Hamann 1991: what the bilinear interpolant does at its
/// saddle), so two cubes that share a face agree: no holes. The lines of all six faces form loops,
/// and each loop is filled with triangles:
///
///  - Every line is in two cubes, once in each direction: closed, and oriented.
///  - A triangle's edge across a loop never joins two corners on one face, since the cube behind
///  that
///    face might have the same edge: no edge has more than two triangles. Where a loop cannot be
///    filled like that, its middle becomes a vertex.
///  - Around every vertex the triangles of its four cubes form one fan: manifold.
#ifndef PX_SURFACE_MESH_CUBE_H
#define PX_SURFACE_MESH_CUBE_H

#include <stdbool.h>
#include <stdint.h>

/// Corners of triangles: 0 .. 11 are edges of the cube, 12 + n the middle of loop n.
enum { PX_CUBE_MIDDLE = 12, PX_CUBE_TRIANGLES = 12, PX_CUBE_LOOPS = 4 };

typedef struct PxCube {
    uint8_t triangles, loops, middles;      ///< middles: a bit for each loop that has one
    uint8_t length[PX_CUBE_LOOPS];          ///< of the loops
    uint8_t loop[PX_CUBE_LOOPS][12];        ///< edges
    uint8_t triangle[PX_CUBE_TRIANGLES][3]; ///< counter-clockwise seen from outside
} PxCube;

/// `joined` has a bit for each face whose inside corners are joined; it matters for faces
/// whose corners alternate only. Face 2 a + s is that at coordinate s of axis a.
void px_cube_make(unsigned inside, unsigned joined, PxCube *out);

/// The faces of these corners that alternate.
unsigned px_cube_ambiguous(unsigned inside);

/// Which of them are joined, for these values (inside > 0).
unsigned px_cube_joined(unsigned ambiguous, const float value[8]);

/// The two corners of an edge, the lower one first.
static inline void px_cube_edge(unsigned edge, unsigned corner[2])
{
    unsigned axis = edge >> 2, low = edge & 1, high = edge >> 1 & 1;
    unsigned first = axis == 0 ? 1 : 0, second = axis == 2 ? 1 : 2;
    corner[0] = low << first | high << second;
    corner[1] = corner[0] | 1u << axis;
}

#endif
