#include "shape/tessellate.h"

#include "shape/shape_inner.h"

#define TURNS 256u
#define ARCS 24u /* of a quarter circle */

typedef struct Maker {
    PxMesh *mesh;
    uint32_t points, triangles;
} Maker;

static uint32_t add_point(Maker *m, PxVec3 position, PxVec3 normal)
{
    m->mesh->position[m->points] = position;
    m->mesh->normal[m->points] = normal;
    return m->points++;
}

/* Orients the triangle counter-clockwise seen from the side of the first normal. */
static void add_triangle(Maker *m, uint32_t a, uint32_t b, uint32_t c)
{
    const PxVec3 *p = m->mesh->position;
    PxVec3 area = px_cross(px_sub(p[b], p[a]), px_sub(p[c], p[a]));
    bool turned = px_dot(area, m->mesh->normal[a]) < 0;
    uint32_t *to = m->mesh->triangle[m->triangles++];
    to[0] = a;
    to[1] = turned ? c : b;
    to[2] = turned ? b : c;
}

static void add_quad(Maker *m, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    add_triangle(m, a, b, c);
    add_triangle(m, a, c, d);
}

static void make_box(Maker *m, PxVec3 half, bool open)
{
    for (int axis = 0; axis < 3; ++axis) {
        if (open && axis == 1)
            continue;
        for (int side = -1; side <= 1; side += 2) {
            double n[3] = {0}, u[3] = {0}, v[3] = {0};
            const double h[3] = {half.x, half.y, half.z};
            n[axis] = side;
            u[(axis + 1) % 3] = h[(axis + 1) % 3];
            v[(axis + 2) % 3] = h[(axis + 2) % 3];
            PxVec3 normal = px_vec(n[0], n[1], n[2]), at = px_scale(normal, h[axis]);
            PxVec3 across = px_vec(u[0], u[1], u[2]), along = px_vec(v[0], v[1], v[2]);
            uint32_t p[4];
            for (int k = 0; k < 4; ++k)
                p[k] = add_point(
                    m, px_mad(px_mad(at, across, k == 0 || k == 3 ? -1 : 1), along, k < 2 ? -1 : 1),
                    normal);
            add_quad(m, p[0], p[1], p[2], p[3]);
        }
    }
}

/* A ring of TURNS + 1 points about y, with normals of radial part nr and vertical part ny. */
static uint32_t add_ring(Maker *m, double r, double y, double nr, double ny)
{
    uint32_t first = m->points;
    for (uint32_t k = 0; k <= TURNS; ++k) {
        double a = 2 * 3.14159265358979 * (k % TURNS) / TURNS, c = cos(a), s = sin(a);
        add_point(m, px_vec(r * c, y, r * s), px_vec(nr * c, ny, nr * s));
    }
    return first;
}

static void join_rings(Maker *m, uint32_t a, uint32_t b)
{
    for (uint32_t k = 0; k < TURNS; ++k)
        add_quad(m, a + k, a + k + 1, b + k + 1, b + k);
}

static void make_profile(Maker *m, const PxProfile *profile, bool open)
{
    for (int k = 0; k < px_profile_pieces(profile); ++k) {
        int next = (k + 1) % profile->corners;
        double dr = profile->r[next] - profile->r[k], dy = profile->y[next] - profile->y[k];
        double length = hypot(dr, dy);
        if (length == 0 || (open && dy == 0))
            continue;
        uint32_t a = add_ring(m, profile->r[k], profile->y[k], dy / length, -dr / length);
        uint32_t b = add_ring(m, profile->r[next], profile->y[next], dy / length, -dr / length);
        join_rings(m, a, b);
    }
}

/* A ball (height 0) or a capsule with a cylinder of that height. */
static void make_round(Maker *m, double radius, double height)
{
    uint32_t before = 0;
    for (int half = -1; half <= 1; half += 2)
        for (uint32_t k = 0; k <= ARCS; ++k) {
            double a = 0.5 * 3.14159265358979 * (half < 0 ? (double)k - ARCS : (double)k) / ARCS;
            uint32_t ring =
                add_ring(m, radius * cos(a), radius * sin(a) + 0.5 * half * height, cos(a), sin(a));
            if (half > 0 || k > 0)
                join_rings(m, before, ring);
            before = ring;
        }
}

/* Copies the mesh; triangles share no vertices. The normals are those of the file, or flat where it
 * has none. */
static PxStatus copy_mesh(const PxShape *shape, PxMesh **out)
{
    const PxMesh *from = shape->mesh;
    PX_TRY(px_mesh_create((size_t)3 * from->triangle_count, from->triangle_count, PX_MESH_NORMAL,
                          out));
    for (uint32_t t = 0; t < from->triangle_count; ++t) {
        PxVec3 a = px_mesh_corner(from, t, 0), b = px_mesh_corner(from, t, 1),
               c = px_mesh_corner(from, t, 2);
        PxVec3 n = px_normalized(px_cross(px_sub(b, a), px_sub(c, a)), px_vec(0, 1, 0));
        for (uint32_t k = 0; k < 3; ++k) {
            (*out)->position[3 * t + k] = px_mesh_corner(from, t, (int)k);
            (*out)->normal[3 * t + k] =
                from->normal != NULL ? px_normalized(from->normal[from->triangle[t][k]], n) : n;
            (*out)->triangle[t][k] = 3 * t + k;
        }
    }
    return PX_OK;
}

PxStatus px_tessellate(const PxShape *shape, bool open, PxMesh **out)
{
    *out = NULL;
    if (shape->kind == PX_SHAPE_POINTS)
        return px_fail(PX_ERR_ARGUMENT, "tessellate: particles have no triangles");
    if (shape->kind == PX_SHAPE_PLANE)
        return px_fail(PX_ERR_ARGUMENT, "tessellate: a plane has no triangles");
    if (shape->kind == PX_SHAPE_MESH) {
        PX_TRY(copy_mesh(shape, out));
    } else {
        /* room for the largest: the rings of a capsule */
        PX_TRY(px_mesh_create((size_t)(TURNS + 1) * 2 * (ARCS + 1), (size_t)4 * TURNS * (ARCS + 1),
                              PX_MESH_NORMAL, out));
        Maker m = {.mesh = *out};
        const PxPrimitive *p = &shape->primitive;
        if (shape->kind == PX_SHAPE_BOX)
            make_box(&m, p->half, open);
        else if (shape->kind == PX_SHAPE_SPHERE)
            make_round(&m, p->radius, 0);
        else if (shape->kind == PX_SHAPE_CAPSULE)
            make_round(&m, p->radius, p->height);
        else
            make_profile(&m, &p->profile, open && shape->kind != PX_SHAPE_FUNNEL);
        m.mesh->vertex_count = m.points;
        m.mesh->triangle_count = m.triangles;
    }
    for (uint32_t k = 0; k < (*out)->vertex_count; ++k) {
        (*out)->position[k] = px_shape_to_world(shape, (*out)->position[k]);
        (*out)->normal[k] = px_rotate(shape->turn, (*out)->normal[k]);
    }
    return PX_OK;
}
