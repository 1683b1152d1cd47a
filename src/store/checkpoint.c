#include "store/checkpoint.h"

#include "store/file.h"

#include "phyxel/version.h"

#include <math.h>
#include <string.h>

static PxStatus checkpoint_path(char path[PX_PATH_MAX], const char *dir, uint32_t number)
{
    return px_path_join(path, dir, "checkpoints/%06u.h5", number);
}

enum { KIND, FORMAT, NUMBER, VERSION, SCALARS };

static void own_scalars(uint32_t number, PxScalar scalars[SCALARS])
{
    scalars[KIND] = px_scalar_text("kind", "checkpoint");
    scalars[FORMAT] = px_scalar_u64("format", PX_CHECKPOINT_FORMAT);
    scalars[NUMBER] = px_scalar_u64("number", number);
    scalars[VERSION] = px_scalar_text("phyxel", PX_VERSION);
}

/* Removes the checkpoints older than the predecessor of `number`. Later ones stay: a run
 * resumed from an earlier checkpoint will overwrite them. */
static PxStatus remove_old(const char *dir, const char *folder, uint32_t number, PxFileCheck check)
{
    PX_TRY(px_folder_clean(folder));
    PxNumbers numbers;
    PX_TRY(px_folder_numbers(folder, ".h5", &numbers));
    size_t before = 0; /* number of older checkpoints */
    while (before < numbers.count && numbers.data[before] < number)
        ++before;
    PxStatus status = check.call != NULL ? check.call(check.user) : PX_OK;
    for (size_t k = 0; k + 1 < before && status == PX_OK; ++k) {
        char path[PX_PATH_MAX];
        status = checkpoint_path(path, dir, numbers.data[k]);
        if (status == PX_OK)
            status = px_file_remove(path);
    }
    PX_LIST_FREE(&numbers);
    return status;
}

/* Converts the numbers of the saved world to scalars. */
static void numbers_to_scalars(const PxSavedWorld *saved, PxScalar scalars[PX_SAVED_NUMBERS])
{
    for (size_t k = 0; k < px_saved_number_count; ++k) {
        const PxSavedNumber *n = &px_saved_numbers[k];
        scalars[k] = n->type == PX_F64 ? px_scalar_f64(n->name, saved->value[k].real)
                                       : px_scalar_u64(n->name, saved->value[k].whole);
    }
}

static PxStatus fill(PxContainerWriter *writer, const PxSavedWorld *saved, const PxThreads *threads)
{
    PxScalar scalars[PX_SAVED_NUMBERS];
    numbers_to_scalars(saved, scalars);
    PX_TRY(px_container_put(writer, scalars, px_saved_number_count));
    const char *name;
    const PxTable *table;
    for (size_t k = 0; (table = px_saved_table((PxSavedWorld *)saved, k, &name)) != NULL; ++k)
        if (table->columns > 0)
            PX_TRY(px_container_put_table(writer, name, table, PX_COLUMN_STATE, 0, threads));
    return PX_OK;
}

PxStatus px_checkpoint_write(const char *dir, uint32_t number, const PxSavedWorld *saved,
                             const PxScalar *scalars, size_t count, PxFileCheck check,
                             const PxThreads *threads)
{
    char folder[PX_PATH_MAX], path[PX_PATH_MAX];
    PX_TRY(px_path_join(folder, dir, "checkpoints"));
    PX_TRY(checkpoint_path(path, dir, number));

    PxScalar own[SCALARS];
    own_scalars(number, own);
    PxContainerWriter *writer;
    PX_TRY(px_container_create(&writer));
    PxStatus status = px_container_put(writer, own, SCALARS);
    if (status == PX_OK)
        status = px_container_put(writer, scalars, count);
    if (status == PX_OK)
        status = fill(writer, saved, threads);
    if (status == PX_OK)
        status = px_container_write(writer, path, check);
    px_container_discard(writer);
    return status == PX_OK ? remove_old(dir, folder, number, check) : status;
}

/* Opens a checkpoint and checks its kind and format. */
static PxStatus open_checkpoint(const char *dir, uint32_t number, PxContainer **container)
{
    char path[PX_PATH_MAX];
    PX_TRY(checkpoint_path(path, dir, number));
    PX_TRY(px_container_open(container, path));
    PxScalar own[SCALARS];
    own_scalars(number, own);
    PxStatus status = px_container_get(*container, own, SCALARS);
    if (status == PX_OK && (strcmp(own[KIND].text, "checkpoint") != 0 || own[NUMBER].u64 != number))
        status = px_fail(PX_ERR_FORMAT, "'%s' is %.20s %llu, wanted checkpoint %u", path,
                         own[KIND].text, (unsigned long long)own[NUMBER].u64, number);
    else if (status == PX_OK && own[FORMAT].u64 != PX_CHECKPOINT_FORMAT)
        status = px_fail(PX_ERR_FORMAT,
                         "'%s' was written by phyxel %.40s in format %llu, and this is phyxel %s, "
                         "which reads format %u: only that version can continue it",
                         path, own[VERSION].text, (unsigned long long)own[FORMAT].u64, PX_VERSION,
                         PX_CHECKPOINT_FORMAT);
    if (status != PX_OK) {
        px_container_close(*container);
        *container = NULL;
    }
    return status;
}

static PxStatus take(PxContainer *container, PxSavedWorld *saved, const PxThreads *threads)
{
    PxScalar scalars[PX_SAVED_NUMBERS];
    numbers_to_scalars(saved, scalars); /* sets names and kinds */
    PX_TRY(px_container_get(container, scalars, px_saved_number_count));
    for (size_t k = 0; k < px_saved_number_count; ++k) {
        bool real = px_saved_numbers[k].type == PX_F64;
        if (real ? !isfinite(scalars[k].f64)
                 : px_saved_numbers[k].type == PX_U32 && scalars[k].u64 > UINT32_MAX)
            return px_fail(PX_ERR_FORMAT, "the checkpoint's %s is %g, which cannot be",
                           px_saved_numbers[k].name,
                           real ? scalars[k].f64 : (double)scalars[k].u64);
        if (real)
            saved->value[k].real = scalars[k].f64;
        else
            saved->value[k].whole = scalars[k].u64;
    }
    const char *name;
    PxTable *table;
    for (size_t k = 0; (table = px_saved_table(saved, k, &name)) != NULL; ++k)
        if (px_container_has_table(container, name))
            PX_TRY(px_container_get_table(container, name, table, threads));
    return PX_OK;
}

PxStatus px_checkpoint_read(const char *dir, uint32_t number, PxSavedWorld *saved,
                            PxScalar *scalars, size_t count, const PxThreads *threads)
{
    PxContainer *container;
    PX_TRY(open_checkpoint(dir, number, &container));
    PxStatus status = px_container_get(container, scalars, count);
    if (status == PX_OK)
        status = take(container, saved, threads);
    px_container_close(container);
    return status;
}

PxStatus px_checkpoint_latest(const char *dir, uint32_t most, uint32_t *number, bool *found)
{
    char folder[PX_PATH_MAX];
    *number = 0;
    *found = false;
    PX_TRY(px_path_join(folder, dir, "checkpoints"));
    PxNumbers numbers;
    PX_TRY(px_folder_numbers(folder, ".h5", &numbers));
    PxStatus status = PX_OK;
    for (size_t k = numbers.count; k > 0 && !*found; --k) {
        PxContainer *container;
        if (numbers.data[k - 1] > most)
            continue;
        status = open_checkpoint(dir, numbers.data[k - 1], &container);
        if (status == PX_OK) {
            px_container_close(container);
            *number = numbers.data[k - 1];
            *found = true;
        } else if (status == PX_ERR_MEMORY) {
            break; /* not a property of the file */
        }
    }
    PX_LIST_FREE(&numbers);
    if (status != PX_OK && status != PX_ERR_MEMORY)
        status = px_fail_prefix(PX_ERR_FORMAT,
                                "no checkpoint in '%s' can be used; the oldest: ", folder);
    return status;
}
