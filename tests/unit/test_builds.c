/* Builds: variants whose sources are the same share one. */
#include "tuner/session/builds.h"

#include "tests/support/scale.h"

enum { FEW = 256 }; /* that are kept here, where it is not said otherwise */

struct house {
    struct scratch scratch;
    struct tw_description *description;
    struct builds builds;
};

static int set_up(void **state) {
    struct house *house = calloc(1, sizeof *house);
    void *scratch;
    char path[1024];
    if (house == NULL || scratch_make(&scratch) != 0)
        return -1;
    house->scratch = *(struct scratch *)scratch;
    free(scratch);
    scratch_write(&house->scratch, "scale/direct.cu", "/* the template */", path);
    /* Two thousand values, so that there are more builds to make than are kept. */
    char values[700] = "\"BLOCK_X\": [32, 64, 128],";
    char *text = NULL;
    for (int i = 0; i < 60; i++)
        sprintf(values + strlen(values), "%s%d", i > 0 ? "," : " \"P\": [", i);
    strcat(values, "], \"Q\": [0,1,2,3,4,5,6,7,8,9],");
    text = replaced(scale_text, "\"BLOCK_X\": [32, 64, 128],", values);
    char *whole = replaced(text, "\"default\": {", "\"default\": { \"P\": 0, \"Q\": 0,");
    house->description = read_description(whole, house->scratch.path);
    house->builds.kept = FEW;
    free(whole);
    free(text);
    *state = house;
    return 0;
}

static int tear_down(void **state) {
    struct house *house = *state;
    builds_free(&house->builds);
    tw_description_free(house->description);
    void *scratch = malloc(sizeof house->scratch);
    memcpy(scratch, &house->scratch, sizeof house->scratch);
    free(house);
    return scratch_remove(&scratch);
}

static struct build *get(struct house *house, const char *shape, int block, const char *order,
                         int group, int p, int q) {
    char text[200];
    struct tw_configuration c;
    struct tw_error error;
    int64_t values[TW_MAX_SYMBOLS];
    struct tw_problem problem = parse_problem(house->description, shape);
    snprintf(text, sizeof text, "{\"BLOCK_X\":%d,\"ORDER\":\"%s\",\"GROUP\":%d,\"P\":%d,\"Q\":%d}",
             block, order, group, p, q);
    must(tw_configuration_parse(&c, house->description, 0, text, &error), error);
    bind_problem(&problem, &paper_gpu, values);
    struct build *build = builds_get(&house->builds, &paper_gpu, &problem, &c, values, &error);
    assert_non_null(build);
    return build;
}

static void same_source_same_build(void **state) {
    struct house *house = *state;
    struct build *first = get(house, "8x100", 64, "rows", 1, 0, 0);
    assert_int_equal(first->users, 1);
    assert_int_equal(first->state, BUILD_NEW);
    assert_ptr_equal(first, get(house, "8x100", 64, "rows", 1, 0, 0));
    assert_int_equal(first->users, 2);
    /* Only a launch parameter differs. */
    assert_ptr_equal(first, get(house, "8x100", 64, "rows", 4, 0, 0));
    assert_int_equal(first->users, 3);
    assert_int_equal(house->builds.count, 1);

    struct build *others[] = {get(house, "8x100", 32, "rows", 1, 0, 0),
                              get(house, "8x100", 64, "columns", 1, 0, 0),
                              get(house, "8x100", 64, "rows", 1, 1, 0),
                              get(house, "8x128", 64, "rows", 1, 0, 0)}; /* RAGGED is 0 */
    for (int i = 0; i < 4; i++) {
        assert_ptr_not_equal(first, others[i]);
        assert_true(first->id != others[i]->id);
        for (int j = 0; j < i; j++)
            assert_ptr_not_equal(others[i], others[j]);
    }
    assert_int_equal(house->builds.count, 5);
    builds_retain(first);
    assert_int_equal(first->users, 4);
}

static void found_by_id(void **state) {
    struct house *house = *state;
    struct build *a = get(house, "8x100", 32, "rows", 1, 0, 0);
    struct build *b = get(house, "8x100", 64, "rows", 1, 0, 0);
    assert_ptr_equal(builds_by_id(&house->builds, a->id), a);
    assert_ptr_equal(builds_by_id(&house->builds, b->id), b);
    assert_null(builds_by_id(&house->builds, a->id + b->id + 1));
    assert_null(builds_by_id(&house->builds, 0));
    builds_release(&house->builds, NULL);
}

/* One that nobody uses is there for a sibling that comes soon. */
static void kept_for_a_while(void **state) {
    struct house *house = *state;
    struct build *first = get(house, "8x100", 64, "rows", 1, 0, 0);
    uint64_t id = first->id;
    first->state = BUILD_DONE;
    builds_release(&house->builds, first);
    struct build *again = get(house, "8x100", 64, "rows", 4, 0, 0);
    assert_int_equal(again->id, id);
    assert_int_equal(again->state, BUILD_DONE);
    assert_int_equal(again->users, 1);
}

/* A search of a thousand variants compiles none of them twice. */
static void a_thousand_are_kept(void **state) {
    struct house *house = *state;
    house->builds.kept = 0;
    for (int i = 0; i < 1200; i++) {
        struct build *build =
            get(house, "8x100", i < 600 ? 32 : 64, "rows", 1, i % 60, i / 60 % 10);
        build->state = BUILD_DONE;
        builds_release(&house->builds, build);
    }
    struct build *first = get(house, "8x100", 32, "rows", 4, 0, 0);
    assert_int_equal(first->id, 1);
    assert_int_equal(first->state, BUILD_DONE);
    assert_int_equal(house->builds.count, 1200);
}

static void the_oldest_unused_go(void **state) {
    struct house *house = *state;
    for (int i = 0; i < 600; i++) {
        struct build *build = get(house, "8x100", 64, "rows", 1, i % 60, i / 60);
        build->state = BUILD_DONE;
        build->compiled.answer = message_new("compiled"); /* is freed with it */
        builds_release(&house->builds, build);
        assert_true(house->builds.count <= FEW);
    }
    assert_int_equal(house->builds.count, FEW);
    assert_int_equal(house->builds.all[0]->id, 600 - FEW + 1);
    assert_int_equal(house->builds.all[FEW - 1]->id, 600);
    assert_null(builds_by_id(&house->builds, 1));
}

/* Whatever the number, one in use or on its way stays, and stays where it is. */
static void used_builds_stay(void **state) {
    struct house *house = *state;
    struct build *used[400];
    for (int i = 0; i < 400; i++)
        used[i] = get(house, "8x100", 64, "rows", 1, i % 60, i / 60);
    assert_int_equal(house->builds.count, 400);
    used[7]->state = BUILD_COMPILING;
    for (int i = 0; i < 400; i++) {
        assert_ptr_equal(builds_by_id(&house->builds, (uint64_t)i + 1), used[i]);
        assert_int_equal(used[i]->users, 1);
    }
    for (int i = 0; i < 400; i++) {
        if (i != 13)
            builds_release(&house->builds, used[i]);
    }
    assert_int_equal(house->builds.count, FEW);
    assert_ptr_equal(builds_by_id(&house->builds, 8), used[7]); /* compiling: an answer will come */
    assert_ptr_equal(builds_by_id(&house->builds, 14), used[13]);
    assert_null(builds_by_id(&house->builds, 1));
    for (int i = 0; i < 400; i++) {
        struct build *build = get(house, "8x100", 32, "rows", 1, i % 60, i / 60);
        builds_release(&house->builds, build);
    }
    assert_ptr_equal(builds_by_id(&house->builds, 14), used[13]);
    assert_ptr_equal(builds_by_id(&house->builds, 8), used[7]);
    assert_true(house->builds.count <= FEW);
}

/* Those that could not go while they were compiled go together, once they are done. */
static void many_go_at_once(void **state) {
    struct house *house = *state;
    struct build *builds[400];
    for (int i = 0; i < 400; i++) {
        builds[i] = get(house, "8x100", 64, "rows", 1, i % 60, i / 60);
        builds[i]->state = BUILD_COMPILING;
    }
    for (int i = 0; i < 400; i++)
        builds_release(&house->builds, builds[i]);
    assert_int_equal(house->builds.count, 400);
    for (int i = 0; i < 400; i++)
        builds[i]->state = BUILD_DONE;
    builds_release(&house->builds, get(house, "8x100", 32, "rows", 1, 0, 0));
    assert_int_equal(house->builds.count, FEW);
    for (uint64_t id = 1; id <= 401; id++) /* 401 is the one just released */
        assert_int_equal(builds_by_id(&house->builds, id) == NULL, id <= 401 - FEW);
}

/* A source that cannot be had, and one that is known once it has been rendered. */
static void what_is_rendered(void **state) {
    struct house *house = *state;
    char path[1024], key[TW_HASH_SIZE];
    struct tw_error error = {0};
    struct tw_configuration c = {.implementation = 0};
    struct tw_executable *executable;
    struct tw_text texts[TW_MAX_LAUNCHES];
    struct sources sources = {0};
    int64_t values[TW_MAX_SYMBOLS];
    struct tw_problem problem = parse_problem(house->description, "8x100");
    memcpy(c.values, house->description->implementations[0].presets[0].values, sizeof c.values);
    bind_problem(&problem, &paper_gpu, values);
    must(tw_made_of(&paper_gpu, &problem, &c, values, key, &error), error);
    assert_null(sources_find(&sources, key));
    must(tw_configuration_bind(house->description, &c, values, &error), error);
    must(tw_executable_create(&executable, &problem, &c, values, &paper_gpu, &error), error);
    must(sources_render(&sources, key, executable, "cuda", texts, &error), error);
    assert_says(texts[0].data, "#define BLOCK_X 64");
    tw_text_free(&texts[0]);
    assert_int_equal(sources.rendered, 1);
    assert_int_equal(strlen(sources_find(&sources, key)->hashes[0]), 32);
    sources_free(&sources);
    snprintf(path, sizeof path, "%s/scale/direct.cu", house->scratch.path);
    assert_int_equal(remove(path), 0);
    assert_refuses(sources_render(&sources, key, executable, "cuda", texts, &error), TW_NOT_FOUND,
                   error, "scale/direct.cu");
    assert_null(sources_find(&sources, key));
    tw_text_free(&texts[0]);
    tw_executable_free(executable);
    sources_free(&sources);
}

/* Equal keys, equal sources, and the other way round: over all of a small space and two shapes. */
static void keys_are_of_sources(void **state) {
    struct house *house = *state;
    enum { MOST = 64 };
    static char keys[MOST][TW_HASH_SIZE], hashes[MOST][TW_HASH_SIZE];
    const char *const shapes[] = {"8x100", "8x128"};
    struct sources sources = {0};
    int count = 0;
    for (int i = 0; i < 48; i++) {
        char text[200];
        struct tw_configuration c;
        struct tw_error error;
        struct tw_executable *executable;
        struct tw_text texts[TW_MAX_LAUNCHES];
        int64_t values[TW_MAX_SYMBOLS];
        struct tw_problem problem = parse_problem(house->description, shapes[i & 1]);
        must(tw_problem_set(&problem, "dtype", i & 2 ? "f32" : "f64", &error), error);
        snprintf(text, sizeof text,
                 "{\"BLOCK_X\":%d,\"ORDER\":\"%s\",\"GROUP\":%d,\"P\":0,\"Q\":0}", 32 << i / 16,
                 i & 4 ? "rows" : "columns", i & 8 ? 1 : 4);
        must(tw_configuration_parse(&c, house->description, 0, text, &error), error);
        bind_problem(&problem, &paper_gpu, values);
        must(tw_made_of(&paper_gpu, &problem, &c, values, keys[count], &error), error);
        must(tw_configuration_bind(house->description, &c, values, &error), error);
        must(tw_executable_create(&executable, &problem, &c, values, &paper_gpu, &error), error);
        must(sources_render(&sources, keys[count], executable, "cuda", texts, &error), error);
        struct tw_hash *hash = tw_hash_begin();
        tw_hash_add_text(hash, texts[0].data);
        tw_hash_finish(hash, hashes[count++]);
        tw_text_free(&texts[0]);
        tw_executable_free(executable);
    }
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++)
            assert_int_equal(strcmp(keys[i], keys[j]) == 0, strcmp(hashes[i], hashes[j]) == 0);
    assert_int_equal(sources.rendered, 48);
    assert_int_equal(sources.count, 24); /* GROUP is of the launch */
    sources_free(&sources);
}

#define HOUSE_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        HOUSE_TEST(same_source_same_build), HOUSE_TEST(found_by_id),
        HOUSE_TEST(kept_for_a_while),       HOUSE_TEST(a_thousand_are_kept),
        HOUSE_TEST(the_oldest_unused_go),   HOUSE_TEST(used_builds_stay),
        HOUSE_TEST(many_go_at_once),        HOUSE_TEST(what_is_rendered),
        HOUSE_TEST(keys_are_of_sources),
    };
    return cmocka_run_group_tests_name("builds", tests, NULL, NULL);
}
