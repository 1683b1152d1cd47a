/// Sections of a scene file other than the things of the world (those are in world/kinds): their
/// keys, described by the same kind of table.
#ifndef PX_SCENE_LAYOUT_SECTIONS_H
#define PX_SCENE_LAYOUT_SECTIONS_H

#include "base/field.h"
#include "matter/material.h"
#include "phyxel/scene.h"

/// Value of the key "phyxel": the version of the format.
#define PX_SCENE_VERSION 1

/// Longest name of a body or material, bytes.
#define PX_SCENE_MOST_NAME (PX_NAME_SIZE - 1)

typedef struct PxSceneTime {
    double frames, fps;
} PxSceneTime;

typedef enum PxSceneUp { PX_UP_Y, PX_UP_Z } PxSceneUp;

/// General properties of a scene.
typedef struct PxSceneHead {
    const char *name, *schema;
    PxSceneTime time;
    int up;      ///< PxSceneUp
    bool settle; ///< liquids come to rest before the first frame
} PxSceneHead;

typedef struct PxSceneTurn {
    PxVec3 axis;
    double degrees;
} PxSceneTurn;

/// The vessel that a liquid fills, `"fill": {"in": "jug", "level": 0.1}`.
typedef struct PxSceneVessel {
    const char *in; ///< name of a wall or rigid body
    double level;   ///< m
    size_t body;    ///< index of that body; SIZE_MAX: not found
} PxSceneVessel;

typedef struct PxSceneKeyframe {
    double at;
    PxVec3 move;
    PxSceneTurn turn;
    int ease;  ///< PxSceneEase, of the way to it
    bool face; ///< of the last place of a way (scene/way.h): turns with it
} PxSceneKeyframe;

typedef struct PxSceneEvent {
    double at;
    const char *set;
    double to[3];
    int values;
    double over; ///< s: gravity turns to its new value in this time; 0: at once
} PxSceneEvent;

/// Appearance in pictures.
typedef enum PxSceneLookKind {
    PX_SCENE_MATTE,
    PX_SCENE_GLOSSY,
    PX_SCENE_METAL,
    PX_SCENE_CLEAR,
    PX_SCENE_HIDDEN,
    PX_SCENE_WOVEN
} PxSceneLookKind;

typedef struct PxSceneLook {
    int kind; ///< PxSceneLookKind
    PxVec3 colour;
    double roughness, ior;
    double xray;       ///< absorption of x-rays, 1/m; 0: by the density
    double film;       ///< of materials: thickness of what they leave on walls, m; 0: nothing
    PxVec3 weft, back; ///< of cloth; NAN: as `colour`
    double thread;     ///< woven: width of a thread, m
    const char *texture;
    double texture_size; ///< m
} PxSceneLook;

/// How pictures show the scene as a whole.
typedef enum PxSceneSet { PX_SET_STUDIO, PX_SET_DAY, PX_SET_SOFT, PX_SET_NIGHT } PxSceneSet;
typedef enum PxSceneGround {
    PX_SCENE_PLAIN,
    PX_SCENE_TILES,
    PX_SCENE_CHECKER,
    PX_SCENE_WOOD,
    PX_SCENE_SHADOW,
    PX_SCENE_NO_GROUND
} PxSceneGround;

typedef struct PxScenePicture {
    int set;              ///< PxSceneSet
    int ground;           ///< PxSceneGround
    PxVec3 ground_colour; ///< sRGB; NAN: that of the set
    double ground_size;   ///< m; 0: by the size of the scene
    const char *ground_texture;
    PxVec3 sky, horizon; ///< sRGB; NAN: those of the set
    const char *sky_picture;
    double sky_turn; ///< degrees
    double sun_azimuth, sun_height, exposure, aperture, shutter;
    double smooth; ///< subdivisions of cloth
    bool caustics;
} PxScenePicture;

/// A spherical light.
typedef struct PxSceneLamp {
    PxVec3 at, colour;
    double radius, power;
} PxSceneLamp;

/// A camera, and when it is there.
typedef struct PxSceneView {
    PxSceneCamera camera; ///< must be first
    double at;
    int ease; ///< PxSceneEase, of the way to it
} PxSceneView;
typedef enum PxSceneEase { PX_EASE_SMOOTH, PX_EASE_LINEAR, PX_EASE_STOP } PxSceneEase;

/// Additional columns in frames; the keys are the names of the columns.
typedef struct PxSceneOutput {
    bool strain, stress, von_mises, principal_stress;
} PxSceneOutput;

extern const PxSection px_head_section; ///< keys of the top level except kinds, events, camera and
                                        ///< output
extern const PxSection px_time_section;
extern const PxSection px_turn_section;
extern const PxSection px_vessel_section;
extern const PxSection px_keyframe_section;
extern const PxSection px_temperature_section;
extern const PxSection px_event_section;
extern const PxSection px_camera_section;
extern const PxSection px_look_section;
extern const PxSection px_output_section;

extern const PxField px_events_field; ///< a list of events
extern const PxField px_camera_field;
extern const PxField px_output_field;
extern const PxSection px_picture_section;
extern const PxSection px_lamp_section;
extern const PxField px_picture_field;
extern const PxField px_lights_field; ///< a list of lamps

/// Is the key a comment, beginning with "//"?
bool px_key_is_comment(const char *key);

#endif
