#include "study/jurin.h"

#include "base/fail.h"
#include "world/state.h"

#include <math.h>

#define PI 3.14159265358979323846
/* Lengths over the gap between the plates. */
#define THICK 0.5 /* of a plate */
#define BESIDE 1.5
#define DEEP 2.0
#define LOW 0.75 /* of the plates over the floor */
#define WIDE 1.5
#define HIGH 6.0
#define HALF (0.5 + THICK + BESIDE)

#define SIGMA 0.072
#define GRAVITY 9.81
#define DENSITY 1000.0

PxJurinDef px_jurin_def_default(void)
{
    return (PxJurinDef){
        .cells = 8, .gap = 2.5e-3, .contact_angle = 60, .seconds = 0.3, .threads = 2};
}

typedef struct Box {
    const char *name;
    double x0, x1, y0, y1;
} Box;

static PxBodyDef body_of(const Box *box, double wide, double gap)
{
    PxBodyDef body = px_body_def_default();
    body.name = box->name;
    body.shape = px_shape_def_default(PX_SHAPE_BOX);
    body.shape.size = (PxVec3){gap * (box->x1 - box->x0), gap * (box->y1 - box->y0), gap * wide};
    body.shape.at = (PxVec3){0.5 * gap * (box->x0 + box->x1), 0.5 * gap * (box->y0 + box->y1), 0};
    return body;
}

static PxStatus fill(const PxJurinDef *def, PxWorld *world)
{
    static const Box water[] = {{"under", -HALF, HALF, 0, LOW},
                                {"left", -HALF, -0.5 - THICK, LOW, DEEP},
                                {"middle", -0.5, 0.5, LOW, DEEP},
                                {"right", 0.5 + THICK, HALF, LOW, DEEP}};
    static const Box plate[] = {{"plate 1", -0.5 - THICK, -0.5, LOW, HIGH},
                                {"plate 2", 0.5, 0.5 + THICK, LOW, HIGH}};
    static const Box vessel = {"vessel", -HALF, HALF, 0, HIGH};
    PxMaterialDef material = px_material_def_default();
    material.density = DENSITY;
    material.viscosity = 0.01; /* so that it does not swing for long */
    material.tension = px_tension_choice("csf");
    material.tension.param[0] = SIGMA;
    PxMaterialId id;
    PX_TRY(px_world_add_material(world, &material, &id));
    for (size_t k = 0; k < PX_COUNT(water); ++k) {
        PxBodyDef body = body_of(&water[k], WIDE, def->gap);
        body.material = id;
        PX_TRY(px_world_add_body(world, &body, NULL));
    }
    for (size_t k = 0; k < PX_COUNT(plate) + 1; ++k) {
        bool inside = k == PX_COUNT(plate);
        PxBodyDef body = body_of(inside ? &vessel : &plate[k], inside ? WIDE : 2 * WIDE, def->gap);
        body.wall = true;
        body.inside = inside;
        body.contact_angle = inside ? 90 : def->contact_angle;
        body.adhesion = def->adhesion;
        PX_TRY(px_world_add_body(world, &body, NULL));
    }
    return PX_OK;
}

/* Of the mean levels over the plates' lower edges. */
static double rise_now(const PxWorld *world, double gap, double spacing)
{
    const float *x = px_world_floats(world, "position", 0);
    const float *y = px_world_floats(world, "position", 1);
    double between = 0, beside = 0, volume = spacing * spacing * spacing;
    for (uint32_t i = 0; i < px_world_count(world); ++i) {
        bool in = fabs((double)x[i]) < 0.5 * (1 + THICK) * gap;
        if ((double)y[i] > LOW * gap)
            *(in ? &between : &beside) += volume;
    }
    return (between / WIDE - beside / (2 * BESIDE * WIDE)) / (gap * gap);
}

static double square_speed(const PxWorld *world)
{
    double sum = 0;
    for (int c = 0; c < 3; ++c) {
        const float *v = px_world_floats(world, "velocity", c);
        for (uint32_t i = 0; i < px_world_count(world); ++i)
            sum += (double)v[i] * (double)v[i];
    }
    return sum / px_world_count(world);
}

PxStatus px_jurin(const PxJurinDef *def, PxJurinResult *out)
{
    enum { LOOKS = 10 };
    double spacing = def->gap / def->cells, first = 2.0 / 3 * def->seconds;
    PxWorldDef made = px_world_def_default();
    made.spacing = spacing;
    made.gravity = (PxVec3){0, -GRAVITY, 0};
    made.threads = def->threads;
    /* per width: 2 sigma cos(theta) between the plates, sigma cos(theta) on each other side */
    double pull = SIGMA * cos(def->contact_angle * PI / 180) / (DENSITY * GRAVITY);
    *out = (PxJurinResult){.reference = pull * (2 - 1 / BESIDE) / def->gap};
    PxWorld *world = NULL;
    PX_TRY(px_world_create(&made, &world));
    PxStatus status = fill(def, world);
    for (int k = 1; status == PX_OK && k <= LOOKS; ++k) {
        status = px_world_advance(world, first + k * (def->seconds - first) / LOOKS);
        if (status == PX_OK) {
            out->rise += rise_now(world, def->gap, spacing) / LOOKS;
            out->speed += square_speed(world) / LOOKS;
        }
    }
    out->speed = sqrt(out->speed);
    px_world_free(world);
    return status;
}
