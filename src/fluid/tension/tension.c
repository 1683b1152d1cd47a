#include "fluid/tension/tension.h"

#include "base/family.h"
#include "phyxel/world.h"

#include <math.h>
#include <string.h>

/* A new model needs its own file and a line here. */
#define MODELS(X)                                                                                  \
    X(PxTensionModel, px_csf)                                                                      \
    X(PxTensionModel, px_becker)                                                                   \
    X(PxTensionModel, px_becker_cut)                                                               \
    X(PxTensionModel, px_akinci)                                                                   \
    X(PxTensionModel, px_he)

static const PxModelInfo none = {.name = "none", .summary = "no surface tension"};
#define NONE &none,
PX_FAMILY(px_tension_family, "tension", MODELS, NONE)

const PxTensionModel *px_tension_find(const char *name, PxIsa isa)
{
    const PxModelInfo *info = px_family_pick(&px_tension_family, name, isa);
    return info != &none ? (const PxTensionModel *)info : NULL;
}

PxModelChoice px_tension_choice(const char *model)
{
    return px_family_choice(&px_tension_family, model);
}

/* ---- what several models use ---------------------------------------------- */

typedef struct PackWeight {
    const PxFluid *fluid;
    uint32_t slot;
    const float *weight;
} PackWeight;

static void pack_weight_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PackWeight *pack = user;
    const uint32_t *material = pack->fluid->particles->material;
    float *quad = pack->fluid->quad;
    for (uint32_t i = begin; i < end; ++i)
        quad[4 * (size_t)i + 3] = material[i] == pack->slot ? pack->weight[i] : 0.0f;
}

void px_tension_pack_weight(const PxFluid *f, uint32_t slot, const float *weight)
{
    PackWeight pack = {f, slot, weight};
    px_parallel_for(f->threads, f->count, 4 * PX_BLOCK, pack_weight_block, &pack);
    px_fluid_refresh_w(f, f->quad);
}

static void share_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PackWeight *pack = user;
    const PxFluid *f = pack->fluid;
    const PxMaterialDef *def = &f->material[pack->slot].def;
    float *to = (float *)pack->weight;
    for (uint32_t i = begin; i < end; ++i) {
        float share = px_tension_share(f, def, i);
        to[i] = f->particles->mass[i] * (share > 1e-9f ? share : 1e-9f);
    }
}

PxStatus px_tension_masses(PxFluid *f, uint32_t slot, const float **out)
{
    *out = f->particles->mass;
    if (f->melted == NULL)
        return PX_OK;
    PackWeight pack = {f, slot, PX_ARENA_ARRAY(f->scratch, float, f->count)};
    *out = pack.weight;
    if (pack.weight == NULL)
        return px_fail(PX_ERR_MEMORY, "tension: no room for %u particles", f->count);
    px_parallel_for(f->threads, f->count, 4 * PX_BLOCK, share_block, &pack);
    return PX_OK;
}

PxStatus px_tension_colour(PxFluid *f, uint32_t slot, PxColour *out)
{
    float **member[] = {&out->x, &out->y, &out->z, &out->filled};
    for (size_t k = 0; k < PX_COUNT(member); ++k) {
        *member[k] = PX_ARENA_ARRAY(f->scratch, float, f->count);
        if (*member[k] == NULL)
            return px_fail(PX_ERR_MEMORY, "tension: no room for the normals of %u particles",
                           f->count);
    }
    PxColourJob job = {f, slot, *out};
    px_tension_pack_weight(f, slot, f->volume);
    px_parallel_for(f->threads, f->count, PX_BLOCK, PX_ISA_PICK(f->isa, px_colour_block), &job);
    return PX_OK;
}

PxStatus px_tension_normals(PxFluid *f, const PxColour *colour, const float *w, float **out)
{
    *out = PX_ARENA_ARRAY(f->scratch, float, px_quads_floats(px_fluid_visible(f)));
    if (*out == NULL)
        return px_fail(PX_ERR_MEMORY, "tension: no room for the normals of %u particles", f->count);
    px_fluid_pack(f, *out, colour->x, colour->y, colour->z, w);
    return PX_OK;
}

void px_tension_pull(const PxFluid *f, uint32_t i, float ax, float ay, float az)
{
    PxParticles *p = f->particles;
    float gx = f->wall_gx[i], gy = f->wall_gy[i], gz = f->wall_gz[i];
    float g2 = gx * gx + gy * gy + gz * gz;
    float along = ax * gx + ay * gy + az * gz; /* the gradient points into the wall */
    float back = 0.0f;
    if (g2 > 0.0f && along < 0.0f) {
        /* Half a spacing from a flat wall, where a filled body ends, it bears the whole pull. */
        double s = f->spacing;
        float full = (float)(s * px_kernel_plane((double)f->kernel.h, s));
        back = (f->wall_part[i] < full ? f->wall_part[i] / full : 1.0f) * along / g2;
    }
    f->wall_push[i] += p->mass[i] * back;
    p->ax[i] += ax - back * gx;
    p->ay[i] += ay - back * gy;
    p->az[i] += az - back * gz;
}

PxStatus px_tension_keep_columns(PxParticles *particles, const PxMaterialDef *def)
{
    PxTable *table = &particles->table;
    if (strcmp(def->tension.model, "csf") == 0 && px_table_find(table, "anchor") == NULL)
        PX_TRY(px_table_add(table, "anchor", "m", PX_F32, 3, PX_COLUMN_STATE, NULL));
    px_particles_refresh(particles);
    return PX_OK;
}

void px_tension_anchor(const PxParticles *particles, float *out[3])
{
    const PxColumn *column = px_table_find(&particles->table, "anchor");
    for (int c = 0; c < 3; ++c)
        out[c] = column->data[c];
}

/* ---- in a step ------------------------------------------------------------- */

static const PxTensionModel *model_of(const PxFluid *f, uint32_t slot)
{
    return px_tension_find(f->material[slot].def.tension.model, f->isa);
}

bool px_fluid_has_tension(const PxFluid *f)
{
    for (uint32_t m = 0; m < f->materials; ++m)
        if (model_of(f, m) != NULL)
            return true;
    return false;
}

PxStatus px_fluid_tension(PxFluid *f)
{
    for (uint32_t m = 0; m < f->materials; ++m) {
        const PxTensionModel *model = model_of(f, m);
        if (model == NULL)
            continue;
        PxArenaMark mark = px_arena_mark(f->scratch);
        PX_TRY(model->add(f, m));
        px_arena_release(f->scratch, mark);
    }
    return PX_OK;
}

double px_fluid_tension_limit(const PxFluid *f)
{
    double limit = INFINITY;
    for (uint32_t m = 0; m < f->materials; ++m) {
        const PxTensionModel *model = model_of(f, m);
        for (int k = 0; model != NULL && k < px_melt_states(&f->material[m]); ++k) {
            PxMaterial at = px_melt_state(&f->material[m], k);
            limit = fmin(limit, model->step_limit(f, &at));
        }
    }
    return limit;
}

double px_fluid_tension_speed(const PxFluid *f)
{
    double speed = 0;
    for (uint32_t m = 0; m < f->materials; ++m) {
        const PxTensionModel *model = model_of(f, m);
        for (int k = 0; model != NULL && k < px_melt_states(&f->material[m]); ++k) {
            PxMaterial at = px_melt_state(&f->material[m], k);
            speed = fmax(speed, sqrt(model->squeeze(f, &at) / at.def.density));
        }
    }
    return speed;
}
