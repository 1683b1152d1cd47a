#include "study/colon_room.h"

#include "base/fail.h"
#include "base/vec.h"
#include "shape/shape.h"
#include "study/mesh_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Particles start at least this far from the wall, in spacings. */
#define CLEAR 0.45

static int by_height(const void *a, const void *b)
{
    const PxVec3 *u = a, *v = b;
    if (u->y != v->y)
        return u->y < v->y ? -1 : 1;
    if (u->x != v->x)
        return u->x < v->x ? -1 : 1;
    return (u->z > v->z) - (u->z < v->z);
}

/* The lowest places of a lattice in the colon, lowest first; *count of them at most. */
static PxStatus low_places(const PxShape *colon, double spacing, uint32_t *count, PxPoints *out)
{
    PX_TRY(px_shape_fill(colon, PX_LATTICE_CUBIC, spacing, 10000000, out));
    size_t kept = 0;
    for (size_t k = 0; k < out->count; ++k)
        if (px_shape_distance(colon, out->position[k], NULL) < -CLEAR * spacing)
            out->position[kept++] = out->position[k];
    qsort(out->position, kept, sizeof *out->position, by_height);
    *count = kept < *count ? (uint32_t)kept : *count;
    return PX_OK;
}

static PxStatus fill_world(PxColonRoom *room, const PxColonRoomDef *def, const char *path)
{
    PxShapeDef mesh = px_shape_def_default(PX_SHAPE_MESH);
    mesh.mesh = path;
    PxShape *colon;
    PX_TRY(px_shape_create(&mesh, &colon));
    PxPoints places = {.count = 0};
    room->spacing =
        def->spacing > 0 ? def->spacing : cbrt(def->full * px_shape_volume(colon) / def->particles);
    room->particles = def->particles;
    PxStatus status = low_places(colon, room->spacing, &room->particles, &places);
    px_shape_free(colon);
    if (status == PX_OK && room->particles < def->particles)
        status = px_fail(PX_ERR_ARGUMENT, "colon: it has room for %u particles of %g m, wanted %u",
                         room->particles, room->spacing, def->particles);
    PxWorldDef world = px_world_def_default();
    world.spacing = room->spacing;
    world.threads = def->threads;
    world.walls = def->walls;
    if (status == PX_OK)
        status = px_world_create(&world, &room->world);
    PxBodyDef wall = px_body_def_default();
    wall.name = "colon";
    wall.shape = mesh;
    wall.wall = wall.inside = true;
    wall.friction = 1;
    if (status == PX_OK)
        status = px_world_add_body(room->world, &wall, NULL);
    PxMaterialDef barium = px_material_def_default();
    barium.name = "barium";
    barium.density = 1620;
    barium.viscosity = 0.07;
    if (def->pressure != NULL)
        barium.pressure = px_pressure_choice(def->pressure);
    PxBodyDef fluid = px_body_def_default();
    fluid.name = "contrast";
    fluid.positions = room->particles;
    fluid.position = places.position;
    if (status == PX_OK)
        status = px_world_add_material(room->world, &barium, &fluid.material);
    if (status == PX_OK)
        status = px_world_add_body(room->world, &fluid, NULL);
    px_points_free(&places);
    if (status != PX_OK)
        px_world_free(room->world);
    return status;
}

PxStatus px_colon_room(PxColonRoom *room, const PxColonRoomDef *def)
{
    *room = (PxColonRoom){.world = NULL};
    char path[PX_MESH_FILE_PATH];
    PX_TRY(px_mesh_file("colon", ".ply", path));
    PxColonDef colon = px_colon_def_default();
    PxColonEnds ends;
    colon.seed = 3;
    colon.triangles = def->triangles;
    PxStatus status = px_make_colon(&colon, path, &ends);
    if (status == PX_OK) {
        room->triangles = ends.triangles;
        status = fill_world(room, def, path);
    }
    unlink(path);
    return status;
}
