/// The coat of what flows, melts, splits and joins: surfels that are carried from frame to frame
/// (000 section 6.6).
///
/// The particles of a coat define a colour field, the sum of a_j (1 - r^2/h^2)^3 with h = 2
/// spacings and a_j = 1 / sum_k (1 - r_jk^2/h^2)^3: a drop of one particle then has a surface as
/// well as a pool has. The surface is where the field has the value that it has `iso` spacings
/// above a flat pool. Surfels follow the motion of the particles since the last frame (Eq. 6.21),
/// are pulled to the field's surface, smoothed and spread (Eqs. 6.22 to 6.36), made where there are
/// too few of them and deleted where they crowd or are inside (section 6.6.3). Particles that are
/// not melted leave their surfels where the motion put them (Eqs. 6.37 to 6.39); where they tear
/// open new ones are made.
///
/// A coat has parts (section 6.6.5): what is in different parts does not see each other, so two
/// drops that come near do not bulge. They become one when a particle of one is inside the surface
/// of the other. A part falls into several where its own field does.
///
/// Lengths inside a coat are in spacings of the particles and relative to `origin`. Everything is
/// state: a coat that is stored and restored goes on with the same bits. The same bits for any
/// number of threads, too.
#ifndef PX_SURFACE_COAT_COAT_H
#define PX_SURFACE_COAT_COAT_H

#include "base/arena.h"
#include "base/simd.h"
#include "base/table.h"
#include "base/vec.h"
#include "matter/pairs.h"
#include "matter/wall.h"
#include "surface/coat/neighbours.h"

/// Surfels of one coat, at most.
#define PX_COAT_MOST 20000000u

/// How a coat is made. Start from px_coat_def_default().
typedef struct PxCoatDef {
    double spacing;  ///< of the particles, m, > 0
    double surfel;   ///< distance of surfels from each other, spacings, 0.1 .. 1
    double iso;      ///< how far a flat surface lies outside the outermost particles, spacings,
                     ///< 0.2 .. 0.8
    double guide;    ///< pull towards the surface of the field, 0 .. 1 (Eq. 6.28)
    double attract;  ///< pull towards the particles, 0 .. 1 (Eq. 6.29)
    double smooth;   ///< pull towards the neighbours' smooth surface, 0 .. 1 (Eq. 6.30)
    double repel;    ///< push away from near neighbours, 0 .. 1 (Eq. 6.31)
    uint32_t rounds; ///< of these forces a frame, at most
} PxCoatDef;

PxCoatDef px_coat_def_default(void);

/// What the last px_coat_advance() did.
typedef struct PxCoatStats {
    uint32_t parts;
    uint32_t made, deleted; ///< surfels
    uint32_t substeps;      ///< that the motion was cut into
    uint32_t rounds;        ///< of forces
    double last_move;       ///< largest of the last round, spacings
    double correction;      ///< furthest that a surfel went besides with the particles, spacings
    uint32_t holes;         ///< surfels with a gap beside them that no surfel could be put in
} PxCoatStats;

/// A part's surfels and particles have the same label: 1 + the lowest id of its particles.
typedef struct PxCoat {
    const PxAllocator *allocator;
    PxCoatDef def;
    float level;  ///< of the field at the surface
    float least;  ///< no surfel is where the field is less (the guiding constraint)
    float behind; ///< nor, where a wall attracts it, where it is less than this
    float bulk;   ///< a_j in the midst of a lattice
    float alone;  ///< largest a_j: a particle alone has the volume of a cube of one spacing
    float reach;  ///< of the smoothing, spacings
    float wide;   ///< of a bunch, spacings: a wider one would ask too many in vain
    float slope;  ///< of the field at a flat surface, 1/spacings

    /* State. */
    PxTable surfels; ///< id, label, position (spacings from `origin`), normal, tangent, radius
                     ///< (spacings), colour, painted (1: the colour was given), melted, velocity
                     ///< (m/s), raw (1: where what was not melted tore open)
    PxTable marks;   ///< the particles of the last frame, by id: id, position, label
    PxTable zombies; ///< position, normal, colour, label, id: what keeps the colours
    PxVec3 origin;   ///< m
    uint64_t frame;  ///< times that it was advanced
    uint64_t next_id;
    bool begun;   ///< origin is set
    bool painted; ///< colours were given

    PxCoatStats stats;

    /* Kept for the next time, no state. */
    uint32_t seeds; ///< surfels made around particles since sampling began
    PxGrid particle_grid, drift_grid;
    PxPairs particle_pairs, drift_pairs;
    PxCoatRows surfel_rows, near_rows;
} PxCoat;

/// Errors: PX_ERR_ARGUMENT for numbers that cannot be, PX_ERR_MEMORY.
PxStatus px_coat_create(const PxCoatDef *def, const PxAllocator *allocator, PxCoat **out);
/// Puts surfels nearer to each other: 0.1 .. 1 spacings. Before the first px_coat_advance().
PxStatus px_coat_refine(PxCoat *coat, double surfel);
/// NULL is fine.
void px_coat_free(PxCoat *coat);

/// Surfels that are there from the beginning: the skin of a solid, or of a liquid of some shape.
typedef struct PxCoatGiven {
    uint32_t count;
    const PxVec3 *position, *normal; ///< m; outwards
    const PxVec3 *colour;            ///< 0 .. 1, or NULL
} PxCoatGiven;

/// Before the first px_coat_advance(); any number of times. With colours the points become zombies
/// as well. Errors: PX_ERR_MEMORY.
PxStatus px_coat_give(PxCoat *coat, const PxCoatGiven *given);

/// The particles of a frame. Arrays stay the caller's.
typedef struct PxCoatInput {
    uint32_t count;
    const uint64_t *id;       ///< unique
    const float *position[3]; ///< m
    const float *low[3];      ///< what the floats cannot hold, m, or NULL
    const float *velocity[3]; ///< m/s, or NULL: for the column of that name only
    const float *melted;      ///< 0 .. 1, or NULL for 1 everywhere
    const PxWall *wall;       ///< that surfels stay out of, at pose[1]; those with `cling` attract
                              ///< them, too (k_ext of Eq. 6.35)
    size_t walls;
    const PxThreads *threads;
    PxArena *scratch; ///< given back
} PxCoatInput;

/// From the last frame to this one; the first time makes the surface. A particle that was not
/// there before is new, one that is not there any more is gone.
/// Errors: PX_ERR_NUMERIC for a position that is not finite, PX_ERR_MEMORY.
PxStatus px_coat_advance(PxCoat *coat, const PxCoatInput *in);

/// Where surfel i is, m.
PxVec3 px_coat_place(const PxCoat *coat, uint32_t i);

/// Numbers that the state has besides its tables.
enum { PX_COAT_NUMBERS = 6 };
void px_coat_numbers(const PxCoat *coat, double number[PX_COAT_NUMBERS]);
/// Puts a coat where it was stored. Errors: PX_ERR_FORMAT, PX_ERR_MEMORY.
PxStatus px_coat_restore(PxCoat *coat, const PxTable *surfels, const PxTable *marks,
                         const PxTable *zombies, const double number[PX_COAT_NUMBERS]);

size_t px_coat_bytes(const PxCoat *coat);

#endif
