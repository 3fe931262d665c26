/* What compiling workers are asked, there and back. */
#include "tuner/workers/compile_request.h"

#include "tests/support/scale.h"

static void there_and_back(void **state) {
    (void)state;
    static const char *const says[] = {"spilled", "not supported", NULL};
    struct tw_description *d = read_description(scale_text, NULL);
    struct tw_problem problem = parse_problem(d, "8x100");
    struct tw_configuration c = {.implementation = 0};
    struct tw_executable *executable;
    struct tw_error error;
    struct message message;
    struct compile_request request;
    int64_t values[TW_MAX_SYMBOLS];
    memcpy(c.values, d->implementations[0].presets[0].values, sizeof c.values);
    bind_problem(&problem, &paper_gpu, values);
    must(tw_configuration_bind(d, &c, values, &error), error);
    must(tw_executable_create(&executable, &problem, &c, values, &paper_gpu, &error), error);
    executable->disqualified_by = says;
    struct tw_text source = {0};
    tw_text_print(&source, "a source\nof two lines\n");
    must(compile_request_make(&message, 7, executable, &source, &error), error);
    assert_string_equal(message_kind(&message), "compile");
    assert_true(message_number(&message, "id", 0) == 7);
    assert_string_equal(message_text(&message, "implementation", ""), "direct");
    assert_string_equal(message_text(&message, "configuration", ""),
                        "{\"BLOCK_X\":64,\"GROUP\":1,\"ORDER\":\"rows\"}");
    /* Nothing of the problem goes along. */
    assert_null(cJSON_GetObjectItem(message.json, "description"));
    assert_null(cJSON_GetObjectItem(message.json, "shape"));
    must(compile_request_read(&message, &request, &error), error);
    assert_int_equal(request.launch_count, 1);
    assert_int_equal(request.launches[0].threads, 64);
    const struct tw_compile_request *compile = &request.launches[0].compile;
    assert_string_equal(compile->source, source.data);
    assert_string_equal(compile->function, "scale_direct");
    assert_string_equal(compile->name, "scale/direct.cu");
    assert_true(compile->passing);
    for (int i = 0; i < 2; i++)
        assert_string_equal(compile->disqualified_by[i], says[i]);
    assert_null(compile->disqualified_by[2]);
    assert_int_equal(compile->expected->count, 8);
    assert_string_equal(compile->expected->parameters[0].name, "A");
    message.size--;
    assert_refuses(compile_request_read(&message, &request, &error), TW_IO, error, "cut off");
    message_free(&message);
    tw_text_free(&source);
    tw_executable_free(executable);
    tw_description_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(there_and_back)};
    return cmocka_run_group_tests_name("compile request", tests, NULL, NULL);
}
