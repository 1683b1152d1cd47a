/// Leapfrog integration in kick-drift-kick form (001 section 3.6, 000 section 7.2.1).
///
/// A step of the world is divided into sub-steps. Leapfrog is stable while the highest angular
/// frequency times the sub-step is below 2.
#include "base/stop.h"
#include "solid/integration.h"
#include "solid/pieces.h"

#include <math.h>
#include <stdio.h>

enum { COURANT };

static const PxField fields[] = {
    {.key = "courant",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE | PX_FIELD_ABOVE,
     .offset = COURANT * sizeof(double),
     .unit = "",
     .least = 0,
     .most = 1,
     .help = "Courant number: sub-step as a fraction of the longest stable one."},
};
/* Tuned on free vibrations with strains of 10 per cent (study/free_solid.h): the energy oscillates
 * by 3 to 4 per cent with 0.6, by 8 with 0.8; 0.9 is unstable. */
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

/* Time after which a halving of the sub-step that is no longer needed is undone, s. */
#define FORGET 10.0

/* Length of the sub-step for the present stretch, which stiffens the solid (px_solid_forces()).
 * Sub-steps that vary in phase with a vibration feed energy into it (leapfrog is symplectic at
 * constant steps only), so they are halved at stiffness ratios of 2, 8, 32, ... and stay so for
 * FORGET. Just below a ratio
 * of 2 the sub-step is sqrt(2) times the requested part of the stable one.
 * The integer part of `halvings` is their number, the fraction a countdown. */
static double longest(PxSolid *s)
{
    const PxMaterialDef *d = &s->material[s->particles->material[0]].def;
    double ratio = s->stiffening / fmax(1, s->highest_at), most = 2;
    int needed = 0;
    while (ratio > most && needed < 60) {
        most *= 4;
        ++needed;
    }
    if (needed >= (int)s->halvings)
        s->halvings = needed + 0.999;
    return d->integration.param[COURANT] * 2 / sqrt(s->highest) * ldexp(1, -(int)s->halvings);
}

/* Error for a sub-step below min_step, with what makes it so short. */
static PxStatus too_short(const PxSolid *s, double when, double limit)
{
    char why[120];
    if (!(limit < s->reach))
        snprintf(why, sizeof why, "the speed at which particles near walls move");
    else if ((int)s->halvings > 0)
        snprintf(why, sizeof why,
                 "strain: a solid is stretched to %.3g times its length, which stiffens it %.3g "
                 "times",
                 sqrt(s->stretch), s->stiffening);
    else
        snprintf(why, sizeof why, "stiffness");
    return px_fail(PX_ERR_NUMERIC,
                   "a sub-step of the solids at t = %g s would have to be %g s long because of %s; "
                   "min_step is %g s; \"integration\": \"implicit\" needs no such sub-steps",
                   when, limit, why, s->min_step);
}

static PxStatus advance(PxSolid *s)
{
    double done = 0, before = 0;
    PX_TRY(px_solid_damp(s, s->dt));
    px_solid_balance(s, 0.5 * s->dt);
    PX_TRY(px_solid_pieces_begin(s));
    s->halvings = fmax(0, s->halvings - s->dt / FORGET);
    px_solid_forces(s, false);
    PX_TRY(px_solid_viscosity(s));
    while (done < s->dt) {
        PX_TRY(px_stop_check(s->threads));
        double left = s->dt - done, limit = fmin(longest(s), s->reach);
        if (!(limit >= s->min_step))
            return too_short(s, s->time + done, limit);
        double steps = s->highest > 0 || s->reach < left ? ceil(left / limit) : 1;
        double dt = steps > 1 ? left / steps : left;
        Move m = {s, (float)(0.5 * (before + dt)), (float)dt};
        px_parallel_for(s->threads, s->count, PX_BLOCK, move_block, &m);
        px_solid_pieces_move(s, dt);
        done = steps > 1 ? done + dt : s->dt;
        s->hold(s, done / s->dt);
        s->moved = dt;
        s->touch(s, done / s->dt);
        px_solid_forces(s, !(done < s->dt));
        if (s->press != NULL)
            s->press->friction(s->press->user, dt);
        px_solid_flow(s, dt);
        before = dt;
        ++s->substeps;
        ++s->iterations;
    }
    Move last = {s, (float)(0.5 * before), 0.0f};
    px_parallel_for(s->threads, s->count, PX_BLOCK, move_block, &last);
    px_solid_pieces_move(s, 0);
    return PX_OK;
}

extern const PxIntegrationModel PX_ISA_NAME(px_leapfrog);
const PxIntegrationModel PX_ISA_NAME(px_leapfrog) = {
    .info = {"leapfrog", "explicit, in sub-steps as short as the stiffness wants", fields,
             PX_COUNT(fields), defaults},
    .advance = advance,
};
