/// What the files of a coat share.
#ifndef PX_SURFACE_COAT_INNER_H
#define PX_SURFACE_COAT_INNER_H

#include "surface/coat/coat.h"
#include "surface/coat/neighbours.h"

#define PX_COAT_H 2.0f       ///< support of the field, spacings
#define PX_COAT_MARGIN 0.25f ///< that points may move before their lists are made anew
#define PX_COAT_CELL 2.5     ///< of the particles' grid
#define PX_COAT_PAIRS 2.4f   ///< particles so near know of each other
/// Two particles of a part nearer than this are in one piece: between them the field is above the
/// level of the surface, whoever else is there.
#define PX_COAT_LINK 1.5f
#define PX_COAT_NONE UINT32_MAX
#define PX_COAT_ANY (PX_COAT_NONE - 1u) ///< a part of the last frame: of any
#define PX_COAT_MELTED 0.05f            ///< what is colder keeps the surfels it has
#define PX_COAT_DISC 1.15               ///< radius of a surfel, distances of surfels

/// Columns of the surfels, in this order.
enum {
    PX_SURFEL_ID,
    PX_SURFEL_LABEL,
    PX_SURFEL_POSITION,
    PX_SURFEL_NORMAL,
    PX_SURFEL_TANGENT,
    PX_SURFEL_RADIUS,
    PX_SURFEL_COLOUR,
    PX_SURFEL_PAINTED, ///< 1: the colour is that of zombies
    PX_SURFEL_MELTED,
    PX_SURFEL_VELOCITY,
    PX_SURFEL_PART,  ///< number of the part in this frame
    PX_SURFEL_BASE,  ///< where the motion alone put it: place and normal
    PX_SURFEL_FRESH, ///< 1 when it was made in this frame
    PX_SURFEL_RAW    ///< 1: made on what was not melted, where it tore open
};

typedef struct PxSurfelColumns {
    uint64_t *id, *label;
    float *at[3], *normal[3], *tangent[6], *radius, *colour[3], *painted, *melted, *velocity[3],
        *base[6], *raw;
    uint32_t *part, *fresh;
} PxSurfelColumns;

PxSurfelColumns px_surfel_columns(const PxCoat *coat);

/// Columns of marks and zombies.
enum { PX_MARK_ID, PX_MARK_LABEL, PX_MARK_POSITION };
enum { PX_ZOMBIE_ID, PX_ZOMBIE_LABEL, PX_ZOMBIE_POSITION, PX_ZOMBIE_NORMAL, PX_ZOMBIE_COLOUR };

/// The particles of a frame, in the order of coat->particle_grid.
typedef struct PxCoatField {
    const PxCoat *coat;
    const PxCoatInput *in;
    PxIsa isa;
    uint32_t count;
    float *x, *y, *z; ///< spacings from the coat's origin
    uint64_t *id;
    uint32_t *row;  ///< of the input
    uint32_t *mark; ///< row of the marks, or PX_COAT_NONE for a particle that is new
    uint32_t *was;  ///< part of the last frame, or a number for particles that are new
    uint32_t *part;
    uint32_t *seen; ///< whichever of the two the weights are computed by
    float *weight;  ///< a_j
    float *melted;
    float *edge;      ///< how likely at the boundary, 0 .. 1 (001 Eq. 29)
    uint8_t *covered; ///< a surfel is near
    float *quad;      ///< x y z weight
    float *part_quad; ///< x y z and the part's number
    uint64_t *label;  ///< by part
    uint32_t parts;
    uint64_t *old_label; ///< ascending: those of the last frame
    uint32_t old_labels;
    PxCoatTree tree;
} PxCoatField;

/// Reads the input, sorts it and joins it with the marks. (`was` is UINT32_MAX for new particles.)
PxStatus px_coat_field_make(PxCoat *coat, const PxCoatInput *in, PxCoatField *f);

/// The number of a label of the last frame, or PX_COAT_NONE.
uint32_t px_coat_label_number(const PxCoatField *f, uint64_t label);

/// The numbers of the labels of surfels or zombies, PX_COAT_ANY for the label 0. Taken from the
/// scratch.
PxStatus px_coat_numbers_of(const PxCoatField *f, const PxTable *table, uint32_t **out);

/// Fills `weight` by the numbers in `seen`, `edge` and the quads.
void px_coat_field_weigh(PxCoatField *f);

/// The field at a place, of the particles whose `seen` is that.
float px_coat_field_at(const PxCoatField *f, const float at[3], uint32_t seen);

/// Bunches of points and their lists of particles, for points that may move by PX_COAT_MARGIN.
/// Those where `hot` is 0 have none. The lists hold until `rows` is used again.
PxStatus px_coat_near(const PxCoatField *f, float *const at[3], uint32_t count, const float *hot,
                      PxCoatRows *rows, PxCoatLists *out);

/// Surfels and zombies go with the particles from the last frame to this one (advect.c).
PxStatus px_coat_move(PxCoat *coat, const PxCoatField *f);

/// Which particle is in which part (components.c): fills part, label.
PxStatus px_coat_divide(PxCoatField *f);

/// Every surfel joins the part of the particle that has most of the field there; those that have
/// none, or lie too deep or too far out, are deleted. (resample.c)
PxStatus px_coat_attach(PxCoat *coat, PxCoatField *f);

/// Deletes surfels that crowd and puts new ones in gaps and beside particles that have none, up to
/// `passes` times. The `last` time in a frame particles are not asked.
PxStatus px_coat_sample(PxCoat *coat, PxCoatField *f, bool last, uint32_t passes);

/// Puts the rows of the surfels or zombies in the order in which they lie in space.
PxStatus px_coat_sort(PxCoat *coat, const PxCoatInput *in, PxTable *table);

/// The forces on the surfels (forces.c).
PxStatus px_coat_settle(PxCoat *coat, PxCoatField *f);

/// What the next frame has to know of this one's particles.
PxStatus px_coat_mark(PxCoat *coat, const PxCoatField *f);

/// Puts a point onto the wall that it faces, if that attracts and is so near, spacings.
bool px_coat_cling(const PxCoat *coat, const PxCoatInput *in, float within, float at[3],
                   float normal[3]);

/// Puts surfels that were made since the forces acted out of walls.
PxStatus px_coat_keep_out(PxCoat *coat, const PxCoatField *f);

/// Velocities of the surfels.
PxStatus px_coat_carry(PxCoat *coat, const PxCoatField *f);

/// Zombies follow onto the surface, and surfels take their colours (paint.c).
PxStatus px_coat_paint(PxCoat *coat, PxCoatField *f);

/* ---- vector loops ---- */

typedef struct PxCoatProject {
    const PxCoatField *f;
    PxCoatLists lists;
    float *at[3], *normal[3];
    const uint32_t *part;
    float *value, *slope; ///< of the field: where the point began; its length there
    uint8_t *state;       ///< PX_COAT_OPEN and so on
    float level;
    int steps; ///< of Newton's method; 0: value, slope and normal only
} PxCoatProject;
enum { PX_COAT_OPEN, PX_COAT_ON, PX_COAT_LOST };

typedef struct PxCoatRound {
    const PxCoatField *f;
    PxCoatLists lists;        ///< of surfels
    PxCoatLists near;         ///< of particles, for the same bunches
    const float *quad;        ///< surfels: x y z melted
    const float *normal_quad; ///< nx ny nz part
    const float *wall;        ///< 4 a surfel: a plane to stay above of; or NULL
    const float *pull;        ///< how much that plane attracts, 0 .. 1
    float *to[3], *normal[3];
    float *largest; ///< by block, spacings
    float guide, attract, smooth, repel, alpha;
    float level, least, reach, apart;
} PxCoatRound;

typedef struct PxCoatRing {
    PxCoatLists lists; ///< of surfels
    const float *quad, *normal_quad;
    const uint64_t *id;
    float *tangent[6]; ///< half axes; of what is melted made square to the normal and each other
    float apart;       ///< distance of surfels, spacings
    uint8_t *crowded;  ///< an older one is too near
    uint16_t *open;    ///< directions in which nobody is
    float (*side)[6];  ///< the two axes that directions are counted in, where any is open
    float *radius;     ///< of the disc: such that no gap is left, and a little more, spacings
} PxCoatRing;
#define PX_COAT_RING 16
#define PX_COAT_RING_REACH 2.1f ///< of the lists, distances of surfels

/// (1 - r^2/h^2)^3 where a surfel is so near, 0.95 spacings, that a particle has enough of it.
#define PX_COAT_COVERED 0.464359f

typedef struct PxCoatOwn {
    PxCoatField *f;
    PxCoatLists lists;
    float *at[3];
    const uint32_t *own; ///< number of the part of the last frame, or PX_COAT_ANY
    uint32_t *part;      ///< and label: those of this frame
    uint64_t *label;
    float *melted;
    uint8_t *drop; ///< nobody is near
    bool cover;    ///< note which particles are covered
} PxCoatOwn;

typedef struct PxCoatCarry {
    const PxCoatField *f;
    PxCoatLists lists;
    float *at[3], *to[3];
    const uint32_t *part;
    const float *velocity; ///< 4 a particle
} PxCoatCarry;

typedef struct PxCoatPaint {
    PxCoatLists lists; ///< of zombies
    float *at[3], *normal[3], *colour[3], *painted;
    const uint32_t *part;
    const float *quad, *normal_quad, *colour_quad; ///< zombies: x y z 0, normal and part, r g b 0
    float reach;
} PxCoatPaint;

typedef struct PxCoatDrift {
    uint32_t count;
    const PxPairs *pairs; ///< particles
    const float *quad;    ///< x y z label's number
    const float *step;    ///< dx dy dz 0
    float *gradient;      ///< 12 a particle: three quads, rows of the gradient of the motion
    float *spread;        ///< by particle: how much further a neighbour goes
} PxCoatDrift;

typedef struct PxCoatFollow {
    const PxCoatDrift *drift;
    PxCoatLists lists;
    const uint32_t *own; ///< number of the point's label
    float *at[3], *normal[3];
    float *tangent[6]; ///< or NULL
} PxCoatFollow;

PX_ISA_DECLARE(void, px_coat_weigh_block, (void *field, uint32_t begin, uint32_t end, int thread));
PX_ISA_DECLARE(void, px_coat_project_block, (void *job, uint32_t begin, uint32_t end, int thread));
PX_ISA_DECLARE(void, px_coat_round_block, (void *job, uint32_t begin, uint32_t end, int thread));
PX_ISA_DECLARE(void, px_coat_ring_block, (void *job, uint32_t begin, uint32_t end, int thread));
PX_ISA_DECLARE(void, px_coat_drift_block, (void *job, uint32_t begin, uint32_t end, int thread));
PX_ISA_DECLARE(void, px_coat_follow_block, (void *job, uint32_t begin, uint32_t end, int thread));
PX_ISA_DECLARE(void, px_coat_own_block, (void *job, uint32_t begin, uint32_t end, int thread));
PX_ISA_DECLARE(void, px_coat_carry_block, (void *job, uint32_t begin, uint32_t end, int thread));
PX_ISA_DECLARE(void, px_coat_paint_block, (void *job, uint32_t begin, uint32_t end, int thread));

/// Particles a block: the work a particle is large.
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
