#include "study/tube_flows.h"

#include "base/fail.h"
#include "base/vec.h"
#include "matter/kernel.h"
#include "study/mesh_file.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define RADIUS 0.05   /* m */
#define DENSITY 1000. /* kg/m^3 */
#define NU 0.01       /* m^2/s */
#define REYNOLDS 0.5  /* of the largest speed and the radius: the flow stays laminar */

enum { AROUND = 48, BINS = 8 };

/* J0 of a complex number by its series; its modulus stays below 10 here. */
static double complex bessel(double complex z)
{
    double complex term = 1, sum = 1, quarter = -z * z / 4;
    for (int k = 1; k < 60; ++k) {
        term *= quarter / ((double)k * k);
        sum += term;
    }
    return sum;
}

/* Womersley (1955): the amplitude at r under the body force exp(i w t), over that force. */
static double complex pulse(double w, double r)
{
    double complex root = csqrt(-I * w / NU);
    return (1 - bessel(root * r) / bessel(root * RADIUS)) / (I * w);
}

/* An n-sided prism whose polygon has the area of the circle, so that the flow is that of the tube
 * to 0.1 per cent. */
static PxStatus write_tube(const char *path, double length)
{
    double r = RADIUS * sqrt(2 * PX_PI / AROUND / sin(2 * PX_PI / AROUND));
    int rings = (int)ceil(length / (2 * PX_PI * r / AROUND)) + 1;
    FILE *file = fopen(path, "w");
    if (file == NULL)
        return px_fail(PX_ERR_IO, "tube: cannot write '%s'", path);
    for (int k = 0; k < rings; ++k)
        for (int j = 0; j < AROUND; ++j)
            fprintf(file, "v %.12g %.12g %.12g\n", r * cos(2 * PX_PI * (j + 0.5 * k) / AROUND),
                    length * ((double)k / (rings - 1) - 0.5),
                    r * sin(2 * PX_PI * (j + 0.5 * k) / AROUND));
    fprintf(file, "v 0 %.12g 0\nv 0 %.12g 0\n", -0.5 * length, 0.5 * length);
    int low = rings * AROUND + 1, high = low + 1;
    for (int j = 0; j < AROUND; ++j) {
        int next = (j + 1) % AROUND, last = (rings - 1) * AROUND;
        fprintf(file, "f %d %d %d\nf %d %d %d\n", low, j + 1, next + 1, high, last + next + 1,
                last + j + 1);
        for (int k = 0; k + 1 < rings; ++k) {
            int a = k * AROUND + j + 1, b = k * AROUND + next + 1;
            fprintf(file, "f %d %d %d\nf %d %d %d\n", a, a + AROUND, b, b, a + AROUND, b + AROUND);
        }
    }
    return fclose(file) == 0 ? PX_OK : px_fail(PX_ERR_IO, "tube: cannot write '%s'", path);
}

/* A column of `length` in a tube three times as long. */
static PxStatus fill_world(const PxTubeCase *tube, const char *path, double length, PxWorld *world)
{
    double s = 2 * RADIUS / tube->cells, top = REYNOLDS * NU / RADIUS;
    PxMaterialDef material = px_material_def_default();
    material.name = "water";
    material.density = DENSITY;
    material.viscosity = DENSITY * NU;
    material.pressure = px_pressure_choice("sesph");
    PxBodyDef column = px_body_def_default(), wall = px_body_def_default();
    PX_TRY(px_world_add_material(world, &material, &column.material));
    PX_TRY(px_world_set(world, "materials.water.pressure.top_speed", &top, 1));
    wall.name = "tube";
    wall.shape = px_shape_def_default(PX_SHAPE_MESH);
    wall.shape.mesh = path;
    wall.wall = wall.inside = true;
    wall.friction = 1;
    PX_TRY(px_world_add_body(world, &wall, NULL));
    column.name = "column";
    column.shape = px_shape_def_default(PX_SHAPE_CYLINDER);
    column.shape.radius = RADIUS;
    column.shape.height = s * ceil(length / s);
    return px_world_add_body(world, &column, NULL);
}

static PxStatus make(const PxTubeCase *tube, double length, PxWorld **out)
{
    char path[PX_MESH_FILE_PATH];
    PX_TRY(px_mesh_file("tube", ".obj", path));
    PxWorldDef def = px_world_def_default();
    def.spacing = 2 * RADIUS / tube->cells;
    def.threads = tube->threads;
    def.walls.search = (int)tube->search;
    PxStatus status = write_tube(path, 3 * length);
    if (status == PX_OK)
        status = px_world_create(&def, out);
    if (status == PX_OK)
        status = fill_world(tube, path, length, *out);
    unlink(path);
    return status;
}

/* Means of the speed in rings of equal width in the middle third, against the formula's amplitude
 * at the rings' mean radii. */
static void compare(PxWorld *world, double length, double (*profile)(const void *user, double r),
                    const void *user, double fastest, PxTubeResult *out)
{
    const float *x = px_world_floats(world, "position", 0);
    const float *y = px_world_floats(world, "position", 1);
    const float *z = px_world_floats(world, "position", 2);
    const float *v = px_world_floats(world, "velocity", 1);
    double speed[BINS] = {0}, wanted[BINS] = {0}, count[BINS] = {0}, middle = 0;
    uint32_t rows = px_world_count(world);
    for (uint32_t i = 0; i < rows; ++i)
        middle += (double)y[i] / rows;
    for (uint32_t i = 0; i < rows; ++i) {
        if (fabs((double)y[i] - middle) > length / 6)
            continue;
        double r = hypot((double)x[i], (double)z[i]);
        int bin = (int)fmin(r / RADIUS * BINS, BINS - 1);
        speed[bin] += (double)v[i];
        wanted[bin] += profile(user, r);
        count[bin] += 1;
    }
    double top = 0, formula = 0;
    for (int k = 0; k < BINS; ++k) {
        if (count[k] > 0)
            out->worst = fmax(out->worst, fabs(speed[k] - wanted[k]) / count[k] / fastest);
        if (k < 3) {
            top += speed[k];
            formula += wanted[k];
        }
    }
    out->fastest = top / formula;
    PxStats stats;
    px_world_stats(world, &stats);
    out->leaked = stats.leaked;
}

static double steady(const void *user, double r)
{
    return *(const double *)user * (RADIUS * RADIUS - r * r) / (4 * NU);
}

PxStatus px_tube_poiseuille(const PxTubeCase *tube, PxTubeResult *out)
{
    /* The slowest mode dies as exp(-5.78 nu t / R^2): to 0.1 per cent at 1.2. */
    double fastest = REYNOLDS * NU / RADIUS, g = 4 * NU * fastest / (RADIUS * RADIUS);
    double until = 1.2 * RADIUS * RADIUS / NU, length = 4 * RADIUS + 2 * fastest * until;
    *out = (PxTubeResult){0};
    PxWorld *world = NULL;
    const double force[3] = {0, g, 0};
    PxStatus status = make(tube, length, &world);
    if (status == PX_OK)
        status = px_world_set(world, "gravity", force, 3);
    if (status == PX_OK)
        status = px_world_advance(world, until);
    if (status == PX_OK)
        compare(world, length, steady, &g, fastest, out);
    px_world_free(world);
    return status;
}

typedef struct Phase {
    double w, g, t;
} Phase;

static double swing(const void *user, double r)
{
    const Phase *p = user;
    return p->g * creal(pulse(p->w, r) * cexp(I * p->w * p->t));
}

PxStatus px_tube_womersley(const PxTubeCase *tube, double number, PxTubeResult *out)
{
    double w = number * number * NU / (RADIUS * RADIUS), period = 2 * PX_PI / w;
    double complex axis = pulse(w, 0);
    double fastest = REYNOLDS * NU / RADIUS, g = fastest / cabs(axis);
    double length = 4 * RADIUS + 4 * fastest / w;
    /* The start from rest dies as exp(-5.78 nu t / R^2): to 1 per cent after 0.8 R^2 / nu. */
    double settle = 0.8 * RADIUS * RADIUS / NU;
    Phase phase = {w, g, (ceil(settle / period) * 2 * PX_PI - carg(axis)) / w};
    *out = (PxTubeResult){0};
    PxWorld *world = NULL;
    PxStatus status = make(tube, length, &world);
    enum { PARTS = 64 };
    while (status == PX_OK && px_world_time(world) < phase.t) {
        /* the mean force of each part of a period */
        double now = px_world_time(world), to = fmin(now + period / PARTS, phase.t);
        const double force[3] = {0, g * (sin(w * to) - sin(w * now)) / (w * (to - now)), 0};
        status = px_world_set(world, "gravity", force, 3);
        if (status == PX_OK)
            status = px_world_advance(world, to);
    }
    if (status == PX_OK)
        compare(world, length, swing, &phase, fastest, out);
    px_world_free(world);
    return status;
}
