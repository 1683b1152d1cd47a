#include "world/sheet_stage.h"

#include "contact/sheet_catch.h"
#include "contact/sheet_near.h"
#include "world/cloth_stage.h"
#include "world/wet_stage.h"

#include <math.h>
#include <string.h>

/* Sheets of a step, and where particles were at its start. */
typedef struct PxSheetRun {
    PxSheets sheets;
    float *from[6];
    PxVec3 *solved; /* of the last solve of the cloth */
    bool any;       /* there was one */
    bool assembled; /* the blocks of the cloth's matrix between vertices are those of this step */
} PxSheetRun;

static void set_sheets(const PxWorld *world, const PxFluid *fluid, PxSheets *s)
{
    bool viscous = px_fluid_is_viscous(fluid);
    for (uint32_t k = 0; k < s->sheets; ++k) {
        const PxCloth *cloth = &world->cloths.data[k];
        const PxClothDef *def = &world->materials.data[cloth->material].def.cloth;
        s->sheet[k].slip = def->fluid_friction;
        s->sheet[k].drag = def->fluid_drag;
        s->sheet[k].boundary.body = cloth->body;
        s->sheet[k].boundary.made = world->bodies.data[cloth->body].generation;
        s->sheet[k].boundary.friction = def->fluid_grip;
        if (viscous && def->fluid_grip > 0) /* viscous drag reaches as far as the kernel */
            s->reach = 2 * s->half;
    }
}

/* The walls, and behind them the sheets. */
static PxStatus append_boundaries(PxSheets *s, PxFluid *f)
{
    PxBoundary **list = PX_ARENA_ARRAY(f->scratch, PxBoundary *, f->boundaries + s->sheets + 1);
    if (list == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u boundaries", s->sheets);
    for (size_t k = 0; k < f->boundaries; ++k)
        list[k] = f->boundary[k];
    for (uint32_t k = 0; k < s->sheets; ++k)
        list[f->boundaries + k] = &s->sheet[k].boundary;
    f->boundary = list;
    f->boundaries += s->sheets;
    return PX_OK;
}

PxStatus px_sheet_stage_begin(PxWorld *world, PxFluid *fluid)
{
    const PxClothSystem *y = &world->cloth_system;
    world->sheets = NULL;
    if (y->faces == 0 || world->cloth_vertices.count == 0)
        return PX_OK;
    PxSheetRun *run = PX_ARENA_ARRAY(&world->scratch, PxSheetRun, 1);
    PxVec3 *x = PX_ARENA_ARRAY(&world->scratch, PxVec3, y->vertices + 1);
    PxVec3 *v = PX_ARENA_ARRAY(&world->scratch, PxVec3, y->vertices + 1);
    double *mass = PX_ARENA_ARRAY(&world->scratch, double, y->vertices + 1);
    uint8_t *held = PX_ARENA_ARRAY(&world->scratch, uint8_t, y->vertices + 1);
    if (run == NULL || x == NULL || v == NULL || mass == NULL || held == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u vertices in fluids", y->vertices);
    memset(run, 0, sizeof *run);
    run->solved = PX_ARENA_ARRAY(&world->scratch, PxVec3, y->vertices + 1);
    if (run->solved == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u vertices in fluids", y->vertices);
    PX_TRY(px_cloth_vertices(world, x, v, mass, held));
    PxSheets *s = &run->sheets;
    *s = (PxSheets){.system = y,
                    .x = x,
                    .sent = v,
                    .mass = mass,
                    .held = held,
                    .dt = world->dt,
                    .half = 0.5 * (double)fluid->kernel.h,
                    .reach = 0.5 * (double)fluid->kernel.h,
                    .spacing = world->def.spacing,
                    .scratch = &world->scratch};
    double *wetness;
    PX_TRY(px_wet_saturation(world, &wetness));
    s->wetness = wetness;
    PX_TRY(px_sheets_begin(s, &world->scratch, &world->threads));
    set_sheets(world, fluid, s);
    PX_TRY(px_sheets_find(s, fluid->grid, fluid->particles, fluid->isa, fluid->threads));
    PX_TRY(append_boundaries(s, fluid));
    world->sheets = run;
    return PX_OK;
}

void px_sheet_stage_keep(const PxWorld *world, const PxVec3 *w, bool assembled)
{
    PxSheetRun *run = world->sheets;
    run->assembled = assembled;
    if (w == NULL)
        return;
    memcpy(run->solved, w, run->sheets.system->vertices * sizeof *w);
    run->any = true;
}

bool px_sheet_stage_assembled(const PxWorld *world)
{
    return world->sheets != NULL && world->sheets->assembled;
}

const PxVec3 *px_sheet_stage_solved(const PxWorld *world)
{
    return world->sheets != NULL && world->sheets->any ? world->sheets->solved : NULL;
}

PxSheets *px_sheet_stage_sheets(const PxWorld *world)
{
    return world->sheets != NULL ? &world->sheets->sheets : NULL;
}

PxStatus px_sheet_stage_watch(PxWorld *world)
{
    PxSheetRun *run = world->sheets;
    const PxParticles *p = &world->particles;
    const float *const now[6] = {p->x, p->y, p->z, p->x_low, p->y_low, p->z_low};
    if (run == NULL)
        return PX_OK;
    for (int k = 0; k < 6; ++k) {
        run->from[k] = PX_ARENA_ARRAY(&world->scratch, float, p->table.count + 1);
        if (run->from[k] == NULL)
            return px_fail(PX_ERR_MEMORY, "cloth: no room to watch %u particles", p->table.count);
        memcpy(run->from[k], now[k], p->table.count * sizeof(float));
    }
    return PX_OK;
}

void px_sheet_stage_load(const PxWorld *world, PxClothStep *step)
{
    const PxSheetRun *run = world->sheets;
    if (run == NULL)
        return;
    const PxSheets *s = &run->sheets;
    for (uint32_t i = 0; i < s->system->vertices; ++i) {
        step->push[i] = px_mad(step->push[i], s->load[i], 1 / step->dt);
        if (s->held[i])
            continue;
        step->added[i] = s->added[i];
        step->added_velocity[i] = s->sent[i];
    }
}

PxStatus px_sheet_stage_return(PxWorld *world, const PxFluid *fluid, const PxClothStep *step)
{
    PxSheetRun *run = world->sheets;
    if (run == NULL)
        return PX_OK;
    PxSheets *s = &run->sheets;
    PxVec3 *change = PX_ARENA_ARRAY(&world->scratch, PxVec3, s->system->vertices + 1);
    if (change == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u vertices", s->system->vertices);
    for (uint32_t i = 0; i < s->system->vertices; ++i)
        change[i] = s->held[i] ? px_vec(0, 0, 0) : px_sub(step->w[i], s->sent[i]);
    return px_sheets_return(s, fluid, change);
}

static bool tests_ways(const PxWorld *world)
{
    bool all = true;
    for (size_t k = 0; k < world->cloths.count; ++k)
        all = all && world->materials.data[world->cloths.data[k].material].def.cloth.fluid_test;
    return all;
}

PxStatus px_sheet_stage_catch(PxWorld *world, PxClothStep *step, const PxVec3 *at)
{
    PxSheetRun *run = world->sheets;
    if (run == NULL || run->from[0] == NULL)
        return PX_OK;
    double *keep = PX_ARENA_ARRAY(&world->scratch, double, run->sheets.sheets + 1);
    if (keep == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u sheets", run->sheets.sheets);
    for (uint32_t k = 0; k < run->sheets.sheets; ++k)
        keep[k] = 0.5 * step->law[k].thickness;
    PxSheetCatch c = {.sheets = &run->sheets,
                      .at = at,
                      .w = step->w,
                      .particles = &world->particles,
                      .far = run->sheets.nearest,
                      .beyond = run->sheets.reach,
                      .keep = keep,
                      .only_count = !tests_ways(world),
                      .first = world->state.step == 0,
                      .boundary = world->boundaries.data,
                      .boundaries = world->boundaries.count,
                      .scratch = &world->scratch,
                      .threads = &world->threads};
    for (int k = 0; k < 6; ++k)
        c.from[k] = run->from[k];
    PX_TRY(px_sheet_catch(&c));
    world->state.caught += c.caught;
    world->state.leaked += c.leaked;
    return PX_OK;
}
