/* The order of gemm's tiles (templates/gemm/tiles.cu): whatever the group, every tile is met once,
 * and what is asked behind the last is outside of C, on a CPU too. */
#include <string.h>

#include "tests/support/support.h"

#define TW_DEVICE static
#define TW_CUDA 0
#define GROUPED 0
#define BM 8
#define BN 4
#include "templates/gemm/tiles.cu"

enum { MOST = 9 };

static void every_tile_once(int M, int N, int group) {
    bool met[MOST][MOST] = {0};
    const int count = TILES_M(M) * TILES_N(N);
    for (int tile = 0; tile < count; tile++) {
        const int m = tile_m(tile, M, N, group), n = tile_n(tile, M, N, group);
        assert_true(m >= 0 && m < M && m % BM == 0 && n >= 0 && n < N && n % BN == 0);
        assert_false(met[m / BM][n / BN]);
        met[m / BM][n / BN] = true;
    }
    for (int tile = count; tile < count + 2 * MOST; tile++)
        assert_true(tile_m(tile, M, N, group) >= M || tile_n(tile, M, N, group) >= N);
}

static void orders(void **state) {
    (void)state;
    for (int M = 1; M <= MOST * BM; M += 7)
        for (int N = 1; N <= MOST * BN; N += 3)
            for (int group = 1; group <= 16; group *= 2)
                every_tile_once(M, N, group);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(orders)};
    return cmocka_run_group_tests_name("tiles", tests, NULL, NULL);
}
