/// What all pictures of a run share: its walls and their looks, where the ground is,
/// where things are looked at from.
#ifndef PX_RENDER_SETTING_H
#define PX_RENDER_SETTING_H

#include "matter/wall.h"
#include "phyxel/render.h"
#include "render/scenery.h"

/// A wall of the scene as it is shown.
typedef struct PxShownWall {
    PxWall wall;      ///< its shape and keyframes belong to it
    PxMesh *mesh;     ///< of the wall at rest; NULL for a plane
    double thickness; ///< m
    PxLook look;
} PxShownWall;

typedef struct PxSetting {
    const PxScene *scene; ///< NULL when the folder does not tell
    char up;
    double spacing;
    double fps;
    PxBounds matter; ///< where matter is, in the scene's axes
    double size;     ///< m, of what the scene is about; the same for all its pictures
    PxVec3 origin;   ///< in the scene's axes: the scenery's (0, 0, 0)
    PxSceneCamera camera;
    double level; ///< of the ground, along up
    PX_LIST(PxShownWall) walls;
} PxSetting;

/// Errors: PX_ERR_ARGUMENT, PX_ERR_IO, PX_ERR_FORMAT (a mesh of the scene), PX_ERR_MEMORY.
/// To be freed in any case.
PxStatus px_setting_make(const PxRenderDef *def, const PxBounds *matter, char up, double spacing,
                         PxSetting *out);
void px_setting_free(PxSetting *setting);

/// A place or a direction of the scene in the axes of pictures, where y is up.
PxV3 px_setting_place(const PxSetting *setting, PxVec3 place);
PxV3 px_setting_turn(const PxSetting *setting, PxVec3 direction);

/// The sky, the ground, the camera (turned about what it looks at by `degrees`) and the
/// walls as they are at that time.
PxStatus px_setting_fill(PxSetting *setting, const PxRenderDef *def, double time, double degrees,
                         PxScenery *out);

#endif
