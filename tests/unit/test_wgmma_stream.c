/* How stream-K divides tiles on Hopper (templates/gemm/wgmma_stream.cu): every step of every tile
 * is multiplied once, no two parts share a place in the workspace, and the second launch finds the
 * parts of a tile in the order of K. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/description/builtin.h"
#include "runtime/variant/geometry.h"
#include "tests/support/problems.h"
#include "tests/support/scale.h"

#define TW_DEVICE static
#define TW_GLOBAL
#define STREAMS 132
#define STEP 64
#define WARPGROUP 128
#define CONSUMERS 2
#define TALL 1
#define BN 256
typedef int64_t tw_index;
static int min(int a, int b) {
    return a < b ? a : b;
}
/* Tiles of one row and column. */
static int tile_count(int rows, int columns) {
    return rows * columns;
}
#include "templates/gemm/wgmma_stream.cu"

enum { MOST_TILES = 700, MOST_STEPS = 300 };
static char done[MOST_TILES][MOST_STEPS];

/* The block that multiplies part `slot`, and of what; tile -1: nobody. */
static struct piece written[2 * STREAMS];

static void first_launch(int rows, int columns, int K, int parts) {
    memset(done, 0, sizeof done);
    for (int i = 0; i < 2 * STREAMS; i++)
        written[i].tile = -1;
    for (int block = 0; block < STREAMS; block++) {
        struct stream stream = stream_of(block, rows, columns, K, parts);
        struct piece piece;
        while (next_piece(&stream, &piece)) {
            assert_in_range(piece.tile, 0, rows * columns - 1);
            assert_true(piece.steps > 0 && piece.first + piece.steps <= stream.all);
            for (int step = piece.first; step < piece.first + piece.steps; step++)
                assert_int_equal(done[piece.tile][step]++, 0);
            assert_int_equal(piece.slot < 0, piece.steps == stream.all);
            if (piece.slot >= 0) {
                assert_in_range(piece.slot, 0,
                                2 * min(STREAMS, parts * (rows * columns % STREAMS)) - 1);
                assert_int_equal(written[piece.slot].tile, -1);
                written[piece.slot] = piece;
            }
        }
    }
}

static void second_launch(int rows, int columns, int K, int parts) {
    struct stream stream = stream_of(0, rows, columns, K, parts);
    const int tiles = rows * columns - stream.divided, all = stream.all;
    for (int tile = 0; tile < tiles; tile++) {
        stream.block = block_at(tile * all, tiles, all, parts);
        int at = tile * all;
        for (; at < (tile + 1) * all; stream.block++) {
            stream.end = stream_at(stream.block + 1, tiles, all, parts);
            const struct piece piece = piece_at(&stream, at);
            if (piece.slot >= 0) {
                assert_int_equal(written[piece.slot].tile, stream.divided + tile);
                assert_int_equal(written[piece.slot].first, at - tile * all);
                assert_int_equal(written[piece.slot].steps, piece.steps);
            }
            at += piece.steps;
        }
        assert_int_equal(at, (tile + 1) * all);
    }
}

static void every_step_once(void **state) {
    (void)state;
    const int steps[] = {1, 2, 3, 16, 63, 128, 299}, divisors[] = {2, 3, 4, 8, 16};
    for (int tiles = 1; tiles < MOST_TILES; tiles += tiles < 140 ? 1 : 37)
        for (size_t s = 0; s < sizeof steps / sizeof *steps; s++)
            for (size_t p = 0; p < sizeof divisors / sizeof *divisors && tiles % STREAMS != 0;
                 p++) {
                const int all = steps[s], parts = divisors[p];
                first_launch(tiles, 1, all * STEP - 5, parts);
                for (int tile = 0; tile < tiles; tile++)
                    for (int step = 0; step < all; step++)
                        assert_int_equal(done[tile][step], 1);
                second_launch(tiles, 1, all * STEP - 5, parts);
            }
}

static int number_of(const struct tw_implementation *in, const char *parameter) {
    for (int i = 0; i < in->parameter_count; i++)
        if (strcmp(in->parameters[i].name, parameter) == 0)
            return i;
    fail_msg("there is no %s", parameter);
    return -1;
}

/* A block of the second launch adds sixteen columns; of no tile that is allowed are some left. */
static void every_column_added(void **state) {
    enum { N = 1000, ADDED = 16 };
    struct tw_description *d;
    struct tw_problem problem;
    struct tw_configuration c;
    const struct tw_preset *preset;
    struct tw_geometry geometry;
    struct tw_error error;
    int64_t values[TW_MAX_SYMBOLS];
    int allowed = 0;
    (void)state;
    must(tw_description_builtin(&d, "gemm", &error), error);
    must(tw_problem_read(&problem, d, "M=40,N=1000,K=1728;dtype=f16,trans=nt", &error), error);
    bind_problem(&problem, &paper_gpu, values);
    assert_true(tw_description_preset(d, "wgmma-stream-k", &c.implementation, &preset));
    const struct tw_implementation *in = &d->implementations[c.implementation];
    const struct tw_parameter *widths = &in->parameters[number_of(in, "BN")];
    memcpy(c.values, preset->values, sizeof c.values);
    c.values[number_of(in, "BM")] = 64;
    c.values[number_of(in, "CONSUMERS")] = 1;
    c.values[number_of(in, "STORE_BUFFERS")] = 1;
    for (int store = 0; store < 2; store++)
        for (int i = 0; i < widths->count; i++) {
            const int64_t width = c.values[number_of(in, "BN")] = widths->values[i];
            c.values[number_of(in, "STORE")] = in->parameters[number_of(in, "STORE")].values[store];
            if (tw_configuration_bind(d, &c, values, &error) != TW_OK ||
                tw_configuration_check(d, &c, values, &error) != TW_OK)
                continue;
            allowed++;
            must(tw_geometry_of(&in->launches[1], values, &paper_gpu, &geometry, &error), error);
            assert_int_equal(geometry.grid[0] * ADDED, (N + width - 1) / width * width);
        }
    assert_true(allowed > 1);
    tw_description_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_step_once),
        cmocka_unit_test(every_column_added),
    };
    return cmocka_run_group_tests_name("stream-K on Hopper", tests, NULL, NULL);
}
