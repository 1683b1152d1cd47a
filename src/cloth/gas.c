#include "cloth/gas.h"

#include "cloth/contact.h"

#include <math.h>
#include <string.h>

#define BLOCK 512u   /* vertices */
#define FLAT 1e-3    /* of the volume at the start: cloth has no room for gas below */
#define LOW 0.2      /* a tangent is taken at this part of the volume at the start of a step */
#define SETTLED 0.02 /* change of a pressure that needs no other solve */

double px_cloth_volume(const PxClothFace *face, uint32_t faces, const PxVec3 *x)
{
    double sum = 0;
    PxVec3 from = x[face[0].corner[0]]; /* near, so that little is lost to rounding */
    for (uint32_t t = 0; t < faces; ++t) {
        const uint32_t *c = face[t].corner;
        PxVec3 a = px_sub(x[c[0]], from), b = px_sub(x[c[1]], from), d = px_sub(x[c[2]], from);
        sum += px_dot(a, px_cross(b, d));
    }
    return sum / 6;
}

/* ---- the system ------------------------------------------------------------------------------ */

static bool has_gas(const PxClothSystem *y, const PxClothLaw *law, uint32_t cloth)
{
    return law[cloth].pressure > 0 && y->volume[cloth] * y->volume[cloth] > 0;
}

/* The piece of cloth of a face, as a part. */
static PxClothGasPart part_of(const PxClothSystem *y, uint32_t face)
{
    PxClothGasPart p = {.cloth = y->of_face[face], .face = {face, face}};
    while (p.face[1] < y->faces && y->of_face[p.face[1]] == p.cloth)
        ++p.face[1];
    return p;
}

static double volume_at(const PxClothSystem *y, const PxClothGasPart *p, const PxVec3 *x)
{
    double v = px_cloth_volume(y->face + p->face[0], p->face[1] - p->face[0], x);
    return y->volume[p->cloth] > 0 ? v : -v;
}

/* That at the end of the step with the present w. */
static double volume_then(const PxClothStep *s, const PxClothGasPart *p)
{
    const PxClothSystem *y = s->system;
    PxVec3 from = s->x[p->vertex[0]];
    double sum = 0;
    for (uint32_t t = p->face[0]; t < p->face[1]; ++t) {
        PxVec3 x[3];
        for (int k = 0; k < 3; ++k) {
            uint32_t i = y->face[t].corner[k];
            x[k] = px_mad(px_sub(s->x[i], from), s->w[i], s->dt);
        }
        sum += px_dot(x[0], px_cross(x[1], x[2]));
    }
    return (y->volume[p->cloth] > 0 ? sum : -sum) / 6;
}

/* Sets the gradient of the volume at the vertices of a part. */
static void set_area(const PxClothStep *s, const PxClothGasPart *p, PxVec3 *area)
{
    const PxClothSystem *y = s->system;
    double out = y->volume[p->cloth] > 0 ? 1 / 6.0 : -1 / 6.0;
    for (uint32_t t = p->face[0]; t < p->face[1]; ++t) {
        const uint32_t *c = y->face[t].corner;
        PxVec3 n = px_cross(px_sub(s->x[c[1]], s->x[c[0]]), px_sub(s->x[c[2]], s->x[c[0]]));
        for (int k = 0; k < 3; ++k)
            area[c[k]] = px_mad(area[c[k]], n, out);
    }
}

static void set_blocks(PxClothGas *gas)
{
    gas->blocks = 0;
    for (uint32_t k = 0; k < gas->parts; ++k)
        for (uint32_t i = gas->part[k].vertex[0]; i < gas->part[k].vertex[1]; i += BLOCK) {
            uint32_t end = gas->part[k].vertex[1];
            gas->block[gas->blocks++] =
                (PxClothGasBlock){.part = k, .begin = i, .end = end - i > BLOCK ? i + BLOCK : end};
        }
}

PxStatus px_cloth_gas_begin(PxClothStep *s)
{
    const PxClothSystem *y = s->system;
    uint32_t parts = 0;
    s->gas = NULL;
    for (uint32_t k = 0; k < y->cloths; ++k)
        parts += has_gas(y, s->law, k);
    if (parts == 0)
        return PX_OK;
    PxClothGas *gas = PX_ARENA_ARRAY(s->scratch, PxClothGas, 1);
    if (gas == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for gas");
    *gas = (PxClothGas){
        .part = PX_ARENA_ARRAY(s->scratch, PxClothGasPart, parts),
        .block = PX_ARENA_ARRAY(s->scratch, PxClothGasBlock, y->vertices / BLOCK + parts + 1),
        .area = PX_ARENA_ARRAY(s->scratch, PxVec3, y->vertices + 1)};
    if (gas->part == NULL || gas->block == NULL || gas->area == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for gas in %u pieces", parts);
    memset(gas->area, 0, y->vertices * sizeof *gas->area);
    uint32_t vertex = 0;
    for (uint32_t face = 0; face < y->faces;) {
        PxClothGasPart p = part_of(y, face);
        face = p.face[1];
        if (!has_gas(y, s->law, p.cloth))
            continue;
        while (y->of_vertex[vertex] != p.cloth)
            ++vertex;
        p.vertex[0] = vertex;
        while (vertex < y->vertices && y->of_vertex[vertex] == p.cloth)
            ++vertex;
        p.vertex[1] = vertex;
        double start = fabs(y->volume[p.cloth]);
        p.amount = s->law[p.cloth].pressure * start;
        p.volume = volume_at(y, &p, s->x);
        p.least = fmax(LOW * p.volume, FLAT * start);
        set_area(s, &p, gas->area);
        gas->part[gas->parts++] = p;
    }
    set_blocks(gas);
    s->gas = gas;
    s->rows.touched = true;
    return PX_OK;
}

/* The gradient times the velocities v, m^3/s. */
static double flow(const PxClothGas *gas, const PxClothGasPart *p, const PxVec3 *v)
{
    double sum = 0;
    for (uint32_t i = p->vertex[0]; i < p->vertex[1]; ++i)
        sum += px_dot(gas->area[i], v[i]);
    return sum;
}

bool px_cloth_gas_linearise(PxClothStep *s)
{
    bool changed = false;
    for (uint32_t k = 0; s->gas != NULL && k < s->gas->parts; ++k) {
        PxClothGasPart *p = &s->gas->part[k];
        double linear = p->volume + s->dt * flow(s->gas, p, s->w);
        double last = p->at > 0 ? (p->amount / p->at) * (2 - (linear + p->bend) / p->at) : 0;
        double then = volume_then(s, p);
        p->bend = then - linear;
        p->at = fmax(then, p->least);
        double pressure = p->amount / p->at, slope = pressure / p->at;
        changed = changed || fabs(pressure - last) > SETTLED * pressure;
        /* at the velocities u, to which the solve is relative */
        double expected = p->volume + p->bend + s->dt * flow(s->gas, p, s->u);
        double give = s->dt * (pressure - slope * (expected - p->at));
        for (uint32_t i = p->vertex[0]; i < p->vertex[1]; ++i)
            s->b[i] = px_mad(s->b[i], s->gas->area[i], give - p->given);
        p->given = give;
        p->stiff = s->dt * s->dt * slope;
    }
    return changed;
}

void px_cloth_gas_forget(PxClothStep *s)
{
    for (uint32_t k = 0; s->gas != NULL && k < s->gas->parts; ++k)
        s->gas->part[k].given = 0;
}

/* ---- the product ----------------------------------------------------------------------------- */

static void sum_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxClothStep *s = user;
    for (uint32_t k = begin; k < end; ++k) {
        PxClothGasBlock *b = &s->gas->block[k];
        b->sum = 0;
        for (uint32_t i = b->begin; i < b->end; ++i) {
            const float *z = s->rows.z + 4 * (size_t)s->system->pattern.row[i];
            b->sum += px_dot(s->gas->area[i], px_vec((double)z[0], (double)z[1], (double)z[2]));
        }
    }
}

static void push_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxClothStep *s = user;
    for (uint32_t k = begin; k < end; ++k) {
        const PxClothGasBlock *b = &s->gas->block[k];
        const PxClothGasPart *p = &s->gas->part[b->part];
        for (uint32_t i = b->begin; i < b->end; ++i) {
            uint32_t row = s->system->pattern.row[i];
            float *at = s->rows.more + 24 * (size_t)(row / 8) + row % 8;
            PxVec3 push = px_scale(s->gas->area[i], p->stiff * p->sum);
            at[0] = (float)push.x;
            at[8] = (float)push.y;
            at[16] = (float)push.z;
        }
    }
}

void px_cloth_gas_product(PxClothStep *s)
{
    PxClothGas *gas = s->gas;
    /* contacts add to this */
    memset(s->rows.more, 0, 24 * (size_t)s->system->pattern.slices * sizeof *s->rows.more);
    px_parallel_for(s->threads, gas->blocks, 1, sum_block, s);
    for (uint32_t k = 0; k < gas->parts; ++k)
        gas->part[k].sum = 0;
    for (uint32_t k = 0; k < gas->blocks; ++k)
        gas->part[gas->block[k].part].sum += gas->block[k].sum;
    px_parallel_for(s->threads, gas->blocks, 1, push_block, s);
}

/* ---- energy ---------------------------------------------------------------------------------- */

double px_cloth_gas_energy(const PxClothSystem *y, const PxClothLaw *law, uint32_t cloth,
                           const PxVec3 *x)
{
    if (!has_gas(y, law, cloth))
        return 0;
    uint32_t face = 0;
    while (y->of_face[face] != cloth)
        ++face;
    PxClothGasPart p = part_of(y, face);
    double start = fabs(y->volume[cloth]), amount = law[cloth].pressure * start;
    return amount * log(start / fmax(volume_at(y, &p, x), FLAT * start));
}

double px_cloth_gas_energy_then(const PxClothStep *s)
{
    double sum = 0;
    for (uint32_t k = 0; s->gas != NULL && k < s->gas->parts; ++k) {
        const PxClothGasPart *p = &s->gas->part[k];
        double start = fabs(s->system->volume[p->cloth]);
        sum += p->amount * log(start / fmax(volume_then(s, p), FLAT * start));
    }
    return sum;
}
