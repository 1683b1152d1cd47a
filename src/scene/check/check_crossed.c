/// Foresees cloth that starts crossed with itself or with other cloth, or exactly on it.
#include "scene/check/survey.h"

#include "base/words.h"
#include "cloth/collide.h"

#include <stdio.h>
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

/* ---- cloth that lies exactly on cloth ---------------------------------------------------------
 */

/* Distances below this part of an edge are none: contact knows no side then. With 2e-9 of an edge
 * between them two sheets stay apart. */
#define TOUCHING 1e-10

/* Two bodies that touch. */
typedef struct Touch {
    size_t body[2];
    uint32_t vertices, edges; /* vertices on triangles, and pairs of edges */
    PxVec3 at;                /* of the lowest vertex that touches */
    uint32_t first;
    double keep; /* how far apart they would be, m */
} Touch;

static bool are_sewn(PxScene *scene, size_t a, size_t b)
{
    PxSceneList *list = px_scene_list(scene, &px_seam_kind);
    for (size_t k = 0; k < list->count; ++k) {
        const PxSceneThing *seam = px_scene_thing(list, &px_seam_kind, k);
        size_t from = seam->refers[0], to = seam->refers[1] != SIZE_MAX ? seam->refers[1] : from;
        if ((from == a && to == b) || (from == b && to == a))
            return true;
    }
    return false;
}

/* Marks the vertices at borders. */
static void mark_borders(const PxClothSystem *y, const PxCloth *cloth, uint8_t *border)
{
    for (uint32_t c = 0; c < y->cloths; ++c)
        for (uint32_t f = 0; f < cloth[c].sheet->faces; ++f)
            for (int k = 0; k < 3; ++k) {
                const PxClothFace *face = &cloth[c].sheet->face[f];
                if (face->edge[k] < cloth[c].sheet->hinges)
                    continue;
                border[cloth[c].first + face->corner[k]] = 1;
                border[cloth[c].first + face->corner[(k + 1) % 3]] = 1;
            }
}

static void note_touch(Touch *list, size_t *count, const PxClothStep *s, const PxCloth *cloth,
                       const PxClothNear *n, uint8_t *seen)
{
    bool edges = n->cloth[0] >> 31 != 0;
    uint32_t c[2] = {n->cloth[0] & 0x7fffffffu, n->cloth[1]};
    size_t a = cloth[c[0]].body, b = cloth[c[1]].body, k = 0;
    size_t low = a < b ? a : b, high = a < b ? b : a;
    while (k < *count && (list[k].body[0] != low || list[k].body[1] != high))
        ++k;
    if (k == *count)
        list[(*count)++] = (Touch){.body = {low, high},
                                   .first = UINT32_MAX,
                                   .keep = 0.5 * (s->law[c[0]].thickness + s->law[c[1]].thickness)};
    Touch *t = &list[k];
    uint32_t v = n->vertex[0];
    t->edges += edges;
    if (!edges && !seen[v]) {
        seen[v] = 1;
        ++t->vertices;
    }
    if (v < t->first) {
        t->first = v;
        t->at = s->x[v];
    }
}

static void complain_of_touch(PxScene *scene, const Touch *t)
{
    char name[120], other[160] = "itself", what[80];
    PxPath root = px_path_root(), bodies = px_path_key(&root, "bodies");
    PxPath own = px_path_index(&bodies, t->body[0]), path = px_path_key(&own, "shape");
    if (t->body[0] != t->body[1])
        snprintf(other, sizeof other, "the cloth '%s'",
                 px_quote(scene->body[t->body[1]].def.name, name, sizeof name));
    if (t->vertices > 0)
        snprintf(what, sizeof what, "%u vertices are on triangles", t->vertices);
    else
        snprintf(what, sizeof what, "edges meet in %u places", t->edges);
    px_complain(scene, PX_WARNING, &path, PX_AT_VALUE,
                "lies exactly on %s at the start: %s, the first at (%.3g, %.3g, %.3g) m; neither "
                "is on a side of the other, so they may cross; wanted them apart, best by their "
                "thickness, %.3g m",
                other, what, t->at.x, t->at.y, t->at.z, t->keep);
}

/* Have the bodies crossings, which are named already? */
static bool are_crossed(const PxClothStep *s, const PxCloth *cloth, const PxClothSearch *search,
                        const Touch *t)
{
    for (uint32_t k = 0; k < search->cuts; ++k) {
        size_t a = cloth[s->system->of_face[search->cut[k].of]].body;
        size_t b = cloth[s->system->of_face[search->cut[k].face]].body;
        if ((a == t->body[0] && b == t->body[1]) || (a == t->body[1] && b == t->body[0]))
            return true;
    }
    return false;
}

/* Complains about pieces of cloth without any distance between them. Borders that a seam joins may
 * touch. */
static PxStatus find_touching(PxScene *scene, PxClothStep *s, const PxCloth *cloth)
{
    uint32_t vertices = s->system->vertices, cloths = s->system->cloths;
    PxVec3 *way = PX_ARENA_ARRAY(s->scratch, PxVec3, vertices + 1);
    PxClothSearch search = {.step = s,
                            .way = way,
                            .thick = PX_ARENA_ARRAY(s->scratch, double, cloths + 1),
                            .first = true};
    uint8_t *border = calloc(2 * (size_t)vertices + 2, 1);
    Touch *list = NULL;
    size_t pairs = 0;
    PxStatus status = way != NULL && search.thick != NULL && border != NULL
                          ? PX_OK
                          : px_fail(PX_ERR_MEMORY, "check: no room for %u vertices", vertices);
    for (uint32_t k = 0; k < vertices && status == PX_OK; ++k)
        way[k] = px_vec(0, 0, 0);
    for (uint32_t k = 0; k < cloths && status == PX_OK; ++k)
        search.thick[k] = TOUCHING * s->system->edge[k];
    if (status == PX_OK)
        status = px_cloth_search(&search);
    if (status == PX_OK && (list = calloc(search.count + (size_t)1, sizeof *list)) == NULL)
        status = px_fail(PX_ERR_MEMORY, "check: no room for %u contacts", search.count);
    if (status == PX_OK)
        mark_borders(s->system, cloth, border);
    for (uint32_t k = 0; k < search.count && status == PX_OK; ++k) {
        const PxClothNear *n = &search.near[k];
        bool edges = n->cloth[0] >> 31 != 0;
        bool outer = border[n->vertex[0]] || (edges && border[n->vertex[1]]);
        if (outer &&
            are_sewn(scene, cloth[n->cloth[0] & 0x7fffffffu].body, cloth[n->cloth[1]].body))
            continue;
        note_touch(list, &pairs, s, cloth, n, border + vertices + 1);
    }
    for (size_t k = 0; k < pairs; ++k)
        if (!are_crossed(s, cloth, &search, &list[k]))
            complain_of_touch(scene, &list[k]);
    free(list);
    free(border);
    return status;
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
    if (complain == NULL)
        return PX_OK;
    PX_TRY(complain_all(complain, s, cloth, cut, *cuts));
    return find_touching(complain, s, cloth);
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
