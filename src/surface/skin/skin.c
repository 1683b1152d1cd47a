#include "surface/skin/skin.h"

#include "surface/skin/deform.h"
#include "surface/skin/skin_parts.h"

#include <stdlib.h>
#include <string.h>

/* ---- tables ---- */

enum { REST, FROM, SIZE, COLOUR, UV, BASE };
enum { POSITION, NORMAL, TANGENT, RADIUS, VELOCITY, SHOWN_COLOUR, SHOWN_UV, SHOWN };

PxSkinColumns px_skin_columns(const PxSkin *skin)
{
    PxSkinColumns c;
    const PxColumn *column = skin->base.column;
    for (int k = 0; k < 3; ++k) {
        c.rest[k] = column[REST].data[k];
        c.colour[k] = column[COLOUR].data[k];
    }
    for (int k = 0; k < 6; ++k)
        c.rest_tangent[k] = column[FROM].data[k];
    c.rest_radius = column[SIZE].data[0];
    c.uv[0] = column[UV].data[0];
    c.uv[1] = column[UV].data[1];
    return c;
}

PxStatus px_skin_new(const PxAllocator *allocator, size_t points, PxSkin **out)
{
    *out = NULL;
    PxSkin *skin = px_allocate(allocator, sizeof *skin);
    if (skin == NULL)
        return px_fail(PX_ERR_MEMORY, "skin: no room");
    memset(skin, 0, sizeof *skin);
    skin->allocator = allocator;
    px_table_init(&skin->base, allocator);
    px_table_init(&skin->shown, allocator);
    px_kdtree_init(&skin->all, allocator);
    for (int s = 0; s < PX_SKIN_SIZE_CLASSES; ++s)
        px_kdtree_init(&skin->size_class[s], allocator);
    PxTable *b = &skin->base, *s = &skin->shown;
    PxStatus status = px_table_add(b, "rest", "m", PX_F32, 3, PX_COLUMN_STATE, NULL);
#define ADD(table, name, unit, components, flags)                                                  \
    if (status == PX_OK)                                                                           \
    status = px_table_add(table, name, unit, PX_F32, components, flags, NULL)
    ADD(b, "tangent", "m", 6, PX_COLUMN_STATE);
    ADD(b, "radius", "m", 1, PX_COLUMN_STATE);
    ADD(b, "colour", "", 3, PX_COLUMN_FRAME);
    ADD(b, "uv", "", 2, PX_COLUMN_FRAME);
    ADD(s, "position", "m", 3, PX_COLUMN_FRAME);
    ADD(s, "normal", "", 3, PX_COLUMN_FRAME);
    ADD(s, "tangent", "m", 6, PX_COLUMN_FRAME);
    ADD(s, "radius", "m", 1, PX_COLUMN_FRAME);
    ADD(s, "velocity", "m/s", 3, PX_COLUMN_FRAME);
    ADD(s, "colour", "", 3, PX_COLUMN_FRAME);
    ADD(s, "uv", "", 2, PX_COLUMN_FRAME);
#undef ADD
    if (status == PX_OK)
        status = px_table_append(b, points, NULL);
    if (status != PX_OK)
        px_skin_free(skin);
    else
        *out = skin;
    return status;
}

static size_t blocks_of(const PxSkin *skin)
{
    return ((size_t)skin->base.count + PX_BLOCK - 1) / PX_BLOCK + 1;
}

PxStatus px_skin_make_shown(PxSkin *skin)
{
    uint32_t n = skin->base.count;
    PX_TRY(px_table_append(&skin->shown, n, NULL));
    PxSkinColumns c = px_skin_columns(skin);
    for (int k = 0; k < 3; ++k)
        memcpy(skin->shown.column[SHOWN_COLOUR].data[k], c.colour[k], n * sizeof(float));
    for (int k = 0; k < 2; ++k)
        memcpy(skin->shown.column[SHOWN_UV].data[k], c.uv[k], n * sizeof(float));
    skin->start = px_allocate(skin->allocator, ((size_t)n + 1) * sizeof *skin->start);
    skin->level = px_allocate(skin->allocator, (size_t)n + 1);
    skin->extra = px_allocate(skin->allocator, 2 * blocks_of(skin) * sizeof *skin->extra);
    if (skin->start == NULL || skin->level == NULL || skin->extra == NULL)
        return px_fail(PX_ERR_MEMORY, "skin: no room for %u points", n);
    return PX_OK;
}

void px_skin_hold(PxSkin *skin)
{
    ++skin->holders;
}

void px_skin_free(PxSkin *skin)
{
    if (skin == NULL)
        return;
    if (skin->holders > 0) {
        --skin->holders;
        return;
    }
    const PxAllocator *a = skin->allocator;
    size_t n = skin->base.count;
    free(skin->triangle);
    if (skin->piece != NULL)
        px_release(a, skin->piece, (n + 1) * sizeof *skin->piece);
    if (skin->inside != NULL)
        px_release(a, skin->inside, n + 1);
    if (skin->eye != NULL)
        px_release(a, skin->eye, (n + 1) * sizeof *skin->eye);
    px_kdtree_free(&skin->all);
    for (int s = 0; s < PX_SKIN_SIZE_CLASSES; ++s)
        px_kdtree_free(&skin->size_class[s]);
    px_release(a, skin->particle, skin->particle_room * sizeof *skin->particle);
    px_release(a, skin->map, skin->particle_room * 16 * sizeof *skin->map);
    px_release(a, skin->link, skin->link_room * sizeof *skin->link);
    px_release(a, skin->start, (n + 1) * sizeof *skin->start);
    px_release(a, skin->level, n + 1);
    px_release(a, skin->extra, 2 * blocks_of(skin) * sizeof *skin->extra);
    px_table_free(&skin->base);
    px_table_free(&skin->shown);
    px_release(a, skin, sizeof *skin);
}

size_t px_skin_bytes(const PxSkin *skin)
{
    size_t n = skin->base.count, trees = px_kdtree_bytes(&skin->all);
    for (int s = 0; s < PX_SKIN_SIZE_CLASSES; ++s)
        trees += px_kdtree_bytes(&skin->size_class[s]);
    return sizeof *skin + trees + px_table_bytes(&skin->base) + px_table_bytes(&skin->shown) +
           skin->triangles * sizeof *skin->triangle +
           skin->particle_room * (sizeof *skin->particle + 16 * sizeof *skin->map) +
           skin->link_room * sizeof *skin->link + (n + 1) * (sizeof *skin->start + 1) +
           2 * blocks_of(skin) * sizeof *skin->extra;
}

/* ---- deformation ---- */

typedef struct Pack {
    PxSkin *skin;
    const PxSolidMaps *maps;
} Pack;

/* x_j + J (m - m_j) = J m + a with a = x_j - J m_j: 16 floats a particle, one cache line. */
static void pack_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Pack *p = user;
    const PxSkin *skin = p->skin;
    const float shift[3] = {(float)skin->shift.x, (float)skin->shift.y, (float)skin->shift.z};
    for (uint32_t k = begin; k < end; ++k) {
        size_t j = skin->particle[k];
        const float *from = p->maps->affine + 12 * j, *rest = p->maps->rest + 4 * j;
        float *to = skin->map + 16 * (size_t)k;
        float m[3] = {rest[0] + shift[0], rest[1] + shift[1], rest[2] + shift[2]};
        for (int r = 0; r < 3; ++r) {
            const float *row = from + 3 * r;
            double turned = (double)row[0] * (double)m[0] + (double)row[1] * (double)m[1] +
                            (double)row[2] * (double)m[2];
            to[4 * r] = row[0];
            to[4 * r + 1] = row[1];
            to[4 * r + 2] = row[2];
            to[4 * r + 3] = (float)((double)from[9 + r] - turned);
            to[12 + r] = p->maps->velocity != NULL ? p->maps->velocity[3 * j + (size_t)r] : 0.0f;
        }
        to[15] = 0.0f;
    }
}

static PxSkinDeform deform_of(PxSkin *skin, const PxSolidMaps *maps)
{
    const PxColumn *shown = skin->shown.column;
    PxSkinColumns c = px_skin_columns(skin);
    PxSkinDeform m = {
        .skin = skin,
        .start = skin->start,
        .link = skin->link,
        .map = skin->map,
        .rest_radius = c.rest_radius,
        .radius = shown[RADIUS].data[0],
        .origin = {(float)maps->origin.x, (float)maps->origin.y, (float)maps->origin.z},
        .split = skin->triangles == 0};
    for (int k = 0; k < 3; ++k) {
        m.rest[k] = c.rest[k];
        m.position[k] = shown[POSITION].data[k];
        m.normal[k] = shown[NORMAL].data[k];
        m.velocity[k] = shown[VELOCITY].data[k];
        m.colour[k] = shown[SHOWN_COLOUR].data[k];
    }
    for (int k = 0; k < 6; ++k) {
        m.rest_tangent[k] = c.rest_tangent[k];
        m.tangent[k] = shown[TANGENT].data[k];
    }
    for (int k = 0; k < 2; ++k)
        m.uv[k] = shown[SHOWN_UV].data[k];
    return m;
}

PxStatus px_skin_deform(PxSkin *skin, const PxSolidMaps *maps, const PxThreads *threads)
{
    uint32_t n = skin->base.count;
    PxIsa isa = px_isa_best();
    PX_ASSERT(skin->bound && skin->version == maps->version);
    if (skin->particles == 0) {
        skin->shown.count = 0;
        return PX_OK;
    }
    Pack pack = {skin, maps};
    px_parallel_for(threads, skin->particles, PX_BLOCK, pack_block, &pack);
    skin->shown.count = n;
    PxSkinDeform deform = deform_of(skin, maps);
    px_parallel_for(threads, n, PX_BLOCK, PX_ISA_PICK(isa, px_skin_deform_block), &deform);
    if (!deform.split)
        return PX_OK;
    size_t blocks = blocks_of(skin) - 1, next = n;
    uint32_t *first = skin->extra + blocks_of(skin);
    for (size_t b = 0; b < blocks; ++b) {
        first[b] = (uint32_t)next; /* below 64 * 8 million */
        next += skin->extra[b];
    }
    if (next == n)
        return PX_OK;
    PX_TRY(px_table_reserve(&skin->shown, next));
    skin->shown.count = (uint32_t)next;
    deform = deform_of(skin, maps); /* px_table_reserve() may have moved the columns */
    deform.first = first;
    px_parallel_for(threads, n, PX_BLOCK, PX_ISA_PICK(isa, px_skin_split_block), &deform);
    return PX_OK;
}

void px_skin_absorb(PxSkin *skin, const PxSolidMaps *maps, const PxThreads *threads)
{
    PX_ASSERT(skin->bound && skin->version == maps->version);
    skin->bound = false;
    if (skin->particles == 0 || skin->base.count == 0)
        return;
    Pack pack = {skin, maps};
    px_parallel_for(threads, skin->particles, PX_BLOCK, pack_block, &pack);
    /* The position of the first particle becomes the new origin: it is near all points. */
    const float *x = maps->affine + 12 * (size_t)skin->particle[0] + 9;
    PxVec3 near = px_vec((double)x[0], (double)x[1], (double)x[2]);
    PxSkinDeform deform = deform_of(skin, maps);
    deform.shift = px_scale(near, -1);
    px_parallel_for(threads, skin->base.count, PX_BLOCK,
                    PX_ISA_PICK(px_isa_best(), px_skin_absorb_block), &deform);
    skin->rest_origin = px_add(maps->origin, near);
    skin->absorbed = true;
}
