#include "solid/fracture/tear.h"

#include <math.h>

/* Stress that tears bonds, in strengths and in Young's moduli; both must be exceeded. Brittle
 * matter has a strength of 1/100 of its modulus and less; gum, whose strength is near its modulus,
 * is torn by fronts alone. */
#define STRENGTHS 10.0
#define MODULI 1.0
/* Bonds stretched by less stay: where all of them are short, the fit is wrong, not the matter. */
#define LEAST_STRETCH 1.25

static double stretch_of(const PxFractureField *f, uint32_t i, uint32_t j)
{
    double rest = px_length(px_sub(f->rest[j], f->rest[i]));
    double now = px_length(px_sub(px_solid_place(f->solid, j), px_solid_place(f->solid, i)));
    return rest > 0 ? now / rest : 1;
}

static void cut(const PxBonds *b, float *strength, uint32_t i, uint32_t e)
{
    uint32_t j = b->other[e];
    strength[e] = 0.0f;
    for (uint32_t back = b->start[j]; back < b->start[j + 1]; ++back)
        if (b->other[back] == i)
            strength[back] = 0.0f;
}

void px_fracture_tear(const PxFractureField *f, const PxBonds *b, float *strength,
                      uint64_t *changed)
{
    const PxSolid *s = f->solid;
    for (uint32_t i = 0; i < b->count; ++i) {
        double young = s->material[s->particles->material[i]].def.young, most = LEAST_STRETCH;
        double limit = fmax(STRENGTHS * (double)f->strength[i], MODULI * young);
        if (!(f->strength[i] > 0.0f) || !((double)f->largest[i] > limit))
            continue;
        for (uint32_t e = b->start[i]; e < b->start[i + 1]; ++e)
            if (strength[e] > 0.0f)
                most = fmax(most, stretch_of(f, i, b->other[e]));
        for (uint32_t e = b->start[i]; e < b->start[i + 1]; ++e)
            if (strength[e] > 0.0f && most > LEAST_STRETCH &&
                stretch_of(f, i, b->other[e]) > 0.5 * (1 + most)) {
                cut(b, strength, i, e);
                ++*changed;
            }
    }
}
