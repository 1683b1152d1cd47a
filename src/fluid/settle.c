/// Settling of a filling before the first step.
///
/// Where a wall cuts the lattice of a filling, as in a round flask, particles lie too close to the
/// wall and the run would start compressed. So before the first step particles are moved apart
/// until none near a wall is compressed, with the position correction of position-based fluids
/// (Macklin and Mueller 2013): with C_i = rho_i / rho_0 - 1,
///   lambda_i = -C_i / ( sum_k |grad_k C_i|^2 + eps ),
///   shift_i  = sum_j (lambda_i + lambda_j) s^3 grad W_ij + lambda_i grad wall_i
/// Velocities do not change, and a filling that fits does not move. A full vessel holds about one
/// per cent fewer particles in disorder than on a lattice: where it stays compressed, single
/// particles are deleted.
#include "fluid/fluid.h"

#include <math.h>
#include <string.h>

/* A filling compressed by more than FITS beside a wall must settle; it is done when no particle is
 * compressed by more than GOOD (the corners of a box are by 0.7 per cent). */
#define FITS 0.05
#define GOOD 0.01
/* Largest number of rounds; after every THIN_ROUNDS some particles are deleted. Fillings with room
 * to expand need 5 to 15 rounds. */
enum { ROUNDS = 60, THIN_ROUNDS = 20 };
/* Largest shift per round, in spacings. */
#define STRIDE 0.1

/* What neighbours ask of a row. */
typedef struct Visible {
    PxVec3 place;
    double over; /* compression */
    uint64_t id;
    bool walled; /* a wall fills part of its kernel */
} Visible;

typedef struct Settling {
    PxFluid *fluid;
    Visible *visible;
    float *lambda;
    float *to[3];
    uint8_t *drop;
} Settling;

static double compression(const PxFluid *f, uint32_t i)
{
    const PxParticles *p = f->particles;
    return (double)p->density[i] / f->material[p->material[i]].def.density - 1;
}

static PxVec3 place_of(const PxParticles *p, uint32_t i)
{
    return px_vec((double)p->x[i] + (double)p->x_low[i], (double)p->y[i] + (double)p->y_low[i],
                  (double)p->z[i] + (double)p->z_low[i]);
}

static void show_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Settling *set = user;
    const PxFluid *f = set->fluid;
    for (uint32_t i = begin; i < end; ++i)
        set->visible[i] = (Visible){.place = place_of(f->particles, i),
                                    .over = compression(f, i),
                                    .id = f->particles->id[i],
                                    .walled = f->wall_part[i] > 0};
}

/* s^3 grad W between i and the particle listed at entry k; *j is its row. */
static PxVec3 pair_gradient(const Settling *set, uint32_t i, uint32_t k, uint32_t *j)
{
    const PxFluid *f = set->fluid;
    *j = f->pairs->row[f->pairs->start[i] + k];
    PxVec3 apart = px_sub(set->visible[i].place, set->visible[*j].place);
    double r = px_length(apart), h = (double)f->kernel.h;
    if (*j == i || !(r > 1e-9 * h))
        return px_vec(0, 0, 0);
    return px_scale(apart, f->spacing * f->spacing * f->spacing * px_kernel_derivative(h, r) / r);
}

static PxVec3 wall_gradient(const PxFluid *f, uint32_t i)
{
    return px_vec((double)f->wall_gx[i], (double)f->wall_gy[i], (double)f->wall_gz[i]);
}

static void lambda_part(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    const Settling *set = user;
    const PxFluid *f = set->fluid;
    double worst = 0, soft = 0.1 / (f->spacing * f->spacing);
    for (uint32_t i = begin; i < end; ++i) {
        double over = set->visible[i].over;
        set->lambda[i] = 0;
        if (f->solid_fraction != NULL && f->solid_fraction[i] > 0.0f)
            continue; /* solids do not settle */
        if (set->visible[i].walled)
            worst = fmax(worst, over);
        if (!(over > 0.5 * GOOD))
            continue;
        PxVec3 own = wall_gradient(f, i);
        double squares = soft;
        for (uint32_t k = 0, j; k < f->pairs->size[i]; ++k) {
            PxVec3 g = pair_gradient(set, i, k, &j);
            own = px_add(own, g);
            squares += px_dot(g, g);
        }
        set->lambda[i] = (float)(-over / (squares + px_dot(own, own)));
    }
    part->most[0] = worst;
}

/* Exact distance to the nearest wall. */
static double wall_distance(const PxFluid *f, PxVec3 x)
{
    double least = INFINITY;
    for (size_t k = 0; k < f->boundaries; ++k)
        least = fmin(least, px_boundary_distance(f->boundary[k], 0, x, NULL));
    return least;
}

static void shift_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Settling *set = user;
    const PxFluid *f = set->fluid;
    for (uint32_t i = begin; i < end; ++i) {
        PxVec3 shift = px_scale(wall_gradient(f, i), (double)set->lambda[i]);
        for (uint32_t k = 0, j; k < f->pairs->size[i]; ++k) {
            PxVec3 g = pair_gradient(set, i, k, &j);
            shift = px_mad(shift, g, (double)(set->lambda[i] + set->lambda[j]));
        }
        if (f->solid_fraction != NULL && f->solid_fraction[i] > 0.0f)
            shift = px_vec(0, 0, 0);
        double length = px_length(shift), most = STRIDE * f->spacing;
        if (length > most)
            shift = px_scale(shift, most / length);
        /* Not nearer to a wall than a quarter of a spacing, or than before. */
        PxVec3 from = set->visible[i].place, to = px_add(from, shift);
        if (length > 0 && (double)f->wall_far[i] < f->spacing &&
            !(wall_distance(f, to) >= fmin(wall_distance(f, from), 0.25 * f->spacing)))
            shift = px_vec(0, 0, 0);
        set->to[0][i] = (float)shift.x;
        set->to[1][i] = (float)shift.y;
        set->to[2][i] = (float)shift.z;
    }
}

/* Deletes one particle per neighbourhood of those compressed beside a wall: the most compressed
 * one, among equals that with the largest id. */
static void thin_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Settling *set = user;
    const PxFluid *f = set->fluid;
    for (uint32_t i = begin; i < end; ++i) {
        const Visible *own = &set->visible[i];
        double over = own->over;
        bool goes = over > GOOD && own->walled &&
                    !(f->solid_fraction != NULL && f->solid_fraction[i] > 0.0f);
        for (uint32_t k = 0; k < f->pairs->size[i] && goes; ++k) {
            uint32_t j = f->pairs->row[f->pairs->start[i] + k];
            const Visible *other = &set->visible[j];
            double crowd = other->walled ? other->over : 0;
            goes = j == i || crowd < over || (crowd == over && other->id < own->id);
        }
        set->drop[i] = goes;
    }
}

static void move_axis(float *x, float *low, const float *shift, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        double to = (double)x[i] + (double)low[i] + (double)shift[i];
        x[i] = (float)to;
        low[i] = (float)(to - (double)x[i]);
    }
}

PxStatus px_fluid_settle(PxFluid *f, int round, bool *done)
{
    Settling set = {.fluid = f,
                    .visible = PX_ARENA_ARRAY(f->scratch, Visible, px_fluid_visible(f)),
                    .lambda = PX_ARENA_ARRAY(f->scratch, float, px_fluid_visible(f)),
                    .drop = PX_ARENA_ARRAY(f->scratch, uint8_t, f->particles->table.count)};
    bool room = set.visible != NULL && set.lambda != NULL && set.drop != NULL;
    for (int a = 0; a < 3; ++a) {
        set.to[a] = PX_ARENA_ARRAY(f->scratch, float, f->count);
        room = room && set.to[a] != NULL;
    }
    if (!room)
        return px_fail(PX_ERR_MEMORY, "settling: no room for %u particles", f->count);
    px_parallel_for(f->threads, f->count, 4 * PX_BLOCK, show_block, &set);
    px_fluid_refresh(f, set.visible, sizeof *set.visible, sizeof *set.visible);
    PxRows rows = {f->threads, f->dist, f->count, PX_BLOCK};
    PxPart worst = {.maxima = 1};
    px_reduce(&rows, lambda_part, &set, &worst);
    *done = worst.most[0] <= (round == 0 ? FITS : GOOD) || round >= ROUNDS;
    if (*done)
        return PX_OK;
    PxParticles *p = f->particles;
    if (round % THIN_ROUNDS == THIN_ROUNDS - 1) {
        uint32_t behind = p->table.count - f->count; /* rows after those of this rank */
        memset(set.drop + f->count, 0, behind);
        px_parallel_for(f->threads, f->count, PX_BLOCK, thin_block, &set);
        px_table_delete(&p->table, set.drop);
        px_particles_refresh(p);
        f->count = p->table.count - behind;
        return PX_OK;
    }
    px_fluid_refresh(f, set.lambda, sizeof(float), sizeof(float));
    px_parallel_for(f->threads, f->count, PX_BLOCK, shift_block, &set);
    move_axis(p->x, p->x_low, set.to[0], f->count);
    move_axis(p->y, p->y_low, set.to[1], f->count);
    move_axis(p->z, p->z_low, set.to[2], f->count);
    return PX_OK;
}
