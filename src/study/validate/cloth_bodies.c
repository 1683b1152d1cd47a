/// Validation group: cloth that carries rigid bodies.
#include "study/validate/validate.h"

#include "base/vec.h"
#include "phyxel/phyxel.h"
#include "study/cloth_room.h"

#include <math.h>
#include <string.h>

#define G 9.81
#define E 500.0     /* N/m */
#define MASS 0.05   /* kg/m^2 */
#define HALF 0.5    /* of the strip's length, m */
#define WIDTH 0.1   /* m */
#define RADIUS 0.01 /* of the bar, m */
#define WEIGHT 0.1  /* its mass, kg */
#define THICK 0.004 /* m */
#define DISH 0.2    /* m */

static PxStatus add_rigid(PxClothRoom *room, const PxShapeDef *shape, double density,
                          double friction, PxBodyId *out)
{
    PxMaterialDef m = px_material_def_default();
    PxBodyDef def = px_body_def_default();
    m.name = "heavy";
    m.density = density;
    PX_TRY(px_world_add_material(room->world, &m, &def.material));
    def.name = "body";
    def.shape = *shape;
    def.rigid = true;
    def.friction = friction;
    return px_world_add_body(room->world, &def, out);
}

/* Depth of the middle of a strip, held at both ends without slack, under a weight. */
static double depth_of(double force)
{
    double low = 0, high = HALF;
    for (int k = 0; k < 60; ++k) {
        double d = 0.5 * (low + high), l = sqrt(HALF * HALF + d * d);
        double up = 2 * E * WIDTH * (l / HALF - 1) * d / l;
        low = up < force ? d : low;
        high = up < force ? high : d;
    }
    return low;
}

/* A bar across a strip. */
static PxStatus bar(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    PxClothRoom room;
    PxBodyId id;
    PxRigidState r;
    double cells = c->cells / coarser;
    PxMaterialDef m = px_cloth_room_material(MASS);
    m.cloth.weft = m.cloth.warp = E;
    m.cloth.shear = 50;
    m.cloth.poisson = 0;
    m.cloth.limit = 10;
    m.cloth.thickness = THICK;
    m.cloth.damping = 4;
    m.friction = 0.5;
    PxShapeDef shape = px_cloth_room_sheet(2 * HALF, WIDTH, cells, cells / 10);
    PxShapeDef rod = px_shape_def_default(PX_SHAPE_CYLINDER);
    rod.radius = RADIUS;
    rod.height = 1.5 * WIDTH;
    rod.rotation = px_quat_turn(px_vec(1, 0, 0), 0.5 * M_PI);
    rod.at = px_vec(0, RADIUS + THICK, 0);
    double volume = M_PI * RADIUS * RADIUS * rod.height;
    PxStatus status = px_cloth_room(&room, px_vec(0, -G, 0), &m, &shape, threads);
    if (status == PX_OK)
        status = px_cloth_room_hold(&room, "left", px_vec(-HALF, 0, 0), px_vec(1e-3, 1, 1));
    if (status == PX_OK)
        status = px_cloth_room_hold(&room, "right", px_vec(HALF, 0, 0), px_vec(1e-3, 1, 1));
    if (status == PX_OK)
        status = add_rigid(&room, &rod, WEIGHT / volume, 0.5, &id);
    if (status == PX_OK)
        status = px_world_advance(room.world, 4);
    if (status == PX_OK)
        status = px_world_rigid_state(room.world, id, &r);
    if (status == PX_OK) {
        /* half of the cloth's own weight counts as if it hung in the middle */
        double wanted = depth_of(G * (WEIGHT + 0.5 * MASS * 2 * HALF * WIDTH));
        double sag = RADIUS + 0.5 * THICK - r.place.y;
        px_figures_add(out, "sag under a bar / formula", sag / wanted, 1, sag / wanted - 1, 0.03);
    }
    px_world_free(room.world);
    return status;
}

/* A dish on cloth on a floor. */
static PxStatus dish(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    PxClothRoom room;
    PxBodyId id;
    PxRigidState r;
    PxStats stats;
    double cells = c->cells / coarser;
    PxMaterialDef m = px_cloth_room_material(0.2);
    m.cloth.thickness = THICK;
    m.friction = 0.3;
    PxShapeDef shape = px_cloth_room_sheet(0.6, 0.6, cells, cells);
    PxShapeDef box = px_shape_def_default(PX_SHAPE_BOX);
    PxShapeDef floor = px_shape_def_default(PX_SHAPE_PLANE);
    shape.at = px_vec(0, 0.5 * THICK, 0);
    box.size = px_vec(DISH, 0.02, DISH);
    box.at = px_vec(0, THICK + 0.012, 0);
    double density = strcmp(c->model, "heavy") == 0 ? 20000 : 200;
    PxStatus status = px_cloth_room(&room, px_vec(0, -G, 0), &m, &shape, threads);
    if (status == PX_OK)
        status = px_cloth_room_wall(&room, &floor, 0.3);
    if (status == PX_OK)
        status = add_rigid(&room, &box, density, 0.3, &id);
    if (status == PX_OK)
        status = px_world_advance(room.world, 0.5);
    if (status == PX_OK)
        status = px_world_rigid_state(room.world, id, &r);
    if (status == PX_OK) {
        px_world_stats(room.world, &stats);
        double over = (r.place.y - 0.01) / THICK;
        px_figures_add(out, "height of a dish on cloth / thickness", over, 1, over - 1, 0.02);
        px_figures_add(out, "speed at rest, m/s", px_length(r.velocity), 0, px_length(r.velocity),
                       1e-5);
        px_figures_add(out, "vertices that crossed", (double)stats.cloth_crossed, 0,
                       (double)stats.cloth_crossed, 0);
    }
    px_world_free(room.world);
    return status;
}

static const PxValidateCase cases[] = {
    {"bar on a strip", bar, "-", NULL, 40, true, false},
    {"bar on a strip", bar, "-", NULL, 80, true, false},
    {"dish on cloth", dish, "-", "light", 20, true, false},
    {"dish on cloth", dish, "-", "heavy", 20, true, false},
};

const PxValidateGroup px_validate_cloth_bodies = {
    .title = "Cloth that carries bodies",
    .about =
        "- **Cloth that carries bodies**; \"spacings\" are cells of the sheet along its length.\n"
        "  *Bar on a strip*: a bar of 0.1 kg lies across a strip of 1 x 0.1 m (500 N/m, 5 g) that "
        "is held at its ends: depth of the middle against that of two straight threads.\n"
        "  *Dish on cloth*: a box of 0.16 and 16 kg falls by 2 mm on cloth of 0.2 kg/m^2 on a "
        "floor.\n",
    .cases = cases,
    .count = PX_COUNT(cases),
};
