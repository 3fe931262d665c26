/* What workers are told and tell, there and back: each message as a struct. */
#include "tuner/workers/protocol.h"

#include "tests/support/scale.h"

static void requests_to_compile(void **state) {
    (void)state;
    static const char *const says[] = {"spilled", "not supported", NULL};
    const struct tw_binary *none[TW_MAX_LAUNCHES] = {NULL};
    struct tw_description *d = read_description(scale_text, NULL);
    struct tw_problem problem = parse_problem(d, "8x100");
    struct tw_configuration c = {.implementation = 0};
    struct tw_executable *executable;
    struct tw_error error;
    struct compile_request request;
    int64_t values[TW_MAX_SYMBOLS];
    memcpy(c.values, d->implementations[0].presets[0].values, sizeof c.values);
    bind_problem(&problem, &paper_gpu, values);
    must(tw_configuration_bind(d, &c, values, &error), error);
    must(tw_executable_create(&executable, &problem, &c, values, &paper_gpu, &error), error);
    executable->disqualified_by = says;
    struct tw_text source = {0};
    tw_text_print(&source, "a source\nof two lines\n");
    struct message message = compile_request_pack(7, executable, &source, none);
    /* Nothing of the problem goes along. */
    assert_null(cJSON_GetObjectItem(message.json, "description"));
    assert_null(cJSON_GetObjectItem(message.json, "shape"));
    must(compile_request_unpack(&message, &request, &error), error);
    assert_int_equal(request.id, 7);
    assert_string_equal(request.implementation, "direct");
    assert_string_equal(request.configuration, "{\"BLOCK_X\":64,\"GROUP\":1,\"ORDER\":\"rows\"}");
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
    assert_false(request.launches[0].known);
    compile_request_free(&request);
    message.size--;
    assert_refuses(compile_request_unpack(&message, &request, &error), TW_IO, error, "cut off");
    compile_request_free(&request);
    message_free(&message);

    /* Of what was compiled before the code goes along, and no source. */
    unsigned char code[] = "abc";
    struct tw_binary before = {
        .bytes = code, .size = 3, .has_resources = true, .registers = 40, .spill_bytes = 16};
    const struct tw_binary *known[TW_MAX_LAUNCHES] = {&before};
    tw_text_print(&before.log, "a warning");
    message = compile_request_pack(7, executable, &source, known);
    assert_int_equal(message.size, 3);
    must(compile_request_unpack(&message, &request, &error), error);
    assert_int_equal(request.launch_count, 1);
    assert_true(request.launches[0].known);
    const struct tw_binary *binary = &request.launches[0].binary;
    assert_int_equal(binary->size, 3);
    assert_memory_equal(binary->bytes, "abc", 3);
    assert_string_equal(binary->log.data, "a warning");
    assert_true(binary->has_resources);
    assert_int_equal(binary->registers, 40);
    assert_int_equal(binary->spill_bytes, 16);
    compile_request_free(&request);
    message.size--;
    assert_refuses(compile_request_unpack(&message, &request, &error), TW_IO, error, "cut off");
    compile_request_free(&request);
    message_free(&message);
    tw_text_free(&before.log);
    tw_text_free(&source);
    tw_executable_free(executable);
    tw_description_free(d);
}

static void what_was_compiled(void **state) {
    (void)state;
    unsigned char first[] = "abc", second[] = "defgh";
    struct tw_binaries binaries = {
        .count = 2, .launches = {{.bytes = first, .size = 3}, {.bytes = second, .size = 5}}};
    struct compiled sent = {.id = 9,
                            .status = TW_DB_TRIAL_OK,
                            .compile_ms = 1.5,
                            .has_resources = true,
                            .registers = 40,
                            .spill_bytes = 16},
                    got;
    tw_text_print(&binaries.launches[1].log, "a warning");
    struct message message = compiled_pack(&sent, &binaries);
    compiled_unpack(&message, &got);
    assert_null(message.json);
    assert_int_equal(got.id, 9);
    assert_int_equal(got.status, TW_DB_TRIAL_OK);
    assert_false(got.bad_description);
    assert_true(got.compile_ms == 1.5);
    assert_true(got.has_resources);
    assert_int_equal(got.registers, 40);
    assert_int_equal(got.spill_bytes, 16);
    assert_string_equal(compiled_log(&got, 0), "");
    assert_string_equal(compiled_log(&got, 1), "a warning");
    assert_null(compiled_log(&got, 2));
    struct tw_binary copy;
    struct tw_error error;
    must(compiled_binary(&got, 1, &copy, &error), error);
    assert_int_equal(copy.size, 5);
    assert_memory_equal(copy.bytes, "defgh", 5);
    assert_string_equal(copy.log.data, "a warning");
    assert_false(copy.has_resources);
    tw_binary_free(&copy);
    assert_refuses(compiled_binary(&got, 2, &copy, &error), TW_IO, error, "cut off");

    /* And on to the device worker. */
    struct tw_description *d = read_description(scale_text, NULL);
    struct device_request request = {.asked = DEVICE_TRIAL,
                                     .binaries = &got.answer,
                                     .best_us = 2.5,
                                     .enough_s = 0.125},
                          read;
    struct tw_binaries copies;
    memcpy(request.configuration.values, d->implementations[0].presets[0].values,
           sizeof request.configuration.values);
    message = device_request_pack(&request, d);
    must(device_request_unpack(&message, &read, d, &error), error);
    assert_int_equal(read.asked, DEVICE_TRIAL);
    assert_true(read.best_us == 2.5 && read.enough_s == 0.125);
    assert_true(tw_configuration_equal(d, &read.configuration, &request.configuration));
    must(device_request_binaries(&read, &copies, &error), error);
    assert_int_equal(copies.count, 2);
    assert_int_equal(copies.launches[1].size, 5);
    assert_memory_equal(copies.launches[0].bytes, "abc", 3);
    assert_memory_equal(copies.launches[1].bytes, "defgh", 5);
    tw_binaries_free(&copies);
    message.size--;
    assert_refuses(device_request_binaries(&read, &copies, &error), TW_IO, error, "cut off");
    tw_binaries_free(&copies);
    device_request_free(&message);
    compiled_free(&got);

    /* What does not compile has no code. */
    sent = (struct compiled){.status = TW_DB_TRIAL_COMPILE_ERROR, .bad_description = true};
    strcpy(sent.message, "no");
    message = compiled_pack(&sent, &binaries);
    assert_int_equal(message.size, 0);
    compiled_unpack(&message, &got);
    assert_int_equal(got.status, TW_DB_TRIAL_COMPILE_ERROR);
    assert_true(got.bad_description);
    assert_string_equal(got.message, "no");
    assert_false(got.has_resources);
    compiled_free(&got);
    tw_text_free(&binaries.launches[1].log);
    tw_description_free(d);
}

static void assignments(void **state) {
    (void)state;
    struct tw_description *d = read_description(scale_text, NULL), *other;
    const struct device_assignment sent = {.problem = parse_problem(d, "8x100"),
                                           .device = paper_gpu,
                                           .cache = CACHE_WARM,
                                           .seed = 4000000000u};
    struct device_assignment got;
    struct tw_device_info device;
    struct tw_error error;
    struct message message = device_assignment_pack(&sent);
    assert_true(device_is_assignment(&message));
    must(device_assignment_unpack(&message, &got, &other, &error), error);
    assert_string_equal(other->text, d->text);
    assert_int_equal(got.problem.dimensions[1], 100);
    assert_string_equal(got.device.id, paper_gpu.id);
    assert_int_equal(got.cache, CACHE_WARM);
    assert_int_equal(got.seed, 4000000000u);
    tw_description_free(other);
    message.size--;
    assert_status(device_assignment_unpack(&message, &got, &other, &error), TW_IO);
    assert_null(other);
    message_free(&message);
    message = compile_assignment_pack(&paper_gpu);
    must(compile_assignment_unpack(&message, &device, &error), error);
    assert_string_equal(device.name, paper_gpu.name);
    message_free(&message);
    tw_description_free(d);
}

static void requests_without_a_variant(void **state) {
    (void)state;
    struct tw_description *d = read_description(scale_text, NULL);
    struct device_request round = {.asked = DEVICE_ROUND, .finalist = 12},
                          call = {.asked = DEVICE_CALL, .call = {.alignment = 4}}, got;
    struct tw_error error;
    call.call.strides[1] = 101;
    struct message message = device_request_pack(&round, d);
    must(device_request_unpack(&message, &got, d, &error), error);
    assert_int_equal(got.asked, DEVICE_ROUND);
    assert_int_equal(got.finalist, 12);
    device_request_free(&message);
    message = device_request_pack(&call, d);
    must(device_request_unpack(&message, &got, d, &error), error);
    assert_int_equal(got.asked, DEVICE_CALL);
    assert_int_equal(got.call.alignment, 4);
    assert_int_equal(got.call.strides[0], 0);
    assert_int_equal(got.call.strides[1], 101);
    device_request_free(&message);
    message = message_new("dance");
    assert_refuses(device_request_unpack(&message, &got, d, &error), TW_INVALID, error,
                   "unknown request \"dance\"");
    message_free(&message);
    tw_description_free(d);
}

static void what_the_device_worker_says(void **state) {
    (void)state;
    struct device_ready ready = {.reference_s = 0.25, .copy_us = 3, .conditions = "{}"}, was_ready;
    struct message message = device_ready_pack(&ready);
    assert_int_equal(device_says(&message), DEVICE_SAYS_READY);
    device_ready_unpack(&message, &was_ready);
    assert_true(was_ready.reference_s == 0.25 && was_ready.copy_us == 3);
    assert_string_equal(was_ready.conditions, "{}");
    message_free(&message);
    message = device_failed_pack("no such device");
    assert_int_equal(device_says(&message), DEVICE_SAYS_FAILED);
    assert_string_equal(device_failed_unpack(&message), "no such device");
    message_free(&message);
    message = device_progress_pack(DEVICE_SAYS_LOADING);
    assert_int_equal(device_says(&message), DEVICE_SAYS_LOADING);
    message_free(&message);

    struct device_answer sent = {.status = TW_DB_TRIAL_WRONG,
                                 .message = "element 3",
                                 .lost = true,
                                 .has_error = true,
                                 .max_rel_error = 0.5,
                                 .rms_rel_error = 0.125,
                                 .has_hard = true,
                                 .hard_max_error = 0.25,
                                 .hard_rms_error = 0.0625,
                                 .screened_out = true,
                                 .verify_s = 0.75,
                                 .measure_s = 1.5,
                                 .time_count = TIMING_MAX_REPEATS},
                         got;
    for (int i = 0; i < sent.time_count; i++)
        sent.times_us[i] = 1.0 / (i + 3);
    message = device_answer_pack(&sent);
    assert_int_equal(device_says(&message), DEVICE_SAYS_ANSWER);
    device_answer_unpack(&message, &got);
    assert_int_equal(got.status, TW_DB_TRIAL_WRONG);
    assert_string_equal(got.message, "element 3");
    assert_true(got.lost && got.has_error && got.screened_out);
    assert_true(got.max_rel_error == 0.5 && got.rms_rel_error == 0.125);
    assert_true(got.has_hard && got.hard_max_error == 0.25 && got.hard_rms_error == 0.0625);
    assert_true(got.verify_s == 0.75 && got.measure_s == 1.5);
    assert_int_equal(got.time_count, sent.time_count);
    assert_memory_equal(got.times_us, sent.times_us, sizeof sent.times_us);
    /* What no worker should say is its own fault. */
    cJSON_ReplaceItemInObject(message.json, "status", cJSON_CreateNumber(TW_DB_TRIAL_STATUS_COUNT));
    device_answer_unpack(&message, &got);
    assert_int_equal(got.status, TW_DB_TRIAL_LAUNCH_ERROR);
    message_free(&message);
    sent = (struct device_answer){.status = TW_DB_TRIAL_OK};
    message = device_answer_pack(&sent);
    device_answer_unpack(&message, &got);
    assert_false(got.has_error || got.lost);
    assert_int_equal(got.time_count, 0);
    message_free(&message);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_to_compile),
        cmocka_unit_test(what_was_compiled),
        cmocka_unit_test(assignments),
        cmocka_unit_test(requests_without_a_variant),
        cmocka_unit_test(what_the_device_worker_says),
    };
    return cmocka_run_group_tests_name("protocol", tests, NULL, NULL);
}
