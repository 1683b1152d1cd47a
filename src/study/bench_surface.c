/// Bench of surfaces of a million particles for every field: time, triangles, memory.
///
/// Two sets of particles: a perturbed cube is nearly all interior, so that neighbourhoods take most
/// of the time; a splash, a thin sheet with drops above, is nearly all surface. And 10,000
/// particles in walls of 5,900 triangles, which the surface neither enters nor sees through: a bowl
/// as thick as a particle, and a colon, which matter is inside of.
///
/// Flicker: particles are carried through the grid without moving among each other, so their
/// surface should do the same. Measured are bumps of a pool of shaken particles, how much its
/// heights change from frame to frame, and how much the volume of small drops does.
#include "study/bench.h"

#include "base/memory.h"
#include "base/profile.h"
#include "base/random.h"
#include "phyxel/make.h"
#include "shape/colon.h"
#include "surface/surface.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define SPACING 0.01
#define PI 3.14159265358979323846

/* Time of all threads, s. */
static double processor(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

typedef struct Cloud {
    uint32_t count;
    float *x[3];
} Cloud;

static void cloud_free(Cloud *c)
{
    for (int a = 0; a < 3; ++a)
        px_release(NULL, c->x[a], 0);
}

static PxStatus cloud_room(Cloud *c, uint32_t count)
{
    *c = (Cloud){.count = count};
    bool room = true;
    for (int a = 0; a < 3; ++a) {
        c->x[a] = px_allocate(NULL, (size_t)count * sizeof(float) + 64);
        room = room && c->x[a] != NULL;
    }
    if (room)
        return PX_OK;
    cloud_free(c);
    return px_fail(PX_ERR_MEMORY, "bench: no room for %u particles", count);
}

static void put(Cloud *c, uint32_t i, const double at[3])
{
    for (uint32_t a = 0; a < 3; ++a)
        c->x[a][i] = (float)(SPACING * (at[a] + 0.4 * (px_random_unit(i, 1, a) - 0.5)));
}

static PxStatus make_cube(Cloud *c, uint32_t count)
{
    uint32_t edge = (uint32_t)cbrt((double)count);
    PX_TRY(cloud_room(c, edge * edge * edge));
    for (uint32_t i = 0; i < c->count; ++i)
        put(c, i, (const double[3]){i % edge, i / edge % edge, (double)(i / edge / edge)});
    return PX_OK;
}

/* Four fifths of the particles are a sheet four layers thick with waves on it, the rest drops of
 * one to 30 particles. */
static PxStatus make_splash(Cloud *c, uint32_t count)
{
    uint32_t edge = (uint32_t)sqrt(0.2 * count), sheet = 4 * edge * edge;
    PX_TRY(cloud_room(c, count));
    for (uint32_t i = 0; i < sheet; ++i) {
        double x = i % edge, z = i / edge % edge;
        put(c, i, (const double[3]){x, i / edge / edge + 6 * sin(0.05 * x) * cos(0.04 * z), z});
    }
    for (uint32_t i = sheet, drop = 0; i < count; ++drop) {
        uint32_t size = 1 + (uint32_t)(30 * pow(px_random_unit(drop, 2, 3), 4));
        double at[3] = {edge * px_random_unit(drop, 2, 0), 15 + 40 * px_random_unit(drop, 2, 1),
                        edge * px_random_unit(drop, 2, 2)};
        double wide = cbrt((double)size) - 1;
        for (uint32_t k = 0; k < size && i < count; ++k, ++i) {
            double part[3];
            for (uint32_t a = 0; a < 3; ++a)
                part[a] = at[a] + wide * (px_random_unit(i, 3, a) - 0.5);
            put(c, i, part);
        }
    }
    return PX_OK;
}

static PxStatus measure(PxBench *bench, const char *what, const Cloud *c)
{
    for (uint32_t k = 0; px_surface_field(k) != NULL; ++k) {
        PxSurfaceDef def = px_surface_def_default();
        PxSurfaceParticles particles = {.count = c->count,
                                        .spacing = SPACING,
                                        .position = {c->x[0], c->x[1], c->x[2]},
                                        .column = {c->x[0], c->x[1], c->x[2]},
                                        .columns = 3}; /* as many as a velocity has */
        def.field = px_surface_field(k)->name;
        def.threads = bench->threads.count;
        double best = INFINITY, busy = INFINITY;
        uint32_t triangles = 0;
        for (int n = 0; n < (bench->def.quick ? 1 : 3); ++n) {
            PxSurfaceMesh *mesh;
            PX_TRY(px_bench_next(bench, "%s of %u particles: %s", what, c->count, def.field));
            double began = px_clock(), used = processor();
            PX_TRY(px_surface_make(&def, &particles, &mesh));
            best = fmin(best, px_clock() - began);
            busy = fmin(busy, processor() - used);
            triangles = mesh->triangles;
            px_surface_free(mesh);
        }
        px_report_row(bench->report, def.field, best, busy, c->count / best / bench->threads.count,
                      (double)triangles, triangles / best, px_bench_peak_memory() / 1e9);
    }
    return PX_OK;
}

/* ---- walls of triangles ---- */

enum { WALL_TRIANGLES = 5900, WALL_PARTICLES = 10000, BOWL_SEGMENTS = 59, BOWL_RINGS = 50 };
enum { HANDLE_AROUND = 8, HANDLE_ALONG = 20 };

/* A ring that passes through the bowl's side, a part of the same mesh that overlaps the rest. */
static void add_handle(PxMesh *mesh, uint32_t vertex, uint32_t t, double radius, double thick)
{
    enum { AROUND = HANDLE_AROUND, ALONG = HANDLE_ALONG };
    for (uint32_t k = 0; k < AROUND * ALONG; ++k) {
        double turn = 2 * PI * (k / AROUND) / ALONG, roll = 2 * PI * (k % AROUND) / AROUND;
        double to = 0.25 * radius + 0.5 * thick * cos(roll);
        mesh->position[vertex + k] = px_vec(
            0.9 * radius + to * cos(turn), -0.5 * radius + to * sin(turn), 0.5 * thick * sin(roll));
        uint32_t along = k / AROUND, next = (along + 1) % ALONG * AROUND, own = along * AROUND;
        uint32_t i = k % AROUND, j = (i + 1) % AROUND;
        const uint32_t quad[2][3] = {{vertex + own + i, vertex + next + i, vertex + next + j},
                                     {vertex + own + i, vertex + next + j, vertex + own + j}};
        memcpy(mesh->triangle[t + 2 * k], quad, sizeof quad);
    }
}

/* A hemisphere of `radius` inside, `thick`, that opens upwards; its rim is round. */
static PxStatus bowl_mesh(double radius, double thick, bool handle, PxMesh **out)
{
    enum { S = BOWL_SEGMENTS, R = BOWL_RINGS, HALF = R / 2 };
    enum { MORE = HANDLE_AROUND * HANDLE_ALONG };
    PxMesh *mesh;
    PX_TRY(px_mesh_create(S * R + 2 + (handle ? MORE : 0), 2 * S * R + (handle ? 2 * MORE : 0), 0,
                          &mesh));
    if (handle)
        add_handle(mesh, S * R + 2, 2 * S * R, radius, thick);
    const uint32_t below = S * R, above = S * R + 1;
    for (int r = 0; r < R; ++r) {
        bool outer = r < HALF;
        double angle = 0.5 * PI * (outer ? r + 1.0 : (double)(R - r)) / (HALF + 0.5);
        double to = radius + (outer ? thick : 0);
        for (int s = 0; s < S; ++s) {
            double turn = 2 * PI * s / S;
            mesh->position[r * S + s] =
                px_vec(to * sin(angle) * cos(turn), -to * cos(angle), to * sin(angle) * sin(turn));
        }
    }
    mesh->position[below] = px_vec(0, -radius - thick, 0);
    mesh->position[above] = px_vec(0, -radius, 0);
    uint32_t t = 0;
    for (uint32_t s = 0; s < S; ++s) {
        uint32_t next = (s + 1) % S;
        const uint32_t first[3] = {below, s, next};
        memcpy(mesh->triangle[t++], first, sizeof first);
        for (uint32_t r = 0; r + 1 < R; ++r) {
            const uint32_t quad[2][3] = {{r * S + s, (r + 1) * S + s, (r + 1) * S + next},
                                         {r * S + s, (r + 1) * S + next, r * S + next}};
            memcpy(mesh->triangle[t], quad, sizeof quad);
            t += 2;
        }
        const uint32_t last[3] = {(R - 1) * S + s, above, (R - 1) * S + next};
        memcpy(mesh->triangle[t++], last, sizeof last);
    }
    *out = mesh;
    return PX_OK;
}

static PxStatus colon_mesh(PxMesh **out)
{
    PxColonDef def = px_colon_def_default();
    PxColonEnds ends;
    def.seed = 3;
    def.triangles = WALL_TRIANGLES;
    return px_colon_mesh(&def, out, &ends);
}

/* The lowest places of a lattice in the free part of a wall, half a spacing away from it. */
static PxStatus fill_wall(const PxWall *wall, double spacing, Cloud *c)
{
    PxBounds b = px_shape_bounds(wall->shape);
    uint32_t count = 0;
    PX_TRY(cloud_room(c, WALL_PARTICLES));
    for (double y = b.low.y; y < b.high.y; y += spacing)
        for (double z = b.low.z; z < b.high.z; z += spacing)
            for (double x = b.low.x; x < b.high.x && count < WALL_PARTICLES; x += spacing) {
                PxVec3 at = {x, y, z}, away;
                bool bowl = !wall->inside && x * x + y * y + z * z > b.low.y * b.low.y;
                if (bowl || px_wall_distance(wall, 0, at, &away) < 0.5 * spacing)
                    continue;
                c->x[0][count] = (float)x;
                c->x[1][count] = (float)y;
                c->x[2][count++] = (float)z;
            }
    c->count = count;
    return PX_OK;
}

typedef enum Vessel { BOWL, BOWL_WITH_HANDLE, COLON } Vessel;

static PxStatus measure_walls(PxBench *bench, Vessel vessel)
{
    static const char *const names[] = {"a bowl", "a bowl with a handle", "a colon"};
    const char *what = names[vessel];
    bool colon = vessel == COLON;
    PxShapeDef shape = px_shape_def_default(PX_SHAPE_MESH);
    PxWall wall = {.inside = colon, .pivot = {0, 0, 0}, .def = shape};
    PxMesh *mesh;
    Cloud cloud = {.count = 0};
    double spacing = SPACING;
    PX_TRY(colon ? colon_mesh(&mesh)
                 : bowl_mesh(17.5 * SPACING, SPACING, vessel == BOWL_WITH_HANDLE, &mesh));
    PxStatus status = px_shape_create_from_mesh(&shape, mesh, what, &wall.shape);
    if (status == PX_OK && colon)
        spacing = cbrt(0.4 * px_shape_volume(wall.shape) / WALL_PARTICLES);
    if (status == PX_OK)
        wall.bounds = px_shape_bounds(wall.shape);
    if (status == PX_OK)
        status = fill_wall(&wall, spacing, &cloud);
    for (uint32_t k = 0; status == PX_OK && px_surface_field(k) != NULL; ++k) {
        PxSurfaceDef def = px_surface_def_default();
        PxSurfaceParticles particles = {.count = cloud.count,
                                        .spacing = spacing,
                                        .position = {cloud.x[0], cloud.x[1], cloud.x[2]}};
        def.field = px_surface_field(k)->name;
        def.threads = bench->threads.count;
        double best[2] = {INFINITY, INFINITY}, busy = INFINITY;
        uint32_t triangles = 0;
        for (int n = 0; status == PX_OK && n < (bench->def.quick ? 2 : 6); ++n) {
            PxSurfaceMesh *made;
            status = px_bench_next(bench, "in %s of %u triangles: %s", what, mesh->triangle_count,
                                   def.field);
            double began = px_clock(), used = processor();
            if (status == PX_OK)
                status = px_surface_make_walled(&def, &particles, &wall, n % 2 == 0, &made);
            if (status != PX_OK)
                break;
            best[n % 2] = fmin(best[n % 2], px_clock() - began);
            if (n % 2 == 0) {
                busy = fmin(busy, processor() - used);
                triangles = made->triangles;
            }
            px_surface_free(made);
        }
        if (status == PX_OK)
            px_report_row(bench->report, what, (double)mesh->triangle_count, def.field,
                          (double)cloud.count, best[0], busy, best[1], (double)triangles);
    }
    cloud_free(&cloud);
    px_shape_free(wall.shape);
    px_mesh_free(mesh);
    return status;
}

static PxStatus walls(PxBench *bench)
{
    static const PxReportColumn columns[] = {
        {"wall", "wall", "%s"},
        {"wall_triangles", "of triangles", "%.0f"},
        {"field", "field", "%s"},
        {"particles", "particles", "%.0f"},
        {"seconds", "s", "%.3f"},
        {"processor_s", "processor, s", "%.3f"},
        {"without", "without walls, s", "%.3f"},
        {"triangles", "triangles made", "%.0f"},
    };
    px_report_table(bench->report, "walls", "particles near walls of triangles", columns,
                    PX_COUNT(columns));
    PX_TRY(measure_walls(bench, BOWL));
    PX_TRY(measure_walls(bench, BOWL_WITH_HANDLE));
    return measure_walls(bench, COLON);
}

/* ---- flicker ---- */

/* Pool of EDGE x EDGE x DEEP particles; heights are sampled SAMPLES a spacing, away from its sides.
 */
enum { EDGE = 30, DEEP = 5, BORDER = 7, PER_SPACING = 2, FRAMES = 9, DROPS = 40 };
enum { ACROSS = (EDGE - 2 * BORDER) * PER_SPACING };
/* Way of a frame, spacings: about that of films, and incommensurable with cells. */
static const double way[3] = {0.13, 0.11, 0.0707};

static PxStatus surface_of(PxBench *bench, const char *field, const Cloud *c, int frame,
                           PxSurfaceMesh **out)
{
    PxSurfaceDef def = px_surface_def_default();
    Cloud moved;
    def.field = field;
    def.threads = bench->threads.count;
    PX_TRY(cloud_room(&moved, c->count));
    for (int a = 0; a < 3; ++a)
        for (uint32_t i = 0; i < c->count; ++i)
            moved.x[a][i] = c->x[a][i] + (float)(SPACING * frame * way[a]);
    PxSurfaceParticles particles = {
        .count = c->count, .spacing = SPACING, .position = {moved.x[0], moved.x[1], moved.x[2]}};
    PxStatus status = px_surface_make(&def, &particles, out);
    cloud_free(&moved);
    return status;
}

/* Heights of the upper side at points that move along, spacings; NAN where there is none. */
static void sample_heights(const PxSurfaceMesh *mesh, int frame, double *height)
{
    for (int k = 0; k < ACROSS * ACROSS; ++k)
        height[k] = NAN;
    for (uint32_t t = 0; t < mesh->triangles; ++t) {
        double x[3], y[3], z[3];
        for (int c = 0; c < 3; ++c) { /* x and z in samples */
            const float *p = mesh->position[mesh->triangle[t][c]];
            x[c] = PER_SPACING * ((double)p[0] / SPACING - frame * way[0] - BORDER);
            y[c] = (double)p[1] / SPACING - frame * way[1];
            z[c] = PER_SPACING * ((double)p[2] / SPACING - frame * way[2] - BORDER);
        }
        double area = (z[1] - z[0]) * (x[2] - x[0]) - (x[1] - x[0]) * (z[2] - z[0]);
        if (!(area > 0)) /* seen from below */
            continue;
        int low[2] = {(int)ceil(fmin(x[0], fmin(x[1], x[2]))),
                      (int)ceil(fmin(z[0], fmin(z[1], z[2])))};
        int high[2] = {(int)floor(fmax(x[0], fmax(x[1], x[2]))),
                       (int)floor(fmax(z[0], fmax(z[1], z[2])))};
        for (int i = low[0] > 0 ? low[0] : 0; i <= high[0] && i < ACROSS; ++i)
            for (int j = low[1] > 0 ? low[1] : 0; j <= high[1] && j < ACROSS; ++j) {
                double u = ((j - z[0]) * (x[2] - x[0]) - (i - x[0]) * (z[2] - z[0])) / area;
                double v = ((z[1] - z[0]) * (i - x[0]) - (x[1] - x[0]) * (j - z[0])) / area;
                double at = y[0] + u * (y[1] - y[0]) + v * (y[2] - y[0]);
                if (u >= 0 && v >= 0 && u + v <= 1 && !(height[i * ACROSS + j] > at))
                    height[i * ACROSS + j] = at;
            }
    }
}

/* Root mean square of the heights about their mean, and of their changes. */
static PxStatus measure_pool(PxBench *bench, const char *field, double *bumps, double *flicker)
{
    Cloud c;
    static const int count = EDGE * EDGE * DEEP;
    double *height = px_allocate(NULL, 2 * sizeof *height * ACROSS * ACROSS), sum[3] = {0};
    double changes = 0, changed = 0, seen = 0;
    if (height == NULL)
        return px_fail(PX_ERR_MEMORY, "bench: no room for heights");
    PxStatus status = cloud_room(&c, (uint32_t)count);
    for (int i = 0; status == PX_OK && i < count; ++i)
        put(&c, (uint32_t)i,
            (const double[3]){i % EDGE, (double)(i / EDGE / EDGE), i / EDGE % EDGE});
    for (int frame = 0; frame < FRAMES && status == PX_OK; ++frame) {
        PxSurfaceMesh *mesh;
        double *now = height + (frame % 2) * ACROSS * ACROSS;
        const double *old = height + ((frame + 1) % 2) * ACROSS * ACROSS;
        status = surface_of(bench, field, &c, frame, &mesh);
        if (status != PX_OK)
            break;
        sample_heights(mesh, frame, now);
        px_surface_free(mesh);
        for (int k = 0; k < ACROSS * ACROSS; ++k) {
            if (isnan(now[k]))
                continue;
            seen += 1;
            sum[0] += now[k];
            sum[1] += now[k] * now[k];
            if (frame > 0 && !isnan(old[k])) {
                changes += (now[k] - old[k]) * (now[k] - old[k]);
                changed += 1;
            }
        }
    }
    *bumps = sqrt(fmax(0, sum[1] / seen - sum[0] / seen * (sum[0] / seen)));
    *flicker = sqrt(changes / changed);
    px_release(NULL, height, 0);
    cloud_free(&c);
    return status;
}

/* Root mean square of the relative change of the volume of drops of 1 to 4 particles. */
static PxStatus measure_drops(PxBench *bench, const char *field, double *flicker)
{
    double changes = 0;
    PxStatus status = PX_OK;
    for (uint32_t drop = 0; drop < DROPS && status == PX_OK; ++drop) {
        Cloud c;
        uint32_t count = 1 + drop % 4;
        double old = 0;
        status = cloud_room(&c, count);
        for (uint32_t i = 0; status == PX_OK && i < count; ++i)
            put(&c, i,
                (const double[3]){px_random_unit(drop, 4, 0) + i % 2, px_random_unit(drop, 4, 1),
                                  px_random_unit(drop, 4, 2) + (double)(i / 2)});
        for (int frame = 0; frame < FRAMES && status == PX_OK; ++frame) {
            PxSurfaceMesh *mesh;
            PxSurfaceMeasure is;
            status = surface_of(bench, field, &c, frame, &mesh);
            if (status != PX_OK)
                break;
            status = px_surface_measure(mesh, &is);
            px_surface_free(mesh);
            double change = frame > 0 ? (is.volume - old) / old : 0;
            changes += change * change;
            old = is.volume;
        }
        cloud_free(&c);
    }
    *flicker = sqrt(changes / (DROPS * (FRAMES - 1)));
    return status;
}

static PxStatus flicker(PxBench *bench)
{
    static const PxReportColumn columns[] = {
        {"field", "field", "%s"},
        {"bumps", "bumps, spacings", "%.4f"},
        {"flicker", "flicker, spacings", "%.4f"},
        {"drops", "flicker of drops, %", "%.2f"},
    };
    px_report_table(bench->report, "flicker",
                    "a pool of shaken particles, and drops, carried through the grid", columns,
                    PX_COUNT(columns));
    for (uint32_t k = 0; px_surface_field(k) != NULL; ++k) {
        const char *field = px_surface_field(k)->name;
        double bumps = 0, heights = 0, drops = 0;
        PX_TRY(px_bench_next(bench, "flicker: %s", field));
        PX_TRY(measure_pool(bench, field, &bumps, &heights));
        PX_TRY(measure_drops(bench, field, &drops));
        px_report_row(bench->report, field, bumps, heights, 100 * drops);
    }
    return PX_OK;
}

PxStatus px_bench_surface(PxBench *bench)
{
    static const PxReportColumn columns[] = {
        {"field", "field", "%s"},
        {"seconds", "s", "%.2f"},
        {"processor_s", "processor, s", "%.2f"},
        {"particles_per_second_thread", "particles/s a thread", "%.0f"},
        {"triangles", "triangles", "%.0f"},
        {"triangles_per_second", "triangles/s", "%.0f"},
        {"peak_gb", "peak GB so far", "%.2f"},
    };
    static const struct {
        const char *key, *what;
        PxStatus (*make)(Cloud *c, uint32_t count);
    } sets[] = {{"cube", "a shaken cube", make_cube}, {"splash", "a splash", make_splash}};
    uint32_t count = (uint32_t)fmin(1e6 * bench->def.scale, 4e8);
    for (size_t k = 0; k < PX_COUNT(sets); ++k) {
        Cloud cloud;
        char title[96];
        PX_TRY(sets[k].make(&cloud, count > 1000 ? count : 1000));
        snprintf(title, sizeof title, "%s of %u particles, cells of half a spacing", sets[k].what,
                 cloud.count);
        px_report_table(bench->report, sets[k].key, title, columns, PX_COUNT(columns));
        PxStatus status = measure(bench, sets[k].what, &cloud);
        cloud_free(&cloud);
        PX_TRY(status);
    }
    PX_TRY(flicker(bench));
    return walls(bench);
}
