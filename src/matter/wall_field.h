/// Part of the kernel filled by a wall of any shape, tabulated in its rest frame in blocks of
/// space that are computed when the first particle comes near.
///
/// The part of a flat wall, part(d), is a half space that begins s/4 in front of the wall,
/// smoothed by a spherical kernel K of radius h/2 - s/4 (exact for support h = 2 s, since
/// part(s/4 + u) + part(s/4 - u) = 1). So the part of any wall is the wall thickened by s/4 and
/// smoothed by K. This holds at convex and concave edges and corners, for curvature radii of a
/// particle's size, and for sheets thinner than a particle, which act as s/2 thick.
///
/// The table does not store the part, which is steep, but the distance at which a flat wall has
/// the same part. At a flat wall this is the distance itself and interpolation is exact.
///
/// The content of a block depends on the shape alone, not on the order of requests, so results
/// are bitwise equal for any number of threads and after a resume.
#ifndef PX_MATTER_WALL_FIELD_H
#define PX_MATTER_WALL_FIELD_H

#include "base/memory.h"
#include "base/parallel.h"
#include "matter/wall_profile.h"
#include "matter/boundary.h"
#include "shape/shape.h"

typedef struct PxWallField PxWallField;

/// The shape must outlive the field; `inside` as for walls. `plain`: a signed distance field (002
/// section 9), which stores the distance itself, as if the wall were flat around each node; its
/// blocks take a fraction of the time, and edges and corners are felt less than they fill.
/// Errors: PX_ERR_MEMORY.
PxStatus px_wall_field_create(const PxShape *shape, bool inside, bool plain,
                              const PxAllocator *memory, PxWallField **out);
/// The same in the shape's own frame, so that all walls of one shape share it, wherever they stand
/// and however they are turned. It holds the shape.
PxStatus px_wall_field_create_own(PxShape *shape, bool inside, bool plain,
                                  const PxAllocator *memory, PxWallField **out);
/// Is it in its own frame, of a shape with that px_shape_digest()?
bool px_wall_field_is_own(const PxWallField *field, const uint64_t digest[2], bool inside,
                          bool plain);
void px_wall_field_free(PxWallField *field); ///< the last owner frees it; NULL is fine
/// Adds an owner, which needs its own px_wall_field_free(). NULL is fine. Threads: one at a time.
void px_wall_field_hold(PxWallField *field);
size_t px_wall_field_bytes(const PxWallField *field);

/// Call before queries: a field made for another support is cleared.
/// Errors: PX_ERR_MEMORY.
PxStatus px_wall_field_fit(PxWallField *field, const PxWallProfile *profile);

/// Caches the block of a caller's last query. Starts as {0}.
typedef struct PxWallLook {
    uint64_t key;
    const struct PxWallBlock *block;
} PxWallLook;

/// Sets distance, part and gradient. False if the block around the point has not been computed;
/// look->key is then its key. Threads: any number at once, each with its own look.
bool px_wall_field_ask(const PxWallField *field, PxVec3 rest, PxWallLook *look, PxFill *out);

/// Fetches into the cache what the same question reads; questions come in any order, and most of
/// their time is that of the memory.
void px_wall_field_fetch(const PxWallField *field, PxVec3 rest, PxWallLook *look);

/// Sets only the distance, interpolated linearly.
bool px_wall_field_distance(const PxWallField *field, PxVec3 rest, PxWallLook *look, double *out);

/// Computes blocks; keys may repeat. Errors: PX_ERR_MEMORY.
PxStatus px_wall_field_grow(PxWallField *field, const uint64_t *key, size_t count,
                            const PxThreads *threads);

/// Notes a block that is missing. Threads: any number at once.
void px_wall_field_miss(PxWallField *field, uint64_t key);

/// Computes the noted blocks; *any: there were some. Errors: PX_ERR_MEMORY.
PxStatus px_wall_field_grow_missed(PxWallField *field, const PxThreads *threads, bool *any);

#endif
