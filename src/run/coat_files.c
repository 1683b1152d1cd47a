#include "run/coat_files.h"

#include "store/palette.h"
#include "store/run_files.h"
#include "store/surface_ply.h"

#include <stdlib.h>
#include <string.h>

enum { VX, VY, VZ, RED, GREEN, BLUE, PAINTED, MELTED, COMPONENT, COLUMNS, NAME = 40 };

/* One coat in the layout of the PLY writer. */
typedef struct Part {
    float (*position)[3], (*normal)[3];
    float *column[COLUMNS];
    float *radius;
} Part;

static void part_free(Part *p)
{
    free(p->position);
    free(p->normal);
    free(p->radius);
    for (int k = 0; k < COLUMNS; ++k)
        free(p->column[k]);
}

static const float *numbers(const PxTable *table, const char *name, int component)
{
    return px_table_find(table, name)->data[component];
}

static PxStatus part_make(const PxWorldCoat *c, Part *p, PxPlyPart *out)
{
    const PxTable *s = &c->coat->surfels;
    const uint8_t *palette = px_palette(c->material);
    uint32_t n = s->count;
    p->position = malloc(((size_t)n + 1) * sizeof *p->position);
    p->normal = malloc(((size_t)n + 1) * sizeof *p->normal);
    p->radius = malloc(((size_t)n + 1) * sizeof *p->radius);
    bool room = p->position != NULL && p->normal != NULL && p->radius != NULL;
    for (int k = 0; k < COLUMNS; ++k)
        room = (p->column[k] = malloc(((size_t)n + 1) * sizeof(float))) != NULL && room;
    if (!room)
        return px_fail(PX_ERR_MEMORY, "coat: no room to write %u surfels", n);
    const uint32_t *component = px_table_find(s, "component")->data[0];
    const float *radius = numbers(s, "radius", 0), *painted = numbers(s, "painted", 0);
    const float *melted = numbers(s, "melted", 0), *normal[3], *velocity[3], *colour[3];
    for (int k = 0; k < 3; ++k) {
        normal[k] = numbers(s, "normal", k);
        velocity[k] = numbers(s, "velocity", k);
        colour[k] = numbers(s, "colour", k);
    }
    for (uint32_t i = 0; i < n; ++i) {
        PxVec3 at = px_coat_place(c->coat, i);
        p->position[i][0] = (float)at.x;
        p->position[i][1] = (float)at.y;
        p->position[i][2] = (float)at.z;
        p->radius[i] = radius[i] * (float)c->coat->def.spacing;
        for (int k = 0; k < 3; ++k) {
            p->normal[i][k] = normal[k][i];
            p->column[VX + k][i] = velocity[k][i];
            p->column[RED + k][i] = painted[i] > 0 ? colour[k][i] : palette[k] / 255.0f;
        }
        p->column[PAINTED][i] = painted[i];
        p->column[MELTED][i] = melted[i];
        p->column[COMPONENT][i] = (float)component[i];
    }
    *out = (PxPlyPart){.vertices = n,
                       .position = (const float(*)[3])p->position,
                       .normal = (const float(*)[3])p->normal,
                       .radius = p->radius,
                       .column = p->column,
                       .material = c->material};
    return PX_OK;
}

PxStatus px_coat_files_folder(const char *dir, const PxWorld *world)
{
    char path[PX_PATH_MAX];
    PX_TRY(px_path_join(path, dir, "%s", px_run_file_folder(PX_FILE_COAT)));
    return px_world_coat_count(world) > 0 ? px_folder_make(path) : PX_OK;
}

PxStatus px_coat_files_write(const char *dir, const PxFrameMeta *meta, const PxWorld *world)
{
    static const char *const names[COLUMNS] = {"vx",   "vy",      "vz",     "red", "green",
                                               "blue", "painted", "melted", "part"};
    size_t coats = px_world_coat_count(world), parts = 0;
    if (coats == 0)
        return PX_OK;
    char path[PX_PATH_MAX], name[COLUMNS][NAME] = {""};
    for (int k = 0; k < COLUMNS; ++k)
        strcpy(name[k], names[k]);
    Part *part = calloc(coats, sizeof *part);
    PxPlyPart *ply = calloc(coats, sizeof *ply);
    PxText text = {0};
    PxStatus status = part != NULL && ply != NULL
                          ? PX_OK
                          : px_fail(PX_ERR_MEMORY, "coat: no room for %zu coats", coats);
    for (; parts < coats && status == PX_OK; ++parts)
        status = part_make(px_world_coat(world, parts), &part[parts], &ply[parts]);
    px_text_add(&text, "phyxel coat of frame %u, %c up, SI units\nrun %s frame %u\ntime ",
                meta->number, meta->up, meta->run, meta->number);
    px_text_add_f64(&text, meta->time);
    px_text_add(&text, "\n%c", '\0');
    if (status == PX_OK)
        status = px_text_check(&text, "a coat");
    if (status == PX_OK)
        status = px_run_file_path(path, dir, PX_FILE_COAT, meta->number);
    PxPlySurface surface = {.comment = text.data,
                            .check = meta->check,
                            .part = ply,
                            .parts = parts,
                            .name = name,
                            .columns = COLUMNS,
                            .colour = RED,
                            .surfels = true,
                            .materials = true};
    if (status == PX_OK)
        status = px_surface_ply_write(path, &surface);
    for (size_t k = 0; part != NULL && k < parts; ++k)
        part_free(&part[k]);
    px_text_free(&text);
    free(part);
    free(ply);
    return status;
}
