/// The skin of a solid body: points of its surface that its particles carry along.
///
/// A skin is surfels, or the corners of triangles. Each point keeps its place in the rest shape,
/// two tangents and a radius; particles near it in the rest shape blend their affine maps
/// (solid/maps.h) with the weights of 000 Eq. 5.28,
///
///     w_j ~ (1 - r^2 / R_j^2)^3,   r = |m - m_j|,
///
/// and the blended map moves the point and its tangents. The rest shape stays, so neighbours and
/// weights are found once (px_skin_bind) and moving is 16 multiply-adds a neighbour. R_j is 1.8
/// times the mean distance of the 6 particles nearest to j, not the support of the physics: about
/// 13 particles count on a face, as many where coarse and fine ones meet.
///
/// Surfels that are stretched are shown as several (000 section 5.5.2): the first fundamental form
/// of the moved tangents says how far and along which axes. How many there are depends on the map
/// alone, and the surfels they come from are always kept: what is stretched and let go has the same
/// surfels as before, bit for bit.
#ifndef PX_SURFACE_SKIN_SKIN_H
#define PX_SURFACE_SKIN_SKIN_H

#include "base/arena.h"
#include "base/table.h"
#include "shape/shape.h"
#include "shape/texture.h"
#include "solid/maps.h"
#include "spatial/kdtree.h"

/// Surfels of one body, at most.
#define PX_SKIN_MOST 2000000u
/// Times that a surfel is halved, at most: it becomes 64.
#define PX_SKIN_DEPTH 6
/// A surfel whose longer half axis is more than this many radii is halved ...
#define PX_SKIN_STRETCH 1.5f
/// ... if that is also this many times the shorter one: a surfel that grew to all sides alike has
/// no main axis, and covers as well as before.
#define PX_SKIN_RATIO 1.25f

/// Sorts of particles by size, each up to twice as large as the one before.
#define PX_SKIN_SORTS 8

/// Part of a point's motion.
typedef struct PxSkinLink {
    uint32_t particle; ///< number within the skin
    float weight;      ///< of all links of a point: 1 in sum
} PxSkinLink;

typedef struct PxSkin {
    const PxAllocator *allocator;
    uint32_t holders;   ///< besides the first owner
    PxTable base;       ///< the points at rest: rest, tangent (6), radius; colour, uv
    PxVec3 rest_origin; ///< what `rest` is counted from, m
    bool absorbed;      ///< the rest shape is not the one it was made with
    bool painted;       ///< colours came with the mesh or its texture
    uint32_t triangles; ///< 0: surfels
    uint32_t (*triangle)[3];

    /* How the points hang on the particles. */
    bool bound;
    uint64_t version;   ///< of the maps it was bound to
    PxVec3 shift;       ///< from coordinates of the maps at rest to those of the skin
    uint32_t particles; ///< of this body
    uint32_t *particle; ///< their numbers in the maps
    float *map;         ///< 16 a particle: three rows of J and a, then velocity and 0
    uint32_t *start;    ///< links of point i: start[i] to start[i + 1]
    PxSkinLink *link;
    size_t particle_room, link_room;
    PxKdTree all, sort[PX_SKIN_SORTS]; ///< of the particles, kept for the next time

    /* Where the points are. */
    PxTable shown;   ///< position, normal, tangent (6), radius, velocity, colour, uv; the
                     ///< points of `base` come first, what they were split into after them
    uint8_t *level;  ///< by point: how often it is halved along both axes, 4 bits each
    uint32_t *extra; ///< by block of points: surfels that splitting adds
} PxSkin;

/// Whether the shape can have a skin, painted with the texture (may be NULL): PX_ERR_ARGUMENT for a
/// plane, and for a texture without coordinates.
PxStatus px_skin_check(const PxShape *shape, const PxTexture *texture);

/// Covers a shape with about `count` surfels: so many that radius = spacing of px_shape_cover()
/// leaves no hole. Colours are those of the texture (may be NULL) at the mesh's coordinates, else
/// those of its vertices, else there are none (`painted` is false, all is white).
/// Errors: PX_ERR_ARGUMENT for a texture without coordinates; PX_ERR_MEMORY.
PxStatus px_skin_create_surfels(const PxShape *shape, uint32_t count, const PxTexture *texture,
                                const PxAllocator *allocator, PxSkin **out);

/// The shape's own triangles, cut until no edge is longer than `longest`: what is to bend needs
/// corners to bend at. Errors: as above.
PxStatus px_skin_create_mesh(const PxShape *shape, double longest, const PxTexture *texture,
                             const PxAllocator *allocator, PxSkin **out);
/// The last owner frees it.
void px_skin_free(PxSkin *skin);
/// One more owner: one more px_skin_free(). Threads: one at a time.
void px_skin_hold(PxSkin *skin);

/// Finds the particles of `body` that move each point, and their weights. At least 4 (or all that
/// there are), the nearest, where supports do not reach. Again whenever maps->version changed;
/// allocates only when there are more particles or links than ever before.
/// Errors: PX_ERR_MEMORY.
PxStatus px_skin_bind(PxSkin *skin, const PxSolidMaps *maps, uint32_t body,
                      const PxThreads *threads, PxArena *scratch);

/// Fills `shown`; empty when the body has no particles left. The same bits for any number of
/// threads. Allocates only when there are more surfels than ever before. The skin must be bound to
/// these maps. Errors: PX_ERR_MEMORY.
PxStatus px_skin_move(PxSkin *skin, const PxSolidMaps *maps, const PxThreads *threads);

/// The deformed shape becomes the rest shape: points and tangents are moved by the maps, and the
/// skin is to be bound anew, to maps of the new rest shape.
void px_skin_absorb(PxSkin *skin, const PxSolidMaps *maps, const PxThreads *threads);

/// Bytes held.
size_t px_skin_bytes(const PxSkin *skin);

#endif
