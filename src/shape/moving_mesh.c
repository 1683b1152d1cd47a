#include "shape/moving_mesh.h"

#include "shape/mesh_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct PxMovingMesh {
    PxPoses *poses;
    double scale;
    PxQuat turn;
    PxVec3 at;
    uint32_t vertices, triangles, nodes;
    uint32_t (*triangle)[3]; /* by number in the mesh */
    uint32_t *order;         /* numbers as the leaves have them */
    PxTreeNode *node;        /* its bounds are not used */
    PxVec3 *place[2];        /* vertices at both moments */
    PxBounds *box[2];        /* of nodes at both moments */
    PxBounds reach;
    double time[2], travel;
    bool known, still; /* place[0] is set; both moments are one */
    uint32_t *edge;    /* 3 triangle + k: its edge; UINT32_MAX: none */
    uint32_t *by_edge; /* edge_at[e] .. edge_at[e + 1]: triangles at an edge */
    uint32_t *edge_at;
    uint32_t *weld;      /* by vertex: the first at the same place */
    uint32_t *by_corner; /* corner_at[v] ..: corners, 3 triangle + k, at a vertex that is first */
    uint32_t *corner_at;
    uint32_t *home; /* by vertex: a corner that has it, or UINT32_MAX */
};

void px_moving_mesh_free(PxMovingMesh *m)
{
    if (m == NULL)
        return;
    px_poses_free(m->poses);
    free(m->triangle);
    free(m->order);
    free(m->node);
    for (int k = 0; k < 2; ++k) {
        free(m->place[k]);
        free(m->box[k]);
    }
    free(m->edge);
    free(m->by_edge);
    free(m->edge_at);
    free(m->weld);
    free(m->by_corner);
    free(m->corner_at);
    free(m->home);
    free(m);
}

/* ---- creating ---- */

static PxVec3 into_world(const PxMovingMesh *m, PxVec3 x)
{
    return px_add(m->at, px_rotate(m->turn, px_scale(x, m->scale)));
}

/* Lists the members of each of `groups` groups: group[k] is that of member k. */
static void list_groups(const uint32_t *group, uint32_t members, uint32_t groups, uint32_t *at,
                        uint32_t *list)
{
    memset(at, 0, ((size_t)groups + 2) * sizeof *at);
    for (uint32_t k = 0; k < members; ++k)
        if (group[k] != UINT32_MAX)
            ++at[group[k] + 2];
    for (uint32_t g = 0; g < groups; ++g)
        at[g + 2] += at[g + 1];
    for (uint32_t k = 0; k < members; ++k)
        if (group[k] != UINT32_MAX)
            list[at[group[k] + 1]++] = k;
}

static PxStatus link_parts(PxMovingMesh *m, const PxMesh *mesh)
{
    uint32_t edges, corners = 3 * m->triangles;
    PX_TRY(px_mesh_weld(mesh, m->weld));
    PX_TRY(px_mesh_edges(mesh, m->weld, m->edge, &edges));
    m->edge_at = malloc(((size_t)edges + 2) * sizeof *m->edge_at);
    uint32_t *first = malloc((size_t)corners * sizeof *first);
    if (m->edge_at == NULL || first == NULL) {
        free(first);
        return px_fail(PX_ERR_MEMORY, "mesh: no room for %u edges", edges);
    }
    list_groups(m->edge, corners, edges, m->edge_at, m->by_edge);
    for (uint32_t k = 0; k < corners; ++k)
        first[k] = m->weld[m->triangle[k / 3][k % 3]];
    list_groups(first, corners, m->vertices, m->corner_at, m->by_corner);
    free(first);
    for (uint32_t v = 0; v < m->vertices; ++v)
        m->home[v] = UINT32_MAX;
    for (uint32_t k = corners; k-- > 0;)
        m->home[m->triangle[k / 3][k % 3]] = k;
    return PX_OK;
}

PxStatus px_moving_mesh_create(const PxMesh *mesh, PxPoses *poses, double scale, PxQuat turn,
                               PxVec3 at, PxMovingMesh **out)
{
    *out = NULL;
    PxMovingMesh *m = calloc(1, sizeof *m);
    if (m == NULL) {
        px_poses_free(poses);
        return px_fail(PX_ERR_MEMORY, "mesh: no room");
    }
    uint32_t n = mesh->vertex_count, triangles = mesh->triangle_count;
    *m = (PxMovingMesh){.poses = poses,
                        .scale = scale,
                        .turn = turn,
                        .at = at,
                        .vertices = n,
                        .triangles = triangles};
    PxVec3 *middle = malloc(triangles * sizeof *middle);
    m->triangle = malloc(triangles * sizeof *m->triangle);
    m->order = malloc(triangles * sizeof *m->order);
    m->node = malloc(2 * (size_t)triangles * sizeof *m->node);
    for (int k = 0; k < 2; ++k) {
        m->place[k] = malloc(n * sizeof *m->place[k]);
        m->box[k] = malloc(2 * (size_t)triangles * sizeof *m->box[k]);
    }
    m->edge = malloc(3 * (size_t)triangles * sizeof *m->edge);
    m->by_edge = malloc(3 * (size_t)triangles * sizeof *m->by_edge);
    m->weld = malloc(n * sizeof *m->weld);
    m->by_corner = malloc(3 * (size_t)triangles * sizeof *m->by_corner);
    m->corner_at = malloc(((size_t)n + 2) * sizeof *m->corner_at);
    m->home = malloc(n * sizeof *m->home);
    PxStatus status = PX_OK;
    if (middle == NULL || m->triangle == NULL || m->order == NULL || m->node == NULL ||
        m->place[0] == NULL || m->place[1] == NULL || m->box[0] == NULL || m->box[1] == NULL ||
        m->edge == NULL || m->by_edge == NULL || m->weld == NULL || m->by_corner == NULL ||
        m->corner_at == NULL || m->home == NULL)
        status = px_fail(PX_ERR_MEMORY, "mesh: no room for %u triangles that move", triangles);
    if (status == PX_OK) {
        memcpy(m->triangle, mesh->triangle, triangles * sizeof *m->triangle);
        for (uint32_t t = 0; t < triangles; ++t) {
            middle[t] =
                px_scale(px_add(px_mesh_corner(mesh, t, 0),
                                px_add(px_mesh_corner(mesh, t, 1), px_mesh_corner(mesh, t, 2))),
                         1.0 / 3);
            m->order[t] = t;
        }
        m->nodes = px_tree_build(mesh, middle, m->order, triangles, m->node);
        status = link_parts(m, mesh);
    }
    free(middle);
    if (status != PX_OK) {
        px_moving_mesh_free(m);
        return status;
    }
    m->reach = px_bounds_empty();
    for (size_t k = 0; k < (size_t)poses->count * n; ++k) {
        const float *x = poses->place[k];
        px_bounds_add(&m->reach, into_world(m, px_vec((double)x[0], (double)x[1], (double)x[2])));
    }
    px_moving_mesh_set(m, 0, 0);
    *out = m;
    return PX_OK;
}

/* ---- poses of a step ---- */

/* Children are stored after their parent. */
static void refit(PxMovingMesh *m, int moment)
{
    const PxVec3 *x = m->place[moment];
    for (uint32_t n = m->nodes; n-- > 0;) {
        const PxTreeNode *node = &m->node[n];
        if (node->count == 0) {
            m->box[moment][n] = px_bounds_join(m->box[moment][n + 1], m->box[moment][node->first]);
            continue;
        }
        PxBounds b = px_bounds_empty();
        for (uint32_t k = node->first; k < node->first + node->count; ++k)
            for (int c = 0; c < 3; ++c)
                px_bounds_add(&b, x[m->triangle[m->order[k]][c]]);
        m->box[moment][n] = b;
    }
}

static void set_moment(PxMovingMesh *m, int moment, double time)
{
    PxVec3 *x = m->place[moment];
    px_poses_at(m->poses, time, x);
    for (uint32_t v = 0; v < m->vertices; ++v)
        x[v] = into_world(m, x[v]);
    m->time[moment] = time;
    refit(m, moment);
}

void px_moving_mesh_set(PxMovingMesh *m, double time, double step)
{
    double end = time + step;
    if (m->known && m->time[0] != time && !m->still && m->time[1] == time) {
        PxVec3 *place = m->place[0]; /* the end of the step before */
        PxBounds *box = m->box[0];
        m->place[0] = m->place[1];
        m->box[0] = m->box[1];
        m->place[1] = place;
        m->box[1] = box;
        m->time[0] = time;
        m->time[1] = NAN;
    }
    if (!m->known || m->time[0] != time)
        set_moment(m, 0, time);
    bool both = m->known && !m->still && m->time[1] == end;
    m->known = true;
    m->still = !(step > 0);
    if (m->still) {
        m->travel = 0;
        m->time[1] = NAN;
        return;
    }
    if (!both)
        set_moment(m, 1, end);
    double most = 0;
    for (uint32_t v = 0; v < m->vertices; ++v) {
        PxVec3 way = px_sub(m->place[1][v], m->place[0][v]);
        most = fmax(most, px_dot(way, way));
    }
    m->travel = sqrt(most);
}

const PxPoses *px_moving_mesh_poses(const PxMovingMesh *m)
{
    return m->poses;
}

uint32_t px_moving_mesh_vertices(const PxMovingMesh *m)
{
    return m->vertices;
}

const uint32_t (*px_moving_mesh_triangles(const PxMovingMesh *m, uint32_t *count))[3]
{
    *count = m->triangles;
    return (const uint32_t(*)[3])m->triangle;
}

static PxVec3 between(PxVec3 a, PxVec3 b, double when)
{
    return when >= 1 ? b : px_mad(a, px_sub(b, a), when);
}

PxVec3 px_moving_mesh_vertex(const PxMovingMesh *m, double when, uint32_t v)
{
    return m->still || when <= 0 ? m->place[0][v] : between(m->place[0][v], m->place[1][v], when);
}

PxBounds px_moving_mesh_bounds(const PxMovingMesh *m)
{
    return m->still ? m->box[0][0] : px_bounds_join(m->box[0][0], m->box[1][0]);
}

PxBounds px_moving_mesh_reach(const PxMovingMesh *m)
{
    return m->reach;
}

double px_moving_mesh_travel(const PxMovingMesh *m)
{
    return m->travel;
}

void px_moving_mesh_times(const PxMovingMesh *m, double time[2])
{
    time[0] = m->time[0];
    time[1] = m->still ? m->time[0] : m->time[1];
}

double px_moving_mesh_speed(const PxMovingMesh *m)
{
    return m->scale * px_poses_speed(m->poses);
}

double px_moving_mesh_limit(const PxMovingMesh *m, double now, double most, double limit)
{
    return px_poses_limit(m->poses, now, most / m->scale, limit);
}

/* ---- nearest point ---- */

static double outside(double low, double high, double x)
{
    double below = low - x, above = x - high, d = below > above ? below : above;
    return d > 0 ? d : 0;
}

static double box_distance2(const PxMovingMesh *m, double when, uint32_t n, PxVec3 p)
{
    PxBounds b = m->box[0][n];
    if (when > 0) {
        b.low = between(b.low, m->box[1][n].low, when);
        b.high = between(b.high, m->box[1][n].high, when);
    }
    double x = outside(b.low.x, b.high.x, p.x), y = outside(b.low.y, b.high.y, p.y);
    double z = outside(b.low.z, b.high.z, p.z);
    return x * x + y * y + z * z;
}

static void corners(const PxMovingMesh *m, double when, uint32_t t, PxVec3 out[3])
{
    for (int k = 0; k < 3; ++k)
        out[k] = px_moving_mesh_vertex(m, when, m->triangle[t][k]);
}

static PxVec3 face_normal(const PxMovingMesh *m, double when, uint32_t t)
{
    PxVec3 c[3];
    corners(m, when, t, c);
    return px_normalized(px_cross(px_sub(c[1], c[0]), px_sub(c[2], c[0])), px_vec(0, 0, 0));
}

/* Sum of the normals of the faces at a part, at a corner weighed by their angles there. */
static PxVec3 pseudo_normal(const PxMovingMesh *m, double when, uint32_t t, int part)
{
    PxVec3 sum = px_vec(0, 0, 0);
    if (part >= PX_PART_CORNER) {
        uint32_t v = m->weld[m->triangle[t][part - PX_PART_CORNER]];
        for (uint32_t k = m->corner_at[v]; k < m->corner_at[v + 1]; ++k) {
            uint32_t face = m->by_corner[k] / 3, c = m->by_corner[k] % 3;
            PxVec3 x[3];
            corners(m, when, face, x);
            PxVec3 a = px_sub(x[(c + 1) % 3], x[c]), b = px_sub(x[(c + 2) % 3], x[c]);
            PxVec3 across = px_cross(a, b);
            double angle = atan2(px_length(across), px_dot(a, b));
            sum = px_mad(sum, px_normalized(across, px_vec(0, 0, 0)), angle);
        }
        return sum;
    }
    uint32_t e = part == PX_PART_FACE ? UINT32_MAX : m->edge[3 * t + (uint32_t)part - PX_PART_EDGE];
    if (e == UINT32_MAX)
        return face_normal(m, when, t);
    for (uint32_t k = m->edge_at[e]; k < m->edge_at[e + 1]; ++k)
        sum = px_add(sum, face_normal(m, when, m->by_edge[k] / 3));
    return sum;
}

void px_triangle_weights(const PxVec3 c[3], PxVec3 q, double out[3])
{
    PxVec3 u = px_sub(c[1], c[0]), v = px_sub(c[2], c[0]), p = px_sub(q, c[0]), n = px_cross(u, v);
    double whole = px_dot(n, n);
    out[1] = whole > 0 ? px_dot(n, px_cross(p, v)) / whole : 0;
    out[2] = whole > 0 ? px_dot(n, px_cross(u, p)) / whole : 0;
    out[0] = 1 - out[1] - out[2];
}

void px_moving_mesh_closest(const PxMovingMesh *m, double when, PxVec3 p, PxMovingSpot *out)
{
    struct {
        uint32_t node;
        double distance2;
    } stack[PX_TREE_STACK];
    int top = 0, best_part = PX_PART_FACE;
    double best2 = INFINITY;
    uint32_t best = UINT32_MAX;
    PxVec3 point = p, c[3];
    when = m->still ? 0 : fmin(fmax(when, 0), 1);
    stack[top].node = 0;
    stack[top++].distance2 = 0;
    while (top > 0) {
        --top;
        if (!(stack[top].distance2 < best2))
            continue;
        uint32_t n = stack[top].node;
        const PxTreeNode *node = &m->node[n];
        for (uint32_t k = node->first; k < node->first + node->count; ++k) {
            int part;
            corners(m, when, m->order[k], c);
            PxVec3 q = px_triangle_closest_part(p, c[0], c[1], c[2], &part), apart = px_sub(p, q);
            double d2 = px_dot(apart, apart);
            if (d2 <
                best2) { /* false for a triangle without area, whose neighbours have its edges */
                best2 = d2;
                best = m->order[k];
                best_part = part;
                point = q;
            }
        }
        if (node->count > 0)
            continue;
        uint32_t near = n + 1, far = node->first;
        double near2 = box_distance2(m, when, near, p), far2 = box_distance2(m, when, far, p);
        bool swap = far2 < near2;
        stack[top].node = swap ? near : far;
        stack[top++].distance2 = swap ? near2 : far2;
        stack[top].node = swap ? far : near;
        stack[top++].distance2 = swap ? far2 : near2;
    }
    *out = (PxMovingSpot){.triangle = best == UINT32_MAX ? 0 : best,
                          .point = point,
                          .distance = INFINITY,
                          .normal = px_vec(0, 1, 0)};
    if (best == UINT32_MAX) /* so far away that squares overflow */
        return;
    corners(m, when, best, c);
    px_triangle_weights(c, point, out->weight);
    PxVec3 normal = pseudo_normal(m, when, best, best_part), apart = px_sub(p, point);
    bool inside = px_dot(apart, normal) < 0;
    double distance = sqrt(best2), size = px_length(px_sub(c[1], c[0]));
    out->distance = inside ? -distance : distance;
    /* In a face, the direction p - q cancels less when taken from the face. */
    normal = px_normalized(normal, px_vec(0, 1, 0));
    bool touching = distance <= 1e-9 * size;
    out->normal = best_part == PX_PART_FACE || touching
                      ? normal
                      : px_normalized(px_scale(apart, inside ? -1 : 1), normal);
}

PxVec3 px_moving_mesh_way(const PxMovingMesh *m, const PxMovingSpot *spot)
{
    PxVec3 way = px_vec(0, 0, 0);
    if (m->still)
        return way;
    for (int k = 0; k < 3; ++k) {
        uint32_t v = m->triangle[spot->triangle][k];
        way = px_mad(way, px_sub(m->place[1][v], m->place[0][v]), spot->weight[k]);
    }
    return way;
}

/* Axes of a triangle: along an edge, and its normal. False if it has no area. */
static bool axes_of(const PxVec3 c[3], PxVec3 axis[3])
{
    PxVec3 along = px_sub(c[1], c[0]), normal = px_cross(along, px_sub(c[2], c[0]));
    if (!(px_length(normal) > 0))
        return false;
    axis[0] = px_normalized(along, px_vec(1, 0, 0));
    axis[1] = px_normalized(normal, px_vec(0, 1, 0));
    axis[2] = px_cross(axis[0], axis[1]);
    return true;
}

PxVec3 px_triangle_carry(const PxVec3 a[3], const PxVec3 b[3], const double weight[3], PxVec3 arm)
{
    PxVec3 old[3], new[3], foot = px_vec(0, 0, 0);
    for (int k = 0; k < 3; ++k)
        foot = px_mad(foot, b[k], weight[k]);
    if (!axes_of(a, old) || !axes_of(b, new))
        return px_add(foot, arm);
    for (int k = 0; k < 3; ++k)
        foot = px_mad(foot, new[k], px_dot(arm, old[k]));
    return foot;
}

void px_moving_mesh_corners(const PxMovingMesh *m, double when, uint32_t triangle, PxVec3 out[3])
{
    corners(m, when, triangle, out);
}

PxVec3 px_moving_mesh_carry(const PxMovingMesh *m, double from, PxVec3 point, double to)
{
    PxMovingSpot spot;
    if (m->still || from == to)
        return point;
    px_moving_mesh_closest(m, from, point, &spot);
    if (!isfinite(spot.distance))
        return point;
    PxVec3 a[3], b[3];
    corners(m, from, spot.triangle, a);
    corners(m, to, spot.triangle, b);
    return px_triangle_carry(a, b, spot.weight, px_sub(point, spot.point));
}

PxMovingCorner px_moving_mesh_corner(const PxMovingMesh *m, uint32_t t, int corner)
{
    /* Faces that turn away from the mean by more than 50 degrees have an edge there. */
    static const double smooth = 0.64;
    uint32_t v = m->triangle[t][corner];
    PxVec3 face = face_normal(m, 0, t);
    PxVec3 mean = px_normalized(pseudo_normal(m, 0, t, PX_PART_CORNER + corner), face);
    PxVec3 normal = px_dot(mean, face) > smooth ? mean : face;
    return (PxMovingCorner){{m->place[0][v], px_moving_mesh_vertex(m, 1, v)},
                            px_normalized(normal, px_vec(0, 1, 0))};
}

void px_moving_mesh_within(const PxMovingMesh *m, double when, PxVec3 point, double radius,
                           void (*visit)(void *user, uint32_t vertex, PxVec3 place), void *user)
{
    uint32_t stack[PX_TREE_STACK];
    int top = 0;
    double most = radius * radius;
    when = m->still ? 0 : fmin(fmax(when, 0), 1);
    stack[top++] = 0;
    while (top > 0) {
        uint32_t n = stack[--top];
        const PxTreeNode *node = &m->node[n];
        if (box_distance2(m, when, n, point) > most)
            continue;
        if (node->count == 0) {
            stack[top++] = node->first;
            stack[top++] = n + 1;
            continue;
        }
        for (uint32_t k = node->first; k < node->first + node->count; ++k)
            for (uint32_t c = 0; c < 3; ++c) {
                uint32_t v = m->triangle[m->order[k]][c];
                PxVec3 x = px_moving_mesh_vertex(m, when, v), apart = px_sub(x, point);
                if (m->home[v] == 3 * m->order[k] + c && m->weld[v] == v &&
                    px_dot(apart, apart) <= most)
                    visit(user, v, x);
            }
    }
}
