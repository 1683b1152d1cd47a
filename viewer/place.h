/// Bodies that are placed by hand: written into the text of the scene, at its start.
#ifndef VIEWER_PLACE_H
#define VIEWER_PLACE_H

#include "phyxel/phyxel.h"

typedef enum PlaceShape {
    PLACE_BOX,
    PLACE_SPHERE,
    PLACE_CYLINDER,
    PLACE_CAPSULE,
    PLACE_SHAPES
} PlaceShape;

typedef struct PlaceDef {
    PlaceShape shape;
    double size;          ///< largest extent along each axis, m
    const char *material; ///< of the scene
    bool rigid;           ///< one rigid piece; else the material's particles
    bool z_up;
    PxVec3 at; ///< where its middle is, m
} PlaceDef;

/// The scene's text with one body more; free it. NULL when the text is no JSON object or memory is
/// out. The body has a name that no other has.
char *place_body(const char *text, const PlaceDef *def);

/// The same, with the body raised until it overlaps nothing as the scene starts; its files are
/// relative to `folder`. NULL with px_error_message() when there is no such place, or the scene has
/// other errors.
char *place_body_freely(const char *text, const char *folder, const PlaceDef *def);

#endif
