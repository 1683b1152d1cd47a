/// The private structure of a world, for the files of src/world.
#ifndef PX_WORLD_WORLD_PARTS_H
#define PX_WORLD_WORLD_PARTS_H

#include "base/def.h"
#include "base/profile.h"
#include "base/stop.h"
#include "cloth/cloth.h"
#include "contact/solid_self.h"
#include "coupling/elastic_set.h"
#include "fluid/fluid.h"
#include "fluid/pressure/pressure.h"
#include "matter/wall.h"
#include "phyxel/world.h"
#include "rigid/rigid.h"
#include "solid/fracture/fracture.h"
#include "solid/solid.h"
#include "world/attached/coats.h"
#include "world/actors/emitter.h"
#include "world/actors/force.h"
#include "world/actors/force_field.h"
#include "world/actors/gauge.h"
#include "world/actors/handle.h"
#include "world/actors/heater.h"
#include "world/actors/joint.h"
#include "world/actors/seam.h"
#include "world/actors/sink.h"
#include "world/attached/skins.h"
#include "world/kinds/kind.h"
#include "fluid/work.h"
#include "world/state.h"

typedef struct PxBody {
    PX_SLOT_MEMBERS;
    PxBodyDef def;      ///< its pointers are NULL except the name
    PxVec3 rest_origin; ///< solids: origin of the rest positions, m
    uint32_t emitter;   ///< slot + 1 of the emitter that makes its matter, or 0
    uint32_t number;    ///< number of bodies added before it; particle ids are derived from it
} PxBody;

typedef struct PxEvent {
    double time;
    char path[256];
    double value[3];
    int values;
} PxEvent;

struct PxWorld {
    PxWorldDef def;
    PxAllocator allocator; ///< a copy of the caller's
    const PxAllocator *memory;
    PxThreads threads;
    PxStop stop; ///< of steps
    PxIsa isa;
    PxDist dist;
    PxProfile profile;
    PxArena scratch;
    struct PxUndo *undo; ///< of the step that is being done

    PxParticles particles;
    bool flows;                     ///< the fluid stages run, on all rows (px_world_flows())
    uint32_t flow_rows;             ///< rows in the fluid stages: all or none
    PxElasticSet elastic_set;       ///< copy of the elastic rows, ordered by component
    PxFractions fractions;          ///< of this step's rows, in scratch; only if `flows`
    PxTable bonds_stored;           ///< restored bonds, not yet applied
    bool bonds_pending;             ///< bonds_stored must be applied
    bool absorbed;                  ///< rest shapes of whole bodies were updated in this step
    PxFracture fracture;            ///< cracks (world/fracture_stage.h)
    PxTable crack[PX_CRACK_TABLES]; ///< the same as tables, for checkpoints
    PxGrid grid;
    PxPairs pairs;
    PxGrid contact_grid;      ///< for `contact_self`
    PxSolidSelf contact_self; ///< rows that may touch distant rows of their own solid
    uint32_t solid_substeps;  ///< of the last step
    PX_KIND_LISTS             ///< materials, bodies, emitters, ...: a list of each kind
        uint32_t ids_given;  ///< generation of the last object added; never falls, not even when an
                             ///< earlier state is restored, so that no id names two objects
    uint32_t bodies_made;    ///< so far, including removed ones
    bool bodies_trusted;     ///< px_overlap_trust()
    PX_LIST(PxWall) walls;   ///< and rigid bodies
    PX_LIST(PxRigid) rigids; ///< by number
    PX_LIST(PxRigidKept) rigid_kept;  ///< contacts of rigid bodies, sorted
    struct PxRigidRun *rigid_run;     ///< of this step, in scratch; NULL: none
    uint32_t rigid_contacts;          ///< of the last step
    double rigid_overlap;             ///< m
    PX_LIST(PxCloth) cloths;          ///< in the order of their vertices
    PxTable cloth_vertices;           ///< of all cloth (world/cloth_stage.h)
    PxTable cloth_edges;              ///< of all cloth (world/cloth_bends.h)
    PxClothSystem cloth_system;       ///< topology of all cloth
    bool cloth_stale;                 ///< cloth_system must be built again
    struct PxWetRun *wet_run;         ///< liquid in cloth in this step, in scratch; NULL: none
    struct PxSheetRun *sheets;        ///< cloth in fluids in this step, in scratch; NULL: none
    struct PxClothSoft *cloth_soft;   ///< soft bodies at cloth in this step, in scratch
    struct PxClothRun *cloth_run;     ///< of this step, in scratch; NULL: none
    uint32_t cloth_tries;             ///< how often this step was begun before
    double cloth_again;               ///< length of the step if it is to be begun again, s; else 0
    uint32_t cloth_iterations;        ///< of the last step
    uint32_t cloth_contacts;          ///< vertices that boundaries carried in it
    PX_LIST(PxBoundary *) boundaries; ///< all boundaries of this step (world/boundary_stage.h)
    PxWallProfile wall_profile;
    struct PxMacStore *mac_store; ///< fluid/pressure/mac_walls.h; derived, not saved
    PxTable progress;             ///< one row per emitter
    PX_LIST(PxGrip) grips;        ///< by time
    PxGaugeStep *gauging;         ///< measurements of this step, in scratch; NULL: no gauges
    PX_LIST(PxReading) readings;  ///< samples completed in the last step, by time
    PX_LIST(double) reading_values;
    const PxForceFieldWork *field_work; ///< on solids in this step, where nothing flows; NULL: none
    uint8_t *drop;                      ///< in a step with sinks: rows to be removed, in scratch
    PX_LIST(PxWorldSkin) skins;         ///< by body
    PX_LIST(PxWorldCoat) coats;         ///< by material
    PX_LIST(PxEvent) events;            ///< by time, then in the order of addition

    PxWorldState state;
    double dt;                               ///< s
    double neighbours;                       ///< mean number per particle
    double elastic;                          ///< elastic energy, J
    double work[PX_WORK_KINDS];              ///< of each stage in the last step, J (energy.h)
    double rigid_work, cloth_work;           ///< of force fields in the last step, J
    double density_error, density_error_max; ///< per cent
    double tension_force, pressure_force;    ///< mean per particle, N; 0 in worlds without tension
    double solve_error;                      ///< residual of the pressure solve, per cent
    uint32_t iterations, viscosity_iterations;
    uint32_t heat_iterations;
    double heat_mark; ///< heat at the last px_world_heat_mark(), J
};

/// Speed of light, m/s. Matter faster than that is a sign of an instability and stops the step,
/// long before squares of speeds overflow.
#define PX_FASTEST 299792458.0f

/// The rows of all particles, for px_reduce().
static inline PxRows px_world_rows(const PxWorld *world)
{
    return (PxRows){&world->threads, &world->dist, world->particles.table.count, 0};
}

/// Executes the events that are due. *next is the time of the next one, s.
PxStatus px_world_events(PxWorld *world, double *next);

/// Executes the first `count` events again, to restore the world's state after them.
PxStatus px_world_repeat_events(PxWorld *world, size_t count);

/// Bound on the speed of the flow from potential and kinetic energy, m/s.
double px_world_speed_bound(PxWorld *world);

/// Copies the pressure and viscosity models of the world's fluids, with parameters, to materials
/// that never flow, so that no model reads parameters of another. Returns the name of the pressure
/// model.
const char *px_world_share_models(PxWorld *world);

/// Copies a name. Errors: PX_ERR_ARGUMENT if it is too long or has a dot, the separator of paths.
PxStatus px_world_name(char to[PX_NAME_SIZE], const char *name, const char *what);

/// Deletes the marked rows and adds their mass to mass_out. Allocates nothing.
void px_world_remove_rows(PxWorld *world, const uint8_t *drop);

/// Adds the body, still empty, of an emitter's matter. *slot is its index.
PxStatus px_world_add_source(PxWorld *world, const char *name, uint32_t emitter, uint32_t *slot);

/// Adds the columns that particles of the material need. On failure none is added.
PxStatus px_world_material_columns(PxWorld *world, const PxMaterialDef *def);

/// Undoes additions to the particles: keeps the first rows and columns.
void px_world_cut(PxWorld *world, uint32_t rows, uint32_t columns);

/// Fills the row of a new particle.
void px_world_put(PxWorld *world, uint32_t row, uint64_t id, PxVec3 x, PxVec3 v, uint32_t body,
                  uint32_t material, double temperature);

#endif
