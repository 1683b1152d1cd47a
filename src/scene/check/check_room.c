/// Foresees walls whose keyframes close on matter and leave it no room.
///
/// Space is divided into cells. Those that no wall covers and that are connected with the matter
/// are its room; it is followed from time to time while the walls move. Cells that a wall covers by
/// less than half are counted as free, so that the room is rather too large: what is reported is
/// certain.
#include "scene/check/survey.h"

#include "base/vec.h"
#include "base/words.h"
#include "scene/scene_walls.h"

#include <stdlib.h>
#include <string.h>

#define MOST_CELLS 20000.0   /* of the grid */
#define MOST_TESTS 4000000.0 /* distances of cells to moving walls in one check */
#define MOST_TIMES 400.0
#define MOST_BODIES 8u /* that are followed */
/* A run stops when fluids are compressed by half (world/no_room.c). */
#define LEAST_ROOM (1 / 1.5)

typedef struct Room {
    const PxScene *scene;
    const PxSurvey *survey;
    PxSceneWalls walls;
    size_t *body; /* of each wall */
    PxVec3 low;
    double edge;
    uint32_t size[3], cells;
    uint8_t *fixed; /* by cell: covered by a wall that stands still */
    uint8_t *free;  /* now */
    uint8_t *room;  /* of the matter */
    uint32_t *stack;
} Room;

static PxVec3 middle_of(const Room *r, uint32_t cell)
{
    uint32_t x = cell % r->size[0], y = cell / r->size[0] % r->size[1],
             z = cell / r->size[0] / r->size[1];
    return px_add(r->low, px_scale(px_vec(x + 0.5, y + 0.5, z + 0.5), r->edge));
}

static bool covers(const Room *r, const PxWall *wall, PxVec3 x)
{
    return px_wall_distance(wall, 0, px_wall_to_rest(wall, 0, x), NULL) < -0.5 * r->edge;
}

static void find_free(Room *r, bool moving)
{
    for (uint32_t c = 0; c < r->cells; ++c) {
        uint8_t free = !moving || !r->fixed[c];
        for (size_t k = 0; k < r->walls.count && free; ++k)
            if ((r->walls.wall[k].keys > 0) == moving)
                free = !covers(r, &r->walls.wall[k], middle_of(r, c));
        r->free[c] = free;
    }
}

/* Extends the room to all free cells that are connected with it. Returns its number of cells; *open
 * is set if it reaches the end of the grid. */
static uint32_t flood(Room *r, bool *open)
{
    uint32_t stacked = 0, count = 0;
    for (uint32_t c = 0; c < r->cells; ++c) {
        r->room[c] = r->room[c] && r->free[c];
        if (r->room[c])
            r->stack[stacked++] = c;
    }
    const uint32_t step[3] = {1, r->size[0], r->size[0] * r->size[1]};
    *open = false;
    while (stacked > 0) {
        uint32_t c = r->stack[--stacked];
        const uint32_t at[3] = {c % r->size[0], c / r->size[0] % r->size[1],
                                c / r->size[0] / r->size[1]};
        ++count;
        for (int a = 0; a < 3; ++a)
            for (int side = -1; side <= 1; side += 2) {
                if (side < 0 ? at[a] == 0 : at[a] + 1 == r->size[a]) {
                    *open = true;
                    continue;
                }
                uint32_t next = side < 0 ? c - step[a] : c + step[a];
                if (!r->room[next] && r->free[next]) {
                    r->room[next] = 1;
                    r->stack[stacked++] = next;
                }
            }
    }
    return count;
}

/* `margin` cells beyond the bounds on each side. */
static PxStatus make_grid(Room *r, PxBounds b, uint32_t margin)
{
    PxVec3 wide = px_sub(b.high, b.low);
    r->edge = cbrt(wide.x * wide.y * wide.z / MOST_CELLS);
    const double extent[3] = {wide.x, wide.y, wide.z};
    double cells = INFINITY;
    r->edge = fmax(r->edge, 1e-4 * fmax(wide.x, fmax(wide.y, wide.z)));
    if (!(r->edge > 0))
        r->edge = r->scene->world.spacing;
    for (; cells > 4 * MOST_CELLS; r->edge *= 1.25) { /* more than once for flat scenes */
        cells = 1;
        for (int a = 0; a < 3; ++a)
            cells *= ceil(extent[a] / (1.25 * r->edge)) + 2 * margin + 1;
    }
    r->cells = 1;
    for (int a = 0; a < 3; ++a) {
        r->size[a] = (uint32_t)ceil(extent[a] / r->edge) + 2 * margin;
        r->size[a] += r->size[a] == 0;
        r->cells *= r->size[a];
    }
    r->low = px_sub(b.low, px_scale(px_vec(1, 1, 1), margin * r->edge));
    r->fixed = calloc(r->cells, 1);
    r->free = calloc(r->cells, 1);
    r->room = calloc(r->cells, 1);
    r->stack = malloc(r->cells * sizeof *r->stack);
    if (r->fixed == NULL || r->free == NULL || r->room == NULL || r->stack == NULL)
        return px_fail(PX_ERR_MEMORY, "scene: no room to follow its walls");
    find_free(r, false);
    for (uint32_t c = 0; c < r->cells; ++c)
        r->fixed[c] = !r->free[c];
    return PX_OK;
}

static void drop_grid(Room *r)
{
    free(r->fixed);
    free(r->free);
    free(r->room);
    free(r->stack);
    r->fixed = r->free = r->room = NULL;
    r->stack = NULL;
}

/* Names the two walls that are nearest to the place where the matter was, a moving one first. */
static void complain(Room *r, size_t body, double time, double left, double volume)
{
    PxBounds b = px_shape_bounds(r->survey->shape[body]);
    PxVec3 middle = px_scale(px_add(b.low, b.high), 0.5);
    size_t found[2] = {SIZE_MAX, SIZE_MAX};
    for (int place = 0; place < 2; ++place) {
        double least = INFINITY;
        for (size_t k = 0; k < r->walls.count; ++k) {
            const PxWall *wall = &r->walls.wall[k];
            double d = px_wall_distance(wall, 0, px_wall_to_rest(wall, 0, middle), NULL);
            if (k != found[0] && (place > 0 || wall->keys > 0) && d < least) {
                least = d;
                found[place] = k;
            }
        }
    }
    char first[120], second[120] = "", what[120];
    PxScene *scene = (PxScene *)r->scene;
    PxPath root = px_path_root(), bodies = px_path_key(&root, "bodies");
    PxPath own = px_path_index(&bodies, r->body[found[0]]), key = px_path_key(&own, "keyframes");
    px_quote(scene->body[r->body[found[0]]].def.name, first, sizeof first);
    if (found[1] != SIZE_MAX)
        px_quote(scene->body[r->body[found[1]]].def.name, second, sizeof second);
    px_quote(scene->body[body].def.name, what, sizeof what);
    px_complain(scene, PX_ERROR, &key, PX_AT_VALUE,
                "close%s%s%s%s%s on '%s': at %.3g s they leave %.2g m^3 for %.2g m^3 of matter",
                found[1] != SIZE_MAX ? " the walls '" : "", found[1] != SIZE_MAX ? first : "",
                found[1] != SIZE_MAX ? "' and '" : "", second, found[1] != SIZE_MAX ? "'" : "",
                what, time, left, volume);
}

/* Volume of all matter whose middle lies in the room, m^3. */
static double content_of(const Room *r)
{
    double volume = 0;
    for (size_t k = 0; k < r->scene->bodies; ++k) {
        const PxShape *shape = r->survey->shape[k];
        size_t in = 0, all = 0;
        if (shape == NULL || px_body_is_boundary(&r->scene->body[k].def))
            continue;
        for (uint32_t c = 0; c < r->cells; ++c)
            if (px_shape_inside(shape, middle_of(r, c))) {
                ++all;
                in += r->room[c];
            }
        if (2 * in > all)
            volume += px_shape_volume(shape);
    }
    return volume;
}

/* Follows the room of one body. True: there was a complaint. */
static bool follow(Room *r, size_t body, bool solid, double end, double times)
{
    const PxShape *shape = r->survey->shape[body];
    double cell = r->edge * r->edge * r->edge, volume = 0;
    uint32_t seeds = 0;
    for (uint32_t c = 0; c < r->cells; ++c) {
        r->room[c] = px_shape_inside(shape, middle_of(r, c));
        seeds += r->room[c];
    }
    for (double n = 0; n <= times && seeds > 0; ++n) {
        bool open;
        double time = end * n / times;
        for (size_t k = 0; k < r->walls.count; ++k)
            if (r->walls.wall[k].keys > 0)
                px_wall_move(&r->walls.wall[k], time, 0);
        find_free(r, true);
        double left = cell * flood(r, &open);
        if (n == 0 && !(left > 0))
            return false; /* it starts in a wall, which is another complaint */
        if (n == 0)
            volume = solid ? px_shape_volume(shape) : content_of(r);
        if (open && !solid)
            return false;
        if (solid ? left == 0 : left < LEAST_ROOM * volume) {
            complain(r, body, time, left, volume);
            return true;
        }
    }
    return false;
}

/* The part of space in which the matter is followed: all of the scene, or for a solid its
 * surroundings, which it does not leave. */
static PxBounds space_of(const Room *r, size_t body, bool solid)
{
    PxBounds b = px_shape_bounds(r->survey->shape[body]);
    if (!solid)
        return px_bounds_join(b, r->survey->everything);
    PxVec3 wide = px_sub(b.high, b.low);
    double most = 0.5 * fmax(wide.x, fmax(wide.y, wide.z));
    PxVec3 more = px_vec(most, most, most);
    return (PxBounds){px_sub(b.low, more), px_add(b.high, more)};
}

static PxStatus check_bodies(Room *r, double travel, double end, double moving)
{
    uint32_t followed = 0;
    bool told = false;
    for (size_t k = 0; k < r->scene->bodies && followed < MOST_BODIES && !told; ++k) {
        bool solid = px_scene_is_solid(r->scene, k);
        if (r->survey->shape[k] == NULL || px_body_is_boundary(&r->scene->body[k].def))
            continue;
        PxBounds space = space_of(r, k, solid);
        if (!px_finite(space.low) || !px_finite(space.high))
            continue;
        ++followed;
        PxStatus status = make_grid(r, space, solid ? 0 : 2);
        double times = fmin(ceil(travel / r->edge) + 1, MOST_TIMES);
        times = fmin(times, floor(MOST_TESTS / MOST_BODIES / (r->cells * moving)) + 1);
        /* beyond that time walls would jump over cells */
        double until = fmin(end, end * times * 2 * r->edge / fmax(travel, 1e-30));
        if (status == PX_OK)
            told = follow(r, k, solid, until, times);
        drop_grid(r);
        PX_TRY(status);
    }
    return PX_OK;
}

PxStatus px_survey_check_room(PxScene *scene, const PxSurvey *survey)
{
    Room r = {.scene = scene, .survey = survey};
    double end = scene->head.time.frames / scene->head.time.fps, last = 0, moving = 0;
    for (size_t k = 0; k < scene->bodies; ++k)
        for (size_t i = 0; scene->body[k].def.wall && i < scene->body[k].is.keyframes; ++i)
            last = fmax(last, scene->body[k].is.keyframe[i].at);
    end = fmin(end, last);
    if (!(end > 0) || scene->errors > 0 || scene->sinks > 0)
        return PX_OK;
    PX_TRY(px_scene_walls(scene, &r.walls));
    r.body = calloc(scene->bodies + 1, sizeof *r.body);
    PxStatus status =
        r.body != NULL ? PX_OK : px_fail(PX_ERR_MEMORY, "scene: no room to follow its walls");
    size_t wall = 0;
    for (size_t k = 0; k < scene->bodies && status == PX_OK; ++k)
        if (px_body_is_boundary(&scene->body[k].def))
            r.body[wall++] = k;
    for (size_t k = 0; k < r.walls.count; ++k)
        moving += r.walls.wall[k].keys > 0;
    if (status == PX_OK)
        status = check_bodies(&r, survey->wall_speed * end, end, moving);
    free(r.body);
    px_scene_walls_free(&r.walls);
    return status;
}
