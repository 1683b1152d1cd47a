#include "world/actors/region.h"

#include "world/world_parts.h"

PxStatus px_region_make(const PxWorld *world, const PxShapeDef *shape, PxBodyId body, PxRegion *out)
{
    *out = (PxRegion){0};
    uint32_t slot;
    if (body.slot != 0) {
        PX_TRY(PX_SLOT_FIND(&world->bodies, body, "body", &slot));
        out->body = slot + 1;
    }
    PX_TRY(px_shape_create(shape, &out->shape));
    out->bounds = px_shape_bounds(out->shape);
    return PX_OK;
}

void px_region_free(PxRegion *region)
{
    px_shape_free(region->shape);
    region->shape = NULL;
}

bool px_region_holds(const PxRegion *region, uint32_t body, PxVec3 x)
{
    const PxBounds *b = &region->bounds;
    return (region->body == 0 || region->body == body + 1) && x.x >= b->low.x && x.x <= b->high.x &&
           x.y >= b->low.y && x.y <= b->high.y && x.z >= b->low.z && x.z <= b->high.z &&
           px_shape_inside(region->shape, x);
}

PxStatus px_region_wants_solid(const PxWorld *world, PxBodyId id, bool or_cloth)
{
    uint32_t slot;
    if (id.slot == 0)
        return PX_OK;
    PX_TRY(PX_SLOT_FIND(&world->bodies, id, "body", &slot));
    const PxBody *body = &world->bodies.data[slot];
    uint32_t material = body->def.material.slot;
    if (or_cloth && body->def.cloth)
        return PX_OK;
    if (material == 0 || !(world->materials.data[material - 1].def.young > 0))
        return px_fail(PX_ERR_ARGUMENT, "the body '%s' is no solid: %s", body->name,
                       material == 0 ? "it has no material of its own"
                                     : "its material's young is 0");
    return PX_OK;
}

PxStatus px_region_time_check(double start, double end, double now)
{
    if (!(end > start))
        return px_fail(PX_ERR_ARGUMENT, "it ends at %g s, wanted after its start, %g s", end,
                       start);
    if (!(end > now))
        return px_fail(PX_ERR_ARGUMENT, "it ends at %g s, and it is %g s already", end, now);
    return PX_OK;
}
