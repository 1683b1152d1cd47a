/// Surfels of the isosurface, by Newton projection and splitting (002 section 6.2.1).
///
/// Every particle near the surface starts with one surfel of about its own size, or with six if the
/// field has no clear gradient there. A surfel is projected onto the isosurface by Newton steps
/// (Eqs. 6.11, 6.12); it is dropped if it is too far away or finds no gradient. Then it is split
/// into four of half its size, until they are small enough. Neighbouring particles cover some
/// places twice, so in the end surfels nearer than 0.7 radii to an earlier one are removed.
///
/// The depth is the one that marching cubes uses: limited by walls and the other phase, from
/// visible particles only. Particles against a wall are not at an isosurface of the field; they
/// start surfels on the wall.
#include "shape/keys.h"
#include "surface/field/interpolate.h"
#include "surface/field/probe.h"
#include "surface/reconstruction.h"
#include "surface/surface.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Longest first step, spacings: less than to the second layer of particles. */
#define FURTHEST 1.0f
#define STEPS 3     /* Newton steps after a split */
#define CLOSE 1e-3f /* converged, spacings */
#define APART 0.7   /* least distance of surfels, radii: leaves no gaps */
#define OUT 0.45f   /* distance of the start from the particle, spacings */
enum { MOST_SPLITS = 5 };

typedef struct Surfel {
    double at[3]; /* m */
    float normal[3];
    bool dropped;
} Surfel;

/* Start of a surfel: offset from a particle, spacings. */
typedef struct Start {
    uint32_t row;
    float by[3];
} Start;

/* Everything that the depth depends on. */
typedef struct Depths {
    const PxReconstruction *recon;
    PxVisibility visibility, other;
} Depths;

typedef struct Job {
    const Depths *depths;
    const Start *start;
    Surfel *out; /* `each` surfels for every start */
    uint32_t each;
    int splits;
    float first; /* half the edge of the first surfel, spacings */
} Job;

static float depth_at(const Depths *d, const double at[3], float slope[3])
{
    const PxBarriers *b = &d->recon->barriers;
    return px_probe_alone(&d->visibility, d->recon->has_other ? &d->other : NULL,
                          b->walls + b->sheets > 0 ? b : NULL, at, slope);
}

/* Projects a surfel onto the isosurface; false if it does not converge. */
static bool project(const Depths *d, double at[3], float normal[3], int steps, float furthest)
{
    double s = d->recon->field.spacing;
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

/* Two orthogonal tangents. */
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

/* Refines the surfel out[0] into 4^splits. */
static void refine(const Job *job, Surfel *out)
{
    double s = job->depths->recon->field.spacing, half = (double)job->first;
    uint32_t count = 1;
    out[0].dropped = !project(job->depths, out[0].at, out[0].normal, STEPS + 2, FURTHEST);
    for (int split = 0; split < job->splits; ++split, count *= 4) {
        half *= 0.5;
        for (uint32_t k = count; k-- > 0;) { /* backwards: children overwrite no unread parent */
            Surfel parent = out[k];
            for (int c = 0; c < 4; ++c) {
                Surfel *child = &out[4 * k + (uint32_t)c];
                *child = parent;
                if (parent.dropped)
                    continue;
                double u[3], v[3];
                tangents(parent.normal, u, v);
                /* Beyond the rim of a drop no gradient leads back: start nearer. */
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
    const PxPotential *f = &job->depths->recon->field;
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

/* Starts for every particle near the surface: against the gradient, or along all axes where it
 * is small. */
typedef PX_LIST(Start) StartList;

/* Starts on every barrier within a spacing. */
static bool start_at_barriers(const PxReconstruction *recon, uint32_t i, StartList *list)
{
    const PxPotential *f = &recon->field;
    const PxBarriers *b = &recon->barriers;
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
    const PxPotential *f = &d->recon->field;
    for (uint32_t i = 0; i < f->count; ++i) {
        if (f->location[i] == PX_MIRRORED)
            continue;
        if (!start_at_barriers(d->recon, i, list))
            return false;
        if (f->location[i] == PX_INTERIOR)
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

/* Drops surfels nearer than `apart` to an earlier one. */
static bool thin_out(Surfel *surfel, size_t count, double apart)
{
    PxKeys keys = {0};
    /* Linked lists by cell: last[cell] is its last surfel, before[k] the one before k. */
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
                /* opposite sides of a thin sheet do not exclude each other */
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
    const PxReconstruction *recon = depths->recon;
    const PxPotential *f = &recon->field;
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
        status = px_parallel_try(&recon->threads, (uint32_t)list.count, 64, refine_block, &job);
        if (status == PX_OK && !thin_out(job.out, count, APART * radius * f->spacing))
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
    PxReconstruction recon;
    Depths depths = {.recon = &recon};
    PxStatus status = px_reconstruction_create(&recon, def, particles, wall, walls, false);
    if (status == PX_OK)
        status = px_visibility_make(&depths.visibility, &recon.barriers, &recon.field);
    if (status == PX_OK && recon.has_other)
        status = px_visibility_make(&depths.other, &recon.barriers, &recon.other);
    if (status == PX_OK)
        status = make(&depths, def, particles, out);
    px_visibility_free(&depths.visibility);
    px_visibility_free(&depths.other);
    px_reconstruction_free(&recon);
    if (status != PX_OK) {
        px_surfels_free(*out);
        *out = NULL;
    }
    return status;
}

PxStatus px_surfels_make(const PxSurfaceDef *def, const PxSurfaceParticles *particles,
                         PxSurfels **out)
{
    PX_WANT(out);
    *out = NULL;
    PxSurfaceDef read;
    PX_TRY(px_surface_def_read(def, &read));
    return px_surfels_make_walled(&read, particles, NULL, 0, out);
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
