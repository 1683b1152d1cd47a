/// The forms of shapes in a scene: "box": [1, 1, 1], "cylinder": {"radius": 1, "height": 2}, ...
#ifndef PX_SCENE_LAYOUT_SHAPE_FORMS_H
#define PX_SCENE_LAYOUT_SHAPE_FORMS_H

#include "base/field.h"
#include "phyxel/shape.h"
#include "scene/layout/sections.h"

typedef struct PxShapeForm {
    const char *key;
    PxShapeKind kind;
    bool file;             ///< a value that is not an object is the path of a file
    const PxField *plain;  ///< meaning of a value that is not an object; NULL: it must be an object
    const PxField *fields; ///< keys of the object; NULL: it must not be an object
    size_t field_count;
    const char *help;
} PxShapeForm;

/// A shape as a scene states it, with its rotation as axis and angle.
typedef struct PxSceneShape {
    PxShapeDef def; ///< must be first: fields of forms are offsets in it
    PxSceneTurn turn;
} PxSceneShape;

/// Keys that all shapes have, in addition to exactly one form.
extern const PxSection px_shape_section;

extern const PxShapeForm *const px_shape_forms;
extern const size_t px_shape_form_count;

const PxShapeForm *px_form_find(const char *key);
const PxShapeForm *px_form_of_kind(PxShapeKind kind);

#endif
