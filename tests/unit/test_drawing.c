/* What a GPU is given to try of the built-in kernels is little, differs, and is the same in every
 * piece of a test. */
#include "runtime/description/builtin.h"
#include "tests/support/drawing.h"
#include "tests/support/scale.h"

static const int64_t shapes[][TW_MAX_DIMENSIONS] = {
    {1, 1, 1}, {129, 257, 63}, {136, 264, 72}, {256, 128, 64}, {40, 72, 1700}};
enum { SHAPES = sizeof shapes / sizeof *shapes, PIECES = 4 };

static struct drawn_from from_gemm(struct tw_description **d) {
    struct tw_error error;
    must(tw_description_builtin(d, "gemm", &error), error);
    return (struct drawn_from){.description = *d,
                               .device = &paper_gpu,
                               .shapes = shapes,
                               .shape_count = SHAPES,
                               .pieces = PIECES,
                               .seed = 1};
}

static int all_taken(const struct drawing *drawing, int piece) {
    int taken = 0;
    for (int i = 0; i < drawing->problem_count; i++)
        if (piece < 0 || drawing->problems[i].piece == piece)
            taken += variants_taken(drawing, &drawing->problems[i]);
    return taken;
}

/* Every variant may run on its problem, none stands twice on one, and no problem has none. */
static void variants_are_allowed(void **state) {
    (void)state;
    struct tw_description *d;
    const struct drawn_from from = from_gemm(&d);
    struct drawing drawing;
    drawing_make(&drawing, &from);
    for (int i = 0; i < drawing.problem_count; i++) {
        const struct drawn_problem *drawn = &drawing.problems[i];
        const struct drawn_variant *variants = &drawing.variants[drawn->first_candidate];
        int64_t strides[TW_MAX_ARGUMENTS], values[TW_MAX_SYMBOLS];
        bind_padded(&drawn->problem, &paper_gpu, drawn->padding, strides, values);
        assert_true(variants_taken(&drawing, drawn) > 0);
        assert_null(tw_problem_refusal(&drawn->problem));
        for (int j = 0; j < drawn->candidates; j++) {
            struct tw_error error;
            if (variants[j].taken)
                must(is_allowed(d, &variants[j].configuration, values, &paper_gpu, &error), error);
            for (int k = 0; k < j; k++)
                assert_false(variants[j].taken && variants[k].taken &&
                             memcmp(&variants[j].configuration, &variants[k].configuration,
                                    sizeof variants[j].configuration) == 0 &&
                             variants[j].preset == SAMPLE);
        }
    }
    drawing_free(&drawing);
    tw_description_free(d);
}

/* Nine of ten pairs that all candidates have, by a quarter of them; every preset that any allows.
 */
static void few_have_most_pairs(void **state) {
    (void)state;
    struct tw_description *d;
    const struct drawn_from from = from_gemm(&d);
    struct drawing drawing;
    struct pairs pairs = {.hashes = calloc(PAIR_SLOTS, sizeof *pairs.hashes)};
    bool is_allowed_somewhere[256] = {false}, is_drawn[256] = {false};
    int candidates = 0, met = 0;
    assert_non_null(pairs.hashes);
    drawing_make(&drawing, &from);
    for (int taken = 1; taken >= 0; taken--) {
        for (int i = 0; i < drawing.problem_count; i++) {
            const struct drawn_problem *drawn = &drawing.problems[i];
            for (int j = 0; j < drawn->candidates; j++) {
                const struct drawn_variant *variant = &drawing.variants[drawn->first_candidate + j];
                if (variant->taken != (taken == 1))
                    continue;
                candidates++;
                variant_news(&pairs, drawn, variant, true);
                if (variant->preset != SAMPLE) {
                    is_allowed_somewhere[variant->preset] = true;
                    is_drawn[variant->preset] |= variant->taken;
                }
            }
        }
        if (taken == 1)
            met = pairs.count;
    }
    assert_true(4 * all_taken(&drawing, -1) < candidates);
    assert_true(10 * met > 9 * pairs.count);
    for (int i = 0; i < preset_count(d); i++)
        assert_int_equal(is_allowed_somewhere[i], is_drawn[i]);
    free(pairs.hashes);
    drawing_free(&drawing);
    tw_description_free(d);
}

/* As a piece of them is told, without what the others do. */
static void pieces_share_one_drawing(void **state) {
    (void)state;
    struct tw_description *d;
    const struct drawn_from from = from_gemm(&d);
    struct drawing one, other;
    drawing_make(&one, &from);
    drawing_make(&other, &from);
    assert_int_equal(one.problem_count, other.problem_count);
    assert_int_equal(one.variant_count, other.variant_count);
    for (int i = 0; i < one.problem_count; i++)
        assert_int_equal(one.problems[i].piece, other.problems[i].piece);
    for (int i = 0; i < one.variant_count; i++) {
        assert_int_equal(one.variants[i].taken, other.variants[i].taken);
        assert_memory_equal(&one.variants[i].configuration, &other.variants[i].configuration,
                            sizeof one.variants[i].configuration);
    }
    /* None has a problem more than it must. */
    for (int piece = 0; piece < PIECES; piece++)
        assert_true(8 * all_taken(&one, piece) > all_taken(&one, -1));
    drawing_free(&one);
    drawing_free(&other);
    tw_description_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(variants_are_allowed),
                                       cmocka_unit_test(few_have_most_pairs),
                                       cmocka_unit_test(pieces_share_one_drawing)};
    return cmocka_run_group_tests_name("drawing", tests, NULL, NULL);
}
