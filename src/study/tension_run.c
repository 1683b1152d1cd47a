#include "study/tension_run.h"

#include "base/fail.h"
#include "base/mat3.h"
#include "spatial/kdtree.h"
#include "study/drop.h"
#include "study/tension_pieces.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

enum { STAGES = 32 };

#define COLUMN(member)                                                                             \
    {                                                                                              \
#member, offsetof(PxTensionResult, member)                                                 \
    }
const PxTensionColumn px_tension_columns[] = {
    COLUMN(end),           COLUMN(particles),
    COLUMN(steps),         COLUMN(dt),
    COLUMN(neighbours),    COLUMN(speed),
    COLUMN(speed_end),     COLUMN(peaks),
    COLUMN(tension_force), COLUMN(pressure_force),
    COLUMN(axes),          COLUMN(gyration),
    COLUMN(reach),         COLUMN(clustered),
    COLUMN(volume),        COLUMN(density_error),
    COLUMN(iterations),    COLUMN(not_converged),
    COLUMN(ms_step),       COLUMN(ms_tension),
    COLUMN(ms_pressure),   COLUMN(ms_viscosity),
    COLUMN(ms_density),    COLUMN(ms_neighbours),
    COLUMN(ms_other),      COLUMN(crown),
    COLUMN(crown_time),    COLUMN(droplets),
    COLUMN(loose),         COLUMN(jet),
    COLUMN(caught),
};
const size_t px_tension_column_count = PX_COUNT(px_tension_columns);

/* ---- measuring ---------------------------------------------------------- */

static double mean_speed(const PxWorld *world)
{
    uint32_t n = px_world_count(world);
    const float *vx = px_world_floats(world, "velocity", 0);
    const float *vy = px_world_floats(world, "velocity", 1);
    const float *vz = px_world_floats(world, "velocity", 2);
    double sum = 0;
    for (uint32_t i = 0; i < n; ++i)
        sum += (double)sqrtf(vx[i] * vx[i] + vy[i] * vy[i] + vz[i] * vz[i]);
    return n > 0 ? sum / n : 0;
}

typedef struct Shape {
    double axes, gyration;
} Shape;

/* Second moments about the middle. A ball of radius R has a mean square distance of
 * 3/5 R^2, and R follows from the particles' volume at rest. */
static Shape measure_shape(const PxWorld *world, double spacing)
{
    uint32_t n = px_world_count(world);
    const float *x[3];
    double mean[3] = {0}, m[3][3] = {{0}};
    for (int c = 0; c < 3; ++c) {
        x[c] = px_world_floats(world, "position", c);
        for (uint32_t i = 0; i < n; ++i)
            mean[c] += (double)x[c][i] / n;
    }
    for (uint32_t i = 0; i < n; ++i) {
        double d[3];
        for (int c = 0; c < 3; ++c)
            d[c] = (double)x[c][i] - mean[c];
        for (int a = 0; a < 3; ++a)
            for (int b = a; b < 3; ++b)
                m[a][b] += d[a] * d[b] / n;
    }
    PxMat3 moments, vectors;
    PxVec3 values;
    memcpy(moments.m, m, sizeof m);
    px_mat3_eigen(moments, &values, &vectors);
    double radius = spacing * cbrt(3 * (double)n / (4 * PI));
    return (Shape){sqrt(values.z / values.x),
                   sqrt((values.x + values.y + values.z) / (0.6 * radius * radius))};
}

/* Per cent of the particles that have a neighbour nearer than half a spacing. */
static PxStatus measure_clusters(const PxWorld *world, double spacing, double *out)
{
    uint32_t n = px_world_count(world), near = 0;
    const float *x = px_world_floats(world, "position", 0);
    const float *y = px_world_floats(world, "position", 1);
    const float *z = px_world_floats(world, "position", 2);
    PxArena scratch;
    PxKdTree tree;
    px_arena_init(&scratch, NULL);
    px_kdtree_init(&tree, NULL);
    PxStatus status = px_kdtree_build(&tree, x, y, z, n, &scratch);
    for (uint32_t i = 0; status == PX_OK && i < n; ++i) /* it finds itself, too */
        near += px_kdtree_range(&tree, x[i], y[i], z[i], (float)(0.5 * spacing), NULL, 0) > 1;
    px_kdtree_free(&tree);
    px_arena_free(&scratch);
    *out = n > 0 ? 100.0 * near / n : 0;
    return status;
}

/* Volume after compression, in per cent of the rest volume. Densities below the rest density count
 * as the rest density: at a surface they are low without a gain of volume, and the sum of m / rho
 * would fall just because a ball has less surface than a cube. */
static double measure_volume(const PxWorld *world, double density)
{
    uint32_t n = px_world_count(world);
    const float *rho = px_world_floats(world, "density", 0);
    double sum = 0;
    for (uint32_t i = 0; i < n; ++i)
        sum += density / fmax((double)rho[i], density);
    return n > 0 ? 100 * sum / n : 100;
}

/* ---- a run -------------------------------------------------------------- */

#define STEP 1e-3 /* s, of all tests */

/* Does steps of a millisecond that end on whole milliseconds; where models need shorter steps,
 * these divide it evenly. */
static PxStatus step(PxWorld *world, double seconds)
{
    double next = STEP * (floor(px_world_time(world) / STEP + 1e-6) + 1);
    return px_world_step(world, fmin(next, seconds));
}

typedef struct Sample {
    double time, dt, speed;
} Sample;

typedef struct Run {
    const PxTensionCase *c;
    PxWorld *world;
    FILE *csv;
    PX_LIST(Sample) samples;
    PxTensionResult sum; /* over steps */
    double looked;       /* time of the last look at the pieces, s */
    double jets;         /* looks with a jet */
    FILE *picture;       /* of *slice; test 2: at the highest crown */
} Run;

static PxStatus note_step(Run *run)
{
    PxStats stats;
    px_world_stats(run->world, &stats);
    Sample s = {stats.time, stats.dt, mean_speed(run->world)};
    Shape shape = {NAN, NAN};
    if (run->c->test == 1)
        shape = measure_shape(run->world, px_tension_spacing(1));
    if (!PX_LIST_RESERVE(&run->samples, 1))
        return px_fail(PX_ERR_MEMORY, "bench: no room for step %zu", run->samples.count);
    run->samples.data[run->samples.count++] = s;
    fprintf(run->csv, "%llu,%.9g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%llu",
            (unsigned long long)stats.step, s.time, s.dt, s.speed, stats.speed_max,
            stats.tension_force, stats.pressure_force, stats.density_error, stats.density_error_max,
            (unsigned long long)stats.iterations);
    if (run->c->test == 1)
        fprintf(run->csv, ",%.6g,%.6g\n", shape.axes, shape.gyration);
    else
        fprintf(run->csv, ",,\n");
    PxTensionResult *sum = &run->sum;
    sum->end = stats.time;
    sum->particles = (double)stats.particles;
    sum->neighbours = stats.neighbours;
    sum->not_converged = (double)stats.not_converged;
    sum->axes = shape.axes;
    sum->gyration = shape.gyration;
    sum->steps += 1;
    sum->dt += 1e3 * s.dt;
    sum->speed += s.speed * s.dt; /* weighted by time: steps may differ in length */
    sum->tension_force += stats.tension_force * s.dt;
    sum->pressure_force += stats.pressure_force * s.dt;
    sum->density_error += stats.density_error * s.dt;
    sum->iterations += (double)stats.iterations;
    return PX_OK;
}

/* Number of maxima of the mean speed that exceed the minima between them by a twentieth of the
 * largest, as one would count them in a plot. The last value may be one. */
static double count_peaks(const Run *run)
{
    double most = 0, high = 0, low = 0, peaks = 0;
    for (size_t k = 0; k < run->samples.count; ++k)
        most = fmax(most, run->samples.data[k].speed);
    bool rising = true;
    for (size_t k = 0; k < run->samples.count; ++k) {
        double v = run->samples.data[k].speed;
        if (rising) {
            high = fmax(high, v);
            if (v < high - 0.05 * most) {
                peaks += 1;
                rising = false;
                low = v;
            }
        } else {
            low = fmin(low, v);
            if (v > low + 0.05 * most) {
                rising = true;
                high = v;
            }
        }
    }
    return peaks;
}

static void note_stages(Run *run, PxTensionResult *r)
{
    const struct {
        const char *stage;
        double *to;
    } known[] = {
        {"tension", &r->ms_tension},     {"pressure", &r->ms_pressure},
        {"viscosity", &r->ms_viscosity}, {"density", &r->ms_density},
        {"sort", &r->ms_neighbours},     {"neighbours", &r->ms_neighbours},
    };
    PxStage stage[STAGES];
    size_t count = px_world_stages(run->world, stage, STAGES);
    for (size_t k = 0; k < count && k < STAGES; ++k) {
        double *to = &r->ms_other, ms = 1e3 * stage[k].seconds / r->steps;
        for (size_t i = 0; i < PX_COUNT(known); ++i)
            if (strcmp(known[i].stage, stage[k].name) == 0)
                to = known[i].to;
        *to += ms;
        r->ms_step += ms;
    }
}

/* Particles within half a spacing of the plane through the middle that faces the viewer: of a
 * lattice one layer, whether one lies in that plane or two lie next to it. */
static void write_slice(const Run *run)
{
    FILE *out = run->picture;
    const float *x = px_world_floats(run->world, "position", 0);
    const float *y = px_world_floats(run->world, "position", 1);
    const float *z = px_world_floats(run->world, "position", 2);
    float spacing = (float)px_tension_spacing(run->c->test);
    rewind(out);
    fprintf(out, "x,y\n");
    for (uint32_t i = 0; i < px_world_count(run->world); ++i)
        if (z[i] > -0.51f * spacing && z[i] <= 0.49f * spacing)
            fprintf(out, "%.4f,%.4f\n", (double)x[i], (double)y[i]);
}

/* Is nothing of test 2 higher than three spacings over the pool near its axis? */
static bool gone_under(const Run *run)
{
    const float *x = px_world_floats(run->world, "position", 0);
    const float *y = px_world_floats(run->world, "position", 1);
    const float *z = px_world_floats(run->world, "position", 2);
    double spacing = px_tension_spacing(run->c->test), level = px_tension_level(run->c);
    for (uint32_t i = 0; i < px_world_count(run->world); ++i)
        if ((double)y[i] > level + 3 * spacing && hypot((double)x[i], (double)z[i]) < 3 * spacing)
            return false;
    return true;
}

#define LOOK 0.02 /* between looks at the pieces, s */

/* The crown, droplets and the jet. The drop of test 2 hangs together with the pool from the moment
 * they meet, and is then higher than the crown that it throws up, so a crown counts from when the
 * drop has gone under: when no part of the largest piece above the pool is near the axis. */
static PxStatus look(Run *run)
{
    const PxTensionCase *c = run->c;
    double time = px_world_time(run->world), spacing = px_tension_spacing(c->test);
    double glass = px_tension_glass(c);
    if (c->test == 1 || time < run->looked + LOOK - 1e-9)
        return PX_OK;
    run->looked = time;
    PxTensionPieces now;
    PX_TRY(px_tension_pieces(run->world, spacing, 0.85 * glass, 0.95 * glass, &now));
    PxTensionResult *sum = &run->sum;
    if (c->test == 2 && gone_under(run) && !(now.top - px_tension_level(c) <= sum->crown)) {
        sum->crown = now.top - px_tension_level(c);
        sum->crown_time = time;
        sum->droplets = now.droplets;
        sum->loose = now.loose;
        write_slice(run);
    }
    if (c->test == 3 && now.droplets > sum->droplets) {
        sum->droplets = now.droplets;
        sum->loose = now.loose;
    }
    if (c->test == 3 && isfinite(now.jet)) {
        sum->jet += now.jet;
        run->jets += 1;
    }
    return PX_OK;
}

/* Per cent of the particles that are in the glass. */
static double measure_caught(const Run *run)
{
    const float *x = px_world_floats(run->world, "position", 0);
    const float *y = px_world_floats(run->world, "position", 1);
    const float *z = px_world_floats(run->world, "position", 2);
    double high = px_tension_glass(run->c), wide = px_tension_glass_radius(run->c), in = 0;
    uint32_t n = px_world_count(run->world);
    for (uint32_t i = 0; i < n; ++i)
        in += y[i] > 0 && (double)y[i] < high && hypot((double)x[i], (double)z[i]) < wide;
    return n > 0 ? 100 * in / n : 0;
}

static PxStatus note_end(Run *run, PxTensionResult *out)
{
    PxTensionResult r = run->sum;
    double from = 0.9 * r.end, time = 0, spacing = px_tension_spacing(run->c->test);
    for (size_t k = 0; k < run->samples.count; ++k) {
        const Sample *s = &run->samples.data[k];
        if (s->time <= from)
            continue;
        r.speed_end += s->speed * s->dt;
        time += s->dt;
    }
    r.speed_end /= time;
    r.dt /= r.steps;
    r.speed /= r.end;
    r.tension_force /= r.end;
    r.pressure_force /= r.end;
    r.density_error /= r.end;
    r.iterations /= r.steps;
    r.peaks = count_peaks(run);
    r.reach = run->c->test == 1 ? px_drop_reach(run->world) : NAN;
    r.volume = measure_volume(run->world, 1000);
    r.jet = run->jets > 0 ? r.jet / run->jets : NAN;
    r.caught = run->c->test == 3 ? measure_caught(run) : NAN;
    note_stages(run, &r);
    PX_TRY(measure_clusters(run->world, spacing, &r.clustered));
    *out = r;
    return PX_OK;
}

PxStatus px_tension_run(const PxTensionCase *c, PxTensionStep *each, void *user,
                        PxTensionResult *out, char **steps, char **slice)
{
    *steps = *slice = NULL;
    Run run = {.c = c};
    if (c->test != 2)
        run.sum.crown = run.sum.crown_time = NAN;
    if (c->test == 1)
        run.sum.droplets = run.sum.loose = NAN;
    size_t size[2];
    FILE *picture = run.picture = open_memstream(slice, &size[1]);
    run.csv = open_memstream(steps, &size[0]);
    PxStatus status = PX_OK;
    if (run.csv == NULL || picture == NULL) {
        status = px_fail(PX_ERR_MEMORY, "bench: no room for the rows of a run");
        goto done;
    }
    status = px_tension_world(c, &run.world);
    if (status != PX_OK)
        goto done;
    fprintf(run.csv, "step,time,dt,speed,speed_max,tension_force,pressure_force,density_error,"
                     "density_error_max,iterations,axes,gyration\n");
    bool wanted = each == NULL || each(user, run.world);
    while (status == PX_OK && wanted && px_world_time(run.world) < c->seconds) {
        status = step(run.world, c->seconds);
        if (status == PX_OK)
            status = note_step(&run);
        if (status == PX_OK)
            status = look(&run);
        wanted = each == NULL || each(user, run.world);
    }
    if (status == PX_ERR_NUMERIC && run.samples.count > 0)
        status = PX_OK; /* not an error: the result says how far it came */
    if (status == PX_OK && !wanted)
        status = px_fail(PX_ERR_STOPPED, "bench: stopped at t = %g s", px_world_time(run.world));
    if (status == PX_OK)
        status = note_end(&run, out);
    if (status == PX_OK && !(run.sum.crown > 0)) /* else it shows the crown */
        write_slice(&run);
done:
    if (run.csv != NULL && fclose(run.csv) != 0 && status == PX_OK)
        status = px_fail(PX_ERR_MEMORY, "bench: no room for the rows of a run");
    if (picture != NULL && fclose(picture) != 0 && status == PX_OK)
        status = px_fail(PX_ERR_MEMORY, "bench: no room for the rows of a run");
    PX_LIST_FREE(&run.samples);
    px_world_free(run.world);
    if (status != PX_OK) {
        free(*steps);
        free(*slice);
        *steps = *slice = NULL;
    }
    return status;
}
