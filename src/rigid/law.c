#include "rigid/law.h"

#include "base/family.h"
#include "phyxel/world.h"

#include <math.h>
#include <string.h>

/* A new law is a file of its own and a line here. */
extern const PxContactLaw px_contact_dem;

static const PxContactLaw impulses = {
    .info = {.name = "impulses",
             .summary = "constraints solved by impulses: hard contacts, friction that sticks"}};

static const PxContactLaw *const laws[] = {&impulses, &px_contact_dem};
static const PxModelInfo *const models[] = {&impulses.info, &px_contact_dem.info};

const PxFamily px_contact_law_family = {"rigid_contact", models, models, PX_COUNT(models)};

/* Overlap at which the constraint takes over, over the smaller thickness: of balls and capsules,
 * and of bodies with edges, whose corners must stay nearest to the face that they overlap
 * (features.c). */
#define DEEPEST 0.2
#define DEEPEST_EDGES 0.015

PxModelChoice px_rigid_contact_choice(const char *model)
{
    return px_family_choice(&px_contact_law_family, model);
}

PxContactOwn px_contact_law(const PxModelChoice *choice)
{
    PxContactOwn out = {.law = laws[0]};
    for (size_t k = 0; k < PX_COUNT(laws); ++k)
        if (strcmp(laws[k]->info.name, choice->model) == 0)
            out.law = laws[k];
    memcpy(out.param, choice->param, sizeof out.param);
    return out;
}

PxContactPair px_contact_pair(const PxContactOwn *own, double thickness, const PxContactOwn *other,
                              double other_thickness, bool round)
{
    double radius[2] = {0.5 * thickness, other != NULL ? 0.5 * other_thickness : INFINITY};
    const PxContactOwn *side[2] = {own, other};
    int first = own->law->force != NULL ? 0 : 1;
    const PxContactOwn *second = side[1 - first];
    bool same = second != NULL && second->law == side[first]->law;
    PxContactPair out = {.law = side[first]->law,
                         .deepest =
                             (round ? DEEPEST : DEEPEST_EDGES) * fmin(thickness, other_thickness)};
    out.law->pair(side[first]->param, same ? second->param : NULL, radius[first], radius[1 - first],
                  &out);
    return out;
}
