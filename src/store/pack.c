#include "store/pack.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* ---- interleaving of components ---- */

#define FOR_SIZE(size, LOOP)                                                                       \
    switch (size) {                                                                                \
    case 1:                                                                                        \
        LOOP(uint8_t);                                                                             \
        break;                                                                                     \
    case 4:                                                                                        \
        LOOP(uint32_t);                                                                            \
        break;                                                                                     \
    default:                                                                                       \
        LOOP(uint64_t);                                                                            \
        break;                                                                                     \
    }

void px_interleave(const PxColumn *column, uint32_t first, uint32_t rows, void *out)
{
    size_t components = column->components;
    for (size_t k = 0; k < components; ++k) {
#define LOOP(type)                                                                                 \
    do {                                                                                           \
        const type *from = (const type *)column->data[k] + first;                                  \
        for (size_t i = 0; i < rows; ++i)                                                          \
            ((type *)out)[i * components + k] = from[i];                                           \
    } while (0)
        FOR_SIZE(px_type_size(column->type), LOOP)
#undef LOOP
    }
}

void px_deinterleave(PxColumn *column, uint32_t first, uint32_t rows, const void *from)
{
    size_t components = column->components;
    for (size_t k = 0; k < components; ++k) {
        /* memcpy, because data in files may be unaligned. */
        const uint8_t *bytes = (const uint8_t *)from + k * px_type_size(column->type);
#define LOOP(type)                                                                                 \
    do {                                                                                           \
        type *to = (type *)column->data[k] + first;                                                \
        for (size_t i = 0; i < rows; ++i)                                                          \
            memcpy(&to[i], bytes + i * components * sizeof(type), sizeof(type));                   \
    } while (0)
        FOR_SIZE(px_type_size(column->type), LOOP)
#undef LOOP
    }
}

/* ---- byte shuffle: all first bytes, then all second bytes, ... ---- */

static void shuffle(const PxColumn *column, uint32_t first, uint32_t rows, size_t plane,
                    uint8_t *out)
{
    size_t size = px_type_size(column->type), components = column->components;
    for (size_t k = 0; k < components; ++k) {
        const uint8_t *from = (const uint8_t *)column->data[k] + first * size;
        for (size_t b = 0; b < size; ++b) {
            uint8_t *to = out + b * plane + k;
            for (size_t i = 0; i < rows; ++i)
                to[i * components] = from[i * size + b];
        }
    }
}

static void unshuffle(PxColumn *column, uint32_t first, uint32_t rows, size_t plane,
                      const uint8_t *bytes)
{
    size_t size = px_type_size(column->type), components = column->components;
    for (size_t k = 0; k < components; ++k) {
        uint8_t *to = (uint8_t *)column->data[k] + first * size;
        for (size_t b = 0; b < size; ++b) {
            const uint8_t *from = bytes + b * plane + k;
            for (size_t i = 0; i < rows; ++i)
                to[i * size + b] = from[i * components];
        }
    }
}

/* ---- blocks ---- */

typedef struct Job {
    PxColumn column; /* a copy of the struct; the arrays are shared */
    PxPacked *packed;
    uint32_t count;
    size_t values; /* of a block */
    size_t bytes;  /* of a block, uncompressed */
    size_t room;   /* of a block, largest compressed size */
    int level;
    uint8_t *scratch; /* `bytes` for each thread */
    atomic_bool failed;
} Job;

static uint32_t block_rows_of(const Job *job, uint32_t b)
{
    uint32_t left = job->count - b * job->packed->block_rows;
    return left < job->packed->block_rows ? left : job->packed->block_rows;
}

static void pack_blocks(void *user, uint32_t begin, uint32_t end, int thread)
{
    Job *job = user;
    uint8_t *shuffled = job->scratch + (size_t)thread * job->bytes;
    for (uint32_t b = begin; b < end; ++b) {
        uint32_t rows = block_rows_of(job, b);
        if (rows < job->packed->block_rows)
            memset(shuffled, 0, job->bytes);
        shuffle(&job->column, b * job->packed->block_rows, rows, job->values, shuffled);
        uLongf size = job->room;
        if (compress2(job->packed->block[b], &size, shuffled, job->bytes, job->level) != Z_OK)
            atomic_store(&job->failed, true);
        job->packed->size[b] = size;
    }
}

static void unpack_blocks(void *user, uint32_t begin, uint32_t end, int thread)
{
    Job *job = user;
    uint8_t *shuffled = job->scratch + (size_t)thread * job->bytes;
    for (uint32_t b = begin; b < end; ++b) {
        uLongf size = job->bytes;
        int result = uncompress(shuffled, &size, job->packed->block[b], job->packed->size[b]);
        if (result != Z_OK || size != job->bytes) {
            atomic_store(&job->failed, true);
            continue;
        }
        unshuffle(&job->column, b * job->packed->block_rows, block_rows_of(job, b), job->values,
                  shuffled);
    }
}

/* Sets the sizes and allocates scratch memory per thread; false when out of memory. */
static bool job_begin(Job *job, const PxColumn *column, PxPacked *packed, uint32_t count,
                      const PxThreads *threads)
{
    *job = (Job){.column = *column, .packed = packed, .count = count};
    job->values = (size_t)packed->block_rows * column->components;
    job->bytes = job->values * px_type_size(column->type);
    size_t total;
    if (!px_size_multiply(job->bytes, (size_t)threads->count, &total))
        return false;
    job->scratch = malloc(total);
    return job->scratch != NULL;
}

PxStatus px_packed_init(PxPacked *packed, uint32_t count, uint32_t block_rows)
{
    *packed = (PxPacked){.block_rows = block_rows,
                         .blocks = (uint32_t)(((uint64_t)count + block_rows - 1) / block_rows)};
    packed->block = calloc(packed->blocks + 1u, sizeof *packed->block);
    packed->size = calloc(packed->blocks + 1u, sizeof *packed->size);
    if (packed->block == NULL || packed->size == NULL) {
        px_packed_free(packed);
        return px_fail(PX_ERR_MEMORY, "no room for %u blocks of rows", packed->blocks);
    }
    return PX_OK;
}

PxStatus px_pack(const PxColumn *column, uint32_t count, uint32_t block_rows, int level,
                 const PxThreads *threads, PxPacked *out)
{
    PX_TRY(px_packed_init(out, count, block_rows));
    Job job;
    size_t total = 0;
    bool fits = job_begin(&job, column, out, count, threads);
    job.level = level;
    job.room = compressBound(job.bytes);
    if (fits && px_size_multiply(job.room, out->blocks, &total) && total > 0)
        out->memory = malloc(total); /* pages that stay unused cost nothing */
    if (out->memory != NULL) {
        for (uint32_t b = 0; b < out->blocks; ++b)
            out->block[b] = out->memory + b * job.room;
        px_parallel_for(threads, out->blocks, 1, pack_blocks, &job);
    }
    free(job.scratch);
    if ((out->memory == NULL && count > 0) || job.failed) {
        px_packed_free(out);
        return px_fail(PX_ERR_MEMORY, "no room to pack %u rows of column '%s'", count,
                       column->name);
    }
    return PX_OK;
}

PxStatus px_unpack(const PxPacked *packed, PxColumn *column, uint32_t count,
                   const PxThreads *threads)
{
    Job job;
    PxPacked copy = *packed;
    if (!job_begin(&job, column, &copy, count, threads))
        return px_fail(PX_ERR_MEMORY, "no room to unpack %u rows of column '%s'", count,
                       column->name);
    px_parallel_for(threads, packed->blocks, 1, unpack_blocks, &job);
    free(job.scratch);
    if (job.failed)
        return px_fail(PX_ERR_FORMAT, "the packed rows of column '%s' are damaged", column->name);
    return PX_OK;
}

void px_packed_free(PxPacked *packed)
{
    free(packed->memory);
    free(packed->block);
    free(packed->size);
    packed->memory = NULL;
    packed->block = NULL;
    packed->size = NULL;
}
