/// Impulses of the contacts of one pair, with three coordinates at a time.
///
/// Contacts of a pair follow each other (Gauss-Seidel), so that lanes of a vector are coordinates,
/// not contacts. Every operation is that of the functions of base/vec.h and base/mat3.h in their
/// order: the same bits.
#include "rigid/contact_solve.h"

/* Largest speed at which overlapping bodies are pushed apart, in sizes of the smaller one per
 * second. */
#define PUSH_SPEED 3.0

/* A pass changes a contact if it changes its speed by more than so many thicknesses a second. */
#define CHANGE 0.5

/* The fourth lane has no meaning. */
typedef PxD4 Vec;

/* Columns. */
typedef struct Mat {
    Vec c[3];
} Mat;

/* The 8 bytes after `v` are read, too. */
PX_INLINE Vec load(const PxVec3 *v)
{
    return px_d4_load(&v->x);
}

PX_INLINE void store(PxVec3 *to, Vec v)
{
    memcpy(to, &v, sizeof *to);
}

PX_INLINE Mat load_mat(const PxMat3 *m)
{
    Vec a = px_d4_load(m->m[0]), b = px_d4_load(m->m[1]), c = px_d4_load(m->m[2]);
    Vec low = __builtin_shufflevector(a, b, 0, 4, 1, 5),
        high = __builtin_shufflevector(a, b, 2, 6, 2, 6);
    return (Mat){{__builtin_shufflevector(low, c, 0, 1, 4, 4),
                  __builtin_shufflevector(low, c, 2, 3, 5, 5),
                  __builtin_shufflevector(high, c, 0, 1, 6, 6)}};
}

PX_INLINE Vec turned(Vec v)
{
    return __builtin_shufflevector(v, v, 1, 2, 0, 3);
}

PX_INLINE Vec cross(Vec a, Vec b)
{
    return turned(a * turned(b) - turned(a) * b);
}

PX_INLINE double dot(Vec a, Vec b)
{
    Vec p = a * b;
    return p[0] + p[1] + p[2];
}

PX_INLINE Vec apply(const Mat *m, Vec v)
{
    return m->c[0] * px_d4(v[0]) + m->c[1] * px_d4(v[1]) + m->c[2] * px_d4(v[2]);
}

/* The two bodies of a pair while its contacts are solved: what cannot be moved has no mass. */
typedef struct Ends {
    Vec va, wa, vb, wb;
    double ma, mb;
    Mat ia, ib;
    bool wall;
} Ends;

PX_INLINE Ends ends_of(const PxSolverRun *run, const PxSolverContact *c)
{
    const PxSolverBody *a = &run->body[c->a];
    Ends e = {.va = load(&a->v), .wa = load(&a->w), .ma = a->per_mass, .wall = c->b == PX_NOBODY};
    e.ia = load_mat(&a->per_inertia);
    if (!e.wall) {
        const PxSolverBody *b = &run->body[c->b];
        e.vb = load(&b->v);
        e.wb = load(&b->w);
        e.mb = b->per_mass;
        e.ib = load_mat(&b->per_inertia);
    }
    return e;
}

PX_INLINE void store_ends(const PxSolverRun *run, const PxSolverContact *c, const Ends *e)
{
    if (e->ma > 0) { /* others are shared by the threads */
        store(&run->body[c->a].v, e->va);
        store(&run->body[c->a].w, e->wa);
    }
    if (e->mb > 0) {
        store(&run->body[c->b].v, e->vb);
        store(&run->body[c->b].w, e->wb);
    }
}

PX_INLINE Vec relative(const Ends *e, const PxSolverContact *c)
{
    Vec v = e->va + cross(e->wa, load(&c->ra));
    return v - (e->wall ? load(&c->wall_moves) : e->vb + cross(e->wb, load(&c->rb)));
}

PX_INLINE void push(Ends *e, const PxSolverContact *c, Vec impulse)
{
    if (e->ma > 0) {
        e->va = e->va + impulse * px_d4(e->ma);
        e->wa = e->wa + apply(&e->ia, cross(load(&c->ra), impulse));
    }
    if (e->mb > 0) {
        e->vb = e->vb + impulse * px_d4(-e->mb);
        e->wb = e->wb - apply(&e->ib, cross(load(&c->rb), impulse));
    }
}

void PX_ISA_NAME(px_solver_repeat_pair)(const PxSolverPass *pass, PxSolverContact *c,
                                        uint32_t count)
{
    const PxSolverContact *first = c;
    Ends e = ends_of(pass->run, c);
    for (PxSolverContact *end = c + count; c < end; ++c) {
        px_solver_calm(pass->run, c, pass->h);
        c->was[0] = c->jn;
        c->was[1] = c->jt[0];
        c->was[2] = c->jt[1];
        if (c->jn > 0)
            push(&e, c,
                 load(&c->n) * px_d4(c->jn) +
                     (load(&c->t[0]) * px_d4(c->jt[0]) + load(&c->t[1]) * px_d4(c->jt[1])));
    }
    store_ends(pass->run, first, &e);
}

/* Returns the change of the relative velocity, m/s. */
PX_INLINE double solve(Ends *e, PxSolverContact *c, double h, const PxSoft *soft)
{
    double distance = c->distance + c->give, bias = 0, mass = 1, impulse = 0;
    if (distance > 0) {
        bias = distance / h;
    } else if (soft != NULL) {
        bias = px_solver_most(soft->rate * distance, -PUSH_SPEED * c->size);
        mass = soft->mass;
        impulse = soft->impulse;
    }
    Vec n = load(&c->n);
    double vn = dot(n, relative(e, c));
    double j = -c->mass_n * mass * (vn + bias) - impulse * c->jn;
    double total = px_solver_most(c->jn + j, 0);
    if (total == 0 && c->jn == 0)
        return 0; /* it does not touch: nor does it rub */
    j = total - c->jn;
    c->jn = total;
    c->most = px_solver_most(c->most, total);
    push(e, c, n * px_d4(j));

    Vec v = relative(e, c), t0 = load(&c->t[0]), t1 = load(&c->t[1]);
    double before[2] = {c->jt[0], c->jt[1]};
    double jt[2] = {before[0] - c->mass_t[0] * dot(t0, v), before[1] - c->mass_t[1] * dot(t1, v)};
    double size = sqrt(jt[0] * jt[0] + jt[1] * jt[1]), bound = c->friction * c->jn;
    double scale = size > bound ? bound / size : 1;
    for (int k = 0; k < 2; ++k)
        c->jt[k] = jt[k] *= scale;
    push(e, c, t0 * px_d4(jt[0] - before[0]) + t1 * px_d4(jt[1] - before[1]));
    return fabs(j) / c->mass_n;
}

void PX_ISA_NAME(px_solver_correct_pair)(const PxSolverPass *pass, PxSolverContact *c,
                                         uint32_t count)
{
    PxSolverRun *run = pass->run;
    bool changes = false;
    Ends e = ends_of(run, c);
    for (uint32_t k = 0; k < count; ++k)
        changes = solve(&e, &c[k], pass->h, pass->soft) > CHANGE * c[k].size || changes;
    store_ends(run, c, &e);
    if (!changes)
        return;
    if (e.ma > 0)
        run->body[c->a].changed = true;
    if (e.mb > 0)
        run->body[c->b].changed = true;
}

/* Sets the masses that the impulses of a contact meet. */
PX_INLINE void weigh(const Ends *e, PxSolverContact *c)
{
    const PxVec3 *way[3] = {&c->n, &c->t[0], &c->t[1]};
    double *to[3] = {&c->mass_n, &c->mass_t[0], &c->mass_t[1]};
    Vec ra = load(&c->ra), rb = load(&c->rb);
    for (int k = 0; k < 3; ++k) {
        Vec d = load(way[k]), arm = cross(ra, d);
        double sum = e->ma + dot(arm, apply(&e->ia, arm));
        if (!e->wall) {
            arm = cross(rb, d);
            sum += e->mb + dot(arm, apply(&e->ib, arm));
        }
        *to[k] = 1 / sum;
    }
}

/* Levers that stay as they were at the start of an interval create energy where the centre of mass
 * moves relative to the point of contact, as that of a ball with ballast does. To follow before the
 * pass without push creates some, too: a move along the tangent ends in a small overlap, and what
 * the push lifts is paid for only if the speed into it is left to the next sub-step. */
void PX_ISA_NAME(px_solver_relax_pair)(const PxSolverPass *pass, PxSolverContact *c, uint32_t count)
{
    const PxSolverRun *run = pass->run;
    const PxSolverContact *first = c;
    Ends e = ends_of(run, c);
    const PxSolverBody *one = &run->body[c->a], *two = e.wall ? NULL : &run->body[c->b];
    Vec xa = load(&one->x), xb = px_d4(0);
    Mat turn = load_mat(&one->rotation), turn_b = turn;
    if (two != NULL) {
        xb = load(&two->x);
        turn_b = load_mat(&two->rotation);
    }
    for (PxSolverContact *end = c + count; c < end; ++c) {
        Vec a = xa + apply(&turn, load(&c->la)), b;
        if (two == NULL)
            b = load(&c->lb) + load(&c->wall_moves) * px_d4(pass->since);
        else
            b = xb + apply(&turn_b, load(&c->lb));
        c->distance = c->start + dot(load(&c->n), a - b);
        solve(&e, c, pass->h, NULL);
        if (!pass->follow)
            continue;
        Vec at = (c->of_b ? b : a) + load(&c->off);
        store(&c->ra, at - xa);
        if (two != NULL)
            store(&c->rb, at - xb);
        if (c->jn > 0 || c->distance <= 0)
            weigh(&e, c);
    }
    store_ends(run, first, &e);
}
