/// Stage 4 of a rest-shape update: computes the new rest places.
///
/// Rest place = position - displacement. If matter whose rest shape follows its motion had no
/// displacement, its rest shape would not fit that of the solid beside it, which has one. So
/// displacements form a smooth field: the solid's own in the solid, decaying from neighbour to
/// neighbour away from it, blended by the kept fraction in between. A smooth field keeps neighbours
/// together in the rest shape. That is enough, because stage 6 adds the strain of this field to the
/// plastic strain.
#include "coupling/octree_cells.h"
#include "coupling/rest_update_parts.h"
#include "solid/bonds.h"

#include <string.h>

/* Smoothing sweeps that spread displacements from cores into other elastic matter, and the factor
 * by which they decay in each sweep. */
#define SWEEPS 8
#define DECAY 0.8f

/* Offset of a particle from the position predicted by the deformation of its core, in spacings: up
 * to the first it keeps its rest place fully, from the second on not at all. */
#define FITS_FULLY 0.3f
#define FITS_NOT 0.8f

/* Where displacements of neighbours differ by more than this fraction of their distance, their rest
 * shapes do not fit, as where two cores have come into contact. Such rows give up their rest
 * places, in at most JUMP_ROUNDS rounds. */
#define JUMP 0.7f
#define JUMP_ROUNDS 3

/* By visible row, 4 floats each, in the frame of the component. */
typedef struct Field {
    PxRestInput *in;
    const PxRestSnapshot *old;
    const PxRestComponents *parts;
    float *place; /* position */
    float *own;   /* displacement from its present rest place; the fourth: 1 for rows of cores */
    float *u;     /* smooth displacement; the fourth: 1 where it is known */
    float *next;  /* `u` after the current sweep */
} Field;

static void put(float *quad, PxVec3 v, float w)
{
    quad[0] = (float)v.x;
    quad[1] = (float)v.y;
    quad[2] = (float)v.z;
    quad[3] = w;
}

/* Lowers `kept` of particles that no longer fit their rest neighbours, because they were torn off
 * or pushed in between others: elastic forces would pull them back to a place that is taken. */
static void loosen_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Field *f = user;
    PxRestInput *in = f->in;
    const PxPairs *pairs = in->c->pairs;
    const uint32_t *core = f->parts->core;
    for (uint32_t i = begin; i < end; ++i) {
        if (core[i] == 0 || !px_rest_changes(in, i))
            continue;
        PxVec3 off = {0, 0, 0}, m = in->rest[i], x = in->place[i];
        PxMat3 deformation = f->old->deformation[in->before[i] - 1];
        double count = 0;
        for (uint32_t k = 0; k < pairs->size[i]; ++k) {
            uint32_t j = pairs->row[pairs->start[i] + k];
            if (core[j] != core[i])
                continue;
            PxVec3 way = px_mat3_apply(deformation, px_sub(in->rest[j], m));
            off = px_add(off, px_sub(px_sub(in->place[j], x), way));
            count += 1;
        }
        if (count > 0)
            in->kept[i] *=
                px_fade((float)(px_length(off) / (count * in->c->spacing)), FITS_FULLY, FITS_NOT);
    }
}

/* Computes positions in the frame of the component and displacements of cores. Rest places of cores
 * other than the heaviest are transformed into its rest shape by their own rigid fits. */
static void place_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Field *f = user;
    PxRestInput *in = f->in;
    const PxRestComponents *parts = f->parts;
    const PxColumn *axes = px_cell_axes_column(&in->particles->table);
    for (uint32_t i = begin; i < end; ++i) {
        if (parts->component[i] == 0)
            continue;
        uint32_t k = parts->component[i] - 1;
        PxMat3 back = px_mat3_transpose(parts->turn[k]);
        PxVec3 x = px_mat3_apply(back, px_sub(in->place[i], parts->move[k]));
        PxVec3 m = x;
        if (parts->core[i] > 0) {
            const PxCore *c = &parts->core_of[parts->core[i] - 1];
            m = in->rest[i];
            if (parts->core[i] != parts->base[k]) {
                PxVec3 there = px_add(px_mat3_apply(c->turn, m), c->move);
                m = px_mat3_apply(back, px_sub(there, parts->move[k]));
                in->solid.rest[0][i] = (float)m.x;
                in->solid.rest[1][i] = (float)m.y;
                in->solid.rest[2][i] = (float)m.z;
                if (axes != NULL)
                    px_cell_axes_turn(axes, i, px_mat3_multiply(back, c->turn));
            }
        }
        put(f->place + 4 * (size_t)i, x, 0.0f);
        put(f->own + 4 * (size_t)i, px_sub(x, m), parts->core[i] > 0 ? 1.0f : 0.0f);
        memcpy(f->u + 4 * (size_t)i, f->own + 4 * (size_t)i, 4 * sizeof(float));
    }
}

/* One smoothing sweep: the kernel mean of the neighbours' displacements, blended with the row's own
 * by its kept fraction. */
static void smooth_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Field *f = user;
    const PxRestInput *in = f->in;
    const PxPairs *pairs = in->c->pairs;
    const uint32_t *component = f->parts->component;
    float h = (float)(in->c->support * in->c->spacing);
    for (uint32_t i = begin; i < end; ++i) {
        if (component[i] == 0)
            continue;
        const float *at = f->place + 4 * (size_t)i, *u = f->u + 4 * (size_t)i;
        const float *own = f->own + 4 * (size_t)i;
        float *out = f->next + 4 * (size_t)i, sum[4] = {0, 0, 0, 0};
        memcpy(out, u, 4 * sizeof *out);
        if (!(in->kept[i] < 1.0f))
            continue;
        for (uint32_t k = 0; k < pairs->size[i]; ++k) {
            uint32_t j = pairs->row[pairs->start[i] + k];
            const float *other = f->place + 4 * (size_t)j, *v = f->u + 4 * (size_t)j;
            if (component[j] != component[i] || !(v[3] > 0.0f))
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
            out[c] = in->kept[i] * own[c] + (1.0f - in->kept[i]) * DECAY * sum[c] / sum[3];
        out[3] = 1.0f;
    }
}

/* Gives up rest places at jumps of the displacement; the maximum is 1 if there was any. */
static void jump_part(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    const Field *f = user;
    PxRestInput *in = f->in;
    const PxPairs *pairs = in->c->pairs;
    const uint32_t *component = f->parts->component;
    bool any = false;
    for (uint32_t i = begin; i < end; ++i) {
        const float *at = f->place + 4 * (size_t)i, *u = f->u + 4 * (size_t)i;
        if (f->parts->core[i] == 0 || !(in->kept[i] > 0.0f) || !px_rest_changes(in, i))
            continue;
        for (uint32_t k = 0; k < pairs->size[i]; ++k) {
            uint32_t j = pairs->row[pairs->start[i] + k];
            const float *to = f->place + 4 * (size_t)j, *v = f->u + 4 * (size_t)j;
            if (component[j] != component[i] || j == i)
                continue;
            float way = 0, jump = 0;
            for (int c = 0; c < 3; ++c) {
                way += (to[c] - at[c]) * (to[c] - at[c]);
                jump += (v[c] - u[c]) * (v[c] - u[c]);
            }
            if (!(jump > JUMP * JUMP * way))
                continue;
            in->kept[i] = 0.0f;
            any = true;
            break;
        }
    }
    part->most[0] = any;
}

static void smooth(Field *f)
{
    for (int k = 0; k < SWEEPS && f->parts->cores > 0; ++k) {
        px_parallel_for(f->in->c->threads, f->in->count, PX_BLOCK, smooth_block, f);
        float *done = f->next;
        f->next = f->u;
        f->u = done;
        px_rest_refresh(f->in, f->u, 4 * sizeof *f->u);
    }
}

/* Initialises a particle that just became elastic. */
static void begin_row(PxRestInput *in, uint32_t i)
{
    const PxCoupling *c = in->c;
    const PxMaterial *material = &c->material[in->particles->material[i]];
    in->solid.volume[i] = (float)((double)in->particles->mass[i] / material->def.density);
    in->solid.support[i] = (float)(c->solid_support * c->spacing);
    in->solid.handle[i] = 0;
    in->elastic.load[0][i] = (float)c->gravity.x;
    in->elastic.load[1][i] = (float)c->gravity.y;
    in->elastic.load[2][i] = (float)c->gravity.z;
    in->elastic.reaction[0][i] = in->elastic.reaction[1][i] = in->elastic.reaction[2][i] = 0.0f;
}

PxStatus px_rest_places(PxRestInput *in, const PxRestSnapshot *old, const PxRestComponents *parts)
{
    const PxThreads *threads = in->c->threads;
    PxArena *scratch = in->c->scratch;
    size_t floats = 4 * (size_t)in->visible;
    Field f = {.in = in,
               .old = old,
               .parts = parts,
               .place = PX_ARENA_ARRAY(scratch, float, floats),
               .own = PX_ARENA_ARRAY(scratch, float, floats),
               .u = PX_ARENA_ARRAY(scratch, float, floats),
               .next = PX_ARENA_ARRAY(scratch, float, floats)};
    if (f.place == NULL || f.own == NULL || f.u == NULL || f.next == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u particles", in->count);
    px_parallel_for(threads, in->count, PX_BLOCK, loosen_block, &f);
    px_parallel_for(threads, in->count, 4 * PX_BLOCK, place_block, &f);
    px_rest_refresh(in, f.place, 4 * sizeof *f.place);
    px_rest_refresh(in, f.u, 4 * sizeof *f.u);
    smooth(&f);
    for (int k = 0; k < JUMP_ROUNDS && parts->cores > 0; ++k) {
        PxRows rows = {threads, in->c->dist, in->count, PX_BLOCK};
        PxPart jumps = {.maxima = 1};
        px_reduce(&rows, jump_part, &f, &jumps);
        if (!(jumps.most[0] > 0))
            break;
        smooth(&f);
    }
    for (uint32_t i = 0; i < in->count; ++i) {
        in->elastic.component[i] = parts->component[i];
        in->elastic.molten[i] = in->fractions->molten[i];
        if (parts->component[i] == 0 || !(in->kept[i] < 1.0f))
            continue;
        for (size_t c = 0; c < 3; ++c)
            in->solid.rest[c][i] = f.place[4 * (size_t)i + c] - f.u[4 * (size_t)i + c];
        if (in->before[i] == 0)
            begin_row(in, i);
    }
    return PX_OK;
}
