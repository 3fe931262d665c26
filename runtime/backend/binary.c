#include <stdlib.h>
#include <string.h>

#include "runtime/backend/backend.h"

void tw_binary_free(struct tw_binary *binary) {
    free(binary->bytes);
    tw_text_free(&binary->log);
    *binary = (struct tw_binary){0};
}

void tw_binary_explain(const struct tw_binary *binary, struct tw_error *error) {
    const char *log = binary->log.data != NULL ? binary->log.data : "";
    for (const char *line = log; *line != '\0';) {
        size_t length = strcspn(line, "\n");
        const char *word = strstr(line, "error");
        if (word != NULL && word < line + length) {
            tw_fail(error, TW_COMPILE, "%.*s", (int)(length < 600 ? length : 600), line);
            return;
        }
        line += length + (line[length] == '\n');
    }
}

struct tw_memory tw_memory_part(const struct tw_memory *memory, uint64_t offset, uint64_t bytes) {
    return (struct tw_memory){
        .address = memory->address, .offset = memory->offset + offset, .bytes = bytes};
}
