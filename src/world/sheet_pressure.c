/// Pressure and cloth solved in turn: contact/sheets.h says why.
#include "fluid/work.h"
#include "fluid/yield.h"
#include "world/cloth_stage.h"
#include "world/sheet_stage.h"

#include <math.h>
#include <string.h>

/* Largest number of passes. They end earlier if the difference e between the velocities that the
 * cloth was solved for and those that the pressure was solved with is below this part of the change
 * c of the cloth's velocities in the step, and e times c below that part of the kinetic energy of
 * the fluid in front of the cloth: a pass that ends with e has an error of the energy of that order
 * (docs/decisions.md 38). Or if e is below that part of the change that gravity causes: with 0.02
 * of it, a pool on cloth takes longer to come to rest. All are in the norm of the added masses. */
#define MOST 8
#define AGREES 0.1
#define ENERGY 0.005
#define RESTS 0.01

/* Vertices yield within the pressure solve in steps in which this moves none of them by more than
 * this part of a spacing, and while each pass leaves at most this part of the mismatch of the one
 * before, or agrees. Otherwise fluid may part from the cloth, or the cloth meet a wall or a body
 * within the step, which the response of a vertex does not know. Without it, eight passes do not
 * reach the mismatch of the first one with it in impacts (docs/decisions.md 38). */
#define TRUSTED 0.6
#define FALLS 0.7

/* Largest sum of the sizes of the factors with which earlier passes are combined. Fluid may part
 * from the cloth, so far ahead the mismatch is not linear. */
#define AHEAD 2.0

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
    PxVec3 *e[MOST];     /* mismatch of each pass, */
    double off[MOST];    /* its size, */
    PxVec3 *next[MOST];  /* and the velocities with which the next one would start after it alone */
} Passes;

static PxVec3 times(const double m[6], PxVec3 v)
{
    return px_vec(m[0] * v.x + m[1] * v.y + m[2] * v.z, m[1] * v.x + m[3] * v.y + m[4] * v.z,
                  m[2] * v.x + m[4] * v.y + m[5] * v.z);
}

/* Product of two fields of velocities in the norm of the added masses. */
static double product(const PxSheets *s, const PxVec3 *a, const PxVec3 *b)
{
    double sum = 0;
    for (uint32_t i = 0; i < s->system->vertices; ++i)
        if (!s->held[i])
            sum += px_dot(a[i], times(s->added[i].m, b[i]));
    return sum;
}

/* Do the velocities that were solved agree with those that the fluid saw? */
static bool agrees(Passes *q, int pass, double gravity)
{
    const PxSheets *s = q->s;
    double mass = 0, change = 0, off = product(s, q->e[pass], q->e[pass]);
    for (uint32_t i = 0; i < s->system->vertices; ++i) {
        PxVec3 c = px_sub(q->w[i], q->start[i]);
        const double *m = s->added[i].m;
        mass += s->held[i] ? 0 : m[0] + m[3] + m[5];
        change += s->held[i] ? 0 : px_dot(c, times(m, c));
    }
    q->off[pass] = off;
    double least = RESTS * fmax(gravity * s->dt, 1e-4 * s->spacing / s->dt);
    double kinetic = px_sheets_kinetic(s);
    bool near = off <= AGREES * AGREES * change;
    return (near && off * change <= ENERGY * ENERGY * kinetic * kinetic) ||
           off <= least * least * mass;
}

/* Solves the normal equations g of `n` unknowns by elimination; leaves out unknowns that depend on
 * earlier ones. */
static void solve_normal(double g[MOST][MOST + 1], int n, double x[MOST])
{
    double first[MOST];
    bool used[MOST];
    for (int k = 0; k < n; ++k) {
        first[k] = g[k][k];
        used[k] = true;
    }
    for (int k = 0; k < n; ++k) {
        used[k] = g[k][k] > 1e-6 * first[k];
        for (int r = k + 1; r < n && used[k]; ++r) {
            double part = g[r][k] / g[k][k];
            for (int c = k; c < n; ++c)
                g[r][c] -= part * g[k][c];
            g[r][n] -= part * g[k][n];
        }
    }
    for (int k = n; k-- > 0;) {
        x[k] = used[k] ? g[k][n] : 0;
        for (int c = k + 1; c < n && used[k]; ++c)
            x[k] -= g[k][c] * x[c];
        x[k] = used[k] ? x[k] / g[k][k] : 0;
    }
}

/* Sets q->w to the velocities with which the next pass starts: the combination of all passes so far
 * whose mismatch would be the least if it were linear in them (interface quasi-Newton with least
 * squares: Degroote, Bathe and Vierendeels 2009). */
static void combine(Passes *q, int pass)
{
    const PxSheets *s = q->s;
    uint32_t vertices = s->system->vertices;
    double g[MOST][MOST + 1], x[MOST];
    for (uint32_t i = 0; i < vertices; ++i) {
        /* so that it would end with w under the load that the cloth had, its added mass included */
        PxVec3 e = q->e[pass][i], load = times(s->added[i].m, e);
        PxVec3 more = s->per_mass != NULL ? times(s->per_mass[i].m, load) : px_vec(0, 0, 0);
        q->next[pass][i] = px_add(px_add(s->base[i], e), more);
    }
    for (int k = 0; k < pass; ++k)
        for (int n = k; n <= pass; ++n) {
            double sum = 0;
            for (uint32_t i = 0; i < vertices; ++i) {
                if (s->held[i])
                    continue;
                PxVec3 a = px_sub(q->e[k][i], q->e[pass][i]);
                PxVec3 b = n < pass ? q->e[n][i] : px_vec(0, 0, 0);
                b = px_sub(b, q->e[pass][i]);
                sum += px_dot(a, times(s->added[i].m, b));
            }
            if (n < pass)
                g[k][n] = g[n][k] = sum;
            else
                g[k][pass] = sum;
        }
    solve_normal(g, pass, x);
    double sum = 0;
    for (int k = 0; k < pass; ++k)
        sum += fabs(x[k]);
    for (int k = 0; k < pass && sum > AHEAD; ++k)
        x[k] *= AHEAD / sum;
    for (uint32_t i = 0; i < vertices; ++i) {
        PxVec3 to = q->next[pass][i];
        for (int k = 0; k < pass; ++k)
            to = px_mad(to, px_sub(q->next[k][i], q->next[pass][i]), x[k]);
        q->w[i] = to;
    }
}

static PxStatus begin(Passes *q, PxSheets *s)
{
    size_t n = s->system->vertices + 1;
    PxVec3 *start = PX_ARENA_ARRAY(s->scratch, PxVec3, n);
    *q = (Passes){.s = s, .start = start, .w = PX_ARENA_ARRAY(s->scratch, PxVec3, n)};
    if (start == NULL || q->w == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %zu vertices", n);
    memcpy(start, s->sent, n * sizeof *start);
    return PX_OK;
}

/* Notes the mismatch of a pass. */
static PxStatus note(Passes *q, int pass)
{
    const PxSheets *s = q->s;
    size_t n = s->system->vertices + 1;
    q->e[pass] = PX_ARENA_ARRAY(s->scratch, PxVec3, n);
    q->next[pass] = PX_ARENA_ARRAY(s->scratch, PxVec3, n);
    if (q->e[pass] == NULL || q->next[pass] == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %zu vertices", n);
    for (uint32_t i = 0; i < s->system->vertices; ++i)
        q->e[pass][i] = s->held[i] ? px_vec(0, 0, 0) : px_sub(q->w[i], s->sent[i]);
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

static PxStatus load_sheets(PxWorld *world, PxFluid *f, PxSheets *s, int pass, bool again)
{
    PX_STAGE(&world->profile, pass == 0 && !again ? "sheets" : "turns")
    PX_TRY(px_sheets_load(s, f, pass < MASSES));
    return PX_OK;
}

/* Is the motion of all vertices that yield by velocities `to`, from `from` (NULL: 0), small? */
static bool is_small(const PxSheets *s, const PxVec3 *to, const PxVec3 *from)
{
    double most = TRUSTED * s->spacing / s->dt;
    for (uint32_t k = 0; k < s->yields->count; ++k) {
        uint32_t i = s->yielding[k];
        PxVec3 v = from != NULL ? px_sub(to[i], from[i]) : to[i];
        if (!(px_dot(v, v) <= most * most)) /* true for NaN too */
            return false;
    }
    return true;
}

static void hold_still(PxSheets *s, PxFluid *f)
{
    f->yield_points = NULL;
    s->yields = NULL;
    s->per_mass = NULL;
}

/* Lets the vertices yield to pressure. The first pass starts with the velocities that they would
 * have without the fluid, each on its own: at rest, pressure then returns them to zero. */
static PxStatus let_yield(PxWorld *world, PxFluid *f, const PxPressureModel *model, Passes *q)
{
    PxSheets *s = q->s;
    uint32_t n = s->system->vertices;
    PxYieldMass *mass = PX_ARENA_ARRAY(s->scratch, PxYieldMass, n + 1);
    PxVec3 *impulse = PX_ARENA_ARRAY(s->scratch, PxVec3, n + 1);
    if (mass == NULL || impulse == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u vertices", n);
    if (s->touches == 0 || !model->yields)
        return PX_OK;
    PX_STAGE(&world->profile, "cloth") /* which the cloth needs anyway */
    PX_TRY(px_cloth_stage_yields(world, mass, impulse, q->w));
    PX_STAGE(&world->profile, "turns")
    {
        PX_TRY(px_sheets_yield(s, f, mass));
        for (uint32_t i = 0; i < n; ++i)
            q->w[i] = px_add(q->w[i], times(s->per_mass[i].m, impulse[i]));
        if (is_small(s, q->w, q->start))
            PX_TRY(px_sheets_set_velocity(s, f, q->w));
        else
            hold_still(s, f);
    }
    return PX_OK;
}

/* Can the passes go on, or end, as they began? */
static bool is_trusted(const Passes *q, int pass, bool done)
{
    const PxSheets *s = q->s;
    return s->yields == NULL ||
           (is_small(s, s->sent, s->base) && is_small(s, q->w, s->base) &&
            (pass == 0 || done || q->off[pass] <= FALLS * FALLS * q->off[pass - 1]));
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
    PX_STAGE(&world->profile, "sheets")
    PX_TRY(px_sheets_list(s, f));
    PX_TRY(let_yield(world, f, model, &q));
    memcpy(kept.copy[FLUX], f->wall_flux, kept.size);
    bool again = false;
    for (int pass = 0;; ++pass) {
        PX_TRY(solve_once(world, f, model, again ? 1 : pass));
        px_sheets_yielded(s);
        PX_TRY(px_stop_check(&world->threads));
        PX_TRY(load_sheets(world, f, s, pass, again));
        if (pass + 1 == MOST || s->touches == 0)
            return PX_OK;
        PX_STAGE(&world->profile, "turns")
        PX_TRY(px_cloth_stage_guess(world, q.w));
        PX_TRY(note(&q, pass));
        bool done = agrees(&q, pass, px_length(world->def.gravity));
        if (!done)
            combine(&q, pass);
        bool trusted = is_trusted(&q, pass, done);
        if (done && trusted)
            return PX_OK;
        if (!trusted) {
            hold_still(s, f);
            memcpy(q.w, q.start, s->system->vertices * sizeof *q.w);
            pass = -1;
            again = true;
        }
        restore(&kept, f);
        PX_STAGE(&world->profile, "turns")
        PX_TRY(px_sheets_set_velocity(s, f, q.w));
        memcpy(kept.copy[FLUX], f->wall_flux, kept.size);
    }
}
