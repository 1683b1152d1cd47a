#include "render/trace/rays.h"

#ifndef PX_HAVE_EMBREE

PxStatus px_rays_create(const PxScenery *scenery, PxRays **out)
{
    (void)scenery;
    *out = NULL;
    return px_fail(PX_ERR_UNSUPPORTED,
                   "render: this phyxel was built without Embree, which finds what rays meet; "
                   "install Embree 3 (Debian: apt-get install libembree-dev) and build again");
}

void px_rays_free(PxRays *rays)
{
    (void)rays;
}

bool px_rays_intersect(const PxRays *rays, const PxRay *ray, PxHit *hit)
{
    (void)rays, (void)ray, (void)hit;
    return false;
}

PxV3 px_rays_transmittance(const PxRays *rays, const PxRay *ray)
{
    (void)rays, (void)ray;
    return px_v3_all(1);
}
PxV3 px_rays_open(const PxRays *rays, const PxRay *ray)
{
    (void)rays, (void)ray;
    return px_v3_all(1);
}

size_t px_rays_crossings(const PxRays *rays, const PxRay *ray, PxCrossing *out, size_t most)
{
    (void)rays, (void)ray, (void)out, (void)most;
    return 0;
}

#else

#include "render/trace/disc_edges.h"
#include "render/trace/fabric.h"
#include "render/trace/optics.h"

#include <embree3/rtcore.h>
#include <string.h>

struct PxRays {
    const PxScenery *scenery;
    RTCDevice device;
    RTCScene scene;
    PxDiscEdges **edges; /* by thing; NULL without discs */
    bool any_discs;
};

typedef struct Found {
    float t;
    PxV3 normal;
    uint32_t thing, prim;
} Found;

/* Query data passed through Embree to the filter functions. */
typedef struct Query {
    struct RTCIntersectContext context; /* must be first: Embree passes its address */
    const PxScenery *scenery;
    PxDiscEdges *const *edges;
    PxV3 pass; /* transmittance so far */
    float depth[PX_MOST_MEDIA];
    uint32_t media; /* bits of looks with a depth; for px_rays_intersect(): media of the ray */
    Found *found;   /* collected hits */
    size_t count, most, lost;
} Query;

static Query query_make(const PxRays *rays)
{
    Query q;
    rtcInitIntersectContext(&q.context);
    q.scenery = rays->scenery;
    q.edges = rays->edges;
    q.count = q.most = q.lost = 0;
    return q;
}

/* ---- filters ----
 *
 * Rays are traced one at a time. For a single ray the data that Embree passes has the layout of
 * struct RTCRay and struct RTCHit. */

/* Is the hit on a part of a disc that an edge clips? */
static bool beyond_edge(const Query *q, const struct RTCRay *ray, const struct RTCHit *hit)
{
    const PxThing *t = &q->scenery->things.data[hit->geomID];
    const PxDiscEdges *edges = q->edges[hit->geomID];
    uint32_t k = hit->primID;
    if (edges == NULL || edges[k].by[0] == PX_NO_EDGE)
        return false;
    PxV3 at = px_v3_mad(px_v3(ray->org_x, ray->org_y, ray->org_z),
                        px_v3(ray->dir_x, ray->dir_y, ray->dir_z), ray->tfar);
    if (t->velocity != NULL)
        at = px_v3_mad(at, t->velocity[k], (0.5f - ray->time) * q->scenery->shutter);
    return px_disc_edges_beyond(t, edges, k, at);
}

/* Collects the hit and lets the ray continue. */
static void collect_filter(const struct RTCFilterFunctionNArguments *args)
{
    Query *q = (Query *)args->context;
    if (args->valid[0] == 0)
        return;
    const struct RTCRay *ray = (const struct RTCRay *)args->ray;
    const struct RTCHit *hit = (const struct RTCHit *)args->hit;
    args->valid[0] = 0;
    if (beyond_edge(q, ray, hit))
        return;
    if (q->count < q->most)
        q->found[q->count++] = (Found){.t = ray->tfar,
                                       .normal = px_v3(hit->Ng_x, hit->Ng_y, hit->Ng_z),
                                       .thing = hit->geomID,
                                       .prim = hit->primID};
    else
        ++q->lost;
}

/* Shadow ray through a clear surface: reflection losses multiply, and the length inside is the
 * sum of exit minus entry distances, in whatever order hits are found. */
static void clear_filter(const struct RTCFilterFunctionNArguments *args)
{
    Query *q = (Query *)args->context;
    if (args->valid[0] == 0)
        return;
    const struct RTCRay *ray = (const struct RTCRay *)args->ray;
    const struct RTCHit *hit = (const struct RTCHit *)args->hit;
    const PxThing *thing = &q->scenery->things.data[hit->geomID];
    const PxLook *look = &q->scenery->looks.data[thing->look];
    args->valid[0] = 0;
    if (thing->kind == PX_THING_DISCS)
        return; /* overlapping discs are one interface */
    PxV3 n = px_v3_unit(px_v3(hit->Ng_x, hit->Ng_y, hit->Ng_z));
    PxV3 d = px_v3(ray->dir_x, ray->dir_y, ray->dir_z);
    float along = px_v3_dot(d, n), lost = px_fresnel(fabsf(along), 1 / look->ior, NULL);
    if (look->kind == PX_LOOK_PANE)
        lost = 2 * lost / (1 + lost);
    else if (thing->look < PX_MOST_MEDIA) {
        if (!(q->media >> thing->look & 1)) {
            q->media |= 1u << thing->look;
            q->depth[thing->look] = 0;
        }
        q->depth[thing->look] += along > 0 ? ray->tfar : -ray->tfar;
    }
    q->pass = px_v3_scale(q->pass, 1 - lost);
}

/* Opaque discs occlude, except for their clipped parts. */
static void edge_filter(const struct RTCFilterFunctionNArguments *args)
{
    if (args->valid[0] != 0 &&
        beyond_edge((const Query *)args->context, (const struct RTCRay *)args->ray,
                    (const struct RTCHit *)args->hit))
        args->valid[0] = 0;
}

/* Of clear discs a ray hits only those that lead out of its current medium; of opaque ones only
 * those that face it, since others are rims that stick out over an edge. */
static void interface_filter(const struct RTCFilterFunctionNArguments *args)
{
    const Query *q = (const Query *)args->context;
    if (args->valid[0] == 0)
        return;
    const struct RTCRay *ray = (const struct RTCRay *)args->ray;
    const struct RTCHit *hit = (const struct RTCHit *)args->hit;
    const PxThing *thing = &q->scenery->things.data[hit->geomID];
    bool clear = q->scenery->looks.data[thing->look].kind == PX_LOOK_CLEAR;
    if (thing->kind != PX_THING_DISCS || (clear && thing->look >= PX_MOST_MEDIA))
        return;
    bool leaves = px_v3_dot(px_v3(ray->dir_x, ray->dir_y, ray->dir_z),
                            px_v3(hit->Ng_x, hit->Ng_y, hit->Ng_z)) >= 0;
    if (leaves != (clear && (q->media >> thing->look & 1)) || beyond_edge(q, ray, hit))
        args->valid[0] = 0;
}

/* ---- bounds of what Embree is given ----
 *
 * Embree's assertions end the process, so nothing reaches it unchecked. */

/* Largest coordinate of a thing, m: its fourth power, which normals of triangles have before they
 * are normalised, is a finite float. */
#define FARTHEST 4e9f

/* Embree refuses rays with coordinates from 2^60.7 on; ours end far before. */
#define RAY_FARTHEST 1e18f

static bool is_within(PxV3 a, float most)
{
    return fabsf(a.x) <= most && fabsf(a.y) <= most && fabsf(a.z) <= most; /* false for NaN */
}

static bool is_usable(const PxRay *ray)
{
    return is_within(ray->from, RAY_FARTHEST) && is_within(ray->direction, 2) &&
           isfinite(ray->least) && !isnan(ray->most);
}

/* ---- acceleration structure ---- */

/* Position at the start (side -1), middle (0) or end (1) of the exposure. */
static PxV3 moved(const PxScenery *scenery, const PxThing *t, uint32_t k, int side)
{
    if (t->velocity == NULL || side == 0)
        return t->position[k];
    return px_v3_mad(t->position[k], t->velocity[k], 0.5f * (float)side * scenery->shutter);
}

/* Checks all that rays read of a point. */
static const char *wrong_with(const PxScenery *scenery, const PxThing *t, uint32_t k)
{
    if (!is_within(moved(scenery, t, k, -1), FARTHEST) ||
        !is_within(moved(scenery, t, k, 1), FARTHEST) || !is_within(t->position[k], FARTHEST))
        return "place";
    if (t->normal != NULL && !is_within(t->normal[k], 2))
        return "normal";
    if (t->radius != NULL && !(t->radius[k] > 0 && t->radius[k] <= FARTHEST))
        return "radius";
    if (t->colour != NULL && !is_within(t->colour[k], FARTHEST))
        return "colour";
    if (t->temperature != NULL && !(fabsf(t->temperature[k]) <= FARTHEST))
        return "temperature";
    if (t->wetness != NULL && !(t->wetness[k] >= 0 && t->wetness[k] <= 1))
        return "wetness";
    if (t->tint != NULL && !is_within(t->tint[k], 2))
        return "tint";
    return NULL;
}

static PxStatus check_things(const PxScenery *scenery)
{
    static const char *const names[] = {"vertex", "ball", "disc"};
    for (size_t n = 0; n < scenery->things.count; ++n) {
        const PxThing *t = &scenery->things.data[n];
        for (uint32_t k = 0; k < t->points; ++k) {
            const char *wrong = wrong_with(scenery, t, k);
            if (wrong != NULL)
                return px_fail(PX_ERR_FORMAT,
                               "render: the %s of %s %u at %g, %g, %g m cannot be drawn: it is not "
                               "finite or too large",
                               wrong, names[t->kind], k, (double)t->position[k].x,
                               (double)t->position[k].y, (double)t->position[k].z);
        }
    }
    return PX_OK;
}

static bool is_clear(const PxLook *look)
{
    return look->kind == PX_LOOK_CLEAR || look->kind == PX_LOOK_PANE;
}

static bool attach(PxRays *rays, const PxThing *t, uint32_t index)
{
    static const enum RTCGeometryType types[] = {RTC_GEOMETRY_TYPE_TRIANGLE,
                                                 RTC_GEOMETRY_TYPE_SPHERE_POINT,
                                                 RTC_GEOMETRY_TYPE_ORIENTED_DISC_POINT};
    const PxScenery *scenery = rays->scenery;
    const PxLook *look = &scenery->looks.data[t->look];
    RTCGeometry g = rtcNewGeometry(rays->device, types[t->kind]);
    if (g == NULL)
        return false;
    bool mesh = t->kind == PX_THING_MESH, moves = t->velocity != NULL && scenery->shutter > 0;
    bool good = true;
    rtcSetGeometryTimeStepCount(g, moves ? 2 : 1);
    for (unsigned step = 0; step < (moves ? 2u : 1u); ++step) {
        int side = !moves ? 0 : step == 0 ? -1 : 1;
        enum RTCFormat format = mesh ? RTC_FORMAT_FLOAT3 : RTC_FORMAT_FLOAT4;
        size_t stride = mesh ? 12 : 16;
        float *to =
            rtcSetNewGeometryBuffer(g, RTC_BUFFER_TYPE_VERTEX, step, format, stride, t->points);
        float *normal = t->kind != PX_THING_DISCS
                            ? NULL
                            : rtcSetNewGeometryBuffer(g, RTC_BUFFER_TYPE_NORMAL, step,
                                                      RTC_FORMAT_FLOAT3, 12, t->points);
        good = good && to != NULL && (t->kind != PX_THING_DISCS || normal != NULL);
        for (uint32_t k = 0; good && k < t->points; ++k) {
            PxV3 p = moved(scenery, t, k, side);
            memcpy(to, &p, 12);
            to += 3;
            if (!mesh)
                *to++ = t->radius[k] * px_disc_edges_scale(rays->edges[index], k);
            if (normal != NULL)
                memcpy(normal + (size_t)3 * k, &t->normal[k], 12);
        }
    }
    if (mesh) {
        void *to = rtcSetNewGeometryBuffer(g, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 12,
                                           t->triangles);
        good = good && to != NULL;
        if (good)
            memcpy(to, t->triangle, (size_t)12 * t->triangles);
    }
    bool discs = t->kind == PX_THING_DISCS;
    rtcSetGeometryOccludedFilterFunction(g, is_clear(look) ? clear_filter
                                            : discs        ? edge_filter
                                                           : NULL);
    rtcCommitGeometry(g);
    rtcAttachGeometryByID(rays->scene, g, index);
    rtcReleaseGeometry(g);
    rays->any_discs = rays->any_discs || discs;
    return good;
}

static PxStatus find_edges(PxRays *rays)
{
    const PxThing *t = rays->scenery->things.data;
    size_t things = rays->scenery->things.count, bytes = (things + 1) * sizeof(PxDiscEdges *);
    rays->edges = px_allocate(NULL, bytes);
    if (rays->edges == NULL)
        return px_fail(PX_ERR_MEMORY, "render: no room for the edges of %zu things", things);
    memset(rays->edges, 0, bytes);
    for (size_t k = 0; k < things; ++k)
        if (t[k].kind == PX_THING_DISCS && t[k].points > 0)
            PX_TRY(px_disc_edges_find(&t[k], &rays->edges[k]));
    return PX_OK;
}

PxStatus px_rays_create(const PxScenery *scenery, PxRays **out)
{
    *out = NULL;
    PX_TRY(check_things(scenery));
    PxRays *rays = px_allocate(NULL, sizeof *rays);
    if (rays == NULL)
        return px_fail(PX_ERR_MEMORY, "render: no room to begin");
    *rays = (PxRays){.scenery = scenery};
    PxStatus status = find_edges(rays);
    if (status != PX_OK) {
        px_rays_free(rays);
        return status;
    }
    rays->device = rtcNewDevice("threads=1,set_affinity=0");
    if (rays->device == NULL) {
        px_rays_free(rays);
        return px_fail(PX_ERR_UNSUPPORTED,
                       "render: Embree does not start on this machine (its "
                       "error %d)",
                       (int)rtcGetDeviceError(NULL));
    }
    rays->scene = rtcNewScene(rays->device);
    bool good = rays->scene != NULL;
    if (good)
        rtcSetSceneFlags(rays->scene,
                         RTC_SCENE_FLAG_ROBUST | RTC_SCENE_FLAG_CONTEXT_FILTER_FUNCTION);
    for (size_t k = 0; good && k < scenery->things.count; ++k) {
        const PxThing *t = &scenery->things.data[k];
        if (t->points > 0 && (t->kind != PX_THING_MESH || t->triangles > 0))
            good = attach(rays, t, (uint32_t)k);
    }
    if (good)
        rtcCommitScene(rays->scene);
    enum RTCError error = rtcGetDeviceError(rays->device);
    if (good && error == RTC_ERROR_NONE) {
        *out = rays;
        return PX_OK;
    }
    px_rays_free(rays);
    if (!good || error == RTC_ERROR_OUT_OF_MEMORY)
        return px_fail(PX_ERR_MEMORY, "render: no room for the tree that rays are traced in");
    return px_fail(PX_ERR_UNSUPPORTED, "render: Embree cannot use what was made (its error %d)",
                   (int)error);
}

void px_rays_free(PxRays *rays)
{
    if (rays == NULL)
        return;
    if (rays->scene != NULL)
        rtcReleaseScene(rays->scene);
    if (rays->device != NULL)
        rtcReleaseDevice(rays->device);
    size_t things = rays->scenery->things.count;
    for (size_t k = 0; rays->edges != NULL && k < things; ++k)
        px_release(NULL, rays->edges[k],
                   rays->scenery->things.data[k].points * sizeof(PxDiscEdges));
    px_release(NULL, rays->edges, (things + 1) * sizeof *rays->edges);
    px_release(NULL, rays, sizeof *rays);
}

/* ---- queries ---- */

static struct RTCRay ray_make(const PxRay *ray)
{
    return (struct RTCRay){.org_x = ray->from.x,
                           .org_y = ray->from.y,
                           .org_z = ray->from.z,
                           .tnear = ray->least,
                           .dir_x = ray->direction.x,
                           .dir_y = ray->direction.y,
                           .dir_z = ray->direction.z,
                           .time = ray->time,
                           .tfar = ray->most,
                           .mask = 0xffffffffu};
}

enum { BLENDED = 32 };

/* Blends overlapping discs to a smooth surface: the mean of the discs within a radius behind the
 * first hit that face the same way, with weights that fall to 0 at the rim. */
static void blend_discs(const PxRays *rays, const PxRay *ray, const PxThing *t, uint32_t first,
                        PxHit *hit)
{
    Query q = query_make(rays);
    Found found[BLENDED];
    q.context.filter = collect_filter;
    q.found = found;
    q.most = BLENDED;
    PxRay near = *ray;
    near.least = fmaxf(ray->least, 0.999f * hit->t);
    near.most = hit->t + t->radius[first];
    struct RTCRayHit all = {.ray = ray_make(&near)};
    all.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    rtcIntersect1(rays->scene, &q.context, &all);
    float weights = 0, depth = 0, temperature = 0;
    PxV3 normal = px_v3_all(0), colour = px_v3_all(0);
    for (size_t k = 0; k < q.count; ++k) {
        uint32_t p = found[k].prim;
        if (found[k].thing != hit->thing || px_v3_dot(t->normal[p], t->normal[first]) <= 0)
            continue;
        PxV3 at = px_v3_mad(ray->from, ray->direction, found[k].t);
        PxV3 off = px_v3_sub(at, moved(rays->scenery, t, p, 0));
        float part = px_v3_dot(off, off) / (t->radius[p] * t->radius[p]);
        float w = part < 1 ? (1 - part) * (1 - part) + 1e-6f : 1e-6f;
        weights += w;
        depth += w * found[k].t;
        normal = px_v3_mad(normal, t->normal[p], w);
        colour = px_v3_mad(colour, t->colour != NULL ? t->colour[p] : hit->colour, w);
        temperature += w * (t->temperature != NULL ? t->temperature[p] : 0);
    }
    const bool clear = rays->scenery->looks.data[t->look].kind == PX_LOOK_CLEAR;
    hit->skip = clear ? 0 : t->radius[first];
    if (!(weights > 0))
        return;
    hit->t = depth / weights;
    normal = px_v3_unit(normal);
    /* At silhouettes the blended normal may face away from the viewer; turn it back. (For exits
     * from a clear medium the other way round.) */
    float along = px_v3_dot(normal, ray->direction);
    bool leaves = clear && px_v3_dot(t->normal[first], ray->direction) >= 0;
    float wrong = leaves ? fminf(along - 0.02f, 0) : fmaxf(along + 0.02f, 0);
    if (wrong != 0)
        normal = px_v3_unit(px_v3_mad(normal, ray->direction, -wrong));
    hit->normal = hit->geometric = normal;
    hit->colour = px_v3_scale(colour, 1 / weights);
    hit->temperature = temperature / weights;
}

static void fill_mesh(const PxThing *t, uint32_t prim, float u, float v, PxHit *hit)
{
    const uint32_t *corner = t->triangle[prim];
    float w = 1 - u - v;
    if (t->normal != NULL) {
        PxV3 n = px_v3_scale(t->normal[corner[0]], w);
        n = px_v3_mad(px_v3_mad(n, t->normal[corner[1]], u), t->normal[corner[2]], v);
        n = px_v3_unit(n);
        if (px_v3_dot(n, hit->geometric) > 0)
            hit->normal = n;
    }
    if (t->colour != NULL) {
        PxV3 c = px_v3_scale(t->colour[corner[0]], w);
        hit->colour = px_v3_mad(px_v3_mad(c, t->colour[corner[1]], u), t->colour[corner[2]], v);
    }
    if (t->temperature != NULL)
        hit->temperature = w * t->temperature[corner[0]] + u * t->temperature[corner[1]] +
                           v * t->temperature[corner[2]];
    if (t->wetness != NULL)
        hit->wetness =
            w * t->wetness[corner[0]] + u * t->wetness[corner[1]] + v * t->wetness[corner[2]];
}

/* The albedo of cloth, each time light meets it with the liquid in its pores. */
static PxV3 tinted(const PxThing *t, uint32_t triangle, float u, float v, PxV3 colour)
{
    if (t->tint == NULL)
        return colour;
    const uint32_t *corner = t->triangle[triangle];
    PxV3 c = px_v3_scale(t->tint[corner[0]], 1 - u - v);
    return px_v3_mul(colour, px_v3_mad(px_v3_mad(c, t->tint[corner[1]], u), t->tint[corner[2]], v));
}

bool px_rays_intersect(const PxRays *rays, const PxRay *ray, PxHit *hit)
{
    if (!is_usable(ray))
        return false;
    Query q = query_make(rays);
    if (rays->any_discs) {
        q.context.filter = interface_filter;
        q.media = ray->media;
    }
    struct RTCRayHit r = {.ray = ray_make(ray)};
    r.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    rtcIntersect1(rays->scene, &q.context, &r);
    if (r.hit.geomID == RTC_INVALID_GEOMETRY_ID)
        return false;
    const PxThing *t = &rays->scenery->things.data[r.hit.geomID];
    *hit = (PxHit){.t = r.ray.tfar,
                   .thing = r.hit.geomID,
                   .geometric = px_v3_unit(px_v3(r.hit.Ng_x, r.hit.Ng_y, r.hit.Ng_z)),
                   .colour = rays->scenery->looks.data[t->look].colour};
    hit->normal = hit->geometric;
    if (t->kind == PX_THING_MESH) {
        const PxFabric *fabric = &rays->scenery->looks.data[t->look].fabric;
        fill_mesh(t, r.hit.primID, r.hit.u, r.hit.v, hit);
        if (fabric->shown && t->uv != NULL && t->colour == NULL)
            px_fabric_shade(fabric, t, r.hit.primID, r.hit.u, r.hit.v, ray->direction, hit);
        if (hit->wetness > 0)
            hit->colour =
                px_colour_wet(tinted(t, r.hit.primID, r.hit.u, r.hit.v, hit->colour), hit->wetness);
    } else if (t->kind == PX_THING_DISCS) {
        blend_discs(rays, ray, t, r.hit.primID, hit);
    } else {
        if (t->colour != NULL)
            hit->colour = t->colour[r.hit.primID];
        if (t->temperature != NULL)
            hit->temperature = t->temperature[r.hit.primID];
    }
    return true;
}

static PxV3 transmittance(const PxRays *rays, const PxRay *ray, bool open)
{
    if (!is_usable(ray))
        return px_v3_all(0);
    Query q = query_make(rays);
    q.pass = px_v3_all(1);
    q.media = 0;
    struct RTCRay r = ray_make(ray);
    rtcOccluded1(rays->scene, &q.context, &r);
    if (r.tfar < 0 || (open && q.media != 0)) /* Embree's mark of an occluded ray */
        return px_v3_all(0);
    for (uint32_t k = 0; q.media >> k != 0; ++k)
        if (q.media >> k & 1)
            q.pass = px_v3_mul(q.pass, px_v3_exp(px_v3_scale(rays->scenery->looks.data[k].absorb,
                                                             -fmaxf(0, q.depth[k]))));
    return q.pass;
}

PxV3 px_rays_transmittance(const PxRays *rays, const PxRay *ray)
{
    return transmittance(rays, ray, false);
}

PxV3 px_rays_open(const PxRays *rays, const PxRay *ray)
{
    return transmittance(rays, ray, true);
}

size_t px_rays_crossings(const PxRays *rays, const PxRay *ray, PxCrossing *out, size_t most)
{
    enum { ROOM = 256 };
    Found found[ROOM];
    PxRay rest = *ray;
    size_t count = 0;
    while (is_usable(&rest)) {
        Query q = query_make(rays);
        q.context.filter = collect_filter;
        q.found = found;
        q.most = ROOM;
        struct RTCRayHit all = {.ray = ray_make(&rest)};
        all.hit.geomID = RTC_INVALID_GEOMETRY_ID;
        rtcIntersect1(rays->scene, &q.context, &all);
        if (q.lost > 0) { /* too many for the buffer: trace the nearer half first */
            float far = isfinite(rest.most) ? rest.most : 0;
            for (size_t k = 0; far == 0 && k < q.count; ++k)
                far = fmaxf(far, found[k].t);
            rest.most = 0.5f * (rest.least + far);
            continue;
        }
        size_t first = count;
        for (size_t k = 0; k < q.count && count < most; ++k) {
            float along = px_v3_dot(found[k].normal, ray->direction);
            float most_along = px_v3_length(found[k].normal) * px_v3_length(ray->direction);
            PxCrossing c = {found[k].t, found[k].thing,
                            along<0, most_along> 0 ? fabsf(along) / most_along : 1};
            size_t place = count++;
            for (; place > first && out[place - 1].t > c.t; --place)
                out[place] = out[place - 1];
            out[place] = c;
        }
        if (rest.most >= ray->most || count == most)
            return count;
        rest.least = nextafterf(rest.most, INFINITY);
        rest.most = ray->most;
    }
    return count;
}

#endif
