/// Surfels: points on the surface with normals and radii, by Newton's method and splitting (002
/// section 6.2.1, Eqs. 6.11, 6.12).
///
/// Every particle near the surface starts with one surfel as large as its share of it, and one that
/// has surface on all sides with six. A surfel is moved onto the surface by Newton steps; one that
/// has to go too far, or finds no slope to go along, is dropped. Then it is split into four of half
/// its size, and so on until they are small enough. Neighbouring particles cover some places twice,
/// so in the end a surfel is left out if another one before it is nearer than 0.7 radii.
///
/// The steps follow the depth below the surface, spacings, as marching cubes sees it: limited
/// by walls and by the other phase, of particles that no sheet hides. Where matter lies against a
/// wall its particles are not near a surface of the field, and surfels begin towards the wall.
#include "shape/keys.h"
#include "surface/field/interpolate.h"
#include "surface/field/probe.h"
#include "surface/reconstruction.h"
#include "surface/surface.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FURTHEST 1.0f /* first step, spacings: the second layer of particles is further inside */
#define STEPS 3       /* after a split */
#define CLOSE 1e-3f   /* spacings */
#define APART 0.7     /* radii: discs as far apart as that leave no gaps between them */
#define OUT 0.45f     /* where surfels begin, spacings from the particle */
enum { MOST_SPLITS = 5 };

typedef struct Surfel {
    double at[3]; /* m */
    float normal[3];
    bool dropped;
} Surfel;

/* Where a surfel begins: so far from that particle, spacings. */
typedef struct Start {
    uint32_t row;
    float by[3];
} Start;

/* What the depth is asked of. */
typedef struct Depths {
    const PxReconstruction *scope;
    PxVisibility eyes, other;
} Depths;

typedef struct Job {
    const Depths *depths;
    const Start *start;
    Surfel *out; /* `each` for every start */
    uint32_t each;
    int splits;
    float first; /* half the edge of the first surfel, spacings */
} Job;

static float depth_at(const Depths *d, const double at[3], float slope[3])
{
    const PxBarriers *b = &d->scope->barriers;
    return px_probe_alone(&d->eyes, d->scope->has_other ? &d->other : NULL,
                          b->walls + b->sheets > 0 ? b : NULL, at, slope);
}

/* Moves a surfel onto the surface; false when it cannot be done. */
static bool project(const Depths *d, double at[3], float normal[3], int steps, float furthest)
{
    double s = d->scope->field.spacing;
    float way = INFINITY;
    for (int k = 0; k <= steps; ++k) {
        float slope[3], depth = depth_at(d, at, slope);
        float square = slope[0] * slope[0] + slope[1] * slope[1] + slope[2] * slope[2];
        if (!(square > 1e-4f))
            return false;
        float length = sqrtf(square);
        way = fabsf(depth) / length;
        if (way > furthest)
            return false;
        for (int a = 0; a < 3; ++a)
            normal[a] = -slope[a] / length;
        if (k == steps || way < CLOSE)
            break;
        for (int a = 0; a < 3; ++a) /* Eq. 6.11 */
            at[a] -= s * (double)(depth * slope[a] / square);
    }
    return way < 0.05f;
}

/* Two directions along the surface. */
static void tangents(const float n[3], double u[3], double v[3])
{
    int least = fabsf(n[0]) < fabsf(n[1]) ? (fabsf(n[0]) < fabsf(n[2]) ? 0 : 2)
                                          : (fabsf(n[1]) < fabsf(n[2]) ? 1 : 2);
    PxVec3 axis = px_vec(least == 0, least == 1, least == 2);
    PxVec3 normal = px_vec((double)n[0], (double)n[1], (double)n[2]);
    PxVec3 first = px_normalized(px_cross(normal, axis), px_vec(1, 0, 0));
    PxVec3 second = px_cross(normal, first);
    memcpy(u, &first, sizeof first);
    memcpy(v, &second, sizeof second);
}

/* Begins in out[0] and ends with 4^splits surfels. */
static void refine(const Job *job, Surfel *out)
{
    double s = job->depths->scope->field.spacing, half = (double)job->first;
    uint32_t count = 1;
    out[0].dropped = !project(job->depths, out[0].at, out[0].normal, STEPS + 2, FURTHEST);
    for (int split = 0; split < job->splits; ++split, count *= 4) {
        half *= 0.5;
        for (uint32_t k = count; k-- > 0;) { /* from behind: each makes room for its four */
            Surfel parent = out[k];
            for (int c = 0; c < 4; ++c) {
                Surfel *child = &out[4 * k + (uint32_t)c];
                *child = parent;
                if (parent.dropped)
                    continue;
                double u[3], v[3];
                tangents(parent.normal, u, v);
                /* Past the edge of a drop there is no slope that leads back: begin nearer. */
                child->dropped = true;
                for (double way = s * half; child->dropped && way > 0.2 * s * half; way *= 0.5) {
                    for (int a = 0; a < 3; ++a)
                        child->at[a] =
                            parent.at[a] + way * ((c & 1 ? u[a] : -u[a]) + (c & 2 ? v[a] : -v[a]));
                    child->dropped =
                        !project(job->depths, child->at, child->normal, STEPS, (float)(1.5 * half));
                }
            }
        }
    }
}

static void refine_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    const PxPotential *f = &job->depths->scope->field;
    for (uint32_t k = begin; k < end; ++k) {
        Surfel *out = job->out + (size_t)k * job->each;
        const Start *start = &job->start[k];
        const double at[3] = {(double)f->x[start->row], (double)f->y[start->row],
                              (double)f->z[start->row]};
        out[0] = (Surfel){.dropped = false};
        for (int a = 0; a < 3; ++a)
            out[0].at[a] = at[a] + f->spacing * (double)start->by[a];
        refine(job, out);
    }
}

/* Every particle near the surface, and which way is out: against the slope, or where there is
 * hardly any along every axis. */
typedef PX_LIST(Start) StartList;

/* Towards every barrier that is within a spacing. */
static bool start_at_barriers(const PxReconstruction *scope, uint32_t i, StartList *list)
{
    const PxPotential *f = &scope->field;
    const PxBarriers *b = &scope->barriers;
    PxVec3 at = {(double)f->x[i], (double)f->y[i], (double)f->z[i]};
    for (size_t k = 0; k < b->walls + b->sheets; ++k) {
        PxSide side = px_barrier_side(b, k, at, f->spacing);
        float way = side.distance / (float)f->spacing;
        if (!(way > 0.0f && way < 1.0f))
            continue;
        if (!PX_LIST_RESERVE(list, 1))
            return false;
        Start *start = &list->data[list->count++];
        start->row = i;
        for (int a = 0; a < 3; ++a)
            start->by[a] = -way * side.away[a];
    }
    return true;
}

static bool find_starts(const Depths *d, StartList *list)
{
    const PxPotential *f = &d->scope->field;
    for (uint32_t i = 0; i < f->count; ++i) {
        if (f->near[i] == PX_IMAGE)
            continue;
        if (!start_at_barriers(d->scope, i, list))
            return false;
        if (f->near[i] == PX_INNER)
            continue;
        const double at[3] = {(double)f->x[i], (double)f->y[i], (double)f->z[i]};
        float slope[3];
        depth_at(d, at, slope);
        float length = sqrtf(slope[0] * slope[0] + slope[1] * slope[1] + slope[2] * slope[2]);
        if (!PX_LIST_RESERVE(list, 6))
            return false;
        if (length > 0.3f) {
            Start *start = &list->data[list->count++];
            start->row = i;
            for (int a = 0; a < 3; ++a)
                start->by[a] = -OUT * slope[a] / length;
            continue;
        }
        for (int k = 0; k < 6; ++k) {
            Start *start = &list->data[list->count++];
            *start = (Start){.row = i};
            start->by[k / 2] = k % 2 ? OUT : -OUT;
        }
    }
    return true;
}

/* Leaves out those that are nearer than `apart` to one before them. */
static bool thin_out(Surfel *surfel, size_t count, double apart)
{
    PxKeys keys = {0};
    /* The last surfel in each cell, and the one before it in the same cell. */
    uint32_t *before = malloc((count + 1) * sizeof *before), *last = NULL;
    size_t room = 0;
    bool fine = before != NULL;
    for (size_t k = 0; fine && k < count; ++k) {
        if (surfel[k].dropped)
            continue;
        int64_t at[3];
        for (int a = 0; a < 3; ++a)
            at[a] = (int64_t)floor(surfel[k].at[a] / apart);
        for (int n = 0; n < 27 && !surfel[k].dropped; ++n) {
            PxKey key = {{(uint64_t)(at[0] + n % 3 - 1), (uint64_t)(at[1] + n / 3 % 3 - 1),
                          (uint64_t)(at[2] + n / 9 - 1)}};
            uint32_t cell = px_keys_find(&keys, key);
            for (uint32_t j = cell == PX_KEY_NONE ? UINT32_MAX : last[cell];
                 j != UINT32_MAX && !surfel[k].dropped; j = before[j]) {
                double d2 = 0, along = 0;
                for (int a = 0; a < 3; ++a) {
                    double d = surfel[k].at[a] - surfel[j].at[a];
                    d2 += d * d;
                    along += (double)(surfel[k].normal[a] * surfel[j].normal[a]);
                }
                /* the two sides of a thin sheet are apart however near */
                surfel[k].dropped = d2 < apart * apart && along > 0;
            }
        }
        if (surfel[k].dropped)
            continue;
        size_t cells = keys.count;
        PxKey own = {{(uint64_t)at[0], (uint64_t)at[1], (uint64_t)at[2]}};
        uint32_t cell = px_keys_add(&keys, own);
        fine =
            cell != PX_KEY_NONE && px_list_reserve((void **)&last, cells, &room, 1, sizeof *last);
        if (fine) {
            before[k] = keys.count > cells ? UINT32_MAX : last[cell];
            last[cell] = (uint32_t)k;
        }
    }
    px_keys_free(&keys);
    px_list_free(last);
    free(before);
    return fine;
}

static PxStatus no_room(size_t count)
{
    return px_fail(PX_ERR_MEMORY, "surface: no room for %zu surfels", count);
}

static PxStatus collect(const Surfel *surfel, size_t count, double radius, PxSurfels **out)
{
    size_t kept = 0;
    for (size_t k = 0; k < count; ++k)
        kept += !surfel[k].dropped;
    PxSurfels *s = *out = calloc(1, sizeof *s);
    if (s == NULL || kept > INT32_MAX)
        return no_room(kept);
    s->position = malloc((kept + 1) * sizeof *s->position);
    s->normal = malloc((kept + 1) * sizeof *s->normal);
    s->radius = malloc((kept + 1) * sizeof *s->radius);
    if (s->position == NULL || s->normal == NULL || s->radius == NULL)
        return no_room(kept);
    for (size_t k = 0; k < count; ++k) {
        if (surfel[k].dropped)
            continue;
        for (int a = 0; a < 3; ++a) {
            s->position[s->count][a] = (float)surfel[k].at[a];
            s->normal[s->count][a] = surfel[k].normal[a];
        }
        s->radius[s->count++] = (float)radius;
    }
    return PX_OK;
}

static PxStatus make(const Depths *depths, const PxSurfaceDef *def, const PxSurfaceParticles *p,
                     PxSurfels **out)
{
    const PxReconstruction *scope = depths->scope;
    const PxPotential *f = &scope->field;
    double radius = def->cell; /* spacings */
    Job job = {.depths = depths, .first = 1.0f, .each = 1};
    while (job.splits < MOST_SPLITS && (double)job.first > 0.5 * radius * (1 << job.splits)) {
        ++job.splits;
        job.each *= 4;
    }
    StartList list = {0};
    bool fine = find_starts(depths, &list);
    size_t count = list.count * job.each, bytes;
    job.out = fine && count < UINT32_MAX && px_size_multiply(count + 1, sizeof *job.out, &bytes)
                  ? malloc(bytes)
                  : NULL;
    job.start = list.data;
    PxStatus status = job.out != NULL ? PX_OK : no_room(count);
    if (status == PX_OK) {
        px_parallel_for(&scope->threads, (uint32_t)list.count, 64, refine_block, &job);
        if (!thin_out(job.out, count, APART * radius * f->spacing))
            status = no_room(count);
    }
    if (status == PX_OK)
        status = collect(job.out, count, radius * f->spacing, out);
    PX_LIST_FREE(&list);
    free(job.out);
    PX_TRY(status);
    (*out)->columns = p->columns;
    return px_interpolate(f, p->column, p->columns, (const float(*)[3])(*out)->position,
                          (*out)->count, (*out)->column);
}

PxStatus px_surfels_make_walled(const PxSurfaceDef *def, const PxSurfaceParticles *particles,
                                const PxWall *wall, size_t walls, PxSurfels **out)
{
    *out = NULL;
    PxReconstruction scope;
    Depths depths = {.scope = &scope};
    PxStatus status = px_reconstruction_create(&scope, def, particles, wall, walls);
    if (status == PX_OK)
        status = px_visibility_make(&depths.eyes, &scope.barriers, &scope.field);
    if (status == PX_OK && scope.has_other)
        status = px_visibility_make(&depths.other, &scope.barriers, &scope.other);
    if (status == PX_OK)
        status = make(&depths, def, particles, out);
    px_visibility_free(&depths.eyes);
    px_visibility_free(&depths.other);
    px_reconstruction_free(&scope);
    if (status != PX_OK) {
        px_surfels_free(*out);
        *out = NULL;
    }
    return status;
}

PxStatus px_surfels_make(const PxSurfaceDef *def, const PxSurfaceParticles *particles,
                         PxSurfels **out)
{
    return px_surfels_make_walled(def, particles, NULL, 0, out);
}

void px_surfels_free(PxSurfels *s)
{
    if (s == NULL)
        return;
    free(s->position);
    free(s->normal);
    free(s->radius);
    for (uint32_t c = 0; c < PX_SURFACE_COLUMNS; ++c)
        free(s->column[c]);
    free(s);
}
