/// What a scene file is made of, described once: sections with their fields and
/// entries. Reading, complaints, the schema and the resolved scene follow these
/// tables; the fields of the world's own defs come from world/fields.h.
#ifndef PX_SCENE_LAYOUT_H
#define PX_SCENE_LAYOUT_H

#include "base/field.h"
#include "matter/material.h"
#include "phyxel/scene.h"

/// The version that a scene states as "phyxel".
#define PX_SCENE_VERSION 1

/// Longest name of a body or material, bytes.
#define PX_SCENE_MOST_NAME (PX_NAME_SIZE - 1)

/// Beyond the flags of PxField: a vector that must not be zero.
#define PX_SCENE_DIRECTION 0x100u

/// Columns that frames hold beside the usual ones.
typedef struct PxSceneOutput {
    bool strain, stress, von_mises, principal_stress;
} PxSceneOutput;

typedef struct PxSceneTime {
    double frames, fps;
} PxSceneTime;

typedef enum PxSceneUp { PX_UP_Y, PX_UP_Z } PxSceneUp;

typedef struct PxSceneTurn {
    PxVec3 axis;
    double degrees;
} PxSceneTurn;

typedef struct PxSceneKeyframe {
    double at;
    PxVec3 move;
    PxSceneTurn turn;
} PxSceneKeyframe;

typedef struct PxSceneEvent {
    double at;
    const char *set;
    double to[3];
    int values;
} PxSceneEvent;

/// What something looks like in pictures, when the scene says so.
typedef enum PxSceneLookKind {
    PX_SCENE_MATTE,
    PX_SCENE_GLOSSY,
    PX_SCENE_METAL,
    PX_SCENE_CLEAR,
    PX_SCENE_HIDDEN
} PxSceneLookKind;

typedef struct PxSceneLook {
    int kind; ///< PxSceneLookKind
    PxVec3 colour;
    double roughness, ior;
} PxSceneLook;

struct PxSection;

/// What a key other than a field's leads to.
typedef enum PxEntryKind {
    PX_ENTRY_VERSION, ///< the number PX_SCENE_VERSION
    PX_ENTRY_TEXT,
    PX_ENTRY_WORD,     ///< one of `field->words`
    PX_ENTRY_SECTION,  ///< an object
    PX_ENTRY_LIST,     ///< a list of objects
    PX_ENTRY_MAP,      ///< an object of objects, by name
    PX_ENTRY_NUMBERS,  ///< a number, or a list of three
    PX_ENTRY_STRENGTH, ///< a number of `field`, or a model with its numbers
} PxEntryKind;

typedef struct PxEntry {
    const char *key;
    PxEntryKind kind;
    unsigned flags;                  ///< PX_FIELD_REQUIRED
    const struct PxSection *section; ///< SECTION, LIST, MAP
    const PxField *field;            ///< WORD, STRENGTH
    size_t most;                     ///< bytes of a TEXT; elements of a LIST or MAP
    const char *help;
} PxEntry;

/// One kind of shape: "box": [1, 1, 1] or "cylinder": {"radius": 1, "height": 2}.
typedef struct PxShapeForm {
    const char *key;
    PxShapeKind kind;
    bool file;             ///< the value is a path
    const PxField *plain;  ///< what a value that is not an object means; NULL: it must be one
    const PxField *fields; ///< of the object; NULL: it must not be one
    size_t field_count;
    const char *help;
} PxShapeForm;

/// An object of the scene: the fields it fills a struct with, and its entries.
typedef struct PxSection {
    const char *name;
    const PxField *fields;
    const size_t *field_count;
    const PxEntry *entries;
    size_t entry_count;
    const PxShapeForm *forms; ///< the shape's: exactly one of them must be there
    size_t form_count;
    void (*defaults)(void *object); ///< fills the struct; NULL when there are no fields
    const char *help;
} PxSection;

/// Room for the struct of any section, for its defaults.
typedef union PxSectionObject {
    PxWorldDef world;
    PxMaterialDef material;
    PxBodyDef body;
    PxEmitterDef emitter;
    PxSinkDef sink;
    PxHandleDef handle;
    PxForceDef force;
    PxHeaterDef heater;
    PxTemperatureKey temperature;
    PxShapeDef shape;
    PxSceneTime time;
    PxSceneTurn turn;
    PxSceneKeyframe keyframe;
    PxSceneEvent event;
    PxSceneCamera camera;
    PxSceneOutput output;
    PxSceneLook look;
} PxSectionObject;

extern const PxSection px_scene_section; ///< the top; fields of PxWorldDef
extern const PxSection px_time_section;
extern const PxSection px_material_section;
extern const PxSection px_body_section;
extern const PxSection px_emitter_section;
extern const PxSection px_sink_section;
extern const PxSection px_handle_section;
extern const PxSection px_force_section;
extern const PxSection px_heater_section;
extern const PxSection px_temperature_section;
extern const PxSection px_melt_section;      ///< fields of PxMaterialDef
extern const PxSection px_melt_into_section; ///< the same
extern const PxSection px_shape_section;
extern const PxSection px_turn_section;
extern const PxSection px_keyframe_section;
extern const PxSection px_event_section;
extern const PxSection px_camera_section;
extern const PxSection px_output_section; ///< keys are the columns' names
extern const PxSection px_look_section;

/// Which bodies a field of px_body_fields is for.
typedef enum PxBodySort { PX_FOR_ALL, PX_FOR_WALLS, PX_FOR_MATTER } PxBodySort;
PxBodySort px_body_key_sort(const char *key);

const PxEntry *px_entry_find(const PxSection *section, const char *key);
const PxShapeForm *px_form_find(const PxSection *section, const char *key);
const PxShapeForm *px_form_of_kind(PxShapeKind kind);

/// A key that is a comment: "//" and whatever begins with it.
bool px_key_is_comment(const char *key);

#endif
