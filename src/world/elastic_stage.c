#include "world/elastic_stage.h"
#include "world/cloth_soft.h"
#include "world/fracture_stage.h"
#include "world/no_room.h"

#include "contact/solid_rigids.h"
#include "contact/solid_solids.h"
#include "contact/solid_walls.h"
#include "coupling/exchange.h"
#include "coupling/octree_cells.h"
#include "coupling/rest_update.h"
#include "solid/fracture/relax.h"
#include "solid/integration.h"
#include "world/octree_body.h"
#include "world/resample.h"
#include "world/undo.h"

#include <math.h>
#include <string.h>

static bool has_octrees(const PxWorld *world)
{
    for (size_t k = 0; k < world->bodies.count; ++k)
        if (!px_body_is_boundary(&world->bodies.data[k].def) &&
            world->bodies.data[k].def.fill == PX_FILL_OCTREE)
            return true;
    return false;
}

PxCoupling px_world_coupling(PxWorld *world)
{
    return (PxCoupling){.particles = &world->particles,
                        .material = world->materials.data,
                        .materials = world->materials.count,
                        .pairs = &world->pairs,
                        .flows = world->flows,
                        .sizes = has_octrees(world),
                        .spacing = world->def.spacing,
                        .support = world->def.support,
                        .solid_support = world->def.solid_support,
                        .gravity = world->def.gravity,
                        .scratch = &world->scratch,
                        .threads = &world->threads,
                        .dist = &world->dist,
                        .isa = world->isa};
}

bool px_world_flows(const PxWorld *world)
{
    for (size_t k = 0; k < world->bodies.count; ++k) {
        const PxBody *body = &world->bodies.data[k];
        if (px_body_is_bare(&body->def))
            continue;
        if (body->emitter > 0)
            return true;
        const PxMaterialDef *def = &world->materials.data[body->def.material.slot - 1].def;
        if (!(def->young > 0) || def->melts.melts || def->diffusivity > 0)
            return true;
    }
    return false;
}

bool px_world_absorbs(const PxWorld *world)
{
    for (size_t k = 0; k < world->materials.count; ++k)
        if (world->materials.data[k].def.young > 0 && world->materials.data[k].def.absorb > 0)
            return true;
    return false;
}

PxStatus px_world_make_elastic(PxWorld *world, uint32_t first, PxVec3 origin)
{
    PxCoupling c = px_world_coupling(world);
    return px_elastic_put(&c, &world->elastic_set, first, origin);
}

PxStatus px_world_elastic_columns(PxWorld *world, const PxMaterialDef *def)
{
    if (def->young > 0 || def->melts.into.young > 0)
        PX_TRY(px_elastic_columns_add(&world->particles.table));
    if (def->fracture.fractures)
        PX_TRY(px_fracture_columns_add(&world->particles.table));
    PX_TRY(px_cloth_soft_columns(world, def));
    px_particles_refresh(&world->particles);
    return PX_OK;
}

PxStatus px_world_store_bonds(const PxWorld *world, PxTable *out)
{
    if (px_table_find(out, "strength") == NULL)
        PX_TRY(px_bonds_columns(out));
    out->count = 0;
    return world->bonds_pending ? px_table_append_rows(out, &world->bonds_stored)
                                : px_elastic_set_save(&world->elastic_set, &world->particles, out);
}

PxStatus px_world_restore_bonds(PxWorld *world, const PxTable *bonds)
{
    const char *missing;
    if (!px_table_fits(bonds, &world->bonds_stored, PX_COLUMN_STATE, &missing))
        return px_fail(PX_ERR_FORMAT, "the stored bonds have no usable column '%s'", missing);
    const float *strength = px_table_find(bonds, "strength")->data[0];
    for (uint32_t k = 0; k < bonds->count; ++k)
        if (!(strength[k] >= 0.0f && strength[k] <= 1.0f)) /* true for NaN too */
            return px_fail(PX_ERR_FORMAT, "stored bond %u has a strength of %g, wanted 0 to 1", k,
                           (double)strength[k]);
    world->bonds_stored.count = 0;
    PX_TRY(px_table_append_rows(&world->bonds_stored, bonds));
    world->bonds_pending = true;
    return PX_OK;
}

static PxStatus update_set(PxWorld *world)
{
    PxCoupling c = px_world_coupling(world);
    uint64_t count = world->state.elastic_count;
    PX_STAGE(&world->profile, "bonds")
    PX_TRY(px_elastic_set_update(&world->elastic_set, &c, &count));
    if (world->state.elastic_count == count)
        return PX_OK;
    world->state.elastic_count = count;
    world->state.highest = 0;
    if (c.sizes)
        px_cells_fill(&world->elastic_set, &c);
    return PX_OK;
}

PxStatus px_elastic_stage_begin(PxWorld *world)
{
    PxCoupling c = px_world_coupling(world);
    if (world->bonds_pending) {
        PX_TRY(px_elastic_set_restore(&world->elastic_set, &c, &world->bonds_stored));
        /* the last crack before the state was saved may have cut off a piece */
        if (world->crack[PX_CRACK_LIST].count > 0)
            world->elastic_set.split_due = true;
    }
    world->bonds_pending = false;
    return update_set(world);
}

PxStatus px_elastic_stage_split(PxWorld *world)
{
    bool split = world->flows || px_resamples(world), lowered;
    while (split) {
        PX_TRY(px_octree_split(world, &split));
        if (split)
            PX_TRY(update_set(world));
    }
    PX_TRY(px_resample_bonds(world, &lowered));
    return lowered ? update_set(world) : PX_OK;
}

/* Has the elastic matter held by some emitter lost its component? Then the rest shape must be
 * updated at once: the emitter only pushes, and without bonds the emitted matter would drift. */
static PxStatus find_torn_emitters(PxWorld *world, const PxFractions *fractions, bool *torn)
{
    const PxParticles *p = &world->particles;
    PxElasticColumns elastic;
    size_t count = world->emitters.count;
    *torn = false;
    if (count == 0 || !px_elastic_columns(&p->table, &elastic))
        return PX_OK;
    PxEmitterProgress progress = px_emitters_progress(world);
    enum { SOME = 1, JOINED = 2 }; /* it holds elastic matter; some of it has a component */
    uint8_t *held = PX_ARENA_ARRAY(&world->scratch, uint8_t, count);
    if (held == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %zu emitters", count);
    memset(held, 0, count);
    for (uint32_t i = 0; i < p->table.count; ++i) {
        const PxEmitter *e = px_emitter_holder(world, i, progress.freed);
        if (e == NULL || !px_emitter_keeps(world, e, px_particle_place(p, i)) ||
            !fractions->elastic[i])
            continue;
        held[e - world->emitters.data] |= elastic.component[i] > 0 ? SOME | JOINED : SOME;
    }
    const void *list;
    uint32_t total;
    PX_TRY(px_dist_gather(&world->dist, held, (uint32_t)count, 1, &world->scratch, &list, &total));
    const uint8_t *all = list;
    for (size_t k = 0; k < count; ++k) {
        uint8_t what = 0;
        for (size_t e = k; e < total; e += count) /* one entry a rank */
            what |= all[e];
        *torn = *torn || what == SOME;
    }
    return PX_OK;
}

PxStatus px_elastic_stage_rest_shapes(PxWorld *world)
{
    PxCoupling c = px_world_coupling(world);
    PxRestUpdateResult result;
    bool torn;
    PX_TRY(find_torn_emitters(world, &world->fractions, &torn));
    /* px_elastic_stage_move() sets it to 0 when matter is stretched too far */
    bool stretched = world->state.rest_stretch == 0;
    PX_TRY(px_rest_update(&world->elastic_set, &c, &world->fractions, world->state.step,
                          torn || stretched, &result));
    if (result.looked)
        world->state.rest_stretch = result.stretch;
    world->fracture.melted = result.changed;
    if (result.changed)
        world->state.halvings = world->state.highest = 0;
    world->state.elastic_count = world->elastic_set.row.count;
    return PX_OK;
}

/* ---- the step ---------------------------------------------------------------- */

typedef struct Contact {
    PxWorld *world;
    PxSolidWalls walls;
    PxSolidSolids solids;
    PxSolidRigids rigids;
    PxHandleGrip *grip; /* one per handle */
    uint32_t *held;     /* rows held by handles */
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

/* Adds the accelerations of forces on regions to the external acceleration. */
static PxStatus push(PxWorld *world, PxSolid *s)
{
    if (world->forces.count == 0 && world->field_work == NULL)
        return PX_OK;
    const uint32_t *of = world->elastic_set.row.data; /* by row of the set */
    PxForceRows rows = {.count = 0};
    uint32_t *row = PX_ARENA_ARRAY(s->scratch, uint32_t, s->count);
    float *push = PX_ARENA_ARRAY(s->scratch, float, 4 * (size_t)s->count);
    bool there = row != NULL && push != NULL;
    for (int c = 0; c < 3; ++c) {
        rows.a[c] = PX_ARENA_ARRAY(s->scratch, float, s->count);
        there = there && rows.a[c] != NULL;
    }
    if (!there)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u particles", s->count);
    for (uint32_t i = 0; i < s->count; ++i) {
        if (of[i] == PX_ELSEWHERE)
            continue;
        uint32_t k = rows.count++;
        row[k] = of[i];
        rows.a[0][k] = rows.a[1][k] = rows.a[2][k] = 0.0f;
    }
    rows.row = row;
    px_forces_apply(world, s->time, &rows);
    for (uint32_t k = 0; k < rows.count && world->field_work != NULL; ++k)
        for (int c = 0; c < 3; ++c)
            rows.a[c][k] += world->field_work->a[c][row[k]];
    for (uint32_t i = 0, k = 0; i < s->count; ++i) {
        if (of[i] == PX_ELSEWHERE)
            continue;
        for (int c = 0; c < 3; ++c)
            push[4 * (size_t)i + (size_t)c] = rows.a[c][k];
        ++k;
    }
    PxDistArray quads = {push, 4 * sizeof(float), 4 * sizeof(float)};
    PX_TRY(px_dist_share(&world->dist, quads, of, s->count, s->scratch));
    for (uint32_t i = 0; i < s->count; ++i) {
        if (s->inverse_mass[i] == 0.0f)
            continue;
        const float *by = push + 4 * (size_t)i;
        PxMat3 back = px_mat3_transpose(s->frame[s->frame_of[i]].turn);
        PxVec3 a = px_mat3_apply(back, px_vec((double)by[0], (double)by[1], (double)by[2]));
        s->pull[4 * (size_t)i] += (float)a.x;
        s->pull[4 * (size_t)i + 1] += (float)a.y;
        s->pull[4 * (size_t)i + 2] += (float)a.z;
    }
    return PX_OK;
}

static void touch(PxSolid *s, double when)
{
    Contact *contact = s->user;
    px_solid_rigids_move(&contact->rigids, when);
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

/* Time in which rows near boundaries move at most half their radius, s. As a limit of the sub-step
 * it keeps them from passing thin walls. */
static double reach_of(const PxSolid *s, const PxSolidWalls *walls)
{
    double ratio = 0;
    for (uint32_t i = 0; i < s->count; ++i) {
        if (!walls->near[i] && !(walls->near_pieces != NULL && walls->near_pieces[i]))
            continue;
        const float *v = s->v + 4 * (size_t)i;
        double v2 = (double)(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        double r = (double)s->particles->radius[i];
        ratio = fmax(ratio, v2 / (r * r));
    }
    return ratio > 0 ? 0.5 / sqrt(ratio) : INFINITY;
}

static PxStatus check_finite(const PxWorld *world, const PxSolid *s)
{
    uint32_t bad = 0; /* a vectorised test of all rows; the loop below finds which one */
    for (size_t k = 0; k < 4 * (size_t)s->count; ++k) {
        uint32_t bits;
        memcpy(&bits, &s->u[k], sizeof bits);
        bad |= (bits & 0x7f800000u) == 0x7f800000u;
        bad |= !(fabsf(s->v[k]) < PX_FASTEST);
    }
    for (uint32_t i = 0; bad && i < s->count; ++i) {
        const float *u = s->u + 4 * (size_t)i, *v = s->v + 4 * (size_t)i;
        const PxParticles *p = s->particles;
        float speed = fmaxf(fabsf(v[0]), fmaxf(fabsf(v[1]), fabsf(v[2])));
        if (isfinite(u[0] + u[1] + u[2]) && isfinite(v[0] + v[1] + v[2]) && speed < PX_FASTEST)
            continue;
        return px_fail(PX_ERR_NUMERIC,
                       "particle %llu of body '%s' %s in the elastic stage of step %llu, t = %g s, "
                       "where solids are stretched up to %.3g times; a smaller \"courant\" or "
                       "\"max_step\" may help",
                       (unsigned long long)p->id[i], world->bodies.data[p->body[i]].name,
                       isfinite(u[0] + u[1] + u[2] + speed) ? "became faster than light"
                                                            : "stopped being finite",
                       (unsigned long long)world->state.step + 1, world->state.time,
                       sqrt(s->stretch));
    }
    if (!isfinite(s->elastic))
        return px_fail(PX_ERR_NUMERIC,
                       "the elastic energy stopped being finite in step %llu, t = %g s: solids are "
                       "stretched up to %.3g times",
                       (unsigned long long)world->state.step + 1, world->state.time,
                       sqrt(s->stretch));
    return PX_OK;
}

/* ---- maps for skins and coats ------------------------------------------------- */

/* Affine maps from the gradients in `s`: into the world, or into the new rest shape. */
static PxStatus fill_maps(PxWorld *world, const PxSolid *s, bool world_space, PxSolidMaps *out)
{
    const PxParticles *p = s->particles;
    float *rest = PX_ARENA_ARRAY(s->scratch, float, 4 * (size_t)s->count);
    float *affine = PX_ARENA_ARRAY(s->scratch, float, 12 * (size_t)s->count);
    float *velocity = PX_ARENA_ARRAY(s->scratch, float, 3 * (size_t)s->count);
    uint32_t *body = PX_ARENA_ARRAY(s->scratch, uint32_t, s->count);
    uint32_t *piece = PX_ARENA_ARRAY(s->scratch, uint32_t, s->count);
    uint32_t *number = PX_ARENA_ARRAY(s->scratch, uint32_t, world->bodies.count);
    float *cell = PX_ARENA_ARRAY(s->scratch, float, s->count);
    PxVec3 *origin = PX_ARENA_ARRAY(s->scratch, PxVec3, world->bodies.count);
    if (rest == NULL || affine == NULL || velocity == NULL || body == NULL || origin == NULL ||
        piece == NULL || number == NULL || cell == NULL)
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
        velocity[3 * (size_t)i] = p->vx[i];
        velocity[3 * (size_t)i + 1] = p->vy[i];
        velocity[3 * (size_t)i + 2] = p->vz[i];
        body[i] = p->body[i];
        cell[i] = cbrtf(s->columns.volume[i]);
    }
    memset(number, 0, world->bodies.count * sizeof *number);
    for (uint32_t k = 0; k < s->frames; ++k) {
        for (uint32_t i = s->frame[k].begin; i < s->frame[k].end; ++i)
            piece[i] = number[s->frame[k].body];
        ++number[s->frame[k].body];
    }
    for (size_t k = 0; k < world->bodies.count; ++k)
        origin[k] = world->bodies.data[k].rest_origin;
    *out = (PxSolidMaps){.count = s->count,
                         .rest = rest,
                         .affine = affine,
                         .velocity = velocity,
                         .body = body,
                         .piece = piece,
                         .cell = cell,
                         .origin = from,
                         .rest_origin = origin,
                         .version = world->elastic_set.version};
    return PX_OK;
}

PxStatus px_elastic_stage_look(PxWorld *world, PxSolid *s, const uint32_t **row)
{
    PxElasticSet *set = &world->elastic_set;
    *s = (PxSolid){.count = 0};
    world->flows = px_world_flows(world);
    PX_TRY(px_elastic_stage_begin(world));
    *row = set->row.data;
    if (set->row.count == 0)
        return PX_OK;
    PxCoupling c = px_world_coupling(world);
    PX_TRY(px_elastic_set_gather(set, &c));
    PX_TRY(px_elastic_set_open(set, &c, s));
    px_solid_forces(s, false);
    return PX_OK;
}

PxStatus px_world_solid_maps(PxWorld *world, PxSolidMaps *out)
{
    PxSolid s;
    const uint32_t *row;
    PX_TRY(px_elastic_stage_look(world, &s, &row));
    *out = (PxSolidMaps){.version = world->elastic_set.version};
    return s.count > 0 ? fill_maps(world, &s, true, out) : PX_OK;
}

/* ---- rest-shape update in worlds without fluid stages ------------------------------- */

/* Rest-shape update of whole bodies (solid/absorb.c). Skins come first, because their rest
 * positions need the maps from the old rest shape. */
static PxStatus absorb_bodies(PxWorld *world, PxSolid *s)
{
    uint64_t step = world->state.step + 1;
    bool kept = false;
    for (uint32_t body = 0; body < world->bodies.count && world->skins.count > 0; ++body) {
        uint32_t k = 0;
        while (k < s->frames && s->frame[k].body != body)
            ++k;
        if (k == s->frames || !px_solid_absorbs(s, s->frame[k].begin, step))
            continue;
        PxSolidMaps maps;
        PX_TRY(fill_maps(world, s, false, &maps));
        if (!kept)
            PX_TRY(px_undo_keep_skins(world, world->undo));
        kept = true;
        maps.origin = world->bodies.data[body].rest_origin;
        PX_TRY(px_world_absorb_skins(world, body, &maps));
    }
    world->absorbed = px_solid_absorb(s, step);
    return PX_OK;
}

/* Rebuilds the bonds of bodies whose rest shape was just updated. */
static PxStatus bond_absorbed(PxWorld *world, const PxCoupling *c)
{
    const PxParticles *p = &world->particles;
    uint64_t step = world->state.step + 1;
    uint8_t *fresh = PX_ARENA_ARRAY(&world->scratch, uint8_t, p->table.count);
    if (fresh == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u particles", p->table.count);
    for (uint32_t i = 0; i < p->table.count; ++i) {
        double every = c->material[p->material[i]].def.absorb;
        fresh[i] = every > 0 && step % (uint64_t)every == 0;
    }
    world->state.highest = 0;
    return px_elastic_set_rebuild(&world->elastic_set, c, fresh);
}

/* ---- the stage ------------------------------------------------------------------ */

/* Square of the stretch at which the tangent stiffness is twice that at rest, (3 l^2 - 1) / 2 = 2
 * (solid/leapfrog.simd.c). Above it the rest-shape update of flowing matter is due. */
#define STRETCHED (5.0 / 3)

/* The highest frequency about the rest shape, or about the present state in worlds with fluid
 * stages: rest-shape updates keep much of the stress as plastic strain there, which changes the
 * stiffness. */
static PxStatus find_highest(PxWorld *world, PxSolid *s)
{
    double at = 1;
    if (!(world->state.highest > 0)) {
        PX_TRY(px_solid_highest(s, world->flows, &world->state.highest, &at));
        world->state.highest_at = at;
    }
    s->highest = world->state.highest;
    s->highest_at = world->state.highest_at;
    return PX_OK;
}

static bool is_implicit(const PxSolid *s)
{
    const PxMaterialDef *def = &s->material[s->particles->material[0]].def;
    return strcmp(def->integration.model, "implicit") == 0;
}

/* Contact with rigid bodies, after that between solids. */
static PxStatus begin_rigids(PxWorld *world, Contact *contact, PxSolid *s)
{
    PxSolidRigids *rigids = &contact->rigids;
    *rigids = (PxSolidRigids){.boundary = world->boundaries.data,
                              .boundaries = world->boundaries.count,
                              .silent = world->dist.rank > 0,
                              .implicit = is_implicit(s),
                              .inner = s->press};
    PX_TRY(px_solid_rigids_begin(rigids, s));
    if (rigids->hits > 0) {
        s->reach = fmin(s->reach, px_solid_rigids_reach(rigids));
        s->press = &rigids->press;
    }
    contact->solids.reach = rigids->reach = s->reach;
    return PX_OK;
}

/* Counts the rigid pieces. One that is elastic again, because a handle has taken it, has the strain
 * with which it became rigid, but its energy was given up: it is relaxed. */
static void count_pieces(PxWorld *world, const PxSolid *s)
{
    uint64_t pieces = 0;
    for (uint32_t k = 0; k < s->frames; ++k)
        pieces += s->frame[k].rigid;
    if (pieces != world->state.rigid_fragments) {
        world->state.crack_relax = 1;
        world->state.highest = 0;
    }
    world->state.rigid_fragments = pieces;
}

PxStatus px_elastic_stage_move(PxWorld *world, const PxFluid *fluid)
{
    PxElasticSet *set = &world->elastic_set;
    uint32_t count = (uint32_t)set->row.count;
    if (count == 0) {
        world->elastic = 0;
        world->state.fragments = world->state.rigid_fragments = 0;
        return PX_OK;
    }
    PxCoupling c = px_world_coupling(world);
    PxSolid s;
    Contact contact = {.world = world,
                       .walls = {.boundary = world->boundaries.data,
                                 .boundaries = world->boundaries.count,
                                 .silent = world->dist.rank > 0},
                       .solids = {.facings.grid = &world->contact_grid},
                       .grip = PX_ARENA_ARRAY(&world->scratch, PxHandleGrip, world->handles.count)};
    if (contact.grip == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %zu handles", world->handles.count);
    PX_STAGE(&world->profile, "rigid fit")
    {
        PX_TRY(px_elastic_set_open(set, &c, &s));
        s.time = world->state.time;
        s.dt = world->dt;
        s.profile = &world->profile;
        s.min_step = world->def.min_step;
        s.halvings = world->state.halvings;
        s.hold = hold;
        s.touch = touch;
        s.meet = meet;
        s.rebound = rebound;
        s.user = &contact;
        count_pieces(world, &s);
        px_fracture_stage_relax(world, &s);
        PX_TRY(px_exchange_load(set, fluid, world->dt, &s));
        PX_TRY(find_held(&s, &contact));
        PX_TRY(push(world, &s));
        px_cloth_soft_push(world, &s);
        PX_TRY(px_solid_walls_begin(&contact.walls, &s));
        s.reach = reach_of(&s, &contact.walls);
        uint8_t *solid = NULL;
        if (world->flows)
            PX_TRY(px_exchange_contact_rows(set, &c, &world->fractions, &solid));
        contact.solids.facings.solid_rows = solid;
        contact.solids.facings.self = px_exchange_self_contact(&c) ? &world->contact_self : NULL;
        contact.solids.facings.version = set->version;
        contact.solids.implicit = is_implicit(&s);
        PX_TRY(px_solid_solids_begin(&contact.solids, &s));
        s.press = contact.solids.facings.facings > 0 ? &contact.solids.press : NULL;
        if (s.press != NULL)
            s.reach = fmin(s.reach, px_solid_solids_reach(&contact.solids));
        PX_TRY(begin_rigids(world, &contact, &s));
    }
    s.sticks = world->boundaries.count > 0 || s.press != NULL;
    const PxMaterialDef *def = &s.material[s.particles->material[0]].def;
    const PxIntegrationModel *model = px_integration_find(def->integration.model, world->isa);
    world->absorbed = false;
    PX_STAGE(&world->profile, "elastic")
    {
        if (!world->flows)
            px_solid_crowding(&s, world->state.step);
        PX_TRY(find_highest(world, &s));
        PX_TRY(model->advance(&s));
        PX_TRY(px_stop_check(&world->threads)); /* a solve that was stopped is incomplete */
    }
    PX_TRY(check_finite(world, &s));
    if (contact.walls.leaked > 0 && contact.walls.stuck < s.count)
        PX_TRY(px_no_room_for(world, s.particles->id[contact.walls.stuck],
                              px_solid_place(&s, contact.walls.stuck)));
    px_solid_walls_end(&contact.walls, &s);
    px_solid_rigids_end(&contact.rigids);
    PX_STAGE(&world->profile, "fracture")
    PX_TRY(px_fracture_stage_plan(world, &s));
    if (!world->flows)
        PX_TRY(absorb_bodies(world, &s));
    PX_STAGE(&world->profile, "rigid fit")
    {
        px_solid_end(&s);
        px_exchange_react(set, &s);
        px_elastic_set_scatter(set, &c, s.strained, s.sticks, s.remembers,
                               !world->flows && px_world_absorbs(world));
    }
    px_gauges_feel(world, &s);
    if (world->absorbed)
        PX_STAGE(&world->profile, "bonds")
    PX_TRY(bond_absorbed(world, &c));
    world->elastic = s.elastic;
    world->state.fragments = s.frames;
    world->solid_substeps = s.substeps;
    world->state.caught += contact.walls.caught;
    world->state.leaked += contact.walls.leaked;
    if (!world->flows) {
        world->neighbours = (double)set->lists.total / count;
        world->iterations = (uint32_t)s.iterations;
    }
    world->state.not_converged += !s.converged;
    world->state.halvings = s.halvings;
    if (world->flows && s.stretch > fmax(STRETCHED, 1.5 * world->state.rest_stretch))
        world->state.rest_stretch = 0;
    return PX_OK;
}
