/* Templates, which anyone may write: whatever the text, the check of shared memory only adds to it.
 */
#include "runtime/variant/agreement.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = fuzz_text(data, size);
    struct tw_text checked = {0};
    tw_shared_checked(text, "f", 16, &checked);
    FUZZ_MUST(checked.length >= strlen(text));
    const char *list = tw_kernel_find(text, "f");
    FUZZ_MUST(list == NULL || (list > text && list <= text + strlen(text)));
    tw_text_free(&checked);
    free(text);
    return 0;
}
