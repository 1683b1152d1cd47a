/// Foresees cloth that starts inside a wall or rigid body, cloth that fluids cannot meet well, open
/// cloth with gas in it, and numbers that do nothing.
#include "scene/check/survey.h"

#include "base/vec.h"
#include "base/words.h"
#include "cloth/sheet.h"

static bool is_in(PxBounds b, PxVec3 x)
{
    return x.x >= b.low.x && x.x <= b.high.x && x.y >= b.low.y && x.y <= b.high.y &&
           x.z >= b.low.z && x.z <= b.high.z;
}

/* Cloth may start a little nearer than it keeps away; it is then moved out slowly. */
#define NEARER 0.99

/* Vertices of cloth that start too near to another body. */
typedef struct Close {
    uint32_t count;
    double depth; /* of the deepest, m */
    PxVec3 at;    /* where it is */
} Close;

static void count_close(Close *c, double depth, PxVec3 at)
{
    ++c->count;
    if (depth > c->depth) {
        c->depth = depth;
        c->at = at;
    }
}

/* ---- bodies that pierce cloth between its vertices --------------------------------------------
 */

#define FINE 32        /* parts of a triangle, along its sides, that are looked at */
#define MOST_LOOKS 2e6 /* distances of a pair of bodies */
#define MOST_LOOKS_MESH 2e5

typedef struct Pierce {
    const PxShape *shape;
    bool inside, convex;
    double left;    /* looks */
    uint32_t count; /* pierced triangles */
    PxVec3 at;      /* a pierced place of the first one */
} Pierce;

static bool is_convex(PxShapeKind kind)
{
    return kind != PX_SHAPE_MESH && kind != PX_SHAPE_FUNNEL && kind != PX_SHAPE_SHEET;
}

/* Is a place of a triangle inside the body? Distances change by no more than places do. */
static bool is_pierced(Pierce *p, const PxVec3 x[3], int parts, PxVec3 *at)
{
    PxVec3 middle = px_scale(px_add(x[0], px_add(x[1], x[2])), 1 / 3.0), normal;
    double reach = 0, lowest = 0;
    p->left -= 1;
    double d = px_shape_distance(p->shape, middle, &normal) * (p->inside ? -1 : 1);
    *at = middle;
    if (d < 0)
        return true;
    for (int k = 0; k < 3; ++k) {
        PxVec3 way = px_sub(x[k], middle);
        reach = fmax(reach, px_length(way));
        lowest = fmin(lowest, px_dot(way, normal));
    }
    if (d > reach || parts >= FINE || p->left < 0)
        return false;
    if (p->convex && d + lowest > 0) /* a plane is between them */
        return false;
    PxVec3 m[3];
    for (int k = 0; k < 3; ++k)
        m[k] = px_scale(px_add(x[k], x[(k + 1) % 3]), 0.5);
    const PxVec3 part[4][3] = {
        {m[0], m[1], m[2]}, {x[0], m[0], m[2]}, {x[1], m[1], m[0]}, {x[2], m[2], m[1]}};
    for (int k = 0; k < 4; ++k)
        if (is_pierced(p, part[k], 2 * parts, at))
            return true;
    return false;
}

/* A body that has no vertex of the cloth in it. */
static void find_pierced(PxScene *scene, const PxSurvey *survey, size_t cloth, size_t other)
{
    const PxClothSheet *sheet = survey->sheet[cloth];
    const PxBodyDef *def = &scene->body[other].def;
    PxBounds b = px_shape_bounds(survey->shape[other]);
    PxShapeKind kind = def->shape.kind;
    Pierce p = {.shape = survey->shape[other],
                .inside = def->inside,
                .convex = is_convex(kind) && !def->inside,
                .left = kind == PX_SHAPE_MESH ? MOST_LOOKS_MESH : MOST_LOOKS};
    if (def->inside && is_convex(kind)) /* what is between places inside is inside */
        return;
    for (uint32_t f = 0; f < sheet->faces && p.left > 0; ++f) {
        PxVec3 x[3], at;
        PxBounds own = px_bounds_empty();
        for (int k = 0; k < 3; ++k) {
            x[k] = sheet->start[sheet->face[f].corner[k]];
            px_bounds_add(&own, x[k]);
        }
        if (!def->inside && (own.low.x > b.high.x || own.low.y > b.high.y || own.low.z > b.high.z ||
                             own.high.x < b.low.x || own.high.y < b.low.y || own.high.z < b.low.z))
            continue;
        if (!is_pierced(&p, x, 1, &at))
            continue;
        p.at = p.count == 0 ? at : p.at;
        ++p.count;
    }
    char name[120];
    PxPath root = px_path_root(), bodies = px_path_key(&root, "bodies");
    PxPath path = px_path_index(&bodies, cloth), shape = px_path_key(&path, "shape");
    if (p.count > 0)
        px_complain(scene, PX_WARNING, &shape, PX_AT_VALUE,
                    "starts with %u of its %u triangles pierced by the %s '%s' between their "
                    "vertices, the first at (%.3g, %.3g, %.3g) m: it hangs on it; wanted it apart",
                    p.count, sheet->faces,
                    def->wall                  ? "wall"
                    : px_body_is_boundary(def) ? "rigid body"
                                               : "solid",
                    px_quote(def->name, name, sizeof name), p.at.x, p.at.y, p.at.z);
}

/* The world refuses a vertex at a distance below 0, and so does this. */
static void compare(PxScene *scene, const PxSurvey *survey, size_t cloth, size_t other)
{
    const PxClothSheet *sheet = survey->sheet[cloth];
    const PxShape *shape = survey->shape[other];
    const PxBodyDef *def = &scene->body[other].def;
    PxBounds bounds = px_shape_bounds(shape);
    bool solid = !px_body_is_boundary(def); /* the world does not refuse it */
    const PxClothDef *law = &scene->material[scene->body[cloth].is.refers[0]].def.cloth;
    double keep = solid ? 0 : 0.5 * law->thickness;
    Close in = {0}, near = {0};
    bounds.low = px_sub(bounds.low, px_vec(keep, keep, keep));
    bounds.high = px_add(bounds.high, px_vec(keep, keep, keep));
    for (uint32_t k = 0; k < sheet->vertices; ++k) {
        PxVec3 x = sheet->start[k];
        if (!def->inside && !is_in(bounds, x))
            continue;
        double free = px_shape_distance(shape, x, NULL) * (def->inside ? -1 : 1);
        if (free < 0)
            count_close(&in, -free, x);
        else if (free < NEARER * keep)
            count_close(&near, keep - free, x);
    }
    char name[120];
    PxPath root = px_path_root(), bodies = px_path_key(&root, "bodies");
    PxPath own = px_path_index(&bodies, cloth), path = px_path_key(&own, "shape");
    if (in.count == 0 && near.count > 0)
        px_complain(scene, PX_WARNING, &path, PX_AT_VALUE,
                    "starts with %u of its %u vertices nearer to the %s '%s' than half its "
                    "thickness, %.3g m: by up to %.3g m at (%.3g, %.3g, %.3g) m; it is moved out "
                    "slowly",
                    near.count, sheet->vertices, def->wall ? "wall" : "rigid body",
                    px_quote(def->name, name, sizeof name), keep, near.depth, near.at.x, near.at.y,
                    near.at.z);
    if (in.count == 0) {
        find_pierced(scene, survey, cloth, other);
        return;
    }
    px_complain(scene, solid ? PX_WARNING : PX_ERROR, &path, PX_AT_VALUE,
                "starts with %u of its %u vertices %s '%s', up to %.3g m deep at (%.3g, %.3g, "
                "%.3g) m; wanted all outside of it",
                in.count, sheet->vertices,
                solid       ? "inside the solid"
                : def->wall ? "inside the wall"
                            : "inside the rigid body",
                px_quote(def->name, name, sizeof name), in.depth, in.at.x, in.at.y, in.at.z);
}

static bool has_fluid(const PxScene *scene)
{
    bool any = scene->emitters > 0;
    for (size_t k = 0; k < scene->bodies && !any; ++k) {
        const PxBodyDef *def = &scene->body[k].def;
        size_t material = scene->body[k].is.refers[0];
        any = !px_body_is_boundary(def) && !def->cloth && material < scene->materials &&
              !(scene->material[material].def.young > 0);
    }
    return any;
}

/* Most edges a spacing, and spacings an edge, with which loads reach the right places. */
#define RATIO 10

static void compare_spacing(PxScene *scene, const PxSurvey *survey, size_t cloth)
{
    const PxSceneBody *body = &scene->body[cloth];
    const PxClothDef *def = &scene->material[body->is.refers[0]].def.cloth;
    double s = scene->world.spacing, edge = survey->sheet[cloth]->edge;
    PxPath root = px_path_root(), bodies = px_path_key(&root, "bodies");
    PxPath own = px_path_index(&bodies, cloth), path = px_path_key(&own, "shape");
    if (edge > RATIO * s || edge * RATIO < s)
        px_complain(
            scene, PX_WARNING, &path, PX_AT_VALUE,
            "has edges of %.3g m, and particles of fluid lie %.3g m apart: more than %d times "
            "as %s; wanted edges from %.3g to %.3g m, best near the spacing",
            edge, s, RATIO, edge > s ? "coarse" : "fine", s / RATIO, RATIO * s);
    PxPath materials = px_path_key(&root, "materials");
    PxPath material = px_path_key(&materials, scene->material[body->is.refers[0]].def.name);
    PxPath section = px_path_key(&material, "cloth");
    if (def->thickness > s) {
        PxPath at = px_path_key(&section, "thickness");
        px_complain(scene, PX_WARNING, &at, PX_AT_VALUE,
                    "is %.3g m, more than the spacing of the fluid, %.3g m: fluid keeps half of it "
                    "away from '%s'; wanted less",
                    def->thickness, s, body->def.name);
    }
}

/* Keys that only matter for cloth with pores. */
static void check_pores(PxScene *scene, size_t index)
{
    const PxMaterialDef *def = &scene->material[index].def;
    static const char *const needs[] = {"absorption",   "diffusion",   "rise",
                                        "drying",       "wet_stretch", "wet_bend",
                                        "permeability", "wet",         "squeeze"};
    const json_t *all = json_object_get(scene->root, "materials");
    const json_t *stated = json_object_get(json_object_get(all, def->name), "cloth");
    PxPath root = px_path_root(), materials = px_path_key(&root, "materials");
    PxPath material = px_path_key(&materials, def->name);
    PxPath section = px_path_key(&material, "cloth");
    const json_t *pores = json_object_get(stated, "pores");
    if (pores != NULL && (!json_is_number(pores) || json_number_value(pores) != 0.0))
        return; /* has pores, or what was stated is refused elsewhere */
    for (size_t k = 0; k < PX_COUNT(needs) && def->cloth.cloth && !(def->cloth.pores > 0); ++k) {
        PxPath at = px_path_key(&section, needs[k]);
        const json_t *value = json_object_get(stated, needs[k]);
        if (json_number_value(value) > 0) /* not stated: 0 */
            px_complain(scene, PX_WARNING, &at, PX_AT_VALUE,
                        "is %g, and has no effect: this cloth has no pores and takes up nothing; "
                        "wanted \"pores\" above 0, for cotton 0.7",
                        json_number_value(value));
    }
}

static void check_tear(PxScene *scene, size_t index)
{
    const PxClothDef *def = &scene->material[index].def.cloth;
    PxPath root = px_path_root(), materials = px_path_key(&root, "materials");
    PxPath material = px_path_key(&materials, scene->material[index].def.name);
    PxPath section = px_path_key(&material, "cloth");
    PxPath at = px_path_key(&section, "tear_warp"), tear = px_path_key(&section, "tear");
    if (def->cloth && def->tear_warp > 0 && !(def->tear > 0))
        px_complain(scene, PX_WARNING, &at, PX_AT_VALUE,
                    "has no effect: this cloth does not tear; wanted \"tear\" above 0");
    /* a strain at which no cloth is whole, without the limit that makes it stiffer */
    double strain = def->tear / def->weft;
    if (def->cloth && strain > 2 && def->limit > 2)
        px_complain(scene, PX_WARNING, &tear, PX_AT_VALUE,
                    "is %.3g N/m, which cloth of %.3g N/m reaches when it is stretched by %.0f %%: "
                    "it will hardly tear",
                    def->tear, def->weft, 100 * strain);
}

static void check_wind(PxScene *scene, size_t index)
{
    const PxClothDef *def = &scene->material[index].def.cloth;
    PxPath root = px_path_root(), materials = px_path_key(&root, "materials");
    PxPath material = px_path_key(&materials, scene->material[index].def.name);
    PxPath section = px_path_key(&material, "cloth"), at = px_path_key(&section, "wind");
    if (def->cloth && px_length(def->wind) > 0 && !(def->air > 0))
        px_complain(scene, PX_WARNING, &at, PX_AT_VALUE,
                    "has no effect while \"air\" is 0; wanted more, at sea level 1.2 kg/m^3");
}

/* Texture coordinates that are so many times longer or shorter than the shape are not in m. */
#define UV_RATIO 2

static double area_at_start(const PxClothSheet *sheet)
{
    double sum = 0;
    for (uint32_t k = 0; k < sheet->faces; ++k) {
        const uint32_t *c = sheet->face[k].corner;
        PxVec3 a = sheet->start[c[0]];
        sum +=
            0.5 * px_length(px_cross(px_sub(sheet->start[c[1]], a), px_sub(sheet->start[c[2]], a)));
    }
    return sum;
}

/* Triangles so thin that they store energy that no cloth has. */
static void check_slivers(PxScene *scene, const PxClothSheet *sheet, const PxPath *path)
{
    uint32_t count = 0, thinnest = 0;
    double least = INFINITY;
    for (uint32_t k = 0; k < sheet->faces; ++k) {
        double ratio = px_cloth_face_ratio(&sheet->face[k]);
        count += ratio < PX_CLOTH_SLIVER;
        if (ratio < least) {
            least = ratio;
            thinnest = k;
        }
    }
    if (count == 0)
        return;
    PxVec3 at = sheet->start[sheet->face[thinnest].corner[0]];
    px_complain(scene, PX_WARNING, path, PX_AT_VALUE,
                "has %u of %u triangles that are slivers: the height of the thinnest, triangle %u "
                "at (%.3g, %.3g, %.3g) m, is %.2g of its longest edge; they are too stiff to be "
                "solved well; wanted at least %g",
                count, sheet->faces, thinnest, at.x, at.y, at.z, least, PX_CLOTH_SLIVER);
}

/* With the shape at rest texture coordinates say only where the weft is. */
static void check_map(PxScene *scene, const PxClothSheet *sheet, const PxPath *path)
{
    const PxClothMap *map = &sheet->map;
    PxVec3 at[2];
    for (int k = 0; k < 2; ++k)
        at[k] = sheet->start[sheet->face[map->first[k]].corner[0]];
    if (map->missing > 0)
        px_complain(scene, PX_WARNING, path, PX_AT_VALUE,
                    "has texture coordinates that %u of its %u triangles lack: they are not used, "
                    "and the weft is along x of the shape; wanted them at all corners, or at none",
                    map->missing, sheet->faces);
    if (map->flat > 0)
        px_complain(scene, PX_WARNING, path, PX_AT_VALUE,
                    "has texture coordinates without area in %u of %u triangles, the first "
                    "triangle %u at (%.3g, %.3g, %.3g) m: there the weft is along x of the shape; "
                    "wanted a map of all triangles, or none",
                    map->flat, sheet->faces, map->first[0], at[0].x, at[0].y, at[0].z);
    if (map->folded > 0)
        px_complain(scene, PX_WARNING, path, PX_AT_VALUE,
                    "has texture coordinates that are folded at %u of %u edges, the first beside "
                    "triangle %u at (%.3g, %.3g, %.3g) m: threads turn back there; wanted one "
                    "side up",
                    map->folded, sheet->hinges + sheet->borders, map->first[1], at[1].x, at[1].y,
                    at[1].z);
}

/* Threads and textures are drawn by texture coordinates. */
static void check_look(PxScene *scene, const PxSurvey *survey, size_t cloth)
{
    const PxClothSheet *sheet = survey->sheet[cloth];
    const PxSceneThing *body = &scene->body[cloth].is;
    const PxSceneLook *look =
        body->look != NULL ? body->look : scene->material[body->refers[0]].is.look;
    if (look == NULL || (look->kind != PX_SCENE_WOVEN && look->texture == NULL))
        return;
    PxPath root = px_path_root(), bodies = px_path_key(&root, "bodies");
    PxPath own = px_path_index(&bodies, cloth), path = px_path_key(&own, "shape");
    if (sheet->uv == NULL)
        px_complain(scene, PX_WARNING, &path, PX_AT_VALUE,
                    "has no texture coordinates, and its look %s: pictures show it plain; wanted a "
                    "mesh with them, in m, or another look",
                    look->texture != NULL ? "has a texture" : "is woven");
    else if (sheet->map.parted > 0)
        px_complain(scene, PX_WARNING, &path, PX_AT_VALUE,
                    "has texture coordinates that begin anew at %u of %u edges, and a vertex has "
                    "one pair of them: pictures and exports distort its %s beside these edges",
                    sheet->map.parted, sheet->hinges + sheet->borders,
                    look->texture != NULL ? "texture" : "threads");
}

static void check_rest(PxScene *scene, const PxSurvey *survey, size_t cloth)
{
    const PxClothSheet *sheet = survey->sheet[cloth];
    const PxClothDef *def = &scene->material[scene->body[cloth].is.refers[0]].def.cloth;
    PxPath root = px_path_root(), bodies = px_path_key(&root, "bodies");
    PxPath own = px_path_index(&bodies, cloth), path = px_path_key(&own, "shape");
    if (def->pressure > 0 && !sheet->closed) /* the world refuses it too */
        px_complain(scene, PX_ERROR, &path, PX_AT_VALUE,
                    "is open: %u edges have one triangle, and its cloth has a pressure of %g Pa "
                    "inside; wanted a closed mesh, or no \"pressure\"",
                    sheet->borders, def->pressure);
    if (def->thickness > sheet->edge)
        px_complain(scene, PX_WARNING, &path, PX_AT_VALUE,
                    "has edges of %.3g m, shorter than the thickness of its cloth, %.3g m: it "
                    "cannot fold; wanted a thickness below half an edge, or longer edges",
                    sheet->edge, def->thickness);
    check_slivers(scene, sheet, &path);
    if (def->rest == PX_CLOTH_REST_SHAPE)
        check_map(scene, sheet, &path);
    double area = 0;
    for (uint32_t k = 0; k < sheet->faces; ++k)
        area += sheet->face[k].area;
    double ratio = sqrt(area / area_at_start(sheet));
    if (def->rest == PX_CLOTH_REST_UV && (ratio > UV_RATIO || ratio * UV_RATIO < 1))
        px_complain(scene, PX_WARNING, &path, PX_AT_VALUE,
                    "has texture coordinates of %.3g m^2, and a shape of %.3g m^2: with \"rest\": "
                    "\"uv\" its threads want to be %.3g times as long as they are; wanted texture "
                    "coordinates in m",
                    area, area_at_start(sheet), ratio);
}

PxStatus px_survey_check_cloth(PxScene *scene, const PxSurvey *survey)
{
    for (size_t k = 0; k < scene->bodies; ++k)
        for (size_t other = 0; other < scene->bodies && survey->sheet[k] != NULL; ++other)
            if (survey->shape[other] != NULL &&
                (px_body_is_boundary(&scene->body[other].def) || px_scene_is_solid(scene, other)))
                compare(scene, survey, k, other);
    for (size_t k = 0; k < scene->bodies && has_fluid(scene); ++k)
        if (survey->sheet[k] != NULL)
            compare_spacing(scene, survey, k);
    for (size_t k = 0; k < scene->materials; ++k) {
        check_pores(scene, k);
        check_tear(scene, k);
        check_wind(scene, k);
    }
    for (size_t k = 0; k < scene->bodies; ++k)
        if (survey->sheet[k] != NULL) {
            check_rest(scene, survey, k);
            check_look(scene, survey, k);
        }
    uint32_t crossings;
    return px_survey_crossings(scene, scene, survey, &crossings);
}
