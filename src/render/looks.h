/// What materials and walls look like: as the scene states it, or from their names.
#ifndef PX_RENDER_LOOKS_H
#define PX_RENDER_LOOKS_H

#include "phyxel/world.h"
#include "render/scenery.h"
#include "scene/layout/sections.h"

/// Ranks of clear things (PxLook): a wall of glass goes before the liquid in it.
enum { PX_RANK_LIQUID = 1, PX_RANK_GLASS = 100 };

/// Of a material's surface. `size` (m) is that of the scene: in half of it water
/// takes its colour, so that a glass and a sea both look like water. `index` tells
/// materials apart that have nothing else to. `stated` may be NULL.
PxLook px_look_of_surface(const PxMaterialDef *material, const PxSceneLook *stated, size_t index,
                          double size);

/// The same for its particles, which are never clear.
PxLook px_look_of_particles(const PxMaterialDef *material, const PxSceneLook *stated, size_t index);

/// Of a wall; the same arguments.
PxLook px_look_of_wall(const char *name, const PxSceneLook *stated, double size);

#endif
