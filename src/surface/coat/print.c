/// Colours that moulds hand to the coats which cling to them (001 section 5.2.3).
///
/// Molten surfels on a body that prints get its colour there. Colours belong to zombies (paint.c),
/// so those nearest to such a surfel are replaced by one at the surfel itself: the print moves with
/// the matter, and stays when it freezes and the mould is taken away.
#include "surface/coat/coat_parts.h"

#include <string.h>

#define ON_MOULD 0.1 /* surfels within this distance are on the body, spacings */

typedef struct Print {
    const PxCoat *coat;
    const PxCoatInput *in;
    PxSurfelColumns s;
    uint8_t *printed; /* by surfel */
    float *colour[3];
} Print;

static bool colour_of_mould(const PxCoatMould *m, PxVec3 x, double within, PxVec3 *colour)
{
    PxVec3 foot, normal;
    uint32_t near = px_point_surface_nearest(&m->surface, x);
    if (near == UINT32_MAX ||
        !(fabs(px_point_surface_project(&m->surface, x, &foot, &normal)) < within))
        return false;
    *colour =
        px_vec((double)m->colour[0][near], (double)m->colour[1][near], (double)m->colour[2][near]);
    return true;
}

static bool find_colour(const Print *p, PxVec3 x, PxVec3 *colour)
{
    double within = ON_MOULD * p->coat->def.spacing;
    for (size_t k = 0; k < p->in->walls; ++k) {
        const PxWall *wall = &p->in->wall[k];
        PxVec3 away;
        if (!wall->prints)
            continue;
        PxVec3 rest = px_wall_to_rest(wall, 1, x);
        if (fabs(px_wall_near(wall, 1, rest, within, &away)) < within &&
            px_shape_colour(wall->shape, rest, colour))
            return true;
    }
    for (size_t k = 0; k < p->in->moulds; ++k)
        if (p->in->mould[k].colour[0] != NULL &&
            colour_of_mould(&p->in->mould[k], x, within, colour))
            return true;
    return false;
}

static void print_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Print *p = user;
    for (uint32_t i = begin; i < end; ++i) {
        PxVec3 colour;
        p->printed[i] =
            p->s.melted[i] > PX_COAT_MELTED && find_colour(p, px_coat_place(p->coat, i), &colour);
        if (!p->printed[i])
            continue;
        p->colour[0][i] = (float)colour.x;
        p->colour[1][i] = (float)colour.y;
        p->colour[2][i] = (float)colour.z;
    }
}

/* Deletes the zombies whose nearest surfel is printed. */
static PxStatus drop_zombies(PxCoat *coat, const PxCoatInput *in, const Print *p)
{
    PxKdTree tree;
    uint32_t n = coat->zombies.count;
    const PxColumn *at = &coat->zombies.column[PX_ZOMBIE_POSITION];
    uint8_t *drop;
    if (!PX_COAT_TAKE(in, drop, (size_t)n + 1))
        return px_coat_no_room(n);
    px_kdtree_init(&tree, NULL);
    PxStatus status = px_kdtree_build(&tree, p->s.at[0], p->s.at[1], p->s.at[2],
                                      coat->surfels.count, in->scratch);
    for (uint32_t i = 0; i < n && status == PX_OK; ++i) {
        uint32_t near;
        float squared;
        drop[i] = px_kdtree_nearest(&tree, ((const float *)at->data[0])[i],
                                    ((const float *)at->data[1])[i],
                                    ((const float *)at->data[2])[i], 1, &near, &squared) == 1 &&
                  p->printed[near];
    }
    if (status == PX_OK)
        px_table_delete(&coat->zombies, drop);
    px_kdtree_free(&tree);
    return status;
}

static bool anything_prints(const PxCoatInput *in)
{
    bool any = false;
    for (size_t k = 0; k < in->walls; ++k)
        any |= in->wall[k].prints;
    for (size_t k = 0; k < in->moulds; ++k)
        any |= in->mould[k].colour[0] != NULL;
    return any;
}

PxStatus px_coat_print(PxCoat *coat, const PxCoatField *f)
{
    const PxCoatInput *in = f->in;
    uint32_t n = coat->surfels.count, count = 0, first;
    if (!anything_prints(in) || n == 0)
        return PX_OK;
    PxArenaMark mark = px_arena_mark(in->scratch);
    Print p = {.coat = coat, .in = in, .s = px_surfel_columns(coat)};
    bool fine = PX_COAT_TAKE(in, p.printed, (size_t)n + 1);
    for (int k = 0; k < 3; ++k)
        fine = fine && PX_COAT_TAKE(in, p.colour[k], (size_t)n + 1);
    if (!fine)
        return px_coat_no_room(n);
    PX_TRY(px_parallel_try(in->threads, n, PX_COAT_BLOCK, print_block, &p));
    for (uint32_t i = 0; i < n; ++i)
        count += p.printed[i];
    if (count > 0) {
        PX_TRY(drop_zombies(coat, in, &p));
        PX_TRY(px_table_append(&coat->zombies, count, &first));
        const PxColumn *z = coat->zombies.column;
        for (uint32_t i = 0, to = first; i < n; ++i) {
            if (!p.printed[i])
                continue;
            ((uint64_t *)z[PX_ZOMBIE_ID].data[0])[to] = coat->next_id++;
            ((uint64_t *)z[PX_ZOMBIE_LABEL].data[0])[to] = p.s.label[i];
            for (int k = 0; k < 3; ++k) {
                ((float *)z[PX_ZOMBIE_POSITION].data[k])[to] = p.s.at[k][i];
                ((float *)z[PX_ZOMBIE_NORMAL].data[k])[to] = p.s.normal[k][i];
                ((float *)z[PX_ZOMBIE_COLOUR].data[k])[to] = p.colour[k][i];
            }
            ++to;
        }
        coat->painted = true;
    }
    px_arena_release(in->scratch, mark);
    return PX_OK;
}
