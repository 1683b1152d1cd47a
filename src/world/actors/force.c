#include "world/actors/force.h"

#include "base/sum.h"
#include "world/kinds/kind.h"
#include "world/world_parts.h"

#include <math.h>
#include <string.h>

/* ---- adding and removing ----------------------------------------------------- */

static PxForceDef force_def_defaults(void)
{
    return (PxForceDef){.name = "", .shape = px_shape_def_default(PX_SHAPE_BOX), .end = 1e9};
}

PX_DEF(PxForceDef, force_def, "force")

PX_KIND_WORLD(Force, force)

/* ---- acting --------------------------------------------------------------------- */

typedef struct Push {
    const PxWorld *world;
    const PxForceRows *rows;
    const PxForce *force;
    PxVec3 a; /* m/s^2 */
} Push;

/* The row of entry k in the world's particles, if the force acts on it. */
static bool acts_on(const Push *push, uint32_t k, uint32_t *row)
{
    const PxWorld *world = push->world;
    const PxParticles *p = &world->particles;
    const PxForceRows *rows = push->rows;
    const PxForce *force = push->force;
    uint32_t i = *row = rows->row != NULL ? rows->row[k] : k;
    if (!(world->materials.data[p->material[i]].def.young > 0))
        return false;
    PxVec3 x = rows->x[0] != NULL
                   ? px_vec((double)rows->x[0][k], (double)rows->x[1][k], (double)rows->x[2][k])
                   : px_vec((double)p->x[i], (double)p->y[i], (double)p->z[i]);
    return px_region_holds(&force->region, p->body[i], x);
}

static void mass_rows(const void *user, uint32_t begin, uint32_t end, PxSum *sums)
{
    const Push *push = user;
    for (uint32_t k = begin, i; k < end; ++k)
        if (acts_on(push, k, &i))
            px_sum_add(&sums[0], (double)push->world->particles.mass[i]);
}

static void push_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Push *push = user;
    const PxForceRows *rows = push->rows;
    for (uint32_t k = begin, i; k < end; ++k) {
        if (!acts_on(push, k, &i))
            continue;
        rows->a[0][k] = (float)((double)rows->a[0][k] + push->a.x);
        rows->a[1][k] = (float)((double)rows->a[1][k] + push->a.y);
        rows->a[2][k] = (float)((double)rows->a[2][k] + push->a.z);
    }
}

void px_forces_apply(const PxWorld *world, double time, const PxForceRows *rows)
{
    for (size_t f = 0; f < world->forces.count; ++f) {
        const PxForce *force = &world->forces.data[f];
        if (!force->live || !(time >= force->def.start && time < force->def.end) ||
            !(px_length(force->def.force) > 0))
            continue;
        Push push = {.world = world, .rows = rows, .force = force};
        PxSum sum;
        px_reduce_exact(&(PxRows){&world->threads, &world->dist, rows->count, 0}, 1, mass_rows,
                        &push, &sum);
        double mass = px_sum_value(&sum);
        if (!(mass > 0))
            continue;
        push.a = px_scale(force->def.force, 1.0 / mass);
        px_parallel_for(&world->threads, rows->count, 4 * PX_BLOCK, push_block, &push);
    }
}
