#include "runtime/variant/prelude.h"

#include <ctype.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "runtime/description/builtin.h"
#include "runtime/description/languages.h"
#include "runtime/variant/preprocess.h"

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

enum { EXTENSIONS = sizeof extensions / sizeof *extensions };

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

/* Made once, so that a source is gone over quickly: the characters of names, and which extensions
 * have names that begin and end with a letter, or have it for their fourth, a bit each. Most names
 * are told by these. */
static struct {
    bool continues[256];
    unsigned first[256], fourth[256], last[256];
} letters;
static pthread_once_t letters_once = PTHREAD_ONCE_INIT;

static void find_letters(void) {
    for (int c = 0; c < 256; c++)
        letters.continues[c] = isalnum(c) || c == '_';
    for (int i = 0; i < EXTENSIONS; i++) {
        const unsigned bit = 1u << i;
        for (const char *at = extensions[i].provides + 1; *at != '\0';) {
            const size_t size = strcspn(at, " ");
            letters.first[(unsigned char)*at] |= bit;
            letters.last[(unsigned char)at[size - 1]] |= bit;
            for (int c = 0; at[size - 1] == '*' && c < 256; c++)
                letters.last[c] |= bit;
            if (size >= 4 && at[3] != '*')
                letters.fourth[(unsigned char)at[3]] |= bit;
            for (int c = 0; (size < 4 || at[3] == '*') && c < 256; c++)
                letters.fourth[c] |= bit;
            at += size + 1;
        }
    }
}

/* Behind what begins with a slash or a quote: a comment, a string, or just the slash. */
static const char *behind_quiet(const char *at) {
    if (at[0] == '/' && at[1] == '*')
        return tw_comment_end(at);
    if (at[0] == '/' && at[1] == '/')
        return at + strcspn(at, "\n");
    if (at[0] == '/')
        return at + 1;
    const char *end = strchr(at + 1, '"');
    return end != NULL ? end + 1 : at + strlen(at);
}

/* The extensions of which a source names something, a bit each. */
static unsigned find_named(const char *source) {
    unsigned named = 0;
    pthread_once(&letters_once, find_letters);
    for (const unsigned char *at = (const unsigned char *)source; *at != '\0';) {
        if (letters.continues[*at]) {
            const unsigned char *start = at;
            while (letters.continues[*at])
                at++;
            unsigned maybe = letters.first[*start] & letters.last[at[-1]] & ~named;
            if (at - start >= 4)
                maybe &= letters.fourth[start[3]];
            for (int i = 0; maybe >> i != 0; i++)
                if ((maybe >> i & 1) != 0 &&
                    provides(&extensions[i], (const char *)start, (size_t)(at - start)))
                    named |= 1u << i;
        } else if (*at == '/' || *at == '"') {
            at = (const unsigned char *)behind_quiet((const char *)at);
        } else {
            at++;
        }
    }
    return named;
}

bool tw_prelude_named(const char *source) {
    return find_named(source) != 0;
}

enum { PATH_BYTES = 80 };

static void own_path(const struct tw_language *language, int extension, char path[PATH_BYTES]) {
    snprintf(path, PATH_BYTES, "templates/prelude/%s/%s.%s", language->backend,
             extensions[extension].name, language->ending);
}

/* Of the part that is the same on all backends, which not all have. */
static void common_path(int extension, char path[PATH_BYTES]) {
    snprintf(path, PATH_BYTES, "templates/prelude/common/%s.cu", extensions[extension].name);
}

tw_status tw_prelude_extend(struct tw_text *source, const char *backend, const char *templates,
                            struct tw_error *error) {
    const struct tw_language *language = tw_language_of(backend);
    const unsigned named = find_named(templates);
    for (int i = 0; i < EXTENSIONS; i++) {
        if ((named >> i & 1) == 0)
            continue;
        char path[PATH_BYTES];
        own_path(language, i, path);
        const char *text = tw_builtin_file(path);
        if (text == NULL)
            return tw_fail(error, TW_NOT_FOUND, "%s is not built in", path);
        tw_text_print(source, "#line 1 \"%s\"\n%s", path, text);
        common_path(i, path);
        text = tw_builtin_file(path);
        if (text != NULL)
            tw_text_print(source, "#line 1 \"%s\"\n%s", path, text);
    }
    return TW_OK;
}

static void add_file(struct tw_hash *hash, const char *path) {
    const char *text = tw_builtin_hash(path);
    tw_hash_add_text(hash, text != NULL ? text : "");
}

void tw_prelude_hash(struct tw_hash *hash, const char *backend) {
    const struct tw_language *language = tw_language_of(backend);
    char path[PATH_BYTES];
    add_file(hash, language->prelude);
    for (int i = 0; i < EXTENSIONS; i++) {
        own_path(language, i, path);
        add_file(hash, path);
        common_path(i, path);
        add_file(hash, path);
    }
}
