/* Writes the built-in descriptions as applications read them, which the build embeds:
 *
 *     flatten DIRECTORY
 *
 * makes DIRECTORY/flat/KERNEL.json of each, its flat form, and DIRECTORY/outlines/KERNEL.json, what
 * the library reads before it needs an implementation (runtime/description/outline.h). Fails with
 * the message of the first that cannot be read. */
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "runtime/description/builtin.h"
#include "runtime/description/json_span.h"
#include "runtime/description/languages.h"
#include "runtime/variant/identity.h"

/* Nothing is flat before this has run. */
const struct tw_builtin tw_builtin_flat_files[] = {{NULL, NULL, NULL, NULL}};
const struct tw_builtin tw_builtin_outline_files[] = {{NULL, NULL, NULL, NULL}};

/* ---- Outlines ---- */

/* Where the text of an implementation stands in that of the whole description. */
static bool add_place(cJSON *outline, const char *flat, const char *begin, const char *end) {
    return cJSON_AddNumberToObject(outline, "at", (double)(begin - flat)) != NULL &&
           cJSON_AddNumberToObject(outline, "length", (double)(end - begin)) != NULL;
}

static bool add_presets(cJSON *outline, const struct tw_implementation *in) {
    cJSON *presets = cJSON_AddArrayToObject(outline, "presets");
    bool added = presets != NULL;
    for (int i = 0; i < in->preset_count && added; i++)
        added = cJSON_AddItemToArray(presets, cJSON_CreateString(in->presets[i].name));
    return added;
}

static bool add_codes(cJSON *outline, const struct tw_description *d, int index) {
    cJSON *codes = cJSON_AddObjectToObject(outline, "code");
    bool added = codes != NULL;
    for (const struct tw_language *l = tw_languages; l->backend != NULL && added; l++) {
        char hash[TW_HASH_SIZE];
        struct tw_error error;
        if (tw_identity_code(d, index, l->backend, hash, &error) != TW_OK) {
            fprintf(stderr, "%s: %s\n", d->origin, error.message);
            return false;
        }
        added = cJSON_AddStringToObject(codes, l->backend, hash) != NULL;
    }
    return added;
}

/* The text, to be freed with cJSON_free; NULL on failure. */
static char *outline_of(const struct tw_description *d) {
    const char *begin = NULL, *end = NULL;
    bool made = tw_json_find_member(d->text, "implementations", &begin, &end);
    cJSON *json = cJSON_Parse(d->text);
    cJSON_DeleteItemFromObject(json, "implementations");
    cJSON *outlines = cJSON_AddArrayToObject(json, "implementations");
    made = made && outlines != NULL;
    end = begin; /* of the element before the first */
    cJSON_DeleteItemFromObject(json, "ladder");
    for (int i = 0; i < d->implementation_count && made; i++) {
        const struct tw_implementation *in = &d->implementations[i];
        cJSON *outline = cJSON_CreateObject();
        made = tw_json_next_element(end, &begin, &end) && cJSON_AddItemToArray(outlines, outline) &&
               cJSON_AddStringToObject(outline, "name", in->name) != NULL &&
               add_place(outline, d->text, begin, end) && add_presets(outline, in) &&
               add_codes(outline, d, i);
    }
    char *text = made ? cJSON_PrintUnformatted(json) : NULL;
    cJSON_Delete(json);
    return text;
}

/* ---- Files ---- */

static bool write_text(const char *directory, const char *kind, const char *kernel,
                       const char *text) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s/%s.json", directory, kind, kernel);
    FILE *file = fopen(path, "w");
    bool written = file != NULL && fputs(text, file) >= 0;
    if (file != NULL && fclose(file) != 0)
        written = false;
    if (!written)
        perror(path);
    return written;
}

static bool write_kernel(const char *directory, const char *kernel) {
    struct tw_description *description;
    struct tw_error error;
    if (tw_description_builtin(&description, kernel, &error) != TW_OK) {
        fprintf(stderr, "%s\n", error.message);
        return false;
    }
    char *outline = outline_of(description);
    if (outline == NULL)
        fprintf(stderr, "%s: no outline could be made\n", kernel);
    bool written = outline != NULL && write_text(directory, "flat", kernel, description->text) &&
                   write_text(directory, "outlines", kernel, outline);
    cJSON_free(outline);
    tw_description_free(description);
    return written;
}

int main(int count, char **words) {
    const char *kernels[64];
    if (count != 2) {
        fprintf(stderr, "usage: flatten DIRECTORY\n");
        return 2;
    }
    size_t kernel_count = tw_builtin_kernels(kernels, sizeof kernels / sizeof *kernels);
    for (size_t i = 0; i < kernel_count; i++)
        if (!write_kernel(words[1], kernels[i]))
            return 1;
    return 0;
}
