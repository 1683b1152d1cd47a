/// The coat of a liquid or melting material: surfels carried from frame to frame, which split and
/// merge with the matter (000 section 6.6).
///
/// The particles define a colour field phi(x) = sum_j a_j W(|x - x_j|), W = (1 - r^2/h^2)^3 with a
/// support of h = 2 spacings and a_j = 1 / sum_k W_jk. The normalisation a_j gives a drop of one
/// particle a surface as well as a pool. The isovalue is the value of the field `iso` spacings
/// above a flat pool.
///
/// Each frame (px_coat_advance):
///  1. Surfels are advected with the motion of the particles since the last frame (Eq. 6.21).
///  2. Connected components of the particles are found: splitting and merging (section 6.6.5).
///  3. Surfels are deleted where they crowd or lie inside, and inserted in gaps (section 6.6.3).
///  4. Forces project them onto the isosurface, smooth and spread them (Eqs. 6.22 to 6.36). Solid
///     particles leave their surfels where advection put them, partly molten ones blend between
///     both (Eqs. 6.37 to 6.39).
///  5. Surfels take velocities from particles and colours from zombies (section 6.6.4).
///
/// Components do not see each other's field, so two drops that approach do not bulge. They merge
/// when a particle of one is inside the surface of the other.
///
/// Lengths inside a coat are in particle spacings relative to `origin`. A coat that is stored and
/// restored continues with the same bits, for any number of threads.
#ifndef PX_SURFACE_COAT_COAT_H
#define PX_SURFACE_COAT_COAT_H

#include "base/arena.h"
#include "base/simd.h"
#include "base/table.h"
#include "base/vec.h"
#include "matter/pairs.h"
#include "matter/wall.h"
#include "surface/coat/neighbours.h"
#include "surface/point_surface.h"

/// Largest number of surfels of one coat.
#define PX_COAT_MOST 20000000u

/// Options of a coat. Start from px_coat_def_default().
typedef struct PxCoatDef {
    double spacing;  ///< of the particles, m, > 0
    double surfel;   ///< distance between surfels, spacings, 0.1 .. 1
    double iso;      ///< distance of a flat surface from the outermost particles, spacings,
                     ///< 0.2 .. 0.8
    double guide;    ///< guiding force: pull towards the isosurface, 0 .. 1 (Eq. 6.28)
    double attract;  ///< attracting force: pull towards the particles, 0 .. 1 (Eq. 6.29)
    double smooth;   ///< smoothing force, 0 .. 1 (Eq. 6.30)
    double repel;    ///< repulsion between neighbouring surfels, 0 .. 1 (Eq. 6.31)
    uint32_t rounds; ///< most iterations of these forces a frame
} PxCoatDef;

PxCoatDef px_coat_def_default(void);

/// Report of the last px_coat_advance().
typedef struct PxCoatStats {
    uint32_t components;
    uint32_t made, deleted; ///< surfels
    uint32_t substeps;      ///< of the advection
    uint32_t rounds;        ///< iterations of the forces
    double last_move;       ///< largest displacement in the last iteration, spacings
    double correction;      ///< largest displacement after advection, spacings
    uint32_t holes;         ///< surfels beside a gap that could not be filled
} PxCoatStats;

/// Surfels and particles of a component have the same label: 1 + the lowest id of its particles.
typedef struct PxCoat {
    const PxAllocator *allocator;
    uint32_t holders; ///< besides the first owner
    PxCoatDef def;
    float level;            ///< isovalue of the field
    float min_value;        ///< guiding constraint: surfels stay where the field is at least this
    float wall_min_value;   ///< the same bound for surfels that a wall attracts
    float bulk_weight;      ///< a_j inside a full lattice
    float max_weight;       ///< largest a_j: a lone particle has the volume of one spacing cubed
    float smoothing_radius; ///< support of the smoothing force, spacings
    float bunch_width;      ///< widest bunch (neighbours.h), spacings

    /* State. */
    PxTable surfels;  ///< id, label, position (spacings from `origin`), normal, tangent, radius
                      ///< (spacings), colour, painted (1: the colour was given), melted, velocity
                      ///< (m/s), raw (1: on a fracture surface of solid matter)
    PxTable previous; ///< particles of the last frame, ascending by id: id, label, position
    PxTable zombies;  ///< carriers of the given colours: id, label, position, normal, colour
    PxVec3 origin;    ///< m
    uint64_t frame;   ///< number of px_coat_advance() calls
    uint64_t next_id;
    bool begun;   ///< origin is set
    bool painted; ///< colours were given

    PxCoatStats stats;

    /* Buffers that are reused; not state. */
    uint32_t seeds; ///< surfels made around uncovered particles in this px_coat_resample()
    PxGrid particle_grid, motion_grid;
    PxPairs particle_pairs, motion_pairs;
    PxCoatRows surfel_rows, near_rows;
} PxCoat;

/// Errors: PX_ERR_ARGUMENT for options out of range, PX_ERR_MEMORY.
PxStatus px_coat_create(const PxCoatDef *def, const PxAllocator *allocator, PxCoat **out);
/// Changes the distance between surfels, 0.1 .. 1 spacings. Only before the first
/// px_coat_advance(). Errors: PX_ERR_ARGUMENT.
PxStatus px_coat_refine(PxCoat *coat, double surfel);
/// The last owner frees it. Accepts NULL.
void px_coat_free(PxCoat *coat);
/// One more owner: one more px_coat_free(). Threads: one at a time.
void px_coat_hold(PxCoat *coat);

/// Initial surfels: the surface of the shape that a body was made from.
typedef struct PxCoatGiven {
    uint32_t count;
    const PxVec3 *position, *normal; ///< m; outwards
    const PxVec3 *colour;            ///< 0 .. 1, or NULL
} PxCoatGiven;

/// Adds initial surfels. Only before the first px_coat_advance(), any number of times. Points with
/// colours are kept as zombies as well. Errors: PX_ERR_MEMORY.
PxStatus px_coat_give(PxCoat *coat, const PxCoatGiven *given);

/// A deformable body as a mould: surfels stay outside of its surface, and cling to it as to a wall.
typedef struct PxCoatMould {
    PxPointSurface surface; ///< m, its normals out of the body
    PxBounds bounds;        ///< of its points
    double cling;           ///< 0 .. 1
    const float *colour[3]; ///< of its points, which it hands to coats; NULL: it does not
} PxCoatMould;

/// The particles of a frame. Arrays stay the caller's.
typedef struct PxCoatInput {
    uint32_t count;
    const uint64_t *id;       ///< unique
    const float *position[3]; ///< m
    const float *low[3];      ///< remainders of the float positions, m, or NULL
    const float *velocity[3]; ///< m/s, or NULL; fills the surfels' velocity column
    const float *melted;      ///< molten fraction, 0 .. 1; NULL: 1 everywhere
    const PxWall *wall;       ///< surfels stay outside of them, at pose[1]; those with `cling` also
                              ///< attract surfels (k_ext of Eq. 6.35)
    size_t walls;
    const PxCoatMould *mould; ///< deformable bodies, the same
    size_t moulds;
    const PxThreads *threads;
    PxArena *scratch; ///< released again on return
} PxCoatInput;

/// Advances the surfels to this frame; the first call creates the surface. Particles are matched
/// with those of the last frame by id, so they may appear and disappear.
/// Errors: PX_ERR_NUMERIC for a position that is not finite, PX_ERR_MEMORY. After a failure the
/// coat is between two frames, and of use again after px_coat_restore().
PxStatus px_coat_advance(PxCoat *coat, const PxCoatInput *in);

/// Position of surfel i, m.
PxVec3 px_coat_place(const PxCoat *coat, uint32_t i);

/// State besides the tables: origin, frame, next id, flags, distance between surfels.
enum { PX_COAT_NUMBERS = 7 };
void px_coat_numbers(const PxCoat *coat, double number[PX_COAT_NUMBERS]);

/// A stored coat: rows [first, first + count) of tables that may hold several.
typedef struct PxCoatStored {
    const PxTable *surfels, *previous, *zombies;
    uint32_t first[3], count[3]; ///< of the three, in that order
    double number[PX_COAT_NUMBERS];
} PxCoatStored;

/// Makes room for the rows of `stored`: px_coat_restore() then allocates nothing.
/// Errors: PX_ERR_MEMORY.
PxStatus px_coat_reserve(PxCoat *coat, const PxCoatStored *stored);
/// Puts a coat where it was stored. Errors: PX_ERR_FORMAT, PX_ERR_MEMORY.
PxStatus px_coat_restore(PxCoat *coat, const PxCoatStored *stored);

size_t px_coat_bytes(const PxCoat *coat);

#endif
