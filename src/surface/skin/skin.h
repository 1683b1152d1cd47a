/// The skin of a solid body: surfels or triangles of its surface that deform with its particles.
///
/// Each point (a surfel, or the vertex of a triangle) has a rest position, two rest tangents and a
/// radius. Particles near it in the rest shape blend their affine maps (solid/maps.h) with the
/// weights of 000 Eq. 5.28,
///
///     w_j ~ (1 - r^2 / R_j^2)^3,   r = |m - m_j|,
///
/// and the blended map moves the point and its tangents. Neighbours and weights are computed once
/// for a rest shape (px_skin_bind); deforming then costs 16 multiply-adds a neighbour. R_j is 1.8
/// times the mean distance of the 6 particles nearest to j, not the support of the physics: about
/// 13 particles contribute on a face, also where coarse and fine particles of an octree meet.
///
/// Stretched surfels are split (000 section 5.5.2): the first fundamental form of the deformed
/// tangents gives the stretch and its principal axes. The number of parts depends on the current
/// map alone and the original surfels are kept, so a body that is stretched and released has the
/// same surfels as before, bit for bit.
#ifndef PX_SURFACE_SKIN_SKIN_H
#define PX_SURFACE_SKIN_SKIN_H

#include "base/arena.h"
#include "base/table.h"
#include "shape/shape.h"
#include "shape/texture.h"
#include "solid/maps.h"
#include "spatial/kdtree.h"

/// Largest number of surfels of one body.
#define PX_SKIN_MOST 2000000u
/// Most halvings of a surfel: it becomes 64.
#define PX_SKIN_DEPTH 6
/// A surfel is halved if its longer half axis exceeds this many radii ...
#define PX_SKIN_STRETCH 1.5f
/// ... and this many times the shorter one: a surfel stretched equally in all directions needs no
/// splitting, its disc grows with it.
#define PX_SKIN_RATIO 1.25f

/// Size classes of particles; R_j doubles from one to the next.
#define PX_SKIN_SIZE_CLASSES 8

/// One particle's share in the motion of a point.
typedef struct PxSkinLink {
    uint32_t particle; ///< index within the skin
    float weight;      ///< the weights of a point sum to 1
} PxSkinLink;

typedef struct PxSkin {
    const PxAllocator *allocator;
    uint32_t holders;   ///< number of owners besides the first
    PxTable base;       ///< points at rest: rest, tangent (6), radius, colour, uv
    PxVec3 rest_origin; ///< origin of the rest positions, m
    bool absorbed;      ///< the rest shape was updated since creation
    bool painted;       ///< has colours, from the mesh or its texture
    uint32_t triangles; ///< 0: surfels
    uint32_t (*triangle)[3];
    uint32_t *piece; ///< by point: the piece of the body that moves it; NULL: any (pieces.h)
    uint8_t *inside; ///< by point: on the face of a crack; NULL: none is
    PxVec3 *eye;     ///< by point: from where it sees particles, m; NULL: nothing hides them
    const struct PxSkinSheets *sheets; ///< what hides them; not owned (slits.h)

    /* Binding of the points to the particles. */
    bool bound;
    uint64_t version;   ///< of the maps it is bound to
    PxVec3 shift;       ///< from the maps' rest coordinates to the skin's
    uint32_t particles; ///< number of particles of this body
    uint32_t *particle; ///< their rows in the maps
    float *map;         ///< 16 floats a particle: three rows of [J | a], then velocity and 0
    uint32_t *start;    ///< links of point i are start[i] .. start[i + 1]
    PxSkinLink *link;
    size_t particle_room, link_room;
    PxKdTree all,
        size_class[PX_SKIN_SIZE_CLASSES]; ///< kd-trees of the particles; buffers that are reused

    /* The deformed points. */
    PxTable shown;   ///< position, normal, tangent (6), radius, velocity, colour, uv: first the
                     ///< points of `base`, then the surfels that splitting added
    uint8_t *level;  ///< by point: halvings along both principal axes, 4 bits each
    uint32_t *extra; ///< by block of points: number of surfels that splitting adds
} PxSkin;

/// Checks that the shape can have a skin with that texture (may be NULL). Errors: PX_ERR_ARGUMENT
/// for a plane, and for a texture on a shape without texture coordinates.
PxStatus px_skin_check(const PxShape *shape, const PxTexture *texture);

/// Covers a shape with about `count` surfels, with radii that leave no hole (the spacing of
/// px_shape_cover()). Colours come from the texture (may be NULL), else from the mesh's vertices;
/// without either `painted` is false and all are white.
/// Errors: PX_ERR_ARGUMENT for a texture without coordinates; PX_ERR_MEMORY.
PxStatus px_skin_create_surfels(const PxShape *shape, uint32_t count, const PxTexture *texture,
                                const PxAllocator *allocator, PxSkin **out);

/// The shape's own triangles, subdivided until no edge is longer than `longest`, so that they can
/// bend. Errors: as above.
PxStatus px_skin_create_mesh(const PxShape *shape, double longest, const PxTexture *texture,
                             const PxAllocator *allocator, PxSkin **out);
/// Number of its points, 0 if they cannot be made.
double px_skin_points(const PxShape *shape, double longest);
/// Removes an owner; the last one frees the skin. Accepts NULL.
void px_skin_free(PxSkin *skin);
/// Adds an owner, who calls px_skin_free() too. Threads: one at a time.
void px_skin_hold(PxSkin *skin);

/// Finds the particles of `body` that move each point, and their weights: at least the 4 nearest
/// (or all that there are). Needed again whenever maps->version changes. Allocates only when there
/// are more particles or links than ever before.
/// Errors: PX_ERR_MEMORY.
PxStatus px_skin_bind(PxSkin *skin, const PxSolidMaps *maps, uint32_t body,
                      const PxThreads *threads, PxArena *scratch);

/// Computes `shown`; it is empty when the body has no particles left. The same bits for any number
/// of threads. Allocates only when there are more surfels than ever before. The skin must be bound
/// to these maps. Errors: PX_ERR_MEMORY.
PxStatus px_skin_deform(PxSkin *skin, const PxSolidMaps *maps, const PxThreads *threads);

/// Rest-shape update: deforms rest positions and tangents by the maps. The skin must then be bound
/// to maps of the new rest shape.
void px_skin_absorb(PxSkin *skin, const PxSolidMaps *maps, const PxThreads *threads);

/// Memory in use.
size_t px_skin_bytes(const PxSkin *skin);

#endif
