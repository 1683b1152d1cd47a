/// The forms of shapes in a scene: "box": [1, 1, 1], "cylinder": {"radius": 1, "height": 2}, ...
#ifndef PX_SCENE_LAYOUT_SHAPE_FORMS_H
#define PX_SCENE_LAYOUT_SHAPE_FORMS_H

#include "base/field.h"
#include "phyxel/shape.h"
#include "scene/layout/sections.h"

typedef struct PxShapeForm {
    const char *key;
    PxShapeKind kind;
    bool file;             ///< the value is a path
    const PxField *plain;  ///< what a value that is not an object means; NULL: it must be one
    const PxField *fields; ///< of the object; NULL: it must not be one
    size_t field_count;
    const char *help;
} PxShapeForm;

/// A shape as it is stated: its rotation is an axis and an angle.
typedef struct PxSceneShape {
    PxShapeDef def; ///< first: the fields of forms are offsets in it
    PxSceneTurn turn;
} PxSceneShape;

/// The keys that all shapes have; exactly one form stands beside them.
extern const PxSection px_shape_section;

extern const PxShapeForm *const px_shape_forms;
extern const size_t px_shape_form_count;

const PxShapeForm *px_form_find(const char *key);
const PxShapeForm *px_form_of_kind(PxShapeKind kind);

#endif
