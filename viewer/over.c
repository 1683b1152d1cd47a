#include "over.h"

#include <math.h>
#include <stdlib.h>

/* Samples along an edge of the texture, at most: finer volumes are thinned by means. */
enum { FINEST = 160 };

bool over_read(const char *path, PxVolumeSamples *out)
{
    PxVolumeDef def = px_volume_def_default();
    def.path = path;
    return px_volume_samples_read(&def, out) == PX_OK;
}

/* Inverse of the matrix with these columns, row by row: rows are reciprocal vectors. */
static bool invert(const double c[3][3], double out[3][3])
{
    double det = 0;
    for (int r = 0; r < 3; ++r) {
        const double *a = c[(r + 1) % 3], *b = c[(r + 2) % 3];
        for (int k = 0; k < 3; ++k)
            out[r][k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
    }
    for (int k = 0; k < 3; ++k)
        det += c[0][k] * out[0][k];
    for (int r = 0; r < 3; ++r)
        for (int k = 0; k < 3; ++k)
            out[r][k] /= det;
    return isfinite(1 / det);
}

/* Means over blocks of `thin` samples, as absorption. */
static float *thinned(const PxVolumeSamples *v, uint32_t thin, const uint32_t size[3])
{
    float *out = calloc((size_t)size[0] * size[1] * size[2], sizeof *out);
    for (uint32_t z = 0; out != NULL && z < size[2]; ++z)
        for (uint32_t y = 0; y < size[1]; ++y)
            for (uint32_t x = 0; x < size[0]; ++x) {
                double sum = 0;
                uint32_t count = 0;
                for (uint32_t k = z * thin; k < (z + 1) * thin && k < v->samples[2]; ++k)
                    for (uint32_t j = y * thin; j < (y + 1) * thin && j < v->samples[1]; ++j)
                        for (uint32_t i = x * thin; i < (x + 1) * thin && i < v->samples[0]; ++i) {
                            size_t at = i + (size_t)v->samples[0] * (j + (size_t)v->samples[1] * k);
                            sum += fmax(0, 1 + 1e-3 * (double)v->value[at]);
                            ++count;
                        }
                out[x + (size_t)size[0] * (y + (size_t)size[1] * z)] =
                    OVER_WATER * (float)(sum / count);
            }
    return out;
}

bool over_load(Over *o, const PxVolumeSamples *v)
{
    if (o->volume == v && o->texture != 0)
        return true;
    uint32_t most = v->samples[0], size[3];
    most = v->samples[1] > most ? v->samples[1] : most;
    most = v->samples[2] > most ? v->samples[2] : most;
    uint32_t thin = (most + FINEST - 1) / FINEST;
    double edge[3][3], inverse[3][3];
    double shortest = INFINITY;
    for (int k = 0; k < 3; ++k) {
        size[k] = (v->samples[k] + thin - 1) / thin;
        double length = (double)thin * size[k];
        edge[k][0] = length * v->step[k].x;
        edge[k][1] = length * v->step[k].y;
        edge[k][2] = length * v->step[k].z;
        shortest = fmin(shortest, sqrt(edge[k][0] * edge[k][0] + edge[k][1] * edge[k][1] +
                                       edge[k][2] * edge[k][2]));
    }
    if (!invert(edge, inverse))
        return false;
    o->range = OVER_WATER * (float)shortest;
    for (int r = 0; r < 3; ++r)
        for (int k = 0; k < 3; ++k)
            o->to[3 * k + r] = (float)inverse[r][k];
    /* a sample is the middle of its texel */
    o->from[0] = (float)(v->origin.x - 0.5 * (v->step[0].x + v->step[1].x + v->step[2].x));
    o->from[1] = (float)(v->origin.y - 0.5 * (v->step[0].y + v->step[1].y + v->step[2].y));
    o->from[2] = (float)(v->origin.z - 0.5 * (v->step[0].z + v->step[1].z + v->step[2].z));
    float *texels = thinned(v, thin, size);
    if (texels == NULL)
        return false;
    if (o->texture == 0)
        glGenTextures(1, &o->texture);
    glBindTexture(GL_TEXTURE_3D, o->texture);
    glTexImage3D(GL_TEXTURE_3D, 0, GL_R32F, (GLsizei)size[0], (GLsizei)size[1], (GLsizei)size[2], 0,
                 GL_RED, GL_FLOAT, texels);
    glTexParameteri(GL_TEXTURE_3D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_3D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    for (int k = 0; k < 3; ++k)
        glTexParameteri(GL_TEXTURE_3D,
                        k == 0   ? GL_TEXTURE_WRAP_S
                        : k == 1 ? GL_TEXTURE_WRAP_T
                                 : GL_TEXTURE_WRAP_R,
                        GL_CLAMP_TO_EDGE);
    glBindTexture(GL_TEXTURE_3D, 0);
    free(texels);
    o->volume = v;
    o->aspect = 0; /* sums are old */
    return true;
}

void over_free(Over *o)
{
    glDeleteTextures(1, &o->texture);
    gl_target_free(&o->sums);
    *o = (Over){0};
}
