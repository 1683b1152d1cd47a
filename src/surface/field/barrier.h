/// Barriers that a surface does not cross: walls, which have an inside, and sheets, which have none
/// (004 section 4.4).
///
/// A particle has no effect on points that a barrier occludes from it, so matter on one side of a
/// thin barrier makes no surface on the other. And the depth below the surface is limited to the
/// clearance from the barriers, so no point nearer than the gap is inside. (004 resets the field of
/// nodes that are too near. A limit that falls to 0 at the gap has the same effect without steps in
/// the mesh.)
///
/// Of two neighbouring nodes on both sides of a barrier thinner than a cell, at least one must have
/// no clearance. One of them is within half a cell of the barrier's middle, so the gap is at least
/// half the difference between cell and thickness.
#ifndef PX_SURFACE_FIELD_BARRIER_H
#define PX_SURFACE_FIELD_BARRIER_H

#include "base/memory.h"
#include "matter/wall.h"
#include "shape/mesh_tree.h"

/// A ball that no surface enters.
typedef struct PxBall {
    PxVec3 place;
    double radius; ///< m
    bool grown;    ///< in this round of surface/mesh/crossings.h
} PxBall;
typedef PX_LIST(PxBall) PxBalls;

typedef struct PxBarriers {
    const PxWall *wall; ///< moved to the time of the frame, pose[0]
    size_t walls;
    PxMeshTree *const *sheet;
    size_t sheets;
    PxBalls balls; ///< made by the surface where it would cross sheets
    double gap;    ///< m
    double cell;   ///< m
    bool *simple;  ///< by wall: its mesh has no overlapping parts; set by px_barriers_prepare()
    _Atomic uint8_t **face; ///< by wall, then by face of a mesh that is not simple: private
} PxBarriers;

/// Finds the walls that are meshes without overlapping parts: there the normal of the nearest face
/// gives the sign of the distance, which is far cheaper than the winding number. Of others, the
/// faces are looked at when they are needed. Errors: PX_ERR_MEMORY.
PxStatus px_barriers_prepare(PxBarriers *barriers);
void px_barriers_free(PxBarriers *barriers); ///< frees what px_barriers_prepare() allocated

/// Clearance at a point, m: distance to the nearest barrier minus its gap, negative inside walls;
/// `within` if it is larger.
double px_barriers_clearance(const PxBarriers *barriers, PxVec3 place, double within);

/// The same of the balls alone.
double px_barriers_balls(const PxBarriers *barriers, PxVec3 place, double within);

/// Distance that surfaces keep from sheets, m.
double px_barriers_sheet_gap(const PxBarriers *barriers);

/// Limits a depth to a clearance, both in spacings. Within PX_CLING_REACH of a barrier the depth is
/// raised by up to PX_CLING, which closes thin gaps between a liquid and the wall it touches.
#define PX_CLING 0.12f
#define PX_CLING_REACH 0.75f
static inline float px_barriers_limit(float depth, float room)
{
    if (room < PX_CLING_REACH)
        depth += PX_CLING * (1.0f - (room > 0.0f ? room : 0.0f) / PX_CLING_REACH);
    return depth < room ? depth : room;
}

/// ---- one barrier: walls come first, then sheets ----

/// Can particles on one side of the barrier act on the other, for a kernel support of `reach` m?
/// Walls around a convex space have no other side.
bool px_barrier_is_thin(const PxBarriers *barriers, size_t k, double reach);

/// Position of a point relative to a barrier.
typedef struct PxSide {
    float distance; ///< at most `within`, m; negative inside walls
    float away[3];  ///< unit vector from the nearest point of the barrier
} PxSide;
PxSide px_barrier_side(const PxBarriers *barriers, size_t k, PxVec3 place, double within);

/// The same for the 512 nodes of a block of a grid, x fastest: each search begins with what is
/// known of the node before.
#define PX_SIDES_EDGE 8
#define PX_SIDES (PX_SIDES_EDGE * PX_SIDES_EDGE * PX_SIDES_EDGE)
typedef struct PxSides {
    float distance[PX_SIDES], away[3][PX_SIDES];
} PxSides;
void px_barrier_sides(const PxBarriers *barriers, size_t k, PxVec3 low, double cell, double within,
                      PxSides *out);

/// Distance that surfaces keep from barrier k, m.
double px_barrier_gap(const PxBarriers *barriers, size_t k);

/// Distance of a point of a wall's rest frame to its surface, m, negative in the solid; +-`within`
/// where it is that much or more.
double px_barrier_wall_distance(const PxBarriers *barriers, size_t k, PxVec3 rest, double within);

/// Does the barrier intersect the segment between two points whose sides are known? Points with
/// similar directions `away` are on one side of a thin barrier; the segment is traced only for
/// others.
bool px_barrier_occludes(const PxBarriers *barriers, size_t k, PxVec3 a, const PxSide *side_a,
                         PxVec3 b, const PxSide *side_b);

#endif
