/// Collects complaints while a scene is read and checked, and then finds their lines in the text.
#include "scene/content.h"

#include "base/words.h"

#include <stdlib.h>
#include <string.h>

/* Order of the last complaint, which tells how many were left out. */
#define SUMMARY SIZE_MAX

/* Takes ownership of `place` and `text`, which are NULL if their allocation failed. */
static PxSceneComplaint *complaint_keep(PxScene *scene, PxSeverity severity, char *place,
                                        char *text)
{
    if (place == NULL || text == NULL || !PX_LIST_RESERVE(&scene->complaints, 1)) {
        free(place);
        free(text);
        scene->no_memory = true;
        return NULL;
    }
    scene->errors += severity == PX_ERROR;
    PxSceneComplaint *c = &scene->complaints.data[scene->complaints.count++];
    *c = (PxSceneComplaint){
        .shown = {.severity = severity, .file = scene->file, .place = place, .text = text},
        .deep = scene->checking,
        .order = scene->complaints.count};
    return c;
}

static PxSceneComplaint *complaint_add(PxScene *scene, PxSeverity severity, const char *place,
                                       const char *format, va_list arguments) PX_PRINTF(4, 0);

static PxSceneComplaint *complaint_add(PxScene *scene, PxSeverity severity, const char *place,
                                       const char *format, va_list arguments)
{
    if (scene->complaints.count >= PX_SCENE_MOST_COMPLAINTS) {
        scene->left_out[scene->checking]++;
        scene->errors_left_out[scene->checking] += severity == PX_ERROR;
        return NULL;
    }
    char text[1024];
    vsnprintf(text, sizeof text, format, arguments);
    return complaint_keep(scene, severity, strdup(place), strdup(text));
}

/* The last px_scene_set() of the path or of one of its parents; NULL: none. */
static const char *change_of(const PxScene *scene, const PxPath *path)
{
    for (; path != NULL; path = path->above)
        for (size_t k = scene->changed.count; k-- > 0;)
            if (scene->changed.data[k].path == path->hash)
                return scene->changed.data[k].text;
    return NULL;
}

void px_complain(PxScene *scene, PxSeverity severity, const PxPath *path, PxSpot spot,
                 const char *format, ...)
{
    char place[512];
    px_path_text(path, place, sizeof place);
    va_list arguments;
    va_start(arguments, format);
    PxSceneComplaint *c = complaint_add(scene, severity, place, format, arguments);
    va_end(arguments);
    if (c == NULL)
        return;
    c->shown.set = change_of(scene, path);
    if (c->shown.set != NULL)
        return;
    c->at_key = spot == PX_AT_KEY;
    size_t depth = 0;
    for (const PxPath *p = path; p != NULL && depth < PX_COUNT(c->chain); p = p->above)
        c->chain[depth++] = p->hash;
}

void px_complain_at(PxScene *scene, int line, int column, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    PxSceneComplaint *c = complaint_add(scene, PX_ERROR, "", format, arguments);
    va_end(arguments);
    if (c != NULL) {
        c->shown.line = line;
        c->shown.column = column;
    }
}

void px_complaints_clear(PxScene *scene, bool only_deep)
{
    size_t kept = 0;
    scene->errors = 0;
    for (size_t k = 0; k < scene->complaints.count; ++k) {
        PxSceneComplaint *c = &scene->complaints.data[k];
        if (only_deep && !c->deep && c->order != SUMMARY) {
            scene->errors += c->shown.severity == PX_ERROR;
            scene->complaints.data[kept++] = *c;
            continue;
        }
        free((char *)c->shown.place);
        free((char *)c->shown.text);
    }
    scene->complaints.count = kept;
    for (int k = only_deep; k < 2; ++k)
        scene->left_out[k] = scene->errors_left_out[k] = 0;
}

/* --- lines --------------------------------------------------------------------- */

static int compare_locations(const void *a, const void *b)
{
    uint64_t x = ((const PxLocation *)a)->path, y = ((const PxLocation *)b)->path;
    return (x > y) - (x < y);
}

static int compare_complaints(const void *a, const void *b)
{
    const PxSceneComplaint *x = a, *y = b;
    if (x->shown.line != y->shown.line) {
        if (x->shown.line == 0 || y->shown.line == 0)
            return x->shown.line == 0 ? 1 : -1;
        return x->shown.line < y->shown.line ? -1 : 1;
    }
    if (x->shown.column != y->shown.column)
        return x->shown.column < y->shown.column ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

static void place(PxSceneComplaint *c, PxLocation *wanted, size_t count)
{
    for (size_t k = 0; k < PX_COUNT(c->chain) && c->chain[k] != 0; ++k) {
        const PxLocation *found = px_location_find(wanted, count, c->chain[k]);
        if (found == NULL || found->line == 0)
            continue;
        bool key = k == 0 && c->at_key && found->key_line > 0;
        c->shown.line = key ? found->key_line : found->line;
        c->shown.column = key ? found->key_column : found->column;
        return;
    }
}

static PxStatus find_lines(PxScene *scene)
{
    PX_LIST(PxLocation) wanted = {0};
    PxStatus status = PX_OK;
    if (!PX_LIST_RESERVE(&wanted, scene->complaints.count * 8))
        return px_fail(PX_ERR_MEMORY, "scene: no room to find the places of %zu complaints",
                       scene->complaints.count);
    for (size_t k = 0; k < scene->complaints.count; ++k) {
        const PxSceneComplaint *c = &scene->complaints.data[k];
        for (size_t d = 0; c->shown.line == 0 && d < 8 && c->chain[d] != 0; ++d)
            wanted.data[wanted.count++] = (PxLocation){.path = c->chain[d]};
    }
    qsort(wanted.data, wanted.count, sizeof *wanted.data, compare_locations);
    size_t distinct = 0;
    for (size_t k = 0; k < wanted.count; ++k)
        if (k == 0 || wanted.data[k].path != wanted.data[distinct - 1].path)
            wanted.data[distinct++] = wanted.data[k];
    if (distinct > 0)
        status = px_locate(scene->text, scene->size, wanted.data, distinct);
    for (size_t k = 0; status == PX_OK && k < scene->complaints.count; ++k)
        if (scene->complaints.data[k].shown.line == 0)
            place(&scene->complaints.data[k], wanted.data, distinct);
    PX_LIST_FREE(&wanted);
    return status;
}

PxStatus px_complaints_finish(PxScene *scene)
{
    size_t left_out = scene->left_out[0] + scene->left_out[1];
    if (left_out > 0) {
        bool errors = scene->errors_left_out[0] + scene->errors_left_out[1] > 0;
        char text[48];
        snprintf(text, sizeof text, "and %zu more", left_out);
        PxSceneComplaint *last =
            complaint_keep(scene, errors ? PX_ERROR : PX_WARNING, strdup(""), strdup(text));
        if (last != NULL)
            last->order = SUMMARY;
    }
    if (scene->complaints.count > 0) {
        PX_TRY(find_lines(scene));
        qsort(scene->complaints.data, scene->complaints.count, sizeof *scene->complaints.data,
              compare_complaints);
    }
    if (scene->no_memory)
        return px_fail(PX_ERR_MEMORY, "scene: no room for what is to be said about %s",
                       scene->file);
    return PX_OK;
}

/* --- words ------------------------------------------------------------------------ */

const char *px_json_text(const json_t *value, char *buffer, size_t size)
{
    char part[64];
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        snprintf(buffer, size, "an object");
        break;
    case JSON_ARRAY:
        snprintf(buffer, size, "a list of %zu", json_array_size(value));
        break;
    case JSON_STRING:
        snprintf(buffer, size, "text '%s'", px_quote(json_string_value(value), part, sizeof part));
        break;
    case JSON_INTEGER:
    case JSON_REAL:
        snprintf(buffer, size, "%s", px_number_text(json_number_value(value), part));
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        snprintf(buffer, size, "%s", json_is_true(value) ? "true" : "false");
        break;
    case JSON_NULL:
        snprintf(buffer, size, "null");
        break;
    }
    return buffer;
}
