/// Relaxation of matter at cracks: lowering bonds must not add energy.
///
/// When bonds are lowered, the fits of the particles beside the crack change, and with them their
/// strains. Mostly that releases energy; where neighbours become few, the new strain may be larger.
/// The step that first uses the new fits compares the energies of all particles with those before.
/// If their sum has grown, the particles whose energy grew take part of their strain as plastic
/// strain, so much that it has not.
#ifndef PX_SOLID_FRACTURE_RELAX_H
#define PX_SOLID_FRACTURE_RELAX_H

#include "solid/bonds.h"
#include "solid/solid.h"

/// Columns of particles in worlds where something breaks: elastic energy at the end of the last
/// step, J, and largest gap so far to pieces of the same body, m; 0: none yet (contact/pieces.h).
#define PX_FRACTURE_ENERGY "crack_energy"
#define PX_FRACTURE_GAP "piece_gap"

/// Adds the columns, where missing. Errors: PX_ERR_MEMORY.
PxStatus px_fracture_columns_add(PxTable *particles);

/// The column of that name; NULL: nothing breaks.
float *px_fracture_column(const PxTable *particles, const char *name);

/// Stores the elastic energy of each particle at the end of a step. Call after px_solid_forces(),
/// which computes it.
void px_fracture_note_energy(PxSolid *solid);

/// Takes `due` J, by body, from the matter at the fronts of cracks, as far as it has them: rows
/// some of whose bonds are weaker, but not cut, take part of their strain as plastic strain.
/// `strength` is that of the bonds from now on. Needs the energies of px_solid_forces().
void px_fracture_pay(PxSolid *solid, const PxBonds *bonds, const float *strength, const double *due,
                     size_t bodies);

/// Relaxes the rows at the start of a step with new fits, before contact begins. Changes plastic
/// strains.
void px_fracture_relax(PxSolid *solid);

#endif
