#include "render/trace/denoise.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

/* REACH: half width of the search window; PATCH: half width of compared patches; SPREAD: half
 * width of the variance filter; ROWS: rows a block. */
enum { REACH = 5, PATCH = 2, MARGIN = REACH + PATCH, SPREAD = 2, ROWS = 8 };

/* Filter strength, tuned on pictures of the shipped scenes with 4 to 64 samples against 1024:
 * lower values leave noise, higher ones remove ripples of water. */
#define STRENGTH 0.5f

/* Differences below half a quantisation step are ignored. */
#define LEAST (0.5f / 255)

typedef struct Job {
    const PxDenoiseDef *def;
    float *plane[PX_DENOISE_CHANNELS]; /* padded by MARGIN, repeating the border */
    float *noise;                      /* padded likewise: variance summed over the channels */
    size_t stride;
    float *room;  /* scratch rows of each thread */
    size_t lines; /* floats of it a thread */
    float *const *out;
} Job;

static size_t clamped(size_t at, size_t size)
{
    return at < MARGIN ? 0 : at - MARGIN >= size ? size - 1 : at - MARGIN;
}

/* Copies a plane and pads it. */
static void pad(const Job *job, const float *from, float *to)
{
    size_t width = job->def->width, height = job->def->height;
    for (size_t y = 0; y < height + 2 * MARGIN; ++y) {
        const float *row = from + clamped(y, height) * width;
        float *line = to + y * job->stride;
        for (size_t x = 0; x < MARGIN; ++x) {
            line[x] = row[0];
            line[MARGIN + width + x] = row[width - 1];
        }
        memcpy(line + MARGIN, row, width * sizeof *row);
    }
}

/* Box filter of the variance: that of a single pixel is noisy itself. */
static void average_variance(const Job *job, const float *square, float *out)
{
    int width = (int)job->def->width, height = (int)job->def->height;
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            float sum = 0;
            for (int j = -SPREAD; j <= SPREAD; ++j)
                for (int i = -SPREAD; i <= SPREAD; ++i)
                    sum +=
                        square[(size_t)(y + j + MARGIN) * job->stride + (size_t)(x + i + MARGIN)];
            out[(size_t)y * (size_t)width + (size_t)x] =
                sum / ((2 * SPREAD + 1) * (2 * SPREAD + 1));
        }
}

/* Squared differences between the pixels of a row and those `off` further on, minus the variance
 * expected of them [Rousselle et al. 2012]. */
static void compare_row(const Job *job, size_t at, ptrdiff_t off, size_t count, float *out)
{
    const float *restrict noise = job->noise + at, *restrict other = noise + off;
    for (size_t x = 0; x < count; ++x)
        out[x] = -noise[x] - (noise[x] < other[x] ? noise[x] : other[x]);
    for (uint32_t c = 0; c < job->def->channels; ++c) {
        const float *restrict a = job->plane[c] + at, *restrict b = a + off;
        for (size_t x = 0; x < count; ++x)
            out[x] += (a[x] - b[x]) * (a[x] - b[x]);
    }
}

/* Weights of the pixels `off` further on, from the differences of the rows of the patch, each
 * starting PATCH before its first pixel. */
static void weigh_row(const Job *job, size_t at, ptrdiff_t off, float *const around[], float *sum,
                      float *weight)
{
    size_t width = job->def->width;
    for (size_t x = 0; x < width + 2 * PATCH; ++x) {
        sum[x] = around[0][x];
        for (int k = 1; k <= 2 * PATCH; ++k)
            sum[x] += around[k][x];
    }
    const float *restrict noise = job->noise + at, *restrict other = noise + off;
    const float area = (2 * PATCH + 1) * (2 * PATCH + 1);
    for (size_t x = 0; x < width; ++x) {
        float far = sum[x];
        for (int k = 1; k <= 2 * PATCH; ++k)
            far += sum[x + (size_t)k];
        far /= area * (LEAST * LEAST + STRENGTH * STRENGTH * (noise[x] + other[x]));
        /* (1 - far / 4)^4, close to exp(-far) and 0 from 4 on */
        float t = far > 0 ? 1 - 0.25f * far : 1;
        t = t > 0 ? t : 0;
        weight[x] = t * t * (t * t);
    }
}

/* Denoises up to ROWS rows. */
static void denoise_rows(const Job *job, size_t first, size_t end, float *room)
{
    size_t width = job->def->width, line = width + 2 * PATCH, channels = job->def->channels;
    float *different[ROWS + 2 * PATCH], *sum, *weight, *total[ROWS][PX_DENOISE_CHANNELS + 1];
    for (size_t k = 0; k < ROWS + 2 * PATCH; ++k, room += line)
        different[k] = room;
    sum = room;
    weight = room += line;
    room += line;
    for (size_t y = 0; y < ROWS; ++y)
        for (size_t c = 0; c <= channels; ++c, room += line) {
            total[y][c] = room;
            memset(room, 0, width * sizeof *room);
        }
    for (int j = -REACH; j <= REACH; ++j)
        for (int i = -REACH; i <= REACH; ++i) {
            ptrdiff_t off = (ptrdiff_t)job->stride * j + i;
            for (size_t k = 0; k < end - first + 2 * PATCH; ++k)
                compare_row(job, (first + k + MARGIN - PATCH) * job->stride + MARGIN - PATCH, off,
                            line, different[k]);
            for (size_t y = first; y < end; ++y) {
                size_t at = (y + MARGIN) * job->stride + MARGIN;
                weigh_row(job, at, off, different + (y - first), sum, weight);
                float **to = total[y - first];
                for (size_t x = 0; x < width; ++x)
                    to[channels][x] += weight[x];
                for (size_t c = 0; c < channels; ++c) {
                    const float *restrict from = job->plane[c] + at + off;
                    for (size_t x = 0; x < width; ++x)
                        to[c][x] += weight[x] * from[x];
                }
            }
        }
    for (size_t y = first; y < end; ++y)
        for (size_t c = 0; c < channels; ++c)
            for (size_t x = 0; x < width; ++x) /* > 0: its own weight is 1 */
                job->out[c][y * width + x] = total[y - first][c][x] / total[y - first][channels][x];
}

static void denoise_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    const Job *job = user;
    for (uint32_t k = begin; k < end; ++k) {
        size_t first = (size_t)k * ROWS, last = first + ROWS;
        last = last < job->def->height ? last : job->def->height;
        denoise_rows(job, first, last, job->room + (size_t)thread * job->lines);
    }
}

PxStatus px_denoise(const PxDenoiseDef *def, float *const out[PX_DENOISE_CHANNELS])
{
    Job job = {.def = def, .stride = (size_t)def->width + 2 * MARGIN, .out = out};
    size_t plane = job.stride * ((size_t)def->height + 2 * MARGIN);
    size_t pixels = (size_t)def->width * def->height, floats, bytes;
    float *room = NULL;
    job.lines = (ROWS + 2 * PATCH + 2 + ROWS * (PX_DENOISE_CHANNELS + 1)) * job.stride;
    floats = (def->channels + 2) * plane + (size_t)def->threads.count * job.lines;
    if (!px_size_multiply(floats, sizeof *room, &bytes) ||
        (room = px_allocate(NULL, bytes)) == NULL)
        return px_fail(PX_ERR_MEMORY, "render: no room to take the grain off %u x %u pixels",
                       def->width, def->height);
    float *square = room + (def->channels + 1) * plane; /* not padded */
    job.room = square + plane;
    for (uint32_t c = 0; c < def->channels; ++c) {
        job.plane[c] = room + c * plane;
        pad(&job, def->pixel[c], job.plane[c]);
    }
    job.noise = room + def->channels * plane;
    for (size_t k = 0; k < pixels; ++k) {
        float sum = 0;
        for (uint32_t c = 0; c < def->channels; ++c)
            sum += def->half_difference[c][k] * def->half_difference[c][k];
        square[k] = sum;
    }
    pad(&job, square, job.noise);
    average_variance(&job, job.noise, square);
    pad(&job, square, job.noise);
    PxStatus status =
        px_parallel_try(&def->threads, (def->height + ROWS - 1) / ROWS, 1, denoise_block, &job);
    px_release(NULL, room, 0);
    return status;
}
