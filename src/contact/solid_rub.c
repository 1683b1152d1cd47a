#include "contact/solid_rub.h"

#include "base/mat3.h"
#include "solid/friction.h"

#include <math.h>
#include <string.h>

static PxVec3 vec_of(const float *quad)
{
    return px_vec((double)quad[0], (double)quad[1], (double)quad[2]);
}

/* Displacement gradient of the row. */
static PxMat3 gradient_of(const PxSolid *s, uint32_t i)
{
    PxMat3 h;
    for (int k = 0; k < 9; ++k)
        h.m[k / 3][k % 3] = (double)s->gradient[px_solid_at(i, k, 9)];
    return h;
}

/* Vector in the rest shape that the deformation gradient of row i maps to `way`; 0 if the gradient
 * is singular or the vector too long for the linear fit. */
static PxVec3 rest_way(const PxSolid *s, PxVec3 way, uint32_t i)
{
    PxMat3 inverse;
    if (!px_mat3_inverse(px_mat3_add(px_mat3_identity(), gradient_of(s, i)), &inverse))
        return px_vec(0, 0, 0);
    PxMat3 back = px_mat3_transpose(s->frame[s->frame_of[i]].turn);
    PxVec3 rest = px_mat3_apply(inverse, px_mat3_apply(back, way));
    return px_dot(rest, rest) < 4 * px_dot(way, way) ? rest : px_vec(0, 0, 0);
}

static double friction_of(const PxSolid *s, const PxFacing *f)
{
    const uint32_t *material = s->particles->material;
    return sqrt(s->material[material[f->row]].def.friction *
                s->material[material[s->frame[f->frame].begin]].def.friction);
}

static void set_grip(const PxSolid *s, const PxFacing *f, PxSolidTouch *t, double grip)
{
    t->grip = grip;
    /* along the contact no stiffer than across it, which solves and sub-steps would notice */
    t->give = fmax(px_friction_give((double)s->particles->radius[f->row]), 2 * t->grip / t->stiff);
}

/* Grip and give of a contact. */
static void hold(const PxSolidSolids *c, uint32_t m, PxSolidTouch *t)
{
    const PxSolid *s = c->solid;
    const PxFacing *f = &c->facings.facing[m];
    set_grip(s, f, t, friction_of(s, f) * t->force);
    t->rest = rest_way(s, t->way, f->row);
}

/* What the row resists already, in the world and along the contact, m. */
static PxVec3 stored(const PxSolid *s, uint32_t i, PxVec3 normal)
{
    PxVec3 stuck = px_vec((double)s->columns.stuck[0][i], (double)s->columns.stuck[1][i],
                          (double)s->columns.stuck[2][i]);
    stuck = px_mat3_apply(s->frame[s->frame_of[i]].turn, stuck);
    return px_mad(stuck, normal, -px_dot(stuck, normal));
}

static void store(const PxSolid *s, uint32_t i, PxVec3 stuck)
{
    stuck = px_mat3_apply(px_mat3_transpose(s->frame[s->frame_of[i]].turn), stuck);
    s->columns.stuck[0][i] = (float)stuck.x;
    s->columns.stuck[1][i] = (float)stuck.y;
    s->columns.stuck[2][i] = (float)stuck.z;
}

/* ---- leapfrog --------------------------------------------------------------------- */

static void note_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxSolidSolids *c = user;
    for (uint32_t n = begin; n < end; ++n) {
        uint32_t i = c->facings.near[n];
        for (int k = 0; k < 9; ++k)
            c->gradient[9 * (size_t)i + (size_t)k] = c->solid->gradient[px_solid_at(i, k, 9)];
    }
}

/* Rows without a contact resist nothing. */
static void forget_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxSolidSolids *c = user;
    for (uint32_t n = begin; n < end; ++n) {
        uint32_t i = c->facings.near[n];
        if (c->holder[i] != 0)
            continue;
        for (int a = 0; a < 3; ++a)
            c->solid->columns.stuck[a][i] = 0.0f;
        c->solid->columns.owed[0][i] *= (float)c->left;
    }
}

/* Displacement along the contact in the last move, of the row's side relative to the other. */
static PxVec3 slid(const PxSolidSolids *c, const PxFacing *f, const PxSolidTouch *t)
{
    const PxSolid *s = c->solid;
    PxMat3 change = gradient_of(s, f->row);
    for (int k = 0; k < 9; ++k)
        change.m[k / 3][k % 3] -= (double)c->gradient[9 * (size_t)f->row + (size_t)k];
    PxVec3 d = px_add(c->moved[f->row], px_mat3_apply(s->frame[s->frame_of[f->row]].turn,
                                                      px_mat3_apply(change, t->rest)));
    PX_FOR_TOUCHING(&c->pass.slopes, f, e)
    {
        const PxVec3 *by = &c->moved[c->facings.entry[e]];
        double w = (double)c->pass.slopes.weight[e];
        d.x -= w * by->x;
        d.y -= w * by->y;
        d.z -= w * by->z;
    }
    return px_mad(d, t->normal, -px_dot(d, t->normal));
}

/* Sum of squared weights over masses of the rows on both sides. */
static double lightness(const PxSolidSolids *c, const PxFacing *f, const PxSolidTouch *t)
{
    const PxSolid *s = c->solid;
    const PxSolidLists *l = s->lists;
    double left = 1, light = 0;
    for (uint32_t e = l->start[f->row]; e < l->start[f->row + 1]; ++e) {
        double a = px_dot(vec_of(l->pair + 4 * (size_t)e), t->rest);
        left -= a;
        light += a * a * (double)s->inverse_mass[l->other[e] / 16];
    }
    light += left * left * (double)s->inverse_mass[f->row];
    PX_FOR_TOUCHING(&c->pass.slopes, f, e)
    {
        double w = (double)c->pass.slopes.weight[e];
        light += w * w * (double)s->inverse_mass[c->facings.entry[e]];
    }
    return light;
}

/* Damping of contacts that stick, as a part of the critical one. */
#define DAMPED 0.3

/* Gaps that change slower than this many times sqrt(gravity radius) are damped: solids that lie on
 * each other would tremble for ever, and slip whenever they press less. Collisions are faster, and
 * lose a part of about the square of the ratio. */
#define TREMBLES 0.1

/* Damps the change of a gap since the forces before; returns its rate, m/s. */
static double calm(const PxSolidSolids *c, uint32_t m, PxSolidTouch *t, double dt)
{
    const PxSolid *s = c->solid;
    double before = (double)c->gap[m], rate = before > 0 && dt > 0 ? (t->gap - before) / dt : 0;
    double slow = TREMBLES * sqrt(px_length(s->gravity) *
                                  (double)s->particles->radius[c->facings.facing[m].row]);
    c->gap[m] = (float)t->gap;
    if (rate == 0 || !(slow > 0) || !(t->light > 0))
        return rate;
    double damping = fmin(2 * DAMPED * sqrt(t->stiff / t->light), 0.25 / (t->light * dt));
    double part = rate / slow;
    t->force = fmax(t->force - damping * rate / (1 + part * part), 0);
    return rate;
}

/* Lets the grip follow the force with a delay. What is owed at a row's first contact is
 * stored with the row. */
static void delay_grip(const PxSolidSolids *c, uint32_t m, PxSolidTouch *t, bool first, double rate,
                       double way)
{
    const PxSolid *s = c->solid;
    const PxFacing *f = &c->facings.facing[m];
    float *to = first ? &s->columns.owed[0][f->row] : &c->owed[m];
    double owed = (double)*to;
    PxFrictionLoad load = {.force = t->force,
                           .friction = friction_of(s, f),
                           .closing = -rate,
                           .sliding = s->moved > 0 ? way / s->moved : 0,
                           .light = (double)s->inverse_mass[f->row],
                           .radius = (double)s->particles->radius[f->row],
                           .gravity = px_length(s->gravity),
                           .dt = s->moved};
    set_grip(s, f, t, load.friction * px_friction_load(&owed, &load));
    *to = (float)owed;
}

static void rub_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxSolidSolids *c = user;
    const PxSolid *s = c->solid;
    double dt = s->moved;
    for (uint32_t n = begin; n < end; ++n) {
        uint32_t m = c->active[n];
        const PxFacing *f = &c->facings.facing[m];
        PxSolidTouch *t = &c->touch[m];
        bool first = c->holder[f->row] == n + 1;
        double rate = calm(c, m, t, dt);
        hold(c, m, t);
        t->rub = px_vec(0, 0, 0);
        PxVec3 way = dt > 0 ? slid(c, f, t) : px_vec(0, 0, 0);
        delay_grip(c, m, t, first, rate, px_length(way));
        if (!(t->grip > 0)) {
            if (first)
                store(s, f->row, px_vec(0, 0, 0));
            continue;
        }
        PxVec3 stuck = first ? px_add(stored(s, f->row, t->normal), way) : way;
        double size = px_length(stuck);
        stuck = px_scale(stuck, size > t->give ? t->give / size : 1);
        if (first)
            store(s, f->row, stuck);
        double x = fmin(size, t->give) / t->give;
        PxVec3 push = px_scale(stuck, -t->grip / t->give * px_friction_secant(x));
        if (dt > 0) {
            if (!(c->rub_light[m] > 0))
                c->rub_light[m] = (float)lightness(c, f, t);
            double light = (double)c->rub_light[m];
            double damping = light > 0 ? 2 * DAMPED * sqrt(t->stiff / light) : 0;
            push = px_mad(push, way, -fmin(damping, 0.25 / (light * dt)) / dt);
        }
        size = px_length(push);
        t->rub = px_scale(push, size > t->grip ? t->grip / size : 1);
    }
}

PxStatus px_solid_rub_begin(PxSolidSolids *c)
{
    PxSolid *s = c->solid;
    const PxFacings *f = &c->facings;
    size_t facings = px_round_up(f->facings, 1u << 8), pairs = px_round_up(f->pairs, 64);
    c->holder = PX_ARENA_ARRAY(s->scratch, uint32_t, s->count);
    bool room = c->holder != NULL;
    if (c->implicit) {
        c->kept = PX_ARENA_ARRAY(s->scratch, PxSolidTouch, facings);
        c->kept_of = PX_ARENA_ARRAY(s->scratch, uint32_t, facings);
        c->kept_first = PX_ARENA_ARRAY(s->scratch, uint32_t, pairs);
        c->kept_end = PX_ARENA_ARRAY(s->scratch, uint32_t, pairs);
        c->share = PX_ARENA_ARRAY(s->scratch, float, px_round_up(f->entries, 1u << 12));
        c->grip = PX_ARENA_ARRAY(s->scratch, float, facings);
        room = room && c->kept != NULL && c->kept_of != NULL && c->kept_first != NULL &&
               c->kept_end != NULL && c->share != NULL && c->grip != NULL;
        if (room) {
            memset(c->grip, 0, f->facings * sizeof *c->grip);
            memset(c->kept_first, 0, f->pairs * sizeof *c->kept_first);
            memset(c->kept_end, 0, f->pairs * sizeof *c->kept_end);
        }
    } else {
        c->gradient = PX_ARENA_ARRAY(s->scratch, float, 9 * (size_t)s->count);
        c->rub_light = PX_ARENA_ARRAY(s->scratch, float, facings);
        c->gap = PX_ARENA_ARRAY(s->scratch, float, facings);
        c->owed = PX_ARENA_ARRAY(s->scratch, float, facings);
        room = room && c->gradient != NULL && c->rub_light != NULL && c->gap != NULL &&
               c->owed != NULL;
        if (room) {
            memset(c->owed, 0, f->facings * sizeof *c->owed);
            memset(c->rub_light, 0, f->facings * sizeof *c->rub_light);
            memset(c->gap, 0, f->facings * sizeof *c->gap);
        }
    }
    return room ? PX_OK : px_fail(PX_ERR_MEMORY, "contact: no room for %u particles", f->facings);
}

void px_solid_rub_forces(PxSolidSolids *c)
{
    PxSolid *s = c->solid;
    const PxFacings *f = &c->facings;
    if (c->implicit) {
        for (uint32_t n = 0; n < c->actives; ++n)
            c->touch[c->active[n]].rub = px_vec(0, 0, 0);
        return;
    }
    for (uint32_t n = 0; n < f->nears; ++n)
        c->holder[f->near[n]] = 0;
    for (uint32_t n = c->actives; n-- > 0;)
        c->holder[f->facing[c->active[n]].row] = n + 1;
    double g = px_length(s->gravity);
    double delay = g > 0 ? PX_FRICTION_DELAY * sqrt((double)s->particles->radius[0] / g) : 0;
    c->left = s->moved + delay > 0 ? delay / (s->moved + delay) : 1;
    px_parallel_for(s->threads, f->nears, 256, forget_block, c);
    px_parallel_for(s->threads, c->actives, 32, rub_block, c);
    px_parallel_for(s->threads, f->nears, 256, note_block, c);
}

/* ---- implicit solve ------------------------------------------------------------------ */

/* Difference of the quads on both sides of a contact, along it, in the world. */
static PxVec3 across(const PxSolidSolids *c, uint32_t n, const float *quad)
{
    const PxSolid *s = c->solid;
    const PxSolidLists *l = s->lists;
    const PxSolidTouch *t = &c->kept[n];
    const PxFacing *f = &c->facings.facing[c->kept_of[n]];
    double left = 1;
    PxVec3 here = {0, 0, 0}, there = {0, 0, 0};
    for (uint32_t e = l->start[f->row]; e < l->start[f->row + 1]; ++e) {
        double a = px_dot(vec_of(l->pair + 4 * (size_t)e), t->rest);
        left -= a;
        here = px_mad(here, vec_of(quad + l->other[e] / 4), a);
    }
    here = px_mad(here, vec_of(quad + 4 * (size_t)f->row), left);
    for (uint32_t e = f->start; e < f->start + f->size; ++e)
        there = px_mad(there, vec_of(quad + 4 * (size_t)c->facings.entry[e]), (double)c->share[e]);
    PxVec3 d = px_sub(px_mat3_apply(s->frame[s->frame_of[f->row]].turn, here),
                      px_mat3_apply(s->frame[f->frame].turn, there));
    return px_mad(d, t->normal, -px_dot(d, t->normal));
}

static void add_quad(float *quad, uint32_t i, PxVec3 v, double scale)
{
    quad[4 * (size_t)i] += (float)(scale * v.x);
    quad[4 * (size_t)i + 1] += (float)(scale * v.y);
    quad[4 * (size_t)i + 2] += (float)(scale * v.z);
}

typedef struct Job {
    PxSolidSolids *c;
    const float *quad;
    float *out;
} Job;

/* out += contact->rubbing times the weights of the rows of the kept contacts, for the rows of some
 * frames. */
static void apart_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    const PxSolidSolids *c = job->c;
    const PxFacings *f = &c->facings;
    const PxSolid *s = c->solid;
    const PxSolidLists *l = s->lists;
    for (uint32_t k = begin; k < end; ++k) {
        PxMat3 back = px_mat3_transpose(s->frame[k].turn);
        for (uint32_t n = c->kept_first[f->from[k]];
             f->from[k] < f->from[k + 1] && n < c->kept_end[f->from[k + 1] - 1]; ++n) {
            uint32_t i = f->facing[c->kept_of[n]].row;
            PxVec3 here = px_mat3_apply(back, c->rubbing[n]);
            double left = 1;
            for (uint32_t e = l->start[i]; e < l->start[i + 1]; ++e) {
                double a = px_dot(vec_of(l->pair + 4 * (size_t)e), c->kept[n].rest);
                left -= a;
                add_quad(job->out, l->other[e] / 16, here, a);
            }
            add_quad(job->out, i, here, left);
        }
        for (uint32_t q = f->met[k]; q < f->met[k + 1]; ++q)
            for (uint32_t n = c->kept_first[f->meets[q]]; n < c->kept_end[f->meets[q]]; ++n) {
                const PxFacing *here = &f->facing[c->kept_of[n]];
                PxVec3 there = px_mat3_apply(back, c->rubbing[n]);
                for (uint32_t e = here->start; e < here->start + here->size; ++e)
                    add_quad(job->out, f->entry[e], there, -(double)c->share[e]);
            }
    }
}

static void apart(PxSolidSolids *c, float *out)
{
    Job job = {c, NULL, out};
    px_parallel_for(c->solid->threads, c->solid->frames, 1, apart_block, &job);
}

/* Change of grips, relative to their sum, that wants another solve. */
#define GRIP_CHANGE 0.05

bool px_solid_rub_grip(void *user, double dt)
{
    PxSolidSolids *c = user;
    const PxFacings *f = &c->facings;
    const PxSolid *s = c->solid;
    double all = 0, changes = 0;
    c->dt = dt;
    c->kepts = 0;
    memcpy(c->share, c->pass.slopes.weight, f->entries * sizeof *c->share);
    for (uint32_t n = 0; n < f->nears; ++n)
        c->holder[f->near[n]] = 0;
    for (uint32_t p = 0; p < f->pairs; ++p) {
        c->kept_first[p] = c->kepts;
        for (uint32_t m = f->pair[p].first; m < f->pair[p].end; ++m) {
            double before = (double)c->grip[m];
            c->grip[m] = 0;
            if (c->on[m]) {
                PxSolidTouch t = c->touch[m];
                uint32_t i = f->facing[m].row;
                hold(c, m, &t);
                t.stuck = px_vec(0, 0, 0);
                if (t.grip > 0) {
                    if (c->holder[i] == 0) {
                        c->holder[i] = c->kepts + 1;
                        t.stuck = px_scale(stored(s, i, t.normal), 1 / dt);
                    }
                    c->grip[m] = (float)t.grip;
                    c->kept_of[c->kepts] = m;
                    c->kept[c->kepts++] = t;
                }
            }
            changes += fabs((double)c->grip[m] - before);
            all += (double)c->grip[m];
        }
        c->kept_end[p] = c->kepts;
    }
    return (all > 0 ? changes / all : changes > 0) > GRIP_CHANGE;
}

static void rubbing_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    PxSolidSolids *c = job->c;
    for (uint32_t n = begin; n < end; ++n) {
        PxSolidTouch *t = &c->kept[n];
        PxVec3 v = px_add(across(c, n, job->quad), t->stuck);
        double slow = t->give / c->dt, speed = px_length(v), x = speed / slow;
        t->drag = t->grip / slow * px_friction_secant(x);
        t->bend = t->grip / slow * px_friction_slope(x);
        t->slide = px_scale(v, speed > 0 ? 1 / speed : 0);
        t->energy = c->dt * t->grip * slow * px_friction_potential(x);
        c->rubbing[n] = px_scale(v, -t->drag);
    }
}

double px_solid_rub_add(void *user, const float *quad, float *out)
{
    PxSolidSolids *c = user;
    Job job = {c, quad, NULL};
    px_parallel_for(c->solid->threads, c->kepts, 32, rubbing_block, &job);
    double energy = 0;
    for (uint32_t n = 0; n < c->kepts; ++n)
        energy += c->kept[n].energy;
    apart(c, out);
    return energy;
}

static void drag_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    const PxSolidSolids *c = job->c;
    for (uint32_t n = begin; n < end; ++n) {
        const PxSolidTouch *t = &c->kept[n];
        PxVec3 v = across(c, n, job->quad);
        double along = px_dot(v, t->slide);
        PxVec3 f = px_mad(px_scale(v, -t->drag), t->slide, (t->drag - t->bend) * along);
        c->rubbing[n] = px_scale(f, 1 / c->dt);
    }
}

void px_solid_rub_tangent(const PxSolidSolids *contact, const float *quad, float *out)
{
    PxSolidSolids *c = (PxSolidSolids *)contact;
    Job job = {c, quad, NULL};
    px_parallel_for(c->solid->threads, c->kepts, 32, drag_block, &job);
    apart(c, out);
}

void px_solid_rub_stick(void *user, const float *quad)
{
    PxSolidSolids *c = user;
    const PxSolid *s = c->solid;
    const PxFacings *f = &c->facings;
    for (uint32_t n = 0; n < f->nears; ++n)
        for (int a = 0; a < 3; ++a)
            s->columns.stuck[a][f->near[n]] = 0.0f;
    for (uint32_t n = 0; n < c->kepts; ++n) {
        PxSolidTouch *t = &c->kept[n];
        uint32_t i = f->facing[c->kept_of[n]].row;
        if (c->holder[i] != n + 1)
            continue;
        PxVec3 stuck = px_add(t->stuck, across(c, n, quad));
        double speed = px_length(stuck), slow = t->give / c->dt;
        store(s, i, px_scale(stuck, speed > slow ? t->give / speed : c->dt));
    }
}
