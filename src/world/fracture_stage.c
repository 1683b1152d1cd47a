#include "world/fracture_stage.h"

#include "solid/fracture/cut.h"
#include "solid/fracture/relax.h"

#include <math.h>
#include <string.h>

/* Part of a cell that the fastest front moves in a step. */
#define MOTION 0.5

/* Distance that sound travels between two looks at the stress, in spacings. */
#define SOUND 10.0

PxStatus px_fracture_stage_init(PxWorld *world)
{
    px_fracture_init(&world->fracture, world->memory);
    for (int k = 0; k < PX_CRACK_TABLES; ++k)
        px_table_init(&world->crack[k], world->memory);
    return px_cracks_columns(world->crack);
}

void px_fracture_stage_free(PxWorld *world)
{
    px_fracture_free(&world->fracture);
    for (int k = 0; k < PX_CRACK_TABLES; ++k)
        px_table_free(&world->crack[k]);
}

static bool breaks(const PxMaterialDef *def)
{
    return def->fracture.fractures && def->young > 0;
}

static bool something_breaks(const PxWorld *world)
{
    for (size_t k = 0; k < world->materials.count; ++k)
        if (breaks(&world->materials.data[k].def))
            return true;
    return false;
}

/* Bounds of cracks that are read, in spacings: far beyond any body, but near enough for cells of
 * 21 bits; and edges of triangles, which are made half a cell long. */
#define FARTHEST 1e6
#define LONGEST 100

static bool within(PxVec3 x, double bound)
{
    return fabs(x.x) < bound && fabs(x.y) < bound && fabs(x.z) < bound;
}

/* Cracks that were read have places and triangles that searches by cells can hold. */
static bool is_near(const PxCracks *c, double spacing)
{
    for (uint32_t k = 0; k < c->vertices.count; ++k)
        if (!within(px_crack_place(c, k), FARTHEST * spacing))
            return false;
    for (size_t k = 0; k < c->triangles.count; ++k) {
        const uint32_t *corner = c->triangles.data[k].corner;
        PxVec3 x = px_crack_place(c, corner[0]);
        for (int n = 1; n < 3; ++n)
            if (!within(px_sub(px_crack_place(c, corner[n]), x), LONGEST * spacing))
                return false;
    }
    return true;
}

PxStatus px_fracture_stage_begin(PxWorld *world)
{
    if (!world->fracture.stale)
        return PX_OK;
    PX_TRY(px_cracks_read_tables(&world->fracture.now, world->crack, world->bodies.count));
    if (!is_near(&world->fracture.now, world->def.spacing))
        return px_fail(PX_ERR_FORMAT, "the stored cracks are damaged: their sheets are too large");
    world->fracture.stale = world->fracture.sheets.valid = false;
    return PX_OK;
}

void px_fracture_stage_relax(PxWorld *world, PxSolid *s)
{
    if (world->state.crack_relax)
        px_fracture_relax(s);
    world->state.crack_relax = 0;
}

/* Lists the boundaries that cut, in the scratch memory of the step. */
static PxStatus list_blades(PxWorld *world, const PxBoundary ***out, size_t *count)
{
    const PxBoundary **blade =
        PX_ARENA_ARRAY(&world->scratch, const PxBoundary *, world->boundaries.count);
    if (blade == NULL)
        return px_fail(PX_ERR_MEMORY, "fracture: no room for %zu blades", world->boundaries.count);
    *count = 0;
    for (size_t k = 0; k < world->boundaries.count; ++k)
        if (world->bodies.data[world->boundaries.data[k]->body].def.blade)
            blade[(*count)++] = world->boundaries.data[k];
    *out = blade;
    return PX_OK;
}

static PxVec3 corner_of(const PxCracks *c, const PxCrackTriangle *t, int n)
{
    return px_crack_place(c, t->corner[n]);
}

/* Adds `sign` times the energy that the cracks have taken to `due`, by body. */
static void add_due(const PxWorld *world, const PxCracks *c, double sign, double *due)
{
    for (size_t k = 0; k < c->triangles.count; ++k) {
        const PxCrackTriangle *t = &c->triangles.data[k];
        uint32_t body = c->list.data[t->crack].body;
        const PxBodyDef *def = &world->bodies.data[body].def;
        if (def->material.slot == 0)
            continue;
        double tough = world->materials.data[def->material.slot - 1].def.fracture.toughness;
        PxVec3 a = corner_of(c, t, 0);
        PxVec3 n = px_cross(px_sub(corner_of(c, t, 1), a), px_sub(corner_of(c, t, 2), a));
        due[body] += 0.5 * sign * tough * px_length(n);
    }
}

/* Cracks take their toughness for what they have grown. */
static PxStatus pay(PxWorld *world, PxSolid *s)
{
    const PxFracture *f = &world->fracture;
    bool tough = false;
    for (size_t k = 0; k < world->materials.count; ++k)
        tough = tough || world->materials.data[k].def.fracture.toughness > 0;
    if (!tough || !f->planned)
        return PX_OK;
    double *due = PX_ARENA_ARRAY(s->scratch, double, world->bodies.count);
    if (due == NULL)
        return px_fail(PX_ERR_MEMORY, "fracture: no room for %zu bodies", world->bodies.count);
    for (size_t k = 0; k < world->bodies.count; ++k)
        due[k] = 0;
    add_due(world, &f->next, 1, due);
    add_due(world, &f->now, -1, due);
    px_fracture_pay(s, &world->elastic_set.bonds, f->strength.data, due, world->bodies.count);
    return PX_OK;
}

PxStatus px_fracture_stage_plan(PxWorld *world, PxSolid *s)
{
    PxFracture *f = &world->fracture;
    f->planned = false;
    if (!something_breaks(world))
        return PX_OK;
    PxVec3 *origin = PX_ARENA_ARRAY(s->scratch, PxVec3, world->bodies.count);
    if (origin == NULL)
        return px_fail(PX_ERR_MEMORY, "fracture: no room for %zu bodies", world->bodies.count);
    for (size_t k = 0; k < world->bodies.count; ++k)
        origin[k] = world->bodies.data[k].rest_origin;
    px_solid_forces(s, true);
    PX_TRY(px_fracture_plan(f, s, &world->elastic_set.bonds, origin, world->bodies.count,
                            world->state.step));
    PX_TRY(pay(world, s));
    px_fracture_note_energy(s);
    const PxBoundary **blade = NULL;
    size_t blades = 0;
    PX_TRY(list_blades(world, &blade, &blades));
    PX_TRY(px_fracture_cut(f, s, &world->elastic_set.bonds, blade, blades));
    if (!f->planned)
        return PX_OK;
    PxElasticSet *set = &world->elastic_set;
    set->weaker.count = 0;
    if (!PX_LIST_RESERVE(&set->weaker, (size_t)set->bonds.count + 1))
        return px_fail(PX_ERR_MEMORY, "fracture: no room for %u particles", set->bonds.count);
    set->weaker.count = set->bonds.count;
    return px_cracks_reserve_tables(&f->next, world->crack);
}

void px_fracture_stage_commit(PxWorld *world)
{
    PxFracture *f = &world->fracture;
    world->state.crack_speed = f->fastest;
    if (!f->planned)
        return;
    if (px_fracture_commit(f, &world->elastic_set.bonds, world->elastic_set.weaker.data)) {
        world->elastic_set.weakened = world->elastic_set.split_due = true;
        world->state.highest = 0;
        world->state.crack_relax = 1;
    }
    px_cracks_write_tables(&f->now, world->crack);
    world->state.crack_splits += f->events.split;
    world->state.crack_merges += f->events.merged;
    world->state.crack_ends += f->events.ended;
}

double px_fracture_look(const PxMaterialDef *def, double spacing)
{
    if (!breaks(def) || strcmp(def->integration.model, "implicit") == 0)
        return INFINITY;
    return SOUND * spacing / sqrt(def->young / def->density);
}

double px_fracture_limit(const PxWorld *world)
{
    double limit = world->state.crack_speed > 0 ? MOTION / world->state.crack_speed : INFINITY;
    for (size_t k = 0; k < world->materials.count; ++k)
        limit = fmin(limit, px_fracture_look(&world->materials.data[k].def, world->def.spacing));
    return limit;
}

uint64_t px_fracture_fronts(const PxWorld *world)
{
    const PxTable *nodes = &world->crack[PX_CRACK_NODES];
    const PxColumn *front = px_table_find(nodes, "front");
    return nodes->count > 0 ? (uint64_t)((const uint32_t *)front->data[0])[nodes->count - 1] + 1
                            : 0;
}

double px_fracture_area(const PxWorld *world)
{
    const PxColumn *corner = px_table_find(&world->crack[PX_CRACK_TRIANGLES], "corner");
    const PxColumn *rest = px_table_find(&world->crack[PX_CRACK_VERTICES], "rest");
    double area = 0;
    for (uint32_t k = 0; k < world->crack[PX_CRACK_TRIANGLES].count; ++k) {
        PxVec3 x[3];
        for (int n = 0; n < 3; ++n) {
            uint32_t v = ((const uint32_t *)corner->data[n])[k];
            x[n] = px_vec((double)((const float *)rest->data[0])[v],
                          (double)((const float *)rest->data[1])[v],
                          (double)((const float *)rest->data[2])[v]);
        }
        area += 0.5 * px_length(px_cross(px_sub(x[1], x[0]), px_sub(x[2], x[0])));
    }
    return area;
}
