/// Skins, coats and cloth as users read them.
#include "world/cloth_stage.h"
#include "world/world_parts.h"

#include <string.h>

static PxMaterialId material_id(const PxWorld *world, uint32_t slot)
{
    return (PxMaterialId){slot + 1, world->materials.data[slot].generation};
}

size_t px_world_surfaces_sized(const PxWorld *world, PxWorldSurface *out, size_t size, size_t most)
{
    size_t count = 0;
    if (world == NULL)
        return 0;
    for (size_t k = 0; k < world->skins.count; ++k, ++count) {
        const PxWorldSkin *s = &world->skins.data[k];
        const PxSkin *skin = px_world_skin_shown(s);
        PxWorldSurface surface = {.body = {s->body + 1, world->bodies.data[s->body].generation},
                                  .material = material_id(world, s->material),
                                  .points = skin->shown.count,
                                  .triangles = skin->shown.count > 0 ? skin->triangles : 0};
        if (count < most)
            px_result_put(out, size, count, &surface, sizeof surface);
    }
    for (size_t k = 0; k < world->coats.count; ++k, ++count) {
        const PxWorldCoat *c = &world->coats.data[k];
        PxWorldSurface surface = {.material = material_id(world, c->material),
                                  .points = c->coat->surfels.count};
        if (count < most)
            px_result_put(out, size, count, &surface, sizeof surface);
    }
    for (size_t k = 0; k < px_cloth_count(world); ++k, ++count) {
        PxClothSurface cloth;
        if (count >= most || px_cloth_surface(world, k, &cloth) != PX_OK)
            continue;
        PxWorldSurface surface = {
            .body = {cloth.body + 1, world->bodies.data[cloth.body].generation},
            .material = material_id(world, cloth.material),
            .points = cloth.vertices,
            .triangles = cloth.triangles};
        px_result_put(out, size, count, &surface, sizeof surface);
        px_cloth_surface_free(&cloth);
    }
    return count;
}

static PxStatus read_cloth(const PxWorld *world, size_t k, float *position, float *normal,
                           float *radius, uint32_t *triangle)
{
    PxClothSurface cloth;
    PX_TRY(px_cloth_surface(world, k, &cloth));
    size_t vectors = 3 * (size_t)cloth.vertices;
    if (position != NULL)
        memcpy(position, cloth.position, vectors * sizeof *position);
    if (normal != NULL)
        memcpy(normal, cloth.normal, vectors * sizeof *normal);
    if (radius != NULL)
        memset(radius, 0, cloth.vertices * sizeof *radius);
    if (triangle != NULL)
        memcpy(triangle, cloth.triangle, 3 * (size_t)cloth.triangles * sizeof *triangle);
    px_cloth_surface_free(&cloth);
    return PX_OK;
}

static void copy_triples(const PxTable *table, const char *name, float *to)
{
    const PxColumn *column = px_table_find(table, name);
    for (uint32_t c = 0; to != NULL && c < 3; ++c)
        for (uint32_t i = 0; i < table->count; ++i)
            to[3 * (size_t)i + c] = ((const float *)column->data[c])[i];
}

static void copy_radii(const PxTable *table, double scale, float *to)
{
    const float *radius = px_table_find(table, "radius")->data[0];
    for (uint32_t i = 0; to != NULL && i < table->count; ++i)
        to[i] = (float)((double)radius[i] * scale);
}

PxStatus px_world_read_surface(const PxWorld *world, size_t k, float *position, float *normal,
                               float *radius, uint32_t *triangle)
{
    PX_WANT(world);
    size_t followers = world->skins.count + world->coats.count, sheets = px_cloth_count(world);
    if (k >= followers + sheets)
        return px_fail(PX_ERR_ARGUMENT, "there is no surface %zu; there are %zu", k,
                       followers + sheets);
    if (k >= followers)
        return read_cloth(world, k - followers, position, normal, radius, triangle);
    if (k < world->skins.count) {
        const PxSkin *skin = px_world_skin_shown(&world->skins.data[k]);
        copy_triples(&skin->shown, "position", position);
        copy_triples(&skin->shown, "normal", normal);
        copy_radii(&skin->shown, 1, radius);
        if (triangle != NULL && skin->shown.count > 0 && skin->triangles > 0)
            memcpy(triangle, skin->triangle, skin->triangles * sizeof *skin->triangle);
        return PX_OK;
    }
    const PxCoat *coat = world->coats.data[k - world->skins.count].coat;
    for (uint32_t i = 0; position != NULL && i < coat->surfels.count; ++i) {
        PxVec3 x = px_coat_place(coat, i);
        position[3 * (size_t)i] = (float)x.x;
        position[3 * (size_t)i + 1] = (float)x.y;
        position[3 * (size_t)i + 2] = (float)x.z;
    }
    copy_triples(&coat->surfels, "normal", normal);
    copy_radii(&coat->surfels, coat->def.spacing, radius);
    return PX_OK;
}
