#include "fluid/fluid.h"

#include <string.h>

static void begin_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    PxFluid *f = user;
    for (uint32_t i = begin; i < end; ++i)
        f->inverse_mass[i] = 1.0f / f->particles->mass[i];
    float *const zero[] = {f->wall_push, f->wall_rate, f->wall_lx, f->wall_ly, f->wall_lz};
    for (size_t k = 0; k < PX_COUNT(zero); ++k)
        memset(zero[k] + begin, 0, (end - begin) * sizeof *zero[k]);
}

/* Is there a boundary with a temperature? */
static bool has_warm_boundary(const PxFluid *f)
{
    bool conducts = false, warm = false;
    for (uint32_t m = 0; m < f->materials; ++m)
        conducts = conducts || f->material[m].def.diffusivity > 0;
    for (size_t k = 0; k < f->boundaries; ++k)
        warm = warm || !isnan(f->boundary[k]->temperature);
    return conducts && warm;
}

PxStatus px_fluid_begin(PxFluid *f)
{
    const PxParticles *p = f->particles;
    f->quad = PX_ARENA_ARRAY(f->scratch, float, px_quads_floats(px_fluid_visible(f)));
    f->quad_velocity = NULL;
    f->yield = NULL;
    f->shift[0] = f->shift[1] = f->shift[2] = NULL;
    f->touches = PX_ARENA_ARRAY(f->scratch, struct PxTouches *, f->count / PX_BLOCK + 1);
    bool room = f->quad != NULL && f->touches != NULL;
    float **const arrays[] = {&f->volume,     &f->inverse_mass, &f->wall_part, &f->wall_gx,
                              &f->wall_gy,    &f->wall_gz,      &f->wall_flux, &f->wall_far,
                              &f->wall_lever, &f->wall_lift,    &f->wall_drag, &f->wall_vx,
                              &f->wall_vy,    &f->wall_vz,      &f->wall_slip, &f->wall_push,
                              &f->wall_cos,   &f->wall_stick,   &f->wall_mx,   &f->wall_my,
                              &f->wall_mz,    &f->wall_rate,    &f->wall_lx,   &f->wall_ly,
                              &f->wall_lz,    &f->wall_parts};
    for (size_t k = 0; k < PX_COUNT(arrays); ++k) {
        *arrays[k] = PX_ARENA_ARRAY(f->scratch, float, px_fluid_visible(f));
        room = room && *arrays[k] != NULL;
    }
    if (!room)
        return px_fail(PX_ERR_MEMORY, "fluid: no room for the scratch of %u particles", f->count);
    f->wall_heat = f->wall_warmth = NULL;
    if (has_warm_boundary(f)) {
        f->wall_heat = PX_ARENA_ARRAY(f->scratch, double, f->count);
        f->wall_warmth = PX_ARENA_ARRAY(f->scratch, double, f->count);
        if (f->wall_heat == NULL || f->wall_warmth == NULL)
            return px_fail(PX_ERR_MEMORY, "fluid: no room for the warmth of %u particles",
                           f->count);
    }
    px_fluid_pack(f, f->quad, p->x, p->y, p->z, NULL);
    px_parallel_for(f->threads, f->count, 4 * PX_BLOCK, begin_block, f);
    return PX_OK;
}

void px_fluid_pack(const PxFluid *f, float *quad, const float *x, const float *y, const float *z,
                   const float *w)
{
    px_quads_pack(quad, x, y, z, w, f->count, f->threads);
    if (f->copies > 0) /* the padding quad lies behind the copies */
        memcpy(quad + 4 * (size_t)px_fluid_visible(f), quad + 4 * (size_t)f->count,
               4 * sizeof(float));
    px_fluid_refresh_quads(f, quad);
}

typedef struct PackW {
    float *quad;
    const float *value;
} PackW;

static void pack_w_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PackW *pack = user;
    for (uint32_t i = begin; i < end; ++i)
        pack->quad[4 * (size_t)i + 3] = pack->value[i];
}

void px_fluid_pack_w(const PxFluid *f, float *quad, const float *value)
{
    PackW pack = {quad, value};
    px_parallel_for(f->threads, f->count, 4 * PX_BLOCK, pack_w_block, &pack);
    px_fluid_refresh_w(f, quad);
}

PxStatus px_fluid_pack_velocity(PxFluid *f, const float *w)
{
    const PxParticles *p = f->particles;
    if (f->quad_velocity == NULL) {
        f->quad_velocity = PX_ARENA_ARRAY(f->scratch, float, px_quads_floats(px_fluid_visible(f)));
        if (f->quad_velocity == NULL)
            return px_fail(PX_ERR_MEMORY, "fluid: no room for %u velocities", f->count);
    }
    px_fluid_pack(f, f->quad_velocity, p->vx, p->vy, p->vz, w);
    return PX_OK;
}
