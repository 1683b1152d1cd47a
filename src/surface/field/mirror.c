#include "surface/field/mirror.h"

#include "base/random.h"

#include <math.h>
#include <stdlib.h>

/* Particles nearer to a wall than this are not mirrored, spacings. */
#define LEAST 0.1

/* Cosine of the angle between the way to a sheet and its normal, below which the nearest place is
 * on a border: there is nothing to mirror in. */
#define FACING 0.9

/* Most images of a particle in one wall: at the corner of a box. */
enum { MOST = 7 };

/* In a box a particle is mirrored in the nearest side along every axis, and in edges and
 * corners. */
static int box_images(const PxWall *wall, PxVec3 at, double least, double within, PxVec3 *out)
{
    PxQuat turn = px_quat_normalized(wall->def.rotation);
    PxVec3 own = px_rotate(px_quat_conjugate(turn), px_sub(at, wall->def.at));
    double half[3] = {0.5 * wall->def.scale * wall->def.size.x,
                      0.5 * wall->def.scale * wall->def.size.y,
                      0.5 * wall->def.scale * wall->def.size.z};
    double c[3] = {own.x, own.y, own.z}, mirrored[3];
    int near = 0, count = 0;
    for (int a = 0; a < 3; ++a) {
        double d = half[a] - fabs(c[a]);
        mirrored[a] = copysign(2 * half[a] - fabs(c[a]), c[a]);
        near |= (d > least && d < within) << a;
    }
    for (int n = 1; n < 8; ++n)
        if ((n & ~near) == 0) {
            PxVec3 image = {n & 1 ? mirrored[0] : c[0], n & 2 ? mirrored[1] : c[1],
                            n & 4 ? mirrored[2] : c[2]};
            out[count++] = px_add(wall->def.at, px_rotate(turn, image));
        }
    return count;
}

/* Images of a point, in the wall's rest frame. */
static int images_of(const PxBarriers *barriers, size_t k, PxVec3 at, double least, double within,
                     PxVec3 *out)
{
    const PxWall *wall = &barriers->wall[k];
    if (wall->inside && px_shape_kind(wall->shape) == PX_SHAPE_BOX)
        return box_images(wall, at, least, within, out);
    PxVec3 away;
    double d = px_wall_moving(wall) != NULL ? px_wall_distance(wall, 0, at, &away)
                                            : px_shape_nearest(wall->shape, at, within, &away);
    if (!(d > least && d < within))
        return 0;
    out[0] = px_mad(at, away, -2 * d);
    /* the image is as near to the same place of the surface, or nearer to another */
    return px_barrier_wall_distance(barriers, k, out[0], 1.01 * d) < -least;
}

/* ---- what is behind sheets ---- */

/* Points by cells of a spacing, sorted. */
typedef struct Spot {
    int64_t cell[3];
    uint32_t point;
} Spot;

typedef struct Spots {
    Spot *data;
    size_t count;
    double cell; /* m */
} Spots;

static int compare_cells(const int64_t a[3], const int64_t b[3])
{
    for (int c = 0; c < 3; ++c)
        if (a[c] != b[c])
            return a[c] < b[c] ? -1 : 1;
    return 0;
}

static int compare_spots(const void *a, const void *b)
{
    const Spot *x = a, *y = b;
    int order = compare_cells(x->cell, y->cell);
    return order != 0 ? order : (x->point > y->point) - (x->point < y->point);
}

static void cell_of(const Spots *spots, PxVec3 at, int64_t cell[3])
{
    cell[0] = (int64_t)floor(at.x / spots->cell);
    cell[1] = (int64_t)floor(at.y / spots->cell);
    cell[2] = (int64_t)floor(at.z / spots->cell);
}

static PxVec3 place_of(const PxPotentialPoint *p)
{
    return px_vec((double)p->at[0], (double)p->at[1], (double)p->at[2]);
}

static bool sort_spots(const PxPotentialPoints *points, double cell, Spots *out)
{
    *out = (Spots){.data = px_allocate(NULL, points->count * sizeof *out->data),
                   .count = points->count,
                   .cell = cell};
    if (out->data == NULL)
        return false;
    for (size_t i = 0; i < points->count; ++i) {
        out->data[i].point = (uint32_t)i;
        cell_of(out, place_of(&points->data[i]), out->data[i].cell);
    }
    qsort(out->data, out->count, sizeof *out->data, compare_spots);
    return true;
}

static size_t first_in(const Spots *spots, const int64_t cell[3])
{
    size_t low = 0, high = spots->count;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (compare_cells(spots->data[mid].cell, cell) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* Is a point within a cell of `image`, and beyond `sheet` along `way`? */
static bool is_taken(const Spots *spots, const PxPotentialPoint *data, PxVec3 image, PxVec3 sheet,
                     PxVec3 way)
{
    int64_t own[3];
    cell_of(spots, image, own);
    for (int n = 0; n < 9; ++n) {
        int64_t cell[3] = {own[0] + n / 3 - 1, own[1] + n % 3 - 1, own[2] - 1};
        for (size_t k = first_in(spots, cell); k < spots->count; ++k) {
            const Spot *spot = &spots->data[k];
            if (spot->cell[0] != cell[0] || spot->cell[1] != cell[1] || spot->cell[2] > own[2] + 1)
                break;
            PxVec3 at = place_of(&data[spot->point]);
            if (px_length(px_sub(at, image)) < spots->cell && px_dot(px_sub(at, sheet), way) > 0)
                return true;
        }
    }
    return false;
}

/* The image of a point in a sheet, if the nearest place of the sheet is not on its border and no
 * matter is there already. */
static int sheet_image(PxMeshTree *sheet, const Spots *spots, const PxPotentialPoint *data,
                       PxVec3 at, double least, double within, PxVec3 *out)
{
    PxMeshSpot spot;
    if (!px_mesh_tree_closest(sheet, at, within, &spot) || !(spot.distance > least))
        return 0;
    PxVec3 way = px_sub(spot.point, at);
    *out = px_mad(at, way, 2);
    return !(fabs(px_dot(way, spot.face)) < FACING * spot.distance) &&
           !is_taken(spots, data, *out, spot.point, way);
}

/* ---- images ---- */

typedef struct Job {
    PxPotentialPoints *points;
    const PxBarriers *barriers;
    Spots spots;          /* if there are sheets */
    double least, within; /* m */
    double behind;        /* the same of sheets, m */
    uint8_t *count;       /* number of images by point */
    uint32_t *first;      /* NULL in the counting pass */
    size_t originals;
} Job;

static void images_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    const PxBarriers *b = job->barriers;
    PxPotentialPoint *data = job->points->data;
    for (uint32_t i = begin; i < end; ++i) {
        PxVec3 at = {(double)data[i].at[0], (double)data[i].at[1], (double)data[i].at[2]};
        uint32_t count = 0;
        if (job->first != NULL && job->count[i] == 0)
            continue;
        for (size_t w = 0; w < b->walls + b->sheets; ++w) {
            const PxWall *wall = w < b->walls ? &b->wall[w] : NULL;
            PxVec3 image[MOST];
            int images = wall != NULL ? images_of(b, w, px_wall_to_rest(wall, 0, at), job->least,
                                                  job->within, image)
                                      : sheet_image(b->sheet[w - b->walls], &job->spots, data, at,
                                                    job->least, job->within, image);
            for (int n = 0; n < images && count < UINT8_MAX; ++n, ++count) {
                if (job->first == NULL)
                    continue;
                PxVec3 p = wall != NULL ? px_wall_to_world(wall, 0, image[n]) : image[n];
                PxPotentialPoint *to = &data[job->originals + job->first[i] + count];
                *to = data[i];
                to->at[0] = (float)p.x;
                to->at[1] = (float)p.y;
                to->at[2] = (float)p.z;
                to->mirrored = true;
                to->id = px_random_bits(
                    data[i].id, w, (uint64_t)n); /* sorts images independently of their originals */
            }
        }
        if (job->first == NULL)
            job->count[i] = (uint8_t)count;
    }
}

PxStatus px_mirror_add(PxPotentialPoints *points, const PxBarriers *barriers, double spacing,
                       double within, const PxThreads *threads)
{
    size_t n = points->count, total = 0;
    if (barriers->walls + barriers->sheets == 0 || n == 0)
        return PX_OK;
    Job job = {.points = points,
               .barriers = barriers,
               .least = LEAST * spacing,
               .within = within * spacing,
               .behind = fmin(within, PX_MIRROR_BEHIND) * spacing,
               .originals = n};
    uint32_t *first = px_allocate(NULL, n * sizeof *first);
    job.count = px_allocate(NULL, n);
    bool room = first != NULL && job.count != NULL &&
                (barriers->sheets == 0 || sort_spots(points, spacing, &job.spots));
    if (room) {
        px_parallel_for(threads, (uint32_t)n, PX_BLOCK, images_block, &job);
        for (size_t i = 0; i < n; ++i) {
            first[i] = (uint32_t)total;
            total += job.count[i];
        }
        room = n + total < UINT32_MAX - 16 && PX_LIST_RESERVE(points, total);
    }
    if (room) {
        job.first = first;
        px_parallel_for(threads, (uint32_t)n, PX_BLOCK, images_block, &job);
        points->count += total;
    }
    px_release(NULL, first, 0);
    px_release(NULL, job.count, 0);
    px_release(NULL, job.spots.data, 0);
    return room ? PX_OK
                : px_fail(PX_ERR_MEMORY, "surface: no room for %zu images of particles", total);
}
