#include "study/plate_jet.h"

#include "base/fail.h"
#include "base/vec.h"

#define DENSITY 1000. /* kg/m^3 */

PxPlateJetDef px_plate_jet_def_default(void)
{
    return (PxPlateJetDef){.pressure = "dfsph",
                           .width = 0.1,
                           .spacing = 0.0125,
                           .speed = 4,
                           .above = 3,
                           .plate = 8,
                           .settle = 0.1,
                           .seconds = 0.4};
}

/* The jet points down along -y and starts some widths above the plate; four sinks around it remove
 * water that flows off its edge. */
static PxStatus make(const PxPlateJetDef *def, PxWorld **out, PxBodyId *plate)
{
    double w = def->width, half = 0.5 * def->plate * w;
    PxWorldDef world = px_world_def_default();
    world.spacing = def->spacing;
    world.gravity = (PxVec3){0, 0, 0};
    world.threads = def->threads;
    PX_TRY(px_world_create(&world, out));
    PxMaterialDef water = px_material_def_default();
    water.density = DENSITY;
    water.viscosity = 0;
    water.pressure = px_pressure_choice(def->pressure);
    PxEmitterDef jet = px_emitter_def_default();
    PX_TRY(px_world_add_material(*out, &water, &jet.material));
    jet.name = "jet";
    jet.shape = px_shape_def_default(PX_SHAPE_BOX);
    jet.shape.size = (PxVec3){w, w, w};
    jet.shape.at = (PxVec3){0, (def->above + 0.5) * w, 0};
    jet.direction = (PxVec3){0, -1, 0};
    jet.speed = def->speed;
    PX_TRY(px_world_add_emitter(*out, &jet, NULL));
    PxBodyDef wall = px_body_def_default();
    wall.name = "plate";
    wall.wall = true;
    wall.shape = px_shape_def_default(PX_SHAPE_BOX);
    wall.shape.size = (PxVec3){2 * half, w, 2 * half};
    wall.shape.at = (PxVec3){0, -0.5 * w, 0};
    PX_TRY(px_world_add_body(*out, &wall, plate));
    static const PxVec3 side[4] = {{1, 0, 0}, {-1, 0, 0}, {0, 0, 1}, {0, 0, -1}};
    static const char *const name[4] = {"right", "left", "front", "back"};
    for (int k = 0; k < 4; ++k) {
        PxSinkDef sink = px_sink_def_default();
        bool along_x = side[k].x != 0;
        sink.name = name[k];
        sink.shape = px_shape_def_default(PX_SHAPE_BOX);
        sink.shape.size =
            (PxVec3){along_x ? w : 2 * half + 2 * w, 8 * w, along_x ? 2 * half + 2 * w : w};
        sink.shape.at = px_scale(side[k], half + 0.5 * w);
        PX_TRY(px_world_add_sink(*out, &sink, NULL));
    }
    return PX_OK;
}

/* The mean force on the plate over the last `seconds`, by a gauge. */
static PxStatus measure(PxWorld *world, const PxPlateJetDef *def, PxBodyId plate,
                        PxPlateJetResult *out)
{
    double to = def->above * def->width / def->speed + def->settle + def->seconds;
    double wanted = DENSITY * def->width * def->width * def->speed * def->speed;
    PxGaugeDef gauge = px_gauge_def_default();
    gauge.name = "force";
    gauge.measures = PX_GAUGE_FORCE;
    gauge.place = PX_GAUGE_WHOLE;
    gauge.body = plate;
    gauge.over = def->seconds;
    gauge.every = to;
    PxGaugeId id;
    PxGaugeSample sample;
    PxStats stats;
    double value[6];
    PX_TRY(px_world_add_gauge(world, &gauge, &id));
    PX_TRY(px_world_advance(world, to));
    PX_TRY(px_world_read_gauge(world, id, value, 6, &sample));
    if (sample.number == 0)
        return px_fail(PX_ERR_NUMERIC, "jet on a plate: the gauge took no sample");
    px_world_stats(world, &stats);
    out->force = -value[1] / wanted;
    out->across = px_length(px_vec(value[0], 0, value[2])) / wanted;
    out->leaked = stats.leaked;
    return PX_OK;
}

PxStatus px_plate_jet(const PxPlateJetDef *def, PxPlateJetResult *out)
{
    *out = (PxPlateJetResult){0};
    PxWorld *world = NULL;
    PxBodyId plate;
    PxStatus status = make(def, &world, &plate);
    if (status == PX_OK)
        status = measure(world, def, plate, out);
    px_world_free(world);
    return status;
}
