/* Descriptions composed of parts and files: what they expand to, and where mistakes are said to be.
 */
#include "runtime/base/text.h"
#include "runtime/description/builtin.h"
#include "tests/support/compose.h"

/* The parts of the example that composing changes. */
#define LIST_OF "\"implementations\": ["
#define RULES                                                                                      \
    "\"constraints\": [\"BLOCK_X <= MAX_THREADS\"], "                                              \
    "\"redundant\": [\"M == 1 && ORDER == 'columns'\"], "                                          \
    "\"defines\": { \"RAGGED\": \"N % BLOCK_X != 0\" },"

/* ---- Lets ---- */

static void lets_in_every_expression(void **state) {
    (void)state;
    char *text = replaced(scale_text, RULES,
                          "\"let\": { \"ODD(X)\": \"X % 2 != 0\", \"HALF\": "
                          "\"BLOCK_X/2\" },"
                          "\"constraints\": [\"HALF*2 == BLOCK_X\"],"
                          "\"redundant\": [\"ODD(HALF) && M == 1\"],"
                          "\"defines\": { \"RAGGED\": \"ODD(N)\" },");
    char *more =
        replaced(text, "\"workspace\": \"0\"", "\"workspace\": \"8*HALF\", \"counters\": \"HALF\"");
    char *most =
        replaced(more, "\"block\": [\"BLOCK_X\"]",
                 "\"block\": [\"2*HALF\"], \"cluster\": [\"HALF/16\"], \"tensor_maps\": { \"MAP\": "
                 "{ \"buffer\": \"A\", \"dims\": [\"N\", \"M\"], \"strides\": [\"lda\"], "
                 "\"box\": [\"HALF\", \"HALF/2\"], \"swizzle\": \"HALF*4\" } }");
    char *all =
        replaced(most, "\"launch\": true", "\"launch\": true, \"untuned\": \"ODD(N) ? 1 : GROUP\"");
    struct tw_description *d = read_description(all, NULL);
    cJSON *json = cJSON_Parse(d->text);
    const cJSON *in = implementation_of(json, 0);
    const cJSON *parameters = cJSON_GetObjectItemCaseSensitive(in, "parameters");
    assert_section(cJSON_GetObjectItemCaseSensitive(parameters, "GROUP"), "untuned",
                   "\"N % 2 != 0 ? 1 : GROUP\"");
    assert_section(in, "constraints", "[\"BLOCK_X/2*2 == BLOCK_X\"]");
    assert_section(in, "redundant", "[\"BLOCK_X/2 % 2 != 0 && M == 1\"]");
    assert_section(in, "defines", "{\"RAGGED\":\"N % 2 != 0\"}");
    assert_section(in, "workspace", "\"8*(BLOCK_X/2)\"");
    assert_section(in, "counters", "\"BLOCK_X/2\"");
    const cJSON *launch = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(in, "launches"), 0);
    assert_section(launch, "block", "[\"2*(BLOCK_X/2)\"]");
    assert_section(launch, "cluster", "[\"BLOCK_X/2/16\"]");
    assert_section(launch, "tensor_maps",
                   "{\"MAP\":{\"buffer\":\"A\",\"dims\":[\"N\",\"M\"],\"strides\":[\"lda\"],"
                   "\"box\":[\"BLOCK_X/2\",\"BLOCK_X/2/2\"],\"swizzle\":\"BLOCK_X/2*4\"}}");
    assert_false(cJSON_HasObjectItem(in, "let"));
    /* What is stored of it reads as the same again, without any file. */
    struct tw_description *again = read_description(d->text, NULL);
    assert_string_equal(again->text, d->text);
    tw_description_free(again);
    tw_description_free(d);
    cJSON_Delete(json);
    free(all);
    free(most);
    free(more);
    free(text);
}

static void mistakes_in_lets(void **state) {
    (void)state;
#define WITH_LET(lets, rule) "\"let\": { " lets " }, \"constraints\": [\"" rule "\"],"
    static const char rule[] = "\"constraints\": [\"BLOCK_X <= MAX_THREADS\"],";
    static const struct {
        const char *to, *where, *what;
    } cases[] = {
        /* Whose mistake it is: the let's, however deep, or the rule's. */
        {WITH_LET("\"T\": \"2*BLOKC_X\"", "T <= 64"),
         "scale.json: key implementations[0].let.T: column 3 of \"2*BLOKC_X\"",
         "did you mean 'BLOCK_X'?"},
        {WITH_LET("\"T\": \"2*U\", \"U\": \"BLOCK_X +\"", "T <= 64 && T > 2"),
         "scale.json: key implementations[0].let.U: ", "ends too early"},
        {WITH_LET("\"T(X)\": \"X*BLOKC_X\"", "T(2) <= 64"),
         "scale.json: key implementations[0].let.T(X): ", "BLOKC_X"},
        {WITH_LET("\"T(X)\": \"X*BLOCK_X\"", "T(BLOKC_X) <= 64"),
         "scale.json: key implementations[0].constraints[0]: ", "BLOKC_X"},
        {WITH_LET("\"T\": \"2*BLOCK_X\"", "T <= 64 &&"),
         "scale.json: key implementations[0].constraints[0]: ", "ends too early"},
        {WITH_LET("\"T\": \"2*T\"", "T <= 64"), "key implementations[0].let.T: ", "uses itself"},
        /* Names that mean something else already. */
        {WITH_LET("\"BLOCK_X\": \"2\"", "1"), "let.BLOCK_X: ", "is taken"},
        {WITH_LET("\"RAGGED\": \"2\"", "1"), "let.RAGGED: ", "is taken"},
        {WITH_LET("\"M\": \"2\"", "1"), "let.M: ", "is taken"},
        {WITH_LET("\"dtype\": \"2\"", "1"), "let.dtype: ", "is taken"},
        {WITH_LET("\"ESIZE\": \"2\"", "1"), "let.ESIZE: ", "is taken"},
        {WITH_LET("\"lda\": \"2\"", "1"), "let.lda: ", "is taken"},
        {WITH_LET("\"WARP\": \"2\"", "1"), "let.WARP: ", "is taken"},
        {WITH_LET("\"min(X)\": \"X\"", "1"), "let.min(X): ", "is taken"},
        {"\"let\": 3,", "key implementations[0].let: ", "expected an object"},
        {"\"lte\": {}, \"let\": {},", "key implementations[0]: ", "did you mean \"let\"?"},
    };
#undef WITH_LET
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_mistake(rule, cases[i].to, NULL, cases[i].where, cases[i].what);
}

/* ---- Parts ---- */

#define PARTS(parts, list) "\"parts\": { " parts " }, " LIST_OF "{ \"parts\": [" list "], "
static const char first[] = LIST_OF " {";

static void parts_in_order(void **state) {
    (void)state;
    cJSON *json = expanded(
        first,
        PARTS("\"one\": { \"constraints\": [\"M > 1\"], \"let\": { \"L\": \"1\" },"
              "           \"parameters\": { \"GROUP\": [1], \"BLOCK_X\": [8] },"
              "           \"defines\": { \"D\": \"L\", \"RAGGED\": \"5\" } },"
              "\"two\": { \"summary\": \"more\", \"parts\": [\"one\"],"
              "           \"constraints\": [\"M > 2\"], \"redundant\": [\"M == 9\"],"
              "           \"let\": { \"L\": \"2\" }, \"parameters\": { \"BLOCK_X\": [9] } }",
              "\"one\", { \"constraints\": [\"M > 3\"] }, \"two\", { \"defines\": { "
              "\"E\": \"L\" } }"),
        NULL);
    const cJSON *in = implementation_of(json, 0);
    /* A part comes once, where it was named first; names keep their places, rules follow. */
    assert_section(in, "constraints", "[\"M > 1\",\"M > 3\",\"M > 2\",\"BLOCK_X <= MAX_THREADS\"]");
    assert_section(in, "redundant", "[\"M == 9\",\"M == 1 && ORDER == 'columns'\"]");
    assert_section(in, "defines", "{\"D\":\"2\",\"RAGGED\":\"N % BLOCK_X != 0\",\"E\":\"2\"}");
    assert_section(in, "parameters",
                   "{\"GROUP\":{\"values\":[1,4],\"launch\":true},\"BLOCK_X\":[32,64,128],"
                   "\"ORDER\":[\"rows\",\"columns\"]}");
    cJSON_Delete(json);
}

static void mistakes_in_parts(void **state) {
    (void)state;
    static const struct {
        const char *to, *where, *what;
    } cases[] = {
        {PARTS("\"one\": {}", "\"oen\""),
         "key implementations[0].parts[0]: ", "there is no part \"oen\"; did you mean \"one\"?"},
        {PARTS("", "\"one\""), "key implementations[0].parts[0]: ", "there is no part \"one\""},
        {PARTS("\"one\": {}", "3"), "key implementations[0].parts[0]: ", "expected a string"},
        {PARTS("\"one\": { \"constraint\": [] }", "\"one\""),
         "scale.json: key parts.one: ", "did you mean \"constraints\"?"},
        {PARTS("\"one\": { \"constraints\": [\"M > 1\", \"M >\"] }", "\"one\""),
         "scale.json: key parts.one.constraints[1]: ", "ends too early"},
        {PARTS("\"one\": { \"defines\": { \"D\": \"NN\" } }", "\"one\""),
         "scale.json: key parts.one.defines.D: ", "unknown name 'NN'"},
        {PARTS("\"one\": { \"parameters\": { \"P\": [1, 1] } }", "\"one\""),
         "scale.json: key parts.one.parameters.P[1]: ", "given twice"},
        {PARTS("\"one\": { \"let\": { \"L\": \"1 +\" }, \"constraints\": [\"L\"] }", "\"one\""),
         "scale.json: key parts.one.let.L: ", "ends too early"},
        {PARTS("\"one\": { \"parts\": [\"two\"] }, \"two\": { \"parts\": [\"one\"] }", "\"one\""),
         "parts[0]: ", "parts contain each other"},
        {PARTS("\"one\": { \"constraints\": \"M > 1\" }", "\"one\""),
         "scale.json: key parts.one.constraints: ", "expected an array"},
        {PARTS("\"one\": { \"presets\": {} }", "\"one\""),
         "scale.json: key parts.one: ", "unknown key \"presets\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_mistake(first, cases[i].to, NULL, cases[i].where, cases[i].what);
}

/* What an implementation says itself counts, then what its last part says. */
static void requirements_of_parts(void **state) {
    (void)state;
    static const char own[] =
        "\"requires\": { \"backends\": [\"cuda\", \"opencl\"], \"min_arch\": 0 },";
    static const char parts[] = "\"parts\": [{ \"requires\": { \"min_arch\": 80 } },"
                                "{ \"requires\": { \"exact_arch\": 90 } }, {}],";
    cJSON *json = expanded(own, parts, NULL);
    assert_section(implementation_of(json, 0), "requires", "{\"exact_arch\":90}");
    cJSON_Delete(json);
    struct tw_text both = {0};
    tw_text_print(&both, "%s %s", own, parts);
    json = expanded(own, both.data, NULL);
    assert_section(implementation_of(json, 0), "requires",
                   "{\"backends\":[\"cuda\",\"opencl\"],\"min_arch\":0}");
    cJSON_Delete(json);
    tw_text_free(&both);
    assert_mistake(own, "\"parts\": [{ \"requires\": { \"arch\": 80 } }],", NULL,
                   "key implementations[0].parts[0].requires: ", "unknown key \"arch\"");
}

/* ---- Types and presets ---- */

static void types_of_other_arguments(void **state) {
    (void)state;
    static const char alpha[] = "\"name\": \"alpha\", \"kind\": \"scalar\", \"type\": \"dtype\"";
    cJSON *json =
        expanded(alpha, "\"name\": \"alpha\", \"kind\": \"scalar\", \"type\": \"@B\"", NULL);
    const cJSON *arguments = cJSON_GetObjectItemCaseSensitive(json, "arguments");
    assert_section(cJSON_GetArrayItem(arguments, 4), "type", "\"dtype\"");
    cJSON_Delete(json);
    static const char *const names[] = {"@C", "@alpha", "@lda", "@"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char to[128];
        snprintf(to, sizeof to, "\"name\": \"alpha\", \"kind\": \"scalar\", \"type\": \"%s\"",
                 names[i]);
        assert_mistake(alpha, to, NULL,
                       "scale.json: key arguments[4].type: ", "with a type before this one");
    }
}

static const char preset[] =
    "{ \"default\": { \"BLOCK_X\": 64, \"ORDER\": \"rows\", \"GROUP\": 1 } }";

static void presets_from_others(void **state) {
    (void)state;
    cJSON *json = expanded(preset,
                           "{ \"late\": { \"from\": \"next\", \"ORDER\": \"columns\" },"
                           "  \"next\": { \"from\": \"default\", \"GROUP\": 4 },"
                           "  \"default\": { \"BLOCK_X\": 64, \"ORDER\": \"rows\", \"GROUP\": 1 },"
                           "  \"same\": { \"from\": \"default\" } }",
                           NULL);
    assert_section(implementation_of(json, 0), "presets",
                   "{\"late\":{\"BLOCK_X\":64,\"ORDER\":\"columns\",\"GROUP\":4},"
                   "\"next\":{\"BLOCK_X\":64,\"ORDER\":\"rows\",\"GROUP\":4},"
                   "\"default\":{\"BLOCK_X\":64,\"ORDER\":\"rows\",\"GROUP\":1},"
                   "\"same\":{\"BLOCK_X\":64,\"ORDER\":\"rows\",\"GROUP\":1}}");
    cJSON_Delete(json);
    assert_mistake(preset, "{ \"default\": { \"from\": \"dfault\" } }", NULL,
                   "key implementations[0].presets.default.from: ", "no preset \"dfault\"");
    assert_mistake(preset, "{ \"default\": { \"from\": \"x\" }, \"x\": { \"from\": \"default\" } }",
                   NULL, "presets.", "in a circle");
    assert_mistake(
        preset, "{ \"default\": { \"from\": \"x\" }, \"x\": { \"BLOCK_X\": 63 } }", NULL,
        "key implementations[0].presets.x.BLOCK_X: ", "not among the parameter's values");
    assert_mistake(preset, "{ \"default\": { \"from\": \"default\" } }", NULL, "presets.default",
                   "in a circle");
}

/* ---- Files ---- */

static void write_file(const struct scratch *scratch, const char *name, const char *text) {
    char path[1024];
    scratch_write(scratch, name, text, path);
}

static char *own_implementation(void) {
    const char *start = strstr(scale_text, first) + strlen(LIST_OF);
    return strndup(start, (size_t)(strrchr(start, ']') - start));
}

static void make_folder(const struct scratch *scratch, const char *name) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", scratch->path, name);
    assert_int_equal(mkdir(path, 0777), 0);
}

static void files_beside_the_description(void **state) {
    const struct scratch *scratch = *state;
    char *one = own_implementation();
    char *other = replaced(one, "\"name\": \"direct\"", "\"name\": \"other\", \"parts\": [\"p\"]");
    char *second = replaced(other, "\"default\":", "\"second\":");
    make_folder(scratch, "in");
    write_file(scratch, "in/direct.json", one);
    write_file(scratch, "in/b.json", second);
    write_file(scratch, "common.json",
               "{ \"problem\": { \"let\": { \"SIX\": \"6\" } },"
               "  \"arguments\": [{ \"name\": \"alpha\", \"kind\": \"scalar\", \"type\": \"u8\" },"
               "    { \"name\": \"six\", \"kind\": \"stride\", \"default\": \"SIX\" }],"
               "  \"parts\": { \"p\": { \"constraints\": [\"M > SIX\"] } } }");
    struct tw_text list = {0};
    tw_text_print(&list, "\"include\": [\"common.json\"], \"implementations\": "
                         "[\"in/direct.json\", \"in/*.json\"] }");
    char *tail = strdup(strstr(scale_text, LIST_OF));
    cJSON *json = expanded(tail, list.data, scratch->path);
    assert_section(implementation_of(json, 0), "name", "\"direct\"");
    assert_section(implementation_of(json, 1), "name", "\"other\"");
    assert_section(implementation_of(json, 1), "constraints",
                   "[\"M > SIX\",\"BLOCK_X <= MAX_THREADS\"]");
    /* Included members come first, and the file's own are added to them. */
    assert_section(cJSON_GetObjectItemCaseSensitive(json, "problem"), "let",
                   "{\"SIX\":\"6\",\"ESIZE\":\"dtype == 'f64' ? 8 : 4\"}");
    /* Arguments are those of the same name. */
    const cJSON *arguments = cJSON_GetObjectItemCaseSensitive(json, "arguments");
    assert_int_equal(cJSON_GetArraySize(arguments), 6);
    assert_section(cJSON_GetArrayItem(arguments, 0), "name", "\"alpha\"");
    assert_section(cJSON_GetArrayItem(arguments, 0), "type", "\"dtype\"");
    assert_section(cJSON_GetArrayItem(arguments, 0), "default", "1.5");
    assert_section(cJSON_GetArrayItem(arguments, 1), "name", "\"six\"");
    cJSON_Delete(json);

    /* Mistakes are said to be in the file that they are in. */
    char *wrong = replaced(second, "BLOCK_X <= MAX_THREADS", "BLOCK_X <= MAX_TREADS");
    write_file(scratch, "in/b.json", wrong);
    assert_mistake(tail, list.data, scratch->path,
                   "/in/b.json: key constraints[0]: ", "did you mean 'MAX_THREADS'?");
    write_file(scratch, "in/b.json", "{ \"name\": \"x\",\n }");
    assert_mistake(tail, list.data, scratch->path, "/in/b.json:2:", "not valid JSON");
    write_file(scratch, "in/b.json", second);
    write_file(scratch, "common.json", "{ \"kernel\": \"x\" }");
    assert_mistake(tail, list.data, scratch->path, "/common.json: ", "unknown key \"kernel\"");
    write_file(scratch, "common.json", "{ \"include\": [\"common.json\"] }");
    assert_mistake(tail, list.data, scratch->path, "include[0]: ", "files include each other");
    assert_mistake(tail, "\"implementations\": [\"in/none.json\"] }", scratch->path,
                   "scale.json: key implementations[0]: ",
                   "the file in/none.json is neither beside the description nor built in");
    assert_mistake(tail, "\"implementations\": [\"none/*.json\"] }", scratch->path,
                   "scale.json: key implementations[0]: ", "there are no such files");
    tw_text_free(&list);
    free(wrong);
    free(tail);
    free(second);
    free(other);
    free(one);
}

/* A tenth implementation of gemm is a file, and nothing else changes. */
static void an_implementation_is_a_file(void **state) {
    const struct scratch *scratch = *state;
    char path[1024];
    struct tw_description *with, *without;
    struct tw_error error;
    make_folder(scratch, "gemm");
    make_folder(scratch, "gemm/implementations");
    write_file(scratch, "gemm/implementations/stub.json",
               "{ \"name\": \"stub\", \"summary\": \"\", \"parts\": [\"call\"],"
               "  \"parameters\": { \"BM\": [8], \"BN\": [8] },"
               "  \"let\": { \"TILES\": \"ceil_div(M, BM)*ceil_div(N, BN)\" },"
               "  \"launches\": [{ \"templates\": [\"stub.cu\"], \"function\": \"stub\","
               "    \"block\": [\"16\"], \"grid\": [\"TILES\"], \"pass\": [\"@operands\"] }] }");
    scratch_write(scratch, "gemm.json", tw_builtin_file("configs/gemm.json"), path);
    must(tw_description_load(&with, path, &error), error);
    must(tw_description_builtin(&without, "gemm", &error), error);
    assert_int_equal(with->implementation_count, without->implementation_count + 1);
    const struct tw_implementation *stub = &with->implementations[with->implementation_count - 1];
    assert_string_equal(stub->name, "stub");
    assert_string_equal(tw_expression_text(stub->launches[0].grid[0]),
                        "ceil_div(M, BM)*ceil_div(N, BN)");
    tw_description_free(with);
    tw_description_free(without);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lets_in_every_expression), cmocka_unit_test(mistakes_in_lets),
        cmocka_unit_test(parts_in_order),           cmocka_unit_test(mistakes_in_parts),
        cmocka_unit_test(requirements_of_parts),    cmocka_unit_test(types_of_other_arguments),
        cmocka_unit_test(presets_from_others),      SCRATCH_TEST(files_beside_the_description),
        SCRATCH_TEST(an_implementation_is_a_file),
    };
    return cmocka_run_group_tests_name("compose", tests, NULL, NULL);
}
