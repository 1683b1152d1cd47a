/// Validation group: rigid bodies, alone and in water.
#include "study/validate/validate.h"

#include "base/vec.h"
#include "study/rigid_room.h"

#include <math.h>

#define G 9.81

/* Way of a block on a slope between 0.5 and 2 s, m. */
static PxStatus slide(double angle, double friction, double *way)
{
    PxRigidRoom room;
    PxBodyId id;
    PxRigidState from = {.mass = 0}, to = from;
    PxVec3 normal = px_vec(sin(angle), cos(angle), 0);
    PxStatus status = px_rigid_room(&room, 0.05, px_vec(0, -G, 0), 1000, 0.01, 1);
    PxBodyDef def = px_rigid_room_def(&room, "block", PX_SHAPE_BOX, px_scale(normal, 0.1));
    def.shape.size = px_vec(0.4, 0.2, 0.4);
    def.shape.rotation = px_quat_turn(px_vec(0, 0, -1), angle);
    def.friction = friction;
    if (status == PX_OK)
        status = px_rigid_room_plane(&room, normal, friction);
    if (status == PX_OK)
        status = px_world_add_body(room.world, &def, &id);
    if (status == PX_OK)
        status = px_world_advance(room.world, 0.5);
    if (status == PX_OK)
        status = px_world_rigid_state(room.world, id, &from);
    if (status == PX_OK)
        status = px_world_advance(room.world, 2);
    if (status == PX_OK)
        status = px_world_rigid_state(room.world, id, &to);
    *way = px_length(px_sub(to.place, from.place));
    px_world_free(room.world);
    return status;
}

/* The angle at which the block begins to slip, by bisection. */
static PxStatus slope(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    (void)c;
    (void)coarser;
    (void)threads;
    double low = 0.9 * atan(0.5), high = 1.1 * atan(0.5), way;
    for (int k = 0; k < 10; ++k) {
        double middle = 0.5 * (low + high);
        PX_TRY(slide(middle, 0.5, &way));
        if (way > 1e-3)
            high = middle;
        else
            low = middle;
    }
    px_figures_compare(out, "angle of friction, degrees", 0.5 * (low + high) * 180 / M_PI,
                       atan(0.5) * 180 / M_PI, 0.01);
    double a = M_PI / 4, g = G * (sin(a) - 0.5 * cos(a));
    PX_TRY(slide(a, 0.5, &way));
    px_figures_compare(out, "way at 45 degrees, m", way, 0.5 * g * (4 - 0.25), 0.01);
    return PX_OK;
}

static PxStatus roll_one(PxShapeKind kind, double *speed)
{
    PxRigidRoom room;
    PxBodyId id;
    PxRigidState s = {.mass = 0};
    double a = 20 * M_PI / 180;
    PxVec3 normal = px_vec(sin(a), cos(a), 0);
    PxStatus status = px_rigid_room(&room, 0.05, px_vec(0, -G, 0), 1000, 0.01, 1);
    PxBodyDef def = px_rigid_room_def(&room, "roller", kind, px_scale(normal, 0.1));
    def.shape.radius = 0.1;
    def.shape.height = 0.3;
    def.friction = 1;
    if (kind == PX_SHAPE_CYLINDER)
        def.shape.rotation = px_quat_turn(px_vec(1, 0, 0), M_PI / 2);
    if (status == PX_OK)
        status = px_rigid_room_plane(&room, normal, 1);
    if (status == PX_OK)
        status = px_world_add_body(room.world, &def, &id);
    if (status == PX_OK)
        status = px_world_advance(room.world, 1);
    if (status == PX_OK)
        status = px_world_rigid_state(room.world, id, &s);
    *speed = px_length(s.velocity) / (G * sin(a));
    px_world_free(room.world);
    return status;
}

static PxStatus rolling(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    (void)c;
    (void)coarser;
    (void)threads;
    double ball, roller;
    PX_TRY(roll_one(PX_SHAPE_SPHERE, &ball));
    PX_TRY(roll_one(PX_SHAPE_CYLINDER, &roller));
    px_figures_compare(out, "ball: acceleration / g sin a", ball, 5.0 / 7, 0.01);
    px_figures_compare(out, "cylinder: acceleration / g sin a", roller, 2.0 / 3, 0.01);
    return PX_OK;
}

static double energy_of(const PxRigidState *s)
{
    return 0.5 * px_dot(s->spin, s->angular_momentum) +
           0.5 * s->mass * px_dot(s->velocity, s->velocity);
}

/* A box that turns about its middle axis turns over again and again. */
static PxStatus racket(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    (void)c;
    (void)coarser;
    (void)threads;
    PxRigidRoom room;
    PxBodyId id;
    PxRigidState s = {.mass = 0}, start = s;
    double energy = 0, momentum = 0, flips = 0, side = 1;
    PxStatus status = px_rigid_room(&room, 0.05, px_vec(0, 0, 0), 1000, 0.01, 1);
    PxBodyDef def = px_rigid_room_def(&room, "racket", PX_SHAPE_BOX, px_vec(0, 0, 0));
    def.shape.size = px_vec(0.05, 0.7, 0.3);
    def.spin = px_vec(0.001, 0, 10); /* the middle moment is about z */
    if (status == PX_OK)
        status = px_world_add_body(room.world, &def, &id);
    if (status == PX_OK)
        status = px_world_rigid_state(room.world, id, &start);
    for (int k = 1; k <= 1000 && status == PX_OK; ++k) {
        status = px_world_advance(room.world, 0.01 * k);
        if (status == PX_OK)
            status = px_world_rigid_state(room.world, id, &s);
        energy = fmax(energy, fabs(energy_of(&s) / energy_of(&start) - 1));
        PxVec3 lost = px_sub(s.angular_momentum, start.angular_momentum);
        momentum = fmax(momentum, px_length(lost) / px_length(start.angular_momentum));
        double now = px_rotate(s.pose.turn, px_vec(0, 0, 1)).z;
        flips += now * side < -0.9;
        side = now * side < -0.9 ? -side : side;
    }
    px_world_free(room.world);
    PX_TRY(status);
    px_figures_add(out, "energy lost in 10 s", energy, 0, energy, 1e-5);
    px_figures_add(out, "angular momentum lost", momentum, 0, momentum, 1e-5);
    px_figures_add(out, "times that it turned over", flips, 1, flips > 0 ? 0 : 1, 0);
    return PX_OK;
}

static PxStatus balls(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    (void)c;
    (void)coarser;
    (void)threads;
    PxRigidRoom room;
    PxBodyId id[2];
    PxRigidState s[2] = {{.mass = 0}, {.mass = 0}};
    PxStatus status = px_rigid_room(&room, 0.05, px_vec(0, 0, 0), 1000, 0.01, 1);
    PxBodyDef def = px_rigid_room_def(&room, "first", PX_SHAPE_SPHERE, px_vec(-1, 0, 0));
    def.restitution = 0.7;
    def.velocity = px_vec(3, 0, 0);
    if (status == PX_OK)
        status = px_world_add_body(room.world, &def, &id[0]);
    def.name = "second";
    def.shape.at = px_vec(1, 0.2, 0);
    def.velocity = px_vec(-1, 0, 0);
    if (status == PX_OK)
        status = px_world_add_body(room.world, &def, &id[1]);
    if (status == PX_OK)
        status = px_world_advance(room.world, 1);
    for (int k = 0; k < 2 && status == PX_OK; ++k)
        status = px_world_rigid_state(room.world, id[k], &s[k]);
    px_world_free(room.world);
    PX_TRY(status);
    PxVec3 sum = px_add(s[0].velocity, s[1].velocity);
    double lost = px_length(px_sub(sum, px_vec(2, 0, 0))) / 4;
    /* at the contact the centres are 0.2 m apart across the way, so that the normal is known */
    PxVec3 n = px_vec(-sqrt(1 - 0.04), -0.2, 0);
    double apart = px_dot(px_sub(s[0].velocity, s[1].velocity), n) / (4 * sqrt(1 - 0.04));
    px_figures_add(out, "momentum lost / m v", lost, 0, lost, 1e-6);
    px_figures_compare(out, "restitution", apart, 0.7, 0.01);
    return PX_OK;
}

/* Submerged volume of a sphere of radius r whose lowest point is d below the surface, over all. */
static double cap(double d, double r)
{
    d = fmin(fmax(d, 0), 2 * r);
    return d * d * (3 * r - d) / (4 * r * r * r);
}

/* A body 0.2 m wide floats in a tank of 0.5 x 0.5 m: the submerged part of its volume. */
static PxStatus floating(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    PxRigidRoom room;
    PxBodyId id;
    PxRigidState s = {.mass = 0};
    double density = c->model[0] == 'b' ? 800 : 500, spacing = coarser * 0.2 / c->cells, mean = 0;
    bool box = c->model[0] == 'b';
    PxStatus status = px_rigid_room(&room, spacing, px_vec(0, -G, 0), density, 0.01, threads);
    PxBodyDef def = px_rigid_room_def(&room, "float", box ? PX_SHAPE_BOX : PX_SHAPE_SPHERE,
                                      px_vec(0, 0.3 + (box ? 0.075 : 0.1) + spacing, 0));
    def.shape.size = px_vec(0.2, 0.15, 0.2);
    def.shape.radius = 0.1;
    if (status == PX_OK)
        status = px_rigid_room_tank(&room, px_vec(0.5, 0.8, 0.5), 0.3);
    if (status == PX_OK)
        status = px_world_add_body(room.world, &def, &id);
    if (status == PX_OK)
        status = px_world_advance(room.world, 2.5);
    for (int k = 1; k <= 50 && status == PX_OK; ++k) {
        status = px_world_advance(room.world, 2.5 + 0.02 * k);
        if (status == PX_OK)
            status = px_world_rigid_state(room.world, id, &s);
        mean += s.place.y / 50;
    }
    px_world_free(room.world);
    PX_TRY(status);
    double level = 0.3 + s.mass / 1000 / 0.25, depth = level - mean + (box ? 0.075 : 0.1);
    px_figures_compare(out, "part below the surface", box ? depth / 0.15 : cap(depth, 0.1),
                       density / 1000, 0.01);
    return PX_OK;
}

static const PxValidateCase cases[] = {
    {"block on a slope", slope, "-", NULL, 1, true, false},
    {"rolling", rolling, "-", NULL, 1, true, false},
    {"free rotation", racket, "-", NULL, 1, true, false},
    {"two balls", balls, "-", NULL, 1, true, false},
    {"floating", floating, "dfsph", "box", 12, false, true},
    {"floating", floating, "dfsph", "sphere", 12, false, true},
};

const PxValidateGroup px_validate_rigid = {
    .title = "Rigid bodies",
    .about =
        "- **block on a slope**: a box of 0.4 x 0.2 x 0.4 m, coefficient of friction 0.5; it slips "
        "above atan 0.5, and at 45 degrees slides at g (sin a - 0.5 cos a)\n"
        "- **rolling**: a ball and a cylinder roll down 20 degrees for 1 s without slip: 5/7 and "
        "2/3 of g sin a\n"
        "- **free rotation**: a box turns about its middle axis at 10 rad/s and turns over "
        "(tennis racket)\n"
        "- **two balls**: they meet off centre at 4 m/s with a restitution of 0.7\n"
        "- **floating**: a box 0.2 x 0.15 x 0.2 m of 800 kg/m^3 and a sphere of 0.2 m of 500 "
        "kg/m^3, dropped on water; mean from 2.5 to 3.5 s; cells along 0.2 m\n",
    .falls_short =
        "The surface of a fluid is known to a part of the spacing, and the draught of floating "
        "bodies with it: 1 % of a body 12 spacings wide is 0.1 spacings.\n",
    .cases = cases,
    .count = PX_COUNT(cases),
};
