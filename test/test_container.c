/// Containers: tables and scalars are read back bit by bit, damage is reported.
#include "check.h"
#include "folder.h"

#include "base/random.h"
#include "store/container.h"
#include "base/digest.h"
#include "store/file.h"

#include <hdf5.h>
#include <sys/wait.h>

static const PxThreads one = {.count = 1}, three = {.count = 3};

/* A table with a column of every type and of 1, 3, 6 and 9 components. */
static void fill(PxTable *table, uint32_t rows)
{
    px_table_init(table, NULL);
    CHECK_OK(px_table_add(table, "id", "", PX_U64, 1, PX_COLUMN_STATE | PX_COLUMN_FRAME, NULL));
    CHECK_OK(
        px_table_add(table, "position", "m", PX_F32, 3, PX_COLUMN_STATE | PX_COLUMN_FRAME, NULL));
    CHECK_OK(px_table_add(table, "energy", "J", PX_F64, 1, PX_COLUMN_FRAME, NULL));
    CHECK_OK(px_table_add(table, "stress", "Pa", PX_F32, 6, PX_COLUMN_STATE, NULL));
    CHECK_OK(px_table_add(table, "gradient", "", PX_F64, 9, PX_COLUMN_STATE, NULL));
    CHECK_OK(px_table_add(table, "kind", "", PX_U8, 1, PX_COLUMN_STATE, NULL));
    CHECK_OK(px_table_add(table, "charge", "e", PX_I32, 1, PX_COLUMN_STATE, NULL));
    CHECK_OK(px_table_add(table, "material", "", PX_U32, 1, PX_COLUMN_STATE, NULL));
    CHECK_OK(px_table_add(table, "work", "", PX_F32, 1, PX_COLUMN_WORK, NULL));
    CHECK_OK(px_table_append(table, rows, NULL));
    for (uint32_t c = 0; c < table->columns; ++c) {
        PxColumn *column = &table->column[c];
        size_t size = px_type_size(column->type);
        for (uint32_t k = 0; k < column->components; ++k)
            for (uint32_t i = 0; i < rows; ++i) {
                uint64_t bits = px_random_bits(i, c, k) & (i % 2 ? ~0ull : 0xffull);
                memcpy((char *)column->data[k] + i * size, &bits, size);
            }
    }
}

static void pack(const PxTable *table, int level, const PxThreads *threads, void **bytes,
                 size_t *size)
{
    PxContainerWriter *writer;
    PxScalar scalars[] = {px_scalar_u64("step", UINT64_MAX), px_scalar_f64("time", 0.1),
                          px_scalar_text("name", "wax \xc3\xa9 <bunny>"),
                          px_scalar_text("empty", "")};
    CHECK_OK(px_container_create(&writer));
    CHECK_OK(px_container_put(writer, scalars, 4));
    CHECK_OK(px_container_put_table(writer, "particles", table, PX_COLUMN_STATE | PX_COLUMN_FRAME,
                                    level, threads));
    CHECK_OK(px_container_bytes(writer, bytes, size));
    px_container_discard(writer);
}

/* Every stored column of `a` is in `b`, in the same order, with the same bits. */
static void check_same(const PxTable *a, const PxTable *b)
{
    CHECK_EQUAL(a->count, b->count);
    uint32_t next = 0;
    for (uint32_t c = 0; c < a->columns; ++c) {
        const PxColumn *x = &a->column[c], *y = &b->column[next];
        if (x->flags & PX_COLUMN_WORK)
            continue;
        CHECK(next++ < b->columns);
        CHECK_TEXT(x->name, y->name);
        CHECK_TEXT(x->unit, y->unit);
        CHECK_EQUAL(x->type, y->type);
        CHECK_EQUAL(x->flags, y->flags);
        CHECK_EQUAL(x->components, y->components);
        for (uint32_t k = 0; k < x->components; ++k)
            CHECK(memcmp(x->data[k], y->data[k], a->count * px_type_size(x->type)) == 0);
    }
    CHECK_EQUAL(next, b->columns);
}

TEST(any_table_comes_back_bit_by_bit)
{
    /* One block has up to 16384 rows; several have the same, but for the last. */
    const uint32_t rows[] = {0, 1, 2, 16384, 16385, 40000};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; ++r)
        for (int level = 0; level <= 1; ++level) {
            PxTable table, back;
            fill(&table, rows[r]);
            void *bytes;
            size_t size;
            pack(&table, level, &three, &bytes, &size);
            PxContainer *container;
            CHECK_OK(px_container_open_bytes(&container, bytes, size, "test"));
            px_table_init(&back, NULL);
            CHECK_OK(px_container_get_table(container, "particles", &back, &three));
            check_same(&table, &back);
            px_container_close(container);
            px_table_free(&back);
            px_table_free(&table);
            px_list_free(bytes);
        }
}

TEST(scalars_come_back_as_they_were)
{
    PxTable table;
    fill(&table, 3);
    void *bytes;
    size_t size;
    pack(&table, 1, &one, &bytes, &size);
    PxContainer *container;
    CHECK_OK(px_container_open_bytes(&container, bytes, size, "test"));
    PxScalar s[] = {{.name = "name", .kind = PX_SCALAR_TEXT},
                    {.name = "time", .kind = PX_SCALAR_F64},
                    {.name = "step", .kind = PX_SCALAR_U64},
                    {.name = "empty", .kind = PX_SCALAR_TEXT}};
    CHECK_OK(px_container_get(container, s, 4));
    CHECK_TEXT(s[0].text, "wax \xc3\xa9 <bunny>");
    CHECK(s[1].f64 == 0.1);
    CHECK(s[2].u64 == UINT64_MAX);
    CHECK_TEXT(s[3].text, "");
    PxScalar wrong = {.name = "time", .kind = PX_SCALAR_U64};
    CHECK_FAILS(px_container_get(container, &wrong, 1), PX_ERR_FORMAT, "not one u64");
    wrong = (PxScalar){.name = "step", .kind = PX_SCALAR_TEXT};
    CHECK_FAILS(px_container_get(container, &wrong, 1), PX_ERR_FORMAT, "not one text");
    wrong = (PxScalar){.name = "none", .kind = PX_SCALAR_TEXT};
    CHECK_FAILS(px_container_get(container, &wrong, 1), PX_ERR_FORMAT, "'test': the file has no");
    CHECK(px_container_has_table(container, "particles"));
    CHECK(!px_container_has_table(container, "surfels"));
    PxTable none;
    px_table_init(&none, NULL);
    CHECK_FAILS(px_container_get_table(container, "surfels", &none, &one), PX_ERR_FORMAT,
                "no table 'surfels'");
    px_container_close(container);
    px_table_free(&table);
    px_list_free(bytes);
}

TEST(the_same_contents_are_the_same_bytes_for_any_number_of_threads)
{
    PxTable table;
    fill(&table, 40000);
    void *a, *b;
    size_t size_a, size_b;
    pack(&table, 1, &one, &a, &size_a);
    pack(&table, 1, &three, &b, &size_b);
    CHECK_EQUAL(size_a, size_b);
    CHECK(memcmp(a, b, size_a) == 0);
    px_list_free(a);
    px_list_free(b);
    px_table_free(&table);
}

TEST(columns_the_file_lacks_are_zero_and_others_must_agree)
{
    PxTable table, back;
    fill(&table, 5);
    void *bytes;
    size_t size;
    pack(&table, 0, &one, &bytes, &size);
    PxContainer *container;
    CHECK_OK(px_container_open_bytes(&container, bytes, size, "test"));
    px_table_init(&back, NULL);
    CHECK_OK(px_table_add(&back, "extra", "", PX_F32, 1, PX_COLUMN_STATE, NULL));
    CHECK_OK(px_table_add(&back, "energy", "", PX_F64, 1, PX_COLUMN_WORK, NULL));
    CHECK_OK(px_table_append(&back, 9, NULL));
    ((float *)back.column[0].data[0])[2] = 7;
    CHECK_OK(px_container_get_table(container, "particles", &back, &one));
    CHECK_EQUAL(back.count, 5);
    CHECK(((float *)back.column[0].data[0])[2] == 0);
    CHECK(((uint64_t *)back.column[1].data[0])[3] ==
          ((uint64_t *)px_table_find(&table, "energy")->data[0])[3]);
    CHECK_EQUAL(back.column[1].flags, PX_COLUMN_WORK);
    px_table_free(&back);

    uint32_t rows;
    CHECK_OK(px_container_get_columns(container, "particles", &back, &rows));
    CHECK_EQUAL(rows, 5);
    CHECK_EQUAL(back.count, 0);
    CHECK_EQUAL(back.columns, 8);
    px_table_free(&back);

    CHECK_OK(px_table_add(&back, "energy", "", PX_F32, 1, 0, NULL));
    CHECK_FAILS(px_container_get_table(container, "particles", &back, &one), PX_ERR_FORMAT,
                "'energy' is f64 x 1, wanted f32 x 1");
    CHECK_EQUAL(back.count, 0);
    px_table_free(&back);
    px_container_close(container);
    px_table_free(&table);
    px_list_free(bytes);
}

TEST(several_containers_can_be_open_at_once)
{
    PxTable a, b, back;
    fill(&a, 10);
    fill(&b, 20);
    PxContainerWriter *first, *second;
    CHECK_OK(px_container_create(&first));
    CHECK_OK(px_container_create(&second));
    CHECK_OK(px_container_put_table(first, "t", &a, ~0u, 0, &one));
    CHECK_OK(px_container_put_table(second, "t", &b, ~0u, 0, &one));
    CHECK_FAILS(px_container_put_table(second, "t", &b, ~0u, 0, &one), PX_ERR_ARGUMENT, "already");
    CHECK_FAILS(px_container_put_table(second, "a/b", &b, ~0u, 0, &one), PX_ERR_ARGUMENT, "a/b");
    void *bytes[2];
    size_t size[2];
    CHECK_OK(px_container_bytes(first, &bytes[0], &size[0]));
    CHECK_OK(px_container_bytes(second, &bytes[1], &size[1]));
    px_container_discard(first);
    px_container_discard(second);
    PxContainer *open[2];
    CHECK_OK(px_container_open_bytes(&open[0], bytes[0], size[0], "a"));
    CHECK_OK(px_container_open_bytes(&open[1], bytes[1], size[1], "b"));
    for (int k = 0; k < 2; ++k) {
        px_table_init(&back, NULL);
        CHECK_OK(px_container_get_table(open[k], "t", &back, &one));
        CHECK_EQUAL(back.count, k == 0 ? 10 : 20);
        px_table_free(&back);
    }
    for (int k = 0; k < 2; ++k) {
        px_container_close(open[k]);
        px_list_free(bytes[k]);
    }
    px_container_close(NULL);
    px_container_discard(NULL);
    px_table_free(&a);
    px_table_free(&b);
}

TEST(long_text_is_cut_between_characters)
{
    char text[600];
    for (int k = 0; k < 300; ++k)
        memcpy(text + 1 + 2 * k - (k > 298), "\xc3\xa9", 2);
    text[0] = 'x';
    text[598] = '\0';
    PxScalar scalar = px_scalar_text("a", text);
    CHECK_EQUAL(strlen(scalar.text), 255);
    text[0] = 'x';
    text[1] = 'y';
    memmove(text + 2, text + 1, 500);
    memcpy(text + 2, "\xc3\xa9\xc3\xa9", 4);
    for (int k = 0; k < 200; ++k)
        memcpy(text + 2 + 2 * k, "\xc3\xa9", 2);
    scalar = px_scalar_text("a", text);
    CHECK_EQUAL(strlen(scalar.text), 254);
}

TEST(hdf5_prints_nothing_and_its_error_handler_is_kept)
{
    H5E_auto2_t before, after;
    void *data_before, *data_after;
    H5Eget_auto2(H5E_DEFAULT, &before, &data_before);
    PxContainer *container;
    uint8_t bytes[64] = {0};
    CHECK_FAILS(px_container_open_bytes(&container, bytes, sizeof bytes, "x"), PX_ERR_FORMAT,
                "seal");
    H5Eget_auto2(H5E_DEFAULT, &after, &data_after);
    CHECK(before == after && data_before == data_after);
}

TEST(other_programs_can_open_the_file)
{
    if (system("command -v h5dump >/dev/null 2>&1") != 0)
        return;
    Folder folder = folder_make();
    PxTable table;
    fill(&table, 40000);
    void *bytes;
    size_t size;
    pack(&table, 1, &three, &bytes, &size);
    const char *path = folder_file(&folder, "a.h5");
    CHECK_OK(px_file_write_atomic(path, bytes, size));
    char command[2000];
    /* h5dump unpacks the rows with HDF5's own filters and must find our bytes. */
    snprintf(command, sizeof command,
             "cd %s && h5ls -r a.h5 >/dev/null && h5dump -d /particles/gradient -b LE -o out.bin "
             "a.h5 >/dev/null",
             folder.path);
    CHECK_EQUAL(system(command), 0);
    void *out;
    size_t out_size;
    CHECK_OK(px_file_read(folder_file(&folder, "out.bin"), 1 << 24, &out, &out_size));
    CHECK_EQUAL(out_size, 40000 * 9 * 8);
    const PxColumn *gradient = px_table_find(&table, "gradient");
    for (uint32_t i = 0; i < table.count; ++i)
        for (uint32_t k = 0; k < 9; ++k)
            CHECK(memcmp((double *)out + i * 9 + k, (double *)gradient->data[k] + i, 8) == 0);
    px_list_free(out);
    px_list_free(bytes);
    px_table_free(&table);
    folder_remove(&folder);
}

/* ---- damage ---- */

static void small_file(void **bytes, size_t *size)
{
    PxTable table;
    fill(&table, 40);
    pack(&table, 1, &one, bytes, size);
    px_table_free(&table);
}

TEST(a_file_cut_anywhere_is_refused)
{
    void *bytes;
    size_t size;
    small_file(&bytes, &size);
    for (size_t length = 0; length < size; length += length < size - 100 ? 7 : 1) {
        /* A separate allocation, so that the sanitizer detects reads past the end. */
        uint8_t *cut = malloc(length > 0 ? length : 1);
        memcpy(cut, bytes, length);
        PxContainer *container;
        CHECK_FAILS(px_container_open_bytes(&container, cut, length, "cut"), PX_ERR_FORMAT, "cut");
        free(cut);
    }
    px_list_free(bytes);
}

TEST(a_flipped_byte_anywhere_is_detected)
{
    void *bytes;
    size_t size;
    small_file(&bytes, &size);
    uint8_t *flipped = bytes;
    for (uint64_t k = 0; k < 4000; ++k) {
        size_t at = px_random_bits(k, 1, 0) % size;
        uint8_t change = (uint8_t)(1u << px_random_bits(k, 1, 1) % 8);
        flipped[at] ^= change;
        PxContainer *container;
        CHECK_FAILS(px_container_open_bytes(&container, flipped, size, "flip"), PX_ERR_FORMAT,
                    "damaged");
        flipped[at] ^= change;
    }
    PxContainer *container;
    CHECK_OK(px_container_open_bytes(&container, bytes, size, "whole"));
    px_container_close(container);
    px_list_free(bytes);
}

/* Reads all contents; it may fail but must return. */
static PxStatus read_all(const void *bytes, size_t size)
{
    PxContainer *container;
    PX_TRY(px_container_open_bytes(&container, bytes, size, "forged"));
    PxTable table;
    px_table_init(&table, NULL);
    PxScalar scalars[] = {{.name = "name", .kind = PX_SCALAR_TEXT},
                          {.name = "time", .kind = PX_SCALAR_F64},
                          {.name = "step", .kind = PX_SCALAR_U64}};
    PxStatus status = px_container_get(container, scalars, 3);
    PxStatus second = px_container_get_table(container, "particles", &table, &one);
    if (second != PX_OK && table.count != 0)
        status = PX_ERR_NUMERIC; /* must not be */
    px_table_free(&table);
    px_container_close(container);
    return status != PX_OK ? status : second;
}

/* Overwrites one or two bytes and seals the file again, 500 times. Returns how many were
 * refused, or -1 after any other error. */
static int forge(int level)
{
    PxTable table;
    fill(&table, 40);
    void *bytes;
    size_t size;
    pack(&table, level, &one, &bytes, &size);
    px_table_free(&table);
    int refused = 0;
    for (uint64_t k = 0; k < 500; ++k) {
        uint8_t *copy = malloc(size);
        memcpy(copy, bytes, size);
        for (uint64_t flip = 0; flip <= k % 2; ++flip)
            copy[px_random_bits(k, 2, flip) % (size - 32)] = (uint8_t)px_random_bits(k, 3, flip);
        uint64_t digest[2];
        px_digest(copy, size - 32, digest);
        memcpy(copy + size - 16, digest, sizeof digest);
        PxStatus status = read_all(copy, size);
        if (status != PX_OK && status != PX_ERR_FORMAT)
            return -1;
        refused += status != PX_OK;
        free(copy);
    }
    px_list_free(bytes);
    return H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL) == 0 ? refused : -1;
}

TEST(damage_under_a_forged_seal_is_read_or_refused)
{
    for (int level = 0; level <= 1; ++level) {
        /* In a child: HDF5 loses memory over such files and says so at exit. */
        pid_t child = fork();
        if (child == 0)
            _exit(forge(level) > 50 ? 0 : 1); /* others hit numbers, or what nobody reads */
        int result = 1;
        waitpid(child, &result, 0);
        CHECK_EQUAL(result, 0);
    }
}

TEST(a_file_without_a_seal_is_refused_before_it_is_read)
{
    Folder folder = folder_make();
    const char *path = folder_file(&folder, "a.h5");
    void *bytes;
    size_t size;
    small_file(&bytes, &size);
    PxContainer *container;
    CHECK_OK(px_file_write_atomic(path, bytes, size - 32));
    CHECK_FAILS(px_container_open(&container, path), PX_ERR_FORMAT, "a.h5': the file is damaged");
    CHECK_OK(px_file_write_atomic(path, bytes, size));
    CHECK_OK(px_container_open(&container, path));
    px_container_close(container);
    /* A sparse file of a terabyte must not be allocated. */
    CHECK(truncate(path, (off_t)1 << 40) == 0);
    CHECK_FAILS(px_container_open(&container, path), PX_ERR_FORMAT, "damaged");
    CHECK_FAILS(px_container_open(&container, folder.path), PX_ERR_IO, "directory");
    px_list_free(bytes);
    folder_remove(&folder);
}

TEST(a_file_of_an_older_version_is_refused_with_that_reason)
{
    void *bytes;
    size_t size;
    small_file(&bytes, &size);
    memcpy((uint8_t *)bytes + size - 32, "PHYXEL\r\n", 8);
    PxContainer *container;
    CHECK_FAILS(px_container_open_bytes(&container, bytes, size, "x"), PX_ERR_FORMAT,
                "written by an older phyxel");
    px_list_free(bytes);
}

/* ---- files made by others, with a good seal ---- */

typedef enum Trick {
    GOOD,
    SHORT_TYPE,
    OTHER_ROWS,
    RANK_THREE,
    TEN_COMPONENTS,
    ELSEWHERE,
    LINK_AWAY,
    HUGE_CLAIM,
    NOT_THERE,
    BLOCK_NOT_THERE,
    OTHER_FILTER,
    TINY_BLOCKS,
    NO_UNIT,
    LONG_UNIT,
    NO_COUNT,
    MANY_ROWS_NO_COLUMN,
    UNORDERED,
    BAD_NAME,
    TRICKS
} Trick;

static void put_u64(hid_t object, const char *name, uint64_t value)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(object, name, H5T_STD_U64LE, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, H5T_STD_U64LE, &value);
    H5Aclose(attribute);
    H5Sclose(space);
}

static void put_text(hid_t object, const char *name, const char *text)
{
    hid_t space = H5Screate(H5S_SCALAR), type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, strlen(text) + 1);
    hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, type, text);
    H5Aclose(attribute);
    H5Tclose(type);
    H5Sclose(space);
}

/* A table `t` with one column `a` of 2000 floats, with something wrong about it. */
static void make_by_hand(const char *path, Trick trick)
{
    const uint64_t rows = trick == HUGE_CLAIM ? 4000000000u : 2000;
    float values[2000] = {0};
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t order = H5Pcreate(H5P_GROUP_CREATE);
    if (trick != UNORDERED)
        H5Pset_link_creation_order(order, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    hid_t group = H5Gcreate2(file, "t", H5P_DEFAULT, order, H5P_DEFAULT);
    H5Pclose(order);
    if (trick != NO_COUNT)
        put_u64(group, "count", trick == OTHER_ROWS ? rows + 1 : rows);
    if (trick == LINK_AWAY) {
        H5Lcreate_external("/etc/passwd", "/a", group, "a", H5P_DEFAULT, H5P_DEFAULT);
    } else if (trick != MANY_ROWS_NO_COLUMN) {
        hsize_t dims[3] = {rows, trick == TEN_COMPONENTS ? 10 : 3, 2};
        hsize_t block[1] = {trick == TINY_BLOCKS ? 10 : 2000};
        hid_t space = H5Screate_simple(trick == RANK_THREE       ? 3
                                       : trick == TEN_COMPONENTS ? 2
                                                                 : 1,
                                       dims, NULL);
        hid_t layout = H5Pcreate(H5P_DATASET_CREATE);
        H5Pset_fill_time(layout, H5D_FILL_TIME_NEVER);
        if (trick == ELSEWHERE)
            H5Pset_external(layout, "/etc/passwd", 0, 8000);
        if (trick >= HUGE_CLAIM && trick <= TINY_BLOCKS && trick != NOT_THERE) {
            H5Pset_chunk(layout, 1, block);
            if (trick != OTHER_FILTER)
                H5Pset_shuffle(layout);
            H5Pset_deflate(layout, 1);
        }
        hid_t data = H5Dcreate2(group, trick == BAD_NAME ? "a<b" : "a",
                                trick == SHORT_TYPE ? H5T_STD_I16LE : H5T_IEEE_F32LE, space,
                                H5P_DEFAULT, layout, H5P_DEFAULT);
        if (trick == GOOD || trick == OTHER_FILTER || trick == TINY_BLOCKS)
            H5Dwrite(data, H5T_IEEE_F32LE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
        put_u64(data, "flags", 1);
        if (trick != NO_UNIT)
            put_text(data, "unit", trick == LONG_UNIT ? "kg m^2 s^-2 K^-1" : "m");
        H5Dclose(data);
        H5Pclose(layout);
        H5Sclose(space);
    }
    H5Gclose(group);
    H5Fclose(file);
}

TEST(files_that_others_made_up_are_refused)
{
    static const char *const wanted[TRICKS] = {
        [SHORT_TYPE] = "type that is not known",
        [OTHER_ROWS] = "is not [2001]",
        [RANK_THREE] = "is not [2000]",
        [TEN_COMPONENTS] = "is not [2000]",
        [ELSEWHERE] = "stored in a way",
        [LINK_AWAY] = "is not a dataset",
        [HUGE_CLAIM] = "says to hold 16000000000 bytes",
        [NOT_THERE] = "rows of column 'a' are not there",
        [BLOCK_NOT_THERE] = "block 0 of column 'a' is not there",
        [OTHER_FILTER] = "stored in a way",
        [TINY_BLOCKS] = "stored in a way",
        [NO_UNIT] = "no attribute 'unit'",
        [LONG_UNIT] = "no good unit",
        [NO_COUNT] = "no attribute 'count'",
        [MANY_ROWS_NO_COLUMN] = "2000 rows and no column",
        [UNORDERED] = "no good name",
        [BAD_NAME] = "no good name",
    };
    Folder folder = folder_make();
    const char *path = folder_file(&folder, "made.h5");
    for (Trick trick = GOOD; trick < TRICKS; ++trick) {
        make_by_hand(path, trick);
        void *image;
        size_t size;
        CHECK_OK(px_file_read(path, 1 << 20, &image, &size));
        uint8_t *bytes = malloc(size + 32);
        uint64_t length = size, digest[2];
        memcpy(bytes, image, size);
        px_digest(bytes, size, digest);
        memcpy(bytes + size, "PHYXL2\r\n", 8);
        memcpy(bytes + size + 8, &length, 8);
        memcpy(bytes + size + 16, digest, 16);
        PxContainer *container;
        PxTable table;
        px_table_init(&table, NULL);
        CHECK_OK(px_container_open_bytes(&container, bytes, size + 32, "made"));
        if (wanted[trick] == NULL) {
            CHECK_OK(px_container_get_table(container, "t", &table, &one));
            CHECK_EQUAL(table.count, 2000);
        } else {
            CHECK_FAILS(px_container_get_table(container, "t", &table, &one), PX_ERR_FORMAT,
                        wanted[trick]);
            CHECK_EQUAL(table.count, 0);
            CHECK_EQUAL(table.capacity <= 2000, 1);
        }
        px_table_free(&table);
        px_container_close(container);
        px_list_free(image);
        free(bytes);
    }
    folder_remove(&folder);
}

TEST_MAIN()
