/// How solids are deformed, as far as their particles' places alone tell: each moves what is
/// around it without turning or stretching it.
#include "solid/columns.h"
#include "world/skins.h"
#include "world/world_parts.h"

#include <stdlib.h>
#include <string.h>

PxStatus px_world_keep_rest(PxWorld *world, uint32_t slot, PxVec3 origin)
{
    PxParticles *p = &world->particles;
    PxSolidColumns c;
    PX_TRY(px_solid_columns_add(&p->table));
    px_particles_refresh(p);
    px_solid_columns(&p->table, &c);
    for (uint32_t i = 0; i < p->table.count; ++i) {
        if (p->body[i] != slot)
            continue;
        c.rest[0][i] = (float)((double)p->x[i] + (double)p->x_low[i] - origin.x);
        c.rest[1][i] = (float)((double)p->y[i] + (double)p->y_low[i] - origin.y);
        c.rest[2][i] = (float)((double)p->z[i] + (double)p->z_low[i] - origin.z);
        c.support[i] = (float)(world->def.support * world->def.spacing);
    }
    return PX_OK;
}

typedef struct Who {
    uint64_t id;
    uint32_t row;
} Who;

static int by_id(const void *a, const void *b)
{
    const Who *x = a, *y = b;
    return x->id < y->id ? -1 : x->id > y->id; /* no two are the same */
}

PxStatus px_world_solid_maps(PxWorld *world, PxSolidMaps *out)
{
    const PxParticles *p = &world->particles;
    PxSolidColumns c;
    *out = (PxSolidMaps){.version = 1};
    if (!px_solid_columns(&p->table, &c))
        return PX_OK;
    uint32_t n = p->table.count, count = 0;
    PxArena *arena = &world->scratch;
    Who *who = PX_ARENA_ARRAY(arena, Who, n);
    float *rest = PX_ARENA_ARRAY(arena, float, 4 * (size_t)n);
    float *affine = PX_ARENA_ARRAY(arena, float, 12 * (size_t)n);
    float *velocity = PX_ARENA_ARRAY(arena, float, 3 * (size_t)n);
    uint32_t *body = PX_ARENA_ARRAY(arena, uint32_t, n);
    PxVec3 *origin = PX_ARENA_ARRAY(arena, PxVec3, world->bodies.count);
    if (who == NULL || rest == NULL || affine == NULL || velocity == NULL || body == NULL ||
        origin == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for the maps of %u particles", n);
    for (uint32_t i = 0; i < n; ++i)
        if (c.support[i] > 0.0f)
            who[count++] = (Who){p->id[i], i};
    qsort(who, count, sizeof *who, by_id);
    for (uint32_t k = 0; k < count; ++k) {
        uint32_t i = who[k].row;
        const float turn[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
        const float m[4] = {c.rest[0][i], c.rest[1][i], c.rest[2][i], c.support[i]};
        const float v[3] = {p->vx[i], p->vy[i], p->vz[i]};
        memcpy(rest + 4 * (size_t)k, m, sizeof m);
        memcpy(affine + 12 * (size_t)k, turn, sizeof turn);
        affine[12 * (size_t)k + 9] = p->x[i];
        affine[12 * (size_t)k + 10] = p->y[i];
        affine[12 * (size_t)k + 11] = p->z[i];
        memcpy(velocity + 3 * (size_t)k, v, sizeof v);
        body[k] = p->body[i];
    }
    for (size_t k = 0; k < world->bodies.count; ++k)
        origin[k] = world->bodies.data[k].def.shape.at;
    *out = (PxSolidMaps){.count = count,
                         .rest = rest,
                         .affine = affine,
                         .velocity = velocity,
                         .body = body,
                         .rest_origin = origin,
                         .version = 1 + (uint64_t)count};
    return PX_OK;
}
