/// Defs of programs that were built with other headers, and the version that a program runs with.
#include "check.h"

#include "phyxel/phyxel.h"

#include <stdlib.h>
#include <string.h>

/* The def of a program compiled with a newer header: the sink's def with fields after it. */
typedef struct Newer {
    PxSinkDef def;
    double more[2];
} Newer;

static PxWorld *empty_world(void)
{
    PxWorldDef def = px_world_def_default();
    PxWorld *world;
    CHECK_OK(px_world_create(&def, &world));
    return world;
}

TEST(a_def_made_by_hand_is_refused)
{
    PxWorld *world = empty_world();
    PxSinkDef def = {.name = "drain"};
    CHECK_FAILS(px_world_add_sink(world, &def, NULL), PX_ERR_ARGUMENT, "_default()");
    CHECK_FAILS(px_world_add_sink(world, NULL, NULL), PX_ERR_ARGUMENT, "_default()");
    px_world_free(world);
}

TEST(an_older_smaller_def_is_filled_up_with_defaults)
{
    PxWorldDef full = px_world_def_default();
    size_t size = offsetof(PxWorldDef, courant);
    void *old = malloc(size); /* a sanitizer sees whoever reads or writes beyond */
    PxDefHead head;
    PxWorld *world;
    px_world_def_init(old, size);
    memcpy(&head, old, sizeof head);
    CHECK_EQUAL(head.size, size);
    CHECK(memcmp((char *)old + sizeof head, (char *)&full + sizeof head, size - sizeof head) == 0);
    CHECK_OK(px_world_create(old, &world));
    px_world_free(world);
    free(old);
}

TEST(a_larger_def_of_a_newer_version_is_accepted_while_its_new_fields_are_unused)
{
    PxWorld *world = empty_world();
    Newer newer;
    px_sink_def_init(&newer.def, sizeof newer);
    CHECK_EQUAL(newer.def.head.size, sizeof newer);
    newer.def.name = "drain";
    CHECK_OK(px_world_add_sink(world, &newer.def, NULL));
    newer.more[1] = 1;
    newer.def.name = "other";
    CHECK_FAILS(px_world_add_sink(world, &newer.def, NULL), PX_ERR_ARGUMENT, "newer phyxel");
    px_world_free(world);
}

TEST(the_library_tells_its_version)
{
    int major, minor, patch;
    CHECK(strcmp(px_version(&major, &minor, &patch), PX_VERSION) == 0);
    CHECK_EQUAL(major, PX_VERSION_MAJOR);
    CHECK_EQUAL(minor, PX_VERSION_MINOR);
    CHECK_EQUAL(patch, PX_VERSION_PATCH);
    CHECK(px_version(NULL, NULL, NULL) != NULL);
}

TEST_MAIN()
