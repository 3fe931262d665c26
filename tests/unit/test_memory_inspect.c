/* Machine code read and counted, and what inspecting and tuning print as JSON: every allocation
 * fails in turn. JSON is whole, or none is printed. */
#include <sys/mman.h>

#include "tests/support/listing.h"
#include "tests/support/memory.h"
#include "tests/support/scale.h"
#include "tuner/inspect/inspect.h"
#include "tuner/inspect/loops.h"
#include "tuner/report/report.h"

/* Labels, branches and more instructions than are allocated at first. */
static char *long_listing(void) {
    struct tw_text code = {0};
    tw_text_print(&code, "LDC R1, c[0x0][0x28]\n");
    for (int loop = 0; loop < 3; loop++) {
        tw_text_print(&code, ".L_x_%d:\n", loop);
        for (int i = 0; i < 40 * (loop + 1); i++)
            tw_text_print(&code, "FFMA R%d, R%d.reuse, R%d, R%d\n", i, i + 1, i + 2, i);
        tw_text_print(&code, "LDS.128 R4, [R2]\n@P0 BRA `(.L_x_%d)\n", loop);
    }
    tw_text_print(&code, "STG.E [R2.64], R7\nEXIT");
    assert_false(code.failed);
    char *listing = listing_of(code.data);
    tw_text_free(&code);
    return listing;
}

static tw_status take_code(const char *listing, struct inspected_code *kernel,
                           struct inspected_code *inner, struct sass_loop *loop,
                           struct tw_error *error) {
    struct sass sass;
    *loop = (struct sass_loop){0};
    tw_status status = sass_read(&sass, listing, "f", error);
    if (status == TW_OK)
        status = sass_find_loop(&sass, loop, error);
    if (status == TW_OK) {
        counts_take(&sass, NULL, &kernel->counts);
        registers_count(&sass, NULL, &kernel->reads);
        counts_take(&sass, loop->own, &inner->counts);
        registers_count(&sass, loop->own, &inner->reads);
    }
    sass_loop_free(loop);
    sass_free(&sass);
    return status;
}

static tw_status read_code(void *context, struct tw_text *seen, struct tw_error *error) {
    struct inspected_code kernel = {0}, inner = {0};
    struct sass_loop loop;
    tw_status status = take_code(context, &kernel, &inner, &loop, error);
    if (status == TW_OK)
        memory_see(seen, "%d instructions, a loop of %d from %zu to %zu",
                   kernel.counts.instructions, inner.counts.instructions, loop.head, loop.tail);
    return status;
}

static void machine_code(void **state) {
    char *listing = long_listing();
    (void)state;
    memory_fails_everywhere(&(struct memory_scenario){"listing", read_code, NULL, listing});
    free(listing);
}

/* ---- Reports ---- */

struct house {
    struct tw_description *description;
    struct tw_problem problem;
    struct session_result result;
    struct inspection inspection;
};

static int set_up(void **state) {
    static struct house house;
    struct tw_error error;
    struct sass_loop loop;
    house = (struct house){.description = read_description(scale_text, NULL)};
    house.problem = parse_problem(house.description, "8x100");
    struct session_result *r = &house.result;
    struct session_preset *preset = &r->presets[r->preset_count++];
    strcpy(preset->name, "default");
    must(tw_configuration_parse(&preset->configuration, house.description, 0,
                                "{\"BLOCK_X\":64,\"ORDER\":\"rows\",\"GROUP\":1}", &error),
         error);
    preset->tried = preset->fits = preset->in_playoff = true;
    preset->trial.configuration = preset->configuration;
    preset->trial.time_us = 12;
    r->has_best = true;
    r->best = preset->trial;
    r->rate_unit = "GB/s";
    r->rounds = r->tie_count = 2;
    struct inspection *in = &house.inspection;
    *in = (struct inspection){.problem = house.problem,
                              .device = paper_gpu,
                              .on_paper = true,
                              .cache = "cold",
                              .preset = "default",
                              .configuration = preset->configuration,
                              .count = 1};
    struct inspected_launch *launch = &in->launches[0];
    launch->function = "scale_direct";
    launch->has_code = launch->has_loop = true;
    char *listing = long_listing();
    must(take_code(listing, &launch->kernel, &launch->loop, &loop, &error), error);
    free(listing);
    *state = &house;
    return 0;
}

static int tear_down(void **state) {
    struct house *house = *state;
    tw_description_free(house->description);
    return 0;
}

static tw_status tell_result(void *context, struct tw_text *seen, struct tw_error *error) {
    const struct house *house = context;
    char *text = json_text(report_json(&house->problem, &paper_gpu, &house->result, "x.db"));
    if (text == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    for (const char *at = text; *at != '\0'; at += strnlen(at, 1000))
        memory_see(seen, "%.1000s", at);
    cJSON_free(text);
    return TW_OK;
}

static tw_status print_inspection(void *context, struct tw_text *seen, struct tw_error *error) {
    const struct house *house = context;
    char text[16384];
    fflush(stdout);
    int kept = dup(STDOUT_FILENO), file = memfd_create("out", 0);
    dup2(file, STDOUT_FILENO);
    tw_status status = inspect_print_json(&house->inspection, error);
    fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    ssize_t length = pread(file, text, sizeof text - 1, 0);
    assert_true(length >= 0 && (size_t)length < sizeof text - 1);
    text[length] = '\0';
    close(kept);
    close(file);
    if (status != TW_OK)
        assert_string_equal(text, "");
    for (const char *at = text; *at != '\0'; at += strnlen(at, 1000))
        memory_see(seen, "%.1000s", at);
    return status;
}

static void reports(void **state) {
    memory_fails_everywhere(&(struct memory_scenario){"result", tell_result, NULL, *state});
    memory_fails_everywhere(
        &(struct memory_scenario){"inspection", print_inspection, NULL, *state});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(machine_code),
        cmocka_unit_test_setup_teardown(reports, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, memory_start, NULL);
}
