/// Velocities of the surfels from particles, colours from zombies (000 section 6.6.4).
///
/// Zombies are the initial surfels that came with colours. They are advected and projected onto the
/// surface but never resampled, and only their colours are used.
#include "surface/coat/coat_parts.h"

#include <string.h>

#define LOST 0.9f /* zombies further from the isosurface are deleted, spacings */

/* ---- velocities ---- */

PxStatus px_coat_interpolate_velocity(PxCoat *coat, const PxCoatField *f)
{
    const PxCoatInput *in = f->in;
    PxSurfelColumns s = px_surfel_columns(coat);
    PxCoatVelocity c = {.f = f,
                        .at = {s.at[0], s.at[1], s.at[2]},
                        .to = {s.velocity[0], s.velocity[1], s.velocity[2]},
                        .component = s.component};
    float *velocity;
    if (in->velocity[0] == NULL)
        return PX_OK;
    if (!PX_COAT_TAKE(in, velocity, px_quads_floats(f->count)))
        return px_coat_no_room(f->count);
    for (uint32_t i = 0; i < f->count; ++i)
        for (int k = 0; k < 4; ++k)
            velocity[4 * (size_t)i + (size_t)k] = k < 3 ? in->velocity[k][f->row[i]] : 0.0f;
    c.velocity = velocity;
    PX_TRY(px_coat_list_particles(f, s.at, coat->surfels.count, NULL, &coat->near_rows, &c.lists));
    PX_TRY(px_parallel_try(in->threads, c.lists.count, PX_COAT_BUNCHES,
                           PX_ISA_PICK(f->isa, px_coat_velocity_block), &c));
    return PX_OK;
}

/* ---- zombies ---- */

typedef struct Zombies {
    uint64_t *id, *label;
    float *at[3], *normal[3], *colour[3];
} Zombies;

static Zombies zombie_columns(const PxCoat *coat)
{
    const PxColumn *c = coat->zombies.column;
    Zombies z = {.id = c[PX_ZOMBIE_ID].data[0], .label = c[PX_ZOMBIE_LABEL].data[0]};
    for (int k = 0; k < 3; ++k) {
        z.at[k] = c[PX_ZOMBIE_POSITION].data[k];
        z.normal[k] = c[PX_ZOMBIE_NORMAL].data[k];
        z.colour[k] = c[PX_ZOMBIE_COLOUR].data[k];
    }
    return z;
}

/* Projects zombies onto the surface; `component` is their component in this frame. */
static PxStatus move_zombies(PxCoat *coat, PxCoatField *f, uint32_t **component)
{
    const PxCoatInput *in = f->in;
    uint32_t n = coat->zombies.count, kept = 0, *number;
    Zombies z = zombie_columns(coat);
    PxCoatAssign own = {.f = f, .label = z.label};
    PxCoatProject p = {.f = f, .level = coat->level, .steps = 3};
    float *from[3];
    size_t room = (size_t)n + PX_TABLE_PAD;
    bool fine = PX_COAT_TAKE(in, own.component, room) && PX_COAT_TAKE(in, own.drop, room) &&
                PX_COAT_TAKE(in, own.melted, room) && PX_COAT_TAKE(in, p.value, room) &&
                PX_COAT_TAKE(in, p.slope, room) && PX_COAT_TAKE(in, p.state, room);
    for (int k = 0; k < 3; ++k) {
        fine = fine && PX_COAT_TAKE(in, from[k], room);
        p.at[k] = own.at[k] = z.at[k];
        p.normal[k] = z.normal[k];
    }
    if (!fine)
        return px_coat_no_room(n);
    PX_TRY(px_coat_label_numbers(f, &coat->zombies, &number));
    PX_TRY(px_coat_list_particles(f, z.at, n, NULL, &coat->near_rows, &own.lists));
    own.own = number;
    p.lists = own.lists;
    p.component = own.component;
    memset(p.state, PX_COAT_OPEN, n);
    for (int k = 0; k < 3; ++k)
        memcpy(from[k], z.at[k], n * sizeof(float));
    PX_TRY(px_parallel_try(in->threads, own.lists.count, PX_COAT_BUNCHES,
                           PX_ISA_PICK(f->isa, px_coat_assign_block), &own));
    PX_TRY(px_parallel_try(in->threads, own.lists.count, PX_COAT_BUNCHES,
                           PX_ISA_PICK(f->isa, px_coat_project_block), &p));
    for (uint32_t i = 0; i < n; ++i) {
        float hot = own.melted[i], off = p.value[i] - coat->level;
        for (int k = 0; hot < 1.0f && k < 3; ++k)
            z.at[k][i] = (1.0f - hot) * from[k][i] + hot * z.at[k][i];
        if (hot > 0.0f && (p.state[i] == PX_COAT_LOST || fabsf(off) > LOST * p.slope[i]))
            own.drop[i] = 1;
        if (!own.drop[i])
            own.component[kept++] = own.component[i];
    }
    px_table_delete(&coat->zombies, own.drop);
    *component = own.component;
    return PX_OK;
}

PxStatus px_coat_paint(PxCoat *coat, PxCoatField *f)
{
    const PxCoatInput *in = f->in;
    PxArenaMark mark = px_arena_mark(in->scratch);
    uint32_t *component = NULL;
    PX_TRY(move_zombies(coat, f, &component));
    uint32_t n = coat->zombies.count;
    PxSurfelColumns s = px_surfel_columns(coat);
    Zombies z = zombie_columns(coat);
    PxCoatPaint p = {
        .painted = s.painted, .component = s.component, .reach = 3.0f * (float)coat->def.surfel};
    for (int k = 0; k < 3; ++k) {
        p.at[k] = s.at[k];
        p.normal[k] = s.normal[k];
        p.colour[k] = s.colour[k];
    }
    float *quad, *normal_quad, *colour_quad, *own;
    if (!PX_COAT_TAKE(in, quad, px_quads_floats(n)) ||
        !PX_COAT_TAKE(in, normal_quad, px_quads_floats(n)) ||
        !PX_COAT_TAKE(in, colour_quad, px_quads_floats(n)) || !PX_COAT_TAKE(in, own, (size_t)n + 1))
        return px_coat_no_room(n);
    for (uint32_t i = 0; i < n; ++i)
        own[i] = (float)component[i];
    px_quads_pack(quad, z.at[0], z.at[1], z.at[2], NULL, n, in->threads);
    px_quads_pack(normal_quad, z.normal[0], z.normal[1], z.normal[2], own, n, in->threads);
    px_quads_pack(colour_quad, z.colour[0], z.colour[1], z.colour[2], NULL, n, in->threads);
    p.quad = quad;
    p.normal_quad = normal_quad;
    p.colour_quad = colour_quad;
    PxCoatTree tree;
    PX_TRY(px_coat_tree_make(in->scratch, in->threads, z.at, n, &tree));
    PX_TRY(px_coat_bunch(in->scratch, s.at, coat->surfels.count, coat->bunch_width, &p.lists));
    PX_TRY(px_coat_list(in->scratch, in->threads, f->isa, s.at, &tree, p.reach, NULL,
                        &coat->surfel_rows, &p.lists));
    PX_TRY(px_parallel_try(in->threads, p.lists.count, PX_COAT_BUNCHES,
                           PX_ISA_PICK(f->isa, px_coat_paint_block), &p));
    px_arena_release(in->scratch, mark);
    return PX_OK;
}
