/* What is wanted, what it is expected to gain, and how a budget and the regrets are worked out. */
#include <math.h>

#include "tests/support/scale.h"
#include "tests/support/support.h"
#include "tuner/audit/audit.h"

static struct known_kernels known;

static int start(void **state) {
    tw_error error;
    (void)state;
    return known_kernels_open(&known, NULL, 0, &error) == TW_OK ? 0 : -1;
}

static int end(void **state) {
    (void)state;
    known_kernels_close(&known);
    return 0;
}

static void problems_of_a_log(void **state) {
    (void)state;
    struct asked all[] = {
        {.kernel = "copy", .shape = "64x32", .attributes = "dtype=f64", .launches = 7, .line = 1},
        {.kernel = "gemm", .shape = "8x8x8", .attributes = "dtype=f32,trans=nt", .line = 2},
        {.kernel = "mine", .shape = "8x8", .attributes = "", .line = 3},
        {.kernel = "copy", .shape = "64", .attributes = "", .line = 4},
        {.kernel = "copy", .shape = "64x32", .attributes = "dtype", .line = 5},
        {.kernel = "copy", .shape = "64x32", .attributes = "dtype=f17", .line = 6},
    };
    const struct asked_log log = {.count = 6, .all = all};
    struct demand demand = {0};
    tw_error error;
    char text[TW_PROBLEM_KEY_SIZE];
    must(demand_add_log(&demand, &log, "app.log", NULL, &known, &error), error);
    assert_int_equal(demand.count, 2);
    assert_int_equal(demand.unknown, 4);
    assert_says(demand.first_unknown, "app.log:3: no kernel mine is known");
    tw_problem_text(&demand.all[0].problem, text);
    assert_string_equal(text, "M=64,N=32;dtype=f64");
    assert_int_equal(demand.all[0].launches, 7);
    tw_problem_text(&demand.all[1].problem, text);
    assert_says(text, "trans=nt");
    demand_free(&demand);
    must(demand_add_log(&demand, &log, "app.log", "gemm", &known, &error), error);
    assert_true(demand.count == 1 && demand.unknown == 0);
    demand_free(&demand);
}

/* Without results it is the preset default, whose time is estimated where the log has none. */
static void what_to_expect(void **state) {
    (void)state;
    struct asked all[] = {
        {.kernel = "copy", .shape = "64x32", .attributes = "", .launches = 1},
        {.kernel = "copy",
         .shape = "640x32",
         .attributes = "",
         .launches = 10,
         .refused = 5,
         .expected_us = 8},
        {.kernel = "copy", .shape = "6400x3200", .attributes = "", .launches = 1000},
    };
    const struct asked_log log = {.count = 3, .all = all};
    struct demand demand = {0};
    tw_error error;
    must(demand_add_log(&demand, &log, "app.log", NULL, &known, &error), error);
    must(demand_expect(&demand, NULL, &paper_gpu, "cold", &error), error);
    assert_int_equal(demand.count, 3);
    assert_true(demand.all[1].expected_us == 8 && demand.all[1].gain_us == 15 * 8 * 0.5);
    assert_true(demand.all[0].expected_us > 0 && demand.all[2].expected_us > 0);
    assert_true(demand.all[2].expected_us > demand.all[0].expected_us);
    demand_sort(&demand);
    assert_int_equal(demand.all[0].launches, 1000);
    assert_int_equal(demand.all[2].launches, 1);
    demand_free(&demand);
}

static void a_budget_is_split(void **state) {
    (void)state;
    static struct wanted all[4];
    double shares[4];
    const double gains[] = {600, 300, 100, 0};
    for (int i = 0; i < 4; i++)
        all[i].gain_us = gains[i];
    assert_int_equal(demand_split(all, 4, 30, 5, shares), 3);
    assert_true(fabs(shares[0] - 14) < 1e-9 && fabs(shares[1] - 9.5) < 1e-9 &&
                fabs(shares[2] - 6.5) < 1e-9);
    /* Only so many as there is time for. */
    assert_int_equal(demand_split(all, 4, 12, 5, shares), 2);
    assert_true(fabs(shares[0] + shares[1] - 12) < 1e-9 && shares[1] > 5);
    assert_int_equal(demand_split(all, 4, 3, 5, shares), 1);
    assert_true(shares[0] == 3);
    /* None that gains nothing, and none that hardly does. */
    assert_int_equal(demand_split(all + 3, 1, 30, 5, shares), 0);
    assert_int_equal(demand_split(all, 0, 30, 5, shares), 0);
    all[2].gain_us = 1;
    assert_int_equal(demand_split(all, 4, 30, 5, shares), 2);
}

static void regrets_are_summed_up(void **state) {
    (void)state;
    enum { COUNT = 20 };
    static struct wanted wanted[COUNT + 1];
    static struct audited all[COUNT + 1];
    double room[COUNT + 1];
    for (int i = 0; i <= COUNT; i++) {
        wanted[i] = (struct wanted){.place = i, .launches = 10};
        all[i] = (struct audited){.wanted = &wanted[i],
                                  .measured = i < COUNT,
                                  .regret = i == 3   ? 4
                                            : i == 5 ? 2
                                                     : 1,
                                  .given_us = 8,
                                  .saved_us = i == 3   ? 60
                                              : i == 5 ? 40
                                                       : 0};
    }
    struct audit_summary s = audit_sum_up(all, COUNT + 1, room);
    assert_int_equal(s.measured, COUNT);
    assert_int_equal(s.failed, 1);
    assert_true(fabs(s.mean - pow(8, 1. / COUNT)) < 1e-12);
    assert_true(s.p95 == 2 && s.worst == 4 && s.worst_problem == &wanted[3]);
    assert_true(s.saved_us == 100 && s.launched_us == 80. * COUNT);
    audit_sort(all, COUNT + 1);
    assert_ptr_equal(all[0].wanted, &wanted[3]);
    assert_ptr_equal(all[1].wanted, &wanted[5]);
    assert_ptr_equal(all[2].wanted, &wanted[0]);
    assert_ptr_equal(all[COUNT].wanted, &wanted[COUNT]);
    s = audit_sum_up(&all[COUNT], 1, room);
    assert_true(s.measured == 0 && s.failed == 1);
}

static void the_vendor_s_times(void **state) {
    (void)state;
    static struct wanted wanted;
    struct audited one = {.wanted = &wanted};
    tw_error error;
    const struct known_kernel *kernel = known_kernels_find(&known, "gemm");
    must(tw_problem_parse(&wanted.problem, kernel->description, "64x32x16", &error), error);
    static const char measured[] =
        "{\"problems\": [{\"kernel\": \"gemm\", \"problem\": \"M=64,N=32,K=8;dtype=f32\", "
        "\"vendor\": \"v\", \"contenders\": [{\"name\": \"v\", \"median_us\": 3, \"ratio\": 2}]}, "
        "{\"kernel\": \"gemm\", \"problem\": \"M=64,N=32,K=16;dtype=f32,trans=nn\", \"vendor\": "
        "\"v\", \"contenders\": [{\"name\": \"tilewise\", \"role\": \"ours\", \"median_us\": 5}, "
        "{\"name\": \"v\", \"median_us\": 4, \"ratio\": 0.8}]}]}";
    cJSON *vendor;
    must(audit_read_vendor(&vendor, "v.json", measured, &error), error);
    audit_add_vendor(&one, 1, vendor);
    cJSON_Delete(vendor);
    assert_true(one.vendor_us == 4 && one.vendor_ratio == 0.8);
    assert_refuses(audit_read_vendor(&vendor, "v.json", "{}", &error), TW_INVALID, error,
                   "v.json: is not what bench --json writes");
    cJSON_Delete(vendor);
    assert_refuses(audit_read_vendor(&vendor, "v.json", "{", &error), TW_INVALID, error,
                   "v.json:1:");
    cJSON_Delete(vendor);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(problems_of_a_log),  cmocka_unit_test(what_to_expect),
        cmocka_unit_test(a_budget_is_split),  cmocka_unit_test(regrets_are_summed_up),
        cmocka_unit_test(the_vendor_s_times),
    };
    return cmocka_run_group_tests(tests, start, end);
}
