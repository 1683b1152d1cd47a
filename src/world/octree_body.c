#include "world/octree_body.h"

#include "coupling/octree_cells.h"
#include "solid/carry_stress.h"
#include "solid/fracture/relax.h"
#include "solid/pieces.h"
#include "solid/solid_columns.h"
#include "spatial/kdtree.h"
#include "world/elastic_stage.h"
#include "world/resample.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- supports -------------------------------------------------------------------- */

/* Nearest neighbours that are candidates for a support. */
#define LOOKED_AT 48u
/* Supports are enlarged by this factor, so that the last neighbour has a weight above 0. */
#define BEYOND 1.1

/* Cells in the rest shape, and their supports. */
typedef struct Reach {
    uint32_t count;
    float *x, *y, *z;
    float *usual; /* support in proportion to the cell's size, m */
    float *support;
    const PxKdTree *tree;
} Reach;

static PxStatus reach_begin(Reach *r, uint32_t count, PxArena *scratch)
{
    float **const to[] = {&r->x, &r->y, &r->z, &r->usual, &r->support};
    *r = (Reach){.count = count};
    for (size_t k = 0; k < PX_COUNT(to); ++k)
        if ((*to[k] = PX_ARENA_ARRAY(scratch, float, count)) == NULL)
            return px_fail(PX_ERR_MEMORY, "octree: no room for %u particles", count);
    return PX_OK;
}

static void reach_put(Reach *r, uint32_t k, PxVec3 rest, double usual)
{
    r->x[k] = (float)rest.x;
    r->y[k] = (float)rest.y;
    r->z[k] = (float)rest.z;
    r->usual[k] = (float)usual;
}

/* Support with which i has PX_OCTREE_NEIGHBOURS neighbours. Particles are neighbours when their
 * distance r is below the mean of their supports: j needs h_i > 2 r - h_j, and n neighbours need
 * h_i above the n-th smallest of these. The usual h_j are lower bounds: supports only grow. */
static float reach_of(const Reach *job, uint32_t i)
{
    uint32_t near[LOOKED_AT];
    float squared[LOOKED_AT], least[PX_OCTREE_NEIGHBOURS];
    uint32_t found =
        px_kdtree_nearest(job->tree, job->x[i], job->y[i], job->z[i], LOOKED_AT, near, squared);
    uint32_t count = 0;
    for (uint32_t k = 0; k < found; ++k) {
        if (near[k] == i)
            continue;
        float needed = 2.0f * sqrtf(squared[k]) - job->usual[near[k]];
        uint32_t at = count < PX_OCTREE_NEIGHBOURS ? count++ : PX_OCTREE_NEIGHBOURS;
        for (; at > 0 && least[at - 1] > needed; --at)
            if (at < PX_OCTREE_NEIGHBOURS)
                least[at] = least[at - 1];
        if (at < PX_OCTREE_NEIGHBOURS)
            least[at] = needed;
    }
    float own = job->usual[i];
    float reach = count > 0 ? (float)BEYOND * least[count - 1] : own;
    return reach > own ? reach : own;
}

static void reach_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Reach *job = user;
    for (uint32_t i = begin; i < end; ++i)
        job->support[i] = reach_of(job, i);
}

static PxStatus find_supports(PxWorld *world, Reach *r)
{
    PxKdTree tree;
    px_kdtree_init(&tree, world->memory);
    PxStatus status = px_kdtree_build(&tree, r->x, r->y, r->z, r->count, &world->scratch);
    r->tree = &tree;
    if (status == PX_OK)
        px_parallel_for(&world->threads, r->count, PX_BLOCK, reach_block, r);
    px_kdtree_free(&tree);
    return status;
}

/* ---- filling ---------------------------------------------------------------------- */

/* How often a cell may be split: down to the spacing, and below it where the material says so. */
static int level_of(const PxWorld *world, double edge, uint32_t material)
{
    return (int)lround(log2(edge / world->def.spacing)) + px_resample_depth(world, material);
}

/* What a cell has besides what all elastic particles have. */
static PxStatus size_cells(PxWorld *world, const PxBodyDef *def, const PxCells *cells,
                           uint32_t first)
{
    PxParticles *p = &world->particles;
    const PxMaterialDef *material = &world->materials.data[def->material.slot - 1].def;
    /* particles of one mass are to come of what melts, as of a lattice */
    double scale = material->melts.melts ? 1 : cells->scale;
    PxSolidColumns solid;
    Reach reach;
    PX_TRY(px_cell_columns_add(&p->table));
    px_particles_refresh(p);
    px_solid_columns(&p->table, &solid);
    PxArenaMark mark = px_arena_mark(&world->scratch);
    PX_TRY(reach_begin(&reach, (uint32_t)cells->count, &world->scratch));
    for (uint32_t k = 0; k < cells->count; ++k) {
        uint32_t i = first + k;
        double e = cells->size[k], volume = scale * e * e * e;
        solid.volume[i] = (float)volume;
        p->mass[i] = (float)(material->density * volume);
        p->radius[i] = (float)(0.5 * e);
        px_cell_axes_set(px_cell_axes_column(&p->table), i,
                         px_quat_normalized(def->shape.rotation));
        reach_put(&reach, k, px_particle_place(p, i), world->def.solid_support * e);
    }
    PX_TRY(find_supports(world, &reach));
    memcpy(solid.support + first, reach.support, cells->count * sizeof *reach.support);
    px_arena_release(&world->scratch, mark);
    return PX_OK;
}

static PxStatus put_cells(PxWorld *world, const PxBodyDef *def, const PxCells *cells, uint32_t body,
                          PxVec3 middle)
{
    PxParticles *p = &world->particles;
    uint32_t first, slot = def->material.slot - 1;
    uint64_t serial = 0;
    if (px_resample_check(&world->materials.data[slot].def, world->def.spacing) != PX_OK) {
        char why[120];
        snprintf(why, sizeof why, "%s", px_error_message());
        return px_fail(PX_ERR_ARGUMENT, "fracture.resample of '%s' %s",
                       world->materials.data[slot].name, why);
    }
    for (size_t k = 0; k < cells->count; ++k)
        serial += px_cell_serials(level_of(world, cells->size[k], slot));
    if (serial > PX_DIST_MOST_SERIALS)
        return px_fail(PX_ERR_MEMORY, "octree: %g particles in its cells, allowed are %g",
                       (double)serial, (double)PX_DIST_MOST_SERIALS);
    PX_TRY(px_table_append(&p->table, cells->count, &first));
    px_particles_refresh(p);
    serial = 0;
    for (size_t k = 0; k < cells->count; ++k) {
        PxVec3 x = cells->position[k];
        PxVec3 v = px_add(def->velocity, px_cross(def->spin, px_sub(x, middle)));
        px_world_put(world, first + (uint32_t)k, px_dist_id(world->bodies_made, serial), x, v, body,
                     slot, def->temperature);
        serial += px_cell_serials(level_of(world, cells->size[k], slot));
    }
    PxStatus status = px_world_make_elastic(world, first, middle);
    if (status == PX_OK)
        status = size_cells(world, def, cells, first);
    return status; /* the caller cuts the rows after a failure */
}

PxStatus px_octree_put(PxWorld *world, const PxBodyDef *def, const PxShape *shape, uint32_t body,
                       PxVec3 middle, size_t most)
{
    if (!(world->materials.data[def->material.slot - 1].def.young > 0))
        return px_fail(PX_ERR_ARGUMENT,
                       "fill is octree, but fluids need a uniform filling, and '%s' is one: its "
                       "young is 0",
                       world->materials.data[def->material.slot - 1].name);
    PxCells cells;
    PX_TRY(px_shape_octree(shape, world->def.spacing, (int)def->levels,
                           px_octree_layer(&world->def), most, &cells));
    PxStatus status = cells.count > 0 ? put_cells(world, def, &cells, body, middle) : PX_OK;
    px_cells_free(&cells);
    return status;
}

PxStatus px_lattice_cells_put(PxWorld *world, const PxBodyDef *def, const PxPoints *points,
                              double volume, uint32_t body, PxVec3 middle)
{
    double spacing = world->def.spacing;
    PxCells cells = {.position = points->position,
                     .size = malloc((points->count + 1) * sizeof *cells.size),
                     .count = points->count};
    if (cells.size == NULL)
        return px_fail(PX_ERR_MEMORY, "body: no room for %zu cells", points->count);
    for (size_t k = 0; k < points->count; ++k)
        cells.size[k] = spacing;
    cells.scale = volume > 0 ? volume / ((double)points->count * spacing * spacing * spacing) : 1;
    PxStatus status = points->count > 0 ? put_cells(world, def, &cells, body, middle) : PX_OK;
    free(cells.size);
    return status;
}

/* ---- splitting ------------------------------------------------------------------- */

/* Finds the cells to be split in one round, marked by row of the set. */
typedef struct Look {
    const PxElasticSet *set;
    const PxCoupling *c;
    const PxColumn *axes;
    PxSolidColumns solid;
    bool deep;     /* cells below the spacing may be split too */
    uint8_t *soft; /* does not wholly keep its rest shape */
    uint8_t *split;
} Look;

static PxVec3 rest_place(const PxSolidColumns *s, uint32_t row)
{
    return px_vec((double)s->rest[0][row], (double)s->rest[1][row], (double)s->rest[2][row]);
}

/* Is cell j less than half as large as cell i, and does it touch it, even at a corner? */
static bool breaks_balance(const Look *look, uint32_t i, uint32_t j)
{
    const float *radius = look->c->particles->radius;
    double a = 2 * (double)radius[i], b = 2 * (double)radius[j];
    if (!(b < 0.3 * a))
        return false;
    PxVec3 way = px_sub(rest_place(&look->solid, j), rest_place(&look->solid, i));
    way = px_rotate(px_quat_conjugate(px_cell_axes(look->axes, i)), way);
    return fmax(fabs(way.x), fmax(fabs(way.y), fabs(way.z))) < 0.5 * a + b;
}

static void soft_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Look *look = user;
    for (uint32_t k = begin; k < end; ++k)
        look->soft[k] =
            px_solid_fraction(look->c->particles, look->c->material, look->set->row.data[k]) < 1;
}

/* What flows has neighbours of one size. All cells within its kernel are bonded to it
 * (coupling/octree_cells.c), from the time when it was solid. */
static void split_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Look *look = user;
    const PxBonds *b = &look->set->bonds;
    const uint32_t *row = look->set->row.data;
    for (uint32_t k = begin; k < end; ++k) {
        bool coarse = px_is_coarse(look->c, row[k]);
        look->split[k] = look->split[k] || (coarse && look->soft[k]);
        if (!coarse && !look->deep)
            continue;
        for (uint32_t e = b->start[k]; e < b->start[k + 1] && !look->split[k]; ++e) {
            uint32_t other = b->other[e];
            look->split[k] =
                (coarse && look->soft[other]) || breaks_balance(look, row[k], row[other]);
        }
    }
}

static PxVec3 child_offset(PxQuat axes, double edge, int child)
{
    double e = 0.25 * edge;
    return px_rotate(axes, px_vec(child & 1 ? e : -e, child & 2 ? e : -e, child & 4 ? e : -e));
}

/* Makes a copy of its parent a child. All children have the parent's velocity: that keeps
 * momentum, angular momentum and kinetic energy. */
static void make_child(PxWorld *world, uint32_t row, int child, PxMat3 deformation, float support)
{
    PxParticles *p = &world->particles;
    PxSolidColumns s;
    px_solid_columns(&p->table, &s);
    PxQuat axes = px_cell_axes(px_cell_axes_column(&p->table), row);
    double edge = 2 * (double)p->radius[row];
    PxVec3 way = child_offset(axes, edge, child);
    PxVec3 x = px_add(px_particle_place(p, row), px_mat3_apply(deformation, way));
    p->id[row] +=
        1 + (uint64_t)child * px_cell_serials(level_of(world, edge, p->material[row]) - 1);
    px_particle_put(p, row, x);
    s.rest[0][row] = (float)((double)s.rest[0][row] + way.x);
    s.rest[1][row] = (float)((double)s.rest[1][row] + way.y);
    s.rest[2][row] = (float)((double)s.rest[2][row] + way.z);
    p->mass[row] *= 0.125f;
    s.volume[row] *= 0.125f;
    p->radius[row] *= 0.5f;
    s.support[row] = support;
    float *energy = px_fracture_column(&p->table, PX_FRACTURE_ENERGY);
    if (energy != NULL)
        energy[row] *= 0.125f;
    if (s.handle[row] != 0) {
        PxHandleGrip grip = px_handle_grip(world, s.handle[row] - 1, world->state.time);
        PxVec3 hold = px_pose_to_rest(&grip.pose, grip.pivot, x);
        s.hold[0][row] = (float)hold.x;
        s.hold[1][row] = (float)hold.y;
        s.hold[2][row] = (float)hold.z;
    }
}

/* Supports of the children of all split cells of a component, rows [begin, end) of the set: 8 a
 * cell. A child's neighbours are its parent's, or their children. */
static PxStatus child_supports(PxWorld *world, const Look *look, uint32_t begin, uint32_t end,
                               float *support)
{
    const PxBonds *b = &look->set->bonds;
    uint32_t cells = 0, others = 0;
    uint8_t *near = PX_ARENA_ARRAY(&world->scratch, uint8_t, end - begin);
    if (near == NULL)
        return px_fail(PX_ERR_MEMORY, "octree: no room for %u particles", end - begin);
    memset(near, 0, end - begin);
    for (uint32_t k = begin; k < end; ++k) {
        cells += look->split[k];
        for (uint32_t e = b->start[k]; look->split[k] && e < b->start[k + 1]; ++e) {
            uint8_t *at = &near[b->other[e] - begin];
            others += !*at && !look->split[b->other[e]];
            *at = 1;
        }
    }
    if (cells == 0)
        return PX_OK;
    Reach reach;
    PX_TRY(reach_begin(&reach, 8 * cells + others, &world->scratch));
    uint32_t children = 0, at = 8 * cells;
    for (uint32_t k = begin; k < end; ++k) {
        uint32_t row = look->set->row.data[k];
        double edge = 2 * (double)world->particles.radius[row],
               usual = world->def.solid_support * edge;
        PxVec3 rest = rest_place(&look->solid, row);
        PxQuat axes = px_cell_axes(look->axes, row);
        for (int child = 0; look->split[k] && child < 8; ++child)
            reach_put(&reach, children++, px_add(rest, child_offset(axes, edge, child)),
                      0.5 * usual);
        if (near[k - begin] && !look->split[k])
            reach_put(&reach, at++, rest, usual);
    }
    PX_TRY(find_supports(world, &reach));
    memcpy(support, reach.support, children * sizeof *support);
    return PX_OK;
}

/* One round: splits all marked cells into their children. All that may fail comes first. */
static PxStatus split_cells(PxWorld *world, const Look *look, const PxSolid *s, uint32_t cells)
{
    PxElasticSet *set = &world->elastic_set;
    PxTable *t = &world->particles.table;
    float *support = PX_ARENA_ARRAY(&world->scratch, float, 8 * (size_t)cells), *next = support;
    if (support == NULL)
        return px_fail(PX_ERR_MEMORY, "octree: no room for %u particles", 8 * cells);
    for (size_t k = 0; k < set->components.count; ++k) {
        const PxSolidFrame *f = &set->components.data[k];
        PX_TRY(child_supports(world, look, f->begin, f->end, next));
        for (uint32_t i = f->begin; i < f->end; ++i)
            next += look->split[i] ? 8 : 0;
    }
    PX_TRY(px_table_reserve(t, (size_t)t->count + 7 * (size_t)cells));
    px_particles_refresh(&world->particles);
    next = support;
    for (uint32_t k = 0; k < s->count; ++k) {
        if (!look->split[k])
            continue;
        uint32_t row = set->row.data[k];
        if (!px_resample_note(world, row))
            return px_fail(PX_ERR_MEMORY, "octree: no room for %u cells", cells);
        PxMat3 map = px_mat3_multiply(s->frame[s->frame_of[k]].turn, px_solid_deformation(s, k));
        for (int child = 7; child >= 0; --child) {
            uint32_t to = child > 0 ? t->count : row;
            if (child > 0)
                PX_TRY(px_table_append_part(t, t, row, 1));
            make_child(world, to, child, map, next[child]);
        }
        next += 8;
    }
    world->state.resampled += cells;
    return PX_OK;
}

/* Pieces that move as rigid bodies have no strain to split. Returns the number of cells left. */
static uint32_t spare_rigid(const PxSolid *s, uint8_t *split)
{
    uint32_t cells = 0;
    for (uint32_t k = 0; k < s->count; ++k) {
        split[k] = split[k] && !px_solid_is_rigid(s, k);
        cells += split[k];
    }
    return cells;
}

static PxStatus find_and_split(PxWorld *world, Look *look, bool *split)
{
    PxElasticSet *set = &world->elastic_set;
    uint32_t count = (uint32_t)set->row.count, cells = 0;
    PxSolid s;
    px_elastic_set_locate(set, &world->particles);
    px_solid_columns(&world->particles.table, &look->solid);
    memset(look->split, 0, count);
    if (px_resamples(world))
        PX_TRY(px_resample_mark(world, look->split));
    px_parallel_for(&world->threads, count, 4 * PX_BLOCK, soft_block, look);
    px_parallel_for(&world->threads, count, PX_BLOCK, split_block, look);
    for (uint32_t k = 0; k < count; ++k)
        cells += look->split[k];
    if (cells == 0)
        return PX_OK;
    PX_TRY(px_elastic_set_gather(set, look->c));
    PX_TRY(px_elastic_set_open(set, look->c, &s));
    px_solid_forces(&s, false);
    cells = spare_rigid(&s, look->split);
    *split = cells > 0;
    return cells > 0 ? split_cells(world, look, &s, cells) : PX_OK;
}

PxStatus px_octree_split(PxWorld *world, bool *split)
{
    PxCoupling c = px_world_coupling(world);
    PxArena *scratch = &world->scratch;
    uint32_t count = (uint32_t)world->elastic_set.row.count;
    const PxColumn *axes = px_cell_axes_column(&world->particles.table);
    bool coarse = false, deep = false;
    *split = false;
    for (uint32_t k = 0; k < world->materials.count; ++k)
        deep = deep || px_resample_depth(world, k) > 0;
    for (uint32_t i = 0; c.sizes && i < world->particles.table.count && !coarse; ++i)
        coarse = px_is_coarse(&c, i);
    if ((!coarse && !deep) || axes == NULL || count == 0)
        return PX_OK;
    PxArenaMark mark = px_arena_mark(scratch);
    Look look = {.set = &world->elastic_set,
                 .c = &c,
                 .axes = axes,
                 .deep = deep,
                 .soft = PX_ARENA_ARRAY(scratch, uint8_t, count),
                 .split = PX_ARENA_ARRAY(scratch, uint8_t, count)};
    if (look.soft == NULL || look.split == NULL)
        return px_fail(PX_ERR_MEMORY, "octree: no room for %u particles", count);
    PxStatus status = find_and_split(world, &look, split);
    px_arena_release(scratch, mark);
    return status;
}
