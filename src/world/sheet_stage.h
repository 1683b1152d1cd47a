/// Cloth and fluid within the step: contact/sheets.h and contact/sheet_catch.h on a world.
#ifndef PX_WORLD_SHEET_STAGE_H
#define PX_WORLD_SHEET_STAGE_H

#include "cloth/cloth.h"
#include "contact/sheets.h"
#include "world/world_parts.h"

/// After the neighbour search: makes sheets of the cloth, if particles are there that flow, and
/// appends them to the fluid's boundaries. world->sheets is NULL otherwise. Errors: PX_ERR_MEMORY.
PxStatus px_sheet_stage_begin(PxWorld *world, PxFluid *fluid);

/// The sheets of this step; NULL: none.
PxSheets *px_sheet_stage_sheets(const PxWorld *world);

/// Solves the pressure of the fluid, and with sheets that it moves, their motion. Errors: those of
/// the model's solve and of px_cloth_stage_guess().
PxStatus px_sheet_stage_pressure(PxWorld *world, PxFluid *fluid, const PxPressureModel *model);

/// Before particles move: stores where they are. Errors: PX_ERR_MEMORY.
PxStatus px_sheet_stage_watch(PxWorld *world);

/// Adds the load of the fluid to a step of cloth, and the fluid's mass.
void px_sheet_stage_load(const PxWorld *world, PxClothStep *step);

/// After a solve: gives the fluid the impulses that the added mass gave the cloth. Errors:
/// PX_ERR_MEMORY.
PxStatus px_sheet_stage_return(PxWorld *world, const PxFluid *fluid, const PxClothStep *step);

/// Keeps the velocities of a solve of the cloth: the next one of this step starts from them. NULL:
/// the matrix of the step was assembled, and nothing solved yet. `assembled`: it is that of the
/// start of the step, not of a later tangent (cloth/newton.h).
void px_sheet_stage_keep(const PxWorld *world, const PxVec3 *w, bool assembled);
/// Was the matrix of this step assembled before?
bool px_sheet_stage_assembled(const PxWorld *world);
/// Those velocities; NULL: there was no solve in this step.
const PxVec3 *px_sheet_stage_solved(const PxWorld *world);

/// After the cloth has moved to `at`: keeps particles from crossing it. Changes step->w.
/// Errors: PX_ERR_MEMORY.
PxStatus px_sheet_stage_catch(PxWorld *world, PxClothStep *step, const PxVec3 *at);

#endif
