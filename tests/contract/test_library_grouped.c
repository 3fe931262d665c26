/* libtilewise: rows in groups, each times a matrix of its own, with groups that the device reads.
 *
 *     test_library_grouped BACKEND */
#include <math.h>

#include "tests/support/library.h"

enum { M = 37, N = 9, K = 20, GROUPS = 5 };

struct operands {
    tw_library *library;
    void *a, *b, *bias, *ends, *c;
    float from_a[M * K], from_b[GROUPS * K * N], from_bias[GROUPS * N], before[M * N];
};

static struct operands create_operands(tw_library *library, const int32_t *ends) {
    struct operands o = {.library = library};
    for (int i = 0; i < M * K; i++)
        o.from_a[i] = (float)number_at((size_t)i, 1);
    for (int i = 0; i < GROUPS * K * N; i++)
        o.from_b[i] = (float)number_at((size_t)i, 2);
    for (int i = 0; i < GROUPS * N; i++)
        o.from_bias[i] = (float)number_at((size_t)i, 3);
    for (int i = 0; i < M * N; i++)
        o.before[i] = (float)number_at((size_t)i, 4);
    o.a = buffer_with(library, o.from_a, sizeof o.from_a);
    o.b = buffer_with(library, o.from_b, sizeof o.from_b);
    o.bias = buffer_with(library, o.from_bias, sizeof o.from_bias);
    o.ends = buffer_with(library, ends, GROUPS * sizeof *ends);
    o.c = buffer_with(library, o.before, sizeof o.before);
    return o;
}

static void free_operands(const struct operands *o) {
    tw_release(o->library, o->a);
    tw_release(o->library, o->b);
    tw_release(o->library, o->bias);
    tw_release(o->library, o->ends);
    tw_release(o->library, o->c);
}

/* As the header has it: the first group that ends behind a row. */
static int group_of(const int32_t *ends, int row) {
    int group = 0;
    while (group < GROUPS && row >= ends[group])
        group++;
    return group;
}

/* C = A*B[g] + beta*C, or with a bias relu of it; B as stored, or the transpose of what is. */
static void check(tw_library *library, const int32_t *ends, tw_transposes transposes, double beta,
                  bool biased) {
    struct operands o = create_operands(library, ends);
    tw_gemm_grouped_descriptor d = TW_GEMM_GROUPED_DESCRIPTOR_INIT;
    float got[M * N];
    tw_error error;
    d.transposes = transposes;
    d.groups = GROUPS;
    d.m = M, d.n = N, d.k = K;
    d.beta = beta;
    d.bias = biased ? o.bias : NULL;
    d.activation = biased ? TW_ACTIVATION_RELU : TW_ACTIVATION_NONE;
    must(tw_gemm_grouped(library, NULL, &d, o.a, o.b, o.ends, o.c, &error), error);
    read_buffer(library, o.c, got, sizeof got);
    for (int m = 0; m < M; m++)
        for (int n = 0; n < N; n++) {
            const int group = group_of(ends, m);
            const float *b = o.from_b + group * K * N;
            double expected = beta * (double)o.before[m * N + n];
            if (group == GROUPS) {
                assert_memory_equal(&got[m * N + n], &o.before[m * N + n], sizeof *got);
                continue;
            }
            for (int k = 0; k < K; k++)
                expected += (double)o.from_a[m * K + k] *
                            (double)(transposes == TW_NT ? b[n * K + k] : b[k * N + n]);
            if (biased)
                expected = fmax(expected + (double)o.from_bias[group * N + n], 0);
            assert_true(fabs((double)got[m * N + n] - expected) < 1e-5);
        }
    free_operands(&o);
}

static void uneven_and_empty_groups(void **state) {
    static const int32_t lists[][GROUPS] = {{4, 4, 30, 31, M}, {0, 0, 0, 0, M}, {M, M, M, M, M}};
    for (int i = 0; i < 3; i++)
        check(*state, lists[i], TW_NN, 0, false);
    check(*state, lists[0], TW_NT, -0.5, false);
    check(*state, lists[0], TW_NN, 2, true);
}

/* Rows behind the last end stay; what descends is empty; no end reaches beyond C. */
static void lists_that_do_not_add_up(void **state) {
    static const int32_t lists[][GROUPS] = {
        {3, 8, 8, 20, 30}, {20, 10, 25, 5, M}, {-7, 12, 2000000000, 1, -1}, {0, 0, 0, 0, 0}};
    for (int i = 0; i < 4; i++)
        check(*state, lists[i], TW_NN, i % 2, false);
}

/* A plan asks the device, so that the same call does what another list says. */
static void groups_that_change(void **state) {
    static const int32_t first[GROUPS] = {1, 2, 3, 4, M}, second[GROUPS] = {30, 31, 31, 33, M};
    check(*state, first, TW_NN, 0, false);
    check(*state, second, TW_NN, 0, false);
}

static void mistakes_are_told(void **state) {
    static const int32_t ends[GROUPS] = {4, 4, 30, 31, M};
    static const int64_t few[GROUPS] = {4, 0, 26, 1, 5}, negative[GROUPS] = {4, -1, 27, 1, 6},
                         right[GROUPS] = {4, 0, 26, 1, 6};
    struct operands o = create_operands(*state, ends);
    const tw_gemm_grouped_descriptor good = {
        .size = sizeof good, .groups = GROUPS, .m = M, .n = N, .k = K, .alpha = 1};
    struct {
        tw_gemm_grouped_descriptor d;
        tw_status status;
        const char *says;
    } cases[] = {
        {good, TW_INVALID, "the groups have 36 rows in all, but m is 37"},
        {good, TW_INVALID, "group 1 has -1 rows"},
        {good, TW_INVALID, "groups is 0; it must be at least 1"},
        {good, TW_INVALID, "no groups \"1025\""},
        {good, TW_INVALID, "rows of A are stored as rows"},
        {good, TW_INVALID, "m is -1; it must not be negative"},
        {good, TW_UNAVAILABLE, "k is 0"},
        {good, TW_INVALID, "activation is 9"},
        {good, TW_INVALID, "transposes is 7"},
        {good, TW_INVALID, "c_type: "},
        {good, TW_INVALID, "products in groups are of"},
        {good, TW_INVALID, "the size of tw_gemm_grouped_descriptor is 3"},
    };
    tw_error error;
    cases[0].d.group_rows = few;
    cases[1].d.group_rows = negative;
    cases[2].d.groups = 0;
    cases[3].d.groups = 1025;
    cases[4].d.transposes = TW_TN;
    cases[5].d.m = -1;
    cases[6].d.k = 0;
    cases[7].d.activation = (tw_activation)9;
    cases[8].d.transposes = (tw_transposes)7;
    cases[9].d.c_type = "i8";
    cases[10].d.a_type = "f64";
    cases[11].d.size = 3;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_refuses(tw_gemm_grouped(*state, NULL, &cases[i].d, o.a, o.b, o.ends, o.c, &error),
                       cases[i].status, error, cases[i].says);
    assert_refuses(tw_gemm_grouped(*state, NULL, &good, o.a, o.b, NULL, o.c, &error), TW_INVALID,
                   error, "ends");
    tw_gemm_grouped_descriptor fine = good;
    fine.group_rows = right;
    must(tw_gemm_grouped(*state, NULL, &fine, o.a, o.b, o.ends, o.c, &error), error);
    fine.group_rows = NULL;
    fine.m = 0;
    must(tw_gemm_grouped(*state, NULL, &fine, NULL, NULL, NULL, NULL, &error), error);
    free_operands(&o);
}

int main(int count, char **arguments) {
    const struct CMUnitTest tests[] = {
        LIBRARY_TEST(uneven_and_empty_groups),
        LIBRARY_TEST(lists_that_do_not_add_up),
        LIBRARY_TEST(groups_that_change),
        LIBRARY_TEST(mistakes_are_told),
    };
    if (!backend_is_here(count, arguments))
        return 0;
    return cmocka_run_group_tests_name("library grouped", tests, NULL, NULL);
}
