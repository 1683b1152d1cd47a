#include "surface/field/barrier.h"

#include "shape/shape_inner.h"

#include <stdatomic.h>
#include <stdlib.h>

/* Most faces tested by is_simple_mesh(). */
enum { MOST_LOOKS = 2000 };

/* Does a face of the mesh tell sides apart? */
enum { NOT_YET = 0, GUIDES, MISLEADS };

/* Is there free space in front of the face and solid behind it, at its middle? */
static bool is_outer(const PxShape *shape, uint32_t t)
{
    PxVec3 a = px_mesh_corner(shape->mesh, t, 0), b = px_mesh_corner(shape->mesh, t, 1),
           c = px_mesh_corner(shape->mesh, t, 2);
    PxVec3 n = px_cross(px_sub(b, a), px_sub(c, a));
    PxVec3 middle = px_scale(px_add(px_add(a, b), c), 1.0 / 3);
    /* offset by a thousandth of the triangle's size */
    double off = 1e-3 / sqrt(px_length(n));
    return !px_mesh_tree_inside(shape->tree, px_mad(middle, n, off)) &&
           px_mesh_tree_inside(shape->tree, px_mad(middle, n, -off));
}

/* Are all faces outer ones? Then the mesh has no nested or overlapping parts. */
static bool is_simple_mesh(const PxShape *shape)
{
    uint32_t count = shape->mesh->triangle_count, step = count / MOST_LOOKS + 1;
    for (uint32_t t = 0; t < count; t += step)
        if (!px_mesh_triangle_is_flat(px_mesh_corner(shape->mesh, t, 0),
                                      px_mesh_corner(shape->mesh, t, 1),
                                      px_mesh_corner(shape->mesh, t, 2)) &&
            !is_outer(shape, t))
            return false;
    return true;
}

/* Is the solid behind a face, and free space before it, wherever the face is? In meshes with
 * overlapping parts a face may be inside another part, or partly so. Found when it is first asked:
 * whichever thread finds it, the answer is the same. */
static bool guides(const PxBarriers *barriers, size_t k, uint32_t t)
{
    if (barriers->face[k] == NULL)
        return true;
    _Atomic uint8_t *face = &barriers->face[k][t];
    uint8_t known = atomic_load_explicit(face, memory_order_relaxed);
    if (known == NOT_YET) {
        const PxShape *shape = barriers->wall[k].shape;
        PxVec3 a = px_mesh_corner(shape->mesh, t, 0), b = px_mesh_corner(shape->mesh, t, 1),
               c = px_mesh_corner(shape->mesh, t, 2);
        bool good = is_outer(shape, t) && !px_mesh_tree_crossed(shape->tree, a, b, c);
        known = good ? GUIDES : MISLEADS;
        atomic_store_explicit(face, known, memory_order_relaxed);
    }
    return known == GUIDES;
}

PxStatus px_barriers_prepare(PxBarriers *b)
{
    b->simple = calloc(b->walls + 1, 1);
    b->face = calloc(b->walls + 1, sizeof *b->face);
    if (b->simple == NULL || b->face == NULL)
        return px_fail(PX_ERR_MEMORY, "surface: no room for %zu walls", b->walls);
    for (size_t k = 0; k < b->walls; ++k) {
        const PxShape *shape = b->wall[k].shape;
        if (px_shape_kind(shape) != PX_SHAPE_MESH || px_wall_moving(&b->wall[k]) != NULL)
            continue;
        b->simple[k] = is_simple_mesh(shape);
        if (b->simple[k])
            continue;
        b->face[k] = calloc(shape->mesh->triangle_count, sizeof **b->face);
        if (b->face[k] == NULL)
            return px_fail(PX_ERR_MEMORY, "surface: no room for the %u faces of a wall",
                           shape->mesh->triangle_count);
    }
    return PX_OK;
}

void px_barriers_free(PxBarriers *b)
{
    PX_LIST_FREE(&b->balls);
    for (size_t k = 0; b->face != NULL && k < b->walls; ++k)
        free(b->face[k]);
    free(b->face);
    free(b->simple);
    b->face = NULL;
    b->simple = NULL;
}

/* Is it a mesh that keeps its shape, and have its faces been looked at? */
static bool is_mesh(const PxBarriers *b, size_t k)
{
    return b->simple != NULL && (b->simple[k] || b->face[k] != NULL);
}

/* What is known of a point from one nearby: that one's signed distance to the same wall, and how
 * far apart the two are at most. */
typedef struct Hint {
    double distance, apart;
} Hint;

/* Where nothing is known: the distance changes sign anywhere. */
static const Hint NOTHING = {.distance = 0, .apart = INFINITY};

/* px_wall_distance() of wall k; +-`within` where it is that much or more, then *away is 0. *away
 * (may be NULL) is the direction into free space. The search in a mesh ends at `within`; where the
 * nearest face is a part of the surface, it gives the sign. */
static double wall_distance(const PxBarriers *b, size_t k, PxVec3 rest, double within, Hint hint,
                            PxVec3 *away)
{
    const PxWall *wall = &b->wall[k];
    const PxShape *shape = wall->shape;
    PxMeshSpot spot;
    if (!is_mesh(b, k))
        return px_wall_distance(wall, 0, rest, away);
    PxVec3 own = px_shape_to_own(shape, rest);
    double known = fabs(hint.distance), reach = fmin(within, known + hint.apart);
    bool same = known > hint.apart; /* the surface is not between the two points */
    if (known >= within)
        reach = within; /* it may be any distance above that */
    if (!px_mesh_tree_closest(shape->tree, own, reach, &spot)) {
        if (away != NULL)
            *away = px_vec(0, 0, 0);
        bool free =
            same ? hint.distance > 0 : px_mesh_tree_inside(shape->tree, own) == wall->inside;
        return free ? within : -within;
    }
    PxVec3 apart = px_sub(own, spot.point);
    double height = px_dot(apart, spot.face);
    /* At edges, and beside faces inside another part, the face does not give the sign. */
    bool inside = same ? (hint.distance > 0) == wall->inside
                  : spot.in_face && guides(b, k, spot.triangle)
                      ? height < 0
                      : px_mesh_tree_inside_from(shape->tree, own, &spot);
    if (away != NULL) {
        PxVec3 out = spot.in_face ? px_scale(spot.face, (height < 0) != inside ? -1 : 1)
                                  : px_normalized(px_scale(apart, inside ? -1 : 1), spot.face);
        *away = px_scale(px_rotate(shape->turn, out), wall->inside ? -1 : 1);
    }
    return inside == wall->inside ? spot.distance : -spot.distance;
}

double px_barrier_wall_distance(const PxBarriers *b, size_t k, PxVec3 rest, double within)
{
    return wall_distance(b, k, rest, within, NOTHING, NULL);
}

static double wall_gap(const PxBarriers *b, const PxWall *wall)
{
    return fmax(b->gap, 0.5 * (b->cell - px_shape_thickness(wall->shape)));
}

double px_barrier_gap(const PxBarriers *b, size_t k)
{
    return k < b->walls ? wall_gap(b, &b->wall[k]) : px_barriers_sheet_gap(b);
}

double px_barriers_sheet_gap(const PxBarriers *b)
{
    return fmax(b->gap, 0.5 * b->cell);
}

double px_barriers_balls(const PxBarriers *b, PxVec3 place, double within)
{
    double room = within;
    for (size_t k = 0; k < b->balls.count; ++k)
        room =
            fmin(room, px_length(px_sub(place, b->balls.data[k].place)) - b->balls.data[k].radius);
    return room;
}

double px_barriers_clearance(const PxBarriers *b, PxVec3 place, double within)
{
    double room = within;
    for (size_t k = 0; k < b->walls; ++k) {
        PxVec3 rest = px_wall_to_rest(&b->wall[k], 0, place);
        double gap = wall_gap(b, &b->wall[k]);
        room = fmin(room, wall_distance(b, k, rest, room + gap, NOTHING, NULL) - gap);
    }
    for (size_t k = 0; k < b->sheets; ++k) {
        PxMeshSpot spot;
        double gap = px_barriers_sheet_gap(b);
        if (px_mesh_tree_closest(b->sheet[k], place, room + gap, &spot))
            room = fmin(room, spot.distance - gap);
    }
    return px_barriers_balls(b, place, room);
}

bool px_barrier_is_thin(const PxBarriers *b, size_t k, double reach)
{
    if (k >= b->walls)
        return true;
    const PxWall *wall = &b->wall[k];
    PxShapeKind kind = px_shape_kind(wall->shape);
    if (kind == PX_SHAPE_PLANE)
        return wall->inside;
    if (wall->inside) /* all of the outside is solid: only concave vessels have walls with two sides
                       */
        return kind == PX_SHAPE_FUNNEL || kind == PX_SHAPE_MESH;
    return px_shape_thickness(wall->shape) < reach;
}

/* `last` is the distance of a point `apart` from this one, before that of this point. */
static PxSide side_of(const PxBarriers *b, size_t k, PxVec3 place, double within, double apart,
                      double *last)
{
    PxSide side = {.distance = (float)within};
    PxVec3 away = {0, 0, 0};
    double d = within;
    if (k < b->walls) {
        const PxWall *wall = &b->wall[k];
        PxVec3 rest = px_wall_to_rest(wall, 0, place);
        d = wall_distance(b, k, rest, within, (Hint){*last, apart}, &away);
        if (d < within)
            away = px_wall_turn_to_world(wall, 0, away);
        else
            away = px_vec(0, 0, 0);
    } else {
        PxMeshSpot spot;
        if (px_mesh_tree_closest(b->sheet[k - b->walls], place, fmin(within, *last + apart),
                                 &spot)) {
            d = spot.distance;
            away = px_normalized(px_sub(place, spot.point), spot.face);
        }
    }
    *last = d;
    side.distance = (float)fmin(d, within);
    side.away[0] = (float)away.x;
    side.away[1] = (float)away.y;
    side.away[2] = (float)away.z;
    return side;
}

PxSide px_barrier_side(const PxBarriers *b, size_t k, PxVec3 place, double within)
{
    double nothing = 0;
    return side_of(b, k, place, within, INFINITY, &nothing);
}

void px_barrier_sides(const PxBarriers *b, size_t k, PxVec3 low, double cell, double within,
                      PxSides *out)
{
    enum { E = PX_SIDES_EDGE };
    const double margin = 1 + 1e-6; /* for rounding */
    double last = 0, apart = INFINITY;
    for (int n = 0; n < PX_SIDES; ++n, apart = margin * cell) {
        /* to and fro, so that each node is beside the one before */
        int z = n / (E * E), y = n / E % E, x = n % E;
        y = z % 2 == 0 ? y : E - 1 - y;
        x = (n / E) % 2 == 0 ? x : E - 1 - x;
        PxVec3 place = {low.x + x * cell, low.y + y * cell, low.z + z * cell};
        PxSide side = side_of(b, k, place, within, apart, &last);
        int at = (z * E + y) * E + x;
        out->distance[at] = side.distance;
        for (int a = 0; a < 3; ++a)
            out->away[a][at] = side.away[a];
    }
}

/* Does the segment enter the wall's solid anywhere? Leaving it does not count: the segment began
 * inside. What leaves one part of a vessel may be in another one, which overlaps it. */
static bool mesh_hides(const PxBarriers *b, size_t k, PxVec3 from, PxVec3 to)
{
    const PxWall *wall = &b->wall[k];
    const PxShape *shape = wall->shape;
    PxVec3 start = px_shape_to_own(shape, from), way = px_sub(px_shape_to_own(shape, to), start);
    PxMeshSpot spot;
    for (double t = 0; px_mesh_tree_ray(shape->tree, start, way, t, 1, &spot); t = spot.distance)
        if ((px_dot(spot.face, way) < 0) != wall->inside &&
            (!wall->inside || guides(b, k, spot.triangle) ||
             !px_mesh_tree_inside(shape->tree, px_mad(spot.point, way, 1e-3))))
            return true;
    return false;
}

/* Sphere tracing from `a`, until the free space around the current point and around `b` covers
 * the rest. */
static bool wall_hides(const PxBarriers *barriers, size_t k, PxVec3 from, PxVec3 to, double end)
{
    const PxWall *wall = &barriers->wall[k];
    PxVec3 a = px_wall_to_rest(wall, 0, from), b = px_wall_to_rest(wall, 0, to);
    if (is_mesh(barriers, k))
        return mesh_hides(barriers, k, a, b);
    PxVec3 way = px_sub(b, a);
    double length = px_length(way), done = 0, least = 0.02 * length;
    while (done < length) {
        double d = px_wall_distance(wall, 0, px_mad(a, way, done / length), NULL);
        if (d < -0.5 * least)
            return true;
        if (d + end >= length - done)
            return false;
        done += fmax(d, least);
    }
    return false;
}

/* Are the points opposite each other, on both sides of one sheet? Their nearest points of the
 * barrier are then faces of the same piece of wall, side by side, and the segment between them
 * passes through it. Saves the ray for most pairs at thin walls. */
static bool across(PxVec3 from, const PxSide *a, PxVec3 to, const PxSide *b, PxVec3 way,
                   float along, double length)
{
    if (along > -0.8f || a->distance < 0 || b->distance < 0)
        return false;
    PxVec3 out = px_vec((double)a->away[0], (double)a->away[1], (double)a->away[2]);
    PxVec3 back = px_vec((double)b->away[0], (double)b->away[1], (double)b->away[2]);
    PxVec3 here = px_mad(from, out, -(double)a->distance);
    PxVec3 there = px_mad(to, back, -(double)b->distance);
    PxVec3 wide = px_sub(there, here);
    wide = px_mad(wide, out, -px_dot(wide, out)); /* along the wall */
    return px_dot(way, out) < 0 && px_length(wide) < 0.4 * length;
}

bool px_barrier_occludes(const PxBarriers *b, size_t k, PxVec3 from, const PxSide *side_from,
                         PxVec3 to, const PxSide *side_to)
{
    PxVec3 way = px_sub(to, from);
    double length = px_length(way);
    if ((double)side_from->distance + (double)side_to->distance >= length)
        return false;
    float along = 0.0f;
    for (int a = 0; a < 3; ++a)
        along += side_from->away[a] * side_to->away[a];
    if (along > 0.0f)
        return false;
    if (across(from, side_from, to, side_to, way, along, length))
        return true;
    if (k < b->walls)
        return wall_hides(b, k, from, to, (double)side_to->distance);
    PxMeshSpot spot;
    return px_mesh_tree_ray(b->sheet[k - b->walls], from, way, 0, 1, &spot);
}
