/* A plain weave, seen from the front:
 *
 *    | warp |      |
 *  --+      +------+--   In every cell the warp (along v) or the weft (along u) is on top, in turn.
 *    |      | weft |     A thread is round across and bends down to the next cell along.
 *  --+------+      +--
 *    |      |      |
 */
#include "render/trace/fabric.h"

#include "render/trace/draw.h"
#include "render/trace/sampler.h"
#include "shape/texture.h"

#define ACROSS 0.75f  /* tilt of the normal at the side of a thread */
#define ALONG 0.45f   /* ... and at its ends */
#define UNEVEN 0.16f  /* difference of brightness between threads */
#define HOLLOW 0.45f  /* darkening between threads */
#define FARTHEST 1e6f /* threads from the origin, beyond which floats do not count them */

/* Directions in which u and v grow on the triangle; false if its texture has no area. */
static bool tangents(const PxThing *t, const uint32_t c[3], PxV3 *along_u, PxV3 *along_v)
{
    PxV3 e = px_v3_sub(t->position[c[1]], t->position[c[0]]);
    PxV3 f = px_v3_sub(t->position[c[2]], t->position[c[0]]);
    float eu = t->uv[c[1]][0] - t->uv[c[0]][0], ev = t->uv[c[1]][1] - t->uv[c[0]][1];
    float fu = t->uv[c[2]][0] - t->uv[c[0]][0], fv = t->uv[c[2]][1] - t->uv[c[0]][1];
    float det = eu * fv - ev * fu;
    if (!(fabsf(det) > 1e-20f))
        return false;
    float sign = det > 0 ? 1 : -1;
    *along_u = px_v3_unit(px_v3_scale(px_v3_mad(px_v3_scale(e, fv), f, -ev), sign));
    *along_v = px_v3_unit(px_v3_scale(px_v3_mad(px_v3_scale(f, eu), e, -fu), sign));
    return true;
}

static float brightness(int thread, uint32_t kind)
{
    uint32_t hash = px_hash32((uint32_t)thread * 2654435761u + kind);
    return 1 - UNEVEN * px_unit32(hash);
}

static void weave(const PxFabric *fabric, const float uv[2], PxV3 along_u, PxV3 along_v, PxV3 warp,
                  PxV3 weft, PxHit *hit)
{
    float a = uv[0] / fabric->thread, b = uv[1] / fabric->thread;
    if (!(fabsf(a) < FARTHEST) || !(fabsf(b) < FARTHEST))
        return;
    int i = (int)floorf(a), j = (int)floorf(b);
    bool is_warp = ((i + j) & 1) == 0;
    float x = 2 * (a - (float)i) - 1, y = 2 * (b - (float)j) - 1;
    float across = is_warp ? x : y, ends = is_warp ? y : x;
    float hollow = 1 - HOLLOW * fmaxf(across * across * across * across, ends * ends * ends * ends);
    hit->colour = px_v3_scale(is_warp ? warp : weft,
                              hollow * (is_warp ? brightness(i, 1) : brightness(j, 2)));
    PxV3 n = px_v3_mad(hit->normal, along_u, is_warp ? ACROSS * x : ALONG * x);
    n = px_v3_unit(px_v3_mad(n, along_v, is_warp ? ALONG * y : ACROSS * y));
    if (px_v3_dot(n, hit->geometric) > 0)
        hit->normal = n;
}

void px_fabric_shade(const PxFabric *fabric, const PxThing *thing, uint32_t prim, float u, float v,
                     PxV3 direction, PxHit *hit)
{
    const uint32_t *c = thing->triangle[prim];
    float w = 1 - u - v, uv[2];
    PxV3 along_u, along_v, warp = hit->colour, weft = fabric->weft;
    for (int k = 0; k < 2; ++k)
        uv[k] = w * thing->uv[c[0]][k] + u * thing->uv[c[1]][k] + v * thing->uv[c[2]][k];
    if (fabric->texture != NULL) {
        PxVec3 own = px_texture_at(fabric->texture, (PxUv){(double)(uv[0] / fabric->repeat),
                                                           (double)(uv[1] / fabric->repeat)});
        warp = weft = px_v3(px_srgb_decode((float)own.x), px_srgb_decode((float)own.y),
                            px_srgb_decode((float)own.z));
    }
    if (fabric->backed && px_v3_dot(direction, hit->geometric) > 0)
        warp = weft = fabric->back;
    hit->colour = warp;
    if (fabric->thread > 0 && tangents(thing, c, &along_u, &along_v))
        weave(fabric, uv, along_u, along_v, warp, weft, hit);
}
