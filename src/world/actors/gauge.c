#include "world/actors/gauge.h"

#include "matter/pose.h"
#include "world/kinds/kind.h"
#include "world/world_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the state of a gauge ------------------------------------------------------------------ */

/* Numbers of PxGauge.state: these, then four for each channel. */
enum {
    START, /* s, from which samples are counted */
    COUNT, /* samples so far */
    TIME,  /* end of the last sample, s */
    KNOWN, /* 1: the next six are the momenta of a body after the last step */
    LAST,  /* momentum, angular momentum about the centre of mass */
    HEAD = LAST + 6,
    SUM = 0, /* of a channel: integral over the present mean, */
    WEIGHT,  /* the time in which it had a value, s, */
    SAMPLE,  /* the last sample, */
    SAMPLED, /* 1: it has a value */
    EACH
};

static double *channel_of(const PxGauge *gauge, size_t k)
{
    return gauge->state + HEAD + EACH * k;
}

static void start_anew(PxGauge *gauge)
{
    for (size_t k = 0; k < gauge->channels; ++k)
        channel_of(gauge, k)[SUM] = channel_of(gauge, k)[WEIGHT] = 0;
}

/* ---- what and where ------------------------------------------------------------------------ */

static const char *const quantity_word[] = {
    "pressure", "velocity", "temperature", "level", "flux", "force", "heat", "energy", "momentum"};
static const char *const place_word[] = {"a body, handle or heater", "a point", "a line",
                                         "a plane"};

static bool may_be_at(const PxGaugeDef *def)
{
    PxGaugePlace at = def->place;
    switch (def->measures) {
    case PX_GAUGE_PRESSURE:
    case PX_GAUGE_VELOCITY:
    case PX_GAUGE_TEMPERATURE:
        return true;
    case PX_GAUGE_LEVEL:
        return at == PX_GAUGE_POINT || at == PX_GAUGE_LINE;
    case PX_GAUGE_FLUX:
        return at == PX_GAUGE_PLANE;
    case PX_GAUGE_FORCE:
    case PX_GAUGE_HEAT:
    case PX_GAUGE_ENERGY:
    case PX_GAUGE_MOMENTUM:
        return at == PX_GAUGE_WHOLE;
    }
    return false;
}

static PxStatus check_things(const PxGaugeDef *def)
{
    const char *word = quantity_word[def->measures];
    bool body = def->body.slot != 0, handle = def->handle.slot != 0, heater = def->heater.slot != 0;
    if (handle && def->measures != PX_GAUGE_FORCE)
        return px_fail(PX_ERR_ARGUMENT, "it measures %s: only force is measured on a handle", word);
    if (heater && def->measures != PX_GAUGE_HEAT)
        return px_fail(PX_ERR_ARGUMENT, "it measures %s: only heat is measured of a heater", word);
    if (def->place != PX_GAUGE_WHOLE)
        return PX_OK;
    if (body + handle + heater != 1)
        return px_fail(PX_ERR_ARGUMENT, "it measures %s of %d things, wanted one: a body%s%s", word,
                       body + handle + heater,
                       def->measures == PX_GAUGE_FORCE  ? " or a handle"
                       : def->measures == PX_GAUGE_HEAT ? " or a heater"
                                                        : "",
                       def->measures < PX_GAUGE_FLUX ? ", or a place \"at\"" : "");
    return PX_OK;
}

PxStatus px_gauge_check(const PxGaugeDef *def)
{
    if ((unsigned)def->measures >= PX_COUNT(quantity_word) ||
        (unsigned)def->place >= PX_COUNT(place_word))
        return px_fail(PX_ERR_ARGUMENT, "quantity %d at place %d, wanted at most %zu and %zu",
                       (int)def->measures, (int)def->place, PX_COUNT(quantity_word) - 1,
                       PX_COUNT(place_word) - 1);
    if (!may_be_at(def))
        return px_fail(PX_ERR_ARGUMENT, "%s cannot be measured at %s", quantity_word[def->measures],
                       place_word[def->place]);
    PX_TRY(check_things(def));
    if (def->over > def->every * (1 + 1e-9))
        return px_fail(
            PX_ERR_ARGUMENT,
            "its mean is over %g s, longer than the time between samples, \"every\" %g s",
            def->over, def->every);
    if (def->place == PX_GAUGE_PLANE && !(px_length(def->normal) > 0))
        return px_fail(PX_ERR_ARGUMENT, "the normal of its plane is zero");
    if (def->place == PX_GAUGE_PLANE && !(def->width > 0 && def->height > 0))
        return px_fail(PX_ERR_ARGUMENT, "its plane is %g m by %g m, wanted more than 0", def->width,
                       def->height);
    if (def->place == PX_GAUGE_LINE && !(px_length(px_sub(def->to, def->at)) > 0))
        return px_fail(PX_ERR_ARGUMENT, "its line has no length: it ends where it begins");
    return PX_OK;
}

static size_t components(const PxGaugeDef *def)
{
    static const size_t count[] = {
        [PX_GAUGE_PRESSURE] = 1, [PX_GAUGE_VELOCITY] = 3, [PX_GAUGE_TEMPERATURE] = 1,
        [PX_GAUGE_LEVEL] = 1,    [PX_GAUGE_FLUX] = 2,     [PX_GAUGE_FORCE] = 6,
        [PX_GAUGE_HEAT] = 1,     [PX_GAUGE_ENERGY] = 3,   [PX_GAUGE_MOMENTUM] = 6};
    return count[def->measures];
}

size_t px_gauge_channels(const PxGaugeDef *def)
{
    return components(def) * (def->place == PX_GAUGE_LINE ? (size_t)def->samples : 1);
}

size_t px_gauge_points(const PxGaugeDef *def)
{
    size_t along = (size_t)def->samples;
    return def->place == PX_GAUGE_LINE    ? along
           : def->place == PX_GAUGE_PLANE ? along * along
           : def->place == PX_GAUGE_POINT ? 1
                                          : 0;
}

void px_gauge_axes(const PxGaugeDef *def, PxVec3 up, PxVec3 axis[3])
{
    axis[2] = px_normalized(def->normal, px_vec(0, 1, 0));
    PxVec3 along = fabs(px_dot(up, axis[2])) < 0.9 ? up : px_vec(0, 0, 1);
    if (fabs(px_dot(along, axis[2])) > 0.9) /* up is z */
        along = px_vec(0, 1, 0);
    axis[1] = px_normalized(px_mad(along, axis[2], -px_dot(along, axis[2])), along);
    axis[0] = px_cross(axis[1], axis[2]);
}

PxVec3 px_gauge_point(const PxGaugeDef *def, PxVec3 up, size_t k)
{
    size_t along = (size_t)def->samples;
    if (def->place == PX_GAUGE_LINE)
        return along > 1
                   ? px_mad(def->at, px_sub(def->to, def->at), (double)k / (double)(along - 1))
                   : px_scale(px_add(def->at, def->to), 0.5);
    if (def->place != PX_GAUGE_PLANE)
        return def->at;
    PxVec3 axis[3];
    px_gauge_axes(def, up, axis);
    double u = ((double)(k % along) + 0.5) / (double)along - 0.5;
    double v = ((double)(k / along) + 0.5) / (double)along - 0.5;
    return px_mad(px_mad(def->at, axis[0], u * def->width), axis[1], v * def->height);
}

/* ---- adding, changing ---------------------------------------------------------------------- */

static PxGaugeDef gauge_def_defaults(void)
{
    return (PxGaugeDef){.name = "",
                        .place = PX_GAUGE_POINT,
                        .samples = 10,
                        .width = 1,
                        .height = 1,
                        .normal = {0, 1, 0},
                        .over = 1 / 30.0,
                        .every = 1 / 30.0};
}

PX_DEF(PxGaugeDef, gauge_def, "gauge")

PX_KIND_WORLD(Gauge, gauge)

/* Depth, in spacings, up to which a point counts as on the surface of a wall. */
#define ON_WALL 1e-3

bool px_gauge_in_wall(const PxGaugeDef *def, PxVec3 up, const PxWall *wall, size_t walls,
                      double time, double spacing, PxInWall *out)
{
    size_t points = px_gauge_points(def), inside = 0;
    for (size_t k = 0; k < points; ++k) {
        PxVec3 x = px_gauge_point(def, up, k);
        bool in = false;
        for (size_t w = 0; w < walls && !in; ++w) {
            PxPose pose = px_pose_at(wall[w].key, wall[w].keys, time);
            if (px_wall_moving(&wall[w]) != NULL)
                px_moving_mesh_set(px_wall_moving(&wall[w]), time, 0);
            double depth =
                -px_wall_distance(&wall[w], 0, px_pose_to_rest(&pose, wall[w].pivot, x), NULL);
            in = depth > ON_WALL * spacing;
            inside += in;
            if (in)
                *out = (PxInWall){x, w, depth};
            if (in && (def->place != PX_GAUGE_PLANE || inside == points))
                return true;
        }
    }
    return false;
}

static PxStatus check_walls(const PxWorld *world, const PxGaugeDef *def, PxVec3 up)
{
    PxInWall in;
    if (!px_gauge_in_wall(def, up, world->walls.data, world->walls.count, world->state.time,
                          world->def.spacing, &in))
        return PX_OK;
    return px_fail(
        PX_ERR_ARGUMENT, "its %s (%g, %g, %g) is %.3g m inside the wall '%s', where no matter is",
        def->place == PX_GAUGE_PLANE ? "whole plane with" : "point", in.at.x, in.at.y, in.at.z,
        in.depth, world->bodies.data[world->walls.data[in.wall].boundary.body].name);
}

PxStatus px_gauge_check_body(const PxGaugeDef *def, const PxBodyDef *body)
{
    if (def->measures == PX_GAUGE_HEAT && !(body->wall && body->warm))
        return px_fail(PX_ERR_ARGUMENT,
                       "the body '%s' %s: heat is measured of walls with a temperature and of "
                       "heaters",
                       body->name, body->wall ? "is a wall without a temperature" : "is no wall");
    if (body->wall && def->measures != PX_GAUGE_HEAT && def->measures != PX_GAUGE_FORCE)
        return px_fail(PX_ERR_ARGUMENT,
                       "the body '%s' is a wall, which has no matter: no %s of it can be measured",
                       body->name, quantity_word[def->measures]);
    if (body->rigid && !body->wall && def->place == PX_GAUGE_WHOLE &&
        (def->measures == PX_GAUGE_TEMPERATURE || def->measures == PX_GAUGE_PRESSURE))
        return px_fail(PX_ERR_ARGUMENT,
                       "the body '%s' is rigid: of these velocity, force, energy and momentum are "
                       "measured, no %s",
                       body->name, quantity_word[def->measures]);
    return PX_OK;
}

static PxStatus check_found(const PxWorld *world, const PxGaugeDef *def)
{
    uint32_t slot;
    if (def->handle.slot != 0)
        PX_TRY(PX_SLOT_FIND(&world->handles, def->handle, "handle", &slot));
    if (def->heater.slot != 0)
        PX_TRY(PX_SLOT_FIND(&world->heaters, def->heater, "heater", &slot));
    if (def->body.slot == 0)
        return PX_OK;
    PX_TRY(PX_SLOT_FIND(&world->bodies, def->body, "body", &slot));
    PxBodyDef body = world->bodies.data[slot].def;
    body.name = world->bodies.data[slot].name;
    return px_gauge_check_body(def, &body);
}

PxVec3 px_gauge_up(PxVec3 gravity)
{
    return px_normalized(px_scale(gravity, -1), px_vec(0, 1, 0));
}

PxStatus px_gauge_make(PxWorld *world, const void *given, void *thing)
{
    const PxGaugeDef *def = given;
    PxGauge *gauge = thing;
    const char *name = gauge->name;
    if (strpbrk(name, ",\"\r\n[]") != NULL)
        return px_fail(PX_ERR_ARGUMENT, "its name has a comma, a quote, a bracket or a line break, "
                                        "which a column of gauges.csv cannot have");
    PX_TRY(px_gauge_check(def));
    PX_TRY(check_found(world, def));
    gauge->up = px_gauge_up(world->def.gravity);
    PX_TRY(check_walls(world, def, gauge->up));
    gauge->channels = px_gauge_channels(def);
    gauge->numbers = HEAD + EACH * gauge->channels;
    gauge->state = calloc(gauge->numbers, sizeof *gauge->state);
    if (gauge->state == NULL)
        return px_fail(PX_ERR_MEMORY, "no room for %zu values", gauge->channels);
    gauge->state[START] = world->state.time;
    return PX_OK;
}

PxStatus px_gauge_changed(PxWorld *world, size_t slot, const char *key)
{
    (void)key;
    PxGauge *gauge = &world->gauges.data[slot];
    PX_TRY(px_gauge_check(&gauge->def));
    PX_TRY(check_walls(world, &gauge->def, gauge->up));
    start_anew(gauge);
    return PX_OK;
}

PxStatus px_world_move_gauge(PxWorld *world, PxGaugeId id, PxVec3 at)
{
    PX_WANT(world);
    uint32_t slot;
    PX_TRY(PX_SLOT_FIND(&world->gauges, id, "gauge", &slot));
    PxGauge *gauge = &world->gauges.data[slot];
    PxGaugeDef moved = gauge->def;
    if (!px_finite(at))
        return px_fail(PX_ERR_ARGUMENT, "gauge '%s': the new place (%g, %g, %g) is not finite",
                       gauge->name, at.x, at.y, at.z);
    if (moved.place == PX_GAUGE_WHOLE)
        return px_fail(PX_ERR_ARGUMENT, "gauge '%s' has no place: it measures a whole body",
                       gauge->name);
    moved.to = px_add(moved.to, px_sub(at, moved.at));
    moved.at = at;
    PxStatus status = px_section_check(&px_gauge_kind.section, &moved, "its numbers");
    if (status == PX_OK)
        status = check_walls(world, &moved, gauge->up);
    if (status != PX_OK)
        return px_fail_prefix(status, "gauge '%s': ", gauge->name);
    gauge->def = moved;
    start_anew(gauge);
    return PX_OK;
}

/* ---- reading ------------------------------------------------------------------------------- */

PxStatus px_world_read_gauge_sized(const PxWorld *world, PxGaugeId id, double *value, size_t most,
                                   PxGaugeSample *out, size_t size)
{
    PX_WANT(world);
    PX_WANT(out);
    if (most > 0)
        PX_WANT(value);
    uint32_t slot;
    PX_TRY(PX_SLOT_FIND(&world->gauges, id, "gauge", &slot));
    const PxGauge *gauge = &world->gauges.data[slot];
    PxGaugeSample sample = {.time = gauge->state[TIME],
                            .number = (uint64_t)gauge->state[COUNT],
                            .values = gauge->channels};
    for (size_t k = 0; k < gauge->channels && k < most; ++k) {
        const double *c = channel_of(gauge, k);
        value[k] = c[SAMPLED] > 0 ? c[SAMPLE] : NAN;
    }
    px_result_put(out, size, 0, &sample, sizeof sample);
    return PX_OK;
}

PxStatus px_world_gauge_column(const PxWorld *world, PxGaugeId id, size_t k, char name[96],
                               const char **unit)
{
    static const char *const part[][6] = {
        [PX_GAUGE_PRESSURE] = {""},
        [PX_GAUGE_VELOCITY] = {".x", ".y", ".z"},
        [PX_GAUGE_TEMPERATURE] = {""},
        [PX_GAUGE_LEVEL] = {""},
        [PX_GAUGE_FLUX] = {".volume", ".mass"},
        [PX_GAUGE_FORCE] = {".x", ".y", ".z", ".torque_x", ".torque_y", ".torque_z"},
        [PX_GAUGE_HEAT] = {""},
        [PX_GAUGE_ENERGY] = {".kinetic", ".potential", ".elastic"},
        [PX_GAUGE_MOMENTUM] = {".x", ".y", ".z", ".angular_x", ".angular_y", ".angular_z"}};
    static const char *const units[][2] = {[PX_GAUGE_PRESSURE] = {"Pa", "Pa"},
                                           [PX_GAUGE_VELOCITY] = {"m/s", "m/s"},
                                           [PX_GAUGE_TEMPERATURE] = {"degrees C", "degrees C"},
                                           [PX_GAUGE_LEVEL] = {"m", "m"},
                                           [PX_GAUGE_FLUX] = {"m^3/s", "kg/s"},
                                           [PX_GAUGE_FORCE] = {"N", "N m"},
                                           [PX_GAUGE_HEAT] = {"W", "W"},
                                           [PX_GAUGE_ENERGY] = {"J", "J"},
                                           [PX_GAUGE_MOMENTUM] = {"kg m/s", "kg m^2/s"}};
    PX_WANT(world);
    PX_WANT(name);
    PX_WANT(unit);
    uint32_t slot;
    PX_TRY(PX_SLOT_FIND(&world->gauges, id, "gauge", &slot));
    const PxGauge *gauge = &world->gauges.data[slot];
    PxGaugeQuantity what = gauge->def.measures;
    if (k >= gauge->channels)
        return px_fail(PX_ERR_ARGUMENT, "gauge '%s' has %zu values, wanted number %zu", gauge->name,
                       gauge->channels, k);
    size_t each = components(&gauge->def);
    char number[24] = "";
    if (gauge->def.place == PX_GAUGE_LINE)
        snprintf(number, sizeof number, ".%zu", k / each + 1);
    snprintf(name, 96, "%s%s%s", gauge->name, number, part[what][k % each]);
    *unit = units[what][each > 1 && k % each >= (each + 1) / 2 && what != PX_GAUGE_VELOCITY];
    return PX_OK;
}

size_t px_world_gauge_count(const PxWorld *world)
{
    size_t count = 0;
    for (size_t k = 0; k < world->gauges.count; ++k)
        count += world->gauges.data[k].live;
    return count;
}

/* ---- means --------------------------------------------------------------------------------- */

PxStatus px_gauges_begin(PxWorld *world)
{
    world->gauging = NULL;
    world->readings.count = world->reading_values.count = 0;
    size_t gauges = 0, readings = 0, values = 0;
    bool flux = false, elastic = false, handles = false, heat = false;
    for (size_t k = 0; k < world->gauges.count; ++k) {
        const PxGauge *gauge = &world->gauges.data[k];
        if (!gauge->live)
            continue;
        size_t samples = (size_t)(world->dt / gauge->def.every) + 2;
        ++gauges;
        readings += samples;
        values += samples * gauge->channels;
        flux |= gauge->def.measures == PX_GAUGE_FLUX;
        elastic |= gauge->def.measures == PX_GAUGE_ENERGY;
        handles |= gauge->def.handle.slot != 0;
        heat |= gauge->def.measures == PX_GAUGE_HEAT;
    }
    if (gauges == 0)
        return PX_OK;
    PxArena *scratch = &world->scratch;
    uint32_t n = world->particles.table.count;
    PxGaugeStep *g = PX_ARENA_ARRAY(scratch, PxGaugeStep, 1);
    double **now = PX_ARENA_ARRAY(scratch, double *, world->gauges.count);
    bool room = g != NULL && now != NULL && PX_LIST_RESERVE(&world->readings, readings) &&
                PX_LIST_RESERVE(&world->reading_values, values);
    if (!room)
        return px_fail(PX_ERR_MEMORY, "gauges: no room for %zu values", values);
    *g = (PxGaugeStep){.now = now};
    for (size_t k = 0; k < world->gauges.count && room; ++k) {
        size_t channels = world->gauges.data[k].channels;
        now[k] = PX_ARENA_ARRAY(scratch, double, channels + 1);
        room = now[k] != NULL;
        for (size_t c = 0; c < channels && room; ++c)
            now[k][c] = NAN;
    }
    for (int c = 0; c < 3 && flux && room; ++c) {
        const float *x = c == 0   ? world->particles.x
                         : c == 1 ? world->particles.y
                                  : world->particles.z;
        g->before[c] = PX_ARENA_ARRAY(scratch, float, n);
        room = g->before[c] != NULL;
        if (room)
            memcpy(g->before[c], x, n * sizeof *x);
    }
    if (elastic && room)
        room = (g->elastic = PX_ARENA_ARRAY(scratch, double, world->bodies.count)) != NULL;
    if (handles && room) {
        g->force = PX_ARENA_ARRAY(scratch, PxVec3, world->handles.count);
        g->torque = PX_ARENA_ARRAY(scratch, PxVec3, world->handles.count);
        room = g->force != NULL && g->torque != NULL;
    }
    if (heat && room) {
        g->wall_heat = PX_ARENA_ARRAY(scratch, double, world->bodies.count + 1);
        g->heater_heat = PX_ARENA_ARRAY(scratch, double, world->heaters.count + 1);
        room = g->wall_heat != NULL && g->heater_heat != NULL;
    }
    if (!room)
        return px_fail(PX_ERR_MEMORY, "gauges: no room for %u particles", n);
    for (size_t k = 0; k < world->bodies.count; ++k) {
        if (g->elastic != NULL)
            g->elastic[k] = 0;
        if (g->wall_heat != NULL)
            g->wall_heat[k] = 0;
    }
    for (size_t k = 0; k < world->handles.count && g->force != NULL; ++k)
        g->force[k] = g->torque[k] = px_vec(0, 0, 0);
    for (size_t k = 0; k < world->heaters.count && g->heater_heat != NULL; ++k)
        g->heater_heat[k] = 0;
    world->gauging = g;
    return PX_OK;
}

/* Ends a mean at `time`. */
static void finish(PxWorld *world, uint32_t slot, double time)
{
    PxGauge *gauge = &world->gauges.data[slot];
    PxReading reading = {time, slot, world->reading_values.count};
    ++gauge->state[COUNT];
    gauge->state[TIME] = time;
    for (size_t k = 0; k < gauge->channels; ++k) {
        double *c = channel_of(gauge, k);
        c[SAMPLED] = c[WEIGHT] > 0;
        c[SAMPLE] = c[WEIGHT] > 0 ? c[SUM] / c[WEIGHT] : 0;
        c[SUM] = c[WEIGHT] = 0;
        world->reading_values.data[world->reading_values.count++] =
            c[SAMPLED] > 0 ? c[SAMPLE] : NAN;
    }
    size_t at = world->readings.count++;
    for (; at > 0 && world->readings.data[at - 1].time > time; --at)
        world->readings.data[at] = world->readings.data[at - 1];
    world->readings.data[at] = reading;
}

/* Times closer than this part of `every` are the same: multiples of 1/fps are rounded. */
#define SAME 1e-9

/* Adds values that hold from `from` to `to`. */
static void add_step(PxWorld *world, uint32_t slot, double from, double to)
{
    PxGauge *gauge = &world->gauges.data[slot];
    const double *now = world->gauging->now[slot];
    double every = gauge->def.every;
    while (from < to) {
        double end = gauge->state[START] + (gauge->state[COUNT] + 1) * every;
        bool ends = end <= to + SAME * every;
        double stop = ends ? fmin(end, to) : to;
        double part = stop - fmax(from, end - gauge->def.over);
        for (size_t k = 0; k < gauge->channels && part > 0; ++k)
            if (!isnan(now[k])) {
                channel_of(gauge, k)[SUM] += part * now[k];
                channel_of(gauge, k)[WEIGHT] += part;
            }
        if (ends)
            finish(world, slot, end);
        from = ends ? fmax(end, from) : to;
    }
}

void px_gauges_take(PxWorld *world, double time)
{
    PxGaugeStep *g = world->gauging;
    if (g == NULL)
        return;
    PX_STAGE(&world->profile, "gauges")
    {
        px_gauges_add_up(world);
        for (size_t k = 0; k < world->gauges.count; ++k)
            if (world->gauges.data[k].live)
                add_step(world, (uint32_t)k, world->state.time, time);
    }
    world->gauging = NULL;
}

double *px_gauge_last(const PxGauge *gauge)
{
    return gauge->state + KNOWN;
}

/* ---- saving -------------------------------------------------------------------------------- */

PxStatus px_world_store_gauges(const PxWorld *world, PxTable *out)
{
    if (px_table_find(out, "value") == NULL) {
        PX_TRY(px_table_add(out, "gauge", "", PX_U32, 1, PX_COLUMN_STATE, NULL));
        PX_TRY(px_table_add(out, "value", "", PX_F64, 1, PX_COLUMN_STATE, NULL));
    }
    out->count = 0;
    for (size_t k = 0; k < world->gauges.count; ++k) {
        const PxGauge *gauge = &world->gauges.data[k];
        uint32_t first = out->count;
        if (!gauge->live)
            continue;
        PX_TRY(px_table_append(out, (uint32_t)gauge->numbers, NULL));
        uint32_t *of = px_table_find(out, "gauge")->data[0];
        double *value = px_table_find(out, "value")->data[0];
        for (uint32_t i = 0; i < gauge->numbers; ++i) {
            of[first + i] = (uint32_t)k;
            value[first + i] = gauge->state[i];
        }
    }
    return PX_OK;
}

/* Could a gauge be in that state at that time? */
static bool possible(const PxGauge *gauge, const double *state, double time)
{
    for (size_t k = 0; k < gauge->numbers; ++k)
        if (!isfinite(state[k]))
            return false;
    if (!(state[COUNT] >= 0 && state[COUNT] < 1e15 && state[COUNT] == floor(state[COUNT])))
        return false;
    for (size_t k = 0; k < gauge->channels; ++k)
        if (!(state[HEAD + EACH * k + WEIGHT] >= 0))
            return false;
    /* all means that ended before `time` were finished */
    double end = state[START] + (state[COUNT] + 1) * gauge->def.every;
    return state[START] <= time && end > time - 1e-6 * (gauge->def.every + time);
}

PxStatus px_gauges_check(const PxWorld *world, double time, const PxTable *table)
{
    const PxColumn *of = px_table_find(table, "gauge"), *values = px_table_find(table, "value");
    uint32_t row = 0, rows = table->count;
    size_t wanted = 0;
    for (size_t k = 0; k < world->gauges.count; ++k)
        wanted += world->gauges.data[k].live ? world->gauges.data[k].numbers : 0;
    if (wanted != rows || (rows > 0 && (of == NULL || values == NULL || of->type != PX_U32 ||
                                        values->type != PX_F64)))
        return px_fail(PX_ERR_FORMAT, "the stored gauges have %u numbers, the scene's have %zu",
                       rows, wanted);
    for (size_t k = 0; k < world->gauges.count; ++k) {
        const PxGauge *gauge = &world->gauges.data[k];
        if (!gauge->live)
            continue;
        for (size_t i = 0; i < gauge->numbers; ++i)
            if (((const uint32_t *)of->data[0])[row + i] != k)
                return px_fail(PX_ERR_FORMAT, "the stored gauges are others than the scene's");
        if (!possible(gauge, (const double *)values->data[0] + row, time))
            return px_fail(PX_ERR_FORMAT, "the stored state of gauge '%s' is not possible",
                           gauge->name);
        row += (uint32_t)gauge->numbers;
    }
    return PX_OK;
}

PxStatus px_world_restore_gauges(PxWorld *world, const PxTable *table)
{
    const PxColumn *values = px_table_find(table, "value");
    uint32_t row = 0;
    for (size_t k = 0; k < world->gauges.count; ++k) {
        PxGauge *gauge = &world->gauges.data[k];
        if (!gauge->live)
            continue;
        memcpy(gauge->state, (const double *)values->data[0] + row,
               gauge->numbers * sizeof *gauge->state);
        row += (uint32_t)gauge->numbers;
    }
    return PX_OK;
}
