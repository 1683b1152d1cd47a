#include "fluid/work.h"

#include <string.h>

typedef struct Copy {
    const PxParticles *particles;
    const PxWorkMark *mark;
} Copy;

static void copy_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Copy *copy = user;
    const float *const a[3] = {copy->particles->ax, copy->particles->ay, copy->particles->az};
    for (int c = 0; c < 3; ++c)
        memcpy(copy->mark->a[c] + begin, a[c] + begin, (end - begin) * sizeof(float));
}

PxStatus px_work_append(PxFluid *f, PxWorkKind kind, PxWorkMark **out)
{
    PxWork *work = f->work;
    *out = NULL;
    if (work == NULL)
        return PX_OK;
    PX_ASSERT(work->marks < PX_WORK_MARKS);
    PxWorkMark *mark = &work->mark[work->marks];
    mark->kind = kind;
    for (int c = 0; c < 3; ++c) {
        mark->a[c] = PX_ARENA_ARRAY(f->scratch, float, f->count);
        if (mark->a[c] == NULL)
            return px_fail(PX_ERR_MEMORY, "energy: no room for %u particles", f->count);
    }
    ++work->marks;
    *out = mark;
    return PX_OK;
}

PxStatus px_work_mark(PxFluid *f, PxWorkKind kind)
{
    PxWorkMark *mark;
    PX_TRY(px_work_append(f, kind, &mark));
    Copy copy = {f->particles, mark};
    if (mark != NULL)
        px_parallel_for(f->threads, f->count, 4 * PX_BLOCK, copy_block, &copy);
    return PX_OK;
}
