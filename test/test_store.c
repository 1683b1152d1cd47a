/// Frames, checkpoints and the index of a run are complete or absent.
#include "check.h"
#include "folder.h"
#include "sample.h"

#include "phyxel/store.h"
#include "phyxel/version.h"
#include "store/checkpoint.h"
#include "store/run_files.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

static const PxThreads one = {.count = 1}, two = {.count = 2};

static void damage(const char *path, long at)
{
    FILE *file = fopen(path, "r+b");
    CHECK(file != NULL);
    CHECK(fseek(file, at, SEEK_SET) == 0);
    int byte = fgetc(file);
    CHECK(fseek(file, at, SEEK_SET) == 0);
    fputc(byte ^ 0x10, file);
    fclose(file);
}

/* ---- frames ---- */

TEST(a_frame_has_all_columns_of_the_world)
{
    Folder folder = folder_make();
    folder_of_run(folder.path);
    PxTable particles, back;
    sample_particles(&particles, 5000, 1);
    PxFrameMeta meta = sample_meta(12), read;
    CHECK_OK(px_frame_write(folder.path, &meta, &particles, &two));
    CHECK(px_file_exists(folder_file(&folder, "frames/000012.h5")));

    px_table_init(&back, NULL);
    CHECK_OK(px_frame_read(folder.path, 12, &read, &back, &two));
    CHECK_EQUAL(read.number, 12);
    CHECK_EQUAL(read.step, 120);
    CHECK(read.time == 12 / 30.0);
    CHECK(read.spacing == 0.01);
    CHECK_EQUAL(read.up, 'y');
    CHECK_TEXT(read.name, meta.name);
    CHECK_TEXT(read.version, PX_VERSION);
    CHECK_EQUAL(back.count, 5000);
    CHECK(px_table_find(&back, "position_low") == NULL); /* state, not for people */
    CHECK(px_table_find(&back, "work") == NULL);
    CHECK_EQUAL(back.columns, 11);

    uint64_t world[2], frame[2];
    px_table_hash(&particles, PX_COLUMN_FRAME, world);
    CHECK_OK(px_frame_hash(folder.path, 12, &two, frame));
    CHECK(world[0] == frame[0] && world[1] == frame[1]);

    PxContainer *container;
    PxTable topology;
    px_table_init(&topology, NULL);
    CHECK_OK(px_container_open(&container, folder_file(&folder, "frames/000012.h5")));
    CHECK_OK(px_container_get_table(container, "topology", &topology, &one));
    CHECK_EQUAL(topology.count, 5000);
    for (uint32_t i = 0; i < 5000; ++i)
        CHECK_EQUAL(((uint32_t *)px_table_find(&topology, "index")->data[0])[i], i);
    px_container_close(container);
    px_table_free(&topology);
    px_table_free(&back);
    px_table_free(&particles);
    folder_remove(&folder);
}

TEST(frames_are_listed_in_order_and_later_ones_can_be_removed)
{
    Folder folder = folder_make();
    CHECK_OK(sample_run(folder.path, 4, &one));
    PxNumbers numbers;
    CHECK_OK(px_frame_list(folder.path, &numbers));
    CHECK_EQUAL(numbers.count, 4);
    for (uint32_t k = 0; k < 4; ++k)
        CHECK_EQUAL(numbers.data[k], k + 1);
    PX_LIST_FREE(&numbers);
    CHECK_OK(px_run_file_remove(folder.path, PX_FILE_FRAME, 3));
    CHECK_EQUAL(folder_count(folder_file(&folder, "frames")), 2);
    CHECK_OK(px_run_file_remove(folder_file(&folder, "none"), PX_FILE_FRAME, 3));
    CHECK_OK(px_frame_list(folder_file(&folder, "none"), &numbers));
    CHECK_EQUAL(numbers.count, 0);
    folder_remove(&folder);
}

TEST(a_malformed_frame_is_refused)
{
    Folder folder = folder_make();
    folder_of_run(folder.path);
    CHECK_OK(sample_run(folder.path, 2, &one));
    PxFrameMeta meta;
    PxTable back;
    px_table_init(&back, NULL);
    CHECK(rename(folder_file(&folder, "frames/000002.h5"),
                 folder_file(&folder, "frames/000003.h5")) == 0);
    CHECK_FAILS(px_frame_read(folder.path, 3, &meta, &back, &one), PX_ERR_FORMAT,
                "says to be frame 2");
    CHECK_FAILS(px_frame_read(folder.path, 2, &meta, &back, &one), PX_ERR_IO, "000002.h5");
    PxSavedWorld *empty;
    CHECK_OK(px_saved_create(&empty));
    CHECK_OK(px_checkpoint_write(folder.path, 4, empty, NULL, 0, (PxFileCheck){0}, &one));
    px_saved_free(empty);
    CHECK(rename(folder_file(&folder, "checkpoints/000004.h5"),
                 folder_file(&folder, "frames/000004.h5")) == 0);
    CHECK_FAILS(px_frame_read(folder.path, 4, &meta, &back, &one), PX_ERR_FORMAT,
                "a 'checkpoint' of format 4");
    damage(folder_file(&folder, "frames/000001.h5"), 3000);
    CHECK_FAILS(px_frame_read(folder.path, 1, &meta, &back, &one), PX_ERR_FORMAT,
                "000001.h5': the file is damaged");
    meta = sample_meta(1);
    meta.up = 'x';
    CHECK_FAILS(px_frame_write(folder.path, &meta, &back, &one), PX_ERR_ARGUMENT, "up 'x'");
    meta = sample_meta(1);
    meta.time = NAN;
    CHECK_FAILS(px_frame_write(folder.path, &meta, &back, &one), PX_ERR_ARGUMENT, "time nan");
    px_table_free(&back);
    folder_remove(&folder);
}

TEST(a_full_disk_costs_the_frame_and_nothing_else)
{
    Folder folder = folder_make();
    folder_of_run(folder.path);
    PxTable particles;
    sample_particles(&particles, 3000, 1);
    PxFrameMeta meta = sample_meta(1);
    CHECK_OK(px_frame_write(folder.path, &meta, &particles, &one));
    uint64_t before[2], after[2];
    CHECK_OK(px_frame_hash(folder.path, 1, &one, before));
    pid_t child = fork();
    if (child == 0) {
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){20000, 20000});
        int wrong = px_frame_write(folder.path, &meta, &particles, &one) != PX_ERR_IO;
        meta.number = 2;
        wrong += px_frame_write(folder.path, &meta, &particles, &one) != PX_ERR_IO;
        wrong += strstr(px_error_message(), "000002.h5") == NULL;
        _exit(wrong);
    }
    int result = 1;
    waitpid(child, &result, 0);
    CHECK_EQUAL(result, 0);
    CHECK_OK(px_frame_hash(folder.path, 1, &one, after));
    CHECK(before[0] == after[0] && before[1] == after[1]);
    CHECK_EQUAL(folder_count(folder_file(&folder, "frames")), 1);
    px_table_free(&particles);
    folder_remove(&folder);
}

TEST(a_result_folder_that_is_a_file_is_refused)
{
    Folder folder = folder_make();
    PxTable particles;
    sample_particles(&particles, 10, 1);
    PxFrameMeta meta = sample_meta(1);
    const char *file = folder_file(&folder, "file");
    PxSavedWorld *empty;
    CHECK_OK(px_saved_create(&empty));
    CHECK_OK(px_file_write_atomic(file, "x", 1));
    CHECK_FAILS(px_frame_write(file, &meta, &particles, &one), PX_ERR_IO, "Not a directory");
    CHECK_FAILS(px_checkpoint_write(file, 1, empty, NULL, 0, (PxFileCheck){0}, &one), PX_ERR_IO,
                "Not a directory");
    px_saved_free(empty);
    px_table_free(&particles);
    folder_remove(&folder);
}

/* Frames and checkpoints one after the other, for ever, with a byte into `pipe_end`
 * after each. */
static void write_until_killed(const char *dir, PxTable *particles, int pipe_end)
{
    PxSavedWorld *saved;
    if (px_saved_create(&saved) != PX_OK ||
        px_table_copy(px_saved_find(saved, "particles"), particles) != PX_OK)
        _exit(1);
    for (uint32_t number = 1;; ++number) {
        PxFrameMeta meta = sample_meta(number);
        if (px_frame_write(dir, &meta, particles, &one) != PX_OK ||
            px_checkpoint_write(dir, number, saved, NULL, 0, (PxFileCheck){0}, &one) != PX_OK ||
            write(pipe_end, "", 1) != 1)
            _exit(1);
    }
}

TEST(kill_9_leaves_every_file_whole_or_absent)
{
    PxTable particles;
    sample_particles(&particles, 300, 1);
    uint64_t wanted[2];
    px_table_hash(&particles, PX_COLUMN_FRAME, wanted);
    int frames = 0;
    for (uint64_t round = 0; round < 25; ++round) {
        Folder folder = folder_make();
        folder_of_run(folder.path);
        int ends[2];
        char byte;
        CHECK(pipe(ends) == 0);
        pid_t child = fork();
        if (child == 0)
            write_until_killed(folder.path, &particles, ends[1]);
        /* after 0, 1 or 2 frames and a moment of up to the time that one takes */
        for (uint64_t k = 0; k < round % 3; ++k)
            CHECK(read(ends[0], &byte, 1) == 1);
        usleep((useconds_t)(px_random_bits(round, 0, 0) % 4000));
        kill(child, SIGKILL);
        close(ends[0]);
        close(ends[1]);
        int result = 0;
        waitpid(child, &result, 0);
        CHECK(WIFSIGNALED(result) && WTERMSIG(result) == SIGKILL);

        PxNumbers numbers;
        CHECK_OK(px_frame_list(folder.path, &numbers));
        for (size_t k = 0; k < numbers.count; ++k) {
            uint64_t hash[2];
            CHECK_EQUAL(numbers.data[k], k + 1);
            CHECK_OK(px_frame_hash(folder.path, numbers.data[k], &one, hash));
            CHECK(hash[0] == wanted[0] && hash[1] == wanted[1]);
        }
        uint32_t latest;
        bool found;
        CHECK_OK(px_checkpoint_latest(folder.path, UINT32_MAX, &latest, &found));
        CHECK(found ? latest == numbers.count || latest + 1 == numbers.count : numbers.count <= 1);
        const char *inside = folder_file(&folder, "frames");
        frames += (int)numbers.count;
        CHECK_OK(px_run_file_remove(folder.path, PX_FILE_FRAME, UINT32_MAX));
        if (px_file_exists(inside))
            CHECK_EQUAL(folder_count(inside), numbers.count);
        PX_LIST_FREE(&numbers);
        folder_remove(&folder);
    }
    CHECK(frames >= 24); /* 8 rounds of one, 8 of two */
    px_table_free(&particles);
}

/* ---- checkpoints ---- */

TEST(a_checkpoint_brings_back_all_state)
{
    Folder folder = folder_make();
    folder_of_run(folder.path);
    PxSavedWorld *saved, *back;
    CHECK_OK(px_saved_create(&saved));
    CHECK_OK(px_saved_create(&back));
    PxTable *particles = px_saved_find(saved, "particles");
    PxTable *emitters = px_saved_find(saved, "emitters");
    sample_particles(particles, 2000, 3);
    sample_particles(emitters, 2, 4);
    double odd_time = 0.1 + 0.2;
    px_saved_number(saved, "time")->real = odd_time;
    px_saved_number(saved, "step")->whole = 1ull << 60;
    PxScalar scalars[] = {px_scalar_u64("frame", 7), px_scalar_text("scene", "abc")};
    CHECK_OK(px_checkpoint_write(folder.path, 7, saved, scalars, 2, (PxFileCheck){0}, &two));

    PxScalar read = px_scalar_text("scene", "");
    CHECK_OK(px_checkpoint_read(folder.path, 7, back, &read, 1, &two));
    CHECK(strcmp(read.text, "abc") == 0);
    CHECK(px_saved_number(back, "time")->real == odd_time);
    CHECK(px_saved_number(back, "step")->whole == 1ull << 60);
    uint64_t a[2], b[2];
    PxTable *here = px_saved_find(back, "particles");
    px_table_hash(particles, PX_COLUMN_STATE, a);
    px_table_hash(here, PX_COLUMN_STATE, b);
    CHECK(a[0] == b[0] && a[1] == b[1]);
    px_table_hash(emitters, PX_COLUMN_STATE, a);
    px_table_hash(px_saved_find(back, "emitters"), PX_COLUMN_STATE, b);
    CHECK(a[0] == b[0] && a[1] == b[1]);
    CHECK(px_table_find(here, "position_low") != NULL);
    CHECK(px_table_find(here, "density") == NULL);
    CHECK_EQUAL(px_saved_find(back, "skins")->columns, 0);

    read = px_scalar_u64("steps_to_go", 0);
    CHECK_FAILS(px_checkpoint_read(folder.path, 7, back, &read, 1, &two), PX_ERR_FORMAT,
                "steps_to_go");
    px_saved_free(saved);
    px_saved_free(back);
    folder_remove(&folder);
}

/* A file as phyxel wrote it before the format changed. */
TEST(a_checkpoint_of_another_format_is_refused)
{
    Folder folder = folder_make();
    CHECK_OK(px_folder_make(folder_file(&folder, "checkpoints")));
    PxContainerWriter *writer;
    CHECK_OK(px_container_create(&writer));
    PxScalar scalars[] = {px_scalar_text("kind", "checkpoint"), px_scalar_u64("format", 1),
                          px_scalar_u64("number", 3), px_scalar_text("phyxel", "0.1.2")};
    CHECK_OK(px_container_put(writer, scalars, 4));
    CHECK_OK(px_container_write(writer, folder_file(&folder, "checkpoints/000003.h5"),
                                (PxFileCheck){0}));
    px_container_discard(writer);
    PxSavedWorld *saved;
    CHECK_OK(px_saved_create(&saved));
    CHECK_FAILS(px_checkpoint_read(folder.path, 3, saved, NULL, 0, &one), PX_ERR_FORMAT,
                "was written by phyxel 0.1.2 in format 1");
    uint32_t latest;
    bool found;
    CHECK_FAILS(px_checkpoint_latest(folder.path, UINT32_MAX, &latest, &found), PX_ERR_FORMAT,
                "only that version can continue it");
    px_saved_free(saved);
    folder_remove(&folder);
}

TEST(two_checkpoints_are_kept_and_a_damaged_one_is_skipped)
{
    Folder folder = folder_make();
    folder_of_run(folder.path);
    uint32_t latest = 99;
    bool found = true;
    CHECK_OK(px_checkpoint_latest(folder.path, UINT32_MAX, &latest, &found));
    CHECK(!found);
    PxSavedWorld *saved;
    CHECK_OK(px_saved_create(&saved));
    for (uint32_t number = 10; number <= 50; number += 10)
        CHECK_OK(px_checkpoint_write(folder.path, number, saved, NULL, 0, (PxFileCheck){0}, &one));
    const char *last = folder_file(&folder, "checkpoints/000050.h5");
    const char *previous = folder_file(&folder, "checkpoints/000040.h5");
    CHECK_EQUAL(folder_count(folder_file(&folder, "checkpoints")), 2);
    CHECK(px_file_exists(last) && px_file_exists(previous));
    CHECK_OK(px_checkpoint_latest(folder.path, UINT32_MAX, &latest, &found));
    CHECK(found && latest == 50);
    damage(last, 100);
    CHECK_OK(px_checkpoint_latest(folder.path, UINT32_MAX, &latest, &found));
    CHECK(found && latest == 40);
    CHECK_OK(px_checkpoint_latest(folder.path, 45, &latest, &found));
    CHECK(found && latest == 40);
    CHECK_OK(px_checkpoint_latest(folder.path, 39, &latest, &found));
    CHECK(!found);
    /* going on from there replaces the damaged one */
    CHECK_OK(px_checkpoint_write(folder.path, 50, saved, NULL, 0, (PxFileCheck){0}, &one));
    CHECK_OK(px_checkpoint_latest(folder.path, UINT32_MAX, &latest, &found));
    CHECK(found && latest == 50);
    CHECK_EQUAL(folder_count(folder_file(&folder, "checkpoints")), 2);
    damage(last, 100);
    CHECK(truncate(previous, 200) == 0);
    CHECK_FAILS(px_checkpoint_latest(folder.path, UINT32_MAX, &latest, &found), PX_ERR_FORMAT,
                "no checkpoint in");
    CHECK(!found);
    px_saved_free(saved);
    folder_remove(&folder);
}

TEST(names_a_checkpoint_needs_itself_are_refused)
{
    Folder folder = folder_make();
    folder_of_run(folder.path);
    PxSavedWorld *saved;
    CHECK_OK(px_saved_create(&saved));
    static const char *const taken[] = {"number", "top_speed"};
    for (int k = 0; k < 2; ++k) {
        PxScalar scalar = px_scalar_u64(taken[k], 0);
        CHECK_FAILS(px_checkpoint_write(folder.path, 1, saved, &scalar, 1, (PxFileCheck){0}, &one),
                    PX_ERR_ARGUMENT, taken[k]);
    }
    px_saved_free(saved);
    CHECK_EQUAL(folder_count(folder_file(&folder, "checkpoints")), 0);
    folder_remove(&folder);
}

/* ---- frames.xdmf ---- */

static char *slurp(const char *path)
{
    void *bytes;
    size_t size;
    CHECK_OK(px_file_read(path, 1 << 24, &bytes, &size));
    return bytes;
}

static int count_of(const char *text, const char *words)
{
    int count = 0;
    for (; (text = strstr(text, words)) != NULL; ++text)
        ++count;
    return count;
}

TEST(the_index_names_every_frame_with_its_count_and_time)
{
    Folder folder = folder_make();
    CHECK_OK(sample_run(folder.path, 3, &one));
    char *text = slurp(folder_file(&folder, "frames.xdmf"));
    CHECK_EQUAL(count_of(text, "<Grid Name=\"particles\""), 3);
    CHECK_EQUAL(count_of(text, "<Time Value=\"0.1\"/>"), 1);
    CHECK_EQUAL(count_of(text, "NumberOfElements=\"0\""), 1);
    CHECK_EQUAL(count_of(text, "NumberOfElements=\"1000\""), 1);
    CHECK_EQUAL(count_of(text, "NumberOfElements=\"2000\""), 1);
    /* frames 2 and 3: index, position and ten other columns each */
    CHECK_EQUAL(count_of(text, "frames/000001.h5"), 0);
    CHECK_EQUAL(count_of(text, "frames/000002.h5:"), 12);
    CHECK_EQUAL(count_of(text, "frames/000003.h5:"), 12);
    CHECK_EQUAL(count_of(text, "NumberType=\"Int\" Precision=\"8\" Dimensions=\"2000\">"
                               "frames/000003.h5:/particles/id<"),
                1);
    CHECK_EQUAL(count_of(text, "AttributeType=\"Vector\""), 2);
    CHECK_EQUAL(count_of(text, "AttributeType=\"Tensor\""), 2);
    CHECK_EQUAL(count_of(text, "AttributeType=\"Matrix\""), 4);
    px_list_free(text);
    if (system("command -v xmllint >/dev/null 2>&1") == 0) {
        char command[2 * FOLDER_PATH];
        snprintf(command, sizeof command, "xmllint --noout %s/frames.xdmf", folder.path);
        CHECK_EQUAL(system(command), 0);
    }
    folder_remove(&folder);
}

TEST(a_rebuilt_index_is_the_same_and_damaged_frames_are_left_out)
{
    Folder folder = folder_make();
    CHECK_OK(sample_run(folder.path, 4, &one));
    const char *path = folder_file(&folder, "frames.xdmf");
    char *before = slurp(path);
    CHECK(unlink(path) == 0);
    PxXdmf xdmf = {0};
    uint32_t damaged = 9;
    CHECK_OK(px_xdmf_rebuild(&xdmf, folder.path, UINT32_MAX, &damaged));
    CHECK_EQUAL(damaged, 0);
    CHECK_OK(px_xdmf_write(&xdmf, folder.path));
    char *after = slurp(path);
    CHECK_TEXT(after, before);
    px_list_free(after);
    px_list_free(before);

    damage(folder_file(&folder, "frames/000002.h5"), 3000);
    CHECK_OK(px_xdmf_rebuild(&xdmf, folder.path, 3, &damaged));
    CHECK_EQUAL(damaged, 1);
    CHECK_EQUAL(xdmf.frames.count, 2);
    CHECK_EQUAL(xdmf.frames.data[1].number, 3);
    /* a resumed run comes to frame 3 again */
    PxTable particles;
    sample_particles(&particles, 5, 1);
    PxFrameMeta meta = sample_meta(3);
    CHECK_OK(px_xdmf_add(&xdmf, &meta, &particles));
    CHECK_EQUAL(xdmf.frames.count, 2);
    CHECK_EQUAL(xdmf.frames.data[1].rows, 5);
    px_table_free(&particles);
    px_xdmf_free(&xdmf);
    folder_remove(&folder);
}

TEST(a_long_run_does_not_write_the_index_every_frame)
{
    Folder folder = folder_make();
    const char *path = folder_file(&folder, "frames.xdmf");
    PxXdmf xdmf = {0};
    PxTable particles;
    px_table_init(&particles, NULL);
    int writes = 0;
    for (uint32_t number = 1; number <= 1000; ++number) {
        PxFrameMeta meta = sample_meta(number);
        CHECK_OK(px_xdmf_add(&xdmf, &meta, &particles));
        CHECK_OK(px_xdmf_update(&xdmf, folder.path));
        writes += px_file_exists(path);
        unlink(path);
        CHECK(number - xdmf.written <= number / 50);
    }
    /* 50 at first, then one each time there are 2 per cent more: 50 ln(1000 / 50) */
    CHECK(writes < 250);
    px_xdmf_free(&xdmf);
    folder_remove(&folder);
}

/* ---- info ---- */

typedef struct Seen {
    int frames, broken;
    char hash[33];
} Seen;

static bool see(void *user, const PxFrameInfo *frame)
{
    Seen *seen = user;
    ++seen->frames;
    if (frame->problem != NULL) {
        ++seen->broken;
        return strstr(frame->problem, "damaged") != NULL;
    }
    if (frame->number == 2)
        memcpy(seen->hash, frame->hash, sizeof seen->hash);
    return frame->particles == sample_rows(frame->number) && frame->step == 10 * frame->number &&
           frame->time == frame->number / 30.0;
}

static bool stop_at_once(void *user, const PxFrameInfo *frame)
{
    (void)frame;
    ++*(int *)user;
    return false;
}

TEST(info_tells_of_every_frame_and_of_damage)
{
    Folder folder = folder_make();
    CHECK_OK(sample_run(folder.path, 3, &one));
    damage(folder_file(&folder, "frames/000003.h5"), 3000);
    Seen seen = {0};
    CHECK_OK(px_info(folder.path, see, &seen));
    CHECK_EQUAL(seen.frames, 3);
    CHECK_EQUAL(seen.broken, 1);
    uint64_t hash[2];
    char words[33];
    CHECK_OK(px_frame_hash(folder.path, 2, &one, hash));
    snprintf(words, sizeof words, "%016llx%016llx", (unsigned long long)hash[0],
             (unsigned long long)hash[1]);
    CHECK_TEXT(seen.hash, words);
    int calls = 0;
    CHECK_FAILS(px_info(folder.path, stop_at_once, &calls), PX_ERR_STOPPED, "frame 1");
    CHECK_EQUAL(calls, 1);
    CHECK_OK(px_info(folder_file(&folder, "none"), see, &seen));
    folder_remove(&folder);
}

TEST_MAIN()
