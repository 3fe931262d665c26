/* The space of a problem: that it holds the valid points and no others, and looking up. */
#include "runtime/base/text.h"
#include "runtime/variant/geometry.h"
#include "tests/support/scale.h"
#include "tuner/space/space.h"

/* clang-format off */
static const char rules_text[] = SCALE_JSON({
  "kernel": "rules",
  "summary": "rules of every kind",
  "problem": { "dimensions": ["M", "N"] },
  "arguments": [
    { "name": "C", "kind": "buffer", "type": "f32", "access": "out", "rows": "M", "columns": "N" }
  ],
  "work": { "flops": "0", "bytes": "4*M*N" },
  "tolerance": { "f32": 1e-6 },
  "reference": { "templates": ["none.cu"], "function": "f", "block": ["64"], "grid": ["M"],
                 "pass": ["C"] },
  "implementations": [
    {
      "name": "cuda_only", "summary": "runs on new GPUs",
      "requires": { "backends": ["cuda"], "min_arch": 80 },
      "parameters": { "A": [1, 2, 3] },
      "launches": [ { "templates": ["none.cu"], "function": "f", "block": ["32*A"],
                      "grid": ["M"], "pass": ["C"] } ]
    },
    {
      "name": "ruled", "summary": "has every kind of rule",
      "parameters": {
        "GROUP": { "values": [8, 1, 4], "launch": true },
        "X": [64, 16, 32, 256],
        "Y": [1, 2, 0, 4],
        "MODE": ["late", "early", "never"],
        "FREE": [5, 3]
      },
      "constraints": [ "X % (16*Y) == 0", "MODE != 'never' || X > 16", "GROUP <= 4 || Y < 4",
                       "FREE != 3 || X != 16" ],
      "redundant": [ "MODE == 'early' && FREE == 3", "X != 64 && M / (X - 64) == -1000 && FREE == 5" ],
      "defines": { "THREADS": "X*Y", "PER": "1024/(FREE - 3 + X - 16)" },
      "launches": [ { "templates": ["none.cu"], "function": "f", "block": ["THREADS"],
                      "grid": ["ceil_div(M, X)"], "shared": "X*Y*FREE*GROUP",
                      "pass": ["C", "GROUP"] } ]
    },
    {
      "name": "fixed", "summary": "has no parameters", "parameters": {},
      "launches": [ { "templates": ["none.cu"], "function": "f", "block": ["32"],
                      "grid": ["M"], "pass": ["C"] } ],
      "presets": { "default": {} }
    }
  ]
});
/* PARAMETERS, RULES and PRESET are filled in. */
static const char product_text[] = SCALE_JSON({
  "kernel": "product",
  "summary": "a large product",
  "problem": { "dimensions": ["M", "N"] },
  "arguments": [
    { "name": "C", "kind": "buffer", "type": "f32", "access": "out", "rows": "M", "columns": "N" }
  ],
  "work": { "flops": "0", "bytes": "4*M*N" },
  "tolerance": { "f32": 1e-6 },
  "reference": { "templates": ["none.cu"], "function": "f", "block": ["64"], "grid": ["M"],
                 "pass": ["C"] },
  "implementations": [
    {
      "name": "only", "summary": "the only one",
      "parameters": { PARAMETERS }, "constraints": [ RULES ],
      "launches": [ { "templates": ["none.cu"], "function": "f", "block": ["32"],
                      "grid": ["M"], "pass": ["C"] } ],
      "presets": { "default": { PRESET } }
    }
  ]
});
/* clang-format on */

struct fixture {
    struct tw_description *description;
    struct tw_problem problem;
    struct space *space;
};

static void make_on(struct fixture *f, const char *text, const struct tw_device_info *device) {
    struct tw_error error;
    f->description = read_description(text, NULL);
    f->problem = parse_problem(f->description, "1000x10");
    must(space_create(&f->space, &f->problem, device, NULL, &error), error);
}

static void destroy(struct fixture *f) {
    space_free(f->space);
    tw_description_free(f->description);
}

/* Whether a configuration belongs to the space, by the functions that the runtime uses. */
static bool belongs(const struct fixture *f, const struct tw_device_info *device,
                    const struct tw_configuration *c) {
    const struct tw_description *d = f->description;
    int64_t values[TW_MAX_SYMBOLS];
    bind_problem(&f->problem, device, values);
    return tw_configuration_bind(d, c, values, NULL) == TW_OK &&
           tw_configuration_check(d, c, values, NULL) == TW_OK &&
           !tw_configuration_redundant(d, c, values) &&
           tw_implementation_fits(&d->implementations[c->implementation], values, device, NULL) ==
               TW_OK;
}

/* Sets the values to combination `number` of the implementation; false beyond the last. */
static bool combination(const struct tw_implementation *implementation, size_t number,
                        struct tw_configuration *c) {
    for (int i = 0; i < implementation->parameter_count; i++) {
        const struct tw_parameter *parameter = &implementation->parameters[i];
        c->values[i] = parameter->values[number % (size_t)parameter->count];
        number /= (size_t)parameter->count;
    }
    return number == 0;
}

/* Every raw combination is in the space exactly when it belongs there. */
static void check_against_all(const struct fixture *f, const struct tw_device_info *device) {
    size_t found = 0;
    for (int i = 0; i < f->description->implementation_count; i++) {
        const struct tw_implementation *implementation = &f->description->implementations[i];
        struct tw_configuration c = {.implementation = i}, back;
        struct space_range range = space_range(f->space, i);
        for (size_t n = 0; combination(implementation, n, &c); n++) {
            size_t point = space_find(f->space, &c);
            assert_int_equal(point != SPACE_NONE, belongs(f, device, &c));
            if (point == SPACE_NONE)
                continue;
            found++;
            assert_true(point >= range.first && point < range.first + range.count);
            assert_int_equal(space_implementation(f->space, point), i);
            space_configuration(f->space, point, &back);
            assert_true(tw_configuration_equal(f->description, &c, &back));
            assert_int_equal(space_locate(f->space, i, space_coordinates(f->space, point)), point);
        }
    }
    assert_int_equal(found, space_size(f->space));
}

/* Runs no CUDA and has little shared memory. */
static struct tw_device_info other_device(void) {
    struct tw_device_info info = paper_gpu;
    strcpy(info.backend, "opencl");
    info.arch = 0;
    info.is_cpu = true;
    info.max_shared = 2000;
    return info;
}

static void holds_what_is_valid(void **state) {
    (void)state;
    struct fixture f;
    make_on(&f, rules_text, &paper_gpu);
    check_against_all(&f, &paper_gpu);
    assert_int_equal(space_implementations(f.space), 3);
    assert_int_equal(space_range(f.space, 0).count, 3);
    assert_true(space_range(f.space, 1).count > 20);
    assert_int_equal(space_range(f.space, 2).count, 1);
    destroy(&f);
    make_on(&f, scale_text, &paper_gpu);
    check_against_all(&f, &paper_gpu);
    destroy(&f);
}

static void depends_on_the_device(void **state) {
    (void)state;
    struct fixture gpu, other;
    struct tw_device_info device = other_device();
    make_on(&gpu, rules_text, &paper_gpu);
    make_on(&other, rules_text, &device);
    check_against_all(&other, &device);
    assert_int_equal(space_range(other.space, 0).count, 0);
    assert_true(space_range(other.space, 1).count < space_range(gpu.space, 1).count);
    assert_true(space_range(other.space, 1).count > 0);
    struct tw_configuration c = {.implementation = 0, .values = {1}};
    assert_true(space_find(other.space, &c) == SPACE_NONE);
    destroy(&gpu);
    destroy(&other);
    device = paper_gpu;
    device.arch = 75;
    make_on(&other, rules_text, &device);
    assert_int_equal(space_range(other.space, 0).count, 0);
    destroy(&other);
}

static void unlisted_values_are_not_found(void **state) {
    (void)state;
    struct fixture f;
    struct tw_configuration c;
    make_on(&f, rules_text, &paper_gpu);
    space_configuration(f.space, space_range(f.space, 1).first, &c);
    c.values[1] = 17;
    assert_true(space_find(f.space, &c) == SPACE_NONE);
    destroy(&f);
}

/* Parameters in which they differ; *steps becomes by how many values of the lists. */
static int difference(const struct space *space, int implementation,
                      const unsigned char a[TW_MAX_PARAMETERS], const unsigned char *b,
                      int *steps) {
    int differ = 0;
    *steps = 0;
    for (int i = 0; i < space_axes(space, implementation); i++) {
        differ += a[i] != b[i];
        *steps += abs(a[i] - b[i]);
    }
    return differ;
}

/* For every raw combination, against a look at every point. */
static void the_nearest_point(void **state) {
    (void)state;
    struct fixture f;
    struct tw_configuration c = {.implementation = 1};
    int found[SPACE_NEAR + 1] = {0}, none = 0;
    make_on(&f, rules_text, &paper_gpu);
    struct space_range range = space_range(f.space, 1);
    for (size_t n = 0; combination(&f.description->implementations[1], n, &c); n++) {
        unsigned char coordinates[TW_MAX_PARAMETERS];
        int fewest = 99, least = 0, steps;
        assert_true(space_rank(f.space, &c, coordinates));
        for (size_t i = 0; i < range.count; i++) {
            int differ = difference(f.space, 1, coordinates,
                                    space_coordinates(f.space, range.first + i), &steps);
            if (differ < fewest || (differ == fewest && steps < least)) {
                fewest = differ;
                least = steps;
            }
        }
        size_t point = space_nearest(f.space, &c);
        assert_int_equal(point == SPACE_NONE, fewest > SPACE_NEAR);
        if (point == SPACE_NONE) {
            none++;
            continue;
        }
        assert_int_equal(
            difference(f.space, 1, coordinates, space_coordinates(f.space, point), &steps), fewest);
        assert_int_equal(steps, least);
        found[fewest]++;
    }
    assert_true(found[0] > 20 && found[1] > 20 && found[2] > 0 && none == 0);
    c.values[1] = 17; /* is no value of it */
    assert_true(space_nearest(f.space, &c) == SPACE_NONE);
    destroy(&f);
}

static const struct space_axis *axis_named(const struct space *space, const char *name) {
    int axis = 0;
    while (strcmp(space_axis(space, 1, axis)->parameter->name, name) != 0)
        axis++;
    return space_axis(space, 1, axis);
}

static void axes_are_ordered(void **state) {
    (void)state;
    struct fixture f;
    make_on(&f, rules_text, &paper_gpu);
    assert_int_equal(space_axes(f.space, 1), 5);
    assert_int_equal(space_axes(f.space, 2), 0);
    const struct space_axis *x = axis_named(f.space, "X"), *mode = axis_named(f.space, "MODE");
    const int64_t ascending[] = {16, 32, 64, 256};
    assert_int_equal(x->count, 4);
    assert_memory_equal(x->values, ascending, sizeof ascending);
    for (int i = 0; i < mode->count; i++) /* words stay as they are listed */
        assert_int_equal(mode->values[i], mode->parameter->values[i]);
    /* Launch parameters come last. */
    assert_string_equal(space_axis(f.space, 1, 4)->parameter->name, "GROUP");
    destroy(&f);
}

enum { FACTORS = 10 };

/* FACTORS parameters P0, P1 ... of 64 values each. The caller frees it. */
static char *product(const char *rules) {
    struct tw_text parameters = {0}, preset = {0};
    for (int i = 0; i < FACTORS; i++) {
        tw_text_print(&preset, "%s\"P%d\": 1", i > 0 ? ", " : "", i);
        tw_text_print(&parameters, "%s\"P%d\": [1", i > 0 ? ", " : "", i);
        for (int value = 2; value <= 64; value++)
            tw_text_print(&parameters, ", %d", value);
        tw_text_print(&parameters, "]");
    }
    char *with_parameters = replaced(product_text, "PARAMETERS", parameters.data);
    char *with_rules = replaced(with_parameters, "RULES", rules);
    char *text = replaced(with_rules, "PRESET", preset.data);
    free(with_parameters);
    free(with_rules);
    tw_text_free(&parameters);
    tw_text_free(&preset);
    return text;
}

/* 64^10 raw points of which 64 are valid: they are found only if dead ends are left at once. */
static void rules_cut_a_product_down(void **state) {
    (void)state;
    struct tw_text rules = {0};
    for (int i = 1; i < FACTORS; i++)
        tw_text_print(&rules, "%s\"P%d + P%d == 65\"", i > 1 ? ", " : "", i - 1, i);
    char *text = product(rules.data);
    struct fixture f;
    make_on(&f, text, &paper_gpu);
    assert_int_equal(space_size(f.space), 64);
    destroy(&f);
    free(text);
    tw_text_free(&rules);
}

/* What several walk through together is as if one had. */
static void points_of_a_large_product_are_in_order(void **state) {
    (void)state;
    struct tw_text rules = {0};
    for (int i = 1; i < 7; i++)
        tw_text_print(&rules, "\"P%d == P0\", ", i);
    tw_text_print(&rules, "\"P7 <= 4\", \"P8 <= 16\", \"P9 + P0 %% 2 <= 8\"");
    char *text = product(rules.data);
    struct fixture f;
    make_on(&f, text, &paper_gpu);
    assert_int_equal(space_size(f.space), 32 * 4 * 16 * (7 + 8));
    for (size_t point = 0; point < space_size(f.space); point++) {
        struct tw_configuration c;
        space_configuration(f.space, point, &c);
        for (int i = 1; i < 7; i++)
            assert_int_equal(c.values[i], c.values[0]);
        assert_true(c.values[7] <= 4 && c.values[8] <= 16 && c.values[9] + c.values[0] % 2 <= 8);
        assert_true(point == 0 || memcmp(space_coordinates(f.space, point - 1),
                                         space_coordinates(f.space, point), FACTORS) < 0);
    }
    destroy(&f);
    free(text);
    tw_text_free(&rules);
}

/* Of several points of a large product at which a rule breaks the first is told, whoever came to
 * one first. */
static void the_first_mistake_of_a_large_product(void **state) {
    (void)state;
    struct tw_text rules = {0};
    tw_text_print(&rules, "\"100 / ((P3 - 9) * (P3 - 7) * (P3 - 60)) < 1000\"");
    for (int i = 4; i < FACTORS; i++)
        tw_text_print(&rules, ", \"P%d == P0\"", i);
    char *text = product(rules.data);
    for (int i = 0; i < 8; i++) {
        struct fixture f = {.description = read_description(text, NULL)};
        struct tw_error error;
        f.problem = parse_problem(f.description, "1000x10");
        assert_refuses(space_create(&f.space, &f.problem, &paper_gpu, NULL, &error), TW_INVALID,
                       error, "divides by zero with P3=7");
        destroy(&f);
    }
    free(text);
    tw_text_free(&rules);
}

static void too_large_a_space_is_refused(void **state) {
    (void)state;
    char *text = product("");
    struct fixture f = {.description = read_description(text, NULL), .space = (struct space *)1};
    struct tw_error error;
    f.problem = parse_problem(f.description, "1000x10");
    assert_refuses(space_create(&f.space, &f.problem, &paper_gpu, NULL, &error), TW_INVALID, error,
                   "more than 16777216 valid points");
    assert_null(f.space);
    destroy(&f);
    free(text);
}

static void a_problem_that_cannot_be_bound(void **state) {
    (void)state;
    char *text = replaced(scale_text, "dtype == 'f64' ? 8 : 4", "4/(M - 1000)");
    struct fixture f = {.description = read_description(text, NULL), .space = (struct space *)1};
    struct tw_error error;
    f.problem = parse_problem(f.description, "1000x10");
    assert_refuses(space_create(&f.space, &f.problem, &paper_gpu, NULL, &error), TW_INVALID, error,
                   "divides by zero");
    assert_null(f.space);
    destroy(&f);
    free(text);
}

/* A rule that cannot be evaluated where nothing else rules the point out is the description's
 * fault, and told with the point; where a block of no threads does, as with Y = 0 above, it is not.
 */
static void rules_that_cannot_be_evaluated(void **state) {
    (void)state;
    static const struct {
        const char *from, *to, *says;
    } cases[] = {
        {"X != 64 && M / (X - 64) == -1000", "M / (X - 64) == -1000",
         "rules: M=1000,N=10: ruled: the redundancy \"M / (X - 64) == -1000 && FREE == 5\" "
         "divides "
         "by zero with X=64, FREE="},
        {"\"FREE != 3 || X != 16\"", "\"FREE != 3 || X != 16 || Y == 1\"",
         "ruled: the define \"1024/(FREE - 3 + X - 16)\" divides by zero with X=16, FREE=3"},
        {"MODE != 'never' || X > 16", "MODE != 'never' || X % (FREE - 5) == 0",
         "ruled: the constraint \"MODE != 'never' || X % (FREE - 5) == 0\" divides by zero with "},
        {"\"FREE != 3 || X != 16\"", "\"FREE != 3 || X != 16\", \"M * M * M * M * M * M * M > 0\"",
         "ruled: the constraint \"M * M * M * M * M * M * M > 0\" overflows 64 bits"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = replaced(rules_text, cases[i].from, cases[i].to);
        struct fixture f = {.description = read_description(text, NULL),
                            .space = (struct space *)1};
        struct tw_error error;
        f.problem = parse_problem(f.description, "1000x10");
        assert_refuses(space_create(&f.space, &f.problem, &paper_gpu, NULL, &error), TW_INVALID,
                       error, cases[i].says);
        assert_null(f.space);
        destroy(&f);
        free(text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holds_what_is_valid),
        cmocka_unit_test(depends_on_the_device),
        cmocka_unit_test(unlisted_values_are_not_found),
        cmocka_unit_test(the_nearest_point),
        cmocka_unit_test(axes_are_ordered),
        cmocka_unit_test(rules_cut_a_product_down),
        cmocka_unit_test(points_of_a_large_product_are_in_order),
        cmocka_unit_test(the_first_mistake_of_a_large_product),
        cmocka_unit_test(too_large_a_space_is_refused),
        cmocka_unit_test(a_problem_that_cannot_be_bound),
        cmocka_unit_test(rules_that_cannot_be_evaluated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
