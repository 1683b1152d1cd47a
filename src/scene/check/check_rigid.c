/// Foresees rigid bodies inside each other or in walls, joints far from their bodies, joints that
/// cannot move as their motors want and joints that keyframes pull apart.
#include "scene/check/survey.h"

#include "base/vec.h"
#include "base/words.h"
#include "rigid/rigid.h"
#include "world/actors/joint.h"
#include "world/rigid_stage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Pairs of bodies that are compared, and complaints about them, at most. */
#define MOST_PAIRS 2000000
#define MOST_COMPLAINTS 20

typedef struct Rigids {
    PxScene *scene;
    const PxSurvey *survey;
    PxRigid *rigid; /* by body; mass 0: none */
    PxWall *wall;   /* by body; no shape: none */
} Rigids;

static void complain_body(PxScene *scene, size_t body, PxSeverity severity, const char *text)
{
    PxPath root = px_path_root(), bodies = px_path_key(&root, "bodies");
    PxPath own = px_path_index(&bodies, body), shape = px_path_key(&own, "shape");
    px_complain(scene, severity, &shape, PX_AT_VALUE, "%s", text);
}

/* ---- bodies ---------------------------------------------------------------------------- */

/* Thinner bodies, as parts of their radius, are so slow that a person should know. */
#define THIN 1e-4

static PxStatus make_body(Rigids *r, size_t k)
{
    PxScene *scene = r->scene;
    const PxSceneBody *body = &scene->body[k];
    PxShape *shape = r->survey->shape[k];
    if (shape == NULL || !px_body_is_boundary(&body->def))
        return PX_OK;
    r->wall[k] = (PxWall){.shape = shape,
                          .inside = body->def.inside,
                          .pivot = body->def.shape.at,
                          .bounds = px_shape_bounds(shape),
                          .pose = {{.turn = px_quat_identity()}, {.turn = px_quat_identity()}}};
    px_wall_boundary(&r->wall[k]);
    PX_TRY(px_features_create(shape, body->def.inside, &r->wall[k].features));
    size_t material = body->is.refers[0];
    if (!body->def.rigid || material == PX_NO_MATERIAL)
        return PX_OK;
    PxRigidMass mass;
    if (px_rigid_mass_stated(&body->def, shape, scene->material[material].def.density, &mass) !=
        PX_OK) {
        complain_body(scene, k, PX_ERROR, px_error_message());
        return PX_OK;
    }
    if (mass.thickness < THIN * mass.radius) {
        char text[200];
        snprintf(
            text, sizeof text,
            "is %.2g m thick, a part of %.1g of its size: contacts are found in sub-steps that "
            "move it by less, so its fall takes very long",
            mass.thickness, mass.thickness / mass.radius);
        complain_body(scene, k, PX_WARNING, text);
    }
    r->rigid[k] = (PxRigid){.mass = mass,
                            .features = r->wall[k].features,
                            .place = mass.centre,
                            .turn = px_quat_identity()};
    return PX_OK;
}

static bool apart(const PxWall *a, const PxWall *b)
{
    const PxBounds *p = &a->bounds, *q = &b->bounds;
    return !a->inside && !b->inside &&
           (p->low.x > q->high.x || q->low.x > p->high.x || p->low.y > q->high.y ||
            q->low.y > p->high.y || p->low.z > q->high.z || q->low.z > p->high.z);
}

/* A rigid body against another one, or a wall. */
static bool compare(Rigids *r, size_t a, size_t b)
{
    PxVec3 at;
    const PxRigid *other = r->rigid[b].mass.mass > 0 ? &r->rigid[b] : NULL;
    PxRigidWall wall = {&r->wall[b], r->wall[b].features, 0};
    double depth = px_rigid_overlap(&r->rigid[a], &r->wall[a], other, &wall, &at);
    double thick = fmin(r->rigid[a].mass.thickness, px_shape_thickness(r->wall[b].shape));
    if (!(depth > PX_RIGID_OVERLAP * thick))
        return false;
    char text[300], name[120];
    snprintf(text, sizeof text,
             "overlaps %s '%s' by %.3g m at (%.3g, %.3g, %.3g) m: %s cannot be in each other",
             r->scene->body[b].def.wall ? "the wall" : "the rigid body",
             px_quote(r->scene->body[b].def.name, name, sizeof name), depth, at.x, at.y, at.z,
             r->scene->body[b].def.wall ? "rigid bodies and walls" : "rigid bodies");
    complain_body(r->scene, a, PX_ERROR, text);
    return true;
}

static void compare_all(Rigids *r)
{
    size_t count = r->scene->bodies, pairs = 0, complaints = 0;
    for (size_t a = 0; a < count; ++a)
        for (size_t b = 0; b < count && r->rigid[a].mass.mass > 0; ++b) {
            bool rigid = r->rigid[b].mass.mass > 0;
            if (b == a || r->wall[b].shape == NULL || (rigid && b > a) ||
                apart(&r->wall[a], &r->wall[b]))
                continue;
            if (++pairs > MOST_PAIRS)
                return;
            complaints += compare(r, a, b);
            if (complaints >= MOST_COMPLAINTS)
                return;
        }
}

/* ---- joints ---------------------------------------------------------------------------- */

typedef struct Joints {
    Rigids *rigids;
    const PxSceneList *list;
    size_t number; /* of the kind */
} Joints;

static const PxSceneThing *thing_of(const Joints *j, size_t k)
{
    return px_scene_thing(j->list, px_kinds[j->number], k);
}

static const PxJointDef *def_of(const Joints *j, size_t k)
{
    return px_thing_def((PxSceneThing *)thing_of(j, k));
}

/* The body at an end, SIZE_MAX: none. */
static size_t body_of(const Joints *j, size_t k, const char *key)
{
    const PxSection *section = &px_kinds[j->number]->section;
    return thing_of(j, k)->refers[px_reference_index(section, px_section_field(section, key))];
}

static void complain_joint(const Joints *j, size_t k, const char *key, PxSeverity severity,
                           const char *text)
{
    PxPath root = px_path_root(), list = px_path_key(&root, "joints");
    PxPath own = px_path_index(&list, k), value = key != NULL ? px_path_key(&own, key) : own;
    px_complain(j->rigids->scene, severity, &value, PX_AT_VALUE, "%s", text);
}

static bool is_moving_end(const Joints *j, size_t body)
{
    return body != SIZE_MAX && j->rigids->rigid[body].mass.mass > 0;
}

static void check_distance(const Joints *j, size_t k)
{
    const PxJointDef *def = def_of(j, k);
    bool spring = def->kind == PX_JOINT_SPRING;
    static const char *const ends[] = {"body", "to"};
    for (int n = 0; n < 2; ++n) {
        size_t body = body_of(j, k, ends[n]);
        if (!is_moving_end(j, body))
            continue;
        const PxRigidMass *mass = &j->rigids->rigid[body].mass;
        double far = px_length(px_sub(n == 1 && spring ? def->anchor : def->at, mass->centre));
        char text[300], name[120];
        if (far <= PX_JOINT_FAR * mass->radius)
            continue;
        snprintf(text, sizeof text,
                 "is %.3g m from the centre of '%s', more than %g times its radius of %.3g m", far,
                 px_quote(j->rigids->scene->body[body].def.name, name, sizeof name), PX_JOINT_FAR,
                 mass->radius);
        complain_joint(j, k, n == 1 && spring ? "anchor" : "at", PX_ERROR, text);
    }
    bool axial = def->kind == PX_JOINT_HINGE || def->kind == PX_JOINT_SLIDER;
    if (axial && def->low <= def->high && (def->low > 0 || def->high < 0)) {
        char text[200];
        snprintf(text, sizeof text,
                 "has limits from %g to %g %s, but begins at 0: it would jump there", def->low,
                 def->high, def->kind == PX_JOINT_HINGE ? "degrees" : "m");
        complain_joint(j, k, def->low > 0 ? "low" : "high", PX_ERROR, text);
    }
}

/* Rows of constraints on the velocities of bodies, orthogonal to each other: a new row is reduced
 * by those before. If nothing is left of it, they determine its speed. */
typedef struct Rows {
    double *row; /* width numbers, and the speed */
    size_t width, count, room;
} Rows;

/* Adds a row; returns false if the others contradict its speed. */
static bool add_row(Rows *rows, const double *row, double speed)
{
    size_t width = rows->width;
    double *out = rows->row + rows->count * (width + 1), size = 0, left = 0, fast = fabs(speed);
    memcpy(out, row, width * sizeof *row);
    out[width] = speed;
    for (size_t k = 0; k < width; ++k)
        size += row[k] * row[k];
    for (int twice = 0; twice < 2; ++twice)
        for (size_t r = 0; r < rows->count; ++r) {
            const double *other = rows->row + r * (width + 1);
            double part = 0;
            for (size_t k = 0; k < width; ++k)
                part += out[k] * other[k];
            for (size_t k = 0; k <= width; ++k)
                out[k] -= part * other[k];
        }
    for (size_t k = 0; k < width; ++k)
        left += out[k] * out[k];
    if (left < 1e-12 * size)
        return fabs(out[width]) <= 1e-6 * fast;
    for (size_t k = 0; k <= width; ++k)
        out[k] /= sqrt(left);
    ++rows->count;
    return true;
}

/* A row of joint k: speed of its ends along d, or with `turns` about it. Lengths are in radii of
 * the bodies, so that numbers are comparable. */
static bool add_joint_row(const Joints *j, size_t k, const size_t *column, Rows *rows, bool turns,
                          PxVec3 d, double speed, double *row)
{
    static const char *const ends[] = {"body", "to"};
    const PxJointDef *def = def_of(j, k);
    memset(row, 0, rows->width * sizeof *row);
    for (int n = 0; n < 2; ++n) {
        size_t body = body_of(j, k, ends[n]);
        if (!is_moving_end(j, body))
            continue;
        PxVec3 arm = px_sub(def->at, j->rigids->rigid[body].mass.centre);
        PxVec3 w = turns ? d : px_cross(arm, d);
        double *at = row + 6 * column[body], sign = n == 0 ? 1 : -1;
        const double six[6] = {turns ? 0 : d.x, turns ? 0 : d.y, turns ? 0 : d.z, w.x, w.y, w.z};
        for (int c = 0; c < 6; ++c)
            at[c] += sign * six[c];
    }
    return add_row(rows, row, speed);
}

static void axes_of(const PxJointDef *def, PxVec3 out[3])
{
    out[0] = px_normalized(def->axis, px_vec(0, 1, 0));
    out[1] =
        px_normalized(px_cross(out[0], fabs(out[0].x) < 0.6 ? px_vec(1, 0, 0) : px_vec(0, 1, 0)),
                      px_vec(0, 0, 1));
    out[2] = px_cross(out[0], out[1]);
}

/* What the joint holds. */
static void hold_rows(const Joints *j, size_t k, const size_t *column, Rows *rows, double *row)
{
    const PxJointDef *def = def_of(j, k);
    PxVec3 axis[3];
    axes_of(def, axis);
    for (int n = 0; n < 3; ++n) {
        bool slides = def->kind == PX_JOINT_SLIDER, free = n == 0;
        if (!(slides && free))
            add_joint_row(j, k, column, rows, false, axis[n], 0, row);
        if (def->kind == PX_JOINT_WELD || slides || (def->kind == PX_JOINT_HINGE && !free))
            add_joint_row(j, k, column, rows, true, axis[n], 0, row);
    }
}

static bool has_motor(const PxJointDef *def)
{
    return (def->kind == PX_JOINT_HINGE || def->kind == PX_JOINT_SLIDER) && def->strength > 0 &&
           def->speed != 0;
}

/* Largest number of bodies and joints whose freedom is computed: that takes the cube of them. */
#define MOST_LINKED 120

/* Loops of joints that leave a motor no freedom, or whose motors contradict each other. */
static PxStatus check_motors(const Joints *j)
{
    size_t bodies = j->rigids->scene->bodies, joints = j->list->count, linked = 0, motors = 0;
    size_t *column = malloc((bodies + 1) * sizeof *column);
    Rows rows = {.row = NULL};
    double *row = NULL;
    PxStatus status = PX_OK;
    for (size_t k = 0; column != NULL && k < bodies; ++k)
        column[k] = SIZE_MAX;
    for (size_t k = 0; column != NULL && k < joints; ++k) {
        size_t end[2] = {body_of(j, k, "body"), body_of(j, k, "to")};
        motors += has_motor(def_of(j, k));
        for (int n = 0; n < 2; ++n)
            if (is_moving_end(j, end[n]) && column[end[n]] == SIZE_MAX)
                column[end[n]] = linked++;
    }
    if (column != NULL && (motors == 0 || linked > MOST_LINKED || joints > MOST_LINKED))
        goto done;
    rows.width = 6 * linked;
    rows.room = 7 * joints + 1;
    rows.row = malloc(rows.room * (rows.width + 1) * sizeof *rows.row);
    row = malloc((rows.width + 1) * sizeof *row);
    if (column == NULL || rows.row == NULL || row == NULL) {
        status = px_fail(PX_ERR_MEMORY, "scene: no room for %zu joints", joints);
        goto done;
    }
    for (size_t k = 0; k < joints; ++k)
        if (def_of(j, k)->kind != PX_JOINT_SPRING && is_moving_end(j, body_of(j, k, "body")))
            hold_rows(j, k, column, &rows, row);
    for (size_t k = 0; k < joints; ++k) {
        const PxJointDef *def = def_of(j, k);
        PxVec3 axis[3];
        axes_of(def, axis);
        if (!has_motor(def) || !is_moving_end(j, body_of(j, k, "body")))
            continue;
        if (!add_joint_row(j, k, column, &rows, def->kind == PX_JOINT_HINGE, axis[0], def->speed,
                           row)) {
            char text[200];
            snprintf(text, sizeof text,
                     "is %g %s, which the other joints and motors of its loop do not allow",
                     def->speed, def->kind == PX_JOINT_HINGE ? "rad/s" : "m/s");
            complain_joint(j, k, "speed", PX_ERROR, text);
        }
    }
done:
    free(column);
    free(rows.row);
    free(row);
    return status;
}

/* ---- reach ---- */

/* A joint has two ends, 2 k at its body and 2 k + 1 at the other. Ends in one free body keep their
 * distance, and the ends of a joint are at most its limits apart: the shortest way along these from
 * one place that is held to another is the farthest that they may be apart. */
typedef struct Reach {
    const Joints *j;
    size_t ends;
    size_t *body;     /* by end; SIZE_MAX: the world */
    PxVec3 *at;       /* by end: place at the start */
    double *apart;    /* by joint: how far its ends may be apart; infinite: no limit */
    PxKeyframe **key; /* by body */
    size_t *keys;
    bool *held;  /* by end, at the time */
    double *way; /* by end: from the end in question */
    bool *done;
} Reach;

/* Most joints of which the reach is computed: that takes the cube of their number. */
#define MOST_REACHING 400
/* Excess over the reach that roundings and keyframes written by hand may have. */
#define REACH_SLACK 0.01

static bool is_held(const Reach *r, size_t body, double time)
{
    const PxBodyDef *def = &r->j->rigids->scene->body[body].def;
    if (!is_moving_end(r->j, body))
        return true;
    return (r->keys[body] > 0 && def->release < 0) || time < def->release;
}

static PxVec3 held_place(const Reach *r, size_t end, double time)
{
    if (r->body[end] == SIZE_MAX)
        return r->at[end];
    const Rigids *rigids = r->j->rigids;
    const PxBodyDef *def = &rigids->scene->body[r->body[end]].def;
    PxVec3 pivot =
        is_moving_end(r->j, r->body[end]) ? rigids->rigid[r->body[end]].mass.centre : def->shape.at;
    size_t keys = r->keys[r->body[end]];
    if (keys == 0)
        return r->at[end];
    PxPose pose = px_pose_at(r->key[r->body[end]], keys, time);
    return px_pose_to_world(&pose, pivot, r->at[end]);
}

static double link_of(const Reach *r, size_t a, size_t b)
{
    if (a / 2 == b / 2)
        return r->apart[a / 2];
    bool same = r->body[a] == r->body[b] && !r->held[a] && !r->held[b];
    return same ? px_length(px_sub(r->at[a], r->at[b])) : INFINITY;
}

/* Shortest ways from an end to all others (Dijkstra 1959). */
static void find_ways(const Reach *r, size_t from)
{
    for (size_t k = 0; k < r->ends; ++k) {
        r->way[k] = k == from ? 0 : INFINITY;
        r->done[k] = false;
    }
    while (true) {
        size_t next = SIZE_MAX;
        for (size_t k = 0; k < r->ends; ++k)
            if (!r->done[k] && isfinite(r->way[k]) &&
                (next == SIZE_MAX || r->way[k] < r->way[next]))
                next = k;
        if (next == SIZE_MAX)
            return;
        r->done[next] = true;
        for (size_t k = 0; k < r->ends; ++k)
            r->way[k] = fmin(r->way[k], r->way[next] + link_of(r, next, k));
    }
}

static const char *holder_of(const Reach *r, size_t end, char *out, size_t size)
{
    if (r->body[end] == SIZE_MAX)
        return "the world";
    char name[120];
    snprintf(out, size, "'%s'",
             px_quote(r->j->rigids->scene->body[r->body[end]].def.name, name, sizeof name));
    return out;
}

/* Complains of the first two ends that are held too far apart at a time. */
static bool check_reach_at(Reach *r, double time)
{
    for (size_t k = 0; k < r->ends; ++k)
        r->held[k] = r->body[k] == SIZE_MAX || is_held(r, r->body[k], time);
    for (size_t a = 0; a < r->ends; ++a) {
        if (!r->held[a])
            continue;
        find_ways(r, a);
        PxVec3 here = held_place(r, a, time);
        for (size_t b = a + 1; b < r->ends; ++b) {
            if (!r->held[b] || !isfinite(r->way[b]))
                continue;
            double away = px_length(px_sub(held_place(r, b, time), here));
            if (away <= (1 + REACH_SLACK) * r->way[b] + 1e-6)
                continue;
            char text[500], one[130], other[130];
            snprintf(
                text, sizeof text,
                "cannot be kept: at %.3g s %s and %s hold it and joints[%zu] %.3g m apart, and "
                "what is between them reaches %.3g m",
                time, holder_of(r, b, one, sizeof one), holder_of(r, a, other, sizeof other), a / 2,
                away, r->way[b]);
            complain_joint(r->j, b / 2, NULL, PX_ERROR, text);
            return true;
        }
    }
    return false;
}

static double apart_of(const PxJointDef *def)
{
    if (def->breaks > 0 || def->kind == PX_JOINT_SPRING)
        return INFINITY;
    if (def->kind != PX_JOINT_SLIDER)
        return 0;
    return def->low <= def->high ? fmax(fabs(def->low), fabs(def->high)) : INFINITY;
}

static PxStatus make_reach(Reach *r)
{
    const PxScene *scene = r->j->rigids->scene;
    bool good = r->body != NULL && r->at != NULL && r->apart != NULL && r->key != NULL &&
                r->keys != NULL && r->held != NULL && r->way != NULL && r->done != NULL;
    for (size_t k = 0; good && k < scene->bodies; ++k) {
        const PxSceneThing *is = &scene->body[k].is;
        if (is->keyframes == 0)
            continue;
        size_t keys = px_scene_keyframes(is->keyframe, is->keyframes, NULL);
        r->key[k] = malloc(keys * sizeof **r->key);
        good = r->key[k] != NULL;
        if (good)
            r->keys[k] = px_scene_keyframes(is->keyframe, is->keyframes, r->key[k]);
    }
    if (!good)
        return px_fail(PX_ERR_MEMORY, "scene: no room for %zu joints", r->ends / 2);
    for (size_t k = 0; k < r->ends / 2; ++k) {
        r->apart[k] = apart_of(def_of(r->j, k));
        r->body[2 * k] = body_of(r->j, k, "body");
        r->body[2 * k + 1] = body_of(r->j, k, "to");
        r->at[2 * k] = r->at[2 * k + 1] = def_of(r->j, k)->at;
    }
    return PX_OK;
}

/* Joints whose loop keyframes pull apart, at the times of the keyframes. */
static PxStatus check_reach(const Joints *j)
{
    size_t joints = j->list->count, ends = 2 * joints, bodies = j->rigids->scene->bodies;
    Reach r = {.j = j,
               .ends = ends,
               .body = malloc(ends * sizeof *r.body),
               .at = malloc(ends * sizeof *r.at),
               .apart = malloc(joints * sizeof *r.apart),
               .key = calloc(bodies + 1, sizeof *r.key),
               .keys = calloc(bodies + 1, sizeof *r.keys),
               .held = malloc(ends * sizeof *r.held),
               .way = malloc(ends * sizeof *r.way),
               .done = malloc(ends * sizeof *r.done)};
    PxStatus status = make_reach(&r);
    bool bad = false;
    for (size_t k = 0; status == PX_OK && !bad && k < ends; ++k) {
        size_t body = r.body[k];
        for (size_t n = 0; body != SIZE_MAX && !bad && n < r.keys[body]; ++n)
            if (is_held(&r, body, r.key[body][n].time))
                bad = check_reach_at(&r, r.key[body][n].time);
    }
    for (size_t k = 0; r.key != NULL && k < bodies; ++k)
        free(r.key[k]);
    free(r.key);
    free(r.keys);
    free(r.body);
    free(r.at);
    free(r.apart);
    free(r.held);
    free(r.way);
    free(r.done);
    return status;
}

static PxStatus check_joints(Rigids *r)
{
    Joints j = {.rigids = r};
    while (px_kinds[j.number] != px_kind_of_list("joints"))
        ++j.number;
    j.list = &r->scene->list[j.number];
    for (size_t k = 0; k < j.list->count; ++k)
        check_distance(&j, k);
    if (j.list->count == 0)
        return PX_OK;
    PX_TRY(check_motors(&j));
    return j.list->count <= MOST_REACHING ? check_reach(&j) : PX_OK;
}

PxStatus px_survey_check_rigid(PxScene *scene, const PxSurvey *survey)
{
    Rigids r = {.scene = scene, .survey = survey};
    bool any = false;
    for (size_t k = 0; k < scene->bodies; ++k)
        any = any || scene->body[k].def.rigid;
    if (!any)
        return PX_OK;
    r.rigid = calloc(scene->bodies + 1, sizeof *r.rigid);
    r.wall = calloc(scene->bodies + 1, sizeof *r.wall);
    PxStatus status = PX_OK;
    if (r.rigid == NULL || r.wall == NULL)
        status = px_fail(PX_ERR_MEMORY, "scene: no room for %zu rigid bodies", scene->bodies);
    for (size_t k = 0; status == PX_OK && k < scene->bodies; ++k)
        status = make_body(&r, k);
    if (status == PX_OK) {
        compare_all(&r);
        status = check_joints(&r);
    }
    for (size_t k = 0; r.wall != NULL && k < scene->bodies; ++k)
        px_features_free(r.wall[k].features);
    free(r.rigid);
    free(r.wall);
    return status;
}
