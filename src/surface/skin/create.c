/// Skins created from shapes, with the colours of meshes and textures.
#include "surface/skin/skin.h"

#include "shape/refine.h"
#include "shape/shape_inner.h"
#include "shape/tessellate.h"
#include "surface/skin/skin_parts.h"
#include "surface/tangents.h"

#include <stdlib.h>
#include <string.h>

void px_skin_set_point(PxSkin *skin, uint32_t i, PxVec3 at, PxVec3 normal, double radius)
{
    const PxSkinColumns c = px_skin_columns(skin);
    PxVec3 t[2], m = px_sub(at, skin->rest_origin);
    px_tangents(px_normalized(normal, px_vec(0, 1, 0)), t);
    c.rest[0][i] = (float)m.x;
    c.rest[1][i] = (float)m.y;
    c.rest[2][i] = (float)m.z;
    for (int a = 0; a < 2; ++a) {
        c.rest_tangent[3 * a][i] = (float)(radius * t[a].x);
        c.rest_tangent[3 * a + 1][i] = (float)(radius * t[a].y);
        c.rest_tangent[3 * a + 2][i] = (float)(radius * t[a].z);
    }
    c.rest_radius[i] = (float)radius;
}

static void set_colour(PxSkin *skin, uint32_t i, PxVec3 colour, PxUv uv)
{
    const PxSkinColumns c = px_skin_columns(skin);
    c.colour[0][i] = (float)fmin(fmax(colour.x, 0), 1);
    c.colour[1][i] = (float)fmin(fmax(colour.y, 0), 1);
    c.colour[2][i] = (float)fmin(fmax(colour.z, 0), 1);
    c.uv[0][i] = (float)uv.u;
    c.uv[1][i] = (float)uv.v;
}

static PxVec3 centre_of(const PxShape *shape)
{
    PxBounds b = px_shape_bounds(shape);
    return px_scale(px_add(b.low, b.high), 0.5);
}

PxStatus px_skin_check(const PxShape *shape, const PxTexture *texture)
{
    if (px_shape_kind(shape) == PX_SHAPE_PLANE)
        return px_fail(PX_ERR_ARGUMENT, "skin: a plane has no end and no skin");
    if (texture != NULL && (shape->mesh == NULL || shape->mesh->uv == NULL))
        return px_fail(PX_ERR_ARGUMENT,
                       "skin: a texture needs texture coordinates, and %s has none; wanted an OBJ "
                       "file with \"vt\" for every corner, or a PLY file with s and t",
                       shape->mesh == NULL ? px_shape_kind_name(px_shape_kind(shape)) : "the mesh");
    return PX_OK;
}

/* Colours for surfels from the nearest point of the mesh: the texture, else its vertex colours. */
typedef struct Paint {
    const PxShape *shape;
    const PxMesh *mesh; /* in the shape's local frame; NULL for primitives */
    const PxTexture *texture;
    PxSkin *skin;
    const PxPoints *points;
} Paint;

static PxVec3 colour_at(const PxTexture *texture, const PxMesh *mesh, const uint32_t v[3],
                        const double part[3], PxUv *uv)
{
    PxVec3 colour = px_vec(0, 0, 0);
    *uv = (PxUv){0, 0};
    for (int k = 0; k < 3; ++k) {
        if (mesh->uv != NULL) {
            uv->u += part[k] * mesh->uv[v[k]].u;
            uv->v += part[k] * mesh->uv[v[k]].v;
        }
        if (mesh->colour != NULL)
            colour = px_mad(colour, mesh->colour[v[k]], part[k]);
    }
    if (texture != NULL)
        return px_texture_at(texture, *uv);
    return mesh->colour != NULL ? colour : px_vec(1, 1, 1);
}

/* Barycentric coordinates of p in the triangle a b c. */
static void barycentric(PxVec3 p, PxVec3 a, PxVec3 b, PxVec3 c, double part[3])
{
    PxVec3 n = px_cross(px_sub(b, a), px_sub(c, a));
    double whole = px_dot(n, n);
    part[0] = part[1] = part[2] = 1.0 / 3.0;
    if (!(whole > 0))
        return;
    part[1] = px_dot(n, px_cross(px_sub(p, a), px_sub(c, a))) / whole;
    part[2] = px_dot(n, px_cross(px_sub(b, a), px_sub(p, a))) / whole;
    part[0] = 1 - part[1] - part[2];
}

static void paint_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Paint *p = user;
    for (uint32_t i = begin; i < end; ++i) {
        PxMeshSpot spot;
        PxUv uv;
        double part[3];
        PxVec3 own = px_shape_to_own(p->shape, p->points->position[i]);
        if (!px_mesh_tree_closest(p->shape->tree, own, INFINITY, &spot))
            continue;
        const uint32_t *v = p->mesh->triangle[spot.triangle];
        barycentric(spot.point, p->mesh->position[v[0]], p->mesh->position[v[1]],
                    p->mesh->position[v[2]], part);
        PxVec3 colour = colour_at(p->texture, p->mesh, v, part, &uv);
        set_colour(p->skin, i, colour, uv);
    }
}

PxStatus px_skin_create_surfels(const PxShape *shape, uint32_t count, const PxTexture *texture,
                                const PxAllocator *allocator, PxSkin **out)
{
    *out = NULL;
    PX_TRY(px_skin_check(shape, texture));
    if (count < 1 || count > PX_SKIN_MOST)
        return px_fail(PX_ERR_ARGUMENT, "skin: %u surfels, wanted 1 to %u", count, PX_SKIN_MOST);
    /* px_shape_cover_estimate() is proportional to 1 / spacing^2: solve for the spacing. */
    double spacing =
        sqrt(px_shape_cover_estimate(shape, 1e-3 * sqrt(px_shape_area(shape))) / count) * 1e-3 *
        sqrt(px_shape_area(shape));
    PxPoints points = {0};
    PX_TRY(px_shape_cover(shape, spacing, 4 * (size_t)PX_SKIN_MOST, &points));
    PxSkin *skin;
    PxStatus status = px_skin_new(allocator, points.count, &skin);
    if (status == PX_OK) {
        skin->rest_origin = centre_of(shape);
        for (uint32_t i = 0; i < points.count; ++i) {
            px_skin_set_point(skin, i, points.position[i], points.normal[i], spacing);
            set_colour(skin, i, px_vec(1, 1, 1), (PxUv){0, 0});
        }
        if (shape->mesh != NULL && (texture != NULL || shape->mesh->colour != NULL)) {
            Paint paint = {shape, shape->mesh, texture, skin, &points};
            PxThreads threads = {.count = px_threads_available()};
            px_parallel_for(&threads, (uint32_t)points.count, PX_BLOCK, paint_block, &paint);
            skin->painted = true;
        }
        status = px_skin_make_shown(skin);
    }
    px_points_free(&points);
    if (status != PX_OK)
        px_skin_free(skin);
    else
        *out = skin;
    return status;
}

/* The shape's triangles in world coordinates, with normals. */
static PxStatus triangles_of(const PxShape *shape, PxMesh **out)
{
    if (shape->mesh == NULL)
        return px_tessellate(shape, false, out);
    PX_TRY(px_mesh_smooth_normals(shape->mesh, out));
    for (uint32_t v = 0; v < (*out)->vertex_count; ++v) {
        (*out)->position[v] = px_shape_to_world(shape, (*out)->position[v]);
        (*out)->normal[v] = px_rotate(shape->turn, (*out)->normal[v]);
    }
    return PX_OK;
}

double px_skin_points(const PxShape *shape, double longest)
{
    PxMesh *coarse = NULL, *mesh = NULL;
    double count = 0;
    if (triangles_of(shape, &coarse) == PX_OK &&
        px_mesh_refine(coarse, longest, PX_SKIN_MOST, &mesh) == PX_OK)
        count = mesh->vertex_count;
    px_mesh_free(coarse);
    px_mesh_free(mesh);
    return count;
}

PxStatus px_skin_create_mesh(const PxShape *shape, double longest, const PxTexture *texture,
                             const PxAllocator *allocator, PxSkin **out)
{
    *out = NULL;
    PX_TRY(px_skin_check(shape, texture));
    PxMesh *coarse, *mesh = NULL;
    PxSkin *skin = NULL;
    PX_TRY(triangles_of(shape, &coarse));
    PxStatus status = px_mesh_refine(coarse, longest, PX_SKIN_MOST, &mesh);
    px_mesh_free(coarse);
    if (status == PX_OK)
        status = px_skin_new(allocator, mesh->vertex_count, &skin);
    if (status == PX_OK) {
        skin->rest_origin = centre_of(shape);
        skin->painted = texture != NULL || mesh->colour != NULL;
        for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
            const uint32_t v[3] = {i, i, i};
            const double part[3] = {1, 0, 0};
            PxUv uv;
            PxVec3 colour = colour_at(texture, mesh, v, part, &uv);
            px_skin_set_point(skin, i, mesh->position[i], mesh->normal[i], longest);
            set_colour(skin, i, colour, uv);
        }
        skin->triangles = mesh->triangle_count;
        skin->triangle = mesh->triangle; /* moved into the skin */
        mesh->triangle = NULL;
        status = px_skin_make_shown(skin);
    }
    px_mesh_free(mesh);
    if (status != PX_OK)
        px_skin_free(skin);
    else
        *out = skin;
    return status;
}
