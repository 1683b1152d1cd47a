#include "world/no_room.h"

#include <math.h>

/* Mean compression beyond which fluids between moving walls are lost, per cent. A press that
 * closes at 0.34 m/s passes it 0.1 s after it is full, with speeds of a few m/s. */
#define MOST_COMPRESSED 50

static const char *name_of(const PxWorld *world, uint32_t boundary)
{
    return world->bodies.data[world->boundaries.data[boundary]->body].name;
}

static bool moves(const PxWorld *world, uint32_t boundary)
{
    return px_boundaries_travel(&world->boundaries.data[boundary], 1) > 0;
}

/* The two nearest boundaries at the end of the step, moving ones first if `moving`; UINT32_MAX
 * where there is none. */
typedef struct Nearest {
    uint32_t boundary[2];
    double distance[2];
} Nearest;

static Nearest nearest_to(const PxWorld *world, PxVec3 x, bool moving)
{
    Nearest n = {{UINT32_MAX, UINT32_MAX}, {INFINITY, INFINITY}};
    for (uint32_t place = 0; place < 2; ++place)
        for (uint32_t k = 0; k < world->boundaries.count; ++k) {
            double d = px_boundary_distance(world->boundaries.data[k], 1, x, NULL);
            if (k == n.boundary[0] || (moving && place == 0 && !moves(world, k)) ||
                !(d < n.distance[place]))
                continue;
            n.boundary[place] = k;
            n.distance[place] = d;
        }
    return n;
}

static uint32_t row_of(const PxParticles *p, uint64_t id)
{
    uint32_t i = 0;
    while (i < p->table.count && p->id[i] != id)
        ++i;
    return i;
}

PxStatus px_no_room_for(const PxWorld *world, uint64_t id, PxVec3 x)
{
    Nearest n = nearest_to(world, x, false);
    if (!(n.distance[1] < world->def.spacing))
        return PX_OK;
    const PxParticles *p = &world->particles;
    uint32_t i = row_of(p, id);
    return px_fail(
        PX_ERR_NUMERIC,
        "the walls '%s' and '%s' leave no room for particle %llu of body '%s' in step "
        "%llu, t = %g s: they are less than %g m apart",
        name_of(world, n.boundary[0]), name_of(world, n.boundary[1]), (unsigned long long)id,
        i < p->table.count ? world->bodies.data[p->body[i]].name : "",
        (unsigned long long)world->state.step + 1, world->state.time, world->def.spacing);
}

PxStatus px_no_room_for_particle(const PxWorld *world, uint64_t id)
{
    const PxParticles *p = &world->particles;
    uint32_t i = row_of(p, id);
    return i < p->table.count ? px_no_room_for(world, id, px_particle_place(p, i)) : PX_OK;
}

PxStatus px_no_room_in_vessel(const PxWorld *world)
{
    const PxParticles *p = &world->particles;
    if (!(world->density_error > MOST_COMPRESSED) ||
        !(px_boundaries_travel(world->boundaries.data, world->boundaries.count) > 0))
        return PX_OK;
    uint32_t most = 0;
    double largest = 0;
    for (uint32_t i = 0; i < world->flow_rows; ++i) {
        double over = (double)p->density[i] / world->materials.data[p->material[i]].def.density;
        if (over > largest) {
            largest = over;
            most = i;
        }
    }
    Nearest n = nearest_to(world, px_particle_place(p, most), true);
    bool two = n.boundary[1] != UINT32_MAX;
    return px_fail(PX_ERR_NUMERIC,
                   "the wall%s '%s'%s%s%s leave%s no room for body '%s' in step %llu, t = %g s: it "
                   "is compressed by %.3g %% in the mean and %.3g %% at most",
                   two ? "s" : "", name_of(world, n.boundary[0]), two ? " and '" : "",
                   two ? name_of(world, n.boundary[1]) : "", two ? "'" : "", two ? "" : "s",
                   world->bodies.data[p->body[most]].name,
                   (unsigned long long)world->state.step + 1, world->state.time,
                   world->density_error, world->density_error_max);
}
