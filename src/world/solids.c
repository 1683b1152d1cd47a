#include "world/solids.h"

#include "contact/solid_walls.h"
#include "matter/melt.h"
#include "solid/integration.h"
#include "world/mixed.h"

#include <math.h>
#include <string.h>

PxStatus px_solids_put(PxWorld *world, uint32_t first, PxVec3 middle)
{
    PxParticles *p = &world->particles;
    PX_TRY(px_solid_columns_add(&p->table));
    px_particles_refresh(p);
    PxSolidColumns c;
    px_solid_columns(&p->table, &c);
    double s = world->def.spacing;
    for (uint32_t i = first; i < p->table.count; ++i) {
        c.rest[0][i] = (float)((double)p->x[i] + (double)p->x_low[i] - middle.x);
        c.rest[1][i] = (float)((double)p->y[i] + (double)p->y_low[i] - middle.y);
        c.rest[2][i] = (float)((double)p->z[i] + (double)p->z_low[i] - middle.z);
        c.volume[i] = (float)(s * s * s);
        c.bulk[i] = 1.0f;
        c.support[i] = (float)(world->def.support * s);
    }
    if (world->mixed) { /* a piece of its own */
        PxMixedColumns mixed = px_mixed_columns(&p->table);
        uint32_t last = 0;
        for (uint32_t i = 0; i < first; ++i)
            last = mixed.piece[i] > last ? mixed.piece[i] : last;
        for (uint32_t i = first; i < p->table.count; ++i)
            mixed.piece[i] = last + 1;
    }
    world->solids_due = true;
    return PX_OK;
}

/* ---- order and lists ------------------------------------------------------- */

static bool is_solid(const PxWorld *world, uint32_t row)
{
    return world->materials.data[world->particles.material[row]].def.young > 0;
}

static PxSolidColumns columns_from(const PxTable *particles, uint32_t row)
{
    PxSolidColumns c;
    px_solid_columns(particles, &c);
    for (int k = 0; k < 3; ++k) {
        c.rest[k] += row;
        c.hold[k] += row;
    }
    for (int k = 0; k < 6; ++k)
        c.plastic[k] += row;
    c.volume += row;
    c.bulk += row;
    c.support += row;
    c.handle += row;
    return c;
}

static PxSolidPoints points_of(const PxWorld *world, uint32_t begin, uint32_t end)
{
    PxSolidColumns c = columns_from(&world->particles.table, begin);
    return (PxSolidPoints){.x = c.rest[0],
                           .y = c.rest[1],
                           .z = c.rest[2],
                           .support = c.support,
                           .id = world->particles.id + begin,
                           .count = end - begin};
}

/* What a step computes does not move with its row: solids have it as they do at rest, and so have
 * fluids before the first step. */
static void set_work(PxWorld *world)
{
    PxParticles *p = &world->particles;
    PxSolidColumns c;
    px_solid_columns(&p->table, &c);
    for (uint32_t i = 0; i < p->table.count; ++i) {
        if (is_solid(world, i)) {
            p->density[i] = p->mass[i] / c.volume[i];
            p->pressure[i] = 0.0f;
        } else if (world->state.step == 0) {
            p->density[i] = (float)world->materials.data[p->material[i]].def.density;
        }
    }
}

static PxStatus permute(PxWorld *world, const uint32_t *order)
{
    PxParticles *p = &world->particles;
    for (uint32_t i = 0; i < p->table.count; ++i)
        if (order[i] != i) {
            PX_TRY(px_table_permute(&p->table, order, &world->threads));
            px_particles_refresh(p);
            break;
        }
    set_work(world);
    return PX_OK;
}

/* Fluids first, then solids body by body; all else as it was. */
static PxStatus part(PxWorld *world, uint32_t *order)
{
    const PxParticles *p = &world->particles;
    uint32_t n = p->table.count, place = 0;
    for (uint32_t i = 0; i < n; ++i)
        if (!is_solid(world, i))
            order[place++] = i;
    world->fluids = place;
    world->frames.count = 0;
    for (uint32_t body = 0; body < world->bodies.count && place < n; ++body) {
        PxSolidFrame frame = {.body = body, .begin = place - world->fluids};
        for (uint32_t i = 0; i < n; ++i)
            if (p->body[i] == body && is_solid(world, i))
                order[place++] = i;
        frame.end = place - world->fluids;
        if (frame.end == frame.begin)
            continue;
        if (!PX_LIST_RESERVE(&world->frames, 1))
            return px_fail(PX_ERR_MEMORY, "solids: no room");
        world->frames.data[world->frames.count++] = frame;
    }
    return permute(world, order);
}

static PxStatus make_lists(PxWorld *world, uint32_t *order)
{
    uint32_t n = world->particles.table.count;
    for (uint32_t i = 0; i < n; ++i)
        order[i] = i;
    for (size_t k = 0; k < world->frames.count; ++k) {
        const PxSolidFrame *f = &world->frames.data[k];
        uint32_t begin = world->fluids + f->begin, end = world->fluids + f->end;
        PX_TRY(px_solid_order(&world->solid_lists, points_of(world, begin, end), order + begin,
                              &world->scratch, &world->threads));
        for (uint32_t i = begin; i < end; ++i)
            order[i] += begin;
    }
    PX_TRY(permute(world, order));
    PX_TRY(px_solid_lists_begin(&world->solid_lists, n - world->fluids));
    for (size_t k = 0; k < world->frames.count; ++k) {
        const PxSolidFrame *f = &world->frames.data[k];
        PX_TRY(px_solid_lists_add(
            &world->solid_lists, points_of(world, world->fluids + f->begin, world->fluids + f->end),
            &world->scratch, world->isa, &world->threads));
    }
    return PX_OK;
}

static PxStatus arrange_mixed(PxWorld *world)
{
    const PxTable *t = &world->particles.table;
    PxMixedColumns c = px_mixed_columns(t);
    size_t shaped = 0;
    for (uint32_t i = 0; i < t->count; ++i)
        shaped += c.piece[i] > 0;
    world->fluids = t->count;
    if (shaped != world->state.shaped)
        world->state.highest = 0;
    world->state.shaped = shaped;
    if (world->solids_due || shaped != world->shaped_rows.count)
        PX_STAGE(&world->profile, "solid lists")
    PX_TRY(px_mixed_lists(world));
    return PX_OK;
}

PxStatus px_solids_arrange(PxWorld *world)
{
    PX_TRY(px_mixed_begin(world));
    uint32_t n = world->particles.table.count;
    if (world->mixed)
        return arrange_mixed(world);
    if (px_table_find(&world->particles.table, "rest_position") == NULL) {
        world->fluids = n;
        return PX_OK;
    }
    PxArenaMark mark = px_arena_mark(&world->scratch);
    uint32_t *order = PX_ARENA_ARRAY(&world->scratch, uint32_t, n);
    if (order == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room to sort %u particles", n);
    PX_STAGE(&world->profile, "solid lists")
    {
        bool mixed =
            world->fluids > 0 || world->solids_due || world->solid_lists.count != n - world->fluids;
        if (mixed)
            PX_TRY(part(world, order));
        if (world->solids_due || world->solid_lists.count != n - world->fluids) {
            PX_TRY(make_lists(world, order));
            world->solids_due = false;
            ++world->solid_version;
            world->solid_highest = 0;
        }
    }
    px_arena_release(&world->scratch, mark);
    return PX_OK;
}

/* ---- the step ---------------------------------------------------------------- */

typedef struct Contact {
    PxWorld *world;
    PxSolidWalls walls;
    PxHandleGrip *grip; /* one a handle */
    uint32_t *held;     /* rows that handles hold */
} Contact;

static void hold_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    PxSolid *s = user;
    const Contact *contact = s->user;
    for (uint32_t k = begin; k < end; ++k) {
        uint32_t i = contact->held[k];
        const PxSolidFrame *f = &s->frame[s->frame_of[i]];
        PxMat3 back = px_mat3_transpose(f->turn);
        PxVec3 at = {(double)s->columns.hold[0][i], (double)s->columns.hold[1][i],
                     (double)s->columns.hold[2][i]};
        PxVec3 x, v;
        px_handle_place(&contact->grip[s->columns.handle[i] - 1], at, &x, &v);
        x = px_mat3_apply(back, px_sub(x, f->move));
        v = px_mat3_apply(back, v);
        float *u = s->u + 4 * (size_t)i, *speed = s->v + 4 * (size_t)i;
        u[0] = (float)(x.x - (double)s->columns.rest[0][i]);
        u[1] = (float)(x.y - (double)s->columns.rest[1][i]);
        u[2] = (float)(x.z - (double)s->columns.rest[2][i]);
        speed[0] = (float)v.x;
        speed[1] = (float)v.y;
        speed[2] = (float)v.z;
    }
}

static void hold(PxSolid *s, double when)
{
    const Contact *contact = s->user;
    const PxWorld *world = contact->world;
    if (s->held == 0)
        return;
    for (size_t k = 0; k < world->handles.count; ++k)
        contact->grip[k] = px_handle_grip(world, (uint32_t)k, s->time + when * s->dt);
    px_parallel_for(s->threads, s->held, PX_BLOCK, hold_block, s);
}

static PxStatus find_held(const PxSolid *s, Contact *contact)
{
    uint32_t count = 0;
    contact->held = PX_ARENA_ARRAY(s->scratch, uint32_t, s->held);
    if (contact->held == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u particles", s->held);
    for (uint32_t i = 0; i < s->count && count < s->held; ++i)
        if (s->columns.handle[i] != 0)
            contact->held[count++] = i;
    return PX_OK;
}

/* What forces on regions add to the pull of gravity. */
static PxStatus push(PxWorld *world, PxSolid *s)
{
    if (world->forces.count == 0)
        return PX_OK;
    PxForceRows rows = {.count = s->count};
    uint32_t *row = PX_ARENA_ARRAY(s->scratch, uint32_t, s->count);
    bool there = row != NULL;
    for (int c = 0; c < 3; ++c) {
        rows.a[c] = PX_ARENA_ARRAY(s->scratch, float, s->count);
        there = there && rows.a[c] != NULL;
    }
    if (!there)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u particles", s->count);
    for (uint32_t i = 0; i < s->count; ++i) {
        row[i] = world->mixed ? world->shaped_rows.data[i] : s->first + i;
        rows.a[0][i] = rows.a[1][i] = rows.a[2][i] = 0.0f;
    }
    rows.row = row;
    px_forces_apply(world, s->time, &rows);
    for (uint32_t i = 0; i < s->count; ++i) {
        if (s->inverse_mass[i] == 0.0f)
            continue;
        PxMat3 back = px_mat3_transpose(s->frame[s->frame_of[i]].turn);
        PxVec3 a = px_mat3_apply(
            back, px_vec((double)rows.a[0][i], (double)rows.a[1][i], (double)rows.a[2][i]));
        s->pull[4 * (size_t)i] += (float)a.x;
        s->pull[4 * (size_t)i + 1] += (float)a.y;
        s->pull[4 * (size_t)i + 2] += (float)a.z;
    }
    return PX_OK;
}

static void touch(PxSolid *s, double when)
{
    Contact *contact = s->user;
    px_solid_walls_touch(&contact->walls, s, when);
}

static void meet(PxSolid *s, PxSolidContact *contact)
{
    px_solid_walls_meet(&((Contact *)s->user)->walls, s, contact);
}

static void rebound(PxSolid *s, const PxSolidContact *contact)
{
    px_solid_walls_rebound(&((Contact *)s->user)->walls, s, contact);
}

/* In a world in which something melts, each row's own. */
static PxStatus melted_laws(PxWorld *world, PxSolid *s)
{
    bool any = false;
    for (size_t k = 0; k < world->materials.count; ++k)
        any = any || world->materials.data[k].def.melts.melts;
    if (!any)
        return PX_OK;
    PxSolidLaw *law = PX_ARENA_ARRAY(s->scratch, PxSolidLaw, s->count);
    if (law == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u particles", s->count);
    PxMixedColumns mixed = px_mixed_columns(&s->particles->table);
    for (uint32_t i = 0; i < s->count; ++i) {
        uint32_t slot = s->particles->material[i];
        PxMaterial material;
        law[i] = s->law[slot];
        if (!(mixed.melted[i] > 0.0f))
            continue;
        material = px_melt_at(&s->material[slot], (double)mixed.melted[i]);
        PX_TRY(px_solid_law(&material, &law[i]));
    }
    s->row_law = law;
    return PX_OK;
}

static PxStatus laws(PxWorld *world, PxSolid *s)
{
    world->laws.count = 0;
    if (!PX_LIST_RESERVE(&world->laws, world->materials.count))
        return px_fail(PX_ERR_MEMORY, "solids: no room");
    for (size_t k = 0; k < world->materials.count; ++k) {
        PX_TRY(px_solid_law(&world->materials.data[k], &world->laws.data[k]));
        s->orthotropic = s->orthotropic || world->laws.data[k].orthotropic;
    }
    world->laws.count = world->materials.count;
    s->law = world->laws.data;
    return world->mixed ? melted_laws(world, s) : PX_OK;
}

/* The time in which the fastest that may reach a wall goes half its radius: thin walls hold. */
static double reach_of(const PxSolid *s, const uint8_t *near)
{
    double ratio = 0;
    for (uint32_t i = 0; i < s->count; ++i) {
        if (!near[i])
            continue;
        const float *v = s->v + 4 * (size_t)i;
        double v2 = (double)(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        double r = (double)s->particles->radius[s->first + i];
        ratio = fmax(ratio, v2 / (r * r));
    }
    return ratio > 0 ? 0.5 / sqrt(ratio) : INFINITY;
}

static PxStatus check_finite(const PxWorld *world, const PxSolid *s)
{
    uint32_t bad = 0; /* all of them first, in vectors; then who it was */
    for (size_t k = 0; k < 4 * (size_t)s->count; ++k) {
        uint32_t bits;
        memcpy(&bits, &s->u[k], sizeof bits);
        bad |= (bits & 0x7f800000u) == 0x7f800000u;
    }
    for (uint32_t i = 0; bad && i < s->count; ++i)
        if (!isfinite(s->u[4 * (size_t)i] + s->u[4 * (size_t)i + 1] + s->u[4 * (size_t)i + 2])) {
            const PxParticles *p = s->particles;
            return px_fail(
                PX_ERR_NUMERIC,
                "particle %llu of body '%s' stopped being finite in the elastic stage of "
                "step %llu, t = %g s; a smaller \"courant\" or \"max_step\" may help",
                (unsigned long long)p->id[s->first + i],
                world->bodies.data[p->body[s->first + i]].name,
                (unsigned long long)world->state.step + 1, world->state.time);
        }
    return PX_OK;
}

PxStatus px_solids_open(PxWorld *world, PxSolid *s)
{
    uint32_t count = world->solid_lists.count, first = world->mixed ? 0 : world->fluids;
    PxParticles *particles = world->mixed ? &world->shaped : &world->particles;
    *s = (PxSolid){.particles = particles,
                   .first = first,
                   .count = count,
                   .columns = columns_from(&particles->table, first),
                   .lists = &world->solid_lists,
                   .material = world->materials.data,
                   .frame = world->frames.data,
                   .frames = (uint32_t)world->frames.count,
                   .frame_of = PX_ARENA_ARRAY(&world->scratch, uint32_t, count),
                   .time = world->state.time,
                   .dt = world->dt,
                   .gravity = world->def.gravity,
                   .scratch = &world->scratch,
                   .threads = &world->threads,
                   .dist = &world->dist,
                   .isa = world->isa,
                   .mixed = world->mixed,
                   .profile = &world->profile,
                   .min_step = world->def.min_step,
                   .halvings = world->state.halvings,
                   .hold = hold,
                   .touch = touch,
                   .meet = meet,
                   .rebound = rebound};
    if (s->frame_of == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u particles", count);
    for (uint32_t k = 0; k < s->frames; ++k)
        for (uint32_t i = s->frame[k].begin; i < s->frame[k].end; ++i)
            s->frame_of[i] = k;
    PX_TRY(laws(world, s));
    return px_solid_begin(s);
}

PxStatus px_solids_look(PxWorld *world, PxSolid *s, const uint32_t **row)
{
    *s = (PxSolid){.count = 0};
    *row = NULL;
    if (world->solids_due) /* else solids lie together, though new fluid may lie behind them */
        PX_TRY(px_solids_arrange(world));
    if (world->solid_lists.count == 0)
        return PX_OK;
    if (world->mixed)
        PX_TRY(px_mixed_gather(world));
    PX_TRY(px_solids_open(world, s));
    px_solid_forces(s, false);
    *row = world->mixed ? world->shaped_rows.data : NULL;
    return PX_OK;
}

/* ---- maps for what moves along ------------------------------------------------ */

/* The maps of the gradients in `s`: into the world, or into the new rest shape. */
static PxStatus fill_maps(PxWorld *world, const PxSolid *s, bool world_space, PxSolidMaps *out)
{
    const PxParticles *p = s->particles;
    float *rest = PX_ARENA_ARRAY(s->scratch, float, 4 * (size_t)s->count);
    float *affine = PX_ARENA_ARRAY(s->scratch, float, 12 * (size_t)s->count);
    float *velocity = PX_ARENA_ARRAY(s->scratch, float, 3 * (size_t)s->count);
    uint32_t *body = PX_ARENA_ARRAY(s->scratch, uint32_t, s->count);
    PxVec3 *origin = PX_ARENA_ARRAY(s->scratch, PxVec3, world->bodies.count);
    if (rest == NULL || affine == NULL || velocity == NULL || body == NULL || origin == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for the maps of %u particles", s->count);
    PxVec3 from = world_space ? s->frame[0].move : px_vec(0, 0, 0);
    for (uint32_t i = 0; i < s->count; ++i) {
        const PxSolidFrame *f = &s->frame[s->frame_of[i]];
        const float *u = s->u + 4 * (size_t)i;
        PxMat3 j;
        for (int k = 0; k < 9; ++k)
            j.m[k / 3][k % 3] = (double)s->gradient[px_solid_at(i, k, 9)] + (k % 4 == 0 ? 1 : 0);
        PxVec3 x = px_sub(px_solid_place(s, i), from);
        if (world_space)
            j = px_mat3_multiply(f->turn, j);
        else
            x = px_vec((double)s->columns.rest[0][i] + (double)u[0],
                       (double)s->columns.rest[1][i] + (double)u[1],
                       (double)s->columns.rest[2][i] + (double)u[2]);
        for (int k = 0; k < 9; ++k)
            affine[12 * (size_t)i + (size_t)k] = (float)j.m[k / 3][k % 3];
        affine[12 * (size_t)i + 9] = (float)x.x;
        affine[12 * (size_t)i + 10] = (float)x.y;
        affine[12 * (size_t)i + 11] = (float)x.z;
        for (int c = 0; c < 3; ++c)
            rest[4 * (size_t)i + (size_t)c] = s->columns.rest[c][i];
        rest[4 * (size_t)i + 3] = s->columns.support[i];
        velocity[3 * (size_t)i] = p->vx[s->first + i];
        velocity[3 * (size_t)i + 1] = p->vy[s->first + i];
        velocity[3 * (size_t)i + 2] = p->vz[s->first + i];
        body[i] = p->body[s->first + i];
    }
    for (size_t k = 0; k < world->bodies.count; ++k)
        origin[k] = world->bodies.data[k].rest_origin;
    *out = (PxSolidMaps){.count = s->count,
                         .rest = rest,
                         .affine = affine,
                         .velocity = velocity,
                         .body = body,
                         .origin = from,
                         .rest_origin = origin,
                         .version = world->solid_version};
    return PX_OK;
}

PxStatus px_world_solid_maps(PxWorld *world, PxSolidMaps *out)
{
    PxSolid s;
    const uint32_t *row;
    PX_TRY(px_solids_look(world, &s, &row));
    *out = (PxSolidMaps){.version = world->solid_version};
    return s.count > 0 ? fill_maps(world, &s, true, out) : PX_OK;
}

/* Skins first: their rest shape follows by the same maps. */
static PxStatus absorb(PxWorld *world, PxSolid *s)
{
    uint64_t step = world->state.step + 1;
    for (uint32_t k = 0; k < s->frames && world->skins.count > 0; ++k) {
        uint32_t slot = s->frame[k].body;
        PxSolidMaps maps;
        if (!px_solid_absorbs(s, s->frame[k].begin, step))
            continue;
        PX_TRY(fill_maps(world, s, false, &maps));
        maps.origin = world->bodies.data[slot].rest_origin;
        PX_TRY(px_world_absorb_skins(world, slot, &maps));
    }
    if (px_solid_absorb(s, step))
        world->solids_due = true;
    return PX_OK;
}

/* ---- the whole of it ------------------------------------------------------------ */

/* The square of the stretch at which the slope of forces is twice that at rest, as in
 * solid/leapfrog.simd.c: pieces of what flows are looked over then. */
#define STRETCHED (5.0 / 3)

/* Of what flows and freezes the rest shape follows, and stress is kept as plastic strain: its
 * stiffness is that of the way it is now. Else that of the rest shape tells. */
static void find_highest(PxWorld *world, PxSolid *s)
{
    double *highest = world->mixed ? &world->state.highest : &world->solid_highest, at = 1;
    if (!(*highest > 0)) {
        *highest = px_solid_highest(s, world->mixed, &at);
        world->state.highest_at = at;
    }
    s->highest = *highest;
    s->highest_at = world->mixed ? world->state.highest_at : 1;
}

PxStatus px_solids_step(PxWorld *world, const PxFluid *fluid)
{
    uint32_t count =
        world->mixed ? world->shaped.table.count : world->particles.table.count - world->fluids;
    if (count == 0) {
        world->elastic = 0;
        return PX_OK;
    }
    PxSolid s;
    Contact contact = {.world = world,
                       .walls = {.wall = world->walls.data, .walls = world->walls.count},
                       .grip = PX_ARENA_ARRAY(&world->scratch, PxHandleGrip, world->handles.count)};
    if (contact.grip == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %zu handles", world->handles.count);
    PX_STAGE(&world->profile, "solid frames")
    {
        PX_TRY(px_solids_open(world, &s));
        s.user = &contact;
        if (world->mixed)
            px_mixed_push(world, &s, fluid);
        PX_TRY(find_held(&s, &contact));
        PX_TRY(push(world, &s));
        PX_TRY(px_solid_walls_begin(&contact.walls, &s));
        s.reach = reach_of(&s, contact.walls.near);
    }
    const PxMaterialDef *def = &s.material[s.particles->material[s.first]].def;
    const PxIntegrationModel *model = px_integration_find(def->integration.model, world->isa);
    PX_STAGE(&world->profile, "elastic")
    {
        if (!world->mixed)
            px_solid_crowding(&s, world->state.step);
        find_highest(world, &s);
        PX_TRY(model->advance(&s));
    }
    PX_TRY(check_finite(world, &s));
    if (!world->mixed)
        PX_TRY(absorb(world, &s));
    PX_STAGE(&world->profile, "solid frames")
    {
        px_solid_end(&s);
        if (world->mixed)
            px_table_scatter(&world->particles.table, &world->shaped.table, world->shaped_rows.data,
                             &world->threads);
    }
    world->elastic = s.elastic;
    world->solid_substeps = s.substeps;
    world->state.caught += contact.walls.caught;
    world->state.leaked += contact.walls.leaked;
    if (world->fluids == 0) {
        world->neighbours = (double)world->solid_lists.total / count;
        world->iterations = (uint32_t)s.iterations;
    }
    world->state.not_converged += !s.converged;
    world->state.halvings = s.halvings;
    if (world->mixed && s.stretch > fmax(STRETCHED, 1.5 * world->state.piece_stretch))
        world->state.piece_stretch = 0;
    return PX_OK;
}
