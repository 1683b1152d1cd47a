/// Two ranks in one process give the bits of one: every pass of fluids and heat on a set of
/// particles that is split by a plane.
///
/// Each rank is a thread with the rows on its side of the plane, and with copies of the rows beyond
/// it that are neighbours of its own. Its table has no copies at all and its scratch begins as NaN:
/// what a pass reads of a copy has come through px_dist_refresh(). A pass that reads values of
/// neighbours which were not refreshed, or sums over its own rows alone, changes bits.
#include "check.h"

#include "base/random.h"
#include "coupling/exchange.h"
#include "coupling/rest_update.h"
#include "fluid/tension/tension.h"
#include "fluid/pressure/implicit_pressure.h"
#include "fluid/pressure/pressure.h"
#include "thermal/heat.h"
#include "thermal/heat_columns.h"
#include "world/world_parts.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RANKS = 2, MOST_VALUES = 64 };

/* ---- a back end of threads ---------------------------------------------------- */

typedef struct Shared {
    pthread_barrier_t barrier;
    double value[RANKS][MOST_VALUES];
    PxSum sum[RANKS][PX_SUM_WIDTH];
    uint64_t id[RANKS];
    PxDistArray array[RANKS];
    const void *list[RANKS];
    size_t bytes[RANKS];
} Shared;

typedef struct Rank {
    Shared *shared;
    int rank;
    uint32_t *source; /* by copy: the row of the other rank */
    uint32_t refreshed, gathered;
} Rank;

static void join_values(Rank *r, double *value, uint32_t count, char how)
{
    memcpy(r->shared->value[r->rank], value, count * sizeof *value);
    pthread_barrier_wait(&r->shared->barrier);
    for (uint32_t k = 0; k < count; ++k) {
        double a = r->shared->value[0][k], b = r->shared->value[1][k];
        value[k] = how == '+' ? a + b : how == '>' ? (a > b ? a : b) : (a < b ? a : b);
    }
    pthread_barrier_wait(&r->shared->barrier);
}

static void ranks_max(void *state, double *value, uint32_t count)
{
    join_values(state, value, count, '>');
}

static void ranks_min(void *state, double *value, uint32_t count)
{
    join_values(state, value, count, '<');
}

static void ranks_sum(void *state, double *value, uint32_t count)
{
    join_values(state, value, count, '+');
}

static void ranks_merge(void *state, PxSum *sum, uint32_t count)
{
    Rank *r = state;
    memcpy(r->shared->sum[r->rank], sum, count * sizeof *sum);
    pthread_barrier_wait(&r->shared->barrier);
    for (uint32_t k = 0; k < count; ++k)
        px_sum_merge(&sum[k], &r->shared->sum[1 - r->rank][k]);
    pthread_barrier_wait(&r->shared->barrier);
}

static void ranks_lowest_id(void *state, uint64_t *id)
{
    Rank *r = state;
    r->shared->id[r->rank] = *id;
    pthread_barrier_wait(&r->shared->barrier);
    uint64_t other = r->shared->id[1 - r->rank];
    *id = *id == 0 || (other != 0 && other < *id) ? other : *id;
    pthread_barrier_wait(&r->shared->barrier);
}

static void ranks_refresh(void *state, PxDistArray array, uint32_t owned, uint32_t copies)
{
    Rank *r = state;
    r->shared->array[r->rank] = array;
    pthread_barrier_wait(&r->shared->barrier);
    const PxDistArray from = r->shared->array[1 - r->rank];
    for (uint32_t k = 0; k < copies; ++k)
        memcpy((char *)array.first + (owned + k) * array.stride,
               (const char *)from.first + r->source[k] * from.stride, array.size);
    ++r->refreshed;
    pthread_barrier_wait(&r->shared->barrier);
}

static void *ranks_gather(void *state, const void *mine, size_t bytes, PxArena *scratch,
                          size_t *total)
{
    Rank *r = state;
    Shared *shared = r->shared;
    shared->list[r->rank] = mine;
    shared->bytes[r->rank] = bytes;
    pthread_barrier_wait(&shared->barrier);
    *total = shared->bytes[0] + shared->bytes[1];
    char *all = px_arena_take(scratch, *total);
    if (all != NULL) {
        memcpy(all, shared->list[0], shared->bytes[0]);
        memcpy(all + shared->bytes[0], shared->list[1], shared->bytes[1]);
    }
    ++r->gathered;
    pthread_barrier_wait(&shared->barrier);
    return all;
}

static const PxDistBackend threads_backend = {.max = ranks_max,
                                              .min = ranks_min,
                                              .sum = ranks_sum,
                                              .merge = ranks_merge,
                                              .lowest_id = ranks_lowest_id,
                                              .refresh = ranks_refresh,
                                              .gather = ranks_gather};

/* ---- particles, whole and split ------------------------------------------------- */

static void *poisoned(void *user, size_t bytes)
{
    (void)user;
    void *memory = aligned_alloc(64, px_round_up(bytes, 64));
    if (memory != NULL)
        memset(memory, 0xff, px_round_up(bytes, 64)); /* NaN */
    return memory;
}

static void release(void *user, void *memory, size_t bytes)
{
    (void)user, (void)bytes;
    free(memory);
}

static const PxAllocator poison = {poisoned, release, NULL};

typedef struct Set {
    PxParticles particles;
    PxPairs pairs;
    PxGrid grid;
    PxArena scratch;
    PxThreads threads;
    PxDist dist;
    Rank rank;
    uint32_t copies;
    uint32_t *whole; /* by row: which row of the whole set it is */
    PxFluid fluid;
    PxWall floor;
    PxBoundary *boundary[1];
    float *melted;
    PxHeat heat;
    PxElasticSet elastic;
    uint32_t updates; /* of rest shapes */
    const struct Case *of;
    PxStatus status;
} Set;

/* The models of a case. */
typedef struct Case {
    const char *pressure, *viscosity, *tension;
    double mu;      /* Pa s */
    double dt_heat; /* s */
    bool coarse;    /* pressure also on the coarse grid */
    bool published; /* pressure with the published iteration */
    bool guesses;   /* the viscosity solve starts from the last step's change */
    bool melts;
    bool elastic; /* an elastic step and rest-shape updates in place of viscosity and heat */
    int settles;  /* a round of settling in place of a step's passes; 0: none */
} Case;

static PxMaterial material_of(const Case *c)
{
    PxMaterial m = {.def = px_material_def_default()};
    m.def.pressure = px_pressure_choice(c->pressure);
    if (strcmp(c->pressure, "sesph") != 0)
        m.def.pressure.param[PX_IMPLICIT_COARSE] = c->coarse;
    if (c->published)
        m.def.pressure.param[PX_IMPLICIT_SOLVE] = 1;
    m.def.viscosity = c->mu;
    m.def.viscosity_model = px_viscosity_choice(c->viscosity);
    m.def.tension = px_tension_choice(c->tension);
    m.def.cohesion = 100;
    if (c->melts) {
        m.def.melts = (PxMeltDef){
            .melts = true,
            .from = 20,
            .to = 60,
            .into = {.viscosity = 2 * c->mu, .cohesion = 10, .tension = m.def.tension.param[0]}};
    }
    m.def.diffusivity = 1e-4;
    if (c->elastic) {
        m.def.young = 1e5;
        m.def.melts = (PxMeltDef){.melts = true, .from = 20, .to = 60, .into = {.viscosity = 1}};
        m.def.cohesion = 0;
    }
    m.particle_mass = m.def.density * 1e-6;
    return m;
}

enum { SIDE = 11, THINS = 19 /* a round of settling that deletes particles */ };
#define SPACING 0.01
#define REACH 0.02f

/* Sorts the rows by the cells of a frame that all ranks share. */
static PxStatus sort_rows(Set *s)
{
    PxParticles *p = &s->particles;
    PxGridPoints points = {p->x, p->y, p->z, p->table.count};
    PxGridFrame frame = px_grid_frame((double)REACH, &points, 1, &s->threads, &s->dist);
    uint32_t *order = malloc(p->table.count * sizeof *order);
    PX_TRY(px_grid_sort(&s->grid, &frame, points, p->id, order, &s->scratch, &s->threads));
    PX_TRY(px_table_permute(&p->table, order, &s->threads));
    px_particles_refresh(p);
    free(order);
    return PX_OK;
}

/* The columns that tension models keep. */
static PxStatus add_tension_columns(PxParticles *p)
{
    PxMaterialDef def = px_material_def_default();
    def.tension = px_tension_choice("csf");
    return px_tension_keep_columns(p, &def);
}

/* A jittered lattice with random velocities and temperatures, sorted by cell. */
static void make_whole(Set *s)
{
    const PxAllocator *memory = NULL;
    PxParticles *p = &s->particles;
    CHECK_OK(px_particles_init(p, memory));
    CHECK_OK(px_heat_columns_add(&p->table));
    CHECK_OK(add_tension_columns(p));
    CHECK_OK(px_table_append(&p->table, SIDE * SIDE * SIDE, NULL));
    px_particles_refresh(p);
    for (uint32_t i = 0; i < p->table.count; ++i) {
        double r[7];
        for (uint64_t k = 0; k < 7; ++k)
            r[k] = (double)(px_random_bits(i, 1, k) >> 11) * 0x1p-53 - 0.5;
        p->id[i] = i + 1;
        p->x[i] = (float)(SPACING * (i % SIDE + 0.4 * r[0]));
        p->y[i] = (float)(SPACING * (i / SIDE % SIDE + 0.4 * r[1]));
        p->z[i] = (float)(0.95 * SPACING * (i / SIDE / SIDE + 0.4 * r[2]));
        p->vx[i] = (float)r[3];
        p->vy[i] = (float)r[4];
        p->vz[i] = (float)(r[5] - 1);
        p->mass[i] = 1e-3f;
        p->material[i] = i % 3 == 0; /* cohesion tells them apart */
        p->radius[i] = 0.5f * (float)SPACING;
        p->temperature[i] = (float)(20 + 60 * r[6]);
    }
    px_grid_init(&s->grid, memory);
    px_pairs_init(&s->pairs, memory);
    px_arena_init(&s->scratch, &poison);
    CHECK_OK(px_elastic_set_init(&s->elastic, memory));
    CHECK_OK(sort_rows(s));
    PxGridPoints points = {p->x, p->y, p->z, p->table.count};
    CHECK_OK(px_pairs_build(&s->pairs, &s->grid, points, &s->grid, points, REACH, px_isa_best(),
                            &s->threads));
}

/* The rows of one side, and lists of the same neighbours in the same order: those of the other side
 * are numbered as copies behind the owned rows. */
static void make_rank(Set *s, const Set *whole, int rank, const uint8_t *side,
                      const uint32_t *local)
{
    const PxParticles *all = &whole->particles;
    uint32_t n = all->table.count, *copy = calloc(n, sizeof *copy), owned = 0, copies = 0;
    CHECK_OK(px_particles_init(&s->particles, NULL));
    CHECK_OK(px_heat_columns_add(&s->particles.table));
    CHECK_OK(add_tension_columns(&s->particles));
    if (px_table_find(&all->table, "component") != NULL)
        CHECK_OK(px_elastic_columns_add(&s->particles.table));
    CHECK_OK(px_elastic_set_init(&s->elastic, NULL));
    px_grid_init(&s->grid, NULL);
    s->whole = malloc(n * sizeof *s->whole);
    s->rank.source = malloc(n * sizeof *s->rank.source);
    for (uint32_t i = 0; i < n; ++i)
        if (side[i] == rank) {
            CHECK_OK(px_table_append_part(&s->particles.table, &all->table, i, 1));
            s->whole[owned++] = i;
        }
    px_particles_refresh(&s->particles);
    px_pairs_init(&s->pairs, NULL);
    s->pairs = whole->pairs;
    s->pairs.count = owned;
    s->pairs.start = malloc(owned * sizeof(uint32_t));
    s->pairs.size = malloc(owned * sizeof(uint32_t));
    s->pairs.row = malloc(whole->pairs.used * sizeof(uint32_t));
    for (uint32_t k = 0; k < owned; ++k) {
        uint32_t i = s->whole[k], first = whole->pairs.start[i];
        for (uint32_t e = 0; e < whole->pairs.size[i]; ++e) {
            uint32_t j = whole->pairs.row[first + e];
            if (side[j] != rank && copy[j] == 0) {
                s->rank.source[copies++] = local[j];
                copy[j] = copies;
            }
        }
    }
    for (uint32_t k = 0; k < owned; ++k) {
        uint32_t i = s->whole[k], first = whole->pairs.start[i];
        s->pairs.start[k] = first;
        s->pairs.size[k] = whole->pairs.size[i];
        for (uint32_t e = 0; e < px_round_up(whole->pairs.size[i], 8); ++e) {
            uint32_t j = whole->pairs.row[first + e];
            s->pairs.row[first + e] = j == n            ? owned + copies
                                      : side[j] == rank ? local[j]
                                                        : owned + copy[j] - 1;
        }
    }
    s->copies = copies;
    s->rank.rank = rank;
    px_arena_init(&s->scratch, &poison);
    free(copy);
}

static void set_free(Set *s, bool split)
{
    px_particles_free(&s->particles);
    px_arena_free(&s->scratch);
    px_grid_free(&s->grid);
    px_elastic_set_free(&s->elastic);
    px_shape_free(s->floor.shape);
    free(s->melted);
    if (split) {
        free(s->pairs.start);
        free(s->pairs.size);
        free(s->pairs.row);
        free(s->whole);
        free(s->rank.source);
    } else {
        px_pairs_free(&s->pairs);
    }
}

/* ---- a step's passes ----------------------------------------------------------- */

static PxCoupling coupling_of(Set *s)
{
    const PxFluid *f = &s->fluid;
    return (PxCoupling){.particles = &s->particles,
                        .material = f->material,
                        .materials = f->materials,
                        .pairs = &s->pairs,
                        .copies = s->copies,
                        .flows = true,
                        .spacing = SPACING,
                        .support = (double)REACH / SPACING,
                        .gravity = {0, -9.81, 0},
                        .scratch = &s->scratch,
                        .threads = &s->threads,
                        .dist = &s->dist,
                        .isa = f->isa};
}

/* Elastic rows move by their forces, others by their accelerations. */
static PxStatus move_rows(Set *s)
{
    PxCoupling c = coupling_of(s);
    PxParticles *p = &s->particles;
    float dt = (float)s->fluid.dt;
    PxSolid solid;
    PX_TRY(px_elastic_set_gather(&s->elastic, &c));
    PX_TRY(px_elastic_set_open(&s->elastic, &c, &solid));
    PX_TRY(px_exchange_load(&s->elastic, &s->fluid, s->fluid.dt, &solid));
    for (int substep = 0; substep < 2; ++substep) {
        px_solid_forces(&solid, true);
        for (size_t k = 0; k < 4 * (size_t)solid.count; ++k)
            if (k % 4 < 3) {
                solid.v[k] += 0.5f * dt * solid.a[k];
                solid.u[k] += 0.5f * dt * solid.v[k];
            }
    }
    px_solid_end(&solid);
    for (uint32_t i = 0; i < p->table.count; ++i) {
        p->x[i] += dt * (p->vx[i] += dt * p->ax[i]);
        p->y[i] += dt * (p->vy[i] += dt * p->ay[i]);
        p->z[i] += dt * (p->vz[i] += dt * p->az[i]);
    }
    px_elastic_set_scatter(&s->elastic, &c, true, true, true, false);
    for (uint32_t i = 0; i < p->table.count; ++i)
        if (p->id[i] % 7 == 0) /* torn off: loses its rest place */
            p->x[i] += 0.5f * (float)SPACING;
    return PX_OK;
}

/* Molten layers divide the block; one beside them melts in part. Later others are molten, and what
 * froze at the top has no rest shape to continue. */
static void heat_rows(PxParticles *p, bool later)
{
    for (uint32_t i = 0; i < p->table.count; ++i) {
        uint32_t layer = (uint32_t)(p->id[i] - 1) / SIDE % SIDE;
        bool hot = later ? layer / 3 == 2 : layer / 3 == 1 || layer / 3 == 3;
        float mixed = (float)(px_random_bits(p->id[i], 2, 3) % 100);
        p->temperature[i] = hot ? 90.0f : layer == (later ? 5 : 8) ? mixed : 10.0f;
    }
}

static PxStatus run_elastic(Set *s)
{
    PxFluid *f = &s->fluid;
    PxFractions fractions;
    uint64_t shaped = 0;
    for (uint64_t step = 0; step < 4; ++step) {
        PxCoupling c = coupling_of(s);
        PxRestUpdateResult result;
        heat_rows(&s->particles, step >= 2);
        PX_TRY(px_elastic_set_update(&s->elastic, &c, &shaped));
        PX_TRY(px_fractions_compute(&s->particles, c.material, c.scratch, c.threads, &fractions));
        PX_TRY(px_rest_update(&s->elastic, &c, &fractions, step, true, &result));
        s->updates += result.changed;
        PX_TRY(px_fluid_begin(f));
        PX_TRY(px_fluid_boundaries(f));
        for (uint32_t i = 0; i < f->count; ++i) {
            s->particles.ax[i] = s->particles.az[i] = 0.0f;
            s->particles.ay[i] = -9.81f;
            if (s->particles.id[i] % 50 == 0) /* as an emitter holds it */
                f->inverse_mass[i] = 0.0f;
        }
        PX_TRY(px_exchange_begin(&c, &fractions, f));
        px_fluid_density(f);
        PX_TRY(px_exchange_own_density(&s->elastic, &c, f));
        PX_TRY(px_pressure_find(f->material[0].def.pressure.model, f->isa)->solve(f));
        PX_TRY(move_rows(s));
    }
    return PX_OK;
}

static PxStatus run_passes(Set *s)
{
    PxFluid *f = &s->fluid;
    PxParticles *p = f->particles;
    bool done;
    PX_TRY(sort_rows(s)); /* they are sorted already: finds the cells */
    if (s->of->elastic)
        return run_elastic(s);
    PX_TRY(px_fluid_begin(f));
    PX_TRY(px_fluid_boundaries(f));
    for (uint32_t i = 0; i < f->count; ++i) {
        p->ax[i] = p->az[i] = 0.0f;
        p->ay[i] = -9.81f;
    }
    px_fluid_density(f);
    if (s->of->settles > 0)
        return px_fluid_settle(f, s->of->settles, &done);
    if (s->of->melts)
        f->melted = s->melted;
    px_fluid_cohesion(f);
    PX_TRY(px_fluid_tension(f));
    PX_TRY(px_fluid_viscosity(f));
    PX_TRY(px_pressure_find(f->material[0].def.pressure.model, f->isa)->solve(f));
    s->heat = (PxHeat){.fluid = f, .dt = s->of->dt_heat, .low = px_heat_low(&p->table)};
    return px_heat_conduct(&s->heat);
}

static void *rank_thread(void *user)
{
    Set *s = user;
    s->status = run_passes(s);
    return NULL;
}

static void prepare(Set *s, const Case *c, const PxMaterial *material, const PxWallProfile *profile)
{
    uint32_t count = s->particles.table.count;
    PxShapeDef plane = px_shape_def_default(PX_SHAPE_PLANE);
    plane.at = px_vec(0, -0.25 * SPACING, 0);
    CHECK_OK(px_shape_create(&plane, &s->floor.shape));
    s->floor.def = plane;
    s->floor.bounds = px_shape_bounds(s->floor.shape);
    s->boundary[0] = px_wall_boundary(&s->floor);
    px_boundary_begin(s->boundary[0], 0, 1e-3);
    s->melted = malloc(count * sizeof *s->melted);
    for (uint32_t i = 0; i < count; ++i)
        s->melted[i] = (float)px_melted(&material->def, (double)s->particles.temperature[i]);
    s->of = c;
    s->fluid = (PxFluid){.particles = &s->particles,
                         .count = count,
                         .copies = s->copies,
                         .pairs = &s->pairs,
                         .grid = &s->grid,
                         .kernel = px_kernel((double)REACH, SPACING),
                         .spacing = SPACING,
                         .courant = 0.4,
                         .dt = 1e-3,
                         .speed_max = 2,
                         .speed_within = 2,
                         .top_speed = 3,
                         .divergence = 1e9,
                         .material = material,
                         .materials = 2,
                         .boundary = s->boundary,
                         .boundaries = 1,
                         .wall_profile = profile,
                         .scratch = &s->scratch,
                         .threads = &s->threads,
                         .dist = &s->dist,
                         .isa = px_isa_best()};
}

static uint32_t find_id(const PxParticles *p, uint64_t id)
{
    uint32_t i = 0;
    while (i < p->table.count && p->id[i] != id)
        ++i;
    CHECK(i < p->table.count);
    return i;
}

static void compare(const Case *c, const Set *s, const Set *whole)
{
    static const char *const passes[] = {
        "density",         "acceleration", "pressure", "warm_pressure",
        "warm_divergence", "temperature",  NULL};
    static const char *const settled[] = {"position", "position_low", NULL};
    static const char *const elastic[] = {
        "position",       "velocity",    "acceleration",  "pressure",    "component",
        "elastic_row",    "rest_molten", "rest_position", "rest_volume", "steady_load",
        "plastic_strain", "rest_bulk",   "support",       NULL};
    for (const char *const *name = c->settles > 0 ? settled
                                   : c->elastic   ? elastic
                                                  : passes;
         *name != NULL; ++name) {
        const PxColumn *a = px_table_find(&s->particles.table, *name);
        const PxColumn *b = px_table_find(&whole->particles.table, *name);
        CHECK(a != NULL && b != NULL);
        for (uint32_t i = 0; i < s->particles.table.count; ++i) {
            uint32_t j = find_id(&whole->particles, s->particles.id[i]);
            for (uint32_t d = 0; d < a->components; ++d) {
                float x = ((const float *)a->data[d])[i], y = ((const float *)b->data[d])[j];
                if (!isfinite(x) || memcmp(&x, &y, sizeof x) != 0) {
                    fail_msg("%s, %s, %s: %s of row %u of rank %d is %.9g, wanted %.9g",
                             c->pressure, c->viscosity, c->tension, *name, i, s->rank.rank,
                             (double)x, (double)y);
                    return;
                }
            }
        }
    }
}

/* Which rank owns a row: coarse cells are whole, and lie on both sides of a slanted plane. */
static uint8_t side_of(const PxGridFrame *frame, const PxParticles *p, uint32_t i)
{
    double cell = 2 * frame->cell;
    double x = floor((double)p->x[i] / cell), y = floor((double)p->y[i] / cell);
    return x + 0.6 * y > 1;
}

static void check_case(const Case *c)
{
    Set whole = {.threads = {.count = 1}},
        split[RANKS] = {{.threads = {.count = 1}}, {.threads = {.count = 1}}};
    Shared shared;
    const PxMaterial material[] = {material_of(c), material_of(c)};
    PxWallProfile profile;
    px_wall_profile_init(&profile, (double)REACH, SPACING);
    px_dist_init(&whole.dist);
    make_whole(&whole);
    prepare(&whole, c, material, &profile);
    if (c->elastic) {
        PxCoupling coupling = coupling_of(&whole);
        heat_rows(&whole.particles, false);
        CHECK_OK(px_elastic_put(&coupling, &whole.elastic, 0, px_vec(0, 0, 0)));
    }
    uint32_t n = whole.particles.table.count;
    uint8_t *side = malloc(n);
    uint32_t *local = malloc(n * sizeof *local), count[RANKS] = {0, 0};
    for (uint32_t i = 0; i < n; ++i) {
        side[i] = side_of(&whole.grid.frame, &whole.particles, i);
        local[i] = count[side[i]]++;
    }
    pthread_barrier_init(&shared.barrier, NULL, RANKS);
    pthread_t thread[RANKS];
    for (int r = 0; r < RANKS; ++r) {
        Set *s = &split[r];
        make_rank(s, &whole, r, side, local);
        CHECK(s->copies > 50 && count[r] > 200);
        s->rank.shared = &shared;
        s->dist = (PxDist){r, RANKS, &threads_backend, &s->rank};
        prepare(s, c, material, &profile);
    }
    CHECK_OK(run_passes(&whole));
    for (int r = 0; r < RANKS; ++r)
        pthread_create(&thread[r], NULL, rank_thread, &split[r]);
    for (int r = 0; r < RANKS; ++r)
        pthread_join(thread[r], NULL);
    for (int r = 0; r < RANKS; ++r) {
        CHECK_OK(split[r].status);
        CHECK(split[r].rank.refreshed > (c->settles > 0 ? 1 : 5));
        CHECK_EQUAL(split[r].rank.gathered > 0, c->coarse || c->elastic || c->guesses);
        CHECK_EQUAL(split[r].updates, whole.updates);
        CHECK(!c->elastic || (whole.updates == 4 && whole.elastic.components.count > 2));
        CHECK_EQUAL(split[r].elastic.components.count, whole.elastic.components.count);
        CHECK_EQUAL(split[r].fluid.iterations, whole.fluid.iterations);
        CHECK_EQUAL(split[r].fluid.viscosity_iterations, whole.fluid.viscosity_iterations);
        CHECK_EQUAL(split[r].heat.iterations, whole.heat.iterations);
        compare(c, &split[r], &whole);
    }
    CHECK_EQUAL(split[0].particles.table.count + split[1].particles.table.count,
                whole.particles.table.count);
    CHECK_EQUAL(whole.particles.table.count < n, c->settles == THINS);
    pthread_barrier_destroy(&shared.barrier);
    for (int r = 0; r < RANKS; ++r)
        set_free(&split[r], true);
    set_free(&whole, false);
    free(side);
    free(local);
}

TEST(every_pressure_model_is_the_same_on_two_ranks)
{
    static const char *const models[] = {"dfsph", "iisph", "pcisph", "projection", "sesph"};
    alarm(100); /* ranks that do not make the same calls deadlock */
    for (size_t k = 0; k < PX_COUNT(models); ++k)
        check_case(&(Case){models[k], "implicit", "csf", 1e-3, 0.01, .coarse = false});
}

TEST(the_coarse_pressure_grid_is_the_same_on_two_ranks)
{
    static const char *const models[] = {"dfsph", "iisph", "pcisph", "projection"};
    alarm(100);
    for (size_t k = 0; k < PX_COUNT(models); ++k)
        check_case(&(Case){models[k], "implicit", "csf", 1e-3, 0.01, .coarse = true});
}

TEST(published_iterations_are_the_same_on_two_ranks)
{
    static const char *const models[] = {"dfsph", "iisph", "pcisph", "projection"};
    alarm(100);
    for (size_t k = 0; k < PX_COUNT(models); ++k)
        check_case(&(Case){models[k], "implicit", "csf", 1e-3, 0.01, .published = true});
}

TEST(molten_matter_is_the_same_on_two_ranks)
{
    alarm(100);
    check_case(&(Case){"dfsph", "implicit", "csf", 1, 0.01, .coarse = true, .melts = true});
}

TEST(elastic_and_melting_bodies_are_the_same_on_two_ranks)
{
    alarm(100);
    check_case(&(Case){"dfsph", "implicit", "csf", 1, 0, .coarse = true, .elastic = true});
}

TEST(settling_is_the_same_on_two_ranks)
{
    alarm(100);
    check_case(&(Case){"sesph", "morris", "csf", 1e-3, 0, .settles = 1});
    check_case(&(Case){"sesph", "morris", "csf", 1e-3, 0, .settles = THINS});
}

TEST(every_viscosity_model_is_the_same_on_two_ranks)
{
    static const char *const models[] = {"implicit", "morris", "laplacian"};
    alarm(100);
    for (size_t k = 0; k < PX_COUNT(models); ++k)
        check_case(&(Case){"sesph", models[k], "csf", 1, 0.01, .coarse = false});
    check_case(&(Case){"sesph", "implicit", "csf", 1000, 0.01, .guesses = true});
}

TEST(every_tension_model_is_the_same_on_two_ranks)
{
    static const char *const models[] = {"csf", "becker", "becker-cut", "akinci", "he"};
    alarm(100);
    for (size_t k = 0; k < PX_COUNT(models); ++k)
        check_case(&(Case){"sesph", "morris", models[k], 1e-3, 0.01, .coarse = false});
}

TEST(heat_is_the_same_on_two_ranks)
{
    alarm(100);
    check_case(&(Case){"sesph", "morris", "csf", 1e-3, 0.01, .coarse = false}); /* in sub-steps */
    check_case(&(Case){"sesph", "morris", "csf", 1e-3, 10, .coarse = false});   /* solved for */
}

TEST_MAIN()
