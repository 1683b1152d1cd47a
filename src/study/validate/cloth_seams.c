/// Validation group: seams and tears of cloth.
#include "study/validate/validate.h"

#include "base/vec.h"
#include "phyxel/phyxel.h"
#include "study/cloth_room.h"

#include <math.h>
#include <string.h>

#define E 500.0     /* N/m */
#define MASS 0.2    /* kg/m^2 */
#define LENGTH 0.4  /* of strips, m */
#define WIDTH 0.1   /* m */
#define STRENGTH 30 /* N/m */
#define RATE 0.1    /* strain per second */

static PxMaterialDef linen(void)
{
    PxMaterialDef m = px_cloth_room_material(MASS);
    m.cloth.weft = m.cloth.warp = E;
    m.cloth.shear = 50;
    m.cloth.poisson = 0;
    m.cloth.limit = 10;
    return m;
}

/* Holds one end and pulls the other. */
static PxStatus pull(PxClothRoom *room)
{
    PxHandleDef def = px_handle_def_default();
    PxHandleId id;
    const PxKeyframe key[2] = {
        {.time = 0, .rotation = px_quat_identity()},
        {.time = 1, .at = {RATE * LENGTH, 0, 0}, .rotation = px_quat_identity()}};
    PX_TRY(px_cloth_room_hold(room, "pin", px_vec(-0.5 * LENGTH, 0, 0), px_vec(1e-3, 1, 1)));
    def.name = "pull";
    def.shape = px_shape_def_default(PX_SHAPE_BOX);
    def.shape.size = px_vec(1e-3, 1, 1);
    def.shape.at = px_vec(0.5 * LENGTH, 0, 0);
    def.keyframe = key;
    def.keyframes = 2;
    return px_world_add_handle(room->world, &def, &id);
}

/* The tension E e of the strain at which something first gives way. */
static PxStatus first_failure(PxClothRoom *room, double *out)
{
    PxStats stats = {0};
    while (stats.cloth_torn + stats.seams_ripped == 0 && stats.time < 1) {
        PX_TRY(px_world_step(room->world, 2));
        px_world_stats(room->world, &stats);
    }
    *out = E * RATE * stats.time;
    return PX_OK;
}

/* A strip is pulled until it tears. */
static PxStatus strip(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    PxClothRoom room;
    double cells = c->cells / coarser, tension = 0;
    PxStats stats = {0};
    PxMaterialDef m = linen();
    m.cloth.damping = 5;
    m.cloth.tear = STRENGTH;
    m.cloth.step = 0.002;
    PxShapeDef shape = px_cloth_room_sheet(LENGTH, WIDTH, 4 * cells, cells);
    PxStatus status = px_cloth_room(&room, px_vec(0, 0, 0), &m, &shape, threads);
    if (status == PX_OK)
        status = pull(&room);
    if (status == PX_OK)
        status = first_failure(&room, &tension);
    if (status == PX_OK)
        status = px_world_advance(room.world, 1);
    if (status == PX_OK) {
        px_world_stats(room.world, &stats);
        px_figures_compare(out, "tension when it tears, N/m", tension, STRENGTH, 0.05);
        px_figures_compare(out, "torn edges / cells across", (double)stats.cloth_torn / cells, 1,
                           0.05);
    }
    px_world_free(room.world);
    return status;
}

/* Two strips with different cells, end to end, sewn and pulled until the seam rips. */
static PxStatus seam(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    PxClothRoom room;
    PxBodyId other;
    double cells = c->cells / coarser, tension = 0;
    PxMaterialDef m = linen();
    m.cloth.damping = 5;
    m.cloth.step = 0.002;
    PxShapeDef shape = px_cloth_room_sheet(0.5 * LENGTH, WIDTH, 2 * cells, cells);
    shape.at = px_vec(-0.25 * LENGTH, 0, 0);
    PxStatus status = px_cloth_room(&room, px_vec(0, 0, 0), &m, &shape, threads);
    PxSeamDef def = px_seam_def_default();
    PxSeamId id;
    if (status == PX_OK) {
        PxBodyDef body = px_body_def_default();
        body.name = "other";
        status = px_world_find_material(room.world, m.name, &body.material);
        body.shape = px_cloth_room_sheet(0.5 * LENGTH, WIDTH, 10, 5);
        body.shape.at = px_vec(0.25 * LENGTH, 0, 0);
        if (status == PX_OK)
            status = px_world_add_body(room.world, &body, &other);
    }
    if (status == PX_OK) {
        def.name = "hem";
        def.from = room.sheet;
        def.to = other;
        def.within = 1e-3;
        def.time = 0;
        def.strength = STRENGTH;
        status = px_world_add_seam(room.world, &def, &id);
    }
    if (status == PX_OK)
        status = pull(&room);
    if (status == PX_OK)
        status = first_failure(&room, &tension);
    if (status == PX_OK)
        px_figures_compare(out, "tension when it rips, N/m", tension, STRENGTH, 0.05);
    px_world_free(room.world);
    return status;
}

/* Two panels are sewn in flight, with waves of velocity; momentum and energy after that. */
static PxStatus bag(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    PxClothRoom room;
    PxBodyId other;
    double cells = c->cells / coarser, first = 0, most = 0;
    PxStats start = {0}, stats = {0};
    PxMaterialDef m = linen();
    m.cloth.stiff_damping = 0;
    PxShapeDef shape = px_cloth_room_sheet(LENGTH, LENGTH, cells, cells);
    PxStatus status = px_cloth_room(&room, px_vec(0, 0, 0), &m, &shape, threads);
    if (status == PX_OK) {
        PxBodyDef body = px_body_def_default();
        body.name = "other";
        status = px_world_find_material(room.world, m.name, &body.material);
        body.shape = px_cloth_room_sheet(LENGTH, LENGTH, ceil(1.4 * cells), ceil(1.4 * cells));
        body.shape.at = px_vec(0, 0.05, 0);
        if (status == PX_OK)
            status = px_world_add_body(room.world, &body, &other);
    }
    if (status == PX_OK) {
        uint32_t count;
        double *const *x = px_cloth_room_column(&room, "position", &count);
        double *const *v = px_cloth_room_column(&room, "velocity", &count);
        for (uint32_t k = 0; k < count; ++k) {
            v[0][k] = 1 + 0.3 * sin(9 * x[2][k]);
            v[1][k] = 2 + 0.5 * sin(12 * x[0][k]);
        }
        px_world_stats(room.world, &start);
        PxSeamDef def = px_seam_def_default();
        PxSeamId id;
        def.name = "hem";
        def.from = room.sheet;
        def.to = other;
        def.time = 0.1;
        status = px_world_add_seam(room.world, &def, &id);
    }
    if (status == PX_OK)
        status = px_world_advance(room.world, 0.11);
    if (status == PX_OK) {
        px_world_stats(room.world, &stats);
        first = most = stats.cloth_kinetic + stats.cloth_elastic;
    }
    while (status == PX_OK && stats.time < 1) {
        status = px_world_step(room.world, 1);
        px_world_stats(room.world, &stats);
        most = fmax(most, stats.cloth_kinetic + stats.cloth_elastic);
    }
    if (status == PX_OK) {
        double lost = px_length(px_sub(stats.cloth_momentum, start.cloth_momentum)) /
                      px_length(start.cloth_momentum);
        px_figures_add(out, "momentum lost / momentum", lost, 0, lost, 1e-5);
        px_figures_add(out, "growth of energy when sewn", most / first - 1, 0, most / first - 1,
                       1e-4);
    }
    px_world_free(room.world);
    return status;
}

static const PxValidateCase cases[] = {
    {"strip that tears", strip, "-", NULL, 5, true, false},
    {"strip that tears", strip, "-", NULL, 10, true, false},
    {"seam that rips", seam, "-", NULL, 5, true, false},
    {"seam that rips", seam, "-", NULL, 9, true, false},
    {"panels sewn in flight", bag, "-", NULL, 10, true, false},
};

const PxValidateGroup px_validate_cloth_seams = {
    .title = "Seams and tears of cloth",
    .about = "- **Seams and tears of cloth**; \"spacings\" are cells across.\n"
             "  *Strip that tears*: 0.4 x 0.1 m, 500 N/m, strength 30 N/m, stretched by 0.1 a "
             "second; the tension of the strain when the first edge tears, and the edges that tore "
             "in all: one straight crack.\n"
             "  *Seam that rips*: two strips of half that length, the other one with 5 cells, "
             "sewn end to end with a strength of 30 N/m.\n"
             "  *Panels sewn in flight*: two of 0.4 m with 10 and 14 cells, 0.05 m apart and "
             "rippling, sewn in 0.1 s and followed for a second.\n",
    .cases = cases,
    .count = PX_COUNT(cases),
};
