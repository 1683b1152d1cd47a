/// Leapfrog (001 section 3.6, 000 section 7.2.1): half a kick, a move, half a kick.
///
/// A step of the world is cut into sub-steps as short as the stiffness wants. Leapfrog is stable
/// while the highest frequency times the sub-step is below 2.
#include "solid/integration.h"
#include "solid/solid.h"

#include <math.h>

enum { COURANT };

static const PxField fields[] = {
    {.key = "courant",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE | PX_FIELD_ABOVE,
     .offset = COURANT * sizeof(double),
     .unit = "",
     .least = 0,
     .most = 1,
     .help = "Part of the longest stable sub-step that is used."},
};
static const double defaults[] = {0.6};

typedef struct Move {
    PxSolid *solid;
    float kick, move;
} Move;

static void move_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Move *m = user;
    float *restrict u = m->solid->u, *restrict v = m->solid->v;
    const float *restrict a = m->solid->a;
    float kick = m->kick, move = m->move;
    for (size_t k = 4 * (size_t)begin; k < 4 * (size_t)end; ++k) {
        v[k] += kick * a[k];
        u[k] += move * v[k];
    }
}

/* The longest stable sub-step. Stretched things are stiffer: Green's strain grows with the
 * square of the stretch, and the force once more with the stretch. */
static double longest(const PxSolid *s)
{
    const PxMaterialDef *d = &s->material[s->particles->material[s->first]].def;
    return d->integration.param[COURANT] * 2 / sqrt(s->highest * s->stretch);
}

static PxStatus advance(PxSolid *s)
{
    double done = 0, before = 0;
    px_solid_damp(s, s->dt);
    px_solid_forces(s, false);
    while (done < s->dt) {
        double left = s->dt - done, limit = fmin(longest(s), s->reach);
        if (!(limit >= s->min_step))
            return px_fail(
                PX_ERR_NUMERIC,
                "a sub-step of the solids at t = %g s would have to be %g s long because "
                "of %s; min_step is %g s",
                s->time + done, limit, limit < s->reach ? "stiffness" : "speed", s->min_step);
        double steps = s->highest > 0 || s->reach < left ? ceil(left / limit) : 1;
        double dt = steps > 1 ? left / steps : left;
        Move m = {s, (float)(0.5 * (before + dt)), (float)dt};
        px_parallel_for(s->threads, s->count, PX_BLOCK, move_block, &m);
        done = steps > 1 ? done + dt : s->dt;
        s->hold(s, done / s->dt);
        s->touch(s, done / s->dt);
        px_solid_forces(s, !(done < s->dt));
        px_solid_flow(s, dt);
        before = dt;
        ++s->substeps;
        ++s->iterations;
    }
    Move last = {s, (float)(0.5 * before), 0.0f};
    px_parallel_for(s->threads, s->count, PX_BLOCK, move_block, &last);
    return PX_OK;
}

extern const PxIntegrationModel PX_ISA_NAME(px_leapfrog);
const PxIntegrationModel PX_ISA_NAME(px_leapfrog) = {
    .info = {"leapfrog", "explicit, in sub-steps as short as the stiffness wants", fields,
             PX_COUNT(fields), defaults},
    .advance = advance,
};
