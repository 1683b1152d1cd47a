#include "dist/reduce.h"

#include <math.h>
#include <string.h>

static uint32_t block_of(const PxRows *rows)
{
    return rows->block > 0 ? rows->block : 4 * PX_BLOCK;
}

/* ---- maxima, minima, sums of quanta ------------------------------------- */

typedef struct Reduce {
    PxReduceFunction *function;
    void *user;
    const PxPart *start;
    PxPart *total;
} Reduce;

/* Initialises the part of a block: start values for maxima and minima, zero sums. */
static void begin_part(PxPart *part, const PxPart *start)
{
    part->maxima = start->maxima;
    part->minima = start->minima;
    part->sums = start->sums;
    part->id = 0;
    memcpy(part->most, start->most, start->maxima * sizeof *part->most);
    memcpy(part->least, start->least, start->minima * sizeof *part->least);
    memset(part->sum, 0, start->sums * sizeof *part->sum);
}

static void join_part(PxPart *total, const PxPart *part)
{
    for (uint32_t k = 0; k < part->maxima; ++k)
        total->most[k] = part->most[k] > total->most[k] ? part->most[k] : total->most[k];
    for (uint32_t k = 0; k < part->minima; ++k)
        total->least[k] = part->least[k] < total->least[k] ? part->least[k] : total->least[k];
    for (uint32_t k = 0; k < part->sums; ++k)
        total->sum[k] += part->sum[k];
    px_part_id(total, part->id);
}

static void reduce_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Reduce *job = user;
    PxPart part;
    begin_part(&part, job->start);
    job->function(job->user, begin, end, &part);
    px_join_begin();
    join_part(job->total, &part);
    px_join_end();
}

uint64_t px_reduce_after(const PxRows *rows, PxChain chain, PxReduceFunction *function, void *user,
                         PxPart *part)
{
    PX_ASSERT(part->maxima <= PX_PART_WIDTH && part->minima <= PX_PART_WIDTH &&
              part->sums <= PX_PART_WIDTH);
    PxPart start = *part;
    begin_part(part, &start);
    Reduce job = {function, user, &start, part};
    chain.second = reduce_block;
    chain.second_user = &job;
    if (chain.first != NULL)
        px_parallel_chain(rows->threads, rows->count, block_of(rows), &chain);
    else
        px_parallel_for(rows->threads, rows->count, block_of(rows), reduce_block, &job);
    if (rows->dist != NULL) {
        px_dist_max(rows->dist, part->most, part->maxima);
        px_dist_min(rows->dist, part->least, part->minima);
        px_dist_sum(rows->dist, part->sum, part->sums);
        px_dist_lowest_id(rows->dist, &part->id);
    }
    return px_reduce_count(rows);
}

uint64_t px_reduce(const PxRows *rows, PxReduceFunction *function, void *user, PxPart *part)
{
    return px_reduce_after(rows, (PxChain){0}, function, user, part);
}

uint64_t px_reduce_count(const PxRows *rows)
{
    double all = rows->count;
    if (rows->dist != NULL)
        px_dist_sum(rows->dist, &all, 1);
    return (uint64_t)all;
}

/* ---- one value per row -------------------------------------------------- */

/* Values computed at a time; 4 KiB on the stack. */
#define VALUES 512u

typedef struct Values {
    PxValueFunction *function;
    const void *user;
    double magic;
} Values;

static void largest_part(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    const Values *job = user;
    double value[VALUES], most = 0;
    for (uint32_t i = begin; i < end; i += VALUES) {
        uint32_t count = end - i < VALUES ? end - i : VALUES;
        job->function(job->user, i, i + count, value);
        for (uint32_t k = 0; k < count; ++k) {
            double size = fabs(value[k]);
            most = size > most ? size : most;
        }
    }
    part->most[0] = most;
}

static void sum_part(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    const Values *job = user;
    double value[VALUES], magic = job->magic, sum = 0;
    for (uint32_t i = begin; i < end; i += VALUES) {
        uint32_t count = end - i < VALUES ? end - i : VALUES;
        job->function(job->user, i, i + count, value);
        for (uint32_t k = 0; k < count; ++k)
            sum += px_sum_round(magic, value[k]);
    }
    part->sum[0] = sum;
}

double px_reduce_sum(const PxRows *rows, PxValueFunction *function, const void *user)
{
    Values job = {.function = function, .user = user};
    PxPart most = {.maxima = 1}, total = {.sums = 1};
    uint64_t all = px_reduce(rows, largest_part, &job, &most);
    job.magic = px_sum_magic(most.most[0], all);
    px_reduce(rows, sum_part, &job, &total);
    return total.sum[0];
}

/* ---- long accumulators -------------------------------------------------- */

typedef struct Exact {
    PxSumFunction *function;
    const void *user;
    uint32_t width;
    PxSum *out;
} Exact;

static void exact_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Exact *job = user;
    PxSum local[PX_SUM_WIDTH];
    memset(local, 0, sizeof *local * job->width);
    job->function(job->user, begin, end, local);
    px_join_begin();
    for (uint32_t k = 0; k < job->width; ++k)
        px_sum_merge(&job->out[k], &local[k]);
    px_join_end();
}

void px_reduce_exact(const PxRows *rows, uint32_t width, PxSumFunction *function, const void *user,
                     PxSum *out)
{
    PX_ASSERT(width <= PX_SUM_WIDTH);
    memset(out, 0, sizeof *out * width);
    Exact job = {function, user, width, out};
    px_parallel_for(rows->threads, rows->count, rows->block > 0 ? rows->block : 16 * PX_BLOCK,
                    exact_block, &job);
    px_reduce_join(rows->dist, out, width);
}

void px_reduce_join(const PxDist *dist, PxSum *sums, uint32_t width)
{
    if (dist != NULL)
        px_dist_merge(dist, sums, width);
}
