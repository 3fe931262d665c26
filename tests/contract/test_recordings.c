/* Every strategy on the spaces that were recorded for it (tune record --output): on a real
 * landscape too it tries each point once, ends at the best, and is better than chance. */
#include <glob.h>

#include "tests/support/support.h"
#include "tuner/replay/assessment.h"

/* With some seeds, and with one and with many asks outstanding. */
static void check(const struct recording *recording) {
    size_t points = space_size(recording->space);
    struct baseline baseline;
    struct tw_error error;
    must(baseline_of(&baseline, recording, &error), error);
    for (const struct strategy_kind *const *kind = strategy_kinds(); *kind != NULL; kind++) {
        struct strategy_choice choice = strategy_usual(*kind);
        for (size_t outstanding = 1; outstanding <= 16; outstanding += 15) {
            struct replay_options options = {.trials = 2 * points, .outstanding = outstanding};
            struct assessment a;
            must(assess(&a, recording, &baseline, &choice, 3, &options, &error), error);
            if (!(a.worst == 0 && a.trials[3].high <= (double)points))
                fail_msg("%s: %s ends %g from the best", recording->origin, (*kind)->name, a.worst);
        }
    }
}

static void recordings(void **state) {
    glob_t files;
    (void)state;
    assert_int_equal(glob(RECORDINGS "/*.json.gz", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        struct recording *recording;
        struct tw_error error;
        must(recording_read(&recording, files.gl_pathv[i], &error), error);
        check(recording);
        recording_free(recording);
    }
    globfree(&files);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(recordings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
