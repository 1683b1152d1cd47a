/// Pressure and cloth solved in turn: contact/sheets.h says why.
#include "fluid/work.h"
#include "fluid/yield.h"
#include "world/cloth_stage.h"
#include "world/sheet_stage.h"

#include <math.h>
#include <string.h>

/* Largest number of passes. They end earlier if the difference between the velocities that the
 * cloth was solved for and those that the pressure was solved with is below this part of the change
 * of the cloth's velocities in the step, or below that part of the change that gravity causes: with
 * 0.02 of it, a pool on cloth takes longer to come to rest. */
#define MOST 6
#define AGREES 0.05
#define RESTS 0.01

/* Passes in which added masses are found anew. Later ones keep them: they only decide how fast
 * passes converge. */
#define MASSES 2

/* What a solve of pressure changes and the next one must find as it was; with the pressure of a
 * pass before it, which may have been too high, it would not start over, because only compression
 * counts as an error. */
enum { FLUX, KEPT = 12 };

typedef struct Kept {
    float *of[KEPT], *copy[KEPT];
    PxWork work;
    size_t size;
} Kept;

static PxStatus keep(Kept *k, const PxFluid *f, PxArena *scratch)
{
    PxParticles *p = f->particles;
    float *const of[KEPT] = {[FLUX] = f->wall_flux,
                             f->wall_push,
                             p->ax,
                             p->ay,
                             p->az,
                             p->warm_pressure,
                             p->warm_divergence,
                             p->steady_pressure,
                             p->pressure,
                             p->steady_x,
                             p->steady_y,
                             p->steady_z};
    k->size = f->count * sizeof(float);
    if (f->work != NULL)
        k->work = *f->work;
    for (int n = 0; n < KEPT; ++n) {
        k->of[n] = of[n];
        k->copy[n] = PX_ARENA_ARRAY(scratch, float, f->count + 1);
        if (k->copy[n] == NULL)
            return px_fail(PX_ERR_MEMORY, "cloth: no room for %u particles", f->count);
        memcpy(k->copy[n], of[n], k->size);
    }
    return PX_OK;
}

static void restore(const Kept *k, PxFluid *f)
{
    for (int n = 0; n < KEPT; ++n)
        memcpy(k->of[n], k->copy[n], k->size);
    if (f->work != NULL)
        *f->work = k->work;
}

/* The passes of a step. */
typedef struct Passes {
    PxSheets *s;
    const PxVec3 *start; /* velocities that the first pass saw */
    PxVec3 *w;           /* solved */
    PxVec3 *last;        /* mismatch of the last pass */
    double relax;        /* part of the mismatch that the next pass takes */
} Passes;

static double weight(const PxSheets *s, uint32_t i)
{
    return s->held[i] ? 0 : s->added[i].m[0] + s->added[i].m[3] + s->added[i].m[5];
}

/* Do the velocities that were solved agree with those that the fluid saw? */
static bool agrees(const Passes *q, double gravity)
{
    const PxSheets *s = q->s;
    double off = 0, change = 0, mass = 0;
    for (uint32_t i = 0; i < s->system->vertices; ++i) {
        PxVec3 r = px_sub(q->w[i], s->sent[i]), c = px_sub(q->w[i], q->start[i]);
        double m = weight(s, i);
        off += m * px_dot(r, r);
        change += m * px_dot(c, c);
        mass += m;
    }
    double least = RESTS * fmax(gravity * s->dt, 1e-4 * s->spacing / s->dt);
    return off <= AGREES * AGREES * change || off <= least * least * mass;
}

/* Aitken's relaxation (Kuettler and Wall 2008): the mismatch would vanish there if it changed along
 * a line. */
static void relax(Passes *q, int pass)
{
    const PxSheets *s = q->s;
    double dot = 0, square = 0;
    for (uint32_t i = 0; i < s->system->vertices; ++i) {
        PxVec3 r = px_sub(q->w[i], s->sent[i]), d = px_sub(r, q->last[i]);
        double m = weight(s, i);
        dot += m * px_dot(q->last[i], d);
        square += m * px_dot(d, d);
        q->last[i] = r;
    }
    if (pass > 0 && square > 0)
        q->relax = fmin(fmax(-q->relax * dot / square, 0.2), 3);
    for (uint32_t i = 0; i < s->system->vertices; ++i)
        q->w[i] = px_mad(s->sent[i], q->last[i], q->relax);
}

static PxStatus begin(Passes *q, PxSheets *s)
{
    size_t n = s->system->vertices + 1;
    PxVec3 *start = PX_ARENA_ARRAY(s->scratch, PxVec3, n);
    *q = (Passes){.s = s,
                  .start = start,
                  .w = PX_ARENA_ARRAY(s->scratch, PxVec3, n),
                  .last = PX_ARENA_ARRAY(s->scratch, PxVec3, n),
                  .relax = 1};
    if (start == NULL || q->w == NULL || q->last == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %zu vertices", n);
    memcpy(start, s->sent, n * sizeof *start);
    memset(q->last, 0, n * sizeof *q->last);
    return PX_OK;
}

/* What is solved again counts as another stage than what a fluid without cloth needs. */
static PxStatus solve_once(PxWorld *world, PxFluid *f, const PxPressureModel *model, int pass)
{
    PX_STAGE(&world->profile, pass == 0 ? "pressure" : "turns")
    {
        PX_TRY(px_yield_begin(f));
        PX_TRY(model->solve(f));
    }
    return PX_OK;
}

static PxStatus load_sheets(PxWorld *world, PxFluid *f, PxSheets *s, int pass)
{
    PX_STAGE(&world->profile, "sheets")
    {
        PX_TRY(px_sheets_touch(s, f, pass < MASSES));
        PX_TRY(px_sheets_load(s, f));
    }
    return PX_OK;
}

PxStatus px_sheet_stage_pressure(PxWorld *world, PxFluid *f, const PxPressureModel *model)
{
    PxSheets *s = px_sheet_stage_sheets(world);
    if (s == NULL)
        return solve_once(world, f, model, 0);
    Kept kept;
    Passes q;
    PX_TRY(keep(&kept, f, s->scratch));
    PX_TRY(begin(&q, s));
    for (int pass = 0;; ++pass) {
        PX_TRY(solve_once(world, f, model, pass));
        PX_TRY(px_stop_check(&world->threads));
        PX_TRY(load_sheets(world, f, s, pass));
        if (pass + 1 == MOST || s->touches == 0)
            return PX_OK;
        PX_STAGE(&world->profile, "turns")
        PX_TRY(px_cloth_stage_guess(world, q.w));
        if (agrees(&q, px_length(world->def.gravity)))
            return PX_OK;
        relax(&q, pass);
        restore(&kept, f);
        PX_TRY(px_sheets_set_velocity(s, f, q.w));
        memcpy(kept.copy[FLUX], f->wall_flux, kept.size);
    }
}
