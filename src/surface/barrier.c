#include "surface/barrier.h"

static double wall_gap(const PxBarriers *b, const PxWall *wall)
{
    return fmax(b->gap, 0.5 * (b->cell - px_shape_thickness(wall->shape)));
}

static double sheet_gap(const PxBarriers *b)
{
    return fmax(b->gap, 0.5 * b->cell);
}

/* Free space without hollows: every place is seen from every other. */
static bool convex(const PxWall *wall)
{
    PxShapeKind kind = px_shape_kind(wall->shape);
    return kind == PX_SHAPE_PLANE
               ? !wall->inside
               : wall->inside && kind != PX_SHAPE_FUNNEL && kind != PX_SHAPE_MESH;
}

double px_barriers_room(const PxBarriers *b, PxVec3 place, double within)
{
    double room = within;
    for (size_t k = 0; k < b->walls; ++k) {
        PxVec3 rest = px_wall_to_rest(&b->wall[k], 0, place);
        room = fmin(room, px_wall_distance(&b->wall[k], rest, NULL) - wall_gap(b, &b->wall[k]));
    }
    for (size_t k = 0; k < b->sheets; ++k) {
        PxMeshSpot spot;
        double gap = sheet_gap(b);
        if (px_mesh_tree_closest(b->sheet[k], place, room + gap, &spot))
            room = fmin(room, spot.distance - gap);
    }
    return room;
}

bool px_barriers_cut(const PxBarriers *b, PxVec3 place, double within)
{
    for (size_t k = 0; k < b->walls; ++k)
        if (!convex(&b->wall[k])) {
            PxVec3 rest = px_wall_to_rest(&b->wall[k], 0, place);
            if (px_wall_distance(&b->wall[k], rest, NULL) < within)
                return true;
        }
    for (size_t k = 0; k < b->sheets; ++k) {
        PxMeshSpot spot;
        if (px_mesh_tree_closest(b->sheet[k], place, within, &spot))
            return true;
    }
    return false;
}

/* Goes from `a` in steps that surely meet no wall, as far as there is room all around. Who has come
 * within a hundredth of the way to a wall is blocked when the way goes on into it, and slides
 * along when it does not. */
static bool wall_visible(const PxWall *wall, PxVec3 from, PxVec3 to)
{
    PxVec3 a = px_wall_to_rest(wall, 0, from), b = px_wall_to_rest(wall, 0, to);
    PxVec3 way = px_sub(b, a);
    double length = px_length(way), done = 0, least = 0.01 * length;
    double end = px_wall_distance(wall, b, NULL);
    while (done < length) {
        PxVec3 at = px_mad(a, way, done / length);
        double d = px_wall_distance(wall, at, NULL);
        if (d < -least)
            return false;
        if (d + end >= length - done) /* the free balls around both ends cover the rest */
            return true;
        done += fmax(d, least);
    }
    return true;
}

bool px_barriers_visible(const PxBarriers *b, PxVec3 from, PxVec3 to)
{
    PxVec3 way = px_sub(to, from);
    if (!(px_length(way) > 0))
        return true;
    for (size_t k = 0; k < b->walls; ++k)
        if (!convex(&b->wall[k]) && !wall_visible(&b->wall[k], from, to))
            return false;
    for (size_t k = 0; k < b->sheets; ++k) {
        PxMeshSpot spot;
        if (px_mesh_tree_ray(b->sheet[k], from, way, 0, 1, &spot))
            return false;
    }
    return true;
}
