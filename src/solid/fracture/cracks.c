#include "solid/fracture/cracks.h"

#include "base/fail.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

void px_cracks_free(PxCracks *c)
{
    PX_LIST_FREE(&c->vertices);
    PX_LIST_FREE(&c->triangles);
    PX_LIST_FREE(&c->nodes);
    PX_LIST_FREE(&c->list);
}

size_t px_cracks_bytes(const PxCracks *c)
{
    return c->vertices.capacity * sizeof *c->vertices.data +
           c->triangles.capacity * sizeof *c->triangles.data +
           c->nodes.capacity * sizeof *c->nodes.data + c->list.capacity * sizeof *c->list.data;
}

#define COPY(to, from)                                                                             \
    ((to)->count = 0,                                                                              \
     PX_LIST_RESERVE(to, (from)->count) &&                                                         \
         copy_list((PxAnyList *)(to), (const PxAnyList *)(from), sizeof *(from)->data))

static bool copy_list(PxAnyList *to, const PxAnyList *from, size_t size)
{
    if (from->count > 0)
        memcpy(to->data, from->data, from->count * size);
    to->count = from->count;
    return true;
}

PxStatus px_cracks_copy(PxCracks *to, const PxCracks *from)
{
    if (COPY(&to->vertices, &from->vertices) && COPY(&to->triangles, &from->triangles) &&
        COPY(&to->nodes, &from->nodes) && COPY(&to->list, &from->list))
        return PX_OK;
    return px_fail(PX_ERR_MEMORY, "cracks: no room for %zu triangles", from->triangles.count);
}

bool px_crack_add_vertex(PxCracks *c, PxVec3 at, uint32_t *out)
{
    if (!PX_LIST_RESERVE(&c->vertices, 1))
        return false;
    *out = (uint32_t)c->vertices.count;
    c->vertices.data[c->vertices.count++] =
        (PxCrackVertex){{(float)at.x, (float)at.y, (float)at.z}};
    return true;
}

bool px_crack_add_triangle(PxCracks *c, uint32_t crack, uint32_t p, uint32_t q, uint32_t r)
{
    if (!PX_LIST_RESERVE(&c->triangles, 1))
        return false;
    c->triangles.data[c->triangles.count++] =
        (PxCrackTriangle){.corner = {p, q, r}, .crack = crack, .young = 1};
    return true;
}

/* ---- tables ---------------------------------------------------------------------- */

typedef struct Member {
    const char *name, *unit;
    PxType type;
    uint32_t components;
    size_t offset;
} Member;

static const Member vertex_members[] = {
    {"rest", "m", PX_F32, 3, offsetof(PxCrackVertex, x)},
};
static const Member triangle_members[] = {
    {"corner", "", PX_U32, 3, offsetof(PxCrackTriangle, corner)},
    {"crack", "", PX_U32, 1, offsetof(PxCrackTriangle, crack)},
    {"young", "", PX_U32, 1, offsetof(PxCrackTriangle, young)},
};
static const Member node_members[] = {
    {"vertex", "", PX_U32, 1, offsetof(PxCrackNode, vertex)},
    {"base", "", PX_U32, 1, offsetof(PxCrackNode, base)},
    {"crack", "", PX_U32, 1, offsetof(PxCrackNode, crack)},
    {"front", "", PX_U32, 1, offsetof(PxCrackNode, front)},
    {"kind", "", PX_U32, 1, offsetof(PxCrackNode, kind)},
    {"way", "m/s", PX_F32, 3, offsetof(PxCrackNode, way)},
    {"normal", "", PX_F32, 3, offsetof(PxCrackNode, normal)},
};
static const Member list_members[] = {
    {"body", "", PX_U32, 1, offsetof(PxCrack, body)},
    {"normal", "", PX_F32, 3, offsetof(PxCrack, normal)},
};

/* A list of PxCracks as a table. */
typedef struct Form {
    const Member *member;
    size_t members, size, list;
} Form;

#define FORM(members, type, list)                                                                  \
    {                                                                                              \
        members, PX_COUNT(members), sizeof(type), offsetof(PxCracks, list)                         \
    }

static const Form form[PX_CRACK_TABLES] = {
    [PX_CRACK_VERTICES] = FORM(vertex_members, PxCrackVertex, vertices),
    [PX_CRACK_TRIANGLES] = FORM(triangle_members, PxCrackTriangle, triangles),
    [PX_CRACK_NODES] = FORM(node_members, PxCrackNode, nodes),
    [PX_CRACK_LIST] = FORM(list_members, PxCrack, list),
};

static PxAnyList *list_of(PxCracks *c, const Form *f)
{
    return (PxAnyList *)(void *)((char *)c + f->list);
}

PxStatus px_cracks_columns(PxTable table[PX_CRACK_TABLES])
{
    for (int t = 0; t < PX_CRACK_TABLES; ++t)
        for (size_t m = 0; m < form[t].members; ++m) {
            const Member *own = &form[t].member[m];
            PX_TRY(px_table_add(&table[t], own->name, own->unit, own->type, own->components,
                                PX_COLUMN_STATE, NULL));
        }
    return PX_OK;
}

PxStatus px_cracks_reserve_tables(const PxCracks *c, PxTable table[PX_CRACK_TABLES])
{
    for (int t = 0; t < PX_CRACK_TABLES; ++t)
        PX_TRY(px_table_reserve(&table[t], list_of((PxCracks *)(uintptr_t)c, &form[t])->count));
    return PX_OK;
}

/* Copies the elements of a list to the rows of its table, or back; all members have 4 bytes. */
static void exchange(const Form *f, const PxTable *table, PxAnyList *list, bool back)
{
    for (size_t m = 0; m < f->members; ++m) {
        const PxColumn *column = px_table_find(table, f->member[m].name);
        for (uint32_t k = 0; k < column->components; ++k) {
            uint32_t *data = column->data[k];
            size_t offset = f->member[m].offset + 4 * (size_t)k;
            for (size_t i = 0; i < list->count; ++i) {
                void *at = list->data + i * f->size + offset;
                memcpy(back ? at : &data[i], back ? &data[i] : at, 4);
            }
        }
    }
}

void px_cracks_write_tables(const PxCracks *c, PxTable table[PX_CRACK_TABLES])
{
    for (int t = 0; t < PX_CRACK_TABLES; ++t) {
        PxAnyList *list = list_of((PxCracks *)(uintptr_t)c, &form[t]);
        table[t].count = (uint32_t)list->count;
        exchange(&form[t], &table[t], list, false);
    }
}

PxStatus px_cracks_read_tables(PxCracks *c, const PxTable table[PX_CRACK_TABLES], size_t bodies)
{
    for (int t = 0; t < PX_CRACK_TABLES; ++t) {
        PxAnyList *list = list_of(c, &form[t]);
        list->count = 0;
        if (!px_list_reserve((void **)&list->data, 0, &list->capacity, table[t].count,
                             form[t].size))
            return px_fail(PX_ERR_MEMORY, "cracks: no room for %u rows", table[t].count);
        list->count = table[t].count;
        exchange(&form[t], &table[t], list, true);
    }
    if (px_cracks_valid(c, bodies))
        return PX_OK;
    for (int t = 0; t < PX_CRACK_TABLES; ++t)
        list_of(c, &form[t])->count = 0;
    return px_fail(PX_ERR_FORMAT, "the stored cracks are damaged");
}

/* ---- validity ---------------------------------------------------------------------- */

static bool finite3(const float *x)
{
    return isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]);
}

static bool valid_front(const PxCracks *c, uint32_t first, uint32_t size)
{
    const PxCrackNode *node = &c->nodes.data[first];
    bool closed = (node[0].kind & PX_NODE_CLOSED) != 0;
    if (size < (closed ? 3u : 2u))
        return false;
    for (uint32_t k = 0; k < size; ++k) {
        bool outer = !closed && (k == 0 || k == size - 1);
        if (((node[k].kind & PX_NODE_CLOSED) != 0) != closed ||
            ((node[k].kind & PX_NODE_END) != 0) != outer || node[k].crack != node[0].crack)
            return false;
    }
    return true;
}

bool px_cracks_valid(const PxCracks *c, size_t bodies)
{
    for (size_t k = 0; k < c->vertices.count; ++k)
        if (!finite3(c->vertices.data[k].x))
            return false;
    for (size_t k = 0; k < c->list.count; ++k)
        if (c->list.data[k].body >= bodies || !finite3(c->list.data[k].normal))
            return false;
    for (size_t k = 0; k < c->triangles.count; ++k) {
        const PxCrackTriangle *t = &c->triangles.data[k];
        for (int n = 0; n < 3; ++n)
            if (t->corner[n] >= c->vertices.count)
                return false;
        if (t->crack >= c->list.count || t->young > 1)
            return false;
    }
    uint32_t front = 0;
    for (uint32_t k = 0; k < c->nodes.count; ++k) {
        const PxCrackNode *n = &c->nodes.data[k];
        if (n->vertex >= c->vertices.count || n->base >= c->vertices.count ||
            n->crack >= c->list.count || n->kind > 7 || !finite3(n->way) || !finite3(n->normal))
            return false;
    }
    for (uint32_t k = 0; k < c->nodes.count; ++front) {
        uint32_t size = px_crack_front_size(c, k);
        if (c->nodes.data[k].front != front || !valid_front(c, k, size))
            return false;
        k += size;
    }
    return true;
}
