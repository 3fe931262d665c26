/* What the built-in descriptions expand to. */
#include <cjson/cJSON.h>

#include "runtime/base/hash.h"
#include "runtime/description/builtin.h"
#include "tests/support/compose.h"

static int compare_items(const void *a, const void *b) {
    return strcmp((*(cJSON *const *)a)->valuestring, (*(cJSON *const *)b)->valuestring);
}

/* Rules hold together whatever their order. */
static void hash_rules(struct tw_hash *hash, const cJSON *rules) {
    const cJSON *items[TW_MAX_RULES];
    size_t count = 0;
    for (const cJSON *item = rules != NULL ? rules->child : NULL; item != NULL; item = item->next)
        items[count++] = item;
    if (count > 0)
        qsort(items, count, sizeof *items, compare_items);
    for (size_t i = 0; i < count; i++)
        tw_hash_add_text(hash, items[i]->valuestring);
}

static void hash_implementation(const cJSON *in, char hash[TW_HASH_SIZE]) {
    static const char *const keys[] = {"parameters", "defines", "workspace", "launches", "presets"};
    struct tw_hash *state = tw_hash_begin();
    hash_rules(state, cJSON_GetObjectItemCaseSensitive(in, "constraints"));
    hash_rules(state, cJSON_GetObjectItemCaseSensitive(in, "redundant"));
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char *text = cJSON_PrintUnformatted(cJSON_GetObjectItemCaseSensitive(in, keys[i]));
        tw_hash_add_text(state, text != NULL ? text : "");
        cJSON_free(text);
    }
    tw_hash_finish(state, hash);
}

/* The hashes were taken from the flat files that these descriptions were before they had parts.
 * Whoever changes what an implementation is puts the new one here; cutting descriptions otherwise
 * changes none.
 */
static void flat_forms_are_what_they_were(void **state) {
    (void)state;
    static const struct {
        const char *kernel, *implementation, *hash;
    } known[] = {
        {"aat", "simple", "74d80c46ae8fdba838a981e36817ae08"},
        {"aat", "tiled", "b1727bc4fd757d90a408af9d6ea77a34"},
        {"aat", "register_tiled", "88a8b3699581f6a7819ba8d458fe3b91"},
        {"aat", "turned", "f0896f3bea569cd56e3a9794a8d853b2"},
        {"copy", "tiles", "1335dc35d246fa8959704d8f2a8a27fe"},
        {"gemm", "naive", "37316de4b27ecd31629716df9ac73439"},
        {"gemm", "tiled", "55a149c5d7a98c5e54b237f5ca482293"},
        {"gemm", "register_tiled", "cd35189f5ff5f67b49265f4c6f36d204"},
        {"gemm", "split_k", "778f7480fbf5301a27b1d439c9b18c1a"},
        {"gemm", "stream_k", "9e10c6c8814c64a09c703f340dd4701f"},
        {"gemm", "turned_stream_k", "53569dd40cf092bf39044eb0a31d1aa7"},
        {"gemm", "gemv", "e0b6c6ca3658604d52b524a9538cf5a2"},
        {"gemm", "gemv_split_k", "f968abdcaf38dbed5505785d2bdcc7ca"},
        {"transpose", "direct", "9259c3324e7d29c51c0a6de0839fb7da"},
        {"transpose", "tiled", "08761016e1a3739845d61f2242149315"},
        {"transpose", "shifted", "f8391b1f685a04558a31055dc2002884"},
        {"transpose_coarse", "tiles", "d766faed84de07bfae83772fa6e10c9a"},
        {"transpose_fine", "tiles", "a957bea3bc57748cda252ff2d3bf7cd4"},
    };
    int wrong = 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct tw_description *d;
        struct tw_error error;
        char hash[TW_HASH_SIZE] = "";
        must(tw_description_builtin(&d, known[i].kernel, &error), error);
        int index = tw_description_implementation(d, known[i].implementation);
        cJSON *json = cJSON_Parse(d->text);
        assert_true(index >= 0);
        hash_implementation(implementation_of(json, index), hash);
        if (strcmp(hash, known[i].hash) != 0) {
            print_error("{\"%s\", \"%s\", \"%s\"},\n", known[i].kernel, known[i].implementation,
                        hash);
            wrong++;
        }
        cJSON_Delete(json);
        tw_description_free(d);
    }
    assert_int_equal(wrong, 0);
}

/* What the build embeds is what reading the files as they are written gives. */
static void flat_forms_are_embedded(void **state) {
    (void)state;
    const char *kernels[64];
    size_t count = tw_builtin_kernels(kernels, 64);
    for (size_t i = 0; i < count; i++) {
        struct tw_description *written, *builtin;
        struct tw_error error;
        char path[TW_NAME_SIZE + 32];
        snprintf(path, sizeof path, "configs/%s.json", kernels[i]);
        assert_non_null(tw_builtin_flat(kernels[i]));
        must(tw_description_read(&written, tw_builtin_file(path), path, NULL, &error), error);
        must(tw_description_builtin(&builtin, kernels[i], &error), error);
        assert_string_equal(builtin->text, written->text);
        assert_string_equal(builtin->text, tw_builtin_flat(kernels[i]));
        assert_string_equal(builtin->origin, path);
        tw_description_free(written);
        tw_description_free(builtin);
    }
    assert_null(tw_builtin_flat("gem"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flat_forms_are_what_they_were),
        cmocka_unit_test(flat_forms_are_embedded),
    };
    return cmocka_run_group_tests_name("flat forms", tests, NULL, NULL);
}
