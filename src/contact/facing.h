/// Rows of different solids that may touch in a step.
///
/// Solids whose boxes come near each other in the step form pairs. In each pair the rows of either
/// solid near the other's box are sorted into the cells of a small grid, and each of them faces the
/// rows of the other solid that may come near it. Rows are compared where they will be in the
/// middle of the step, in a frame that moves with the mean of the two solids, so that only motion
/// relative to each other lengthens the lists.
///
/// A row of a surface sees what lies in front of it: rows of the other solid count less and less
/// the further they are behind the surface (their angle to its normal at the start of the step).
/// In a narrow slot it touches the near wall only; the mean of both walls would be its own place.
/// Taking the rows on the side of the nearest one instead made contacts jump from wall to wall, and
/// gained energy.
///
/// Distant parts of one solid are a pair of the solid with itself (contact/solid_self.h).
#ifndef PX_CONTACT_FACING_H
#define PX_CONTACT_FACING_H

#include "contact/solid_self.h"
#include "solid/solid.h"

/// Support of the weights, in units of the sum of the two radii.
#define PX_FACING_SUPPORT 2.0

/// A row and those rows of another solid that it may touch.
typedef struct PxFacing {
    uint32_t row;
    uint32_t frame; ///< of the other solid
    uint32_t pair;
    uint32_t start; ///< first entry, a multiple of 8
    uint32_t size;  ///< number of entries without padding
} PxFacing;

/// All facings of the rows of one solid with another.
typedef struct PxFacingPair {
    uint32_t frame[2];
    uint32_t first, end; ///< facings
} PxFacingPair;

typedef struct PxFacings {
    PxSolid *solid;
    const uint8_t *solid_rows; ///< by row: can touch other solids; NULL: all can
    PxSolidSelf *self;         ///< for contact of solids with themselves; NULL: they have none
    uint64_t version;          ///< of the elastic set, for `self`
    PxGrid *grid;              ///< of the caller, for `self`

    uint32_t pairs;
    PxFacingPair *pair; ///< ordered by both frames
    uint32_t *from;     ///< by frame: its first pair; frames + 1 entries
    uint32_t *meets;    ///< pairs in order of the second frame
    uint32_t *met;      ///< by frame: first in `meets`; frames + 1 entries
    uint32_t facings;
    PxFacing *facing;  ///< ordered by pair and row
    float *limit;      ///< by facing: largest gap at which it touches, m; INFINITY: the sum of the
                       ///< radii; NULL: for all (contact/pieces.h)
    uint32_t *entry;   ///< rows; padded with a row of the list
    float *part;       ///< by entry: factor of its weight in this step; 0 in the padding
    uint32_t entries;  ///< with padding
    uint32_t nears;    ///< rows that occur in facings
    uint32_t *near;    ///< these, ascending
    uint32_t *near_of; ///< by frame: first in `near`; frames + 1 entries
    PxVec3 *where;     ///< by row: position at the start of the step, m
    float *radius;     ///< by frame: that of the smallest rows, which cover its surface, m
    double fastest; ///< largest speed of approach of two rows, in radii a second; half of it where
                    ///< they will pass at a distance
} PxFacings;

/// Finds the facings of this step. `facings` may be 0. Errors: PX_ERR_MEMORY.
PxStatus px_facings_find(PxFacings *facings, PxSolid *solid);

#endif
