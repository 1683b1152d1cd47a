/// What all pictures of a run share: walls and their looks, ground and camera.
#ifndef PX_RENDER_SETTING_H
#define PX_RENDER_SETTING_H

#include "matter/wall.h"
#include "phyxel/render.h"
#include "render/scenery.h"

/// A wall of the scene as it is drawn.
typedef struct PxShownWall {
    PxWall wall;      ///< owns its shape and keyframes
    PxMesh *mesh;     ///< in the wall's rest frame; NULL for a plane and where the scene hides it
    double thickness; ///< m
    bool hidden;      ///< shown in x-ray pictures only
    PxLook look;
} PxShownWall;

typedef struct PxSetting {
    const PxScene *scene; ///< NULL if unknown
    char up;
    double spacing;
    double fps;
    PxBounds matter; ///< bounds of the matter, in the scene's axes
    double size;     ///< extent of the scene, m; the same for all its pictures
    PxVec3 origin;   ///< origin of the scenery, in the scene's axes
    PxSceneCamera camera;
    bool moves;               ///< the scene's camera moves
    struct PxTexture *ground; ///< texture of the ground; NULL: none
    struct PxSkyMap *sky;     ///< picture of the sky; NULL: none
    struct PxTexture **cloth; ///< textures of looks by material, `cloths` of them; NULL: none
    size_t cloths;
    double level; ///< height of the ground along `up`, m
    PX_LIST(PxShownWall) walls;
} PxSetting;

/// Errors: PX_ERR_ARGUMENT, PX_ERR_IO, PX_ERR_FORMAT (a mesh of the scene), PX_ERR_MEMORY. Free it
/// in any case.
PxStatus px_setting_make(const PxRenderDef *def, const PxBounds *matter, char up, double spacing,
                         PxSetting *out);
void px_setting_free(PxSetting *setting);

/// A default camera that has all matter in view, from slightly above and the right.
PxSceneCamera px_setting_framing(const PxSetting *setting, double aspect);

/// Converts a point or a direction from the scene's axes to the scenery's, where y is up.
PxV3 px_setting_place(const PxSetting *setting, PxVec3 place);
PxV3 px_setting_turn(const PxSetting *setting, PxVec3 direction);

/// Adds sky, ground, camera (rotated about its target by `degrees`) and the walls at that time.
PxStatus px_setting_fill(PxSetting *setting, const PxRenderDef *def, double time, double degrees,
                         PxScenery *out);

#endif
