/* Results that ship stay what they are when kernels grow, and only then: what the linker puts in
 * the place of tw_builtin_file tells of other descriptions, templates and preludes than there are.
 */
#include <cjson/cJSON.h>

#include "runtime/description/builtin.h"
#include "db/merge.h"
#include "runtime/select/select.h"
#include "tests/support/subjects.h"
#include "tuner/exchange/import.h"
#include "tuner/exchange/merge.h"

/* ---- Other files ---- */

/* What a file is changed to, NULL when it stays; the caller frees. */
typedef char *(*change)(const char *path, const char *text);

static change changed;
static char *texts[256]; /* changed ones, as long as descriptions may point into them */
static char *paths[256];
static int text_count;
static int templates_read;

const char *__real_tw_builtin_file(const char *path);
const char *__wrap_tw_builtin_file(const char *path);

const char *__wrap_tw_builtin_file(const char *path) {
    const char *text = __real_tw_builtin_file(path);
    templates_read += strncmp(path, "templates/", 10) == 0;
    if (text == NULL || changed == NULL)
        return text;
    for (int i = 0; i < text_count; i++)
        if (strcmp(paths[i], path) == 0)
            return texts[i];
    assert_true(text_count < 256);
    char *other = changed(path, text);
    paths[text_count] = strdup(path);
    texts[text_count] = other != NULL ? other : strdup(text);
    return texts[text_count++];
}

/* Descriptions are expanded from the files, changed or not. */
const char *__wrap_tw_builtin_flat(const char *kernel);

const char *__wrap_tw_builtin_flat(const char *kernel) {
    (void)kernel;
    return NULL;
}

static void change_files(change how) {
    while (text_count > 0) {
        free(paths[--text_count]);
        free(texts[text_count]);
    }
    changed = how;
}

static char *with(const char *before, const char *text, const char *behind) {
    size_t size = strlen(before) + strlen(text) + strlen(behind) + 1;
    char *all = malloc(size);
    snprintf(all, size, "%s%s%s", before, text, behind);
    return all;
}

static bool begins(const char *path, const char *start) {
    return strncmp(path, start, strlen(start)) == 0;
}

/* ---- What is exact ---- */

struct counts {
    int rows, exact;
    const char *kernel; /* NULL: any */
    const char *attributes;
    const char *refusal; /* what those that are not exact must say */
    const struct tw_catalogue *catalogue;
    const struct known_kernels *known;
};

static bool count_row(void *context, const struct tw_db_best_row *row) {
    struct counts *counts = context;
    const struct known_kernel *kernel = known_kernels_find(counts->known, row->problem.kernel);
    const struct tw_description *d = kernel->description;
    const char *code;
    struct tw_selection selection;
    struct tw_error error;
    const struct tw_device_info device = paper_h200();
    const struct tw_problem problem = problem_of_key(d, row->problem.key);
    const struct tw_query query = {.catalogue = counts->catalogue,
                                   .problem = &problem,
                                   .device = &device,
                                   .cache = row->best.cache_policy};
    must(tw_select(&query, &selection, &error), error);
    bool exact = selection.rule == TW_SELECTED_EXACT;
    bool asked =
        (counts->kernel == NULL || strcmp(counts->kernel, d->kernel) == 0) &&
        (counts->attributes == NULL || strstr(row->problem.text, counts->attributes) != NULL);
    counts->rows += asked;
    counts->exact += asked && exact;
    if (exact) {
        assert_string_equal(selection.row->configuration, row->best.configuration);
        assert_string_equal(d->implementations[selection.configuration.implementation].name,
                            row->implementation_name);
        /* Import has found that out, so that no application has to. */
        must(tw_today_code(kernel->today, selection.configuration.implementation, device.backend,
                           &code, &error),
             error);
        assert_string_equal(row->template_hash, code);
    } else if (asked && counts->refusal != NULL) {
        assert_non_null(selection.refused);
        assert_says(selection.refusal, counts->refusal);
    }
    return true;
}

/* What ships, imported with files changed so. */
struct house {
    char directory[32], path[64];
    struct known_kernels known;
    struct import *import;
    struct tw_catalogue *catalogue;
    tw_db *db;
};

static void move_in(struct house *house, change how) {
    struct tw_db_merged merged;
    struct tw_error error;
    char message[TW_DB_MESSAGE_SIZE];
    change_files(how);
    strcpy(house->directory, "/tmp/tw_shipped_XXXXXX");
    assert_non_null(mkdtemp(house->directory));
    snprintf(house->path, sizeof house->path, "%s/db", house->directory);
    assert_int_equal(tw_db_open(&house->db, house->path, TW_DB_WRITE, message, sizeof message),
                     TW_DB_OK);
    must(known_kernels_open(&house->known, NULL, 0, &error), error);
    must(import_open(&house->import, SHIPPED, &house->known, &error), error);
    must(merge_imports(house->db, &house->import, 1, &merged, &error), error);
    must(tw_catalogue_create(&house->catalogue, &error), error);
    must(tw_catalogue_add(house->catalogue, house->db, &error), error);
}

static void move_out(struct house *house) {
    tw_catalogue_free(house->catalogue);
    import_close(house->import);
    known_kernels_close(&house->known);
    tw_db_close(house->db);
    scratch_remove_entry(house->path, NULL, 0, NULL);
    rmdir(house->directory);
    change_files(NULL);
}

/* Asks for each problem of what ships, with files changed so. */
static struct counts count(change how, struct counts asked) {
    struct house house;
    move_in(&house, how);
    asked.catalogue = house.catalogue;
    asked.known = &house.known;
    assert_int_equal(tw_db_best_each(house.db, NULL, count_row, &asked), TW_DB_OK);
    if (asked.kernel == NULL && asked.attributes == NULL)
        assert_int_equal(import_count(house.import) - import_stale(house.import), asked.exact);
    move_out(&house);
    return asked;
}

static void assert_all(change how, struct counts asked) {
    const struct counts found = count(how, asked);
    assert_true(found.rows > 0);
    assert_int_equal(found.exact, found.rows);
}

static void assert_none(change how, struct counts asked) {
    const struct counts found = count(how, asked);
    assert_true(found.rows > 0);
    assert_int_equal(found.exact, 0);
}

static const struct counts every;

static void as_it_is(void **state) {
    (void)state;
    const struct counts found = count(NULL, every);
    assert_true(found.rows >= 88);
    assert_int_equal(found.exact, found.rows);
}

/* ---- What does not matter ---- */

/* A type that is in no list of the kernel's, in front, and an attribute. */
static char *grow_problem(const char *text) {
    static const char *const types[] = {"i32", "i64", "u64"};
    cJSON *json = cJSON_Parse(text);
    assert_non_null(json);
    cJSON *problem = cJSON_GetObjectItem(json, "problem");
    if (problem == NULL) { /* a file of parts */
        cJSON_Delete(json);
        return NULL;
    }
    cJSON *attributes = cJSON_GetObjectItem(problem, "attributes");
    cJSON *values = cJSON_GetObjectItem(cJSON_GetObjectItem(attributes, "dtype"), "values");
    for (size_t i = 0; values != NULL && i < sizeof types / sizeof *types; i++) {
        bool there = false;
        for (const cJSON *value = values->child; value != NULL; value = value->next)
            there = there || strcmp(value->valuestring, types[i]) == 0;
        if (!there)
            cJSON_InsertItemInArray(values, 0, cJSON_CreateString(types[i]));
    }
    if (attributes == NULL)
        attributes = cJSON_AddObjectToObject(problem, "attributes");
    cJSON_AddItemToObject(
        attributes, "season",
        cJSON_Parse("{ \"values\": [\"none\", \"wet\"], \"default\": \"none\" }"));
    char *all = cJSON_Print(json);
    cJSON_Delete(json);
    return all;
}

static char *grow(const char *path, const char *text) {
    if (begins(path, "configs/"))
        return grow_problem(text);
    if (begins(path, "templates/prelude/opencl"))
        return with("", text, "#define TW_NEW(x) x\ntypedef int tw_new;\n");
    if (strcmp(path, "templates/prelude/cuda.cuh") == 0)
        return with("/* more */\n", text, "#define TW_NEW(x) x\n");
    if (begins(path, "templates/prelude/"))
        return with("/* more */\n\n", text, "// and more\n");
    return with("/* what is new */\n\n", text,
                "\n// and more\n#if SEASON == SEASON_wet || DTYPE == DTYPE_i64\n"
                "TW_DEVICE int added(void) { return 1; }\n#endif\n");
}

static void a_kernel_that_grows(void **state) {
    (void)state;
    assert_all(grow, every);
}

/* Templates read for one selection, of a problem that has a row. */
static int read_for(const struct house *house, const struct tw_description *d,
                    struct tw_today *today) {
    struct tw_selection selection;
    struct tw_error error;
    struct tw_problem problem;
    const struct tw_device_info device = paper_h200();
    must(tw_problem_parse(&problem, d, "4096x4096", &error), error);
    const struct tw_query query = {.catalogue = house->catalogue,
                                   .problem = &problem,
                                   .device = &device,
                                   .cache = "cold",
                                   .today = today};
    templates_read = 0;
    must(tw_select(&query, &selection, &error), error);
    assert_int_equal(selection.rule, TW_SELECTED_EXACT);
    return templates_read;
}

/* Rows of a description that has another name by now: their sources are rendered, but once. */
static void what_is_found_out_is_remembered(void **state) {
    (void)state;
    struct house house;
    struct tw_description *d;
    struct tw_error error;
    move_in(&house, grow);
    change_files(NULL);
    must(tw_description_builtin(&d, "transpose", &error), error);
    struct tw_today *today = tw_today_create(d);
    assert_non_null(today);
    assert_true(read_for(&house, d, today) > 0);
    assert_int_equal(read_for(&house, d, today), 0);
    assert_true(read_for(&house, d, NULL) > 0);
    tw_today_free(today);
    tw_description_free(d);
    move_out(&house);
}

/* ---- What does ---- */

static char *change_mainloop(const char *path, const char *text) {
    return strcmp(path, "templates/gemm/product.cu") == 0
               ? with("", text, "\nstatic int changed;\n")
               : NULL;
}

static void a_line_of_a_template(void **state) {
    (void)state;
    const struct counts others = {.kernel = "transpose"};
    const struct counts found = count(
        change_mainloop, (struct counts){.kernel = "gemm", .refusal = "its template has changed"});
    assert_true(found.exact < found.rows); /* gemv has no such main loop */
    assert_all(change_mainloop, others);
}

static char *change_prelude(const char *path, const char *text) {
    return strcmp(path, "templates/prelude/cuda.cuh") == 0
               ? with("", text, "typedef int changed;\n")
               : NULL;
}

static void the_prelude(void **state) {
    (void)state;
    assert_none(change_prelude, every);
}

static char *change_tolerance(const char *path, const char *text) {
    if (strcmp(path, "configs/gemm.json") != 0)
        return NULL;
    cJSON *json = cJSON_Parse(text);
    cJSON_SetNumberValue(cJSON_GetObjectItem(cJSON_GetObjectItem(json, "tolerance"), "f32"), 1e-6);
    char *all = cJSON_Print(json);
    cJSON_Delete(json);
    return all;
}

static void the_tolerance(void **state) {
    (void)state;
    assert_none(change_tolerance, (struct counts){.kernel = "gemm",
                                                  .attributes = "dtype=f32",
                                                  .refusal = "its reference, toler"});
    assert_all(change_tolerance, (struct counts){.kernel = "gemm", .attributes = "dtype=f64"});
    assert_all(change_tolerance, (struct counts){.kernel = "aat"});
}

static char *change_reference(const char *path, const char *text) {
    return strcmp(path, "templates/gemm/reference.cu") == 0
               ? with("", text, "\nstatic int changed;\n")
               : NULL;
}

static void the_reference(void **state) {
    (void)state;
    assert_none(change_reference,
                (struct counts){.kernel = "gemm", .refusal = "its reference, tolerance"});
    assert_all(change_reference, (struct counts){.kernel = "transpose"});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_it_is),
        cmocka_unit_test(a_kernel_that_grows),
        cmocka_unit_test(the_tolerance),
        cmocka_unit_test(a_line_of_a_template),
        cmocka_unit_test(the_prelude),
        cmocka_unit_test(the_reference),
        cmocka_unit_test(what_is_found_out_is_remembered),
    };
    return cmocka_run_group_tests_name("shipped", tests, NULL, NULL);
}
