#include "surface/barrier.h"

static double wall_gap(const PxBarriers *b, const PxWall *wall)
{
    return fmax(b->gap, 0.5 * (b->cell - px_shape_thickness(wall->shape)));
}

static double sheet_gap(const PxBarriers *b)
{
    return fmax(b->gap, 0.5 * b->cell);
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

bool px_barrier_cuts(const PxBarriers *b, size_t k, double reach)
{
    if (k >= b->walls)
        return true;
    const PxWall *wall = &b->wall[k];
    PxShapeKind kind = px_shape_kind(wall->shape);
    if (kind == PX_SHAPE_PLANE)
        return wall->inside;
    if (wall->inside) /* what is outside of it is solid, however thick: only hollows are seen round
                       */
        return kind == PX_SHAPE_FUNNEL || kind == PX_SHAPE_MESH;
    return px_shape_thickness(wall->shape) < reach;
}

PxSide px_barrier_side(const PxBarriers *b, size_t k, PxVec3 place, double within)
{
    PxSide side = {.distance = (float)within};
    PxVec3 away = {0, 0, 0};
    if (k < b->walls) {
        const PxWall *wall = &b->wall[k];
        PxVec3 rest = px_wall_to_rest(wall, 0, place);
        double d = px_wall_distance(wall, rest, &away);
        if (d < within) {
            side.distance = (float)d;
            away = px_wall_turn_to_world(wall, 0, away);
        }
    } else {
        PxMeshSpot spot;
        if (px_mesh_tree_closest(b->sheet[k - b->walls], place, within, &spot)) {
            side.distance = (float)spot.distance;
            away = px_normalized(px_sub(place, spot.point), spot.face);
        }
    }
    side.away[0] = (float)away.x;
    side.away[1] = (float)away.y;
    side.away[2] = (float)away.z;
    return side;
}

/* Goes from `a` in steps that surely meet no wall, as far as there is room all around, until that
 * room and the one around `b` cover the rest of the way. */
static bool wall_hides(const PxWall *wall, PxVec3 from, PxVec3 to, double end)
{
    PxVec3 a = px_wall_to_rest(wall, 0, from), b = px_wall_to_rest(wall, 0, to);
    PxVec3 way = px_sub(b, a);
    double length = px_length(way), done = 0, least = 0.02 * length;
    while (done < length) {
        double d = px_wall_distance(wall, px_mad(a, way, done / length), NULL);
        if (d < -0.5 * least)
            return true;
        if (d + end >= length - done)
            return false;
        done += fmax(d, least);
    }
    return false;
}

bool px_barrier_hides(const PxBarriers *b, size_t k, PxVec3 from, const PxSide *side_from,
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
    if (k < b->walls)
        return wall_hides(&b->wall[k], from, to, (double)side_to->distance);
    PxMeshSpot spot;
    return px_mesh_tree_ray(b->sheet[k - b->walls], from, way, 0, 1, &spot);
}
