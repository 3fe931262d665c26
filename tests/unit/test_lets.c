/* Lets put into expressions: the text that comes out, and what is refused. */
#include "runtime/description/lets.h"
#include "tests/support/support.h"

static const char list[] =
    "{ \"THREADS\": \"BM/TM*(BN/TN)\", \"LOADS\": \"BK/THREADS\", \"EITHER\": \"A || B\","
    "  \"CHOSEN\": \"CPU ? 4 : 32\", \"SUM\": \"A + B\", \"SAME\": \"A == B\", \"MINUS\": \"-A\","
    "  \"WIDE(S, W)\": \"S % W == 0 ? W : 1\", \"TWICE(X)\": \"2*X\", \"ONE\": \"1\" }";

/* What becomes of an expression; the caller frees it. */
static char *put_in(const char *lets_text, const char *expression, struct tw_error *error) {
    struct tw_json_context context = {.origin = "lets.json", .error = error};
    cJSON *json = cJSON_Parse(lets_text), *rule = cJSON_CreateString(expression);
    struct tw_json root = tw_json_root(&context, json), where = tw_json_root(&context, rule);
    struct tw_text out = {0};
    assert_non_null(json);
    strcpy(where.path, "rule");
    struct tw_lets *lets = tw_lets_read(&root);
    if (lets != NULL)
        tw_lets_put_in(lets, &where, &out);
    tw_lets_free(lets);
    cJSON_Delete(json);
    cJSON_Delete(rule);
    if (context.status != TW_OK) {
        tw_text_free(&out);
        return NULL;
    }
    return out.data;
}

static void parentheses_where_needed(void **state) {
    (void)state;
    static const struct {
        const char *written, *flat;
    } cases[] = {
        {"THREADS >= 32 && THREADS <= 512", "BM/TM*(BN/TN) >= 32 && BM/TM*(BN/TN) <= 512"},
        {"BK % (THREADS*VEC) == 0", "BK % (BM/TM*(BN/TN)*VEC) == 0"},
        {"BK/THREADS", "BK/(BM/TM*(BN/TN))"},
        {"LOADS <= 4", "BK/(BM/TM*(BN/TN)) <= 4"},
        {"X <= CHOSEN", "X <= (CPU ? 4 : 32)"},
        {"CHOSEN <= X", "(CPU ? 4 : 32) <= X"},
        {"X ? CHOSEN : CHOSEN", "X ? CPU ? 4 : 32 : CPU ? 4 : 32"},
        {"CHOSEN ? 1 : 2", "(CPU ? 4 : 32) ? 1 : 2"},
        {"EITHER ? 1 : 2", "A || B ? 1 : 2"},
        {"EITHER && C", "(A || B) && C"},
        {"C || EITHER || D", "C || A || B || D"},
        {"min(CHOSEN, SUM)", "min(CPU ? 4 : 32, A + B)"},
        {"SUM - SUM", "A + B - (A + B)"},
        {"SUM*2 + SUM", "(A + B)*2 + (A + B)"},
        {"!SUM", "!(A + B)"},
        {"!ONE", "!1"},
        {"-SUM", "-(A + B)"},
        {"x - -SUM", "x - -(A + B)"},
        {"SUM == 3", "A + B == 3"},
        {"SAME == SAME", "A == B == (A == B)"},
        {"MINUS*MINUS", "-A*-A"},
        {"WIDE(lda, VEC)", "lda % VEC == 0 ? VEC : 1"},
        {"WIDE(a + 1, min(V, 4))", "(a + 1) % min(V, 4) == 0 ? min(V, 4) : 1"},
        {"min(WIDE(a, SUM), 2)", "min(a % (A + B) == 0 ? A + B : 1, 2)"},
        {"TWICE(TWICE(SUM))", "2*(2*(A + B))"},
        {"S + W", "S + W"},
        {"  THREADS  ", "  BM/TM*(BN/TN)  "},
        {"THREADSX + X_THREADS + 'THREADS'", "THREADSX + X_THREADS + 'THREADS'"},
        {"", ""},
        {"nonsense ) ( THREADS @", "nonsense ) ( BM/TM*(BN/TN) @"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tw_error error = {0};
        char *flat = put_in(list, cases[i].written, &error);
        if (flat == NULL)
            fail_msg("%s: %s", cases[i].written, error.message);
        assert_string_equal(flat, cases[i].flat);
        free(flat);
    }
}

static void what_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *lets, *expression, *says;
    } cases[] = {
        {"{ \"A\": \"B + 1\", \"B\": \"2*C\", \"C\": \"A\" }", "A", "uses itself"},
        {"{ \"A\": \"A\" }", "A", "lets.json: key A: uses itself"},
        {"{ \"A(X)\": \"X\" }", "A", "key rule: A takes 1 argument"},
        {"{ \"A(X)\": \"X\" }", "A(1, 2)", "A takes 1 argument"},
        {"{ \"A(X)\": \"X\" }", "A()", "A takes 1 argument"},
        {"{ \"A(X)\": \"X\" }", "A(1", "A takes 1 argument"},
        {"{ \"A(X, Y)\": \"X\" }", "A(1,)", "A takes 2 arguments"},
        {"{ \"A(X)\": \"A(X)\" }", "A(1)", "uses itself"},
        {"{ \"A(X\": \"X\" }", "1", "a let is NAME or NAME(A, B)"},
        {"{ \"A()\": \"1\" }", "1", "a let is NAME or NAME(A, B)"},
        {"{ \"A(X,)\": \"1\" }", "1", "a let is NAME or NAME(A, B)"},
        {"{ \"A(X Y)\": \"1\" }", "1", "a let is NAME or NAME(A, B)"},
        {"{ \"1\": \"1\" }", "1", "a let is NAME or NAME(A, B)"},
        {"{ \"\": \"1\" }", "1", "a let is NAME or NAME(A, B)"},
        {"{ \"A(B, C, D, E, F)\": \"1\" }", "1", "with up to 4 parameters"},
        {"{ \"A\": \"1\", \"A(X)\": \"X\" }", "1", "the name A is taken"},
        {"{ \"A\": 1 }", "1", "key A: expected a string"},
        {"[]", "1", "expected an object"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tw_error error = {0};
        char *flat = put_in(cases[i].lets, cases[i].expression, &error);
        if (flat != NULL)
            fail_msg("%s in %s is no mistake: %s", cases[i].expression, cases[i].lets, flat);
        assert_says(error.message, cases[i].says);
    }
}

/* Each let twice the one before: 2^32 terms, if nobody stopped it. */
static void no_endless_text(void **state) {
    (void)state;
    struct tw_text text = {0};
    struct tw_error error = {0};
    tw_text_print(&text, "{ \"L0\": \"1\"");
    for (int i = 1; i < 32; i++)
        tw_text_print(&text, ", \"L%d\": \"L%d + L%d\"", i, i - 1, i - 1);
    tw_text_print(&text, " }");
    assert_null(put_in(text.data, "L31", &error));
    assert_says(error.message, "too long");
    tw_text_free(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parentheses_where_needed),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(no_endless_text),
    };
    return cmocka_run_group_tests_name("lets", tests, NULL, NULL);
}
