#include "surface/mesh/cube.h"

#include <math.h>
#include <string.h>

/* The corners of a face, counter-clockwise seen from outside the cube. */
static void face_corners(unsigned face, unsigned corner[4])
{
    unsigned axis = face >> 1, side = face & 1, u = (axis + 1) % 3, v = (axis + 2) % 3;
    /* (u, v, axis) is right-handed: seen from the positive side of the axis, u to v is
     * counter-clockwise. */
    static const unsigned round[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    for (unsigned k = 0; k < 4; ++k) {
        const unsigned *at = round[side ? k : 3 - k];
        corner[k] = at[0] << u | at[1] << v | side << axis;
    }
}

static unsigned edge_between(unsigned a, unsigned b)
{
    unsigned bit = a ^ b, axis = bit == 1 ? 0 : bit == 2 ? 1 : 2, low = a & b;
    unsigned first = axis == 0 ? 1 : 0, second = axis == 2 ? 1 : 2;
    return 4 * axis + ((low >> first & 1) | (low >> second & 1) << 1);
}

unsigned px_cube_ambiguous(unsigned inside)
{
    unsigned faces = 0;
    for (unsigned face = 0; face < 6; ++face) {
        unsigned c[4], in[4];
        face_corners(face, c);
        for (int k = 0; k < 4; ++k)
            in[k] = inside >> c[k] & 1;
        faces |= (unsigned)(in[0] == in[2] && in[1] == in[3] && in[0] != in[1]) << face;
    }
    return faces;
}

unsigned px_cube_joined(unsigned ambiguous, const float value[8])
{
    unsigned joined = 0;
    for (unsigned face = 0; face < 6; ++face) {
        if (!(ambiguous >> face & 1))
            continue;
        unsigned c[4];
        face_corners(face, c);
        /* The saddle of the bilinear interpolant is inside if the product of the inside values
         * is the larger one. Both cubes that share the face compute the same products. */
        float even = value[c[0]] * value[c[2]], odd = value[c[1]] * value[c[3]];
        joined |= (unsigned)(value[c[0]] > 0.0f ? even > odd : odd > even) << face;
    }
    return joined;
}

/* Connects the cut edges of each face: the line that starts at edge e ends at next[e]; 12 if e
 * is not cut. Each cut edge is an entry in one of its two faces and an exit in the other. */
static void connect_edges(unsigned inside, unsigned joined, unsigned next[12])
{
    for (int e = 0; e < 12; ++e)
        next[e] = 12;
    for (unsigned face = 0; face < 6; ++face) {
        unsigned c[4], enter[2], leave[2], enters = 0, leaves = 0, place[2] = {0, 0};
        face_corners(face, c);
        for (unsigned k = 0; k < 4; ++k) {
            unsigned a = c[k], b = c[(k + 1) % 4];
            bool from = inside >> a & 1, to = inside >> b & 1;
            if (from == to)
                continue;
            if (to) {
                place[enters] = k;
                enter[enters++] = edge_between(a, b);
            } else {
                leave[leaves++] = edge_between(a, b);
            }
        }
        if (enters == 1)
            next[enter[0]] = leave[0];
        if (enters == 2) {
            /* Walking round the face: leave[0] follows enter[0] if the walk began with an entry,
             * else it precedes it. */
            bool straight = place[0] == 0, join = joined >> face & 1;
            bool same = straight != join;
            next[enter[0]] = leave[same ? 0 : 1];
            next[enter[1]] = leave[same ? 1 : 0];
        }
    }
}

/* Bits of the two faces that share an edge. */
static unsigned faces_of(unsigned edge)
{
    unsigned axis = edge >> 2, faces = 0, corner[2];
    px_cube_edge(edge, corner);
    for (unsigned a = 0; a < 3; ++a)
        if (a != axis)
            faces |= 1u << (2 * a + (corner[0] >> a & 1));
    return faces;
}

/* Squared distance between the midpoints of two edges, in units of half an edge. */
static double apart(unsigned a, unsigned b)
{
    unsigned p[2], q[2];
    px_cube_edge(a, p);
    px_cube_edge(b, q);
    double sum = 0;
    for (int axis = 0; axis < 3; ++axis) {
        double d = (double)((p[0] >> axis & 1) + (p[1] >> axis & 1)) -
                   (double)((q[0] >> axis & 1) + (q[1] >> axis & 1));
        sum += d * d;
    }
    return sum;
}

/* Triangulates a loop by dynamic programming: no diagonal joins two vertices on one face, and
 * diagonals are short. best[i][j] is the cost of the polygon from vertex i to vertex j of the
 * loop. False if there is no such triangulation. */
static bool fill_loop(const uint8_t *loop, int n, PxCube *out)
{
    double best[12][12];
    int split[12][12];
    for (int length = 1; length < n; ++length)
        for (int i = 0; i + length < n; ++i) {
            int j = i + length;
            best[i][j] = length == 1 ? 0 : INFINITY;
            bool side =
                length == 1 || (i == 0 && j == n - 1); /* i and j are neighbours on the loop */
            if (!side && (faces_of(loop[i]) & faces_of(loop[j])))
                continue;
            double price = side ? 0 : apart(loop[i], loop[j]);
            for (int k = i + 1; k < j; ++k)
                if (best[i][k] + best[k][j] + price < best[i][j]) {
                    best[i][j] = best[i][k] + best[k][j] + price;
                    split[i][j] = k;
                }
        }
    if (!(best[0][n - 1] < INFINITY))
        return false;
    int stack[12][2] = {{0, n - 1}}, depth = 1;
    while (depth > 0) {
        int i = stack[--depth][0], j = stack[depth][1];
        if (j - i < 2)
            continue;
        int k = split[i][j];
        uint8_t *t = out->triangle[out->triangles++];
        t[0] = loop[i];
        t[1] = loop[k];
        t[2] = loop[j];
        stack[depth][0] = i;
        stack[depth++][1] = k;
        stack[depth][0] = k;
        stack[depth++][1] = j;
    }
    return true;
}

void px_cube_make(unsigned inside, unsigned joined, PxCube *out)
{
    *out = (PxCube){0};
    unsigned next[12];
    connect_edges(inside, joined, next);
    unsigned done = 0;
    for (unsigned e = 0; e < 12; ++e) {
        if (next[e] == 12 || done >> e & 1)
            continue;
        uint8_t *loop = out->loop[out->loops];
        int n = 0;
        for (unsigned at = e; !(done >> at & 1); at = next[at]) {
            done |= 1u << at;
            loop[n++] = (uint8_t)at;
        }
        out->length[out->loops] = (uint8_t)n;
        if (!fill_loop(loop, n, out)) {
            for (int k = 0; k < n; ++k) {
                uint8_t *t = out->triangle[out->triangles++];
                t[0] = loop[k];
                t[1] = loop[(k + 1) % n];
                t[2] = (uint8_t)(PX_CUBE_CENTRE + out->loops);
            }
            out->centres |= (uint8_t)(1u << out->loops);
        }
        ++out->loops;
    }
}
