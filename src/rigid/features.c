#include "rigid/features.h"

#include "base/fail.h"
#include "shape/shape_inner.h"

#include <stdlib.h>

/* Edges of a mesh below this angle between the normals of their sides, in radians, count as smooth:
 * their corners suffice. */
#define SHARP 0.35

/* Rounding of the edges of boxes and cylinders, over their thickness. A corner that overlaps a face
 * is nearest to that face, and not to the next one, while the overlap is below twice of this; the
 * flat of a face is exact. */
#define ROUNDING 0.01

typedef PX_LIST(PxFeature) Features;

static bool add(Features *list, PxFeature feature)
{
    feature.end[0] = feature.end[1] = PX_NO_FEATURE;
    if (!PX_LIST_RESERVE(list, 1))
        return false;
    list->data[list->count++] = feature;
    return true;
}

static bool add_point(Features *list, const PxShape *shape, PxVec3 own, double round)
{
    return add(
        list,
        (PxFeature){.kind = PX_FEATURE_POINT, .round = round, .a = px_shape_to_world(shape, own)});
}

static bool add_edge(Features *list, const PxShape *shape, PxVec3 a, PxVec3 b, double round)
{
    return add(list, (PxFeature){.kind = PX_FEATURE_EDGE,
                                 .round = round,
                                 .a = px_shape_to_world(shape, a),
                                 .b = px_shape_to_world(shape, b)});
}

/* States which points the ends of the last edge are; returns true. */
static bool set_ends(Features *list, uint32_t a, uint32_t b)
{
    list->data[list->count - 1].end[0] = a;
    list->data[list->count - 1].end[1] = b;
    return true;
}

static bool of_box(Features *list, const PxShape *shape)
{
    double round = ROUNDING * shape->thickness;
    PxVec3 h = px_sub(shape->primitive.half, px_vec(round, round, round));
    bool good = true;
    PxVec3 corner[8];
    for (int k = 0; k < 8; ++k) {
        corner[k] = px_vec(k & 1 ? h.x : -h.x, k & 2 ? h.y : -h.y, k & 4 ? h.z : -h.z);
        good = good && add_point(list, shape, corner[k], round);
    }
    for (int k = 0; k < 8; ++k)
        for (int bit = 1; bit < 8; bit *= 2)
            if (!(k & bit))
                good = good && add_edge(list, shape, corner[k], corner[k | bit], round) &&
                       set_ends(list, (uint32_t)k, (uint32_t)(k | bit));
    return good;
}

/* An axis with both ends; the ends are points of their own, since edges have no contacts there. */
static bool of_axis(Features *list, const PxShape *shape, double half, double round)
{
    return add_point(list, shape, px_vec(0, -half, 0), round) &&
           add_point(list, shape, px_vec(0, half, 0), round) &&
           add_edge(list, shape, px_vec(0, -half, 0), px_vec(0, half, 0), round);
}

/* Solids of revolution: a rim at each corner of the profile. The side of a long cylinder is touched
 * between its rims by other round things: the capsule within it stands for it. */
static bool of_profile(Features *list, const PxShape *shape)
{
    const PxProfile *profile = &shape->primitive.profile;
    bool good = true, right = shape->kind == PX_SHAPE_CYLINDER;
    double round = right ? ROUNDING * shape->thickness : 0;
    for (int k = 0; k < profile->corners; ++k) {
        PxVec3 middle = px_vec(0, profile->y[k] - copysign(round, profile->y[k]), 0);
        if (profile->r[k] > 0)
            good = good && add(list, (PxFeature){.kind = PX_FEATURE_RIM,
                                                 .round = round,
                                                 .a = px_shape_to_world(shape, middle),
                                                 .b = px_rotate(shape->turn, px_vec(0, 1, 0)),
                                                 .side = px_rotate(shape->turn, px_vec(1, 0, 0)),
                                                 .ring = profile->r[k] - round});
        else if (shape->kind == PX_SHAPE_CONE)
            good = good && add_point(list, shape, middle, 0); /* also the middle of the base */
    }
    double r = shape->primitive.radius, half = 0.5 * shape->primitive.height - r;
    if (good && shape->kind == PX_SHAPE_CYLINDER && half > 0)
        good = add_edge(list, shape, px_vec(0, -half, 0), px_vec(0, half, 0), r);
    return good;
}

/* Adds the convex, sharp edges of a mesh. `of` is the number of each triangle's edges, `point` the
 * feature of each vertex. */
static bool sharp_edges(Features *list, const PxShape *shape, const uint32_t *of, uint32_t edges,
                        const uint32_t *point)
{
    const PxMesh *mesh = shape->mesh;
    uint32_t *first = malloc((edges + 1) * sizeof *first);
    bool good = first != NULL;
    for (uint32_t e = 0; good && e < edges; ++e)
        first[e] = UINT32_MAX;
    for (uint32_t t = 0; good && t < mesh->triangle_count; ++t)
        for (int k = 0; good && k < 3; ++k) {
            uint32_t e = of[3 * (size_t)t + (size_t)k];
            if (e == UINT32_MAX)
                continue;
            if (first[e] == UINT32_MAX) {
                first[e] = t;
                continue;
            }
            PxVec3 normal[2], corner[3], other = {0, 0, 0};
            const uint32_t both[2] = {first[e], t};
            for (int s = 0; s < 2; ++s) {
                for (int c = 0; c < 3; ++c)
                    corner[c] = px_mesh_corner(mesh, both[s], c);
                normal[s] = px_normalized(
                    px_cross(px_sub(corner[1], corner[0]), px_sub(corner[2], corner[0])),
                    px_vec(0, 0, 0));
                if (s == 1)
                    other = corner[(k + 2) % 3];
            }
            PxVec3 a = corner[k], b = corner[(k + 1) % 3];
            if (px_dot(normal[0], normal[1]) < cos(SHARP) &&
                px_dot(normal[0], px_sub(other, a)) < 0)
                good = add_edge(list, shape, a, b, 0) &&
                       set_ends(list, point[mesh->triangle[t][k]],
                                point[mesh->triangle[t][(k + 1) % 3]]);
        }
    free(first);
    return good;
}

static bool of_mesh(Features *list, const PxShape *shape)
{
    const PxMesh *mesh = shape->mesh;
    uint32_t *weld = malloc((mesh->vertex_count + 1) * sizeof *weld), edges = 0;
    uint32_t *of = malloc((3 * (size_t)mesh->triangle_count + 1) * sizeof *of);
    bool *used = calloc(mesh->vertex_count + 1, sizeof *used);
    uint32_t *point = calloc(mesh->vertex_count + 1, sizeof *point);
    bool good = point != NULL && weld != NULL && of != NULL && used != NULL &&
                px_mesh_weld(mesh, weld) == PX_OK && px_mesh_edges(mesh, weld, of, &edges) == PX_OK;
    for (uint32_t t = 0; good && t < mesh->triangle_count; ++t)
        for (int k = 0; k < 3; ++k)
            used[weld[mesh->triangle[t][k]]] = true;
    for (uint32_t v = 0; good && v < mesh->vertex_count; ++v)
        if (used[v]) {
            point[v] = (uint32_t)list->count;
            good = add_point(list, shape, mesh->position[v], 0);
        }
    for (uint32_t v = 0; good && v < mesh->vertex_count; ++v)
        point[v] = point[weld[v]];
    good = good && sharp_edges(list, shape, of, edges, point);
    free(point);
    free(weld);
    free(of);
    free(used);
    return good;
}

/* Extent of a feature around a point: the largest distance of its points. */
static double reach_of(const PxFeature *f, PxVec3 from)
{
    double far = px_length(px_sub(f->a, from));
    if (f->kind == PX_FEATURE_EDGE)
        far = fmax(far, px_length(px_sub(f->b, from)));
    return far + f->round + (f->kind == PX_FEATURE_RIM ? f->ring : 0);
}

/* A feature in the order of blocks. */
typedef struct Place {
    double at; /* of its middle, along an axis */
    uint32_t feature;
} Place;

static int by_place(const void *left, const void *right)
{
    const Place *a = left, *b = right;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    return a->feature < b->feature ? -1 : a->feature > b->feature;
}

static PxVec3 middle_of(const PxFeature *f)
{
    return f->kind == PX_FEATURE_EDGE ? px_scale(px_add(f->a, f->b), 0.5) : f->a;
}

static PxFeatureBlock *add_block(PxFeatures *features, uint32_t begin, uint32_t end)
{
    PxFeatureBlock *block = &features->block[features->blocks++];
    PxBounds bounds = px_bounds_empty();
    for (uint32_t n = begin; n < end; ++n) {
        const PxFeature *f = &features->feature[features->order[n]];
        px_bounds_add(&bounds, f->a);
        if (f->kind != PX_FEATURE_EDGE)
            continue;
        px_bounds_add(&bounds, f->b);
        features->longest = fmax(features->longest, px_length(px_sub(f->b, f->a)));
    }
    *block = (PxFeatureBlock){
        .middle = px_scale(px_add(bounds.low, bounds.high), 0.5), .begin = begin, .end = end};
    for (uint32_t n = begin; n < end; ++n)
        block->radius =
            fmax(block->radius, reach_of(&features->feature[features->order[n]], block->middle));
    block->next = features->blocks;
    return block;
}

/* Halves the features begin .. end - 1 of the order across their longest extent, until they fit
 * into the smallest blocks. */
static void divide(PxFeatures *features, Place *place, uint32_t begin, uint32_t end)
{
    if (end == begin)
        return;
    PxFeatureBlock *block = add_block(features, begin, end);
    if (end - begin <= PX_FEATURE_BLOCK)
        return;
    PxBounds bounds = px_bounds_empty();
    for (uint32_t n = begin; n < end; ++n)
        px_bounds_add(&bounds, middle_of(&features->feature[features->order[n]]));
    PxVec3 size = px_sub(bounds.high, bounds.low);
    bool along_x = size.x >= size.y && size.x >= size.z, along_y = !along_x && size.y >= size.z;
    for (uint32_t n = begin; n < end; ++n) {
        PxVec3 x = middle_of(&features->feature[features->order[n]]);
        place[n] = (Place){along_x ? x.x : along_y ? x.y : x.z, features->order[n]};
    }
    qsort(place + begin, end - begin, sizeof *place, by_place);
    for (uint32_t n = begin; n < end; ++n)
        features->order[n] = place[n].feature;
    uint32_t blocks = (end - begin + PX_FEATURE_BLOCK - 1) / PX_FEATURE_BLOCK;
    uint32_t middle = begin + blocks / 2 * PX_FEATURE_BLOCK;
    divide(features, place, begin, middle);
    divide(features, place, middle, end);
    block->next = features->blocks;
}

static bool make_blocks(PxFeatures *features)
{
    uint32_t count = features->count, points = 0, others = 0;
    Place *place = calloc((size_t)count + 1, sizeof *place);
    features->order = calloc((size_t)count + 1, sizeof *features->order);
    features->block = calloc(2 * ((size_t)count / PX_FEATURE_BLOCK + 2), sizeof *features->block);
    bool good = place != NULL && features->order != NULL && features->block != NULL;
    for (uint32_t k = 0; good && k < count; ++k)
        points += features->feature[k].kind == PX_FEATURE_POINT;
    for (uint32_t k = 0, n = 0; good && k < count; ++k)
        features->order[features->feature[k].kind == PX_FEATURE_POINT ? n++ : points + others++] =
            k;
    if (good) {
        divide(features, place, 0, points);
        divide(features, place, points, count);
    }
    free(place);
    return good;
}

PxStatus px_features_create(const PxShape *shape, bool inside, PxFeatures **out)
{
    Features list = {0};
    PxFeatures *features = calloc(1, sizeof *features);
    const PxPrimitive *p = &shape->primitive;
    bool good = features != NULL;
    if (good && shape->kind == PX_SHAPE_MESH && shape->moving == NULL)
        good = of_mesh(&list, shape);
    else if (good && !inside && shape->kind == PX_SHAPE_BOX)
        good = of_box(&list, shape);
    else if (good && !inside && shape->kind == PX_SHAPE_SPHERE)
        good = add_point(&list, shape, px_vec(0, 0, 0), p->radius);
    else if (good && !inside && shape->kind == PX_SHAPE_CAPSULE)
        good = of_axis(&list, shape, 0.5 * p->height, p->radius);
    else if (good && !inside && shape->kind != PX_SHAPE_PLANE)
        good = of_profile(&list, shape);
    if (good) {
        features->feature = list.data;
        features->count = (uint32_t)list.count;
        good = make_blocks(features);
    }
    if (!good) {
        PX_LIST_FREE(&list);
        if (features != NULL) {
            free(features->order);
            free(features->block);
            free(features->order);
        }
        free(features);
        *out = NULL;
        return px_fail(PX_ERR_MEMORY, "no room for the edges and corners of a shape");
    }
    *out = features;
    return PX_OK;
}

void px_features_free(PxFeatures *features)
{
    if (features == NULL)
        return;
    if (features->holders > 0) {
        --features->holders;
        return;
    }
    px_list_free(features->feature);
    free(features->block);
    free(features->order);
    free(features);
}

void px_features_hold(PxFeatures *features)
{
    if (features != NULL)
        ++features->holders;
}
