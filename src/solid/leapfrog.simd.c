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
/* Blocks that vibrate freely by 10 per cent (study/free_solid.h), 4 s, Poisson's ratios of 0 to
 * 0.45: their energy swings by 1 to 2 per cent with 0.4, 3 to 4 with 0.6, 8 with 0.8, and drifts by
 * less than 0.7; with 0.9 two of four flew apart. Smooth motion does not tell them apart: the beam
 * of `phyxel bench solid` has 2e-5 of its energy wrong with 0.6. */
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

/* Time after which a halving of sub-steps that was not needed any more is taken back, s. */
#define FORGET 10.0

/* The longest stable sub-step. Stretched things are stiffer: along a stretch l the force is
 * l (l^2 - 1) / 2, its slope (3 l^2 - 1) / 2 of that at rest. Sub-steps that follow a vibration up
 * and down feed it (a block with strains of 10 per cent flew apart in 3.35 s), so they are
 * halved at slopes of 2, 8, 32, ... only, and stay so for a while. At slopes just below 2 a
 * sub-step is sqrt(2) times the part of the longest that is asked for.
 * The whole part of `halvings` is how many there are, the rest runs down. */
static double longest(PxSolid *s)
{
    const PxMaterialDef *d = &s->material[s->particles->material[0]].def;
    double slope = (1.5 * s->stretch - 0.5) / fmax(1, 1.5 * s->highest_at - 0.5), most = 2;
    int needed = 0;
    while (slope > most && needed < 30) {
        most *= 4;
        ++needed;
    }
    if (needed >= (int)s->halvings)
        s->halvings = needed + 0.999;
    return d->integration.param[COURANT] * 2 / sqrt(s->highest) * ldexp(1, -(int)s->halvings);
}

static PxStatus advance(PxSolid *s)
{
    double done = 0, before = 0;
    px_solid_damp(s, s->dt);
    s->halvings = fmax(0, s->halvings - s->dt / FORGET);
    px_solid_forces(s, false);
    PX_TRY(px_solid_viscosity(s));
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
        s->moved = dt;
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
