#include "world/overlap.h"

#include "base/words.h"
#include "world/world_parts.h"

#include <stdio.h>
#include <stdlib.h>

const char *px_overlap_text(double part, const char *name, const PxBodyDef *other, char *buffer,
                            size_t size)
{
    char own[120], others[120];
    snprintf(buffer, size, "overlaps: %.*f %% of '%s' %s '%s'", part < 0.1 ? 1 : 0, 100 * part,
             px_quote(name, own, sizeof own),
             !other->wall    ? "lies inside"
             : other->inside ? "lies outside the wall"
                             : "lies inside the wall",
             px_quote(other->name, others, sizeof others));
    return buffer;
}

void px_overlap_trust(PxWorld *world, bool trusted)
{
    world->bodies_trusted = trusted;
}

static PxStatus refuse(double part, const char *name, const PxBodyDef *other)
{
    char text[320];
    return px_fail(PX_ERR_ARGUMENT, "%s", px_overlap_text(part, name, other, text, sizeof text));
}

static PxVec3 place(const PxWorld *world, uint32_t i)
{
    const PxParticles *p = &world->particles;
    return px_vec((double)p->x[i], (double)p->y[i], (double)p->z[i]);
}

/* Is the particle on the wrong side of the wall? */
static bool excludes(const PxWorld *world, const PxWall *wall, uint32_t i)
{
    PxVec3 rest = px_wall_to_rest(wall, 0, place(world, i)), normal;
    if (!px_bounds_contain(wall->bounds, rest))
        return wall->inside;
    return px_wall_near(wall, 0, rest, world->def.spacing, &normal) < 0;
}

/* Volume that a particle represents, m^3. */
static double volume_of(const PxWorld *world, uint32_t i)
{
    double edge = 2 * (double)world->particles.radius[i];
    return edge * edge * edge;
}

/* By body: volume of its particles, and of those that overlap; two doubles for px_dist_sum(). */
typedef struct Volumes {
    double all, wrong;
} Volumes;

/* Room for every body and one more. */
static PxStatus volumes_make(const PxWorld *world, Volumes **out)
{
    size_t count = world->bodies.count + 1;
    *out = calloc(count, sizeof **out);
    return *out != NULL ? PX_OK : px_fail(PX_ERR_MEMORY, "no room to compare %zu bodies", count);
}

/* Over all ranks. */
static void volumes_join(const PxWorld *world, Volumes *volumes)
{
    px_dist_sum(&world->dist, &volumes->all, 2 * (uint32_t)world->bodies.count);
}

static void add_row(const PxWorld *world, uint32_t i, bool wrong, Volumes *volumes)
{
    Volumes *v = &volumes[world->particles.body[i]];
    double volume = volume_of(world, i);
    v->all += volume;
    v->wrong += wrong ? volume : 0;
}

static PxStatus check_walls(const PxWorld *world, const char *name, uint32_t first)
{
    uint32_t count = world->particles.table.count;
    for (size_t w = 0; w < world->walls.count; ++w) {
        PxWall wall = world->walls.data[w];
        px_wall_move(&wall, world->state.time, 0);
        Volumes v = {0, 0};
        for (uint32_t i = first; i < count; ++i) {
            double volume = volume_of(world, i);
            v.all += volume;
            v.wrong += excludes(world, &wall, i) ? volume : 0;
        }
        px_dist_sum(&world->dist, &v.all, 2);
        if (v.wrong > PX_OVERLAP_ALLOWED * v.all)
            return refuse(v.wrong / v.all, name, &world->bodies.data[wall.boundary.body].def);
    }
    return PX_OK;
}

PxStatus px_overlap_check_body(const PxWorld *world, const char *name, const PxShape *shape,
                               uint32_t first)
{
    if (world->bodies_trusted)
        return PX_OK;
    PX_TRY(check_walls(world, name, first));
    if (px_shape_kind(shape) == PX_SHAPE_POINTS)
        return PX_OK; /* between particles there is room for others */
    Volumes *volumes;
    PX_TRY(volumes_make(world, &volumes));
    PxBounds bounds = px_shape_bounds(shape);
    double own = 0;
    for (uint32_t i = first; i < world->particles.table.count; ++i)
        own += volume_of(world, i);
    px_dist_sum(&world->dist, &own, 1);
    for (uint32_t i = 0; i < first; ++i) {
        PxVec3 x = place(world, i);
        add_row(world, i, px_bounds_contain(bounds, x) && px_shape_inside(shape, x), volumes);
    }
    volumes_join(world, volumes);
    PxStatus status = PX_OK;
    PxBodyDef self = {.name = name};
    for (size_t k = 0; k < world->bodies.count && status == PX_OK; ++k) {
        const PxBodyDef *other = &world->bodies.data[k].def;
        bool smaller = own < volumes[k].all; /* the new body is */
        double part = volumes[k].wrong / (smaller ? own : volumes[k].all);
        if (part > PX_OVERLAP_ALLOWED) /* false for a body without particles: NaN */
            status = refuse(fmin(part, 1), smaller ? name : other->name, smaller ? other : &self);
    }
    free(volumes);
    return status;
}

PxStatus px_overlap_check_wall(const PxWorld *world, const PxWall *wall, const PxBodyDef *def)
{
    if (world->bodies_trusted)
        return PX_OK;
    PxWall now = *wall;
    px_wall_move(&now, world->state.time, 0);
    Volumes *volumes;
    PX_TRY(volumes_make(world, &volumes));
    for (uint32_t i = 0; i < world->particles.table.count; ++i)
        add_row(world, i, excludes(world, &now, i), volumes);
    volumes_join(world, volumes);
    PxStatus status = PX_OK;
    for (size_t k = 0; k < world->bodies.count && status == PX_OK; ++k)
        if (volumes[k].wrong > PX_OVERLAP_ALLOWED * volumes[k].all)
            status = refuse(volumes[k].wrong / volumes[k].all, world->bodies.data[k].def.name, def);
    free(volumes);
    return status;
}
