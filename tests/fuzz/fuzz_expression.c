/* Expressions: any text is refused with a column, or evaluates the same whenever it is asked. */
#include "runtime/description/expression.h"
#include "tests/fuzz/fuzz.h"

static struct tw_symbols symbols;

static void evaluate(const struct tw_expression *expression) {
    static const int64_t numbers[] = {0, 1, -1, 7, 4096, INT32_MAX, INT64_MAX, INT64_MIN};
    enum { NUMBERS = sizeof numbers / sizeof *numbers };
    int64_t values[TW_MAX_SYMBOLS];
    for (int rotated = 0; rotated < NUMBERS; rotated += 3) {
        for (int slot = 0; slot < TW_MAX_SYMBOLS; slot++)
            values[slot] = numbers[(slot + rotated) % NUMBERS];
        int64_t first = 0, again = 0;
        enum tw_evaluation outcome = tw_expression_evaluate(expression, values, &first);
        /* What it does not use makes no difference. */
        for (int slot = 0; slot < TW_MAX_SYMBOLS; slot++)
            if (!tw_expression_uses(expression, slot))
                values[slot] ^= 5;
        FUZZ_MUST(tw_expression_evaluate(expression, values, &again) == outcome);
        FUZZ_MUST(outcome != TW_EVALUATED || first == again);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (symbols.count == 0) {
        static const char *const names[] = {"M", "N", "K", "BM", "MAX_SHARED", "dtype", "lda"};
        static const char *const words[] = {"f32", "f64", "rows", "columns"};
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            tw_symbols_add(&symbols, names[i]);
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            tw_symbols_word(&symbols, words[i]);
        tw_symbols_hold_word(&symbols, tw_symbols_find(&symbols, "dtype"));
    }
    char *text = fuzz_text(data, size);
    struct tw_expression *expression;
    struct tw_error error = {0};
    tw_status status = tw_expression_parse(&expression, text, &symbols, &error);
    if (status == TW_OK) {
        FUZZ_MUST(strcmp(tw_expression_text(expression), text) == 0);
        evaluate(expression);
    } else {
        FUZZ_MUST(expression == NULL && status == TW_INVALID && fuzz_is_told(status, &error));
        FUZZ_MUST(strncmp(error.message, "column ", 7) == 0);
    }
    tw_expression_free(expression);
    free(text);
    return 0;
}
