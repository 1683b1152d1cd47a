/// Makes a figure that walks: its mesh, its poses as a PC2 file, and a skirt that fits it.
#include "phyxel/make.h"

#include "base/def.h"
#include "shape/walker.h"
#include "store/file.h"
#include "store/make_files.h"
#include "store/pc2.h"
#include "surface/mesh/isosurface.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Gap between the figure and its skirt at the start, m at a height of 1.7 m. */
#define GAP 0.012
/* Largest file of poses, bytes. */
#define MOST_BYTES 4e9

static PxWalkerDef walker_def_defaults(void)
{
    return (PxWalkerDef){.head = {sizeof(PxWalkerDef), 0x77616c6bu},
                         .seed = 1,
                         .seconds = 4,
                         .fps = 60,
                         .stands = 0.3,
                         .triangles = 8000,
                         .around = 96,
                         .pleats = 12,
                         .skirt = 0.27,
                         .flare = 0.45};
}

PX_DEF(PxWalkerDef, walker_def, "walker")

static PxStatus check_walker(const PxWalkerDef *d)
{
    const struct {
        const char *name;
        double value, least, most;
    } range[] = {{"height", d->height, d->height == 0 ? 0 : 0.1, 10},
                 {"seconds", d->seconds, 0, 600},
                 {"fps", d->fps, 1, 1000},
                 {"stands", d->stands, 0, 600},
                 {"triangles", d->triangles, 1000, 2000000},
                 {"around", d->around, 12, 2000},
                 {"pleats", d->pleats, 0, 200},
                 {"skirt", d->skirt, 0.05, 0.5},
                 {"flare", d->flare, 0, 2}};
    for (size_t k = 0; k < PX_COUNT(range); ++k)
        if (!(range[k].value >= range[k].least && range[k].value <= range[k].most))
            return px_fail(PX_ERR_ARGUMENT, "walker: %s is %g, must be %g to %g", range[k].name,
                           range[k].value, range[k].least, range[k].most);
    return PX_OK;
}

/* ---- the mesh ---- */

static PxStatus sample(const PxWalker *w, double step, PxVolume *out)
{
    PxVec3 low = px_vec(-0.45, -0.05, -0.25), high = px_vec(0.45, 1.08, 0.25);
    double h = w->height;
    *out = (PxVolume){.origin = px_scale(low, h), .least = INFINITY, .most = -INFINITY};
    const PxVec3 axis[3] = {{step, 0, 0}, {0, step, 0}, {0, 0, step}};
    const double size[3] = {h * (high.x - low.x), h * (high.y - low.y), h * (high.z - low.z)};
    for (int k = 0; k < 3; ++k) {
        out->samples[k] = (uint32_t)ceil(size[k] / step) + 1;
        out->step[k] = axis[k];
    }
    size_t count = (size_t)out->samples[0] * out->samples[1] * out->samples[2], at = 0;
    out->value = malloc(count * sizeof *out->value);
    if (out->value == NULL)
        return px_fail(PX_ERR_MEMORY, "walker: no room for %zu samples", count);
    for (uint32_t z = 0; z < out->samples[2]; ++z)
        for (uint32_t y = 0; y < out->samples[1]; ++y)
            for (uint32_t x = 0; x < out->samples[0]; ++x) {
                PxVec3 place = px_add(out->origin, px_vec(x * step, y * step, z * step));
                double d = px_walker_distance(w, place);
                out->value[at++] = (float)d;
                out->least = fmin(out->least, d);
                out->most = fmax(out->most, d);
            }
    return PX_OK;
}

/* A figure of 1.7 m has 1.73 m^2, and marching cubes of edge h make 2.6 triangles for each h^2 of
 * it. */
static PxStatus make_figure(const PxWalker *w, const PxWalkerDef *def, PxMesh **out)
{
    PxVolume volume;
    uint32_t pieces;
    double step = w->height * sqrt(2.6 * 1.73 / 2.89 / def->triangles);
    PxStatus status = sample(w, step, &volume);
    if (status == PX_OK)
        status = px_isosurface("walker", &volume, 0, true, true, 1, out, &pieces);
    px_volume_free(&volume);
    return status;
}

/* ---- the poses ---- */

static PxStatus write_poses(const PxWalker *w, const PxMesh *mesh, const PxWalkerDef *def,
                            uint32_t count, const char *path)
{
    uint32_t n = mesh->vertex_count;
    double size = PX_PC2_HEADER + 12.0 * n * count;
    if (size > MOST_BYTES)
        return px_fail(PX_ERR_ARGUMENT,
                       "walker: %u poses of %u vertices take %.3g bytes, at most %.3g allowed",
                       count, n, size, MOST_BYTES);
    float(*weight)[PX_WALKER_BONES] = malloc(n * sizeof *weight);
    unsigned char *bytes = malloc((size_t)size), *to = bytes + PX_PC2_HEADER;
    if (weight == NULL || bytes == NULL) {
        free(weight);
        free(bytes);
        return px_fail(PX_ERR_MEMORY, "walker: no room for %u poses of %u vertices", count, n);
    }
    px_pc2_header(bytes, n, 0, count);
    for (uint32_t v = 0; v < n; ++v)
        px_walker_weights(w, mesh->position[v], weight[v]);
    for (uint32_t k = 0; k < count; ++k) {
        PxWalkerPose pose = px_walker_pose(w, k / def->fps);
        for (uint32_t v = 0; v < n; ++v, to += 12) {
            PxVec3 x = px_walker_place(&pose, weight[v], mesh->position[v]);
            memcpy(to, (const float[]){(float)x.x, (float)x.y, (float)x.z}, 12);
        }
    }
    PxStatus status = px_file_write_atomic(path, bytes, (size_t)size);
    free(weight);
    free(bytes);
    return status;
}

/* ---- the skirt ---- */

/* Distance of the trunk and legs from the upright axis, seen from outside, m. */
static double girth(const PxWalker *w, double y, double angle)
{
    double step = 0.002 * w->height;
    for (double r = 0.25 * w->height; r > 0; r -= step)
        if (px_walker_trunk(w, px_vec(r * cos(angle), y, r * sin(angle))) < 0)
            return r;
    return 0;
}

/* Rings from the waist down; each is as wide as the figure, and at least as wide as the one above
 * with the flare. Pleats are waves that grow towards the hem. */
static PxStatus make_skirt(const PxWalker *w, const PxWalkerDef *def, double band[2], PxMesh **out)
{
    double h = w->height, top = w->bone[PX_WALKER_PELVIS].b2.y - 0.012 * h, length = def->skirt * h;
    double gap = GAP * h / 1.7, around = 2 * M_PI * 0.13 * h;
    uint32_t n = def->around, rows = (uint32_t)fmax(2, round(length / (1.25 * around / n)));
    double down = length / rows;
    PX_TRY(px_mesh_create((size_t)n * (rows + 1), 2 * (size_t)n * rows, 0, out));
    double shift = px_walker_pose(w, 0).move[PX_WALKER_PELVIS].y;
    for (uint32_t k = 0; k < n; ++k) {
        double angle = 2 * M_PI * k / n, wide = 0;
        for (uint32_t row = 0; row <= rows; ++row) {
            double s = row * down, y = top - s, body = girth(w, y, angle) + gap;
            wide = fmax(body, row > 0 ? wide + def->flare * down * fmin(1, s / (0.12 * h)) : 0);
            double wave = def->pleats > 0 ? 0.1 * s * (1 + cos(angle * def->pleats)) : 0;
            double r = wide + wave;
            (*out)->position[row * n + k] = px_vec(r * cos(angle), y + shift, r * sin(angle));
        }
    }
    uint32_t at = 0;
    for (uint32_t row = 0; row < rows; ++row)
        for (uint32_t k = 0; k < n; ++k) {
            uint32_t a = row * n + k, b = row * n + (k + 1) % n, c = a + n, d = b + n;
            bool other = (row + k) % 2;
            const uint32_t two[2][3] = {{a, b, other ? d : c}, {other ? a : b, d, c}};
            memcpy((*out)->triangle[at], two, sizeof two);
            at += 2;
        }
    band[0] = top + shift - 1.5 * down;
    band[1] = top + shift + 0.5 * down;
    return PX_OK;
}

PxStatus px_make_walker(const PxWalkerDef *given, const char *path, const char *poses,
                        const char *skirt, PxWalkerResult *result)
{
    PxWalkerDef def;
    PxMesh *mesh = NULL, *cloth = NULL;
    PxWalkerResult r = {0};
    PX_TRY(read_walker_def(given, &def));
    PX_TRY(check_walker(&def));
    PX_TRY(px_make_check_path(path));
    if (strcasecmp(px_make_extension(path), "stl") == 0)
        return px_fail(PX_ERR_ARGUMENT,
                       "%s: poses need the order of vertices, which STL does not keep; wanted .obj "
                       "or .ply",
                       path);
    if (poses == NULL || strcasecmp(px_make_extension(poses), "pc2") != 0)
        return px_fail(PX_ERR_ARGUMENT, "%s: poses are written as .pc2",
                       poses != NULL ? poses : "make");
    if (skirt != NULL)
        PX_TRY(px_make_check_path(skirt));
    PxWalker w = px_walker(&def);
    uint32_t count = (uint32_t)ceil(def.seconds * def.fps) + 1;
    char comment[100];
    snprintf(comment, sizeof comment, "phyxel walker, seed %llu, y up, m",
             (unsigned long long)def.seed);
    PxStatus status = make_figure(&w, &def, &mesh);
    if (status == PX_OK)
        status = px_make_write(mesh, comment, path);
    if (status == PX_OK)
        status = write_poses(&w, mesh, &def, count, poses);
    if (status == PX_OK && skirt != NULL)
        status = make_skirt(&w, &def, r.waist, &cloth);
    if (status == PX_OK && skirt != NULL)
        status = px_make_write(cloth, comment, skirt);
    if (status == PX_OK && result != NULL) {
        r.height = w.height;
        r.speed = w.stays ? 0 : w.stride / w.period;
        r.vertices = mesh->vertex_count;
        r.triangles = mesh->triangle_count;
        r.poses = count;
        r.skirt_vertices = cloth != NULL ? cloth->vertex_count : 0;
        r.skirt_triangles = cloth != NULL ? cloth->triangle_count : 0;
        *result = r;
    }
    px_mesh_free(mesh);
    px_mesh_free(cloth);
    return status;
}
