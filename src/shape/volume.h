/// Volumes: samples on a regular grid, such as a CT scan, read from NRRD files or raw samples.
///
/// The readers accept any bytes and return a volume or an error that names the file and what was
/// expected. Memory is bounded by the size of the data, not by a size in a header.
#ifndef PX_SHAPE_VOLUME_H
#define PX_SHAPE_VOLUME_H

#include "base/fail.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct PxVolume {
    uint32_t samples[3];
    float *value;   ///< x fastest; of malloc()
    PxVec3 step[3]; ///< from sample to sample along each axis, as in the file
    PxVec3 origin;  ///< of the first sample
    double least, most;
} PxVolume;

typedef enum PxSampleType {
    PX_SAMPLE_I8,
    PX_SAMPLE_U8,
    PX_SAMPLE_I16,
    PX_SAMPLE_U16,
    PX_SAMPLE_I32,
    PX_SAMPLE_U32,
    PX_SAMPLE_F32,
    PX_SAMPLE_F64,
    PX_SAMPLE_TYPES
} PxSampleType;

typedef enum PxSampleEncoding { PX_SAMPLES_RAW, PX_SAMPLES_GZIP, PX_SAMPLES_TEXT } PxSampleEncoding;

/// The header of an NRRD file.
typedef struct PxNrrd {
    uint32_t samples[3];
    PxSampleType type;
    PxSampleEncoding encoding;
    bool big_endian;
    PxVec3 step[3]; ///< 1 along each axis where the file has neither spacings nor directions
    bool stepped;   ///< the file states them
    PxVec3 origin;
    size_t data;         ///< offset of the samples in the file, if there is no data file
    char data_file[256]; ///< name of the file with the samples, in the same folder; or ""
    uint64_t byte_skip;  ///< bytes before the samples
    uint32_t line_skip;  ///< lines before them
} PxNrrd;

/// Names of types as in NRRD files: "uint8", "short", ... False for others.
bool px_sample_type(const char *name, size_t length, PxSampleType *out);

/// Reads the header. Errors: PX_ERR_FORMAT, PX_ERR_UNSUPPORTED.
PxStatus px_nrrd_header(const char *name, const void *bytes, size_t size, PxNrrd *out);

/// Reads the samples that the header describes. `bytes` start at the header's `data`, or are those
/// of the data file. Free with px_volume_free(). Errors: PX_ERR_FORMAT, PX_ERR_MEMORY.
PxStatus px_volume_read(const char *name, const PxNrrd *header, const void *bytes, size_t size,
                        PxVolume *out);
void px_volume_free(PxVolume *volume);

/// Reads an NRRD file with its samples in the same file. *out is empty after a failure.
/// Errors: PX_ERR_IO, PX_ERR_FORMAT, PX_ERR_UNSUPPORTED, PX_ERR_MEMORY.
PxStatus px_volume_read_file(const char *path, PxVolume *out);

#endif
