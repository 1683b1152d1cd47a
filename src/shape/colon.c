#include "shape/colon.h"

#include "base/random.h"

#include <stdlib.h>
#include <string.h>

/* The mean colon of an adult. Bends and radii are drawn after anatomical plates, without the detail
 * of a scan. `free` is how far a point may move, m: sigmoid and transverse colon hang on long
 * mesenteries, the others are fixed to the back. `folded` scales the depth of folds; the rectum has
 * few. */
typedef struct Knot {
    PxVec3 at;     /* m */
    double radius; /* m */
    double free, folded;
} Knot;

static const Knot mean_colon[] = {
    {{0.000, -0.170, -0.030}, 0.018, 0.000, 0.0}, /* anal canal */
    {{0.000, -0.120, -0.042}, 0.024, 0.005, 0.3}, /* rectum */
    {{0.000, -0.070, -0.038}, 0.022, 0.008, 0.4},
    {{-0.010, -0.022, -0.012}, 0.017, 0.010, 0.6},
    {{-0.022, 0.022, 0.032}, 0.0155, 0.020, 0.8}, /* sigmoid */
    {{0.020, 0.048, 0.072}, 0.0155, 0.022, 0.9},
    {{0.085, 0.035, 0.074}, 0.016, 0.020, 0.9},
    {{0.135, 0.022, 0.035}, 0.017, 0.012, 1.0},
    {{0.155, 0.068, -0.008}, 0.018, 0.008, 1.0}, /* descending */
    {{0.150, 0.130, -0.020}, 0.019, 0.006, 1.0},
    {{0.155, 0.200, -0.020}, 0.020, 0.006, 1.0},
    {{0.165, 0.262, -0.012}, 0.0195, 0.008, 1.0}, /* splenic flexure */
    {{0.140, 0.312, 0.018}, 0.020, 0.010, 1.0},
    {{0.075, 0.300, 0.050}, 0.022, 0.022, 1.0}, /* transverse */
    {{0.010, 0.245, 0.075}, 0.023, 0.026, 1.0},
    {{-0.065, 0.245, 0.075}, 0.024, 0.022, 1.0},
    {{-0.124, 0.256, 0.058}, 0.024, 0.010, 1.0}, /* hepatic flexure */
    {{-0.166, 0.232, 0.014}, 0.025, 0.008, 1.0},
    {{-0.168, 0.165, -0.012}, 0.026, 0.006, 1.0}, /* ascending */
    {{-0.152, 0.085, -0.015}, 0.029, 0.006, 1.0},
    {{-0.145, 0.025, 0.000}, 0.031, 0.006, 0.8}, /* caecum */
    {{-0.140, -0.020, 0.010}, 0.028, 0.000, 0.0},
};

enum {
    KNOTS = sizeof mean_colon / sizeof *mean_colon,
    FINE = 64,                        /* samples of the spline from knot to knot */
    SAMPLES = (KNOTS - 1) * FINE + 1, /* of the centre line */
    SECTORS = 3,                      /* between the three taeniae, bands along the colon */
    MOST_FOLDS = 400,
    TRIES = 40
};

/* Radius of the tube times the curvature of its centre line, at most: above 1 the mesh would cross
 * itself on the inner side of the bend. */
#define MOST_BENT 0.85
/* Least gap between two parts of the tube, as a part of their radii. */
#define LEAST_GAP 0.08
/* Distance of folds over the radius, and its scatter. */
#define FOLD_DISTANCE 1.25
#define FOLD_SCATTER 0.3
/* Half width of a fold over the radius: where its depth has fallen to 1/e. */
#define FOLD_WIDTH 0.2
/* Depth of the taeniae, over the radius. */
#define TAENIA_DEPTH 0.08

typedef struct Line {
    PxVec3 at[SAMPLES], tangent[SAMPLES], normal[SAMPLES];
    double radius[SAMPLES], folded[SAMPLES];
    double along[SAMPLES]; /* length from the rectum, m */
} Line;

typedef struct Fold {
    double at, width, depth[SECTORS];
} Fold;

typedef struct Folds {
    Fold fold[MOST_FOLDS];
    size_t count;
    double start, turn; /* angle of the first taenia, and how much it turns along the colon */
} Folds;

/* Uniform in [-1, 1]. */
static double scatter(uint64_t seed, uint64_t attempt, uint64_t what)
{
    return 2 * px_random_unit(seed, attempt, what) - 1;
}

static void draw_knots(const PxColonDef *def, double variation, uint64_t attempt, Knot knot[KNOTS])
{
    for (uint64_t k = 0; k < KNOTS; ++k) {
        knot[k] = mean_colon[k];
        double reach = knot[k].free * variation;
        PxVec3 by =
            px_vec(scatter(def->seed, attempt, 4 * k), scatter(def->seed, attempt, 4 * k + 1),
                   scatter(def->seed, attempt, 4 * k + 2));
        knot[k].at = px_scale(px_mad(knot[k].at, by, reach), def->size);
        knot[k].radius *=
            def->size * (1 + 0.15 * variation * scatter(def->seed, attempt, 4 * k + 3));
    }
}

/* The end points of the line continue straight. */
static Knot beyond(const Knot *end, const Knot *inner)
{
    Knot out = *end;
    out.at = px_sub(px_scale(end->at, 2), inner->at);
    return out;
}

/* Natural in the sense of Catmull and Rom 1974: through the knots, tangents parallel to the chord
 * of the neighbours. Radii and folds are interpolated likewise. */
static void draw_line(const Knot knot[KNOTS], Line *line)
{
    for (int k = 0; k < KNOTS - 1; ++k) {
        Knot before = k > 0 ? knot[k - 1] : beyond(&knot[0], &knot[1]);
        Knot after = k + 2 < KNOTS ? knot[k + 2] : beyond(&knot[KNOTS - 1], &knot[KNOTS - 2]);
        const Knot *from = &knot[k], *to = &knot[k + 1];
        for (int i = 0; i <= FINE; ++i) {
            double t = (double)i / FINE, t2 = t * t, t3 = t2 * t;
            double w[4] = {-0.5 * t3 + t2 - 0.5 * t, 1.5 * t3 - 2.5 * t2 + 1,
                           -1.5 * t3 + 2 * t2 + 0.5 * t, 0.5 * t3 - 0.5 * t2};
            int s = k * FINE + i;
            line->at[s] =
                px_mad(px_mad(px_mad(px_scale(before.at, w[0]), from->at, w[1]), to->at, w[2]),
                       after.at, w[3]);
            line->radius[s] = from->radius + t2 * (3 - 2 * t) * (to->radius - from->radius);
            line->folded[s] = from->folded + t * (to->folded - from->folded);
        }
    }
    line->along[0] = 0;
    for (int s = 1; s < SAMPLES; ++s)
        line->along[s] = line->along[s - 1] + px_length(px_sub(line->at[s], line->at[s - 1]));
    for (int s = 0; s < SAMPLES; ++s) {
        int low = s > 0 ? s - 1 : 0, high = s + 1 < SAMPLES ? s + 1 : s;
        line->tangent[s] = px_normalized(px_sub(line->at[high], line->at[low]), px_vec(0, 1, 0));
    }
    /* frames that do not twist, by double reflection (Wang et al. 2008, section 3) */
    line->normal[0] = px_normalized(px_cross(line->tangent[0], px_vec(1, 0, 0)), px_vec(0, 0, 1));
    for (int s = 0; s + 1 < SAMPLES; ++s) {
        PxVec3 v = px_sub(line->at[s + 1], line->at[s]);
        double c = px_dot(v, v);
        PxVec3 n = px_mad(line->normal[s], v, -2 * px_dot(v, line->normal[s]) / c);
        PxVec3 t = px_mad(line->tangent[s], v, -2 * px_dot(v, line->tangent[s]) / c);
        PxVec3 u = px_sub(line->tangent[s + 1], t);
        double d = px_dot(u, u);
        if (d > 0)
            n = px_mad(n, u, -2 * px_dot(u, n) / d);
        line->normal[s + 1] = px_normalized(n, line->normal[s]);
    }
}

static bool bends_too_much(const Line *line)
{
    for (int s = 1; s + 1 < SAMPLES; ++s) {
        PxVec3 turn = px_sub(line->tangent[s + 1], line->tangent[s - 1]);
        double way = line->along[s + 1] - line->along[s - 1];
        if (px_length(turn) * line->radius[s] > MOST_BENT * way)
            return true;
    }
    return false;
}

static bool touches_itself(const Line *line)
{
    for (int a = 0; a < SAMPLES; a += 4)
        for (int b = a + 4; b < SAMPLES; b += 4) {
            double radii = line->radius[a] + line->radius[b];
            if (line->along[b] - line->along[a] > 2.5 * radii &&
                px_length(px_sub(line->at[b], line->at[a])) < (1 + LEAST_GAP) * radii)
                return true;
        }
    return false;
}

/* A colon that would cross itself is drawn again, closer to the mean one, which does not. */
static bool draw(const PxColonDef *def, Line *line)
{
    Knot knot[KNOTS];
    double variation = def->variation;
    for (uint64_t attempt = 0; attempt < TRIES; ++attempt, variation *= 0.9) {
        draw_knots(def, variation, attempt, knot);
        draw_line(knot, line);
        if (!bends_too_much(line) && !touches_itself(line))
            return true;
    }
    draw_knots(def, 0, TRIES, knot);
    draw_line(knot, line);
    return !bends_too_much(line) && !touches_itself(line);
}

/* Sample of the line at a length, and the part of the way to the next one. */
static int locate(const Line *line, double along, double *part)
{
    int low = 0, high = SAMPLES - 1;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        *(line->along[middle] <= along ? &low : &high) = middle;
    }
    double way = line->along[high] - line->along[low];
    *part = way > 0 ? fmin(1, fmax(0, (along - line->along[low]) / way)) : 0;
    return low;
}

static double at_length(const Line *line, const double value[SAMPLES], double along)
{
    double part;
    int s = locate(line, along, &part);
    return value[s] + part * (value[s + 1] - value[s]);
}

/* Semilunar folds: each is deep in two sectors and shallow in the third. `least` is the narrowest
 * that the mesh resolves. */
static void draw_folds(const PxColonDef *def, const Line *line, double least, Folds *out)
{
    const uint64_t what = 1000; /* numbers apart from those of the knots */
    double end = line->along[SAMPLES - 1], at = 1.5 * line->radius[0];
    out->count = 0;
    out->start = 2 * acos(-1.0) * px_random_unit(def->seed, what, 0);
    out->turn = scatter(def->seed, what, 1);
    while (at < end - line->radius[SAMPLES - 1] && out->count < MOST_FOLDS) {
        uint64_t k = out->count;
        double radius = at_length(line, line->radius, at);
        Fold *fold = &out->fold[out->count++];
        fold->at = at;
        fold->width = fmax(FOLD_WIDTH * radius, least);
        uint64_t shallow = px_random_bits(def->seed, what + 1, k) % SECTORS;
        for (uint64_t j = 0; j < SECTORS; ++j)
            fold->depth[j] = def->folds * at_length(line, line->folded, at) *
                             (j == shallow ? 0.35 : 1) *
                             (0.65 + 0.35 * px_random_unit(def->seed, what + 2, SECTORS * k + j));
        at += FOLD_DISTANCE * radius * (1 + FOLD_SCATTER * scatter(def->seed, what + 3, k));
    }
}

/* Radius over that of the plain tube, 0 < r <= 1: the taeniae draw the wall in, and folds between
 * them stand up from it. Both fade towards the ends, which are circles. */
static double relief(const Line *line, const Folds *folds, double along, double angle)
{
    const double pi = acos(-1.0);
    double end = line->along[SAMPLES - 1], radius = at_length(line, line->radius, along);
    double fade = fmin(1, fmin(along, end - along) / (1.5 * radius));
    fade = fade * fade * (3 - 2 * fade);
    double around = (angle - folds->start - folds->turn * along / end) * SECTORS / (2 * pi);
    around -= SECTORS * floor(around / SECTORS);
    int sector = (int)around % SECTORS;
    double across = sin(pi * (around - floor(around))), depth = 0; /* 0 at the taeniae */
    for (size_t k = 0; k < folds->count; ++k) {
        double d = (along - folds->fold[k].at) / folds->fold[k].width;
        if (fabs(d) < 4)
            depth = fmax(depth, folds->fold[k].depth[sector] * exp(-d * d));
    }
    across *= across;
    return 1 - fade * (TAENIA_DEPTH * (1 - across) + depth * across);
}

static void put_triangle(PxMesh *mesh, uint32_t *next, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t *t = mesh->triangle[(*next)++];
    t[0] = a;
    t[1] = b;
    t[2] = c;
}

/* Rings of around + 1 vertices: the first and the last are one point with two texture
 * coordinates. */
static void put_rings(const Line *line, const Folds *folds, uint32_t rings, uint32_t around,
                      PxMesh *mesh)
{
    const double turn = 2 * acos(-1.0);
    double end = line->along[SAMPLES - 1];
    for (uint32_t i = 0; i < rings; ++i) {
        double along = end * i / (rings - 1), part;
        int s = locate(line, along, &part);
        PxVec3 at = px_mad(px_scale(line->at[s], 1 - part), line->at[s + 1], part);
        PxVec3 t =
            px_normalized(px_mad(px_scale(line->tangent[s], 1 - part), line->tangent[s + 1], part),
                          line->tangent[s]);
        PxVec3 n = px_mad(px_scale(line->normal[s], 1 - part), line->normal[s + 1], part);
        n = px_normalized(px_mad(n, t, -px_dot(n, t)), line->normal[s]);
        PxVec3 b = px_cross(t, n);
        double radius = at_length(line, line->radius, along);
        for (uint32_t j = 0; j <= around; ++j) {
            uint32_t v = i * (around + 1) + j;
            double angle = turn * (j % around) / around; /* the seam's vertices coincide */
            double r = radius * relief(line, folds, along, angle);
            mesh->position[v] = px_mad(px_mad(at, n, r * cos(angle)), b, r * sin(angle));
            mesh->uv[v] = (PxUv){(double)j / around, (double)i / (rings - 1)};
        }
    }
}

static void put_triangles(uint32_t rings, uint32_t around, PxMesh *mesh)
{
    uint32_t next = 0, wide = around + 1, last = (rings - 1) * wide;
    for (uint32_t i = 0; i + 1 < rings; ++i)
        for (uint32_t j = 0; j < around; ++j) {
            uint32_t a = i * wide + j;
            put_triangle(mesh, &next, a, a + 1, a + wide);
            put_triangle(mesh, &next, a + 1, a + wide + 1, a + wide);
        }
    for (uint32_t j = 0; j < around; ++j) {
        put_triangle(mesh, &next, rings * wide, j + 1, j);
        put_triangle(mesh, &next, rings * wide + 1, last + j, last + j + 1);
    }
}

static PxStatus check(const PxColonDef *def)
{
    if (!(def->size >= 0.01 && def->size <= 100))
        return px_fail(PX_ERR_ARGUMENT, "colon: size is %g, must be 0.01 to 100", def->size);
    if (!(def->variation >= 0 && def->variation <= 1))
        return px_fail(PX_ERR_ARGUMENT, "colon: variation is %g, must be 0 to 1", def->variation);
    if (!(def->folds >= 0 && def->folds <= 0.6))
        return px_fail(PX_ERR_ARGUMENT, "colon: folds are %g, must be 0 to 0.6", def->folds);
    if (def->triangles < 500 || def->triangles > 2000000)
        return px_fail(PX_ERR_ARGUMENT, "colon: %u triangles, must be 500 to 2,000,000",
                       def->triangles);
    return PX_OK;
}

PxStatus px_colon_mesh(const PxColonDef *def, PxMesh **out, PxColonEnds *ends)
{
    *out = NULL;
    PX_TRY(check(def));
    PxStatus status = PX_OK;
    PxMesh *mesh = NULL;
    Line *line = malloc(sizeof *line);
    Folds *folds = malloc(sizeof *folds);
    if (line == NULL || folds == NULL) {
        status = px_fail(PX_ERR_MEMORY, "colon: no room for its centre line");
        goto done;
    }
    if (!draw(def, line)) {
        status = px_fail(PX_ERR_NUMERIC, "colon: the mean colon crosses itself");
        goto done;
    }
    double length = line->along[SAMPLES - 1], mean = 0;
    for (int s = 0; s + 1 < SAMPLES; ++s)
        mean += line->radius[s] * (line->along[s + 1] - line->along[s]) / length;
    /* cells 0.7 times as long as wide, because folds run around */
    const double shape = 0.7, pi = acos(-1.0);
    uint32_t around = (uint32_t)fmax(8, round(sqrt(shape * def->triangles * pi * mean / length)));
    uint32_t rings = (uint32_t)fmax(16, round(def->triangles / (2.0 * around))) + 1;
    draw_folds(def, line, 1.2 * length / (rings - 1), folds);
    status = px_mesh_create((size_t)rings * (around + 1) + 2, 2 * (size_t)rings * around,
                            PX_MESH_UV, &mesh);
    if (status != PX_OK)
        goto done;
    put_rings(line, folds, rings, around, mesh);
    put_triangles(rings, around, mesh);
    uint32_t centre = rings * (around + 1);
    mesh->position[centre] = line->at[0];
    mesh->position[centre + 1] = line->at[SAMPLES - 1];
    mesh->uv[centre] = (PxUv){0.5, 0};
    mesh->uv[centre + 1] = (PxUv){0.5, 1};
    *ends = (PxColonEnds){
        .rectum = {line->at[0], line->tangent[0], line->radius[0]},
        .caecum = {line->at[SAMPLES - 1], px_scale(line->tangent[SAMPLES - 1], -1),
                   line->radius[SAMPLES - 1]},
        .length = length,
        .volume = px_mesh_volume(mesh),
        .vertices = mesh->vertex_count,
        .triangles = mesh->triangle_count,
    };
    *out = mesh;
done:
    free(line);
    free(folds);
    return status;
}
