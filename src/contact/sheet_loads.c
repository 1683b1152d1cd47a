/// What a fluid and sheets give each other in a step: contact/sheets.h says why.
#include "contact/sheets.h"

#include "fluid/touches.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

typedef struct Job {
    PxSheets *s;
    const PxFluid *fluid;
    double layer; /* of the fluid that viscosity drags along in a step, kg/m^2 */
    bool masses;  /* find added masses too */
    bool no_room;
} Job;

/* ---- who touches ------------------------------------------------------------------------------
 */

static bool counts(const PxFluid *f, const PxWallTouch *t)
{
    const float *g = t->gradient;
    return t->row != PX_TOUCH_NOBODY && f->inverse_mass[t->row] > 0.0f &&
           px_fluid_part(f, t->row) > 0.0f &&
           (g[0] * g[0] + g[1] * g[1] + g[2] * g[2] > 0.0f || t->drag > 0.0f);
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
    PxVec3 v = {(double)p->vx[i], (double)p->vy[i], (double)p->vz[i]};
    t.speed2 = px_dot(v, v);
    for (const PxSheetFound *n = s->found[i]; n != NULL; n = n->next)
        if (n->cloth == cloth) {
            t.planes = n->planes;
            t.plane = n->plane;
        }
    return t;
}

/* How the mass that a particle adds is shared among the planes that it faces: in proportion to the
 * size of the gradient of each plane's part of the kernel. The parts sum to 1. */
static void share_parts(const PxWallProfile *profile, PxSheetTouch *t)
{
    PxVec3 gradient[PX_SHEET_PLANES];
    double sizes = 0;
    t->part[0] = 1;
    if (t->planes <= 1)
        return;
    px_sheet_parts(profile, t->plane, t->planes, gradient);
    for (int k = 0; k < t->planes; ++k)
        sizes += t->part[k] = px_length(gradient[k]);
    for (int k = 0; k < t->planes; ++k)
        t->part[k] = sizes > 0 ? t->part[k] / sizes : k == 0;
}

/* The touches of a block of rows with sheets, if `out` is not NULL, and their number. */
static uint32_t list_touches(const PxSheets *s, const PxFluid *f, uint32_t block, PxSheetTouch *out)
{
    uint32_t count = 0;
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

static void count_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *j = user;
    for (uint32_t block = begin; block < end; ++block)
        j->s->block[block] = list_touches(j->s, j->fluid, block, NULL);
}

static void list_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *j = user;
    PxSheets *s = j->s;
    for (uint32_t block = begin; block < end; ++block) {
        list_touches(s, j->fluid, block, s->touch + s->block[block]);
        for (uint32_t k = s->block[block]; k < s->block[block + 1]; ++k) {
            PxSheetTouch *t = &s->touch[k];
            if (t->planes == 1) { /* nearly all; in the order of the loops */
                t->own = t->plane[0];
                t->plane = &t->own;
            }
            s->touching[t->touch->row] = 1;
            share_parts(j->fluid->wall_profile, t);
        }
    }
}

/* ---- columns ----------------------------------------------------------------------------------
 *
 * A column is the fluid in front of a sheet: the cells of the grid from the sheet along its normal
 * past a particle that touches, up to a cell without pressure. What falls freely on the sheet does
 * not move along with it. The cells of a column stay the same in a step; who is pressed does not.
 */

static uint32_t slot_of(const PxSheets *s, uint64_t key)
{
    return (uint32_t)((key * 0x9e3779b97f4a7c15ull) >> 32) & s->cell_mask;
}

static PxStatus hash_cells(PxSheets *s, const PxGrid *g)
{
    uint32_t size = 64;
    while (size < 2 * g->cells && size < 1u << 30)
        size *= 2;
    s->cell_mask = size - 1;
    s->cell_at = PX_ARENA_ARRAY(s->scratch, uint32_t, size);
    if (s->cell_at == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u cells", g->cells);
    memset(s->cell_at, 0xff, size * sizeof *s->cell_at);
    for (uint32_t k = 0; k < g->cells; ++k) {
        uint32_t n = slot_of(s, g->key[k]);
        while (s->cell_at[n] != UINT32_MAX)
            n = (n + 1) & s->cell_mask;
        s->cell_at[n] = k;
    }
    return PX_OK;
}

static uint32_t find_cell(const PxSheets *s, const PxGrid *g, uint64_t key)
{
    uint32_t n = slot_of(s, key);
    while (s->cell_at[n] != UINT32_MAX && g->key[s->cell_at[n]] != key)
        n = (n + 1) & s->cell_mask;
    return s->cell_at[n];
}

/* Lists the cells of a column: UINT32_MAX for empty ones, which end it beyond the first *near. The
 * particle's own cell is the first: the line may cut a corner of it, between two samples. */
static uint32_t list_column(const PxSheets *s, const PxFluid *f, const PxSheetTouch *t,
                            uint32_t out[PX_SHEET_COLUMN], uint32_t *near)
{
    enum { STEPS = 128, STAYS = 4 };
    const PxGrid *g = f->grid;
    const PxSheetPlane *plane = &t->plane[0];
    PxVec3 from = px_mad(t->place, plane->normal, -plane->distance);
    double close = plane->distance + g->frame.cell;
    uint64_t last = ~0ull;
    uint64_t own = px_grid_key(&g->frame, (float)t->place.x, (float)t->place.y, (float)t->place.z);
    uint32_t count = 0;
    out[count++] = find_cell(s, g, own);
    *near = count;
    double half = 0.5 * g->frame.cell;
    uint64_t keys[PX_GRID_ALONG];
    for (int step = 0, again = 0; step < STEPS && count < PX_SHEET_COLUMN; ++step) {
        double way = step * half;
        if (step % PX_GRID_ALONG == 0) {
            PxVec3 at = px_mad(from, plane->normal, way), go = px_scale(plane->normal, half);
            px_grid_keys_along(&g->frame, (const double[3]){at.x, at.y, at.z},
                               (const double[3]){go.x, go.y, go.z}, keys);
        }
        uint64_t key = keys[step % PX_GRID_ALONG];
        again = key == last ? again + 1 : 0;
        last = key;
        if (again == STAYS) /* beyond the grid all steps stay in one cell */
            break;
        if (again > 0 || key == own)
            continue;
        out[count] = find_cell(s, g, key);
        if (way <= close)
            *near = count + 1;
        else if (out[count] == UINT32_MAX)
            break;
        ++count;
    }
    return count;
}

/* Columns of a block, until they are moved to the arena. */
typedef struct Columns {
    uint32_t touches, cells;
    PxSheetTouch *touch[64];
    uint32_t cell[1024];
} Columns;

static void flush(Job *j, Columns *c)
{
    const uint32_t *from = c->cell;
    if (c->touches == 0)
        return;
    px_join_begin(); /* the arena is for one thread at a time */
    uint32_t *room = PX_ARENA_ARRAY(j->s->scratch, uint32_t, c->cells);
    j->no_room = j->no_room || room == NULL;
    px_join_end();
    for (uint32_t k = 0; k < c->touches; ++k) {
        PxSheetTouch *t = c->touch[k];
        if (room == NULL) {
            t->cells = 0;
            continue;
        }
        t->cell = room;
        memcpy(room, from, t->cells * sizeof *room);
        for (uint32_t n = 0; n < t->cells; ++n)
            if (room[n] != UINT32_MAX)
                atomic_store_explicit(&j->s->in_column[room[n]], 1, memory_order_relaxed);
        room += t->cells;
        from += t->cells;
    }
    c->touches = c->cells = 0;
}

static bool presses(const PxSheetTouch *t)
{
    return px_dot(t->impulse, t->impulse) != 0 && t->planes > 0;
}

/* The next cell of a column from entry *n on in which something is pressed; UINT32_MAX: there are
 * no more. */
static uint32_t next_cell(const PxSheets *s, const PxSheetTouch *t, uint32_t *n)
{
    while (*n < t->cells) {
        uint32_t at = (*n)++, cell = t->cell[at];
        if (cell != UINT32_MAX && s->cell[cell].pressed > 0)
            return cell;
        if (at >= t->near)
            break;
    }
    *n = t->cells;
    return UINT32_MAX;
}

static void pressed_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *j = user;
    const PxParticles *p = j->fluid->particles;
    for (uint32_t c = begin; c < end; ++c) {
        PxSheetCell sum = {0};
        if (!atomic_load_explicit(&j->s->in_column[c], memory_order_relaxed))
            continue;
        for (uint32_t i = j->fluid->grid->begin[c]; i < j->fluid->grid->begin[c + 1]; ++i) {
            j->s->pressed[i] = p->pressure[i] > 0.0f || j->s->touching[i];
            sum.pressed += j->s->pressed[i] ? (double)p->mass[i] : 0;
            sum.touching += j->s->touching[i] ? (double)p->mass[i] : 0;
        }
        j->s->cell[c] = sum;
    }
}

static PxVec3 impulse_of(const PxFluid *f, const PxWallTouch *t)
{
    float more[3];
    px_touch_impulse(f, t, more);
    return px_vec((double)(t->impulse[0] + more[0]), (double)(t->impulse[1] + more[1]),
                  (double)(t->impulse[2] + more[2]));
}

/* Finds impulses, and lists the columns of particles that press, unless they are known from a turn
 * before. */
static void impulse_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    Job *j = user;
    Columns list;
    list.touches = list.cells = 0;
    for (uint32_t k = begin; k < end; ++k) {
        PxSheetTouch *t = &j->s->touch[k];
        t->impulse = impulse_of(j->fluid, t->touch);
        if (!j->masses || t->cell != NULL || !presses(t))
            continue;
        if (list.touches == PX_COUNT(list.touch) ||
            list.cells + PX_SHEET_COLUMN > PX_COUNT(list.cell))
            flush(j, &list);
        t->cells = list_column(j->s, j->fluid, t, list.cell + list.cells, &t->near);
        list.cells += t->cells;
        list.touch[list.touches++] = t;
    }
    flush(j, &list);
}

/* Sets the mass that a particle adds: that of its column, shared among the particles of the column
 * that touch. */
static void set_carried(const Job *j, uint32_t k)
{
    const PxParticles *p = j->fluid->particles;
    double cell = j->fluid->grid->frame.cell;
    PxSheetTouch *t = &j->s->touch[k];
    PxSheetGift *gift = &j->s->gift[j->s->gifts[k]];
    double column = 0, touching = 0;
    t->column = t->carried = t->clings = 0;
    for (int n = 0; n < t->planes; ++n)
        gift[n].carried = 0;
    if (!presses(t))
        return; /* only fluid that presses moves along */
    for (uint32_t c, n = 0; (c = next_cell(j->s, t, &n)) != UINT32_MAX;) {
        column += j->s->cell[c].pressed;
        touching += j->s->cell[c].touching;
    }
    if (!(touching > 0))
        return;
    t->column = column;
    t->carried = (double)p->mass[t->touch->row] * column / touching;
    double grip = j->s->sheet[t->cloth].boundary.friction;
    t->clings = t->carried * fmin(grip * j->layer * cell * cell / column, 1);
    for (int n = 0; n < t->planes; ++n) {
        gift[n].normal = t->plane[n].normal;
        gift[n].carried = t->carried;
        gift[n].clings = t->clings;
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

/* Adds `part` of the mass that a particle adds: all of it along the normal of the plane, and what
 * viscosity drags along in the other directions. */
static void add_mass(PxClothAdded *to, const PxSheetGift *t, double part)
{
    PxVec3 n = t->normal;
    if (!(t->carried > 0))
        return;
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

/* Lists the gifts of all touches, and who takes them. */
static PxStatus list_takers(PxSheets *s)
{
    uint32_t vertices = s->system->vertices, gifts = 0;
    s->gifts = PX_ARENA_ARRAY(s->scratch, uint32_t, (s->touches | 0x3ffu) + 1);
    s->takers = PX_ARENA_ARRAY(s->scratch, uint32_t, vertices + 2);
    if (s->gifts == NULL || s->takers == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for loads of %u vertices", vertices);
    memset(s->takers, 0, (vertices + 2) * sizeof *s->takers);
    uint32_t *next = s->takers + 1; /* takers[v + 1] ends as the first of v + 1 */
    for (uint32_t k = 0; k < s->touches; ++k) {
        const PxSheetTouch *t = &s->touch[k];
        s->gifts[k] = gifts;
        gifts += (uint32_t)t->planes;
        for (int n = 0; n < t->planes; ++n)
            for (int c = 0; c < 3; ++c)
                ++next[s->system->face[t->plane[n].face].corner[c] + 1];
    }
    for (uint32_t v = 0; v < vertices; ++v)
        next[v + 1] += next[v];
    s->gift = PX_ARENA_ARRAY(s->scratch, PxSheetGift, (gifts | 0x3ffu) + 1);
    s->taker = PX_ARENA_ARRAY(s->scratch, PxSheetTaker, 3 * ((size_t)(gifts | 0x3ffu) + 1));
    if (s->gift == NULL || s->taker == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for loads of %u particles", gifts);
    for (uint32_t k = 0; k < s->touches; ++k) {
        const PxSheetTouch *t = &s->touch[k];
        for (int n = 0; n < t->planes; ++n)
            for (int c = 0; c < 3; ++c)
                s->taker[next[s->system->face[t->plane[n].face].corner[c]]++] =
                    (PxSheetTaker){.gift = s->gifts[k] + (uint32_t)n,
                                   .weight = t->plane[n].weight[c],
                                   .factor = t->part[n] * t->plane[n].weight[c]};
    }
    return PX_OK;
}

/* Lists the particles and finds the planes that they face: once in a step. */
static PxStatus find_touches(PxSheets *s, Job *job)
{
    const PxFluid *f = job->fluid;
    uint32_t rows = f->particles->table.count, blocks = (f->count + PX_BLOCK - 1) / PX_BLOCK;
    s->block = PX_ARENA_ARRAY(s->scratch, uint32_t, blocks + 1);
    s->touching = PX_ARENA_ARRAY(s->scratch, uint8_t, rows + 1);
    s->pressed = PX_ARENA_ARRAY(s->scratch, uint8_t, rows + 1);
    s->cell = PX_ARENA_ARRAY(s->scratch, PxSheetCell, f->grid->cells + 1);
    s->in_column = PX_ARENA_ARRAY(s->scratch, _Atomic uint8_t, f->grid->cells + 1);
    if (s->block == NULL || s->touching == NULL || s->pressed == NULL || s->cell == NULL ||
        s->in_column == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u particles", rows);
    memset((void *)s->in_column, 0, f->grid->cells);
    px_parallel_for(f->threads, blocks, 1, count_block, job);
    s->touches = 0;
    for (uint32_t k = 0; k < blocks; ++k) {
        uint32_t count = s->block[k];
        s->block[k] = s->touches;
        s->touches += count;
    }
    s->block[blocks] = s->touches;
    s->touch = PX_ARENA_ARRAY(s->scratch, PxSheetTouch, (s->touches | 0x3ffu) + 1);
    if (s->touch == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u particles that touch it", s->touches);
    memset(s->touching, 0, rows);
    px_parallel_for(f->threads, blocks, 1, list_block, job);
    PX_TRY(list_takers(s));
    return s->touches > 0 ? hash_cells(s, f->grid) : PX_OK;
}

PxStatus px_sheets_list(PxSheets *s, const PxFluid *f)
{
    Job job = {.s = s, .fluid = f};
    return find_touches(s, &job);
}

/* ---- loads --------------------------------------------------------------------------------------
 */

/* Gradients of the planes' parts: px_sheet_parts(). Each plane gets the pressure along its
 * own gradient; the rest, drag and tension, is shared by their sizes. */
static void share(const PxWallProfile *profile, const PxSheetTouch *t, PxSheetGift *gift)
{
    PxVec3 gradient[PX_SHEET_PLANES], sum = px_vec(0, 0, 0);
    double sizes = 0;
    gift[0].impulse = t->impulse;
    if (t->planes == 1)
        return;
    px_sheet_parts(profile, t->plane, t->planes, gradient);
    for (int k = 0; k < t->planes; ++k) {
        sum = px_add(sum, gradient[k]);
        sizes += px_length(gradient[k]);
    }
    double square = px_dot(sum, sum);
    if (!(square > 0) || !(sizes > 0)) {
        for (int k = 1; k < t->planes; ++k)
            gift[k].impulse = px_vec(0, 0, 0);
        return;
    }
    double along = px_dot(t->impulse, sum) / square;
    PxVec3 rest = px_mad(t->impulse, sum, -along);
    for (int k = 0; k < t->planes; ++k)
        gift[k].impulse =
            px_mad(px_scale(gradient[k], along), rest, px_length(gradient[k]) / sizes);
}

static void share_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *j = user;
    for (uint32_t k = begin; k < end; ++k) {
        if (j->masses)
            set_carried(j, k);
        if (j->s->touch[k].planes > 0)
            share(j->fluid->wall_profile, &j->s->touch[k], &j->s->gift[j->s->gifts[k]]);
    }
}

/* Sums the impulses and masses that vertices get. */
static void loads_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *j = user;
    PxSheets *s = j->s;
    for (uint32_t v = begin; v < end; ++v) {
        PxVec3 sum = px_vec(0, 0, 0);
        PxClothAdded added = {{0}};
        for (uint32_t k = s->takers[v]; k < s->takers[v + 1]; ++k) {
            const PxSheetGift *gift = &s->gift[s->taker[k].gift];
            sum = px_mad(sum, gift->impulse, s->taker[k].weight);
            if (j->masses)
                add_mass(&added, gift, s->taker[k].factor);
        }
        s->load[v] = sum;
        if (j->masses)
            s->added[v] = added;
    }
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

PxStatus px_sheets_load(PxSheets *s, const PxFluid *f, bool masses)
{
    masses = masses && s->touches > 0;
    Job job = {.s = s, .fluid = f, .layer = viscous_layer(f), .masses = masses};
    px_parallel_for(f->threads, s->touches, PX_BLOCK / 4, impulse_block, &job);
    if (job.no_room)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u columns of fluid", s->touches);
    if (masses)
        px_parallel_for(f->threads, f->grid->cells, PX_BLOCK / 4, pressed_block, &job);
    px_parallel_for(f->threads, s->touches, PX_BLOCK / 4, share_block, &job);
    px_parallel_for(f->threads, s->system->vertices, PX_BLOCK / 4, loads_block, &job);
    if (masses && px_sheets_spreads(s))
        PX_TRY(spread_masses(s));
    return px_sheets_spread(s, s->load);
}

PxStatus px_sheets_rub(PxSheets *s, PxFluid *f)
{
    PxArenaMark mark = px_arena_mark(s->scratch);
    uint32_t n = s->system->vertices;
    PxVec3 *rubbed = PX_ARENA_ARRAY(s->scratch, PxVec3, n + 1);
    if (rubbed == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u vertices", n);
    for (uint32_t v = 0; v < n; ++v) {
        rubbed[v] = px_vec(0, 0, 0);
        s->v[v] = s->sent[v];
    }
    PX_TRY(px_sheets_mean(s, s->v));
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

static void return_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *j = user;
    const PxParticles *p = j->fluid->particles;
    for (uint32_t c = begin; c < end; ++c) {
        if (!atomic_load_explicit(&j->s->in_column[c], memory_order_relaxed))
            continue;
        PxVec3 due = j->s->cell[c].due;
        if (px_dot(due, due) == 0)
            continue;
        for (uint32_t i = j->fluid->grid->begin[c]; i < j->fluid->grid->begin[c + 1]; ++i) {
            if (!j->s->pressed[i])
                continue;
            p->ax[i] += (float)due.x;
            p->ay[i] += (float)due.y;
            p->az[i] += (float)due.z;
        }
    }
}

PxStatus px_sheets_return(PxSheets *s, const PxFluid *f, PxVec3 *change)
{
    PX_TRY(px_sheets_mean(s, change));
    for (uint32_t k = 0; k < s->touches; ++k) {
        const PxSheetTouch *t = &s->touch[k];
        if (!(t->carried > 0))
            continue;
        PxVec3 due = px_scale(due_to(s, t, change), 1 / (t->column * f->dt));
        for (uint32_t c, n = 0; (c = next_cell(s, t, &n)) != UINT32_MAX;)
            s->cell[c].due = px_add(s->cell[c].due, due);
    }
    Job job = {.s = s, .fluid = f};
    if (s->touches > 0)
        px_parallel_for(f->threads, f->grid->cells, PX_BLOCK / 4, return_block, &job);
    return PX_OK;
}

/* ---- the velocity that the fluid sees -----------------------------------------------------------
 */

typedef struct Seen {
    PxSheets *s;
    PxFluid *fluid;
    const PxVec3 *seen; /* velocities that the fluid will see */
} Seen;

/* Blocks of rows: a row may touch several sheets. */
static void flux_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Seen *j = user;
    const PxSheets *s = j->s;
    for (uint32_t k = s->block[begin]; k < s->block[end]; ++k) {
        const PxSheetTouch *t = &s->touch[k];
        PxVec3 change = px_vec(0, 0, 0);
        for (int c = 0; c < 3 && t->planes > 0; ++c) {
            uint32_t i = s->system->face[t->plane[0].face].corner[c];
            change = px_mad(change, px_sub(j->seen[i], s->v[i]), t->plane[0].weight[c]);
        }
        const float *g = t->touch->gradient;
        j->fluid->wall_flux[t->touch->row] +=
            px_fluid_part(j->fluid, t->touch->row) *
            (float)(change.x * (double)g[0] + change.y * (double)g[1] + change.z * (double)g[2]);
    }
}

PxStatus px_sheets_set_velocity(PxSheets *s, PxFluid *f, const PxVec3 *v)
{
    uint32_t n = s->system->vertices;
    PxArenaMark mark = px_arena_mark(s->scratch);
    PxVec3 *seen = PX_ARENA_ARRAY(s->scratch, PxVec3, n + 1);
    if (seen == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u vertices", n);
    for (uint32_t i = 0; i < n; ++i)
        seen[i] = s->base[i] = v[i];
    PX_TRY(px_sheets_mean(s, seen));
    Seen job = {s, f, seen};
    px_parallel_for(f->threads, (f->count + PX_BLOCK - 1) / PX_BLOCK, 1, flux_block, &job);
    for (uint32_t i = 0; i < n; ++i)
        s->v[i] = seen[i];
    px_arena_release(s->scratch, mark);
    return PX_OK;
}

/* ---- how it yields ------------------------------------------------------------------------------
 */

/* The rows that press, and the vertices that they press on. */
static uint32_t list_presses(const PxSheets *s, const PxFluid *f, uint32_t *number,
                             PxYieldPoints *y, PxYieldPress *press)
{
    uint32_t count = 0, block = 0;
    for (uint32_t k = 0; k < s->touches; ++k) {
        const PxSheetTouch *t = &s->touch[k];
        while (k >= s->block[block])
            y->block[block++] = count;
        if (t->planes == 0)
            continue;
        const PxSheetPlane *plane = &t->plane[0]; /* whose velocity the fluid sees */
        const float *g = t->touch->gradient;
        double part = (double)px_fluid_part(f, t->touch->row);
        PxYieldPress *e = &press[count++];
        e->row = t->touch->row;
        e->gradient = px_scale(px_vec((double)g[0], (double)g[1], (double)g[2]), part);
        for (int c = 0; c < 3; ++c) {
            uint32_t v = s->system->face[plane->face].corner[c];
            if (number[v] == UINT32_MAX) {
                s->yielding[y->count] = v;
                number[v] = y->count++;
            }
            e->point[c] = number[v];
            e->weight[c] = plane->weight[c];
            ++y->uses[number[v] + 1];
        }
    }
    for (; block <= y->blocks; ++block)
        y->block[block] = count;
    return count;
}

/* Lists the presses of each point, in their order. */
static void list_uses(PxYieldPoints *y)
{
    uint32_t *next = y->uses; /* next[p] ends as the end of p; then all move by one */
    for (uint32_t p = 0; p < y->count; ++p)
        next[p + 1] += next[p];
    for (uint32_t n = 0; n < y->presses; ++n)
        for (int c = 0; c < 3; ++c)
            y->use[next[y->press[n].point[c]]++] = (PxYieldUse){n, y->press[n].weight[c]};
    memmove(next + 1, next, y->count * sizeof *next);
    next[0] = 0;
}

/* Loads are spread over about this many vertices. */
static double spread_of(uint32_t rounds)
{
    return 1 + 3.0 * rounds;
}

/* A vertex yields to the pressure with its own mass and this part of the mass of the particles that
 * touch it. With its own mass alone, residuals of the pressure solve would throw it away. */
#define HEAVIER 0.2

/* Adds a mass and inverts; a mass of 0 stays. */
static void invert(PxYieldMass *mass, double more)
{
    double *m = mass->m;
    if (!(m[0] + m[3] + m[5] > 0))
        return;
    double a[6] = {m[0] + more, m[1], m[2], m[3] + more, m[4], m[5] + more};
    double c0 = a[3] * a[5] - a[4] * a[4], c1 = a[2] * a[4] - a[1] * a[5];
    double c2 = a[1] * a[4] - a[2] * a[3], det = a[0] * c0 + a[1] * c1 + a[2] * c2;
    const double to[6] = {c0,
                          c1,
                          c2,
                          a[0] * a[5] - a[2] * a[2],
                          a[1] * a[2] - a[0] * a[4],
                          a[0] * a[3] - a[1] * a[1]};
    double trace = a[0] + a[3] + a[5];
    bool fine = det > 1e-14 * trace * trace * trace;
    for (int c = 0; c < 6; ++c)
        m[c] = fine ? to[c] / det : c == 0 || c == 3 || c == 5 ? 1 / trace : 0;
}

typedef struct Inverse {
    const PxSheets *s;
    PxYieldMass *mass;      /* by vertex */
    const double *touching; /* mass of the particles at each vertex, kg */
} Inverse;

static void invert_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Inverse *j = user;
    for (uint32_t k = begin; k < end; ++k) {
        double spread = spread_of(j->s->rounds[j->s->system->of_vertex[k]]);
        for (int c = 0; c < 6; ++c)
            j->mass[k].m[c] *= spread;
        invert(&j->mass[k], HEAVIER * j->touching[k]);
    }
}

PxStatus px_sheets_yield(PxSheets *s, PxFluid *f, PxYieldMass *per_mass)
{
    uint32_t n = s->system->vertices, room = (s->touches | 0x3ffu) + 1;
    uint32_t blocks = (f->count + PX_BLOCK - 1) / PX_BLOCK;
    PxYieldPoints *y = PX_ARENA_ARRAY(s->scratch, PxYieldPoints, 1);
    PxYieldPress *press = PX_ARENA_ARRAY(s->scratch, PxYieldPress, room);
    PxYieldUse *use = PX_ARENA_ARRAY(s->scratch, PxYieldUse, 3 * (size_t)room);
    uint32_t *number = PX_ARENA_ARRAY(s->scratch, uint32_t, n + 1);
    uint32_t *uses = PX_ARENA_ARRAY(s->scratch, uint32_t, n + 2);
    uint32_t *block = PX_ARENA_ARRAY(s->scratch, uint32_t, blocks + 1);
    PxYieldMass *mass = PX_ARENA_ARRAY(s->scratch, PxYieldMass, n + 1);
    double *touching = PX_ARENA_ARRAY(s->scratch, double, n + 1);
    PxVec3 *of = PX_ARENA_ARRAY(s->scratch, PxVec3, 3 * ((size_t)n + 1));
    s->yielding = PX_ARENA_ARRAY(s->scratch, uint32_t, n + 1);
    if (y == NULL || press == NULL || use == NULL || number == NULL || uses == NULL ||
        block == NULL || mass == NULL || of == NULL || touching == NULL || s->yielding == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u vertices", n);
    *y = (PxYieldPoints){.blocks = blocks,
                         .per_mass = mass,
                         .press = press,
                         .block = block,
                         .uses = uses,
                         .use = use,
                         .force = of,
                         .change = of + n + 1,
                         .gained = of + 2 * ((size_t)n + 1)};
    memset(number, 0xff, n * sizeof *number);
    memset(uses, 0, (n + 2) * sizeof *uses);
    y->presses = list_presses(s, f, number, y, press);
    list_uses(y);
    memset(touching, 0, n * sizeof *touching);
    for (uint32_t k = 0; k < y->presses; ++k)
        for (int c = 0; c < 3; ++c)
            touching[s->yielding[press[k].point[c]]] +=
                press[k].weight[c] * (double)f->particles->mass[press[k].row];
    Inverse inverse = {s, per_mass, touching};
    px_parallel_for(f->threads, n, PX_BLOCK / 4, invert_block, &inverse);
    for (uint32_t k = 0; k < y->count; ++k)
        mass[k] = per_mass[s->yielding[k]];
    s->per_mass = per_mass;
    s->yields = f->yield_points = y;
    return PX_OK;
}

void px_sheets_yielded(PxSheets *s)
{
    memcpy(s->sent, s->base, s->system->vertices * sizeof *s->sent);
    for (uint32_t k = 0; s->yields != NULL && k < s->yields->count; ++k) {
        PxVec3 *v = &s->sent[s->yielding[k]];
        *v = px_add(*v, s->yields->change[k]);
    }
}

double px_sheets_kinetic(const PxSheets *s)
{
    double sum = 0;
    for (uint32_t k = 0; k < s->touches; ++k)
        sum += 0.5 * s->touch[k].carried * s->touch[k].speed2;
    return sum;
}
