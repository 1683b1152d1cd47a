/// What looking pieces over is made of: who belongs together (pieces.c), where everybody is in the
/// rest shape, and which strain is left there (rest_shape.c).
#ifndef PX_WORLD_PIECES_PARTS_H
#define PX_WORLD_PIECES_PARTS_H

#include "world/mixed.h"
#include "world/pieces.h"

#include <math.h>

/* Matter that keeps its rest shape and hangs together by it, and the rigid motion that brings the
 * rest shape nearest to where it is. */
typedef struct PxCore {
    uint32_t piece;
    PxMat3 turn; /* rest shape to world */
    PxVec3 move;
    double weight;
    PxVec3 first, middle, at; /* of the fit */
    PxMat3 spread;
} PxCore;

typedef struct PxFollow {
    PxWorld *world;
    PxParticles *p;
    PxMixedColumns mixed;
    PxSolidColumns solid;
    uint32_t n;

    /* by row */
    uint8_t *elastic;
    float *firm;      /* part of it that is not molten; 0 of those without a rest place too */
    float *kept;      /* part of the rest shape that it keeps */
    uint32_t *before; /* slot among the old ones, + 1; 0: had none */
    uint32_t *root;
    uint32_t *piece; /* + 1; 0: none */
    uint32_t *core;  /* + 1; 0: none */
    float *place;    /* 4: where it is, in the piece's frame, and nothing */
    float *own;      /* 4: its displacement there, and whether it has one */
    float *u;        /* 4: what becomes of it */
    float *next;     /* 4 */
    float *crowd;    /* of what follows: part by which more lies around it than in a lattice */

    /* by old slot */
    uint32_t *row;
    PxMat3 *deformed; /* rest shape to world */
    double *strain;   /* 6: elastic */
    double *room;     /* part of its own that it has */
    float *whole;     /* what its strain counted (solid/lists.h) */
    float *old_melted;
    uint32_t *neighbours;
    PxSolid old;

    uint32_t pieces, cores;
    PxCore *core_of; /* by core */
    uint32_t *base;  /* by piece: the core whose rest shape its own goes on, + 1; 0: none */
    PxMat3 *turn;    /* by piece: rest shape to world */
    PxVec3 *move;
} PxFollow;

/// Can its rest shape follow at all?
static inline bool px_follows(const PxFollow *f, uint32_t i)
{
    return isfinite(px_mixed_turn(&f->world->materials.data[f->p->material[i]].def));
}

static inline PxVec3 px_follow_rest(const PxFollow *f, uint32_t i)
{
    return px_vec((double)f->solid.rest[0][i], (double)f->solid.rest[1][i],
                  (double)f->solid.rest[2][i]);
}

/// 1 up to `most`, 0 from `none` on.
static inline float px_follow_less(float x, float most, float none)
{
    float part = (x - most) / (none - most);
    return part > 0.0f ? part < 1.0f ? 1.0f - part : 0.0f : 1.0f;
}

/// Gives everybody a place in the rest shape of the piece.
void px_follow_places(PxFollow *follow);

/// With the lists of the new rest shape made: the strain that is left along it.
PxStatus px_follow_strains(PxFollow *follow);

#endif
