#include "run/contact_files.h"

#include "contact/contact_surface.h"
#include "store/palette.h"
#include "store/ply_points.h"
#include "store/run_files.h"
#include "store/surface_ply.h"
#include "store/surface_stamp.h"

#include <math.h>
#include <stdlib.h>

enum { BODY, OTHER, DEPTH, COLUMNS, NAME = 40 };

/* The points of one body. */
typedef struct Body {
    uint32_t number;
    double stiffness;
    float *column[6]; /* positions, normals */
    uint32_t count;
    PxPointSurface surface;
} Body;

typedef struct Job {
    const PxContactFrame *frame;
    PxPlyPoints skin;
    PX_LIST(Body) body;
    PX_LIST(float) row[8]; /* position, normal, radius, unused */
    PX_LIST(float) column[COLUMNS];
    PxArena scratch;
} Job;

/* ---- the bodies of a frame ---- */

static uint32_t number_at(const PxColumn *c, uint32_t i)
{
    const void *data = c->data[0];
    return c->type == PX_U32   ? ((const uint32_t *)data)[i]
           : c->type == PX_I32 ? (uint32_t)((const int32_t *)data)[i]
           : c->type == PX_U8  ? ((const uint8_t *)data)[i]
           : c->type == PX_F32 ? (uint32_t)((const float *)data)[i]
                               : 0;
}

/* Adds the bodies whose points lie in one file of skins. Each body's points are one after the
 * other. A body that already has points (surfels) is left out. */
static PxStatus add_bodies(Job *j, PxRunFile kind)
{
    char path[PX_PATH_MAX];
    const PxScene *scene = j->frame->scene;
    PX_TRY(px_run_file_path(path, j->frame->dir, kind, j->frame->number));
    if (!px_file_exists(path))
        return PX_OK;
    px_ply_points_free(&j->skin);
    PX_TRY(px_surface_read(j->frame->dir, j->frame->number, path, &j->skin));
    const PxTable *t = &j->skin.points;
    const PxColumn *from[2] = {px_table_find(t, "position"), px_table_find(t, "normal")};
    const PxColumn *body = px_table_find(t, "body");
    if (t->count > 0 && (from[0] == NULL || from[1] == NULL || body == NULL ||
                         from[0]->type != PX_F32 || from[1]->type != PX_F32))
        return px_fail(PX_ERR_FORMAT, "'%s' has no positions, normals and bodies", path);
    size_t before = j->body.count;
    for (uint32_t first = 0, end; first < t->count; first = end) {
        uint32_t number = number_at(body, first);
        for (end = first; end < t->count && number_at(body, end) == number; ++end)
            continue;
        bool known = number >= scene->bodies;
        for (size_t k = 0; k < before; ++k)
            known |= j->body.data[k].number == number;
        if (known)
            continue;
        size_t material = scene->body[number].is.refers[0];
        if (material < scene->materials && scene->material[material].def.cloth.cloth)
            continue; /* it has no inside, so no depth */
        if (!PX_LIST_RESERVE(&j->body, 1))
            return px_fail(PX_ERR_MEMORY, "contact: no room for a body");
        Body *b = &j->body.data[j->body.count++];
        *b = (Body){.number = number,
                    .count = end - first,
                    .stiffness = material < scene->materials
                                     ? fmax(scene->material[material].def.young, 1)
                                     : 1};
        for (int k = 0; k < 6; ++k) {
            b->column[k] = malloc(((size_t)b->count + 1) * sizeof(float));
            if (b->column[k] == NULL)
                return px_fail(PX_ERR_MEMORY, "contact: no room for %u points", b->count);
            for (uint32_t i = 0; i < b->count; ++i)
                b->column[k][i] = ((const float *)from[k / 3]->data[k % 3])[first + i];
        }
        PX_TRY(px_point_surface_make(&b->surface, (const float *const *)b->column,
                                     (const float *const *)b->column + 3, b->count, &j->scratch));
    }
    return PX_OK;
}

/* ---- pairs ---- */

static PxStatus take_nodes(Job *j, const PxContactNodes *nodes, double spacing, uint32_t body,
                           uint32_t other)
{
    bool room = true;
    for (int k = 0; k < 7; ++k)
        room = room && PX_LIST_RESERVE(&j->row[k], nodes->count);
    for (int k = 0; k < COLUMNS; ++k)
        room = room && PX_LIST_RESERVE(&j->column[k], nodes->count);
    if (!room)
        return px_fail(PX_ERR_MEMORY, "contact: no room for %zu nodes", nodes->count);
    for (size_t i = 0; i < nodes->count; ++i) {
        const PxContactNode *n = &nodes->data[i];
        /* discs of 0.75 spacings leave no hole between nodes of any lattice */
        const double row[7] = {n->at.x,     n->at.y,     n->at.z,       n->normal.x,
                               n->normal.y, n->normal.z, 0.75 * spacing};
        const double column[COLUMNS] = {body, other, n->depth};
        for (int k = 0; k < 7; ++k)
            j->row[k].data[j->row[k].count++] = (float)row[k];
        for (int k = 0; k < COLUMNS; ++k)
            j->column[k].data[j->column[k].count++] = (float)column[k];
    }
    return PX_OK;
}

static PxStatus meet(Job *j, const PxContactSide *a, uint32_t body, const PxContactSide *b,
                     uint32_t other)
{
    PxContactPair pair = {.side = {*a, *b}, .reach = j->frame->reach};
    PxContactNodes nodes = {0};
    double spacing;
    PxStatus status = px_contact_surface(&pair, &j->scratch, &nodes, &spacing);
    if (status == PX_OK)
        status = take_nodes(j, &nodes, spacing, body, other);
    PX_LIST_FREE(&nodes);
    return status;
}

static PxStatus meet_all(Job *j)
{
    for (size_t a = 0; a < j->body.count; ++a) {
        const Body *one = &j->body.data[a];
        PxContactSide side = {&one->surface, NULL, one->stiffness};
        for (size_t b = a + 1; b < j->body.count; ++b) {
            const Body *two = &j->body.data[b];
            PxContactSide other = {&two->surface, NULL, two->stiffness};
            if (one->number != two->number)
                PX_TRY(meet(j, &side, one->number, &other, two->number));
        }
        for (size_t w = 0; w < j->frame->walls->count; ++w) {
            const PxWall *wall = &j->frame->walls->wall[w];
            PxContactSide other = {NULL, wall, PX_CONTACT_RIGID};
            PX_TRY(meet(j, &side, one->number, &other, wall->boundary.body));
        }
    }
    return PX_OK;
}

/* ---- the file ---- */

static PxStatus write_nodes(Job *j)
{
    static const char *const names[COLUMNS] = {"body", "other", "depth"};
    const PxContactFrame *f = j->frame;
    size_t n = j->row[0].count;
    float(*triple[2])[3] = {malloc((n + 1) * sizeof **triple), malloc((n + 1) * sizeof **triple)};
    char name[COLUMNS][NAME];
    float *column[COLUMNS];
    PxText text = {0};
    PxStatus status = triple[0] != NULL && triple[1] != NULL
                          ? PX_OK
                          : px_fail(PX_ERR_MEMORY, "contact: no room for %zu nodes", n);
    for (size_t i = 0; i < n && status == PX_OK; ++i)
        for (int k = 0; k < 6; ++k)
            triple[k / 3][i][k % 3] = j->row[k].data[i];
    for (int k = 0; k < COLUMNS; ++k) {
        snprintf(name[k], NAME, "%s", names[k]);
        column[k] = j->column[k].data;
    }
    px_text_add(&text, "phyxel contact surfaces of frame %u, %c up, SI units\nstamp %s\n%s\ntime ",
                f->number, j->skin.up, f->stamp, f->settings);
    px_text_add_f64(&text, j->skin.time);
    px_text_add(&text, "\n%c", '\0');
    if (status == PX_OK)
        status = px_text_check(&text, f->path);
    PxPlyPart part = {.vertices = (uint32_t)n,
                      .position = (const float(*)[3])triple[0],
                      .normal = (const float(*)[3])triple[1],
                      .radius = j->row[6].data,
                      .column = column,
                      .colour = {224, 96, 40}};
    PxPlySurface surface = {.comment = text.data,
                            .part = &part,
                            .parts = 1,
                            .name = name,
                            .columns = COLUMNS,
                            .colour = -1,
                            .surfels = true};
    if (status == PX_OK)
        status = px_surface_ply_write(f->path, &surface);
    px_text_free(&text);
    free(triple[0]);
    free(triple[1]);
    return status;
}

static PxStatus run_job(Job *j)
{
    PX_TRY(add_bodies(j, PX_FILE_SKIN_SURFELS));
    PX_TRY(add_bodies(j, PX_FILE_SKIN));
    if (j->body.count == 0)
        return px_fail(PX_ERR_ARGUMENT,
                       "no body of the frame has a skin; contact surfaces are between solids");
    PX_TRY(meet_all(j));
    return write_nodes(j);
}

PxStatus px_contact_frame(const PxContactFrame *frame, uint64_t *nodes)
{
    Job j = {.frame = frame};
    px_table_init(&j.skin.points, NULL);
    px_arena_init(&j.scratch, NULL);
    PxStatus status = run_job(&j);
    *nodes = j.row[0].count;
    for (size_t k = 0; k < j.body.count; ++k) {
        px_point_surface_free(&j.body.data[k].surface);
        for (int c = 0; c < 6; ++c)
            free(j.body.data[k].column[c]);
    }
    for (int k = 0; k < 8; ++k)
        PX_LIST_FREE(&j.row[k]);
    for (int k = 0; k < COLUMNS; ++k)
        PX_LIST_FREE(&j.column[k]);
    PX_LIST_FREE(&j.body);
    px_arena_free(&j.scratch);
    px_ply_points_free(&j.skin);
    return status;
}
