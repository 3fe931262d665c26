/* What every strategy must keep to, and what a good one must bring, on a space that is only a
 * formula. */
#include "tests/contract/synthetic.h"
#include "tests/support/support.h"

/* A gemm on the imagined GPU; `shape` small enough leaves few points. */
struct world {
    struct tw_description *description;
    struct tw_problem problem;
    struct synthetic synthetic;
    struct space *space;
};

static void world_make(struct world *w, const char *text) {
    struct tw_error error = {0};
    if (tw_description_read(&w->description, text, "synthetic.json", NULL, &error) != TW_OK ||
        tw_problem_parse(&w->problem, w->description, "4096x4096x1024", &error) != TW_OK ||
        space_create(&w->space, &w->problem, &synthetic_gpu, NULL, &error) != TW_OK)
        fail_msg("%s", error.message);
    w->synthetic = (struct synthetic){.problem = &w->problem, .space = w->space};
}

static void world_free(struct world *w) {
    space_free(w->space);
    tw_description_free(w->description);
}

static struct strategy *start(const struct strategy_kind *kind, const struct world *w,
                              uint64_t seed) {
    struct strategy *strategy;
    const struct strategy_choice choice = strategy_usual(kind);
    assert_int_equal(strategy_create(&strategy, &choice, w->space, NULL, seed, NULL), TW_OK);
    return strategy;
}

static const char frame_text[] = SYNTHETIC_JSON({
    "kernel" : "framed",
    "summary" : "implementations are filled in",
    "problem" : {"dimensions" : [ "M", "N", "K" ]},
    "arguments" : [ {
        "name" : "C",
        "kind" : "buffer",
        "type" : "f32",
        "access" : "out",
        "rows" : "M",
        "columns" : "N"
    } ],
    "work" : {"flops" : "M", "bytes" : "M"},
    "tolerance" : {"f32" : 1e-6},
    "reference" : {
        "templates" : ["none.cu"],
        "function" : "reference",
        "block" : ["64"],
        "grid" : ["M"],
        "pass" : ["C"]
    },
    "implementations" : [IMPLEMENTATIONS]
});

/* Of a description with these implementations. */
static void world_frame(struct world *w, const char *implementations) {
    char *text = replaced(frame_text, "IMPLEMENTATIONS", implementations);
    world_make(w, text);
    free(text);
}

/* Few points. */
static const char small_implementations[] =
    SYNTHETIC_JSON({
        "name" : "one",
        "summary" : "no parameters",
        "parameters" : {},
        "launches" : [ {
            "templates" : ["none.cu"],
            "function" : "f",
            "block" : ["32"],
            "grid" : ["1"],
            "pass" : ["C"]
        } ],
        "presets" : {"default" : {}}
    },
                   {
                       "name" : "two",
                       "summary" : "some",
                       "parameters" : {
                           "A" : [ 1, 2, 3, 4, 5, 6, 7 ],
                           "B" : [ 1, 2, 3, 4, 5, 6, 7 ],
                           "C2" : [ "x", "y", "z" ],
                           "D" : {"values" : [ 1, 2, 4 ], "launch" : true}
                       },
                       "constraints" : [ "A + B <= 9", "C2 != 'z' || A != B" ],
                       "launches" : [ {
                           "templates" : ["none.cu"],
                           "function" : "f",
                           "block" : ["32"],
                           "grid" : ["1"],
                           "pass" : [ "C", "D" ]
                       } ]
                   });

/* Times that tell points apart; every fifth point fails. */
static struct strategy_outcome outcome_of(size_t point) {
    if (point % 5 == 4)
        return (struct strategy_outcome){.ok = false};
    return (struct strategy_outcome){.ok = true,
                                     .seconds = 1e-3 * (double)(1 + point * 7919 % 101)};
}

/* Asks with up to `depth` points outstanding until the space is exhausted; checks that nothing
 * comes twice. Writes the order to `order` and returns how many came. */
static size_t run_out(struct strategy *strategy, const struct world *w, size_t depth, bool all_fail,
                      bool *seen, size_t *order) {
    size_t outstanding[64], waiting = 0, count = 0, point;
    for (;;) {
        enum strategy_answer answer = strategy_ask(strategy, &point);
        if (answer == STRATEGY_POINT) {
            assert_true(point < space_size(w->space));
            assert_false(seen[point]);
            seen[point] = true;
            order[count++] = point;
            outstanding[waiting++] = point;
        }
        if (answer != STRATEGY_POINT && waiting == 0) {
            /* With nothing outstanding there is nothing to wait for. */
            assert_int_equal(answer, STRATEGY_EXHAUSTED);
            return count;
        }
        if (answer != STRATEGY_POINT || waiting == depth) {
            /* The last asked is told first: answers come in any order. */
            struct strategy_outcome outcome = outcome_of(outstanding[--waiting]);
            outcome.ok = outcome.ok && !all_fail;
            strategy_tell(strategy, outstanding[waiting], &outcome);
        }
    }
}

static void every_point_comes_once(void **state) {
    const struct strategy_kind *kind = *state;
    struct world w;
    world_frame(&w, small_implementations);
    size_t size = space_size(w.space);
    assert_true(size > 200 && size < 2000);
    bool *seen = calloc(size, sizeof *seen);
    size_t *order = calloc(size, sizeof *order), *again = calloc(size, sizeof *again);
    for (int variant = 0; variant < 4; variant++) {
        size_t depth = variant % 2 == 0 ? 1 : 32;
        for (int twice = 0; twice < 2; twice++) {
            memset(seen, 0, size * sizeof *seen);
            struct strategy *strategy = start(kind, &w, 7);
            assert_int_equal(run_out(strategy, &w, depth, variant > 1, seen, twice ? again : order),
                             size);
            strategy_free(strategy);
        }
        assert_memory_equal(order, again, size * sizeof *order);
    }
    free(seen);
    free(order);
    free(again);
    world_free(&w);
}

/* Nothing may be allowed, where parameters are pinned. */
static void an_empty_space_is_exhausted(void **state) {
    struct world w;
    size_t point;
    world_frame(&w, SYNTHETIC_JSON({
        "name" : "none",
        "summary" : "no problem is for it",
        "parameters" : {"A" : [ 1, 2 ]},
        "constraints" : ["M < 0"],
        "launches" : [ {
            "templates" : ["none.cu"],
            "function" : "f",
            "block" : ["32"],
            "grid" : ["1"],
            "pass" : ["C"]
        } ],
        "presets" : {"default" : {"A" : 1}}
    }));
    assert_int_equal(space_size(w.space), 0);
    struct strategy *strategy = start(*state, &w, 1);
    assert_int_equal(strategy_ask(strategy, &point), STRATEGY_EXHAUSTED);
    strategy_free(strategy);
    world_free(&w);
}

static void what_was_told_is_not_asked(void **state) {
    const struct strategy_kind *kind = *state;
    struct world w;
    world_frame(&w, small_implementations);
    size_t size = space_size(w.space);
    bool *seen = calloc(size, sizeof *seen);
    size_t *order = calloc(size, sizeof *order);
    struct strategy *strategy = start(kind, &w, 3);
    size_t told = 0;
    for (size_t point = 0; point < size; point += 3, told++) {
        struct strategy_outcome outcome = outcome_of(point);
        strategy_tell(strategy, point, &outcome);
        strategy_tell(strategy, point, &outcome); /* again, which must not count */
        seen[point] = true;
    }
    assert_int_equal(run_out(strategy, &w, 4, false, seen, order), size - told);
    strategy_free(strategy);
    free(seen);
    free(order);
    world_free(&w);
}

/* The best noise-free time found after `trials`, over the default's. */
static double best_after(const struct strategy_kind *kind, const struct world *w, uint64_t seed,
                         size_t trials, size_t depth) {
    struct strategy *strategy = start(kind, w, seed);
    size_t outstanding[64], waiting = 0, point, first = 0;
    double best = 1e9;
    for (size_t t = 0; t < trials; t++) {
        if (strategy_ask(strategy, &point) != STRATEGY_POINT)
            break;
        outstanding[waiting++] = point;
        if (waiting < depth)
            continue;
        size_t done = outstanding[first];
        outstanding[first] = outstanding[--waiting];
        first = (first + 1) % (waiting > 0 ? waiting : 1);
        double seconds = synthetic_seconds(&w->synthetic, done);
        struct strategy_outcome outcome = synthetic_measure(seconds, seed, t);
        strategy_tell(strategy, done, &outcome);
        if (seconds > 0 && seconds < best)
            best = seconds;
    }
    strategy_free(strategy);
    return best;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_after(const char *name, const struct world *w, size_t trials, size_t depth) {
    enum { SEEDS = 5 };
    double best[SEEDS];
    const struct strategy_kind *kind = strategy_find(name, NULL);
    assert_non_null(kind);
    for (int s = 0; s < SEEDS; s++)
        best[s] = best_after(kind, w, (uint64_t)s + 1, trials, depth);
    qsort(best, SEEDS, sizeof *best, ascending);
    return best[SEEDS / 2];
}

/* Fixed seeds, so it either holds or it does not. */
static void all_beat_random(void **state) {
    (void)state;
    struct world w;
    world_make(&w, synthetic_text);
    double alone = median_after("random", &w, 150, 1), many = median_after("random", &w, 300, 16);
    for (const struct strategy_kind *const *kind = strategy_kinds(); *kind != NULL; kind++) {
        if (strcmp((*kind)->name, "random") == 0 || strcmp((*kind)->name, "exhaustive") == 0)
            continue;
        assert_true(median_after((*kind)->name, &w, 150, 1) < alone);
        assert_true(median_after((*kind)->name, &w, 300, 16) < many);
    }
    world_free(&w);
}

/* Two implementations: `even` is good everywhere and soon has all the fastest points known; `steep`
 * is worse nearly everywhere, and better at its best. */
static const char rival_text[] = SYNTHETIC_JSON({
    "name" : "NAME",
    "summary" : "a rival",
    "parameters" : {
        "A" : [ 1, 2, 3, 4, 5, 6, 7, 8 ],
        "B" : [ 1, 2, 3, 4, 5, 6, 7, 8 ],
        "C1" : [ 1, 2, 3, 4, 5, 6, 7, 8 ],
        "D" : [ 1, 2, 3, 4, 5, 6, 7, 8 ],
        "E" : [ 1, 2, 3, 4, 5, 6, 7, 8 ],
        "F" : [ 1, 2, 3, 4, 5, 6, 7, 8 ]
    },
    "launches" : [ {
        "templates" : ["none.cu"],
        "function" : "f",
        "block" : ["32"],
        "grid" : ["1"],
        "pass" : ["C"]
    } ],
    "presets" : {"PRESET" : {"A" : 1, "B" : 1, "C1" : 1, "D" : 1, "E" : 1, "F" : 1}}
});

/* The caller frees it. */
static char *rival(const char *name, const char *preset) {
    char *named = replaced(rival_text, "NAME", name), *text = replaced(named, "PRESET", preset);
    free(named);
    return text;
}

static double rival_seconds(const struct space *space, size_t point) {
    enum { AXES = 6, BEST = 2 };
    const unsigned char *ranks = space_coordinates(space, point);
    double numbers[AXES], distance = 0;
    for (int i = 0; i < AXES; i++) {
        numbers[i] = ranks[i];
        distance += abs(ranks[i] - BEST);
    }
    double smooth =
        space_implementation(space, point) == 1 ? 0.8 + 0.06 * distance : 1 + 0.005 * distance;
    return 1e-3 * (smooth + 0.1 * synthetic_rough(numbers, AXES));
}

/* No point of `even` takes less than a millisecond. A climb whose next steps all begin from the
 * fastest points of all finds none of `steep` that does. */
static void a_rival_is_not_forgotten(void **state) {
    const char *name = *state;
    struct world w;
    char *even = rival("even", "default"), *steep = rival("steep", "steep");
    struct tw_text both = {0};
    tw_text_print(&both, "%s, %s", even, steep);
    world_frame(&w, both.data);
    tw_text_free(&both);
    free(even);
    free(steep);
    int found = 0;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct strategy *strategy = start(strategy_find(name, NULL), &w, seed);
        double best = 1;
        size_t point;
        for (int trial = 0; trial < 600; trial++) {
            assert_int_equal(strategy_ask(strategy, &point), STRATEGY_POINT);
            struct strategy_outcome outcome = {.ok = true,
                                               .seconds = rival_seconds(w.space, point)};
            strategy_tell(strategy, point, &outcome);
            best = fmin(best, outcome.seconds);
        }
        found += best < 1e-3;
        strategy_free(strategy);
    }
    if (found < 2)
        fail_msg("%s finds it from %d seeds of 5", name, found);
    world_free(&w);
}

static void unknown_names_are_answered(void **state) {
    (void)state;
    struct tw_error error = {0};
    assert_null(strategy_find("bayesain", &error));
    assert_non_null(strstr(error.message, "did you mean bayesian?"));
    assert_string_equal(strategy_find(NULL, NULL)->name, "auto");
    /* Its name in earlier versions. */
    assert_string_equal(strategy_find("greedy", NULL)->name, "bayesian");
}

int main(void) {
    struct CMUnitTest tests[64];
    size_t count = 0;
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(unknown_names_are_answered);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(all_beat_random);
    static const char *const climbing[] = {"auto", "bayesian"};
    for (size_t i = 0; i < sizeof climbing / sizeof *climbing; i++)
        tests[count++] = (struct CMUnitTest){"a_rival_is_not_forgotten", a_rival_is_not_forgotten,
                                             NULL, NULL, (void *)climbing[i]};
    for (const struct strategy_kind *const *kind = strategy_kinds(); *kind != NULL; kind++) {
        tests[count++] =
            (struct CMUnitTest){(*kind)->name, every_point_comes_once, NULL, NULL, (void *)*kind};
        tests[count++] = (struct CMUnitTest){(*kind)->name, what_was_told_is_not_asked, NULL, NULL,
                                             (void *)*kind};
        tests[count++] = (struct CMUnitTest){(*kind)->name, an_empty_space_is_exhausted, NULL, NULL,
                                             (void *)*kind};
    }
    return _cmocka_run_group_tests("strategies", tests, count, NULL, NULL);
}
