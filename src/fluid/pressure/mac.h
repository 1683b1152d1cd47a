/// Pressure on a staggered grid around the particles (marker and cell, Harlow and Welch 1965; FLIP,
/// Brackbill and Ruppel 1986, Zhu and Bridson 2005).
///
/// Particles carry the fluid; the grid only makes their velocities free of divergence. Its cells
/// are half a support wide. A step has these parts:
///
///   transfer   velocity of every face of the grid: mean over the particles around, each with the
///              gradient of its own velocity (linear fields are exact, also beside walls)
///   solve      p of the cells that are filled, such that no cell has gained or lost volume when
///              the particles have moved, to second order in the step
///   return     particles get the interpolated *change* of the faces' velocities, so that motion
///              finer than the grid is kept. Particles move with the grid's velocities.
///
/// A constant pressure exerts no force, however disordered the particles are. Symmetric SPH
/// gradients, which conserve momentum, do not have this property (docs/decisions.md 26).
///
/// Boundaries close a part of each face (Batty, Bertails and Bridson 2007). Cells are filled if the
/// kernel sum over particles, over the part of the kernel outside of boundaries, is above 1/2.
/// Between a filled and an empty cell, p = 0 where the sum is 1/2 (ghost fluid: Gibou et al. 2002).
/// Fluid leaves boundaries that would have to pull it (mac_separate.h).
///
/// Tiles of 4 x 4 x 4 cells exist where particles are. Every pass writes cells of its own tile or
/// its own rows, and sums over cells are added in the order of tiles: bits do not depend on
/// threads.
#ifndef PX_FLUID_PRESSURE_MAC_H
#define PX_FLUID_PRESSURE_MAC_H

#include "fluid/fluid.h"

/// Depth table of the surface: kernel sum of a half space.
enum { PX_MAC_DEPTHS = 129, PX_MAC_SUMS = 256 };

typedef struct PxMac {
    PxFluid *fluid;
    const float *gradient; ///< du_a / dx_b of every row, 9 each
    double dt;
    double cell;           ///< edge, m
    double density;        ///< of the fluid, kg/m^3, if there is one only
    bool mixed;            ///< there are several
    uint32_t tiles;        ///< tile 0 is empty and stands for all that do not exist
    int32_t *at;           ///< tile coordinates, 3 per tile
    uint32_t *near;        ///< 27 tiles around each
    uint32_t *first, *row; ///< rows of each tile, by layers of its cells along z
    uint32_t *layer;       ///< the first row of each layer, 4 per tile
    uint32_t *tile;        ///< of each row; 0: spray, which the grid does not see
    const float *place[3]; ///< position of each row
    float *local[3];       ///< the same relative to its tile, in cells
    float *dense;          ///< 1 inside the fluid, 0 in splashes
    float *speed[3];       ///< velocity of each row with the forces so far
    float *marker;         ///< the rows of tiles as the grid sees them (mac_transfer.simd.c)
    float *change[3];      ///< velocity that pressure adds to it
    float *noise[3];       ///< velocity of the grid minus that of the row

    /// Of every cell: its lower faces by axis, and its centre.
    float *u[3], *mass[3], *volume[3]; ///< velocity, sum of weighted masses and volumes
    float *open[3];                    ///< open part of the face
    float *centre[3][2];   ///< offset of the open part's centroid along the next two axes, m
    float *wall[3];        ///< velocity of the boundary at the face, m/s
    uint16_t *whose[3];    ///< number of that boundary
    float *weight[3];      ///< open part over density; of surface faces over the distance, too
    float *d[4];           ///< change of u; pressure, extended beyond the filled cells
    float *colour, *flows; ///< kernel sum of all matter, and of matter that flows
    float *guess;          ///< kernel sum of pressure
    float *clear;          ///< part of the kernel outside of boundaries
    float *lack;           ///< volume that a cell inside the fluid has to lose, per second, 1/s
    bool lacks;            ///< some cell has to
    float *sample[3];      ///< where the kernel sum is taken: the centre, or off a boundary
    float *diagonal;
    uint8_t *displaced; ///< its sample is not at its centre

    /// Of every tile, a bit for each cell.
    uint64_t *full;      ///< it is filled, and its pressure is solved for
    uint64_t *apart;     ///< the fluid in it leaves a boundary, p is 0
    uint64_t *again;     ///< it was apart, and is filled again
    uint64_t *linked[3]; ///< pressure acts through its lower face along an axis
    uint64_t *known[4];  ///< d has a value

    uint8_t *beside; ///< of every tile: boundaries close some of its faces, or of those above
    uint8_t *moved, *slanted; ///< of every tile: some of its samples are not at centres, some open
                              ///< parts have their centroids off the middles of faces
    double *p, *r;            ///< pressure and right-hand side of the equation
    double *rise;             ///< px_mac_rise() of displaced cells, while walls are pushed
    uint32_t *number;         ///< of filled cells, in the solve
    double *part;             ///< sums of blocks of tiles
    double rising[PX_MAC_DEPTHS];
    uint8_t below[PX_MAC_SUMS]; ///< the last depth whose sum is at most k / PX_MAC_SUMS
    uint32_t filled;
    struct PxMacYield *yield; ///< rigid bodies (mac_yield.h); NULL: none
} PxMac;

typedef struct PxMacResult {
    uint32_t iterations;
    double error; ///< mean change of volume in the step that is left
    bool converged;
} PxMacResult;

/// Makes the grid, with the boundaries around it. Arrays come from the fluid's scratch.
/// Errors: PX_ERR_MEMORY.
PxStatus px_mac_begin(PxMac *mac, PxFluid *fluid, const float *gradient);

/// Solves to the tolerance, a mean change of volume in the step. Then mac->change and mac->noise of
/// each row are set, and `pressure`, which is also the first guess.
/// Errors: PX_ERR_MEMORY, PX_ERR_STOPPED.
PxStatus px_mac_solve(PxMac *mac, double tolerance, uint32_t most, float *pressure,
                      PxMacResult *result);

/// Is the cell that a row lies in filled? Others have no pressure that keeps it off boundaries.
bool px_mac_presses(const PxMac *mac, uint32_t row);

/// Gives boundaries the impulse of the pressure in their cells, after the solve. `gained` is the
/// momentum that the rows got in all; the boundaries get the opposite of it. The sum over cells
/// differs by some per cent, because changes are interpolated; the rest is given in proportion.
void px_mac_push(PxMac *mac, const double gained[3]);

#endif
