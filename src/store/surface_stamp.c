#include "store/surface_stamp.h"

#include "base/digest.h"
#include "store/run_files.h"
#include "store/run_id.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER = 16384 };

static const char mark[] = "\ncomment stamp ";

PxStatus px_surface_stamp(const char *dir, uint32_t number, const char *settings,
                          char stamp[PX_STAMP_SIZE])
{
    char path[PX_PATH_MAX];
    struct {
        uint8_t seal[32];
        uint64_t length;
        uint64_t settings[2];
    } all = {.length = 0};
    PX_TRY(px_run_file_path(path, dir, PX_FILE_FRAME, number));
    PX_TRY(px_file_read_end(path, all.seal, sizeof all.seal, &all.length));
    px_digest(settings, strlen(settings), all.settings);
    uint64_t digest[2];
    px_digest(&all, sizeof all, digest);
    px_digest_text(digest, stamp);
    return PX_OK;
}

/* Reads the header and splits off the stamp and the settings on the line after it; both are NULL
 * when missing. free() the result, which is NULL when the file cannot be read. */
static char *read_stamp(const char *path, const char **stamp, const char **settings)
{
    static const char comment[] = "comment ";
    char *header = malloc(HEADER);
    *stamp = *settings = NULL;
    if (header == NULL || px_surface_ply_header(path, header, HEADER) != PX_OK) {
        free(header);
        return NULL;
    }
    char *found = strstr(header, mark);
    char *end = found != NULL ? strchr(found + 1, '\n') : NULL;
    char *last = end != NULL ? strchr(end + 1, '\n') : NULL;
    if (last == NULL || strncmp(end + 1, comment, sizeof comment - 1) != 0)
        return header;
    *end = *last = '\0';
    *stamp = found + sizeof mark - 1;
    *settings = end + sizeof comment;
    return header;
}

PxStatus px_surface_stamp_check(const char *dir, uint32_t number, const char *path)
{
    char frame[PX_PATH_MAX], now[PX_STAMP_SIZE];
    const char *stamp, *settings;
    PX_TRY(px_run_file_path(frame, dir, PX_FILE_FRAME, number));
    char *header = px_file_exists(frame) ? read_stamp(path, &stamp, &settings) : NULL;
    PxStatus status = PX_OK;
    if (header != NULL && stamp != NULL) {
        status = px_surface_stamp(dir, number, settings, now);
        if (status == PX_OK && strcmp(stamp, now) != 0)
            status = px_fail(PX_ERR_FORMAT,
                             "'%s' was made of another run than the frame that is there; 'phyxel "
                             "surface' makes it anew",
                             path);
    }
    free(header);
    return status;
}

PxStatus px_surface_read(const char *dir, uint32_t number, const char *path, PxPlyPoints *out)
{
    *out = (PxPlyPoints){.time = 0};
    px_table_init(&out->points, NULL);
    PX_TRY(px_surface_stamp_check(dir, number, path));
    PX_TRY(px_ply_points_read(path, out));
    if (out->ours && !out->checked) {
        px_ply_points_free(out);
        return px_fail(PX_ERR_FORMAT,
                       "%s: it has no checksum: it is damaged, or of an older phyxel", path);
    }
    if (out->run[0] == '\0')
        return PX_OK;
    PxRunId id;
    PxStatus status = px_run_id_read(dir, &id);
    if (status == PX_OK && out->number != number)
        status = px_fail(PX_ERR_FORMAT, "it says to be of frame %u", out->number);
    else if (status == PX_OK) /* the frame itself holds the scene's hash */
        status = px_run_id_check(&id, number, out->run, id.scene);
    px_run_id_free(&id);
    if (status == PX_OK)
        return PX_OK;
    px_ply_points_free(out);
    return px_fail_prefix(status, "'%s': ", path);
}

bool px_surface_is_stamped(const char *path)
{
    const char *stamp, *settings;
    char *header = read_stamp(path, &stamp, &settings);
    bool stamped = header != NULL && stamp != NULL && strlen(stamp) == PX_STAMP_SIZE - 1;
    free(header);
    return stamped;
}
