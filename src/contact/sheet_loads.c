/// What a fluid and sheets give each other in a step: contact/sheets.h says why.
#include "contact/sheets.h"

#include "fluid/touches.h"

#include <math.h>
#include <string.h>

typedef struct Job {
    PxSheets *s;
    PxFluid *fluid;
} Job;

/* ---- who touches ------------------------------------------------------------------------------
 */

static bool counts(const PxFluid *f, const PxWallTouch *t)
{
    return t->row != PX_TOUCH_NOBODY && f->inverse_mass[t->row] > 0.0f &&
           px_fluid_part(f, t->row) > 0.0f;
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
                    out[count] = (PxSheetTouch){.touch = &list->touch[k], .cloth = cloth};
                ++count;
            }
        }
    return count;
}

static void planes_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *j = user;
    const PxParticles *p = j->fluid->particles;
    for (uint32_t k = begin; k < end; ++k) {
        PxSheetTouch *t = &j->s->touch[k];
        uint32_t i = t->touch->row;
        PxVec3 place = {(double)p->x[i], (double)p->y[i], (double)p->z[i]};
        t->planes = px_sheet_planes(j->s, t->cloth, place, t->plane);
    }
}

/* A walk over the cells of the fluid before both sides of a vertex: along the normal, up to an
 * empty one. */
typedef struct Walk {
    const PxSheets *s;
    const PxGrid *grid;
    uint32_t vertex;
    int side, steps;
    uint64_t last; /* key of the last cell */
    int again;     /* steps that stayed in it; beyond the grid all do */
} Walk;

static Walk walk_from(const PxSheets *s, const PxFluid *f, uint32_t vertex)
{
    return (Walk){.s = s, .grid = f->grid, .vertex = vertex, .last = ~0ull};
}

/* The rows of the next cell; false: there are no more. */
static bool next_cell(Walk *w, PxRange *out)
{
    enum { MOST = 128, STAYS = 4 };
    const PxGrid *g = w->grid;
    while (w->side < 2) {
        double way = (w->steps + 0.5) * 0.5 * g->frame.cell;
        PxVec3 at = px_mad(w->s->x[w->vertex], w->s->normal[w->vertex], w->side == 0 ? way : -way);
        uint64_t key = px_grid_key(&g->frame, (float)at.x, (float)at.y, (float)at.z);
        uint32_t c = px_grid_lower_bound(g, key);
        w->again = key == w->last ? w->again + 1 : 0;
        if (w->steps == MOST || w->again == STAYS || c >= g->cells || g->key[c] != key) {
            ++w->side;
            w->steps = w->again = 0;
            continue;
        }
        ++w->steps;
        w->last = key;
        if (w->again > 0)
            continue;
        *out = (PxRange){g->begin[c], g->begin[c + 1]};
        return true;
    }
    return false;
}

static double column_mass(const PxSheets *s, const PxFluid *f, uint32_t vertex)
{
    double mass = 0;
    PxRange run;
    Walk walk = walk_from(s, f, vertex);
    while (next_cell(&walk, &run))
        for (uint32_t i = run.begin; i < run.end; ++i)
            mass += (double)f->particles->mass[i];
    return mass;
}

static void added_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *j = user;
    PxSheets *s = j->s;
    double cell = j->fluid->grid->frame.cell;
    for (uint32_t i = begin; i < end; ++i) {
        if (!(s->added[i] > 0)) /* a mark that particles touch it */
            continue;
        double share = s->system->share[i];
        s->added[i] = column_mass(s, j->fluid, i) * share / (cell * cell);
        s->clings[i] = fmin(s->clings[i] * share, s->added[i]);
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

PxStatus px_sheets_touch(PxSheets *s, PxFluid *f)
{
    Job job = {s, f};
    s->touches = list_touches(s, f, NULL);
    s->touch = PX_ARENA_ARRAY(f->scratch, PxSheetTouch, (s->touches | 0x3ffu) + 1);
    if (s->touch == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u particles that touch it", s->touches);
    list_touches(s, f, s->touch);
    px_parallel_for(f->threads, s->touches, PX_BLOCK / 4, planes_block, &job);
    double layer = viscous_layer(f);
    for (uint32_t k = 0; k < s->touches; ++k) {
        const PxSheetTouch *t = &s->touch[k];
        double grip = s->sheet[t->cloth].boundary.friction;
        for (int n = 0; n < t->planes; ++n)
            for (int c = 0; c < 3; ++c) {
                uint32_t v = s->system->face[t->plane[n].face].corner[c];
                s->added[v] = 1;
                s->clings[v] = grip * layer;
            }
    }
    px_parallel_for(f->threads, s->system->vertices, 256, added_block, &job);
    return PX_OK;
}

/* ---- what the fluid is owed ---------------------------------------------------------------------
 */

void px_sheets_pay(PxSheets *s, PxFluid *f)
{
    PxParticles *p = f->particles;
    for (uint32_t v = 0; v < s->system->vertices; ++v) {
        PxVec3 owed = s->owed[v];
        s->owed[v] = px_vec(0, 0, 0);
        if (px_dot(owed, owed) == 0)
            continue;
        double mass = column_mass(s, f, v);
        if (!(mass > 0)) { /* nobody is there to take it: the cloth gives it back */
            s->load[v] = px_add(s->load[v], owed);
            continue;
        }
        PxVec3 a = px_scale(owed, 1 / (mass * f->dt));
        PxRange run;
        Walk walk = walk_from(s, f, v);
        while (next_cell(&walk, &run))
            for (uint32_t i = run.begin; i < run.end; ++i) {
                p->ax[i] += (float)a.x;
                p->ay[i] += (float)a.y;
                p->az[i] += (float)a.z;
            }
    }
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
    const float *j = t->touch->impulse;
    double speed = px_length(way), alone = 1 / (1 / mass + per);
    double normal = -((double)j[0] * n.x + (double)j[1] * n.y + (double)j[2] * n.z);
    double wet = px_sheet_slip(s, plane);
    double size = wet * sheet->slip * fmax(normal, 0);
    if (plane->distance < f->spacing)
        size += wet * sheet->drag * speed * dt;
    size = fmin(size, alone * speed);
    if (!(speed > 0) || !(size > 0))
        return;
    PxVec3 impulse = px_scale(way, size / speed);
    give(s, plane, impulse);
    for (int c = 0; c < 3; ++c) {
        PxVec3 *r = &rubbed[s->system->face[plane->face].corner[c]];
        *r = px_mad(*r, impulse, plane->weight[c]);
    }
    p->ax[i] -= (float)(impulse.x / (mass * dt));
    p->ay[i] -= (float)(impulse.y / (mass * dt));
    p->az[i] -= (float)(impulse.z / (mass * dt));
}

PxStatus px_sheets_load(PxSheets *s, PxFluid *f)
{
    PxArenaMark mark = px_arena_mark(f->scratch);
    PxVec3 *rubbed = PX_ARENA_ARRAY(f->scratch, PxVec3, s->system->vertices + 1);
    if (rubbed == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u vertices", s->system->vertices);
    for (uint32_t v = 0; v < s->system->vertices; ++v)
        rubbed[v] = px_vec(0, 0, 0);
    for (uint32_t k = 0; k < s->touches; ++k) {
        const PxSheetTouch *t = &s->touch[k];
        const float *j = t->touch->impulse;
        if (t->planes > 0)
            share(s, f->wall_profile, t, px_vec((double)j[0], (double)j[1], (double)j[2]));
        rub(s, f, t, rubbed);
    }
    px_arena_release(f->scratch, mark);
    return PX_OK;
}
