/* What results were tied to in databases up to schema 3: the text of the description and of both
 * preludes. Kept to know results of that time; nothing new is tied to it. */
#include "runtime/variant/legacy.h"

#include <string.h>

#include "runtime/description/builtin.h"
#include "runtime/description/json.h"
#include "runtime/variant/source.h"

static tw_status hash_templates(struct tw_hash *hash, const struct tw_description *d,
                                const struct tw_implementation *in, struct tw_error *error) {
    for (int l = 0; l < in->launch_count; l++) {
        for (int i = 0; i < in->launches[l].template_count; i++) {
            struct tw_text text = {0};
            tw_status status = tw_source_template(d, in->launches[l].templates[i], &text, error);
            if (status == TW_OK)
                tw_hash_add(hash, text.data != NULL ? text.data : "", text.length);
            tw_text_free(&text);
            if (status != TW_OK)
                return status;
        }
    }
    return TW_OK;
}

static tw_status hash_json(struct tw_hash *hash, const cJSON *json, struct tw_error *error) {
    char *text = cJSON_PrintUnformatted(json);
    if (text == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    tw_hash_add_text(hash, text);
    cJSON_free(text);
    return TW_OK;
}

static tw_status hash_description(struct tw_hash *hash, const struct tw_description *d, int index,
                                  struct tw_error *error) {
    static const char *const left_out[] = {"summary", "parameters", "presets", "redundant"};
    cJSON *json;
    tw_status status = tw_json_parse(&json, d->text, d->origin, error);
    if (status != TW_OK)
        return status;
    cJSON *one =
        cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(json, "implementations"), index);
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
        cJSON_DeleteItemFromObjectCaseSensitive(one, left_out[i]);
    status = hash_json(hash, one, error);
    /* Lets and arguments reach the source through defines, sizes and types. */
    if (status == TW_OK)
        status = hash_json(hash, cJSON_GetObjectItemCaseSensitive(json, "problem"), error);
    if (status == TW_OK)
        status = hash_json(hash, cJSON_GetObjectItemCaseSensitive(json, "arguments"), error);
    cJSON_Delete(json);
    return status;
}

tw_status tw_legacy_hash(const struct tw_description *d, int implementation,
                         char hash[TW_HASH_SIZE], struct tw_error *error) {
    struct tw_hash *state = tw_hash_begin();
    tw_hash_add_text(state, tw_builtin_file("templates/prelude/cuda.cuh"));
    tw_hash_add_text(state, tw_builtin_file("templates/prelude/opencl.clh"));
    tw_status status = hash_templates(state, d, &d->implementations[implementation], error);
    if (status == TW_OK)
        status = hash_description(state, d, implementation, error);
    tw_hash_finish(state, hash);
    if (status == TW_OK && hash[0] == '\0')
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    return status;
}

/* kernel, implementation, hash of that time, code on CUDA, code on OpenCL */
static const struct {
    const char *kernel, *implementation, *hash, *cuda, *opencl;
} known[] = {
#include "runtime/variant/legacy_codes.inc"
};

const char *tw_legacy_code(const char *kernel, const char *implementation, const char *hash,
                           const char *backend) {
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].hash, hash) == 0 && strcmp(known[i].kernel, kernel) == 0 &&
            strcmp(known[i].implementation, implementation) == 0)
            return strcmp(backend, "cuda") == 0     ? known[i].cuda
                   : strcmp(backend, "opencl") == 0 ? known[i].opencl
                                                    : NULL;
    return NULL;
}
