/// Lets the liquids of a scene come to rest before the first frame.
///
/// They settle in a world of their own, in which everything else stands still: walls, rigid bodies
/// and solids are walls at their places at the start, and nothing enters, leaves or heats. Their
/// motion is damped, so that sloshing dies out in few oscillations. The places at which the
/// particles come to rest become their places at the start of the scene.
#include "scene/content.h"

#include "base/vec.h"
#include "world/overlap.h"
#include "world/world_parts.h"

#include <stdlib.h>
#include <string.h>

/* Rest: the mean speed is below this part of the speed of a fall through one spacing. */
#define SLOW 0.03
/* Longest time, in free falls through the height of the liquids, and most steps. */
#define LONGEST 6
#define MOST_STEPS 1000
/* Time constant of the damping, in free falls. */
#define DAMPING 0.5

static PxStatus add_body(const PxScene *scene, size_t k, PxMaterialId material, PxWorld *world)
{
    const PxSceneBody *body = &scene->body[k];
    if (body->def.cloth) /* falls later */
        return PX_OK;
    bool fixed = px_body_is_boundary(&body->def) || px_scene_is_solid(scene, k);
    PxBodyDef def = px_body_def_default();
    def.name = body->def.name;
    def.shape = px_scene_shape_at_start(scene, &body->def.shape, &body->is.turn, body->is.keyframe,
                                        body->is.keyframes);
    if (fixed) {
        def.wall = true;
        def.inside = body->def.inside;
    } else {
        def.material = material;
        def.fill = body->def.fill;
        def.position = scene->matter[k].point;
        def.positions = scene->matter[k].count;
    }
    return px_world_add_body(world, &def, NULL);
}

static PxStatus make_world(const PxScene *scene, int threads, PxWorld **out)
{
    PxWorldDef def = scene->world;
    def.threads = threads;
    PX_TRY(px_world_create(&def, out));
    PxMaterialId *id = calloc(scene->materials + 1, sizeof *id);
    PxStatus status =
        id != NULL ? PX_OK
                   : px_fail(PX_ERR_MEMORY, "scene: no room for %zu materials", scene->materials);
    px_overlap_trust(*out, true);
    for (size_t k = 0; k < scene->materials && status == PX_OK; ++k) {
        PxMaterialDef material = scene->material[k].def;
        material.coat = px_material_def_default().coat;
        /* The noise of flip would not die out: 0.12 of that speed, where dfsph has 0.02. */
        if (strcmp(material.pressure.model, "sesph") != 0)
            material.pressure = px_pressure_choice("dfsph");
        status = px_world_add_material(*out, &material, &id[k]);
    }
    for (size_t k = 0; k < scene->bodies && status == PX_OK; ++k) {
        size_t material = scene->body[k].is.refers[0];
        PxMaterialId own = material < scene->materials ? id[material] : (PxMaterialId){0, 0};
        status = add_body(scene, k, own, *out);
    }
    px_overlap_trust(*out, false);
    free(id);
    return status;
}

/* Height of all particles along gravity, m. */
static double height_of(const PxWorld *world, PxVec3 up)
{
    const PxParticles *p = &world->particles;
    double low = INFINITY, high = -INFINITY;
    for (uint32_t i = 0; i < p->table.count; ++i) {
        double h = px_dot(px_vec((double)p->x[i], (double)p->y[i], (double)p->z[i]), up);
        low = fmin(low, h);
        high = fmax(high, h);
    }
    return high - low;
}

/* Damps the velocities; returns their mean. */
static double damp(PxWorld *world, float factor)
{
    PxParticles *p = &world->particles;
    double sum = 0;
    for (uint32_t i = 0; i < p->table.count; ++i) {
        p->vx[i] *= factor;
        p->vy[i] *= factor;
        p->vz[i] *= factor;
        sum += px_length(px_vec((double)p->vx[i], (double)p->vy[i], (double)p->vz[i]));
    }
    return sum / fmax(1, p->table.count);
}

static PxStatus come_to_rest(PxWorld *world)
{
    double g = px_length(world->def.gravity), s = world->def.spacing;
    if (!(g > 0) || world->particles.table.count == 0)
        return PX_OK;
    double height = fmax(height_of(world, px_scale(world->def.gravity, 1 / g)), s);
    double fall = sqrt(2 * height / g), slow = SLOW * sqrt(2 * g * s);
    for (int step = 0; step < MOST_STEPS && px_world_time(world) < LONGEST * fall; ++step) {
        double before = px_world_time(world);
        PX_TRY(px_world_step(world, INFINITY));
        double dt = px_world_time(world) - before;
        double speed = damp(world, (float)exp(-dt / (DAMPING * fall)));
        if (before > 0.5 * fall && speed < slow)
            break;
    }
    return PX_OK;
}

static int compare_ids(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* A particle and its id, for sorting. */
typedef struct Settled {
    uint64_t id;
    uint32_t body;
    PxVec3 at;
} Settled;

static PxStatus take_places(PxScene *scene, const PxWorld *world)
{
    const PxParticles *p = &world->particles;
    uint32_t count = p->table.count;
    Settled *all = malloc((count + 1) * sizeof *all);
    if (all == NULL)
        return px_fail(PX_ERR_MEMORY, "scene: no room for %u particles", count);
    for (uint32_t i = 0; i < count; ++i)
        all[i] = (Settled){p->id[i], p->body[i],
                           px_vec((double)p->x[i], (double)p->y[i], (double)p->z[i])};
    qsort(all, count, sizeof *all, compare_ids);
    PxStatus status = PX_OK;
    for (size_t k = 0; k < scene->bodies && status == PX_OK; ++k) {
        size_t own = 0;
        for (uint32_t i = 0; i < count; ++i)
            own += all[i].body == k;
        PxVec3 *point = own > 0 ? malloc(own * sizeof *point) : NULL;
        if (own == 0)
            continue;
        if (point == NULL) {
            status = px_fail(PX_ERR_MEMORY, "scene: no room for %zu particles", own);
            break;
        }
        own = 0;
        for (uint32_t i = 0; i < count; ++i)
            if (all[i].body == k)
                point[own++] = all[i].at;
        free(scene->matter[k].point);
        scene->matter[k].point = point;
        scene->matter[k].count = own;
    }
    free(all);
    return status;
}

PxStatus px_scene_settle(const PxScene *given, int threads)
{
    PxScene *scene = (PxScene *)given; /* what is known is kept, as the resolved text is */
    bool liquid = false;
    for (size_t k = 0; k < scene->bodies; ++k)
        liquid = liquid || (!px_body_is_bare(&scene->body[k].def) && !px_scene_is_solid(scene, k));
    if (!scene->head.settle || scene->settled || !liquid)
        return PX_OK;
    PxWorld *world = NULL;
    PxStatus status = make_world(scene, threads, &world);
    if (status == PX_OK)
        status = come_to_rest(world);
    if (status == PX_OK)
        status = take_places(scene, world);
    px_world_free(world);
    if (status != PX_OK)
        return px_fail_prefix(status, "settle: ");
    scene->settled = true;
    return PX_OK;
}
