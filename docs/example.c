/// A block of water falls into a box: a whole program over the public interface.
/// cc example.c $(pkg-config --cflags --libs phyxel)
#include <phyxel/phyxel.h>

#include <stdio.h>

int main(void)
{
    PxWorldDef def = px_world_def_default();
    def.spacing = 0.05;
    PxMaterialDef water = px_material_def_default(); /* density, viscosity: water's */
    PxBodyDef box = px_body_def_default(), block = px_body_def_default();
    box.name = "box";
    box.wall = box.inside = true; /* keeps matter in */
    box.shape.size = (PxVec3){1, 1, 1};
    block.name = "block";
    block.shape.size = (PxVec3){0.4, 0.4, 0.4};

    PxWorld *world;
    PxStats stats;
    if (px_world_create(&def, &world) != PX_OK ||
        px_world_add_material(world, &water, &block.material) != PX_OK ||
        px_world_add_body(world, &box, NULL) != PX_OK ||
        px_world_add_body(world, &block, NULL) != PX_OK || px_world_advance(world, 0.2) != PX_OK) {
        fprintf(stderr, "example: %s\n", px_error_message());
        px_world_free(world);
        return 1;
    }
    px_world_stats(world, &stats);
    printf("after %g s %u particles fall at %.3f m/s\n", stats.time, px_world_count(world),
           -stats.momentum.y / stats.mass);
    px_world_free(world);
}
