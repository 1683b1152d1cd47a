/// Scenes at the edges of what `check` accepts: every number of every shipped scene is multiplied
/// by 1e-6, by 1e6, by 0 and by -1 in turn. A scene without errors takes its first steps, or stops
/// with a reason that the person can act upon; it never crashes, hangs, or holds a number that is
/// not finite.
///
/// The test takes a sample of these scenes. With PX_EXTREMES=all in the environment it takes all
/// and prints what it finds; with PX_EXTREMES=NAME.json those of one scene.
#include "shipped.h"
#include "unfinite.h"

#include "world/saved.h"

#include <jansson.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { STEPS = 3, MOST_PARTICLES = 3000, SECONDS = 20, SECONDS_TO_CHOOSE = 2 };

static const double factors[] = {1e-6, 1e6, 0, -1};

typedef enum Outcome {
    REFUSED,  /* the check finds an error */
    LARGE,    /* too many particles for this test */
    GOOD,     /* took its steps */
    SLOW,     /* was stopped after a second */
    NO_WORLD, /* the check found no error, but no world can be made */
    DIED,     /* ... or a step failed */
    UNFINITE, /* statistics or particles are not finite */
    NONSENSE, /* faster than anything in the scene could become */
    CRASHED,  /* a signal */
    OUTCOMES
} Outcome;

static const char *const outcome_name[] = {"refused", "large",    "good",     "slow",   "no world",
                                           "died",    "unfinite", "nonsense", "crashed"};

/* ---- one scene, in a process of its own ---- */

static bool late(void *user)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec > *(double *)user;
}

/* Largest mean speed of a handle between two keyframes. */
static double handle_speed(const PxScene *scene)
{
    double most = 0;
    for (size_t k = 0; k < scene->handles; ++k) {
        const PxSceneKeyframe *key = scene->handle[k].is.keyframe;
        for (size_t i = 1; i < scene->handle[k].is.keyframes; ++i)
            most = fmax(most, px_length(px_sub(key[i].move, key[i - 1].move)) /
                                  (key[i].at - key[i - 1].at));
    }
    return most;
}

static Outcome try_scene(const char *text, double coarse, char *words, size_t room)
{
    PxScene *scene = NULL;
    PxWorld *world = NULL;
    PxSceneEstimate estimate;
    px_scene_read_text("extreme.json", PX_SOURCE_DIR "/scenes", text, strlen(text), &scene);
    if (px_scene_error_count(scene) > 0)
        return REFUSED;
    shipped_scale(scene, 1, coarse);
    if (px_scene_check(scene) != PX_OK)
        return REFUSED;
    CHECK_OK(px_scene_estimate(scene, 1, &estimate));
    if (!(estimate.particles <= MOST_PARTICLES))
        return LARGE;
    if (px_scene_world(scene, 1, &world) != PX_OK) {
        snprintf(words, room, "%s", px_error_message());
        return NO_WORLD;
    }
    double end = 1, top = shipped_speed(scene) + handle_speed(scene),
           frame = 1 / px_scene_fps(scene);
    CHECK_OK(px_world_stop_when(world, late, &end));
    for (int step = 0; step < STEPS; ++step) {
        PxStatus status = px_world_step(world, px_world_time(world) + frame);
        if (status == PX_ERR_STOPPED)
            return SLOW;
        if (status != PX_OK) {
            snprintf(words, room, "%s", px_error_message());
            return DIED;
        }
        const char *bad = unfinite_of(world);
        if (bad != NULL) {
            snprintf(words, room, "%s", bad);
            return UNFINITE;
        }
        PxStats stats;
        px_world_stats(world, &stats);
        if (stats.speed_max > 100 * top + 100) {
            snprintf(words, room, "%g m/s, wanted about %g", stats.speed_max, top);
            return NONSENSE;
        }
    }
    px_world_free(world);
    px_scene_free(scene);
    return GOOD;
}

/* The same in a child, so that a crash or an endless loop is seen. */
static Outcome try_apart(const char *text, double coarse, rlim_t seconds, char *words, size_t room)
{
    int ends[2];
    CHECK(pipe(ends) == 0);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        char own[1000] = "";
        static const int crash[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}; /* as in programs */
        for (size_t k = 0; k < sizeof crash / sizeof *crash; ++k)
            signal(crash[k], SIG_DFL);
        struct rlimit limit = {seconds, seconds};
        setrlimit(RLIMIT_CPU, &limit);
        Outcome outcome = try_scene(text, coarse, own + 1, sizeof own - 1);
        own[0] = (char)(outcome + 1);
        ssize_t wrote = write(ends[1], own, strlen(own));
        _exit(wrote > 0 ? 0 : 1);
    }
    close(ends[1]);
    char got[1000] = "";
    ssize_t size = 0, more;
    while ((more = read(ends[0], got + size, sizeof got - 1 - (size_t)size)) > 0)
        size += more;
    close(ends[0]);
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    if (status != 0 || size == 0) {
        snprintf(words, room, "%s", WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "exit");
        return CRASHED;
    }
    snprintf(words, room, "%s", got + 1);
    return (Outcome)(got[0] - 1);
}

/* ---- all numbers of a scene ---- */

typedef struct Leaf {
    json_t *in, *value; /* the object or list that holds it */
    const char *key;    /* NULL: a list */
    size_t index;
    char path[200];
} Leaf;

enum { MOST_LEAVES = 2000, MOST_ALIKE = 6 };

static size_t collect(json_t *in, const char *path, Leaf *leaf, size_t count);

static size_t collect_one(Leaf one, Leaf *leaf, size_t count)
{
    if (!json_is_number(one.value))
        return collect(one.value, one.path, leaf, count);
    CHECK(count < MOST_LEAVES);
    leaf[count] = one;
    return count + 1;
}

static size_t collect(json_t *in, const char *path, Leaf *leaf, size_t count)
{
    Leaf one = {.in = in};
    if (json_is_object(in))
        json_object_foreach(in, one.key, one.value)
        {
            if (strcmp(one.key, "phyxel") == 0 || strcmp(one.key, "camera") == 0 ||
                strcmp(one.key, "views") == 0 || strcmp(one.key, "look") == 0 ||
                strcmp(one.key, "picture") == 0)
                continue; /* what pictures show */
            snprintf(one.path, sizeof one.path, "%.150s%s%.40s", path, path[0] != '\0' ? "." : "",
                     one.key);
            count = collect_one(one, leaf, count);
        }
    if (json_is_array(in))
        json_array_foreach(in, one.index, one.value)
        {
            if (one.index >= MOST_ALIKE)
                break; /* a hundred dominoes are alike */
            snprintf(one.path, sizeof one.path, "%.150s[%zu]", path, one.index);
            count = collect_one(one, leaf, count);
        }
    return count;
}

static void put(const Leaf *leaf, json_t *value)
{
    CHECK((leaf->key != NULL ? json_object_set_new(leaf->in, leaf->key, value)
                             : json_array_set_new(leaf->in, leaf->index, value)) == 0);
}

/* The scene with another value at one place; free() it. */
static char *with_value(json_t *root, const Leaf *leaf, double number)
{
    json_t *before = json_incref(leaf->value);
    put(leaf, number == floor(number) && fabs(number) < 1e15 ? json_integer((json_int_t)number)
                                                             : json_real(number));
    char *text = json_dumps(root, JSON_REAL_PRECISION(17));
    put(leaf, before);
    CHECK(text != NULL);
    return text;
}

static json_t *scene_tree(const char *name)
{
    char path[1024];
    json_error_t error;
    snprintf(path, sizeof path, PX_SOURCE_DIR "/scenes/%.63s", name);
    json_t *root = json_load_file(path, 0, &error);
    CHECK(root != NULL);
    return root;
}

/* The coarsest spacing at which the scene is good; 0: it is too slow for this test. A scene that is
 * refused may be good at a finer spacing; one that is slow or large is not. */
static double coarse_of(const char *text)
{
    static const double tries[] = {6, 5, 4, 3, 2.5, 2, 1.5};
    char words[1000];
    Outcome outcome = REFUSED;
    for (size_t k = 0; k < sizeof tries / sizeof *tries && outcome == REFUSED; ++k) {
        outcome = try_apart(text, tries[k], SECONDS_TO_CHOOSE, words, sizeof words);
        if (outcome == GOOD)
            return tries[k];
    }
    return 0;
}

/* Every `stride`-th of the mutated scenes. */
static void try_all(const char *name, size_t stride, size_t *turn, size_t tally[OUTCOMES],
                    bool talk)
{
    static Leaf leaf[MOST_LEAVES];
    json_t *root = scene_tree(name);
    size_t leaves = collect(root, "", leaf, 0);
    char *text = json_dumps(root, JSON_REAL_PRECISION(17)), words[1000];
    double coarse = -1;
    for (size_t k = 0; k < leaves && coarse != 0; ++k)
        for (size_t f = 0; f < sizeof factors / sizeof *factors; ++f) {
            if ((*turn)++ % stride != 0)
                continue;
            if (coarse < 0)
                coarse = coarse_of(text);
            if (coarse == 0)
                break;
            double value = json_number_value(leaf[k].value), number = value * factors[f];
            if (number == value)
                continue;
            char *changed = with_value(root, &leaf[k], number);
            Outcome outcome = try_apart(changed, coarse, SECONDS, words, sizeof words);
            free(changed);
            ++tally[outcome];
            if (outcome >= NO_WORLD || (talk && outcome == SLOW))
                print_message("%s: %s x %g: %s = %g: %s\n", outcome_name[outcome], name, coarse,
                              leaf[k].path, number, words);
        }
    free(text);
    json_decref(root);
}

static void check_edges(const char *which, size_t stride, bool talk)
{
    char name[SHIPPED_MOST][64];
    size_t count = shipped_names(name), tally[OUTCOMES] = {0}, turn = 0;
    for (size_t k = 0; k < count; ++k)
        if (strcmp(which, "all") == 0 || strcmp(which, name[k]) == 0)
            try_all(name[k], stride, &turn, tally, talk);
    for (int k = 0; k < OUTCOMES; ++k)
        print_message("%s: %zu\n", outcome_name[k], tally[k]);
    CHECK(tally[GOOD] > 0 && tally[REFUSED] > 0);
    for (int k = NO_WORLD; k < OUTCOMES; ++k)
        CHECK_EQUAL(tally[k], 0);
}

TEST(a_scene_at_the_edge_of_what_the_check_accepts_takes_its_first_steps)
{
    check_edges("twist.json", 3, false);
}

PHYSICS(all_scenes_at_the_edge_of_what_the_check_accepts_take_their_first_steps)
{
    const char *which = getenv("PX_EXTREMES");
    check_edges(which != NULL ? which : "all", which != NULL ? 1 : 37, which != NULL);
}

TEST_MAIN()
