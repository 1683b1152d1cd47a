/// Planes of sheets that particles face: found once in a step, for all who need them.
///
/// A plane is a place of a sheet that is nearer to the particle than all of the sheet around it,
/// and the direction from there to the particle. A flat or smooth sheet is one plane, however many
/// triangles are in reach; a fold may be several.
///
/// Each particle is tested against the triangles of the branches near it (contact/sheet_tree.h), 8
/// at a time, in floats relative to the branch; the planes themselves are doubles.
#ifndef PX_CONTACT_SHEET_NEAR_H
#define PX_CONTACT_SHEET_NEAR_H

#include "contact/sheets.h"

/// Fills s->found, s->nearest, s->clear, s->around and s->quad for the particles that `grid` has
/// sorted. Errors: PX_ERR_MEMORY.
PxStatus px_sheets_find(PxSheets *s, const PxGrid *grid, const PxParticles *p, PxIsa isa,
                        const PxThreads *threads);

#endif
