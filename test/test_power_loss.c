/// Power loss at any moment of a run: what is on disk then resumes to the same bits.
///
/// This program puts its own write(), fsync(), ... in front of the system's and records them. From
/// the record it builds the states that a file system may be in after a power loss. Durable are
/// bytes of a file before its last fsync(), and entries of a folder before the last fsync() of the
/// folder. All others may be lost each on its own; lost bytes leave a short file, or zeros.
#include "runs.h"

#include "base/digest.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>

enum { MOST_OPS = 4000, MOST_NAMES = 400, NAME = 160, DESCRIPTORS = 256, MOST_STATES = 1000 };

typedef enum Kind { DATA, ENTER, RENAME, REMOVE, FOLDER, SYNC, SYNC_FOLDER } Kind;

typedef struct Op {
    Kind kind;
    int file; /* number of the file, by the order in which they were made */
    uint64_t at;
    size_t size;
    char *bytes;
    char name[NAME], to[NAME]; /* relative to the folder of the run */
} Op;

/* Names and the files they stand for; folders are file -1. */
typedef struct Tree {
    struct {
        char name[NAME];
        int file;
    } entry[MOST_NAMES];
    int count;
} Tree;

static struct {
    bool on;
    char root[2 * FOLDER_PATH];
    Op op[MOST_OPS];
    int ops, files;
    Tree now;
    int file[DESCRIPTORS];          /* of a descriptor; -1 for none or a folder */
    char folder[DESCRIPTORS][NAME]; /* of a descriptor, if it is one */
    bool is_folder[DESCRIPTORS], appends[DESCRIPTORS];
    bool is_table[MOST_OPS]; /* by the number of the file: stats.csv, gauges.csv */
} record;

/* ---- the record ----------------------------------------------------------- */

static int tree_find(const Tree *t, const char *name)
{
    for (int k = 0; k < t->count; ++k)
        if (strcmp(t->entry[k].name, name) == 0)
            return k;
    return -1;
}

static void tree_put(Tree *t, const char *name, int file)
{
    int k = tree_find(t, name);
    if (k < 0) {
        k = t->count++;
        if (t->count > MOST_NAMES)
            abort();
    }
    snprintf(t->entry[k].name, NAME, "%s", name);
    t->entry[k].file = file;
}

static void tree_remove(Tree *t, const char *name)
{
    int k = tree_find(t, name);
    if (k >= 0)
        t->entry[k] = t->entry[--t->count];
}

/* The name within the folder of the run; false when it is elsewhere. */
static bool name_of(int folder, const char *path, char out[NAME])
{
    size_t root = strlen(record.root);
    if (!record.on)
        return false;
    if (path[0] != '/') {
        if (folder < 0 || folder >= DESCRIPTORS || !record.is_folder[folder])
            return false;
        const char *in = record.folder[folder];
        return snprintf(out, NAME, "%s%s%s", in, in[0] != '\0' ? "/" : "", path) < NAME;
    }
    if (strncmp(path, record.root, root) != 0 || (path[root] != '/' && path[root] != '\0'))
        return false;
    path += root + (path[root] == '/');
    if (strcmp(path, ".") == 0)
        path = "";
    size_t length = (size_t)snprintf(out, NAME, "%s", path);
    if (length >= 2 && strcmp(out + length - 2, "/.") == 0)
        out[length - 2] = '\0';
    return length < NAME;
}

static Op *note(Kind kind, int file, const char *name)
{
    if (record.ops == MOST_OPS)
        abort();
    Op *op = &record.op[record.ops++];
    *op = (Op){.kind = kind, .file = file};
    snprintf(op->name, NAME, "%s", name);
    return op;
}

int openat(int folder, const char *path, int flags, ...)
{
    char name[NAME];
    bool ours = name_of(folder, path, name);
    int descriptor = (int)syscall(SYS_openat, folder, path, flags, 0666);
    if (descriptor < 0 || descriptor >= DESCRIPTORS)
        return descriptor;
    record.file[descriptor] = -1;
    record.is_folder[descriptor] = false;
    if (!ours)
        return descriptor;
    struct stat about;
    if (fstat(descriptor, &about) == 0 && S_ISDIR(about.st_mode)) {
        record.is_folder[descriptor] = true;
        strcpy(record.folder[descriptor], name);
        return descriptor;
    }
    int k = tree_find(&record.now, name);
    if (k < 0 && (flags & O_CREAT)) {
        note(ENTER, record.files, name);
        record.is_table[record.files] = strstr(name, ".csv") != NULL;
        tree_put(&record.now, name, record.files++);
        k = tree_find(&record.now, name);
    }
    record.file[descriptor] = k >= 0 ? record.now.entry[k].file : -1;
    record.appends[descriptor] = (flags & O_APPEND) != 0;
    return descriptor;
}

int open(const char *path, int flags, ...)
{
    return openat(AT_FDCWD, path, flags, 0666);
}

static void note_data(int descriptor, const void *bytes, size_t size, uint64_t at)
{
    Op *op = note(DATA, record.file[descriptor], "");
    op->at = at;
    op->size = size;
    op->bytes = malloc(size + 1);
    memcpy(op->bytes, bytes, size);
}

static bool recorded(int descriptor)
{
    return record.on && descriptor >= 0 && descriptor < DESCRIPTORS && record.file[descriptor] >= 0;
}

ssize_t write(int descriptor, const void *bytes, size_t size)
{
    if (recorded(descriptor)) {
        struct stat about;
        fstat(descriptor, &about);
        note_data(descriptor, bytes, size,
                  record.appends[descriptor] ? (uint64_t)about.st_size
                                             : (uint64_t)lseek(descriptor, 0, SEEK_CUR));
    }
    return syscall(SYS_write, descriptor, bytes, size);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t size, off_t at)
{
    if (recorded(descriptor))
        note_data(descriptor, bytes, size, (uint64_t)at);
    return syscall(SYS_pwrite64, descriptor, bytes, size, at);
}

int fsync(int descriptor)
{
    if (recorded(descriptor))
        note(SYNC, record.file[descriptor], "");
    else if (record.on && descriptor < DESCRIPTORS && record.is_folder[descriptor])
        note(SYNC_FOLDER, -1, record.folder[descriptor]);
    return (int)syscall(SYS_fsync, descriptor);
}

int close(int descriptor)
{
    if (descriptor >= 0 && descriptor < DESCRIPTORS) {
        record.file[descriptor] = -1;
        record.is_folder[descriptor] = false;
    }
    return (int)syscall(SYS_close, descriptor);
}

int renameat(int from_folder, const char *from, int to_folder, const char *to)
{
    char name[NAME], other[NAME];
    if (name_of(from_folder, from, name) && name_of(to_folder, to, other)) {
        int k = tree_find(&record.now, name);
        if (k < 0)
            abort();
        int file = record.now.entry[k].file;
        strcpy(note(RENAME, file, name)->to, other);
        tree_remove(&record.now, name);
        tree_put(&record.now, other, file);
    }
    return (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, 0);
}

int unlinkat(int folder, const char *path, int flags)
{
    char name[NAME];
    if (name_of(folder, path, name) && tree_find(&record.now, name) >= 0) {
        note(REMOVE, -1, name);
        tree_remove(&record.now, name);
    }
    return (int)syscall(SYS_unlinkat, folder, path, flags);
}

int unlink(const char *path)
{
    return unlinkat(AT_FDCWD, path, 0);
}

int mkdir(const char *path, mode_t mode)
{
    char name[NAME];
    int result = (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
    if (result == 0 && name_of(AT_FDCWD, path, name) && name[0] != '\0') {
        note(FOLDER, -1, name);
        tree_put(&record.now, name, -1);
    }
    return result;
}

/* ---- states after a power loss --------------------------------------------- */

/* What becomes of bytes that are not durable: written, absent, zeros, or the first half of each
 * write. */
typedef enum Lost { KEPT, SHORT, ZEROS, TORN, LOSSES } Lost;

/* Syncs that are taken for not done, to see that the test notices. */
typedef enum Forgotten { NOTHING, OF_FILES, OF_TABLES, OF_FOLDERS } Forgotten;

static Forgotten forgotten;

static bool in_folder(const char *name, const char *folder)
{
    const char *slash = strrchr(name, '/');
    size_t length = slash != NULL ? (size_t)(slash - name) : 0;
    return strlen(folder) == length && strncmp(name, folder, length) == 0;
}

static bool is_done(const Op *sync)
{
    return sync->kind == SYNC_FOLDER
               ? forgotten != OF_FOLDERS
               : forgotten != (record.is_table[sync->file] ? OF_TABLES : OF_FILES);
}

static int synced[MOST_OPS]; /* by operation: the first that makes it durable */

static void find_syncs(void)
{
    for (int k = 0; k < record.ops; ++k) {
        const Op *op = &record.op[k];
        synced[k] = record.ops;
        for (int n = k + 1; n < record.ops && synced[k] == record.ops; ++n) {
            const Op *sync = &record.op[n];
            if ((op->kind == DATA ? sync->kind == SYNC && sync->file == op->file
                                  : sync->kind == SYNC_FOLDER && in_folder(op->name, sync->name)) &&
                is_done(sync))
                synced[k] = n;
        }
    }
}

/* Whether operation k must have reached the disk when the power fails before operation `end`. */
static bool durable(int k, int end)
{
    return synced[k] < end;
}

#define ALL (~(uint64_t)0)

/* Makes the names after the operations before `end`; of those that are not durable the ones whose
 * bit is set in `keep`. Returns how many there are. */
static int make_tree(int end, uint64_t keep, Tree *t)
{
    int loose = 0;
    t->count = 0;
    for (int k = 0; k < end; ++k) {
        const Op *op = &record.op[k];
        if (op->kind == DATA || op->kind == SYNC || op->kind == SYNC_FOLDER)
            continue;
        if (!durable(k, end)) {
            int bit = loose++;
            if (!(keep >> (bit < 63 ? bit : 63) & 1))
                continue;
        }
        if (op->kind == REMOVE || op->kind == RENAME)
            tree_remove(t, op->name);
        if (op->kind == ENTER || op->kind == FOLDER)
            tree_put(t, op->name, op->file);
        if (op->kind == RENAME)
            tree_put(t, op->to, op->file);
    }
    return loose;
}

/* The bytes of a file; free() them. */
static char *make_bytes(int file, int end, Lost lost, size_t *size)
{
    *size = 0;
    for (int k = 0; k < end; ++k)
        if (record.op[k].kind == DATA && record.op[k].file == file &&
            record.op[k].at + record.op[k].size > *size)
            *size = record.op[k].at + record.op[k].size;
    char *bytes = calloc(1, *size + 1);
    CHECK(bytes != NULL);
    *size = 0;
    for (int k = 0; k < end; ++k) {
        const Op *op = &record.op[k];
        if (op->kind != DATA || op->file != file)
            continue;
        bool there = lost == KEPT || durable(k, end);
        if (!there && lost == SHORT)
            continue;
        size_t reach = !there && lost == TORN ? op->size / 2 : op->size;
        if (there || lost == TORN)
            memcpy(bytes + op->at, op->bytes, reach);
        if (op->at + reach > *size)
            *size = op->at + reach;
    }
    return bytes;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b); /* the name comes first in an entry */
}

/* Tells states apart. */
static void digest_state(Tree *t, int end, Lost lost, uint64_t digest[2])
{
    digest[0] = digest[1] = 0;
    qsort(t->entry, (size_t)t->count, sizeof t->entry[0], by_name);
    for (int k = 0; k < t->count; ++k) {
        uint64_t one[2];
        size_t size;
        px_digest(t->entry[k].name, strlen(t->entry[k].name), one);
        px_digest_join(digest, one, digest);
        if (t->entry[k].file < 0)
            continue;
        char *bytes = make_bytes(t->entry[k].file, end, lost, &size);
        px_digest(bytes, size, one);
        px_digest_join(digest, one, digest);
        free(bytes);
    }
}

/* Writes the state into `dir`, folders before their files. */
static void write_state(Tree *t, int end, Lost lost, const char *dir)
{
    qsort(t->entry, (size_t)t->count, sizeof t->entry[0], by_name);
    CHECK(mkdir(dir, 0777) == 0);
    for (int k = 0; k < t->count; ++k) {
        char path[4 * FOLDER_PATH];
        snprintf(path, sizeof path, "%s/%s", dir, t->entry[k].name);
        if (t->entry[k].file < 0) {
            CHECK(mkdir(path, 0777) == 0);
            continue;
        }
        size_t size;
        char *bytes = make_bytes(t->entry[k].file, end, lost, &size);
        FILE *file = fopen(path, "wb"); /* fails if its folder is lost: so is the file */
        if (file != NULL) {
            CHECK(fwrite(bytes, 1, size, file) == size);
            fclose(file);
        }
        free(bytes);
    }
}

/* ---- the test ---------------------------------------------------------------- */

static const char text[] = TINY("tiny", "1000");

static bool stop_in_frame_1(void *user, const PxRunProgress *progress)
{
    (void)user;
    return progress->frame < 1 || progress->stored;
}

static PxStatus run(const char *dir, PxRunFunction *each, bool resume)
{
    PxScene *scene = tiny_scene(text);
    PxRunDef def = run_into(dir);
    def.resume = resume;
    PxStatus status = px_run(scene, &def, each, NULL, NULL);
    px_scene_free(scene);
    return status;
}

static Folder folder;
static char dir[2 * FOLDER_PATH], place[2 * FOLDER_PATH];
static Holding *wanted;

/* Runs with a stop in the middle, and records it. */
static void make_record(void)
{
    static Tree tree;
    if (wanted != NULL)
        return;
    folder = folder_make();
    snprintf(dir, sizeof dir, "%s/run", folder.path);
    snprintf(place, sizeof place, "%s/state", folder.path);
    snprintf(record.root, sizeof record.root, "%s", dir);
    record.on = true;
    CHECK_EQUAL(run(dir, stop_in_frame_1, false), PX_ERR_STOPPED);
    CHECK_OK(run(dir, NULL, true));
    record.on = false;
    wanted = holding_of(dir);

    /* the record of everything that was written is whole */
    find_syncs();
    make_tree(record.ops, ALL, &tree);
    write_state(&tree, record.ops, KEPT, place);
    CHECK_HOLDS(place, wanted);
    folder_remove_path(place);
}

/* Does what is on disk resume to the same bits? */
static bool resumes(void)
{
    if (run(place, NULL, true) != PX_OK)
        return false;
    Holding *again = holding_of(place);
    bool same = strcmp(again->frames, wanted->frames) == 0 && again->damaged == 0 &&
                strcmp(again->rows, wanted->rows) == 0 &&
                strcmp(again->gauges, wanted->gauges) == 0;
    free(again);
    return same;
}

static uint64_t seen[MOST_STATES][2];
static int states;

/* Tries one state, unless one like it was tried. */
static bool try_state(int end, uint64_t keep, Lost lost)
{
    static Tree tree;
    uint64_t digest[2];
    make_tree(end, keep, &tree);
    digest_state(&tree, end, lost, digest);
    for (int k = 0; k < states; ++k)
        if (memcmp(seen[k], digest, sizeof digest) == 0)
            return true;
    CHECK(states < MOST_STATES);
    memcpy(seen[states++], digest, sizeof digest);
    write_state(&tree, end, lost, place);
    bool good = resumes();
    folder_remove_path(place);
    return good;
}

/* Which subsets of the entries that are not durable are tried: all of few, else all, none, single
 * ones and all but single ones. Returns false after the last. */
static bool subset(int loose, int number, uint64_t *keep)
{
    enum { FEW = 4 };
    if (loose <= FEW) {
        *keep = (uint64_t)number;
        return number < 1 << loose;
    }
    *keep = number == 0 ? 0 : number == 1 ? ALL : (uint64_t)1 << (number - 2) % loose;
    if (number >= 2 + loose)
        *keep = ~*keep;
    return number < 2 + 2 * loose;
}

/* Tries all states; returns false, with a message, at the first that does not resume. */
static bool try_all(void)
{
    static Tree tree;
    uint64_t keep;
    states = 0;
    find_syncs();
    for (int end = 0; end <= record.ops; ++end) {
        int loose = make_tree(end, 0, &tree);
        for (int number = 0; subset(loose, number, &keep); ++number)
            for (Lost lost = KEPT; lost < LOSSES; ++lost)
                if (!try_state(end, keep, lost)) {
                    print_message("power loss before call %d of %d, entries %llx of %d, bytes %d\n",
                                  end, record.ops, (unsigned long long)keep, loose, (int)lost);
                    return false;
                }
    }
    return true;
}

static void drop_record(void)
{
    for (int k = 0; k < record.ops; ++k)
        free(record.op[k].bytes);
    record.ops = 0;
    free(wanted);
    wanted = NULL;
    folder_remove(&folder);
}

TEST(a_run_resumes_to_the_same_bits_from_every_state_that_a_power_loss_may_leave)
{
    make_record();
    forgotten = NOTHING;
    CHECK(try_all());
    print_message("%d calls, %d states\n", record.ops, states);
    CHECK(record.ops > 100 && states > 80); /* 135 and 140: the record misses nothing */
    drop_record();
}

/* Each kind of sync is needed, and this test would notice that it is gone. */
PHYSICS(without_its_syncs_a_power_loss_would_cost_frames_or_rows)
{
    make_record();
    for (forgotten = OF_FILES; forgotten <= OF_FOLDERS; ++forgotten)
        CHECK(!try_all());
    drop_record();
}

TEST_MAIN()
