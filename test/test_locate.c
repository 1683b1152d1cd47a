/// Finding the place of a value in JSON text.
#include "check.h"

#include "scene/text/locate.h"
#include "base/words.h"

#include <stdlib.h>

static PxLocation locate(const char *text, const PxPath *path)
{
    PxLocation wanted = {.path = path->hash};
    CHECK_OK(px_locate(text, strlen(text), &wanted, 1));
    return wanted;
}

#define CHECK_PLACE(text, path, wanted_line, wanted_column)                                        \
    do {                                                                                           \
        PxLocation found = locate(text, path);                                                     \
        CHECK_EQUAL(found.line, wanted_line);                                                      \
        CHECK_EQUAL(found.column, wanted_column);                                                  \
    } while (0)

TEST(values_and_keys_are_found)
{
    const char *text =
        "\n{ \"a\": 1,\n  \"b\" : [ 2, {\"c\":\n\ttrue }, [[3]] ],\r\n \"d\": \"x\" }\n";
    PxPath root = px_path_root(), a = px_path_key(&root, "a"), b = px_path_key(&root, "b");
    PxPath b0 = px_path_index(&b, 0), b1 = px_path_index(&b, 1), c = px_path_key(&b1, "c");
    PxPath b2 = px_path_index(&b, 2), b20 = px_path_index(&b2, 0), b200 = px_path_index(&b20, 0);
    PxPath d = px_path_key(&root, "d"), e = px_path_key(&root, "e");
    CHECK_PLACE(text, &root, 2, 1);
    CHECK_PLACE(text, &a, 2, 8);
    CHECK_PLACE(text, &b, 3, 9);
    CHECK_PLACE(text, &b0, 3, 11);
    CHECK_PLACE(text, &b1, 3, 14);
    CHECK_PLACE(text, &c, 4, 2);
    CHECK_PLACE(text, &b200, 4, 12);
    CHECK_PLACE(text, &d, 5, 7);
    CHECK_PLACE(text, &e, 0, 0);
    PxLocation key = locate(text, &c);
    CHECK_EQUAL(key.key_line, 3);
    CHECK_EQUAL(key.key_column, 15);
    CHECK_EQUAL(locate(text, &b0).key_line, 0);
}

TEST(several_places_are_found_in_one_walk)
{
    const char *text = "{\"a\": [10, 11, 12]}";
    PxPath root = px_path_root(), a = px_path_key(&root, "a");
    PxLocation wanted[3];
    for (size_t k = 0; k < 3; ++k)
        wanted[k] = (PxLocation){.path = px_path_index(&a, k).hash};
    for (size_t k = 0; k < 3; ++k) /* sort three */
        for (size_t j = 0; j + 1 < 3; ++j)
            if (wanted[j].path > wanted[j + 1].path) {
                PxLocation swap = wanted[j];
                wanted[j] = wanted[j + 1];
                wanted[j + 1] = swap;
            }
    CHECK_OK(px_locate(text, strlen(text), wanted, 3));
    for (size_t k = 0; k < 3; ++k)
        CHECK_EQUAL(px_location_find(wanted, 3, px_path_index(&a, k).hash)->column, 8 + 4 * k);
    CHECK(px_location_find(wanted, 3, a.hash) == NULL);
}

TEST(a_dot_in_a_key_is_not_a_step)
{
    const char *text = "{\"a.b\": 1, \"a\": {\"b\": 2}}";
    PxPath root = px_path_root(), a = px_path_key(&root, "a"), b = px_path_key(&a, "b");
    PxPath dotted = px_path_key(&root, "a.b");
    CHECK_PLACE(text, &dotted, 1, 9);
    CHECK_PLACE(text, &b, 1, 23);
}

TEST(braces_within_strings_are_ignored)
{
    const char *text = "{\"x\": \"}]\\\"{[,\", \"y\": [\"\\\\\", 5]}";
    PxPath root = px_path_root(), y = px_path_key(&root, "y"), y1 = px_path_index(&y, 1);
    CHECK_PLACE(text, &y1, 1, 30);
}

TEST(text_that_is_cut_off_does_no_harm)
{
    /* The walk is meant for valid JSON, but must not run away from anything. */
    const char *text = "{\"a\": [1, {\"b\\u12\": \"c\\";
    PxPath root = px_path_root();
    for (size_t size = 0; size <= strlen(text); ++size) {
        char *part = malloc(size + 1);
        memcpy(part, text, size);
        PxLocation wanted = {.path = root.hash};
        CHECK_OK(px_locate(part, size, &wanted, 1));
        free(part);
    }
}

TEST(paths_are_written_as_people_write_them)
{
    PxPath root = px_path_root(), bodies = px_path_key(&root, "bodies");
    PxPath third = px_path_index(&bodies, 2), shape = px_path_key(&third, "shape");
    PxPath bell = px_path_key(&shape, "\a");
    char text[100], small[10];
    px_path_text(&root, text, sizeof text);
    CHECK_TEXT(text, "");
    px_path_text(&shape, text, sizeof text);
    CHECK_TEXT(text, "bodies[2].shape");
    px_path_text(&bell, text, sizeof text);
    CHECK_TEXT(text, "bodies[2].shape.\\u0007");
    px_path_text(&shape, small, sizeof small);
    CHECK_TEXT(small, "bodies[2]");
}

TEST(quoted_text_is_cut_between_characters)
{
    char small[8];
    CHECK_TEXT(px_quote("abcdefg", small, sizeof small), "abcdefg");
    CHECK_TEXT(px_quote("abcdefgh", small, sizeof small), "abcd...");
    CHECK_TEXT(px_quote("\u00e4\u00e4\u00e4\u00e4", small, sizeof small), "\u00e4\u00e4...");
    CHECK_TEXT(px_quote("\x1b", small, sizeof small), "\\u001b");
    CHECK_TEXT(px_quote("", small, sizeof small), "");
    char broken[32];
    CHECK_TEXT(px_quote("a\xff\xc3", broken, sizeof broken), "a\\ufffd\\ufffd");
}

TEST(numbers_are_written_short_and_read_back_the_same)
{
    char text[32];
    CHECK_TEXT(px_number_text(0.1, text), "0.1");
    CHECK_TEXT(px_number_text(-0.0, text), "0");
    CHECK_TEXT(px_number_text(1e300, text), "1e+300");
    CHECK_TEXT(px_number_text(100000, text), "100000");
    const double values[] = {1.0 / 3, 0.1 + 0.2, 5e-324, 1.7976931348623157e308,
                             123456789012345678.0};
    for (size_t k = 0; k < sizeof values / sizeof *values; ++k)
        CHECK(strtod(px_number_text(values[k], text), NULL) == values[k]);
}

TEST_MAIN()
