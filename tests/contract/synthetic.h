/* Kernels that exist only as a formula, so that strategies can be compared with no device.
 *
 * The description is a GEMM with a register-tiled implementation like the real one and a small
 * naive one. The cost of a configuration is what a roofline-like model makes of it on a GPU or on a
 * CPU: compute, shared memory, cache and latency limits that depend on several parameters at once;
 * waves; spills; configurations that fail; a rough term that stands for a compiler's whims.
 * Measurements add noise. */
#ifndef TESTS_CONTRACT_SYNTHETIC_H
#define TESTS_CONTRACT_SYNTHETIC_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "runtime/base/hash.h"
#include "tuner/search/strategy.h"
#include "tuner/space/space.h"

/* clang-format off */
#define SYNTHETIC_JSON(...) #__VA_ARGS__
static const char synthetic_text[] = SYNTHETIC_JSON({
  "kernel": "synthetic",
  "summary": "C = A*B that is never run",
  "problem": { "dimensions": ["M", "N", "K"] },
  "arguments": [
    { "name": "C", "kind": "buffer", "type": "f32", "access": "out", "rows": "M", "columns": "N" }
  ],
  "work": { "flops": "2*M*N*K", "bytes": "4*(M*K + K*N + M*N)" },
  "tolerance": { "f32": 1e-6, "growth": "K" },
  "reference": { "templates": ["none.cu"], "function": "reference", "block": ["64"], "grid": ["M"],
                 "pass": ["C"] },
  "implementations": [
    {
      "name": "naive",
      "summary": "one thread an element",
      "parameters": { "BLOCK_X": [8, 16, 32, 64, 128, 256], "BLOCK_Y": [1, 2, 4, 8, 16, 32] },
      "constraints": ["BLOCK_X*BLOCK_Y >= 32"],
      "launches": [
        { "templates": ["none.cu"], "function": "naive", "block": ["BLOCK_X", "BLOCK_Y"],
          "grid": ["ceil_div(N, BLOCK_X)*ceil_div(M, BLOCK_Y)"], "pass": ["C"] }
      ],
      "presets": { "naive": { "BLOCK_X": 16, "BLOCK_Y": 16 } }
    },
    {
      "name": "register_tiled",
      "summary": "a tile in each thread's registers",
      "parameters": {
        "BM": [16, 32, 64, 96, 128, 256],
        "BN": [16, 32, 64, 96, 128, 256],
        "BK": [4, 8, 16, 32, 64],
        "TM": [1, 2, 4, 8, 16],
        "TN": [1, 2, 4, 8, 16],
        "WARP_X": [4, 8],
        "FRAGMENT": ["contiguous", "split"],
        "VEC": [1, 2, 4],
        "A_TRANSPOSED": [0, 1],
        "PAD": [0, 4],
        "PREFETCH": [1, 2, 3],
        "REG_PREFETCH": [0, 1],
        "UNROLL": [1, 4, 16],
        "MIN_BLOCKS": [1, 2, 4],
        "GROUP_M": { "values": [1, 4, 16], "launch": true }
      },
      "constraints": [
        "BM <= 8*BN && BN <= 8*BM",
        "BM % TM == 0 && BN % TN == 0",
        "BM/TM*(BN/TN) >= 16 && BM/TM*(BN/TN) <= min(1024, MAX_THREADS)",
        "BM*BK % (BM/TM*(BN/TN)) == 0 && BN*BK % (BM/TM*(BN/TN)) == 0",
        "BN/TN % min(WARP_X, BN/TN) == 0",
        "VEC == 1 || BM*BK % (BM/TM*(BN/TN)*VEC) == 0 && BN*BK % (BM/TM*(BN/TN)*VEC) == 0",
        "(BM + BN)*BK/(BM/TM*(BN/TN)) <= 32",
        "BK % UNROLL == 0",
        "UNROLL*TM*TN >= 16 && UNROLL*TM*TN <= 1024",
        "TM*TN <= 128"
      ],
      "redundant": [
        "FRAGMENT == 'split' && TM <= 4 && TN <= 4",
        "WARP_X > 4 && WARP_X/2 >= BN/TN",
        "MIN_BLOCKS > 1 && (IS_CPU || BM/TM*(BN/TN)*MIN_BLOCKS <= 256)",
        "IS_CPU && (WARP_X > 4 || REG_PREFETCH)"
      ],
      "defines": { "THREADS": "BM/TM*(BN/TN)" },
      "launches": [
        { "templates": ["none.cu"], "function": "tiled", "block": ["THREADS"],
          "grid": ["ceil_div(M, BM)*ceil_div(N, BN)"],
          "shared": "PREFETCH*4*((A_TRANSPOSED ? BK*(BM + PAD) : BM*(BK + PAD)) + BK*BN)",
          "min_blocks": "MIN_BLOCKS", "pass": ["C", "GROUP_M"] }
      ],
      "presets": {
        "default": { "BM": 64, "BN": 64, "BK": 8, "TM": 4, "TN": 4, "WARP_X": 8,
          "FRAGMENT": "contiguous", "VEC": 1, "A_TRANSPOSED": 1, "PAD": 4, "PREFETCH": 1,
          "REG_PREFETCH": 0, "UNROLL": 4, "MIN_BLOCKS": 1, "GROUP_M": 4 },
        "register-tiled": { "BM": 128, "BN": 128, "BK": 8, "TM": 8, "TN": 8, "WARP_X": 8,
          "FRAGMENT": "contiguous", "VEC": 4, "A_TRANSPOSED": 1, "PAD": 4, "PREFETCH": 1,
          "REG_PREFETCH": 0, "UNROLL": 4, "MIN_BLOCKS": 1, "GROUP_M": 4 }
      }
    }
  ]
});
/* clang-format on */

static const struct tw_device_info synthetic_gpu = {.id = "cuda:0",
                                                    .backend = "cuda",
                                                    .arch = 90,
                                                    .compute_units = 132,
                                                    .warp = 32,
                                                    .max_threads = 1024,
                                                    .max_block = {1024, 1024, 64},
                                                    .max_grid = {2147483647, 65535, 65535},
                                                    .max_shared = 232448,
                                                    .max_registers = 65536,
                                                    .cache_bytes = 62914560};

static const struct tw_device_info synthetic_cpu = {.id = "opencl:0",
                                                    .backend = "opencl",
                                                    .is_cpu = true,
                                                    .compute_units = 2,
                                                    .warp = 1,
                                                    .max_threads = 4096,
                                                    .max_block = {4096, 4096, 4096},
                                                    .max_grid = {65535 * 1024, 65535, 65535},
                                                    .max_shared = 1 << 20,
                                                    .cache_bytes = 32 << 20};

struct synthetic {
    const struct tw_problem *problem;
    const struct space *space;
    bool is_cpu;
};

static inline double synthetic_value(const struct synthetic *s, const struct tw_configuration *c,
                                     const char *name) {
    const struct tw_implementation *implementation =
        &s->problem->description->implementations[c->implementation];
    for (int i = 0; i < implementation->parameter_count; i++)
        if (strcmp(implementation->parameters[i].name, name) == 0)
            return (double)c->values[i];
    return 0;
}

/* Uniform in [0, 1), the same for the same numbers. */
static inline double synthetic_rough(const double *numbers, size_t count) {
    return (double)(tw_hash64(numbers, count * sizeof *numbers) >> 11) * 0x1p-53;
}

/* A maximum with a rounded corner, as units that work side by side get in each other's way. */
static inline double synthetic_limit(double a, double b, double c) {
    return pow(pow(a, 2.5) + pow(b, 2.5) + pow(c, 2.5), 0.4);
}

struct synthetic_tile {
    double m, n, k, bm, bn, bk, tm, tn, warp_x, vec, pad, stages, unroll, min_blocks, group;
    bool split, transposed, register_prefetch;
    double threads, loads, shared, registers;
};

static inline struct synthetic_tile synthetic_tile(const struct synthetic *s,
                                                   const struct tw_configuration *c) {
    struct synthetic_tile t = {.m = (double)s->problem->dimensions[0],
                               .n = (double)s->problem->dimensions[1],
                               .k = (double)s->problem->dimensions[2]};
    t.bm = synthetic_value(s, c, "BM"), t.bn = synthetic_value(s, c, "BN");
    t.bk = synthetic_value(s, c, "BK"), t.tm = synthetic_value(s, c, "TM");
    t.tn = synthetic_value(s, c, "TN"), t.warp_x = synthetic_value(s, c, "WARP_X");
    t.vec = synthetic_value(s, c, "VEC"), t.pad = synthetic_value(s, c, "PAD");
    t.stages = synthetic_value(s, c, "PREFETCH"), t.unroll = synthetic_value(s, c, "UNROLL");
    t.min_blocks = synthetic_value(s, c, "MIN_BLOCKS"), t.group = synthetic_value(s, c, "GROUP_M");
    t.split = strcmp(s->problem->description->implementations[c->implementation]
                         .symbols->words[(int)synthetic_value(s, c, "FRAGMENT")],
                     "split") == 0;
    t.transposed = synthetic_value(s, c, "A_TRANSPOSED") != 0;
    t.register_prefetch = synthetic_value(s, c, "REG_PREFETCH") != 0;
    t.threads = t.bm / t.tm * (t.bn / t.tn);
    t.loads = (t.bm + t.bn) * t.bk / t.threads;
    t.shared = t.stages * 4 *
               ((t.transposed ? t.bk * (t.bm + t.pad) : t.bm * (t.bk + t.pad)) + t.bk * t.bn);
    t.registers = 24 + t.tm * t.tn + (t.tm + t.tn) * (t.register_prefetch ? 2 : 1) +
                  (t.stages > 1 ? t.loads : t.loads / 2);
    return t;
}

/* Seconds on the GPU; 0: fails. */
static inline double synthetic_gpu_seconds(const struct synthetic_tile *t) {
    double allowed = floor(fmin(255, 65536 / (t->threads * t->min_blocks)));
    double spilt = fmax(0, t->registers - allowed);
    double registers = 8 * ceil(fmin(t->registers, allowed) / 8);
    double blocks =
        floor(fmin(fmin(32, 2048 / t->threads),
                   fmin(233472 / (t->shared + 1024), 65536 / (registers * t->threads))));
    double chaos[] = {t->bm, t->bn, t->bk, t->tm, t->tn, t->unroll, t->vec, t->stages};
    double whim[] = {t->tm, t->tn, t->register_prefetch, t->min_blocks, t->split, t->warp_x};
    double detail[] = {t->bm,         t->bn,     t->bk,
                       t->tm,         t->tn,     t->unroll,
                       t->vec,        t->stages, t->register_prefetch,
                       t->min_blocks, t->split,  t->warp_x,
                       t->pad};
    if (blocks < 1 || spilt > 60 || synthetic_rough(detail, 13) < 0.03)
        return 0;
    double warps = ceil(t->threads / 32);
    /* Cycles for one step of k in all resident blocks of a multiprocessor. */
    double fma = blocks * warps * 32 * t->tm * t->tn / 128;
    double lanes_x = fmin(t->warp_x, t->bn / t->tn),
           lanes_y = fmax(1, fmin(32 / lanes_x, t->bm / t->tm));
    double conflict_a = t->transposed ? (t->pad > 0 ? 1 : 1.5)
                                      : fmin(lanes_y, t->pad == 1   ? 1.2
                                                      : t->pad == 4 ? 2
                                                                    : 6);
    double conflict_b = t->split || t->tn <= 4 ? 1 : t->tn / 4;
    double shared =
        blocks * warps *
        (lanes_y * t->tm * conflict_a / 32 + fmax(1, lanes_x * t->tn / 32) * conflict_b);
    double wide_a = t->transposed ? fmin(4, t->tm) : fmin(t->unroll, t->pad == 1 ? 1 : 4);
    double instructions = t->tm * t->tn + t->tm / wide_a + t->tn / fmin(4, t->tn) + 4 / t->unroll +
                          0.12 * spilt + 2.0 * t->loads / t->vec / t->bk;
    double issue = blocks * warps * instructions / 4;
    double parallel = blocks * warps * fmin(t->tm * t->tn, 16) * (t->register_prefetch ? 1.6 : 1);
    double step = synthetic_limit(fma, shared, issue) / (1 - exp(-parallel / 110));
    double code = t->unroll * t->tm * t->tn * 16 * 1.3;
    if (code > 24576)
        step *= 1 + 0.25 * fmin(1, (code - 24576) / 24576);
    /* Loading a tile and waiting for it. */
    double latency = t->stages == 1 ? 900 / blocks + 60 : t->stages == 2 ? 250 / blocks + 45 : 40;
    double chunk = step * t->bk + latency;
    double bytes = blocks * (t->bm + t->bn) * t->bk * 4;
    double width = t->vec == 4 ? 1 : t->vec == 2 ? 0.85 : 0.65;
    double reuse = 0.5 + 0.5 / (1 + fabs(log2(t->group * t->bm / 1024)));
    double traffic = bytes / (24 * width * reuse);
    chunk = synthetic_limit(chunk, traffic, 0);
    double tiles = ceil(t->m / t->bm) * ceil(t->n / t->bn);
    double waves = tiles / (132 * blocks);
    waves = 0.35 * waves + 0.65 * ceil(waves); /* blocks do not march in step */
    double cycles = waves * (chunk * ceil(t->k / t->bk) + 2500);
    return cycles / 1.7e9 *
           (1 + 0.08 * synthetic_rough(chaos, 8) + 0.05 * synthetic_rough(whim, 6) +
            0.02 * synthetic_rough(detail, 13));
}

/* Seconds on the CPU, where a block is a loop over its threads between barriers; 0: fails. */
static inline double synthetic_cpu_seconds(const struct synthetic_tile *t) {
    double chaos[] = {t->tm, t->tn, t->unroll, t->bk, t->split, t->transposed, t->stages};
    double detail[] = {t->bm, t->bn, t->bk, t->tm, t->tn, t->unroll, t->vec, t->pad};
    if (t->threads * t->tm * t->tn * 4 > 262144 || synthetic_rough(detail, 8) < 0.01)
        return 0;
    double lanes = t->bn / t->tn;
    double vector = lanes >= 8 && !t->split ? 8 : t->tn >= 8 ? 6.5 : fmax(1.5, fmin(lanes, 4));
    double spills = fmax(0, t->tm * t->tn / (t->tn >= 8 ? 8 : 1) - 12);
    double step = t->threads * t->tm * t->tn / vector / 2 * (1 + 0.06 * spills) +
                  t->threads * (t->tm + t->tn) / (t->transposed ? 4 : 3) / vector +
                  t->threads * 1.5 / t->unroll;
    double context = t->threads * t->tm * t->tn * 4, tile = t->shared;
    double barrier = t->threads * 6 + context / 16 * (context + tile > 32768 ? 2.5 : 1);
    double copy = (t->bm + t->bn) * t->bk / (t->vec * 1.2) * (t->transposed ? 1.5 : 1) *
                  (context + tile > 524288 ? 2 : 1) * (t->pad == 1 ? 1.1 : 1);
    double chunk = step * t->bk * (tile > 32768 ? 1.15 : 1) + t->stages * barrier + copy;
    double tiles = ceil(t->m / t->bm) * ceil(t->n / t->bn);
    double traffic = tiles * ceil(t->k / t->bk) * (t->bm + t->bn) * t->bk * 0.35;
    double cycles = chunk * tiles * ceil(t->k / t->bk) + traffic * (t->group >= 8 ? 1 : 1.3);
    return cycles / 3e9 *
           (1 + 0.12 * synthetic_rough(chaos, 7) + 0.04 * synthetic_rough(detail, 8));
}

/* The time of a point without noise; 0: it fails. */
static inline double synthetic_seconds(const struct synthetic *s, size_t point) {
    struct tw_configuration c;
    space_configuration(s->space, point, &c);
    if (synthetic_value(s, &c, "TM") == 0) { /* not tiled */
        double x = fmax(8, synthetic_value(s, &c, "BLOCK_X")),
               y = synthetic_value(s, &c, "BLOCK_Y");
        double work = (double)s->problem->dimensions[0] * (double)s->problem->dimensions[1] *
                      (double)s->problem->dimensions[2];
        return work * (s->is_cpu ? 1e-9 : 3e-13) * (1 + 8 / x + 4 / fmax(1, y) + x * y / 4096);
    }
    struct synthetic_tile tile = synthetic_tile(s, &c);
    return s->is_cpu ? synthetic_cpu_seconds(&tile) : synthetic_gpu_seconds(&tile);
}

/* One noisy measurement: 1.5 %, and now and then an outlier. `draw` numbers the measurements. */
static inline struct strategy_outcome synthetic_measure(double seconds, uint64_t seed,
                                                        uint64_t draw) {
    if (seconds == 0)
        return (struct strategy_outcome){.ok = false};
    double noise = 0, key[] = {(double)seed, (double)draw, 0};
    for (int i = 0; i < 12; i++) { /* Irwin-Hall: near enough to a normal distribution */
        key[2] = i;
        noise += synthetic_rough(key, 3) - 0.5;
    }
    key[2] = 12;
    double outlier = synthetic_rough(key, 3) < 0.02 ? 1.06 : 1;
    return (struct strategy_outcome){.ok = true,
                                     .seconds = seconds * (1 + 0.015 * noise) * outlier};
}

#endif
