/// Gauges: measurements of the world, averaged over time.
///
/// A gauge has one or more values. In each step every value is measured once, and is taken as
/// constant during the step. A sample is its mean over `over` seconds before a multiple of `every`;
/// the parts of a step before and after such a time count separately, so that gauges do not shorten
/// steps. Gauges read the world and change nothing.
///
/// What is measured when:
///   fields at points, level     at the start of the step, with the pressures of the step; rows are
///                               sorted then, and the grid is that of their positions
///   handles, elastic energy     by the elastic stage, with the forces at the end of the step
///   heat                        by the heat stage
///   flux, bodies, walls         when all particles have moved, before sinks and emitters
#ifndef PX_WORLD_ACTORS_GAUGE_H
#define PX_WORLD_ACTORS_GAUGE_H

#include "base/slot.h"
#include "base/table.h"
#include "fluid/fluid.h"
#include "matter/wall.h"
#include "phyxel/world.h"
#include "solid/solid.h"

typedef struct PxGauge {
    PX_SLOT_MEMBERS;
    PxGaugeDef def;  ///< its `name` points at the array above
    PxVec3 up;       ///< unit vector against gravity
    size_t channels; ///< number of its values
    double *state;   ///< what a checkpoint holds of it (gauge.c)
    size_t numbers;  ///< of `state`
} PxGauge;

/// Measurements of one step, in scratch.
typedef struct PxGaugeStep {
    double **now;     ///< by slot: one value a channel; NAN: none
    float *before[3]; ///< positions at the start of the step; NULL: no gauge needs them
    double *elastic;  ///< by body: elastic energy, J; NULL: no gauge needs it
    PxVec3 *force;    ///< by handle: force on it, N, and torque about the origin, N m; NULL
    PxVec3 *torque;
    double *wall_heat;   ///< by body: J given by the wall in this step; NULL
    double *heater_heat; ///< by heater; NULL
} PxGaugeStep;

/// A sample that was completed in the last step.
typedef struct PxReading {
    double time;   ///< s
    uint32_t slot; ///< of the gauge
    size_t first;  ///< index of its first value in PxWorld.reading_values
} PxReading;

/// Completes a new gauge, and checks it after a change (world/kinds/kind.h).
PxStatus px_gauge_make(PxWorld *world, const void *def, void *gauge);
PxStatus px_gauge_changed(PxWorld *world, size_t slot, const char *key);

/// Number of values of a gauge with that def.
size_t px_gauge_channels(const PxGaugeDef *def);

/// Up: against gravity; y without it.
PxVec3 px_gauge_up(PxVec3 gravity);

/// A point of a gauge in a wall.
typedef struct PxInWall {
    PxVec3 at;    ///< m
    size_t wall;  ///< index
    double depth; ///< m
} PxInWall;

/// Is a point of the gauge in a wall at that time? Of a plane, are all?
bool px_gauge_in_wall(const PxGaugeDef *def, PxVec3 up, const PxWall *wall, size_t walls,
                      double time, double spacing, PxInWall *out);

/// Refuses bodies of which that cannot be measured. Errors: PX_ERR_ARGUMENT.
PxStatus px_gauge_check_body(const PxGaugeDef *def, const PxBodyDef *body);

/// Refuses combinations that cannot be measured; the message names them.
PxStatus px_gauge_check(const PxGaugeDef *def);

/// Number of points of a line or plane; their places.
size_t px_gauge_points(const PxGaugeDef *def);
PxVec3 px_gauge_point(const PxGaugeDef *def, PxVec3 up, size_t k);

/// Unit vectors of a plane: along its width, its height, its normal.
void px_gauge_axes(const PxGaugeDef *def, PxVec3 up, PxVec3 axis[3]);

/// Takes scratch for the measurements of this step, and room for its samples. Errors:
/// PX_ERR_MEMORY.
PxStatus px_gauges_begin(PxWorld *world);
/// Measures fields before particles move. Errors: PX_ERR_MEMORY.
PxStatus px_gauges_sense(PxWorld *world);
/// Measures the forces on handles and the elastic energy of bodies, after the elastic stage.
void px_gauges_feel(PxWorld *world, PxSolid *solid);
/// Measures the rest, and adds all to the means; the step ends at `time`. Cannot fail.
void px_gauges_take(PxWorld *world, double time);

/// Measures flux, forces, bodies and heat when particles have moved (gauge_sums.c).
void px_gauges_add_up(PxWorld *world);
/// Adds a force, at a place, that cloth exerts on a handle in this step.
void px_gauges_pull(const PxWorld *world, uint32_t handle, PxVec3 place, PxVec3 force);
/// Memory of a gauge of force on a body: whether the rest is known, momentum, angular momentum
/// about the centre of mass, after the last step. 7 numbers.
double *px_gauge_last(const PxGauge *gauge);

/// Does a gauge measure heat? Adds the heat that walls and held rows gave in this step.
bool px_gauges_want_heat(const PxWorld *world);
void px_gauges_heat(PxWorld *world, const PxFluid *fluid, const double *walls, const double *held);
/// The measurement of a heater in this step; NULL: none.
double *px_gauges_heater(const PxWorld *world, size_t slot);

/// Value of a field at a place, by a linear fit to the particles around it, weighted with the
/// kernel. Returns false outside matter; `out` has 1 number, of velocities 3.
bool px_gauge_field(const PxWorld *world, const PxGauge *gauge, PxVec3 at, double out[3]);
/// Height of the free surface above a place; NAN: no matter above or below it.
double px_gauge_level(const PxWorld *world, const PxGauge *gauge, PxVec3 at);

/// Number of gauges in the world.
size_t px_world_gauge_count(const PxWorld *world);

/// State of all gauges as the table of a checkpoint.
PxStatus px_world_store_gauges(const PxWorld *world, PxTable *out);
/// Is it that of this world's gauges at that time? Errors: PX_ERR_FORMAT.
PxStatus px_gauges_check(const PxWorld *world, double time, const PxTable *table);
/// Cannot fail for a table that px_gauges_check() accepts.
PxStatus px_world_restore_gauges(PxWorld *world, const PxTable *table);

#endif
