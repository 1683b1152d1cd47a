/// The world: materials, bodies, and the step that moves them.
///
/// Everything is SI. Nothing here prints or exits. A world belongs to one
/// thread at a time and uses several inside its step.
#ifndef PHYXEL_WORLD_H
#define PHYXEL_WORLD_H

#include "phyxel/column.h"
#include "phyxel/def.h"
#include "phyxel/memory.h"
#include "phyxel/model.h"
#include "phyxel/shape.h"
#include "phyxel/status.h"
#include "phyxel/vector.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct PxWorld PxWorld;

/// Ids are values; {0, 0} means none. The slot of something that was removed is used again with the
/// next generation, so an old id is refused as stale.
typedef struct PxMaterialId {
    uint32_t slot, generation;
} PxMaterialId;

typedef struct PxBodyId {
    uint32_t slot, generation;
} PxBodyId;

typedef struct PxEmitterId {
    uint32_t slot, generation;
} PxEmitterId;

typedef struct PxSinkId {
    uint32_t slot, generation;
} PxSinkId;

typedef struct PxHandleId {
    uint32_t slot, generation;
} PxHandleId;

typedef struct PxForceId {
    uint32_t slot, generation;
} PxForceId;

typedef struct PxHeaterId {
    uint32_t slot, generation;
} PxHeaterId;

/// A pressure model with its default numbers; an unknown word gives an empty
/// choice, which px_world_add_material() refuses.
PX_API PxModelChoice px_pressure_choice(const char *model);
/// The same of viscosity.
PX_API PxModelChoice px_viscosity_choice(const char *model);

/// The same for surface tension: "none", "csf", "becker", "becker-cut", "akinci", "he".
PX_API PxModelChoice px_tension_choice(const char *model);

/// The same for how solids are moved: "leapfrog", "implicit".
PX_API PxModelChoice px_integration_choice(const char *model);

/// The same for what shows a material's surface while it flows: "none", "surfels".
PX_API PxModelChoice px_coat_choice(const char *model);

/// What the world is like before anything is in it.
typedef struct PxWorldDef {
    PxDefHead head;
    double spacing;               ///< distance of neighbouring particles, m, > 0
    double support;               ///< radius of a particle's neighbourhood, in spacings, 1.5 .. 4
    PxVec3 gravity;               ///< m/s^2
    double max_step;              ///< longest time step, s, > 0
    double min_step;              ///< a step that must be shorter than this fails, s, > 0
    double courant;               ///< part of the stability limit that a step uses, 0 .. 1
    int threads;                  ///< 0: one for every core
    const PxAllocator *allocator; ///< NULL: the system's
} PxWorldDef;

PX_API void px_world_def_init(PxWorldDef *def, size_t size);
PX_DEF_DEFAULT(PxWorldDef, px_world_def)

/// The numbers of a material's molten state. NAN: the same as in its cold state.
typedef struct PxMeltInto {
    double young, poisson;
    double viscosity, cohesion;
    double tension; ///< the first number of the tension model: how strong it is
    double damping, yield, creep, plastic_limit, absorb;
    double friction, restitution;
    double reserved[4]; ///< 0
} PxMeltInto;

/// Melting: between two temperatures a material's numbers change from those of its cold state
/// evenly to those of the molten one (000 Eq. 6.16).
typedef struct PxMeltDef {
    bool melts;      ///< or it is the same at any temperature
    double from, to; ///< degrees Celsius, from < to
    PxMeltInto into;
} PxMeltDef;

/// Does not melt; when it does, into what has no elasticity and is the same in all else.
PX_API PxMeltDef px_melt_def_default(void);

/// One material. Start from px_material_def_default().
typedef struct PxMaterialDef {
    PxDefHead head;
    const char *name; ///< copied
    double density;   ///< at rest, kg/m^3, > 0
    double viscosity; ///< dynamic, Pa s, >= 0
    PxModelChoice viscosity_model;
    double cohesion;        ///< what holds the fluid together, apart from others, Pa, >= 0
    PxModelChoice pressure; ///< what keeps a fluid from being compressed
    PxModelChoice tension;  ///< what makes its drops round

    double young;         ///< modulus, Pa, >= 0; 0: not a solid
    double poisson;       ///< ratio, 0 .. 0.49
    PxVec3 young_axes;    ///< Pa, along the axes of the body's shape; {0, 0, 0}: the same in all
    PxVec3 poisson_axes;  ///< nu_xy, nu_yz, nu_zx of such a material
    PxVec3 shear_axes;    ///< Pa, G_xy, G_yz, G_zx of such a material
    double volume;        ///< what a solid adds against changes of its volume, Pa, >= 0
    double damping;       ///< how fast a solid's wobbling dies away, 1/s, >= 0
    double yield;         ///< elastic strain beyond which it stays, >= 0
    double creep;         ///< part of the elastic strain that stays each second, 1/s, >= 0
    double plastic_limit; ///< most strain that can stay, > 0
    double absorb;        ///< steps after which the rest shape follows; 0: never
    double friction;      ///< a solid on a wall: Coulomb's, 0 .. 1
    double restitution;   ///< the same: part of the speed that it bounces with if elastic, 0 .. 1
    PxModelChoice integration; ///< how a solid is moved
    PxModelChoice coat;        ///< what its surface is shown by

    double diffusivity;   ///< thermal, m^2/s, >= 0; 0: no heat passes
    double heat_capacity; ///< specific, J/(kg K), > 0
    double latent_heat;   ///< what melting takes, J/kg, >= 0
    PxMeltDef melts;
} PxMaterialDef;

PX_API void px_material_def_init(PxMaterialDef *def, size_t size);
PX_DEF_DEFAULT(PxMaterialDef, px_material_def)

/// Where a wall or handle is: a point x of its rest frame, the one that its shape was defined in,
/// is at turn (x - pivot) + pivot + move. The pivot is `shape.at`.
typedef struct PxPose {
    PxVec3 move; ///< m
    PxQuat turn;
} PxPose;

/// A moment in the journey of a moving wall or handle; between two of them the way is
/// straight and even, the turn by the shorter arc.
typedef struct PxKeyframe {
    double time;     ///< s
    PxVec3 at;       ///< displacement from where the body was defined, m
    PxQuat rotation; ///< turn about the body's own `shape.at`
} PxKeyframe;

/// A moment in the course of a temperature; between two of them it changes evenly.
typedef struct PxTemperatureKey {
    double time; ///< s
    double to;   ///< degrees Celsius
} PxTemperatureKey;

/// An octree is finer near the surface than inside; for solids only.
typedef enum PxLatticeKind { PX_FILL_CUBIC, PX_FILL_HEXAGONAL, PX_FILL_OCTREE } PxLatticeKind;

/// A body: a shape filled with a material, or a wall.
/// Start from px_body_def_default().
typedef struct PxBodyDef {
    PxDefHead head;
    const char *name;      ///< copied
    PxShapeDef shape;      ///< `mesh` is copied
    PxMaterialId material; ///< none for walls
    PxVec3 velocity;       ///< at the start, m/s
    PxVec3 spin;           ///< at the start, about the middle of the shape, rad/s
    double temperature;    ///< degrees Celsius
    PxLatticeKind fill;
    double levels;       ///< octree: how often a cell may be twice as large, 1 .. 6
    bool wall;           ///< stands still or moves by keyframes, and nothing passes
    bool inside;         ///< walls: keep matter inside the shape instead of out of it
    double friction;     ///< walls: 0 slides freely, 1 sticks
    double cling;        ///< walls: how much coats of what is melted take on their surface, 0 .. 1
    bool warm;           ///< walls: kept at `temperature`; else no heat passes them
    double conductance;  ///< such walls: of the contact, W/(m^2 K); 1e12: perfect
    size_t temperatures; ///< such walls: how many moments, 0: it is always the same
    const PxTemperatureKey *temperature_key; ///< in order of time; copied
    size_t keyframes;                        ///< walls: how many, 0 stands still
    const PxKeyframe *keyframe;              ///< in order of time; copied
    double surfels;      ///< solids: about so many points show its surface; 0: none
    bool skin;           ///< solids: its triangles are moved along
    const char *texture; ///< solids: PNG file that both are painted with; NULL: none
} PxBodyDef;

PX_API void px_body_def_init(PxBodyDef *def, size_t size);
PX_DEF_DEFAULT(PxBodyDef, px_body_def)

/// A source of matter: a straight piece of pipe, a box or a cylinder. Particles begin
/// at its back as layers at rest density, go through it at `speed` while there is
/// room in front, and are free behind its front. A pipe shorter than the support counts as that
/// long. Start from px_emitter_def_default().
typedef struct PxEmitterDef {
    PxDefHead head;
    const char *name;      ///< copied; the matter is a body of that name
    PxShapeDef shape;      ///< box or cylinder
    PxMaterialId material; ///< of what comes out
    PxVec3 direction;      ///< square to a side of the box or an end of the cylinder, any
                           ///< length; {0, 0, 0}: along the shape's own y
    double speed;          ///< m/s, >= 0; 0 when `rate` is given
    double rate;           ///< m^3/s, >= 0; 0 when `speed` is given
    double start, end;     ///< s: it gives between them
    double limit;          ///< most particles
    double temperature;    ///< degrees Celsius
} PxEmitterDef;

PX_API void px_emitter_def_init(PxEmitterDef *def, size_t size);
PX_DEF_DEFAULT(PxEmitterDef, px_emitter_def)

/// A place that swallows every particle whose middle comes into it.
/// Start from px_sink_def_default().
typedef struct PxSinkDef {
    PxDefHead head;
    const char *name;  ///< copied
    PxShapeDef shape;  ///< any closed one; `mesh` is copied
    double start, end; ///< s: it swallows between them
} PxSinkDef;

PX_API void px_sink_def_init(PxSinkDef *def, size_t size);
PX_DEF_DEFAULT(PxSinkDef, px_sink_def)

/// Holds a part of a solid: at `start` it takes every particle of a solid that is in its region
/// and that no other handle holds. Until `end` they go where the keyframes lead, as one
/// piece; without keyframes they stay where they are. Start from px_handle_def_default().
typedef struct PxHandleDef {
    PxDefHead head;
    const char *name;           ///< copied
    PxBodyId body;              ///< whose particles; none: those of any solid
    PxShapeDef shape;           ///< the region; any closed one; `mesh` is copied
    double start, end;          ///< s: it holds between them
    size_t keyframes;           ///< how many, 0: stands still
    const PxKeyframe *keyframe; ///< in order of time; the region moves too; copied
} PxHandleDef;

PX_API void px_handle_def_init(PxHandleDef *def, size_t size);
PX_DEF_DEFAULT(PxHandleDef, px_handle_def)

/// A force on what of solids is in a region, which stands still; it is shared out by mass.
/// Start from px_force_def_default().
typedef struct PxForceDef {
    PxDefHead head;
    const char *name;  ///< copied
    PxBodyId body;     ///< whose particles; none: those of any solid
    PxShapeDef shape;  ///< the region; any closed one; `mesh` is copied
    PxVec3 force;      ///< N, on all of it together
    double start, end; ///< s: it acts between them
} PxForceDef;

PX_API void px_force_def_init(PxForceDef *def, size_t size);
PX_DEF_DEFAULT(PxForceDef, px_force_def)

/// Warms or cools what is in a region, which stands still: holds it at a temperature, draws it
/// towards one, or gives it power. Start from px_heater_def_default().
typedef struct PxHeaterDef {
    PxDefHead head;
    const char *name;    ///< copied
    PxBodyId body;       ///< whose particles; none: any
    PxShapeDef shape;    ///< the region; any closed one; `mesh` is copied
    bool holds;          ///< at `temperature`; else it gives `power`
    double temperature;  ///< degrees Celsius
    double within;       ///< s, time constant with which it is approached; 0: at once
    double power;        ///< W, shared out by mass; negative cools
    double start, end;   ///< s: it acts between them
    size_t temperatures; ///< how many moments, 0: the temperature is always the same
    const PxTemperatureKey *temperature_key; ///< in order of time; copied
} PxHeaterDef;

PX_API void px_heater_def_init(PxHeaterDef *def, size_t size);
PX_DEF_DEFAULT(PxHeaterDef, px_heater_def)

/// At `time`, the value at `path` becomes `value` (1 or 3 numbers).
typedef struct PxEventDef {
    double time;      ///< s
    const char *path; ///< as for px_world_set(); copied
    double value[3];
    int values; ///< 1 or 3
} PxEventDef;

/// Makes an empty world. Errors: PX_ERR_ARGUMENT, PX_ERR_MEMORY.
PX_API PxStatus px_world_create(const PxWorldDef *def, PxWorld **out);
PX_API void px_world_free(PxWorld *world);

/// Adds a material, a body, an emitter, a sink, a handle, a force, a heater, an event. On failure
/// the world is unchanged and *out is the null id. A body's particles are there at once; the first
/// step moves those apart that are compressed beside a wall, and may leave some out.
PX_API PxStatus px_world_add_material(PxWorld *world, const PxMaterialDef *def, PxMaterialId *out);
PX_API PxStatus px_world_add_body(PxWorld *world, const PxBodyDef *def, PxBodyId *out);
PX_API PxStatus px_world_add_emitter(PxWorld *world, const PxEmitterDef *def, PxEmitterId *out);
PX_API PxStatus px_world_add_sink(PxWorld *world, const PxSinkDef *def, PxSinkId *out);
PX_API PxStatus px_world_add_handle(PxWorld *world, const PxHandleDef *def, PxHandleId *out);
PX_API PxStatus px_world_add_force(PxWorld *world, const PxForceDef *def, PxForceId *out);
PX_API PxStatus px_world_add_heater(PxWorld *world, const PxHeaterDef *def, PxHeaterId *out);
PX_API PxStatus px_world_add_event(PxWorld *world, const PxEventDef *def);

/// Mean force, N, and torque, N m, on a wall in the last step: all that fluids and solids did to it
/// by pressure, viscosity, contact and friction. The torque is about the `at` of the wall's shape,
/// where its keyframes had it at the start of that step. Zero before the first step.
/// Errors: PX_ERR_ARGUMENT if the body is no wall.
PX_API PxStatus px_world_boundary_force(const PxWorld *world, PxBodyId body, PxVec3 *force,
                                        PxVec3 *torque);

/// Removes something from the world. Errors: PX_ERR_ARGUMENT for an id that is stale, and as said
/// below; PX_ERR_MEMORY (bodies). On failure the world is unchanged.
///
/// A body takes its particles, its skin or wall with it; the particles count as removed. Handles,
/// forces and heaters that were for this body alone stay and find nothing. What an emitter made is
/// a body that stays when the emitter is removed, and that can be removed after it. A handle lets
/// go of what it holds. A material that a body or an emitter is made of is refused.
PX_API PxStatus px_world_remove_material(PxWorld *world, PxMaterialId id);
PX_API PxStatus px_world_remove_body(PxWorld *world, PxBodyId id);
PX_API PxStatus px_world_remove_emitter(PxWorld *world, PxEmitterId id);
PX_API PxStatus px_world_remove_sink(PxWorld *world, PxSinkId id);
PX_API PxStatus px_world_remove_handle(PxWorld *world, PxHandleId id);
PX_API PxStatus px_world_remove_force(PxWorld *world, PxForceId id);
PX_API PxStatus px_world_remove_heater(PxWorld *world, PxHeaterId id);

/// Where a wall or a handle is at the time of the world. Errors: PX_ERR_ARGUMENT.
PX_API PxStatus px_world_wall_pose(const PxWorld *world, PxBodyId wall, PxPose *out);
PX_API PxStatus px_world_handle_pose(const PxWorld *world, PxHandleId handle, PxPose *out);

/// Moves a wall or a handle from where it is now to `to`, evenly within so many seconds; there it
/// stays. Replaces its keyframes. A hand that drags it calls this every frame.
/// Errors: PX_ERR_ARGUMENT, PX_ERR_MEMORY; nothing has changed then.
PX_API PxStatus px_world_move_wall(PxWorld *world, PxBodyId wall, const PxPose *to, double within);
PX_API PxStatus px_world_move_handle(PxWorld *world, PxHandleId handle, const PxPose *to,
                                     double within);

/// Replaces the keyframes, which are copied. The new path must be, at the time of the world, where
/// the wall or handle is. Errors: as above.
PX_API PxStatus px_world_set_wall_path(PxWorld *world, PxBodyId wall, const PxKeyframe *key,
                                       size_t keys);
PX_API PxStatus px_world_set_handle_path(PxWorld *world, PxHandleId handle, const PxKeyframe *key,
                                         size_t keys);

/// Sets a number, or a vector, by the path it has in a scene file: "gravity",
/// "gravity.1", "materials.water.viscosity", "materials.water.pressure.max_error",
/// "materials.wax.melts.into.viscosity", "bodies.paddle.friction", "emitters.tap.speed",
/// "forces.wind.force", "heaters.flame.power". The range is checked as in a scene file.
/// Values that shape the world at its start (spacing, shapes) are refused.
PX_API PxStatus px_world_set(PxWorld *world, const char *path, const double *value, int values);

/// What a step did, and what the world holds after it.
typedef struct PxStats {
    uint64_t step;           ///< steps done so far
    double time;             ///< s
    double dt;               ///< of the last step, s
    uint64_t particles;      ///< moving ones
    double neighbours;       ///< mean number a particle, itself included
    double speed_max;        ///< m/s
    double mass;             ///< kg
    double kinetic;          ///< J
    double potential;        ///< J, against the origin, along gravity
    double elastic;          ///< J, in solids
    double heat;             ///< J, against cold matter at 0 degrees C; 0 where none is conducted
    double heat_in;          ///< J so far, from walls, heaters, emitters and events, less what
                             ///< went out
    double temperature_min;  ///< degrees C; 0 when there are no particles
    double temperature_max;  ///<
    PxVec3 momentum;         ///< kg m/s
    PxVec3 angular_momentum; ///< about the origin, kg m^2/s
    double density_error;    ///< mean compression over rest density, per cent
    double density_error_max;
    double tension_force;  ///< mean size of a particle's force by surface tension, N
    double pressure_force; ///< the same by pressure; both 0 where no material has tension
    double solve_error;    ///< mean compression that the last pressure solve left, per cent
    uint64_t iterations;   ///< of the pressure solve in the last step
    uint64_t viscosity_iterations;
    uint64_t heat_iterations;
    uint64_t not_converged; ///< steps so far in which a solve stopped short
    uint64_t caught;        ///< moves so far that a wall's last defence corrected
    uint64_t leaked;        ///< particles so far that crossed a wall: must stay 0
    uint64_t emitted;       ///< particles so far that emitters made
    uint64_t removed; ///< particles so far that sinks swallowed, that found no place at the start,
                      ///< or that emitters took back for want of room
    double mass_in;   ///< kg, of those emitted
    double mass_out;  ///< kg, of those removed
    uint64_t held_back; ///< particles so far that emitters had no room for
    uint64_t waiting;   ///< emitters that stand still now, for want of room
} PxStats;

/// A number of PxStats. Each is a column of stats.csv.
typedef struct PxStatsColumn {
    const char *name;    ///< "kinetic"
    const char *unit;    ///< SI: "J"; "" for a pure number
    const char *meaning; ///< one line
    size_t offset;       ///< in PxStats
    bool whole;          ///< it is a uint64_t there, else a double
} PxStatsColumn;

/// Number k of them, in the order of stats.csv; NULL after the last.
PX_API const PxStatsColumn *px_stats_column(size_t k);
PX_API double px_stats_value(const PxStats *stats, const PxStatsColumn *column);

/// One step that does not go beyond `until` (s), which is later than now; INFINITY: as long as the
/// world likes. Chooses its own length.
/// Errors: PX_ERR_NUMERIC names the particle and the stage; PX_ERR_MEMORY.
/// After PX_ERR_MEMORY nothing has moved but what the start of the step does: events that were due
/// are carried out, rows are sorted, fillings are settled in the first step. The step taken again
/// gives the bits of a world that never lacked memory.
PX_API PxStatus px_world_step(PxWorld *world, double until);

/// Steps until the time is exactly `until`, which is now or later and finite. Errors: as above.
PX_API PxStatus px_world_advance(PxWorld *world, double until);

PX_API double px_world_time(const PxWorld *world);

/// Sums and extremes over all particles, of the state as it is now.
PX_API void px_world_stats(PxWorld *world, PxStats *out);

/// Number of particles: the rows of all columns. Their order may change with every step; the column
/// "id" names a particle for good.
PX_API uint32_t px_world_count(const PxWorld *world);

/// Fills `out` with up to `most` columns, those computed on demand last; returns how many there
/// are. The texts are valid as long as the world.
PX_API size_t px_world_columns(const PxWorld *world, PxColumnInfo *out, size_t most);

/// Pointers to a column, one array a component; NULL when there is no such column of that type, or
/// when it is computed on demand. Valid until the world is next changed, or read with
/// px_world_read_column().
PX_API const float *px_world_floats(const PxWorld *world, const char *column, int component);
PX_API const uint32_t *px_world_words(const PxWorld *world, const char *column);
PX_API const uint64_t *px_world_ids(const PxWorld *world);

/// Copies any column in its own type, row after row with the components together (x y z x y z ...),
/// into `bytes` bytes, which must be exactly its size; columns that are derived are computed. The
/// rows are in the order that the other columns have after the call.
/// Errors: PX_ERR_ARGUMENT for an unknown column or a wrong size, PX_ERR_MEMORY.
PX_API PxStatus px_world_read_column(PxWorld *world, const char *column, void *to, size_t bytes);

/// Has frames hold a column that is computed on demand: "strain", "stress", "von_mises",
/// "principal_stress". Errors: PX_ERR_ARGUMENT, PX_ERR_MEMORY.
PX_API PxStatus px_world_keep_column(PxWorld *world, const char *column);

/// A surface that the world keeps: the skin of a body, or the coat of a material.
typedef struct PxWorldSurface {
    PxBodyId body; ///< of a skin; none for a coat
    PxMaterialId material;
    uint32_t points;
    uint32_t triangles; ///< 0: the points are surfels
} PxWorldSurface;

/// Fills `out` with up to `most` surfaces, skins first; returns how many there are.
PX_API size_t px_world_surfaces(const PxWorld *world, PxWorldSurface *out, size_t most);

/// Copies surface number k as it was last moved: 3 numbers a point, 1 radius a point, 3 points a
/// triangle; each array may be NULL. Errors: PX_ERR_ARGUMENT.
PX_API PxStatus px_world_read_surface(const PxWorld *world, size_t k, float *position,
                                      float *normal, float *radius, uint32_t *triangle);

/// Moves all skins to where the particles are; may be called at any time, as often as wanted.
/// Errors: PX_ERR_MEMORY.
PX_API PxStatus px_world_move_skins(PxWorld *world);

/// Moves all coats from where they last were to where the particles are: once a frame, since coats
/// are carried from frame to frame. Errors: PX_ERR_NUMERIC, PX_ERR_MEMORY.
PX_API PxStatus px_world_move_coats(PxWorld *world);

/// Time spent in each stage since the world was made.
typedef struct PxStage {
    const char *name;
    double seconds;
    uint64_t calls;
} PxStage;

/// Fills `out` with up to `most` stages; returns how many there are.
PX_API size_t px_world_stages(const PxWorld *world, PxStage *out, size_t most);

/// A world as it was at a moment, kept in memory: for undo and rollback. It belongs to the world
/// that it was made of: one thread at a time for both, and it is freed before the world is.
typedef struct PxSavedWorld PxSavedWorld;

/// Saves everything: particles, emitters, skins and coats, what was set, which things are there.
/// *saved is NULL, or what this world was saved to before: it is overwritten, and no memory is
/// allocated for tables that have not grown. On failure *saved is unchanged. Errors:
/// PX_ERR_ARGUMENT for what was saved of another world, PX_ERR_MEMORY.
PX_API PxStatus px_world_save(const PxWorld *world, PxSavedWorld **saved);

/// Puts the world back to where it was saved, any number of times: it continues with the same
/// bits, also when things were added, changed or removed meanwhile. Ids of things that were added
/// later are stale. On failure the world is unchanged. Errors: as above.
PX_API PxStatus px_world_restore(PxWorld *world, const PxSavedWorld *saved);

/// Bytes that it holds.
PX_API size_t px_saved_bytes(const PxSavedWorld *saved);

/// NULL is fine.
PX_API void px_saved_free(PxSavedWorld *saved);

/// Bytes the world holds now: particles, lists, scratch.
PX_API size_t px_world_bytes(const PxWorld *world);

#ifdef __cplusplus
}
#endif
#endif
