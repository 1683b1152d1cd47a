/// Overlaps of bodies with each other and with walls.
#ifndef PX_WORLD_OVERLAP_H
#define PX_WORLD_OVERLAP_H

#include "matter/wall.h"

/// Part of a body that may lie in another body or in a wall: corners that just touch.
#define PX_OVERLAP_ALLOWED 0.02

/// Writes "overlaps: 12 % of 'ball' lies inside 'pool'" and returns the buffer.
const char *px_overlap_text(double part, const char *name, const PxBodyDef *other, char *buffer,
                            size_t size);

/// Refuses a body whose particles, rows `first` and above, lie in a wall where it is now, or whose
/// shape contains other particles; the part is relative to the smaller of two bodies. Errors:
/// PX_ERR_ARGUMENT, PX_ERR_MEMORY.
PxStatus px_overlap_check_body(const PxWorld *world, const char *name, const PxShape *shape,
                               uint32_t first);

/// Refuses a wall that particles lie in.
PxStatus px_overlap_check_wall(const PxWorld *world, const PxWall *wall, const PxBodyDef *def);

/// While `trusted`, bodies are added without these checks: px_scene_check() has made them.
void px_overlap_trust(PxWorld *world, bool trusted);

#endif
