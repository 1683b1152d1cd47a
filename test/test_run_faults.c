/// Nothing is lost: a run is killed, or its disk is full, at each single call that touches
/// the disk; then it is resumed and must end with the same bits.
///
/// This program puts its own open(), write(), ... in front of the system's. Every
/// moment takes a while: here it is every seventh, beginning anywhere in the first
/// seven by test, with sanitizers every 29th; PX_FAULTS=all takes them all
/// (test_run_faults_slow.sh).
#include "runs.h"
#include "sanitized.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* ---- a disk with injected faults ---------------------------------------- */

typedef enum Fault {
    NONE,
    KILL,      /* dies before the call, in the middle of it if it is a write */
    FAIL_ONCE, /* this call fails, all others work */
    FULL,      /* from this call on nothing can be written */
} Fault;

static struct {
    Fault fault;
    long at, calls;
    char unsynced[256];  /* by descriptor: written to since its last fsync() */
    char path[256][128]; /* the ends of the paths of those that were made */
    bool unsynced_folder;
    const char *order_broken;
    bool no_locks;
} disk;

static void disk_will(Fault fault, long at)
{
    disk.fault = fault;
    disk.at = at;
    disk.calls = 0;
}

/* Counts a call; true when it is to fail. */
static bool disk_fails(bool takes_room)
{
    if (disk.fault == NONE)
        return false;
    long call = ++disk.calls;
    if (disk.fault == KILL && call == disk.at)
        raise(SIGKILL);
    errno = ENOSPC;
    return disk.fault == FULL ? call >= disk.at && takes_room
                              : disk.fault == FAIL_ONCE && call == disk.at;
}

static const char *path_end(const char *path)
{
    size_t length = strlen(path);
    return length > 127 ? path + length - 127 : path;
}

int open(const char *path, int flags, ...)
{
    return openat(AT_FDCWD, path, flags, 0666);
}

int openat(int folder, const char *path, int flags, ...)
{
    if ((flags & O_CREAT) && disk_fails(true))
        return -1;
    int descriptor = (int)syscall(SYS_openat, folder, path, flags, 0666);
    if (descriptor >= 0 && descriptor < 256) {
        snprintf(disk.path[descriptor], sizeof disk.path[0], "%s", path_end(path));
        disk.unsynced[descriptor] = 0;
    }
    return descriptor;
}

ssize_t write(int descriptor, const void *bytes, size_t size)
{
    bool whole = disk.fault == NONE || disk.calls + 1 != disk.at;
    if (!whole)
        (void)!syscall(SYS_write, descriptor, bytes, size / 2);
    if (descriptor >= 0 && descriptor < 256)
        disk.unsynced[descriptor] = 1;
    return disk_fails(true) ? -1 : syscall(SYS_write, descriptor, bytes, size);
}

int fsync(int descriptor)
{
    struct stat info;
    if (descriptor >= 0 && descriptor < 256)
        disk.unsynced[descriptor] = 0;
    if (fstat(descriptor, &info) == 0 && S_ISDIR(info.st_mode))
        disk.unsynced_folder = false;
    return disk_fails(true) ? -1 : (int)syscall(SYS_fsync, descriptor);
}

/* Checks durability against a power cut: a file must be synced before it is renamed, and
 * its folder before the next file is renamed. */
int renameat(int from_folder, const char *from, int to_folder, const char *to)
{
    for (int d = 0; d < 256; ++d)
        if (disk.unsynced[d] && strcmp(disk.path[d], path_end(from)) == 0)
            disk.order_broken = "a file was renamed before it was synced";
    if (disk.unsynced_folder && disk.fault == NONE)
        disk.order_broken = "a file was renamed before the folder of the last one was synced";
    disk.unsynced_folder = true;
    return disk_fails(true) ? -1 : (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, 0);
}

int mkdir(const char *path, mode_t mode)
{
    return disk_fails(true) ? -1 : (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

int unlinkat(int folder, const char *path, int flags)
{
    return disk_fails(false) ? -1 : (int)syscall(SYS_unlinkat, folder, path, flags);
}

int unlink(const char *path)
{
    return unlinkat(AT_FDCWD, path, 0);
}

int flock(int descriptor, int operation)
{
    errno = ENOLCK;
    return disk.no_locks ? -1 : (int)syscall(SYS_flock, descriptor, operation);
}

/* ---- running on it ------------------------------------------------------ */

enum { MOST_CALLS = 2000 };

static long stride(void)
{
    const char *which = getenv("PX_FAULTS");
    return which != NULL && strcmp(which, "all") == 0 ? 1 : SANITIZED ? 29 : 7;
}

static long first_of(long first)
{
    return stride() == 1 ? 1 : first;
}

static const char text[] = TINY("tiny", "1000");
static const char other_text[] = TINY("other", "900");

/* The files of an uninterrupted run. */
static Holding *undisturbed(const char *of)
{
    Folder folder = folder_make();
    PxScene *scene = tiny_scene(of);
    PxRunDef def = run_into(folder_file(&folder, "run"));
    CHECK_OK(px_run(scene, &def, NULL, NULL, NULL));
    Holding *h = holding_of(def.out);
    CHECK_EQUAL(h->count, 3);
    px_scene_free(scene);
    folder_remove(&folder);
    return h;
}

/* After the first step behind frame 1. */
static bool stop_within_frame(void *user, const PxRunProgress *progress)
{
    (void)user;
    return progress->frame != 1 || progress->stored;
}

/* Runs in a child process that dies at call `at`; true if it got that far. */
static bool killed_at(const PxScene *scene, const PxRunDef *def, PxRunFunction *each, long at)
{
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        disk_will(KILL, at);
        PxStatus status = px_run(scene, def, each, NULL, NULL);
        disk_will(NONE, 0);
        _exit(status == (each != NULL ? PX_ERR_STOPPED : PX_OK) ? 0 : 1);
    }
    int how;
    CHECK(waitpid(child, &how, 0) == child);
    if (WIFSIGNALED(how)) {
        CHECK_EQUAL(WTERMSIG(how), SIGKILL);
        return true;
    }
    CHECK_EQUAL(WEXITSTATUS(how), 0);
    return false;
}

/* Partial files of the dead must be gone in the end. */
static void check_tidy(const char *dir)
{
    static const char *const places[] = {".", "frames", "checkpoints"};
    for (int k = 0; k < 3; ++k) {
        char path[2 * FOLDER_PATH];
        snprintf(path, sizeof path, "%s/%s", dir, places[k]);
        DIR *list = opendir(path);
        CHECK(list != NULL);
        for (struct dirent *entry; (entry = readdir(list)) != NULL;)
            if (strstr(entry->d_name, "partial") != NULL)
                fail_msg("%s/%s was left behind", path, entry->d_name);
        closedir(list);
    }
}

/* A killed process keeps unsynced data, so a kill cannot test the syncs; this does. */
TEST(files_are_synced_before_they_are_relied_upon)
{
    disk.order_broken = NULL;
    Holding *wanted = undisturbed(text);
    if (disk.order_broken != NULL)
        fail_msg("%s", disk.order_broken);
    free(wanted);
}

TEST(a_disk_without_locks_will_do)
{
    disk.no_locks = true;
    Holding *wanted = undisturbed(text);
    disk.no_locks = false;
    free(wanted);
}

TEST(a_run_killed_at_any_moment_is_resumed_to_the_same_bits)
{
    Holding *wanted = undisturbed(text);
    PxScene *scene = tiny_scene(text);
    long at = first_of(1);
    for (bool killed = true; killed && at < MOST_CALLS; at += stride()) {
        Folder folder = folder_make();
        PxRunDef def = run_into(folder_file(&folder, "run"));
        killed = killed_at(scene, &def, NULL, at);
        def.resume = true;
        if (killed && px_run(scene, &def, NULL, NULL, NULL) != PX_OK)
            fail_msg("killed at call %ld, cannot be resumed: %s", at, px_error_message());
        CHECK_HOLDS(def.out, wanted);
        check_tidy(def.out);
        folder_remove(&folder);
    }
    CHECK(at > 50 && at < MOST_CALLS);
    px_scene_free(scene);
    free(wanted);
}

/* Stopped between frames 1 and 2, resumed, killed while resuming, resumed again. */
TEST(so_is_one_killed_again_while_it_is_resumed)
{
    Holding *wanted = undisturbed(text);
    PxScene *scene = tiny_scene(text);
    long at = first_of(2);
    for (bool killed = true; killed && at < MOST_CALLS; at += stride()) {
        Folder folder = folder_make();
        PxRunDef def = run_into(folder_file(&folder, "run"));
        CHECK(px_run(scene, &def, stop_within_frame, NULL, NULL) == PX_ERR_STOPPED);
        def.resume = true;
        killed = killed_at(scene, &def, NULL, at);
        if (killed && px_run(scene, &def, NULL, NULL, NULL) != PX_OK)
            fail_msg("killed at call %ld of the resumed run, cannot be resumed: %s", at,
                     px_error_message());
        CHECK_HOLDS(def.out, wanted);
        check_tidy(def.out);
        folder_remove(&folder);
    }
    CHECK(at > 30 && at < MOST_CALLS);
    px_scene_free(scene);
    free(wanted);
}

/* The checkpoint of a stop is in the middle of a frame: the rows before it must be
 * there when it is. */
TEST(so_is_one_killed_while_it_stops)
{
    Holding *wanted = undisturbed(text);
    PxScene *scene = tiny_scene(text);
    long at = first_of(3);
    for (bool killed = true; killed && at < MOST_CALLS; at += stride()) {
        Folder folder = folder_make();
        PxRunDef def = run_into(folder_file(&folder, "run"));
        def.checkpoint = 0; /* or most of the calls are about others */
        killed = killed_at(scene, &def, stop_within_frame, at);
        def.resume = true;
        if (px_run(scene, &def, NULL, NULL, NULL) != PX_OK)
            fail_msg("killed at call %ld, cannot be resumed: %s", at, px_error_message());
        CHECK_HOLDS(def.out, wanted);
        check_tidy(def.out);
        folder_remove(&folder);
    }
    CHECK(at > 30 && at < MOST_CALLS);
    px_scene_free(scene);
    free(wanted);
}

static void check_disk(Fault fault, bool resumed, long first)
{
    Holding *wanted = undisturbed(text);
    PxScene *scene = tiny_scene(text);
    long at = first_of(first), last = MOST_CALLS;
    for (; at <= last && at < MOST_CALLS; at += stride()) {
        Folder folder = folder_make();
        PxRunDef def = run_into(folder_file(&folder, "run"));
        PxRunReport report;
        if (resumed) {
            CHECK(px_run(scene, &def, stop_within_frame, NULL, NULL) == PX_ERR_STOPPED);
            def.resume = true;
        }
        disk_will(fault, at);
        PxStatus status = px_run(scene, &def, NULL, NULL, &report);
        if (disk.calls < at)
            last = at; /* there are no more */
        disk_will(NONE, 0);
        CHECK(status == PX_OK || status == PX_ERR_IO);
        if (status != PX_OK && strstr(px_error_message(), "No space left") == NULL)
            fail_msg("call %ld failed: '%s' does not say why", at, px_error_message());
        /* The frames that the message calls safe exist. */
        Holding *h = holding_of(def.out);
        CHECK_EQUAL(h->damaged, 0);
        CHECK(status != PX_OK || h->count == 3);
        CHECK(!report.resumable || (uint32_t)h->count > report.frames); /* and frame 0 */
        free(h);
        def.resume = true;
        if (px_run(scene, &def, NULL, NULL, &report) != PX_OK)
            fail_msg("call %ld failed, cannot be resumed: %s", at, px_error_message());
        CHECK(report.complete && report.frames == 2);
        CHECK_HOLDS(def.out, wanted);
        check_tidy(def.out);
        folder_remove(&folder);
    }
    CHECK(at > 30 && at < MOST_CALLS);
    px_scene_free(scene);
    free(wanted);
}

TEST(a_disk_that_is_full_from_any_moment_on_loses_nothing)
{
    check_disk(FULL, false, 1);
}

TEST(nor_when_the_run_was_resumed)
{
    check_disk(FULL, true, 5);
}

TEST(a_single_failed_call_loses_nothing)
{
    check_disk(FAIL_ONCE, false, 6);
}

/* Killed while throwing away an old run and beginning a new one: the folder never
 * mixes the two, and the new one can be begun again. */
TEST(an_overwriting_run_killed_at_any_time_does_not_mix_two_runs)
{
    Holding *wanted = undisturbed(text), *before = undisturbed(other_text);
    PxScene *scene = tiny_scene(text), *other = tiny_scene(other_text);
    long at = first_of(4); /* an old run is removed in few calls: every seventh, sanitized or not */
    int old = 0, new = 0;
    for (bool killed = true; killed && at < MOST_CALLS; at += stride() == 1 ? 1 : 7) {
        Folder folder = folder_make();
        PxRunDef def = run_into(folder_file(&folder, "run"));
        CHECK_OK(px_run(other, &def, NULL, NULL, NULL));
        def.overwrite = true;
        killed = killed_at(scene, &def, NULL, at);
        def.overwrite = false;
        CHECK_FAILS(px_run(scene, &def, NULL, NULL, NULL), PX_ERR_EXISTS, "holds a run");
        /* While the folder still holds the old run, that one resumes; afterwards the new one. */
        def.resume = true;
        PxStatus status = px_run(other, &def, NULL, NULL, NULL);
        if (status == PX_OK) {
            ++old;
            CHECK_HOLDS(def.out, before);
            CHECK_FAILS(px_run(scene, &def, NULL, NULL, NULL), PX_ERR_ARGUMENT, "another scene");
            def.resume = false;
            def.overwrite = true;
        } else {
            ++new;
            CHECK_EQUAL(status, PX_ERR_ARGUMENT);
        }
        CHECK_OK(px_run(scene, &def, NULL, NULL, NULL));
        CHECK_HOLDS(def.out, wanted);
        check_tidy(def.out);
        folder_remove(&folder);
    }
    CHECK(old > 1 && new > 5 && at < MOST_CALLS);
    px_scene_free(other);
    px_scene_free(scene);
    free(before);
    free(wanted);
}

TEST_MAIN()
