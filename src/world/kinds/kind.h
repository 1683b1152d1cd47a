/// A kind of thing: material, body, emitter, ... One table describes all of a kind; the scene
/// reader, the resolved scene, the schema, events, px_world_set(), `--set`, the lists of a world
/// and its copies (world/copies.h) use it.
///
/// To add a kind, write one file in this folder and add one line to PX_KINDS below. Rules that
/// involve several keys of a thing belong in the kind's function `rules`, effects of a change on a
/// running world in its function `changed`, effects on particles in `act` or in a function that a
/// stage of the step calls.
#ifndef PX_WORLD_KINDS_KIND_H
#define PX_WORLD_KINDS_KIND_H

#include "base/field.h"
#include "base/memory.h"
#include "phyxel/scene.h"
#include "phyxel/world.h"

/// True for walls and rigid bodies, which have no particles.
static inline bool px_body_is_boundary(const PxBodyDef *def)
{
    return def->wall || def->rigid;
}

/// True for bodies without particles: walls, rigid bodies and cloth.
static inline bool px_body_is_bare(const PxBodyDef *def)
{
    return px_body_is_boundary(def) || def->cloth;
}

/// All kinds, one line each, in the order in which scenes are read: a thing may refer to kinds
/// before its own. KIND(Type, word, list) stands for `px_word_kind`, the list `list` of
/// `struct PxType` in a world, and the things `word` of a scene.
#define PX_KINDS(KIND)                                                                             \
    KIND(Material, material, materials)                                                            \
    KIND(Body, body, bodies)                                                                       \
    KIND(Joint, joint, joints)                                                                     \
    KIND(Seam, seam, seams)                                                                        \
    KIND(Emitter, emitter, emitters)                                                               \
    KIND(Sink, sink, sinks)                                                                        \
    KIND(Handle, handle, handles)                                                                  \
    KIND(Force, force, forces)                                                                     \
    KIND(ForceField, force_field, fields)                                                          \
    KIND(Heater, heater, heaters)                                                                  \
    KIND(Gauge, gauge, gauges)

/// The lists of all kinds, as members of a struct.
#define PX_KIND_LIST(Type, word, list) PX_LIST(struct Px##Type) list;
#define PX_KIND_LISTS PX_KINDS(PX_KIND_LIST)

#define PX_KIND_ONE(Type, word, list) +1
enum { PX_KIND_COUNT = 0 PX_KINDS(PX_KIND_ONE) };

/// Id of a thing of any kind; has the layout of PxMaterialId, PxBodyId, ...
typedef struct PxThingId {
    uint32_t slot, generation;
} PxThingId;

struct PxKind;

/// A thing of a scene as the rules of its kind see it. Created by the scene reader.
typedef struct PxStated {
    const struct PxKind *kind;
    void *def;         ///< with the values that could be read
    bool good;         ///< all its keys and values were accepted
    const char *shape; ///< form of its shape, "box"; NULL: none, or it could not be read
    bool vessel;       ///< it fills a vessel instead
    PxShapeDef placed; ///< that shape as the world will get it
    const void *first; ///< def of the first thing of the kind in the scene

    /// Is the key stated for this thing (or for the first one)? An empty list states nothing.
    bool (*has)(const struct PxStated *stated, bool first, const char *key);
    /// The def of the thing that a THING field names; NULL: none.
    const void *(*other)(const struct PxStated *stated, const char *key);
    /// Complains; call px_wrong() instead. `key` is "" for the thing itself, "shape.KEY" for a key
    /// of its shape.
    void (*complain)(const struct PxStated *stated, PxSeverity severity, const char *key,
                     bool at_key, const char *text);
    void *user; ///< data of the reader
} PxStated;

/// Complains about the value of a key, or with `at_key` about the key itself.
void px_wrong(const PxStated *stated, PxSeverity severity, const char *key, bool at_key,
              const char *format, ...) PX_PRINTF(5, 6);

typedef struct PxKind {
    PxSection section;     ///< `name` is the word for one: "heater"
    const char *list;      ///< key in a scene and first step of a path: "heaters"
    const char *list_help; ///< one line
    size_t most;           ///< largest number in a scene
    bool by_name;          ///< in a scene, an object with names as keys; otherwise a list of things
                           ///< that have names
    size_t name_offset;    ///< of the def's `const char *name`

    /* Instead of px_kind_add() and px_kind_remove(), for kinds with more to do. */
    PxStatus (*add)(PxWorld *world, const void *def, PxThingId *out);
    PxStatus (*remove)(PxWorld *world, PxThingId id);

    size_t world_list;  ///< offset in PxWorld of its PX_LIST, of structs that begin with
                        ///< PX_SLOT_MEMBERS
    size_t slot_size;   ///< size of such a struct, bytes
    size_t slot_def;    ///< offset of the def in it; 0: the world keeps no def, and nothing can be
                        ///< set
    size_t slot_region; ///< offset of its PxRegion, made of the def's shape and body; 0: none
    struct {
        size_t at, count, size; ///< offsets of a pointer and of its size_t count; bytes of one
    } slot_array;               ///< memory of malloc() that it owns; size 0: none
    /// Completes a new thing whose def, region and name are there. What it allocates for
    /// slot_array is freed on failure.
    PxStatus (*make)(PxWorld *world, const void *def, void *thing);
    /// Called when a thing is in its slot, and before it leaves it.
    void (*added)(PxWorld *world, size_t slot);
    void (*leaves)(PxWorld *world, size_t slot);
    /// Acts on the particles at the end of a step, before emitters emit. Allocates nothing.
    void (*act)(PxWorld *world, double time);
    bool on_time;  ///< steps end at the `start` and `end` of its def
    bool on_start; ///< steps end at its `start`
    /// Called after a field of a def in a world was set. `key` is the first step after the name.
    /// On failure it has changed nothing, and the field gets its old value back.
    PxStatus (*changed)(PxWorld *world, size_t slot, const char *key);
    /// May the def change from `before` to `after` while the world runs? NULL: always.
    PxStatus (*may_become)(const char *path, const void *before, const void *after);
    /// Are the numbers of a def consistent? Called after all changes of the same time.
    PxStatus (*consistent)(const void *def, const char *what);
    /// Complains about combinations of keys, and completes the def.
    void (*rules)(const PxStated *stated);
    /// Completes a def of a scene with the time between two frames, s. NULL: does not depend on it.
    void (*per_frame)(void *def, double interval);
    const char *region_verb; ///< for kinds that act on particles in a region: "held"; NULL: other
                             ///< kinds
    bool region_once;        ///< it acts only on particles that are in the region at its start
    /// True for a value that the resolved scene must omit, because it would be read differently.
    bool (*silent)(const void *def, const PxField *field);
} PxKind;

/// All kinds, in the order of PX_KINDS.
extern const PxKind *const px_kinds[PX_KIND_COUNT];

#define PX_KIND_DECLARE(Type, word, list) extern const PxKind px_##word##_kind;
PX_KINDS(PX_KIND_DECLARE)

/// Table of the numbers in PxWorldDef.
extern const PxSection px_world_section;
/// Table of the numbers in PxWallsDef.
extern const PxSection px_walls_section;
/// Tables of a material's melting; offsets are in PxMaterialDef.
extern const PxSection px_melt_section;
extern const PxSection px_melt_into_section;
/// Table of a cloth's numbers; offsets are in PxMaterialDef.
extern const PxSection px_cloth_section;
/// Table of a material's fracture; offsets are in PxMaterialDef.
extern const PxSection px_fracture_section;
/// Why matter of that material cannot break; NULL: it can.
const char *px_fracture_wrong(const PxMaterialDef *def);

/// The kind of that list, "heaters"; NULL: none.
const PxKind *px_kind_of_list(const char *list);

static inline const PxField *px_section_field(const PxSection *section, const char *key)
{
    return px_field_find(section->fields, section->field_count, key);
}

/// Checks the ranges of all numbers of a def. `what` begins the message.
static inline PxStatus px_section_check(const PxSection *section, const void *def, const char *what)
{
    return px_fields_check(section->fields, section->field_count, def, what);
}

static inline const char *px_kind_name(const PxKind *kind, const void *def)
{
    return *(const char *const *)((const char *)def + kind->name_offset);
}

/// Number of slots of the kind in a world, including vacant ones.
size_t px_kind_slots(const PxKind *kind, const PxWorld *world);

/// Name, id and def of the thing in a slot; pointers to results that are not needed may be NULL.
/// Returns false for a vacant slot. *def is NULL if the world keeps none.
bool px_kind_at(const PxKind *kind, const PxWorld *world, size_t slot, const char **name,
                PxThingId *id, void **def);

/// Adds a thing: checks its name, numbers, body and times, makes its region, completes it with the
/// kind's `make` and puts it into the list. On failure the world is unchanged and *out is the null
/// id. Errors: PX_ERR_ARGUMENT, PX_ERR_MEMORY.
PxStatus px_kind_add(const PxKind *kind, PxWorld *world, const void *def, PxThingId *out);

/// Removes a thing. Errors: PX_ERR_ARGUMENT for a stale id.
PxStatus px_kind_remove(const PxKind *kind, PxWorld *world, PxThingId id);

/// Puts a thing into a slot of PX_SLOT_RESERVE(); returns its id.
PxThingId px_kind_put(const PxKind *kind, PxWorld *world, uint32_t slot, const void *thing);

/// Makes shallow copies of all things of a kind own what they point at: copies arrays, retains
/// shapes, sets the names of the defs. `list` is a PX_LIST. False when out of memory; also then
/// every thing owns what it points at.
bool px_kind_own(const PxKind *kind, const void *list);

/// Frees what the things of a list own, but not the list.
void px_kind_release(const PxKind *kind, const void *list);

/// Detaches things that are restricted to that body, so that they do not act on a body that reuses
/// its slot.
void px_kinds_leave_body(PxWorld *world, uint32_t body);

/// Time of the next start or end of a thing whose kind is on time, s; INFINITY: none.
double px_kinds_next(const PxWorld *world, double time);

/* Functions that every kind has, for the type "Heater" and the word "heater". */

#define PX_KIND_DEFAULTS(Type, word)                                                               \
    static void defaults(void *def)                                                                \
    {                                                                                              \
        *(Px##Type##Def *)def = px_##word##_def_default();                                         \
    }

/// px_world_add_heater() and px_world_remove_heater() of a kind without `add` and `remove`.
#define PX_KIND_WORLD(Type, word)                                                                  \
    PxStatus px_world_add_##word(PxWorld *world, const Px##Type##Def *given, Px##Type##Id *out)    \
    {                                                                                              \
        if (out != NULL)                                                                           \
            *out = (Px##Type##Id){0, 0};                                                           \
        PX_WANT(world);                                                                            \
        Px##Type##Def def;                                                                         \
        PxThingId id = {0, 0};                                                                     \
        PxStatus status = read_##word##_def(given, &def);                                          \
        if (status == PX_OK)                                                                       \
            status = px_kind_add(&px_##word##_kind, world, &def, &id);                             \
        if (out != NULL)                                                                           \
            *out = (Px##Type##Id){id.slot, id.generation};                                         \
        return status;                                                                             \
    }                                                                                              \
    PxStatus px_world_remove_##word(PxWorld *world, Px##Type##Id id)                               \
    {                                                                                              \
        PX_WANT(world);                                                                            \
        return px_kind_remove(&px_##word##_kind, world, (PxThingId){id.slot, id.generation});      \
    }

/// `add` and `remove` of a kind that has these functions of its own.
#define PX_KIND_ADDS(Type, word)                                                                   \
    static PxStatus add_thing(PxWorld *world, const void *def, PxThingId *out)                     \
    {                                                                                              \
        Px##Type##Id id = {0, 0};                                                                  \
        PxStatus status = px_world_add_##word(world, def, &id);                                    \
        *out = (PxThingId){id.slot, id.generation};                                                \
        return status;                                                                             \
    }                                                                                              \
    static PxStatus remove_thing(PxWorld *world, PxThingId id)                                     \
    {                                                                                              \
        return px_world_remove_##word(world, (Px##Type##Id){id.slot, id.generation});              \
    }

/// Location of the things of a kind in PxWorld (world/world_parts.h).
#define PX_KIND_SLOTS(type, list) .world_list = offsetof(PxWorld, list), .slot_size = sizeof(type)
#define PX_KIND_REGION(type) .slot_region = offsetof(type, region)
#define PX_KIND_ARRAY(type, member, number)                                                        \
    .slot_array = {offsetof(type, member), offsetof(type, number), sizeof *((type *)NULL)->member}

/* Fields that several kinds share. */

#define PX_AT(type, member) offsetof(type, member)

#define PX_SHAPE_FIELD(type, text)                                                                 \
    {                                                                                              \
        .key = "shape", .kind = PX_FIELD_SHAPE, .flags = PX_FIELD_REQUIRED,                        \
        .offset = PX_AT(type, shape), .unit = "", .help = text                                     \
    }

#define PX_BODY_FIELD(type, which, text)                                                           \
    {                                                                                              \
        .key = "body", .kind = PX_FIELD_THING, .flags = which, .offset = PX_AT(type, body),        \
        .unit = "", .of = "bodies", .help = text                                                   \
    }

#define PX_KEYFRAMES_FIELD(type, which, text)                                                      \
    {                                                                                              \
        .key = "keyframes", .kind = PX_FIELD_KEYFRAMES, .flags = which,                            \
        .offset = PX_AT(type, keyframe), .beside = PX_AT(type, keyframes), .unit = "",             \
        .most = 100000, .help = text                                                               \
    }

#define PX_TEMPERATURES_FIELD(type, which, text)                                                   \
    {                                                                                              \
        .key = "temperatures", .kind = PX_FIELD_TEMPERATURES, .flags = which,                      \
        .offset = PX_AT(type, temperature_key), .beside = PX_AT(type, temperatures), .unit = "",   \
        .most = 100000, .help = text                                                               \
    }

#define PX_TEMPERATURE_FIELD(type, text)                                                           \
    {                                                                                              \
        .key = "temperature", .kind = PX_FIELD_NUMBER, .flags = PX_FIELD_LIVE,                     \
        .offset = PX_AT(type, temperature), .unit = "degrees C", .least = -273.15, .most = 1e5,    \
        .help = text                                                                               \
    }

/// Start and end of the time in which a thing acts: two fields.
#define PX_BETWEEN_FIELDS(type, begins, ends)                                                      \
    {.key = "start",                                                                               \
     .kind = PX_FIELD_NUMBER,                                                                      \
     .offset = PX_AT(type, start),                                                                 \
     .unit = "s",                                                                                  \
     .least = 0,                                                                                   \
     .most = 1e9,                                                                                  \
     .help = begins},                                                                              \
    {                                                                                              \
        .key = "end", .kind = PX_FIELD_NUMBER, .flags = PX_FIELD_ABOVE,                            \
        .offset = PX_AT(type, end), .unit = "s", .least = 0, .most = 1e9, .help = ends             \
    }

#endif
