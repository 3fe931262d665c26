/* A space of two implementations, one of them hundreds of times as large: what parts of strategies
 * are tried on. */
#ifndef TESTS_SUPPORT_UNEVEN_H
#define TESTS_SUPPORT_UNEVEN_H

#include "tests/support/scale.h"
#include "tuner/search/strategy.h"

/* clang-format off */
static const char uneven_text[] = SCALE_JSON({
  "kernel": "uneven",
  "summary": "a small and a large implementation",
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
      "name": "small", "summary": "7 points", "parameters": { "A": [1, 2, 3, 4, 5, 6, 7] },
      "launches": [ { "templates": ["none.cu"], "function": "f", "block": ["32"], "grid": ["M"],
                      "pass": ["C"] } ],
      "presets": { "default": { "A": 1 } }
    },
    {
      "name": "large", "summary": "4096 points",
      "parameters": { "B": [1, 2, 3, 4, 5, 6, 7, 8], "C1": [1, 2, 3, 4, 5, 6, 7, 8],
                      "D": [1, 2, 3, 4, 5, 6, 7, 8], "E": [1, 2, 3, 4, 5, 6, 7, 8] },
      "launches": [ { "templates": ["none.cu"], "function": "f", "block": ["32"], "grid": ["M"],
                      "pass": ["C"] } ]
    }
  ]
});
/* clang-format on */

enum { SMALL = 7, LARGE = 4096 };

struct uneven {
    struct tw_description *description;
    struct tw_problem problem;
    struct space *space;
};

SUPPORT int make_uneven(void **state) {
    static struct uneven f;
    struct tw_error error;
    f.description = read_description(uneven_text, NULL);
    f.problem = parse_problem(f.description, "64x64");
    must(space_create(&f.space, &f.problem, &paper_gpu, NULL, &error), error);
    assert_int_equal(space_size(f.space), SMALL + LARGE);
    *state = &f;
    return 0;
}

SUPPORT int free_uneven(void **state) {
    struct uneven *f = *state;
    space_free(f->space);
    tw_description_free(f->description);
    return 0;
}

#define WITH_SPACE(test) cmocka_unit_test_setup_teardown(test, make_uneven, free_uneven)

SUPPORT struct strategy *start(const struct uneven *f, const char *name, uint64_t seed) {
    struct strategy *strategy;
    struct tw_error error;
    const struct strategy_choice choice = strategy_usual(strategy_find(name, NULL));
    must(strategy_create(&strategy, &choice, f->space, NULL, seed, &error), error);
    return strategy;
}

#endif
