/* libtilewise: problem -> plan -> launch, for any kernel, with arguments by name.
 *
 *     test_library_plans BACKEND */
#include "tests/support/library.h"

enum { M = 3, N = 5, CELLS = M * N };

static const tw_request small_gemm = {.kernel = "gemm", .dimensions = {M, N, 1}};

/* C = alpha*A*B + beta*C with A all ones, B all twos and C all threes. */
struct operands {
    tw_library *library;
    void *a, *b, *c;
};

static struct operands create_operands(tw_library *library) {
    float numbers[3][CELLS];
    for (int i = 0; i < CELLS; i++) {
        numbers[0][i] = 1;
        numbers[1][i] = 2;
        numbers[2][i] = 3;
    }
    return (struct operands){.library = library,
                             .a = buffer_with(library, numbers[0], sizeof numbers[0]),
                             .b = buffer_with(library, numbers[1], sizeof numbers[1]),
                             .c = buffer_with(library, numbers[2], sizeof numbers[2])};
}

static void free_operands(const struct operands *o) {
    tw_release(o->library, o->a);
    tw_release(o->library, o->b);
    tw_release(o->library, o->c);
}

static void check_c(const struct operands *o, float expected) {
    float got[CELLS];
    read_buffer(o->library, o->c, got, sizeof got);
    for (int i = 0; i < CELLS; i++)
        assert_true(got[i] == expected);
}

static void launches_by_name_in_any_order(void **state) {
    const struct operands o = create_operands(*state);
    const tw_plan *plan = make_plan(o.library, &small_gemm);
    tw_error error;
    const tw_binding shuffled[] = {{.name = "beta", .number = 10},
                                   {.name = "C", .buffer = o.c},
                                   {.name = "A", .buffer = o.a},
                                   {.name = "alpha", .number = 4},
                                   {.name = "B", .buffer = o.b}};
    must(tw_launch(plan, NULL, shuffled, 5, &error), error);
    check_c(&o, 4 * 2 + 10 * 3);
    /* A scalar that is not given has its default, alpha 1 and beta 0, and not what it had before.
     */
    const tw_binding buffers[] = {
        {.name = "C", .buffer = o.c}, {.name = "B", .buffer = o.b}, {.name = "A", .buffer = o.a}};
    must(tw_launch(plan, NULL, buffers, 3, &error), error);
    check_c(&o, 2);
    const tw_binding with_beta[] = {
        buffers[0], {.name = "beta", .number = 1}, buffers[1], buffers[2]};
    must(tw_launch(plan, NULL, with_beta, 4, &error), error);
    check_c(&o, 4);
    free_operands(&o);
}

static void wrong_launches(void **state) {
    const struct operands o = create_operands(*state);
    const tw_plan *plan = make_plan(o.library, &small_gemm);
    tw_error error;
    const tw_binding good[] = {
        {.name = "A", .buffer = o.a}, {.name = "B", .buffer = o.b}, {.name = "C", .buffer = o.c}};
    assert_refuses(tw_launch(plan, NULL, good, 2, &error), TW_INVALID, error, "the buffer C");
    assert_refuses(tw_launch(plan, NULL, NULL, 0, &error), TW_INVALID, error, "the buffer A");
    static const struct {
        const char *name, *says;
    } names[] = {{"alpa", "did you mean alpha?"},
                 {"lda", "belongs to the plan"},
                 {"M", "no argument \"M\""},
                 {"nothing of the kind", "no argument \"nothing of the kind\""},
                 {"", "no argument \"\""},
                 {NULL, "no argument \"\""}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const tw_binding bindings[] = {
            good[0], good[1], good[2], {.name = names[i].name, .buffer = o.a, .number = 1}};
        assert_refuses(tw_launch(plan, NULL, bindings, 4, &error), TW_INVALID, error,
                       names[i].says);
    }
    if (strcmp(backend, "cuda") == 0) {
        const tw_binding bindings[] = {good[0], {.name = "B", .buffer = (char *)o.b + 4}, good[2]};
        assert_refuses(tw_launch(plan, NULL, bindings, 3, &error), TW_INVALID, error,
                       "the buffer B is not aligned to the 16 bytes that its plan was made for");
    }
    /* Nothing was launched, and the plan still can be. */
    check_c(&o, 3);
    must(tw_launch(plan, NULL, good, 3, &error), error);
    check_c(&o, 2);
    free_operands(&o);
}

/* ---- Requests ---- */

static void attributes_in_any_order(void **state) {
    static const char *const spellings[] = {"dtype=f64,trans=tn", "trans=tn,dtype=f64",
                                            "dtype=f32,trans=tn,dtype=f64"};
    for (int i = 0; i < 3; i++) {
        const tw_request request = {
            .kernel = "gemm", .attributes = spellings[i], .dimensions = {M, N, 1}};
        assert_string_equal(tw_plan_explain(make_plan(*state, &request))->problem,
                            "M=3,N=5,K=1;dtype=f64,trans=tn");
    }
    /* What is not named has its default. */
    static const char *const none[] = {NULL, "", "trans=nn", "dtype=f32,"};
    for (int i = 0; i < 4; i++) {
        const tw_request request = {
            .kernel = "gemm", .attributes = none[i], .dimensions = {M, N, 1}};
        assert_string_equal(tw_plan_explain(make_plan(*state, &request))->problem,
                            "M=3,N=5,K=1;dtype=f32,trans=nn");
    }
}

static void wrong_requests(void **state) {
    static const struct {
        tw_request request;
        tw_status status;
        const char *says;
    } wrong[] = {
        {{.kernel = NULL}, TW_INVALID, "must name a kernel"},
        {{.kernel = "gem", .dimensions = {1, 1, 1}}, TW_NOT_FOUND, "gemm"},
        {{.kernel = "", .dimensions = {1, 1, 1}}, TW_NOT_FOUND, "kernel"},
        {{.kernel = "gemm", .attributes = "dtype", .dimensions = {1, 1, 1}},
         TW_INVALID,
         "\"dtype\" is no attribute of gemm"},
        {{.kernel = "gemm", .attributes = ",", .dimensions = {1, 1, 1}}, TW_INVALID, "attribute"},
        {{.kernel = "gemm", .attributes = "dtipe=f32", .dimensions = {1, 1, 1}},
         TW_INVALID,
         "dtype"},
        {{.kernel = "gemm", .attributes = "dtype=f12", .dimensions = {1, 1, 1}}, TW_INVALID, "f64"},
        {{.kernel = "gemm", .attributes = "dtype=", .dimensions = {1, 1, 1}}, TW_INVALID, "f64"},
        {{.kernel = "gemm", .attributes = "dtype=f32\n", .dimensions = {1, 1, 1}}, TW_INVALID, ""},
        {{.kernel = "gemm"}, TW_INVALID, "gemm takes 3 sizes, MxNxK, of 1 or more; none was given"},
        {{.kernel = "gemm", .dimensions = {5}}, TW_INVALID, "or more; 1 was given, 5"},
        {{.kernel = "gemm", .dimensions = {4, 6}}, TW_INVALID, "or more; 2 were given, 4x6"},
        {{.kernel = "gemm", .dimensions = {4, 0, 6}}, TW_INVALID, "dimension N is 0; it must be"},
        {{.kernel = "gemm", .dimensions = {-1, 1, 1}}, TW_INVALID, "dimension M is -1"},
        {{.kernel = "gemm", .dimensions = {1, INT64_MAX, 1}}, TW_INVALID, "1 to 2147483647"},
        {{.kernel = "gemm", .dimensions = {1, 1, 1, 1}}, TW_INVALID, "4 were given, 1x1x1x1"},
        {{.kernel = "copy", .dimensions = {1, 1, 0, 0, 0, -1}}, TW_INVALID, "2 sizes, MxN,"},
        {{.kernel = "copy", .dimensions = {4, 4}, .strides = {3}}, TW_INVALID, "lda is 3"},
        {{.kernel = "copy", .dimensions = {4, 4}, .strides = {4, 3}}, TW_INVALID, "ldb is 3"},
        {{.kernel = "copy", .dimensions = {4, 4}, .strides = {-4}}, TW_INVALID, "lda is -4"},
        {{.kernel = "copy", .dimensions = {4, 4}, .strides = {INT64_C(1) << 31}},
         TW_INVALID,
         "lda is 2147483648"},
        {{.kernel = "copy", .dimensions = {4, 4}, .strides = {4, 4, 4}},
         TW_INVALID,
         "more strides than copy has"},
    };
    tw_error error;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const tw_plan *plan = (const tw_plan *)state;
        assert_refuses(tw_plan_create(&plan, *state, &wrong[i].request, &error), wrong[i].status,
                       error, wrong[i].says);
        assert_null(plan);
    }
}

/* A problem too large for any launch is refused, however large its dimensions. */
static void problems_beyond_any_device(void **state) {
    static const tw_request huge[] = {
        {.kernel = "gemm", .dimensions = {INT32_MAX, INT32_MAX, INT32_MAX}},
        {.kernel = "copy", .attributes = "dtype=f64", .dimensions = {INT32_MAX, INT32_MAX}},
        {.kernel = "transpose", .dimensions = {INT32_MAX, INT32_MAX}},
    };
    for (size_t i = 0; i < sizeof huge / sizeof *huge; i++) {
        const tw_plan *plan;
        tw_error error;
        tw_status status = tw_plan_create(&plan, *state, &huge[i], &error);
        assert_true(status == TW_INVALID || status == TW_RESOURCE);
        assert_null(plan);
        assert_null(strchr(error.message, '\n'));
    }
}

/* ---- Plans ---- */

static void a_plan_is_made_once(void **state) {
    const tw_plan *plan = make_plan(*state, &small_gemm);
    assert_ptr_equal(make_plan(*state, &small_gemm), plan);
    tw_request other = small_gemm;
    other.strides[2] = N + 1;
    assert_ptr_not_equal(make_plan(*state, &other), plan);
    other = small_gemm;
    other.attributes = "trans=nt";
    assert_ptr_not_equal(make_plan(*state, &other), plan);
    assert_ptr_equal(make_plan(*state, &small_gemm), plan);
    /* A type that is said though it goes without saying. */
    other = (tw_request){.kernel = "gemm", .attributes = "ctype=f32", .dimensions = {M, N, 1}};
    assert_ptr_equal(make_plan(*state, &other), plan);
    /* What a request points to is the caller's own. */
    char kernel[] = "gemm";
    other = (tw_request){.kernel = kernel, .dimensions = {M, N, 1}};
    assert_ptr_equal(make_plan(*state, &other), plan);
    memset(kernel, 'x', 4);
    assert_ptr_equal(make_plan(*state, &small_gemm), plan);
}

static void explains_a_default(void **state) {
    const tw_explanation *e = tw_plan_explain(make_plan(*state, &small_gemm));
    assert_string_equal(e->kernel, "gemm");
    assert_string_equal(e->problem, "M=3,N=5,K=1;dtype=f32,trans=nn");
    if (strcmp(e->rule, "default") != 0)
        assert_string_equal(e->rule, "fallback");
    assert_true(strlen(e->reason) > 0);
    assert_true(strlen(e->implementation) > 0);
    assert_int_equal(e->configuration[0], '{');
    assert_null(e->row_problem);
    assert_null(e->row_device);
    assert_true(e->row_time_us == 0 && e->distance == 0);
    assert_null(e->passed_over);
    assert_string_equal(e->binary, "compiled");
    const char *const parts[] = {e->kernel,         e->problem,       e->rule,  e->reason,
                                 e->implementation, e->configuration, e->binary};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        assert_says(e->text, parts[i]);
    assert_int_equal(e->text[strlen(e->text) - 1], '\n');
}

static void failing_on_a_miss(void **state) {
    (void)state;
    tw_options options = bare_options();
    options.on_miss = TW_MISS_FAIL;
    tw_library *library = open_with(&options);
    tw_error error;
    const tw_plan *plan = (const tw_plan *)state;
    assert_refuses(tw_plan_create(&plan, library, &small_gemm, &error), TW_NOT_FOUND, error,
                   "gemm on");
    assert_null(plan);
    /* A wrong request is wrong before it is missed. */
    const tw_request wrong = {.kernel = "gemm", .dimensions = {0, 1, 1}};
    assert_refuses(tw_plan_create(&plan, library, &wrong, &error), TW_INVALID, error, "M is 0");
    tw_close(library);
}

/* ---- What a problem's arguments are ---- */

static tw_argument_info find_argument(tw_library *library, const tw_request *request,
                                      const char *name) {
    tw_argument_info info = {0};
    tw_error error;
    for (size_t i = 0;; i++) {
        must(tw_request_argument(&info, library, request, i, &error), error);
        if (strcmp(info.name, name) == 0)
            return info;
    }
}

static void arguments_are_told(void **state) {
    const tw_request request = {.kernel = "gemm",
                                .attributes = "dtype=f16,ctype=f32,batch=2,trans=tn",
                                .dimensions = {M, N, 4},
                                .strides = {8}};
    const tw_argument_info a = find_argument(*state, &request, "A");
    assert_string_equal(a.kind, "buffer");
    assert_string_equal(a.type, "f16");
    assert_string_equal(a.access, "in");
    assert_true(a.present && a.layers == 2 && a.rows == 4 && a.columns == M && a.stride == 8);
    assert_int_equal(a.layer_stride, 4 * 8);
    assert_int_equal(a.bytes, 2 * (4 * 8 + 3 * 8 + M));
    assert_int_equal(a.stride_index, 0);
    assert_int_equal(a.layer_stride_index, 3);
    const tw_argument_info c = find_argument(*state, &request, "C");
    assert_string_equal(c.type, "f32");
    assert_true(c.rows == M && c.columns == N && c.stride == N && c.bytes == 2 * M * N * 4);
    const tw_argument_info ldc = find_argument(*state, &request, "ldc");
    assert_string_equal(ldc.kind, "stride");
    assert_null(ldc.type);
    assert_true(ldc.present && ldc.stride == N && ldc.stride_index == 2);
    const tw_argument_info alpha = find_argument(*state, &request, "alpha");
    assert_string_equal(alpha.kind, "scalar");
    assert_string_equal(alpha.type, "f32");
    assert_true(alpha.present && alpha.stride_index == -1);
    /* What only other problems have. */
    const tw_argument_info biases = find_argument(*state, &request, "biases");
    assert_false(biases.present);
    assert_int_equal(biases.bytes, 0);
    assert_false(find_argument(*state, &request, "lde").present);
}

static void wrong_questions_about_arguments(void **state) {
    tw_argument_info info = {.size = 3};
    tw_error error;
    assert_refuses(tw_request_argument(&info, *state, &small_gemm, 0, &error), TW_INVALID, error,
                   "size of tw_argument_info is 3");
    info.size = sizeof info;
    assert_refuses(tw_request_argument(&info, *state, &small_gemm, 99, &error), TW_NOT_FOUND, error,
                   "gemm has ");
    const tw_request wrong = {.kernel = "gemm", .dimensions = {0, 1, 1}};
    assert_refuses(tw_request_argument(&info, *state, &wrong, 0, &error), TW_INVALID, error,
                   "M is 0");
}

int main(int count, char **arguments) {
    const struct CMUnitTest tests[] = {
        LIBRARY_TEST(launches_by_name_in_any_order),
        LIBRARY_TEST(wrong_launches),
        LIBRARY_TEST(attributes_in_any_order),
        LIBRARY_TEST(wrong_requests),
        LIBRARY_TEST(problems_beyond_any_device),
        LIBRARY_TEST(a_plan_is_made_once),
        LIBRARY_TEST(explains_a_default),
        cmocka_unit_test(failing_on_a_miss),
        LIBRARY_TEST(arguments_are_told),
        LIBRARY_TEST(wrong_questions_about_arguments),
    };
    if (!backend_is_here(count, arguments))
        return 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
