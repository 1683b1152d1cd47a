/// Forces, matrix and conjugate gradients of a step of cloth.
#include "cloth/cloth.h"

#include "base/mat3.h"
#include "base/stop.h"

#include <math.h>
#include <string.h>

#define BLOCK 512u

PxStatus px_cloth_step_begin(PxClothStep *s)
{
    const PxClothSystem *y = s->system;
    uint32_t n = y->vertices, blocks = (n > y->faces ? n : y->faces) / BLOCK + 2;
    PxArena *m = s->scratch;
    PxVec3 **of_vertex[] = {&s->x, &s->v, &s->w,        &s->push, &s->normal, &s->target,
                            &s->b, &s->r, &s->friction, &s->p,    &s->q,      &s->z,
                            &s->added_normal};
    bool room = true;
    for (size_t k = 0; k < PX_COUNT(of_vertex); ++k) {
        *of_vertex[k] = PX_ARENA_ARRAY(m, PxVec3, n + 1);
        room = room && *of_vertex[k] != NULL;
    }
    s->mass = PX_ARENA_ARRAY(m, double, n + 1);
    s->added = PX_ARENA_ARRAY(m, double, n + 1);
    s->clings = PX_ARENA_ARRAY(m, double, n + 1);
    s->hold = PX_ARENA_ARRAY(m, uint8_t, n + 1);
    s->face = PX_ARENA_ARRAY(m, PxClothFaceState, y->faces + 1);
    s->hinge = PX_ARENA_ARRAY(m, PxClothHingeState, y->hinges + 1);
    s->a = px_arena_take_array(m, y->row[n] + 1, sizeof *s->a);
    s->inverse = px_arena_take_array(m, n + 1, sizeof *s->inverse);
    s->partial = PX_ARENA_ARRAY(m, double, 4 * (size_t)blocks);
    if (!room || s->mass == NULL || s->added == NULL || s->clings == NULL || s->hold == NULL || s->face == NULL || s->hinge == NULL ||
        s->a == NULL || s->inverse == NULL || s->partial == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u vertices", n);
    for (uint32_t i = 0; i < n; ++i) {
        s->mass[i] = y->share[i] * s->law[y->of_vertex[i]].mass;
        s->hold[i] = PX_CLOTH_FREE;
        s->push[i] = s->friction[i] = s->normal[i] = s->target[i] = px_vec(0, 0, 0);
        s->added_normal[i] = px_vec(0, 0, 0);
        s->added[i] = s->clings[i] = 0;
    }
    s->iterations = 0;
    s->converged = true;
    return PX_OK;
}

/* ---- forces -------------------------------------------------------------------------------- */

/* Drag of a triangle: its mean velocity is that of its corners. */
static PxVec3 drag_of(const PxClothStep *s, const PxClothLaw *law, const uint32_t c[3])
{
    PxVec3 v = px_scale(px_add(s->v[c[0]], px_add(s->v[c[1]], s->v[c[2]])), 1 / 3.0);
    PxVec3 n = px_cross(px_sub(s->x[c[1]], s->x[c[0]]), px_sub(s->x[c[2]], s->x[c[0]]));
    double twice = px_length(n); /* the area */
    if (!(law->air > 0) || !(twice > 0))
        return px_vec(0, 0, 0);
    double speed = fabs(px_dot(px_sub(law->wind, v), n)) / twice;
    return px_scale(n, sqrt(0.25 * law->air * twice * speed) / twice);
}

static void face_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    PxClothStep *s = user;
    const PxClothSystem *y = s->system;
    for (uint32_t t = begin; t < end; ++t) {
        const uint32_t *c = y->face[t].corner;
        PxVec3 x[3] = {s->x[c[0]], s->x[c[1]], s->x[c[2]]};
        px_cloth_membrane(&s->law[y->of_face[t]], &y->face[t], x, &s->face[t]);
        s->face[t].across = drag_of(s, &s->law[y->of_face[t]], c);
    }
}

static void hinge_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    PxClothStep *s = user;
    const PxClothSystem *y = s->system;
    for (uint32_t t = begin; t < end; ++t) {
        const uint32_t *c = y->hinge[t].corner;
        PxVec3 x[4] = {s->x[c[0]], s->x[c[1]], s->x[c[2]], s->x[c[3]]};
        px_cloth_bending(&s->law[y->of_hinge[t]], &y->hinge[t], x, &s->hinge[t]);
    }
}

void px_cloth_evaluate(PxClothStep *s)
{
    px_parallel_for(s->threads, s->system->faces, BLOCK, face_block, s);
    px_parallel_for(s->threads, s->system->hinges, BLOCK, hinge_block, s);
}

static bool is_linear(const PxClothStep *s, uint32_t hinge)
{
    return s->law[s->system->of_hinge[hinge]].bending == PX_CLOTH_LINEAR;
}

PxVec3 px_cloth_force(const PxClothStep *s, uint32_t i)
{
    const PxClothSystem *y = s->system;
    PxVec3 f = px_vec(0, 0, 0);
    for (uint32_t k = y->first_face[i]; k < y->first_face[i + 1]; ++k) {
        uint32_t t = y->faces_of[k].of;
        double g[3][2], area = y->face[t].area;
        px_cloth_gradients(&y->face[t], g);
        const double *own = g[y->faces_of[k].corner];
        f = px_mad(f, s->face[t].force[0], -area * own[0]);
        f = px_mad(f, s->face[t].force[1], -area * own[1]);
    }
    for (uint32_t k = y->first_hinge[i]; k < y->first_hinge[i + 1]; ++k) {
        uint32_t t = y->hinges_of[k].of, c = y->hinges_of[k].corner;
        f = is_linear(s, t)
                ? px_mad(f, s->hinge[t].slope[0], -s->hinge[t].moment * y->hinge[t].weight[c])
                : px_mad(f, s->hinge[t].slope[c], -s->hinge[t].moment);
    }
    return f;
}

/* ---- the matrix ---------------------------------------------------------------------------- */

/* block += sum m[p][q] f[p] f[q]^T */
static void add_plane(double block[9], const double m[2][2], const PxVec3 f[2])
{
    PxVec3 a = px_mad(px_scale(f[0], m[0][0]), f[1], m[0][1]);
    PxVec3 b = px_mad(px_scale(f[0], m[1][0]), f[1], m[1][1]);
    const double x[2][3] = {{f[0].x, f[0].y, f[0].z}, {f[1].x, f[1].y, f[1].z}};
    const double z[2][3] = {{a.x, a.y, a.z}, {b.x, b.y, b.z}};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            block[3 * i + j] += x[0][i] * z[0][j] + x[1][i] * z[1][j];
}

/* block += scale a b^T */
static void add_outer(double block[9], PxVec3 a, PxVec3 b, double scale)
{
    const double x[3] = {scale * a.x, scale * a.y, scale * a.z}, z[3] = {b.x, b.y, b.z};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            block[3 * i + j] += x[i] * z[j];
}

static void add_identity(double block[9], double scale)
{
    block[0] += scale;
    block[4] += scale;
    block[8] += scale;
}

/* G_i^T C G_j, G_i the matrix from the two columns of F to the strains (004 Eq. 2.87). Tension
 * resists motion across it: with Green strain in all directions, with co-rotational strain, whose
 * rotation follows in the plane, along the normal. */
static void add_face(PxClothStep *s, const PxClothUse *use, double scale)
{
    const PxClothFace *face = &s->system->face[use->of];
    const PxClothFaceState *st = &s->face[use->of];
    bool green = s->law[s->system->of_face[use->of]].membrane == PX_CLOTH_GREEN;
    double g[3][2], w = scale * face->area;
    const double *c = st->c, *t = st->taut;
    px_cloth_gradients(face, g);
    const double *i = g[use->corner];
    double tu = t[0] * i[0] + t[2] * i[1], tv = t[2] * i[0] + t[1] * i[1];
    for (int k = 0; k < 3; ++k) {
        const double *j = g[k];
        const double m[2][2] = {
            {w * (i[0] * c[0] * j[0] + i[1] * c[3] * j[1]),
             w * (i[0] * c[1] * j[1] + i[1] * c[3] * j[0])},
            {w * (i[1] * c[1] * j[0] + i[0] * c[3] * j[1]),
             w * (i[1] * c[2] * j[1] + i[0] * c[3] * j[0])},
        };
        double *block = s->a[use->slot[k]], across = w * (tu * j[0] + tv * j[1]);
        add_plane(block, m, st->f);
        if (green)
            add_identity(block, across);
        else
            add_outer(block, st->normal, st->normal, across);
    }
}

/* The velocity of a triangle is a third of the sum of its corners', and so is the force on each. */
static void add_drag(PxClothStep *s, const PxClothUse *use)
{
    PxVec3 across = s->face[use->of].across;
    for (int k = 0; k < 3; ++k)
        add_outer(s->a[use->slot[k]], across, across, s->dt / 9);
}

/* The part of the wind in the drag of a vertex, N. */
static PxVec3 wind_force(const PxClothStep *s, uint32_t i, const PxClothLaw *law)
{
    const PxClothSystem *y = s->system;
    PxVec3 f = px_vec(0, 0, 0);
    for (uint32_t k = y->first_face[i]; k < y->first_face[i + 1]; ++k) {
        PxVec3 across = s->face[y->faces_of[k].of].across;
        f = px_mad(f, across, px_dot(law->wind, across) / 3);
    }
    return f;
}

static void add_hinge(PxClothStep *s, const PxClothUse *use, double scale)
{
    const PxClothHinge *h = &s->system->hinge[use->of];
    const PxClothHingeState *st = &s->hinge[use->of];
    bool linear = is_linear(s, use->of);
    for (int k = 0; k < 4; ++k) {
        double *block = s->a[use->slot[k]];
        if (linear)
            add_identity(block, scale * st->stiff * h->weight[use->corner] * h->weight[k]);
        else
            add_outer(block, st->slope[use->corner], st->slope[k], scale * st->stiff);
    }
}

static void invert(const double a[9], double out[9])
{
    PxMat3 m = {{{a[0], a[1], a[2]}, {a[3], a[4], a[5]}, {a[6], a[7], a[8]}}}, inverse;
    if (!px_mat3_inverse(m, &inverse))
        inverse = px_mat3_scale(px_mat3_identity(), 1 / (a[0] + a[4] + a[8]));
    memcpy(out, inverse.m, 9 * sizeof *out);
}

static void row_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    PxClothStep *s = user;
    const PxClothSystem *y = s->system;
    double dt = s->dt;
    for (uint32_t i = begin; i < end; ++i) {
        const PxClothLaw *law = &s->law[y->of_vertex[i]];
        double m = s->mass[i], scale = dt * dt + law->beta * dt;
        memset(s->a[y->row[i]], 0, (y->row[i + 1] - y->row[i]) * sizeof *s->a);
        add_identity(s->a[y->row[i]], m * (1 + law->alpha * dt));
        for (uint32_t k = y->first_face[i]; k < y->first_face[i + 1]; ++k)
            add_face(s, &y->faces_of[k], scale);
        for (uint32_t k = y->first_face[i]; k < y->first_face[i + 1] && law->air > 0; ++k)
            add_drag(s, &y->faces_of[k]);
        for (uint32_t k = y->first_hinge[i]; k < y->first_hinge[i + 1]; ++k)
            add_hinge(s, &y->hinges_of[k], scale);
        if (s->added[i] > 0) {
            add_identity(s->a[y->row[i]], s->clings[i]);
            add_outer(s->a[y->row[i]], s->added_normal[i], s->added_normal[i],
                      s->added[i] - s->clings[i]);
        }
        invert(s->a[y->row[i]], s->inverse[i]);
        PxVec3 f = px_add(px_cloth_force(s, i), s->push[i]);
        if (law->air > 0)
            f = px_add(f, wind_force(s, i, law));
        s->b[i] = px_mad(px_scale(px_mad(s->v[i], s->gravity, dt), m), f, dt);
        if (s->added[i] > 0)
            s->b[i] = px_add(s->b[i], px_cloth_added(s, i, s->v[i]));
    }
}

PxVec3 px_cloth_added(const PxClothStep *s, uint32_t i, PxVec3 v)
{
    PxVec3 n = s->added_normal[i];
    return px_mad(px_scale(v, s->clings[i]), n, (s->added[i] - s->clings[i]) * px_dot(v, n));
}

void px_cloth_assemble(PxClothStep *s)
{
    px_parallel_for(s->threads, s->system->vertices, BLOCK / 4, row_block, s);
}

/* ---- conjugate gradients ------------------------------------------------------------------- */

typedef struct Job {
    PxClothStep *s;
    const PxVec3 *from;
    PxVec3 *to;
    double *partial;
    double alpha, beta;
} Job;

static PxVec3 multiply_row(const PxClothStep *s, uint32_t i, const PxVec3 *v)
{
    const PxClothSystem *y = s->system;
    double x = 0, z = 0, w = 0;
    for (uint32_t k = y->row[i]; k < y->row[i + 1]; ++k) {
        const double *a = s->a[k];
        PxVec3 u = v[y->column[k]];
        x += a[0] * u.x + a[1] * u.y + a[2] * u.z;
        z += a[3] * u.x + a[4] * u.y + a[5] * u.z;
        w += a[6] * u.x + a[7] * u.y + a[8] * u.z;
    }
    return px_vec(x, z, w);
}

/* Removes what the hold of a vertex does not allow (Baraff and Witkin 1998, section 5.3). */
static PxVec3 allow(const PxClothStep *s, uint32_t i, PxVec3 v)
{
    if (s->hold[i] == PX_CLOTH_FREE)
        return v;
    if (s->hold[i] == PX_CLOTH_FIXED)
        return px_vec(0, 0, 0);
    return px_mad(v, s->normal[i], -px_dot(v, s->normal[i]));
}

static PxVec3 precondition(const PxClothStep *s, uint32_t i, PxVec3 v)
{
    const double *m = s->inverse[i];
    return allow(s, i,
                 px_vec(m[0] * v.x + m[1] * v.y + m[2] * v.z, m[3] * v.x + m[4] * v.y + m[5] * v.z,
                        m[6] * v.x + m[7] * v.y + m[8] * v.z));
}

static void start_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    PxClothStep *s = job->s;
    double rz = 0, bz = 0;
    for (uint32_t i = begin; i < end; ++i) {
        PxVec3 b = px_add(s->b[i], s->friction[i]);
        PxVec3 r = allow(s, i, px_sub(b, multiply_row(s, i, s->w)));
        s->r[i] = r;
        s->p[i] = precondition(s, i, r);
        rz += px_dot(r, s->p[i]);
        /* the scale of the residual: all forces, and gravity alone, with which they may balance */
        PxVec3 change = allow(s, i, px_mad(b, s->v[i], -s->mass[i]));
        PxVec3 fall = allow(s, i, px_scale(s->gravity, s->mass[i] * s->dt));
        bz += px_dot(change, precondition(s, i, change)) + px_dot(fall, precondition(s, i, fall));
    }
    job->partial[2 * (begin / BLOCK)] = rz;
    job->partial[2 * (begin / BLOCK) + 1] = bz;
}

static void product_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    PxClothStep *s = job->s;
    double sum = 0;
    for (uint32_t i = begin; i < end; ++i) {
        s->q[i] = allow(s, i, multiply_row(s, i, s->p));
        sum += px_dot(s->p[i], s->q[i]);
    }
    job->partial[begin / BLOCK] = sum;
}

static void advance_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    PxClothStep *s = job->s;
    double sum = 0;
    for (uint32_t i = begin; i < end; ++i) {
        s->w[i] = px_mad(s->w[i], s->p[i], job->alpha);
        s->r[i] = px_mad(s->r[i], s->q[i], -job->alpha);
        s->z[i] = precondition(s, i, s->r[i]);
        sum += px_dot(s->r[i], s->z[i]);
    }
    job->partial[begin / BLOCK] = sum;
}

static void direction_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    PxClothStep *s = job->s;
    for (uint32_t i = begin; i < end; ++i)
        s->p[i] = px_mad(s->z[i], s->p[i], job->beta);
}

static void residual_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    PxClothStep *s = user;
    for (uint32_t i = begin; i < end; ++i)
        s->r[i] = px_sub(px_add(s->b[i], s->friction[i]), multiply_row(s, i, s->w));
}

static double add_up(const double *partial, uint32_t count, uint32_t stride)
{
    double sum = 0;
    for (uint32_t k = 0; k * BLOCK < count; ++k)
        sum += partial[(size_t)k * stride];
    return sum;
}

PxStatus px_cloth_solve(PxClothStep *s)
{
    uint32_t n = s->system->vertices;
    Job job = {.s = s, .partial = s->partial};
    for (uint32_t i = 0; i < n; ++i)
        if (s->hold[i] == PX_CLOTH_FIXED)
            s->w[i] = s->target[i];
        else if (s->hold[i] == PX_CLOTH_NORMAL)
            s->w[i] =
                px_mad(s->w[i], s->normal[i], px_dot(px_sub(s->target[i], s->w[i]), s->normal[i]));
    px_parallel_for(s->threads, n, BLOCK, start_block, &job);
    double rz = add_up(s->partial, n, 2), scale = add_up(s->partial + 1, n, 2);
    double enough = s->tolerance * s->tolerance * scale;
    uint32_t done = 0;
    while (rz > enough && done < s->most_iterations) {
        px_parallel_for(s->threads, n, BLOCK, product_block, &job);
        double pq = add_up(s->partial, n, 1);
        if (!(pq > 0))
            break;
        job.alpha = rz / pq;
        px_parallel_for(s->threads, n, BLOCK, advance_block, &job);
        double next = add_up(s->partial, n, 1);
        job.beta = next / rz;
        rz = next;
        ++done;
        if (rz > enough)
            px_parallel_for(s->threads, n, BLOCK, direction_block, &job);
        if (done % 16 == 0)
            PX_TRY(px_stop_check(s->threads));
    }
    s->iterations += done;
    s->converged = s->converged && !(rz > enough);
    px_parallel_for(s->threads, n, BLOCK, residual_block, s);
    return PX_OK;
}
