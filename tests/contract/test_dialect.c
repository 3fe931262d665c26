/* What the dialect's maths, sub-groups and atomics promise, on every backend. With an argument,
 * only the backend of that name is tested. */
#include <math.h>

#include "tests/support/dialect.h"
#include "tests/support/stages.h"

/* ---- Maths ---- */

struct function {
    const char *name;
    double from, to;
    double (*of)(double x, double y);
};

#define HOST(function, host, from, to)                                                             \
    static double host_##function(double x, double y) {                                            \
        (void)y;                                                                                   \
        return host(x);                                                                            \
    }
#define HOST_BINARY(function, host, from, to)                                                      \
    static double host_##function(double x, double y) {                                            \
        return host(x, y);                                                                         \
    }
DIALECT_UNARY(HOST)
DIALECT_BINARY(HOST_BINARY)
DIALECT_DOUBLE(HOST)
DIALECT_DOUBLE_BINARY(HOST_BINARY)

#define FUNCTION_ROW(function, host, from, to) {#function, from, to, host_##function},
static const struct function singles[] = {DIALECT_UNARY(FUNCTION_ROW) DIALECT_BINARY(FUNCTION_ROW)};
static const struct function doubles[] = {DIALECT_DOUBLE(FUNCTION_ROW)
                                              DIALECT_DOUBLE_BINARY(FUNCTION_ROW)};
enum { SINGLES = sizeof singles / sizeof *singles, DOUBLES = sizeof doubles / sizeof *doubles };

/* From a function's range, never an integer or a half, where rounding would be a matter of bits. */
static double argument(const struct function *f, int i) {
    return f->from + (f->to - f->from) * (i + 0.37) / DIALECT_COUNT;
}

static double second_argument(int i) {
    return -3 + 7 * ((i * 37) % DIALECT_COUNT + 0.41) / DIALECT_COUNT;
}

/* `unit` is the type's relative precision. OpenCL allows single precision 16 units for its
 * functions; near a zero of a function the size of its argument counts. */
static void assert_near(const struct function *f, double x, double y, double got, double unit) {
    double expected = f->of(x, y), error = fabs(got - expected);
    if (!(error <= 16 * unit * fmax(fabs(expected), 0.25 * fmin(1, fabs(x))))) {
        fail_msg("%s(%.9g, %.9g) is %.9g in place of %.9g", f->name, x, y, got, expected);
    }
}

/* `size` is that of an element: of floats or doubles. */
static void run_maths(const struct stage *stage, const char *body, const char *name, size_t size,
                      const struct function *functions, int count) {
    static const uint32_t block[3] = {DIALECT_COUNT, 1, 1};
    enum { MOST = SINGLES * DIALECT_COUNT };
    static double x[MOST], y[DIALECT_COUNT], got[MOST];
    static float narrow[MOST];
    struct tw_module *module = load_body(stage, body, name, block, 0);
    size_t all = (size_t)count * DIALECT_COUNT;
    struct tw_memory xs = allocate(stage, all * size), ys = allocate(stage, DIALECT_COUNT * size),
                     out = allocate(stage, all * size);
    const struct tw_value values[] = {memory_value(out), memory_value(xs), memory_value(ys),
                                      number_value(TW_TYPE_i32, DIALECT_COUNT)};
    struct tw_error error;
    bool single = size == sizeof(float);
    for (size_t i = 0; i < all; i++) {
        narrow[i] = (float)argument(&functions[i / DIALECT_COUNT], (int)(i % DIALECT_COUNT));
        x[i] = narrow[i];
    }
    must(stage->backend->write(stage->device, &xs, single ? (void *)narrow : x, &error), error);
    for (int i = 0; i < DIALECT_COUNT; i++) {
        narrow[i] = (float)second_argument(i);
        y[i] = narrow[i];
    }
    must(stage->backend->write(stage->device, &ys, single ? (void *)narrow : y, &error), error);
    launch(stage, &(struct tw_launch){.module = module,
                                      .block = {DIALECT_COUNT, 1, 1},
                                      .grid = {1, 1, 1},
                                      .shared = 0,
                                      .value_count = 4,
                                      .values = values});
    read_back(stage, &out, single ? (void *)narrow : got);
    for (size_t i = 0; i < all; i++)
        assert_near(&functions[i / DIALECT_COUNT], x[i], y[i % DIALECT_COUNT],
                    single ? narrow[i] : got[i], single ? 0x1p-23 : 0x1p-52);
    stage->backend->release(stage->device, &xs);
    stage->backend->release(stage->device, &ys);
    stage->backend->release(stage->device, &out);
    stage->backend->unload(stage->device, module);
}

static void maths(void **state) {
    run_maths(*state, dialect_maths, "dialect_maths", sizeof(float), singles, SINGLES);
}

static void maths_of_doubles(void **state) {
    const struct stage *stage = *state;
    if (!stage->info.has_fp64)
        skip();
    run_maths(stage, dialect_doubles, "dialect_doubles", sizeof(double), doubles, DOUBLES);
}

static void numbers_that_are_none(void **state) {
    static const uint32_t block[3] = {1, 1, 1};
    const struct stage *stage = *state;
    struct tw_module *module = load_body(stage, dialect_special, "dialect_special", block, 0);
    struct tw_memory out = allocate(stage, DIALECT_SPECIALS * 4);
    const struct tw_value values[] = {memory_value(out), number_value(TW_TYPE_f32, 0),
                                      number_value(TW_TYPE_f32, 1)};
    int32_t holds[DIALECT_SPECIALS];
    launch(stage, &(struct tw_launch){.module = module,
                                      .block = {1, 1, 1},
                                      .grid = {1, 1, 1},
                                      .shared = 0,
                                      .value_count = 3,
                                      .values = values});
    read_back(stage, &out, holds);
    int failures = 0;
    for (int i = 0; i < DIALECT_SPECIALS; i++) {
        if (holds[i] != 1) {
            print_error("truth %d of dialect_special does not hold\n", i);
            failures++;
        }
    }
    assert_int_equal(failures, 0);
    stage->backend->release(stage->device, &out);
    stage->backend->unload(stage->device, module);
}

/* ---- Sub-groups ---- */

enum { MOST_THREADS = 96, BLOCKS = 2, MOST_LANES = MOST_THREADS * BLOCKS };

static double lane_value(enum tw_type type, int i) {
    double value = (i * 73 + 11) % 101;
    return type == TW_TYPE_u32 ? value + 4e7 : value - 50;
}

/* What thread i of all must get as result number `row`. */
static double lane_result(enum tw_type type, int row, int i, int width, int number) {
    int lane = i % width, first = i - lane;
    double sum = 0, greatest = -INFINITY, least = INFINITY;
    for (int j = first; j < first + width; j++) {
        double value = lane_value(type, j);
        sum += value;
        greatest = fmax(greatest, value);
        least = fmin(least, value);
    }
    switch (row) {
    case 0:
        return lane_value(type, first + number % width);
    case 1:
        return lane_value(type, first + (lane ^ (number & (width - 1))));
    case 2:
        return lane_value(type, lane - number >= 0 ? i - number : i);
    case 3:
        return lane_value(type, lane + number < width ? i + number : i);
    case 4:
        return sum;
    case 5:
        return greatest;
    case 6:
        return least;
    default:
        return greatest - least;
    }
}

static double decoded(enum tw_type type, const unsigned char *bytes) {
    switch (type) {
    case TW_TYPE_f32:
        return *(const float *)bytes;
    case TW_TYPE_f64:
        return *(const double *)bytes;
    case TW_TYPE_i32:
        return *(const int32_t *)bytes;
    default:
        return *(const uint32_t *)bytes;
    }
}

static void run_lanes(const struct stage *stage, struct tw_module *module, enum tw_type type,
                      const uint32_t block[3], int width, int number) {
    static double in_bytes[MOST_LANES], out_bytes[MOST_LANES * DIALECT_LANE_RESULTS];
    unsigned char *in = (unsigned char *)in_bytes, *got = (unsigned char *)out_bytes;
    int threads = (int)(block[0] * block[1] * block[2]), n = threads * BLOCKS;
    size_t size = tw_type_info(type)->bytes;
    struct tw_memory ins = allocate(stage, (size_t)n * size),
                     out = allocate(stage, (size_t)n * size * DIALECT_LANE_RESULTS);
    const struct tw_value values[] = {memory_value(out), memory_value(ins),
                                      number_value(TW_TYPE_i32, width),
                                      number_value(TW_TYPE_i32, number)};
    struct tw_error error;
    for (int i = 0; i < n; i++)
        tw_type_encode(type, lane_value(type, i), in + (size_t)i * size);
    must(stage->backend->write(stage->device, &ins, in, &error), error);
    fill_with(stage, &out, 0xff);
    launch(stage, &(struct tw_launch){.module = module,
                                      .block = {block[0], block[1], block[2]},
                                      .grid = {BLOCKS, 1, 1},
                                      .shared = (uint32_t)((size_t)threads * size),
                                      .value_count = 4,
                                      .values = values});
    read_back(stage, &out, got);
    for (int row = 0; row < DIALECT_LANE_RESULTS; row++) {
        for (int i = 0; i < n; i++) {
            double expected = lane_result(type, row, i, width, number);
            double value = decoded(type, got + ((size_t)row * n + i) * size);
            if (value != expected) {
                fail_msg("%s, width %d, number %d: result %d of thread %d is %g in place of %g",
                         tw_type_info(type)->word, width, number, row, i, value, expected);
            }
        }
    }
    stage->backend->release(stage->device, &ins);
    stage->backend->release(stage->device, &out);
}

/* A block of three warps in three dimensions, and one whose last warp is half there. */
static void sub_groups(void **state) {
    static const struct {
        enum tw_type type;
        const char *element;
        uint32_t block[3];
    } kernels[] = {{TW_TYPE_f32, "float", {12, 4, 2}},
                   {TW_TYPE_f32, "float", {48, 1, 1}},
                   {TW_TYPE_f64, "double", {16, 3, 1}},
                   {TW_TYPE_i32, "int", {4, 4, 6}},
                   {TW_TYPE_u32, "tw_u32", {48, 1, 1}}};
    const struct stage *stage = *state;
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        const uint32_t *block = kernels[k].block;
        enum tw_type type = kernels[k].type;
        int threads = (int)(block[0] * block[1] * block[2]);
        char body[4000];
        if (type == TW_TYPE_f64 && !stage->info.has_fp64)
            continue;
        snprintf(body, sizeof body, "#define ELEMENT %s\n#define SUFFIX %s\n%s", kernels[k].element,
                 tw_type_info(type)->word, dialect_lanes);
        struct tw_module *module =
            load_body(stage, body, "dialect_lanes", block,
                      (uint32_t)((size_t)threads * tw_type_info(type)->bytes));
        for (int width = 1; width <= 32 && threads % width == 0; width *= 2)
            for (int number = 0; number <= 35; number += 5)
                run_lanes(stage, module, type, block, width, number % (width + 3));
        stage->backend->unload(stage->device, module);
    }
}

/* ---- Atomics ---- */

static void atomics(void **state) {
    enum { THREADS = 64, GRID = 40, N = THREADS * GRID, TICKETS = 3 };
    static const uint32_t block[3] = {THREADS, 1, 1};
    const struct stage *stage = *state;
    struct tw_module *module = load_body(stage, dialect_atomics, "dialect_atomics", block, 32);
    struct tw_memory ints = allocate(stage, 13 * 4), uints = allocate(stage, 3 * 4),
                     floats = allocate(stage, 2 * 4), tickets = allocate(stage, TICKETS * N * 4);
    const struct tw_value values[] = {memory_value(ints), memory_value(uints), memory_value(floats),
                                      memory_value(tickets)};
    int32_t start[13] = {[7] = -1}, got[13], turn[TICKETS * N], xored = 0;
    uint32_t whole[3] = {0, 0, UINT32_MAX};
    float sums[2];
    struct tw_error error;
    for (int i = 0; i < N; i++)
        xored ^= i;
    const int32_t expected[13] = {
        N,     N - 8, 6 - N,           2 * N, -3 * N, 77, (1 << 30) - 1, ~((1 << 30) - 1),
        xored, GRID,  N * (N - 1) / 2, N - 1, 1 - N};
    must(stage->backend->write(stage->device, &ints, start, &error), error);
    must(stage->backend->write(stage->device, &uints, whole, &error), error);
    fill_with(stage, &floats, 0);
    fill_with(stage, &tickets, 0xff);
    launch(stage, &(struct tw_launch){.module = module,
                                      .block = {THREADS, 1, 1},
                                      .grid = {GRID, 1, 1},
                                      .shared = 32,
                                      .value_count = 4,
                                      .values = values});
    read_back(stage, &ints, got);
    for (int i = 0; i < 13; i++)
        if (got[i] != expected[i]) {
            fail_msg("ints[%d] is %d in place of %d", i, got[i], expected[i]);
        }
    read_back(stage, &uints, whole);
    assert_int_equal(whole[0], (uint32_t)(3000000000ull * N));
    assert_int_equal(whole[1], 3000000000u + N - 1);
    assert_int_equal(whole[2], 4000000000u - N + 1);
    read_back(stage, &floats, sums);
    assert_true(sums[0] == N && sums[1] == N * 0.5f);
    /* Every turn was one thread's, and every thread's. */
    read_back(stage, &tickets, turn);
    for (int row = 0; row < TICKETS; row++) {
        static bool seen[N];
        memset(seen, 0, sizeof seen);
        for (int i = 0; i < N; i++) {
            int32_t who = turn[row * N + i];
            assert_true(who >= 0 && who < N && !seen[who]);
            seen[who] = true;
        }
    }
    stage->backend->release(stage->device, &ints);
    stage->backend->release(stage->device, &uints);
    stage->backend->release(stage->device, &floats);
    stage->backend->release(stage->device, &tickets);
    stage->backend->unload(stage->device, module);
}

int main(int count, char **arguments) {
    struct CMUnitTest tests[] = {
        STAGE_TEST(maths),      STAGE_TEST(maths_of_doubles), STAGE_TEST(numbers_that_are_none),
        STAGE_TEST(sub_groups), STAGE_TEST(atomics),
    };
    return run_on_backends(count, arguments, tests, sizeof tests / sizeof *tests);
}
