/// Reads scenes from files or memory, and returns their properties.
#include "scene/content.h"

#include "base/words.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

PxStatus px_scene_verdict(const PxScene *scene)
{
    if (scene->errors == 0)
        return PX_OK;
    return px_fail(PX_ERR_FORMAT, "%s: %zu error%s in the scene", scene->file, scene->errors,
                   scene->errors == 1 ? "" : "s");
}

/* --- parsing ------------------------------------------------------------------------ */

/* Hints for the most common syntax errors. */
static const char *syntax_hint(const char *message)
{
    static const struct {
        const char *part, *hint;
    } hints[] = {
        {"string or '}' expected near '}'", "; is there a comma before the '}'?"},
        {"unexpected token near ']'", "; is there a comma before the ']'?"},
        {"'}' expected near '\"", "; is a comma missing before it?"},
        {"']' expected near", "; is a comma missing before it?"},
        {"near '/'", "; comments are members: \"//\": \"like this\""},
        {"near '''", "; text stands in double quotes"},
        {"near 'NaN'", "; there is no such number in JSON"},
        {"near 'nan'", "; there is no such number in JSON"},
        {"near 'Infinity'", "; there is no such number in JSON"},
        {"near 'inf'", "; there is no such number in JSON"},
        {"near 'True'", "; write true"},
        {"near 'False'", "; write false"},
        {"near 'None'", "; leave the key out"},
        {"duplicate object key near '\"//\"'", "; two comments in one object: \"//\" and \"// 2\""},
    };
    for (size_t k = 0; k < PX_COUNT(hints); ++k)
        if (strstr(message, hints[k].part) != NULL)
            return hints[k].hint;
    return "";
}

/* The parser reports the last character of the invalid token and quotes the token if it is short;
 * moves the position to the token's first character. */
static int token_begin(const char *message, int column)
{
    const char *token = strstr(message, " near '");
    int letters = 0;
    if (token == NULL)
        return column;
    for (const char *c = token + 7; *c != '\0' && c[1] != '\0'; ++c)
        letters += (*c & 0xc0) != 0x80;
    return column >= letters && letters > 0 ? column - letters + 1 : column;
}

static void parse(PxScene *scene)
{
    const char *text = scene->text;
    size_t size = scene->size, brackets = 0;
    for (size_t k = 0; k < size; ++k)
        brackets += text[k] == '{' || text[k] == '[';
    if (brackets > PX_SCENE_MOST_BRACKETS) {
        px_complain_at(scene, 0, 0, "there are %zu objects and lists, at most %zu fit", brackets,
                       PX_SCENE_MOST_BRACKETS);
        return;
    }
    json_error_t error;
    scene->root = json_loadb(text, size, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &error);
    if (scene->root != NULL)
        return;
    if (json_error_code(&error) == json_error_out_of_memory) {
        scene->no_memory = true;
        return;
    }
    char shown[240];
    px_quote(error.text, shown, sizeof shown);
    int column = token_begin(error.text, error.column);
    px_complain_at(scene, error.line > 0 ? error.line : 1, column > 0 ? column : 1,
                   "this is not JSON: %s%s", shown, syntax_hint(error.text));
}

/* Skips a UTF-8 byte order mark, which some editors write. */
static void skip_byte_order_mark(const char **text, size_t *size)
{
    if (*size >= 3 && memcmp(*text, "\xef\xbb\xbf", 3) == 0) {
        *text += 3;
        *size -= 3;
    }
}

static PxStatus scene_from_text(const char *name, const char *folder, const char *text, size_t size,
                                PxScene **out)
{
    PxScene *scene = calloc(1, sizeof *scene);
    if (scene == NULL)
        return px_fail(PX_ERR_MEMORY, "scene: no room to read %s", name);
    PxStatus status = PX_OK;
    px_arena_init(&scene->memory, NULL);
    skip_byte_order_mark(&text, &size);
    scene->file = strdup(name);
    scene->folder = folder != NULL ? strdup(folder) : NULL;
    scene->text = size <= PX_SCENE_MOST_BYTES ? malloc(size + 1) : NULL;
    if (scene->file == NULL || (folder != NULL && scene->folder == NULL) ||
        (scene->text == NULL && size <= PX_SCENE_MOST_BYTES)) {
        status = px_fail(PX_ERR_MEMORY, "scene: no room to read %s", name);
        goto done;
    }
    if (scene->text != NULL) {
        if (size > 0)
            memcpy(scene->text, text, size);
        scene->text[size] = '\0';
        scene->size = size;
        parse(scene);
    } else {
        px_complain_at(scene, 0, 0, "the scene is longer than %zu MiB", PX_SCENE_MOST_BYTES >> 20);
    }
    status = px_scene_understand(scene);
done:
    if (status != PX_OK) {
        px_scene_free(scene);
        return status;
    }
    *out = scene;
    return px_scene_verdict(scene);
}

/* --- files ----------------------------------------------------------------------------- */

/* Reads the whole file, but at most one byte more than the size limit of a scene. */
static PxStatus read_file(const char *path, char **text, size_t *size)
{
    PX_LIST(char) list = {0};
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return px_fail(PX_ERR_IO, "%s: cannot be opened: %s", path, strerror(errno));
    size_t got = 1;
    PxStatus status = PX_OK;
    while (got > 0 && list.count <= PX_SCENE_MOST_BYTES) {
        if (!PX_LIST_RESERVE(&list, (size_t)1 << 16)) {
            status = px_fail(PX_ERR_MEMORY, "%s: no room to read it", path);
            break;
        }
        got = fread(list.data + list.count, 1, (size_t)1 << 16, file);
        list.count += got;
    }
    if (ferror(file))
        status = px_fail(PX_ERR_IO, "%s: cannot be read: %s", path, strerror(errno));
    fclose(file);
    if (status != PX_OK) {
        PX_LIST_FREE(&list);
        return status;
    }
    *text = list.data;
    *size = list.count;
    return PX_OK;
}

/* Makes the path absolute, so that it stays valid if the process changes its directory. A folder
 * that does not exist is kept as given: its meshes will not be found. */
static PxStatus absolute_folder(const char *folder, char **out)
{
    *out = realpath(folder, NULL);
    if (*out == NULL)
        *out = strdup(folder);
    return *out != NULL ? PX_OK : px_fail(PX_ERR_MEMORY, "scene: no room for a path");
}

PxStatus px_scene_read_text(const char *name, const char *folder, const char *text, size_t size,
                            PxScene **out)
{
    PX_WANT(out);
    *out = NULL;
    PX_WANT(name);
    if (size > 0)
        PX_WANT(text);
    char *absolute = NULL;
    if (folder != NULL)
        PX_TRY(absolute_folder(folder, &absolute));
    PxStatus status = scene_from_text(name, absolute, text, size, out);
    free(absolute);
    return status;
}

PxStatus px_scene_read(const char *path, PxScene **out)
{
    PX_WANT(out);
    *out = NULL;
    PX_WANT_TEXT(path);
    char *text = NULL;
    size_t size = 0;
    PX_TRY(read_file(path, &text, &size));
    const char *slash = strrchr(path, '/');
    char *folder =
        slash == NULL ? strdup(".") : strndup(path, slash == path ? 1 : (size_t)(slash - path));
    PxStatus status = folder != NULL ? px_scene_read_text(path, folder, text, size, out)
                                     : px_fail(PX_ERR_MEMORY, "scene: no room to read %s", path);
    free(folder);
    free(text);
    return status;
}

void px_scene_free(PxScene *scene)
{
    if (scene == NULL)
        return;
    px_complaints_clear(scene, false);
    PX_LIST_FREE(&scene->complaints);
    for (size_t k = 0; k < scene->changed.count; ++k)
        free(scene->changed.data[k].text);
    PX_LIST_FREE(&scene->changed);
    px_scene_matter_free(scene);
    px_arena_free(&scene->memory);
    json_decref(scene->root);
    free(scene->resolved);
    free(scene->text);
    free(scene->folder);
    free(scene->file);
    free(scene);
}

/* --- properties --------------------------------------------------------------------------- */

size_t px_scene_complaint_count(const PxScene *scene)
{
    return scene != NULL ? scene->complaints.count : 0;
}

const PxComplaint *px_scene_complaint(const PxScene *scene, size_t k)
{
    return k < px_scene_complaint_count(scene) ? &scene->complaints.data[k].shown : NULL;
}

size_t px_scene_error_count(const PxScene *scene)
{
    return scene != NULL ? scene->errors : 0;
}

const char *px_scene_name(const PxScene *scene)
{
    return scene != NULL ? scene->head.name : NULL;
}

uint32_t px_scene_frames(const PxScene *scene)
{
    return scene != NULL ? (uint32_t)scene->head.time.frames : 0;
}

double px_scene_fps(const PxScene *scene)
{
    return scene != NULL ? scene->head.time.fps : NAN;
}

/* Sets a number of the scene; %.9g keeps the digits of a float. */
static PxStatus set_number(PxScene *scene, const char *path, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.9g", value);
    return px_scene_set(scene, path, text);
}

PxStatus px_scene_coarsen(PxScene *scene, double factor)
{
    PX_WANT(scene);
    if (!(factor >= 1 && factor <= 10)) /* false for NaN too */
        return px_fail(PX_ERR_ARGUMENT, "coarsen: the factor is %g, wanted 1 to 10", factor);
    if (px_scene_error_count(scene) > 0)
        return px_scene_verdict(scene);
    PX_TRY(set_number(scene, "spacing", scene->world.spacing * factor));
    for (size_t k = 0; k < scene->bodies; ++k) { /* the scene is read again each time */
        const PxShapeDef *shape = &scene->body[k].def.shape;
        double columns = ceil(shape->columns / factor), rows = ceil(shape->rows / factor);
        char path[64];
        if (shape->kind != PX_SHAPE_SHEET || !scene->body[k].def.cloth)
            continue;
        snprintf(path, sizeof path, "bodies[%zu].shape.sheet.columns", k);
        PX_TRY(set_number(scene, path, columns));
        snprintf(path, sizeof path, "bodies[%zu].shape.sheet.rows", k);
        PX_TRY(set_number(scene, path, rows));
    }
    return PX_OK;
}

double px_scene_spacing(const PxScene *scene)
{
    return scene != NULL ? scene->world.spacing : NAN;
}

char px_scene_up(const PxScene *scene)
{
    return scene != NULL && scene->head.up == PX_UP_Z ? 'z' : 'y';
}

bool px_scene_camera(const PxScene *scene, PxSceneCamera *out)
{
    bool there = scene != NULL && scene->has_camera;
    if (there && out != NULL)
        *out = scene->camera;
    return there;
}
