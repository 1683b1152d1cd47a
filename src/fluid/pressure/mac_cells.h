/// Cells and tiles of the staggered grid, for its parts (mac.h).
#ifndef PX_FLUID_PRESSURE_MAC_CELLS_H
#define PX_FLUID_PRESSURE_MAC_CELLS_H

#include "fluid/pressure/mac.h"

enum { EDGE = 4, CELLS = EDGE * EDGE * EDGE, TILES = 4 };

/* No boundary is near. */
#define PX_MAC_NOBODY UINT16_MAX

/* Cells are numbered by tile, and in a tile by x + 4 y + 16 z. */
PX_INLINE uint32_t next_to(const PxMac *m, uint32_t cell, int axis, int side)
{
    uint32_t shift = 2u * (uint32_t)axis, at = (cell >> shift) & 3u;
    if (side > 0 ? at < 3 : at > 0)
        return side > 0 ? cell + (1u << shift) : cell - (1u << shift);
    static const int stride[3] = {1, 3, 9};
    uint32_t tile = m->near[27 * (size_t)(cell / CELLS) + (size_t)(13 + side * stride[axis])];
    uint32_t in = cell % CELLS;
    return tile * CELLS + (side > 0 ? in - (3u << shift) : in + (3u << shift));
}

/* Cell at coordinates relative to a tile, each in [-EDGE, 2 EDGE). */
PX_INLINE uint32_t cell_at(const PxMac *m, uint32_t tile, int x, int y, int z)
{
    int tx = (x + EDGE) / EDGE, ty = (y + EDGE) / EDGE, tz = (z + EDGE) / EDGE;
    uint32_t other = m->near[27 * (size_t)tile + (size_t)(tx + 3 * ty + 9 * tz)];
    return other * CELLS + (uint32_t)((x & 3) + 4 * (y & 3) + 16 * (z & 3));
}

/* Hash table from tile coordinates to tile numbers. */
typedef struct Names {
    uint64_t *key; /* 0 is free */
    uint32_t *number;
    uint32_t mask;
} Names;

#define FARTHEST 1000000

PX_INLINE uint64_t pack(const int32_t at[3])
{
    return (uint64_t)(uint32_t)(at[2] + FARTHEST + 2) << 42 |
           (uint64_t)(uint32_t)(at[1] + FARTHEST + 2) << 21 | (uint32_t)(at[0] + FARTHEST + 2);
}

PX_INLINE uint32_t names_place(const Names *names, uint64_t key)
{
    uint32_t place = (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & names->mask;
    while (names->key[place] != key && names->key[place] != 0)
        place = (place + 1) & names->mask;
    return place;
}

/* Does d of component c have a value? */
PX_INLINE bool is_known(const PxMac *m, int c, uint32_t cell)
{
    return (m->known[c][cell / CELLS] >> (cell % CELLS) & 1u) != 0;
}

PX_INLINE bool is_full(const PxMac *m, uint32_t cell)
{
    return (m->full[cell / CELLS] >> (cell % CELLS) & 1u) != 0;
}

PX_INLINE bool is_apart(const PxMac *m, uint32_t cell)
{
    return (m->apart[cell / CELLS] >> (cell % CELLS) & 1u) != 0;
}

/* The first cell of a tile whose bit is set in a mask that is not 0. Loops over masks clear it by
 * mask &= mask - 1. */
PX_INLINE uint32_t first_in(uint32_t tile, uint64_t mask)
{
    return tile * CELLS + (uint32_t)__builtin_ctzll(mask);
}

/* The cells of a tile, as bits, whose neighbour `steps` (1 or 2) cells away on that side of an axis
 * is set in mask[], which has a mask for each tile. */
PX_INLINE uint64_t cells_beside(const PxMac *m, const uint64_t *mask, uint32_t tile, int axis,
                                int side, int steps)
{
    static const int stride[3] = {1, 3, 9};
    static const uint64_t first[2][3] = {
        {UINT64_C(0x1111111111111111), UINT64_C(0x000f000f000f000f), UINT64_C(0x000000000000ffff)},
        {UINT64_C(0x3333333333333333), UINT64_C(0x00ff00ff00ff00ff), UINT64_C(0x00000000ffffffff)}};
    uint64_t other = mask[m->near[27 * (size_t)tile + (size_t)(13 + side * stride[axis])]];
    int within = steps << (2 * axis), across = (EDGE - steps) << (2 * axis);
    uint64_t low = first[steps - 1][axis], high = low << across;
    return side > 0 ? (mask[tile] & ~low) >> within | (other & low) << across
                    : (mask[tile] & ~high) << within | (other & high) >> across;
}

/* Position of the centre of a cell, or of the middle of its lower face along an axis. */
PX_INLINE void place_of(const PxMac *m, uint32_t cell, int axis, double x[3])
{
    const int32_t *at = m->at + 3 * (size_t)(cell / CELLS);
    for (int a = 0; a < 3; ++a)
        x[a] = m->cell *
               ((double)at[a] * EDGE + (double)((cell >> (2 * a)) & 3u) + (a == axis ? 0.0 : 0.5));
}

/// Rise of the pressure from the centre of a filled cell to the boundary that closes its face on a
/// side of an axis, Pa, after the solve: by the slope of the pressure in the cell.
double px_mac_rise(const PxMac *mac, uint32_t cell, int axis, int side);

/// Sets the velocities, masses and volumes of faces, the kernel sums of centres and the first guess
/// of their pressure from the particles. `pressure` is that of the last step.
/// Errors: PX_ERR_MEMORY.
PX_ISA_DECLARE(PxStatus, px_mac_gather, (PxMac * mac, const float *pressure));

/// Sets `change` and `noise` of the rows, and their pressure, after the solve.
PX_ISA_DECLARE(void, px_mac_return, (PxMac * mac, float *pressure));

#endif
