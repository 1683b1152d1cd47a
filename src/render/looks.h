/// Appearance of materials and walls: as the scene states it, or guessed from their names.
#ifndef PX_RENDER_LOOKS_H
#define PX_RENDER_LOOKS_H

#include "phyxel/world.h"
#include "render/scenery.h"
#include "scene/layout/sections.h"

/// Priorities of clear materials (PxLook): glass takes precedence over the liquid in it.
enum { PX_PRIORITY_LIQUID = 1, PX_PRIORITY_GLASS = 100 };

/// Look of a material's surface. `size` (m) is that of the scene: absorption is scaled by it, so
/// that a glass and a sea both look like water. `index` gives unknown materials different colours.
/// `stated` is the look in the scene; NULL if it states none.
PxLook px_look_of_surface(const PxMaterialDef *material, const PxSceneLook *stated, size_t index,
                          double size);

/// Look of the material's particles, which are never clear.
PxLook px_look_of_particles(const PxMaterialDef *material, const PxSceneLook *stated, size_t index,
                            double size);

/// Look of a wall; arguments as above.
PxLook px_look_of_wall(const char *name, const PxSceneLook *stated, double size);

/// Does the name of a wall say what it is made of?
bool px_look_by_name(const char *name);

#endif
