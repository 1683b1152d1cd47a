#include "store/frame.h"

#include "store/run_files.h"

#include "phyxel/version.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static PxStatus frame_path(char path[PX_PATH_MAX], const char *dir, uint32_t number)
{
    return px_run_file_path(path, dir, PX_FILE_FRAME, number);
}

/* ---- metadata ---- */

enum { KIND, FORMAT, NUMBER, STEP, TIME, SPACING, UP, UNITS, NAME, VERSION, RUN, SCENE, SCALARS };

static void meta_to_scalars(const PxFrameMeta *meta, PxScalar scalars[SCALARS])
{
    const char up[2] = {meta->up, '\0'};
    scalars[KIND] = px_scalar_text("kind", "frame");
    scalars[FORMAT] = px_scalar_u64("format", PX_FRAME_FORMAT);
    scalars[NUMBER] = px_scalar_u64("frame", meta->number);
    scalars[STEP] = px_scalar_u64("step", meta->step);
    scalars[TIME] = px_scalar_f64("time", meta->time);
    scalars[SPACING] = px_scalar_f64("spacing", meta->spacing);
    scalars[UP] = px_scalar_text("up", up);
    scalars[UNITS] = px_scalar_text("units", "SI");
    scalars[NAME] = px_scalar_text("name", meta->name);
    scalars[VERSION] = px_scalar_text("phyxel", PX_VERSION);
    scalars[RUN] = px_scalar_text("run", meta->run);
    scalars[SCENE] = px_scalar_text("scene_hash", meta->scene);
}

static PxStatus get_meta(PxContainer *container, uint32_t number, PxFrameMeta *meta)
{
    PxFrameMeta empty = {.up = 'y'};
    PxScalar s[SCALARS];
    meta_to_scalars(&empty, s); /* sets names and kinds */
    PX_TRY(px_container_get(container, s, FORMAT + 1));
    if (strcmp(s[KIND].text, "frame") != 0 || s[FORMAT].u64 < 1 || s[FORMAT].u64 > PX_FRAME_FORMAT)
        return px_fail(PX_ERR_FORMAT, "it is a '%s' of format %llu, wanted a frame of format %u",
                       s[KIND].text, (unsigned long long)s[FORMAT].u64, PX_FRAME_FORMAT);
    PX_TRY(px_container_get(container, s, s[FORMAT].u64 == 1 ? RUN : SCALARS));
    if (s[NUMBER].u64 != number)
        return px_fail(PX_ERR_FORMAT, "it says to be frame %llu",
                       (unsigned long long)s[NUMBER].u64);
    if (strlen(s[RUN].text) >= sizeof meta->run || strlen(s[SCENE].text) >= sizeof meta->scene)
        return px_fail(PX_ERR_FORMAT, "its id or scene is not 32 digits");
    if (strlen(s[VERSION].text) >= sizeof meta->version)
        return px_fail(PX_ERR_FORMAT, "'%.40s...' is no version of phyxel", s[VERSION].text);
    if (!isfinite(s[TIME].f64) || !(s[SPACING].f64 > 0) || !isfinite(s[SPACING].f64) ||
        (strcmp(s[UP].text, "y") != 0 && strcmp(s[UP].text, "z") != 0))
        return px_fail(PX_ERR_FORMAT, "time %g s, spacing %g m, up '%s' are not all possible",
                       s[TIME].f64, s[SPACING].f64, s[UP].text);
    *meta = (PxFrameMeta){.number = number,
                          .step = s[STEP].u64,
                          .time = s[TIME].f64,
                          .spacing = s[SPACING].f64,
                          .up = s[UP].text[0]};
    memcpy(meta->name, s[NAME].text, sizeof meta->name);
    strcpy(meta->version, s[VERSION].text);
    strcpy(meta->run, s[RUN].text);
    strcpy(meta->scene, s[SCENE].text);
    return PX_OK;
}

/* ---- writing ---- */

/* Writes the row numbers as a table of one column. */
static PxStatus put_topology(PxContainerWriter *writer, uint32_t rows, const PxThreads *threads)
{
    PxTable table;
    px_table_init(&table, NULL);
    PxStatus status = px_table_add(&table, "index", "", PX_U32, 1, PX_COLUMN_FRAME, NULL);
    if (status == PX_OK)
        status = px_table_append(&table, rows, NULL);
    if (status == PX_OK) {
        uint32_t *index = table.column[0].data[0];
        for (uint32_t i = 0; i < rows; ++i)
            index[i] = i;
        status = px_container_put_table(writer, "topology", &table, PX_COLUMN_FRAME, PX_FRAME_LEVEL,
                                        threads);
    }
    px_table_free(&table);
    return status;
}

PxStatus px_frame_write(const char *dir, const PxFrameMeta *meta, const PxTable *particles,
                        const PxThreads *threads)
{
    if (!isfinite(meta->time) || !(meta->spacing > 0) || !isfinite(meta->spacing) ||
        (meta->up != 'y' && meta->up != 'z'))
        return px_fail(PX_ERR_ARGUMENT,
                       "frame %u: time %g s, spacing %g m, up '%c' are not all "
                       "possible",
                       meta->number, meta->time, meta->spacing, meta->up);
    char path[PX_PATH_MAX];
    PX_TRY(frame_path(path, dir, meta->number));

    PxScalar scalars[SCALARS];
    meta_to_scalars(meta, scalars);
    PxContainerWriter *writer;
    PX_TRY(px_container_create(&writer));
    PxStatus status = px_container_put(writer, scalars, SCALARS);
    if (status == PX_OK)
        status = px_container_put_table(writer, "particles", particles, PX_COLUMN_FRAME,
                                        PX_FRAME_LEVEL, threads);
    if (status == PX_OK && meta->rigid != NULL && meta->rigid->count > 0)
        status = px_container_put_table(writer, "rigid", meta->rigid, PX_COLUMN_FRAME,
                                        PX_FRAME_LEVEL, threads);
    if (status == PX_OK && meta->joints != NULL && meta->joints->count > 0)
        status = px_container_put_table(writer, "joints", meta->joints, PX_COLUMN_FRAME,
                                        PX_FRAME_LEVEL, threads);
    if (status == PX_OK && meta->cloth != NULL && meta->cloth->count > 0)
        status = px_container_put_table(writer, "cloth", meta->cloth, PX_COLUMN_FRAME,
                                        PX_FRAME_LEVEL, threads);
    if (status == PX_OK && meta->cloth_faces != NULL && meta->cloth_faces->count > 0)
        status = px_container_put_table(writer, "cloth_faces", meta->cloth_faces, PX_COLUMN_FRAME,
                                        PX_FRAME_LEVEL, threads);
    if (status == PX_OK)
        status = put_topology(writer, particles->count, threads);
    if (status == PX_OK)
        status = px_container_write(writer, path, meta->check);
    px_container_discard(writer);
    return status;
}

/* ---- reading ---- */

static PxStatus open_frame(const char *dir, uint32_t number, PxContainer **container,
                           PxFrameMeta *meta)
{
    char path[PX_PATH_MAX];
    PX_TRY(frame_path(path, dir, number));
    PX_TRY(px_container_open(container, path));
    PxStatus status = get_meta(*container, number, meta);
    PxRunId id = {0};
    if (status == PX_OK)
        status = px_run_id_read(dir, &id);
    if (status == PX_OK)
        status = px_run_id_check(&id, number, meta->run, meta->scene);
    px_run_id_free(&id);
    if (status != PX_OK) {
        px_container_close(*container);
        *container = NULL;
        return px_fail_prefix(status, "frame %u in '%s': ", number, dir);
    }
    return PX_OK;
}

static PxStatus check_finite(const char *dir, uint32_t number, const PxTable *particles)
{
    uint32_t row;
    const PxColumn *bad = px_table_unfinite(particles, &row);
    const PxColumn *id = px_table_find(particles, "id");
    if (bad == NULL)
        return PX_OK;
    uint64_t name = id != NULL && id->type == PX_U64 ? ((const uint64_t *)id->data[0])[row] : row;
    return px_fail(PX_ERR_FORMAT, "frame %u in '%s': the %s of particle %llu is not finite", number,
                   dir, bad->name, (unsigned long long)name);
}

PxStatus px_frame_read(const char *dir, uint32_t number, PxFrameMeta *meta, PxTable *particles,
                       const PxThreads *threads)
{
    PxContainer *container;
    particles->count = 0;
    PX_TRY(open_frame(dir, number, &container, meta));
    PxStatus status = px_container_get_table(container, "particles", particles, threads);
    px_container_close(container);
    return status == PX_OK ? check_finite(dir, number, particles) : status;
}

/* Reads a table that a frame may lack; then it has no rows. */
static PxStatus read_optional(PxContainer *container, const char *name, PxTable *out,
                              const PxThreads *threads)
{
    out->count = 0;
    return px_container_has_table(container, name)
               ? px_container_get_table(container, name, out, threads)
               : PX_OK;
}

/* Reads such a table of a frame. */
static PxStatus read_table(const char *dir, uint32_t number, const char *name, PxTable *out,
                           const PxThreads *threads)
{
    PxContainer *container;
    PxFrameMeta meta;
    out->count = 0;
    PX_TRY(open_frame(dir, number, &container, &meta));
    PxStatus status = read_optional(container, name, out, threads);
    px_container_close(container);
    return status == PX_OK ? check_finite(dir, number, out) : status;
}

PxStatus px_frame_read_rigid(const char *dir, uint32_t number, PxTable *rigid,
                             const PxThreads *threads)
{
    return read_table(dir, number, "rigid", rigid, threads);
}

PxStatus px_frame_read_joints(const char *dir, uint32_t number, PxTable *joints,
                              const PxThreads *threads)
{
    return read_table(dir, number, "joints", joints, threads);
}

/* Reads up to 4 doubles of a row; false if there is no such column. */
static bool doubles_of(const PxTable *table, const char *name, uint32_t row, uint32_t count,
                       double *out)
{
    const PxColumn *c = px_table_find(table, name);
    if (c == NULL || c->type != PX_F64 || c->components != count)
        return false;
    for (uint32_t k = 0; k < count; ++k)
        out[k] = ((const double *)c->data[k])[row];
    return true;
}

/* Columns and rows of a table that a frame may lack. */
static PxStatus count_optional(PxContainer *container, const char *name, PxTable *columns,
                               uint32_t *rows)
{
    *rows = 0;
    return px_container_has_table(container, name)
               ? px_container_get_columns(container, name, columns, rows)
               : PX_OK;
}

PxStatus px_frame_read_sheets(const char *dir, uint32_t number, PxTable *vertices, PxTable *faces,
                              const PxThreads *threads)
{
    PxContainer *container;
    PxFrameMeta meta;
    vertices->count = faces->count = 0;
    PX_TRY(open_frame(dir, number, &container, &meta));
    PxStatus status = read_optional(container, "cloth", vertices, threads);
    if (status == PX_OK)
        status = read_optional(container, "cloth_faces", faces, threads);
    px_container_close(container);
    if (status == PX_OK)
        status = check_finite(dir, number, vertices);
    return status == PX_OK ? check_finite(dir, number, faces) : status;
}

PxStatus px_frame_cloth_bounds(const char *dir, uint32_t number, PxBounds *out,
                               const PxThreads *threads)
{
    PxContainer *container;
    PxFrameMeta meta;
    PxTable cloth;
    *out = px_bounds_empty();
    PX_TRY(open_frame(dir, number, &container, &meta));
    px_table_init(&cloth, NULL);
    PxStatus status = read_optional(container, "cloth", &cloth, threads);
    px_container_close(container);
    if (status == PX_OK)
        status = check_finite(dir, number, &cloth);
    for (uint32_t k = 0; status == PX_OK && k < cloth.count; ++k) {
        PxVec3 x;
        if (doubles_of(&cloth, "position", k, 3, &x.x))
            px_bounds_add(out, x);
    }
    px_table_free(&cloth);
    return status;
}

PxStatus px_frame_count_cloth(const char *dir, uint32_t number, PxFrameCloth *out)
{
    PxContainer *container;
    PxFrameMeta meta;
    PxTable vertices, faces;
    *out = (PxFrameCloth){0};
    PX_TRY(open_frame(dir, number, &container, &meta));
    px_table_init(&vertices, NULL);
    px_table_init(&faces, NULL);
    PxStatus status = count_optional(container, "cloth", &vertices, &out->vertices);
    if (status == PX_OK)
        status = count_optional(container, "cloth_faces", &faces, &out->faces);
    out->wetness = px_frame_has_wetness(&vertices);
    px_table_free(&vertices);
    px_table_free(&faces);
    px_container_close(container);
    return status;
}

bool px_frame_has_wetness(const PxTable *vertices)
{
    const PxColumn *water = px_table_find(vertices, "water");
    const PxColumn *saturation = px_table_find(vertices, "saturation");
    return water != NULL && water->type == PX_F64 && water->components == 1 && saturation != NULL &&
           saturation->type == PX_F32 && saturation->components == 1;
}

bool px_frame_is_liquid(const PxColumn *column, uint32_t *material)
{
    static const char first[] = "liquid_";
    const char *number = column->name + sizeof first - 1;
    char *end;
    if (strncmp(column->name, first, sizeof first - 1) != 0 || column->components != 1 ||
        *number < '0' || *number > '9')
        return false;
    unsigned long value = strtoul(number, &end, 10);
    *material = (uint32_t)value;
    return *end == '\0' && value < UINT32_MAX && (column->type == PX_F64 || column->type == PX_F32);
}

void px_frame_pose(const PxTable *rigid, PxWall *wall)
{
    const PxColumn *body = px_table_find(rigid, "body");
    if (!wall->rigid || body == NULL || body->type != PX_U32)
        return;
    for (uint32_t k = 0; k < rigid->count; ++k) {
        PxVec3 pivot, velocity, spin;
        PxPose pose;
        if (((const uint32_t *)body->data[0])[k] != wall->boundary.body ||
            !doubles_of(rigid, "pivot", k, 3, &pivot.x) ||
            !doubles_of(rigid, "move", k, 3, &pose.move.x) ||
            !doubles_of(rigid, "turn", k, 4, &pose.turn.x) ||
            !doubles_of(rigid, "velocity", k, 3, &velocity.x) ||
            !doubles_of(rigid, "spin", k, 3, &spin.x))
            continue;
        wall->pivot = pivot;
        wall->now = (PxPose){pose.move, px_quat_normalized(pose.turn)};
        wall->velocity = velocity;
        wall->spin = spin;
        return;
    }
}

PxStatus px_frame_read_columns(const char *dir, uint32_t number, PxFrameMeta *meta,
                               PxTable *particles, uint32_t *rows)
{
    PxContainer *container;
    PX_TRY(open_frame(dir, number, &container, meta));
    PxStatus status = px_container_get_columns(container, "particles", particles, rows);
    px_container_close(container);
    return status;
}

PxStatus px_frame_list(const char *dir, PxNumbers *out)
{
    return px_run_file_numbers(dir, PX_FILE_FRAME, out);
}

bool px_frame_ends_missing(const char *dir, const PxNumbers *numbers, uint32_t first, uint32_t last,
                           uint32_t *missing)
{
    PxRunId id;
    if (px_run_id_read(dir, &id) != PX_OK)
        return false;
    uint32_t end = id.frames < last ? id.frames : last;
    bool known = id.run[0] != '\0', before = false, after = false;
    px_run_id_free(&id);
    if (known && numbers->count > 0) {
        before = numbers->data[0] > first;
        after = numbers->data[numbers->count - 1] < end;
        *missing = before ? first : numbers->data[numbers->count - 1] + 1;
    }
    return before || after;
}

PxStatus px_frame_hash(const char *dir, uint32_t number, const PxThreads *threads, uint64_t hash[2])
{
    PxFrameMeta meta;
    PxTable table;
    px_table_init(&table, NULL);
    PxStatus status = px_frame_read(dir, number, &meta, &table, threads);
    if (status == PX_OK)
        px_table_hash(&table, PX_COLUMN_FRAME, hash);
    px_table_free(&table);
    return status;
}
