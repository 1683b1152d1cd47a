/// A wall of any shape as fluids feel it, in its rest frame: tabulated in blocks of space,
/// which are made when the first particle comes near.
///
/// What a flat wall takes of a particle's kernel, part(d), is a half space that begins s/4
/// before the wall, smoothed by a round kernel K of radius h/2 - s/4: for support 2 s
/// exactly, since part(s/4 + u) + part(s/4 - u) = 1. So the part of any wall is that
/// wall, s/4 thicker, smoothed by K. That is right in edges and corners, in and out, at
/// walls that curve as sharply as a particle, and for sheets thinner than one, which
/// are felt as s/2 thick.
///
/// Stored is not the part, which is steep, but the distance from which a flat wall would
/// take as much. At a flat wall it is the distance itself and interpolation exact.
///
/// What a block holds depends on the shape alone, never on who asked for it or when, so
/// results have the same bits for any number of threads and after any resume.
#ifndef PX_FLUID_WALL_FIELD_H
#define PX_FLUID_WALL_FIELD_H

#include "base/memory.h"
#include "base/parallel.h"
#include "fluid/wall_profile.h"
#include "matter/wall.h"

typedef struct PxWallField PxWallField;

/// The shape must stay; `inside` as for walls. Errors: PX_ERR_MEMORY.
PxStatus px_wall_field_create(const PxShape *shape, bool inside, const PxAllocator *memory,
                              PxWallField **out);
void px_wall_field_free(PxWallField *field); ///< the last owner frees it; NULL is fine
/// One more owner: one more px_wall_field_free(). NULL is fine. Threads: one at a time.
void px_wall_field_hold(PxWallField *field);
size_t px_wall_field_bytes(const PxWallField *field);

/// To be called before asking: a field made for another support begins anew.
/// Errors: PX_ERR_MEMORY.
PxStatus px_wall_field_fit(PxWallField *field, const PxWallProfile *profile);

typedef struct PxWallFelt {
    double distance; ///< m; the true one is at least px_wall_surely() of it
    double part;     ///< of the kernel, that lies in the wall
    PxVec3 gradient; ///< of the part, 1/m
    double lever;    ///< its size times the distance, face by face if they are known
} PxWallFelt;

/// One asker's memory of the block it asked last. Starts as {0}.
typedef struct PxWallLook {
    uint64_t key;
    const struct PxWallBlock *block;
} PxWallLook;

/// False if the block around the point is not there yet; look->key is then what to grow.
/// Threads: any number at once, each with a look of its own.
bool px_wall_field_ask(const PxWallField *field, PxVec3 rest, PxWallLook *look, PxWallFelt *out);

/// Makes blocks; a key may be there several times. Errors: PX_ERR_MEMORY.
PxStatus px_wall_field_grow(PxWallField *field, const uint64_t *key, size_t count,
                            const PxThreads *threads);

#endif
