/* Calls in graphs: that every buffer set has its turn, how far apart two uses of one are, and that
 * launches are queued one by one where the driver takes no graphs. The graphs are planted: lists of
 * launches, which OpenCL runs. */
#include "runtime/description/builtin.h"
#include "tests/support/device.h"
#include "tuner/measure/graphs.h"
#include "tuner/measure/timing.h"
#include "tuner/measure/workload_create.h"
#include "tuner/space/given.h"

/* ---- How calls are spread ---- */

static void each_set_is_in_one_graph(void **state) {
    (void)state;
    for (int calls = 1; calls <= 64; calls += 3) {
        for (int sets = 1; sets <= 1024; sets = sets * 3 / 2 + 1) {
            int count = graphs_count(calls, sets), next = 0;
            assert_true(count == 1 || count >= 3);
            for (int i = 0; i < count; i++) {
                int first, own;
                graphs_share(calls, sets, i, &first, &own);
                assert_int_equal(first, next);
                assert_true(own >= 1 && own <= 2 * calls);
                if (count == 1)
                    assert_int_equal(own % sets, 0);
                next += own;
            }
            assert_true(count == 1 ? next >= sets : next == sets);
        }
    }
}

/* ---- Planted graphs ---- */

enum { MOST_USES = 4096, FLUSH = -1 };

struct tw_graph {
    size_t count;
    struct tw_launch *launches;
    struct tw_value *values;
};

static struct {
    const struct tw_backend *real;
    const struct workload *workload;
    int refused;         /* creations from now on; counts down to the first that is refused */
    int made, destroyed; /* graphs */
    int count;
    int uses[MOST_USES];  /* sets, in the order that launches were queued, and fills */
    int timed[MOST_USES]; /* whether that launch was timed */
} plant;

/* What a call takes in turn, whatever is called, and how many calls are timed together. */
static struct {
    int next, count;
    double call_us[8];
    size_t batch;
} script;

static int set_of(const struct tw_launch *launch) {
    for (int s = 0; s < plant.workload->set_count; s++)
        if (launch->values[0].memory.address == plant.workload->sets[s].address)
            return s;
    fail_msg("a launch is on no buffer set");
    return -1;
}

static void note(int use, int timed) {
    assert_true(plant.count < MOST_USES);
    plant.uses[plant.count] = use;
    plant.timed[plant.count++] = timed;
}

static tw_status create(struct tw_device *device, const struct tw_launch *launches, size_t count,
                        struct tw_graph **out, struct tw_error *error) {
    (void)device;
    *out = NULL;
    if (plant.refused > 0 && --plant.refused == 0)
        return tw_fail(error, TW_UNAVAILABLE, "no graphs today");
    struct tw_graph *graph = calloc(1, sizeof *graph);
    graph->count = count;
    graph->launches = calloc(count, sizeof *graph->launches);
    graph->values = calloc(count * TW_MAX_PASSED, sizeof *graph->values);
    memcpy(graph->launches, launches, count * sizeof *launches);
    for (size_t i = 0; i < count; i++) {
        struct tw_value *values = graph->values + i * TW_MAX_PASSED;
        memcpy(values, launches[i].values, launches[i].value_count * sizeof *values);
        graph->launches[i].values = values;
    }
    plant.made++;
    *out = graph;
    return TW_OK;
}

static void destroy(struct tw_device *device, struct tw_graph *graph) {
    (void)device;
    if (graph == NULL)
        return;
    plant.destroyed++;
    free(graph->values);
    free(graph->launches);
    free(graph);
}

static tw_status queue(struct tw_device *device, const struct tw_graph *graph,
                       struct tw_error *error) {
    tw_status status = TW_OK;
    for (size_t i = 0; i < graph->count && status == TW_OK; i++) {
        note(set_of(&graph->launches[i]), 0);
        status = plant.real->launch(device, &graph->launches[i], error);
    }
    return status;
}

static tw_status time_it(struct tw_device *device, const struct tw_graph *graph, double *seconds,
                         struct tw_error *error) {
    for (size_t i = 0; i < graph->count; i++)
        note(set_of(&graph->launches[i]), 1);
    script.batch = graph->count;
    return plant.real->time(device, graph->launches, graph->count, seconds, error);
}

static tw_status fill(struct tw_device *device, const struct tw_memory *memory, unsigned char byte,
                      struct tw_error *error) {
    if (plant.workload != NULL && memory->address == plant.workload->flush.address)
        note(FLUSH, 0);
    return plant.real->fill(device, memory, byte, error);
}

struct bench {
    struct tw_backend backend;
    struct tw_description *description;
    struct testbed testbed;
    struct workload workload;
    struct tw_binaries binaries;
    struct tw_variant *variant;
};

/* A device whose cache has room for `cache_sets` buffer sets. */
static struct bench *open_bench(enum cache_policy policy, double cache_sets) {
    struct tw_device_info info;
    struct tw_configuration configuration;
    struct tw_problem problem;
    struct tw_error error;
    int64_t values[TW_MAX_SYMBOLS];
    if (!first_device("opencl", &info))
        return NULL;
    struct bench *bench = calloc(1, sizeof *bench);
    must(tw_description_builtin(&bench->description, "transpose", &error), error);
    must(tw_problem_parse(&problem, bench->description, "65x33", &error), error);
    must(testbed_open(&bench->testbed, &info, &problem, NULL, &error), error);
    /* Two buffers of 65 rows of 33 numbers, and three guards. */
    uint64_t set_bytes = 2 * (65 * 33 * 4 + 255) / 256 * 256 + 3 * 4096;
    bench->testbed.info.cache_bytes = (int64_t)(cache_sets * (double)set_bytes);
    bench->backend = *bench->testbed.backend;
    plant.real = bench->testbed.backend;
    plant.workload = NULL;
    bench->testbed.backend = &bench->backend;
    must(workload_create(&bench->workload, &bench->testbed, policy, 1, &error), error);
    must(given_preset(bench->description, "default", &configuration, &error), error);
    must(testbed_compile(&bench->testbed, &configuration, values, &bench->binaries, &error), error);
    must(testbed_load(&bench->testbed, &configuration, values, &bench->binaries, &bench->variant,
                      &error),
         error);
    bench->backend.graph_create = create;
    bench->backend.graph_destroy = destroy;
    bench->backend.graph_queue = queue;
    bench->backend.graph_time = time_it;
    bench->backend.fill = fill;
    plant.workload = &bench->workload;
    plant.refused = plant.made = plant.destroyed = plant.count = 0;
    return bench;
}

static void close_bench(struct bench *bench) {
    assert_int_equal(plant.made, plant.destroyed);
    tw_variant_free(bench->variant);
    tw_binaries_free(&bench->binaries);
    workload_free(&bench->workload);
    testbed_close(&bench->testbed);
    tw_description_free(bench->description);
    free(bench);
}

/* The least number of other sets that were used between a timed use of a set and the one before. */
static int least_distance(int sets) {
    int least = sets;
    for (int i = 0; i < plant.count; i++) {
        bool seen[1024] = {false};
        int others = 0, j = i - 1;
        if (!plant.timed[i])
            continue;
        for (; j >= 0 && plant.uses[j] != plant.uses[i]; j--) {
            if (plant.uses[j] == FLUSH)
                break;
            others += !seen[plant.uses[j]];
            seen[plant.uses[j]] = true;
        }
        if (j >= 0 && plant.uses[j] != FLUSH && others < least)
            least = others;
    }
    return least;
}

static void time_often(struct bench *bench, int calls, int times) {
    struct graphs *graphs;
    struct tw_error error;
    must(graphs_create(&graphs, &bench->workload, bench->variant, calls, &error), error);
    assert_non_null(graphs);
    for (int i = 0; i < times; i++) {
        double time_us = -1;
        must(graphs_time(graphs, &time_us, &error), error);
        assert_true(time_us > 0);
    }
    graphs_free(graphs);
}

/* Twice as much as the cache holds is in the sets; between two uses of one lies two thirds of that
 * at least, whether all are in one graph or in several. */
static void cold_sets_stay_cold(void **state) {
    (void)state;
    static const int calls[] = {2, 3, 5, 11, 20, 64};
    struct bench *bench = open_bench(CACHE_COLD, 10);
    if (bench == NULL)
        skip();
    int sets = bench->workload.set_count;
    assert_in_range(sets, 20, 30);
    assert_int_equal(bench->workload.flush.bytes, 0);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        int count = graphs_count(calls[i], sets);
        plant.count = 0;
        time_often(bench, calls[i], 2 * count + 1);
        assert_true(3 * least_distance(sets) >= 2 * sets - 3 * 2);
        bool used[1024] = {false};
        for (int u = 0; u < plant.count; u++)
            used[plant.uses[u]] |= plant.timed[u];
        for (int s = 0; s < sets; s++)
            assert_true(used[s]);
    }
    close_bench(bench);
}

/* Sets that all fit the cache: a fill before each graph that is timed, and no set twice in one. */
static void small_sets_are_flushed(void **state) {
    (void)state;
    struct bench *bench = open_bench(CACHE_COLD, 600);
    if (bench == NULL)
        skip();
    assert_true(bench->workload.flush.bytes > 0);
    assert_int_equal(bench->workload.set_count, 1024);
    time_often(bench, 40, 5);
    int timed = 0;
    for (int i = 0; i < plant.count; i++) {
        if (plant.timed[i] && !plant.timed[i - 1]) {
            assert_int_equal(plant.uses[i - 1], FLUSH);
            timed++;
        }
    }
    assert_int_equal(timed, 5);
    assert_int_equal(least_distance(1024), 1024); /* none was seen since the fill before it */
    close_bench(bench);
}

static void warm_is_one_set(void **state) {
    (void)state;
    struct bench *bench = open_bench(CACHE_WARM, 10);
    if (bench == NULL)
        skip();
    time_often(bench, 7, 3);
    assert_int_equal(plant.made, 1);
    assert_int_equal(plant.count, 3 * 2 * 7);
    for (int i = 0; i < plant.count; i++)
        assert_int_equal(plant.uses[i], 0);
    close_bench(bench);
}

/* The timer takes graphs where there are some, as the device is so fast that every call is short;
 * where the driver refuses, it goes on without, and where the backend has none, it asks for none.
 */
static tw_status fast(struct tw_device *device, const struct tw_launch *launches, size_t count,
                      double *seconds, struct tw_error *error) {
    tw_status status = plant.real->time(device, launches, count, seconds, error);
    *seconds = 3e-6 * (double)count;
    return status;
}

enum { GRAPH_CALLS = 40 }; /* as timing.c has it */

static void timers_do_without(void **state) {
    (void)state;
    struct bench *bench = open_bench(CACHE_COLD, 80);
    if (bench == NULL)
        skip();
    bench->backend.time = fast;
    for (int refused = 0; refused <= 2; refused++) {
        struct timer *timer;
        struct timing timing;
        struct tw_error error;
        plant.refused = refused;
        plant.count = plant.made = plant.destroyed = 0;
        must(timer_make(&timer, &bench->workload, bench->variant, &error), error);
        must(timer_measure(timer, 0, 0, &timing, &error), error);
        assert_true(timing.count >= 7);
        assert_int_equal(plant.made, refused > 0
                                         ? refused - 1
                                         : graphs_count(GRAPH_CALLS, bench->workload.set_count));
        assert_true((plant.count > 0) == (refused == 0));
        timer_free(timer);
        assert_int_equal(plant.made, plant.destroyed);
    }
    bench->backend.graph_create = NULL;
    plant.count = plant.made = 0;
    struct timer *timer;
    double time_us;
    struct tw_error error;
    must(timer_make(&timer, &bench->workload, bench->variant, &error), error);
    must(timer_repeat(timer, &time_us, &error), error);
    assert_true(time_us > 2.9 && time_us < 3.1);
    assert_int_equal(plant.made, 0);
    timer_free(timer);
    plant.made = plant.destroyed;
    close_bench(bench);
}

static tw_status scripted(struct tw_device *device, const struct tw_launch *launches, size_t count,
                          double *seconds, struct tw_error *error) {
    for (size_t i = 0; i < count; i++)
        note(set_of(&launches[i]), 1);
    script.batch = count;
    tw_status status = plant.real->time(device, launches, count, seconds, error);
    double call_us = script.call_us[script.next < script.count ? script.next++ : script.count - 1];
    *seconds = call_us * 1e-6 * (double)count;
    return status;
}

/* Two timers of one variant in turn, as in a playoff: neither finds in the cache what the other has
 * just read, and both have as many calls in a batch, though their warm-ups saw unlike times. */
static void check_in_turn(struct bench *bench, double one_us, double other_us, bool in_graphs) {
    enum { ROUNDS = 9 };
    struct timer *timers[2];
    struct tw_error error;
    double time_us;
    size_t calls = 0;
    bench->workload.rotation = (struct rotation){0};
    script.next = 0;
    script.count = 4;
    script.call_us[0] = script.call_us[1] = one_us;
    script.call_us[2] = script.call_us[3] = other_us;
    plant.made = plant.destroyed = 0;
    for (int i = 0; i < 2; i++)
        must(timer_make(&timers[i], &bench->workload, bench->variant, &error), error);
    plant.count = 0;
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < 2; i++) {
            must(timer_repeat(timers[(i + round) % 2], &time_us, &error), error);
            if (calls == 0)
                calls = script.batch;
            /* Graphs share all sets, so that some have one more. */
            assert_in_range(script.batch, calls - in_graphs, calls + in_graphs);
        }
    assert_true((plant.made > 0) == in_graphs);
    int sets = bench->workload.set_count;
    assert_true(3 * least_distance(sets) >= 2 * sets - 3 * 2);
    for (int i = 0; i < 2; i++)
        timer_free(timers[i]);
}

static void what_is_compared_shares_the_sets(void **state) {
    (void)state;
    struct bench *bench = open_bench(CACHE_COLD, 80);
    if (bench == NULL)
        skip();
    bench->backend.time = scripted;
    check_in_turn(bench, 20, 12, true);
    check_in_turn(bench, 34, 29, true); /* one of them is not short by itself */
    check_in_turn(bench, 90, 60, false);
    check_in_turn(bench, 210, 190, false);
    close_bench(bench);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_set_is_in_one_graph),
        cmocka_unit_test(cold_sets_stay_cold),
        cmocka_unit_test(small_sets_are_flushed),
        cmocka_unit_test(warm_is_one_set),
        cmocka_unit_test(timers_do_without),
        cmocka_unit_test(what_is_compared_shares_the_sets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
