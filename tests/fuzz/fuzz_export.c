/* Exports of databases, from anyone: refused as a whole with one line, or every row of them makes
 * sense and is handed out again as often as it is asked for. */
#include "runtime/base/text.h"
#include "tests/fuzz/fuzz.h"
#include "tuner/exchange/import.h"
#include "tuner/exchange/well_formed.h"

static struct known_kernels known;

static bool count_sound(void *context, const struct tw_db_best_row *row) {
    struct tw_error error = {0};
    FUZZ_MUST(well_formed_row(row, &error) == TW_OK);
    ++*(int64_t *)context;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct tw_error error = {0};
    if (known.count == 0)
        FUZZ_MUST(known_kernels_open(&known, NULL, 0, &error) == TW_OK);
    char *text = fuzz_text(data, size);
    struct import *import;
    tw_status status = import_read(&import, text, size, "fuzz.json", &known, &error);
    if (status == TW_OK) {
        int64_t rows = 0;
        FUZZ_MUST(import_each(import, count_sound, &rows, &error) == TW_OK);
        FUZZ_MUST(rows == import_count(import) && import_stale(import) <= rows);
    } else {
        FUZZ_MUST(import == NULL && fuzz_is_told(status, &error));
        FUZZ_MUST(strncmp(error.message, "fuzz.json:", 10) == 0);
    }
    import_close(import);
    free(text);
    return 0;
}
