/// Forces of cloth, and the right side and diagonal of a step.
#include "cloth/blocks.h"
#include "cloth/solve.h"

#include <math.h>
#include <string.h>

#define BLOCK 256u

/* ---- forces -------------------------------------------------------------------------------- */

/* Stiffness changes in proportion to the saturation (004 section 4.3.4). */
const PxClothLaw *px_cloth_law_at(const PxClothStep *s, uint32_t cloth, const uint32_t *corner,
                                  int count, PxClothLaw *wet)
{
    double sum = 0;
    for (int k = 0; k < count && s->wetness != NULL; ++k)
        sum += s->wetness[corner[k]];
    if (!(sum > 0))
        return &s->law[cloth];
    *wet = s->law[cloth];
    for (int k = 0; k < 4; ++k)
        wet->c[k] *= 1 + (wet->wet_stretch - 1) * sum / count;
    for (int k = 0; k < 2; ++k)
        wet->bend[k] *= 1 + (wet->wet_bend - 1) * sum / count;
    return wet;
}

static void face_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    PxClothStep *s = user;
    const PxClothSystem *y = s->system;
    for (uint32_t t = begin; t < end; ++t) {
        const uint32_t *c = y->face[t].corner;
        PxVec3 x[3] = {s->x[c[0]], s->x[c[1]], s->x[c[2]]};
        PxClothLaw wet;
        px_cloth_membrane(px_cloth_law_at(s, y->of_face[t], c, 3, &wet), &y->face[t], x,
                          &s->face[t]);
    }
}

void px_cloth_hinge_at(const PxClothStep *s, uint32_t t, const PxVec3 x[4], PxClothHingeState *out)
{
    const PxClothSystem *y = s->system;
    PxClothLaw wet;
    PxClothHinge h = y->hinge[t];
    double crease = s->rest[y->edge_of_hinge[t]];
    if (fabs(crease) > 0)
        px_cloth_hinge_rest(&h, h.angle + crease);
    px_cloth_bending(px_cloth_law_at(s, y->of_hinge[t], h.corner, 4, &wet), &h, x, out);
}

static void hinge_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    PxClothStep *s = user;
    for (uint32_t t = begin; t < end; ++t) {
        const uint32_t *c = s->system->hinge[t].corner;
        const PxVec3 x[4] = {s->x[c[0]], s->x[c[1]], s->x[c[2]], s->x[c[3]]};
        px_cloth_hinge_at(s, t, x, &s->hinge[t]);
    }
}

static bool same_law(const PxClothLaw *a, const PxClothLaw *b)
{
    return memcmp(a->c, b->c, sizeof a->c) == 0 && memcmp(a->bend, b->bend, sizeof a->bend) == 0 &&
           !(a->wet_stretch < b->wet_stretch) && !(a->wet_stretch > b->wet_stretch) &&
           !(a->wet_bend < b->wet_bend) && !(a->wet_bend > b->wet_bend) && !(a->limit < b->limit) &&
           !(a->limit > b->limit) && a->membrane == b->membrane && a->bending == b->bending;
}

/* Are these the laws and saturations that were evaluated last? */
static bool was_law(const PxClothStep *s)
{
    const PxClothSeen *seen = s->system->seen;
    bool same = seen->any;
    for (uint32_t k = 0; k < s->system->cloths && same; ++k)
        same = same_law(&s->law[k], &seen->law[k]);
    for (uint32_t i = 0; i < s->system->vertices && same; ++i) {
        double wetness = s->wetness != NULL ? s->wetness[i] : 0;
        same = !(wetness < seen->wetness[i]) && !(wetness > seen->wetness[i]);
    }
    return same;
}

static uint8_t is_held(const PxClothStep *s, uint32_t i)
{
    return s->handle != NULL && s->handle[i] != 0;
}

/* Are these the positions and angles that were evaluated last? */
static bool was_place(const PxClothStep *s)
{
    const PxClothSeen *seen = s->system->seen;
    size_t edges = s->system->edges * sizeof(double);
    bool same = memcmp(s->x, seen->x, s->system->vertices * sizeof *s->x) == 0 &&
                memcmp(s->rest, seen->rest, edges) == 0 && memcmp(s->lean, seen->from, edges) == 0;
    for (uint32_t i = 0; i < s->system->vertices && same; ++i)
        same = is_held(s, i) == seen->held[i];
    return same;
}

void px_cloth_evaluate(PxClothStep *s)
{
    PxClothSeen *seen = s->system->seen;
    bool same = was_law(s);
    if (same && was_place(s))
        return;
    memcpy(seen->x, s->x, s->system->vertices * sizeof *s->x);
    seen->any_held = false;
    for (uint32_t i = 0; i < s->system->vertices; ++i) {
        seen->wetness[i] = s->wetness != NULL ? s->wetness[i] : 0;
        seen->held[i] = is_held(s, i);
        seen->any_held = seen->any_held || seen->held[i];
    }
    memcpy(seen->law, s->law, s->system->cloths * sizeof *s->law);
    memcpy(seen->rest, s->rest, s->system->edges * sizeof *s->rest);
    memcpy(seen->from, s->lean, s->system->edges * sizeof *s->lean);
    seen->any = true;
    px_parallel_for(s->threads, s->system->faces, BLOCK, face_block, s);
    px_parallel_for(s->threads, s->system->hinges, BLOCK, hinge_block, s);
    px_cloth_plates(s, same);
}

static bool is_linear(const PxClothStep *s, uint32_t hinge)
{
    return s->law[s->system->of_hinge[hinge]].bending == PX_CLOTH_LINEAR;
}

/* ---- impulses of the right side ------------------------------------------------------------ */

/* Drag of a triangle: its velocity is the mean of its corners', and so is the force on each. */
static void set_drag(const PxClothStep *s, const PxClothLaw *law, uint32_t t)
{
    const uint32_t *c = s->system->face[t].corner;
    PxClothFaceLoad *load = &s->face_load[t];
    load->across = px_vec(0, 0, 0);
    PxVec3 v = px_scale(px_add(s->v[c[0]], px_add(s->v[c[1]], s->v[c[2]])), 1 / 3.0);
    PxVec3 n = px_cross(px_sub(s->x[c[1]], s->x[c[0]]), px_sub(s->x[c[2]], s->x[c[0]]));
    double twice = px_length(n); /* the area */
    if (!(twice > 0))
        return;
    PxVec3 flow = px_sub(law->wind, v);
    double speed = fabs(px_dot(flow, n)) / twice;
    load->across = px_scale(n, sqrt(0.25 * law->air * twice * speed) / twice);
    PxVec3 u = px_scale(px_add(s->u[c[0]], px_add(s->u[c[1]], s->u[c[2]])), 1 / 3.0);
    PxVec3 drag = px_scale(load->across, s->dt / 3 * px_dot(px_sub(law->wind, u), load->across));
    for (int k = 0; k < 3; ++k)
        load->impulse[k] = px_add(load->impulse[k], drag);
}

/* The motion from where forces are taken to that of the velocity u of the step, over dt, and the
 * motion that stiffness damps, which is that in the frame of what turns: times px_cloth_factor() it
 * is both. */
static PxVec3 motion(const PxClothStep *s, const PxClothLaw *law, uint32_t i)
{
    if (s->tangent == NULL)
        return s->u[i];
    double part = s->dt / (s->dt + law->beta);
    PxVec3 u = px_mad(s->u[i], s->tangent[i], -part);
    return s->spun != NULL ? px_mad(u, s->spun[i], part - 1) : u;
}

/* The stress grows at the rate of the stiffness times u: the same terms as in blocks.c. */
static void load_face(const PxClothStep *s, uint32_t t)
{
    const PxClothFace *face = &s->system->face[t];
    const PxClothFaceState *st = &s->face[t];
    const PxClothLaw *law = &s->law[s->system->of_face[t]];
    PxVec3 v0 = motion(s, law, face->corner[0]);
    PxVec3 v1 = px_sub(motion(s, law, face->corner[1]), v0);
    PxVec3 v2 = px_sub(motion(s, law, face->corner[2]), v0);
    const double(*d)[2] = face->inverse;
    PxVec3 rate[2] = {px_mad(px_scale(v1, d[0][0]), v2, d[1][0]),
                      px_mad(px_scale(v1, d[0][1]), v2, d[1][1])};
    PxVec3 stress[2];
    px_cloth_stress_rate(law, st, rate, stress);
    double scale = px_cloth_factor(s, law);
    PxVec3 pu = px_scale(px_mad(px_scale(st->force[0], s->dt), stress[0], scale), -face->area);
    PxVec3 pv = px_scale(px_mad(px_scale(st->force[1], s->dt), stress[1], scale), -face->area);
    PxClothFaceLoad *load = &s->face_load[t];
    load->impulse[1] = px_mad(px_scale(pu, d[0][0]), pv, d[0][1]);
    load->impulse[2] = px_mad(px_scale(pu, d[1][0]), pv, d[1][1]);
    load->impulse[0] = px_scale(px_add(load->impulse[1], load->impulse[2]), -1);
    if (law->air > 0)
        set_drag(s, law, t);
}

static void load_hinge(const PxClothStep *s, uint32_t t)
{
    const PxClothHinge *h = &s->system->hinge[t];
    const PxClothHingeState *st = &s->hinge[t];
    const PxClothLaw *law = &s->law[s->system->of_hinge[t]];
    double scale = px_cloth_factor(s, law) * st->stiff;
    PxVec3 v0 = motion(s, law, h->corner[0]);
    if (is_linear(s, t)) {
        PxVec3 r = px_vec(0, 0, 0);
        for (int c = 1; c < 4; ++c) /* the weights sum to 0 */
            r = px_mad(r, px_sub(motion(s, law, h->corner[c]), v0), h->weight[c]);
        s->hinge_load[t] = px_mad(px_scale(r, scale), st->slope[0], s->dt * st->moment);
    } else {
        double rate = 0;
        for (int c = 1; c < 4; ++c)
            rate += px_dot(px_sub(motion(s, law, h->corner[c]), v0), st->slope[c]);
        s->hinge_load[t] = px_vec(s->dt * st->moment + scale * rate, 0, 0);
    }
}

static void load_face_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxClothStep *s = user;
    for (uint32_t t = begin; t < end; ++t) {
        load_face(s, t);
        if (!s->again)
            px_cloth_face_part(s, t);
    }
}

static void load_hinge_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxClothStep *s = user;
    for (uint32_t t = begin; t < end; ++t) {
        load_hinge(s, t);
        if (!s->again)
            px_cloth_hinge_part(s, t);
    }
}

/* Impulse of all triangles and hinges of a vertex. */
static PxVec3 impulse_of(const PxClothStep *s, uint32_t i)
{
    const PxClothSystem *y = s->system;
    PxVec3 f = px_vec(0, 0, 0);
    for (uint32_t k = y->first_face[i]; k < y->first_face[i + 1]; ++k)
        f = px_add(f, s->face_load[y->faces_of[k].of].impulse[y->faces_of[k].corner]);
    for (uint32_t k = y->first_hinge[i]; k < y->first_hinge[i + 1]; ++k) {
        uint32_t t = y->hinges_of[k].of, c = y->hinges_of[k].corner;
        f = is_linear(s, t) ? px_mad(f, s->hinge_load[t], -y->hinge[t].weight[c])
                            : px_mad(f, s->hinge[t].slope[c], -s->hinge_load[t].x);
    }
    return f;
}

/* ---- the system ---------------------------------------------------------------------------- */

PxVec3 px_cloth_added(const PxClothStep *s, uint32_t i, PxVec3 v)
{
    const double *m = s->added[i].m;
    return px_vec(m[0] * v.x + m[1] * v.y + m[2] * v.z, m[1] * v.x + m[3] * v.y + m[4] * v.z,
                  m[2] * v.x + m[4] * v.y + m[5] * v.z);
}

/* Sum of the row of a vertex, xx, xy, xz, yy, yz, zz: its mass, that of the fluid that moves with
 * it, and the drag on its triangles. */
static void set_own(const PxClothStep *s, uint32_t i, float *own)
{
    const PxClothSystem *y = s->system;
    const PxClothLaw *law = &s->law[y->of_vertex[i]];
    double m = s->mass[i] * (s->inertia[i] + law->alpha * s->dt);
    const double *a = s->added[i].m;
    double sum[6] = {m + a[0], a[1], a[2], m + a[3], a[4], m + a[5]};
    for (uint32_t k = y->first_face[i]; k < y->first_face[i + 1] && law->air > 0; ++k) {
        PxVec3 n = s->face_load[y->faces_of[k].of].across, b = px_scale(n, s->dt / 3);
        const double add[6] = {n.x * b.x, n.x * b.y, n.x * b.z, n.y * b.y, n.y * b.z, n.z * b.z};
        for (int c = 0; c < 6; ++c)
            sum[c] += add[c];
    }
    PxVec3 n = s->normal[i];
    double rub = s->rub[i];
    const double by[6] = {1 - n.x * n.x, -n.x * n.y, -n.x * n.z,
                          1 - n.y * n.y, -n.y * n.z, 1 - n.z * n.z};
    for (int c = 0; c < 6; ++c)
        own[8 * c] = (float)(sum[c] + rub * by[c]);
}

/* Inverts a symmetric matrix; if it cannot, the result is that of its trace. */
void px_cloth_invert(const double a[6], float *out)
{
    double c0 = a[3] * a[5] - a[4] * a[4], c1 = a[2] * a[4] - a[1] * a[5];
    double c2 = a[1] * a[4] - a[2] * a[3], det = a[0] * c0 + a[1] * c1 + a[2] * c2;
    double trace = a[0] + a[3] + a[5], per = 1 / det;
    double to[6] = {c0,
                    c1,
                    c2,
                    a[0] * a[5] - a[2] * a[2],
                    a[1] * a[2] - a[0] * a[4],
                    a[0] * a[3] - a[1] * a[1]};
    bool fine = det > 1e-14 * trace * trace * trace;
    for (int c = 0; c < 6; ++c)
        out[8 * c] = (float)(fine ? to[c] * per : c == 0 || c == 3 || c == 5 ? 1 / trace : 0);
}

/* The diagonal blocks of lanes of a slice: the sums of rows without the other blocks. */
PX_INLINE void set_diagonal(const PxClothStep *s, uint32_t slice, uint32_t begin, uint32_t end)
{
    const PxClothPattern *p = &s->system->pattern;
    static const size_t upper[6] = {0, 8, 16, 32, 40, 64};
    const float *own = s->rows.own + 48 * (size_t)slice;
    float *diagonal = s->rows.diagonal + 48 * (size_t)slice;
    double sum[48];
    for (uint32_t c = 0; c < 48; c += 8)
        for (uint32_t l = begin; l < end; ++l)
            sum[c + l] = (double)own[c + l];
    for (uint32_t e = p->first[slice]; e < p->first[slice + 1]; ++e)
        for (uint32_t c = 0; c < 6; ++c) {
            const float *value = p->value + 72 * (size_t)e + upper[c];
            for (uint32_t l = begin; l < end; ++l)
                sum[8 * c + l] -= (double)value[l];
        }
    for (uint32_t l = begin; l < end; ++l) {
        float *inverse = s->rows.inverse + 48 * (size_t)slice + l;
        for (uint32_t c = 0; c < 48; c += 8)
            diagonal[c + l] = (float)sum[c + l];
        if (p->vertex[8 * slice + l] != UINT32_MAX)
            px_cloth_invert(
                (double[6]){sum[l], sum[8 + l], sum[16 + l], sum[24 + l], sum[32 + l], sum[40 + l]},
                inverse);
        else
            for (int c = 0; c < 6; ++c)
                inverse[8 * c] = 0;
    }
}

void px_cloth_rub(PxClothStep *s, uint32_t i, double rub)
{
    if (!(rub > 0) && !(s->rub[i] > 0))
        return;
    uint32_t row = s->system->pattern.row[i];
    s->rub[i] = rub;
    set_own(s, i, s->rows.own + 48 * (size_t)(row / 8) + row % 8);
    set_diagonal(s, row / 8, row % 8, row % 8 + 1);
}

static void slice_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    PxClothStep *s = user;
    const PxClothPattern *p = &s->system->pattern;
    double mass = 0, stiff = 0;
    for (uint32_t slice = begin; slice < end; ++slice) {
        float *own = s->rows.own + 48 * (size_t)slice;
        for (uint32_t l = 0; l < 8; ++l) {
            uint32_t i = p->vertex[8 * slice + l];
            if (i == UINT32_MAX) {
                for (int c = 0; c < 6; ++c)
                    own[8 * (size_t)c + l] = 0;
                continue;
            }
            set_own(s, i, own + l);
            const PxClothLaw *law = &s->law[s->system->of_vertex[i]];
            PxVec3 fall = s->u[i], f = px_mad(s->push[i], fall, -law->alpha * s->mass[i]);
            s->b[i] = px_mad(impulse_of(s, i), f, s->dt);
            s->b[i] = px_add(s->b[i], px_cloth_added(s, i, px_sub(s->added_velocity[i], fall)));
        }
        set_diagonal(s, slice, 0, 8);
        const float *whole = s->rows.diagonal + 48 * (size_t)slice;
        for (int l = 0; l < 8; ++l) {
            double own_trace = (double)own[l] + (double)own[24 + l] + (double)own[40 + l];
            mass += own_trace;
            stiff += (double)whole[l] + (double)whole[24 + l] + (double)whole[40 + l] - own_trace;
        }
    }
    s->rows.partial[2 * (begin / PX_CLOTH_SLICES)] = mass;
    s->rows.partial[2 * (begin / PX_CLOTH_SLICES) + 1] = stiff;
}

void px_cloth_assemble(PxClothStep *s)
{
    const PxClothSystem *y = s->system;
    px_parallel_for(s->threads, y->faces, BLOCK, load_face_block, s);
    px_parallel_for(s->threads, y->hinges, BLOCK, load_hinge_block, s);
    if (!s->again)
        px_parallel_for(s->threads, y->pattern.pairs, BLOCK, px_cloth_pair_block, s);
    px_parallel_for(s->threads, y->pattern.slices, PX_CLOTH_SLICES, slice_block, s);
    px_cloth_coarse_decide(s);
}
