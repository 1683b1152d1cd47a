#include "world/octree_body.h"

#include "solid/solid_columns.h"
#include "spatial/kdtree.h"
#include "coupling/exchange.h"
#include "matter/kernel.h"
#include "world/elastic_stage.h"

#include <math.h>

/* Nearest neighbours that are candidates for a support. */
#define LOOKED_AT 48u
/* Supports are enlarged by this factor, so that the last neighbour has a weight above 0. */
#define BEYOND 1.1

typedef struct Reach {
    const PxKdTree *tree;
    const PxParticles *particles;
    const float *usual; /* support in proportion to the cell's size, m */
    float *support;
    uint32_t first;
} Reach;

/* Support with which i has PX_OCTREE_NEIGHBOURS neighbours. Particles are neighbours when their
 * distance r is below the mean of their supports: j needs h_i > 2 r - h_j, and n neighbours need
 * h_i above the n-th smallest of these. The usual h_j are lower bounds: supports only grow. */
static float reach_of(const Reach *job, uint32_t i)
{
    const PxParticles *p = job->particles;
    uint32_t near[LOOKED_AT], row = job->first + i;
    float squared[LOOKED_AT], least[PX_OCTREE_NEIGHBOURS];
    uint32_t found =
        px_kdtree_nearest(job->tree, p->x[row], p->y[row], p->z[row], LOOKED_AT, near, squared);
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

/* Position, relative to the cell's centre, of point k of a lattice that fills the cell at the
 * world's spacing with `count` points along each edge. */
static PxVec3 part_of_cell(uint32_t k, uint32_t count, double spacing)
{
    double middle = 0.5 * (count - 1);
    return px_vec(spacing * (k % count - middle), spacing * (k / count % count - middle),
                  spacing * (k / (count * count) - middle));
}

#define MOST_NEAR 512u

/* Fills the column PX_COARSE_FILL (coupling/exchange.h). */
static PxStatus fill_coarse(PxWorld *world, const PxBodyDef *def, const PxCells *cells,
                            const PxKdTree *tree, uint32_t first)
{
    PxParticles *p = &world->particles;
    double s = world->def.spacing, h = world->def.support * s;
    double scale = s * s * s / px_kernel_lattice(h, s);
    PxQuat turn = px_quat_normalized(def->shape.rotation);
    if (px_table_find(&p->table, PX_COARSE_FILL) == NULL) {
        PX_TRY(px_table_add(&p->table, PX_COARSE_FILL, "", PX_F32, 1, PX_COLUMN_STATE, NULL));
        px_particles_refresh(p);
    }
    float *fill = px_table_find(&p->table, PX_COARSE_FILL)->data[0];
    for (size_t j = 0; j < cells->count; ++j) {
        uint32_t edge = (uint32_t)(cells->size[j] / s + 0.5), near[MOST_NEAR];
        for (uint32_t k = 0; edge > 1 && k < edge * edge * edge; ++k) {
            PxVec3 x = px_add(cells->position[j], px_rotate(turn, part_of_cell(k, edge, s)));
            uint32_t found = px_kdtree_range(tree, (float)x.x, (float)x.y, (float)x.z, (float)h,
                                             near, MOST_NEAR);
            for (uint32_t n = 0; n < found && n < MOST_NEAR; ++n) {
                PxVec3 way = px_sub(px_particle_place(p, first + near[n]), x);
                if (cells->size[near[n]] < 1.5 * s)
                    fill[first + near[n]] += (float)(scale * px_kernel_value(h, px_length(way)));
            }
        }
    }
    return PX_OK;
}

static PxStatus set_supports(PxWorld *world, const PxBodyDef *def, const PxCells *cells,
                             uint32_t first, float *support)
{
    PxParticles *p = &world->particles;
    uint32_t count = (uint32_t)cells->count;
    PxArenaMark mark = px_arena_mark(&world->scratch);
    float *usual = PX_ARENA_ARRAY(&world->scratch, float, count);
    PxKdTree tree;
    px_kdtree_init(&tree, world->memory);
    PxStatus status = usual != NULL ? px_kdtree_build(&tree, p->x + first, p->y + first,
                                                      p->z + first, count, &world->scratch)
                                    : px_fail(PX_ERR_MEMORY, "no room for %u particles", count);
    if (status == PX_OK) {
        for (uint32_t k = 0; k < count; ++k)
            usual[k] = (float)(world->def.support * cells->size[k]);
        Reach job = {&tree, p, usual, support, first};
        px_parallel_for(&world->threads, count, PX_BLOCK, reach_block, &job);
        status = fill_coarse(world, def, cells, &tree, first);
    }
    px_kdtree_free(&tree);
    px_arena_release(&world->scratch, mark);
    return status;
}

static PxStatus put_cells(PxWorld *world, const PxBodyDef *def, const PxCells *cells, uint32_t body,
                          PxVec3 middle)
{
    PxParticles *p = &world->particles;
    uint32_t first, slot = def->material.slot - 1;
    PX_TRY(px_table_append(&p->table, cells->count, &first));
    px_particles_refresh(p);
    for (size_t k = 0; k < cells->count; ++k) {
        PxVec3 x = cells->position[k];
        PxVec3 v = px_add(def->velocity, px_cross(def->spin, px_sub(x, middle)));
        px_world_put(world, first + (uint32_t)k, px_dist_id(world->bodies_made, k), x, v, body,
                     slot, def->temperature);
    }
    PxSolidColumns solid;
    PxStatus status = px_world_make_elastic(world, first, middle);
    if (status == PX_OK) {
        px_solid_columns(&p->table, &solid);
        for (size_t k = 0; k < cells->count; ++k) {
            double e = cells->size[k], volume = cells->scale * e * e * e;
            solid.volume[first + k] = (float)volume;
            p->mass[first + k] = (float)(world->materials.data[slot].def.density * volume);
            p->radius[first + k] = (float)(0.5 * e);
        }
        status = set_supports(world, def, cells, first, solid.support + first);
    }
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
    if (world->materials.data[def->material.slot - 1].def.melts.melts)
        return px_fail(PX_ERR_ARGUMENT,
                       "fill is octree, but '%s' melts, and what flows needs a uniform filling",
                       world->materials.data[def->material.slot - 1].name);
    PxCells cells;
    PX_TRY(px_shape_octree(shape, world->def.spacing, (int)def->levels, most, &cells));
    PxStatus status = cells.count > 0 ? put_cells(world, def, &cells, body, middle) : PX_OK;
    px_cells_free(&cells);
    return status;
}
