/// Makes the surfaces of a run, from DIR/frames to DIR/surface, and skips those that are up to
/// date.
///
/// Comments in the header of a surface file hold a digest of its frame and settings (the stamp)
/// and its measured quantities. So the first few hundred bytes of each file tell whether it is up
/// to date and give its rows of measure.csv, also after an interruption.
#include "base/profile.h"
#include "base/def.h"
#include "base/stop.h"
#include "phyxel/run.h"
#include "phyxel/suggest.h"
#include "phyxel/version.h"
#include "run/contact_files.h"
#include "scene/content.h"
#include "scene/scene_walls.h"
#include "store/column_form.h"
#include "store/frame.h"
#include "store/palette.h"
#include "store/ply_points.h"
#include "store/run_files.h"
#include "store/surface_ply.h"
#include "store/surface_stamp.h"
#include "surface/mesh/snap.h"
#include "surface/surface.h"
#include "world/attached/skins.h"
#include "world/kinds/value_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_MATERIALS = 64, HEADER = 16384, NAME = 40, PAINTS = 4 };

/* Version of the method: increase it when the same settings give other surfaces, so that old files
 * are remade. */
#define MAKE 5

static PxSurfaceRunDef surface_run_def_defaults(void)
{
    return (PxSurfaceRunDef){
        .surface = px_surface_def_default(), .last = UINT32_MAX, .stretch = 0.25};
}

PX_DEF(PxSurfaceRunDef, surface_run_def, "surface")

/* Words of the settings that stand before and after the list of columns. */
#define COLUMNS_FOLLOW ", columns "
#define WALLS_FOLLOW ", walls "

typedef struct Job {
    const PxSurfaceRunDef *def;
    PxSurfaceRunDef completed; /* def, with the settings of what is there */
    char columns_there[256];
    PxThreads threads;
    PxStop stop;
    PxScene *scene; /* NULL when run.json is unusable */
    PxSceneWalls walls;
    char out[PX_PATH_MAX];
    char settings[1024];                   /* as text, for the stamp */
    bool nothing;                          /* there is nothing to complete */
    bool one;                              /* only one material */
    uint32_t material;                     /* which */
    uint64_t elements;                     /* of the last surface made */
    uint32_t made, done;                   /* frames */
    bool sheets;                           /* some frame has cloth */
    uint64_t crossed;                      /* pairs of triangles that cross */
    char column[PX_SURFACE_COLUMNS][NAME]; /* requested columns */
    uint32_t columns;
} Job;

/* ---- settings --------------------------------------------------------------- */

static PxRunFile kind_of(const PxSurfaceRunDef *def)
{
    return def->contact ? PX_FILE_CONTACT : def->surfels ? PX_FILE_SURFELS : PX_FILE_SURFACE;
}

static const char *material_name(const Job *job, uint32_t material, char text[NAME])
{
    if (job->scene != NULL && material < job->scene->materials)
        return job->scene->material[material].def.name;
    snprintf(text, NAME, "%u", material);
    return text;
}

static PxStatus find_material(Job *job)
{
    const char *wanted = job->def->material, *names[MOST_MATERIALS];
    size_t count = job->scene != NULL ? job->scene->materials : 0;
    if (wanted == NULL)
        return PX_OK;
    job->one = true;
    for (size_t k = 0; k < count; ++k) {
        if (strcmp(job->scene->material[k].def.name, wanted) == 0) {
            job->material = (uint32_t)k;
            return PX_OK;
        }
        if (k < MOST_MATERIALS)
            names[k] = job->scene->material[k].def.name;
    }
    char *end;
    unsigned long number = strtoul(wanted, &end, 10);
    if (end != wanted && *end == '\0' && number < 0xffffffffu && wanted[0] != '-') {
        job->material = (uint32_t)number;
        return PX_OK;
    }
    px_fail_unknown("material", wanted, names, count < MOST_MATERIALS ? count : MOST_MATERIALS);
    return px_fail_prefix(PX_ERR_ARGUMENT, "surface: ");
}

/* Parses the comma-separated list of requested columns. */
static PxStatus find_columns(Job *job)
{
    for (const char *at = job->def->columns; at != NULL && *at != '\0';) {
        size_t length = strcspn(at, ",");
        if (length == 0 || length >= PX_TABLE_NAME)
            return px_fail(PX_ERR_ARGUMENT,
                           "surface: columns are '%.60s', wanted names with commas "
                           "between them",
                           job->def->columns);
        if (job->columns == PX_SURFACE_COLUMNS)
            return px_fail(PX_ERR_ARGUMENT, "surface: more than %u columns", PX_SURFACE_COLUMNS);
        snprintf(job->column[job->columns++], NAME, "%.*s", (int)length, at);
        at += length + (at[length] == ',');
    }
    return PX_OK;
}

/* Whether the run stored a skin for the body, which then needs no other surface. */
static bool has_skin(const Job *job, uint32_t body)
{
    if (job->scene == NULL || body >= job->scene->bodies || !px_scene_is_solid(job->scene, body))
        return false;
    const PxSceneBody *of = &job->scene->body[body];
    return px_body_has_skin(&of->def, &job->scene->material[of->is.refers[0]].def);
}

static bool any_skin(const Job *job)
{
    for (uint32_t b = 0; job->scene != NULL && b < job->scene->bodies; ++b)
        if (has_skin(job, b))
            return true;
    return false;
}

/* Writes all settings that a surface depends on besides the frame. */
static void write_settings(Job *job)
{
    const PxSurfaceDef *d = &job->def->surface;
    const PxSurfaceField *field = px_surface_field(0);
    for (uint32_t k = 0; px_surface_field(k) != NULL; ++k)
        if (strcmp(px_surface_field(k)->name, d->field) == 0)
            field = px_surface_field(k);
    snprintf(
        job->settings, sizeof job->settings,
        "phyxel %s, make %d, %s of field %s, cell %.9g, radius %.9g, iso %.9g, smoothing %.9g, gap "
        "%.9g, sink %.9g, stretch %.9g" COLUMNS_FOLLOW "%.200s" WALLS_FOLLOW "%s%s",
        PX_VERSION, MAKE, px_run_file_folder(kind_of(job->def)), d->field, d->cell,
        d->radius > 0 ? d->radius : field->radius, d->iso > 0 ? d->iso : field->iso,
        d->smoothing < 0 ? field->smoothing : d->smoothing, d->gap, d->sink, job->def->stretch,
        job->def->columns != NULL ? job->def->columns : "-",
        job->walls.count > 0 ? px_scene_hash(job->scene) : "none",
        any_skin(job) ? ", without what has a skin" : "");
}

/* Takes the settings of a surface file, as write_settings() writes them; false if it has none. */
static bool take_settings(Job *job, const char *header)
{
    PxSurfaceDef *d = &job->completed.surface;
    char field[NAME], cell[NAME];
    const char *at = strstr(header, " of field ");
    const char *columns = at != NULL ? strstr(at, COLUMNS_FOLLOW) : NULL;
    const char *walls = columns != NULL ? strstr(columns, WALLS_FOLLOW) : NULL;
    if (walls == NULL || sscanf(at,
                                " of field %39[^,], cell %39[^,], radius %lf, iso %lf, smoothing "
                                "%lf, gap %lf, sink %lf, stretch %lf",
                                field, cell, &d->radius, &d->iso, &d->smoothing, &d->gap, &d->sink,
                                &job->completed.stretch) != 8)
        return false;
    d->field = NULL;
    for (uint32_t k = 0; px_surface_field(k) != NULL; ++k)
        if (strcmp(px_surface_field(k)->name, field) == 0)
            d->field = px_surface_field(k)->name;
    d->cell = strtod(cell, NULL);
    columns += strlen(COLUMNS_FOLLOW);
    snprintf(job->columns_there, sizeof job->columns_there, "%.*s", (int)(walls - columns),
             columns);
    job->completed.columns = strcmp(job->columns_there, "-") != 0 ? job->columns_there : NULL;
    job->completed.no_walls = strncmp(walls + strlen(WALLS_FOLLOW), "none", 4) == 0;
    return d->field != NULL;
}

/* Finds the last surface that px_surface_run() made, and takes its settings. */
static PxStatus find_settings(Job *job, bool *found)
{
    PxNumbers numbers;
    char path[PX_PATH_MAX], *header = malloc(HEADER);
    *found = false;
    if (header == NULL)
        return px_fail(PX_ERR_MEMORY, "surface: no room for a header");
    PxStatus status = px_run_file_numbers(job->def->dir, kind_of(job->def), &numbers);
    for (size_t k = numbers.count; status == PX_OK && k-- > 0 && !*found;) {
        status = px_run_file_path(path, job->def->dir, kind_of(job->def), numbers.data[k]);
        *found = status == PX_OK && px_surface_ply_header(path, header, HEADER) == PX_OK &&
                 take_settings(job, header);
    }
    PX_LIST_FREE(&numbers);
    free(header);
    return status;
}

static PxStatus open_job(Job *job, const PxSurfaceRunDef *def)
{
    *job = (Job){.def = def, .completed = *def};
    if (def->dir == NULL || def->dir[0] == '\0')
        return px_fail(PX_ERR_ARGUMENT, "surface: the def has no folder");
    if (def->complete) {
        if (def->contact || def->material != NULL)
            return px_fail(PX_ERR_ARGUMENT, "surface: only whole surfaces can be completed");
        bool found;
        PX_TRY(find_settings(job, &found));
        job->nothing = !found;
        job->def = def = &job->completed;
        if (job->nothing)
            return PX_OK;
    }
    PxSurfaceDef checked;
    PX_TRY(px_surface_def_read(&def->surface, &checked));
    if (!(def->stretch >= 0 && def->stretch <= 4))
        return px_fail(PX_ERR_ARGUMENT, "surface: stretch is %g frames, wanted 0 to 4",
                       def->stretch);
    if ((def->surfels || def->contact) && def->measure)
        return px_fail(PX_ERR_ARGUMENT, "surface: surfels have no area to measure");
    if (def->contact && (def->material != NULL || def->columns != NULL))
        return px_fail(PX_ERR_ARGUMENT,
                       "surface: contact surfaces are between all bodies, and have "
                       "no other columns");
    job->threads.count = def->surface.threads > 0 ? def->surface.threads : px_threads_available();
    px_stop_begin(&job->stop, def->surface.stop, def->surface.stop_user);
    job->threads.stop = &job->stop;
    if (px_run_scene(def->dir, &job->scene) != PX_OK) {
        px_scene_free(job->scene);
        job->scene = NULL;
    }
    if (job->scene != NULL && !def->no_walls) {
        PxStatus status = px_scene_walls(job->scene, &job->walls);
        if (status != PX_OK)
            return px_fail_prefix(status, "surface: the walls of the scene: ");
    }
    PX_TRY(find_material(job));
    PX_TRY(find_columns(job));
    write_settings(job);
    char folder[NAME + 8] = "", text[NAME];
    if (job->one) {
        snprintf(folder, sizeof folder, "/%s", material_name(job, job->material, text));
        for (char *c = folder + 1; *c != '\0'; ++c)
            *c = *c == '/' || (*c == '.' && c == folder + 1) ? '_' : *c;
    }
    return px_path_join(job->out, def->dir, "%s%s", px_run_file_folder(kind_of(def)), folder);
}

static void close_job(Job *job)
{
    px_scene_walls_free(&job->walls);
    px_scene_free(job->scene);
}

/* ---- one frame -------------------------------------------------------------- */

/* Whether the file has this stamp and is not damaged. */
static bool up_to_date(Job *job, const char *path, const char *stamp)
{
    char *header = malloc(HEADER), line[64];
    snprintf(line, sizeof line, "\ncomment stamp %s\n", stamp);
    PxPlyPoints points;
    bool same = header != NULL && px_file_exists(path) &&
                px_surface_ply_header(path, header, HEADER) == PX_OK &&
                strstr(header, line) != NULL && px_ply_points_read(path, &points) == PX_OK;
    if (same) {
        same = points.checked;
        px_ply_points_free(&points);
    }
    const char *crossed = same ? strstr(header, "\ncomment crossed ") : NULL;
    if (crossed != NULL) {
        job->sheets = true;
        job->crossed += strtoull(crossed + 17, NULL, 10);
    }
    free(header);
    return same;
}

/* The particles of a frame as input of px_surface_*(). */
typedef struct Frame {
    PxFrameMeta meta;
    PxTable table;
    PxSurfaceParticles particles;
    float *made[PX_SURFACE_COLUMNS + 3]; /* converted columns, owned */
    size_t mades;
    char name[PX_SURFACE_COLUMNS][NAME];
    int colour;
    uint32_t paints; /* colour columns from coats, after those of the particles */
    uint32_t material[MOST_MATERIALS], materials;
    uint32_t count[MOST_MATERIALS];
    PxSurfaceSheet sheet; /* all cloth of the frame; its arrays are the next two */
    PxVec3 *place;
    uint32_t (*triangle)[3];
} Frame;

/* Converts one component to floats. */
static PxStatus as_floats(Frame *frame, const PxColumn *column, uint32_t component,
                          const float **out)
{
    const void *data = column->data[component];
    *out = data;
    if (column->type == PX_F32)
        return PX_OK;
    uint32_t n = frame->table.count;
    float *to = malloc(((size_t)n + 1) * sizeof *to);
    if (to == NULL)
        return px_fail(PX_ERR_MEMORY, "surface: no room for the column '%s'", column->name);
    frame->made[frame->mades++] = to;
    for (uint32_t i = 0; i < n; ++i)
        to[i] = column->type == PX_F64   ? (float)((const double *)data)[i]
                : column->type == PX_U64 ? (float)((const uint64_t *)data)[i]
                : column->type == PX_U32 ? (float)((const uint32_t *)data)[i]
                : column->type == PX_I32 ? (float)((const int32_t *)data)[i]
                                         : (float)((const uint8_t *)data)[i];
    *out = to;
    return PX_OK;
}

static PxStatus carry_column(Frame *frame, const PxColumn *column, const char *const *names)
{
    PxSurfaceParticles *p = &frame->particles;
    for (uint32_t k = 0; k < column->components; ++k) {
        if (p->columns == PX_SURFACE_COLUMNS)
            return px_fail(PX_ERR_ARGUMENT, "surface: more than %u columns", PX_SURFACE_COLUMNS);
        char *name = frame->name[p->columns];
        if (names != NULL)
            snprintf(name, NAME, "%s", names[k]);
        else
            px_component_name(column, k, name);
        PX_TRY(as_floats(frame, column, k, &p->column[p->columns]));
        ++p->columns;
    }
    return PX_OK;
}

static PxStatus carry_asked(const Job *job, Frame *frame)
{
    for (uint32_t c = 0; c < job->columns; ++c) {
        const PxColumn *column = px_table_find(&frame->table, job->column[c]);
        if (column == NULL) {
            const char *names[PX_TABLE_MAX_COLUMNS];
            for (uint32_t k = 0; k < frame->table.columns; ++k)
                names[k] = frame->table.column[k].name;
            const char *near = px_suggest(job->column[c], names, frame->table.columns);
            char list[512] = "";
            for (uint32_t k = 0, at = 0; k < frame->table.columns && at < sizeof list; ++k)
                at += (uint32_t)snprintf(list + at, sizeof list - at, "%s%s", k > 0 ? ", " : "",
                                         names[k]);
            return px_fail(PX_ERR_ARGUMENT, "there is no column '%s', wanted one of %s%s%s%s",
                           job->column[c], list, near != NULL ? "; did you mean '" : "",
                           near != NULL ? near : "", near != NULL ? "'?" : "");
        }
        bool there = false; /* velocity and others are always included */
        for (uint32_t k = 0; k < frame->particles.columns; ++k)
            there = there || frame->particles.column[k] == column->data[0];
        if (!there)
            PX_TRY(carry_column(frame, column, NULL));
    }
    return PX_OK;
}

/* Removes the particles of bodies that have a skin. */
static PxStatus drop_skinned(const Job *job, Frame *frame)
{
    const PxColumn *body = px_table_find(&frame->table, "body");
    uint32_t n = frame->table.count;
    if (!any_skin(job) || body == NULL || body->type != PX_U32 || n == 0)
        return PX_OK;
    uint8_t *drop = malloc(n);
    if (drop == NULL)
        return px_fail(PX_ERR_MEMORY, "surface: no room for %u particles", n);
    for (uint32_t i = 0; i < n; ++i)
        drop[i] = has_skin(job, ((const uint32_t *)body->data[0])[i]);
    px_table_delete(&frame->table, drop);
    free(drop);
    return PX_OK;
}

static PxStatus list_materials(Frame *frame)
{
    const PxColumn *column = px_table_find(&frame->table, "material");
    uint32_t n = frame->table.count;
    if (n == 0 || column == NULL || column->type != PX_U32 || column->components != 1) {
        frame->materials = 1;
        frame->count[0] = n;
        return PX_OK;
    }
    const uint32_t *material = column->data[0];
    for (uint32_t i = 0; i < n; ++i) {
        uint32_t k = 0;
        while (k < frame->materials && frame->material[k] != material[i])
            ++k;
        if (k == MOST_MATERIALS)
            return px_fail(PX_ERR_FORMAT, "it has more than %d materials", MOST_MATERIALS);
        if (k == frame->materials) {
            frame->material[frame->materials++] = material[i];
            frame->count[k] = 0;
        }
        ++frame->count[k];
    }
    for (uint32_t a = 1; a < frame->materials; ++a) /* ascending numbers */
        for (uint32_t b = a; b > 0 && frame->material[b] < frame->material[b - 1]; --b) {
            uint32_t swap = frame->material[b], count = frame->count[b];
            frame->material[b] = frame->material[b - 1];
            frame->count[b] = frame->count[b - 1];
            frame->material[b - 1] = swap;
            frame->count[b - 1] = count;
        }
    return PX_OK;
}

/* Cloth, which no surface passes through (004 section 4.4). */
static PxStatus take_sheets(Frame *frame, const PxTable *vertices, const PxTable *faces)
{
    const PxColumn *x = px_table_find(vertices, "position"), *c = px_table_find(faces, "corner");
    if (vertices->count == 0 || faces->count == 0)
        return PX_OK;
    if (x == NULL || x->type != PX_F64 || x->components != 3 || c == NULL || c->type != PX_U32 ||
        c->components != 3)
        return px_fail(PX_ERR_FORMAT, "its cloth has no positions or no corners");
    frame->place = malloc(vertices->count * sizeof *frame->place);
    frame->triangle = malloc(faces->count * sizeof *frame->triangle);
    if (frame->place == NULL || frame->triangle == NULL)
        return px_fail(PX_ERR_MEMORY, "surface: no room for %u triangles of cloth", faces->count);
    for (uint32_t i = 0; i < vertices->count; ++i)
        frame->place[i] = px_vec(((const double *)x->data[0])[i], ((const double *)x->data[1])[i],
                                 ((const double *)x->data[2])[i]);
    for (uint32_t t = 0; t < faces->count; ++t)
        for (int k = 0; k < 3; ++k) {
            frame->triangle[t][k] = ((const uint32_t *)c->data[k])[t];
            if (frame->triangle[t][k] >= vertices->count)
                return px_fail(PX_ERR_FORMAT, "a triangle of its cloth has a vertex %u of %u",
                               frame->triangle[t][k], vertices->count);
        }
    frame->sheet = (PxSurfaceSheet){frame->place, vertices->count,
                                    (const uint32_t(*)[3])frame->triangle, faces->count};
    frame->particles.sheet = &frame->sheet;
    frame->particles.sheets = 1;
    return PX_OK;
}

static PxStatus read_sheets(const Job *job, uint32_t number, Frame *frame)
{
    PxTable vertices, faces;
    px_table_init(&vertices, NULL);
    px_table_init(&faces, NULL);
    PxStatus status = px_frame_read_sheets(job->def->dir, number, &vertices, &faces, &job->threads);
    if (status == PX_OK)
        status = take_sheets(frame, &vertices, &faces);
    px_table_free(&vertices);
    px_table_free(&faces);
    return status;
}

static PxStatus read_frame(const Job *job, uint32_t number, Frame *frame)
{
    static const char *const velocity_names[] = {"vx", "vy", "vz"};
    PX_TRY(px_frame_read(job->def->dir, number, &frame->meta, &frame->table, &job->threads));
    PX_TRY(drop_skinned(job, frame));
    const PxColumn *position = px_table_find(&frame->table, "position");
    if (position == NULL || position->components != 3 ||
        (position->type != PX_F32 && position->type != PX_F64))
        return px_fail(PX_ERR_FORMAT, "it has no position of three floats or doubles");
    PxSurfaceParticles *p = &frame->particles;
    p->count = frame->table.count;
    p->spacing = frame->meta.spacing;
    for (uint32_t a = 0; a < 3; ++a)
        PX_TRY(as_floats(frame, position, a, &p->position[a]));
    const PxColumn *id = px_table_find(&frame->table, "id");
    if (id != NULL && id->type == PX_U64 && id->components == 1)
        p->id = id->data[0];
    frame->colour = -1;
    const PxColumn *column = px_table_find(&frame->table, "velocity");
    if (column != NULL && column->components == 3)
        PX_TRY(carry_column(frame, column, velocity_names));
    for (uint32_t a = 0; a < 3 && p->columns == 3; ++a)
        p->velocity[a] = p->column[a];
    column = px_table_find(&frame->table, "temperature");
    if (column != NULL && column->components == 1)
        PX_TRY(carry_column(frame, column, NULL));
    column = px_table_find(&frame->table, "colour");
    if (column != NULL && column->components == 3 && column->type == PX_F32) {
        frame->colour = (int)p->columns;
        PX_TRY(carry_column(frame, column, NULL));
    }
    PX_TRY(carry_asked(job, frame));
    PX_TRY(read_sheets(job, number, frame));
    return list_materials(frame);
}

/* Largest distance over which vertices snap to the surfels of a coat, spacings. */
#define DRAPED 1.5

/* The surfels of one material in the coat stored with the frame. */
typedef struct Coat {
    PxPlyPoints points;
    PxSnapTarget target;
} Coat;

static PxStatus read_coat(const Job *job, const Frame *frame, uint32_t material, Coat *coat)
{
    char path[PX_PATH_MAX];
    px_table_init(&coat->points.points, NULL);
    PX_TRY(px_run_file_path(path, job->def->dir, PX_FILE_COAT, frame->meta.number));
    if (!px_file_exists(path))
        return PX_OK;
    PX_TRY(px_surface_read(job->def->dir, frame->meta.number, path, &coat->points));
    PxTable *t = &coat->points.points;
    const PxColumn *of = px_table_find(t, "material");
    uint8_t *drop = calloc((size_t)t->count + 1, 1);
    if (drop == NULL)
        return px_fail(PX_ERR_MEMORY, "surface: no room for %u surfels", t->count);
    for (uint32_t i = 0; of != NULL && i < t->count; ++i)
        drop[i] = (of->type == PX_U32   ? ((const uint32_t *)of->data[0])[i]
                   : of->type == PX_I32 ? (uint32_t)((const int32_t *)of->data[0])[i]
                   : of->type == PX_U8  ? ((const uint8_t *)of->data[0])[i]
                                        : material) != material;
    px_table_delete(t, drop);
    free(drop);
    const PxColumn *x = px_table_find(t, "position"), *n = px_table_find(t, "normal");
    const PxColumn *melted = px_table_find(t, "melted"), *painted = px_table_find(t, "painted");
    const PxColumn *colour = px_table_find(t, "colour");
    PxSnapTarget *d = &coat->target;
    *d = (PxSnapTarget){.count = x != NULL && n != NULL ? t->count : 0,
                        .reach = DRAPED * frame->meta.spacing};
    bool own = colour != NULL && colour->type == PX_U8 && colour->components == 3 &&
               painted != NULL && painted->type == PX_F32;
    for (int c = 0; c < 3 && d->count > 0; ++c) {
        d->position[c] = x->data[c];
        d->normal[c] = n->data[c];
        d->colour[c] = own ? colour->data[c] : NULL;
    }
    if (melted != NULL && melted->type == PX_F32)
        d->melted = melted->data[0];
    if (own)
        d->painted = painted->data[0];
    return PX_OK;
}

static void coat_free(Coat *coat)
{
    px_ply_points_free(&coat->points);
}

/* Whether a coat of the frame has painted surfels; then all surfaces get colour columns. */
static PxStatus find_paint(const Job *job, Frame *frame)
{
    bool found = false;
    for (uint32_t k = 0; k < frame->materials && !found; ++k) {
        Coat coat = {0};
        PxStatus status = read_coat(job, frame, frame->material[k], &coat);
        for (uint32_t i = 0; i < coat.target.count && coat.target.painted != NULL && !found; ++i)
            found = coat.target.painted[i] > 0.0f;
        coat_free(&coat);
        PX_TRY(status);
    }
    if (!found)
        return PX_OK;
    static const char *const names[PAINTS] = {"red", "green", "blue", "painted"};
    uint32_t first = frame->particles.columns, more = frame->colour < 0 ? PAINTS : 1;
    if (first + more > PX_SURFACE_COLUMNS)
        return px_fail(PX_ERR_ARGUMENT, "surface: more than %u columns", PX_SURFACE_COLUMNS);
    if (frame->colour < 0)
        frame->colour = (int)first;
    frame->paints = more;
    for (uint32_t k = 0; k < more; ++k)
        snprintf(frame->name[first + k], NAME, "%s", names[PAINTS - more + k]);
    return PX_OK;
}

/* Fills the colour columns of a part with the colours of the particles or the material, overlaid
 * with those of the coat. */
static PxStatus paint(const Job *job, const Frame *frame, const Coat *coat, const PxPlyPart *part,
                      float **column)
{
    uint32_t n = part->vertices, first = frame->particles.columns;
    for (uint32_t k = 0; k < frame->paints; ++k) {
        float *made = malloc(((size_t)n + 1) * sizeof *made);
        if (made == NULL)
            return px_fail(PX_ERR_MEMORY, "surface: no room for the colours of %u points", n);
        column[first + k] = made;
        for (uint32_t v = 0; v < n; ++v)
            made[v] = k + 1 < frame->paints ? (float)part->colour[k] / 255.0f : 0.0f;
    }
    if (frame->paints == 0 || coat->target.count == 0 || coat->target.painted == NULL)
        return PX_OK;
    float *const to[PAINTS] = {column[frame->colour], column[frame->colour + 1],
                               column[frame->colour + 2], column[first + frame->paints - 1]};
    return px_snap_paint(&coat->target, part->position, part->normal, n, to, &job->threads);
}

typedef struct Surfaces {
    PxSurfaceMesh *mesh[MOST_MATERIALS];
    PxSurfels *surfels[MOST_MATERIALS];
    PxPlyPart part[MOST_MATERIALS];
    size_t count;
    uint8_t *other;
} Surfaces;

static void surfaces_free(Surfaces *s)
{
    for (size_t k = 0; k < MOST_MATERIALS; ++k) {
        px_surface_free(s->mesh[k]);
        px_surfels_free(s->surfels[k]);
    }
    free(s->other);
}

/* Makes the surface of the frame's material with index k. */
static PxStatus make_surface(const Job *job, const Frame *frame, uint32_t k, Surfaces *s)
{
    PxSurfaceParticles p = frame->particles;
    const PxWall *wall = job->walls.wall;
    size_t walls = job->walls.count, n = s->count;
    uint32_t material = frame->material[k];
    if (frame->materials > 1) {
        const uint32_t *of = px_table_find(&frame->table, "material")->data[0];
        for (uint32_t i = 0; i < p.count; ++i)
            s->other[i] = of[i] != material;
        p.other = s->other;
    }
    PxPlyPart *part = &s->part[n];
    *part = (PxPlyPart){.material = material};
    memcpy(part->colour, px_palette(material), 3);
    Coat coat = {0};
    PxStatus status = read_coat(job, frame, material, &coat);
    float **column = NULL;
    if (status == PX_OK && job->def->surfels) {
        status = px_surfels_make_walled(&job->def->surface, &p, wall, walls, &s->surfels[n]);
        if (status == PX_OK) {
            PxSurfels *made = s->surfels[n];
            part->vertices = made->count;
            part->position = (const float(*)[3])made->position;
            part->normal = (const float(*)[3])made->normal;
            part->radius = made->radius;
            part->column = column = made->column;
        }
    } else if (status == PX_OK) {
        PxSurfaceDef surface = job->def->surface;
        if (job->scene != NULL)
            surface.stretch = job->def->stretch / px_scene_fps(job->scene);
        status = px_surface_make_walled(&surface, &p, wall, walls, &s->mesh[n]);
        if (status == PX_OK)
            status = px_snap(s->mesh[n], &coat.target, &job->threads);
        if (status == PX_OK) {
            PxSurfaceMesh *made = s->mesh[n];
            part->vertices = made->vertices;
            part->triangles = made->triangles;
            part->position = (const float(*)[3])made->position;
            part->normal = (const float(*)[3])made->normal;
            part->triangle = (const uint32_t(*)[3])made->triangle;
            part->column = column = made->column;
        }
    }
    if (status == PX_OK)
        status = paint(job, frame, &coat, part, column);
    coat_free(&coat);
    PX_TRY(status);
    ++s->count;
    return PX_OK;
}

static uint64_t crossed_in(const Surfaces *s)
{
    uint64_t sum = 0;
    for (size_t k = 0; k < s->count; ++k)
        sum += s->mesh[k] != NULL ? s->mesh[k]->crossed : 0;
    return sum;
}

/* Writes the comments of the header, from which measure.csv is made. */
static PxStatus describe(const Job *job, const Frame *frame, const Surfaces *s, const char *stamp,
                         PxText *text)
{
    px_text_add(text, "phyxel %s of frame %u, %c up, SI units\nstamp %s\n%s\ntime ",
                job->def->surfels ? "surfels" : "surface", frame->meta.number, frame->meta.up,
                stamp, job->settings);
    px_text_add_f64(text, frame->meta.time);
    px_text_add(text, "\n");
    if (frame->particles.sheets > 0 && !job->def->surfels)
        px_text_add(text, "crossed %llu\n", (unsigned long long)crossed_in(s));
    for (size_t k = 0; k < s->count && !job->def->surfels; ++k) {
        PxSurfaceMeasure m;
        char name[NAME];
        uint32_t row = 0;
        while (row + 1 < frame->materials && frame->material[row] != s->part[k].material)
            ++row;
        PX_TRY(px_surface_measure(s->mesh[k], &m));
        px_text_add(text, "measure %u %u %u ", frame->count[row], s->part[k].vertices,
                    s->part[k].triangles);
        px_text_add_f64(text, m.area);
        px_text_add(text, " ");
        px_text_add_f64(text, m.volume);
        px_text_add(text, " ");
        px_text_add_f64(text, m.interface);
        px_text_add(text, " %u %s\n", m.components, material_name(job, s->part[k].material, name));
    }
    px_text_add(text, "%c", '\0');
    return px_text_check(text, "a surface");
}

static PxStatus make_surfaces(Job *job, Frame *frame, const char *path, const char *stamp,
                              Surfaces *s)
{
    bool found = !job->one;
    if (frame->materials > 1) {
        s->other = malloc((size_t)frame->particles.count + 1);
        if (s->other == NULL)
            return px_fail(PX_ERR_MEMORY, "surface: no room for %u particles",
                           frame->particles.count);
    }
    for (uint32_t k = 0; k < frame->materials; ++k)
        if (!job->one || frame->material[k] == job->material) {
            found = true;
            PX_TRY(make_surface(job, frame, k, s));
        }
    if (!found && (job->scene == NULL || job->material >= job->scene->materials) &&
        frame->particles.count > 0)
        return px_fail(PX_ERR_ARGUMENT, "it has no material %u", job->material);
    PxText text = {0};
    PxStatus status = describe(job, frame, s, stamp, &text);
    PxPlySurface surface = {.comment = text.data,
                            .part = s->part,
                            .parts = s->count,
                            .name = frame->name,
                            .columns = frame->particles.columns + frame->paints,
                            .colour = frame->colour,
                            .surfels = job->def->surfels,
                            .materials = frame->materials > 1 && !job->one};
    if (status == PX_OK)
        status = px_surface_ply_write(path, &surface);
    px_text_free(&text);
    job->sheets = job->sheets || frame->particles.sheets > 0;
    job->crossed += crossed_in(s);
    job->elements = 0;
    for (size_t k = 0; k < s->count; ++k)
        job->elements += job->def->surfels ? s->part[k].vertices : s->part[k].triangles;
    return status;
}

/* Widest gap of a contact, spacings. */
#define CONTACT 0.5

/* The contact surfaces of a frame, from its skins. */
static PxStatus contact_frame(Job *job, uint32_t number, const char *path, const char *stamp)
{
    PxTable table, rigid;
    PxFrameMeta meta;
    uint32_t rows;
    if (job->scene == NULL)
        return px_fail(PX_ERR_FORMAT, "run.json is missing or damaged: bodies are unknown");
    px_table_init(&table, NULL);
    px_table_init(&rigid, NULL);
    PxStatus status = px_frame_read_columns(job->def->dir, number, &meta, &table, &rows);
    if (status == PX_OK)
        status = px_frame_read_rigid(job->def->dir, number, &rigid, &job->threads);
    for (size_t k = 0; status == PX_OK && k < job->walls.count; ++k) {
        px_frame_pose(&rigid, &job->walls.wall[k]);
        px_wall_move(&job->walls.wall[k], meta.time, 0);
    }
    px_table_free(&rigid);
    px_table_free(&table);
    if (status != PX_OK)
        return status;
    PxContactFrame frame = {.dir = job->def->dir,
                            .number = number,
                            .scene = job->scene,
                            .walls = &job->walls,
                            .reach = CONTACT * meta.spacing,
                            .path = path,
                            .stamp = stamp,
                            .settings = job->settings};
    return px_contact_frame(&frame, &job->elements);
}

static PxStatus surface_frame(Job *job, uint32_t number)
{
    char path[PX_PATH_MAX], stamp[PX_STAMP_SIZE];
    PX_TRY(px_path_join(path, job->out, "%06u.ply", number));
    PX_TRY(px_surface_stamp(job->def->dir, number, job->settings, stamp));
    if (!job->def->overwrite && up_to_date(job, path, stamp))
        return PX_OK;
    if (job->def->complete && px_file_exists(path) && !px_surface_is_stamped(path))
        return PX_OK; /* made by another program */
    if (job->def->contact) {
        PxStatus made = contact_frame(job, number, path, stamp);
        job->made += made == PX_OK;
        return made == PX_OK ? PX_OK : px_fail_prefix(made, "frame %u: ", number);
    }
    Frame *frame = calloc(1, sizeof *frame);
    Surfaces *surfaces = calloc(1, sizeof *surfaces);
    PxStatus status = frame != NULL && surfaces != NULL
                          ? PX_OK
                          : px_fail(PX_ERR_MEMORY, "surface: no room for a frame");
    if (status == PX_OK) {
        px_table_init(&frame->table, NULL);
        status = read_frame(job, number, frame);
    }
    if (status == PX_OK)
        status = find_paint(job, frame);
    PxTable rigid;
    px_table_init(&rigid, NULL);
    if (status == PX_OK)
        status = px_frame_read_rigid(job->def->dir, number, &rigid, &job->threads);
    for (size_t k = 0; status == PX_OK && k < job->walls.count; ++k)
        px_frame_pose(&rigid, &job->walls.wall[k]);
    px_table_free(&rigid);
    if (status == PX_OK) {
        for (size_t k = 0; k < job->walls.count; ++k)
            px_wall_move(&job->walls.wall[k], frame->meta.time, 0);
        status = make_surfaces(job, frame, path, stamp, surfaces);
    }
    if (frame != NULL) {
        for (size_t k = 0; k < frame->mades; ++k)
            free(frame->made[k]);
        free(frame->place);
        free(frame->triangle);
        px_table_free(&frame->table);
    }
    if (surfaces != NULL)
        surfaces_free(surfaces);
    free(surfaces);
    free(frame);
    job->made += status == PX_OK;
    return status == PX_OK ? PX_OK : px_fail_prefix(status, "frame %u: ", number);
}

/* ---- all frames -------------------------------------------------------------- */

static void add_csv_text(PxText *text, const char *words)
{
    if (words[strcspn(words, ",\"")] == '\0') {
        px_text_add(text, "%s", words);
        return;
    }
    px_text_add(text, "\"");
    for (; *words != '\0'; ++words)
        px_text_add(text, *words == '"' ? "\"\"" : "%c", *words);
    px_text_add(text, "\"");
}

/* Adds the rows of one file from its header. */
static void add_rows(PxText *text, uint32_t number, char *header)
{
    const char *time = "";
    char *rest = NULL;
    for (char *line = strtok_r(header, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        char value[7][32], *name = NULL;
        int used = 0;
        if (strncmp(line, "comment time ", 13) == 0)
            time = line + 13;
        if (sscanf(line, "comment measure %31s %31s %31s %31s %31s %31s %31s %n", value[0],
                   value[1], value[2], value[3], value[4], value[5], value[6], &used) == 7 &&
            used > 0)
            name = line + used;
        if (name == NULL)
            continue;
        px_text_add(text, "%u,%s,", number, time);
        add_csv_text(text, name);
        for (int k = 0; k < 7; ++k)
            px_text_add(text, ",%s", value[k]);
        px_text_add(text, "\n");
    }
}

static PxStatus write_measures(const Job *job)
{
    char path[PX_PATH_MAX];
    PxNumbers numbers = {0};
    PxText text = {0};
    char *header = malloc(HEADER);
    PxStatus status = header != NULL ? px_folder_numbers(job->out, ".ply", &numbers)
                                     : px_fail(PX_ERR_MEMORY, "surface: no room to measure");
    px_text_add(&text, "frame,time,material,particles,vertices,triangles,area,volume,interface,"
                       "components\n");
    for (size_t k = 0; k < numbers.count && status == PX_OK; ++k) {
        status = px_path_join(path, job->out, "%06u.ply", numbers.data[k]);
        if (status == PX_OK)
            status = px_surface_ply_header(path, header, HEADER);
        if (status == PX_OK)
            add_rows(&text, numbers.data[k], header);
    }
    if (status == PX_OK)
        status = px_text_check(&text, "measure.csv");
    if (status == PX_OK)
        status = px_path_join(path, job->out, "measure.csv");
    if (status == PX_OK)
        status = px_file_write_atomic(path, text.data, text.count);
    px_text_free(&text);
    PX_LIST_FREE(&numbers);
    free(header);
    return status;
}

static bool tell(const Job *job, PxSurfaceFunction *each, void *user, uint32_t total, double began)
{
    if (each == NULL)
        return true;
    double wall = px_clock() - began;
    PxSurfaceProgress progress = {.done = job->done,
                                  .total = total,
                                  .made = job->made,
                                  .elements = job->elements,
                                  .wall = wall,
                                  .left = job->made > 0 || job->done == total
                                              ? wall / (job->made > 0 ? job->made : 1) *
                                                    (total - job->done)
                                              : -1};
    return each(user, &progress);
}

/* Makes the surfaces of frames numbers[0 .. count), which have no gap. */
static PxStatus surface_frames(Job *job, const uint32_t *numbers, uint32_t count,
                               PxSurfaceFunction *each, void *user)
{
    double began = px_clock();
    for (uint32_t k = 0;; ++k) {
        job->done = k;
        if (!tell(job, each, user, count, began) && k < count)
            return px_fail(PX_ERR_STOPPED, "surface: stopped after %u of %u frames", k, count);
        if (k == count)
            return PX_OK;
        if (k > 0 && numbers[k] != numbers[k - 1] + 1)
            return px_fail(PX_ERR_FORMAT, "frame %u is missing, the next one is %u",
                           numbers[k - 1] + 1, numbers[k]);
        PxStatus status = surface_frame(job, numbers[k]);
        if (status == PX_ERR_STOPPED)
            return px_fail(status, "surface: stopped after %u of %u frames", k, count);
        PX_TRY(status);
    }
}

/* Makes the folder of the surfaces, or of those of one material in it. */
static PxStatus make_folder(const Job *job)
{
    char path[PX_PATH_MAX];
    PX_TRY(px_path_join(path, job->def->dir, "%s", px_run_file_folder(kind_of(job->def))));
    PX_TRY(px_refuse_link(path));
    PX_TRY(px_refuse_link(job->out));
    return px_folder_make(job->out);
}

static PxStatus run_job(Job *job, PxSurfaceFunction *each, void *user)
{
    const PxSurfaceRunDef *def = job->def;
    PxNumbers numbers;
    uint32_t missing;
    PX_TRY(px_frame_list(def->dir, &numbers));
    size_t begin = 0, end = numbers.count;
    while (begin < end && numbers.data[begin] < def->first)
        ++begin;
    while (end > begin && numbers.data[end - 1] > def->last)
        --end;
    PxStatus status;
    if (numbers.count == 0)
        status = px_fail(PX_ERR_ARGUMENT, "surface: '%s' has no frames", def->dir);
    else if (begin == end)
        status =
            px_fail(PX_ERR_ARGUMENT, "surface: '%s' has no frame from %u to %u, %u is the last",
                    def->dir, def->first, def->last, numbers.data[numbers.count - 1]);
    else if (px_frame_ends_missing(def->dir,
                                   &(PxNumbers){.data = numbers.data + begin, .count = end - begin},
                                   def->first, def->last, &missing))
        status = px_fail(PX_ERR_FORMAT, "surface: frame %u of '%s' is missing", missing, def->dir);
    else
        status = make_folder(job);
    if (status == PX_OK)
        status = px_folder_clean(job->out);
    if (status == PX_OK) {
        status = surface_frames(job, numbers.data + begin, (uint32_t)(end - begin), each, user);
        if (def->measure && status == PX_OK) {
            status = write_measures(job);
        } else if (def->measure) { /* keep the first error message */
            char reason[1024];
            snprintf(reason, sizeof reason, "%s", px_error_message());
            write_measures(job);
            px_fail(status, "%s", reason);
        }
    }
    PX_LIST_FREE(&numbers);
    return status;
}

PxStatus px_surface_run_sized(const PxSurfaceRunDef *given, PxSurfaceFunction *each, void *user,
                              PxSurfaceReport *report, size_t size)
{
    PxSurfaceReport made = {0};
    px_result_put(report, size, 0, &made, sizeof made);
    PxSurfaceRunDef read;
    PX_TRY(read_surface_run_def(given, &read));
    const PxSurfaceRunDef *def = &read;
    double began = px_clock();
    Job *job = malloc(sizeof *job);
    if (job == NULL)
        return px_fail(PX_ERR_MEMORY, "surface: no room");
    PxStatus status = open_job(job, def);
    if (status == PX_OK && !job->nothing)
        status = run_job(job, each, user);
    made = (PxSurfaceReport){.made = job->made,
                             .kept = job->done - (job->made < job->done ? job->made : job->done),
                             .wall = px_clock() - began,
                             .scene = job->scene != NULL,
                             .sheets = job->sheets,
                             .crossed = job->crossed};
    snprintf(made.out, sizeof made.out, "%.1023s", job->out);
    px_result_put(report, size, 0, &made, sizeof made);
    close_job(job);
    free(job);
    return status;
}
