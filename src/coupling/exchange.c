#include "coupling/exchange.h"

#include "contact/solid_fluid.h"
#include "contact/solid_self.h"
#include "coupling/octree_cells.h"

/* Adds the low-pass filtered reaction of elastic matter to the accelerations of solid rows, or
 * takes it off again.
 *
 * The solves of fluids move the particles of a solid like free ones. A film of melt under a solid
 * would have to stop only its lowest layer, which elastic forces push down again in the next step:
 * the solid's weight would rest on the film's compression, and the film would slip along it. With
 * the elastic forces and contacts that balanced the loads of the last steps, a layer at rest under
 * load is at rest in the solves as well, and they find the forces that keep it so. */
static void add_reaction(PxParticles *p, const float *solid, float sign)
{
    PxElasticColumns elastic;
    PxSolidColumns columns;
    px_elastic_columns(&p->table, &elastic);
    px_solid_columns(&p->table, &columns);
    float *const a[3] = {p->ax, p->ay, p->az};
    for (int k = 0; k < 3; ++k)
        for (uint32_t i = 0; i < p->table.count; ++i)
            if (solid[i] > 0.0f && columns.handle[i] == 0)
                a[k][i] += sign * solid[i] * elastic.reaction[k][i];
}

PxStatus px_exchange_begin(const PxCoupling *c, const PxFractions *fractions, PxFluid *f)
{
    PxParticles *p = c->particles;
    PxElasticColumns elastic;
    PxSolidColumns solid;
    if (!px_elastic_columns(&p->table, &elastic))
        return PX_OK;
    px_solid_columns(&p->table, &solid);
    f->solid_fraction = PX_ARENA_ARRAY(f->scratch, float, f->count);
    f->own_compression = PX_ARENA_ARRAY(f->scratch, float, f->count);
    if (f->solid_fraction == NULL || f->own_compression == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u particles", f->count);
    float *const wall[] = {f->wall_part, f->wall_gx,    f->wall_gy,   f->wall_gz,
                           f->wall_flux, f->wall_lever, f->wall_lift, f->wall_drag,
                           f->wall_vx,   f->wall_vy,    f->wall_vz,   f->wall_slip};
    for (uint32_t i = 0; i < f->count; ++i) {
        f->solid_fraction[i] = elastic.component[i] > 0 ? fractions->solid[i] : 0.0f;
        f->own_compression[i] = 0.0f;
        if (elastic.component[i] == 0)
            continue;
        for (size_t k = 0; k < PX_COUNT(wall); ++k)
            wall[k][i] *= 1.0f - f->solid_fraction[i];
        if (solid.handle[i] != 0) {
            f->inverse_mass[i] = 0.0f;
            p->ax[i] = p->ay[i] = p->az[i] = 0.0f;
        }
    }
    return PX_OK;
}

void px_exchange_push(const PxCoupling *c, const PxFluid *f)
{
    if (f->solid_fraction != NULL)
        add_reaction(c->particles, f->solid_fraction, 1.0f);
}

void px_exchange_end(const PxCoupling *c, const PxFluid *f)
{
    if (f->solid_fraction != NULL)
        add_reaction(c->particles, f->solid_fraction, -1.0f);
}

/* Low-pass factor per step; 0.03 to 0.3 give the same results. */
#define LOW_PASS 0.1f

PxStatus px_exchange_isolate(const PxCoupling *c, PxPairs *pairs)
{
    const PxParticles *p = c->particles;
    if (!c->sizes)
        return PX_OK;
    PxArenaMark mark = px_arena_mark(c->scratch);
    uint8_t *coarse = PX_ARENA_ARRAY(c->scratch, uint8_t, (size_t)p->table.count + c->copies);
    if (coarse == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u particles", p->table.count);
    for (uint32_t i = 0; i < p->table.count; ++i)
        coarse[i] = px_is_coarse(c, i);
    px_dist_refresh(c->dist, (PxDistArray){coarse, 1, 1}, p->table.count, c->copies);
    px_pairs_isolate(pairs, coarse, c->threads);
    px_arena_release(c->scratch, mark);
    return PX_OK;
}

/* Which pairs of rows touch by contact. */
typedef struct Apart {
    const uint32_t *group; /* by row: its solid; 0: it touches by pressure */
    const float *rest;     /* 4 a row: rest place, support; 0: does not touch its own solid */
} Apart;

static bool mark_apart(const void *user, uint32_t i, const uint32_t *list, uint32_t size,
                       uint8_t *bits)
{
    const Apart *job = user;
    const float *own = job->rest + 4 * (size_t)i;
    bool any = false;
    for (uint32_t k = 0; job->group[i] != 0 && k < size; ++k) {
        const float *other = job->rest + 4 * (size_t)list[k];
        bool apart = job->group[list[k]] != job->group[i]
                         ? job->group[list[k]] != 0
                         : own[3] > 0.0f && other[3] > 0.0f && px_solid_self_beyond(own, other);
        bits[k / 8] = (uint8_t)(bits[k / 8] | (unsigned)apart << k % 8);
        any = any || apart;
    }
    return any;
}

/* The same for solids that touch themselves. */
static PxStatus part_selves(const PxCoupling *c, uint32_t *group, PxPairs *pairs,
                            PxPairsParted *out)
{
    const PxParticles *p = c->particles;
    PxSolidColumns solid;
    uint32_t count = p->table.count;
    float *rest = PX_ARENA_ARRAY(c->scratch, float, 4 * ((size_t)count + c->copies));
    uint32_t *row = PX_ARENA_ARRAY(c->scratch, uint32_t, pairs->count + 1), rows = 0;
    if (rest == NULL || row == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u particles", count);
    px_solid_columns(&p->table, &solid);
    for (uint32_t i = 0; i < count; ++i) {
        bool touches = group[i] != 0 && c->material[p->material[i]].def.self_contact;
        float *to = rest + 4 * (size_t)i;
        for (int k = 0; k < 3; ++k)
            to[k] = solid.rest[k][i];
        to[3] = touches ? solid.support[i] : 0.0f;
    }
    PxDistArray shared = {rest, 4 * sizeof(float), 4 * sizeof(float)};
    px_dist_refresh(c->dist, shared, count, c->copies);
    for (uint32_t i = 0; i < pairs->count; ++i)
        if (group[i] != 0)
            row[rows++] = i;
    Apart job = {group, rest};
    return px_pairs_cut(pairs, row, rows, mark_apart, &job, count + c->copies, c->scratch,
                        c->threads, out);
}

PxStatus px_exchange_part(const PxCoupling *c, const PxFractions *fractions, PxPairs *pairs,
                          PxPairsParted *out)
{
    const PxParticles *p = c->particles;
    PxElasticColumns elastic;
    *out = (PxPairsParted){.rows = 0};
    if (!px_elastic_columns(&p->table, &elastic))
        return PX_OK;
    uint32_t *group = PX_ARENA_ARRAY(c->scratch, uint32_t, (size_t)p->table.count + c->copies);
    if (group == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u particles", p->table.count);
    for (uint32_t i = 0; i < p->table.count; ++i)
        group[i] = px_has_contact(fractions->solid[i]) ? elastic.component[i] : 0;
    px_dist_refresh(c->dist, (PxDistArray){group, sizeof *group, sizeof *group}, p->table.count,
                    c->copies);
    if (px_exchange_self_contact(c))
        return part_selves(c, group, pairs, out);
    return px_pairs_part(pairs, group, p->table.count + c->copies, c->scratch, c->threads, out);
}

bool px_exchange_self_contact(const PxCoupling *c)
{
    for (size_t k = 0; k < c->materials; ++k)
        if (c->material[k].def.young > 0 && c->material[k].def.self_contact)
            return true;
    return false;
}

PxStatus px_exchange_contact_rows(const PxElasticSet *set, const PxCoupling *c,
                                  const PxFractions *fractions, uint8_t **out)
{
    uint32_t count = (uint32_t)set->row.count;
    const uint32_t *row = set->row.data;
    *out = PX_ARENA_ARRAY(c->scratch, uint8_t, count);
    if (*out == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u particles", count);
    for (uint32_t k = 0; k < count; ++k)
        (*out)[k] = row[k] != PX_ELSEWHERE && px_has_contact(fractions->solid[row[k]]);
    return px_dist_share(c->dist, (PxDistArray){*out, 1, 1}, row, count, c->scratch);
}

static const float *coarse_fill(const PxCoupling *c)
{
    const PxColumn *column = px_table_find(&c->particles->table, PX_COARSE_FILL);
    return c->sizes && column != NULL ? column->data[0] : NULL;
}

/* Octree cells have different masses: they are scaled to add up to the volume of their shape, and
 * coarse ones are many times as heavy. Density counts neighbours, so here it is computed as if
 * every particle had the mass of a cube of one spacing. */
void px_exchange_density(PxElasticSet *set, const PxCoupling *c, PxFluid *f)
{
    const float *fill = coarse_fill(c);
    float cell = (float)(c->spacing * c->spacing * c->spacing);
    if (fill == NULL)
        return;
    px_elastic_set_locate(set, c->particles);
    for (uint32_t k = 0; k < set->row.count; ++k) {
        uint32_t i = set->row.data[k];
        if (i == PX_ELSEWHERE)
            continue;
        float rest = (float)c->material[c->particles->material[i]].def.density;
        f->volume[i] = 1.0f / (1.0f / f->volume[i] + fill[i] / cell);
        c->particles->density[i] = rest * cell / f->volume[i];
    }
}

PxStatus px_exchange_own_density(PxElasticSet *set, const PxCoupling *c, PxFluid *f)
{
    if (f->solid_fraction == NULL || set->row.count == 0)
        return PX_OK;
    px_elastic_set_locate(set, c->particles);
    PxSolid s = {.lists = &set->lists, .count = set->lists.count, .isa = c->isa};
    return px_solid_fluid_own(f, &s, set->row.data, coarse_fill(c));
}

/* Sums of the constant loads of a component, for px_solid_balance(). */
static void sum_loads(const PxSolid *s, PxSolidFrame *f)
{
    PxVec3 force = {0, 0, 0}, momentum = {0, 0, 0};
    double mass = 0;
    f->load_moment = px_vec(0, 0, 0);
    for (uint32_t i = f->begin; i < f->end; ++i) {
        const float *a = s->pull + 4 * (size_t)i, *v = s->v + 4 * (size_t)i;
        double m = (double)s->particles->mass[i];
        PxVec3 pull = px_vec((double)a[0], (double)a[1], (double)a[2]);
        PxVec3 way = px_vec((double)v[0], (double)v[1], (double)v[2]);
        mass += m;
        force = px_mad(force, pull, m);
        momentum = px_mad(momentum, way, m);
        f->load_moment = px_mad(f->load_moment, px_cross(way, pull), m);
    }
    f->load = px_sub(px_scale(force, 1 / mass), f->fall);
    f->load_moment = px_sub(f->load_moment, px_scale(px_cross(momentum, force), 1 / mass));
}

/* Fluid forces are computed once per step, elastic forces in sub-steps within it (000 Figure 6.2).
 * The pressure solve assumes that particles move freely during the step, but those of a stiff solid
 * vibrate, and a force that is constant over the step also does work on them on the way back.
 * Applied as an impulse at the start of the step, pressure has the effect it was solved for and
 * dissipates energy in collisions, but a steady load made of impulses excites vibrations. So the
 * low-pass filtered acceleration acts throughout the step, and the remainder as an impulse at its
 * start (docs/decisions.md 20). */
PxStatus px_exchange_load(const PxElasticSet *set, const PxFluid *fluid, double dt, PxSolid *s)
{
    const PxParticles *p = &set->rows;
    PxElasticColumns elastic;
    if (fluid == NULL)
        return PX_OK;
    px_elastic_columns(&p->table, &elastic);
    const float *const a[3] = {p->ax, p->ay, p->az}, *const v0[3] = {p->vx, p->vy, p->vz};
    s->loaded = PX_ARENA_ARRAY(s->scratch, float, 3 * (size_t)s->count);
    if (s->loaded == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u particles", s->count);
    for (uint32_t i = 0; i < s->count; ++i)
        for (size_t k = 0; k < 3; ++k)
            s->loaded[3 * (size_t)i + k] = v0[k][i] + (float)dt * a[k][i];
    for (uint32_t i = 0; i < s->count; ++i) {
        if (s->inverse_mass[i] == 0.0f)
            continue;
        float lasts[3], impulse[3];
        for (int k = 0; k < 3; ++k) {
            float *steady = &elastic.load[k][i];
            *steady += LOW_PASS * (a[k][i] - *steady);
            lasts[k] = *steady;
            impulse[k] = (float)dt * (a[k][i] - *steady);
        }
        PxMat3 back = px_mat3_transpose(s->frame[s->frame_of[i]].turn);
        PxVec3 pull =
            px_mat3_apply(back, px_vec((double)lasts[0], (double)lasts[1], (double)lasts[2]));
        PxVec3 jump =
            px_mat3_apply(back, px_vec((double)impulse[0], (double)impulse[1], (double)impulse[2]));
        float *to = s->pull + 4 * (size_t)i, *v = s->v + 4 * (size_t)i;
        to[0] = (float)pull.x;
        to[1] = (float)pull.y;
        to[2] = (float)pull.z;
        v[0] += (float)jump.x;
        v[1] += (float)jump.y;
        v[2] += (float)jump.z;
    }
    for (uint32_t k = 0; k < s->frames; ++k)
        sum_loads(s, &s->frame[k]);
    for (uint32_t i = 0; i < s->count; ++i) {
        uint32_t row = set->row.data[i];
        if (row != PX_ELSEWHERE && fluid->inverse_mass[row] == 0.0f)
            s->inverse_mass[i] = 0.0f; /* an emitter pushes it */
    }
    PX_TRY(px_dist_share(fluid->dist, (PxDistArray){s->inverse_mass, sizeof(float), sizeof(float)},
                         set->row.data, s->count, s->scratch));
    return PX_OK;
}

/* What moved a row besides the loads: elastic forces, damping, contact. */
void px_exchange_react(const PxElasticSet *set, const PxSolid *s)
{
    const PxParticles *p = &set->rows;
    PxElasticColumns elastic;
    if (s->loaded == NULL)
        return;
    px_elastic_columns(&p->table, &elastic);
    const float *const v[3] = {p->vx, p->vy, p->vz};
    float per_dt = 1.0f / (float)s->dt;
    for (uint32_t i = 0; i < s->count; ++i)
        for (size_t k = 0; k < 3; ++k) {
            float *steady = &elastic.reaction[k][i];
            float now = per_dt * (v[k][i] - s->loaded[3 * (size_t)i + k]);
            *steady = s->inverse_mass[i] > 0.0f ? *steady + LOW_PASS * (now - *steady) : 0.0f;
        }
}
