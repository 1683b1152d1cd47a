#include "shape/poses.h"

#include "shape/mesh_read.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void px_poses_free(PxPoses *poses)
{
    if (poses == NULL)
        return;
    free(poses->place);
    free(poses->speed);
    free(poses);
}

/* ---- PC2 ---- */

enum { HEADER = 32 };

static uint32_t word_at(const unsigned char *b)
{
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static float float_at(const unsigned char *b)
{
    uint32_t word = word_at(b);
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

/* "POINTCACHE2" and a zero; int32 version, points; float32 first frame, frames per sample; int32
 * samples; then x y z as float32 for every point of every sample; little-endian. */
PxStatus px_poses_read_pc2(const char *name, const void *bytes, size_t size, PxPoses **out)
{
    const unsigned char *b = bytes;
    *out = NULL;
    if (size < HEADER || memcmp(b, "POINTCACHE2", 12) != 0)
        return px_fail(PX_ERR_FORMAT,
                       "%s: does not begin as a PC2 file does, with POINTCACHE2 and a header of %d "
                       "bytes",
                       name, HEADER);
    uint32_t version = word_at(b + 12), points = word_at(b + 16), samples = word_at(b + 28);
    double every = (double)float_at(b + 24);
    if (version != 1)
        return px_fail(PX_ERR_FORMAT, "%s: is of version %u of PC2, wanted 1", name, version);
    if (points == 0 || points > PX_MESH_MAX_VERTICES || samples == 0 || samples > PX_POSES_MOST)
        return px_fail(PX_ERR_FORMAT,
                       "%s: announces %u samples of %u points, wanted 1 to %u samples of 1 to %u "
                       "points",
                       name, samples, points, PX_POSES_MOST, PX_MESH_MAX_VERTICES);
    if (!(every > 0) || !(every <= 1e6))
        return px_fail(PX_ERR_FORMAT, "%s: has %g frames per sample, wanted more than 0", name,
                       every);
    uint64_t wanted = HEADER + 12 * (uint64_t)points * samples; /* below 2^63 */
    if (wanted != size)
        return px_fail(PX_ERR_FORMAT,
                       "%s: announces %u samples of %u points, which take %llu bytes, but has %zu",
                       name, samples, points, (unsigned long long)wanted, size);
    size_t values = (size_t)points * samples;
    PxPoses *poses = calloc(1, sizeof *poses);
    float(*place)[3] = malloc(values * sizeof *place);
    if (poses == NULL || place == NULL) {
        free(poses);
        free(place);
        return px_fail(PX_ERR_MEMORY, "%s: no room for %u samples of %u points", name, samples,
                       points);
    }
    *poses = (PxPoses){.vertices = points, .count = samples, .place = place, .every = every};
    for (size_t k = 0; k < values; ++k)
        for (int c = 0; c < 3; ++c) {
            place[k][c] = float_at(b + HEADER + 12 * k + 4 * (size_t)c);
            if (isfinite(place[k][c]))
                continue;
            px_fail(PX_ERR_FORMAT, "%s: %c of point %zu of sample %zu is %g, must be finite", name,
                    'x' + c, k % points, k / points + 1, (double)place[k][c]);
            px_poses_free(poses);
            return PX_ERR_FORMAT;
        }
    *out = poses;
    return PX_OK;
}

static PxStatus read_pc2_file(const char *path, PxPoses **out)
{
    void *bytes = NULL;
    size_t size = 0;
    PX_TRY(px_mesh_file_bytes(path, "a PC2 file", &bytes, &size));
    PxStatus status = px_poses_read_pc2(path, bytes, size, out);
    free(bytes);
    return status;
}

/* ---- a sequence of meshes ---- */

/* The last run of '#' in the name of the file, which stands for a number of as many digits. */
static const char *place_of_number(const char *path, int *digits)
{
    const char *folder = strrchr(path, '/'), *end = strrchr(folder != NULL ? folder : path, '#');
    *digits = 0;
    while (end != NULL && end - *digits >= path && end[-*digits] == '#')
        ++*digits;
    return end != NULL ? end + 1 - *digits : NULL;
}

/* Writes the name of a file of the sequence; `to` has room for 40 bytes more than the pattern. */
static void file_name(const char *pattern, unsigned number, char *to, size_t room)
{
    int digits;
    const char *at = place_of_number(pattern, &digits);
    snprintf(to, room, "%.*s%0*u%s", (int)(at - pattern), pattern, digits, number, at + digits);
}

static bool same_triangles(const PxMesh *a, const PxMesh *b, uint32_t *differs)
{
    for (uint32_t t = 0; t < a->triangle_count; ++t)
        if (memcmp(a->triangle[t], b->triangle[t], sizeof a->triangle[t]) != 0) {
            *differs = t;
            return false;
        }
    return true;
}

/* Appends the positions of one file. */
static PxStatus read_one(const char *path, const char *part, const PxMesh *mesh, PxPoses *poses)
{
    PxMesh *read;
    uint32_t t = 0;
    PX_TRY(px_mesh_read_file_part(path, part, &read));
    PxStatus status = PX_OK;
    if (read->vertex_count != mesh->vertex_count || read->triangle_count != mesh->triangle_count)
        status = px_fail(PX_ERR_FORMAT,
                         "%s: has %u vertices and %u triangles, wanted the %u and %u of the mesh: "
                         "all poses have the same triangles",
                         path, read->vertex_count, read->triangle_count, mesh->vertex_count,
                         mesh->triangle_count);
    else if (!same_triangles(read, mesh, &t))
        status = px_fail(PX_ERR_FORMAT,
                         "%s: triangle %u has the vertices %u, %u, %u, wanted the %u, %u, %u of "
                         "the mesh: all poses have the same triangles",
                         path, t, read->triangle[t][0], read->triangle[t][1], read->triangle[t][2],
                         mesh->triangle[t][0], mesh->triangle[t][1], mesh->triangle[t][2]);
    size_t n = mesh->vertex_count, old = poses->count * n;
    float(*place)[3] =
        status == PX_OK ? realloc(poses->place, (old + n) * sizeof *place) : poses->place;
    if (status == PX_OK && place == NULL)
        status = px_fail(PX_ERR_MEMORY, "%s: no room for pose %u of %zu vertices", path,
                         poses->count + 1, n);
    else
        poses->place = place;
    for (size_t v = 0; status == PX_OK && v < n; ++v) {
        PxVec3 x = read->position[v];
        const float at[3] = {(float)x.x, (float)x.y, (float)x.z};
        if (!isfinite(at[0] + at[1] + at[2]))
            status = px_fail(PX_ERR_FORMAT, "%s: vertex %zu is at (%g, %g, %g), too far away", path,
                             v, x.x, x.y, x.z);
        memcpy(place[old + v], at, sizeof at);
    }
    px_mesh_free(read);
    poses->count += status == PX_OK;
    return status;
}

/* Files from number 0 or 1 on, until one is missing. */
static PxStatus read_sequence(const char *pattern, const char *part, const PxMesh *mesh,
                              PxPoses **out)
{
    size_t room = strlen(pattern) + 40;
    char *path = malloc(room);
    PxPoses *poses = calloc(1, sizeof *poses);
    PxStatus status = PX_OK;
    if (path == NULL || poses == NULL) {
        free(path);
        free(poses);
        return px_fail(PX_ERR_MEMORY, "%s: no room", pattern);
    }
    *poses = (PxPoses){.vertices = mesh->vertex_count, .every = 1};
    file_name(pattern, 0, path, room);
    unsigned number = access(path, F_OK) == 0 ? 0 : 1;
    for (; status == PX_OK && poses->count < PX_POSES_MOST; ++number) {
        file_name(pattern, number, path, room);
        if (access(path, F_OK) != 0)
            break;
        status = read_one(path, part, mesh, poses);
    }
    if (status == PX_OK && poses->count == 0)
        status = px_fail(PX_ERR_IO,
                         "%s: there is no file '%s'; '#' stands for a digit of numbers from 0 or 1 "
                         "on",
                         pattern, path);
    free(path);
    if (status != PX_OK) {
        px_poses_free(poses);
        return status;
    }
    *out = poses;
    return PX_OK;
}

/* ---- checks ---- */

static PxVec3 place_of(const PxPoses *p, uint32_t pose, uint32_t v)
{
    const float *x = p->place[(size_t)pose * p->vertices + v];
    return px_vec((double)x[0], (double)x[1], (double)x[2]);
}

/* Six times the volume, about the first vertex. */
static double volume_of(const PxPoses *p, uint32_t pose, const PxMesh *mesh)
{
    PxVec3 origin = place_of(p, pose, mesh->triangle[0][0]);
    double sum = 0;
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        PxVec3 c[3];
        for (int k = 0; k < 3; ++k)
            c[k] = px_sub(place_of(p, pose, mesh->triangle[t][k]), origin);
        sum += px_dot(c[0], px_cross(c[1], c[2]));
    }
    return sum;
}

/* Vertices at one place in the mesh are seams: they stay together, or the mesh opens. */
static PxStatus check_poses(const PxPoses *p, const PxMesh *mesh, const char *name)
{
    uint32_t *weld = malloc(mesh->vertex_count * sizeof *weld);
    if (weld == NULL)
        return px_fail(PX_ERR_MEMORY, "%s: no room for %u vertices", name, mesh->vertex_count);
    PxStatus status = px_mesh_weld(mesh, weld);
    for (uint32_t k = 0; status == PX_OK && k < p->count; ++k) {
        for (uint32_t v = 0; status == PX_OK && v < p->vertices; ++v) {
            double apart = px_length(px_sub(place_of(p, k, v), place_of(p, k, weld[v])));
            if (apart > 0)
                status = px_fail(PX_ERR_FORMAT,
                                 "%s: pose %u is open: vertices %u and %u, which are one point of "
                                 "the mesh, are %g apart",
                                 name, k + 1, weld[v], v, apart);
        }
        double volume = status == PX_OK ? volume_of(p, k, mesh) / 6 : 1;
        if (!(volume > 0))
            status = px_fail(PX_ERR_FORMAT,
                             "%s: pose %u is inside out or flat, its volume is %g; wanted the "
                             "vertices in the order of the mesh",
                             name, k + 1, volume);
    }
    free(weld);
    return status;
}

/* ---- in between ---- */

/* Pose k of a sequence that goes on as it ends, or in a circle. */
static uint32_t pose_number(const PxPoses *p, int64_t k)
{
    int64_t last = (int64_t)p->count - 1;
    if (p->loop && p->intervals > 0) {
        int64_t n = p->intervals;
        return (uint32_t)(((k % n) + n) % n);
    }
    return (uint32_t)(k < 0 ? 0 : k > last ? last : k);
}

/* Control points of the cubic from pose k to k + 1 in Bernstein form; its tangents are those of
 * Catmull and Rom (1974). */
static void bernstein(const PxPoses *p, uint32_t k, uint32_t v, PxVec3 out[4])
{
    PxVec3 x[4];
    for (int j = 0; j < 4; ++j)
        x[j] = place_of(p, pose_number(p, (int64_t)k + j - 1), v);
    out[0] = x[1];
    out[1] = px_mad(x[1], px_sub(x[2], x[0]), 1.0 / 6);
    out[2] = px_mad(x[2], px_sub(x[3], x[1]), -1.0 / 6);
    out[3] = x[2];
}

/* The derivative of the cubic lies in the hull of three times the differences of its control
 * points. */
static double speed_of(const PxPoses *p, uint32_t k)
{
    double most = 0;
    for (uint32_t v = 0; v < p->vertices; ++v) {
        PxVec3 b[4];
        bernstein(p, k, v, b);
        most = fmax(most, px_length(px_sub(b[3], b[0])));
        for (int j = 0; p->smooth && j < 3; ++j)
            most = fmax(most, 3 * px_length(px_sub(b[j + 1], b[j])));
    }
    return most * p->rate;
}

static bool ends_where_it_began(const PxPoses *p)
{
    return p->count > 1 && memcmp(p->place, p->place + (size_t)(p->count - 1) * p->vertices,
                                  p->vertices * sizeof *p->place) == 0;
}

static PxStatus prepare(PxPoses *p, const PxShapeDef *def)
{
    p->rate = def->pose_fps / p->every;
    p->start = def->pose_start;
    p->loop = def->pose_loop && p->count > 1;
    p->smooth = def->pose_between == PX_POSES_SMOOTH;
    /* A loop returns from the last pose to the first, unless they are the same. */
    p->intervals = p->loop && !ends_where_it_began(p) ? p->count : p->count - 1;
    p->speed = malloc(((size_t)p->intervals + 1) * sizeof *p->speed);
    if (p->speed == NULL)
        return px_fail(PX_ERR_MEMORY, "%s: no room for %u poses", def->poses, p->count);
    for (uint32_t k = 0; k < p->intervals; ++k)
        p->speed[k] = speed_of(p, k);
    return PX_OK;
}

PxStatus px_poses_read(const PxShapeDef *def, const PxMesh *mesh, PxPoses **out)
{
    *out = NULL;
    const char *path = def->poses;
    int digits;
    if (!(def->pose_fps > 0) || !isfinite(def->pose_fps) || !isfinite(def->pose_start))
        return px_fail(PX_ERR_ARGUMENT,
                       "%s: %g poses per second from %g s on, wanted a positive rate", path,
                       def->pose_fps, def->pose_start);
    PxPoses *poses = NULL;
    if (place_of_number(path, &digits) != NULL)
        PX_TRY(read_sequence(path, def->part, mesh, &poses));
    else
        PX_TRY(read_pc2_file(path, &poses));
    PxStatus status = PX_OK;
    if (poses->vertices != mesh->vertex_count)
        status =
            px_fail(PX_ERR_FORMAT,
                    "%s: has %u points, but the mesh has %u vertices; wanted as many. A mesh "
                    "file with texture coordinates or normals splits vertices at seams: wanted "
                    "one without",
                    path, poses->vertices, mesh->vertex_count);
    if (status == PX_OK)
        status = check_poses(poses, mesh, path);
    if (status == PX_OK)
        status = prepare(poses, def);
    if (status != PX_OK) {
        px_poses_free(poses);
        return status;
    }
    *out = poses;
    return PX_OK;
}

/* Time in intervals since the first pose; within the first round of a loop. */
static double interval_at(const PxPoses *p, double time)
{
    double t = (time - p->start) * p->rate, n = p->intervals;
    if (p->loop)
        return t - n * floor(t / n);
    return fmin(fmax(t, 0), n);
}

void px_poses_at(const PxPoses *p, double time, PxVec3 *out)
{
    double t = interval_at(p, time);
    uint32_t k = (uint32_t)fmin(t, p->intervals > 0 ? p->intervals - 1 : 0);
    double u = p->intervals > 0 ? t - k : 0, w = 1 - u;
    for (uint32_t v = 0; v < p->vertices; ++v) {
        if (u == 0) {
            out[v] = place_of(p, pose_number(p, k), v);
            continue;
        }
        if (!p->smooth) {
            PxVec3 a = place_of(p, k, v), b = place_of(p, pose_number(p, (int64_t)k + 1), v);
            out[v] = px_mad(px_scale(a, w), b, u);
            continue;
        }
        PxVec3 b[4];
        bernstein(p, k, v, b);
        PxVec3 x = px_scale(b[0], w * w * w);
        x = px_mad(px_mad(x, b[1], 3 * w * w * u), b[2], 3 * w * u * u);
        out[v] = px_mad(x, b[3], u * u * u);
    }
}

double px_poses_end(const PxPoses *p)
{
    return p->loop ? INFINITY : p->start + p->intervals / p->rate;
}

double px_poses_speed(const PxPoses *p)
{
    double most = 0;
    for (uint32_t k = 0; k < p->intervals; ++k)
        most = fmax(most, p->speed[k]);
    return most;
}

double px_poses_limit(const PxPoses *p, double now, double most, double limit)
{
    double gone = 0, t = (now - p->start) * p->rate;
    if (p->intervals == 0)
        return limit;
    for (; gone < limit;) {
        double k = floor(t), speed = 0;
        if (p->loop)
            speed = p->speed[pose_number(p, (int64_t)fmod(k, p->intervals))];
        else if (k >= 0 && k < p->intervals)
            speed = p->speed[(uint32_t)k];
        else if (k >= p->intervals)
            return limit;
        double next = k < 0 && !p->loop ? 0 : k + 1, last = (next - t) / p->rate;
        double here = fmin(last, limit - gone);
        if (speed * here > most)
            return gone + most / speed;
        most -= speed * here;
        gone += fmax(here, 1e-9 / p->rate);
        t = next;
    }
    return limit;
}
