/* Modules: one thread makes what several want, and where a binary may come from. The backend is one
 * of paper, whose compiler counts, and can be missing. */
#include <pthread.h>
#include <stdatomic.h>

#include "runtime/library/modules.h"
#include "tests/support/support.h"

static atomic_int compiles, loads;
static bool no_compiler, bad_loads;
static atomic_bool passing; /* the last compile's */

static tw_status paper_compile(const struct tw_device_info *info,
                               const struct tw_compile_request *request, struct tw_binary *binary,
                               struct tw_error *error) {
    (void)info;
    if (no_compiler)
        return tw_fail(error, TW_UNAVAILABLE, "there is no compiler here");
    compiles++;
    passing = request->passing;
    usleep(20000); /* long enough for all threads to come */
    if (strcmp(request->source, "broken") == 0)
        return tw_fail(error, TW_COMPILE, "line 1: error: it is broken");
    binary->size = strlen(request->source);
    binary->bytes = (unsigned char *)strdup(request->source);
    binary->has_resources = true;
    binary->registers = 64;
    return TW_OK;
}

static tw_status paper_enter(struct tw_device *device, bool *entered, struct tw_error *error) {
    (void)device;
    (void)error;
    *entered = false;
    return TW_OK;
}

static void paper_leave(struct tw_device *device, bool entered) {
    (void)device;
    (void)entered;
}

static tw_status paper_load(struct tw_device *device, const void *bytes, size_t size,
                            const char *function, uint32_t shared, struct tw_module **out,
                            struct tw_error *error) {
    (void)device;
    (void)function;
    (void)shared;
    loads++;
    *out = NULL;
    if (bad_loads)
        return tw_fail(error, TW_DEVICE, "the device is asleep");
    *out = (struct tw_module *)strndup(bytes, size);
    return TW_OK;
}

static void paper_unload(struct tw_device *device, struct tw_module *module) {
    (void)device;
    free(module);
}

static const struct tw_backend paper = {.name = "paper",
                                        .compile = paper_compile,
                                        .enter = paper_enter,
                                        .leave = paper_leave,
                                        .load = paper_load,
                                        .unload = paper_unload};
static const struct tw_device_info info = {.backend = "cuda",
                                           .architecture = "sm_90",
                                           .arch = 90,
                                           .max_registers = 65536,
                                           .compiler = "NVRTC 13.0"};

static struct tw_modules *create(struct tw_cache *cache, struct tw_database_binaries *shipped) {
    struct tw_modules *modules;
    struct tw_error error;
    must(tw_modules_create(&modules, &paper, NULL, &info, cache, shipped, &error), error);
    return modules;
}

static int set_up(void **state) {
    compiles = loads = 0;
    no_compiler = bad_loads = false;
    return scratch_make(state);
}

static struct tw_module_request request_of(const char *source) {
    return (struct tw_module_request){
        .compile = {.source = source, .function = "f", .name = "f.cu"},
        .hash = source,
        .label = "a kernel",
        .threads = 256,
        .shared = 0};
}

static tw_status get(struct tw_modules *modules, const char *source, struct tw_module_found *found,
                     struct tw_error *error) {
    const struct tw_module_request request = request_of(source);
    return tw_modules_get(modules, &request, found, error);
}

struct caller {
    struct tw_modules *modules;
    const char *source;
    struct tw_module_found found;
    tw_status status;
    struct tw_error error;
};

static void *call(void *context) {
    struct caller *caller = context;
    caller->status = get(caller->modules, caller->source, &caller->found, &caller->error);
    return NULL;
}

static void call_at_once(struct caller *callers, int count) {
    pthread_t threads[16];
    for (int i = 0; i < count; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, call, &callers[i]), 0);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}

static void one_compiles_and_the_others_wait(void **state) {
    (void)state;
    struct tw_modules *modules = create(NULL, NULL);
    struct caller callers[16];
    for (int i = 0; i < 16; i++)
        callers[i] = (struct caller){.modules = modules, .source = i % 2 == 0 ? "even" : "odd"};
    call_at_once(callers, 16);
    assert_int_equal(compiles, 2);
    assert_int_equal(loads, 2);
    for (int i = 0; i < 16; i++) {
        must(callers[i].status, callers[i].error);
        assert_ptr_equal(callers[i].found.module, callers[i % 2].found.module);
        assert_string_equal((const char *)callers[i].found.module, i % 2 == 0 ? "even" : "odd");
    }
    tw_modules_free(modules);
}

static void what_does_not_compile_is_not_tried_again(void **state) {
    (void)state;
    struct tw_modules *modules = create(NULL, NULL);
    struct caller callers[8];
    for (int i = 0; i < 8; i++)
        callers[i] = (struct caller){.modules = modules, .source = "broken"};
    call_at_once(callers, 8);
    for (int i = 0; i < 8; i++)
        assert_refuses(callers[i].status, TW_COMPILE, callers[i].error, "it is broken");
    struct tw_module_found found;
    struct tw_error error;
    assert_refuses(get(modules, "broken", &found, &error), TW_COMPILE, error, "it is broken");
    assert_int_equal(compiles, 1);
    tw_modules_free(modules);
}

/* To be loaded here and now a compiler may have less to do than for what is kept. */
static void what_is_not_kept_is_passing(void **state) {
    const struct scratch *scratch = *state;
    struct tw_cache *cache;
    struct tw_module_found found;
    struct tw_error error;
    must(tw_cache_open(&cache, scratch->path, 0, &error), error);
    struct tw_modules *keeping = create(cache, NULL), *other = create(NULL, NULL);
    must(get(keeping, "even", &found, &error), error);
    assert_false(passing);
    must(get(other, "even", &found, &error), error);
    assert_true(passing);
    assert_int_equal(compiles, 2);
    tw_modules_free(keeping);
    tw_modules_free(other);
    tw_cache_close(cache);
}

/* Where another process rendered and compiled a source its hash is enough. */
static void a_hash_alone_finds_what_is_kept(void **state) {
    const struct scratch *scratch = *state;
    struct tw_cache *cache;
    struct tw_module_found found, again;
    struct tw_error error;
    must(tw_cache_open(&cache, scratch->path, 0, &error), error);
    struct tw_modules *first = create(cache, NULL), *second = create(cache, NULL);
    struct tw_module_request request = request_of("even");
    request.compile.source = NULL;
    assert_false(tw_modules_has(first, &request));
    assert_refuses(tw_modules_get(first, &request, &found, &error), TW_NOT_FOUND, error, "kept");
    must(get(first, "even", &found, &error), error);
    assert_true(tw_modules_has(second, &request));
    must(tw_modules_get(second, &request, &found, &error), error);
    assert_int_equal(found.origin, TW_BINARY_DISK);
    must(get(second, "even", &again, &error), error);
    assert_ptr_equal(again.module, found.module);
    assert_int_equal(compiles, 1);
    tw_modules_free(first);
    tw_modules_free(second);
    tw_cache_close(cache);
}

/* Who has the source does not fail with who has its hash alone. */
static void *call_by_hash(void *context) {
    struct caller *caller = context;
    struct tw_module_request request = request_of(caller->source);
    request.compile.source = NULL;
    caller->status = tw_modules_get(caller->modules, &request, &caller->found, &caller->error);
    return NULL;
}

static void with_and_without_a_source_at_once(void **state) {
    (void)state;
    for (int turn = 0; turn < 20; turn++) {
        struct tw_modules *modules = create(NULL, NULL);
        struct caller callers[16];
        pthread_t threads[16];
        compiles = 0;
        for (int i = 0; i < 16; i++) {
            callers[i] = (struct caller){.modules = modules, .source = "even"};
            assert_int_equal(
                pthread_create(&threads[i], NULL, i % 2 == 0 ? call_by_hash : call, &callers[i]),
                0);
        }
        for (int i = 0; i < 16; i++) {
            pthread_join(threads[i], NULL);
            if (i % 2 != 0)
                must(callers[i].status, callers[i].error);
            else if (callers[i].status != TW_OK)
                assert_int_equal(callers[i].status, TW_NOT_FOUND);
        }
        assert_int_equal(compiles, 1);
        tw_modules_free(modules);
    }
}

static void a_passing_trouble_is_tried_again(void **state) {
    (void)state;
    struct tw_modules *modules = create(NULL, NULL);
    struct tw_module_found found;
    struct tw_error error;
    bad_loads = true;
    assert_refuses(get(modules, "sound", &found, &error), TW_DEVICE, error, "asleep");
    bad_loads = false;
    must(get(modules, "sound", &found, &error), error);
    assert_int_equal(compiles, 2);
    tw_modules_free(modules);
}

static void too_many_registers(void **state) {
    (void)state;
    struct tw_modules *modules = create(NULL, NULL);
    struct tw_module_found found;
    struct tw_error error;
    struct tw_module_request request = request_of("large");
    request.threads = 1025; /* times 64 */
    assert_refuses(tw_modules_get(modules, &request, &found, &error), TW_RESOURCE, error,
                   "65536 for a block");
    assert_int_equal(loads, 0);
    tw_modules_free(modules);
}

static void the_directory_saves_the_compiler(void **state) {
    const struct scratch *scratch = *state;
    struct tw_cache *cache;
    struct tw_module_found found;
    struct tw_error error;
    must(tw_cache_open(&cache, scratch->path, 0, &error), error);
    for (int i = 0; i < 3; i++) {
        struct tw_modules *modules = create(cache, NULL);
        no_compiler = i == 2;
        must(get(modules, "kept", &found, &error), error);
        assert_string_equal(tw_binary_origin_word(found.origin), i == 0 ? "compiled" : "disk");
        assert_string_equal(found.unkept, "");
        tw_modules_free(modules);
    }
    assert_int_equal(compiles, 1);
    tw_cache_close(cache);
}

/* A machine without a compiler runs what a database brought, and nothing else. */
static void a_database_brings_binaries(void **state) {
    const struct scratch *scratch = *state;
    char path[600], message[TW_DB_MESSAGE_SIZE], key[TW_HASH_SIZE], hash[TW_HASH_SIZE];
    tw_db *db;
    struct tw_error error;
    snprintf(path, sizeof path, "%s/shipped.db", scratch->path);
    assert_int_equal(tw_db_open(&db, path, TW_DB_WRITE, message, sizeof message), TW_DB_OK);
    static const char *const names[] = {"good", "damaged", "foreign"};
    for (int i = 0; i < 3; i++) {
        tw_database_binaries_key(&info, names[i], "f", key);
        tw_database_binaries_hash(names[i], strlen(names[i]), hash);
        const struct tw_db_binary binary = {.key = key,
                                            .backend = "cuda",
                                            .architecture = i == 2 ? "sm_80" : "sm_90",
                                            .label = "",
                                            .hash = hash,
                                            .bytes = i == 1 ? "DAMAGED" : names[i],
                                            .size = strlen(names[i])};
        assert_int_equal(tw_db_binary_put(db, &binary), TW_DB_OK);
    }
    struct tw_database_binaries *shipped;
    must(tw_database_binaries_create(&shipped, &error), error);
    must(tw_database_binaries_add(shipped, db, &info, &error), error);
    tw_db_close(db);
    struct tw_modules *modules = create(NULL, shipped);
    struct tw_module_found found;
    no_compiler = true;
    must(get(modules, "good", &found, &error), error);
    assert_string_equal((const char *)found.module, "good");
    assert_string_equal(tw_binary_origin_word(found.origin), "database");
    for (int i = 1; i < 3; i++)
        assert_refuses(get(modules, names[i], &found, &error), TW_UNAVAILABLE, error,
                       "no compiler");
    tw_modules_free(modules);
    tw_database_binaries_free(shipped);
}

#define MODULE_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, scratch_remove)

int main(void) {
    const struct CMUnitTest tests[] = {
        MODULE_TEST(one_compiles_and_the_others_wait),
        MODULE_TEST(what_does_not_compile_is_not_tried_again),
        MODULE_TEST(what_is_not_kept_is_passing),
        MODULE_TEST(a_hash_alone_finds_what_is_kept),
        MODULE_TEST(with_and_without_a_source_at_once),
        MODULE_TEST(a_passing_trouble_is_tried_again),
        MODULE_TEST(too_many_registers),
        MODULE_TEST(the_directory_saves_the_compiler),
        MODULE_TEST(a_database_brings_binaries),
    };
    return cmocka_run_group_tests_name("modules", tests, NULL, NULL);
}
