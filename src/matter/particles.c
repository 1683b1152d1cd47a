#include "matter/particles.h"

/* Members of PxParticles beside the columns they point into. */
#define MEMBER(member) offsetof(PxParticles, member)

typedef struct Usual {
    const char *name, *unit;
    PxType type;
    uint32_t components, flags;
    size_t member[3];
} Usual;

enum { STATE = PX_COLUMN_STATE, FRAME = PX_COLUMN_FRAME, WORK = PX_COLUMN_WORK };

static const Usual usual[] = {
    {"id", "", PX_U64, 1, STATE | FRAME, {MEMBER(id)}},
    {"position", "m", PX_F32, 3, STATE | FRAME, {MEMBER(x), MEMBER(y), MEMBER(z)}},
    {"position_low", "m", PX_F32, 3, STATE, {MEMBER(x_low), MEMBER(y_low), MEMBER(z_low)}},
    {"velocity", "m/s", PX_F32, 3, STATE | FRAME, {MEMBER(vx), MEMBER(vy), MEMBER(vz)}},
    {"mass", "kg", PX_F32, 1, STATE | FRAME, {MEMBER(mass)}},
    {"radius", "m", PX_F32, 1, STATE | FRAME, {MEMBER(radius)}},
    {"temperature", "degrees C", PX_F32, 1, STATE | FRAME, {MEMBER(temperature)}},
    {"material", "", PX_U32, 1, STATE | FRAME, {MEMBER(material)}},
    {"body", "", PX_U32, 1, STATE | FRAME, {MEMBER(body)}},
    {"warm_pressure", "Pa", PX_F32, 1, STATE, {MEMBER(warm_pressure)}},
    {"warm_divergence", "Pa", PX_F32, 1, STATE, {MEMBER(warm_divergence)}},
    {"steady_pressure", "Pa", PX_F32, 1, STATE, {MEMBER(steady_pressure)}},
    {"steady_push",
     "m/s^2",
     PX_F32,
     3,
     STATE,
     {MEMBER(steady_x), MEMBER(steady_y), MEMBER(steady_z)}},
    {"viscous", "m/s^2", PX_F32, 3, STATE, {MEMBER(ux), MEMBER(uy), MEMBER(uz)}},
    {"density", "kg/m^3", PX_F32, 1, WORK | FRAME, {MEMBER(density)}},
    {"pressure", "Pa", PX_F32, 1, WORK | FRAME, {MEMBER(pressure)}},
    {"acceleration", "m/s^2", PX_F32, 3, WORK, {MEMBER(ax), MEMBER(ay), MEMBER(az)}},
};

PxStatus px_particles_init(PxParticles *p, const PxAllocator *allocator)
{
    *p = (PxParticles){.id = NULL};
    px_table_init(&p->table, allocator);
    for (size_t k = 0; k < PX_COUNT(usual); ++k) {
        const Usual *u = &usual[k];
        PxStatus status =
            px_table_add(&p->table, u->name, u->unit, u->type, u->components, u->flags, NULL);
        if (status != PX_OK) {
            px_table_free(&p->table);
            return status;
        }
    }
    px_particles_refresh(p);
    return PX_OK;
}

void px_particles_free(PxParticles *p)
{
    px_table_free(&p->table);
}

void px_particles_refresh(PxParticles *p)
{
    for (size_t k = 0; k < PX_COUNT(usual); ++k)
        for (uint32_t c = 0; c < usual[k].components; ++c)
            *(void **)((char *)p + usual[k].member[c]) = p->table.column[k].data[c];
}
