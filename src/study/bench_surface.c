/// Bench of surfaces of a million particles for every field: time, triangles, memory.
///
/// Two sets of particles: a perturbed cube is nearly all interior, so that neighbourhoods take most
/// of the time; a splash, a thin sheet with drops above, is nearly all surface.
#include "study/bench.h"

#include "base/memory.h"
#include "base/profile.h"
#include "base/random.h"
#include "phyxel/surface.h"

#include <math.h>
#include <stdio.h>

#define SPACING 0.01

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
        double best = INFINITY;
        uint32_t triangles = 0;
        for (int n = 0; n < (bench->def.quick ? 1 : 3); ++n) {
            PxSurfaceMesh *mesh;
            PX_TRY(px_bench_next(bench, "%s of %u particles: %s", what, c->count, def.field));
            double began = px_clock();
            PX_TRY(px_surface_make(&def, &particles, &mesh));
            best = fmin(best, px_clock() - began);
            triangles = mesh->triangles;
            px_surface_free(mesh);
        }
        px_report_row(bench->report, def.field, best, c->count / best / bench->threads.count,
                      (double)triangles, triangles / best, px_bench_peak_memory() / 1e9);
    }
    return PX_OK;
}

PxStatus px_bench_surface(PxBench *bench)
{
    static const PxReportColumn columns[] = {
        {"field", "field", "%s"},
        {"seconds", "s", "%.2f"},
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
    return PX_OK;
}
