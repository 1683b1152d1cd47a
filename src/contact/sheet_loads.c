/// What a fluid and sheets give each other in a step: contact/sheets.h says why.
#include "contact/sheets.h"

#include "fluid/touches.h"

#include <math.h>
#include <string.h>

typedef struct Job {
    PxSheets *s;
    PxFluid *fluid;
    double layer; /* of the fluid that viscosity drags along in a step, kg/m^2 */
} Job;

/* ---- who touches ------------------------------------------------------------------------------
 */

static bool counts(const PxFluid *f, const PxWallTouch *t)
{
    return t->row != PX_TOUCH_NOBODY && f->inverse_mass[t->row] > 0.0f &&
           px_fluid_part(f, t->row) > 0.0f;
}

/* A particle that touches, with the planes that px_sheets_find() found. */
static PxSheetTouch touch_of(const PxSheets *s, const PxFluid *f, struct PxWallTouch *touch,
                             uint32_t cloth)
{
    const PxParticles *p = f->particles;
    uint32_t i = touch->row;
    PxSheetTouch t = {.touch = touch,
                      .cloth = cloth,
                      .place = px_vec((double)p->x[i], (double)p->y[i], (double)p->z[i])};
    for (const PxSheetFound *n = s->found[i]; n != NULL; n = n->next)
        if (n->cloth == cloth) {
            t.planes = n->planes;
            t.plane = n->plane;
        }
    return t;
}

static uint32_t list_touches(PxSheets *s, const PxFluid *f, PxSheetTouch *out)
{
    uint32_t count = 0;
    for (uint32_t block = 0; block * PX_BLOCK < f->count; ++block)
        for (struct PxTouches *list = f->touches[block]; list != NULL; list = list->next) {
            const PxBoundary *b = f->boundary[list->boundary];
            if (b < &s->sheet[0].boundary || b > &s->sheet[s->sheets - 1].boundary)
                continue;
            uint32_t cloth = ((const PxSheet *)b)->cloth;
            for (uint32_t k = 0; k < list->count; ++k) {
                if (!counts(f, &list->touch[k]))
                    continue;
                if (out != NULL)
                    out[count] = touch_of(s, f, &list->touch[k], cloth);
                ++count;
            }
        }
    return count;
}

/* Does the motion of a sheet reach the particle? */
static bool is_pressed(const PxSheets *s, const PxParticles *p, uint32_t row)
{
    return p->pressure[row] > 0.0f || s->touching[row];
}

/* A walk over the cells of the fluid in front of a sheet: from the sheet along its normal past a
 * particle that touches, up to a cell without pressure. What falls freely on the sheet does not
 * move along with it. */
typedef struct Walk {
    const PxSheets *s;
    const PxFluid *fluid;
    PxVec3 from, along;
    double near; /* up to there cells may be empty, m */
    int steps;
    uint64_t last; /* key of the last cell */
    int again;     /* steps that stayed in it; beyond the grid all do */
} Walk;

static Walk walk_from(const PxSheets *s, const PxFluid *f, const PxSheetTouch *t)
{
    const PxSheetPlane *plane = &t->plane[0];
    return (Walk){.s = s,
                  .fluid = f,
                  .from = px_mad(t->place, plane->normal, -plane->distance),
                  .along = plane->normal,
                  .near = plane->distance + f->grid->frame.cell,
                  .last = ~0ull};
}

static bool any_pressed(const Walk *w, PxRange run)
{
    bool any = false;
    for (uint32_t i = run.begin; i < run.end && !any; ++i)
        any = is_pressed(w->s, w->fluid->particles, i);
    return any;
}

/* The rows of the next cell; false: there are no more. */
static bool next_cell(Walk *w, PxRange *out)
{
    enum { MOST = 128, STAYS = 4 };
    const PxGrid *g = w->fluid->grid;
    while (w->steps < MOST) {
        double way = w->steps * 0.5 * g->frame.cell;
        PxVec3 at = px_mad(w->from, w->along, way);
        uint64_t key = px_grid_key(&g->frame, (float)at.x, (float)at.y, (float)at.z);
        ++w->steps;
        w->again = key == w->last ? w->again + 1 : 0;
        w->last = key;
        if (w->again == STAYS)
            return false;
        if (w->again > 0)
            continue;
        uint32_t c = px_grid_lower_bound(g, key);
        if (c < g->cells && g->key[c] == key) {
            *out = (PxRange){g->begin[c], g->begin[c + 1]};
            if (any_pressed(w, *out))
                return true;
        }
        if (way > w->near)
            return false;
    }
    return false;
}

static PxVec3 impulse_of(const PxFluid *f, const PxWallTouch *t)
{
    float more[3];
    px_touch_impulse(f, t, more);
    return px_vec((double)(t->impulse[0] + more[0]), (double)(t->impulse[1] + more[1]),
                  (double)(t->impulse[2] + more[2]));
}

/* Sets the impulse of a particle and the mass that it adds: that of its column, shared among the
 * particles of the column that touch. */
static void carried_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *j = user;
    const PxParticles *p = j->fluid->particles;
    double cell = j->fluid->grid->frame.cell;
    for (uint32_t k = begin; k < end; ++k) {
        PxSheetTouch *t = &j->s->touch[k];
        double column = 0, touching = 0;
        t->impulse = impulse_of(j->fluid, t->touch);
        t->column = t->carried = t->clings = 0;
        if (px_dot(t->impulse, t->impulse) == 0 || t->planes == 0)
            continue; /* only fluid that presses moves along */
        PxRange run;
        Walk walk = walk_from(j->s, j->fluid, t);
        while (next_cell(&walk, &run))
            for (uint32_t i = run.begin; i < run.end; ++i) {
                column += is_pressed(j->s, p, i) ? (double)p->mass[i] : 0;
                touching += j->s->touching[i] ? (double)p->mass[i] : 0;
            }
        if (!(touching > 0))
            continue;
        t->column = column;
        t->carried = (double)p->mass[t->touch->row] * column / touching;
        double grip = j->s->sheet[t->cloth].boundary.friction;
        t->clings = t->carried * fmin(grip * j->layer * cell * cell / column, 1);
    }
}

/* Largest depth that viscosity reaches in a step times density, kg/m^2. */
static double viscous_layer(const PxFluid *f)
{
    double most = 0;
    for (uint32_t k = 0; k < f->materials; ++k) {
        const PxMaterialDef *d = &f->material[k].def;
        if (f->material[k].live && d->density > 0)
            most = fmax(most,
                        2 * sqrt(fmax(d->viscosity, d->melts.into.viscosity) * f->dt * d->density));
    }
    return most;
}

/* How the mass that a particle adds is shared among the planes that it faces: in proportion to the
 * size of the gradient of each plane's part of the kernel. The parts sum to 1. */
static void share_parts(const PxWallProfile *profile, PxSheetTouch *t)
{
    PxVec3 gradient[PX_SHEET_PLANES];
    double sizes = 0;
    px_sheet_parts(profile, t->plane, t->planes, gradient);
    for (int k = 0; k < t->planes; ++k)
        sizes += t->part[k] = px_length(gradient[k]);
    for (int k = 0; k < t->planes; ++k)
        t->part[k] = sizes > 0 ? t->part[k] / sizes : k == 0;
}

/* Adds `part` of the mass that a particle adds: all of it along the normal n of the plane, and what
 * viscosity drags along in the other directions. */
static void add_mass(PxClothAdded *to, const PxSheetTouch *t, PxVec3 n, double part)
{
    double across = part * t->clings, along = part * (t->carried - t->clings);
    const double add[6] = {across + along * n.x * n.x, along * n.x * n.y,
                           along * n.x * n.z,          across + along * n.y * n.y,
                           along * n.y * n.z,          across + along * n.z * n.z};
    for (int k = 0; k < 6; ++k)
        to->m[k] += add[k];
}

/* The momentum of that mass at the velocity v, N s. */
static PxVec3 mass_times(const PxSheetTouch *t, PxVec3 n, PxVec3 v)
{
    return px_mad(px_scale(v, t->clings), n, (t->carried - t->clings) * px_dot(n, v));
}

static PxStatus spread_masses(PxSheets *s)
{
    uint32_t n = s->system->vertices;
    PxArenaMark mark = px_arena_mark(s->scratch);
    PxVec3 *part = PX_ARENA_ARRAY(s->scratch, PxVec3, n + 1);
    if (part == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for the fluid on %u vertices", n);
    for (int half = 0; half < 6; half += 3) {
        for (uint32_t v = 0; v < n; ++v) {
            const double *m = &s->added[v].m[half];
            part[v] = px_vec(m[0], m[1], m[2]);
        }
        PX_TRY(px_sheets_spread(s, part));
        for (uint32_t v = 0; v < n; ++v) {
            double *m = &s->added[v].m[half];
            m[0] = part[v].x;
            m[1] = part[v].y;
            m[2] = part[v].z;
        }
    }
    px_arena_release(s->scratch, mark);
    return PX_OK;
}

/* Lists the particles and finds the planes that they face: once in a step. */
static PxStatus find_touches(PxSheets *s, Job *job)
{
    const PxFluid *f = job->fluid;
    s->touches = list_touches(s, f, NULL);
    s->touch = PX_ARENA_ARRAY(s->scratch, PxSheetTouch, (s->touches | 0x3ffu) + 1);
    s->touching = PX_ARENA_ARRAY(s->scratch, uint8_t, f->particles->table.count + 1);
    if (s->touch == NULL || s->touching == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u particles that touch it", s->touches);
    list_touches(s, f, s->touch);
    memset(s->touching, 0, f->particles->table.count);
    for (uint32_t k = 0; k < s->touches; ++k) {
        {
            const float *g = s->touch[k].touch->gradient;
            s->touching[s->touch[k].touch->row] = g[0] * g[0] + g[1] * g[1] + g[2] * g[2] > 0.0f;
        }
        share_parts(f->wall_profile, &s->touch[k]);
    }
    return PX_OK;
}

PxStatus px_sheets_touch(PxSheets *s, PxFluid *f)
{
    Job job = {s, f, viscous_layer(f)};
    if (s->touch == NULL)
        PX_TRY(find_touches(s, &job));
    for (uint32_t v = 0; v < s->system->vertices; ++v)
        s->added[v] = (PxClothAdded){{0}};
    px_parallel_for(f->threads, s->touches, PX_BLOCK / 4, carried_block, &job);
    for (uint32_t k = 0; k < s->touches; ++k) {
        const PxSheetTouch *t = &s->touch[k];
        for (int n = 0; n < t->planes && t->carried > 0; ++n)
            for (int c = 0; c < 3; ++c) {
                uint32_t v = s->system->face[t->plane[n].face].corner[c];
                add_mass(&s->added[v], t, t->plane[n].normal, t->part[n] * t->plane[n].weight[c]);
            }
    }
    return spread_masses(s);
}

/* ---- loads --------------------------------------------------------------------------------------
 */

static void give(PxSheets *s, const PxSheetPlane *plane, PxVec3 impulse)
{
    for (int c = 0; c < 3; ++c) {
        PxVec3 *load = &s->load[s->system->face[plane->face].corner[c]];
        *load = px_mad(*load, impulse, plane->weight[c]);
    }
}

/* Gradients of the planes' parts: px_sheet_parts(). Each plane gets the pressure along its
 * own gradient; the rest, drag and tension, is shared by their sizes. */
static void share(PxSheets *s, const PxWallProfile *profile, const PxSheetTouch *t, PxVec3 impulse)
{
    PxVec3 gradient[PX_SHEET_PLANES], sum = px_vec(0, 0, 0);
    double sizes = 0;
    if (t->planes == 1) {
        give(s, &t->plane[0], impulse);
        return;
    }
    px_sheet_parts(profile, t->plane, t->planes, gradient);
    for (int k = 0; k < t->planes; ++k) {
        sum = px_add(sum, gradient[k]);
        sizes += px_length(gradient[k]);
    }
    double square = px_dot(sum, sum);
    if (!(square > 0) || !(sizes > 0)) {
        give(s, &t->plane[0], impulse);
        return;
    }
    double along = px_dot(impulse, sum) / square;
    PxVec3 rest = px_mad(impulse, sum, -along);
    for (int k = 0; k < t->planes; ++k)
        give(s, &t->plane[k],
             px_mad(px_scale(gradient[k], along), rest, px_length(gradient[k]) / sizes));
}

/* Velocity of a sheet with what friction gave it so far. */
static PxVec3 velocity_at(const PxSheets *s, const PxVec3 *rubbed, const PxSheetPlane *p,
                          double *per_mass)
{
    PxVec3 v = px_vec(0, 0, 0);
    *per_mass = 0;
    for (int c = 0; c < 3; ++c) {
        uint32_t k = s->system->face[p->face].corner[c];
        double w = p->weight[c], one = s->held[k] ? 0 : 1 / s->mass[k];
        v = px_mad(v, px_mad(s->v[k], rubbed[k], one), w);
        *per_mass += w * w * one;
    }
    return v;
}

/* Friction along the sheet, after pressure: takes at most mu times the normal impulse (004 Eq. 4.5)
 * and delta times the relative velocity (Eq. 4.8), both with the mass of the pair, so that it stops
 * the relative motion at most. Both get the same impulse. */
static void rub(PxSheets *s, PxFluid *f, const PxSheetTouch *t, PxVec3 *rubbed)
{
    const PxSheet *sheet = &s->sheet[t->cloth];
    PxParticles *p = f->particles;
    uint32_t i = t->touch->row;
    if (t->planes == 0 || !(sheet->slip + sheet->drag > 0))
        return;
    const PxSheetPlane *plane = &t->plane[0];
    double mass = (double)p->mass[i], dt = f->dt, per;
    PxVec3 u = velocity_at(s, rubbed, plane, &per), n = plane->normal;
    PxVec3 v = {(double)p->vx[i] + dt * (double)p->ax[i], (double)p->vy[i] + dt * (double)p->ay[i],
                (double)p->vz[i] + dt * (double)p->az[i]};
    PxVec3 way = px_sub(v, u);
    way = px_mad(way, n, -px_dot(way, n));
    double speed = px_length(way), alone = 1 / (1 / mass + per);
    double normal = -px_dot(t->impulse, n);
    double wet = px_sheet_slip(s, plane);
    double size = wet * sheet->slip * fmax(normal, 0);
    if (plane->distance < f->spacing)
        size += wet * sheet->drag * speed * dt;
    size = fmin(size, alone * speed);
    if (!(speed > 0) || !(size > 0))
        return;
    PxVec3 impulse = px_scale(way, size / speed);
    for (int c = 0; c < 3; ++c) {
        PxVec3 *r = &rubbed[s->system->face[plane->face].corner[c]];
        *r = px_mad(*r, impulse, plane->weight[c]);
    }
    p->ax[i] -= (float)(impulse.x / (mass * dt));
    p->ay[i] -= (float)(impulse.y / (mass * dt));
    p->az[i] -= (float)(impulse.z / (mass * dt));
}

PxStatus px_sheets_load(PxSheets *s, const PxFluid *f)
{
    for (uint32_t v = 0; v < s->system->vertices; ++v)
        s->load[v] = px_vec(0, 0, 0);
    for (uint32_t k = 0; k < s->touches; ++k)
        if (s->touch[k].planes > 0 && px_dot(s->touch[k].impulse, s->touch[k].impulse) > 0)
            share(s, f->wall_profile, &s->touch[k], s->touch[k].impulse);
    return px_sheets_spread(s, s->load);
}

PxStatus px_sheets_rub(PxSheets *s, PxFluid *f)
{
    PxArenaMark mark = px_arena_mark(s->scratch);
    uint32_t n = s->system->vertices;
    PxVec3 *rubbed = PX_ARENA_ARRAY(s->scratch, PxVec3, n + 1);
    if (rubbed == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u vertices", n);
    for (uint32_t v = 0; v < n; ++v)
        rubbed[v] = px_vec(0, 0, 0);
    for (uint32_t k = 0; k < s->touches; ++k)
        rub(s, f, &s->touch[k], rubbed);
    PX_TRY(px_sheets_spread(s, rubbed));
    for (uint32_t v = 0; v < n; ++v)
        s->load[v] = px_add(s->load[v], rubbed[v]);
    px_arena_release(s->scratch, mark);
    return PX_OK;
}

/* ---- what the fluid gets back -------------------------------------------------------------------
 */

/* Impulse of the added mass on a particle that touches, from the vertices' changes of velocity. */
static PxVec3 due_to(const PxSheets *s, const PxSheetTouch *t, const PxVec3 *change)
{
    PxVec3 sum = px_vec(0, 0, 0);
    for (int n = 0; n < t->planes; ++n)
        for (int c = 0; c < 3; ++c) {
            uint32_t v = s->system->face[t->plane[n].face].corner[c];
            sum = px_mad(sum, mass_times(t, t->plane[n].normal, change[v]),
                         t->part[n] * t->plane[n].weight[c]);
        }
    return sum;
}

PxStatus px_sheets_return(const PxSheets *s, const PxFluid *f, PxVec3 *change)
{
    PxParticles *p = f->particles;
    PX_TRY(px_sheets_mean(s, change));
    for (uint32_t k = 0; k < s->touches; ++k) {
        const PxSheetTouch *t = &s->touch[k];
        if (!(t->carried > 0))
            continue;
        PxVec3 due = px_scale(due_to(s, t, change), 1 / (t->column * f->dt));
        PxRange run;
        Walk walk = walk_from(s, f, t);
        while (next_cell(&walk, &run))
            for (uint32_t i = run.begin; i < run.end; ++i) {
                if (!is_pressed(s, p, i))
                    continue;
                p->ax[i] += (float)due.x;
                p->ay[i] += (float)due.y;
                p->az[i] += (float)due.z;
            }
    }
    return PX_OK;
}

/* ---- the velocity that the fluid sees -----------------------------------------------------------
 */

PxStatus px_sheets_set_velocity(PxSheets *s, PxFluid *f, const PxVec3 *v)
{
    uint32_t n = s->system->vertices;
    PxArenaMark mark = px_arena_mark(s->scratch);
    PxVec3 *seen = PX_ARENA_ARRAY(s->scratch, PxVec3, n + 1);
    if (seen == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u vertices", n);
    for (uint32_t i = 0; i < n; ++i)
        seen[i] = s->sent[i] = v[i];
    PX_TRY(px_sheets_mean(s, seen));
    for (uint32_t k = 0; k < s->touches; ++k) {
        const PxSheetTouch *t = &s->touch[k];
        PxVec3 change = px_vec(0, 0, 0);
        for (int c = 0; c < 3 && t->planes > 0; ++c) {
            uint32_t i = s->system->face[t->plane[0].face].corner[c];
            change = px_mad(change, px_sub(seen[i], s->v[i]), t->plane[0].weight[c]);
        }
        const float *g = t->touch->gradient;
        f->wall_flux[t->touch->row] +=
            px_fluid_part(f, t->touch->row) *
            (float)(change.x * (double)g[0] + change.y * (double)g[1] + change.z * (double)g[2]);
    }
    for (uint32_t i = 0; i < n; ++i)
        s->v[i] = seen[i];
    px_arena_release(s->scratch, mark);
    return PX_OK;
}
