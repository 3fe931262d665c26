/* What preprocessing leaves of a source. */
#include "runtime/variant/preprocess.h"

#include "tests/support/support.h"

static const struct {
    const char *what, *source, *left;
} cases[] = {
    {"nothing", "", ""},
    {"comments, blank lines and blanks",
     "/* one\n * two */\n\nint  a; // three\n\n\tint b /* four\n */ = 1;\n",
     "int a;\nint b = 1;\n"},
    {"a line that does not end", "int a;", "int a;\n"},
    {"spliced lines", "int \\\na;\n#define F(x) \\\n x\nF(1)\n", "int a;\n#define F(x) x\nF(1)\n"},
    {"quotes", "f(\"/* no\\\" // comment */\", '\\'', '\"');\n",
     "f(\"/* no\\\" // comment */\", '\\'', '\"');\n"},
    {"#line", "#line 7 \"file\"\nint a;\n", "int a;\n"},
    {"pragmas stay", "#pragma unroll\nint a;\n", "#pragma unroll\nint a;\n"},
    {"a group that is chosen", "#define T 2\n#if T == 1\na\n#elif T == 2\nb\n#else\nc\n#endif\n",
     "b\n"},
    {"none is", "#define T 3\n#if T == 1\na\n#elif T == 2\nb\n#endif\nd\n", "d\n"},
    {"else", "#define T 3\n#if T == 1\na\n#else\nc\n#endif\n", "c\n"},
    {"after the chosen one", "#if 1\na\n#elif 1\nb\n#else\nc\n#endif\n", "a\n"},
    {"nested", "#if 0\n#if 1\na\n#else\nb\n#endif\n#else\n#if 0\nc\n#else\nd\n#endif\n#endif\n",
     "d\n"},
    {"defined or not",
     "#define A\n#ifdef A\na\n#endif\n#ifndef A\nb\n#endif\n#if defined(A) && !defined "
     "B\nc\n#endif\n",
     "a\nc\n"},
    {"a name that is none is 0", "#if NONE\na\n#else\nb\n#endif\n", "b\n"},
    {"defaults", "#ifndef N\n#define N 4\n#endif\n#if N == 4\nN\n#endif\n", "#define N 4\nN\n"},
    {"undefined again", "#define N 1\n#undef N\n#if N\na\n#else\nb\n#endif\n", "b\n"},
    {"macros of macros", "#define A (B == 2)\n#define B C\n#define C 1+1\n#if A\na\n#endif\n",
     "a\n"},
    {"text, not values", "#define A 1 + 1\n#if A * 2 == 3\na\n#endif\n", "a\n"},
    {"what only the compiler knows", "#if __CUDA_ARCH__ >= 900\na\n#else\nb\n#endif\n",
     "#if __CUDA_ARCH__ >= 900\na\n#else\nb\n#endif\n"},
    {"an extension of OpenCL", "#ifdef cl_khr_fp64\na\n#endif\n",
     "#ifdef cl_khr_fp64\na\n#endif\n"},
    {"what depends on it",
     "#if _X\n#define N 1\n#else\n#define N 2\n#endif\n#if N == 1\na\n#endif\n",
     "#if _X\n#define N 1\n#else\n#define N 2\n#endif\n#if N == 1\na\n#endif\n"},
    {"calls are not followed", "#define F(x) x\n#if F(0)\na\n#endif\n",
     "#define F(x) x\n#if F(0)\na\n#endif\n"},
    {"a macro within itself", "#define A A\n#if A\na\n#endif\n", "#define A A\n#if A\na\n#endif\n"},
    {"shifts are not followed", "#if 1 << 2\na\n#endif\n", "#if 1 << 2\na\n#endif\n"},
    {"octal", "#if 010 == 8\na\n#endif\n", "#if 010 == 8\na\n#endif\n"},
    {"unused macros", "#define A 1\n#define B A\n#define C 2\n#define D(x) C\nint a = B;\n",
     "#define A 1\n#define B A\nint a = B;\n"},
    {"not even used by a number or in quotes", "#define e5 1\n#define A 2\n1e5 \"A\"\n",
     "1e5 \"A\"\n"},
    {"names put together", "#define AB 1\n#define P(x, y) x##y\nP(A, B)\n",
     "#define AB 1\n#define P(x, y) x##y\nP(A, B)\n"},
    {"only such names as it can make",
     "#define AB 1\n#define AC 2\n#define ABC 3\n#define P(x, y) x##y\nP(A, B) + P(AB, C)\n",
     "#define AB 1\n#define AC 2\n#define ABC 3\n#define P(x, y) x##y\nP(A, B) + P(AB, C)\n"},
    {"and no others", "#define T_a 1\n#define T_b 2\n#define P(x) load_##x\nP(T)\n",
     "#define P(x) load_##x\nP(T)\n"},
    {"dropped code uses nothing", "#define A 1\n#if 0\nA\n#endif\nb\n", "b\n"},
    {"an empty define", "#define A\nA b\n", "#define A\nA b\n"},
    {"no #endif", "#if 1\na\n", "a\n"},
    {"an #endif too many", "a\n#endif\n#else\nb\n", "a\nb\n"},
};

static void what_is_left(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tw_text left = {0};
        struct tw_error error;
        must(tw_preprocess(cases[i].source, NULL, &left, &error), error);
        if (strcmp(left.data != NULL ? left.data : "", cases[i].left) != 0) {
            fail_msg("%s: left is\n%s", cases[i].what, left.data);
        }
        tw_text_free(&left);
    }
}

/* Words are compared by their numbers, which are not of what is left. */
static void words_have_no_numbers(void **state) {
    (void)state;
    static const char body[] = "#if T == T_b\nint a[T == T_b ? 1 : 2];\n#endif\n";
    static const char *const lists[] = {
        "#define T_a 0\n#define T_b 1\n#define T T_b\n",
        "#define T_c 0\n#define T_a 1\n#define T_b 2\n#define T T_b\n"};
    struct tw_words *words = tw_words_create();
    struct tw_error error;
    tw_words_share(words, "T_a");
    tw_words_share(words, "T_b");
    tw_words_share(words, "T_c");
    for (int i = 0; i < 2; i++) {
        char source[400];
        struct tw_text left = {0};
        snprintf(source, sizeof source, "%s%s", lists[i], body);
        must(tw_preprocess(source, words, &left, &error), error);
        assert_string_equal(left.data, "#define T_b\n#define T T_b\nint a[T == T_b ? 1 : 2];\n");
        tw_text_free(&left);
    }
    tw_words_free(words);
}

static void too_deep(void **state) {
    (void)state;
    struct tw_text source = {0}, left = {0};
    struct tw_error error;
    for (int i = 0; i < 65; i++)
        tw_text_print(&source, "#if 1\n");
    assert_refuses(tw_preprocess(source.data, NULL, &left, &error), TW_INVALID, error,
                   "more than 64 deep");
    tw_text_free(&source);
    tw_text_free(&left);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_left),
                                       cmocka_unit_test(words_have_no_numbers),
                                       cmocka_unit_test(too_deep)};
    return cmocka_run_group_tests_name("preprocess", tests, NULL, NULL);
}
