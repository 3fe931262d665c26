/* What is wrong with a description is told with file, key and column. */
#include "tests/support/scale.h"

/* The example with `from` replaced by `to` is refused; the message says all of `says`. */
struct mistake {
    const char *from, *to;
    const char *says[3];
};

static bool is_noticed(const struct mistake *mistake, const char *text) {
    struct tw_description *d = (struct tw_description *)-1;
    struct tw_error error = {0};
    tw_status status = tw_description_read(&d, text, "scale.json", NULL, &error);
    bool right = status == TW_BAD_DESCRIPTION && error.status == status && d == NULL &&
                 strncmp(error.message, "scale.json: ", 12) == 0 &&
                 strchr(error.message, '\n') == NULL;
    for (int i = 0; i < 3 && mistake->says[i] != NULL; i++)
        right &= strstr(error.message, mistake->says[i]) != NULL;
    if (status == TW_OK)
        tw_description_free(d);
    if (!right)
        print_error("%s -> %s\n  expected \"%s\", got %s: %s\n", mistake->from, mistake->to,
                    mistake->says[0], tw_status_text(status), error.message);
    return right;
}

/* All of them, so that one surprise does not hide the next. */
static void assert_mistakes(const struct mistake *mistakes, size_t count) {
    size_t unnoticed = 0;
    for (size_t i = 0; i < count; i++) {
        char *text = replaced(scale_text, mistakes[i].from, mistakes[i].to);
        unnoticed += !is_noticed(&mistakes[i], text);
        free(text);
    }
    assert_int_equal(unnoticed, 0);
}
#define ASSERT_MISTAKES(list) assert_mistakes(list, sizeof(list) / sizeof *(list))

static void ladders(void **state) {
    (void)state;
#define LADDER(rung) "\"ladder\": [ { " rung " } ], \"implementations\":"
    static const struct mistake mistakes[] = {
        {"\"implementations\":",
         LADDER("\"preset\": \"nave\", \"shows\": \"\""),
         {"key ladder[0].preset: ", "there is no preset \"nave\""}},
        {"\"implementations\":", LADDER("\"preset\": \"default\""), {"key ladder[0]", "shows"}},
        {"\"implementations\":",
         LADDER("\"kernel\": \"no name\", \"preset\": \"default\", \"shows\": \"\""),
         {"key ladder[0].kernel: "}},
    };
#undef LADDER
    ASSERT_MISTAKES(mistakes);
}

static void optional_buffers_and_bounds(void **state) {
    (void)state;
#define FILL "\"fill\": { \"low\": -1, \"high\": 1, \"seed\": 1 }"
    static const struct mistake mistakes[] = {
        {FILL,
         "\"fill\": { \"low\": \"ESIZ\", \"high\": 1 }",
         {"key arguments[0].fill.low: ", "did you mean 'ESIZE'?"}},
        {FILL,
         "\"fill\": { \"low\": 1, \"high\": \"BLOCK_X\" }",
         {"key arguments[0].fill.high: ", "BLOCK_X"}},
        {FILL,
         "\"fill\": { \"low\": true, \"high\": 1 }",
         {"key arguments[0].fill.low: expected a number"}},
        {FILL,
         "\"fill\": { \"parts_of\": \"M\", \"seed\": 1 }",
         {"key arguments[0].fill.parts_of: is for buffers of type i32 with access in"}},
        {FILL,
         "\"fill\": { \"parts_of\": \"M\", \"high\": 1 }",
         {"key arguments[0].fill: ", "high"}},
        {FILL, FILL ", \"when\": \"M >\"", {"key arguments[0].when: ", "ends too early"}},
        {FILL, FILL ", \"when\": 1", {"key arguments[0].when: expected a string"}},
    };
#undef FILL
    ASSERT_MISTAKES(mistakes);
}

static void numbers_as_attributes(void **state) {
    (void)state;
#define DTYPE "\"dtype\": { \"values\": [\"f32\", \"f64\"], \"default\": \"f32\" }"
    static const struct mistake mistakes[] = {
        {DTYPE,
         DTYPE ", \"times\": { \"least\": 1, \"most\": 3, \"default\": 4 }",
         {"key problem.attributes.times: the default is not from least to most"}},
        {DTYPE,
         DTYPE ", \"times\": { \"least\": 1, \"most\": 3 }",
         {"key problem.attributes.times.default: missing"}},
        {DTYPE,
         DTYPE ", \"times\": { \"least\": 1, \"values\": [] }",
         {"key problem.attributes.times: unknown key \"values\""}},
        {DTYPE,
         DTYPE ", \"times\": { \"least\": 1, \"most\": 1e10, \"default\": 1 }",
         {"key problem.attributes.times.most: must fit 32 bits"}},
        {DTYPE,
         "\"dtype\": { \"least\": 1, \"most\": 3, \"default\": 1 }",
         {"key problem.let.ESIZE: "}},
    };
#undef DTYPE
    ASSERT_MISTAKES(mistakes);
}

static void types_by_two_attributes(void **state) {
    (void)state;
#define TYPE "\"type\": \"dtype\", \"access\": \"in\""
    static const struct mistake mistakes[] = {
        {TYPE,
         "\"type\": { \"of\": \"dtype\", \"f32\": \"f32\" }, \"access\": \"in\"",
         {"key arguments[0].type: has no type for f64 of dtype"}},
        {TYPE,
         "\"type\": { \"of\": \"dtype\", \"else\": { \"of\": \"dtipe\" } }, \"access\": \"in\"",
         {"key arguments[0].type.else.of: \"dtipe\" is no attribute"}},
        {TYPE,
         "\"type\": { \"of\": \"dtype\", \"else\": { \"of\": \"dtype\", \"f32\": \"f32\" } }, "
         "\"access\": \"in\"",
         {"key arguments[0].type.else: has no type for f64 of dtype"}},
        {TYPE,
         "\"type\": { \"of\": \"dtype\", \"else\": { \"of\": \"dtype\", \"else\": \"dtype\" } }, "
         "\"access\": \"in\"",
         {"key arguments[0].type.else.else: \"dtype\" is neither a type"}},
    };
#undef TYPE
    ASSERT_MISTAKES(mistakes);
}

static void refusals(void **state) {
    (void)state;
#define LET "\"let\": { \"ESIZE\""
    static const struct mistake mistakes[] = {
        {LET, "\"refuse\": {}, " LET, {"key problem.refuse: expected an array"}},
        {LET,
         "\"refuse\": [{ \"when\": \"M > 1\" }], " LET,
         {"key problem.refuse[0].because: missing"}},
        {LET,
         "\"refuse\": [{ \"when\": \"ESIZE > 1\", \"because\": \"so\" }], " LET,
         {"key problem.refuse[0].when: ", "unknown name 'ESIZE'"}},
    };
#undef LET
    ASSERT_MISTAKES(mistakes);
}

static void fallbacks(void **state) {
    (void)state;
#define FALLBACK(rule) "\"fallback\": [ { " rule " } ], \"implementations\":"
    static const struct mistake mistakes[] = {
        {"\"implementations\":",
         FALLBACK("\"when\": \"M > 1\", \"preset\": \"defualt\""),
         {"key fallback[0].preset: ", "there is no preset \"defualt\""}},
        {"\"implementations\":",
         FALLBACK("\"when\": \"BLOCK_X > 1\", \"preset\": \"default\""),
         {"key fallback[0].when: ", "unknown name 'BLOCK_X'"}},
        {"\"implementations\":",
         FALLBACK("\"if\": \"M > 1\", \"preset\": \"default\""),
         {"key fallback[0]: ", "unknown key \"if\""}},
        {"\"implementations\":", FALLBACK("\"preset\": \"default\""), {"key fallback[0]", "when"}},
        {"\"implementations\":",
         "\"fallback\": {}, \"implementations\":",
         {"key fallback: ", "array"}},
    };
#undef FALLBACK
    ASSERT_MISTAKES(mistakes);
}

/* A list where an object with names of the author's own should be. */
static void lists_for_objects(void **state) {
    (void)state;
    static const struct mistake mistakes[] = {
        {"\"tolerance\": {",
         "\"tolerance\": [1], \"tolerance\": {",
         {"\"tolerance\" is given twice"}},
        {"{ \"f32\": 1e-6, \"f64\": 1e-15, \"growth\": \"1\" }",
         "[1]",
         {"key tolerance: expected an object"}},
        {"\"problem\": {", "\"problem\": [1], \"x\": {", {"unknown key \"x\""}},
        {"\"ORDER\": [\"rows\", \"columns\"],",
         "\"ORDER\": [[\"a\"], [1, 2]],",
         {"key implementations[0].parameters.ORDER[0]: expected a number"}},
        {"{ \"RAGGED\": \"N % BLOCK_X != 0\" }",
         "[\"N % BLOCK_X != 0\"]",
         {"key implementations[0].defines: expected an object"}},
        {"[ {}, { \"alpha\": -0.25 } ]", "[[1]]", {"key cases[0]: expected an object"}},
    };
    ASSERT_MISTAKES(mistakes);
}

static void unknown_and_repeated_keys(void **state) {
    (void)state;
    static const struct mistake mistakes[] = {
        {"\"cases\":", "\"case\":", {"unknown key \"case\"; did you mean \"cases\"?"}},
        {"\"summary\":", "\"zzzzzzzzzzzz\": 1, \"summary\":", {"unknown key \"zzzzzzzzzzzz\""}},
        {"\"dimensions\":", "\"dimension\":", {"key problem: ", "did you mean \"dimensions\"?"}},
        {"\"access\": \"in\"", "\"acces\": \"in\"", {"key arguments[0]: ", "\"access\"?"}},
        {"\"flops\":", "\"flop\":", {"key work: ", "did you mean \"flops\"?"}},
        {"\"high\": 1", "\"hihg\": 1", {"key arguments[0].fill: ", "\"high\"?"}},
        {"\"constraints\":", "\"constraint\":", {"key implementations[0]: ", "\"constraints\"?"}},
        {"\"min_blocks\":", "\"minblocks\":", {"key implementations[0].launches[0]: "}},
        {"\"min_arch\":", "\"min_ach\":", {"key implementations[0].requires: ", "\"min_arch\"?"}},
        {"\"launch\": true", "\"lunch\": true", {"key implementations[0].parameters.GROUP: "}},
        {"\"launch\": true", "\"untuned\": 3", {"key implementations[0].parameters.GROUP"}},
        {"\"launch\": true",
         "\"untuned\": \"N > 1 ? 4 : GRUOP\"",
         {"key implementations[0].parameters.GROUP.untuned: ", "'GRUOP'"}},
        {"\"kernel\": \"scale\",",
         "\"kernel\": \"scale\", \"kernel\": \"scale\",",
         {"\"kernel\" is given twice"}},
        {"\"N\", \"stride\": \"lda\"",
         "\"N\", \"rows\": \"N\"",
         {"key arguments[0]: ", "\"rows\" is given twice"}},
        {"\"let\": { ", "\"let\": { \"ESIZE\": \"4\", ", {"key problem.let: "}},
        {"\"BLOCK_X\": [32, 64, 128],",
         "\"BLOCK_X\": [32], \"BLOCK_X\": [64],",
         {"key implementations[0].parameters: ", "given twice"}},
        {"\"defines\": { ", "\"defines\": { \"RAGGED\": \"1\", ", {"defines: ", "given twice"}},
        {"\"attributes\": { ",
         "\"attributes\": { \"dtype\": { \"values\": [\"f32\"], \"default\": \"f32\" }, ",
         {"key problem.attributes: ", "given twice"}},
        {"\"BLOCK_X\": 64, ",
         "\"BLOCK_X\": 64, \"BLOCK_X\": 32, ",
         {"key implementations[0].presets.default: ", "\"BLOCK_X\" is given twice"}},
    };
    ASSERT_MISTAKES(mistakes);
}

/* Keys that are names of the author's own must not silently win over each other either. */
static void repeated_names(void **state) {
    (void)state;
    static const struct mistake mistakes[] = {
        {"\"presets\": {",
         "\"presets\": { \"default\": { \"BLOCK_X\": 32, \"ORDER\": \"rows\", \"GROUP\": 1 },",
         {"key implementations[0].presets", "default", "twice"}},
        {"{ \"alpha\": -0.25 }",
         "{ \"alpha\": -0.25, \"alpha\": 2 }",
         {"key cases[1]", "alpha", "twice"}},
        {"\"f32\": 1e-6,", "\"f32\": 1e-6, \"f32\": 1e-7,", {"key tolerance", "f32", "twice"}},
        {"\"growth\": \"1\"",
         "\"growth\": \"1\", \"growth\": \"N\"",
         {"key tolerance", "growth", "twice"}},
    };
    ASSERT_MISTAKES(mistakes);
}

static void wrong_types(void **state) {
    (void)state;
    static const struct mistake mistakes[] = {
        {"\"kernel\": \"scale\"", "\"kernel\": 7", {"key kernel: expected a string"}},
        {"\"kernel\": \"scale\"", "\"kernel\": \"sc ale\"", {"key kernel: ", "is not a name"}},
        {"\"summary\": \"B = alpha*A for an MxN matrix\"",
         "\"summary\": null",
         {"key summary: expected a string"}},
        {"[\"M\", \"N\"]", "\"MN\"", {"key problem.dimensions: expected an array"}},
        {"[\"M\", \"N\"]", "[]", {"key problem.dimensions: needs at least one"}},
        {"[\"M\", \"N\"]", "[\"M\", 3]", {"key problem.dimensions[1]: expected a string"}},
        {"\"let\": { \"ESIZE\": \"dtype == 'f64' ? 8 : 4\" }",
         "\"let\": [1]",
         {"key problem.let: expected an object"}},
        {"\"dtype == 'f64' ? 8 : 4\"", "4", {"key problem.let.ESIZE: expected a string"}},
        {"{ \"values\": [\"f32\", \"f64\"], \"default\": \"f32\" }",
         "[\"f32\"]",
         {"key problem.attributes.dtype: expected an object"}},
        {"[\"f32\", \"f64\"]", "[]", {"key problem.attributes.dtype.values: "}},
        {"[\"f32\", \"f64\"]", "[\"f32\", \"f32\"]", {"dtype.values[1]: given twice"}},
        {"[\"f32\", \"f64\"]", "[\"f32\", \"f-64\"]", {"dtype.values[1]: not a word"}},
        {"\"low\": -1",
         "\"low\": \"-1.5\"",
         {"key arguments[0].fill.low: ", "whole decimal numbers"}},
        {"\"low\": -1", "\"low\": 1e999", {"key arguments[0].fill.low: expected a number"}},
        {"\"low\": -1", "\"low\": 1", {"key arguments[0].fill: low must be below high"}},
        {"\"seed\": 1", "\"seed\": 1.5", {"key arguments[0].fill.seed: expected a whole number"}},
        {"\"default\": 1.5", "\"default\": true", {"key arguments[4].default: expected a number"}},
        {"\"cases\": [ {}, { \"alpha\": -0.25 } ]",
         "\"cases\": {}",
         {"key cases: expected an array"}},
        {"\"alpha\": -0.25", "\"alpha\": \"x\"", {"key cases[1].alpha: expected a number"}},
        {"\"alpha\": -0.25", "\"lda\": 3", {"key cases[1].lda: names no scalar"}},
        {"\"f32\": 1e-6", "\"f32\": 0", {"key tolerance.f32: must be above 0"}},
        {"\"f32\": 1e-6",
         "\"u8\": 1",
         {"key tolerance.u8: expected a floating type (f32 f64 f16 bf16 e4m3 e5m2) or growth"}},
        {"\"work\": {", "\"work\": 3, \"cases\": {", {"scale.json: "}},
        {"\"backends\": [\"cuda\", \"opencl\"]",
         "\"backends\": [\"metal\"]",
         {"key implementations[0].requires.backends[0]: expected cuda or opencl"}},
        {"\"min_arch\": 0", "\"min_arch\": 7.5", {"requires.min_arch: expected a whole number"}},
        {"[32, 64, 128]", "[]", {"parameters.BLOCK_X: needs at least one value"}},
        {"[32, 64, 128]", "7", {"parameters.BLOCK_X: expected an array"}},
        {"[32, 64, 128]", "[32, \"wide\"]", {"parameters.BLOCK_X[1]: integers and words"}},
        {"[32, 64, 128]", "[32, 64, 32]", {"parameters.BLOCK_X[2]: given twice"}},
        {"[32, 64, 128]", "[32.5]", {"parameters.BLOCK_X[0]: expected a whole number"}},
        {"[32, 64, 128]", "[3000000000]", {"parameters.BLOCK_X[0]: must fit 32 bits"}},
        {"[32, 64, 128]", "[true]", {"parameters.BLOCK_X[0]: expected a number"}},
        {"[1, 4], \"launch\": true",
         "[1, 4], \"launch\": 1",
         {"parameters.GROUP.launch: expected true or false"}},
        {"[1, 4], \"launch\": true",
         "[\"a\"], \"launch\": true",
         {"parameters.GROUP: a launch parameter has integers"}},
        {"\"block\": [\"BLOCK_X\"]",
         "\"block\": \"BLOCK_X\"",
         {"launches[0].block: expected an array"}},
        {"\"block\": [\"BLOCK_X\"]", "\"block\": []", {"launches[0].block: needs one to three"}},
        {"\"block\": [\"BLOCK_X\"]",
         "\"block\": [\"1\", \"1\", \"1\", \"1\"]",
         {"launches[0].block: 4 entries; at most 3"}},
        {"[\"scale/direct.cu\"]", "[\"a\\\"b.cu\"]", {"templates[0]: not a usable file name"}},
        {"[\"scale/direct.cu\"]", "[\"a\\nb.cu\"]", {"templates[0]: not a usable file name"}},
        {"\"presets\": { \"default\"",
         "\"presets\": { \"De fault\"",
         {"preset names are lower-case"}},
    };
    ASSERT_MISTAKES(mistakes);
}

static void missing_parts(void **state) {
    (void)state;
    static const struct mistake mistakes[] = {
        {"\"kernel\": \"scale\",", "", {"key kernel: missing"}},
        {"\"summary\": \"B = alpha*A for an MxN matrix\",", "", {"key summary: missing"}},
        {"\"dimensions\": [\"M\", \"N\"],", "", {"key problem.dimensions: missing"}},
        {", \"default\": \"f32\"", "", {"key problem.attributes.dtype.default: missing"}},
        {"\"name\": \"A\", ", "", {"key arguments[0].name: missing"}},
        {"\"kind\": \"buffer\", ", "", {"key arguments[0].kind: missing"}},
        {"\"type\": \"dtype\", ", "", {"key arguments[0].type: missing"}},
        {"\"access\": \"in\",", "", {"key arguments[0].access: missing"}},
        {"\"rows\": \"M\", ", "", {"key arguments[0].rows: missing"}},
        {"\"low\": -1, ", "", {"key arguments[0].fill.low: missing"}},
        {"\"kind\": \"stride\", \"default\": \"N\"",
         "\"kind\": \"stride\"",
         {"key arguments[2].default: missing"}},
        {", \"default\": 1.5", "", {"key arguments[4].default: missing"}},
        {"\"flops\": \"0\", ", "", {"key work.flops: missing"}},
        {"\"function\": \"scale_reference\",", "", {"key reference.function: missing"}},
        {"\"templates\": [\"scale/direct.cu\"], ", "", {"launches[0].templates: missing"}},
        {"\"block\": [\"BLOCK_X\"], ", "", {"launches[0].block: missing"}},
        {"\"name\": \"direct\",", "", {"key implementations[0].name: missing"}},
        {"\"ORDER\": \"rows\", ", "", {"presets.default.ORDER: missing"}},
        {"{ \"default\": { \"BLOCK_X\": 64, \"ORDER\": \"rows\", \"GROUP\": 1 } }",
         "{}",
         {"key implementations: no implementation has the preset \"default\""}},
        {"\"access\": \"out\"", "\"access\": \"in\"", {"key arguments: ", "nothing could be"}},
    };
    ASSERT_MISTAKES(mistakes);
}

static void names(void **state) {
    (void)state;
    static const struct mistake mistakes[] = {
        {"[\"M\", \"N\"]", "[\"M\", \"M\"]", {"key problem.dimensions[1]: the name M is taken"}},
        {"[\"M\", \"N\"]", "[\"M\", \"WARP\"]", {"problem.dimensions[1]: the name WARP is taken"}},
        {"[\"M\", \"N\"]", "[\"M\", \"TW_N\"]", {"problem.dimensions[1]: ", "TW_"}},
        {"\"dtype\": {", "\"M\": {", {"key problem.attributes.M: the name M is taken"}},
        {"\"ESIZE\":", "\"N\":", {"key problem.let.N: the name N is taken"}},
        {"\"ESIZE\":", "\"E SIZE\":", {"key problem.let.E SIZE: ", "is not a name"}},
        {"\"name\": \"B\"", "\"name\": \"A\"", {"key arguments[1].name: the name A is taken"}},
        {"\"alpha\", \"kind\": \"scalar\", \"type\": \"dtype\", \"default\": 1.5",
         "\"M\", \"kind\": \"stride\", \"default\": \"N\"",
         {"key arguments[4]", "the name M is taken"}},
        {"\"BLOCK_X\": [32, 64, 128],",
         "\"N\": [32, 64, 128],",
         {"key implementations[0].parameters.N: the name N is taken"}},
        {"\"RAGGED\":", "\"GROUP\":", {"defines.GROUP: the name GROUP is taken"}},
        {"\"default\": \"f32\"",
         "\"default\": \"f16\"",
         {"key problem.attributes.dtype.default: is not among the values"}},
        {"\"default\": \"f32\"",
         "\"alike\": [\"f64\", \"f16\"], \"default\": \"f32\"",
         {"key problem.attributes.dtype.alike[1]: is not among the values"}},
        {"\"default\": \"f32\"",
         "\"alike\": [[\"f64\"], [\"f32\", \"f64\"]], \"default\": \"f32\"",
         {"key problem.attributes.dtype.alike[1][1]: given twice"}},
        {"\"type\": \"dtype\"",
         "\"type\": \"f17\"",
         {"key arguments[0].type: \"f17\" is neither a type (u8 u16 ", "f16 bf16 e4m3 e5m2)"}},
        {"[\"f32\", \"f64\"]",
         "[\"f32\", \"f64\", \"half\"]",
         {"key arguments[0].type: ", "\"half\""}},
        {"\"stride\": \"lda\"", "\"stride\": \"alpha\"", {"arguments[0].stride: names no stride"}},
        {"\"stride\": \"lda\"", "\"stride\": \"ldc\"", {"arguments[0].stride: names no stride"}},
        {"\"stride\": \"ldb\"", "\"read_when\": \"gamma\"", {"arguments[1].read_when: names no"}},
        {"\"stride\": \"lda\"", "\"read_when\": \"alpha\"", {"read_when: is for buffers with"}},
        {"\"kind\": \"scalar\"", "\"kind\": \"skalar\"", {"arguments[4].kind: expected buffer"}},
        {"\"access\": \"in\"", "\"access\": \"read\"", {"arguments[0].access: expected in, out"}},
        {"\"pass\": [\"A\", \"B\", \"M\", \"N\", \"lda\", \"ldb\", \"alpha\", \"GROUP\"]",
         "\"pass\": [\"A\", \"X\"]",
         {"launches[0].pass[1]: \"X\" is no argument"}},
        {"\"alpha\", \"GROUP\"]", "\"BLOCK_X\"]", {"launches[0].pass[6]: is a compiled-in"}},
        {"\"alpha\", \"GROUP\"]", "\"WARP\"]", {"launches[0].pass[6]: \"WARP\" is no argument"}},
        {"\"alpha\", \"GROUP\"]", "\"B.in\"]", {"launches[0].pass[6]: \"B.in\" is no"}},
        {"\"ldb\", \"alpha\"] }", "\"ldb\", \"B.in\"] }", {"reference.pass[6]: NAME.in is for"}},
        {"\"ldb\", \"alpha\"] }", "\"ldb\", \"workspace\"] }", {"reference.pass[6]: "}},
        {"\"ldb\", \"alpha\"] }", "\"ldb\", \"counters\"] }", {"reference.pass[6]: "}},
        {"\"alpha\", \"GROUP\"]",
         "\"counters\"]",
         {"launches[0].pass[6]: the implementation has no counters"}},
        {"\"workspace\": \"0\",", "\"redundant\": [],", {"scale.json: "}},
    };
    ASSERT_MISTAKES(mistakes);
}

/* A name that `pass` or a template could take for two things. */
static void ambiguous_names(void **state) {
    (void)state;
    static const struct mistake mistakes[] = {
        {"\"arguments\": [",
         "\"arguments\": [ { \"name\": \"M\", \"kind\": \"scalar\", \"type\": \"f32\", "
         "\"default\": 0 },",
         {"key arguments[0]", "the name M is taken"}},
        {"\"parameters\": {",
         "\"parameters\": { \"alpha\": [32],",
         {"parameters.alpha: the name alpha is taken"}},
        {"\"defines\": {", "\"defines\": { \"A\": \"1\",", {"defines.A: the name A is taken"}},
    };
    ASSERT_MISTAKES(mistakes);
}

/* Only dimensions, lets, arguments, launch parameters and the workspace can be passed. */
static void what_can_be_passed(void **state) {
    (void)state;
    static const struct mistake mistakes[] = {
        {"\"alpha\", \"GROUP\"]", "\"dtype\"]", {"launches[0].pass[6]: \"dtype\" is no argument"}},
        {"\"alpha\", \"GROUP\"]", "\"RAGGED\"]", {"launches[0].pass[6]: \"RAGGED\" is no"}},
        {"\"ldb\", \"alpha\"] }", "\"ldb\", \"M.in\"] }", {"reference.pass[6]: "}},
        {"\"ldb\", \"alpha\"] }", "\"ldb\", \"lda.in\"] }", {"reference.pass[6]: NAME.in is for"}},
    };
    ASSERT_MISTAKES(mistakes);
}

static void expressions_are_checked(void **state) {
    (void)state;
    static const struct mistake mistakes[] = {
        {"dtype == 'f64' ? 8 : 4",
         "dtpye == 'f64' ? 8 : 4",
         {"key problem.let.ESIZE: column 1 of ", "unknown name 'dtpye'; did you mean 'dtype'?"}},
        {"dtype == 'f64' ? 8 : 4",
         "dtype == 'f6' ? 8 : 4",
         {"key problem.let.ESIZE: column 10 of ", "unknown word 'f6'; did you mean 'f64'?"}},
        {"dtype == 'f64' ? 8 : 4", "dtype == 'f64' ? 8", {"let.ESIZE: column 19 of ", "':'"}},
        {"dtype == 'f64' ? 8 : 4", "dtype", {"let.ESIZE: column 1 of ", "a word is no number"}},
        {"N % BLOCK_X != 0", "ORDER * 2", {"defines.RAGGED: column 1 of ", "a word is no number"}},
        {"\"bytes\": \"2*ESIZE*M*N\"", "\"bytes\": \"2*ESIZE*M*\"", {"key work.bytes: column 11"}},
        {"\"rows\": \"M\"", "\"rows\": \"BLOCK_X\"", {"arguments[0].rows: column 1 ", "BLOCK_X"}},
        {"\"growth\": \"1\"", "\"growth\": \"1.5\"", {"key tolerance.growth: column 2 "}},
        {"BLOCK_X <= MAX_THREADS",
         "BLOCK_X <= MAX_THREAD",
         {"key implementations[0].constraints[0]: column 12 ", "'MAX_THREADS'?"}},
        {"M == 1 && ORDER == 'columns'",
         "M == 1 && ORDER = 'columns'",
         {"key implementations[0].redundant[0]: column 17 "}},
        {"N % BLOCK_X != 0",
         "N % BLOCK_Y != 0",
         {"key implementations[0].defines.RAGGED: column 5 ", "'BLOCK_X'?"}},
        {"\"shared\": \"0\"", "\"shared\": \"pow(2, 3)\"", {"launches[0].shared: column 1 "}},
        {"[\"ceil_div(N, BLOCK_X)\", \"M\"]",
         "[\"ceil_div(N, BLOCK_X)\", \"M +\"]",
         {"key implementations[0].launches[0].grid[1]: column 4 "}},
        {"[\"ceil_div(N, 64)\", \"M\"]", "[\"BLOCK_X\"]", {"key reference.grid[0]: column 1 "}},
    };
    ASSERT_MISTAKES(mistakes);
}

static void bad_presets(void **state) {
    (void)state;
    static const struct mistake mistakes[] = {
        {"\"BLOCK_X\": 64,",
         "\"BLOCK_X\": 48,",
         {"key implementations[0].presets.default.BLOCK_X: is not among the parameter's values"}},
        {"\"ORDER\": \"rows\"", "\"ORDER\": \"diagonal\"", {"presets.default.ORDER: is not among"}},
        {"\"ORDER\": \"rows\"", "\"ORDER\": \"f32\"", {"presets.default.ORDER: is not among"}},
        {"\"ORDER\": \"rows\"", "\"ORDER\": 0", {"presets.default.ORDER: expected a string"}},
        {"\"BLOCK_X\": 64,", "\"BLOCK_X\": \"64\",", {"default.BLOCK_X: expected a number"}},
        {"\"BLOCK_X\": 64,",
         "\"BLOCK_Y\": 1, \"BLOCK_X\": 64,",
         {"key implementations[0].presets.default: unknown key \"BLOCK_Y\"", "\"BLOCK_X\"?"}},
    };
    ASSERT_MISTAKES(mistakes);
}

static const char second[] =
    "\"implementations\": [ { \"name\": \"%s\", \"summary\": \"\", \"parameters\": { \"X\": [1] }, "
    "\"launches\": [ { \"templates\": [\"t.cu\"], \"function\": \"f\", \"block\": [\"1\"], "
    "\"grid\": [\"1\"], \"pass\": [\"B\"] } ], \"presets\": { \"%s\": { \"X\": 1 } } },";

static void two_implementations(void **state) {
    (void)state;
    static const struct {
        const char *name, *preset, *says;
    } cases[] = {{"direct", "other", "key implementations[1]: the name direct is taken"},
                 {"other", "default", "the preset default is in two implementations"},
                 {"other", "other", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char with[600];
        snprintf(with, sizeof with, second, cases[i].name, cases[i].preset);
        char *text = replaced(scale_text, "\"implementations\": [", with);
        struct tw_description *d = NULL;
        struct tw_error error = {0};
        tw_status status = tw_description_read(&d, text, "scale.json", NULL, &error);
        if (cases[i].says != NULL) {
            assert_int_equal(status, TW_BAD_DESCRIPTION);
            assert_says(error.message, cases[i].says);
        } else {
            must(status, error);
            assert_int_equal(d->implementation_count, 2);
        }
        tw_description_free(d);
        free(text);
    }
}

/* Limits are complaints, not overruns. */
static void too_many(void **state) {
    (void)state;
    static const struct {
        const char *from, *before, *repeat, *after, *says;
        int count;
    } cases[] = {
        {"[\"M\", \"N\"]", "[\"M\", \"N\"", ", \"D%d\"", "]", "problem.dimensions: ", 20},
        {"[\"f32\", \"f64\"]", "[\"f32\", \"f64\"", ", \"w%d\"", "]", "dtype.values: ", 100},
        {"\"let\": { ", "\"let\": { ", "\"L%d\": \"1\", ", "", "problem.let: ", 40},
        {"\"cases\": [ {}", "\"cases\": [ {}", ", { \"alpha\": %d }", "", "key cases: ", 20},
        {"[32, 64, 128]", "[0", ", %d", "]", "parameters.BLOCK_X: ", 100},
        {"\"defines\": { ", "\"defines\": { ", "\"D%d\": \"1\", ", "", "defines: ", 100},
        {"\"constraints\": [", "\"constraints\": [", "\"%d\", ", "", "constraints: ", 100},
        {"\"parameters\": { ", "\"parameters\": { ", "\"P%d\": [1], ", "", "parameters: ", 60},
        {"[\"scale/direct.cu\"]", "[\"t.cu\"", ", \"t%d.cu\"", "]", "templates: ", 20},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *with = calloc(1, 8192);
        strcpy(with, cases[i].before);
        for (int j = 1; j <= cases[i].count; j++)
            sprintf(with + strlen(with), cases[i].repeat, j);
        strcat(with, cases[i].after);
        const struct mistake mistake = {cases[i].from, with, {cases[i].says, "at most"}};
        assert_mistakes(&mistake, 1);
        free(with);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(optional_buffers_and_bounds),
        cmocka_unit_test(numbers_as_attributes),
        cmocka_unit_test(types_by_two_attributes),
        cmocka_unit_test(refusals),
        cmocka_unit_test(fallbacks),
        cmocka_unit_test(ladders),
        cmocka_unit_test(lists_for_objects),
        cmocka_unit_test(unknown_and_repeated_keys),
        cmocka_unit_test(repeated_names),
        cmocka_unit_test(wrong_types),
        cmocka_unit_test(missing_parts),
        cmocka_unit_test(names),
        cmocka_unit_test(ambiguous_names),
        cmocka_unit_test(what_can_be_passed),
        cmocka_unit_test(expressions_are_checked),
        cmocka_unit_test(bad_presets),
        cmocka_unit_test(two_implementations),
        cmocka_unit_test(too_many),
    };
    return cmocka_run_group_tests_name("mistakes", tests, NULL, NULL);
}
