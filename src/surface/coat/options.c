#include "surface/coat/options.h"

#include "base/family.h"
#include "phyxel/world.h"

#include <string.h>

enum { SURFEL, ISO, GUIDE, ATTRACT, SMOOTH, REPEL, ROUNDS, NUMBERS };

static const PxField fields[NUMBERS] = {
    {.key = "spacing",
     .kind = PX_FIELD_NUMBER,
     .offset = SURFEL * sizeof(double),
     .unit = "spacings",
     .least = 0.1,
     .most = 1,
     .help = "Distance between neighbouring surfels."},
    {.key = "iso",
     .kind = PX_FIELD_NUMBER,
     .offset = ISO * sizeof(double),
     .unit = "spacings",
     .least = 0.2,
     .most = 0.8,
     .help = "Distance of a flat surface from the centres of the outermost particles."},
    {.key = "guide",
     .kind = PX_FIELD_NUMBER,
     .offset = GUIDE * sizeof(double),
     .unit = "",
     .least = 0,
     .most = 1,
     .help = "Guiding force: moves surfels towards the isosurface of the particles' field."},
    {.key = "attract",
     .kind = PX_FIELD_NUMBER,
     .offset = ATTRACT * sizeof(double),
     .unit = "",
     .least = 0,
     .most = 1,
     .help = "Attracting force: moves surfels towards the particles, for a tighter coat of less "
             "volume."},
    {.key = "smooth",
     .kind = PX_FIELD_NUMBER,
     .offset = SMOOTH * sizeof(double),
     .unit = "",
     .least = 0,
     .most = 1,
     .help = "Smoothing force: removes bumps of single particles."},
    {.key = "repel",
     .kind = PX_FIELD_NUMBER,
     .offset = REPEL * sizeof(double),
     .unit = "",
     .least = 0,
     .most = 1,
     .help = "Repulsion between neighbouring surfels: spreads them evenly."},
    {.key = "rounds",
     .kind = PX_FIELD_COUNT,
     .offset = ROUNDS * sizeof(double),
     .unit = "",
     .least = 1,
     .most = 100,
     .help = "Largest number of iterations of these forces in a frame."},
};
/* The same as px_coat_def_default(); a test compares them. */
static const double defaults[NUMBERS] = {0.5, 0.5, 0.3, 0, 0.6, 0.3, 6};

static const PxModelInfo none = {.name = "none", .summary = "no coat"};
static const PxModelInfo surfels = {"surfels",
                                    "surfels that are advected with the matter, split and merge",
                                    fields, NUMBERS, defaults};
static const PxModelInfo *const models[] = {&none, &surfels};
const PxFamily px_coat_family = {"coat", models, models, PX_COUNT(models)};

PxModelChoice px_coat_choice(const char *model)
{
    return px_family_choice(&px_coat_family, model);
}

bool px_coat_chosen(const PxModelChoice *choice, double spacing, PxCoatDef *out)
{
    if (strcmp(choice->model, surfels.name) != 0)
        return false;
    *out = px_coat_def_default();
    out->spacing = spacing;
    out->surfel = choice->param[SURFEL];
    out->iso = choice->param[ISO];
    out->guide = choice->param[GUIDE];
    out->attract = choice->param[ATTRACT];
    out->smooth = choice->param[SMOOTH];
    out->repel = choice->param[REPEL];
    out->rounds = (uint32_t)choice->param[ROUNDS];
    return true;
}
