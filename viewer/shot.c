#include "shot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void shot_free(Shot *s)
{
    if (s == NULL)
        return;
    for (uint32_t k = 0; k < s->surfaces; ++k) {
        free(s->surface[k].position);
        free(s->surface[k].normal);
        free(s->surface[k].radius);
        free(s->surface[k].triangle);
    }
    free(s->surface);
    arrows_free(&s->arrows);
    free(s->film);
    free(s->pose);
    free(s->place);
    free(s->material);
    free(s->body);
    free(s->covered);
    free(s->value);
    free(s);
}

size_t shot_bytes(const Shot *s)
{
    size_t bytes = sizeof *s + s->poses * sizeof *s->pose + s->particles * (size_t)25 +
                   (s->value != NULL ? s->particles * sizeof *s->value : 0);
    bytes += s->arrows.count * sizeof *s->arrows.arrow + s->films * sizeof *s->film;
    for (uint32_t k = 0; k < s->surfaces; ++k)
        bytes += s->surface[k].points * (size_t)28 + s->surface[k].triangles * (size_t)12;
    return bytes;
}

/* Zeroed memory for `count` elements, never NULL for want of elements. */
static void *room(size_t count, size_t size)
{
    return calloc(count + 1, size);
}

static Shot *start(uint32_t particles, const PxDisplay *display)
{
    Shot *s = calloc(1, sizeof *s);
    if (s == NULL)
        return NULL;
    while (px_display_body(display, s->poses) != NULL)
        ++s->poses;
    s->particles = particles;
    s->place = room(particles, 4 * sizeof *s->place);
    s->material = room(particles, sizeof *s->material);
    s->body = room(particles, sizeof *s->body);
    s->covered = room(particles, 1);
    s->pose = room(s->poses, sizeof *s->pose);
    if (s->place == NULL || s->material == NULL || s->body == NULL || s->covered == NULL ||
        s->pose == NULL) {
        shot_free(s);
        return NULL;
    }
    return s;
}

/* Fills the particles from columns of either source. */
static void take_particles(Shot *s, const float *const position[3], const float *radius,
                           const uint32_t *material, const uint32_t *body, double spacing)
{
    for (int c = 0; c < 3; ++c) {
        s->bounds[0][c] = INFINITY;
        s->bounds[1][c] = -INFINITY;
    }
    for (uint32_t i = 0; i < s->particles; ++i) {
        for (int c = 0; c < 3; ++c) {
            float x = position[c][i];
            s->place[4 * (size_t)i + (size_t)c] = x;
            s->bounds[0][c] = fminf(s->bounds[0][c], x);
            s->bounds[1][c] = fmaxf(s->bounds[1][c], x);
        }
        s->place[4 * (size_t)i + 3] = radius != NULL ? radius[i] : (float)(0.5 * spacing);
    }
    if (material != NULL)
        memcpy(s->material, material, s->particles * sizeof *material);
    if (body != NULL)
        memcpy(s->body, body, s->particles * sizeof *body);
}

static void find_range(Shot *s)
{
    s->low = INFINITY;
    s->high = -INFINITY;
    for (uint32_t i = 0; i < s->particles; ++i)
        if (isfinite(s->value[i])) {
            s->low = fminf(s->low, s->value[i]);
            s->high = fmaxf(s->high, s->value[i]);
        }
    if (!(s->low <= s->high))
        s->low = s->high = 0;
}

/* Length of a vector, or the value itself. */
static float size_of(const float *x, uint32_t components)
{
    double sum = 0;
    if (components == 1)
        return x[0];
    for (uint32_t c = 0; c < components; ++c) /* off-diagonal elements of a tensor count twice */
        sum += (components == 6 && c >= 3 ? 2 : 1) * (double)x[c] * (double)x[c];
    return (float)sqrt(sum);
}

static bool name_column(Shot *s, const char *column, const char *unit)
{
    s->value = room(s->particles, sizeof *s->value);
    snprintf(s->column, sizeof s->column, "%s", column);
    snprintf(s->unit, sizeof s->unit, "%s", unit);
    return s->value != NULL;
}

/* Reads a column of a world: first of all, because that may sort the rows. */
static bool take_value(Shot *s, PxWorld *world, const char *column)
{
    PxColumnInfo info[128];
    const char *name = strcmp(column, "speed") == 0 ? "velocity" : column;
    size_t count = px_world_columns(world, info, 128);
    for (size_t k = 0; k < count && k < 128; ++k) {
        uint32_t n = info[k].components;
        if (strcmp(info[k].name, name) != 0 || (info[k].type != PX_F32 && info[k].type != PX_U32))
            continue;
        size_t bytes = (size_t)s->particles * n * 4;
        float *raw = malloc(bytes + 4);
        bool good = raw != NULL && name_column(s, column, info[k].unit) &&
                    px_world_read_column(world, name, raw, bytes) == PX_OK;
        for (uint32_t i = 0; good && i < s->particles; ++i) {
            uint32_t whole;
            memcpy(&whole, &raw[(size_t)i * n], sizeof whole);
            s->value[i] = info[k].type == PX_U32 ? (float)whole : size_of(&raw[(size_t)i * n], n);
        }
        free(raw);
        if (good)
            find_range(s);
        return good;
    }
    return true;
}

/* Arrows of a column of particles; a world without it has none. After take_particles(). */
static bool take_arrows(Shot *s, PxWorld *world, ArrowKind kind)
{
    const char *name = kind == ARROW_STRESS ? "stress" : "velocity";
    uint32_t components = kind == ARROW_STRESS ? 6 : 3;
    PxColumnInfo info[128];
    size_t count = px_world_columns(world, info, 128), found = 0;
    while (found < count && found < 128 && strcmp(info[found].name, name) != 0)
        ++found;
    if (found == count || found == 128 || info[found].components != components)
        return true;
    size_t bytes = (size_t)s->particles * components * sizeof(float);
    float *raw = malloc(bytes + 4);
    const float *component[6];
    for (uint32_t c = 0; c < 6; ++c)
        component[c] = raw != NULL ? raw + c : NULL;
    bool good = raw != NULL && px_world_read_column(world, name, raw, bytes) == PX_OK;
    if (good) { /* reading may have sorted the rows */
        const float *at[3];
        for (int c = 0; c < 3; ++c)
            at[c] = px_world_floats(world, "position", c);
        for (uint32_t i = 0; i < s->particles; ++i)
            for (int c = 0; c < 3; ++c)
                s->place[4 * (size_t)i + (size_t)c] = at[c][i];
        ArrowRows rows = {s->place, component, components, s->particles};
        good = arrows_of_rows(&s->arrows, kind, &rows);
    }
    free(raw);
    return good;
}

/* Force on each wall, at the point of its line of action that is nearest to the wall's pivot. */
static bool take_wall_forces(Shot *s, const PxWorld *world, const PxDisplay *display)
{
    s->arrows.kind = ARROW_WALLS;
    s->arrows.name = "force on walls (N)";
    for (uint32_t k = 0; k < s->poses; ++k) {
        const PxDisplayBody *b = px_display_body(display, k);
        PxBodyId id;
        PxVec3 force, torque;
        if (b->rigid || px_world_find_body(world, b->name, &id) != PX_OK ||
            px_world_boundary_force(world, id, &force, &torque) != PX_OK)
            continue;
        double f2 = force.x * force.x + force.y * force.y + force.z * force.z;
        if (!(f2 > 0))
            continue;
        /* the point of the line of action that is nearest to the pivot: (F x T) / F^2 from it */
        PxVec3 at = {b->pivot.x + s->pose[k].pose.move.x, b->pivot.y + s->pose[k].pose.move.y,
                     b->pivot.z + s->pose[k].pose.move.z};
        at.x += (force.y * torque.z - force.z * torque.y) / f2;
        at.y += (force.z * torque.x - force.x * torque.z) / f2;
        at.z += (force.x * torque.y - force.y * torque.x) / f2;
        if (!arrows_add(&s->arrows, at, force))
            return false;
    }
    return true;
}

static bool take_surfaces(Shot *s, PxWorld *world)
{
    enum { MOST = 256 };
    PxWorldSurface all[MOST];
    size_t count = px_world_surfaces(world, all, MOST);
    count = count < MOST ? count : MOST;
    s->surface = room(count, sizeof *s->surface);
    if (s->surface == NULL)
        return false;
    for (size_t k = 0; k < count; ++k) {
        ShotSurface *to = &s->surface[s->surfaces++];
        bool skin = all[k].body.slot != 0;
        *to = (ShotSurface){.material = all[k].material.slot - 1,
                            .body = skin ? all[k].body.slot - 1 : UINT32_MAX,
                            .points = all[k].points,
                            .triangles = all[k].triangles};
        to->position = room(to->points, 3 * sizeof(float));
        to->normal = room(to->points, 3 * sizeof(float));
        to->radius = room(to->points, sizeof(float));
        to->triangle = room(to->triangles, 3 * sizeof(uint32_t));
        if (to->position == NULL || to->normal == NULL || to->radius == NULL ||
            to->triangle == NULL ||
            px_world_read_surface(world, k, to->position, to->normal, to->radius, to->triangle) !=
                PX_OK)
            return false;
    }
    return true;
}

/* Particles with a skin or coat are drawn by it. */
static void cover(Shot *s)
{
    for (uint32_t k = 0; k < s->surfaces; ++k) {
        ShotSurface *f = &s->surface[k];
        if (f->points == 0)
            continue;
        bool any = false;
        for (uint32_t i = 0; i < s->particles; ++i) {
            bool own =
                f->body != UINT32_MAX ? s->body[i] == f->body : s->material[i] == f->material;
            s->covered[i] |= own;
            any = any || own;
        }
        f->sheet = !any && f->triangles > 0;
    }
}

static void take_poses(Shot *s, const PxWorld *world, const PxDisplay *display)
{
    for (uint32_t k = 0; k < s->poses; ++k) {
        const PxDisplayBody *b = px_display_body(display, k);
        PxBodyId id = {0, 0};
        PxRigidState state;
        s->pose[k] = (ShotPose){{.turn = {.w = 1}}, b->pivot};
        if (px_world_find_body(world, b->name, &id) != PX_OK)
            continue;
        if (b->rigid && px_world_rigid_state(world, id, &state) == PX_OK)
            s->pose[k] = (ShotPose){state.pose, state.centre};
        else if (!b->rigid)
            px_world_wall_pose(world, id, &s->pose[k].pose);
    }
}

Shot *shot_of_world(PxWorld *world, const PxDisplay *display, const char *column, ArrowKind arrows,
                    bool coats)
{
    Shot *s = start(px_world_count(world), display);
    if (s == NULL)
        return NULL;
    if ((coats && px_world_move_coats(world) != PX_OK) || px_world_move_skins(world) != PX_OK ||
        (column != NULL && !take_value(s, world, column)) || !take_surfaces(s, world)) {
        shot_free(s);
        return NULL;
    }
    const float *position[3];
    for (int c = 0; c < 3; ++c)
        position[c] = px_world_floats(world, "position", c);
    take_particles(s, position, px_world_floats(world, "radius", 0),
                   px_world_words(world, "material"), px_world_words(world, "body"), 0);
    px_world_stats(world, &s->stats);
    s->has_stats = true;
    s->step = s->stats.step;
    s->time = px_world_time(world);
    take_poses(s, world, display);
    bool drawn = arrows == ARROW_WALLS  ? take_wall_forces(s, world, display)
                 : arrows != ARROW_NONE ? take_arrows(s, world, arrows)
                                        : true;
    if (!drawn) {
        shot_free(s);
        return NULL;
    }
    cover(s);
    return s;
}

/* ---- stored frames ---- */

static bool take_stored_value(Shot *s, const PxStored *frame, const char *column)
{
    PxColumnInfo info[64];
    const char *name = strcmp(column, "speed") == 0 ? "velocity" : column;
    size_t count = px_stored_columns(frame, info, 64);
    for (size_t k = 0; k < count && k < 64; ++k) {
        if (strcmp(info[k].name, name) != 0)
            continue;
        const float *real[9] = {0};
        const uint32_t *whole = px_stored_words(frame, name);
        uint32_t n = info[k].components < 9 ? info[k].components : 9;
        for (uint32_t c = 0; c < n; ++c)
            real[c] = px_stored_floats(frame, name, (int)c);
        if (real[0] == NULL && whole == NULL)
            return true;
        if (!name_column(s, column, info[k].unit))
            return false;
        for (uint32_t i = 0; i < s->particles; ++i) {
            float x[9];
            for (uint32_t c = 0; c < n && real[0] != NULL; ++c)
                x[c] = real[c][i];
            s->value[i] = real[0] != NULL ? size_of(x, n) : (float)whole[i];
        }
        find_range(s);
    }
    return true;
}

/* One surface for each body or material of a stored one, whose points are sorted by them. */
static bool split_surface(Shot *s, const PxStoredSurface *from)
{
    uint32_t *part = room(from->points, sizeof *part);
    uint32_t *row = room(from->points, sizeof *row);
    uint32_t first = s->surfaces;
    bool good = part != NULL && row != NULL;
    for (uint32_t i = 0; good && i < from->points; ++i) {
        uint32_t body = from->body != NULL ? (uint32_t)from->body[i] : UINT32_MAX;
        uint32_t material = from->material != NULL ? from->material[i] : 0;
        ShotSurface *last = s->surfaces > first ? &s->surface[s->surfaces - 1] : NULL;
        if (last == NULL || last->body != body || last->material != material) {
            ShotSurface *more = realloc(s->surface, (s->surfaces + 1) * sizeof *more);
            if (more == NULL) {
                good = false;
                break;
            }
            s->surface = more;
            last = &s->surface[s->surfaces++];
            *last = (ShotSurface){.material = material, .body = body};
        }
        part[i] = s->surfaces - 1;
        row[i] = last->points++;
    }
    for (uint32_t t = 0; good && t < from->triangles; ++t)
        ++s->surface[part[from->triangle[t][0]]].triangles;
    for (uint32_t k = first; good && k < s->surfaces; ++k) {
        ShotSurface *f = &s->surface[k];
        f->position = room(f->points, 3 * sizeof(float));
        f->normal = room(f->points, 3 * sizeof(float));
        f->radius = room(f->points, sizeof(float));
        f->triangle = room(f->triangles, 3 * sizeof(uint32_t));
        good = f->position != NULL && f->normal != NULL && f->radius != NULL && f->triangle != NULL;
        f->triangles = 0;
    }
    for (uint32_t i = 0; good && i < from->points; ++i) {
        ShotSurface *f = &s->surface[part[i]];
        for (uint32_t c = 0; c < 3; ++c) {
            f->position[3 * (size_t)row[i] + c] = from->position[c][i];
            f->normal[3 * (size_t)row[i] + c] = from->normal[c][i];
        }
        if (from->radius != NULL)
            f->radius[row[i]] = from->radius[i];
    }
    for (uint32_t t = 0; good && t < from->triangles; ++t) {
        ShotSurface *f = &s->surface[part[from->triangle[t][0]]];
        for (uint32_t c = 0; c < 3; ++c)
            f->triangle[3 * (size_t)f->triangles + c] = row[from->triangle[t][c]];
        ++f->triangles;
    }
    free(part);
    free(row);
    return good;
}

static bool take_stored_arrows(Shot *s, const PxStored *frame, ArrowKind kind)
{
    const char *name = kind == ARROW_STRESS ? "stress" : "velocity";
    const float *component[6];
    for (int c = 0; c < (kind == ARROW_STRESS ? 6 : 3); ++c)
        if ((component[c] = px_stored_floats(frame, name, c)) == NULL)
            return true;
    ArrowRows rows = {s->place, component, 1, s->particles};
    return arrows_of_rows(&s->arrows, kind, &rows);
}

Shot *shot_of_stored(const PxStored *frame, const PxDisplay *display, const char *column,
                     ArrowKind arrows)
{
    Shot *s = start(px_stored_count(frame), display);
    if (s == NULL)
        return NULL;
    const float *position[3];
    for (int c = 0; c < 3; ++c)
        position[c] = px_stored_floats(frame, "position", c);
    take_particles(s, position, px_stored_floats(frame, "radius", 0),
                   px_stored_words(frame, "material"), px_stored_words(frame, "body"), 0);
    s->time = px_stored_time(frame);
    s->step = px_stored_step(frame);
    for (uint32_t k = 0; k < s->poses; ++k) {
        const PxDisplayBody *b = px_display_body(display, k);
        s->pose[k] = (ShotPose){{.turn = {.w = 1}}, b->pivot};
        if (b->rigid)
            px_stored_pose(frame, b->number, &s->pose[k].pose, &s->pose[k].pivot);
        else
            px_display_pose(display, k, s->time, &s->pose[k].pose);
    }
    PxStoredSurface surface;
    bool good = column == NULL || take_stored_value(s, frame, column);
    if (good && (arrows == ARROW_VELOCITY || arrows == ARROW_STRESS))
        good = take_stored_arrows(s, frame, arrows);
    for (size_t k = 0; k < 2 && good; ++k)
        if (px_stored_surface(frame, k, &surface))
            good = split_surface(s, &surface);
    if (!good) {
        shot_free(s);
        return NULL;
    }
    cover(s);
    return s;
}

bool shot_coat(Shot *s, PxCoating *coating)
{
    if (px_coating_follow(coating) != PX_OK)
        return false;
    for (uint32_t k = 0; k < s->poses; ++k)
        if (px_coating_touch(coating, k, &s->pose[k].pose, s->pose[k].pivot, s->place, s->material,
                             s->particles) != PX_OK)
            return false;
    free(s->film);
    s->films = px_coating_count(coating);
    s->film = room(s->films, sizeof *s->film);
    return s->film != NULL && px_coating_get(coating, s->film) == PX_OK;
}
