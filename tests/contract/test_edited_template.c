/* libtilewise: a template of the user's own that is written to while a plan is being made of it. No
 * later process may get the binary of the other version.
 *
 *     test_edited_template BACKEND */
#include "runtime/variant/executable.h"
#include "tests/support/library.h"

static const char doubled[] =
    "B[row * ldb + column] = A[row * lda + column] + A[row * lda + column];";
static const char tripled[] = "B[row * ldb + column] = 3 * A[row * lda + column];";

/* ---- A template that changes under whoever renders it ---- */

/* What it is to be before it is rendered, and after; NULL: as it is. */
static const char *before, *after;
static char template_path[600], whole[4096];

static void write_template(const char *line) {
    char text[4096];
    const char *at = strstr(whole, doubled);
    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - whole), whole, line, at + strlen(doubled));
    FILE *file = fopen(template_path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
}

tw_status __real_tw_executable_source(const struct tw_executable *x, int launch,
                                      const char *backend, struct tw_text *source,
                                      char hash[TW_HASH_SIZE], struct tw_error *error);
tw_status __wrap_tw_executable_source(const struct tw_executable *x, int launch,
                                      const char *backend, struct tw_text *source,
                                      char hash[TW_HASH_SIZE], struct tw_error *error);

tw_status __wrap_tw_executable_source(const struct tw_executable *x, int launch,
                                      const char *backend, struct tw_text *source,
                                      char hash[TW_HASH_SIZE], struct tw_error *error) {
    if (before != NULL)
        write_template(before);
    tw_status status = __real_tw_executable_source(x, launch, backend, source, hash, error);
    if (after != NULL)
        write_template(after);
    return status;
}

/* ---- A folder with the description ---- */

static void copy_file(const struct scratch *scratch, const char *name, char path[600]) {
    char from[600], text[4096];
    snprintf(from, sizeof from, "%s/%s", KERNELS, name);
    FILE *file = fopen(from, "r");
    assert_non_null(file);
    size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    assert_true(size < sizeof text - 1);
    text[size] = '\0';
    snprintf(path, 600, "%s/%s", scratch->path, name);
    file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
    memcpy(whole, text, size + 1);
}

/* What a new process gets: times 2 or 3, and where its binary came from. */
static double factor(const struct scratch *scratch, const char *origin) {
    char description[600], binaries[600];
    snprintf(description, sizeof description, "%s/double.json", scratch->path);
    snprintf(binaries, sizeof binaries, "%s/binaries", scratch->path);
    const char *const descriptions[] = {description, NULL};
    tw_options options = bare_options();
    options.descriptions = descriptions;
    options.binary_directory = binaries;
    tw_library *library = open_with(&options);
    float a[4] = {1, 1, 1, 1}, b[4] = {0};
    const tw_request request = {.kernel = "double", .dimensions = {1, 4}};
    void *from, *to;
    tw_error error;
    must(tw_allocate(&from, library, sizeof a, &error), error);
    must(tw_allocate(&to, library, sizeof b, &error), error);
    must(tw_write(library, from, a, sizeof a, &error), error);
    const tw_binding bindings[] = {{.name = "A", .buffer = from}, {.name = "B", .buffer = to}};
    const tw_plan *plan = make_plan(library, &request);
    assert_string_equal(tw_plan_explain(plan)->binary, origin);
    must(tw_launch(plan, NULL, bindings, 2, &error), error);
    must(tw_read(library, NULL, b, to, sizeof b, &error), error);
    tw_release(library, from);
    tw_release(library, to);
    tw_close(library);
    return b[0];
}

static void make_folder(const struct scratch *scratch) {
    char path[600];
    snprintf(path, sizeof path, "%s/double", scratch->path);
    assert_int_equal(mkdir(path, 0700), 0);
    copy_file(scratch, "double/reference.cu", path);
    copy_file(scratch, "double/staged.cu", path);
    copy_file(scratch, "double.json", path);
    copy_file(scratch, "double/direct.cu", template_path);
    before = after = NULL;
}

static void written_after_it_was_read(void **state) {
    const struct scratch *scratch = *state;
    make_folder(scratch);
    after = tripled;
    assert_true(factor(scratch, "compiled") == 2);
    after = NULL;
    assert_true(factor(scratch, "compiled") == 3);
    assert_true(factor(scratch, "disk") == 3);
    write_template(doubled);
    assert_true(factor(scratch, "disk") == 2);
}

static void written_before_it_was_read(void **state) {
    const struct scratch *scratch = *state;
    make_folder(scratch);
    before = tripled;
    assert_true(factor(scratch, "compiled") == 3);
    before = NULL;
    write_template(doubled);
    assert_true(factor(scratch, "compiled") == 2);
    assert_true(factor(scratch, "disk") == 2);
}

int main(int count, char **arguments) {
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(written_after_it_was_read),
        SCRATCH_TEST(written_before_it_was_read),
    };
    if (!backend_is_here(count, arguments))
        return 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
