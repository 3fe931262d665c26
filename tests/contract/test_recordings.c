/* Every strategy on the spaces that were recorded for it (tune record --output): on a real
 * landscape too it tries each point once, ends at the best, and is better than chance. */
#include <glob.h>

#include "tests/support/support.h"
#include "tuner/formats/packed_file.h"
#include "tuner/replay/assessment.h"
#include "tuner/replay/foresight.h"

/* More of the default, whose median is to be no luck. */
enum { SEEDS = 3, SEEDS_OF_DEFAULT = 15 };
enum { SMALL = 500 /* points, which are tried to the end */, TRIALS = 150 };

static void replay_with(struct assessment *a, const struct recording *recording,
                        const struct baseline *baseline, const struct strategy_kind *kind,
                        size_t trials, size_t outstanding) {
    struct strategy_choice choice = strategy_usual(kind);
    struct replay_options options = {.trials = trials, .outstanding = outstanding};
    struct tw_error error;
    size_t seeds = kind == strategy_find(NULL, NULL) ? SEEDS_OF_DEFAULT : SEEDS;
    must(assess(a, recording, baseline, &choice, seeds, &options, &error), error);
}

static void ends_at_the_best(const struct recording *recording, const struct baseline *baseline,
                             const struct strategy_kind *kind, size_t outstanding) {
    size_t points = space_size(recording->space);
    struct assessment a;
    replay_with(&a, recording, baseline, kind, 2 * points, outstanding);
    if (!(a.worst == 0 && a.trials[3].high <= (double)points))
        fail_msg("%s: %s ends %g from the best", recording->origin, kind->name, a.worst);
}

/* How many points at random it takes to find, in the median, what the strategy found in the median.
 */
static double worth(const struct recording *recording, const struct assessment *a) {
    double found = recording->best * (1 + a->late.median);
    size_t points = space_size(recording->space), good = 0;
    for (size_t p = 0; p < points; p++)
        good += recording->points[p].ok && recording->points[p].seconds <= found;
    return baseline_reaches(points, good, 0.5);
}

/* Of a large space, of which the file may have a sample, so that most points lack their neighbours:
 * no strategy is far worse than chance, and the default is worth twice as many trials. What comes
 * in order is no search. */
static void is_worth_its_trials(const struct recording *recording, const struct baseline *baseline,
                                const struct strategy_kind *kind, size_t outstanding) {
    int least = kind == strategy_find(NULL, NULL) ? 2 * TRIALS : TRIALS / 4;
    struct assessment a;
    if (kind == strategy_find("exhaustive", NULL))
        return;
    replay_with(&a, recording, baseline, kind, TRIALS, outstanding);
    if (worth(recording, &a) < least)
        fail_msg("%s: %s is worth %g trials at random", recording->origin, kind->name,
                 worth(recording, &a));
}

/* With one and with many asks outstanding. */
static void check(const struct recording *recording) {
    bool small = space_size(recording->space) <= SMALL;
    struct baseline baseline;
    struct tw_error error;
    must(baseline_of(&baseline, recording, &error), error);
    for (const struct strategy_kind *const *kind = strategy_kinds(); *kind != NULL; kind++)
        for (size_t outstanding = 1; outstanding <= 16; outstanding += 15)
            (small ? ends_at_the_best : is_worth_its_trials)(recording, &baseline, *kind,
                                                             outstanding);
}

static void recordings(void **state) {
    glob_t files;
    (void)state;
    assert_int_equal(glob(RECORDINGS "/*.json.gz", 0, NULL, &files), 0);
    assert_true(files.gl_pathc >= 5);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        struct recording *recording;
        struct tw_error error;
        must(recording_read(&recording, files.gl_pathv[i], &error), error);
        check(recording);
        recording_free(recording);
    }
    globfree(&files);
}

/* What the cost model says of a recorded configuration has to do with what it took. */
static void predictions(void **state) {
    struct tw_catalogue *none;
    struct foresight foresight;
    struct known_kernels kernels;
    struct tw_error error;
    (void)state;
    must(tw_catalogue_create(&none, &error), error);
    must(known_kernels_open(&kernels, NULL, 0, &error), error);
    must(foresight_of(&foresight, RECORDINGS "/gemm-h200.json.gz", &kernels, none, &error), error);
    assert_int_equal(foresight.trials, 10773);
    assert_true(foresight.estimate > 0.4 && foresight.estimate < 1);
    assert_false(foresight.has_model);
    assert_null(foresight.predicted);
    foresight_free(&foresight);
    known_kernels_close(&kernels);
    tw_catalogue_free(none);
}

/* As of caches that were exported from a database, or made by others. */
static void nothing_is_predicted_without_a_device(void **state) {
    struct tw_text text = {0};
    struct tw_catalogue *none;
    struct foresight foresight;
    struct known_kernels kernels;
    struct tw_error error;
    char path[1024];
    must(packed_file_read(&text, RECORDINGS "/gemm-pocl.json.gz", &error), error);
    char *from = strstr(text.data, ", \"device\": {");
    assert_non_null(from);
    const char *to = strstr(from, "},\n\"cache\"");
    assert_non_null(to);
    memmove(from, to, strlen(to) + 1);
    scratch_write(*state, "other.json", text.data, path);
    must(tw_catalogue_create(&none, &error), error);
    must(known_kernels_open(&kernels, NULL, 0, &error), error);
    must(foresight_of(&foresight, RECORDINGS "/gemm-pocl.json.gz", &kernels, none, &error), error);
    assert_int_equal(foresight.trials, 420);
    foresight_free(&foresight);
    must(foresight_of(&foresight, path, &kernels, none, &error), error);
    assert_int_equal(foresight.trials, 0);
    assert_string_equal(foresight.why, "the file does not describe its device");
    foresight_free(&foresight);
    known_kernels_close(&kernels);
    tw_catalogue_free(none);
    tw_text_free(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(recordings), cmocka_unit_test(predictions),
                                       SCRATCH_TEST(nothing_is_predicted_without_a_device)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
