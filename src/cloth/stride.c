#include "cloth/stride.h"

#include "cloth/bodies.h"
#include "cloth/contact.h"

#include <string.h>

#define BLOCK 256u
#define ENOUGH 0.1 /* slope at the end, of that at the start, up to which the whole way is gone */
#define HALVES 12  /* of the interval in which the slope is 0 */

typedef struct Way {
    PxClothStep *s;
    const PxVec3 *from; /* w before the solve */
    double *push;       /* by contact: n du, m/s */
    double *block;
    double part;
} Way;

static void push_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Way *way = user;
    for (uint32_t k = begin; k < end; ++k) {
        const PxClothContact *c = &way->s->contacts->contact[k];
        way->push[k] = px_dot(px_cloth_contact_motion(way->s, c), c->normal) - c->start;
    }
}

static void slope_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Way *way = user;
    double sum = 0;
    for (uint32_t k = begin; k < end; ++k) {
        const PxClothContact *c = &way->s->contacts->contact[k];
        sum += way->push[k] * px_cloth_contact_bend(way->s, c, c->start + way->part * way->push[k]);
    }
    way->block[begin / BLOCK] = sum;
}

/* Of the function at a part of the way. */
static double slope_at(Way *way, double part)
{
    uint32_t count = way->s->contacts->count;
    double sum = -way->s->gain * (1 - part);
    way->part = part;
    px_parallel_for(way->s->threads, count, BLOCK, slope_block, way);
    for (uint32_t k = 0; k < count; k += BLOCK)
        sum += way->block[k / BLOCK];
    return sum;
}

static double part_of(Way *way)
{
    double low = 0, high = 1;
    px_parallel_for(way->s->threads, way->s->contacts->count, BLOCK, push_block, way);
    if (!(slope_at(way, 1) > ENOUGH * way->s->gain))
        return 1;
    for (int k = 0; k < HALVES; ++k) {
        double middle = 0.5 * (low + high);
        *(slope_at(way, middle) > 0 ? &high : &low) = middle;
    }
    return low;
}

static void go(Way *way, const PxVec3 *change, double part)
{
    PxClothStep *s = way->s;
    for (uint32_t i = 0; i < s->system->vertices; ++i)
        s->w[i] = px_cloth_obey(s, i, px_mad(way->from[i], px_sub(s->w[i], way->from[i]), part));
    for (uint32_t k = 0; s->bodies != NULL && k < s->bodies->count; ++k)
        for (uint32_t c = 0; c < 2; ++c) {
            PxVec3 before = change[2 * (size_t)k + c], *now = &s->bodies->body[k].change[c];
            *now = px_mad(before, px_sub(*now, before), part);
        }
}

PxStatus px_cloth_stride(PxClothStep *s)
{
    uint32_t n = s->system->vertices, contacts = s->contacts != NULL ? s->contacts->count : 0;
    uint32_t bodies = s->bodies != NULL ? s->bodies->count : 0;
    if (contacts == 0)
        return px_cloth_solve(s);
    PxArenaMark mark = px_arena_mark(s->scratch);
    PxVec3 *from = PX_ARENA_ARRAY(s->scratch, PxVec3, n + 1);
    PxVec3 *change = PX_ARENA_ARRAY(s->scratch, PxVec3, 2 * (size_t)bodies + 1);
    Way way = {.s = s, .from = from};
    way.push = PX_ARENA_ARRAY(s->scratch, double, contacts + 1);
    way.block = PX_ARENA_ARRAY(s->scratch, double, contacts / BLOCK + 1);
    if (from == NULL || change == NULL || way.push == NULL || way.block == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u vertices", n);
    memcpy(from, s->w, n * sizeof *from);
    for (uint32_t k = 0; k < bodies; ++k)
        memcpy(change + 2 * (size_t)k, s->bodies->body[k].change, sizeof(PxVec3[2]));
    PX_TRY(px_cloth_solve(s));
    double part = part_of(&way);
    if (part < 1)
        go(&way, change, part);
    px_arena_release(s->scratch, mark);
    return PX_OK;
}
