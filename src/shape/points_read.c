#include "shape/points_read.h"

#include "base/arena.h"
#include "shape/keys.h"
#include "shape/mesh_read.h"
#include "shape/parse_text.h"
#include "spatial/kdtree.h"

#include <stdlib.h>
#include <string.h>

#define WANTED "a PLY or CSV file of points"

/* ---- CSV ------------------------------------------------------------------------------------- */

static const char *const column_names[][3] = {
    {"x", "y", "z"},
    {"position_x", "position_y", "position_z"},
    {"Points:0", "Points:1", "Points:2"},
    {"Points_0", "Points_1", "Points_2"},
};

/* The next value of a line: words in quotes are without them; two separators have nothing in
 * between. */
static bool next_value(PxWord *line, PxWord *out)
{
    const char *at = line->at, *end = line->at + line->length;
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r'))
        ++at;
    if (at == end)
        return false;
    bool quoted = *at == '"';
    const char *from = quoted ? ++at : at;
    while (at < end && (quoted ? *at != '"' : strchr(",; \t\r", *at) == NULL || *at == '\0'))
        ++at;
    *out = (PxWord){from, (size_t)(at - from)};
    at += quoted && at < end;
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r'))
        ++at;
    at += at < end && (*at == ',' || *at == ';');
    *line = (PxWord){at, (size_t)(end - at)};
    return true;
}

/* Finds the columns of the positions in the first line; false if it has numbers. */
static PxStatus read_names(const char *name, size_t number, PxWord line, size_t column[3],
                           bool *named)
{
    PxWord rest = line, word;
    double ignored;
    *named = false;
    if (!next_value(&rest, &word) || px_word_number(word, &ignored))
        return PX_OK;
    *named = true;
    for (size_t set = 0; set < PX_COUNT(column_names); ++set) {
        int found = 0;
        rest = line;
        for (size_t k = 0; next_value(&rest, &word); ++k)
            for (int a = 0; a < 3; ++a)
                if (px_word_is_nocase(word, column_names[set][a])) {
                    column[a] = k;
                    found |= 1 << a;
                }
        if (found == 7)
            return PX_OK;
    }
    return px_fail(PX_ERR_FORMAT,
                   "%s: line %zu: names no columns x, y and z (or position_x, ... or Points:0, "
                   "...)",
                   name, number);
}

static PxStatus read_row(const char *name, size_t number, PxWord line, const size_t column[3],
                         PxVec3 *out)
{
    double value[3] = {0};
    int found = 0;
    char quote[PX_WORD_QUOTE];
    PxWord word;
    for (size_t k = 0; next_value(&line, &word); ++k)
        for (int a = 0; a < 3; ++a) {
            if (column[a] != k)
                continue;
            if (!px_word_number(word, &value[a]) || !isfinite(value[a]))
                return px_fail(PX_ERR_FORMAT, "%s: line %zu: '%s', wanted a finite number", name,
                               number, px_word_quote(word, quote));
            found |= 1 << a;
        }
    if (found != 7)
        return px_fail(PX_ERR_FORMAT, "%s: line %zu: wanted three numbers: x, y and z", name,
                       number);
    *out = px_vec(value[0], value[1], value[2]);
    return PX_OK;
}

typedef struct PointList {
    PxVec3 *data;
    size_t count, capacity;
} PointList;

static PxStatus no_room(const char *name, size_t count)
{
    return px_fail(PX_ERR_MEMORY, "%s: no room for %zu points", name, count);
}

static PxStatus read_csv(const char *name, const void *bytes, size_t size, size_t most,
                         PointList *out)
{
    PxTextReader text = px_text(bytes, size);
    size_t column[3] = {0, 1, 2}, number = 1;
    bool first = true, named = false;
    PxWord line, word;
    if (size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0)
        text.at += 3; /* UTF-8 byte order mark */
    for (; px_text_line(&text, &line); number = text.line) {
        PxWord rest = line;
        if (!px_word_next(&rest, &word) || word.at[0] == '#')
            continue;
        if (first) {
            first = false;
            PX_TRY(read_names(name, number, line, column, &named));
            if (named)
                continue;
        }
        if (out->count >= most)
            return px_fail(PX_ERR_FORMAT, "%s: line %zu: more than %zu points", name, number, most);
        if (!PX_LIST_RESERVE(out, 1))
            return no_room(name, out->count);
        PX_TRY(read_row(name, number, line, column, &out->data[out->count]));
        ++out->count;
    }
    return PX_OK;
}

/* ---- files ----------------------------------------------------------------------------------- */

static bool is_ply(const char *name, const void *bytes, size_t size)
{
    size_t length = strlen(name);
    return px_mesh_looks_like_ply(bytes, size) ||
           (length > 3 && px_word_is_nocase((PxWord){name + length - 3, 3}, "ply"));
}

PxStatus px_points_read_bytes(const char *name, const void *bytes, size_t size, size_t most,
                              PxPoints *out)
{
    PointList list = {0};
    *out = (PxPoints){0};
    PxStatus status = is_ply(name, bytes, size)
                          ? px_mesh_read_ply_vertices(name, bytes, size, &list.data, &list.count)
                          : read_csv(name, bytes, size, most, &list);
    if (status == PX_OK && (list.count == 0 || list.count > most))
        status = px_fail(PX_ERR_FORMAT, "%s: %zu points, wanted 1 to %zu", name, list.count, most);
    for (size_t k = 0; k < list.count && status == PX_OK; ++k)
        if (!px_finite(list.data[k]) || px_length(list.data[k]) > PX_MESH_MAX_COORDINATE)
            status =
                px_fail(PX_ERR_FORMAT, "%s: point %zu is at (%g, %g, %g), wanted finite numbers",
                        name, k, list.data[k].x, list.data[k].y, list.data[k].z);
    if (status != PX_OK) {
        free(list.data);
        return status;
    }
    out->position = list.data;
    out->count = list.count;
    return PX_OK;
}

PxStatus px_points_read(const PxShapeDef *def, size_t most, PxPoints *out)
{
    void *bytes = NULL;
    size_t size = 0;
    *out = (PxPoints){0};
    if (def->mesh == NULL)
        return px_fail(PX_ERR_ARGUMENT, "points: no file named, wanted the path of one");
    PX_TRY(px_mesh_file_bytes(def->mesh, WANTED, &bytes, &size));
    PxStatus status = px_points_read_bytes(def->mesh, bytes, size, most, out);
    free(bytes);
    PxQuat turn = px_quat_normalized(def->rotation);
    for (size_t k = 0; k < out->count; ++k)
        out->position[k] = px_add(def->at, px_rotate(turn, px_scale(out->position[k], def->scale)));
    return status;
}

/* ---- distances ------------------------------------------------------------------------------- */

/* Builds a tree of the points, from their first one, so that floats resolve them. */
static PxStatus make_tree(const PxPoints *points, PxKdTree *tree, float **axis)
{
    size_t n = points->count;
    PxArena scratch = {0};
    px_kdtree_init(tree, NULL);
    *axis = malloc((3 * n + 1) * sizeof **axis);
    if (*axis == NULL)
        return no_room("points", n);
    for (size_t k = 0; k < n; ++k) {
        PxVec3 x = px_sub(points->position[k], points->position[0]);
        (*axis)[k] = (float)x.x;
        (*axis)[n + k] = (float)x.y;
        (*axis)[2 * n + k] = (float)x.z;
    }
    PxStatus status = px_kdtree_build(tree, *axis, *axis + n, *axis + 2 * n, (uint32_t)n, &scratch);
    px_arena_free(&scratch);
    return status;
}

/* The nearest other point of point k; its squared distance is FLT_MAX if there is none. */
static float nearest_other(const PxKdTree *tree, const float *axis, size_t n, size_t k,
                           size_t *other)
{
    uint32_t near[2];
    float squared[2];
    uint32_t found =
        px_kdtree_nearest(tree, axis[k], axis[n + k], axis[2 * n + k], 2, near, squared);
    uint32_t which = near[0] == (uint32_t)k ? 1 : 0;
    *other = found == 2 ? near[which] : k;
    return found == 2 ? squared[which] : INFINITY;
}

static int by_size(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

PxStatus px_points_apart(const PxPoints *points, double *out)
{
    *out = 0;
    if (points->count < 2)
        return PX_OK;
    PxKdTree tree;
    float *axis, *all = malloc(points->count * sizeof *all);
    PxStatus status = make_tree(points, &tree, &axis);
    if (status == PX_OK && all == NULL)
        status = no_room("points", points->count);
    size_t other;
    for (size_t k = 0; k < points->count && status == PX_OK; ++k)
        all[k] = nearest_other(&tree, axis, points->count, k, &other);
    if (status == PX_OK) {
        qsort(all, points->count, sizeof *all, by_size);
        *out = sqrt((double)all[points->count / 2]);
    }
    px_kdtree_free(&tree);
    free(axis);
    free(all);
    return status;
}

PxStatus px_points_crowd(const PxPoints *points, double radius, double *out)
{
    PxKdTree tree;
    float *axis, *all = malloc((points->count + 1) * sizeof *all);
    size_t n = points->count;
    PxStatus status = make_tree(points, &tree, &axis);
    if (status == PX_OK && all == NULL)
        status = no_room("points", n);
    for (size_t k = 0; k < n && status == PX_OK; ++k)
        all[k] = (float)px_kdtree_range(&tree, axis[k], axis[n + k], axis[2 * n + k], (float)radius,
                                        NULL, 0);
    *out = 0;
    if (status == PX_OK && n > 0) {
        qsort(all, n, sizeof *all, by_size);
        *out = (double)all[3 * n / 4];
    }
    px_kdtree_free(&tree);
    free(axis);
    free(all);
    return status;
}

PxStatus px_points_nearest(const PxPoints *points, double least, size_t pair[2], double *distance,
                           bool *found)
{
    PxKdTree tree;
    float *axis;
    PxStatus status = make_tree(points, &tree, &axis);
    double nearest = least;
    *found = false;
    for (size_t k = 0; k < points->count && status == PX_OK; ++k) {
        size_t other;
        double apart = sqrt((double)nearest_other(&tree, axis, points->count, k, &other));
        if (!(apart < nearest))
            continue;
        nearest = apart;
        pair[0] = k;
        pair[1] = other;
        *found = true;
    }
    *distance = nearest;
    px_kdtree_free(&tree);
    free(axis);
    return status;
}

PxStatus px_points_thin(PxPoints *points, double cell, double least)
{
    PxKeys keys = {0};
    uint32_t *of = malloc((points->count + 1) * sizeof *of);
    uint32_t *count = calloc(points->count + 1, sizeof *count);
    PxVec3 *sum = calloc(points->count + 1, sizeof *sum);
    bool room = of != NULL && count != NULL && sum != NULL;
    for (size_t k = 0; k < points->count && room; ++k) {
        PxVec3 x = px_scale(px_sub(points->position[k], points->position[0]), 1 / cell);
        PxKey key = {{(uint64_t)(int64_t)floor(x.x + 0.25), (uint64_t)(int64_t)floor(x.y + 0.25),
                      (uint64_t)(int64_t)floor(x.z + 0.25)}};
        of[k] = px_keys_add(&keys, key);
        room = of[k] != PX_KEY_NONE;
        if (room) {
            ++count[of[k]];
            sum[of[k]] = px_add(sum[of[k]], points->position[k]);
        }
    }
    size_t kept = 0;
    for (size_t k = 0; k < keys.count && room; ++k)
        if (count[k] >= least)
            points->position[kept++] = px_scale(sum[k], 1.0 / count[k]);
    if (room && kept > 0)
        points->count = kept;
    free(of);
    free(count);
    free(sum);
    px_keys_free(&keys);
    return room ? PX_OK : no_room("points", points->count);
}
