#include "runtime/variant/prelude.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "runtime/description/builtin.h"

/* A file of templates/prelude/cuda and one of templates/prelude/opencl; what is the same on both
 * may be in one of templates/prelude/common. */
struct extension {
    const char *name;
    const char *provides; /* names, each between spaces; one that ends in * stands for a prefix */
};

static const struct extension extensions[] = {
    {"maths", " INFINITY NAN acosf asinf atanf cbrtf ceilf cosf coshf erfcf erff exp10f exp2f expf "
              "expm1f fabsf floorf log10f log1pf log2f logf rintf roundf rsqrtf sinf sinhf sqrtf "
              "tanf tanhf truncf atan2f copysignf fmaxf fminf fmodf hypotf powf "},
    {"subgroups", " TW_SUBGROUP tw_subgroup* tw_shuffle_* "},
    {"atomics", " atomicAdd atomicSub atomicMax atomicMin atomicAnd atomicOr atomicXor atomicExch "
                "atomicCAS tw_atomic_* "},
    {"types", " tw_f16 tw_bf16 tw_e4m3 tw_e5m2 tw_i8 tw_f16_* tw_bf16_* tw_e4m3_* tw_e5m2_* "
              "tw_f32_to_* tw_float_bits tw_bits_float "},
};

static bool provides(const struct extension *extension, const char *name, size_t length) {
    const char *at = extension->provides + 1;
    while (*at != '\0') {
        size_t size = strcspn(at, " ");
        if (at[size - 1] == '*' ? length >= size - 1 && memcmp(at, name, size - 1) == 0
                                : length == size && memcmp(at, name, size) == 0)
            return true;
        at += size + 1;
    }
    return false;
}

/* The letters that an extension's names begin and end with: most names in a source are told by
 * them.
 */
struct letters {
    bool first[256], last[256];
};

static void find_letters(const struct extension *extension, struct letters *letters) {
    *letters = (struct letters){0};
    for (const char *at = extension->provides + 1; *at != '\0'; at += strcspn(at, " ") + 1) {
        const char last = at[strcspn(at, " ") - 1];
        letters->first[(unsigned char)*at] = true;
        letters->last[(unsigned char)last] = true;
        if (last == '*')
            memset(letters->last, true, sizeof letters->last);
    }
}

/* What a comment or a string of C ends with; NULL where none begins. */
static const char *skipped_until(const char *at) {
    if (at[0] == '/' && at[1] == '*')
        return "*/";
    if (at[0] == '/' && at[1] == '/')
        return "\n";
    return at[0] == '"' ? "\"" : NULL;
}

static bool is_named(const struct extension *extension, const char *source) {
    struct letters letters;
    find_letters(extension, &letters);
    for (const char *at = source; *at != '\0';) {
        const char *end = skipped_until(at);
        if (end != NULL) {
            at = strstr(at + (end[0] == '*' ? 2 : 1), end);
            if (at == NULL)
                return false;
            at += strlen(end);
        } else if (isalpha((unsigned char)*at) || *at == '_') {
            size_t length = 1;
            while (isalnum((unsigned char)at[length]) || at[length] == '_')
                length++;
            if (letters.first[(unsigned char)*at] && letters.last[(unsigned char)at[length - 1]] &&
                provides(extension, at, length))
                return true;
            at += length;
        } else {
            at++;
        }
    }
    return false;
}

tw_status tw_prelude_extend(struct tw_text *source, const char *backend, const char *templates,
                            struct tw_error *error) {
    const char *ending = strcmp(backend, "cuda") == 0 ? "cuh" : "clh";
    for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++) {
        if (!is_named(&extensions[i], templates))
            continue;
        char path[80];
        snprintf(path, sizeof path, "templates/prelude/%s/%s.%s", backend, extensions[i].name,
                 ending);
        const char *text = tw_builtin_file(path);
        if (text == NULL)
            return tw_fail(error, TW_NOT_FOUND, "%s is not built in", path);
        tw_text_print(source, "#line 1 \"%s\"\n%s", path, text);
        snprintf(path, sizeof path, "templates/prelude/common/%s.cu", extensions[i].name);
        text = tw_builtin_file(path);
        if (text != NULL)
            tw_text_print(source, "#line 1 \"%s\"\n%s", path, text);
    }
    return TW_OK;
}
