/// What a surface must not pass: walls, which have an inside, and sheets, which have none
/// (004 section 4.4).
///
/// A particle does not act where it cannot be seen from, that is, where a barrier cuts the way; so
/// what is on one side of a thin barrier makes no surface on the other. And no place nearer
/// to a barrier than the gap is inside the surface: the depth is limited to the room that
/// is left there. (004 resets nodes that are too near. A limit that falls to 0 at
/// the gap does the same and leaves no steps in the mesh.)
///
/// Between two nodes on both sides of a barrier thinner than a cell, at least one must find no
/// room. One of them is within half a cell of the barrier's middle, so the gap is at least half of
/// what the barrier is thinner than a cell.
#ifndef PX_SURFACE_FIELD_BARRIER_H
#define PX_SURFACE_FIELD_BARRIER_H

#include "base/memory.h"
#include "matter/wall.h"
#include "shape/mesh_tree.h"

typedef struct PxBarriers {
    const PxWall *wall; ///< moved to the time in question, pose[0]
    size_t walls;
    PxMeshTree *const *sheet;
    size_t sheets;
    double gap;     ///< m
    double cell;    ///< m
    uint8_t *plain; ///< by wall: px_barriers_prepare() has found its mesh to be one plain surface
} PxBarriers;

/// Looks which walls are meshes without parts that lie in each other: there the nearest face tells
/// the side, which is far cheaper than the winding number. Errors: PX_ERR_MEMORY.
PxStatus px_barriers_prepare(PxBarriers *barriers);
void px_barriers_free(PxBarriers *barriers); ///< what px_barriers_prepare() made

/// Room at a place, m: the way to the nearest barrier less its gap, negative in walls;
/// `within` if it is at least that.
double px_barriers_room(const PxBarriers *barriers, PxVec3 place, double within);

/// The depth that is left of one below the surface where there is so much room, all in spacings.
/// Within PX_CLING_REACH of a barrier the liquid clings to it: what would be a gap thinner than
/// PX_CLING is filled, so that a liquid which touches a wall has no air and no ripples between
/// them.
#define PX_CLING 0.12f
#define PX_CLING_REACH 0.75f
static inline float px_barriers_limit(float depth, float room)
{
    if (room < PX_CLING_REACH)
        depth += PX_CLING * (1.0f - (room > 0.0f ? room : 0.0f) / PX_CLING_REACH);
    return depth < room ? depth : room;
}

/// ---- one barrier: walls come first, then sheets ----

/// Whether it is so thin that particles on one side act on the other, `reach` m away. Walls around
/// a convex space have no other side.
bool px_barrier_cuts(const PxBarriers *barriers, size_t k, double reach);

/// Where a place lies: how far from the barrier (at most `within`, m) and in which direction.
typedef struct PxSide {
    float distance; ///< m, negative in walls
    float away[3];  ///< from the nearest point of the barrier to the place
} PxSide;
PxSide px_barrier_side(const PxBarriers *barriers, size_t k, PxVec3 place, double within);

/// Whether the barrier cuts the way between two places whose sides are known. Places that look the
/// same way away from it are on one side of a thin barrier; only for others the way is searched.
bool px_barrier_hides(const PxBarriers *barriers, size_t k, PxVec3 a, const PxSide *side_a,
                      PxVec3 b, const PxSide *side_b);

#endif
