/// Rigid bodies of a world within the step: adding, predicting and moving them, saving their state.
///
/// In a step, px_rigid_predict() states how each would move without fluids; fluids and solids meet
/// it as a boundary. px_rigid_stage_move() then moves all with the fluids' impulses and contacts,
/// and gives the boundaries their final motion, on which particles are stopped;
/// px_rigid_stage_commit() ends the step and cannot fail, so that a step that fails has changed
/// nothing.
#ifndef PX_WORLD_RIGID_STAGE_H
#define PX_WORLD_RIGID_STAGE_H

#include "world/world_parts.h"

/// Deepest overlap at the start, over the smaller thickness.
#define PX_RIGID_OVERLAP 0.02

/// Mass of a rigid body as its def states it: its shape at the material's density, and its ballast.
/// Errors: PX_ERR_ARGUMENT.
PxStatus px_rigid_mass_stated(const PxBodyDef *def, const PxShape *shape, double density,
                              PxRigidMass *out);

/// Adds a rigid body with the shape of `wall`, which becomes its boundary. Errors: PX_ERR_ARGUMENT
/// if it overlaps another body or wall, or has no mass; PX_ERR_MEMORY.
PxStatus px_rigid_add(PxWorld *world, const PxBodyDef *def, PxWall *wall, uint32_t slot);

/// The rigid body of that slot, or NULL.
const PxRigid *px_rigid_find(const PxWorld *world, uint32_t slot);

/// Its pose now, between steps.
PxPose px_rigid_pose(const PxRigid *rigid);

/// Removes it; its wall stays.
void px_rigid_drop(PxWorld *world, uint32_t slot);

/// When the keyframes of a body let it go, s.
double px_rigid_release(const PxBodyDef *def);

/// The next time after `time` at which a body is released or held; INFINITY: none.
double px_rigid_next(const PxWorld *world, double time);

/// Applies a changed key of its def.
void px_rigid_changed(PxWorld *world, size_t slot, const char *key);

/// Sets the poses of the boundaries of all rigid bodies, and the speeds that the step's length
/// depends on. Before the length is chosen. Errors: PX_ERR_MEMORY.
PxStatus px_rigid_stage_begin(PxWorld *world);

/// Sets the velocities that the bodies have without fluids in a step of world->dt.
void px_rigid_predict(PxWorld *world);

/// `fluid` is NULL in a step without fluid stages. Errors: PX_ERR_MEMORY, PX_ERR_NUMERIC.
PxStatus px_rigid_stage_move(PxWorld *world, const PxFluid *fluid, bool wake);
void px_rigid_stage_commit(PxWorld *world);

/// After px_rigid_stage_move(): impulse and moment by cloth that the motion of the boundary's body
/// in this step contains already, N s and N m s; 0 if it is no rigid body that yields.
void px_rigid_stage_expected(const PxWorld *world, const PxBoundary *boundary, PxVec3 expected[2]);

/// Changes that motion: `change` of velocity and spin in all of the step, and the whole impulse and
/// moment by cloth.
void px_rigid_stage_push(PxWorld *world, PxBoundary *boundary, const PxVec3 change[2],
                         const PxVec3 impulse[2]);

/// The state of the bodies and their contacts as tables; see saved.c.
PxStatus px_world_store_rigid(const PxWorld *world, PxTable *table);
PxStatus px_world_restore_rigid(PxWorld *world, const PxTable *table);

/// Table of the bodies' poses for frames: slot, pivot, pose, velocity, spin. Errors: PX_ERR_MEMORY.
PxStatus px_rigid_frame(const PxWorld *world, PxTable *table);
/// The same for their joints.
PxStatus px_joints_frame(const PxWorld *world, PxTable *table);

/// Is any rigid body a mesh?
bool px_rigid_stage_meshes(const PxWorld *world);

#endif
