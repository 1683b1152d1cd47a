/// Bench of cloth: the drape of 004, the sheet over a ball that Blender was timed with, and 100,000
/// triangles.
///
/// Times are wall clock, of all steps of a case; references are those of docs/decisions.md.
#include "study/bench.h"

#include "base/profile.h"
#include "base/vec.h"
#include "phyxel/world.h"
#include "study/cloth_room.h"

#include <math.h>
#include <time.h>

typedef enum Under { BOX, BALL } Under;

static const char *const parts[] = {"box", "blender", "self", "fine1", "fine2"};

typedef struct Setup {
    const char *name;
    double side, cells; /* of the sheet, m */
    Under under;
    double size;         /* radius or half the side of what is under it, m */
    double young, shear; /* N/m */
    double bend;         /* N m */
    double mass, thickness;
    double step;
    bool collides;
    double frame, frames;  /* s; number of them */
    double wanted, theirs; /* s a frame; theirs is of the document or of Blender */
} Setup;

/* 004: 6326 faces over a box, 0.5 s at 1 ms took 26.8 s; here a frame is a step. Blender 3.4: a
 * sheet of 2 m in 100 x 100 quads over a ball, quality 5, which is five steps a frame, 24 frames a
 * second, with self-collision at 5 mm (bench/blender_cloth.py). */
static const Setup setups[] = {
    {"004, box", 1, 56, BOX, 0.25, 400, 50, 3e-5, 0.23, 0.004, 1e-3, false, 1e-3, 500, 5e-3, 54e-3},
    {"Blender's", 2, 100, BALL, 0.5, 500, 50, 5e-5, 0.3, 0.005, 1 / 120.0, false, 1 / 24.0, 24,
     0.41 / 3, 0.41},
    {"Blender's", 2, 100, BALL, 0.5, 500, 50, 5e-5, 0.3, 0.005, 1 / 120.0, true, 1 / 24.0, 24,
     0.61 / 3, 0.61},
    {"100,000, 1 m", 1, 224, BALL, 0.5, 500, 50, 5e-5, 0.3, 0.004, 1e-3, false, 1e-3, 100, 0.1,
     NAN},
    {"100,000, 2 m", 2, 224, BALL, 0.5, 500, 50, 5e-5, 0.3, 0.01, 1e-3, false, 1e-3, 100, 0.1, NAN},
};

typedef struct Timing {
    double took, worst; /* s a frame */
    double processor;   /* time of all threads, the same */
    double steps, iterations;
    double triangles, crossed, inside, depth, strain;
} Timing;

static PxStatus build(const Setup *s, int threads, PxClothRoom *room)
{
    PxMaterialDef m = px_cloth_room_material(s->mass);
    m.friction = 0.4;
    m.cloth.weft = m.cloth.warp = s->young;
    m.cloth.shear = s->shear;
    m.cloth.bend = s->bend;
    m.cloth.thickness = s->thickness;
    m.cloth.step = s->step * (1 + 1e-6); /* times of frames are rounded */
    m.cloth.self_collision = s->collides;
    PxShapeDef sheet = px_cloth_room_sheet(s->side, s->side, s->cells, s->cells);
    PxShapeDef under = px_shape_def_default(s->under == BOX ? PX_SHAPE_BOX : PX_SHAPE_SPHERE);
    sheet.at = px_vec(0, s->size + 0.5 * s->thickness + 1e-4, 0); /* it touches at once */
    under.size = px_vec(2 * s->size, 2 * s->size, 2 * s->size);
    under.radius = s->size;
    PX_TRY(px_cloth_room(room, px_vec(0, -9.81, 0), &m, &sheet, threads));
    return px_cloth_room_wall(room, &under, 0.4);
}

/* Vertices inside the ball, and how deep middles of edges reach into it. */
static void count_inside(const PxClothRoom *room, const Setup *s, Timing *t)
{
    uint32_t count;
    double *const *x = px_cloth_room_column(room, "position", &count);
    uint32_t side = (uint32_t)s->cells + 1;
    for (uint32_t k = 0; k < count; ++k) {
        PxVec3 a = px_vec(x[0][k], x[1][k], x[2][k]);
        t->inside += px_length(a) < s->size;
        if (k + 1 >= count || (k + 1) % side == 0)
            continue;
        PxVec3 b = px_vec(x[0][k + 1], x[1][k + 1], x[2][k + 1]);
        t->depth = fmax(t->depth, s->size - px_length(px_scale(px_add(a, b), 0.5)));
    }
}

static PxStatus measure(PxBench *bench, const Setup *s, Timing *t)
{
    PxClothRoom room = {.world = NULL};
    PxStats stats = {0};
    double frames = bench->def.quick ? ceil(0.1 * s->frames) : s->frames;
    *t = (Timing){.triangles = 2 * s->cells * s->cells};
    PxStatus status = px_bench_next(bench, "%s, %.0f triangles%s", s->name, t->triangles,
                                    s->collides ? ", with itself" : "");
    if (status == PX_OK)
        status = build(s, bench->threads.count, &room);
    for (double k = 1; k <= frames && status == PX_OK; ++k) {
        double began = px_clock();
        clock_t used = clock();
        while (status == PX_OK && px_world_time(room.world) < (k - 1e-6) * s->frame) {
            status = px_world_step(room.world, k * s->frame);
            px_world_stats(room.world, &stats);
            t->iterations += (double)stats.cloth_iterations;
            t->steps += 1;
        }
        double took = px_clock() - began;
        t->took += took / frames;
        t->processor += (double)(clock() - used) / CLOCKS_PER_SEC / frames;
        t->worst = fmax(t->worst, took);
        t->strain = fmax(t->strain, stats.cloth_strain);
    }
    t->crossed = (double)stats.cloth_crossed;
    if (status == PX_OK && s->under == BALL)
        count_inside(&room, s, t);
    px_world_free(room.world);
    return status;
}

PxStatus px_bench_cloth(PxBench *bench)
{
    static const PxReportColumn columns[] = {
        {"case", "case", "%s"},
        {"triangles", "triangles", "%.0f"},
        {"self", "with itself", "%s"},
        {"step_ms", "step, ms", "%.3g"},
        {"frame_s", "frame, s", "%.3g"},
        {"worst_s", "slowest", "%.3g"},
        {"processor_s", "processor, s", "%.3g"},
        {"wanted_s", "wanted", "%.3g"},
        {"reference_s", "reference", "%.3g"},
        {"ratio", "times as fast", "%.3g"},
        {"iterations", "iterations a step", "%.0f"},
        {"crossed", "crossed", "%.0f"},
        {"inside", "vertices inside", "%.0f"},
        {"depth_mm", "edges, mm deep", "%.2g"},
        {"strain", "largest strain", "%.2g"},
    };
    px_report_table(bench->report, "cloth", "sheets that fall on a box and on balls", columns,
                    PX_COUNT(columns));
    bool wanted[PX_COUNT(setups)];
    PX_TRY(px_bench_choose(bench, "cloth", parts, PX_COUNT(parts), wanted));
    for (size_t k = 0; k < PX_COUNT(setups); ++k) {
        const Setup *s = &setups[k];
        Timing t;
        if (!wanted[k])
            continue;
        double frames = bench->def.quick ? ceil(0.1 * s->frames) : s->frames;
        PX_TRY(measure(bench, s, &t));
        px_report_row(bench->report, s->name, t.triangles, s->collides ? "yes" : "no",
                      1e3 * t.took * frames / t.steps, t.took, t.worst, t.processor, s->wanted,
                      s->theirs, s->theirs / t.took, t.iterations / t.steps, t.crossed,
                      s->under == BALL ? t.inside : NAN, s->under == BALL ? 1e3 * t.depth : NAN,
                      t.strain);
    }
    px_report_note(
        bench->report,
        "\nA frame is 1/24 s in the cases of Blender, and one step of 1 ms in the others. Times "
        "include "
        "statistics of each step;\nprocessor is the time of all threads. "
        "References: 004 (54 ms a step),\nBlender 3.4 on 2 cores (0.41 s, with itself "
        "0.61 s); bench/blender_cloth.py times it. Crossed: vertices inside a wall after\na step, "
        "and crossings of cloth with cloth. Edges, mm deep: of their middles in the "
        "ball.\n");
    return PX_OK;
}
