/* runtime/variant, select/current: every allocation fails in turn. */
#include "runtime/description/builtin.h"
#include "runtime/select/current.h"
#include "runtime/variant/cache.h"
#include "runtime/variant/geometry.h"
#include "runtime/variant/identity.h"
#include "runtime/variant/legacy.h"
#include "runtime/variant/preprocess.h"
#include "runtime/variant/source.h"
#include "tests/support/memory.h"
#include "tests/support/scale.h"

/* ---- Sources ---- */

struct house {
    struct tw_description *description;
    struct tw_problem problem;
    struct tw_configuration configuration;
    int64_t device[TW_DEVICE_SLOTS];
};

static int set_up(void **state) {
    static struct house house;
    struct tw_error error;
    const struct tw_preset *preset;
    house = (struct house){0};
    must(tw_description_builtin(&house.description, "transpose", &error), error);
    house.problem = parse_problem(house.description, "8x100");
    assert_true(tw_description_preset(house.description, "default",
                                      &house.configuration.implementation, &preset));
    memcpy(house.configuration.values, preset->values, sizeof preset->values);
    tw_device_values(&paper_gpu, house.device);
    *state = &house;
    return 0;
}

static int tear_down(void **state) {
    struct house *house = *state;
    tw_description_free(house->description);
    return 0;
}

static tw_status hash_all(void *context, struct tw_text *seen, struct tw_error *error) {
    const struct house *house = context;
    char code[TW_HASH_SIZE], source[TW_HASH_SIZE], judge[TW_HASH_SIZE], old[TW_HASH_SIZE];
    int index = house->configuration.implementation;
    tw_status status = tw_identity_code(house->description, index, "cuda", code, error);
    if (status == TW_OK)
        status = tw_identity_source(&house->problem, &house->configuration, "cuda", house->device,
                                    source, error);
    if (status == TW_OK)
        status = tw_identity_judge(&house->problem, "cuda", house->device, judge, error);
    if (status == TW_OK)
        status = tw_legacy_hash(house->description, index, old, error);
    if (status == TW_OK)
        memory_see(seen, "%s %s %s %s", code, source, judge, old);
    return status;
}

/* A stored result whose code has changed: its sources are worked out. */
static tw_status compare(void *context, struct tw_text *seen, struct tw_error *error) {
    const struct house *house = context;
    struct tw_today *today = tw_today_create(house->description);
    const struct tw_stored stored = {
        .backend = "cuda",
        .device = house->device,
        .implementation =
            house->description->implementations[house->configuration.implementation].name,
        .template_hash = "another",
        .source = "a",
        .judge = "b",
        .configuration = NULL};
    struct tw_stored whole = stored;
    struct tw_text text = {0};
    tw_configuration_text(house->description, &house->configuration, &text);
    tw_status status =
        today == NULL || text.failed ? tw_fail(error, TW_NO_MEMORY, "out of memory") : TW_OK;
    whole.configuration = text.data;
    if (status == TW_OK)
        status = tw_today_check(today, &house->problem, &whole, error);
    if (status == TW_NOT_FOUND) {
        memory_see(seen, "%s", error->message);
        status = TW_OK;
    }
    tw_text_free(&text);
    tw_today_free(today);
    return status;
}

static void sources(void **state) {
    memory_fails_everywhere(&(struct memory_scenario){"hashes", hash_all, NULL, *state});
    memory_fails_everywhere(&(struct memory_scenario){"a changed result", compare, NULL, *state});
}

/* Conditions that need memory to be decided, macros that are many. */
static tw_status preprocess(void *context, struct tw_text *seen, struct tw_error *error) {
    struct tw_text out = {0};
    tw_status status = tw_preprocess(context, NULL, &out, error);
    if (status == TW_OK)
        memory_see(seen, "%s", out.data);
    tw_text_free(&out);
    return status;
}

static void preprocessing(void **state) {
    char source[8192] =
        "#define A (B == 2)\n#define B C\n#define C 2\n#if A\na\n#else\nb\n#endif\n";
    (void)state;
    for (int i = 0; i < 100; i++)
        sprintf(source + strlen(source), "#define N%d %d\n#if N%d == %d\nint n%d;\n#endif\n", i, i,
                i, i, i);
    memory_fails_everywhere(&(struct memory_scenario){"preprocessing", preprocess, NULL, source});
}

/* ---- The cache ---- */

struct shelf {
    const char *directory;
    char key[TW_HASH_SIZE];
};

static void see_entry(void *context, const struct tw_cache_entry *entry) {
    memory_see(context, "%s %d\n", entry->label, (int)entry->bytes);
}

static tw_status use_cache(void *context, struct tw_text *seen, struct tw_error *error) {
    const struct shelf *shelf = context;
    const struct tw_binary binary = {
        .bytes = (unsigned char *)"bytes", .size = 5, .has_resources = true, .registers = 9};
    struct tw_cache *cache = NULL;
    tw_status status = tw_cache_open(&cache, shelf->directory, 0, error);
    if (status == TW_OK)
        status = tw_cache_put(cache, shelf->key, &binary, "a label", error);
    if (status == TW_OK)
        status = tw_cache_each(cache, see_entry, seen, error);
    tw_cache_close(cache);
    return status;
}

static void a_cache(void **state) {
    struct shelf shelf = {.directory = ((struct scratch *)*state)->path};
    const struct tw_device_info device = {.backend = "cuda", .architecture = "sm_90"};
    tw_cache_key(&device, "source", "function", shelf.key);
    memory_fails_everywhere(&(struct memory_scenario){"cache", use_cache, NULL, &shelf});
}

/* What cannot be read for want of memory counts as missing, and stays. */
static tw_status get_binary(void *context, struct tw_text *seen, struct tw_error *error) {
    struct tw_cache *cache = NULL;
    const struct shelf *shelf = context;
    tw_status status = tw_cache_open(&cache, shelf->directory, 0, error);
    struct tw_binary binary = {0};
    if (status == TW_OK && !tw_cache_get(cache, shelf->key, &binary))
        status = tw_fail(error, TW_NO_MEMORY, "not had");
    if (status == TW_OK)
        memory_see(seen, "%.5s", (const char *)binary.bytes);
    tw_binary_free(&binary);
    tw_cache_close(cache);
    return status;
}

static void a_kept_binary(void **state) {
    struct shelf shelf = {.directory = ((struct scratch *)*state)->path};
    const struct tw_device_info device = {.backend = "cuda", .architecture = "sm_90"};
    struct tw_text seen = {0};
    struct tw_error error;
    tw_cache_key(&device, "source", "function", shelf.key);
    must(use_cache(&shelf, &seen, &error), error);
    tw_text_free(&seen);
    memory_fails_everywhere(&(struct memory_scenario){"kept binary", get_binary, NULL, &shelf});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sources, set_up, tear_down),
        cmocka_unit_test(preprocessing),
        SCRATCH_TEST(a_cache),
        SCRATCH_TEST(a_kept_binary),
    };
    return cmocka_run_group_tests(tests, memory_start, NULL);
}
