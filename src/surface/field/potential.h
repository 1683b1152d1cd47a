/// The family of scalar fields around particles, whose isosurface is the surface of the matter. One
/// file a model, one line in the list in potential.c.
///
/// At every point a model sums contributions of the particles and computes a raw value from the
/// sums, larger inside than outside. The isovalue is measured, not set: it is the raw value `iso`
/// spacings above the outermost particles of a flat pool. Callers see (raw - isovalue) / slope at
/// the flat surface: approximately the depth below the surface in spacings, negative outside.
///
/// Lengths inside a field are in spacings relative to a near origin, so floats suffice however
/// small or far away the particles are.
#ifndef PX_SURFACE_FIELD_POTENTIAL_H
#define PX_SURFACE_FIELD_POTENTIAL_H

#include "base/arena.h"
#include "base/field.h"
#include "base/simd.h"
#include "phyxel/surface.h"
#include "spatial/grid.h"

/// A block of grid nodes: 8 in each direction, x fastest, so that a row is one vector.
enum { PX_BLOCK_EDGE = 8, PX_BLOCK_NODES = 512, PX_BLOCK_ROWS = 64 };

/// Floats that describe an anisotropic kernel.
#define PX_POTENTIAL_SHAPE 8

/// Most sums that a model keeps at a node.
#define PX_POTENTIAL_SUMS 4

/// Depths stored for empty space and for the deep interior, spacings.
#define PX_POTENTIAL_OUTSIDE -1.0f
#define PX_POTENTIAL_DEEP 1.0f

typedef struct PxPotential PxPotential;

/// A kernel: centre (spacings from the origin) and weight; for anisotropic ones the symmetric
/// matrix that maps its ellipsoid to the unit ball (xx, yy, zz, xy, xz, yz) and the half extents
/// along y and z.
typedef struct PxPotentialSource {
    float x, y, z, weight;
    float shape[PX_POTENTIAL_SHAPE];
} PxPotentialSource;

/// Sources that act in a block, and its nodes: node (i, j, k) is at cell * (i, j, k).
typedef struct PxPotentialBlock {
    float cell;
    const PxPotentialSource *source;
    const uint8_t (
        *visible)[PX_BLOCK_ROWS]; ///< visibility: a bit a node for each source; NULL: all visible
    uint32_t sources;
    float (*sum)[PX_BLOCK_NODES]; ///< PX_POTENTIAL_SUMS arrays that are added to
} PxPotentialBlock;

/// The kernels of the particles, in the order of field->particle_grid.
typedef struct PxPotentialCentres {
    float *x, *y, *z; ///< m
    float *weight;
    float (*shape)[PX_POTENTIAL_SHAPE]; ///< NULL for isotropic kernels
} PxPotentialCentres;

typedef struct PxPotentialModel {
    PxModelInfo info;     ///< common to all families (base/family.h)
    PxSurfaceField field; ///< public description, with default parameters
    double stretch;       ///< largest support of a kernel, radii
    double gather;        ///< radius of the neighbourhoods that prepare() reads, radii, >= 1
    /// Computes centres, weights and shapes. On entry the arrays hold the particles' own positions
    /// and weights, and volumes are known. NULL for isotropic kernels at the particles.
    PxStatus (*prepare)(PxPotential *field, PxArena *scratch, const PxPotentialCentres *centres);
    /// Weight of a particle with that volume, spacing^3.
    float (*weigh)(const PxPotential *field, float volume);
    void (*add)(const PxPotential *field, const PxPotentialBlock *block);
    /// The same at 8 points near the origin; sum[k] are 8 floats.
    void (*add_points)(const PxPotential *field, const float x[8], const float y[8],
                       const float z[8], const PxPotentialSource *source, uint32_t sources,
                       float sum[PX_POTENTIAL_SUMS][8]);
    /// Raw values of `count` nodes (a multiple of 8) from their sums.
    void (*finish)(const PxPotential *field, float *const sum[PX_POTENTIAL_SUMS], float *raw,
                   uint32_t count);
} PxPotentialModel;

/// Start of a model's initialiser.
#define PX_POTENTIAL_INFO(word, line)                                                              \
    .info = {.name = (word), .summary = (line)}, .field.name = (word), .field.summary = (line)

extern const PxFamily px_potential_family;

/// The model of that name; NULL, with a message, when there is none.
const PxPotentialModel *px_potential_find(const char *name, PxIsa isa);

/// A field: particles and kernels sorted by grids, with weights and isovalue.
struct PxPotential {
    const PxPotentialModel *model;
    const PxThreads *threads;
    PxIsa isa;
    double spacing; ///< m
    float radius;   ///< support of an isotropic kernel, spacings
    float reach;    ///< largest support of any kernel, spacings
    float level;    ///< isovalue
    float slope;    ///< decrease of the raw value per spacing outwards, at a flat surface

    uint32_t count;
    PxGrid grid;      ///< of the kernel centres, with cells of `reach` + PX_POTENTIAL_STENCIL
    float *x, *y, *z; ///< kernel centres, m, in the grid's order; padded by 8 readable floats
    float *weight;    ///< by kernel
    float (*shape)[PX_POTENTIAL_SHAPE]; ///< by kernel; NULL for isotropic ones
    uint8_t *location; ///< PX_INTERIOR, PX_MAYBE_SURFACE, PX_AT_SURFACE or PX_MIRRORED

    PxGrid particle_grid; ///< of the particles, with cells as wide as `gather`
    float gather;         ///< radius of the neighbourhoods, spacings
    float *particle_x, *particle_y,
        *particle_z;            ///< the particles, m, in the order of particle_grid
    uint32_t *particle_row;     ///< row of the caller's columns
    float *particle_volume;     ///< 1 / sum_j W_ij, spacing^3
    uint8_t *particle_location; ///< PX_INTERIOR, PX_MAYBE_SURFACE or PX_AT_SURFACE
    uint8_t *particle_mirrored;
    float (*particle_original)[3];
    float (*original)[3]; ///< by kernel: position of the particle, or of a mirrored particle's
                          ///< original, m
};

/// Location of a particle by the gradient of its colour field (002 Eq. 6.10): inside, possibly near
/// the surface, surely near it; or it is a mirrored particle.
enum { PX_INTERIOR, PX_MAYBE_SURFACE, PX_AT_SURFACE, PX_MIRRORED };

/// Largest distance of the points of px_potential_points() from their origin, spacings.
#define PX_POTENTIAL_STENCIL 0.25

/// A particle, or a mirrored one.
typedef struct PxPotentialPoint {
    float at[3];       ///< m
    float original[3]; ///< position that visibility is tested from, m: its own, or that of its
                       ///< original
    uint32_t row;      ///< row of the caller's columns
    bool mirrored;
    uint64_t id; ///< sorts particles within a cell
} PxPotentialPoint;

typedef struct PxPotentialInput {
    const PxPotentialPoint *point;
    uint32_t count;
    double spacing; ///< m
} PxPotentialInput;

/// A frame of a grid. A grid has 2 million cells along an axis; where points are spread wider,
/// because one was ejected far away, the frame is centred at the median and positions beyond it are
/// clamped to the outermost cells. Errors: PX_ERR_MEMORY.
PxStatus px_potential_frame(double cell, PxGridPoints points, PxArena *scratch,
                            const PxThreads *threads, PxGridFrame *out);

/// Copies the input. Errors: PX_ERR_MEMORY, PX_ERR_ARGUMENT for an iso that the field does not
/// reach.
PxStatus px_potential_create(PxPotential *field, const PxPotentialModel *model,
                             const PxSurfaceDef *def, const PxPotentialInput *input,
                             const PxThreads *threads);

/// Largest distance at which a particle can influence the value at a point, spacings.
double px_potential_influence(const PxPotentialModel *model, const PxSurfaceDef *def);
void px_potential_free(PxPotential *field);

/// Gathers up to `most` sources within the reach of the box `low` to `high` (m), relative to
/// `origin`, continuing from *cursor. Start with a cursor of {0}; returns 0 at the end.
typedef struct PxPotentialCursor {
    uint32_t y, z, row, end; /* current row of cells and its remaining particles */
    bool begun;
} PxPotentialCursor;
uint32_t px_potential_gather(const PxPotential *field, const double low[3], const double high[3],
                             const double origin[3], PxPotentialCursor *cursor,
                             PxPotentialSource *out, uint32_t *row, uint32_t most);

/// Depths at 8 points given in spacings from `origin` (m), at most PX_POTENTIAL_STENCIL away from
/// it; from the particles that the filter accepts, all if it is NULL.
typedef bool PxPotentialFilter(const void *user, uint32_t row);
void px_potential_points(const PxPotential *field, const double origin[3], const float x[8],
                         const float y[8], const float z[8], PxPotentialFilter *seen,
                         const void *user, float depth[8]);

/// Converts a raw value to a depth.
static inline float px_potential_depth(const PxPotential *field, float raw)
{
    return (raw - field->level) / field->slope;
}

/// Depth of one phase in the presence of another one: the interface is where both are equally deep.
/// Between the phases both depths may be slightly negative, since each ends half a spacing outside
/// its own particles; such a gap is not a free surface. So within PX_POTENTIAL_MEET of the other
/// phase this one is extended, up to where both are equal.
#define PX_POTENTIAL_MEET 0.3f
static inline float px_potential_meet(float own, float other)
{
    float lean = other + PX_POTENTIAL_MEET;
    lean = lean < 0.0f ? 0.0f : lean > PX_POTENTIAL_MEET ? PX_POTENTIAL_MEET : lean;
    return own + lean < own - other ? own + lean : own - other;
}
/// A vertex is on the interface if the other phase is at least this deep there.
#define PX_POTENTIAL_TOUCH -0.2f

/// Vector loop over neighbourhoods (neighbourhood.simd.c): volumes and locations of the particles.
PX_ISA_DECLARE(void, px_neighbourhood_block,
               (void *field, uint32_t begin, uint32_t end, int thread));

#endif
