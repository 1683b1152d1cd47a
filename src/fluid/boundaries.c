/// Boundaries of a fluid: the part of each particle's kernel that lies in them, its gradient, and
/// the impulses that they take in return.
///
/// Solvers need only part and gradient per particle: a boundary has no pressure of its own, so
/// every sum over its volume is one of them times a value of the particle. With several boundaries
/// the free parts multiply. The gradient of that product is a sum with one term per boundary, so
/// every force along it can be split among them exactly; a list of touches stores the terms.
#include "fluid/touches.h"
#include "fluid/work.h"

#include <math.h>
#include <string.h>

/* Rows per query of a boundary; PX_BLOCK is a multiple of it. */
enum { ROWS = 256 };

typedef PxWallTouch Touch;
typedef struct PxTouches Touches;

#define NOBODY PX_TOUCH_NOBODY

/* Contributions of all boundaries to one particle. */
typedef struct Sum {
    double clear, clear_flux, lever, lift; /* clear: the part that no boundary fills */
    PxVec3 clear_gradient;
    double drag, sticky;  /* sticky: the part that no boundary without friction fills */
    PxVec3 velocity;      /* drag times velocity, summed over boundaries */
    double heat, warmth;  /* of boundaries that have a temperature */
    double stick;         /* adhesion of the boundaries that it wets */
    PxVec3 moves;         /* stick times velocity, summed over boundaries */
    double part, wetting; /* sum of the parts, and of part times cosine of the contact angle */
    Touch *last;
    bool missing; /* the part of some boundary is not known yet */
} Sum;

typedef struct Job {
    PxFluid *fluid;
    bool no_room;
    bool again; /* only rows with missing parts, whose wall_far is NAN */
} Job;

/* ---- fills ------------------------------------------------------------------ */

/* Conductance times spacing over conductivity at which half of the heat is given by the hat of
 * add_face(). The hat heats the second layer directly: at 0.33, the bar of study/heat_bar.h with an
 * imperfect contact, it alone makes an error of 5 per cent of the difference of temperatures. */
#define UNEVEN 0.1

/* Heat through a face at distance d. T is extrapolated through the boundary's temperature as the
 * velocity of a no-slip wall is, so the sum over the face's layers equals that of its drag. An
 * imperfect contact is a resistance, 1 / conductance, in series with d / k of the fluid between,
 * per area.
 *
 * With drag as the weight of a particle, the area of the contact depends on where particles lie: a
 * layer at 0.1 spacings has twice the area of one at 0.5. Where the contact resists much more than
 * a layer of the fluid, the temperature is even near the wall, and any weights may be used whose
 * sum over layers is 1. A hat around d = s is 1 for all positions of the layers, and vanishes at
 * the wall, so that a curved wall may cut the lattice anywhere (docs/decisions.md 27). */
static void add_face(const PxFluid *f, const PxBoundary *b, const PxFill *fill, double d, Sum *sum,
                     Touch *touch)
{
    double heat = px_wall_profile_drag(f->wall_profile, d);
    if (isfinite(b->conductance)) {
        const PxMaterialDef *def = &f->material[f->particles->material[fill->row]].def;
        double k = def->diffusivity * def->density * def->heat_capacity, s = f->spacing;
        double away = fmax(d, 0.25 * s), passed = b->conductance * away;
        double steep = b->conductance * s / (UNEVEN * k), even = 1 / (1 + steep * steep);
        double hat = fill->spread * fmax(1 - fabs(d / s - 1), 0) / (s * away);
        heat = even * hat + (1 - even) * heat;
        heat *= passed > 0 ? passed / (passed + k) : 0;
    }
    sum->heat += heat;
    sum->warmth += heat * b->temperature;
    touch->heat += (float)heat;
}

static void add_fill(const PxFluid *f, const PxBoundary *b, const PxFill *fill, Sum *sum,
                     Touch *touch)
{
    double left = 1 - fill->part;
    for (Touch *t = sum->last; t != NULL; t = t->previous)
        for (int c = 0; c < 3; ++c)
            t->gradient[c] *= (float)left;
    PxVec3 term = px_scale(fill->gradient, sum->clear);
    *touch = (Touch){.previous = sum->last,
                     .row = fill->row,
                     .part = (float)fill->part,
                     .gradient = {(float)term.x, (float)term.y, (float)term.z}};
    sum->last = touch;
    sum->clear_flux = sum->clear_flux * left - px_dot(fill->velocity, fill->gradient) * sum->clear;
    sum->lever = sum->lever * left + fill->lever * sum->clear;
    sum->lift = sum->lift * left + fill->lift * sum->clear;
    sum->clear_gradient = px_sub(px_scale(sum->clear_gradient, left), term);
    sum->clear *= left;
    sum->sticky *= 1 - (1 - b->friction) * fill->part;
    sum->part += fill->part;
    sum->wetting += fill->part * b->wetting;
    if (b->adhesion > 0 && fill->part > 0) {
        double stick = b->adhesion * fmin(fill->part / f->wall_profile->part_near, 1);
        PxVec3 moves = px_scale(fill->velocity, stick);
        sum->stick += stick;
        sum->moves = px_add(sum->moves, moves);
        touch->stick = (float)stick;
        touch->moves[0] = (float)moves.x;
        touch->moves[1] = (float)moves.y;
        touch->moves[2] = (float)moves.z;
    }
    if (b->friction > 0) {
        double grip = b->friction * px_wall_profile_drag(f->wall_profile, fill->distance);
        PxVec3 v = px_scale(fill->velocity, grip);
        sum->drag += grip;
        sum->velocity = px_add(sum->velocity, v);
        touch->drag = (float)grip;
        touch->velocity[0] = (float)v.x;
        touch->velocity[1] = (float)v.y;
        touch->velocity[2] = (float)v.z;
    }
    if (f->wall_heat != NULL && !isnan(b->temperature))
        for (int k = 0; k < fill->faces; ++k)
            add_face(f, b, fill, fill->face[k], sum, touch);
}

static Touches *take_touches(Job *job, uint32_t block, uint32_t boundary, uint32_t count)
{
    PxFluid *f = job->fluid;
    size_t bytes = sizeof(Touches) + count * sizeof(Touch);
    px_join_begin(); /* the arena is for one thread at a time */
    Touches *touches = px_arena_take(f->scratch, bytes);
    job->no_room = job->no_room || touches == NULL;
    px_join_end();
    if (touches == NULL)
        return NULL;
    touches->next = f->touches[block];
    touches->boundary = boundary;
    touches->count = count;
    f->touches[block] = touches;
    return touches;
}

static void store_row(const PxFluid *f, uint32_t i, const Sum *sum)
{
    if (sum->missing) {
        f->wall_far[i] = NAN;
        for (Touch *t = sum->last; t != NULL; t = t->previous)
            t->row = NOBODY;
        return;
    }
    f->wall_part[i] = (float)(1 - sum->clear);
    f->wall_gx[i] = (float)-sum->clear_gradient.x;
    f->wall_gy[i] = (float)-sum->clear_gradient.y;
    f->wall_gz[i] = (float)-sum->clear_gradient.z;
    f->wall_flux[i] = (float)-sum->clear_flux;
    f->wall_lever[i] = (float)sum->lever;
    f->wall_lift[i] = (float)sum->lift;
    f->wall_slip[i] = (float)(1 - sum->sticky);
    f->wall_drag[i] = (float)sum->drag;
    f->wall_stick[i] = (float)sum->stick;
    f->wall_mx[i] = (float)sum->moves.x;
    f->wall_my[i] = (float)sum->moves.y;
    f->wall_mz[i] = (float)sum->moves.z;
    f->wall_parts[i] = (float)sum->part;
    f->wall_cos[i] = sum->part > 0 ? (float)(sum->wetting / sum->part) : 0.0f;
    if (f->wall_heat != NULL) {
        f->wall_heat[i] = sum->heat;
        f->wall_warmth[i] = sum->warmth;
    }
    f->wall_vx[i] = (float)sum->velocity.x;
    f->wall_vy[i] = (float)sum->velocity.y;
    f->wall_vz[i] = (float)sum->velocity.z;
}

/* Rows far from all boundaries: everything is 0. */
static void clear_rows(const PxFluid *f, uint32_t begin, uint32_t end)
{
    float *const arrays[] = {f->wall_part,  f->wall_gx,   f->wall_gy,   f->wall_gz,   f->wall_flux,
                             f->wall_lever, f->wall_lift, f->wall_slip, f->wall_drag, f->wall_stick,
                             f->wall_mx,    f->wall_my,   f->wall_mz,   f->wall_cos,  f->wall_vx,
                             f->wall_vy,    f->wall_vz};
    for (size_t k = 0; k < PX_COUNT(arrays); ++k)
        memset(arrays[k] + begin, 0, (end - begin) * sizeof(float));
    if (f->wall_heat != NULL) {
        memset(f->wall_heat + begin, 0, (end - begin) * sizeof *f->wall_heat);
        memset(f->wall_warmth + begin, 0, (end - begin) * sizeof *f->wall_warmth);
    }
}

static void find_parts(const PxParticles *p, uint32_t begin, uint32_t end, PxBounds *part)
{
    const float *const x[3] = {p->x, p->y, p->z};
    for (uint32_t from = begin; from < end; from += PX_FILL_PART) {
        uint32_t until = from + PX_FILL_PART < end ? from + PX_FILL_PART : end;
        float low[3], high[3];
        for (int a = 0; a < 3; ++a) {
            low[a] = high[a] = x[a][from];
            for (uint32_t i = from + 1; i < until; ++i) {
                low[a] = x[a][i] < low[a] ? x[a][i] : low[a];
                high[a] = x[a][i] > high[a] ? x[a][i] : high[a];
            }
        }
        *part++ = (PxBounds){{(double)low[0], (double)low[1], (double)low[2]},
                             {(double)high[0], (double)high[1], (double)high[2]}};
    }
}

/* Rows [begin, end) of one block, at most ROWS. */
static void fill_rows(Job *job, uint32_t begin, uint32_t end)
{
    PxFluid *f = job->fluid;
    const PxParticles *p = f->particles;
    PxBounds part[ROWS / PX_FILL_PART];
    find_parts(p, begin, end, part);
    const PxFillQuery query = {.x = p->x,
                               .y = p->y,
                               .z = p->z,
                               .begin = begin,
                               .end = end,
                               .profile = f->wall_profile,
                               .faces = f->wall_heat != NULL,
                               .up = f->up,
                               .part = part};
    PxFill fill[ROWS];
    Sum sum[1 + ROWS];
    uint16_t sum_of[ROWS]; /* most rows touch no boundary and share the first, empty one */
    uint16_t sums = 1;
    double nearest[ROWS];
    sum[0] = (Sum){.clear = 1, .sticky = 1};
    for (uint32_t i = 0; i < end - begin; ++i) {
        sum_of[i] = 0;
        nearest[i] = INFINITY;
    }
    for (size_t k = 0; k < f->boundaries; ++k) {
        const PxBoundary *b = f->boundary[k];
        uint32_t count = b->ops->fill(b, &query, fill, nearest);
        if (count == 0)
            continue;
        Touches *touches = take_touches(job, begin / PX_BLOCK, (uint32_t)k, count);
        for (uint32_t n = 0; n < count && touches != NULL; ++n) {
            uint16_t *which = &sum_of[fill[n].row - begin];
            if (*which == 0) {
                *which = sums;
                sum[sums++] = sum[0];
            }
            Sum *of = &sum[*which];
            touches->touch[n].row = NOBODY;
            if (isnan(fill[n].part))
                of->missing = true;
            else
                add_fill(f, b, &fill[n], of, &touches->touch[n]);
        }
    }
    clear_rows(f, begin, end);
    for (uint32_t i = begin; i < end; ++i) {
        f->wall_far[i] = (float)nearest[i - begin];
        if (sum_of[i - begin] != 0)
            store_row(f, i, &sum[sum_of[i - begin]]);
    }
}

static void fill_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    Job *job = user;
    if (!job->again) {
        job->fluid->touches[begin / PX_BLOCK] = NULL;
        for (uint32_t i = begin; i < end; i += ROWS)
            fill_rows(job, i, i + ROWS < end ? i + ROWS : end);
        return;
    }
    for (uint32_t i = begin; i < end; ++i)
        if (isnan(job->fluid->wall_far[i]))
            fill_rows(job, i, i + 1);
}

PxStatus px_fluid_boundaries(PxFluid *f)
{
    Job job = {.fluid = f};
    for (size_t k = 0; k < f->boundaries; ++k)
        PX_TRY(f->boundary[k]->ops->fill_begin(f->boundary[k], f->wall_profile));
    px_parallel_for(f->threads, f->count, PX_BLOCK, fill_block, &job);
    do { /* a row may need several tables, and finds out about them one by one */
        job.again = false;
        for (size_t k = 0; k < f->boundaries; ++k)
            PX_TRY(f->boundary[k]->ops->fill_more(f->boundary[k], f->threads, &job.again));
        if (job.again)
            px_parallel_for(f->threads, f->count, PX_BLOCK, fill_block, &job);
    } while (job.again);
    if (job.no_room)
        return px_fail(PX_ERR_MEMORY, "fluid: no room for what boundaries do to %u particles",
                       f->count);
    return PX_OK;
}

/* ---- what boundaries take ----------------------------------------------------- */

typedef struct Give {
    PxFluid *fluid;
    const float *more; /* of px_fluid_give_drag() */
    const float *part; /* factor of each particle's viscosity; NULL: 1 */
    double magic[2];   /* of the impulses, and of their moments */
} Give;

static void drag_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    (void)end;
    const Give *give = user;
    const PxFluid *f = give->fluid;
    const PxParticles *p = f->particles;
    float dt = (float)f->dt;
    for (Touches *list = f->touches[begin / PX_BLOCK]; list != NULL; list = list->next)
        for (uint32_t k = 0; k < list->count; ++k) {
            Touch *t = &list->touch[k];
            if (t->row == NOBODY || !(t->drag > 0.0f))
                continue;
            uint32_t i = t->row;
            const float *more = give->more != NULL ? give->more + 4 * (size_t)i : NULL;
            float v[3] = {p->vx[i], p->vy[i], p->vz[i]};
            const float a[3] = {p->ax[i], p->ay[i], p->az[i]};
            for (int c = 0; more != NULL && c < 3; ++c)
                v[c] += dt * (a[c] + more[c]);
            double nu = px_fluid_mu(f, i) / f->material[p->material[i]].def.density;
            float scale = dt * p->mass[i] * (float)nu * px_fluid_part(f, i);
            scale *= give->part != NULL ? give->part[i] : 1.0f;
            for (int c = 0; c < 3; ++c)
                t->impulse[c] = scale * (t->drag * v[c] - t->velocity[c]);
        }
}

/* Work of moving boundaries by their drag: minus the impulse that they take times their velocity,
 * velocity / drag of a touch. */
static void drag_work(const void *user, uint32_t begin, uint32_t end, PxSum *sum)
{
    const PxFluid *f = user;
    (void)end;
    for (Touches *list = f->touches[begin / PX_BLOCK]; list != NULL; list = list->next)
        for (uint32_t k = 0; k < list->count; ++k) {
            const Touch *t = &list->touch[k];
            if (t->row == NOBODY || !(t->drag > 0.0f) || f->inverse_mass[t->row] == 0.0f)
                continue;
            double dot = 0;
            for (int c = 0; c < 3; ++c)
                dot += (double)t->impulse[c] * (double)t->velocity[c];
            if (dot != 0)
                px_sum_add(sum, -dot / (double)t->drag);
        }
}

void px_fluid_give_drag(PxFluid *f, const float *more, const float *part)
{
    Give give = {.fluid = f, .more = more, .part = part};
    if (f->boundaries == 0)
        return;
    px_parallel_for(f->threads, f->count, PX_BLOCK, drag_block, &give);
    if (f->work == NULL || !(px_boundaries_travel(f->boundary, f->boundaries) > 0))
        return;
    PxRows rows = px_fluid_rows(f);
    rows.block = PX_BLOCK;
    PxSum work;
    px_reduce_exact(&rows, 1, drag_work, f, &work);
    f->work->wall_drag = px_sum_value(&work);
}

static PxImpulse impulse_of(const PxFluid *f, const Touch *t)
{
    return (PxImpulse){px_particle_place(f->particles, t->row),
                       {(double)t->impulse[0], (double)t->impulse[1], (double)t->impulse[2]}};
}

/* Adds the force along the gradient and finds the largest impulse of those that are summed. */
static void push_part(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    (void)end;
    const PxFluid *f = ((const Give *)user)->fluid;
    for (Touches *list = f->touches[begin / PX_BLOCK]; list != NULL; list = list->next)
        for (uint32_t k = 0; k < list->count; ++k) {
            Touch *t = &list->touch[k];
            if (t->row == NOBODY)
                continue;
            if (f->inverse_mass[t->row] == 0.0f) { /* held by something else */
                t->row = NOBODY;
                continue;
            }
            float more[3];
            px_touch_impulse(f, t, more);
            for (int c = 0; c < 3; ++c)
                t->impulse[c] += more[c];
            if (f->boundary[list->boundary]->ops->take != NULL)
                continue;
            PxImpulse impulse = impulse_of(f, t);
            PxVec3 moment = px_boundary_moment(f->boundary[list->boundary], impulse);
            part->most[0] = fmax(part->most[0], px_length(impulse.impulse));
            part->most[1] = fmax(part->most[1], px_length(moment));
            ++part->sum[0];
        }
}

static void take_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    (void)end;
    const Give *give = user;
    const PxFluid *f = give->fluid;
    for (Touches *list = f->touches[begin / PX_BLOCK]; list != NULL; list = list->next) {
        PxImpulse impulse[ROWS];
        uint32_t count = 0;
        for (uint32_t k = 0; k < list->count; ++k)
            if (list->touch[k].row != NOBODY)
                impulse[count++] = impulse_of(f, &list->touch[k]);
        px_boundary_take_many(f->boundary[list->boundary], impulse, count, give->magic);
    }
}

void px_fluid_give_impulses(PxFluid *f)
{
    if (f->boundaries == 0)
        return;
    Give give = {.fluid = f};
    PxRows rows = px_fluid_rows(f);
    rows.block = PX_BLOCK;
    PxPart part = {.maxima = 2, .sums = 1}; /* largest impulse and moment; number of touches */
    px_reduce(&rows, push_part, &give, &part);
    if (!isfinite(part.most[0]) || !isfinite(part.most[1]))
        return; /* reported when particles are moved */
    for (int k = 0; k < 2; ++k)
        give.magic[k] = px_sum_magic(part.most[k], (uint64_t)part.sum[0]);
    px_parallel_for(f->threads, f->count, PX_BLOCK, take_block, &give);
}

/* ---- heat by boundary ----------------------------------------------------------------- */

/* The mean temperature T of a particle during the step follows from the heat that all boundaries
 * gave it, given = dt c a (wall_warmth - wall_heat T); each gave its part of that. */
void px_fluid_heat_of_boundary(const PxFluid *f, uint32_t boundary, const double *given, PxSum *out)
{
    const PxBoundary *b = f->boundary[boundary];
    for (uint32_t block = 0; block * PX_BLOCK < f->count && f->wall_heat != NULL; ++block)
        for (const Touches *t = f->touches[block]; t != NULL; t = t->next) {
            if (t->boundary != boundary || isnan(b->temperature))
                continue;
            for (uint32_t n = 0; n < t->count; ++n) {
                uint32_t i = t->touch[n].row;
                if (i == NOBODY || !(t->touch[n].heat > 0.0f))
                    continue;
                const PxMaterialDef *def = &f->material[f->particles->material[i]].def;
                double rate =
                    f->dt * (double)f->particles->mass[i] * def->heat_capacity * def->diffusivity;
                double mean =
                    rate > 0 ? (f->wall_warmth[i] - given[i] / rate) / f->wall_heat[i] : 0;
                px_sum_add(out, rate * (double)t->touch[n].heat * (b->temperature - mean));
            }
        }
}
