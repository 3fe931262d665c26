/* Descriptions composed of parts and files: what they expand to, and where mistakes are said to be.
 */
#include <cjson/cJSON.h>

#include "runtime/base/hash.h"
#include "runtime/base/text.h"
#include "runtime/description/builtin.h"
#include "tests/support/scale.h"

/* The parts of the example that composing changes. */
#define LIST_OF "\"implementations\": ["
#define RULES                                                                                      \
    "\"constraints\": [\"BLOCK_X <= MAX_THREADS\"], "                                              \
    "\"redundant\": [\"M == 1 && ORDER == 'columns'\"], "                                          \
    "\"defines\": { \"RAGGED\": \"N % BLOCK_X != 0\" },"

/* The flat form of the example with `from` replaced by `to`. */
static cJSON *expanded(const char *from, const char *to, const char *directory) {
    char *text = replaced(scale_text, from, to);
    struct tw_description *d = read_description(text, directory);
    cJSON *json = cJSON_Parse(d->text);
    tw_description_free(d);
    free(text);
    assert_non_null(json);
    return json;
}

static const cJSON *implementation(const cJSON *json, int index) {
    return cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(json, "implementations"), index);
}

static void assert_section(const cJSON *json, const char *key, const char *expected) {
    char *text = cJSON_PrintUnformatted(cJSON_GetObjectItemCaseSensitive(json, key));
    assert_non_null(text);
    assert_string_equal(text, expected);
    cJSON_free(text);
}

/* Read with `from` replaced by `to`, the example is refused with all of `says` in one line. */
static void assert_mistake(const char *from, const char *to, const char *directory,
                           const char *where, const char *what) {
    char *text = replaced(scale_text, from, to);
    struct tw_description *d = (struct tw_description *)-1;
    struct tw_error error = {0};
    assert_refuses(tw_description_read(&d, text, "scale.json", directory, &error),
                   TW_BAD_DESCRIPTION, error, where);
    assert_says(error.message, what);
    assert_null(strchr(error.message, '\n'));
    assert_null(d);
    free(text);
}

/* ---- Lets ---- */

static void lets_in_every_expression(void **state) {
    (void)state;
    char *text = replaced(scale_text, RULES,
                          "\"let\": { \"ODD(X)\": \"X % 2 != 0\", \"HALF\": "
                          "\"BLOCK_X/2\" },"
                          "\"constraints\": [\"HALF*2 == BLOCK_X\"],"
                          "\"redundant\": [\"ODD(HALF) && M == 1\"],"
                          "\"defines\": { \"RAGGED\": \"ODD(N)\" },");
    char *more = replaced(text, "\"workspace\": \"0\"", "\"workspace\": \"8*HALF\"");
    char *most =
        replaced(more, "\"block\": [\"BLOCK_X\"]",
                 "\"block\": [\"2*HALF\"], \"cluster\": [\"HALF/16\"], \"tensor_maps\": { \"MAP\": "
                 "{ \"buffer\": \"A\", \"dims\": [\"N\", \"M\"], \"strides\": [\"lda\"], "
                 "\"box\": [\"HALF\", \"HALF/2\"], \"swizzle\": \"HALF*4\" } }");
    struct tw_description *d = read_description(most, NULL);
    cJSON *json = cJSON_Parse(d->text);
    const cJSON *in = implementation(json, 0);
    assert_section(in, "constraints", "[\"BLOCK_X/2*2 == BLOCK_X\"]");
    assert_section(in, "redundant", "[\"BLOCK_X/2 % 2 != 0 && M == 1\"]");
    assert_section(in, "defines", "{\"RAGGED\":\"N % 2 != 0\"}");
    assert_section(in, "workspace", "\"8*(BLOCK_X/2)\"");
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
    const cJSON *in = implementation(json, 0);
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

/* ---- Launches and presets ---- */

static const char launch[] =
    "{ \"templates\": [\"scale/direct.cu\"], \"function\": \"scale_direct\", \"block\": "
    "[\"BLOCK_X\"], \"grid\": [\"ceil_div(N, BLOCK_X)\", \"M\"], \"shared\": \"0\", "
    "\"min_blocks\": \"1\", \"pass\": [\"A\", \"B\", \"M\", \"N\", \"lda\", \"ldb\", \"alpha\", "
    "\"GROUP\"] }";

/* The launch is `own`, and `part` what a part's launch "row" is. */
static char *with_launches(const char *own, const char *part) {
    struct tw_text to = {0};
    tw_text_print(&to,
                  "%s ], \"parts\": [{ \"launches\": { \"row\": %s },"
                  "\"lists\": { \"all\": [\"A\", \"@rest\"], \"rest\": [\"B\", \"M\"],"
                  "             \"files\": [\"b.cu\", \"c.cu\"] } }",
                  own, part);
    char *text = replaced(scale_text, launch, to.data);
    tw_text_free(&to);
    return text;
}

static void launches_from_parts(void **state) {
    (void)state;
    char *text = with_launches(
        "{ \"from\": \"row\", \"grid\": [\"M\"], \"block\": [\"BLOCK_X\"] }",
        "{ \"pass\": [\"@all\", \"N\"], \"templates\": [\"a.cu\", \"@files\", \"d.cu\"],"
        "  \"block\": [\"8\"], \"function\": \"f\" }");
    struct tw_description *d = read_description(text, NULL);
    cJSON *json = cJSON_Parse(d->text);
    assert_section(implementation(json, 0), "launches",
                   "[{\"templates\":[\"a.cu\",\"b.cu\",\"c.cu\",\"d.cu\"],\"function\":\"f\","
                   "\"block\":[\"BLOCK_X\"],\"grid\":[\"M\"],\"pass\":[\"A\",\"B\",\"M\",\"N\"]}]");
    cJSON_Delete(json);
    tw_description_free(d);
    free(text);
}

static void mistakes_in_launches(void **state) {
    (void)state;
#define LAUNCH "\"function\": \"f\", \"block\": [\"1\"], \"grid\": [\"1\"], "
#define PLACE "key implementations[0].parts[0].launches.row"
    static const struct {
        const char *own, *part, *where, *what;
    } cases[] = {
        {"{ \"from\": \"row\" }", "{ \"from\": \"row\" }", PLACE ".from: ", "in a circle"},
        {"{ \"from\": \"raw\" }", "{}",
         "key implementations[0].launches[0].from: ", "no part has the launch \"raw\""},
        {"{ \"from\": \"row\" }", "{ \"pass\": [\"@nothing\"] }",
         PLACE ".pass[0]: ", "no part has the list \"nothing\""},
        {"{ \"from\": \"row\" }", "{ \"gird\": [\"1\"] }", PLACE ": ", "did you mean \"grid\"?"},
        {"{ \"from\": \"row\" }",
         "{ " LAUNCH "\"templates\": [\"@files\"], \"pass\": [\"A\", \"Z\"] }",
         PLACE ".pass[1]: ", "\"Z\" is no argument"},
        {"{ \"from\": \"row\" }",
         "{ " LAUNCH "\"templates\": [\"@files\"], \"pass\": [], \"shared\": \"1 +\" }",
         PLACE ".shared: ", "ends too early"},
        {"3", "{}", "key implementations[0].launches[0]: ", "expected an object"},
    };
#undef PLACE
#undef LAUNCH
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = with_launches(cases[i].own, cases[i].part);
        struct tw_description *d;
        struct tw_error error = {0};
        assert_refuses(tw_description_read(&d, text, "scale.json", NULL, &error),
                       TW_BAD_DESCRIPTION, error, cases[i].where);
        assert_says(error.message, cases[i].what);
        free(text);
    }
}

/* The launch has `map`, and `named` are the maps of a part. */
static char *with_maps(const char *map, const char *named) {
    struct tw_text to = {0};
    tw_text_print(&to,
                  "{ \"templates\": [\"a.cu\"], \"function\": \"f\", \"block\": [\"1\"], \"grid\": "
                  "[\"1\"], \"tensor_maps\": { \"MAP\": %s }, \"pass\": [\"MAP\"] } ], \"parts\": "
                  "[{ \"let\": { \"W\": \"2*BLOCK_X\" }, \"tensor_maps\": { %s } }",
                  map, named);
    char *text = replaced(scale_text, launch, to.data);
    tw_text_free(&to);
    return text;
}

#define ROWS                                                                                       \
    "\"rows\": { \"buffer\": \"A\", \"dims\": [\"N\", \"M\"], \"strides\": [\"lda\"], \"box\": "   \
    "[\"W\", \"1\"], \"swizzle\": \"128\" }"

static void tensor_maps_from_parts(void **state) {
    (void)state;
    char *text = with_maps("{ \"from\": \"few\", \"type\": \"u32\", \"offset\": \"16\" }",
                           ROWS ", \"few\": { \"from\": \"rows\", \"box\": [\"8\", \"W/8\"] }");
    struct tw_description *d = read_description(text, NULL);
    cJSON *json = cJSON_Parse(d->text);
    const cJSON *flat = cJSON_GetArrayItem(
        cJSON_GetObjectItemCaseSensitive(implementation(json, 0), "launches"), 0);
    assert_section(flat, "tensor_maps",
                   "{\"MAP\":{\"buffer\":\"A\",\"type\":\"u32\",\"dims\":[\"N\",\"M\"],"
                   "\"strides\":[\"lda\"],\"box\":[\"8\",\"2*BLOCK_X/8\"],\"swizzle\":\"128\","
                   "\"offset\":\"16\"}}");
    cJSON_Delete(json);
    tw_description_free(d);
    free(text);
}

static void mistakes_in_tensor_maps(void **state) {
    (void)state;
#define OWN "key implementations[0].launches[0].tensor_maps.MAP"
#define PARTS_MAP "key implementations[0].parts[0].tensor_maps"
    static const struct {
        const char *map, *named, *where, *what;
    } cases[] = {
        {"{ \"from\": \"row\" }", ROWS, OWN ".from: ", "no part has the tensor map \"row\""},
        {"{ \"from\": \"a\" }", "\"a\": { \"from\": \"a\" }",
         PARTS_MAP ".a.from: ", "tensor maps start from each other in a circle"},
        {"{ \"from\": \"rows\", \"bocks\": [] }", ROWS, OWN ": ", "did you mean \"box\"?"},
        {"{ \"from\": \"a\" }", "\"a\": { \"buffer\": \"A\" }", OWN ".dims: ", "missing"},
        {"{ \"from\": \"rows\", \"buffer\": \"Z\" }", ROWS, OWN ".buffer: ", "\"Z\" is no buffer"},
        {"{ \"from\": \"a\" }", ROWS ", \"a\": { \"from\": \"rows\", \"swizzle\": \"1 +\" }",
         PARTS_MAP ".a.swizzle: ", "ends too early"},
        {"3", ROWS, OWN ": ", "expected an object"},
    };
#undef PARTS_MAP
#undef OWN
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = with_maps(cases[i].map, cases[i].named);
        struct tw_description *d;
        struct tw_error error = {0};
        assert_refuses(tw_description_read(&d, text, "scale.json", NULL, &error),
                       TW_BAD_DESCRIPTION, error, cases[i].where);
        assert_says(error.message, cases[i].what);
        free(text);
    }
}
#undef ROWS

/* What an implementation says itself counts, then what its last part says. */
static void requirements_of_parts(void **state) {
    (void)state;
    static const char own[] =
        "\"requires\": { \"backends\": [\"cuda\", \"opencl\"], \"min_arch\": 0 },";
    static const char parts[] = "\"parts\": [{ \"requires\": { \"min_arch\": 80 } },"
                                "{ \"requires\": { \"exact_arch\": 90 } }, {}],";
    cJSON *json = expanded(own, parts, NULL);
    assert_section(implementation(json, 0), "requires", "{\"exact_arch\":90}");
    cJSON_Delete(json);
    struct tw_text both = {0};
    tw_text_print(&both, "%s %s", own, parts);
    json = expanded(own, both.data, NULL);
    assert_section(implementation(json, 0), "requires",
                   "{\"backends\":[\"cuda\",\"opencl\"],\"min_arch\":0}");
    cJSON_Delete(json);
    tw_text_free(&both);
    assert_mistake(own, "\"parts\": [{ \"requires\": { \"arch\": 80 } }],", NULL,
                   "key implementations[0].parts[0].requires: ", "unknown key \"arch\"");
}

/* ---- Types ---- */

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
    assert_section(implementation(json, 0), "presets",
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
    assert_section(implementation(json, 0), "name", "\"direct\"");
    assert_section(implementation(json, 1), "name", "\"other\"");
    assert_section(implementation(json, 1), "constraints",
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

/* ---- What the built-in descriptions expand to ---- */

static int compare_items(const void *a, const void *b) {
    return strcmp((*(cJSON *const *)a)->valuestring, (*(cJSON *const *)b)->valuestring);
}

/* Rules hold together whatever their order. */
static void hash_rules(struct tw_hash *hash, const cJSON *rules) {
    const cJSON *items[TW_MAX_RULES];
    size_t count = 0;
    for (const cJSON *item = rules != NULL ? rules->child : NULL; item != NULL; item = item->next)
        items[count++] = item;
    if (count > 0)
        qsort(items, count, sizeof *items, compare_items);
    for (size_t i = 0; i < count; i++)
        tw_hash_add_text(hash, items[i]->valuestring);
}

static void hash_implementation(const cJSON *in, char hash[TW_HASH_SIZE]) {
    static const char *const keys[] = {"parameters", "defines", "workspace", "launches", "presets"};
    struct tw_hash *state = tw_hash_begin();
    hash_rules(state, cJSON_GetObjectItemCaseSensitive(in, "constraints"));
    hash_rules(state, cJSON_GetObjectItemCaseSensitive(in, "redundant"));
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char *text = cJSON_PrintUnformatted(cJSON_GetObjectItemCaseSensitive(in, keys[i]));
        tw_hash_add_text(state, text != NULL ? text : "");
        cJSON_free(text);
    }
    tw_hash_finish(state, hash);
}

/* The hashes were taken from the flat files that these descriptions were before they had parts.
 * Whoever changes what an implementation is puts the new one here; cutting descriptions otherwise
 * changes none.
 */
static void flat_forms_are_what_they_were(void **state) {
    (void)state;
    static const struct {
        const char *kernel, *implementation, *hash;
    } known[] = {
        {"aat", "simple", "578ff5be14aa17ebea1a31f169427f58"},
        {"aat", "tiled", "7a67b9678964b88cb9a223cd9cce9b8b"},
        {"aat", "register_tiled", "10eab96f708b23e72ee49fe9744568f0"},
        {"aat", "turned", "f5220582504099e762430a5cab7563b4"},
        {"copy", "tiles", "1335dc35d246fa8959704d8f2a8a27fe"},
        {"gemm", "naive", "dfe1c6b1b49474cd4c459c4c2770d242"},
        {"gemm", "tiled", "6e987ea6eae7c892413e846863f2a3d7"},
        {"gemm", "register_tiled", "3522cdcf61d97a2463e20c6dadc913d8"},
        {"gemm", "split_k", "7a47716f4cc8079b0bf962d2833ae319"},
        {"gemm", "stream_k", "1eb28cea957de3e5dd59e6d58dc24691"},
        {"gemm", "turned_stream_k", "418b4e72a9bebfd70bcf9c6955a0bc7b"},
        {"gemm", "gemv", "7aecb3b4c28e0d1182fe3e4447833748"},
        {"gemm", "gemv_split_k", "7c6b9296cb017910da231a7418b4f9ed"},
        {"transpose", "direct", "f69abeff2f21f5fc3565a94569b9eb6d"},
        {"transpose", "tiled", "08761016e1a3739845d61f2242149315"},
        {"transpose", "shifted", "f8391b1f685a04558a31055dc2002884"},
        {"transpose_coarse", "tiles", "d766faed84de07bfae83772fa6e10c9a"},
        {"transpose_fine", "tiles", "a957bea3bc57748cda252ff2d3bf7cd4"},
    };
    int wrong = 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct tw_description *d;
        struct tw_error error;
        char hash[TW_HASH_SIZE] = "";
        must(tw_description_builtin(&d, known[i].kernel, &error), error);
        int index = tw_description_implementation(d, known[i].implementation);
        cJSON *json = cJSON_Parse(d->text);
        assert_true(index >= 0);
        hash_implementation(implementation(json, index), hash);
        if (strcmp(hash, known[i].hash) != 0) {
            print_error("{\"%s\", \"%s\", \"%s\"},\n", known[i].kernel, known[i].implementation,
                        hash);
            wrong++;
        }
        cJSON_Delete(json);
        tw_description_free(d);
    }
    assert_int_equal(wrong, 0);
}

/* What the build embeds is what reading the files as they are written gives. */
static void flat_forms_are_embedded(void **state) {
    (void)state;
    const char *kernels[64];
    size_t count = tw_builtin_kernels(kernels, 64);
    for (size_t i = 0; i < count; i++) {
        struct tw_description *written, *builtin;
        struct tw_error error;
        char path[TW_NAME_SIZE + 32];
        snprintf(path, sizeof path, "configs/%s.json", kernels[i]);
        assert_non_null(tw_builtin_flat(kernels[i]));
        must(tw_description_read(&written, tw_builtin_file(path), path, NULL, &error), error);
        must(tw_description_builtin(&builtin, kernels[i], &error), error);
        assert_string_equal(builtin->text, written->text);
        assert_string_equal(builtin->text, tw_builtin_flat(kernels[i]));
        assert_string_equal(builtin->origin, path);
        tw_description_free(written);
        tw_description_free(builtin);
    }
    assert_null(tw_builtin_flat("gem"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lets_in_every_expression), cmocka_unit_test(mistakes_in_lets),
        cmocka_unit_test(parts_in_order),           cmocka_unit_test(mistakes_in_parts),
        cmocka_unit_test(launches_from_parts),      cmocka_unit_test(mistakes_in_launches),
        cmocka_unit_test(tensor_maps_from_parts),   cmocka_unit_test(mistakes_in_tensor_maps),
        cmocka_unit_test(requirements_of_parts),    cmocka_unit_test(types_of_other_arguments),
        cmocka_unit_test(presets_from_others),      SCRATCH_TEST(files_beside_the_description),
        SCRATCH_TEST(an_implementation_is_a_file),  cmocka_unit_test(flat_forms_are_what_they_were),
        cmocka_unit_test(flat_forms_are_embedded),
    };
    return cmocka_run_group_tests_name("compose", tests, NULL, NULL);
}
