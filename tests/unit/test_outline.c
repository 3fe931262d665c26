/* Outlines of built-in descriptions: what is read of them when it is needed is what reading all at
 * once gives, and what the build worked out holds. */
#include <pthread.h>

#include "runtime/description/builtin.h"
#include "runtime/description/outline.h"
#include "runtime/description/languages.h"
#include "runtime/variant/identity.h"
#include "tests/support/scale.h"

static struct tw_description *outline_of(const char *kernel) {
    struct tw_description *d;
    struct tw_error error;
    must(tw_description_outline(&d, kernel, &error), error);
    return d;
}

static struct tw_description *whole(const char *kernel) {
    struct tw_description *d;
    struct tw_error error;
    must(tw_description_builtin(&d, kernel, &error), error);
    return d;
}

static void assert_same_presets(const struct tw_description *outline,
                                const struct tw_description *d, int index) {
    const struct tw_implementation *in = &d->implementations[index];
    assert_int_equal(outline->implementations[index].preset_count, in->preset_count);
    for (int i = 0; i < in->preset_count; i++) {
        struct tw_configuration wanted, got;
        struct tw_text wanted_text = {0}, got_text = {0};
        struct tw_error error;
        const struct tw_preset *preset;
        int where;
        assert_true(tw_description_preset(outline, in->presets[i].name, &where, &preset));
        assert_int_equal(where, index);
        must(tw_configuration_preset(&got, outline, where, preset, &error), error);
        must(tw_configuration_preset(&wanted, d, index, &in->presets[i], &error), error);
        tw_configuration_text(d, &wanted, &wanted_text);
        tw_configuration_text(outline, &got, &got_text);
        assert_string_equal(got_text.data, wanted_text.data);
        tw_text_free(&wanted_text);
        tw_text_free(&got_text);
    }
}

/* The code's hash is of all that there is to an implementation. */
static void assert_same_code(const struct tw_description *outline, const struct tw_description *d,
                             int index) {
    for (const struct tw_language *l = tw_languages; l->backend != NULL; l++) {
        char wanted[TW_HASH_SIZE], got[TW_HASH_SIZE];
        struct tw_error error;
        must(tw_identity_code(d, index, l->backend, wanted, &error), error);
        must(tw_identity_code(outline, index, l->backend, got, &error), error);
        assert_string_equal(got, wanted);
        assert_string_equal(tw_description_code(outline, index, l->backend), wanted);
    }
    assert_null(tw_description_code(outline, index, "unheard-of"));
    assert_null(tw_description_code(d, index, "cuda"));
}

static void parts_are_what_they_are_in_the_whole(void **state) {
    const char *kernels[64];
    size_t count = tw_builtin_kernels(kernels, 64);
    (void)state;
    for (size_t k = 0; k < count; k++) {
        struct tw_description *d = whole(kernels[k]), *outline = outline_of(kernels[k]);
        assert_string_equal(outline->kernel, d->kernel);
        assert_string_equal(outline->text, d->text);
        assert_string_equal(outline->origin, d->origin);
        assert_int_equal(outline->fallback_count, d->fallback_count);
        assert_int_equal(outline->implementation_count, d->implementation_count);
        for (int i = 0; i < d->fallback_count; i++) {
            assert_int_equal(outline->fallbacks[i].implementation, d->fallbacks[i].implementation);
            assert_string_equal(outline->fallbacks[i].preset->name, d->fallbacks[i].preset->name);
        }
        /* In any order. */
        for (int i = d->implementation_count - 1; i >= 0; i--) {
            struct tw_error error;
            assert_string_equal(outline->implementations[i].name, d->implementations[i].name);
            assert_null(outline->implementations[i].symbols);
            must(tw_description_need(outline, i, &error), error);
            assert_non_null(outline->implementations[i].symbols);
            assert_string_equal(outline->implementations[i].summary, d->implementations[i].summary);
            assert_same_presets(outline, d, i);
            assert_same_code(outline, d, i);
        }
        tw_description_free(d);
        tw_description_free(outline);
    }
}

static void *need_all(void *context) {
    struct tw_description *d = context;
    for (int i = 0; i < d->implementation_count; i++)
        if (tw_description_need(d, i, NULL) != TW_OK || d->implementations[i].launch_count == 0)
            return d;
    return NULL;
}

static void many_need_them_at_once(void **state) {
    (void)state;
    struct tw_description *d = outline_of("gemm");
    pthread_t threads[8];
    for (int i = 0; i < 8; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, need_all, d), 0);
    for (int i = 0; i < 8; i++) {
        void *failed;
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
    tw_description_free(d);
}

static void unknown_kernels(void **state) {
    (void)state;
    struct tw_description *d;
    struct tw_error error;
    assert_refuses(tw_description_outline(&d, "gem", &error), TW_NOT_FOUND, error,
                   "did you mean gemm?");
    assert_null(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_what_they_are_in_the_whole),
        cmocka_unit_test(many_need_them_at_once),
        cmocka_unit_test(unknown_kernels),
    };
    return cmocka_run_group_tests_name("outline", tests, NULL, NULL);
}
