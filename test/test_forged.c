/// Checkpoints whose seal is right and whose contents are not: every number of a saved world, and
/// every column of its tables, in turn holds infinities, NaN, huge counts, negative values or
/// another row's value, or has more or fewer rows. Such a state is refused with a message, or it is
/// one that a world can go on from: it takes steps without a crash, and nothing in it is not
/// finite.
///
/// The test takes a sample of these states; with PX_FORGED=all in the environment it takes all,
/// with PX_FORGED=NAME those of one world.
///
/// A checkpoint is read into a PxSavedWorld and checked by px_world_resume() (store/checkpoint.h),
/// so that is what this test forges.
#include "sanitized.h"
#include "states.h"
#include "unfinite.h"

#include "world/saved.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STEPS = 2, SECONDS = 20 };

typedef enum Change {
    ZERO, /* of all rows, or of the number */
    ONE_LESS_THAN_NONE,
    HUGE_ONE,
    INFINITE,
    NOT_A_NUMBER,
    ONE_MORE,
    OF_ANOTHER_ROW, /* the first row has the value of the last, and the other way round */
    CHANGES
} Change;

static const char *const change_name[] = {"0",   "-1",       "huge",   "infinite",
                                          "nan", "one more", "swapped"};

/* ---- changes ---- */

static void put_value(PxType type, void *at, Change change)
{
    double real = change == ZERO                 ? 0
                  : change == ONE_LESS_THAN_NONE ? -1
                  : change == HUGE_ONE           ? 1e30
                  : change == INFINITE           ? (double)INFINITY
                                                 : (double)NAN;
    uint64_t whole = change == ZERO ? 0 : change == HUGE_ONE ? (uint64_t)1 << 62 : UINT64_MAX;
    if (type == PX_F32)
        *(float *)at = change == ONE_MORE ? *(float *)at + 1 : (float)real;
    else if (type == PX_F64)
        *(double *)at = change == ONE_MORE ? *(double *)at + 1 : real;
    else if (type == PX_U64)
        *(uint64_t *)at = change == ONE_MORE ? *(uint64_t *)at + 1 : whole;
    else if (type == PX_U8)
        *(uint8_t *)at = change == ONE_MORE ? (uint8_t)(*(uint8_t *)at + 1) : (uint8_t)whole;
    else
        *(uint32_t *)at = change == ONE_MORE   ? *(uint32_t *)at + 1
                          : change == HUGE_ONE ? 0x7ffffff0u
                                               : (uint32_t)whole;
}

/* Changes one row of a component, or all. */
static void forge_column(PxTable *table, const PxColumn *column, uint32_t component, Change change,
                         bool all)
{
    size_t size = px_type_size(column->type);
    char *data = column->data[component];
    if (change == OF_ANOTHER_ROW) {
        char other[8], *last = data + (table->count - 1) * size;
        memcpy(other, data, size);
        memcpy(data, last, size);
        memcpy(last, other, size);
        return;
    }
    for (uint32_t row = all ? 0 : table->count / 2; row < table->count; ++row) {
        put_value(column->type, data + row * size, change);
        if (!all)
            break;
    }
}

/* ---- a state goes on ---- */

/* Exit status of the child that resumes: 0 refused, 1 went on, 2 a step failed with a message,
 * 3 something is not finite, 4 refused with another status. */
static int resume(PxWorld *world, const PxSavedWorld *forged)
{
    PxStatus status = px_world_resume(world, forged);
    if (status != PX_OK) {
        if (status == PX_ERR_FORMAT && px_error_message()[0] != '\0')
            return 0;
        printf("%s: %s\n", px_status_name(status), px_error_message());
        fflush(stdout);
        return 4;
    }
    const char *bad = unfinite_of(world);
    int result = bad != NULL ? 3 : 1;
    for (int k = 0; k < STEPS && result == 1; ++k) {
        if (px_world_step(world, px_world_time(world) + 0.01) != PX_OK)
            result = 2;
        else if ((bad = unfinite_of(world)) != NULL)
            result = 3;
    }
    if (result == 1 && (px_world_move_skins(world) != PX_OK || px_world_move_coats(world) != PX_OK))
        result = 2;
    if (result == 3)
        printf("not finite: %s\n", bad);
    fflush(stdout);
    return result;
}

static size_t tally[4], broken, turn, stride = 1;
static PxWorld *fresh; /* the world of the case, before its first step */

static void try_apart(const Case *c, const PxSavedWorld *forged, const char *what, const char *how)
{
    if (turn++ % stride != 0)
        return;
    fflush(NULL);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        static const int crash[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}; /* as in programs */
        for (size_t k = 0; k < PX_COUNT(crash); ++k)
            signal(crash[k], SIG_DFL);
        struct rlimit limit = {SECONDS, SECONDS};
        setrlimit(RLIMIT_CPU, &limit);
        int result = resume(fresh, forged);
        _exit(result);
    }
    int status;
    struct rusage used;
    CHECK(wait4(child, &status, 0, &used) == child);
    if (used.ru_utime.tv_sec > 2)
        print_message("%s: %s = %s: %ld s\n", c->name, what, how, (long)used.ru_utime.tv_sec);
    if (WIFEXITED(status) && WEXITSTATUS(status) < 3) {
        ++tally[WEXITSTATUS(status)];
        return;
    }
    ++broken;
    print_message("%s: %s = %s: %s %d\n", c->name, what, how,
                  WIFSIGNALED(status) ? "signal" : "exit status",
                  WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

/* A copy of the state, which may be forged; px_saved_free() it. */
static PxSavedWorld *copy_of(PxSavedWorld *saved)
{
    PxSavedWorld *copy = NULL;
    CHECK_OK(px_saved_create(&copy));
    memcpy(copy->value, saved->value, sizeof copy->value);
    for (size_t k = 0; k < saved->tables; ++k)
        CHECK_OK(px_table_copy(&copy->table[k], &saved->table[k]));
    return copy;
}

static void forge_numbers(const Case *c, PxSavedWorld *saved)
{
    for (size_t k = 0; k < px_saved_number_count; ++k)
        for (Change change = ZERO; change < OF_ANOTHER_ROW; ++change) {
            PxSavedWorld *forged = copy_of(saved);
            put_value(px_saved_numbers[k].type == PX_F64 ? PX_F64 : PX_U64, &forged->value[k],
                      change);
            try_apart(c, forged, px_saved_numbers[k].name, change_name[change]);
            px_saved_free(forged);
        }
}

static void forge_rows(const Case *c, PxSavedWorld *saved, size_t k, const char *name)
{
    for (int more = -1; more <= 1; ++more) {
        PxSavedWorld *forged = copy_of(saved);
        const char *same;
        PxTable *table = px_saved_table(forged, k, &same);
        if (more > 0)
            CHECK_OK(px_table_append(table, 1, NULL));
        else
            px_table_cut(table, more < 0 ? table->count - 1 : 0, table->columns);
        try_apart(c, forged, name,
                  more > 0   ? "one row more"
                  : more < 0 ? "one row less"
                             : "no rows");
        px_saved_free(forged);
    }
}

static void forge_tables(const Case *c, PxSavedWorld *saved)
{
    const char *name;
    PxTable *table;
    for (size_t k = 0; (table = px_saved_table(saved, k, &name)) != NULL; ++k) {
        if (table->count == 0)
            continue;
        forge_rows(c, saved, k, name);
        for (uint32_t n = 0; n < table->columns; ++n)
            for (uint32_t i = 0; i < table->column[n].components;
                 i +=
                 i == 0 && table->column[n].components > 1 ? table->column[n].components - 1 : 1)
                for (int change = 0; change < 2 * CHANGES - 1; ++change) {
                    char what[100];
                    PxSavedWorld *forged = copy_of(saved);
                    PxTable *other = px_saved_table(forged, k, &name);
                    bool all = change >= CHANGES;
                    if (table->column[n].flags & PX_COLUMN_STATE) {
                        forge_column(other, &other->column[n], i, (Change)(change % CHANGES), all);
                        snprintf(what, sizeof what, "%s.%s[%u]%s", name, table->column[n].name, i,
                                 all ? " of all rows" : "");
                        try_apart(c, forged, what, change_name[change % CHANGES]);
                    }
                    px_saved_free(forged);
                }
    }
}

TEST(a_forged_state_is_refused_or_goes_on)
{
    const char *which = getenv("PX_FORGED");
    stride = which != NULL ? 1 : SANITIZED ? 97 : 13;
    for (size_t k = 0; k < PX_COUNT(cases); ++k) {
        if (which != NULL && strcmp(which, "all") != 0 && strcmp(which, cases[k].name) != 0)
            continue;
        PxWorld *world = state_world(&cases[k], 1);
        CHECK_OK(px_world_advance(world, cases[k].first));
        PxSavedWorld *saved = NULL;
        CHECK_OK(px_saved_view(world, &saved));
        fresh = state_world(&cases[k], 1);
        forge_numbers(&cases[k], saved);
        forge_tables(&cases[k], saved);
        px_saved_free(saved);
        px_world_free(world);
        px_world_free(fresh);
    }
    print_message("refused %zu, went on %zu, stopped with a reason %zu, broken %zu\n", tally[0],
                  tally[1], tally[2], broken);
    CHECK(tally[0] > 20 && tally[1] > 10);
    CHECK_EQUAL(broken, 0);
}

TEST_MAIN()
