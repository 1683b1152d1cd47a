#include "shape/shape.h"

#include "base/digest.h"
#include "base/fail.h"
#include "base/random.h"
#include "shape/mesh_check.h"
#include "shape/mesh_union.h"
#include "shape/mesh_read.h"
#include "shape/shape_inner.h"

#include <stdlib.h>
#include <string.h>

static const char *const kind_names[PX_SHAPE_KINDS] = {
    [PX_SHAPE_BOX] = "box",         [PX_SHAPE_SPHERE] = "sphere", [PX_SHAPE_CYLINDER] = "cylinder",
    [PX_SHAPE_CAPSULE] = "capsule", [PX_SHAPE_PLANE] = "plane",   [PX_SHAPE_CONE] = "cone",
    [PX_SHAPE_FUNNEL] = "funnel",   [PX_SHAPE_MESH] = "mesh",
};

const char *px_shape_kind_name(PxShapeKind kind)
{
    return kind == PX_SHAPE_SHEET            ? "sheet"
           : kind == PX_SHAPE_PARTICLES      ? "points"
           : (unsigned)kind < PX_SHAPE_KINDS ? kind_names[kind]
                                             : "unknown";
}

PxShapeDef px_shape_def_default(PxShapeKind kind)
{
    PxShapeDef def = {.kind = kind};
    def.size = px_vec(1, 1, 1);
    def.radius = 0.5;
    def.height = 1;
    def.thickness = 0.05;
    def.normal = px_vec(0, 1, 0);
    def.scale = 1;
    def.rotation = px_quat_identity();
    def.pose_fps = 30;
    if (kind == PX_SHAPE_FUNNEL) { /* wide above, narrow below */
        def.radius = 0.1;
        def.radius_top = 0.5;
    }
    return def;
}

/* ---- checking ---- */

/* The lengths of a def that were checked so far. */
typedef struct Lengths {
    double shortest, longest;
} Lengths;

static PxStatus check_length(const PxShapeDef *def, const char *what, double value, Lengths *all)
{
    double length = value * def->scale;
    const char *kind = px_shape_kind_name(def->kind);
    if (length >= PX_SHAPE_MIN_LENGTH && length <= PX_SHAPE_MAX_LENGTH) {
        all->shortest = fmin(all->shortest, length);
        all->longest = fmax(all->longest, length);
        if (all->longest <= PX_SHAPE_MAX_RATIO * all->shortest)
            return PX_OK;
        return px_fail(PX_ERR_ARGUMENT,
                       "%s: its lengths lie between %g and %g m, %g times apart "
                       "at most are allowed",
                       kind, all->shortest, all->longest, PX_SHAPE_MAX_RATIO);
    }
    if (!(value > 0) || !isfinite(value))
        return px_fail(PX_ERR_ARGUMENT, "%s: %s is %g m, must be positive and finite", kind, what,
                       value);
    return px_fail(PX_ERR_ARGUMENT, "%s: %s is %g m (scale %g), must be between %g and %g m", kind,
                   what, length, def->scale, PX_SHAPE_MIN_LENGTH, PX_SHAPE_MAX_LENGTH);
}

static PxStatus check_standing(const PxShapeDef *def)
{
    const char *kind = px_shape_kind_name(def->kind);
    if (!(def->scale > 0) || !isfinite(def->scale))
        return px_fail(PX_ERR_ARGUMENT, "%s: scale is %g, must be positive and finite", kind,
                       def->scale);
    if (!px_finite(def->at) ||
        fmax(fabs(def->at.x), fmax(fabs(def->at.y), fabs(def->at.z))) > PX_SHAPE_MAX_LENGTH)
        return px_fail(PX_ERR_ARGUMENT, "%s: at is (%g, %g, %g) m, must be finite, at most %g",
                       kind, def->at.x, def->at.y, def->at.z, PX_SHAPE_MAX_LENGTH);
    PxQuat q = def->rotation;
    double length = sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    if (!(length > 0) || !isfinite(length))
        return px_fail(PX_ERR_ARGUMENT,
                       "%s: rotation is (%g, %g, %g, %g), must be finite and not all 0", kind, q.x,
                       q.y, q.z, q.w);
    return PX_OK;
}

static PxStatus check_lengths(const PxShapeDef *def)
{
    Lengths all = {INFINITY, 0};
    switch (def->kind) {
    case PX_SHAPE_BOX:
        PX_TRY(check_length(def, "size in x", def->size.x, &all));
        PX_TRY(check_length(def, "size in y", def->size.y, &all));
        return check_length(def, "size in z", def->size.z, &all);
    case PX_SHAPE_SPHERE:
        return check_length(def, "radius", def->radius, &all);
    case PX_SHAPE_PLANE:
        if (!(px_length(def->normal) > 0) || !isfinite(px_length(def->normal)))
            return px_fail(PX_ERR_ARGUMENT,
                           "plane: normal is (%g, %g, %g), must be finite and not 0", def->normal.x,
                           def->normal.y, def->normal.z);
        return PX_OK;
    case PX_SHAPE_FUNNEL:
        PX_TRY(check_length(def, "thickness", def->thickness, &all));
        /* fall through */
    case PX_SHAPE_CONE:
        if (def->radius_top != 0)
            PX_TRY(check_length(def, "radius_top", def->radius_top, &all));
        /* fall through */
    case PX_SHAPE_CYLINDER:
    case PX_SHAPE_CAPSULE:
        PX_TRY(check_length(def, "radius", def->radius, &all));
        return check_length(def, "height", def->height, &all);
    case PX_SHAPE_MESH:
        return PX_OK;
    case PX_SHAPE_SHEET:
        return px_fail(PX_ERR_ARGUMENT, "sheet: it has no volume; wanted a closed shape, or a body "
                                        "whose material is cloth");
    case PX_SHAPE_PARTICLES:
        return px_fail(PX_ERR_ARGUMENT, "points: they are particles and have no surface; wanted a "
                                        "closed shape, or a body of a fluid or solid");
    default:
        return px_fail(PX_ERR_ARGUMENT, "shape: kind is %d, must be below %d", (int)def->kind,
                       (int)PX_SHAPE_KINDS);
    }
}

/* ---- meshes ---- */

#define THICKNESS_RAYS 512
/* The thickness is the 5 % quantile of the ray lengths: shorter rays are attributed to
 * the wedges at sharp corners. */
#define THICKNESS_SKIPPED (THICKNESS_RAYS / 20)

/* Goes on with a ray through surfaces of shells that lie inside other shells. */
static void cross_hidden(const PxShape *shape, PxVec3 from, PxVec3 in, double skin,
                         PxMeshSpot *spot)
{
    PxMeshSpot next;
    while (px_mesh_tree_inside(shape->tree, px_mad(from, in, spot->distance + skin)) &&
           px_mesh_tree_ray(shape->tree, from, in, spot->distance + skin, INFINITY, &next))
        *spot = next;
}

/* A ray inwards from the surface to the other side. */
typedef struct Across {
    PxVec3 from, in; /* own frame; `in` is of unit length */
    double length;
    double facing; /* cosine between `in` and the normal of the other side */
} Across;

/* Casts rays inwards from points spread evenly over the area, and sorts them by length. Returns
 * their number. */
static int cast_across(const PxShape *shape, Across found[THICKNESS_RAYS])
{
    const PxMesh *mesh = shape->exposed != NULL ? shape->exposed : shape->mesh;
    double size = px_length(px_sub(shape->own_bounds.high, shape->own_bounds.low));
    double skin = 1e-9 * size, passed = 0;
    int rays = 0, hits = 0;
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        PxVec3 a = px_mesh_corner(mesh, t, 0), b = px_mesh_corner(mesh, t, 1);
        PxVec3 c = px_mesh_corner(mesh, t, 2);
        PxVec3 across = px_cross(px_sub(b, a), px_sub(c, a));
        passed += 0.5 * px_length(across);
        for (; rays < THICKNESS_RAYS && (rays + 0.5) * shape->area < passed * THICKNESS_RAYS;
             ++rays) {
            if (px_mesh_triangle_is_flat(a, b, c))
                continue;
            double u = px_random_unit((uint64_t)rays, 0, 0);
            double v = px_random_unit((uint64_t)rays, 0, 1);
            if (u + v > 1) {
                u = 1 - u;
                v = 1 - v;
            }
            PxVec3 from = px_mad(px_mad(a, px_sub(b, a), u), px_sub(c, a), v);
            PxVec3 in = px_scale(px_normalized(across, px_vec(0, 1, 0)), -1);
            PxMeshSpot spot;
            if (!px_mesh_tree_ray(shape->tree, from, in, skin, INFINITY, &spot))
                continue;
            if (shape->exposed != NULL)
                cross_hidden(shape, from, in, 1e-6 * size, &spot);
            PxVec3 p = px_mesh_corner(shape->mesh, spot.triangle, 0);
            PxVec3 other = px_cross(px_sub(px_mesh_corner(shape->mesh, spot.triangle, 1), p),
                                    px_sub(px_mesh_corner(shape->mesh, spot.triangle, 2), p));
            int k = hits++; /* kept sorted */
            for (; k > 0 && found[k - 1].length > spot.distance; --k)
                found[k] = found[k - 1];
            found[k] = (Across){from, in, spot.distance,
                                px_dot(in, px_normalized(other, px_vec(0, 0, 0)))};
        }
    }
    return hits;
}

static double mesh_thickness(const PxShape *shape)
{
    Across found[THICKNESS_RAYS];
    PxVec3 size = px_sub(shape->own_bounds.high, shape->own_bounds.low);
    int hits = cast_across(shape, found);
    if (hits == 0)
        return fmin(size.x, fmin(size.y, size.z));
    return found[hits > THICKNESS_SKIPPED ? THICKNESS_SKIPPED : hits / 2].length;
}

/* Reads the poses and puts the mesh into that at time 0. */
static PxStatus add_poses(PxShape *shape, const PxShapeDef *def)
{
    PxPoses *poses;
    PX_TRY(px_poses_read(def, shape->mesh, &poses));
    PX_TRY(px_moving_mesh_create(shape->mesh, poses, def->scale, shape->turn, shape->at,
                                 &shape->moving));
    px_poses_at(poses, 0, shape->mesh->position);
    return PX_OK;
}

/* Takes ownership of the mesh, also on failure. */
static PxStatus adopt_mesh(PxShape *shape, PxMesh *mesh, const char *name, const PxShapeDef *def)
{
    double scale = def->scale;
    shape->mesh = mesh;
    PX_TRY(px_mesh_check(mesh, name));
    PX_TRY(px_mesh_check_closed(mesh, name));
    if (def->poses != NULL)
        PX_TRY(add_poses(shape, def));
    for (uint32_t v = 0; v < mesh->vertex_count; ++v)
        mesh->position[v] = px_scale(mesh->position[v], scale);
    shape->own_bounds = px_mesh_bounds(mesh);
    PxBounds b = shape->own_bounds;
    double size = px_length(px_sub(b.high, b.low));
    double reach = fmax(px_length(b.high), px_length(b.low));
    if (!(size >= PX_SHAPE_MIN_LENGTH) || !(reach <= PX_SHAPE_MAX_LENGTH))
        return px_fail(PX_ERR_ARGUMENT,
                       "%s: the mesh is %g m across and reaches %g m from its origin (scale %g), "
                       "must be between %g and %g m",
                       name, size, reach, scale, PX_SHAPE_MIN_LENGTH, PX_SHAPE_MAX_LENGTH);
    PxStatus status = px_mesh_tree_create(mesh, &shape->tree);
    if (status != PX_OK)
        return px_fail_prefix(status == PX_ERR_ARGUMENT ? PX_ERR_FORMAT : status, "%s: ", name);
    PX_TRY(px_mesh_check_parts(mesh, shape->tree, name));
    PX_TRY(px_mesh_exposed(mesh, shape->tree, &shape->exposed));
    const PxMesh *skin = shape->exposed != NULL ? shape->exposed : mesh;
    shape->volume = px_mesh_volume(skin);
    shape->area = px_mesh_area(skin);
    shape->thickness = mesh_thickness(shape);
    shape->bounds = px_bounds_empty();
    for (uint32_t t = 0; t < mesh->triangle_count; ++t)
        for (int k = 0; k < 3; ++k)
            px_bounds_add(&shape->bounds, px_shape_to_world(shape, px_mesh_corner(mesh, t, k)));
    return PX_OK;
}

/* If the nearest point q is in a face, the face normal avoids the cancellation in p - q; at edges
 * and corners the direction is p - q, unless that is within rounding error. */
static PxVec3 mesh_normal(const PxShape *shape, PxVec3 p, const PxMeshSpot *spot, bool inside)
{
    PxVec3 apart = px_scale(px_sub(p, spot->point), inside ? -1 : 1);
    double size = px_length(px_sub(shape->own_bounds.high, shape->own_bounds.low));
    bool touching = spot->distance <= 1e-12 * size;
    double side = px_dot(apart, spot->face);
    if (touching)
        return spot->face;
    if (spot->in_face)
        return px_scale(spot->face, side < 0 ? -1 : 1);
    return px_normalized(apart, spot->face);
}

/* Without shells that overlap, the triangles at the nearest point mostly tell the side. */
static bool is_inside(const PxShape *shape, PxVec3 p, const PxMeshSpot *spot)
{
    return spot->side != 0 && shape->exposed == NULL
               ? spot->side < 0
               : px_mesh_tree_inside_from(shape->tree, p, spot);
}

static double mesh_distance(const PxShape *shape, PxVec3 p, PxVec3 *normal)
{
    PxMeshSpot spot;
    if (!px_mesh_tree_closest(shape->tree, p, INFINITY, &spot)) {
        /* so far away that squares overflow */
        if (normal != NULL)
            *normal = px_normalized(px_scale(p, 1e-200), px_vec(0, 1, 0));
        return INFINITY;
    }
    bool inside = is_inside(shape, p, &spot);
    if (normal != NULL)
        *normal = mesh_normal(shape, p, &spot, inside);
    return inside ? -spot.distance : spot.distance;
}

/* The nearest triangle gives the sign if the nearest point is in its face. Beside an acute edge, or
 * a corner, a point outside may be behind one of the faces. */
static double mesh_near(const PxShape *shape, PxVec3 p, double within, PxVec3 *normal)
{
    PxMeshSpot spot;
    const PxBounds *b = &shape->own_bounds;
    if (p.x < b->low.x - within || p.y < b->low.y - within || p.z < b->low.z - within ||
        p.x > b->high.x + within || p.y > b->high.y + within || p.z > b->high.z + within)
        return within;
    if (!px_mesh_tree_closest(shape->tree, p, within, &spot)) {
        /* far from the surface, as in the hole of a ring, a grid tells that it is outside */
        if (px_mesh_tree_surely_outside(shape->tree, p) ||
            !px_mesh_tree_closest(shape->tree, p, INFINITY, &spot) || !is_inside(shape, p, &spot))
            return within;
    }
    PxVec3 apart = px_sub(p, spot.point);
    double side = px_dot(apart, spot.face);
    bool inside =
        !spot.in_face || fabs(side) < 1e-3 * spot.distance ? is_inside(shape, p, &spot) : side < 0;
    *normal = mesh_normal(shape, p, &spot, inside);
    return inside ? -spot.distance : spot.distance;
}

/* ---- create and free ---- */

static PxStatus create(const PxShapeDef *def, PxMesh *mesh, const char *name, PxShape **out)
{
    PxShape *shape = calloc(1, sizeof *shape);
    if (shape == NULL) {
        px_mesh_free(mesh);
        return px_fail(PX_ERR_MEMORY, "shape: no room");
    }
    shape->kind = def->kind;
    shape->turn = px_quat_normalized(def->rotation);
    shape->at = def->at;
    if (def->kind == PX_SHAPE_MESH) {
        PxStatus status = adopt_mesh(shape, mesh, name, def);
        if (status != PX_OK) {
            px_shape_free(shape);
            return status;
        }
    } else {
        shape->primitive = px_primitive(def);
        shape->own_bounds =
            px_primitive_bounds(&shape->primitive, px_quat_identity(), px_vec(0, 0, 0));
        shape->bounds = px_primitive_bounds(&shape->primitive, shape->turn, shape->at);
        shape->volume = px_primitive_volume(&shape->primitive);
        shape->area = px_primitive_area(&shape->primitive);
        shape->thickness = px_primitive_thickness(&shape->primitive);
    }
    *out = shape;
    return PX_OK;
}

static PxStatus mesh_of_arrays(const PxShapeDef *def, PxMesh **out)
{
    if (def->vertices == 0 || def->triangles == 0 || def->triangle == NULL)
        return px_fail(PX_ERR_ARGUMENT, "mesh: %u vertices and %u triangles, wanted some of both",
                       def->vertices, def->triangles);
    PX_TRY(px_mesh_create(def->vertices, def->triangles, 0, out));
    for (uint32_t v = 0; v < def->vertices; ++v)
        (*out)->position[v] =
            px_vec((double)def->vertex[v][0], (double)def->vertex[v][1], (double)def->vertex[v][2]);
    memcpy((*out)->triangle, def->triangle, def->triangles * sizeof *def->triangle);
    return PX_OK;
}

PxStatus px_shape_create(const PxShapeDef *def, PxShape **out)
{
    *out = NULL;
    PX_TRY(check_standing(def));
    PX_TRY(check_lengths(def));
    PxMesh *mesh = NULL;
    if (def->kind == PX_SHAPE_MESH && def->mesh == NULL && def->vertex != NULL) {
        PX_TRY(mesh_of_arrays(def, &mesh));
        return create(def, mesh, "mesh", out);
    }
    if (def->kind == PX_SHAPE_MESH) {
        if (def->mesh == NULL || def->mesh[0] == '\0')
            return px_fail(
                PX_ERR_ARGUMENT,
                "mesh: no file named, wanted the path of one, or vertices and triangles");
        PX_TRY(px_mesh_read_file_part(def->mesh, def->part, &mesh));
    }
    return create(def, mesh, def->mesh, out);
}

void px_shape_def_forget(PxShapeDef *def)
{
    def->mesh = def->part = def->poses = NULL;
    def->vertex = NULL;
    def->triangle = NULL;
    def->vertices = def->triangles = 0;
}

PxStatus px_shape_create_from_mesh(const PxShapeDef *def, const PxMesh *mesh, const char *name,
                                   PxShape **out)
{
    *out = NULL;
    if (def->kind != PX_SHAPE_MESH)
        return px_fail(PX_ERR_ARGUMENT, "%s: kind is %s, must be mesh", name,
                       px_shape_kind_name(def->kind));
    PX_TRY(check_standing(def));
    PxMesh *copy;
    PX_TRY(px_mesh_copy(mesh, &copy));
    return create(def, copy, name, out);
}

PxStatus px_shape_own(PxShape *shape, PxShape **out)
{
    PxShape *own = malloc(sizeof *own);
    *out = own;
    if (own == NULL)
        return px_fail(PX_ERR_MEMORY, "shape: no room");
    *own = *shape;
    own->turn = px_quat_identity();
    own->at = px_vec(0, 0, 0);
    own->bounds = shape->own_bounds;
    own->holders = 0;
    own->of = shape;
    px_shape_hold(shape);
    return PX_OK;
}

void px_shape_digest(const PxShape *shape, uint64_t digest[2])
{
    const PxPrimitive *p = &shape->primitive;
    const PxProfile *f = &p->profile;
    const double numbers[] = {(double)shape->kind,
                              p->half.x,
                              p->half.y,
                              p->half.z,
                              p->radius,
                              p->height,
                              p->thickness,
                              p->normal.x,
                              p->normal.y,
                              p->normal.z,
                              (double)f->corners,
                              (double)f->closed,
                              f->r[0],
                              f->r[1],
                              f->r[2],
                              f->r[3],
                              f->y[0],
                              f->y[1],
                              f->y[2],
                              f->y[3]};
    px_digest(numbers, sizeof numbers, digest);
    const PxMesh *mesh = shape->mesh;
    if (mesh == NULL)
        return;
    uint64_t part[2];
    px_digest(mesh->position, mesh->vertex_count * sizeof *mesh->position, part);
    px_digest_join(digest, part, digest);
    px_digest(mesh->triangle, mesh->triangle_count * sizeof *mesh->triangle, part);
    px_digest_join(digest, part, digest);
}

void px_shape_hold(PxShape *shape)
{
    if (shape != NULL)
        ++shape->holders;
}

void px_shape_free(PxShape *shape)
{
    if (shape == NULL)
        return;
    if (shape->holders > 0) {
        --shape->holders;
        return;
    }
    if (shape->of != NULL) {
        px_shape_free(shape->of);
        free(shape);
        return;
    }
    px_mesh_tree_free(shape->tree);
    px_moving_mesh_free(shape->moving);
    px_mesh_free(shape->exposed);
    px_mesh_free(shape->mesh);
    px_cloud_free(shape->cloud);
    free(shape);
}

/* ---- queries ---- */

PxShapeKind px_shape_kind(const PxShape *shape)
{
    return shape->kind;
}

PxMovingMesh *px_shape_moving(const PxShape *shape)
{
    return shape->moving;
}

/* Corners of a triangle at time 0, in the world. */
static void first_corners(const PxShape *shape, uint32_t triangle, PxVec3 out[3])
{
    for (int k = 0; k < 3; ++k)
        out[k] = px_shape_to_world(shape, px_mesh_corner(shape->mesh, triangle, k));
}

PxVec3 px_shape_follow(const PxShape *shape, double when, PxVec3 bound)
{
    PxMeshSpot spot;
    PxVec3 a[3], b[3];
    double weight[3];
    if (!px_mesh_tree_closest(shape->tree, px_shape_to_own(shape, bound), INFINITY, &spot))
        return bound;
    PxVec3 foot = px_shape_to_world(shape, spot.point);
    first_corners(shape, spot.triangle, a);
    px_triangle_weights(a, foot, weight);
    px_moving_mesh_corners(shape->moving, when, spot.triangle, b);
    return px_triangle_carry(a, b, weight, px_sub(bound, foot));
}

PxVec3 px_shape_bind(const PxShape *shape, double when, PxVec3 place)
{
    PxMovingSpot spot;
    PxVec3 a[3], b[3];
    px_moving_mesh_closest(shape->moving, when, place, &spot);
    if (!isfinite(spot.distance))
        return place;
    px_moving_mesh_corners(shape->moving, when, spot.triangle, a);
    first_corners(shape, spot.triangle, b);
    return px_triangle_carry(a, b, spot.weight, px_sub(place, spot.point));
}

PxBounds px_shape_bounds(const PxShape *shape)
{
    return shape->bounds;
}

uint32_t px_shape_triangles(const PxShape *shape)
{
    return shape->mesh != NULL ? shape->mesh->triangle_count : 0;
}

double px_shape_volume(const PxShape *shape)
{
    return shape->volume;
}

double px_shape_area(const PxShape *shape)
{
    return shape->area;
}

/* Thin places are a thin part if they are so many rays; others are borders and wedges. */
#define THIN_RAYS 6
/* The other side faces away at less than 45 degrees. */
#define FACING 0.7

double px_shape_thin(const PxShape *shape, double below, PxVec3 *at, double *thickness)
{
    Across found[THICKNESS_RAYS];
    int hits, thin = 0;
    if (shape->kind != PX_SHAPE_MESH || (hits = cast_across(shape, found)) == 0)
        return 0;
    for (int k = 0; k < hits && found[k].length < below; ++k)
        if (found[k].facing > FACING)
            found[thin++] = found[k];
    if (thin < THIN_RAYS)
        return 0;
    const Across *middle = &found[thin / 2];
    *thickness = middle->length;
    *at = px_shape_to_world(shape, px_mad(middle->from, middle->in, 0.5 * middle->length));
    return (double)thin / hits;
}

double px_shape_thickness(const PxShape *shape)
{
    return shape->thickness;
}

bool px_shape_has_colours(const PxShape *shape)
{
    return shape->mesh != NULL && shape->mesh->colour != NULL;
}

bool px_shape_colour(const PxShape *shape, PxVec3 at, PxVec3 *colour)
{
    PxMeshSpot spot;
    const PxMesh *mesh = shape->mesh;
    if (!px_shape_has_colours(shape) ||
        !px_mesh_tree_closest(shape->tree, px_shape_to_own(shape, at), INFINITY, &spot))
        return false;
    const uint32_t *v = mesh->triangle[spot.triangle];
    PxVec3 a = mesh->position[v[0]], b = px_sub(mesh->position[v[1]], a),
           c = px_sub(mesh->position[v[2]], a), p = px_sub(spot.point, a), n = px_cross(b, c);
    double whole = px_dot(n, n);
    double second = whole > 0 ? px_dot(n, px_cross(p, c)) / whole : 0;
    double third = whole > 0 ? px_dot(n, px_cross(b, p)) / whole : 0;
    *colour = px_scale(mesh->colour[v[0]], 1 - second - third);
    *colour = px_mad(px_mad(*colour, mesh->colour[v[1]], second), mesh->colour[v[2]], third);
    return true;
}

double px_shape_distance(const PxShape *shape, PxVec3 point, PxVec3 *normal)
{
    if (!px_finite(point)) {
        if (normal != NULL)
            *normal = px_vec(0, 1, 0);
        return NAN;
    }
    if (shape->kind == PX_SHAPE_POINTS)
        return px_cloud_distance(shape->cloud, point, normal);
    PxVec3 own = px_shape_to_own(shape, point);
    double distance = shape->kind == PX_SHAPE_MESH
                          ? mesh_distance(shape, own, normal)
                          : px_primitive_distance(&shape->primitive, own, normal);
    if (normal != NULL)
        *normal = px_rotate(shape->turn, *normal);
    return distance;
}

double px_shape_near(const PxShape *shape, PxVec3 point, double within, PxVec3 *normal)
{
    if (shape->kind != PX_SHAPE_MESH || !px_finite(point))
        return px_shape_distance(shape, point, normal);
    *normal = px_vec(0, 1, 0);
    double distance = mesh_near(shape, px_shape_to_own(shape, point), within, normal);
    *normal = px_rotate(shape->turn, *normal);
    return distance;
}

double px_shape_nearest(const PxShape *shape, PxVec3 point, double within, PxVec3 *direction)
{
    PxVec3 own = px_shape_to_own(shape, point), away;
    double distance;
    if (shape->kind == PX_SHAPE_MESH) {
        PxMeshSpot spot;
        if (!px_mesh_tree_closest(shape->tree, own, within, &spot))
            return within;
        distance = spot.distance;
        away = px_normalized(px_sub(own, spot.point), spot.face);
    } else {
        distance = shape->kind == PX_SHAPE_POINTS
                       ? px_cloud_distance(shape->cloud, own, &away)
                       : px_primitive_distance(&shape->primitive, own, &away);
        if (distance < 0) {
            distance = -distance;
            away = px_scale(away, -1);
        }
    }
    if (direction != NULL)
        *direction = px_rotate(shape->turn, away);
    return distance < within ? distance : within;
}

bool px_shape_inside(const PxShape *shape, PxVec3 point)
{
    if (!px_finite(point))
        return false;
    PxVec3 own = px_shape_to_own(shape, point);
    if (shape->kind == PX_SHAPE_MESH)
        return px_mesh_tree_inside(shape->tree, own);
    if (shape->kind == PX_SHAPE_POINTS)
        return px_cloud_distance(shape->cloud, point, NULL) < 0;
    return px_primitive_distance(&shape->primitive, own, NULL) < 0;
}

void px_points_free(PxPoints *points)
{
    free(points->position);
    free(points->normal);
    *points = (PxPoints){0};
}
