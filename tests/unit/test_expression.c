/* Expressions: what they mean, and what is said of those that mean nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/description/expression.h"

/* M = 100, N = 7, Z = 0, BIG = 2^62; words nn = 0, tt = 1; trans = the id of tt. */
static void make_symbols(struct tw_symbols *symbols, int64_t *values) {
    static const struct {
        const char *name;
        int64_t value;
    } names[] = {{"M", 100}, {"N", 7}, {"Z", 0}, {"BIG", INT64_C(1) << 62}, {"trans", 1}};
    memset(symbols, 0, sizeof *symbols);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        int slot = tw_symbols_add(symbols, names[i].name);
        assert_true(slot >= 0);
        values[slot] = names[i].value;
    }
    tw_symbols_hold_word(symbols, tw_symbols_find(symbols, "trans"));
    assert_int_equal(tw_symbols_word(symbols, "nn"), 0);
    assert_int_equal(tw_symbols_word(symbols, "tt"), 1);
}

static enum tw_evaluation evaluate(const char *text, int64_t *result) {
    struct tw_symbols symbols;
    int64_t values[TW_MAX_SYMBOLS] = {0};
    struct tw_expression *expression;
    struct tw_error error = {0};
    make_symbols(&symbols, values);
    if (tw_expression_parse(&expression, text, &symbols, &error) != TW_OK)
        fail_msg("%s: %s", text, error.message);
    assert_string_equal(tw_expression_text(expression), text);
    enum tw_evaluation outcome = tw_expression_evaluate(expression, values, result);
    tw_expression_free(expression);
    return outcome;
}

static void assert_value(const char *text, int64_t expected) {
    int64_t result = -12345;
    enum tw_evaluation outcome = evaluate(text, &result);
    if (outcome != TW_EVALUATED || result != expected)
        fail_msg("%s is %lld (%s), not %lld", text, (long long)result, tw_evaluation_text(outcome),
                 (long long)expected);
}

static void words(void **state) {
    (void)state;
    assert_value("'nn' != 'tt'", 1);
    assert_value("(M > 1 ? trans : 'nn') == 'tt'", 1);
    assert_value("trans == 'tt' == 1", 1);
    assert_value("-(trans == 'tt') + !(trans != 'tt')", 0);
}

static void arithmetic(void **state) {
    (void)state;
    assert_value("1 + 2 * 3", 7);
    assert_value("(1 + 2) * 3", 9);
    assert_value("10 - 4 - 3", 3);
    assert_value("100 / 7 / 2", 7);
    assert_value("100 % 7 * 2", 4);
    assert_value("-7 / 2", -3);
    assert_value("-7 % 2", -1);
    assert_value("- - 3", 3);
    assert_value("M*N - 1", 699);
    assert_value("9223372036854775807", INT64_MAX);
    assert_value(" min( M , N ) + max(M,N)", 107);
    assert_value("ceil_div(M, N)", 15);
    assert_value("ceil_div(98, 7)", 14);
    assert_value("ceil_div(-7, 2)", -3);
    assert_value("ceil_div(-7, -2)", 4);
}

static void comparisons_and_logic(void **state) {
    (void)state;
    assert_value("1 < 2 == 1", 1);
    assert_value("1 + 1 <= 2", 1);
    assert_value("M != 100", 0);
    assert_value("M >= 100 && N < 8", 1);
    assert_value("5 && 7", 1);
    assert_value("0 || 9", 1);
    assert_value("!5", 0);
    assert_value("!Z + 1", 2);
    assert_value("1 || 0 && 0", 1); /* && binds tighter */
    assert_value("trans == 'tt'", 1);
    assert_value("trans == 'nn' || trans == 'tt' && N == 7", 1);
}

static void choices(void **state) {
    (void)state;
    assert_value("M > 50 ? 1 : 2", 1);
    assert_value("M < 50 ? 1 : N < 50 ? 2 : 3", 2);
    assert_value("Z ? 1 / Z : 8", 8);
    assert_value("(Z ? 2 : 3) * 2", 6);
    assert_value("min(Z ? 1 : N % 2 ? 1 : 4, 3)", 1);
    assert_value("1 ? 2 ? 3 : 4 : 5", 3);
}

/* What is not needed is not evaluated: a constraint may guard its own division. */
static void shortcuts(void **state) {
    (void)state;
    assert_value("Z != 0 && M / Z > 1", 0);
    assert_value("Z == 0 || M / Z > 1", 1);
    assert_value("(Z && M / Z) + 5", 5);
}

static void what_has_no_value(void **state) {
    (void)state;
    int64_t result;
    assert_int_equal(evaluate("M / Z", &result), TW_DIVIDED_BY_ZERO);
    assert_int_equal(evaluate("M % Z", &result), TW_DIVIDED_BY_ZERO);
    assert_int_equal(evaluate("ceil_div(M, Z)", &result), TW_DIVIDED_BY_ZERO);
    assert_int_equal(evaluate("BIG * 2", &result), TW_OVERFLOWED);
    assert_int_equal(evaluate("BIG + BIG", &result), TW_OVERFLOWED);
    assert_int_equal(evaluate("-BIG - BIG - 1", &result), TW_OVERFLOWED);
    assert_int_equal(evaluate("(-9223372036854775807 - 1) / -1", &result), TW_OVERFLOWED);
    assert_int_equal(evaluate("-(-9223372036854775807 - 1)", &result), TW_OVERFLOWED);
}

static void assert_refused(const char *text, int column, const char *says) {
    struct tw_symbols symbols;
    int64_t values[TW_MAX_SYMBOLS];
    struct tw_expression *expression = (struct tw_expression *)-1;
    struct tw_error error = {0};
    char place[32];
    make_symbols(&symbols, values);
    assert_int_equal(tw_expression_parse(&expression, text, &symbols, &error), TW_INVALID);
    assert_null(expression);
    snprintf(place, sizeof place, "column %d of ", column);
    if (strncmp(error.message, place, strlen(place)) != 0 || strstr(error.message, says) == NULL)
        fail_msg("\"%s\": expected column %d and \"%s\", got: %s", text, column, says,
                 error.message);
}

static void mistakes_name_their_column(void **state) {
    (void)state;
    assert_refused("", 1, "ends too early");
    assert_refused("M +", 4, "ends too early");
    assert_refused("M + *", 5, "expected a value");
    assert_refused("(M", 3, "expected ')'");
    assert_refused("M N", 3, "unexpected text");
    assert_refused("M ? 1", 6, "expected ':'");
    assert_refused("1.5", 2, "whole decimal");
    assert_refused("0x10", 2, "whole decimal");
    assert_refused("99999999999999999999", 1, "64 bits");
    assert_refused("M + MM", 5, "did you mean 'M'?");
    assert_refused("trans == 'nt'", 10, "unknown word 'nt'");
    assert_refused("trans == 'nn", 10, "single quotes");
    assert_refused("abs(M)", 1, "unknown function");
    assert_refused("min(M)", 6, "expected ','");
    assert_refused("M = 1", 3, "unexpected text; equality is written ==");
    assert_refused("trans = 'tt'", 7, "equality is written ==");
    assert_refused("system(1)", 1, "unknown function");
}

/* Words are no numbers, whatever stands for them inside. */
static void words_are_not_calculated_with(void **state) {
    (void)state;
    const char *no_number = "a word is no number";
    assert_refused("trans", 1, no_number);
    assert_refused("'nn'", 1, no_number);
    assert_refused("M + trans", 5, no_number);
    assert_refused("trans * M", 1, no_number);
    assert_refused("M - ('tt')", 5, no_number);
    assert_refused("-trans", 2, no_number);
    assert_refused("!'tt'", 2, no_number);
    assert_refused("trans && M", 1, no_number);
    assert_refused("M || trans", 6, no_number);
    assert_refused("trans ? 1 : 2", 1, no_number);
    assert_refused("min(M, trans)", 8, no_number);
    assert_refused("ceil_div( trans, 2)", 11, no_number);
    assert_refused("trans < 'tt'", 1, no_number);
    assert_refused("(M ? trans : 'nn') + 1", 1, no_number);
    assert_refused("trans == 1", 10, "a word is compared with a number");
    assert_refused("M != 'tt'", 1, "a word is compared with a number");
    assert_refused("trans == 'tt' == 'nn'", 1, "a word is compared with a number");
    assert_refused("M ? trans : 1", 13, "one of the two is a word");
}

/* Hostile depth is an error, not a crash. */
static void nesting_is_limited(void **state) {
    (void)state;
    char text[4000];
    for (int shape = 0; shape < 3; shape++) {
        memset(text, "(-!"[shape], 2000);
        strcpy(text + 2000, "1");
        struct tw_symbols symbols = {0};
        struct tw_expression *expression;
        struct tw_error error = {0};
        assert_int_equal(tw_expression_parse(&expression, text, &symbols, &error), TW_INVALID);
        assert_non_null(strstr(error.message, "nests too deeply"));
    }
    text[0] = '1';
    for (int i = 0; i < 1500; i++)
        memcpy(text + 1 + 2 * i, "+1", 3);
    struct tw_symbols symbols = {0};
    struct tw_expression *expression;
    struct tw_error error = {0};
    assert_int_equal(tw_expression_parse(&expression, text, &symbols, &error), TW_INVALID);
    assert_non_null(strstr(error.message, "too long"));
}

static void uses(void **state) {
    (void)state;
    struct tw_symbols symbols;
    int64_t values[TW_MAX_SYMBOLS];
    struct tw_expression *expression;
    make_symbols(&symbols, values);
    assert_int_equal(tw_expression_parse(&expression, "M + (Z ? 1 : 2)", &symbols, NULL), TW_OK);
    assert_true(tw_expression_uses(expression, tw_symbols_find(&symbols, "M")));
    assert_true(tw_expression_uses(expression, tw_symbols_find(&symbols, "Z")));
    assert_false(tw_expression_uses(expression, tw_symbols_find(&symbols, "N")));
    tw_expression_free(expression);
}

static void names(void **state) {
    (void)state;
    struct tw_symbols symbols = {0};
    assert_true(tw_is_identifier("_a1"));
    assert_false(tw_is_identifier("1a"));
    assert_false(tw_is_identifier("a-b"));
    assert_false(tw_is_identifier(""));
    assert_false(tw_is_identifier("a_name_that_is_far_too_long_to_fit_the_place_there_is"));
    assert_int_equal(tw_symbols_add(&symbols, "a"), 0);
    assert_int_equal(tw_symbols_add(&symbols, "a"), -1);
    assert_int_equal(tw_symbols_add(&symbols, "a b"), -1);
    for (int i = 1; i < TW_MAX_SYMBOLS; i++) {
        char name[16];
        snprintf(name, sizeof name, "n%d", i);
        assert_int_equal(tw_symbols_add(&symbols, name), i);
    }
    assert_int_equal(tw_symbols_add(&symbols, "one_more"), -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic),
        cmocka_unit_test(comparisons_and_logic),
        cmocka_unit_test(choices),
        cmocka_unit_test(shortcuts),
        cmocka_unit_test(what_has_no_value),
        cmocka_unit_test(mistakes_name_their_column),
        cmocka_unit_test(words),
        cmocka_unit_test(words_are_not_calculated_with),
        cmocka_unit_test(nesting_is_limited),
        cmocka_unit_test(uses),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
