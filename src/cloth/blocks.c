#include "cloth/blocks.h"

#include "base/simd.h"

#include <math.h>

static void put(float to[4], PxVec3 v, double scale, double last)
{
    to[0] = (float)(scale * v.x);
    to[1] = (float)(scale * v.y);
    to[2] = (float)(scale * v.z);
    to[3] = (float)last;
}

void px_cloth_face_part(const PxClothStep *s, uint32_t t)
{
    const PxClothFace *face = &s->system->face[t];
    const PxClothFaceState *st = &s->face[t];
    const PxClothLaw *law = &s->law[s->system->of_face[t]];
    PxClothFacePart *part = &s->face_part[t];
    double w = px_cloth_factor(s, law) * face->area, g[3][2];
    bool green = law->membrane == PX_CLOTH_GREEN;
    px_cloth_gradients(face, g);
    put(part->f[0], st->f[0], 1, 0);
    put(part->f[1], st->f[1], 1, 0);
    put(part->normal, st->normal, green ? 0 : 1, 0);
    part->even = green ? 1 : 0;
    part->air = law->air > 0 ? 1 : 0;
    if (law->air > 0)
        put(part->across, s->face_load[t].across, sqrt(s->dt) / 3, 0);
    for (int k = 0; k < 4; ++k)
        part->c[k] = (float)(w * st->c[k]);
    part->spin = (float)(w * st->spin);
    for (int k = 0; k < 3; ++k) {
        part->taut[k] = (float)(w * st->taut[k]);
        part->gradient[k][0] = (float)g[k][0];
        part->gradient[k][1] = (float)g[k][1];
    }
}

void px_cloth_hinge_part(const PxClothStep *s, uint32_t t)
{
    const PxClothHinge *h = &s->system->hinge[t];
    const PxClothHingeState *st = &s->hinge[t];
    const PxClothLaw *law = &s->law[s->system->of_hinge[t]];
    double root = sqrt(fmax(px_cloth_factor(s, law) * st->stiff, 0));
    bool linear = law->bending == PX_CLOTH_LINEAR;
    for (int k = 0; k < 4; ++k)
        put(s->hinge_part[t].corner[k], st->slope[k], linear ? 0 : root,
            linear ? root * h->weight[k] : 0);
}

/* Rows of a block. */
typedef struct Block {
    PxF4 row[3];
} Block;

/* block += a b^T */
PX_INLINE void add_outer(Block *block, PxF4 a, PxF4 b)
{
    for (int k = 0; k < 3; ++k)
        block->row[k] += px_f4(a[k]) * b;
}

static void add_identity(Block *block, float scale)
{
    for (int k = 0; k < 3; ++k)
        block->row[k][k] += scale;
}

/* G_i^T C G_j, G_i the matrix from the two columns of F to the strains (004 Eq. 2.87). Tension
 * resists motion across it: with Green strain in all directions; with co-rotational strain along
 * the normal, and in the plane against the turning t = R_u . dF_v - R_v . dF_u, by
 * tr S / tr U t^2 / 2. Without that term cloth with much more tension than stiffness in shear
 * flutters and is torn apart. */
PX_INLINE void add_face(const PxClothFacePart *face, const uint8_t corner[2], Block *block)
{
    const float *c = face->c, *t = face->taut;
    float i0 = face->gradient[corner[0]][0], i1 = face->gradient[corner[0]][1];
    float j0 = face->gradient[corner[1]][0], j1 = face->gradient[corner[1]][1];
    float sum = c[3] + face->spin, difference = c[3] - face->spin;
    PxF4 f0 = px_f4_load(face->f[0]), f1 = px_f4_load(face->f[1]), n = px_f4_load(face->normal);
    PxF4 u = px_f4(i0 * c[0] * j0 + i1 * sum * j1) * f0 +
             px_f4(i0 * c[1] * j1 + i1 * difference * j0) * f1;
    PxF4 v = px_f4(i1 * c[1] * j0 + i0 * difference * j1) * f0 +
             px_f4(i1 * c[2] * j1 + i0 * sum * j0) * f1;
    float across = (t[0] * i0 + t[2] * i1) * j0 + (t[2] * i0 + t[1] * i1) * j1;
    add_outer(block, f0, u);
    add_outer(block, f1, v);
    if (face->even > 0)
        add_identity(block, across);
    else
        add_outer(block, n, px_f4(across) * n);
    if (face->air > 0)
        add_outer(block, px_f4_load(face->across), px_f4_load(face->across));
}

PX_INLINE void add_hinge(const PxClothHingePart *hinge, const uint8_t corner[2], Block *block)
{
    PxF4 a = px_f4_load(hinge->corner[corner[0]]), b = px_f4_load(hinge->corner[corner[1]]);
    add_outer(block, a, b);
    if (a[3] < 0 || a[3] > 0)
        add_identity(block, a[3] * b[3]);
}

void px_cloth_pair_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxClothStep *s = user;
    const PxClothPattern *p = &s->system->pattern;
    for (uint32_t k = begin; k < end; ++k) {
        const PxClothPair *pair = &p->pair[k];
        Block block = {{px_f4(0.0f), px_f4(0.0f), px_f4(0.0f)}};
        for (uint32_t n = pair->face; n < pair->hinge; ++n)
            add_face(&s->face_part[p->part[n].of], p->part[n].corner, &block);
        for (uint32_t n = pair->hinge; n < pair[1].face; ++n)
            add_hinge(&s->hinge_part[p->part[n].of], p->part[n].corner, &block);
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
                p->value[pair->at[0] + 8 * (size_t)(3 * i + j)] = block.row[i][j];
                p->value[pair->at[1] + 8 * (size_t)(3 * j + i)] = block.row[i][j];
            }
    }
}
