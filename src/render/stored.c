/// Stored frames as windows read them: particles, rigid bodies, skins and coats.
#include "phyxel/display.h"

#include "base/def.h"
#include "render/subject.h"

#include <stdlib.h>
#include <string.h>

struct PxStored {
    PxSubject subject;
};

PxStatus px_stored_list(const char *dir, uint32_t *out, size_t most, size_t *count)
{
    PX_WANT_TEXT(dir);
    PX_WANT(count);
    *count = 0;
    if (most > 0)
        PX_WANT(out);
    PxNumbers numbers = {0};
    PxStatus status = px_frame_list(dir, &numbers);
    if (status == PX_OK) {
        *count = numbers.count;
        size_t copied = numbers.count < most ? numbers.count : most;
        if (copied > 0)
            memcpy(out, numbers.data, copied * sizeof *out);
    }
    PX_LIST_FREE(&numbers);
    return status;
}

PxStatus px_stored_read(const char *dir, uint32_t number, int threads, PxStored **out)
{
    PX_WANT(out);
    *out = NULL;
    PX_WANT_TEXT(dir);
    PX_TRY(px_threads_check(threads, "stored"));
    PxThreads pool = {.count = threads > 0 ? threads : px_threads_available()};
    PxStored *frame = calloc(1, sizeof *frame);
    if (frame == NULL)
        return px_fail(PX_ERR_MEMORY, "stored: no room");
    PxStatus status = px_subject_read(dir, number, PX_SHOW_BEST, &pool, &frame->subject);
    if (status != PX_OK) {
        px_stored_free(frame);
        return status;
    }
    *out = frame;
    return PX_OK;
}

void px_stored_free(PxStored *frame)
{
    if (frame == NULL)
        return;
    px_subject_free(&frame->subject);
    free(frame);
}

uint32_t px_stored_count(const PxStored *frame)
{
    return frame != NULL ? frame->subject.particles.count : 0;
}

double px_stored_time(const PxStored *frame)
{
    return frame != NULL ? frame->subject.meta.time : (double)NAN;
}

uint64_t px_stored_step(const PxStored *frame)
{
    return frame != NULL ? frame->subject.meta.step : 0;
}

size_t px_stored_columns_sized(const PxStored *frame, PxColumnInfo *out, size_t size, size_t most)
{
    if (frame == NULL)
        return 0;
    const PxTable *t = &frame->subject.particles;
    for (uint32_t k = 0; k < t->columns && k < most; ++k) {
        const PxColumn *c = &t->column[k];
        PxColumnInfo info = {.name = c->name,
                             .unit = c->unit,
                             .meaning = "",
                             .type = c->type,
                             .components = c->components,
                             .stored = true};
        px_result_put(out, size, k, &info, sizeof info);
    }
    return t->columns;
}

static const void *data_of(const PxTable *table, const char *column, PxType type, int component)
{
    const PxColumn *c = column != NULL ? px_table_find(table, column) : NULL;
    if (c == NULL || c->type != type || component < 0 || (uint32_t)component >= c->components)
        return NULL;
    return c->data[component];
}

const float *px_stored_floats(const PxStored *frame, const char *column, int component)
{
    return frame != NULL ? data_of(&frame->subject.particles, column, PX_F32, component) : NULL;
}

const uint32_t *px_stored_words(const PxStored *frame, const char *column)
{
    return frame != NULL ? data_of(&frame->subject.particles, column, PX_U32, 0) : NULL;
}

bool px_stored_pose(const PxStored *frame, uint32_t number, PxPose *pose, PxVec3 *pivot)
{
    if (frame == NULL || pose == NULL || pivot == NULL)
        return false;
    PxWall wall = {.rigid = true, .pivot.x = NAN};
    wall.boundary.body = number;
    px_frame_pose(&frame->subject.rigid, &wall);
    if (isnan(wall.pivot.x))
        return false;
    *pose = wall.now;
    *pivot = wall.pivot;
    return true;
}

bool px_stored_surface_sized(const PxStored *frame, size_t k, PxStoredSurface *out, size_t size)
{
    PxStoredSurface s = {0};
    if (frame == NULL || out == NULL || k > 1)
        return false;
    const PxPlyPoints *ply = k == 0 ? &frame->subject.skins : &frame->subject.coats;
    s.points = ply->points.count;
    s.triangles = ply->triangles;
    s.triangle = (const uint32_t(*)[3])ply->triangle;
    for (int c = 0; c < 3; ++c) {
        s.position[c] = data_of(&ply->points, "position", PX_F32, c);
        s.normal[c] = data_of(&ply->points, "normal", PX_F32, c);
    }
    s.radius = data_of(&ply->points, "radius", PX_F32, 0);
    s.material = data_of(&ply->points, "material", PX_U32, 0);
    s.body = data_of(&ply->points, "body", PX_F32, 0);
    px_result_put(out, size, 0, &s, sizeof s);
    return s.points > 0 && s.position[2] != NULL && s.normal[2] != NULL;
}
