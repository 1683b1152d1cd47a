/// Files and stats.csv are written completely or not at all.
#include "check.h"
#include "folder.h"

#include "store/csv.h"
#include "store/file.h"
#include "store/text_buffer.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

static void put(const char *path, const char *words)
{
    CHECK_OK(px_file_write_atomic(path, words, strlen(words)));
}

static void check_holds(const char *path, const char *words)
{
    void *bytes;
    size_t size;
    CHECK_OK(px_file_read(path, 1 << 20, &bytes, &size));
    CHECK_EQUAL(size, strlen(words));
    CHECK_TEXT(bytes, words);
    px_list_free(bytes);
}

/* Runs `body` in a child in which no file may grow beyond 64 KiB: write() fails as
 * on a full disk (with EFBIG for ENOSPC). True when the child returned true. */
static bool on_a_full_disk(bool (*body)(const Folder *folder), const Folder *folder)
{
    pid_t child = fork();
    if (child == 0) {
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){65536, 65536});
        _exit(body(folder) ? 0 : 1);
    }
    int result = 0;
    waitpid(child, &result, 0);
    return WIFEXITED(result) && WEXITSTATUS(result) == 0;
}

TEST(written_data_is_read_back)
{
    Folder folder = folder_make();
    const char *path = folder_file(&folder, "a.txt");
    put(path, "first");
    check_holds(path, "first");
    put(path, "the second one is longer");
    check_holds(path, "the second one is longer");
    put(path, "");
    check_holds(path, "");
    CHECK_EQUAL(folder_count(folder.path), 1);
    folder_remove(&folder);
}

TEST(an_abandoned_file_leaves_no_trace)
{
    Folder folder = folder_make();
    const char *path = folder_file(&folder, "a.txt");
    put(path, "old");
    PxFile file;
    CHECK_OK(px_file_begin(&file, path));
    CHECK_OK(px_file_put(&file, "new", 3));
    check_holds(path, "old");
    px_file_abandon(&file);
    check_holds(path, "old");
    CHECK_EQUAL(folder_count(folder.path), 1);
    folder_remove(&folder);
}

static bool write_too_much(const Folder *folder)
{
    static char bytes[100000];
    PxStatus status = px_file_write_atomic(folder_file(folder, "a.txt"), bytes, sizeof bytes);
    return status == PX_ERR_IO && strstr(px_error_message(), "a.txt") != NULL &&
           strstr(px_error_message(), strerror(EFBIG)) != NULL;
}

TEST(a_full_disk_leaves_the_old_file_and_nothing_else)
{
    Folder folder = folder_make();
    put(folder_file(&folder, "a.txt"), "old");
    CHECK(on_a_full_disk(write_too_much, &folder));
    check_holds(folder_file(&folder, "a.txt"), "old");
    CHECK_EQUAL(folder_count(folder.path), 1);
    folder_remove(&folder);
}

TEST(a_path_below_a_file_is_refused_with_its_name)
{
    Folder folder = folder_make();
    put(folder_file(&folder, "file"), "x");
    const char *below = folder_file(&folder, "file/b.txt");
    CHECK_FAILS(px_file_write_atomic(below, "y", 1), PX_ERR_IO, "file/b.txt': Not a directory");
    CHECK_FAILS(px_folder_make(below), PX_ERR_IO, "Not a directory");
    CHECK_FAILS(px_folder_make(folder_file(&folder, "file")), PX_ERR_IO, "Not a directory");
    CHECK_FAILS(px_file_write_atomic("", "y", 1), PX_ERR_ARGUMENT, "path of a file");
    CHECK_FAILS(px_file_write_atomic("/tmp/", "y", 1), PX_ERR_ARGUMENT, "path of a file");
    folder_remove(&folder);
}

TEST(a_folder_in_the_place_of_the_file_stays)
{
    Folder folder = folder_make();
    const char *path = folder_file(&folder, "a");
    CHECK_OK(px_folder_make(path));
    CHECK_FAILS(px_file_write_atomic(path, "y", 1), PX_ERR_IO, "Is a directory");
    CHECK_EQUAL(folder_count(folder.path), 1);
    folder_remove(&folder);
}

TEST(a_link_in_the_place_of_the_partial_file_is_not_followed)
{
    Folder folder = folder_make();
    char partial[100];
    snprintf(partial, sizeof partial, ".a.txt.%ld.phyxel-partial", (long)getpid());
    put(folder_file(&folder, "precious"), "keep me");
    CHECK(symlink(folder_file(&folder, "precious"), folder_file(&folder, partial)) == 0);
    put(folder_file(&folder, "a.txt"), "new");
    check_holds(folder_file(&folder, "precious"), "keep me");
    check_holds(folder_file(&folder, "a.txt"), "new");
    folder_remove(&folder);
}

TEST(only_regular_files_within_the_limit_are_read)
{
    Folder folder = folder_make();
    void *bytes;
    size_t size;
    uint64_t length;
    char end[4];
    const char *path = folder_file(&folder, "a.txt");
    put(path, "12345");
    CHECK_FAILS(px_file_read(path, 4, &bytes, &size), PX_ERR_FORMAT, "5 bytes, at most 4");
    CHECK(bytes == NULL);
    CHECK_FAILS(px_file_read(folder.path, 4, &bytes, &size), PX_ERR_IO, "Is a directory");
    CHECK_FAILS(px_file_read("/dev/zero", 4, &bytes, &size), PX_ERR_IO, "regular");
    CHECK_FAILS(px_file_read(folder_file(&folder, "none"), 4, &bytes, &size), PX_ERR_IO,
                "No such file");
    const char *pipe_path = folder_file(&folder, "pipe");
    CHECK(mkfifo(pipe_path, 0600) == 0);
    CHECK_FAILS(px_file_read(pipe_path, 4, &bytes, &size), PX_ERR_IO, "regular");
    CHECK_OK(px_file_read_end(path, end, 4, &length));
    CHECK_EQUAL(length, 5);
    CHECK(memcmp(end, "2345", 4) == 0);
    put(path, "123");
    CHECK_FAILS(px_file_read_end(path, end, 4, &length), PX_ERR_FORMAT, "only 3 bytes");
    folder_remove(&folder);
}

TEST(folders_are_made_with_those_above_them)
{
    Folder folder = folder_make();
    const char *deep = folder_file(&folder, "a/b//c/");
    CHECK_OK(px_folder_make(deep));
    CHECK_OK(px_folder_make(deep));
    CHECK(px_file_exists(folder_file(&folder, "a/b/c")));
    CHECK_OK(px_folder_make("/"));
    CHECK_OK(px_folder_make("."));
    folder_remove(&folder);
}

TEST(names_come_sorted_without_hidden_ones)
{
    Folder folder = folder_make();
    put(folder_file(&folder, "b"), "");
    put(folder_file(&folder, "a"), "");
    put(folder_file(&folder, ".mine"), "");
    PxNames names;
    CHECK_OK(px_folder_list(folder.path, &names));
    CHECK_EQUAL(names.count, 2);
    CHECK_TEXT(names.data[0], "a");
    CHECK_TEXT(names.data[1], "b");
    px_names_free(&names);
    CHECK_OK(px_file_remove(folder_file(&folder, "b")));
    CHECK_OK(px_file_remove(folder_file(&folder, "b")));
    CHECK(!px_file_exists(folder_file(&folder, "b")));
    folder_remove(&folder);
}

TEST(only_temporary_files_of_killed_processes_are_removed)
{
    Folder folder = folder_make();
    pid_t child = fork(); /* the id of a process that has ended */
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
    char gone[100], alive[100];
    snprintf(gone, sizeof gone, ".a.h5.%ld.phyxel-partial", (long)child);
    snprintf(alive, sizeof alive, ".a.h5.%ld.phyxel-partial", (long)getpid());
    const char *kept[] = {alive,
                          ".mine",
                          ".film.mp4.partial",
                          ".phyxel-partial",
                          ".a.phyxel-partial",
                          "12.phyxel-partial",
                          ".a.0.phyxel-partial"};
    for (size_t k = 0; k < sizeof kept / sizeof *kept; ++k)
        put(folder_file(&folder, kept[k]), "");
    put(folder_file(&folder, gone), "");
    CHECK_OK(px_folder_clean(folder.path));
    CHECK_EQUAL(folder_count(folder.path), sizeof kept / sizeof *kept);
    CHECK(!px_file_exists(folder_file(&folder, gone)));
    folder_remove(&folder);
}

TEST(only_numbers_written_our_way_count)
{
    Folder folder = folder_make();
    const char *others[] = {"12.h5",          "0000012.h5", "000012.h5.bak", "000012.vtp",
                            "99999999999.h5", "x00012.h5",  "4294967296.h5", ".000007.h5"};
    for (size_t k = 0; k < sizeof others / sizeof *others; ++k)
        put(folder_file(&folder, others[k]), "");
    put(folder_file(&folder, "1000000.h5"), "");
    put(folder_file(&folder, "000012.h5"), "");
    put(folder_file(&folder, "999999.h5"), "");
    PxNumbers numbers;
    CHECK_OK(px_folder_numbers(folder.path, ".h5", &numbers));
    CHECK_EQUAL(numbers.count, 3);
    CHECK_EQUAL(numbers.data[0], 12);
    CHECK_EQUAL(numbers.data[1], 999999);
    CHECK_EQUAL(numbers.data[2], 1000000);
    PX_LIST_FREE(&numbers);
    CHECK_OK(px_folder_numbers(folder_file(&folder, "none"), ".h5", &numbers));
    CHECK_EQUAL(numbers.count, 0);
    folder_remove(&folder);
}

TEST(paths_that_do_not_fit_are_refused)
{
    char path[PX_PATH_MAX], *name = malloc(2 * PX_PATH_MAX);
    memset(name, 'x', 2 * PX_PATH_MAX);
    name[PX_PATH_MAX - 3] = '\0';
    CHECK_OK(px_path_join(path, "a", "%s", name));
    name[PX_PATH_MAX - 3] = 'x';
    name[PX_PATH_MAX - 2] = '\0';
    CHECK_FAILS(px_path_join(path, "a", "%s", name), PX_ERR_ARGUMENT, "longer than");
    name[PX_PATH_MAX - 2] = 'x';
    name[2 * PX_PATH_MAX - 1] = '\0';
    CHECK_FAILS(px_path_join(path, "a", "%s", name), PX_ERR_ARGUMENT, "longer than");
    CHECK_FAILS(px_file_write_atomic(name, "", 0), PX_ERR_ARGUMENT, "path of a file");
    CHECK_FAILS(px_folder_make(name), PX_ERR_ARGUMENT, "path of a folder");
    free(name);
}

/* ---- text ---- */

TEST(numbers_read_back_as_the_same_bits)
{
    PxText text = {0};
    px_text_add_f32(&text, 0.1f);
    px_text_add(&text, " ");
    px_text_add_f64(&text, 0.1);
    px_text_add(&text, " ");
    px_text_add_f64(&text, 1.0 / 3.0);
    px_text_add(&text, " ");
    px_text_add_f32(&text, 16777216.0f);
    px_text_add(&text, " ");
    px_text_add_f64(&text, 12);
    CHECK_OK(px_text_check(&text, "test"));
    px_text_add(&text, "%c", 0);
    CHECK_TEXT(text.data, "0.1 0.1 0.33333333333333331 16777216 12");
    px_text_free(&text);
}

TEST(a_comma_locale_changes_no_file)
{
    /* Skipped where no such locale is installed. */
    const char *names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k)
        if (setlocale(LC_ALL, names[k]) != NULL)
            break;
    PxText text = {0};
    px_text_add_f64(&text, 2.5);
    px_text_add(&text, " %.3f%c", 1.25, 0);
    CHECK_TEXT(text.data, "2.5 1.250");
    px_text_free(&text);
    setlocale(LC_ALL, "C");
}

TEST(words_are_made_safe_for_xml)
{
    PxText text = {0};
    px_text_add_xml(&text, "a<b>&\"c'\n\x01");
    px_text_add(&text, "%c", 0);
    CHECK_TEXT(text.data, "a&lt;b&gt;&amp;&quot;c&apos;  ");
    px_text_free(&text);
}

/* ---- stats.csv ---- */

static const char *const columns[] = {"time", "dt", "energy"};

static void add_rows(PxCsv *csv, uint64_t first, uint64_t last)
{
    for (uint64_t step = first; step <= last; ++step) {
        const double values[] = {0.25 * (double)step, 0.25, NAN};
        CHECK_OK(px_csv_row(csv, step, values));
    }
}

TEST(cells_that_are_not_finite_stay_empty)
{
    Folder folder = folder_make();
    const char *path = folder_file(&folder, "stats.csv");
    PxCsv *csv;
    CHECK_OK(px_csv_create(&csv, path, columns, 3));
    check_holds(path, "step,time,dt,energy\n");
    add_rows(csv, 1, 1);
    const double values[] = {NAN, NAN, 1.0 / 3.0};
    CHECK_OK(px_csv_row(csv, 2, values));
    CHECK_FAILS(px_csv_row(csv, 2, values), PX_ERR_ARGUMENT, "step 2 comes after step 2");
    CHECK_OK(px_csv_sync(csv));
    check_holds(path, "step,time,dt,energy\n1,0.25,0.25,\n2,,,0.33333333333333331\n");
    CHECK_OK(px_csv_close(csv));
    CHECK_OK(px_csv_close(NULL));
    folder_remove(&folder);
}

typedef struct LastRow {
    char text[200];
} LastRow;

static void note_column(void *user, const char *column, double value)
{
    LastRow *row = user;
    size_t used = strlen(row->text);
    snprintf(row->text + used, sizeof row->text - used, "%s=%g ", column, value);
}

TEST(the_last_whole_row_is_read_by_name)
{
    static const struct {
        const char *text, *wanted;
    } cases[] = {
        {"step,time,dt,energy\n", ""},
        {"step,time,dt,energy\n1,0.25,0.25,\n2,0.5,0.25,7\n", "step=2 time=0.5 dt=0.25 energy=7 "},
        {"step,time,dt,energy\n1,0.25,0.25,\n2,0.5", "step=1 time=0.25 dt=0.25 energy=nan "},
        {"step\n3\n", "step=3 "},
    };
    Folder folder = folder_make();
    const char *path = folder_file(&folder, "stats.csv");
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        LastRow row = {""};
        put(path, cases[k].text);
        CHECK_OK(px_csv_last(path, note_column, &row));
        CHECK_TEXT(row.text, cases[k].wanted);
    }
    LastRow row = {""};
    put(path, "step,time\n1,2,3\n");
    CHECK_FAILS(px_csv_last(path, note_column, &row), PX_ERR_FORMAT, "as many values");
    put(path, "step,time\n1,two\n");
    CHECK_FAILS(px_csv_last(path, note_column, &row), PX_ERR_FORMAT, "'two' is no number");
    put(path, "");
    CHECK_FAILS(px_csv_last(path, note_column, &row), PX_ERR_FORMAT, "no line of names");
    CHECK_FAILS(px_csv_last(folder_file(&folder, "none"), note_column, &row), PX_ERR_IO, "none");
    folder_remove(&folder);
}

TEST(resuming_cuts_later_rows_and_a_broken_last_line)
{
    const char *head = "step,time,dt,energy\n1,0.25,0.25,\n2,0.5,0.25,\n";
    const char *tails[] = {"",   "3",         "3,0.75,0.",     "3,0.75,0.25,", "3,0.75,0.25,\n",
                           "\n", "x,1,2,3\n", "2,0.5,0.25,\n", "3,0.75\n"};
    for (size_t k = 0; k < sizeof tails / sizeof *tails; ++k) {
        Folder folder = folder_make();
        const char *path = folder_file(&folder, "stats.csv");
        char words[200];
        snprintf(words, sizeof words, "%s%s", head, tails[k]);
        put(path, words);
        PxCsv *csv;
        CHECK_OK(px_csv_resume(&csv, path, columns, 3, 2));
        check_holds(path, head);
        add_rows(csv, 3, 3);
        CHECK_OK(px_csv_close(csv));
        snprintf(words, sizeof words, "%s3,0.75,0.25,\n", head);
        check_holds(path, words);
        CHECK_EQUAL(folder_count(folder.path), 1);
        folder_remove(&folder);
    }
}

TEST(a_file_removed_while_it_is_written_is_noticed)
{
    Folder folder = folder_make();
    const char *path = folder_file(&folder, "stats.csv");
    PxCsv *csv;
    CHECK_OK(px_csv_create(&csv, path, columns, 3));
    add_rows(csv, 1, 2);
    CHECK_OK(px_csv_sync(csv));
    CHECK(unlink(path) == 0);
    CHECK_FAILS(px_csv_sync(csv), PX_ERR_IO, "removed during the run");
    CHECK_FAILS(px_csv_close(csv), PX_ERR_IO, "removed during the run");
    folder_remove(&folder);
}

TEST(resuming_without_a_file_without_rows_or_with_other_columns_is_refused)
{
    Folder folder = folder_make();
    const char *path = folder_file(&folder, "stats.csv");
    PxCsv *csv;
    CHECK_FAILS(px_csv_resume(&csv, path, columns, 3, 7), PX_ERR_FORMAT, "stats.csv' is missing");
    CHECK_OK(px_csv_create(&csv, path, columns, 3));
    CHECK_OK(px_csv_close(csv));
    CHECK_FAILS(px_csv_resume(&csv, path, columns, 3, 7), PX_ERR_FORMAT, "rows are missing");
    check_holds(path, "step,time,dt,energy\n");
    CHECK_FAILS(px_csv_resume(&csv, path, columns, 2, 7), PX_ERR_FORMAT, "step,time,dt");
    CHECK(csv == NULL);
    const char *bad[] = {"a,b"};
    CHECK_FAILS(px_csv_create(&csv, path, bad, 1), PX_ERR_ARGUMENT, "'a,b'");
    check_holds(path, "step,time,dt,energy\n");
    folder_remove(&folder);
}

/* Writes rows until the disk is full, then frees space: no row may be lost or doubled. */
static bool fill_with_rows(const Folder *folder)
{
    PxCsv *csv;
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){30000, 65536});
    if (px_csv_create(&csv, folder_file(folder, "stats.csv"), columns, 3) != PX_OK)
        return false;
    const double values[] = {NAN, 0.125, NAN}, none[] = {NAN, NAN, NAN};
    for (uint64_t step = 1; step <= 2000; ++step)
        if (px_csv_row(csv, step, values) != PX_OK)
            return false;
    if (px_csv_sync(csv) != PX_OK)
        return false;
    for (uint64_t step = 2001; step <= 3000; ++step)
        if (px_csv_row(csv, step, none) != PX_OK)
            return false;
    if (px_csv_sync(csv) != PX_ERR_IO)
        return false;
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){65536, 65536});
    return px_csv_row(csv, 3001, none) == PX_OK && px_csv_close(csv) == PX_OK;
}

TEST(after_a_full_disk_no_row_is_lost_or_doubled)
{
    Folder folder = folder_make();
    CHECK(on_a_full_disk(fill_with_rows, &folder));
    FILE *file = fopen(folder_file(&folder, "stats.csv"), "r");
    char line[100];
    int rows = 0;
    CHECK(fgets(line, sizeof line, file) != NULL);
    while (fgets(line, sizeof line, file) != NULL)
        CHECK_EQUAL(atoi(line), ++rows);
    CHECK_EQUAL(rows, 3001);
    fclose(file);
    folder_remove(&folder);
}

TEST_MAIN()
