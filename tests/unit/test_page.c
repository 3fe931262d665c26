/* Pages: what is escaped, where ticks stand, what parameters are found to do. */
#include <math.h>
#include <string.h>

#include "tests/support/support.h"
#include "db/upkeep.h"
#include "tuner/page/html.h"
#include "tuner/page/plot.h"
#include "tuner/page/samples.h"

static void markup_is_escaped(void **state) {
    (void)state;
    struct tw_text text = {0};
    html_element(&text, "td class=n", "<a href='x' on=\"y\">&amp;\n\xff\xc3\xa9");
    assert_string_equal(text.data, "<td class=n>&lt;a href=&#39;x&#39; "
                                   "on=&quot;y&quot;&gt;&amp;amp;\?\?\xc3\xa9</td>");
    tw_text_clear(&text);
    html_print(&text, "b", "%s of %d", "<i>", 7);
    assert_string_equal(text.data, "<b>&lt;i&gt; of 7</b>");
    tw_text_clear(&text);
    html_code(&text, "{\"A\":1,\"B\":<2>}");
    assert_string_equal(text.data, "{&quot;A&quot;:1,<wbr>&quot;B&quot;:&lt;2&gt;}");
    tw_text_free(&text);
}

static void assert_near(double value, double expected, double off) {
    assert_true(fabs(value - expected) <= off);
}

static void assert_ticks(struct plot_axis axis, int least, int most) {
    double ticks[9];
    int count = plot_ticks(&axis, ticks, 9);
    assert_in_range(count, least, most);
    for (int i = 0; i < count; i++) {
        assert_true(ticks[i] >= axis.low - 1e-9 && ticks[i] <= axis.high * (1 + 1e-9));
        assert_true(i == 0 || ticks[i] > ticks[i - 1]);
    }
}

static void ticks_are_few_and_in_range(void **state) {
    (void)state;
    for (double high = 1e-6; high < 1e12; high *= 3.7) {
        assert_ticks(plot_axis_of(0, high, false, ""), 2, 9);
        assert_ticks(plot_axis_of(high, high, false, ""), 2, 9);
        assert_ticks(plot_axis_of(high, high, true, ""), 2, 9);
        assert_ticks(plot_axis_of(high, high * 1.5, true, ""), 2, 9);
        assert_ticks(plot_axis_of(high, high * 1e3, true, ""), 2, 9);
        assert_ticks(plot_axis_of(1e-9, high, true, ""), 2, 9);
    }
}

/* On a logarithmic axis no part of any length is without one. */
static void ticks_are_everywhere(void **state) {
    (void)state;
    for (double range = 4.5; range < 1e8; range *= 1.1)
        for (double low = 1; low < 10; low *= 1.3) {
            struct plot_axis axis = {.low = low, .high = low * range, .log = true};
            double ticks[9], before = axis.low, widest = 0;
            int count = plot_ticks(&axis, ticks, 9);
            for (int i = 0; i <= count; i++) {
                double next = i < count ? ticks[i] : axis.high;
                widest = fmax(widest, log(next / before) / log(range));
                before = next;
            }
            assert_true(widest < 0.67);
        }
}

/* Values stay in the frame, and the frame's ends are the axis's. */
static void values_have_places(void **state) {
    (void)state;
    struct tw_text text = {0};
    struct plot plot;
    plot_begin(&plot, &text, "", "", 200);
    plot.x = (struct plot_axis){.low = 10, .high = 1000, .log = true};
    plot.y = (struct plot_axis){.low = 0, .high = 4};
    assert_near(plot_x(&plot, 100), (plot.left + plot.right) / 2, 1e-9);
    assert_near(plot_y(&plot, 1), plot.bottom - (plot.bottom - plot.top) / 4, 1e-9);
    assert_near(plot_x(&plot, 1e9), plot.right, 1e-9);
    assert_near(plot_x(&plot, 0), plot.left, 1e-9);
    assert_near(plot_y(&plot, NAN), plot.bottom, 1e-9);
    tw_text_free(&text);
}

/* ---- Samples ---- */

enum { MOST = 400 };

struct table {
    char texts[MOST][80];
    struct page_trial trials[MOST];
    struct page_trials list;
};

static void add(struct table *t, double time_us, const char *format, int a, int b, int c) {
    int i = t->list.count++;
    snprintf(t->texts[i], sizeof t->texts[i], format, a, b, c);
    t->trials[i] = (struct page_trial){.status = time_us > 0 ? TW_DB_TRIAL_OK : TW_DB_TRIAL_WRONG,
                                       .implementation = "it",
                                       .configuration = t->texts[i],
                                       .message = "",
                                       .time_us = time_us};
}

static int begin(void **state) {
    struct table *table = calloc(1, sizeof *table);
    if (table == NULL)
        return -1;
    table->list.trials = table->trials;
    *state = table;
    return 0;
}

static int end(void **state) {
    free(*state);
    return 0;
}

static struct samples taken;

static const struct samples *take(const struct table *t) {
    struct tw_error error;
    assert_int_equal(samples_take(&taken, &t->list, "it", &error), TW_OK);
    return &taken;
}

static const char usual[] = "{\"A\":%d,\"B\":%d,\"C\":%d}";

static void effects_that_were_planted(void **state) {
    struct table *t = *state;
    unsigned lot = 7;
    /* A alone does most; B and C do nothing but together; a few percent are noise. Not all pairs
     * are tried equally often. */
    for (int i = 0; i < MOST; i++) {
        lot = lot * 1664525 + 1013904223;
        int a = lot >> 8 & 3, b = lot >> 12 & 1, c = (lot >> 16 & 7) < 5;
        double noise = (double)(lot >> 20 & 255) / 255 - 0.5;
        add(t, exp(a + (b == c ? 0.6 : 0) + 0.1 * noise), usual, 1 << a, b, c);
    }
    const struct samples *s = take(t);
    assert_int_equal(s->factor_count, 3);
    assert_int_equal(s->timed, MOST);
    assert_true(samples_effect(s, 0) > 0.85 && samples_effect(s, 0) < 0.97);
    assert_true(samples_effect(s, 1) < 0.05);
    double together = samples_interaction(s, 1, 2);
    assert_true(together > 0.03 && together < 0.12);
    assert_true(samples_interaction(s, 0, 1) < 0.01);
    assert_true(samples_interaction(s, 0, 2) < 0.01);
    samples_free(&taken);
}

static void values_are_in_order(void **state) {
    struct table *t = *state;
    static const int values[] = {128, 16, 8, 64};
    for (int i = 0; i < 4; i++)
        add(t, 100.0 / values[i], "{\"A\":%d,\"B\":\"w%d\",\"C\":%d}", values[i], i % 2, 1);
    add(t, 0, "{\"A\":%d,\"B\":\"w%d\",\"C\":%d}", 16, 1, 1);
    const struct samples *s = take(t);
    assert_string_equal(s->factors[0].levels[0], "8");
    assert_string_equal(s->factors[0].levels[1], "16");
    assert_string_equal(s->factors[0].levels[3], "128");
    assert_int_equal(s->factors[2].level_count, 1);
    assert_near(samples_best(s, 0, 1), 100.0 / 16, 1e-9);
    assert_near(samples_best_pair(s, 0, 0, 1, 0), 100.0 / 8, 1e-9);
    assert_near(samples_best_pair(s, 0, 0, 1, 1), 0, 0);
    assert_int_equal(s->count, 5);
    assert_int_equal(s->timed, 4);
    samples_free(&taken);
}

static void what_strangers_stored_is_left_out(void **state) {
    struct table *t = *state;
    add(t, 1, usual, 1, 2, 3);
    add(t, 1, "{\"A\":%d,\"B\":%d}", 1, 2, 0);
    add(t, 1, "{\"A\":%d,\"B\":%d,\"D\":%d}", 1, 2, 3);
    add(t, 1, "[%d,%d,%d]", 1, 2, 3);
    add(t, 1, "{\"A\":%d,\"B\":%d,\"C\":[%d]}", 1, 2, 3);
    add(t, 1, "{\"A\":%d", 1, 0, 0);
    const struct samples *s = take(t);
    assert_int_equal(s->count, 1);
    assert_true(samples_effect(s, 0) == 0);
    assert_true(samples_interaction(s, 0, 1) == 0);
    samples_free(&taken);
    /* More values than there is room for. */
    t->list.count = 0;
    for (int i = 0; i < SAMPLES_LEVELS + 9; i++)
        add(t, 1 + i, usual, i, 0, 0);
    assert_int_equal(take(t)->count, SAMPLES_LEVELS);
    samples_free(&taken);
}

/* ---- What a database tells of when a trial was made ---- */

static void put_trial(tw_db *db, int64_t run, int64_t implementation, int number, int64_t moment) {
    char configuration[32];
    snprintf(configuration, sizeof configuration, "{\"A\":%d}", number);
    const struct tw_db_trial trial = {.run = run,
                                      .problem = 1,
                                      .device = 1,
                                      .implementation = implementation,
                                      .cache_policy = "cold",
                                      .configuration = configuration,
                                      .status = TW_DB_TRIAL_WRONG,
                                      .created_at = moment};
    assert_int_equal(tw_db_trial_put(db, &trial, NULL), TW_DB_OK);
}

/* Two trials in a second, one 2 s later, an hour's pause, and one a second after that. */
static void pauses_are_left_out(void **state) {
    const struct scratch *scratch = *state;
    static const struct tw_db_dimension sizes[] = {{"M", 4}};
    char path[1100];
    tw_db *db;
    int64_t id, run, started = 0;
    struct tw_error error;
    struct page_material material;
    struct page_trials trials;
    snprintf(path, sizeof path, "%s/tune.db", scratch->path);
    assert_int_equal(tw_db_open(&db, path, TW_DB_WRITE, NULL, 0), TW_DB_OK);
    tw_db_device_put(db, &(struct tw_db_device){.fingerprint = "d", .backend = "cuda", .name = "D"},
                     &id);
    tw_db_problem_put(db,
                      &(struct tw_db_problem){
                          .kernel = "k", .key = "M=4", .dimensions = sizes, .dimension_count = 1},
                      &id);
    tw_db_implementation_put(
        db,
        &(struct tw_db_implementation){
            .kernel = "k", .name = "i", .template_hash = "h", .description = "{}"},
        &id);
    assert_int_equal(tw_db_run_begin(db,
                                     &(struct tw_db_run){.problem = 1,
                                                         .device = 1,
                                                         .strategy = "s",
                                                         .budget_kind = "trials",
                                                         .budget_value = 4,
                                                         .cache_policy = "cold"},
                                     &run),
                     TW_DB_OK);
    tw_db_run_finish(db, run, TW_DB_RUN_DONE, 6);
    /* A run without trials is nothing to look at. */
    assert_status(material_read(&material, db, &(struct page_filter){0}, &error), TW_NOT_FOUND);
    material_free(&material);
    put_trial(db, run, id, 0, 0);
    must(material_read(&material, db, &(struct page_filter){.run = run}, &error), error);
    started = material.subjects[0].runs[0].started_at;
    material_free(&material);
    const struct tw_db_trial_filter all = {.run = run};
    int64_t removed;
    tw_db_trials_remove(db, &all, &removed);
    static const int moments[] = {1, 1, 3, 3603, 3604};
    for (int i = 0; i < 5; i++)
        put_trial(db, run, id, i, started + moments[i]);
    must(material_read(&material, db, &(struct page_filter){.kernel = "k"}, &error), error);
    must(material_trials(&material.subjects[0], db, &trials, &error), error);
    assert_int_equal(trials.count, 5);
    static const double expected[] = {1.25, 1.75, 3.5};
    for (int i = 0; i < 3; i++)
        assert_near(trials.trials[i].second, expected[i], 1e-9);
    /* The run took 6 s, so that is about when the last one was. */
    assert_near(trials.trials[4].second, 7, 1);
    assert_near(trials.trials[4].second - trials.trials[3].second, 1, 1e-9);
    material_trials_free(&trials);
    material_free(&material);
    tw_db_close(db);
}

int main(void) {
#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(markup_is_escaped),
        cmocka_unit_test(ticks_are_few_and_in_range),
        cmocka_unit_test(ticks_are_everywhere),
        cmocka_unit_test(values_have_places),
        cmocka_unit_test_setup_teardown(pauses_are_left_out, scratch_make, scratch_remove),
        TEST(effects_that_were_planted),
        TEST(values_are_in_order),
        TEST(what_strangers_stored_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
