/// Joints as rows of constraints.
#include "rigid/solver_parts.h"

/* Stiffness of joints: frequency times the length of a sub-step, and damping ratio. */
#define JOINT_FREQUENCY 0.25
#define JOINT_DAMPING 2.0

/* An impulse is scaled to a longer sub-step, as that of a force, by at most this factor: that of a
 * sub-step which a hit cut to a millionth is the impulse of the hit. */
#define MOST_GROWTH 4.0

/* A joint within a pass: the places of its ends and the levers to them. */
typedef struct Ends {
    PxSolverRun *run;
    PxRigidJoint *joint;
    PxSolverBody *a, *b;  /* b NULL: the world */
    PxVec3 ra, rb, apart; /* apart: from b's end to a's */
    PxJointPass pass;
    double h;
    PxSoft soft;
} Ends;

/* One row: along, or with `turns` about, the direction d. */
typedef struct Row {
    int number;
    bool turns;
    PxVec3 d;
    double error;     /* m or rad, to become 0; of a limit: what is left, to stay above 0 */
    double low, high; /* bounds of the impulse */
    double speed;     /* wanted, m/s or rad/s */
    bool limit;
    double stiffness, damping; /* of a spring; 0: as stiff as can be */
} Row;

static void push_row(const Ends *e, const Row *row, double j)
{
    PxVec3 impulse = px_scale(row->d, j);
    if (!row->turns)
        e->a->v = px_mad(e->a->v, impulse, e->a->per_mass);
    PxVec3 t = row->turns ? impulse : px_cross(e->ra, impulse);
    e->a->w = px_add(e->a->w, px_mat3_apply(e->a->per_inertia, t));
    if (e->b == NULL)
        return;
    if (!row->turns)
        e->b->v = px_mad(e->b->v, impulse, -e->b->per_mass);
    t = row->turns ? impulse : px_cross(e->rb, impulse);
    e->b->w = px_sub(e->b->w, px_mat3_apply(e->b->per_inertia, t));
}

static double yields_row(const PxSolverBody *b, const Row *row, PxVec3 lever)
{
    PxVec3 t = row->turns ? row->d : px_cross(lever, row->d);
    return (row->turns ? 0 : b->per_mass) + px_dot(t, px_mat3_apply(b->per_inertia, t));
}

static void solve_row(const Ends *e, const Row *row)
{
    double *total = &e->joint->impulse[row->number];
    if (e->pass == PX_JOINT_WARM) {
        push_row(e, row, *total);
        return;
    }
    PxVec3 v = row->turns ? e->a->w : px_solver_velocity(e->a, e->ra);
    if (e->b != NULL)
        v = px_sub(v, row->turns ? e->b->w : px_solver_velocity(e->b, e->rb));
    double speed = px_dot(v, row->d) - row->speed, bias = 0, mass = 1, give = 0;
    double per = yields_row(e->a, row, e->ra);
    if (e->b != NULL)
        per += yields_row(e->b, row, e->rb);
    if (!(per > 0))
        return;
    if (row->stiffness > 0 || row->damping > 0) { /* implicit spring (Catto 2011) */
        double rate = row->damping + e->h * row->stiffness;
        bias = row->stiffness / rate * row->error;
        double soft = 1 / (e->h * rate * per);
        mass = 1 / (1 + soft);
        give = soft * mass;
    } else if (row->limit && row->error > 0) {
        bias = row->error / e->h;
    } else if (e->pass == PX_JOINT_PUSH) {
        bias = e->soft.rate * row->error;
        mass = e->soft.mass;
        give = e->soft.impulse;
    }
    double j = -mass * (speed + bias) / per - give * *total, before = *total;
    *total = fmin(fmax(before + j, row->low), row->high);
    push_row(e, row, *total - before);
}

static PxVec3 rotated(const PxSolverBody *b, PxVec3 v)
{
    return b != NULL ? px_mat3_apply(b->rotation, v) : v;
}

/* Rotation vector from where a's frame should be, relative to b's, to where it is. */
static PxVec3 turn_error(const Ends *e)
{
    PxQuat b = e->b != NULL ? e->b->turn : px_quat_identity();
    PxQuat wanted = px_quat_multiply(b, e->joint->turn);
    PxQuat q = px_quat_multiply(e->a->turn, px_quat_conjugate(wanted));
    return px_scale(px_vec(q.x, q.y, q.z), q.w < 0 ? -2 : 2);
}

static void solve_axis(const Ends *e, PxVec3 axis, bool turns, double value)
{
    const PxRigidJoint *j = e->joint;
    Row row = {.number = 6, .turns = turns, .d = axis, .speed = j->speed};
    row.low = -j->strength * e->h;
    row.high = j->strength * e->h;
    if (j->strength > 0) {
        Ends relaxed = *e; /* a motor has no error to push against */
        relaxed.pass = e->pass == PX_JOINT_PUSH ? PX_JOINT_RELAX : e->pass;
        solve_row(&relaxed, &row);
    }
    if (j->low > j->high)
        return;
    row = (Row){.number = 7, .turns = turns, .d = axis, .error = value - j->low};
    row.limit = true;
    row.high = INFINITY;
    solve_row(e, &row);
    row.number = 8;
    row.d = px_scale(axis, -1);
    row.error = j->high - value;
    solve_row(e, &row);
}

static void solve_joint(const Ends *e)
{
    static const PxVec3 world[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const PxRigidJoint *j = e->joint;
    Row row = {.low = -INFINITY, .high = INFINITY};
    if (j->kind == PX_JOINT_SPRING) {
        double length = px_length(e->apart);
        row.d = px_normalized(e->apart, px_vec(0, 1, 0));
        row.error = length - j->length;
        row.stiffness = j->stiffness;
        row.damping = j->damping;
        if (j->stiffness > 0 || j->damping > 0)
            solve_row(e, &row);
        return;
    }
    PxVec3 axis = rotated(e->b, j->axis_b), own = rotated(e->a, j->axis_a);
    PxVec3 side = rotated(e->b, j->side_b), across = px_cross(axis, side);
    PxVec3 side_a = rotated(e->a, j->side_a), turn = turn_error(e);
    if (j->kind == PX_JOINT_HINGE)
        solve_axis(e, axis, true,
                   atan2(px_dot(px_cross(side, side_a), axis), px_dot(side, side_a)));
    if (j->kind == PX_JOINT_SLIDER)
        solve_axis(e, axis, false, px_dot(e->apart, axis));
    row.turns = true;
    if (j->kind == PX_JOINT_HINGE) { /* both axes along each other */
        PxVec3 tilt = px_cross(axis, own);
        for (int k = 0; k < 2; ++k) {
            row.number = 3 + k;
            row.d = k == 0 ? side : across;
            row.error = px_dot(tilt, row.d);
            solve_row(e, &row);
        }
    }
    for (int k = 0; (j->kind == PX_JOINT_WELD || j->kind == PX_JOINT_SLIDER) && k < 3; ++k) {
        row.number = 3 + k;
        row.d = world[k];
        row.error = px_dot(turn, row.d);
        solve_row(e, &row);
    }
    row.turns = false;
    for (int k = 0; k < (j->kind == PX_JOINT_SLIDER ? 2 : 3); ++k) {
        row.number = k;
        row.d = j->kind != PX_JOINT_SLIDER ? world[k] : k == 0 ? side : across;
        row.error = px_dot(e->apart, row.d);
        solve_row(e, &row);
    }
}

PxSolverBody *px_solver_end(const PxSolverRun *run, uint32_t number)
{
    const PxRigidStep *s = run->step;
    PxSolverBody *b = number != PX_NOBODY ? px_solver_body(run, number) : NULL;
    for (uint32_t w = 0; b == NULL && number != PX_NOBODY && w < s->walls; ++w)
        if (s->wall[w].number == number)
            return &run->mover[w];
    return b;
}

void px_solver_joints(PxSolverRun *run, double h, PxJointPass pass)
{
    PxRigidStep *s = run->step;
    for (uint32_t k = 0; k < s->joints; ++k) {
        PxRigidJoint *j = &s->joint[k];
        Ends e = {.run = run, .joint = j, .pass = pass, .h = h};
        e.a = px_solver_end(run, j->a);
        e.b = px_solver_end(run, j->b);
        if (j->broken || e.a == NULL || (j->b != UINT32_MAX && e.b == NULL) ||
            (e.a->asleep && (e.b == NULL || e.b->asleep)))
            continue;
        /* A sub-step that a hit cuts short does not make the joint stiffer: an error of 1 mm that
         * is to vanish in 1e-7 s throws bodies away at 3 km/s. */
        e.soft = px_soft(JOINT_FREQUENCY / fmax(h, run->usual), JOINT_DAMPING, h);
        e.ra = rotated(e.a, j->anchor_a);
        PxVec3 end = j->anchor_b;
        if (e.b != NULL) {
            e.rb = rotated(e.b, j->anchor_b);
            end = px_add(e.b->x, e.rb);
        }
        e.apart = px_sub(px_add(e.a->x, e.ra), end);
        solve_joint(&e);
    }
}

void px_solver_warm_joints(PxSolverRun *run, double h)
{
    for (uint32_t k = 0; k < run->step->joints; ++k) {
        PxRigidJoint *j = &run->step->joint[k];
        double scale = j->substep > 0 ? fmin(h / j->substep, MOST_GROWTH) : 0;
        for (int n = 0; n < PX_JOINT_ROWS; ++n)
            j->impulse[n] *= scale;
        j->substep = h;
    }
}

void px_solver_load_joints(PxSolverRun *run)
{
    for (uint32_t k = 0; k < run->step->joints; ++k) {
        PxRigidJoint *j = &run->step->joint[k];
        j->load = px_add(j->load, px_vec(j->impulse[0], j->impulse[1], j->impulse[2]));
    }
}

void px_solver_break_joints(PxSolverRun *run, double interval)
{
    for (uint32_t k = 0; k < run->step->joints; ++k) {
        PxRigidJoint *j = &run->step->joint[k];
        double force = px_length(j->load) / interval;
        j->load = px_vec(0, 0, 0);
        if (j->broken || !(j->breaks > 0) || !(force > j->breaks))
            continue;
        j->broken = true;
        for (int n = 0; n < PX_JOINT_ROWS; ++n)
            j->impulse[n] = 0;
    }
}
