/* libtilewise: opening it, with options good and bad, and what it keeps on disk.
 *
 *     test_library_open BACKEND */
#include "tests/support/library.h"

#include <fcntl.h>

static const tw_request small_copy = {.kernel = "copy", .dimensions = {4, 4}};

static void refuses_to_open(const tw_options *options, tw_status status, const char *says) {
    tw_library *library = (tw_library *)options;
    tw_error error;
    assert_refuses(tw_open(&library, options, &error), status, error, says);
    assert_null(library);
    assert_status(tw_open(&library, options, NULL), status);
}

static void bad_options(void **state) {
    (void)state;
    static const char *const devices[] = {"cuda:99", "opencl:99", "vulkan",
                                          "",        "opencl:0x", "a\nb"};
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        tw_options options = bare_options();
        options.device = devices[i];
        refuses_to_open(&options, TW_NOT_FOUND, "there is no device");
    }
    tw_options options = bare_options();
    options.device = NULL;
    options.context = &options;
    refuses_to_open(&options, TW_INVALID, "not the device");
    options = bare_options();
    options.cache_policy = "lukewarm";
    refuses_to_open(&options, TW_INVALID, "\"cold\" or \"warm\", not \"lukewarm\"");
    options = bare_options();
    options.on_miss = (tw_miss)17;
    refuses_to_open(&options, TW_INVALID, "on_miss");
    options.on_miss = TW_MISS_TUNE;
    refuses_to_open(&options, TW_INVALID, "needs a database");
    static const char *const somewhere[] = {"/nowhere/at/all.db", NULL};
    options.databases = somewhere;
    options.tune_seconds = -1;
    refuses_to_open(&options, TW_INVALID, "tune_seconds is -1");
}

/* A program that goes on where tw_open or tw_plan_create failed has NULL for what it did not get.
 */
static void nothing_was_opened(void **state) {
    const tw_gemm_descriptor product = {.m = 1, .n = 1, .k = 1};
    const tw_gemm_grouped_descriptor grouped = {.groups = 1, .m = 1, .n = 1, .k = 1};
    const tw_conv2d_descriptor conv2d = TW_CONV2D_DESCRIPTOR_INIT;
    const tw_aat_descriptor aat = {.m = 1, .k = 1};
    const tw_request request = {.size = sizeof request, .kernel = "copy", .dimensions = {1, 1}};
    const tw_range range = {sizeof range, &request, 0, 1, 2, 1};
    tw_argument_info info = {.size = sizeof info};
    const tw_plan *plan;
    void *buffer;
    char x[4];
    tw_error error;
    (void)state;
#define REFUSES(call) assert_refuses(call, TW_INVALID, error, " is NULL")
    REFUSES(tw_gemm(NULL, NULL, TW_F32, TW_NN, 1, 1, 1, 1, x, 1, x, 1, 0, x, 1, &error));
    REFUSES(tw_gemm_ex(NULL, NULL, &product, x, x, x, &error));
    REFUSES(tw_gemm_grouped(NULL, NULL, &grouped, x, x, x, x, &error));
    REFUSES(tw_conv2d(NULL, NULL, &conv2d, x, x, x, &error));
    REFUSES(tw_conv2d_backward_data(NULL, NULL, &conv2d, x, x, x, &error));
    REFUSES(tw_conv2d_backward_weights(NULL, NULL, &conv2d, x, x, x, &error));
    REFUSES(tw_transpose(NULL, NULL, 4, 1, 1, x, 1, x, 1, &error));
    REFUSES(tw_copy(NULL, NULL, 4, 1, 1, x, 1, x, 1, &error));
    REFUSES(tw_aat(NULL, NULL, 1, 1, x, 1, x, 1, &error));
    REFUSES(tw_aat_ex(NULL, NULL, &aat, x, x, &error));
    REFUSES(tw_plan_create(&plan, NULL, &request, &error));
    REFUSES(tw_prepare(NULL, &request, 1, 1, NULL, NULL, &error));
    REFUSES(tw_prepare_ranges(NULL, &range, 1, 1, &error));
    REFUSES(tw_request_argument(&info, NULL, &request, 0, &error));
    REFUSES(tw_launch(NULL, NULL, NULL, 0, &error));
    REFUSES(tw_allocate(&buffer, NULL, 4, &error));
    REFUSES(tw_write(NULL, x, x, 4, &error));
    REFUSES(tw_read(NULL, NULL, x, x, 4, &error));
    REFUSES(tw_wait(NULL, NULL, &error));
    REFUSES(tw_open(NULL, NULL, &error));
    assert_null(tw_plan_explain(NULL));
    assert_string_equal(tw_device_id(NULL), "");
    assert_string_equal(tw_device_name(NULL), "");
    tw_plan_release(NULL);
    tw_release(NULL, NULL);
    tw_close(NULL);
    assert_status(tw_wait(NULL, NULL, NULL), TW_INVALID);
    tw_options options = bare_options();
    tw_library *library = open_with(&options);
    REFUSES(tw_gemm_ex(library, NULL, NULL, x, x, x, &error));
    REFUSES(tw_gemm_grouped(library, NULL, NULL, x, x, x, x, &error));
    REFUSES(tw_conv2d(library, NULL, NULL, x, x, x, &error));
    REFUSES(tw_aat_ex(library, NULL, NULL, x, x, &error));
    REFUSES(tw_plan_create(&plan, library, NULL, &error));
    REFUSES(tw_request_argument(&info, library, NULL, 0, &error));
    REFUSES(tw_request_argument(NULL, library, &request, 0, &error));
    REFUSES(tw_plan_create(NULL, library, &request, &error));
    REFUSES(tw_prepare(library, NULL, 2, 1, NULL, NULL, &error));
    REFUSES(tw_prepare_ranges(library, NULL, 1, 1, &error));
    REFUSES(tw_allocate(NULL, library, 4, &error));
    assert_status(tw_plan_create(&plan, library, &request, &error), TW_OK);
    REFUSES(tw_launch(plan, NULL, NULL, 2, &error));
#undef REFUSES
    tw_close(library);
}

static void opens_and_closes(void **state) {
    tw_library *library;
    tw_options options = bare_options();
    (void)state;
    library = open_with(&options);
    assert_int_equal(strncmp(tw_device_id(library), backend, strlen(backend)), 0);
    assert_true(strlen(tw_device_name(library)) > 0);
    tw_close(library);
    tw_close(NULL);
    int numbers[3];
    assert_int_equal(sscanf(tw_version(), "%d.%d.%d", &numbers[0], &numbers[1], &numbers[2]), 3);
    assert_string_equal(tw_status_text(TW_OK), "success");
    assert_non_null(tw_status_text((tw_status)-1));
    assert_non_null(tw_status_text((tw_status)999));
}

/* Two libraries at once know nothing of each other. */
static void two_libraries(void **state) {
    tw_library *one, *other;
    (void)state;
    const tw_options options = bare_options();
    one = open_with(&options);
    other = open_with(&options);
    assert_ptr_not_equal(make_plan(one, &small_copy), make_plan(other, &small_copy));
    tw_close(one);
    tw_error error;
    char bytes[64] = "carried over", got[64] = "";
    void *a = buffer_with(other, bytes, sizeof bytes), *b = buffer_with(other, got, sizeof got);
    must(tw_copy(other, NULL, 4, 4, 4, a, 4, b, 4, &error), error);
    read_buffer(other, b, got, sizeof got);
    assert_string_equal(got, bytes);
    tw_release(other, a);
    tw_release(other, b);
    tw_close(other);
}

/* ---- Databases ---- */

static void databases(void **state) {
    const struct scratch *scratch = *state;
    char missing[1024], empty[1024], damaged[1024];
    scratch_write(scratch, "empty.db", "", empty);
    scratch_write(scratch, "damaged.db",
                  "this was never a database, and it is long enough to be one", damaged);
    snprintf(missing, sizeof missing, "%s/missing.db", scratch->path);
    const char *const harmless[] = {missing, empty, NULL};
    tw_options options = bare_options();
    options.databases = harmless;
    tw_library *library = open_with(&options);
    assert_string_equal(tw_plan_explain(make_plan(library, &small_copy))->binary, "compiled");
    tw_close(library);
    assert_int_not_equal(access(missing, F_OK), 0);
    const char *const harmful[] = {missing, damaged, NULL};
    options.databases = harmful;
    refuses_to_open(&options, TW_DATABASE, "damaged.db");
    const char *const directory[] = {scratch->path, NULL};
    options.databases = directory;
    refuses_to_open(&options, TW_DATABASE, scratch->path);
}

/* The user's own database is where the XDG specification says. */
static void the_users_database(void **state) {
    const struct scratch *scratch = *state;
    char path[1024], folder[1024];
    snprintf(folder, sizeof folder, "%s/tilewise", scratch->path);
    mkdir(folder, 0700);
    scratch_write(scratch, "tilewise/tilewise.db", "damaged, so that reading it is noticed", path);
    setenv("XDG_DATA_HOME", scratch->path, 1);
    tw_options options = bare_options();
    options.databases = NULL;
    refuses_to_open(&options, TW_DATABASE, path);
    setenv("XDG_DATA_HOME", "relative/paths/do/not/count", 1);
    setenv("HOME", "/nowhere", 1);
    tw_close(open_with(&options));
}

/* ---- Descriptions ---- */

static tw_library *open_describing(const char *path) {
    const char *const descriptions[] = {path, NULL};
    tw_options options = bare_options();
    options.descriptions = descriptions;
    return open_with(&options);
}

/* A kernel that takes A and B and doubles. */
static void check_doubling(tw_library *library, const char *kernel) {
    float a[2][5] = {{1, 2, 3, 4, -9}, {5, 6, 7, 8, -9}}, b[2][6] = {{0}};
    const tw_request request = {.kernel = kernel, .dimensions = {2, 4}, .strides = {5, 6}};
    void *from = buffer_with(library, a, sizeof a), *to = buffer_with(library, b, sizeof b);
    const tw_binding bindings[] = {{.name = "B", .buffer = to}, {.name = "A", .buffer = from}};
    tw_error error;
    must(tw_launch(make_plan(library, &request), NULL, bindings, 2, &error), error);
    read_buffer(library, to, b, sizeof b);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 6; j++)
            assert_true(b[i][j] == (j < 4 ? 2 * a[i][j] : 0));
    tw_release(library, from);
    tw_release(library, to);
}

static void a_kernel_of_the_users_own(void **state) {
    (void)state;
    tw_library *library = open_describing(KERNELS "/double.json");
    check_doubling(library, "double");
    tw_close(library);
}

/* Zero whenever a launch begins, whether they are kept so or cleared. */
static void counters(void **state) {
    (void)state;
    tw_library *library = open_describing(KERNELS "/counted.json");
    const tw_request requests[] = {{.kernel = "counted", .dimensions = {3}},
                                   {.kernel = "counted", .dimensions = {4}},
                                   {.kernel = "counted", .dimensions = {5}}};
    float a[5] = {1, 2, 3, 4, 5}, b[5];
    void *from = buffer_with(library, a, sizeof a);
    tw_error error;
    for (int i = 0; i < 9; i++) {
        memset(b, 0, sizeof b);
        void *to = buffer_with(library, b, sizeof b);
        const tw_binding bindings[] = {{.name = "A", .buffer = from}, {.name = "B", .buffer = to}};
        must(tw_launch(make_plan(library, &requests[i % 3]), NULL, bindings, 2, &error), error);
        read_buffer(library, to, b, sizeof b);
        for (int j = 0; j < 5; j++)
            assert_true(b[j] == (j < 3 + i % 3 ? 2 * a[j] : 0));
        tw_release(library, to);
    }
    tw_release(library, from);
    tw_close(library);
}

/* All that a folder describes, and nothing else in it. */
static void a_folder_of_kernels(void **state) {
    const struct scratch *scratch = *state;
    const tw_request biased = {.kernel = "biased", .dimensions = {1, 3}};
    tw_library *library = open_describing(KERNELS);
    check_doubling(library, "double");
    assert_string_equal(tw_plan_explain(make_plan(library, &biased))->kernel, "biased");
    tw_close(library);

    char path[1024];
    const char *const descriptions[] = {scratch->path, NULL};
    tw_options options = bare_options();
    options.descriptions = descriptions;
    refuses_to_open(&options, TW_INVALID, "has no descriptions (files that end in .json)");
    scratch_write(scratch, "notes.txt", "no description", path);
    scratch_write(scratch, ".hidden.json", "nor is this", path);
    refuses_to_open(&options, TW_INVALID, "has no descriptions (files that end in .json)");
    scratch_write(scratch, "broken.json", "{\n  \"kernel\": 7\n}\n", path);
    refuses_to_open(&options, TW_BAD_DESCRIPTION, "broken.json");
}

/* A buffer that only some problems have is given for those and no others. */
static void optional_buffers(void **state) {
    (void)state;
    tw_library *library = open_describing(KERNELS "/biased.json");
    const signed char a[3] = {1, -2, 3};
    const float bias[3] = {0.5f, 0.25f, 10};
    float c[3];
    unsigned short rounded[3];
    void *from = buffer_with(library, a, sizeof a), *to = buffer_with(library, c, sizeof c),
         *added = buffer_with(library, bias, sizeof bias),
         *narrow = buffer_with(library, rounded, sizeof rounded);
    const tw_binding bindings[] = {{.name = "A", .buffer = from},
                                   {.name = "C", .buffer = to},
                                   {.name = "bias", .buffer = added},
                                   {.name = "rounded", .buffer = narrow}};
    tw_request request = {
        .kernel = "biased", .dimensions = {1, 3}, .attributes = "dtype=i8,times=3"};
    tw_error error;
    must(tw_launch(make_plan(library, &request), NULL, bindings, 2, &error), error);
    read_buffer(library, to, c, sizeof c);
    assert_true(c[0] == 3 && c[1] == -6 && c[2] == 9);
    assert_refuses(tw_launch(make_plan(library, &request), NULL, bindings, 3, &error), TW_INVALID,
                   error, "biased has no buffer bias for this problem");

    request.attributes = "dtype=i8,times=3,epilogue=bias";
    must(tw_launch(make_plan(library, &request), NULL, bindings, 4, &error), error);
    read_buffer(library, to, c, sizeof c);
    read_buffer(library, narrow, rounded, sizeof rounded);
    assert_true(c[0] == 3.5f && c[1] == -5.75f && c[2] == 19);
    assert_true(rounded[0] == 0x4060 && rounded[1] == 0xc0b8 && rounded[2] == 0x4198);
    assert_refuses(tw_launch(make_plan(library, &request), NULL, bindings, 3, &error), TW_INVALID,
                   error, "biased needs the buffer rounded");
    request.attributes = "times=4";
    const tw_plan *plan;
    assert_refuses(tw_plan_create(&plan, library, &request, &error), TW_INVALID, error,
                   "biased has no times \"4\"; it is a whole number from -3 to 3");
    tw_release(library, from);
    tw_release(library, to);
    tw_release(library, added);
    tw_release(library, narrow);
    tw_close(library);
}

static char *read_text(const char *path) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = calloc(1, 1 << 16);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 16) - 1, file) > 0);
    fclose(file);
    return text;
}

static void a_description_takes_a_built_in_ones_place(void **state) {
    const struct scratch *scratch = *state;
    static const char *const templates[] = {"double/direct.cu", "double/staged.cu",
                                            "double/reference.cu"};
    char path[1024];
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, KERNELS "/%s", templates[i]);
        char *text = read_text(path);
        scratch_write(scratch, templates[i], text, path);
        free(text);
    }
    char *text = read_text(KERNELS "/double.json");
    char *renamed = replaced(text, "\"kernel\": \"double\"", "\"kernel\": \"copy\"");
    scratch_write(scratch, "mine.json", renamed, path);
    tw_library *library = open_describing(path);
    check_doubling(library, "copy");
    tw_close(library);
    free(text);
    free(renamed);
}

static void bad_descriptions(void **state) {
    const struct scratch *scratch = *state;
    char path[1024];
    const char *descriptions[] = {"/nowhere/kernel.json", NULL, NULL};
    tw_options options = bare_options();
    options.descriptions = descriptions;
    tw_library *library;
    tw_error error;
    assert_int_not_equal(tw_open(&library, &options, &error), TW_OK);
    assert_says(error.message, "/nowhere/kernel.json");
    scratch_write(scratch, "broken.json", "{\n  \"kernel\": 7\n}\n", path);
    descriptions[0] = path;
    refuses_to_open(&options, TW_BAD_DESCRIPTION, "broken.json");
    descriptions[0] = descriptions[1] = KERNELS "/double.json";
    const char *const twice[] = {descriptions[0], descriptions[1], NULL};
    options.descriptions = twice;
    refuses_to_open(&options, TW_INVALID, "both describe the kernel double");
}

/* ---- The directory of binaries ---- */

static void check_origin(const tw_options *options, const char *origin) {
    tw_library *library = open_with(options);
    assert_string_equal(tw_plan_explain(make_plan(library, &small_copy))->binary, origin);
    tw_close(library);
}

static void binaries_are_kept(void **state) {
    const struct scratch *scratch = *state;
    char directory[1024], file[1024];
    snprintf(directory, sizeof directory, "%s/made/when/missing", scratch->path);
    tw_options options = bare_options();
    options.binary_directory = directory;
    check_origin(&options, "compiled");
    assert_int_equal(count_binaries(directory, file), 1);
    check_origin(&options, "disk");
    /* A file that is damaged at its end, in its middle, or altogether, is made anew. */
    struct stat whole;
    assert_int_equal(stat(file, &whole), 0);
    assert_int_equal(truncate(file, whole.st_size - 1), 0);
    check_origin(&options, "compiled");
    check_origin(&options, "disk");
    int fd = open(file, O_WRONLY);
    assert_int_equal(pwrite(fd, "damage", 6, whole.st_size / 2), 6);
    close(fd);
    check_origin(&options, "compiled");
    assert_int_equal(truncate(file, 0), 0);
    check_origin(&options, "compiled");
    check_origin(&options, "disk");
    assert_int_equal(count_binaries(directory, file), 1);
    /* Not where it was told to keep nothing. */
    options.binary_directory = "";
    check_origin(&options, "compiled");
}

static void binaries_are_kept_to_a_limit(void **state) {
    const struct scratch *scratch = *state;
    tw_options options = bare_options();
    options.binary_directory = scratch->path;
    options.binary_directory_bytes = 1;
    tw_library *library = open_with(&options);
    static const char *const types[] = {"dtype=u8", "dtype=u16", "dtype=f32"};
    for (int i = 0; i < 3; i++) {
        tw_request request = small_copy;
        request.attributes = types[i];
        make_plan(library, &request);
    }
    assert_int_equal(count_binaries(scratch->path, NULL), 1);
    tw_close(library);
}

/* One that is named must be usable; the usual one need not be there. */
static void directories_that_cannot_be(void **state) {
    const struct scratch *scratch = *state;
    char file[1024], under[1100], kept[1024];
    scratch_write(scratch, "file", "no directory", file);
    snprintf(under, sizeof under, "%s/under", file);
    tw_options options = bare_options();
    options.binary_directory = under;
    refuses_to_open(&options, TW_IO, file);
    options.binary_directory = file;
    refuses_to_open(&options, TW_IO, file);
    options.binary_directory = NULL;
    setenv("XDG_CACHE_HOME", under, 1);
    check_origin(&options, "compiled");
    setenv("XDG_CACHE_HOME", scratch->path, 1);
    check_origin(&options, "compiled");
    check_origin(&options, "disk");
    snprintf(kept, sizeof kept, "%s/tilewise", scratch->path);
    assert_int_equal(count_binaries(kept, NULL), 1);
}

/* Relative paths are those of the moment when the library was opened, as for a program that becomes
 * a daemon later. */
static void the_working_directory_may_change(void **state) {
    const struct scratch *scratch = *state;
    char before[1024], binaries[1024];
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(KERNELS), 0);
    snprintf(binaries, sizeof binaries, "%s/binaries", scratch->path);
    const char *const descriptions[] = {"double.json", NULL};
    tw_options options = bare_options();
    options.descriptions = descriptions;
    tw_library *library = open_with(&options);
    assert_int_equal(chdir(scratch->path), 0);
    options = bare_options();
    options.binary_directory = "binaries";
    tw_library *keeping = open_with(&options);
    assert_int_equal(chdir("/"), 0);
    check_doubling(library, "double");
    make_plan(keeping, &small_copy);
    assert_int_equal(count_binaries(binaries, NULL), 1);
    tw_close(library);
    tw_close(keeping);
    assert_int_equal(chdir(before), 0);
}

int main(int count, char **arguments) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_options),
        cmocka_unit_test(nothing_was_opened),
        cmocka_unit_test(opens_and_closes),
        cmocka_unit_test(two_libraries),
        SCRATCH_TEST(databases),
        SCRATCH_TEST(the_users_database),
        cmocka_unit_test(a_kernel_of_the_users_own),
        cmocka_unit_test(counters),
        SCRATCH_TEST(a_folder_of_kernels),
        cmocka_unit_test(optional_buffers),
        SCRATCH_TEST(a_description_takes_a_built_in_ones_place),
        SCRATCH_TEST(bad_descriptions),
        SCRATCH_TEST(binaries_are_kept),
        SCRATCH_TEST(binaries_are_kept_to_a_limit),
        SCRATCH_TEST(directories_that_cannot_be),
        SCRATCH_TEST(the_working_directory_may_change),
    };
    if (!backend_is_here(count, arguments))
        return 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
