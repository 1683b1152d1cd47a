#include "contact/solid_self.h"

#include "base/mat3.h"

#include <math.h>
#include <string.h>

/* Two rows of a solid touch like rows of two solids if their rest distance exceeds this multiple of
 * the mean support of their fits. It is above the radius in which contacts are searched for;
 * otherwise each row on a surface would touch its neighbours there. */
#define APART 1.55

/* Distance of a row from the mean of its rest neighbours on a surface, in radii; 0.3 to 0.5 on
 * lattices. */
#define ON_SURFACE 0.2

/* Distance of search beyond that of contact, in radii. */
#define SKIN 1.0

void px_solid_self_init(PxSolidSelf *self, const PxAllocator *allocator)
{
    *self = (PxSolidSelf){.allocator = allocator};
}

void px_solid_self_free(PxSolidSelf *self)
{
    px_release(self->allocator, self->u, 4 * (size_t)self->room * sizeof(float));
    px_release(self->allocator, self->shell, self->room);
    px_release(self->allocator, self->may, self->room);
    px_release(self->allocator, self->near, self->room);
    px_solid_self_init(self, self->allocator);
}

size_t px_solid_self_bytes(const PxSolidSelf *self)
{
    return (size_t)self->room * (4 * sizeof(float) + 3);
}

static PxStatus reserve(PxSolidSelf *self, uint32_t count)
{
    if (count <= self->room)
        return PX_OK;
    px_solid_self_free(self);
    uint32_t room = (uint32_t)px_round_up(count, 1024);
    self->u = px_allocate(self->allocator, 4 * (size_t)room * sizeof(float));
    self->shell = px_allocate(self->allocator, room);
    self->may = px_allocate(self->allocator, room);
    self->near = px_allocate(self->allocator, room);
    self->room = room;
    if (self->u != NULL && self->shell != NULL && self->may != NULL && self->near != NULL)
        return PX_OK;
    px_solid_self_free(self);
    return px_fail(PX_ERR_MEMORY, "contact: no room for %u particles", count);
}

/* ---- the surface -------------------------------------------------------------- */

static PxVec3 rest_of(const PxSolid *s, uint32_t i)
{
    return px_vec((double)s->columns.rest[0][i], (double)s->columns.rest[1][i],
                  (double)s->columns.rest[2][i]);
}

/* Distance of a row from the mean of its rest neighbours, m. */
static double one_sided(const PxSolid *s, uint32_t i)
{
    const PxSolidLists *l = s->lists;
    PxVec3 sum = {0, 0, 0}, x = rest_of(s, i);
    double count = 1;
    for (uint32_t e = l->start[i]; e < l->start[i + 1]; ++e) {
        uint32_t j = l->other[e] / 16;
        sum = px_add(sum, px_sub(x, rest_of(s, j)));
        count += j != i;
    }
    return px_length(sum) / count;
}

bool px_solid_self_beyond(const float one[4], const float other[4])
{
    PxVec3 rest = px_vec((double)other[0] - (double)one[0], (double)other[1] - (double)one[1],
                         (double)other[2] - (double)one[2]);
    double apart = 0.5 * APART * ((double)one[3] + (double)other[3]);
    return px_dot(rest, rest) > apart * apart;
}

bool px_solid_self_apart(const PxSolid *s, uint32_t i, uint32_t j)
{
    const PxSolidColumns *c = &s->columns;
    const float one[4] = {c->rest[0][i], c->rest[1][i], c->rest[2][i], c->support[i]},
                other[4] = {c->rest[0][j], c->rest[1][j], c->rest[2][j], c->support[j]};
    return px_solid_self_beyond(one, other);
}

/* The determinant of sum (x_j - x_i) (X_j - X_i)^T, which fits the deformation gradient. */
bool px_solid_self_inverted(const PxSolid *s, uint32_t i)
{
    const PxSolidLists *l = s->lists;
    PxMat3 sum = {0};
    const float *ui = s->u + 4 * (size_t)i;
    for (uint32_t e = l->start[i]; e < l->start[i + 1]; ++e) {
        uint32_t j = l->other[e] / 16;
        const float *uj = s->u + 4 * (size_t)j;
        PxVec3 rest = px_sub(rest_of(s, j), rest_of(s, i));
        PxVec3 more =
            px_vec((double)(uj[0] - ui[0]), (double)(uj[1] - ui[1]), (double)(uj[2] - ui[2]));
        sum = px_mat3_add(sum, px_mat3_outer(px_add(rest, more), rest));
    }
    return px_mat3_determinant(sum) < 0;
}

/* ---- the search ---------------------------------------------------------------- */

typedef struct Job {
    PxSolidSelf *self;
    const PxSolid *solid;
    const uint32_t *row; /* rows searched for each other */
    PxGridPoints sorted; /* their places, by cell */
    const PxGrid *grid;
    float reach;
    uint8_t *out;  /* by row: an apart one is within reach */
    double *moved; /* by frame: bound of a row's motion since the search, in this step too, m */
    float *radius; /* by frame: of the smallest rows, m */
} Job;

/* Sheets of one layer are surface too: there the neighbours are few. */
static void shell_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    const PxSolid *s = job->solid;
    for (uint32_t i = begin; i < end; ++i) {
        double radius = (double)s->particles->radius[i];
        bool surface = one_sided(s, i) > ON_SURFACE * radius;
        bool thin = s->lists->start[i + 1] - s->lists->start[i] < 16;
        job->self->shell[i] =
            (surface || thin) && s->material[s->particles->material[i]].def.self_contact;
        job->self->may[i] = job->self->near[i] = 0;
        for (int k = 0; k < 4; ++k)
            job->self->u[4 * (size_t)i + (size_t)k] = INFINITY;
    }
}

/* Largest motion of the rows of some frames since the search, with that of this step, relative to
 * the frame's rigid motion. */
static void moved_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    const PxSolid *s = job->solid;
    for (uint32_t k = begin; k < end; ++k) {
        const PxSolidFrame *f = &s->frame[k];
        double most = 0, fastest = 0;
        float radius = INFINITY;
        for (uint32_t i = f->begin; i < f->end; ++i) {
            const float *u = s->u + 4 * (size_t)i, *at = job->self->u + 4 * (size_t)i,
                        *v = s->v + 4 * (size_t)i;
            PxVec3 way =
                px_vec((double)(u[0] - at[0]), (double)(u[1] - at[1]), (double)(u[2] - at[2]));
            PxVec3 lever = px_sub(rest_of(s, i), f->middle);
            PxVec3 rigid = px_add(f->velocity, px_cross(f->spin, lever));
            PxVec3 speed = px_sub(px_vec((double)v[0], (double)v[1], (double)v[2]), rigid);
            most = fmax(most, px_dot(way, way));
            fastest = fmax(fastest, px_dot(speed, speed));
            radius = fminf(radius, s->particles->radius[i]);
        }
        double now = 1.5 * sqrt(fastest) * s->dt;
        job->moved[2 * (size_t)k] = sqrt(most) + now;
        job->moved[2 * (size_t)k + 1] = now;
        job->radius[k] = radius;
    }
}

static void near_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    PxGridPoints at = job->sorted;
    for (uint32_t k = begin; k < end; ++k) {
        PxRange run[9];
        int runs = px_grid_rows(job->grid, at.x[k], at.y[k], at.z[k], run);
        bool near = false;
        for (int n = 0; n < runs && !near; ++n)
            for (uint32_t l = run[n].begin; l < run[n].end && !near; ++l) {
                float x = at.x[l] - at.x[k], y = at.y[l] - at.y[k], z = at.z[l] - at.z[k];
                near = x * x + y * y + z * z < job->reach * job->reach &&
                       px_solid_self_apart(job->solid, job->row[k], job->row[l]);
            }
        job->out[job->row[k]] = near;
    }
}

static void note_places(PxSolidSelf *self, const PxSolid *s, const PxSolidFrame *f)
{
    memcpy(self->u + 4 * (size_t)f->begin, s->u + 4 * (size_t)f->begin,
           4 * (size_t)(f->end - f->begin) * sizeof(float));
}

/* Marks in `out` the rows of `from` of a solid that are within reach of an apart one of them. */
static PxStatus search(Job *job, const PxSolidFrame *f, const uint8_t *from, uint8_t *out,
                       double radius, double reach, PxGrid *grid)
{
    const PxSolid *s = job->solid;
    uint32_t n = 0;
    for (uint32_t i = f->begin; i < f->end; ++i) {
        out[i] = 0;
        n += from[i] && (double)s->particles->radius[i] <= 1.01 * radius;
    }
    if (n == 0)
        return PX_OK;
    PxArenaMark mark = px_arena_mark(s->scratch);
    uint32_t *row = PX_ARENA_ARRAY(s->scratch, uint32_t, n),
             *order = PX_ARENA_ARRAY(s->scratch, uint32_t, n),
             *sorted_row = PX_ARENA_ARRAY(s->scratch, uint32_t, n);
    uint64_t *id = PX_ARENA_ARRAY(s->scratch, uint64_t, n);
    float *x = PX_ARENA_ARRAY(s->scratch, float, 6 * (size_t)n);
    if (row == NULL || order == NULL || sorted_row == NULL || id == NULL || x == NULL)
        return px_fail(PX_ERR_MEMORY, "contact: no room for %u particles", n);
    float *at[3], *sorted_at[3];
    for (size_t a = 0; a < 3; ++a) {
        at[a] = x + a * n;
        sorted_at[a] = x + (3 + a) * n;
    }
    n = 0;
    for (uint32_t i = f->begin; i < f->end; ++i) {
        if (!from[i] || (double)s->particles->radius[i] > 1.01 * radius)
            continue;
        const float *u = s->u + 4 * (size_t)i;
        PxVec3 place = px_add(rest_of(s, i), px_vec((double)u[0], (double)u[1], (double)u[2]));
        at[0][n] = (float)place.x;
        at[1][n] = (float)place.y;
        at[2][n] = (float)place.z;
        id[n] = i;
        row[n++] = i;
    }
    PxGridPoints points = {at[0], at[1], at[2], n};
    PxGridPoints sorted = {sorted_at[0], sorted_at[1], sorted_at[2], n};
    PxGridFrame frame = px_grid_frame(reach, &points, 1, s->threads, NULL);
    PX_TRY(px_grid_reserve(grid, n)); /* whatever the shape of the solid */
    PX_TRY(px_grid_sort(grid, &frame, points, id, order, s->scratch, s->threads));
    for (uint32_t k = 0; k < n; ++k) {
        sorted_row[k] = row[order[k]];
        for (int a = 0; a < 3; ++a)
            sorted_at[a][k] = at[a][order[k]];
    }
    job->row = sorted_row;
    job->sorted = sorted;
    job->grid = grid;
    job->reach = (float)reach;
    job->out = out;
    px_parallel_for(s->threads, n, 64, near_block, job);
    px_arena_release(s->scratch, mark);
    return PX_OK;
}

PxStatus px_solid_self_find(PxSolidSelf *self, const PxSolid *s, uint64_t version, double reach,
                            PxGrid *grid)
{
    Job job = {.self = self,
               .solid = s,
               .moved = PX_ARENA_ARRAY(s->scratch, double, 2 * (size_t)s->frames),
               .radius = PX_ARENA_ARRAY(s->scratch, float, s->frames)};
    if (job.moved == NULL || job.radius == NULL)
        return px_fail(PX_ERR_MEMORY, "contact: no room for %u solids", s->frames);
    if (self->version != version || self->count != s->count) {
        PX_TRY(reserve(self, s->count));
        px_parallel_for(s->threads, s->count, PX_BLOCK, shell_block, &job);
        self->version = version;
        self->count = s->count;
    }
    px_parallel_for(s->threads, s->frames, 1, moved_block, &job);
    for (uint32_t k = 0; k < s->frames; ++k) {
        const PxSolidFrame *f = &s->frame[k];
        double radius = (double)job.radius[k], now = 2 * job.moved[2 * (size_t)k + 1];
        if (!(2 * job.moved[2 * (size_t)k] < SKIN * radius)) {
            ++self->searches;
            self->u[4 * (size_t)f->begin] = INFINITY; /* in case of an error */
            PX_TRY(search(&job, f, self->shell, self->may, radius, (reach + SKIN) * radius + now,
                          grid));
            note_places(self, s, f);
        }
        PX_TRY(search(&job, f, self->may, self->near, radius, reach * radius + now, grid));
    }
    return PX_OK;
}
