#include "world/cloth_soft.h"

#include "contact/cloth_solids.h"
#include "contact/sheet_catch.h"
#include "coupling/elastic_set.h"
#include "world/cloth_stage.h"

#include <math.h>
#include <string.h>

/* Soft bodies in a step, in scratch. */
typedef struct PxClothSoft {
    PxClothSolidRow *row;
    uint32_t rows;
    PxVec3 *impulse; /* by row of the particles; NULL: none */
    float *from[6];  /* by row of the particles: places at the start of the step */
} PxClothSoft;

/* Part of the time in which sound passes a spacing. A ball of 1 MPa that falls on a sheet trembles
 * in steps of twice that time, and is thrown off in steps of seven times. */
#define PASSES 0.7

/* Part of the friction of a step that the next one expects. Below 1 what it resists creeps, by this
 * part less; with 1 a row would swing about its place for ever. */
#define EXPECTED 0.95

static const char grip_name[] = "cloth_grip";

PxStatus px_cloth_soft_columns(PxWorld *world, const PxMaterialDef *def)
{
    PxTable *t = &world->particles.table;
    PxElasticColumns elastic;
    bool cloth = def->cloth.cloth;
    for (size_t k = 0; k < world->materials.count; ++k)
        cloth = cloth || world->materials.data[k].def.cloth.cloth;
    if (!cloth || !px_elastic_columns(t, &elastic) || px_table_find(t, grip_name) != NULL)
        return PX_OK;
    return px_table_add(t, grip_name, "N", PX_F32, 3, PX_COLUMN_STATE, NULL);
}

/* ---- what is near ---------------------------------------------------------------------------- */

static PxVec3 velocity_of(const PxParticles *p, uint32_t i)
{
    return px_vec((double)p->vx[i], (double)p->vy[i], (double)p->vz[i]);
}

/* Stiffness against uniaxial strain, Pa. */
static double modulus_of(const PxMaterialDef *def)
{
    double nu = def->poisson,
           axes = fmax(def->young_axes.x, fmax(def->young_axes.y, def->young_axes.z));
    return fmax(def->young, axes) * (1 - nu) / ((1 + nu) * (1 - 2 * nu));
}

static double sound_of(const PxMaterialDef *def)
{
    return sqrt(modulus_of(def) / def->density);
}

static double thickest(const PxWorld *world)
{
    double most = 0;
    for (size_t k = 0; k < world->cloths.count; ++k)
        most =
            fmax(most, world->materials.data[world->cloths.data[k].material].def.cloth.thickness);
    return most;
}

double px_cloth_soft_limit(const PxWorld *world)
{
    const PxParticles *p = &world->particles;
    PxElasticColumns elastic;
    if (world->cloth_vertices.count == 0 || !px_elastic_columns(&p->table, &elastic))
        return INFINITY;
    double fastest, thick = thickest(world), longest = px_cloth_stage_limit(world);
    double limit = INFINITY;
    PxBounds b = px_cloth_bounds(world, &fastest);
    for (uint32_t i = 0; i < p->table.count; ++i) {
        const PxMaterialDef *def = &world->materials.data[p->material[i]].def;
        if (elastic.component[i] == 0 || strcmp(def->integration.model, "implicit") == 0)
            continue;
        double radius = (double)p->radius[i], own = PASSES * 2 * radius / sound_of(def);
        double way = (px_length(velocity_of(p, i)) + fastest) * longest;
        if (own < limit && px_bounds_near(&b, px_particle_place(p, i), 3 * radius + thick + way))
            limit = own;
    }
    return limit;
}

/* ---- the solve ------------------------------------------------------------------------------- */

/* The longest step allowed while a particle is near cloth. The stiffness of its contacts is that of
 * this step: with the present one a contact that is pressed would gain energy whenever the step is
 * shortened, since the stiffness is the mass over the square of the step. */
static double usual_step(const PxClothStep *s, const PxMaterialDef *def, double radius)
{
    double step = strcmp(def->integration.model, "implicit") != 0
                      ? PASSES * 2 * radius / sound_of(def)
                      : INFINITY;
    for (uint32_t k = 0; k < s->system->cloths; ++k)
        step = fmin(step, s->law[k].step);
    return step;
}

static PxClothSolidRow row_of(const PxWorld *world, const PxClothStep *s, uint32_t i)
{
    const PxParticles *p = &world->particles;
    const PxMaterialDef *def = &world->materials.data[p->material[i]].def;
    double radius = (double)p->radius[i], layers = sound_of(def) * s->dt / (2 * radius);
    double step = usual_step(s, def, radius);
    PxClothSolidRow r = {.row = i,
                         .place = px_particle_place(p, i),
                         .velocity = velocity_of(p, i),
                         .mass = (double)p->mass[i] * (1 + layers),
                         .radius = radius,
                         .friction = def->friction};
    double usual = (double)p->mass[i] * (1 + sound_of(def) * step / (2 * radius));
    r.stiff = fmax(2 * modulus_of(def) * radius, usual / (step * step));
    return r;
}

static PxBounds bounds_of(const PxClothStep *s)
{
    PxBounds b = px_bounds_empty();
    for (uint32_t i = 0; i < s->system->vertices; ++i) {
        px_bounds_add(&b, s->x[i]);
        px_bounds_add(&b, px_mad(s->x[i], s->w[i], s->dt));
    }
    return b;
}

static PxStatus keep_places(PxClothSoft *soft, const PxParticles *p, PxArena *scratch)
{
    const float *const now[6] = {p->x, p->y, p->z, p->x_low, p->y_low, p->z_low};
    for (int k = 0; k < 6; ++k) {
        soft->from[k] = PX_ARENA_ARRAY(scratch, float, p->table.count);
        if (soft->from[k] == NULL)
            return px_fail(PX_ERR_MEMORY, "cloth: no room for %u particles", p->table.count);
        memcpy(soft->from[k], now[k], p->table.count * sizeof(float));
    }
    return PX_OK;
}

PxStatus px_cloth_soft_begin(PxWorld *world, PxClothStep *s)
{
    const PxParticles *p = &world->particles;
    const PxColumn *grip = px_table_find(&p->table, grip_name);
    PxElasticColumns elastic;
    PxSolidColumns solid;
    world->cloth_soft = NULL;
    if (p->table.count == 0 || grip == NULL || !px_elastic_columns(&p->table, &elastic) ||
        !px_solid_columns(&p->table, &solid))
        return PX_OK;
    PxClothSoft *soft = PX_ARENA_ARRAY(s->scratch, PxClothSoft, 1);
    PxClothSolidRow *row = PX_ARENA_ARRAY(s->scratch, PxClothSolidRow, p->table.count);
    if (soft == NULL || row == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u particles", p->table.count);
    *soft = (PxClothSoft){.row = row};
    PX_TRY(keep_places(soft, p, s->scratch));
    PxBounds b = bounds_of(s);
    double thick = thickest(world);
    for (uint32_t i = 0; i < p->table.count; ++i) {
        if (elastic.component[i] == 0)
            continue;
        PxClothSolidRow r = row_of(world, s, i);
        r.held = solid.handle[i] != 0;
        r.grip = px_vec((double)((const float *)grip->data[0])[i],
                        (double)((const float *)grip->data[1])[i],
                        (double)((const float *)grip->data[2])[i]);
        r.grip = px_scale(r.grip, EXPECTED * s->dt);
        double reach = 1.2 * (r.radius + thick) + px_length(r.velocity) * s->dt;
        if (px_bounds_near(&b, r.place, reach))
            row[soft->rows++] = r;
    }
    world->cloth_soft = soft;
    return px_cloth_solids_begin(s, soft->row, soft->rows);
}

PxStatus px_cloth_soft_return(PxWorld *world, const PxClothStep *s)
{
    PxClothSoft *soft = world->cloth_soft;
    uint32_t count = world->particles.table.count;
    if (soft == NULL)
        return PX_OK;
    soft->impulse = PX_ARENA_ARRAY(s->scratch, PxVec3, count + 1);
    if (soft->impulse == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u particles", count);
    memset(soft->impulse, 0, count * sizeof *soft->impulse);
    for (uint32_t n = 0; n < soft->rows; ++n) {
        const PxClothSolidRow *r = &soft->row[n];
        if (r->body == 0 || r->held)
            continue;
        const PxClothBody *o = &s->bodies->body[r->body - 1];
        soft->impulse[r->row] = px_mad(o->expected[0], o->change[0], r->mass);
    }
    return PX_OK;
}

void px_cloth_soft_push(const PxWorld *world, PxSolid *s)
{
    const PxClothSoft *soft = world->cloth_soft;
    const uint32_t *of = world->elastic_set.row.data; /* by row of the set */
    for (uint32_t i = 0; soft != NULL && soft->impulse != NULL && i < s->count; ++i)
        if (of[i] != PX_ELSEWHERE)
            px_solid_add(s, s->pull, i, soft->impulse[of[i]], (double)s->inverse_mass[i] / s->dt);
}

/* ---- crossing -------------------------------------------------------------------------------- */

PxStatus px_cloth_soft_catch(PxWorld *world, PxClothStep *s, const PxVec3 *at)
{
    const PxClothSoft *soft = world->cloth_soft;
    uint32_t count = world->particles.table.count, cloths = s->system->cloths;
    if (soft == NULL || soft->rows == 0 || world->sheets != NULL)
        return PX_OK;
    uint8_t *held = PX_ARENA_ARRAY(s->scratch, uint8_t, s->system->vertices + 1);
    double *keep = PX_ARENA_ARRAY(s->scratch, double, cloths + 1);
    float *far = PX_ARENA_ARRAY(s->scratch, float, count + 1);
    PxSheet *sheet = PX_ARENA_ARRAY(s->scratch, PxSheet, cloths + 1);
    if (held == NULL || keep == NULL || far == NULL || sheet == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u particles", count);
    for (uint32_t i = 0; i < count; ++i)
        far[i] = INFINITY;
    for (uint32_t n = 0; n < soft->rows; ++n)
        far[soft->row[n].row] = 0.0f;
    for (uint32_t i = 0; i < s->system->vertices; ++i)
        held[i] = s->hold[i] == PX_CLOTH_FIXED;
    memset(sheet, 0, (cloths + 1) * sizeof *sheet);
    for (uint32_t k = 0; k < cloths; ++k)
        keep[k] = 0.5 * s->law[k].thickness;
    PxSheets sheets = {.system = s->system,
                       .x = s->x,
                       .mass = s->mass,
                       .held = held,
                       .sheet = sheet,
                       .sheets = cloths,
                       .reach = world->def.spacing};
    PX_TRY(px_sheet_tree_fit(&sheets.tree, s->system, s->x, s->scratch, s->threads));
    PxSheetCatch c = {.sheets = &sheets,
                      .at = at,
                      .w = s->w,
                      .particles = &world->particles,
                      .far = far,
                      .beyond = INFINITY,
                      .keep = keep,
                      .boundary = world->boundaries.data,
                      .boundaries = world->boundaries.count,
                      .scratch = s->scratch,
                      .threads = s->threads};
    for (int k = 0; k < 6; ++k)
        c.from[k] = soft->from[k];
    PX_TRY(px_sheet_catch(&c));
    world->state.caught += c.caught;
    world->state.leaked += c.leaked;
    return PX_OK;
}

void px_cloth_soft_commit(PxWorld *world)
{
    const PxClothSoft *soft = world->cloth_soft;
    const PxColumn *grip = px_table_find(&world->particles.table, grip_name);
    world->cloth_soft = NULL;
    if (soft == NULL || soft->impulse == NULL || grip == NULL)
        return;
    for (int c = 0; c < 3; ++c)
        memset(grip->data[c], 0, world->particles.table.count * sizeof(float));
    for (uint32_t n = 0; n < soft->rows; ++n) {
        const PxClothSolidRow *r = &soft->row[n];
        if (r->body == 0 || r->held)
            continue;
        PxVec3 j = soft->impulse[r->row];
        j = px_scale(px_mad(j, r->normal, -px_dot(j, r->normal)), 1 / world->dt);
        ((float *)grip->data[0])[r->row] = (float)j.x;
        ((float *)grip->data[1])[r->row] = (float)j.y;
        ((float *)grip->data[2])[r->row] = (float)j.z;
    }
}
