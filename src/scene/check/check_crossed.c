/// Foresees cloth that starts crossed with itself or with other cloth.
#include "scene/check/survey.h"

#include "base/words.h"
#include "cloth/collide.h"

#include <stdlib.h>

/* Two bodies that cross. */
typedef struct Crossed {
    size_t body[2];
    uint32_t count;
    PxVec3 at; /* of the first */
} Crossed;

static void note(Crossed *list, size_t *count, size_t a, size_t b, PxVec3 at)
{
    size_t low = a < b ? a : b, high = a < b ? b : a, k = 0;
    while (k < *count && (list[k].body[0] != low || list[k].body[1] != high))
        ++k;
    if (k == *count)
        list[(*count)++] = (Crossed){.body = {low, high}, .at = at};
    ++list[k].count;
}

static void complain_about(PxScene *scene, const Crossed *c)
{
    char name[120];
    PxPath root = px_path_root(), bodies = px_path_key(&root, "bodies");
    PxPath own = px_path_index(&bodies, c->body[0]), path = px_path_key(&own, "shape");
    if (c->body[0] == c->body[1])
        px_complain(scene, PX_WARNING, &path, PX_AT_VALUE,
                    "crosses itself at the start: %u of its edges pass through its triangles, the "
                    "first at (%.3g, %.3g, %.3g) m; it is drawn apart, which need not succeed",
                    c->count, c->at.x, c->at.y, c->at.z);
    else
        px_complain(scene, PX_WARNING, &path, PX_AT_VALUE,
                    "crosses the cloth '%s' at the start: %u edges pass through triangles, the "
                    "first at (%.3g, %.3g, %.3g) m; they are drawn apart, which need not succeed",
                    px_quote(scene->body[c->body[1]].def.name, name, sizeof name), c->count,
                    c->at.x, c->at.y, c->at.z);
}

/* Complaints of the pairs of bodies, of which there are at most as many as cuts. */
static PxStatus complain_all(PxScene *scene, const PxClothStep *s, const PxCloth *cloth,
                             const PxClothCut *cut, uint32_t cuts)
{
    size_t pairs = 0;
    Crossed *list = calloc(cuts + 1, sizeof *list);
    if (list == NULL)
        return px_fail(PX_ERR_MEMORY, "check: no room for %u crossings", cuts);
    for (uint32_t k = 0; k < cuts; ++k) {
        PxVec3 a = s->x[cut[k].edge[0]], b = s->x[cut[k].edge[1]];
        note(list, &pairs, cloth[s->system->of_face[cut[k].of]].body,
             cloth[s->system->of_face[cut[k].face]].body, px_mad(a, px_sub(b, a), cut[k].part));
    }
    for (size_t k = 0; k < pairs; ++k)
        complain_about(scene, &list[k]);
    free(list);
    return PX_OK;
}

static PxStatus find(const PxScene *scene, PxScene *complain, PxClothStep *s, PxCloth *cloth,
                     uint32_t count, uint32_t *cuts)
{
    PxClothCut *cut;
    PxClothLaw *law = PX_ARENA_ARRAY(s->scratch, PxClothLaw, count);
    s->x = PX_ARENA_ARRAY(s->scratch, PxVec3, s->system->vertices + 1);
    if (law == NULL || s->x == NULL)
        return px_fail(PX_ERR_MEMORY, "check: no room for %u pieces of cloth", count);
    for (uint32_t k = 0; k < count; ++k) {
        PX_TRY(px_cloth_law(&scene->material[cloth[k].material].def, "cloth", &law[k]));
        for (uint32_t i = 0; i < cloth[k].sheet->vertices; ++i)
            s->x[cloth[k].first + i] = cloth[k].sheet->start[i];
    }
    s->law = law;
    PX_TRY(px_cloth_cuts(s, &cut, cuts));
    return complain != NULL ? complain_all(complain, s, cloth, cut, *cuts) : PX_OK;
}

PxStatus px_survey_crossings(const PxScene *scene, PxScene *complain, const PxSurvey *survey,
                             uint32_t *count)
{
    uint32_t cloths = 0, vertices = 0;
    *count = 0;
    PxCloth *cloth = calloc(scene->bodies + 1, sizeof *cloth);
    if (cloth == NULL)
        return px_fail(PX_ERR_MEMORY, "check: no room for %zu bodies", scene->bodies);
    for (size_t k = 0; k < scene->bodies; ++k) {
        size_t material = scene->body[k].is.refers[0];
        PxClothLaw law;
        if (survey->sheet[k] == NULL ||
            px_cloth_law(&scene->material[material].def, "cloth", &law) != PX_OK || !law.collides)
            continue; /* another complaint, or it may cross */
        cloth[cloths++] = (PxCloth){.body = (uint32_t)k,
                                    .material = (uint32_t)material,
                                    .first = vertices,
                                    .sheet = survey->sheet[k]};
        vertices += survey->sheet[k]->vertices;
    }
    PxClothSystem system;
    PxArena scratch;
    PxThreads threads = {.count = 1};
    px_cloth_system_init(&system, NULL);
    px_arena_init(&scratch, NULL);
    PxClothStep step = {
        .system = &system, .threads = &threads, .scratch = &scratch, .isa = px_isa_best()};
    PxStatus status = PX_OK;
    if (cloths > 0)
        status = px_cloth_system_build(&system, cloth, cloths);
    if (cloths > 0 && status == PX_OK)
        status = find(scene, complain, &step, cloth, cloths, count);
    px_arena_free(&scratch);
    px_cloth_system_free(&system);
    free(cloth);
    return status;
}
