#include "world/tear_stage.h"

#include "cloth/tear.h"
#include "world/cloth_bends.h"
#include "world/cloth_stage.h"

#include <stdlib.h>
#include <string.h>

static PxClothSheet *whole_of(const PxCloth *cloth)
{
    return cloth->sheet->whole != NULL ? cloth->sheet->whole : cloth->sheet;
}

uint64_t px_tear_count(const PxWorld *world)
{
    uint64_t sum = 0;
    for (size_t k = 0; k < world->cloths.count; ++k)
        sum += whole_of(&world->cloths.data[k])->hinges - world->cloths.data[k].sheet->hinges;
    return sum;
}

/* ---- another sheet for a piece --------------------------------------------------------------- */

/* Inserts `count` rows before row `at`. The caller has reserved memory for them. */
static void open_rows(PxTable *t, uint32_t at, uint32_t count)
{
    uint32_t old = t->count, first;
    px_table_append(t, count, &first); /* cannot fail: there is room */
    for (uint32_t c = 0; c < t->columns; ++c)
        for (uint32_t n = 0; n < t->column[c].components; ++n) {
            size_t size = px_type_size(t->column[c].type);
            char *data = t->column[c].data[n];
            memmove(data + (at + count) * size, data + at * size, (old - at) * size);
        }
}

static void copy_row(const PxTable *t, uint32_t to, uint32_t from)
{
    for (uint32_t c = 0; c < t->columns; ++c)
        for (uint32_t n = 0; n < t->column[c].components; ++n) {
            size_t size = px_type_size(t->column[c].type);
            char *data = t->column[c].data[n];
            memcpy(data + to * size, data + from * size, size);
        }
}

/* Gives a copy its part of what its parent carries. */
static void divide(const PxTable *t, const char *name, uint32_t to, uint32_t from, double part)
{
    const PxColumn *column = px_table_find(t, name);
    for (uint32_t n = 0; n < column->components; ++n) {
        double *x = column->data[n];
        x[to] = part * x[from];
        x[from] -= x[to];
    }
}

/* The new vertices of a piece; parent[] are vertices of it. */
static void insert_vertices(PxWorld *world, const PxCloth *cloth, const PxClothSheet *torn,
                            const uint32_t *parent)
{
    static const char *const carried[] = {"water", "liquids", "hanging", "load"};
    PxTable *t = &world->cloth_vertices;
    uint32_t old = cloth->sheet->vertices, count = torn->vertices - old;
    const double *share = cloth->sheet->share;
    open_rows(t, cloth->first + old, count);
    uint64_t *id = px_table_find(t, "id")->data[0];
    for (uint32_t k = 0; k < count; ++k) {
        uint32_t to = cloth->first + old + k, from = cloth->first + parent[k];
        /* of what is left with the parent */
        double left = share[parent[k]];
        for (uint32_t n = 0; n < k; ++n)
            left -= parent[n] == parent[k] ? torn->share[old + n] : 0;
        copy_row(t, to, from);
        id[to] = px_dist_id(cloth->number, old + k);
        for (size_t c = 0; c < PX_COUNT(carried); ++c)
            divide(t, carried[c], to, from, left > 0 ? torn->share[old + k] / left : 0);
    }
}

/* Takes over torn sheets, NULL where a piece stays. parent[] as in PxClothTear, within pieces.
 * Errors: PX_ERR_MEMORY, with nothing changed. */
static PxStatus take_over(PxWorld *world, PxClothSheet *const *torn, const uint32_t *parent)
{
    size_t vertices = 0, edges = 0;
    for (size_t k = 0; k < world->cloths.count; ++k)
        if (torn[k] != NULL) {
            const PxClothSheet *old = world->cloths.data[k].sheet;
            vertices += torn[k]->vertices - old->vertices;
            edges += (size_t)torn[k]->hinges + torn[k]->borders; /* and a copy of the old */
        }
    PX_TRY(px_table_reserve(&world->cloth_vertices, world->cloth_vertices.count + vertices));
    PX_TRY(px_table_reserve(&world->cloth_edges, world->cloth_edges.count + edges));
    uint32_t first = 0, edge = 0;
    for (size_t k = 0; k < world->cloths.count; ++k) {
        PxCloth *cloth = &world->cloths.data[k];
        cloth->first = first;
        if (torn[k] != NULL) {
            insert_vertices(world, cloth, torn[k], parent);
            parent += torn[k]->vertices - cloth->sheet->vertices;
            px_cloth_bends_torn(world, first, edge, cloth->sheet, torn[k]);
            px_cloth_sheet_free(cloth->sheet);
            cloth->sheet = torn[k];
        }
        first += cloth->sheet->vertices;
        edge += cloth->sheet->hinges + cloth->sheet->borders;
    }
    world->cloth_stale = true;
    return PX_OK;
}

static void free_sheets(PxClothSheet **sheet, size_t count)
{
    for (size_t k = 0; sheet != NULL && k < count; ++k)
        px_cloth_sheet_free(sheet[k]);
}

/* ---- the step -------------------------------------------------------------------------------- */

static PxStatus tear(PxWorld *world)
{
    PxClothStep s;
    PxClothTear t = {.calm = px_table_find(&world->cloth_vertices, "calm")->data[0]};
    const uint32_t *handle = px_table_find(&world->cloth_vertices, "handle")->data[0];
    PX_TRY(px_cloth_look(world, &s));
    uint8_t *held = PX_ARENA_ARRAY(&world->scratch, uint8_t, world->cloth_vertices.count + 1);
    PxClothSheet **torn = PX_ARENA_ARRAY(&world->scratch, PxClothSheet *, world->cloths.count + 1);
    if (held == NULL || torn == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room to tear");
    for (uint32_t i = 0; i < world->cloth_vertices.count; ++i)
        held[i] = handle[i] != 0;
    PX_TRY(px_cloth_tear_find(&s, world->state.time, held, &t));
    if (t.added == 0)
        return PX_OK;
    /* copies in the order of pieces, as take_over() wants them */
    uint32_t *parent = PX_ARENA_ARRAY(&world->scratch, uint32_t, t.added + 1), count = 0, face = 0;
    if (parent == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room to tear");
    for (uint32_t k = 0; k < world->cloths.count; ++k)
        for (uint32_t n = 0; n < t.added; ++n)
            if (s.system->of_vertex[t.parent[n]] == k)
                parent[count++] = t.parent[n] - world->cloths.data[k].first;
    PxStatus status = PX_OK;
    memset(torn, 0, world->cloths.count * sizeof *torn);
    for (size_t k = 0; k < world->cloths.count && status == PX_OK; ++k) {
        const PxCloth *cloth = &world->cloths.data[k];
        if (t.vertices[k] != cloth->sheet->vertices)
            status = px_cloth_sheet_torn(whole_of(cloth), (const uint32_t(*)[3])t.corner + face,
                                         t.vertices[k], &torn[k]);
        face += cloth->sheet->faces;
    }
    if (status == PX_OK)
        status = take_over(world, torn, parent);
    if (status != PX_OK)
        free_sheets(torn, world->cloths.count);
    return status;
}

PxStatus px_tear_stage(PxWorld *world)
{
    bool any = false;
    for (size_t k = 0; k < world->cloths.count; ++k)
        any = any || world->materials.data[world->cloths.data[k].material].def.cloth.tear > 0;
    if (!any || world->state.tear_step == world->state.step + 1)
        return PX_OK;
    PxArenaMark mark = px_arena_mark(&world->scratch);
    PX_TRY(tear(world));
    px_arena_release(&world->scratch, mark);
    world->state.tear_step = world->state.step + 1;
    return PX_OK;
}

/* ---- saving ---------------------------------------------------------------------------------- */

PxStatus px_world_store_tears(const PxWorld *world, PxTable *t)
{
    PX_TRY(px_table_add(t, "body", "", PX_U32, 1, PX_COLUMN_STATE, NULL));
    PX_TRY(px_table_add(t, "corner", "", PX_U32, 3, PX_COLUMN_STATE, NULL));
    for (size_t k = 0; k < world->cloths.count; ++k) {
        const PxCloth *cloth = &world->cloths.data[k];
        uint32_t row;
        if (cloth->sheet->whole == NULL)
            continue;
        PX_TRY(px_table_append(t, cloth->sheet->faces, &row));
        for (uint32_t f = 0; f < cloth->sheet->faces; ++f, ++row) {
            ((uint32_t *)t->column[0].data[0])[row] = cloth->body;
            for (int c = 0; c < 3; ++c)
                ((uint32_t *)t->column[1].data[c])[row] = cloth->sheet->face[f].corner[c];
        }
    }
    return PX_OK;
}

/* Makes the sheet of the rows from `row` on; NULL: it is the present one. */
static PxStatus read_sheet(const PxCloth *cloth, const PxColumn *corner, uint32_t row,
                           PxClothSheet **out)
{
    uint32_t faces = cloth->sheet->faces, vertices = whole_of(cloth)->vertices;
    uint32_t(*c)[3] = malloc(((size_t)faces + 1) * sizeof *c);
    bool same = true;
    *out = NULL;
    if (c == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u torn triangles", faces);
    for (uint32_t f = 0; f < faces; ++f)
        for (int k = 0; k < 3; ++k) {
            c[f][k] = ((const uint32_t *)corner->data[k])[row + f];
            same = same && c[f][k] == cloth->sheet->face[f].corner[k];
            /* there are at most three vertices for every triangle */
            if (c[f][k] >= vertices && c[f][k] < 3 * faces)
                vertices = c[f][k] + 1;
        }
    PxStatus status = PX_OK;
    if (!same)
        status = px_cloth_sheet_torn(whole_of(cloth), (const uint32_t(*)[3])c, vertices, out);
    free(c);
    return status == PX_ERR_ARGUMENT ? px_fail_prefix(PX_ERR_FORMAT, "stored cloth: ") : status;
}

PxStatus px_world_restore_tears(PxWorld *world, const PxTable *t)
{
    const PxColumn *body = px_table_find(t, "body"), *corner = px_table_find(t, "corner");
    uint32_t row = 0, count = 0, added = 0;
    if (t->count == 0)
        return PX_OK;
    if (body == NULL || corner == NULL || body->type != PX_U32 || corner->type != PX_U32 ||
        corner->components != 3)
        return px_fail(PX_ERR_FORMAT, "the stored corners of torn cloth lack a column");
    PxClothSheet **torn = calloc(world->cloths.count + 1, sizeof *torn);
    PxStatus status = torn != NULL ? PX_OK : px_fail(PX_ERR_MEMORY, "cloth: no room to tear");
    for (size_t k = 0; k < world->cloths.count && status == PX_OK; ++k) {
        const PxCloth *cloth = &world->cloths.data[k];
        const uint32_t *own = body->data[0];
        if (row >= t->count || own[row] != cloth->body)
            continue;
        if (t->count - row < cloth->sheet->faces)
            status = px_fail(PX_ERR_FORMAT, "%u corners of torn cloth are stored, wanted %u",
                             t->count - row, cloth->sheet->faces);
        else
            status = read_sheet(cloth, corner, row, &torn[k]);
        row += cloth->sheet->faces;
        if (status == PX_OK && torn[k] != NULL && torn[k]->vertices < cloth->sheet->vertices)
            status = px_fail(PX_ERR_FORMAT, "stored cloth is less torn than the present one");
        added +=
            status == PX_OK && torn[k] != NULL ? torn[k]->vertices - cloth->sheet->vertices : 0;
    }
    if (status == PX_OK && row != t->count)
        status = px_fail(PX_ERR_FORMAT, "stored torn cloth is not that of this scene");
    uint32_t *parent = malloc(((size_t)added + 1) * sizeof *parent);
    if (status == PX_OK && parent == NULL)
        status = px_fail(PX_ERR_MEMORY, "cloth: no room to tear");
    for (size_t k = 0; k < world->cloths.count && status == PX_OK; ++k)
        for (uint32_t i = world->cloths.data[k].sheet->vertices;
             torn[k] != NULL && i < torn[k]->vertices; ++i)
            parent[count++] = torn[k]->vertex_from[i]; /* its row is overwritten */
    if (status == PX_OK && count > 0)
        status = take_over(world, torn, parent);
    if (status != PX_OK)
        free_sheets(torn, world->cloths.count);
    free(torn);
    free(parent);
    return status;
}
