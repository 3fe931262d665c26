/* Listings of machine code: refused with a line, or counted, and all of their loops found. */
#include "tests/fuzz/fuzz.h"
#include "tuner/inspect/counts.h"
#include "tuner/inspect/loops.h"
#include "tuner/inspect/registers.h"
#include "tuner/inspect/tensor.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = fuzz_text(data, size);
    struct sass sass;
    struct tw_error error = {0};
    tw_status status = sass_read(&sass, text, "f", &error);
    if (status == TW_OK) {
        struct code_counts counts;
        struct register_reads reads;
        struct tensor_work work;
        struct sass_loop loop;
        for (size_t i = 0; i < sass.count; i++)
            FUZZ_MUST(sass.instructions[i].target == SASS_NO_TARGET ||
                      (size_t)sass.instructions[i].target < sass.count);
        counts_take(&sass, NULL, &counts);
        FUZZ_MUST(counts.instructions >= 0 && (size_t)counts.instructions <= sass.count);
        registers_count(&sass, NULL, &reads);
        FUZZ_MUST(reads.multiply_adds == counts.kinds[SASS_FFMA]);
        if (sass_find_loop(&sass, &loop, &error) == TW_OK && loop.found) {
            FUZZ_MUST(loop.head < sass.count && loop.tail < sass.count && loop.own[loop.head]);
            counts_take(&sass, loop.own, &counts);
            registers_count(&sass, loop.own, &reads);
            tensor_take(&sass, loop.own, 90, &work);
            FUZZ_MUST(work.cycles >= 0 && (size_t)work.exposed <= sass.count);
        }
        sass_loop_free(&loop);
    } else {
        FUZZ_MUST(fuzz_is_told(status, &error));
    }
    sass_free(&sass);
    free(text);
    return 0;
}
