/// Gas inside closed cloth.
///
/// Gas that was put in at the starting volume V_0 with the excess pressure p_0 has p_0 V_0 / V at
/// the volume V, at constant temperature and without pressure outside. A triangle of area S and
/// normal n is pushed by p S n.
#include "cloth/cloth.h"

double px_cloth_volume(const PxClothFace *face, uint32_t faces, const PxVec3 *x)
{
    double sum = 0;
    PxVec3 from = x[face[0].corner[0]]; /* near, so that little is lost to rounding */
    for (uint32_t t = 0; t < faces; ++t) {
        const uint32_t *c = face[t].corner;
        PxVec3 a = px_sub(x[c[0]], from), b = px_sub(x[c[1]], from), d = px_sub(x[c[2]], from);
        sum += px_dot(a, px_cross(b, d));
    }
    return sum / 6;
}

void px_cloth_inflate(PxClothStep *s)
{
    const PxClothSystem *y = s->system;
    for (uint32_t first = 0, end; first < y->faces; first = end) {
        uint32_t cloth = y->of_face[first];
        for (end = first; end < y->faces && y->of_face[end] == cloth; ++end)
            ;
        double start = y->volume[cloth], pressure = s->law[cloth].pressure;
        if (!(pressure > 0) || !(start * start > 0))
            continue;
        double volume = px_cloth_volume(y->face + first, end - first, s->x);
        if (!(volume / start > 1e-3)) /* it is flat or inside out: there is no room for gas */
            volume = 1e-3 * start;
        double p = pressure * start / volume, out = start > 0 ? p / 6 : -p / 6;
        for (uint32_t t = first; t < end; ++t) {
            const uint32_t *c = y->face[t].corner;
            PxVec3 n = px_cross(px_sub(s->x[c[1]], s->x[c[0]]), px_sub(s->x[c[2]], s->x[c[0]]));
            for (int k = 0; k < 3; ++k)
                s->push[c[k]] = px_mad(s->push[c[k]], n, out);
        }
    }
}
