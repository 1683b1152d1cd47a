#include "store/container.h"

#include "base/digest.h"
#include "store/file.h"
#include "store/pack.h"

#define H5_USE_110_API /* selects the 1.10 API in later HDF5 */
#include <hdf5.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Largest number of rows in a compressed block: 64 KiB of a float column, twice the
 * window of deflate. Larger blocks hardly compress better and leave fewer blocks for
 * the threads; smaller ones are slow to find, because HDF5 searches them in order. */
#define BLOCK_ROWS 16384u
#define BLOCKS_MOST 512u

/* Range of block sizes that are accepted in reading, rows. */
#define BLOCK_ROWS_LEAST 1024u
#define BLOCK_ROWS_MOST (1u << 24)

/* Largest compression ratio of deflate (two bits for 258 bytes); bounds the size that a
 * file may declare. [RFC 1951; zlib.net/zlib_tech.html] */
#define DEFLATE_MOST 1032u

/* Increment by which HDF5's core driver grows its image, bytes. */
#define GROWTH ((size_t)1 << 18)

/* ---- the seal ---- */

typedef struct Seal {
    char magic[8];
    uint64_t length;
    uint64_t digest[2];
} Seal;

_Static_assert(sizeof(Seal) == 32, "the seal is 32 bytes in the file");

static const char magic[8] = {'P', 'H', 'Y', 'X', 'L', '2', '\r', '\n'};
static const char old_magic[8] = {'P', 'H', 'Y', 'X', 'E', 'L', '\r', '\n'};

static PxStatus check_length(const Seal *seal, uint64_t size)
{
    if (memcmp(seal->magic, old_magic, sizeof old_magic) == 0)
        return px_fail(PX_ERR_FORMAT, "the file was written by an older phyxel, with another seal; "
                                      "make the run again");
    if (memcmp(seal->magic, magic, sizeof magic) != 0 || seal->length != size - sizeof *seal)
        return px_fail(PX_ERR_FORMAT,
                       "the file is damaged or not complete: the last %zu bytes "
                       "are not the seal that phyxel puts there",
                       sizeof *seal);
    return PX_OK;
}

static PxStatus check_seal(const uint8_t *bytes, size_t size)
{
    Seal seal;
    uint64_t digest[2];
    if (size < sizeof seal)
        return px_fail(PX_ERR_FORMAT, "the file has only %zu bytes", size);
    memcpy(&seal, bytes + size - sizeof seal, sizeof seal);
    PX_TRY(check_length(&seal, size));
    px_digest(bytes, size - sizeof seal, digest);
    if (digest[0] != seal.digest[0] || digest[1] != seal.digest[1])
        return px_fail(PX_ERR_FORMAT, "the file is damaged: its bytes do not match its seal");
    return PX_OK;
}

/* ---- HDF5 calls: serialised, without its error printing ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

typedef struct Quiet {
    H5E_auto2_t function;
    void *data;
} Quiet;

static Quiet hdf5_enter(void)
{
    Quiet quiet = {NULL, NULL};
    pthread_mutex_lock(&lock);
    H5Eget_auto2(H5E_DEFAULT, &quiet.function, &quiet.data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return quiet;
}

static void hdf5_leave(Quiet quiet)
{
    H5Eset_auto2(H5E_DEFAULT, quiet.function, quiet.data);
    pthread_mutex_unlock(&lock);
}

/* The HDF5 type of a value in the file. */
static hid_t file_type(PxType type)
{
    switch (type) {
    case PX_U8:
        return H5T_STD_U8LE;
    case PX_U32:
        return H5T_STD_U32LE;
    case PX_I32:
        return H5T_STD_I32LE;
    case PX_F32:
        return H5T_IEEE_F32LE;
    case PX_U64:
        return H5T_STD_U64LE;
    default:
        return H5T_IEEE_F64LE;
    }
}

/* Names of tables, columns and scalars are restricted, so that they need no escaping
 * in paths, XML and headers of other formats. */
static bool is_name(const char *name)
{
    size_t length = 0;
    for (; name[length] != '\0'; ++length) {
        char c = name[length];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              c == '_') ||
            length >= PX_TABLE_NAME - 1)
            return false;
    }
    return length > 0;
}

static PxStatus check_name(const char *what, const char *name)
{
    if (!is_name(name))
        return px_fail(PX_ERR_ARGUMENT,
                       "'%.40s' cannot be the name of a %s: 1 to %u letters, digits and _", name,
                       what, PX_TABLE_NAME - 1);
    return PX_OK;
}

/* ---- scalars ---- */

PxScalar px_scalar_u64(const char *name, uint64_t value)
{
    return (PxScalar){.name = name, .kind = PX_SCALAR_U64, .u64 = value};
}

PxScalar px_scalar_f64(const char *name, double value)
{
    return (PxScalar){.name = name, .kind = PX_SCALAR_F64, .f64 = value};
}

PxScalar px_scalar_text(const char *name, const char *text)
{
    PxScalar scalar = {.name = name, .kind = PX_SCALAR_TEXT};
    size_t length = strlen(text);
    if (length >= sizeof scalar.text) {
        length = sizeof scalar.text - 1;
        while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80)
            --length; /* do not split a UTF-8 character */
    }
    memcpy(scalar.text, text, length);
    return scalar;
}

/* Writes the scalar as an attribute of `object`. */
static bool put_scalar(hid_t object, const PxScalar *scalar)
{
    const void *value = scalar->text;
    hid_t type = H5Tcopy(H5T_C_S1);
    if (scalar->kind == PX_SCALAR_TEXT) {
        H5Tset_size(type, strlen(scalar->text) + 1);
        H5Tset_cset(type, H5T_CSET_UTF8);
    } else {
        H5Tclose(type);
        type = H5Tcopy(scalar->kind == PX_SCALAR_U64 ? H5T_STD_U64LE : H5T_IEEE_F64LE);
        value = scalar->kind == PX_SCALAR_U64 ? (const void *)&scalar->u64 : &scalar->f64;
    }
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(object, scalar->name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool good = attribute >= 0 && H5Awrite(attribute, type, value) >= 0;
    if (attribute >= 0)
        good = H5Aclose(attribute) >= 0 && good;
    H5Sclose(space);
    H5Tclose(type);
    return good;
}

/* Reads an attribute of `object`, which must be of the given kind. */
static PxStatus get_scalar(hid_t object, const char *owner, PxScalar *scalar)
{
    static const char *const kinds[] = {"u64", "f64", "text"};
    if (H5Aexists(object, scalar->name) <= 0)
        return px_fail(PX_ERR_FORMAT, "%s has no attribute '%s'", owner, scalar->name);
    hid_t attribute = H5Aopen(object, scalar->name, H5P_DEFAULT);
    hid_t type = attribute >= 0 ? H5Aget_type(attribute) : H5I_INVALID_HID;
    hid_t space = attribute >= 0 ? H5Aget_space(attribute) : H5I_INVALID_HID;
    bool good = type >= 0 && space >= 0 && H5Sget_simple_extent_type(space) == H5S_SCALAR;
    if (good && scalar->kind == PX_SCALAR_TEXT) {
        good = H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
               H5Tget_size(type) >= 1 && H5Tget_size(type) <= sizeof scalar->text;
        memset(scalar->text, 0, sizeof scalar->text);
        good = good && H5Aread(attribute, type, scalar->text) >= 0 &&
               scalar->text[sizeof scalar->text - 1] == '\0';
    } else if (good && scalar->kind == PX_SCALAR_U64) {
        good = H5Tequal(type, H5T_STD_U64LE) > 0 &&
               H5Aread(attribute, H5T_STD_U64LE, &scalar->u64) >= 0;
    } else if (good) {
        good = H5Tequal(type, H5T_IEEE_F64LE) > 0 &&
               H5Aread(attribute, H5T_IEEE_F64LE, &scalar->f64) >= 0;
    }
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    if (attribute >= 0)
        H5Aclose(attribute);
    if (!good)
        return px_fail(PX_ERR_FORMAT, "the attribute '%s' of %s is not one %s", scalar->name, owner,
                       kinds[scalar->kind]);
    return PX_OK;
}

/* ---- writing ---- */

struct PxContainerWriter {
    hid_t file;
    uint8_t *memory; /* the image, owned by the writer after the file is closed */
    size_t capacity;
};

/* Image callbacks: HDF5 allocates the image here and leaves it to the writer on close.
 * This saves a copy, and avoids H5Fget_file_image(), whose images have a wrong checksum
 * before HDF5 2.0 (HDFGroup/hdf5 issue 1915). */
static void *write_allocate(size_t size, H5FD_file_image_op_t operation, void *user)
{
    (void)operation;
    PxContainerWriter *writer = user;
    writer->capacity = size;
    return malloc(size);
}

static void *write_grow(void *memory, size_t size, H5FD_file_image_op_t operation, void *user)
{
    (void)operation;
    PxContainerWriter *writer = user;
    void *grown = realloc(memory, size);
    if (grown != NULL)
        writer->capacity = size;
    return grown;
}

static herr_t write_free(void *memory, H5FD_file_image_op_t operation, void *user)
{
    (void)operation;
    PxContainerWriter *writer = user;
    writer->memory = memory;
    return 0;
}

static void *user_copy(void *user)
{
    return user;
}

static herr_t user_free(void *user)
{
    (void)user;
    return 0;
}

/* Tracks creation order for columns and tables; disables time stamps, so that equal
 * contents give equal bytes. */
static void plain_properties(hid_t list)
{
    H5Pset_link_creation_order(list, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    H5Pset_obj_track_times(list, false);
}

PxStatus px_container_create(PxContainerWriter **out)
{
    PxContainerWriter *writer = calloc(1, sizeof *writer);
    *out = NULL;
    if (writer == NULL)
        return px_fail(PX_ERR_MEMORY, "no room to put a file together");
    Quiet quiet = hdf5_enter();
    hid_t creation = H5Pcreate(H5P_FILE_CREATE), access = H5Pcreate(H5P_FILE_ACCESS);
    H5FD_file_image_callbacks_t callbacks = {write_allocate, NULL,      write_grow, write_free,
                                             user_copy,      user_free, writer};
    plain_properties(creation);
    H5Pset_fapl_core(access, GROWTH, false);
    H5Pset_file_image_callbacks(access, &callbacks);
    /* The format of HDF5 1.8 (2008) is widely readable, and its headers have checksums. */
    H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18);
    /* HDF5 identifies files in memory by name, so every writer needs a unique one.
     * No file of this name is created on disk. */
    char name[40];
    snprintf(name, sizeof name, "phyxel-write-%p", (void *)writer);
    writer->file = H5Fcreate(name, H5F_ACC_TRUNC, creation, access);
    H5Pclose(access);
    H5Pclose(creation);
    hdf5_leave(quiet);
    if (writer->file < 0) {
        free(writer);
        return px_fail(PX_ERR_MEMORY, "HDF5 has no room to put a file together");
    }
    *out = writer;
    return PX_OK;
}

PxStatus px_container_put(PxContainerWriter *writer, const PxScalar *scalars, size_t count)
{
    for (size_t k = 0; k < count; ++k)
        PX_TRY(check_name("scalar", scalars[k].name));
    PxStatus status = PX_OK;
    Quiet quiet = hdf5_enter();
    for (size_t k = 0; k < count && status == PX_OK; ++k) {
        if (H5Aexists(writer->file, scalars[k].name) > 0)
            status = px_fail(PX_ERR_ARGUMENT, "there is a scalar '%s' already", scalars[k].name);
        else if (!put_scalar(writer->file, &scalars[k]))
            status = px_fail(PX_ERR_MEMORY, "HDF5 has no room for scalar '%s'", scalars[k].name);
    }
    hdf5_leave(quiet);
    return status;
}

/* Writes the rows uncompressed and contiguous. */
static PxStatus write_plain(hid_t dataset, const PxColumn *column, uint32_t count)
{
    bool good = true;
    if (column->components == 1) {
        good = H5Dwrite(dataset, file_type(column->type), H5S_ALL, H5S_ALL, H5P_DEFAULT,
                        column->data[0]) >= 0;
    } else {
        size_t bytes = (size_t)count * column->components * px_type_size(column->type);
        void *rows = malloc(bytes);
        good = rows != NULL;
        if (good) {
            px_interleave(column, 0, count, rows);
            good = H5Dwrite(dataset, file_type(column->type), H5S_ALL, H5S_ALL, H5P_DEFAULT,
                            rows) >= 0;
        }
        free(rows);
    }
    return good ? PX_OK : px_fail(PX_ERR_MEMORY, "no room for column '%s'", column->name);
}

/* Compresses the rows here and writes the chunks directly, bypassing HDF5's filters. */
static PxStatus write_packed(hid_t dataset, const PxColumn *column, uint32_t count,
                             uint32_t block_rows, int level, const PxThreads *threads)
{
    PxPacked packed;
    PX_TRY(px_pack(column, count, block_rows, level, threads, &packed));
    bool good = true;
    for (uint32_t b = 0; b < packed.blocks && good; ++b) {
        hsize_t at[2] = {(hsize_t)b * block_rows, 0};
        good = H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, at, packed.size[b], packed.block[b]) >= 0;
    }
    px_packed_free(&packed);
    return good ? PX_OK : px_fail(PX_ERR_MEMORY, "no room for column '%s'", column->name);
}

/* Blocks of equal size, so that the last one is not mostly padding. */
static uint32_t block_rows_of(uint32_t count)
{
    uint32_t rows = count / BLOCKS_MOST > BLOCK_ROWS ? count / BLOCKS_MOST : BLOCK_ROWS;
    uint32_t blocks = count / rows + (count % rows > 0);
    return blocks == 0 ? 0 : count / blocks + (count % blocks > 0);
}

static PxStatus put_column(hid_t group, const PxColumn *column, uint32_t count, int level,
                           const PxThreads *threads)
{
    int rank = column->components > 1 ? 2 : 1;
    hsize_t dims[2] = {count, column->components};
    uint32_t block_rows = block_rows_of(count);
    bool pack = level > 0 && count > 0; /* HDF5 has no empty chunks */

    hid_t space = H5Screate_simple(rank, dims, NULL);
    hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(properties, false);
    H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER);
    if (pack) {
        hsize_t block[2] = {block_rows, column->components};
        H5Pset_chunk(properties, rank, block);
        H5Pset_shuffle(properties);
        H5Pset_deflate(properties, (unsigned)level);
    }
    hid_t dataset = H5Dcreate2(group, column->name, file_type(column->type), space, H5P_DEFAULT,
                               properties, H5P_DEFAULT);
    H5Pclose(properties);
    H5Sclose(space);
    if (dataset < 0)
        return px_fail(PX_ERR_MEMORY, "HDF5 has no room for column '%s'", column->name);

    PxScalar unit = px_scalar_text("unit", column->unit);
    PxScalar flags = px_scalar_u64("flags", column->flags);
    PxStatus status = PX_OK;
    if (pack)
        status = write_packed(dataset, column, count, block_rows, level, threads);
    else if (count > 0)
        status = write_plain(dataset, column, count);
    if (status == PX_OK && (!put_scalar(dataset, &unit) || !put_scalar(dataset, &flags)))
        status = px_fail(PX_ERR_MEMORY, "HDF5 has no room for column '%s'", column->name);
    H5Dclose(dataset);
    return status;
}

PxStatus px_container_put_table(PxContainerWriter *writer, const char *name, const PxTable *table,
                                uint32_t flags, int level, const PxThreads *threads)
{
    PX_TRY(check_name("table", name));
    if (level < 0 || level > 9)
        return px_fail(PX_ERR_ARGUMENT, "table '%s': level %d, wanted 0 to 9", name, level);
    for (uint32_t c = 0; c < table->columns; ++c)
        if (table->column[c].flags & flags)
            PX_TRY(check_name("column", table->column[c].name));

    Quiet quiet = hdf5_enter();
    PxStatus status = PX_OK;
    hid_t group = H5I_INVALID_HID;
    if (H5Lexists(writer->file, name, H5P_DEFAULT) > 0) {
        status = px_fail(PX_ERR_ARGUMENT, "there is a table '%s' already", name);
    } else {
        hid_t properties = H5Pcreate(H5P_GROUP_CREATE);
        plain_properties(properties);
        group = H5Gcreate2(writer->file, name, H5P_DEFAULT, properties, H5P_DEFAULT);
        H5Pclose(properties);
        PxScalar count = px_scalar_u64("count", table->count);
        if (group < 0 || !put_scalar(group, &count))
            status = px_fail(PX_ERR_MEMORY, "HDF5 has no room for table '%s'", name);
    }
    for (uint32_t c = 0; c < table->columns && status == PX_OK; ++c)
        if (table->column[c].flags & flags)
            status = put_column(group, &table->column[c], table->count, level, threads);
    if (group >= 0)
        H5Gclose(group);
    hdf5_leave(quiet);
    return status;
}

static bool writer_close(PxContainerWriter *writer)
{
    if (writer->file < 0)
        return false;
    Quiet quiet = hdf5_enter();
    bool good = H5Fclose(writer->file) >= 0;
    writer->file = H5I_INVALID_HID;
    hdf5_leave(quiet);
    return good;
}

PxStatus px_container_bytes(PxContainerWriter *writer, void **bytes, size_t *size)
{
    *bytes = NULL;
    *size = 0;
    Seal seal = {.length = 0};
    bool good = writer_close(writer) && writer->memory != NULL && writer->capacity >= 48;
    if (good) {
        /* End of the image: byte 28 of a version 2 superblock.
         * [HDF5 File Format Specification 3.0, II.A] */
        memcpy(&seal.length, writer->memory + 28, sizeof seal.length);
        good = writer->memory[8] == 2 && seal.length <= writer->capacity;
    }
    void *grown = good ? realloc(writer->memory, seal.length + sizeof seal) : NULL;
    if (grown == NULL)
        return px_fail(PX_ERR_MEMORY, "no room for the bytes of a file");
    writer->memory = NULL;
    memcpy(seal.magic, magic, sizeof magic);
    px_digest(grown, seal.length, seal.digest);
    memcpy((uint8_t *)grown + seal.length, &seal, sizeof seal);
    *bytes = grown;
    *size = seal.length + sizeof seal;
    return PX_OK;
}

PxStatus px_container_write(PxContainerWriter *writer, const char *path, PxFileCheck check)
{
    void *bytes;
    size_t size;
    PX_TRY(px_container_bytes(writer, &bytes, &size));
    PxStatus status = px_file_write_checked(path, bytes, size, check);
    free(bytes);
    return status;
}

void px_container_discard(PxContainerWriter *writer)
{
    if (writer == NULL)
        return;
    writer_close(writer);
    free(writer->memory);
    free(writer);
}

/* ---- reading ---- */

struct PxContainer {
    hid_t file;
    uint8_t *image;
    size_t size; /* size of the image without the seal */
    bool owned;
    char name[PX_PATH_MAX]; /* for messages */
};

/* HDF5 normally copies an image twice before it opens it. This image is only read, so
 * the callbacks avoid the copies: allocate returns the image itself, copy does nothing. */
static void *image_allocate(size_t size, H5FD_file_image_op_t operation, void *user)
{
    (void)operation;
    PxContainer *container = user;
    return size == container->size ? container->image : NULL;
}

static void *image_copy(void *to, const void *from, size_t size, H5FD_file_image_op_t operation,
                        void *user)
{
    (void)size, (void)operation, (void)user;
    return to == from ? to : NULL;
}

static herr_t image_free(void *memory, H5FD_file_image_op_t operation, void *user)
{
    (void)memory, (void)operation, (void)user;
    return 0;
}

static hid_t open_image(PxContainer *container)
{
    H5FD_file_image_callbacks_t callbacks = {image_allocate, image_copy, NULL,     image_free,
                                             user_copy,      user_free,  container};
    char name[40];
    snprintf(name, sizeof name, "phyxel-read-%p", (void *)container);
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), file = H5I_INVALID_HID;
    if (H5Pset_fapl_core(access, GROWTH, false) >= 0 &&
        H5Pset_file_image_callbacks(access, &callbacks) >= 0 &&
        H5Pset_file_image(access, container->image, container->size) >= 0)
        file = H5Fopen(name, H5F_ACC_RDONLY, access);
    H5Pclose(access);
    return file;
}

static PxStatus container_open(PxContainer **out, uint8_t *bytes, size_t size, const char *name,
                               bool owned)
{
    static const uint8_t signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    *out = NULL;
    PX_TRY(check_seal(bytes, size));
    PxContainer *container = calloc(1, sizeof *container);
    if (container == NULL)
        return px_fail(PX_ERR_MEMORY, "no room to open the file");
    container->image = bytes;
    container->size = size - sizeof(Seal);
    container->file = H5I_INVALID_HID;
    snprintf(container->name, sizeof container->name, "%s", name);
    if (container->size >= sizeof signature && memcmp(bytes, signature, sizeof signature) == 0) {
        Quiet quiet = hdf5_enter();
        container->file = open_image(container);
        hdf5_leave(quiet);
    }
    if (container->file < 0) {
        free(container);
        return px_fail(PX_ERR_FORMAT, "HDF5 cannot open the file");
    }
    container->owned = owned;
    *out = container;
    return PX_OK;
}

PxStatus px_container_open_bytes(PxContainer **out, const void *bytes, size_t size,
                                 const char *name)
{
    PxStatus status = container_open(out, (uint8_t *)bytes, size, name, false);
    return status == PX_OK ? PX_OK : px_fail_prefix(status, "'%s': ", name);
}

PxStatus px_container_open(PxContainer **out, const char *path)
{
    *out = NULL;
    /* Check the seal first, to refuse foreign files before memory is allocated for them. */
    Seal seal;
    uint64_t length;
    PX_TRY(px_file_read_end(path, &seal, sizeof seal, &length));
    PxStatus status = check_length(&seal, length);
    if (status != PX_OK)
        return px_fail_prefix(status, "'%s': ", path);
    void *bytes;
    size_t size;
    PX_TRY(px_file_read(path, PX_CONTAINER_MAX_BYTES, &bytes, &size));
    status = container_open(out, bytes, size, path, true);
    if (status != PX_OK) {
        free(bytes);
        return px_fail_prefix(status, "'%s': ", path);
    }
    return PX_OK;
}

void px_container_close(PxContainer *container)
{
    if (container == NULL)
        return;
    Quiet quiet = hdf5_enter();
    H5Fclose(container->file);
    hdf5_leave(quiet);
    if (container->owned)
        free(container->image);
    free(container);
}

PxStatus px_container_get(PxContainer *container, PxScalar *scalars, size_t count)
{
    Quiet quiet = hdf5_enter();
    PxStatus status = PX_OK;
    for (size_t k = 0; k < count && status == PX_OK; ++k)
        status = get_scalar(container->file, "the file", &scalars[k]);
    hdf5_leave(quiet);
    return status == PX_OK ? PX_OK : px_fail_prefix(status, "'%s': ", container->name);
}

/* A table in the file, as found and validated before memory is allocated. */
typedef struct FoundColumn {
    hid_t dataset;
    char name[PX_TABLE_NAME], unit[sizeof((PxColumn *)0)->unit];
    PxType type;
    uint32_t components, flags;
    uint32_t block_rows; /* 0 when the rows are contiguous */
} FoundColumn;

typedef struct FoundTable {
    hid_t group;
    uint32_t rows, columns;
    FoundColumn column[PX_TABLE_MAX_COLUMNS];
} FoundTable;

static void found_close(FoundTable *found)
{
    for (uint32_t c = 0; c < found->columns; ++c)
        if (found->column[c].dataset >= 0)
            H5Dclose(found->column[c].dataset);
    if (found->group >= 0)
        H5Gclose(found->group);
}

static bool find_type(hid_t dataset, PxType *out)
{
    hid_t type = H5Dget_type(dataset);
    bool found = false;
    for (PxType t = 0; t < PX_TYPE_COUNT && type >= 0 && !found; ++t)
        if (H5Tequal(type, file_type(t)) > 0) {
            *out = t;
            found = true;
        }
    if (type >= 0)
        H5Tclose(type);
    return found;
}

/* The shape must be [rows] or [rows][2 .. 9]. */
static bool find_shape(hid_t dataset, uint32_t rows, uint32_t *components)
{
    hid_t space = H5Dget_space(dataset);
    hsize_t dims[2] = {0, 1};
    int rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1;
    bool good = (rank == 1 || rank == 2) && H5Sget_simple_extent_dims(space, dims, NULL) == rank &&
                dims[0] == rows;
    if (rank == 2)
        good = good && dims[1] >= 2 && dims[1] <= PX_TABLE_MAX_COMPONENTS;
    *components = good ? (uint32_t)dims[1] : 0;
    if (space >= 0)
        H5Sclose(space);
    return good;
}

/* Accepts contiguous rows inside this file, and chunks with the filters of pack.h. */
static bool find_layout(hid_t dataset, uint32_t rows, uint32_t components, uint32_t *block_rows)
{
    hid_t properties = H5Dget_create_plist(dataset);
    bool good = properties >= 0 && H5Pget_external_count(properties) == 0;
    H5D_layout_t layout = good ? H5Pget_layout(properties) : H5D_LAYOUT_ERROR;
    int filters = good ? H5Pget_nfilters(properties) : -1;
    *block_rows = 0;
    if (layout == H5D_CHUNKED) {
        int rank = components > 1 ? 2 : 1;
        hsize_t block[2] = {0, 1};
        unsigned flags, options[8], config;
        size_t count = PX_COUNT(options);
        good = filters == 2 && H5Pget_chunk(properties, 2, block) == rank &&
               block[1] == components && block[0] <= rows && block[0] <= BLOCK_ROWS_MOST &&
               (block[0] == rows || block[0] >= BLOCK_ROWS_LEAST) && block[0] > 0 &&
               H5Pget_filter2(properties, 0, &flags, &count, options, 0, NULL, &config) ==
                   H5Z_FILTER_SHUFFLE;
        count = PX_COUNT(options);
        good = good && H5Pget_filter2(properties, 1, &flags, &count, options, 0, NULL, &config) ==
                           H5Z_FILTER_DEFLATE;
        *block_rows = good ? (uint32_t)block[0] : 0;
    } else {
        good = good && layout == H5D_CONTIGUOUS && filters == 0;
    }
    if (properties >= 0)
        H5Pclose(properties);
    return good;
}

static PxStatus find_column(FoundTable *found, const char *table, uint32_t index)
{
    FoundColumn *column = &found->column[index];
    char name[PX_TABLE_NAME + 1];
    H5L_info_t link;
    ssize_t length = H5Lget_name_by_idx(found->group, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, index,
                                        name, sizeof name, H5P_DEFAULT);
    if (length < 1 || (size_t)length >= PX_TABLE_NAME || !is_name(name))
        return px_fail(PX_ERR_FORMAT, "column %u of table '%s' has no good name", index, table);
    memcpy(column->name, name, PX_TABLE_NAME);
    for (uint32_t c = 0; c < index; ++c)
        if (strcmp(found->column[c].name, name) == 0)
            return px_fail(PX_ERR_FORMAT, "table '%s' has two columns '%s'", table, name);
    /* Refuse external and dangling links. */
    if (H5Lget_info_by_idx(found->group, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, index, &link,
                           H5P_DEFAULT) >= 0 &&
        link.type == H5L_TYPE_HARD)
        column->dataset = H5Dopen2(found->group, name, H5P_DEFAULT);
    if (column->dataset < 0)
        return px_fail(PX_ERR_FORMAT, "'%s' in table '%s' is not a dataset", name, table);
    if (!find_type(column->dataset, &column->type))
        return px_fail(PX_ERR_FORMAT, "column '%s' of table '%s' is of a type that is not known",
                       name, table);
    if (!find_shape(column->dataset, found->rows, &column->components))
        return px_fail(PX_ERR_FORMAT,
                       "column '%s' of table '%s' is not [%u] or [%u][2 to %u], as the table says",
                       name, table, found->rows, found->rows, PX_TABLE_MAX_COMPONENTS);
    if (!find_layout(column->dataset, found->rows, column->components, &column->block_rows))
        return px_fail(PX_ERR_FORMAT,
                       "column '%s' of table '%s' is stored in a way phyxel does not write", name,
                       table);
    PxScalar unit = {.name = "unit", .kind = PX_SCALAR_TEXT};
    PxScalar flags = {.name = "flags", .kind = PX_SCALAR_U64};
    PX_TRY(get_scalar(column->dataset, name, &unit));
    PX_TRY(get_scalar(column->dataset, name, &flags));
    if (strlen(unit.text) >= sizeof column->unit || flags.u64 > UINT32_MAX)
        return px_fail(PX_ERR_FORMAT, "column '%s' of table '%s' has no good unit or flags", name,
                       table);
    strcpy(column->unit, unit.text);
    column->flags = (uint32_t)flags.u64;
    return PX_OK;
}

/* Finds and validates a table without its values. */
static PxStatus find_table(PxContainer *container, const char *name, FoundTable *found)
{
    memset(found, 0, sizeof *found);
    found->group = H5I_INVALID_HID;
    for (uint32_t c = 0; c < PX_TABLE_MAX_COLUMNS; ++c)
        found->column[c].dataset = H5I_INVALID_HID;
    H5L_info_t link;
    H5G_info_t group;
    if (H5Lexists(container->file, name, H5P_DEFAULT) > 0 &&
        H5Lget_info(container->file, name, &link, H5P_DEFAULT) >= 0 && link.type == H5L_TYPE_HARD)
        found->group = H5Gopen2(container->file, name, H5P_DEFAULT);
    if (found->group < 0 || H5Gget_info(found->group, &group) < 0)
        return px_fail(PX_ERR_FORMAT, "there is no table '%s'", name);
    PxScalar count = {.name = "count", .kind = PX_SCALAR_U64};
    PX_TRY(get_scalar(found->group, name, &count));
    if (count.u64 > PX_TABLE_MAX_ROWS || group.nlinks > PX_TABLE_MAX_COLUMNS)
        return px_fail(PX_ERR_FORMAT,
                       "table '%s' has %llu rows and %llu columns, %u and %u is the "
                       "most",
                       name, (unsigned long long)count.u64, (unsigned long long)group.nlinks,
                       PX_TABLE_MAX_ROWS, PX_TABLE_MAX_COLUMNS);
    if (count.u64 > 0 && group.nlinks == 0)
        return px_fail(PX_ERR_FORMAT, "table '%s' has %llu rows and no column", name,
                       (unsigned long long)count.u64);
    found->rows = (uint32_t)count.u64;
    uint64_t bytes = 0; /* at most 2^32 rows of 64 columns of 72 bytes: no overflow */
    for (uint32_t c = 0; c < group.nlinks; ++c) {
        found->columns = c + 1;
        PX_TRY(find_column(found, name, c));
        bytes += (uint64_t)found->rows * found->column[c].components *
                 px_type_size(found->column[c].type);
    }
    if (bytes > PX_CONTAINER_MAX_BYTES || bytes / DEFLATE_MOST > container->size)
        return px_fail(PX_ERR_FORMAT, "table '%s' says to hold %llu bytes in a file of %zu", name,
                       (unsigned long long)bytes, container->size);
    return PX_OK;
}

/* Adds the columns that the table lacks; the others must have the same type. */
static PxStatus match_columns(const FoundTable *found, PxTable *table)
{
    for (uint32_t c = 0; c < found->columns; ++c) {
        const FoundColumn *from = &found->column[c];
        const PxColumn *column = px_table_find(table, from->name);
        if (column == NULL) {
            PxStatus status = px_table_add(table, from->name, from->unit, from->type,
                                           from->components, from->flags, NULL);
            if (status != PX_OK) /* too many columns: an error of the file, not of the caller */
                return status == PX_ERR_ARGUMENT ? PX_ERR_FORMAT : status;
        } else if (column->type != from->type || column->components != from->components)
            return px_fail(PX_ERR_FORMAT, "column '%s' is %s x %u, wanted %s x %u", from->name,
                           px_type_name(from->type), from->components, px_type_name(column->type),
                           column->components);
    }
    return PX_OK;
}

/* Pointer to `size` bytes at `address` of the image; NULL if out of bounds. */
static uint8_t *in_image(const PxContainer *container, haddr_t address, uint64_t size)
{
    if (address == HADDR_UNDEF || address > container->size || size > container->size - address)
        return NULL;
    return container->image + address;
}

static PxStatus read_column(const PxContainer *container, const FoundColumn *from, PxColumn *column,
                            uint32_t rows, const PxThreads *threads)
{
    if (from->block_rows == 0) {
        uint64_t size = (uint64_t)rows * from->components * px_type_size(from->type);
        const uint8_t *bytes = in_image(container, H5Dget_offset(from->dataset), size);
        if (bytes == NULL || H5Dget_storage_size(from->dataset) != size)
            return px_fail(PX_ERR_FORMAT, "the rows of column '%s' are not there", from->name);
        px_deinterleave(column, 0, rows, bytes);
        return PX_OK;
    }
    PxPacked packed;
    PX_TRY(px_packed_init(&packed, rows, from->block_rows));
    PxStatus status = PX_OK;
    for (uint32_t b = 0; b < packed.blocks && status == PX_OK; ++b) {
        hsize_t at[2] = {(hsize_t)b * from->block_rows, 0}, size = 0;
        haddr_t address = HADDR_UNDEF;
        unsigned skipped = 1; /* mask of filters skipped for this chunk */
        if (H5Dget_chunk_info_by_coord(from->dataset, at, &skipped, &address, &size) >= 0 &&
            skipped == 0)
            packed.block[b] = in_image(container, address, size);
        packed.size[b] = size;
        if (packed.block[b] == NULL)
            status = px_fail(PX_ERR_FORMAT, "block %u of column '%s' is not there", b, from->name);
    }
    if (status == PX_OK)
        status = px_unpack(&packed, column, rows, threads);
    px_packed_free(&packed);
    return status;
}

bool px_container_has_table(PxContainer *container, const char *name)
{
    Quiet quiet = hdf5_enter();
    bool has = is_name(name) && H5Lexists(container->file, name, H5P_DEFAULT) > 0;
    hdf5_leave(quiet);
    return has;
}

PxStatus px_container_get_columns(PxContainer *container, const char *name, PxTable *table,
                                  uint32_t *rows)
{
    PX_TRY(check_name("table", name));
    FoundTable found;
    Quiet quiet = hdf5_enter();
    PxStatus status = find_table(container, name, &found);
    if (status == PX_OK)
        status = match_columns(&found, table);
    *rows = status == PX_OK ? found.rows : 0;
    found_close(&found);
    hdf5_leave(quiet);
    return status == PX_OK ? PX_OK : px_fail_prefix(status, "'%s': ", container->name);
}

PxStatus px_container_get_table(PxContainer *container, const char *name, PxTable *table,
                                const PxThreads *threads)
{
    PX_TRY(check_name("table", name));
    FoundTable found;
    table->count = 0;
    Quiet quiet = hdf5_enter();
    PxStatus status = find_table(container, name, &found);
    if (status == PX_OK)
        status = match_columns(&found, table);
    if (status == PX_OK)
        status = px_table_append(table, found.rows, NULL);
    for (uint32_t c = 0; c < found.columns && found.rows > 0 && status == PX_OK; ++c)
        status = read_column(container, &found.column[c],
                             px_table_find(table, found.column[c].name), found.rows, threads);
    if (status != PX_OK)
        table->count = 0;
    found_close(&found);
    hdf5_leave(quiet);
    return status == PX_OK ? PX_OK : px_fail_prefix(status, "'%s': ", container->name);
}
