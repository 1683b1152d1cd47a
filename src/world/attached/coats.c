#include "world/attached/coats.h"

#include "coupling/octree_cells.h"
#include "solid/carry_stress.h"
#include "surface/coat/options.h"
#include "world/attached/skins.h"
#include "world/elastic_stage.h"
#include "world/rigid_stage.h"
#include "world/world_parts.h"

#include <math.h>
#include <string.h>

/* ---- creating and removing ---- */

PxStatus px_world_add_coat(PxWorld *world, uint32_t material, const PxMaterialDef *of)
{
    PxCoatDef def;
    PxCoat *coat;
    if (!px_coat_chosen(&of->coat, world->def.spacing, &def))
        return PX_OK;
    if (!PX_LIST_RESERVE(&world->coats, 1))
        return px_fail(PX_ERR_MEMORY, "no room for a coat");
    PX_TRY(px_coat_create(&def, world->memory, &coat));
    size_t at = world->coats.count++;
    for (; at > 0 && world->coats.data[at - 1].material > material; --at)
        world->coats.data[at] = world->coats.data[at - 1];
    world->coats.data[at] = (PxWorldCoat){coat, material};
    return PX_OK;
}

void px_world_drop_coat(PxWorld *world, uint32_t material)
{
    size_t kept = 0;
    for (size_t k = 0; k < world->coats.count; ++k) {
        if (world->coats.data[k].material == material)
            px_coat_free(world->coats.data[k].coat);
        else
            world->coats.data[kept++] = world->coats.data[k];
    }
    world->coats.count = kept;
}

size_t px_world_coat_count(const PxWorld *world)
{
    return world->coats.count;
}

const PxWorldCoat *px_world_coat(const PxWorld *world, size_t k)
{
    return &world->coats.data[k];
}

PxCoat *px_world_coat_of(const PxWorld *world, uint32_t material)
{
    for (size_t k = 0; k < world->coats.count; ++k)
        if (world->coats.data[k].material == material)
            return world->coats.data[k].coat;
    return NULL;
}

size_t px_world_coat_bytes(const PxWorld *world)
{
    size_t bytes = 0;
    for (size_t k = 0; k < world->coats.count; ++k)
        bytes += px_coat_bytes(world->coats.data[k].coat);
    return bytes;
}

/* Adds the points of a skin to the coat as initial surfels. */
static PxStatus give(PxCoat *coat, const PxSkin *skin)
{
    uint32_t n = skin->base.count;
    const PxColumn *rest = px_table_find(&skin->base, "rest");
    const PxColumn *tangent = px_table_find(&skin->base, "tangent");
    const PxColumn *colour = px_table_find(&skin->base, "colour");
    PxVec3 *v = px_allocate(NULL, 3 * ((size_t)n + 1) * sizeof *v);
    if (v == NULL)
        return px_fail(PX_ERR_MEMORY, "no room for %u surfels", n);
    PxVec3 *normal = v + n, *paint = v + 2 * (size_t)n;
    for (uint32_t i = 0; i < n; ++i) {
        double x[3], c[3], t[6];
        for (int k = 0; k < 3; ++k) {
            x[k] = (double)((const float *)rest->data[k])[i];
            c[k] = (double)((const float *)colour->data[k])[i];
        }
        for (int k = 0; k < 6; ++k)
            t[k] = (double)((const float *)tangent->data[k])[i];
        v[i] = px_add(skin->rest_origin, px_vec(x[0], x[1], x[2]));
        normal[i] = px_cross(px_vec(t[0], t[1], t[2]), px_vec(t[3], t[4], t[5]));
        paint[i] = px_vec(c[0], c[1], c[2]);
    }
    PxCoatGiven given = {n, v, normal, skin->painted ? paint : NULL};
    PxStatus status = px_coat_give(coat, &given);
    px_release(NULL, v, 0);
    return status;
}

/* A body has no more surfels, also in scenes. */
#define MOST_SURFELS 2e6

PxStatus px_world_coat_body(PxWorld *world, const PxBodyDef *def, const PxShape *shape)
{
    PxCoat *coat = px_world_coat_of(world, def->material.slot - 1);
    double surfels = def->surfels;
    if (!(surfels > 0) && def->texture != NULL)
        return px_fail(PX_ERR_ARGUMENT, "a texture needs surfels that show it");
    /* A solid starts with the surface of its shape, which is smoother than one around particles. */
    if (!(surfels > 0) && world->materials.data[def->material.slot - 1].def.young > 0 &&
        px_shape_kind(shape) != PX_SHAPE_POINTS)
        surfels = ceil(px_shape_cover_estimate(shape, coat->def.surfel * world->def.spacing));
    if (!(surfels > 0) || surfels > MOST_SURFELS)
        return PX_OK;
    PxTexture *texture = NULL;
    PxSkin *skin = NULL;
    PxStatus status = PX_OK;
    double before = coat->def.surfel;
    if (def->texture != NULL)
        status = px_texture_read_file(def->texture, &texture);
    if (status == PX_OK)
        status = px_skin_create_surfels(shape, (uint32_t)surfels, texture, world->memory, &skin);
    if (status == PX_OK) {
        double apart = (double)((const float *)px_table_find(&skin->base, "radius")->data[0])[0] /
                       world->def.spacing;
        if (apart > 1)
            status = px_fail(PX_ERR_ARGUMENT,
                             "%g surfels are %g spacings apart, wanted at most 1: at least %.0f of "
                             "them",
                             surfels, apart, ceil(surfels * apart * apart));
        else if (apart < coat->def.surfel && def->surfels > 0)
            status = px_coat_refine(coat, fmax(apart, 0.1)); /* 0.1 is the finest */
    }
    if (status == PX_OK)
        status = give(coat, skin);
    if (status != PX_OK && coat->def.surfel != before)
        px_coat_refine(coat, before); /* cannot fail: it was accepted before */
    px_skin_free(skin);
    px_texture_free(texture);
    return status;
}

/* ---- following the particles ---- */

/* Particles as coats see them, all of one size: the finest parts of coarse octree cells, with the
 * ids that they will have. */
typedef struct Parts {
    PxCoupling c;
    const PxColumn *axes;
    PxElasticColumns elastic;
    PxSolid solid; /* only where there are coarse cells */
} Parts;

static PxStatus parts_begin(PxWorld *world, Parts *parts)
{
    const PxTable *t = &world->particles.table;
    const uint32_t *row;
    bool coarse = false;
    *parts = (Parts){.c = px_world_coupling(world)};
    for (uint32_t i = 0; parts->c.sizes && i < t->count && !coarse; ++i)
        coarse = px_is_coarse(&parts->c, i);
    if (!coarse)
        return PX_OK;
    PX_TRY(px_elastic_stage_look(world, &parts->solid, &row));
    parts->axes = px_cell_axes_column(t);
    px_elastic_columns(t, &parts->elastic);
    return PX_OK;
}

static bool has_parts(const Parts *parts, uint32_t row)
{
    return parts->axes != NULL && parts->elastic.slot[row] > 0 && px_is_coarse(&parts->c, row);
}

static uint32_t parts_of(const Parts *parts, uint32_t row)
{
    return has_parts(parts, row) ? 1u << (3 * px_cell_level(&parts->c, row)) : 1;
}

/* Id and position of part k of a row. */
static uint64_t part_of(const Parts *parts, uint32_t row, uint32_t k, PxVec3 *x)
{
    const PxParticles *p = parts->c.particles;
    const PxSolid *s = &parts->solid;
    *x = px_particle_place(p, row);
    if (!has_parts(parts, row))
        return p->id[row];
    PxVec3 way;
    uint64_t more = px_cell_part(px_cell_level(&parts->c, row), k, &way);
    uint32_t slot = parts->elastic.slot[row] - 1;
    way = px_rotate(px_cell_axes(parts->axes, row), px_scale(way, parts->c.spacing));
    way = px_mat3_apply(px_solid_deformation(s, slot), way);
    *x = px_add(*x, px_mat3_apply(s->frame[s->frame_of[slot]].turn, way));
    return p->id[row] + more;
}

/* Gathers the particles of a material into contiguous columns. */
static PxStatus gather(PxWorld *world, uint32_t material, PxCoatInput *in)
{
    enum { X, LOW = 3, V = 6, MELTED = 9, COLUMNS };
    Parts parts;
    PX_TRY(parts_begin(world, &parts));
    const PxParticles *p = &world->particles;
    const PxColumn *column = px_table_find(&p->table, "melted");
    const float *melted = column != NULL ? column->data[0] : NULL;
    float *to[COLUMNS] = {NULL};
    uint32_t n = 0, rows = p->table.count;
    /* Matter without a lasting rest shape keeps no surface detail and counts as molten: fluids,
     * and solids whose rest shape follows the deformation. */
    const PxMaterialDef *def = &world->materials.data[material].def;
    bool cold = def->young > 0 && !(def->absorb > 0);
    if (!cold)
        melted = NULL;
    for (uint32_t i = 0; i < rows; ++i)
        n += p->material[i] == material ? parts_of(&parts, i) : 0;
    uint64_t *id = PX_ARENA_ARRAY(&world->scratch, uint64_t, n);
    bool fine = id != NULL;
    for (size_t k = 0; k < COLUMNS; ++k)
        fine = fine && (to[k] = PX_ARENA_ARRAY(&world->scratch, float, n)) != NULL;
    if (!fine)
        return px_fail(PX_ERR_MEMORY, "coat: no room for %u particles", n);
    for (uint32_t i = 0, at = 0; i < rows; ++i) {
        uint32_t end = p->material[i] == material ? parts_of(&parts, i) : 0;
        for (uint32_t k = 0; k < end; ++k, ++at) {
            PxVec3 x;
            id[at] = part_of(&parts, i, k, &x);
            const double place[3] = {x.x, x.y, x.z};
            const float v[3] = {p->vx[i], p->vy[i], p->vz[i]};
            for (size_t c = 0; c < 3; ++c) {
                to[X + c][at] = (float)place[c];
                to[LOW + c][at] = (float)(place[c] - (double)to[X + c][at]);
                to[V + c][at] = v[c];
            }
            to[MELTED][at] = melted != NULL ? melted[i] : cold ? 0.0f : 1.0f;
        }
    }
    /* Copies: the world's own walls stay at the poses of the step. */
    PxWall *wall = PX_ARENA_ARRAY(&world->scratch, PxWall, world->walls.count);
    if (wall == NULL)
        return px_fail(PX_ERR_MEMORY, "coat: no room for the walls");
    for (size_t w = 0; w < world->walls.count; ++w) {
        wall[w] = world->walls.data[w];
        if (wall[w].rigid) /* the wall has the pose of the step's start */
            wall[w].now = px_rigid_pose(px_rigid_find(world, wall[w].boundary.body));
        px_wall_move(&wall[w], world->state.time, 0);
    }
    *in = (PxCoatInput){.count = n,
                        .id = id,
                        .position = {to[0], to[1], to[2]},
                        .low = {to[3], to[4], to[5]},
                        .velocity = {to[6], to[7], to[8]},
                        .melted = to[MELTED],
                        .wall = wall,
                        .walls = world->walls.count,
                        .threads = &world->threads,
                        .scratch = &world->scratch};
    return PX_OK;
}

/* ---- moulds ---- */

/* Deformable bodies to which coats cling, at their present shape: made before the coats of a frame
 * move, and freed after. */
typedef struct Moulds {
    PxCoatMould *mould;
    size_t count;
} Moulds;

static bool is_mould(const PxWorld *world, const PxWorldSkin *s)
{
    return world->bodies.data[s->body].def.cling > 0;
}

static void moulds_free(Moulds *m)
{
    for (size_t k = 0; k < m->count; ++k)
        px_point_surface_free(&m->mould[k].surface);
    px_release(NULL, m->mould, 0);
}

static PxStatus moulds_make(PxWorld *world, Moulds *m)
{
    size_t count = 0;
    *m = (Moulds){0};
    for (size_t k = 0; k < world->skins.count; ++k)
        count += is_mould(world, &world->skins.data[k]);
    if (count == 0 || world->coats.count == 0)
        return PX_OK;
    PX_TRY(px_world_move_skins(world));
    m->mould = px_allocate(NULL, count * sizeof *m->mould);
    if (m->mould == NULL)
        return px_fail(PX_ERR_MEMORY, "coat: no room for %zu moulds", count);
    for (size_t k = 0; k < world->skins.count; ++k) {
        const PxWorldSkin *s = &world->skins.data[k];
        const PxTable *t = &s->skin->shown;
        /* of a body with surfels and triangles, the surfels */
        bool second = k > 0 && world->skins.data[k - 1].body == s->body;
        if (!is_mould(world, s) || second || t->count == 0)
            continue;
        const PxColumn *x = px_table_find(t, "position"), *n = px_table_find(t, "normal");
        PxCoatMould *to = &m->mould[m->count];
        const float *place[3], *normal[3];
        *to = (PxCoatMould){.cling = world->bodies.data[s->body].def.cling,
                            .bounds = px_bounds_empty()};
        for (int c = 0; c < 3; ++c) {
            place[c] = x->data[c];
            normal[c] = n->data[c];
            if (world->bodies.data[s->body].def.prints && s->skin->painted)
                to->colour[c] = px_table_find(t, "colour")->data[c];
        }
        for (uint32_t i = 0; i < t->count; ++i)
            px_bounds_add(&to->bounds,
                          px_vec((double)place[0][i], (double)place[1][i], (double)place[2][i]));
        ++m->count; /* freed also on failure */
        PX_TRY(px_point_surface_make(&to->surface, place, normal, t->count, &world->scratch));
    }
    return PX_OK;
}

/* ---- saving them ---- */

enum { NUMBERS, COUNTS };

static const PxTable *table_of(const PxCoat *coat, int k)
{
    return k == 0 ? &coat->surfels : k == 1 ? &coat->previous : &coat->zombies;
}

PxStatus px_world_store_coats(const PxWorld *world, PxTable table[PX_COAT_TABLES])
{
    PxTable *coats = &table[PX_COATS];
    if (world->coats.count == 0)
        return PX_OK;
    PX_TRY(px_table_add(coats, "numbers", "", PX_F64, PX_COAT_NUMBERS, PX_COLUMN_STATE, NULL));
    PX_TRY(px_table_add(coats, "counts", "", PX_U32, 3, PX_COLUMN_STATE, NULL));
    PX_TRY(px_table_append(coats, world->coats.count, NULL));
    for (size_t c = 0; c < world->coats.count; ++c) {
        const PxCoat *coat = world->coats.data[c].coat;
        double number[PX_COAT_NUMBERS];
        px_coat_numbers(coat, number);
        for (int k = 0; k < PX_COAT_NUMBERS; ++k)
            ((double *)coats->column[NUMBERS].data[k])[c] = number[k];
        for (int k = 0; k < 3; ++k) {
            PxTable *to = &table[PX_COAT_SURFELS + k];
            ((uint32_t *)coats->column[COUNTS].data[k])[c] = table_of(coat, k)->count;
            PX_TRY(px_table_add_like(to, table_of(coat, k), PX_COLUMN_STATE));
            PX_TRY(px_table_append_rows(to, table_of(coat, k)));
        }
    }
    return PX_OK;
}

static bool is_coats(const PxTable *coats, size_t count)
{
    const PxColumn *number = px_table_find(coats, "numbers");
    const PxColumn *counts = px_table_find(coats, "counts");
    return coats->count == count && number != NULL && counts != NULL && number->type == PX_F64 &&
           number->components == PX_COAT_NUMBERS && counts->type == PX_U32 &&
           counts->components == 3;
}

/* Stored coat c. Coats are stored in order: `first` is advanced past this one. */
static PxCoatStored stored_coat(const PxTable table[PX_COAT_TABLES], size_t c, uint32_t first[3])
{
    PxCoatStored stored = {.surfels = &table[PX_COAT_SURFELS],
                           .previous = &table[PX_COAT_PREVIOUS],
                           .zombies = &table[PX_COAT_ZOMBIES]};
    const PxColumn *number = px_table_find(&table[PX_COATS], "numbers");
    const PxColumn *counts = px_table_find(&table[PX_COATS], "counts");
    for (int k = 0; k < PX_COAT_NUMBERS; ++k)
        stored.number[k] = ((const double *)number->data[k])[c];
    for (int k = 0; k < 3; ++k) {
        stored.first[k] = first[k];
        stored.count[k] = ((const uint32_t *)counts->data[k])[c];
        /* an overflow stays past the end */
        if (__builtin_add_overflow(first[k], stored.count[k], &first[k]))
            first[k] = UINT32_MAX;
    }
    return stored;
}

PxStatus px_coats_reserve(const PxWorldCoat *coat, size_t count,
                          const PxTable table[PX_COAT_TABLES])
{
    uint32_t first[3] = {0, 0, 0};
    for (size_t c = 0; c < count; ++c) {
        PxCoatStored stored = stored_coat(table, c, first);
        PX_TRY(px_coat_reserve(coat[c].coat, &stored));
    }
    return PX_OK;
}

PxStatus px_world_restore_coats(PxWorld *world, const PxTable table[PX_COAT_TABLES])
{
    uint32_t first[3] = {0, 0, 0};
    if (world->coats.count == 0 && table[PX_COATS].count == 0)
        return PX_OK;
    if (!is_coats(&table[PX_COATS], world->coats.count))
        return px_fail(PX_ERR_FORMAT, "the stored coats are not those of this scene");
    for (size_t c = 0; c < world->coats.count; ++c) {
        PxCoatStored stored = stored_coat(table, c, first);
        PxStatus status = px_coat_restore(world->coats.data[c].coat, &stored);
        if (status == PX_ERR_ARGUMENT) /* its numbers are those of no coat */
            status = px_fail_prefix(PX_ERR_FORMAT, "stored ");
        PX_TRY(status);
    }
    return PX_OK;
}

/* ---- a frame ---- */

static PxStatus advance(PxWorld *world, const PxWorldCoat *c, const Moulds *moulds)
{
    PxArenaMark mark = px_arena_mark(&world->scratch);
    PxCoatInput in;
    PxStatus status = gather(world, c->material, &in);
    in.mould = moulds->mould;
    in.moulds = moulds->count;
    if (status == PX_OK)
        status = px_coat_advance(c->coat, &in);
    px_arena_release(&world->scratch, mark);
    if (status != PX_OK)
        px_fail_prefix(status, "material '%s': ", world->materials.data[c->material].name);
    return status;
}

PxStatus px_world_move_coats(PxWorld *world)
{
    PX_WANT(world);
    /* A coat depends on its last frame, and all coats must be of the same one: after a failure they
     * are all put back. */
    PxTable before[PX_COAT_TABLES];
    for (int k = 0; k < PX_COAT_TABLES; ++k)
        px_table_init(&before[k], world->memory);
    PxStatus status = px_world_store_coats(world, before);
    bool stored = status == PX_OK;
    px_stop_again(&world->stop);
    Moulds moulds = {0};
    if (status == PX_OK)
        status = moulds_make(world, &moulds);
    for (size_t k = 0; k < world->coats.count && status == PX_OK; ++k)
        status = advance(world, &world->coats.data[k], &moulds);
    moulds_free(&moulds);
    if (status != PX_OK && stored)
        px_world_restore_coats(world, before); /* cannot fail: the coats had room for it */
    for (int k = 0; k < PX_COAT_TABLES; ++k)
        px_table_free(&before[k]);
    px_stop_again(&world->stop);
    return status;
}
