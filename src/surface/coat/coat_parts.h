/// Internals of a coat: columns, the field of the particles, the stages of a frame and the inputs
/// of the vector loops.
#ifndef PX_SURFACE_COAT_COAT_PARTS_H
#define PX_SURFACE_COAT_COAT_PARTS_H

#include "surface/coat/coat.h"
#include "surface/coat/neighbours.h"

#define PX_COAT_H 2.0f ///< support h of the field's kernel, spacings
/// Distance that points may move before their neighbour lists are rebuilt, spacings.
#define PX_COAT_MARGIN 0.25f
#define PX_COAT_CELL 2.5   ///< cell edge of the particles' grid, spacings
#define PX_COAT_PAIRS 2.4f ///< radius of the particles' neighbour lists, spacings
/// Particles of one component nearer than this are connected: between them the field is above the
/// isovalue whatever other particles are there. Spacings.
#define PX_COAT_LINK 1.5f
#define PX_COAT_NONE UINT32_MAX
#define PX_COAT_ANY (PX_COAT_NONE - 1u) ///< matches every component of the last frame
/// Molten fraction below which matter counts as solid and keeps its surfels.
#define PX_COAT_MELTED 0.05f
#define PX_COAT_DISC 1.15 ///< initial radius of a surfel, in distances between surfels

/// Columns of the surfels, in this order.
enum {
    PX_SURFEL_ID,
    PX_SURFEL_LABEL,
    PX_SURFEL_POSITION,
    PX_SURFEL_NORMAL,
    PX_SURFEL_TANGENT,
    PX_SURFEL_RADIUS,
    PX_SURFEL_COLOUR,
    PX_SURFEL_PAINTED, ///< 1: the colour comes from zombies
    PX_SURFEL_MELTED,
    PX_SURFEL_VELOCITY,
    PX_SURFEL_COMPONENT, ///< index of the component in this frame
    PX_SURFEL_BASE,      ///< position and normal after advection alone
    PX_SURFEL_FRESH,     ///< 1: made in this frame
    PX_SURFEL_RAW,       ///< 1: made on a fracture surface of solid matter
    PX_SURFEL_YIELDED,   ///< part of the way from the given detail to the isosurface, 0 .. 1
    PX_SURFEL_YIELDS     ///< part of the rest of that way in this frame
};

typedef struct PxSurfelColumns {
    uint64_t *id, *label;
    float *at[3], *normal[3], *tangent[6], *radius, *colour[3], *painted, *melted, *velocity[3],
        *base[6], *raw, *yielded, *yields;
    uint32_t *component, *fresh;
} PxSurfelColumns;

PxSurfelColumns px_surfel_columns(const PxCoat *coat);

/// Columns of the tables `previous` and `zombies`.
enum { PX_PREVIOUS_ID, PX_PREVIOUS_LABEL, PX_PREVIOUS_POSITION, PX_PREVIOUS_EDGE };
enum { PX_ZOMBIE_ID, PX_ZOMBIE_LABEL, PX_ZOMBIE_POSITION, PX_ZOMBIE_NORMAL, PX_ZOMBIE_COLOUR };

/// The particles of a frame and the field they define, in the order of coat->particle_grid.
typedef struct PxCoatField {
    const PxCoat *coat;
    const PxCoatInput *in;
    PxIsa isa;
    uint32_t count;
    float *x, *y, *z; ///< spacings from the coat's origin
    uint64_t *id;
    uint32_t *row;           ///< row of the input
    uint32_t *previous_row;  ///< row of coat->previous, or PX_COAT_NONE for a new particle
    uint32_t *old_component; ///< component in the last frame; new particles get one in
                             ///< px_coat_find_components()
    uint32_t *component;
    uint32_t *group; ///< old_component or component: what separates the field at present
    float *weight;   ///< a_j
    float *melted;
    float *edge;           ///< boundary indicator P, 0 inside .. 1 (001 Eq. 29)
    float *edge_change;    ///< its change since the last frame; 0 for new particles
    uint8_t *covered;      ///< 1: a surfel is near
    float *quad;           ///< x y z weight
    float *component_quad; ///< x y z group
    uint64_t *label;       ///< by component: 1 + lowest id
    uint32_t components;
    uint64_t *old_label; ///< labels of the last frame, ascending; their index is `old_component`
    uint32_t old_labels;
    PxCoatTree tree;
} PxCoatField;

/// Reads the input, sorts it by cell and matches it with coat->previous by id. `old_component` is
/// PX_COAT_NONE for new particles.
PxStatus px_coat_field_make(PxCoat *coat, const PxCoatInput *in, PxCoatField *f);

/// Index of a label of the last frame, or PX_COAT_NONE.
uint32_t px_coat_label_number(const PxCoatField *f, uint64_t label);

/// The same for every row of the surfels or zombies, PX_COAT_ANY for the label 0. Taken from the
/// scratch.
PxStatus px_coat_label_numbers(const PxCoatField *f, const PxTable *table, uint32_t **out);

/// Computes `weight` and `edge` over neighbours of the same `group`, and packs the quads.
void px_coat_field_weigh(PxCoatField *f);

/// Computes `edge_change`.
void px_coat_find_changes(PxCoatField *f);

/// The field at a point, summed over the particles of that group.
float px_coat_field_at(const PxCoatField *f, const float at[3], uint32_t group);

/// Bunches of points and their lists of neighbouring particles, valid while points move by less
/// than PX_COAT_MARGIN. Bunches in which `hot` is 0 everywhere get empty lists. The lists stay
/// valid until `rows` is used again.
PxStatus px_coat_list_particles(const PxCoatField *f, float *const at[3], uint32_t count,
                                const float *hot, PxCoatRows *rows, PxCoatLists *out);

/// Advects surfels and zombies from the last frame to this one (advect.c).
PxStatus px_coat_advect(PxCoat *coat, const PxCoatField *f);

/// Finds the connected components of the particles (components.c): fills `component` and `label`.
PxStatus px_coat_find_components(PxCoatField *f);

/// Assigns every surfel to the component of the particle with the largest share of the field there.
/// Deletes surfels without such a particle, and molten ones too far from the isosurface
/// (resample.c).
PxStatus px_coat_attach(PxCoat *coat, PxCoatField *f);

/// Deletes crowded surfels and inserts new ones in gaps and around uncovered particles, in up to
/// `passes` passes. With `last` only gaps are filled.
PxStatus px_coat_resample(PxCoat *coat, PxCoatField *f, bool last, uint32_t passes);

/// Sorts the rows of the surfels or zombies along a Morton curve.
PxStatus px_coat_sort(PxCoat *coat, const PxCoatInput *in, PxTable *table);

/// Moves the surfels by the forces of Eqs. 6.22 to 6.39 (forces.c).
PxStatus px_coat_relax(PxCoat *coat, PxCoatField *f);

/// Stores this frame's particles in coat->previous.
PxStatus px_coat_remember(PxCoat *coat, const PxCoatField *f);

/// Projects a point onto the wall it faces, if that wall attracts and is nearer than `within`
/// spacings. Returns whether it did.
bool px_coat_snap_to_wall(const PxCoat *coat, const PxCoatInput *in, float within, float at[3],
                          float normal[3]);

/// Moves surfels that were inserted after px_coat_relax() out of walls.
PxStatus px_coat_keep_out(PxCoat *coat, const PxCoatField *f);

/// Interpolates velocities of the particles to the surfels (paint.c).
PxStatus px_coat_interpolate_velocity(PxCoat *coat, const PxCoatField *f);

/// Projects zombies onto the surface and gives their colours to the surfels (paint.c).
PxStatus px_coat_paint(PxCoat *coat, PxCoatField *f);
/// Replaces zombies where molten surfels lie on bodies that print their colours (print.c).
PxStatus px_coat_print(PxCoat *coat, const PxCoatField *f);

/* ---- vector loops ---- */

typedef struct PxCoatProject {
    const PxCoatField *f;
    PxCoatLists lists;
    float *at[3], *normal[3];
    const uint32_t *component;
    float *value, *slope; ///< field value and gradient length at the start point
    uint8_t *state; ///< PX_COAT_OPEN: not converged yet; PX_COAT_ON the isosurface; PX_COAT_LOST:
                    ///< no gradient to follow
    float level;
    int steps; ///< Newton iterations; 0: value, slope and normal only
} PxCoatProject;
enum { PX_COAT_OPEN, PX_COAT_ON, PX_COAT_LOST };

typedef struct PxCoatRound {
    const PxCoatField *f;
    PxCoatLists lists;        ///< of surfels
    PxCoatLists near;         ///< of particles, for the same bunches
    const float *quad;        ///< surfels: x y z melted
    const float *normal_quad; ///< nx ny nz component
    const float *wall; ///< 4 numbers a surfel: the plane n.x >= c of the nearest wall; or NULL
    const float *pull; ///< attraction of that plane, 0 .. 1
    float *to[3], *normal[3];
    float *largest; ///< largest displacement by block, spacings
    float guide, attract, smooth, repel, alpha;
    float level, least, reach, apart;
} PxCoatRound;

typedef struct PxCoatCoverage {
    PxCoatLists lists; ///< of surfels
    const float *quad, *normal_quad;
    const uint64_t *id;
    float *tangent[6]; ///< half axes of the disc; of molten matter orthogonal to the normal and
                       ///< each other
    float apart;       ///< distance between surfels, spacings
    uint8_t *crowded;  ///< 1: an older surfel is too near
    uint16_t *open;    ///< bit mask of directions without a neighbour
    float (*side)[6];  ///< tangent axes that directions are counted in; set where any is open
    float *radius;     ///< of the disc: no gap is left, with some overlap; spacings
} PxCoatCoverage;
#define PX_COAT_DIRECTIONS 16
#define PX_COAT_COVERAGE_REACH 2.1f ///< radius of the lists, in distances between surfels

/// W at 0.95 spacings: a particle with a surfel nearer than that counts as covered.
#define PX_COAT_COVERED 0.464359f

typedef struct PxCoatAssign {
    PxCoatField *f;
    PxCoatLists lists;
    float *at[3];
    const uint32_t *own; ///< component of the last frame, or PX_COAT_ANY
    uint32_t *component; ///< output with `label`: of this frame
    uint64_t *label;
    float *melted;
    float *change; ///< output: mean of `edge_change` around the point; NULL: not wanted
    uint8_t *drop; ///< 1: no particle is near
    bool cover;    ///< mark covered particles
} PxCoatAssign;

typedef struct PxCoatVelocity {
    const PxCoatField *f;
    PxCoatLists lists;
    float *at[3], *to[3];
    const uint32_t *component;
    const float *velocity; ///< 4 floats a particle
} PxCoatVelocity;

typedef struct PxCoatPaint {
    PxCoatLists lists; ///< of zombies
    float *at[3], *normal[3], *colour[3], *painted;
    const uint32_t *component;
    const float *quad, *normal_quad,
        *colour_quad; ///< of zombies: x y z 0; normal and component; r g b 0
    float reach;
} PxCoatPaint;

typedef struct PxCoatMotion {
    uint32_t count;
    const PxPairs *pairs; ///< neighbour lists of the particles
    const float *quad;    ///< x y z old component
    const float *step;    ///< displacement in this step: dx dy dz 0
    float *gradient;      ///< 12 floats a particle: the rows of the displacement gradient as quads
    float *spread;        ///< by particle: largest difference of displacement to a neighbour
} PxCoatMotion;

typedef struct PxCoatAdvect {
    const PxCoatMotion *drift;
    PxCoatLists lists;
    const uint32_t *own; ///< component of the last frame
    float *at[3], *normal[3];
    float *tangent[6]; ///< or NULL
} PxCoatAdvect;

PX_ISA_DECLARE(void, px_coat_weigh_block, (void *field, uint32_t begin, uint32_t end, int thread));
PX_ISA_DECLARE(void, px_coat_project_block, (void *job, uint32_t begin, uint32_t end, int thread));
PX_ISA_DECLARE(void, px_coat_round_block, (void *job, uint32_t begin, uint32_t end, int thread));
PX_ISA_DECLARE(void, px_coat_coverage_block, (void *job, uint32_t begin, uint32_t end, int thread));
PX_ISA_DECLARE(void, px_coat_motion_block, (void *job, uint32_t begin, uint32_t end, int thread));
PX_ISA_DECLARE(void, px_coat_advect_block, (void *job, uint32_t begin, uint32_t end, int thread));
PX_ISA_DECLARE(void, px_coat_assign_block, (void *job, uint32_t begin, uint32_t end, int thread));
PX_ISA_DECLARE(void, px_coat_velocity_block, (void *job, uint32_t begin, uint32_t end, int thread));
PX_ISA_DECLARE(void, px_coat_paint_block, (void *job, uint32_t begin, uint32_t end, int thread));

/// Particles a block; small because each costs much.
#define PX_COAT_BLOCK 256u
/// Bunches a block.
#define PX_COAT_BUNCHES 32u

#define PX_COAT_TAKE(in, pointer, elements)                                                        \
    (((pointer) = px_arena_take_array((in)->scratch, (elements), sizeof *(pointer))) != NULL)

static inline PxStatus px_coat_no_room(size_t count)
{
    return px_fail(PX_ERR_MEMORY, "coat: no room for %zu surfels and particles", count);
}

#endif
