#include "screen_mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEGREE (3.14159265358979323846 / 180)
#define NONE UINT32_MAX

/* A particle in the picture. */
typedef struct Disc {
    float x, y;  /* pixels, in units of the map's cell */
    float r;     /* the same */
    float depth; /* along the view axis, m */
    float size;  /* enlarged radius, m */
    uint32_t particle;
} Disc;

/* Where a silhouette cuts an edge of the map. */
typedef struct Cut {
    float at;           /* along the edge, 0 .. 1; negative: not cut */
    float depth;        /* of the silhouette */
    uint32_t vertex[2]; /* on the side of the edge's first and second node */
} Cut;

typedef struct Work {
    Disc *disc;
    size_t discs, disc_room;
    int wide, tall; /* nodes */
    float *z, *smooth, *thick;
    uint32_t *owner, *vertex; /* of nodes */
    Cut *cut;                 /* edges to the right, then edges up */
    size_t node_room;
    float *screen;  /* x, y, z of vertices, in cells and m */
    float *sum;     /* 4 numbers a vertex */
    uint8_t *fixed; /* vertices where one part hides another: smoothing would open gaps */
    size_t vertex_room, triangle_room;
} Work;

ScreenMeshDef screen_mesh_def_default(void)
{
    return (ScreenMeshDef){.width = 800,
                           .height = 600,
                           .cell = 3,
                           .enlarge = 1.7,
                           .jump = 0.1,
                           .depth_smoothing = 3,
                           .edge_smoothing = 2,
                           .near = 1e-6};
}

void screen_mesh_free(ScreenMesh *mesh)
{
    Work *w = mesh->work;
    if (w != NULL) {
        free(w->disc);
        free(w->z);
        free(w->smooth);
        free(w->thick);
        free(w->owner);
        free(w->vertex);
        free(w->cut);
        free(w->screen);
        free(w->sum);
        free(w->fixed);
        free(w);
    }
    free(mesh->position);
    free(mesh->normal);
    free(mesh->thickness);
    free(mesh->particle);
    free(mesh->triangle);
    *mesh = (ScreenMesh){0};
}

/* ---- memory ---- */

static bool grow(void *array, size_t count, size_t size)
{
    void **data = array;
    void *more = realloc(*data, count * size);
    if (more != NULL)
        *data = more;
    return more != NULL;
}

static bool reserve_nodes(Work *w, size_t nodes)
{
    if (nodes <= w->node_room)
        return true;
    bool good =
        grow(&w->z, nodes, sizeof *w->z) && grow(&w->smooth, nodes, sizeof *w->smooth) &&
        grow(&w->thick, nodes, sizeof *w->thick) && grow(&w->owner, nodes, sizeof *w->owner) &&
        grow(&w->vertex, nodes, sizeof *w->vertex) && grow(&w->cut, 2 * nodes, sizeof *w->cut);
    if (good)
        w->node_room = nodes;
    return good;
}

static bool reserve_vertices(ScreenMesh *m, size_t count)
{
    Work *w = m->work;
    if (count <= w->vertex_room)
        return true;
    count += count / 2;
    bool good = grow(&w->screen, 3 * count, sizeof *w->screen) &&
                grow(&w->sum, 4 * count, sizeof *w->sum) && grow(&w->fixed, count, 1) &&
                grow(&m->position, 3 * count, sizeof *m->position) &&
                grow(&m->normal, 3 * count, sizeof *m->normal) &&
                grow(&m->thickness, count, sizeof *m->thickness) &&
                grow(&m->particle, count, sizeof *m->particle);
    if (good)
        w->vertex_room = count;
    return good;
}

static bool reserve_triangles(ScreenMesh *m, size_t count)
{
    Work *w = m->work;
    if (count <= w->triangle_room)
        return true;
    count += count / 2;
    if (!grow(&m->triangle, 3 * count, sizeof *m->triangle))
        return false;
    w->triangle_room = count;
    return true;
}

/* ---- the depth map ---- */

/* Projects the particles: Eqs. 6.3 to 6.5, with the depth along the view axis kept linear. */
static bool project(Work *w, const ScreenMeshDef *def, const Camera *camera,
                    const ScreenParticles *p)
{
    PxVec3 r, u, f, eye = camera_eye(camera);
    camera_axes(camera, &r, &u, &f);
    double scale = 0.5 * def->height / tan(0.5 * camera->fov * DEGREE) / def->cell;
    double middle_x = 0.5 * def->width / def->cell, middle_y = 0.5 * def->height / def->cell;
    w->discs = 0;
    if (p->count > w->disc_room) {
        if (!grow(&w->disc, p->count, sizeof *w->disc))
            return false;
        w->disc_room = p->count;
    }
    for (uint32_t i = 0; i < p->count; ++i) {
        if (p->mark != NULL && p->mark[i] == 0)
            continue;
        const float *at = &p->place[4 * (size_t)i];
        double x = (double)at[0] - eye.x, y = (double)at[1] - eye.y, z = (double)at[2] - eye.z;
        double depth = x * f.x + y * f.y + z * f.z, size = def->enlarge * (double)at[3];
        if (!(depth > def->near + size))
            continue;
        Disc d = {.x = (float)(middle_x + scale * (x * r.x + y * r.y + z * r.z) / depth),
                  .y = (float)(middle_y + scale * (x * u.x + y * u.y + z * u.z) / depth),
                  .r = (float)(scale * size / depth),
                  .depth = (float)depth,
                  .size = (float)size,
                  .particle = i};
        if (d.x + d.r < 0 || d.y + d.r < 0 || d.x - d.r > (float)w->wide ||
            d.y - d.r > (float)w->tall)
            continue;
        w->disc[w->discs++] = d;
    }
    return true;
}

typedef struct Span {
    int low, high;
} Span;

static Span span(float middle, float radius, int count)
{
    float low = ceilf(middle - radius), high = floorf(middle + radius);
    return (Span){low < 0 ? 0 : (int)low, high > (float)(count - 1) ? count - 1 : (int)high};
}

/* Eqs. 6.6 and 6.7. A particle of radius r (half of its spacing) has the volume 8 r^3, which is
 * spread over its disc of radius R by 3 / (pi R^2) (1 - q^2)^2: the sum is the thickness. A disc
 * smaller than a cell sets at least the node that is next to it. */
static void splat(Work *w, const ScreenMeshDef *def)
{
    size_t nodes = (size_t)w->wide * (size_t)w->tall;
    for (size_t k = 0; k < nodes; ++k) {
        w->z[k] = INFINITY;
        w->thick[k] = 0;
        w->owner[k] = NONE;
    }
    float volume = 7.6394f / powf((float)def->enlarge, 3); /* 24 / pi */
    for (size_t k = 0; k < w->discs; ++k) {
        Disc *d = &w->disc[k];
        d->r = fmaxf(d->r, 0.71f);
        Span rows = span(d->y, d->r, w->tall), columns = span(d->x, d->r, w->wide);
        float over = 1 / (d->r * d->r);
        for (int j = rows.low; j <= rows.high; ++j)
            for (int i = columns.low; i <= columns.high; ++i) {
                float x = (float)i - d->x, y = (float)j - d->y;
                float q = (x * x + y * y) * over;
                if (q > 1)
                    continue;
                size_t n = (size_t)j * (size_t)w->wide + (size_t)i;
                float z = d->depth - d->size * sqrtf(1 - q);
                w->thick[n] += volume * d->size * (1 - q) * (1 - q);
                if (z < w->z[n]) {
                    w->z[n] = z;
                    w->owner[n] = d->particle;
                }
            }
    }
}

static bool is_cut(const Work *w, const ScreenMeshDef *def, size_t a, size_t b)
{
    float za = w->z[a], zb = w->z[b];
    if (isinf(za) && isinf(zb))
        return false;
    return !(fabsf(za - zb) <= (float)def->jump);
}

/* Considers the cut of a disc with an edge as its silhouette: it must be in front of the middle of
 * the edge, and further from the nearer node than the cut that is there. */
static void offer(Work *w, size_t edge, size_t a, size_t b, float at, const Disc *d)
{
    Cut *cut = &w->cut[edge];
    if (at < 0 || at > 1 || cut->at == -1)
        return;                     /* -1: no silhouette edge; -2: one without a cut yet */
    bool first = w->z[a] < w->z[b]; /* the nearer node */
    float mean = 0.5f * (w->z[a] + w->z[b]);
    if (!(d->depth < mean))
        return;
    if (cut->at >= 0 && (first ? at <= cut->at : at >= cut->at))
        return;
    cut->at = at;
    cut->depth = d->depth;
}

static void find_cuts(Work *w, const ScreenMeshDef *def)
{
    size_t nodes = (size_t)w->wide * (size_t)w->tall, wide = (size_t)w->wide;
    for (size_t n = 0; n < nodes; ++n) {
        bool right = n % wide + 1 < wide && is_cut(w, def, n, n + 1);
        bool up = n + wide < nodes && is_cut(w, def, n, n + wide);
        w->cut[n] = (Cut){right ? -2.0f : -1.0f, 0, {NONE, NONE}};
        w->cut[nodes + n] = (Cut){up ? -2.0f : -1.0f, 0, {NONE, NONE}};
    }
    for (size_t k = 0; k < w->discs; ++k) {
        const Disc *d = &w->disc[k];
        Span rows = span(d->y, d->r, w->tall), columns = span(d->x, d->r, w->wide);
        for (int j = rows.low; j <= rows.high; ++j) { /* edges to the right */
            float y = (float)j - d->y, half = sqrtf(fmaxf(0, d->r * d->r - y * y));
            for (int side = -1; side <= 1; side += 2) {
                float x = d->x + (float)side * half, i = floorf(x);
                if (i < 0 || i + 1 > (float)(w->wide - 1))
                    continue;
                size_t n = (size_t)j * wide + (size_t)i;
                offer(w, n, n, n + 1, x - i, d);
            }
        }
        for (int i = columns.low; i <= columns.high; ++i) { /* edges up */
            float x = (float)i - d->x, half = sqrtf(fmaxf(0, d->r * d->r - x * x));
            for (int side = -1; side <= 1; side += 2) {
                float y = d->y + (float)side * half, j = floorf(y);
                if (j < 0 || j + 1 > (float)(w->tall - 1))
                    continue;
                size_t n = (size_t)j * wide + (size_t)i;
                offer(w, nodes + n, n, n + wide, y - j, d);
            }
        }
    }
}

/* A pass of the binomial filter (1 4 6 4 1) / 16 along one axis, within connected depths. */
static void filter(const ScreenMeshDef *def, const float *from, float *to, int step, int count,
                   int lines, int line_step)
{
    static const float weight[3] = {6, 4, 1};
    float jump = (float)def->jump;
    for (int line = 0; line < lines; ++line)
        for (int k = 0; k < count; ++k) {
            ptrdiff_t n = (ptrdiff_t)line * line_step + (ptrdiff_t)k * step;
            float z = from[n];
            if (isinf(z)) {
                to[n] = z;
                continue;
            }
            float sum = weight[0] * z, total = weight[0];
            for (int side = -1; side <= 1; side += 2) {
                float last = z;
                for (int off = 1; off <= 2; ++off) {
                    int other = k + side * off;
                    if (other < 0 || other >= count)
                        break;
                    float there = from[n + (ptrdiff_t)(side * off) * step];
                    if (!(fabsf(there - last) <= jump))
                        break;
                    sum += weight[off] * there;
                    total += weight[off];
                    last = there;
                }
            }
            to[n] = sum / total;
        }
}

/* ---- the mesh ---- */

static uint32_t add_vertex(ScreenMesh *m, float x, float y, float z, uint32_t particle,
                           float thickness)
{
    Work *w = m->work;
    if (!reserve_vertices(m, (size_t)m->vertices + 1))
        return NONE;
    w->screen[3 * (size_t)m->vertices] = x;
    w->screen[3 * (size_t)m->vertices + 1] = y;
    w->screen[3 * (size_t)m->vertices + 2] = z;
    m->particle[m->vertices] = particle;
    m->thickness[m->vertices] = thickness;
    w->fixed[m->vertices] = 0;
    return m->vertices++;
}

/* Vertices at the cut of an edge from node a to b: one for each node that has a depth. The nearer
 * one gets the depth of the silhouette, but not more than `jump` behind its node; the other one is
 * extrapolated from its node and the one behind it. `beyond_a` is the node before a, `beyond_b`
 * that after b, or the same node at the border. */
static bool cut_edge(ScreenMesh *m, const ScreenMeshDef *def, Cut *cut, size_t a, size_t b,
                     size_t beyond_a, size_t beyond_b)
{
    Work *w = m->work;
    if (cut->at == -1)
        return true;
    float at = cut->at >= 0 ? cut->at : 0.5f;
    size_t node[2] = {a, b}, beyond[2] = {beyond_a, beyond_b};
    float xa = (float)(a % (size_t)w->wide), ya = (float)(a / (size_t)w->wide);
    float x = xa + (b == a + 1 ? at : 0), y = ya + (b == a + 1 ? 0 : at);
    for (int side = 0; side < 2; ++side) {
        size_t n = node[side], o = node[1 - side];
        float z = w->smooth[n];
        if (isinf(z))
            continue;
        bool front = w->z[n] <= w->z[o];
        if (front) {
            float silhouette = cut->at >= 0 ? cut->depth : z;
            z = fminf(fmaxf(silhouette, z - (float)def->jump), z + (float)def->jump);
        } else {
            float z2 = w->smooth[beyond[side]];
            float along = side == 0 ? at : 1 - at;
            if (fabsf(z2 - z) <= (float)def->jump)
                z += (z - z2) * along;
        }
        cut->vertex[side] = add_vertex(m, x, y, z, w->owner[n], front ? 0 : w->thick[n]);
        if (cut->vertex[side] == NONE)
            return false;
        w->fixed[cut->vertex[side]] = !isinf(w->smooth[o]);
    }
    return true;
}

static bool make_vertices(ScreenMesh *m, const ScreenMeshDef *def)
{
    Work *w = m->work;
    size_t wide = (size_t)w->wide, nodes = wide * (size_t)w->tall;
    for (size_t n = 0; n < nodes; ++n) {
        w->vertex[n] = NONE;
        if (isinf(w->smooth[n]))
            continue;
        w->vertex[n] = add_vertex(m, (float)(n % wide), (float)(n / wide), w->smooth[n],
                                  w->owner[n], w->thick[n]);
        if (w->vertex[n] == NONE)
            return false;
    }
    for (size_t n = 0; n < nodes; ++n) {
        size_t x = n % wide;
        if (x + 1 < wide && !cut_edge(m, def, &w->cut[n], n, n + 1, x > 0 ? n - 1 : n,
                                      x + 2 < wide ? n + 2 : n + 1))
            return false;
        if (n + wide < nodes &&
            !cut_edge(m, def, &w->cut[nodes + n], n, n + wide, n >= wide ? n - wide : n,
                      n + 2 * wide < nodes ? n + 2 * wide : n + wide))
            return false;
    }
    return true;
}

static bool add_polygon(ScreenMesh *m, const uint32_t *corner, int count)
{
    for (int k = 2; k < count; ++k) {
        uint32_t t[3] = {corner[0], corner[k - 1], corner[k]};
        if (t[0] == NONE || t[1] == NONE || t[2] == NONE)
            continue;
        if (!reserve_triangles(m, (size_t)m->triangles + 1))
            return false;
        memcpy(&m->triangle[3 * (size_t)m->triangles++], t, sizeof t);
    }
    return true;
}

/* One cell: nodes that are connected along its border form a polygon, with the vertices at the cuts
 * of its two ends. These are the 16 cases of Figure 6.3. */
static bool make_cell(ScreenMesh *m, size_t n)
{
    Work *w = m->work;
    size_t wide = (size_t)w->wide, nodes = wide * (size_t)w->tall;
    /* counter-clockwise as seen by the eye: y is up */
    const size_t node[4] = {n, n + 1, n + 1 + wide, n + wide};
    const Cut *edge[4] = {&w->cut[n], &w->cut[nodes + n + 1], &w->cut[n + wide],
                          &w->cut[nodes + n]};
    static const int side_of[4][2] = {{0, 1}, {0, 1}, {1, 0}, {1, 0}}; /* of corners k and k + 1 */
    uint32_t corner[8];
    int cuts = 0, first = 0;
    for (int k = 0; k < 4; ++k)
        if (edge[k]->at != -1) {
            ++cuts;
            first = k;
        }
    if (cuts == 0) {
        for (int k = 0; k < 4; ++k)
            corner[k] = w->vertex[node[k]];
        return corner[0] == NONE || add_polygon(m, corner, 4);
    }
    /* runs of corners from a cut to the next one, once around */
    for (int start = first, done = 0; done < 4;) {
        int count = 0, k = (start + 1) % 4;
        corner[count++] = edge[start]->vertex[side_of[start][1]];
        for (;;) {
            corner[count++] = w->vertex[node[k]];
            ++done;
            if (edge[k]->at != -1)
                break;
            k = (k + 1) % 4;
        }
        corner[count++] = edge[k]->vertex[side_of[k][0]];
        if (corner[1] != NONE && !add_polygon(m, corner, count))
            return false;
        start = k;
    }
    return true;
}

/* Replaces positions in the picture by means with their neighbours: outer silhouettes shrink, and
 * drops that touch look connected (Figure 6.4). */
static void smooth_edges(ScreenMesh *m)
{
    Work *w = m->work;
    memset(w->sum, 0, (size_t)m->vertices * 4 * sizeof *w->sum);
    for (size_t k = 0; k < m->triangles; ++k) {
        const uint32_t *t = &m->triangle[3 * k];
        for (int c = 0; c < 3; ++c)
            for (int o = 1; o < 3; ++o) {
                const float *other = &w->screen[3 * (size_t)t[(c + o) % 3]];
                float *sum = &w->sum[4 * (size_t)t[c]];
                for (int axis = 0; axis < 3; ++axis)
                    sum[axis] += other[axis];
                sum[3] += 1;
            }
    }
    for (size_t k = 0; k < m->vertices; ++k) {
        const float *sum = &w->sum[4 * k];
        for (int axis = 0; axis < 3 && sum[3] > 0 && !w->fixed[k]; ++axis)
            w->screen[3 * k + (size_t)axis] =
                0.5f * w->screen[3 * k + (size_t)axis] + 0.5f * sum[axis] / sum[3];
    }
}

/* Eq. 6.8: back to the scene. */
static void unproject(ScreenMesh *m, const ScreenMeshDef *def, const Camera *camera)
{
    Work *w = m->work;
    PxVec3 r, u, f, eye = camera_eye(camera);
    camera_axes(camera, &r, &u, &f);
    double scale = 0.5 * def->height / tan(0.5 * camera->fov * DEGREE) / def->cell;
    double middle_x = 0.5 * def->width / def->cell, middle_y = 0.5 * def->height / def->cell;
    for (size_t k = 0; k < m->vertices; ++k) {
        double z = (double)w->screen[3 * k + 2];
        double x = ((double)w->screen[3 * k] - middle_x) / scale * z;
        double y = ((double)w->screen[3 * k + 1] - middle_y) / scale * z;
        m->position[3 * k] = (float)(eye.x + x * r.x + y * u.x + z * f.x);
        m->position[3 * k + 1] = (float)(eye.y + x * r.y + y * u.y + z * f.y);
        m->position[3 * k + 2] = (float)(eye.z + x * r.z + y * u.z + z * f.z);
    }
}

static void find_normals(ScreenMesh *m)
{
    memset(m->normal, 0, (size_t)m->vertices * 3 * sizeof *m->normal);
    for (size_t k = 0; k < m->triangles; ++k) {
        const uint32_t *t = &m->triangle[3 * k];
        const float *p[3];
        float a[3], b[3];
        for (int c = 0; c < 3; ++c)
            p[c] = &m->position[3 * (size_t)t[c]];
        for (int axis = 0; axis < 3; ++axis) {
            a[axis] = p[1][axis] - p[0][axis];
            b[axis] = p[2][axis] - p[0][axis];
        }
        float n[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                      a[0] * b[1] - a[1] * b[0]};
        for (int c = 0; c < 3; ++c) /* weighted by area */
            for (int axis = 0; axis < 3; ++axis)
                m->normal[3 * (size_t)t[c] + (size_t)axis] += n[axis];
    }
    for (size_t k = 0; k < m->vertices; ++k) {
        float *n = &m->normal[3 * k];
        float length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        for (int axis = 0; axis < 3; ++axis)
            n[axis] = length > 0 ? n[axis] / length : 0;
    }
}

bool screen_mesh_make(ScreenMesh *m, const ScreenMeshDef *def, const Camera *camera,
                      const ScreenParticles *particles)
{
    if (m->work == NULL)
        m->work = calloc(1, sizeof(Work));
    Work *w = m->work;
    m->vertices = m->triangles = 0;
    if (w == NULL)
        return false;
    w->wide = (int)(def->width / def->cell) + 2;
    w->tall = (int)(def->height / def->cell) + 2;
    size_t nodes = (size_t)w->wide * (size_t)w->tall;
    if (!reserve_nodes(w, nodes) || !project(w, def, camera, particles))
        return false;
    if (w->discs == 0)
        return true;
    splat(w, def);
    find_cuts(w, def);
    memcpy(w->smooth, w->z, nodes * sizeof *w->z);
    float *other = malloc(nodes * sizeof *other);
    if (other == NULL)
        return false;
    for (int pass = 0; pass < def->depth_smoothing; ++pass) {
        filter(def, w->smooth, other, 1, w->wide, w->tall, w->wide);
        filter(def, other, w->smooth, w->wide, w->tall, w->wide, 1);
    }
    free(other);
    bool good = make_vertices(m, def);
    for (int j = 0; good && j + 1 < w->tall; ++j)
        for (int i = 0; good && i + 1 < w->wide; ++i)
            good = make_cell(m, (size_t)j * (size_t)w->wide + (size_t)i);
    if (!good)
        return false;
    for (int pass = 0; pass < def->edge_smoothing; ++pass)
        smooth_edges(m);
    unproject(m, def, camera);
    find_normals(m);
    return true;
}
