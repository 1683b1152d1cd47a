#include "contact/contact_surface.h"

#include "base/fail.h"
#include "base/mat3.h"
#include "surface/tangents.h"

#include <math.h>
#include <string.h>

/* Rounds of spreading, projecting, deleting and inserting; most contacts are covered after 6. */
#define ROUNDS 24
/* Distances, in spacings: nodes repel each other up to REACH, are deleted below LEAST, and a sector
 * of the neighbourhood within GAP without a node is a gap. */
#define REACH 1.4
#define LEAST 0.55
#define GAP 1.6
/* Directions in which gaps are searched. */
#define SECTORS 8
/* A node counts as in both bodies up to this height above the surfaces, spacings of nodes, in
 * addition to the pair's reach. */
#define TOLERANCE 0.02
#define MOST_NEAR 64u

typedef struct Job {
    const PxContactPair *pair;
    PxArena *scratch;
    double d; /* spacing of the nodes */
    PxContactNodes node;
    PxKdTree tree;
    float *column[3]; /* positions of the nodes when the tree was made */
} Job;

/* ---- the implicit contact surface ---- */

/* Distance to the surface of a body, negative inside, m. */
static double distance_to(const PxContactSide *side, PxVec3 x, PxVec3 *foot, PxVec3 *normal)
{
    if (side->points != NULL)
        return px_point_surface_project(side->points, x, foot, normal);
    double d = px_wall_distance(side->wall, 1, px_wall_to_rest(side->wall, 1, x), normal);
    *normal = px_wall_turn_to_world(side->wall, 1, *normal);
    *foot = px_mad(x, *normal, -d);
    return d;
}

/* F of Eq. 5.36 with depths positive inside; *gradient from the normals at the feet. */
static double value_at(const Job *j, PxVec3 x, PxVec3 *gradient, double depth[2], PxVec3 normal[2])
{
    const double k[2] = {j->pair->side[0].stiffness, j->pair->side[1].stiffness};
    PxVec3 foot;
    for (int b = 0; b < 2; ++b)
        depth[b] = -distance_to(&j->pair->side[b], x, &foot, &normal[b]);
    *gradient =
        px_scale(px_sub(px_scale(normal[1], k[1]), px_scale(normal[0], k[0])), 1 / (k[0] + k[1]));
    return (k[0] * depth[0] - k[1] * depth[1]) / (k[0] + k[1]);
}

/* Moves a place onto the contact surface by Newton's method; false where it is not in both bodies,
 * or the surfaces have the same normal there. */
static bool project(const Job *j, PxContactNode *node)
{
    double depth[2], f;
    PxVec3 normal[2], gradient;
    for (int round = 0; round < 6; ++round) {
        f = value_at(j, node->at, &gradient, depth, normal);
        double square = px_dot(gradient, gradient);
        if (!isfinite(f) || !(square > 0.01))
            return false;
        double step = -f / square, most = j->d / sqrt(square);
        step = step < -most ? -most : step > most ? most : step;
        node->at = px_mad(node->at, gradient, step);
        if (fabs(f) < 1e-3 * j->d)
            break;
    }
    value_at(j, node->at, &gradient, depth, normal);
    node->normal = px_normalized(px_sub(normal[0], normal[1]), normal[0]);
    node->depth = depth[0] + depth[1];
    return node->depth > -j->pair->reach - TOLERANCE * j->d;
}

static PxStatus add_node(Job *j, const PxContactNode *node)
{
    if (!PX_LIST_RESERVE(&j->node, 1))
        return px_fail(PX_ERR_MEMORY, "contact surface: no room for %zu nodes", j->node.count);
    j->node.data[j->node.count++] = *node;
    return PX_OK;
}

/* ---- the first nodes ---- */

/* A point of one surface that is inside the other: on the line to the other surface lies a place
 * with F = 0, found by regula falsi (Illinois), since F changes its sign on it. */
static bool start_node(const Job *j, int of, uint32_t i, PxContactNode *out)
{
    const PxPointSurface *own = j->pair->side[of].points;
    PxVec3 from = px_vec((double)own->position[0][i], (double)own->position[1][i],
                         (double)own->position[2][i]);
    PxVec3 to, n, gradient, normal[2];
    double depth[2], low = 0, high = 1;
    if (!(distance_to(&j->pair->side[1 - of], from, &to, &n) < j->pair->reach))
        return false;
    double at_low = value_at(j, from, &gradient, depth, normal);
    double at_high = value_at(j, to, &gradient, depth, normal);
    if (!(at_low * at_high <= 0))
        return false;
    PxVec3 way = px_sub(to, from);
    for (int k = 0; k < 20 && fabs(at_high - at_low) > 0; ++k) {
        double t = (low * at_high - high * at_low) / (at_high - at_low);
        double f = value_at(j, px_mad(from, way, t), &gradient, depth, normal);
        if (fabs(f) < 1e-3 * j->d) {
            low = t;
            break;
        }
        if ((f > 0) == (at_high > 0)) {
            high = t;
            at_high = f;
            at_low *= 0.5;
        } else {
            low = t;
            at_low = f;
            at_high *= 0.5;
        }
    }
    out->at = px_mad(from, way, low);
    return project(j, out);
}

static bool boxes_meet(const PxPointSurface *a, const PxPointSurface *b, float reach)
{
    for (int c = 0; c < 3; ++c) {
        float low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
        const PxPointSurface *s[2] = {a, b};
        for (int k = 0; k < 2; ++k)
            for (uint32_t i = 0; i < s[k]->count; ++i) {
                low[k] = fminf(low[k], s[k]->position[c][i]);
                high[k] = fmaxf(high[k], s[k]->position[c][i]);
            }
        if (low[0] > high[1] + reach || low[1] > high[0] + reach)
            return false;
    }
    return true;
}

/* A cheap test: is a point farther than a spacing, and the reach, above the tangent plane at the
 * nearest point? */
static bool is_above(const PxPointSurface *s, PxVec3 x, double reach)
{
    uint32_t near = px_point_surface_nearest(s, x);
    PxVec3 from = px_vec((double)s->position[0][near], (double)s->position[1][near],
                         (double)s->position[2][near]);
    PxVec3 n =
        px_vec((double)s->normal[0][near], (double)s->normal[1][near], (double)s->normal[2][near]);
    return px_dot(px_sub(x, from), n) > s->spacing + reach;
}

static PxStatus start_nodes(Job *j)
{
    for (int of = 0; of < 2; ++of) {
        const PxPointSurface *own = j->pair->side[of].points, *other = j->pair->side[1 - of].points;
        for (uint32_t i = 0; own != NULL && i < own->count; ++i) {
            PxContactNode node;
            PxVec3 x = px_vec((double)own->position[0][i], (double)own->position[1][i],
                              (double)own->position[2][i]);
            if ((other == NULL || !is_above(other, x, j->pair->reach)) &&
                start_node(j, of, i, &node))
                PX_TRY(add_node(j, &node));
        }
    }
    return PX_OK;
}

/* ---- spreading and filling ---- */

static PxStatus index_nodes(Job *j)
{
    for (int c = 0; c < 3; ++c) {
        j->column[c] = PX_ARENA_ARRAY(j->scratch, float, j->node.count + 1);
        if (j->column[c] == NULL)
            return px_fail(PX_ERR_MEMORY, "contact surface: no room for %zu nodes", j->node.count);
        for (size_t i = 0; i < j->node.count; ++i)
            j->column[c][i] = (float)(c == 0   ? j->node.data[i].at.x
                                      : c == 1 ? j->node.data[i].at.y
                                               : j->node.data[i].at.z);
    }
    return px_kdtree_build(&j->tree, j->column[0], j->column[1], j->column[2],
                           (uint32_t)j->node.count, j->scratch);
}

static uint32_t near_nodes(const Job *j, PxVec3 x, double within, uint32_t near[MOST_NEAR])
{
    uint32_t found = px_kdtree_range(&j->tree, (float)x.x, (float)x.y, (float)x.z, (float)within,
                                     near, MOST_NEAR);
    return found < MOST_NEAR ? found : MOST_NEAR;
}

/* Deletes nodes that are too near to an earlier one. */
static PxStatus thin_out(Job *j)
{
    PxArenaMark mark = px_arena_mark(j->scratch);
    uint8_t *drop = PX_ARENA_ARRAY(j->scratch, uint8_t, j->node.count + 1);
    if (drop == NULL)
        return px_fail(PX_ERR_MEMORY, "contact surface: no room for %zu nodes", j->node.count);
    memset(drop, 0, j->node.count);
    PX_TRY(index_nodes(j));
    size_t left = 0;
    for (size_t i = 0; i < j->node.count; ++i) {
        uint32_t near[MOST_NEAR];
        uint32_t found = near_nodes(j, j->node.data[i].at, LEAST * j->d, near);
        for (uint32_t k = 0; k < found; ++k)
            drop[i] |= near[k] < i && !drop[near[k]];
    }
    for (size_t i = 0; i < j->node.count; ++i)
        if (!drop[i])
            j->node.data[left++] = j->node.data[i];
    j->node.count = left;
    px_arena_release(j->scratch, mark);
    return PX_OK;
}

/* Moves nodes apart along the surface and back onto it; those that leave both bodies stay where
 * they were. Returns the largest move, in spacings. All moves start from the same places. */
static PxStatus spread(Job *j, double *largest)
{
    PxArenaMark mark = px_arena_mark(j->scratch);
    PX_TRY(index_nodes(j));
    *largest = 0;
    for (size_t i = 0; i < j->node.count; ++i) {
        uint32_t near[MOST_NEAR];
        PxContactNode *node = &j->node.data[i], next = *node;
        PxVec3 push = {0, 0, 0}, at = node->at;
        uint32_t found = near_nodes(j, at, REACH * j->d, near);
        for (uint32_t k = 0; k < found; ++k) {
            PxVec3 other = px_vec((double)j->column[0][near[k]], (double)j->column[1][near[k]],
                                  (double)j->column[2][near[k]]);
            PxVec3 way = px_sub(at, other);
            double r = px_length(way), u = 1 - r / (REACH * j->d);
            if (near[k] != i && r > 0 && u > 0)
                push = px_mad(push, way, 0.5 * j->d * u * u / r);
        }
        push = px_mad(push, node->normal, -px_dot(push, node->normal));
        double length = px_length(push);
        if (length > 0.25 * j->d)
            push = px_scale(push, 0.25 * j->d / length);
        next.at = px_add(at, push);
        if (project(j, &next)) {
            *largest = fmax(*largest, px_length(px_sub(next.at, at)) / j->d);
            *node = next;
        }
    }
    px_arena_release(j->scratch, mark);
    return PX_OK;
}

/* Inserts nodes beside those that have an empty sector, if there is contact surface. */
static PxStatus fill_gaps(Job *j, size_t *made)
{
    PxArenaMark mark = px_arena_mark(j->scratch);
    size_t before = j->node.count;
    PX_TRY(index_nodes(j));
    *made = 0;
    for (size_t i = 0; i < before; ++i) {
        uint32_t near[MOST_NEAR];
        PxContactNode node = j->node.data[i];
        PxVec3 t[2];
        px_tangents(node.normal, t);
        uint32_t found = near_nodes(j, node.at, GAP * j->d, near);
        for (int s = 0; s < SECTORS; ++s) {
            double angle = 2 * M_PI * s / SECTORS;
            PxVec3 way = px_mad(px_scale(t[0], cos(angle)), t[1], sin(angle));
            PxContactNode next = {.at = px_mad(node.at, way, j->d)};
            bool free = true;
            for (uint32_t k = 0; k < found && free; ++k)
                free = near[k] == i ||
                       px_length(px_sub(j->node.data[near[k]].at, next.at)) > 0.75 * j->d;
            for (size_t k = before; k < j->node.count && free; ++k) /* those of this round */
                free = px_length(px_sub(j->node.data[k].at, next.at)) > 0.75 * j->d;
            if (!free || !project(j, &next))
                continue;
            uint32_t some[MOST_NEAR]; /* where the projection has moved it */
            free = near_nodes(j, next.at, 0.7 * j->d, some) == 0;
            for (size_t k = before; k < j->node.count && free; ++k)
                free = px_length(px_sub(j->node.data[k].at, next.at)) > 0.7 * j->d;
            if (free) {
                PX_TRY(add_node(j, &next));
                ++*made;
            }
        }
    }
    px_arena_release(j->scratch, mark);
    return PX_OK;
}

/* Normals of planes through the neighbours, on the side of the surfaces' normals. */
static PxStatus fit_normals(Job *j)
{
    PxArenaMark mark = px_arena_mark(j->scratch);
    PX_TRY(index_nodes(j));
    for (size_t i = 0; i < j->node.count; ++i) {
        uint32_t near[MOST_NEAR];
        PxVec3 mean = {0, 0, 0}, size;
        PxMat3 sum = {{{0}}}, axes;
        uint32_t found = near_nodes(j, j->node.data[i].at, 2 * j->d, near);
        if (found < 4) /* too few for a plane: as the surfaces have it */
            continue;
        for (uint32_t k = 0; k < found; ++k)
            mean = px_mad(mean, j->node.data[near[k]].at, 1.0 / found);
        for (uint32_t k = 0; k < found; ++k) {
            PxVec3 way = px_sub(j->node.data[near[k]].at, mean);
            sum = px_mat3_add(sum, px_mat3_outer(way, way));
        }
        if (!px_mat3_eigen(sum, &size, &axes) || !(size.y > 0))
            continue;
        PxVec3 n = px_mat3_column(axes, 2);
        j->node.data[i].normal = px_scale(n, px_dot(n, j->node.data[i].normal) < 0 ? -1 : 1);
    }
    px_arena_release(j->scratch, mark);
    return PX_OK;
}

static PxStatus find(Job *j)
{
    PX_TRY(start_nodes(j));
    PX_TRY(thin_out(j));
    for (int round = 0; round < ROUNDS && j->node.count > 0; ++round) {
        double largest;
        size_t made, before;
        PX_TRY(spread(j, &largest));
        before = j->node.count;
        PX_TRY(thin_out(j));
        before -= j->node.count;
        PX_TRY(fill_gaps(j, &made));
        if (made == 0 && before == 0 && largest < 0.05)
            break;
    }
    return fit_normals(j);
}

PxStatus px_contact_surface(const PxContactPair *pair, PxArena *scratch, PxContactNodes *out,
                            double *spacing)
{
    const PxPointSurface *a = pair->side[0].points, *b = pair->side[1].points;
    Job j = {.pair = pair, .scratch = scratch};
    double least = b != NULL ? fmin(a->spacing, b->spacing) : a->spacing;
    *spacing = j.d = pair->spacing > 0 ? pair->spacing : least;
    if (a->count < 4 || !(j.d > 0) ||
        (b != NULL && (b->count < 4 || !boxes_meet(a, b, (float)pair->reach))))
        return PX_OK;
    PxArenaMark mark = px_arena_mark(scratch);
    px_kdtree_init(&j.tree, NULL);
    PxStatus status = find(&j);
    if (status == PX_OK && !PX_LIST_RESERVE(out, j.node.count))
        status = px_fail(PX_ERR_MEMORY, "contact surface: no room for %zu nodes", j.node.count);
    for (size_t i = 0; i < j.node.count && status == PX_OK; ++i)
        out->data[out->count++] = j.node.data[i];
    px_kdtree_free(&j.tree);
    PX_LIST_FREE(&j.node);
    px_arena_release(scratch, mark);
    return status;
}
