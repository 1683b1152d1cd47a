/// Validation group: waves, energy and momentum of cloth.
#include "study/validate/validate.h"

#include "base/vec.h"
#include "phyxel/phyxel.h"
#include "study/cloth_room.h"
#include "world/cloth_stage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define E 500.0   /* N/m */
#define MASS 0.2  /* kg/m^2 */
#define PULL 0.05 /* strain of the strip whose string waves are timed */

/* ---- waves --------------------------------------------------------------------------------- */

/* Time at which the momentum along an axis changes its sign, linear within a step; 0 if it does not
 * until `most`. */
static PxStatus first_zero(PxWorld *world, int axis, double most, double *out)
{
    PxStats stats;
    double before = 0, at = 0;
    *out = 0;
    for (;;) {
        px_world_stats(world, &stats);
        double p = axis == 0 ? stats.cloth_momentum.x : stats.cloth_momentum.y;
        if (at > 0 && p <= 0) {
            *out = stats.time - (stats.time - at) * p / (p - before);
            return PX_OK;
        }
        if (stats.time > most)
            return PX_OK;
        before = p;
        at = stats.time;
        PX_TRY(px_world_step(world, 1e9));
    }
}

/* The first mode of a strip of 1 m that is held at both ends, from velocities v sin(pi X): its
 * momentum is 0 after a quarter of the period, 1 / (2 c). Along the strip c^2 = E / m. Across it,
 * stretched by the factor 1 + s, c^2 = E s / (m (1 + s)) in the coordinates of the rest shape. */
static PxStatus wave(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    PxClothRoom room;
    bool across = strcmp(c->model, "across") == 0;
    double cells = c->cells / coarser, stretch = across ? 1 + PULL : 1;
    double speed = across ? sqrt(E * PULL / (MASS * stretch)) : sqrt(E / MASS), quarter = 0;
    PxMaterialDef m = px_cloth_room_material(MASS);
    m.cloth.weft = m.cloth.warp = E;
    m.cloth.shear = 200;
    m.cloth.poisson = 0;
    m.cloth.bend = 0;
    m.cloth.stiff_damping = 0;
    m.cloth.limit = 1;
    m.cloth.step = 1 / (2 * speed) / 200;
    PxShapeDef shape = px_cloth_room_sheet(1, 3 / cells, cells, 3);
    PxStatus status = px_cloth_room(&room, px_vec(0, 0, 0), &m, &shape, threads);
    if (status == PX_OK) {
        uint32_t count;
        double *const *x = px_cloth_room_column(&room, "position", &count);
        double *const *v = px_cloth_room_column(&room, "velocity", &count);
        for (uint32_t k = 0; k < count; ++k) {
            v[across ? 1 : 0][k] = 0.01 * speed * cos(M_PI * x[0][k]);
            x[0][k] *= stretch;
        }
    }
    for (int k = -1; k <= 1 && status == PX_OK; k += 2)
        status = px_cloth_room_hold(&room, k < 0 ? "left" : "right",
                                    px_vec(0.5 * stretch * k, 0, 0), px_vec(0.1 / cells, 1, 1));
    if (status == PX_OK)
        status = first_zero(room.world, across, 2 / speed, &quarter);
    px_world_free(room.world);
    px_figures_compare(out, across ? "speed across, m/s" : "speed along, m/s", 1 / (2 * quarter),
                       speed, 0.02);
    return status;
}

/* ---- energy and momentum ------------------------------------------------------------------- */

static double energy_of(PxWorld *world)
{
    PxStats stats;
    px_world_stats(world, &stats);
    return stats.cloth_kinetic + stats.cloth_potential + stats.cloth_elastic;
}

/* Angular momentum about the centre of mass, kg m^2/s. */
static PxStatus turning(const PxClothRoom *room, PxVec3 *out)
{
    uint32_t count;
    PxStats stats; /* of which the world is made complete */
    px_world_stats(room->world, &stats);
    px_cloth_room_column(room, "position", &count);
    PxVec3 *x = calloc(count, sizeof *x), *v = calloc(count, sizeof *v);
    double *m = calloc(count, sizeof *m), mass = 0;
    uint8_t *held = calloc(count, 1);
    PxVec3 middle = px_vec(0, 0, 0), mean = middle;
    PxStatus status = x != NULL && v != NULL && m != NULL && held != NULL
                          ? px_cloth_vertices(room->world, x, v, m, held)
                          : px_fail(PX_ERR_MEMORY, "no room for %u vertices", count);
    for (uint32_t k = 0; k < count && status == PX_OK; ++k) {
        mass += m[k];
        middle = px_mad(middle, x[k], m[k]);
        mean = px_mad(mean, v[k], m[k]);
    }
    *out = px_vec(0, 0, 0);
    for (uint32_t k = 0; k < count && status == PX_OK; ++k)
        *out = px_mad(
            *out, px_cross(px_mad(x[k], middle, -1 / mass), px_mad(v[k], mean, -1 / mass)), m[k]);
    free(x);
    free(v);
    free(m);
    free(held);
    return status;
}

static PxClothIntegration integration_of(const PxValidateCase *c)
{
    return strcmp(c->model, "bdf2") == 0 ? PX_CLOTH_BDF2 : PX_CLOTH_EULER;
}

/* A sheet that is thrown, crumpled by waves of velocity, in gravity, for a second. */
static PxStatus flight(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    PxClothRoom room;
    const PxVec3 g = px_vec(0, -9.81, 0), thrown = px_vec(1, 3, 0.5);
    double cells = c->cells / coarser, most = 0, first = 0;
    PxStats stats = {0}, start = {0};
    PxMaterialDef m = px_cloth_room_material(MASS);
    m.cloth.stiff_damping = 0;
    m.cloth.integration = integration_of(c);
    PxShapeDef shape = px_cloth_room_sheet(1, 1, cells, cells);
    PxStatus status = px_cloth_room(&room, g, &m, &shape, threads);
    if (status == PX_OK) {
        uint32_t count;
        double *const *x = px_cloth_room_column(&room, "position", &count);
        double *const *v = px_cloth_room_column(&room, "velocity", &count);
        for (uint32_t k = 0; k < count; ++k) {
            v[0][k] = thrown.x + 0.5 * sin(9 * x[2][k]);
            v[1][k] = thrown.y + 2 * sin(5 * x[0][k]) * cos(7 * x[2][k]);
            v[2][k] = thrown.z - 0.5 * sin(8 * x[0][k]);
        }
        px_world_stats(room.world, &start);
        most = first = energy_of(room.world);
    }
    PxVec3 before = px_vec(0, 0, 0), after = before;
    if (status == PX_OK)
        status = turning(&room, &before);
    while (status == PX_OK && stats.time < 1) {
        status = px_world_step(room.world, 1);
        px_world_stats(room.world, &stats);
        most = fmax(most, energy_of(room.world));
    }
    if (status == PX_OK)
        status = turning(&room, &after);
    if (status == PX_OK) {
        double mass = MASS;
        PxVec3 wanted = px_mad(start.cloth_momentum, g, mass * stats.time);
        double left = px_length(px_sub(stats.cloth_momentum, wanted));
        px_figures_add(out, "growth of energy / kinetic", (most - first) / start.cloth_kinetic, 0,
                       fmax(0, most - first) / start.cloth_kinetic, 1e-4);
        px_figures_add(out, "momentum lost / momentum", left / px_length(start.cloth_momentum), 0,
                       left / px_length(start.cloth_momentum), 1e-4);
        double lost = px_length(px_sub(after, before)) / px_length(before);
        px_figures_add(out, "angular momentum lost / angular momentum", lost, 0, lost, 1e-4);
    }
    px_world_free(room.world);
    return status;
}

/* A sheet that spins in its plane without gravity, for one turn. */
static PxStatus spin(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    PxClothRoom room;
    double cells = c->cells / coarser;
    PxMaterialDef m = px_cloth_room_material(MASS);
    PxShapeDef shape = px_cloth_room_sheet(1, 1, cells, cells);
    PxStatus status = px_cloth_room(&room, px_vec(0, 0, 0), &m, &shape, threads);
    PxVec3 before = px_vec(0, 0, 0), after;
    if (status == PX_OK) {
        uint32_t count;
        double *const *x = px_cloth_room_column(&room, "position", &count);
        double *const *v = px_cloth_room_column(&room, "velocity", &count);
        for (uint32_t k = 0; k < count; ++k) {
            v[0][k] = 2 * M_PI * x[2][k];
            v[2][k] = -2 * M_PI * x[0][k];
        }
        status = turning(&room, &before);
    }
    if (status == PX_OK)
        status = px_world_advance(room.world, 1);
    if (status == PX_OK)
        status = turning(&room, &after);
    if (status == PX_OK)
        px_figures_compare(out, "angular momentum after a turn / before", after.y / before.y, 1,
                           1e-4);
    px_world_free(room.world);
    return status;
}

/* A strip of 1 m is let go at 30 degrees from hanging straight, for 4 s. */
static PxStatus swing(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    PxClothRoom room;
    double cells = c->cells / coarser, most = 0, first = 0, width = 2 / cells;
    double whole = MASS * width * 9.81 * 0.5 * (1 - cos(M_PI / 6));
    PxStats stats = {0};
    PxMaterialDef m = px_cloth_room_material(MASS);
    m.cloth.stiff_damping = 0;
    m.cloth.bend = 1e-3;
    m.cloth.integration = integration_of(c);
    PxShapeDef shape = px_cloth_room_sheet(1, width, cells, 2);
    shape.rotation = px_quat_turn(px_vec(0, 0, 1), -M_PI / 3);
    shape.at = px_rotate(shape.rotation, px_vec(0.5, 0, 0));
    PxStatus status = px_cloth_room(&room, px_vec(0, -9.81, 0), &m, &shape, threads);
    if (status == PX_OK)
        status =
            px_cloth_room_hold(&room, "end", px_vec(0, 0, 0), px_vec(0.1 / cells, 0.1 / cells, 1));
    if (status == PX_OK)
        most = first = energy_of(room.world);
    while (status == PX_OK && stats.time < 4) {
        status = px_world_step(room.world, 4);
        px_world_stats(room.world, &stats);
        most = fmax(most, energy_of(room.world));
    }
    if (status == PX_OK) {
        bool bdf2 = integration_of(c) == PX_CLOTH_BDF2;
        px_figures_add(out, "growth of energy / energy", (most - first) / whole, 0,
                       (most - first) / whole, 1e-4);
        double left = 1 + (energy_of(room.world) - first) / whole;
        px_figures_add(out, "energy after 4 s / before", left, 1, 1 - left, bdf2 ? 0.1 : NAN);
    }
    px_world_free(room.world);
    return status;
}

/* A sheet falls on a ball with friction: nothing adds energy. */
static PxStatus drape(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    PxClothRoom room;
    double cells = c->cells / coarser, before = 0, grown = 0, first = 0;
    PxStats stats = {0};
    PxMaterialDef m = px_cloth_room_material(MASS);
    m.friction = 0.4;
    m.cloth.integration = integration_of(c);
    PxShapeDef shape = px_cloth_room_sheet(1, 1, cells, cells);
    PxShapeDef ball = px_shape_def_default(PX_SHAPE_SPHERE);
    shape.at = px_vec(0, 0.3, 0);
    ball.radius = 0.25;
    PxStatus status = px_cloth_room(&room, px_vec(0, -9.81, 0), &m, &shape, threads);
    if (status == PX_OK)
        status = px_cloth_room_wall(&room, &ball, 0.4);
    if (status == PX_OK)
        before = first = energy_of(room.world);
    while (status == PX_OK && stats.time < 1) {
        status = px_world_step(room.world, 1);
        px_world_stats(room.world, &stats);
        double now = energy_of(room.world);
        grown += fmax(0, now - before);
        before = now;
    }
    if (status == PX_OK) {
        px_figures_add(out, "sum of all growth / energy lost", grown / (first - before), 0,
                       grown / (first - before), 1e-2);
        px_figures_add(out, "vertices that crossed", (double)stats.cloth_crossed, 0,
                       (double)stats.cloth_crossed, 0);
    }
    px_world_free(room.world);
    return status;
}

static const PxValidateCase cases[] = {
    {"wave in a strip", wave, "-", "along", 20, true, false},
    {"wave in a strip", wave, "-", "along", 40, true, false},
    {"wave in a strip", wave, "-", "across", 20, true, false},
    {"wave in a strip", wave, "-", "across", 40, true, false},
    {"sheet in flight", flight, "-", "euler", 16, true, false},
    {"sheet in flight", flight, "-", "bdf2", 16, true, false},
    {"sheet that spins", spin, "-", NULL, 8, true, false},
    {"strip that swings", swing, "-", "euler", 20, true, false},
    {"strip that swings", swing, "-", "bdf2", 20, true, false},
    {"energy of a drape", drape, "-", "euler", 20, true, false},
    {"energy of a drape", drape, "-", "bdf2", 20, true, false},
};

const PxValidateGroup px_validate_cloth_motion = {
    .title = "Cloth in motion",
    .about =
        "- **Cloth in motion**; \"spacings\" are cells of the sheet along its length.\n"
        "  *Wave*: the first mode of a strip of 1 m held at both ends, E = 500 N/m, 0.2 kg/m^2, "
        "along it (c^2 = E / m) and across it when stretched by 5 %, in 200 steps.\n"
        "  *In flight*: 1 m^2 thrown with waves of velocity of 2 m/s, in gravity, for a second, "
        "without damping. *That spins*: one turn a second in its plane, for a turn.\n"
        "  *That swings*: a strip of 1 m is let go at 30 degrees from hanging straight, in steps "
        "of 4 ms without damping; its energy above that of hanging straight.\n"
        "  *Energy of a drape*: 1 m^2 falls on a ball of 0.25 m with friction 0.4, for a second; "
        "the sum of all steps in which kinetic, potential and elastic energy together grew.\n",
    .cases = cases,
    .count = PX_COUNT(cases),
};
