/// Cloth of a world within the step: adding, moving and saving it.
///
/// The vertices of all cloth are one table, piece after piece in the order of addition; topology
/// and rest shapes are sheets (cloth/sheet.h). px_cloth_stage_move() computes a step in scratch,
/// px_cloth_stage_commit() takes it over and cannot fail, so that a step that fails has changed
/// nothing.
#ifndef PX_WORLD_CLOTH_STAGE_H
#define PX_WORLD_CLOTH_STAGE_H

#include "fluid/yield.h"
#include "world/world_parts.h"

/// Makes the empty table of vertices. Errors: PX_ERR_MEMORY.
PxStatus px_cloth_init(PxWorld *world);
void px_cloth_free(PxWorld *world);

/// Adds a piece of cloth. Errors: those of px_cloth_mesh() and px_cloth_sheet_create(),
/// PX_ERR_ARGUMENT if a vertex is inside a wall or rigid body, PX_ERR_MEMORY.
PxStatus px_cloth_add(PxWorld *world, const PxBodyDef *def, uint32_t slot);
/// Removes it.
void px_cloth_drop(PxWorld *world, uint32_t slot);
/// Refuses a new wall with cloth in it. Errors: PX_ERR_ARGUMENT.
PxStatus px_cloth_check_wall(const PxWorld *world, const PxWall *wall);

/// Applies a changed key of its def.
void px_cloth_changed(PxWorld *world, size_t slot, const char *key);

/// A handle takes the free vertices in its region, or lets its vertices go.
void px_cloth_grab(PxWorld *world, uint32_t handle, const PxPose *pose, bool take);

/// Updates the topology if pieces came or went. Errors: PX_ERR_MEMORY.
PxStatus px_cloth_stage_begin(PxWorld *world);
/// The longest step that the materials of cloth allow, s; INFINITY without cloth.
double px_cloth_stage_limit(const PxWorld *world);
/// After a step that failed: has cloth asked for a shorter one? Then its limit is now shorter.
bool px_cloth_stage_shorten(PxWorld *world);

/// Bounds of all vertices, and the largest speed of one, m/s.
PxBounds px_cloth_bounds(const PxWorld *world, double *fastest);
/// The velocities w that vertices would have with the present load of fluids. Errors:
/// PX_ERR_MEMORY, PX_ERR_STOPPED.
PxStatus px_cloth_stage_guess(PxWorld *world, PxVec3 *w);
/// How vertices respond to impulses in this step, each on its own: the diagonal blocks of the
/// system (0 for vertices that are held or touch a wall), and without the fluid the impulse on each
/// and the velocity u that it is relative to. Errors: PX_ERR_MEMORY.
PxStatus px_cloth_stage_yields(PxWorld *world, PxYieldMass *mass, PxVec3 *impulse, PxVec3 *u);
/// Errors: PX_ERR_MEMORY, PX_ERR_STOPPED; PX_ERR_NUMERIC naming the body.
PxStatus px_cloth_stage_move(PxWorld *world, const PxFluid *fluid);
/// After the particles moved: keeps fluid from crossing cloth. Errors: PX_ERR_MEMORY.
PxStatus px_cloth_stage_catch(PxWorld *world);
void px_cloth_stage_commit(PxWorld *world);

/// Vertices at the start of a step: places, velocities, masses, and whether a handle holds them.
PxStatus px_cloth_vertices(const PxWorld *world, PxVec3 *x, PxVec3 *v, double *mass, uint8_t *held);
/// Most liquids that cloth keeps apart.
#define PX_WET_LIQUIDS 4

/// Liquid in cloth, by vertex; the arrays are the table's own.
typedef struct PxClothWater {
    double *water;                    ///< of all liquids, kg
    double *part[PX_WET_LIQUIDS];     ///< of each liquid, kg; world->state.wet_K is the material of
                                      ///< liquid K
    uint32_t *liquid[PX_WET_LIQUIDS]; ///< 1 + slot of the body that it last came from; 0: none
    double *hanging; ///< what of it hangs outside the pores: its volume, as kg of 1000 kg/m^3
    double *press;   ///< mean pressure of layers and bodies on it, Pa
    double *place[3], *velocity[3];
} PxClothWater;
PxClothWater px_cloth_water(const PxWorld *world);

/// Evaluates the present state, in scratch that the caller releases. Errors: PX_ERR_MEMORY.
PxStatus px_cloth_look(PxWorld *world, PxClothStep *step);

/// Validates a stored table of vertices.
PxStatus px_cloth_check_stored(const PxWorld *world, const PxWorldState *state,
                               const PxTable *vertices);

/// Tables for frames: vertices (id, body, position, velocity, water, saturation) and faces (body,
/// corners as rows of the first, strain, energy, bend angle). Errors: PX_ERR_MEMORY.
PxStatus px_cloth_frame(PxWorld *world, PxTable *vertices, PxTable *faces);

/// One piece of cloth as a surface, with smooth normals. Free with px_cloth_surface_free().
typedef struct PxClothSurface {
    uint32_t body, material; ///< slots
    uint32_t vertices, triangles;
    float (*position)[3], (*normal)[3];
    float *velocity[3], *uv[2];
    uint32_t (*triangle)[3];
} PxClothSurface;

size_t px_cloth_count(const PxWorld *world);
/// Errors: PX_ERR_MEMORY.
PxStatus px_cloth_surface(const PxWorld *world, size_t k, PxClothSurface *out);
void px_cloth_surface_free(PxClothSurface *surface);

/// Sums over cloth.
typedef struct PxClothTotals {
    double mass, kinetic, potential, elastic;
    PxVec3 momentum;
    PxVec3 angular; ///< momentum about the origin, kg m^2/s
    PxVec3 moment;  ///< mass times place, kg m
    double strain;  ///< largest along a thread
    double speed;   ///< largest, m/s
} PxClothTotals;

/// Of all cloth. Errors: PX_ERR_MEMORY.
PxStatus px_cloth_totals(PxWorld *world, PxClothTotals *out);
/// Of the body in a slot, which may be no cloth; without the threads of seams. Errors:
/// PX_ERR_MEMORY.
PxStatus px_cloth_totals_of(PxWorld *world, uint32_t body, PxClothTotals *out);

#endif
