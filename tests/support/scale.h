/* A small kernel for tests: B = alpha*A, the example of configs/README.md. */
#ifndef TESTS_SUPPORT_SCALE_H
#define TESTS_SUPPORT_SCALE_H

#include "runtime/backend/devices.h"
#include "runtime/description/configuration.h"
#include "runtime/description/problem.h"
#include "tests/support/support.h"

/* clang-format off */
#define SCALE_JSON(...) #__VA_ARGS__
static const char scale_text[] = SCALE_JSON({
  "kernel": "scale",
  "summary": "B = alpha*A for an MxN matrix",
  "problem": {
    "dimensions": ["M", "N"],
    "attributes": { "dtype": { "values": ["f32", "f64"], "default": "f32" } },
    "let": { "ESIZE": "dtype == 'f64' ? 8 : 4" }
  },
  "arguments": [
    { "name": "A", "kind": "buffer", "type": "dtype", "access": "in",
      "rows": "M", "columns": "N", "stride": "lda", "fill": { "low": -1, "high": 1, "seed": 1 } },
    { "name": "B", "kind": "buffer", "type": "dtype", "access": "out",
      "rows": "M", "columns": "N", "stride": "ldb" },
    { "name": "lda", "kind": "stride", "default": "N" },
    { "name": "ldb", "kind": "stride", "default": "N" },
    { "name": "alpha", "kind": "scalar", "type": "dtype", "default": 1.5 }
  ],
  "cases": [ {}, { "alpha": -0.25 } ],
  "work": { "flops": "0", "bytes": "2*ESIZE*M*N" },
  "tolerance": { "f32": 1e-6, "f64": 1e-15, "growth": "1" },
  "reference": { "templates": ["scale/reference.cu"], "function": "scale_reference",
    "block": ["64"], "grid": ["ceil_div(N, 64)", "M"],
    "pass": ["A", "B", "M", "N", "lda", "ldb", "alpha"] },
  "implementations": [
    {
      "name": "direct",
      "summary": "one thread an element",
      "requires": { "backends": ["cuda", "opencl"], "min_arch": 0 },
      "parameters": {
        "BLOCK_X": [32, 64, 128],
        "ORDER": ["rows", "columns"],
        "GROUP": { "values": [1, 4], "launch": true }
      },
      "constraints": ["BLOCK_X <= MAX_THREADS"],
      "redundant": ["M == 1 && ORDER == 'columns'"],
      "defines": { "RAGGED": "N % BLOCK_X != 0" },
      "workspace": "0",
      "launches": [
        { "templates": ["scale/direct.cu"], "function": "scale_direct",
          "block": ["BLOCK_X"], "grid": ["ceil_div(N, BLOCK_X)", "M"], "shared": "0",
          "min_blocks": "1",
          "pass": ["A", "B", "M", "N", "lda", "ldb", "alpha", "GROUP"] }
      ],
      "presets": { "default": { "BLOCK_X": 64, "ORDER": "rows", "GROUP": 1 } }
    }
  ]
});
/* clang-format on */

SUPPORT struct tw_description *read_description(const char *text, const char *directory) {
    struct tw_description *description;
    struct tw_error error;
    must(tw_description_read(&description, text, "scale.json", directory, &error), error);
    return description;
}

SUPPORT struct tw_problem parse_problem(const struct tw_description *description,
                                        const char *shape) {
    struct tw_problem problem;
    struct tw_error error;
    must(tw_problem_parse(&problem, description, shape, &error), error);
    return problem;
}

/* A GPU like an H100, for tests that only compute. */
static const struct tw_device_info paper_gpu = {.id = "cuda:0",
                                                .backend = "cuda",
                                                .name = "Paper GPU",
                                                .vendor = "NVIDIA",
                                                .architecture = "sm_90",
                                                .arch = 90,
                                                .compute_units = 132,
                                                .warp = 32,
                                                .max_threads = 1024,
                                                .max_block = {1024, 1024, 64},
                                                .max_grid = {2147483647, 65535, 65535},
                                                .max_shared = 232448,
                                                .max_registers = 65536,
                                                .cache_bytes = 52428800,
                                                .memory_bytes = (int64_t)80 << 30,
                                                .max_cluster = 8,
                                                .has_tensor_maps = true,
                                                .has_fp64 = true};

/* The description read, for groups of tests that have these two around them. */
SUPPORT struct tw_description *scale;

SUPPORT int read_scale(void **state) {
    (void)state;
    scale = read_description(scale_text, NULL);
    return 0;
}

SUPPORT int free_scale(void **state) {
    (void)state;
    tw_description_free(scale);
    return 0;
}

/* Binds a problem for a device, with the default strides. */
SUPPORT void bind_problem(const struct tw_problem *problem, const struct tw_device_info *device,
                          int64_t values[TW_MAX_SYMBOLS]) {
    int64_t slots[TW_DEVICE_SLOTS];
    struct tw_error error;
    tw_device_values(device, slots);
    must(tw_problem_bind(problem, slots, NULL, values, &error), error);
}

#endif
