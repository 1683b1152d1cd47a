/// Every file of the fuzzers' corpora through its reader: nothing crashes, and files named so are
/// read or refused.
#include "check.h"

#include "fuzz/mesh_use.h"

#include <dirent.h>
#include <stdlib.h>

typedef PxStatus Reader(const char *name, const void *bytes, size_t size, PxMesh **out);

static void *file_bytes(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        fail_msg("%s cannot be opened", path);
    enum { MOST = 1 << 20 };
    char *bytes = malloc(MOST);
    *size = fread(bytes, 1, MOST, file);
    fclose(file);
    /* of exactly this size, so that a sanitizer sees a step beyond */
    return realloc(bytes, *size > 0 ? *size : 1);
}

static void replay(const char *kind, Reader *reader, int least)
{
    char folder[512], path[1024];
    snprintf(folder, sizeof folder, "%s/fuzz/corpus/%s", PX_SOURCE_DIR, kind);
    DIR *listing = opendir(folder);
    if (listing == NULL)
        fail_msg("%s cannot be opened", folder);
    int read = 0, refused = 0;
    for (struct dirent *entry; (entry = readdir(listing)) != NULL;) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        size_t size;
        void *bytes = file_bytes(path, &size);
        PxMesh *mesh;
        PxStatus status = reader(entry->d_name, bytes, size, &mesh);
        free(bytes);
        CHECK((status == PX_OK) == (mesh != NULL));
        if (status == PX_OK) {
            ++read;
            mesh_use(mesh);
        } else {
            ++refused;
            /* The complaint begins with the file and says more than that. */
            size_t length = strlen(entry->d_name);
            CHECK(status == PX_ERR_FORMAT);
            CHECK(strncmp(px_error_message(), entry->d_name, length) == 0);
            CHECK(strlen(px_error_message()) > length + 10);
        }
    }
    closedir(listing);
    CHECK(read >= least);
    CHECK(refused >= least);
}

TEST(all_obj_files_are_read_or_refused)
{
    replay("obj", px_mesh_read_obj, 10);
}

TEST(all_ply_files_are_read_or_refused)
{
    replay("ply", px_mesh_read_ply, 5);
}

TEST(all_stl_files_are_read_or_refused)
{
    replay("stl", px_mesh_read_stl, 5);
}

static PxStatus shape_of(const char *file)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/fuzz/corpus/%s", PX_SOURCE_DIR, file);
    PxShapeDef def = px_shape_def_default(PX_SHAPE_MESH);
    def.mesh = path;
    PxShape *shape;
    PxStatus status = px_shape_create(&def, &shape);
    px_shape_free(shape);
    return status;
}

TEST(sound_files_make_shapes_and_broken_ones_say_why)
{
    CHECK_OK(shape_of("obj/tetra.obj"));
    CHECK_OK(shape_of("obj/cube_quads.obj"));
    CHECK_OK(shape_of("obj/textured.obj"));
    CHECK_OK(shape_of("obj/welded.obj"));
    CHECK_OK(shape_of("obj/degenerate.obj"));
    CHECK_OK(shape_of("obj/two_parts.obj"));
    CHECK_OK(shape_of("obj/large_numbers.obj"));
    CHECK_OK(shape_of("obj/small_numbers.obj"));
    CHECK_OK(shape_of("obj/needle.obj"));
    CHECK_OK(shape_of("ply/tetra.ply"));
    CHECK_OK(shape_of("ply/tetra_little.ply"));
    CHECK_OK(shape_of("ply/cube_big.ply"));
    CHECK_OK(shape_of("ply/rich.ply"));
    CHECK_OK(shape_of("stl/tetra.stl"));
    CHECK_OK(shape_of("stl/binary_solid.stl"));
    CHECK_OK(shape_of("stl/binary_minus_zero.stl"));
    CHECK_FAILS(shape_of("obj/open.obj"), PX_ERR_FORMAT, "open.obj: the mesh is open");
    CHECK_FAILS(shape_of("obj/inverted.obj"), PX_ERR_FORMAT, "inside out");
    CHECK_FAILS(shape_of("obj/inconsistent.obj"), PX_ERR_FORMAT, "not consistently oriented");
    CHECK_FAILS(shape_of("obj/part_inverted.obj"), PX_ERR_FORMAT, "no volume");
    CHECK_FAILS(shape_of("obj/flat.obj"), PX_ERR_FORMAT, "no volume");
    CHECK_FAILS(shape_of("obj/tiny_numbers.obj"), PX_ERR_FORMAT, "no volume");
    CHECK_FAILS(shape_of("obj/nan.obj"), PX_ERR_FORMAT, "must be finite");
    CHECK_FAILS(shape_of("obj/index_beyond.obj"), PX_ERR_FORMAT, "names vertex 99");
    CHECK_FAILS(shape_of("obj/empty.obj"), PX_ERR_FORMAT, "the file is empty");
    CHECK_FAILS(shape_of("ply/million_little.ply"), PX_ERR_FORMAT, "announces 1000000");
    CHECK_FAILS(shape_of("stl/binary_open.stl"), PX_ERR_FORMAT, "the mesh is open");
    CHECK_FAILS(shape_of("stl/binary_all_ones.stl"), PX_ERR_FORMAT, "announces 4294967295");
}

TEST_MAIN()
