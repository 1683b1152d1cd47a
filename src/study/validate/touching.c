/// Validation group: solids that touch each other, walls and rigid bodies.
#include "study/validate/validate.h"

#include "base/table.h"
#include "base/vec.h"
#include "phyxel/phyxel.h"
#include "study/sample_solid.h"

#include <math.h>
#include <stdlib.h>

#define G 9.81

/* ---- two balls ------------------------------------------------------------------ */

/* Balls of 0.1 m meet off centre at 2 m/s. */
static PxStatus two_balls(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    PxSolidRoom room;
    PxSolidRoomDef def = {.integration = c->solver,
                          .young = 1e6,
                          .poisson = 0.3,
                          .restitution = 1,
                          .friction = 0.5,
                          .spacing = coarser * 0.1 / c->cells,
                          .threads = threads};
    PxStatus status = px_solid_room(&room, &def);
    if (status == PX_OK)
        status = px_solid_room_ball(&room, 0.1, px_vec(-0.15, 0, 0), px_vec(1, 0, 0));
    if (status == PX_OK)
        status = px_solid_room_ball(&room, 0.1, px_vec(0.15, 0.03, 0), px_vec(-1, 0, 0));
    PxStats first = {0}, now = {0};
    double linear = 0, angular = 0, energy = 0;
    if (status == PX_OK)
        px_world_stats(room.world, &first);
    for (double t = 0.01; status == PX_OK && t < 0.205; t += 0.01) {
        status = px_world_advance(room.world, t);
        px_world_stats(room.world, &now);
        linear = fmax(linear, px_length(px_sub(now.momentum, first.momentum)) / first.mass);
        angular = fmax(angular, px_length(px_sub(now.angular_momentum, first.angular_momentum)) /
                                    (0.1 * first.mass));
        energy = fmax(energy, (now.kinetic + now.elastic) / first.kinetic - 1);
    }
    px_figures_add(out, "momentum / m v", linear, 0, linear, 1e-6);
    px_figures_add(out, "angular momentum / m v R", angular, 0, angular, 1e-6);
    px_figures_add(out, "energy gained", energy, 0, energy, 1e-3);
    px_world_free(room.world);
    return status;
}

/* ---- cradle ----------------------------------------------------------------------- */

/* Four balls in a row, a hundredth of a radius apart, and a fifth that strikes them at 0.5 m/s. */
static PxStatus cradle(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    PxSolidRoom room;
    PxSolidRoomDef def = {.integration = c->solver,
                          .young = 1e7,
                          .poisson = 0.3,
                          .restitution = 1,
                          .spacing = coarser * 0.1 / c->cells,
                          .threads = threads};
    PxStatus status = px_solid_room(&room, &def);
    double speed = 0.5, gap = 0.002;
    for (int k = 0; status == PX_OK && k < 5; ++k)
        status = px_solid_room_ball(&room, 0.1, px_vec(k * (0.2 + gap), 0, 0),
                                    px_vec(k == 0 ? speed : 0, 0, 0));
    PxVec3 last = {0, 0, 0}, first = {0, 0, 0};
    if (status == PX_OK)
        status = px_world_advance(room.world, 0.12);
    if (status == PX_OK) {
        px_solid_room_centre(&room, 4, &last);
        px_solid_room_centre(&room, 0, &first);
    }
    px_figures_add(out, "speed of the last ball / first", last.x / speed, 1,
                   fmax(0, 1 - last.x / speed), 0.05);
    px_figures_add(out, "speed left in the first", first.x / speed, 0, fabs(first.x / speed), 0.05);
    px_world_free(room.world);
    return status;
}

/* ---- stack --------------------------------------------------------------------------- */

/* Five cubes of 0.12 m on a floor, offset by a tenth of a spacing, for 10 s. */
static PxStatus stack(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    PxSolidRoom room;
    PxSolidRoomDef def = {.integration = c->solver,
                          .young = 1e6,
                          .poisson = 0.3,
                          .restitution = 0.5,
                          .friction = 0.7,
                          .damping = 10,
                          .gravity = G,
                          .spacing = coarser * 0.12 / c->cells,
                          .threads = threads};
    PxStatus status = px_solid_room(&room, &def);
    if (status == PX_OK)
        status = px_solid_room_floor(&room, px_vec(0, 1, 0), 0.7);
    for (int k = 0; status == PX_OK && k < 5; ++k)
        status = px_solid_room_box(&room, px_vec(0.12, 0.12, 0.12),
                                   px_vec(0.002 * (k % 2), 0.06 + 0.12 * k, 0.001 * (k % 3)));
    double low = INFINITY, high = 0, slid = 0;
    for (double t = 0.5; status == PX_OK && t < 10.01; t += 0.5) {
        status = px_world_advance(room.world, t);
        PxVec3 at = px_solid_room_centre(&room, 4, NULL);
        low = fmin(low, at.y);
        high = fmax(high, at.y);
        slid = hypot(at.x, at.z - 0.001);
    }
    /* of the weights above: sum of k rho g L^2 / E, without the Poisson's effect of the ends */
    double want = 0.06 + 0.12 * 4;
    double error = fmax(fabs(low - want), fabs(high - want)) / want;
    px_figures_add(out, "height of the top cube, m", low, want, error, 0.02);
    px_figures_add(out, "way of the top cube in 10 s, spacings", slid / def.spacing, 0,
                   slid / def.spacing, NAN);
    px_world_free(room.world);
    return status;
}

/* ---- Hertz -------------------------------------------------------------------------- */

/* A ball on a plane under its weight, by Hertz (1882): F = 4/3 E* sqrt(R) d^1.5, a = sqrt(R d) with
 * the approach d of points far from the contact. A ball has none that are far. The exact solution
 * for an elastic ball (Lur'e 1964, section 3.3: series of Legendre polynomials for its surface, and
 * for its weight; 600 terms and a pressure that flattens the contact) has the same radius of
 * contact within 0.6 per cent, but its centre of mass sinks by less: by 0.943, 0.914, 0.884 and
 * 0.857 d for contacts of 0.1, 0.15, 0.2 and 0.245 R (Poisson's ratio 0.3). */
static double sinks(double d, double r)
{
    return d * (1 - 0.58 * sqrt(d / r));
}

/* The approach at which the centre of mass has sunk by that much. */
static double approach_at(double sunk, double r)
{
    double d = sunk;
    for (int k = 0; k < 60; ++k)
        d += sunk - sinks(d, r);
    return d;
}

/* It begins without overlap: particles that begin nearer to a wall than half a spacing stay nearer.
 * Without restitution it rests after 0.1 s by the implicit integration; by leapfrog it still rises
 * after 0.6 s. */
static PxStatus hertz(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    double r = 0.1, young = 1e6, poisson = 0.3, stiff = young / (1 - poisson * poisson);
    double mass = 4.0 / 3 * M_PI * r * r * r * 1000, d = atof(c->model) / 100 * r;
    double force = 4.0 / 3 * stiff * sqrt(r) * d * sqrt(d);
    PxSolidRoom room;
    PxSolidRoomDef def = {.integration = c->solver,
                          .young = young,
                          .poisson = poisson,
                          .damping = 60,
                          .gravity = force / mass,
                          .spacing = coarser * r / c->cells,
                          .threads = threads,
                          .fitted = true};
    PxStatus status = px_solid_room(&room, &def);
    double radius = NAN;
    if (status == PX_OK)
        status = px_solid_room_floor(&room, px_vec(0, 1, 0), 0);
    if (status == PX_OK)
        status = px_solid_room_ball(&room, r, px_vec(0, r, 0), px_vec(0, 0, 0));
    if (status == PX_OK)
        status = px_world_advance(room.world, 0.2);
    if (status == PX_OK)
        status = px_solid_room_contact(&room, &radius);
    if (status == PX_OK) {
        double sunk = r - px_solid_room_centre(&room, 0, NULL).y;
        px_figures_compare(out, "contact radius / Hertz, of the force", radius / sqrt(r * d), 1,
                           0.1);
        double at = approach_at(sunk, r);
        px_figures_compare(out, "force / elastic ball's, of the depth",
                           force / (4.0 / 3 * stiff * sqrt(r) * at * sqrt(at)), 1, 0.1);
    }
    px_world_free(room.world);
    return status;
}

/* ---- slope --------------------------------------------------------------------------- */

/* Acceleration of a soft block along a slope between 0.5 and 1 s, m/s^2, and its way from 1 to
 * 1.2 s, m. */
static PxStatus slide(const PxValidateCase *c, double coarser, int threads, double angle,
                      double *acceleration, double *way)
{
    PxSolidRoom room;
    PxSolidRoomDef def = {.integration = c->solver,
                          .young = 1e6,
                          .poisson = 0.3,
                          .restitution = 1,
                          .friction = 0.5,
                          .damping = 30,
                          .gravity = G,
                          .turned = angle,
                          .spacing = coarser * 0.16 / c->cells,
                          .threads = threads};
    PxStatus status = px_solid_room(&room, &def);
    if (status == PX_OK)
        status = px_solid_room_floor(&room, px_vec(0, 1, 0), 0.5);
    if (status == PX_OK)
        status = px_solid_room_box(&room, px_vec(0.16, 0.08, 0.16), px_vec(0, 0.04, 0));
    PxVec3 place[3], speed[3];
    const double at[3] = {0.5, 1, 1.2};
    for (int k = 0; status == PX_OK && k < 3; ++k) {
        status = px_world_advance(room.world, at[k]);
        if (status == PX_OK)
            place[k] = px_solid_room_centre(&room, 0, &speed[k]);
    }
    if (status == PX_OK) {
        *acceleration = (px_length(speed[1]) - px_length(speed[0])) / 0.5;
        *way = px_length(px_sub(place[2], place[1]));
    }
    px_world_free(room.world);
    return status;
}

/* The block sticks a hundredth below the angle of friction and slips a hundredth above it; from its
 * acceleration g (sin a - mu cos a) there follows mu. */
static PxStatus slope(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    double limit = atan(0.5), way, acceleration, a = 1.01 * limit;
    PX_TRY(slide(c, coarser, threads, a, &acceleration, &way));
    double mu = tan(a) - acceleration / (G * cos(a));
    px_figures_compare(out, "angle of friction by how it slips at 1.01 of it, degrees",
                       atan(mu) * 180 / M_PI, limit * 180 / M_PI, 0.01);
    PX_TRY(slide(c, coarser, threads, 0.99 * limit, &acceleration, &way));
    px_figures_add(out, "way in 0.2 s at 0.99 of it, m", way, 0, way, 1e-5);
    return PX_OK;
}

/* Speed of a soft block on a soft slab that lies on a slope, from 0.7 to 0.9 s, m/s. */
static PxStatus slide_on_slab(const PxValidateCase *c, double coarser, int threads, double angle,
                              double *speed)
{
    PxSolidRoom room;
    PxSolidRoomDef def = {.integration = c->solver,
                          .young = 1e6,
                          .poisson = 0.3,
                          .restitution = 1,
                          .friction = 0.3,
                          .damping = 10,
                          .gravity = G,
                          .turned = angle,
                          .spacing = coarser * 0.16 / c->cells,
                          .threads = threads};
    PxStatus status = px_solid_room(&room, &def);
    if (status == PX_OK)
        status = px_solid_room_floor(&room, px_vec(0, 1, 0), 1);
    if (status == PX_OK)
        status = px_solid_room_box(&room, px_vec(0.4, 0.06, 0.3), px_vec(0, 0.03, 0));
    if (status == PX_OK)
        status = px_solid_room_box(&room, px_vec(0.16, 0.08, 0.16), px_vec(0, 0.1, 0));
    double from = 0;
    if (status == PX_OK)
        status = px_world_advance(room.world, 0.7);
    if (status == PX_OK)
        from = px_solid_room_centre(&room, 1, NULL).x;
    if (status == PX_OK)
        status = px_world_advance(room.world, 0.9);
    if (status == PX_OK)
        *speed = fabs(px_solid_room_centre(&room, 1, NULL).x - from) / 0.2;
    px_world_free(room.world);
    return status;
}

static PxStatus slab(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    double speed;
    PX_TRY(slide_on_slab(c, coarser, threads, 0.99 * atan(0.3), &speed));
    px_figures_add(out, "speed at 0.99 of the angle of friction, m/s", speed, 0, speed, 1e-4);
    return PX_OK;
}

/* ---- rigid bodies --------------------------------------------------------------------- */

/* A soft ball of 0.1 m meets a free block of 2000 kg/m^3 at 1 m/s: speed at which they part. */
static PxStatus strike(const PxValidateCase *c, double coarser, int threads, double restitution,
                       double *speed)
{
    PxSolidRoom room;
    PxBodyId block;
    PxRigidState state;
    PxVec3 v = {0, 0, 0};
    PxSolidRoomDef def = {.integration = c->solver,
                          .young = 1e6,
                          .poisson = 0.3,
                          .restitution = restitution,
                          .spacing = coarser * 0.1 / c->cells,
                          .threads = threads};
    PxStatus status = px_solid_room(&room, &def);
    if (status == PX_OK)
        status =
            px_solid_room_rigid(&room, px_vec(0.4, 0.2, 0.4), px_vec(0, -0.1, 0), 0, false, &block);
    if (status == PX_OK)
        status = px_solid_room_ball(&room, 0.1, px_vec(0, 0.105, 0), px_vec(0, -1, 0));
    if (status == PX_OK)
        status = px_world_advance(room.world, 0.22);
    if (status == PX_OK)
        status = px_world_rigid_state(room.world, block, &state);
    if (status == PX_OK) {
        px_solid_room_centre(&room, 0, &v);
        *speed = v.y - state.velocity.y;
    }
    px_world_free(room.world);
    return status;
}

static PxStatus rebound(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    double elastic, half;
    PX_TRY(strike(c, coarser, threads, 1, &elastic));
    PX_TRY(strike(c, coarser, threads, 0.5, &half));
    px_figures_compare(out, "restitution over that of the elastic bounce", half / elastic, 0.5,
                       0.05);
    return PX_OK;
}

/* A soft block on a rigid slab that lies on a slope: its acceleration relative to the slab from 0.5
 * to 1 s, and its speed then. */
static PxStatus slide_on_rigid(const PxValidateCase *c, double coarser, int threads, double angle,
                               bool held, double *acceleration, double *speed)
{
    PxSolidRoom room;
    PxBodyId slab;
    PxVec3 v[2];
    PxSolidRoomDef def = {.integration = c->solver,
                          .young = 1e6,
                          .poisson = 0.3,
                          .restitution = 1,
                          .friction = 0.5,
                          .damping = 30,
                          .gravity = G,
                          .turned = angle,
                          .spacing = coarser * 0.16 / c->cells,
                          .threads = threads};
    PxStatus status = px_solid_room(&room, &def);
    if (status == PX_OK)
        status = px_solid_room_floor(&room, px_vec(0, 1, 0), 1);
    if (status == PX_OK)
        status =
            px_solid_room_rigid(&room, px_vec(1, 0.1, 0.4), px_vec(0, 0.05, 0), 0.5, held, &slab);
    if (status == PX_OK)
        status = px_solid_room_box(&room, px_vec(0.16, 0.08, 0.16), px_vec(0, 0.14, 0));
    for (int k = 0; status == PX_OK && k < 2; ++k) {
        PxRigidState state;
        status = px_world_advance(room.world, 0.5 + 0.5 * k);
        if (status == PX_OK)
            status = px_world_rigid_state(room.world, slab, &state);
        if (status != PX_OK)
            break;
        px_solid_room_centre(&room, 0, &v[k]);
        v[k] = px_sub(v[k], state.velocity);
    }
    if (status == PX_OK) {
        *acceleration = (v[0].x - v[1].x) / 0.5;
        *speed = fabs(v[1].x);
    }
    px_world_free(room.world);
    return status;
}

static PxStatus rigid_slab(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    bool held = c->model[0] == 'h';
    double limit = atan(0.5), a = 1.01 * limit, acceleration, speed;
    PX_TRY(slide_on_rigid(c, coarser, threads, a, held, &acceleration, &speed));
    px_figures_compare(out, "angle of friction by how it slips at 1.01 of it, degrees",
                       atan(tan(a) - acceleration / (G * cos(a))) * 180 / M_PI, limit * 180 / M_PI,
                       0.01);
    PX_TRY(slide_on_rigid(c, coarser, threads, 0.99 * limit, held, &acceleration, &speed));
    px_figures_add(out, "speed at 0.99 of it, m/s", speed, 0, speed, 1e-3);
    return PX_OK;
}

static const PxValidateCase cases[] = {
    {"two soft balls", two_balls, "leapfrog", NULL, 5, true, false},
    {"two soft balls", two_balls, "implicit", NULL, 5, true, false},
    {"cradle", cradle, "leapfrog", NULL, 5, true, false},
    {"stack of five soft cubes", stack, "leapfrog", NULL, 6, false, false},
    {"Hertz contact", hertz, "implicit", "3 %", 20, false, true},
    {"Hertz contact", hertz, "implicit", "6 %", 20, false, true},
    {"soft block on a slope", slope, "leapfrog", NULL, 8, true, false},
    {"soft block on a soft slab", slab, "leapfrog", NULL, 8, true, false},
    {"soft block on a soft slab", slab, "implicit", NULL, 8, true, false},
    {"soft block on a rigid slab", rigid_slab, "leapfrog", "held", 8, true, false},
    {"soft block on a rigid slab", rigid_slab, "leapfrog", "free", 8, true, false},
    {"soft ball on a rigid block", rebound, "leapfrog", NULL, 5, true, false},
};

const PxValidateGroup px_validate_touching = {
    .title = "Solids that touch",
    .about =
        "- **two soft balls** of 1 MPa and 0.1 m meet off centre at 2 m/s; cells along the radius\n"
        "- **cradle**: a ball of 10 MPa strikes four others, a hundredth of a radius apart, at 0.5 "
        "m/s\n"
        "- **stack of five soft cubes** of 0.12 m and 1 MPa, offset by a tenth of a spacing, "
        "stands for 10 s\n"
        "- **Hertz contact**: a ball of 1 MPa on a plane, so heavy that Hertz (1882) has it "
        "pressed in by 3 or 6 % of its radius; the depth is that of its centre of mass, compared "
        "with the exact solution for an elastic ball (Lur'e 1964); cells along the radius\n"
        "- **soft block on a slope**: 0.16 x 0.08 x 0.16 m, coefficient of friction 0.5\n"
        "- **soft block on a soft slab** of 1 MPa on a slope, coefficient of friction 0.3\n"
        "- **soft block on a rigid slab** that lies on a slope, held or free; coefficient of "
        "friction 0.5\n"
        "- **soft ball on a rigid block** that is free, at 1 m/s with a restitution of 0.5\n",
    .falls_short =
        "At 6 % strains at the Hertz contact reach 0.2, beyond the linear theory of the reference. "
        "At 1.5 % the radius of the contact is 2.4 cells and the force 20 % too high (15 % at 28 "
        "cells).\n",
    .cases = cases,
    .count = PX_COUNT(cases),
};
