/// Creating a world and adding things to it.
#include "coupling/fractions.h"
#include "fluid/pressure/implicit_pressure.h"
#include "fluid/pressure/mac_walls.h"
#include "matter/wall_field.h"
#include "matter/wall_triangles.h"
#include "world/fracture_stage.h"
#include "world/cloth_stage.h"
#include "world/kinds/kind.h"
#include "world/heat_stage.h"
#include "world/elastic_stage.h"
#include "world/octree_body.h"
#include "world/resample.h"
#include "world/overlap.h"
#include "world/pressure_mean.h"
#include "world/copies.h"
#include "fluid/tension/tension.h"
#include "solid/fracture/paint.h"
#include "world/rigid_stage.h"
#include "world/wet_stage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Largest number of particles of one body.
#define MOST_PARTICLES ((size_t)200000000)

static PxWorldDef world_def_defaults(void)
{
    return (PxWorldDef){.spacing = 0.02,
                        .support = 2,
                        .solid_support = 2,
                        .gravity = {0, -9.81, 0},
                        .max_step = 0.01,
                        .min_step = 1e-8,
                        .courant = 0.4,
                        .walls = {.radius = 0.5, .friction = 0.1}};
}

PX_DEF(PxWorldDef, world_def, "world")

PxMeltDef px_melt_def_default(void)
{
    return (PxMeltDef){.to = 1,
                       .into = {.poisson = NAN,
                                .viscosity = NAN,
                                .cohesion = NAN,
                                .tension = NAN,
                                .damping = NAN,
                                .yield = NAN,
                                .creep = NAN,
                                .plastic_limit = NAN,
                                .absorb = NAN,
                                .friction = NAN,
                                .restitution = NAN}};
}

PxClothDef px_cloth_def_default(void)
{
    return (PxClothDef){.thickness = 0.002,
                        .weft = 500,
                        .warp = 500,
                        .shear = 50,
                        .poisson = 0.2,
                        .bend = 5e-5,
                        .damping = 0,
                        .stiff_damping = 0.002,
                        .limit = 0.1,
                        .step = 0.004,
                        .bending_model = PX_CLOTH_PLATE,
                        .fluid_grip = 1,
                        .absorption = 1e-6,
                        .diffusion = 1e-5,
                        .rise = 0.1,
                        .wet_stretch = 1,
                        .wet_bend = 1,
                        .squeeze = 1e4,
                        .fluid_test = true};
}

PxFractureDef px_fracture_def_default(void)
{
    return (PxFractureDef){.strength = 1e6,
                           .scatter = 0.05,
                           .arrest = 0.7,
                           .opacity = 1,
                           .closed_skins = true,
                           .rough = 0.2,
                           .score_depth = 0.7};
}

static PxMaterialDef material_def_defaults(void)
{
    return (PxMaterialDef){.name = "water",
                           .density = 1000,
                           .viscosity = 0.001,
                           .viscosity_model = px_viscosity_choice("implicit"),
                           .pressure = px_pressure_choice("auto"),
                           .tension = px_tension_choice("none"),
                           .poisson = 0.3,
                           .yield = 1e6,
                           .plastic_limit = 1e9,
                           .friction = 0.5,
                           .restitution = 1,
                           .integration = px_integration_choice("leapfrog"),
                           .rigid_contact = px_rigid_contact_choice("impulses"),
                           .heat_capacity = 1000,
                           .melts = px_melt_def_default(),
                           .merge = true,
                           .merge_from = -273.15,
                           .coat = px_coat_choice("none"),
                           .cloth = px_cloth_def_default(),
                           .fracture = px_fracture_def_default()};
}

PX_DEF(PxMaterialDef, material_def, "material")

static PxBodyDef body_def_defaults(void)
{
    return (PxBodyDef){.name = "",
                       .shape = px_shape_def_default(PX_SHAPE_BOX),
                       .temperature = 20,
                       .conductance = PX_CONTACT_PERFECT,
                       .levels = 2,
                       .skin = true,
                       .friction = 0.5,
                       .contact_angle = 90,
                       .adhesion = 0.5,
                       .release = -1,
                       .hold = 1e9,
                       .hand_over = 0.5,
                       .carve = true};
}

PX_DEF(PxBodyDef, body_def, "body")

PxStatus px_world_create(const PxWorldDef *given, PxWorld **out)
{
    PX_WANT(out);
    *out = NULL;
    PxWorldDef read;
    PX_TRY(read_world_def(given, &read));
    const PxWorldDef *def = &read;
    PX_TRY(px_section_check(&px_world_section, def, "world"));
    PX_TRY(px_section_check(&px_walls_section, &def->walls, "world: walls"));
    PX_TRY(px_threads_check(def->threads, "world"));
    if (def->allocator != NULL &&
        (def->allocator->allocate == NULL || def->allocator->release == NULL))
        return px_fail(PX_ERR_ARGUMENT, "world: the allocator lacks a function");
    PxWorld *world = px_allocate(NULL, sizeof *world);
    if (world == NULL)
        return px_fail(PX_ERR_MEMORY, "world: no room");
    memset(world, 0, sizeof *world);
    world->def = *def;
    if (def->allocator != NULL) {
        world->allocator = *def->allocator;
        world->memory = &world->allocator;
    }
    world->def.allocator = world->memory;
    world->threads.count = def->threads > 0 ? def->threads : px_threads_available();
    px_stop_begin(&world->stop, NULL, NULL);
    world->threads.stop = &world->stop;
    world->isa = px_isa_best();
    world->state.bound_due = 1;
    px_wall_profile_init(&world->wall_profile, def->support * def->spacing, def->spacing);
    px_dist_init(&world->dist);
    px_arena_init(&world->scratch, world->memory);
    px_grid_init(&world->grid, world->memory);
    px_pairs_init(&world->pairs, world->memory);
    px_grid_init(&world->contact_grid, world->memory);
    px_solid_self_init(&world->contact_self, world->memory);
    PxStatus status = px_particles_init(&world->particles, world->memory);
    if (status == PX_OK)
        status = px_elastic_set_init(&world->elastic_set, world->memory);
    px_table_init(&world->bonds_stored, world->memory);
    if (status == PX_OK)
        status = px_bonds_columns(&world->bonds_stored);
    if (status == PX_OK)
        status = px_emitters_init(&world->progress, world->memory);
    PxStatus cracks = px_fracture_stage_init(world);
    if (status == PX_OK)
        status = cracks;
    PxStatus cloth = px_cloth_init(world);
    if (status == PX_OK)
        status = cloth;
    if (status == PX_OK)
        status = px_mac_store_create(world->memory, &world->mac_store);
    if (status != PX_OK) {
        px_cloth_free(world);
        px_fracture_stage_free(world);
        px_table_free(&world->progress);
        px_elastic_set_free(&world->elastic_set);
        px_table_free(&world->bonds_stored);
        px_particles_free(&world->particles);
        px_release(NULL, world, sizeof *world);
        return status;
    }
    *out = world;
    return PX_OK;
}

void px_world_free(PxWorld *world)
{
    if (world == NULL)
        return;
    px_elastic_set_free(&world->elastic_set);
    px_table_free(&world->bonds_stored);
    px_things_drop(world);
    px_cloth_free(world);
    px_fracture_stage_free(world);
    px_table_free(&world->progress);
    PX_LIST_FREE(&world->boundaries);
    PX_LIST_FREE(&world->readings);
    PX_LIST_FREE(&world->reading_values);
    px_particles_free(&world->particles);
    px_pairs_free(&world->pairs);
    px_mac_store_free(world->mac_store);
    px_grid_free(&world->grid);
    px_grid_free(&world->contact_grid);
    px_solid_self_free(&world->contact_self);
    px_arena_free(&world->scratch);
    px_release(NULL, world, sizeof *world);
}

PxStatus px_world_name(char to[PX_NAME_SIZE], const char *name, const char *what)
{
    if (name == NULL || name[0] == '\0')
        return px_fail(PX_ERR_ARGUMENT, "%s: wanted a name", what);
    if (strlen(name) >= PX_NAME_SIZE || strchr(name, '.') != NULL)
        return px_fail(PX_ERR_ARGUMENT, "%s '%.80s': a name has up to %d letters and no dot", what,
                       name, PX_NAME_SIZE - 1);
    memset(to, 0, PX_NAME_SIZE);
    strcpy(to, name);
    return PX_OK;
}

void px_world_cut(PxWorld *world, uint32_t rows, uint32_t columns)
{
    px_table_cut(&world->particles.table, rows, columns);
    px_particles_refresh(&world->particles);
}

PxStatus px_world_material_columns(PxWorld *world, const PxMaterialDef *def)
{
    const PxTable *table = &world->particles.table;
    uint32_t columns = table->columns;
    PxStatus status = px_world_heat_columns(world, def);
    if (status == PX_OK)
        status = px_world_elastic_columns(world, def);
    if (status == PX_OK)
        status = px_pressure_mean_columns(world, def);
    if (status == PX_OK)
        status = px_tension_keep_columns(&world->particles, def);
    if (status != PX_OK)
        px_world_cut(world, table->count, columns);
    return status;
}

/* A fluid whose model is "auto" takes that of the others. */
static bool names_pressure(const PxMaterialDef *def)
{
    return strcmp(def->pressure.model, "auto") != 0;
}

PxStatus px_world_add_material(PxWorld *world, const PxMaterialDef *given, PxMaterialId *out)
{
    if (out != NULL)
        *out = (PxMaterialId){0, 0};
    PX_WANT(world);
    PxMaterialDef read;
    PX_TRY(read_material_def(given, &read));
    const PxMaterialDef *def = &read;
    PxMaterial material = {.def = *def};
    PX_TRY(px_world_name(material.name, def->name, "material"));
    PX_TRY(px_section_check(&px_material_kind.section, def, material.name));
    PX_TRY(px_material_kind.consistent(def, material.name));
    PX_TRY(PX_SLOT_NAME_FREE(&world->materials, material.name, "material"));
    for (size_t k = 0; k < world->materials.count; ++k) {
        const PxMaterial *other = &world->materials.data[k];
        if (!other->live || other->def.cloth.cloth || def->cloth.cloth)
            continue;
        if (other->def.young > 0 && def->young > 0 &&
            strcmp(other->def.integration.model, def->integration.model) != 0)
            return px_fail(PX_ERR_ARGUMENT,
                           "material '%s': integration is '%s', but '%s' has '%s'; solids of one "
                           "world share it",
                           material.name, def->integration.model, other->name,
                           other->def.integration.model);
        if (other->def.young > 0 || def->young > 0)
            continue;
        if (strcmp(other->def.pressure.model, def->pressure.model) != 0 &&
            names_pressure(&other->def) && names_pressure(def))
            return px_fail(PX_ERR_ARGUMENT,
                           "material '%s': pressure is '%s', but '%s' has '%s'; fluids of one "
                           "world share their pressure model",
                           material.name, def->pressure.model, other->name,
                           other->def.pressure.model);
        if (strcmp(other->def.viscosity_model.model, def->viscosity_model.model) != 0)
            return px_fail(PX_ERR_ARGUMENT,
                           "material '%s': viscosity_model is '%s', but '%s' has '%s'; fluids of "
                           "one world share their viscosity model",
                           material.name, def->viscosity_model.model, other->name,
                           other->def.viscosity_model.model);
    }
    double s = world->def.spacing;
    material.particle_mass = def->density * s * s * s;
    uint32_t slot, columns = world->particles.table.columns;
    if (!PX_SLOT_RESERVE(&world->materials, &slot))
        return px_fail(PX_ERR_MEMORY, "material '%s': no room", material.name);
    PxStatus status = px_world_material_columns(world, def);
    if (status == PX_OK)
        status = px_world_add_coat(world, slot, def);
    if (status != PX_OK) {
        px_world_cut(world, world->particles.table.count, columns);
        return px_fail_prefix(status, "material '%s': ", material.name);
    }
    PxThingId id = px_kind_put(&px_material_kind, world, slot, &material);
    if (out != NULL)
        *out = (PxMaterialId){id.slot, id.generation};
    return PX_OK;
}

static PxVec3 middle_of(const PxShape *shape, const PxShapeDef *def)
{
    PxBounds b = px_shape_bounds(shape);
    PxVec3 middle = px_scale(px_add(b.low, b.high), 0.5);
    return px_finite(middle) ? middle : def->at;
}

void px_world_put(PxWorld *world, uint32_t i, uint64_t id, PxVec3 x, PxVec3 v, uint32_t body,
                  uint32_t material, double temperature)
{
    PxParticles *p = &world->particles;
    p->id[i] = id;
    px_particle_put(p, i, x);
    p->vx[i] = (float)v.x;
    p->vy[i] = (float)v.y;
    p->vz[i] = (float)v.z;
    p->mass[i] = (float)world->materials.data[material].particle_mass;
    p->radius[i] = (float)(0.5 * world->def.spacing);
    p->temperature[i] = (float)temperature;
    p->material[i] = material;
    p->body[i] = body;
    p->density[i] = (float)world->materials.data[material].def.density;
    px_world_melt_rows(world, i, i + 1);
}

/* Particles of a fitted lattice have equal parts of the volume of the shape. What melts keeps the
 * mass of a lattice, as in an octree. */
static void share_volume(PxWorld *world, const PxBodyDef *def, const PxShape *shape, uint32_t first)
{
    PxParticles *p = &world->particles;
    const PxMaterialDef *material = &world->materials.data[def->material.slot - 1].def;
    PxSolidColumns solid;
    if (material->melts.melts || !px_solid_columns(&p->table, &solid))
        return;
    double volume = px_shape_volume(shape) / (double)(p->table.count - first);
    for (uint32_t i = first; i < p->table.count; ++i) {
        solid.volume[i] = (float)volume;
        p->mass[i] = (float)(material->density * volume);
    }
}

static PxStatus add_particles(PxWorld *world, const PxBodyDef *def, const PxShape *shape,
                              uint32_t body)
{
    if (def->fill == PX_FILL_OCTREE)
        return px_octree_put(world, def, shape, body, middle_of(shape, &def->shape),
                             MOST_PARTICLES);
    PxLattice lattice = def->fill == PX_FILL_CUBIC ? PX_LATTICE_CUBIC : PX_LATTICE_HEXAGONAL;
    PxPoints points;
    if (def->positions > 0)
        PX_TRY(px_shape_fill(shape, lattice, world->def.spacing, MOST_PARTICLES, &points));
    else if (def->fill == PX_FILL_FITTED)
        PX_TRY(px_shape_fill_fitted(shape, world->def.spacing, MOST_PARTICLES, &points));
    else
        PX_TRY(px_shape_fill(shape, lattice, world->def.spacing, MOST_PARTICLES, &points));
    if (px_resample_depth(world, def->material.slot - 1) > 0) {
        double volume = def->fill == PX_FILL_FITTED ? px_shape_volume(shape) : 0;
        PxStatus put =
            px_lattice_cells_put(world, def, &points, volume, body, middle_of(shape, &def->shape));
        px_points_free(&points);
        return put;
    }
    uint32_t first;
    PxParticles *p = &world->particles;
    PxStatus status = px_table_append(&p->table, points.count, &first);
    if (status == PX_OK) {
        px_particles_refresh(p);
        PxVec3 middle = middle_of(shape, &def->shape);
        for (size_t k = 0; k < points.count; ++k) {
            PxVec3 x = points.position[k];
            PxVec3 v = px_add(def->velocity, px_cross(def->spin, px_sub(x, middle)));
            px_world_put(world, first + (uint32_t)k, px_dist_id(world->bodies_made, k), x, v, body,
                         def->material.slot - 1, def->temperature);
        }
        if (world->materials.data[def->material.slot - 1].def.young > 0)
            status = px_world_make_elastic(world, first, middle);
        if (status == PX_OK && def->fill == PX_FILL_FITTED && def->positions == 0)
            share_volume(world, def, shape, first);
    }
    px_points_free(&points);
    return status;
}

/* How fluids find a wall that no formula describes. Triangles are of meshes only. */
static PxStatus make_search(PxWorld *world, const PxBodyDef *def, PxShape *shape, PxWall *wall)
{
    const PxWallsDef *walls = &world->def.walls;
    if (def->shape.kind == PX_SHAPE_MESH && walls->search == PX_SEARCH_GRID)
        return px_wall_triangles_create(shape, def->inside, PX_TRIANGLES_GRID, PX_TREE_LONGEST,
                                        &wall->triangles);
    if (def->shape.kind == PX_SHAPE_MESH && walls->search == PX_SEARCH_TREE)
        return px_wall_triangles_create(shape, def->inside, PX_TRIANGLES_TREE,
                                        (PxTreeRule)walls->build, &wall->triangles);
    bool plain = walls->search == PX_SEARCH_DISTANCE;
    if (!def->rigid)
        return px_wall_field_create(shape, def->inside, plain, world->memory, &wall->field);
    /* rigid bodies of one shape share their table */
    uint64_t digest[2];
    px_shape_digest(shape, digest);
    wall->own_field = true;
    for (size_t k = 0; k < world->walls.count && wall->field == NULL; ++k)
        if (px_wall_field_is_own(world->walls.data[k].field, digest, def->inside, plain))
            wall->field = world->walls.data[k].field;
    px_wall_field_hold(wall->field);
    return wall->field != NULL
               ? PX_OK
               : px_wall_field_create_own(shape, def->inside, plain, world->memory, &wall->field);
}

static PxStatus add_wall(PxWorld *world, const PxBodyDef *def, PxShape *shape, uint32_t body)
{
    PX_TRY(px_keyframes_check(def->keyframe, def->keyframes));
    if (px_shape_moving(shape) != NULL && def->keyframes > 0)
        return px_fail(PX_ERR_ARGUMENT, "it has keyframes, and its mesh has poses; wanted only one "
                                        "of them to move it");
    if (def->prints && !px_shape_has_colours(shape))
        return px_fail(PX_ERR_ARGUMENT, "to print it needs a mesh with colours of its vertices");
    if (!PX_LIST_RESERVE(&world->walls, 1))
        return px_fail(PX_ERR_MEMORY, "no room for a wall");
    PxKeyframe *keys;
    PX_TRY(px_temperatures_check(def->temperature_key, def->temperatures));
    PX_TRY(px_keyframes_copy(def->keyframe, def->keyframes, &keys));
    PxTemperatureKey *warmth;
    if (!px_temperatures_copy(def->temperature_key, def->temperatures, &warmth)) {
        free(keys);
        return px_fail(PX_ERR_MEMORY, "no room for %zu temperatures", def->temperatures);
    }
    PxWall wall = {.shape = shape,
                   .def = def->shape,
                   .inside = def->inside,
                   .boundary = {.body = body,
                                .convex = !def->inside && px_shape_kind_is_convex(def->shape.kind),
                                .friction = def->friction,
                                .adhesion = def->adhesion,
                                .wetting = cos(def->contact_angle * PX_PI / 180)},
                   .cling = def->cling,
                   .spheres = world->def.walls.response == PX_WALLS_SPHERES,
                   .prints = def->prints,
                   .warmth = warmth,
                   .warmths = def->temperatures,
                   .pivot = def->shape.at,
                   .key = keys,
                   .keys = def->keyframes,
                   .bounds = px_shape_bounds(shape)};
    wall.now.turn = px_quat_identity();
    if (def->rigid) {
        PxStatus status = px_rigid_add(world, def, &wall, body);
        if (status != PX_OK) {
            free(keys);
            free(warmth);
            return status;
        }
    }
    wall.def.rotation = px_quat_normalized(def->shape.rotation);
    px_shape_def_forget(&wall.def);
    PxStatus status = px_cloth_check_wall(world, &wall);
    if (status == PX_OK)
        status = px_overlap_check_wall(world, &wall, def);
    /* A table of a shape that changes in every step would be of no use. */
    if (status == PX_OK && def->shape.kind != PX_SHAPE_BOX && def->shape.kind != PX_SHAPE_PLANE &&
        px_shape_moving(shape) == NULL)
        status = make_search(world, def, shape, &wall);
    if (status != PX_OK) {
        if (def->rigid)
            px_rigid_drop(world, body);
        free(keys);
        free(warmth);
        return status;
    }
    px_wall_warm(&wall, def);
    world->walls.data[world->walls.count++] = wall;
    return PX_OK;
}

/* Adds the body to the list, in which room was reserved. */
static void list_body(PxWorld *world, uint32_t slot, PxBody *body)
{
    body->number = world->bodies_made++;
    px_kind_put(&px_body_kind, world, slot, body);
    world->state.bound_due = 1;
}

PxStatus px_world_add_source(PxWorld *world, const char *name, uint32_t emitter, uint32_t *slot)
{
    PxBody body = {.def = px_body_def_default(), .emitter = emitter + 1};
    PX_TRY(px_world_name(body.name, name, "emitter"));
    PX_TRY(PX_SLOT_NAME_FREE(&world->bodies, body.name, "body"));
    if (!PX_SLOT_RESERVE(&world->bodies, slot))
        return px_fail(PX_ERR_MEMORY, "no room");
    list_body(world, *slot, &body);
    return PX_OK;
}

static bool is_cloth(const PxWorld *world, const PxBodyDef *def)
{
    uint32_t slot = def->material.slot;
    return !px_body_is_boundary(def) && slot > 0 && slot <= world->materials.count &&
           world->materials.data[slot - 1].def.cloth.cloth;
}

static PxStatus paint_cracks(PxWorld *world, const PxBodyDef *def, const PxShape *shape,
                             uint32_t first)
{
    if (!world->materials.data[def->material.slot - 1].def.fracture.fractures)
        return px_fail(PX_ERR_ARGUMENT, "painted cracks are for solids with fracture");
    return px_crack_paint(&world->particles, def, shape, world->def.spacing, first,
                          &world->threads);
}

PxStatus px_world_add_body(PxWorld *world, const PxBodyDef *given, PxBodyId *out)
{
    if (out != NULL)
        *out = (PxBodyId){0, 0};
    PX_WANT(world);
    PxBodyDef read;
    PX_TRY(read_body_def(given, &read));
    const PxBodyDef *def = &read;
    PxBody body = {.def = *def};
    body.def.cloth = read.cloth = is_cloth(world, def);
    PX_TRY(px_world_name(body.name, def->name, "body"));
    PX_TRY(px_section_check(&px_body_kind.section, def, body.name));
    PX_TRY(PX_SLOT_NAME_FREE(&world->bodies, body.name, "body"));
    if (def->wall ? def->material.slot != 0 : def->material.slot == 0)
        return px_fail(PX_ERR_ARGUMENT, "body '%s': %s", body.name,
                       def->wall ? "a wall has no material" : "wanted a material");
    if (def->wall && def->rigid)
        return px_fail(PX_ERR_ARGUMENT, "body '%s': a wall is not a rigid body", body.name);
    if (def->rigid && (def->surfels > 0 || def->texture != NULL || def->inside))
        return px_fail(PX_ERR_ARGUMENT, "body '%s': a rigid body has no surfels, texture or inside",
                       body.name);
    if (!def->wall && def->shape.kind == PX_SHAPE_PLANE)
        return px_fail(PX_ERR_ARGUMENT, "body '%s': a plane can only be a wall", body.name);
    if (def->positions > 0 && (def->wall || def->rigid || def->fill == PX_FILL_OCTREE ||
                               def->surfels > 0 || def->position == NULL))
        return px_fail(PX_ERR_ARGUMENT,
                       "body '%s': given positions are for bodies of particles, without an octree "
                       "and surfels",
                       body.name);
    if (!def->wall && !def->rigid && def->keyframes > 0)
        return px_fail(PX_ERR_ARGUMENT, "body '%s': only walls and rigid bodies move by keyframes",
                       body.name);
    PxStatus status = PX_OK;
    uint32_t slot;
    if (!def->wall)
        status = PX_SLOT_FIND(&world->materials, def->material, "material", &slot);
    if (status != PX_OK)
        return px_fail_prefix(status, "body '%s': ", body.name);
    if (!PX_SLOT_RESERVE(&world->bodies, &slot))
        return px_fail(PX_ERR_MEMORY, "body '%s': no room", body.name);

    PxShape *shape = NULL;
    status = def->cloth ? px_cloth_add(world, def, slot)
             : def->positions > 0
                 ? px_shape_create_points(def->position, def->positions, world->def.spacing, &shape)
                 : px_shape_create(&def->shape, &shape);
    if (status != PX_OK)
        return px_fail_prefix(status, "body '%s': ", body.name);
    if (def->cloth) {
        px_shape_def_forget(&body.def.shape);
        body.def.texture = NULL;
        list_body(world, slot, &body);
        if (out != NULL)
            *out = (PxBodyId){slot + 1, world->bodies.data[slot].generation};
        return PX_OK;
    }
    bool boundary = px_body_is_boundary(def);
    const PxTable *table = &world->particles.table;
    uint32_t rows = table->count, columns = table->columns;
    if (!boundary)
        status = add_particles(world, def, shape, slot);
    if (status == PX_OK && !boundary)
        status = px_overlap_check_body(world, body.name, shape, rows);
    if (status == PX_OK && !boundary && px_crack_painted(def))
        status = paint_cracks(world, def, shape, rows);
    if (status == PX_OK)
        status = px_world_add_skins(world, def, shape, slot);
    if (status == PX_OK && boundary)
        status = add_wall(world, def, shape, slot);
    body.rest_origin = boundary ? body.rest_origin : middle_of(shape, &def->shape);
    if (status != PX_OK)
        px_world_cut(world, rows, columns);
    if (status != PX_OK || !boundary)
        px_shape_free(shape);
    if (status != PX_OK)
        return px_fail_prefix(status, "body '%s': ", body.name);
    px_shape_def_forget(&body.def.shape);
    body.def.texture = body.def.cracks = body.def.strength = NULL;
    body.def.keyframe = NULL;
    body.def.temperature_key = NULL;
    body.def.position = NULL;
    body.def.positions = 0;
    list_body(world, slot, &body);
    if (!boundary)
        px_wet_first(world, def->material.slot - 1);
    if (out != NULL)
        *out = (PxBodyId){slot + 1, world->bodies.data[slot].generation};
    return PX_OK;
}

double px_world_time(const PxWorld *world)
{
    return world != NULL ? world->state.time : 0;
}

size_t px_world_stages_sized(const PxWorld *world, PxStage *out, size_t size, size_t most)
{
    if (world == NULL)
        return 0;
    for (size_t k = 0; k < world->profile.stages && k < most; ++k) {
        PxStage stage = {world->profile.stage[k].name, world->profile.stage[k].seconds,
                         world->profile.stage[k].calls};
        px_result_put(out, size, k, &stage, sizeof stage);
    }
    return world->profile.stages;
}

size_t px_world_bytes(const PxWorld *world)
{
    if (world == NULL)
        return 0;
    size_t fields = 0;
    for (size_t k = 0; k < world->walls.count; ++k) {
        const PxWall *wall = &world->walls.data[k];
        bool counted = false;
        for (size_t n = 0; wall->field != NULL && n < k && !counted; ++n)
            counted = world->walls.data[n].field == wall->field;
        fields += (counted ? 0 : px_wall_field_bytes(wall->field)) +
                  px_wall_triangles_bytes(wall->triangles);
    }
    return sizeof *world + fields + px_world_skin_bytes(world) + px_world_coat_bytes(world) +
           px_table_bytes(&world->particles.table) + px_elastic_set_bytes(&world->elastic_set) +
           px_table_bytes(&world->progress) + px_pairs_bytes(&world->pairs) +
           px_grid_bytes(&world->contact_grid) + px_solid_self_bytes(&world->contact_self) +
           px_grid_bytes(&world->grid) + px_mac_store_bytes(world->mac_store) +
           world->scratch.reserved;
}

/* Is the material a fluid, or a solid that may become one? */
static bool flows(const PxMaterial *material)
{
    return material->live && !material->def.cloth.cloth &&
           (!(material->def.young > 0) || isfinite(px_rest_update_interval(&material->def)));
}

/* Takes the model of the others; numbers that were stated for "auto" stay, if the model has them.
 */
static void take_pressure(PxMaterialDef *def, const PxModelChoice *pressure)
{
    PxModelChoice own = def->pressure;
    bool keeps = strcmp(own.model, "auto") == 0 && strcmp(pressure->model, "sesph") != 0;
    def->pressure = *pressure;
    for (int k = 0; k < PX_IMPLICIT_PARAMS && keeps; ++k)
        if (k != PX_IMPLICIT_ERROR && k != PX_IMPLICIT_SOLVE && !isnan(own.param[k]))
            def->pressure.param[k] = own.param[k];
}

const char *px_world_share_models(PxWorld *world)
{
    /* first fluid, or else first solid that may become one; the same that names its pressure */
    const PxMaterial *first = NULL, *named = NULL;
    for (size_t k = 0; k < world->materials.count; ++k) {
        const PxMaterial *m = &world->materials.data[k];
        if (flows(m) && (first == NULL || (first->def.young > 0 && !(m->def.young > 0))))
            first = m;
        if (flows(m) && names_pressure(&m->def) &&
            (named == NULL || (named->def.young > 0 && !(m->def.young > 0))))
            named = m;
    }
    PxModelChoice pressure = named != NULL   ? named->def.pressure
                             : first != NULL ? first->def.pressure
                                             : px_pressure_choice("auto");
    PxModelChoice viscosity =
        first != NULL ? first->def.viscosity_model : px_viscosity_choice("implicit");
    for (size_t k = 0; k < world->materials.count; ++k) {
        PxMaterial *m = &world->materials.data[k];
        if (!flows(m) || strcmp(m->def.pressure.model, pressure.model) != 0)
            take_pressure(&m->def, &pressure);
        if (!flows(m) || strcmp(m->def.viscosity_model.model, viscosity.model) != 0)
            m->def.viscosity_model = viscosity;
    }
    return world->materials.count > 0 ? world->materials.data[0].def.pressure.model : "auto";
}

/* ---- state -------------------------------------------------------------- */

const PxTable *px_world_particles(const PxWorld *world)
{
    return &world->particles.table;
}

PxWorldState px_world_state(const PxWorld *world)
{
    return world->state;
}
