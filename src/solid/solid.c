#include "solid/solid.h"

#include "base/sum.h"

#include <math.h>
#include <string.h>

/* ---- frames ------------------------------------------------------------- */

enum { MASS, X, M = X + 3, XM = M + 3, P = XM + 9, L = P + 3, INERTIA = L + 3, SUMS = INERTIA + 6 };

/* Sums over a component, with positions relative to its first particle. A first pass finds bounds
 * on the terms, the second adds terms rounded so that every addition is exact (base/sum.h). */
typedef struct Fit {
    PxSolid *solid;
    const PxSolidFrame *frame;
    PxVec3 from;
    double magic[SUMS];
} Fit;

/* Maxima of mass and of the squares of rest position, position and speed. */
enum { MOST_MASS, MOST_REST, MOST_PLACE, MOST_SPEED, MOSTS };

static PxVec3 position(const PxParticles *p, uint32_t row)
{
    return px_vec((double)p->x[row] + (double)p->x_low[row],
                  (double)p->y[row] + (double)p->y_low[row],
                  (double)p->z[row] + (double)p->z_low[row]);
}

static PxVec3 velocity(const PxParticles *p, uint32_t row)
{
    return px_vec((double)p->vx[row], (double)p->vy[row], (double)p->vz[row]);
}

static PxVec3 rest(const PxSolid *s, uint32_t i)
{
    return px_vec((double)s->columns.rest[0][i], (double)s->columns.rest[1][i],
                  (double)s->columns.rest[2][i]);
}

/* Compiles to one instruction; fmax() is a call. */
static double larger(double a, double b)
{
    return a > b ? a : b;
}

static void sizes_part(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    const Fit *fit = user;
    const PxSolid *s = fit->solid;
    double mass = 0, m2 = 0, x2 = 0, v2 = 0;
    for (uint32_t k = begin; k < end; ++k) {
        uint32_t i = fit->frame->begin + k, row = i;
        PxVec3 x = px_sub(position(s->particles, row), fit->from), m = rest(s, i),
               v = velocity(s->particles, row);
        mass = larger(mass, (double)s->particles->mass[row]);
        m2 = larger(m2, px_dot(m, m));
        x2 = larger(x2, px_dot(x, x));
        v2 = larger(v2, px_dot(v, v));
    }
    part->most[MOST_MASS] = mass;
    part->most[MOST_REST] = m2;
    part->most[MOST_PLACE] = x2;
    part->most[MOST_SPEED] = v2;
}

static void sums_part(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    const Fit *fit = user;
    const PxSolid *s = fit->solid;
    double sum[SUMS] = {0};
    for (uint32_t k = begin; k < end; ++k) {
        uint32_t i = fit->frame->begin + k, row = i;
        PxVec3 x = px_sub(position(s->particles, row), fit->from), m = rest(s, i),
               v = velocity(s->particles, row), l = px_cross(x, v);
        double mass = (double)s->particles->mass[row];
        const double xs[3] = {x.x, x.y, x.z}, ms[3] = {m.x, m.y, m.z}, vs[3] = {v.x, v.y, v.z},
                     ls[3] = {l.x, l.y, l.z};
        double term[SUMS];
        term[MASS] = mass;
        for (int a = 0; a < 3; ++a) {
            term[X + a] = mass * xs[a];
            term[M + a] = mass * ms[a];
            term[P + a] = mass * vs[a];
            term[L + a] = mass * ls[a];
            for (int b = 0; b < 3; ++b)
                term[XM + 3 * a + b] = mass * xs[a] * ms[b];
            term[INERTIA + a] = mass * xs[a] * xs[a];
            term[INERTIA + 3 + a] = mass * xs[a] * xs[(a + 1) % 3];
        }
        for (int t = 0; t < SUMS; ++t)
            sum[t] += px_sum_round(fit->magic[t], term[t]);
    }
    memcpy(part->sum, sum, sizeof sum);
}

/* Rigid fit of the rest shape to the positions (000 Eqs. 5.23-5.26, mass-weighted), and linear and
 * angular velocity of the component. */
static void fit_frame(PxSolid *s, PxSolidFrame *frame)
{
    PxRows rows = {s->threads, s->dist, frame->end - frame->begin, PX_BLOCK};
    PxPart most = {.maxima = MOSTS}, total = {.sums = SUMS};
    Fit fit = {.solid = s, .frame = frame, .from = position(s->particles, frame->begin)};
    uint64_t count = px_reduce(&rows, sizes_part, &fit, &most);
    double m = most.most[MOST_MASS] * 1.001, r = sqrt(most.most[MOST_REST]) * 1.001,
           x = sqrt(most.most[MOST_PLACE]) * 1.001, v = sqrt(most.most[MOST_SPEED]) * 1.001;
    for (int t = 0; t < SUMS; ++t) {
        double bound = t < X         ? m
                       : t < M       ? m * x
                       : t < XM      ? m * r
                       : t < P       ? m * x * r
                       : t < L       ? m * v
                       : t < INERTIA ? m * x * v
                                     : m * x * x;
        fit.magic[t] = px_sum_magic(bound, count);
    }
    px_reduce(&rows, sums_part, &fit, &total);
    const double *sum = total.sum;
    double mass = sum[MASS];
    PxVec3 at = px_scale(px_vec(sum[X], sum[X + 1], sum[X + 2]), 1 / mass);
    PxVec3 middle = px_scale(px_vec(sum[M], sum[M + 1], sum[M + 2]), 1 / mass);
    const double xs[3] = {at.x, at.y, at.z}, ms[3] = {middle.x, middle.y, middle.z};
    PxMat3 spread;
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b)
            spread.m[a][b] = sum[XM + 3 * a + b] - mass * xs[a] * ms[b];
    px_mat3_polar(spread, &frame->turn, NULL);
    frame->move = px_sub(px_add(fit.from, at), px_mat3_apply(frame->turn, middle));
    frame->fall = px_mat3_apply(px_mat3_transpose(frame->turn), s->gravity);
    frame->mass = mass;
    frame->middle = middle;
    PxVec3 speed = px_scale(px_vec(sum[P], sum[P + 1], sum[P + 2]), 1 / mass);
    PxVec3 turning =
        px_sub(px_vec(sum[L], sum[L + 1], sum[L + 2]), px_scale(px_cross(at, speed), mass));
    PxMat3 second;
    for (int a = 0; a < 3; ++a) {
        int b = (a + 1) % 3;
        second.m[a][a] = sum[INERTIA + a] - mass * xs[a] * xs[a];
        second.m[a][b] = second.m[b][a] = sum[INERTIA + 3 + a] - mass * xs[a] * xs[b];
    }
    PxMat3 inertia = px_mat3_sub(px_mat3_scale(px_mat3_identity(), px_mat3_trace(second)), second);
    PxMat3 inverse, back = px_mat3_transpose(frame->turn);
    PxVec3 spin = {0, 0, 0};
    if (px_mat3_inverse(inertia, &inverse))
        spin = px_mat3_apply(inverse, turning);
    frame->velocity = px_mat3_apply(back, speed);
    frame->spin = px_mat3_apply(back, spin);
    frame->load = frame->load_moment = px_vec(0, 0, 0);
}

/* ---- into the frames and back -------------------------------------------- */

static void put(float *quad, PxVec3 v, float w)
{
    quad[0] = (float)v.x;
    quad[1] = (float)v.y;
    quad[2] = (float)v.z;
    quad[3] = w;
}

static void begin_part(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    PxSolid *s = user;
    const PxParticles *p = s->particles;
    bool strained = false;
    double volume_part = 0;
    for (uint32_t i = begin; i < end; ++i) {
        uint32_t row = i;
        for (int k = 0; k < 6; ++k)
            strained = strained || s->columns.plastic[k][i] != 0.0f;
        const PxSolidLaw *law = px_solid_law_of(s, i);
        const PxSolidFrame *f = &s->frame[s->frame_of[i]];
        PxMat3 back = px_mat3_transpose(f->turn);
        PxVec3 x = px_mat3_apply(back, px_sub(position(p, row), f->move));
        /* stiffness of the fit residual energy: s = residual V / (sum w |X|^2 sum w) (passes.h) */
        float spread = s->lists->spread[i];
        float held = spread > 0.0f ? law->residual * s->columns.volume[i] / spread : 0.0f;
        held = f->rigid ? 0.0f : held; /* no elastic forces */
        put(s->u + 4 * (size_t)i, px_sub(x, rest(s, i)), held);
        put(s->v + 4 * (size_t)i, px_mat3_apply(back, velocity(p, row)), 0.0f);
        bool free = s->columns.handle[i] == 0;
        s->inverse_mass[i] = free ? 1.0f / p->mass[row] : 0.0f;
        put(s->pull + 4 * (size_t)i, free ? f->fall : px_vec(0, 0, 0), 0.0f);
        s->volume[i] = law->volume;
        s->cell[i] = f->rigid ? 0.0f : s->columns.volume[i] * s->lists->quadrature[i];
        float axial = fminf(law->stiff[0], fminf(law->stiff[1], law->stiff[2])) + law->volume;
        if (axial > 0.0f)
            volume_part = fmax(volume_part, (double)(law->volume / axial));
        if (s->orthotropic) {
            for (int k = 0; k < 9; ++k)
                s->stiff[k][i] = law->stiff[k];
        } else {
            s->stiff[0][i] = law->stiff[3];
            s->stiff[1][i] = 2.0f * law->stiff[6];
        }
    }
    part->most[0] = strained;
    part->most[1] = volume_part;
}

static PxStatus take(PxSolid *s)
{
    uint32_t n = s->count;
    struct {
        float **array;
        size_t each;
    } wanted[] = {{&s->u, 4},        {&s->v, 4},        {&s->a, 4},
                  {&s->pull, 4},     {&s->record, 16},  {&s->inverse_mass, 1},
                  {&s->volume, 1},   {&s->cell, 1},     {&s->energy, 1},
                  {&s->stiff[0], 1}, {&s->stiff[1], 1}, {&s->stiff[2], 1},
                  {&s->stiff[3], 1}, {&s->stiff[4], 1}, {&s->stiff[5], 1},
                  {&s->stiff[6], 1}, {&s->stiff[7], 1}, {&s->stiff[8], 1}};
    size_t most = s->orthotropic ? PX_COUNT(wanted) : PX_COUNT(wanted) - 7;
    bool there = true;
    for (size_t k = 0; k < most; ++k) {
        *wanted[k].array = PX_ARENA_ARRAY(s->scratch, float, wanted[k].each *((size_t)n + 8));
        there = there && *wanted[k].array != NULL;
    }
    s->gradient = PX_ARENA_ARRAY(s->scratch, float, 9 * ((size_t)n + 8));
    there = there && s->gradient != NULL;
    if (!there)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u particles", n);
    /* Vector loops read past the end: the padding must be finite. */
    for (size_t k = 0; k < most; ++k)
        memset(*wanted[k].array + wanted[k].each * n, 0, 8 * wanted[k].each * sizeof(float));
    memset(s->a, 0, 4 * (size_t)n * sizeof(float));
    return PX_OK;
}

/* In a component held by handles, damping is relative to the mean velocity of the held rows instead
 * of the component's own rigid motion. Returns the number of held rows. */
static uint32_t follow_handles(PxSolid *s, PxSolidFrame *frame)
{
    uint32_t held = 0;
    PxVec3 sum = {0, 0, 0};
    for (uint32_t i = frame->begin; i < frame->end; ++i)
        if (s->columns.handle[i] != 0) {
            const float *v = s->v + 4 * (size_t)i;
            sum = px_add(sum, px_vec((double)v[0], (double)v[1], (double)v[2]));
            ++held;
        }
    frame->held = held > 0;
    if (held > 0) {
        frame->velocity = px_scale(sum, 1.0 / held);
        frame->spin = px_vec(0, 0, 0);
    }
    return held;
}

/* Weights of the rows' stretch in melting matter: stretched rows that are soft, or have
 * ill-conditioned moment matrices, do not determine the highest frequency. Rigid pieces never do.
 */
static PxStatus weigh_stretch(PxSolid *s)
{
    bool rigid = false;
    for (uint32_t k = 0; k < s->frames; ++k)
        rigid = rigid || s->frame[k].rigid;
    s->stretch_weight = NULL;
    if (s->row_law == NULL && !rigid)
        return PX_OK;
    float stiffest = 0;
    for (uint32_t i = 0; s->row_law != NULL && i < s->count; ++i)
        stiffest = fmaxf(stiffest, s->row_law[i].stiff[6]);
    float *stretch_weight = PX_ARENA_ARRAY(s->scratch, float, (size_t)s->count + 8);
    if (stretch_weight == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u particles", s->count);
    memset(stretch_weight + s->count, 0, 8 * sizeof *stretch_weight);
    for (uint32_t i = 0; i < s->count; ++i) {
        /* rows that may crack keep their rest places even if they are ill-conditioned */
        bool breaks = s->material[s->particles->material[i]].def.fracture.fractures;
        float weight = breaks || s->row_law == NULL ? 1.0f : s->lists->cell_weight[i];
        if (s->row_law != NULL)
            weight = stiffest > 0.0f ? weight * s->row_law[i].stiff[6] / stiffest : 0.0f;
        stretch_weight[i] = s->frame[s->frame_of[i]].rigid ? 0.0f : weight;
    }
    s->stretch_weight = stretch_weight;
    return PX_OK;
}

PxStatus px_solid_begin(PxSolid *s)
{
    PX_TRY(weigh_stretch(s));
    PX_TRY(take(s));
    for (uint32_t k = 0; k < s->frames; ++k)
        fit_frame(s, &s->frame[k]);
    PxRows rows = px_solid_rows(s, PX_BLOCK);
    PxPart most = {.maxima = 2};
    px_reduce(&rows, begin_part, s, &most);
    s->strained = most.most[0] > 0;
    s->volume_part = fmin(most.most[1], 1);
    s->held = 0;
    for (uint32_t k = 0; k < s->frames; ++k)
        s->held += follow_handles(s, &s->frame[k]);
    s->iterations = 0;
    s->converged = true;
    return PX_OK;
}

static void end_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    PxSolid *s = user;
    PxParticles *p = s->particles;
    for (uint32_t i = begin; i < end; ++i) {
        uint32_t row = i;
        const float *v = s->v + 4 * (size_t)i;
        PxVec3 x = px_solid_place(s, i);
        PxVec3 speed = px_mat3_apply(s->frame[s->frame_of[i]].turn,
                                     px_vec((double)v[0], (double)v[1], (double)v[2]));
        p->x[row] = (float)x.x;
        p->y[row] = (float)x.y;
        p->z[row] = (float)x.z;
        p->x_low[row] = (float)(x.x - (double)p->x[row]);
        p->y_low[row] = (float)(x.y - (double)p->y[row]);
        p->z_low[row] = (float)(x.z - (double)p->z[row]);
        p->vx[row] = (float)speed.x;
        p->vy[row] = (float)speed.y;
        p->vz[row] = (float)speed.z;
        p->density[row] = p->mass[row] / s->columns.volume[i];
        p->pressure[row] = 0.0f;
    }
}

void px_solid_end(PxSolid *s)
{
    px_parallel_for(s->threads, s->count, PX_BLOCK, end_block, s);
}
