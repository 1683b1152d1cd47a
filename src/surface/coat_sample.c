/// Surfels made and deleted (000 section 6.6.3).
///
/// New ones are tried where the ring around a surfel is open (coat_ring.simd.c) and around
/// particles at the boundary that no surfel is near: drops that tore off, what an emitter made,
/// hollows that opened. A try is moved onto the field's surface; of tries nearer to each other than
/// ACCEPT the one with the highest hash of who asked and when is taken, if no surfel is as near.
/// The others may try again in the next pass.
#include "base/random.h"
#include "surface/coat_inner.h"

#include <string.h>

#define ACCEPT 0.72f /* least distance of a new surfel from others, distances */
#define DEPTH 0.9f   /* a surfel that far from the surface of its part is not on it, spacings */
#define COVERED 0.95f
#define EDGE 0.2f /* 001 Eq. 29 is 0.34 for half a ball, and below 0.1 inside */
/* It is 0 for 8 particles at the corners of a cube, which have no inside: they lack neighbours. The
 * outermost layer of a lattice has 1.24 times the weight of the inside, the one below it the same.
 */
#define THIN 1.15f
#define OUT 0.6f /* where tries around particles begin, spacings */
#define LISTINGS 5
#define FEW 50 /* when less than one in so many surfels changed, the next pass can wait */

/* cos and sin of k * 22.5 degrees */
#define C1 0.92387953f
#define C2 0.70710678f
#define C3 0.38268343f
const float px_coat_ring[2][PX_COAT_RING] = {
    {1, C1, C2, C3, 0, -C3, -C2, -C1, -1, -C1, -C2, -C3, 0, C3, C2, C1},
    {0, C3, C2, C1, 1, C1, C2, C3, 0, -C3, -C2, -C1, -1, -C1, -C2, -C3}};

/* ---- which part a surfel belongs to ---- */

typedef struct Attach {
    PxCoatField *f;
    PxCoatNear near;
    PxSurfelColumns s;
    uint8_t *drop;
} Attach;

/* The melted fraction there (Eq. 6.39), by particles of the part. */
static float melted_at(const PxCoatField *f, const PxCoatNear *near, uint32_t i, const float at[3],
                       uint32_t part)
{
    const float per = 1.0f / (PX_COAT_H * PX_COAT_H);
    const PxPairs *pairs = near->pairs;
    uint32_t k = near->place[i];
    float sum = 0.0f, weights = 0.0f;
    for (uint32_t e = 0; e < pairs->size[k]; ++e) {
        uint32_t j = pairs->row[pairs->start[k] + e];
        float x = at[0] - f->x[j], y = at[1] - f->y[j], z = at[2] - f->z[j];
        float t = 1.0f - (x * x + y * y + z * z) * per;
        if (t > 0.0f && f->part[j] == part) {
            sum += t * t * t * f->melted[j];
            weights += t * t * t;
        }
    }
    return weights > 0.0f ? sum / weights : 1.0f;
}

static void attach_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Attach *p = user;
    PxCoatField *f = p->f;
    const float per = 1.0f / (PX_COAT_H * PX_COAT_H);
    const PxPairs *pairs = p->near.pairs;
    for (uint32_t i = begin; i < end; ++i) {
        const float at[3] = {p->s.at[0][i], p->s.at[1][i], p->s.at[2][i]};
        uint32_t k = p->near.place[i], best = PX_COAT_NONE, any = p->s.label[i] == 0;
        uint32_t own = any ? PX_COAT_NONE : px_coat_label_number(f, p->s.label[i]);
        float most = 0.0f;
        for (uint32_t e = 0; e < pairs->size[k]; ++e) {
            uint32_t j = pairs->row[pairs->start[k] + e];
            float x = at[0] - f->x[j], y = at[1] - f->y[j], z = at[2] - f->z[j];
            float t = 1.0f - (x * x + y * y + z * z) * per;
            float share = t > 0.0f ? f->weight[j] * t * t * t : 0.0f;
            if ((any || f->was[j] == own) && share > most) {
                most = share;
                best = j;
            }
        }
        p->drop[i] = best == PX_COAT_NONE;
        p->s.part[i] = best == PX_COAT_NONE ? 0 : f->part[best];
        p->s.label[i] = best == PX_COAT_NONE ? 0 : f->label[f->part[best]];
        if (best == PX_COAT_NONE)
            continue;
        p->s.melted[i] = f->in->melted != NULL ? melted_at(f, &p->near, i, at, p->s.part[i]) : 1.0f;
        for (uint32_t e = 0; e < pairs->size[k]; ++e) {
            uint32_t j = pairs->row[pairs->start[k] + e];
            if (__atomic_load_n(&f->covered[j], __ATOMIC_RELAXED) || f->part[j] != p->s.part[i])
                continue;
            float x = at[0] - f->x[j], y = at[1] - f->y[j], z = at[2] - f->z[j];
            if (x * x + y * y + z * z < COVERED * COVERED)
                __atomic_store_n(&f->covered[j], 1, __ATOMIC_RELAXED);
        }
    }
}

PxStatus px_coat_attach(PxCoat *coat, PxCoatField *f)
{
    uint32_t n = coat->surfels.count;
    PxArenaMark mark = px_arena_mark(f->in->scratch);
    Attach a = {.f = f, .s = px_surfel_columns(coat)};
    PxCoatProject probe = {.f = f, .level = coat->level};
    bool fine = PX_COAT_TAKE(f->in, a.drop, (size_t)n + 1) &&
                PX_COAT_TAKE(f->in, probe.value, (size_t)n + 1) &&
                PX_COAT_TAKE(f->in, probe.slope, (size_t)n + 1) &&
                PX_COAT_TAKE(f->in, probe.state, (size_t)n + 1);
    for (int k = 0; k < 3; ++k) {
        fine = fine && PX_COAT_TAKE(f->in, probe.normal[k], (size_t)n + 1);
        probe.at[k] = a.s.at[k];
    }
    if (!fine)
        return px_coat_no_room(n);
    PxGridPoints points = {a.s.at[0], a.s.at[1], a.s.at[2], n};
    PX_TRY(
        px_coat_near(coat, f, &coat->point_grid, &coat->near_pairs, points, a.s.id, NULL, &a.near));
    px_parallel_for(f->in->threads, n, PX_COAT_BLOCK, attach_block, &a);
    px_coat_near_own(f, &a.near, a.s.part, n);
    probe.near = a.near;
    memset(probe.state, PX_COAT_OPEN, n);
    px_parallel_for(f->in->threads, n, PX_COAT_BLOCK, PX_ISA_PICK(f->isa, px_coat_project_block),
                    &probe);
    uint32_t deleted = 0;
    for (uint32_t i = 0; i < n; ++i) {
        float off = fabsf(probe.value[i] - coat->level), hot = a.s.melted[i];
        /* Detail that is only beginning to melt may be further off. */
        if (hot > PX_COAT_MELTED &&
            (probe.state[i] == PX_COAT_LOST ? hot > 0.5f : hot * off > DEPTH * probe.slope[i]))
            a.drop[i] = 1;
        deleted += a.drop[i];
    }
    px_table_delete(&coat->surfels, a.drop);
    coat->stats.deleted += deleted;
    px_arena_release(f->in->scratch, mark);
    return PX_OK;
}

/* ---- lists ---- */

PxStatus px_coat_sort(PxCoat *coat, const PxCoatField *f)
{
    const PxCoatInput *in = f->in;
    uint32_t n = coat->surfels.count, *order;
    PxSurfelColumns s = px_surfel_columns(coat);
    PxArenaMark mark = px_arena_mark(in->scratch);
    if (!PX_COAT_TAKE(in, order, (size_t)n + 1))
        return px_coat_no_room(n);
    float reach = fmaxf(coat->reach, 2.1f * (float)coat->def.surfel) * 1.05f;
    PxGridPoints points = {s.at[0], s.at[1], s.at[2], n};
    PxGridFrame frame = px_grid_frame((double)reach, &points, 1, in->threads);
    PX_TRY(px_grid_sort(&coat->surfel_grid, &frame, points, s.id, order, in->scratch, in->threads));
    PX_TRY(px_table_permute(&coat->surfels, order, in->threads));
    px_arena_release(in->scratch, mark);
    s = px_surfel_columns(coat);
    points = (PxGridPoints){s.at[0], s.at[1], s.at[2], n};
    return px_pairs_build(&coat->surfel_pairs, &coat->surfel_grid, points, &coat->surfel_grid,
                          points, reach, f->isa, in->threads);
}

/* ---- tries ---- */

typedef struct Tries {
    uint32_t count;
    float *at[3], *normal[3], *value, *slope;
    uint32_t *part, *parent; /* parent: surfel, or PX_COAT_NONE */
    uint64_t *rank, *id;
    float *melted;
    uint8_t *state, *taken;
} Tries;

static bool tries_take(const PxCoatInput *in, Tries *t, size_t room)
{
    bool fine = PX_COAT_TAKE(in, t->value, room) && PX_COAT_TAKE(in, t->slope, room) &&
                PX_COAT_TAKE(in, t->part, room) && PX_COAT_TAKE(in, t->parent, room) &&
                PX_COAT_TAKE(in, t->rank, room) && PX_COAT_TAKE(in, t->id, room) &&
                PX_COAT_TAKE(in, t->melted, room) && PX_COAT_TAKE(in, t->state, room) &&
                PX_COAT_TAKE(in, t->taken, room);
    for (int k = 0; k < 3; ++k)
        fine = fine && PX_COAT_TAKE(in, t->at[k], room) && PX_COAT_TAKE(in, t->normal[k], room);
    t->count = 0;
    return fine;
}

static void try_at(Tries *t, const float at[3], uint32_t part, uint32_t parent, float melted,
                   uint64_t rank)
{
    uint32_t k = t->count++;
    for (int a = 0; a < 3; ++a)
        t->at[a][k] = at[a];
    t->part[k] = part;
    t->parent[k] = parent;
    t->melted[k] = melted;
    t->rank[k] = rank;
    t->id[k] = k;
    t->state[k] = PX_COAT_OPEN;
}

/* The middle of the longest run of open directions. */
static int direction_of(unsigned open)
{
    int best = 0, length = 0;
    if (open == 0xffffu)
        return 0;
    for (int from = 0; from < PX_COAT_RING; ++from) {
        if (open >> ((from + PX_COAT_RING - 1) % PX_COAT_RING) & 1u)
            continue; /* a run begins after a closed one */
        int run = 0;
        while (open >> ((from + run) % PX_COAT_RING) & 1u)
            ++run;
        if (run > length) {
            length = run;
            best = (from + run / 2) % PX_COAT_RING;
        }
    }
    return best;
}

static void try_rings(const PxCoat *coat, const PxCoatRing *ring, uint32_t pass, Tries *t)
{
    PxSurfelColumns s = px_surfel_columns(coat);
    float d = (float)coat->def.surfel;
    for (uint32_t i = 0; i < coat->surfels.count; ++i) {
        if (ring->open[i] == 0 || ring->crowded[i] || !(s.melted[i] > PX_COAT_MELTED))
            continue;
        const float *side = ring->side[i];
        uint64_t rank = px_random_bits(s.id[i], coat->frame, pass);
        int k = ring->open[i] == 0xffffu ? (int)(rank % PX_COAT_RING) : direction_of(ring->open[i]);
        float c = d * px_coat_ring[0][k], z = d * px_coat_ring[1][k], at[3];
        for (int a = 0; a < 3; ++a)
            at[a] = s.at[a][i] + c * side[a] + z * side[3 + a];
        try_at(t, at, s.part[i], i, s.melted[i], rank);
    }
}

static void try_particles(const PxCoat *coat, const PxCoatField *f, Tries *t)
{
    for (uint32_t i = 0; i < f->count; ++i) {
        bool outer = f->edge[i] > EDGE || f->weight[i] > THIN * coat->bulk;
        if (f->covered[i] || !outer || !(f->melted[i] > PX_COAT_MELTED))
            continue;
        for (int k = 0; k < 6; ++k) {
            float at[3] = {f->x[i], f->y[i], f->z[i]};
            at[k / 2] += k % 2 ? OUT : -OUT;
            try_at(t, at, f->part[i], PX_COAT_NONE, f->melted[i],
                   px_random_bits(f->id[i], coat->frame, 100 + (uint64_t)k));
        }
    }
}

static PxStatus project(PxCoat *coat, PxCoatField *f, Tries *t)
{
    PxCoatProject p = {.f = f,
                       .value = t->value,
                       .slope = t->slope,
                       .state = t->state,
                       .level = coat->level,
                       .steps = 4};
    for (int k = 0; k < 3; ++k) {
        p.at[k] = t->at[k];
        p.normal[k] = t->normal[k];
    }
    for (int listing = 0; listing < LISTINGS; ++listing) {
        PxArenaMark mark = px_arena_mark(f->in->scratch);
        PxGridPoints points = {t->at[0], t->at[1], t->at[2], t->count};
        PX_TRY(px_coat_near(coat, f, &coat->point_grid, &coat->point_pairs, points, t->id, t->part,
                            &p.near));
        px_parallel_for(f->in->threads, t->count, PX_COAT_BLOCK,
                        PX_ISA_PICK(f->isa, px_coat_project_block), &p);
        px_arena_release(f->in->scratch, mark);
        uint32_t open = 0;
        for (uint32_t i = 0; i < t->count; ++i)
            open += t->state[i] == PX_COAT_OPEN;
        if (open == 0)
            break;
    }
    return PX_OK;
}

/* ---- choosing among them ---- */

typedef struct Choice {
    const PxCoat *coat;
    const Tries *t;
    PxSurfelColumns s;
    const uint8_t *drop; /* surfels that go */
    const uint32_t *order;
    float *x[3]; /* the tries in the order of the grid */
    float least; /* square of the least distance */
} Choice;

static float facing(float *const a[3], uint32_t i, float *const b[3], uint32_t j)
{
    return a[0][i] * b[0][j] + a[1][i] * b[1][j] + a[2][i] * b[2][j];
}

static float square_between(float *const a[3], uint32_t i, float *const b[3], uint32_t j)
{
    float x = a[0][i] - b[0][j], y = a[1][i] - b[1][j], z = a[2][i] - b[2][j];
    return x * x + y * y + z * z;
}

static bool is_chosen(const Choice *c, uint32_t i)
{
    const Tries *t = c->t;
    float x = t->at[0][i], y = t->at[1][i], z = t->at[2][i];
    PxRange run[9];
    if (t->parent[i] != PX_COAT_NONE) {
        float d = (float)c->coat->def.surfel;
        if (square_between(t->at, i, c->s.at, t->parent[i]) > 4.0f * d * d)
            return false; /* not the gap that was meant */
    }
    int runs = px_grid_rows(&c->coat->surfel_grid, x, y, z, run);
    for (int r = 0; r < runs; ++r)
        for (uint32_t j = run[r].begin; j < run[r].end; ++j)
            if (square_between(t->at, i, c->s.at, j) < c->least && !c->drop[j] &&
                c->s.part[j] == t->part[i] && facing(t->normal, i, c->s.normal, j) > 0.0f)
                return false;
    runs = px_grid_rows(&c->coat->point_grid, x, y, z, run);
    for (int r = 0; r < runs; ++r)
        for (uint32_t k = run[r].begin; k < run[r].end; ++k) {
            uint32_t j = c->order[k];
            if (square_between(t->at, i, t->at, j) < c->least && t->state[j] == PX_COAT_ON &&
                t->part[j] == t->part[i] && facing(t->normal, i, t->normal, j) > 0.0f &&
                (t->rank[j] > t->rank[i] || (t->rank[j] == t->rank[i] && j < i)))
                return false;
        }
    return true;
}

static void choose_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Choice *c = user;
    for (uint32_t i = begin; i < end; ++i)
        c->t->taken[i] = c->t->state[i] == PX_COAT_ON && is_chosen(c, i);
}

static PxStatus choose(PxCoat *coat, const PxCoatField *f, Tries *t, const uint8_t *drop)
{
    float least = ACCEPT * (float)coat->def.surfel;
    uint32_t *order;
    if (!PX_COAT_TAKE(f->in, order, (size_t)t->count + 1))
        return px_coat_no_room(t->count);
    PxGridPoints points = {t->at[0], t->at[1], t->at[2], t->count};
    PxGridFrame frame = px_grid_frame((double)least, &points, 1, f->in->threads);
    PX_TRY(px_grid_sort(&coat->point_grid, &frame, points, t->id, order, f->in->scratch,
                        f->in->threads));
    Choice c = {.coat = coat,
                .t = t,
                .s = px_surfel_columns(coat),
                .drop = drop,
                .order = order,
                .least = least * least};
    px_parallel_for(f->in->threads, t->count, PX_COAT_BLOCK, choose_block, &c);
    return PX_OK;
}

static PxStatus append(PxCoat *coat, const PxCoatField *f, const Tries *t, uint32_t *made)
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
        s.part[to] = t->part[i];
        s.label[to] = f->label[t->part[i]];
        s.melted[to] = t->melted[i];
        s.fresh[to] = 1;
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

/* ---- a pass ---- */

static PxStatus pass_over(PxCoat *coat, PxCoatField *f, uint32_t pass, bool particles,
                          uint32_t *changes)
{
    const PxCoatInput *in = f->in;
    uint32_t n = coat->surfels.count;
    PxSurfelColumns s = px_surfel_columns(coat);
    PxCoatRing ring = {.pairs = &coat->surfel_pairs,
                       .id = s.id,
                       .radius = s.radius,
                       .apart = (float)coat->def.surfel};
    float *quad = NULL, *normal_quad = NULL, *part = NULL;
    Tries t;
    if (!PX_COAT_TAKE(in, quad, px_quads_floats(n)) ||
        !PX_COAT_TAKE(in, normal_quad, px_quads_floats(n)) ||
        !PX_COAT_TAKE(in, part, (size_t)n + 1) || !PX_COAT_TAKE(in, ring.crowded, (size_t)n + 1) ||
        !PX_COAT_TAKE(in, ring.open, (size_t)n + 1) ||
        !PX_COAT_TAKE(in, ring.side, (size_t)n + 1) ||
        !tries_take(in, &t, (size_t)n + (particles ? 6 * (size_t)f->count : 0) + PX_TABLE_PAD))
        return px_coat_no_room(n);
    for (uint32_t i = 0; i < n; ++i)
        part[i] = (float)s.part[i];
    px_quads_pack(quad, s.at[0], s.at[1], s.at[2], s.melted, n, in->threads);
    memcpy(ring.tangent, s.tangent, sizeof ring.tangent);
    px_quads_pack(normal_quad, s.normal[0], s.normal[1], s.normal[2], part, n, in->threads);
    ring.quad = quad;
    ring.normal_quad = normal_quad;
    px_parallel_for(in->threads, n, PX_COAT_BLOCK, PX_ISA_PICK(f->isa, px_coat_ring_block), &ring);
    uint32_t deleted = 0, made = 0, open = 0;
    for (uint32_t i = 0; i < n; ++i) {
        ring.crowded[i] = ring.crowded[i] && s.melted[i] > PX_COAT_MELTED;
        deleted += ring.crowded[i];
        open += ring.open[i] != 0 && !ring.crowded[i];
    }
    try_rings(coat, &ring, pass, &t);
    if (particles)
        try_particles(coat, f, &t);
    if (t.count > 0) {
        PX_TRY(project(coat, f, &t));
        PX_TRY(choose(coat, f, &t, ring.crowded));
        PX_TRY(append(coat, f, &t, &made));
    }
    /* What was appended comes last. */
    uint8_t *drop;
    if (!PX_COAT_TAKE(in, drop, (size_t)coat->surfels.count + 1))
        return px_coat_no_room(coat->surfels.count);
    memset(drop, 0, (size_t)coat->surfels.count + 1);
    memcpy(drop, ring.crowded, n);
    px_table_delete(&coat->surfels, drop);
    coat->stats.deleted += deleted;
    coat->stats.made += made;
    coat->stats.holes = open;
    *changes = deleted + made;
    return PX_OK;
}

PxStatus px_coat_sample(PxCoat *coat, PxCoatField *f, bool last, uint32_t passes)
{
    PX_TRY(px_coat_sort(coat, f));
    coat->seeds = 0;
    for (uint32_t pass = 0; pass < passes; ++pass) {
        PxArenaMark mark = px_arena_mark(f->in->scratch);
        uint32_t changes;
        PX_TRY(pass_over(coat, f, pass, !last && pass == 0, &changes));
        px_arena_release(f->in->scratch, mark);
        /* What began around particles is not whole yet. */
        bool few = changes < coat->surfels.count / FEW && coat->seeds == 0;
        if (changes == 0 || (few && last))
            break;
        PX_TRY(px_coat_sort(coat, f));
        if (few)
            break;
    }
    return PX_OK;
}
