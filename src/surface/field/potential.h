/// The family of scalar fields around particles: one file a model, one line in the list in
/// potential.c.
///
/// A field is a sum over particles at every place, and a raw value made of the sums that is larger
/// inside than outside. Which raw value is the surface is measured, not set: the field of a flat
/// pool is asked for its value `iso` above the outermost particles. What others see is that value
/// taken off and divided by the slope there: about the depth below the surface, in spacings,
/// negative outside.
///
/// Inside the field lengths are in spacings and relative to a near origin, so that floats suffice
/// however small and however far away the particles are.
#ifndef PX_SURFACE_FIELD_POTENTIAL_H
#define PX_SURFACE_FIELD_POTENTIAL_H

#include "base/arena.h"
#include "base/field.h"
#include "base/simd.h"
#include "phyxel/surface.h"
#include "spatial/grid.h"

/// A block of nodes: 8 in each direction, x fastest, so that a row is a vector.
enum { PX_BLOCK_EDGE = 8, PX_BLOCK_NODES = 512, PX_BLOCK_ROWS = 64 };

/// Numbers of a stretched kernel.
#define PX_POTENTIAL_SHAPE 8

/// Sums that a model may keep at a node.
#define PX_POTENTIAL_SUMS 4

/// Where there is nothing, and deep inside: spacings below the surface.
#define PX_POTENTIAL_OUTSIDE -1.0f
#define PX_POTENTIAL_DEEP 1.0f

typedef struct PxPotential PxPotential;

/// A particle as the sums see it: where it is (spacings from the origin), how much it weighs,
/// and for stretched kernels the upper triangle of the matrix that maps the ellipsoid it acts
/// in to the unit ball (xx, yy, zz, xy, xz, yz) and how far that reaches along y and z.
typedef struct PxPotentialSource {
    float x, y, z, weight;
    float shape[PX_POTENTIAL_SHAPE];
} PxPotentialSource;

/// Sources that act in a block, and its nodes: node (i, j, k) is at cell (i, j, k).
typedef struct PxPotentialBlock {
    float cell;
    const PxPotentialSource *source;
    const uint8_t (*visible)[PX_BLOCK_ROWS]; ///< NULL, or for each source a bit a node
    uint32_t sources;
    float (*sum)[PX_BLOCK_NODES]; ///< PX_POTENTIAL_SUMS of them, added to
} PxPotentialBlock;

/// Particles as a model wants them to be summed, in the order of field->from_grid.
typedef struct PxPotentialCentres {
    float *x, *y, *z; ///< m
    float *weight;
    float (*shape)[PX_POTENTIAL_SHAPE]; ///< NULL for round kernels
} PxPotentialCentres;

typedef struct PxPotentialModel {
    PxModelInfo info;     ///< as all families have (base/family.h)
    PxSurfaceField field; ///< the same for users, with the numbers that suit it
    double stretch;       ///< furthest that a particle acts, radii
    double gather;        ///< radius of the neighbourhoods it looks at, radii, >= 1
    /// Makes centres, weights and shapes; volumes are known. The arrays are there, and hold
    /// the particles as they are. NULL for round kernels around the particles themselves.
    PxStatus (*prepare)(PxPotential *field, PxArena *scratch, const PxPotentialCentres *centres);
    /// The weight of a particle that stands for that volume, spacing^3.
    float (*weigh)(const PxPotential *field, float volume);
    void (*add)(const PxPotential *field, const PxPotentialBlock *block);
    /// The same at 8 points near the origin, for `sources` of them; sum[k] are 8 floats.
    void (*add_points)(const PxPotential *field, const float x[8], const float y[8],
                       const float z[8], const PxPotentialSource *source, uint32_t sources,
                       float sum[PX_POTENTIAL_SUMS][8]);
    /// Raw values of `count` nodes, a multiple of 8, from their sums.
    void (*finish)(const PxPotential *field, float *const sum[PX_POTENTIAL_SUMS], float *raw,
                   uint32_t count);
} PxPotentialModel;

/// Begins the initialiser of a model.
#define PX_POTENTIAL_INFO(word, line)                                                              \
    .info = {.name = (word), .summary = (line)}, .field.name = (word), .field.summary = (line)

extern const PxFamily px_potential_family;

/// The model of that name; NULL, with a message, when there is none.
const PxPotentialModel *px_potential_find(const char *name, PxIsa isa);

/// Particles made ready: sorted by a grid, with their weights.
struct PxPotential {
    const PxPotentialModel *model;
    const PxThreads *threads;
    PxIsa isa;
    double spacing; ///< m
    float radius;   ///< how far a particle acts unless stretched, spacings
    float reach;    ///< no particle acts further away, spacings
    float level;    ///< raw value of the surface
    float slope;    ///< raw value lost in one spacing outwards at the surface

    uint32_t count;
    PxGrid grid;      ///< of the centres, cells wider than `reach` by PX_POTENTIAL_STENCIL
    float *x, *y, *z; ///< centres, m, in the grid's order; 8 readable floats behind
    float *weight;    ///< of each
    float (*shape)[PX_POTENTIAL_SHAPE]; ///< of each; NULL for round kernels
    uint8_t *near;                      ///< PX_INNER, PX_SKIN, PX_NEAR or PX_IMAGE

    PxGrid from_grid;                ///< of the particles themselves, cells as wide as `gather`
    float gather;                    ///< radius of neighbourhoods, spacings
    float *from_x, *from_y, *from_z; ///< the particles, m, in that grid's order
    uint32_t *from_row;              ///< which row of the caller's each was
    float *from_volume;              ///< 1 / sum_j W_ij, spacing^3
    uint8_t *from_near;              ///< PX_INNER, PX_SKIN or PX_NEAR
    uint8_t *from_image;
    float (*from_eye)[3];
    float (*eye)[3]; ///< in the order of `grid`: where each can be seen from, m
};

/// Where a particle lies, by how the colour field falls off around it (002 Eq. 6.10): inside,
/// perhaps near the surface, surely near it. Or it is only an image in a wall.
enum { PX_INNER, PX_SKIN, PX_NEAR, PX_IMAGE };

/// How far from the origin points of px_potential_points() may lie, spacings.
#define PX_POTENTIAL_STENCIL 0.25

/// A particle, or the image of one in a wall.
typedef struct PxPotentialPoint {
    float at[3]; ///< m
    float
        eye[3]; ///< where it can be seen from, m: its own place, or that of what it is an image of
    uint32_t row; ///< of the caller's columns
    bool image;
    uint64_t id; ///< what the order within a cell follows
} PxPotentialPoint;

typedef struct PxPotentialInput {
    const PxPotentialPoint *point;
    uint32_t count;
    double spacing; ///< m
} PxPotentialInput;

/// Copies what it needs. Errors: PX_ERR_MEMORY, PX_ERR_ARGUMENT for an iso that the field does not
/// reach.
PxStatus px_potential_create(PxPotential *field, const PxPotentialModel *model,
                             const PxSurfaceDef *def, const PxPotentialInput *input,
                             const PxThreads *threads);

/// How far around a place particles may play a part in its value, spacings, all together.
double px_potential_scope(const PxPotentialModel *model, const PxSurfaceDef *def);
void px_potential_free(PxPotential *field);

/// Sources in the box `low` to `high` (m) widened by the reach, from *cursor on, at most `most`,
/// relative to `origin`. Starts with a cursor of {0}; returns 0 when there are no more.
typedef struct PxPotentialCursor {
    uint32_t y, z, row, end; /* cells of the row under way, and what is left of it */
    bool begun;
} PxPotentialCursor;
uint32_t px_potential_gather(const PxPotential *field, const double low[3], const double high[3],
                             const double origin[3], PxPotentialCursor *cursor,
                             PxPotentialSource *out, uint32_t *row, uint32_t most);

/// Depths below the surface at 8 points given in spacings from `origin` (m), none further from
/// it than PX_POTENTIAL_STENCIL; of those particles that are seen, or of all without `seen`.
typedef bool PxPotentialSeen(const void *user, uint32_t row);
void px_potential_points(const PxPotential *field, const double origin[3], const float x[8],
                         const float y[8], const float z[8], PxPotentialSeen *seen,
                         const void *user, float depth[8]);

/// Depths from raw values.
static inline float px_potential_depth(const PxPotential *field, float raw)
{
    return (raw - field->level) / field->slope;
}

/// The depth of one phase where another one is, too: they meet where both are equally deep. Between
/// them both depths may be a little below 0, since each ends half a spacing outside its own
/// particles and particles are no lattice; such a gap is no free surface. So within
/// PX_POTENTIAL_MEET of the other phase the own one reaches further, up to where they are equal.
#define PX_POTENTIAL_MEET 0.3f
static inline float px_potential_meet(float own, float other)
{
    float lean = other + PX_POTENTIAL_MEET;
    lean = lean < 0.0f ? 0.0f : lean > PX_POTENTIAL_MEET ? PX_POTENTIAL_MEET : lean;
    return own + lean < own - other ? own + lean : own - other;
}
/// At the interface the other phase is at least so deep: half of that is the most that both may
/// lack.
#define PX_POTENTIAL_TOUCH -0.2f

/// The loop over neighbourhoods, by instruction set (neighbourhood.simd.c): volumes, and who is
/// near the surface.
PX_ISA_DECLARE(void, px_neighbourhood_block,
               (void *field, uint32_t begin, uint32_t end, int thread));

#endif
