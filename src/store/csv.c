#include "store/csv.h"

#include "store/file.h"
#include "store/text_buffer.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Size of the row buffer, bytes. */
#define HELD ((size_t)1 << 16)

/* Largest file that is read on resume, bytes: some 10^8 rows. */
#define MAX_FILE ((size_t)1 << 36)

struct PxCsv {
    char path[PX_PATH_MAX];
    int descriptor;
    uint32_t columns;
    char *name[PX_CSV_MAX_COLUMNS];
    bool any;  /* the file has rows, and `last` is valid */
    bool many; /* a step may have several rows or none */
    uint64_t last;
    uint64_t rows;
    uint64_t length; /* bytes of complete rows in the file */
    uint64_t synced; /* as many of them are on the disk */
    PxText held;
};

static void csv_free(PxCsv *csv)
{
    if (csv->descriptor >= 0)
        close(csv->descriptor);
    for (uint32_t c = 0; c < csv->columns; ++c)
        free(csv->name[c]);
    px_text_free(&csv->held);
    free(csv);
}

static PxStatus csv_new(PxCsv **out, const char *path, const char *const *columns, uint32_t count)
{
    *out = NULL;
    if (strlen(path) >= PX_PATH_MAX)
        return px_fail(PX_ERR_ARGUMENT, "the path '%.200s...' is too long", path);
    if (count > PX_CSV_MAX_COLUMNS)
        return px_fail(PX_ERR_ARGUMENT, "'%s': %u columns wanted, %u is the most", path, count,
                       PX_CSV_MAX_COLUMNS);
    PxCsv *csv = calloc(1, sizeof *csv);
    if (csv == NULL)
        return px_fail(PX_ERR_MEMORY, "no room to write '%s'", path);
    csv->descriptor = -1;
    strcpy(csv->path, path);
    for (uint32_t c = 0; c < count; ++c) {
        PxStatus status = PX_OK;
        if (columns[c][0] == '\0' || strpbrk(columns[c], ",\"\r\n") != NULL)
            status = px_fail(PX_ERR_ARGUMENT, "'%s': '%s' cannot be the name of a column", path,
                             columns[c]);
        else if ((csv->name[c] = strdup(columns[c])) == NULL)
            status = px_fail(PX_ERR_MEMORY, "no room to write '%s'", path);
        if (status != PX_OK) {
            csv_free(csv);
            return status;
        }
        ++csv->columns;
    }
    *out = csv;
    return PX_OK;
}

static void add_names(PxCsv *csv)
{
    px_text_add(&csv->held, "step");
    for (uint32_t c = 0; c < csv->columns; ++c)
        px_text_add(&csv->held, ",%s", csv->name[c]);
    px_text_add(&csv->held, "\n");
}

/* Replaces the file by `size` bytes and opens it for appending. */
static PxStatus start(PxCsv *csv, const void *bytes, size_t size)
{
    PX_TRY(px_file_write_atomic(csv->path, bytes, size));
    csv->length = csv->synced = size;
    csv->descriptor = open(csv->path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
    if (csv->descriptor < 0)
        return px_fail(PX_ERR_IO, "cannot write '%s': %s", csv->path, strerror(errno));
    return PX_OK;
}

/* Creates the file with only the header line. */
static PxStatus start_empty(PxCsv *csv)
{
    add_names(csv);
    PX_TRY(px_text_check(&csv->held, csv->path));
    PX_TRY(start(csv, csv->held.data, csv->held.count));
    px_text_clear(&csv->held);
    return PX_OK;
}

static PxStatus create(PxCsv **out, const char *path, const char *const *columns, uint32_t count,
                       bool many)
{
    PX_TRY(csv_new(out, path, columns, count));
    (*out)->many = many;
    PxStatus status = start_empty(*out);
    if (status != PX_OK) {
        csv_free(*out);
        *out = NULL;
    }
    return status;
}

PxStatus px_csv_create(PxCsv **out, const char *path, const char *const *columns, uint32_t count)
{
    return create(out, path, columns, count, false);
}

PxStatus px_csv_create_rows(PxCsv **out, const char *path, const char *const *columns,
                            uint32_t count)
{
    return create(out, path, columns, count, true);
}

/* Parses a row: a step, then one comma per column. `end` is its '\n'. */
static bool parse_row(const char *line, const char *end, uint32_t columns, uint64_t *step)
{
    const char *c = line;
    *step = 0;
    for (; c < end && *c >= '0' && *c <= '9'; ++c)
        if (__builtin_mul_overflow(*step, (uint64_t)10, step) ||
            __builtin_add_overflow(*step, (uint64_t)(*c - '0'), step))
            return false;
    if (c == line)
        return false;
    uint32_t commas = 0;
    for (const char *k = c; k < end; ++k) {
        if (strchr("0123456789.+-e,", *k) == NULL || *k == '\0')
            return false; /* inf and nan are not written */
        commas += *k == ',';
    }
    return (c == end || *c == ',') && commas == columns;
}

/* Finds the length to which the old file is truncated. */
static PxStatus find_cut(PxCsv *csv, const char *bytes, size_t size, uint64_t last_step,
                         size_t *cut)
{
    add_names(csv);
    PX_TRY(px_text_check(&csv->held, csv->path));
    size_t head = csv->held.count;
    if (size < head || memcmp(bytes, csv->held.data, head) != 0)
        return px_fail(PX_ERR_FORMAT,
                       "'%s' has other columns than this run; it wants the first line to be: %.*s",
                       csv->path, (int)head - 1, csv->held.data);
    px_text_clear(&csv->held);
    *cut = head;
    while (*cut < size) {
        const char *line = bytes + *cut, *end = memchr(line, '\n', size - *cut);
        uint64_t step;
        if (end == NULL || !parse_row(line, end, csv->columns, &step) || step > last_step ||
            (csv->any && (csv->many ? step < csv->last : step <= csv->last)))
            break;
        csv->any = true;
        csv->last = step;
        ++csv->rows;
        *cut = (size_t)(end + 1 - bytes);
    }
    return PX_OK;
}

/* Do the rows that were read reach to `last_step`? */
static PxStatus check_rows(const PxCsv *csv, uint64_t last_step, const uint64_t *rows)
{
    if (rows != NULL && csv->rows != *rows)
        return px_fail(PX_ERR_FORMAT,
                       "'%s' has %llu rows up to step %llu, and the run had written %llu: rows are "
                       "missing; put it back as it was, or begin the run anew by overwriting it",
                       csv->path, (unsigned long long)csv->rows, (unsigned long long)last_step,
                       (unsigned long long)*rows);
    if (rows == NULL && csv->last != last_step)
        return px_fail(PX_ERR_FORMAT,
                       "'%s' ends with step %llu, and the run was at step %llu: rows are "
                       "missing; put it back as it was, or begin the run anew by overwriting it",
                       csv->path, (unsigned long long)csv->last, (unsigned long long)last_step);
    return PX_OK;
}

/* `rows` is NULL if every step has one row. */
static PxStatus resume(PxCsv **out, const char *path, const char *const *columns, uint32_t count,
                       uint64_t last_step, const uint64_t *rows)
{
    PX_TRY(csv_new(out, path, columns, count));
    (*out)->many = rows != NULL;
    PxStatus status;
    if (!px_file_exists(path)) {
        status =
            px_fail(PX_ERR_FORMAT,
                    "'%s' is missing; put it back, or begin the run anew by overwriting it", path);
    } else {
        void *bytes;
        size_t size, cut = 0;
        status = px_file_read(path, MAX_FILE, &bytes, &size);
        if (status == PX_OK)
            status = find_cut(*out, bytes, size, last_step, &cut);
        if (status == PX_OK)
            status = check_rows(*out, last_step, rows);
        if (status == PX_OK)
            status = start(*out, bytes, cut);
        px_list_free(bytes);
    }
    if (status != PX_OK) {
        csv_free(*out);
        *out = NULL;
    }
    return status;
}

PxStatus px_csv_resume(PxCsv **out, const char *path, const char *const *columns, uint32_t count,
                       uint64_t last_step)
{
    return resume(out, path, columns, count, last_step, NULL);
}

PxStatus px_csv_resume_rows(PxCsv **out, const char *path, const char *const *columns,
                            uint32_t count, uint64_t last_step, uint64_t rows)
{
    return resume(out, path, columns, count, last_step, &rows);
}

uint64_t px_csv_rows(const PxCsv *csv)
{
    return csv->rows;
}

/* Writes the buffered rows. After a partial write the file is truncated to complete
 * rows, so that a retry writes no row twice. */
static PxStatus flush(PxCsv *csv)
{
    size_t done = 0;
    while (done < csv->held.count) {
        ssize_t put = write(csv->descriptor, csv->held.data + done, csv->held.count - done);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0) {
            int error = errno;
            bool restored = ftruncate(csv->descriptor, (off_t)csv->length) == 0;
            return px_fail(PX_ERR_IO, "cannot write '%s': %s%s", csv->path, strerror(error),
                           restored ? "" : "; its last line is broken");
        }
        done += (size_t)put;
    }
    csv->length += done;
    px_text_clear(&csv->held);
    return PX_OK;
}

PxStatus px_csv_row(PxCsv *csv, uint64_t step, const double *values)
{
    if (csv->any && (csv->many ? step < csv->last : step <= csv->last))
        return px_fail(PX_ERR_ARGUMENT, "'%s': step %llu comes after step %llu", csv->path,
                       (unsigned long long)step, (unsigned long long)csv->last);
    size_t before = csv->held.count;
    px_text_add(&csv->held, "%llu", (unsigned long long)step);
    for (uint32_t c = 0; c < csv->columns; ++c) {
        px_text_add(&csv->held, ",");
        if (!isnan(values[c]))
            px_text_add_f64(&csv->held, values[c]);
    }
    px_text_add(&csv->held, "\n");
    PxStatus status = px_text_check(&csv->held, csv->path);
    if (status != PX_OK) {
        csv->held.count = before;
        csv->held.full = false;
        return status;
    }
    csv->any = true;
    csv->last = step;
    ++csv->rows;
    return csv->held.count >= HELD ? flush(csv) : PX_OK;
}

PxStatus px_csv_sync(PxCsv *csv)
{
    PX_TRY(flush(csv));
    if (csv->synced != csv->length && fsync(csv->descriptor) != 0)
        return px_fail(PX_ERR_IO, "cannot write '%s': %s", csv->path, strerror(errno));
    csv->synced = csv->length;
    struct stat about;
    if (fstat(csv->descriptor, &about) == 0 && about.st_nlink == 0)
        return px_fail(PX_ERR_IO, "'%s' was removed during the run", csv->path);
    return PX_OK;
}

/* The last line that ends in a line break, and its end; NULL if there is none. */
static char *last_line(char *bytes, size_t size, char **end)
{
    while (size > 0 && bytes[size - 1] != '\n')
        --size;
    if (size == 0)
        return NULL;
    *end = bytes + --size;
    while (size > 0 && bytes[size - 1] != '\n')
        --size;
    return bytes + size;
}

PxStatus px_csv_last(const char *path, PxCsvFunction *each, void *user)
{
    void *bytes;
    size_t size;
    PX_TRY(px_file_read(path, MAX_FILE, &bytes, &size));
    char *end, *row = last_line(bytes, size, &end), *name = bytes;
    PxStatus status =
        row == NULL ? px_fail(PX_ERR_FORMAT, "'%s' has no line of names", path) : PX_OK;
    if (row == name)
        row = NULL; /* header only */
    char *names_end = row != NULL ? memchr(name, '\n', size) : NULL;
    while (row != NULL && status == PX_OK) {
        char *name_stop = memchr(name, ',', (size_t)(names_end - name));
        char *stop = memchr(row, ',', (size_t)(end - row)), *rest;
        if ((stop == NULL) != (name_stop == NULL)) {
            status =
                px_fail(PX_ERR_FORMAT, "'%s': the last row has not as many values as names", path);
            break;
        }
        *(name_stop != NULL ? name_stop : names_end) = '\0';
        *(stop != NULL ? stop : end) = '\0';
        double value = row[0] != '\0' ? strtod(row, &rest) : NAN;
        if (row[0] != '\0' && (*rest != '\0' || !isfinite(value)))
            status = px_fail(PX_ERR_FORMAT, "'%s': '%.40s' is no number", path, row);
        else
            each(user, name, value);
        if (stop == NULL)
            break;
        name = name_stop + 1;
        row = stop + 1;
    }
    px_list_free(bytes);
    return status;
}

PxStatus px_csv_close(PxCsv *csv)
{
    if (csv == NULL)
        return PX_OK;
    PxStatus status = px_csv_sync(csv);
    csv_free(csv);
    return status;
}
