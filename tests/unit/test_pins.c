/* Pins: how they are read, what they leave of a space, and what is said when that is nothing. */
#include "tuner/space/pins.h"

#include "runtime/base/text.h"
#include "tests/support/scale.h"
#include "tuner/space/space.h"

/* clang-format off */
static const char text[] = SCALE_JSON({
  "kernel": "pinned",
  "summary": "two implementations that share a parameter, and one for devices to come",
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
      "name": "wide", "summary": "many parameters",
      "parameters": { "BLOCK": [32, 64, 2048], "EACH": [4, 2], "MODE": ["near", "far"] },
      "constraints": ["EACH <= N"],
      "redundant": ["M == 2 && MODE == 'far'"],
      "launches": [ { "templates": ["none.cu"], "function": "f", "block": ["BLOCK"],
                      "grid": ["M"], "shared": "EACH*100000", "pass": ["C"] } ]
    },
    {
      "name": "narrow", "summary": "one parameter",
      "parameters": { "BLOCK": [16, 32] },
      "constraints": ["N % BLOCK == 0"],
      "launches": [ { "templates": ["none.cu"], "function": "f", "block": ["BLOCK"],
                      "grid": ["M"], "pass": ["C"] } ],
      "presets": { "default": { "BLOCK": 16 } }
    },
    {
      "name": "later", "summary": "not for this device",
      "requires": { "min_arch": 200 },
      "parameters": { "DEPTH": [1, 2] },
      "launches": [ { "templates": ["none.cu"], "function": "f", "block": ["32"],
                      "grid": ["M"], "pass": ["C"] } ]
    }
  ]
});
/* clang-format on */

enum { WIDE, NARROW };

static int describe(void **state) {
    *state = read_description(text, NULL);
    return 0;
}

static int forget(void **state) {
    tw_description_free(*state);
    return 0;
}

#define COUNT(words) ((int)(sizeof(words) / sizeof *(words)))
#define PINS(...) ((const char *const[]){__VA_ARGS__})
#define read_pins(pins, d, error, ...)                                                             \
    pins_read(pins, PINS(__VA_ARGS__), COUNT(PINS(__VA_ARGS__)), d, error)

static struct pins pinned(const struct tw_description *d, const char *const *words, int count) {
    struct pins pins;
    struct tw_error error;
    must(pins_read(&pins, words, count, d, &error), error);
    return pins;
}
#define PINNED(d, ...) pinned(d, PINS(__VA_ARGS__), COUNT(PINS(__VA_ARGS__)))

static void mistakes_are_told(void **state) {
    const struct tw_description *d = *state;
    struct pins pins;
    struct tw_error error;
    assert_refuses(read_pins(&pins, d, &error, "BLOCK"), TW_INVALID, error, "NAME=VALUE");
    assert_refuses(read_pins(&pins, d, &error, "=8"), TW_INVALID, error, "NAME=VALUE");
    assert_refuses(read_pins(&pins, d, &error, "BLOCK="), TW_INVALID, error, "NAME=VALUE");
    assert_refuses(read_pins(&pins, d, &error, "BLOK=16"), TW_INVALID, error,
                   "has no parameter \"BLOK\"; did you mean BLOCK?");
    assert_refuses(read_pins(&pins, d, &error, "zzzzzzzzzzzz=16"), TW_INVALID, error,
                   "it has BLOCK, EACH, MODE, DEPTH");
    assert_refuses(read_pins(&pins, d, &error, "BLOCK=17"), TW_INVALID, error,
                   "--fix BLOCK=17: not a value of BLOCK, which may be 32, 64, 2048, 16");
    assert_refuses(read_pins(&pins, d, &error, "BLOCK=016"), TW_INVALID, error, "not a value");
    assert_refuses(read_pins(&pins, d, &error, "MODE=middle"), TW_INVALID, error,
                   "which may be near, far");
    assert_refuses(read_pins(&pins, d, &error, "BLOCK=32", "BLOCK=16"), TW_INVALID, error,
                   "BLOCK is given twice");
    assert_refuses(read_pins(&pins, d, &error, "EACH=2", "BLOCK=16"), TW_INVALID, error,
                   "no implementation of pinned has all of BLOCK=16 EACH=2");
    char much[300];
    memset(much, 'A', sizeof much);
    strcpy(much + 280, "=1");
    assert_refuses(read_pins(&pins, d, &error, much), TW_INVALID, error, "too long");
}

/* The same pins are the same words, whatever the order: runs are told apart by them. */
static void words_are_sorted(void **state) {
    const struct tw_description *d = *state;
    struct pins pins = PINNED(d, "MODE=far", "BLOCK=32", "EACH=2"), none = {0};
    struct tw_text words = {0};
    pins_text(&pins, &words);
    assert_string_equal(words.data, "BLOCK=32 EACH=2 MODE=far");
    tw_text_free(&words);
    pins_text(&none, &words);
    assert_int_equal(words.length, 0);
    tw_text_free(&words);
}

static void what_pins_allow(void **state) {
    const struct tw_description *d = *state;
    struct tw_error error;
    struct pins block = PINNED(d, "BLOCK=32"), far = PINNED(d, "MODE=far");
    struct tw_configuration wide, narrow, changed;
    must(tw_configuration_parse(&wide, d, WIDE, "{\"BLOCK\":32,\"EACH\":2,\"MODE\":\"near\"}",
                                &error),
         error);
    must(tw_configuration_parse(&narrow, d, NARROW, "{\"BLOCK\":16}", &error), error);
    assert_true(pins_allow(&block, d, &wide) && !pins_allow(&block, d, &narrow));
    assert_true(!pins_allow(&far, d, &wide) && !pins_allow(&far, d, &narrow));
    assert_true(pins_allow(&(struct pins){0}, d, &narrow));
    changed = wide;
    must(pins_apply(&far, d, &changed, &error), error);
    assert_true(pins_allow(&far, d, &changed) && pins_allow(&block, d, &changed));
    assert_false(tw_configuration_equal(d, &changed, &wide));
    assert_refuses(pins_apply(&far, d, &narrow, &error), TW_INVALID, error,
                   "narrow, which has no such parameter");
    struct pins large = PINNED(d, "BLOCK=64");
    assert_refuses(pins_apply(&large, d, &narrow, &error), TW_INVALID, error,
                   "narrow, which has no such value");
}

/* The pinned space has the points of the whole one that the pins allow, and no others. */
static void a_pinned_space_is_a_part(void **state) {
    const struct tw_description *d = *state;
    struct tw_problem problem = parse_problem(d, "7x64");
    struct tw_error error;
    struct space *whole, *part;
    const struct pins all[] = {PINNED(d, "BLOCK=32"), PINNED(d, "MODE=far"),
                               PINNED(d, "BLOCK=64", "EACH=2", "MODE=near"), (struct pins){0}};
    must(space_create(&whole, &problem, &paper_gpu, NULL, &error), error);
    assert_int_equal(space_size(whole), 6);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        size_t allowed = 0;
        must(space_create(&part, &problem, &paper_gpu, &all[i], &error), error);
        for (size_t point = 0; point < space_size(whole); point++) {
            struct tw_configuration c;
            space_configuration(whole, point, &c);
            allowed += pins_allow(&all[i], d, &c);
            assert_int_equal(space_find(part, &c) != SPACE_NONE, pins_allow(&all[i], d, &c));
        }
        assert_true(allowed > 0);
        assert_int_equal(space_size(part), allowed);
        space_free(part);
    }
    space_free(whole);
}

static void assert_explains(const struct tw_description *d, const char *shape,
                            const struct pins *pins, const char *expected) {
    struct tw_problem problem = parse_problem(d, shape);
    struct tw_error error;
    struct tw_text why = {0};
    must(space_explain(&problem, &paper_gpu, pins, &why, &error), error);
    assert_string_equal(why.data, expected);
    tw_text_free(&why);
}

static void what_rules_points_out(void **state) {
    const struct tw_description *d = *state;
    /* Each is counted once, for the first that it breaks; limits of the device among them. */
    assert_explains(d, "7x3", NULL,
                    "of 12 configurations of wide 6 break the constraint \"EACH <= N\", 2 exceed "
                    "the device's limit of block x; of 2 configurations of narrow 2 break the "
                    "constraint \"N % BLOCK == 0\"; later needs sm_200; the device is sm_90");
    assert_explains(d, "2x3", &(struct pins){0},
                    "of 12 configurations of wide 6 are redundant by \"M == 2 && MODE == 'far'\", "
                    "3 break the constraint \"EACH <= N\", 1 exceed the device's limit of block x; "
                    "of 2 configurations of narrow 2 break the constraint \"N % BLOCK == 0\"; "
                    "later needs sm_200; the device is sm_90");
    struct pins deep = PINNED(d, "EACH=4", "BLOCK=32"), large = PINNED(d, "BLOCK=2048");
    assert_explains(d, "7x64", &deep,
                    "of 2 configurations of wide 2 exceed the device's limit of shared memory");
    assert_explains(d, "7x64", &large,
                    "of 4 configurations of wide 4 exceed the device's limit of block x");
    struct pins later = PINNED(d, "DEPTH=2");
    assert_explains(d, "7x64", &later, "later needs sm_200; the device is sm_90");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes_are_told),     cmocka_unit_test(words_are_sorted),
        cmocka_unit_test(what_pins_allow),       cmocka_unit_test(a_pinned_space_is_a_part),
        cmocka_unit_test(what_rules_points_out),
    };
    return cmocka_run_group_tests_name("pins", tests, describe, forget);
}
