/* How blocks that sum up parts of a tile find out that all have come
 * (templates/gemm/tile_state.cu): whatever lay there before and whoever is late, every slice is
 * added once, after the last part came, and nothing is left that the next launch would take for its
 * own. */
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>

#include "tests/support/support.h"

#define TW_DEVICE static
#define TW_GLOBAL
#define BN 128
typedef uint64_t tw_u64;
static tw_u64 atomicAdd(tw_u64 *at, tw_u64 more) {
    return __atomic_fetch_add(at, more, __ATOMIC_ACQ_REL);
}
static tw_u64 atomicExch(tw_u64 *at, tw_u64 value) {
    return __atomic_exchange_n(at, value, __ATOMIC_ACQ_REL);
}
static tw_u64 atomicCAS(tw_u64 *at, tw_u64 expected, tw_u64 value) {
    __atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    return expected;
}
#include "templates/gemm/tile_state.cu"

enum { MOST_PARTS = 64 };

static tw_u64 state;
static int parts, come, added[SLICES], added_early;

static void *block(void *late) {
    if (late != NULL)
        sched_yield();
    begin_counting(&state);
    for (int i = 0; late != NULL && i < 50; i++)
        sched_yield();
    __atomic_fetch_add(&come, 1, __ATOMIC_ACQ_REL);
    if (!all_have_come(&state, parts))
        return NULL;
    if (__atomic_load_n(&come, __ATOMIC_ACQUIRE) != parts)
        __atomic_fetch_add(&added_early, 1, __ATOMIC_ACQ_REL);
    for (int slice = take_slice(&state); slice >= 0; slice = take_slice(&state))
        __atomic_fetch_add(&added[slice], 1, __ATOMIC_ACQ_REL);
    return NULL;
}

static void launch(void) {
    pthread_t blocks[MOST_PARTS];
    come = 0;
    for (int s = 0; s < SLICES; s++)
        added[s] = 0;
    for (int p = 0; p < parts; p++)
        assert_int_equal(pthread_create(&blocks[p], NULL, block, p == parts / 2 ? &state : NULL),
                         0);
    for (int p = 0; p < parts; p++)
        pthread_join(blocks[p], NULL);
    assert_int_equal(added_early, 0);
    for (int s = 0; s < SLICES; s++)
        assert_int_equal(added[s], 1);
    assert_false(IS_COUNTED(state));
}

static void every_slice_is_added_once(void **unused) {
    (void)unused;
    static const tw_u64 before[] = {0, UINT64_MAX, 0x7FF8000000000000, 0x3F8000003F800000,
                                    COUNTED + ((tw_u64)1 << 24)};
    static const int counts[] = {2, 3, 8, MOST_PARTS};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (size_t b = 0; b < sizeof before / sizeof *before; b++) {
            parts = counts[c];
            state = before[b];
            for (int again = 0; again < 4; again++)
                launch(); /* with what the launch before has left */
        }
}

/* Who runs out of patience leaves; the last one has everything. */
static void nobody_waits_for_the_last(void **unused) {
    (void)unused;
    state = 0;
    begin_counting(&state);
    assert_false(all_have_come(&state, 3));
    begin_counting(&state);
    assert_false(all_have_come(&state, 3));
    begin_counting(&state);
    assert_true(all_have_come(&state, 3));
    for (int s = 0; s < SLICES; s++)
        assert_int_equal(take_slice(&state), s);
    assert_int_equal(take_slice(&state), -1);
    assert_false(IS_COUNTED(state));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_slice_is_added_once),
        cmocka_unit_test(nobody_waits_for_the_last),
    };
    return cmocka_run_group_tests_name("the state of a tile", tests, NULL, NULL);
}
