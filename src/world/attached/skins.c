#include "world/attached/skins.h"

#include "world/fracture_stage.h"
#include "world/world_parts.h"

#include <math.h>
#include <string.h>

/* ---- creating and removing ---- */

static PxStatus list_skin(PxWorld *world, const PxBodyDef *def, uint32_t slot, PxSkin *skin)
{
    if (!PX_LIST_RESERVE(&world->skins, 1)) {
        px_skin_free(skin);
        return px_fail(PX_ERR_MEMORY, "no room for a skin");
    }
    size_t at = world->skins.count++;
    for (; at > 0 && world->skins.data[at - 1].body > slot; --at)
        world->skins.data[at] = world->skins.data[at - 1];
    world->skins.data[at] =
        (PxWorldSkin){.skin = skin, .body = slot, .material = def->material.slot - 1};
    return PX_OK;
}

bool px_body_has_skin(const PxBodyDef *body, const PxMaterialDef *material)
{
    return (body->surfels > 0 || body->skin) && !px_body_is_boundary(body) && material->young > 0 &&
           !material->melts.melts && strcmp(material->coat.model, "none") == 0;
}

PxStatus px_world_add_skins(PxWorld *world, const PxBodyDef *def, const PxShape *shape,
                            uint32_t slot)
{
    if (!px_body_is_boundary(def) && px_world_coat_of(world, def->material.slot - 1) != NULL)
        return px_world_coat_body(world, def, shape);
    if (px_body_is_boundary(def) || !(world->materials.data[def->material.slot - 1].def.young > 0))
        return def->surfels > 0 || def->texture != NULL
                   ? px_fail(PX_ERR_ARGUMENT, "surfels and texture are for solids only")
                   : PX_OK;
    bool wanted = px_body_has_skin(def, &world->materials.data[def->material.slot - 1].def);
    if (!wanted && (def->texture == NULL || def->skin || def->surfels > 0))
        return PX_OK;
    if (!wanted)
        return px_fail(PX_ERR_ARGUMENT, "a texture needs surfels or a skin that show it");
    PxTexture *texture = NULL;
    PxSkin *skin = NULL;
    PxStatus status = PX_OK;
    if (def->texture != NULL)
        status = px_texture_read_file(def->texture, &texture);
    if (status == PX_OK && def->surfels > 0) {
        status =
            px_skin_create_surfels(shape, (uint32_t)def->surfels, texture, world->memory, &skin);
        if (status == PX_OK)
            status = list_skin(world, def, slot, skin);
    }
    if (status == PX_OK && def->skin) {
        status = px_skin_create_mesh(shape, world->def.spacing, texture, world->memory, &skin);
        if (status == PX_OK)
            status = list_skin(world, def, slot, skin);
    }
    px_texture_free(texture);
    if (status == PX_OK && def->prints && !skin->painted)
        status = px_fail(PX_ERR_ARGUMENT,
                         "to print it needs a texture, or a mesh with colours of its vertices");
    if (status != PX_OK)
        px_world_drop_skins(world, slot);
    return status;
}

void px_world_drop_skins(PxWorld *world, uint32_t slot)
{
    size_t kept = 0;
    for (size_t k = 0; k < world->skins.count; ++k) {
        if (world->skins.data[k].body == slot) {
            px_skin_slits_free(&world->skins.data[k].slits);
            px_skin_free(world->skins.data[k].skin);
            px_skin_pieces_free(&world->skins.data[k].pieces);
        } else
            world->skins.data[kept++] = world->skins.data[k];
    }
    world->skins.count = kept;
}

size_t px_world_skin_count(const PxWorld *world)
{
    return world->skins.count;
}

const PxWorldSkin *px_world_skin(const PxWorld *world, size_t k)
{
    return &world->skins.data[k];
}

size_t px_world_skin_bytes(const PxWorld *world)
{
    size_t bytes = 0;
    for (size_t k = 0; k < world->skins.count; ++k)
        bytes += px_skin_bytes(world->skins.data[k].skin);
    return bytes;
}

/* ---- following the particles ---- */

static PxStatus bind(PxWorld *world, PxSkin *skin, uint32_t body, const PxSolidMaps *maps)
{
    if (skin->bound && skin->version == maps->version)
        return PX_OK;
    return px_skin_bind(skin, maps, body, &world->threads, &world->scratch);
}

/* Moves the skin, or those of the pieces if the body broke. */
static PxStatus move_skin(PxWorld *world, PxWorldSkin *s, const PxSolidMaps *maps)
{
    const PxFractureDef *law = &world->materials.data[s->material].def.fracture;
    PxSkin *skin = s->skin;
    if (law->fractures) {
        PX_TRY(px_skin_pieces_update(&s->pieces, s->skin, maps, s->body,
                                     law->rough * world->def.spacing, &world->threads));
        if (s->pieces.skin != NULL)
            skin = s->pieces.skin;
        if (!law->closed_skins) {
            PX_TRY(px_fracture_stage_begin(world));
            PX_TRY(px_skin_slits_update(&s->slits, skin, s->pieces.hash, maps, s->body,
                                        &world->fracture.now, law->opacity, law->inside,
                                        &world->scratch));
        } else
            px_skin_slits_free(&s->slits);
        if (s->slits.skin != NULL)
            skin = s->slits.skin;
    }
    PX_TRY(bind(world, skin, s->body, maps));
    return px_skin_deform(skin, maps, &world->threads);
}

PxStatus px_world_move_skins(PxWorld *world)
{
    PX_WANT(world);
    if (world->skins.count == 0)
        return PX_OK;
    PxArenaMark mark = px_arena_mark(&world->scratch);
    PxSolidMaps maps;
    PxStatus status = px_world_solid_maps(world, &maps);
    for (size_t k = 0; k < world->skins.count && status == PX_OK; ++k) {
        status = move_skin(world, &world->skins.data[k], &maps);
    }
    px_arena_release(&world->scratch, mark);
    return status;
}

PxStatus px_world_absorb_skins(PxWorld *world, uint32_t slot, const PxSolidMaps *maps)
{
    PxArenaMark mark = px_arena_mark(&world->scratch);
    PxStatus status = PX_OK;
    for (size_t k = 0; k < world->skins.count && status == PX_OK; ++k) {
        const PxWorldSkin *s = &world->skins.data[k];
        if (s->body != slot)
            continue;
        status = bind(world, s->skin, s->body, maps);
        if (status == PX_OK)
            px_skin_absorb(s->skin, maps, &world->threads);
    }
    px_arena_release(&world->scratch, mark);
    return status;
}

/* ---- saving them ---- */

typedef struct Column {
    const char *name, *unit;
    PxType type;
    uint32_t components;
} Column;

enum { ABSORBED, POINTS, ORIGIN, SKIN_COLUMNS };
static const Column skin_column[SKIN_COLUMNS] = {
    [ABSORBED] = {"absorbed", "", PX_U32, 1},
    [POINTS] = {"points", "", PX_U32, 1},
    [ORIGIN] = {"rest_origin", "m", PX_F64, 3},
};

enum { POINT_COLUMNS = 3 };
static const Column point_column[POINT_COLUMNS] = {
    {"rest", "m", PX_F32, 3}, {"tangent", "m", PX_F32, 6}, {"radius", "m", PX_F32, 1}};

static PxStatus add_columns(PxTable *table, const Column *column, int count)
{
    for (int k = 0; k < count; ++k)
        PX_TRY(px_table_add(table, column[k].name, column[k].unit, column[k].type,
                            column[k].components, PX_COLUMN_STATE, NULL));
    return PX_OK;
}

static bool has_columns(const PxTable *table, const Column *column, int count)
{
    for (int k = 0; k < count; ++k) {
        const PxColumn *c = px_table_find(table, column[k].name);
        if (c == NULL || c->type != column[k].type || c->components != column[k].components)
            return false;
    }
    return true;
}

PxStatus px_world_store_skins(const PxWorld *world, PxTable table[PX_SKIN_TABLES])
{
    PxTable *skins = &table[PX_SKINS], *points = &table[PX_SKIN_POINTS];
    if (world->skins.count == 0)
        return PX_OK;
    PX_TRY(add_columns(skins, skin_column, SKIN_COLUMNS));
    PX_TRY(add_columns(points, point_column, POINT_COLUMNS));
    PX_TRY(px_table_append(skins, world->skins.count, NULL));
    for (size_t k = 0; k < world->skins.count; ++k) {
        const PxSkin *skin = world->skins.data[k].skin;
        ((uint32_t *)skins->column[ABSORBED].data[0])[k] = skin->absorbed;
        ((uint32_t *)skins->column[POINTS].data[0])[k] = skin->base.count;
        ((double *)skins->column[ORIGIN].data[0])[k] = skin->rest_origin.x;
        ((double *)skins->column[ORIGIN].data[1])[k] = skin->rest_origin.y;
        ((double *)skins->column[ORIGIN].data[2])[k] = skin->rest_origin.z;
        PX_TRY(px_table_append_rows(points, &skin->base));
    }
    return PX_OK;
}

static bool take_points(PxSkin *skin, const PxTable *points, uint32_t first)
{
    for (int n = 0; n < POINT_COLUMNS; ++n) {
        const PxColumn *from = px_table_find(points, point_column[n].name);
        PxColumn *to = px_table_find(&skin->base, point_column[n].name);
        for (uint32_t c = 0; c < to->components; ++c) {
            const float *value = (const float *)from->data[c] + first;
            for (uint32_t i = 0; i < skin->base.count; ++i)
                if (!isfinite(value[i]))
                    return false;
            memcpy(to->data[c], value, skin->base.count * sizeof(float));
        }
    }
    return true;
}

PxStatus px_world_restore_skins(PxWorld *world, const PxTable table[PX_SKIN_TABLES])
{
    const PxTable *skins = &table[PX_SKINS], *points = &table[PX_SKIN_POINTS];
    if (world->skins.count == 0 && skins->count == 0)
        return PX_OK;
    bool fits = skins->count == world->skins.count &&
                has_columns(skins, skin_column, SKIN_COLUMNS) &&
                has_columns(points, point_column, POINT_COLUMNS);
    size_t next = 0;
    for (uint32_t k = 0; fits && k < skins->count; ++k) {
        PxSkin *skin = world->skins.data[k].skin;
        const PxColumn *origin = px_table_find(skins, "rest_origin");
        skin->absorbed = ((const uint32_t *)px_table_find(skins, "absorbed")->data[0])[k] != 0;
        skin->rest_origin =
            px_vec(((const double *)origin->data[0])[k], ((const double *)origin->data[1])[k],
                   ((const double *)origin->data[2])[k]);
        skin->bound = false;
        fits = px_finite(skin->rest_origin) &&
               ((const uint32_t *)px_table_find(skins, "points")->data[0])[k] == skin->base.count &&
               points->count - next >= skin->base.count &&
               take_points(skin, points, (uint32_t)next);
        next += skin->base.count;
    }
    if (!fits)
        return px_fail(PX_ERR_FORMAT, "the stored skins are not those of this scene");
    return PX_OK;
}
