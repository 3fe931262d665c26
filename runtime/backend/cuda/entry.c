/* PTX ISA, "Kernel Function Parameters": .entry NAME ( .param .u64 NAME_param_0, .param .align 64
 * .b8 NAME_param_1[128], ... ) */
#include "runtime/backend/cuda/entry.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/text.h"

static bool is_name(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* The name behind the next ".entry" from `at` on; NULL when there is none. */
static const char *next_entry(const char *at, size_t *length) {
    at = strstr(at, ".entry");
    if (at == NULL)
        return NULL;
    at += 6;
    at += strspn(at, " \t\n");
    *length = 0;
    while (is_name(at[*length]))
        ++*length;
    return at;
}

/* One parameter, from its ".param" to the comma or parenthesis behind it. */
static void read_parameter(const char *text, size_t length, struct tw_taken *taken) {
    static const char types[] = "usfb";
    int index = taken->count++;
    if (index >= TW_MAX_EXPECTED)
        return;
    for (size_t i = 0; i + 2 < length; i++) {
        if (text[i] != '.' || strchr(types, text[i + 1]) == NULL ||
            !isdigit((unsigned char)text[i + 2]))
            continue;
        const char *array = memchr(text, '[', length);
        long elements = array != NULL ? strtol(array + 1, NULL, 10) : 1;
        taken->parameters[index].bytes = (uint32_t)(strtol(text + i + 2, NULL, 10) / 8 * elements);
        taken->parameters[index].is_number =
            text[i + 1] != 'b' && taken->parameters[index].bytes >= sizeof(float);
        taken->parameters[index].floating = text[i + 1] == 'f';
        return;
    }
}

static struct tw_taken read_parameters(const char *at) {
    struct tw_taken taken = {0};
    at += strspn(at, " \t\n");
    if (*at != '(')
        return taken;
    size_t end = strcspn(at, ")");
    for (const char *part = at + 1; part < at + end;) {
        size_t length = strcspn(part, ",)");
        if (length > strspn(part, " \t\n"))
            read_parameter(part, length, &taken);
        part += length + 1;
    }
    return taken;
}

tw_status tw_ptx_check(const char *ptx, const char *function, const struct tw_expected *expected,
                       struct tw_error *error) {
    struct tw_text kernels = {0};
    size_t length;
    for (const char *name = ptx; (name = next_entry(name, &length)) != NULL; name += length) {
        if (strlen(function) == length && strncmp(name, function, length) == 0) {
            const struct tw_taken taken = read_parameters(name + length);
            tw_text_free(&kernels);
            return tw_expected_check(expected, &taken, sizeof(uint64_t), function, error);
        }
        tw_text_print(&kernels, "%.*s;", (int)length, name);
    }
    tw_status status =
        tw_expected_missing(function, kernels.data != NULL ? kernels.data : "", ';', error);
    tw_text_free(&kernels);
    return status;
}
