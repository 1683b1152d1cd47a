/// Integration of cloth in time: what a vertex does by itself, and its mass in the step.
///
/// A step finds the velocities W = (x1 - x) / dt at which vertices move. Implicit Euler takes them
/// as the velocities at the end too. The second backward difference formula (BDF2; Choi and Ko
/// 2002) with the steps dt and dt_ before it, r = dt / dt_, is
///     x1 = x + c (x - x_) + b dt w,   w = v + c (v - v_) + b dt f(x1) / m,
///     b = (1 + r) / (1 + 2 r),   c = r^2 / (1 + 2 r).
/// With W instead of w it is a step of implicit Euler of a mass m / b^2 that by itself would move
/// at
///     b (v + c (v - v_)) + c (x - x_) / dt + b^2 dt g.
/// So vertices of both kinds may be next to each other in one symmetric system. After the solve
///     w = (W - c (x - x_) / dt) / b.
#include "cloth/cloth.h"

#include <math.h>

/* A step that is longer than the last one by more than this factor has no past: BDF2 is stable for
 * less than 1 + sqrt(2). */
#define MOST_LONGER 2.0

void px_cloth_restart(PxClothStep *s, uint32_t i)
{
    s->u[i] = px_mad(s->v[i], s->gravity, s->dt);
    s->inertia[i] = 1;
    s->carried[i] = px_vec(0, 0, 0);
}

void px_cloth_predict(PxClothStep *s, uint32_t i, const PxClothPast *past)
{
    px_cloth_restart(s, i);
    if (s->law[s->system->of_vertex[i]].integration != PX_CLOTH_BDF2)
        return;
    if (!(past->dt > 0) || s->dt > MOST_LONGER * past->dt)
        return;
    double r = s->dt / past->dt, b = (1 + r) / (1 + 2 * r), c = r * r / (1 + 2 * r);
    s->inertia[i] = 1 / (b * b);
    s->carried[i] = px_scale(px_sub(s->x[i], past->x), c / s->dt);
    PxVec3 v = px_mad(s->v[i], px_sub(s->v[i], past->v), c);
    s->u[i] = px_mad(px_mad(s->carried[i], v, b), s->gravity, b * b * s->dt);
}

bool px_cloth_has_past(const PxClothStep *s, uint32_t i)
{
    return s->inertia[i] > 1;
}

PxVec3 px_cloth_velocity(const PxClothStep *s, uint32_t i, PxVec3 solved)
{
    if (!px_cloth_has_past(s, i))
        return s->w[i];
    PxVec3 w = px_scale(px_sub(solved, s->carried[i]), sqrt(s->inertia[i]));
    return px_add(w, px_sub(s->w[i], solved));
}
