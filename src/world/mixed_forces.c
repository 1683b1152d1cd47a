/// What fluids and solids of a mixed world do to each other in a step (docs/decisions.md 20).
#include "contact/solid_fluid.h"
#include "world/mixed.h"

PxStatus px_mixed_join(PxWorld *world, PxFluid *f)
{
    if (!world->mixed)
        return PX_OK;
    PxParticles *p = f->particles;
    PxMixedColumns mixed = px_mixed_columns(&p->table);
    PxSolidColumns solid;
    px_solid_columns(&p->table, &solid);
    f->firm = PX_ARENA_ARRAY(f->scratch, float, f->count);
    f->own = PX_ARENA_ARRAY(f->scratch, float, f->count);
    if (f->firm == NULL || f->own == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u particles", f->count);
    float *const wall[] = {f->wall_part, f->wall_gx,    f->wall_gy,   f->wall_gz,
                           f->wall_flux, f->wall_lever, f->wall_drag, f->wall_vx,
                           f->wall_vy,   f->wall_vz,    f->wall_slip};
    for (uint32_t i = 0; i < f->count; ++i) {
        f->firm[i] = mixed.piece[i] > 0 ? px_mixed_firm(world, i) : 0.0f;
        f->own[i] = 0.0f;
        if (mixed.piece[i] == 0)
            continue;
        /* Walls meet solids by contact, with friction, not by pressure. */
        for (size_t k = 0; k < PX_COUNT(wall); ++k)
            wall[k][i] *= 1.0f - f->firm[i];
        if (solid.handle[i] != 0) {
            f->inverse_mass[i] = 0.0f;
            p->ax[i] = p->ay[i] = p->az[i] = 0.0f;
        }
    }
    return PX_OK;
}

PxStatus px_mixed_press(PxWorld *world, PxFluid *f)
{
    if (!world->mixed || world->solid_lists.count == 0)
        return PX_OK;
    PxMixedColumns mixed = px_mixed_columns(&f->particles->table);
    for (uint32_t i = 0; i < f->count; ++i)
        if (mixed.slot[i] > 0)
            world->shaped_rows.data[mixed.slot[i] - 1] = i;
    PxSolid s = {.lists = &world->solid_lists, .count = world->solid_lists.count, .isa = f->isa};
    return px_solid_fluid_own(f, &s, world->shaped_rows.data);
}

/* Part of the way that what is steady follows what is now, a step; 0.03 to 0.3 are alike. */
#define STEADY 0.1f

/* What fluids do to the rows of a mixed world's solids in this step, in the frames.
 *
 * Fluid forces are computed once a step and elastic ones in sub-steps between (000 Figure 6.2).
 * Pressure is found for particles that fly freely during the step. Those of a stiff solid swing
 * to and fro in the meantime, and a push that lasts for the whole step does work on them
 * on the way back too: a cube of 50 kPa that floats in water shook with 9 J, all of them made
 * that way. A push at the beginning of the step, as a change of velocity, does what pressure was
 * found for, and takes energy away where things collide; but a steady load in kicks makes
 * what carries it ring. So what is steady lasts, and what changes comes at once: less than 0.1 J.
 */
void px_mixed_push(PxWorld *world, PxSolid *s, const PxFluid *fluid)
{
    const PxParticles *p = &world->shaped;
    PxMixedColumns mixed = px_mixed_columns(&p->table);
    const float *const a[3] = {p->ax, p->ay, p->az};
    float dt = (float)world->dt;
    for (uint32_t i = 0; i < s->count; ++i) {
        if (s->inverse_mass[i] == 0.0f)
            continue;
        if (fluid->inverse_mass[world->shaped_rows.data[i]] == 0.0f)
            s->inverse_mass[i] = 0.0f; /* a pipe has it */
        float lasts[3], kick[3];
        for (int c = 0; c < 3; ++c) {
            float *steady = &mixed.steady[c][i];
            *steady += STEADY * (a[c][i] - *steady);
            lasts[c] = *steady;
            kick[c] = dt * (a[c][i] - *steady);
        }
        PxMat3 back = px_mat3_transpose(s->frame[s->frame_of[i]].turn);
        PxVec3 pull =
            px_mat3_apply(back, px_vec((double)lasts[0], (double)lasts[1], (double)lasts[2]));
        PxVec3 jump =
            px_mat3_apply(back, px_vec((double)kick[0], (double)kick[1], (double)kick[2]));
        float *to = s->pull + 4 * (size_t)i, *v = s->v + 4 * (size_t)i;
        to[0] = (float)pull.x;
        to[1] = (float)pull.y;
        to[2] = (float)pull.z;
        v[0] += (float)jump.x;
        v[1] += (float)jump.y;
        v[2] += (float)jump.z;
    }
}
