/// Contrast fluid at the bottom of a colon, for benches of walls and of real time (002 section 8).
#ifndef PX_STUDY_COLON_ROOM_H
#define PX_STUDY_COLON_ROOM_H

#include "phyxel/make.h"
#include "phyxel/world.h"

typedef struct PxColonRoomDef {
    uint32_t triangles; ///< about as many
    uint32_t particles; ///< the lowest ones of a lattice in the colon
    double spacing;     ///< m; 0: such that they fill `full` of it
    double full;        ///< part of the colon's volume, 0 .. 1, if the spacing is 0
    PxWallsDef walls;
    const char *pressure; ///< model; NULL: the default
    int threads;
} PxColonRoomDef;

typedef struct PxColonRoom {
    PxWorld *world;
    uint32_t triangles, particles;
    double spacing; ///< m
} PxColonRoom;

/// Barium suspension as in scenes/colon.json, at rest, in the colon of seed 3. The mesh passes
/// through a file in the folder for temporary files, which is removed again. The world is freed by
/// px_world_free(). Errors: PX_ERR_ARGUMENT if the colon has less room, PX_ERR_IO, PX_ERR_MEMORY.
PxStatus px_colon_room(PxColonRoom *room, const PxColonRoomDef *def);

#endif
