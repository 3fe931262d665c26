/* What a problem asks about of thousands of places is what looking at all of them says. */
#include <math.h>

#include "runtime/predict/model_places.h"
#include "tests/support/support.h"
#include "tuner/search/rng.h"

enum { PLACES = 3000, CONFIGURATIONS = 400, DIMENSIONS = 3, KINDS = 3, GOOD = 2 };

static int64_t a_size(struct rng *rng) {
    const int64_t size = lround(exp2(13 * rng_unit(rng)));
    return rng_unit(rng) < 0.3 ? (size + 7) / 8 * 8 : size;
}

static struct tw_model *a_model(struct rng *rng) {
    struct tw_model *model = calloc(1, sizeof *model);
    assert_non_null(model);
    model->dimension_count = DIMENSIONS;
    model->place_count = PLACES;
    model->configuration_count = CONFIGURATIONS;
    model->places = calloc(PLACES, sizeof *model->places);
    model->configurations = calloc(CONFIGURATIONS, sizeof *model->configurations);
    model->near = calloc(PLACES * GOOD, sizeof *model->near);
    assert_true(model->places != NULL && model->configurations != NULL && model->near != NULL);
    for (int p = 0; p < PLACES; p++) {
        int64_t dimensions[DIMENSIONS];
        for (int i = 0; i < DIMENSIONS; i++)
            dimensions[i] = a_size(rng);
        tw_model_place_put(&model->places[p], (int)rng_below(rng, KINDS + 1) - 1, dimensions,
                           DIMENSIONS);
    }
    /* Most are good in many places, so that many places are gone through for a few more. */
    for (int c = 0; c < CONFIGURATIONS; c++) {
        struct tw_model_configuration *of = &model->configurations[c];
        of->kinds = 1 + rng_below(rng, (1 << KINDS) - 1);
        of->near_first = model->near_count;
        of->near_count = c < CONFIGURATIONS / 2 ? PLACES * GOOD / CONFIGURATIONS : 2;
        for (int i = 0; i < of->near_count; i++)
            model->near[model->near_count++] = (int)rng_below(rng, PLACES);
    }
    assert_true(tw_model_sort_near(model));
    return model;
}

static float length_of(const struct tw_model_place *a, const struct tw_model_place *b) {
    float length = a->kind == b->kind ? 0 : 1;
    for (int i = 0; i < DIMENSIONS; i++)
        length += fabsf(a->logs[i] - b->logs[i]) + (float)((a->uneven ^ b->uneven) >> i & 1);
    return length;
}

/* The first of those at the nearest place that was not asked about, one place after another. */
static int looked_up(const struct tw_model *model, const struct tw_model_place *here, int most,
                     int *found) {
    bool seen[PLACES] = {false}, taken[CONFIGURATIONS] = {false};
    int count = 0;
    for (int round = 0; round < PLACES && count < most; round++) {
        int best = -1;
        for (int p = 0; p < PLACES; p++)
            if (!seen[p] && (best < 0 || length_of(&model->places[p], here) <
                                             length_of(&model->places[best], here)))
                best = p;
        seen[best] = true;
        for (int c = 0; c < CONFIGURATIONS && count < most; c++) {
            const struct tw_model_configuration *of = &model->configurations[c];
            bool is_good = false;
            for (int i = 0; i < of->near_count; i++)
                is_good |= model->near[of->near_first + i] == best;
            if (!is_good || taken[c] || (of->kinds >> here->kind & 1) == 0)
                continue;
            taken[c] = true;
            found[count++] = c;
        }
    }
    return count;
}

static void as_all_are_looked_at(void **state) {
    (void)state;
    static const int most[] = {1, 5, 60, CONFIGURATIONS};
    struct rng rng = {.state = 1};
    struct tw_model *model = a_model(&rng);
    assert_true(tw_model_has_places(model, 0) && tw_model_has_places(model, KINDS - 1));
    assert_false(tw_model_has_places(model, -1) || tw_model_has_places(model, KINDS));
    for (int i = 0; i < 12; i++) {
        int64_t dimensions[DIMENSIONS];
        int wanted[CONFIGURATIONS], found[CONFIGURATIONS];
        struct tw_model_place here = {0};
        for (int k = 0; k < DIMENSIONS; k++)
            dimensions[k] = a_size(&rng);
        tw_model_place_put(&here, i % KINDS, dimensions, DIMENSIONS);
        const int count = looked_up(model, &here, most[i % 4], wanted);
        assert_int_equal(tw_model_near(model, i % KINDS, dimensions, most[i % 4], found), count);
        for (int k = 0; k < count; k++)
            assert_int_equal(found[k], wanted[k]);
    }
    tw_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_all_are_looked_at),
    };
    return cmocka_run_group_tests_name("model near", tests, NULL, NULL);
}
