/// Reads meshes from Wavefront OBJ files.
#include "base/words.h"
#include "shape/keys.h"
#include "shape/mesh_read.h"
#include "shape/parse_text.h"

#include <stdlib.h>
#include <string.h>

/* Keywords of the format that do not concern triangles and are skipped. Any other word means
 * that the file is not OBJ. */
static const char *const passed_over[] = {
    "s",    "usemtl", "mtllib", "l",          "p",         "vp",    "mg",       "cstype",
    "deg",  "bmat",   "step",   "curv",       "curv2",     "surf",  "parm",     "trim",
    "hole", "scrv",   "sp",     "end",        "con",       "bevel", "c_interp", "d_interp",
    "lod",  "maplib", "usemap", "shadow_obj", "trace_obj", "ctech", "stech",    "call",
    "csh",  "bsp",    "bzp",    "cdc",        "cdp",       "res",
};

#define NONE UINT32_MAX

/* Indices of a corner, from 0; NONE for those not given. */
typedef struct Corner {
    uint32_t v, vt, vn;
} Corner;

/* The largest index of a kind, checked at the end of the file: a face may refer to a
 * vertex further down. */
typedef struct Furthest {
    uint64_t index; /* from 1; 0 is none */
    size_t line;
} Furthest;

/* Names of objects and groups that a message lists. */
#define LISTED_PARTS 64
#define NAME_SIZE 64

typedef struct Obj {
    const char *name;
    const char *part;         /* object or group to read; NULL: all of the file */
    bool in_object, in_group; /* the next faces are part of it */
    bool found;               /* it has been named */
    size_t parts;             /* names so far, at most LISTED_PARTS */
    char listed[LISTED_PARTS][NAME_SIZE];
    PX_LIST(PxVec3) v;
    PX_LIST(PxVec3) colour;
    PX_LIST(PxUv) vt;
    PX_LIST(PxVec3) vn;
    struct {
        Corner (*data)[3];
        size_t count, capacity;
    } triangle;
    Furthest far_v, far_vt, far_vn;
    bool without_vt, without_vn; /* some corner has none */
} Obj;

static PxStatus no_room(const Obj *obj)
{
    return px_fail(PX_ERR_MEMORY, "%s: no room for %zu vertices and %zu triangles", obj->name,
                   obj->v.count, obj->triangle.count);
}

/* Reads up to `most` numbers from the rest of the line; *count is their number. */
static PxStatus numbers(const Obj *obj, size_t line, const char *what, PxWord rest, int least,
                        int most, double *out, int *count)
{
    PxWord word;
    int k = 0;
    char quote[PX_WORD_QUOTE];
    for (; px_word_next(&rest, &word); ++k) {
        if (word.at[0] == '#')
            break;
        if (k == most)
            return px_fail(PX_ERR_FORMAT, "%s: line %zu: %s has more than %d numbers", obj->name,
                           line, what, most);
        if (!px_word_number(word, &out[k]))
            return px_fail(PX_ERR_FORMAT, "%s: line %zu: '%s' in %s, wanted a number", obj->name,
                           line, px_word_quote(word, quote), what);
    }
    if (k < least)
        return px_fail(PX_ERR_FORMAT, "%s: line %zu: %s has %d numbers, wanted %d", obj->name, line,
                       what, k, least);
    *count = k;
    return PX_OK;
}

static PxStatus read_v(Obj *obj, size_t line, PxWord rest)
{
    double n[7] = {0};
    int count = 0;
    PX_TRY(numbers(obj, line, "vertex", rest, 3, 7, n, &count));
    if (!PX_LIST_RESERVE(&obj->v, 1) || !PX_LIST_RESERVE(&obj->colour, 1))
        return no_room(obj);
    obj->v.data[obj->v.count++] = px_vec(n[0], n[1], n[2]);
    /* Three more numbers are a colour, one more a weight, four more both. */
    if (count >= 6)
        obj->colour.data[obj->colour.count++] = px_vec(n[count - 3], n[count - 2], n[count - 1]);
    return PX_OK;
}

static PxStatus read_vt(Obj *obj, size_t line, PxWord rest)
{
    double n[3] = {0};
    int count = 0;
    PX_TRY(numbers(obj, line, "texture coordinate", rest, 1, 3, n, &count));
    if (!PX_LIST_RESERVE(&obj->vt, 1))
        return no_room(obj);
    obj->vt.data[obj->vt.count++] = (PxUv){n[0], n[1]};
    return PX_OK;
}

static PxStatus read_vn(Obj *obj, size_t line, PxWord rest)
{
    double n[3];
    int count = 0;
    PX_TRY(numbers(obj, line, "normal", rest, 3, 3, n, &count));
    if (!PX_LIST_RESERVE(&obj->vn, 1))
        return no_room(obj);
    obj->vn.data[obj->vn.count++] = px_vec(n[0], n[1], n[2]);
    return PX_OK;
}

/* Reads one index: 1 is the first, -1 the last so far. */
static PxStatus read_index(const Obj *obj, size_t line, const char *what, PxWord word,
                           size_t so_far, Furthest *far, uint32_t *out)
{
    int64_t index;
    char quote[PX_WORD_QUOTE];
    if (!px_word_integer(word, &index) || index == 0)
        return px_fail(PX_ERR_FORMAT,
                       "%s: line %zu: '%s' in a face, wanted the number of a %s, from 1 or -1 on",
                       obj->name, line, px_word_quote(word, quote), what);
    if (index < 0 && (uint64_t)-index > so_far)
        return px_fail(PX_ERR_FORMAT,
                       "%s: line %zu: a face names %s %lld, but only %zu stand above", obj->name,
                       line, what, (long long)index, so_far);
    if (index < 0)
        index += (int64_t)so_far + 1;
    if ((uint64_t)index > far->index)
        *far = (Furthest){(uint64_t)index, line};
    /* An index out of range is refused at the end of the file; 0 is a placeholder. */
    *out = index > PX_MESH_MAX_VERTICES ? 0 : (uint32_t)(index - 1);
    return PX_OK;
}

/* v, v/vt, v//vn or v/vt/vn. */
static PxStatus read_corner(Obj *obj, size_t line, PxWord word, Corner *out)
{
    PxWord part[3] = {{word.at, 0}, {NULL, 0}, {NULL, 0}};
    int parts = 0;
    char quote[PX_WORD_QUOTE];
    for (size_t k = 0; k < word.length; ++k) {
        if (word.at[k] != '/') {
            ++part[parts].length;
        } else if (++parts < 3) {
            part[parts] = (PxWord){word.at + k + 1, 0};
        } else {
            return px_fail(PX_ERR_FORMAT, "%s: line %zu: '%s' in a face, wanted v, v/vt or v/vt/vn",
                           obj->name, line, px_word_quote(word, quote));
        }
    }
    *out = (Corner){NONE, NONE, NONE};
    PX_TRY(read_index(obj, line, "vertex", part[0], obj->v.count, &obj->far_v, &out->v));
    if (part[1].length > 0)
        PX_TRY(read_index(obj, line, "texture coordinate", part[1], obj->vt.count, &obj->far_vt,
                          &out->vt));
    if (part[2].length > 0)
        PX_TRY(read_index(obj, line, "normal", part[2], obj->vn.count, &obj->far_vn, &out->vn));
    return PX_OK;
}

static bool wanted(const Obj *obj)
{
    return obj->part == NULL || obj->in_object || obj->in_group;
}

static PxStatus read_f(Obj *obj, size_t line, PxWord rest)
{
    Corner first = {0}, last = {0}, now;
    PxWord word;
    size_t corners = 0;
    while (px_word_next(&rest, &word) && word.at[0] != '#') {
        PX_TRY(read_corner(obj, line, word, &now));
        if (wanted(obj)) {
            obj->without_vt |= now.vt == NONE;
            obj->without_vn |= now.vn == NONE;
        }
        if (++corners == 1)
            first = now;
        if (corners >= 3 && wanted(obj)) {
            if (!PX_LIST_RESERVE(&obj->triangle, 1))
                return no_room(obj);
            Corner *t = obj->triangle.data[obj->triangle.count++];
            t[0] = first;
            t[1] = last;
            t[2] = now;
        }
        last = now;
    }
    if (corners < 3)
        return px_fail(PX_ERR_FORMAT, "%s: line %zu: a face with %zu corners, wanted 3 or more",
                       obj->name, line, corners);
    return PX_OK;
}

/* Is this the name of the part? Notes it for the message about a part that is missing. */
static bool names_part(Obj *obj, PxWord name)
{
    bool known = false;
    char text[NAME_SIZE] = "", shown[NAME_SIZE];
    if (obj->part == NULL || name.length == 0)
        return false;
    memcpy(text, name.at, name.length < NAME_SIZE ? name.length : NAME_SIZE - 1);
    px_quote(text, shown, sizeof shown);
    for (size_t k = 0; k < obj->parts; ++k)
        known |= strcmp(obj->listed[k], shown) == 0;
    if (!known && obj->parts < LISTED_PARTS)
        strcpy(obj->listed[obj->parts++], shown);
    bool is = px_word_is(name, obj->part);
    obj->found |= is;
    return is;
}

/* The rest of a line without blanks around it: names of objects may contain some. */
static PxWord trimmed(PxWord rest)
{
    PxWord first;
    PxWord after = rest;
    if (!px_word_next(&after, &first))
        return (PxWord){rest.at, 0};
    size_t length = (size_t)(rest.at + rest.length - first.at);
    while (length > 0 && (first.at[length - 1] == ' ' || first.at[length - 1] == '\t' ||
                          first.at[length - 1] == '\r'))
        --length;
    return (PxWord){first.at, length};
}

/* "o name" begins an object, which is in no group yet; "g name name" puts what follows into
 * groups. */
static void read_part(Obj *obj, bool group, PxWord rest)
{
    PxWord whole = trimmed(rest), word;
    if (!group) {
        obj->in_object = names_part(obj, whole);
        obj->in_group = false;
        return;
    }
    obj->in_group = obj->part != NULL && px_word_is(whole, obj->part);
    obj->found |= obj->in_group;
    while (px_word_next(&rest, &word))
        obj->in_group |= names_part(obj, word);
}

static PxStatus read_line(Obj *obj, size_t line, PxWord rest)
{
    PxWord word;
    char quote[PX_WORD_QUOTE];
    if (!px_word_next(&rest, &word) || word.at[0] == '#')
        return PX_OK;
    if (px_word_is(word, "v"))
        return read_v(obj, line, rest);
    if (px_word_is(word, "vt"))
        return read_vt(obj, line, rest);
    if (px_word_is(word, "vn"))
        return read_vn(obj, line, rest);
    if (px_word_is(word, "f") || px_word_is(word, "fo"))
        return read_f(obj, line, rest);
    if (px_word_is(word, "o") || px_word_is(word, "g")) {
        read_part(obj, px_word_is(word, "g"), rest);
        return PX_OK;
    }
    for (size_t k = 0; k < PX_COUNT(passed_over); ++k)
        if (px_word_is(word, passed_over[k]))
            return PX_OK;
    return px_fail(PX_ERR_FORMAT, "%s: line %zu: begins with '%s', which OBJ files do not know",
                   obj->name, line, px_word_quote(word, quote));
}

/* A backslash at the end of a line continues it; such lines are rare and copied. */
static PxStatus read_lines(Obj *obj, PxTextReader *text)
{
    PX_LIST(char) joined = {0};
    PxStatus status = PX_OK;
    PxWord line;
    size_t number = 1;
    while (status == PX_OK && px_text_line(text, &line)) {
        if (line.length == 0 || line.at[line.length - 1] != '\\') {
            status = read_line(obj, number, line);
            number = text->line;
            continue;
        }
        joined.count = 0;
        bool more = true;
        while (more) {
            more = line.length > 0 && line.at[line.length - 1] == '\\';
            size_t length = line.length - (more ? 1 : 0);
            if (!PX_LIST_RESERVE(&joined, length + 1)) {
                status = no_room(obj);
                break;
            }
            memcpy(joined.data + joined.count, line.at, length);
            joined.count += length;
            joined.data[joined.count++] = ' ';
            more = more && px_text_line(text, &line);
        }
        if (status == PX_OK)
            status = read_line(obj, number, (PxWord){joined.data, joined.count});
        number = text->line;
    }
    PX_LIST_FREE(&joined);
    return status;
}

static PxStatus check_furthest(const Obj *obj, const char *what, Furthest far, size_t count)
{
    if (far.index <= count)
        return PX_OK;
    return px_fail(PX_ERR_FORMAT, "%s: line %zu: a face names %s %llu, but there are only %zu",
                   obj->name, far.line, what, (unsigned long long)far.index, count);
}

/* Triangles without texture coordinates, if others have them; 0: all or none. */
static uint32_t count_without_vt(const Obj *obj)
{
    size_t without = 0;
    for (size_t t = 0; obj->without_vt && t < obj->triangle.count; ++t) {
        const Corner *c = obj->triangle.data[t];
        without += c[0].vt == NONE || c[1].vt == NONE || c[2].vt == NONE;
    }
    return without < obj->triangle.count ? (uint32_t)without : 0;
}

/* Vertices as in the file; if corners have texture coordinates or normals, one vertex for
 * each combination, in order of first use. */
static PxStatus build(Obj *obj, PxMesh **out)
{
    bool with_vt = obj->triangle.count > 0 && !obj->without_vt;
    bool with_vn = obj->triangle.count > 0 && !obj->without_vn;
    bool coloured = obj->v.count > 0 && obj->colour.count == obj->v.count;
    PxMeshBuilder b = {0};
    PxKeys keys = {0};
    PxStatus status = PX_OK;
    bool room = PX_LIST_RESERVE(&b.triangle, obj->triangle.count);
    for (size_t t = 0; room && t < obj->triangle.count; ++t) {
        for (int k = 0; k < 3; ++k) {
            Corner c = obj->triangle.data[t][k];
            uint32_t vertex = c.v;
            if (with_vt || with_vn) {
                size_t before = keys.count;
                PxKey key = {{c.v, with_vt ? c.vt : 0, with_vn ? c.vn : 0}};
                vertex = px_keys_add(&keys, key);
                room = room && vertex != PX_KEY_NONE;
                if (room && keys.count > before) {
                    room = PX_LIST_RESERVE(&b.position, 1) && PX_LIST_RESERVE(&b.colour, 1) &&
                           PX_LIST_RESERVE(&b.uv, 1) && PX_LIST_RESERVE(&b.normal, 1);
                    if (!room)
                        break;
                    b.position.data[b.position.count++] = obj->v.data[c.v];
                    if (coloured)
                        b.colour.data[b.colour.count++] = obj->colour.data[c.v];
                    if (with_vt)
                        b.uv.data[b.uv.count++] = obj->vt.data[c.vt];
                    if (with_vn)
                        b.normal.data[b.normal.count++] = obj->vn.data[c.vn];
                }
            }
            b.triangle.data[t][k] = vertex;
        }
    }
    b.triangle.count = obj->triangle.count;
    if (room && !with_vt && !with_vn) {
        room = PX_LIST_RESERVE(&b.position, obj->v.count) &&
               PX_LIST_RESERVE(&b.colour, obj->colour.count);
        if (room && obj->v.count > 0)
            memcpy(b.position.data, obj->v.data, obj->v.count * sizeof *b.position.data);
        if (room && coloured)
            memcpy(b.colour.data, obj->colour.data, obj->colour.count * sizeof *b.colour.data);
        b.position.count = obj->v.count;
        b.colour.count = coloured ? obj->colour.count : 0;
    }
    status = room ? px_mesh_builder_finish(&b, obj->name, out) : no_room(obj);
    if (status == PX_OK)
        (*out)->uv_missing = count_without_vt(obj);
    px_keys_free(&keys);
    px_mesh_builder_free(&b);
    return status;
}

/* A part that is not there, or has no faces. */
static PxStatus check_part(const Obj *obj)
{
    char quoted[80], list[400], near[120];
    const char *word[LISTED_PARTS];
    if (obj->part == NULL || obj->triangle.count > 0)
        return PX_OK;
    px_quote(obj->part, quoted, sizeof quoted);
    if (obj->found)
        return px_fail(PX_ERR_FORMAT, "%s: its part '%s' has no faces", obj->name, quoted);
    if (obj->parts == 0)
        return px_fail(PX_ERR_FORMAT,
                       "%s: has no part '%s': no object (o) and no group (g) is named in it",
                       obj->name, quoted);
    for (size_t k = 0; k < obj->parts; ++k)
        word[k] = obj->listed[k];
    return px_fail(PX_ERR_FORMAT, "%s: has no part '%s', wanted one of %s%s", obj->name, quoted,
                   px_list_text(word, obj->parts, list, sizeof list),
                   px_suggestion_text(obj->part, word, obj->parts, near, sizeof near));
}

/* Leaves out the vertices that no triangle uses: those of other parts. */
static PxStatus drop_unused(Obj *obj)
{
    uint32_t *to = calloc(obj->v.count + 1, sizeof *to);
    size_t kept = 0;
    if (to == NULL)
        return no_room(obj);
    for (size_t t = 0; t < obj->triangle.count; ++t)
        for (int k = 0; k < 3; ++k)
            to[obj->triangle.data[t][k].v] = 1;
    bool coloured = obj->colour.count == obj->v.count;
    for (size_t v = 0; v < obj->v.count; ++v) {
        if (to[v] == 0)
            continue;
        obj->v.data[kept] = obj->v.data[v];
        if (coloured)
            obj->colour.data[kept] = obj->colour.data[v];
        to[v] = (uint32_t)kept++;
    }
    obj->v.count = kept;
    obj->colour.count = coloured ? kept : 0;
    for (size_t t = 0; t < obj->triangle.count; ++t)
        for (int k = 0; k < 3; ++k)
            obj->triangle.data[t][k].v = to[obj->triangle.data[t][k].v];
    free(to);
    return PX_OK;
}

PxStatus px_mesh_read_obj(const char *name, const void *bytes, size_t size, PxMesh **out)
{
    return px_mesh_read_obj_part(name, bytes, size, NULL, out);
}

PxStatus px_mesh_read_obj_part(const char *name, const void *bytes, size_t size, const char *part,
                               PxMesh **out)
{
    *out = NULL;
    if (size > PX_MESH_MAX_FILE)
        return px_fail(PX_ERR_FORMAT, "%s: %zu bytes, at most %llu allowed", name, size,
                       (unsigned long long)PX_MESH_MAX_FILE);
    Obj obj = {.name = name, .part = part};
    PxTextReader text = px_text(bytes, size);
    if (size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0)
        text.at += 3; /* UTF-8 byte order mark */
    PxStatus status = read_lines(&obj, &text);
    if (status == PX_OK)
        status = check_furthest(&obj, "vertex", obj.far_v, obj.v.count);
    if (status == PX_OK)
        status = check_furthest(&obj, "texture coordinate", obj.far_vt, obj.vt.count);
    if (status == PX_OK)
        status = check_furthest(&obj, "normal", obj.far_vn, obj.vn.count);
    if (status == PX_OK)
        status = check_part(&obj);
    if (status == PX_OK && part != NULL)
        status = drop_unused(&obj);
    if (status == PX_OK)
        status = build(&obj, out);
    PX_LIST_FREE(&obj.v);
    PX_LIST_FREE(&obj.colour);
    PX_LIST_FREE(&obj.vt);
    PX_LIST_FREE(&obj.vn);
    PX_LIST_FREE(&obj.triangle);
    return status;
}
