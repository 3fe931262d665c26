/* What is compiled for the results that ship is what was compiled when they were measured: to the
 * byte of the source, and where the source has changed since, of the machine code.
 *
 *     test_shipped_code                          compares with tests/data/shipped_code.tsv
 *     test_shipped_code EXPORT > shipped_code.tsv    records it anew from an export of results
 *
 * A line of the record is a launch: kernel, problem, implementation, configuration, number of the
 * launch, hash of the source, hash of the cubin. The first line is a kernel that never changes, by
 * which a compiler is known for the one that made the record. */
#include <cjson/cJSON.h>

#include "runtime/base/file.h"
#include "runtime/base/hash.h"
#include "runtime/variant/compile.h"
#include "tests/support/subjects.h"

static const char canary[] =
    "extern \"C\" __global__ void f(float *x, int n) { for (int i = threadIdx.x; i < n; i += 32) "
    "x[i] = x[i] * x[i] + 1.0f / x[n - i]; }\n";

static const struct tw_backend *backend;
static struct tw_device_info device;

/* TW_UNAVAILABLE where there is no compiler. */
static tw_status hash_code(const char *source, const char *function, char hash[TW_HASH_SIZE]) {
    const struct tw_compile_request request = {
        .source = source, .name = "shipped", .function = function};
    struct tw_binary binary = {0};
    struct tw_error error = {0};
    tw_status status =
        backend != NULL ? backend->compile(&device, &request, &binary, &error) : TW_UNAVAILABLE;
    if (status != TW_OK && status != TW_UNAVAILABLE)
        fail_msg("%s: %s\n%s", function, error.message,
                 binary.log.data != NULL ? binary.log.data : "");
    if (status == TW_OK) {
        struct tw_hash *state = tw_hash_begin();
        tw_hash_add(state, binary.bytes, binary.size);
        tw_hash_finish(state, hash);
    }
    tw_binary_free(&binary);
    return status;
}

static void hash_text(const char *text, char hash[TW_HASH_SIZE]) {
    struct tw_hash *state = tw_hash_begin();
    tw_hash_add_text(state, text);
    tw_hash_finish(state, hash);
}

struct subject {
    struct tw_description *description;
    struct tw_problem problem;
    struct tw_configuration configuration;
    const struct tw_implementation *implementation;
    int64_t values[TW_MAX_SYMBOLS];
};

static void find_subject(struct subject *subject, const char *kernel, const char *key,
                         const char *implementation, const char *configuration) {
    struct tw_error error;
    must(tw_description_builtin(&subject->description, kernel, &error), error);
    const struct tw_description *d = subject->description;
    int index = tw_description_implementation(d, implementation);
    assert_true(index >= 0);
    subject->implementation = &d->implementations[index];
    subject->problem = problem_of_key(d, key);
    must(tw_configuration_parse(&subject->configuration, d, index, configuration, &error), error);
    bind_problem(&subject->problem, &device, subject->values);
    must(tw_configuration_bind(d, &subject->configuration, subject->values, &error), error);
}

static char *source_of(const struct subject *subject, int launch) {
    struct tw_executable *executable;
    struct tw_text source = {0};
    struct tw_error error;
    must(tw_executable_create(&executable, &subject->problem, &subject->configuration,
                              subject->values, &device, &error),
         error);
    must(tw_executable_source(executable, launch, "cuda", &source, NULL, &error), error);
    tw_executable_free(executable);
    return source.data;
}

/* ---- Recording ---- */

static void record_row(const cJSON *row) {
    const char *kernel = cJSON_GetObjectItem(row, "kernel")->valuestring;
    const char *key = cJSON_GetObjectItem(row, "problem")->valuestring;
    const char *implementation = cJSON_GetObjectItem(row, "implementation")->valuestring;
    char *configuration = cJSON_PrintUnformatted(cJSON_GetObjectItem(row, "configuration"));
    struct subject subject;
    find_subject(&subject, kernel, key, implementation, configuration);
    for (int i = 0; i < subject.implementation->launch_count; i++) {
        char text_hash[TW_HASH_SIZE], code_hash[TW_HASH_SIZE];
        char *source = source_of(&subject, i);
        hash_text(source, text_hash);
        assert_status(hash_code(source, subject.implementation->launches[i].function, code_hash),
                      TW_OK);
        printf("%s\t%s\t%s\t%s\t%d\t%s\t%s\n", kernel, key, implementation, configuration, i,
               text_hash, code_hash);
        free(source);
    }
    tw_description_free(subject.description);
    cJSON_free(configuration);
}

static int record(const char *path) {
    struct tw_text text = {0};
    struct tw_error error;
    char hash[TW_HASH_SIZE];
    must(tw_file_read(&text, path, &error), error);
    cJSON *json = cJSON_Parse(text.data);
    assert_status(hash_code(canary, "f", hash), TW_OK);
    printf("%s\n", hash);
    const cJSON *row;
    cJSON_ArrayForEach(row, cJSON_GetObjectItem(json, "best")) record_row(row);
    cJSON_Delete(json);
    tw_text_free(&text);
    return 0;
}

/* ---- Comparing ---- */

static void nothing_else_is_compiled(void **state) {
    (void)state;
    struct tw_text text = {0};
    struct tw_error error;
    int launches = 0, compiled = 0, unproven = 0;
    must(tw_file_read(&text, SHIPPED_CODE, &error), error);
    char *rest = text.data, hash[TW_HASH_SIZE] = "";
    const char *compiler = strtok_r(rest, "\n", &rest);
    bool same_compiler = hash_code(canary, "f", hash) == TW_OK && strcmp(hash, compiler) == 0;
    for (char *line; (line = strtok_r(NULL, "\n", &rest)) != NULL;) {
        char *columns[7], *at = line;
        for (int i = 0; i < 7; i++)
            assert_non_null(columns[i] = strtok_r(i == 0 ? line : NULL, "\t", &at));
        struct subject subject;
        find_subject(&subject, columns[0], columns[1], columns[2], columns[3]);
        int launch = atoi(columns[4]);
        char *source = source_of(&subject, launch);
        hash_text(source, hash);
        launches++;
        if (strcmp(hash, columns[5]) != 0 && !same_compiler) {
            unproven++;
        } else if (strcmp(hash, columns[5]) != 0) {
            compiled++;
            hash_code(source, subject.implementation->launches[launch].function, hash);
            if (strcmp(hash, columns[6]) != 0)
                fail_msg("%s %s %s: its machine code is another now", columns[0], columns[1],
                         columns[2]);
        }
        free(source);
        tw_description_free(subject.description);
    }
    tw_text_free(&text);
    print_message("             %d launches: %d compiled, %d not proven without that compiler\n",
                  launches, compiled, unproven);
    assert_true(launches >= 88);
    if (unproven > 0)
        skip();
}

int main(int count, char **arguments) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_else_is_compiled)};
    device = paper_h200();
    backend = tw_backend_find("cuda");
    return count > 1 ? record(arguments[1])
                     : cmocka_run_group_tests_name("shipped code", tests, NULL, NULL);
}
