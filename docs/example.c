/// A block of water falls into a box: a whole program over the public interface.
/// cc example.c $(pkg-config --cflags --libs phyxel)
#include <phyxel/phyxel.h>

#include <stdio.h>

static int failed(PxWorld *world)
{
    fprintf(stderr, "example: %s\n", px_error_message());
    px_world_free(world);
    return 1;
}

int main(void)
{
    PxWorldDef def = px_world_def_default();
    def.spacing = 0.05;
    PxWorld *world;
    if (px_world_create(&def, &world) != PX_OK)
        return failed(NULL);

    PxMaterialDef water = px_material_def_default(); /* density, viscosity: water's */
    water.name = "water";
    PxMaterialId water_id;
    if (px_world_add_material(world, &water, &water_id) != PX_OK)
        return failed(world);

    PxBodyDef box = px_body_def_default();
    box.name = "box";
    box.wall = box.inside = true; /* keeps matter in */
    box.shape = px_shape_def_default(PX_SHAPE_BOX);
    box.shape.size = (PxVec3){1, 1, 1};

    PxBodyDef block = px_body_def_default();
    block.name = "block";
    block.material = water_id;
    block.shape = px_shape_def_default(PX_SHAPE_BOX);
    block.shape.size = (PxVec3){0.4, 0.4, 0.4};

    PxBodyId box_id, block_id;
    if (px_world_add_body(world, &box, &box_id) != PX_OK ||
        px_world_add_body(world, &block, &block_id) != PX_OK)
        return failed(world);

    for (int step = 0; step < 100; ++step)
        if (px_world_step(world, 10.0) != PX_OK)
            return failed(world);

    const float *y = px_world_floats(world, "position", 1);
    float lowest = y[0];
    for (uint32_t i = 1; i < px_world_count(world); ++i)
        lowest = y[i] < lowest ? y[i] : lowest;
    printf("after %.3f s the lowest of %u particles is at y = %.3f m\n", px_world_time(world),
           px_world_count(world), (double)lowest);
    px_world_free(world);
    return 0;
}
