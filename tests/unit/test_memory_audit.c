/* Logs of shapes and what is expected of them, and models in exports: every allocation fails in
 * turn. */
#include "tests/support/support.h"
#include "tests/support/memory.h"
#include "tuner/audit/demand.h"
#include "tuner/exchange/import.h"

static struct known_kernels known;

/* ---- Logs ---- */

static const char log_text[] =
    "{\"tilewise_shapes\":1,\"kernel\":\"copy\",\"shape\":\"8x8\",\"attributes\":\"dtype=f64\","
    "\"device\":\"D\",\"fingerprint\":\"f\",\"cache\":\"cold\",\"rule\":\"default\",\"count\":3,"
    "\"at\":1}\n"
    "{\"tilewise_shapes\":1,\"kernel\":\"none_such\",\"shape\":\"8x8\",\"attributes\":\"\","
    "\"device\":\"D\",\"fingerprint\":\"f\",\"cache\":\"cold\",\"rule\":\"none\",\"count\":1,"
    "\"at\":1}\n";

static tw_status read_log(void *context, struct tw_text *seen, struct tw_error *error) {
    struct asked_log log;
    struct demand demand = {0};
    bool is_log;
    tw_status status = asked_is_log(context, &is_log, error);
    if (status != TW_OK)
        return status;
    status = asked_read(&log, context, "f", "cold", error);
    if (status == TW_OK)
        status = demand_add_log(&demand, &log, "app.log", NULL, &known, error);
    if (status == TW_OK)
        memory_see(seen, "%d asked for, %d wanted, %d unknown", log.count, demand.count,
                   demand.unknown);
    demand_free(&demand);
    asked_free(&log);
    return status;
}

static void logs(void **state) {
    char path[1024];
    scratch_write(*state, "app.log", log_text, path);
    memory_fails_everywhere(&(struct memory_scenario){"a log", read_log, NULL, path});
}

/* ---- Models in an export ---- */

static const char export_text[] =
    "{\"best\": [], \"devices\": [], \"format\": \"tilewise\", \"models\": [{\"fitted_at\": 5, "
    "\"model\": {\"format\": \"tilewise-model\", \"version\": 1, \"kernel\": \"copy\", \"cache\": "
    "\"cold\", \"device\": \"d\", \"device_name\": \"D\", \"backend\": \"cuda\", "
    "\"architecture\": \"sm_90\", \"units\": 132, \"attributes\": [\"\"], \"uncertainty\": 0.1, "
    "\"base\": 0.1, \"features\": [{\"name\": \"dimension.M\"}], \"trees\": "
    "[[[0,64,2],[-0.25],[0.1]]], \"configurations\": []}}], \"problems\": [], \"version\": 3}";

static bool see_model(void *context, const struct tw_db_model *row) {
    memory_see(context, "%s %s", row->kernel, row->text);
    return true;
}

static tw_status read_export(void *context, struct tw_text *seen, struct tw_error *error) {
    struct import *import;
    int others;
    tw_status status = import_read(&import, context, strlen(context), "e.json", &known, error);
    if (status == TW_OK)
        memory_see(seen, "%d models", import_models(import, &others));
    if (status == TW_OK)
        import_each_model(import, see_model, seen);
    import_close(import);
    return status;
}

static void models(void **state) {
    (void)state;
    memory_fails_everywhere(
        &(struct memory_scenario){"models", read_export, NULL, (void *)export_text});
}

static int start(void **state) {
    struct tw_error error;
    int watching = memory_start(state);
    return known_kernels_open(&known, NULL, 0, &error) == TW_OK ? watching : -1;
}

static int end(void **state) {
    (void)state;
    known_kernels_close(&known);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(logs),
        cmocka_unit_test(models),
    };
    return cmocka_run_group_tests(tests, start, end);
}
