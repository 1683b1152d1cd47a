/// Makes the whitewater of a run from its frames, one after the other.
#include "phyxel/surface.h"

#include "base/def.h"
#include "base/profile.h"
#include "base/stop.h"
#include "phyxel/run.h"
#include "scene/content.h"
#include "scene/scene_walls.h"
#include "store/frame.h"
#include "store/run_files.h"
#include "store/surface_ply.h"
#include "store/surface_stamp.h"
#include "surface/foam.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Steps between two frames: particles of that speed move by at most this many spacings in one. */
#define FARTHEST 1.0
#define MOST_STEPS 16
/* Frames that tell the speed of violent flow, its quantile, and its least value, m/s: slower water
 * entrains no air. */
#define FRAMES_SEEN 9
#define QUANTILE 0.99
#define LEAST_SPEED 0.6

static PxFoamRunDef foam_run_def_defaults(void)
{
    return (PxFoamRunDef){.amount = 1, .life = 2};
}

PX_DEF(PxFoamRunDef, foam_run_def, "foam")

/* The liquids of one frame. */
typedef struct Liquids {
    PxFrameMeta meta;
    PxTable rigid;
    float *x[3], *v[3];
    uint64_t *id;
    uint32_t count;
} Liquids;

typedef struct Job {
    const PxFoamRunDef *def;
    PxScene *scene; /* NULL: unknown */
    PxSceneWalls walls;
    const PxWall **wall;
    PxThreads threads;
    PxStop stop;
    PxFoam foam;
    PxFoamDef foam_def;
    char settings[200];
} Job;

static void liquids_free(Liquids *l)
{
    for (int c = 0; c < 3; ++c) {
        free(l->x[c]);
        free(l->v[c]);
    }
    free(l->id);
    px_table_free(&l->rigid);
    *l = (Liquids){0};
}

static bool is_liquid(const Job *job, uint32_t material)
{
    return job->scene == NULL || material >= job->scene->materials ||
           !(job->scene->material[material].def.young > 0);
}

static const void *column(const PxTable *table, const char *name, PxType type, uint32_t component)
{
    const PxColumn *c = px_table_find(table, name);
    return c != NULL && c->type == type && component < c->components ? c->data[component] : NULL;
}

static PxStatus liquids_read(Job *job, uint32_t number, Liquids *out)
{
    PxTable table;
    *out = (Liquids){0};
    px_table_init(&table, NULL);
    px_table_init(&out->rigid, NULL);
    PxStatus status = px_frame_read(job->def->dir, number, &out->meta, &table, &job->threads);
    if (status == PX_OK)
        status = px_frame_read_rigid(job->def->dir, number, &out->rigid, &job->threads);
    const uint32_t *material = column(&table, "material", PX_U32, 0);
    const uint64_t *id = column(&table, "id", PX_U64, 0);
    const float *x[3], *v[3];
    bool there = id != NULL;
    for (uint32_t c = 0; c < 3; ++c) {
        x[c] = column(&table, "position", PX_F32, c);
        v[c] = column(&table, "velocity", PX_F32, c);
        there = there && x[c] != NULL && v[c] != NULL;
        out->x[c] = malloc(((size_t)table.count + 1) * sizeof(float));
        out->v[c] = malloc(((size_t)table.count + 1) * sizeof(float));
        if (status == PX_OK && (out->x[c] == NULL || out->v[c] == NULL))
            status = px_fail(PX_ERR_MEMORY, "foam: no room for %u particles", table.count);
    }
    out->id = malloc(((size_t)table.count + 1) * sizeof *out->id);
    if (status == PX_OK && out->id == NULL)
        status = px_fail(PX_ERR_MEMORY, "foam: no room for %u particles", table.count);
    if (status == PX_OK && !there && table.count > 0)
        status =
            px_fail(PX_ERR_FORMAT, "foam: frame %u has no ids, positions or velocities", number);
    for (uint32_t i = 0; status == PX_OK && i < table.count; ++i) {
        if (material != NULL && !is_liquid(job, material[i]))
            continue;
        for (int c = 0; c < 3; ++c) {
            out->x[c][out->count] = x[c][i];
            out->v[c][out->count] = v[c][i];
        }
        out->id[out->count++] = id[i];
    }
    px_table_free(&table);
    return status;
}

/* ---- the speed of violent flow ---- */

static int by_size(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static PxStatus find_speed(Job *job, const PxNumbers *numbers)
{
    double fastest = 0;
    size_t seen = numbers->count < FRAMES_SEEN ? numbers->count : FRAMES_SEEN;
    for (size_t k = 0; k < seen; ++k) {
        Liquids l;
        size_t at = seen > 1 ? k * (numbers->count - 1) / (seen - 1) : 0;
        PxStatus status = liquids_read(job, numbers->data[at], &l);
        for (uint32_t i = 0; status == PX_OK && i < l.count; ++i)
            l.x[0][i] =
                sqrtf(l.v[0][i] * l.v[0][i] + l.v[1][i] * l.v[1][i] + l.v[2][i] * l.v[2][i]);
        if (status == PX_OK && l.count > 0) {
            qsort(l.x[0], l.count, sizeof(float), by_size);
            fastest = fmax(fastest, (double)l.x[0][(uint32_t)(QUANTILE * (l.count - 1))]);
        }
        liquids_free(&l);
        PX_TRY(status);
    }
    job->foam_def.speed = fmax(fastest, LEAST_SPEED);
    return PX_OK;
}

/* ---- from frame to frame ---- */

typedef struct Row {
    uint64_t id;
    uint32_t row;
} Row;

static int by_id(const void *a, const void *b)
{
    const Row *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

/* Rows of `to` by row of `from`, UINT32_MAX where the particle is gone. */
static PxStatus match(const Liquids *from, const Liquids *to, uint32_t **out)
{
    Row *row = malloc(((size_t)to->count + 1) * sizeof *row);
    *out = malloc(((size_t)from->count + 1) * sizeof **out);
    if (row == NULL || *out == NULL) {
        free(row);
        return px_fail(PX_ERR_MEMORY, "foam: no room for %u particles", to->count);
    }
    for (uint32_t i = 0; i < to->count; ++i)
        row[i] = (Row){to->id[i], i};
    qsort(row, to->count, sizeof *row, by_id);
    for (uint32_t i = 0; i < from->count; ++i) {
        Row key = {from->id[i], 0};
        const Row *found = bsearch(&key, row, to->count, sizeof *row, by_id);
        (*out)[i] = found != NULL ? found->row : UINT32_MAX;
    }
    free(row);
    return PX_OK;
}

/* Moves the walls to a time between two frames. */
static void place_walls(Job *job, const Liquids *now, double time)
{
    for (size_t k = 0; k < job->walls.count; ++k) {
        px_frame_pose(&now->rigid, &job->walls.wall[k]);
        px_wall_move(&job->walls.wall[k], time, 0);
    }
}

/* Positions and velocities between two frames: a cubic through both. */
static void blend(const Liquids *from, const Liquids *to, const uint32_t *row, double u, double h,
                  Liquids *out)
{
    double u2 = u * u, u3 = u2 * u;
    out->count = 0;
    for (uint32_t i = 0; i < from->count; ++i) {
        uint32_t j = row[i], n = out->count;
        if (j == UINT32_MAX)
            continue;
        for (int c = 0; c < 3; ++c) {
            double a = (double)from->x[c][i], b = (double)to->x[c][j];
            double va = (double)from->v[c][i] * h, vb = (double)to->v[c][j] * h;
            out->x[c][n] = (float)((2 * u3 - 3 * u2 + 1) * a + (u3 - 2 * u2 + u) * va +
                                   (3 * u2 - 2 * u3) * b + (u3 - u2) * vb);
            out->v[c][n] = (float)((va + (vb - va) * u) / h);
        }
        out->id[n] = from->id[i];
        ++out->count;
    }
}

static PxStatus blend_room(uint32_t count, Liquids *out)
{
    *out = (Liquids){0};
    px_table_init(&out->rigid, NULL);
    bool room = (out->id = malloc(((size_t)count + 1) * sizeof *out->id)) != NULL;
    for (int c = 0; c < 3; ++c) {
        out->x[c] = malloc(((size_t)count + 1) * sizeof(float));
        out->v[c] = malloc(((size_t)count + 1) * sizeof(float));
        room = room && out->x[c] != NULL && out->v[c] != NULL;
    }
    return room ? PX_OK : px_fail(PX_ERR_MEMORY, "foam: no room for %u particles", count);
}

static PxStatus advance(Job *job, const Liquids *from, const Liquids *to)
{
    double h = to->meta.time - from->meta.time, s = from->meta.spacing;
    if (!(h > 0) || from->count == 0)
        return PX_OK;
    uint32_t *row = NULL;
    Liquids now = {0};
    px_table_init(&now.rigid, NULL);
    int steps = (int)fmin(ceil(job->foam_def.speed * h / (FARTHEST * s)), MOST_STEPS);
    PxStatus status = match(from, to, &row);
    if (status == PX_OK)
        status = blend_room(from->count, &now);
    for (int k = 0; k < steps && status == PX_OK; ++k) {
        double u = (k + 0.5) / steps;
        blend(from, to, row, u, h, &now);
        place_walls(job, to, from->meta.time + u * h);
        const PxFoamFluid fluid = {.x = {now.x[0], now.x[1], now.x[2]},
                                   .v = {now.v[0], now.v[1], now.v[2]},
                                   .id = now.id,
                                   .count = now.count};
        status = px_foam_step(&job->foam, &job->foam_def, &fluid,
                              (uint64_t)to->meta.number * 64 + (uint64_t)k, h / steps);
        if (status == PX_OK && px_stopped(&job->threads))
            status = px_fail(PX_ERR_STOPPED, "foam: stopped at frame %u", to->meta.number);
    }
    free(row);
    liquids_free(&now);
    return status;
}

/* ---- files ---- */

enum { VX, VY, VZ, KIND, LEFT, COLUMNS };

static PxStatus write_foam(Job *job, const PxFrameMeta *meta)
{
    static const char *const names[COLUMNS] = {"vx", "vy", "vz", "kind", "left"};
    char path[PX_PATH_MAX], stamp[PX_STAMP_SIZE], name[COLUMNS][40] = {""};
    uint32_t count = (uint32_t)job->foam.grains.count;
    size_t room = (size_t)count + 1;
    float(*position)[3] = malloc(room * sizeof *position), *radius = malloc(room * sizeof *radius);
    float(*normal)[3] = malloc(room * sizeof *normal), *value[COLUMNS];
    bool good = position != NULL && normal != NULL && radius != NULL;
    for (int k = 0; k < COLUMNS; ++k) {
        strcpy(name[k], names[k]);
        good = (value[k] = malloc(room * sizeof(float))) != NULL && good;
    }
    PxText text = {0};
    PxStatus status =
        good ? PX_OK : px_fail(PX_ERR_MEMORY, "foam: no room to write %u particles", count);
    for (uint32_t i = 0; good && i < count; ++i) {
        const PxFoamGrain *g = &job->foam.grains.data[i];
        memcpy(position[i], g->x, sizeof g->x);
        normal[i][0] = 0;
        normal[i][1] = meta->up == 'y';
        normal[i][2] = meta->up == 'z';
        radius[i] = g->radius;
        for (int c = 0; c < 3; ++c)
            value[VX + c][i] = g->v[c];
        value[KIND][i] = (float)g->kind;
        value[LEFT][i] = g->left;
    }
    if (status == PX_OK)
        status = px_surface_stamp(job->def->dir, meta->number, job->settings, stamp);
    if (status == PX_OK)
        status = px_run_file_path(path, job->def->dir, PX_FILE_FOAM, meta->number);
    px_text_add(&text, "phyxel foam of frame %u, %c up, SI units\nstamp %s\n%s\ntime ",
                meta->number, meta->up, status == PX_OK ? stamp : "", job->settings);
    px_text_add_f64(&text, meta->time);
    px_text_add(&text, "\n%c", '\0');
    if (status == PX_OK)
        status = px_text_check(&text, "foam");
    PxPlyPart part = {.vertices = count,
                      .position = (const float(*)[3])position,
                      .normal = (const float(*)[3])normal,
                      .radius = radius,
                      .column = value,
                      .colour = {255, 255, 255}};
    PxPlySurface surface = {.comment = text.data,
                            .part = &part,
                            .parts = 1,
                            .name = name,
                            .columns = COLUMNS,
                            .colour = -1,
                            .surfels = true};
    if (status == PX_OK)
        status = px_surface_ply_write(path, &surface);
    free(position);
    free(normal);
    free(radius);
    for (int k = 0; k < COLUMNS; ++k)
        free(value[k]);
    px_text_free(&text);
    return status;
}

/* ---- the whole run ---- */

/* Settings as the files state them. */
#define SETTINGS "foam amount %.9g, life %.9g s, speed %.9g m/s"
#define SETTINGS_READ "foam amount %lf, life %lf s, speed %lf m/s"

/* Whether some frames have foam and others lack it or have that of another frame; takes the
 * settings of the last one. */
static PxStatus find_lacking(PxFoamRunDef *def, const PxNumbers *frames, bool *lacking)
{
    enum { HEADER = 4096 };
    PxNumbers there;
    char path[PX_PATH_MAX], header[HEADER];
    bool found = false, all = true;
    PX_TRY(px_run_file_numbers(def->dir, PX_FILE_FOAM, &there));
    PxStatus status = PX_OK;
    for (size_t k = there.count; status == PX_OK && k-- > 0 && !found;) {
        status = px_run_file_path(path, def->dir, PX_FILE_FOAM, there.data[k]);
        const char *at = NULL;
        if (status == PX_OK && px_surface_ply_header(path, header, sizeof header) == PX_OK)
            at = strstr(header, "comment foam amount ");
        found = at != NULL &&
                sscanf(at, "comment " SETTINGS_READ, &def->amount, &def->life, &def->speed) == 3;
    }
    for (size_t k = 0; status == PX_OK && found && k < frames->count; ++k) {
        status = px_run_file_path(path, def->dir, PX_FILE_FOAM, frames->data[k]);
        all = all && px_file_exists(path) &&
              px_surface_stamp_check(def->dir, frames->data[k], path) == PX_OK;
    }
    *lacking = found && !all;
    PX_LIST_FREE(&there);
    return status;
}

static PxStatus open_job(Job *job)
{
    const PxFoamRunDef *def = job->def;
    if (!(def->amount > 0 && def->amount <= 1000) || !(def->life > 0 && def->life <= 1e6) ||
        !(def->speed >= 0 && def->speed <= 1e6))
        return px_fail(PX_ERR_ARGUMENT,
                       "foam: amount %g, life %g s, speed %g m/s; wanted above 0 to 1000, above 0 "
                       "to 1e6, 0 to 1e6",
                       def->amount, def->life, def->speed);
    PX_TRY(px_threads_check(def->threads, "foam"));
    job->threads.count = def->threads > 0 ? def->threads : px_threads_available();
    px_stop_begin(&job->stop, def->stop, def->stop_user);
    job->threads.stop = &job->stop;
    job->foam_def = (PxFoamDef){.amount = def->amount,
                                .life = def->life,
                                .speed = def->speed,
                                .threads = {.count = job->threads.count}};
    if (px_run_scene(def->dir, &job->scene) != PX_OK) {
        px_scene_free(job->scene);
        job->scene = NULL;
        return PX_OK;
    }
    job->foam_def.gravity = job->scene->world.gravity;
    PxStatus status = px_scene_walls(job->scene, &job->walls);
    if (status != PX_OK)
        return px_fail_prefix(status, "foam: the walls of the scene: ");
    job->wall = malloc((job->walls.count + 1) * sizeof *job->wall);
    if (job->wall == NULL)
        return px_fail(PX_ERR_MEMORY, "foam: no room for %zu walls", job->walls.count);
    for (size_t k = 0; k < job->walls.count; ++k)
        job->wall[k] = &job->walls.wall[k];
    job->foam_def.wall = job->wall;
    job->foam_def.walls = job->walls.count;
    return PX_OK;
}

static PxStatus make_all(Job *job, const PxNumbers *numbers, PxSurfaceFunction *each, void *user,
                         PxSurfaceReport *made)
{
    double began = px_clock();
    PxSurfaceProgress progress = {.total = (uint32_t)numbers->count, .left = -1};
    Liquids last = {0};
    px_table_init(&last.rigid, NULL);
    PxStatus status = PX_OK;
    for (size_t k = 0; k < numbers->count && status == PX_OK; ++k) {
        Liquids next;
        if (k > 0 && numbers->data[k] != numbers->data[k - 1] + 1)
            status = px_fail(PX_ERR_FORMAT, "foam: frame %u of '%s' is missing",
                             numbers->data[k - 1] + 1, job->def->dir);
        if (status == PX_OK && each != NULL && !each(user, &progress))
            status = px_fail(PX_ERR_STOPPED, "foam: stopped before frame %u", numbers->data[k]);
        if (status != PX_OK)
            break;
        status = liquids_read(job, numbers->data[k], &next);
        job->foam_def.spacing = next.meta.spacing;
        if (status == PX_OK && k > 0)
            status = advance(job, &last, &next);
        if (status == PX_OK)
            status = write_foam(job, &next.meta);
        liquids_free(&last);
        last = next;
        if (status != PX_OK)
            break;
        progress.done = progress.made = made->made = (uint32_t)k + 1;
        progress.elements = job->foam.grains.count;
        progress.wall = px_clock() - began;
        progress.left = progress.wall / progress.done * (progress.total - progress.done);
    }
    liquids_free(&last);
    if (status == PX_OK && each != NULL)
        each(user, &progress);
    made->wall = px_clock() - began;
    return status;
}

PxStatus px_foam_run_sized(const PxFoamRunDef *given, PxSurfaceFunction *each, void *user,
                           PxSurfaceReport *report, size_t size)
{
    PxSurfaceReport made = {0};
    px_result_put(report, size, 0, &made, sizeof made);
    PxFoamRunDef read;
    PX_TRY(read_foam_run_def(given, &read));
    Job job = {.def = &read};
    char folder[PX_PATH_MAX] = "";
    PxNumbers numbers = {0};
    bool lacking = true;
    PxStatus status = read.dir != NULL && read.dir[0] != '\0'
                          ? px_frame_list(read.dir, &numbers)
                          : px_fail(PX_ERR_ARGUMENT, "foam: the def has no folder");
    if (status == PX_OK && read.complete)
        status = find_lacking(&read, &numbers, &lacking);
    if (!lacking) {
        PX_LIST_FREE(&numbers);
        return status;
    }
    if (status == PX_OK)
        status = open_job(&job);
    if (status == PX_OK && numbers.count == 0)
        status = px_fail(PX_ERR_ARGUMENT, "foam: '%s' has no frames", read.dir);
    if (status == PX_OK && !(job.foam_def.speed > 0))
        status = find_speed(&job, &numbers);
    snprintf(job.settings, sizeof job.settings, SETTINGS, read.amount, read.life,
             job.foam_def.speed);
    if (status == PX_OK)
        status = px_path_join(folder, read.dir, "%s", px_run_file_folder(PX_FILE_FOAM));
    if (status == PX_OK)
        status = px_refuse_link(folder);
    if (status == PX_OK)
        status = px_folder_make(folder);
    if (status == PX_OK)
        status = make_all(&job, &numbers, each, user, &made);
    made.scene = job.scene != NULL;
    snprintf(made.out, sizeof made.out, "%.1000s", folder);
    px_result_put(report, size, 0, &made, sizeof made);
    PX_LIST_FREE(&numbers);
    px_foam_free(&job.foam);
    free(job.wall);
    px_scene_walls_free(&job.walls);
    px_scene_free(job.scene);
    return status;
}
