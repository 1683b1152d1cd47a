#include "run/skin_files.h"

#include "store/palette.h"
#include "store/run_files.h"
#include "store/surface_ply.h"
#include "world/cloth_stage.h"
#include "world/world_parts.h"

#include <stdlib.h>
#include <string.h>

enum { VX, VY, VZ, RED, GREEN, BLUE, BODY, PAINTED, SHARED };
enum { S = SHARED, T, PIECE, INSIDE, T1 = SHARED };
enum { COLUMNS = SHARED + 6, NAME = 40 };

/* One skin in the layout of the PLY writer. */
typedef struct Part {
    float (*position)[3], (*normal)[3];
    float *constant[RED + 3 + 4]; /* own columns: colours, body, painted, piece, inside */
    size_t constants;
    float *column[COLUMNS];
    PxClothSurface cloth;
} Part;

static void part_free(Part *p)
{
    px_cloth_surface_free(&p->cloth);
    free(p->position);
    free(p->normal);
    for (size_t k = 0; k < p->constants; ++k)
        free(p->constant[k]);
}

/* Makes a constant column; NULL when out of memory. */
static float *all(Part *p, float value, uint32_t count)
{
    float *to = malloc(((size_t)count + 1) * sizeof *to);
    for (uint32_t k = 0; to != NULL && k < count; ++k)
        to[k] = value;
    p->constant[p->constants++] = to;
    return to;
}

static float (*triples(const PxColumn *column, uint32_t count))[3]
{
    float(*to)[3] = malloc(((size_t)count + 1) * sizeof *to);
    for (uint32_t k = 0; to != NULL && k < count; ++k)
        for (int c = 0; c < 3; ++c)
            to[k][c] = ((const float *)column->data[c])[k];
    return to;
}

/* Columns of a body that broke: piece, faces of cracks, and the colour of these. */
static void mark_pieces(const PxSkin *skin, const PxVec3 *inside, uint32_t n, Part *p)
{
    const double colour[3] = {inside->x, inside->y, inside->z};
    bool coloured = colour[0] + colour[1] + colour[2] > 0;
    const PxColumn *own = px_table_find(&skin->shown, "colour");
    for (int k = 0; k < 3 && skin->painted && coloured; ++k) {
        p->column[RED + k] = all(p, 0, n);
        if (p->column[RED + k] != NULL)
            memcpy(p->column[RED + k], own->data[k], n * sizeof(float));
    }
    for (uint32_t v = 0; v < n; ++v) {
        p->column[PIECE][v] = (float)skin->piece[v];
        p->column[INSIDE][v] = skin->inside[v];
        if (!skin->inside[v])
            continue;
        p->column[PAINTED][v] = coloured;
        for (int k = 0; k < 3 && coloured && p->column[RED + k] != NULL; ++k)
            p->column[RED + k][v] = (float)colour[k];
    }
}

static PxStatus part_make(const PxWorldSkin *s, const PxVec3 *inside, Part *p, PxPlyPart *out)
{
    const PxSkin *skin = px_world_skin_shown(s);
    const PxTable *shown = &skin->shown;
    const uint8_t *palette = px_palette(s->material);
    uint32_t n = shown->count;
    const PxColumn *velocity = px_table_find(shown, "velocity");
    const PxColumn *colour = px_table_find(shown, "colour");
    const PxColumn *tangent = px_table_find(shown, "tangent"), *uv = px_table_find(shown, "uv");
    p->position = triples(px_table_find(shown, "position"), n);
    p->normal = triples(px_table_find(shown, "normal"), n);
    for (int k = 0; k < 3; ++k) {
        p->column[VX + k] = velocity->data[k];
        p->column[RED + k] = skin->painted ? colour->data[k] : all(p, palette[k] / 255.0f, n);
    }
    p->column[BODY] = all(p, (float)s->body, n);
    p->column[PAINTED] = all(p, skin->painted ? 1.0f : 0.0f, n);
    if (skin->triangles > 0) {
        p->column[S] = uv->data[0];
        p->column[T] = uv->data[1];
        p->column[PIECE] = all(p, 0, n);
        p->column[INSIDE] = all(p, 0, n);
    } else {
        for (int k = 0; k < 6; ++k)
            p->column[T1 + k] = tangent->data[k];
    }
    bool room = p->position != NULL && p->normal != NULL;
    for (size_t k = 0; k < p->constants; ++k)
        room = room && p->constant[k] != NULL;
    if (room && skin->piece != NULL && skin->inside != NULL)
        mark_pieces(skin, inside, n, p);
    for (size_t k = 0; k < p->constants; ++k)
        room = room && p->constant[k] != NULL;
    if (!room)
        return px_fail(PX_ERR_MEMORY, "skin: no room to write %u points", n);
    *out = (PxPlyPart){.vertices = n,
                       .triangles = n > 0 ? skin->triangles : 0,
                       .position = (const float(*)[3])p->position,
                       .normal = (const float(*)[3])p->normal,
                       .radius = px_table_find(shown, "radius")->data[0],
                       .triangle = (const uint32_t(*)[3])skin->triangle,
                       .column = p->column,
                       .material = s->material};
    return PX_OK;
}

static PxStatus cloth_make(const PxWorld *world, size_t k, Part *p, PxPlyPart *out)
{
    PX_TRY(px_cloth_surface(world, k, &p->cloth));
    const PxClothSurface *s = &p->cloth;
    const uint8_t *palette = px_palette(s->material);
    for (int c = 0; c < 3; ++c) {
        p->column[VX + c] = s->velocity[c];
        p->column[RED + c] = all(p, palette[c] / 255.0f, s->vertices);
    }
    p->column[BODY] = all(p, (float)s->body, s->vertices);
    p->column[PAINTED] = all(p, 0, s->vertices);
    p->column[S] = s->uv[0];
    p->column[T] = s->uv[1];
    p->column[PIECE] = all(p, 0, s->vertices);
    p->column[INSIDE] = all(p, 0, s->vertices);
    for (size_t c = 0; c < p->constants; ++c)
        if (p->constant[c] == NULL)
            return px_fail(PX_ERR_MEMORY, "cloth: no room to write %u points", s->vertices);
    *out = (PxPlyPart){.vertices = s->vertices,
                       .triangles = s->triangles,
                       .position = (const float(*)[3])s->position,
                       .normal = (const float(*)[3])s->normal,
                       .triangle = (const uint32_t(*)[3])s->triangle,
                       .column = p->column,
                       .material = s->material};
    return PX_OK;
}

/* Worlds where something breaks say the pieces from the first frame on, so that all frames have
 * the same columns. */
static bool something_breaks(const PxWorld *world)
{
    for (size_t k = 0; k < world->materials.count; ++k)
        if (world->materials.data[k].def.fracture.fractures)
            return true;
    return false;
}

static PxStatus write_kind(const char *dir, const PxFrameMeta *meta, const PxWorld *world,
                           bool surfels)
{
    static const char *const names[2][COLUMNS] = {
        {"vx", "vy", "vz", "red", "green", "blue", "body", "painted", "s", "t", "piece", "inside"},
        {"vx", "vy", "vz", "red", "green", "blue", "body", "painted", "t1x", "t1y", "t1z", "t2x",
         "t2y", "t2z"}};
    PxRunFile kind = surfels ? PX_FILE_SKIN_SURFELS : PX_FILE_SKIN;
    char path[PX_PATH_MAX], name[COLUMNS][NAME] = {""};
    size_t skins = px_world_skin_count(world), cloths = surfels ? 0 : px_cloth_count(world);
    size_t parts = 0;
    Part *part = calloc(skins + cloths + 1, sizeof *part);
    PxPlyPart *ply = calloc(skins + cloths + 1, sizeof *ply);
    PxText text = {0};
    PxStatus status = part != NULL && ply != NULL
                          ? PX_OK
                          : px_fail(PX_ERR_MEMORY, "skin: no room for %zu skins", skins);
    for (size_t k = 0; k < skins && status == PX_OK; ++k)
        if ((px_world_skin(world, k)->skin->triangles == 0) == surfels) {
            const PxWorldSkin *skin = px_world_skin(world, k);
            status = part_make(skin, &world->materials.data[skin->material].def.fracture.inside,
                               &part[parts], &ply[parts]);
            ++parts;
        }
    for (size_t k = 0; k < cloths && status == PX_OK; ++k, ++parts)
        status = cloth_make(world, k, &part[parts], &ply[parts]);
    for (int k = 0; k < COLUMNS; ++k)
        if (names[surfels][k] != NULL)
            strcpy(name[k], names[surfels][k]);
    px_text_add(&text, "phyxel %s of frame %u, %c up, SI units\nrun %s frame %u\ntime ",
                surfels ? "surfels" : "skin", meta->number, meta->up, meta->run, meta->number);
    px_text_add_f64(&text, meta->time);
    px_text_add(&text, "\n%c", '\0');
    if (status == PX_OK)
        status = px_text_check(&text, "a skin");
    if (status == PX_OK)
        status = px_run_file_path(path, dir, kind, meta->number);
    PxPlySurface surface = {.comment = text.data,
                            .check = meta->check,
                            .part = ply,
                            .parts = parts,
                            .name = name,
                            .columns = surfels                   ? T1 + 6
                                       : something_breaks(world) ? INSIDE + 1
                                                                 : T + 1,
                            .colour = RED,
                            .surfels = surfels,
                            .materials = true};
    if (status == PX_OK && parts > 0)
        status = px_surface_ply_write(path, &surface);
    for (size_t k = 0; part != NULL && k < skins + cloths; ++k)
        part_free(&part[k]);
    px_text_free(&text);
    free(part);
    free(ply);
    return status;
}

bool px_skin_files_needed(const PxWorld *world, bool surfels)
{
    if (!surfels && px_cloth_count(world) > 0)
        return true;
    for (size_t k = 0; k < px_world_skin_count(world); ++k)
        if ((px_world_skin(world, k)->skin->triangles == 0) == surfels)
            return true;
    return false;
}

PxStatus px_skin_files_folders(const char *dir, const PxWorld *world)
{
    char path[PX_PATH_MAX];
    for (int surfels = 0; surfels < 2; ++surfels) {
        PxRunFile kind = surfels ? PX_FILE_SKIN_SURFELS : PX_FILE_SKIN;
        PX_TRY(px_path_join(path, dir, "%s", px_run_file_folder(kind)));
        if (px_skin_files_needed(world, surfels))
            PX_TRY(px_folder_make(path));
    }
    return PX_OK;
}

PxStatus px_skin_files_write(const char *dir, const PxFrameMeta *meta, PxWorld *world)
{
    if (px_world_skin_count(world) + px_cloth_count(world) == 0)
        return PX_OK;
    PX_TRY(px_world_move_skins(world));
    PX_TRY(write_kind(dir, meta, world, false));
    return write_kind(dir, meta, world, true);
}
