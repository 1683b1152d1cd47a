/// Bench of walls that are meshes: hash grid, tree, signed distance field and table against each
/// other, as in 002 Figure 8.1.
///
/// A colon of 500, 8,040 and 40,000 triangles with 500 to 16,000 particles, which fill 0.3 of it:
/// so the part of the particles that is near the wall, and the number of triangles around each, are
/// what a simulation of that size has. `walls` is the stage in which particles find the wall, with
/// all tables made; `step` is a whole step.
#include "study/bench.h"

#include "base/profile.h"
#include "study/colon_room.h"

#include <math.h>
#include <string.h>

typedef struct Search {
    const char *name;
    PxWallsDef walls;
} Search;

static const Search searches[] = {
    {"grid", {.search = PX_SEARCH_GRID, .radius = 0.5}},
    {"tree, longest", {.search = PX_SEARCH_TREE, .build = PX_WALL_TREE_LONGEST, .radius = 0.5}},
    {"tree, sum", {.search = PX_SEARCH_TREE, .build = PX_WALL_TREE_SUM, .radius = 0.5}},
    {"tree, larger", {.search = PX_SEARCH_TREE, .build = PX_WALL_TREE_LARGER, .radius = 0.5}},
    {"distance", {.search = PX_SEARCH_DISTANCE, .radius = 0.5}},
    {"table", {.search = PX_SEARCH_TABLE, .radius = 0.5}},
};

static double walls_seconds(const PxWorld *world)
{
    PxStage stage[64];
    size_t count = px_world_stages(world, stage, PX_COUNT(stage));
    for (size_t k = 0; k < count && k < PX_COUNT(stage); ++k)
        if (strcmp(stage[k].name, "walls") == 0)
            return stage[k].seconds;
    return 0;
}

static PxStatus measure(PxBench *bench, uint32_t triangles, uint32_t particles,
                        const Search *search)
{
    enum { WARM = 5, STEPS = 12 };
    PX_TRY(
        px_bench_next(bench, "%s, %u triangles, %u particles", search->name, triangles, particles));
    PxColonRoomDef def = {.triangles = triangles,
                          .particles = particles,
                          .full = 0.3,
                          .walls = search->walls,
                          .threads = bench->threads.count};
    PxColonRoom room;
    PX_TRY(px_colon_room(&room, &def));
    PxStatus status = PX_OK;
    double first = px_clock();
    for (int k = 0; status == PX_OK && k < WARM; ++k)
        status = px_world_step(room.world, 1e3);
    first = px_clock() - first;
    double least = INFINITY, least_walls = INFINITY;
    for (int k = 0; status == PX_OK && k < STEPS; ++k) {
        double began = px_clock(), before = walls_seconds(room.world);
        status = px_world_step(room.world, 1e3);
        least = fmin(least, px_clock() - began);
        least_walls = fmin(least_walls, walls_seconds(room.world) - before);
    }
    PxStats stats = {.step = 0};
    size_t bytes = px_world_bytes(room.world);
    px_world_stats(room.world, &stats);
    px_world_free(room.world);
    PX_TRY(status);
    px_report_row(bench->report, (double)room.triangles, (double)room.particles, search->name,
                  1e3 * least_walls, 1e6 * least_walls / room.particles, 1e3 * least,
                  1e3 * (first - WARM * least), (double)bytes / 1e6, (double)stats.leaked);
    return PX_OK;
}

PxStatus px_bench_mesh_walls(PxBench *bench)
{
    static const PxReportColumn columns[] = {
        {"triangles", "triangles", "%.0f"},
        {"particles", "particles", "%.0f"},
        {"search", "search", "%s"},
        {"walls_ms", "walls, ms", "%.3f"},
        {"walls_us", "us a particle", "%.3f"},
        {"step_ms", "step, ms", "%.2f"},
        {"first_ms", "first steps more, ms", "%.0f"},
        {"mb", "MB", "%.1f"},
        {"leaked", "leaked", "%.0f"},
    };
    static const uint32_t triangles[] = {500, 8040, 40000};
    static const uint32_t particles[] = {500, 1000, 2000, 4000, 8000, 16000};
    px_report_table(bench->report, "mesh_walls", "particles in a colon of triangles", columns,
                    PX_COUNT(columns));
    for (size_t t = 0; t < PX_COUNT(triangles); ++t)
        for (size_t p = 0; p < PX_COUNT(particles); ++p) {
            if (bench->def.quick && (p != 3 || t == 0))
                continue;
            for (size_t k = 0; k < PX_COUNT(searches); ++k)
                PX_TRY(measure(bench, triangles[t], particles[p], &searches[k]));
        }
    px_report_note(bench->report,
                   "Least of 12 steps. 002 measured whole updates with 500 triangles "
                   "and gave up at 40,000.");
    return PX_OK;
}
