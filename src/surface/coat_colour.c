/// What surfels take over: velocities from particles, colours from zombies (000 section 6.6.4).
///
/// Zombies are the surfels that were given with colours. They are never resampled: they go with the
/// particles and onto the surface, and lend their colours to whichever surfels are there.
#include "surface/coat_inner.h"

#include <string.h>

#define LOST 0.9f /* a zombie so far from the surface is inside, and forgotten; spacings */

/* ---- velocities ---- */

typedef struct Carry {
    const PxCoatField *f;
    PxCoatNear near;
    PxSurfelColumns s;
} Carry;

static void carry_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Carry *c = user;
    const PxCoatField *f = c->f;
    const PxPairs *pairs = c->near.pairs;
    const float per = 1.0f / (PX_COAT_H * PX_COAT_H);
    for (uint32_t i = begin; i < end; ++i) {
        uint32_t k = c->near.place[i];
        float sum[3] = {0, 0, 0}, weights = 0.0f;
        for (uint32_t e = 0; e < pairs->size[k]; ++e) {
            uint32_t j = pairs->row[pairs->start[k] + e];
            float x = c->s.at[0][i] - f->x[j], y = c->s.at[1][i] - f->y[j],
                  z = c->s.at[2][i] - f->z[j];
            float t = 1.0f - (x * x + y * y + z * z) * per;
            if (!(t > 0.0f))
                continue;
            t = t * t * t;
            weights += t;
            for (int a = 0; a < 3; ++a)
                sum[a] += t * f->in->velocity[a][f->row[j]];
        }
        for (int a = 0; a < 3; ++a)
            c->s.velocity[a][i] = weights > 0.0f ? sum[a] / weights : 0.0f;
    }
}

PxStatus px_coat_carry(PxCoat *coat, const PxCoatField *f)
{
    if (f->in->velocity[0] == NULL)
        return PX_OK;
    Carry c = {.f = f, .s = px_surfel_columns(coat)};
    PxGridPoints points = {c.s.at[0], c.s.at[1], c.s.at[2], coat->surfels.count};
    PX_TRY(px_coat_near(coat, f, &coat->point_grid, &coat->near_pairs, points, c.s.id, c.s.part,
                        &c.near));
    px_parallel_for(f->in->threads, coat->surfels.count, PX_COAT_BLOCK, carry_block, &c);
    return PX_OK;
}

/* ---- zombies ---- */

typedef struct Zombies {
    uint64_t *id, *label;
    float *at[3], *normal[3], *colour[3];
} Zombies;

static Zombies zombie_columns(const PxCoat *coat)
{
    const PxColumn *c = coat->zombies.column;
    Zombies z = {.id = c[PX_ZOMBIE_ID].data[0], .label = c[PX_ZOMBIE_LABEL].data[0]};
    for (int k = 0; k < 3; ++k) {
        z.at[k] = c[PX_ZOMBIE_POSITION].data[k];
        z.normal[k] = c[PX_ZOMBIE_NORMAL].data[k];
        z.colour[k] = c[PX_ZOMBIE_COLOUR].data[k];
    }
    return z;
}

/* The particle that has most of the field there, of those that were in the zombie's part. */
static uint32_t owner(const PxCoatField *f, const PxCoatNear *near, uint32_t i, const float at[3],
                      uint64_t label, float *melted)
{
    const float per = 1.0f / (PX_COAT_H * PX_COAT_H);
    const PxPairs *pairs = near->pairs;
    uint32_t k = near->place[i], best = PX_COAT_NONE;
    uint32_t own = label == 0 ? PX_COAT_NONE : px_coat_label_number(f, label);
    float most = 0.0f;
    for (uint32_t e = 0; e < pairs->size[k]; ++e) {
        uint32_t j = pairs->row[pairs->start[k] + e];
        float x = at[0] - f->x[j], y = at[1] - f->y[j], z = at[2] - f->z[j];
        float t = 1.0f - (x * x + y * y + z * z) * per;
        float share = t > 0.0f ? f->weight[j] * t * t * t : 0.0f;
        if ((label == 0 || f->was[j] == own) && share > most) {
            most = share;
            best = j;
        }
    }
    *melted = best != PX_COAT_NONE ? f->melted[best] : 1.0f;
    return best;
}

typedef struct Own {
    const PxCoatField *f;
    PxCoatNear near;
    Zombies z;
    uint32_t *part;
    uint8_t *drop, *state;
    float *melted, *from[3];
} Own;

static void own_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Own *o = user;
    for (uint32_t i = begin; i < end; ++i) {
        const float at[3] = {o->z.at[0][i], o->z.at[1][i], o->z.at[2][i]};
        uint32_t best = owner(o->f, &o->near, i, at, o->z.label[i], &o->melted[i]);
        o->drop[i] = best == PX_COAT_NONE;
        o->part[i] = o->drop[i] ? 0 : o->f->part[best];
        o->z.label[i] = o->drop[i] ? 0 : o->f->label[o->part[i]];
        o->state[i] = PX_COAT_OPEN;
        for (int k = 0; k < 3; ++k)
            o->from[k][i] = at[k];
    }
}

static PxStatus move_zombies(PxCoat *coat, PxCoatField *f)
{
    const PxCoatInput *in = f->in;
    uint32_t n = coat->zombies.count;
    Own o = {.f = f, .z = zombie_columns(coat)};
    PxCoatProject p = {.f = f, .level = coat->level, .steps = 3};
    size_t room = (size_t)n + 1;
    bool fine = PX_COAT_TAKE(in, o.part, room) && PX_COAT_TAKE(in, o.drop, room) &&
                PX_COAT_TAKE(in, o.melted, room) && PX_COAT_TAKE(in, p.value, room) &&
                PX_COAT_TAKE(in, p.slope, room) && PX_COAT_TAKE(in, p.state, room);
    for (int k = 0; k < 3; ++k) {
        fine = fine && PX_COAT_TAKE(in, o.from[k], room);
        p.at[k] = o.z.at[k];
        p.normal[k] = o.z.normal[k];
    }
    if (!fine)
        return px_coat_no_room(n);
    PxGridPoints points = {o.z.at[0], o.z.at[1], o.z.at[2], n};
    PX_TRY(
        px_coat_near(coat, f, &coat->point_grid, &coat->near_pairs, points, o.z.id, NULL, &o.near));
    o.state = p.state;
    px_parallel_for(in->threads, n, PX_COAT_BLOCK, own_block, &o);
    px_coat_near_own(f, &o.near, o.part, n);
    p.near = o.near;
    px_parallel_for(in->threads, n, PX_COAT_BLOCK, PX_ISA_PICK(f->isa, px_coat_project_block), &p);
    for (uint32_t i = 0; i < n; ++i) {
        float hot = o.melted[i], off = p.value[i] - coat->level;
        for (int k = 0; hot < 1.0f && k < 3; ++k)
            o.z.at[k][i] = (1.0f - hot) * o.from[k][i] + hot * o.z.at[k][i];
        if (hot > 0.0f && (p.state[i] == PX_COAT_LOST || fabsf(off) > LOST * p.slope[i]))
            o.drop[i] = 1;
    }
    px_table_delete(&coat->zombies, o.drop);
    return PX_OK;
}

typedef struct Paint {
    const PxCoat *coat;
    PxSurfelColumns s;
    Zombies z;
    const uint32_t *order;
    float reach;
} Paint;

/* Eq. 2.24 over the zombies of the part that face the same way; twice as far where none is near.
 * Without any the surfel keeps the colour it had. */
static void paint_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Paint *p = user;
    for (uint32_t i = begin; i < end; ++i) {
        const float at[3] = {p->s.at[0][i], p->s.at[1][i], p->s.at[2][i]};
        float sum[2][3] = {{0}}, weights[2] = {0, 0};
        const float per[2] = {4.0f / (p->reach * p->reach), 1.0f / (p->reach * p->reach)};
        PxRange run[9];
        int runs = px_grid_rows(&p->coat->point_grid, at[0], at[1], at[2], run);
        for (int r = 0; r < runs; ++r)
            for (uint32_t k = run[r].begin; k < run[r].end; ++k) {
                uint32_t j = p->order[k];
                float x = at[0] - p->z.at[0][j], y = at[1] - p->z.at[1][j],
                      z = at[2] - p->z.at[2][j];
                float square = x * x + y * y + z * z;
                float along = p->s.normal[0][i] * p->z.normal[0][j] +
                              p->s.normal[1][i] * p->z.normal[1][j] +
                              p->s.normal[2][i] * p->z.normal[2][j];
                if (p->z.label[j] != p->s.label[i] || !(along > 0.0f))
                    continue;
                for (int w = 0; w < 2; ++w) {
                    float t = 1.0f - square * per[w];
                    if (!(t > 0.0f))
                        continue;
                    t = t * t * t;
                    weights[w] += t;
                    for (int a = 0; a < 3; ++a)
                        sum[w][a] += t * p->z.colour[a][j];
                }
            }
        int w = weights[0] > 1e-3f ? 0 : 1;
        if (weights[w] > 1e-6f)
            p->s.painted[i] = 1.0f;
        for (int a = 0; weights[w] > 1e-6f && a < 3; ++a)
            p->s.colour[a][i] = sum[w][a] / weights[w];
    }
}

PxStatus px_coat_paint(PxCoat *coat, PxCoatField *f)
{
    const PxCoatInput *in = f->in;
    PxArenaMark mark = px_arena_mark(in->scratch);
    PX_TRY(move_zombies(coat, f));
    uint32_t n = coat->zombies.count, *order;
    Paint p = {.coat = coat,
               .s = px_surfel_columns(coat),
               .z = zombie_columns(coat),
               .reach = 3.0f * (float)coat->def.surfel};
    if (!PX_COAT_TAKE(in, order, (size_t)n + 1))
        return px_coat_no_room(n);
    PxGridPoints points = {p.z.at[0], p.z.at[1], p.z.at[2], n};
    PxGridFrame frame = px_grid_frame((double)p.reach, &points, 1, in->threads);
    PX_TRY(
        px_grid_sort(&coat->point_grid, &frame, points, p.z.id, order, in->scratch, in->threads));
    p.order = order;
    px_parallel_for(in->threads, coat->surfels.count, PX_COAT_BLOCK, paint_block, &p);
    px_arena_release(in->scratch, mark);
    return PX_OK;
}
