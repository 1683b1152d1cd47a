#include "study/squeeze_film.h"

#include "base/fail.h"
#include "base/simd.h"
#include "base/vec.h"
#include "world/world_parts.h"

#include <math.h>

#define COLD 20.0
#define HOT 80.0
#define G 9.81

PxSqueezeFilmDef px_squeeze_film_def_default(void)
{
    PxSqueezeFilmDef def = {.material = px_material_def_default(),
                            .radius = 0.1,
                            .height = 0.2,
                            .film = 0.04,
                            .spacing = 0.01,
                            .from = 0.2,
                            .seconds = 0.5,
                            .threads = 2};
    def.material.name = "wax";
    def.material.young = 8e5;
    def.material.poisson = 0.4;
    def.material.viscosity = 1000;
    def.material.damping = 3;
    def.material.diffusivity = 1e-12;
    def.material.melts.melts = true;
    def.material.melts.from = 40;
    def.material.melts.to = 60;
    def.material.melts.into.viscosity = 1000;
    return def;
}

static PxStatus make(const PxSqueezeFilmDef *def, PxWorld **out)
{
    PxWorldDef world = px_world_def_default();
    world.spacing = def->spacing;
    world.gravity = px_vec(0, -G, 0);
    world.threads = def->threads;
    PX_TRY(px_world_create(&world, out));
    PxBodyDef body = px_body_def_default();
    body.name = "floor";
    body.wall = true;
    body.friction = 1;
    body.shape = px_shape_def_default(PX_SHAPE_PLANE);
    PX_TRY(px_world_add_body(*out, &body, NULL));
    body = px_body_def_default();
    PX_TRY(px_world_add_material(*out, &def->material, &body.material));
    double height = def->film + def->height;
    body.name = "cylinder";
    body.skin = false;
    body.temperature = COLD;
    body.shape = px_shape_def_default(PX_SHAPE_CYLINDER);
    body.shape.radius = def->radius;
    body.shape.height = height;
    body.shape.at = px_vec(0, 0.5 * height, 0);
    PX_TRY(px_world_add_body(*out, &body, NULL));
    PxParticles *p = &(*out)->particles; /* a study may change the world's table */
    for (uint32_t i = 0; i < p->table.count; ++i)
        if ((double)p->y[i] < def->film)
            p->temperature[i] = (float)HOT;
    return PX_OK;
}

typedef struct Solid {
    double mass, middle, lean; /* kg; mean height, m; of the axis, rad */
} Solid;

static Solid solid_of(const PxWorld *world)
{
    const PxParticles *p = &world->particles;
    PxVec3 sum = {0, 0, 0};
    Solid out = {0};
    for (uint32_t i = 0; i < p->table.count; ++i)
        if ((double)p->temperature[i] < 50) {
            sum = px_mad(sum, px_particle_place(p, i), (double)p->mass[i]);
            out.mass += (double)p->mass[i];
        }
    PxVec3 middle = px_scale(sum, 1 / out.mass);
    double xy = 0, zy = 0, yy = 0;
    for (uint32_t i = 0; i < p->table.count; ++i)
        if ((double)p->temperature[i] < 50) {
            PxVec3 at = px_sub(px_particle_place(p, i), middle);
            xy += at.x * at.y;
            zy += at.z * at.y;
            yy += at.y * at.y;
        }
    out.middle = middle.y;
    out.lean = hypot(xy, zy) / yy;
    return out;
}

PxStatus px_squeeze_film(const PxSqueezeFilmDef *def, PxSqueezeFilmResult *out)
{
    PxWorld *world = NULL;
    PxStats stats;
    *out = (PxSqueezeFilmResult){0};
    PxStatus status = make(def, &world);
    if (status != PX_OK)
        goto done;
    Solid first = solid_of(world);
    status = px_world_advance(world, def->from);
    if (status != PX_OK)
        goto done;
    double before = def->film + solid_of(world).middle - first.middle;
    status = px_world_advance(world, def->seconds);
    if (status != PX_OK)
        goto done;
    Solid last = solid_of(world);
    double after = def->film + last.middle - first.middle;
    /* radius of the disc that the particles are */
    double square = first.mass / (def->material.density * def->height * PX_PI);
    double mu = def->material.melts.into.viscosity;
    /* dh / dt = - c h^3, so t = (1 / h^2 - 1 / h0^2) / (2 c) */
    double c = 2 * first.mass * G / (3 * PX_PI * mu * square * square);
    double wanted = (1 / (after * after) - 1 / (before * before)) / (2 * c);
    px_world_stats(world, &stats);
    out->resistance = (stats.time - def->from) / wanted;
    out->thickness = after;
    out->lean = last.lean;
    out->leaked = stats.leaked;
done:
    px_world_free(world);
    return status;
}
