/// Validation group: cloth that carries fluid.
#include "study/validate/validate.h"

#include "base/vec.h"
#include "phyxel/phyxel.h"
#include "study/cloth_room.h"

#include <math.h>
#include <stdlib.h>

#define G 9.81
#define HALF 0.2  /* half the side of the tank, m */
#define DEPTH 0.3 /* of the water before the floor sags, m */
#define STIFF 4e4 /* of the cloth, N/m */

#define SOAKS 5e-4 /* absorption of cloth that takes up water, m^2/s */

/* A floor of cloth of triangles of about `edge`, held at its border, or everywhere if it `soaks`,
 * and walls that stand on it. */
static PxStatus tank(double spacing, double edge, bool soaks, int threads, PxClothRoom *room)
{
    uint32_t cells = (uint32_t)lrint(2 * HALF / edge);
    PxWorldDef def = px_world_def_default();
    PxMaterialDef cloth = px_cloth_room_material(0.2), water = px_material_def_default();
    PxBodyDef pool = px_body_def_default();
    PxShapeDef sheet = px_cloth_room_sheet(2 * HALF, 2 * HALF, cells, cells);
    def.gravity = px_vec(0, -G, 0);
    def.spacing = spacing;
    def.threads = threads;
    cloth.cloth.weft = cloth.cloth.warp = STIFF;
    cloth.cloth.shear = 0.5 * STIFF; /* isotropic, with a Poisson's ratio of 0 */
    cloth.cloth.poisson = 0;
    cloth.cloth.thickness = 0.001;
    cloth.cloth.damping = 10;
    cloth.cloth.bend = 1e-6;
    if (soaks) {
        cloth.cloth.pores = 0.8;
        cloth.cloth.thickness = 0.01;
        cloth.cloth.absorption = SOAKS;
        cloth.cloth.diffusion = 0;
    }
    water.name = "water";
    water.viscosity = 1;
    PX_TRY(px_cloth_room_in(room, &def, &cloth, &sheet));
    if (soaks)
        PX_TRY(px_cloth_room_hold(room, "all", px_vec(0, 0, 0), px_vec(1, 0.1, 1)));
    static const char *const names[] = {"left", "right", "back", "front"};
    for (int k = 0; k < 4; ++k) {
        double side = k % 2 == 0 ? -HALF : HALF;
        PxVec3 at = k < 2 ? px_vec(side, 0, 0) : px_vec(0, 0, side);
        PxVec3 size = k < 2 ? px_vec(0.01, 0.1, 1) : px_vec(1, 0.1, 0.01);
        if (!soaks)
            PX_TRY(px_cloth_room_hold(room, names[k], at, size));
        PxBodyDef wall = px_body_def_default();
        wall.name = names[k];
        wall.wall = true;
        wall.shape = px_shape_def_default(PX_SHAPE_PLANE);
        wall.shape.normal = px_scale(at, -1 / HALF); /* to the inside */
        wall.shape.at = px_scale(at, 1.01);
        PX_TRY(px_world_add_body(room->world, &wall, NULL));
    }
    pool.name = "pool";
    pool.shape = px_shape_def_default(PX_SHAPE_BOX);
    pool.shape.size = px_vec(2 * HALF, DEPTH, 2 * HALF);
    pool.shape.at = px_vec(0, 0.5 * DEPTH + 0.001, 0);
    PX_TRY(px_world_add_material(room->world, &water, &pool.material));
    return px_world_add_body(room->world, &pool, NULL);
}

/* Sag of the floor in the middle, m. */
static double sag_of(const PxClothRoom *room)
{
    uint32_t count;
    const double *y = px_cloth_room_column(room, "position", &count)[1];
    double lowest = 0;
    for (uint32_t i = 0; i < count; ++i)
        lowest = fmin(lowest, y[i]);
    return -lowest;
}

/* Under a pressure p a square membrane sags by a (p a (1 - nu) / E)^(1/3) (0.8 + 0.062 nu) in the
 * middle (Vlassak and Nix 1992, without tension at the start). */
static PxStatus sagging(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    PxClothRoom room = {.world = NULL};
    PxStats stats = {0};
    PxStatus status = tank(coarser * 2 * HALF / c->cells, 2 * HALF / 16, false, threads, &room);
    if (status == PX_OK)
        status = px_world_advance(room.world, 1.5);
    if (status == PX_OK) {
        px_world_stats(room.world, &stats);
        /* the level sinks by the volume of the sag: the depth is that of the start on average */
        double p = 1000 * G * DEPTH + 0.2 * G;
        double formula = 0.8 * HALF * cbrt(p * HALF / STIFF);
        px_figures_compare(out, "sag / formula of a square membrane", sag_of(&room) / formula, 1,
                           0.1);
        px_figures_add(out, "particles that leaked", (double)stats.leaked, 0, (double)stats.leaked,
                       0);
    }
    double square = 0; /* single moments differ by a third from each other */
    for (int k = 1; k <= 10 && status == PX_OK; ++k) {
        status = px_world_advance(room.world, 1.5 + 0.05 * k);
        px_world_stats(room.world, &stats);
        square += 0.1 * 2 * stats.kinetic / stats.mass;
    }
    if (status == PX_OK)
        px_figures_add(out, "rms speed at rest, m/s", sqrt(square), 0, sqrt(square), 0.01);
    px_world_free(room.world);
    return status;
}

/* The depth that water has entered after t is sqrt(K t) (Lucas 1918, Washburn 1921). The model is
 * the edge of the triangles in spacings. */
static PxStatus soaking(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    PxClothRoom room = {.world = NULL};
    PxStats stats = {0};
    double spacing = coarser * 2 * HALF / c->cells, before = 0;
    PxStatus status = tank(spacing, atof(c->model) * spacing, true, threads, &room);
    if (status == PX_OK) {
        px_world_stats(room.world, &stats);
        before = stats.mass;
    }
    for (int k = 0; k < 2 && status == PX_OK; ++k) {
        double time = k == 0 ? 0.03 : 0.12;
        status = px_world_advance(room.world, time);
        px_world_stats(room.world, &stats);
        double depth = stats.cloth_water / (0.8 * 1000 * 4 * HALF * HALF);
        px_figures_compare(out,
                           k == 0 ? "depth after 0.03 s / formula" : "depth after 0.12 s / formula",
                           depth / sqrt(SOAKS * time), 1, 0.05);
    }
    double lost = fabs((stats.mass + stats.cloth_water) / before - 1);
    px_figures_add(out, "change of mass", lost, 0, lost, 1e-12);
    px_world_free(room.world);
    return status;
}

static const PxValidateCase cases[] = {
    {"pool on cloth", sagging, "dfsph", NULL, 16, true, true},
    {"soaking", soaking, "dfsph", "0.5 spacings", 16, false, false},
    {"soaking", soaking, "dfsph", "1 spacing", 16, false, false},
    {"soaking", soaking, "dfsph", "3 spacings", 16, false, false},
};

const PxValidateGroup px_validate_cloth_fluid = {
    .title = "Cloth and fluid",
    .about =
        "- **Pool on cloth**: the floor of a tank of 0.4 x 0.4 m is cloth of 40 kN/m, held at its "
        "border; 0.3 m of water make it sag. After 1.5 s the sag in the middle is compared with "
        "that of a square membrane under uniform pressure (Vlassak and Nix 1992).\n"
        "- **Soaking**: the same floor, held everywhere, takes up water. Depth after two times "
        "over "
        "that of Lucas (1918) and Washburn (1921), with triangles of 0.5, 1 and 3 spacings.\n",
    .cases = cases,
    .count = PX_COUNT(cases),
};
