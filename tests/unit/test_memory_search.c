/* tuner/space, search, statistics; runtime/select: every allocation fails in turn. */
#include "tests/support/memory.h"
#include "tests/support/stored.h"
#include "tuner/search/strategy.h"
#include "tuner/space/census.h"
#include "tuner/space/given.h"
#include "tuner/space/pins.h"
#include "tuner/space/space.h"
#include "tuner/statistics/playoff.h"

static tw_status no_memory(bool failed, struct tw_error *error) {
    return failed ? tw_fail(error, TW_NO_MEMORY, "out of memory") : TW_OK;
}

/* ---- Spaces ---- */

static tw_status make_space(void *context, struct tw_text *seen, struct tw_error *error) {
    const struct house *house = context;
    const char *const words[] = {"ORDER=rows"};
    struct space *space = NULL;
    struct pins pins;
    tw_status status = pins_read(&pins, words, 1, house->description, error);
    if (status == TW_OK)
        status = space_create(&space, &house->problem, &paper_gpu, &pins, error);
    if (status == TW_OK)
        memory_see(seen, "%zu", space_size(space));
    else
        assert_null(space);
    space_free(space);
    return status;
}

static tw_status explain_space(void *context, struct tw_text *seen, struct tw_error *error) {
    const struct house *house = context;
    struct tw_text text = {0};
    tw_status status = space_explain(&house->problem, &paper_gpu, NULL, &text, error);
    if (status == TW_OK)
        status = no_memory(text.failed, error);
    if (status == TW_OK)
        memory_see(seen, "%s", text.data);
    tw_text_free(&text);
    return status;
}

static tw_status read_given(void *context, struct tw_text *seen, struct tw_error *error) {
    const struct house *house = context;
    struct tw_configuration c;
    tw_status status = given_configuration(
        house->description, NULL, "{\"BLOCK_X\":64,\"ORDER\":\"rows\",\"GROUP\":4}", &c, error);
    if (status == TW_OK)
        memory_see(seen, "%d", c.implementation);
    return status;
}

static tw_status misname_preset(void *context, struct tw_text *seen, struct tw_error *error) {
    const struct house *house = context;
    struct tw_configuration c;
    tw_status status = given_preset(house->description, "fastest", &c, error);
    if (status != TW_INVALID)
        return status;
    memory_see(seen, "%.12s", error->message); /* it may list "..." */
    return TW_OK;
}

static void spaces(void **state) {
    const struct memory_scenario scenarios[] = {
        {"space", make_space, NULL, *state},
        {"space explained", explain_space, NULL, *state},
        {"configuration given", read_given, NULL, *state},
        {"preset misnamed", misname_preset, NULL, *state},
    };
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++)
        memory_fails_everywhere(&scenarios[i]);
}

/* ---- Strategies ---- */

struct search {
    const struct strategy_kind *kind;
    const struct space *space;
};

/* Asks for all points and tells of each. */
static tw_status run_out(void *context, struct tw_text *seen, struct tw_error *error) {
    const struct search *search = context;
    struct strategy *strategy = NULL;
    const struct strategy_choice choice = strategy_usual(search->kind);
    tw_status status = strategy_create(&strategy, &choice, search->space, NULL, 1, error);
    if (status != TW_OK) {
        assert_null(strategy);
        return status;
    }
    size_t point = 0, count = 0;
    while (strategy_ask(strategy, &point) == STRATEGY_POINT) {
        const struct strategy_outcome outcome = {
            .ok = point % 5 != 4, .seconds = 1e-3 * (double)(1 + point * 7919 % 101)};
        strategy_tell(strategy, point, &outcome);
        count++;
    }
    memory_see(seen, "%zu", count); /* a model that lacks memory for what it knows still searches */
    strategy_free(strategy);
    return TW_OK;
}

static void strategies(void **state) {
    const struct house *house = *state;
    struct space *space;
    struct tw_error error;
    must(space_create(&space, &house->problem, &paper_gpu, NULL, &error), error);
    for (size_t i = 0; strategy_kinds()[i] != NULL; i++) {
        struct search search = {strategy_kinds()[i], space};
        memory_fails_everywhere(
            &(struct memory_scenario){search.kind->name, run_out, NULL, &search});
    }
    space_free(space);
}

/* ---- The playoff ---- */

static tw_status play(void *context, struct tw_text *seen, struct tw_error *error) {
    const struct playoff_options options = {.rounds = 6};
    struct playoff *playoff = NULL;
    (void)context;
    tw_status status = playoff_create(&playoff, 3, &options, error);
    for (int i = 0; status == TW_OK && i < 6; i++)
        playoff_add(playoff, (const double[]){1 + 0.001 * i, 2, 3});
    if (status == TW_OK)
        memory_see(seen, "%d %d", playoff_live(playoff, 0), playoff_live(playoff, 2));
    playoff_free(playoff);
    return status;
}

static void a_playoff(void **state) {
    (void)state;
    memory_fails_everywhere(&(struct memory_scenario){"playoff", play, NULL, NULL});
}

/* ---- Selecting ---- */

static tw_status select_row(void *context, struct tw_text *seen, struct tw_error *error) {
    const struct house *house = context;
    struct tw_catalogue *catalogue = NULL;
    struct tw_selection selection;
    tw_status status = tw_catalogue_create(&catalogue, error);
    if (status == TW_OK)
        status = tw_catalogue_add(catalogue, house->db, error);
    const struct tw_query query = {
        .catalogue = catalogue, .problem = &house->problem, .device = &paper_gpu, .cache = "cold"};
    if (status == TW_OK)
        status = tw_select(&query, &selection, error);
    if (status == TW_OK)
        memory_see(seen, "%s %g %s", tw_selection_word(selection.rule), selection.distance,
                   selection.refusal);
    tw_catalogue_free(catalogue);
    return status;
}

/* More rows than a catalogue has room for at first, of two databases' worth of problems. */
static void store_many(struct house *house) {
    struct row row = usual_row(house);
    char key[64];
    must_db(tw_db_begin(house->db), house->db);
    for (int i = 1; i <= 300; i++) {
        snprintf(key, sizeof key, "M=%d,N=%d", i, 7);
        row.key = key;
        row.m = i;
        row.n = 7;
        store(house, &row);
    }
    must_db(tw_db_commit(house->db), house->db);
}

static void selecting(void **state) {
    struct house *house = *state;
    struct row row = usual_row(house);
    store(house, &row);
    memory_fails_everywhere(&(struct memory_scenario){"an exact row", select_row, NULL, house});
    row.hash = "another"; /* so that its source is rendered and compared */
    store(house, &row);
    memory_fails_everywhere(&(struct memory_scenario){"a changed row", select_row, NULL, house});
}

static void selecting_of_many(void **state) {
    struct house *house = *state;
    store_many(house);
    memory_fails_everywhere(&(struct memory_scenario){"a near row", select_row, NULL, house});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        HOUSE_TEST(spaces),    HOUSE_TEST(strategies),        cmocka_unit_test(a_playoff),
        HOUSE_TEST(selecting), HOUSE_TEST(selecting_of_many),
    };
    return cmocka_run_group_tests(tests, memory_start, NULL);
}
