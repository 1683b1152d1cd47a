#include "matter/melt.h"

PxMaterial px_melt_at(const PxMaterial *material, double melted)
{
    PxMaterial at = *material;
    const PxMeltInto *into = &material->def.melts.into;
    PxMaterialDef *def = &at.def;
    if (!def->melts.melts)
        return at;
    def->young = px_between(def->young, into->young, melted);
    def->poisson = px_between(def->poisson, into->poisson, melted);
    def->viscosity = px_between(def->viscosity, into->viscosity, melted);
    def->cohesion = px_between(def->cohesion, into->cohesion, melted);
    def->tension.param[0] = px_between(def->tension.param[0], into->tension, melted);
    def->damping = px_between(def->damping, into->damping, melted);
    def->yield = px_between(def->yield, into->yield, melted);
    def->creep = px_between(def->creep, into->creep, melted);
    def->plastic_limit = px_between(def->plastic_limit, into->plastic_limit, melted);
    def->absorb = px_between(def->absorb, into->absorb, melted);
    def->friction = px_between(def->friction, into->friction, melted);
    def->restitution = px_between(def->restitution, into->restitution, melted);
    return at;
}
