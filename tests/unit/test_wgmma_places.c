/* Which tiles of A*A^T the clusters of a kernel on Hopper have (templates/aat/wgmma_places.cu):
 * every one that meets the lower triangle or the diagonal, once, and no other. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/support.h"

#define TW_DEVICE static
static int BM, BN, CLUSTER_M, CLUSTER_N;
static int min(int a, int b) {
    return a < b ? a : b;
}
#include "templates/aat/wgmma_places.cu"

enum { MOST = 300 };
static char seen[MOST][MOST];

static void every_tile_once(int rows, int group) {
    const int height = BM * CLUSTER_M, width = BN * CLUSTER_N;
    const int down = (rows - 1) / height + 1, across = (rows - 1) / width + 1;
    int wanted = 0;
    assert_true(down <= MOST && across <= MOST);
    for (int i = 0; i < down; i++)
        for (int j = 0; j < across; j++)
            wanted += j * width < min((i + 1) * height, rows);
    assert_int_equal(tile_count(rows, rows), wanted);
    memset(seen, 0, sizeof seen);
    for (int tile = 0; tile < wanted; tile++) {
        int row = -1, column = -1;
        place_in_triangle(tile, rows, group, &row, &column);
        assert_true(row >= 0 && row < rows && row % height == 0);
        assert_true(column >= 0 && column % width == 0);
        assert_true(column < min(row + height, rows));
        assert_int_equal(seen[row / height][column / width]++, 0);
    }
}

static void of_all_shapes(void **state) {
    static const int tiles[][4] = {{128, 128, 1, 1}, {64, 64, 1, 1},  {128, 64, 1, 1},
                                   {128, 32, 1, 1},  {64, 192, 1, 1}, {64, 128, 1, 2},
                                   {128, 64, 2, 2},  {192, 96, 1, 1}, {256, 128, 1, 1}};
    static const int sizes[] = {1, 63, 64, 65, 127, 129, 256, 500, 1000, 1024, 2111};
    (void)state;
    for (size_t t = 0; t < sizeof tiles / sizeof *tiles; t++) {
        BM = tiles[t][0];
        BN = tiles[t][1];
        CLUSTER_M = tiles[t][2];
        CLUSTER_N = tiles[t][3];
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (int group = 1; group <= 16; group *= 2)
                every_tile_once(sizes[s], group);
    }
}

/* Where the root of a float is far from exact. */
static void of_many_tiles(void **state) {
    const int sizes[] = {64 * 30000, 64 * 46000 + 1};
    (void)state;
    BM = BN = 64;
    CLUSTER_M = CLUSTER_N = 1;
    for (int s = 0; s < 2; s++) {
        const int count = tile_count(sizes[s], sizes[s]);
        for (int i = 0; i < 1000; i++) {
            const int tile = i < 500 ? count - 1 - i : (int)((long long)count * i / 1000);
            int row, column;
            place_in_triangle(tile, sizes[s], 1, &row, &column);
            assert_int_equal((row / 64) * (row / 64 + 1LL) / 2 + column / 64, tile);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(of_all_shapes),
                                       cmocka_unit_test(of_many_tiles)};
    return cmocka_run_group_tests_name("wgmma places", tests, NULL, NULL);
}
