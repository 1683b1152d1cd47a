/// Tests as sentences, over cmocka: TEST(name) { ... CHECK(...); } and TEST_MAIN().
///
/// PHYSICS(name) declares a test that takes long because it compares physics with a formula or a
/// bound. Such tests run once, in the gcc release build; other compilers and the sanitizers run
/// the others (CMakePresets.json). So every file also needs a TEST that runs its code on
/// something small.
///
///   ./test_x                runs all tests
///   ./test_x WORD           runs those whose names contain WORD
///   ./test_x --physics      runs those declared with PHYSICS
///   ./test_x --no-physics   runs the others
#ifndef PX_TEST_CHECK_H
#define PX_TEST_CHECK_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "phyxel/status.h"

#define CHECK_MAX_TESTS 256

static struct CMUnitTest check_tests[CHECK_MAX_TESTS];
static bool check_physics[CHECK_MAX_TESTS];
static size_t check_count;

/// Declares a test, which adds itself to the list before main() runs.
#define TEST(test_name) CHECK_DECLARE(test_name, false)
#define PHYSICS(test_name) CHECK_DECLARE(test_name, true)

#define CHECK_DECLARE(test_name, is_physics)                                                       \
    static void test_name(void **state);                                                           \
    __attribute__((constructor)) static void test_name##_add(void)                                 \
    {                                                                                              \
        check_physics[check_count] = (is_physics);                                                 \
        check_tests[check_count++] =                                                               \
            (struct CMUnitTest){.name = #test_name, .test_func = test_name};                       \
    }                                                                                              \
    static void test_name(void **state __attribute__((unused)))

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition))                                                                          \
            fail_msg("%s:%d: not true: %s", __FILE__, __LINE__, #condition);                       \
    } while (0)

/// A call that must succeed; prints the reason when it does not.
#define CHECK_OK(call)                                                                             \
    do {                                                                                           \
        PxStatus check_status = (call);                                                            \
        if (check_status != PX_OK)                                                                 \
            fail_msg("%s:%d: %s: %s: %s", __FILE__, __LINE__, #call, px_status_name(check_status), \
                     px_error_message());                                                          \
    } while (0)

/// A call that must fail with `wanted` and a message that contains `words`.
#define CHECK_FAILS(call, wanted, words)                                                           \
    do {                                                                                           \
        PxStatus check_status = (call);                                                            \
        if (check_status != (wanted))                                                              \
            fail_msg("%s:%d: %s: got %s, wanted %s (%s)", __FILE__, __LINE__, #call,               \
                     px_status_name(check_status), px_status_name(wanted), px_error_message());    \
        if (strstr(px_error_message(), (words)) == NULL)                                           \
            fail_msg("%s:%d: %s: message '%s' lacks '%s'", __FILE__, __LINE__, #call,              \
                     px_error_message(), (words));                                                 \
    } while (0)

/// |a - b| <= tolerance; false for NaN.
#define CHECK_NEAR(a, b, tolerance)                                                                \
    do {                                                                                           \
        double check_a = (a), check_b = (b), check_t = (tolerance);                                \
        if (!(fabs(check_a - check_b) <= check_t))                                                 \
            fail_msg("%s:%d: %s = %.9g, %s = %.9g, apart by %.3g, allowed %.3g", __FILE__,         \
                     __LINE__, #a, check_a, #b, check_b, fabs(check_a - check_b), check_t);        \
    } while (0)

#define CHECK_EQUAL(a, b)                                                                          \
    do {                                                                                           \
        long long check_a = (long long)(a), check_b = (long long)(b);                              \
        if (check_a != check_b)                                                                    \
            fail_msg("%s:%d: %s = %lld, %s = %lld", __FILE__, __LINE__, #a, check_a, #b, check_b); \
    } while (0)

#define CHECK_TEXT(a, b)                                                                           \
    do {                                                                                           \
        const char *check_a = (a), *check_b = (b);                                                 \
        if (strcmp(check_a, check_b) != 0)                                                         \
            fail_msg("%s:%d: %s = '%s', wanted '%s'", __FILE__, __LINE__, #a, check_a, check_b);   \
    } while (0)

/// Keeps the tests of one kind.
static inline void check_keep(bool physics)
{
    size_t kept = 0;
    for (size_t k = 0; k < check_count; ++k)
        if (check_physics[k] == physics)
            check_tests[kept++] = check_tests[k];
    check_count = kept;
}

#define TEST_MAIN()                                                                                \
    int main(int argc, char **argv)                                                                \
    {                                                                                              \
        char filter[256];                                                                          \
        if (argc > 1 && strcmp(argv[1], "--physics") == 0)                                         \
            check_keep(true);                                                                      \
        else if (argc > 1 && strcmp(argv[1], "--no-physics") == 0)                                 \
            check_keep(false);                                                                     \
        else if (argc > 1) {                                                                       \
            snprintf(filter, sizeof filter, "*%s*", argv[1]);                                      \
            cmocka_set_test_filter(filter);                                                        \
        }                                                                                          \
        return _cmocka_run_group_tests(__FILE__, check_tests, check_count, NULL, NULL);            \
    }

#endif
