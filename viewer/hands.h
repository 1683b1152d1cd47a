/// What is done to a simulation by hand, as a list that can be written into the scene: running that
/// scene without a window gives the same bits.
///
/// Acts take effect between two frames. Values that are set become events; what holds, heats,
/// pushes or pours becomes a handle, a heater, a force field or an emitter with a start and an end;
/// a rigid body is dragged by events that set its velocity.
#ifndef VIEWER_HANDS_H
#define VIEWER_HANDS_H

#include "phyxel/phyxel.h"

enum { HAND_PATH = 160, HAND_NAME = 64 };

typedef enum ActKind {
    ACT_SET,   ///< path, value: a number or a vector
    ACT_GRAB,  ///< body, at, radius: holds the part of a solid in that sphere, or a rigid body
    ACT_DRAG,  ///< at: moves what is held so that the grabbed point comes there
    ACT_HEAT,  ///< at, radius, value[0]: brings matter in that sphere to a temperature
    ACT_POUR,  ///< at, radius, body (name of a material), value: velocity of the jet
    ACT_EMIT,  ///< the same as ACT_POUR, without an end
    ACT_PUSH,  ///< at, radius, value, rate: draws all matter in that sphere along with a velocity
    ACT_LEAVE, ///< ends what is held, heated, poured or pushed
} ActKind;

typedef struct Act {
    ActKind kind;
    char path[HAND_PATH];
    char body[HAND_NAME]; ///< of ACT_GRAB; "" for any solid
    bool rigid;           ///< the body is rigid
    PxVec3 at;
    double radius;
    double value[3];
    int values;
    double rate; ///< of ACT_PUSH: at which matter takes that velocity, 1/s
} Act;

typedef struct Hands Hands;

/// NULL: no memory.
Hands *hands_create(void);
/// Accepts NULL.
void hands_free(Hands *hands);

/// Does an act in a world that is between two frames, and remembers it. `until`: time of the
/// next frame, s. On failure the world is unchanged.
PxStatus hands_act(Hands *hands, PxWorld *world, const Act *act, double until);

/// Called before each frame: rigid bodies that are held follow.
PxStatus hands_frame(Hands *hands, PxWorld *world, double until);

/// Number of things done so far; hands_cut() forgets those after a number, for undo, and all that
/// is held. The world is restored by the caller.
size_t hands_count(const Hands *hands);
void hands_cut(Hands *hands, size_t count, double time);

/// The text of a scene with everything that was done in it. Free it. NULL when the text is no JSON
/// object or memory is out.
char *hands_scene(const Hands *hands, const char *text);

#endif
