/* What a job on a cluster remembers of itself. */
#include "tuner/cluster/journal.h"

#include "tests/support/support.h"

static int visited;
static char last[200];

static void visit(void *context, const char *fingerprint, const char *problem) {
    (void)context;
    visited++;
    snprintf(last, sizeof last, "%s: %s", fingerprint, problem);
}

static struct journal *opened(const char *results, const char *command, bool expect_other) {
    struct journal *journal;
    struct tw_error error;
    bool other;
    visited = 0;
    must(journal_open(&journal, results, command, &other, visit, NULL, &error), error);
    assert_int_equal(other, expect_other);
    return journal;
}

static void put_text(const char *path, const char *mode, const char *text) {
    FILE *file = fopen(path, mode);
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void goes_on_and_ends(void **state) {
    const struct scratch *scratch = *state;
    struct tw_error error;
    char results[1024], path[1100];
    snprintf(results, sizeof results, "%s/results.db", scratch->path);
    snprintf(path, sizeof path, "%s.mpi", results);
    struct journal *journal = opened(results, "the command", false);
    int64_t began_at = journal_began_at(journal);
    assert_true(began_at > 0 && visited == 0);
    must(journal_add(journal, "cuda|a|b", "M=1,N=2", &error), error);
    must(journal_add(journal, "cuda|a|b", "M=3,N=4", &error), error);
    journal_close(journal, false);
    /* A line that a crash cut short says nothing, nor does it spoil the next. */
    put_text(path, "a", "done cuda|a|b\tM=5");
    journal = opened(results, "the command", false);
    assert_int_equal(journal_began_at(journal), began_at);
    assert_int_equal(visited, 2);
    assert_string_equal(last, "cuda|a|b: M=3,N=4");
    must(journal_add(journal, "cuda|a|b", "M=7,N=8", &error), error);
    journal_close(journal, false);
    put_text(path, "a", "nonsense\ndone without a problem\n");
    journal = opened(results, "the command", false);
    assert_int_equal(visited, 3);
    assert_string_equal(last, "cuda|a|b: M=7,N=8");
    journal_close(journal, true);
    assert_int_equal(access(path, F_OK), -1);
    journal = opened(results, "the command", false);
    assert_int_equal(visited, 0);
    journal_close(journal, true);
}

static void of_another_command(void **state) {
    const struct scratch *scratch = *state;
    struct tw_error error;
    char results[1024], path[1100];
    snprintf(results, sizeof results, "%s/other.db", scratch->path);
    snprintf(path, sizeof path, "%s.mpi", results);
    struct journal *journal = opened(results, "one", false);
    must(journal_add(journal, "f", "p", &error), error);
    journal_close(journal, false);
    journal_close(opened(results, "one and more", true), false);
    journal_close(opened(results, "one and more", false), false);
    assert_int_equal(visited, 0);
    put_text(path, "w", "no journal at all");
    journal_close(opened(results, "one", true), true);
    snprintf(results, sizeof results, "%s/none/other.db", scratch->path);
    bool other;
    assert_refuses(journal_open(&journal, results, "one", &other, visit, NULL, &error), TW_IO,
                   error, "none/other.db.mpi: No such file or directory");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(goes_on_and_ends, scratch_make, scratch_remove),
        cmocka_unit_test_setup_teardown(of_another_command, scratch_make, scratch_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
