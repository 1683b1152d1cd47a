#include "surface/field/mirror.h"

#include "base/random.h"

#include <math.h>

/* Particles nearer to a wall than this are not mirrored, spacings. */
#define LEAST 0.1

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
static int images_of(const PxWall *wall, PxVec3 at, double least, double within, PxVec3 *out)
{
    if (wall->inside && px_shape_kind(wall->shape) == PX_SHAPE_BOX)
        return box_images(wall, at, least, within, out);
    PxVec3 away;
    double d = px_wall_moving(wall) != NULL ? px_wall_distance(wall, 0, at, &away)
                                            : px_shape_nearest(wall->shape, at, within, &away);
    if (!(d > least && d < within))
        return 0;
    out[0] = px_mad(at, away, -2 * d);
    return px_wall_distance(wall, 0, out[0], NULL) < -least;
}

typedef struct Job {
    PxPotentialPoints *points;
    const PxWall *wall;
    size_t walls;
    double least, within; /* m */
    uint8_t *count;       /* number of images by point */
    uint32_t *first;      /* NULL in the counting pass */
    size_t originals;
} Job;

static void images_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    PxPotentialPoint *data = job->points->data;
    for (uint32_t i = begin; i < end; ++i) {
        PxVec3 at = {(double)data[i].at[0], (double)data[i].at[1], (double)data[i].at[2]};
        uint32_t count = 0;
        if (job->first != NULL && job->count[i] == 0)
            continue;
        for (size_t w = 0; w < job->walls; ++w) {
            const PxWall *wall = &job->wall[w];
            PxVec3 image[MOST];
            int images =
                images_of(wall, px_wall_to_rest(wall, 0, at), job->least, job->within, image);
            for (int n = 0; n < images && count < UINT8_MAX; ++n, ++count) {
                if (job->first == NULL)
                    continue;
                PxVec3 p = px_wall_to_world(wall, 0, image[n]);
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

PxStatus px_mirror_add(PxPotentialPoints *points, const PxWall *wall, size_t walls, double spacing,
                       double within, const PxThreads *threads)
{
    size_t n = points->count, total = 0;
    if (walls == 0 || n == 0)
        return PX_OK;
    Job job = {.points = points,
               .wall = wall,
               .walls = walls,
               .least = LEAST * spacing,
               .within = within * spacing,
               .originals = n};
    uint32_t *first = px_allocate(NULL, n * sizeof *first);
    job.count = px_allocate(NULL, n);
    bool room = first != NULL && job.count != NULL;
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
    return room ? PX_OK
                : px_fail(PX_ERR_MEMORY, "surface: no room for %zu images of particles", total);
}
