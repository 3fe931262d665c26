/* How blocks that sum up parts of a tile find out that all have come
 * (templates/gemm/tile_state.cu): whoever is late, every slice is added once, after the last part
 * came, and the next launch finds zero as this one did. */
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>

#include "tests/support/support.h"

#define TW_DEVICE static
#define TW_GLOBAL
#define BN 128
typedef uint32_t tw_u32;
static tw_u32 atomicAdd(tw_u32 *at, tw_u32 more) {
    return __atomic_fetch_add(at, more, __ATOMIC_ACQ_REL);
}
static tw_u32 atomicExch(tw_u32 *at, tw_u32 value) {
    return __atomic_exchange_n(at, value, __ATOMIC_ACQ_REL);
}
#include "templates/gemm/tile_state.cu"

enum { MOST_PARTS = 64 };

static tw_u32 state;
static int parts, come, added[SLICES], added_early;

static void *block(void *late) {
    for (int i = 0; late != NULL && i < 50; i++)
        sched_yield();
    __atomic_fetch_add(&come, 1, __ATOMIC_ACQ_REL);
    if (!all_have_come(&state, parts))
        return NULL;
    if (__atomic_load_n(&come, __ATOMIC_ACQUIRE) != parts)
        __atomic_fetch_add(&added_early, 1, __ATOMIC_ACQ_REL);
    for (int slice = take_slice(&state, parts); slice >= 0; slice = take_slice(&state, parts))
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
    assert_int_equal(state, 0);
}

static void every_slice_is_added_once(void **unused) {
    (void)unused;
    static const int counts[] = {2, 3, 8, MOST_PARTS};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (int again = 0; again < 16; again++) {
            parts = counts[c];
            launch(); /* with what the launch before has left */
        }
}

/* Who runs out of patience leaves; the last one has everything. */
static void nobody_waits_for_the_last(void **unused) {
    (void)unused;
    assert_false(all_have_come(&state, 3));
    assert_false(all_have_come(&state, 3));
    assert_true(all_have_come(&state, 3));
    for (int s = 0; s < SLICES; s++)
        assert_int_equal(take_slice(&state, 3), s);
    assert_int_not_equal(state, 0);
    assert_int_equal(take_slice(&state, 3), -1);
    assert_int_equal(state, 0);
}

/* It has looked for the last time before the last part came, and says so after all is done. */
static void who_leaves_last_makes_it_zero(void **unused) {
    (void)unused;
    state = 2 * COME;
    assert_true(all_have_come(&state, 3));
    while (take_slice(&state, 3) >= 0)
        ;
    be_done(&state, atomicAdd(&state, LEFT) + LEFT, 3);
    assert_int_not_equal(state, 0);
    be_done(&state, atomicAdd(&state, LEFT) + LEFT, 3);
    assert_int_equal(state, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_slice_is_added_once),
        cmocka_unit_test(nobody_waits_for_the_last),
        cmocka_unit_test(who_leaves_last_makes_it_zero),
    };
    return cmocka_run_group_tests_name("the state of a tile", tests, NULL, NULL);
}
