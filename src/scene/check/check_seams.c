/// Foresees seams that sew nothing, borders that are far apart, and sides of different lengths.
#include "scene/check/survey.h"

#include "base/words.h"
#include "cloth/seam.h"

#include <math.h>
#include <stdio.h>

/* Sides whose lengths differ by more pucker visibly. */
#define UNEQUAL 0.05
/* Gaps of more than this part of the seam's length, and faster closing than this, m/s, are likely
 * mistakes. */
#define FAR 0.5
#define FAST 5.0

static void complain(PxScene *scene, size_t index, const char *key, PxSeverity severity,
                     const char *text)
{
    PxPath root = px_path_root(), seams = px_path_key(&root, "seams");
    PxPath own = px_path_index(&seams, index), at = px_path_key(&own, key);
    px_complain(scene, severity, key[0] != '\0' ? &at : &own, PX_AT_VALUE, "%s", text);
}

static void judge(PxScene *scene, size_t index, const PxSeamDef *def, const PxClothSeam *seam,
                  const char *const name[2])
{
    char text[500];
    double longer = fmax(seam->length[0], seam->length[1]);
    double shorter = fmin(seam->length[0], seam->length[1]);
    if (longer > (1 + UNEQUAL) * shorter) {
        snprintf(text, sizeof text,
                 "sews %.3g m of the border of '%s' to %.3g m of '%s': the longer side is %.0f %% "
                 "longer and will pucker; wanted less than %.0f %%, or a \"shape\" or \"within\" "
                 "that takes less of it",
                 seam->length[0], name[0], seam->length[1], name[1], 100 * (longer / shorter - 1),
                 100 * UNEQUAL);
        complain(scene, index, "", PX_WARNING, text);
    }
    if (seam->gap > FAR * longer && name[0] != name[1]) { /* a sleeve is wider than long */
        snprintf(text, sizeof text,
                 "sews borders that are up to %.3g m apart, at (%.3g, %.3g, %.3g) m, and %.3g m "
                 "long; wanted them nearer to each other",
                 seam->gap, seam->gap_at.x, seam->gap_at.y, seam->gap_at.z, longer);
        complain(scene, index, "", PX_WARNING, text);
    }
    /* the smooth motion is 1.5 times as fast as its mean */
    if (!(1.5 * seam->gap <= FAST * def->time) && seam->gap > 1e-3) {
        snprintf(text, sizeof text,
                 "is %.3g s, in which borders %.3g m apart are drawn together%s; wanted at least "
                 "%.2g s",
                 def->time, seam->gap, def->time > 0 ? " faster than 5 m/s" : " at once",
                 1.5 * seam->gap / FAST);
        complain(scene, index, "time", PX_WARNING, text);
    }
    for (int k = 0; k < 2; ++k)
        if (seam->left[k] > 0) {
            snprintf(text, sizeof text,
                     "leaves %u stretches of the border of '%s' that it takes without a partner; "
                     "wanted as many on both sides",
                     seam->left[k], name[k]);
            complain(scene, index, "", PX_WARNING, text);
        }
}

static PxStatus check_seam(PxScene *scene, const PxSurvey *survey, size_t index)
{
    PxSceneThing *thing = px_scene_thing(px_scene_list(scene, &px_seam_kind), &px_seam_kind, index);
    const PxSeamDef *def = px_thing_def(thing);
    size_t from = thing->refers[0], to = thing->refers[1] != SIZE_MAX ? thing->refers[1] : from;
    if (from == SIZE_MAX || survey->sheet[from] == NULL || survey->sheet[to] == NULL ||
        (def->part ? !thing->shape_known : from == to))
        return PX_OK; /* the reader has complained */
    char quoted[2][120];
    const char *name[2];
    name[0] = px_quote(scene->body[from].def.name, quoted[0], sizeof quoted[0]);
    name[1] =
        from == to ? name[0] : px_quote(scene->body[to].def.name, quoted[1], sizeof quoted[1]);
    PxClothSeamWish wish = {.sheet = {survey->sheet[from], survey->sheet[to]},
                            .x = {survey->sheet[from]->start, survey->sheet[to]->start},
                            .name = {name[0], name[1]},
                            .within = def->within};
    PxShape *region = NULL;
    PxClothSeam seam = {0};
    PxStatus status = PX_OK;
    if (def->part) {
        PxShapeDef shape = px_scene_shape(scene, &def->shape, &thing->turn);
        status = px_shape_create(&shape, &region);
    }
    wish.region = region;
    if (status == PX_OK)
        status = px_cloth_seam_make(&wish, &seam);
    px_shape_free(region);
    if (status == PX_OK)
        judge(scene, index, def, &seam, name);
    else if (status != PX_ERR_MEMORY)
        complain(scene, index, "", PX_ERROR, px_error_message());
    px_cloth_seam_free(&seam);
    return status == PX_ERR_MEMORY ? status : PX_OK;
}

PxStatus px_survey_check_seams(PxScene *scene, const PxSurvey *survey)
{
    for (size_t k = 0; k < px_scene_list(scene, &px_seam_kind)->count; ++k)
        PX_TRY(check_seam(scene, survey, k));
    return PX_OK;
}
