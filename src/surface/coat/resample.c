/// Insertion and deletion of surfels (000 section 6.6.3).
///
/// Candidates are proposed in gaps between surfels (coverage.simd.c), and around boundary particles
/// without a surfel near: drops that separated, emitted particles, cavities that opened. On solid
/// matter they are proposed only on fracture surfaces, since the initial surfels of a solid need
/// not lie on the isosurface. Candidates are projected onto the isosurface. Of candidates nearer to
/// each other than ACCEPT the one with the highest random rank is inserted, unless a surfel is as
/// near. The others may be proposed again in the next pass.
#include "base/random.h"
#include "surface/coat/coat_parts.h"

#include <string.h>

/* Least distance of a new surfel from others, in distances between surfels. */
#define ACCEPT 0.72f
#define DEPTH 0.9f /* surfels further from their isosurface are deleted, spacings */
/* Boundary indicator of boundary particles: 0.2 in the outermost layer of a lattice, 0 in the
 * second. */
#define EDGE 0.16f
/* The indicator is 0 for 8 particles at the corners of a cube, but their weight is large. The
 * outermost layer of a lattice has 1.24 times the bulk weight, the second layer 1. */
#define THIN 1.15f
#define OUT 0.6f /* distance of candidates from their particle, spacings */
#define LISTINGS 5
#define FEW 50 /* passes end when less than one in so many surfels changed */

/* cos and sin of k * 22.5 degrees */
#define C1 0.92387953f
#define C2 0.70710678f
#define C3 0.38268343f
static const float around[2][PX_COAT_DIRECTIONS] = {
    {1, C1, C2, C3, 0, -C3, -C2, -C1, -1, -C1, -C2, -C3, 0, C3, C2, C1},
    {0, C3, C2, C1, 1, C1, C2, C3, 0, -C3, -C2, -C1, -1, -C1, -C2, -C3}};

/* ---- which component a surfel belongs to ---- */

/* Detail of cold matter yields where its topology changes (001 section 5.2.2). There the boundary
 * indicator P of the particles changes: inside becomes outside where matter tears, outside becomes
 * inside where parts merge. The sum G of LAMBDA |dP| over the frames, at most 1, is the part of the
 * way to the isosurface; in this frame the surfel is blended with its projection by
 * b_I = dG / (1 - G), the part of what is left of it (field values change linearly with G, so that
 * those of 001 cancel). Deviation: changes below NOISE, which deformation causes, do not count. */
#define LAMBDA 20.0f
#define NOISE 0.02f

static void yield(const PxSurfelColumns *s, uint32_t i, float change)
{
    /* molten matter is on the isosurface, and what freezes has its shape then as new detail */
    float before = (1.0f - s->melted[i]) * s->yielded[i], more = fabsf(change) - NOISE;
    more *= 1.0f - s->melted[i];
    float after = more > 0.0f ? before + LAMBDA * more : before;
    after = after < 1.0f ? after : 1.0f;
    s->yielded[i] = after;
    s->yields[i] = after < 1.0f ? (after - before) / (1.0f - before) : 1.0f;
}

PxStatus px_coat_attach(PxCoat *coat, PxCoatField *f)
{
    uint32_t n = coat->surfels.count, *own;
    const PxCoatInput *in = f->in;
    PxArenaMark mark = px_arena_mark(in->scratch);
    PxSurfelColumns s = px_surfel_columns(coat);
    size_t room = (size_t)n + PX_TABLE_PAD;
    PxCoatAssign a = {
        .f = f, .component = s.component, .label = s.label, .melted = s.melted, .cover = true};
    PxCoatProject probe = {.f = f, .component = s.component, .level = coat->level};
    bool fine = PX_COAT_TAKE(in, a.drop, room) && PX_COAT_TAKE(in, a.change, room) &&
                PX_COAT_TAKE(in, probe.value, room) && PX_COAT_TAKE(in, probe.slope, room) &&
                PX_COAT_TAKE(in, probe.state, room);
    for (int k = 0; k < 3; ++k) {
        fine = fine && PX_COAT_TAKE(in, probe.normal[k], room);
        probe.at[k] = a.at[k] = s.at[k];
    }
    if (!fine)
        return px_coat_no_room(n);
    PX_TRY(px_coat_label_numbers(f, &coat->surfels, &own));
    PX_TRY(px_coat_list_particles(f, s.at, n, NULL, &coat->near_rows, &a.lists));
    a.own = own;
    probe.lists = a.lists;
    memset(probe.state, PX_COAT_OPEN, n);
    PX_TRY(px_parallel_try(in->threads, a.lists.count, PX_COAT_BUNCHES,
                           PX_ISA_PICK(f->isa, px_coat_assign_block), &a));
    PX_TRY(px_parallel_try(in->threads, a.lists.count, PX_COAT_BUNCHES,
                           PX_ISA_PICK(f->isa, px_coat_project_block), &probe));
    uint32_t deleted = 0;
    for (uint32_t i = 0; i < n; ++i) {
        yield(&s, i, a.change[i]);
        float off = fabsf(probe.value[i] - coat->level), hot = fmaxf(s.melted[i], s.yields[i]);
        /* Tolerance grows as the molten fraction falls: detail that begins to melt may be
         * further away. */
        if (hot > PX_COAT_MELTED &&
            (probe.state[i] == PX_COAT_LOST ? hot > 0.5f : hot * off > DEPTH * probe.slope[i]))
            a.drop[i] = 1;
        deleted += a.drop[i];
    }
    if (deleted > 0)
        px_table_delete(&coat->surfels, a.drop);
    coat->stats.deleted += deleted;
    px_arena_release(in->scratch, mark);
    return PX_OK;
}

/* ---- sorting ---- */

PxStatus px_coat_sort(PxCoat *coat, const PxCoatInput *in, PxTable *table)
{
    const PxColumn *place = &table->column[2];
    float *const at[3] = {place->data[0], place->data[1], place->data[2]};
    uint32_t *order;
    PxArenaMark mark = px_arena_mark(in->scratch);
    if (!PX_COAT_TAKE(in, order, (size_t)table->count + 1))
        return px_coat_no_room(table->count);
    PX_TRY(px_coat_morton_order(in->scratch, at, table->count, (float)coat->def.surfel, order));
    PX_TRY(px_table_permute(table, order, in->threads));
    px_arena_release(in->scratch, mark);
    return PX_OK;
}

/* ---- candidates ---- */

typedef struct Candidates {
    uint32_t count;
    float *at[3], *normal[3], *value, *slope;
    uint32_t *component, *parent; /* parent: the surfel beside the gap, or PX_COAT_NONE */
    uint64_t *rank, *id;
    float *melted;
    uint8_t *state, *taken;
} Candidates;

static bool candidates_take(const PxCoatInput *in, Candidates *t, size_t room)
{
    bool fine = PX_COAT_TAKE(in, t->value, room) && PX_COAT_TAKE(in, t->slope, room) &&
                PX_COAT_TAKE(in, t->component, room) && PX_COAT_TAKE(in, t->parent, room) &&
                PX_COAT_TAKE(in, t->rank, room) && PX_COAT_TAKE(in, t->id, room) &&
                PX_COAT_TAKE(in, t->melted, room) && PX_COAT_TAKE(in, t->state, room) &&
                PX_COAT_TAKE(in, t->taken, room);
    for (int k = 0; k < 3; ++k)
        fine = fine && PX_COAT_TAKE(in, t->at[k], room) && PX_COAT_TAKE(in, t->normal[k], room);
    t->count = 0;
    return fine;
}

static void propose(Candidates *t, const float at[3], uint32_t component, uint32_t parent,
                    float melted, uint64_t rank)
{
    uint32_t k = t->count++;
    for (int a = 0; a < 3; ++a)
        t->at[a][k] = at[a];
    t->component[k] = component;
    t->parent[k] = parent;
    t->melted[k] = melted;
    t->rank[k] = rank;
    t->id[k] = k;
    t->state[k] = PX_COAT_OPEN;
}

/* Middle of the longest run of open directions. */
static int direction_of(unsigned open)
{
    int best = 0, length = 0;
    if (open == 0xffffu)
        return 0;
    for (int from = 0; from < PX_COAT_DIRECTIONS; ++from) {
        if (open >> ((from + PX_COAT_DIRECTIONS - 1) % PX_COAT_DIRECTIONS) & 1u)
            continue; /* not the start of a run */
        int run = 0;
        while (open >> ((from + run) % PX_COAT_DIRECTIONS) & 1u)
            ++run;
        if (run > length) {
            length = run;
            best = (from + run / 2) % PX_COAT_DIRECTIONS;
        }
    }
    return best;
}

static void propose_in_gaps(const PxCoat *coat, const PxCoatCoverage *ring, uint32_t pass,
                            Candidates *t)
{
    PxSurfelColumns s = px_surfel_columns(coat);
    float d = (float)coat->def.surfel;
    for (uint32_t i = 0; i < coat->surfels.count; ++i) {
        if (ring->open[i] == 0 || ring->crowded[i] ||
            !(s.melted[i] > PX_COAT_MELTED || s.raw[i] > 0.0f))
            continue;
        const float *side = ring->side[i];
        uint64_t rank = px_random_bits(s.id[i], coat->frame, pass);
        int k = ring->open[i] == 0xffffu ? (int)(rank % PX_COAT_DIRECTIONS)
                                         : direction_of(ring->open[i]);
        float c = d * around[0][k], z = d * around[1][k], at[3];
        for (int a = 0; a < 3; ++a)
            at[a] = s.at[a][i] + c * side[a] + z * side[3 + a];
        propose(t, at, s.component[i], i, s.melted[i], rank);
    }
}

static void propose_at_particles(const PxCoat *coat, const PxCoatField *f, Candidates *t)
{
    for (uint32_t i = 0; i < f->count; ++i) {
        bool outer = f->edge[i] > EDGE || f->weight[i] > THIN * coat->bulk_weight;
        if (f->covered[i] || !outer)
            continue;
        for (int k = 0; k < 6; ++k) {
            float at[3] = {f->x[i], f->y[i], f->z[i]};
            at[k / 2] += k % 2 ? OUT : -OUT;
            propose(t, at, f->component[i], PX_COAT_NONE, f->melted[i],
                    px_random_bits(f->id[i], coat->frame, 100 + (uint64_t)k));
        }
    }
}

/* Newton projection of open candidates; with 0 steps it only evaluates the field. */
static PxStatus newton(PxCoat *coat, PxCoatField *f, Candidates *t, int steps)
{
    PxCoatProject p = {.f = f,
                       .component = t->component,
                       .value = t->value,
                       .slope = t->slope,
                       .state = t->state,
                       .level = coat->level,
                       .steps = steps};
    for (int k = 0; k < 3; ++k) {
        p.at[k] = t->at[k];
        p.normal[k] = t->normal[k];
    }
    PxArenaMark mark = px_arena_mark(f->in->scratch);
    PX_TRY(px_coat_list_particles(f, t->at, t->count, NULL, &coat->near_rows, &p.lists));
    PX_TRY(px_parallel_try(f->in->threads, p.lists.count, PX_COAT_BUNCHES,
                           PX_ISA_PICK(f->isa, px_coat_project_block), &p));
    px_arena_release(f->in->scratch, mark);
    return PX_OK;
}

/* Candidates beside a surfel on an attracting wall go onto the wall instead of the isosurface
 * behind its relief; but not where the field decreases along the wall, away from the matter. */
static PxStatus snap_to_walls(PxCoat *coat, PxCoatField *f, Candidates *t)
{
    PxSurfelColumns s = px_surfel_columns(coat);
    float *from[3], *onto[3];
    uint32_t clinging = 0;
    for (int k = 0; k < 3; ++k)
        if (!PX_COAT_TAKE(f->in, from[k], (size_t)t->count + 1) ||
            !PX_COAT_TAKE(f->in, onto[k], (size_t)t->count + 1))
            return px_coat_no_room(t->count);
    for (uint32_t i = 0; i < t->count; ++i) {
        uint32_t parent = t->parent[i];
        float at[3], normal[3];
        t->taken[i] = parent != PX_COAT_NONE && t->melted[i] > PX_COAT_MELTED;
        for (int k = 0; k < 3; ++k) {
            at[k] = from[k][i] = t->at[k][i];
            normal[k] = t->taken[i] ? s.normal[k][parent] : 0.0f;
        }
        t->taken[i] =
            t->taken[i] && px_coat_snap_to_wall(coat, f->in, (float)coat->def.surfel, at, normal);
        clinging += t->taken[i];
        for (int k = 0; k < 3; ++k) {
            t->at[k][i] = at[k];
            onto[k][i] = normal[k];
        }
    }
    if (clinging == 0)
        return PX_OK;
    PX_TRY(newton(coat, f, t, 0));
    for (uint32_t i = 0; i < t->count; ++i) {
        float along = 0.0f;
        for (int k = 0; k < 3; ++k)
            along += onto[k][i] * t->normal[k][i];
        bool fine = t->taken[i] && t->state[i] != PX_COAT_LOST &&
                    t->value[i] > coat->wall_min_value && along > 0.5f;
        t->state[i] = fine ? PX_COAT_ON : PX_COAT_OPEN;
        for (int k = 0; k < 3; ++k) {
            t->at[k][i] = fine ? t->at[k][i] : from[k][i];
            t->normal[k][i] = onto[k][i];
        }
    }
    return PX_OK;
}

static PxStatus project(PxCoat *coat, PxCoatField *f, Candidates *t)
{
    uint32_t open = t->count;
    if (f->in->walls > 0 || f->in->moulds > 0)
        PX_TRY(snap_to_walls(coat, f, t));
    for (int listing = 0; listing < LISTINGS && open > 0; ++listing) {
        PX_TRY(newton(coat, f, t, 4));
        open = 0;
        for (uint32_t i = 0; i < t->count; ++i)
            open += t->state[i] == PX_COAT_OPEN;
    }
    return PX_OK;
}

/* ---- accepting candidates ---- */

typedef struct Acceptance {
    const PxCoat *coat;
    const Candidates *t;
    PxSurfelColumns s;
    const uint8_t *drop; /* surfels to be deleted */
    PxCoatLists surfels; /* surfels near the candidates; below: candidates near each other */
    PxCoatLists candidates;
    float least; /* squared least distance */
} Acceptance;

/* Initial surfels of solid matter cover the isosurface within this distance (spacings), unless
 * their normal is another one: then the candidate is on a fracture surface. */
#define SKIN 1.0f
#define SKIN_FACING 0.5f

static float cosine(float *const a[3], uint32_t i, float *const b[3], uint32_t j)
{
    return a[0][i] * b[0][j] + a[1][i] * b[1][j] + a[2][i] * b[2][j];
}

static float distance2(float *const a[3], uint32_t i, float *const b[3], uint32_t j)
{
    float x = a[0][i] - b[0][j], y = a[1][i] - b[1][j], z = a[2][i] - b[2][j];
    return x * x + y * y + z * z;
}

static bool is_accepted(const Acceptance *c, uint32_t bunch, uint32_t i)
{
    const Candidates *t = c->t;
    if (t->parent[i] != PX_COAT_NONE) {
        float d = (float)c->coat->def.surfel;
        if (distance2(t->at, i, c->s.at, t->parent[i]) > 4.0f * d * d)
            return false; /* it left its gap */
    }
    bool cold = !(t->melted[i] > PX_COAT_MELTED);
    PX_COAT_FOR_NEAR(&c->surfels, bunch, j)
    if (cold && !(c->s.raw[*j] > 0.0f) && distance2(t->at, i, c->s.at, *j) < SKIN * SKIN &&
        cosine(t->normal, i, c->s.normal, *j) > SKIN_FACING)
        return false;
    PX_COAT_FOR_NEAR(&c->surfels, bunch, j)
    if (distance2(t->at, i, c->s.at, *j) < c->least && !c->drop[*j] &&
        c->s.component[*j] == t->component[i] && cosine(t->normal, i, c->s.normal, *j) > 0.0f)
        return false;
    PX_COAT_FOR_NEAR(&c->candidates, bunch, j)
    if (distance2(t->at, i, t->at, *j) < c->least && t->state[*j] == PX_COAT_ON &&
        t->component[*j] == t->component[i] && cosine(t->normal, i, t->normal, *j) > 0.0f &&
        (t->rank[*j] > t->rank[i] || (t->rank[*j] == t->rank[i] && *j < i)))
        return false;
    return true;
}

static void accept_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Acceptance *c = user;
    for (uint32_t b = begin; b < end; ++b)
        for (uint32_t i = c->candidates.begin[b]; i < c->candidates.begin[b + 1]; ++i)
            c->t->taken[i] = c->t->state[i] == PX_COAT_ON && is_accepted(c, b, i);
}

static PxStatus accept(PxCoat *coat, const PxCoatField *f, Candidates *t, const PxCoatTree *surfels,
                       const uint8_t *drop)
{
    const PxCoatInput *in = f->in;
    float least = ACCEPT * (float)coat->def.surfel;
    Acceptance c = {
        .coat = coat, .t = t, .s = px_surfel_columns(coat), .drop = drop, .least = least * least};
    PxCoatTree candidates;
    float reach = least;
    for (uint32_t i = 0; i < t->count; ++i)
        if (!(t->melted[i] > PX_COAT_MELTED))
            reach = fmaxf(least, SKIN);
    PX_TRY(px_coat_tree_make(in->scratch, in->threads, t->at, t->count, &candidates));
    PX_TRY(px_coat_bunch(in->scratch, t->at, t->count, 4 * least, &c.surfels));
    PX_TRY(px_coat_bunch(in->scratch, t->at, t->count, 4 * least, &c.candidates));
    PX_TRY(px_coat_list(in->scratch, in->threads, f->isa, t->at, surfels, reach, NULL,
                        &coat->surfel_rows, &c.surfels));
    PX_TRY(px_coat_list(in->scratch, in->threads, f->isa, t->at, &candidates, least, NULL,
                        &coat->near_rows, &c.candidates));
    PX_TRY(px_parallel_try(in->threads, c.candidates.count, PX_COAT_BUNCHES, accept_block, &c));
    return PX_OK;
}

static PxStatus append(PxCoat *coat, const PxCoatField *f, const Candidates *t, uint32_t *made)
{
    uint32_t count = 0, first;
    for (uint32_t i = 0; i < t->count; ++i)
        count += t->taken[i];
    *made = count;
    for (uint32_t i = 0; i < t->count; ++i)
        coat->seeds += t->taken[i] && t->parent[i] == PX_COAT_NONE;
    if ((size_t)coat->surfels.count + count > PX_COAT_MOST)
        return px_fail(PX_ERR_MEMORY, "coat: more than %u surfels", PX_COAT_MOST);
    PX_TRY(px_table_append(&coat->surfels, count, &first));
    PxSurfelColumns s = px_surfel_columns(coat);
    for (uint32_t i = 0; i < t->count; ++i) {
        if (!t->taken[i])
            continue;
        uint32_t to = first++, parent = t->parent[i];
        s.id[to] = coat->next_id++;
        s.component[to] = t->component[i];
        s.label[to] = f->label[t->component[i]];
        s.melted[to] = t->melted[i];
        s.fresh[to] = 1;
        s.raw[to] = t->melted[i] > PX_COAT_MELTED ? 0.0f : 1.0f;
        s.painted[to] = parent != PX_COAT_NONE ? s.painted[parent] : 0.0f;
        for (int a = 0; a < 3; ++a) {
            s.at[a][to] = s.base[a][to] = t->at[a][i];
            s.normal[a][to] = s.base[3 + a][to] = t->normal[a][i];
            s.colour[a][to] = parent != PX_COAT_NONE ? s.colour[a][parent] : 1.0f;
        }
        s.radius[to] = (float)(PX_COAT_DISC * coat->def.surfel);
    }
    return PX_OK;
}

/* ---- one pass ---- */

static PxStatus resample_once(PxCoat *coat, PxCoatField *f, uint32_t pass, bool particles,
                              uint32_t *changes)
{
    const PxCoatInput *in = f->in;
    uint32_t n = coat->surfels.count;
    PxSurfelColumns s = px_surfel_columns(coat);
    PxCoatCoverage ring = {.id = s.id, .radius = s.radius, .apart = (float)coat->def.surfel};
    PxCoatTree tree;
    float *quad = NULL, *normal_quad = NULL, *component = NULL;
    Candidates t;
    if (!PX_COAT_TAKE(in, quad, px_quads_floats(n)) ||
        !PX_COAT_TAKE(in, normal_quad, px_quads_floats(n)) ||
        !PX_COAT_TAKE(in, component, (size_t)n + 1) ||
        !PX_COAT_TAKE(in, ring.crowded, (size_t)n + 1) ||
        !PX_COAT_TAKE(in, ring.open, (size_t)n + 1) ||
        !PX_COAT_TAKE(in, ring.side, (size_t)n + 1) ||
        !candidates_take(in, &t, (size_t)n + (particles ? 6 * (size_t)f->count : 0) + PX_TABLE_PAD))
        return px_coat_no_room(n);
    for (uint32_t i = 0; i < n; ++i)
        component[i] = (float)s.component[i];
    px_quads_pack(quad, s.at[0], s.at[1], s.at[2], s.melted, n, in->threads);
    memcpy(ring.tangent, s.tangent, sizeof ring.tangent);
    px_quads_pack(normal_quad, s.normal[0], s.normal[1], s.normal[2], component, n, in->threads);
    ring.quad = quad;
    ring.normal_quad = normal_quad;
    PX_TRY(px_coat_tree_make(in->scratch, in->threads, s.at, n, &tree));
    PX_TRY(px_coat_bunch(in->scratch, s.at, n, coat->bunch_width, &ring.lists));
    PX_TRY(px_coat_list(in->scratch, in->threads, f->isa, s.at, &tree,
                        PX_COAT_COVERAGE_REACH * ring.apart, NULL, &coat->surfel_rows,
                        &ring.lists));
    PX_TRY(px_parallel_try(in->threads, ring.lists.count, PX_COAT_BUNCHES,
                           PX_ISA_PICK(f->isa, px_coat_coverage_block), &ring));
    uint32_t deleted = 0, made = 0, open = 0;
    for (uint32_t i = 0; i < n; ++i) {
        ring.crowded[i] = ring.crowded[i] && s.melted[i] > PX_COAT_MELTED;
        deleted += ring.crowded[i];
        open += ring.open[i] != 0 && !ring.crowded[i];
    }
    propose_in_gaps(coat, &ring, pass, &t);
    if (particles)
        propose_at_particles(coat, f, &t);
    if (t.count > 0) {
        PX_TRY(project(coat, f, &t));
        PX_TRY(accept(coat, f, &t, &tree, ring.crowded));
        PX_TRY(append(coat, f, &t, &made));
    }
    if (deleted > 0) { /* appended surfels have the last rows */
        uint8_t *drop;
        if (!PX_COAT_TAKE(in, drop, (size_t)coat->surfels.count + 1))
            return px_coat_no_room(coat->surfels.count);
        memset(drop, 0, (size_t)coat->surfels.count + 1);
        memcpy(drop, ring.crowded, n);
        px_table_delete(&coat->surfels, drop);
    }
    coat->stats.deleted += deleted;
    coat->stats.made += made;
    coat->stats.holes = open;
    *changes = deleted + made;
    return PX_OK;
}

PxStatus px_coat_resample(PxCoat *coat, PxCoatField *f, bool last, uint32_t passes)
{
    coat->seeds = 0;
    for (uint32_t pass = 0; pass < passes; ++pass) {
        PxArenaMark mark = px_arena_mark(f->in->scratch);
        uint32_t changes;
        PX_TRY(resample_once(coat, f, pass, !last && pass == 0, &changes));
        px_arena_release(f->in->scratch, mark);
        if (changes == 0)
            break;
        PX_TRY(px_coat_sort(coat, f->in, &coat->surfels));
        /* New surfels around particles need further passes to close the surface. */
        if (changes < coat->surfels.count / FEW && coat->seeds == 0)
            break;
    }
    return PX_OK;
}
