/// The rest shape of what flows: where everybody is in it, and which strain is left along it.
#include "matter/kernel.h"
#include "solid/carry_stress.h"
#include "world/pieces_parts.h"
#include "world/solids.h"

#include <string.h>

/* Rounds in which the displacement of what is kept reaches out into what follows, and the part of
 * it that gets on each time. */
#define SWEEPS 8
/* Times that what does not fit is taken from what is kept. */
#define PARTS 3
#define REACHES 0.8f

/* How far off a particle may be from where its neighbours say that it is, in the mean, spacings, to
 * keep its rest place, and from where on it does not. */
#define FITS_MOST 0.3f
#define FITS_NONE 0.8f

/* Bounds of a particle's room in the rest shape. */
#define LEAST_BULK 0.25
#define MOST_BULK 4.0

/* ---- where in the rest shape ------------------------------------------------------------ */

static void put(float *quad, PxVec3 v, float w)
{
    quad[0] = (float)v.x;
    quad[1] = (float)v.y;
    quad[2] = (float)v.z;
    quad[3] = w;
}

/* The rest place of a particle that was torn off its neighbours, or came between others, is not
 * among those it is with. It would be in the way there, and be drawn back. */
static void loosen_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    PxFollow *f = user;
    const PxPairs *pairs = &f->world->pairs;
    double spacing = f->world->def.spacing;
    for (uint32_t i = begin; i < end; ++i) {
        if (f->core[i] == 0 || !px_follows(f, i))
            continue;
        PxVec3 off = {0, 0, 0}, m = px_follow_rest(f, i), x = px_particle_place(f->p, i);
        PxMat3 deformed = f->deformed[f->before[i] - 1];
        double count = 0;
        for (uint32_t k = 0; k < pairs->size[i]; ++k) {
            uint32_t j = pairs->row[pairs->start[i] + k];
            if (f->core[j] != f->core[i])
                continue;
            PxVec3 way = px_mat3_apply(deformed, px_sub(px_follow_rest(f, j), m));
            off = px_add(off, px_sub(px_sub(px_particle_place(f->p, j), x), way));
            count += 1;
        }
        if (count > 0)
            f->kept[i] *=
                px_follow_less((float)(px_length(off) / (count * spacing)), FITS_MOST, FITS_NONE);
    }
}

/* Everybody's place in the frame of the piece, and the displacement of what is kept. */
static void place_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    PxFollow *f = user;
    for (uint32_t i = begin; i < end; ++i) {
        if (f->piece[i] == 0)
            continue;
        uint32_t k = f->piece[i] - 1;
        PxMat3 back = px_mat3_transpose(f->turn[k]);
        PxVec3 x = px_mat3_apply(back, px_sub(px_particle_place(f->p, i), f->move[k])), m = x;
        if (f->core[i] > 0) {
            const PxCore *c = &f->core_of[f->core[i] - 1];
            m = px_follow_rest(f, i);
            if (f->core[i] != f->base[k]) {
                PxVec3 there = px_add(px_mat3_apply(c->turn, m), c->move);
                m = px_mat3_apply(back, px_sub(there, f->move[k]));
                for (int a = 0; a < 3; ++a)
                    f->solid.rest[a][i] = (float)(a == 0 ? m.x : a == 1 ? m.y : m.z);
            }
        }
        put(f->place + 4 * (size_t)i, x, 0.0f);
        put(f->own + 4 * (size_t)i, px_sub(x, m), f->core[i] > 0 ? 1.0f : 0.0f);
        memcpy(f->u + 4 * (size_t)i, f->own + 4 * (size_t)i, 4 * sizeof(float));
    }
}

/* The rest shape of what follows is what it is now, moved as what is kept beside it is moved.
 *
 * 000 section 6.8 leaves open how one body can keep its rest shape at one end and lose it at
 * the other. If what follows had no displacement at all, its rest shape would not fit that
 * of the solid beside it, which has one. So the displacement becomes a smooth field: that of
 * the solid where it is solid, less and less of it away from there, and in between both, by the
 * part that is kept. A smooth one keeps neighbours together in the rest shape as
 * well, which is all that is needed of it: strain that comes of it is taken off below. */
static void smooth_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    PxFollow *f = user;
    const PxPairs *pairs = &f->world->pairs;
    float h = (float)(f->world->def.support * f->world->def.spacing);
    for (uint32_t i = begin; i < end; ++i) {
        if (f->piece[i] == 0)
            continue;
        const float *at = f->place + 4 * (size_t)i, *u = f->u + 4 * (size_t)i;
        const float *own = f->own + 4 * (size_t)i;
        float *out = f->next + 4 * (size_t)i, sum[4] = {0, 0, 0, 0};
        memcpy(out, u, 4 * sizeof *out);
        if (!(f->kept[i] < 1.0f))
            continue;
        for (uint32_t k = 0; k < pairs->size[i]; ++k) {
            uint32_t j = pairs->row[pairs->start[i] + k];
            const float *other = f->place + 4 * (size_t)j, *v = f->u + 4 * (size_t)j;
            if (f->piece[j] != f->piece[i] || !(v[3] > 0.0f))
                continue;
            float x = other[0] - at[0], y = other[1] - at[1], z = other[2] - at[2];
            float w = px_solid_weight(x * x + y * y + z * z, h);
            for (int c = 0; c < 3; ++c)
                sum[c] += w * v[c];
            sum[3] += w;
        }
        if (!(sum[3] > 0.0f))
            continue;
        for (int c = 0; c < 3; ++c)
            out[c] = f->kept[i] * own[c] + (1.0f - f->kept[i]) * REACHES * sum[c] / sum[3];
        out[3] = 1.0f;
    }
}

/* Where displacements change by this part of the way from one to the other, rest shapes do not fit
 * each other: where cores meet that came from elsewhere. */
#define JUMP 0.7f

static void part_block(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    PxFollow *f = user;
    const PxPairs *pairs = &f->world->pairs;
    bool any = false;
    for (uint32_t i = begin; i < end; ++i) {
        const float *at = f->place + 4 * (size_t)i, *u = f->u + 4 * (size_t)i;
        if (f->core[i] == 0 || !(f->kept[i] > 0.0f) || !px_follows(f, i))
            continue;
        for (uint32_t k = 0; k < pairs->size[i]; ++k) {
            uint32_t j = pairs->row[pairs->start[i] + k];
            const float *to = f->place + 4 * (size_t)j, *v = f->u + 4 * (size_t)j;
            if (f->piece[j] != f->piece[i] || j == i)
                continue;
            float way = 0, jump = 0;
            for (int c = 0; c < 3; ++c) {
                way += (to[c] - at[c]) * (to[c] - at[c]);
                jump += (v[c] - u[c]) * (v[c] - u[c]);
            }
            if (!(jump > JUMP * JUMP * way))
                continue;
            f->kept[i] = 0.0f;
            any = true;
            break;
        }
    }
    part->most[0] = any;
}

static void smooth(PxFollow *f)
{
    for (int k = 0; k < SWEEPS && f->cores > 0; ++k) {
        px_parallel_for(&f->world->threads, f->n, PX_BLOCK, smooth_block, f);
        float *done = f->next;
        f->next = f->u;
        f->u = done;
    }
}

void px_follow_places(PxFollow *f)
{
    const PxThreads *threads = &f->world->threads;
    px_parallel_for(threads, f->n, PX_BLOCK, loosen_block, f);
    px_parallel_for(threads, f->n, 4 * PX_BLOCK, place_block, f);
    smooth(f);
    for (int k = 0; k < PARTS && f->cores > 0; ++k) {
        PxRows rows = {threads, &f->world->dist, f->n, PX_BLOCK};
        PxPart jumps = {.maxima = 1};
        px_reduce(&rows, part_block, f, &jumps);
        if (!(jumps.most[0] > 0))
            break;
        smooth(f);
    }
    double s = f->world->def.spacing;
    for (uint32_t i = 0; i < f->n; ++i) {
        f->mixed.piece[i] = f->piece[i];
        f->mixed.melted[i] = px_mixed_melted(f->world, i);
        if (f->piece[i] == 0 || !(f->kept[i] < 1.0f))
            continue;
        for (size_t c = 0; c < 3; ++c)
            f->solid.rest[c][i] = f->place[4 * (size_t)i + c] - f->u[4 * (size_t)i + c];
        if (f->before[i] > 0)
            continue;
        const PxMaterial *material = &f->world->materials.data[f->p->material[i]];
        f->solid.volume[i] = (float)((double)f->p->mass[i] / material->def.density);
        f->solid.support[i] = (float)(f->world->def.support * s);
        f->solid.handle[i] = 0;
        f->mixed.steady[0][i] = (float)f->world->def.gravity.x;
        f->mixed.steady[1][i] = (float)f->world->def.gravity.y;
        f->mixed.steady[2][i] = (float)f->world->def.gravity.z;
    }
}

/* ---- which strain is left ------------------------------------------------------------------ */

static void crowd_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    PxFollow *f = user;
    const PxPairs *pairs = &f->world->pairs;
    double s = f->world->def.spacing, h = f->world->def.support * s;
    double full = px_kernel_lattice(h, s);
    for (uint32_t i = begin; i < end; ++i) {
        if (f->piece[i] == 0 || !(f->firm[i] < 1.0f))
            continue;
        PxVec3 x = px_particle_place(f->p, i);
        double sum = px_kernel_value(h, 0);
        for (uint32_t k = 0; k < pairs->size[i]; ++k) {
            uint32_t j = pairs->row[pairs->start[i] + k];
            double r = px_length(px_sub(px_particle_place(f->p, j), x));
            sum += j != i && r < h ? px_kernel_value(h, r) : 0;
        }
        f->crowd[i] = (float)(s * s * s * sum / full - 1);
    }
}

/* Part of the way to the pressure of matter that is crowded, each time. Jets of 400 and 900 kPa
 * that strike a wall and lie there (test/test_jet.c) are compressed by 1.4 per cent with 1, 1.6
 * with 0.3 and 2 with 0.1, and got up to 2 per cent of their energy from it with 1, 0.4 with 0.3.
 */
#define CATCH_UP 0.3

/* Pressure keeps the volume of what flows, but elasticity has a modulus of volume too, and rest
 * shapes that follow do not know their volume: swings, whose squares are in Green's strain, and
 * particles that come between others leave tension on all sides. It draws matter together in every
 * sub-step, and pressure, which drives it apart again in the next step, does work each time. Where
 * matter has less room than its own there is no such tension, but as much of the opposite as
 * neighbours say; where it has more, there is a surface, or nothing is known. */
static void right_volume(const PxFollow *f, uint32_t i, double kept[6])
{
    double over = (double)f->crowd[i], sum = kept[0] + kept[1] + kept[2];
    if (!(over > 0 && sum + over > 0))
        return;
    double less = fmax(sum, 0) + CATCH_UP * (over + fmin(sum, 0));
    for (int k = 0; k < 3; ++k)
        kept[k] -= (1 - (double)f->firm[i]) * less / 3;
}

/* Has its rest shape, or a neighbour's, become another one? */
static bool is_touched(const PxFollow *f, const PxSolidLists *l, uint32_t slot)
{
    uint32_t i = f->world->shaped_rows.data[slot];
    if (f->kept[i] < 1.0f || l->start[slot + 1] - l->start[slot] != f->neighbours[f->before[i] - 1])
        return true;
    if (f->core[i] != f->base[f->piece[i] - 1])
        return true;
    if (f->old_melted[f->before[i] - 1] != f->mixed.melted[i])
        return true;
    for (uint32_t e = l->start[slot]; e < l->start[slot + 1]; ++e)
        if (f->kept[f->world->shaped_rows.data[l->other[e] / 16]] < 1.0f)
            return true;
    return false;
}

/* Elastic strain as forces want it along the new rest shape (solid/absorb.c); all else of the
 * deformation is plastic. */
PxStatus px_follow_strains(PxFollow *f)
{
    PxWorld *world = f->world;
    PxSolid s;
    if (world->shaped_rows.count == 0)
        return PX_OK;
    px_parallel_for(&world->threads, f->n, PX_BLOCK, crowd_block, f);
    PX_TRY(px_solids_open(world, &s));
    px_solid_forces(&s, false);
    world->state.piece_stretch = s.stretch;
    for (uint32_t slot = 0; slot < s.count; ++slot) {
        uint32_t i = world->shaped_rows.data[slot];
        double strain[6], kept[6] = {0, 0, 0, 0, 0, 0};
        if (f->before[i] > 0 && !is_touched(f, s.lists, slot))
            continue;
        PxMat3 j = px_solid_deformation(&s, slot), inverse;
        px_solid_green(j, strain);
        PxMat3 now = px_mat3_multiply(s.frame[s.frame_of[slot]].turn, j);
        double room = 1, counted = 0;
        if (f->before[i] > 0) {
            uint32_t old = f->before[i] - 1;
            /* what counts for more than it did goes on pulling as much as before */
            counted = fmin(1, (double)f->whole[old] / fmax((double)s.lists->whole[slot], 1e-6));
            room += counted * (double)f->kept[i] * (f->room[old] - 1);
            if (px_mat3_inverse(now, &inverse))
                px_solid_carry(px_solid_law_of(&f->old, old), px_solid_law_of(&s, slot),
                               px_mat3_multiply(inverse, f->deformed[old]),
                               f->strain + 6 * (size_t)old, kept);
        }
        for (int k = 0; k < 6; ++k)
            kept[k] *= counted;
        if (f->firm[i] < 1.0f)
            right_volume(f, i, kept);
        for (int k = 0; k < 6; ++k)
            f->solid.plastic[k][i] = (float)(strain[k] - kept[k]);
        f->solid.bulk[i] = (float)fmin(fmax(room / px_mat3_determinant(j), LEAST_BULK), MOST_BULK);
    }
    return PX_OK;
}
