#include "fluid/density.h"

void px_fluid_density(PxFluid *f)
{
    px_parallel_for(f->threads, f->count, PX_BLOCK, PX_ISA_PICK(f->isa, px_density_block), f);
}
