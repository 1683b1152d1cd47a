#include "world/resample.h"

#include "coupling/octree_cells.h"
#include "world/elastic_stage.h"

#include <math.h>

/* If a front is nearer to the middle of a cell than this, in edges of the cell, ... */
#define NEAR 1.5
/* ... all cells nearer than this are split: sets are rebuilt seldom. */
#define BATCH 2.5

/* Sum of Eq. 5.34 from which on a cell is split. A lattice has 26; a support has at least
 * PX_OCTREE_NEIGHBOURS at rest. */
#define FEWEST 8.0

/* Part of the finest edge by which cells may be finer, for rounding. */
#define ROUNDING 1e-3

int px_resample_depth(const PxWorld *world, uint32_t material)
{
    const PxMaterialDef *def = &world->materials.data[material].def;
    double finest = def->fracture.resample;
    if (!def->fracture.fractures || !(finest > 0) || def->melts.melts)
        return 0;
    return (int)fmax(floor(log2(world->def.spacing / finest) + ROUNDING), 0);
}

PxStatus px_resample_check(const PxMaterialDef *def, double spacing)
{
    const PxFractureDef *law = &def->fracture;
    double least = spacing / (1 << PX_RESAMPLE_DEPTH);
    if (law->fractures && law->resample > 0 && law->resample < (1 - ROUNDING) * least)
        return px_fail(PX_ERR_ARGUMENT,
                       "is %g m, wanted 0, or at least an eighth of the spacing, %g m",
                       law->resample, least);
    return PX_OK;
}

bool px_resamples(const PxWorld *world)
{
    for (size_t k = 0; k < world->materials.count; ++k) {
        const PxMaterialDef *def = &world->materials.data[k].def;
        if (def->fracture.fractures && def->young > 0)
            return true;
    }
    return false;
}

/* Edge of the smallest cells into which a particle's material is split; infinite if the material
 * does not break. In scenes with fluids surface cells stay as large as the fluid's particles. */
static double finest_of(const PxWorld *world, uint32_t row)
{
    const PxFractureDef *law = &world->materials.data[world->particles.material[row]].def.fracture;
    double spacing = world->def.spacing;
    if (!law->fractures)
        return INFINITY;
    double finest = law->resample > 0 ? law->resample : spacing;
    return world->flows ? fmax(finest, spacing) : finest;
}

typedef struct Look {
    PxWorld *world;
    const PxColumn *axes;
    PxSolidColumns solid;
    const PxVec3 *node; /* rest place relative to the world's origin */
    const uint32_t *body;
    const PxCrackCells *nodes;
    uint8_t *urgent, *split;
} Look;

static bool is_cell(const PxColumn *axes, uint32_t row)
{
    for (int k = 0; k < 4; ++k)
        if (((const float *)axes->data[k])[row] != 0.0f)
            return true;
    return false;
}

static bool may_split(const Look *look, uint32_t row)
{
    const PxWorld *world = look->world;
    double child = (double)world->particles.radius[row];
    return is_cell(look->axes, row) && child >= (1 - ROUNDING) * finest_of(world, row);
}

/* Eq. 5.34: the number of neighbours, each weighted with its bond, which cracks have weakened. Only
 * those count that are within the support in the deformed shape. */
static double neighbours_of(const Look *look, uint32_t k)
{
    const PxElasticSet *set = &look->world->elastic_set;
    const PxParticles *p = &look->world->particles;
    const PxBonds *b = &set->bonds;
    const uint32_t *row = set->row.data;
    PxVec3 at = px_particle_place(p, row[k]);
    double sum = 0;
    for (uint32_t e = b->start[k]; e < b->start[k + 1]; ++e) {
        uint32_t other = row[b->other[e]];
        double h = 0.5 * ((double)look->solid.support[row[k]] + (double)look->solid.support[other]);
        PxVec3 way = px_sub(px_particle_place(p, other), at);
        if (px_dot(way, way) < h * h)
            sum += (double)b->strength[e];
    }
    return sum;
}

/* Distance of the nearest front, at most `reach`. */
static double front_distance(const Look *look, uint32_t row, double reach)
{
    const PxWorld *world = look->world;
    uint32_t body = world->particles.body[row], k;
    PxVec3 at = px_vec((double)look->solid.rest[0][row], (double)look->solid.rest[1][row],
                       (double)look->solid.rest[2][row]);
    at = px_add(at, world->bodies.data[body].rest_origin);
    double least = reach;
    PxCrackSearch search = px_crack_search_ball(look->nodes, at, reach);
    while (px_crack_next(&search, &k))
        if (look->body[k] == body)
            least = fmin(least, px_length(px_sub(look->node[k], at)));
    return least;
}

static void mark_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Look *look = user;
    const uint32_t *row = look->world->elastic_set.row.data;
    for (uint32_t k = begin; k < end; ++k) {
        look->urgent[k] = look->split[k] = 0;
        if (row[k] == PX_ELSEWHERE || !may_split(look, row[k]))
            continue;
        double edge = 2 * (double)look->world->particles.radius[row[k]];
        double far = front_distance(look, row[k], BATCH * edge);
        bool few = neighbours_of(look, k) <= FEWEST;
        look->urgent[k] = few || far < NEAR * edge;
        look->split[k] = few || far < BATCH * edge;
    }
}

static PxStatus list_nodes(PxWorld *world, Look *look, PxCrackCells *cells)
{
    const PxCracks *c = &world->fracture.now;
    size_t count = c->nodes.count;
    PxVec3 *node = PX_ARENA_ARRAY(&world->scratch, PxVec3, count + 1);
    uint32_t *body = PX_ARENA_ARRAY(&world->scratch, uint32_t, count + 1);
    bool good = node != NULL && body != NULL &&
                px_crack_cells_reset(cells, 2 * BATCH * world->def.spacing, count + 1);
    for (uint32_t k = 0; good && k < count; ++k) {
        body[k] = c->list.data[c->nodes.data[k].crack].body;
        node[k] = px_add(px_crack_place(c, c->nodes.data[k].vertex),
                         world->bodies.data[body[k]].rest_origin);
        good = px_crack_cells_add(cells, node[k], node[k], k);
    }
    look->node = node;
    look->body = body;
    look->nodes = cells;
    return good ? PX_OK : px_fail(PX_ERR_MEMORY, "resampling: no room for %zu nodes", count);
}

PxStatus px_resample_mark(PxWorld *world, uint8_t *split)
{
    PxElasticSet *set = &world->elastic_set;
    uint32_t count = (uint32_t)set->row.count;
    Look look = {.world = world,
                 .axes = px_cell_axes_column(&world->particles.table),
                 .urgent = PX_ARENA_ARRAY(&world->scratch, uint8_t, count),
                 .split = split};
    if (look.urgent == NULL)
        return px_fail(PX_ERR_MEMORY, "resampling: no room for %u particles", count);
    px_solid_columns(&world->particles.table, &look.solid);
    PX_TRY(list_nodes(world, &look, &world->fracture.cells[0]));
    px_parallel_for(&world->threads, count, PX_BLOCK, mark_block, &look);
    bool any = false;
    for (uint32_t k = 0; k < count; ++k)
        any = any || look.urgent[k];
    for (uint32_t k = 0; k < count; ++k)
        split[k] = any && split[k];
    return PX_OK;
}

bool px_resample_note(PxWorld *world, uint32_t row)
{
    PxSolidColumns s;
    px_solid_columns(&world->particles.table, &s);
    PxVec3 at = px_vec((double)s.rest[0][row], (double)s.rest[1][row], (double)s.rest[2][row]);
    double reach = (double)s.support[row] + 2 * (double)world->particles.radius[row];
    PxFracture *f = &world->fracture;
    if (!px_resamples(world))
        return true;
    if (!PX_LIST_RESERVE(&f->fresh, 1))
        return false;
    f->fresh.data[f->fresh.count++] = (PxCrackMove){at, world->particles.body[row]};
    f->fresh_reach = fmax(f->fresh_reach, reach);
    return true;
}

PxStatus px_resample_bonds(PxWorld *world, bool *changed)
{
    PxElasticSet *set = &world->elastic_set;
    PxFracture *f = &world->fracture;
    PxCoupling c = px_world_coupling(world);
    PxArenaMark mark = px_arena_mark(&world->scratch);
    PxSolid s;
    *changed = false;
    if (f->fresh.count == 0)
        return PX_OK;
    if (f->now.triangles.count > 0) {
        PX_TRY(px_elastic_set_gather(set, &c));
        PX_TRY(px_elastic_set_open(set, &c, &s));
        PxVec3 *origin = PX_ARENA_ARRAY(s.scratch, PxVec3, world->bodies.count);
        if (origin == NULL || !PX_LIST_RESERVE(&set->weaker, (size_t)set->bonds.count + 1))
            return px_fail(PX_ERR_MEMORY, "resampling: no room for %u particles", s.count);
        for (size_t k = 0; k < world->bodies.count; ++k)
            origin[k] = world->bodies.data[k].rest_origin;
        set->weaker.count = set->bonds.count;
        PX_TRY(px_fracture_refit(f, &s, &set->bonds, origin, set->weaker.data, changed));
        if (*changed)
            set->weakened = set->split_due = true;
    }
    f->fresh.count = 0;
    f->fresh_reach = 0;
    world->state.highest = 0;
    world->state.crack_relax = 1;
    px_arena_release(&world->scratch, mark);
    return PX_OK;
}
